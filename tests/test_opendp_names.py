"""Every public name of OpenDP 0.16's prelude and of 2021's modules exists, or says notyet."""

from __future__ import annotations

from importlib import import_module

import pytest

import metricdp.opendp as dp
from metricdp.errors import MetricdpError, NotYetError
from metricdp.opendp.names import NOT_YET

#: `dir(opendp.prelude)` of release 0.16.0, without modules and names of `typing`.
PRELUDE = """
    ATOM_EQUIVALENCE_CLASSES AbsoluteDistance AnyMeasurementPtr AnyTransformationPtr
    ApproximateDivergence AtomDomain BitVector Carrier Chain ChangeOneDistance
    ChangeOneIdDistance Context DataFrame DiscreteDistance Domain Expr ExtrinsicDivergence
    ExtrinsicDomain FixedSmoothedMaxDivergence FrameDistance Function GLOBAL_FEATURES
    HammingDistance HashMap InsertDeleteDistance L1Distance L2Distance LazyFrame
    LazyFrameDomain MaxDivergence Measure Measurement Metric Odometer OdometerQueryable
    OpenDPException OptionDomain PartialChain PrivacyProfile Query Queryable RuntimeType
    RuntimeTypeDescriptor SensitivityMetric Series SeriesDomain SmoothedMaxDivergence String
    SymmetricDistance SymmetricIdDistance Transformation UnknownTypeException Vec
    VectorDomain ZeroConcentratedDivergence absolute_distance
    accuracy_to_discrete_gaussian_scale accuracy_to_discrete_laplacian_scale
    accuracy_to_gaussian_scale accuracy_to_laplacian_scale approximate array_domain as_array
    assert_features atom_domain binary_search binary_search_chain binary_search_param
    bitvector_domain c categorical_domain change_one_distance change_one_id_distance
    datetime_domain deserialize disable_features discrete_distance
    discrete_gaussian_scale_to_accuracy discrete_laplacian_scale_to_accuracy
    domain_carrier_type domain_debug domain_of domain_type enable_features enum_domain
    exponential_bounds_search f32 f64 fixed_smoothed_max_divergence frame_distance
    gaussian_scale_to_accuracy get_atom get_atom_or_infer get_carrier_type get_distance_type
    get_first get_first_non_null get_type get_value_type hamming_distance i128 i16 i32 i64
    i8 import_optional_dependency insert_delete_distance isize l01inf_distance
    l02inf_distance l1_distance l2_distance laplacian_scale_to_accuracy lazyframe_domain len
    linf_distance loss_of m map_domain max_divergence measure_debug measure_distance_type
    measure_type metric_debug metric_distance_type metric_of metric_type new_function
    new_privacy_profile new_queryable option_domain parse_or_infer pass_through register
    renyi_divergence serialize series_domain set_default_float_type set_default_int_type
    smoothed_max_divergence space_of summarize_polars_measurement symmetric_distance
    symmetric_id_distance t u128 u16 u32 u64 u8 unit_of user_distance user_divergence
    user_domain usize vector_domain wild_expr_domain with_margin
    zero_concentrated_divergence
""".split()
#: `make_`, `then_` and helpers of its modules t, m, c.
CONSTRUCTORS = {
    "t": """
        choose_branching_factor make_b_ary_tree make_bounded_float_checked_sum
        make_bounded_float_ordered_sum make_bounded_int_monotonic_sum
        make_bounded_int_ordered_sum make_bounded_int_split_sum make_cast make_cast_default
        make_cast_inherent make_cdf make_clamp make_consistent_b_ary_tree make_count
        make_count_by make_count_by_categories make_count_distinct make_create_dataframe
        make_df_cast_default make_df_is_equal make_drop_null make_find make_find_bin
        make_identity make_impute_constant make_impute_uniform_float make_index
        make_is_equal make_is_null make_lipschitz_float_mul make_mean make_metric_bounded
        make_metric_unbounded make_ordered_random make_proof_link
        make_quantile_score_candidates make_quantiles_from_counts make_resize
        make_select_column make_sized_bounded_float_checked_sum
        make_sized_bounded_float_ordered_sum make_sized_bounded_int_checked_sum
        make_sized_bounded_int_monotonic_sum make_sized_bounded_int_ordered_sum
        make_sized_bounded_int_split_sum make_split_dataframe make_split_lines
        make_split_records make_stable_expr make_stable_lazyframe make_subset_by make_sum
        make_sum_of_squared_deviations make_unordered make_user_transformation make_variance
        then_b_ary_tree then_cast then_cast_default then_cast_inherent then_clamp then_count
        then_count_by then_count_by_categories then_count_distinct then_df_cast_default
        then_df_is_equal then_drop_null then_find then_find_bin then_identity
        then_impute_constant then_impute_uniform_float then_index then_is_equal then_is_null
        then_lipschitz_float_mul then_mean then_metric_bounded then_metric_unbounded
        then_ordered_random then_quantile_score_candidates then_resize then_stable_expr
        then_stable_lazyframe then_sum then_sum_of_squared_deviations then_unordered
        then_variance
    """.split(),
    "m": """
        debias_randomized_response_bitvec make_alp_queryable make_canonical_noise
        make_gaussian make_gaussian_threshold make_geometric make_laplace
        make_laplace_threshold make_noise make_noise_threshold make_noisy_max
        make_noisy_top_k make_private_expr make_private_lazyframe make_private_quantile
        make_proof_link make_randomized_response make_randomized_response_bitvec
        make_randomized_response_bool make_report_noisy_max_gumbel make_user_measurement
        then_alp_queryable then_canonical_noise then_gaussian then_gaussian_threshold
        then_geometric then_laplace then_laplace_threshold then_noise then_noise_threshold
        then_noisy_max then_noisy_top_k then_private_expr then_private_lazyframe
        then_private_quantile then_randomized_response_bitvec then_report_noisy_max_gumbel
        then_user_measurement
    """.split(),
    "c": """
        make_adaptive_composition make_approximate make_basic_composition make_chain_mt
        make_chain_pm make_chain_tt make_composition make_fix_delta
        make_fixed_approxDP_to_approxDP make_fully_adaptive_composition
        make_population_amplification make_privacy_filter make_proof_link
        make_pureDP_to_zCDP make_select_private_candidate make_sequential_composition
        make_zCDP_to_approxDP then_adaptive_composition then_fully_adaptive_composition
        then_sequential_composition
    """.split(),
}
#: Constructors of release 0.3.0, without "make_".
IN_2021 = {
    "trans": """
        cast cast_default is_equal is_null cast_inherent cast_metric clamp unclamp count
        count_distinct count_by count_by_categories split_lines split_records
        create_dataframe split_dataframe select_column identity impute_constant
        impute_uniform_float sized_bounded_mean resize bounded_resize bounded_sum
        sized_bounded_sum sized_bounded_variance
    """.split(),
    "meas": """
        base_laplace base_gaussian base_geometric base_stability
    """.split(),
    "comb": "chain_mt chain_tt basic_composition".split(),
    "mod": "",
}
#: Names that may be missing; one more is a change that the release notes have to tell.
MISSING = set(
    """
        ATOM_EQUIVALENCE_CLASSES AnyMeasurementPtr AnyTransformationPtr BitVector Carrier
        ChangeOneIdDistance Context DataFrame Expr FrameDistance
        Function GLOBAL_FEATURES HashMap LazyFrame LazyFrameDomain Query RuntimeType
        RuntimeTypeDescriptor SensitivityMetric Series SeriesDomain SymmetricIdDistance
        alp_queryable array_domain as_array categorical_domain
        change_one_id_distance datetime_domain enum_domain frame_distance
        get_atom get_atom_or_infer get_carrier_type get_distance_type get_first
        get_first_non_null get_type get_value_type import_optional_dependency
        lazyframe_domain len loss_of new_queryable parse_or_infer pass_through private_expr
        private_lazyframe proof_link register series_domain stable_expr stable_lazyframe
        summarize_polars_measurement symmetric_id_distance unit_of
        wild_expr_domain with_margin
    """.split()
)


