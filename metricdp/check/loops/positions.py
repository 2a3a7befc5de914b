"""`x[i]` at the number of a loop's round: each entry, or row, is read in one round at most.

Stability.  An index that is an affine function of the round with a slope that is not 0 takes
another position in every round.  So the rounds together move by what the whole container moves
(record `loop_rows`), and not by that once per round.  This holds for a container that is the same
in every round, and for positions that certainly lie inside of it: elsewhere two rounds could read
one entry, `x[-1]` and `x[n - 1]`, or a position that is moved to the nearest end.

`x[i // 2]` reads every entry in 2 rounds at most, as a container in which every entry stands twice:
m times the distance in L1, root(m) times in L2, once in LInf; rows of a matrix add up.  The whole
numbers a*i + b between c*k and c*k + c - 1 are at most ceil(c / |a|).
"""

from __future__ import annotations

import ast
import math
from typing import Any

import msgspec

from metricdp.check.domain.privacy import PrivacyDomain
from metricdp.check.loops.plans import LoopPlan, LoopRows
from metricdp.check.loops.rounds import for_all_rounds
from metricdp.check.values.forms import Form, Source
from metricdp.check.values.objects import Obj, Value
from metricdp.check.values.terms import Table
from metricdp.expr import INF, ONE, ZERO, Expr, compare, num, sym
from metricdp.record import Requirement
from metricdp.spaces import Matrix, Row, Scalar, Space, Vector
from metricdp.spaces.norms import NORM_NAMES, NORMS


class ReadPositions:
    """What the present round of one loop has read at positions that follow the round."""

    def __init__(self, domain: PrivacyDomain, plan: LoopPlan) -> None:
        self.domain, self.plan = domain, plan
        #: Atoms that were there before the loop are the same in every round.
        self.before = len(domain.state.atoms)
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
        if index != start + slope * sym(name, nonneg=True, integer=True):
            return False
        if index.sign() in ("0", "+", ">=0"):
            return True
        least = for_all_rounds((index, ">=", ZERO), name, self.plan.count, [])
        return least is not None and compare(least[0], ">=", least[2]) is True

    def times(self, index: Expr) -> int | None:
        """In how many rounds one position is read at most, which is never negative; or None."""
        if self.affine(index):
            return 1
        if len(index.terms) != 1 or index.inf:
            return None
        ((monomial, factor),) = index.terms.items()
        if factor != 1 or len(monomial) != 1 or monomial[0][0].kind != "floor":
            return None
        ((atom, exponent),) = monomial
        inside = atom.args[0]
        slope = inside.subs({self.plan.index: ONE}) - inside.subs({self.plan.index: ZERO})
        step = slope.as_fraction()
        if exponent != 1 or step is None or not self.affine(inside):
            return None
        # Rounds of one position lie within a stretch of length 1, so fewer than 1/|step| + 1.
        return math.ceil(1 / abs(step))

    def row(self, base: Value, index: Expr, times: int) -> Obj:
        """The entry or row that this round reads: a fresh quantity, whose source is a row."""
        assert base.form is not None and base.space is not None
        key = (base.form, index)
        if key in self.found:
            return self.found[key]
        domain = self.domain
        person = domain.aligned.get(base.form)
        name = f"at{len(self.plan.reads)}" if person is None else f"at.{person.name}.{index}"
        source = Source("row", name, self.plan.number)
        assert self.plan.count is not None
        read = msgspec.structs.replace(base, space=_part(base.space, self.plan.count))
        if times > 1:
            read = self._repeated(read, times)
        self.plan.reads.append(LoopRows(read, source, person, base))
        row = fresh_row(domain, _row_space(base.space), source, person is not None)
        assert isinstance(row, Value) and row.form is not None
        self.found[key] = row
        self.atoms.update(atom for atom, _ in row.form.terms)
        return row

    def _repeated(self, base: Value, times: int) -> Value:
        """The container in which every entry, or row, stands several times."""
        assert base.space is not None and base.form is not None
        matrix = isinstance(base.space, Matrix)
        factors = {
            name: num(times) if matrix else norm.of_ones(num(times)) for name, norm in NORMS.items()
        }
        bounds = {
            source: {norm: factors[norm] * bound for norm, bound in movement.items()}
            for source, movement in self.domain.movement(base).items()
        }
        form = self.domain.state.atom(base.space, bounds)
        return msgspec.structs.replace(base, form=form)


def read_once(
    domain: PrivacyDomain,
    readings: list[ReadPositions],
    base: Obj,
    index: Obj,
    module: Any,
    node: ast.AST,
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
        times = reading.times(at)
        if times is None or not _same_in_every_round(base, readings, position):
            return None
        assert base.form is not None
        if times > 1 and base.form in domain.aligned:
            return None
        size = base.space.rows if isinstance(base.space, Matrix) else base.space.size
        assert size is not None
        inside = Requirement(at, "<", size, remedy="choose a position inside of it")
        domain.require((inside,), module, node)
        return reading.row(base, at, times)
    return None


def _same_in_every_round(base: Value, readings: list[ReadPositions], position: int) -> bool:
    assert base.form is not None
    outer = set().union(*(each.atoms for each in readings[:position]))
    before = readings[position].before
    if any(atom >= before and atom not in outer for atom, _ in base.form.terms):
        return False
    factors = [base.form.constant, *(factor for _, factor in base.form.terms)]
    open_ = {each.plan.index for each in readings}
    names = {name for factor in factors for name in factor.symbols}
    return names.isdisjoint(open_) and not any(name.startswith("_") for name in names)


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


def fresh_row(
    domain: PrivacyDomain, space: Space, source: Source, person: bool = False,
    table: Table | None = None,
) -> Obj:  # fmt: skip
    """A fresh row: a number, a vector, or one object per field.

    With `person`, the source is one person of aligned containers: at distance 1 from a replacement,
    whatever the container's own metric.  `table` is the name of its table in terms.
    """
    if not person or isinstance(space, Row) or bool(getattr(space, "kind", "")):
        return domain.formal(space, source, table)
    return domain.private(space, domain.state.atom(space, {source: _person_moves(space)}))


def _person_moves(space: Space) -> dict[str, Expr]:
    """How far the row of one replaced person moves."""
    if isinstance(space, Vector):
        assert space.size is not None
        if space.element == "Data":
            return {space.norm: space.geometry.of_ones(space.size)}
        return dict.fromkeys(NORM_NAMES, INF)
    return {"": ONE if getattr(space, "element", "") in ("Data", "Bool") else INF}
