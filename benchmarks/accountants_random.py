"""Random lists of events, accounted by metricdp and by dp-accounting, and every disagreement.

    python -m venv peers && peers/bin/pip install dp-accounting==0.6 python-flint msgspec mpmath
    PYTHONPATH=. peers/bin/python benchmarks/accountants_random.py [--lists 100] [--seed 0]

A list is a text as on the command line, so that every line that is printed can be asked again.
Compared at several epsilons and deltas:
- dp-accounting's privacy loss distributions, rounded up and rounded down: our upper end must not be
  below the optimistic one, nor our lower end above the pessimistic one;
- its Renyi accountant, an upper bound: our lower end must not be above it;
- pairs of finite laws: all products of outcomes are summed in 40 digits;
- our two engines, each alone: their intervals must meet, and hold the answer.
"UNSOUND" (upper end too small), "TOO HIGH" (lower end too large), "DISJOINT" and "FAILS" are
printed, and the exit code is then 1.  "tighter" counts the answers whose interval is inside theirs.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from math import exp, inf
from typing import Any

RELATIONS = ("add", "remove", "add or remove", "replace", "zero out")
EPSILONS = ("0", "0.3", "1", "2.5")
DELTAS = ("0.01", "1e-4", "1e-7")
#: Their rounding of losses, and what their doubles and truncated tails may be off by.
GRID, SLACK, SHARE = 1e-3, 1e-9, 1e-6
#: Products of outcomes that are summed one by one.
MOST_OUTCOMES = 20_000


class Part:
    """Some rounds of one event: our text, and how dp-accounting builds the same."""

    def __init__(self, text: str, rounds: int, peer: Any = None, renyi: Any = None) -> None:
        self.text = text if rounds == 1 else f"{text} x {rounds}"
        self.rounds, self.peer, self.renyi = rounds, peer, renyi


def number(rng: random.Random, low: float, high: float) -> str:
    """A decimal between two numbers, spread evenly over its logarithm."""
    return f"{low * (high / low) ** rng.random():.3g}"


def lists(rng: random.Random) -> Iterator[tuple[list[Part], str]]:
    """Endless random lists of events with a relation."""
    while True:
        relation = rng.choice(RELATIONS)
        kinds = [noise, noise, known]
        if relation in ("add", "remove", "add or remove"):
            kinds += [sampled, sampled, sampled]
        if relation == "replace":
            kinds += [answers, swapped, swapped]
        yield [rng.choice(kinds)(rng, relation) for _ in range(rng.choice((1, 1, 2, 3)))], relation


def noise(rng: random.Random, relation: str) -> Part:
    """Additive noise; a replaced row moves it by 2, or by 1 where that is said."""
    name = rng.choice(("gaussian", "laplace", "discrete-gaussian", "discrete-laplace"))
    scale, once = number(rng, 0.7, 20), rng.random() < 0.3
    moved = 2 if relation == "replace" and not once else 1
    text = f"{name}({scale}, replaced=1)" if once else f"{name}({scale})"
    losses, renyi = additive(name, scale, moved), curve(name, scale, moved)
    return Part(text, rng.choice((1, 2, 7)), losses, renyi)


def additive(name: str, scale: str, moved: int, rate: str = "1") -> Any:
    """pessimistic -> dp-accounting's losses of noise that moves by so much."""

    def build(pessimistic: bool) -> Any:
        from dp_accounting.pld import privacy_loss_distribution as pld

        make = getattr(pld, f"from_{name.replace('-', '_')}_mechanism")
        dots = {} if pessimistic else {"use_connect_dots": False}
        # Their discrete Laplace noise takes the decay per whole number.
        given = 1 / float(scale) if name == "discrete-laplace" else float(scale)
        return make(
            given, sensitivity=moved, pessimistic_estimate=pessimistic,
            value_discretization_interval=GRID, sampling_prob=float(rate), **dots,
        )  # fmt: skip

    return build


