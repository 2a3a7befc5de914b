"""Ends of slices as Python reads them: which lengths they leave, and what has to hold for that."""

from __future__ import annotations

from typing import Any

from metricdp.expr import ONE, ZERO, Expr, absolute, ceil, maximum, minimum, sym
from metricdp.record import Arg, Requirement, refuse

#: An end, or a step, that is left out.
OMITTED = ...


def kept(n: Expr, start: Arg, stop: Arg, step: Arg) -> tuple[Expr, tuple[Requirement, ...]]:
    """Number of the `n` items that `[start:stop:step]` keeps, and what this needs.

    Ends beyond the items are moved to the nearest one, and negative ends count from the last item,
    as in Python; an end of unknown sign has to be at least 0.

    Raises:
        Refusal: an end that is private, released or not known as a public whole number; a step
            that may be 0, or a negative step between ends.
    """
    by = ONE if step.literal is OMITTED else _whole(step)
    if by.sign() == "-" and start.literal is OMITTED and stop.literal is OMITTED:
        return ceil(n / absolute(by)), ()
    if by.sign() != "+":
        raise refuse(
            "unsupported-call",
            f"the step {step.text} is not certainly above 0",
            need="a positive step, or a negative one without ends",
            help=f"write 1 or more for {step.text}",
        )
    requires: list[Requirement] = []
    lo = ZERO if start.literal is OMITTED else _end(n, start, requires)
    hi = n if stop.literal is OMITTED else minimum(n, _end(n, stop, requires))
    return maximum(ZERO, ceil((hi - lo) / by)), tuple(requires)


def _end(n: Expr, end: Arg, requires: list[Requirement]) -> Expr:
    """An end counted from the first item; it may lie beyond the last one."""
    at = _whole(end)
    # A parameter that is the size of the items is not below 0.
    sign = at.subs({name: sym(name, nonneg=True, integer=True) for name in n.symbols}).sign()
    if sign == "-":
        return maximum(ZERO, n + at)
    if sign not in ("0", "+", ">=0"):
        requires.append(Requirement(at, ">=", ZERO, remedy=f"choose {end.chosen} >= 0"))
    return at


def _whole(end: Arg) -> Expr:
    if end.private or end.released:
        who = "private" if end.private else "released"
        raise refuse(
            "private-index",
            f"{end.text} is {who}, and decides how many items there are",
            need="public ends",
            help="write a number, or a parameter of type int, for " + end.text,
        )
    value = end.value
    hidden = value is None or any(name.startswith("_") for name in value.symbols)
    if value is None or hidden or not value.is_integer():
        raise refuse(
            "unsupported-call",
            f"{end.text} is not known as a public whole number",
            need="ends that are whole numbers: literals, parameters of type int, sizes",
            help="write a number, or a parameter of type int, for " + end.text,
        )
    return value


def plain(start: Any, stop: Any, step: Any) -> slice:
    """The slice of these numbers, for lists."""
    return slice(*(None if end is OMITTED else int(end) for end in (start, stop, step)))
