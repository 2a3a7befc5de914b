"""Objects of the naming layer: JSON, pickles, equality, explanations, inverses, joining, speed."""

from __future__ import annotations

import json
import pickle
from fractions import Fraction
from math import inf, nextafter
from typing import Any

import msgspec
import pytest

import metricdp.opendp as dp
from metricdp.errors import MetricdpError, ParameterError, SpaceError
from metricdp.maps import make
from metricdp.maps.interchange import from_json, to_json
from metricdp.maps.reasons import reason_of
from metricdp.opendp.constructor import CONSTRUCTORS
from metricdp.primitives import load
from metricdp.record import REGISTRY
from metricdp.run.emit import Seeded, handling
from metricdp.spaces import Records, Scalar

FLOATS = dp.vector_domain(dp.atom_domain(T=float, nan=False)), dp.symmetric_distance()
SIZED = dp.vector_domain(dp.atom_domain(T=float, nan=False), size=150), dp.symmetric_distance()
TEXTS = dp.vector_domain(dp.atom_domain(T=str)), dp.symmetric_distance()
WHOLE = dp.vector_domain(dp.atom_domain(T=int), size=3), dp.l1_distance(T=int)
MEAN = SIZED >> dp.t.then_clamp((0.0, 100.0)) >> dp.t.then_mean()
NOISY = MEAN >> dp.m.then_laplace(2.0)
COUNTS = TEXTS >> dp.t.then_count_by_categories(["a", "b"])

ITEMS: list[Any] = [
    MEAN,
    NOISY,
    COUNTS,
    COUNTS >> dp.m.then_laplace(1.0),
    TEXTS >> dp.t.then_cast(int) >> dp.t.then_impute_constant(0) >> dp.t.then_clamp((0, 9)),
    FLOATS >> dp.t.then_clamp((0.0, 1.0)) >> dp.t.then_resize(10, 0.5) >> dp.t.then_variance(),
    WHOLE >> dp.m.then_geometric(1.0, bounds=(0, 20)),
    FLOATS >> dp.m.then_private_quantile(dp.max_divergence(), [0.0, 1.0, 2.0], 0.5, 1.0),
    dp.m.make_randomized_response_bool(0.75),
    dp.m.make_randomized_response(["a", "b"], 0.75),
    dp.c.make_composition([NOISY, MEAN >> dp.m.then_laplace(3.0)]),
    dp.c.make_pureDP_to_zCDP(NOISY),
    TEXTS >> dp.t.then_count_by() >> dp.m.then_laplace_threshold(scale=2.0, threshold=20),
    dp.c.make_adaptive_composition(*TEXTS, dp.max_divergence(), d_in=1, d_mids=[0.5, 1.0]),
    dp.c.make_privacy_filter(
        dp.c.make_fully_adaptive_composition(*TEXTS, dp.max_divergence()), d_in=1, d_out=1.0
    ),
    dp.c.make_fix_delta(
        dp.c.make_zCDP_to_approxDP(TEXTS >> dp.t.then_count() >> dp.m.then_gaussian(2.0)), 1e-6
    ),
    dp.m.make_randomized_response_bitvec(
        dp.bitvector_domain(max_weight=4), dp.discrete_distance(), f=0.5
    ),
    dp.t.make_split_dataframe(",", ["a", "b"]) >> dp.t.make_select_column("a", TOA=str),
    SIZED >> dp.t.then_metric_bounded(),
    dp.t.then_clamp((0.0, 1.0)),
    dp.t.then_clamp((0.0, 1.0)) >> dp.t.then_sum() >> dp.m.then_laplace(1.0),
    dp.map_domain(dp.atom_domain(T=str), dp.atom_domain(T=float)),
    dp.option_domain(dp.atom_domain(T=int)),
    dp.atom_domain(bounds=(0.5, 7.0)),
    dp.l01inf_distance(dp.absolute_distance(T=float)),
    dp.linf_distance(T=float, monotonic=True),
    dp.approximate(dp.zero_concentrated_divergence()),
]


@pytest.mark.parametrize("item", ITEMS, ids=lambda item: repr(item)[:40].split("\n")[-1])
def test_json_and_pickles_give_the_object_back(item: Any) -> None:
    text = dp.serialize(item)
    json.loads(text)
    for again in (dp.deserialize(text), pickle.loads(pickle.dumps(item))):
        assert again == item and type(again) is type(item) and repr(again) == repr(item)
        if hasattr(item, "map"):
            distance = 1 if item.input_metric.distance_type == "u32" else 1.0
            assert again.map(distance) == item.map(distance)
    if hasattr(item, "map"):
        assert item.to_json() == text


def test_objects_that_differ_are_not_equal() -> None:
    assert SIZED >> dp.t.then_clamp((0.0, 99.0)) >> dp.t.then_mean() != MEAN
    assert MEAN >> dp.m.then_laplace(2.5) != NOISY
    assert dp.c.make_pureDP_to_zCDP(NOISY) != NOISY
    assert dp.t.then_clamp((0.0, 1.0)) != dp.t.then_clamp((0.0, 2.0))
    assert len({MEAN, SIZED >> dp.t.then_clamp((0.0, 100.0)) >> dp.t.then_mean()}) == 1


