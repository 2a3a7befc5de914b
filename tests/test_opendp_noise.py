"""Measurements by OpenDP's names against its own maps (0.16.0, recorded): ours are not above.

Where ours is larger, its map is wrong: the test says why.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from metricdp import opendp
from metricdp.errors import MetricdpError, ParameterError, SpaceError
from metricdp.laws import DiscreteGaussianLaw, DiscreteLaplaceLaw

# Wrong arguments are part of the tests.
dp: Any = opendp
INT = dp.atom_domain(T=int), dp.absolute_distance(T=int)
FLOAT = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)
SCORES = dp.vector_domain(dp.atom_domain(T=int)), dp.linf_distance(T=int)
RISING = dp.vector_domain(dp.atom_domain(T=int)), dp.linf_distance(T=int, monotonic=True)
ROWS = dp.vector_domain(dp.atom_domain(T=float, nan=False)), dp.symmetric_distance()
SIZED = dp.vector_domain(dp.atom_domain(T=float, nan=False), size=10), dp.symmetric_distance()
COUNTS = (
    dp.map_domain(dp.atom_domain(T=str), dp.atom_domain(T=int)),
    dp.l01inf_distance(dp.absolute_distance(T=int)),
)
PURE, RHO = dp.max_divergence(), dp.zero_concentrated_divergence()


def quantile(space: Any, measure: Any, alpha: float) -> Any:
    return dp.m.make_private_quantile(
        *space, measure, candidates=[0.0, 1.0, 2.0], alpha=alpha, scale=2.0
    )


@pytest.mark.parametrize(
    ("made", "d_in", "theirs"),
    [
        (lambda: dp.m.make_laplace(*INT, scale=2.0), 1, 0.5),
        (lambda: dp.m.make_laplace(*FLOAT, scale=2.0), 1.0, 0.5),
        (lambda: dp.m.make_gaussian(*INT, scale=2.0), 1, 0.125),
        (lambda: dp.m.make_geometric(*INT, scale=2.0, bounds=(0, 10)), 1, 0.5),
        (lambda: dp.m.make_noisy_max(*SCORES, PURE, scale=2.0), 3, 3.0),
        (lambda: dp.m.make_noisy_max(*SCORES, RHO, scale=2.0), 3, 1.125),
        (lambda: dp.m.make_noisy_max(*RISING, PURE, scale=2.0), 3, 1.5),
        (lambda: dp.m.make_noisy_max(*RISING, RHO, scale=2.0), 3, 0.28125),
        (lambda: dp.m.make_noisy_top_k(*SCORES, PURE, k=3, scale=2.0), 3, 9.0),
        (lambda: dp.m.make_noisy_top_k(*RISING, RHO, k=3, scale=2.0), 3, 0.84375),
        (lambda: dp.m.make_report_noisy_max_gumbel(*SCORES, scale=2.0), 3, 3.0),
        (lambda: quantile(ROWS, PURE, 0.25), 2, 1.5),
        (lambda: quantile(ROWS, RHO, 0.5), 2, 0.125),
        (lambda: quantile(SIZED, PURE, 0.25), 2, 1.0),
        (lambda: quantile(SIZED, PURE, 0.25), 1, 0.0),
        (lambda: dp.m.make_randomized_response(["a", "b", "c"], 0.5), 1, 0.6931471805599454),
        (lambda: dp.m.make_randomized_response_bitvec(
            dp.bitvector_domain(max_weight=4), dp.discrete_distance(), f=0.5),
         1, 8.788898309344878),
    ],
)  # fmt: skip
def test_maps_are_at_most_those_of_opendp(made: Any, d_in: Any, theirs: float) -> None:
    ours = made().map(d_in)
    assert theirs * 0.999 <= ours <= theirs


@pytest.mark.parametrize(
    ("triple", "theirs"), [((1, 1, 1), 3.319000812207484e-05), ((2, 3, 2), 1.8043145231783075e-04)]
)
def test_thresholds_release_the_threshold_itself(
    triple: tuple[int, int, int], theirs: float
) -> None:
    """OpenDP keeps a value equal to the threshold and charges P(noise > T - linf): too little."""
    made = dp.m.make_laplace_threshold(*COUNTS, scale=1.0, threshold=10)
    epsilon, delta = made.map(triple)
    assert epsilon == triple[1]
    assert delta > 2 * theirs
    kept = made.core.function
    assert kept.extra["threshold"] == 10
    exact = DiscreteLaplaceLaw(triple[2], Fraction(1)).tail(10)
    assert float(exact[1]) <= delta <= float(1 - (1 - exact[1]) ** triple[0]) * 1.000001


def test_a_count_by_key_chains_into_a_threshold() -> None:
    made = dp.m.make_laplace_threshold(*COUNTS, scale=0.01, threshold=10)
    assert made({"b": 20, "a": 30, "c": 2}) == {"a": 30, "b": 20}
    assert made.map((0, 0, 0)) == (0.0, 0.0)
    with pytest.raises(ParameterError, match="triples"):
        made.map((1, 1))


def test_whole_numbers_get_whole_noise() -> None:
    assert isinstance(dp.m.make_laplace(*INT, scale=2.0)(5), int)
    assert isinstance(dp.m.make_gaussian(*INT, scale=2.0)(5), int)
    assert isinstance(dp.m.make_laplace(*FLOAT, scale=2.0)(5.0), float)
    assert all(0 <= dp.m.make_geometric(*INT, scale=9.0, bounds=(0, 3))(2) <= 3 for _ in range(50))


def test_a_grid_is_post_processing() -> None:
    made = dp.m.make_laplace(*FLOAT, scale=2.0, k=1)
    assert all(made(3.0) % 2 == 0 for _ in range(20))
    assert made.map(1.0) == 0.5
    with pytest.raises(ParameterError):
        dp.m.make_laplace(*FLOAT, scale=2.0, k=0.5)


def test_measures_by_name_and_object() -> None:
    for given in ("ZeroConcentratedDivergence", RHO):
        made = dp.m.make_laplace(*INT, scale=2.0, MO=given)
        assert made.output_measure == RHO and 0.12 < made.map(1) < 0.125
    for wrong in ("MaxDivergence", PURE):
        with pytest.raises(ParameterError, match="zcdp"):
            dp.m.make_gaussian(*INT, scale=2.0, MO=wrong)
    with pytest.raises(MetricdpError, match="no measure"):
        dp.m.make_laplace(*INT, scale=2.0, MO="Divergence")


def test_scores_that_move_together_are_another_space() -> None:
    """The cost of monotone scores must not be had for scores that move apart."""
    clamped = dp.t.make_clamp(
        dp.vector_domain(dp.atom_domain(T=float, nan=False)), dp.symmetric_distance(), (0.0, 1.0)
    )
    assert clamped is not None
    one_way = dp.m.make_noisy_max(*RISING, PURE, scale=2.0)
    any_way = dp.m.make_noisy_max(*SCORES, PURE, scale=2.0)
    assert one_way.map(1) == any_way.map(1) / 2
    from metricdp.maps import make

    turned = make("neg", any_way.core.input_space)
    with pytest.raises(SpaceError):
        turned >> one_way.core


def test_the_library_says_that_scores_must_move_together() -> None:
    from metricdp.maps import make
    from metricdp.spaces import Vector
    from metricdp.spaces.directions import OneDirection

    scores = Vector("Int", "LInf")
    for name in ("top_k", "permute_and_flip"):
        given: dict[str, Any] = {"k": 1} if name == "top_k" else {}
        made = make(name, scores, scale=2, monotone=True, **given)
        assert made.input_space == OneDirection(scores)
        with pytest.raises(SpaceError):
            make("neg", scores) >> made
    assert OneDirection(scores).distance([0, 0], [1, -1]).is_infinite
    assert str(OneDirection(scores).distance([0, 0], [1, 2])) == "2"


def test_smallest_scores() -> None:
    down = dp.m.make_noisy_max(*RISING, PURE, scale=0.01, negate=True)
    assert down([30, 20, 10, 70]) == 2 and down.map(3) == 300.0
    made = dp.m.make_noisy_max(*SCORES, PURE, scale=0.01, negate=True)
    assert made([30, 20, 10, 70]) == 2
    assert dp.m.make_report_noisy_max_gumbel(*SCORES, scale=0.01, optimize="min")([3, 1, 2]) == 1
    assert dp.m.make_noisy_top_k(*SCORES, PURE, k=2, scale=0.01)([30, 20, 10, 70]) == [3, 0]


def test_bits_round_trip_and_debias() -> None:
    domain = dp.bitvector_domain(max_weight=16)
    made = dp.m.make_randomized_response_bitvec(domain, dp.discrete_distance(), f=0.5)
    answers = [made(b"\x01\x80") for _ in range(2000)]
    estimate = dp.debias_randomized_response_bitvec(answers, f=0.5)
    # Standard deviation of one estimate: sqrt(2000 * 3/16) / (1/2) = 39; 7 of them: 3e-12.
    for i, value in enumerate(estimate):
        assert abs(value - (2000 if i in (0, 15) else 0)) < 7 * 39
    assert dp.debias_randomized_response_bitvec([b"\x01", b"\x01"], f=0.5)[0] == 3.0


def test_ones_beyond_the_weight_are_cleared() -> None:
    from metricdp.opendp.releases import BitsEnter

    assert BitsEnter(2, None)(b"\x0f") == [True, True, *[False] * 6]
    assert BitsEnter(None, 4)([True] * 9) == [True] * 4
    assert BitsEnter(None, 4)([True]) == [True, False, False, False]


@pytest.mark.parametrize("alpha", [0.5, 0.05, 1e-6])
@pytest.mark.parametrize("scale", [0.3, 1.0, 7.5])
def test_accuracies_hold_and_are_the_least(scale: float, alpha: float) -> None:
    exact = Fraction(scale)
    whole = -(-Fraction(dp.discrete_laplacian_scale_to_accuracy(scale, alpha)) // 1)
    law: Any = DiscreteLaplaceLaw(0, exact)
    assert 2 * law.tail(int(whole))[0] <= Fraction(alpha)
    assert whole <= 1 or 2 * law.tail(int(whole) - 1)[1] > Fraction(alpha)
    law = DiscreteGaussianLaw(0, exact**2)
    whole = int(dp.discrete_gaussian_scale_to_accuracy(scale, alpha))
    assert 2 * law.tail(whole)[0] <= Fraction(alpha)
    assert whole == 1 or 2 * law.tail(whole - 1)[1] > Fraction(alpha) * Fraction(999999, 1000000)


@pytest.mark.parametrize("name", ["laplacian", "discrete_laplacian", "gaussian"])
def test_scales_and_accuracies_are_inverse(name: str) -> None:
    forth: Any = getattr(dp, f"{name}_scale_to_accuracy")
    back: Any = getattr(dp, f"accuracy_to_{name}_scale")
    for accuracy in (1.5, 10.0, 1000.0):
        scale = back(accuracy, 0.05)
        assert forth(scale, 0.05) <= accuracy * (1 + 1e-12)
        assert forth(scale * (1 + 1e-9), 0.05) > accuracy * (1 - 1e-12)


@pytest.mark.parametrize(
    "bad",
    [
        lambda: dp.m.make_laplace(*INT, scale=0.0),
        lambda: dp.m.make_laplace(*INT, scale=-1.0),
        lambda: dp.m.make_laplace(*INT, scale=float("nan")),
        lambda: dp.m.make_geometric(*FLOAT, scale=1.0),
        lambda: dp.m.make_geometric(*INT, scale=1.0, bounds=(3, 1)),
        lambda: dp.m.make_noisy_max(*ROWS, PURE, scale=1.0),
        lambda: dp.m.make_noisy_top_k(*SCORES, PURE, k=0, scale=1.0),
        lambda: dp.m.make_private_quantile(*ROWS, PURE, [], 0.5, 1.0),
        lambda: dp.m.make_private_quantile(*ROWS, PURE, [1.0], 1.5, 1.0),
        lambda: dp.m.make_randomized_response(["a"], 0.5),
        lambda: dp.m.make_randomized_response(["a", "a"], 0.5),
        lambda: dp.m.make_randomized_response_bool(1.0),
        lambda: dp.m.make_laplace_threshold(*COUNTS, scale=1.0, threshold=0),
        lambda: dp.m.make_laplace_threshold(*ROWS, scale=1.0, threshold=10),
        lambda: dp.laplacian_scale_to_accuracy(1.0, 2.0),
        lambda: dp.accuracy_to_discrete_laplacian_scale(0.5, 0.05),
    ],
)
def test_bad_arguments_are_typed_errors(bad: Any) -> None:
    with pytest.raises(MetricdpError):
        bad()


def test_what_is_not_there_says_so() -> None:
    with pytest.raises(NotImplementedError, match="notyet: make_alp_queryable"):
        dp.m.make_alp_queryable  # noqa: B018


def test_accuracy_of_a_chain() -> None:
    from metricdp.maps import make
    from metricdp.maps.accuracy import accuracy
    from metricdp.spaces import Records, Scalar, Vector

    rows = Records(Scalar("Data", kind="float"))
    clamped = make("clamp", rows, lower=0, upper=20)
    total = clamped >> make("sum", clamped.output_space)
    noisy = total >> make("laplace", total.output_space, scale=20)
    assert abs(accuracy(noisy, 0.05) - dp.laplacian_scale_to_accuracy(20.0, 0.05)) < 1e-6
    with pytest.raises(ParameterError, match="no number"):
        accuracy(make("top_k", Vector("Int", "LInf"), k=1, scale=1), 0.05)


def test_counts_by_key_chain_into_a_threshold() -> None:
    rows = dp.vector_domain(dp.atom_domain(T=str)), dp.symmetric_distance()
    counted = rows >> dp.t.then_count_by()
    made = counted >> dp.m.then_laplace_threshold(scale=2.0, threshold=30)
    epsilon, delta = made.map(1)
    assert epsilon == 0.5
    assert delta == pytest.approx(float(DiscreteLaplaceLaw(1, Fraction(2)).tail(30)[0]))
    assert list(made(["a"] * 200 + ["b"])) == ["a"]


def test_stability_of_2021() -> None:
    from metricdp.opendp import meas

    old: Any = meas
    made = old.make_base_stability(10, 2.0, 30, "L1Distance<i32>", str)
    epsilon, delta = made.map(1)
    assert epsilon == 0.5
    assert delta == pytest.approx(float(DiscreteLaplaceLaw(1, Fraction(2)).tail(30)[0]))
    assert made({"a": 300, "b": 1}).keys() == {"a"}
