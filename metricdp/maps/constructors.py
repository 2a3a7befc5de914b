"""A record applied to a space and public numbers: the rule's conclusion as a concrete map."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import msgspec

from metricdp.errors import MetricdpError, ParameterError, SpaceError
from metricdp.expr import ONE, D, Expr, compare, compose, minimum, num
from metricdp.maps.arguments import abstract, bind, private_argument
from metricdp.maps.costs import SOURCE, Readings
from metricdp.maps.distances import DistanceMap
from metricdp.maps.functions import AppliedRule, Enter, Leave, drawing
from metricdp.maps.measurement import Measurement
from metricdp.maps.reasons import reason_of
from metricdp.maps.steps import ASSUMED, IDEAL, PROVED, MapStep, Reliance, Vouched
from metricdp.maps.transformation import Transformation
from metricdp.measures.events import Sequence, Spent
from metricdp.record import (
    ONE_METRIC,
    REGISTRY,
    Body,
    Conclusion,
    Record,
    Refusal,
    Requirement,
    moves_of,
)
from metricdp.spaces import Keyed, Space
from metricdp.spaces.directions import OneDirection
from metricdp.spaces.norms import NORM_NAMES, conversion, norm_of


def make(name: str, space: Space, /, **public: Any) -> Any:
    """The map of a primitive on a space: `make("clamp", Records[float], lower=0, upper=20)`.

    Args:
        name: of a primitive; `metricdp.primitives` lists them.
        space: of its private argument, with numbers for every size and bound.
        public: its public arguments, numbers as they are typed.

    Returns:
        A `Transformation`, or a `Measurement` for a mechanism.

    Raises:
        ParameterError: no such primitive, or arguments that it refuses.
        SpaceError: a space on which the primitive has no rule.
    """
    from metricdp.primitives import load

    load()
    record = REGISTRY.get(name)
    if record is None:
        from difflib import get_close_matches

        near = get_close_matches(name, REGISTRY, 1)
        raise ParameterError(
            f"no primitive is called `{name}`",
            place="make",
            remedy=f"did you mean `{near[0]}`?" if near else "see the list of primitives",
        )
    return apply(record, space, public)


def apply(
    record: Record,
    space: Space,
    public: Mapping[str, Any],
    *,
    argument: str = "",
    norm: str = "",
    bodies: Mapping[str, Body] | None = None,
) -> Any:
    """As `make`, for a record.

    Args:
        argument: the private argument; the rule's first if "".
        norm: norm of the result, where it has several; the input's, else the rule's, if "".
        bodies: summaries of the functions among the public arguments.
    """
    if record.kind == "control":
        raise ParameterError(
            f"`{record.name}` is a statement of a program, and no map of values",
            place=record.name,
            remedy="write a checked function: metricdp.transformation or metricdp.measurement",
        )
    argument = argument or private_argument(record)
    arguments = bind(record, argument, public)
    conclusion = _concluded(record, abstract(argument, space, arguments, bodies or {}))
    for requirement in conclusion.requires:
        _require(requirement, record.name, arguments)
    if conclusion.events:
        return _measurement(record, space, arguments, conclusion)
    if conclusion.space is None:
        raise SpaceError(
            f"the result of `{record.name}` on {space.describe()} is no private value",
            place=record.name,
            remedy="use it as a public fact",
        )
    return _transformation(record, space, argument, arguments, conclusion, norm)


def _concluded(record: Record, arguments: Mapping[str, Any]) -> Conclusion:
    refused: MetricdpError
    try:
        return record.rule(**arguments)
    except Refusal as refusal:
        failure = refusal.failure
        kind = SpaceError if failure.code in _OF_SPACES else ParameterError
        refused = kind(failure.message, place=record.name, remedy=failure.help)
    raise refused


#: Diagnostics that speak of the argument's space.
_OF_SPACES = ("unsupported-call", "wrong-metric", "wrong-norm", "private-argument")


def _require(requirement: Requirement, place: str, public: Mapping[str, Any]) -> None:
    left, op, right = requirement.left, requirement.op, requirement.right
    if compare(left, op, right) is True:
        return
    # Symbols have become numbers: a number that one argument has is told by its name.
    named: dict[Expr, str] = {}
    for name, value in public.items():
        if isinstance(value, int | Fraction) and not isinstance(value, bool):
            named.setdefault(num(value), name)
    sides = [f"`{named[x]}`" if x in named else str(x) for x in (left, right)]
    told = [f"`{named[x]}` is {x}" for x in (left, right) if x in named]
    raise ParameterError(
        "; ".join([*told, f"{sides[0]} {op} {sides[1]} does not hold"]),
        place=place,
        remedy=f"choose {sides[0]} {op} {sides[1]}" if told else requirement.remedy,
    )


def _transformation(
    record: Record,
    space: Space,
    argument: str,
    public: Mapping[str, Any],
    conclusion: Conclusion,
    norm: str,
) -> Transformation:
    output = conclusion.space
    assert output is not None
    own = getattr(space, "norm", ONE_METRIC)
    norm = norm or _result_norm(conclusion, argument, output, own)
    bound = _bound(conclusion, argument, space, own, norm)
    if norm != ONE_METRIC:
        output = msgspec.structs.replace(output, norm=norm)
    if bound.is_infinite and conclusion.why_infinite is not None:
        why = conclusion.why_infinite
        raise SpaceError(why.message, place=record.name, remedy=why.help)
    trust = _reliances(record, public, conclusion)
    step = MapStep(
        record.name, space, output, DistanceMap(bound), arguments=public,
        reason=reason_of(record, space), rests_on=trust, version=record.version,
    )  # fmt: skip
    function = AppliedRule(record.name, argument, public)
    return Transformation(
        space, output, function, step.stability or bound, record.name,
        steps=Vouched((step,)), enter=Enter(space), leave=Leave(output),
    )  # fmt: skip


def _reliances(
    record: Record, public: Mapping[str, Any], conclusion: Conclusion
) -> tuple[Reliance, ...]:
    """The rule; real arithmetic where the reference rounds; functions that nobody has read."""
    kind = PROVED if conclusion.rounding.is_zero else IDEAL
    functions = (name for name, value in public.items() if callable(value))
    return (
        Reliance(PROVED, f"{record.name}, version {record.version}"),
        *(Reliance(kind, f"answers are about {rows}") for rows in conclusion.answers),
        *(Reliance(kind, text) for text in conclusion.rests_on),
        *(
            Reliance(ASSUMED, f"`{name}` of {record.name} is a function of one row alone")
            for name in functions
        ),
    )


def _result_norm(conclusion: Conclusion, argument: str, output: Space, own: str) -> str:
    if not hasattr(output, "norm"):
        return ONE_METRIC
    offered = {q for _, q in conclusion.maps.get(argument, {})} or {*NORM_NAMES}
    return own if own in offered else str(getattr(output, "norm", ONE_METRIC))


def _bound(conclusion: Conclusion, argument: str, space: Space, own: str, norm: str) -> Expr:
    """The least bound from the input's own norm to `norm`, over conversions on either side."""
    moves = moves_of(conclusion, argument)
    found = []
    for (p, q), move in moves.items():
        before, after = _converted(space, own, p), _converted(conclusion.space, q, norm)
        if before is not None and after is not None:
            found.append(after * compose(move, before * D))
    if not found:
        raise SpaceError(
            f"no bound from {own or 'the input metric'} to {norm or 'the output metric'}",
            remedy="convert the norm first",
        )
    return minimum(*found)


