"""Bounds that were written and could not be read: they are not told as if none had been written.

A rule knows a public bound as an expression.  One that was released, or that comes out of a
container or a computation that is not followed, is no expression: the range is infinite all the
same, and the message says which bound was not read, where it came from and what to write.
Only messages are made here; no bound changes.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from metricdp.check.domain.state import CheckState
from metricdp.check.values.objects import Obj, Value
from metricdp.record import Arg, Failure
from metricdp.spaces import Records, Scalar, Space

#: Records that take a bound -> the arguments that may be one.
_TAKE = {
    "clamp": ("lower", "upper"),
    **dict.fromkeys(("min", "max", "minimum", "maximum"), ()),
}
_ENDLESS = frozenset({"unbounded-sum", "unbounded-mean", "unbounded-covariance"})


class Unread(msgspec.Struct, frozen=True):
    """A bound as it was written, and the place where it was released or assigned."""

    text: str
    released: bool
    place: str = ""


class UnreadBounds:
    """Which values have a range that is infinite for such a bound, by the steps that made them."""

    def __init__(self) -> None:
        self._of: dict[str, Unread] = {}

    def noted(
        self, state: CheckState, record: str, args: Mapping[str, Arg], given: Mapping[str, Obj],
        module: Any, node: ast.AST,
    ) -> Unread | None:  # fmt: skip
        """The bound among the arguments of a record that was not read, if there is one."""
        if record not in _TAKE:
            return None
        for name in _TAKE[record] or args:
            arg, value = args.get(name), given.get(name)
            if arg is None or not isinstance(value, Value) or value.private:
                continue
            if arg.value is None and not isinstance(arg.literal, int | float):
                released = value.origin == "released"
                place = _place(state, value.step) if released else _assigned(arg.text, module, node)
                return Unread(arg.text, released, place)
        return None

    def of(self, steps: Iterable[str]) -> Unread | None:
        """The bound that was not read on the way to these steps."""
        return next((self._of[step] for step in steps if step in self._of), None)

    def keep(self, step: str, space: Space, unread: Unread | None) -> None:
        """Note the bound that was not read on the way to a step, while it leaves no range."""
        held = space.row if isinstance(space, Records) else space
        if (
            unread is not None
            and isinstance(held, Scalar)
            and (held.lo.is_infinite or held.hi.is_infinite)
        ):
            self._of.setdefault(step, unread)


def in_words(failure: Failure, unread: Unread | None) -> Failure:
    """Why there is no bound, in the words of the bound that was written."""
    if unread is None or failure.code not in _ENDLESS:
        return failure
    text = unread.text
    if unread.released:
        message = f"the bound `{text}` was released{unread.place}, so it is known only in a run"
        need = "noise for a range that is known before the run"
        help = f"divide by {text}, clamp to [0, 1], add noise, and multiply by {text} afterwards"
    else:
        message = (
            f"the bound `{text}`{unread.place} could not be read as a number, so nothing is known "
            "of its size"
        )
        need = "a number, or a parameter of its own, as the bound"
        help = "a parameter `upper: float`, and the item of the container given by the caller"
    return msgspec.structs.replace(failure, message=message, need=need, help=help)


def _place(state: CheckState, step: str) -> str:
    found = next((each for each in state.steps if each.id == step), None)
    return "" if found is None else f" in line {found.span.line}"


def _assigned(text: str, module: Any, node: ast.AST) -> str:
    """The last line above that assigns a name, in words."""
    line = getattr(node, "lineno", 0)
    found = [
        each.lineno
        for function in module.functions()
        if function.lineno <= line <= (function.end_lineno or 0)
        for each in ast.walk(function)
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
        if each.id == text and each.lineno < line
    ]
    return f", assigned in line {max(found)}," if found else ""
