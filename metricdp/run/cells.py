"""Schema facts of data that enter: raw containers as lists or arrays of one clean type.

Everything here looks at types, dtypes and shapes only and raises `SchemaError`; no message shows
a value, and no exception carries one as its cause.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from metricdp.errors import SchemaError

_NUMBERS = "pass numbers: a list, a tuple, or an array with a numeric dtype"
_NONE = "replace or drop missing values before the call"


def schema_error(name: str, fact: str, remedy: str) -> SchemaError:
    """A fresh error about a parameter."""
    return SchemaError(fact, place=name, remedy=remedy)


def kind_of(element: str, kind: str) -> str:
    """ "float", "int", "bool", "str", or "" for any scalar."""
    return kind or {"Real": "float", "Int": "int", "Bool": "bool"}.get(element, "")


def as_sequence(name: str, value: Any) -> Any:
    """A list or a NumPy array of any dimension, from anything that is accepted as a container."""
    if isinstance(value, (list, tuple)):
        return list(value)
    if hasattr(value, "to_numpy") and hasattr(value, "iloc"):
        value = value.to_numpy()
    if hasattr(value, "dtype") and hasattr(value, "ndim"):
        if hasattr(value, "filled") and hasattr(value, "mask"):
            raise schema_error(name, "a masked array", "fill or drop the masked entries")
        return value
    if hasattr(value, "vector") and hasattr(value, "ticks"):
        return list(value)
    raise schema_error(
        name,
        f"{_article(value)} where a sequence is needed",
        "pass a list, a tuple, a NumPy array or a pandas object",
    )


def check_array(name: str, array: Any, kind: str, ndim: int) -> None:
    """Dimension and dtype of an array against the declared kind."""
    if array.ndim != ndim:
        raise schema_error(
            name,
            f"an array with {array.ndim} dimensions where {ndim} are needed",
            "reshape it" if array.ndim else "pass a sequence",
        )
    dtype = array.dtype
    fine = {"float": "biuf", "int": "biu", "bool": "b", "str": "U", "": "biufU"}[kind]
    if dtype.kind not in fine and not (dtype.kind == "O" and kind in ("str", "")):
        needed = kind or "scalar"
        remedy = f"pass x.astype({kind})" if kind and dtype.kind in "biuf" else _NUMBERS
        raise schema_error(name, f"dtype {dtype} where {needed} is needed", remedy)


def check_cell(name: str, x: Any, kind: str) -> None:
    """The type of one scalar against the declared kind."""
    if x is None or type(x).__name__ in ("NAType", "NaTType"):
        raise schema_error(name, "a missing value (None)", _NONE)
    found = _cell_kind(x)
    accepted = {
        "float": ("float", "int", "bool"),
        "int": ("int", "bool"),
        "bool": ("bool",),
        "str": ("str",),
        "": ("float", "int", "bool", "str"),
    }[kind]
    if found not in accepted:
        raise schema_error(
            name,
            f"{_article(x)} where {kind or 'a scalar'} is needed",
            "convert the data first" if found else _NUMBERS,
        )


def check_cells(name: str, cells: list[Any], kind: str) -> None:
    """`check_cell` on a list; one look per type.  Subclasses become the type that they extend."""
    own = False
    for found, sample in {type(x): x for x in cells}.items():
        check_cell(name, sample, kind)
        own = own or (found not in _BUILTIN and isinstance(sample, tuple(_PLAIN)))
    if own:
        cells[:] = map(bare_cell, cells)


#: Conversions that run no method of a subclass.
_PLAIN: dict[type, Any] = {str: str.__str__, float: float.__float__, int: int.__int__}
_BUILTIN = (bool, *_PLAIN)


def bare_cell(x: Any) -> Any:
    """A cell whose methods are Python's own: a row that runs code could tell of itself."""
    if type(x) in _BUILTIN:
        return x
    return next((plain(x) for kind, plain in _PLAIN.items() if isinstance(x, kind)), x)


def _cell_kind(x: Any) -> str:
    if isinstance(x, bool):
        return "bool"
    if isinstance(x, int):
        return "int"
    if isinstance(x, (float, Fraction)):
        return "float"
    if isinstance(x, str):
        return "str"
    kind = getattr(getattr(x, "dtype", None), "kind", "")
    if getattr(x, "ndim", 1) == 0:
        return {"b": "bool", "i": "int", "u": "int", "f": "float", "U": "str"}.get(kind, "")
    return ""


def _article(x: Any) -> str:
    name = type(x).__name__
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"
