"""Exact noise: integer samplers whose law is the stated one, bit for bit.

`discrete` has the two samplers, `bernoulli` the coins, `accuracy` their intervals, `source` the
random bits.  Real-valued noise is one of these on a public power-of-two grid.
"""

from __future__ import annotations

from metricdp.noise.accuracy import (
    discrete_gaussian_interval,
    discrete_laplace_interval,
    gaussian_interval,
    laplace_interval,
)
from metricdp.noise.bernoulli import (
    bernoulli,
    bernoulli_exp,
    randomized_response,
    randomized_response_epsilon,
)
from metricdp.noise.discrete import discrete_gaussian, discrete_laplace
from metricdp.noise.source import BitSource, SeededSource, SystemSource, system_source

__all__ = [
    "BitSource",
    "SeededSource",
    "SystemSource",
    "bernoulli",
    "bernoulli_exp",
    "discrete_gaussian",
    "discrete_gaussian_interval",
    "discrete_laplace",
    "discrete_laplace_interval",
    "gaussian_interval",
    "laplace_interval",
    "randomized_response",
    "randomized_response_epsilon",
    "system_source",
]
