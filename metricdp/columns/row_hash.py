"""A hash of the values of a row: the same in plain Python, on arrays, and in an engine's SQL.

A value is a word of 64 bits.  Words are taken up one after the other, each in two halves that are
multiplied by constants of 30 bits, modulo the prime 2**61 - 1: no sum reaches 2**63, so integers of
64 bits are enough, without overflow.  What decides how well it mixes is that the number is taken
apart at another bit than it was put together; tests count how often rows come first, alone and in
pairs.  It is no secret: it has to be the same in every run.
"""

from __future__ import annotations

from typing import Any, Final

PRIME: Final = (1 << 61) - 1
#: Bits of the lower part of a number below the prime, and of the lower half of a word.
LOW: Final = 31
HALF: Final = 32
SHIFT: Final = 29
#: Factors of the two parts of the number so far, and of the two halves of the next word.
FACTORS: Final = 0x2545F491, 0x369DEA0F, 0x13198A2F, 0x1B873593
#: Factors of the two parts in each of the last rounds.
ROUNDS: Final = (0x3C6EF35F, 0x2B3A5F1D), (0x31848BAB, 0x27D4EB2F), (0x165667B1, 0x3E3779B9)
START: Final = 0x3AD8025F1F83D9AB % PRIME
#: The word of a value that is missing.
MISSING: Final = 0x1F83D9ABFB41BD6B
_LOWER: Final = (1 << LOW) - 1
_LOWER_HALF: Final = (1 << HALF) - 1


def taken_up(h: Any, word: Any) -> Any:
    """The number after one word more.

    Args:
        h: integers from 0 to `PRIME` - 1, in Python or in an array of 64 bits.
        word: integers of 64 bits, with a sign.
    """
    high, low, first, second = FACTORS
    h = h ^ h >> SHIFT
    parts = (h >> LOW) * high + (h & _LOWER) * low
    return (parts + ((word >> HALF) + (1 << 31)) * first + (word & _LOWER_HALF) * second) % PRIME


def finished(h: Any) -> Any:
    """The hash of the words that were taken up: from 0 to `PRIME` - 1."""
    for high, low in ROUNDS:
        h = h ^ h >> SHIFT
        h = ((h >> LOW) * high + (h & _LOWER) * low) % PRIME
    return h
