"""Maps as JSON: a list of steps, each a primitive with its version, space and public arguments.

A map that is read is built again from the primitives of this release, so that its bound is proved
here and not believed from the text.  What cannot be built again is not written.

Public values and spaces are plain JSON: numbers, texts, lists and dictionaries stay what they are;
everything else is a dictionary with the key "is".  Structs are written field by field, expressions
as text.  Nothing is executed on the way back: names of structs are looked up in a table of classes,
and expressions are parsed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from fractions import Fraction
from inspect import Parameter, signature
from math import isfinite
from typing import Any

import msgspec

from metricdp.errors import MetricdpError, ParameterError
from metricdp.expr import Expr, parse
from metricdp.maps.constructors import apply
from metricdp.maps.measurement import Measurement
from metricdp.maps.transformation import Transformation
from metricdp.record import REGISTRY
from metricdp.spaces import Space

FORMAT, VERSION = "metricdp map", 1
AnyMap = Transformation | Measurement
#: Name -> class of the structs that may be written.
Classes = Mapping[str, type]
_DEEPEST = 60


def to_json(item: AnyMap) -> str:
    """The map as JSON text.

    Raises:
        ParameterError: a step that is no primitive with public numbers (a function of the user, a
            checked function, a combinator).
    """
    if not isinstance(item, AnyMap):
        raise ParameterError(
            f"{type(item).__name__} is no map", place="to_json", remedy="see metricdp.maps.make"
        )
    classes = classes_below(Space)
    steps = [_written(step, classes) for step in item.steps]
    text = json.dumps({"format": FORMAT, "version": VERSION, "steps": steps})
    # A bound may come from more than its steps (an enlarged distance); such a map is not written.
    try:
        same = _same(from_json(text), item)
    except MetricdpError:
        same = False
    if not same:
        raise _unwritable(item.name)
    return text


def from_json(text: str) -> Any:
    """The map that `to_json` wrote, built again.

    Raises:
        ParameterError: other text, another version of the format or of a primitive.
        SpaceError: a step that does not fit the one before it.
    """
    steps = header(text, FORMAT, VERSION, "steps", "from_json")
    classes = classes_below(Space)
    parts = [_built(step, classes) for step in steps]
    if not parts:
        raise ParameterError("no steps", place="from_json")
    item = parts[0]
    for part in parts[1:]:
        if not isinstance(item, Transformation):
            raise ParameterError("a step follows a release", place="from_json")
        item = item >> part
    return item


def header(text: str, form: str, version: int, body: str, place: str) -> list[Any]:
    """The list in a JSON document of a format and version.

    Raises:
        ParameterError: text that is no such document.
    """
    try:
        data = json.loads(text)
    except (TypeError, ValueError, RecursionError):
        data = None
    if not isinstance(data, dict) or data.get("format") != form:
        raise ParameterError(f"the text is no {form}", place=place)
    if data.get("version") != version:
        raise ParameterError(
            f"the text has version {data.get('version')!r} of the format, and this release reads "
            f"version {version}",
            place=place,
            remedy="write it again with this release",
        )
    found = data.get(body)
    if not isinstance(found, list):
        raise ParameterError(f"the text has no list of {body}", place=place)
    return found


def _written(step: Any, classes: Any) -> dict[str, Any]:
    if step.name not in REGISTRY or not step.version:
        raise _unwritable(step.name)
    return {
        "rule": step.name,
        "version": step.version,
        "space": encode(step.input_space, classes),
        "arguments": {n: encode(v, classes) for n, v in step.arguments.items()},
        "norm": getattr(step.output_space, "norm", ""),
    }


def _built(step: Any, classes: Any) -> Any:
    from metricdp.primitives import load

    load()
    keys = {"rule", "version", "space", "arguments", "norm"}
    known = isinstance(step, dict) and step.keys() == keys
    if not known or not isinstance(step["arguments"], dict) or step["rule"] not in REGISTRY:
        raise ParameterError("a step is no primitive of this release", place="from_json")
    record = REGISTRY[step["rule"]]
    if record.version != step["version"]:
        raise ParameterError(
            f"`{record.name}` was written in version {step['version']!r}, and this release has "
            f"version {record.version}",
            place="from_json",
            remedy="build the map again, and look at its bound: the rule has changed",
        )
    space = decode(step["space"], classes)
    if not isinstance(space, Space):
        raise ParameterError("a step has no space", place="from_json")
    public = {name: decode(value, classes) for name, value in step["arguments"].items()}
    failed: MetricdpError
    try:
        # The private argument is the one that has no public value.
        open_names = [p for p in signature(record.rule).parameters.values() if p.name not in public]
        argument = min(open_names, key=lambda p: p.default is not Parameter.empty).name
        return apply(record, space, public, argument=argument, norm=str(step["norm"]))
    except MetricdpError:
        raise
    except (TypeError, ValueError, AttributeError, KeyError) as error:
        failed = ParameterError(f"`{record.name}`: {type(error).__name__}", place="from_json")
    raise failed


def _same(a: Any, b: Any) -> bool:
    if a != b or (a.function, a.enter) != (b.function, b.enter):
        return False
    if isinstance(a, Transformation):
        return bool(a.stability == b.stability and a.output_space == b.output_space)
    return bool(a.tree == b.tree)


def _unwritable(name: str) -> ParameterError:
    return ParameterError(
        f"`{name}` is no primitive with public numbers, so it cannot be built again from text",
        place="to_json",
        remedy="pickle keeps functions of a module; or write down the program that builds the map",
    )


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
