"""Every kind of node of Python has a meaning in the one table, or is rejected by its name."""

from __future__ import annotations

import ast

import pytest

from metricdp.check.language.interpreter import Interpreter
from metricdp.check.language.python import PYTHON
from metricdp.check.source.program import Module, Project
from metricdp.check.values.findings import Stop
from metricdp.check.values.frames import Frame


def kinds(base: type[ast.AST]) -> list[type[ast.AST]]:
    """The kinds of nodes below a base that the parser makes; `Num` and the like are `Constant`."""
    return [kind for kind in base.__subclasses__() if not kind.__subclasses__() or kind._fields]


def reading() -> Interpreter:
    module = Project().parse("program.py", "x = 1\n")
    assert isinstance(module, Module)
    return Interpreter(module, PYTHON)


def placed(kind: type[ast.AST]) -> ast.AST:
    """A node that is refused before its parts are read: they are missing, or names of nothing."""
    place = {"lineno": 1, "col_offset": 0, "end_lineno": 1, "end_col_offset": 1}
    named = {"target", "value"} & {*kind._fields}
    node = kind.__new__(kind)  # from Python 3.13 on a call asks for all parts
    for name in named:
        setattr(node, name, ast.Name("nothing_", ast.Load(), **place))
    for name, number in place.items():
        setattr(node, name, number)
    return node


@pytest.mark.parametrize("kind", kinds(ast.expr))
def test_expressions_have_a_meaning_or_are_refused(kind: type[ast.expr]) -> None:
    if kind in PYTHON.expressions:
        return
    node = placed(kind)
    assert isinstance(node, ast.expr)
    with pytest.raises(Stop) as stopped:
        reading().evaluate(node, Frame({}))
    assert stopped.value.diagnostic.code == "unsupported-syntax"


@pytest.mark.parametrize("kind", kinds(ast.stmt))
def test_statements_have_a_meaning_or_are_refused(kind: type[ast.stmt]) -> None:
    if kind in PYTHON.statements or kind in PYTHON.control:
        assert (kind in PYTHON.statements) != (kind in PYTHON.control)
        return
    node = placed(kind)
    assert isinstance(node, ast.stmt)
    with pytest.raises(Stop) as stopped:
        reading().block([node], Frame({}))
    assert stopped.value.diagnostic.code == "unsupported-syntax"


def test_the_tables_name_kinds_of_their_own() -> None:
    assert set(PYTHON.expressions) <= set(kinds(ast.expr))
    assert set(PYTHON.statements) | set(PYTHON.control) <= set(kinds(ast.stmt))
    assert len(kinds(ast.expr)) > len(PYTHON.expressions) > 10
