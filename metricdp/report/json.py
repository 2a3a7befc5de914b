"""JSON, schema 1.  ASCII only, so that no terminal or pipe encoding can break it."""

from __future__ import annotations

import json

from metricdp.diagnostics.result import CheckReport, to_json


def render_json(report: CheckReport) -> str:
    """The report as one indented JSON document."""
    return json.dumps(to_json(report), indent=2, allow_nan=False) + "\n"
