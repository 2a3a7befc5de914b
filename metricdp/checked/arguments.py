"""Arguments of one run: bound by name, public facts enforced first, private data admitted last."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from fractions import Fraction
from math import isfinite
from typing import Any

import msgspec

from metricdp.check.source.declared import SEQUENCES, Declaration, item_type
from metricdp.check.verdicts.guarantee import Guarantee
from metricdp.errors import ParameterError
from metricdp.run.guards import admit
from metricdp.run.sizes import refuse_shared, sizes
from metricdp.spaces.symbols import symbols_of
from metricdp.values.exact import Exact

#: Public number -> exact value, for expressions of the guarantee.
Env = dict[str, Fraction]


class Arguments(msgspec.Struct):
    """Bound arguments: what compiled code gets, and the numbers behind the expressions.

    `given` are the names that the caller passed; the other public ones are defaults.
    """

    values: dict[str, Any]
    public: dict[str, Any]
    env: Env
    given: frozenset[str] = frozenset()


def bind(
    guarantee: Guarantee,
    declared: Declaration,
    args: tuple[Any, ...],
    keywords: Mapping[str, Any],
    strict: bool,
) -> Arguments:
    """Bind, check public parameters, admit private data, bind sizes, enforce requirements.

    Raises:
        ParameterError: a wrong call, a public parameter of the wrong type, a violated requirement.
        SchemaError, DataValueError, SpaceError: see `run.guards`.
    """
    given, passed = by_name(declared, args, keywords)
    private = {i.name: i.space for i in guarantee.inputs if i.space is not None}
    public = {name: value for name, value in given.items() if name not in private}
    values, env = public_values(guarantee, public)
    require(guarantee, env)
    refuse_shared({n: given[n] for n in private}, public)
    for name, space in private.items():
        values[name] = admit(name, space, given[name], strict=strict, env=_known(space, env))
    counts: dict[str, int] = {}
    for name, space in private.items():
        counts = {**counts, **sizes(name, space, values[name], counts)}
    env.update({name: Fraction(count) for name, count in counts.items()})
    require(guarantee, env, complete=True)
    return Arguments(values, public, env, passed)


def by_name(
    declared: Declaration, args: tuple[Any, ...], keywords: Mapping[str, Any]
) -> tuple[dict[str, Any], frozenset[str]]:
    """Arguments by parameter name, literal defaults filled in; and the names that were passed.

    Raises:
        ParameterError: a missing, unknown or repeated argument.
    """
    import ast

    spec = declared.node.args
    kinds = inspect.Parameter
    defaults: dict[str, Any] = {}
    positional = [*spec.posonlyargs, *spec.args]
    pairs = [*zip(positional[::-1], spec.defaults[::-1], strict=False)]
    pairs += [(a, d) for a, d in zip(spec.kwonlyargs, spec.kw_defaults, strict=True) if d]
    for argument, node in pairs:
        defaults[argument.arg] = ast.literal_eval(node)
    parameters = [
        kinds(a.arg, kind, default=defaults.get(a.arg, kinds.empty))
        for group, kind in (
            (spec.posonlyargs, kinds.POSITIONAL_ONLY),
            (spec.args, kinds.POSITIONAL_OR_KEYWORD),
            (spec.kwonlyargs, kinds.KEYWORD_ONLY),
        )
        for a in group
    ]
    try:
        bound = inspect.Signature(parameters).bind(*args, **keywords)
    except TypeError as error:
        fact = str(error)
        raise ParameterError(fact, place=declared.name) from None
    passed = frozenset(bound.arguments)
    bound.apply_defaults()
    return dict(bound.arguments), passed


def public_values(guarantee: Guarantee, public: Mapping[str, Any]) -> tuple[dict[str, Any], Env]:
    """Public arguments as compiled code sees them, and as exact numbers.

    Targets are the decimals that were typed (0.1 is 1/10); other floats are the double.

    Raises:
        ParameterError: a value of another type than declared, or a number that is not finite.
    """
    types = {i.name: i.type for i in guarantee.inputs if i.space is None}
    values: dict[str, Any] = {}
    env: Env = {}
    for name, value in public.items():
        if hasattr(value, "item") and getattr(value, "ndim", None) == 0:
            value = value.item()
        wanted = types[name]
        if wanted in ("float", "int"):
            value = _number(name, value, wanted)
            typed = isinstance(value, float) and name in guarantee.targets
            env[name] = Fraction(float.__repr__(value)) if typed else Fraction(value)
            values[name] = Exact(env[name]) if isinstance(value, float) else value
        elif wanted in ("bool", "str") and type(value).__name__ != wanted:
            raise ParameterError(
                f"{wanted} is declared, {type(value).__name__} is given", place=name
            )
        else:
            if wanted.startswith(SEQUENCES):
                value = _items(name, value, wanted)
                env[f"len_{name}"] = Fraction(len(value))
            values[name] = value
    return values, env


def numbers_of(guarantee: Guarantee, given: Mapping[str, Any]) -> Env:
    """Public parameters and sizes as exact numbers, not all of them needed.

    Raises:
        ParameterError: a name that is neither, or a value of another type.
    """
    types = {i.name for i in guarantee.inputs if i.space is None}
    sizes = {name for i in guarantee.private() for name in symbols_of(i.space)}
    _, env = public_values(guarantee, {n: v for n, v in given.items() if n in types})
    for name in given.keys() - types:
        if name not in sizes:
            known = ", ".join(sorted(types | sizes))
            raise ParameterError(f"{name} is none of {known}", place=guarantee.name)
        env[name] = Fraction(_number(name, given[name], "int"))
    return env


def _items(name: str, value: Any, wanted: str) -> Any:
    """A plain copy of a public sequence: its length is charged for, so nothing may change it."""
    array = hasattr(value, "dtype") and getattr(value, "ndim", 0) > 0
    value = value.tolist() if array and item_type(wanted) else value
    if wanted.startswith("numpy.") and (array or isinstance(value, list | tuple)):
        import numpy as np

        return np.array(value)
    accepted = {"float": (int, float, Fraction), "int": (int,), "str": (str,)}.get(
        item_type(wanted)
    )
    if accepted is not None and isinstance(value, list | tuple):
        for item in value:
            if not isinstance(item, accepted):
                raise ParameterError(
                    f"{wanted} is declared, and an item is a {type(item).__name__}", place=name
                )
    if isinstance(value, list | tuple) or (array and not hasattr(value, "iloc")):
        return list(value) if wanted.startswith("list") else tuple(value)
    raise ParameterError(f"{wanted} is declared, {type(value).__name__} is given", place=name)


def _number(name: str, value: Any, wanted: str) -> int | float:
    if isinstance(value, Fraction):
        value = int(value) if value.denominator == 1 else float(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ParameterError(
            f"a number is declared, {type(value).__name__} is given", place=name, remedy=f"{name}=1"
        )
    if not isfinite(value):
        raise ParameterError(f"{value} is no finite number", place=name, remedy=f"{name}=1.0")
    if wanted == "int" and not isinstance(value, int):
        raise ParameterError(f"{value} is no integer", place=name, remedy=f"{name}={int(value)}")
    return value


def require(guarantee: Guarantee, env: Env, complete: bool = False) -> None:
    """Enforce every requirement that the known names decide (all of them, if `complete`).

    Raises:
        ParameterError: one that does not hold.
    """
    guarantee.held(env, complete=complete)


def _known(space: Any, env: Env) -> dict[str, Fraction]:
    """Public parameters that the space's refinements mention."""
    return {name: env[name] for name in symbols_of(space) if name in env}
