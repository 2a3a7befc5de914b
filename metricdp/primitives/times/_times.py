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
    "iso_year": _whole(1, 9999), "iso_week": _whole(1, 53), "iso_weekday": _whole(1, 7),
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


def clock_of(x: Arg) -> str:
    """The zone whose clock shows a private datetime; "" where its field names none."""
    return x.space.zone if x.private and isinstance(x.space, Moment) else ""


def one_clock(what: str, x: Arg, y: Arg) -> None:
    """Two private datetimes are read off one clock; a public one is a reading of any.

    Args:
        what: what is asked of them, in words.

    Raises:
        Refusal: readings of two clocks say nothing of which was earlier.
    """
    zones = clock_of(x), clock_of(y)
    if zones[0] == zones[1] or not (x.private and y.private):
        return
    shown = [f"is on the clock of {zone}" if zone else "has no zone" for zone in zones]
    known = zones[0] or zones[1]
    raise refuse(
        "unsupported-call",
        f"{what}: {x.text} {shown[0]}, and {y.text} {shown[1]}",
        need="two readings of one clock",
        help=f'declare both fields as Annotated[datetime, dp.Zone("{known}")]',
    )


def private(**arguments: Arg) -> dict[str, Moves]:
    """What moves the result, by the names of the private arguments."""
    return {name: MOVES for name, arg in arguments.items() if arg.private}


def not_both(what: str, x: Arg, operator: str, y: Arg, wanted: str = "") -> Refusal:
    """Two values that Python does not take together, or that are not known to be dates or times.

    Args:
        what: what is asked of them, in words.
        wanted: the kind that `y` should have; that of `x`, where it is left out.
    """
    for arg in (x, y):
        if isinstance(arg.space, Maybe):
            return refuse(
                "unsupported-call",
                f"{what}: {arg.text} may be missing",
                need="values that are there",
                help=f"ask first whether it is there: if {arg.text} is not None",
            )
    shown = [kind_of(arg) or "no date or time that is known here" for arg in (x, y)]
    return refuse(
        "unsupported-call",
        f"{what}: {x.text} is {_a(shown[0])}, and {y.text} is {_a(shown[1])}",
        need="two dates, or two with times: a date is not compared with a date and a time",
        help=f" {operator} ".join(_fitting(x, y, wanted)),
    )


def _a(words: str) -> str:
    return words if words.startswith("no ") else f"a {words}"


_EXAMPLES = {
    "date": "date(2024, 1, 1)", "datetime": "datetime(2024, 1, 1)", "timedelta": "timedelta(days=1)"
}  # fmt: skip


def _fitting(x: Arg, y: Arg, wanted: str) -> tuple[str, str]:
    """The two sides as they would fit."""
    kinds = kind_of(x), kind_of(y)
    if not wanted and set(kinds) == {"date", "datetime"}:
        one, other = (
            f"({arg.text}).date()" if " " in arg.text else f"{arg.text}.date()" for arg in (x, y)
        )
        return (one, y.text) if kinds[0] == "datetime" else (x.text, other)
    if not kinds[0] and kinds[1] != "timedelta" and kinds[1]:
        return _EXAMPLES[kinds[1]], y.text
    return x.text, _EXAMPLES[wanted or kinds[0] or "date"]
