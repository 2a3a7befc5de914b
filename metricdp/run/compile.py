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
import copy
import importlib
import math
import types
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from metricdp.record import REGISTRY
from metricdp.values.exact import Exact
from metricdp.values import Column, ExactVector, wrap

#: Node of the checked tree -> (kind, name, permutation of positional arguments or None).
Actions = Mapping[ast.AST, tuple[str, str, tuple[int, ...] | None]]
#: Answers a mechanism call: (address, record name, arguments, keywords) -> released value.
Mechanism = Callable[[str, str, tuple[Any, ...], dict[str, Any]], Any]

_BUILTINS = {
    name: getattr(builtins, name)
    for name in (
        "abs all any bool dict divmod enumerate filter float int isinstance len list map max min "
        "pow range repr reversed round set sorted str sum tuple zip format print True False None"
    ).split()
    if hasattr(builtins, name)
}


#: Builtins that pass their arguments on as they are.
_STRUCTURAL = frozenset({zip, enumerate, reversed, list, tuple, len, dict, min, max, sum, abs})


class Machine:
    """What compiled code calls back into; one per run, so that runs do not share state."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism = mechanism
        self.path: list[str] = []

    def primitive(self, name: str, order: tuple[int, ...] | None, *args: Any, **keywords: Any) -> Any:
        """The reference function of a record."""
        if order is not None:
            args = tuple(args[i] for i in order)
        record = REGISTRY[name]
        if any(isinstance(arg, Column) for arg in args):
            if record.array is not None:
                return wrap(record.array(*args, **keywords))
            args = tuple(arg.vector() if isinstance(arg, Column) else arg for arg in args)
        return wrap(record.run(*args, **keywords))

    def noise(self, place: str, name: str, order: Any, *args: Any, **keywords: Any) -> Any:
        """One mechanism call at its site."""
        if order is not None:
            args = tuple(args[i] for i in order)
        return self.mechanism("/".join([*self.path, place]), name, args, keywords)

    def call(self, place: str, function: Any, *args: Any, **keywords: Any) -> Any:
        """A function of the program, with the call remembered in the address of its sites."""
        self.path.append(place)
        try:
            return function(*args, **keywords)
        finally:
            self.path.pop()

    def rows(self, items: list[Any]) -> Any:
        """The result of a comprehension over rows."""
        return wrap(items)

    def divide(self, x: Any, y: Any) -> Any:
        """Public division: exact on exact numbers, Python's own on released floats."""
        if isinstance(x, float) or isinstance(y, float):
            return x / y
        if isinstance(x, int | Exact) and isinstance(y, int | Exact):
            if y == 0:
                raise ZeroDivisionError("division by zero")
            return Exact(x) / y
        return x / y

    def pure(self, function: Any, *args: Any, **keywords: Any) -> Any:
        """A public function: of a library, it sees floats, as it would in plain Python."""
        if function in _STRUCTURAL:
            return function(*args, **keywords)
        return function(*map(plain, args), **{k: plain(v) for k, v in keywords.items()})


def plain(value: Any) -> Any:
    """Exact numbers as Python's int and float; containers item by item."""
    if isinstance(value, Exact):
        return int(value) if value.denominator == 1 and abs(value) < 2**53 else float(value)
    if isinstance(value, ExactVector):
        return [plain(item) for item in value]
    if type(value) in (list, tuple):
        return type(value)(plain(item) for item in value)
    if type(value) is dict:
        return {key: plain(item) for key, item in value.items()}
    return value


class Program:
    """The compiled functions of one check."""

    def __init__(self, actions: Actions, used: Mapping[ast.AST, Any]) -> None:
        self.actions, self.used = actions, used
        self.spaces: dict[int, dict[str, Any]] = {}

    def function(self, node: ast.FunctionDef, module: Any, machine: Machine) -> Callable[..., Any]:
        """The compiled form of a top-level function of a module."""
        return _Linker(self, machine).function(node, module)


