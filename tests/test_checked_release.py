"""What a run gives: releases that survive failures, guarantees, concrete maps, handlers."""

from __future__ import annotations

import copy
import json
import pickle
from fractions import Fraction
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from checked_modules import load

import metricdp as dp
from metricdp.errors import (
    NotProvedError,
    ParameterError,
    PostProcessingError,
    ReplayError,
    SpaceError,
)

PROGRAMS = """
@dp.measurement
def mean(x: dp.Records[float], eps: float = 1.0):
    kept = dp.clamp(x, 0, 20)
    total = dp.laplace(dp.sum(kept), epsilon=eps / 2)
    count = dp.discrete_laplace(dp.count(kept), epsilon=eps / 2)
    return total / max(count, 1), total, count


@dp.measurement
def ratio(x: dp.Records[float], eps: float):
    count = dp.discrete_laplace(dp.count(x), epsilon=eps)
    again = dp.discrete_laplace(dp.count(x), epsilon=eps)
    return again / count


@dp.measurement
def texts(x: dp.Records[float], eps: float):
    count = dp.laplace(dp.count(x), epsilon=eps)
    return int("many"), count


@dp.measurement
def both(x: dp.Records[float], y: dp.Records[float], eps: float):
    return dp.laplace(dp.sum(dp.clamp(x, 0, 2)) + dp.sum(dp.clamp(y, 0, 10)), epsilon=eps)


@dp.measurement(epsilon="3*eps")
def claimed(x: dp.Records[float], eps: float):
    return dp.laplace(dp.count(x), epsilon=eps)


@dp.transformation
def cut(x: dp.Records[float], limit: float):
    return dp.clamp(x, 0, limit)


@dp.transformation
def total(x: dp.Records[float]):
    return dp.sum(dp.clamp(x, 0, 20))


@dp.measurement
def noisy(v: dp.Real, eps: float):
    return dp.laplace(v, scale=20 / eps)


@dp.measurement
def column_sums(m: dp.Matrix[Data, LInf], rho: float):
    return dp.gaussian(dp.sum_rows(dp.map_rows(lambda r: dp.undisc(dp.clip(r, L2)), m)), rho=rho)


@dp.transformation
def rejected(x: dp.Vector[Real, L1]):
    return x.nothing


@dp.measurement
def unbounded(x: dp.Records[float], eps: float):
    return dp.laplace(dp.sum(x), epsilon=eps)


@dp.measurement
def strict(x: dp.Records[float], strict: float, self: float):
    return dp.laplace(dp.count(x), epsilon=strict), self
"""


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    return load(tmp_path_factory.mktemp("release"), PROGRAMS)


# -- nothing is lost -------------------------------------------------------------------------


def test_a_noisy_count_of_zero_as_divisor(programs: Any) -> None:
    """The releases that were paid for ride on the error."""
    for seed in range(400):
        with dp.handling(dp.Seeded(seed)):
            try:
                programs.ratio([], eps=0.9)
            except PostProcessingError as error:
                assert "ZeroDivisionError after 2 releases" in error.fact
                assert "max(count, 1)" in error.remedy
                assert isinstance(error, ArithmeticError)
                count, again = error.releases
                assert count.value == 0 and isinstance(again.value, int)
                assert count.mechanism == "discrete_laplace" and count.scale == Fraction(10, 9)
                return
    raise AssertionError("no count of 0 in 400 runs: probability below 1e-100")


def test_any_failure_after_a_release_keeps_it(programs: Any) -> None:
    with pytest.raises(PostProcessingError, match="ValueError after 1 release") as caught:
        programs.texts([1.0], eps=1.0)
    (drawn,) = caught.value.releases
    assert isinstance(drawn.value, float)


def test_an_interrupt_keeps_what_was_released(programs: Any) -> None:
    class Interrupting:
        test_only = True

        def __init__(self) -> None:
            self.inner, self.left = dp.Seeded(1), 1

        def handle(self, draw: Any, value: Any) -> Any:
            if not self.left:
                raise KeyboardInterrupt("stopped at 123454321")
            self.left -= 1
            return self.inner.handle(draw, value)

    with pytest.raises(KeyboardInterrupt) as caught, dp.handling(Interrupting()):
        programs.mean([123454321.0], eps=1.0)
    (drawn,) = caught.value.releases  # type: ignore[attr-defined]
    assert isinstance(drawn.value, float)
    assert "1 release had been made" in caught.value.__notes__[0]
    assert "123454321" not in str(caught.value)
    assert caught.value.__context__ is None


