"""Poisson samples when a row is replaced, or several rows differ: the worst laws, and why.

Fix the sample of all other rows (joint convexity of (a - x b)_+).  Each of the k rows in question
is sampled on its own with probability q; S, of size j, are those that are, p_S its probability.
P_S and P'_S are the laws of the release with those rows of the one and of the other data set, P_0
that without them.  Let f_j be a trade-off function of what reads the sample at j contributions: a
test with mean E_0 t = a under P_0 has E_S t <= 1 - f_j(a), and E'_S t >= f_j(1 - a) because 1 - t
is a test as well.  With HS_x(A, B) = sup over tests of E_A t - x E_B t and binomial weights w_j,
    rows removed:   HS_x(sum p_S P_S, P_0) <= sup over a of sum w_j (1 - f_j(a)) - x a,
    rows replaced:  HS_x(sum p_S P_S, sum p_S P'_S)
                                      <= sup over a of sum w_j (1 - f_j(a) - x f_j(1 - a)),
and rows added follow by HS_x(A, B) = 1 - x + x HS_1/x(B, A).  For noise on a line with a symmetric,
log-concave density half-lines are the best tests of any two places, so if f_j is its trade-off
function at a movement of j contributions then one family of half-lines attains all of it: the
bounds are the profiles of noise at +j, with probability w_j, against noise at 0 or at -j.  They are
attained by k rows that all contribute in one direction (and after they are replaced, in the
opposite one), so nothing smaller is true.  f_j is that of
- Gaussian noise, also of several releases of one sample, each chosen after the ones before: noise
  on a line moved by the root of the sum of squares (Dong, Roth, Su 2022, Theorem 2.7, section 3.2);
- Laplace noise on a vector that moves in L1: one number that moves by all of it
  (`LaplaceCurve.losses`);
- a pure epsilon: discrete Laplace noise that moves by j (`private.Pure`).

If a replaced row moves the statistic by at most r < 2 contributions, one row can do less.  For
x >= 1, with t of mean b under P_1, the law with the row of the first data set,
    HS_x = sup q b - (1 - q) (x - 1) E_0 t - q x E'_1 t
        <= sup q b - (1 - q) (x - 1) f_1(1 - b) - q x f_r(1 - b),
which noise on a line attains with the row's places 1 and 1 - r, for r in [1, 2].  The law whose two
halves are these profiles dominates (`losses.by_cells`); the lower end is the pair itself.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil, comb
from typing import TYPE_CHECKING, Any

from metricdp.accounting.losses.loss import Parts
from metricdp.accounting.renyi import Curve, GaussianCurve, LaplaceCurve
from metricdp.accounting.rounded import (
    exp_down,
    exp_up,
    ln_down,
    ln_up,
    root_up,
    short_down,
    short_up,
)
from metricdp.measures.accounted import (
    FREE,
    AccountedEvent,
    Case,
    Pieces,
    SampleReader,
    Scheme,
    refuse,
)
from metricdp.measures.additive import Additive, DiscreteGaussian, DiscreteLaplace
from metricdp.measures.combined import Composed, Group, Repeated
from metricdp.measures.sampled_losses import base_pieces

if TYPE_CHECKING:
    from metricdp.accounting.losses.loss import Loss
    from metricdp.accounting.losses.mixtures import Mixture


#: Rows whose numbers in the sample are told apart.
MOST_ROWS = 256
_TWO = Fraction(2)
_NONE = ((Fraction(1), Fraction(0)),)


def group_pieces(reads: AccountedEvent, scheme: Scheme, rate: Fraction, case: Case) -> Pieces:
    """Loss laws of a Poisson sample under `case`: a row replaced, or several rows that differ.

    Raises:
        RelationError: more than `MOST_ROWS` rows, or a reader without a theorem.
    """
    if case.units > MOST_ROWS:
        raise refuse(
            scheme, case, f"{case.units} rows are more than {MOST_ROWS}, whose numbers in a sample"
            " are told apart", "ask for fewer rows, or use group privacy on the answer",
        )  # fmt: skip
    near = base_pieces(reads, scheme, "add or remove" if case.kind == "replace" else case.kind)
    if near.upper is not None and not near.upper:
        return FREE
    least = most = Fraction(0)
    if case.kind == "replace":
        far = base_pieces(reads, scheme, "replace")
        if far.upper is not None and not far.upper:
            return FREE
        least, most = _spread(reads)
    upper = _law(near.upper, rate, case, most, exact=False)
    if upper is None:
        raise refuse(
            scheme, case, "known for Gaussian and Laplace noise and for events with a pure epsilon",
            'ask for one row and "add or remove", or state the event as Pure(epsilon)',
        )  # fmt: skip
    lower = _law(near.lower, rate, case, least, exact=True)
    return Pieces(((upper, 1),), ((lower, 1),) if lower is not None else ())


def _law(parts: Parts | None, rate: Fraction, case: Case, r: Fraction, exact: bool) -> Loss | None:
    """The law of the module for noise whose law at one contribution is given.

    Args:
        r: movement of a replaced row, in contributions.
        exact: whether the law has to be attained; else it has to dominate.
    """
    from metricdp.accounting.losses.by_cells import SymmetricLoss

    if not parts:
        return None
    k, (loss, _) = case.units, parts[0]
    weights = [comb(k, j) * rate**j * (1 - rate) ** (k - j) for j in range(k + 1)]

    def shifts(each: Fraction) -> Mixture:
        if not each:
            return _NONE
        return tuple((w, j * each) for j, w in enumerate(weights) if w)

    one = Fraction(1)
    if case.kind != "replace":
        pair = (shifts(one), _NONE) if case.forward else (_NONE, shifts(one))
        return _on_a_line(loss, *pair)
    if r >= 2:
        three = _idle(loss, rate, exact) if k == 1 else None
        return three or _on_a_line(loss, shifts(one), shifts(one))
    if exact:
        places = (one, r - 1) if r >= 1 else (r / 2, r / 2)
        return _on_a_line(loss, shifts(places[0]), shifts(places[1]))
    if k > 1:
        return _on_a_line(loss, shifts(one), shifts(one))
    found = _on_a_line(loss, shifts(one), shifts(max(r - 1, Fraction(0))))
    return None if found is None else SymmetricLoss(found)


def _on_a_line(loss: Loss, first: Mixture, second: Mixture) -> Loss | None:
    """The noise of `loss`, which is about one contribution, at the places of two mixtures."""
    from metricdp.accounting.losses.gaussian import GaussianLoss
    from metricdp.accounting.losses.gaussian_mixtures import GaussianMixtureLoss
    from metricdp.accounting.losses.laplace import LaplaceLoss
    from metricdp.accounting.losses.laplace_mixtures import GeometricMixtureLoss, LaplaceMixtureLoss

    def scaled(mixture: Mixture, unit: Fraction) -> Mixture:
        return tuple((w, s * unit) for w, s in mixture)

    if isinstance(loss, GaussianLoss):
        return GaussianMixtureLoss(scaled(first, loss.ratio), scaled(second, loss.ratio))
    if isinstance(loss, LaplaceLoss):
        return LaplaceMixtureLoss(scaled(first, loss.ratio), scaled(second, loss.ratio))
    unit = _unit(loss)
    return None if unit is None else GeometricMixtureLoss(unit, first, second)


def _unit(loss: Loss) -> Fraction | None:
    """The pure epsilon of a law that is known by it alone."""
    from metricdp.accounting.losses.atomic import ResponseLoss
    from metricdp.accounting.losses.bounded_range import BoundedRangeLoss
    from metricdp.accounting.losses.discrete_laplace import DiscreteLaplaceLoss

    if isinstance(loss, ResponseLoss) and not loss.leak and loss.options == 2:
        return loss.epsilon
    if isinstance(loss, BoundedRangeLoss):
        return loss.epsilon
    if isinstance(loss, DiscreteLaplaceLoss) and loss.movement == 1:
        return 1 / loss.scale
    return None


def _idle(loss: Loss, rate: Fraction, exact: bool) -> Loss | None:
    """One row replaced, read with a pure epsilon, a = e^epsilon: three outcomes.

    Of discrete Laplace noise at 1, 0 and -1 the outcomes on either side have mass 1 / (1 + a)
    without the row.  That is randomized response with odds (1 - q + q a) / (1 - q + q / a) that is
    active with probability (2 (1 - q) + q (a + 1/a)) / (1 + a), both rounded to one side.
    """
    from metricdp.accounting.losses.laplace_mixtures import IdleResponseLoss

    unit = _unit(loss)
    if unit is None:
        return None
    low, high = exp_down(unit), exp_up(unit)
    if exact:
        low, high = high, low
    log = (ln_down, ln_up) if not exact else (ln_up, ln_down)
    odds = log[1](1 + rate * (high - 1)) - log[0](1 - rate * (1 - 1 / high))
    active = (2 * (1 - rate) + rate * (high + 1 / high)) / (1 + low)
    short = short_down if exact else short_up
    return IdleResponseLoss(short(odds), min(Fraction(1), short(active)))


def _spread(event: Any) -> tuple[Fraction, Fraction]:
    """The least and the largest movement of a replaced row among what reads the sample, in
    contributions."""
    if isinstance(event, Repeated | Group):
        return _spread(event.event)
    if isinstance(event, Composed):
        found = [_spread(each) for each in event.events]
        return min(low for low, _ in found), max(high for _, high in found)
    if isinstance(event, DiscreteLaplace | DiscreteGaussian):
        return Fraction(int(event.replaced)), Fraction(int(event.replaced))
    if isinstance(event, SampleReader):
        moved = _of_curves(event.curve, event.replaced)
        return moved, moved
    moved = event.movement(Case("replace")) if isinstance(event, Additive) else Fraction(2)
    return moved, moved


def _of_curves(one: Curve, replaced: Curve | None) -> Fraction:
    """How far a replaced row moves what one row moves by 1, from the curves of both; at most 2."""
    if isinstance(one, GaussianCurve) and isinstance(replaced, GaussianCurve):
        found = root_up(replaced.rho / one.rho) if one.rho else _TWO
    elif type(one) is LaplaceCurve and type(replaced) is LaplaceCurve and one.epsilon:
        found = replaced.epsilon / one.epsilon if replaced.step <= one.step else _TWO
    elif one.pure_epsilon and replaced is not None and replaced.pure_epsilon is not None:
        # Only whole movements of noise that is known by its epsilon have a trade-off function.
        found = Fraction(ceil(replaced.pure_epsilon / one.pure_epsilon))
    else:
        found = _TWO
    return min(found, _TWO)
