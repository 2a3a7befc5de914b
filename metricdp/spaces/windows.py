"""Calendar windows: a person in one day, week, month or year is a unit of their own.

The unit is told by a text, the id and the window after it.  All windows of one kind are written
with equally many characters, so that two units have two texts.
"""

from __future__ import annotations

from datetime import date, datetime
from typing import Any, Final

#: Windows, from the shortest; a week is one of ISO 8601, from Monday, in the year of its Thursday.
PERIODS: Final = ("day", "week", "month", "year")
_IN: Final = " in one calendar "


def in_words(whose: str, per: str) -> str:
    """A unit in words: what an id tells apart, in one window."""
    return f"{whose}{_IN}{per}" if per else whose


def out_of_words(unit: str) -> tuple[str, str]:
    """What an id tells apart, and the window, of a unit in words."""
    whose, _, per = unit.partition(_IN)
    return whose, per


def window(per: str, when: date) -> str:
    """The window in which a date, or one with a time of day, lies.

    Args:
        per: one of `PERIODS`.
    """
    if per == "week":
        year, week, _ = when.isocalendar()
        return f"{year:04}-W{week:02}"
    whole = f"{when.year:04}-{when.month:02}-{when.day:02}"
    return whole[: {"day": 10, "month": 7, "year": 4}[per]]


def unit_of(one: Any, per: str, when: date) -> str:
    """The text of a unit: whose row it is, and in which window."""
    return text_of(one, window(per, when))


def text_of(one: Any, within: str) -> str:
    """The text of a unit, of an id and the text of its window."""
    return f"{one if isinstance(one, str) else int(one)} {within}"


def of_kind(kind: str, when: date) -> date:
    """A date, or one with a time of day, as "date" or "datetime": in the same windows."""
    if kind == "datetime":
        return when if isinstance(when, datetime) else datetime(when.year, when.month, when.day)
    return when.date() if isinstance(when, datetime) else when


def known_day(when: date) -> bool:
    """Whether a date is what the data say: the first and the last one stand for all beyond."""
    ends = (datetime.min, datetime.max) if isinstance(when, datetime) else (date.min, date.max)
    return when not in ends
