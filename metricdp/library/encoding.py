"""Public values, spaces and other records of data as plain JSON, and back.

Numbers, texts, lists and dictionaries stay what they are; everything else is a dictionary with the
key "is".  Structs are written field by field, expressions as text.  Nothing is executed on the way
back: names of structs are looked up in a table of classes, and expressions are parsed.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import isfinite
from typing import Any

import msgspec

from metricdp.errors import MetricdpError, ParameterError
from metricdp.expr import Expr, parse

#: Name -> class of the structs that may be written.
Classes = Mapping[str, type]
_DEEPEST = 60


def encode(value: Any, classes: Classes, place: str = "to_json") -> Any:
    """A value as JSON data.

    Raises:
        ParameterError: a function, or an object that is no public value.
    """
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if isfinite(value) else {"is": "float", "of": repr(value)}
    if isinstance(value, Fraction):
        return {"is": "rational", "of": str(value)}
    if isinstance(value, Expr):
        return {"is": "expression", "of": str(value)}
    if isinstance(value, list):
        return [encode(item, classes, place) for item in value]
    if isinstance(value, tuple):
        return {"is": "tuple", "of": [encode(item, classes, place) for item in value]}
    if isinstance(value, set | frozenset):
        return {"is": "set", "of": sorted((encode(v, classes, place) for v in value), key=repr)}
    if value is ...:
        return {"is": "ellipsis", "of": None}
    if isinstance(value, bytes):
        return {"is": "bytes", "of": value.hex()}
    if isinstance(value, dict):
        pairs = [[encode(k, classes, place), encode(v, classes, place)] for k, v in value.items()]
        return {"is": "dict", "of": pairs}
    if isinstance(value, type) and value in (float, int, bool, str):
        return {"is": "type", "of": value.__name__}
    if hasattr(value, "item") and getattr(value, "ndim", None) == 0:
        return encode(value.item(), classes, place)
    if isinstance(value, msgspec.Struct) and classes.get(type(value).__name__) is type(value):
        fields = {n: encode(getattr(value, n), classes, place) for n in value.__struct_fields__}
        return {"is": type(value).__name__, "of": fields}
    raise ParameterError(
        f"{getattr(value, '__name__', type(value).__name__)} is no data, so it cannot be written",
        place=place,
        remedy="pickle keeps functions of a module; JSON keeps constructors and public numbers",
    )


def decode(data: Any, classes: Classes, place: str = "from_json", depth: int = 0) -> Any:
    """The value of JSON data that `encode` wrote.

    Raises:
        ParameterError: data that `encode` does not write.
    """
    if depth > _DEEPEST:
        raise ParameterError("the data are nested too deeply", place=place)
    if data is None or isinstance(data, bool | int | float | str):
        return data
    if isinstance(data, list):
        return [decode(item, classes, place, depth + 1) for item in data]
    if not isinstance(data, dict) or data.keys() != {"is", "of"}:
        raise _foreign(data, place)
    kind, of = data["is"], data["of"]
    failed: MetricdpError = _foreign(data, place)
    try:
        return _decoded(kind, of, classes, place, depth)
    except MetricdpError as error:
        failed = error
    except (TypeError, ValueError, KeyError, ZeroDivisionError, AttributeError):
        pass
    raise failed


def _decoded(kind: Any, of: Any, classes: Classes, place: str, depth: int) -> Any:
    def inner(item: Any) -> Any:
        return decode(item, classes, place, depth + 1)

    if kind == "rational":
        return Fraction(of)
    if kind == "float":
        return float(of)
    if kind == "expression":
        return parse(of)
    if kind == "ellipsis":
        return ...
    if kind == "tuple":
        return tuple(inner(item) for item in of)
    if kind == "set":
        return {inner(item) for item in of}
    if kind == "bytes":
        return bytes.fromhex(of)
    if kind == "dict":
        return {inner(key): inner(value) for key, value in of}
    if kind == "type":
        return {"float": float, "int": int, "bool": bool, "str": str}[of]
    return classes[kind](**{name: inner(value) for name, value in of.items()})


def _foreign(data: Any, place: str) -> ParameterError:
    kind = data.get("is") if isinstance(data, dict) else type(data).__name__
    return ParameterError(
        f"{str(kind)[:60]!r} is nothing that was written here",
        place=place,
        remedy="give the text that `to_json` returned, unchanged",
    )


def classes_below(*bases: type) -> dict[str, type]:
    """Every class of this package below some bases, by name."""
    found: dict[str, type] = {}
    waiting = list(bases)
    while waiting:
        kind = waiting.pop()
        waiting += kind.__subclasses__()
        if kind.__module__.startswith("metricdp."):
            found[kind.__name__] = kind
    return found