def test_a_handler_that_fails_keeps_what_was_released(programs: Any) -> None:
    recorder = dp.Recording(dp.Seeded(4))
    with dp.handling(recorder):
        programs.mean([1.0])
    short = dp.handling(dp.Replay(recorder.log[:1]))
    with pytest.raises(PostProcessingError, match="ReplayError after 1") as caught, short:
        programs.mean([1.0])
    assert len(caught.value.releases) == 1
    with pytest.raises(ReplayError), dp.handling(dp.Replay([])):
        programs.mean([1.0])


# -- handlers --------------------------------------------------------------------------------


def test_seeded_runs_repeat_and_are_marked(programs: Any) -> None:
    found = []
    for seed in (1, 1, 2):
        with dp.handling(dp.Seeded(seed)):
            found.append(programs.mean([1.0, 2.0]))
    assert found[0].value == found[1].value != found[2].value
    assert all(r.test_only and "test only" in repr(r) for r in found)
    assert "test only" in found[0]._repr_html_()
    real = programs.mean([1.0, 2.0])
    assert not real.test_only and "test only" not in repr(real)


def test_record_and_replay(programs: Any) -> None:
    recorder = dp.Recording(dp.Seeded(4))
    with dp.handling(recorder):
        first = programs.mean([1.0, 30.0])
    assert [entry.value for entry in recorder.log] == [21, 2]
    assert [entry.draw.mechanism for entry in recorder.log] == ["laplace", "discrete_laplace"]
    replay = dp.Replay(recorder.log)
    with dp.handling(replay):
        second = programs.mean([5.0])
    assert replay.finished and second.value == first.value and second.test_only
    assert [entry.value for entry in replay.seen] == [5, 1]


# -- a release -------------------------------------------------------------------------------


def test_a_release_says_what_it_is(programs: Any) -> None:
    release = programs.mean([1.0, 2.0], eps=0.5)
    assert release.privacy == {"epsilon": "0.5", "delta": "0"} and release.cost == "ε = 0.5"
    assert release.function == "mean" and "added or removed" in release.unit
    assert release.parameters == {"eps": ("0.5", "caller")}
    assert "eps > 0" in release.requires and release.rests_on
    assert release.fingerprint == programs.mean.guarantee.data.fingerprint
    assert [draw.scale for draw in release.draws] == [80, 4]
    ratio, total, count = release.interval(0.9)
    assert ratio[0] < release.value[0] < ratio[1] and total[0] < release.value[1] < total[1]
    assert count[0] < release.value[2] < count[1]
    assert type(release.value[2]) is int
    text = repr(release)
    assert text.startswith("Release of 3   cost ε = 0.5") and "±" in text
    html = release._repr_html_()
    assert "cost ε = 0.5" in html and "±" in html


def test_defaults_are_decimals_and_named_as_such(programs: Any) -> None:
    release = programs.mean([1.0])
    assert release.privacy["epsilon"] == "1"
    assert release.parameters == {"eps": ("1.0", "default")}


@pytest.mark.parametrize(
    "clone", [copy.copy, copy.deepcopy, lambda r: pickle.loads(pickle.dumps(r))]
)
def test_a_release_can_be_kept(programs: Any, clone: Any) -> None:
    scalar, rows = programs.mean([1.0]), programs.column_sums([[1.0, 2.0]], rho=0.5)
    for release in (scalar, rows):
        copied = clone(release)
        assert repr(copied) == repr(release)
        assert np.array_equal(np.asarray(copied.value), np.asarray(release.value))
        assert [d.site for d in copied.draws] == [d.site for d in release.draws]


def test_a_release_as_json(programs: Any) -> None:
    for release in (programs.mean([1.0]), programs.column_sums([[1.0, 2.0]], rho=0.5)):
        found = json.loads(json.dumps(release.as_dict()))
        assert found["function"] == release.function and found["privacy"] == dict(release.privacy)
        assert found["value"] == np.asarray(release.value).tolist()
        assert found["draws"][0]["mechanism"] in ("laplace", "gaussian")
        assert found["test_only"] is False


