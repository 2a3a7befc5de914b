"""Maps as JSON: a list of steps, each a primitive with its version, space and public arguments.

A map that is read is built again from the primitives of this release, so that its bound is proved
here and not believed from the text.  What cannot be built again is not written.
"""

from __future__ import annotations

import json
from inspect import Parameter, signature
from typing import Any

from metricdp.errors import MetricdpError, ParameterError
from metricdp.library.apply import apply
from metricdp.library.encoding import classes_below, decode, encode
from metricdp.maps import Measurement, Transformation
from metricdp.record import REGISTRY
from metricdp.spaces import Space

FORMAT, VERSION = "metricdp map", 1
AnyMap = Transformation | Measurement


def to_json(item: AnyMap) -> str:
    """The map as JSON text.

    Raises:
        ParameterError: a step that is no primitive with public numbers (a function of the user, a
            checked function, a combinator).
    """
    if not isinstance(item, AnyMap):
        raise ParameterError(
            f"{type(item).__name__} is no map", place="to_json", remedy="see metricdp.library.make"
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
