"""Kinds of columns and cells that no row holds yet: refused by name, with what to write instead."""

from __future__ import annotations

from metricdp.errors import SchemaError

_INSTEAD = (
    (("timedelta", "duration"), "pass numbers: seconds (x.dt.total_seconds()), or whole days"),
    (
        ("period", "timestamp", "date", "time"),
        "declare the field as date or datetime, or pass what you need of it as numbers or texts: "
        "x.dt.year, x.dt.hour",
    ),
    (("decimal",), "pass whole units (cents) as integers, or x.astype(float), which rounds"),
)
_ZONELESS = "x.dt.tz_convert(zone).dt.tz_localize(None)"
_PLAIN = "pass numbers, texts or Booleans"


def instead(kind: str, otherwise: str = _PLAIN) -> str:
    """The remedy for a column or cell whose kind has this name."""
    low = kind.lower()
    if low.startswith(("datetime", "timestamp")) and "," in low:
        return f"{_ZONELESS} in a field of type datetime, or x.dt.year and the like as numbers"
    return next(
        (remedy for words, remedy in _INSTEAD if any(word in low for word in words)), otherwise
    )


def refused(name: str, kind: str) -> SchemaError:
    """The error about a column of a kind that no row holds."""
    return SchemaError(f"a column of {kind}, which no row holds", place=name, remedy=instead(kind))
