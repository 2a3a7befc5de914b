"""`.at(...)`: a checked function at concrete public parameters, as a map that chains."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from metricdp.check.source.declared import literal_defaults
from metricdp.check.verdicts.guarantee import NAMES, FunctionGuarantee, where_known
from metricdp.check.verdicts.held import Held
from metricdp.checked.arguments import Bound, bind_public, numbers_of
from metricdp.checked.laws import Applied
from metricdp.errors import ParameterError, SpaceError
from metricdp.expr import D, Expr, num
from metricdp.maps import Measurement, Transformation
from metricdp.maps.costs import maps_of
from metricdp.maps.distances import DistanceMap
from metricdp.maps.steps import CHECKED, OPEN, MapStep, Reliance, Vouched
from metricdp.measures.readings import available
from metricdp.spaces import Owned

if TYPE_CHECKING:
    from metricdp.checked.function import CheckedFunction


def concrete(
    function: CheckedFunction, guarantee: FunctionGuarantee, public: Mapping[str, Any]
) -> Transformation | Measurement:
    """The map of the one private input.

    Args:
        public: every public parameter, and sizes ("len_x") that the bound mentions.

    Raises:
        ParameterError: a name that is missing or unknown, several private inputs.
        SpaceError: a result that lies in no single space.
    """
    private = guarantee.private()
    if len(private) != 1:
        raise ParameterError(
            f"`{guarantee.name}` has {len(private)} private inputs; `at` gives a map of one",
            place=guarantee.name,
            remedy=f"call `{guarantee.name}`, or run it in a session"
            if any(entry.together for entry in private)
            else "declare them together as Aligned[A, B]",
        )
    (entry,) = private
    space = entry.space
    assert space is not None
    if isinstance(space, Owned) and space.day:
        raise ParameterError(
            f"one unit is {space.unit}: its rows enter a call of the function, and no map",
            place=guarantee.name,
            remedy=f"call `{guarantee.name}`, or run it in a session",
        )
    declared = {i.name for i in guarantee.inputs if i.space is None}
    defaults = _defaults(function)
    sizes = {n: v for n, v in public.items() if n not in declared}
    given = {**defaults, **{n: v for n, v in public.items() if n in declared}}
    missing = sorted(declared - given.keys())
    if missing:
        raise ParameterError(
            f"`{missing[0]}` has no value", place=guarantee.name, remedy=f"at({missing[0]}=...)"
        )
    bound = bind_public(guarantee, given)
    env = guarantee.held({**bound.env, **numbers_of(guarantee, sizes)})
    names = {name: num(value) for name, value in env.items()}
    concrete_space = space.at(env)
    if guarantee.kind == "transformation":
        return _transformation(function, guarantee, entry, concrete_space, names, bound, env)
    assert guarantee.tree is not None
    measures = available(guarantee.tree)
    privacy = where_known(
        guarantee,
        env,
        lambda g: {
            measure: tuple(
                _closed(g.cost(entry.name, D, measure)[key], names, g) for key in NAMES[measure]
            )
            for measure in measures
        },
    )
    applied = Applied(function, bound, entry.name, env)
    maps = {measure: maps_of(measure, parts) for measure, parts in privacy.items()}
    step = MapStep(
        guarantee.name, concrete_space, None, costs=maps, rests_on=_reliances(guarantee, env)
    )
    return Measurement(concrete_space, applied, maps, guarantee.name, steps=Vouched((step,)))


def _transformation(
    function: CheckedFunction, guarantee: FunctionGuarantee, entry: Any, space: Any, names: Any,
    bound: Bound, held: Held,
) -> Transformation:  # fmt: skip
    output = guarantee.output_space
    if output is None:
        raise SpaceError(
            f"`{guarantee.name}` returns {guarantee.output}, which is no single space",
            place=guarantee.name,
            remedy="return one number or one container",
        )
    there = output.at(held)
    stability = DistanceMap(_closed(entry.stability, names, guarantee))
    step = MapStep(guarantee.name, space, there, stability, rests_on=_reliances(guarantee, held))
    return Transformation(
        space, there, lambda data: function.at_bound(bound, {entry.name: data}), stability,
        guarantee.name, steps=Vouched((step,)),
    )  # fmt: skip


def _reliances(guarantee: FunctionGuarantee, held: Held) -> tuple[Reliance, ...]:
    """The program that was checked, and what it requires of numbers that are not given."""
    return (
        Reliance(CHECKED, f"`{guarantee.name}` was checked"),
        *(Reliance(OPEN, text) for text in held.told()),
    )


def _closed(expr: Expr, names: Mapping[str, Expr], guarantee: FunctionGuarantee) -> Expr:
    closed = expr.subs(dict(names))
    missing = sorted(closed.symbols - {"d_in"})
    if missing:
        raise ParameterError(
            f"the bound {expr} needs {missing[0]}", place=guarantee.name,
            remedy=f"at({missing[0]}=...)",
        )  # fmt: skip
    return closed


def _defaults(function: CheckedFunction) -> dict[str, Any]:
    declared = function.outcome.declared
    return literal_defaults(declared.node.args, declared.module)
