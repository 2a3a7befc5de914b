"""Arithmetic of fractions as Python 3.12 has it, for the tests of `make test`.

An eighth of their time went into `fractions.Fraction`, whose functions in Python 3.11 ask abstract
classes what two fractions, or a fraction and an int, are.  Here these two cases, which are almost
all, are computed at once by the same formulas, and Python's own function does every other one.
`make thorough` runs on Python's own functions alone; `test_quick_fractions.py` compares both.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from math import gcd
from typing import Any

#: Python's own functions, by name.
OWN: dict[str, Callable[..., Any]] = {
    name: vars(Fraction)[name]
    for name in (
        "__add__", "__radd__", "__sub__", "__rsub__", "__mul__", "__rmul__", "__truediv__",
        "__rtruediv__", "__eq__", "__lt__", "__le__", "__gt__", "__ge__", "__hash__", "__neg__",
    )
}  # fmt: skip
#: Of no type that a checker of types narrows to: its parts have private names.
FRACTION: Any = Fraction
_own_new = Fraction.__new__
_own_hash = OWN["__hash__"]
_bare = object.__new__


def _of(numerator: Any, denominator: Any) -> Any:
    """A fraction in lowest terms, whose denominator is positive."""
    made: Any = _bare(FRACTION)
    made._numerator = numerator
    made._denominator = denominator
    return made


def _new(cls: type, numerator: Any = 0, denominator: Any = None, *, _normalize: bool = True) -> Any:
    if cls is FRACTION:
        kind = type(numerator)
        if denominator is None:
            if kind is int:
                return _of(numerator, 1)
            if kind is FRACTION:
                return _of(numerator._numerator, numerator._denominator)
            if kind is float:
                return _of(*numerator.as_integer_ratio())
        elif kind is int and type(denominator) is int and denominator > 0:
            if _normalize:
                common = gcd(numerator, denominator)
                return _of(numerator // common, denominator // common)
            return _of(numerator, denominator)
    if _normalize:
        return _own_new(cls, numerator, denominator)
    return _own_new(cls, numerator, denominator, _normalize=False)  # type: ignore[call-arg]


def _sum(a: Any, b: Any, sign: Callable[[Any, Any], Any]) -> Any:
    """Knuth, The Art of Computer Programming, volume 2, 4.5.1."""
    da, db = a._denominator, b._denominator
    common = gcd(da, db)
    if common == 1:
        return _of(sign(a._numerator * db, da * b._numerator), da * db)
    rest = da // common
    top = sign(a._numerator * (db // common), b._numerator * rest)
    more = gcd(top, common)
    if more == 1:
        return _of(top, rest * db)
    return _of(top // more, rest * (db // more))


def _product(na: Any, da: Any, nb: Any, db: Any) -> Any:
    common = gcd(na, db)
    if common > 1:
        na //= common
        db //= common
    common = gcd(nb, da)
    if common > 1:
        nb //= common
        da //= common
    return _of(na * nb, db * da)


def _add(a: Any, b: Any) -> Any:
    if type(b) is FRACTION:
        return _sum(a, b, operator.add)
    if type(b) is int:
        return _of(a._numerator + b * a._denominator, a._denominator)
    return OWN["__add__"](a, b)


def _radd(b: Any, a: Any) -> Any:
    if type(a) is int:
        return _of(a * b._denominator + b._numerator, b._denominator)
    return OWN["__radd__"](b, a)


def _sub(a: Any, b: Any) -> Any:
    if type(b) is FRACTION:
        return _sum(a, b, operator.sub)
    if type(b) is int:
        return _of(a._numerator - b * a._denominator, a._denominator)
    return OWN["__sub__"](a, b)


def _rsub(b: Any, a: Any) -> Any:
    if type(a) is int:
        return _of(a * b._denominator - b._numerator, b._denominator)
    return OWN["__rsub__"](b, a)


def _mul(a: Any, b: Any) -> Any:
    if type(b) is FRACTION:
        return _product(a._numerator, a._denominator, b._numerator, b._denominator)
    if type(b) is int:
        return _product(a._numerator, a._denominator, b, 1)
    return OWN["__mul__"](a, b)


def _rmul(b: Any, a: Any) -> Any:
    if type(a) is int:
        return _product(a, 1, b._numerator, b._denominator)
    return OWN["__rmul__"](b, a)


def _truediv(a: Any, b: Any) -> Any:
    if type(b) is FRACTION and b._numerator > 0:
        return _product(a._numerator, a._denominator, b._denominator, b._numerator)
    if type(b) is int and b > 0:
        return _product(a._numerator, a._denominator, 1, b)
    return OWN["__truediv__"](a, b)


def _rtruediv(b: Any, a: Any) -> Any:
    if type(a) is int and b._numerator > 0:
        return _product(a, 1, b._denominator, b._numerator)
    return OWN["__rtruediv__"](b, a)


def _eq(a: Any, b: Any) -> Any:
    if type(b) is FRACTION:
        return a._numerator == b._numerator and a._denominator == b._denominator
    if type(b) is int:
        return a._numerator == b and a._denominator == 1
    return OWN["__eq__"](a, b)


def _lt(a: Any, b: Any) -> Any:
    if type(b) is FRACTION:
        return a._numerator * b._denominator < a._denominator * b._numerator
    if type(b) is int:
        return a._numerator < a._denominator * b
    return OWN["__lt__"](a, b)


def _le(a: Any, b: Any) -> Any:
    if type(b) is FRACTION:
        return a._numerator * b._denominator <= a._denominator * b._numerator
    if type(b) is int:
        return a._numerator <= a._denominator * b
    return OWN["__le__"](a, b)


def _gt(a: Any, b: Any) -> Any:
    if type(b) is FRACTION:
        return a._numerator * b._denominator > a._denominator * b._numerator
    if type(b) is int:
        return a._numerator > a._denominator * b
    return OWN["__gt__"](a, b)


def _ge(a: Any, b: Any) -> Any:
    if type(b) is FRACTION:
        return a._numerator * b._denominator >= a._denominator * b._numerator
    if type(b) is int:
        return a._numerator >= a._denominator * b
    return OWN["__ge__"](a, b)


def _neg(a: Any) -> Any:
    return _of(-a._numerator, a._denominator)


@lru_cache(maxsize=1 << 14)
def _hash_of(numerator: int, denominator: int) -> int:
    found: int = _own_hash(_of(numerator, denominator))
    return found


def _hash(a: Any) -> int:
    if a._denominator == 1:
        return hash(a._numerator)
    return _hash_of(a._numerator, a._denominator)


QUICK: dict[str, Callable[..., Any]] = {
    "__add__": _add, "__radd__": _radd, "__sub__": _sub, "__rsub__": _rsub, "__mul__": _mul,
    "__rmul__": _rmul, "__truediv__": _truediv, "__rtruediv__": _rtruediv, "__eq__": _eq,
    "__lt__": _lt, "__le__": _le, "__gt__": _gt, "__ge__": _ge, "__hash__": _hash, "__neg__": _neg,
}  # fmt: skip


def install() -> None:
    """From now on fractions of this process compute this way."""
    for name, function in QUICK.items():
        setattr(Fraction, name, function)
    Fraction.__new__ = staticmethod(_new)  # type: ignore[method-assign]
