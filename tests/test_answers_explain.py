"""`metricdp explain FILE:LINE`: every number is followed to the lines that made it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from metricdp.answers.explain import explained, explanation_lines
from metricdp.answers.programs import programs
from metricdp.apps.cli import main
from metricdp.diagnostics.code import Code

SOURCE = """\
import metricdp as dp
from metricdp import L1, Real, Records, Vector


def doubled(value):
    return 2 * value


@dp.transformation
def looped(x: Real, y: Real):
    total = 0
    for i in range(10):
        total = total + doubled(x)
    return total + y


@dp.transformation
def rows(v: Vector[Real, L1]):
    total = 0
    for value in v:
        total = total + 3 * value
    return total


@dp.measurement
def bad(v: Records[float], eps: float):
    s = dp.sum(v)
    t = 3 * s
    return dp.laplace(t, epsilon=eps)


@dp.measurement
def good(v: Records[float], eps: float):
    kept = dp.clamp(v, 0, 20)
    s = dp.sum(kept) + 2 * dp.count(kept)
    return dp.laplace(s, epsilon=eps)


@dp.transformation
def product(x: Real):
    y = x * x
    return 2 * y
"""


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> str:
    file = tmp_path_factory.mktemp("explain") / "pay.py"
    file.write_text(SOURCE, encoding="utf-8")
    return str(file)


def lines_at(path: str, text: str) -> list[str]:
    line = SOURCE.splitlines().index(text) + 1
    found = explained(programs([path]).outcomes, path, line)
    assert found
    return [entry.strip() for entry in explanation_lines(found, path, line)]


def test_a_factor_of_a_helper_and_of_a_loop(path: str) -> None:
    found = lines_at(path, "    return total + y")
    assert "x: 2 from line 6 (mul), times 10 by the loop of line 12" in found
    assert "y: 1 from line 14 (add)" in found


def test_a_helper_is_explained_for_its_callers(path: str) -> None:
    found = lines_at(path, "    return 2 * value")
    assert found[0].endswith("proved looped")
    assert found[1:] == ["mul   Real", "x: 2 from line 6 (mul)"]


def test_the_state_of_a_round(path: str) -> None:
    found = lines_at(path, "        total = total + doubled(x)")
    assert "total at the start of the round: 1 from line 13 (add)" in found


def test_rows(path: str) -> None:
    found = lines_at(path, "    for value in v:")
    assert found[1:] == [
        "loop_rows   Real",
        "v: 3 from line 21 (mul), by the loop of line 20 over the rows of v",
        "row by row: a function of numbers that are kept exact",
    ]


def test_sums_name_their_parts(path: str) -> None:
    found = lines_at(path, "    s = dp.sum(kept) + 2 * dp.count(kept)")
    at = found.index("s = add   Real")
    assert found[at + 1 : at + 4] == [
        "v: 22 at line 35 (add), from 20 and 2:",
        "1 from line 34 (clamp), times 20 by line 35 (sum)",
        "1 from line 34 (clamp), times 2 by line 35 (mul)",
    ]
    assert (
        "released with scale 22/eps" in lines_at(path, "    return dp.laplace(s, epsilon=eps)")[1]
    )


@pytest.mark.parametrize("text", ["    t = 3 * s", "    s = dp.sum(v)"])
def test_infinite_bounds_lead_to_the_first_infinite_step(path: str, text: str) -> None:
    found = lines_at(path, text)
    assert any(f.startswith("v: any amount from line 27 (sum): one person can") for f in found)
    assert "help: dp.sum(dp.clamp(v, lower, upper))" in found
    assert found[0].endswith("rejected bad")


def test_infinite_products_of_proved_functions(path: str) -> None:
    found = lines_at(path, "    return 2 * y")
    assert any(f.startswith("x: any amount from line 41 (mul): a small step") for f in found)


def test_lines_without_steps(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        "lines with steps: 34, 35, 36"
        in lines_at(path, "def good(v: Records[float], eps: float):")[1]
    )
    assert main(["explain", f"{path}:1"]) == 2
    assert "in no checked function" in capsys.readouterr().err
    assert main(["explain", f"{path}:34"]) == 0
    assert "v: 1 from line 34 (clamp)" in capsys.readouterr().out
    assert main(["explain", "nowhere.py:3"]) == 2


def test_a_file_that_is_no_python(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.py").write_text("def (", encoding="utf-8")
    assert main(["explain", f"{tmp_path / 'a.py'}:1"]) == 2
    assert "this is no Python" in capsys.readouterr().err


def _json(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, dict[str, Any]]:
    code = main(["explain", *arguments, "--output-format", "json"])
    return code, json.loads(capsys.readouterr().out)


def test_json_of_a_line(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, found = _json(capsys, f"{path}:14")
    assert (code, found["schema"], found["line"]) == (0, 1, 14)
    (function,) = found["functions"]
    assert (function["function"], function["verdict"]) == ("looped", "proved")
    (step,) = function["steps"]
    assert (step["rule"], step["text"], step["released"]) == ("add", "Real", False)
    assert [(s["source"], s["bound"]) for s in step["sources"]] == [("x", "20"), ("y", "1")]
    text = "2 from line 6 (mul), times 10 by the loop of line 12"
    assert step["sources"][0]["path"] == [{"depth": 0, "text": text}]
    assert step["span"][0] == 14


def test_json_of_a_rejected_line(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, found = _json(capsys, f"{path}:27")
    assert code == 0
    (function,) = found["functions"]
    assert function["verdict"] == "rejected"
    assert function["diagnostics"][0]["code"] == "unbounded-sum"
    (source,) = function["steps"][0]["sources"]
    assert source["bound"] == "any amount"
    assert source["help"] == "dp.sum(dp.clamp(v, lower, upper))"


def test_json_of_a_code(capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("unbounded-sum", "DP101"):
        code, found = _json(capsys, name)
        assert code == 0
        assert (found["code"]["name"], found["code"]["id"]) == ("unbounded-sum", "DP101")
        assert set(found["code"]) == {f.name for f in msgspec.structs.fields(Code)}


def test_json_on_every_exit_path(
    path: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.py").write_text("def (", encoding="utf-8")
    wrong = ["no-such-code", "nowhere.py:3", f"{path}:1", f"{tmp_path / 'a.py'}:1"]
    for what in wrong:
        code, found = _json(capsys, what)
        assert code == 2, what
        assert [d["code"] for d in found["diagnostics"]] == ["wrong-usage"]


def test_a_rejected_function_is_explained_to_its_end(tmp_path: Path) -> None:
    source = (
        "import metricdp as dp\n\n\n@dp.measurement\n"
        "def f(v: dp.Records[float], k: int):\n"
        "    total = 0\n"
        "    for i in range(k):\n"
        "        noisy = dp.laplace(dp.sum(v), scale=1)\n"
        "        total = total + noisy\n"
        "    kept = dp.clamp(v, 0, 3)\n"
        "    return dp.laplace(2 * dp.sum(kept), scale=1)\n"
    )
    file = tmp_path / "ended.py"
    file.write_text(source, encoding="utf-8")
    outcomes = programs([str(file)]).outcomes

    def at(line: int) -> list[str]:
        lines = explanation_lines(explained(outcomes, str(file), line), str(file), line)
        return [text.strip() for text in lines]

    assert "v: 1 from line 10 (clamp), times 3 by line 11 (sum), times 2 by line 11 (mul)" in at(11)
    assert sum(text.startswith("sum ") for text in at(8)) == 1
    assert any(text.startswith("error[unbounded-sum]") for text in at(8))