def curve(name: str, scale: str, moved: int) -> Any:
    """dp-accounting's event for its Renyi accountant, which knows continuous noise."""

    def build() -> Any:
        import dp_accounting as peer

        kinds = {"gaussian": peer.GaussianDpEvent, "laplace": peer.LaplaceDpEvent}
        return kinds[name](float(scale) / moved)

    return build if name in ("gaussian", "laplace") else None


def sampled(rng: random.Random, relation: str) -> Part:
    """A Poisson sample, or one whose largest samples are cut."""
    name = rng.choice(("gaussian", "gaussian", "laplace", "discrete-gaussian", "discrete-laplace"))
    scale, rate, rounds = number(rng, 0.6, 5), number(rng, 0.001, 0.8), rng.choice((1, 3, 40))

    def renyi() -> Any:
        import dp_accounting as peer

        return peer.PoissonSampledDpEvent(float(rate), peer.GaussianDpEvent(float(scale)))

    return Part(
        f"poisson({rate}, {name}({scale}))", rounds, additive(name, scale, 1, rate),
        renyi if name == "gaussian" else None,
    )  # fmt: skip


def known(rng: random.Random, relation: str) -> Part:
    """A mechanism that is known by an epsilon, (epsilon, delta) or a rho."""
    kind = rng.choice(("pure", "approximate", "zcdp", "permute-and-flip"))
    value = number(rng, 0.02, 1.5)
    if kind == "zcdp":

        def rho() -> Any:
            import dp_accounting as peer

            return peer.ZCDpEvent(float(value))

        return Part(f"zcdp({value}, per={_per(relation)})", rng.choice((1, 4)), None, rho)
    lost = number(rng, 1e-9, 1e-3) if kind == "approximate" else "0"

    def losses(pessimistic: bool) -> Any:
        from dp_accounting.pld import common
        from dp_accounting.pld import privacy_loss_distribution as pld

        if not pessimistic:
            return None
        pair = common.DifferentialPrivacyParameters(float(value), float(lost))
        return pld.from_privacy_parameters(pair, value_discretization_interval=GRID)

    given = f"{value}, {lost}" if kind == "approximate" else value
    return Part(f"{kind}({given}, per={_per(relation)})", rng.choice((1, 5)), losses)


def _per(relation: str) -> str:
    return "replace" if relation == "replace" else "contribution"


def answers(rng: random.Random, relation: str) -> Part:
    """Randomized response; dp-accounting's parameter is the chance of a uniform answer."""
    epsilon, choices = number(rng, 0.05, 3), rng.choice((2, 3, 10))

    def losses(pessimistic: bool) -> Any:
        from dp_accounting.pld import privacy_loss_distribution as pld

        uniform = choices / (exp(float(epsilon)) + choices - 1)
        return pld.from_randomized_response(
            uniform, choices, pessimistic, value_discretization_interval=GRID
        )

    return Part(f"randomized-response({epsilon}, {choices})", rng.choice((1, 2, 9)), losses)


