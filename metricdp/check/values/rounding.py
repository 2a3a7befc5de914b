"""Which numbers of a row are the same however a run computes them.

A run computes functions of rows in columns, where arithmetic rounds to doubles, or row by row in
Python, where it is exact.  Comparisons are exact in both, and so are whole numbers, signs, and
rounding to whole numbers.  Of all else a row may have another value in one reading than in another
one, so terms of two such readings are told apart (`terms.of_row`).
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Final

from metricdp.check.values.regions import (
    AMONG,
    ANY,
    APART,
    COMPARED,
    CONSTANTS,
    MISSING,
    NAMED,
    SAME_NUMBER,
    Term,
)

#: Whether a field of a row, as ("row", table, field, ...), holds whole numbers or no numbers.
IsWhole = Callable[[Term], bool]

_TRUTHS: Final = frozenset({*COMPARED, AMONG, "logical_and", "logical_or", "logical_not",
                            "is_missing", "contains", "is_equal", "is_null"})  # fmt: skip
#: Rules that give whole numbers of any.
_TO_WHOLE: Final = frozenset({"floor", "ceil", "trunc", "round", "len"})
#: Rules that give one of their arguments, or its size.
_CHOOSING: Final = frozenset({
    "abs", "neg", "relu", "min", "max", "minimum", "maximum", "clamp", "fill_missing",
    "undisc", SAME_NUMBER,
})  # fmt: skip
#: Rules that are exact of whole numbers.
_OF_WHOLE: Final = frozenset({"add", "sub", "mul", "floordiv", "mod"})
#: Rules of texts and times, which Python computes of each value wherever it is asked.
_OF_OTHERS: Final = frozenset({
    "text_method", "different_parts", "time_between", "time_earlier", "time_later", "time_part",
    "time_quotient",
})  # fmt: skip


def rounds(term: Term, is_whole: IsWhole) -> bool:
    """Whether the outermost rule of a term may give two values of equal arguments."""
    if term[0] != "rule":
        return False
    name, given = term[1], [part for _, part in term[2:]]
    if name in _TRUTHS or name in _OF_OTHERS or (name in _TO_WHOLE and len(given) == 1):
        return False
    if name in _CHOOSING:  # a column moves a number into the doubles between two ends
        return not all(map(_is_held, given))
    if name == "mul" and any(map(_is_truth, given)):
        return False
    return name not in _OF_WHOLE or not all(is_of_whole(part, is_whole) for part in given)


def may_round(term: Term | None, is_whole: IsWhole) -> bool:
    """Whether any rule in a term may give two values of equal arguments."""
    if term is None:
        return False
    if term[0] == "either":
        return any(may_round(part, is_whole) for part in term[1:])
    if term[0] == APART:
        return True
    given = term[2:] if term[0] == "rule" else ()
    return rounds(term, is_whole) or any(may_round(part, is_whole) for _, part in given)


def is_of_whole(term: Term, is_whole: IsWhole) -> bool:
    """Whether a term is a whole number, or no number, in every row."""
    if term[0] == "row":
        return is_whole(term)
    if term[0] == "number":
        return bool(term[1].is_integer())
    if term[0] in CONSTANTS or term[0] == ANY or term in (MISSING,):
        return True
    if term[0] == "either":
        return all(is_of_whole(part, is_whole) for part in term[2:])
    if term[0] != "rule":
        return False
    name, given = term[1], [part for _, part in term[2:]]
    if name in _TRUTHS or name in _OF_OTHERS or (name in _TO_WHOLE and len(given) == 1):
        return True
    return name in _CHOOSING | _OF_WHOLE and all(is_of_whole(part, is_whole) for part in given)


def _is_truth(term: Term) -> bool:
    return term[0] == "rule" and term[1] in _TRUTHS


def _is_held(term: Term) -> bool:
    """Whether a double holds a constant; true of what is none."""
    computed = term[0] == "rule" and all(part[0] in CONSTANTS | NAMED for _, part in term[2:])
    if computed or term[0] in NAMED:
        return False
    if term[0] != "number":
        return True
    known = term[1].as_fraction()
    if known is None:
        return False
    try:
        return bool(Fraction(float(known)) == known)
    except OverflowError:
        return False
