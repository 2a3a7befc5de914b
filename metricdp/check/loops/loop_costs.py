"""What the rounds of a loop spend: composition round by round, or in parallel over private rows."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from metricdp.check.domain.contradictions import implied
from metricdp.check.domain.parallel import AboutRows, of_replaced
from metricdp.check.domain.privacy import PrivacyDomain, failed
from metricdp.check.domain.requirements import parts
from metricdp.check.domain.state import CheckState
from metricdp.check.loops.plans import LoopPlan, LoopRows
from metricdp.check.loops.rounds import for_all_rounds, some_round
from metricdp.check.loops.states import one_row
from metricdp.check.values.findings import Stop, stop
from metricdp.check.values.forms import Source, moved, norms_of, own_norm
from metricdp.expr import (
    INF,
    ONE,
    D,
    Expr,
    best,
    compare,
    compose,
    linear_coefficient,
    maximum,
    num,
)
from metricdp.measures.events import (
    Parallel,
    Reach,
    Repeat,
    Sampled,
    Spent,
    Tree,
    made,
    no_node,
    noise_bound,
    with_parts,
)
from metricdp.measures.readings import leaves
from metricdp.record import BOUND
from metricdp.spaces import Records, Space, Vector
from metricdp.spaces.products import Parts

Known = Mapping[Source, Mapping[str, Expr]]


def charge(
    domain: PrivacyDomain,
    plan: LoopPlan,
    spaces: Mapping[Source, Space],
    largest: Mapping[Source, Known],
    mark: tuple[int, ...],
    module: Any,
    node: ast.AST,
) -> None:
    """Replace what one round spent since `mark` by what all rounds spend."""
    state = domain.state
    tree = state.cut(mark)
    if tree is None:
        _every_round(domain, plan, mark)
        return

    def resolve(found: Mapping[Any, Expr], rows: bool = True) -> dict[Any, Expr]:
        """States at the start of a round as the sources they stand for, at their largest; with
        `rows`, rows that were read by position as their containers."""
        out: dict[Any, Expr] = {}
        for source, bound in found.items():
            terms = {source: bound}
            if source.kind == "state" and source.loop == plan.number:
                held = largest[source]
                terms = {s: _through(spaces[source], bound, m) for s, m in held.items()}
            elif rows and (row := plan.row(source)) is not None and row in plan.reads:
                terms = one_row(domain, row, bound)
            for target, term in terms.items():
                out[target] = out[target] + term if target in out else term
        return out

    of_rows = from_outside(tree, lambda found: resolve(found, rows=False), module, node)
    tree = from_outside(tree, resolve, module, node)
    for position in range(mark[1], len(state.pending)):
        entry = state.pending[position]
        if entry.moved is not None:
            state.pending[position] = msgspec.structs.replace(entry, moved=resolve(entry.moved))
    for leaf in leaves(tree):
        place = domain.noise_places.get(leaf.event.site, (module, node))
        _one_noise(domain, leaf, plan, *place)
    _every_round(domain, plan, mark)
    if plan.rows:
        state.spend(_parallel(domain, plan, tree, module, node))
        return
    assert plan.count is not None
    split = _of_own_rows(domain, plan, of_rows, module, node)
    state.spend(split if split is not None else Repeat(plan.count, tree, plan.index))


def _of_own_rows(
    domain: PrivacyDomain, plan: LoopPlan, tree: Tree, module: Any, node: ast.AST
) -> Tree | None:  # fmt: skip
    """Rounds that hide only the row that they read by position, as a loop over rows; else None."""
    sources = {each.source for each in plan.reads}
    if not sources or plan.index in domain.state.counted:
        return None
    if any(source not in sources for leaf in leaves(tree) for source in leaf.moved):
        return None
    rows = msgspec.structs.replace(plan, rows=tuple(plan.reads))
    try:
        return _parallel(domain, rows, tree, module, node)
    except Stop:
        return None


def _one_noise(
    domain: PrivacyDomain, leaf: Spent, plan: LoopPlan, module: Any, node: ast.AST
) -> None:
    """Noise may depend on the number of the round where the compiled loop counts its rounds."""
    varying = [*leaf.event.noise.values(), *leaf.moved.values()]
    if any(bound.is_infinite for bound in leaf.moved.values()):
        raise stop(
            module, node, "loop-growth",
            "the value that this mechanism hides moves by any amount after some rounds",
            "a finite bound for every round", "dp.clamp(value, lower, upper) inside the loop",
        )  # fmt: skip
    if any(plan.index in expr.symbols for expr in varying):
        if plan.rows or not plan.address:
            raise _varies(module, node)
        domain.state.counted[plan.index] = plan.address


def _every_round(domain: PrivacyDomain, plan: LoopPlan, mark: tuple[int, ...]) -> None:
    """Requirements of a round as requirements on public parameters alone."""
    pending, always = domain.state.pending, set()
    _where_rounds_run(domain.state, plan, mark)
    texts = [(p.requirement.left, p.requirement.op, p.requirement.right) for p in pending]
    for position in range(mark[1], len(pending)):
        entry, (left, op, right) = pending[position], texts[position]
        late = {s for m in (entry.moved or {}).values() for s in m.symbols}
        if plan.index not in left.symbols | right.symbols | late:
            continue
        found = None
        if plan.count is not None and plan.index not in late:
            found = for_all_rounds((left, op, right), plan.index, plan.count, texts)
        if found is None:
            raise _varies(entry.module, entry.node, f"{left} {op} {right} in every round")
        fixed = msgspec.structs.replace(entry.requirement, left=found[0], right=found[2])
        verdict = compare(found[0], op, found[2])
        if verdict is False and plan.address:  # rounds by themselves may not ask for it
            raise failed(fixed, entry.module, entry.node)
        if verdict is True:
            always.add(position)
        pending[position] = msgspec.structs.replace(entry, requirement=fixed)
    for position in sorted(always, reverse=True):
        del pending[position]


def _where_rounds_run(state: CheckState, plan: LoopPlan, mark: tuple[int, ...]) -> None:
    """Drop what holds in the rounds of an outer loop in which this one has a round: where it has
    none, nothing of it is required."""
    outer = state.rounds - {plan.index}
    if plan.count is None or not plan.count.symbols & outer:
        return
    pending = state.pending
    known = [(inside, ">=", ONE) for inside in some_round(plan.count)]
    for position in reversed(range(mark[1], len(pending))):
        entry = pending[position]
        r = entry.requirement
        if entry.moved is not None:
            continue
        if not (r.left.symbols | r.right.symbols) & outer:
            continue
        left = [part for part in parts((r.left, r.op, r.right)) if not implied(part, known)]
        pending[position : position + 1] = [
            msgspec.structs.replace(
                entry, requirement=msgspec.structs.replace(r, left=a, op=op, right=b)
            )
            for a, op, b in left
        ]


def _varies(module: Any, node: ast.AST, need: str = "one scale or target for all rounds") -> Stop:
    return stop(
        module, node, "released-cost",
        "the noise of this mechanism depends on the number of the round", need,
        "divide by the factor that changes before the noise, or unroll the loop",
    )  # fmt: skip


def _through(space: Space, bound: Expr, movement: Mapping[str, Expr]) -> Expr:
    """`bound`, a map of a state's movement, after that movement; the best over its norms."""
    options = [
        moved(own_norm(bound, space, n), movement[n]) for n in norms_of(space) if n in movement
    ]
    return best(options) if options else INF


