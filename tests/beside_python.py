"""The same text as a checked program and as plain Python, to compare what both compute."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

from checked_modules import load

HEAD = "from __future__ import annotations\n"


def both(folder: Path, text: str) -> tuple[Any, Any]:
    """The module of a text as it is checked, and its names as plain Python gives them.

    In plain Python `dp` has `transformation`, which does nothing, `clamp`, `sum`, `count` and
    `fill_missing`.
    """
    plain = {
        "__name__": "plain",
        "dp": SimpleNamespace(
            transformation=lambda f: f,
            clamp=lambda x, low, high: min(max(x, low), high),
            fill_missing=lambda x, constant: constant if x is None else x,
            count=len,
            sum=sum,
        ),
    }
    exec(HEAD + text.replace("@dataclass", ""), plain)
    return load(folder, text, head=f"{HEAD}import metricdp as dp\n"), SimpleNamespace(**plain)