def test_a_chain_that_was_read_draws_the_same_noise() -> None:
    again = dp.deserialize(dp.serialize(NOISY))
    with handling(Seeded(5)):
        first = NOISY([1.0] * 150)
    with handling(Seeded(5)):
        assert again([1.0] * 150) == first


@pytest.mark.parametrize(
    "item",
    [
        NOISY >> round,
        dp.t.make_user_transformation(*FLOATS, *FLOATS, sorted, lambda d: d),
        lambda x: x,
        dp.user_domain("mine", lambda x: True),
    ],
)
def test_functions_of_the_user_are_not_written(item: Any) -> None:
    with pytest.raises(ParameterError, match=r"cannot be written|no data|no constructor"):
        dp.serialize(item)


def _changed(change: Any) -> str:
    data = json.loads(dp.serialize(NOISY))
    change(data)
    return json.dumps(data)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[1]",
        "null",
        '{"format": "metricdp.opendp"}',
        _changed(lambda d: d.update(version=2)),
        _changed(lambda d: d["objects"].append(1)),
        _changed(lambda d: d["objects"][0].update(made=[["no_such", {}]])),
        _changed(lambda d: d["objects"][0]["made"][0][1].update(scale={"value": 1})),
        _changed(lambda d: d["objects"][0]["made"][0][1].update(bounds={"value": "x"})),
        _changed(lambda d: d["objects"][0]["made"][2][1].update(scale={"value": -1.0})),
        _changed(lambda d: d["objects"][0]["made"][2][1].update(domain={"value": 3})),
        '{"format": "metricdp.opendp", "version": 1, "objects": [{"value": {"is": "x", "of": 1}}]}',
        '{"format": "metricdp.opendp", "version": 1, "objects": [{"value": {"is": "AtomDomain",'
        ' "of": {"T": "f64", "bounds": {"is": "tuple", "of": [2.0, 1.0]}}}}]}',
        '{"format": "metricdp.opendp", "version": 1, "objects": [' + "[" * 5000,
    ],
)
def test_other_texts_are_refused_by_type(text: str) -> None:
    with pytest.raises(MetricdpError):
        dp.deserialize(text)


def test_every_primitive_with_public_numbers_round_trips() -> None:
    """A map is read as the same map, or not written; nine in ten are written."""
    load()
    written = refused = 0
    from metricdp.maps.constructors import apply

    for record in REGISTRY.values():
        for instance in record.instances():
            if len(instance.private) != 1 or instance.bodies:
                continue
            ((argument, space),) = instance.private.items()
            try:
                item = apply(record, space, instance.public, argument=argument)
            except MetricdpError:
                continue
            try:
                text = to_json(item)
            except ParameterError:
                refused += 1
                continue
            assert from_json(text) == item
            assert pickle.loads(pickle.dumps(item)) == item
            written += 1
    assert written > 500 and refused < written / 10


def test_maps_of_another_version_are_refused() -> None:
    rows = Records(Scalar("Data", kind="float"))
    text = to_json(make("clamp", rows, lower=0, upper=Fraction(1, 3)))
    assert from_json(text).steps[0].arguments["upper"] == Fraction(1, 3)
    with pytest.raises(ParameterError, match="version 99"):
        from_json(text.replace('"rule": "clamp", "version": 1', '"rule": "clamp", "version": 99'))
    with pytest.raises(SpaceError):
        from_json(text.replace('"steps": [', '"steps": [' + json.dumps(_step("sum")) + ","))


def _step(name: str) -> Any:
    rows = Records(Scalar("Data", kind="float"))
    clamped = make("clamp", rows, lower=0, upper=1)
    return json.loads(to_json(clamped >> make(name, clamped.output_space)))["steps"][-1]


def test_explanations_speak_of_the_space_at_hand() -> None:
    text = str(NOISY.explain(3))
    assert max(map(len, text.splitlines())) <= 100
    assert "one replaced row moves the mean" in " ".join(text.split())
    assert "Vectors over R" not in text
    load()
    added, replaced = (
        Records(Scalar("Data", kind="int")),
        Records(Scalar("Data", kind="int"), "ChangeOne"),
    )
    assert reason_of(REGISTRY["count"], added).startswith("Records: one row added or removed")
    assert "(0)" in reason_of(REGISTRY["count"], replaced)
    assert reason_of(REGISTRY["sum"], replaced) == "one replaced row by at most hi - lo"
    for name in ("d_in", "rests on", "input metric"):
        assert name in NOISY._repr_html_() + str(MEAN.explain(2))
    assert "<table" in MEAN.explain(2)._repr_html_()


def test_maps_are_shown_in_the_distances_of_the_metric() -> None:
    clamp = SIZED >> dp.t.then_clamp((0.0, 100.0))
    for item in (clamp, MEAN, NOISY):
        assert "floor(d_in/2)" in repr(item) and "floor(d_in/2)" in item._repr_html_()
    lines = clamp.explain(5).lines
    assert [line.before for line in lines] == ["5", "2", "2"] and lines[-1].after == "4"
    assert lines[-1].after == str(clamp.map(5))
    assert "map            = d_in\n" in repr(FLOATS >> dp.t.then_count()).replace(")", "\n")


