"""Unusual values: what a Python function may be given although no declared space holds it.

Data that enter a checked function are guarded, so its spaces hold finite numbers only.  A plain
function meets whatever is in the file: NaN, infinities, the largest double, integers that no double
holds, a text that no other row has.  Under a discrete metric each of them is a row like any other,
so it has neighbours, and a claim has to hold there.  Distances of real numbers say nothing of NaN
and infinities: there only finite extremes are put in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from math import inf, isfinite, nan
from sys import float_info
from typing import Any

import msgspec

from metricdp.expr import num
from metricdp.spaces import Aligned, Keyed, Matrix, Owned, Records, Scalar, Space, TupleSpace
from metricdp.spaces.base import bound_value
from metricdp.spaces.missing import Maybe
from metricdp.spaces.products import Parts
from metricdp.spaces.rows import Row
from metricdp.spaces.same_persons import SamePersons
from metricdp.spaces.texts import Cells, Named
from metricdp.spaces.vectors import Entries

#: A text that no made or given input holds.
UNSEEN = "seen in no other row"
_FINITE = (float_info.max, -float_info.max, -0.0, 5e-324)
#: The first integer that no double holds, and the first ones beyond 64 bits.
_WHOLE = (2**63, -(2**63) - 1, 2**53 + 1, -1, 1, 0)
_TEXTS = (UNSEEN, "", "A", " a", "a ")

#: The cell of one entry, its value, and what gives the whole value with another entry there.
Place = tuple[Scalar, Any, Callable[[Any], Any]]


class Beyond(msgspec.Struct, frozen=True):
    """What inputs may hold although their space does not.

    Attributes:
        missing: NaN; not where the annotation says NoNaN.
    """

    missing: bool = True

    def of(self, cell: Scalar) -> list[Any]:
        """Unusual values of one cell, within its bounds; none of a Boolean."""
        lo, hi = bound_value(cell.lo, False), bound_value(cell.hi, True)
        kind, discrete = cell.python_kind, cell.element == "Data"
        found: Sequence[Any]
        if kind == "str":
            return list(_TEXTS)
        if kind == "bool":
            return []
        if kind == "int":
            found = _WHOLE
        else:
            # A NaN is within no bounds at all.
            missing = [nan] if self.missing and lo is None and hi is None else []
            found = [*missing, inf, -inf, *_FINITE] if discrete else _FINITE
        return [v for v in found if v != v or ((lo is None or v >= lo) and (hi is None or v <= hi))]


def beyond(annotation: Any, guarded: bool) -> Beyond | None:
    """What the inputs of a plain function may hold beside the values of their space.

    Args:
        annotation: the space, or what was written for it; None where only pairs are given.
        guarded: whatever calls the function guards its inputs; then None.
    """
    if guarded:
        return None
    from metricdp.spaces import NoNaN

    written = getattr(annotation, "__metadata__", ())
    kept_out = any(each is NoNaN or isinstance(each, NoNaN) for each in written)
    return Beyond(missing=not kept_out and not getattr(annotation, "drop_nan", False))


def beyond_of(item: Any, guarded: bool) -> Beyond | None:
    """The same of a map: of one made by hand, which gets data as they are."""
    while hasattr(item, "inner"):
        item = item.inner
    return None if item.enter is not None else beyond(item.input_space, guarded)


def holds(space: Space, value: Any, allowed: Beyond) -> bool:
    """Whether a value is one of the space, or would be with usual entries for its unusual ones.

    Args:
        value: plain (`values.plain`): its only floats are NaN and infinities.
    """
    while True:
        try:
            found = next((p for p in places(space, value) if _endless(p[1])), None)
        except (TypeError, ValueError, AttributeError, LookupError):
            return False
        if found is None:
            return space.contains(value)
        cell, entry, put = found
        if not any(entry == v or (entry != entry and v != v) for v in allowed.of(cell)):
            return False
        value = put(cell.nearest_zero())


def _endless(entry: Any) -> bool:
    return isinstance(entry, float) and not isfinite(entry)


def places(space: Space, value: Any) -> Iterator[Place]:
    """Every entry of a value of a space; none where its values have no entries."""
    if isinstance(space, Scalar):
        yield space, value, _itself
    elif isinstance(space, Maybe):
        if value is not None:
            yield from places(space.inner, value)
    elif isinstance(space, Row):
        yield from _inside(space.fields, list(space.parts(value)), space.build)
    elif isinstance(space, Named):
        cells = [cell_of(each) for each in value.values()]
        yield from _inside(cells, list(value.values()), partial(_keyed, list(value)))
    elif isinstance(space, Keyed):
        yield from _inside([space.key] * len(value), list(value), partial(_under, value))
        cells = [space.value] * len(value)
        yield from _inside(cells, list(value.values()), partial(_keyed, list(value)))
    elif isinstance(space, TupleSpace | Aligned | SamePersons):
        yield from _inside(space.parts, list(value), tuple)
    elif isinstance(space, Parts | Records | Owned | Matrix | Entries | Cells):
        yield from _inside([_item(space)] * len(value), list(value), type(value))


def cell_of(entry: Any) -> Scalar:
    """The cell that an entry of no declared space has: of its type."""
    for kind in (bool, int, str):
        if isinstance(entry, kind):
            return Scalar("Data", kind=kind.__name__)
    return Scalar("Data", kind="float")


def _item(space: Parts | Records | Owned | Matrix | Entries | Cells) -> Space:
    if isinstance(space, Parts):
        return space.part
    if isinstance(space, Records | Owned | Matrix):
        return space.row
    return Scalar("Data", kind="str") if isinstance(space, Cells) else _entry(space)


def _entry(space: Entries) -> Scalar:
    """The cell of an entry, which a bound of the whole norm bounds as well."""
    cell = space.entry
    radii = [c for _, bound in space.radius if (c := bound_value(bound, True)) is not None]
    if not radii:
        return cell
    lo = num(-min(radii)) if bound_value(cell.lo, False) is None else cell.lo
    hi = num(min(radii)) if bound_value(cell.hi, True) is None else cell.hi
    return msgspec.structs.replace(cell, lo=lo, hi=hi)


def _inside(
    spaces: Sequence[Space], parts: list[Any], build: Callable[[Any], Any]
) -> Iterator[Place]:
    for i, (space, part) in enumerate(zip(spaces, parts, strict=True)):
        for cell, entry, put in places(space, part):
            yield cell, entry, partial(_rebuilt, parts, i, put, build)


def _rebuilt(
    parts: list[Any], i: int, put: Callable[[Any], Any], build: Callable[[Any], Any], new: Any
) -> Any:
    return build([*parts[:i], put(new), *parts[i + 1 :]])


def _itself(new: Any) -> Any:
    return new


def _keyed(keys: list[Any], values: list[Any]) -> dict[Any, Any]:
    return dict(zip(keys, values, strict=True))


def _under(value: dict[Any, Any], keys: list[Any]) -> dict[Any, Any]:
    return dict(zip(keys, value.values(), strict=True))


def noted(verdict: Any, annotation: Any, guarded: bool) -> Any:
    """A survival says which values were left out because they were declared not to come."""
    if verdict.refuted:
        return verdict
    if guarded:
        what = "NaN, infinities and unseen texts"
    elif annotation is not None and beyond(annotation, False) == Beyond(missing=False):
        what = "NaN"
    else:
        return verdict
    note = f"no input held {what}: declared to be kept out by what calls it"
    return msgspec.structs.replace(verdict, details=(*verdict.details, note))
