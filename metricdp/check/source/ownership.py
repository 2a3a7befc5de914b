"""Names whose object nothing else holds: there `x += y` is the same as `x = x + y`.

In Python an in-place operator changes a list or an array itself, and every other name of it sees
that: the caller's array, an entry of a list, a row that is a view.  A run binds the name to a new
value instead.  A function owns a name if every value that it is bound to was made by an operation,
and if no expression hands the object on.  All of this is read from syntax, in every order of
statements at once; what is not listed here hands its arguments on.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from enum import Enum
from typing import Any

from metricdp.check.source.names import qualified
from metricdp.check.values.objects import Closure, Library

#: Builtins and functions of NumPy whose result is computed, and no view of their arguments.
_BUILTINS = frozenset("sum min max abs len float int bool round str repr format range pow divmod "
                      "isinstance any all print".split())  # fmt: skip
_COMPUTING = frozenset(
    "sum mean var std median prod cumsum dot matmul inner outer vdot cross einsum kron trace "
    "norm inv solve det exp log log2 log10 log1p expm1 sqrt square abs absolute fabs sign floor "
    "ceil round rint trunc sin cos tan tanh sinh cosh arctan add subtract multiply divide power "
    "mod negative maximum minimum clip where max min amax amin argmax argmin argsort any all "
    "isnan isfinite isinf equal less greater copy concatenate hstack vstack stack zeros ones full "
    "zeros_like ones_like full_like array eye identity arange linspace bincount histogram "
    "quantile percentile".split()
)
#: Facts about an array that are no view of it.
_FACTS = frozenset({"shape", "size", "ndim", "dtype"})
#: Functions of metricdp that give back what they are given, or call what they are given.
_PASSING = frozenset({"metricdp.reveal", "metricdp.private_selection"})
#: Declared types of parameters whose objects cannot change.
_IMMUTABLE = frozenset({"tuple", "bool", "str", "int", "float"})

Function = ast.FunctionDef | ast.Lambda


class _Use(Enum):
    """What becomes of the value of an expression."""

    READ = "it is computed with"
    RETURNED = "the function ends with it"
    KEPT = "something else may hold it"


class Ownership:
    """The owned names of the functions of one check."""

    def __init__(self) -> None:
        #: Function -> its module, and the names that the functions around it bind.
        self._home: dict[ast.AST, tuple[Any, frozenset[str]]] = {}
        self._owned: dict[ast.AST, frozenset[str]] = {}
        self._kept: dict[ast.AST, frozenset[str]] = {}
        self._returned: dict[ast.AST, frozenset[str]] = {}
        #: Functions that are being read: one that calls itself hands everything on.
        self._active: list[ast.AST] = []
        self._of_classes: dict[Any, frozenset[str]] = {}
        self._grown: dict[ast.AST, frozenset[str]] = {}

    def grown(self, function: ast.FunctionDef) -> frozenset[str]:
        """Names under which a function changes a list: append, extend, sort, `+=`, and what is
        stored into its entries, or into entries of these."""
        if function not in self._grown:
            found = set()
            for node in ast.walk(function):
                longer: ast.AST | None = None
                if isinstance(node, ast.AugAssign):
                    longer = node.target
                elif isinstance(node, ast.Attribute | ast.Subscript):
                    stored = isinstance(node.ctx, ast.Store)
                    grows = getattr(node, "attr", "") in ("append", "extend", "sort")
                    longer = node.value if grows or stored else None
                while isinstance(longer, ast.Subscript):
                    longer = longer.value
                if isinstance(longer, ast.Name):
                    found.add(longer.id)
            self._grown[function] = frozenset(found)
        return self._grown[function]

    def names(self, function: Function, module: Any, around: Iterable[str]) -> frozenset[str]:
        """Names of a function whose objects nothing else holds while it runs.

        Args:
            module: of the function.
            around: names that the functions around it bind.
        """
        self._home.setdefault(function, (module, frozenset(around)))
        return self.owned(function)

    def owned(self, function: Function) -> frozenset[str]:
        """As `names`, of a function whose home is known."""
        if function not in self._owned:
            bound: dict[str, bool] = {}
            for name, fresh in _bindings(function, self):
                bound[name] = bound.get(name, True) and fresh
            kept = self.kept(function)
            found = frozenset(name for name, fresh in bound.items() if fresh and name not in kept)
            self._owned[function] = found
        return self._owned[function]

    def kept(self, function: Function) -> frozenset[str]:
        """Names whose objects something else may hold, besides the function's result."""
        if function not in self._kept:
            reading = _Reading(self, function)
            self._active.append(function)
            if isinstance(function, ast.Lambda):
                reading.visit(function.body, _Use.RETURNED)
            else:
                reading.block(function.body)
            self._active.pop()
            self._kept[function] = frozenset(reading.names)
            self._returned[function] = frozenset(reading.returned)
        return self._kept[function]

    def hands_on(self, function: Function) -> frozenset[str]:
        """Names whose objects a caller may find anywhere but in the arguments."""
        return self.kept(function) | self._returned[function]

    def makes(self, value: ast.expr, function: Function) -> bool:
        """Whether the value of an expression is an object that nothing else holds."""
        if isinstance(value, ast.IfExp):
            return self.makes(value.body, function) and self.makes(value.orelse, function)
        if not isinstance(value, ast.Call):
            return isinstance(value, _MADE)
        called = self.called(value.func, function)
        if not isinstance(called, ast.FunctionDef | ast.Lambda):
            return bool(called)
        if called in self._active:
            return False
        self._active.append(called)
        own = self.owned(called)
        results = list(_results(called))
        made = bool(results) and all(
            (isinstance(r, ast.Name) and r.id in own) or self.makes(r, called) for r in results
        )
        self._active.pop()
        return made

    def called(self, callee: ast.expr, function: Function) -> Function | bool:
        """The function of the program that is called; else whether it computes a new value."""
        module, around = self._home[function]
        bound = _names_bound(function)
        if isinstance(callee, ast.Name):
            if callee.id in bound:
                inside = [n for n in _own_nodes(function) if isinstance(n, ast.FunctionDef)]
                named = [n for n in inside if n.name == callee.id]
                if len(named) != 1 or not _bound_once(function, callee.id):
                    return False
                self._home.setdefault(named[0], (module, around | bound))
                return named[0]
            found = None if callee.id in around else module.lookup(callee.id)
            if found is None:
                return callee.id in _BUILTINS and callee.id not in around
            if isinstance(found, Closure):
                self._home.setdefault(found.node, (found.module, frozenset()))
                return found.node
            return isinstance(found, Library) and _computes(found.dotted)
        if isinstance(callee, ast.Attribute):
            head = callee.value
            while isinstance(head, ast.Attribute):
                head = head.value
            if isinstance(head, ast.Name) and head.id not in bound | around:
                dotted = qualified(module, callee)
                if dotted is not None:
                    return _computes(dotted)
            return callee.attr in _COMPUTING and callee.attr not in self._methods(module)
        return False

    def _methods(self, module: Any) -> frozenset[str]:
        """Names of the functions of all classes that a file reaches."""
        if module not in self._of_classes:
            self._of_classes[module] = frozenset(
                inner.name
                for each in module.reached()
                for node in ast.walk(each.tree)
                if isinstance(node, ast.ClassDef)
                for inner in node.body
                if isinstance(inner, ast.FunctionDef)
            )
        return self._of_classes[module]


