"""OpenDP's constructors of maps of rows: domains, values, maps and refusals."""

from __future__ import annotations

from typing import Any

import pytest

import metricdp.opendp as dp
from metricdp.errors import MetricdpError, ParameterError, SpaceError

SYMMETRIC = dp.symmetric_distance()
CHANGE, HAMMING = dp.change_one_distance(), dp.hamming_distance()
ORDERED = dp.insert_delete_distance()


def rows(T: Any, size: int | None = None, nan: bool | None = False) -> Any:
    return dp.vector_domain(dp.atom_domain(T=T, nan=nan or None if T is not float else nan), size)


FLOATS, GAPS = rows(float), rows(float, nan=True)
INTS, FIVE = rows(int), rows(int, 5)
TEXTS = rows(str)


def maps(transformation: Any, *distances: int) -> list[Any]:
    return [transformation.map(d) for d in distances]


@pytest.mark.parametrize(
    ("make", "values", "expected", "element"),
    [
        (lambda: dp.make_cast(FLOATS, SYMMETRIC, "i32"), [0.5, -2.7, 1e10], [0, -2, None],
         "OptionDomain(AtomDomain(T=i32))"),
        (lambda: dp.make_cast(TEXTS, SYMMETRIC, float), ["1", " 1", "5."], [1.0, None, 5.0],
         "OptionDomain(AtomDomain(T=f64))"),
        (lambda: dp.make_cast_default(TEXTS, SYMMETRIC, int), ["7", "x"], [7, 0],
         "AtomDomain(T=i32)"),
        (lambda: dp.make_cast_default(TEXTS, SYMMETRIC, float), ["7", "x"], [7.0, 0.0],
         "AtomDomain(T=f64)"),
        (lambda: dp.make_cast_inherent(TEXTS, SYMMETRIC, float), ["7", "x"], [7.0, None],
         "AtomDomain(nan=true, T=f64)"),
        (lambda: dp.make_impute_constant(GAPS, SYMMETRIC, 0.5), [1.0, float("nan")], [1.0, 0.5],
         "AtomDomain(T=f64)"),
        (lambda: dp.make_impute_uniform_float(GAPS, SYMMETRIC, (0.0, 4.0)), [None, 9.0, None],
         [2.0, 9.0, 1.0], "AtomDomain(T=f64)"),
        (lambda: dp.make_drop_null(GAPS, SYMMETRIC), [1.0, None], [1.0], "AtomDomain(T=f64)"),
        (lambda: dp.make_is_null(GAPS, SYMMETRIC), [1.0, None], [False, True],
         "AtomDomain(T=bool)"),
        (lambda: dp.make_is_equal(TEXTS, SYMMETRIC, "a"), ["a", "b"], [True, False],
         "AtomDomain(T=bool)"),
        (lambda: dp.make_find(TEXTS, SYMMETRIC, ["a", "b"]), ["b", "z"], [1, None],
         "OptionDomain(AtomDomain(T=usize))"),
        (lambda: dp.make_find_bin(FLOATS, SYMMETRIC, [0.0, 1.0]), [-1.0, 0.0, 9.0], [0, 1, 2],
         "AtomDomain(T=usize)"),
        (lambda: dp.make_index(rows("usize"), SYMMETRIC, ["a", "b"], "z"), [0, 1, 2],
         ["a", "b", "z"], "AtomDomain(T=String)"),
        (lambda: dp.make_identity(GAPS, SYMMETRIC), [1.0, None], [1.0, None],
         "AtomDomain(nan=true, T=f64)"),
    ],
)  # fmt: skip
def test_row_by_row(make: Any, values: list[Any], expected: list[Any], element: str) -> None:
    made = make()
    assert made(values) == expected
    assert repr(made.output_domain.element_domain) == element
    assert maps(made, 0, 1, 7) == [0, 1, 7] and made.core.trust == "proved"


