"""The parts of a text of a row, one by one: `parts[1]` where there are so many, and
`for word in text.split()[:5]`.

A slice has at most so many parts, and a loop over it does its round for the part at each of these
positions, where there is one: `if len(parts) > 0: word = parts[0]; ...`, and so on.  These branches
are what is read and what runs (`run.plainer.over_parts`).
"""

from __future__ import annotations

import ast
from typing import Any

import msgspec

from metricdp.check.language.interpreter import Interpreter
from metricdp.check.values.frames import Frame
from metricdp.check.values.objects import Builtin, Numbered, Obj, Primitive, Value
from metricdp.check.values.regions import accepted, disjoint
from metricdp.expr import ZERO, num
from metricdp.run.plainer import over_parts
from metricdp.spaces.texts import Cells

#: Most parts of one text that are gone through.
MOST = 64


def with_part(interpreter: Interpreter, base: Obj, index: Obj) -> Obj:
    """The parts of a text with what the conditions around say: that there is one at a position."""
    space = base.space if isinstance(base, Value) and base.private else None
    at = getattr(index, "literal", None)
    if not isinstance(space, Cells) or space.different or type(at) is not int or at < space.least:
        return base
    assert isinstance(base, Value)
    if base.term is None:
        return base
    # A number of parts is whole, so it is at most this position where it is not above it.
    fewer = ("rule", "le", ("x", ("rule", "len", ("x", base.term))), ("y", ("number", num(at))))
    if not disjoint(interpreter.domain.where, accepted(fewer)):
        return base
    return msgspec.structs.replace(base, space=msgspec.structs.replace(space, least=at + 1))


def gone_through(interpreter: Interpreter, node: ast.For, iterable: Obj) -> list[ast.stmt] | None:
    """What a loop over the parts of a text is read as; None of any other loop.

    Raises:
        Stop: nothing says how many parts there are at most, or the loop ends early.
    """
    numbered = isinstance(iterable, Numbered)
    held = iterable.inner if isinstance(iterable, Numbered) else iterable
    space = held.space if isinstance(held, Value) and held.private else None
    if not isinstance(space, Cells):
        return None
    text = interpreter.text(node.iter)
    if space.different:
        raise interpreter.stop(
            node.iter, "unsupported-syntax",
            f"{text} is a set, which is not looped over: its order could be seen",
            "the parts in their order, or whether one is among them",
            'for word in WORDS, with "if word in" the set',
        )  # fmt: skip
    if space.most is None or space.most > MOST:
        raise interpreter.stop(
            node.iter, "unsupported-syntax",
            f"nothing says how many parts {text} has at most: a row with many of them would do more"
            " rounds than others",
            f"a slice with literal ends, of at most {MOST} parts",
            f"{text}[:5]",
        )  # fmt: skip
    plain = _counts_plainly(node.iter, iterable) if numbered else True
    if node.orelse or not plain or any(isinstance(each, _ENDS) for each in _inside(node)):
        raise interpreter.stop(
            node, "unsupported-syntax",
            "a loop over the parts of a text goes through all of them",
            "a loop without break, return and else", "a condition in place of `break`",
        )  # fmt: skip
    if not _is_builtin(interpreter):
        raise interpreter.stop(
            node, "unsupported-syntax", "`len` means something else here", "Python's own `len`",
            "another name for it",
        )  # fmt: skip
    interpreter.act(node, "parts", f"{space.most}:{int(numbered)}")
    return over_parts(node, space.most, numbered)


_ENDS = (ast.Break, ast.Continue, ast.Return, ast.Yield, ast.YieldFrom)


def _inside(node: ast.For) -> list[ast.AST]:
    return [each for statement in node.body for each in ast.walk(statement)]


def _counts_plainly(node: ast.expr, iterable: Obj) -> bool:
    """Whether an expression is `enumerate(parts)`."""
    one = isinstance(node, ast.Call) and len(node.args) == 1 and not node.keywords
    return one and isinstance(iterable, Numbered) and iterable.start == ZERO


def _is_builtin(interpreter: Interpreter) -> bool:
    found: Any = interpreter.evaluate(ast.Name("len", ast.Load()), Frame({}, None))
    return isinstance(found, Builtin | Primitive)
