"""Which expressions at the top of a file are constants: those that build a value from literals.

A list of numbers at the top of a file, or in a cell of a notebook, may be data.  So a constant may
be built from one entry by entry, and may not be a summary of one: `HI = max(data)` is no constant.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from metricdp.check.values.objects import (
    Closure,
    Computed,
    Constant,
    Library,
    RecordClass,
    SourceFile,
)

#: What builds a value, or works on one number.
_BUILDING = frozenset(
    "range tuple list dict set frozenset zip enumerate reversed sorted round abs float int str "
    "bool divmod pow".split()
)
#: What makes one value of many; of texts, which say what there is to ask for, and of numbers that
#: are written one by one.
_SUMMARISING = frozenset({"len", "min", "max", "sum"})
_LIBRARY = (
    "math.", "numpy.arange", "numpy.linspace", "numpy.logspace", "numpy.geomspace",
    "datetime.date", "datetime.datetime", "datetime.time", "datetime.timedelta",
    "fractions.Fraction",
)  # fmt: skip
_ROOTS = frozenset(each.partition(".")[0] for each in _LIBRARY)
_PARTS = (
    ast.Constant, ast.Name, ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop, ast.expr_context,
    ast.Tuple, ast.List, ast.Set, ast.Dict, ast.Starred, ast.Subscript, ast.Slice, ast.keyword,
    ast.ListComp, ast.DictComp, ast.GeneratorExp, ast.comprehension, ast.Compare, ast.cmpop,
    ast.BoolOp, ast.boolop, ast.IfExp, ast.JoinedStr, ast.FormattedValue, ast.Attribute, ast.Call,
    ast.Lambda,
)  # fmt: skip


def is_built(module: SourceFile, value: ast.expr) -> bool:
    """Whether an expression builds a value from literals and other constants of its file."""
    return _is_built(module, value, frozenset())


def _is_built(module: SourceFile, value: ast.expr, given: frozenset[str]) -> bool:
    """As `is_built`, with names that are values already."""
    parts = list(_outside_of_lambdas(value))
    targets = [each.target for each in parts if isinstance(each, ast.comprehension)]
    if targets and any(isinstance(each, ast.Lambda) for each in parts):
        return False  # a lambda sees what the comprehension's names mean last
    own = {n.id for target in targets for n in ast.walk(target) if isinstance(n, ast.Name)}
    return all(_part(module, each, own | given) for each in parts)


def _outside_of_lambdas(value: ast.AST) -> Iterator[ast.AST]:
    """The parts of an expression that are evaluated with it: a lambda runs where it is called."""
    yield value
    if isinstance(value, ast.Lambda):
        value = value.args
    for child in ast.iter_child_nodes(value):
        if not isinstance(child, ast.arg | ast.arguments):
            yield from _outside_of_lambdas(child)


def _only_builds(cls: RecordClass) -> bool:
    """Whether making an instance builds it from what it is given."""
    if cls.made is None or isinstance(cls.made.node, ast.Lambda):
        return cls.made is None
    spec, (returned,) = cls.made.node.args, cls.made.node.body
    own = [*spec.posonlyargs, *spec.args, *spec.kwonlyargs, *([spec.vararg] if spec.vararg else [])]
    given = frozenset(each.arg for each in own)
    assert isinstance(returned, ast.Return) and returned.value is not None
    return _is_built(cls.module, returned.value, given)


def _part(module: SourceFile, node: ast.AST, own: set[str]) -> bool:
    if not isinstance(node, _PARTS):
        return False
    if isinstance(node, ast.Call):
        return _call(module, node)
    if isinstance(node, ast.Name) and node.id not in own:
        found = module.lookup(node.id)
        if found is None:
            return node.id in _BUILDING | _SUMMARISING
        if isinstance(found, Library):
            return found.dotted.partition(".")[0] in _ROOTS
        return isinstance(found, Constant | Computed | RecordClass | Closure)
    return True


def _call(module: SourceFile, node: ast.Call) -> bool:
    name, attributes = node.func, []
    while isinstance(name, ast.Attribute):
        attributes.append(name.attr)
        name = name.value
    if not isinstance(name, ast.Name):
        return False
    found = module.lookup(name.id)
    if found is None:
        if name.id in _SUMMARISING and not attributes:
            return len(node.args) > 1 or (len(node.args) == 1 and _texts(module, node.args[0]))
        return name.id in _BUILDING and not attributes
    if isinstance(found, RecordClass):
        return not attributes and _only_builds(found)
    if not isinstance(found, Library):
        return attributes in (["items"], ["keys"], ["values"]) and isinstance(found, Constant)
    dotted = ".".join([found.dotted, *reversed(attributes)])
    return any(dotted == each or (each[-1] == "." and dotted.startswith(each)) for each in _LIBRARY)


def _texts(module: SourceFile, node: ast.expr) -> bool:
    """Whether a name holds texts alone."""
    found = module.lookup(node.id) if isinstance(node, ast.Name) else None
    if not isinstance(found, Constant) or not isinstance(found.value, tuple | list | dict | set):
        return False
    return all(isinstance(each, str) for each in found.value)
