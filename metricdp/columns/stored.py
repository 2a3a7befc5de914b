"""Columns of a table as they are held: arrays of somebody's, cleaned a piece at a time.

Numbers are cleaned when they are read: NaN becomes 0, infinities the largest double, -0.0 becomes
0, and then declared bounds hold.  Nothing is copied as a whole.  A pass reads every entry once; an
array that another thread changes meanwhile gives the values that were read, each in its bounds.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from metricdp.columns.language import LARGEST, Node, stored
from metricdp.columns.texts import Texts
from metricdp.errors import InternalError


class Stored:
    """One column.

    Args:
        base: "double", "integer", "boolean" or "text".
        data: array of shape (rows,) or (rows, width), of any float, integer or Boolean dtype for
            doubles, int64 or Python's integers for integers; `Texts` for texts.
        bottom, top: bounds of doubles and integers that are read; None where there are none.
    """

    __slots__ = ("base", "bottom", "data", "top")

    def __init__(
        self,
        base: str,
        data: Any,
        bottom: float | int | None = None,
        top: float | int | None = None,
    ) -> None:
        self.base, self.data, self.bottom, self.top = base, data, bottom, top

    def __len__(self) -> int:
        return len(self.data)

    @property
    def width(self) -> int | None:
        """Numbers per row, of a column of vectors."""
        return self.data.shape[1] if getattr(self.data, "ndim", 1) == 2 else None

    def node(self, position: int) -> Node:
        """The column in the columnar language."""
        known = self.bottom is not None and self.top is not None
        most = max(abs(float(self.bottom)), abs(float(self.top))) if known else float("inf")  # type: ignore[arg-type]
        node = stored(position, self.base, self.width, most)
        if known:
            node.range = self.bottom, self.top
        return node

    def piece(self, rows: Any) -> Any:
        """The clean values of some rows (a slice, or an array of positions)."""
        part = self.data[rows]
        if self.base == "double":
            return self._doubles(part.T if part.ndim == 2 else part)
        if self.base == "integer":
            if self.bottom is None and self.top is None:
                return part
            return np.clip(part, self.bottom, self.top)
        if self.base in ("boolean", "text"):
            return part
        raise InternalError(f"a column of {self.base}")

    def _doubles(self, part: Any) -> Any:
        # Adding 0.0 copies, and turns -0.0 into 0.0.
        clean = np.add(part, 0.0, dtype=np.float64, order="C")
        with np.errstate(all="ignore"):
            if not np.isfinite(clean.sum()):
                np.nan_to_num(clean, copy=False, posinf=LARGEST, neginf=-LARGEST)
        if self.bottom is not None or self.top is not None:
            np.clip(clean, self.bottom, self.top, out=clean)
        return clean

    def owned(self) -> Stored:
        """The same column, whatever becomes of the caller's array."""
        data = self.data if isinstance(self.data, Texts) else np.array(self.data)
        return Stored(self.base, data, self.bottom, self.top)
