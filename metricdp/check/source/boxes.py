"""Black boxes as a file declares them: by decorator, or by a call on any function."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from metricdp.check.source.declared import kind_of
from metricdp.check.values.objects import BlackBox, Closure

if TYPE_CHECKING:
    from collections.abc import Mapping

    from metricdp.check.source.program import Module
    from metricdp.spaces import Space


def defined(module: Module, node: ast.FunctionDef, decorator: ast.expr) -> BlackBox:
    """`@dp.black_box(returns=...)` above a function."""
    keywords = decorator.keywords if isinstance(decorator, ast.Call) else []
    options = {k.arg: k.value for k in keywords if k.arg}
    return BlackBox(node.name, module, options, node, node, module)


def assigned(module: Module, name: str, value: ast.Call) -> BlackBox | None:
    """`name = dp.black_box(returns=...)(function)`; None where the call is none of these.

    The function may be anything that can be called: a function of this project (whose source is
    read), a lambda, a method, an object of a library.
    """
    made = value.func if isinstance(value.func, ast.Call) else value
    if kind_of(module, made.func) != "black_box" or len(value.args) != 1:
        return None
    if made is not value and (made.args or value.keywords):
        return None
    options = {k.arg: k.value for k in made.keywords if k.arg}
    function = value.args[0]
    if isinstance(function, ast.Lambda):
        return BlackBox(name, module, options, value, function, module)
    found = module.lookup(function.id) if isinstance(function, ast.Name) else None
    if isinstance(found, Closure):
        return BlackBox(name, module, options, value, found.node, found.module)
    return BlackBox(name, module, options, value, None, module)


def returned_space(box: BlackBox) -> Space:
    """The space of `returns=`.

    Raises:
        Stop: there is none, or it denotes no space.
    """
    from metricdp.check.source.declared import annotation, resolver
    from metricdp.check.source.program import stop

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
    from metricdp.check.source.program import stop

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


def public_names(entry: ast.AST, modules: Mapping[ast.AST, Module]) -> dict[str, str]:
    """Numbers that the caller of a checked function supplies: name -> plain type, or "size"."""
    from metricdp.check.source.declared import declarations, parameters
    from metricdp.spaces.symbols import symbols_of

    found: dict[str, str] = {}
    for declared in declarations(modules[entry]):
        if declared.node is entry:
            for parameter in parameters(declared):
                if parameter.space is None:
                    found[parameter.name] = parameter.type
                else:
                    found.update(dict.fromkeys(symbols_of(parameter.space), "size"))
    return found
