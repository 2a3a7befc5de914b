"""Black boxes of a program: the loaded functions themselves, held fast when it is checked.

A black box sees plain Python numbers and lists.  Whatever it does, its caller sees a value of the
declared space: an exception or a value of another shape becomes 0 in every entry, because an
exception would tell something about the data.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import Any

import msgspec

from metricdp.check.language.boxes import returned_space
from metricdp.check.values.objects import BlackBox
from metricdp.checked.source import module_of
from metricdp.errors import ParameterError, SourceError
from metricdp.run.facts import Notice, clean_floats
from metricdp.run.guards import admit
from metricdp.spaces import Scalar, Space, Vector
from metricdp.values import ExactMatrix, ExactVector, PackedVector


class Box(msgspec.Struct, frozen=True):
    """One black box: the function as it was loaded, and the space of its result."""

    name: str
    function: Callable[..., Any]
    space: Space


def pinned_boxes(
    names: Iterable[str], modules: Iterable[Any], here: Callable[..., Any]
) -> dict[str, Box]:
    """The black boxes that a program calls.

    Args:
        names: their names.
        modules: source modules of the project.
        here: the checked function, whose globals hold the boxes of its own file.

    Raises:
        SourceError: one that is not loaded, whose source changed, or two of one name.
    """
    wanted = set(names)
    found: dict[str, Box] = {}
    for module in modules if wanted else ():
        for node in module.functions():
            box = module.lookup(node.name)
            if node.name not in wanted or not isinstance(box, BlackBox) or box.module is not module:
                continue
            if node.name in found:
                raise SourceError(
                    f"two black boxes of this program are called `{node.name}`",
                    place=node.name,
                    remedy="give each a name of its own",
                )
            loaded = _loaded(module.path, here).get(node.name)
            function = getattr(loaded, "_function", loaded)
            if function is None:
                raise SourceError(
                    f"the black box `{node.name}` is not loaded", place=node.name,
                    remedy="import its module",
                )  # fmt: skip
            module_of(function)
            found[node.name] = Box(node.name, function, returned_space(box))
    return found


def _loaded(path: str, here: Callable[..., Any]) -> Mapping[str, Any]:
    wanted = os.path.abspath(path)
    if os.path.abspath(here.__code__.co_filename) == wanted:
        return here.__globals__
    for module in list(sys.modules.values()):
        file = getattr(module, "__file__", None)
        if isinstance(file, str) and os.path.abspath(file) == wanted:
            return vars(module)
    return {}


class Boxes:
    """The black boxes of one run, which remembers the shape of each one's first result."""

    def __init__(self, boxes: Mapping[str, Box], env: Mapping[str, Fraction]) -> None:
        self._boxes, self._env = boxes, dict(env)
        self._shapes: dict[str, tuple[int, ...]] = {}

    def call(self, name: str, args: list[Any], keywords: dict[str, Any]) -> Any:
        """The result, in its declared space.

        Raises:
            ParameterError: the first call gave no value of the space, so no shape is known.
        """
        box = self._boxes[name]
        value: Any = None
        try:
            value = box.function(*args, **keywords)
            value = _packed(box.space, value) or admit(name, box.space, value, env=self._env)
        except Exception:
            value = None
        if value is not None and self._shapes.setdefault(name, _shape(value)) == _shape(value):
            return value
        if isinstance(box.space, Scalar):
            return admit(name, box.space, {"str": "", "bool": False}.get(box.space.kind, 0))
        shape = self._shapes.get(name) or _declared(box.space)
        args = keywords = value = None  # type: ignore[assignment]
        if shape is None:
            raise ParameterError(
                f"the black box `{name}` gave no value in {box.space}", place=name,
                remedy="make it return a value of its declared space for every argument",
            )  # fmt: skip
        if len(shape) == 1:
            return ExactVector([0] * shape[0])
        return ExactMatrix([[0] * shape[1] for _ in range(shape[0])], shape[1])


def _packed(space: Space, value: Any) -> PackedVector | None:
    """An array of doubles in a space of discrete vectors without bounds, as it is."""
    if not isinstance(space, Vector) or space.element != "Data" or space.radius:
        return None
    dtype = getattr(value, "dtype", None)
    bounded = not (space.lo.is_infinite and space.hi.is_infinite)
    size = space.size.as_fraction() if space.size is not None else None
    if bounded or dtype is None or dtype.kind != "f" or value.ndim != 1:
        return None
    if size is not None and len(value) != size:
        return None
    return PackedVector(clean_floats(value, (None, None), Notice(space.norm, False)))


def _shape(value: Any) -> tuple[int, ...]:
    if isinstance(value, ExactMatrix):
        return (value.rows, value.cols)
    return (len(value),) if isinstance(value, list | PackedVector) else ()


def _declared(space: Space) -> tuple[int, ...] | None:
    """The shape of a vector whose length is a number in its space."""
    size = (
        space.size.as_fraction() if isinstance(space, Vector) and space.size is not None else None
    )
    return (int(size),) if size is not None else None
