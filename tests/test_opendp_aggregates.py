"""Aggregates by OpenDP's names: values, maps, and no pair of tables that moves them further."""

from __future__ import annotations

from fractions import Fraction
from math import isnan, sqrt
from random import Random
from typing import Any

import pytest

import metricdp.opendp as dp
from metricdp.errors import MetricdpError

SYMMETRIC = dp.symmetric_distance()
METRICS = {
    "Symmetric": SYMMETRIC,
    "InsertDelete": dp.insert_delete_distance(),
    "ChangeOne": dp.change_one_distance(),
    "Hamming": dp.hamming_distance(),
}
BOUNDS = (-3, 5)


def table(T: Any, size: int | None = None, bounds: Any = None) -> Any:
    nan = {"nan": False} if T is float else {}
    return dp.vector_domain(dp.atom_domain(T=T, bounds=bounds, **nan), size)


def floats(size: int | None) -> Any:
    return table(float, size, tuple(map(float, BOUNDS)))


def integers(size: int | None) -> Any:
    return table(int, size, BOUNDS)


#: name, domain of rows, arguments, whether the size has to be known
MADE = [
    ("sum", floats, {}, False),
    ("sum", integers, {}, False),
    ("mean", floats, {}, True),
    ("count", integers, {}, False),
    ("count_distinct", integers, {}, False),
    ("variance", floats, {"ddof": 0}, True),
    ("variance", floats, {}, True),
    ("sum_of_squared_deviations", floats, {}, True),
    ("count_by", integers, {}, False),
    ("count_by_categories", integers, {"categories": [0, 1, 5]}, False),
    (
        "count_by_categories",
        integers,
        {"categories": [0, 1], "null_category": False, "MO": "L2Distance<f64>"},
        False,
    ),
    ("count_by_categories", integers, {"categories": [0, 1], "MO": "L2Distance<i32>"}, False),
    ("quantile_score_candidates", integers, {"candidates": [-1, 0, 3], "alpha": 0.25}, False),
]


def moved(x: list[Any], metric: str, sized: bool, rng: Random) -> tuple[list[Any], int]:
    """A table at a known distance, with its distance under the metric."""
    y, d = list(x), 0
    if sized or metric in ("ChangeOne", "Hamming"):
        changed = rng.sample(range(len(y)), rng.randint(0, len(y)))
        for i in changed:
            y[i] = rng.choice([v for v in range(BOUNDS[0], BOUNDS[1] + 1) if v != y[i]])
        d = len(changed) * (1 if metric in ("ChangeOne", "Hamming") else 2)
        return y, d
    for _ in range(rng.randint(0, 3)):
        d += 1
        if y and rng.random() < 0.5:
            y.pop(rng.randrange(len(y)))
        else:
            y.insert(rng.randint(0, len(y)), rng.randint(*BOUNDS))
    return y, d


def apart(metric: Any, a: Any, b: Any) -> Any:
    """The distance of two outputs; of dictionaries the three."""
    if isinstance(a, dict):
        gaps = [abs(a.get(k, 0) - b.get(k, 0)) for k in {**a, **b}]
        gaps = [gap for gap in gaps if gap]
        return (len(gaps), sum(gaps), max(gaps, default=0))
    if not isinstance(a, list):
        return abs(a - b)
    gaps = [abs(p - q) for p, q in zip(a, b, strict=True)]
    return {"L1": sum(gaps), "L2": sqrt(sum(g * g for g in gaps)), "LInf": max(gaps)}[
        metric.type.removesuffix("Distance")
    ]


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("sized", [True, False])
@pytest.mark.parametrize(("name", "rows", "given", "needs"), MADE, ids=range(len(MADE)))
def test_no_pair_moves_further_than_the_map(
    name: str, rows: Any, given: dict[str, Any], needs: bool, sized: bool, metric: str
) -> None:
    size = 5 if sized else None
    if needs and not sized:
        with pytest.raises(MetricdpError, match="public number of rows"):
            getattr(dp, f"make_{name}")(rows(size), METRICS[metric], **given)
        return
    made = getattr(dp, f"make_{name}")(rows(size), METRICS[metric], **given)
    rng = Random(f"{name}{given}{metric}{sized}")
    kind = float if rows is floats else int
    tight: Any = 0
    for number in range(250):
        # Few values, so that the ends of the box and equal rows come up often.
        x = [rng.choice((*BOUNDS, 0)) for _ in range(size or rng.randint(1, 6))]
        y, d = moved(x, metric, sized, rng)
        a, b = made(list(map(kind, x))), made(list(map(kind, y)))
        bound, found = made.map(d), apart(made.output_metric, a, b)
        if isinstance(bound, tuple):
            assert all(f <= m for f, m in zip(found, bound, strict=True)), (x, y)
        else:
            assert found <= bound + 1e-9, (x, y, found, bound)
            tight = max(tight, found / bound if bound else 0)
            if number >= 100 and tight > 0.7:
                break
    if not isinstance(bound, tuple) and made.map(1000):
        assert tight > 0.7, "the map is far from what any pair does"


