"""Audit of a `Measurement`: its privacy map against its laws, or against its outputs.

Where the measurement knows its law the audit is exact: the map is compared with the distance of the
laws of neighbours at several distances, in every measure that the map states.  Otherwise the
claims that an event can break, (epsilon, delta) and epsilon, are tested by samples.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from functools import partial
from itertools import islice
from math import inf, isinf
from typing import Any

from metricdp.audit.measurements.exact import compared
from metricdp.audit.measurements.examining import Mechanism
from metricdp.audit.measurements.neighbours import (
    Pair,
    distance_between,
    given_pairs,
    malformed,
    neighbours,
    with_unusual,
)
from metricdp.audit.measurements.sampled import budget, examine, whole_seed
from metricdp.audit.measurements.verdicts import Number, PrivacyClaim, Verdict
from metricdp.audit.unusual import beyond_of
from metricdp.audit.values import magnitude
from metricdp.errors import MetricdpError, ParameterError, SchemaError
from metricdp.maps import Measurement
from metricdp.spaces import Space
from metricdp.spaces.instants import as_instants

#: Where only rho is claimed, samples test the epsilon that it gives at this delta.
_DELTA = Fraction(1, 1000)
#: Numbers of pairs for exact laws, and how many such pairs are enough.
_SMALL, _FEW = 100, 4
#: Pairs that are made for each one that is kept.
_MANY = 6
#: Measures in the order in which a sampled audit prefers them.
_TESTABLE = ("pure", "approx", "zcdp")


def measurement(
    target: Measurement,
    *,
    pairs: Iterable[Any] | None = None,
    distances: tuple[int, ...] = (1, 2, 3),
    samples: int | None = None,
    seconds: float = 10.0,
    most: int = 24,
    confidence: Any = 0.999999,
    seed: int = 0,
    bits: bool = True,
    measures: tuple[str, ...] | None = None,
    guarded: bool = False,
) -> Verdict:
    """Audit the privacy map of a measurement.

    Args:
        target: made by the library, by `.at(...)` of a checked function, or by hand.
        pairs: inputs to try instead of neighbours of the input space, with any finite distance.
        distances: at which neighbours are made, largest included.
        samples, seconds, most, confidence, seed, bits: as for `sampled`; the exact audit needs
            no samples and no confidence.
        guarded: whatever calls a measurement made by hand guards its inputs; see `sampled`.
        measures: of the map, to be compared with exact laws; all that it has when left out.

    Raises:
        ParameterError: an object of another kind; inputs that are infinitely far apart; a map that
            claims nothing finite of any pair.
    """
    target = getattr(target, "core", target)
    if not isinstance(target, Measurement):
        raise ParameterError(
            f"{type(target).__name__} is no Measurement",
            place="target",
            remedy="a checked function gives one by .at(eps=1); plain functions: audit.sampled",
        )
    seed = whole_seed(seed)
    spent = budget(samples, seconds, most, confidence)
    if pairs is not None:
        tried = [_placed(target, pair) for pair in given_pairs(pairs)]
    else:
        tried = list(islice(neighbours(target.input_space, seed, distances), _MANY * spent.pairs))
    if tried and _has_law(target, tried[0].x):
        law = partial(_of_data, target.law, target.input_space)
        near = (tried if pairs is not None else _modest(tried))[: spent.pairs]
        claims = [
            (pair, _claim(target, measure, pair.d))
            for measure in _chosen(target, measures)
            for pair in near
        ]
        try:
            return compared(target.name, law, claims, seconds=spent.seconds, skip=True)
        except SchemaError as error:
            raise malformed(error.fact, target.name) from None
    space = target.input_space if pairs is None else None
    # Laws are of values of the domain; a function made by hand gets whatever there is.
    allowed = beyond_of(target, guarded)
    if pairs is not None:
        tried = with_unusual(tried, target.input_space, allowed)
    elif allowed is not None:
        made = neighbours(target.input_space, seed, distances, allowed)
        tried = list(islice(made, _MANY * spent.pairs))
    run = partial(_of_data, target, target.input_space)
    subject = Mechanism(target.name, run, lambda d: _tested(target, d), None, bits, space=space)
    return examine(subject, _by_distance(tried[: spent.pairs]), spent, seed)


def _has_law(target: Measurement, x: Any) -> bool:
    try:
        _of_data(target.law, target.input_space, x)
    except MetricdpError:
        return False
    return True


def _modest(pairs: list[Pair]) -> list[Pair]:
    """Pairs whose numbers are small, if there are a few: laws of choices between scores that are
    far apart take long, and show nothing more."""
    small = [p for p in pairs if max(magnitude(p.x), magnitude(p.x2)) <= _SMALL]
    return small if len(small) >= _FEW else pairs


def _chosen(target: Measurement, wanted: tuple[str, ...] | None) -> tuple[str, ...]:
    """The measures to compare: rho last, whose enclosures take longest."""
    for measure in wanted or ():
        if measure not in target.privacy:
            known = ", ".join(target.privacy)
            raise ParameterError(f"no {measure} map", place=target.name, remedy=f"maps: {known}")
    kept = [m for m in wanted or target.privacy if m in _TESTABLE]
    return tuple(sorted(kept, key=_TESTABLE.index))


def _placed(target: Measurement, pair: Pair) -> Pair:
    """The user's pair with its exact distance."""
    distance = distance_between(target.input_space, pair.x, pair.x2, target.name)
    if isinf(distance):
        raise ParameterError(
            "the two inputs are infinitely far apart",
            place="pairs",
            remedy=f"neighbours in {target.input_space.describe()}",
        )
    return Pair(pair.x, pair.x2, Fraction(distance))


def _by_distance(pairs: list[Pair]) -> Iterator[Pair]:
    """Near pairs first: claims are strongest there."""
    yield from sorted(pairs, key=lambda pair: pair.d or Fraction(0))


def _claim(target: Measurement, measure: str, d: Fraction | None) -> PrivacyClaim:
    assert d is not None
    bounds = tuple(part(d) for part in target.privacy[measure])
    if measure == "approx" and not bounds[1]:
        return PrivacyClaim("pure", bounds[:1])
    return PrivacyClaim(measure, bounds)


def _tested(target: Measurement, d: Fraction | None) -> PrivacyClaim:
    """The claim that samples test: epsilon, or epsilon at a delta."""
    assert d is not None
    for measure in _TESTABLE[:2]:
        if measure in target.privacy:
            claim = _claim(target, measure, d)
            if claim.epsilon != inf:
                return claim
    if "zcdp" not in target.privacy:
        raise ParameterError(
            "the map states nothing that an event can break", place=target.name,
            remedy="a map in pure, approx or zcdp",
        )  # fmt: skip
    return PrivacyClaim("approx", (_of_rho(target.privacy["zcdp"][0](d)), _DELTA))


def _of_rho(rho: Number) -> Number:
    """epsilon at `_DELTA` for rho: rho + 2 sqrt(rho ln(1/delta)) (Bun and Steinke 2016, Prop. 1.3),
    from above."""
    from metricdp.laws.interval import add, log, point, root, times

    if isinstance(rho, float):
        return inf
    doubled = root(times(point(4 * rho), log(point(1 / _DELTA))))
    return add(point(rho), doubled)[1]


def _of_data(asked: Callable[[Any], Any], space: Space, value: Any) -> Any:
    """An output or a law at a value of the domain; readings of a clock enter as instants."""
    return asked(as_instants(space, value))
