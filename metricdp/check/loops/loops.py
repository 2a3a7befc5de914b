"""Loops: the body is interpreted once on fresh state, and the recurrence is solved.

Public states that the body makes private are lifted first, and the body is read again; each name
is lifted a few times at most.  What an inner loop had to lift is remembered while the loop around
it is read again, so the work is linear in the nesting.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import partial
from typing import Any

import msgspec

from metricdp.check.domain.entries import as_gradient
from metricdp.check.domain.privacy import PrivacyDomain
from metricdp.check.domain.samples import close_samples, refuse_escapes
from metricdp.check.loops.lengths import at_round, filled, length
from metricdp.check.loops.loop_costs import charge
from metricdp.check.loops.plans import LoopPlan
from metricdp.check.loops.recurrence import Recurrence
from metricdp.check.loops.states import widened
from metricdp.check.values.arrays import ARRAY, made, same_shape, shape_of
from metricdp.check.values.dictionaries import is_dictionary, is_mapping, of_numbers, unknown_keys
from metricdp.check.values.findings import Stop, stop
from metricdp.check.values.forms import Form, Source, start
from metricdp.check.values.kinds import KindChanges
from metricdp.check.values.objects import UNKNOWN, Obj, TupleValue, Value, same, shape
from metricdp.check.values.public import CERTAIN, common, is_number, kind
from metricdp.check.values.terms import with_term
from metricdp.expr import ZERO
from metricdp.spaces import Gradient, Scalar, Vector

States = dict[str, Obj]


def run_loop(
    domain: PrivacyDomain,
    plan: LoopPlan,
    initial: States,
    body: Callable[[States], States],
    module: Any,
    node: ast.AST,
    constant: frozenset[str] = frozenset(),
) -> States:
    """The states after the loop.  `body` maps the states before a round to those after it.

    Args:
        constant: states that are taken for what they are before the loop, until a round changes
            one of them.
    """
    return _Loop(domain, plan, module, node, constant).run(initial, body)


class _Loop:
    def __init__(
        self, domain: PrivacyDomain, plan: LoopPlan, module: Any, node: ast.AST,
        constant: frozenset[str],
    ) -> None:  # fmt: skip
        self.domain, self.plan, self.module, self.node = domain, plan, module, node
        self.constant = set(constant)
        self.recurrence = Recurrence(domain, plan, module, node)
        #: Public states that are integers before the loop and may not stay so.
        self.fractional: set[str] = set()
        #: Public states that a round makes something else of -> what they certainly are.
        self.held: dict[str, str] = {}

    def run(self, initial: States, body: Callable[[States], States]) -> States:
        with self.domain.state.kinds.loop(self.domain.site, self.node) as known:
            return self._run(initial, body, known)

    def _run(self, initial: States, body: Callable[[States], States], known: KindChanges) -> States:
        begin = known.applied(initial, self._lift)
        strict = False
        for _ in range(7 * len(initial) + 3):
            mark = self.domain.state.checkpoint()
            known_fractional, held = len(self.fractional), dict(self.held)
            fresh = {
                name: value if name in self.constant else self._fresh(name, value)
                for name, value in begin.items()
            }
            after, lenient = self.domain.leniently(partial(body, dict(fresh)), not strict)
            if changed := {n for n in self.constant if not same(after.get(n, fresh[n]), fresh[n])}:
                self.constant -= changed
                self.domain.state.rollback(mark)
                continue
            lifted = {
                name: self._lift(name, value, fresh[name], after.get(name))
                for name, value in begin.items()
            }
            if lifted == begin and len(self.fractional) == known_fractional and held == self.held:
                if strict or not lenient:
                    break
                strict = True
            known.note(begin, fresh, after)
            begin = lifted
            self.domain.state.rollback(mark)
        else:
            raise self._reject("loop-growth", "the values of this loop change their kind in "
                                              "every round",
                               "one kind of value per name",
                               "give every name one kind of value")  # fmt: skip
        refuse_escapes(self.domain, mark, after.values(), self.module, self.node)
        final, trajectories = self.recurrence.solve(begin, fresh, after)
        close_samples(self.domain.state, mark)
        charge(
            self.domain,
            self.plan,
            self.recurrence.spaces,
            trajectories,
            mark,
            self.module,
            self.node,
        )
        return final

    # -- state at the start of a round ------------------------------------------------------

    def _fresh(self, name: str, value: Obj) -> Obj:
        if isinstance(value, TupleValue):
            items = tuple(self._fresh(f"{name}[{i}]", v) for i, v in enumerate(value.items))
            return msgspec.structs.replace(value, items=items)
        if not isinstance(value, Value):
            return value
        if value.private:
            assert value.space is not None
            space = widened(value.space)
            source = Source("state", name, self.plan.number)
            self.recurrence.spaces[source] = space
            atom = self.domain.state.atom(space, start(space, source, per_norm=True))
            private = self.domain.private(space, atom, value.step, value.why)
            return with_term(private, ("state", name, self.plan.number))
        if value.literal is not UNKNOWN and not isinstance(value.literal, int | float):
            return Value(value.origin, value.space, source="computed", literal=value.literal)
        if value.source == "list":
            return at_round(self.domain.state, value)
        if is_mapping(value):
            return value
        if (axes := shape_of(value)) is not None and self._holds(name, value):
            return made(value.origin, axes)
        if not is_number(value):
            # What a round makes of it need not have its shape.
            return Value(value.origin, source="computed", holds=self._holds(name, value))
        integer = bool(value.expr is not None and value.expr.is_integer())
        expr = self.domain.state.unknown(integer=integer and name not in self.fractional)
        held = self._holds(name, value)
        return Value(value.origin, value.space, expr=expr, source="computed", holds=held)

    def _holds(self, name: str, value: Value) -> str:
        held = self.held.get(name, kind(value))
        return held if held in CERTAIN else ""

    # -- states that change their kind in the body ------------------------------------------

    def _lift(self, name: str, begin: Obj, fresh: Obj, after: Obj | None) -> Obj:
        """The value to start from, given what one round makes of it; `begin` if it may stay."""
        if after is None or same(after, fresh):
            return begin
        if isinstance(begin, TupleValue):
            if isinstance(after, TupleValue) and shape(after) == shape(begin):
                assert isinstance(fresh, TupleValue)
                items = zip(begin.items, fresh.items, after.items, strict=True)
                return msgspec.structs.replace(
                    begin,
                    items=tuple(self._lift(f"{name}[{i}]", *each) for i, each in enumerate(items)),
                )
            return self._growing(name, begin, after)
        if not isinstance(begin, Value) or not isinstance(after, Value):
            return begin
        if begin.private:
            return self._retyped(begin, after)
        if after.private:
            start_value = self.domain.lifted(begin, self.module, self.node)
            if (
                getattr(start_value.space, "element", "") in ("Int", "Real")
                and isinstance(after.space, Scalar)
                and after.space.element == "Data"
                and after.space.kind != "str"
            ):
                return start_value  # A number to which bounded data are added stays a number.
            return self._retyped(start_value, after)
        if self.plan.unordered:
            if begin.expr is None:
                raise self._shows_order(name)
            return self.domain.lifted(begin, self.module, self.node)
        if not isinstance(fresh, Value):  # an earlier reading, which began with another kind
            return begin
        if fresh.holds and (held := common(fresh.holds, kind(after))) != fresh.holds:
            self.held[name] = held
        if fresh.holds == ARRAY and not same_shape(fresh, after):
            self.held[name] = ""
        if is_number(begin) and not is_number(after):
            begin = Value(begin.origin, source="computed")
        if begin.literal is not UNKNOWN and not is_number(begin):
            # Later rounds start from another text, None or flag: no test on it is decided.
            kept = begin.space if begin.space == after.space else None
            begin = Value(begin.origin, kept, source="computed")
        whole = after.expr is not None and after.expr.is_integer()
        if not whole and begin.expr is not None and begin.expr.is_integer():
            self.fractional.add(name)
        if (begin.source == "list" or is_mapping(begin)) and after.space is None:
            begin = msgspec.structs.replace(begin, space=None)
        if after.origin == "released" and begin.origin != "released":
            return msgspec.structs.replace(begin, origin="released")
        return begin

    def _growing(self, name: str, begin: TupleValue, after: Obj) -> Obj:
        """A list that every round makes longer: a released or public value of unknown length."""
        items = (*begin.items, *(after.items if isinstance(after, TupleValue) else (after,)))
        if any(_private(item) for item in items) or not begin.is_list:
            raise self._reject(
                "loop-growth", "a list of private values grows in this loop",
                "a comprehension over the rows, or a sum",
                f"a comprehension: {made}"
                if "@" not in (made := _comprehension(self.node))
                else "a number of lists that is written down: [[0] * 3 for _ in range(2)]",
            )  # fmt: skip
        if self.plan.unordered:
            raise self._shows_order(name)
        if not self.plan.fills:
            raise self._reject("loop-growth", "a list grows in this loop", "one length", "")
        origins = {getattr(item, "origin", "public") for item in items}
        origin = "released" if "released" in origins else "public"
        if is_dictionary(begin):
            held = unknown_keys(origin, of_numbers(begin) and of_numbers(after))
            self.domain.drawn.fills(held, begin, after)
            return held
        return filled(origin, (begin, after), length(begin))

    def _shows_order(self, name: str) -> Stop:
        return self._reject(
            "unordered-loop", f"{_shown(name)} would show how many rows there are, or their order",
            "an accumulation by +", _added(name, self.node),
        )  # fmt: skip

    def _retyped(self, begin: Value, after: Value) -> Value:
        """`begin` seen in the space that the body gives it (0 as a zero vector, Int as Real)."""
        if not after.private:
            after = self.domain.lifted(after, self.module, self.node)
        a, b = begin.space, after.space
        constant = begin.form is not None and not begin.form.terms
        if (entries := as_gradient(self.domain, begin, b)) is not None:
            return entries
        flat = isinstance(b, Gradient) and not b.shape
        if (flat or isinstance(b, Vector)) and isinstance(a, Scalar) and begin.form == Form(()):
            assert isinstance(b, Vector | Gradient)
            zero = msgspec.structs.replace(b, lo=ZERO, hi=ZERO, radius=())
            return self.domain.private(zero, Form(()), begin.step)
        if isinstance(a, Scalar) and isinstance(b, Scalar) and a.element != b.element:
            if b.element in ("Int", "Bool") and a.element in ("Int", "Real"):
                return begin  # Every integer is a real; the state keeps the larger space.
            if not constant and not (
                a.element in ("Int", "Bool") and b.element in ("Int", "Real", "Data")
            ):
                raise self._changes_metric(a.element, b.element)
            if a.element == "Data" and not constant:
                raise self._changes_metric(a.element, b.element)
            if a.element == "Data":
                return begin
            return self.domain.private(
                Scalar(b.element, a.lo, a.hi, b.kind), begin.form or Form(()), begin.step, begin.why
            )
        if isinstance(a, Vector) and isinstance(b, Vector) and a.element != b.element:
            if not constant and {a.element, b.element} != {"Int", "Real"}:
                raise self._changes_metric(a.element, b.element)
            if a.element == "Int" or constant:
                return self.domain.private(
                    msgspec.structs.replace(a, element=b.element),
                    begin.form or Form(()),
                    begin.step,
                )
        return begin

    def _changes_metric(self, a: str, b: str) -> Stop:
        return self._reject(
            "wrong-metric", f"a value of this loop starts in {a} and becomes {b} in a round",
            "one metric for every round", "dp.undisc or dp.discrete before the loop",
        )  # fmt: skip

    def _reject(self, code: str, message: str, need: str, help: str) -> Stop:
        return stop(self.module, self.node, code, message, need, help)


def _shown(name: str) -> str:
    return "a list" if name.startswith("@") else f"`{name}`"


def _added(name: str, loop: ast.AST) -> str:
    """The accumulation to write for a state of a loop."""
    state = "total" if name.startswith("@") else name
    row = loop.target if isinstance(loop, ast.For) else None
    return f"{state} += f({row.id if isinstance(row, ast.Name) else 'row'})"


def _comprehension(loop: ast.AST) -> str:
    if isinstance(loop, ast.For):
        row, rows = ast.unparse(loop.target), ast.unparse(loop.iter)
        row = "i" if row == "_" else row
        return f"[f({row}) for {row} in {rows}]"
    return "[f(row) for row in rows]"


def _private(value: Obj) -> bool:
    if isinstance(value, TupleValue):
        return any(_private(item) for item in value.items)
    return not isinstance(value, Value) or value.private
