"""Public orders on the rows of a table that do not depend on their order: hashed keys.

The j-th copy of a value v has the key (h(v, j), v, j); h mixes the bits of the value, so the order
looks random, and equal hashes are told apart by the value.  One row more is one key more.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from metricdp.spaces.moments import TIMES, number_of
from metricdp.spaces.scalars import canonical

_WORD = (1 << 64) - 1
_STEP, _FIRST, _SECOND = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
#: Told apart from integers: doubles that are none.
_BROKEN = 0xD1B54A32D192ED03
#: Where the words of whole rows begin.  Any constant would do: it only has to be known before the
#: data are, and to be the same in every run.
_ROWS = 0xA0761D6478BD642F


def mixed(word: int) -> int:
    """The finaliser of splitmix64: a fixed bijection of 64-bit words."""
    word = (word ^ word >> 30) * _FIRST & _WORD
    word = (word ^ word >> 27) * _SECOND & _WORD
    return word ^ word >> 31


def _word(value: Any) -> int:
    """64 bits of a value; equal numbers have the same."""
    if not isinstance(value, str):
        number = Fraction(value)
        if number.denominator == 1 and -(1 << 63) <= number < 1 << 63:
            return number.numerator & _WORD
        double = number.numerator / number.denominator if abs(number) < 1 << 1020 else 0.0
        if Fraction(double) == number:
            import struct

            bits: int = struct.unpack("<Q", struct.pack("<d", double))[0]
            return bits ^ _BROKEN
    from hashlib import blake2b  # loads OpenSSL: check need not pay for it

    text = value if isinstance(value, str) else str(Fraction(value))
    # Any text is hashed, also one with half of a surrogate pair.
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest())


def fields_of(row: Any) -> tuple[Any, ...]:
    """The values of a row of the reference or of columns; of a single value that one."""
    if isinstance(row, dict):
        return tuple(row.values())
    return tuple(row) if isinstance(row, tuple) else (row,)


def row_key(fields: Sequence[Any]) -> tuple[int, list[tuple[int, Any]]]:
    """The key of a row by which rows stand in a public order, and rows that are equal alike."""
    word = _ROWS
    for value in fields:
        word = mixed((word + _field(value)) & _WORD)
    return word, [_told_apart(value) for value in fields]


def _field(value: Any) -> int:
    """The word of one field of a row."""
    if value is None:
        return _STEP
    return mixed(_word(number_of(value) if type(value) in TIMES else value))


def row_keys(fields: Sequence[tuple[str, Any, list[Any]]]) -> tuple[Any, ...]:
    """`row_key` of many rows, as arrays that `numpy.lexsort` takes.

    Args:
        fields: for each its base, for every row the position of its value, and these values; the
            position after the last one of a value that is missing.
    """
    import numpy as np

    held = []
    for base, codes, values in fields:
        ranks, words = ranked(base, values)
        words = np.append(words, np.uint64(_STEP))
        held.append(((np.append(ranks, len(values)), words), codes))
    word = np.full(len(held[0][1]), _ROWS, np.uint64)
    with np.errstate(over="ignore"):
        for (ranks, words), codes in held:
            word = _mixed(word + words[ranks[codes]])
    return (*(ranks[codes] for (ranks, _), codes in reversed(held)), word)


def row_words(fields: Sequence[tuple[Any, Any]]) -> Any:
    """The first part of `row_key` of many rows, as an array.

    Args:
        fields: for each an array of its values or, of texts, their positions among different ones
            and these; and which of them are there, None for all.
    """
    import numpy as np

    word: Any = np.uint64(_ROWS)
    with np.errstate(over="ignore"):
        for values, there in fields:
            own = _of_values(values)
            if there is not None:
                own = np.where(there, own, np.uint64(_STEP))
            word = _mixed(word + own)
    return word


def _of_values(values: Any) -> Any:
    """`_field` of many values."""
    import numpy as np

    if isinstance(values, tuple):
        codes, different = values
        return _hashed(different)[codes]
    if values.dtype == object or values.dtype == np.uint64:
        return _hashed(values.tolist())
    return _mixed(_words(values if values.dtype.kind == "f" else values.astype(np.int64)))


def public_order(rows: Any) -> list[int]:
    """Positions of the rows by their keys, the smallest first."""
    copies: dict[Any, int] = {}
    keys = []
    for position, value in enumerate(rows):
        known = canonical(value)
        copy = copies[known] = copies.get(known, 0) + 1
        word = _STEP if value is None else mixed(_word(value))
        key = mixed((word + copy * _STEP) & _WORD)
        keys.append((key, *_told_apart(value), copy, position))
    return [position for *_, position in sorted(keys)]


def _told_apart(value: Any) -> tuple[int, Any]:
    """Values of equal hash in an order: numbers, True and False, texts, missing ones."""
    if value is None:
        return 3, 0
    if type(value) in TIMES:
        return 0, number_of(value)
    return (2 if isinstance(value, str) else int(isinstance(value, bool))), value


def table_order(rows: Any) -> Any:
    """`public_order` of a table, as positions in an array.

    Raises:
        Untraceable: rows that are no single values.
    """
    import numpy as np

    from metricdp.columns.nullable import Nullable, parts

    value, there = parts(rows.row)
    codes, values = rows.coded(value)
    ranks, words = ranked(value.base, values)
    place = ranks[codes]
    if isinstance(rows.row, Nullable):
        # Missing rows are told apart from all others, and come last among those of equal hash.
        place = np.where(rows.array(there), place, len(values))
    return _order(place, np.append(words, np.uint64(_STEP)))


def ranked(base: str, values: list[Any]) -> tuple[Any, Any]:
    """The place of each of some values in their order, and the mixed words of that order."""
    import numpy as np

    if base == "text":
        different: Any = sorted(set(values))
        place = {value: at for at, value in enumerate(different)}
        ranks = np.array([place[value] for value in values], np.int64)
        return ranks, _hashed(different)
    kind: Any = np.float64 if base == "double" else np.int64
    if base == "integer" and not all(-(1 << 63) <= value < 1 << 63 for value in values):
        kind = object
    different, ranks = np.unique(np.array(values, kind), return_inverse=True)
    if kind is object:
        return ranks, _hashed(different)
    with np.errstate(over="ignore"):
        return ranks, _mixed(_words(different))


def _hashed(different: Any) -> Any:
    import numpy as np

    return np.array([mixed(_word(value)) for value in different], np.uint64)


def _order(place: Any, words: Any) -> Any:
    """The order of rows that hold the value at a place of some order, of which this is the hash."""
    import numpy as np

    n = len(place)
    by_value = np.argsort(place, kind="stable")
    ordered = place[by_value]
    fresh = np.ones(n, np.bool_)
    fresh[1:] = ordered[1:] != ordered[:-1]
    starts = np.flatnonzero(fresh)
    first = np.repeat(starts, np.diff(np.append(starts, n)))
    copy = np.empty(n, np.uint64)
    copy[by_value] = (np.arange(n) - first + 1).astype(np.uint64)
    with np.errstate(over="ignore"):
        key = _mixed(words[place] + copy * np.uint64(_STEP))
    return np.lexsort((copy, place, key))


def _words(numbers: Any) -> Any:
    """`_word` of doubles, or of integers of 64 bits."""
    import numpy as np

    if numbers.dtype.kind == "i":
        return numbers.view(np.uint64)
    whole = (np.floor(numbers) == numbers) & (np.abs(numbers) < 2.0**63)
    whole |= numbers == -(2.0**63)
    integers = np.where(whole, numbers, 0.0).astype(np.int64).view(np.uint64)
    bits = np.ascontiguousarray(numbers).view(np.uint64) ^ np.uint64(_BROKEN)
    return np.where(whole, integers, bits)


def _mixed(words: Any) -> Any:
    import numpy as np

    words = (words ^ words >> np.uint64(30)) * np.uint64(_FIRST)
    words = (words ^ words >> np.uint64(27)) * np.uint64(_SECOND)
    return words ^ words >> np.uint64(31)