def _converted(space: Space | None, p: str, q: str) -> Expr | None:
    """The constant of the identity from norm p to norm q of a space, or None."""
    if p == q:
        return ONE
    if isinstance(space, Keyed):
        return msgspec.structs.replace(space, norm=p).share(q)
    size = getattr(space, "cols", getattr(space, "size", None))
    if ONE_METRIC in (p, q) or getattr(space, "element", "Data") == "Data":
        return None
    if size is None:
        return ONE if norm_of(p).inverse > norm_of(q).inverse else None
    return conversion(p, q, size)


def _measurement(
    record: Record, space: Space, public: Mapping[str, Any], conclusion: Conclusion
) -> Measurement:
    own = getattr(space, "norm", ONE_METRIC)
    leaves = []
    for event in conclusion.events:
        factor = _converted(space, own, event.norm)
        if factor is None:
            raise SpaceError(
                f"`{record.name}` measures its argument in {event.norm}, and {space.describe()} "
                f"has no public size to convert from {own}",
                place=record.name,
                remedy=f"declare the size, or measure in {event.norm}",
            )
        leaves.append(Spent(event, {SOURCE: factor * D}))
    tree = leaves[0] if len(leaves) == 1 else Sequence(tuple(leaves))
    function = drawing(record, space, public, conclusion.events[0])
    rests = _reliances(record, public, conclusion)
    step = MapStep(
        record.name, space, None, costs=Readings(tree), arguments=public,
        reason=reason_of(record, space), rests_on=rests, version=record.version,
    )  # fmt: skip
    # A cost for scores that move together holds on a space that says so, and on no vectors.
    entered: Space = OneDirection(space) if public.get("monotone") is True else space  # type: ignore[arg-type]
    return Measurement(
        entered, function, name=record.name, tree=tree, steps=Vouched((step,)), enter=Enter(space)
    )
