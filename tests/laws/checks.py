"""Draws and requests for draws against the law that a record states at the noise of its event.

Three questions, each with its own power: whether what was asked for has that law (exactly, from
`Family.law`), whether what came out follows it (chi-square at a false-alarm rate of 1e-9), and
whether draws are independent of each other (contingency tables at 1e-9; equal noise).
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from math import floor
from typing import Any

import msgspec
import numpy
from laws.paths import Asked
from noise_checks import FALSE_ALARM, chi_square, follows, middle, outcome, quarters
from scipy.stats import chi2, norm

from metricdp.accounting.gaussian import analytic_sigma
from metricdp.audit.mechanisms import law_of
from metricdp.audit.records import conclusion_of
from metricdp.expr import num
from metricdp.families.added import Added
from metricdp.laws import GridLaw, ProductLaw, binned
from metricdp.run.emit import LogEntry

#: Two laws are one where no probability differs by more: grids round by less.
SAME = 1e-6
#: Choices that compare noisy scores on a grid of the run's own; ticks per unit that are as fine.
COMPARING, TICKS = ("above_threshold", "report_noisy_max"), 2**30
#: Ticks per scale of continuous noise, at least.
FINE = 8


def event_of(asked: Asked) -> Any:
    """The event of the rule: what was proved, and what the exact attacks attack."""
    (event,) = conclusion_of(asked.record, asked.instance).events
    return event


def noise_scale(asked: Asked) -> Fraction:
    """Scale or standard deviation of additive noise, as the event states it; a bound counts 1."""
    bound = num(Fraction(asked.instance.public.get("s", 1)))
    stated = {
        name: Fraction(value.subs({"_bound": bound}).upper({}))
        for name, value in event_of(asked).noise.items()
    }
    known = stated.get("scale", stated.get("sigma"))
    if known is not None:
        return known
    return stated["bound"] * analytic_sigma(stated["epsilon"], stated["delta"])


def ticks_of(asked: Asked) -> int:
    """Ticks per unit on which additive noise is compared; 1 for whole noise and for choices."""
    family = asked.record.family
    if not isinstance(family, Added) or family.whole:
        return 1
    scale, ticks = noise_scale(asked), 1
    while ticks * scale < FINE:
        ticks *= 2
    return ticks


def around(asked: Asked, centre: Any) -> Any:
    """The record's law of additive noise around a number, in ticks."""
    ticks = ticks_of(asked)
    law = asked.record.law
    assert law is not None
    return law(centre * ticks, noise_scale(asked) * ticks)


def proved(asked: Asked) -> Any:
    """The law of a release as the record states it, for any mechanism."""
    if asked.record.name in COMPARING:
        return _compared(asked)
    if not isinstance(asked.record.family, Added) or not asked.record.family.norm:
        return law_of(asked.record, asked.instance, event_of(asked), {asked.argument: asked.value})
    if isinstance(asked.value, list):
        return ProductLaw(tuple(around(asked, Fraction(v)) for v in asked.value))
    return around(asked, Fraction(asked.value))


def _compared(asked: Asked) -> Any:
    """Choices on whole scores, in ticks so fine that scores are compared as if on the line."""
    noise = {
        name: value.subs({"_bound": num(1)}) * (TICKS if name.endswith("scale") else 1)
        for name, value in event_of(asked).noise.items()
    }
    event = msgspec.structs.replace(event_of(asked), noise=noise)
    public = {n: v * TICKS if n == "threshold" else v for n, v in asked.instance.public.items()}
    instance = msgspec.structs.replace(asked.instance, public=public)
    scores = [v * TICKS for v in asked.value]
    return law_of(asked.record, instance, event, {asked.argument: scores})


def asks(asked: Asked, log: list[LogEntry]) -> None:
    """Whether every request has the proved law, exactly."""
    first = log[0]
    assert all(entry.draw == first.draw for entry in log)
    assert same(proved(asked), first.draw.family.law(first.draw, first.value), asked)


def same(law: Any, other: Any, asked: Asked) -> bool:
    """Whether the law of a request agrees with the proved one to `SAME`."""
    if isinstance(law, ProductLaw):
        alike = isinstance(other, ProductLaw) and len(law.parts) == len(other.parts)
        return alike and all(same(p, q, asked) for p, q in zip(law.parts, other.parts, strict=True))
    if law.support() is not None:
        p, q = shares(law), shares(other)
        if not p.keys() & q.keys():
            q = dict(enumerate(q.values()))  # positions in one, the answers themselves in the other
        gaps = [p.get(k, 0) - q.get(k, 0) for k in p.keys() | q.keys()]
    elif "lower" in asked.instance.public:
        low, high = (asked.instance.public[name] for name in ("lower", "upper"))
        points = [Fraction(low * (12 - i) + high * i, 12) for i in range(13)]
        gaps = [middle(law.tail(x)) - middle(other.tail(x)) for x in points]
    elif isinstance(law, GridLaw):
        points = [k * law.step for k in quarters(law.law)]
        gaps = [middle(law.tail(x)) - middle(other.tail(x)) for x in points]
    else:
        ticks = ticks_of(asked)
        # A tick of the coarser grid takes half a tick on each side.
        half = Fraction(1, 2) if isinstance(other, GridLaw) else 0
        gaps = [
            middle(law.tail(k)) - middle(other.tail(Fraction(k - half) / ticks))
            for k in quarters(law)
        ]
    return all(abs(gap) <= SAME for gap in gaps)


