"""What the mechanisms that choose by weights share: which of the two, its noise, its costs."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from metricdp.accounting.costs import pure_to_zcdp
from metricdp.expr import Expr
from metricdp.primitives.mechanisms._noise import given, positive, public_number
from metricdp.record import BOUND, MOVED, RATIO, Arg, Requirement, refuse

FLIP, WEIGHTS = "permute_and_flip", "exponential"
Privacy = dict[str, tuple[Expr, ...]]


def way(by: Arg, mechanism: str) -> str:
    """ "permute_and_flip", the default, of smaller error; or "exponential", of smaller rho.

    Raises:
        Refusal: anything else.
    """
    if not given(by):
        return FLIP
    if by.literal in (FLIP, WEIGHTS):
        return str(by.literal)
    raise refuse(
        "wrong-arguments",
        f"`by` of `{mechanism}` is {by.text}, which is no way to choose",
        need='"permute_and_flip" or "exponential"',
        help=f'dp.{mechanism}(..., by="exponential")',
    )


def noise_of(
    mechanism: str, spread: Expr, scale: Arg, epsilon: Arg, rounds: Expr, help: str
) -> tuple[Expr, Expr, tuple[Requirement, ...]]:
    """(temperature, epsilon of one round, requirements), from exactly one of scale and target.

    Args:
        spread: how far the differences of two scores move when the argument moves by 1.
        rounds: how many rounds share the target.
    """
    if given(scale) == given(epsilon):
        raise refuse(
            "bad-noise",
            f"`{mechanism}` takes its noise either as `scale=` or as a target `epsilon=`",
            need="exactly one public number",
            help=help,
        )
    if given(scale):
        width = public_number(scale, mechanism, "scale")
        return width, spread * MOVED / width, positive(width, "bad-noise", scale.chosen)
    target = public_number(epsilon, mechanism, "epsilon")
    requires = positive(target, "bad-noise", epsilon.chosen)
    return rounds * spread * BOUND / target, target * RATIO / rounds, requires


def costs(chosen: str, one: Expr, rounds: Expr) -> Privacy:
    """Costs of some rounds of one epsilon each; only exponential weights have a bounded range."""
    rho = one**2 / 8 if chosen == WEIGHTS else pure_to_zcdp(one)
    return {"pure": (rounds * one,), "zcdp": (rounds * rho,)}


def pick(scores: Sequence[Fraction], scale: Fraction, chosen: str, source: Any) -> int:
    """The position that one round takes."""
    from metricdp.noise.selection import exponential_choice, permuted_flips

    choose = exponential_choice if chosen == WEIGHTS else permuted_flips
    return choose(scores, scale, source)


def law_of(scores: Sequence[Any], scale: Fraction, chosen: str) -> Any:
    """The exact law of `pick`."""
    from metricdp.laws.selection import exponential_law, permute_and_flip_law

    return (exponential_law if chosen == WEIGHTS else permute_and_flip_law)(scores, scale)
