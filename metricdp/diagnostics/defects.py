"""Defects of metricdp itself as findings: what fails says so, and costs no other result."""

from __future__ import annotations

import os

from metricdp.diagnostics import Diagnostic, Span

#: Environment variable that shows where a defect is.
_SHOWN = "METRICDP_TRACEBACK"


def defect(error: BaseException, span: Span) -> Diagnostic:
    """An exception that nothing expected, as a finding at the place that was read.

    Args:
        error: the exception; its traceback is printed where METRICDP_TRACEBACK is set.
        span: the function or the file that it cost.
    """
    if os.environ.get(_SHOWN):
        import traceback

        traceback.print_exception(error)
    text = str(error).partition("\n")[0]
    message = f"metricdp failed: {type(error).__name__}{f': {text}' if text else ''}"
    help = f"{_SHOWN}=1 metricdp ...   shows where; a report is welcome"
    return Diagnostic("internal-error", span, message, help=help)
