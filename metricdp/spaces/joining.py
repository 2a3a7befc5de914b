"""Whether one space fits into another, and the conversion that would join two that do not."""

from __future__ import annotations

from typing import Any

from metricdp.expr import Expr, compare
from metricdp.spaces.base import Space
from metricdp.spaces.missing import Maybe
from metricdp.spaces.scalars import Scalar

_EXACT = (
    "element", "norm", "metric", "names", "kind", "type", "per", "column", "whose", "day", "zone",
)  # fmt: skip
_SIZES = ("size", "rows", "cols")


def fits(inner: Space, outer: Space) -> bool:
    """Same metric, and every value of `inner` belongs to `outer`: bounds may only be tighter."""
    if inner == outer:
        return True
    if isinstance(outer, Maybe) and isinstance(inner, Scalar):
        return fits(inner, outer.inner)  # rows that are never missing
    if type(inner) is not type(outer):
        return False
    for name in _EXACT:
        if getattr(inner, name, None) != getattr(outer, name, None):
            return False
    for name in _SIZES:
        wanted = getattr(outer, name, None)
        if wanted is not None and wanted != getattr(inner, name, None):
            return False
    return _bounded(inner, outer) and _parts_fit(inner, outer)


def _bounded(inner: Any, outer: Any) -> bool:
    if hasattr(outer, "lo"):
        low: Expr = inner.lo
        if not (compare(outer.lo, "<=", low) and compare(inner.hi, "<=", outer.hi)):
            return False
    known = dict(getattr(inner, "radius", ()))
    return all(
        norm in known and compare(known[norm], "<=", bound)
        for norm, bound in getattr(outer, "radius", ())
    )


def _parts_fit(inner: Any, outer: Any) -> bool:
    for name in ("row", "parts", "fields", "inner", "key", "value"):
        a, b = inner.__struct_fields__, outer.__struct_fields__
        if name not in a or name not in b:
            continue
        left, right = getattr(inner, name), getattr(outer, name)
        if isinstance(left, Space):
            left, right = (left,), (right,)
        if len(left) != len(right):
            return False
        if not all(fits(x, y) for x, y in zip(left, right, strict=True)):
            return False
    return True


def joined_by(inner: Space, outer: Space) -> str:
    """The conversion to put between two spaces that do not fit, or what differs."""
    a, b = _facts(inner), _facts(outer)
    if type(inner) is not type(outer):
        return f"no conversion joins {inner} to {outer}; use a map that takes {inner}"
    if a["element"] != b["element"]:
        if a["element"] == "Data":
            return "insert dp.undisc after dp.clip or dp.clamp: discrete entries become real"
        if b["element"] == "Data":
            return "insert dp.discrete: it needs entries on a grid"
        return f"insert a map from {a['element']} to {b['element']} entries"
    if a["norm"] != b["norm"]:
        return f"insert dp.norm_convert(x, {b['norm']})"
    if a["metric"] != b["metric"]:
        return f"declare both sides under {b['metric']} or under {a['metric']} distance"
    if any(a[name] != b[name] for name in ("column", "whose", "day")):
        return f"declare both sides with {getattr(outer, 'ids', '')}"
    if not _bounded(inner, outer):
        if hasattr(outer, "radius") and outer.radius:
            norm, bound = outer.radius[0]
            return f"insert dp.clip(x, {norm}, radius={bound})"
        return f"insert dp.clamp(x, {getattr(outer, 'lo', '')}, {getattr(outer, 'hi', '')})"
    row = getattr(outer, "row", None)
    if isinstance(getattr(inner, "row", None), Maybe):
        return "insert dp.impute(x, 0) or dp.drop_null(x): rows may be missing"
    if isinstance(row, Scalar):
        return f"insert dp.clamp(x, {row.lo}, {row.hi})"
    return "make the sizes of both sides equal"


def _facts(space: Space) -> dict[str, Any]:
    names = ("element", "norm", "metric", "column", "whose", "day")
    return {name: getattr(space, name, "") for name in names}
