"""Markers that annotations are written with: elements, norms and metrics on records.

Each marker is a class that is never instantiated; its `name` is what spaces store and print.
"""

from __future__ import annotations

from typing import ClassVar, Literal, TypeGuard

from metricdp.errors import SpaceError

Element = Literal["Real", "Int", "Bool", "Data"]
Norm = Literal["L1", "L2", "LInf"]
RecordMetric = Literal["Symmetric", "InsertDelete", "ChangeOne", "Hamming"]


class Marker:
    """Base of the markers.  Attributes: name: the printed name."""

    name: ClassVar[str] = ""


class Real(Marker):
    """Real numbers with the distance abs(x - y); NaN and the infinities are outside."""

    name = "Real"


class Int(Marker):
    """Integers with the distance abs(x - y)."""

    name = "Int"


class Bool(Marker):
    """False and True, at distance 1."""

    name = "Bool"


class Data(Marker):
    """Any scalar; the distance is 0 if equal and 1 otherwise."""

    name = "Data"


class L1(Marker):
    """Sum of the entries' distances."""

    name = "L1"


class L2(Marker):
    """Root of the sum of the squared distances of the entries."""

    name = "L2"


class LInf(Marker):
    """Largest distance of an entry."""

    name = "LInf"


class Symmetric(Marker):
    """Multisets: number of additions and removals."""

    name = "Symmetric"


class InsertDelete(Marker):
    """Lists: fewest insertions and deletions."""

    name = "InsertDelete"


class ChangeOne(Marker):
    """Multisets of one public size: half the symmetric distance."""

    name = "ChangeOne"


class Hamming(Marker):
    """Lists of one public length: number of positions that differ."""

    name = "Hamming"


ELEMENTS = {m.name: m for m in (Real, Int, Bool, Data)}
NORMS = {m.name: m for m in (L1, L2, LInf)}
RECORD_METRICS = {m.name: m for m in (Symmetric, InsertDelete, ChangeOne, Hamming)}
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


def norm_name(item: object) -> Norm:
    """The norm named by a marker or a string.

    Raises:
        SpaceError: `item` names no norm.
    """
    name = item.name if is_marker(item) else item
    if isinstance(name, str) and name in NORMS:
        return name  # type: ignore[return-value]
    raise SpaceError(f"{show(item)} is no norm", remedy="write L1, L2 or LInf")


def record_metric_name(item: object) -> RecordMetric:
    """The metric on records named by a marker or a string.

    Raises:
        SpaceError: `item` names no metric on records.
    """
    name = item.name if is_marker(item) else item
    if name in RECORD_METRICS:
        return name  # type: ignore[return-value]
    raise SpaceError(
        f"{show(item)} is no metric on records",
        remedy="write Symmetric, InsertDelete, ChangeOne or Hamming",
    )


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
