"""Files of the tz database: where Python finds one, which instants it lists, and its version."""

from __future__ import annotations

import os
from struct import unpack_from

from metricdp.errors import SpaceError


def version(name: str) -> str:
    """The version of the tz database that a zone is read from; "" where it says none."""
    from importlib import metadata

    root = _root(name)
    if root is None:
        return metadata.version("tzdata")
    for file, before in (("tzdata.zi", "# version "), ("+VERSION", "")):
        try:
            with open(os.path.join(root, file), encoding="utf-8") as lines:
                first = lines.readline(64).strip()
        except (OSError, ValueError):
            continue
        if first.startswith(before):
            return first.removeprefix(before)
    return ""


def _root(name: str) -> str | None:
    """The folder where Python finds a zone; None where it is in the package tzdata."""
    from zoneinfo import TZPATH

    return next((root for root in TZPATH if os.path.isfile(os.path.join(root, name))), None)


def file_of(name: str) -> bytes:
    """The file of a zone, from where Python looks for it."""
    from importlib import resources

    root = _root(name)
    if root is not None:
        with open(os.path.join(root, name), "rb") as file:
            return file.read()
    *folders, last = name.split("/")
    try:
        return resources.files(".".join(["tzdata.zoneinfo", *folders])).joinpath(last).read_bytes()
    except (ImportError, OSError, UnicodeEncodeError):
        raise unread(name) from None


def unread(name: str) -> SpaceError:
    """The error about a zone that the database has."""
    return SpaceError(
        f"the tz database has a zone {name} that is not read here",
        remedy="another zone with the same clock, or pip install tzdata",
    )


def instants_of(data: bytes) -> list[int]:
    """The instants of a file, in seconds.

    Raises:
        ValueError, IndexError: no such file.
    """
    first = unpack_from(">4sc15x6l", data) if len(data) >= 44 else ()
    if not first or first[0] != b"TZif" or first[1] < b"2" or first[4]:
        raise ValueError
    _, _, universal, standard, leaps, times, kinds, letters = first
    at = 44 + times * 5 + kinds * 6 + letters + leaps * 8 + standard + universal
    if not 44 <= at <= len(data) - 44:
        raise ValueError
    _, _, _, _, leaps, times, _, _ = unpack_from(">4sc15x6l", data, at)
    if leaps or times < 0 or len(data) < at + 44 + 8 * times:
        raise ValueError
    return list(unpack_from(f">{times}q", data, at + 44))
