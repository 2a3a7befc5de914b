"""What a loop over records adds to a state: by the range of what one row adds."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

import msgspec

from metricdp.check.domain.by_row import MORE, summed
from metricdp.check.domain.privacy import PrivacyDomain, Reason
from metricdp.check.loops.plans import LoopPlan
from metricdp.check.loops.states import Known
from metricdp.check.values.forms import Form, Source, combine, moved, norms_of
from metricdp.check.values.objects import Value
from metricdp.expr import INF, ONE, ZERO, absolute
from metricdp.primitives._common import times
from metricdp.primitives.control import loop_records
from metricdp.record import Arg, Body, Failure
from metricdp.spaces import NEG_INF, Scalar, Space, Vector, implied_radius
from metricdp.spaces.norms import NORM_NAMES


def accumulated(
    domain: PrivacyDomain, plan: LoopPlan, name: str, fresh: Value, after: Value, why: Any,
    module: Any, node: ast.AST,
) -> tuple[Known, Any]:  # fmt: skip
    """Movement of `state += g(row)` over records, from the range of g."""
    assert fresh.form is not None and after.form is not None and after.space is not None
    rest = combine([(after.form, ONE), (fresh.form, -ONE)])
    movement = domain.state.movement(rest)
    (records,) = (each.value for each in plan.rows)
    sums = domain.by_row.sums.setdefault(domain.site(node), {})
    if any(s.kind == "state" and s.loop == plan.number for s in movement) or (
        type(fresh.space) is not type(after.space) or getattr(after.space, "element", "") == "Data"
    ):
        sums[name] = MORE
        failure = Failure(
            "unordered-loop", f"`{name}` depends on the order of the rows",
            "an accumulation by +", f"{name} += value",
        )  # fmt: skip
        nowhere = dict.fromkeys(norms_of(after.space), INF)
        sources = {*domain.movement(records), *_outside(plan, movement)}
        return {s: dict(nowhere) for s in sources}, Reason(failure, module, node)
    added = _added_space(domain, after, rest)
    domain.enforced[f"{domain.site(node)}:{name}"] = added
    sums[name] = summed(added)
    conclusion = loop_records.rule(
        Arg(fresh.space, True), Arg(records.space, True), Arg(body=Body(added, ()))
    )
    out: Known = {}
    if rest.terms or not rest.constant.is_zero:
        for source, movement_in in domain.movement(records).items():
            maps = conclusion.maps["records"]
            out[source] = {o: moved(g, movement_in[i]) for (i, o), g in maps.items()}
    for source in _outside(plan, movement):
        out[source] = dict.fromkeys(norms_of(after.space), INF)
    if why is None and conclusion.why_infinite is not None:
        why = Reason(conclusion.why_infinite, module, node)
    return out, why


def _outside(plan: LoopPlan, movement: Mapping[Source, Any]) -> list[Source]:
    return [s for s in movement if s.loop != plan.number or s.kind == "param"]


def _added_space(domain: PrivacyDomain, after: Value, rest: Form) -> Space:
    if isinstance(after.space, Scalar):
        lo, hi = domain.range(rest) or (NEG_INF, INF)
        return Scalar(after.space.element, lo, hi)
    assert isinstance(after.space, Vector)
    if len(rest.terms) == 1 and rest.terms[0][1] == ONE and rest.constant.is_zero:
        return domain.state.atoms[rest.terms[0][0]].space
    plain = Vector(after.space.element, after.space.norm, after.space.size)
    spaces = [(domain.state.atoms[name].space, factor) for name, factor in rest.terms]
    same = all(isinstance(s, Vector) and s.size == plain.size for s, _ in spaces)
    if not same or not rest.constant.is_zero:
        return plain
    # |c1 v1 + c2 v2 + ...| <= |c1| |v1| + |c2| |v2| + ... in every norm.
    declared = {norm for s, _ in spaces for norm, _ in getattr(s, "radius", ())} or NORM_NAMES
    radii = {
        norm: sum((times(absolute(c), implied_radius(s, norm)) for s, c in spaces), ZERO)
        for norm in NORM_NAMES
        if norm in declared
    }
    finite = tuple((norm, c) for norm, c in radii.items() if not c.is_infinite)
    return msgspec.structs.replace(plain, radius=finite)
