"""Loops of the program: what they run over, how often, and where they may stop early.

A loop that may stop (`break`, or a further condition of `while`) is read as one whose every round
either happens or leaves all names as they are; the whole count is charged.
"""

from __future__ import annotations

import ast
from abc import abstractmethod
from collections.abc import Callable
from typing import Any

from metricdp.check.domain import joins
from metricdp.check.language.appending import appended
from metricdp.check.language.base import place
from metricdp.check.language.caps import Cap, cap_of
from metricdp.check.language.evaluator import Evaluator
from metricdp.check.language.indexing import Reading
from metricdp.check.language.iteration import Iteration
from metricdp.check.loops.loops import run_loop
from metricdp.check.loops.plans import Plan
from metricdp.check.source.statements import (
    Jump,
    list_numbers,
    lists_of,
    names_of,
    own_statements,
    parameter_names,
    written_names,
)
from metricdp.check.values.findings import stop
from metricdp.check.values.frames import Frame
from metricdp.check.values.objects import Obj, Value
from metricdp.check.values.public import public_number
from metricdp.run.addresses import side

#: Most items of a comprehension over a range that are written out one by one.
UNROLLED = 64


class Ending:
    """Whether the loop being read may stop before its last round, and who decides that."""

    __slots__ = ("early", "origin", "private_tests")

    def __init__(self, private_tests: int) -> None:
        #: Private conditions around the loop: inside, one more may not decide when it stops.
        self.private_tests = private_tests
        self.early, self.origin = False, "public"

    def test(self) -> Value:
        """The condition that a round happens."""
        return Value(self.origin, source="computed")


