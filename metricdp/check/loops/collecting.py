"""A comprehension over a public number of rounds with private entries: the vector of all of them.

Stability.  Entry i moves by at most b(i) per unit of a source that every round sees, so the vector
moves by sum b(i) in L1, by sqrt(sum b(i)^2) in L2 and by max b(i) in LInf.  An entry that moves by
s per unit of the row of its own round, and by nothing else of that container, makes the vector
s-stable from every norm into the same one (rule `map`); over rows of matrices and maps that are not
linear, the sum over the rows bounds every norm.  Rows of vectors make a matrix: distances of rows
add up.
Where an entry is moved by a region of the rows of a table, and no row lies in the regions of two
rounds, a row moves one entry: with b(i) linear, k rows move the vector by k max b(i) at most in
every norm.  Where rows are replaced, b(i) is what two rows do (`domain.movements`), and the halves
add up.
Tight: one row moves; the same value in every entry.
Source: triangle inequality over entries, rule `map`.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

from metricdp.check.domain import replaced_vectors
from metricdp.check.domain.privacy import PrivacyDomain
from metricdp.check.domain.requirements import all_different
from metricdp.check.loops.plans import LoopPlan, LoopRows
from metricdp.check.loops.rounds import at_most
from metricdp.check.loops.states import Known, total_movement
from metricdp.check.values.findings import stop
from metricdp.check.values.forms import Form, Source, all_norms, describe_bounds, moved
from metricdp.check.values.objects import Value
from metricdp.check.values.regions import Region, Rely, keys_in, new_rows_each_round, outside
from metricdp.check.values.row_sums import RowVector
from metricdp.expr import (
    INF,
    ONE,
    ZERO,
    D,
    Expr,
    best,
    linear_coefficient,
    maximum,
    root,
    sum_over,
    sym,
)
from metricdp.primitives.control.loop_rows import element_total
from metricdp.spaces import NEG_INF, Matrix, Scalar, Space, Vector
from metricdp.spaces.norms import L1, L2, NORM_NAMES, NORMS, LInf, norm_of


def collected(
    domain: PrivacyDomain, plan: LoopPlan, entry: Value, module: Any, node: ast.AST
) -> Value:
    """The vector (or matrix) whose i-th entry (or row) is `entry` in round i.

    Raises:
        Stop: entries that are neither numbers nor vectors of one length.
    """
    assert plan.count is not None
    space = _space(plan, entry, module, node)
    inner = NORM_NAMES if isinstance(entry.space, Vector) else ("",)
    parts: list[Known] = []
    for source, movement in domain.movement(entry).items():
        row = plan.row(source)
        if row is None:
            own_rows = _of_own_rows(domain, plan, entry, source, module, node)
            parts.append({source: own_rows or _captured(plan, movement, inner)})
            continue
        for target, held in domain.movement(row.value).items():
            own = {n: at_most(movement.get(n, INF), plan.index, plan.count) for n in inner}
            if row.person is not None:
                once = {n: b.subs({"d_in": ONE}) * D for n, b in own.items()}
                parts.append({target: dict.fromkeys(NORM_NAMES, once[""]) if "" in once else once})
            elif "" in own:
                parts.append({target: _entries(row, own[""], held)})
            else:
                parts.append({target: {n: _rows(row, b, held) for n, b in own.items()}})
    bounds = total_movement(space, parts)
    endless = any(b.is_infinite for m in bounds.values() for b in m.values())
    text = describe_bounds(bounds, space)
    step = domain.state.step(
        "map", (entry.step,) if entry.step else (), f"{space.describe()}; moves by {text}",
        module.span(node), bound=text, space=str(space),
    )  # fmt: skip
    form = domain.state.atom(space, bounds, _rows_of_all(domain, plan, entry))
    _note_alone(domain, plan, entry, form, bounds, module, node)
    _note_rows(domain, plan, entry, form, module, node)
    return domain.private(space, form, step, entry.why if endless else None)


def _of_own_rows(
    domain: PrivacyDomain, plan: LoopPlan, entry: Value, source: Source, module: Any, node: ast.AST
) -> dict[str, Expr] | None:
    """The movement of a vector of which one row of the source moves one entry."""
    if entry.form is None or not isinstance(entry.space, Scalar):
        return None
    bound = domain.movement(entry)[source].get("", INF)
    if linear_coefficient(bound) is None or bound.is_infinite:
        return None
    region = domain.state.regions(entry.form).get(source)
    rely = new_rows_each_round(region, plan.index)
    if rely is None:
        return None
    _required(domain, region, rely, module, node)
    assert plan.count is not None
    widest = at_most(bound, plan.index, plan.count)
    if plan.index in bound.symbols:  # of no rounds there is none
        widest = maximum(widest, ZERO)
    return dict.fromkeys(NORM_NAMES, widest)


def _required(
    domain: PrivacyDomain, region: Region, rely: Rely, module: Any, node: ast.AST
) -> None:  # fmt: skip
    """The items that rounds without a row in common rely on have to be different."""
    domain.require(tuple(map(all_different, sorted(rely))), module, node)
    domain.state.told_apart |= keys_in(region)


def _note_alone(
    domain: PrivacyDomain, plan: LoopPlan, entry: Value, form: Form, bounds: Known,
    module: Any, node: ast.AST,
) -> None:  # fmt: skip
    """Note how far a vector moves alone whose every entry is about one group of a table, no two
    about the same rows (`domain.groups`)."""
    if len(bounds) != 1 or entry.form is None or not isinstance(entry.space, Scalar):
        return
    ((source, movement),) = bounds.items()
    region = domain.state.regions(entry.form).get(source)
    slope = linear_coefficient(domain.alone(entry).get(source, {}).get("", INF))
    rely = new_rows_each_round(region, plan.index)
    if slope is None or plan.index in slope.symbols or rely is None:
        return
    for known in domain.groups.values():
        if len(known.groups(region) or ()) == 1:
            _required(domain, region, rely, module, node)
            moves = known.of_each(slope, plan.count)
            least = {n: best([b, *([moves[n]] if n in moves else [])]) for n, b in movement.items()}
            domain.state.alone[form.terms[0][0]] = {source: least}
            return


def _note_rows(
    domain: PrivacyDomain, plan: LoopPlan, entry: Value, vector: Form, module: Any, node: ast.AST
) -> None:
    """Note how far a vector moves alone, and what one row does to it, whose entries are sums over
    rows of their own."""
    if entry.form is None or not isinstance(entry.space, Scalar) or plan.count is None:
        return
    atom, alone = vector.terms[0][0], domain.alone(entry)
    for source, movement in domain.movement(entry).items():
        if source not in domain.state.replaced and source not in domain.of_parts:
            continue
        known = replaced_vectors.vector_of(domain.state, [entry.form], source)
        rely = None if known is None else new_rows_each_round(known.region, plan.index)
        if known is None or rely is None:
            if alone[source] != movement:
                whole = domain.state.alone.setdefault(atom, {})
                before = whole.get(source, domain.state.atoms[atom].bounds[source])
                each = _captured(plan, alone[source], ("",))
                whole[source] = {norm: best([b, each[norm]]) for norm, b in before.items()}
            continue
        moves = [b for each in (known.come, known.replaced) for b in each.values()]
        if any(plan.index in b.symbols or b.is_infinite for b in moves):
            continue  # of no rounds there is none
        _required(domain, known.region, rely, module, node)
        rows = outside(known.region, lambda name: name != plan.index)
        of_all = replaced_vectors.of_rows(known.come, known.replaced)
        found = RowVector(rows, known.come, of_all)
        domain.state.row_vectors.setdefault(atom, {})[source] = found
    replaced_vectors.own(domain.state, vector)


def _rows_of_all(domain: PrivacyDomain, plan: LoopPlan, entry: Value) -> dict[Source, Region]:
    """Which rows of a table can move any entry."""
    regions = {} if entry.form is None else domain.state.regions(entry.form)
    wide = ((s, outside(region, lambda name: name != plan.index)) for s, region in regions.items())
    return {source: region for source, region in wide if region is not None}


def _space(plan: LoopPlan, entry: Value, module: Any, node: ast.AST) -> Space:
    made = entry.space
    assert plan.count is not None
    lo, hi = getattr(made, "lo", NEG_INF), getattr(made, "hi", INF)
    if plan.index in lo.symbols | hi.symbols:
        lo, hi = NEG_INF, INF
    rows = (*plan.rows, *plan.reads)
    norm = getattr(rows[0].value.space, "norm", "L1") if rows else "L1"
    if isinstance(made, Scalar) and made.element in ("Real", "Int", "Bool"):
        return Vector(made.element, norm, plan.count, lo, hi)
    sized = isinstance(made, Vector) and made.size is not None
    if sized and made.element in ("Real", "Int") and plan.index not in made.size.symbols:  # type: ignore[union-attr]
        return Matrix(made.element, made.norm, plan.count, made.size, lo, hi)  # type: ignore[union-attr]
    raise stop(
        module, node, "unsupported-call",
        f"the entries of this comprehension lie in {made}, and would make no vector or matrix",
        "numbers, or vectors of one length over the reals",
        "dp.undisc(dp.clamp(value, lower, upper)) for each entry",
    )  # fmt: skip


def _captured(
    plan: LoopPlan, movement: Mapping[str, Expr], inner: tuple[str, ...]
) -> dict[str, Expr]:
    """Every entry moves: what their movements add up to."""
    n = plan.count
    assert n is not None
    if inner == NORM_NAMES:  # Distances of rows add up, whatever the norm of a row is.
        return {norm: _sum(plan, bound) for norm, bound in movement.items()}
    bound = movement.get("", INF)
    if bound.is_zero:
        return dict.fromkeys(NORM_NAMES, ZERO)
    widest = at_most(bound, plan.index, n)
    total = _sum(plan, bound)
    if plan.index not in bound.symbols:
        return {
            name: bound if bound.is_infinite else norm.of_ones(n) * bound
            for name, norm in NORMS.items()
        }
    slope = linear_coefficient(bound)
    squares = INF if slope is None or slope.is_infinite else _sum(plan, slope * slope)
    second = total if squares.is_infinite else best([total, root(squares) * D])
    known = {L1.name: total, L2.name: second, LInf.name: best([widest, total])}
    # A norm is at most any other with a larger 1/p.
    return {
        name: known[name]
        if name in known
        else best(b for other, b in known.items() if norm_of(other).inverse >= norm.inverse)
        for name, norm in NORMS.items()
    }


def _sum(plan: LoopPlan, bound: Expr) -> Expr:
    n = plan.count
    assert n is not None
    if bound.is_zero or bound.is_infinite:
        return bound
    if plan.index not in bound.symbols:
        return n * bound
    name = f"{plan.index}s"
    here = bound.subs({plan.index: sym(name, nonneg=True, integer=True)})
    return sum_over(here, name, ZERO, n - 1)


def _entries(row: LoopRows, bound: Expr, held: Mapping[str, Expr]) -> dict[str, Expr]:
    """An entry of the result per entry, or per row, of a container."""
    space = row.value.space
    assert space is not None
    if bound.is_zero:
        return dict.fromkeys(NORM_NAMES, ZERO)
    discrete = getattr(space, "element", "Data") == "Data"
    if isinstance(space, Vector):
        slope = linear_coefficient(bound.subs({"d_in": ONE}) * D if discrete else bound)
        if slope is not None and not slope.is_infinite:
            return dict(all_norms(space, {n: slope * b for n, b in held.items()}))
    whole = _rows(row, bound, held)
    return dict.fromkeys(NORM_NAMES, whole)


def _rows(row: LoopRows, bound: Expr, held: Mapping[str, Expr]) -> Expr:
    """What the movements of all rounds add up to, each of which sees its own row."""
    space = row.value.space
    assert space is not None
    norm = getattr(space, "norm", "")
    return moved(element_total(bound, space, ONE), held[norm]) if norm in held else INF
