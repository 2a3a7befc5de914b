"""Mechanisms: what they spend, where they may stand, and what they require of public parameters."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from metricdp.check.domain.requirements import follows
from metricdp.check.domain.state import Pending, State
from metricdp.check.source.advice import as_called
from metricdp.check.values.describing import show
from metricdp.check.values.facts import Fact
from metricdp.check.values.findings import Stop, report
from metricdp.check.values.forms import Source
from metricdp.check.values.objects import Value, literal_text
from metricdp.diagnostics import Note
from metricdp.expr import INF, Expr, compare
from metricdp.measures.events import Spent
from metricdp.record import Arg, Conclusion, Failure, Record, Requirement
from metricdp.spaces import Keyed, Records, Scalar


class Reason(msgspec.Struct, frozen=True):
    """Why a bound is infinite, and where it became so."""

    failure: Failure
    module: Any
    node: Any


class Spending:
    """The part of the domain that releases values."""

    def __init__(self) -> None:
        self.state = State()
        self.site: Callable[[ast.AST], str] = lambda node: ""
        #: Whether mechanisms may be used here: not in a transformation.
        self.noise_allowed = True
        #: Private conditions that decide whether the present code runs.
        self.private_tests = 0
        #: What the conditions of public branches say about parameters, where the code runs.
        self.assumed: tuple[Fact, ...] = ()
        #: What all conditions say under which the present code runs, private ones among them.
        self.supposed: frozenset[Fact] = frozenset()
        #: Address of a mechanism call -> its module and node.
        self.noise_places: dict[str, tuple[Any, ast.AST]] = {}
        self._concluded: dict[Any, Conclusion] = {}

    def movement(self, value: Value) -> Mapping[Source, Mapping[str, Expr]]:
        """How far a private value moves, per source and norm; nothing for other values."""
        return self.state.movement(value.form) if value.form is not None else {}

    def concluded(self, record: Record, args: dict[str, Arg], order: tuple[str, ...]) -> Conclusion:
        """What the rule of a record says; each reading of a loop asks the same again."""
        shown = tuple((n, type(a.literal), literal_text(a.literal)) for n, a in args.items())
        key = (record.name, order, shown, tuple(args.values()))
        try:
            known = self._concluded.get(key)
        except TypeError:  # a literal that has no hash
            known = key = None  # type: ignore[assignment]
        if known is None:
            named = {name: arg for name, arg in args.items() if name not in order}
            known = record.rule(*(args[name] for name in order), **named)
            if key is not None:
                self._concluded[key] = known
        return known

    def release(
        self,
        record: Record,
        conclusion: Conclusion,
        private: Mapping[str, Value],
        inputs: tuple[str, ...],
        module: Any,
        node: ast.AST,
    ) -> Value:
        (event,) = conclusion.events
        (value,) = private.values()
        self._may_spend(record.name, module, node)
        movement = {s: m.get(event.norm, INF) for s, m in self.movement(value).items()}
        for bound in movement.values():
            if bound.is_infinite:
                raise self.endless(value, module, node, f"`{record.name}` cannot hide it")
        size = getattr(value.space, "size", None) if event.norm else None
        event = msgspec.structs.replace(event, site=self.site(node), size=size)
        self.noise_places[event.site] = (module, node)
        self.require(conclusion.requires, module, node, movement)
        self.state.spend(Spent(event, movement))
        space = conclusion.space or value.space
        if isinstance(space, Records | Keyed):
            space = None  # what a table or a dictionary releases is none
        elif space is not None and hasattr(space, "norm"):
            space = msgspec.structs.replace(space, norm="LInf", lo=-INF, hi=INF, radius=())
        elif isinstance(space, Scalar) and space.element != "Data":
            space = Scalar(space.element)
        noise = ", ".join(f"{k} {show(v, '_bound')}" for k, v in event.noise.items())
        step = self.state.step(
            record.name, inputs, f"released with {noise}", module.span(node), bound=noise,
            space="released", version=record.version, site=event.site,
        )  # fmt: skip
        return Value("released", space, expr=None, step=step)

    def _may_spend(self, name: str, module: Any, node: ast.AST) -> None:
        if not self.noise_allowed:
            raise Stop(
                report(
                    module, node, "mechanism-in-transformation",
                    f"`{name}` adds noise in a transformation",
                    "a transformation without mechanisms",
                    "decorate the function with @dp.measurement",
                )
            )  # fmt: skip
        if self.private_tests:
            raise Stop(
                report(
                    module, node, "private-condition-mechanism",
                    "a private condition decides whether noise is added here",
                    "the same mechanisms whatever the private data",
                    "move the mechanism out of the branch",
                )
            )  # fmt: skip

    def endless(self, value: Value, module: Any, node: ast.AST, consequence: str) -> Stop:
        """The rejection of an infinite movement, at the place where it became infinite."""
        why = value.why
        if why is None:
            return Stop(
                report(
                    module, node, "infinite-stability",
                    f"one person can move this value by any amount, so {consequence}",
                    "a finite bound on the value", "dp.clamp(value, lower, upper) before it",
                    label="d = oo",
                )
            )  # fmt: skip
        f = why.failure
        notes: tuple[Note, ...] = ()
        if why.node is not node and why.module is module:
            notes = (Note(module.span(node), consequence),)
        return Stop(
            report(
                why.module, why.node, f.code, f.message, f.need, f.help, label="d = oo", notes=notes
            )
        )

    def require(
        self,
        requirements: tuple[Requirement, ...],
        module: Any,
        node: ast.AST,
        movement: Any = None,
    ) -> None:
        """Drop what holds, reject what fails, keep the rest for the guarantee."""
        for requirement in requirements:
            left, right = requirement.left, requirement.right
            late = "_bound" in left.symbols | right.symbols
            if not late:
                verdict = compare(left, requirement.op, right)
                if verdict is True:
                    continue
                if verdict is None and follows(left, requirement.op, right, self.assumed):
                    continue
                if verdict is False:
                    raise failed(requirement, module, node)
            self.state.pending.append(
                Pending(requirement, module.span(node), module, node, movement if late else None)
            )


def refused(failure: Failure, module: Any, node: ast.AST) -> Stop:
    """The rejection of arguments that a rule does not cover."""
    f = failure
    return Stop(report(module, node, f.code, f.message, f.need, as_called(f.help, node)))


def failed(requirement: Requirement, module: Any, node: ast.AST) -> Stop:
    """The rejection of a requirement that does not hold."""
    r = requirement
    if r.code == "claimed-sensitivity":
        return Stop(
            report(
                module, node, r.code,
                f"one person moves this value by up to {r.left}, and the claim is {r.right}",
                f"a claim of at least {r.left}", f"claim {r.left} in place of {r.right}",
            )
        )  # fmt: skip
    return Stop(
        report(
            module, node, r.code, f"this needs {r.left} {r.op} {r.right}, which does not hold",
            f"{r.left} {r.op} {r.right}", r.remedy,
        )
    )  # fmt: skip
