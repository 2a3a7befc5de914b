"""Tables that name their own values: names are kept, or the table is refused; never read crosswise.

A pandas Series of frequencies read by position loses what its values are the probabilities of, so
that two different laws came out equal and an exact audit survived.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any

import numpy
import pytest

from metricdp import audit
from metricdp.errors import ParameterError
from metricdp.laws import (
    EmpiricalLaw,
    EnclosedLaw,
    FiniteLaw,
    GaussianLaw,
    PiecewiseLaw,
    law_of,
    mixture,
)
from metricdp.laws.distances import (
    FiniteSpace,
    compare_topologies,
    converges,
    d_dp,
    d_tv,
    privacy_profile,
)

F = Fraction


class Table:
    """Labels and values as a pandas Series gives them; pandas itself is not needed."""

    ndim = 1

    def __init__(self, values: dict[Any, Any] | list[tuple[Any, Any]], name: Any = None) -> None:
        self.pairs = list(values.items() if isinstance(values, dict) else values)
        self.index, self.name = [k for k, _ in self.pairs], name

    def items(self) -> Any:
        return iter(self.pairs)

    def __iter__(self) -> Any:
        return iter(v for _, v in self.pairs)

    def __len__(self) -> int:
        return len(self.pairs)

    def __getitem__(self, key: Any) -> Any:
        return dict(self.pairs)[key]

    def tolist(self) -> list[Any]:
        return list(self)


class Frame(Table):
    """As a pandas DataFrame: iterating gives the names of its columns."""

    ndim = 2

    @property
    def columns(self) -> list[Any]:
        return self.index

    def __iter__(self) -> Any:
        return iter(self.index)


YES, NO = Table({"yes": 0.75, "no": 0.25}), Table({"no": 0.75, "yes": 0.25})


def test_labels_of_a_table_are_its_outcomes() -> None:
    assert FiniteLaw(YES) == FiniteLaw({"yes": "3/4", "no": "1/4"})
    assert FiniteLaw.counts(Table({"yes": 3, "no": 1})) == FiniteLaw(YES)
    for p, q in ((FiniteLaw(YES), FiniteLaw(NO)), (YES, NO)):
        assert d_dp(p, q).ratio == 3
    assert d_tv(YES, NO).exact == F(1, 2)
    assert privacy_profile(YES, NO).at(1) == F(1, 2)
    kernel = law_of(Table({"x": YES, "y": NO}))
    assert kernel.inputs == ("x", "y")
    assert kernel.law("y") == FiniteLaw({"yes": "1/4", "no": "3/4"})
    # Labels 0, 1, ... are those of a list.
    assert FiniteLaw(Table({0: 0.75, 1: 0.25})) == FiniteLaw([0.75, 0.25])


def test_an_exact_audit_sees_the_labels() -> None:
    found = audit.finite({"x": YES, "y": NO}, epsilon=0.1)
    assert type(found).__name__ == "PrivacyRefuted"
    other = audit.finite({"x": YES, "y": NO}, epsilon=1.1)
    assert type(other).__name__ == "PrivacySurvived"


def test_tables_of_pandas_itself() -> None:
    pandas = pytest.importorskip("pandas")
    yes = pandas.Series(["yes"] * 3 + ["no"])
    no = pandas.Series(["no"] * 3 + ["yes"])
    shares = [x.value_counts(normalize=True) for x in (yes, no)]
    assert d_dp(*map(FiniteLaw, shares)).ratio == d_dp(*shares).ratio == 3
    assert FiniteLaw.counts(yes.value_counts()) == FiniteLaw(shares[0])
    assert EmpiricalLaw(yes).frequencies == FiniteLaw(shares[0])
    assert EmpiricalLaw(yes[yes == "yes"]).counts == {"yes": 3}
    frame = pandas.DataFrame({"yes": [0.75, 0.25], "no": [0.25, 0.75]})
    for give in (FiniteLaw, FiniteLaw.counts, law_of, EmpiricalLaw):
        with pytest.raises(ParameterError):
            give(frame)
    with pytest.raises(ParameterError, match="one by one"):
        EmpiricalLaw(yes.value_counts())
    with pytest.raises(ParameterError):
        FiniteSpace(["0", "10"], frame.set_axis(["01", "10"], axis=1))
    rows = [pandas.Series([0.5, 0.5], index=["a", "b"]), pandas.Series([1, 0], index=["b", "a"])]
    assert law_of(rows).law(1) == FiniteLaw.sure("b")


def test_a_law_is_no_list_without_an_end() -> None:
    with pytest.raises(TypeError, match="iterable"):
        list(FiniteLaw({"a": "1/2", "b": "1/2"}))
    with pytest.raises(ParameterError, match="no samples"):
        EmpiricalLaw(FiniteLaw([1]))


@pytest.mark.parametrize(
    "make",
    [
        lambda: FiniteLaw(numpy.array([[0.5, 0.5]])),
        lambda: FiniteLaw.counts(numpy.array([[1, 1]])),
        lambda: FiniteLaw(numpy.array(1.0)),
        lambda: FiniteLaw(Frame({"a": 0.5, "b": 0.5})),
        lambda: FiniteLaw(Table([("a", 0.5), ("a", 0.5)])),
        lambda: FiniteLaw(Table([([1], 1)])),
        lambda: FiniteLaw(FiniteLaw({0: 1})),  # it asked for entries 0, 1, ... without end
        lambda: law_of(Frame({"a": [0.5, 0.5]})),
        # Two orders, of which one was taken.
        lambda: mixture([FiniteLaw.sure("a"), FiniteLaw.sure("b")], Table({1: 0.9, 0: 0.1})),
        lambda: mixture([FiniteLaw.sure("a"), FiniteLaw.sure("b")], {0.5: "a", "1/2": "b"}),
        lambda: mixture({"a": FiniteLaw.sure("a")}, [1]),
        lambda: PiecewiseLaw.of([0, 1, 2], Table({"(1, 2]": 0.9, "(0, 1]": 0.1})),
        lambda: PiecewiseLaw([0, 1, 2], Table({1: 0.9, 0: 0.1})),
        lambda: FiniteSpace(["a", "b"], Frame({"01": [0, 1], "10": [1, 0]})),
        lambda: FiniteSpace(["a", "b"], [Table({"a": 0, "b": 1}), Table({"b": 0, "a": 1})]),
        lambda: FiniteSpace(["a", "b"], {"01": [0, 1], "10": [1, 0]}),
        lambda: FiniteSpace.cycle("abc", Table({2: 1, 1: 2, 0: 3})),
        lambda: EmpiricalLaw(Table({"yes": 3, "no": 1})),
        lambda: EmpiricalLaw(Table({0: 3, 1: 1}, name="count")),
        lambda: EmpiricalLaw({"yes": 3, "no": 1}),
        lambda: EmpiricalLaw(Counter("aab")),
        lambda: EmpiricalLaw(Frame({"a": 1})),
        lambda: EmpiricalLaw(numpy.array([[1, 2]])),
    ],
)
def test_what_is_ambiguous_is_refused(make: Any) -> None:
    with pytest.raises(ParameterError) as caught:
        make()
    assert caught.value.remedy


def test_what_says_it_in_order_is_taken() -> None:
    laws = [FiniteLaw.sure("a"), FiniteLaw.sure("b")]
    assert mixture(laws, Table({0: "1/4", 1: "3/4"}))["b"] == F(3, 4)
    assert mixture(laws, numpy.array([0.25, 0.75]))["b"] == F(3, 4)
    space = FiniteSpace(["a", "b"], numpy.array([[0, 2], [2, 0]]))
    assert space.distance("a", "b") == 2
    assert EmpiricalLaw(Table({7: 3.0, 2: 1.0})).samples == (3.0, 1.0)


@pytest.mark.parametrize(
    ("make", "remedy"),
    [
        (lambda: FiniteLaw.uniform(5), "range(n)"),
        (lambda: FiniteLaw.sure([1, 2]), "tuple"),
        (lambda: EmpiricalLaw([1, 2, 3]).interval(2, 0.95), "lambda x: x == 2"),
        (lambda: FiniteSpace([0, 1], lambda x, y: abs(x - y)), "from_function"),
        (lambda: FiniteSpace([0, 1], 3), "list"),
        (lambda: FiniteSpace([[0], [1]], [[0, 1], [1, 0]]), "tuple"),
        (lambda: FiniteSpace.from_function([0, 1], [[0, 1], [1, 0]]), "FiniteSpace(points"),
        (lambda: mixture([GaussianLaw(0, 1), 3], [0.5, 0.5]), "give laws"),
        (lambda: mixture([GaussianLaw(0, 1), EmpiricalLaw([1])], [0.5, 0.5]), "give laws"),
        (lambda: EnclosedLaw([0.5, 0.5]), "FiniteLaw("),
        (lambda: EnclosedLaw({"a": 1}), "FiniteLaw("),
        (lambda: mixture([GaussianLaw(0, 1)], 1), "list"),
        (lambda: mixture(GaussianLaw(0, 1), [1]), "list"),
        (lambda: compare_topologies([FiniteLaw.sure(0)], FiniteLaw.sure(0)), "laws[n - 1]"),
        (lambda: converges([FiniteLaw.sure(0)], FiniteLaw.sure(0), "TV"), "laws[n - 1]"),
    ],
)
def test_first_mistakes_have_a_remedy(make: Any, remedy: str) -> None:
    with pytest.raises(ParameterError) as caught:
        make()
    assert remedy in caught.value.remedy
