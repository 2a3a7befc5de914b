"""The hook for decorated functions: from a checked function to a subject of attack.

`metricdp.run.compile.reference_callable(path, name)` returns
`(spaces, defaults, function, output_space, guarantee)`: the concrete or symbolic input spaces by
parameter, defaults of public parameters, a function of keyword arguments on reference values, the
space of the result, and the guarantee whose stability maps are attacked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from metricdp.audit.subject import Claim, Subject, Values
from metricdp.expr import Expr, parse
from metricdp.maps import DistanceMap
from metricdp.spaces import Space

#: A value for every public name that has no default: small, and not a special case of arithmetic.
_SIZE, _NUMBER = 3, Fraction(3, 2)


def is_decorated(value: Any) -> bool:
    """Whether a module's value is a checked transformation (it carries a guarantee)."""
    kind = getattr(value, "kind", "")
    return callable(value) and kind == "transformation" and hasattr(type(value), "guarantee")


def subject_of_function(path: str, name: str, replay: str) -> Iterator[Subject]:
    """The subject of one decorated function; none when its bound is infinite."""
    from metricdp.run.compile import reference_callable

    spaces, defaults, function, output, guarantee = reference_callable(path, name)
    claims = {p: _expr(guarantee.inputs, p) for p in spaces}
    public = public_values(spaces, output, claims, defaults)
    env = {n: v for n, v in public.items() if isinstance(v, (int, Fraction))}

    def run(values: Values) -> Any:
        return function(**values, **{n: v for n, v in public.items() if n in defaults})

    maps = {p: DistanceMap(_closed(g, env)) for p, g in claims.items()}
    concrete = {p: space.at(env) for p, space in spaces.items()}
    yield Subject(name, concrete, run, output.at(env), Claim(maps), (), replay)


def public_values(
    spaces: Mapping[str, Space],
    output: Space,
    claims: Mapping[str, Expr],
    defaults: Mapping[str, Any],
) -> dict[str, Any]:
    """Defaults, and a value for every other symbol of the spaces and claims."""
    values = {n: v for n, v in defaults.items() if v is not None}
    names: set[str] = set()
    for space in (*spaces.values(), output):
        names |= symbols_of(space)
    for claim in claims.values():
        names |= claim.symbols
    for symbol in sorted(names - set(values) - {"d_in"}):
        sized = symbol.startswith(("len_", "rows_", "cols_"))
        values[symbol] = _SIZE if sized else _NUMBER
    return values


def symbols_of(space: Any) -> set[str]:
    """Free public names of a space's sizes and bounds."""
    found: set[str] = set()
    for field in getattr(space, "__struct_fields__", ()):
        value = getattr(space, field)
        for item in value if isinstance(value, tuple) else (value,):
            for part in item if isinstance(item, tuple) else (item,):
                if isinstance(part, Expr):
                    found |= part.symbols
                elif isinstance(part, Space):
                    found |= symbols_of(part)
    return found


def _closed(g: Expr, env: Mapping[str, Any]) -> Expr:
    from metricdp.expr import num

    return g.subs({n: num(v) for n, v in env.items() if n in g.symbols})


def _expr(inputs: Any, parameter: str) -> Expr:
    """The stability of a parameter, from the guarantee's input reports (text) or maps."""
    if isinstance(inputs, Mapping):
        given = inputs[parameter]
    else:
        given = next(i.stability for i in inputs if i.name == parameter)
    return given if isinstance(given, Expr) else parse(str(given))