def missing(module: object, names: list[str]) -> list[str]:
    found = []
    for name in names:
        try:
            getattr(module, name)
        except NotYetError as error:
            assert name in str(error) and error.remedy
            found.append(name)
    return found


def test_names_of_the_prelude() -> None:
    assert set(missing(dp, PRELUDE)) <= MISSING
    assert {*dir(dp)} >= {*PRELUDE} - MISSING - {"c", "m", "t"}


@pytest.mark.parametrize("group", "tmc")
def test_names_of_constructors(group: str) -> None:
    module = getattr(dp, group)
    absent = missing(module, CONSTRUCTORS[group])
    assert {name.removeprefix("make_").removeprefix("then_") for name in absent} <= MISSING
    assert {*dir(module)} >= {*CONSTRUCTORS[group]} - {*absent}


@pytest.mark.parametrize("era", IN_2021)
def test_names_of_2021(era: str) -> None:
    module = import_module(f"metricdp.opendp.{era}")
    for name in IN_2021[era]:
        assert callable(getattr(module, f"make_{name}"))
    for name in "binary_search binary_search_chain binary_search_param enable_features".split():
        assert callable(getattr(import_module("metricdp.opendp.mod"), name))


def test_a_missing_name_says_what_to_use() -> None:
    with pytest.raises(NotYetError, match=r"notyet: make_stable_expr: .*Polars[\s\S]*Session"):
        dp.t.make_stable_expr  # noqa: B018
    with pytest.raises(NotImplementedError, match="notyet"):
        dp.Context  # noqa: B018
    with pytest.raises(AttributeError):
        dp.no_such_name  # noqa: B018
    assert {*NOT_YET} - MISSING <= {"polars", "ibis", "sklearn", "mbi", "numpy", "examples"}


