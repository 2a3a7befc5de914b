"""What a notebook shows of an object: one small box of HTML, everything escaped, no script.

The box takes the colours of its page, so that it is readable in light and dark themes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

BOX = (
    "border:1px solid #8886;border-radius:6px;padding:.6em .9em;display:inline-block;"
    "max-width:60em;line-height:1.45"
)
GOOD, BAD = "#1a7f37", "#cf222e"
_CELL = 'style="text-align:left;vertical-align:top;padding:.1em .9em .1em 0"'
_TEXT = 'style="white-space:pre-wrap;margin:.4em 0 0"'


def card(
    kind: str,
    name: str = "",
    *,
    place: str = "",
    colour: str = "inherit",
    lines: Iterable[str] = (),
    facts: Iterable[tuple[str, str]] = (),
    inside: str = "",
    text: str = "",
) -> str:
    """A card: what it is and its name, lines in words, facts by name, and a text as printed.

    Args:
        kind: what is shown, such as "proved" or "tracked value", in bold.
        name: its own name.
        place: where it stands, in small letters.
        colour: of `kind`.
        lines: sentences.
        facts: name and text; those without a text are left out.
        inside: HTML that is escaped already, between the lines and the facts.
        text: a printed text, shown with its line breaks.
    """
    head = f'<b style="color:{colour}">{_safe(kind)}</b>'
    head += f" <b>{_safe(name)}</b>" if name else ""
    head += f" <small>{_safe(place)}</small>" if place else ""
    parts = [head, *(f"<div>{_safe(line)}</div>" for line in lines), inside]
    parts += [f"<div><small>{_safe(n)}: {_safe(t)}</small></div>" for n, t in facts if t]
    parts += [f"<pre {_TEXT}>{_safe(text)}</pre>"] if text else []
    return boxed("".join(parts))


def boxed(inside: str) -> str:
    """HTML that is escaped already, in the box of a card."""
    return f'<div style="{BOX}">{inside}</div>'


def table(rows: Iterable[Sequence[str]], head: Sequence[str] = ()) -> str:
    """Rows of texts under titles; without titles, the first cell of a row is its name."""
    titles = f"<tr>{''.join(f'<th {_CELL}>{_safe(t)}</th>' for t in head)}</tr>" if head else ""
    body = "".join(_row(row, named=not head) for row in rows)
    return f'<table style="margin:.4em 0;font-size:inherit">{titles}{body}</table>'


def _row(row: Sequence[str], *, named: bool) -> str:
    cells = [
        f"<{tag} {_CELL}>{_safe(text)}</{tag}>"
        for place, text in enumerate(row)
        for tag in ("th" if named and place == 0 else "td",)
    ]
    return f"<tr>{''.join(cells)}</tr>"


def _safe(text: str) -> str:
    from html import escape  # a thousand names of characters, for notebooks alone

    return escape(text)