class Looping(Evaluator):
    """`for`, `while`, `break` and `continue`."""

    def __init__(self, module: Any) -> None:
        super().__init__(module)
        #: Loops of the present function that the present statement is inside of.
        self.endings: list[Ending] = []
        #: What the present rounds of all loops around have read by position.
        self.readings: list[Reading] = []

    @abstractmethod
    def block(self, body: list[ast.stmt], frame: Frame) -> Obj | Jump | None: ...

    @abstractmethod
    def bind(self, target: ast.expr, value: Obj, frame: Frame) -> None: ...

    @abstractmethod
    def both(
        self, test: Value, branches: list[Callable[[], Any]], node: ast.AST, frame: Frame
    ) -> list[Any]: ...

    def jump(self, node: ast.Break | ast.Continue) -> Jump:
        """`break` or `continue`: the present round ends here."""
        if not self.endings:
            word = type(node).__name__.lower()
            raise stop(
                self.module, node, "unsupported-syntax", f"`{word}` stands outside of a loop",
                "a loop around it", f"remove `{word}`",
            )  # fmt: skip
        if isinstance(node, ast.Continue):
            return Jump.CONTINUE
        if self.domain.private_tests > self.endings[-1].private_tests:
            raise stop(
                self.module, node, "private-loop-bound",
                "a private condition decides after which round this loop stops",
                "a condition on public or released values",
                "keep the rounds, and leave the values as they are: x = x if done else f(x)",
            )  # fmt: skip
        self.endings[-1].early = True
        return Jump.BREAK

    def run_for(self, node: ast.For, frame: Frame) -> None:
        """A `for` loop."""
        self._plain(node)
        if appended(self, node, frame):
            return
        iterable = self.evaluate(node.iter, frame)
        iteration = Iteration(self, iterable, node.iter)
        unrolled = iteration.items(UNROLLED if "@out" in frame.names else 0)
        if unrolled is not None:
            inside = {number: self.heap.lists[number] for number in list_numbers(iterable)}
            self._one_by_one(node, unrolled, inside, frame)
            return
        plan = iteration.plan()
        plan.index = self.round_name(plan)
        # A comprehension is compiled as it stands, so nothing counts its rounds.
        plan.address = "" if "@in" in frame.names else self.site(node.target)
        iteration.index = plan.index

        def enter() -> None:
            self.bind(node.target, iteration.element(), frame)

        # A list that a loop runs over does not grow under it: the rounds would not end.
        held = set(list_numbers(iterable)) - self.heap.fixed
        self.heap.fixed |= held
        self._solved(node, plan, enter, frame)
        self.heap.fixed -= held

    def run_while(self, node: ast.While, frame: Frame) -> None:
        """A `while` loop with a public cap: a counter that every round moves towards a bound."""
        self._plain(node)
        cap = cap_of(self, node, frame)
        plan = Plan(self.domain.state.loop_number(), cap.count)
        plan.index, plan.address = self.round_name(plan), self.site(node)

        def enter() -> None:
            frame.names[cap.name] = cap.value(plan.index)
            self._conditions(cap, frame)

        ending = self._solved(node, plan, enter, frame, cap.name)
        last = public_number(cap.last()) if not ending.early else Value(
            ending.origin, expr=self.domain.state.unknown(integer=True), source="computed"
        )  # fmt: skip
        frame.names[cap.name] = last

    def round_name(self, plan: Plan) -> str:
        """A symbol for the number of the round that no parameter is named like."""
        name = f"i{plan.number}"
        outermost = self.active[0] if self.active else None
        taken = parameter_names(outermost) if outermost else frozenset()
        while name in taken:
            name += "_"
        self.domain.state.rounds.add(name)
        return name

    def _conditions(self, cap: Cap, frame: Frame) -> None:
        """The further conditions of a `while`: they may end it after any round."""
        ending, before = self.endings[-1], len(self.domain.state.trace)
        lists = dict(self.heap.lists)
        for condition in cap.rest:
            test = self.truth(condition, frame)
            if test.private:
                raise stop(
                    self.module, condition, "private-loop-bound",
                    "a private condition decides after which round this loop stops",
                    "a condition on public or released values",
                    "release a value, and compare that",
                )  # fmt: skip
            if test.literal is not True:
                ending.early = True
                ending.origin = "released" if test.origin == "released" else ending.origin
        # They are read in a last round as well, of which the body does not run.
        self.unchanged(lists, cap.test, "the condition of a `while`")
        if not cap.first and len(self.domain.state.trace) > before:
            raise stop(
                self.module, cap.test, "private-loop-bound",
                "this condition adds noise once more than the loop has rounds",
                "the counter as the first condition", f"while {cap.name} < ... and ...",
            )  # fmt: skip

    def _plain(self, node: ast.For | ast.While) -> None:
        if node.orelse:
            raise stop(
                self.module, node, "unsupported-syntax",
                "`else` after a loop is not part of the checked language", "a loop without else",
                "move the else block below the loop",
            )  # fmt: skip
        for inner in own_statements(node):
            if isinstance(inner, ast.Return):
                raise stop(
                    self.module, inner, "unsupported-syntax",
                    "`return` inside a loop is not part of the checked language",
                    "one return after the loop",
                    "keep the value under a name, `break`, and return it after the loop",
                )  # fmt: skip

    def on_side(
        self, node: ast.If, body: list[ast.stmt], rest: list[ast.stmt], frame: Frame
    ) -> Obj | Jump | None:
        """One side of a branch, and what both sides read after it, with addresses of its own."""
        if not rest:
            return self.block(body, frame)
        self.act(node, "decided", place(node))
        self.path.append(side(place(node), body is node.body))
        result = self.block([*body, *rest], frame)
        self.path.pop()
        return result

    # -- rounds one by one ------------------------------------------------------------------

    def _one_by_one(
        self, node: ast.For, items: list[Obj], inside: dict[int, Obj], frame: Frame
    ) -> None:
        # Every round has addresses of its own, so that each draws the noise proved for it.
        self.act(node.target, "unrolled", place(node.target))
        ending = Ending(self.domain.private_tests)
        self.endings.append(ending)
        for position, item in enumerate(items):

            def one(item: Obj = item) -> Obj | Jump | None:
                self.bind(node.target, item, frame)
                return self.block(node.body, frame)

            self.path.append(f"{place(node.target)}#{position}")
            certain = not ending.early
            if certain:
                ended = one()
            else:
                ended = self.either(ending.test(), [lambda: None, one], node, frame)[1]
            self.unchanged(inside, node, "a loop over a list")
            self.path.pop()
            if certain and ended is Jump.BREAK:
                break
        self.endings.pop()

    def either(
        self, test: Value, branches: list[Callable[[], Any]], node: ast.AST, frame: Frame
    ) -> list[Any]:
        """Run both branches, and join the names after them."""
        after: list[dict[str, Obj]] = []

        def kept(branch: Callable[[], Any]) -> Callable[[], Any]:
            def go() -> Any:
                result = branch()
                after.append(frame.names)
                return result

            return go

        results = self.both(test, [kept(branch) for branch in branches], node, frame)
        frame.names = joins.join_frames(self.domain, test, after[0], after[1], self.module, node)
        return results

    # -- all rounds at once -----------------------------------------------------------------

    def _solved(
        self, node: ast.For | ast.While, plan: Plan, enter: Callable[[], None], frame: Frame,
        counter: str = "",
    ) -> Ending:  # fmt: skip
        written = written_names(node) - {counter}
        before, lists = dict(frame.names), dict(self.heap.lists)
        initial = {name: before[name] for name in sorted(written & before.keys())}
        initial |= {f"@{number}": held for number, held in lists.items()}
        ending = Ending(self.domain.private_tests)

        def body(states: dict[str, Obj]) -> dict[str, Obj]:
            reading.begin()
            started = {**before, **names_of(states)}
            held = {**lists, **lists_of(states)}
            frame.names, self.heap.lists = dict(started), dict(held)
            enter()
            self.block(node.body, frame)
            if ending.early:
                self._may_stop(ending, plan, node, started, held, frame)
            for name in initial.keys() - frame.names.keys():
                if not name.startswith("@"):
                    raise stop(
                        self.module, node, "loop-growth", f"`{name}` changes its kind in the loop",
                        "one kind of value", f"give `{name}` one kind of value",
                    )  # fmt: skip
            after = {name: frame.names[name] for name in names_of(initial)}
            return after | {f"@{number}": self.heap.lists[number] for number in lists}

        reading = Reading(self, plan)
        self.endings.append(ending)
        self.readings.append(reading)
        self.heap.rounds += 1
        try:
            final = run_loop(self.domain, plan, initial, body, self.module, node)
        finally:
            self.readings.pop()
        self.heap.rounds -= 1
        self.endings.pop()
        if plan.index in self.domain.state.counted:
            self.actions[node] = ("counted", plan.address.rsplit("/", 1)[-1], None)
        frame.names, self.heap.lists = {**before, **names_of(final)}, {**lists, **lists_of(final)}
        for name in written - initial.keys():
            frame.names.pop(name, None)
        return ending

    def _may_stop(
        self, ending: Ending, plan: Plan, node: ast.AST, names: dict[str, Obj],
        lists: dict[int, Obj], frame: Frame,
    ) -> None:  # fmt: skip
        """Join what the round made with what was there: after the stop, nothing changes."""
        if plan.unordered:
            raise stop(
                self.module, node, "unordered-loop",
                "where this loop stops would show the order of the rows",
                "a loop over all rows", "filter the rows: [row for row in rows if ...]",
            )  # fmt: skip
        test = ending.test()
        frame.names = joins.join_frames(
            self.domain, test, names, frame.names, self.module, node
        )  # fmt: skip
        self.heap.lists = joins.join_lists(
            self.domain, test, lists, self.heap.lists, self.module, node
        )
