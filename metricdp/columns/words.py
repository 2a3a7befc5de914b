"""The parts into which a method takes a text of every row apart: what may be asked of them."""

from __future__ import annotations

from typing import Any

from metricdp.columns.language import Node, Untraceable, by_value, constant, contained, text
from metricdp.columns.moments import Instant
from metricdp.columns.moments import contained as contained_instant


class TextPieces:
    """`t.split(",")` of the text of every row: how many parts there are depends on the row.

    Attributes:
        whole: the text.
        name: the method.
        given: the public values that it is given.
        cuts: start, stop and step of the slices of the parts, one after the other; nothing where
            what is there becomes a set.
    """

    __slots__ = ("cuts", "given", "name", "whole")
    __array_ufunc__ = None

    def __init__(
        self, whole: Any, name: str, given: tuple[Any, ...], cuts: tuple[Any, ...] = ()
    ) -> None:
        self.whole, self.name, self.given, self.cuts = whole, name, given, cuts

    def cut(self, start: int | None, stop: int | None, step: int | None) -> TextPieces:
        """Some of the parts."""
        return TextPieces(self.whole, self.name, self.given, (*self.cuts, (start, stop, step)))

    # Python would compare stand-ins, or go through them, where their values are meant.
    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        raise Untraceable("a comparison of the parts of a text")

    def __bool__(self) -> bool:
        raise Untraceable("the truth value of the parts of a text")

    def __iter__(self) -> Any:
        raise Untraceable("going through the parts of a text")

    def __len__(self) -> int:
        raise Untraceable("the number of parts of a text")

    def __repr__(self) -> str:
        return f"TextPieces({self.name})"

    def once(self) -> TextPieces:
        """The different parts, as a set."""
        return TextPieces(self.whole, self.name, self.given, (*self.cuts, ()))

    def at(self, position: Any) -> Node:
        """The part at a public position; the empty text where there is none."""
        place = constant(position)
        if place.operator != "constant" or place.base not in ("integer", "double"):
            raise Untraceable("a part of a text at a position of the row")
        return text(self.whole, "piece", self.name, self.given, int(place.public), self.cuts)

    def size(self) -> Node:
        """How many parts there are."""
        return text(self.whole, "pieces_of", self.name, self.given, self.cuts)

    def holds(self, part: Any) -> Node:
        """Whether a part is this public value."""
        if isinstance(part, Node):
            raise Untraceable("a part of a text that another value of the row decides")
        plain = _plain(part)
        return text(self.whole, "among_pieces", self.name, self.given, plain, self.cuts)


def _plain(part: Any) -> Any:
    return part if isinstance(part, str) else None


def length_of(x: Any) -> Any:
    """The number of characters of a text, of its parts, or of the entries of a vector."""
    if isinstance(x, TextPieces):
        return x.size()
    if isinstance(x, Node) and x.base == "text":
        return text(x, "len")
    return len(x)


def lies_in(x: Any, y: Any) -> Any:
    """`x in y`: a part of a text, one of the parts of a text, one of some public values."""
    if isinstance(y, TextPieces):
        return y.holds(x)
    if isinstance(x, Instant):
        return contained_instant(x, y)
    if isinstance(y, Node):
        if isinstance(x, Node):
            texts = x.base == y.base == "text"
            return by_value(_inside, "boolean", x, y) if texts else constant(False)
        if y.base != "text":
            raise Untraceable("what lies in a value of a row")
        return text(y, "holds", x) if isinstance(x, str) else constant(False)
    if isinstance(y, str):
        a = constant(x)
        return text(a, "lies_in", y) if a.base == "text" else constant(False)
    if isinstance(y, list | tuple | set | frozenset | dict):
        return contained(x, y)
    items = y.tolist() if hasattr(y, "tolist") else None
    return contained(x, items) if isinstance(items, list) else constant(False)


def _inside(x: str, y: str) -> bool:
    return x in y