def test_a_chain_from_text_to_a_release() -> None:
    chain = (
        (TEXTS, SYMMETRIC)
        >> dp.then_cast(float)
        >> dp.then_impute_constant(0.0)
        >> dp.then_clamp((0.0, 10.0))
        >> dp.then_sum()
    )
    assert chain(["1", "x", "20"]) == 11 and chain.map(2) == 20
    noisy = chain >> dp.then_laplace(scale=20.0)
    assert noisy.map(1) == 0.5
    same = (TEXTS, SYMMETRIC) >> dp.then_cast_default(float) >> dp.then_impute_constant(0.0)
    assert same(["1", "x"]) == [1, 0]


def test_dropping_from_a_table_of_public_size() -> None:
    gaps = dp.vector_domain(dp.option_domain(dp.atom_domain(T=int)), 4)
    made = dp.make_drop_null(gaps, SYMMETRIC)
    assert maps(made, 1, 2, 3) == [0, 2, 2] and made.output_domain.size is None


def test_metrics_on_tables() -> None:
    assert maps(dp.make_unordered(INTS, ORDERED), 1, 3) == [1, 3]
    assert dp.make_unordered(FIVE, HAMMING).output_metric == CHANGE
    assert maps(dp.make_unordered(FIVE, ORDERED), 1, 3) == [1, 3]
    assert maps(dp.make_metric_bounded(FIVE, SYMMETRIC), 1, 2, 3, 4) == [0, 1, 1, 2]
    assert maps(dp.make_metric_unbounded(FIVE, CHANGE), 1, 3) == [2, 6]
    assert maps(dp.make_metric_unbounded(INTS, CHANGE), 1, 3) == [2, 6]
    assert dp.make_metric_unbounded(FIVE, HAMMING).output_metric == ORDERED
    assert maps(dp.make_ordered_random(INTS, SYMMETRIC), 1, 3) == [1, 3]
    assert maps(dp.make_ordered_random(FIVE, CHANGE), 0, 1, 9) == [0, 5, 5]
    assert maps(dp.make_ordered_random(FIVE, SYMMETRIC), 1, 2) == [0, 2]


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: dp.make_metric_bounded(FIVE, ORDERED), "does not go"),
        (lambda: dp.make_metric_bounded(INTS, SYMMETRIC), "size"),
        (lambda: dp.make_unordered(INTS, SYMMETRIC), "metric"),
        (lambda: dp.make_clamp(GAPS, SYMMETRIC, (0.0, 1.0)), "missing"),
        (lambda: dp.make_sum(GAPS, SYMMETRIC), "missing"),
        (lambda: dp.make_find(TEXTS, SYMMETRIC, ["a", "a"]), "different"),
        (lambda: dp.make_find(TEXTS, SYMMETRIC, [1]), "type"),
        (lambda: dp.make_find_bin(FLOATS, SYMMETRIC, [1.0, 0.0]), "larger"),
        (lambda: dp.make_cast_inherent(TEXTS, SYMMETRIC, int), "missing"),
        (lambda: dp.make_impute_constant(GAPS, SYMMETRIC, "x"), "type"),
        (lambda: dp.make_impute_constant(GAPS, SYMMETRIC, float("nan")), "finite"),
        (lambda: dp.make_resize(INTS, SYMMETRIC, 0, 0), ">="),
        (lambda: dp.make_resize(INTS, SYMMETRIC, 5, 0, MO=ORDERED), "order"),
        (lambda: dp.make_is_equal(TEXTS, SYMMETRIC, 1), "type"),
    ],
)
def test_refused(make: Any, words: str) -> None:
    with pytest.raises(MetricdpError) as caught:
        make()
    assert words in str(caught.value)


def test_resize() -> None:
    made = dp.make_resize(INTS, SYMMETRIC, 5, 0)
    assert maps(made, 1, 2) == [2, 4] and made.output_domain.size == 5
    assert made([7]) == [7, 0, 0, 0, 0] and len(made(list(range(99)))) == 5
    mean = made >> dp.then_clamp((0, 10)) >> dp.then_mean()
    assert mean.map(1) == 2
    changed = dp.make_resize(INTS, SYMMETRIC, 5, 0, MO="ChangeOneDistance")
    assert maps(changed, 1, 2) == [1, 2]


