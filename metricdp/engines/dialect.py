"""The SQL of an engine: what is written in another way on each, one class for each engine.

What all engines write alike is in `forms`, `steps`, `elementary`, `persons` and `rows`.  Nothing
here has a default that an engine could forget: a dialect that lacks a method cannot be made.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Final

from metricdp.columns.language import Node, nearest

#: The ends of integers of 64 bits.
LEAST: Final = -(1 << 63)
MOST: Final = (1 << 63) - 1
#: Base of a column -> what stands where no value is.
NOTHING: Final = {"integer": "0", "boolean": "false", "double": "0e0", "text": "''"}


class NoForm(Exception):
    """An operation has no form on the engine.

    Attributes:
        what: the operation, in words.
    """

    def __init__(self, what: str) -> None:
        self.what = what
        super().__init__(what)


class Dialect(ABC):
    """How an engine writes what the forms are made of.

    Arguments are expressions in SQL, and so are results.  Integers have 64 bits, or the 124 that
    `huge` holds; whoever calls has shown that they fit.  No expression may raise, whatever is in
    the rows, and none is NULL unless this is said.

    Attributes:
        huge: the type of integers of 124 bits.
        repeating: operators whose forms have an argument in several places on this engine, though
            not on all.
        one_order: whether rows of groups are best put in order all at once, by all that they hold,
            and not those of large groups alone.
    """

    huge: str
    one_order: bool
    repeating: frozenset[str]

    # Public values.

    @abstractmethod
    def double(self, value: float) -> str:
        """A double."""

    @abstractmethod
    def whole(self, value: int) -> str:
        """An integer of at most 126 bits, in the smaller of the two types that hold it."""

    @abstractmethod
    def quoted(self, text: str) -> str:
        """A text.

        Raises:
            NoForm: half of a surrogate pair, which no text of an engine holds.
        """

    @abstractmethod
    def name(self, text: str) -> str:
        """The name of a column in quotes."""

    def literal(self, value: Any, node: Node) -> str:
        """A public value of the kind of a node.

        Raises:
            NoForm: the engine has no such value.
        """
        if node.base == "text":
            return self.quoted(value)
        if node.base == "boolean":
            return "true" if value else "false"
        if node.base == "integer":
            if not -(1 << 126) < value < 1 << 126:
                raise NoForm("whole numbers beyond 126 bits")
            return self.whole(int(value))
        return self.double(value)

    def key(self, key: Any, row: Node) -> str | None:
        """A public key as a value of the kind of a node; None where no such value equals it."""
        if isinstance(key, str) or row.base == "text":
            held = isinstance(key, str) and row.base == "text" and key == as_held(key)
            return self.quoted(key) if held else None
        if not isinstance(key, int | float | Fraction):
            return None
        try:
            number = Fraction(key)
        except (ValueError, OverflowError):
            return None
        if row.base == "boolean":
            return {Fraction(0): "false", Fraction(1): "true"}.get(number)
        if row.base == "integer":
            whole = number.denominator == 1 and abs(number) < 1 << 126
            return self.literal(number.numerator, row) if whole else None
        found = nearest(number)
        return self.double(found) if Fraction(found) == number else None

    # Numbers.

    @abstractmethod
    def rounded(self, operator: str, x: str) -> str:
        """A double made whole, as a double: by "floor", "ceil", "trunc" or "round" (ties to even).

        Of -0.0, infinite ones and what is no number, as IEEE 754 has it.
        """

    @abstractmethod
    def nearest(self, x: str) -> str:
        """The integer of 64 bits nearest to a double below 2**62 in size, ties to even."""

    @abstractmethod
    def quotient(self, x: str, y: str, most: float) -> str:
        """The whole part of the quotient of two integers, of which the second is not 0.

        Args:
            most: bound on the size of `x`.

        Raises:
            NoForm: they may be too large.
        """

    @abstractmethod
    def double_of(self, x: str, most: float) -> str:
        """The double nearest to an integer, ties to even.

        Args:
            most: bound on its size, below 2**124.
        """

    @abstractmethod
    def root(self, x: str) -> str:
        """The root of a double above 0."""

    @abstractmethod
    def divided(self, x: str, y: str) -> str:
        """The quotient of two doubles; anything, or NULL, where the second is 0."""

    # Bits.

    @abstractmethod
    def bits(self, x: str) -> str:
        """The 64 bits of a double, as an integer with a sign."""

    @abstractmethod
    def of_bits(self, x: str) -> str:
        """The double of 64 bits."""

    @abstractmethod
    def exclusive(self, x: str, y: str) -> str:
        """The bits of integers of 64 bits that differ."""

    @abstractmethod
    def down(self, x: str, places: str) -> str:
        """An integer of 64 bits without its last ones, rounded down."""

    @abstractmethod
    def entry(self, values: Sequence[str], at: str, base: str) -> str:
        """A public value by its place, from 0 on; NULL where there is none."""

    # Texts.

    @abstractmethod
    def collated(self, text: str) -> str:
        """A text that is equal to those that have the same characters, whatever collation holds."""

    @abstractmethod
    def holds(self, text: str, part: str) -> str:
        """Whether a text has another one in it."""

    @abstractmethod
    def starts(self, text: str, part: str) -> str:
        """Whether a text begins with another one."""

    @abstractmethod
    def ends(self, text: str, part: str) -> str:
        """Whether a text ends with another one."""

    @abstractmethod
    def length(self, text: str) -> str:
        """How many characters a text has, as an integer."""

    @abstractmethod
    def word_of_text(self, text: str) -> str:
        """The first 60 bits of the MD5 of its UTF-8, as an integer."""

    @abstractmethod
    def word_of_double(self, x: str, whole: str) -> str:
        """A double below 2**63 in size as an integer where a condition says that it is whole, and
        its bits elsewhere."""

    # Days.

    @abstractmethod
    def day_part(self, name: str, days: str) -> str:
        """A part of a date, of the days since 1970; see `columns.days`."""

    @abstractmethod
    def moment(self, instant: int) -> str:
        """A moment that has a zone, of its microseconds since 1970 in UTC."""

    # Rows.

    @abstractmethod
    def total(self, x: str, most: int) -> str:
        """The exact sum of integers over rows, below 2**41 of them; NULL of none.

        Args:
            most: bound on their size, below 2**86.
        """

    @abstractmethod
    def different(self, texts: Sequence[str]) -> str:
        """How many different values, or combinations of them, the rows hold."""

    @abstractmethod
    def among(self, parts: Sequence[tuple[str, Node]], keys: Sequence[Sequence[str]]) -> str:
        """Whether values are those of one of some public keys.

        Args:
            parts: the values, and the nodes of which they are.
            keys: for each key as many values.
        """

    @abstractmethod
    def small_table(self, columns: Sequence[tuple[str, Sequence[Any], str]]) -> str:
        """What stands behind FROM for a small table.

        Args:
            columns: the name, the values and the base of each.

        Raises:
            NoForm: the engine takes no such tables.
        """

    # What is read.

    @abstractmethod
    def read(self, kind: str, told: str, raw: str) -> str | None:
        """A stored column in the type that columns of a kind have; None of one of another kind.

        Whole numbers are moved into 64 bits, dates and times become days and microseconds.

        Args:
            kind: "int", "float", "bool", "str", "date", "datetime", or "instant": a moment that
                has a zone, in microseconds of UTC, at most a day beyond the years 1 to 9999.
            told: its type.
            raw: its name.
        """

    @abstractmethod
    def looked_at(self, text: str) -> str:
        """A number that depends on every value of a column, so that all are read."""


def as_held(text: str) -> str:
    """What an engine holds of a text: half of a surrogate pair is a question mark."""
    return text.encode(errors="replace").decode()


def encoded(text: str) -> bytes:
    """The UTF-8 of a text.

    Raises:
        NoForm: half of a surrogate pair.
    """
    if text != as_held(text):
        raise NoForm("a text that is no Unicode")
    return text.encode()
