# ruff: noqa
# fmt: off
# Written by `python -m metricdp.opendp.stubs`; do not edit.
"""Measurements by OpenDP's names."""

from collections.abc import Callable, Iterable
from typing import Any

from metricdp.opendp.constructor import Partial as Partial
from metricdp.opendp.domains import Domain
from metricdp.opendp.metrics import Measure, Metric
from metricdp.opendp.objects import Measurement as Measurement
from metricdp.opendp.objects import Transformation as Transformation

def make_canonical_noise(
    input_domain: Domain,
    input_metric: Metric,
    d_in: Any,
    d_out: Any,
) -> Measurement:
    """canonical_noise: adds noise to a number that spends exactly (epsilon, delta), and no less.

    Privacy.  With s the sensitivity, x + s N is released, N the Tulap law of (epsilon, delta)
    (`noise.canonical`): a density that is constant on unit cells, falls by e^-epsilon from cell to
    cell, and is cut off at +-c.  Two centres at most K s apart, K whole, have cells that differ by at
    most K everywhere, so where both densities are positive their ratio is at most e^(K epsilon); and
    one is positive alone with probability at most P(N < K - c).  For K = 1 that is delta: the cut is
    made so.  Group privacy for K = ceil(d / s) steps then gives
    (K epsilon, delta (e^(K epsilon) - 1) / (e^epsilon - 1)), which P(N < K - c) equals while K <= c.
    Without delta: epsilon K, exactly, and rho = K epsilon tanh(K epsilon / 2).
    At d < s the cost of s is charged: epsilon is met there, too.
    At one sensitivity the trade-off between the errors of every test is that of (epsilon, delta),
    nowhere above: so the noise is canonical.
    Whole numbers are released as whole numbers, others on a public grid; rounding comes after the
    noise.  Tight: centres one sensitivity apart, and the outcomes that only one of them has.
    Noise: `sensitivity=s`; when left out, the largest single-input movement at distance 1.
    Source: Awan and Slavkovic (2018), for the Tulap law; Awan and Vadhan (2023), for what is canonical.
    """
    ...

def then_canonical_noise(
    d_in: Any,
    d_out: Any,
) -> Partial:
    """`make_canonical_noise` on the space to the left of `>>`."""
    ...

def make_gaussian(
    input_domain: Domain,
    input_metric: Metric,
    scale: float,
    k: int | None = ...,
    MO: Any = ...,
) -> Measurement:
    """Gaussian noise on numbers; see `metricdp.gaussian` and `metricdp.discrete_gaussian`."""
    ...

def then_gaussian(
    scale: float,
    k: int | None = ...,
    MO: Any = ...,
) -> Partial:
    """`make_gaussian` on the space to the left of `>>`."""
    ...

def make_gaussian_threshold(
    input_domain: Domain,
    input_metric: Metric,
    scale: float,
    threshold: float,
    k: int | None = ...,
    MO: Any = ...,
) -> Measurement:
    """gaussian_threshold: normal noise on every value of a dictionary; only large ones are released.

    Privacy.  Inputs differ in at most l0 keys, by at most l2 in Euclidean distance and linf in one, an
    absent key counting 0.  Let E be the event that no key which only this input has is released.  Given
    E on both sides, what is released follows from normal noise of standard deviation sigma on the keys
    that both have, which move by at most l2: rho = l2^2 / (2 sigma^2).  A key that only one input has
    is seen with chance at most delta1 = P(N(0, sigma) >= T - linf) for real values, and at most
    P(N(0, sigma) >= ceil(T) - 1/2 - linf) for whole ones, whose noise is rounded to whole numbers; so E
    fails with chance at most delta = 1 - (1 - delta1)^l0.  That is delta-approximate rho-zCDP, stated
    as (rho, delta); an (epsilon, delta) follows from the normal profile at rho, with the deltas added.
    With T in place of T - linf delta would be too small.
    Where l2 is less than l0 keys of linf each would make it, as with weights, delta is less (`_among`).
    Rounding is post-processing, so the normal law's rho holds for what is released.
    Tight: one new key of value linf for delta; one key of both inputs that moves by l2 for rho.
    Source: Bun and Steinke (2016), Definition 8.1 and Lemma 2.5; Korolova, Kenthapadi, Mishra, Ntoulas
    (2009) for the threshold; Rogers (2023), for the triple of distances.
    """
    ...

