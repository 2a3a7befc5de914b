"""`dp.schema_of`: the row type of a table as a class to paste, from names and types alone.

What is printed is what the table's schema says, and no value of it.  A type that allows missing
values gives `| None`, whether there are any or not; categories are given as the type of their
values, and never listed: libraries take them from the data, where a rare one may be a person.
A text file has no schema: its cells are looked at to tell the kinds of its columns, and whether one
is empty.  That is for whoever may see the file, as everything here is; it is no release.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from importlib import import_module
from keyword import iskeyword
from typing import Any

import msgspec

from metricdp.errors import MissingExtraError, ParameterError, SchemaError
from metricdp.spaces.zones import is_zone

#: How the names of types begin, of Arrow, Polars, DuckDB, NumPy and pandas, in lower case -> type.
_KINDS = (
    (r"(u?int\d*|(huge|uhuge|big|ubig|small|usmall|tiny|utiny)int|u?integer|long)\b", "int"),
    (r"(half_?|large_?)?float\d*\b|double\b|real\b", "float"),
    (r"bool(ean|_)?\b", "bool"),
    (r"(large_)?(string|str|utf8)(_view)?\b|varchar\b|text\b", "str"),
    (r"timedelta\b|duration\b", "timedelta"),
    (r"(datetime|timestamp)(64|_ns|_ms|_s|_us)?\b", "datetime"),
    (r"date(32|64)?\b", "date"),
)  # fmt: skip
_ZONE = re.compile(r"(?:time_zone|tz)\s*=\s*'?([A-Za-z0-9_+\-/:]+)|\[\w+, ?([A-Za-z0-9_+\-/:]+)\]")
#: Types of Spark that hold moments; of others they say that they have a zone.
_MOMENTS = frozenset({"timestamp", "timestamp_ltz"})


class SchemaColumn(msgspec.Struct, frozen=True):
    """One column of a table.

    Attributes:
        kind: a Python type of a row's field; "" where no row holds it.
        zone: of moments, the zone that their type names; "" for none.
        missing: whether its type allows missing values.
        why: what to do about a column that no row holds.
    """

    name: str
    kind: str
    missing: bool = False
    why: str = ""
    zone: str = ""


def schema_of(source: Any, name: str = "Row") -> str:
    """The row type of a table, as the text of a dataclass to paste.

    Names and types are printed, and never a value.  Where the type of a column allows missing
    values its field is `T | None`; take `| None` away from a field that always has one, the ids
    among them, and a run refuses a table where one is missing.

    Args:
        source: a path to a CSV (`.csv`, `.tsv`, first line: names) or Parquet file; a data frame of
            pandas or Polars; a table, a data set or a schema of Arrow; a relation of DuckDB; a
            table of Ibis; a data frame of Spark; an open table; a dictionary of NumPy arrays.  A
            library is used if the table comes from it, and one that reads Parquet if there is one.
        name: of the class.

    Returns:
        Source text.  Columns that no row holds are comments in it that say what to do.  Where the
        name of a column is no name of Python the type is a `TypedDict`, and a program reads its
        fields as `row["a name"]`.

    Raises:
        SchemaError: something that is no table, or a file without a line of names.
        ParameterError: a name that is none, or no such file.
        MissingExtraError: a Parquet file, and nothing that reads it.
    """
    if not isinstance(name, str) or not name.isidentifier() or iskeyword(name):
        raise ParameterError("the name of a class is a name of Python", place="name")
    return _written(list(columns_of(source)), name)


def columns_of(source: Any) -> Iterable[SchemaColumn]:
    """The columns of a table, by what its schema says.

    Raises:
        SchemaError, ParameterError, MissingExtraError: see `schema_of`.
    """
    if isinstance(source, str | os.PathLike):
        return _of_path(os.fspath(source))
    held = getattr(source, "source", None)
    if hasattr(source, "collect_schema"):  # Polars
        return [_told(n, str(t), True) for n, t in source.collect_schema().items()]
    told = getattr(held, "schema", None)
    if isinstance(told, dict):  # opened by us
        return [_told(n, str(t), True) for n, t in told.items()]
    fields = getattr(source, "schema", source)
    fields = fields().to_pyarrow() if callable(fields) else fields  # Ibis
    if hasattr(fields, "names") and hasattr(fields, "types") and hasattr(fields, "field"):  # Arrow
        every = (fields.field(at) for at in range(len(fields.names)))
        return [_told(f.name, _arrow(f.type), f.nullable) for f in every]
    if hasattr(source, "iloc") and hasattr(source, "dtypes"):  # pandas
        return [_of_pandas(n, source[n].dtype) for n in _once(source.columns)]
    if hasattr(source, "columns") and hasattr(source, "types"):  # DuckDB
        pairs = zip(source.columns, source.types, strict=True)
        return [_told(n, str(t), True) for n, t in pairs]
    if isinstance(told := getattr(source, "dtypes", None), list):  # Spark
        return [_told(n, str(t), True) for n, t in told]
    if isinstance(source, dict) and source and all(hasattr(v, "dtype") for v in source.values()):
        return [_of_pandas(n, v.dtype) for n, v in source.items()]
    raise SchemaError(
        f"a {type(source).__name__} that says nothing of its columns",
        remedy="pass a path to a CSV or Parquet file, a data frame, or a table of Arrow or DuckDB",
    )


def _once(names: Any) -> Iterator[Any]:
    """Names of columns; of two alike a frame gives two columns at once.

    Raises:
        SchemaError: a name twice.
    """
    names = list(names)
    if len(set(names)) < len(names):
        raise SchemaError("two columns of one name", remedy="rename one of them")
    return iter(names)


def _of_path(path: str) -> Iterable[SchemaColumn]:
    if not os.path.isfile(path):
        raise ParameterError(f"no such file: {path}", place="source")
    end = os.path.splitext(path)[1].lower()
    if end in (".csv", ".tsv"):
        from metricdp.answers.schema_of_texts import columns_of_texts

        return [
            SchemaColumn(*each) for each in columns_of_texts(path, "\t" if end == ".tsv" else ",")
        ]
    if end == ".parquet":
        return _of_parquet(path)
    raise SchemaError(
        f"a file that ends in {end or 'nothing'}", remedy="pass .csv, .tsv or .parquet"
    )


def _of_parquet(path: str) -> Iterable[SchemaColumn]:
    try:
        parquet = import_module("pyarrow.parquet")
    except ImportError:
        try:
            from metricdp.engines.opened import table

            return columns_of(table(path))
        except MissingExtraError:
            raise MissingExtraError(
                "nothing here reads Parquet", remedy="pip install 'metricdp[tables]'"
            ) from None
    return columns_of(parquet.read_schema(path))


def _arrow(kind: Any) -> str:
    """The name of a type of Arrow; of a dictionary, of what it stands for."""
    return (
        str(getattr(kind, "value_type", kind)) if _first(str(kind)) == "dictionary" else str(kind)
    )


def _of_pandas(name: Any, dtype: Any) -> SchemaColumn:
    kind = type(dtype).__name__
    if kind == "CategoricalDtype":
        found = _of_pandas(name, dtype.categories.dtype)
        return msgspec.structs.replace(found, missing=True)
    text = str(dtype)
    if kind == "ArrowDtype":
        return _told(name, text.partition("[")[0] if "tz=" not in text else text, True)
    if text == "object":
        # What Python objects are, only their values say: texts, as a rule.
        return _told(name, "str", True)
    # NumPy's own have no place for what is missing but NaN, which a double is, and NaT.
    own = type(dtype).__module__.startswith("numpy")
    return _told(name, "str" if own and dtype.kind == "U" else text, not own or dtype.kind in "mM")


def _told(name: Any, told: str, missing: bool) -> SchemaColumn:
    """A column by the name of its type."""
    if not isinstance(name, str):
        return SchemaColumn(ascii(name), "", why="its name is no text: rename it")
    low = told.lower()
    zone = _ZONE.search(told) if low.startswith(("datetime", "timestamp")) else None
    where = next((part for part in zone.groups() if part), "None") if zone is not None else "None"
    if where != "None" or "with time zone" in low or told in _MOMENTS:
        if where != "None" and is_zone(where):
            return SchemaColumn(name, "datetime", missing, zone=where)
        # An engine holds moments without a zone, and a distance from UTC is the clock of no place.
        why = 'moments: say whose clock is meant, Annotated[datetime, dp.Zone("Europe/Berlin")]'
        return SchemaColumn(name, "", missing, why)
    if re.search(r"\[\d*\]$", low):  # a list of DuckDB's
        return SchemaColumn(name, "", why="lists: no row holds them; give numbers, texts or dates")
    if low.startswith(("categorical", "enum")):
        return SchemaColumn(name, "str", missing)
    if low.startswith(("decimal", "numeric")):
        whole = re.search(r",\s*0\)$", low) is not None
        return SchemaColumn(name, "int" if whole else "float", missing)
    for pattern, kind in _KINDS:
        if re.match(pattern, low):
            return SchemaColumn(name, kind, missing)
    return SchemaColumn(
        name, "", why=f"{_first(low)}: no row holds it; give numbers, texts or dates"
    )


def _first(told: str) -> str:
    """The first word of a type's name: what follows may list values."""
    found = re.match(r"\w+", told)
    return found[0] if found else "a type of its own"


