"""One line for each finding: file:line:column: code message."""

from __future__ import annotations

from metricdp.diagnostics.result import CheckReport
from metricdp.report.excerpt import printable


def render_concise(report: CheckReport) -> str:
    """Findings, in order; nothing at all when there is none."""
    lines = []
    for found in report.diagnostics:
        span = found.span
        place = f"{span.file}:{span.line}:{span.column}: " if span.file else ""
        mark = "" if found.severity == "error" else f"{found.severity}: "
        lines.append(printable(f"{place}{mark}{found.code} {found.message}") + "\n")
    return "".join(lines)
