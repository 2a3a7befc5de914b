"""Option values of the command line: NAME=NUMBER pairs and numbers, kept as typed."""

from __future__ import annotations

import re
from collections.abc import Sequence

import click

_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?|[+-]?\d+/0*[1-9]\d*")


def is_number(text: str) -> bool:
    """Whether a text is a number such as 2, 0.5, 1e-6, 1/3."""
    return _NUMBER.fullmatch(text) is not None


def assignments(
    context: click.Context, parameter: click.Parameter, values: Sequence[str]
) -> dict[str, str]:
    """NAME=NUMBER pairs as a dictionary.  Raises click.BadParameter, which names the pair."""
    found: dict[str, str] = {}
    for value in values:
        name, equals, text = (part.strip() for part in value.partition("="))
        if not equals or not name.isidentifier():
            raise click.BadParameter(f"{value!r} is not of the form NAME=NUMBER")
        if not _NUMBER.fullmatch(text):
            raise click.BadParameter(f"{value!r}: {text!r} is no number such as 2, 0.5, 1e-6, 1/3")
        if found.setdefault(name, text) != text:
            raise click.BadParameter(f"{name} is given twice, as {found[name]} and {text}")
    return found


def distances(
    context: click.Context, parameter: click.Parameter, values: Sequence[str]
) -> dict[str, str]:
    """NAME=NUMBER pairs whose numbers are not negative."""
    found = assignments(context, parameter, values)
    for name, text in found.items():
        if text.startswith("-"):
            raise click.BadParameter(f"{name}={text}: a distance is not negative")
    return found


def probability(
    context: click.Context, parameter: click.Parameter, value: str | None
) -> str | None:
    """A number strictly between 0 and 1, as typed."""
    if value is None:
        return None
    if not _NUMBER.fullmatch(value):
        raise click.BadParameter(f"{value!r} is no number such as 1e-6")
    from fractions import Fraction  # needed by this option only

    if not 0 < Fraction(value) < 1:
        raise click.BadParameter(f"{value} is not between 0 and 1")
    return value


def below_one(context: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    """A number in [0, 1), as typed: at delta 0 the epsilon is the pure one."""
    return value if value == "0" else probability(context, parameter, value)


def once(context: click.Context, parameter: click.Parameter, values: Sequence[str]) -> str | None:
    """The one value of an option that reads as if it added up when it is given again."""
    if len(values) > 1:
        raise click.BadParameter(
            f"given {len(values)} times: {', '.join(values)}; write several mechanisms as --step"
        )
    return values[0] if values else None


def amount(context: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    """A number that is not negative, as typed."""
    if value is not None and (not _NUMBER.fullmatch(value) or value.startswith("-")):
        raise click.BadParameter(f"{value!r} is no number such as 1, 0.5, 1/3")
    return value


def not_negative(
    context: click.Context, parameter: click.Parameter, value: float | None
) -> float | None:
    """A number of seconds."""
    if value is not None and not value >= 0:
        raise click.BadParameter(f"{value} is no number of seconds; 0 stands for no limit")
    return value


#: Measures of the cost; those with True take a number after a colon.
MEASURES = {
    "pure": False, "approx": False, "zcdp": False, "approx_zcdp": False, "gdp": False,
    "renyi": True, "tcdp": True, "profile": True,
}  # fmt: skip


def measure_name(
    context: click.Context, parameter: click.Parameter, value: str | None
) -> str | None:
    """A measure, as typed: "zcdp", "renyi", "renyi:8"."""
    if value is None:
        return None
    name, colon, number = value.partition(":")
    if name not in MEASURES:
        raise click.BadParameter(f"{value!r} is not one of {', '.join(MEASURES)}")
    if colon and not (MEASURES[name] and _NUMBER.fullmatch(number) and not number.startswith("-")):
        raise click.BadParameter(f"{value!r}: write renyi:8, tcdp:4 or profile:1")
    return value