def test_maps_end_at_the_size_of_the_table() -> None:
    for metric, twice in (("Symmetric", 2), ("ChangeOne", 1), ("Hamming", 1)):
        total = dp.make_sum(integers(4), METRICS[metric])
        assert total.map(4 * twice) == total.map(10**9) == 32
    assert dp.make_count(integers(4), SYMMETRIC).map(1) == 0
    assert dp.make_sum(integers(None), SYMMETRIC).map(10) == 50
    assert dp.make_mean(floats(4), SYMMETRIC).map(float("inf")) == 8


def test_the_variance_of_many_changes_is_tight() -> None:
    made = dp.make_sum_of_squared_deviations(table(float, 20, (0.0, 10.0)), SYMMETRIC)
    assert made.map(20) == made.map(40) == 500
    assert made([0.0] * 10 + [10.0] * 10) - made([0.0] * 20) == 500


def test_euclidean_distances_of_integers_are_rounded_up() -> None:
    domain = dp.vector_domain(dp.atom_domain(T=int))
    tree = dp.make_b_ary_tree(domain, dp.l2_distance(T=int), 4, 2)
    assert tree.map(2) == 6 and not tree.check(2, 5)
    moved = [a - b for a, b in zip(tree([1] * 4), tree([0] * 4), strict=True)]
    assert 5 < sqrt(sum(m * m for m in moved)) <= tree.map(2)
    counts = dp.make_count_by_categories(integers(4), SYMMETRIC, [0, 1], MO="L2Distance<i32>")
    assert counts.map(2) == 2


@pytest.mark.parametrize(("leaves", "branching"), [(1, 2), (4, 2), (5, 2), (9, 3), (10, 3), (7, 5)])
@pytest.mark.parametrize("norm", ["l1", "l2", "linf"])
def test_trees(leaves: int, branching: int, norm: str) -> None:
    metric = getattr(dp, f"{norm}_distance")(T=float)
    made = dp.make_b_ary_tree(table(float), metric, leaves, branching)
    rng = Random(leaves)
    zero = made([0.0] * leaves)
    for _ in range(60):
        style = rng.choice(("one", "all", "some"))
        x = [rng.choice((-1.0, 1.0, 0.5)) if style == "some" else 1.0 for _ in range(leaves)]
        if style == "one":
            x = [0.0] * leaves
            x[rng.randrange(leaves)] = 1.0
        assert apart(metric, made(x), zero) <= made.map(apart(metric, x, [0.0] * leaves)) + 1e-9
    b, h = branching, len(made.core.steps)
    assert h == 1 and made([1.0] * leaves)[0] == leaves and b >= 2


def test_summation_algorithms_are_one_exact_sum() -> None:
    exact = dp.make_sized_bounded_float_checked_sum(3, (0.0, 2.0**60))
    assert exact([2.0**60, 1.0, 1.0]) == float(Fraction(2) ** 60 + 2)
    assert exact.map(2) == 2.0**60
    names = [f"{p}_int_{w}_sum" for p in ("bounded", "sized_bounded") for w in ("split", "ordered")]
    for name in names:
        size = (2,) if name.startswith("sized") else ()
        made = getattr(dp, f"make_{name}")(*size, bounds=(0, 2**31 - 1))
        assert made([2**31 - 1] * 2) == 2**32 - 2
    assert dp.make_bounded_float_ordered_sum(100, (0.0, 1.0)).map(3) == 3.0


def test_dictionaries() -> None:
    made = dp.make_count_by(table(str), SYMMETRIC)
    assert made.map(3) == (3, 3, 3) and made.check(3, (3, 3, 3)) and not made.check(3, (3, 2, 3))
    with pytest.raises(MetricdpError):
        made.check(3, 3)
    assert made(["b", "a", "b"]) == {"a": 1, "b": 2}
    assert list(made(["b", "a"])) == ["a", "b"] == list(made(["a", "b"]))
    shares = dp.make_count_by(table(str), SYMMETRIC, TV=float)
    assert shares.output_space[0] == dp.map_domain(
        dp.atom_domain(T=str), table(float).element_domain
    )
    assert repr(shares(["b"])) == "{'b': 1.0}" and repr(made(["b"])) == "{'b': 1}"
    assert made.output_space == (
        dp.map_domain(dp.atom_domain(T=str), dp.atom_domain(T=int)),
        dp.l01inf_distance(dp.absolute_distance(T=int)),
    )


