"""Loops: the body is interpreted once on fresh state atoms, and the recurrence solved.

Reading the body gives, per state, `D' <= A D + B d_row + K`; the records `loop`, `loop_rows` and
`loop_records` say what n rounds of it are.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from metricdp.check.findings import Stop, report
from metricdp.check.forms import (
    Form,
    Source,
    all_norms,
    combine,
    moved,
    norms_of,
    own_norm,
    start,
)
from metricdp.check.objects import UNKNOWN, Obj, Tuple, Value
from metricdp.check.privacy import Domain, Reason, describe_bounds
from metricdp.check.state import leaves, rewrite
from metricdp.diagnostics import Span
from metricdp.expr import INF, ONE, ZERO, D, Expr, best, linear_coefficient, power, sum_over
from metricdp.measures.events import Parallel, Repeat, Spent, Tree
from metricdp.primitives._common import add_ranges, scale_range
from metricdp.primitives.control import loop_records
from metricdp.primitives.control.loop import rounds
from metricdp.primitives.control.loop_rows import element_total
from metricdp.record import Arg, Body, Failure
from metricdp.spaces import NEG_INF, Records, Scalar, Space, Vector

States = dict[str, Obj]


class Plan(msgspec.Struct):
    """One loop: its number, what it runs over, and how often.

    Attributes:
        count: number of rounds; None when it is private (records under add or remove).
        rows: private containers whose i-th row is read in round i, with their values.
        row_sources: source of the rows of each of them.
        index: symbol of the loop variable, when it is a public number.
    """

    number: int
    count: Expr | None
    rows: tuple[Value, ...] = ()
    row_sources: tuple[Source, ...] = ()
    index: str = ""

    @property
    def unordered(self) -> bool:
        return any(isinstance(v.space, Records) for v in self.rows)


def run_loop(
    domain: Domain,
    plan: Plan,
    initial: States,
    body: Callable[[States], States],
    module: Any,
    node: ast.AST,
) -> States:
    """The states after the loop."""
    return _Loop(domain, plan, module, node).run(initial, body)


class _Loop:
    def __init__(self, domain: Domain, plan: Plan, module: Any, node: ast.AST) -> None:
        self.domain, self.plan, self.module, self.node = domain, plan, module, node
        self.span: Span = module.span(node)
        self.spaces: dict[Source, Space] = {}

    def run(self, initial: States, body: Callable[[States], States]) -> States:
        lifted: dict[str, Value] = {}
        for _ in range(len(initial) + 2):
            mark = self.domain.state.checkpoint()
            fresh = {name: self._fresh(name, lifted.get(name, value)) for name, value in initial.items()}
            after = body(dict(fresh))
            again = False
            for name, value in initial.items():
                wanted = self._lift(name, value, fresh[name], after.get(name))
                if wanted is not None and lifted.get(name) != wanted:
                    lifted[name], again = wanted, True
            if not again:
                break
            self.domain.state.rollback(mark)
        begin = {name: lifted.get(name, value) for name, value in initial.items()}
        final, trajectories = self._solve(begin, fresh, after)
        self._charge(mark, trajectories)
        return final

    # -- state at the start of a round ------------------------------------------------------

    def _fresh(self, name: str, value: Obj) -> Obj:
        if isinstance(value, Tuple):
            return msgspec.structs.replace(
                value, items=tuple(self._fresh(f"{name}[{i}]", v) for i, v in enumerate(value.items))
            )
        if not isinstance(value, Value):
            return value
        if value.private:
            assert value.space is not None
            space = widened(value.space)
            source = Source("state", name, self.plan.number)
            self.spaces[source] = space
            atom = self.domain.state.atom(space, start(space, source, per_norm=True))
            return self.domain.private(space, atom, value.step, value.why)
        if value.literal is not UNKNOWN and not isinstance(value.literal, int | float):
            return Value(value.origin, value.space, source="computed", literal=value.literal)
        expr = self.domain.state.unknown()
        return Value(value.origin, value.space, expr=expr, source="computed")

    def _lift(self, name: str, initial: Obj, fresh: Obj, after: Obj | None) -> Value | None:
        """The private value to start from, when a public state becomes private in the body."""
        if not isinstance(initial, Value) or not isinstance(after, Value) or initial.private:
            if isinstance(initial, Value) and isinstance(after, Value):
                return self._retyped(initial, after)
            return None
        if after is fresh or after == fresh:
            return None
        if not after.private:
            if not self.plan.unordered:
                return None
            if after.expr is None or initial.expr is None:
                raise self._reject(
                    "unordered-loop",
                    f"`{name}` would show how many rows there are, or their order",
                    "an accumulation by +",
                    f"{name} += value",
                )
            return self.domain.lifted(initial)
        start_value = self.domain.lifted(initial)
        return self._retyped(start_value, after) or start_value

    def _retyped(self, initial: Value, after: Value) -> Value | None:
        """`initial` seen in the space that the body gives it (0 as a zero vector, Int as Real)."""
        if not after.private:
            return self.domain.lifted(after) if initial.private and after.expr is None else None
        a, b = initial.space, after.space
        if isinstance(b, Vector) and isinstance(a, Scalar) and initial.form == Form(()):
            zero = msgspec.structs.replace(b, lo=ZERO, hi=ZERO, radius=())
            return self.domain.private(zero, Form(()), initial.step)
        if isinstance(a, Scalar) and isinstance(b, Scalar) and a.element != b.element:
            return self.domain.private(msgspec.structs.replace(a, element=b.element), initial.form or Form(()))
        return None

    # -- solving ----------------------------------------------------------------------------

    def _solve(
        self, begin: States, fresh: States, after: States
    ) -> tuple[States, dict[Source, dict[Source, dict[str, Expr]]]]:
        pairs: dict[str, tuple[Value, Value, Value]] = {}
        final: States = {}
        for name in begin:
            final[name] = self._flatten(name, begin[name], fresh[name], after.get(name), pairs)
        solved: dict[Source, dict[Source, dict[str, Expr]]] = {}
        values: dict[str, Value] = {}
        for name in self._order(pairs):
            values[name], solved[self._source(name)] = self._solve_one(name, *pairs[name], solved)
        return {n: _rebuilt(n, v, values) for n, v in final.items()}, solved

    def _flatten(
        self, name: str, begin: Obj, fresh: Obj, after: Obj | None, pairs: dict[str, Any]
    ) -> Obj:
        if isinstance(begin, Tuple):
            if not (isinstance(after, Tuple) and len(after.items) == len(begin.items)):
                raise self._reject("loop-growth", f"`{name}` changes its length in the loop",
                                   "a tuple of one length", f"keep the length of `{name}`")  # fmt: skip
            assert isinstance(fresh, Tuple)
            items = zip(begin.items, fresh.items, after.items, strict=True)
            return msgspec.structs.replace(
                begin,
                items=tuple(
                    self._flatten(f"{name}[{i}]", a, b, c, pairs) for i, (a, b, c) in enumerate(items)
                ),
            )
        if after is None or after is fresh or after == fresh:
            return begin
        if not (isinstance(begin, Value) and isinstance(after, Value) and isinstance(fresh, Value)):
            raise self._reject("loop-growth", f"`{name}` changes its kind in the loop",
                               "one kind of value", f"give `{name}` one kind")  # fmt: skip
        if not begin.private:
            if after.origin == "released" or begin.origin == "released":
                return Value("released", after.space, source="computed")
            return Value("public", expr=self.domain.state.unknown(), source="computed")
        if not after.private:
            after = self.domain.lifted(after)
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

    def _solve_one(
        self, name: str, begin: Value, fresh: Value, after: Value, solved: Mapping[Source, Any]
    ) -> tuple[Value, dict[Source, dict[str, Expr]]]:
        assert begin.space is not None and after.space is not None
        own = self._source(name)
        space = widened(after.space)
        bounds: dict[Source, dict[str, list[Expr]]] = {}
        why = begin.why or after.why
        if self.plan.unordered:
            added, why = self._accumulated(name, fresh, after, why)
            for source, movement in added.items():
                for norm, bound in movement.items():
                    bounds.setdefault(source, {}).setdefault(norm, []).append(bound)
            growth = {norm: ONE for norm in norms_of(space)}
        else:
            growth = self._growth(own, after)
            for source, movement in self.domain.movement(after).items():
                if source == own:
                    continue
                for norm, bound in movement.items():
                    for target, part in self._rounds(source, norm, bound, growth[norm], space, solved):
                        bounds.setdefault(target, {}).setdefault(norm, []).append(part)
        for source, movement in self.domain.movement(begin).items():
            for norm, bound in movement.items():
                bounds.setdefault(source, {}).setdefault(norm, []).append(
                    bound if growth[norm] == ONE else self._initial(growth[norm]) * bound
                )
        known = {
            source: all_norms(space, {n: sum(parts[1:], parts[0]) for n, parts in movement.items()})
            for source, movement in bounds.items()
        }
        endless = any(b.is_infinite for m in known.values() for b in m.values())
        if endless and why is None:
            why = Reason(
                Failure(
                    "loop-growth",
                    f"`{name}` moves by any amount after this loop",
                    "a finite bound on how far one round moves it",
                    "dp.clamp(value, lower, upper) inside the loop",
                ),
                self.module,
                self.node,
            )
        space = self._ranged(space, begin, fresh, after)
        text = describe_bounds(known, space)
        step = self.domain.state.step(
            self._rule(), (begin.step, after.step), f"{space.describe()}; moves by {text}", self.span,
            bound=text, space=str(space),
        )  # fmt: skip
        atom = self.domain.state.atom(space, known)
        value = self.domain.private(space, atom, step, why if endless else None)
        return value, {s: dict(m) for s, m in known.items()}

    def _rule(self) -> str:
        return "loop_records" if self.plan.unordered else "loop_rows" if self.plan.rows else "loop"

    def _growth(self, own: Source, after: Value) -> dict[str, Expr]:
        """A of the recurrence, per norm; INF where the state does not enter linearly."""
        assert after.space is not None
        movement = self.domain.movement(after).get(own, {})
        growth = {}
        for norm in norms_of(after.space):
            bound = own_norm(movement.get(norm, ZERO), after.space, norm)
            slope = linear_coefficient(bound)
            growth[norm] = INF if slope is None else slope
        return growth

    def _initial(self, growth: Expr) -> Expr:
        if self.plan.count is None or growth.is_infinite:
            return INF
        if growth.is_zero and self.plan.count.sign() != "+":
            return ONE
        return power(growth, self.plan.count)

    def _rounds(
        self, source: Source, norm: str, bound: Expr, growth: Expr, space: Space,
        solved: Mapping[Source, Any],
    ) -> list[tuple[Source, Expr]]:  # fmt: skip
        """n rounds of a movement from `source`, charged to the sources it stands for."""
        if bound.is_zero:
            return []
        if source in self.plan.row_sources:
            value = self.plan.rows[self.plan.row_sources.index(source)]
            assert value.space is not None
            whole = INF if growth.is_infinite else element_total(bound, value.space, growth)
            inner = getattr(value.space, "norm", "")
            return [(s, moved(whole, m[inner])) for s, m in self.domain.movement(value).items()]
        if source in solved:
            # The other state's movement is largest after the last round.
            return [
                (target, self._captured(self._through(source, bound, movement), growth))
                for target, movement in solved[source].items()
            ]
        return [(source, self._captured(bound, growth))]

    def _captured(self, bound: Expr, growth: Expr) -> Expr:
        n = self.plan.count
        if n is None or growth.is_infinite:
            return INF
        if self.plan.index and self.plan.index in bound.symbols:
            return sum_over(bound, self.plan.index, ZERO, n - 1) if growth == ONE else INF
        return rounds(n, growth) * bound

    def _accumulated(self, name: str, fresh: Value, after: Value, why: Any) -> tuple[Any, Any]:
        """Movement of `state += g(row)` over records, from the range of g."""
        assert fresh.form is not None and after.form is not None
        rest = combine([(after.form, ONE), (fresh.form, -ONE)])
        movement = self.domain.state.movement(rest)
        own = self._source(name)
        (records,) = self.plan.rows
        if any(s.kind == "state" and s.loop == self.plan.number for s in movement) or (
            type(fresh.space) is not type(after.space)
        ):
            failure = Failure(
                "unordered-loop",
                f"`{name}` depends on the order of the rows",
                "an accumulation by +",
                f"{name} += value",
            )
            return {own_source: {n: INF for n in norms_of(after.space)} for own_source in
                    self.domain.movement(records)}, Reason(failure, self.module, self.node)  # fmt: skip
        added = self._added_space(after, rest)
        conclusion = loop_records.rule(
            Arg(fresh.space, True), Arg(records.space, True), Arg(body=Body(added, ()))
        )
        out: dict[Source, dict[str, Expr]] = {}
        if rest.terms or not rest.constant.is_zero:
            for source, movement_in in self.domain.movement(records).items():
                maps = conclusion.maps["records"]
                out[source] = {o: moved(g, movement_in[i]) for (i, o), g in maps.items()}
        for source in movement:
            if source.kind != "row" or source.loop != self.plan.number:
                out[source] = {n: INF for n in norms_of(after.space)}
        if why is None and conclusion.why_infinite is not None:
            why = Reason(conclusion.why_infinite, self.module, self.node)
        return out, why

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
        rest = combine([(after.form, ONE), (fresh.form, -ONE)])
        if any(term in rest.terms for term in fresh.form.terms):
            return space
        if self.plan.index and self.plan.index in str(rest.constant):
            return space
        gained, held = self.domain.range(rest), self.domain.range(begin.form or Form(()))
        if gained is None or held is None:
            return space
        lo, hi = add_ranges(held, scale_range(gained, n))
        return Scalar(space.element, lo, hi)

    # -- what the rounds spend --------------------------------------------------------------

    def _charge(self, mark: tuple[int, ...], solved: Mapping[Source, Any]) -> None:
        state = self.domain.state
        tree = state.cut(mark)
        if tree is None:
            return
        number = self.plan.number

        def resolve(leaf: Spent) -> Spent:
            out: dict[Source, Expr] = {}
            for source, bound in leaf.moved.items():
                if source.kind == "state" and source.loop == number:
                    for target, movement in solved.get(source, {}).items():
                        term = self._through(source, bound, movement)
                        out[target] = out[target] + term if target in out else term
                else:
                    out[source] = out[source] + bound if source in out else bound
            return Spent(leaf.event, out)

        tree = rewrite(tree, resolve)
        for pending in range(mark[1], len(state.pending)):
            entry = state.pending[pending]
            if entry.moved:
                state.pending[pending] = msgspec.structs.replace(
                    entry, moved=resolve(Spent(leaves(tree)[0].event, entry.moved)).moved
                )
        if not self.plan.rows:
            assert self.plan.count is not None
            state.spend(Repeat(self.plan.count, tree, self.plan.index))
            return
        self._parallel(tree)

    def _through(self, state: Source, bound: Expr, movement: Mapping[str, Expr]) -> Expr:
        """`bound`, a map of a state's movement, after that movement; the best over its norms."""
        space = self.spaces[state]
        return best([moved(own_norm(bound, space, n), movement[n]) for n in norms_of(space)])

    def _parallel(self, tree: Tree) -> None:
        for leaf in leaves(tree):
            if self.plan.unordered or any(s not in self.plan.row_sources for s in leaf.moved):
                raise self._reject(
                    "mechanism-in-loop",
                    "this loop over private rows adds noise in every round to more than its own row",
                    "rounds that read only their own row and released values, over a container of "
                    "public length",
                    "collect the rows first, and add noise once after the loop",
                )
        for source, value in zip(self.plan.row_sources, self.plan.rows, strict=True):
            movement = self.domain.movement(value)
            if len(movement) == 1 and next(iter(movement.values())).get(
                getattr(value.space, "norm", "")
            ) == D:
                space = value.space
                additive = not isinstance(space, Vector) or space.norm == "L1"
                if not additive:
                    raise self._reject(
                        "mechanism-in-loop",
                        f"one person may move every entry in {space}, and noise is added per entry",
                        "rows whose distances add up (a matrix, or a vector in L1)",
                        "add noise once, to the whole vector",
                    )
                unit = getattr(space, "element", "") == "Data" and getattr(space, "norm", "") in (
                    "LInf", "L1" if isinstance(space, Vector) else "LInf",
                )  # fmt: skip
                tree = Parallel(tree, source, next(iter(movement)), unit)
            else:
                raise self._reject(
                    "mechanism-in-loop",
                    "the rows of this loop were computed, so one person may move several of them",
                    "a loop over the rows of a private parameter",
                    "loop over the parameter itself",
                )
        self.domain.state.spend(tree)

    def _reject(self, code: str, message: str, need: str, help: str) -> Stop:
        return Stop(report(self.module, self.node, code, message, need, help))


def widened(space: Space) -> Space:
    """The space without the facts that a round may break."""
    if isinstance(space, Scalar):
        return Scalar(space.element, kind=space.kind)
    if isinstance(space, Vector):
        return msgspec.structs.replace(space, lo=NEG_INF, hi=INF, radius=())
    if hasattr(space, "radius"):
        return msgspec.structs.replace(space, lo=NEG_INF, hi=INF, radius=())
    return space


def _rebuilt(name: str, value: Obj, values: Mapping[str, Value]) -> Obj:
    if isinstance(value, Tuple):
        return msgspec.structs.replace(
            value, items=tuple(_rebuilt(f"{name}[{i}]", v, values) for i, v in enumerate(value.items))
        )
    if isinstance(value, Value) and value.private and value.form is None:
        return values[value.step]
    return value