def test_inverses() -> None:
    assert MEAN.inverse(2.0) == 7 and not MEAN.check(8, 2.0)
    assert NOISY.inverse(1.0) == 7 and NOISY.inverse(0) == 1
    assert MEAN.inverse(100.0) == inf
    total = FLOATS >> dp.t.then_clamp((0.0, 10.0)) >> dp.t.then_sum() >> dp.m.then_laplace(30.0)
    assert total.inverse(1.0) == 3 and total.inverse(1) == 3 and total.inverse(0.99) == 2
    noise = dp.m.make_laplace(
        dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float), 3.0
    )
    assert noise.inverse(0.5) == 1.5 and noise.check(1.5, 0.5)
    with pytest.raises(ParameterError, match="no single number"):
        dp.c.make_approximate(NOISY).inverse((1.0, 1e-6))
    scale = dp.binary_search_param(lambda s: MEAN >> dp.m.then_laplace(s), d_in=4, d_out=1.0)
    assert Fraction(scale) >= Fraction(4, 3) > Fraction(nextafter(scale, 0))


@pytest.mark.parametrize(
    ("first", "second", "words"),
    [
        (
            FLOATS >> dp.t.then_clamp((0.0, 1.0)),
            SIZED >> dp.t.then_clamp((0.0, 2.0)) >> dp.t.then_sum(),
            r"then_resize\(150, constant\)",
        ),
        (
            TEXTS >> dp.t.then_cast(float),
            FLOATS >> dp.t.then_clamp((0.0, 2.0)),
            "then_impute_constant",
        ),
        (
            FLOATS >> dp.t.then_ordered_random(),
            FLOATS >> dp.t.then_clamp((0.0, 2.0)),
            r"then_unordered\(\)",
        ),
        (TEXTS >> dp.t.then_identity(), FLOATS >> dp.t.then_count(), "then_cast_default"),
    ],
)
def test_spaces_that_do_not_join_name_both_sides_and_the_conversion(
    first: Any, second: Any, words: str
) -> None:
    with pytest.raises(SpaceError, match=words) as caught:
        first >> second
    assert repr(first.output_domain) in str(caught.value)
    assert repr(second.input_domain) in str(caught.value)


def test_a_result_of_fewer_values_is_an_argument() -> None:
    chain = (FLOATS >> dp.t.then_clamp((0.0, 1.0))) >> dp.t.make_count(*FLOATS)
    assert chain.map(2) == 2 and chain([1.0, 5.0]) == 2
    wider = SIZED >> dp.t.then_clamp((0.0, 2.0))
    total = dp.t.make_sum(*wider.output_space)
    tight = (SIZED >> dp.t.then_clamp((0.0, 1.0))) >> total
    assert tight.map(5) == 4 and tight([1.0] * 150) == 150  # the bounds that the sum was made for
    with pytest.raises(SpaceError):
        (SIZED >> dp.t.then_clamp((0.0, 3.0))) >> total
    sized = (SIZED >> dp.t.then_clamp((0.0, 1.0))), (FLOATS >> dp.t.then_count())
    with pytest.raises(SpaceError):
        sized[0] >> sized[1]  # an odd distance means something else on either side


def test_what_objects_rest_on() -> None:
    assert {r.kind for r in NOISY.rests_on} == {"proved rule"}
    assert any("laplace" in r.why for r in NOISY.rests_on)
    user = dp.t.make_user_transformation(*FLOATS, *FLOATS, sorted, lambda d: d)
    assert [r.kind for r in user.rests_on] == ["user's assumption"]
    mixed = user >> dp.t.then_clamp((0.0, 1.0))
    assert {r.kind for r in mixed.rests_on} == {"user's assumption", "proved rule"}
    dp.enable_features("contrib", "honest-but-curious", "no-such-feature")
    dp.assert_features("contrib")


def test_constructors_have_signatures_and_notes() -> None:
    from inspect import signature

    for name, constructor in CONSTRUCTORS.items():
        function = getattr(getattr(dp, constructor.group), f"make_{name}")
        assert len(function.__doc__ or "") > 20, name
        first = [*signature(function).parameters][:2]
        assert not constructor.spaces or first == ["input_domain", "input_metric"], name


def test_a_map_is_evaluated_without_its_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    """`benchmarks/maps.py` has the times; here, that no rule is applied again for a distance."""
    from metricdp.record import REGISTRY

    wanted = MEAN.map(3), NOISY.map(3), NOISY.check(3, 1.0)

    def again(*args: Any, **keywords: Any) -> Any:
        raise AssertionError("a rule was applied again")

    for name in list(REGISTRY):
        record = REGISTRY[name]
        monkeypatch.setitem(REGISTRY, name, msgspec.structs.replace(record, rule=again))
    assert (MEAN.map(3), NOISY.map(3), NOISY.check(3, 1.0)) == wanted
    assert MEAN.map(5) > MEAN.map(3)
