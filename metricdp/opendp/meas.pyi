# ruff: noqa
# fmt: off
# Written by `python -m metricdp.opendp.stubs`; do not edit.
"""`opendp.meas` of 2021."""

from collections.abc import Callable, Iterable
from typing import Any

from metricdp.opendp.constructor import Partial as Partial
from metricdp.opendp.domains import Domain
from metricdp.opendp.metrics import Measure, Metric
from metricdp.opendp.objects import Measurement as Measurement
from metricdp.opendp.objects import Transformation as Transformation

def make_base_gaussian(
    scale: float,
    D: Any = ...,
) -> Measurement:
    """Gaussian noise on numbers; see `metricdp.gaussian` and `metricdp.discrete_gaussian`."""
    ...

def make_base_geometric(
    scale: float,
    bounds: tuple[float, float] | None = ...,
    D: Any = ...,
) -> Measurement:
    """Discrete Laplace noise on whole numbers, moved into `bounds` where they are given."""
    ...

def make_base_laplace(
    scale: float,
    D: Any = ...,
) -> Measurement:
    """Laplace noise on numbers; see `metricdp.laplace` and `metricdp.discrete_laplace`."""
    ...

def make_base_stability(
    size: int,
    scale: float,
    threshold: float,
    MI: Any,
    TIK: Any,
    TIC: Any = ...,
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
