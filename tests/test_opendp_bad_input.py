"""Bad input: typed errors that name the fact, the place and the edit; nothing untyped gets out."""

from __future__ import annotations

from fractions import Fraction
from inspect import signature
from math import inf, nan
from typing import Any

import pytest
from depth import depth
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import metricdp.opendp as dp
from metricdp.errors import MetricdpError, ParameterError, SpaceError
from metricdp.opendp.constructor import CONSTRUCTORS

FLOATS = dp.vector_domain(dp.atom_domain(T=float, nan=False)), dp.symmetric_distance()
BOUNDED = dp.vector_domain(dp.atom_domain(bounds=(0.0, 1.0), nan=False)), dp.symmetric_distance()
SIZED = dp.vector_domain(dp.atom_domain(bounds=(0.0, 1.0), nan=False), size=5), FLOATS[1]
INTS = dp.vector_domain(dp.atom_domain(T=int)), dp.symmetric_distance()
TEXTS = dp.vector_domain(dp.atom_domain(T=str)), dp.symmetric_distance()
NUMBER = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)
SCORES = dp.vector_domain(dp.atom_domain(T=int)), dp.linf_distance(T=int)
SUM = BOUNDED >> dp.t.then_sum()
NOISY = SUM >> dp.m.then_laplace(1.0)

REFUSED: dict[str, tuple[Any, str]] = {
    "wrong type": (lambda: dp.t.make_clamp(*FLOATS, bounds=("a", "b")), "number"),
    "type for a domain": (lambda: dp.vector_domain(float), r"vector_domain\(atom_domain"),
    "values for a domain": (lambda: dp.t.make_count([1, 2], dp.symmetric_distance()), "no domain"),
    "metric for a domain": (lambda: dp.t.make_count(FLOATS[1], FLOATS[0]), "no domain"),
    "no such type": (lambda: dp.atom_domain(T=complex), "atomic type"),
    "unsized mean": (lambda: BOUNDED >> dp.t.then_variance(), "size"),
    "unbounded sum": (lambda: FLOATS >> dp.t.then_sum(), "then_clamp"),
    "zero scale": (lambda: SUM >> dp.m.then_laplace(0.0), "scale"),
    "negative scale": (lambda: SUM >> dp.m.then_gaussian(-2.0), "scale"),
    "huge negative scale": (lambda: SUM >> dp.m.then_laplace(-1e300), "scale"),
    "infinite scale": (lambda: SUM >> dp.m.then_laplace(inf), "finite"),
    "no scale": (lambda: SUM >> dp.m.then_laplace(nan), "nan"),
    "text for a scale": (lambda: SUM >> dp.m.then_laplace("1"), ""),
    "unequal spaces": (lambda: SUM >> dp.t.make_count(*FLOATS), "returns"),
    "infinite bounds": (lambda: FLOATS >> dp.t.then_clamp((0.0, inf)), "finite"),
    "bounds that are no numbers": (lambda: dp.atom_domain(bounds=(nan, 1.0)), "finite"),
    "reversed bounds": (lambda: FLOATS >> dp.t.then_clamp((2.0, 1.0)), r"bounds=\(1.0, 2.0\)"),
    "reversed domain": (lambda: dp.atom_domain(bounds=(2.0, 1.0)), "above"),
    "three bounds": (lambda: FLOATS >> dp.t.then_clamp((1.0, 2.0, 3.0)), "pair"),
    "no bounds": (lambda: dp.t.then_clamp(), "bounds"),
    "an unknown argument": (lambda: dp.t.then_clamp(bound=(0.0, 1.0)), "bounds"),
    "no candidates": (lambda: INTS >> dp.t.then_quantile_score_candidates([], 0.5), "candidate"),
    "no quantile candidates": (
        lambda: INTS >> dp.m.then_private_quantile(dp.max_divergence(), [], 0.5, 1.0),
        "candidate",
    ),
    "alpha over 1": (lambda: INTS >> dp.t.then_quantile_score_candidates([1, 2], 1.5), "alpha"),
    "no categories": (lambda: dp.m.make_randomized_response([], 0.5), ""),
    "probability over 1": (lambda: dp.m.make_randomized_response_bool(1.5), "prob"),
    "delta of 1": (lambda: dp.c.make_fix_delta(dp.c.make_zCDP_to_approxDP(_rho()), 1.0), "delta"),
    "delta over 1": (lambda: dp.c.make_fix_delta(dp.c.make_zCDP_to_approxDP(_rho()), 7), "delta"),
    "negative delta": (
        lambda: dp.c.make_fix_delta(dp.c.make_zCDP_to_approxDP(_rho()), -1e-9),
        "delta",
    ),
    "fractional distance of rows": (lambda: SUM.map(1.5), "whole number"),
    "negative distance": (lambda: SUM.map(-1), "distance"),
    "text for a distance": (lambda: SUM.map("1"), "number"),
    "a pair for a distance": (lambda: SUM.map((1, 2)), "number"),
    "no distance": (lambda: SUM.map(nan), "distance"),
    "a number for a pair": (lambda: dp.c.make_approximate(NOISY).check(1, 1.0), "pair"),
    "a pair for a number": (lambda: NOISY.check(1, (1.0, 1e-6)), "number"),
    "a size below 0": (lambda: dp.vector_domain(dp.atom_domain(T=int), size=-1), "size"),
    "mean of none": (
        lambda: (dp.vector_domain(SIZED[0].element_domain, size=0), FLOATS[1]) >> dp.t.then_mean(),
        "",
    ),
    "a plain function in a chain": (lambda: SUM >> abs, "make_user_transformation"),
    "a transformation after a release": (lambda: NOISY >> dp.t.then_count(), "before"),
    "nothing to compose": (lambda: dp.c.make_composition([]), "compose"),
    "no measurement to compose": (lambda: dp.c.make_composition([SUM]), "Measurement"),
    "no turn": (lambda: dp.binary_search(lambda x: True, bounds=(0.0, 1.0)), "bounds"),
    "a budget of 0": (
        lambda: dp.binary_search_chain(lambda s: SUM >> dp.m.then_laplace(s), 1, 0.0),
        "",
    ),
    "a partial for a search": (
        lambda: dp.binary_search_chain(dp.m.then_laplace(1.0), 1, 1.0),
        "lambda",
    ),
    "alpha of an accuracy": (lambda: dp.laplacian_scale_to_accuracy(1.0, 0.0), "alpha"),
    "laplace on rows": (lambda: FLOATS >> dp.m.then_laplace(1.0), ""),
    "absolute distance of texts": (
        lambda: dp.t.make_identity(dp.atom_domain(T=str), NUMBER[1]),
        "discrete_distance",
    ),
}


