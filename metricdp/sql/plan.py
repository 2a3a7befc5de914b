"""What is said beside a query, and what a query becomes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from metricdp.errors import ParameterError

if TYPE_CHECKING:
    from metricdp.sql.finishing import Finish
    from metricdp.sql.groups import GroupKey
    from metricdp.sql.parts import Output
    from metricdp.sql.program import ProgramText


@dataclass(frozen=True)
class Options:
    """What is said beside a query.

    Attributes:
        epsilon, delta, rho: what it may cost one unit: epsilon alone, epsilon with the delta that
            finds private keys, or rho for Gaussian noise.
        keys: column -> public keys.
        bounds: column -> (low, high), for columns that are added up as they are.
        max_groups, max_rows: groups of a person, and rows of a person in each.
        shares: output -> its share of the budget, 1 for those that are not named.
        dialect: "duckdb" or "bigquery".
    """

    epsilon: Any = None
    delta: Any = None
    rho: Any = None
    keys: Mapping[str, Iterable[Any]] = field(default_factory=dict)
    bounds: Mapping[str, Any] = field(default_factory=dict)
    max_groups: int | None = None
    max_rows: int | None = None
    shares: Mapping[str, Any] = field(default_factory=dict)
    dialect: str | None = None


@dataclass(frozen=True)
class Lowered:
    """A query as programs.

    Attributes:
        columns: of the answer, in their order.
        outputs, groups: what was asked, and by what rows are grouped.
        main: the program that draws; None where the counts of found keys are all that is asked.
        keys: the program that finds private keys first; None where they are public.
        budget: name of the unit ("eps" or "rho") and what is spent of it.
        codes: what each column is in a row, of those that are keys; "" for the others.
        counted: outputs that are the counts of the keys program.
        finish: what is done to the released table.
        shares: words, which part of the budget each draw has.
        most: groups of one person.
    """

    columns: tuple[str, ...]
    codes: tuple[str, ...]
    outputs: tuple[Output, ...]
    groups: tuple[GroupKey, ...]
    main: ProgramText | None
    keys: ProgramText | None
    budget: tuple[str, Fraction]
    delta: Fraction | None
    counted: tuple[str, ...]
    finish: Finish
    shares: tuple[str, ...]
    most: int | None


def exact(value: Any, name: str) -> Fraction:
    """A number above 0 as it was typed.

    Raises:
        ParameterError: anything else.
    """
    try:
        number = Fraction(repr(value) if isinstance(value, float) else value)
    except (ValueError, TypeError, ZeroDivisionError):
        raise ParameterError("a number above 0 is needed", place=name, remedy=f"{name}=1") from None
    if isinstance(value, bool) or number <= 0:
        raise ParameterError("a number above 0 is needed", place=name, remedy=f"{name}=1")
    return number


def whole(value: Any, name: str) -> int | None:
    """A whole number above 0, or None.

    Raises:
        ParameterError: anything else.
    """
    if value is None:
        return None
    if type(value) is not int or value < 1:
        raise ParameterError("a whole number above 0 is needed", place=name, remedy=f"{name}=3")
    return value
