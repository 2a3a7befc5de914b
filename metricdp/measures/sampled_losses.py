"""The loss laws of samplers over the loss laws of what reads the sample.

With (P, Q) the dominating pair of what reads the sample, P the law of the sample with the row:
- Poisson, add or remove (and zero out): ((1-q) Q + q P, Q) and its reverse, exactly.  Advanced
  joint convexity (Balle, Barthe, Gaboardi 2018, Theorem 2): the sampled profile at
  ln(1 + q(e^eps - 1)) is q times the base's at eps; the reverse follows from the same curve.
- Poisson, replace, or several rows: `sampled_groups`.
- m of n rows without replacement: the pair of `losses.sampled_cells` at rate m/n (Zhu, Dong,
  Wang 2022; Balle, Barthe, Gaboardi 2018, Theorem 9).  The lower end is the one mixture pair that
  some data have in every round.
- m draws with replacement from n rows: their Theorem 10; under Gaussian noise the smaller law of
  `losses.fixed_size_gaussian`, which also answers for several rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import TYPE_CHECKING

from metricdp.accounting.losses.loss import Parts
from metricdp.accounting.rounded import root_up, short_down, short_up
from metricdp.errors import InternalError, ParameterError
from metricdp.measures.accounted import (
    FREE,
    AccountedEvent,
    Case,
    Kind,
    Pieces,
    SampledEvent,
    Scheme,
    refuse,
)

if TYPE_CHECKING:
    from metricdp.accounting.losses.loss import Loss


#: Numbers of replaced rows whose probability is below this are not told apart.
RAREST = Fraction(1, 10**45)
#: From below, rarer ones are left out: they spread the losses, and only the least deltas see them.
_SEEN = Fraction(1, 10**25)
#: Significant bits of the probabilities of the others.
_BITS = 256
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


def base_pieces(reads: AccountedEvent, scheme: Scheme, kind: Kind) -> Pieces:
    """Pieces of what reads the sample, of one round, with one law on either side."""
    if isinstance(reads, SampledEvent):
        raise ParameterError(
            f"{reads.place} inside {scheme.place}", place=scheme.place,
            remedy="sample once: only Poisson samples of Poisson samples are supported",
        )  # fmt: skip
    found = reads.pieces(Case(kind))
    if found.gap:
        raise ParameterError(f"{reads.place} inside {scheme.place}", place=scheme.place)
    return Pieces(
        None if found.upper is None else merged(found.upper, upper=True),
        merged(found.lower, upper=False),
    )


def through(base: Pieces, sampler: Callable[[Loss], Loss]) -> Pieces:
    """The laws of the base, each under the sampler."""
    upper = None if base.upper is None else tuple((sampler(x), 1) for x, _ in base.upper)
    return Pieces(upper, tuple((sampler(x), 1) for x, _ in base.lower))


def one_row(scheme: Scheme, case: Case) -> None:
    """RelationError unless the data sets differ in one row."""
    if case.units != 1:
        raise refuse(
            scheme, case, f"{case.units} rows are in the sample in every number up to that",
            "ask for one row, or use group privacy on the answer",
        )  # fmt: skip


def either_way(reads: AccountedEvent, scheme: Scheme, case: Case) -> Pieces:
    """The base under replacement, where either sample may be the one that is named first.

    In a sample of fixed size another row stands where the row in question is left out, so the base
    has to dominate both orders; a pair of laws that is worse in one order than in the other is
    refused.
    """
    base = base_pieces(reads, scheme, "replace")
    other = reads.pieces(Case("replace", forward=False))
    back = None if other.upper is None else merged(other.upper, upper=True)
    if base.upper != back and not same_law(base.upper, back):
        raise refuse(
            scheme, case, f"{reads.place} is worse in one direction than in the other, and"
            " a replaced row may be in the sample of either",
            "give a pair of laws that dominates both directions",
        )  # fmt: skip
    return base


def ratio_of(parts: Parts | None) -> Fraction | None:
    """Of one Gaussian law, movement / standard deviation; None: it is another one."""
    from metricdp.accounting.losses.gaussian import GaussianLoss

    if not parts or not isinstance(parts[0][0], GaussianLoss):
        return None
    return parts[0][0].ratio


def power_down(x: Fraction, power: int) -> Fraction:
    """At most x^power, x in (0, 1); near to it."""
    found = Fraction(1)
    for bit in bin(power)[2:]:
        found = short_down(found * found * (x if bit == "1" else 1), _BITS)
    return found


def gaussian_pieces(
    reads: AccountedEvent, scheme: Scheme, case: Case, none: Fraction, odds: Iterable[Fraction]
) -> Pieces:
    """The law of `losses.fixed_size_gaussian`, and from below the pair that some data have.

    Args:
        none: the probability that no replaced row is in the sample, or a little less.
        odds: of j + 1 replaced rows against j, for j = 0, 1, ...

    Raises:
        RelationError: several rows, and something else than Gaussian noise.
    """
    from metricdp.accounting.losses.by_cells import SymmetricLoss
    from metricdp.accounting.losses.fixed_size_gaussian import ByCellsLoss, FixedSizeHalfLoss
    from metricdp.accounting.losses.gaussian_mixtures import GaussianMixtureLoss

    first, near = either_way(reads, scheme, case), base_pieces(reads, scheme, case.kind)
    if first.upper is not None and not first.upper:
        return FREE
    far, low = ratio_of(first.upper), ratio_of(near.lower)
    if far is None:
        one_row(scheme, case)
        raise InternalError("one row has its own law", place=scheme.place, remedy="please report")
    weights = [short_down(none, _BITS)]
    for ratio in odds:
        weights.append(short_down(weights[-1] * ratio, _BITS))
        if 1 - sum(weights) <= RAREST:
            break
    upper = SymmetricLoss(FixedSizeHalfLoss(far, tuple(weights)))
    if low is None:
        return Pieces(((upper, 1),), ())
    # What is left out counts as no movement at all.
    moved = [(w, j * low) for j, w in enumerate(weights) if j and w > _SEEN]
    still = (1 - sum(w for w, _ in moved), Fraction(0))
    pair = tuple(part for part in (still, *moved) if part[0])
    stands = ((Fraction(1), Fraction(0)),)
    lower = ByCellsLoss(GaussianMixtureLoss(*((pair, stands) if case.forward else (stands, pair))))
    return Pieces(((upper, 1),), ((lower, 1),))
