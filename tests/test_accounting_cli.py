"""`metricdp account`: answers, both formats, and errors that say what to write."""

from __future__ import annotations

import json
from typing import Any

import pytest

from metricdp.apps.cli import main

SMALL = ["account", "--gaussian", "20", "--rounds", "100"]


def run(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> str:
    assert main(["account", *arguments]) == code
    found = capsys.readouterr()
    return found.out if code != 2 else found.out + found.err


def answer(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    return json.loads(run(capsys, *arguments, "--output-format", "json"))


def test_the_interval_the_neighbours_and_the_cheaper_rules(
    capsys: pytest.CaptureFixture[str],
) -> None:
    text = run(
        capsys, "--gaussian", "1", "--poisson", "0.01", "--rounds", "10000", "--delta", "1e-5"
    )
    assert "poisson(0.01, gaussian(1)) x 10000" in text
    assert "neighbours: one row added or removed" in text
    assert "in [6.18771238" in text and "contour and discretised" in text
    assert "Renyi orders (RDP)" in text and "basic composition" in text and "% more" in text


def test_json_has_the_same_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    found = answer(capsys, *SMALL[1:], "--delta", "1e-5")
    assert found["schema"] == 1 and found["unit"] == "one row added or removed"
    assert found["answer"]["lower"] <= found["answer"]["upper"] < found["rdp"] < found["basic"]
    delta = answer(capsys, *SMALL[1:], "--epsilon", "2")
    assert delta["quantity"] == "delta" and 0 < delta["answer"]["upper"] < 1e-4
    assert "rdp" not in delta


def test_relations_and_several_steps(capsys: pytest.CaptureFixture[str]) -> None:
    one = answer(capsys, *SMALL[1:], "--delta", "1e-5", "--relation", "replace")
    two = answer(capsys, "--step", "gaussian(10) x 99", "--step", "gaussian(10)", "--delta", "1e-5")
    assert one["relation"] == "replace"
    assert one["answer"]["upper"] == pytest.approx(two["answer"]["upper"], abs=1e-8)


def test_solving(capsys: pytest.CaptureFixture[str]) -> None:
    noise = answer(
        capsys, "--gaussian", "noise", "--solve", "noise", "--epsilon", "1", "--delta", "1e-5"
    )
    assert noise["noise"]["too_little"] < noise["noise"]["proved"] == pytest.approx(3.73063, 1e-5)
    rounds = answer(
        capsys, "--gaussian", "20", "--solve", "rounds", "--epsilon", "1", "--delta", "1e-5"
    )
    assert rounds["rounds"]["too_many"] == rounds["rounds"]["proved"] + 1
    text = run(capsys, "--pure", "0.1", "--solve", "rounds", "--epsilon", "1", "--delta", "1e-6")
    assert "rounds within epsilon = 1 at delta = 1e-6" in text and "too many" in text
    text = run(
        capsys, "--laplace", "noise", "--solve", "noise", "--epsilon", "1", "--delta", "1e-6"
    )
    assert "too little" in text


@pytest.mark.parametrize(
    "arguments,said",
    [
        (["--delta", "1e-5"], "give a mechanism"),
        (["--gaussian", "1"], "--delta for epsilon"),
        (["--gaussian", "1", "--delta", "1e-5", "--epsilon", "1"], "--delta for epsilon"),
        (["--gaussian", "1", "--laplace", "1", "--delta", "1e-5"], "give one of"),
        (["--poisson", "0.1", "--delta", "1e-5"], "belong to"),
        (["--gaussian", "-1", "--delta", "1e-5"], "noise_multiplier is -1"),
        (["--gaussian", "nan", "--delta", "1e-5"], "nan"),
        (["--gaussian", "1", "--poisson", "1.5", "--delta", "1e-5"], "rate is 1.5"),
        (["--gaussian", "1", "--rounds", "1.5", "--delta", "1e-5"], "whole number"),
        (["--gaussian", "1", "--rounds", "0x10", "--delta", "1e-5"], "'0x10' is no number"),
        (["--gaussian", "1, 2", "--delta", "1e-5"], "--gaussian '1, 2' is no number"),
        (["--gaussian", "1", "--poisson", "noise", "--delta", "1e-5"], "--poisson 'noise'"),
        (["--gaussian", "1e400", "--delta", "1e-5"], "too large"),
        (["--gaussian", "1", "--rounds", "1e300", "--delta", "1e-5"], "count <= 1e18"),
        (["--gaussian", "1", "--epsilon", "1e300"], "epsilon"),
        (["--gaussian", "1", "--delta", "2"], "between 0 and 1"),
        (["--gaussian", "1", "--gaussian", "2", "--delta", "1e-5"], "given 2 times: 1, 2"),
        (["--pure", "1", "--rounds", "2", "--rounds", "3", "--delta", "1e-5"], "given 2 times"),
        (["--gaussian", "1", "--delta", "1e-5", "--relation", "swap"], "no neighbouring relation"),
        (["--step", "gauss(1)", "--delta", "1e-5"], "no event"),
        (["--step", "randomized-response(1)", "--delta", "1e-5"], "no theorem"),
        (["--gaussian", "1", "--solve", "noise", "--delta", "1e-5"], "both --epsilon and --delta"),
        (
            ["--gaussian", "1", "--solve", "noise", "--delta", "1e-5", "--epsilon", "1"],
            "write the word noise",
        ),
        (["--gaussian", "noise", "--delta", "1e-5"], "noise"),
        (
            [
                "--gaussian", "1", "--rounds", "3", "--solve", "rounds", "--delta", "1e-5",
                "--epsilon", "1",
            ],
            "finds --rounds",
        ),
    ],
)  # fmt: skip
def test_wrong_usage_says_what_to_write(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert said in run(capsys, *arguments, code=2)
    found = run(capsys, *arguments, "--output-format", "json", code=2)
    assert json.loads(found)["diagnostics"][0]["code"] == "wrong-usage"


def test_no_finite_answer_is_an_exit_code_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--step", "truncated-poisson(0.01, 110, 10000, gaussian(1))", "--delta", "1e-5"]
    assert "no answer: the cut" in run(capsys, *arguments, code=1)
    found = json.loads(run(capsys, *arguments, "--output-format", "json", code=1))
    assert found["error"]["kind"] == "no-answer" and found["error"]["help"]
    leak = ["--step", "approximate(1, 1e-4), laplace(1)", "--delta", "1e-5"]
    assert "no answer: no finite epsilon" in run(capsys, *leak, code=1)
    noise = ["--gaussian", "noise", "--solve", "noise", "--epsilon", "0", "--delta", "1e-99"]
    assert "no answer" in run(capsys, *noise, code=1)


def test_delta_0_asks_for_the_pure_epsilon(capsys: pytest.CaptureFixture[str]) -> None:
    found = answer(capsys, "--laplace", "2", "--rounds", "3", "--delta", "0")
    assert found["answer"]["lower"] == found["answer"]["upper"] == 1.5
    assert "= 1.5" in run(capsys, "--laplace", "2", "--rounds", "3", "--delta", "0")
    assert "no answer" in run(capsys, "--gaussian", "2", "--delta", "0", code=1)


def test_an_answer_stands_where_basic_composition_has_none(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Half of delta does not cover what one of two mechanisms leaks; all of it does."""
    steps = ["--step", "approximate(1, 1e-4), laplace(1)", "--delta", "1.5e-4"]
    found = run(capsys, *steps)
    assert "certified" in found and "basic composition" not in found


def test_one_engine_alone_says_so(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from metricdp.apps import account

    assert "answered alone" not in run(capsys, "--gaussian", "2", "--epsilon", "1")
    monkeypatch.setattr(account, "find_spec", lambda name: None)
    assert "metricdp[accounting]" in run(capsys, "--gaussian", "2", "--epsilon", "1")
