"""How far several sums move together when a row of a table is replaced, each of rows of its own.

A sum S_i adds g_i(row) for the rows of a region R_i of a table, with |g_i| <= h_i, and no row lies
in two regions.  A row r that is replaced by r' takes g_i(r) from the one sum in whose region r
lies, if any, and adds g_j(r') to the one in whose region r' lies.  Where i and j differ, the vector
of all sums changes in two entries, by at most h_i and h_j, that is by 2^(1/p) h in Lp, h being the
largest h_i.  Where they are one, it changes in that entry, by at most the movement m_i that is
known of the sum alone.  So it moves by at most the larger of 2^(1/p) h and the largest m_i, and d
replaced rows, one after the other, move it by d times that.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

from metricdp.check.domain.state import CheckState
from metricdp.check.values.forms import Form, Movement, Source
from metricdp.check.values.regions import disjoint
from metricdp.expr import ONE, D, Expr, linear_coefficient, maximum, num, root

#: Most sums whose regions are compared, each with each.
_MOST = 64
_PAIRS: Mapping[str, Expr] = {"L1": num(2), "L2": root(num(2)), "LInf": ONE}


def of_own_rows(state: CheckState, forms: Sequence[Form], source: Source) -> Movement:
    """The movement of a vector of numbers in each norm; empty where they are no such sums.

    Args:
        forms: of the numbers that `source` moves.
    """
    if len(forms) < 2 or len(forms) > _MOST:
        return {}
    regions, largest, alone = [], [], []
    for form in forms:
        ((atom, factor), *others) = form.terms or ((-1, ONE),)
        known = state.row_sums.get(atom, {}).get(source)
        slope = linear_coefficient(state.movement(form).get(source, {}).get("", D * D))
        if others or factor != ONE or known is None or slope is None:
            return {}
        regions.append(known[0])
        largest.append(known[1])
        alone.append(slope)
    if not all(disjoint(a, b) for a, b in combinations(regions, 2)):
        return {}
    h, m = maximum(*largest), maximum(*alone)
    return {norm: maximum(factor * h, m) * D for norm, factor in _PAIRS.items()}
