"""Exact coins, and what is made of them: randomized response, and how often to try.

Each coin compares a lazily drawn uniform with an enclosure of its probability (see `lazy`), so its
law is exact also where the probability is irrational.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, overload

from metricdp.errors import ParameterError
from metricdp.noise.enclose import exp_fixed
from metricdp.noise.lazy import LazyUniform, exp_threshold, is_below, rational_threshold
from metricdp.noise.parameters import Number, draws, nonnegative, probability
from metricdp.noise.source import BitSource, system_source

if TYPE_CHECKING:
    from numpy import bool_
    from numpy.typing import NDArray


@overload
def bernoulli(p: Number, size: None = None, source: BitSource | None = None) -> bool: ...
@overload
def bernoulli(p: Number, size: int, source: BitSource | None = None) -> NDArray[bool_]: ...


def bernoulli(p: Number, size: int | None = None, source: BitSource | None = None) -> Any:
    """True with probability exactly p (0 <= p <= 1): a bool, or an array of shape (size,).

    Raises ParameterError when p is no number in [0, 1].
    """
    exact, source = probability(p, "p"), source or system_source()
    threshold = rational_threshold(exact)
    if size is None:
        return is_below(LazyUniform(source), threshold)
    import numpy

    words = source.uint64(draws(size))
    low, high = threshold(64)
    if low >> 64:
        return numpy.ones(len(words), dtype=bool)
    result = words < numpy.uint64(low)
    if high > low:
        for i in numpy.flatnonzero(words == numpy.uint64(low)):
            result[i] = is_below(LazyUniform(source, int(words[i]), 64), threshold)
    return result


def bernoulli_exp(gamma: Number, source: BitSource | None = None) -> bool:
    """True with probability exactly exp(-gamma), gamma >= 0 (ParameterError otherwise)."""
    exact = nonnegative(gamma, "gamma")
    return is_below(LazyUniform(source or system_source()), exp_threshold(exact))


def randomized_response(index: int, k: int, keep: Number, source: BitSource | None = None) -> int:
    """`index` with probability `keep`, else one of the other k - 1 indices, equally likely.

    Raises ParameterError when k < 1, index is not in 0 .. k - 1, or keep is not in [0, 1].
    """
    exact, source = probability(keep, "keep"), source or system_source()
    _check_index(index, k)
    kept = is_below(LazyUniform(source), rational_threshold(exact))
    return index if kept or k == 1 else _other(index, k, source)


def randomized_response_epsilon(
    index: int, k: int, epsilon: Number, source: BitSource | None = None
) -> int:
    """Randomized response that keeps with probability e**epsilon / (e**epsilon + k - 1), exactly.

    Raises ParameterError when epsilon < 0, k < 1 or index is not in 0 .. k - 1.
    """
    exact, source = nonnegative(epsilon, "epsilon"), source or system_source()
    _check_index(index, k)
    kept = is_below(LazyUniform(source), partial(_keep, exact, k))
    return index if kept or k == 1 else _other(index, k, source)


@lru_cache(maxsize=256)
def _keep(epsilon: Fraction, k: int, bits: int) -> tuple[int, int]:
    """Enclosure of e**epsilon / (e**epsilon + k - 1); all of it is public, so it may be kept."""
    # 1 / (1 + (k - 1) e**-epsilon) falls in e**-epsilon, so the ends change places.
    extra = bits + k.bit_length()
    low, high = exp_fixed(-epsilon, extra)
    one = 1 << extra
    return (one << bits) // (one + (k - 1) * high), -(-(one << bits) // (one + (k - 1) * low))


def _other(index: int, k: int, source: BitSource) -> int:
    other = source.below(k - 1)
    return other + (other >= index)


def _check_index(index: int, k: int) -> None:
    if k < 1:
        raise ParameterError("must be at least 1", place="k")
    if not 0 <= index < k:
        # The index is private: the message must not repeat it.
        raise ParameterError("must lie in 0 .. k - 1", place="index")


def selection_rounds(stop: Fraction, shape: Fraction, source: BitSource | None = None) -> int:
    """How many rounds a private selection runs: K >= 1, independent of everything else.

    P(K = k) is proportional to (1 - stop)^(k-1) times the product over l from 1 to k - 1 of
    (l + shape)/(l + 1): a geometric number of rounds whose every further round passes one more
    coin, drawn again from the start when a coin fails.  shape 1 is the geometric law, 0 the
    logarithmic one, in general the negative binomial law of that shape on k >= 1 (Papernot and
    Steinke 2022, Definition 1).

    Args:
        stop: in (0, 1]; 1 gives a single round.
        shape: in (-1, 1].

    Raises:
        ParameterError: parameters outside of these.
    """
    source = source or system_source()
    if not 0 < stop <= 1 or not -1 < shape <= 1:
        raise ParameterError(
            f"stop is {stop} and shape is {shape}", place="private_selection",
            remedy="choose 0 < stop <= 1 and -1 < shape <= 1",
        )  # fmt: skip
    while True:
        rounds = 1
        while not bernoulli(stop, None, source):
            if shape != 1 and not bernoulli((rounds + shape) / (rounds + 1), None, source):
                break
            rounds += 1
        else:
            return rounds
