"""Law: what a function argument captures is charged as often as it is used.

The instance's function is shifted by a constant that it captures; moving the constant moves the
result by at most `captured` times what it moves one call, and for every record some instance
attains that in some norm, so that neither a smaller nor a needlessly larger factor passes.
"""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Any

import pytest
from laws.helpers import RECORDS, at_most, concluded, in_norm, own_norm

from metricdp.expr import Expr, num
from metricdp.record import Body, Instance, Record
from metricdp.spaces import Scalar, Vector, conversion

NORMS = ("L1", "L2", "LInf")


def _numeric(body: Body) -> bool:
    return isinstance(body.space, Scalar | Vector) and body.space.element in ("Real", "Int")


def _instances(record: Record) -> list[tuple[str, Instance]]:
    """Instances whose conclusion charges a finite factor for a function of numbers."""
    found = []
    for instance in record.instances():
        for name in record.formals:
            body = instance.bodies.get(name)
            if body is None or not _numeric(body):
                continue
            if not concluded(record, instance).captured.is_infinite:
                found.append((name, instance))
    return found


RECORDS_WITH_FUNCTIONS = [r for r in RECORDS if r.formals and _instances(r)]


def _shifted(function: Any, c: Fraction) -> Any:
    def shifted(*args: Any) -> Any:
        value = function(*args)
        return [v + c for v in value] if isinstance(value, list) else value + c

    return shifted


def _one_call(body: Body, q: str, c: Fraction) -> Expr:
    """How far a captured constant moves one call, in the norm q of the whole result."""
    if isinstance(body.space, Vector):
        assert body.space.size is not None
        return conversion("LInf", q, body.space.size) * num(c)
    return num(c)


def _ratios(record: Record, name: str, instance: Instance) -> list[tuple[Expr, Expr]]:
    """(movement, bound) for a few inputs, shifts and norms."""
    conclusion, rng = concluded(record, instance), Random("captured")
    assert conclusion.space is not None
    body, pairs = instance.bodies[name], []
    for c in (Fraction(1), Fraction(3), Fraction(1, 2)):
        values = {k: space.sample(rng, 3) for k, space in instance.private.items()}
        before, after = (
            record.run(
                **values, **{**instance.public, name: _shifted(instance.public[name], shift)}
            )
            for shift in (Fraction(0), c)
        )
        for q in NORMS if own_norm(conclusion.space) else ("",):
            moved = in_norm(conclusion.space, q).distance(before, after)
            pairs.append((moved, conclusion.captured * _one_call(body, q, c)))
    return pairs


@pytest.mark.parametrize("record", RECORDS_WITH_FUNCTIONS, ids=lambda r: r.name)
def test_captured_variables_are_charged(record: Record) -> None:
    attained = False
    for name, instance in _instances(record):
        for moved, bound in _ratios(record, name, instance):
            assert at_most(moved, bound), (record.name, str(moved), str(bound))
            attained = attained or (moved == bound and not bound.is_zero)
    assert attained, f"no instance of {record.name} attains its factor"


def test_some_records_take_functions() -> None:
    assert {"map", "map_rows"} <= {r.name for r in RECORDS_WITH_FUNCTIONS}