def test_a_share_of_a_budget_is_the_decimal_that_was_typed(tmp_path: Path) -> None:
    module: Any = load(
        tmp_path,
        """
        @dp.measurement
        def shares(x: dp.Records[float], eps: float):
            few = dp.laplace(dp.count(x), epsilon=eps * 0.1)
            return few, dp.laplace(dp.count(x), epsilon=0.9 * eps)
        """,
    )
    release = module.shares([1.0], eps=0.3)
    assert release.privacy["epsilon"] == "0.3"
    assert [draw.scale for draw in release.draws] == [Fraction(100, 3), Fraction(100, 27)]


def test_several_private_inputs(programs: Any) -> None:
    release = programs.both([1.0], [2.0], eps=1.0)
    assert release.privacy["epsilon"] == "1"
    assert release.unit.count(";") == 1
    guarantee = programs.both.guarantee.data
    env = {"eps": Fraction(1)}
    assert guarantee.cost("x")["epsilon"].upper(env) == Fraction(1, 5)
    assert guarantee.cost("y")["epsilon"].upper(env) == 1
    with pytest.raises(ParameterError, match="2 private inputs"):
        programs.both.at(eps=1.0)


def test_names_of_parameters_that_a_call_uses_itself(programs: Any) -> None:
    release = programs.strict([1.0], strict=0.5, self=7.0)
    assert release.privacy["epsilon"] == "0.5" and release.value[1] == 7


# -- guarantees ------------------------------------------------------------------------------


def test_a_guarantee_is_printed(programs: Any) -> None:
    text = str(programs.mean.guarantee)
    assert "proved" in text and "eps" in text and "timing is outside the guarantee" in text
    assert str(programs.mean.guarantee) == repr(programs.mean.guarantee)
    html = programs.mean.guarantee._repr_html_()
    assert "<table" in html and "eps" in html
    assert str(programs.total.guarantee)


def test_functions_that_are_not_proved_do_not_run(programs: Any) -> None:
    for name, word in (("rejected", "rejected"), ("unbounded", "rejected")):
        function = getattr(programs, name)
        for use in (
            lambda f: f([1.0], eps=1.0),
            lambda f: f.guarantee,
            lambda f: f.at(eps=1.0),
            lambda f: f.map(1),
        ):
            with pytest.raises(NotProvedError, match=word) as caught:
                use(function)
            assert caught.value.diagnostics
            assert "error[" in str(caught.value) and "^" in str(caught.value)


def test_rules_outside_of_a_checked_function() -> None:
    assert dp.clamp([30.0], 0, 20) == [20]
    with pytest.raises(NotProvedError, match="outside a checked function"):
        dp.laplace(3.0, scale=1.0)


# -- concrete maps ---------------------------------------------------------------------------


def test_concrete_measurements(programs: Any) -> None:
    at = programs.mean.at(eps=0.1)
    assert at.map(1) == Fraction(1, 10) and at.map(3) == Fraction(3, 10)
    # Budgets are the decimals that were typed: 0.3 is 3/10, not the double below it.
    assert at.check(3, 0.3) and not at.check(3, 0.29999999)
    assert programs.mean.map(3, eps=0.1) == Fraction(3, 10)
    assert programs.mean.check(3, 0.3, eps=0.1) and not programs.mean.check(4, 0.3, eps=0.1)
    assert programs.mean.at().map(1) == 1
    assert at.map(0.5, "pure") == Fraction(1, 20)
    release = at([1.0, 2.0])
    assert release.privacy["epsilon"] == "0.1"
    assert "proved" in repr(at) and "<table" in at._repr_html_()
    for wrong in ({"eps": 0.0}, {"epsilon": 1.0}, {"eps": None}):
        with pytest.raises(ParameterError):
            programs.noisy.at(**wrong)


