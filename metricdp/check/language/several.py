"""One mechanism over several private numbers and vectors: a tuple enters as one vector.

Stability.  When one source moves the numbers by d_1, ..., d_k, it moves the vector of them by
d_1 + ... + d_k in L1, by sqrt(d_1^2 + ... + d_k^2) in L2 and by max d_i in LInf.  A vector stands
for its entries: in each norm it counts with what it moves in that norm.
"""

from __future__ import annotations

import ast
from functools import partial

import msgspec

from metricdp.check.domain.state import CheckState, rewrite
from metricdp.check.language.interpreter import Interpreter
from metricdp.check.values.describing import describe_bounds
from metricdp.check.values.forms import Form, Movement, Source, all_norms
from metricdp.check.values.objects import Obj, TupleValue, Value
from metricdp.expr import ONE, ZERO, Expr
from metricdp.measures.events import Spent
from metricdp.record import Record
from metricdp.spaces import Scalar, Space, Vector
from metricdp.spaces.norms import NORMS

_ARGUMENT = "x"


def several(interpreter: Interpreter, record: Record, given: dict[str, Obj]) -> TupleValue | None:
    """The tuple of private numbers that a mechanism is given, if it is given one."""
    value = given.get(_ARGUMENT)
    adds = record.family is not None and record.family.adds
    return (
        value if adds and isinstance(value, TupleValue) and interpreter.has_private(value) else None
    )


def joined(interpreter: Interpreter, record: Record, values: TupleValue, node: ast.AST) -> Value:
    """The vector of a tuple of numbers."""
    domain = interpreter.domain
    if values.names:
        raise _no_numbers(interpreter, record, node)
    items: list[Value] = []
    for item in values.items:
        known = domain.lifted(item, interpreter.module, node) if isinstance(item, Value) else None
        if known is None or not _is_part(known, values):
            raise _no_numbers(interpreter, record, node)
        items.append(known)
    bounds: dict[Source, list[Movement]] = {}
    for item in items:
        assert item.space is not None
        for source, movement in domain.state.movement(item.form or Form(())).items():
            bounds.setdefault(source, []).append(all_norms(item.space, movement))
    moves = {source: _norms(each) for source, each in bounds.items()}
    elements = {getattr(item.space, "element", "") for item in items}
    element = "Data" if "Data" in elements else "Real" if "Real" in elements else "Int"
    space = Vector(element, "L2", sum((_size(item) for item in items), ZERO))
    text = describe_bounds(moves, space)
    step = domain.state.step(
        "several", tuple(v.step for v in items if v.step), f"{space}; moves by {text}",
        interpreter.module.span(node), bound=text, space=str(space),
    )  # fmt: skip
    why = next((v.why for v in items if v.why is not None), None)
    return domain.private(space, domain.state.atom(space, moves), step, why)


def released(state: CheckState, values: TupleValue, result: Value, mark: int) -> Obj:
    """What the mechanism returns: as many items as the tuple has, a vector for a list.

    Args:
        mark: where what the mechanism spent begins in the trace.
    """
    parts = tuple(getattr(getattr(item, "space", None), "size", None) for item in values.items)
    if any(part is not None for part in parts):
        state.trace[mark:] = [rewrite(t, partial(_in_parts, parts)) for t in state.trace[mark:]]
    if values.is_list:
        return result
    items = []
    for item in values.items:
        held = getattr(item, "space", None)
        # One real number among them makes the noise of all of them real.
        element = getattr(result.space, "element", "Real")
        space: Space = Scalar(element)
        if isinstance(held, Vector):
            space = Vector(element, "LInf", held.size)
        items.append(Value("released", space, step=result.step))
    return TupleValue(tuple(items))


def _in_parts(parts: tuple[Expr | None, ...], leaf: Spent) -> Spent:
    return msgspec.structs.replace(leaf, event=msgspec.structs.replace(leaf.event, parts=parts))


def _is_part(item: Value, values: TupleValue) -> bool:
    """A number; or, in a tuple, whose items keep their shapes, a vector."""
    if isinstance(item.space, Vector):
        return not values.is_list and item.space.size is not None
    return isinstance(item.space, Scalar)


def _size(item: Value) -> Expr:
    size = item.space.size if isinstance(item.space, Vector) else None
    return ONE if size is None else size


def _norms(parts: list[Movement]) -> dict[str, Expr]:
    if len(parts) == 1:
        return {norm: _in(parts[0], norm) for norm in NORMS}
    return {
        name: norm.combined([_in(part, name) for part in parts]) for name, norm in NORMS.items()
    }


def _in(part: Movement, norm: str) -> Expr:
    """What one item moves in a norm: a number moves alike in all of them."""
    return part[""] if "" in part else part[norm]


def _no_numbers(interpreter: Interpreter, record: Record, node: ast.AST) -> Exception:
    return interpreter.stop(
        node, "unsupported-call",
        f"`{record.name}` is given several values at once, and not all of them are numbers",
        "a tuple of private numbers and vectors, a list of numbers, or one container",
        "add noise to each value",
    )  # fmt: skip
