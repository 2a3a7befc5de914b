"""Differences for people and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from metricdp.answers.diff import Difference
from metricdp.diagnostics.result import SCHEMA

STATUSES = ("worse", "incomparable", "removed", "added", "better", "same")
_MARKS = {"better": "+", "worse": "-", "incomparable": "?", "note": " ", "same": " "}


def difference_lines(found: Sequence[Difference]) -> list[str]:
    """One block per function, what got worse first; unchanged functions are only counted."""
    lines = []
    for status in STATUSES[:-1]:
        for entry in found:
            if entry.status == status:
                lines.append(f"{status:<12} {entry.name}   {entry.file}:{entry.line}")
                lines += [f"   {_MARKS[c.grade]} {c.text}" for c in entry.changes]
    counts = [(s, sum(d.status == s for d in found)) for s in STATUSES]
    total = f"{len(found)} program" + ("" if len(found) == 1 else "s")
    parts = ", ".join(f"{number} {status}" for status, number in counts if number)
    return [*lines, f"{total}: {parts}" if parts else total]


def difference_json(found: Sequence[Difference]) -> dict[str, Any]:
    """The differences in schema 1."""
    return {
        "schema": SCHEMA,
        "summary": {status: sum(d.status == status for d in found) for status in STATUSES},
        "functions": [
            {
                "name": entry.name,
                "file": entry.file,
                "line": entry.line,
                "status": entry.status,
                "ok": entry.ok,
                "changes": [
                    {
                        "what": c.what, "grade": c.grade, "input": c.input or None,
                        "old": c.old or None, "new": c.new or None, "text": c.text,
                    }
                    for c in entry.changes
                ],
            }
            for entry in found
        ],
    }  # fmt: skip
