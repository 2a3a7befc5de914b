"""`audit_target`: files with hand-made transformations, one or all, and what cannot be audited."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from metricdp.apps.cli import main
from metricdp.audit import Refuted, Survived, audit_target
from metricdp.errors import SourceError

RULES = """
from beside import LIMIT
from metricdp.expr import num
from metricdp.maps import Transformation
from metricdp.spaces import Records, Scalar

pay = Records(Scalar("Data", num(-300), num(LIMIT), "float"))
my_sum = Transformation(pay, Scalar("Real"), sum, "200*d_in", "my_sum")
my_count = Transformation(pay, Scalar("Int"), len, "d_in", "my_count")
number = 3
"""


@pytest.fixture
def rules(tmp_path: Path) -> str:
    (tmp_path / "beside.py").write_text("LIMIT = 200\n")
    (tmp_path / "rules.py").write_text(RULES)
    yield str(tmp_path / "rules.py")  # type: ignore[misc]
    sys.modules.pop("beside", None)


def test_all_transformations_of_a_file(rules: str) -> None:
    report = audit_target(rules, seed=0, pairs=800, seconds=10)
    first, second = report.results
    assert report.refuted
    assert isinstance(first, Refuted) and first.name == "my_sum"
    assert isinstance(second, Survived) and second.pairs == 800
    assert f"replay: metricdp audit {rules}::my_sum --seed 0" in str(report)
    assert "`my_count` within d_in on 800 pairs" in str(report)


def test_one_transformation(rules: str) -> None:
    (only,) = audit_target(f"{rules}::my_count", seed=5, pairs=100).results
    assert isinstance(only, Survived) and only.seed == 5


def test_replay_finds_the_same_pair(rules: str) -> None:
    first = audit_target(f"{rules}::my_sum", seed=4, pairs=800)
    assert first == audit_target(f"{rules}::my_sum", seed=4, pairs=800)


def test_the_command_prints_the_pair(rules: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", f"{rules}::my_sum"]) == 1
    assert "counterexample" in capsys.readouterr().out
    assert main(["audit", f"{rules}::my_count", "--pairs", "50"]) == 0


PROGRAM = """
import metricdp as dp
from metricdp import L1, Real

@dp.transformation(stability="200*d_in")
def wrong(pay: dp.Records[float]):
    return dp.sum(dp.clamp(pay, -300, 200))

@dp.transformation
def scaled(x: dp.Vector[Real, L1], c: float):
    return c * sum(x)

@dp.transformation
def mixed(m: dp.Matrix[Real, L1]):
    return m @ ((1, 2), (3, 4))

@dp.measurement
def noisy(pay: dp.Records[float], eps: float):
    return dp.laplace(dp.sum(dp.clamp(pay, 0, 20)), epsilon=eps)

@dp.transformation
def rejected(pay):
    return pay

raise RuntimeError("decorated functions are read, and the file is not imported")
"""


def test_decorated_functions_are_attacked_from_their_source(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    wrong, positive, negative, mixed = audit_target(str(path), pairs=600).results
    assert isinstance(wrong, Refuted) and "wrong(pay) = " in str(wrong)
    assert wrong.moved is not None and 200 < (wrong.moved.as_fraction() or 0) <= 300
    assert str(wrong.claimed) == "200"
    assert isinstance(positive, Survived) and positive.name == "scaled(c=3/2)"
    assert isinstance(negative, Survived) and negative.name == "scaled(c=-2)"
    assert isinstance(mixed, Survived)
    assert positive.closest == negative.closest == mixed.closest == 1
    with pytest.raises(SourceError, match="is rejected"):
        audit_target(f"{path}::rejected")
    with pytest.raises(SourceError, match="importing the file raises RuntimeError"):
        audit_target(f"{path}::noisy")


@pytest.mark.parametrize("name", ["missing", "number"])
def test_what_is_no_transformation(rules: str, name: str) -> None:
    with pytest.raises(SourceError, match=f"no transformation or measurement called {name}"):
        audit_target(f"{rules}::{name}")


def test_a_file_that_cannot_be_imported(tmp_path: Path) -> None:
    broken = tmp_path / "broken.py"
    broken.write_text("from metricdp.maps import Transformation\n1 / 0\n")
    with pytest.raises(SourceError, match="importing the file raises ZeroDivisionError"):
        audit_target(str(broken))
    with pytest.raises(SourceError, match="no such file"):
        audit_target(str(tmp_path / "nowhere.py"))
    (tmp_path / "empty.py").write_text("")
    with pytest.raises(SourceError, match="no transformation or measurement in the file"):
        audit_target(str(tmp_path / "empty.py"))