def _rho() -> Any:
    return SUM >> dp.m.then_gaussian(1.0)


@pytest.mark.parametrize("name", REFUSED)
def test_refusals_name_fact_place_and_edit(name: str) -> None:
    bad, word = REFUSED[name]
    with pytest.raises(MetricdpError, match=word or ".") as caught:
        bad()
    error = caught.value
    assert error.fact and error.place, error
    assert error.remedy, error
    assert len(str(error)) < 700


def test_a_budget_that_is_exceeded_is_refused_before_data_are_read() -> None:
    read = []

    class Watched(list):  # type: ignore[type-arg]
        def __iter__(self) -> Any:
            read.append(1)
            return super().__iter__()

    make = dp.c.make_adaptive_composition
    asked = make(*BOUNDED, dp.max_divergence(), d_in=1, d_mids=[0.5])([0.5])
    with pytest.raises(MetricdpError) as caught:
        asked(NOISY)
    assert caught.value.remedy or caught.value.fact
    assert not read


VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 10**20),
    st.floats(),
    st.fractions(),
    st.text(max_size=3),
    st.binary(max_size=3),
    st.sampled_from([float, int, str, bool, complex, object, len, [], (), {}, {"a": 1}, set()]),
    st.lists(st.one_of(st.floats(), st.integers(-5, 5), st.text(max_size=2)), max_size=4),
    st.tuples(st.floats(), st.floats()),
    st.tuples(st.integers(-9, 9), st.integers(-9, 9)),
    st.sampled_from([*FLOATS, *SCORES, *NUMBER, dp.max_divergence(), SUM, NOISY, NUMBER]),
    st.sampled_from([dp.t.then_count(), dp.t.then_count() >> dp.m.then_laplace(1.0), sorted]),
    st.sampled_from(["f64", "SymmetricDistance", "MaxDivergence", "L1Distance<i32>", "Vec<f64>"]),
)
SPACES = st.sampled_from([FLOATS, BOUNDED, SIZED, INTS, TEXTS, NUMBER, SCORES, NUMBER[::-1]])


