"""Classes of plain records: dataclasses and named tuples that only declare fields.

An instance is a tuple with names and a class; it is never changed, so it needs no aliasing.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from metricdp.check.source.program import stop
from metricdp.check.values.objects import Constant, Library, Obj, RecordClass, Tuple

if TYPE_CHECKING:
    from metricdp.check.language.base import Base

_DECORATORS = ("dataclasses.dataclass",)
_BASES = ("typing.NamedTuple",)


def record_class(module: Any, node: ast.ClassDef) -> RecordClass | None:
    """The class, if it only declares fields whose defaults are literals."""
    if not _plain(module, node):
        return None
    fields: list[str] = []
    defaults: dict[str, Constant] = {}
    for statement in node.body:
        if isinstance(statement, ast.Pass) or _documentation(statement):
            continue
        if not isinstance(statement, ast.AnnAssign) or not isinstance(statement.target, ast.Name):
            return None
        name = statement.target.id
        if name in fields or name.startswith("_"):
            return None
        fields.append(name)
        if statement.value is not None:
            if not isinstance(statement.value, ast.Constant):
                return None
            defaults[name] = Constant(statement.value.value, statement.value, module)
        elif defaults:
            return None
    return RecordClass(node, module, tuple(fields), defaults) if fields else None


def _plain(module: Any, node: ast.ClassDef) -> bool:
    if node.keywords:
        return False
    if node.decorator_list:
        (first, *others) = node.decorator_list
        if isinstance(first, ast.Call):
            frozen = [k.arg for k in first.keywords if k.arg not in ("frozen", "slots")]
            if first.args or frozen:
                return False
            first = first.func
        return not others and not node.bases and _meaning(module, first) in _DECORATORS
    return len(node.bases) == 1 and _meaning(module, node.bases[0]) in _BASES


def _meaning(module: Any, node: ast.expr) -> str:
    from metricdp.check.source.declared import qualified

    if isinstance(node, ast.Name):
        found = module.lookup(node.id)
        return found.dotted if isinstance(found, Library) else ""
    return (qualified(module, node) or "") if isinstance(node, ast.Attribute) else ""


def _documentation(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def made(
    calls: Base, cls: RecordClass, arguments: list[Obj], keywords: dict[str, Obj], node: ast.AST
) -> Tuple:
    """An instance."""
    from metricdp.check.language.evaluator import public_constant

    given = dict(zip(cls.fields, arguments, strict=False))
    wrong = len(arguments) > len(cls.fields) or any(
        name in given or name not in cls.fields for name in keywords
    )
    given |= keywords
    missing = [n for n in cls.fields if n not in given and n not in cls.defaults]
    if wrong or missing:
        raise stop(
            calls.module, node, "wrong-arguments",
            f"`{cls.node.name}` has the fields {', '.join(cls.fields)}", "one value per field",
            f"{cls.node.name}({', '.join(f'{n}=...' for n in cls.fields)})",
        )  # fmt: skip
    items = [given[n] if n in given else public_constant(cls.defaults[n]) for n in cls.fields]
    kind = f"{cls.module.path}:{cls.node.name}"
    return Tuple(tuple(items), names=cls.fields, kind=kind)
