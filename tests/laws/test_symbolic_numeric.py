"""Law: the rule with symbols for sizes, bounds and parameters, then numbers, is the rule with
numbers.

The symbolic bound may be larger only where a decision needs numbers; it is never smaller.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from laws.helpers import at_every_instance, at_most, concluded, plus_symbols

from metricdp.audit.records import arguments, moves_of
from metricdp.expr import Expr, compose, num
from metricdp.record import Arg, Instance, Record, Refusal
from metricdp.spaces import Space

DISTANCES = (1, 2, 3, Fraction(7, 2))
#: Decisions by sign or size that symbols leave open: the symbolic bound may then be larger.
LARGER = frozenset(
    {"branch", "mod", "loop", "loop_rows", "loop_records"}
    | {"sum_of_squared_deviations", "variance", "covariance"}
)


def symbolic(item: Any, names: dict[str, Fraction]) -> Any:
    """A space with a symbol for every number in it."""
    if isinstance(item, Expr):
        return plus_symbols(item, names, "s")
    if isinstance(item, tuple):
        return tuple(symbolic(part, names) for part in item)
    if isinstance(item, Space):
        parts = {f: symbolic(getattr(item, f), names) for f in item.__struct_fields__}
        return type(item)(**parts)
    return item


@at_every_instance("transformation", "control")
def test_symbols_then_numbers(record: Record, instance: Instance) -> None:
    names: dict[str, Fraction] = {}
    spaces = {name: symbolic(space, names) for name, space in instance.private.items()}
    args: dict[str, Arg] = {}
    for name, arg in arguments(record, instance).items():
        if arg.private:
            args[name] = Arg(spaces[name], True, text=name)
        elif arg.value is not None:
            value = plus_symbols(arg.value, names, "p")
            args[name] = Arg(value=value, text=name)
        else:
            args[name] = arg
    numeric = concluded(record, instance)
    try:
        found = record.rule(**args)
    except Refusal as refusal:
        # Some rules need a written number (an exponent); they must say so.
        assert refusal.failure.need
        return
    values = {name: num(value) for name, value in names.items()}
    for name in instance.private:
        expected, got = moves_of(numeric, name), moves_of(found, name)
        assert expected.keys() == got.keys()
        for norms, g in got.items():
            for d in DISTANCES:
                a = compose(g.subs(values), num(d))
                b = compose(expected[norms], num(d))
                assert at_most(b, a), (name, norms, str(g), str(a), str(b))
                if record.name not in LARGER:
                    assert at_most(a, b), (name, norms, str(g), str(a), str(b))
