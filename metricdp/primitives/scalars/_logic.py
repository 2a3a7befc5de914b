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
from metricdp.spaces import Scalar


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
                help=f"{operator} ({x.text} != 0)"
                if operator == "not"
                else f"({x.text} != 0) {operator} ...",
            )
    deciding = operator == "or"
    fixed = any(not x.private and x.literal is deciding for x in args.values())
    moves: Moves = scalar_moves(ZERO if fixed else ONE)
    return Conclusion(Scalar("Bool"), dict.fromkeys(private, moves))


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
