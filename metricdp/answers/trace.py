"""Where a bound comes from: the steps that made it, walked back to the parameters.

A bound of a step is read per source from the value that the step made.  One input: its own bound
and the factor that this step puts on it.  Several inputs: a sum of bounds.  An infinite bound is
followed to the first step whose inputs are finite.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from metricdp.check.domain.state import Draft, State
from metricdp.check.values.forms import Source
from metricdp.errors import ExpressionError
from metricdp.expr import D, Expr, linear_coefficient


class Link(msgspec.Struct, frozen=True):
    """One contribution to a bound, as text: the whole path from the first step that made it."""

    text: str
    depth: int = 0


class Trace:
    """Bounds and paths of the steps of one check."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.steps: Sequence[Draft] = state.steps

    def bounds(self, step: Draft) -> dict[Source, Expr]:
        """Source -> bound of the value that a step made, in its printed norm; {} if released."""
        if step.value is None:
            return {}
        norm = getattr(step.value.space, "norm", "")
        found = {}
        for source, movement in sorted(self.state.movement(step.value.form).items()):
            bound = movement.get(norm, next(iter(movement.values()), None))
            if bound is not None and not bound.is_zero:
                found[source] = bound
        return found

    def inputs(self, step: Draft) -> list[Draft]:
        """The steps that a step reads; of steps with one id, the latest before it."""
        position = next(i for i, s in enumerate(self.steps) if s is step)
        found = []
        for wanted in step.inputs:
            known = next((s for s in reversed(self.steps[:position]) if s.id == wanted), None)
            if known is not None and known not in found:
                found.append(known)
        return found

    def path(self, step: Draft, source: Source, depth: int = 0) -> list[Link]:
        """How `source` comes to move the value of `step`; the last link is the step itself."""
        bound = self.bounds(step)[source]
        feeders = self._feeders(step, source)
        if bound.is_infinite and not any(b.is_infinite for _, _, b in feeders):
            return [Link(f"any amount from {_at(step)}{_reason(step)}", depth)]
        if not feeders:
            return [Link(f"{shown(bound)} from {_at(step)}", depth)]
        if len(feeders) == 1:
            ((earlier, origin, before),) = feeders
            *above, last = self.path(earlier, origin, depth)
            return [
                *above,
                Link(last.text + self._change(step, origin, source, before, bound), depth),
            ]
        parts = [
            link for earlier, origin, _ in feeders for link in self.path(earlier, origin, depth + 1)
        ]
        terms = " and ".join(shown(b) for _, _, b in feeders)
        return [Link(f"{shown(bound)} at {_at(step)}, from {terms}:", depth), *parts]

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

    def _change(
        self, step: Draft, origin: Source, source: Source, before: Expr, after: Expr
    ) -> str:
        """What a step does to a bound, as the end of a sentence; nothing if it keeps it."""
        over = f" over the rows of {source.name}" if origin != source else ""
        if before == after:
            return f", by {_at(step)}{over}" if over else ""
        try:
            ratio = None if before.is_infinite or after.is_infinite else after / before
        except ExpressionError:
            ratio = None
        if ratio is not None and "d_in" not in ratio.symbols:
            return f", times {ratio} by {_at(step)}{over}"
        return f", made {shown(after)} by {_at(step)}{over}"


def shown(bound: Expr) -> str:
    """A bound per unit of distance where it is linear, else the whole map."""
    if bound.is_infinite:
        return "any amount"
    slope = linear_coefficient(bound)
    return str(bound if slope is None or bound == D - D else slope)


def _at(step: Draft) -> str:
    if step.rule.startswith("loop"):
        return f"the loop of line {step.span.line}"
    return f"line {step.span.line} ({step.rule})"


def _reason(step: Draft) -> str:
    why = step.value.why if step.value is not None else None
    return f": {why.failure.message}" if why is not None else ""
