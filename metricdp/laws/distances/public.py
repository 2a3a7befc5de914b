"""The four distances of the DP, TV, EM and WC topologies, for any pair of laws.

Each tries, in this order: exact rationals for finite laws; exact rationals for laws of steps on the
line; closed forms and certified roots for parametric laws; a typed refusal.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from metricdp.errors import ParameterError
from metricdp.laws.distances.distance import Distance, RatioDistance
from metricdp.laws.distances.enclosed import enclosed_excess, enclosed_move, enclosed_ratio
from metricdp.laws.distances.finite import (
    Masses,
    best_event_at,
    both,
    one_sided_ratio,
    outcomes,
    symmetric_ratio,
)
from metricdp.laws.distances.line_excess import line_excess, line_ratio, line_ratio_both_ways
from metricdp.laws.distances.line_moves import line_earth_mover, line_prokhorov
from metricdp.laws.distances.prokhorov_line import prokhorov_line
from metricdp.laws.distances.reading import no_metric, read_laws, require_space
from metricdp.laws.distances.steps import area_between, compared, steps_of, steps_of_both
from metricdp.laws.distances.transport import earth_mover, prokhorov
from metricdp.laws.law import LineLaw
from metricdp.laws.numbers import share
from metricdp.laws.space import FiniteSpace


def d_dp(p: Any, q: Any) -> RatioDistance | Distance:
    """sup over events of |ln P(S)/Q(S)|: the differential privacy distance, an extended metric.

    Infinite when an event has probability 0 under one law only.  A `RatioDistance`, whose ratio is
    exact, for finite laws and laws of steps; a `Distance` otherwise.

    Raises:
        ParameterError: no formula for the pair; samples, from which no upper bound follows.

    >>> d_dp({"yes": "3/4", "no": "1/4"}, {"yes": "1/4", "no": "3/4"})
    ln(3)
    """
    p, q = read_laws("d_dp", p, q)
    pair = compared(p, q)
    return symmetric_ratio(*pair) if pair else _dp(p, q)


def d_dp_one_sided(p: Any, q: Any) -> RatioDistance | Distance:
    """sup over events of ln P(S)/Q(S): the max divergence; see `d_dp`."""
    p, q = read_laws("d_dp", p, q)
    pair = compared(p, q)
    return one_sided_ratio(*pair) if pair else _dp_one_sided(p, q)


def d_tv(p: Any, q: Any, *, evidence: bool = False) -> Distance:
    """Total variation: sup over events of |P(S) - Q(S)|, in [0, 1].

    With `evidence`, the event that attains it (finite laws and laws of steps).

    Raises:
        ParameterError: no formula or certified method for the pair; samples.
    """
    return hockey_stick_at(p, q, 1, evidence=evidence)


def hockey_stick_at(p: Any, q: Any, factor: Any, *, evidence: bool = False) -> Distance:
    """sup over events of P(S) - factor Q(S), factor = e**epsilon >= 0 a rational.

    Exact for finite laws and laws of steps; an enclosure otherwise.  Errors as for `d_tv`.
    """
    t = _factor(factor)
    p, q = read_laws("d_tv" if t == 1 else "hockey_stick_at", p, q)
    pair = compared(p, q)
    if not pair:
        return _excess(p, q, t)
    event = best_event_at(*pair, t)
    value = event.p - t * event.q
    return Distance(value, value, evidence=event if evidence else None)


def d_em(p: Any, q: Any, space: FiniteSpace | None = None, *, evidence: bool = False) -> Distance:
    """The earth mover's (Wasserstein-1) distance: the least E d(X, Y) over couplings.

    Args:
        p, q: laws.
        space: distances between the outcomes; without it, outcomes are numbers under |x - y|.
        evidence: also return an optimal coupling and its potential (finite laws): `Transport`.

    Raises:
        ParameterError: outcomes that are no numbers without a space, or are not in the space; no
            formula for the pair; samples.

    >>> d_em({0: "1/2", 1: "1/2"}, {1: "1/2", 3: "1/2"})
    3/2
    """
    p, q = read_laws("d_em", p, q)
    require_space("d_em", space)
    finite = both(p, q)
    if finite and (space is not None or evidence):
        value, plan = earth_mover(*finite, space or _line(*finite, "d_em"))
        return Distance(value, value, evidence=plan if evidence else None)
    steps = steps_of_both(p, q)
    if steps:
        value = area_between(*steps)
        return Distance(value, value)
    if finite:
        raise no_metric("d_em")
    return _em(p, q, space)


def d_wc(p: Any, q: Any, space: FiniteSpace | None = None, *, evidence: bool = False) -> Distance:
    """The Prokhorov distance, whose topology is weak convergence; in [0, 1].

    inf of the eps with P(A) <= Q(A^eps) + eps for every event A, A^eps the points nearer than eps.
    (The formula with the neighbourhood on the other side is no distance.)  Arguments and errors as
    for `d_em`; the evidence is a `Neighbourhood`.

    >>> d_wc({0: "1/2", 1: "1/2"}, {0: "1/4", 1: "3/4"})
    1/4
    """
    p, q = read_laws("d_wc", p, q)
    require_space("d_wc", space)
    finite = both(p, q)
    if finite and (space is not None or evidence):
        value, proof = prokhorov(*finite, space or _line(*finite, "d_wc"))
        return Distance(value, value, evidence=proof if evidence else None)
    steps = steps_of_both(p, q)
    if steps:
        return Distance(*prokhorov_line(*steps))
    if finite:
        raise no_metric("d_wc")
    return _wc(p, q, space)


def _line(p: Masses, q: Masses, quantity: str) -> FiniteSpace:
    if steps_of(p) is None or steps_of(q) is None:
        raise no_metric(quantity)
    return FiniteSpace.line(outcomes(p, q))


# -- laws that are no lists of rationals: parametric on the line, enclosed masses


def _factor(value: Any) -> Fraction:
    """e**epsilon as a rational >= 0; ParameterError otherwise."""
    t = share(value, "factor")
    if t < 0:
        raise ParameterError("must not be negative", place="factor")
    return t


def _dp(p: Any, q: Any) -> Distance:
    """The larger of both directions."""
    if _on_line(p, q):
        return line_ratio_both_ways(p, q)
    there, back = _dp_one_sided(p, q), _dp_one_sided(q, p)
    return Distance(max(there.low, back.low), max(there.high, back.high), there.how)


def _dp_one_sided(p: Any, q: Any) -> Distance:
    """Max divergence."""
    if _on_line(p, q):
        return line_ratio(p, q)
    return enclosed_ratio(p, q)


def _excess(p: Any, q: Any, t: Fraction) -> Distance:
    """sup over events of P(S) - t Q(S)."""
    if _on_line(p, q):
        return line_excess(p, q, t)
    return enclosed_excess(p, q, t)


def _em(p: Any, q: Any, space: FiniteSpace | None) -> Distance:
    """Earth mover's distance."""
    if _on_line(p, q) and space is None:
        return line_earth_mover(p, q)
    return enclosed_move(p, q, space, False)


def _wc(p: Any, q: Any, space: FiniteSpace | None) -> Distance:
    """Prokhorov distance."""
    if _on_line(p, q) and space is None:
        return line_prokhorov(p, q)
    return enclosed_move(p, q, space, True)


def _on_line(p: Any, q: Any) -> bool:
    return isinstance(p, LineLaw) or isinstance(q, LineLaw)
