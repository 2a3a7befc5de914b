"""The catalogue of diagnostics: every code by name and by id."""

from __future__ import annotations

from collections.abc import Iterator

from metricdp.diagnostics.code import Code
from metricdp.diagnostics.codes import (
    boxes,
    claim,
    flow,
    infrastructure,
    names,
    numerics,
    stability,
    subset,
)


def _every() -> Iterator[Code]:
    for theme in (stability, flow, claim, numerics, names, subset, boxes, infrastructure):
        yield from theme.CODES


CATALOGUE: dict[str, Code] = {code.name: code for code in _every()}
_BY_ID: dict[str, Code] = {code.id: code for code in CATALOGUE.values()}


def lookup(name_or_id: str) -> Code | None:
    """The code with this name or id, in any case; None when there is none."""
    return CATALOGUE.get(name_or_id.lower()) or _BY_ID.get(name_or_id.upper())


def id_of(name: str) -> str:
    """Stable id of a code; "DP999" for a name that is not in the catalogue."""
    code = CATALOGUE.get(name)
    return code.id if code else "DP999"


def suggestions(name: str, limit: int = 3) -> list[str]:
    """Names of the catalogue that resemble `name`, nearest first."""
    import difflib  # slow to import, needed only after a typing slip

    lowered = name.lower()
    near = difflib.get_close_matches(lowered, CATALOGUE, n=limit, cutoff=0.5)
    inside = [known for known in CATALOGUE if lowered in known and known not in near]
    return (near + inside)[:limit]
