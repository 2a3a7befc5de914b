"""Private parameters as the interpreter sees them: one atom each, one joint source if aligned."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metricdp.check.forms import Source, all_norms
from metricdp.check.objects import Aligned, Obj, Value
from metricdp.expr import INF, D, Expr, root
from metricdp.spaces import Aligned as AlignedSpace
from metricdp.spaces import Matrix, Space, Vector, conversion

if TYPE_CHECKING:
    from metricdp.check.interpreter import Interpreter


def private_parameter(interpreter: Interpreter, name: str, space: Space) -> Obj:
    """The abstract object of one private parameter."""
    domain = interpreter.domain
    if not isinstance(space, AlignedSpace):
        return domain.parameter(name, space)
    source = Source("param", name)
    parts = []
    for part in space.parts:
        # d_in counts persons; a person's rows in a real container may move by any amount.
        atom = domain.state.atom(part, {source: joint_movement(part)})
        domain.aligned[atom] = source
        parts.append(Value("private", part, atom))
    return Aligned(tuple(parts))


def joint_movement(part: Space) -> dict[str, Expr]:
    """How far one part of aligned containers moves with d_in persons."""
    if getattr(part, "element", "Data") == "Real" or getattr(part, "element", "") == "Int":
        return dict.fromkeys(("L1", "L2", "LInf"), INF)
    if isinstance(part, Matrix):
        cols = part.cols
        assert cols is not None
        return {norm: conversion("LInf", norm, cols) * D for norm in ("L1", "L2", "LInf")}
    if isinstance(part, Vector):
        return dict(all_norms(part, {"L1": D, "L2": root(D), "LInf": D / D}))
    return {"": D}