def test_types_and_spaces_by_name() -> None:
    assert dp.i32 == "i32" and dp.Vec[float] == "Vec<f64>"
    assert dp.L1Distance[int] == "L1Distance<i32>"
    vector = dp.vector_domain(dp.atom_domain(T="i64"))
    assert dp.domain_of("Vec<i64>") == vector
    assert dp.domain_of(list[str]) == dp.vector_domain(dp.atom_domain(T=str))
    assert dp.domain_of("Option<i32>") == dp.option_domain(dp.atom_domain(T="i32"))
    table = dp.domain_of("HashMap<String, f64>")
    assert table == dp.map_domain(dp.atom_domain(T=str), dp.atom_domain(T=float))
    assert dp.space_of(float) == (dp.atom_domain(T=float), dp.absolute_distance(T=float))
    assert dp.space_of("Vec<i64>") == (vector, dp.symmetric_distance())
    assert dp.metric_of("L2Distance<f64>") == dp.l2_distance(T=float)
    assert dp.metric_of(dp.SymmetricDistance) == dp.symmetric_distance()
    assert dp.domain_of([1.5, 2.0], infer=True) == dp.vector_domain(dp.atom_domain(T=float))
    assert dp.metric_distance_type(dp.symmetric_distance()) == "u32"
    for wrong in ("Vec<complex>", "HashMap<i32>", 3):
        with pytest.raises(MetricdpError):
            dp.domain_of(wrong)
    with pytest.raises(MetricdpError):
        dp.metric_of("Distance")


def test_default_types_can_be_set() -> None:
    try:
        dp.set_default_int_type("i64")
        assert dp.atom_domain(T=int).T == "i64"
        with pytest.raises(MetricdpError):
            dp.set_default_float_type(int)
    finally:
        dp.set_default_int_type("i32")
    assert dp.atom_domain(T=int).T == "i32"