def then_gaussian_threshold(
    scale: float,
    threshold: float,
    k: int | None = ...,
    MO: Any = ...,
) -> Partial:
    """`make_gaussian_threshold` on the space to the left of `>>`."""
    ...

def make_geometric(
    input_domain: Domain,
    input_metric: Metric,
    scale: float,
    bounds: tuple[float, float] | None = ...,
    MO: Any = ...,
) -> Measurement:
    """Discrete Laplace noise on whole numbers, moved into `bounds` where they are given."""
    ...

def then_geometric(
    scale: float,
    bounds: tuple[float, float] | None = ...,
    MO: Any = ...,
) -> Partial:
    """`make_geometric` on the space to the left of `>>`."""
    ...

def make_laplace(
    input_domain: Domain,
    input_metric: Metric,
    scale: float,
    k: int | None = ...,
    MO: Any = ...,
) -> Measurement:
    """Laplace noise on numbers; see `metricdp.laplace` and `metricdp.discrete_laplace`."""
    ...

def then_laplace(
    scale: float,
    k: int | None = ...,
    MO: Any = ...,
) -> Partial:
    """`make_laplace` on the space to the left of `>>`."""
    ...

def make_laplace_threshold(
    input_domain: Domain,
    input_metric: Metric,
    scale: float,
    threshold: float,
    k: int | None = ...,
    MO: Any = ...,
) -> Measurement:
    """laplace_threshold: Laplace noise on every value of a dictionary; only large ones are released.

    Privacy.  Inputs differ in at most l0 keys, by at most l1 in all and linf in one, an absent key
    counting 0.  Keys of both inputs cost epsilon = l1 / b.  A key that only one input has is seen with
    chance at most delta1 = P(noise >= T - linf): e^(-(T - linf)/b) / 2 for continuous noise on real
    values, e^(-(ceil(T) - linf)/b) / (1 + e^(-1/b)) for discrete noise on whole ones; so
    delta = 1 - (1 - delta1)^l0.  Whole values that add up to l1 give no more than
    max(l1 delta1(1), delta1(l1)) either, where delta1(c) is the chance for the value c.
    With T in place of T - linf, or > in place of >= on whole numbers, delta would be too small.
    Tight: one new key of value linf = l1.
    Source: Korolova, Kenthapadi, Mishra, Ntoulas (2009); Rogers (2023), for the triple of distances.
    """
    ...

def then_laplace_threshold(
    scale: float,
    threshold: float,
    k: int | None = ...,
    MO: Any = ...,
) -> Partial:
    """`make_laplace_threshold` on the space to the left of `>>`."""
    ...

def make_noise(
    input_domain: Domain,
    input_metric: Metric,
    output_measure: Measure | str,
    scale: float,
    k: int | None = ...,
) -> Measurement:
    """Laplace noise for pure privacy, Gaussian noise for zCDP."""
    ...

def then_noise(
    output_measure: Measure | str,
    scale: float,
    k: int | None = ...,
) -> Partial:
    """`make_noise` on the space to the left of `>>`."""
    ...

def make_noise_threshold(
    input_domain: Domain,
    input_metric: Metric,
    output_measure: Measure | str,
    scale: float,
    threshold: float,
    k: int | None = ...,
) -> Measurement:
    """Thresholded noise: Laplace under approximate pure privacy, Gaussian under approximate zCDP."""
    ...

def then_noise_threshold(
    output_measure: Measure | str,
    scale: float,
    threshold: float,
    k: int | None = ...,
) -> Partial:
    """`make_noise_threshold` on the space to the left of `>>`."""
    ...

