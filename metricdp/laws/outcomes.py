"""Outcomes of laws on finitely many points: what may be one, and what becomes of them in functions.

Two outcomes that are equal for Python and print differently (1 and True, 0.0 and -0.0) are told
apart by whoever sees them.  One probability for both would hide a difference, so they are refused.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any, TypeVar

from metricdp.errors import ParameterError

Mass = TypeVar("Mass")


def checked(outcome: Any, place: str) -> Hashable:
    """The outcome itself.

    Raises:
        ParameterError: it cannot be hashed, or it is not equal to itself (NaN).
    """
    try:
        hash(outcome)
    except TypeError:
        raise ParameterError(
            f"a {type(outcome).__name__} cannot be an outcome, as it cannot be hashed",
            place=place,
            remedy="make a tuple of a list or array, and a frozenset of a set",
        ) from None
    if outcome != outcome:
        raise ParameterError(
            "NaN is not equal to itself, so it has no probability",
            place=place,
            remedy='return a name for it, such as "NaN"',
        )
    return outcome  # type: ignore[no-any-return]


def gathered(
    pairs: Iterable[tuple[Any, Mass]], plus: Callable[[Mass, Mass], Mass], place: str
) -> dict[Hashable, Mass]:
    """Masses by outcome, those of one outcome added up.

    Raises:
        ParameterError: an outcome that `checked` refuses; two that are equal and not the same.
    """
    found: dict[Hashable, Mass] = {}
    first: dict[Hashable, Any] = {}
    for outcome, mass in pairs:
        key = checked(outcome, place)
        if key not in found:
            found[key], first[key] = mass, outcome
            continue
        seen = first[key]
        if type(seen) is not type(outcome) or repr(seen) != repr(outcome):
            raise ParameterError(
                f"the outcomes {seen!r} ({type(seen).__name__}) and {outcome!r} "
                f"({type(outcome).__name__}) are equal for Python and look different",
                place=place,
                remedy="return one type, and 0.0 for -0.0",
            )
        found[key] = plus(found[key], mass)
    return found


def shown(kind: str, masses: Mapping[Hashable, Any], text: Callable[[Any], str]) -> str:
    """A law in one line: its first outcomes with their masses."""
    most = 8
    parts = [f"{outcome!r}: {text(mass)}" for outcome, mass in list(masses.items())[:most]]
    more = f", ... {len(masses) - most} more" if len(masses) > most else ""
    return f"{kind}({{{', '.join(parts)}{more}}})"