def _parallel(
    domain: PrivacyDomain, plan: LoopPlan, tree: Tree, module: Any, node: ast.AST
) -> Tree:
    """Rounds that read only their own row: one person is charged for the rows that it changes."""
    sources = {each.source for each in plan.rows}
    for leaf in leaves(tree):
        unordered = plan.unordered and not plan.in_places
        if unordered or any(source not in sources for source in leaf.moved):
            raise _reject(
                *domain.noise_places.get(leaf.event.site, (module, node)),
                "this loop over private rows adds noise in every round to more than its own row",
                "rounds that read only their own row and released values, over a container of "
                "public length",
                "collect the rows first, and add noise once after the loop",
            )
    seen: set[Source] = set()
    of_one: dict[Source, list[Source]] = {}
    body, count = tree, plan.count
    if count is None:
        raise _reject(
            module, node, "this loop over records draws a sample in every round",
            "samples whose number is public", "draw the sample before the loop",
        )  # fmt: skip
    for each in plan.rows:
        if each.source in seen:
            continue
        seen.add(each.source)
        if each.person is not None:
            of_one.setdefault(each.person, []).append(each.source)
            tree = Parallel(tree, each.source, each.person, True, count=count)
            count = ONE
            continue
        value, space = each.value, each.value.space
        norm = getattr(space, "norm", "")
        movement = domain.movement(value)
        here = next(iter(movement.values()), {}).get(norm)
        if here is not None and here.is_infinite:
            raise domain.endless(value, module, node, "noise on single parts of it cannot hide it")
        factor = linear_coefficient(here) if here is not None else None
        if len(movement) != 1 or factor is None or not (factor == ONE or isinstance(space, Parts)):
            raise _reject(
                module, node,
                "the rows of this loop were computed, so one person may move several of them",
                "a loop over the rows of a private parameter", "loop over the parameter itself",
            )  # fmt: skip
        if isinstance(space, Vector) and norm != "L1":
            raise _reject(
                module, node,
                f"one person may move every entry in {space}, and noise is added per entry",
                "rows whose distances add up (a matrix, or a vector in L1)",
                "add noise once, to the whole vector",
            )  # fmt: skip
        if isinstance(space, Records):  # a replaced row is at distance 1
            parent = next(iter(movement))
            of_one.setdefault(parent, []).append(each.source)
            tree = Parallel(tree, each.source, parent, True, count=count)
            count = ONE
            continue
        entries = ("Data", "Bool") if isinstance(space, Vector) else ("Data",)
        discrete = getattr(space, "element", "") in entries
        unit = discrete and norm == ("L1" if isinstance(space, Vector) else "LInf")
        parent = next(iter(movement))
        of_one.setdefault(parent, []).append(each.source)
        replaced = len(plan.rows) == 1 and domain.of_replaced.get(value.form) == parent  # type: ignore[arg-type]
        replaced = replaced and _reach(domain, each, count) is None
        vector = of_replaced(tree, each.source, parent, count) if replaced else None
        if vector is not None and factor == num(2):
            return vector
        tree = _of_groups(domain, each, tree)
        tree = Parallel(
            tree, each.source, parent, unit, factor, isinstance(space, Parts), count,
            reach=_reach(domain, each, count),
        )  # fmt: skip
        count = ONE
    _one_row_each(domain, body, of_one, (module, node))
    return tree