def make_noisy_max(
    input_domain: Domain,
    input_metric: Metric,
    output_measure: Measure | str,
    scale: float,
    negate: Any = ...,
) -> Measurement:
    """top_k: the positions of the k largest scores, one after the other, each chosen privately.

    Privacy.  k rounds of permute-and-flip (`by="exponential"`: of exponential weights) at temperature
    T, each among the candidates that are left.  Given the positions so far, one round costs
    2 d_LInf / T when no score moves by more than d, and d_LInf / T when all scores move in one
    direction (`monotone=True`); rounds are adaptive, so k of them cost k times that, and k times the
    rho of one: (2 d_LInf / T)^2 / 8 for exponential weights, epsilon tanh(epsilon / 2) for
    permute-and-flip, which has no bounded range.  With `epsilon=` for all rounds together, T comes from
    the inferred bound.  What all scores share cancels, so check takes half of how far they move apart
    as d.  k rounds of exponential weights are one round
    of Gumbel noise on every score, and the k largest.
    Where nothing says how many candidates there are, fewer than k may come back.
    Approached by k candidates far below two others, which fall while those rise.
    Source: Durfee and Rogers (2019), Lemma 4.2 (peeling is Gumbel noise); McKenna and Sheldon (2020).
    """
    ...

def then_noisy_max(
    output_measure: Measure | str,
    scale: float,
    negate: Any = ...,
) -> Partial:
    """`make_noisy_max` on the space to the left of `>>`."""
    ...

def make_noisy_top_k(
    input_domain: Domain,
    input_metric: Metric,
    output_measure: Measure | str,
    k: int,
    scale: float,
    negate: Any = ...,
) -> Measurement:
    """top_k: the positions of the k largest scores, one after the other, each chosen privately.

    Privacy.  k rounds of permute-and-flip (`by="exponential"`: of exponential weights) at temperature
    T, each among the candidates that are left.  Given the positions so far, one round costs
    2 d_LInf / T when no score moves by more than d, and d_LInf / T when all scores move in one
    direction (`monotone=True`); rounds are adaptive, so k of them cost k times that, and k times the
    rho of one: (2 d_LInf / T)^2 / 8 for exponential weights, epsilon tanh(epsilon / 2) for
    permute-and-flip, which has no bounded range.  With `epsilon=` for all rounds together, T comes from
    the inferred bound.  What all scores share cancels, so check takes half of how far they move apart
    as d.  k rounds of exponential weights are one round
    of Gumbel noise on every score, and the k largest.
    Where nothing says how many candidates there are, fewer than k may come back.
    Approached by k candidates far below two others, which fall while those rise.
    Source: Durfee and Rogers (2019), Lemma 4.2 (peeling is Gumbel noise); McKenna and Sheldon (2020).
    """
    ...

def then_noisy_top_k(
    output_measure: Measure | str,
    k: int,
    scale: float,
    negate: Any = ...,
) -> Partial:
    """`make_noisy_top_k` on the space to the left of `>>`."""
    ...

def make_private_quantile(
    input_domain: Domain,
    input_metric: Metric,
    output_measure: Measure | str,
    candidates: Any,
    alpha: float,
    scale: float,
) -> Measurement:
    """private_quantile: chooses one of the public candidates, by how well it splits the rows.

    Privacy.  The score of t is -|(1 - alpha) #{x < t} - alpha #{x > t}|, and 0 where a share alpha of
    the rows lies below.  A row that is added or removed moves each score by at most
    m = max(alpha, 1 - alpha), up or down, so two scores move apart by at most 2m; a replaced row
    moves (1 - alpha) #{x < t} - alpha #{x > t} by at most 1, so 2; for alpha 0 or 1 all scores move one
    way, so 1 each.  The choice by permute-and-flip (`by="exponential"`: by exponential weights) at
    temperature T depends on differences of scores alone: epsilon = 2 m d / T, and 2 d / T for replaced
    rows; rho = epsilon tanh(epsilon / 2), and epsilon^2 / 8 for exponential weights.  With `epsilon=`,
    T comes from the inferred bound.
    Candidates are public: they come from no private data.
    Approached when all rows lie between low candidates and a far one.
    Source: Smith (2011), section 3; McKenna and Sheldon (2020).
    """
    ...

def then_private_quantile(
    output_measure: Measure | str,
    candidates: Any,
    alpha: float,
    scale: float,
) -> Partial:
    """`make_private_quantile` on the space to the left of `>>`."""
    ...

