"""What a program would answer, on data that are made up."""

from __future__ import annotations

from math import log

import pytest

import metricdp as dp
from metricdp import pictures
from metricdp.errors import ParameterError, SchemaError


@dp.measurement
def counts(rows: dp.Records[str], eps: float):
    return {key: dp.laplace(sum(1 for r in rows if r == key), epsilon=eps) for key in "ab"}


@dp.measurement
def share(rows: dp.Records[str], eps: float):
    first = dp.laplace(sum(1 for r in rows if r == "a"), epsilon=eps / 2)
    return first / dp.laplace(dp.count(rows), epsilon=eps / 2), "no number"


@dp.measurement
def found(rows: dp.Records[str]):
    return dp.stable_histogram(rows, scale=1, threshold=8)


@dp.transformation
def number(rows: dp.Records[str]):
    return dp.count(rows)


MADE = ["a"] * 400 + ["b"] * 100


def test_noise_of_one_draw_has_the_ends_of_its_law() -> None:
    """Of 200 runs with fixed seeds; a change of seeds fails once in 1,000 (binomial tails)."""
    seen = counts.preview(MADE, eps=0.5)
    assert [each.name for each in seen.outputs] == ["['a']", "['b']"] and seen.cost == "ε = 0.5"
    for each, true in zip(seen.outputs, (400, 100), strict=True):
        assert abs(each.middle - true) < 1 and each.share == 1
        for end in (each.high - true, true - each.low):
            assert 2 * log(1 / 0.1) < end < 2 * log(1 / 0.002)
    assert repr(seen) == repr(counts.preview(MADE, eps=0.5))


def test_the_error_holds_what_the_program_leaves_out() -> None:
    seen = counts.preview(MADE, eps=0.5).against({"a": 450})
    first, second = seen.outputs
    assert first.truth == 450 and first.error is not None and 50 < first.error < 65
    assert second.truth is None and second.error is None
    assert "true 450" in repr(seen) and "off by up to" in seen._repr_html_()
    with pytest.raises(ParameterError, match="no number of the truth"):
        seen.against([1, 2])


def test_what_is_computed_afterwards_is_tried() -> None:
    seen = share.preview(MADE, eps=1)
    (ratio,) = seen.outputs
    assert ratio.name == "[0]" and abs(ratio.middle - 0.8) < 0.01 and seen.others == ("[1]",)


def test_private_keys_are_there_in_some_runs() -> None:
    """At the threshold a key stays with chance 1 / (1 + 1/e) = 0.731: off by 0.14 in 1e-5."""
    seen = found.preview(["x"] * 8 + ["y"] * 100)
    rare, common = sorted(seen.outputs, key=lambda each: each.share)
    assert abs(rare.share - 0.731) < 0.14 and common.share == 1 and "of the runs)" in repr(seen)


def test_what_cannot_be_tried_is_said() -> None:
    with pytest.raises(ParameterError, match="releases nothing"):
        number.preview(MADE)
    with pytest.raises(ParameterError, match="eps > 0"):
        counts.preview(MADE, eps=-1)
    with pytest.raises(SchemaError):
        counts.preview(iter(MADE), eps=1)


def test_a_preview_is_drawn() -> None:
    pytest.importorskip("matplotlib")
    ax = pictures.preview(counts.preview(MADE, eps=0.5).against({"a": 450, "b": 100}))
    assert len(ax.get_lines()) == 6
    assert [t.get_text() for t in ax.get_yticklabels()] == ["['a']", "['b']"]
    with pytest.raises(ParameterError, match="no numbers"):
        pictures.preview(3)
