"""What n rounds of a loop do to its states: the recurrence D' <= A D + C + B d_row + K, solved.

C is what a round adds however little its state moves, as rounding does; it counts for every source
that moves the state at all, since what no source has moved is equal in both runs.

The records `loop`, `loop_rows` and `loop_records` say what n rounds are; here their constants are
put together per state and source.  A state that feeds another one, or a mechanism, counts with the
largest movement that it has at the start of any round, not with its last one.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from metricdp.check.domain.privacy import PrivacyDomain, Reason
from metricdp.check.loops.lengths import after_rounds
from metricdp.check.loops.plans import LoopPlan, LoopRows
from metricdp.check.loops.rounds import at_most, closed
from metricdp.check.loops.states import (
    AXES,
    Known,
    in_order,
    is_constant,
    keeps,
    named_state,
    ranged,
    rebuilt,
    through,
    total_movement,
    widened,
)
from metricdp.check.values.arrays import made, shape_of
from metricdp.check.values.dictionaries import is_mapping, of_numbers, unknown_keys
from metricdp.check.values.findings import Stop, stop
from metricdp.check.values.forms import Source, describe_bounds, moved, norms_of, own_norm
from metricdp.check.values.objects import ListRef, Obj, TupleValue, Value, same, shape
from metricdp.check.values.public import CERTAIN, common, is_number, kind, origin
from metricdp.check.values.regions import Region, both, changed, either
from metricdp.check.values.terms import of_row
from metricdp.expr import (
    INF,
    ONE,
    ZERO,
    D,
    Expr,
    affine,
    best,
    maximum,
    power,
    sum_over,
    sym,
)
from metricdp.primitives.control.loop import rounds
from metricdp.primitives.control.loop_rows import element_total
from metricdp.record import Failure
from metricdp.spaces import Matrix, Records, Scalar, Space, Vector
from metricdp.spaces.vectors import Entries


class Recurrence:
    """Solves one loop; `spaces` has the space of every state at the start of a round."""

    def __init__(self, domain: PrivacyDomain, plan: LoopPlan, module: Any, node: ast.AST) -> None:
        self.domain, self.plan, self.module, self.node = domain, plan, module, node
        self.spaces: dict[Source, Space] = {}
        #: Movement of a state at the start of round `plan.index`, where it has a closed form.
        self.along: dict[Source, Known] = {}

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
                self.along[source] = largest[source] = {s: dict(m) for s, m in held.items()}
        for group in self._order(pairs):
            if len(group) == 1:
                (name,) = group
                values[name], largest[self._source(name)] = self._state(name, *pairs[name], largest)
            else:
                self._coupled({name: pairs[name] for name in group}, values, largest)
        return {n: rebuilt(n, v, values) for n, v in final.items()}, largest

    def _flatten(
        self, name: str, begin: Obj, fresh: Obj, after: Obj | None, pairs: dict[str, Any]
    ) -> Obj:
        if after is None or same(after, fresh):
            return begin
        if isinstance(begin, TupleValue):
            if not (isinstance(after, TupleValue) and shape(after) == shape(begin)):
                raise self._reject("loop-growth", f"`{name}` changes its length or keys in the "
                                                  "loop", "a tuple of one length",
                                   f"keep the length of `{name}`")  # fmt: skip
            assert isinstance(fresh, TupleValue)
            items = zip(begin.items, fresh.items, after.items, strict=True)
            return msgspec.structs.replace(
                begin,
                items=tuple(
                    self._flatten(f"{name}[{i}]", a, b, c, pairs)
                    for i, (a, b, c) in enumerate(items)
                ),
            )
        if not (isinstance(begin, Value) and isinstance(after, Value) and isinstance(fresh, Value)):
            array = isinstance(begin, TupleValue | ListRef) and isinstance(after, Value)
            raise self._reject("loop-growth", f"`{name}` changes its kind in the loop",
                               "one kind of value",
                               f"start from an array: {name} = numpy.zeros(n)" if array
                               else f"give `{name}` one kind")  # fmt: skip
        if not begin.private:
            if is_mapping(begin):
                numbers = of_numbers(begin) and of_numbers(after)
                found = unknown_keys(origin(begin, after), numbers)
                self.domain.drawn.after_rounds(found, begin, after)
                return found
            if begin.source == "list":
                return after_rounds(self.plan, begin, fresh, after)
            if (axes := shape_of(begin)) is not None and shape_of(after) == axes:
                return made(origin(begin, after), axes)
            if after.origin == "released" or begin.origin == "released":
                one = is_number(begin) and is_number(after)
                return Value("released", after.space if one else None, source="computed")
            if not (is_number(begin) and is_number(after)):
                return Value("public", source="computed")
            held = common(kind(begin), kind(after))
            held = held if held in CERTAIN else ""
            expr = self.domain.state.unknown()
            return Value("public", expr=expr, source="computed", holds=held)
        if not after.private:
            after = self.domain.lifted(after, self.module, self.node)
        pairs[name] = (begin, fresh, after)
        return Value("private", step=name)

    def _source(self, name: str) -> Source:
        return Source("state", name, self.plan.number)

    def _order(self, pairs: Mapping[str, tuple[Value, Value, Value]]) -> list[tuple[str, ...]]:
        """States in order of dependence; those that feed each other together."""
        needs = {
            name: {
                source.name
                for source in self.domain.movement(after)
                if source.kind == "state" and source.loop == self.plan.number
            }
            & pairs.keys() - {name}
            for name, (_, _, after) in pairs.items()
        }
        return in_order(needs)

    def _coupled(
        self, pairs: Mapping[str, tuple[Value, Value, Value]], values: dict[str, Value],
        largest: dict[Source, Known],
    ) -> None:  # fmt: skip
        """States that feed each other."""
        if self.plan.unordered:
            raise self._reject(
                "unordered-loop", f"{', '.join(f'`{n}`' for n in pairs)} depend on the order of "
                "the rows", "an accumulation by +", f"{next(iter(pairs))} += f(row)",
            )  # fmt: skip
        spaces = {name: self._space(name, a, c) for name, (a, _, c) in pairs.items()}
        ends = {name: c for name, (_, _, c) in pairs.items()}
        from metricdp.check.loops.coupled import Coupled  # few loops have such states

        group = Coupled(self.domain, self.plan, self.spaces, ends, spaces, largest)
        held = {
            name: total_movement(spaces[name], [
                {s: dict(m) for s, m in self.domain.movement(a).items()}
            ])
            for name, (a, _, _) in pairs.items()
        }  # fmt: skip
        last, most = group.solve(held)
        for name, (begin, fresh, after) in pairs.items():
            why = begin.why or after.why
            values[name] = self._made(name, begin, fresh, after, spaces[name], last[name], why)
            largest[self._source(name)] = most[name]

    # -- one state --------------------------------------------------------------------------

    def _state(
        self, name: str, begin: Value, fresh: Value, after: Value, largest: Mapping[Source, Known]
    ) -> tuple[Value, Known]:
        assert begin.space is not None and after.space is not None
        own, space = self._source(name), self._space(name, begin, after)
        why = begin.why or after.why
        added: list[Known] = []
        slack: dict[str, Expr] = {}
        if self.plan.unordered:
            from metricdp.check.loops.accumulating import accumulated

            growth = dict.fromkeys(norms_of(space), ONE)
            found, why = accumulated(
                self.domain, self.plan, name, fresh, after, why, self.module, self.node
            )
            added.append(found)
        else:
            growth, slack = self._growth(own, space, after)
            if self.plan.rows:
                from metricdp.check.loops.accumulating import note_bounded

                note_bounded(self.domain, self.plan, name, fresh, after, growth, self.node)
            for source, movement in self.domain.movement(after).items():
                if source != own:
                    count = self.plan.count
                    added.append(self._added(source, movement, growth, space, largest, count))
        held = self.domain.movement(begin)
        added += self._kept_apart(slack, growth, [held, *added], self.plan.count)
        last = [{s: self._scaled(m, growth, last=True) for s, m in held.items()}, *added]
        if not self.plan.unordered:
            self._remember(own, space, after, held, growth, slack, largest)
        most = [{s: self._scaled(m, growth, last=False) for s, m in held.items()}, *added]
        known = total_movement(space, last)
        regions = self._regions(begin, fresh, after)
        value = self._made(name, begin, fresh, after, space, known, why, regions)
        if self.plan.unordered:
            from metricdp.check.loops.accumulating import note_alone, note_replaced, note_rising

            note_rising(self.domain, self.plan, begin, fresh, after, value)
            rows = self._rows_that_change(fresh, after)
            note_replaced(self.domain, self.plan, name, begin, fresh, after, value, rows)
            note_alone(self.domain, self.plan, begin, value, regions)
        return value, total_movement(space, most)

    def _regions(self, begin: Value, fresh: Value, after: Value) -> dict[Source, Region]:
        """Which rows of a table can move a state that a loop over them adds to."""
        if not self.plan.unordered or fresh.term is None or after.term is None:
            return {}
        (records,) = (each.value for each in self.plan.rows)
        table = records.form is not None and records.form in self.domain.tables
        if not (table and isinstance(records.space, Records)) or records.space.row_metric.replaces:
            return {}
        assert records.form is not None
        rows = self._rows_that_change(fresh, after)
        before = self.domain.state.regions(begin.form) if begin.form is not None else {}
        held, found = self.domain.movement(begin), {}
        for source in self.domain.movement(records):
            region = both(self.domain.state.regions(records.form).get(source), rows)
            found[source] = either(region, before.get(source)) if source in held else region
        return {source: region for source, region in found.items() if region is not None}

    def _rows_that_change(self, fresh: Value, after: Value) -> Region:
        """The rows of a table that change a state in a loop over it; None where any may."""
        (records,) = (each.value for each in self.plan.rows)
        if fresh.term is None or after.term is None or records.form not in self.domain.tables:
            return None
        number, whole = self.plan.number, self.domain.is_whole
        return changed(after.term, fresh.term, lambda term: of_row(term, number, whole))

    def _made(
        self, name: str, begin: Value, fresh: Value, after: Value, space: Space, known: Known,
        why: Any, regions: Mapping[Source, Region] | None = None,
    ) -> Value:  # fmt: skip
        """The state after the loop."""
        endless = any(b.is_infinite for m in known.values() for b in m.values())
        if endless and why is None:
            why = Reason(
                Failure("loop-growth", f"{_shown(name)} moves by any amount after this loop",
                        "a finite bound on how far one round moves it",
                        "dp.clamp(value, lower, upper) inside the loop"),
                self.module, self.node,
            )  # fmt: skip
        space = ranged(self.domain, self.plan, space, begin, fresh, after)
        text = describe_bounds(known, space)
        rule = "loop_records" if self.plan.unordered else "loop_rows" if self.plan.rows else "loop"
        step = self.domain.state.step(
            rule, (begin.step, after.step), f"{space.describe()}; moves by {text}",
            self.module.span(self.node), bound=text, space=str(space),
        )  # fmt: skip
        return self.domain.private(
            space, self.domain.state.atom(space, known, regions), step, why if endless else None
        )

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
        sizes = (getattr(space, axis, None) for axis in AXES)
        if any(size is not None and self.plan.index in size.symbols for size in sizes):
            raise self._reject("size-mismatch", f"`{name}` has another length in every round",
                               "one length", f"keep the length of `{name}`")  # fmt: skip
        if kept == "Real" and made in ("Int", "Bool"):
            space = msgspec.structs.replace(space, element="Real")
        if isinstance(space, Scalar):
            return space
        if getattr(space, "shape", ()) != getattr(begin.space, "shape", ()):
            raise self._reject("size-mismatch", f"`{name}` changes its shape in the loop",
                               "one shape", f"keep the shape of `{name}`")  # fmt: skip
        if not isinstance(space, Entries | Matrix):
            if keeps(begin.space, after.space):
                return begin.space
            raise self._reject(
                "loop-growth", f"`{name}` starts as {begin.space.describe()} and becomes "
                f"{after.space.describe()} in a round", "rows of one kind, metric and range",
                f"make `{name}` before the loop what a round makes of it",
            )  # fmt: skip
        same_norm = space.norm == getattr(begin.space, "norm", "")
        if made == "Data" and not same_norm and not is_constant(begin):
            raise self._reject("wrong-norm", f"`{name}` changes its norm in the loop",
                               "one norm", "dp.norm_convert inside the loop")  # fmt: skip
        if any(getattr(space, a, None) != getattr(begin.space, a, None) for a in AXES):
            raise self._reject("size-mismatch", f"`{name}` changes its length in the loop",
                               "one length", f"keep the length of `{name}`")  # fmt: skip
        return space

    def _growth(
        self, own: Source, space: Space, after: Value
    ) -> tuple[dict[str, Expr], dict[str, Expr]]:
        """A and C of the recurrence, per norm; A is INF where the state does not enter so."""
        movement = self.domain.movement(after).get(own, {})
        growth, slack = {}, {}
        for norm in norms_of(space):
            bound = own_norm(movement.get(norm, INF if movement else ZERO), space, norm)
            slope, offset = (bound, ZERO) if bound.is_infinite else affine(bound) or (INF, ZERO)
            varies = self.plan.index in slope.symbols | offset.symbols
            growth[norm] = INF if varies else slope
            if not (varies or offset.is_zero):
                slack[norm] = offset
        return growth, slack

    def _kept_apart(
        self, slack: Mapping[str, Expr], growth: Mapping[str, Expr],
        parts: Sequence[Mapping[Source, Mapping[str, Expr]]], count: Expr | None,
    ) -> list[Known]:  # fmt: skip
        """What `count` rounds add of C, for every source of these movements."""
        once = {norm: self._captured(offset, growth[norm], count) for norm, offset in slack.items()}
        moving = dict.fromkeys(
            source
            for part in parts
            for source, movement in part.items()
            if not all(bound.is_zero for bound in movement.values())
        )
        return [{source: dict(once)} for source in moving if once]

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
                found[norm] = (
                    INF if bound.is_infinite else power(maximum(ONE, a), last_start) * bound
                )
            else:
                kept = ONE if a.is_zero and n.sign() != "+" else power(a, n)
                found[norm] = INF if bound.is_infinite and not kept.is_zero else kept * bound
        return found

    def _added(
        self, source: Source, movement: Mapping[str, Expr], growth: Mapping[str, Expr],
        space: Space, largest: Mapping[Source, Known], count: Expr | None,
    ) -> Known:  # fmt: skip
        """What `count` rounds add from one source, charged to the sources it stands for."""
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
                    total = self._captured(through(self.spaces[source], bound, each), a, count)
                    moves = self.along.get(source, {}).get(target)
                    if moves is not None:
                        exact = self._captured(through(self.spaces[source], bound, moves), a, count)
                        total = best([total, exact]) if closed(exact) else total
                    out.setdefault(target, {})[norm] = total
            else:
                out.setdefault(source, {})[norm] = self._captured(bound, a, count)
        return out

    def _rows(self, row: LoopRows, bound: Expr, growth: Expr) -> dict[Source, Expr]:
        """One round per row: what the movement of the whole container adds up to."""
        space = row.value.space
        assert space is not None
        held = self.domain.movement(row.value)
        bound = at_most(bound, self.plan.index, self.plan.count)
        if growth.is_infinite or bound.is_infinite:
            return dict.fromkeys(held, INF)
        if row.person is not None:
            n = self.plan.count
            per_person = bound.subs({"d_in": ONE}) * D
            if growth == ONE:
                return {row.person: per_person}
            return {row.person: INF if n is None else power(maximum(ONE, growth), n) * per_person}
        return {s: self._whole(row, bound, growth, m) for s, m in held.items()}

    def _whole(self, row: LoopRows, bound: Expr, growth: Expr, held: Mapping[str, Expr]) -> Expr:
        space = row.value.space
        assert space is not None
        norm = getattr(space, "norm", "")
        if norm not in held:
            return INF
        found = moved(element_total(bound, space, growth), held[norm])
        entry = held.get("LInf", held[norm])
        if row not in self.plan.reads or entry == held[norm] or not isinstance(space, Vector):
            return found
        # Fewer entries than there are may be read: each of them moves by the largest at most.
        widest = msgspec.structs.replace(space, norm="LInf")
        return best([found, moved(element_total(bound, widest, growth), entry)])

    def _captured(self, bound: Expr, growth: Expr, n: Expr | None) -> Expr:
        """Total after n rounds of what every round adds."""
        if bound.is_zero:
            return ZERO
        if n is None or growth.is_infinite or bound.is_infinite:
            return ZERO if n is not None and n.is_zero else INF
        if self.plan.index and self.plan.index in bound.symbols:
            name = f"{self.plan.index}s"
            here = bound.subs({self.plan.index: sym(name, nonneg=True, integer=True)})
            if growth.is_zero:
                return INF
            if growth != ONE:
                left = n - ONE - sym(name, nonneg=True, integer=True)
                here = here * power(growth, left)
            return sum_over(here, name, ZERO, n - 1)
        return rounds(n, growth) * bound

    def _remember(
        self, own: Source, space: Space, after: Value, held: Mapping[Source, Mapping[str, Expr]],
        growth: Mapping[str, Expr], slack: Mapping[str, Expr], largest: Mapping[Source, Known],
    ) -> None:  # fmt: skip
        """The movement of a state at the start of every round, if it has a closed form."""
        if not self.plan.index or any(a.is_zero or a.is_infinite for a in growth.values()):
            return
        t = sym(self.plan.index, nonneg=True, integer=True)
        parts: list[Known] = [
            {s: {n: INF if b.is_infinite else power(growth.get(n, ONE), t) * b
                 for n, b in m.items()} for s, m in held.items()}
        ]  # fmt: skip
        for source, movement in self.domain.movement(after).items():
            if source != own:
                parts.append(self._added(source, movement, growth, space, largest, t))
        parts += self._kept_apart(slack, growth, parts, t)
        found = total_movement(space, parts)
        if all(closed(bound) for m in found.values() for bound in m.values()):
            self.along[own] = found

    def _reject(self, code: str, message: str, need: str, help: str) -> Stop:
        return stop(self.module, self.node, code, message, need, help)


def _shown(name: str) -> str:
    return "an entry of a list" if name.startswith("@") else f"`{name}`"
