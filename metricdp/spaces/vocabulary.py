"""The names that annotations may use, for resolvers of text and of syntax."""

from __future__ import annotations

import collections.abc
import datetime
import fractions
import typing
from functools import lru_cache

from metricdp.spaces.opaque import Public

_HOMES = ("metricdp", "typing", "fractions", "datetime")
_PREFIXES = ("dp", "typing_extensions", "t", "collections.abc", *_HOMES)
_ARRAY = Public("numpy.ndarray")


@lru_cache(maxsize=1)
def space_names() -> dict[str, object]:
    """Public name -> constructor, marker or refinement of this package."""
    from metricdp import spaces

    hidden = {
        "Space",
        "Scalar",
        "Maybe",
        "Moment",
        "Owned",
        "Public",
        "Row",
        "TupleSpace",
        "NEG_INF",
    }
    return {
        name: getattr(spaces, name)
        for name in spaces.__all__
        if name[0].isupper() and name not in hidden
    }


#: Builtin names that annotations may use.
BUILTIN_TYPES: dict[str, object] = {
    t.__name__: t
    for t in (float, int, str, bool, complex, bytes, tuple, list, dict, set, frozenset, range)
}

#: Qualified names of the standard library and NumPy that annotations may use.
QUALIFIED: dict[str, object] = {
    "typing.Annotated": typing.Annotated,
    "typing.Optional": typing.Optional,
    "typing.Union": typing.Union,
    "typing.Literal": typing.Literal,
    "typing.Callable": collections.abc.Callable,
    "typing.Sequence": collections.abc.Sequence,
    "typing.Mapping": collections.abc.Mapping,
    "typing.Iterable": collections.abc.Iterable,
    "typing.Tuple": tuple,
    "typing.List": list,
    "typing.Dict": dict,
    "collections.abc.Callable": collections.abc.Callable,
    "collections.abc.Sequence": collections.abc.Sequence,
    "collections.abc.Mapping": collections.abc.Mapping,
    "collections.abc.Iterable": collections.abc.Iterable,
    "fractions.Fraction": fractions.Fraction,
    "datetime.date": datetime.date,
    "datetime.datetime": datetime.datetime,
    "datetime.timedelta": datetime.timedelta,
    "numpy.ndarray": _ARRAY,
    "numpy.typing.NDArray": _ARRAY,
    "numpy.typing.ArrayLike": _ARRAY,
}


def qualified(name: str) -> object:
    """What a fully qualified name denotes in an annotation; None if nothing that is known.

    Resolvers call it with `metricdp.Vector`, `typing.Annotated`, `numpy.ndarray`, `float`.
    """
    if name in QUALIFIED:
        return QUALIFIED[name]
    if name in BUILTIN_TYPES:
        return BUILTIN_TYPES[name]
    package, _, last = name.rpartition(".")
    return space_names().get(last) if package in ("metricdp", "metricdp.spaces") else None


def default_resolve(name: str) -> object:
    """What a name denotes when no scope is known: usual prefixes are taken at their word."""
    prefix, _, last = name.rpartition(".")
    if prefix in ("np", "numpy", "npt", "numpy.typing"):
        return QUALIFIED.get(f"numpy.{last}") or QUALIFIED.get(f"numpy.typing.{last}")
    if prefix and prefix not in _PREFIXES:
        return None
    for known in (*(f"{home}.{last}" for home in _HOMES), last):
        if (found := qualified(known)) is not None:
            return found
    return None
