"""Every page of the reference: path below `docs` -> text."""

from __future__ import annotations

from collections.abc import Mapping

from metricdp.checked.codes import codes_of
from metricdp.checked.manual import (
    OUTSIDE,
    arguments_of,
    bounds_of,
    call_of,
    elsewhere_of,
    example_of,
    head_of,
    sentence_of,
    signature_of,
)
from metricdp.checked.reference.calls import printed
from metricdp.checked.reference.contents import index
from metricdp.checked.reference.diagnostics import diagnostics
from metricdp.checked.reference.objects import GROUPS, object_page
from metricdp.checked.rules import rule_names
from metricdp.primitives._index import INDEX
from metricdp.record import REGISTRY, Record

#: Folder of primitives -> title of its page.
THEMES = {
    "mechanisms": "Mechanisms: what adds noise and releases",
    "records": "Tables: counts, sums, filters, groups",
    "scalars": "Numbers and truth values",
    "vectors": "Vectors",
    "matrices": "Matrices",
    "gradients": "Gradients",
    "texts": "Texts",
    "times": "Dates and times",
    "tables": "Lines of text as tables",
    "control": "Loops, and what check says of a value",
}


def pages() -> Mapping[str, str]:
    """All pages."""
    names = rule_names()
    themes: dict[str, dict[str, list[Record]]] = {theme: {} for theme in THEMES}
    for name in names:
        records = [r for r in REGISTRY.values() if name in (r.name, *r.spelling.seed)]
        themes[INDEX[records[0].name][0]][name] = [r for r in records if r.kind != "control"]
    made = {
        f"reference/{theme}.md": _theme_page(theme, found)
        for theme, found in themes.items()
        if found
    }
    calls = printed()
    made |= {f"reference/{group}.md": object_page(group, calls) for group in GROUPS}
    made["reference/diagnostics.md"] = diagnostics()
    made["reference.md"] = index({THEMES[t]: (t, found) for t, found in themes.items() if found})
    return made


def _theme_page(theme: str, found: Mapping[str, list[Record]]) -> str:
    parts = [f"# {THEMES[theme]}", "[All functions](../reference.md)"]
    parts.append(" · ".join(f"[`{name}`](#{name})" for name in found))
    for name, records in found.items():
        parts.append(f"## {name}")
        parts += [part for record in records for part in _entry(name, record, theme)]
    return "\n\n".join(parts) + "\n"


def _entry(name: str, record: Record, theme: str) -> list[str]:
    parts = [f"`dp.{name}{signature_of(record)}`", sentence_of(record)]
    if arguments_of(record):
        parts.append(f"**Arguments.** {arguments_of(record)}")
    example, proved = example_of(record)
    parts.append(f"```pycon\n{example}\n```" if example else f"One call: `{call_of(record)}`")
    if proved:
        parts.append("Proved of it:\n\n" + _fenced(proved))
    bounds = bounds_of(record)
    if bounds:
        parts.append(f"{head_of(record)}:\n\n" + _fenced("\n".join(bounds)))
    names = elsewhere_of(record)
    if names:
        said = "; ".join(f"{k} {', '.join(f'`{n}`' for n in v)}" for k, v in names.items())
        parts.append(f"**Elsewhere.** {said}.")
    codes = ", ".join(f"[`{code}`](diagnostics.md#{code})" for code in codes_of(record))
    said = f"**Errors.** {codes}. " if codes else "**Errors.** "
    parts.append(said + OUTSIDE[record.kind])
    parts.append("**Proof.**\n\n" + _fenced(record.proof.strip()))
    file = f"metricdp/primitives/{INDEX[record.name][0]}/{record.name}.py"
    parts.append(f"[{file}](../../{file})")
    return parts


def _fenced(text: str) -> str:
    return f"```text\n{text}\n```"