def test_a_number_times_a_constant() -> None:
    atom, metric = dp.atom_domain(T=float, nan=False), dp.absolute_distance(float)
    made = dp.make_lipschitz_float_mul(atom, metric, -2.0, (0.0, 10.0))
    assert made(3.0) == -6 and made(30.0) == -20 and made.map(1.0) == 2


def test_frames() -> None:
    frame = dp.make_split_dataframe(",", ["x", "y"])
    assert (frame >> dp.make_select_column("y", str))("1, 2 \n3\n4,5,6\r\n\n,") == [
        "2", "", "5", "", ""
    ]  # fmt: skip
    as_int = frame >> dp.make_df_cast_default(*frame.output_space, "x", str, int)
    assert (as_int >> dp.make_select_column("x", int))("1,2\nq") == [1, 0]
    chosen = frame >> dp.make_df_is_equal(*frame.output_space, "x", "3")
    kept = chosen >> dp.make_subset_by("x", ["y"]) >> dp.make_select_column("y", str)
    assert kept("1,2\n3,6\n4,5,6") == ["6"] and kept.map(2) == 2
    parts = dp.make_split_lines() >> dp.make_split_records(",")
    assert (parts >> dp.make_create_dataframe(["x", "y"]))("1") == [{"x": "1", "y": ""}]


# -- maps of the user ---------------------------------------------------------------------------

COUNT = (INTS, SYMMETRIC, dp.atom_domain(T=int), dp.absolute_distance(int))


def test_a_user_map_is_believed_and_says_so() -> None:
    made = dp.make_user_transformation(*COUNT, len, lambda d_in: d_in)
    assert made([1, 2]) == 2 and made.map(3) == 3 and made.core.trust == "asserted"


def test_a_wrong_user_map_is_refuted_when_asked() -> None:
    def twice(x: list[int]) -> int:
        return 2 * len(x)

    with pytest.raises(ParameterError, match="counterexample"):
        dp.make_user_transformation(*COUNT, twice, lambda d_in: d_in, attack=True)
    dp.make_user_transformation(*COUNT, twice, lambda d_in: 2 * d_in, attack=True)


def test_user_maps_are_in_the_distances_of_opendp() -> None:
    seen: list[Any] = []

    def stability(d_in: Any) -> Any:
        seen.append(d_in)
        return 2 * d_in

    made = dp.make_user_transformation(FIVE, SYMMETRIC, INTS, SYMMETRIC, lambda x: x + x, stability)
    assert made.map(4) == 8 and seen[-1] == 4 and made([1] * 5) == [1] * 10


def test_the_error_of_a_user_function_shows_no_value() -> None:
    def broken(x: list[int]) -> int:
        raise ValueError(f"secret {x}")

    made = dp.make_user_transformation(*COUNT, broken, lambda d_in: d_in)
    with pytest.raises(MetricdpError) as caught:
        made([41])
    assert "41" not in str(caught.value) and caught.value.__context__ is None


def test_any_map_can_be_attacked() -> None:
    wrong = dp.make_user_transformation(*COUNT, lambda x: 2 * len(x), lambda d_in: d_in)
    assert wrong.audit().refuted and not dp.make_count(INTS, SYMMETRIC).audit(pairs=200).refuted


def test_domains_of_the_user_chain_by_name_and_no_rule_takes_them() -> None:
    ages, far = dp.user_domain("ages", lambda x: True), dp.user_distance("far")
    first = dp.make_user_transformation(ages, far, INTS, SYMMETRIC, lambda x: [x], lambda d: 2 * d)
    assert (first >> dp.then_count())(3) == 1 and (first >> dp.then_count()).map(1.0) == 2
    assert ages == dp.user_domain("ages", bool) != dp.user_domain("sizes", bool)
    with pytest.raises(SpaceError):
        (ages, far) >> dp.then_count()
    with pytest.raises(ParameterError):
        dp.make_user_transformation(ages, far, ages, far, abs, abs, attack=True)


CHECKED = """
import metricdp as mdp


@mdp.transformation
def adults(ages: mdp.Records[float]):
    return mdp.filter(lambda age: age >= 18, ages)


@mdp.measurement
def noisy(ages: mdp.Records[float], eps: float):
    return mdp.laplace(mdp.count(ages), epsilon=eps)
"""


