"""Where a bound comes from: the steps that made it, walked back to the parameters.

A bound of a step is read per source from the value that the step made.  One input: its own bound
and the factor that this step puts on it.  Several inputs: a sum of bounds.  An infinite bound is
followed to the first step whose inputs are finite.  A report shows the path of a bound that
surprises, from the first line to the last.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

import msgspec

from metricdp.check.domain.replaced_rows import alone
from metricdp.check.domain.state import CheckState, Draft
from metricdp.check.values.forms import Source
from metricdp.check.values.objects import Obj, TupleValue, Value
from metricdp.check.verdicts.guarantee import Input
from metricdp.check.verdicts.verify import Outcome
from metricdp.diagnostics.result import FunctionReport, InputReport
from metricdp.errors import ExpressionError
from metricdp.expr import D, Expr, linear_coefficient


class Link(msgspec.Struct, frozen=True):
    """One contribution to a bound, as text: the whole path from the first step that made it."""

    text: str
    depth: int = 0


#: Most contributions to one bound that are followed, and most changes of one that are told.
LINKS, CHANGES = 12, 6


class Trace:
    """Bounds and paths of the steps of one check.

    Attributes:
        file: of the function that is checked; lines of other files are told with their names.
    """

    def __init__(self, state: CheckState, file: str = "") -> None:
        self.state, self.file = state, file
        self.steps: Sequence[Draft] = state.steps
        self._at: dict[str, list[int]] = {}
        self._position: dict[int, int] = {}
        self._bounds: dict[int, dict[Source, Expr]] = {}
        for position, step in enumerate(self.steps):
            self._at.setdefault(step.id, []).append(position)
            self._position[id(step)] = position

    def bounds(self, step: Draft) -> dict[Source, Expr]:
        """Source -> bound of the value that a step made, in its printed norm; {} if released."""
        if id(step) not in self._bounds:
            self._bounds[id(step)] = self._found(step)
        return self._bounds[id(step)]

    def _found(self, step: Draft) -> dict[Source, Expr]:
        if step.value is None:
            return {}
        norm = getattr(step.value.space, "norm", "")
        found = {}
        for source, movement in sorted(alone(self.state, step.value.form).items()):
            bound = movement.get(norm, next(iter(movement.values()), None))
            if bound is not None and not bound.is_zero:
                found[source] = bound
        return found

    def latest(self, step: str) -> Draft | None:
        """The last step with this id."""
        positions = self._at.get(step)
        return self.steps[positions[-1]] if positions else None

    def inputs(self, step: Draft) -> list[Draft]:
        """The steps that a step reads; of steps with one id, the latest before it."""
        here = self._position[id(step)]
        found = []
        for wanted in step.inputs:
            positions = self._at.get(wanted, [])
            before = bisect_left(positions, here)
            if before and (known := self.steps[positions[before - 1]]) not in found:
                found.append(known)
        return found

    def path(self, step: Draft, source: Source) -> list[Link]:
        """How `source` comes to move the value of `step`.

        A link of a greater depth is a part of the one above it.  Of long paths the middle is left
        out, of wide ones the rest.
        """
        return self._path(step, source, 0, LINKS)

    def _path(self, step: Draft, source: Source, depth: int, left: int) -> list[Link]:
        changes: list[str] = []
        while True:
            bound = self.bounds(step)[source]
            feeders = self._feeders(step, source)
            if bound.is_infinite:
                feeders = [feeder for feeder in feeders if feeder[2].is_infinite][:1]
            if len(feeders) != 1:
                break
            ((earlier, origin, before),) = feeders
            changes.append(self._change(step, origin, source, before, bound))
            step, source = earlier, origin
        told = _shortened([change for change in reversed(changes) if change])
        if bound.is_infinite:
            return [Link(f"any amount from {self.place(step)}{_reason(step)}{told}", depth)]
        if not feeders:
            return [Link(f"{shown(bound)} from {self.place(step)}{told}", depth)]
        terms = " and ".join(shown(b) for _, _, b in feeders)
        head = f"{shown(bound)} at {self.place(step)}, from {terms}{told}"
        if left <= len(feeders):
            return [Link(head, depth)]
        parts: list[Link] = []
        for earlier, origin, _ in feeders:
            parts += self._path(earlier, origin, depth + 1, (left - len(feeders)) // len(feeders))
        return [Link(f"{head}:", depth), *parts]

    def _feeders(self, step: Draft, source: Source) -> list[tuple[Draft, Source, Expr]]:
        """Inputs that `source` moves; before a loop over rows, its row stands for it."""
        found = []
        for earlier in self.inputs(step):
            bounds = self.bounds(earlier)
            if source in bounds:
                found.append((earlier, source, bounds[source]))
            elif step.rule.startswith("loop") and source.kind == "param":
                rows = [s for s in bounds if s.kind == "row"]
                found += [(earlier, s, bounds[s]) for s in rows[:1]]
        return found

    def place(self, step: Draft) -> str:
        """The line of a step, and its file where that is another one."""
        span = step.span
        other = self.file and span.file != self.file
        line = f"{span.file}:{span.line}" if other else f"line {span.line}"
        return f"the loop of {line}" if step.rule.startswith("loop") else f"{line} ({step.rule})"

    def _change(
        self, step: Draft, origin: Source, source: Source, before: Expr, after: Expr
    ) -> str:
        """What a step does to a bound, as the end of a sentence; nothing if it keeps it."""
        over = f" over the rows of {source.name}" if origin != source else ""
        if before == after:
            return f", by {self.place(step)}{over}" if over else ""
        try:
            ratio = None if before.is_infinite or after.is_infinite else after / before
        except ExpressionError:
            ratio = None
        # A sum adds: its other terms may be inputs of the function, which are no steps.
        times = step.rule not in ("add", "sub")
        if times and ratio is not None and "d_in" not in ratio.symbols:
            return f", times {ratio} by {self.place(step)}{over}"
        return f", made {shown(after)} by {self.place(step)}{over}"


def shown(bound: Expr) -> str:
    """A bound per unit of distance where it is linear, else the whole map."""
    if bound.is_infinite:
        return "any amount"
    slope = linear_coefficient(bound)
    return str(bound if slope is None or bound == D - D else slope)


def _shortened(changes: list[str]) -> str:
    if len(changes) > CHANGES:
        kept = CHANGES // 2
        between = f", and {len(changes) - 2 * kept} lines later"
        changes = [*changes[:kept], between, *changes[-kept:]]
    return "".join(changes)


def _reason(step: Draft) -> str:
    why = step.value.why if step.value is not None else None
    return f": {why.failure.message}" if why is not None else ""


#: Words of a path that nobody reads off the table of steps.
_SURPRISING = ("the loop of", "any amount", ", made ")


def with_paths(report: FunctionReport, outcome: Outcome) -> FunctionReport:
    """The report of a transformation, with the path of every surprising bound.

    A bound surprises when it is infinite, comes from a loop or from several uses of the input, or
    is no multiple of the bound before it.
    """
    guarantee, state = outcome.guarantee, outcome.state
    if guarantee is None or state is None or outcome.result is None or guarantee.tree is not None:
        return report
    if not any(entry.private for entry in report.inputs):
        return report
    trace = Trace(state, report.file)
    wanted = {i.name: i for i in guarantee.inputs}
    inputs = tuple(_explained(e, outcome.result, trace, wanted[e.name]) for e in report.inputs)
    return msgspec.structs.replace(report, inputs=inputs)


def _explained(entry: InputReport, result: Obj, trace: Trace, known: Input) -> InputReport:
    source, bound = known.source, known.stability
    if bound is None or bound.is_zero:
        return entry
    lines: list[str] = []
    if isinstance(result, TupleValue):
        for position, item in enumerate(result.items):
            lines += _lines(trace, item, source, f"[{position}]: ")
    else:
        lines = _lines(trace, result, source, "", bound)
    return msgspec.structs.replace(entry, path=tuple(lines)) if lines else entry


def _lines(
    trace: Trace, value: Obj, source: Source, head: str, bound: Expr | None = None
) -> list[str]:
    step = trace.latest(value.step) if isinstance(value, Value) and value.step else None
    found = trace.bounds(step).get(source) if step is not None else None
    # Read in another norm, the result has another bound than its last step.
    if step is None or found is None or (bound is not None and found != bound):
        return []
    links = trace.path(step, source)
    if not _surprising(links):
        return []
    return [f"{'   ' * link.depth}{head if link is links[0] else ''}{link.text}" for link in links]


def _surprising(links: list[Link]) -> bool:
    return len(links) > 1 or any(word in links[0].text for word in _SURPRISING)
