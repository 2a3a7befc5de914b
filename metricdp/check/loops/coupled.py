"""States of a loop that feed each other: the recurrence of all of them at once.

With movements D_j at the start of a round, one round gives D_j' <= sum over k of f_jk(D_k) + K_j.
A concrete number of rounds is iterated (few) or read off the power of the matrix (f linear with
rational coefficients).  Otherwise the sum of all D_j grows at most by the largest column sum c of
the coefficients: T' <= c T + K.  Tight for Fibonacci's recurrence, by iteration or by power; the
bound by column sums is not known tight.
Source: linear recurrences, non-negative matrices.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from metricdp.check.domain.privacy import PrivacyDomain
from metricdp.check.loops.plans import LoopPlan
from metricdp.check.loops.rounds import at_most
from metricdp.check.loops.states import Known, one_row, through, total_movement
from metricdp.check.values.forms import Source, norms_of, own_norm
from metricdp.check.values.objects import Value
from metricdp.expr import INF, ONE, ZERO, Expr, best, linear_coefficient, maximum, num, power
from metricdp.primitives.control.loop import rounds
from metricdp.spaces import Space

#: Most rounds that are iterated one by one.
ITERATED = 24
#: Movements of the group, by name.
Group = dict[str, Known]
Matrix = list[list[Fraction]]


class Coupled:
    """One group of states that feed each other."""

    def __init__(
        self, domain: PrivacyDomain, plan: LoopPlan, states: Mapping[Source, Space],
        after: Mapping[str, Value], spaces: Mapping[str, Space], largest: Mapping[Source, Known],
    ) -> None:  # fmt: skip
        self.domain, self.plan, self.after, self.spaces = domain, plan, after, spaces
        #: Space of every state of the loop at the start of a round.
        self.states = states
        self.largest = largest
        self.names = list(after)
        self.inner = {self._source(name): name for name in self.names}
        self.movement = {n: domain.movement(after[n]) for n in self.names}

    def _source(self, name: str) -> Source:
        return Source("state", name, self.plan.number)

    def solve(self, begin: Group) -> tuple[Group, Group]:
        """Movements after all rounds, and the largest at the start of any."""
        n = self.plan.count
        assert n is not None
        known = n.as_fraction()
        if known is not None and known <= 0:
            return begin, begin
        if known is not None and known <= ITERATED:
            return self._iterated(begin, int(known))
        norms = sorted({norm for space in self.spaces.values() for norm in norms_of(space)})
        last: Group = {name: {} for name in self.names}
        most: Group = {name: {} for name in self.names}
        for norm in [norm for norm in norms if norm] or [""]:
            matrix = self._matrix(norm)
            ends = self._bounded(begin, norm, matrix, n)
            tops = ends
            if known is not None and matrix is not None and _rational(matrix):
                ends = self._powered(begin, norm, matrix, int(known), grow=False)
                tops = self._powered(begin, norm, matrix, int(known), grow=True)
            for name in self.names:
                own = norm if norm in norms_of(self.spaces[name]) else ""
                for into, found in ((last, ends), (most, tops)):
                    for source, bound in found[name].items():
                        held = into[name].setdefault(source, {})
                        # A number beside vectors has a bound per norm of theirs: the best holds.
                        held[own] = best([held[own], bound]) if own in held else bound
        return last, most

    # -- one round --------------------------------------------------------------------------

    def _outside(self, name: str, round_: Expr | None) -> Known:
        """What a round adds from everything that is not of the group; in any round if None."""
        parts: list[Known] = []
        index = self.plan.index
        for source, movement in self.movement[name].items():
            if source in self.inner:
                continue
            row = self.plan.row(source)
            for norm, bound in movement.items():
                if round_ is not None and index in bound.symbols:
                    here = bound.subs({index: round_})
                else:
                    here = at_most(bound, self.plan.index, self.plan.count)
                if row is not None:
                    found = one_row(self.domain, row, here)
                elif source.kind == "state" and source.loop == self.plan.number:
                    held = self.largest[source]
                    space = self.states[source]
                    found = {s: through(space, here, m) for s, m in held.items()}
                else:
                    found = {source: here}
                parts.append({s: {norm: b} for s, b in found.items()})
        out: Known = {}
        for part in parts:
            for source, each in part.items():
                into = out.setdefault(source, {})
                for norm, bound in each.items():
                    into[norm] = into[norm] + bound if norm in into else bound
        return out

    def _iterated(self, begin: Group, count: int) -> tuple[Group, Group]:
        now, most = begin, begin
        for t in range(count):
            if t:
                most = {n: _larger(most[n], now[n]) for n in self.names}
            now = {name: self._round(name, now, num(t)) for name in self.names}
        return now, most

    def _round(self, name: str, now: Group, t: Expr) -> Known:
        index = self.plan.index
        parts = [self._outside(name, t)]
        for source, movement in self.movement[name].items():
            if source not in self.inner:
                continue
            held = now[self.inner[source]]
            for norm, bound in movement.items():
                here = bound.subs({index: t}) if index in bound.symbols else bound
                parts.append({
                    s: {norm: through(self.states[source], here, m)} for s, m in held.items()
                })  # fmt: skip
        merged: Known = {}
        for part in parts:
            for s, each in part.items():
                into = merged.setdefault(s, {})
                for norm, b in each.items():
                    into[norm] = into[norm] + b if norm in into else b
        return total_movement(self.spaces[name], [merged])

    # -- many rounds ------------------------------------------------------------------------

    def _matrix(self, norm: str) -> list[list[Expr]] | None:
        """Coefficients f_jk with every vector measured in `norm`; None where one is not linear."""
        rows = []
        for name in self.names:
            own = norm if norm in norms_of(self.spaces[name]) else ""
            row = []
            for other in self.names:
                bound = self.movement[name].get(self._source(other), {}).get(own, ZERO)
                space = self.states[self._source(other)]
                inner = norm if norm in norms_of(space) else ""
                slope = linear_coefficient(own_norm(bound, space, inner))
                index = self.plan.index
                if slope is None or slope.is_infinite or index in slope.symbols:
                    return None
                row.append(slope)
            rows.append(row)
        return rows

    def _in(
        self, known: Mapping[Source, Mapping[str, Expr]], norm: str, name: str
    ) -> dict[Source, Expr]:
        own = norm if norm in norms_of(self.spaces[name]) else ""
        return {s: m.get(own, INF) for s, m in known.items()}

    def _bounded(
        self, begin: Group, norm: str, matrix: list[list[Expr]] | None, n: Expr
    ) -> dict[str, dict[Source, Expr]]:
        """The sum of all states after n rounds bounds each of them after n or fewer."""
        total, added = self._sums(begin, norm)
        if matrix is None:
            every = dict.fromkeys([*total, *added], INF)
            return dict.fromkeys(self.names, every)
        columns = [sum(column[1:], column[0]) for column in zip(*matrix, strict=True)]
        growth = maximum(ONE, *columns)
        found = {s: power(growth, n) * b if growth != ONE else b for s, b in total.items()}
        for source, bound in added.items():
            extra = rounds(n, growth) * bound
            found[source] = found[source] + extra if source in found else extra
        return dict.fromkeys(self.names, found)

    def _sums(self, begin: Group, norm: str) -> tuple[dict[Source, Expr], dict[Source, Expr]]:
        total: dict[Source, Expr] = {}
        added: dict[Source, Expr] = {}
        for name in self.names:
            for into, known in ((total, begin[name]), (added, self._outside(name, None))):
                for source, bound in self._in(known, norm, name).items():
                    into[source] = into[source] + bound if source in into else bound
        return total, added

    def _powered(
        self, begin: Group, norm: str, matrix: list[list[Expr]], n: int, grow: bool
    ) -> dict[str, dict[Source, Expr]]:
        """A^n D + (1 + A + ... + A^(n-1)) K; with `grow`, for a matrix that lets nothing shrink."""
        size = len(self.names)
        a = [[x.as_fraction() or Fraction(0) for x in row] for row in matrix]
        if grow:
            a = [[max(x, Fraction(i == j)) for j, x in enumerate(r)] for i, r in enumerate(a)]
        unit = [[Fraction(i == j) for j in range(size)] for i in range(size)]
        block = [[*r, *u] for r, u in zip(a, unit, strict=True)]
        block += [[Fraction(0)] * size + u for u in unit]
        result = _power(block, n)
        out: dict[str, dict[Source, Expr]] = {}
        for i, name in enumerate(self.names):
            found: dict[Source, Expr] = {}
            for j, other in enumerate(self.names):
                for part, known in (
                    (result[i][j], begin[other]),
                    (result[i][size + j], self._outside(other, None)),
                ):
                    for source, bound in self._in(known, norm, other).items():
                        term = num(part) * bound if part else ZERO
                        found[source] = found[source] + term if source in found else term
            out[name] = found
        return out


def _larger(a: Known, b: Known) -> Known:
    out: Known = {}
    for source in {**a, **b}:
        here, there = a.get(source, {}), b.get(source, {})
        out[source] = {
            norm: maximum(*(m[norm] for m in (here, there) if norm in m))
            for norm in {**here, **there}
        }
    return out


def _rational(matrix: list[list[Expr]]) -> bool:
    return all(x.as_fraction() is not None for row in matrix for x in row)


def _power(matrix: Matrix, n: int) -> Matrix:
    size = len(matrix)
    result = [[Fraction(i == j) for j in range(size)] for i in range(size)]
    while n:
        if n & 1:
            result = _times(result, matrix)
        matrix, n = _times(matrix, matrix), n >> 1
    return result


def _times(a: Matrix, b: Matrix) -> Matrix:
    columns = list(zip(*b, strict=True))
    return [
        [sum((x * y for x, y in zip(row, col, strict=True)), Fraction(0)) for col in columns]
        for row in a
    ]
