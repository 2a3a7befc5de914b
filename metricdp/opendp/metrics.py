"""OpenDP's metrics and measures, as data."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from metricdp.errors import ParameterError
from metricdp.opendp.domains import WrongElementError
from metricdp.opendp.types import type_name


class Metric(msgspec.Struct, frozen=True):
    """A distance between values of a domain."""

    @property
    def type(self) -> str:
        """Name of the metric."""
        return type(self).__name__

    @property
    def distance_type(self) -> str:
        """OpenDP's name of the type of distances."""
        return "u32"

    def __repr__(self) -> str:
        return f"{self.type}()"


class SymmetricDistance(Metric, frozen=True, repr_omit_defaults=True):
    """Rows added or removed, order ignored."""

    __repr__ = Metric.__repr__


class InsertDeleteDistance(Metric, frozen=True):
    """Rows inserted or deleted, order kept."""

    __repr__ = Metric.__repr__


class ChangeOneDistance(Metric, frozen=True):
    """Rows replaced, order ignored."""

    __repr__ = Metric.__repr__


class HammingDistance(Metric, frozen=True):
    """Rows replaced, order kept."""

    __repr__ = Metric.__repr__


class DiscreteDistance(Metric, frozen=True):
    """0 if equal, else 1."""

    __repr__ = Metric.__repr__


class _Typed(Metric, frozen=True):
    T: str

    def __class_getitem__(cls, T: Any) -> str:
        """`L1Distance[int]`: the name of the metric, as an argument `MO` takes it."""
        return f"{cls.__name__}<{type_name(T)}>"

    @property
    def distance_type(self) -> str:
        return self.T

    def __repr__(self) -> str:
        return f"{self.type}({self.T})"


class AbsoluteDistance(_Typed, frozen=True):
    """|x - y|."""

    __repr__ = _Typed.__repr__


class L1Distance(_Typed, frozen=True):
    """Sum of |x_i - y_i|."""

    __repr__ = _Typed.__repr__


class L2Distance(_Typed, frozen=True):
    """Root of the sum of squares."""

    __repr__ = _Typed.__repr__


class LInfDistance(_Typed, frozen=True):
    """Largest |x_i - y_i|; `monotonic`: all entries move the same way."""

    monotonic: bool = False

    __repr__ = _Typed.__repr__


class Triple(Metric, frozen=True):
    """Three distances at once, of the keys and the values of a dictionary."""

    inner: Metric

    @property
    def distance_type(self) -> str:
        return self.inner.distance_type

    def __repr__(self) -> str:
        return f"{self.type}({self.inner!r})"


class L01InfDistance(Triple, frozen=True):
    """Triples (keys that differ, sum, largest) of a dictionary's values."""

    __repr__ = Triple.__repr__


class L02InfDistance(Triple, frozen=True):
    """Triples (keys that differ, root of the sum of squares, largest)."""

    __repr__ = Triple.__repr__


class UserDistance(Metric, frozen=True):
    """A distance of the user, known by its name and description only."""

    identifier: str
    descriptor: Any = None

    @property
    def distance_type(self) -> str:
        return "f64"

    def __repr__(self) -> str:
        return f"UserDistance({self.identifier})"


