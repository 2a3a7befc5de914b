"""`metricdp audit` for what claims privacy: programs, objects, plain functions, gallery."""

from __future__ import annotations

from pathlib import Path

import pytest

from metricdp.apps.cli import main

PROGRAM = """
import random
import numpy as np
import metricdp as dp
from metricdp.maps.distances import space_of

@dp.measurement
def total(visits: dp.Records[float], eps: float):
    return dp.laplace(dp.sum(dp.clamp(visits, 0, 20)), epsilon=eps)

def naive(rows: dp.Records[float]):
    return len(rows) + np.random.laplace()

def answer(truth):
    return truth if random.random() < 0.8 else not truth

answer.pairs = [(True, False)]

def unknown(x):
    return x

wrong = dp.Measurement(
    space_of(dp.Records[float], "x"), lambda rows: len(rows) + np.random.laplace(),
    {"pure": "d_in/2"}, "wrong",
)
"""


@pytest.fixture
def program(tmp_path: Path) -> str:
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    return str(path)


@pytest.mark.parametrize(
    ("name", "options", "code", "text"),
    [
        ("total", ["--set", "eps=0.5"], 0, "survived: `total` within epsilon"),
        ("wrong", [], 1, "moved 1"),
        ("naive", ["--epsilon", "1", "--samples", "8000"], 1, "lowest bit"),
        ("answer", ["--epsilon", "1", "--samples", "8000"], 1, "epsilon is at least 1.38629"),
        ("answer", ["--epsilon", "3/2", "--samples", "8000"], 0, "survived: `answer`"),
        ("answer", ["--epsilon", "1", "--delta", "0.3", "--samples", "8000"], 0, "delta 3/10"),
    ],
)
def test_verdicts(
    name: str, options: list[str], code: int, text: str, program: str,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    assert main(["audit", f"{program}::{name}", "--seconds", "3", *options]) == code
    assert text in capsys.readouterr().out


def test_the_command_is_printed_to_be_repeated(
    program: str, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--epsilon", "1", "--samples", "4000", "--confidence", "0.999"]
    assert main(["audit", f"{program}::answer", *options]) == 1
    first = capsys.readouterr().out
    command = first.partition("repeat: metricdp ")[2].split()
    assert command[:1] == ["audit"]
    assert main(command) == 1
    assert capsys.readouterr().out == first


@pytest.mark.parametrize(
    ("name", "options", "text"),
    [
        ("::naive", [], "claims nothing"),
        ("::unknown", ["--epsilon", "1"], "annotate its first argument"),
        ("::wrong", ["--epsilon", "1"], "a claim of its own"),
        ("::total", ["--set", "eps=-1"], "eps"),
        ("::nobody", [], "no transformation or measurement called nobody"),
        ("::answer", ["--delta", "0.1"], "--delta belongs to --epsilon"),
        ("::answer", ["--epsilon", "-1"], "no number"),
        ("::answer", ["--epsilon", "1", "--confidence", "2"], "not between 0 and 1"),
    ],
)
def test_wrong_usage(
    name: str, options: list[str], text: str, program: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["audit", f"{program}{name}", *options]) == 2
    assert text in capsys.readouterr().err


def test_all_measurements_of_a_file(program: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", program, "--seconds", "3"]) == 1
    printed = capsys.readouterr().out
    assert "survived: `total`" in printed
    assert "`wrong` claims" in printed
    assert "naive" not in printed


def test_the_gallery(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", "--gallery", "permute_and_flip_as_bounded_range"]) == 0
    assert "bounded range" in capsys.readouterr().out
    assert main(["audit"]) == 2