class _Reading:
    """Collects the names that expressions hand on."""

    def __init__(self, ownership: Ownership, function: Function) -> None:
        self.ownership, self.function = ownership, function
        self.names: set[str] = set()
        self.returned: set[str] = set()
        self.nested = False

    def block(self, body: list[ast.stmt]) -> None:
        for statement in body:
            self.statement(statement)

    def statement(self, node: ast.stmt) -> None:
        if isinstance(node, ast.Return) and node.value is not None:
            self.visit(node.value, _Use.KEPT if self.nested else _Use.RETURNED)
        elif isinstance(node, ast.Expr | ast.AugAssign):
            self.visit(node.value, _Use.READ)
            if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Subscript):
                self.visit(node.target.slice, _Use.READ)
        elif isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            self.visit(node.value, _Use.KEPT)
        elif isinstance(node, ast.If | ast.While):
            self.visit(node.test, _Use.READ)
            self.block([*node.body, *node.orelse])
        elif isinstance(node, ast.For):
            self.visit(node.iter, _Use.KEPT)
            self.block([*node.body, *node.orelse])
        elif isinstance(node, ast.FunctionDef):
            self._function(node)
        else:
            for child in ast.iter_child_nodes(node):
                self.anything(child)

    def anything(self, node: ast.AST) -> None:
        """A part of something that is not listed: every name in it is handed on."""
        self.names |= {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}

    def visit(self, node: ast.expr, use: _Use) -> None:
        if isinstance(node, ast.Name):
            if use is not _Use.READ:
                (self.names if use is _Use.KEPT else self.returned).add(node.id)
        elif isinstance(node, _READING):
            self._parts(node, _Use.READ)
        elif isinstance(node, ast.BoolOp):
            self._parts(node, use)
        elif isinstance(node, ast.IfExp):
            self.visit(node.test, _Use.READ)
            self.visit(node.body, use)
            self.visit(node.orelse, use)
        elif isinstance(node, ast.Subscript):
            self.visit(node.value, use)
            self.visit(node.slice, _Use.READ)
        elif isinstance(node, ast.Attribute):
            self.visit(node.value, _Use.READ if node.attr in _FACTS else use)
        elif isinstance(node, ast.Tuple | ast.List | ast.Dict):
            self._parts(node, _Use.RETURNED if use is _Use.RETURNED else _Use.KEPT)
        elif isinstance(node, ast.Call):
            self._call(node)
        elif isinstance(node, ast.Lambda):
            self._function(node)
        elif isinstance(node, ast.ListComp | ast.GeneratorExp):
            self.visit(node.elt, _Use.KEPT)
            for generator in node.generators:
                self.visit(generator.iter, _Use.KEPT)
                for test in generator.ifs:
                    self.visit(test, _Use.READ)
        else:
            self.anything(node)

    def _parts(self, node: ast.expr, use: _Use) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self.visit(child, use)

    def _function(self, node: Function) -> None:
        """A function inside: its own names may hide ours, which then count as handed on."""
        for default in (*node.args.defaults, *node.args.kw_defaults):
            if default is not None:
                self.visit(default, _Use.KEPT)
        outer, self.nested = self.nested, True
        if isinstance(node, ast.Lambda):
            self.visit(node.body, _Use.KEPT)
        else:
            self.block(node.body)
        self.nested = outer

    def _call(self, node: ast.Call) -> None:
        called = self.ownership.called(node.func, self.function)
        given = [*node.args, *(k.value for k in node.keywords)]
        if isinstance(node.func, ast.Attribute):
            self.visit(node.func.value, _Use.READ if called is True else _Use.KEPT)
        elif not isinstance(node.func, ast.Name):
            self.visit(node.func, _Use.KEPT)
        if isinstance(called, bool):
            use = _Use.READ if called else _Use.KEPT
            for argument in given:
                # What computes with a display computes with its parts.
                parts = argument.elts if isinstance(argument, ast.Tuple | ast.List) else [argument]
                for part in parts:
                    self.visit(part, use)
            return
        inside = None
        if called not in self.ownership._active:
            inside = self.ownership.hands_on(called)
        names = [a.arg for a in (*called.args.posonlyargs, *called.args.args)]
        plain = not any(isinstance(a, ast.Starred) for a in node.args)
        for position, argument in enumerate(node.args):
            stays = inside is not None and plain and position < len(names)
            stays = stays and names[position] not in (inside or ())
            self.visit(argument, _Use.READ if stays else _Use.KEPT)
        for keyword in node.keywords:
            stays = inside is not None and keyword.arg is not None and keyword.arg not in inside
            self.visit(keyword.value, _Use.READ if stays else _Use.KEPT)


