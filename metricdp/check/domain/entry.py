"""Private parameters as the interpreter sees them: one atom each, one joint source if aligned.

A tuple is the tuple of its components.  The distance of two tuples is the sum of the distances d_i
of their components, so what depends on several of them by s_i d_i moves by at most the largest s_i
times the distance: each component is a region of its own (`domain.movements`).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from metricdp.check.domain.privacy import PrivacyDomain
from metricdp.check.values.forms import Source, all_norms, start
from metricdp.check.values.objects import AlignedParts, Obj, SourceFile, TupleValue, Value
from metricdp.check.values.regions import Literal
from metricdp.expr import INF, ZERO, D, Expr, root
from metricdp.record import Requirement, in_order
from metricdp.spaces import (
    NEG_INF,
    Aligned,
    Matrix,
    Moment,
    Records,
    Row,
    Scalar,
    Space,
    TupleSpace,
    Vector,
    conversion,
)
from metricdp.spaces.norms import NORM_NAMES
from metricdp.spaces.vectors import Entries


def private_parameter(
    domain: PrivacyDomain, name: str, space: Space, module: SourceFile, node: ast.AST,
    source: Source | None = None,
) -> Obj:  # fmt: skip
    """The abstract object of one private parameter.

    Args:
        source: of its movement, where other parameters share it (`domain.owned.sources`).
    """
    domain.require(tuple(_ordered(space)), module, node)
    if isinstance(space, TupleSpace) and _of_values(space):
        return _tuple(domain, name, space, ())
    if not isinstance(space, Aligned):
        return domain.parameter(name, space, source)
    source = Source("param", name)
    parts = []
    for part in space.parts:
        # d_in counts persons; a person's rows in a real container may move by any amount.
        atom = domain.state.atom(part, {source: joint_movement(part)})
        domain.aligned[atom] = source
        parts.append(Value("private", part, atom))
    return AlignedParts(tuple(parts))


def _of_values(space: TupleSpace) -> bool:
    """Whether every component is one private value, or a tuple of these."""
    return bool(space.parts) and all(
        _of_values(part)
        if isinstance(part, TupleSpace)
        else isinstance(part, Scalar | Moment | Entries | Matrix | Records)
        for part in space.parts
    )


def _tuple(
    domain: PrivacyDomain, name: str, space: TupleSpace, place: tuple[int, ...]
) -> TupleValue:
    """The components, each moved by its own share of the distance."""
    source = Source("param", name)
    domain.shared.add(source)
    items: list[Obj] = []
    for i, part in enumerate(space.parts):
        here = (*place, i)
        if isinstance(part, TupleSpace):
            items.append(_tuple(domain, name, part, here))
            continue
        one = Literal(("component", name), "==", ("text", ".".join(map(str, here))))
        region = frozenset({frozenset({one})})
        atom = domain.state.atom(part, start(part, source), {source: region})
        items.append(domain.private(part, atom))
    return TupleValue(tuple(items))


def _ordered(space: Space) -> Iterator[Requirement]:
    """Declared bounds are in order, and radii are not negative: they stand in every bound."""
    lo, hi = getattr(space, "lo", NEG_INF), getattr(space, "hi", INF)
    if not (lo.is_infinite or hi.is_infinite):
        yield in_order(lo, hi)
    for _, radius in getattr(space, "radius", ()):
        yield Requirement(radius, ">=", ZERO, remedy="give a radius that is not negative")
    parts: tuple[Space, ...] = ()
    if isinstance(space, Row):
        parts = space.fields
    elif isinstance(space, Aligned | TupleSpace):
        parts = space.parts
    elif isinstance(space, Records):
        parts = (space.row,)
    for part in parts:
        yield from _ordered(part)


def joint_movement(part: Space) -> dict[str, Expr]:
    """How far one part of aligned containers moves with d_in persons."""
    if getattr(part, "element", "Data") == "Real" or getattr(part, "element", "") == "Int":
        return dict.fromkeys(NORM_NAMES, INF)
    if isinstance(part, Matrix):
        cols = part.cols
        assert cols is not None
        return {norm: conversion("LInf", norm, cols) * D for norm in NORM_NAMES}
    if isinstance(part, Vector):
        return dict(all_norms(part, {"L1": D, "L2": root(D), "LInf": D / D}))
    return {"": D}