def make_randomized_response(
    categories: Any,
    prob: float,
    T: Any = ...,
) -> Measurement:
    """randomized_response_kept: tells the truth with probability p, else one of the other answers.

    Privacy.  Of k answers the true one has probability p and every other one q = (1 - p) / (k - 1), so
    for two inputs every answer has a probability ratio in {p/q, 1, q/p}: epsilon = |ln(p/q)| when the
    input moved, 0 when not.  For p < 1/k the truth is the rarest answer, and the ratio q/p counts: a
    bound that takes ln(p/q) alone is negative there.  p = 0 and p = 1 tell inputs apart for certain.
    A value that is none of the answers counts as the first of them.  Tight: the answer that is the
    truth of one input.  rho = epsilon tanh(epsilon / 2) bounds it, exactly for k = 2.
    Source: Warner (1965); Kairouz, Oh, Viswanath (2014).
    """
    ...

def make_randomized_response_bitvec(
    input_domain: Domain,
    input_metric: Metric,
    f: float,
    constant_time: Any = ...,
) -> Measurement:
    """randomized_response_bits: every bit of a list is told, or turned with probability f / 2.

    Privacy.  Each bit has its own coin, so its truth has probability 1 - f/2 and its opposite f/2: a
    bit that differs has a ratio of at most (2 - f) / f, and a list with k different bits
    epsilon = k ln((2 - f) / f).  Lists at distance d in L1 differ in at most d bits, in L2 in at most
    d^2.  Two lists of one length with at most m ones differ in at most 2m bits.  The length of the list
    is public: it is released.
    f = 1 tells nothing.  Tight: the answer that is the truth of one list.
    rho = d e tanh(e / 2), e = ln((2 - f) / f), as each different bit is one answer of two.
    Source: Erlingsson, Pihur, Korolova (2014), Theorem 1 (permanent randomized response).
    """
    ...

def then_randomized_response_bitvec(
    f: float,
    constant_time: Any = ...,
) -> Partial:
    """`make_randomized_response_bitvec` on the space to the left of `>>`."""
    ...

def make_randomized_response_bool(
    prob: float,
    constant_time: Any = ...,
) -> Measurement:
    """randomized_response_kept: tells the truth with probability p, else one of the other answers.

    Privacy.  Of k answers the true one has probability p and every other one q = (1 - p) / (k - 1), so
    for two inputs every answer has a probability ratio in {p/q, 1, q/p}: epsilon = |ln(p/q)| when the
    input moved, 0 when not.  For p < 1/k the truth is the rarest answer, and the ratio q/p counts: a
    bound that takes ln(p/q) alone is negative there.  p = 0 and p = 1 tell inputs apart for certain.
    A value that is none of the answers counts as the first of them.  Tight: the answer that is the
    truth of one input.  rho = epsilon tanh(epsilon / 2) bounds it, exactly for k = 2.
    Source: Warner (1965); Kairouz, Oh, Viswanath (2014).
    """
    ...

def make_report_noisy_max_gumbel(
    input_domain: Domain,
    input_metric: Metric,
    scale: float,
    optimize: Any = ...,
) -> Measurement:
    """Gumbel noise on every score and the largest: exponential weights, sampled exactly."""
    ...

def then_report_noisy_max_gumbel(
    scale: float,
    optimize: Any = ...,
) -> Partial:
    """`make_report_noisy_max_gumbel` on the space to the left of `>>`."""
    ...

def make_user_measurement(
    input_domain: Domain,
    input_metric: Metric,
    output_measure: Measure | str,
    function: Any,
    privacy_map: Any,
    TO: Any = ...,
) -> Measurement:
    """A function of the user with a privacy map that is believed, not proved."""
    ...

def then_user_measurement(
    output_measure: Measure | str,
    function: Any,
    privacy_map: Any,
    TO: Any = ...,
) -> Partial:
    """`make_user_measurement` on the space to the left of `>>`."""
    ...

from metricdp.opendp.catalogue_noise import debias_randomized_response_bitvec as debias_randomized_response_bitvec
