"""The loss laws of samplers over the loss law of what reads the sample."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import TYPE_CHECKING

from metricdp.accounting.losses.loss import Parts
from metricdp.accounting.rounded import root_up, short_down, short_up

if TYPE_CHECKING:
    from metricdp.accounting.losses.loss import Loss


#: Products of laws of atoms with more atoms are taken on a lattice.
_MOST_ATOMS = 1000


def merged(parts: Parts, *, upper: bool) -> Parts:
    """The laws of one sample as one law, or none where nothing reads it.

    Gaussian laws are one Gaussian with the root of the sum of squared ratios, rounded to the side
    that keeps the bound; laws of finitely many losses are one of these, exactly; others are a law
    on a lattice, above or below their product.

    Raises:
        ParameterError: more mechanisms than are joined here.
    """
    from metricdp.accounting.losses.atomic import AtomicLoss
    from metricdp.accounting.losses.gaussian import GaussianLoss
    from metricdp.accounting.losses.product import ProductAtomsLoss, ProductLoss, atoms_of

    if sum(count for _, count in parts) <= 1:
        return parts
    found = [part for part in parts if not isinstance(part[0], GaussianLoss)]
    squares = _squares(parts)
    if squares:
        ratio = short_up(root_up(squares))
        if not upper and ratio * ratio > squares:
            ratio = short_down(ratio * (1 - Fraction(1, 1 << 100)))
        found.append((GaussianLoss(ratio), 1))
    if len(found) == 1 and found[0][1] == 1:
        return tuple(found)
    atoms = tuple((loss, count) for loss, count in found if isinstance(loss, AtomicLoss))
    if len(atoms) == len(found) and atoms_of(atoms) <= _MOST_ATOMS:
        return ((ProductAtomsLoss(atoms), 1),)
    return ((ProductLoss(tuple(found), upper), 1),)


def poisson(loss: Loss, rate: Fraction, forward: bool) -> Loss:
    """One row removed (forward) or added under Poisson inclusion, 0 < rate < 1."""
    from metricdp.accounting.losses.atomic import AtomicLoss, FiniteLoss
    from metricdp.accounting.losses.bounded_range import BoundedRangeLoss
    from metricdp.accounting.losses.discrete_gaussian import DiscreteGaussianLoss
    from metricdp.accounting.losses.gaussian import GaussianLoss
    from metricdp.accounting.losses.laplace import LaplaceLoss
    from metricdp.accounting.losses.poisson_gaussian import PoissonGaussianLoss
    from metricdp.accounting.losses.product import ProductLoss
    from metricdp.accounting.losses.sampled_atoms import (
        PoissonAtomsLoss,
        PoissonDiscreteGaussianLoss,
    )
    from metricdp.accounting.losses.sampled_cells import MixtureLoss
    from metricdp.accounting.losses.sampled_density import SampledDensityLoss

    if isinstance(loss, GaussianLoss):
        return PoissonGaussianLoss(loss.ratio, rate, added=not forward)
    if isinstance(loss, FiniteLoss):
        mixed = FiniteLoss(tuple(((1 - rate) * q + rate * p, q) for p, q in loss.outcomes))
        return mixed if forward else mixed.reversed()
    if isinstance(loss, AtomicLoss):
        return PoissonAtomsLoss(loss, rate, added=not forward)
    if isinstance(loss, DiscreteGaussianLoss):
        return PoissonDiscreteGaussianLoss(loss, rate, added=not forward)
    if isinstance(loss, LaplaceLoss | BoundedRangeLoss):
        return SampledDensityLoss(loss, rate, "removed" if forward else "added")
    if isinstance(loss, ProductLoss) and not forward:
        # A lattice law is accurate in one order: here that of the pair of the added row.
        back = tuple((factor.reversed(), count) for factor, count in loss.factors)
        loss = ProductLoss(back, loss.upper).reversed()
    removed = MixtureLoss(loss, rate)
    return removed if forward else removed.reversed()


def without_replacement(loss: Loss, rate: Fraction) -> Loss:
    """One row replaced in m of n rows, rate m/n in (0, 1)."""
    from metricdp.accounting.losses.atomic import AtomicLoss
    from metricdp.accounting.losses.bounded_range import BoundedRangeLoss
    from metricdp.accounting.losses.gaussian import GaussianLoss
    from metricdp.accounting.losses.laplace import LaplaceLoss
    from metricdp.accounting.losses.sampled_atoms import FixedSizeAtomsLoss
    from metricdp.accounting.losses.sampled_cells import WithoutReplacementLoss
    from metricdp.accounting.losses.sampled_density import SampledDensityLoss

    if isinstance(loss, AtomicLoss):
        return FixedSizeAtomsLoss(loss, rate)
    if isinstance(loss, LaplaceLoss | BoundedRangeLoss | GaussianLoss):
        return SampledDensityLoss(loss, rate, "replaced")
    return WithoutReplacementLoss(loss, rate)


def same_law(one: Parts | None, other: Parts | None) -> bool:
    """Whether two finite pairs of laws, each once, have one law of losses."""
    from metricdp.accounting.losses.atomic import FiniteLoss

    found = [loss for parts in (one, other) for loss, _ in parts or ()]
    if len(found) != 2 or not all(isinstance(loss, FiniteLoss) for loss in found):
        return False
    first, second = (_by_ratio(loss.outcomes) for loss in found if isinstance(loss, FiniteLoss))
    return first == second


def _by_ratio(outcomes: Iterable[tuple[Fraction, Fraction]]) -> dict[Fraction, Fraction]:
    """P / (P + Q) -> P + Q of the outcomes with that ratio, which is all that a profile sees."""
    masses: dict[Fraction, Fraction] = {}
    for p, q in outcomes:
        if p or q:
            masses[p / (p + q)] = masses.get(p / (p + q), Fraction(0)) + p + q
    return masses


def with_replacement(group: Callable[[int], Loss], draws: int, rows: int) -> Loss:
    """One row replaced in `draws` draws from `rows` rows; `group`: of k replaced rows."""
    from metricdp.accounting.losses.with_replacement import with_replacement_loss

    return with_replacement_loss(group, draws, rows)


def _squares(parts: Parts) -> Fraction:
    from metricdp.accounting.losses.gaussian import GaussianLoss

    ratios = [(loss.ratio, count) for loss, count in parts if isinstance(loss, GaussianLoss)]
    return sum((count * ratio**2 for ratio, count in ratios), Fraction(0))
