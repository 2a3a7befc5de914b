"""Two laws that are to be compared: which kinds compare, and as what.

Outcomes of different kinds of laws are compared by their probabilities, where both have finitely
many.  What would give a number without a meaning is refused: values lumped above two different
thresholds, joint laws of different lengths with infinitely many outcomes, samples.
"""

from __future__ import annotations

from collections.abc import Hashable
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

from metricdp.errors import ParameterError
from metricdp.laws.empirical import EmpiricalLaw
from metricdp.laws.finite import EnclosedLaw
from metricdp.laws.grid import GridLaw, on_integers
from metricdp.laws.interval import ONE, outward, times
from metricdp.laws.lumped import lumped
from metricdp.laws.mixture import ProductLaw
from metricdp.laws.pushed import ClampedLaw
from metricdp.laws.thresholded import ThresholdedLaw, ThresholdedNumbersLaw, by_key
from metricdp.noise.enclose import Bounds

#: Joint outcomes of lumped entries that are listed.
_MANY = 1 << 14


def paired(p: Any, q: Any, quantity: str, at: Fraction | str | None = None) -> tuple[Any, Any]:
    """The two laws as laws that know each other's outcomes, with the same distances.

    Args:
        at: as for `thresholded.by_key`.

    Raises:
        ParameterError: no laws, samples, or kinds that do not compare.
    """
    for law in (p, q):
        if isinstance(law, EmpiricalLaw) or not hasattr(law, "support"):
            raise ParameterError(
                f"a {type(law).__name__} gives no probabilities",
                place=quantity,
                remedy="a law of metricdp.laws; of samples: metricdp.laws.distances.tv_from_samples"
                " and d_dp_from_samples",
            )
    p, q = on_integers(*_unclamped(p, q))
    if isinstance(p, ThresholdedNumbersLaw) or isinstance(q, ThresholdedNumbersLaw):
        return _keyed(p, q, quantity, at)
    if isinstance(p, ThresholdedLaw) or isinstance(q, ThresholdedLaw):
        _one_threshold(p, q, quantity)
    if isinstance(p, ProductLaw) != isinstance(q, ProductLaw) or _lengths(p) != _lengths(q):
        _finite(p, q, quantity)
        return _listed(p), _listed(q)
    return lumped(p, q) or (p, q)


def _unclamped(p: Any, q: Any) -> tuple[Any, Any]:
    """Laws on a grid whose ends were moved, without the move, where it tells as much apart."""
    laws = []
    for law in (p, q):
        if not isinstance(law, ClampedLaw) or not isinstance(law.law, GridLaw):
            return p, q
        grid, (low, high) = law.law, (law.low, law.high)
        # At most one point of the grid goes to each end.
        if grid.cdf(low - grid.step)[1] or grid.tail(high + grid.step)[1]:
            return p, q
        laws.append(grid)
    return (laws[0], laws[1]) if (p.low, p.high) == (q.low, q.high) else (p, q)


def _keyed(p: Any, q: Any, quantity: str, at: Fraction | str | None) -> tuple[Any, Any]:
    both = isinstance(p, ThresholdedNumbersLaw) and isinstance(q, ThresholdedNumbersLaw)
    found = by_key(p, q, at) if both else None
    if found is None:
        raise ParameterError(
            f"real values above a threshold, as {_kind(p)} and {_kind(q)} have them, are compared "
            "where noise and threshold are the same, and where no value of several keys, or of "
            "normal noise, is near the threshold or above it",
            place=quantity,
            remedy="compare the laws of their keys: law.keys()",
        )
    return found


def _lengths(law: Any) -> int | None:
    return len(law.parts) if isinstance(law, ProductLaw) else None


def _one_threshold(p: Any, q: Any, quantity: str) -> None:
    both = [
        (law.threshold, law.apart) if isinstance(law, ThresholdedLaw) else None for law in (p, q)
    ]
    if both[0] != both[1]:
        names = " and ".join(_kind(law) for law in (p, q))
        raise ParameterError(
            f"{names} call different events by one name: all values above a threshold are one "
            "outcome",
            place=quantity,
            remedy="compare laws of one threshold",
        )


def _kind(law: Any) -> str:
    if isinstance(law, ThresholdedLaw):
        return f"a ThresholdedLaw at {law.threshold}"
    if isinstance(law, ProductLaw):
        return f"a ProductLaw of {len(law.parts)}"
    return f"a {type(law).__name__}"


def _finite(p: Any, q: Any, quantity: str) -> None:
    if p.support() is None or q.support() is None:
        raise ParameterError(
            f"{_kind(p)} and {_kind(q)} do not compare, as one has infinitely many outcomes",
            place=quantity,
            remedy="compare joint laws of as many entries, or laws on finitely many outcomes",
        )


def _listed(law: Any) -> Any:
    if not isinstance(law, ProductLaw):
        return law
    outcomes: Any = law.support()
    return EnclosedLaw({outcome: law.pmf(outcome) for outcome in outcomes})


def differing_parts(p: Any, q: Any) -> tuple[Any, Any]:
    """Joint laws without the entries that are the same in both: they change no distance.

    One that is left stands alone; several are listed together where their outcomes can be lumped.
    """
    if not isinstance(p, ProductLaw) or not isinstance(q, ProductLaw):
        return p, q
    parts = [(a, b) for a, b in zip(p.parts, q.parts, strict=True) if a != b]
    if len(parts) == 1:
        a, b = on_integers(*parts[0])
        return lumped(a, b) or (a, b)
    found = [_entry(a, b) for a, b in parts]
    left, right = (ProductLaw(tuple(pair[i] for pair in found)) for i in (0, 1))
    return _joint(left, right) or (left, right)


def _entry(a: Any, b: Any) -> tuple[Any, Any]:
    a, b = on_integers(a, b)
    if a.support() is not None and b.support() is not None:
        return a, b
    return lumped(a, b, alone=True) or (a, b)


def _joint(p: ProductLaw, q: ProductLaw) -> tuple[EnclosedLaw, EnclosedLaw] | None:
    """Both on the outcomes that either has; None where these are not listed."""
    entries = []
    for a, b in zip(p.parts, q.parts, strict=True):
        supports: Any = a.support(), b.support()
        if supports[0] is None or supports[1] is None:
            return None
        entries.append(tuple(dict.fromkeys((*supports[0], *supports[1]))))
    if prod(map(len, entries)) > _MANY:
        return None

    def joint(law: ProductLaw) -> EnclosedLaw:
        known = [
            {x: part.pmf(x) for x in entry} for part, entry in zip(law.parts, entries, strict=True)
        ]
        found: dict[Hashable, Bounds] = {}
        for outcome in product(*entries):
            mass = ONE
            for masses, x in zip(known, outcome, strict=True):
                mass = outward(times(mass, masses[x]), 1024)
            found[outcome] = mass
        return EnclosedLaw(found)

    return joint(p), joint(q)