class _Linker:
    """Builds the pinned namespaces of one run's functions, each function once."""

    def __init__(self, program: Program, machine: Machine) -> None:
        self.program, self.machine = program, machine
        self.namespaces: dict[int, dict[str, Any]] = {}

    def function(self, node: ast.FunctionDef, module: Any) -> Callable[..., Any]:
        space = self.namespace(module)
        if node.name not in space or not callable(space[node.name]):
            self._define(node, module, space)
        return space[node.name]  # type: ignore[no-any-return]

    def namespace(self, module: Any) -> dict[str, Any]:
        known = self.namespaces.get(id(module))
        if known is None:
            known = {"__builtins__": dict(_BUILTINS), "_machine": self.machine, "_Exact": Exact}
            self.namespaces[id(module)] = known
        return known

    def _define(self, node: ast.FunctionDef, module: Any, space: dict[str, Any]) -> None:
        space[node.name] = None  # cuts cycles; recursion was rejected by check
        code = compiled(node, self.program.actions, module.path)
        for name in _free_names(code[0]):
            if name in _BUILTINS and module.lookup(name) is None or name in space:
                continue
            found = module.lookup(name)
            if found is not None:
                space[name] = self._pinned(found)
        exec(code[1], space)

    def _pinned(self, found: Any) -> Any:
        kind = type(found).__name__
        if kind == "Constant":
            return _exactly(found.value)
        if kind == "Closure" and isinstance(found.node, ast.FunctionDef):
            return self.function(found.node, found.module)
        if kind == "Closure":
            tree = ast.Expression(rewritten(found.node, self.program.actions))
            ast.fix_missing_locations(tree)
            return eval(compile(tree, found.module.path, "eval"), self.namespace(found.module))
        if kind == "Library":
            return _library(found.dotted, self.machine)
        if kind == "ModuleRef":
            return _Members(lambda name: self._pinned(found.module.lookup(name)))
        return None


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
    return value


def compiled(node: ast.FunctionDef, actions: Actions, path: str) -> tuple[ast.FunctionDef, types.CodeType]:
    """The rewritten function and the code that defines it."""
    function = rewritten(node, actions)
    assert isinstance(function, ast.FunctionDef)
    module = ast.Module([function], [])
    ast.fix_missing_locations(module)
    return function, compile(module, path, "exec")


def rewritten(node: ast.AST, actions: Actions) -> Any:
    """The tree that runs in place of a checked tree; the checked tree stays as it is."""
    return _Rewrite(actions).visit(node)


