"""What `not`, `and` and `or` share: private Booleans, in Python's own meaning."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from metricdp.expr import ONE, ZERO
from metricdp.primitives._common import kind_of
from metricdp.record import (
    Arg,
    Conclusion,
    Instance,
    Instances,
    Moves,
    Tight,
    Witness,
    refuse,
    scalar_moves,
)
from metricdp.spaces import Maybe, Moment, Scalar


def logical(operator: str, args: dict[str, Arg]) -> Conclusion:
    """A Bool; constant where a public operand decides it."""
    private = {name: x for name, x in args.items() if x.private}
    if not private:
        return Conclusion()
    for x in private.values():
        if not isinstance(x.space, Scalar) or kind_of(x) != "bool":
            raise refuse(
                "unsupported-call",
                f"`{operator}` works on private Booleans, and {x.text} lies in {x.space}",
                need="a Boolean",
                help=f"{operator} ({_truth(x)})"
                if operator == "not"
                else f"({_truth(x)}) {operator} ...",
            )
    deciding = operator == "or"
    fixed = any(not x.private and x.literal is deciding for x in args.values())
    moves: Moves = scalar_moves(ZERO if fixed else ONE)
    return Conclusion(Scalar("Bool"), dict.fromkeys(private, moves))


def _truth(x: Arg) -> str:
    """A comparison that holds where Python takes a value for true: None is not."""
    text, space = x.text, x.space
    inner = space.inner if isinstance(space, Maybe) else space
    kind = inner.kind if isinstance(inner, Scalar) else ""
    if isinstance(inner, Moment):
        return f"{text} is not None"
    if isinstance(space, Maybe) and kind == "bool":
        return f"{text} == True"
    empty = '""' if kind == "str" else "0"
    return f"{text} not in (None, {empty})" if isinstance(space, Maybe) else f"{text} != {empty}"


def logical_cases(operator: str) -> tuple[Instances, Tight]:
    """Instances and tight pairs of one operator."""

    def instances() -> Iterable[Instance]:
        flag = Scalar("Bool")
        if operator == "not":
            yield Instance({"x": flag})
            yield Instance({"x": Scalar("Data", kind="bool")})
            return
        yield Instance({"x": flag, "y": flag}, tight="unknown")
        yield Instance({"x": flag}, {"y": operator == "and"})
        yield Instance({"x": flag}, {"y": operator == "or"})

    def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
        if instance.tight == "unknown":
            return None
        return ({"x": False}, {"x": True}) if d == 1 else None

    return instances, tight
