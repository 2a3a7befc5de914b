"""How large an expression is: its parts, and the digits of its numbers."""

from __future__ import annotations

from collections.abc import Iterable

from metricdp.expr.core import Expr


def weight(expressions: Iterable[Expr]) -> int:
    """Number of terms and factors, with those inside of functions and powers."""
    return sum(
        1 + sum(atom.weight for atom, _ in monomial)
        for expr in expressions
        for monomial in expr.terms
    )


def bits(expr: Expr) -> int:
    """Binary digits of its longest coefficient."""
    return max((c.numerator.bit_length() + c.denominator.bit_length() for c in expr.terms.values()),
               default=0)  # fmt: skip