def _written(columns: list[SchemaColumn], name: str) -> str:
    times = sorted({c.kind for c in columns} & {"date", "datetime", "timedelta"})
    imported = [f"from datetime import {', '.join(times)}"] if times else []
    held = [column for column in columns if column.kind]
    attributes = all(_is_name(column.name) for column in held)
    zoned = any(column.zone for column in held)
    ours = ["", "import metricdp as dp"] if zoned else []
    typed = ["Annotated"] if zoned else []
    fields = [_line(column, attributes) for column in columns]
    if not attributes:
        typing = f"from typing import {', '.join([*typed, 'TypedDict'])}"
        head = [*imported, typing, *ours, "", f"{name} = TypedDict("]
        return "\n".join([*head, f'    "{name}",', "    {", *fields, "    },", ")"]) + "\n"
    imported += ["from typing import Annotated"] if zoned else []
    head = ["from dataclasses import dataclass", *imported, *ours]
    lines = [*head, "", "", "@dataclass", f"class {name}:"]
    return "\n".join([*lines, *fields, *([] if held else ["    pass"])]) + "\n"


def _is_name(name: str) -> bool:
    return name.isidentifier() and name.isascii() and not iskeyword(name) and name[0] != "_"


def _line(column: SchemaColumn, attribute: bool) -> str:
    indent = "    " if attribute else "        "
    if not column.kind:
        shown = column.name if _is_name(column.name) else ascii(column.name)
        return f"{indent}# {shown}: {column.why}"
    kind = f'Annotated[{column.kind}, dp.Zone("{column.zone}")]' if column.zone else column.kind
    kind += " | None" if column.missing else ""
    if attribute:
        return f"{indent}{column.name}: {kind}"
    return f"{indent}{_quoted(column.name)}: {kind},"


def _quoted(name: str) -> str:
    """A text as source, in double quotes wherever that is as readable."""
    text = ascii(name)
    return f'"{text[1:-1]}"' if text[0] == "'" and '"' not in text else text
