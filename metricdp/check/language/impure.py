"""Library functions that do more than compute a result from their arguments."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import TYPE_CHECKING

from metricdp.check.values.findings import stop

if TYPE_CHECKING:
    from metricdp.check.language.base import Base

#: Library functions that draw, read or keep something besides their arguments.
IMPURE = (
    "numpy.random", "numpy.load", "numpy.save", "numpy.fromfile", "numpy.genfromtxt",
    "numpy.memmap",
    "numpy.fromregex", "numpy.empty", "numpy.set", "functools.cache", "functools.lru_cache",
    "numpy.ndarray", "numpy.put", "numpy.copyto", "numpy.place", "numpy.fill_diagonal",
    "operator.i", "operator.__", "operator.setitem", "operator.delitem", "operator.call",
    "operator.methodcaller",
)  # fmt: skip
#: Keywords that name an array to write to.
_WRITTEN = frozenset({"out", "overwrite_input"})


def refuse_impure(calls: Base, dotted: str, keywords: Iterable[str], node: ast.AST) -> None:
    """Raises:
    Stop: a function that draws, reads, keeps or changes something besides its result.
    """
    written = next((name for name in keywords if name in _WRITTEN), None)
    if written is not None:
        raise stop(
            calls.module, node, "unsupported-keyword",
            f"`{written}=` makes `{dotted}` change an array that others may hold",
            "a function whose result is a new value", f"remove `{written}=`, and name the result",
        )  # fmt: skip
    if dotted.startswith(IMPURE) or (dotted.startswith("numpy.") and dotted.endswith(".at")):
        raise stop(
            calls.module, node, "unsupported-call",
            f"`{dotted}` does not depend on its arguments alone, or changes them",
            "functions whose result depends on their arguments only",
            "pass its result as a parameter",
        )  # fmt: skip
