"""How far numbers move apart: half the range of their movements.

A choice that compares scores with each other is the same after one number is added to all of them.
Where score i moves by t_i, subtracting the middle of the largest and the least t_i leaves movements
of at most half of R = max t_i - min t_i, so a rule for scores of which none moves by more than d
holds with d = R / 2: epsilon = 2 d / b is R / b.

R is a seminorm, the largest |t_i - t_j| over i and j: the movement of the difference of two scores,
in which what they share cancels.  A term that one more record can only raise (`rising`) moves up or
not at all on one step of a path of tables, each with one record more or less than the one before,
or down or not at all, all such terms alike.  On such a step the difference moves up by at most the
terms that can move it up, and down by at most the others; with movements linear in the distance the
steps add up.  So counts, of which one more record raises some, have R = 1, and scores of which one
record raises one and lowers another have R = 2.

Numbers of one vector whose movements add up to at most l have R <= min(2 d_LInf, l).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from metricdp.check.domain.rising import Rising
from metricdp.check.domain.state import CheckState
from metricdp.check.values.forms import Form, Movement, Source, combine, single
from metricdp.expr import ONE, ZERO, Expr, compare, linear_coefficient, maximum


def of_forms(
    state: CheckState, rising: Rising, forms: Sequence[Form]
) -> dict[Source, dict[str, Expr]]:
    """Half the range, per source; a form that stands alone stands for several like it."""
    found: dict[Source, dict[Expr, None]] = {}
    if len(forms) == 1:
        # The difference of two like it, whose terms are not the same.
        for source in state.movement(forms[0]):
            up, down = ends(state, rising, forms[0], source)
            found[source] = {up + down: None}
    for one, other in combinations(dict.fromkeys(forms), 2):
        difference = combine([(one, ONE), (other, -ONE)])
        for source in state.movement(difference):
            both = ends(state, rising, difference, source)
            found.setdefault(source, {}).update(dict.fromkeys(both))
    return {source: {"LInf": maximum(*ends) / 2} for source, ends in found.items()}


def of_vector(movement: Movement) -> Movement:
    """Half the range of the entries of one vector, where L1 says more than LInf."""
    total, largest = movement.get("L1"), movement["LInf"]
    if total is not None and compare(total / 2, "<=", largest) is True:
        return {"LInf": total / 2}
    return {"LInf": largest}


def ends(state: CheckState, rising: Rising, form: Form, source: Source) -> tuple[Expr, Expr]:
    """How far one more record moves a form up, and how far down."""
    whole = state.movement(form)[source][""]
    up, down = (_without(state, rising, form, source, op) for op in ("<=", ">="))
    linear = all(linear_coefficient(moved) is not None for moved in (whole, up, down))
    return (up, down) if linear else (whole, whole)


def _without(state: CheckState, rising: Rising, form: Form, source: Source, op: str) -> Expr:
    """The movement of a form without the terms that rise, times a coefficient `op` 0."""
    left = tuple(
        (atom, coefficient)
        for atom, coefficient in form.terms
        if rising.get(single(atom)) != source or compare(coefficient, op, ZERO) is not True
    )
    return state.movement(Form(left)).get(source, {}).get("", ZERO)
