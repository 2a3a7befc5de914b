"""Honest frequencies: where the draws of a mechanism fall in the law that its record states.

The distribution function of the record's law, at each draw and spread at random over an atom, is
uniform; its counts in equal cells are compared by chi-square.  Each mechanism is one test, which
fails on a correct sampler with probability 1e-9.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from math import floor
from random import Random
from typing import Any

from noise_checks import FALSE_ALARM, outcome
from scipy.stats import chi2

from attack.following import Drawn
from attack.losses import has_formula, spelt
from metricdp.families.recorded import Recorded
from metricdp.noise import SeededSource
from metricdp.record import REGISTRY
from metricdp.run.draws import perform

CELLS = 16
#: Draws of one request.
DRAWS = 32
#: Fewer draws than this decide nothing.
FEWEST = 320

Counts = dict[str, Counter[int]]


def watch(drawn: Drawn, rng: Random, counts: Counts) -> None:
    """More draws of a recorded request, counted by their ranks."""
    name = drawn.draw.mechanism
    law = _law(drawn)
    if law is None:
        return
    stated, ticks = law
    source = SeededSource(f"frequencies {rng.random()}")
    found = counts.setdefault(name, Counter())
    extra = tuple(sorted((key, repr(value)) for key, value in drawn.draw.extra.items()))
    key = (name, spelt(drawn.value), drawn.draw.scale, extra) if ticks else None
    for _ in range(DRAWS):
        released = perform(drawn.draw, drawn.value, source)
        at = floor(Fraction(released) * ticks + Fraction(1, 2)) if ticks else released
        low, high = _below(stated, at) if key is None else _kept(key, stated, at)
        found[min(CELLS - 1, int((low + (high - low) * rng.random()) * CELLS))] += 1


def _law(drawn: Drawn) -> tuple[Any, int] | None:
    """The record's law at the request, and ticks per unit; 0 for outcomes that are no numbers."""
    draw, value = drawn.draw, spelt(drawn.value)
    record = REGISTRY.get(draw.mechanism)
    if (
        record is None
        or record.law is None
        or (isinstance(value, list | dict) and not _finite(draw))
    ):
        return None
    if draw.family.reads_scores:
        return (record.law(value, draw.scale), 0) if _weighs(draw.mechanism) else None
    if draw.family.answers:
        return record.law(bool(value), draw.extra["epsilon"], tuple(range(draw.extra["k"]))), 0
    if isinstance(draw.family, Recorded):
        return (record.law(value, **draw.extra), 0) if draw.mechanism == "top_k" else None
    if not draw.scale:
        return None
    if not has_formula(draw):
        return draw.family.law(draw, value), 1
    ticks = 1
    if draw.family.adds and not draw.family.whole:
        while ticks * draw.scale < 8:
            ticks *= 2
    return record.law(Fraction(value) * ticks, draw.scale * ticks), ticks


def _finite(draw: Any) -> bool:
    return draw.family.reads_scores or isinstance(draw.family, Recorded)


def _weighs(name: str) -> bool:
    return name in ("exponential_mechanism", "permute_and_flip")


def _below(law: Any, at: Any) -> tuple[float, float]:
    """The share of the law below an outcome, and up to it."""
    support = law.support()
    if support is None:
        return 1 - float(law.tail(at)[1]), 1 - float(law.tail(at + 1)[0])
    at = outcome(law, at)
    low = sum(float(law.pmf(k)[0]) for k in support[: support.index(at)])
    return low, low + float(law.pmf(at)[0])


_KEPT: dict[Any, tuple[float, float]] = {}
#: Shares that are kept, of noise around a number: the same few numbers and scales come often.
_MOST = 200_000


def _kept(key: Any, law: Any, at: int) -> tuple[float, float]:
    if (key, at) not in _KEPT:
        if len(_KEPT) > _MOST:
            _KEPT.clear()
        _KEPT[key, at] = _below(law, at)
    return _KEPT[key, at]


def misfits(counts: Counts) -> list[str]:
    """The mechanisms whose draws do not follow their law."""
    found = []
    for name, cells in sorted(counts.items()):
        total = cells.total()
        if total < FEWEST:
            continue
        wanted = total / CELLS
        statistic = sum((cells[i] - wanted) ** 2 / wanted for i in range(CELLS))
        if statistic > chi2.isf(FALSE_ALARM, CELLS - 1):
            found.append(f"{name}: {total} draws do not follow the law of its record")
    return found
