"""Families of noise that replay meets: of this package, and of the generators of others."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from math import atan, exp, expm1, pi
from typing import ClassVar

from metricdp.families.added import Added
from metricdp.families.family import Family
from metricdp.families.gaussian import GAUSSIAN
from metricdp.families.laplace import LAPLACE
from metricdp.families.tails import to_double, two_sided
from metricdp.record import REGISTRY


class Gumbel(Added, frozen=True):
    """Gumbel noise: nothing here draws it, or knows its losses."""

    name: str = "gumbel"
    norm: ClassVar[str] = "LInf"

    def below(self, c: Fraction) -> Fraction:
        """P(Z < c)."""
        height = exp(min(-to_double(c), 700.0))
        return 1 - Fraction(-expm1(-height)) if height < 1 else Fraction(exp(-height))


class Logistic(Added, frozen=True):
    """Logistic noise."""

    name: str = "logistic"
    norm: ClassVar[str] = "L1"

    def below(self, c: Fraction) -> Fraction:
        """P(Z < c)."""
        return two_sided(c, lambda far: 1 / (1 + exp(far)) if far < 700 else exp(-far))


class Exponential(Added, frozen=True):
    """One-sided exponential noise."""

    name: str = "exponential"
    norm: ClassVar[str] = "LInf"

    def below(self, c: Fraction) -> Fraction:
        """P(Z < c)."""
        return 1 - Fraction(exp(-to_double(c))) if c > 0 else Fraction(0)


class Cauchy(Added, frozen=True):
    """Cauchy noise."""

    name: str = "cauchy"
    norm: ClassVar[str] = "L1"

    def below(self, c: Fraction) -> Fraction:
        """P(Z < c)."""
        return two_sided(c, lambda far: atan(1 / far) / pi if far else 0.5)


GUMBEL, LOGISTIC, EXPONENTIAL, CAUCHY = Gumbel(), Logistic(), Exponential(), Cauchy()
#: Methods of generators whose draw is its location plus noise of a scale.
LOCATED: Mapping[str, Added] = {
    "laplace": LAPLACE, "normal": GAUSSIAN, "gumbel": GUMBEL, "logistic": LOGISTIC,
}  # fmt: skip


def called(name: str) -> Family | None:
    """The added noise that a user calls by this name; None for a name of their own."""
    return _by_name().get(name)


@cache
def _by_name() -> Mapping[str, Family]:
    from metricdp.primitives import load

    load()
    known = [r.family for r in REGISTRY.values() if r.family is not None and r.family.adds]
    return {f.name: f for f in (*known, GUMBEL, LOGISTIC, EXPONENTIAL, CAUCHY)}
