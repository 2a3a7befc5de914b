"""What every kind of node of Python means: the one table, and the one file that knows all of it."""

from __future__ import annotations

import ast

from metricdp.check.language import (
    assignments,
    branches,
    calls,
    comprehensions,
    conditions,
    dictionaries,
    displays,
    functions,
    looping,
    names,
    operators,
    presence,
    sets,
    statements,
    subscripts,
)
from metricdp.check.language.interpreter import Semantics

PYTHON = Semantics(
    expressions={
        ast.Constant: names.constant,
        ast.Name: presence.read_by(names.name),
        ast.Attribute: presence.read_by(names.attribute),
        ast.BinOp: operators.bin_op,
        ast.UnaryOp: operators.unary_op,
        ast.Compare: operators.compare,
        ast.BoolOp: operators.bool_op,
        ast.Tuple: displays.sequence,
        ast.List: displays.sequence,
        ast.Set: displays.set_,
        ast.SetComp: sets.set_comprehension,
        ast.Dict: dictionaries.display,
        ast.DictComp: comprehensions.of_dictionary,
        ast.JoinedStr: displays.joined_text,
        ast.Subscript: presence.read_by(subscripts.subscript),
        ast.ListComp: comprehensions.comprehension,
        ast.GeneratorExp: comprehensions.kept_generator,
        ast.Lambda: functions.lambda_,
        ast.Call: calls.call,
        ast.IfExp: branches.conditional,
        conditions.Condition: conditions.read,
    },
    statements={
        ast.Expr: statements.expression,
        ast.Assign: assignments.assign,
        ast.AnnAssign: assignments.annotated,
        ast.AugAssign: assignments.augmented,
        ast.FunctionDef: functions.definition,
        ast.Pass: statements.pass_,
        ast.Global: statements.outside_names,
        ast.Nonlocal: statements.outside_names,
    },
    control={
        ast.Return: statements.return_,
        ast.Break: looping.jump,
        ast.Continue: looping.jump,
        ast.If: branches.branch,
        ast.For: looping.loop,
        ast.While: looping.loop,
        ast.Match: looping.match,
        ast.Raise: statements.raise_,
        ast.Assert: statements.assert_,
    },
    enter=functions.enter,
)
