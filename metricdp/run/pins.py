"""What a program was checked with, held fast: records, builtins, and functions that bound data.

A program runs with the reference functions that were registered when it was checked.  Code objects,
builtins and functions of `math` that are replaced in place are noticed before data are read.
"""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable
from typing import Any

import msgspec

from metricdp.errors import SourceError
from metricdp.record import REGISTRY

#: Builtins of the checked language, and those that exactness rests on.
_NAMES = (
    "abs all any bool dict divmod enumerate filter float format frozenset getattr hasattr hash int "
    "isinstance issubclass iter len list map max min next pow range repr reversed round set sorted "
    "str sum super tuple type zip"
).split()
_BUILTINS = {name: getattr(builtins, name) for name in _NAMES}
_MATH = {name: value for name, value in vars(math).items() if not name.startswith("_")}


class Pinned(msgspec.Struct, frozen=True):
    """The functions of one record, and the names of its rule's parameters."""

    run: Callable[..., Any]
    array: Callable[..., Any] | None
    mechanism: bool
    parameters: tuple[str, ...]


class Pins:
    """Every record as it was when this was made."""

    def __init__(self) -> None:
        self._records: dict[str, Pinned] = {}
        self._codes: list[tuple[str, Any, Any, Any, Any]] = []
        for name, record in REGISTRY.items():
            code = getattr(record.rule, "__code__", None)
            names = code.co_varnames[: code.co_argcount] if code is not None else ()
            mechanism = record.kind == "mechanism"
            self._records[name] = Pinned(record.run, record.array, mechanism, tuple(names))
            functions: list[Any] = [record.run, record.array]
            for f in functions:
                if hasattr(f, "__code__"):
                    kept = dict(f.__kwdefaults__ or {})
                    self._codes.append((name, f, f.__code__, f.__defaults__, kept))

    def __getitem__(self, name: str) -> Pinned:
        return self._records[name]

    def verify(self) -> None:
        """Compare with the present state of the interpreter.

        Raises:
            SourceError: a builtin, a function of math or a reference function was replaced.
        """
        for module, table in ((builtins, _BUILTINS), (math, _MATH)):
            found = vars(module)
            for name, value in table.items():
                if found.get(name) is not value:
                    raise _replaced(f"{module.__name__}.{name}")
        for name, f, code, defaults, kept in self._codes:
            if f.__code__ is not code or f.__defaults__ is not defaults:
                raise _replaced(f"the reference function of {name}")
            if (f.__kwdefaults__ or {}) != kept:
                raise _replaced(f"the reference function of {name}")


def _replaced(what: str) -> SourceError:
    return SourceError(
        f"{what} was replaced after metricdp was loaded, so what runs is not what was checked",
        remedy="undo the replacement, or start a fresh interpreter",
    )
