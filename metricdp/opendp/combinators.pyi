# ruff: noqa
# fmt: off
# Written by `python -m metricdp.opendp.stubs`; do not edit.
"""Combinators by OpenDP's names."""

from collections.abc import Callable, Iterable
from typing import Any

from metricdp.opendp.constructor import Partial as Partial
from metricdp.opendp.domains import Domain
from metricdp.opendp.metrics import Measure, Metric
from metricdp.opendp.objects import Measurement as Measurement
from metricdp.opendp.objects import Transformation as Transformation

from metricdp.opendp.interactive import Odometer as Odometer

def make_adaptive_composition(
    input_domain: Domain,
    input_metric: Metric,
    output_measure: Measure | str,
    d_in: Any,
    d_mids: Any,
) -> Measurement:
    """A queryable that takes one measurement per entry of `d_mids`, each of which costs at most its entry at `d_in`; queryables that are open at the same time may be asked in turns."""
    ...

def then_adaptive_composition(
    output_measure: Measure | str,
    d_in: Any,
    d_mids: Any,
) -> Partial:
    """`make_adaptive_composition` on the space to the left of `>>`."""
    ...

def make_approximate(
    measurement: Any,
) -> Measurement:
    """A pure measurement as (epsilon, 0), one under zCDP as (rho, 0)."""
    ...

def make_basic_composition(
    m0: Any,
    m1: Any = ...,
) -> Measurement:
    """Two measurements, or a list of them: `make_composition` by its names of before."""
    ...

def make_chain_mt(
    measurement1: Any,
    transformation0: Any,
) -> Measurement:
    """transformation0 >> measurement1."""
    ...

def make_chain_pm(
    postprocess1: Any,
    measurement0: Any,
) -> Measurement:
    """measurement0 >> postprocess1."""
    ...

def make_chain_tt(
    transformation1: Any,
    transformation0: Any,
) -> Transformation:
    """transformation0 >> transformation1."""
    ...

def make_composition(
    measurements: Iterable[Any],
) -> Measurement:
    """All measurements on the same data: a list of releases; costs add, exactly."""
    ...

def make_fix_delta(
    measurement: Any,
    delta: float,
) -> Measurement:
    """The (epsilon, delta) at one delta; several of them compose at the sum of their deltas."""
    ...

def make_fixed_approxDP_to_approxDP(
    measurement: Any,
) -> Measurement:
    """The measurement under its privacy profile: `map(d_in)` is a curve with `.delta(epsilon)` and `.epsilon(delta)`, read from what was drawn; of a (rho, delta), the curve and delta."""
    ...

def make_fully_adaptive_composition(
    input_domain: Domain,
    input_metric: Metric,
    output_measure: Measure | str,
) -> Odometer:
    """An odometer: measurements chosen one by one, with `privacy_loss(d_in)` at any time."""
    ...

def then_fully_adaptive_composition(
    output_measure: Measure | str,
) -> Partial:
    """`make_fully_adaptive_composition` on the space to the left of `>>`."""
    ...

def make_population_amplification(
    measurement: Any,
    population_size: Any,
) -> Measurement:
    """The measurement on a secret sample, without replacement, that is drawn inside: the data are the whole population.  (OpenDP's takes the sample and believes that it is one.)"""
    ...

def make_privacy_filter(
    odometer: Any,
    d_in: Any,
    d_out: Any,
) -> Measurement:
    """The measurement that answers while the sum of all costs at `d_in` is at most `d_out`."""
    ...

def make_pureDP_to_zCDP(
    measurement: Any,
) -> Measurement:
    """The rho of a pure measurement: epsilon tanh(epsilon / 2), or less where it is known."""
    ...

def make_select_private_candidate(
    measurement: Any,
    stop_probability: Any,
    threshold: float,
) -> Measurement:
    """The first pair (score, value) above a public threshold, or None: 2 epsilon."""
    ...

def make_sequential_composition(
    input_domain: Domain,
    input_metric: Metric,
    output_measure: Measure | str,
    d_in: Any,
    d_mids: Any,
) -> Measurement:
    """A queryable that takes one measurement per entry of `d_mids`, each of which costs at most its entry at `d_in`; queryables that are open at the same time may be asked in turns."""
    ...

def then_sequential_composition(
    output_measure: Measure | str,
    d_in: Any,
    d_mids: Any,
) -> Partial:
    """`make_sequential_composition` on the space to the left of `>>`."""
    ...

def make_zCDP_to_approxDP(
    measurement: Any,
) -> Measurement:
    """The measurement under its privacy profile: `map(d_in)` is a curve with `.delta(epsilon)` and `.epsilon(delta)`, read from what was drawn; of a (rho, delta), the curve and delta."""
    ...
