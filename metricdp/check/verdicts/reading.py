"""The start and the end of reading a function: arguments and requirements, and what it returns.

What it returns is data, in a known space, with nothing private in it but through noise.  And its
tree is closed: costs are read per parameter, through the nodes that map rows to it, so a source
that none of them reaches would be charged to nobody, and noise that hides it would look free.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from metricdp.check.domain.entry import private_parameter
from metricdp.check.domain.privacy import failed
from metricdp.check.domain.state import PendingRequirement
from metricdp.check.language.interpreter import Interpreter
from metricdp.check.source.declared import (
    SEQUENCES,
    Declaration,
    Parameter,
    annotation,
    item_type,
    resolver,
)
from metricdp.check.source.names import star_import
from metricdp.check.values import moments, sequences
from metricdp.check.values.findings import Stop, private_return, stop
from metricdp.check.values.forms import Source
from metricdp.check.values.keys import Keys, dictionary_type, length, set_type
from metricdp.check.values.objects import AlignedParts, Obj, TupleValue, Value
from metricdp.expr import ONE, ZERO, Expr, compare, maximum, sym
from metricdp.measures.events import Tree, consumed, traced
from metricdp.run.plainer import yields
from metricdp.spaces import Public, Scalar, Space
from metricdp.spaces.moments import CLASSES


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
    if yields(node):
        raise stop(
            module, node, "unsupported-syntax",
            f"`{node.name}` yields, so a call would be a generator that has not begun",
            "a function that returns", "append to a list, and return the list",
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


def argument(interpreter: Interpreter, parameter: Parameter, source: Source | None = None) -> Obj:
    """The abstract value of a parameter.

    Args:
        source: of the movement of a private one, where others share it.

    Raises:
        Stop: a private parameter in a space that check cannot read.
    """
    if parameter.space is not None:
        return private_parameter(
            interpreter.domain, parameter.name, parameter.space, interpreter.module, parameter.node,
            source,
        )  # fmt: skip
    if parameter.type in CLASSES:
        return moments.parameter(parameter.type, parameter.name)
    number = parameter.type in ("float", "int")
    expr = sym(parameter.name, integer=parameter.type == "int") if number else None
    size = length(parameter.name)
    if (pair := dictionary_type(parameter.type)) is not None:
        keys = Keys(parameter.name, pair[0], size, ("dict",), pair[1])
        return Value("public", source="parameter", keys=keys)
    if each := set_type(parameter.type):
        keys = Keys(parameter.name, each, size, ("set",))
        return Value("public", source="parameter", keys=keys)
    if not parameter.type.startswith(SEQUENCES):
        text = Scalar("Data", kind="str") if parameter.type == "str" else None
        held = parameter.type if parameter.type in ("int", "bool") else ""
        return Value("public", text, expr=expr, source="parameter", holds=held)
    each = item_type(parameter.type)
    return sequences.declared(each, Keys(parameter.name, each, size) if each else None, size)


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


def as_data(result: Obj, module: Any, node: Any) -> Obj:
    """The result, when it is data: a function or module could carry private values out.

    Raises:
        Stop: it is no data.
    """
    if isinstance(result, AlignedParts):
        return TupleValue(result.parts)
    if isinstance(result, TupleValue):
        return msgspec.structs.replace(
            result, items=tuple(as_data(i, module, node) for i in result.items)
        )
    if not isinstance(result, Value):
        raise stop(
            module, node, "unsupported-syntax", f"`{node.name}` returns something that is no data",
            "numbers, containers and tuples of these", "return the values themselves",
        )  # fmt: skip
    return result


def output(declared: Declaration, result: Obj) -> tuple[str, Space | None, tuple[str, ...] | None]:
    """The space of the result in words and as a space, and of its components.

    Raises:
        Stop: the return annotation says something else.
    """
    space = getattr(result, "space", None)
    components = None
    if isinstance(result, TupleValue):
        components = tuple(_described(item) for item in result.items)
    text = _described(result)
    returns = declared.node.returns
    if returns is not None and declared.kind == "transformation":
        wanted = annotation(declared.module, returns, resolver(declared.module), "")
        if not isinstance(wanted, Public):
            if _other_norm(space, wanted):
                raise stop(
                    declared.module, returns, "wrong-norm",
                    f"the result lies in {text}, and discrete data change their norm by "
                    f"conversion only",
                    f"a result in {wanted}", f"dp.norm_convert(..., {wanted})",
                )  # fmt: skip
            spelled = str(wanted).replace("tuple[", "Tuple[")
            if spelled != text and not _converts(space, wanted):
                raise stop(
                    declared.module, returns, "return-annotation",
                    f"the result lies in {text}, not in {wanted}", f"a result in {wanted}",
                    f"-> dp.{text}",
                )  # fmt: skip
            if space is not None and hasattr(space, "norm") and hasattr(wanted, "norm"):
                space = msgspec.structs.replace(space, norm=wanted.norm)
                text = str(space)
    return text, space, components


def _described(value: Obj) -> str:
    """The space of a result in words; a released number with no space of its own is Real."""
    if isinstance(value, TupleValue):
        return f"Tuple[{', '.join(_described(item) for item in value.items)}]"
    if not isinstance(value, Value):
        return "public"
    if value.space is not None:
        axes = getattr(value.space, "shape", ())
        released = len(axes) == 2 and not value.private
        element = getattr(value.space, "element", "Real")
        return f"Matrix[{element}, LInf]" if released else str(value.space)
    if value.source == "list":
        return "list"
    return "Real" if value.origin == "released" else "public"


def _other_norm(space: Space | None, wanted: Any) -> bool:
    """Discrete containers carry one norm: another one cannot be read off."""
    if type(space) is not type(wanted) or getattr(space, "element", "") != "Data":
        return False
    return bool(getattr(space, "norm", "") != getattr(wanted, "norm", ""))


def _converts(space: Space | None, wanted: Space) -> bool:
    """Whether the result can be read in the annotated space: another norm, or Int as Real."""
    if type(space) is not type(wanted):
        return False
    have, want = getattr(space, "element", ""), getattr(wanted, "element", "")
    return have == want or (have in ("Int", "Bool") and want in ("Real", "Int"))


def released(interpreter: Interpreter, result: Obj, module: Any, node: Any) -> None:
    """Raises:
    Stop: something private is returned.
    """
    if interpreter.has_private(result):
        place = next((s for s in reversed(node.body) if type(s).__name__ == "Return"), node)
        seen = interpreter.seen(result)
        counts = interpreter.domain.counts_in(private_in(seen))
        items = seen.items if isinstance(seen, TupleValue) else ()
        which = [interpreter.has_private(item) for item in items]
        raise Stop(private_return(module, place, node.name, counts, which))


def private_in(value: Obj) -> list[Value]:
    if isinstance(value, TupleValue):
        return [part for item in value.items for part in private_in(item)]
    return [value] if isinstance(value, Value) else []


def require_closed(
    tree: Tree,
    private: Iterable[Any],
    places: Mapping[str, tuple[Any, ast.AST]],
    module: Any,
    node: ast.AST,
) -> None:
    """Every source that the tree reads from outside is a private parameter.

    Args:
        private: the sources of the private parameters.
        places: address of a mechanism call -> its module and node.
        module, node: of the function.

    Raises:
        Stop: a source is left over.
    """
    left = consumed(tree) - frozenset(private)
    if not left:
        return
    found = (
        places[leaf.event.site]
        for leaf, sources in traced(tree)
        if leaf.event.site in places and not left.isdisjoint(sources.values())
    )
    raise stop(
        *next(found, (module, node)), "uncharged-source",
        "this noise hides a value whose movement no private parameter is charged for",
        "noise on values that are computed from private parameters where the noise is added",
        "compute the value from the parameter in the round, or the part, that releases it",
    )  # fmt: skip
