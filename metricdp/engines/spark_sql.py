"""The SQL of Spark 4, with the settings of `spark_frames`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isinf
from typing import Any, Final

from metricdp.columns.language import Node, nearest
from metricdp.columns.zones import EARLIEST, LATEST
from metricdp.engines.dialect import LEAST, MOST, Dialect, NoForm, encoded
from metricdp.errors import InternalError
from metricdp.spaces.moments import ends_of

#: Sizes of whole quotients that a decimal with six places holds.
_QUOTIENTS: Final = float(1 << 105)
#: Sums of 64-bit integers that are added in parts of so many bits: 2**41 rows do not fill them.
_PART: Final = 22
_DAY_PARTS: Final = {"year": "year({})", "month": "month({})", "day": "day({})",
                     "iso_year": "extract(YEAROFWEEK FROM {})", "iso_week": "weekofyear({})",
                     "iso_weekday": "(weekday({}) + 1)"}  # fmt: skip
_WHOLE: Final = frozenset("tinyint smallint int bigint".split())
_DOUBLES: Final = frozenset("float double".split())

#: Makes a table of public or mapped values: names and bases of columns, and the rows.
Held = Callable[[Sequence[tuple[str, str]], Sequence[tuple[Any, ...]]], str]


class Spark(Dialect):
    """Dialect of Spark; see `Dialect`.

    Integers of 124 bits are decimals without places, of which Spark has 38 digits.

    Args:
        held: makes a small table, and gives what stands behind FROM: its values are in no text of
            a query, and so in no log of the cluster.
    """

    huge = "DECIMAL(38,0)"
    one_order = True  # one exchange of rows between workers
    repeating = frozenset("floor ceil trunc plain_floor plain_mul_integer".split())

    def __init__(self, held: Held) -> None:
        self._held = held

    def double(self, value: float) -> str:
        if isinf(value):
            return f"CAST('{'-' if value < 0 else ''}Infinity' AS DOUBLE)"
        value = nearest(value)
        return f"({value!r}D)" if value < 0 else f"{value!r}D"

    def whole(self, value: int) -> str:
        if LEAST < value <= MOST:
            return f"({value}L)" if value < 0 else f"{value}L"
        return f"CAST('{value}' AS {'BIGINT' if value == LEAST else self.huge})"

    def quoted(self, text: str) -> str:
        r"""Everything but letters and digits as its bytes: what \ and ${ mean is a setting."""
        plain = text.isascii() and text.replace(" ", "a").replace("_", "a").isalnum()
        if plain or not text:
            return f"'{text}'"
        return f"CAST(X'{encoded(text).hex()}' AS STRING)"

    def name(self, text: str) -> str:
        return "`" + text.replace("`", "``") + "`"

    def rounded(self, operator: str, x: str) -> str:
        """`floor` of Spark is an integer of 64 bits: `rint` is a double, ties to even."""
        if operator == "round":
            return f"rint({x})"
        if operator == "floor":
            return f"(CASE WHEN rint({x}) > {x} THEN rint({x}) - 1D ELSE rint({x}) END)"
        if operator == "ceil":
            return f"(-{self.rounded('floor', f'(-{x})')})"
        if operator == "trunc":
            down, up = self.rounded("floor", x), self.rounded("ceil", x)
            return f"(CASE WHEN {x} < 0D THEN {up} ELSE {down} END)"
        raise InternalError(f"a rounding that is called {operator}")

    def nearest(self, x: str) -> str:
        return f"CAST(rint({x}) AS BIGINT)"

    def quotient(self, x: str, y: str, most: float) -> str:
        """`div` is of 64 bits.  A decimal is divided without its rest, so that none is rounded."""
        if most < float(1 << 62):
            return f"(CAST({x} AS BIGINT) div CAST({y} AS BIGINT))"
        if most >= _QUOTIENTS:
            raise NoForm("quotients of whole numbers that may have more than 105 bits")
        return f"CAST((CAST({x} AS {self.huge}) - {x} % {y}) / {y} AS {self.huge})"

    def double_of(self, x: str, most: float) -> str:
        return f"CAST({x} AS DOUBLE)"

    def root(self, x: str) -> str:
        return f"sqrt({x})"

    def divided(self, x: str, y: str) -> str:
        return f"try_divide({x}, {y})"

    def bits(self, x: str) -> str:
        """Spark's SQL has no function of its own for it; the Java method gives a text."""
        return f"CAST(java_method('java.lang.Double', 'doubleToRawLongBits', {x}) AS BIGINT)"

    def of_bits(self, x: str) -> str:
        """The text of a double, which is read as the same double."""
        return f"CAST(java_method('java.lang.Double', 'longBitsToDouble', {x}) AS DOUBLE)"

    def exclusive(self, x: str, y: str) -> str:
        return f"({x} ^ {y})"

    def down(self, x: str, places: str) -> str:
        """Of 32 bits it would go around: 1 by 32 places is 1."""
        return f"shiftright(CAST({x} AS BIGINT), CAST({places} AS INT))"

    def entry(self, values: Sequence[str], at: str, base: str) -> str:
        return f"get(array({', '.join(values)}), CAST({at} AS INT))"

    def collated(self, text: str) -> str:
        """Columns of other collations are refused where they are read."""
        return text

    def holds(self, text: str, part: str) -> str:
        return f"contains({text}, {part})"

    def starts(self, text: str, part: str) -> str:
        return f"startswith({text}, {part})"

    def ends(self, text: str, part: str) -> str:
        return f"endswith({text}, {part})"

    def length(self, text: str) -> str:
        return f"CAST(length({text}) AS BIGINT)"

    def word_of_text(self, text: str) -> str:
        return f"CAST(conv(left(md5({text}), 15), 16, 10) AS BIGINT)"

    def word_of_double(self, x: str, whole: str) -> str:
        return f"CASE WHEN {whole} THEN try_cast({x} AS BIGINT) ELSE {self.bits(x)} END"

    def day_part(self, name: str, days: str) -> str:
        date = f"date_add(DATE '1970-01-01', CAST({days} AS INT))"
        return f"CAST({_DAY_PARTS[name].format(date)} AS BIGINT)"

    def moment(self, instant: int) -> str:
        return f"timestamp_micros({instant}L)"

    def total(self, x: str, most: int) -> str:
        """Integers of 64 bits would overflow, and decimals take long: parts of few bits do not."""
        if most > 1 << 62:
            return f"sum(CAST({x} AS {self.huge}))"
        x, bits = f"CAST({x} AS BIGINT)", most.bit_length()
        parts = []
        for start in range(0, bits, _PART):
            part = f"shiftright({x}, {start})" if start else x
            part = f"{part} & {(1 << _PART) - 1}L" if start + _PART < bits else part
            parts.append(f"CAST(sum({part}) AS {self.huge}) * {1 << start}L")
        return f"({' + '.join(parts)})" if parts else f"sum({x})"

    def different(self, texts: Sequence[str]) -> str:
        return f"count(DISTINCT {', '.join(texts)})"

    def among(self, parts: Sequence[tuple[str, Node]], keys: Sequence[Sequence[str]]) -> str:
        """A list of tuples has to have the types of the values."""
        wide = [node.base == "integer" and not _is_long(node) for _, node in parts]
        # Of 64 bits no integer equals a key that has more; and a list is looked up by the bits of
        # doubles, of which -0.0 has others than 0.0.
        wanted = ", ".join(
            f"({', '.join(f'CAST({x} AS {self.huge})' if w else x for x, w in each)})"
            for each in (list(zip(key, wide, strict=True)) for key in keys)
            if not any(self.huge in x and not w for x, w in each)
        ).replace("-0.0D", "0.0D")
        found = f"({', '.join(self._typed(*part) for part in parts)}) IN ({wanted})"
        return found if wanted else "false"

    def _typed(self, text: str, node: Node) -> str:
        if node.base == "integer":
            return f"CAST({text} AS {'BIGINT' if _is_long(node) else self.huge})"
        return f"({text} + 0D)" if node.base == "double" else text

    def small_table(self, columns: Sequence[tuple[str, Sequence[Any], str]]) -> str:
        rows = [*zip(*(values for _, values, _ in columns), strict=True)]
        return self._held([(name, base) for name, _, base in columns], rows)

    def read(self, kind: str, told: str, raw: str) -> str | None:
        if kind == "str" and told == "string":
            return f"make_valid_utf8({raw})"
        if kind == "bool" and told == "boolean":
            return raw
        if kind == "int" and (told in _WHOLE or told == "boolean"):
            return f"CAST({raw} AS BIGINT)"
        if kind == "int" and told.startswith("decimal(") and told.endswith(",0)"):
            wide = f"CAST({raw} AS DECIMAL(38,0))"
            return (
                f"CASE WHEN {wide} > {MOST}L THEN {self.whole(MOST)} "
                f"WHEN {wide} < {self.whole(LEAST)} THEN {self.whole(LEAST)} "
                f"ELSE try_cast({wide} AS BIGINT) END"
            )
        if kind == "float" and (told in _DOUBLES or told in _WHOLE):
            return raw if told == "double" else f"CAST({raw} AS DOUBLE)"
        if kind == "float" and told == "boolean":
            return f"CAST(CAST({raw} AS INT) AS DOUBLE)"
        if kind == "date" and told in ("date", "timestamp_ntz"):
            date = raw if told == "date" else f"CAST({raw} AS DATE)"
            return _moved(f"CAST(unix_date({date}) AS BIGINT)", *ends_of("date"))
        if kind == "datetime" and told == "timestamp_ntz":
            # The session of our own is in UTC, where every one is a time.
            return _moved(f"unix_micros(CAST({raw} AS TIMESTAMP))", *ends_of("datetime"))
        if kind == "instant" and told in ("timestamp", "timestamp_ltz"):
            return _moved(f"unix_micros({raw})", EARLIEST, LATEST)
        return None

    def looked_at(self, text: str) -> str:
        """Nothing: the copy was made of every value, and what `read` makes of one fails of none."""
        return "0"


def _is_long(node: Node) -> bool:
    """Whether an integer has 64 bits."""
    return node.operator == "stored" or node.most < 2.0**62


def _moved(text: str, low: int, high: int) -> str:
    """An integer moved between two others; NULL of NULL, which `least` would pass over."""
    return f"CASE WHEN {text} IS NOT NULL THEN least(greatest({text}, {low}L), {high}L) END"
