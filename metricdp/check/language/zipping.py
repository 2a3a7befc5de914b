"""Rows of several tables together: `zip` of tables that were made of the same rows.

A table that a function of one row made of another one has its rows, in its order, whatever the
function gives.  So the rows of several such tables, side by side, are a function of one row of the
table that all of them were made of: one unit moves them as it moves that table.
"""

from __future__ import annotations

import ast

import msgspec

from metricdp.check.language.interpreter import Interpreter
from metricdp.check.values.forms import describe_bounds
from metricdp.check.values.objects import Value, Zip
from metricdp.spaces import Maybe, Records, Row, Scalar


def zipped(interpreter: Interpreter, made: Zip, node: ast.AST) -> Value | None:
    """The table of the rows of several tables; None where they are not known to be the same."""
    parts = [interpreter.seen(part) for part in made.parts]
    domain = interpreter.domain
    tables = [p for p in parts if isinstance(p, Value) and isinstance(p.space, Records)]
    roots = {domain.same_rows.get(p.form, p.form) for p in tables if p.form is not None}
    if len(tables) < 2 or len(tables) < len(parts) or len(roots) != 1:
        return None
    first, movements = tables[0], [domain.movement(p) for p in tables]
    (root,) = roots
    if first.form is None or root is None or any(m != movements[0] for m in movements):
        return None  # a function of rows looked at something else that is private
    spaces = [table.space for table in tables if isinstance(table.space, Records)]
    fields = [space.row for space in spaces if isinstance(space.row, Scalar | Maybe)]
    if len(fields) < len(tables):
        return None
    names = tuple(map(str, range(len(fields))))
    row = Row(names, tuple(fields), f"tuple[{', '.join(map(str, fields))}]")
    space = msgspec.structs.replace(spaces[0], row=row)
    text = describe_bounds(movements[0], space)
    step = domain.state.step(
        "map", tuple(p.step for p in tables if p.step), f"{space.describe()}; moves by {text}",
        interpreter.module.span(node), bound=text, space=str(space),
    )  # fmt: skip
    form = domain.state.atom(space, movements[0], domain.state.regions(first.form))
    domain.same_rows[form] = root
    value = domain.private(space, form, step, first.why)
    if any(map(domain.by_row.is_listed, tables)):
        domain.by_row.lists(value)
    return value
