"""Schema facts of data that enter: raw containers as lists or arrays of one clean type.

Containers are read once, into a list of our own or a view of an array that nobody else holds, and
cells are laid bare (`plain`): data may be objects whose methods run code.  Facts are types, dtypes
and shapes only and raise `SchemaError`; no message shows a value, and no exception carries one as
its cause.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from metricdp.errors import SchemaError
from metricdp.plain import scalar

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
    kind = type(value)
    if issubclass(kind, list):
        return list.copy(value)
    if issubclass(kind, tuple):
        return list(tuple.__getitem__(value, slice(None)))
    if hasattr(value, "to_numpy") and hasattr(value, "iloc"):
        value = value.to_numpy()
    if hasattr(value, "dtype") and hasattr(value, "ndim"):
        if hasattr(value, "filled") and hasattr(value, "mask"):
            raise schema_error(name, "a masked array", "fill or drop the masked entries")
        return _view(value)
    if hasattr(value, "vector") and hasattr(value, "ticks"):
        return list(value)
    raise schema_error(
        name,
        f"{_article(value)} where a sequence is needed",
        "pass a list, a tuple, a NumPy array or a pandas object",
    )


def _view(value: Any) -> Any:
    """An array of NumPy's own class, whose shape and dtype nobody else can change."""
    import numpy as np

    return np.ndarray.view(np.asarray(value), np.ndarray)


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
    """`check_cell` on a list, one look per type; cells are laid bare in place."""
    if not _BUILTIN.issuperset(map(type, cells)):
        cells[:] = map(bare_cell, cells)
    for sample in {type(x): x for x in cells}.values():
        check_cell(name, sample, kind)


_BUILTIN = frozenset({bool, str, float, int})


def bare_cell(x: Any) -> Any:
    """A cell whose methods are Python's own: a row that runs code could tell of itself."""
    if type(x) in _BUILTIN:
        return x
    found = scalar(x)
    if found is not x or getattr(x, "ndim", 1) != 0:
        return found
    import numpy as np

    array = np.asarray(x)
    return scalar(array.item()) if array.ndim == 0 and array.dtype.kind in "biufU" else x


def _cell_kind(x: Any) -> str:
    found = _KINDS.get(type(x))
    if found is None and getattr(getattr(x, "dtype", None), "kind", "") == "f":
        import numpy as np

        return "float" if type(x) is np.longdouble else ""
    return found or ""


_KINDS: dict[type, str] = {
    bool: "bool", int: "int", float: "float", Fraction: "float", str: "str"
}  # fmt: skip


def _article(x: Any) -> str:
    name = type(x).__name__
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"
