"""What every family answers, and the request for one draw of it.

A family is one frozen object.  What it does not know it refuses: the methods here raise, so that a
family which leaves one out is never taken for another one, whose noise would have another cost than
the one that was proved.  What draws and what knows laws is imported when it is asked: check reads
families, and draws nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from math import isfinite
from typing import TYPE_CHECKING, Any, ClassVar

import msgspec

from metricdp.errors import InternalError, ParameterError

if TYPE_CHECKING:
    from metricdp.accounting.renyi import Curve
    from metricdp.expr import Expr
    from metricdp.families.spent import SpentNoise
    from metricdp.noise import BitSource
    from metricdp.noise.grid import Grid

#: Parameters of a draw beside its scale, by name.
Extra = Mapping[str, Any]


class Family(msgspec.Struct, frozen=True):
    """A mechanism known by what it costs alone: nothing draws it.

    Attributes:
        name: of the sampler, in reports, ledgers and messages.
        parameter: the parameter of its events that states the scale.
        adds: it adds noise to every number of its argument.
        reads_one: it reads one value, or one container of numbers, and nothing beside it.
        released: its release is its argument with an error, so that an interval is around it.
        fills: a sum over no rows enters as a vector of the length that was proved.
        answers: its release is one of several categories.
        chooses: what it chooses among: "candidates", "scores", "queries", or "".
        compares: it compares scores on a grid, and pays for the least movement (`noise.grid`).
        reads_scores: what enters are scores, and the largest movement of one of them counts.
        relative: the law is the same after one number is added to all scores, so what counts is
            half of how far they move apart, which is at most the largest movement.
        has_mu: its trade-off is Gaussian.
        is_pure: the log-ratio of two densities of its noise is bounded.
        by_rho: its losses are told by their rho.
    """

    name: str
    parameter: ClassVar[str] = ""
    adds: ClassVar[bool] = False
    reads_one: ClassVar[bool] = False
    released: ClassVar[bool] = False
    fills: ClassVar[bool] = False
    answers: ClassVar[bool] = False
    chooses: ClassVar[str] = ""
    compares: ClassVar[bool] = False
    reads_scores: ClassVar[bool] = False
    relative: ClassVar[bool] = False
    has_mu: ClassVar[bool] = False
    is_pure: ClassVar[bool] = False
    by_rho: ClassVar[bool] = False

    def check(self, draw: Draw) -> None:
        """Raise a ParameterError for parameters that the family does not have."""
        raise self.unknown(draw.site)

    def request(
        self, noise: Mapping[str, Fraction], lower: Callable[[str], Fraction]
    ) -> tuple[Fraction, dict[str, Any]]:
        """The scale of a draw, and its other parameters.

        Args:
            noise: parameters as the event states them, rounded up.
            lower: parameter -> it, never larger than it is.
        """
        raise self.unknown()

    def fixed(
        self, noise: Mapping[str, Fraction], public: Mapping[str, Any]
    ) -> tuple[Fraction, dict[str, Any]] | None:
        """As `request`, from the arguments of a constructor; None: they do not fix the noise."""
        raise self.unknown()

    def entering(self, draw: Draw, given: Mapping[str, Any]) -> Entering:
        """What enters the draw of a call with these arguments, by name."""
        raise self.unknown(draw.site)

    def grid(self, draw: Draw) -> Grid:
        """The grid of the release."""
        return _plain_grid(draw.scale)

    def perform(self, draw: Draw, value: Any, source: BitSource) -> Any:
        """What one draw around a private value releases."""
        raise self.unknown(draw.site)

    def law(self, draw: Draw, value: Any) -> Any:
        """The exact law of what `perform` releases."""
        raise self.unknown(draw.site)

    def is_sure(self, draw: Draw) -> bool:
        """Whether the draw takes no random bits."""
        return False

    def shown(self, draw: Draw, value: Any) -> Callable[[Any], Any]:
        """How an outcome of the law looks when it is released."""
        return lambda outcome: outcome

    def half_width(self, scale: Fraction, extra: Extra, alpha: Fraction) -> float | None:
        """Half-width of the interval of each number's error; None where no number is released."""
        return None

    def zcdp(self, cost: Expr) -> Expr:
        """rho of a pure cost: what every such cost implies."""
        from metricdp.accounting.costs import pure_to_zcdp

        return pure_to_zcdp(cost)

    def pure_curve(self, epsilon: Fraction, spent: SpentNoise) -> Curve:
        """The Renyi curve of an event that costs epsilon: of any mechanism with its costs."""
        from metricdp.accounting.renyi import LeastCurve, LinearCurve, PureCurve, response_rho

        rho = spent.cost("zcdp")
        if rho is not None and rho[0] < response_rho(epsilon):
            return LeastCurve((PureCurve(epsilon), LinearCurve(rho[0])))
        return PureCurve(epsilon)

    def rho_curve(self, rho: Fraction, spent: SpentNoise) -> Curve:
        """The Renyi curve of an event that costs rho: of any mechanism with this cost."""
        from metricdp.accounting.renyi import LinearCurve

        return LinearCurve(rho)

    def noise_curve(self, spent: SpentNoise) -> Curve | None:
        """The Renyi curve of the noise behind an (epsilon, delta); None: the cost is all."""
        return None

    def words(self, scale: Fraction, extra: Extra) -> str:
        """The law of the noise in words."""
        raise self.unknown()

    def public_shape(self, value: Any) -> dict[str, Any]:
        """What the shape of a release tells of what entered."""
        raise self.unknown()

    def outcomes(self, draw: Draw, value: Any) -> Sequence[Any] | None:
        """The releases that are possible for a value, where they can be listed."""
        return None

    def log_ratio(
        self, scale: Fraction, extra: Extra, first: Fraction, second: Fraction, output: Fraction
    ) -> Fraction | None:
        """ln of the ratio of the densities of an output around two inputs; None if not known."""
        return None

    def largest_loss(self, scale: Fraction, extra: Extra, step: Fraction) -> Fraction | None:
        """The largest `log_ratio` over all outputs of inputs a step apart; None if not known."""
        return None

    def rho(self, scale: Fraction, extra: Extra, step: Fraction) -> Fraction | None:
        """rho between the laws around inputs a step apart, exactly; None if not known."""
        return None

    def unknown(self, place: str = "") -> InternalError:
        """The error of a family that does not know what it is asked."""
        return InternalError(
            f"no sampler for {self.name}",
            place=place,
            remedy="let its event carry a family that says how it is drawn (`metricdp.families`)",
        )


