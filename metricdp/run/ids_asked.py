"""`{row.user for row in rows if p(row)}` as the rows that it goes through and the field it reads.

Where the rows of a table belong to users, how many of these values there are is `dp.count_ids` of
the rows that pass.  Check reads what is made here (`check.language.sets`), and a run executes it.
"""

from __future__ import annotations

import ast
from copy import deepcopy
from typing import Final

#: The attribute of a comprehension: the rows that it goes through, and the field.
_KEPT: Final = "_metricdp_ids"


def ids_asked(node: ast.expr) -> tuple[ast.ListComp, str] | None:
    """The rows of a comprehension whose entries are one field of them, and that field; None of
    anything else."""
    if not isinstance(node, ast.SetComp | ast.ListComp | ast.GeneratorExp):
        return None
    kept: tuple[ast.ListComp, str] | None = getattr(node, _KEPT, None)
    if kept is None and (made := _made(node)) is not None:
        kept = vars(node).setdefault(_KEPT, made)  # one tree, whoever reads it
    return kept


def _made(node: ast.SetComp | ast.ListComp | ast.GeneratorExp) -> tuple[ast.ListComp, str] | None:
    (rows, *more) = node.generators
    if more or rows.is_async or not isinstance(rows.target, ast.Name):
        return None
    match node.elt:
        case ast.Attribute(ast.Name(row), field) | ast.Subscript(
            ast.Name(row), ast.Constant(str() as field)
        ) if row == rows.target.id:
            made = ast.ListComp(ast.Name(row, ast.Load()), [deepcopy(rows)])
            ast.copy_location(made.elt, node.elt)
            return ast.copy_location(made, node), field
    return None
