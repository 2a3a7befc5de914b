"""Measurements of the user: functions with a privacy map that is believed, also under a measure of
the user, of which nothing is known but its name."""

from __future__ import annotations

from typing import Any

import msgspec

from metricdp.errors import ParameterError
from metricdp.maps import DistanceMap
from metricdp.maps import Measurement as CoreMeasurement
from metricdp.maps.distances import Number
from metricdp.maps.functions import Enter, Leave
from metricdp.opendp.domains import Domain
from metricdp.opendp.metrics import Metric, UserDivergence
from metricdp.opendp.objects import Made, Measurement, Transformation, as_number
from metricdp.opendp.placing import placed


class UserMeasurement(msgspec.Struct, frozen=True):
    """A function of the user on plain values of the domain."""

    given: Any
    space: Any

    @property
    def __name__(self) -> str:
        return str(getattr(self.given, "__name__", "user_measurement"))

    def __call__(self, value: Any) -> Any:
        return self.given(Leave(self.space)(Enter(self.space)(value)))


class UserLoss(msgspec.Struct, frozen=True):
    """The user's privacy map: distances of OpenDP's metric -> one part of the loss."""

    given: Any
    after: Any
    part: int | None

    def __call__(self, d: Any) -> Any:
        distance = DistanceMap(self.after)(d)
        whole = not isinstance(distance, float) and distance.denominator == 1
        # Never a smaller distance: a loss at a double below it would be too small.
        loss = self.given(as_number(distance, whole))
        return loss if self.part is None else loss[self.part]


class MeasuredByUser(Measurement):
    """A measurement under a measure of the user: its map returns what the user's map returns.

    Costs are objects of the user, so they neither add up nor convert.  For every other reader of
    the measurement its epsilon is infinite, which is true of any function.
    """

    __slots__ = ("loss",)
    loss: UserLoss

    @classmethod
    def made_of(
        cls,
        space: tuple[Domain, Metric],
        measure: UserDivergence,
        core: CoreMeasurement,
        loss: UserLoss,
        made: Made = (),
    ) -> MeasuredByUser:
        """The measurement with a map from distances of its input."""
        found = cls(*space, measure, core, made)
        found.loss = loss
        return found

    def exact_map(self, d_in: Any) -> Any:
        """What the user's map returns at a distance."""
        return self.loss(self._before(d_in))

    map = exact_map

    def check(self, d_in: Any, d_out: Any, *, debug: bool = False) -> bool:
        """Whether the user's loss at `d_in` is <= `d_out`, by the user's own comparison.

        Raises:
            ParameterError: losses that do not compare.
        """
        try:
            return bool(self.exact_map(d_in) <= d_out)
        except TypeError:
            pass
        raise ParameterError(
            f"the losses of {self.output_measure!r} do not compare with {type(d_out).__name__}",
            place="check",
            remedy="return numbers from `privacy_map`, or objects that have `<=`",
        )

    def inverse(self, d_out: Any) -> Any:
        """Refused: nothing says that the user's map rises.

        Raises:
            ParameterError: always.
        """
        raise ParameterError(
            f"nothing is known of the map under {self.output_measure!r}",
            place="inverse",
            remedy="ask `check(d_in, d_out)`",
        )

    def following(self, first: Transformation, core: CoreMeasurement, made: Made) -> MeasuredByUser:
        """The chain "first, then this"."""
        inner = UserLoss(self.loss.given, Through(first, self.loss.after), None)
        measure: Any = self.output_measure
        return self.made_of(first.input_space, measure, core, inner, made)

    def __rshift__(self, other: Any) -> Any:
        found = super().__rshift__(other)
        if found is NotImplemented:
            return found
        measure: Any = self.output_measure
        return self.made_of(self.input_space, measure, found.core, self.loss, found.made)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, MeasuredByUser):
            return NotImplemented
        return super().__eq__(other) is True and self.loss == other.loss

    __hash__ = Measurement.__hash__

    def __repr__(self) -> str:
        return f"{super().__repr__()[:-1]} by the user)"


class Through(msgspec.Struct, frozen=True):
    """Distances of the data of a chain -> distances of the user's map."""

    first: Transformation
    after: Any

    def __call__(self, d: Number) -> Number:
        return DistanceMap(self.after)(self.first.core.map(d))


def measured_by_user(
    space: tuple[Domain, Metric], measure: UserDivergence, function: Any, privacy_map: Any
) -> MeasuredByUser:
    """A function of the user with a map under a measure of the user; both are believed."""
    place = placed(*space)
    call = UserMeasurement(function, place.space)
    core = CoreMeasurement(place.space, call, {"pure": "oo"}, "user_measurement")
    return MeasuredByUser.made_of(space, measure, core, UserLoss(privacy_map, place.after, None))
