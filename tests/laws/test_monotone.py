"""Law: a stability map does not fall, is not negative, and an infinite one says why."""

from __future__ import annotations

from fractions import Fraction

from laws.helpers import at_every_instance, at_most, concluded

from metricdp.audit.records import moves_of
from metricdp.expr import ZERO, compose, num
from metricdp.record import Instance, Record

DISTANCES = (Fraction(1, 3), 1, Fraction(3, 2), 2, 3, 10, 1000)


@at_every_instance("transformation", "control")
def test_maps_are_monotone(record: Record, instance: Instance) -> None:
    conclusion = concluded(record, instance)
    for name in instance.private:
        for norms, g in moves_of(conclusion, name).items():
            values = [compose(g, num(d)) for d in DISTANCES]
            for smaller, larger in zip([ZERO, *values], values, strict=False):
                assert at_most(smaller, larger), (name, norms, str(g))


@at_every_instance("transformation", "control")
def test_infinite_maps_have_a_reason(record: Record, instance: Instance) -> None:
    conclusion = concluded(record, instance)
    endless = any(
        g.is_infinite for name in instance.private for g in moves_of(conclusion, name).values()
    )
    assert not endless or conclusion.why_infinite is not None


@at_every_instance("transformation", "control")
def test_every_private_argument_is_charged(record: Record, instance: Instance) -> None:
    conclusion = concluded(record, instance)
    if conclusion.space is None:
        return
    for name in instance.private:
        assert moves_of(conclusion, name), name
