"""Public values in the SQL of DuckDB, and what has no form there."""

from __future__ import annotations

from fractions import Fraction
from math import isinf
from typing import Any

from metricdp.columns.language import Node, nearest


class NoForm(Exception):
    """An operation has no form on the engine.

    Attributes:
        what: the operation, in words.
    """

    def __init__(self, what: str) -> None:
        self.what = what
        super().__init__(what)


def literal(value: Any, node: Node) -> str:
    """A public value of the kind of a node."""
    if node.base == "text":
        return quoted(value)
    if node.base == "boolean":
        return "true" if value else "false"
    if node.base == "integer":
        if not -(1 << 126) < value < 1 << 126:
            raise NoForm("whole numbers beyond 126 bits")
        return f"({value})" if value < 0 else str(int(value))
    return double(value)


def double(value: float) -> str:
    """A double, as DuckDB reads it: without an exponent it would be a decimal."""
    if isinf(value):
        return f"CAST('{'-' if value < 0 else ''}infinity' AS DOUBLE)"
    text = repr(nearest(value))
    text = text if "e" in text else f"{text}e0"
    return f"({text})" if value < 0 else text


def quoted(text: str) -> str:
    """A text in quotes.

    Raises:
        NoForm: half of a surrogate pair, which no text of an engine holds.
    """
    if text != as_held(text):
        raise NoForm("a text that is no Unicode")
    return "'" + text.replace("'", "''") + "'"


def as_held(text: str) -> str:
    """What an engine holds of a text: half of a surrogate pair is a question mark."""
    return text.encode(errors="replace").decode()


def collated(text: str) -> str:
    """An expression of texts that are equal where they have the same characters.

    A column, or a whole database, may hold "a" and "A" to be equal, or "e" and "é".
    """
    return f'({text} COLLATE "binary")'


def name(text: str) -> str:
    """The name of a column in quotes."""
    return '"' + text.replace('"', '""') + '"'


def key_literal(key: Any, row: Node) -> str | None:
    """A public key as a value of the kind of a node; None where no such value equals it."""
    if isinstance(key, str) or row.base == "text":
        held = isinstance(key, str) and row.base == "text" and key == as_held(key)
        return quoted(key) if held else None
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
        return literal(number.numerator, row) if whole else None
    found = nearest(number)
    return double(found) if Fraction(found) == number else None
