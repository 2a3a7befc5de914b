"""The primitives: one file per rule, in folders by theme.

`load()` imports every module below this package once; a primitive exists by having a file.
"""

from __future__ import annotations

import importlib
import os

THEMES = tuple("scalars vectors matrices gradients records tables control mechanisms".split())
_loaded = False


def load() -> None:
    """Import every primitive, so that `record.REGISTRY` is complete."""
    global _loaded
    if _loaded:
        return
    here = os.path.dirname(__file__)
    for theme in THEMES:
        for entry in sorted(os.listdir(os.path.join(here, theme))):
            if entry.endswith(".py") and not entry.startswith("_"):
                importlib.import_module(f"{__name__}.{theme}.{entry[:-3]}")
    _loaded = True
