"""Colour for the text report, laid over plain text so that colour can never carry meaning alone."""

from __future__ import annotations

import io

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
