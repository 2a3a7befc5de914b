"""Public orders on the rows of a table that do not depend on their order: hashed keys.

The j-th copy of a value v has the key (h(v, j), v, j) with the hash of `columns.row_hash`, so the
order looks random, and equal hashes are told apart by the value.  One row more is one key more.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from typing import Any

from metricdp.columns.row_hash import MISSING, START, finished, taken_up
from metricdp.spaces.moments import TIMES, number_of
from metricdp.spaces.scalars import canonical

#: Hexadecimal digits of a text's hash that are its word: no sign is needed.
_DIGITS = 15
#: The number that eight bytes are.
_FIRST = partial(int.from_bytes, byteorder="big")
#: From hashes of 61 bits to words whose first bits are used.
_SPARE = 3


def _word(value: Any) -> int:
    """64 bits of a value, with a sign; equal numbers have the same."""
    if value is None:
        return MISSING
    if not isinstance(value, str):
        number = Fraction(number_of(value) if type(value) in TIMES else value)
        if number.denominator == 1 and -(1 << 63) <= number < 1 << 63:
            return number.numerator
        double = number.numerator / number.denominator if abs(number) < 1 << 1020 else 0.0
        if Fraction(double) == number:
            import struct

            bits: int = struct.unpack("<q", struct.pack("<d", double))[0]
            return bits
    from hashlib import md5  # loads OpenSSL: check need not pay for it

    text = value if isinstance(value, str) else str(Fraction(value))
    # Any text is hashed, also one with half of a surrogate pair.
    found = md5(text.encode("utf-8", "surrogatepass"), usedforsecurity=False)
    return int(found.hexdigest()[:_DIGITS], 16)


def fields_of(row: Any) -> tuple[Any, ...]:
    """The values of a row of the reference or of columns; of a single value that one."""
    if isinstance(row, dict):
        return tuple(row.values())
    return tuple(row) if isinstance(row, tuple) else (row,)


def row_key(fields: Sequence[Any]) -> tuple[int, list[tuple[int, Any]]]:
    """The key of a row by which rows stand in a public order, and rows that are equal alike."""
    h = START
    for value in fields:
        h = taken_up(h, _word(value))
    return finished(h), [_told_apart(value) for value in fields]


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
        words = np.append(words, MISSING)
        held.append(((np.append(ranks, len(values)), words), codes))
    h = np.full(len(held[0][1]), START, np.int64)
    for (ranks, words), codes in held:
        h = taken_up(h, words[ranks[codes]])
    return (*(ranks[codes] for (ranks, _), codes in reversed(held)), finished(h))


def row_words(fields: Sequence[tuple[Any, Any]]) -> Any:
    """The first part of `row_key` of many rows, in the first bits of words of 64 bits.

    Args:
        fields: for each an array of its values, or `Texts`; and which of them are there, None for
            all.
    """
    import numpy as np

    h: Any = np.int64(START)
    for values, there in fields:
        own = _of_values(values)
        if there is not None:
            own = np.where(there, own, np.int64(MISSING))
        h = taken_up(h, own)
    return finished(h).astype(np.uint64) << np.uint64(_SPARE)


def _of_values(values: Any) -> Any:
    """`_word` of many values."""
    import numpy as np

    from metricdp.columns.texts import Texts

    if isinstance(values, Texts):
        return values.once("row words", lambda: _hashed(values.values or [""]))[values.codes]
    if values.dtype == object or values.dtype == np.uint64:
        return _hashed(values.tolist())
    return _words(values if values.dtype.kind == "f" else values.astype(np.int64))


def public_order(rows: Any) -> list[int]:
    """Positions of the rows by their keys, the smallest first."""
    copies: dict[Any, int] = {}
    keys = []
    for position, value in enumerate(rows):
        known = canonical(value)
        copy = copies[known] = copies.get(known, 0) + 1
        key = finished(taken_up(taken_up(START, _word(value)), copy))
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
    return _order(place, np.append(words, np.int64(MISSING)))


def ranked(base: str, values: list[Any]) -> tuple[Any, Any]:
    """The place of each of some values in their order, and the words of that order."""
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
    return ranks, _words(different)


def _hashed(different: Any) -> Any:
    import numpy as np

    if len(different) and all(type(value) is str for value in different):
        from hashlib import md5

        made = partial(md5, usedforsecurity=False)
        found = (made(text.encode("utf-8", "surrogatepass")).digest()[:8] for text in different)
        first = np.fromiter(map(_FIRST, found), np.uint64, len(different))
        return (first >> np.uint64(64 - 4 * _DIGITS)).astype(np.int64)
    return np.array([_word(value) for value in different], np.int64)


def _order(place: Any, words: Any) -> Any:
    """The order of rows that hold the value at a place of some order, of which these are words."""
    import numpy as np

    n = len(place)
    by_value = np.argsort(place, kind="stable")
    ordered = place[by_value]
    fresh = np.ones(n, np.bool_)
    fresh[1:] = ordered[1:] != ordered[:-1]
    starts = np.flatnonzero(fresh)
    first = np.repeat(starts, np.diff(np.append(starts, n)))
    copy = np.empty(n, np.int64)
    copy[by_value] = np.arange(n) - first + 1
    key = finished(taken_up(taken_up(np.int64(START), words)[place], copy))
    return np.lexsort((copy, place, key))


def _words(numbers: Any) -> Any:
    """`_word` of doubles, or of integers of 64 bits."""
    import numpy as np

    if numbers.dtype.kind != "f":
        return numbers.astype(np.int64)
    whole = (np.floor(numbers) == numbers) & (np.abs(numbers) < 2.0**63)
    whole |= numbers == -(2.0**63)
    integers = np.where(whole, numbers, 0.0).astype(np.int64)
    return np.where(whole, integers, np.ascontiguousarray(numbers).view(np.int64))
