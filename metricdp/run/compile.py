"""Compile the very syntax tree that was checked, in a pinned namespace.

Nothing is looked up in the user's modules when it runs: functions are compiled from the trees that
check interpreted, constants are the literals that it read, primitive calls go to the records'
reference functions, and mechanism calls go to the noise of their site.  Rebinding a helper or a
function of metricdp after the check therefore changes nothing.
Public numbers are exact too (a float literal is the rational of its double), so that no bound is
an ulp away from the value that was checked.
"""

from __future__ import annotations

import ast
import builtins
import importlib
import math
import types
from collections import namedtuple
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any

from metricdp.record import REGISTRY
from metricdp.run.blame import FailedPlace, place_of
from metricdp.run.machine import Machine
from metricdp.run.pins import present
from metricdp.run.rewrite import (
    NOTHING_ROWWISE,
    Actions,
    Decided,
    Rowwise,
    rewritten,
    settled,
)
from metricdp.spaces import Space
from metricdp.values import Exact

__all__ = ["CompiledProgram", "Machine"]

_BUILTINS = {
    name: getattr(builtins, name)
    for name in (
        "abs all any bool dict divmod enumerate filter float frozenset int isinstance len list map "
        "max min pow range repr reversed round set sorted str sum tuple zip format print "
        "True False None"
    ).split()
    if hasattr(builtins, name)
} | {
    name: kind
    for name, kind in vars(builtins).items()
    if isinstance(kind, type) and issubclass(kind, Exception)
}


class CompiledProgram:
    """The compiled functions of one check, and the records that it was checked with."""

    def __init__(
        self,
        actions: Actions,
        used: Mapping[ast.AST, Any],
        decided: Decided,
        rowwise: Rowwise = NOTHING_ROWWISE,
        enforced: Mapping[str, Space | None] = {},
        told: Any = None,
    ) -> None:
        self.actions, self.used, self.decided = dict(actions), used, settled(decided)
        self.rowwise, self.enforced = rowwise, dict(enforced)
        #: What errors may say, where check knows (`check.language.told`); None: nothing.
        self.told = told
        self.pins = present()
        #: What every run at the same public numbers shares; see `checked.prepared`.
        self.kept: dict[Any, Any] = {}
        #: Plans of passes over rows that releases share; see `columns.planned`.
        self.plans: dict[Any, Any] = {}
        self._compiled: dict[ast.AST, tuple[frozenset[str], types.CodeType]] = {}

    def function(self, node: ast.FunctionDef, module: Any, machine: Machine) -> Callable[..., Any]:
        """The compiled form of a top-level function of a module."""
        return _Linker(self, machine).function(node, module)

    def place_of(self, error: BaseException) -> FailedPlace | None:
        """The statement that failed, where that depends on released values alone."""
        of_code = {
            code: node for node, (_, made) in self._compiled.items() for code in _inside(made)
        }
        return place_of(error, of_code, self.actions, self.told)

    def compiled(
        self, node: ast.FunctionDef, path: str, name: str
    ) -> tuple[frozenset[str], types.CodeType]:
        """Names that a function reads from outside, and the code that defines it under a name;
        made once."""
        if node not in self._compiled:
            function = rewritten(node, self.actions, self.decided, self.rowwise)
            function.name = name
            module = ast.Module([function], [])
            _located(function, function)
            names = frozenset(_free_names(function))
            self._compiled[node] = names, compile(module, path, "exec")
        return self._compiled[node]


