"""The primitives: one file per rule, in folders by theme.

A module without a leading underscore is a primitive: its names make the record (`record.read`).
`load()` imports them all once, in the order of the themes and of their names.
"""

from __future__ import annotations

import importlib
import os
import threading

from metricdp.record import read, register

#: Theme -> kind of its records; None: every module says its own.
THEMES = {
    "scalars": "transformation",
    "vectors": "transformation",
    "matrices": "transformation",
    "gradients": "transformation",
    "records": "transformation",
    "tables": "transformation",
    "control": None,
    "mechanisms": "mechanism",
}
_lock = threading.RLock()
_loaded = False


def load() -> None:
    """Import every primitive, so that `record.REGISTRY` is complete."""
    global _loaded
    if _loaded:
        return
    with _lock:
        if _loaded:
            return
        here = os.path.dirname(__file__)
        for theme, kind in THEMES.items():
            for entry in sorted(os.listdir(os.path.join(here, theme))):
                if entry.endswith(".py") and not entry.startswith("_"):
                    module = importlib.import_module(f"{__name__}.{theme}.{entry[:-3]}")
                    register(read(module, kind))
        _loaded = True
