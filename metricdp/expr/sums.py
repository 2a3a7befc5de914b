"""Finite sums over a public index, in closed form where there is one."""

from __future__ import annotations

from fractions import Fraction

from metricdp.errors import ExpressionError
from metricdp.expr.atoms import Atom, intern_atom
from metricdp.expr.core import ONE, ZERO, Expr, Monomial, Number, num, single, sym
from metricdp.expr.functions import exp
from metricdp.expr.normal_form import scaled_monomial
from metricdp.expr.powers import power

#: A sum with a concrete number of terms is written out up to this many.
_WRITTEN_OUT = 12


def sum_over(
    body: Expr | int | Fraction | float,
    var_name: str,
    lo: Expr | int,
    hi: Expr | int,
) -> Expr:
    """Sum of body for var_name = lo, lo + 1, ..., hi (inclusive); 0 when hi = lo - 1.

    Bodies that are constant, linear or quadratic in the variable, or geometric with a rational
    ratio, are summed in closed form; the rest stays a sum.
    """
    body, lo, hi = num(body), num(lo), num(hi)
    if hi.inf or lo.inf:
        if var_name not in body.symbols:
            return body * (hi - lo + 1)
        raise ExpressionError("a sum over infinitely many terms has no value here")
    if body.inf:
        return body * (hi - lo + 1)
    length = (hi - lo + 1).as_fraction()
    if length is not None and length <= 0:
        return ZERO
    result = ZERO
    for monomial, coefficient in body.terms.items():
        outside: Monomial = tuple(p for p in monomial if var_name not in p[0].symbols)
        inside: Monomial = tuple(p for p in monomial if var_name in p[0].symbols)
        result = result + scaled_monomial(outside, coefficient) * _of_term(
            inside, var_name, lo, hi, length
        )
    return result


def _of_term(inside: Monomial, var: str, lo: Expr, hi: Expr, length: Fraction | None) -> Expr:
    if not inside:
        return hi - lo + 1
    if len(inside) == 1:
        ((atom, exponent),) = inside
        if atom.kind == "sym" and exponent == 1:
            return (hi - lo + 1) * (hi + lo) / 2
        if atom.kind == "sym" and exponent == 2:
            return _squares(hi) - _squares(lo - 1)
        ratio = _ratio(atom, exponent, var)
        if ratio is not None and ratio.is_number:
            return (power(ratio, hi + 1) - power(ratio, lo)) / (ratio - 1)
    body = scaled_monomial(inside)
    if length is not None and length <= _WRITTEN_OUT and length.denominator == 1:
        total = ZERO
        for step in range(int(length)):
            total = total + body.subs({var: lo + step})
        return total
    sign = body.subs({var: sym(var, nonneg=True, integer=True)}).sign() if _nonneg(lo) else None
    atom = intern_atom("sum", var, (body, lo, hi), nonneg=sign in ("+", ">=0"))
    return single(atom)


def _nonneg(lo: Expr) -> bool:
    return lo.sign() in ("+", "0", ">=0")


def _squares(top: Expr) -> Expr:
    return top * (top + 1) * (2 * top + 1) / 6


def _ratio(atom: Atom, exponent: Number, var: str) -> Expr | None:
    """r when the factor is r**var with r free of var, else None."""
    if atom.kind == "pow":
        base, index = atom.args
        if var not in base.symbols and index.symbols == {var} and str(index) == var:
            return power(base, exponent)
    if atom.kind == "exp" and len(atom.args[0].terms) == 1 and str(atom.args[0]) == var:
        return None if exponent == 0 else _exponential(exponent)
    return None


def _exponential(exponent: Number) -> Expr:
    return exp(ONE * exponent)