class _Linker:
    """Builds the pinned namespaces of one run's functions, each function once."""

    def __init__(self, program: CompiledProgram, machine: Machine) -> None:
        self.program, self.machine = program, machine
        self.namespaces: dict[int, dict[str, Any]] = {}
        used = (module for module in program.used.values() if module is not None)
        self.modules = {module.path: module for module in used}
        self.classes: dict[ast.AST, Any] = {}

    def function(self, node: ast.FunctionDef, module: Any, name: str = "") -> Callable[..., Any]:
        """A function of a module, under its own name or another one."""
        space, name = self.namespace(module), name or node.name
        if name in space and space[name] is None:  # it is being defined, and calls itself
            return lambda *args, **keywords: space[name](*args, **keywords)
        if name not in space:
            self._define(node, module, space, name)
        return space[name]  # type: ignore[no-any-return]

    def namespace(self, module: Any) -> dict[str, Any]:
        known = self.namespaces.get(id(module))
        if known is None:
            known = {"__builtins__": dict(_BUILTINS), "_machine": self.machine, "_Exact": Exact}
            self.namespaces[id(module)] = known
        return known

    def _define(self, node: ast.FunctionDef, module: Any, space: dict[str, Any], name: str) -> None:
        space[name] = None  # cuts cycles
        names, code = self.program.compiled(node, module.path, name)
        self._link(names, module, space)
        exec(code, space)

    def _link(self, names: Iterable[str], module: Any, space: dict[str, Any]) -> None:
        """Give the names that are read from outside their meanings."""
        for name in names:
            if (name in _BUILTINS and module.lookup(name) is None) or name in space:
                continue
            found = self._of_class(name) if name.startswith(".") else module.lookup(name)
            if found is not None:
                made = self._pinned(found, name)
                if space.get(name) is None:
                    space[name] = made

    def _of_class(self, name: str) -> Any:
        """What check calls a function of a class, or a class."""
        for path, module in self.modules.items():
            inside = name.removeprefix(f".{path}:")
            if inside != name:
                cls, _, member = inside.partition(".")
                found = module.lookup(cls)
                return found.members[member] if member else found
        return None

    def _pinned(self, found: Any, name: str = "") -> Any:
        kind = type(found).__name__
        if kind == "Member":
            return self.function(found.function.node, found.function.module, name)
        if kind == "Constant":
            return _exactly(found.value)
        if kind == "Closure" and isinstance(found.node, ast.FunctionDef):
            return self.function(found.node, found.module)
        if kind == "Closure":
            return self._evaluated(found.node, found.module)
        if kind == "Computed":
            return self._evaluated(found.node, found.module)
        if kind == "Library":
            return _library(found.dotted, self.machine)
        if kind == "RecordClass":
            if found.node not in self.classes:
                self.classes[found.node] = self._class(found)
            return self.classes[found.node]
        if kind == "ModuleRef":
            return _Members(lambda name: self._pinned(found.module.lookup(name)))
        return None

    def _evaluated(self, node: ast.expr, module: Any) -> Any:
        """The expression that check read at the top of a file, in the names of its file."""
        program, space = self.program, self.namespace(module)
        tree = ast.Expression(rewritten(node, program.actions, program.decided, program.rowwise))
        self._link(_free_names(tree), module, space)
        ast.fix_missing_locations(tree)
        return eval(compile(tree, module.path, "eval"), space)

    def _class(self, found: Any) -> Any:
        """What makes instances of a class: named tuples, with the constants that they share."""
        shared = {name: self._pinned(each) for name, each in found.attributes.items()}
        base: Any = namedtuple(found.node.name, found.fields)  # type: ignore[misc]
        if found.made is not None:
            init = self.function(found.made.node, found.module, f".{found.kind}.__init__")
            made = type(found.node.name, (base,), {"__slots__": (), **shared})
            return _Class(shared, lambda *args, **named: made(*init(*args, **named)))
        fixed = {
            name: self._pinned(each)
            for name, each in found.defaults.items()
            if type(each).__name__ != "Factory"
        }
        fresh = {
            name: partial(self._evaluated, each.node, found.module)
            for name, each in found.defaults.items()
            if name not in fixed
        }
        if not fresh and not shared:
            return namedtuple(found.node.name, found.fields, defaults=list(fixed.values()))
        made = type(found.node.name, (base,), {"__slots__": (), **shared})
        return _Class(shared, partial(_with_defaults, made, fixed, fresh))


def _with_defaults(
    made: Any, fixed: Mapping[str, Any], fresh: Mapping[str, Callable[[], Any]], /, *args: Any,
    **named: Any,
) -> Any:  # fmt: skip
    """An instance; what is missing is its default, or made anew."""
    given = {**dict(zip(made._fields, args, strict=False)), **named}
    late = {name: make() for name, make in fresh.items() if name not in given}
    return made(**{**fixed, **late, **given})


class _Class:
    """A class as compiled code sees it: called, it makes an instance; it has the constants."""

    def __init__(self, shared: Mapping[str, Any], make: Callable[..., Any]) -> None:
        self.__dict__.update(shared)
        self.__dict__[".make"] = make  # a name that no program can write

    def __call__(self, *args: Any, **named: Any) -> Any:
        return self.__dict__[".make"](*args, **named)


class _Members:
    """A project module as compiled code sees it: members are pinned on first use."""

    def __init__(self, member: Callable[[str], Any]) -> None:
        self._member = member

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        value = self._member(name)
        setattr(self, name, value)
        return value


class _Names:
    """`metricdp` as compiled code sees it: norms, element markers, and rules as functions."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine

    def __getattr__(self, name: str) -> Any:
        from metricdp.spaces import vocabulary

        marker = vocabulary.space_names().get(name)
        if marker is None and name in REGISTRY:
            return partial(self._machine.primitive, name, None)
        return marker


def _library(dotted: str, machine: Machine) -> Any:
    head, _, rest = dotted.partition(".")
    if head == "metricdp":
        names = _Names(machine)
        return names if not rest else getattr(names, rest.rsplit(".", 1)[-1])
    value: Any = importlib.import_module(head)
    for name in rest.split(".") if rest else ():
        value = getattr(value, name)
    return value


def _exactly(value: Any) -> Any:
    if isinstance(value, float) and math.isfinite(value):
        return Exact(value)
    if isinstance(value, list | tuple):
        return type(value)(_exactly(item) for item in value)
    if isinstance(value, dict):
        return {key: _exactly(item) for key, item in value.items()}
    return value


def _located(node: ast.AST, around: ast.AST) -> None:
    """Give what was made for the run the line on which that stands, or begins, which it is part of.

    `ast.fix_missing_locations` gives it all lines of that; Python says of a call of a method that
    it is on the last one, which is a line of another statement.
    """
    if "lineno" in node._attributes:
        if not hasattr(node, "lineno"):
            at: Any = around
            place: Any = node
            place.lineno = place.end_lineno = at.lineno
            place.col_offset = place.end_col_offset = at.col_offset
        around = node
    for child in ast.iter_child_nodes(node):
        _located(child, around)


def _inside(code: types.CodeType) -> Iterator[types.CodeType]:
    """The functions that a piece of code makes, and those that they make."""
    for each in code.co_consts:
        if isinstance(each, types.CodeType):
            yield each
            yield from _inside(each)


def _free_names(node: ast.AST) -> set[str]:
    return {
        inner.id
        for inner in ast.walk(node)
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Load)
    } - {"_machine", "_Exact"}
