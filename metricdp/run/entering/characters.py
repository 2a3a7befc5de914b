"""The different texts of an array of NumPy, found by hashes of their characters."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from metricdp.columns.texts import Texts

#: Bits of a hash that one round looks at, and where they stand.
_BITS = 16
_ROUNDS = (48, 32, 16, 0)
#: Fewer texts are told apart by Python, before a table of slots is made.
_FEW = 128
#: Rows that are told apart at once.
_PIECE = 1 << 17


def told_apart(array: Any) -> Texts:
    """The texts of an array, read once; what is no character is U+FFFD."""
    if len(array) <= _PIECE:
        return _told_apart(array)
    # Piece by piece, since what the rounds make is several times as long as the texts.
    codes, places = np.empty(len(array), np.int32), dict[str, int]()
    for start in range(0, len(array), _PIECE):
        piece = _told_apart(array[start : start + _PIECE]).placed(places)
        codes = codes.astype(piece.dtype, copy=False)
        codes[start : start + _PIECE] = piece
    return Texts(codes, [*places])


def _told_apart(array: Any) -> Texts:
    """`told_apart` of some rows at once.

    In each round a slot belongs to one text; rows with another text in their slot are left for the
    next round, and rows that are left at the end are told apart by Python.
    """
    texts = np.array(array, array.dtype.newbyteorder("="), order="C")
    if not texts.dtype.itemsize or not len(texts):
        return Texts.of(texts.tolist())
    characters = texts.view(np.uint32).reshape(len(texts), -1)
    characters[characters > sys.maxunicode] = 0xFFFD
    if len(texts) < _FEW:
        return Texts.of(texts.tolist())
    hashes = _hashed(characters)
    codes, values = np.empty(len(texts), np.int32), list[str]()
    left: Any = slice(None)
    for shift in _ROUNDS:
        slots = (hashes[left] >> np.uint64(shift)).astype(np.uint16)
        rows = np.arange(len(texts))[left]
        owner = np.full(1 << _BITS, -1)
        owner[slots] = rows
        same = texts[owner[slots]] == texts[left]
        taken = owner >= 0
        places = np.cumsum(taken) + (len(values) - 1)
        codes[rows[same]] = places[slots[same]]
        values += texts[owner[taken]].tolist()
        left = rows[~same]
        if not len(left):
            return Texts(codes, values)
    rest = Texts.of(texts[left].tolist())
    codes[left] = rest.codes + len(values)
    return Texts(codes, [*values, *rest.values])


def _hashed(characters: Any) -> Any:
    hashes = np.zeros(len(characters), np.uint64)
    for column in characters.T:
        hashes ^= column
        hashes *= np.uint64(0x9E3779B97F4A7C15)
        hashes ^= hashes >> np.uint64(29)
    return hashes
