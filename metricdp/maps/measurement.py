"""Measurements: functions whose result is released, with a privacy map per measure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from metricdp.errors import ParameterError
from metricdp.maps.base import Map, steps_of
from metricdp.maps.chaining import Chained, PostProcessed, law_at
from metricdp.maps.costs import MEASURES, SOURCE, Privacy, Readings, costs_of, shown_maps
from metricdp.maps.distances import Number, name_of, typed
from metricdp.maps.steps import MapStep, Reliance, Vouched, number
from metricdp.maps.transformation import Transformation, require_fit
from metricdp.measures.events import Tree, movable, moved_by, require_from
from metricdp.spaces import Space

if TYPE_CHECKING:
    from metricdp.measures.accountant import Certified


class Measurement(Map):
    """A randomised function whose result is released, with a privacy map per measure.

    Args:
        input_space: domain and metric of the private input.
        function: returns the release.
        privacy: measure -> map; "pure": epsilon, "zcdp": rho, "approx": (epsilon, delta),
            "approx_zcdp": (rho, delta), each as for `Transformation`.  May be left out when `tree`
            is given.
        name, trust, steps, enter: as for `Transformation`.
        tree: composition tree of events over the source "x"; every measure is read from it.

    Raises:
        SpaceError, ParameterError: as for `Transformation`; no measure, or an unknown one.
        InternalError: events over another source, which no map charges.
    """

    __slots__ = ("privacy", "tree")

    def __init__(
        self,
        input_space: Space,
        function: Callable[[Any], Any],
        privacy: Mapping[str, Any] | None = None,
        name: str = "",
        trust: str = "asserted",
        *,
        steps: Vouched | None = None,
        enter: Callable[[Any], Any] | None = None,
        tree: Tree | None = None,
    ) -> None:
        if tree is not None:
            require_from(tree, (SOURCE,), name or "measurement")
        self.tree = tree
        self.privacy: Privacy = costs_of(privacy, tree)
        if not self.privacy:
            raise ParameterError("no measure", place="privacy", remedy='write {"pure": "d_in"}')
        super().__init__(input_space, function, name, steps, self._step, trust, enter, None)

    def _step(self, name: str, rests_on: tuple[Reliance, ...]) -> MapStep:
        return MapStep(name, self.input_space, None, costs=self.privacy, rests_on=rests_on)

    def map(
        self, d_in: int | float | Fraction, measure: str | None = None
    ) -> Number | tuple[Number, ...]:
        """Privacy loss at distance `d_in`: epsilon, rho, or a pair with delta; rounded up.

        Args:
            measure: may be left out when there is one; else pure, then approx, zcdp, approx_zcdp.

        Raises:
            ParameterError: a measure that this measurement has no map for; a distance at which
                delta is 1 or more, so that nothing is promised.
        """
        values = self._losses(d_in, measure)
        if len(values) > 1 and values[1] >= 1:
            raise ParameterError(
                f"at this distance delta is {number(values[1])}, which promises nothing",
                place=self.name, remedy="a smaller distance, or a smaller delta per step",
            )  # fmt: skip
        return values if len(values) > 1 else values[0]

    def _losses(self, d_in: Any, measure: str | None) -> tuple[Number, ...]:
        return tuple(part(d_in) for part in self.privacy[self._measure(measure)])

    def check(self, d_in: int | float | Fraction, d_out: Any, measure: str | None = None) -> bool:
        """Whether the privacy loss at `d_in` is at most `d_out`, a pair where the loss is one."""
        spent = self._losses(d_in, measure)
        if len(spent) == 1:
            return spent[0] <= typed(d_out, "d_out")
        if not isinstance(d_out, tuple) or len(d_out) != len(spent):
            pair = "(rho, delta)" if self._measure(measure) == "approx_zcdp" else "(epsilon, delta)"
            raise ParameterError("a pair is needed", place="d_out", remedy=f"give {pair}")
        return all(s <= typed(o, "d_out") for s, o in zip(spent, d_out, strict=True))

    def inverse(self, d_out: int | float | Fraction, measure: str | None = None) -> Number:
        """The largest `d_in` with `check(d_in, d_out)`, for a measure with one number.

        Raises:
            ParameterError: a measure whose cost is a pair; a budget that is no number.
        """
        parts = self.privacy[self._measure(measure)]
        if len(parts) > 1:
            raise ParameterError(
                "a cost of two numbers, of which one is delta, has no single inverse",
                place=self.name,
                remedy='ask for measure="pure" or "zcdp", or for epsilon(delta, d_in)',
            )
        return parts[0].inverse(d_out)

    def epsilon(self, delta: int | float | Fraction, d_in: int | float | Fraction = 1) -> Certified:
        """The least certified epsilon at `delta` and distance `d_in`, with the rule that gives it.

        Raises:
            ParameterError: a measurement without a composition tree (made by hand), delta outside
                (0, 1), or no rule that reaches it.
        """
        drawn = self.function
        while isinstance(drawn, PostProcessed):
            drawn = drawn.inner
        known: Any = getattr(drawn, "certified", None)
        if self.tree is None and known is None:
            raise ParameterError(
                f"what `{self.name}` draws is not known, only its map",
                place=self.name,
                remedy="build it from the constructors, or read `map`",
            )
        from metricdp.measures.accountant import certified
        from metricdp.measures.steps import steps
        from metricdp.spaces.records import adjacency

        share, distance = typed(delta, "delta"), typed(d_in, "d_in")
        if not 0 < share < 1 or isinstance(distance, float):
            raise ParameterError(
                "delta lies between 0 and 1, and distances are finite",
                place=self.name,
                remedy="epsilon(delta=1e-6, d_in=1)",
            )
        if self.tree is None:
            exact: Certified = known(Fraction(share), Fraction(distance))
            return exact
        found = steps(self.tree, SOURCE, Fraction(distance), {})
        return certified(found, Fraction(share), adjacency(self.input_space))

    def law(self, value: Any) -> Any:
        """The output law at data that are first brought into the input domain.

        The law of what is released, on its grid (`law(x).ideal` is the continuous law behind real
        numbers); a `ProductLaw` for several releases.  Data are made up: a law shows all of them.

        Args:
            value: as for a call.

        Returns:
            A law of `metricdp.laws`.

        Raises:
            ParameterError: a part whose law is not known (a Python function by hand, a choice
                that depends on earlier releases), with its name; post-processing of a law with
                infinitely many outcomes.
            SchemaError: data of another type or shape than the input space.
        """
        return law_at(self.function, value if self.enter is None else self.enter(value), self.name)

    def _measure(self, measure: str | None) -> str:
        if measure is None:
            return next(m for m in MEASURES if m in self.privacy)
        if measure not in self.privacy:
            known = ", ".join(self.privacy)
            raise ParameterError(f"no {measure} map", place=self.name, remedy=f"ask for {known}")
        return measure

    def __rshift__(self, other: Any) -> Measurement:
        """Post-processing: free for any function of the release."""
        if not callable(other) or hasattr(other, "__rrshift__"):
            return NotImplemented
        name = getattr(other, "name", None) or name_of(other)
        return Measurement(
            self.input_space,
            PostProcessed(self.function, other),
            self.privacy,
            f"{self.name} >> {name}",
            steps=Vouched((*self.steps, MapStep(name, None, None))),
            enter=self.enter,
            tree=self.tree,
        )

    def chained_after(self, first: Transformation) -> Measurement:
        """The chain "first, then self"; see `Transformation.__rshift__`."""
        require_fit(first, self)
        inner = first.stability.expr
        tree: Tree | None = None
        if self.tree is not None and inner is not None and movable(self.tree, inner):
            tree = moved_by(self.tree, inner)
        # A map that is not the reading of its tree (a fixed delta) is composed as it is.
        privacy: Any = None
        if tree is None or not isinstance(self.privacy, Readings):
            privacy = {
                measure: tuple(part.after(first.stability) for part in parts)
                for measure, parts in self.privacy.items()
            }
        return Measurement(
            first.input_space,
            Chained(first, self),
            privacy,
            f"{first.name} >> {self.name}",
            steps=Vouched(steps_of(first, self)),
            enter=first.enter,
            tree=tree,
        )

    def __repr__(self) -> str:
        costs = "; ".join(f"{m}: {shown_maps(parts)}" for m, parts in self.privacy.items())
        needs = "".join(f"; requires {text}" for text in self.requires)
        spaces = f"{self.input_space} -> release"
        return f"Measurement {self.name}: {spaces}, {costs}{needs} ({self.trust})"

    def _repr_html_(self) -> str:
        return self._table({m: shown_maps(p) for m, p in self.privacy.items()}, "release")
