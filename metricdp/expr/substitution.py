"""Substitution of expressions for symbols, all at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from metricdp.errors import ExpressionError
from metricdp.expr import functions
from metricdp.expr.atoms import Atom
from metricdp.expr.core import UNIT, ZERO, Expr, number, sym
from metricdp.expr.normal_form import regular
from metricdp.expr.powers import power
from metricdp.expr.sums import sum_over

FUNCTIONS: dict[str, Callable[..., Expr]] = {
    "max": functions.maximum,
    "min": functions.minimum,
    "abs": functions.absolute,
    "floor": functions.floor,
    "ceiling": functions.ceil,
    "exp": functions.exp,
    "log": functions.log,
    "tanh": functions.tanh,
    "erfc": functions.erfc,
    "pow": power,
    "base": lambda inner: inner,
    "lump": lambda inner: inner,
}


def substitute(expr: Expr, values: Mapping[str, Expr]) -> Expr:
    """expr with every free symbol that `values` names replaced."""
    if expr.inf or expr.symbols.isdisjoint(values):
        return expr
    result = ZERO
    infinite = {name for name, value in values.items() if value.inf}
    seen: dict[Atom, Expr] = {}
    for monomial, coefficient in expr.terms.items():
        kept = UNIT
        if not expr.mixed:  # sums are multiplied one by one, since they may cancel
            kept = tuple(pair for pair in monomial if pair[0].symbols.isdisjoint(values))
        factors = [Expr({kept: coefficient})]
        vanished = False
        for atom, exponent in monomial:
            if atom.symbols.isdisjoint(values):
                if expr.mixed:
                    factors.append(regular(1, ((atom, exponent),)))
                continue
            if atom not in seen:
                seen[atom] = _atom(atom, values)
            found = seen[atom]
            factors.append(found if exponent == 1 else power(found, number(exponent)))
            if infinite and factors[-1].is_zero and atom.symbols & infinite:
                vanished = True
        if any(factor.is_zero for factor in factors):
            # 0 * oo is 0 for a factor that is 0, not for one that tends to 0.
            if vanished and any(factor.inf for factor in factors):
                raise ExpressionError(f"{expr} has no value at infinity")
            continue
        term = factors[0]
        for factor in sorted(factors[1:], key=lambda factor: factor.inf != 0):
            term = term * factor
        result = result + term
    return result


def _atom(atom: Atom, values: Mapping[str, Expr]) -> Expr:
    if atom.kind == "sym":
        return values[str(atom.label)]
    if atom.kind == "sum":
        return _sum(atom, values)
    return FUNCTIONS[atom.kind](*(substitute(arg, values) for arg in atom.args))


def _sum(atom: Atom, values: Mapping[str, Expr]) -> Expr:
    var = str(atom.label)
    body, lo, hi = atom.args
    inner = {name: value for name, value in values.items() if name != var}
    if any(var in value.symbols for value in inner.values()):
        fresh = var + "_"
        while any(fresh in value.symbols for value in (*inner.values(), body)):
            fresh += "_"
        body, var = body.subs({var: sym(fresh, nonneg=True, integer=True)}), fresh
    return sum_over(substitute(body, inner), var, substitute(lo, values), substitute(hi, values))
