"""What black boxes declare: the space of a result, its default, and names that a caller gives."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from metricdp.check.source.declared import annotation, declarations, parameters, resolver
from metricdp.check.values.findings import stop
from metricdp.check.values.objects import BlackBox, SourceFile
from metricdp.spaces import Space
from metricdp.spaces.base import symbols_of


def returned_space(box: BlackBox) -> Space:
    """The space of `returns=`.

    Raises:
        Stop: there is none, or it denotes no space.
    """
    if "returns" not in box.options:
        raise stop(
            box.module, box.place, "wrong-arguments", f"`{box.name}` does not say what it returns",
            "the space of its result",
            "@dp.black_box(returns=Annotated[dp.Vector[Data, LInf], dp.Size(10)])",
        )  # fmt: skip
    for name, option in box.options.items():
        if name not in ("returns", "default"):
            raise stop(
                box.module, option, "claim-syntax", f"`black_box` has no option `{name}`",
                "returns= and default=", f"remove `{name}=`",
            )  # fmt: skip
    found = box.options["returns"]
    return annotation(box.module, found, resolver(box.module), f"{box.name}_result")


def default_value(box: BlackBox, space: Space) -> float | int | str | bool:
    """What stands in every entry of a result that is not in the declared space.

    Raises:
        Stop: `default=` is no literal of the kind of the entries.
    """
    text = getattr(space, "kind", "") == "str"
    node = box.options.get("default")
    if node is None:
        return "" if text else 0
    try:
        value = ast.literal_eval(node)
    except ValueError:
        value = None
    finite = isinstance(value, int | float) and value == value and abs(value) != float("inf")
    if not (isinstance(value, str) if text else finite):
        raise stop(
            box.module, node, "wrong-arguments",
            f"the default of `{box.name}` is no literal {'text' if text else 'number'}",
            "a public value for results that do not fit", "default=''" if text else "default=0",
        )  # fmt: skip
    assert isinstance(value, int | float | str)
    return value


def public_names(entry: ast.AST, modules: Mapping[ast.AST, SourceFile]) -> dict[str, str]:
    """Numbers that the caller of a checked function supplies: name -> plain type, or "size"."""
    found: dict[str, str] = {}
    for declared in declarations(modules[entry]):
        if declared.node is entry:
            for parameter in parameters(declared):
                if parameter.space is None:
                    found[parameter.name] = parameter.type
                else:
                    found.update(dict.fromkeys(symbols_of(parameter.space), "size"))
    return found
