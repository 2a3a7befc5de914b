"""Requirements that no public numbers meet together.

Relations are read as linear inequalities over monomials, of which signs are known; variables are
eliminated one by one (Fourier and Motzkin).  What is found contradictory is so; what is not linear
may be contradictory and not be found.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from metricdp.check.domain.requirements import facts
from metricdp.errors import ExpressionError
from metricdp.expr import Expr, num
from metricdp.expr.core import UNIT, Monomial, Number

Required = tuple[Expr, str, Expr]
#: Inequalities beyond which elimination gives up.
_MOST = 200
_NEGATED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}


class _Above(msgspec.Struct, frozen=True):
    """form > 0 (`strict`) or form >= 0, as monomial -> coefficient."""

    terms: dict[Monomial, Number]
    strict: bool


def implied(relation: Required, known: Sequence[Required]) -> bool:
    """Whether it is shown that a relation holds wherever the known ones do."""
    left, op, right = relation
    return contradictory([*known, (left, _NEGATED[op], right)])


def contradictory(relations: Sequence[Required]) -> bool:
    """Whether it is shown that no numbers meet all of these."""
    known = facts(relations)
    above: list[_Above] = []
    apart: list[Expr] = []
    for left, op, right in relations:
        if left.is_infinite or right.is_infinite:
            continue
        try:
            gap = (left - right).subs(known)
        except ExpressionError:
            return True
        if op == "!=":
            apart.append(gap)
        if op in (">", ">=", "=="):
            above.append(_above(gap, op == ">"))
        if op in ("<", "<=", "=="):
            above.append(_above(-gap, op == "<"))
    if _empty([*above, *_signs(above)]):
        return True
    for gap in apart:
        sides = [[*above, _above(side, True)] for side in (gap, -gap)]
        if all(_empty([*side, *_signs(side)]) for side in sides):
            return True
    return False


def _above(form: Expr, strict: bool) -> _Above:
    if strict and form.is_integer():
        return _Above(dict((form - num(1)).terms), False)
    return _Above(dict(form.terms), strict)


def _signs(relations: Sequence[_Above]) -> list[_Above]:
    """What is known of the sign of every monomial."""
    found = []
    for monomial in {m for each in relations for m in each.terms if m != UNIT}:
        term = Expr({monomial: 1})
        sign = term.sign()
        if sign in ("+", ">=0"):
            found.append(_above(term, sign == "+"))
        elif sign in ("-", "<=0"):
            found.append(_above(-term, sign == "-"))
    return found


def _empty(relations: list[_Above]) -> bool:
    """Whether eliminating every variable leaves a number that is not above 0."""
    while True:
        if any(_false(each) for each in relations):
            return True
        variables = {m for each in relations for m in each.terms if m != UNIT}
        if not variables or len(relations) > _MOST:
            return False
        # The variable whose elimination makes the fewest new inequalities.
        chosen = min(variables, key=lambda m: (_pairs(relations, m), repr(m)))
        low = [each for each in relations if each.terms.get(chosen, 0) > 0]
        high = [each for each in relations if each.terms.get(chosen, 0) < 0]
        rest = [each for each in relations if not each.terms.get(chosen, 0)]
        if len(rest) + len(low) * len(high) > _MOST:
            return False
        relations = rest + [_sum(a, b, chosen) for a in low for b in high]


def _pairs(relations: list[_Above], monomial: Monomial) -> int:
    signs = [each.terms.get(monomial, 0) for each in relations]
    return sum(s > 0 for s in signs) * sum(s < 0 for s in signs)


def _false(relation: _Above) -> bool:
    if any(value and monomial != UNIT for monomial, value in relation.terms.items()):
        return False
    constant = relation.terms.get(UNIT, 0)
    return constant < 0 or (relation.strict and not constant)


def _sum(low: _Above, high: _Above, variable: Monomial) -> _Above:
    """The sum of two in which a variable cancels."""
    by_low, by_high = -high.terms[variable], low.terms[variable]
    terms = {m: by_low * value for m, value in low.terms.items()}
    for monomial, value in high.terms.items():
        terms[monomial] = terms.get(monomial, 0) + by_high * value
    return _Above({m: v for m, v in terms.items() if v}, low.strict or high.strict)
