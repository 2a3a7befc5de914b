"""What one draw loses between two inputs: exactly, from its family or from its record's law."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import exp, inf, log
from typing import Any

import numpy as np
from noise_checks import outcome

from metricdp.errors import MetricdpError
from metricdp.families.containers import flatten
from metricdp.families.discrete_gaussian import DISCRETE_GAUSSIAN
from metricdp.families.discrete_laplace import DISCRETE_LAPLACE
from metricdp.families.family import Draw
from metricdp.families.gaussian import GAUSSIAN
from metricdp.families.laplace import LAPLACE
from metricdp.noise.grid import to_ticks

#: Choices by noise, whose probabilities are integrated.
NOISY = ("above_threshold", "report_noisy_max")
#: Scores that are further apart, in scales, are not compared.
WIDEST = 300
#: Far, in scales of the noise: beyond every movement of small data.
FAR = 200


def numbers(draw: Draw, value: Any) -> list[Fraction]:
    """The numbers that entered additive noise, as the noise sees them."""
    found = list(flatten(value))
    return [Fraction(to_ticks(x, 0)) for x in found] if draw.family.whole else found


def steps(draw: Draw, value: Any, other: Any) -> list[Fraction] | None:
    """By how much each number moved; None for another count of them."""
    a, b = numbers(draw, value), numbers(draw, other)
    return [y - x for x, y in zip(a, b, strict=True)] if len(a) == len(b) else None


def has_formula(draw: Draw) -> bool:
    """Whether noise is one of the four that are known here by heart; others are asked their law."""
    return draw.family in (LAPLACE, DISCRETE_LAPLACE, GAUSSIAN, DISCRETE_GAUSSIAN)


def is_laplace(draw: Draw) -> bool:
    """Whether added noise is Laplace noise; Gaussian noise if not, and an error for a third."""
    if draw.family in (LAPLACE, DISCRETE_LAPLACE):
        return True
    assert draw.family in (GAUSSIAN, DISCRETE_GAUSSIAN), draw
    return False


def far(draw: Draw, value: Any, drawn: Any, sides: list[int]) -> Any:
    """An output that lies far on the given side of what entered, of the same kind as `drawn`."""
    if not draw.family.adds or not draw.scale or not any(sides):
        return drawn
    inputs = numbers(draw, value)
    placed = iter(
        _placed(draw, x + sides[i % len(sides)] * FAR * draw.scale)
        if sides[i % len(sides)]
        else None
        for i, x in enumerate(inputs)
    )

    def instead(number: Any) -> Any:
        found = next(placed)
        return (
            number if found is None else (int(found) if isinstance(number, int) else float(found))
        )

    return _replaced(drawn, instead)


def _placed(draw: Draw, number: Fraction) -> Any:
    return round(number) if draw.family.whole else number


def _replaced(drawn: Any, instead: Any) -> Any:
    if isinstance(drawn, tuple):
        return tuple(_replaced(part, instead) for part in drawn)
    if hasattr(drawn, "dtype") and getattr(drawn, "ndim", 0):
        found = [instead(x) for x in drawn.ravel().tolist()]
        return np.array(found, drawn.dtype).reshape(drawn.shape)
    return instead(drawn)


def _norm(draw: Draw, moved: list[Fraction]) -> tuple[Fraction, Fraction]:
    """(sum of the movements, sum of their squares), in scales."""
    absolute = sum((abs(s) for s in moved), Fraction(0))
    return absolute / draw.scale, sum((s * s for s in moved), Fraction(0)) / draw.scale**2


def pure(draw: Draw, value: Any, other: Any, output: Any = None) -> float:
    """The largest log-ratio of the two output laws, over all outputs.

    Of a law that is neither additive nor finite, the one at the output that was drawn.
    """
    if same(value, other):
        return 0.0
    if has_formula(draw):
        moved = steps(draw, value, other)
        if moved is None or not draw.scale:
            return inf
        if not any(moved):
            return 0.0
        return float(_norm(draw, moved)[0]) if is_laplace(draw) else inf
    p, q = shares(draw, value), shares(draw, other)
    if not p or not q:
        return _at(draw, value, other, output)
    if draw.mechanism in NOISY:
        common = (_log(a, q[k]) for k, a in p.items() if min(a, q[k]) > 1e-6)
        return max(0.0, *common, 0.0) * (1 - 1e-3) - 1e-3
    return max((_log(a, q.get(k, 0.0)) for k, a in p.items() if a > 0), default=0.0)


def _at(draw: Draw, value: Any, other: Any, output: Any) -> float:
    if draw.family.reads_scores or not isinstance(output, int | float):
        return 0.0
    try:
        a, b = log_density(draw, value, output), log_density(draw, other, output)
    except MetricdpError:
        return 0.0
    return abs(a - b) if max(a, b) > -inf else 0.0


def concentrated(draw: Draw, value: Any, other: Any) -> float:
    """The Kullback-Leibler divergence, which a rho bounds; rho itself for Gaussian noise."""
    if same(value, other):
        return 0.0
    if has_formula(draw):
        moved = steps(draw, value, other)
        if moved is None or (not draw.scale and any(moved)):
            return inf
        if not any(moved):
            return 0.0
        if not is_laplace(draw):
            return float(_norm(draw, moved)[1]) / 2
        if draw.family.whole:
            return 0.0
        return sum(float(m) - 1 + exp(-float(m)) for m in (abs(s) / draw.scale for s in moved))
    p, q = shares(draw, value), shares(draw, other)
    if not p or not q or draw.mechanism in NOISY:
        return 0.0
    return sum(a * _log(a, q.get(k, 0.0)) for k, a in p.items() if a > 0)


def squares(draw: Draw, value: Any, other: Any) -> float:
    """The squared movement of Gaussian noise, in standard deviations; 0 for other noise."""
    if not has_formula(draw) or is_laplace(draw) or same(value, other):
        return 0.0
    moved = steps(draw, value, other)
    if moved is None or (not draw.scale and any(moved)):
        return inf
    return float(_norm(draw, moved)[1]) if any(moved) else 0.0


def log_density(draw: Draw, value: Any, output: Any) -> float:
    """ln of the density of an output, but for what does not depend on the input."""
    if has_formula(draw):
        inputs, outputs = numbers(draw, value), [Fraction(o) for o in _flat(output)]
        if len(inputs) != len(outputs):
            return -inf
        if not draw.scale:
            return 0.0 if inputs == outputs else -inf
        apart = [(o - x) / draw.scale for x, o in zip(inputs, outputs, strict=True)]
        if is_laplace(draw):
            return -float(sum(map(abs, apart)))
        return -float(sum(z * z for z in apart)) / 2
    if draw.mechanism in NOISY:
        return log(max(shares(draw, value).get(_hashable(output), 0.0), 1e-12))
    law = _law(draw, value)
    low, high = law.pmf(outcome(law, _hashable(output)))
    middle = float((low + high) / 2)
    return log(middle) if middle > 0 else -inf


def shares(draw: Draw, value: Any) -> dict[Any, float]:
    """The probabilities of the outcomes of a draw that has finitely many; {} where none is known.

    Choices by noise are integrated on a grid (to 1e-4), the others are exact.
    """
    if draw.family.reads_scores or draw.mechanism == "top_k":
        scores = [float(x) for x in flatten(value)]
        if draw.scale and max(scores) - min(scores) > WIDEST * float(draw.scale):
            return {}
        if draw.mechanism == "report_noisy_max" and draw.scale:
            return _noisy_max(scores, float(draw.scale))
        if draw.mechanism == "above_threshold" and draw.scale:
            return _first_above(draw, scores)
    law = _law(draw, value)
    support = law.support()
    if support is None:
        return {}
    return {k: float(sum(law.pmf(k)) / 2) for k in support}


def _noisy_max(scores: list[float], scale: float) -> dict[Any, float]:
    z = np.linspace(min(scores) - 30 * scale, max(scores) + 30 * scale, 6001)
    below = [_below((z - s) / scale) for s in scores]
    width = (z[1] - z[0]) / scale
    found = {}
    for i, s in enumerate(scores):
        others = np.prod([b for j, b in enumerate(below) if j != i], axis=0)
        found[i] = float((np.exp(-abs(z - s) / scale) / 2 * others).sum() * width)
    return found


def _first_above(draw: Draw, scores: list[float]) -> dict[Any, float]:
    if draw.extra.get("reports") is not None:
        return {}
    scale, each = float(draw.scale), float(draw.extra["query_scale"])
    level = float(draw.extra["threshold"])
    t = np.linspace(level - 30 * scale, level + 30 * scale, 6001)
    rest = np.exp(-abs(t - level) / scale) / 2 * (t[1] - t[0]) / scale
    found: dict[Any, float] = {}
    for i, s in enumerate(scores):
        low = _below((t - s) / each)
        found[i], rest = float((rest * (1 - low)).sum()), rest * low
    return {**found, None: float(rest.sum())}


def _below(c: Any) -> Any:
    """P(z < c) of Laplace noise of scale 1."""
    tail = np.exp(-abs(c)) / 2
    return np.where(c < 0, tail, 1 - tail)


def _law(draw: Draw, value: Any) -> Any:
    return draw.family.law(draw, value)


def same(value: Any, other: Any) -> bool:
    """Whether two inputs are equal, arrays and exact numbers included."""
    return spelt(value) == spelt(other)


def spelt(value: Any) -> Any:
    """An input as lists and exact numbers."""
    if isinstance(value, str) or value is None:
        return value
    if hasattr(value, "items"):
        return {key: spelt(each) for key, each in value.items()}
    if hasattr(value, "__len__"):
        return [spelt(each) for each in value]
    return value


def _hashable(answer: Any) -> Any:
    plain = answer.tolist() if hasattr(answer, "tolist") else answer
    return tuple(plain) if isinstance(plain, list) else plain


def _flat(value: Any) -> Any:
    if hasattr(value, "ravel"):
        yield from value.ravel().tolist()
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _flat(part)
    else:
        yield value


@lru_cache(4096)
def _log(a: float, b: float) -> float:
    return log(a / b) if b > 0 else inf
