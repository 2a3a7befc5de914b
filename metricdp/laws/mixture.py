"""Laws made of laws: independent outputs side by side, and the outcome of a randomly chosen one."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from functools import reduce
from itertools import product
from typing import Any

import msgspec

from metricdp.errors import ParameterError
from metricdp.laws.empirical import EmpiricalLaw
from metricdp.laws.finite import EnclosedLaw, FiniteLaw
from metricdp.laws.interval import ONE, ZERO, add, log, over, point, significant, times
from metricdp.laws.law import Law, LineLaw
from metricdp.laws.numbers import described, settle, share, told
from metricdp.laws.outcomes import gathered, in_order
from metricdp.laws.piecewise import PiecewiseLaw, UniformLaw
from metricdp.noise.enclose import Bounds


class ProductLaw(msgspec.Struct, frozen=True):
    """Independent laws side by side; outcomes are tuples with one entry per law."""

    parts: tuple[Law, ...]

    def support(self) -> tuple[Hashable, ...] | None:
        """Tuples of outcomes; None when a part has all integers."""
        supports = [part.support() for part in self.parts]
        if any(s is None for s in supports):
            return None
        return tuple(product(*(s for s in supports if s is not None)))

    def pmf(self, outcome: Sequence[Any]) -> Bounds:
        """Product of the parts' probabilities; 0 for what is no entry per part."""
        if not isinstance(outcome, tuple | list) or len(outcome) != len(self.parts):
            return ZERO
        result = ONE
        for part, entry in zip(self.parts, outcome, strict=True):
            result = significant(times(result, part.pmf(entry)), 1024)
        return result

    def log_ratio(self, other: Any, outcome: Sequence[Any]) -> Bounds:
        """Sum of the parts' log ratios; of another kind of law, the ratio of the probabilities."""
        if not isinstance(other, ProductLaw) or len(other.parts) != len(self.parts):
            return log(over(self.pmf(outcome), other.pmf(outcome)))
        pairs = zip(self.parts, other.parts, outcome, strict=True)
        return add(*(p.log_ratio(q, entry) for p, q, entry in pairs))


def mixture(laws: Sequence[Any], weights: Sequence[Any]) -> Any:
    """The law of an outcome of laws[i] with probability weights[i].

    Returns:
        A `FiniteLaw` of finite laws, a `PiecewiseLaw` of laws with constant pieces, an
        `EnclosedLaw` of other laws on finitely many outcomes; else a `MixtureLaw`.

    Raises:
        ParameterError: weights that are negative or do not sum to 1, or another number of them;
            what is no law; weights or laws with labels, whose order counts for nothing.
    """
    parts = in_order(laws, "laws")
    for part in parts:
        if isinstance(part, EmpiricalLaw) or not (
            hasattr(part, "pmf") and hasattr(part, "support")
        ):
            raise ParameterError(
                f"a {type(part).__name__} is no law",
                place="laws",
                remedy="give laws of metricdp.laws; FiniteLaw({outcome: probability}) is one",
            )
    shares = _shares(parts, weights)
    if all(isinstance(law, FiniteLaw) for law in parts):
        pairs = [
            (k, w * law[k]) for law, w in zip(parts, shares, strict=True) for k in law.support()
        ]
        return FiniteLaw(gathered(pairs, lambda a, b: a + b, "mixture"))
    if all(isinstance(law, PiecewiseLaw | UniformLaw) for law in parts):
        return _pieces([law.pieces for law in parts], shares)
    if all(law.support() is not None for law in parts):
        masses = [
            (k, times(point(w), law.pmf(k)))
            for law, w in zip(parts, shares, strict=True)
            for k in law.support()
        ]
        return EnclosedLaw(gathered(masses, add, "mixture"))
    if all(isinstance(law, LineLaw) for law in parts):
        return MixtureLineLaw(parts, shares)
    return MixtureLaw(parts, shares)


def _pieces(laws: Sequence[PiecewiseLaw], shares: Sequence[Fraction]) -> PiecewiseLaw:
    edges = sorted({x for law in laws for x in law.edges})
    pairs = list(zip(laws, shares, strict=True))
    heights = [sum((w * law.density(x)[0] for law, w in pairs), Fraction(0)) for x in edges[:-1]]
    return PiecewiseLaw(tuple(edges), tuple(heights))


class MixtureLaw(msgspec.Struct, frozen=True):
    """Laws and their shares; every answer is the mean of the parts' answers.

    Made by `mixture`, which checks the shares.  `tail`, `cdf` and `between` are those of laws of
    numbers (ParameterError for parts of another kind).
    """

    parts: tuple[Any, ...]
    weights: tuple[Fraction, ...]

    def __post_init__(self) -> None:
        settle(self, weights=_shares(self.parts, self.weights))

    def support(self) -> None:
        """None: no finite set."""
        return

    def pmf(self, outcome: Any) -> Bounds:
        """P(X = outcome)."""
        return _mean(self, lambda law: law.pmf(outcome))

    def tail(self, x: Any) -> Bounds:
        """P(X >= x)."""
        return _mean(self, lambda law: _ordered(law).tail(x))

    def cdf(self, x: Any) -> Bounds:
        """P(X <= x)."""
        return _mean(self, lambda law: _ordered(law).cdf(x))

    def between(self, first: Any, last: Any) -> Bounds:
        """P(first <= X <= last)."""
        return _mean(self, lambda law: _ordered(law).between(first, last))

    def log_ratio(self, other: Any, outcome: Any) -> Bounds:
        """ln P(outcome) / Q(outcome); both positive."""
        return log(over(self.pmf(outcome), other.pmf(outcome)))

    def __repr__(self) -> str:
        return described(self)


class MixtureLineLaw(LineLaw, frozen=True):
    """A mixture of laws on the line; see `MixtureLaw`."""

    parts: tuple[Any, ...]
    weights: tuple[Fraction, ...]

    def __post_init__(self) -> None:
        settle(self, weights=_shares(self.parts, self.weights))

    def tail(self, x: Any) -> Bounds:
        """P(X >= x)."""
        return _mean(self, lambda law: law.tail(x))

    def cdf(self, x: Any) -> Bounds:
        """P(X <= x)."""
        return _mean(self, lambda law: law.cdf(x))

    def density(self, x: Any) -> Bounds:
        """The density at x."""
        return _mean(self, lambda law: law.density(x))

    def pmf(self, x: Any) -> Bounds:
        """P(X = x)."""
        return _mean(self, lambda law: law.pmf(x))

    def between(self, first: Any, last: Any) -> Bounds:
        """P(first <= X <= last)."""
        return _mean(self, lambda law: law.between(first, last))


def _mean(law: Any, answer: Callable[[Any], Bounds]) -> Bounds:
    pairs = zip(law.parts, law.weights, strict=True)
    terms = [times(point(w), answer(part)) for part, w in pairs if w]
    return reduce(lambda a, b: add(a, b), terms)


def _ordered(law: Any) -> Any:
    if not hasattr(law, "tail"):
        raise ParameterError(f"{type(law).__name__} is no law of numbers", place="mixture")
    return law


def _shares(laws: Sequence[Any], weights: Sequence[Any]) -> tuple[Fraction, ...]:
    shares = tuple(share(w, "weights") for w in in_order(weights, "weights"))
    if len(shares) != len(laws):
        raise ParameterError(f"{len(shares)} weights for {len(laws)} laws", place="weights")
    if any(w < 0 for w in shares) or sum(shares) != 1:
        total = told(sum(shares, Fraction(0)))
        raise ParameterError(
            f"weights are nonnegative and sum to 1; these sum to {total}", place="weights"
        )
    return shares
