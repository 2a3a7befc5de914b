"""Comparison with three answers, and relations that a guarantee requires."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from metricdp.effort import tick
from metricdp.expr.core import Expr, num
from metricdp.expr.signs import MINUS, NIL, PLUS, possible

OPERATORS = ("<", "<=", ">", ">=", "==", "!=")
_MEANING = {
    "<": MINUS,
    "<=": MINUS | NIL,
    ">": PLUS,
    ">=": PLUS | NIL,
    "==": NIL,
    "!=": MINUS | PLUS,
}
_MOST_BITS = 4096


def compare(left: Expr, op: str, right: Expr) -> bool | None:
    """`left op right`: True (certain), False (certainly not) or None (it depends, or not found).

    Symbols stand for finite reals with the facts they carry.  ValueError for an unknown `op`.
    """
    if op not in _MEANING:
        raise ValueError(f"no comparison: {op}")
    tick()
    wanted = _MEANING[op]
    if left.inf or right.inf:
        if left.inf == right.inf:
            return bool(wanted & NIL)
        return bool(wanted & (PLUS if left.inf > right.inf else MINUS))
    bits = NIL if left == right else possible(left - right)
    if bits & NIL and bits != NIL and op in ("==", "!=") and is_never_equal(left, right):
        bits &= ~NIL
    if not bits & ~wanted:
        return True
    if not bits & wanted:
        return False
    return None


def is_never_equal(left: Expr, right: Expr) -> bool:
    """One is an integer and the other is not."""
    return {left.is_integer(), right.is_integer()} == {True, False}


class Relation:
    """`left op right`, a fact about public parameters; hashable, printed like `eps > 0`."""

    __slots__ = ("left", "op", "right")

    def __init__(self, left: Expr, op: str, right: Expr) -> None:
        if op not in OPERATORS:
            raise ValueError(f"no comparison: {op}")
        self.left, self.op, self.right = left, op, right

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Relation):
            return NotImplemented
        return (self.left, self.op, self.right) == (other.left, other.op, other.right)

    def __hash__(self) -> int:
        return hash((self.left, self.op, self.right))

    def __str__(self) -> str:
        return f"{self.left} {self.op} {self.right}"

    def __repr__(self) -> str:
        return f"Relation({str(self)!r})"

    @property
    def verdict(self) -> bool | None:
        """`compare` of its sides."""
        return compare(self.left, self.op, self.right)

    def holds(self, env: Mapping[str, int | Fraction | float]) -> bool:
        """Whether it holds at concrete values.

        Sides that 4096 bits do not separate count as equal only if they are the same expression;
        otherwise the relation counts as failing.  Raises ExpressionError for a missing symbol.
        """
        if self.left == self.right:
            return bool(_MEANING[self.op] & NIL)
        bits = 64
        while bits <= _MOST_BITS:
            low, high = self.left.enclose(env, bits)
            other_low, other_high = self.right.enclose(env, bits)
            if high < other_low:
                return bool(_MEANING[self.op] & MINUS)
            if low > other_high:
                return bool(_MEANING[self.op] & PLUS)
            if low == high == other_low == other_high:
                return bool(_MEANING[self.op] & NIL)
            bits *= 4
        values = {name: num(value) for name, value in env.items()}
        same = self.left.subs(values) == self.right.subs(values)
        return same and bool(_MEANING[self.op] & NIL)
