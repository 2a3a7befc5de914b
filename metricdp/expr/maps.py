"""Stability maps: expressions in d_in, monotone, with value 0 at d_in = 0 by convention."""

from __future__ import annotations

from metricdp.errors import ExpressionError
from metricdp.expr.bounds import best
from metricdp.expr.core import INF, ONE, ZERO, D, Expr, Monomial, Number
from metricdp.expr.functions import maximum, minimum
from metricdp.expr.normal_form import scaled_monomial
from metricdp.expr.relations import compare

_D_ATOM = next(iter(D.terms))[0][0]
_D_NAME = "d_in"


def compose(outer: Expr, inner: Expr) -> Expr:
    """The map `outer` after `inner`; a constant outer map stays the constant for d_in > 0."""
    if outer.is_zero or inner.is_zero:
        return ZERO
    if _D_NAME not in outer.symbols or inner is D or inner == D:
        return outer
    if not inner.inf:
        slope = _only_slope(outer)
        return outer.subs({_D_NAME: inner}) if slope is None else slope * inner
    try:
        return outer.subs({_D_NAME: inner})
    except ExpressionError:  # no limit was found, and infinity bounds everything
        return INF


def _only_slope(g: Expr) -> Expr | None:
    """c when g is the one term c * d_in, by its looks."""
    if len(g.terms) != 1 or g.mixed:
        return None
    ((monomial, coefficient),) = g.terms.items()
    rest = []
    for pair in monomial:
        if pair[0] is _D_ATOM and pair[1] == 1:
            continue
        if _D_NAME in pair[0].symbols:
            return None
        rest.append(pair)
    return Expr({tuple(rest): coefficient})


def affine(g: Expr) -> tuple[Expr, Expr] | None:
    """(slope, offset) when g = slope*d_in + offset with neither mentioning d_in, else None."""
    if g.inf:
        return None
    slope: dict[Monomial, Number] = {}
    offset: dict[Monomial, Number] = {}
    for monomial, coefficient in g.terms.items():
        rest = tuple(pair for pair in monomial if pair[0] is not _D_ATOM)
        if any(_D_NAME in atom.symbols for atom, _ in rest):
            return None
        if len(rest) == len(monomial):
            offset[monomial] = coefficient
        elif dict(monomial)[_D_ATOM] == 1:
            slope[rest] = coefficient
        else:
            return None
    return Expr(slope, 0, g.mixed), Expr(offset, 0, g.mixed)


def linear_coefficient(g: Expr) -> Expr | None:
    """c when g = c*d_in with c free of d_in (INF for INF, ZERO for ZERO), else None."""
    if g.inf:
        return g
    parts = affine(g)
    return parts[0] if parts is not None and parts[1].is_zero else None


def total_over_rows(g: Expr, discrete: bool, rows: Expr | None) -> Expr:
    """Upper bound of sum_i g(d_i) over all row distances d_i >= 0 with sum d_i <= d_in.

    Args:
        g: map of one row.
        discrete: every nonzero row distance is at least 1.
        rows: number of rows, if it is public.
    Returns INF when no bound is found.  Exact for affine maps.
    """
    if g.inf or g.is_zero:
        return g
    options = [_total(g, discrete, rows)]
    if not discrete and options[0].inf and rows is not None:
        options.append(rows * g)  # g is monotone, so g(d_i) <= g(d_in)
    return best(options)


def _total(g: Expr, discrete: bool, rows: Expr | None) -> Expr:
    """By the terms of g: the sum of suprema bounds the supremum of the sum."""
    total = ZERO
    for monomial, coefficient in g.terms.items():
        moving = tuple(pair for pair in monomial if _D_NAME in pair[0].symbols)
        fixed = tuple(pair for pair in monomial if _D_NAME not in pair[0].symbols)
        factor = scaled_monomial(fixed, coefficient)
        if compare(factor, ">=", ZERO) is not True:
            return _of_signed(g, discrete, rows)
        total = total + factor * _of_factor(moving, discrete, rows)
    return total


def _of_signed(g: Expr, discrete: bool, rows: Expr | None) -> Expr:
    """Affine maps with coefficients of unknown sign; being monotone, g has slope >= 0."""
    parts = affine(g)
    if parts is None:
        return INF
    slope, offset = parts
    above = maximum(offset, ZERO)  # a negative offset only lowers the bound
    if discrete:
        return (slope + above) * D
    if above.is_zero:
        return slope * D
    return INF if rows is None else slope * D + above * rows


def _of_factor(moving: Monomial, discrete: bool, rows: Expr | None) -> Expr:
    if not moving:
        if discrete:
            return D
        return INF if rows is None else rows
    if len(moving) > 1:
        return INF
    ((atom, exponent),) = moving
    if atom.kind == "sym":
        if exponent >= 1:
            return scaled_monomial(moving)  # convex and 0 at 0, so superadditive
        if exponent > 0:
            if discrete:
                return D
            return INF if rows is None else rows ** (1 - exponent) * scaled_monomial(moving)
        return INF
    if exponent != 1:
        return INF
    if atom.kind == "min":
        return minimum(*(_total(arg, discrete, rows) for arg in atom.args))
    if atom.kind == "max":
        if discrete and all(_has_falling_ratio(arg) for arg in atom.args):
            return scaled_monomial(moving).subs({_D_NAME: ONE}) * D
        total = ZERO
        for arg in atom.args:
            if compare(arg, ">=", ZERO) is not True:
                return INF
            total = total + _total(arg, discrete, rows)
        return total
    if atom.kind == "ceiling":
        return _total(atom.args[0] + 1, discrete, rows)
    if atom.kind == "floor":
        return _total(atom.args[0], discrete, rows)
    return INF


def _has_falling_ratio(g: Expr) -> bool:
    """g(t)/t does not grow with t, by its form."""
    for monomial, coefficient in g.terms.items():
        moving = [pair for pair in monomial if _D_NAME in pair[0].symbols]
        fixed = tuple(pair for pair in monomial if _D_NAME not in pair[0].symbols)
        if compare(scaled_monomial(fixed, coefficient), ">=", ZERO) is not True:
            return False
        if not moving:
            continue
        atom, exponent = moving[0]
        if len(moving) > 1 or not 0 < exponent <= 1:
            return False
        if atom.kind in ("min", "max") and exponent == 1:
            if not all(_has_falling_ratio(arg) for arg in atom.args):
                return False
        elif atom.kind != "sym":
            return False
    return True
