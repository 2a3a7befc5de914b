"""The primitives: one file per rule, in folders by theme.

A module without a leading underscore is a primitive: its names make the record (`record.read`).
The registry knows them all from the index (`_index`), and loads each when it is first asked for;
`load()` loads them all.  `python -m metricdp.primitives` writes the index, in the order of the
themes and of the names.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterator

from metricdp.primitives._index import INDEX
from metricdp.record import REGISTRY, Record, not_current, read

#: Theme -> kind of its records; None: every module says its own.
THEMES = {
    "scalars": "transformation",
    "texts": "transformation",
    "times": "transformation",
    "vectors": "transformation",
    "matrices": "transformation",
    "gradients": "transformation",
    "records": "transformation",
    "tables": "transformation",
    "control": None,
    "mechanisms": "mechanism",
}


def found() -> Iterator[tuple[str, str]]:
    """Name and theme of every primitive in the folders."""
    here = os.path.dirname(__file__)
    for theme in THEMES:
        for entry in sorted(os.listdir(os.path.join(here, theme))):
            if entry.endswith(".py") and not entry.startswith("_"):
                yield entry[:-3], theme


def record_of(name: str, theme: str) -> Record:
    """The record that a module makes."""
    return read(importlib.import_module(f"{__name__}.{theme}.{name}"), THEMES[theme])


def load() -> None:
    """Import every primitive, so that nothing is loaded later.

    Raises:
        InternalError: the index and the folders say something else.
    """
    if _compared != [found, INDEX]:
        indexed = [(name, theme) for name, (theme, *_) in INDEX.items()]
        if different := sorted({*found()} ^ {*indexed}):
            raise not_current(", ".join(f"{theme}/{name}.py" for name, theme in different))
        _compared[:] = [found, INDEX]
    REGISTRY.values()


#: What was compared before: every call of a map asks for all records.
_compared: list[object] = []


REGISTRY.announce(INDEX, record_of)
