"""Costs for which one row with all of the distance is the worst of all allocations.

Claim.  If g >= 0 and g(t d) <= t g(d) for 0 <= t <= 1 and d >= 0 (star-shaped: g(d) / d never
falls), then g(d_1) + ... + g(d_k) <= g(d) whenever d_1 + ... + d_k <= d.

Proof.  With s = d_1 + ... + d_k and t_i = d_i / s: the sum of g(t_i s) is at most the sum of
t_i g(s), which is g(s); and g(s) <= (s / d) g(d) <= g(d).

Star-shaped are: a convex function with value at most 0 at 0, as g(t d) <= t g(d) + (1 - t) g(0);
d^a tanh(c d) with a >= 1 and c >= 0, whose ratio to d is a product of functions that grow; sums,
nonnegative multiples, largest and least of star-shaped functions.  Convex: affine terms of any
sign, d^a with a >= 1, e^(affine).  So the rho of Laplace noise, m - 1 + e^-m, is star-shaped (0 at
0), and the rho m tanh(m / 2) of a pure cost m = epsilon d is, though it is not convex: its second
derivative is sech^2(m/2) (1 - (m/2) tanh(m/2)).
"""

from __future__ import annotations

from metricdp.expr import ZERO, Expr, affine, compare, linear_coefficient
from metricdp.expr.core import Monomial
from metricdp.expr.normal_form import scaled_monomial

_DISTANCE = "d_in"


def one_row_is_worst(cost: Expr) -> bool:
    """Whether the claim applies to a cost of one row, by its form; False where that is not seen.

    Args:
        cost: nonnegative, in d_in.
    """
    if cost.inf:
        return False
    convex = cost
    for monomial, coefficient in cost.terms.items():
        moving = tuple(pair for pair in monomial if _DISTANCE in pair[0].symbols)
        fixed = tuple(pair for pair in monomial if _DISTANCE not in pair[0].symbols)
        factor = scaled_monomial(fixed, coefficient)
        if _is_star(moving, factor):
            convex = convex - scaled_monomial(monomial, coefficient)
        elif not _is_convex(moving, factor):
            return False
    return compare(convex.subs({_DISTANCE: ZERO}), "<=", ZERO) is True


def _is_convex(moving: Monomial, factor: Expr) -> bool:
    if not moving:
        return True
    if len(moving) > 1:
        return False
    ((atom, exponent),) = moving
    if atom.kind == "sym":
        return exponent == 1 or (exponent > 1 and _never_negative(factor))
    return atom.kind == "exp" and affine(atom.args[0]) is not None and _never_negative(factor)


def _is_star(moving: Monomial, factor: Expr) -> bool:
    kinds = {atom.kind: (atom, exponent) for atom, exponent in moving}
    chosen = next((kind for kind in ("max", "min") if kind in kinds), None)
    if chosen is not None:
        # A common power of d stands in front: d * max(a, b) is max(d a, d b).
        atom, exponent = kinds[chosen]
        front = scaled_monomial(tuple(pair for pair in moving if pair[0] is not atom))
        if len(kinds) < len(moving) or kinds.keys() - {chosen, "sym"} or exponent != 1:
            return False
        return _never_negative(factor) and all(one_row_is_worst(front * a) for a in atom.args)
    if len(moving) != 2 or kinds.keys() != {"sym", "tanh"} or kinds["sym"][1] < 1:
        return False
    atom, exponent = kinds["tanh"]
    slope = linear_coefficient(atom.args[0])
    # tanh is odd: factor * tanh(slope * d) has the sign of factor * slope.
    return exponent == 1 and slope is not None and _never_negative(factor * slope)


def _never_negative(value: Expr) -> bool:
    return compare(value, ">=", ZERO) is True