def test_refusals_name_the_fact_and_the_edit() -> None:
    for make, word in (
        (lambda: dp.make_mean(floats(None), SYMMETRIC), "then_resize"),
        (lambda: dp.make_mean(floats(0), SYMMETRIC), "no rows"),
        (lambda: dp.make_variance(floats(1), SYMMETRIC), "ddof"),
        (lambda: dp.make_variance(table(float, 5), SYMMETRIC), "clamp"),
        (lambda: dp.make_sum(table(float), SYMMETRIC), "clamp"),
        (lambda: dp.make_sum(table(str), SYMMETRIC), "text"),
        (lambda: dp.make_count_by_categories(table(str), SYMMETRIC, ["a", "a"]), "once"),
        (lambda: dp.make_count_by_categories(table(str), SYMMETRIC, ["a"], MO="x"), "MO="),
        (lambda: dp.make_quantile_score_candidates(floats(None), SYMMETRIC, [2, 1], 0.5), "sort"),
        (lambda: dp.make_quantile_score_candidates(floats(None), SYMMETRIC, [1], 1.5), "alpha"),
        (lambda: dp.make_b_ary_tree(table(float), dp.l1_distance(T=float), 4, 1), "branching"),
    ):
        with pytest.raises(MetricdpError, match=word):
            make()


#: Results of OpenDP 0.16.0.
QUANTILES = [
    (([-39.0, 3.0, 16.0], [0.25, 0.5, 1.0], "linear"), [1.0, 17.0],
     [5.676470588235294, 9.117647058823529, 16.0]),
    (([-12.0, -9.0, 43.0], [0.0, 0.44562654068943375, 1.0], "nearest"), [11.0, 3.0],
     [-12.0, -9.0, 43.0]),
    (([-31.0, -13.0, 15.0, 30.0], [0.0, 0.2, 0.25, 0.5], "nearest"), [15, 20, 12, -2, 19],
     [-31.0, -31.0, -31.0, -13.0]),
    (([-28.0, -24.0, 15.0, 31.0, 42.0], [0.0, 0.43816201349399975, 0.5, 1.0], "linear"),
     [-3.0, 15.0, 3.0, 20.0, 19.0, 18.0], [-28.0, 20.58018781532639, 23.400000000000006, 42.0]),
]  # fmt: skip


@pytest.mark.parametrize(("given", "counts", "expected"), QUANTILES)
def test_quantiles_from_counts(given: Any, counts: Any, expected: Any) -> None:
    assert dp.make_quantiles_from_counts(*given)(counts) == pytest.approx(expected)


def test_postprocessing_as_in_opendp() -> None:
    assert dp.make_cdf()([1.0, 2.0, 3.0]) == pytest.approx([1 / 6, 0.5, 1.0])
    assert isnan(dp.make_cdf()([0.0])[0])
    tree = dp.make_consistent_b_ary_tree(2)
    assert tree([10, 4, 5, 1, 4, 3, 1]) == pytest.approx(
        [0.8095238095238098, 3.8095238095238098, 3.476190476190476, 1.4761904761904758]
    )
    assert tree([10, 4, 5, 1, 4, 3]) == pytest.approx(
        [0.9230769230769229, 3.923076923076923, 4.384615384615384]
    )
    sizes = {1: 1, 2: 2, 3: 2, 4: 4, 129: 129, 130: 71, 199: 40, 500: 29, 1000: 26, 10**6: 20}
    assert {n: dp.choose_branching_factor(n) for n in sizes} == sizes
    for wrong in (
        lambda: dp.make_quantiles_from_counts([1.0, 0.0], [0.5]),
        lambda: dp.make_quantiles_from_counts([0.0, 1.0], [0.5, 0.5]),
        lambda: dp.make_quantiles_from_counts([0.0, 1.0], [2.0]),
        lambda: dp.make_quantiles_from_counts([0.0, 1.0], [0.5], "cubic"),
        lambda: dp.make_quantiles_from_counts([0.0, 1.0], [0.5])([1.0, 2.0]),
        lambda: dp.make_consistent_b_ary_tree(1),
        lambda: dp.choose_branching_factor(0),
    ):
        with pytest.raises(MetricdpError):
            wrong()


def test_a_consistent_tree_is_consistent_and_keeps_a_consistent_one() -> None:
    rng = Random(3)
    for leaves, b in ((5, 2), (9, 3), (13, 4)):
        made = dp.make_b_ary_tree(table(int), dp.l1_distance(T=int), leaves, b)
        x = [rng.randint(0, 20) for _ in range(leaves)]
        assert dp.make_consistent_b_ary_tree(b)(made(x)) == pytest.approx(x)
