"""Addresses of calls: the calls that lead there, then the place of the call itself.

A round of an unrolled loop, or a candidate, is `place#position` among them.  What stands after a
branch that may jump was read once per side; `place?1` and `place?0` say on which, where the two
readings differ.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any


def without_rounds(address: str) -> str:
    """The address of a call without the rounds that lead to it, and without sides of branches."""
    return "/".join(part for part in address.split("/") if "#" not in part and "?" not in part)


def charged_as(address: str, known: Collection[str]) -> str:
    """The known address of a call: its own one, or that without the rounds of loops of which one
    round was read for all; its own one if none fits, or several do."""
    if address in known:
        return address
    plain = without_rounds(address)
    if plain in known or plain == address:
        return plain
    fitting = [each for each in known if "#" in each and _leaves_out_rounds(each, address)]
    return fitting[0] if len(fitting) == 1 else address


def _leaves_out_rounds(known: str, address: str) -> bool:
    left = iter(known.split("/"))
    due = next(left, None)
    for part in address.split("/"):
        if part == due:
            due = next(left, None)
        elif "#" not in part:
            return False
    return due is None


def without_sides(address: str) -> str:
    """The address of a call without the sides of branches that lead to it."""
    if "?" not in address:
        return address
    return "/".join(part for part in address.split("/") if "?" not in part)


def by_sides(addresses: Iterable[str]) -> dict[str, list[str]]:
    """Address without rounds and sides -> the addresses that say on which sides they stand."""
    found: dict[str, list[str]] = {}
    for address in dict.fromkeys(addresses):
        if "?" in address:
            found.setdefault(without_rounds(address), []).append(address)
    return found


def taken(address: str, known: list[str], sides: Mapping[str, bool]) -> str:
    """Which of the known addresses a run stands at; its own one if none fits.

    Args:
        address: as the run counts it, with the rounds of all loops.
        known: addresses of `by_sides`.
        sides: address of a branch, without rounds -> the side that was last taken there.
    """
    fitting = [each for each in known if all(sides.get(b) == s for b, s in decisions(each))]
    exact = [each for each in fitting if without_sides(each) == address]
    whole = [each for each in fitting if without_sides(each) == without_rounds(address)]
    return next(iter(exact or whole), address)


def decisions(address: str) -> Iterable[tuple[str, bool]]:
    """The branches on the way to an address, without rounds, and their sides."""
    before: list[str] = []
    for part in address.split("/"):
        place, mark, side = part.partition("?")
        if mark:
            yield "/".join([*before, place]), side == "1"
        elif "#" not in part:
            before.append(part)


def side(place: str, holds: Any) -> str:
    """The part of an address that says on which side of a branch it stands."""
    return f"{place}?{int(bool(holds))}"


def noted_at(address: str) -> str:
    """The address of the number that a name is given, which is no call's."""
    return f"{address}="
