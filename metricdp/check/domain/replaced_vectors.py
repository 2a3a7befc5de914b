"""How far a row that is replaced moves vectors of sums over the rows of a table.

A vector is known by what one row that comes or goes moves it by, h, by what a row does that is
replaced by another one, m, and by the rows that can move it at all.  A sum over rows is such a
vector of one entry (`domain.replaced_rows`); a histogram has h = 1 and m = 2^(1/p) in Lp.

Several of them one after the other.  Where no row moves two, a replaced row leaves one of them and
enters another, which moves them by at most h_i and h_j, so all of them by 2^(1/p) h in Lp, h being
the largest h_i; or it stays with one, and moves it by m_i.  So h is the largest h_i, and m is the
larger of 2^(1/p) h and the largest m_i.  Where a row may move several, they are the norms of all
h_i and of all m_i, or less where it is known what one row adds to each (`domain.row_shares`).  A
vector whose rounds are about rows of their own is as many of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING

from metricdp.check.domain import replaced_rows, row_shares
from metricdp.check.domain.replaced_rows import PAIRS
from metricdp.check.domain.sums_of_rows import ends, region
from metricdp.check.values.forms import Form, Movement, Source
from metricdp.check.values.objects import Value
from metricdp.check.values.regions import disjoint, union
from metricdp.check.values.row_sums import RowVector
from metricdp.expr import ONE, D, Expr, absolute, best, linear_coefficient, maximum
from metricdp.spaces.norms import NORMS

if TYPE_CHECKING:
    from metricdp.check.domain.state import CheckState

#: Most vectors whose regions are compared, each with each.
_MOST = 64


def vector_of(state: CheckState, forms: Sequence[Form], source: Source) -> RowVector | None:
    """What the rows of a source do to several numbers and vectors, one after the other; None where
    one of them is no sum over rows.

    Args:
        forms: of the numbers and vectors that `source` moves.
    """
    if not forms or len(forms) > _MOST:
        return None
    parts = [part for form in forms if (part := _one(state, form, source)) is not None]
    if len(parts) < len(forms):
        return None
    if len(parts) == 1:
        return parts[0]
    about = union(part.region for part in parts)
    if all(disjoint(a.region, b.region) for a, b in combinations(parts, 2)):
        come = {norm: maximum(*(part.come[norm] for part in parts)) for norm in PAIRS}
        stay = {norm: maximum(*(part.replaced[norm] for part in parts)) for norm in PAIRS}
        return RowVector(about, come, of_rows(come, stay))
    found = RowVector(
        about,
        {norm: NORMS[norm].combined([part.come[norm] for part in parts]) for norm in PAIRS},
        {norm: NORMS[norm].combined([part.replaced[norm] for part in parts]) for norm in PAIRS},
    )
    shared = row_shares.vector(state, forms, source)
    return found if shared is None else row_shares.least(found, shared)


def note(state: CheckState, vector: Form, parts: Sequence[Form | None]) -> None:
    """Note a vector that several numbers and vectors were made into, one after the other."""
    atom = vector.terms[0][0]
    for source in state.movement(vector):
        forms = [form for form in parts if form is not None and source in state.movement(form)]
        found = vector_of(state, forms, source)
        if found is not None:
            state.row_vectors.setdefault(atom, {})[source] = found


def joined(state: CheckState, vector: Form, parts: Sequence[Value]) -> None:
    """Note what `concat` made of some vectors, and how far it moves where a unit replaces a row."""
    note(state, vector, [part.form for part in parts])
    own(state, vector)


def own(state: CheckState, vector: Form) -> None:
    """Note how far a vector moves alone, by what is noted of its rows."""
    atom = vector.terms[0][0]
    for source, known in state.row_vectors.get(atom, {}).items():
        if source in state.replaced and source.kind == "param":
            shared = replaced_rows.alone(state, vector)[source]
            less = {n: best([b, moves(known)[n]]) for n, b in shared.items() if n in PAIRS}
            state.alone.setdefault(atom, {})[source] = {**shared, **less}


def of_rows(come: Mapping[str, Expr], stay: Mapping[str, Expr]) -> dict[str, Expr]:
    """How far a replaced row moves vectors that share no row.

    Args:
        come: the largest that a row moves one of them by; `stay`: that it does within one.
    """
    return {norm: maximum(pair * come[norm], stay[norm]) for norm, pair in PAIRS.items()}


def moves(vector: RowVector | None) -> Movement:
    """The movement in each norm where rows are replaced; empty where nothing is known."""
    return {} if vector is None else {norm: m * D for norm, m in vector.replaced.items()}


def _one(state: CheckState, form: Form, source: Source) -> RowVector | None:
    ((atom, factor), *others) = form.terms or ((-1, ONE),)
    known = state.row_vectors.get(atom, {}).get(source)
    if known is not None:
        if others:
            return None
        size = absolute(factor)
        come, replaced = (
            {norm: size * bound for norm, bound in each.items()}
            for each in (known.come, known.replaced)
        )
        return RowVector(known.region, come, replaced)
    return _number(state, form, source)


def _number(state: CheckState, form: Form, source: Source) -> RowVector | None:
    both = ends(state.atoms, state.row_sums, form, source)
    up, down = (linear_coefficient(each) for each in both or (D * D, D * D))
    if up is None or down is None:
        return None
    alone = replaced_rows.alone(state, form).get(source, {}).get("", D * D)
    own = linear_coefficient(alone) if source.kind == "param" else None
    m = up + down if own is None else best([up + down, own])
    about = region(state.row_sums, form, source)
    return RowVector(about, dict.fromkeys(PAIRS, maximum(up, down)), dict.fromkeys(PAIRS, m))
