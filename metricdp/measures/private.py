"""Events that are known by an epsilon: pure and approximate guarantees, and named mechanisms.

The epsilon is that of one step of a path: one row added, removed or zeroed out, or with
per="replace" one row replaced (`measures.accounted`).
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import msgspec

from metricdp.accounting.renyi import LaplaceCurve, PureCurve, RangeCurve, ResponseCurve
from metricdp.accounting.rounded import short_up
from metricdp.errors import ParameterError
from metricdp.measures.accounted import (
    CONTRIBUTION,
    FREE,
    AccountedEvent,
    AccountedStep,
    Case,
    PathEvent,
    Pieces,
    exactly,
    refuse,
)
from metricdp.measures.parameters import nonnegative, share, whole


class _Epsilon(PathEvent, frozen=True):
    """A step of the path costs `epsilon`."""

    def __post_init__(self) -> None:
        PathEvent.__post_init__(self)
        self._put("epsilon", nonnegative(self._of("epsilon"), "epsilon", self.place))

    def spent(self, case: Case) -> Fraction:
        """epsilon between the two data sets."""
        epsilon: Fraction = self._of("epsilon")
        return self.length(case) * epsilon


class Pure(_Epsilon, frozen=True):
    """Any mechanism with a pure epsilon.

    Exact for the class.  One step: each such pair of laws is a post-processing of randomized
    response with odds e^epsilon (Kairouz, Oh, Viswanath 2015, Theorem 3.4).  A path of k steps: if
    1 - f bounds the power of tests for one step then its k-fold iterate does for k (Dong, Roth, Su
    2022, Theorem 2.14), and for randomized response that iterate is the power against discrete
    Laplace noise of scale 1 / epsilon that moves by k, which has this epsilon per step.

    Args:
        epsilon: >= 0, of one step.
        per: "contribution" or "replace": what one step is (`measures.accounted`).

    Raises:
        ParameterError: a parameter outside its range.
    """

    epsilon: Any
    per: str = CONTRIBUTION

    def pieces(self, case: Case) -> Pieces:
        from metricdp.accounting.losses.atomic import ResponseLoss

        if not self.epsilon:
            return FREE
        steps = self.length(case)
        if steps == 1:
            return exactly(ResponseLoss(self.epsilon))
        from metricdp.accounting.losses.discrete_laplace import DiscreteLaplaceLoss

        return exactly(DiscreteLaplaceLoss(1 / self.epsilon, steps))

    def steps(self, case: Case) -> tuple[AccountedStep, ...]:
        return (AccountedStep(LaplaceCurve(self.spent(case), self.epsilon)),)


class PermuteAndFlip(Pure, frozen=True):
    """Permute-and-flip, or noisy max with exponential noise: pure, and not of bounded range.

    Scores (0, 0) against (1, -1) have a rho above epsilon^2 / 8, so the smaller curve of the
    exponential mechanism does not hold.  Source: McKenna and Sheldon (2020), Theorem 2.
    """


class NoisyMax(Pure, frozen=True):
    """Report noisy max with Laplace noise: pure, with epsilon = 2 sensitivity / scale.

    Source: Dwork and Roth (2014), Claim 3.9.  Only the index is released.
    """


class SparseVector(Pure, frozen=True):
    """The sparse vector technique: the epsilon of all its answers above and below together.

    Source: Lyu, Su, Li (2017), Theorem 4; `above_threshold` of this library states its epsilon.
    """


class Approximate(_Epsilon, frozen=True):
    """Any (epsilon, delta) mechanism.

    Exact for the class: a leak of probability delta, else randomized response with odds e^epsilon
    (Kairouz, Oh, Viswanath 2015, Theorem 3.4).  k steps of a path cost k epsilon and
    delta (1 + e^epsilon + ... + e^((k-1) epsilon)) (`measures.costs`).

    Args:
        epsilon: >= 0, of one step.
        delta: in [0, 1].
        per: "contribution" or "replace": what one step is (`measures.accounted`).

    Raises:
        ParameterError: a parameter outside its range.
    """

    epsilon: Any
    delta: Any
    per: str = CONTRIBUTION

    def __post_init__(self) -> None:
        _Epsilon.__post_init__(self)
        found = share(self.delta, "delta", self.place)
        if found == 1:
            raise ParameterError("delta is 1", place=self.place, remedy="choose delta < 1")
        self._put("delta", found)

    def leaked(self, case: Case) -> Fraction:
        """delta between the two data sets, rounded up."""
        from metricdp.accounting.rounded import exp_up

        steps: Fraction = sum(
            (exp_up(i * self.epsilon) for i in range(self.length(case))), Fraction(0)
        )
        found: Fraction = self.delta * steps
        if found >= 1:
            raise ParameterError(
                f"delta over {self.length(case)} steps is {float(found):.3g}, which says nothing",
                place=self.place,
                remedy="choose a smaller delta",
            )
        return found if self.length(case) == 1 else short_up(found)

    def pieces(self, case: Case) -> Pieces:
        from metricdp.accounting.losses.atomic import FiniteLoss, ResponseLoss

        spent, leak = self.spent(case), self.leaked(case)
        if not spent and not leak:
            return FREE
        if spent:
            found = exactly(ResponseLoss(spent, leak=leak))
        else:
            zero = Fraction(0)
            found = exactly(FiniteLoss(((leak, zero), (1 - leak, 1 - leak), (zero, leak))))
        # A path is a bound: that its end is attained is known for one step only.
        return found if self.length(case) == 1 else Pieces(found.upper, ())

    def steps(self, case: Case) -> tuple[AccountedStep, ...]:
        return (AccountedStep(PureCurve(self.spent(case)), leak=self.leaked(case)),)


class RandomizedResponse(AccountedEvent, frozen=True):
    """Randomized response: every row answers for itself, truly with odds e^epsilon to 1 each.

    Exact.  A row that is added or removed changes how many answers there are, which is public, so
    only a replaced row has a cost; k rows are k answers.

    Args:
        epsilon: logarithm of the odds of the true answer against any one other answer, >= 0.
        choices: how many answers there are, >= 2.

    Raises:
        ParameterError: a parameter outside its range.
    """

    epsilon: Any
    choices: Any = 2

    def __post_init__(self) -> None:
        put = msgspec.structs.force_setattr
        put(self, "epsilon", nonnegative(self.epsilon, "epsilon", self.place))
        put(self, "choices", whole(self.choices, "choices", self.place, least=2))

    def _checked(self, case: Case) -> Case:
        if case.kind != "replace":
            raise refuse(
                self, case, "the number of answers is the number of rows, which would be released",
                'ask for relation="replace", or describe the mechanism as Pure(epsilon)',
            )  # fmt: skip
        return case

    def pieces(self, case: Case) -> Pieces:
        from metricdp.accounting.losses.atomic import ResponseLoss

        units = self._checked(case).units
        parts = ((ResponseLoss(self.epsilon, self.choices), units),)
        return Pieces(parts, parts) if self.epsilon else FREE

    def steps(self, case: Case) -> tuple[AccountedStep, ...]:
        return (
            AccountedStep(ResponseCurve(self.epsilon, self.choices), self._checked(case).units),
        )


class ExponentialMechanism(_Epsilon, frozen=True):
    """The exponential mechanism: log-ratios of its output laws range over an interval of epsilon.

    Bounded range is more than a pure epsilon.  One round is dominated by the pair of
    `losses.bounded_range`, whose profile is the largest over all binary pairs of that range; this
    composes adaptively, and so does rho = epsilon^2 / 8 (Cesar and Rogers 2021, Lemma 3.2).
    Randomized response with epsilon / 2 is an exponential mechanism of this range: the lower end.
    Up to 400 mechanisms of one epsilon have the adaptive optimum, from both sides
    (`accounting.adaptive_range`).  When they were all fixed before any answer was seen, say
    adaptive=False: the optimum of Dong, Durfee, Rogers (2020) is then exact.

    Args:
        epsilon: range of the log-ratio for one step, >= 0: twice the
            sensitivity times the factor in the exponent (the sensitivity alone for scores that all
            move one way).
        per: "contribution" or "replace": what one step is (`measures.accounted`).
        adaptive: whether later mechanisms may depend on earlier answers.

    Raises:
        ParameterError: a parameter outside its range.
    """

    epsilon: Any
    per: str = CONTRIBUTION
    adaptive: bool = True

    def pieces(self, case: Case) -> Pieces:
        from metricdp.accounting.losses.atomic import ResponseLoss
        from metricdp.accounting.losses.bounded_range import BoundedRangeLoss

        spent = self.spent(case)
        if not spent:
            return FREE
        return Pieces(((BoundedRangeLoss(spent), 1),), ((ResponseLoss(spent / 2), 1),))

    def steps(self, case: Case) -> tuple[AccountedStep, ...]:
        return (AccountedStep(RangeCurve(self.spent(case))),)
