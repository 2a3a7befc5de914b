"""What an output holds, so that audits compare what a reader of it could see.

An auditor that takes what it cannot look into for equal would pass a leak.  So whatever is no
plain value is taken apart into named parts (columns and labels of a table, attributes of an
object), and what has none that can be read is refused.
"""

from __future__ import annotations

import enum
import sysconfig
from collections.abc import Iterator
from copyreg import _slotnames  # type: ignore[attr-defined]
from datetime import date, datetime, time, timedelta, tzinfo
from decimal import Decimal
from fractions import Fraction
from inspect import isasyncgen, isawaitable
from io import IOBase
from itertools import islice
from pathlib import Path, PurePath
from types import (
    BuiltinFunctionType,
    EllipsisType,
    FunctionType,
    ModuleType,
    NotImplementedType,
)
from typing import Any
from uuid import UUID

from metricdp.errors import ParameterError, ReplayError

#: Items of an iterator that are read; one with more is refused.
MOST_ITEMS = 100_000
#: Size of an object without slots, and of one.
_BARE, _SLOT = object.__basicsize__, tuple.__itemsize__
#: Flag of types that are made at run time, which those of functions and methods are not.
_HEAP = 1 << 9
#: Values that say all they hold by how they are printed.
_PRINTED = (range, slice, UUID, PurePath, EllipsisType, NotImplementedType, tzinfo, BaseException)
_BUILT = (int, float, complex, str, bytes, list, tuple, dict, set, frozenset)
#: Types whose values hold nothing else and wait for nothing: most of what a program gives.
_SIMPLE = frozenset((float, int, bool, str, bytes, Fraction, type(None)))

#: Exceptions behind one another that are looked at.
_CHAIN = 8
#: Where code lies that is not the user's.
_INSTALLED = (
    str(Path(__file__).resolve().parents[1]), sysconfig.get_paths()["stdlib"], "<frozen",
)  # fmt: skip

Parts = list[tuple[str, Any]]


class Unreadable(Exception):
    """An object that no audit can look into; see `refusal`."""

    def __init__(self, value: Any) -> None:
        super().__init__(type(value).__qualname__)
        self.value = value


def parts_of(value: Any) -> tuple[str, Parts] | None:
    """Kind and named parts of a value that is no number, text, array or container of Python's;
    None for what has no parts to be read (see `refusal`)."""
    kind = type(value).__qualname__
    table = table_of(value)
    if table is not None:
        return kind, table
    if isinstance(value, complex):
        return kind, [("real", value.real), ("imag", value.imag)]
    if isinstance(value, bytearray | memoryview):
        return kind, [("bytes", list(bytes(value)))]
    if isinstance(value, Decimal):
        number = float(value)
        return kind, [("number", number), ("text", str(value))]
    moment = _moment(value)
    if moment is not None:
        return kind, moment
    if isinstance(value, enum.Enum):
        return kind, [("name", str(value))]
    if isinstance(value, _PRINTED):
        own = list(getattr(value, "__dict__", {}).items())
        if isinstance(value, BaseException):
            return kind, [("args", value.args), *own]
        return kind, [("text", repr(value))]
    if _constant(value):
        return kind, [("text", f"{getattr(value, '__module__', '')} {value!r}")]
    # An object that may be called is its attributes, unless it is code of Python's own.
    if isinstance(value, type | ModuleType | IOBase | Iterator) or (
        callable(value) and not type(value).__flags__ & _HEAP
    ):
        return None
    return attributes(value, kind)


def attributes(value: Any, kind: str, pickled: bool = True) -> tuple[str, Parts] | None:
    """Fields of a struct, slots and attributes; of an object that may hold more than these, what
    pickle would write (if wanted); None where that is not known either."""
    known = type(value)
    if pickled and (known is object or isinstance(value, Unending)):
        return None
    struct = getattr(known, "__struct_fields__", ())
    fields = list(struct) if isinstance(struct, tuple) else []
    names = [*fields, *_slotnames(known), *getattr(value, "__dict__", ())]
    if pickled and not fields and _hides(known, len(_slotnames(known))):
        return _pickled(value, kind)
    missing = object()
    found = [(name, getattr(value, name, missing)) for name in dict.fromkeys(names)]
    return kind, [(name, part) for name, part in found if part is not missing]