#: Expressions that compute with their parts.
_READING = (ast.BinOp, ast.UnaryOp, ast.Compare, ast.JoinedStr, ast.FormattedValue, ast.Slice,
            ast.Constant)  # fmt: skip
#: Expressions whose value is new.
_MADE = (
    ast.Constant, ast.BinOp, ast.UnaryOp, ast.Compare, ast.JoinedStr, ast.List, ast.Tuple, ast.Dict,
    ast.ListComp, ast.GeneratorExp,
)  # fmt: skip


def _computes(dotted: str) -> bool:
    """Whether a library function gives a new value, and keeps nothing of its arguments."""
    if dotted.startswith("metricdp."):
        return dotted not in _PASSING and not dotted.startswith("metricdp.algorithms")
    head, _, name = dotted.rpartition(".")
    return head == "math" or (head.startswith("numpy") and name in _COMPUTING)


def _own_nodes(function: Function) -> Iterator[ast.AST]:
    """Everything in a function's body that is in no function inside of it."""
    body = [function.body] if isinstance(function, ast.Lambda) else function.body
    pending: list[ast.AST] = list(body)
    while pending:
        node = pending.pop()
        yield node
        if not isinstance(node, ast.FunctionDef | ast.Lambda):
            pending += ast.iter_child_nodes(node)


