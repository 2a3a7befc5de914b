"""What a loop over rows adds to a state: by the range of what one row adds."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

from metricdp.check.domain import row_shares, several_rows
from metricdp.check.domain.by_row import EXACT, MORE, summed
from metricdp.check.domain.groups import narrowed
from metricdp.check.domain.privacy import PrivacyDomain, Reason
from metricdp.check.domain.ranges import ball_of_form
from metricdp.check.domain.unread import in_words
from metricdp.check.loops.plans import LoopPlan
from metricdp.check.loops.states import Known
from metricdp.check.values.forms import Form, Source, combine, moved, norms_of
from metricdp.check.values.objects import Value
from metricdp.check.values.regions import EVERYTHING, NOWHERE, Region, both, union
from metricdp.check.values.row_sums import RowSum
from metricdp.check.values.terms import of_row
from metricdp.expr import INF, ONE, ZERO, Expr, compare, linear_coefficient
from metricdp.primitives.control import loop_records
from metricdp.record import Arg, Body, Failure
from metricdp.spaces import NEG_INF, Scalar, Space, diameter
from metricdp.spaces.vectors import Entries


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
        entry = name.startswith("@")
        shown = "an entry of a list" if entry else f"`{name}`"
        failure = Failure(
            "unordered-loop", f"{shown} depends on the order of the rows",
            "an accumulation by +", f"{'total' if entry else name} += value",
        )  # fmt: skip
        nowhere = dict.fromkeys(norms_of(after.space), INF)
        sources = {*domain.movement(records), *_outside(plan, movement)}
        return {s: dict(nowhere) for s in sources}, Reason(failure, module, node)
    added = _added_space(domain, after, rest)
    domain.state.enforced.append((f"{domain.site(node)}:{name}", added))
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
    general = why is None or why.failure.code == "infinite-stability"
    if general and conclusion.why_infinite is not None:
        failure = in_words(conclusion.why_infinite, domain.unread.of([after.step]))
        why = Reason(failure, module, node)
    return out, why


def note_rising(
    domain: PrivacyDomain, plan: LoopPlan, begin: Value, fresh: Value, after: Value, value: Value
) -> None:
    """Note a number to which every row of a table adds something that is not negative.

    Nothing is noted where what one row adds depends on anything private beside that row, as it does
    where the order of the rows counts (its movement is endless then), or where the state began as
    something that other rows may lower.
    """
    (records,) = (each.value for each in plan.rows)
    if not isinstance(after.space, Scalar) or records.form not in domain.rising:
        return
    if any(moved.get("", INF).is_infinite for moved in domain.movement(value).values()):
        return
    assert fresh.form is not None and after.form is not None and value.form is not None
    rest = combine([(after.form, ONE), (fresh.form, -ONE)])
    ends, table = domain.range(rest), domain.rising[records.form]
    still = not domain.movement(begin) or domain.rising.get(begin.form or Form(())) == table
    alone = domain.state.movement(rest).keys() <= {each.source for each in plan.rows}
    if still and alone and ends is not None and compare(ends[0], ">=", ZERO) is True:
        domain.rising[value.form] = table


def note_replaced(
    domain: PrivacyDomain, plan: LoopPlan, name: str, begin: Value, fresh: Value, after: Value,
    value: Value, changes: Region,
) -> None:  # fmt: skip
    """Note a number to which rows of a table add, where the table is made, row by row, of a
    parameter whose rows are replaced: which rows, and how much each of them at most.

    Nothing is noted where the number was something else before that is private, and no such sum;
    or where what one row adds depends on anything private beside that row.

    Args:
        changes: the rows that change it.
    """
    (records,) = (each.value for each in plan.rows)
    if not isinstance(after.space, Scalar):
        return
    # A table that is not made row by row may have other rows, or these in other places.
    if records.form is None or records.form not in {**domain.of_replaced, **domain.of_added}:
        return
    source = domain.of_replaced.get(records.form) or domain.of_added[records.form]
    if domain.movement(records).keys() != {source}:
        return
    assert fresh.form is not None and after.form is not None and value.form is not None
    before = _before(domain, begin, source)
    if before is None:
        return
    rest = combine([(after.form, ONE), (fresh.form, -ONE)])
    ends, terms = domain.row_range(rest), value.form.terms
    if not domain.state.movement(rest).keys() <= {each.source for each in plan.rows}:
        return
    if ends is None or any(end.is_infinite for end in ends):
        return
    others = domain.left_out.get(records.form)
    left = domain.state.regions(records.form).get(source)
    if others == NOWHERE:  # none of its rows is left out
        left = both(left, EVERYTHING)
    shares: tuple[RowSum, ...] = ()
    if records.form in domain.tables:
        of = row_shares.of_round if name.startswith("@") else row_shares.whole_of_round
        shares = of(
            domain.state, rest, left, others,
            lambda term: of_row(term, plan.number, domain.is_whole),
        )  # fmt: skip
    about = both(left, changes)
    if changes is None:  # too many conditions to follow at once
        if not shares:
            return
        about = union(share.region for share in shares)
    if len(terms) == 1 and terms[0][1] == ONE and value.form.constant.is_zero:
        every = not rest.terms and about == EVERYTHING and records.form in domain.state.all_rows
        added = several_rows.of_unit(
            domain.state, records.form, RowSum(about, *ends, every, shares)
        )
        domain.state.row_sums[terms[0][0]] = {source: row_shares.together(before, added)}


def _before(domain: PrivacyDomain, begin: Value, source: Source) -> tuple[RowSum, ...] | None:
    """What rows added to a number before a loop; None where it is private in any other way."""
    moves = domain.movement(begin)
    if not moves:
        return ()
    if begin.form is None or moves.keys() != {source}:
        return None
    return row_shares.of_number(domain.state, begin.form, source)


def note_alone(
    domain: PrivacyDomain, plan: LoopPlan, begin: Value, value: Value,
    regions: Mapping[Source, Region],
) -> None:  # fmt: skip
    """Note how far a sum over the rows of a table moves where nothing else shares the unit, if the
    table moves less alone, or in the groups that the sum is about.

    Its movement is that of the table times how far one row moves it, and grows with it.

    Args:
        regions: the rows that move it.
    """
    (records,) = (each.value for each in plan.rows)
    if domain.movement(begin) or value.form is None:
        return
    known, whole = domain.groups_of(records), domain.movement(records)
    less = domain.alone(records)
    if known is not None:
        less = narrowed(known, regions, less) or less
    if less == whole:
        return
    found: dict[Source, Mapping[str, Expr]] = {}
    for source, movement in domain.movement(value).items():
        most = linear_coefficient(whole.get(source, {}).get("", INF))
        slopes = {norm: linear_coefficient(bound) for norm, bound in movement.items()}
        if most is None or any(slope is None for slope in slopes.values()):
            return
        each = {norm: slope / most for norm, slope in slopes.items() if slope is not None}
        if any(factor * most != slopes[norm] for norm, factor in each.items()):
            return
        found[source] = {norm: factor * less[source][""] for norm, factor in each.items()}
    terms = value.form.terms
    if len(terms) == 1 and terms[0][1] == ONE and value.form.constant.is_zero:
        domain.state.alone[terms[0][0]] = found


def note_bounded(
    domain: PrivacyDomain, plan: LoopPlan, name: str, fresh: Value, after: Value,
    growth: Mapping[str, Expr], node: ast.AST,
) -> None:  # fmt: skip
    """Note what a run may enforce of `state += g(row)` over a container of public length.

    A run that moves g(row) into its space S, whatever the arithmetic of g was, adds for every row
    some function of this row alone with values in S.  Two such values are at most diameter(S)
    apart, and equal rows give equal ones.  The proof of this loop used that one changed row moves
    what it adds by at most `bound` in each norm.  So where rows are discrete data (two rows that
    differ are at distance 1 or more, and `bound` does not fall with the distance) and diameter(S)
    is at most `bound` at distance 1 in every norm with a finite bound, the proof holds for that
    run as it stands.  Where the proof used that g is Lipschitz with less, or that the rows are real
    numbers, nothing is noted, and the run computes g exactly.

    The same holds of x where g(row) is `outer` of x(row): a run that moves x into its space, and
    then multiplies exactly, is covered by the movement that the rule of `outer` made of that of x.
    """
    address = f"{domain.site(node)}:{name}"
    added, factor = _bounded(domain, plan, fresh, after, growth)
    held = added or factor
    sums = domain.by_row.sums.setdefault(domain.site(node), {})
    sums[name] = EXACT if held is None else summed(held)
    domain.state.enforced += [(address, added), (f"{address}:outer", factor)]


def _bounded(
    domain: PrivacyDomain, plan: LoopPlan, fresh: Value, after: Value, growth: Mapping[str, Expr]
) -> tuple[Space | None, Space | None]:
    """The space of g(row), or else that of x, if a run may enforce it."""
    if fresh.form is None or after.form is None or after.space is None:
        return None, None
    if type(fresh.space) is not type(after.space) or getattr(after.space, "element", "") == "Data":
        return None, None
    rows = {each.source for each in plan.rows}
    rest = combine([(after.form, ONE), (fresh.form, -ONE)])
    moves = {s: m for s, m in domain.movement(after).items() if s in rows}
    linear = all(bound == ONE for bound in growth.values())
    if not linear or not domain.state.movement(rest).keys() <= rows:
        return None, None
    if not all(getattr(each.value.space, "element", "") == "Data" for each in plan.rows):
        return None, None
    added = _added_space(domain, after, rest)
    if _no_wider(added, moves):
        return added, None
    factor = domain.state.products.get(rest)
    if factor is not None and factor.space is not None:
        moves = {s: m for s, m in domain.movement(factor).items() if s in rows}
        if _no_wider(factor.space, moves):
            return None, factor.space
    return None, None


def _no_wider(added: Space, moves: Mapping[Source, Mapping[str, Expr]]) -> bool:
    """Whether values of a space are never further apart than one changed row was proved to move."""
    known = [
        (norm, bound.subs({"d_in": ONE}))
        for movement in moves.values()
        for norm, bound in movement.items()
        if not bound.is_infinite
    ]
    return all(compare(diameter(added, norm), "<=", bound) is True for norm, bound in known)


def _outside(plan: LoopPlan, movement: Mapping[Source, Any]) -> list[Source]:
    return [s for s in movement if s.loop != plan.number or s.kind == "param"]


def _added_space(domain: PrivacyDomain, after: Value, rest: Form) -> Space:
    if isinstance(after.space, Scalar):
        lo, hi = domain.row_range(rest) or (NEG_INF, INF)
        return Scalar(after.space.element, lo, hi)
    assert isinstance(after.space, Entries)
    if len(rest.terms) == 1 and rest.terms[0][1] == ONE and rest.constant.is_zero:
        return domain.state.atoms[rest.terms[0][0]].space
    return ball_of_form(domain.state, after.space, rest)
