"""The derivation at one line of a program, with the path of every number."""

from __future__ import annotations

from collections.abc import Sequence

from metricdp.answers.trace import Trace
from metricdp.check.domain.state import Draft
from metricdp.check.values.forms import Source
from metricdp.check.verdicts.verify import Outcome


def explanation(outcomes: Sequence[Outcome], file: str, line: int) -> list[str] | None:
    """What is derived at a line, for every checked function that reaches it.

    None when the line belongs to no checked function and no helper that one calls.
    """
    blocks = [block for outcome in outcomes if (block := _block(outcome, file, line))]
    if not blocks:
        return None
    return [text for position, block in enumerate(blocks) for text in ["", *block][position == 0 :]]


def _block(outcome: Outcome, file: str, line: int) -> list[str]:
    state, node = outcome.state, outcome.declared.node
    steps = [s for s in state.steps if s.span.file == file] if state is not None else []
    here = [s for s in steps if _covers(s, line)]
    inside = outcome.declared.module.path == file and node.lineno <= line <= node.end_lineno
    if not here and not inside:
        return []
    lines = [f"{file}:{line}   {outcome.verdict} {outcome.declared.name}"]
    if state is not None:
        trace = Trace(state)
        known = (
            {s.id: s.conclusion for s in outcome.guarantee.derivation} if outcome.guarantee else {}
        )
        for step in here:
            lines += _step(trace, step, known.get(step.id, step.conclusion))
    for found in outcome.diagnostics:
        if found.span.file == file and found.span.line == line and found.severity != "info":
            lines.append(f"   {found.severity}[{found.code}]: {found.message}")
            lines += [f"      help: {text}" for text in found.help.splitlines()]
    if len(lines) == 1:
        where = sorted({s.span.line for s in steps})
        at = ", ".join(map(str, where)) or "none"
        lines.append(f"   nothing private is computed here; lines with steps: {at}")
    return lines


def _covers(step: Draft, line: int) -> bool:
    """The line is one of the step's; a loop stands on its first line only."""
    last = step.span.line if step.rule.startswith("loop") else step.span.end_line
    return step.span.line <= line <= last


def _step(trace: Trace, step: Draft, conclusion: str) -> list[str]:
    head = f"   {step.name} = {step.rule}" if step.name else f"   {step.rule}"
    if step.value is None:
        lines = [f"{head}   {conclusion}"]
        for earlier in trace.inputs(step):
            lines += _paths(trace, earlier)
        return lines
    space = step.value.space
    return [f"{head}   {space.describe()}", *_paths(trace, step)]


def _paths(trace: Trace, step: Draft) -> list[str]:
    lines = []
    for source in trace.bounds(step):
        links = trace.path(step, source)
        for position, link in enumerate(links):
            name = f"{_named(source)}: " if position == 0 else ""
            lines.append(f"      {'   ' * link.depth}{name}{link.text}")
        why = step.value.why if step.value is not None else None
        if why is not None and trace.bounds(step)[source].is_infinite and why.failure.help:
            first, *rest = why.failure.help.splitlines()
            lines += [f"         help: {first}", *(f"               {text}" for text in rest)]
    return lines or ["      nothing moves it"]


def _named(source: Source) -> str:
    if source.kind == "param":
        return source.name
    if source.kind == "row":
        return "the row of this round"
    name = "the list" if source.name.startswith("@") else source.name
    return f"{name} at the start of the round"
