"""Cards of checked functions and of releases."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from metricdp.diagnostics.result import FunctionReport
from metricdp.report.cards import BAD, GOOD, card, table
from metricdp.report.proof import guarantee_lines, required

_COLOUR = {"proved": GOOD, "rejected": BAD, "refuted": BAD}


def guarantee_html(function: FunctionReport) -> str:
    """A checked function: verdict, guarantee in words, steps, conditions."""
    steps = [
        (
            str(step.line),
            step.detail.get("name", ""),
            step.detail.get("space", step.conclusion),
            step.detail.get("bound", ""),
            step.rule,
        )
        for step in function.derivation
    ]
    facts = (
        ("requires", required(function)),
        ("assumes", function.assumptions),
        ("rests on", function.rests_on),
        ("row by row", tuple(map(str, function.by_row))),
    )
    return card(
        function.verdict,
        function.name,
        place=f"{function.file}:{function.line}",
        colour=_COLOUR.get(function.verdict, "inherit"),
        lines=guarantee_lines(function),
        inside=table(steps, ("line", "value", "space", "bound", "rule")) if steps else "",
        facts=[(name, "; ".join(listed)) for name, listed in facts],
    )


def release_html(lines: Sequence[str], cost: str, facts: Iterable[tuple[str, str]] = ()) -> str:
    """A release: a line for each output with its error interval, its cost, and further facts.

    All texts are already printed forms; the true value is never among them.
    """
    if len(lines) == 1:
        return card("release", lines[0], lines=[cost], facts=facts)
    return card("release", lines=[*lines, cost], facts=facts)
