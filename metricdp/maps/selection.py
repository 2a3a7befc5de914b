"""Private selection among rounds of one measurement that returns pairs (score, value).

`best_of`: the best of a secret random number of rounds; see `measures.readings`.

`first_above`: rounds run until one has a score of at least a public threshold, or, after any round
below it, a coin of chance `stop` says no; the pair of that round, or None.  With p(y) the chance of
a pair y above, p that of any pair above and g = stop,
  P(y) = p(y) / (g + (1 - g) p),   P(None) = g (1 - p) / (g + (1 - g) p).
The epsilon is that of `accounting.costs.selected` for shape 0: at most 2 epsilon, whatever `stop`
is.  Source: Liu and Talwar (2019), Theorem 3.1; `measures.readings` for the dependence on `stop`.
A round that fails, or whose score is no number, is below every threshold.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import msgspec

from metricdp.accounting.costs import selected
from metricdp.errors import ParameterError, ReplayError
from metricdp.expr import D, num
from metricdp.maps.chaining import law_at
from metricdp.maps.costs import as_event, costs_of, view
from metricdp.maps.distances import DistanceMap, typed
from metricdp.maps.measurement import Measurement
from metricdp.maps.steps import PROVED, MapStep, Reliance, Vouched
from metricdp.measures.events import LEAST_STOP, Selected, Tree
from metricdp.plain import plain


def best_of(
    measurement: Measurement, stop: int | float | Fraction, shape: int | float | Fraction = 1
) -> Measurement:
    """The pair (score, value) of the best of a secret random number of rounds.

    Args:
        measurement: of pairs; each call is one round, with noise of its own.
        stop: chance to stop after each round (for shape 1), in [1e-9, 1].
        shape: in (-1, 1]; 1 geometric: up to 3 epsilon, 0 logarithmic: up to 2 epsilon.

    Raises:
        ParameterError: a measurement without a composition tree, stop or shape out of range.
    """
    chance, form = _chance(stop), _shape(shape)
    if measurement.tree is None:
        raise ParameterError(
            f"what `{measurement.name}` draws is not known", place="best_of",
            remedy="build it from constructors",
        )  # fmt: skip
    tree = Selected(measurement.tree, num(chance), num(form))
    name = f"best of {measurement.name}"
    reason = "the number of rounds is secret and random, and all but the best are forgotten"
    return _made(measurement, BestRound(measurement, chance, form), tree, None, name, reason)


def first_above(
    measurement: Measurement, stop: int | float | Fraction, threshold: int | float | Fraction
) -> Measurement:
    """The first pair (score, value) whose score reaches a public threshold, or None.

    Args:
        measurement: of pairs; with an epsilon.
        stop: chance to give up after each round below the threshold, in [1e-9, 1].
        threshold: public.

    Raises:
        ParameterError: a measurement without an epsilon, stop out of range, threshold NaN.
    """
    chance, threshold = _chance(stop), plain(threshold, "threshold")
    if threshold != threshold:
        raise ParameterError("the threshold is NaN", place="threshold", remedy="give a number")
    if "pure" not in measurement.privacy:
        raise ParameterError(
            f"`{measurement.name}` has no epsilon, and nothing is proved without one",
            place="first_above",
            remedy="use best_of for an (epsilon, delta), or noise with an epsilon",
        )
    (epsilon,) = view(measurement.privacy, "pure")
    costs = {"pure": (DistanceMap(selected(D, chance, 0)).after(epsilon),)}
    name = f"first of {measurement.name} above"
    tree = as_event(name, costs)
    reason = (
        "rounds below a public threshold are forgotten, and giving up does not look at the data"
    )
    return _made(measurement, FirstRound(measurement, chance, threshold), tree, costs, name, reason)


def _made(
    base: Measurement,
    function: Any,
    tree: Tree | None,
    costs: Mapping[str, Any] | None,
    name: str,
    reason: str,
) -> Measurement:
    rests = (*base.rests_on, Reliance(PROVED, "private selection"))
    privacy = costs_of(None if tree is not None else costs, tree)
    step = MapStep(name, base.input_space, None, costs=privacy, reason=reason, rests_on=rests)
    return Measurement(
        base.input_space, function, privacy, name, steps=Vouched((step,)), enter=base.enter,
        tree=tree,
    )  # fmt: skip


def _chance(stop: Any) -> Fraction:
    chance = typed(stop, "stop")
    if not LEAST_STOP <= chance <= 1:
        raise ParameterError(
            f"the chance to stop is {stop}", place="stop",
            remedy=f"choose {LEAST_STOP} <= stop <= 1: there are 1 / stop rounds",
        )  # fmt: skip
    return Fraction(chance)


def _shape(shape: Any) -> Fraction:
    form = Fraction(plain(shape, "shape"))
    if not -1 < form <= 1:
        raise ParameterError(
            f"the shape is {shape}", place="shape", remedy="choose -1 < shape <= 1"
        )
    return form


def _source() -> Any:
    from metricdp.run.emit import current_handler

    source = getattr(current_handler(), "source", None)
    if source is None:
        raise ReplayError("a replay draws no rounds", place="selection")
    return source


class BestRound(msgspec.Struct, frozen=True):
    """The best of a random number of rounds."""

    measurement: Measurement
    stop: Fraction
    shape: Fraction

    def __call__(self, data: Any) -> Any:
        from metricdp.run.private_selection import best_round

        def once() -> tuple[Any, Any]:
            try:
                return _pair(self.measurement.function(data))
            except ReplayError:
                raise
            except Exception:
                # Whatever fails in a round depends on its data: the round has the lowest score.
                raise ArithmeticError from None

        return best_round(once, self.stop, self.shape, _source(), self.measurement.name)

    def law(self, data: Any) -> Any:
        """The law of the best pair, where a round has finitely many outcomes.

        Raises:
            ParameterError: infinitely many outcomes, or no pairs.
        """
        from metricdp.laws.private_selection import best_round_law
        from metricdp.run.private_selection import score_key

        base = _law_of_pairs(self.measurement, data)
        return best_round_law(base, lambda pair: score_key(pair[0]), self.stop, self.shape)


class FirstRound(msgspec.Struct, frozen=True):
    """The first round above a threshold."""

    measurement: Measurement
    stop: Fraction
    threshold: Any

    def __call__(self, data: Any) -> Any:
        from metricdp.noise import bernoulli
        from metricdp.run.emit import collect, collecting

        source = _source()
        while True:
            with collecting() as drawn:
                try:
                    found = _pair(self.measurement.function(data))
                    reached = bool(found[0] >= self.threshold)
                except ReplayError:
                    raise
                except Exception:
                    reached = False
            if reached:
                collect(drawn)
                return found
            if bernoulli(self.stop, 1, source)[0]:
                return None

    def law(self, data: Any) -> Any:
        """The law of the pair or None; see `BestRound.law`."""
        from metricdp.laws.private_selection import first_round_law

        def reached(pair: Any) -> bool:
            try:
                return bool(pair[0] >= self.threshold)
            except Exception:
                return False

        return first_round_law(_law_of_pairs(self.measurement, data), reached, self.stop)


def _pair(released: Any) -> tuple[Any, Any]:
    score, value = released
    return score, value


def _law_of_pairs(measurement: Measurement, data: Any) -> Any:
    """The law of one round, whose outcomes are pairs."""
    law = law_at(measurement.function, data, measurement.name)
    outcomes = law.support()
    if outcomes is not None and any(type(x) is not tuple or len(x) != 2 for x in outcomes):
        raise ParameterError(
            f"`{measurement.name}` releases no pairs (score, value)", place="private selection",
            remedy="compose a score and a value, or release pairs",
        )  # fmt: skip
    return law
