"""Laws on finitely many outcomes: exact arithmetic, post-processing, kernels, bad input."""

from __future__ import annotations

import pickle
from fractions import Fraction
from itertools import product

import pytest
from depth import depth
from hypothesis import given, settings
from hypothesis import strategies as st

from metricdp.errors import ParameterError
from metricdp.laws import (
    EnclosedLaw,
    FiniteLaw,
    GeometricLaw,
    ProductLaw,
    RandomizedResponseLaw,
    law_of,
    mixture,
    push,
    total_variation,
)

F = Fraction
weights = st.lists(st.integers(0, 9), min_size=1, max_size=6).filter(any)
laws = weights.map(FiniteLaw.counts)


def total(law: FiniteLaw) -> Fraction:
    return sum((law[k] for k in law.support()), F(0))


@settings(max_examples=depth(40, 80), deadline=None)
@given(laws, laws, st.fractions(0, 1, max_denominator=20))
def test_masses_sum_to_one_whatever_is_done(p: FiniteLaw, q: FiniteLaw, w: Fraction) -> None:
    mixed, joint, pushed = p.mix(q, w), p.product(q), p.push(lambda k: k % 2)
    assert total(mixed) == total(joint) == total(pushed) == 1
    for k in {*p.support(), *q.support()}:
        assert mixed[k] == (1 - w) * p[k] + w * q[k]
    assert all(joint[k, m] == p[k] * q[m] for k, m in product(p.support(), q.support()))
    assert joint.push(lambda pair: pair[0]) == p
    assert joint.push(lambda pair: pair[1]) == q
    assert pushed[0] == p.event(lambda k: k % 2 == 0) == p.expect(lambda k: k % 2 == 0)
    assert p.expect() == sum(k * p[k] for k in p.support())
    assert mixture([p, q], [1 - w, w]) == mixed
    # Numbers as outcomes: the distribution function is monotone and ends at 1.
    values = [p.cdf(x)[0] for x in (-1, 0, F(1, 2), 3, 9)]
    assert values == sorted(values) and values[0] == 0 and values[-1] == 1
    assert all(p.cdf(x)[0] + p.tail(x)[0] - p[x] == 1 for x in range(7))
    assert p.between(1, 3)[0] == p[1] + p[2] + p[3]


@settings(max_examples=depth(30, 60), deadline=None)
@given(laws, laws, st.integers(1, 3))
def test_post_processing_never_tells_apart_better(p: FiniteLaw, q: FiniteLaw, m: int) -> None:
    before = total_variation(p, q)
    after = total_variation(p.push(lambda k: k % m), q.push(lambda k: k % m))
    assert after[1] <= before[1]


def test_numbers_are_the_decimals_that_were_typed() -> None:
    law = FiniteLaw({"a": 0.1, "b": "1/5", "c": F(7, 10)})
    assert law["a"] == F(1, 10) and law["missing"] == 0
    assert FiniteLaw([0.5, 0.25, 0.25]) == FiniteLaw.counts({0: 2, 1: 1, 2: 1})
    assert FiniteLaw.uniform("ab") == FiniteLaw({"b": 0.5, "a": 0.5})
    assert FiniteLaw.uniform("aab")["a"] == F(2, 3)
    assert repr(law) == "FiniteLaw({'a': 1/10, 'b': 1/5, 'c': 7/10})"
    assert repr(FiniteLaw.uniform(range(20))).endswith("7: 1/20, ... 12 more})")


def test_laws_compare_hash_and_pickle_by_their_masses() -> None:
    p = FiniteLaw({"a": 1, "b": 0})
    assert p == FiniteLaw.sure("a") and hash(p) == hash(FiniteLaw.sure("a"))
    assert p != FiniteLaw.sure("b") and len(p) == 1
    assert pickle.loads(pickle.dumps(p)) == p
    q = push(RandomizedResponseLaw(0, 3, F(1)), lambda k: k > 0)
    assert isinstance(q, EnclosedLaw) and q == pickle.loads(pickle.dumps(q))
    assert hash(q) == hash(EnclosedLaw(dict(q.probability)))


def test_enclosures_are_pushed_and_enclose() -> None:
    law = RandomizedResponseLaw(1, 4, F(2))
    pushed = push(law, lambda k: k == 1)
    low, high = pushed.pmf(True)
    assert low <= law.pmf(1)[1] and law.pmf(1)[0] <= high and high - low < F(1, 10**30)
    low, high = pushed.event(lambda answer: not answer)
    assert low <= 1 - law.pmf(1)[0] <= high
    both = push(ProductLaw((law, law)), lambda pair: pair[0] == pair[1])
    low, high = both.pmf(True)
    assert low <= law.pmf(1)[1] ** 2 + 3 * law.pmf(0)[1] ** 2 and high - low < F(1, 10**30)
    with pytest.raises(ParameterError, match="told from 0"):
        narrow = EnclosedLaw({0: (F(0), F(1, 9)), 1: (F(8, 9), F(1))})
        narrow.log_ratio(narrow, 0)
    with pytest.raises(ParameterError, match="not to 1"):
        EnclosedLaw({0: (F(0), F(1, 9))})
    with pytest.raises(ParameterError, match="no probability"):
        EnclosedLaw({0: (F(1, 2), F(1, 3))})


