"""A question to a session before it is paid for: what it costs, what it is, how it would run.

Equal questions have one key, so an answer that was paid for is found again; and who asks a question
while another thread pays for it waits for that answer.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import date, datetime
from fractions import Fraction
from math import isfinite, sqrt
from typing import Any

import msgspec

from metricdp.check.values.hashing import content_hash
from metricdp.errors import InternalError
from metricdp.expr import decimal_down, decimal_up
from metricdp.run.release import Release
from metricdp.sessions.costs import Asked, Numbers

_DAYS = (date, datetime)


class Question(msgspec.Struct, frozen=True):
    """One question.

    Attributes:
        name: of the function, measurement or mechanism.
        scope: tables that it reads.
        asked: its events and the distances of the unit; None where only maps are known.
        cost: unit of the budget -> cost.
        numbers: public numbers in the costs.
        public: public arguments by name, as they were given.
        fingerprint: of what runs; "" where that is not known, and then no answer is found again.
        run: makes the release; called after the spend was recorded.
        recost: cost of the question with one public number changed; None if it has none.
        tunable: public parameters, the one to change first.
    """

    name: str
    scope: tuple[str, ...]
    asked: Asked | None
    cost: Mapping[str, Fraction]
    run: Callable[[], Release]
    numbers: Numbers = {}
    public: Mapping[str, Any] = {}
    fingerprint: str = ""
    recost: Callable[[str, Fraction], Mapping[str, Fraction]] | None = None
    tunable: tuple[str, ...] = ()


def key_of(question: Question, units: str) -> str:
    """What makes two questions one; "" where that is not known.

    Args:
        units: the unit of privacy and the tables' spaces.
    """
    if not question.fingerprint:
        return ""
    parts = []
    for name, value in sorted(question.public.items()):
        if not is_plain(value):
            return ""
        exact = question.numbers.get(name)
        parts.append(f"{name}={canonical(value if exact is None else exact)}")
    text = "|".join([question.fingerprint, question.name, *question.scope, *parts, units])
    return content_hash(text, 32)


def canonical(value: Any) -> str:
    """A public value as a text that equal values share: 1 and 1.0 are one number.

    Raises:
        InternalError: a value that is not plain.
    """
    if isinstance(value, bool) or value is None:
        return str(value)
    if isinstance(value, int | Fraction):
        return f"number {Fraction(value)}"
    if isinstance(value, float):
        return f"number {Fraction(value)}" if isfinite(value) else f"float {value}"
    if isinstance(value, str):
        return f"text {value!r}"
    if type(value) in _DAYS:
        return f"{type(value).__name__} {value.isoformat()} {getattr(value, 'fold', 0)}"
    if isinstance(value, tuple | list):
        kind = "tuple" if isinstance(value, tuple) else "list"
        return f"{kind} ({', '.join(map(canonical, value))})"
    raise InternalError(f"a {type(value).__name__} makes no question", place="session")


def is_plain(value: Any) -> bool:
    """Whether `canonical` says all of a public value."""
    if isinstance(value, tuple | list):
        return all(map(is_plain, value))
    if type(value) in _DAYS:
        return getattr(value, "tzinfo", None) is None
    return value is None or isinstance(value, bool | int | float | str | Fraction)


def fits(question: Question, left: Mapping[str, Fraction]) -> tuple[str, Fraction] | None:
    """The parameter to change, and the value nearest to the one asked for that fits what is left.

    A cost grows as a power of a parameter in most programs: the power is read off two costs, and
    the value that follows from it is confirmed by its own cost.
    """
    if question.recost is None or any(v <= 0 for u, v in left.items() if question.cost[u] > 0):
        return None
    over = max((v / left[u] for u, v in question.cost.items() if left[u] > 0), default=Fraction(0))
    worst = max(question.cost, key=lambda u: question.cost[u] / left[u] if left[u] > 0 else 0)
    for name in question.tunable:
        now = question.numbers.get(name)
        if not now:
            continue
        try:
            ratio = question.recost(name, 2 * now)[worst] / question.cost[worst]
            guess = _guess(now, ratio, over)
            for value in () if guess is None else guess:
                if _within(question.recost(name, value), left):
                    return name, value
        except Exception:  # advice only: a refusal without it is still a refusal
            continue
    return None


def _guess(now: Fraction, ratio: Fraction, over: Fraction) -> tuple[Fraction, ...] | None:
    """Values to try, the exact one first."""
    if ratio == 2:
        return now / over, _rounded(now / over, False)
    if ratio == Fraction(1, 2):
        return now * over, _rounded(now * over, True)
    if ratio == 4:
        root = Fraction(float(now) / sqrt(over))
        return _rounded(root, False), _rounded(root * Fraction(999999, 1000000), False)
    if ratio == Fraction(1, 4):
        root = Fraction(float(now) * sqrt(over))
        return _rounded(root, True), _rounded(root * Fraction(1000001, 1000000), True)
    return None


def _rounded(value: Fraction, up: bool) -> Fraction:
    return Fraction((decimal_up if up else decimal_down)(value))


def _within(cost: Mapping[str, Fraction], left: Mapping[str, Fraction]) -> bool:
    return all(value <= left[unit] for unit, value in cost.items())


_guard = threading.Lock()
#: Question -> its lock, and how many hold it or wait for it.
_flying: dict[tuple[str, ...], tuple[threading.RLock, int]] = {}


@contextmanager
def alone(*question: str) -> Iterator[None]:
    """Only one thread of this process at a time is in the body for one question."""
    with _guard:
        lock, users = _flying.get(question, (threading.RLock(), 0))
        _flying[question] = lock, users + 1
    try:
        with lock:
            yield
    finally:
        with _guard:
            lock, users = _flying[question]
            if users > 1:
                _flying[question] = lock, users - 1
            else:
                del _flying[question]


def _after_fork() -> None:
    """The threads that held these are not in the child."""
    global _guard
    _guard = threading.Lock()
    _flying.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