def _pickled(value: Any, kind: str) -> tuple[str, Parts] | None:
    try:
        written = value.__reduce_ex__(2)
    except Exception:
        return None
    if not isinstance(written, tuple):
        return None
    rest = [consumed(part) for part in written[2:]]
    return kind, [("made with", written[1]), ("state", rest)]


def _hides(known: type, slots: int) -> bool:
    """Whether objects of a type have room for more than slots and attributes: state in C.

    The rule by which `copyreg` refuses to pickle such objects.
    """
    room = known.__basicsize__ - _BARE - slots * _SLOT
    room -= _SLOT * (known.__dictoffset__ > 0) + _SLOT * (known.__weakrefoffset__ > 0)
    return room > 0 or known.__itemsize__ != 0


def own_attributes(value: Any) -> Parts:
    """Attributes that an object of a class made from a number, a text or a container has beside."""
    if type(value) in _BUILT or not isinstance(value, _BUILT):
        return []
    return list(getattr(value, "__dict__", {}).items())


def table_of(value: Any) -> Parts | None:
    """Columns, labels, names and values of a table or a column, as Pandas, Polars and Arrow have
    them; None for other objects."""
    if isinstance(value, type):
        return None
    if hasattr(value, "columns") and hasattr(value, "index") and hasattr(value, "iloc"):
        columns = [value.iloc[:, i].tolist() for i in range(len(value.columns))]
        dtypes = [_dtype(d) for d in value.dtypes.tolist()]
        return [
            ("columns", value.columns), ("index", value.index), ("dtypes", dtypes),
            ("values", columns), ("attrs", getattr(value, "attrs", {})),
        ]  # fmt: skip
    if hasattr(value, "dtype") and hasattr(value, "index") and hasattr(value, "iloc"):
        return [
            ("name", value.name), ("index", value.index), ("dtype", _dtype(value.dtype)),
            ("values", value.tolist()), ("attrs", getattr(value, "attrs", {})),
        ]  # fmt: skip
    if hasattr(value, "dtype") and hasattr(value, "names") and hasattr(value, "get_indexer"):
        return [
            ("names", list(value.names)), ("dtype", _dtype(value.dtype)), ("values", value.tolist())
        ]  # fmt: skip
    if hasattr(value, "mask") and hasattr(value, "filled") and hasattr(value, "dtype"):
        # What is masked is there to be read.
        return [("data", value.data), ("mask", value.mask), ("fill", value.fill_value)]
    if hasattr(value, "to_pydict") and hasattr(value, "schema"):
        return [("schema", str(value.schema)), ("values", value.to_pydict())]
    if hasattr(value, "columns") and hasattr(value, "schema") and hasattr(value, "rows"):
        return [("schema", str(value.schema)), ("values", value.rows())]
    if hasattr(value, "dtype") and hasattr(value, "to_list") and not hasattr(value, "tolist"):
        name = getattr(value, "name", "")
        return [("name", name), ("dtype", str(value.dtype)), ("values", value.to_list())]
    return None


def _dtype(dtype: Any) -> Any:
    """A dtype with the categories that it keeps."""
    kept = getattr(dtype, "categories", None)
    return str(dtype) if kept is None else (str(dtype), list(kept))


def _moment(value: Any) -> Parts | None:
    """Times as numbers of seconds: noise may have been added to them."""
    if isinstance(value, timedelta):
        return [("seconds", value.total_seconds())]
    if isinstance(value, datetime):
        start = datetime(1970, 1, 1, tzinfo=value.tzinfo)
        return [("seconds", (value - start).total_seconds()), ("zone", str(value.tzinfo))]
    if isinstance(value, date):
        return [("days", value.toordinal())]
    if isinstance(value, time):
        seconds = 3600 * value.hour + 60 * value.minute + value.second + value.microsecond / 1e6
        return [("seconds", seconds), ("zone", str(value.tzinfo))]
    return None