class _Rewrite(ast.NodeTransformer):
    def __init__(self, actions: Actions) -> None:
        self.actions = actions

    def visit(self, node: ast.AST) -> Any:
        action = self.actions.get(node)
        if action is not None and isinstance(node, _ACTED):
            return ast.copy_location(self._acted(node, *action), node)
        method = getattr(self, f"visit_{type(node).__name__}", None)
        fresh = copy.copy(node)
        return method(fresh) if method is not None else self.generic_visit(_shallow(fresh))

    def _acted(self, node: ast.AST, kind: str, name: str, order: tuple[int, ...] | None) -> ast.expr:
        arguments, keywords = _operands(node, kind)
        args = [self.visit(a) for a in arguments]
        kws = [ast.keyword(k.arg, self.visit(k.value)) for k in keywords]
        if kind == "call":
            assert isinstance(node, ast.Call)
            place = ast.Constant(_place(node))
            return _callback("call", [place, self.visit(node.func), *args], kws)
        if kind == "rows":
            assert isinstance(node, ast.ListComp | ast.GeneratorExp)
            items = ast.ListComp(self.visit(node.elt), [self.visit(g) for g in node.generators])
            return _callback("rows", [items], [])
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Tuple):
            return self._nested_index(node, name)
        permutation = ast.Constant(order)
        if kind == "mechanism":
            head = [ast.Constant(_place(node)), ast.Constant(name), permutation]
            return _callback("noise", [*head, *args], kws)
        return _callback("primitive", [ast.Constant(name), permutation, *args], kws)

    def _nested_index(self, node: ast.Subscript, name: str) -> ast.expr:
        """m[i, j] as m[i][j], as it was checked."""
        assert isinstance(node.slice, ast.Tuple)
        value = self.visit(node.value)
        for index in node.slice.elts:
            head = [ast.Constant(name), ast.Constant(None)]
            value = _callback("primitive", [*head, value, self.visit(index)], [])
        return value

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.decorator_list, node.returns = [], None
        node.args = _bare(node.args)
        return self.generic_visit(_shallow(node))

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
        if node.value is None:
            return ast.Pass()
        return ast.Assign([self.visit(node.target)], self.visit(node.value), None)

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        """`x += y` binds x to x + y: values are immutable, so no alias can be changed."""
        action = self.actions.get(node)
        assert isinstance(node.target, ast.Name)
        left = ast.Name(node.target.id, ast.Load())
        value: ast.expr
        if action is not None:
            value = _callback(
                "primitive", [ast.Constant(action[1]), ast.Constant(None), left, self.visit(node.value)], []
            )
        elif isinstance(node.op, ast.Div):
            value = _callback("divide", [left, self.visit(node.value)], [])
        else:
            value = ast.BinOp(left, node.op, self.visit(node.value))
        return ast.Assign([ast.Name(node.target.id, ast.Store())], value, None)

    def visit_BinOp(self, node: ast.BinOp) -> Any:
        if isinstance(node.op, ast.Div):
            return _callback("divide", [self.visit(node.left), self.visit(node.right)], [])
        return self.generic_visit(_shallow(node))

    def visit_Call(self, node: ast.Call) -> Any:
        args = [self.visit(a) for a in node.args]
        kws = [ast.keyword(k.arg, self.visit(k.value)) for k in node.keywords]
        return _callback("pure", [self.visit(node.func), *args], kws)

    def visit_Constant(self, node: ast.Constant) -> Any:
        if isinstance(node.value, float) and math.isfinite(node.value):
            ratio = node.value.as_integer_ratio()
            return ast.Call(ast.Name("_Exact", ast.Load()), [ast.Constant(n) for n in ratio], [])
        return node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> Any:
        return node


def _shallow(node: ast.AST) -> ast.AST:
    """Lists of children copied, so that rewriting leaves the checked tree alone."""
    for field, value in ast.iter_fields(node):
        if isinstance(value, list):
            setattr(node, field, list(value))
    return node


def _bare(args: ast.arguments) -> ast.arguments:
    """Parameters without annotations."""
    strip = lambda group: [ast.arg(a.arg) for a in group]  # noqa: E731
    return ast.arguments(
        strip(args.posonlyargs), strip(args.args), None, strip(args.kwonlyargs),
        list(args.kw_defaults), None, list(args.defaults),
    )  # fmt: skip


#: Nodes that call back; comparisons and logic run as Python's own on exact numbers.
_ACTED = (
    ast.Call,
    ast.BinOp,
    ast.UnaryOp,
    ast.Subscript,
    ast.Attribute,
    ast.ListComp,
    ast.GeneratorExp,
)


def _operands(node: ast.AST, kind: str) -> tuple[list[ast.expr], list[ast.keyword]]:
    if isinstance(node, ast.Call):
        arguments = list(node.args)
        if kind == "method":
            assert isinstance(node.func, ast.Attribute)
            arguments = [node.func.value, *arguments]
        return arguments, list(node.keywords)
    if isinstance(node, ast.BinOp):
        return [node.left, node.right], []
    if isinstance(node, ast.UnaryOp):
        return [node.operand], []
    if isinstance(node, ast.Subscript):
        return [node.value, node.slice], []
    if isinstance(node, ast.Attribute):
        return [node.value], []
    return [], []


def _place(node: ast.AST) -> str:
    return f"{getattr(node, 'lineno', 0)}:{getattr(node, 'col_offset', 0)}"


def _callback(name: str, args: list[Any], keywords: list[ast.keyword]) -> ast.Call:
    machine = ast.Attribute(ast.Name("_machine", ast.Load()), name, ast.Load())
    return ast.Call(machine, args, keywords)


def _free_names(node: ast.AST) -> set[str]:
    return {
        inner.id
        for inner in ast.walk(node)
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Load)
    } - {"_machine", "_Exact"}
