"""Views of a check: text, concise, JSON, SARIF, GitHub annotations, HTML.  They know no privacy."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from metricdp.diagnostics.result import CheckReport

FORMATS = ("text", "concise", "json", "sarif", "github")


def render(report: CheckReport, output_format: str = "text", elapsed: float | None = None) -> str:
    """`report` in one of `FORMATS`, without colour, ending in a newline unless empty.

    `elapsed` (seconds) is shown by the text format only.  Raises KeyError for another format.
    """
    if output_format == "text":
        return render_text(report, elapsed)
    if output_format == "json":
        import json

        from metricdp.diagnostics.result import to_json

        # ASCII only, so that no terminal or pipe encoding can break it.
        return json.dumps(to_json(report), indent=2, allow_nan=False) + "\n"
    if output_format == "concise":
        from metricdp.report.text import render_concise

        return render_concise(report)
    if output_format == "github":
        from metricdp.report.annotations import render_github

        return render_github(report)
    if output_format == "sarif":
        from metricdp.report.annotations import render_sarif

        return render_sarif(report)
    raise KeyError(output_format)


def render_text(report: CheckReport, elapsed: float | None = None, *, color: bool = False) -> str:
    """`report` for people; with `color`, with the escape sequences of a terminal."""
    from metricdp.report.text import render_text as plain

    text = plain(report, elapsed)
    if color:
        from metricdp.report.text import coloured

        return coloured(text)
    return text
