"""What n rounds of a loop do to its states: the recurrence D' <= A D + B d_row + K, solved.

The records `loop`, `loop_rows` and `loop_records` say what n rounds are; here their constants are
put together per state and source.  A state that feeds another one, or a mechanism, counts with the
largest movement that it has at the start of any round, not with its last one.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

import msgspec

from metricdp.check.describing import describe_bounds
from metricdp.check.findings import Stop, report
from metricdp.check.forms import Form, Source, combine, moved, norms_of, own_norm
from metricdp.check.objects import Obj, Tuple, Value, same
from metricdp.check.plans import Plan, Rows
from metricdp.check.privacy import Domain
from metricdp.check.public import is_number
from metricdp.check.spending import Reason
from metricdp.check.states import (
    Known,
    is_constant,
    list_or_computed,
    named_state,
    rebuilt,
    total_movement,
    widened,
)
from metricdp.expr import (
    INF,
    ONE,
    ZERO,
    D,
    Expr,
    best,
    compare,
    linear_coefficient,
    maximum,
    power,
    sum_over,
    sym,
)
from metricdp.primitives._common import add_ranges, scale_range
from metricdp.primitives.control import loop_records
from metricdp.primitives.control.loop import rounds
from metricdp.primitives.control.loop_rows import element_total
from metricdp.record import Arg, Body, Failure
from metricdp.spaces import NEG_INF, Scalar, Space, Vector


class Recurrence:
    """Solves one loop; `spaces` has the space of every state at the start of a round."""

    def __init__(self, domain: Domain, plan: Plan, module: Any, node: ast.AST) -> None:
        self.domain, self.plan, self.module, self.node = domain, plan, module, node
        self.spaces: dict[Source, Space] = {}

    def solve(
        self, begin: dict[str, Obj], fresh: dict[str, Obj], after: dict[str, Obj]
    ) -> tuple[dict[str, Obj], dict[Source, Known]]:
        """States after the loop, and the largest movement of each at the start of a round."""
        pairs: dict[str, tuple[Value, Value, Value]] = {}
        final = {
            name: self._flatten(name, begin[name], fresh[name], after.get(name), pairs)
            for name in begin
        }
        largest: dict[Source, Known] = {}
        values: dict[str, Value] = {}
        for source in self.spaces:
            if source.name not in pairs:  # No round changes it: it is as it was before the loop.
                held = self.domain.movement(named_state(begin, source.name))
                largest[source] = {s: dict(m) for s, m in held.items()}
        for name in self._order(pairs):
            values[name], largest[self._source(name)] = self._state(name, *pairs[name], largest)
        return {n: rebuilt(n, v, values) for n, v in final.items()}, largest

    def _flatten(
        self, name: str, begin: Obj, fresh: Obj, after: Obj | None, pairs: dict[str, Any]
    ) -> Obj:
        if after is None or same(after, fresh):
            return begin
        if isinstance(begin, Tuple):
            if not (isinstance(after, Tuple) and len(after.items) == len(begin.items)):
                raise self._reject("loop-growth", f"`{name}` changes its length in the loop",
                                   "a tuple of one length",
                                   f"keep the length of `{name}`")  # fmt: skip
            assert isinstance(fresh, Tuple)
            items = zip(begin.items, fresh.items, after.items, strict=True)
            return msgspec.structs.replace(
                begin,
                items=tuple(
                    self._flatten(f"{name}[{i}]", a, b, c, pairs)
                    for i, (a, b, c) in enumerate(items)
                ),
            )
        if not (isinstance(begin, Value) and isinstance(after, Value) and isinstance(fresh, Value)):
            raise self._reject("loop-growth", f"`{name}` changes its kind in the loop",
                               "one kind of value", f"give `{name}` one kind")  # fmt: skip
        if not begin.private:
            if after.origin == "released" or begin.origin == "released":
                one = is_number(begin) and is_number(after)
                space = after.space if one else None
                return Value("released", space, source=list_or_computed(begin))
            if begin.source == "list":
                return begin
            if not (is_number(begin) and is_number(after)):
                return Value("public", source="computed")
            return Value("public", expr=self.domain.state.unknown(), source="computed")
        if not after.private:
            after = self.domain.lifted(after, self.module, self.node)
        pairs[name] = (begin, fresh, after)
        return Value("private", step=name)

    def _source(self, name: str) -> Source:
        return Source("state", name, self.plan.number)

    def _order(self, pairs: Mapping[str, tuple[Value, Value, Value]]) -> list[str]:
        """States in order of dependence; states that feed each other are rejected."""
        needs = {
            name: {
                source.name
                for source in self.domain.movement(after)
                if source.kind == "state" and source.loop == self.plan.number
            }
            & pairs.keys() - {name}
            for name, (_, _, after) in pairs.items()
        }
        order: list[str] = []
        while needs:
            ready = [name for name, wanted in needs.items() if wanted <= set(order)]
            if not ready:
                names = ", ".join(f"`{n}`" for n in needs)
                raise self._reject(
                    "loop-growth", f"{names} feed each other in this loop",
                    "states that do not depend on each other in a circle",
                    "unroll the loop, or keep one state",
                )  # fmt: skip
            order += ready
            for name in ready:
                del needs[name]
        return order

    # -- one state --------------------------------------------------------------------------

    def _state(
        self, name: str, begin: Value, fresh: Value, after: Value, largest: Mapping[Source, Known]
    ) -> tuple[Value, Known]:
        assert begin.space is not None and after.space is not None
        own, space = self._source(name), self._space(name, begin, after)
        why = begin.why or after.why
        added: list[Known] = []
        if self.plan.unordered:
            growth = dict.fromkeys(norms_of(space), ONE)
            found, why = self._accumulated(name, fresh, after, why)
            added.append(found)
        else:
            growth = self._growth(own, space, after)
            for source, movement in self.domain.movement(after).items():
                if source != own:
                    added.append(self._added(source, movement, growth, space, largest))
        held = self.domain.movement(begin)
        last = [{s: self._scaled(m, growth, last=True) for s, m in held.items()}, *added]
        most = [{s: self._scaled(m, growth, last=False) for s, m in held.items()}, *added]
        known = total_movement(space, last)
        endless = any(b.is_infinite for m in known.values() for b in m.values())
        if endless and why is None:
            why = Reason(
                Failure("loop-growth", f"`{name}` moves by any amount after this loop",
                        "a finite bound on how far one round moves it",
                        "dp.clamp(value, lower, upper) inside the loop"),
                self.module, self.node,
            )  # fmt: skip
        space = self._ranged(space, begin, fresh, after)
        text = describe_bounds(known, space)
        rule = "loop_records" if self.plan.unordered else "loop_rows" if self.plan.rows else "loop"
        step = self.domain.state.step(
            rule, (begin.step, after.step), f"{space.describe()}; moves by {text}",
            self.module.span(self.node), bound=text, space=str(space),
        )  # fmt: skip
        value = self.domain.private(
            space, self.domain.state.atom(space, known), step, why if endless else None
        )
        return value, total_movement(space, most)

    def _space(self, name: str, begin: Value, after: Value) -> Space:
        """The space that holds the state after any number of rounds, none included."""
        assert begin.space is not None and after.space is not None
        space = widened(after.space)
        kept, made = getattr(begin.space, "element", ""), getattr(space, "element", "")
        if type(begin.space) is not type(after.space) or (
            "Data" in (kept, made) and kept != made and not is_constant(begin)
        ):
            raise self._reject("wrong-metric", f"`{name}` has another kind of value after a round",
                               "one kind of value", f"give `{name}` one kind of value")  # fmt: skip
        if kept == "Real" and made in ("Int", "Bool"):
            space = msgspec.structs.replace(space, element="Real")
        if isinstance(space, Vector) and isinstance(begin.space, Vector):
            if (
                space.element == "Data"
                and space.norm != begin.space.norm
                and not is_constant(begin)
            ):
                raise self._reject("wrong-norm", f"`{name}` changes its norm in the loop",
                                   "one norm", "dp.norm_convert inside the loop")  # fmt: skip
            if space.size != begin.space.size:
                raise self._reject("size-mismatch", f"`{name}` changes its length in the loop",
                                   "one length", f"keep the length of `{name}`")  # fmt: skip
        return space

    def _growth(self, own: Source, space: Space, after: Value) -> dict[str, Expr]:
        """A of the recurrence, per norm; INF where the state does not enter linearly."""
        movement = self.domain.movement(after).get(own, {})
        growth = {}
        for norm in norms_of(space):
            bound = own_norm(movement.get(norm, INF if movement else ZERO), space, norm)
            slope = linear_coefficient(bound)
            varies = slope is not None and self.plan.index in slope.symbols
            growth[norm] = INF if slope is None or varies else slope
        return growth

    def _scaled(
        self, movement: Mapping[str, Expr], growth: Mapping[str, Expr], last: bool
    ) -> dict[str, Expr]:
        """What is left of the initial movement: at the end, or at the start of the worst round."""
        found = {}
        for norm, bound in movement.items():
            a, n = growth.get(norm, ONE), self.plan.count
            if a == ONE:
                found[norm] = bound
            elif a.is_infinite or n is None:
                found[norm] = ZERO if bound.is_zero else INF
            elif not last:
                known = n.as_fraction()
                last_start = n - 1 if known is not None and known >= 1 else n
                found[norm] = power(maximum(ONE, a), last_start) * bound
            else:
                found[norm] = (ONE if a.is_zero and n.sign() != "+" else power(a, n)) * bound
        return found

    def _added(
        self, source: Source, movement: Mapping[str, Expr], growth: Mapping[str, Expr],
        space: Space, largest: Mapping[Source, Known],
    ) -> Known:  # fmt: skip
        """What all rounds add from one source, charged to the sources it stands for."""
        out: Known = {}
        for norm in norms_of(space):
            bound = movement.get(norm)
            if bound is None:
                continue
            if bound.is_zero:
                out.setdefault(source, {})[norm] = ZERO
                continue
            a = growth[norm]
            row = self.plan.row(source)
            if row is not None:
                for target, g in self._rows(row, bound, a).items():
                    out.setdefault(target, {})[norm] = g
            elif source.kind == "state" and source.loop == self.plan.number:
                for target, each in largest[source].items():
                    through = self.through(source, bound, each)
                    out.setdefault(target, {})[norm] = self._captured(through, a)
            else:
                out.setdefault(source, {})[norm] = self._captured(bound, a)
        return out

    def through(self, state: Source, bound: Expr, movement: Mapping[str, Expr]) -> Expr:
        """`bound`, a map of a state's movement, after that movement; the best over its norms."""
        space = self.spaces[state]
        options = [
            moved(own_norm(bound, space, n), movement[n]) for n in norms_of(space) if n in movement
        ]
        return best(options) if options else INF

    def _rows(self, row: Rows, bound: Expr, growth: Expr) -> dict[Source, Expr]:
        """One round per row: what the movement of the whole container adds up to."""
        space = row.value.space
        assert space is not None
        held = self.domain.movement(row.value)
        bound = self._any_round(bound)
        if growth.is_infinite or bound.is_infinite:
            return dict.fromkeys(held, INF)
        if row.person is not None:
            n = self.plan.count
            per_person = bound.subs({"d_in": ONE}) * D
            if growth == ONE:
                return {row.person: per_person}
            return {row.person: INF if n is None else power(maximum(ONE, growth), n) * per_person}
        whole = element_total(bound, space, growth)
        inner = getattr(space, "norm", "")
        return {s: moved(whole, m[inner]) if inner in m else INF for s, m in held.items()}

    def _any_round(self, bound: Expr) -> Expr:
        """A bound that may grow with the round, at its largest over all rounds."""
        if self.plan.index not in bound.symbols:
            return bound
        n = self.plan.count
        if n is None or bound.is_infinite:
            return INF
        left = sym("_left", nonneg=True, integer=True)
        end = bound.subs({self.plan.index: n - 1})
        here = bound.subs({self.plan.index: n - 1 - left})
        return end if compare(end, ">=", here) is True else INF

    def _captured(self, bound: Expr, growth: Expr) -> Expr:
        n = self.plan.count
        if bound.is_zero:
            return ZERO
        if n is None or growth.is_infinite or bound.is_infinite:
            return ZERO if n is not None and n.is_zero else INF
        if self.plan.index and self.plan.index in bound.symbols:
            return sum_over(bound, self.plan.index, ZERO, n - 1) if growth == ONE else INF
        return rounds(n, growth) * bound

    # -- records ----------------------------------------------------------------------------

    def _accumulated(self, name: str, fresh: Value, after: Value, why: Any) -> tuple[Known, Any]:
        """Movement of `state += g(row)` over records, from the range of g."""
        assert fresh.form is not None and after.form is not None and after.space is not None
        rest = combine([(after.form, ONE), (fresh.form, -ONE)])
        movement = self.domain.state.movement(rest)
        (records,) = (each.value for each in self.plan.rows)
        if any(s.kind == "state" and s.loop == self.plan.number for s in movement) or (
            type(fresh.space) is not type(after.space)
            or getattr(after.space, "element", "") == "Data"
        ):
            failure = Failure(
                "unordered-loop", f"`{name}` depends on the order of the rows",
                "an accumulation by +", f"{name} += value",
            )  # fmt: skip
            nowhere = dict.fromkeys(norms_of(after.space), INF)
            sources = {*self.domain.movement(records), *self._outside(movement)}
            return {s: dict(nowhere) for s in sources}, Reason(failure, self.module, self.node)
        added = self._added_space(after, rest)
        conclusion = loop_records.rule(
            Arg(fresh.space, True), Arg(records.space, True), Arg(body=Body(added, ()))
        )
        out: Known = {}
        if rest.terms or not rest.constant.is_zero:
            for source, movement_in in self.domain.movement(records).items():
                maps = conclusion.maps["records"]
                out[source] = {o: moved(g, movement_in[i]) for (i, o), g in maps.items()}
        for source in self._outside(movement):
            out[source] = dict.fromkeys(norms_of(after.space), INF)
        if why is None and conclusion.why_infinite is not None:
            why = Reason(conclusion.why_infinite, self.module, self.node)
        return out, why

    def _outside(self, movement: Mapping[Source, Any]) -> list[Source]:
        return [s for s in movement if s.loop != self.plan.number or s.kind == "param"]

    def _added_space(self, after: Value, rest: Form) -> Space:
        if isinstance(after.space, Scalar):
            lo, hi = self.domain.range(rest) or (NEG_INF, INF)
            return Scalar(after.space.element, lo, hi)
        assert isinstance(after.space, Vector)
        if len(rest.terms) == 1 and rest.terms[0][1] == ONE and rest.constant.is_zero:
            return self.domain.state.atoms[rest.terms[0][0]].space
        return Vector(after.space.element, after.space.norm, after.space.size)

    def _ranged(self, space: Space, begin: Value, fresh: Value, after: Value) -> Space:
        """A scalar that gains a bounded amount per round has a range after n rounds."""
        n = self.plan.count
        if not isinstance(space, Scalar) or n is None or fresh.form is None or after.form is None:
            return space
        if space.element == "Data":
            return space
        rest = combine([(after.form, ONE), (fresh.form, -ONE)])
        if any(term in rest.terms for term in fresh.form.terms):
            return space
        gained, held = self.domain.range(rest), self.domain.range(begin.form or Form(()))
        if gained is None or held is None or n.is_infinite:
            return space
        if any(self.plan.index in end.symbols for end in gained):
            return space
        lo, hi = add_ranges(held, scale_range(gained, n))
        return Scalar(space.element, lo, hi)

    def _reject(self, code: str, message: str, need: str, help: str) -> Stop:
        return Stop(report(self.module, self.node, code, message, need, help))
