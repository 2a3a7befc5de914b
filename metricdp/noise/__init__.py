"""Exact noise: samplers whose law is the stated one, bit for bit.

`discrete` has the integer samplers, `rounded` the real-valued ones (continuous noise, rounded to a
public grid), `bernoulli` the coins, `accuracy` their intervals, `source` the random bits.
"""

from __future__ import annotations

from metricdp.noise.accuracy import (
    canonical_interval,
    discrete_gaussian_interval,
    discrete_laplace_interval,
    double_up,
    gaussian_interval,
    laplace_interval,
    rounded_canonical_interval,
)
from metricdp.noise.bernoulli import (
    bernoulli,
    bernoulli_exp,
    randomized_response,
    randomized_response_epsilon,
)
from metricdp.noise.discrete import discrete_gaussian, discrete_laplace
from metricdp.noise.rounded import gaussian, gaussian_ticks, laplace, laplace_ticks
from metricdp.noise.source import BitSource, SeededSource, SystemSource, system_source

__all__ = [
    "BitSource",
    "SeededSource",
    "SystemSource",
    "bernoulli",
    "bernoulli_exp",
    "canonical_interval",
    "discrete_gaussian",
    "discrete_gaussian_interval",
    "discrete_laplace",
    "discrete_laplace_interval",
    "double_up",
    "gaussian",
    "gaussian_interval",
    "gaussian_ticks",
    "laplace",
    "laplace_interval",
    "laplace_ticks",
    "randomized_response",
    "randomized_response_epsilon",
    "rounded_canonical_interval",
    "system_source",
]