def test_geometric_law_is_exact() -> None:
    law = GeometricLaw(F(1, 3), start=1)
    assert law.pmf(3) == (F(4, 27),) * 2 and law.pmf(0) == law.pmf(F(3, 2)) == (0, 0)
    for x in (-1, 1, F(5, 2), 7):
        below = sum((law.pmf(k)[0] for k in range(1, 60) if k <= x), F(0))
        assert law.cdf(x)[0] == below
        assert law.tail(x)[0] == 1 - below + law.pmf(x)[0]
    assert law.between(2, 4)[0] == sum(law.pmf(k)[0] for k in (2, 3, 4))


def test_kernels_from_functions_matrices_and_dictionaries() -> None:
    by_rows = law_of([[F(3, 4), F(1, 4)], [F(1, 4), F(3, 4)]])
    by_name = law_of({0: {0: F(3, 4), 1: F(1, 4)}, 1: FiniteLaw([F(1, 4), F(3, 4)])})
    by_function = law_of(lambda x: [F(3, 4) - x * F(1, 2), F(1, 4) + x * F(1, 2)], name="rr")
    for x in (0, 1):
        assert by_rows.law(x) == by_name.law(x) == by_function.law(x)
    assert by_rows.inputs == by_name.inputs == (0, 1) and by_function.inputs is None
    assert by_rows.push(lambda y: 0).law(1) == FiniteLaw.sure(0)
    assert by_rows.after(lambda rows: len(rows) % 2).law([5, 6, 7]) == by_rows.law(1)
    assert law_of(by_rows) is by_rows
    assert law_of(lambda x: RandomizedResponseLaw(x, 2, F(1))).law(1).index == 1


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: FiniteLaw({"a": F(1, 2)}), "sum to 1/2, and not to 1"),
        (lambda: FiniteLaw({"a": F(3, 2), "b": F(-1, 2)}), "weight of 'b' is -1/2"),
        (lambda: FiniteLaw([]), "sum to 0"),
        (lambda: FiniteLaw([0.5, float("nan")]), "nan"),
        (lambda: FiniteLaw([1, float("inf")]), "no finite number"),
        (lambda: FiniteLaw({"a": True}), "no finite number"),
        (lambda: FiniteLaw(7), "gives no probabilities"),
        (lambda: FiniteLaw({float("nan"): 1}), "NaN is not equal to itself"),
        (lambda: FiniteLaw.counts([0, 0]), "sum to 0"),
        (lambda: FiniteLaw.counts([1, -1]), "-1"),
        (lambda: FiniteLaw.uniform([1, 2]).push(lambda k: [k]), "cannot be hashed"),
        (lambda: FiniteLaw.uniform([1, 2]).push(lambda k: k == 1 or 1), "look different"),
        (lambda: FiniteLaw.uniform([1, 2]).push(lambda k: -0.0 if k == 1 else 0.0), "different"),
        (lambda: FiniteLaw.uniform([1, 2]).push(lambda k: float("nan")), "NaN"),
        (lambda: FiniteLaw.sure(1).mix(FiniteLaw.sure(2), 2), "no share"),
        (lambda: FiniteLaw.sure("a").expect(), "no number"),
        (lambda: FiniteLaw.sure("a").cdf(1), "no number"),
        (lambda: FiniteLaw.sure(1).cdf(float("nan")), "finite"),
        (lambda: law_of([[F(1, 2)], [F(1)]]), "at input 0"),
        (lambda: law_of([[1], [F(1, 2), F(1, 2)]]), "rows of 1 and of 2"),
        (lambda: law_of([]), "no inputs"),
        (lambda: law_of("ab"), "no mechanism"),
        (lambda: law_of(lambda x: [x, x]).law(F(1, 3)), "at input"),
        (lambda: law_of([[1]]).law(1), "no law for 1"),
        (lambda: GeometricLaw(0), "above 0"),
        (lambda: mixture([FiniteLaw.sure(1)], [F(1, 2)]), "sum to 1/2"),
        (lambda: mixture([FiniteLaw.sure(1)], [1, 0]), "2 weights for 1 laws"),
    ],
)
def test_what_is_no_law_is_refused_with_what_is_wrong(call: object, words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        call()  # type: ignore[operator]


def test_choices_without_noise_take_the_first_of_the_best() -> None:
    from metricdp.laws import exponential_law, permute_and_flip_law

    for law in (exponential_law, permute_and_flip_law):
        found = law([1, 3, 3, -2], Fraction(0))
        assert [found.pmf(i) for i in range(4)] == [(0, 0), (1, 1), (0, 0), (0, 0)]
