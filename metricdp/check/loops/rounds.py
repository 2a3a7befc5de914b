"""Facts that must hold in every round of a loop, stated without the number of the round."""

from __future__ import annotations

from metricdp.check.domain.requirements import facts
from metricdp.expr import INF, ONE, ZERO, Expr, compare, sym

Relation = tuple[Expr, str, Expr]


def for_all_rounds(
    relation: Relation, index: str, count: Expr, others: list[Relation]
) -> Relation | None:
    """A relation free of `index` that implies this one in rounds 0, ..., count - 1, or None.

    The ends of the loop decide where both sides are monotone in the round.
    """
    left, op, right = without_positive_factors(relation, index)
    if op in ("<", "<="):
        left = _without_floors(left)
    if index not in left.symbols | right.symbols:
        return left, op, right
    if op not in ("<", "<=", ">", ">="):
        return None
    known = facts(without_positive_factors(each, index) for each in others)
    before = sym("_left", nonneg=True, integer=True)
    gap = (left - right if op in (">", ">=") else right - left).subs(known)
    for end, round_ in ((ZERO, sym(index, nonneg=True, integer=True)), (count - ONE, None)):
        here = gap.subs({index: end - before if round_ is None else round_})
        if compare(here, ">=", gap.subs({index: end})) is True:
            return left.subs({index: end}), op, right.subs({index: end})
    return None


def some_round(count: Expr) -> list[Expr]:
    """Expressions that are at least 1 where a count is: Max(0, n) >= 1 is n >= 1."""
    found = [count]
    if len(count.terms) == 1:
        ((monomial, factor),) = count.terms.items()
        if factor == 1 and len(monomial) == 1 and monomial[0][1] == 1:
            atom = monomial[0][0]
            if atom.kind == "max":
                others = [arg for arg in atom.args if not arg.is_zero]
                found += others if len(others) == 1 else []
    return found


def _without_floors(expr: Expr) -> Expr:
    """A larger expression: floor(x) is at most x."""
    if expr.inf:
        return expr
    out = ZERO
    for monomial, coefficient in expr.terms.items():
        term = Expr({monomial: coefficient})
        if len(monomial) == 1 and coefficient > 0:
            ((atom, exponent),) = monomial
            if atom.kind == "floor" and exponent == 1:
                term = coefficient * atom.args[0]
        out = out + term
    return out


def without_positive_factors(relation: Relation, index: str) -> Relation:
    """`eps/(i + 1) > 0` and `i*eps + eps > 0` as `eps > 0`."""
    left, op, right = relation
    if op not in (">", ">=") or not right.is_zero or left.inf or not left.terms:
        return relation
    first, *others = left.terms
    common = ONE
    for atom, exponent in first:
        if index not in atom.symbols and all((atom, exponent) in each for each in others):
            common = common * Expr({((atom, exponent),): 1})
    rest = left / common
    return (common, op, right) if index in rest.symbols and rest.sign() == "+" else relation


def at_most(bound: Expr, index: str, count: Expr | None) -> Expr:
    """A bound that may grow with the round, at its largest over all rounds; INF if not found."""
    if index not in bound.symbols:
        return bound
    if count is None or bound.is_infinite:
        return INF
    left = sym("_left", nonneg=True, integer=True)
    end = bound.subs({index: count - 1})
    here = bound.subs({index: count - 1 - left})
    return end if compare(end, ">=", here) is True else INF


def closed(bound: Expr) -> bool:
    """Whether a bound is finite and has no sum left in it."""
    return not bound.is_infinite and "Sum(" not in str(bound)
