"""The start and the end of reading a function: what can be read, its arguments, requirements."""

from __future__ import annotations

import ast

import msgspec

from metricdp.check.domain.entry import private_parameter
from metricdp.check.domain.privacy import failed
from metricdp.check.domain.state import PendingRequirement
from metricdp.check.language.interpreter import Interpreter
from metricdp.check.source.declared import SEQUENCES, Declaration, Parameter, item_type
from metricdp.check.source.names import star_import
from metricdp.check.values.findings import stop
from metricdp.check.values.objects import Obj, Value
from metricdp.expr import ONE, ZERO, Expr, compare, maximum, sym
from metricdp.spaces import Scalar, Vector

#: Element of a public sequence by the declared type of its items.
ITEMS = {"float": "Real", "int": "Int", "str": "Data"}


def checkable(declared: Declaration) -> None:
    """Raises:
    Stop: what the decorator stands on is no plain function at the top of a file, or its names
        have no meaning that can be read.
    """
    node, module = declared.node, declared.module
    if declared.unread:
        raise stop(
            module, declared.decorator, "unknown-decorator",
            f"nothing says which decorator this is: {declared.unread}",
            "one import of metricdp, and no other meaning of its name",
            "import metricdp as dp   and   @dp.measurement or @dp.transformation",
        )  # fmt: skip
    if isinstance(node, ast.AsyncFunctionDef) or not module.at_top(node):
        raise stop(
            module, node, "unsupported-syntax",
            f"`{node.name}` is "
            f"{'asynchronous' if isinstance(node, ast.AsyncFunctionDef) else 'nested'}, "
            "and check reads plain functions at the top of a file",
            "a plain function at the top of the file", f"def {node.name}(...) at the left margin",
        )  # fmt: skip
    if (star := module.star_import()) is not None:
        raise star_import(module, star)
    if len(node.decorator_list) > 1:
        raise stop(
            module, node.decorator_list[0], "unknown-decorator",
            f"`{node.name}` has {len(node.decorator_list)} decorators, and what runs would not "
            f"be what "
            "is checked", "one decorator", f"remove @{_other(node, declared.kind)}",
        )  # fmt: skip


def argument(interpreter: Interpreter, parameter: Parameter) -> Obj:
    """The abstract value of a parameter.

    Raises:
        Stop: a private parameter in a space that check cannot read.
    """
    if parameter.space is not None:
        return private_parameter(
            interpreter.domain, parameter.name, parameter.space, interpreter.module, parameter.node
        )
    number = parameter.type in ("float", "int")
    expr = sym(parameter.name, integer=parameter.type == "int") if number else None
    if not parameter.type.startswith(SEQUENCES):
        text = Scalar("Data", kind="str") if parameter.type == "str" else None
        return Value("public", text, expr=expr, source="parameter")
    size = sym(f"len_{parameter.name}", nonneg=True, integer=True)
    item = ITEMS.get(item_type(parameter.type))
    space = Vector(item, "LInf", size) if item is not None else None
    return Value("public", space, source="parameter", size=size)


def requirement(pending: PendingRequirement) -> tuple[Expr, str, Expr] | None:
    """A requirement with the movement that it speaks of; None if it certainly holds.

    Raises:
        Stop: it certainly fails.
    """
    r = pending.requirement
    left, right = r.left, r.right
    if pending.moved is not None:
        ends = [m.subs({"d_in": ONE}) for m in pending.moved.values()]
        bound = maximum(*ends) if ends else ZERO
        left, right = (e.subs({"_bound": bound}) for e in (left, right))
    verdict = compare(left, r.op, right)
    if verdict is True:
        return None
    if verdict is False:
        fixed = msgspec.structs.replace(r, left=left, right=right)
        raise failed(fixed, pending.module, pending.node)
    return left, r.op, right


def _other(node: ast.FunctionDef, kind: str) -> str:
    """The first decorator that is not the one of this package."""
    texts = [ast.unparse(each) for each in node.decorator_list]
    return next((text for text in texts if kind not in text), texts[-1])
