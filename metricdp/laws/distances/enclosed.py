"""Distances between laws on integers or finitely many outcomes whose masses are irrational.

The enclosures are those of `laws.divergence`.  For distances that move mass, enclosed masses are
replaced by rational ones: that changes each law by a total variation `off`, hence the Prokhorov
distance by at most the sum of both, and the earth mover's by the diameter times it.
"""

from __future__ import annotations

from fractions import Fraction
from math import inf
from typing import Any

from metricdp.laws.discrete import DiscreteGaussianLaw, DiscreteLaplaceLaw
from metricdp.laws.distances.distance import Distance, Extended
from metricdp.laws.distances.finite import Masses, masses, outcomes
from metricdp.laws.distances.reading import no_metric, not_available
from metricdp.laws.distances.transport import earth_mover, prokhorov
from metricdp.laws.divergence import hockey_stick, max_divergence
from metricdp.laws.finite import EnclosedLaw
from metricdp.laws.grid import GridLaw
from metricdp.laws.rounded import RoundedLaw
from metricdp.laws.space import FiniteSpace
from metricdp.laws.thresholded import ThresholdedLaw
from metricdp.noise.enclose import Bounds
from metricdp.noise.kept import ln_bounds

_CLOSED = "closed form"
#: Laws on the integers, in units of their grid's step.
INTEGERS = DiscreteLaplaceLaw | DiscreteGaussianLaw | RoundedLaw


def from_bounds(found: Bounds | Extended, how: str = _CLOSED) -> Distance:
    """A `Distance` of an enclosure, or of infinity."""
    return Distance(inf, inf, how) if not isinstance(found, tuple) else Distance(*found, how)


def enclosed_ratio(p: Any, q: Any) -> Distance:
    """Max divergence."""
    p, q = aligned_laws(p, q)
    return from_bounds(max_divergence(p, q))


def enclosed_excess(p: Any, q: Any, factor: Fraction) -> Distance:
    """P(S) - factor Q(S) at its largest."""
    p, q = aligned_laws(p, q)
    if factor < 1:
        if not factor:
            return Distance(Fraction(1), Fraction(1))
        back = enclosed_excess(q, p, 1 / factor)
        low, high = (factor * Fraction(x) + 1 - factor for x in (back.low, back.high))
        return Distance(low, high, _CLOSED)
    # It falls in epsilon, and epsilon = ln factor is enclosed.
    low, high = ln_bounds(factor)
    loss = hockey_stick(p, q, max(Fraction(0), low))
    return from_bounds((hockey_stick(p, q, high)[0] if factor > 1 else loss[0], loss[1]))


def aligned_laws(p: Any, q: Any) -> tuple[Any, Any]:
    """Laws of two kinds on finitely many outcomes as laws that know each other's outcomes."""
    if type(p) is type(q) and len(getattr(p, "parts", ())) == len(getattr(q, "parts", ())):
        return p, q
    supports = p.support(), q.support()
    # What compares with values above a threshold is decided in `laws.pairs`.
    if (
        isinstance(p, ThresholdedLaw)
        or isinstance(q, ThresholdedLaw)
        or any(s is None for s in supports)
    ):
        return p, q
    left, right = (
        EnclosedLaw({x: law.pmf(x) for x in s}) for law, s in zip((p, q), supports, strict=True)
    )
    return left, right


def enclosed_move(p: Any, q: Any, space: FiniteSpace | None, prokhorov_wanted: bool) -> Distance:
    """Earth mover's or Prokhorov distance."""
    name = "d_wc" if prokhorov_wanted else "d_em"
    if isinstance(p, INTEGERS) and isinstance(q, INTEGERS) and space is None:
        if prokhorov_wanted:
            # Different integers are at distance >= 1, and no Prokhorov distance is above 1: a move
            # that counts is any move, so it is the total variation.
            return enclosed_excess(p, q, Fraction(1))
        shift = _shift(p, q)
        if shift is None:
            raise not_available(name, p, q)
        return Distance(shift, shift, _CLOSED)
    left, right = _rational(p), _rational(q)
    if left is None or right is None:
        cut = all(isinstance(law, GridLaw | INTEGERS) for law in (p, q)) and space is None
        remedy = (
            "clamp both: clamp(law, lower, upper) has finitely many outcomes, and moves only what"
            " lies outside"
        )
        raise not_available(name, p, q, remedy if cut else "")
    (here, off), (there, other) = left, right
    if space is None:
        try:
            space = FiniteSpace.line(outcomes(here, there))
        except (TypeError, ValueError):
            raise no_metric(name) from None
    value = (prokhorov if prokhorov_wanted else earth_mover)(here, there, space)[0]
    slack = (off + other) * (1 if prokhorov_wanted else space.diameter)
    return Distance(max(Fraction(0), value - slack), value + slack, "enclosed masses")


def _shift(p: Any, q: Any) -> Fraction | None:
    """|m| when q is p moved by an integer m: moving everything by m is optimal on the line."""
    shift = Fraction(p.center - q.center)
    fields = {name: getattr(p, name) for name in p.__struct_fields__ if name != "center"}
    same = type(p) is type(q) and all(getattr(q, name) == x for name, x in fields.items())
    return abs(shift) if same and shift.denominator == 1 else None


def _rational(law: Any) -> tuple[Masses, Fraction] | None:
    """Rational masses, and their total variation from the law at most."""
    exact = masses(law)
    if exact is not None:
        return exact, Fraction(0)
    support = law.support() if hasattr(law, "support") else None
    if support is None:
        return None
    enclosures = {x: law.pmf(x) for x in support}
    found = {x: (low + high) / 2 for x, (low, high) in enclosures.items()}
    width = sum((high - low for low, high in enclosures.values()), Fraction(0))
    largest = max(found, key=found.__getitem__)
    rest = 1 - sum(found.values(), Fraction(0))
    found[largest] += rest
    return found, (width / 2 + abs(rest)) / 2