@lru_cache(maxsize=256)
def _plain_grid(scale: Fraction) -> Grid:
    """Whole numbers, or what is released as it is."""
    from metricdp.noise.grid import Grid

    return Grid(0, scale, Fraction(0))


class Draw(msgspec.Struct, frozen=True):
    """A request for one draw; every field is public.

    Attributes:
        site: address of the call in the checked program.
        family: what is drawn.
        norm: norm in which the movement is measured ("" scalar, "L1", "L2").
        scale: Laplace scale (of the threshold, above a threshold), Gaussian standard deviation or
            temperature of exponential weights, >= 0; 0 adds no noise.  Unused by randomized
            response.
        bound: largest proved movement at distance 1, >= 0.
        least: least positive movement that the guarantee covers at distance 1 (of all inputs);
            None: `bound`.  Only selections pay for rounding (`noise.grid`).
        extra: randomized response: "k" categories and "epsilon"; above a threshold: the
            "threshold" and the "query_scale"; further parameters of other families.

    Raises:
        ParameterError: a scale or bound that is negative, NaN or infinite, bad k or epsilon.
        InternalError: a mechanism without a sampler.
    """

    site: str
    family: Family
    norm: str = ""
    scale: Fraction = Fraction(0)
    bound: Fraction = Fraction(0)
    least: Fraction | None = None
    extra: Mapping[str, Any] = {}

    def __post_init__(self) -> None:
        for name in ("scale", "bound", "least"):
            value = getattr(self, name)
            if value is not None:
                value = nonnegative(value, f"the {name} of {self.mechanism}", self.site)
                msgspec.structs.force_setattr(self, name, value)
        self.family.check(self)

    @property
    def mechanism(self) -> str:
        """The name of the family."""
        return self.family.name

    def grid(self) -> Grid:
        """The grid of the release: integers for the discrete mechanisms; `noise.rounded` and
        `noise.grid` otherwise."""
        return self.family.grid(self)


class Entering(msgspec.Struct, frozen=True):
    """What enters a draw, and what its answer becomes.

    Attributes:
        draw: the request, completed by arguments of the call.
        value: private.
        leaving: what the call returns for an answer; None: the answer.
    """

    draw: Draw
    value: Any
    leaving: Callable[[Any], Any] | None = None


def nonnegative(value: Any, what: str, site: str) -> Fraction:
    """A public number >= 0.

    Raises:
        ParameterError: it is negative, NaN or infinite.
    """
    if isinstance(value, float) and not isfinite(value):
        raise ParameterError(f"{what} is {value}", place=site, remedy="choose a finite number >= 0")
    if type(value) is not Fraction:
        from metricdp.values.exact import exact

        value = Fraction(exact(value))
    if value < 0:
        raise ParameterError(f"{what} is negative", place=site, remedy="choose a number >= 0")
    number: Fraction = value
    return number
