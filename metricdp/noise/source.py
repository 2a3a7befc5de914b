"""Where random bits come from: the operating system, or a seed in tests.

A source hands out fresh uniform bits, never twice: not to two threads, not to the parent and the
child of a fork (one made by C code included), not to a copy of the source or of the machine.  The
system source keeps no bits at all, so there is nothing that a copy could hold.  What stays: bits of
a draw that is under way are in memory, and a machine that is copied in that instant and continued
twice goes on with them; and after such a copy the operating system's generator is as fresh as its
kernel makes it (Linux reseeds where the host tells it of the copy).
"""

from __future__ import annotations

from os import urandom as _urandom
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from numpy import uint64
    from numpy.typing import NDArray

_BLOCK = 4096


class BitSource(Protocol):
    """Independent uniform random bits.

    Attributes:
        secure: False: reproducible or predictable, so a release made with it must say so.
    """

    secure: bool

    def take(self, n: int) -> bytes:
        """`n` fresh uniform bytes."""

    def uint64(self, n: int) -> NDArray[uint64]:
        """Array of shape (n,), uniform on 0 .. 2**64 - 1."""

    def randbits(self, k: int) -> int:
        """Uniform on 0 .. 2**k - 1 (k >= 0)."""

    def below(self, n: int) -> int:
        """Uniform on 0 .. n - 1 exactly (n >= 1; ValueError otherwise)."""


class _Words:
    """Words and integers from `take`."""

    __slots__ = ()

    secure = True

    def take(self, n: int) -> bytes:
        raise NotImplementedError

    def uint64(self, n: int) -> NDArray[uint64]:
        import numpy

        return numpy.frombuffer(self.take(8 * n), dtype="<u8")

    def randbits(self, k: int) -> int:
        return int.from_bytes(self.take((k + 7) // 8), "little") >> (-k % 8)

    def below(self, n: int) -> int:
        if n < 1:
            raise ValueError(f"no integer from 0 to {n - 1}")
        k = (n - 1).bit_length()
        while True:
            # Rejection, since 2**k mod n != 0 would favour small integers.
            value = self.randbits(k)
            if value < n:
                return value


class SystemSource(_Words):
    """The operating system's generator (`os.urandom`), asked afresh for every request."""

    __slots__ = ()

    secure = True

    def take(self, n: int) -> bytes:
        """`n` fresh uniform bytes."""
        return _urandom(n)


class SeededSource(_Words):
    """Reproducible bits for tests: SHAKE-256 of the seed and a block counter.

    The bits depend on the seed and on the sequence of requests, on no platform or version.
    """

    secure = False

    def __init__(self, seed: int | str) -> None:
        self._key = f"metricdp seeded source {seed!r} ".encode()
        self._counter, self._buffer, self._position = 0, b"", 0

    def take(self, n: int) -> bytes:
        """`n` pseudorandom bytes."""
        if self._position + n > len(self._buffer):
            from hashlib import shake_256  # only tests pay for the import

            key = self._key + str(self._counter).encode()
            self._buffer = shake_256(key).digest(max(_BLOCK, n))
            self._counter, self._position = self._counter + 1, 0
        fresh = self._buffer[self._position : self._position + n]
        self._position += n
        return fresh


_SYSTEM = SystemSource()


def system_source() -> SystemSource:
    """The process-wide source that every release draws from."""
    return _SYSTEM
