"""A guarantee at public numbers at which some branch cannot be taken."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import TypeVar

import msgspec

from metricdp.check.verdicts.guarantee import Guarantee
from metricdp.check.verdicts.sites import noise_by_site
from metricdp.errors import ExpressionError, ParameterError
from metricdp.measures.events import taken

T = TypeVar("T")


def where_known(
    guarantee: Guarantee, numbers: Mapping[str, Fraction], read: Callable[[Guarantee], T]
) -> T:
    """What `read` finds; where it has no value, what it finds in the branches that can be taken.

    Raises:
        ParameterError: what can be taken has no value either.
    """
    try:
        return read(guarantee)
    except ExpressionError:
        tree = taken(guarantee.tree, numbers) if guarantee.tree is not None else None
    rounds = {name: loop for s in guarantee.sites.values() for name, loop in s.rounds.items()}
    # A mechanism of no such branch has no site: a run that reached it would stop.
    sites = noise_by_site(tree, rounds)
    try:
        return read(msgspec.structs.replace(guarantee, tree=tree, sites=sites))
    except ExpressionError as error:
        shown = ", ".join(f"{name} = {value}" for name, value in numbers.items())
        raise ParameterError(
            f"the noise or its cost has no value here ({error}): {shown}",
            place=guarantee.name,
            remedy="other public parameters, or a branch for these: if n == 0: return 0.0",
        ) from None
