"""Privacy maps against exact output laws: max divergence, hockey stick and zCDP at d = 1, 2, 3.

The laws are enclosures of rationals, so "the map is too small" is decided without rounding.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from math import ceil
from typing import Any

from metricdp.audit.measurements.exact import loss_between
from metricdp.audit.measurements.verdicts import PrivacyClaim
from metricdp.audit.records import conclusion_of
from metricdp.audit.results import Refuted, Survived
from metricdp.expr import Expr, num
from metricdp.families.recorded import arguments
from metricdp.measures.events import Event
from metricdp.record import Instance, Record

Privacy = Mapping[str, tuple[Expr, ...]]
#: Ticks of the grid per unit of movement when the noise is calibrated for a continuous target.
_TICKS = 256


def attack_mechanism(
    record: Record,
    instance: Instance,
    mutate: Callable[[Expr], Expr] | None = None,
    tolerance: Fraction = Fraction(0),
    distances: tuple[int, ...] = (1, 2, 3),
) -> Refuted | Survived:
    """Compare every privacy map of the mechanism's event with its exact law.

    Args:
        mutate: a wrong version of the cost (its first component), to be refuted.
        tolerance: relative error granted to a delta whose calibration is that of the continuous
            law although the attack uses a coarse grid (`release` uses one of 2**40 ticks).
    """
    (event,) = conclusion_of(record, instance).events
    bound_at_one = Fraction(instance.public.get("s", 1))
    tried, closest = 0, 0.0
    for d in distances:
        pair = record.tight(instance, d, Fraction(1, 1000))
        if pair is None:
            continue
        for measure, parts in event.privacy.items():
            cost = mutated(parts, mutate) if mutate is not None else parts
            spent = evaluated(cost, d, bound_at_one)
            tried += 1
            lost, bound = loss(record, instance, event, pair, measure, spent)
            if isinstance(bound, float):
                continue
            if lost[0] > bound * (1 + tolerance):
                return _refuted(record, event, pair, d, measure, (lost[0], bound), tried)
            if bound:
                closest = max(closest, float(lost[1] / bound))
    return Survived(record.name, tried, 0, closest, _text(event))


def evaluated(parts: tuple[Expr, ...], d: int, bound: Fraction) -> tuple[Fraction | float, ...]:
    """Costs as numbers, rounded up, when the argument moves by d bounds."""
    values = {"_moved": num(d * bound), "_bound": num(bound), "_ratio": num(d)}
    return tuple(part.subs(values).upper({}) for part in parts)


def mutated(parts: tuple[Expr, ...], change: Callable[[Expr], Expr]) -> tuple[Expr, ...]:
    """The wrong cost; of (epsilon, delta) the delta is changed, epsilon is where it is read."""
    return (*parts[:-1], change(parts[-1]))


def loss(
    record: Record,
    instance: Instance,
    event: Event,
    pair: Any,
    measure: str,
    spent: tuple[Fraction | float, ...],
) -> tuple[tuple[Fraction, Fraction], Fraction | float]:
    """(enclosure of the exact loss, the bound it must not exceed) under a measure."""
    p, q = (law_of(record, instance, event, x) for x in pair)
    found = loss_between(p, q, PrivacyClaim(measure, spent))
    if isinstance(found.low, float) or isinstance(found.high, float):
        return (Fraction(10**30), Fraction(10**30)), spent[-1]
    return (found.low, found.high), spent[-1]


def law_of(record: Record, instance: Instance, event: Event, x: Mapping[str, Any]) -> Any:
    """The mechanism's law at the arguments, with the noise that its event states.

    The bound at distance 1 is the claimed sensitivity `s`, or 1.
    """
    assert record.law is not None
    bound = num(Fraction(instance.public.get("s", 1)))
    noise = {
        name: Fraction(value.subs({"_bound": bound}).upper({}))
        for name, value in event.noise.items()
    }
    (value,) = x.values()
    family = event.family
    if not (family.has_mu and "approx" in event.privacy):
        return record.law(value, **arguments(record.law, noise, instance.public))
    # Calibrated to the profile of the continuous law, so that the grid has to be finer.
    sigma, _ = family.request(noise, noise.__getitem__)
    return record.law(_ticks(value), Fraction(ceil(sigma * _TICKS * 2**30), 2**30))


def _ticks(x: Any) -> Any:
    return [v * _TICKS for v in x] if isinstance(x, list) else x * _TICKS


def _refuted(
    record: Record,
    event: Event,
    pair: Any,
    d: int,
    measure: str,
    numbers: tuple[Fraction, Fraction],
    tried: int,
) -> Refuted:
    lost, bound = numbers
    return Refuted(
        record.name,
        pair[0],
        pair[1],
        {name: num(d) for name in pair[0]},
        num(lost),
        num(bound),
        ("law at x", "law at x'"),
        tried,
        0,
        f"{measure}: {_text(event)}",
    )


def _text(event: Event) -> str:
    return "; ".join(f"{m} {', '.join(map(str, c))}" for m, c in event.privacy.items())
