"""The report for people: findings with source and marks, proofs as a table, one summary line.

Or one line for each finding.  Colour is laid over plain text, so that it never carries meaning
alone.
"""

from __future__ import annotations

import io
import textwrap
from collections.abc import Mapping, Sequence

from metricdp.diagnostics import Diagnostic, file_and_cell, source_lines
from metricdp.diagnostics.result import CheckReport
from metricdp.report.excerpt import WIDTH, Mark, excerpt, printable
from metricdp.report.proof import proof_lines


def render_text(report: CheckReport, elapsed: float | None = None) -> str:
    """Findings and proofs in order of place, then the summary; `elapsed` in seconds."""
    body = _body(report)
    return f"{body}{body and chr(10)}{summary(report, elapsed)}\n"


def findings_text(found: Sequence[Diagnostic], sources: Mapping[str, str]) -> str:
    """The findings alone, in order of place.

    Args:
        sources: file -> its text.
    """
    return _body(CheckReport((), tuple(found), dict(sources)))


def _body(report: CheckReport) -> str:
    blocks: list[tuple[tuple[tuple[str, int], int, int], list[str]]] = []
    sources: dict[str, Sequence[str]] = {}
    explained = {found.span.file for found in report.diagnostics if found.severity == "error"}
    for function in report.functions:
        if function.verdict == "proved" or function.file not in explained:
            place = (file_and_cell(function.file), function.line, 0)
            blocks.append((place, proof_lines(function)))
    for found in report.diagnostics:
        place = (file_and_cell(found.span.file), found.span.line, found.span.column)
        blocks.append((place, diagnostic_lines(found, _lines(found.span.file, report, sources))))
    blocks.sort(key=lambda block: block[0])
    return "\n\n".join("\n".join(block) for _, block in blocks)


def diagnostic_lines(found: Diagnostic, lines: Sequence[str]) -> list[str]:
    """One finding; `lines` are those of its file, none if they are not known."""
    shown = _wrapped(f"{found.severity}[{found.code}]: ", found.message)
    span = found.span
    marks = [Mark(span, "^", found.label)]
    here = [note for note in found.notes if note.span.file == span.file]
    marks += [Mark(note.span, "-", note.text) for note in here]
    body = excerpt(lines, marks)
    margin = " " * (body[0].index("|") if body else 3)
    if span.file:
        shown.append(printable(f"{margin[:-1]}--> {span.file}:{span.line}:{span.column}"))
    shown += body
    for note in found.notes:
        if note.span.file != span.file:
            place = f"{note.span.file}:{note.span.line}:{note.span.column}"
            shown.append(printable(f"{margin}= at {place}: {note.text}"))
    if found.counterexample:
        shown += _counterexample(found.counterexample, margin)
    if found.need:
        shown += _wrapped(f"{margin}= need:    ", found.need)
    for position, line in enumerate(found.help.splitlines()):
        shown.append(f"{margin}= help:    " if position == 0 else f"{margin}           ")
        shown[-1] += printable(line)
    shown.append(f"{margin}= more:    metricdp explain {found.code}")
    return shown


def summary(report: CheckReport, elapsed: float | None = None) -> str:
    """How many programs have which verdict; the time at the right margin."""
    count = len(report.functions)
    parts = [f"{report.count('proved')} proved"] if count else []
    for verdict in ("rejected", "refuted"):
        if number := report.count(verdict):
            parts.append(f"{number} {verdict}")
    errors = sum(found.severity == "error" for found in report.diagnostics)
    warnings = sum(found.severity == "warning" for found in report.diagnostics)
    if errors and report.count("proved") == count:
        parts.append(_plural(errors, "error"))
    if warnings:
        parts.append(_plural(warnings, "warning"))
    text = _plural(count, "program") + (f": {', '.join(parts)}" if parts else "")
    if elapsed is None:
        return text
    return f"{text}{f'{elapsed:.2f} s':>{max(8, WIDTH - len(text))}}"


def _plural(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _counterexample(example: Mapping[str, object], margin: str) -> list[str]:
    """The pair and what it does, names aligned."""
    names = [printable(str(name)) for name in example]
    width = max(len(name) for name in names)
    rows: list[str] = []
    for name, value in zip(names, example.values(), strict=True):
        head = f"{margin}= counterexample" if not rows else " " * len(f"{margin}= counterexample")
        rows.append(f"{head}   {name:<{width}} = {printable(_value(value))}")
    return rows


def _value(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list | tuple):
        return f"[{', '.join(_value(entry) for entry in value)}]"
    return str(value)


def _wrapped(head: str, text: str) -> list[str]:
    """`text` after `head`, continued under itself where it is wider than the page."""
    indent = " " * min(len(head), 14)
    return textwrap.wrap(
        printable(text.replace("\n", " ")),
        WIDTH,
        initial_indent=head,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    ) or [head.rstrip()]


def _lines(file: str, report: CheckReport, known: dict[str, Sequence[str]]) -> Sequence[str]:
    """Lines of a file: from the report, else from disk, else none."""
    if file not in known:
        text = report.sources.get(file)
        if text is None and file:
            try:
                with open(file, encoding="utf-8", errors="replace", newline="") as stream:
                    text = stream.read()
            except (OSError, ValueError):
                text = None
        known[file] = [] if text is None else source_lines(text)
    return known[file]


def render_concise(report: CheckReport) -> str:
    """Findings, in order; nothing at all when there is none."""
    lines = []
    for found in report.diagnostics:
        span = found.span
        place = f"{span.file}:{span.line}:{span.column}: " if span.file else ""
        mark = "" if found.severity == "error" else f"{found.severity}: "
        lines.append(printable(f"{place}{mark}{found.code} {found.message}") + "\n")
    return "".join(lines)


_STYLES = (
    (r"(?m)^error\[[^\]\n]*\]|^re(jected|futed)\b", "bold red"),
    (r"(?m)^warning\[[^\]\n]*\]", "bold yellow"),
    (r"(?m)^proved\b", "bold green"),
    (r"(?m)^ *\d* \|(?= |$)|^ *-->", "blue"),
    (r"(?m)(?<=\| ) *\^+.*$", "red"),
    (r"(?m)(?<=\| ) *-+ .*$", "blue"),
    (r"(?m)^ +(= (need|help|more|counterexample)):?", "bold"),
)


def coloured(text: str) -> str:
    """`text` with escape sequences; the same text without them."""
    # Imported here: it takes as long as a whole check, and only terminals need it.
    from rich.console import Console
    from rich.text import Text

    styled = Text(text, no_wrap=True, end="")
    for pattern, style in _STYLES:
        styled.highlight_regex(pattern, style)
    stream = io.StringIO()
    console = Console(
        file=stream, force_terminal=True, color_system="standard", highlight=False, soft_wrap=True
    )
    console.print(styled, crop=False, overflow="ignore", end="")
    return stream.getvalue()
