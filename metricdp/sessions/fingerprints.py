"""Whether data are those that were counted under their name: a fingerprint with a key.

A plain hash of private data in a ledger would tell everybody who reads it whether a guess of the
data is right.  So it is keyed: without the key it tells nothing, not even that two names have equal
data; with the key it tells one thing, to whoever opens the data: whether they changed.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import msgspec
import numpy as np

from metricdp.columns.stored import Stored
from metricdp.columns.table import Table
from metricdp.errors import ParameterError, SchemaError
from metricdp.sessions.data import HeldTable
from metricdp.sessions.encoding import canonical
from metricdp.values.numbers import NumberMatrix, Numbers

#: Bytes of a key.
_SHORTEST = 16
#: Rows that are read at once.
_PIECE = 1 << 16


class Fingerprint(msgspec.Struct, frozen=True):
    """What a ledger keeps of data.

    Attributes:
        of: the data; equal for equal data of one name under one key.
        key: of the key, to tell another key from other data.
    """

    of: str
    key: str


def fingerprint(tables: Mapping[str, HeldTable], dataset: str, key: Any) -> Fingerprint:
    """The fingerprint of all tables, as functions read them: kinds, bounds, rows in their order.

    Args:
        key: bytes, at least 16, that readers of the ledger do not have.

    Raises:
        ParameterError: no such key.
        SchemaError: data of a form that has no fingerprint.
        EngineError: an engine failed.
    """
    if not isinstance(key, bytes) or len(key) < _SHORTEST:
        raise ParameterError(
            f"a key has {_SHORTEST} bytes or more", place="data_key",
            remedy="data_key=secrets.token_bytes(32), kept where the ledger is not",
        )  # fmt: skip
    own = hmac.digest(key, f"metricdp data of {dataset}".encode(), "sha256")
    made = hmac.new(own, digestmod="sha256")
    for name, table in tables.items():
        made.update(canonical(["table", name, table.space.describe()]).encode())
        _add(made, table.admitted, name)
    return Fingerprint(made.hexdigest(), hmac.digest(own, b"key", "sha256").hex())


def _add(made: Any, value: Any, name: str) -> None:
    """A value with its kind and length, so that two values never give one text."""
    if isinstance(value, Table):
        _add_table(made, value)
    elif isinstance(value, NumberMatrix):
        _add(made, (value.rows, value.cols, value.flat), name)
    elif isinstance(value, Numbers):
        _text(made, "numbers", str(value.unit))
        _array(made, value.array)
    elif isinstance(value, bool | str | int | Fraction) or value is None:
        _text(made, type(value).__name__, str(value))
    elif isinstance(value, float):
        _text(made, "float", value.hex())
    elif isinstance(value, Mapping):
        _text(made, "mapping", len(value))
        for item in sorted(value, key=repr):
            _add(made, item, name)
            _add(made, value[item], name)
    elif isinstance(value, list | tuple):
        _text(made, "list", len(value))
        for item in value:
            _add(made, item, name)
    elif isinstance(value, np.ndarray):
        _array(made, value)
    else:
        raise SchemaError(
            f"data of type {type(value).__name__} have no fingerprint", place=name,
            remedy="leave data_key out, and name the data anew when they change",
        )  # fmt: skip


def _add_table(made: Any, table: Table) -> None:
    engine = table.engine
    if engine is not None:
        from metricdp.engines.fingerprints import fingerprint as of_rows

        _text(made, "engine", *of_rows(engine))
        return
    _text(made, "columns", len(table.columns), len(table.columns[0]) if table.columns else 0)
    for column in table.columns:
        _add_column(made, column)
    _text(made, "where", table.where is None, table.chosen is None)


def _add_column(made: Any, column: Stored) -> None:
    _text(made, column.base, str(column.width))
    for start in range(0, len(column), _PIECE):
        part = column.piece(slice(start, start + _PIECE))
        if column.base == "text":
            _text(made, "texts", *(part.values[code] for code in part.codes))
        else:
            _array(made, part)


def _array(made: Any, array: Any) -> None:
    if array.dtype == object:
        _text(made, "objects", *map(str, array.ravel().tolist()))
        return
    _text(made, array.dtype.str, *array.shape)
    made.update(np.ascontiguousarray(array).tobytes())


def _text(made: Any, *words: Any) -> None:
    line = canonical(list(words)).encode()
    made.update(len(line).to_bytes(8, "big") + line)
