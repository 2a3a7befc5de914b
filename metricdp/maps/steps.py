"""What a map was made of: one step per link of a chain, each with its own bound and reason."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from textwrap import wrap
from typing import Any

import msgspec

from metricdp.maps.distances import DistanceMap, Number
from metricdp.maps.fixed import kept
from metricdp.spaces import Space

#: What a step may rest on, the strongest first.
PROVED, CHECKED, ASSUMED = "proved rule", "checked program", "user's assumption"
IDEAL = "real-arithmetic idealisation"
#: What stands beside a number because a public name that it needs has none.
OPEN = "requirement"
#: Lines of a printed explanation are no longer.
_WIDTH = 100


class Reliance(msgspec.Struct, frozen=True):
    """One thing that a bound rests on.

    Attributes:
        kind: "proved rule" (a record with proof note, attacked by every law), "checked program",
            "user's assumption" (made by hand), "real-arithmetic idealisation", or "requirement"
            (of a checked program: a number is missing to decide it; enforced when it runs).
        why: what exactly, in one line.
    """

    kind: str
    why: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.why}"


class MapStep(msgspec.Struct, frozen=True):
    """One link of a chain.

    Attributes:
        name: of the rule, checked function or Python function.
        input_space, output_space: either side; None after a release.
        stability: map of distances; None for a measurement and for post-processing.
        costs: measure -> maps of the step's own distance, for a measurement.
        arguments: public arguments by name.
        reason: why the bound holds, one line.
        rests_on: what is trusted.
        version: of the rule, to rebuild the step; 0 when it cannot be rebuilt.
    """

    name: str
    input_space: Space | None
    output_space: Space | None
    stability: DistanceMap | None = None
    costs: Mapping[str, tuple[DistanceMap, ...]] = {}
    arguments: Mapping[str, Any] = {}
    reason: str = ""
    rests_on: tuple[Reliance, ...] = ()
    version: int = 0

    def __post_init__(self) -> None:
        msgspec.structs.force_setattr(self, "costs", kept(self.costs))
        msgspec.structs.force_setattr(self, "arguments", kept(self.arguments))

    def __str__(self) -> str:
        given = ", ".join(f"{name}={shown(value)}" for name, value in self.arguments.items())
        return f"{self.name}({given})" if given else self.name


class Vouched(msgspec.Struct, frozen=True):
    """Steps that the library stands for: rules that it has applied, programs that it has checked.

    A map that is made by hand has no such steps, and is an assumption of whoever made it.
    """

    steps: tuple[MapStep, ...]


class Explained(msgspec.Struct, frozen=True):
    """One line of an explanation: distance before, distance or cost after, formula, reason."""

    step: str
    before: str
    after: str
    formula: str
    reason: str


class Explanation:
    """Every step of a map at one distance, as text and as a table in a notebook."""

    def __init__(self, lines: Sequence[Explained]) -> None:
        self.lines = tuple(lines)

    def __str__(self) -> str:
        if not self.lines:
            return "identity"
        wide = [max(len(getattr(x, name)) for x in self.lines) for name in ("step", "before")]
        after = max(len(x.after) for x in self.lines)
        rows = []
        for x in self.lines:
            move = f"{x.before:>{wide[1]}} -> {x.after:<{after}}"
            # What follows keeps to the column of the distances, unless a long name leaves no room.
            margin = " " * (wide[0] + 2 if wide[0] <= _WIDTH // 2 else 4)
            row = f"{x.step:<{wide[0]}}  {move}  {x.formula}".rstrip()
            if len(row) <= _WIDTH:
                rows.append(row)
            else:
                first, more = f"{x.step:<{wide[0]}}  {move}".rstrip(), [x.formula]
                if len(first) > _WIDTH:
                    first, more = x.step, [move.strip(), x.formula]
                rows.append(first)
                for part in more:
                    rows += wrap(part, _WIDTH, initial_indent=margin, subsequent_indent=margin)
            rows += wrap(x.reason, _WIDTH, initial_indent=margin, subsequent_indent=margin)
        return "\n".join(row.rstrip() for row in rows)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from metricdp.report.cards import boxed, table

        rows = [(x.step, x.before, x.after, x.formula, x.reason) for x in self.lines]
        return boxed(table(rows, ("step", "from", "to", "map", "why")))


def explain(steps: Sequence[MapStep], d_in: Number) -> Explanation:
    """The walk of a distance through the steps."""
    lines, here = [], d_in
    for step in steps:
        if step.stability is not None:
            there = step.stability(here)
            formula, after = str(step.stability), number(there)
            lines.append(Explained(str(step), number(here), after, formula, step.reason))
            here = there
        elif step.costs:
            after = "; ".join(
                f"{m} {', '.join(number(p(here)) for p in parts)}"
                for m, parts in step.costs.items()
            )
            formula = "; ".join(
                f"{m}: {', '.join(map(str, parts))}" for m, parts in step.costs.items()
            )
            lines.append(Explained(str(step), number(here), after, formula, step.reason))
        else:
            reason = step.reason or "post-processing of a release is free"
            lines.append(Explained(str(step), "", "", "", reason))
    return Explanation(lines)


def number(value: Number) -> str:
    """A distance for people: an integer or fraction as it is, else six digits rounded up."""
    if isinstance(value, Fraction):
        if value.denominator <= 1000:
            return str(value)
        up = Context(prec=6, rounding=ROUND_CEILING)
        return str(up.divide(Decimal(value.numerator), Decimal(value.denominator)))
    return "oo" if value == float("inf") else format(value, ".6g")


def shown(value: Any) -> str:
    """A public argument in one short text."""
    if isinstance(value, Fraction):
        return number(value)
    if callable(value):
        return str(getattr(value, "__name__", type(value).__name__))
    text = repr(value)
    return text if len(text) <= 40 else text[:37] + "..."
