"""One mechanism over several private numbers: a tuple enters as one vector.

Stability.  When one source moves the numbers by d_1, ..., d_k, it moves the vector of them by
d_1 + ... + d_k in L1, by sqrt(d_1^2 + ... + d_k^2) in L2 and by max d_i in LInf.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from metricdp.check.source.program import stop
from metricdp.check.values.describing import describe_bounds
from metricdp.check.values.forms import Form, Source
from metricdp.check.values.objects import Obj, Tuple, Value
from metricdp.expr import ZERO, Expr, maximum, num, root
from metricdp.record import Record
from metricdp.spaces import Scalar, Vector

if TYPE_CHECKING:
    from metricdp.check.language.base import Base

#: Mechanisms that add noise entry by entry, and draw it for all entries at once.
ENTRYWISE = frozenset({
    "laplace", "gaussian", "discrete_laplace", "discrete_gaussian", "laplacian_mechanism",
    "gaussian_mechanism",
})  # fmt: skip
_ARGUMENT = "x"


def several(calls: Base, record: Record, given: dict[str, Obj]) -> Tuple | None:
    """The tuple of private numbers that a mechanism is given, if it is given one."""
    value = given.get(_ARGUMENT)
    if record.name in ENTRYWISE and isinstance(value, Tuple) and calls.has_private(value):
        return value
    return None


def joined(calls: Base, record: Record, values: Tuple, node: ast.AST) -> Value:
    """The vector of a tuple of numbers."""
    domain = calls.domain
    if values.names:
        raise _no_numbers(calls, record, node)
    items: list[Value] = []
    for item in values.items:
        if isinstance(item, Value) and (not item.private or isinstance(item.space, Scalar)):
            items.append(domain.lifted(item, calls.module, node))
            continue
        raise _no_numbers(calls, record, node)
    bounds: dict[Source, dict[str, list[Expr]]] = {}
    for item in items:
        for source, movement in domain.state.movement(item.form or Form(())).items():
            bounds.setdefault(source, {}).setdefault("", []).append(movement[""])
    moves = {source: _norms(each[""]) for source, each in bounds.items()}
    elements = {item.space.element for item in items if isinstance(item.space, Scalar)}
    element = "Data" if "Data" in elements else "Real" if "Real" in elements else "Int"
    space = Vector(element, "L2", num(len(items)))
    text = describe_bounds(moves, space)
    step = domain.state.step(
        "several", tuple(v.step for v in items if v.step), f"{space}; moves by {text}",
        calls.module.span(node), bound=text, space=str(space),
    )  # fmt: skip
    why = next((v.why for v in items if v.why is not None), None)
    return domain.private(space, domain.state.atom(space, moves), step, why)


def released(values: Tuple, result: Value) -> Obj:
    """What the mechanism returns: one number per item of a tuple, a vector for a list."""
    if values.is_list:
        return result
    items = []
    for item in values.items:
        element = getattr(getattr(item, "space", None), "element", "Real")
        space = Scalar("Int" if element in ("Int", "Bool") else "Real")
        items.append(Value("released", space, step=result.step))
    return Tuple(tuple(items))


def _norms(moves: list[Expr]) -> dict[str, Expr]:
    if len(moves) == 1:
        return dict.fromkeys(("L1", "L2", "LInf"), moves[0])
    total = sum(moves[1:], moves[0])
    squares = sum((m * m for m in moves), ZERO)
    finite = not any(m.is_infinite for m in moves)
    return {"L1": total, "L2": root(squares) if finite else total, "LInf": maximum(*moves)}


def _no_numbers(calls: Base, record: Record, node: ast.AST) -> Exception:
    return stop(
        calls.module, node, "unsupported-call",
        f"`{record.name}` is given several values at once, and not all of them are numbers",
        "a tuple of private numbers, or one container",
        "add noise to each value",
    )  # fmt: skip
