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
#: How the clock of a zone is declared, and how a caller passes what it shows.
CLOCK = 'Annotated[datetime, dp.Zone("Europe/Berlin")]'
_PLAIN = "pass numbers, texts or Booleans"


def instead(kind: str, otherwise: str = _PLAIN) -> str:
    """The remedy for a column or cell whose kind has this name."""
    low = kind.lower()
    return next(
        (remedy for words, remedy in _INSTEAD if any(word in low for word in words)), otherwise
    )


def moments_refused(name: str, found: str, kind: str) -> SchemaError:
    """The error about a column of moments where a field or a vector of another kind is declared."""
    declared = f"declare the field as {CLOCK}, with the zone whose clock is meant"
    as_numbers = "" if kind.startswith("date") else "; or pass x.dt.year and the like as numbers"
    return SchemaError(
        f"a column of {found} where {kind or 'a scalar'} is needed",
        place=name,
        remedy=f"{declared}{as_numbers}",
    )


def converted(place: str, found: str, kind: str) -> str:
    """The remedy for a column of one kind where another is declared, on the column's own name.

    Args:
        found: "texts", or the kind of a dtype of NumPy ("f", "i", ...).
        kind: the declared kind, "" for any scalar.
    """
    table, _, field = place.rpartition(".")
    x = f'{table}["{field}"]' if table else place
    if kind == "bool":
        # astype(bool) makes True of every text, "no" and "False" among them.
        return f'pass {x} == "yes"' if found in ("texts", "U") else f"pass {x} != 0"
    if kind in ("int", "float") and found in ("texts", "U"):
        return f"pass pandas.to_numeric({x}), or declare it as str"
    if kind == "int" and found == "f":
        return f"declare it as float, or pass {x}.round().astype(int) once nothing is missing"
    return f"pass {x}.astype({kind})"


def refused(name: str, kind: str) -> SchemaError:
    """The error about a column of a kind that no row holds."""
    return SchemaError(f"a column of {kind}, which no row holds", place=name, remedy=instead(kind))