def _reach(domain: PrivacyDomain, each: LoopRows, count: Expr) -> Reach | None:
    """How many of the parts one unit changes, and by how many rows, if that is known."""
    known = None if each.value.form is None else domain.parts.get(each.value.form)
    return None if known is None else Reach(best([known[0], count]), known[1])


def _of_groups(domain: PrivacyDomain, each: LoopRows, tree: Tree) -> Tree:
    """The rounds over such parts, whose noise is set for as many rows as one unit changes in one.

    Noise of a scale is what it is; noise of a target hides what one unit does to a part.
    """
    known = None if each.value.form is None else domain.parts.get(each.value.form)
    if known is None:
        return tree
    if not isinstance(tree, Spent):
        return with_parts(tree, lambda part: _of_groups(domain, each, part))
    set_by = {name for cost in tree.event.noise.values() for name in cost.symbols}
    if each.source not in tree.moved or BOUND.symbols.isdisjoint(set_by) or tree.event.drawn:
        return tree
    whole = compose(tree.moved[each.source], known[1])
    return msgspec.structs.replace(tree, bound=maximum(noise_bound(tree), whole))


def _one_row_each(
    domain: PrivacyDomain,
    tree: Tree,
    of_one: Mapping[Source, list[Source]],
    place: tuple[Any, ast.AST],
) -> None:
    """Two rows of one container in the same noise move together: their costs may not be added."""
    for leaf in leaves(tree):
        for sources in of_one.values():
            if sum(source in leaf.moved for source in sources) > 1:
                raise _reject(
                    *domain.noise_places.get(leaf.event.site, place),
                    "this noise hides two rows of one input at once, and one person may move both",
                    "one container per input in a loop that adds noise in every round",
                    "combine the rows with dp.map_rows before the loop",
                )


def _reject(module: Any, node: ast.AST, message: str, need: str, help: str) -> Stop:
    return stop(module, node, "mechanism-in-loop", message, need, help)


#: What sources stand for, and the map of each in what the given one was a map of.
Resolve = Callable[[Mapping[Any, Expr]], dict[Any, Expr]]


def from_outside(tree: Tree, resolve: Resolve, module: Any, node: ast.AST) -> Tree:
    """The tree with the sources of its events, and those whose rows its nodes read, resolved.

    Raises:
        Stop: the rows of an inner loop, or of a sample, are those of no single source outside.
    """
    if isinstance(tree, Spent):
        moved = resolve(tree.moved)
        ways = {s: m for s, m in tree.ways.items() if moved.get(s) == tree.moved[s]}
        if isinstance(tree, AboutRows):
            # What states add to a movement may come from any row.
            kept = {s: r for s, r in tree.regions.items() if moved.get(s) == tree.moved[s]}
            same = moved == dict(tree.moved)
            alone, bound = (tree.alone, tree.bound) if same else ({}, None)
            within = {s: m for s, m in tree.within.items() if moved.get(s) == tree.moved[s]}
            sums = {s: shares for s, shares in tree.sums.items() if s in kept}
            return AboutRows(tree.event, moved, ways, bound, kept, alone, within, sums)
        return Spent(tree.event, moved, ways)
    found = with_parts(tree, lambda part: from_outside(part, resolve, module, node))
    if not made(found):
        return found
    if not isinstance(found, Parallel | Sampled):
        raise no_node(found)
    stands_for = resolve({found.parent: D})
    if stands_for == {found.parent: D}:
        return found
    parent = next(iter(stands_for), None)
    slope = linear_coefficient(stands_for[parent]) if len(stands_for) == 1 else None
    if slope is not None and isinstance(found, Parallel):
        reach = found.reach if slope == ONE else None  # a cap that holds for units outside
        return msgspec.structs.replace(
            found, parent=parent, factor=found.factor * slope, reach=reach
        )
    if slope == ONE:
        return msgspec.structs.replace(found, parent=parent)
    raise stop(
        module, node, "uncharged-source",
        "the rows that noise is added to here were computed in earlier rounds, so one person may "
        "move several of them",
        "rows of a private parameter, or rows of which no round makes more",
        "sample, or part, the parameter itself in every round",
    )  # fmt: skip