def shares(law: Any) -> dict[Any, float]:
    """Probabilities by outcome."""
    return {k: middle(law.pmf(k)) for k in law.support()}


def fits(asked: Asked, values: list[Any]) -> None:
    """Whether releases follow the proved law."""
    law, ticks = proved(asked), ticks_of(asked)
    if isinstance(law, ProductLaw):
        for i, part in enumerate(law.parts):
            follows(part, [_tick(v[i], ticks) for v in values])
    elif "lower" in asked.instance.public:
        low, high = (asked.instance.public[name] for name in ("lower", "upper"))
        edges = list(range(low + 1, high))
        follows(binned(law, edges), [sum(e <= v for e in edges) for v in values])
    elif isinstance(asked.record.family, Added):
        follows(law, [_tick(v, ticks) for v in values])
    else:
        follows(law, [_position(asked, law, v) for v in values])


def _tick(value: Any, ticks: int) -> int:
    return floor(Fraction(value) * ticks + Fraction(1, 2))


def _position(asked: Asked, law: Any, value: Any) -> Any:
    """The outcome that a release is; a position where the law is one of positions."""
    found = outcome(law, value)
    answers = list(
        asked.instance.public.get("choices", asked.instance.public.get("candidates", ()))
    )
    if not answers and isinstance(value, bool):
        answers = [False, True]
    return answers.index(value) if found in answers and law.support()[0] == 0 else found


def independent(noise: Any) -> None:
    """Whether numbers are uncorrelated with those any number of places later, and their sizes, too.

    Autocorrelations at all lags of quarters of the ranks: n of them at 1e-9 together.
    """
    found = numpy.asarray(noise, dtype=float)
    cuts = sorted(set(numpy.quantile(found, (0.25, 0.5, 0.75), method="higher")))
    cells = numpy.searchsorted(cuts, found, side="right")
    for score in (cells, numpy.isin(cells, (1, 2))):
        z = score - score.mean()
        if not z.any():
            continue
        spectrum = numpy.fft.rfft(z / z.std(), 2 * len(z))
        lagged = numpy.fft.irfft(abs(spectrum) ** 2)[1 : len(z)] / len(z) ** 0.5
        assert abs(lagged).max() <= norm.isf(FALSE_ALARM / 2 / len(z)), lagged.argmax() + 1


def contingent(first: Any, second: Any) -> None:
    """Chi-square of a contingency table; categories that are rare are pooled."""
    first, second = (_common(numpy.asarray(x)) for x in (first, second))
    kinds = max(int(first.max()), int(second.max())) + 1
    table = numpy.zeros((kinds, kinds))
    numpy.add.at(table, (first, second), 1)
    table = table[table.sum(1) > 0][:, table.sum(0) > 0]
    rows, columns = table.sum(1), table.sum(0)
    freedom = (len(rows) - 1) * (len(columns) - 1)
    if freedom < 1:
        return
    wanted = numpy.outer(rows, columns) / table.sum()
    statistic = float(((table - wanted) ** 2 / wanted).sum())
    assert statistic <= chi2.isf(FALSE_ALARM, freedom), table.tolist()


def _common(cells: Any) -> Any:
    """Numbers of categories, the rare ones as one, so that every expected count is 10 or more."""
    kinds, numbers, counts = numpy.unique(cells, return_inverse=True, return_counts=True)
    rare = counts < (10 * len(cells)) ** 0.5
    names = numpy.where(rare, len(kinds), numpy.arange(len(kinds)))
    return numpy.unique(names[numbers], return_inverse=True)[1]


def spread(noise: list[Any], law: Any, ticks: int) -> None:
    """Many draws of additive noise around 0: their law, and that they are independent."""
    numbers = numpy.asarray([float(z) for z in noise])
    places = numpy.floor(numbers * ticks + 0.5)
    edges = quarters(law)
    above = [len(places), *(int((places >= e).sum()) for e in edges), 0]
    tails = [1.0, *(middle(law.tail(e)) for e in edges), 0.0]
    chi_square([a - b for a, b in pairwise(above)], [a - b for a, b in pairwise(tails)])
    independent(numbers)