def _constant(value: Any) -> bool:
    """Whether a value is a name of code: a class that a module has, a function of C, a dtype, or a
    function of this package, which a release holds with the mechanism that drew it."""
    import sys

    if type(value).__module__.partition(".")[0] == "numpy" and type(value).__mro__[-2].__name__ in (
        "dtype", "ufunc",
    ):  # fmt: skip
        return True
    if isinstance(value, BuiltinFunctionType):
        return value.__self__ is None or isinstance(value.__self__, ModuleType)
    ours = isinstance(value, FunctionType) and str(value.__module__).startswith("metricdp.")
    if not (ours or isinstance(value, type)):
        return False
    found: Any = sys.modules.get(value.__module__)
    for name in value.__qualname__.split("."):
        found = getattr(found, name, None)
    return found is value


def of_error(error: BaseException, depth: int = 0) -> tuple[str, str, tuple[tuple[str, Any], ...]]:
    """Type, text and further parts of an exception that its receiver may read: its arguments,
    attributes and notes, the lines of the program that it passed, and what it was raised from."""
    parts: Parts = [("args", error.args), *vars(error).items(), ("lines", _lines(error))]
    for name, other in (("cause", error.__cause__), ("context", error.__context__)):
        if other is not None and depth < _CHAIN:
            parts.append((name, of_error(other, depth + 1)))
    try:
        said = str(error)
    except Exception as failed:
        said = type(failed).__name__
    return type(error).__qualname__, said, tuple(parts)


def _lines(error: BaseException) -> list[str]:
    """Lines of the user's code in the traceback."""
    found, trace = [], error.__traceback__
    while trace is not None:
        name = trace.tb_frame.f_code.co_filename
        if not name.startswith(_INSTALLED) and "site-packages" not in name:
            found.append(f"{name}:{trace.tb_lineno}")
        trace = trace.tb_next
    return found


def consumed(value: Any, depth: int = 0) -> Any:
    """The value with iterators read to their end, as whoever gets them would: their items.

    Inside lists, tuples and dictionaries, too.

    Raises:
        whatever an iterator raises.
    """
    known = type(value)
    if known in _SIMPLE:
        return value
    if known in (list, tuple) and depth < 8:
        inside = [each for each in value if type(each) not in _SIMPLE]
        if any(isinstance(each, (list, tuple, dict, Iterator)) for each in inside):
            return known([consumed(each, depth + 1) for each in value])
        return value
    if known is dict and depth < 8:
        return {key: consumed(each, depth + 1) for key, each in value.items()}
    if isinstance(value, Iterator) and not isinstance(value, IOBase):
        items = list(islice(value, MOST_ITEMS + 1))
        return Unending() if len(items) > MOST_ITEMS else Iterated(consumed(items, depth + 1))
    return value


class Iterated(list[Any]):
    """What an iterator gave."""


class Unending:
    """An iterator that gave more items than are read."""


def refuse_awaitable(value: Any, name: str, replaying: bool = False) -> None:
    """Refuse what has to be awaited, and close it, so that it warns of nothing."""
    if type(value) in _BUILT or not (isawaitable(value) or isasyncgen(value)):
        return
    error = refusal(value, name, replaying)
    if hasattr(value, "close"):
        value.close()
    raise error


def refusal(value: Any, name: str = "", replaying: bool = False) -> ParameterError | ReplayError:
    """The error for an output that cannot be looked into: what it is, what to return instead."""
    kind = type(value).__qualname__
    if isinstance(value, Unending):
        kind, remedy = "iterator without an end", "return a list of the items that are released"
    elif isawaitable(value) or isasyncgen(value):
        remedy = "audit a function that awaits it: lambda rows: asyncio.run(program(rows))"
    elif callable(value):
        remedy = "return the numbers that it computes with, or what it answers: what code may tell "
        remedy += "later cannot be compared"
    else:
        remedy = "return its numbers or texts (in a list, a dictionary, an array or a dataclass)"
    fact = f"the output is or holds an object that no audit can look into: {kind}"
    error = ReplayError if replaying else ParameterError
    return error(fact, place=name or "output", remedy=remedy)
