"""Every record at every instance, and what the laws need to evaluate its maps."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cache, partial
from inspect import Parameter, signature
from typing import Any

import msgspec
import pytest
from depth import depth
from grouped import all_hold

from metricdp.audit.records import arguments, moves_of
from metricdp.expr import INF, ZERO, Expr, compare, compose, maximum, minimum, num
from metricdp.primitives import load
from metricdp.record import REGISTRY, Arg, Conclusion, Instance, Record
from metricdp.spaces import Space
from metricdp.spaces.norms import NORMS

#: Pairs on which every map is attacked, and every mutant of it; the slowest of 3,000 mutants is
#: refuted by the 38th.
PAIRS = depth(48, 200)
#: A law at one instance.
Law = Callable[[Record, Instance], None]

load()
RECORDS = [REGISTRY[name] for name in sorted(REGISTRY)]


def cases(*kinds: str, tight: tuple[str, ...] = ()) -> list[Any]:
    """(record, instance) pairs as pytest parameters, ids `record-instance`.

    Args:
        kinds: kinds of records; all by default.
        tight: only instances that declare one of these.
    """
    return [
        case
        for case in _every()
        if (not kinds or case.values[0].kind in kinds)
        and (not tight or case.values[1].tight in tight)
    ]


@cache
def _every() -> list[Any]:
    return [
        pytest.param(*fixed(record, instance), id=f"{record.name}-{i}")
        for record in RECORDS
        for i, instance in enumerate(record.instances())
    ]


def at_every_instance(*kinds: str, tight: tuple[str, ...] = ()) -> Callable[[Law], Any]:
    """A law as one test per record, which goes through all instances and says which of them fail.

    A thousand instances as tests of their own cost more than what most laws compute.

    Args:
        kinds, tight: as for `cases`.
    """
    grouped: dict[str, list[Any]] = {}
    for case in cases(*kinds, tight=tight):
        grouped.setdefault(case.values[0].name, []).append(case)

    def of(law: Law) -> Any:
        def every(found: list[Any]) -> None:
            all_hold((f"the instance {case.id}", partial(law, *case.values)) for case in found)

        every.__name__, every.__doc__, every.__module__ = law.__name__, law.__doc__, law.__module__
        named = [pytest.param(found, id=name) for name, found in grouped.items()]
        return pytest.mark.parametrize("found", named)(every)

    return of


def fixed(record: Record, instance: Instance) -> tuple[Record, Instance]:
    """Variadic records (arguments "0", "1", ...) with as many named arguments as given."""
    parameters = signature(record.rule).parameters.values()
    if not any(p.kind is Parameter.VAR_POSITIONAL for p in parameters):
        return record, instance
    given = {*instance.private, *instance.public}
    old = sorted((name for name in given if name.isdigit()), key=int)
    new, rest = [f"x{name}" for name in old], sorted(given - {*old})
    renamed = dict(zip(old, new, strict=True))

    # A name that only labels messages is not part of an instance.
    labels = {
        p.name: Arg(literal=p.name, text=p.name)
        for p in parameters
        if p.kind is Parameter.KEYWORD_ONLY and p.default is Parameter.empty
    }

    def rename(values: Mapping[str, Any]) -> dict[str, Any]:
        return {renamed.get(name, name): value for name, value in values.items()}

    def split(args: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        return [args.pop(name) for name in new], args

    def rule(**args: Arg) -> Conclusion:
        several, named = split({**labels, **{k: _space_argument(v) for k, v in args.items()}})
        found = record.rule(*several, **named)
        linear = None if found.linear is None else rename(found.linear)
        return msgspec.structs.replace(found, maps=rename(found.maps), linear=linear)

    def run(**args: Any) -> Any:
        several, named = split(args)
        return record.run(*several, **named)

    rule.__signature__ = signature(lambda: None).replace(  # type: ignore[attr-defined]
        parameters=[Parameter(name, Parameter.KEYWORD_ONLY) for name in (*new, *rest)]
    )

    def tight(_: Instance, d: int, tol: Fraction) -> Any:
        pair = record.tight(instance, d, tol)
        return pair and tuple(map(rename, pair))

    named = msgspec.structs.replace(
        instance, private=rename(instance.private), public=rename(instance.public)
    )
    return msgspec.structs.replace(record, rule=rule, run=run, tight=tight), named


def _space_argument(x: Arg) -> Arg:
    """A public space, such as the declared result of a black box, as check hands it over."""
    return Arg(space=x.literal, text=x.text) if isinstance(x.literal, Space) else x


def concluded(record: Record, instance: Instance) -> Conclusion:
    """The rule at the instance."""
    return record.rule(**arguments(record, instance))


def own_norm(space: Space | None) -> str:
    """The norm in which a space measures, "" for a single metric."""
    return str(getattr(space, "norm", ""))


def claimed(
    conclusion: Conclusion, spaces: Mapping[str, Space], pair: tuple[Any, Any], q: str
) -> Expr:
    """The least bound on the result's movement in norm q that the maps give for a pair."""
    parts = []
    for name, space in spaces.items():
        options = []
        for (p, out), g in moves_of(conclusion, name).items():
            if out == q and (space_in := measured(space, p)) is not None:
                distance = space_in.distance(pair[0][name], pair[1][name])
                options.append(ZERO if distance.is_zero else compose(g, distance))
        parts.append(minimum(INF, *options))
    if conclusion.combine == "concat":
        return NORMS[q].combined(parts)
    return maximum(ZERO, *parts) if conclusion.combine == "max" else sum(parts, ZERO)


def measured(space: Space, p: str) -> Space | None:
    """A space measured in norm p; None for discrete containers of another norm."""
    if own_norm(space) == p:
        return space
    if not p or not own_norm(space) or getattr(space, "element", "") == "Data":
        return None
    return msgspec.structs.replace(space, norm=p)


def in_norm(space: Space, q: str) -> Space:
    """A result space measured in another norm."""
    return msgspec.structs.replace(space, norm=q) if q and hasattr(space, "norm") else space


def at_most(left: Expr, right: Expr, slack: Expr = ZERO) -> bool:
    """left <= right + 2 slack, decided exactly."""
    return compare(left, "<=", right + 2 * slack if not right.is_infinite else right) is not False


def plus_symbols(value: Any, names: dict[str, Fraction], prefix: str) -> Any:
    """A number as a fresh symbol of its sign that stands for it; `names` collects the values."""
    from metricdp.expr import sym

    known = num(value).as_fraction()
    if known is None:
        return num(value)
    name = f"{prefix}{len(names)}"
    names[name] = abs(known)
    symbol = sym(name, nonneg=True, positive=known != 0, integer=known.denominator == 1)
    return -symbol if known < 0 else symbol
