"""Findings for code hosts: commands that GitHub shows on the changed lines, and SARIF 2.1.0.

Columns are counted in characters, and SARIF says so.  A text in a cell of a
notebook has no line of its file: hosts get the file, and the message says cell and line.
"""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

from metricdp.diagnostics import Diagnostic, Span, file_and_cell
from metricdp.diagnostics.catalogue import id_of, lookup
from metricdp.diagnostics.result import CheckReport

_COMMAND = {"error": "error", "warning": "warning", "info": "notice"}


def render_github(report: CheckReport) -> str:
    """One command for each finding."""
    return "".join(_command(found) for found in report.diagnostics)


def _command(found: Diagnostic) -> str:
    span = found.span
    properties = {"title": f"{id_of(found.code)} {found.code}"}
    file, cell = file_and_cell(span.file)
    if cell:
        properties = {"file": file, **properties}
    elif file:
        properties = {
            "file": file,
            "line": str(span.line),
            "col": str(span.column),
            "endLine": str(span.end_line),
            "endColumn": str(span.end_column),
            **properties,
        }
    listed = ",".join(f"{name}={_property(text)}" for name, text in properties.items())
    body = [_told(found.message, span)]
    body += [f"need: {found.need}"] if found.need else []
    body += [f"help: {found.help}"] if found.help else []
    return f"::{_COMMAND[found.severity]} {listed}::{_data(chr(10).join(body))}\n"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


_SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
_SARIF = {"error": "error", "warning": "warning", "info": "note"}


def render_sarif(report: CheckReport) -> str:
    """The findings of `report` as one SARIF document."""
    return json.dumps(to_sarif(report), indent=2) + "\n"


def to_sarif(report: CheckReport) -> dict[str, Any]:
    """The findings of `report` as a SARIF log: one run, one rule for each code that occurs."""
    names = sorted({found.code for found in report.diagnostics}, key=id_of)
    index = {name: position for position, name in enumerate(names)}
    driver = {
        "name": "metricdp",
        "rules": [_rule(name) for name in names],
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [_result(found, index[found.code]) for found in report.diagnostics],
    }
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(name: str) -> dict[str, Any]:
    code = lookup(name)
    found: dict[str, Any] = {"id": id_of(name), "name": name}
    if code is not None:
        found["shortDescription"] = {"text": code.title}
        found["fullDescription"] = {"text": code.means}
        found["help"] = {"text": code.explanation}
    return found


def _result(found: Diagnostic, rule_index: int) -> dict[str, Any]:
    text = _told(found.message, found.span)
    text += f"\nneed: {found.need}" if found.need else ""
    text += f"\nhelp: {found.help}" if found.help else ""
    result: dict[str, Any] = {
        "ruleId": id_of(found.code),
        "ruleIndex": rule_index,
        "level": _SARIF[found.severity],
        "message": {"text": text},
    }
    if found.span.file:
        result["locations"] = [_location(found.span)]
    if found.notes:
        result["relatedLocations"] = [
            {**_location(note.span), "message": {"text": _told(note.text, note.span)}}
            for note in found.notes
        ]
    return result


def _told(text: str, span: Span) -> str:
    cell = file_and_cell(span.file)[1]
    text = text.replace("\t", "  ")
    return f"cell {cell}, line {span.line}: {text}" if cell else text


def _location(span: Span) -> dict[str, Any]:
    file, cell = file_and_cell(span.file)
    if cell:
        return {"physicalLocation": {"artifactLocation": {"uri": _uri(file)}}}
    return {
        "physicalLocation": {
            "artifactLocation": {"uri": _uri(span.file)},
            "region": {
                "startLine": span.line,
                "startColumn": span.column,
                "endLine": span.end_line,
                "endColumn": span.end_column,
            },
        }
    }


def _uri(path: str) -> str:
    """A path as a URI reference: percent-encoded, and with a scheme when it is absolute."""
    quoted = quote(path.replace("\\", "/"), errors="surrogateescape")
    return f"file://{quoted}" if quoted.startswith("/") else quoted
