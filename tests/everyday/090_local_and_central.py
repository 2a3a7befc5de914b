"""How much better is a trusted curator than randomised response, for the same question?"""

import math
from typing import Annotated

import metricdp as dp

CHOICES = ("car", "bus", "bike", "walk")


def debias(count, n, eps):
    k = len(CHOICES)
    p = math.exp(eps) / (math.exp(eps) + k - 1)
    q = 1 / (math.exp(eps) + k - 1)
    return (count - n * q) / (p - q)


def local_model(answers, n, eps):
    """Every person randomises the own answer; the curator sees only that."""
    told = [dp.randomized_response(a, epsilon=eps, choices=CHOICES) for a in answers]
    estimates = {}
    for choice in CHOICES:
        seen = sum(1 for t in told if t == choice)
        estimates[choice] = debias(seen, n, eps)
    return estimates


def central_model(answers, eps):
    """The curator counts, and adds noise once per choice."""
    estimates = {}
    for choice in CHOICES:
        count = sum(1 for a in answers if a == choice)
        estimates[choice] = dp.laplace(count, scale=2 / eps)
    return estimates


@dp.measurement
def local_and_central(
    answers: Annotated[dp.Records[str, dp.ChangeOne], dp.Size("n")], n: int, eps: float
):
    local = local_model(answers, n, eps / 2)
    central = central_model(answers, eps / 2)
    table = []
    for choice in CHOICES:
        difference = abs(local[choice] - central[choice])
        table.append(f"{choice:5} local {local[choice]:8.1f} central {central[choice]:8.1f}")
        table.append(f"      they differ by {difference:.1f}")
    spread = {
        "local": round(math.sqrt(n) / (math.exp(eps / 2) - 1), 1),
        "central": round(math.sqrt(8) * 2 / eps, 1),
    }
    return local, central, spread, "\n".join(table)
