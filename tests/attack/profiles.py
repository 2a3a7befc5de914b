"""Whether epsilon at a delta, as the accountant reads it, is below what the output laws have.

For programs whose draws add Laplace or Gaussian noise and do not depend on each other's outputs.
The law of all outputs is then a mixture, over the samples of rows, of products of noise laws; delta
at an epsilon is E_P[(1 - e^epsilon q / p)_+], estimated by drawing from P, with six standard errors
to spare.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np

from attack.following import Outputs, Run, follow, record
from attack.losses import has_formula, is_laplace, numbers
from metricdp.errors import MetricdpError

#: Deltas that are compared with what is computed, where no rows are sampled.
SMALL = (Fraction(1, 10**3), Fraction(1, 10**5), Fraction(1, 10**8))
#: Losses are rounded down to multiples of this, and this is what sums may be off by.
STEP, OFF = 1 / 512, 1e-12
DRAWS = 40_000
#: Deltas that are large enough to be estimated.
DELTAS = (Fraction(1, 3), Fraction(1, 10), Fraction(1, 50), Fraction(1, 500))


def read_too_low(
    function: Any, guarantee: Any, entry: Any, distance: Fraction, x: Mapping[str, Any],
    y: Mapping[str, Any], env: Mapping[str, Fraction], rng: Random,
) -> str:  # fmt: skip
    """What is wrong with epsilon at some delta; "" if nothing is, or if it is not known here."""
    tapes = [record(function, x, Outputs("drawn", f"{rng.random()}"), []).drawn for _ in range(2)]
    draws = [d.draw for d in tapes[0]]
    if not draws or len(tapes[0]) != len(tapes[1]):
        return ""
    if not all(has_formula(draw) and draw.scale for draw in draws):
        return ""
    sides = []
    for given in (x, y):
        one, two = (list(follow(function, given, tape)) for tape in tapes)
        if any(run.extra or run.result.startswith("error") for run in (*one, *two)):
            return ""
        if [_places(run) for run in one] != [_places(run) for run in two]:
            return ""  # a later draw depends on an earlier output
        sides.append(one)
    alone = all(len(side) == 1 for side in sides)
    delta = rng.choice(SMALL if alone and rng.random() < 0.7 else DELTAS)
    try:
        epsilon = float(guarantee.certified(entry.name, delta, env, distance).epsilon)
    except MetricdpError:
        return ""
    if delta in SMALL:
        least = delta_from_below(sides[0][0], sides[1][0], epsilon)
    else:
        least = _delta(sides[0], sides[1], epsilon, rng.randrange(1 << 30))
    if least <= float(delta) * (1 + 1e-6):
        return ""
    return f"epsilon is read as {epsilon:.6g} at delta {float(delta):.6g}, which is {least:.6g}"


def _places(run: Run) -> list[tuple[Any, Any, list[Fraction]]]:
    return [(d.draw.mechanism, d.draw.scale, numbers(d.draw, d.value)) for d in run.drawn]


def delta_from_below(one: Run, two: Run, epsilon: float) -> float:
    """No more than delta at epsilon of the first law against the second one: what each number
    loses is rounded down, and their sums are the losses of all."""
    law = np.ones(1)
    first = 0
    for a, b in zip(one.drawn, two.drawn, strict=True):
        x, y = numbers(a.draw, a.value), numbers(b.draw, b.value)
        if len(x) != len(y):
            return 1.0
        for move in (abs(float((v - w) / a.draw.scale)) for v, w in zip(x, y, strict=True)):
            if move > 8:
                return 0.0  # more than is computed here
            if move:
                place, found = _losses(a.draw, move)
                law, first = np.convolve(law, found), first + place
    over = (first + np.arange(len(law))) * STEP - epsilon
    return float((law * np.maximum(0.0, 1 - np.exp(-np.maximum(over, 0.0)))).sum()) - OFF


def _losses(draw: Any, move: float) -> tuple[int, Any]:
    """The first multiple of a step, and the chances of losses from each one to the next.

    Args:
        move: in scales of the noise.
    """
    from scipy.stats import norm

    if draw.family.whole:
        scale = float(draw.scale)
        places = np.arange(-int(40 * scale) - 2, int(40 * scale) + 3)
        shift = round(move * scale)
        z, other = places / scale, (places + shift) / scale
        logs = -abs(z) if is_laplace(draw) else -z * z / 2
        others = -abs(other) if is_laplace(draw) else -other * other / 2
        chances = np.exp(logs)
        steps = np.floor((logs - others) / STEP + 1e-9).astype(int)
        first = int(steps.min())
        found = np.bincount(steps - first, weights=chances / chances.sum())
        return first, found
    if is_laplace(draw):
        most = int(move / STEP) + 2
        ends = np.arange(-most, most + 2) * STEP
        at_least = np.where(
            ends <= -move, 1.0, np.where(ends > move, 0.0, 1 - np.exp((ends - move) / 2) / 2)
        )
        return -most, at_least[:-1] - at_least[1:]
    most = int((move * move / 2 + 9 * move) / STEP) + 2
    ends = np.arange(-most, most + 2) * STEP
    at_least = norm.sf((ends - move * move / 2) / move)
    return -most, at_least[:-1] - at_least[1:]


def _delta(one: list[Run], two: list[Run], epsilon: float, seed: int) -> float:
    """delta at epsilon of the first law against the second one, less six standard errors."""
    origin = [[*map(float, found)] for _, _, found in _places(one[0])]
    scales, kinds = [], []
    for drawn, found in zip(one[0].drawn, origin, strict=True):
        kind = (is_laplace(drawn.draw), drawn.draw.family.whole)
        scales += [float(drawn.draw.scale)] * len(found)
        kinds += [kind] * len(found)
    (p_chances, p), (q_chances, q) = _mixture(one, one[0]), _mixture(two, one[0])
    if p.shape[1:] != q.shape[1:]:
        return 1.0
    rng = np.random.default_rng(seed)
    which = rng.choice(len(p), size=DRAWS, p=p_chances / p_chances.sum())
    noise = [_noise(rng, scale, *kind) for scale, kind in zip(scales, kinds, strict=True)]
    drawn = p[which] + np.stack(noise, axis=1) if noise else p[which]
    laplace = np.array([kind[0] for kind in kinds], bool)
    ratio = _log_density(drawn, q_chances, q, np.array(scales), laplace) - _log_density(
        drawn, p_chances, p, np.array(scales), laplace
    )
    lost = np.maximum(0.0, 1 - np.exp(np.minimum(epsilon + ratio, 1.0)))
    return float(lost.mean() - 6 * lost.std() / DRAWS**0.5)


def _mixture(runs: list[Run], origin: Run) -> tuple[Any, Any]:
    """Chances, and where the noise is added, as movements from the first run of the first law."""
    start = [v for _, _, found in _places(origin) for v in found]
    rows = []
    for run in runs:
        here = [v for _, _, found in _places(run) for v in found]
        if len(here) != len(start):
            return np.array([1.0]), np.zeros((1, 0))
        rows.append([float(a - b) for a, b in zip(here, start, strict=True)])
    return np.array([float(run.chance) for run in runs]), np.array(rows)


def _noise(rng: Any, scale: float, laplace: bool, whole: bool) -> Any:
    if not whole:
        return (rng.laplace if laplace else rng.normal)(0, scale, DRAWS)
    far = int(40 * scale) + 2
    places = np.arange(-far, far + 1)
    z = places / scale
    shares = np.exp(-abs(z) if laplace else -z * z / 2)
    return rng.choice(places, size=DRAWS, p=shares / shares.sum())


def _log_density(drawn: Any, chances: Any, centres: Any, scales: Any, laplace: Any) -> Any:
    terms = []
    for chance, centre in zip(chances, centres, strict=True):
        z = (drawn - centre) / scales
        each = np.where(laplace, -abs(z), -z * z / 2).sum(axis=1)
        terms.append(np.log(chance) + each)
    return np.logaddexp.reduce(np.stack(terms), axis=0)
