"""Columns of a table as they are held: arrays of somebody's, cleaned a piece at a time.

Values are cleaned when they are read: NaN becomes 0, infinities the largest double, -0.0 becomes
0, a Boolean is whether its byte is set, and then declared bounds hold.  Nothing is copied as a
whole.  A pass reads every entry once, into an array of our own; an array that another thread
changes meanwhile, or a file behind it, gives the values that were read, each in its bounds.
"""

from __future__ import annotations

from math import inf
from typing import Any, Final

import numpy as np

from metricdp.columns.files import lies_in_file
from metricdp.columns.floats import finite
from metricdp.columns.language import LARGEST, Node, size_of, stored
from metricdp.columns.texts import Texts
from metricdp.errors import InternalError

#: What `numpy.clip` calls, by way of two functions in Python.
clip: Final[Any] = getattr(getattr(np, "_core", None), "umath", np).clip


class Stored:
    """One column.

    Args:
        base: "double", "integer", "boolean" or "text".
        data: array of shape (rows,) or (rows, width), of any float, integer or Boolean dtype for
            doubles, of any integer or Boolean dtype or Python's integers for integers, of Booleans
            for Booleans; such arrays in parts (`Chunked`); `Texts` for texts, whose codes have 32
            bits at least and are our own.
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

    @property
    def in_file(self) -> bool:
        """Whether the column was written to a file, since it was too long for memory."""
        # Texts that were not read yet lie where the caller has them.
        return lies_in_file(self.data.codes if type(self.data) is Texts else self.data)

    def node(self, position: int) -> Node:
        """The column in the columnar language."""
        most = 2.0**64 if self.base == "integer" and self.data.dtype != object else inf
        if self.bottom is None or self.top is None:
            return stored(position, self.base, self.width, most)
        most = min(most, max(size_of(self.bottom), size_of(self.top)))
        node = stored(position, self.base, self.width, most)
        node.range = self.bottom, self.top
        return node

    def cell(self, row: int) -> Any:
        """The clean value of one row, in plain Python."""
        if self.base == "text":
            return self.data.values[int(self.data.codes[row])]
        if self.width is not None:
            return [self._clean(x) for x in self.data[row]]
        return self._clean(self.data[row])

    def _clean(self, x: Any) -> Any:
        if isinstance(x, np.bool_):
            x = bool(_flags(x))
        if self.base == "boolean":
            return bool(x)
        x = finite(float(x)) + 0.0 if self.base == "double" else int(x)
        x = x if self.bottom is None else max(x, self.bottom)
        return x if self.top is None else min(x, self.top)

    def piece(self, rows: Any) -> Any:
        """The clean values of some rows (a slice, or an array of positions)."""
        part = self.data[rows]
        if self.base != "text" and part.ndim == 2:
            part = part.T
        if self.base == "double":
            return self._doubles(part)
        if self.base == "integer":
            return integers_within(self._integers(part), self.bottom, self.top)
        if self.base == "boolean":
            return _flags(part)
        if self.base == "text":
            return part
        raise InternalError(f"a column of {self.base}")

    def moved(self, rows: Any, ends: tuple[float, float], summed: bool = False) -> Any:
        """`piece` of doubles, moved into an interval, in one pass.

        Args:
            summed: they are only added up, so the sign of a zero is left as it is.
        """
        part, (low, high) = self.data[rows], ends
        if part.dtype != np.float64:
            return np.clip(self._doubles(part), low, high)
        # Two clamps in a row are one, to the second one's values of the first one's ends.
        first = low if self.bottom is None else min(max(self.bottom, low), high)
        last = high if self.top is None else min(max(self.top, low), high)
        found = np.clip(part, first, last)
        largest = found.max(initial=first)
        if largest != largest:  # NaN passes through both
            found[found != found] = min(max(0.0, first), last)
        if not summed and first <= 0 <= last:
            found += 0.0  # -0.0 becomes 0
        return found

    def raw(self, rows: Any) -> Any:
        """Doubles as they lie, in their bounds: where they are no numbers, so is what is read."""
        part = self.data[rows]
        if part.dtype != np.float64 or self.bottom is not None or self.top is not None:
            return self._doubles(part)
        return part

    def clipped(self, rows: Any, ends: tuple[float, float]) -> Any:
        """`moved`, but for NaN, which stays, and for the sign of a zero."""
        part = self.data[rows]
        if part.dtype != np.float64 or self.bottom is not None or self.top is not None:
            return self.moved(rows, ends)
        return part.clip(*ends)

    @property
    def lies_plainly(self) -> bool:
        """Whether these are doubles without bounds, one per row, in one array."""
        data = self.data
        plain = type(data) is np.ndarray and data.dtype == np.float64 and data.ndim == 1
        return plain and self.bottom is None and self.top is None

    def clipped_into(self, rows: Any, ends: tuple[float, float], into: Any) -> None:
        """`clipped` of doubles that lie plainly, in memory that is there."""
        clip(self.data[rows], *ends, into)

    def compared(
        self, rows: Any, operator: str, number: float, flipped: bool, summed: bool = False
    ) -> Any:
        """x < number or x <= number for the doubles of `piece`; `flipped` is number < x."""
        part = self.data[rows]
        if part.dtype != np.float64 or self.bottom is not None or self.top is not None:
            part = self._doubles(part)
        # The opposite is asked where NaN, of which no comparison holds, has to count as 0.
        strict = operator == "lt"
        zero = number < 0 if flipped else number > 0
        if zero or (number == 0 and not strict):
            if flipped:
                return np.logical_not(part <= number if strict else part < number)
            return np.logical_not(part >= number if strict else part > number)
        if flipped:
            return part > number if strict else part >= number
        return part < number if strict else part <= number

    def _doubles(self, part: Any) -> Any:
        # A warning of NumPy would tell something about the data.
        with np.errstate(all="ignore"):
            # Adding 0.0 copies, and turns -0.0 into 0.0.
            clean = np.add(part, 0.0, dtype=np.float64, order="C")
            if not np.isfinite(clean.sum()):
                np.nan_to_num(clean, copy=False, posinf=LARGEST, neginf=-LARGEST)
        if self.bottom is not None or self.top is not None:
            np.clip(clean, self.bottom, self.top, out=clean)
        return clean

    def _integers(self, part: Any) -> Any:
        """A copy: what was found to fit in 64 bits is not read again."""
        if part.dtype.kind == "b":
            return _flags(part).astype(np.int64)
        if part.dtype.kind == "u" and part.dtype.itemsize == 8:
            # Of the fixed kinds only these do not fit.
            if self.top is None or self.top > LAST:
                return part.astype(object)
            part = np.minimum(part, np.uint64(max(self.top, 0)))
        return part.astype(object if part.dtype == object else np.int64)

    def owned(self) -> Stored:
        """The same column, whatever becomes of the caller's array."""
        data = self.data
        data = Texts(data.codes, data.values) if isinstance(data, Texts) else np.array(data)
        return Stored(self.base, data, self.bottom, self.top)