class Measure(msgspec.Struct, frozen=True):
    """A distance between laws of a measurement."""

    @property
    def type(self) -> str:
        """Name of the measure."""
        return type(self).__name__

    @property
    def reading(self) -> str:
        """The measure's name in a guarantee: "pure", "zcdp", "approx", "approx_zcdp", "profile",
        "approx profile" or "renyi"."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return self.type


class MaxDivergence(Measure, frozen=True):
    """Pure: epsilon."""

    reading = "pure"
    __repr__ = Measure.__repr__

    def __class_getitem__(cls, T: Any) -> type[MaxDivergence]:
        """`MaxDivergence[float]` of 2021: the type of epsilon has no meaning here."""
        return cls


class ZeroConcentratedDivergence(Measure, frozen=True):
    """rho."""

    reading = "zcdp"
    __repr__ = Measure.__repr__


class SmoothedMaxDivergence(Measure, frozen=True):
    """The whole curve of (epsilon, delta): a `PrivacyProfile`."""

    reading = "profile"
    __repr__ = Measure.__repr__


class RenyiDivergence(Measure, frozen=True):
    """A curve in alpha."""

    reading = "renyi"
    __repr__ = Measure.__repr__


class Approximate(Measure, frozen=True):
    """A measure up to probability delta: pairs (distance, delta)."""

    inner_measure: Measure

    @property
    def reading(self) -> str:
        known = {"pure": "approx", "zcdp": "approx_zcdp"}
        return known.get(self.inner_measure.reading, f"approx {self.inner_measure.reading}")

    def __repr__(self) -> str:
        return f"Approximate({self.inner_measure!r})"


class UserDivergence(Measure, frozen=True):
    """A measure of the user, known by its name and description only."""

    identifier: str
    descriptor: Any = None

    reading = "user"

    def __repr__(self) -> str:
        return f"UserDivergence({self.identifier})"


def symmetric_distance() -> SymmetricDistance:
    """Rows added or removed, order ignored."""
    return SymmetricDistance()


def insert_delete_distance() -> InsertDeleteDistance:
    """Rows inserted or deleted, order kept."""
    return InsertDeleteDistance()


def change_one_distance() -> ChangeOneDistance:
    """Rows replaced, order ignored."""
    return ChangeOneDistance()


def hamming_distance() -> HammingDistance:
    """Rows replaced, order kept."""
    return HammingDistance()


def discrete_distance() -> DiscreteDistance:
    """0 if equal, else 1."""
    return DiscreteDistance()


def absolute_distance(T: Any) -> AbsoluteDistance:
    """|x - y| of numbers of type T."""
    return AbsoluteDistance(type_name(T))


def l1_distance(T: Any) -> L1Distance:
    """Sum of the absolute differences of entries of type T."""
    return L1Distance(type_name(T))


def l2_distance(T: Any) -> L2Distance:
    """Euclidean distance of entries of type T."""
    return L2Distance(type_name(T))


def linf_distance(T: Any, monotonic: bool = False) -> LInfDistance:
    """Largest absolute difference of entries of type T."""
    return LInfDistance(type_name(T), monotonic)


def l01inf_distance(metric: Metric) -> L01InfDistance:
    """See `L01InfDistance`."""
    return L01InfDistance(_metric(metric))


def l02inf_distance(metric: Metric) -> L02InfDistance:
    """See `L02InfDistance`."""
    return L02InfDistance(_metric(metric))


def _metric(given: Any) -> Metric:
    if isinstance(given, Metric):
        return given
    raise WrongElementError(
        f"{type(given).__name__} is no metric", place="metric", remedy="absolute_distance(T=float)"
    )


def user_distance(identifier: str, descriptor: Any = None) -> UserDistance:
    """A distance of the user, known by its name and description only."""
    return UserDistance(identifier, descriptor)


def max_divergence() -> MaxDivergence:
    """Pure differential privacy."""
    return MaxDivergence()


def smoothed_max_divergence() -> SmoothedMaxDivergence:
    """Curves of (epsilon, delta)."""
    return SmoothedMaxDivergence()


def zero_concentrated_divergence() -> ZeroConcentratedDivergence:
    """zCDP."""
    return ZeroConcentratedDivergence()


def renyi_divergence() -> RenyiDivergence:
    """Renyi curves."""
    return RenyiDivergence()


def user_divergence(identifier: str, descriptor: Any = None) -> UserDivergence:
    """A measure of the user, known by its name and description only.

    `make_user_measurement` takes it with the user's privacy map, whose values are what `map`
    returns; such measurements chain after transformations and before post-processing.  They do not
    compose: no rule says how the user's losses add up.

    Raises:
        ParameterError: an empty name.
    """
    if not isinstance(identifier, str) or not identifier:
        raise ParameterError("a measure needs a name", place="user_divergence", remedy='"tCDP"')
    return UserDivergence(identifier, descriptor)


def approximate(measure: Measure) -> Approximate:
    """A measure up to probability delta.

    Raises:
        WrongElementError: no measure, or one of the user, of which nothing is known.
    """
    if isinstance(measure, UserDivergence):
        raise WrongElementError(
            f"nothing is known of {measure!r} but its name", place="approximate",
            remedy="user_divergence(...), with a map that has the delta in it",
        )  # fmt: skip
    if not isinstance(measure, Measure):
        raise WrongElementError(
            f"{type(measure).__name__} is no measure",
            place="approximate",
            remedy="approximate(max_divergence())",
        )
    return Approximate(measure)


def fixed_smoothed_max_divergence() -> Approximate:
    """(epsilon, delta): today `approximate(max_divergence())`."""
    return Approximate(MaxDivergence())


_NAMED: dict[str, Measure] = {
    "MaxDivergence": MaxDivergence(),
    "ZeroConcentratedDivergence": ZeroConcentratedDivergence(),
    "SmoothedMaxDivergence": SmoothedMaxDivergence(),
    "RenyiDivergence": RenyiDivergence(),
    "FixedSmoothedMaxDivergence": Approximate(MaxDivergence()),
}


def measure_of(given: Any) -> Measure:
    """A measure from an object or a name: "MaxDivergence", "Approximate<MaxDivergence>".

    Raises:
        WrongElementError: anything else.
    """
    if isinstance(given, Measure):
        return given
    name = given if isinstance(given, str) else getattr(given, "__name__", str(given))
    name = re.sub(r"<[fiu]\d+>", "", name).strip()
    found = _NAMED.get(name)
    if found is not None:
        return found
    inner = re.fullmatch(r"Approximate<(\w+)>", name)
    if inner and inner[1] in _NAMED:
        return Approximate(_NAMED[inner[1]])
    raise WrongElementError(
        f"no measure is called {name!r}", place="measure", remedy="max_divergence()"
    )


def additive(given: Any, place: str) -> Measure:
    """A measure whose costs add up.

    Raises:
        WrongElementError: no measure.
        ParameterError: a measure of another kind.
    """
    found = measure_of(given)
    if found.reading not in ("pure", "zcdp", "approx", "approx_zcdp"):
        raise ParameterError(
            f"costs under {found!r} do not add up",
            place=place,
            remedy="max_divergence(), zero_concentrated_divergence() or approximate()",
        )
    return found