def test_checked_functions_are_proved_links(tmp_path: Any) -> None:
    from importlib.util import module_from_spec, spec_from_file_location

    (tmp_path / "links.py").write_text(CHECKED)
    spec = spec_from_file_location("links", tmp_path / "links.py")
    assert spec is not None and spec.loader is not None
    links = module_from_spec(spec)
    spec.loader.exec_module(links)
    chain = (FLOATS, SYMMETRIC) >> dp.then_checked(links.adults) >> dp.then_count()
    assert chain([1.0, 20.0]) == 1 and chain.map(2) == 2 and chain.core.trust == "proved"
    released = dp.make_identity(FLOATS, SYMMETRIC) >> links.adults >> links.noisy.at(eps=2)
    assert released.map(1) == 2 and released.core.trust == "proved"
    with pytest.raises(SpaceError, match="impute"):
        dp.make_identity(GAPS, SYMMETRIC) >> links.adults


def test_rows_without_nan_chain_where_nan_is_admitted_and_not_the_other_way() -> None:
    cast = dp.make_cast_default(TEXTS, SYMMETRIC, float)
    filled = cast >> dp.make_impute_constant(GAPS, SYMMETRIC, 0.0)
    assert filled(["7", "x"]) == [7, 0]
    with pytest.raises(SpaceError):
        dp.make_cast_inherent(TEXTS, SYMMETRIC, float) >> dp.make_sum(
            dp.vector_domain(dp.atom_domain(bounds=(0.0, 1.0), nan=False)), SYMMETRIC
        )


def test_a_frame_by_the_names_of_2021() -> None:
    import metricdp.opendp.trans as module

    trans: Any = module

    chain = (
        trans.make_split_dataframe(separator=",", col_names=["sex", "age"])
        >> trans.make_select_column(key="age", TOA=str)
        >> trans.make_cast_default(TIA=str, TOA=float)
        >> trans.make_clamp(bounds=(0.0, 100.0))
        >> trans.make_bounded_sum(bounds=(0.0, 100.0))
    )
    assert chain("f, 30\nm,x\nf,200") == 130 and chain.check(1, 100.0)


def test_the_named_domain_and_metric_are_those_that_were_proved() -> None:
    """What the rules conclude lies in the space that OpenDP's names stand for."""
    from metricdp.opendp.placing import placed
    from metricdp.spaces.joining import fits

    frame = dp.make_split_dataframe(",", ["x"])
    gaps4 = dp.vector_domain(dp.option_domain(dp.atom_domain(T=float)), 4)
    made = [
        frame,
        frame >> dp.make_select_column("x", float),
        dp.make_cast(TEXTS, SYMMETRIC, float),
        dp.make_cast_default(GAPS, SYMMETRIC, float),
        dp.make_cast_inherent(FLOATS, SYMMETRIC, float),
        dp.make_index(INTS, SYMMETRIC, [1.0, 2.5], 0.0),
    ]
    for domain in (GAPS, gaps4):
        for metric in (SYMMETRIC, CHANGE, ORDERED, HAMMING):
            made += [
                dp.make_impute_constant(domain, metric, 0.0),
                dp.make_impute_uniform_float(domain, metric, (0.0, 1.0)),
                dp.make_is_null(domain, metric),
                dp.make_identity(domain, metric),
                dp.make_resize(domain, metric, 3, 0.0),
                dp.make_resize(domain, metric, 3, 0.0, MO="ChangeOneDistance"),
            ]
    for domain in (INTS, FIVE):
        for metric in (SYMMETRIC, CHANGE, ORDERED, HAMMING):
            for name in ("unordered", "ordered_random", "metric_bounded", "metric_unbounded"):
                try:
                    made.append(getattr(dp, f"make_{name}")(domain, metric))
                except SpaceError:
                    continue
    assert len(made) > 60
    for each in made:
        space = placed(*each.output_space).space
        assert fits(each.core.output_space, space), (each, each.core.output_space, space)
        assert fits(placed(*each.input_space).space, each.core.input_space), each
