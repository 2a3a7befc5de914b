"""Outcomes of laws on finitely many points, and the tables of weights that name them.

Two outcomes that are equal for Python and print differently (1 and True, 0.0 and -0.0) are told
apart by whoever sees them.  One probability for both would hide a difference, so they are refused.

Labels of a table from another library are kept, or the table is refused: a pandas Series knows the
name of each value and has its own order; read by position it would lose the names, and two Series
of one set of outcomes would be compared crosswise.  Nothing is imported: such a table is known by
its attributes.
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


def by_label(given: Any, place: str) -> Any:
    """What names its own values as {label: value}; anything else as it is.

    Args:
        given: a mapping, a table of one axis with labels (`index` and `items()`, as a pandas
            Series has them), or anything without labels.

    Raises:
        ParameterError: a table or array of another number of axes, labels that occur twice, or
            labels that cannot be read (of a table that has `columns` or `coords`).
    """
    if isinstance(given, Mapping):
        return given
    by_axis(given, place)
    if not has_labels(given):
        return given
    found: dict[Hashable, Any] = {}
    for label, value in given.items():
        if checked(label, place) in found:
            raise ParameterError(
                f"the label {label!r} occurs twice",
                place=place,
                remedy="give every outcome once, with its whole probability",
            )
        found[label] = value
    return found


def by_axis(given: Any, place: str) -> None:
    """ParameterError for an array or table whose values have no place on one axis."""
    axes = getattr(given, "ndim", 1)
    if axes != 1 or hasattr(given, "columns") or hasattr(given, "coords"):
        shape = f"of {axes} axes" if axes != 1 else "with names of its own"
        raise ParameterError(
            f"a {type(given).__name__} {shape} does not say which value belongs to which outcome",
            place=place,
            remedy="give a dictionary {outcome: value}, or one list of values",
        )


def has_labels(given: Any) -> bool:
    """Whether a table that is no mapping names its values (a list's `index` is a method)."""
    labels = getattr(given, "index", None)
    return labels is not None and not callable(labels) and callable(getattr(given, "items", None))


def in_order(given: Any, place: str) -> tuple[Any, ...]:
    """The values of a list or array in its order, where the order alone says what they belong to.

    Raises:
        ParameterError: what has labels other than 0, 1, 2, ...; more than one axis; no list.
    """
    read = by_label(given, place)
    if isinstance(read, Mapping):
        if isinstance(given, Mapping) or list(read) != list(range(len(read))):
            raise ParameterError(
                f"the labels of a {type(given).__name__} are not used here: the order counts",
                place=place,
                remedy="give a list of the values, in the order of what they belong to",
            )
        return tuple(read.values())
    if not isinstance(read, Iterable) or isinstance(read, str):
        raise ParameterError(
            f"a {type(given).__name__} is no list", place=place, remedy="give a list"
        )
    return tuple(read)