def swapped(rng: random.Random, relation: str) -> Part:
    """A sample of fixed size read by Gaussian noise, where a row is replaced."""
    rows = rng.choice((10, 100, 1000))
    size, scale = rng.randint(1, rows // 2), number(rng, 0.7, 5)
    text = f"without-replacement({size}, {rows}, gaussian({scale}))"

    def renyi() -> Any:
        import dp_accounting as peer

        # A replaced row moves the sum by 2 noise multipliers, theirs by 1.
        return peer.SampledWithoutReplacementDpEvent(
            rows, size, peer.GaussianDpEvent(float(scale) / 2)
        )

    return Part(text, rng.choice((1, 3, 20)), None, renyi)


class Peer:
    """What dp-accounting says of a list: pessimistic and optimistic losses, Renyi orders."""

    def __init__(self, parts: list[Part], relation: str) -> None:
        self.relation = relation
        self.above, self.below = self._losses(parts, True), self._losses(parts, False)
        self.renyi = self._renyi(parts)

    def _losses(self, parts: list[Part], pessimistic: bool) -> Any:
        total = None
        for part in parts:
            one = None if part.peer is None else part.peer(pessimistic)
            if one is None:
                return None
            many = one.self_compose(part.rounds) if part.rounds > 1 else one
            total = many if total is None else total.compose(many)
        return total

    def _renyi(self, parts: list[Part]) -> Any:
        if any(part.renyi is None for part in parts):
            return None
        import dp_accounting as peer
        from dp_accounting.rdp import rdp_privacy_accountant as rdp

        relations = peer.NeighboringRelation
        swap = self.relation == "replace"
        made = rdp.RdpAccountant(
            neighboring_relation=relations.REPLACE_ONE if swap else relations.ADD_OR_REMOVE_ONE
        )
        for part in parts:
            made.compose(part.renyi(), part.rounds)
        return made

    def _of(self, losses: Any) -> Any:
        # Their `_pmf_remove` has the larger data set first.
        return {"add": losses._pmf_add, "remove": losses._pmf_remove}.get(self.relation, losses)

    def delta(self, epsilon: float) -> tuple[float, float]:
        """(optimistic, pessimistic); 0 and 1 where it has none."""
        low = self._of(self.below).get_delta_for_epsilon(epsilon) if self.below else 0.0
        high = self._of(self.above).get_delta_for_epsilon(epsilon) if self.above else 1.0
        if self.renyi is not None:
            high = min(high, self.renyi.get_delta(epsilon))
        return float(low), float(high)

    def epsilon(self, delta: float) -> tuple[float, float]:
        """(optimistic, pessimistic); 0 and infinity where it has none."""
        low = self._of(self.below).get_epsilon_for_delta(delta) if self.below else 0.0
        high = self._of(self.above).get_epsilon_for_delta(delta) if self.above else inf
        if self.renyi is not None:
            high = min(high, self.renyi.get_epsilon(delta))
        return float(low), float(high)


class Told:
    """Counts, and lines for what must not happen."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()

    def tell(self, kind: str, question: str, words: str) -> None:
        self.counts[kind] += 1
        print(f"{kind}: {question} | {words}", flush=True)

    def judge(self, question: str, ours: tuple[float, float], theirs: tuple[float, float]) -> None:
        """Compare two intervals for one number."""
        (low, high), (least, most) = ours, theirs
        if high < least - SLACK - SHARE * abs(least):
            self.tell("UNSOUND", question, f"ours {ours}, theirs {theirs}")
        elif low > most + SLACK + SHARE * abs(most):
            self.tell("TOO HIGH", question, f"ours {ours}, theirs {theirs}")
        else:
            self.counts["tighter" if least <= low and high <= most else "overlapping"] += 1


def main() -> int:
    """Print every disagreement, and the counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lists", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    rng, told = random.Random(asked.seed), Told()
    source = lists(rng)
    for _ in range(asked.lists):
        parts, relation = next(source)
        compare(parts, relation, told)
    for _ in range(asked.lists // 2):
        enumerate_pair(rng, told)
    print(dict(told.counts))
    bad = ("UNSOUND", "TOO HIGH", "DISJOINT", "FAILS")
    return 1 if any(told.counts[kind] for kind in bad) else 0


def compare(parts: list[Part], relation: str, told: Told) -> None:
    """Ask both libraries the same questions about one list."""
    from metricdp.measures import account
    from metricdp.measures.text import parsed

    text = ", ".join(part.text for part in parts)
    guarantee = account(parsed(text), relation)
    peer = Peer(parts, relation)
    for quantity, values in (("delta", EPSILONS), ("epsilon", DELTAS)):
        for value in values:
            question = f"{quantity} at {value} of {text} ({relation})"
            try:
                found = getattr(guarantee, quantity)(value)
            except Exception as error:
                if type(error).__name__ != "NoAnswerError":
                    told.tell("FAILS", question, f"{type(error).__name__}: {error}")
                elif getattr(peer, quantity)(float(value))[1] < inf:
                    told.counts["only theirs"] += 1
                else:
                    told.counts["no answer"] += 1
                continue
            ours = float(found.lower), float(found.upper)
            told.judge(question, ours, getattr(peer, quantity)(float(value)))
            engines_alone(guarantee, quantity, value, found, question, told)


def engines_alone(
    guarantee: Any, quantity: str, value: str, found: Any, question: str, told: Told
) -> None:
    """Both engines by themselves, one direction at a time."""
    from metricdp.accounting.contour import engine as contour
    from metricdp.accounting.lattice import engine as discretised
    from metricdp.errors import UncertifiedError
    from metricdp.measures.reading import read

    reading = read(guarantee.event, guarantee.relation)
    if not reading.exact or reading.gap:
        return
    ends = []
    for side in reading.sides:
        brackets = []
        for engine in (contour, discretised):
            try:
                brackets.append(getattr(engine, quantity)(side.lower, Fraction(value)))
            except UncertifiedError:
                told.counts[f"{engine.__name__.rpartition('.')[2]} has no answer"] += 1
        if not brackets:
            return
        low, high = max(b.lower for b in brackets), min(b.upper for b in brackets)
        if low > high:
            told.tell("DISJOINT", question, f"contour {brackets[0]}, discretised {brackets[1]}")
        ends.append((low, high))
    if found.upper < max(low for low, _ in ends) or found.lower > max(high for _, high in ends):
        told.tell("DISJOINT", question, f"answer {found.interval}, engines alone {ends}")


def enumerate_pair(rng: random.Random, told: Told) -> None:
    """A random pair of finite laws, a few times: sums over all products of outcomes."""
    from metricdp.measures import Finite, Poisson, Repeated, account

    outcomes, rounds = rng.randint(2, 4), rng.randint(1, 6)
    while outcomes**rounds > MOST_OUTCOMES:
        rounds -= 1
    p, q = (_law(rng, outcomes) for _ in range(2))
    rate = rng.choice((Fraction(1), Fraction(rng.randint(1, 99), 100)))
    one = Finite(p, q, "add or remove")
    guarantee = account(Repeated(one if rate == 1 else Poisson(rate, one), rounds), "add or remove")
    mixed = [rate * a + (1 - rate) * b for a, b in zip(p, q, strict=True)]
    found = _products(mixed, q, rounds)
    shown = f"finite({[*map(str, p)]}, {[*map(str, q)]}), rate {rate}, x {rounds}"
    for value in EPSILONS:
        exact = _profile(found, float(value))
        answer = guarantee.delta(value)
        ours = float(answer.lower), float(answer.upper)
        told.judge(f"delta at {value} of {shown}", ours, (exact, exact))


def _law(rng: random.Random, outcomes: int) -> list[Fraction]:
    weights = [rng.choice((0, 1, rng.randint(1, 30))) for _ in range(outcomes)]
    weights[rng.randrange(outcomes)] += 1
    return [Fraction(w, sum(weights)) for w in weights]


def _products(p: list[Fraction], q: list[Fraction], rounds: int) -> list[tuple[Fraction, Fraction]]:
    found = [(Fraction(1), Fraction(1))]
    for _ in range(rounds):
        found = [(a * x, b * y) for a, b in found for x, y in zip(p, q, strict=True)]
    return found


def _profile(found: list[tuple[Fraction, Fraction]], epsilon: float) -> float:
    """The larger direction of sum (p - e^epsilon q)_+, in 40 digits."""
    import mpmath  # type: ignore[import-untyped]

    with mpmath.workdps(40):
        power = mpmath.exp(mpmath.mpf(epsilon))
        pairs = [
            (mpmath.mpf(a.numerator) / a.denominator, mpmath.mpf(b.numerator) / b.denominator)
            for a, b in found
        ]
        there = sum(max(mpmath.mpf(0), a - power * b) for a, b in pairs)
        back = sum(max(mpmath.mpf(0), b - power * a) for a, b in pairs)
        return float(max(there, back))


if __name__ == "__main__":
    raise SystemExit(main())
