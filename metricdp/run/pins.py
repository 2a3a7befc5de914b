"""What a program was checked with, held fast: records, builtins, and functions that bound data.

A program runs with the reference functions that were registered when it was checked.  Code objects,
builtins and functions of `math` that are replaced in place are noticed before data are read.
"""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable
from itertools import chain
from operator import attrgetter, is_
from typing import Any

import msgspec

from metricdp.columns import language
from metricdp.errors import SourceError
from metricdp.record import REGISTRY, Record
from metricdp.run.meanings import changed_name, changes
from metricdp.run.unwritten import Unwritten

#: Builtins of the checked language, and those that exactness rests on.
_NAMES = (
    "abs all any bool dict divmod enumerate filter float format frozenset getattr hasattr hash int "
    "isinstance issubclass iter len list map max min next pow range repr reversed round set sorted "
    "str sum super tuple type zip"
).split()
_BUILTINS = {name: getattr(builtins, name) for name in _NAMES}
_MATH = {name: value for name, value in vars(math).items() if not name.startswith("_")}
_CODE = attrgetter("__code__")
_OUTSIDE: tuple[tuple[Any, Callable[[], bool], dict[str, Any]], ...] = (
    (builtins, changes(vars(builtins), _BUILTINS), _BUILTINS),
    (math, changes(vars(math), _MATH), _MATH),
)


class Pinned(msgspec.Struct, frozen=True):
    """The functions of one record, and the names of its rule's parameters."""

    run: Callable[..., Any]
    columnar: Callable[..., Any] | None
    tabular: Callable[..., Any] | None
    of_rows: Callable[..., Any] | None
    mechanism: bool
    parameters: tuple[str, ...]


def pinned(record: Record) -> Pinned:
    """The functions of a record as they are now."""
    return _pinned(*_held(record))


def _held(record: Record) -> tuple[Any, ...]:
    """All that is pinned of a record."""
    column = record.columnar
    if type(column) is str:
        column = getattr(language, column)
    code = getattr(record.rule, "__code__", None)
    return record.run, column, record.tabular, record.of_rows, record.kind, code


def _pinned(run: Any, columnar: Any, tabular: Any, of_rows: Any, kind: str, code: Any) -> Pinned:
    names = code.co_varnames[: code.co_argcount] if code is not None else ()
    return Pinned(run, columnar, tabular, of_rows, kind == "mechanism", tuple(names))


class Pins:
    """Every record as it was when this was made."""

    def __init__(self) -> None:
        self._records: dict[str, Pinned] = {}
        self._functions: list[Any] = []
        self._names: list[str] = []
        self._held = _all_held()
        for name, _, *inside in self._held:
            held = self._records[name] = _pinned(*inside)
            for function in (held.run, held.columnar, held.tabular, held.of_rows):
                if hasattr(function, "__code__"):
                    self._functions.append(function)
                    self._names.append(name)
        found = self._functions
        self._codes = [f.__code__ for f in found]
        self._defaults = [(f, f.__defaults__) for f in found if f.__defaults__]
        self._named = [(f, dict(f.__kwdefaults__)) for f in found if f.__kwdefaults__]
        self._written = Unwritten([vars(module) for module, _, _ in _OUTSIDE], found)
        #: What showed writes when all was last compared.
        self._same: bytes | None = None

    def __getitem__(self, name: str) -> Pinned:
        return self._records[name]

    @property
    def of_now(self) -> bool:
        """Whether one that is made now would hold the same, as far as that is known at once."""
        if self._written.now() is None:
            return False
        found, kept = _all_held(), self._held
        if len(found) != len(kept):
            return False
        # By identity: a record, a function and a code object that are equal are others.
        if not all(map(is_, chain.from_iterable(found), chain.from_iterable(kept))):
            return False
        try:
            self.verify()
        except SourceError:
            return False
        return True

    def verify(self) -> None:
        """Compare with the present state of the interpreter, where something was written to.

        Raises:
            SourceError: a builtin, a function of math or a reference function was replaced.
        """
        now = self._written.now()
        if now is None or now != self._same:
            self._compare()
            self._same = now  # as it was before: what was written meanwhile is seen the next time

    def _compare(self) -> None:
        # What walks a list fetches ahead what lies far apart.
        for held in (self._functions, self._codes):
            held.copy()
        for module, changed, kept in _OUTSIDE:
            try:
                if changed():
                    name = changed_name(vars(module), kept)
                    raise _replaced(f"{module.__name__}.{name}")
            except NameError as error:
                raise _replaced(f"{module.__name__}.{error.name}") from None
        codes = [*map(_CODE, self._functions)]
        if codes != self._codes:  # a code object is compared by all that it is
            now = zip(self._names, codes, self._codes, strict=True)
            name = next(name for name, code, kept in now if code != kept)
            raise _replaced(f"the reference function of {name}")
        for function, defaults in self._defaults:
            if function.__defaults__ is not defaults:
                raise _replaced(f"a default of the reference function {function.__qualname__}")
        for function, named in self._named:
            if function.__kwdefaults__ != named:
                raise _replaced(f"the reference function {function.__name__}")


def present() -> Pins:
    """The pins of now: those that were made last, unless something was replaced since.

    To make them takes longer than a small release, and a program makes its own.
    """
    last = _LAST[-1] if _LAST else None
    if last is None or not last.of_now:
        last = Pins()
        _LAST[:] = [last]
    return last


_LAST: list[Pins] = []


def _all_held() -> list[tuple[Any, ...]]:
    return [(name, record, *_held(record)) for name, record in REGISTRY.items()]


def _replaced(what: str) -> SourceError:
    return SourceError(
        f"{what} was replaced after metricdp was loaded, so what runs is not what was checked",
        remedy="undo the replacement, or start a fresh interpreter",
    )
