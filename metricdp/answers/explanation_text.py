"""The derivation at a line as text, and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from metricdp.answers.explain import FunctionHere, Path, StepHere


def explanation_lines(found: Sequence[FunctionHere], file: str, line: int) -> list[str]:
    """One block per function."""
    lines: list[str] = []
    for each in found:
        lines += [""] if lines else []
        lines.append(f"{file}:{line}   {each.verdict} {each.name}")
        for step in each.steps:
            lines += _step(step)
        for problem in each.diagnostics:
            lines.append(f"   {problem.severity}[{problem.code}]: {problem.message}")
            lines += [f"      help: {text}" for text in problem.help.splitlines()]
        if not each.steps and not each.diagnostics:
            at = ", ".join(map(str, each.lines)) or "none"
            lines.append(f"   nothing private is computed here; lines with steps: {at}")
    return lines


def _step(step: StepHere) -> list[str]:
    name = f"{step.name} = " if step.name else ""
    lines = [f"   {name}{step.rule}   {step.text}"]
    for path in step.paths:
        lines += _path(path)
    return lines if step.paths or step.released else [*lines, "      nothing moves it"]


def _path(path: Path) -> list[str]:
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