#: The integers of 64 bits.
FIRST, LAST = -(1 << 63), (1 << 63) - 1


def _flags(x: Any) -> Any:
    """Booleans, each read once: a byte that is neither 0 nor 1 would count for more than one."""
    return np.not_equal(x.view(np.uint8), 0)


def integers_within(x: Any, low: float | None, high: float | None) -> Any:
    """Integers of 64 bits, or Python's, moved into a range whose ends may lie beyond 64 bits."""
    if x.dtype != object:
        # Ends that no integer of 64 bits reaches bound all of them, or none.
        if low is not None and low > LAST:
            return np.full(x.shape, low, object)
        if high is not None and high < FIRST:
            return np.full(x.shape, high, object)
        low = None if low is None or low < FIRST else low
        high = None if high is None or high > LAST else high
        # To look whether all lie inside is quicker than to move them.
        bounded = low is not None and high is not None
        if bounded and x.dtype == np.int64 and all_within(x, low, high):  # type: ignore[arg-type]
            return x
    return x if low is None and high is None else np.clip(x, low, high)


def all_within(x: Any, low: float, high: float) -> bool:
    """Whether integers, of 64 bits at most, all lie in a range of those of 64 bits."""
    if not low and x.dtype == np.int64:  # those below 0 are the largest without a sign
        return bool(np.maximum.reduce(x.view(np.uint64), axis=None, initial=0) <= high)
    return bool(x.min(initial=LAST) >= low and x.max(initial=FIRST) <= high)
