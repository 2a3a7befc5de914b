"""Texts that are told apart when somebody reads them: many columns of a table are never read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from metricdp.columns.texts import Texts


class UnreadTexts(Texts):
    """Texts that are read once.

    Args:
        cells: a list or an array of texts, all of the builtin class.
        told: finds the different ones.
    """

    __slots__ = ("_cells", "_found", "_told")

    def __init__(
        self, cells: Any, told: Callable[[Any], Texts] = lambda cells: Texts.of(list(cells))
    ) -> None:
        self._cells, self._told = cells, told
        self._found: Texts | None = None

    def _read(self) -> Texts:
        if self._found is None:
            self._found = self._told(self._cells)
            self._cells = ()
        return self._found

    @property
    def codes(self) -> Any:  # type: ignore[override]
        return self._read().codes

    @property
    def values(self) -> Sequence[Any]:  # type: ignore[override]
        return self._read().values

    @property
    def known(self) -> dict[Any, Any]:  # type: ignore[override]
        return self._read().known

    def __len__(self) -> int:
        return len(self._cells if self._found is None else self._found)
