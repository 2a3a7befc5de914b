"""The page of all diagnostics, from the catalogue."""

from __future__ import annotations

from metricdp.diagnostics.catalogue import CATALOGUE
from metricdp.diagnostics.code import Code


def diagnostics() -> str:
    """The text of the page."""
    parts = [
        "# Diagnostics",
        "What `metricdp check` and a run report. `metricdp explain NAME` prints the same.",
    ]
    return "\n\n".join([*parts, *map(_entry, CATALOGUE.values())]) + "\n"


def _entry(code: Code) -> str:
    parts = [f"## {code.name}", f"{code.id}: {code.title}.", code.means.strip(), code.why.strip()]
    for title, text in (("Rejected", code.rejected), ("Mended", code.mended)):
        parts.append(f"{title}:\n\n```{code.language}\n{text.strip()}\n```")
    return "\n\n".join(parts)
