"""What a truth value says about numbers: relations that hold when it is true, or when it is false.

A fact is `form op 0`.  Over private numbers it bounds atoms inside a branch; without private terms
it is a relation of public parameters, under which requirements of that branch may hold.  Of a value
that may be missing the fact is that it is there, or that it is missing.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from metricdp.check.values.forms import Form, combine
from metricdp.expr import ONE, Expr

#: What remains of an operator when the comparison is false.
OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}
#: What is known of a value that may be missing.
THERE, MISSING = "is there", "is missing"


class Fact(msgspec.Struct, frozen=True):
    """`form op 0`; or that the value of a form is there, or is missing."""

    form: Form
    op: str

    @property
    def public(self) -> bool:
        return not self.form.terms


class Facts(msgspec.Struct, frozen=True):
    """Facts that hold when a truth value is true, and when it is false.

    `exact` says that the truth value is the first fact of `true`, and nothing else.
    """

    true: tuple[Fact, ...] = ()
    false: tuple[Fact, ...] = ()
    exact: bool = False

    def when(self, holds: bool) -> tuple[Fact, ...]:
        """The facts of one outcome."""
        return self.true if holds else self.false


def of_comparison(left: Form, op: str, right: Form) -> Facts:
    """The facts of `left op right`."""
    form = combine([(left, ONE), (right, -ONE)])
    return Facts((Fact(form, op),), (Fact(form, OPPOSITE[op]),), True)


def of_missing(form: Form) -> Facts:
    """The facts of `x is None`; none of a value that nothing tells from others."""
    if not form.terms:
        return Facts()
    return Facts((Fact(form, MISSING),), (Fact(form, THERE),))


def negation(facts: Facts) -> Facts:
    """The facts of `not`."""
    return Facts(facts.false, facts.true, facts.exact)


def conjunction(parts: Iterable[Facts]) -> Facts:
    """The facts of `and`: which part fails is not known."""
    return Facts(tuple(fact for part in parts for fact in part.true))


def disjunction(parts: Iterable[Facts]) -> Facts:
    """The facts of `or`: which part holds is not known."""
    return Facts((), tuple(fact for part in parts for fact in part.false))


def above_zero(fact: Fact) -> Expr | None:
    """A public fact as an expression that is >= 0; None if it is no inequality."""
    if fact.op in (">", ">="):
        return fact.form.constant
    return -fact.form.constant if fact.op in ("<", "<=") else None


def nonzero_multiple(difference: Form, form: Form) -> tuple[Expr, Expr] | None:
    """(k, m) with difference = k * form + m and k != 0; None where there are none."""
    if not form.terms or len(difference.terms) != len(form.terms):
        return None
    if [atom for atom, _ in difference.terms] != [atom for atom, _ in form.terms]:
        return None
    k = difference.terms[0][1] / form.terms[0][1]
    if k.sign() not in ("+", "-"):
        return None
    if any(c != k * b for (_, c), (_, b) in zip(difference.terms, form.terms, strict=True)):
        return None
    return k, difference.constant - k * form.constant
