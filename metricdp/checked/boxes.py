"""Black boxes of a program: the loaded functions themselves, held fast when it is checked.

A black box sees plain Python numbers and lists, and read-only arrays: copies, so that nothing of
the program or its caller can be written.  Each call runs a fresh copy of the box (`box_copies`),
and its result is a value of the declared space or the public default (`box_results`).
"""

from __future__ import annotations

import ast
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import msgspec

from metricdp.check.source.boxes import default_value, returned_space, takes_batches
from metricdp.check.source.cells import NotebookCell
from metricdp.check.values.objects import BlackBox
from metricdp.checked.source import module_of
from metricdp.errors import SourceError
from metricdp.run.boxes import Copies, admitted, argument, declared_shape, filled, quietly
from metricdp.run.cells import kind_of
from metricdp.run.rows import discrete_row
from metricdp.spaces import Scalar, Space, Vector
from metricdp.spaces.base import symbols_of
from metricdp.values import wrap


class Box(msgspec.Struct, frozen=True):
    """One black box: what copies it, the space of its result, and the default.

    `tried` holds something once the box was called on made-up records (`trying`).
    """

    name: str
    copies: Copies
    space: Space
    default: Any
    batched: bool = False
    tried: list[bool] = []


def pinned_boxes(
    keys: Iterable[str], modules: Iterable[Any], here: Callable[..., Any]
) -> dict[str, Box]:
    """The black boxes that a program calls, by file and name.

    Args:
        keys: "FILE::NAME" of each.
        modules: source modules of the project.
        here: the checked function, whose globals hold the boxes of its own file.

    Raises:
        SourceError: one that is not loaded, or whose source changed.
    """
    wanted = set(keys)
    found: dict[str, Box] = {}
    for module in modules if wanted else ():
        for name in module.bindings:
            box = module.lookup(name) if f"{module.path}::{name}" in wanted else None
            if isinstance(box, BlackBox) and box.module is module and box.name == name:
                function = _function(box, here)
                space = returned_space(box)
                default = default_value(box, space)
                copies = Copies(function)
                found[box.key] = Box(name, copies, space, default, takes_batches(box))
    for key in wanted - found.keys():
        raise SourceError(f"the black box {key} is not found")
    return found


def _function(box: BlackBox, here: Callable[..., Any]) -> Callable[..., Any]:
    """The loaded function of a box; one whose source was read is the one that was read."""
    loaded = _loaded(box.module, here).get(box.name)
    function: Any = getattr(loaded, "_function", loaded)
    if not callable(function):
        raise SourceError(
            f"the black box `{box.name}` is not loaded", place=box.name,
            remedy="import its module",
        )  # fmt: skip
    if isinstance(box.source, ast.FunctionDef):
        _, node = module_of(function)
        if ast.dump(node) == ast.dump(box.source):
            return function  # type: ignore[no-any-return]
    elif isinstance(box.source, ast.Lambda):
        code = getattr(function, "__code__", None)
        if code is not None and code.co_firstlineno == box.source.lineno:
            return function  # type: ignore[no-any-return]
    else:
        return function  # type: ignore[no-any-return]
    raise SourceError(
        f"the black box `{box.name}` is another function than its file says", place=box.name,
        remedy="reload the module",
    )  # fmt: skip


def _loaded(source: Any, here: Callable[..., Any]) -> Mapping[str, Any]:
    if isinstance(source, NotebookCell):
        return source.notebook.namespace
    wanted = os.path.abspath(source.path)
    if os.path.abspath(here.__code__.co_filename) == wanted:
        return here.__globals__
    for module in list(sys.modules.values()):
        file = getattr(module, "__file__", None)
        if isinstance(file, str) and os.path.abspath(file) == wanted:
            return vars(module)
    return {}


class Boxes:
    """The black boxes of one run, with their spaces in numbers."""

    def __init__(self, boxes: Mapping[str, Box], env: Mapping[str, Fraction]) -> None:
        self._boxes = dict(boxes)
        self._spaces = {
            key: box.space.at({n: env[n] for n in symbols_of(box.space) if n in env})
            for key, box in boxes.items()
        }

    def __len__(self) -> int:
        return len(self._boxes)

    def call(self, key: str, args: list[Any], keywords: dict[str, Any]) -> Any:
        """The result of one call, in the declared space.

        Args:
            args, keywords: plain Python values and arrays; they are copied.
        """
        box, space = self._boxes[key], self._spaces[key]
        function = self.batched(key, args[1:], keywords)
        if function is not None:
            found = function.row(args[0])
            return wrap(found) if isinstance(found, float) else discrete_row(found)
        given = [argument(a) for a in args]
        named = {name: argument(a) for name, a in keywords.items()}
        function = box.copies.fresh()
        value = quietly(lambda: admitted(space, function(*given, **named)))
        return filled(space, box.default) if value is None else value

    def singly(
        self, key: str, others: Sequence[Any], named: dict[str, Any], seen: Callable[[Any], Any]
    ) -> Any:
        """The box as a function of rows that calls it with one at a time; None where its results
        are no vectors of doubles.

        Args:
            seen: a value of a row -> what the box sees of it.
        """
        space = self._spaces[key]
        if not isinstance(space, Vector) or space.element != "Data" or space.radius:
            return None
        from metricdp.run.batches import OneByOne

        (width,) = declared_shape(space)
        return OneByOne(lambda x: self.call(key, [seen(x), *others], named), width)

    def base(self, key: str) -> str:
        """What a column of results of a box holds; "" where these are no single values of one
        kind, or where the box takes many rows at once."""
        space = self._spaces[key]
        if self._boxes[key].batched or not isinstance(space, Scalar):
            return ""
        kind = kind_of(space.element, space.kind)
        bases = {"float": "double", "int": "integer", "bool": "boolean", "str": "text"}
        return bases[kind] if kind else ""

    def batched(self, key: str, others: Sequence[Any], named: dict[str, Any]) -> Any:
        """The box with all its arguments but its rows; None if it takes one row at a time."""
        box = self._boxes[key]
        if not box.batched:
            return None
        from metricdp.run.batches import Batched

        return Batched(box.copies, self._spaces[key], box.default, others, named)
