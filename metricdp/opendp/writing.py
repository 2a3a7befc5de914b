"""Objects as text: the constructors that made them, in JSON; `interchange` makes them again."""

from __future__ import annotations

import json
from typing import Any

from metricdp.errors import ParameterError
from metricdp.maps.interchange import classes_below, encode
from metricdp.opendp import domains, metrics, releases

FORMAT, VERSION = "metricdp.opendp", 1
#: How an object was made, so that it can be made again: constructor name and arguments.
Made = tuple[tuple[str, dict[str, Any]], ...]


class Written:
    """What is written by its parts, and not as data."""

    __slots__ = ()

    def written(self) -> dict[str, Any]:
        """The parts, as JSON data.

        Raises:
            ParameterError: it holds a function of the user, or was made by no constructor.
        """
        raise NotImplementedError


class MadeAgain(Written):
    """An object that is written as its constructors: reading it proves its map again."""

    __slots__ = ()
    core: Any
    made: Made

    def written(self) -> dict[str, Any]:
        """The constructors with their arguments."""
        if not self.made:
            raise ParameterError(
                f"`{self.core.name}` was made by no constructor that can be written",
                place="serialize",
                remedy="pickle keeps functions of a module; or keep the program that makes it",
            )
        return {"made": [[name, arguments(given)] for name, given in self.made]}


def serialize(dp_obj: Any) -> str:
    """An object, a domain, a metric, a measure or a partial constructor as JSON text.

    Raises:
        ParameterError: it holds a function of the user, or was made by no constructor.
    """
    return json.dumps({"format": FORMAT, "version": VERSION, "objects": [written(dp_obj)]})


def written(item: Any) -> dict[str, Any]:
    """An object or a value as JSON data."""
    if isinstance(item, Written):
        return item.written()
    if isinstance(item, list | tuple) and any(isinstance(part, Written) for part in item):
        return {"list": [written(part) for part in item]}
    return {"value": encode(item, classes(), "serialize")}


def arguments(given: Any) -> dict[str, Any]:
    """Arguments of a constructor as JSON data."""
    return {name: written(value) for name, value in given.items()}


def classes() -> dict[str, type]:
    """Name -> class of what is written field by field."""
    found = classes_below(domains.Domain, metrics.Metric, metrics.Measure)
    found.pop("UserDomain", None)
    small = (releases.OnGrid, releases.Within, releases.First, releases.Packed)
    return found | {kind.__name__: kind for kind in small}