def _results(function: Function) -> Iterator[ast.expr]:
    if isinstance(function, ast.Lambda):
        yield function.body
        return
    for node in _own_nodes(function):
        if isinstance(node, ast.Return) and node.value is not None:
            yield node.value


def _arguments(function: Function) -> list[ast.arg]:
    spec = function.args
    rest = [a for a in (spec.vararg, spec.kwarg) if a is not None]
    return [*spec.posonlyargs, *spec.args, *spec.kwonlyargs, *rest]


def _bindings(function: Function, ownership: Ownership) -> Iterator[tuple[str, bool]]:
    """Every binding of a name of a function, and whether its value is new."""
    for argument in _arguments(function):
        declared = argument.annotation
        while isinstance(declared, ast.Subscript):
            declared = declared.value
        yield argument.arg, isinstance(declared, ast.Name) and declared.id in _IMMUTABLE
    made: dict[ast.AST, bool] = {}
    for node in _own_nodes(function):
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if len(targets) == 1:
                for target, value in _paired(targets[0], node.value):
                    made[target] = ownership.makes(value, function)
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            made[node.target] = True
        elif isinstance(node, ast.FunctionDef):
            yield node.name, False
    for node in _own_nodes(function):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            yield node.id, made.get(node, False)


def _paired(target: ast.expr, value: ast.expr) -> list[tuple[ast.expr, ast.expr]]:
    """Targets with their values, also of `a, b = 0, 1`."""
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        both = [*target.elts, *value.elts]
        if len(both) == 2 * len(value.elts) and not any(isinstance(p, ast.Starred) for p in both):
            return list(zip(target.elts, value.elts, strict=True))
    return [(target, value)]


def _names_bound(function: Function) -> frozenset[str]:
    found = {a.arg for a in _arguments(function)}
    for node in _own_nodes(function):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            found.add(node.id)
        elif isinstance(node, ast.FunctionDef):
            found.add(node.name)
    return frozenset(found)


def _bound_once(function: Function, name: str) -> bool:
    stores = [
        n
        for n in _own_nodes(function)
        if isinstance(n, ast.Name) and n.id == name and not isinstance(n.ctx, ast.Load)
    ]
    return not stores and name not in {a.arg for a in _arguments(function)}  # fmt: skip
