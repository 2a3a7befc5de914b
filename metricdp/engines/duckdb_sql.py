"""The SQL of DuckDB."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from math import isinf
from typing import Any, Final

from metricdp.columns.language import Node, nearest
from metricdp.columns.zones import EARLIEST, LATEST
from metricdp.engines.dialect import LEAST, MOST, Dialect, as_held, encoded

#: Sizes that integers of 64 bits hold after one more sum.
_LONG: Final = float(1 << 62)
_ROUNDING: Final = {"floor": "floor({})", "ceil": "ceil({})", "trunc": "trunc({})",
                    "round": "round_even({}, 0)"}  # fmt: skip
_DAY_PARTS: Final = {"year": "year", "month": "month", "day": "day", "iso_year": "isoyear",
                     "iso_week": "week", "iso_weekday": "isodow"}  # fmt: skip
#: What a column of a small table is made of its texts.
_CASTS: Final = {"integer": "CAST({} AS HUGEINT)", "boolean": "CAST({} AS BOOLEAN)",
                 "double": "CAST({} AS DOUBLE)", "text": "{}"}  # fmt: skip
_WHOLE: Final = frozenset("TINYINT SMALLINT INTEGER BIGINT UTINYINT USMALLINT UINTEGER".split())
_WIDE: Final = frozenset("UBIGINT HUGEINT UHUGEINT".split())
_DOUBLES: Final = frozenset("FLOAT DOUBLE".split())
#: Entries of a list that are written one by one.
_MANY: Final = 64
#: The type of moments that have a zone.
MOMENT: Final = "TIMESTAMP WITH TIME ZONE"
_TIMES: Final = frozenset("TIMESTAMP TIMESTAMP_S TIMESTAMP_MS TIMESTAMP_NS".split())


class DuckDB(Dialect):
    """Dialect of DuckDB; see `Dialect`."""

    huge = "HUGEINT"
    one_order = False
    repeating: frozenset[str] = frozenset()

    def double(self, value: float) -> str:
        """Without an exponent it would be a decimal."""
        if isinf(value):
            return f"CAST('{'-' if value < 0 else ''}infinity' AS DOUBLE)"
        text = repr(nearest(value))
        text = text if "e" in text else f"{text}e0"
        return f"({text})" if value < 0 else text

    def whole(self, value: int) -> str:
        return f"({value})" if value < 0 else str(value)

    def quoted(self, text: str) -> str:
        encoded(text)
        written = "'" + text.replace("'", "''") + "'"
        if "\0" not in written:
            return written
        # DuckDB before 2 takes the character 0 for the end of a query.
        return "(" + written.replace("\0", "' || chr(0) || '") + ")"

    def name(self, text: str) -> str:
        return '"' + text.replace('"', '""') + '"'

    def rounded(self, operator: str, x: str) -> str:
        return _ROUNDING[operator].format(x)

    def nearest(self, x: str) -> str:
        return f"CAST({x} AS BIGINT)"

    def quotient(self, x: str, y: str, most: float) -> str:
        return f"{x} // {y}"

    def double_of(self, x: str, most: float) -> str:
        """Integers of 128 bits do not become the nearest doubles: of 64 bits they do, and of these
        the last one stands for all that were left out."""
        if most < _LONG:
            return f"CAST(CAST({x} AS BIGINT) AS DOUBLE)"
        size, bits = f"abs(CAST({x} AS HUGEINT))", 64
        while 2.0**bits < most * (1 + 2**-20):
            bits += 8
        found = ""
        for more in range(bits, 64, -8):
            unit = 1 << more - 64
            lost = f"CASE WHEN {size} % {unit} <> 0 AND {size} // {unit} % 2 = 0 THEN 1 ELSE 0 END"
            head = f"CAST(CAST({size} // {unit} + {lost} AS UBIGINT) AS DOUBLE)"
            found += f"WHEN {size} >= {1 << more - 8} THEN {head} * {self.double(float(unit))} "
        near = f"CAST(CAST({size} AS UBIGINT) AS DOUBLE)"
        near = f"CASE {found}ELSE {near} END" if found else near
        return f"CASE WHEN {x} < 0 THEN -1e0 ELSE 1e0 END * {near}"

    def root(self, x: str) -> str:
        return f"sqrt({x})"

    def divided(self, x: str, y: str) -> str:
        return f"({x} / {y})"

    def bits(self, x: str) -> str:
        return f"CAST(CAST({x} AS BIT) AS BIGINT)"

    def of_bits(self, x: str) -> str:
        return f"CAST(CAST({x} AS BIT) AS DOUBLE)"

    def exclusive(self, x: str, y: str) -> str:
        return f"xor({x}, {y})"

    def down(self, x: str, places: str) -> str:
        return f"({x} >> {places})"

    def entry(self, values: Sequence[str], at: str, base: str) -> str:
        entries = f"[{', '.join(values)}]"
        if len(values) > _MANY and base == "integer" and all(map(str.isdecimal, values)):
            entries = f"'{entries}'"  # one constant is planned sooner than many
        entries = f"CAST({entries} AS BIGINT[])" if base == "integer" else entries
        return f"{entries}[{at} + 1]"

    def collated(self, text: str) -> str:
        """A column, or a whole database, may hold "a" and "A" to be equal, or "e" and "é"."""
        return f'({text} COLLATE "binary")'

    def holds(self, text: str, part: str) -> str:
        return f"contains({text}, {part})"

    def starts(self, text: str, part: str) -> str:
        return f"starts_with({text}, {part})"

    def ends(self, text: str, part: str) -> str:
        return f"suffix({text}, {part})"

    def length(self, text: str) -> str:
        return f"length({text})"

    def word_of_text(self, text: str) -> str:
        return f"CAST('0x' || left(md5({text}), 15) AS BIGINT)"

    def word_of_double(self, x: str, whole: str) -> str:
        return f"CASE WHEN {whole} THEN TRY_CAST({x} AS BIGINT) ELSE {self.bits(x)} END"

    def day_part(self, name: str, days: str) -> str:
        """Calendars of both go back from the Gregorian one, and forward."""
        return f"date_part('{_DAY_PARTS[name]}', DATE '1970-01-01' + CAST({days} AS INTEGER))"

    def moment(self, instant: int) -> str:
        return f"make_timestamptz({instant})"

    def total(self, x: str, most: int) -> str:
        """Integers of 64 bits are added in 128."""
        return f"sum({x})"

    def different(self, texts: Sequence[str]) -> str:
        listed = ", ".join(texts)
        return f"count(DISTINCT {listed if len(texts) == 1 else f'({listed})'})"

    def among(self, parts: Sequence[tuple[str, Node]], keys: Sequence[Sequence[str]]) -> str:
        wanted = ", ".join(f"({', '.join(key)})" for key in keys)
        return f"({', '.join(text for text, _ in parts)}) IN ({wanted})"

    def small_table(self, columns: Sequence[tuple[str, Sequence[Any], str]]) -> str:
        """One text for each column, whose parts a separator divides that is in none of them."""
        parts = (f"{self._column(values, base)} AS {name}" for name, values, base in columns)
        return f"(SELECT {', '.join(parts)})"

    def _column(self, values: Sequence[Any], base: str) -> str:
        """Values as the entries of a column, in their order."""
        if base == "text":
            texts = list(map(as_held, values))
        elif base == "boolean":
            texts = ["true" if value else "false" for value in values]
        else:
            texts = [repr(value) for value in values]
        whole = "\x1e".join(texts)
        mark = next(mark for n in count() if (mark := f"\x1f{n}\x1d") not in whole)
        split = f"unnest(string_split({self.quoted(mark.join(texts))}, '{mark}'))"
        found = _CASTS[base].format(split)
        return self.collated(found) if base == "text" else found

    def read(self, kind: str, told: str, raw: str) -> str | None:
        base = told.partition("(")[0]
        if kind == "str" and base in ("VARCHAR", "ENUM"):
            return f"CAST({raw} AS VARCHAR)" if base == "ENUM" else raw
        if kind == "bool" and base == "BOOLEAN":
            return raw
        if kind == "int" and (base in _WHOLE or base == "BOOLEAN"):
            return f"CAST({raw} AS BIGINT)"
        if kind == "int" and base in _WIDE:
            if base == "UHUGEINT":  # of which some are no integers of 128 bits with a sign
                raw = f"CASE WHEN {raw} > {MOST} THEN {MOST} ELSE TRY_CAST({raw} AS HUGEINT) END"
            return _saturated(raw)
        if kind == "float" and (base in _DOUBLES or base in _WHOLE or base == "BOOLEAN"):
            return raw if base == "DOUBLE" else f"CAST({raw} AS DOUBLE)"
        if kind == "int" and base == "DECIMAL" and told.endswith(",0)"):
            return _saturated(f"CAST({raw} AS HUGEINT)")
        if kind == "float" and base == "DECIMAL":
            # By way of its text: the nearest double, where DuckDB's own cast is now and then off.
            return f"CAST(CAST({raw} AS VARCHAR) AS DOUBLE)"
        if kind == "date" and (base == "DATE" or base in _TIMES):
            return _days(f"CAST({raw} AS DATE)")
        if kind == "datetime" and base in _TIMES:
            return _micros(f"CAST({raw} AS TIMESTAMP)")
        if kind == "instant" and base == MOMENT:
            # Infinite ones have no number, so moments are moved before.
            ends = self.moment(EARLIEST), self.moment(LATEST)
            return _between(raw, *ends, "epoch_us({})")
        return None

    def looked_at(self, text: str) -> str:
        return f"sum(hash({text}))"


def of_cell(kind: str, raw: str) -> str:
    """What a cell of a text file holds, as `read` gives it; NULL of one of another kind."""
    if kind == "str":
        return raw
    cast = f"TRY_CAST({raw} AS {_CELLS[kind]})"
    if kind == "int":
        return _saturated(cast)
    return {"date": _days(cast), "datetime": _micros(cast)}.get(kind, cast)


def moment_of_cell(raw: str) -> str:
    """The moment of a cell of a text file that names its distance from UTC; NULL of none."""
    return f"TRY_CAST({raw} AS {MOMENT})"


_CELLS: Final = {"int": "HUGEINT", "float": "DOUBLE", "bool": "BOOLEAN", "date": "DATE",
                 "datetime": "TIMESTAMP"}  # fmt: skip


def _saturated(text: str) -> str:
    """A whole number of any size, moved into 64 bits."""
    return _between(text, f"CAST({LEAST} AS HUGEINT)", str(MOST), "CAST({} AS BIGINT)")


def _between(text: str, low: str, high: str, made: str) -> str:
    """What is made of a value moved between two others; nothing of one that is missing, which
    `least` and `greatest` would pass over."""
    moved = made.format(f"least(greatest({text}, {low}), {high})")
    return f"CASE WHEN ({text}) IS NOT NULL THEN {moved} END"


def _days(text: str) -> str:
    """Days since 1970 of a date; of an infinite one the last there is."""
    low, high = "DATE '0001-01-01'", "DATE '9999-12-31'"
    return _between(text, low, high, "CAST({} - DATE '1970-01-01' AS BIGINT)")


def _micros(text: str) -> str:
    low, high = "TIMESTAMP '0001-01-01 00:00:00'", "TIMESTAMP '9999-12-31 23:59:59.999999'"
    return _between(text, low, high, "epoch_us({})")
