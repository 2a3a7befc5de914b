"""Notebook views: small self-contained HTML, everything escaped, no script, light and dark."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from metricdp.diagnostics.result import FunctionReport
from metricdp.report.proof import guarantee_lines, required

BOX = (
    "border:1px solid #8886;border-radius:6px;padding:.6em .9em;display:inline-block;"
    "max-width:60em;line-height:1.45"
)
_COLOUR = {"proved": "#1a7f37", "rejected": "#cf222e", "refuted": "#cf222e"}


def guarantee_html(function: FunctionReport) -> str:
    """A checked function: verdict, guarantee in words, steps, conditions."""
    colour = _COLOUR.get(function.verdict, "inherit")
    head = (
        f'<b style="color:{colour}">{escape(function.verdict)}</b> '
        f"<b>{escape(function.name)}</b> "
        f"<small>{escape(f'{function.file}:{function.line}')}</small>"
    )
    parts = [head, *(f"<div>{escape(line)}</div>" for line in guarantee_lines(function))]
    steps = [
        (
            str(step.line),
            step.detail.get("name", ""),
            step.detail.get("space", step.conclusion),
            step.detail.get("bound", ""),
            step.rule,
        )
        for step in function.derivation
    ]
    if steps:
        parts.append(_table(("line", "value", "space", "bound", "rule"), steps))
    facts = (
        ("requires", required(function)),
        ("assumes", function.assumptions),
        ("rests on", function.rests_on),
        ("row by row", tuple(map(str, function.by_row))),
    )
    parts += [_facts(name, listed) for name, listed in facts if listed]
    return f'<div style="{BOX}">{"".join(parts)}</div>'


def release_html(lines: Sequence[str], cost: str, facts: Iterable[tuple[str, str]] = ()) -> str:
    """A release: a line for each output with its error interval, its cost, and further facts.

    All texts are already printed forms; the true value is never among them.
    """
    outputs = "".join(f'<div style="font-size:1.2em"><b>{escape(line)}</b></div>' for line in lines)
    below = "".join(_facts(name, (text,)) for name, text in facts)
    return f'<div style="{BOX}">{outputs}<div>{escape(cost)}</div>{below}</div>'


def _facts(name: str, listed: Sequence[str]) -> str:
    return f"<div><small>{escape(name)}: {escape('; '.join(listed))}</small></div>"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    cell = 'style="text-align:left;padding:0 .8em 0 0"'
    titles = "".join(f"<th {cell}>{escape(title)}</th>" for title in head)
    body = "".join(
        f"<tr>{''.join(f'<td {cell}>{escape(text)}</td>' for text in row)}</tr>" for row in rows
    )
    return f'<table style="margin:.4em 0"><tr>{titles}</tr>{body}</table>'