@settings(max_examples=depth(200, 600), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(sorted(CONSTRUCTORS)), SPACES, st.data())
def test_no_constructor_raises_an_untyped_error(name: str, space: Any, data: Any) -> None:
    constructor = CONSTRUCTORS[name]
    make = getattr(getattr(dp, constructor.group), f"make_{name}")
    given_names = [*signature(make).parameters]
    leading = {"input_domain": space[0], "input_metric": space[1]}
    arguments = {
        n: leading[n] if n in leading and constructor.spaces else data.draw(VALUES)
        for n in given_names
    }
    if data.draw(st.booleans()) and given_names:
        arguments.pop(given_names[-1])
    try:
        item = make(**arguments)
    except MetricdpError:
        return
    if not hasattr(item, "map") or name.startswith("user"):
        return
    for d_in in (0, 1, data.draw(VALUES)):
        try:
            item.map(d_in)
            item.check(d_in, data.draw(VALUES))
        except MetricdpError:
            continue
    repr(item)
    assert item == item


@settings(max_examples=depth(100, 300), deadline=None)
@given(
    st.sampled_from(
        "atom_domain vector_domain option_domain map_domain user_domain bitvector_domain "
        "absolute_distance l1_distance l2_distance linf_distance l01inf_distance approximate "
        "domain_of metric_of space_of serialize deserialize binary_search_param new_function "
        "laplacian_scale_to_accuracy accuracy_to_laplacian_scale gaussian_scale_to_accuracy "
        "discrete_laplacian_scale_to_accuracy accuracy_to_gaussian_scale user_distance".split()
    ),
    st.lists(VALUES, min_size=1, max_size=3),
)
def test_no_function_raises_an_untyped_error(name: str, values: list[Any]) -> None:
    function = getattr(dp, name)
    wanted = [p for p in signature(function).parameters.values() if p.default is p.empty]
    arguments = (values * 3)[
        : max(len(wanted), min(len(values), len(signature(function).parameters)))
    ]
    try:
        function(*arguments)
    except MetricdpError:
        return


@settings(max_examples=depth(66, 200), deadline=None)
@given(
    VALUES, st.sampled_from([SUM, NOISY, INTS >> dp.t.then_count(), TEXTS >> dp.t.then_cast(int)])
)
def test_data_of_a_wrong_kind_are_refused_by_type(value: Any, item: Any) -> None:
    try:
        item(value)
    except MetricdpError as error:
        for seen in (value, *(value if isinstance(value, list | tuple) else ())):
            if isinstance(seen, float | Fraction) and abs(seen) > 10:
                assert repr(seen) not in str(error)


def test_tiny_scales_have_an_accuracy() -> None:
    for scale in (1e-300, 1e-38, 1 / 800, 1 / 600):
        found = dp.discrete_laplacian_scale_to_accuracy(scale, 0.05)
        assert 0 < found <= 4 * scale


def test_refusals_speak_the_language_of_the_caller() -> None:
    assert isinstance(
        _caught(lambda: FLOATS >> dp.m.then_laplace(1.0)), SpaceError | ParameterError
    )
    assert isinstance(_caught(lambda: SUM >> dp.m.then_laplace(-1.0)), ValueError)
    assert isinstance(_caught(lambda: SUM >> dp.t.make_count(*FLOATS)), TypeError)


def _caught(bad: Any) -> Exception:
    with pytest.raises(MetricdpError) as caught:
        bad()
    return caught.value
