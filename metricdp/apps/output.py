"""Writing to standard output: colour on a terminal, and no character it cannot show; JSON."""

from __future__ import annotations

import os
import sys
from typing import Any, TextIO

#: How a terminal without these signs reads them.
_PLAIN = str.maketrans(
    {"ε": "eps", "δ": "delta", "ρ": "rho", "α": "alpha", "ω": "omega", "μ": "mu", "∞": "oo"}
)


def write(text: str, *, colour: bool = False) -> None:
    """Writes `text`; signs that the stream's encoding lacks are spelled out or escaped."""
    stream = sys.stdout
    if colour and wants_colour(stream):
        from metricdp.report.text import coloured

        text = coloured(text)
    encoding = getattr(stream, "encoding", None) or "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        text = text.translate(_PLAIN).encode(encoding, "backslashreplace").decode(encoding)
    try:
        stream.write(text)
        stream.flush()
    except BrokenPipeError:
        # The reader has gone (`metricdp check | head`); what was found still sets the exit code.
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def write_json(value: Any) -> None:
    """Writes one value as JSON."""
    import json  # slow to import, and needed by one format only

    write(json.dumps(value, indent=2, allow_nan=False) + "\n")


def write_no_answer(error: Any, kind: str, output_format: str) -> int:
    """Writes why a question has no answer; the exit code.

    Args:
        error: of the package.
        kind: its readable name, for JSON.
    """
    if output_format == "json":
        body = {"kind": kind, "message": error.fact, "help": error.remedy}
        write_json({"schema": 1, "error": body})
    else:
        write(f"no answer: {error.fact}\n" + (f"   help: {error.remedy}\n" if error.remedy else ""))
    return 1


def wants_colour(stream: TextIO) -> bool:
    """A terminal that is not dumb, unless NO_COLOR or FORCE_COLOR say otherwise."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return stream.isatty() and os.environ.get("TERM") != "dumb"
