"""Markers that annotations are written with: elements here; norms and row metrics beside.

Each marker is a class that is never instantiated; its `name` is what spaces store and print.
"""

from __future__ import annotations

from typing import ClassVar, Literal, TypeGuard

from metricdp.errors import SpaceError

Element = Literal["Real", "Int", "Bool", "Data"]


class Marker:
    """Base of the markers.  Attributes: name: the printed name."""

    name: ClassVar[str] = ""

    @classmethod
    def example(cls) -> str:
        """An annotation with this marker in its place."""
        raise NotImplementedError


class ElementMarker(Marker):
    """What an entry is, and how far two of them are apart.

    Attributes:
        discrete: two entries that differ are at distance 1.
    """

    discrete: ClassVar[bool] = False

    @classmethod
    def example(cls) -> str:
        return f"Vector[{cls.name}, L2]"


class Real(ElementMarker):
    """Real numbers with the distance abs(x - y); NaN and the infinities are outside."""

    name = "Real"


class Int(ElementMarker):
    """Integers with the distance abs(x - y)."""

    name = "Int"


class Bool(ElementMarker):
    """False and True, at distance 1."""

    name = "Bool"
    discrete = True


class Data(ElementMarker):
    """Any scalar; the distance is 0 if equal and 1 otherwise."""

    name = "Data"
    discrete = True


ELEMENTS: dict[str, type[ElementMarker]] = {m.name: m for m in (Real, Int, Bool, Data)}
_BUILTINS: dict[object, Element] = {float: "Real", int: "Int", bool: "Bool", str: "Data"}


def is_marker(item: object) -> TypeGuard[type[Marker]]:
    """Whether `item` is one of the marker classes."""
    return isinstance(item, type) and issubclass(item, Marker)


def element_name(item: object) -> Element:
    """The element named by a marker, a string or a builtin type (float, int, bool, str).

    Raises:
        SpaceError: `item` names no element.
    """
    name = item.name if is_marker(item) else item
    if isinstance(name, str) and name in ELEMENTS:
        return name  # type: ignore[return-value]
    if isinstance(item, type) and item in _BUILTINS:
        return _BUILTINS[item]
    raise SpaceError(f"{show(item)} is no element", remedy="write Real, Int, Bool or Data")


def show(item: object) -> str:
    """Short text of an annotation part, for messages."""
    if is_marker(item):
        return item.name
    if isinstance(item, type):
        return item.__name__
    try:
        text = repr(item) if isinstance(item, (str, int, float, tuple)) else str(item)
    except ValueError:  # more digits than Python prints
        return f"a {type(item).__name__}"
    if isinstance(item, (str, int, float, tuple)) and len(text) <= 200:
        return text
    return text if len(text) <= 60 else text[:57] + "..."
