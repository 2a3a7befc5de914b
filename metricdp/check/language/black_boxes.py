"""Calls of black boxes: only their declared result space is known, and what their source shows."""

from __future__ import annotations

import ast

from metricdp.check.language.interpreter import BOXED, Interpreter
from metricdp.check.source.boxes import (
    default_value,
    effect,
    public_names,
    returned_space,
    takes_batches,
)
from metricdp.check.source.unbound import unbound
from metricdp.check.values.arrays import Shape, made
from metricdp.check.values.findings import stop
from metricdp.check.values.objects import AlignedParts, BlackBox, Obj, TupleValue, Value
from metricdp.check.values.public import literal
from metricdp.expr import ZERO, Expr, sym
from metricdp.record import REGISTRY, Requirement, in_order
from metricdp.run.rewrite import PUBLIC_BOX
from metricdp.spaces import Gradient, Matrix, Scalar, Space, Vector
from metricdp.spaces.base import symbols_of


def call_box(
    interpreter: Interpreter,
    box: BlackBox,
    arguments: list[Obj],
    keywords: dict[str, Obj],
    node: ast.AST,
) -> Obj:
    """The result of a black box: a value of its `returns` space.

    Raises:
        Stop: a space without public shape, a body with effects, or a function as argument.
    """
    given = [interpreter.seen(a) for a in (*arguments, *keywords.values())]
    values = [v for each in given for v in _flat(interpreter, each, node)]
    space = _declared(interpreter, box)
    if (found := effect(box) or unbound(box)) is not None:
        raise found
    interpreter.reached.add(BOXED)
    array = _array(space) if not any(v.private for v in values) else None
    if isinstance(node, ast.Call):
        interpreter.act(node, "box" if array is None else PUBLIC_BOX, box.key)
        words = dict(zip(keywords, given[len(arguments) :], strict=True))
        interpreter.boxed.setdefault(box.key, (tuple(given[: len(arguments)]), words))
    if takes_batches(box):
        _rows_first(interpreter, box, given[: len(arguments)], given, space, node)
    if not any(v.private for v in values):
        # Without private arguments the result is some public value.
        origin = "released" if any(v.origin == "released" for v in values) else "public"
        return Value(origin, source="computed") if array is None else made(origin, array)
    names = tuple(str(i) for i in range(len(values)))
    bound: dict[str, Obj] = dict(zip(names, values, strict=True))
    bound["name"] = literal(box.name)
    bound["returns"] = Value("public", space=space)
    bound["read"] = literal(box.source is not None)
    bound["batched"] = literal(takes_batches(box))
    return interpreter.domain.apply(
        REGISTRY["black_box"], bound, interpreter.module, node, {}, names
    )


def _array(space: Space) -> Shape | None:
    """The shape of the array that a run makes of a public vector of numbers."""
    if not isinstance(space, Vector | Gradient) or space.element not in ("Real", "Int"):
        return None
    return None if space.size is None else (space.size,)


def _rows_first(
    interpreter: Interpreter, box: BlackBox, positional: list[Obj], given: list[Obj], space: Space,
    node: ast.AST,
) -> None:  # fmt: skip
    """A box that takes many rows sees them in its first argument, and gives discrete numbers.

    Raises:
        Stop: other arguments are private, the row is no number or vector, or another space.
    """
    first = positional[0] if positional else None
    row = isinstance(first, Value) and (
        not first.private or isinstance(first.space, Scalar | Vector)
    )
    if not row or any(interpreter.has_private(other) for other in given[1:]):
        raise interpreter.stop(
            node, "unsupported-call",
            f"`{box.name}` takes many rows at once, and more than its first argument is private "
            "or that is no number or vector",
            "one private row as the first argument", "remove batched=True",
        )  # fmt: skip
    numbers = isinstance(space, Scalar) and space.kind in ("", "float")
    discrete = isinstance(space, Scalar | Vector) and space.element == "Data"
    bounded = isinstance(space, Vector) and bool(space.radius)
    if not discrete or not (numbers or isinstance(space, Vector)) or bounded:
        raise stop(
            box.module, box.options["batched"], "wrong-arguments",
            f"`{box.name}` takes many rows at once, and returns {space}",
            "discrete numbers: Data, or dp.Vector[Data, ...] without a radius",
            "remove batched=True",
        )  # fmt: skip


