"""What rules of texts share: which values are texts, what a function of one text gives."""

from __future__ import annotations

from metricdp.expr import INF, ONE, Expr, num
from metricdp.record import Arg, Moves, scalar_moves
from metricdp.spaces import Scalar, Space

#: A private text: any function of it into discrete values is 1-stable.
TEXT = Scalar("Data", kind="str")
TRUTH = Scalar("Bool")
MOVES: Moves = scalar_moves(ONE)


def is_text(x: Arg) -> bool:
    """Whether an argument is a private text."""
    return x.private and isinstance(x.space, Scalar) and x.space.kind == "str"


def whole(least: int, most: Expr = INF) -> Scalar:
    """An integer that a text decides, under the discrete metric like the text."""
    return Scalar("Data", num(least), most, "int")


def result_of(kind: str, least: int = 0) -> Space:
    """The space of a "text", a "boolean", or an "integer" of at least so much."""
    return {"text": TEXT, "boolean": TRUTH}.get(kind) or whole(least)


def known_wrong(x: Arg, *wanted: type) -> bool:
    """Whether a public argument is certainly of none of these types."""
    if x.private:
        return True
    if x.value is not None:
        return int not in wanted or x.value.is_integer() is False
    return x.literal is not None and not isinstance(x.literal, wanted)
