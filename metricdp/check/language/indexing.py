"""`x[i]` at the number of a loop's round: each entry, or row, is read in one round at most.

Stability.  An index that is an affine function of the round with a slope that is not 0 takes
another position in every round.  So the rounds together move by what the whole container moves
(record `loop_rows`), and not by that once per round.  This holds for a container that is the same
in every round, and for positions that certainly lie inside of it: elsewhere two rounds could read
one entry, `x[-1]` and `x[n - 1]`, or a position that is moved to the nearest end.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import msgspec

from metricdp.check.language.iteration import fresh_row
from metricdp.check.loops.plans import Plan, Rows
from metricdp.check.loops.rounds import for_all_rounds
from metricdp.check.values.forms import Form, Source
from metricdp.check.values.objects import Obj, Value
from metricdp.expr import ONE, ZERO, Expr, compare
from metricdp.record import Requirement
from metricdp.spaces import Matrix, Scalar, Space, Vector

if TYPE_CHECKING:
    from metricdp.check.language.base import Base


class Reading:
    """What the present round of one loop has read at positions that follow the round."""

    def __init__(self, calls: Base, plan: Plan) -> None:
        self.calls, self.plan = calls, plan
        #: Atoms that were there before the loop are the same in every round.
        self.before = len(calls.domain.state.atoms)
        self.found: dict[tuple[Form, Expr], Value] = {}
        self.atoms: set[int] = set()

    def begin(self) -> None:
        """A reading of the body begins."""
        self.plan.reads.clear()
        self.found.clear()
        self.atoms.clear()

    def affine(self, index: Expr) -> bool:
        """Whether the position is another one in every round, and never negative."""
        name = self.plan.index
        start = index.subs({name: ZERO})
        slope = index.subs({name: ONE}) - start
        if name in slope.symbols or slope.sign() not in ("+", "-") or self.plan.count is None:
            return False
        if index != start + slope * _symbol(index, name):
            return False
        if index.sign() in ("0", "+", ">=0"):
            return True
        least = for_all_rounds((index, ">=", ZERO), name, self.plan.count, [])
        return least is not None and compare(least[0], ">=", least[2]) is True

    def row(self, base: Value, index: Expr, node: ast.AST) -> Obj:
        """The entry or row that this round reads: a fresh quantity, whose source is a row."""
        assert base.form is not None and base.space is not None
        key = (base.form, index)
        if key in self.found:
            return self.found[key]
        domain = self.calls.domain
        person = domain.aligned.get(base.form)
        name = f"at{len(self.plan.reads)}" if person is None else f"at.{person.name}.{index}"
        source = Source("row", name, self.plan.number)
        assert self.plan.count is not None
        read = msgspec.structs.replace(base, space=_part(base.space, self.plan.count))
        self.plan.reads.append(Rows(read, source, person))
        row = fresh_row(self.calls, _row_space(base.space), source, person is not None)
        assert isinstance(row, Value) and row.form is not None
        self.found[key] = row
        self.atoms.update(atom for atom, _ in row.form.terms)
        return row


def read_once(
    calls: Base, readings: list[Reading], base: Obj, index: Obj, node: ast.AST
) -> Obj | None:
    """`base[index]` where the index follows the round of a loop around; None for any other."""
    if not (isinstance(base, Value) and base.private and isinstance(base.space, Vector | Matrix)):
        return None
    if not (isinstance(index, Value) and index.origin == "public" and index.expr is not None):
        return None
    at = index.expr
    if not at.is_integer() or any(name.startswith("_") for name in at.symbols):
        return None
    for position in range(len(readings) - 1, -1, -1):
        reading = readings[position]
        if reading.plan.index not in at.symbols:
            continue
        if not (_same_in_every_round(base, readings, position) and reading.affine(at)):
            return None
        size = base.space.rows if isinstance(base.space, Matrix) else base.space.size
        assert size is not None
        inside = Requirement(at, "<", size, remedy="choose a position inside of it")
        calls.domain.require((inside,), calls.module, node)
        return reading.row(base, at, node)
    return None


def _same_in_every_round(base: Value, readings: list[Reading], position: int) -> bool:
    assert base.form is not None
    outer = set().union(*(each.atoms for each in readings[:position]))
    before = readings[position].before
    if any(atom >= before and atom not in outer for atom, _ in base.form.terms):
        return False
    factors = [base.form.constant, *(factor for _, factor in base.form.terms)]
    open_ = {each.plan.index for each in readings}
    names = {name for factor in factors for name in factor.symbols}
    return names.isdisjoint(open_) and not any(name.startswith("_") for name in names)


def _symbol(index: Expr, name: str) -> Expr:
    from metricdp.expr import sym

    return sym(name, nonneg=True, integer=True)


def _part(space: Space, count: Expr) -> Space:
    """The space of the rows that are read, which are as many as there are rounds."""
    if isinstance(space, Matrix):
        return msgspec.structs.replace(space, rows=count)
    assert isinstance(space, Vector)
    return msgspec.structs.replace(space, size=count)


def _row_space(space: Space) -> Space:
    if isinstance(space, Matrix):
        return space.row
    assert isinstance(space, Vector)
    return Scalar(space.element, space.lo, space.hi)