def _flat(interpreter: Interpreter, value: Obj, node: ast.AST) -> list[Value]:
    if isinstance(value, Value):
        return [value]
    if isinstance(value, AlignedParts):
        return list(value.parts)
    if isinstance(value, TupleValue):
        return [v for item in value.items for v in _flat(interpreter, item, node)]
    raise interpreter.stop(
        node, "unsupported-call", "a black box is given a function or a module",
        "numbers, rows and containers", "pass the data that the function needs",
    )  # fmt: skip


def _declared(interpreter: Interpreter, box: BlackBox) -> Space:
    """The space of the result: one whose shape, bounds and default are public.

    Raises:
        Stop: a shape that only a result could tell, or names that no caller supplies.
    """
    space = returned_space(box)
    place = box.options["returns"]
    if not isinstance(space, Scalar | Vector | Gradient | Matrix):
        raise stop(
            box.module, place, "not-a-space",
            f"`{box.name}` returns {space}, and a black box returns one number or one container",
            "a scalar, a vector, a gradient or a matrix",
            "@dp.black_box(returns=Annotated[dp.Vector[Data, LInf], dp.Size(10)])",
        )  # fmt: skip
    # A public name is one of the function that is checked: its caller gives the number.
    known = public_names(interpreter.active[0], interpreter.used) if symbols_of(space) else {}
    unsized = any(not size.symbols <= known.keys() for size in _sizes(space))
    if unsized or not symbols_of(space) <= known.keys():
        what = "how many entries" if unsized else "which bounds"
        example = "3, 2" if isinstance(space, Matrix) else "10"
        raise stop(
            box.module, place, "box-shape",
            f"nothing public says {what} the result of `{box.name}` has",
            "a number, or a public parameter of the checked function",
            f"returns=Annotated[{_spelled(place)}, dp.Size({example})]",
        )  # fmt: skip
    for size in _sizes(space):
        wrong = sorted(name for name in size.symbols if known[name] not in ("int", "size"))
        if wrong:
            raise stop(
                box.module, place, "box-shape", f"`{wrong[0]}` is no public whole number",
                "an `int` parameter", f"{wrong[0]}: int",
            )  # fmt: skip
        # Written without the sign that a size has by itself: the caller's number may be negative.
        plain = size.subs({name: sym(name, integer=True) for name in size.symbols})
        interpreter.domain.require(
            (Requirement(plain, ">=", ZERO, remedy="give a size that is not negative"),),
            interpreter.module, box.place,
        )  # fmt: skip
    if not (space.lo.is_infinite or space.hi.is_infinite):
        interpreter.domain.require((in_order(space.lo, space.hi),), interpreter.module, box.place)
    for _, radius in getattr(space, "radius", ()):
        positive = Requirement(radius, ">=", ZERO, remedy="give a radius that is not negative")
        interpreter.domain.require((positive,), interpreter.module, box.place)
    default_value(box, space)
    return space


def _sizes(space: Space) -> list[Expr]:
    if isinstance(space, Matrix):
        return [size for size in (space.rows, space.cols) if size is not None]
    size = getattr(space, "size", None)
    return [size] if size is not None else []


def _spelled(place: ast.expr) -> str:
    """The space as it was written, without refinements."""
    if isinstance(place, ast.Subscript) and ast.unparse(place.value).endswith("Annotated"):
        inner = place.slice
        return ast.unparse(inner.elts[0] if isinstance(inner, ast.Tuple) else inner)
    return ast.unparse(place)
