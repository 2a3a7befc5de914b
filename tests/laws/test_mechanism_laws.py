"""Every mechanism against its exact law: the privacy map is kept, met where tight, and not loose.

No sampling: the laws are enclosures of rationals, so these tests have no false alarms.
"""

from __future__ import annotations

from fractions import Fraction

import pytest

from metricdp.audit import attack_mechanism
from metricdp.audit.results import Refuted, Survived
from metricdp.expr import ONE, Expr, root, sym
from metricdp.primitives import load
from metricdp.record import REGISTRY, Instance, Record

load()
CASES = [
    pytest.param(record, instance, id=f"{name}-{i}")
    for name, record in sorted(REGISTRY.items())
    if record.kind == "mechanism"
    for i, instance in enumerate(record.instances())
]
#: Distance 2 is attained, and the map is not that of group privacy, which is far from tight.
FAR = [
    case
    for case in CASES
    if case.values[0].tight(case.values[1], 2, Fraction(1)) is not None
    and "delta" not in case.values[1].public
]
#: The (epsilon, delta) targets are calibrated for grids of 2**40 ticks; these laws have 2**8.
COARSE = Fraction(1, 10**4)


#: Instances (by identity, held by `CASES`) -> the attack on the map as it is.
_ATTACKED: dict[int, Refuted | Survived] = {}


def tolerance(instance: Instance) -> Fraction:
    return COARSE if "delta" in instance.public else Fraction(0)


def forgotten(g: Expr) -> Expr:
    return g.subs({"_moved": ONE, "_ratio": ONE})


def rooted(g: Expr) -> Expr:
    return g.subs({name: root(sym(name, nonneg=True)) for name in ("_moved", "_ratio")})


def attacked(record: Record, instance: Instance) -> Refuted | Survived:
    """The attack on the map as it is: two laws ask about one attack."""
    if id(instance) not in _ATTACKED:
        found = attack_mechanism(record, instance, tolerance=tolerance(instance))
        _ATTACKED[id(instance)] = found
    return _ATTACKED[id(instance)]


@pytest.mark.parametrize(("record", "instance"), CASES)
def test_privacy_maps_hold_on_exact_laws(record: Record, instance: Instance) -> None:
    result = attacked(record, instance)
    assert not result.refuted, str(result)
    assert result.pairs >= 1


@pytest.mark.parametrize(("record", "instance"), CASES)
def test_tight_maps_are_attained(record: Record, instance: Instance) -> None:
    result = attacked(record, instance)
    assert not result.refuted
    if instance.tight == "attained":
        assert result.closest == 1
    elif instance.tight == "approached":
        assert result.closest > 0.999


@pytest.mark.parametrize(("record", "instance"), CASES)
def test_half_the_cost_is_refuted(record: Record, instance: Instance) -> None:
    # Not known tight: a thousandth of delta.
    share = 1000 if instance.tight == "unknown" else 2
    assert attack_mechanism(record, instance, lambda g: g / share, tolerance(instance)).refuted


@pytest.mark.parametrize(("record", "instance"), FAR)
@pytest.mark.parametrize("change", [rooted, forgotten])
def test_a_forgotten_distance_is_refuted(
    record: Record, instance: Instance, change: object
) -> None:
    assert attack_mechanism(record, instance, change).refuted  # type: ignore[arg-type]
