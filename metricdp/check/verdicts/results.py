"""What a function returns: data, the space it lies in, and nothing private without noise."""

from __future__ import annotations

from typing import Any

import msgspec

from metricdp.check.language.interpreter import Interpreter
from metricdp.check.source.declared import Declaration, annotation, resolver
from metricdp.check.values.findings import Stop, private_return, stop
from metricdp.check.values.objects import AlignedParts, Obj, TupleValue, Value
from metricdp.spaces import Public, Space


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
            if str(wanted) != text and not _converts(space, wanted):
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
        return str(value.space)
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
        raise Stop(private_return(module, place, node.name))
