"""Numbers of a caller's array that are cleaned when they are read, a cache-sized piece at a time.

Cleaning: NaN becomes 0, infinities the largest double, -0.0 becomes 0, then values are moved into
their bounds.  Nothing of the array is copied as a whole, so a clamped sum of ten million numbers
needs the memory of one piece.  A pass reads every entry once; an array that another thread changes
meanwhile gives the sum of what was read, each entry within the bounds.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


#: Entries handled at a time: the working set stays in the processor's cache.
CHUNK = 1 << 14
#: Ticks of so many bits are added by the piece in 64 bits.
_SMALL = 63 - 14 - 1


class Unread:
    """The entries of an array of numbers, or those that a mask keeps.

    Attributes:
        raw: array of shape (n,), of a float, integer or Boolean dtype; read only.
        bottom, top: doubles that bound every entry, or None.
        mask: Boolean array of shape (n,), or None.
    """

    __slots__ = ("_length", "bottom", "mask", "raw", "top")

    def __init__(
        self,
        raw: Any,
        bottom: float | None = None,
        top: float | None = None,
        mask: NDArray[np.bool_] | None = None,
    ) -> None:
        self.raw, self.bottom, self.top, self.mask = raw, bottom, top, mask
        self._length = len(raw) if mask is None else int(mask.sum())

    def __len__(self) -> int:
        return self._length

    def kept(self, mask: NDArray[np.bool_]) -> Unread:
        """The entries where `mask` (shape (len(self),)) is true."""
        if self.mask is None:
            return Unread(self.raw, self.bottom, self.top, mask)
        both = self.mask.copy()
        both[self.mask] = mask
        return Unread(self.raw, self.bottom, self.top, both)

    def owned(self) -> Unread:
        """The same entries, whatever becomes of the caller's array."""
        import numpy as np

        return Unread(np.array(self.raw), self.bottom, self.top, self.mask)

    def _parts(self) -> Iterator[Any]:
        """Pieces as float64 arrays, as they are: not to be written to."""
        import numpy as np

        for start in range(0, len(self.raw), CHUNK):
            part = self.raw[start : start + CHUNK]
            if self.mask is not None:
                part = part[self.mask[start : start + CHUNK]]
            with np.errstate(over="ignore"):
                yield part.astype(np.float64, copy=False)

    def pieces(self) -> Iterator[NDArray[np.float64]]:
        """Clean pieces in order; each is overwritten by the next."""
        import numpy as np

        buffer = np.empty(CHUNK)
        for part in self._parts():
            yield self._clean(part, buffer[: len(part)])

    def _clean(self, part: Any, out: Any) -> Any:
        import numpy as np

        # Adding 0.0 turns -0.0 into 0.0.
        np.add(part, 0.0, out=out)
        with np.errstate(all="ignore"):
            if not np.isfinite(out.sum()):
                np.nan_to_num(out, copy=False)
        if self.bottom is not None or self.top is not None:
            np.clip(out, self.bottom, self.top, out=out)
        return out

    def floats(self) -> NDArray[np.float64]:
        """All entries, clean, in an array of their own."""
        import numpy as np

        result, at = np.empty(len(self)), 0
        for part in self._parts():
            self._clean(part, result[at : at + len(part)])
            at += len(part)
        return result

    def ticks(self, k: int, low: int, high: int) -> NDArray[np.int64]:
        """Clamped to `low` .. `high` steps of 2**k, rounded to steps (ties to even)."""
        import numpy as np

        result, at = np.empty(len(self), np.int64), 0
        if not is_fine(k, low, high):
            for piece in self.pieces():
                result[at : at + len(piece)] = _by_scaling(piece, k, low, high)
                at += len(piece)
            return result
        shift, bits = _shift(k)
        view = result.view(np.float64)
        for part in self._parts():
            there = slice(at, at + len(part))
            self._shifted(part, k, low, high, shift, view[there])
            result[there] -= bits
            at += len(part)
        return result

    def total(self, k: int, low: int, high: int) -> int:
        """The sum of `ticks(k, low, high)`, without them."""
        import numpy as np

        total = 0
        if not is_fine(k, low, high) or max(abs(low), abs(high)) > 1 << _SMALL:
            for piece in self.pieces():
                ticks = Unread(piece).ticks(k, low, high)
                total += (int((ticks >> 32).sum()) << 32) + int((ticks & 0xFFFFFFFF).sum())
            return total
        shift, bits = _shift(k)
        buffer = np.empty(CHUNK)
        integers = buffer.view(np.int64)
        for part in self._parts():
            size = len(part)
            self._shifted(part, k, low, high, shift, buffer[:size])
            # The sum of the patterns wraps; less their common part, it is below 2**63 in size.
            wrapped = int(integers[:size].sum()) - size * bits + (1 << 63)
            total += wrapped % (1 << 64) - (1 << 63)
        return total

    def _shifted(self, part: Any, k: int, low: int, high: int, shift: Any, out: Any) -> None:
        """Clamped entries plus `shift`, whose last place counts steps of 2**k.

        Two clamps in a row are one, to the second one's values of the first one's bounds.
        """
        import numpy as np

        bottom, top = float(np.ldexp(float(low), k)), float(np.ldexp(float(high), k))
        first = bottom if self.bottom is None else min(max(self.bottom, bottom), top)
        last = top if self.top is None else min(max(self.top, bottom), top)
        np.clip(part, first, last, out=out)
        largest = out.max(initial=first)
        if largest != largest:  # NaN passes through both
            self._clean(part, out)
            np.clip(out, bottom, top, out=out)
        np.add(out, shift, out=out)


def is_fine(k: int, low: int, high: int) -> bool:
    """Whether 1.5 * 2**(52 + k) plus any step from low to high has steps in its last place."""
    return max(abs(low), abs(high)) <= 1 << 50 and -1022 <= k <= 900


def _shift(k: int) -> tuple[Any, int]:
    import numpy as np

    shift = np.ldexp(np.float64(1.5), 52 + k)
    return shift, int(shift.view(np.int64))


def _by_scaling(x: NDArray[np.float64], k: int, low: int, high: int) -> NDArray[np.int64]:
    import numpy as np

    with np.errstate(all="ignore"):
        scaled = np.rint(np.ldexp(x, -k))
    return np.clip(scaled, float(low), float(high)).astype(np.int64)
