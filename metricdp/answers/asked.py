"""`function.solve(...)`: numbers as Python callers give them, remedies as they write them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from numbers import Rational
from typing import Any

from metricdp.answers.errors import AnswerError, UnknownParameter, WrongBudget, WrongValue
from metricdp.answers.solve import Solution, solve
from metricdp.plain import scalar

_OPTION = re.compile(r"--(?:set |distance )?(\w+)(?:=| (?=[\w.]))")


def ask(
    function: Any,
    for_: str,
    budget: Mapping[str, Any],
    fixed: Mapping[str, Any],
    distance: Mapping[str, Any],
) -> Solution:
    """`solve` for a checked function; see there.

    Args:
        budget: "epsilon", "delta", "rho" -> number or None.

    Raises:
        AnswerError: as `solve`; `WrongValue` or `WrongBudget` for what is no finite number.
        NotProvedError: the function was not proved.
    """
    if not isinstance(for_, str):
        raise UnknownParameter(
            "the parameter to find is given by its name", remedy='function.solve("scale", ...)'
        )
    numbers = {n: _number(n, v, WrongBudget) for n, v in budget.items() if v is not None}
    if ("epsilon" in numbers) == ("rho" in numbers):
        raise WrongBudget("the budget is either epsilon or rho", remedy="epsilon=1   or   rho=0.1")
    given = {name: _number(name, value, WrongValue) for name, value in fixed.items()}
    far = {name: _number(name, value, WrongValue) for name, value in distance.items()}
    if negative := [name for name, value in far.items() if value < 0]:
        raise WrongValue(f"the distance of `{negative[0]}` is negative", remedy="0 or more")
    try:
        return solve(function, for_, **numbers, set=given, distance=far)
    except AnswerError as error:
        # The same answer on the command line names its options.
        remedy = _OPTION.sub(r"\1=", error.remedy).replace("--", "")
        raise type(error)(error.fact, place=error.place, remedy=remedy) from None


def _number(name: str, value: Any, wrong: type[AnswerError]) -> Fraction:
    """An exact number: floats are the decimals that Python prints."""
    known, value = None, scalar(value)
    if isinstance(value, str | int | Rational | Decimal) and not isinstance(value, bool):
        known = value
    elif isinstance(value, float):
        known = float.__repr__(value)
    try:
        if known is not None:
            return Fraction(known)
    except (ValueError, OverflowError, ZeroDivisionError):
        pass
    raise wrong(f"`{name}` is no finite number", remedy=f"{name}=0.5, {name}='1/3', {name}=2")
