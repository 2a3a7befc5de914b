"""Exact sums of doubles in an engine's SQL, each rounded once to the nearest double.

A double below 2**42 in size is three whole numbers of 42 bits, in steps of 2**-20, 2**-62 and
2**-104: each is cut off towards zero, and what is left is exact, since it has fewer bits.  Sums of
these are integers.  Put together they are one number of steps of 2**-104, or, where that is too
long, one of 2**-39 whose last bit says whether anything was left out: it lies below all bits of the
double, so that the nearest one is the same.  A double that is not three such numbers is `odd`; who
asks adds the sums of which one is a part in another way.

Bounds: below 2**41 rows, sums of parts are below 2**103, where parts are carried on below 2**104;
what is put together below 2**124.
"""

from __future__ import annotations

from typing import Final

from metricdp.engines.dialect import Dialect

#: Bits of each part, and of the steps of the first one.
_PART: Final = 42
_FIRST: Final = 20
#: Bits below the first part that are kept of sums which do not fit with all of them.
_KEPT: Final = 18
#: Bits of the first part of sums that fit.
_FITS: Final = 39
#: Bounds on the size of sums of parts, of the lower two of these, and of what is put together.
_SUMS: Final = 2.0**104
_LOW: Final = 2.0**85
_WHOLE: Final = 2.0**124

#: Names of the parts of a double, and of whether it is odd.
PARTS: Final = ("part0", "part1", "part2")
ODD: Final = "odd"


def in_parts(sql: Dialect, source: str, x: str) -> str:
    """A query with the parts of a column of doubles as columns more, and whether it is odd."""
    most = sql.double(2.0**_PART)
    found = (
        f"(SELECT *, CASE WHEN abs({x}) < {most} THEN {x} * {sql.double(2.0**_FIRST)} "
        f"ELSE 0e0 END AS rest0 FROM {source})"
    )
    for at in range(3):
        found = f"(SELECT *, {sql.rounded('trunc', f'rest{at}')} AS cut{at} FROM {found})"
        rest = f"(rest{at} - cut{at}) * {most} AS rest{at + 1}"
        found = f"(SELECT *, CAST(cut{at} AS BIGINT) AS {PARTS[at]}, {rest} FROM {found})"
    odd = f"CASE WHEN abs({x}) >= {most} OR rest3 <> 0 THEN 1 ELSE 0 END AS {ODD}"
    return f"(SELECT *, {odd} FROM {found})"


def totals(sql: Dialect) -> list[str]:
    """The sums of the parts, by the names of these, and whether one is odd."""
    sums = [f"{sql.total(part, 1 << 62)} AS {part}" for part in PARTS]
    return [*sums, f"max({ODD}) AS {ODD}"]


def put_together(sql: Dialect, source: str) -> tuple[str, str]:
    """A query over one that has sums of parts, and the double that is nearest to their sum."""
    first, second, third = PARTS
    huge, unit = sql.huge, sql.whole(1 << _PART)

    def layer(*texts: str) -> None:
        nonlocal source
        source = f"(SELECT *, {', '.join(texts)} FROM {source})"

    def product(x: str, bits: int) -> str:
        return f"(CAST({x} AS {huge}) * {sql.whole(1 << bits)})"

    layer(f"CAST({sql.quotient(third, unit, _SUMS)} AS {huge}) AS carry0")
    layer(f"{third} - {product('carry0', _PART)} AS low0", f"{second} + carry0 AS middle")
    layer(f"CAST({sql.quotient('middle', unit, _SUMS)} AS {huge}) AS carry1")
    carried = product("carry1", _PART)
    layer(
        f"{product(f'(middle - {carried})', _PART)} + low0 AS low",
        f"CAST({first} + carry1 AS {huge}) AS high",
    )
    below, dropped = sql.whole(1 << _FITS), 2 * _PART - _KEPT
    without = sql.quotient("low", sql.whole(1 << dropped), _LOW)
    layer(
        f"CASE WHEN abs(high) < {below} THEN high ELSE 0 END AS short",
        f"CAST({without} AS {huge}) AS kept",
    )
    layer(f"low - {product('kept', dropped)} AS left_out")
    sign = "CASE WHEN left_out > 0 THEN 1 WHEN left_out < 0 THEN -1 ELSE 0 END"
    last = f"CASE WHEN abs(high) < {below} THEN low ELSE 0 END"
    layer(
        f"{product('short', 2 * _PART)} + {last} AS fine",
        f"({product('high', _KEPT)} + kept) * 2 + {sign} AS coarse",
    )
    fine = f"{sql.double_of('fine', _WHOLE)} * {sql.double(2.0 ** -(_FIRST + 2 * _PART))}"
    coarse = f"{sql.double_of('coarse', _WHOLE)} * {sql.double(2.0 ** -(_FIRST + _KEPT + 1))}"
    return source, f"CASE WHEN abs(high) < {below} THEN {fine} ELSE {coarse} END"
