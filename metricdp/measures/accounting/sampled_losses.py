"""The loss laws of samplers over the loss law of what reads the sample."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from metricdp.measures.accounting.event import Parts


def merged(parts: Parts, *, upper: bool) -> Parts:
    """The parts as one law (or none), where one can be made."""
    if sum(count for _, count in parts) <= 1:
        return parts
    raise NotImplementedError


def poisson(loss: Any, rate: Fraction, forward: bool) -> Any:
    raise NotImplementedError


def poisson_replace(loss: Any, rate: Fraction) -> Any:
    raise NotImplementedError


def doubled(near: Parts, far: Parts) -> bool:
    raise NotImplementedError


def without_replacement(loss: Any, rate: Fraction) -> Any:
    raise NotImplementedError


def with_replacement(group: Any, draws: int, rows: int) -> Any:
    raise NotImplementedError
