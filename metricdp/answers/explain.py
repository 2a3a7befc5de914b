"""The derivation at one line of a program, with the path of every number; as text, and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from metricdp.check.domain.state import Draft
from metricdp.check.values.forms import Source
from metricdp.check.verdicts.trace import Link, Trace, shown
from metricdp.check.verdicts.verify import Outcome
from metricdp.diagnostics import Diagnostic, Span


class MovementPath(msgspec.Struct, frozen=True):
    """How one input comes to move a value.

    Attributes:
        source: the parameter, or what moves in a round: "the row of this round".
        bound: movement per unit of distance, "any amount", or the whole map where it is not linear.
        links: sentences; those of a greater depth are parts of the one above them.
        help: an edit that makes an infinite bound finite, or "".
    """

    source: str
    bound: str
    links: tuple[Link, ...]
    help: str = ""


class StepHere(msgspec.Struct, frozen=True):
    """One step of the derivation at the line.

    Attributes:
        name: variable that it is bound to, or "".
        rule: name of the rule.
        text: space of the value, or what was released.
        released: the value may be seen by everyone; then `paths` are those of what it hides.
    """

    name: str
    rule: str
    text: str
    span: Span
    released: bool
    paths: tuple[MovementPath, ...]


class FunctionHere(msgspec.Struct, frozen=True):
    """What one checked function derives at the line.

    Attributes:
        lines: all lines of this file on which it has steps.
        by_row: why something at the line runs row by row.
    """

    name: str
    verdict: str
    steps: tuple[StepHere, ...]
    diagnostics: tuple[Diagnostic, ...]
    lines: tuple[int, ...]
    by_row: tuple[str, ...] = ()


def explained(outcomes: Sequence[Outcome], file: str, line: int) -> tuple[FunctionHere, ...]:
    """What is derived at a line, for every checked function that reaches it.

    Empty when the line belongs to no checked function and no helper that one calls.
    """
    return tuple(each for outcome in outcomes if (each := _function(outcome, file, line)))


def _function(outcome: Outcome, file: str, line: int) -> FunctionHere | None:
    state, node = outcome.state, outcome.declared.node
    steps = [s for s in state.steps if s.span.file == file] if state is not None else []
    # A rejected statement is read again in parts: a step of the same content is the same step.
    again = {s.id: s for s in reversed(steps)}
    here = [s for s in steps if _covers(s, line) and (outcome.guarantee or again[s.id] is s)]
    inside = outcome.declared.module.path == file and node.lineno <= line <= node.end_lineno
    found = [d for d in outcome.diagnostics if (d.span.file, d.span.line) == (file, line)]
    notes = outcome.guarantee.by_row if outcome.guarantee else ()
    slow = [n for n in notes if (n.file or outcome.declared.module.path, n.line) == (file, line)]
    if not (here or inside or found or slow):
        return None
    known = {s.id: s.conclusion for s in outcome.guarantee.derivation} if outcome.guarantee else {}
    trace = Trace(state, file) if state is not None else None
    return FunctionHere(
        outcome.declared.name,
        outcome.verdict,
        tuple(_step(trace, s, known.get(s.id, s.conclusion)) for s in here if trace is not None),
        tuple(d for d in found if d.severity != "info"),
        tuple(sorted({s.span.line for s in steps})),
        tuple(note.what for note in slow),
    )


def _covers(step: Draft, line: int) -> bool:
    """The line is one of the step's; a loop stands on its first line only."""
    last = step.span.line if step.rule.startswith("loop") else step.span.end_line
    return step.span.line <= line <= last


def _step(trace: Trace, step: Draft, conclusion: str) -> StepHere:
    if step.value is None:
        paths = [path for earlier in trace.inputs(step) for path in _paths(trace, earlier)]
        return StepHere(step.name, step.rule, conclusion, step.span, True, tuple(paths))
    text = step.value.space.describe()
    return StepHere(step.name, step.rule, text, step.span, False, tuple(_paths(trace, step)))


def _paths(trace: Trace, step: Draft) -> list[MovementPath]:
    found = []
    why = step.value.why if step.value is not None else None
    for source, bound in trace.bounds(step).items():
        help = why.failure.help if why is not None and bound.is_infinite else ""
        found.append(
            MovementPath(_named(source), shown(bound), tuple(trace.path(step, source)), help)
        )
    return found


def _named(source: Source) -> str:
    if source.kind == "param":
        return source.name
    if source.kind == "row":
        return "the row of this round"
    name = "the list" if source.name.startswith("@") else source.name
    return f"{name} at the start of the round"


def explanation_lines(found: Sequence[FunctionHere], file: str, line: int) -> list[str]:
    """One block per function."""
    lines: list[str] = []
    for each in found:
        lines += [""] if lines else []
        lines.append(f"{file}:{line}   {each.verdict} {each.name}")
        for step in each.steps:
            lines += _step_lines(step)
        lines += [f"   row by row: {what}" for what in each.by_row]
        for problem in each.diagnostics:
            lines.append(f"   {problem.severity}[{problem.code}]: {problem.message}")
            lines += [f"      help: {text}" for text in problem.help.splitlines()]
        if not (each.steps or each.diagnostics or each.by_row):
            at = ", ".join(map(str, each.lines)) or "none"
            lines.append(f"   nothing private is computed here; lines with steps: {at}")
    return lines


def _step_lines(step: StepHere) -> list[str]:
    name = f"{step.name} = " if step.name else ""
    lines = [f"   {name}{step.rule}   {step.text}"]
    for path in step.paths:
        lines += _path_lines(path)
    return lines if step.paths or step.released else [*lines, "      nothing moves it"]


def _path_lines(path: MovementPath) -> list[str]:
    lines = []
    for position, link in enumerate(path.links):
        name = f"{path.source}: " if position == 0 else ""
        lines.append(f"      {'   ' * link.depth}{name}{link.text}")
    if path.help:
        first, *rest = path.help.splitlines()
        lines += [f"         help: {first}", *(f"               {text}" for text in rest)]
    return lines


def explanation_json(found: Sequence[FunctionHere], file: str, line: int) -> dict[str, Any]:
    """The same facts; every path is a list of sentences with their depths."""
    return {
        "schema": 1,
        "file": file,
        "line": line,
        "functions": [
            {
                "function": each.name,
                "verdict": each.verdict,
                "steps": [_step_json(step) for step in each.steps],
                "diagnostics": [
                    {
                        "code": d.code,
                        "severity": d.severity,
                        "message": d.message,
                        "need": d.need,
                        "help": d.help,
                        "column": d.span.column,
                    }
                    for d in each.diagnostics
                ],
                "lines": list(each.lines),
                "by_row": list(each.by_row),
            }
            for each in found
        ],
    }


def _step_json(step: StepHere) -> dict[str, Any]:
    span = step.span
    return {
        "name": step.name,
        "rule": step.rule,
        "text": step.text,
        "released": step.released,
        "span": [span.line, span.column, span.end_line, span.end_column],
        "sources": [
            {
                "source": path.source,
                "bound": path.bound,
                "path": [{"depth": link.depth, "text": link.text} for link in path.links],
                "help": path.help,
            }
            for path in step.paths
        ],
    }
