"""What rules of dates and times share: which arguments are some, and what they are asked for."""

from __future__ import annotations

from metricdp.expr import ONE, num
from metricdp.record import Arg, Moves, Refusal, refuse, scalar_moves
from metricdp.spaces import Maybe, Moment, Scalar, Space
from metricdp.spaces.moments import kind_of_value

#: Any function of a date into discrete values is 1-stable.
MOVES: Moves = scalar_moves(ONE)
TEXT = Scalar("Data", kind="str")


def _whole(least: int, most: int) -> Scalar:
    """An integer that a date decides, under the discrete metric like the date."""
    return Scalar("Data", num(least), num(most), "int")


_DAY: dict[str, Space] = {
    "year": _whole(1, 9999), "month": _whole(1, 12), "day": _whole(1, 31),
}  # fmt: skip
_CLOCK: dict[str, Space] = {
    "hour": _whole(0, 23), "minute": _whole(0, 59), "second": _whole(0, 59),
    "microsecond": _whole(0, 999_999),
}  # fmt: skip
_WEEK: dict[str, Space] = {
    "weekday": _whole(0, 6), "isoweekday": _whole(1, 7), "toordinal": _whole(1, 3_652_059),
}  # fmt: skip
#: Kind -> attribute -> where it lies, as the calendar says.
ATTRIBUTES: dict[str, dict[str, Space]] = {
    "date": _DAY,
    "datetime": {**_DAY, **_CLOCK},
    "timedelta": {
        "days": _whole(-999_999_999, 999_999_999), "seconds": _whole(0, 86_399),
        "microseconds": _whole(0, 999_999),
    },
}  # fmt: skip
#: Kind -> method without arguments -> where its result lies.
METHODS: dict[str, dict[str, Space]] = {
    "date": {**_WEEK, "isoformat": TEXT},
    "datetime": {**_WEEK, "date": Moment("date")},
    "timedelta": {"total_seconds": Scalar("Data", kind="float")},
}
#: The parts of `isocalendar()`, in their order: its names for them -> how a rule calls them.
ISO = {"year": "iso_year", "week": "iso_week", "weekday": "iso_weekday"}
_ISO: dict[str, Space] = {
    "iso_year": _whole(0, 10_000), "iso_week": _whole(1, 53), "iso_weekday": _whole(1, 7),
}  # fmt: skip


def part_of(kind: str, name: str) -> Space | None:
    """Where a part of a date or time lies; None where it has no such part."""
    known = {**ATTRIBUTES[kind], **METHODS[kind]}
    return {**known, **(_ISO if kind != "timedelta" else {})}.get(name)


def kind_of(x: Arg) -> str:
    """The kind of a date or time, private or public; "" for anything else."""
    if isinstance(x.space, Moment):
        return x.space.kind
    return "" if x.private else kind_of_value(x.literal)


def private(**arguments: Arg) -> dict[str, Moves]:
    """What moves the result, by the names of the private arguments."""
    return {name: MOVES for name, arg in arguments.items() if arg.private}


def not_both(what: str, x: Arg, y: Arg) -> Refusal:
    """Two values that Python does not take together, or that are not known to be dates or times."""
    for arg in (x, y):
        if isinstance(arg.space, Maybe):
            return refuse(
                "unsupported-call",
                f"{what}: {arg.text} may be missing",
                need="values that are there",
                help=f"leave out what is missing first: dp.drop_null([{arg.text} for ...])",
            )
    shown = [kind_of(arg) or "no date or time that is known here" for arg in (x, y)]
    return refuse(
        "unsupported-call",
        f"{what}: {x.text} is {_a(shown[0])}, and {y.text} is {_a(shown[1])}",
        need="two dates, or two with times: a date is not compared with a date and a time",
        help=_same_kind(x, y),
    )


def _a(words: str) -> str:
    return words if words.startswith("no ") else f"a {words}"


def _same_kind(x: Arg, y: Arg) -> str:
    kinds = {kind_of(x), kind_of(y)}
    if kinds == {"date", "datetime"}:
        timed = x if kind_of(x) == "datetime" else y
        return f"{timed.text}.date() in place of {timed.text}"
    other = y if kind_of(x) else x
    kind = kind_of(x) or kind_of(y) or "date"
    written = {"date": "date(2024, 1, 1)", "datetime": "datetime(2024, 1, 1)"}
    return (
        f"{written.get(kind, 'timedelta(days=1)')} in place of {other.text}, or declare "
        f"{other.text} as {kind}"
    )
