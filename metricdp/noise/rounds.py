"""How many rounds a private selection runs: exact, and independent of everything else.

P(K = k) is proportional to (1 - stop)^(k-1) times the product over l from 1 to k - 1 of
(l + shape)/(l + 1): a geometric number of rounds whose every further round passes one more coin,
drawn again from the start when a coin fails.  shape 1 is the geometric law, 0 the logarithmic one,
in general the negative binomial law of that shape on k >= 1 (Papernot and Steinke 2022, Definition
1).
"""

from __future__ import annotations

from fractions import Fraction

from metricdp.errors import ParameterError
from metricdp.noise.bernoulli import bernoulli
from metricdp.noise.source import BitSource, system_source


def selection_rounds(stop: Fraction, shape: Fraction, source: BitSource | None = None) -> int:
    """A draw of K >= 1.

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
