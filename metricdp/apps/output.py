"""Writing a report to standard output: colour on a terminal, and no character it cannot show."""

from __future__ import annotations

import os
import sys
from typing import TextIO

#: How a terminal without these signs reads them.
_PLAIN = str.maketrans(
    {"ε": "eps", "δ": "delta", "ρ": "rho", "α": "alpha", "ω": "omega", "μ": "mu", "∞": "oo"}
)


def write(text: str, *, colour: bool = False) -> None:
    """Writes `text`; signs that the stream's encoding lacks are spelled out or escaped."""
    stream = sys.stdout
    if colour and wants_colour(stream):
        from metricdp.report.colour import coloured

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


def wants_colour(stream: TextIO) -> bool:
    """A terminal that is not dumb, unless NO_COLOR or FORCE_COLOR say otherwise."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return stream.isatty() and os.environ.get("TERM") != "dumb"