def test_chains_of_checked_functions(programs: Any) -> None:
    """Spaces and maps compose: clamp, sum, noise from two checked functions and one by hand."""
    chain = programs.total.at() >> programs.noisy.at(eps=0.5)
    assert chain.map(1) == Fraction(1, 2) and chain.map(2) == 1 and chain.trust == "proved"
    assert chain([1.0, 30.0]).privacy["epsilon"]
    with dp.handling(dp.Seeded(1)):
        near = (programs.total.at() >> programs.noisy.at(eps=1e6))([1.0, 30.0])
    assert float(near) == pytest.approx(21, abs=0.01)
    longer = (
        programs.cut.at(limit=7.0) >> programs.total.at() >> programs.noisy.at(eps=0.5) >> float
    )
    assert longer.map(1) == Fraction(1, 2)
    assert isinstance(longer([1.0]), float)
    with pytest.raises(SpaceError):
        programs.total.at() >> programs.total.at()


BOXES = """
from typing import Annotated

@dp.black_box(returns=Annotated[dp.Vector[Data, LInf], dp.Size(2)])
def embed(row):
    return [float(sum(row)), 2.0]


@dp.black_box(returns=Annotated[dp.Vector[Data, LInf], dp.Size(2)])
def failing(row):
    if row[0] > 5:
        raise ValueError(f"secret {row[0]}")
    if row[0] > 4:
        return [1.0]
    if row[0] > 3:
        return None
    return [float("nan"), 9.0]


@dp.transformation
def step(rows: dp.Matrix[Data, LInf]):
    total = 0.0
    for row in rows:
        total += dp.undisc(dp.clip(embed(row), L1, radius=20))
    return total


@dp.transformation
def shaky(rows: dp.Matrix[Data, LInf]):
    total = 0.0
    for row in rows:
        total += dp.undisc(dp.clip(failing(row), L1, radius=20))
    return total
"""


def test_black_boxes_run_and_never_tell_why_they_failed(tmp_path: Path) -> None:
    module: Any = load(tmp_path, BOXES)
    assert list(module.step([[1.0, 2.0], [3.0, 4.0]])) == [10, 4]
    assert module.embed([1.0]) == [1.0, 2.0]
    assert list(module.shaky([[1.0], [6.0], [4.5], [3.5]])) == [0, 9]
    # Pinned when checked: another function under the name changes nothing.
    module.embed = lambda row: [0.0, 0.0]
    assert list(module.step([[1.0, 2.0], [3.0, 4.0]])) == [10, 4]
    assert list(module.shaky([[6.0]])) == [0, 0]


@pytest.mark.parametrize(
    ("space", "told"),
    [
        ("dp.Records[float]", ("NaN counts as 0",)),
        ("dp.Records[tuple[int, float]]", ("NaN counts as 0",)),
        ("dp.Vector[dp.Real, dp.L1]", ("NaN counts as 0",)),
        ("dp.Records[float | None]", ()),
        ("Annotated[dp.Records[float], dp.NoNaN(drop=True)]", ()),
        ("dp.Records[int]", ()),
        ("dp.Records[tuple[int, str]]", ()),
    ],
)
def test_a_release_says_that_nan_counts_as_0_where_it_does(
    tmp_path: Path, space: str, told: tuple[str, ...]
) -> None:
    data = {"tuple[int, float]": [(1, 2.0)], "tuple[int, str]": [(1, "a")]}.get(
        space[11:-1], [1, 2]
    )
    body = "dp.laplace(dp.count(x), epsilon=1)"
    if "Vector" in space:
        body = "dp.laplace(dp.sum(dp.clamp(x, 0, 1)), epsilon=1)"
    head = "from typing import Annotated\n\nimport metricdp as dp\n\n\n@dp.measurement\n"
    found = load(tmp_path, f"def f(x: {space}):\n    return {body}", head=head).f(data)
    assert found.answers == told
    assert ("NaN counts as 0" in repr(found)) == bool(told)


def test_a_release_says_which_rows_it_is_about(tmp_path: Path) -> None:
    head = "import metricdp as dp\n\n\n@dp.measurement\n"
    lines = 'def f(x: dp.Records[tuple[int, int], dp.Ids("0")], most: int):\n'
    lines += '    return dp.laplace(dp.count(dp.limit_rows(x, "0", most)), epsilon=1)'
    f = load(tmp_path, lines, head=head).f
    assert "about at most 3 rows of each 0" in repr(f([(1, 2), (1, 3)], most=3))
    assert f([(1, 2)], most=1).answers == ("about at most 1 row of each 0",)
    assert "answers are about at most most rows of each 0" in f.guarantee.data.rests_on
