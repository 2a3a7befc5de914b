"""Workflow commands that GitHub shows as annotations on the changed lines."""

from __future__ import annotations

from metricdp.diagnostics import Diagnostic
from metricdp.diagnostics.catalogue import id_of
from metricdp.diagnostics.result import CheckReport

_LEVEL = {"error": "error", "warning": "warning", "info": "notice"}


def render_github(report: CheckReport) -> str:
    """One command for each finding."""
    return "".join(_command(found) for found in report.diagnostics)


def _command(found: Diagnostic) -> str:
    span = found.span
    properties = {"title": f"{id_of(found.code)} {found.code}"}
    if span.file:
        properties = {
            "file": span.file,
            "line": str(span.line),
            "col": str(span.column),
            "endLine": str(span.end_line),
            "endColumn": str(span.end_column),
            **properties,
        }
    listed = ",".join(f"{name}={_property(text)}" for name, text in properties.items())
    body = [found.message]
    body += [f"need: {found.need}"] if found.need else []
    body += [f"help: {found.help}"] if found.help else []
    return f"::{_LEVEL[found.severity]} {listed}::{_data(chr(10).join(body))}\n"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
