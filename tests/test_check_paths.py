"""A bound that surprises is followed from line to line below it, in any report."""

from __future__ import annotations

import pytest

from metricdp.check import check_source
from metricdp.diagnostics.result import CheckOptions, to_json
from metricdp.report import render_text

HEAD = "import metricdp as dp\nfrom metricdp import L1, Matrix, Real, Records, Vector\n\n\n"
HELPER = "def doubled(v):\n    return 2 * v\n\n\n"

#: Body of `f(PARAMETERS)` from line 10 on -> sentences below the bound of its first parameter.
PROGRAMS = {
    "a loop and a helper": (
        "x: Real",
        "    t = 0\n    for i in range(10):\n        t = t + doubled(x)\n    return t\n",
        ["2 from line 6 (mul), times 10 by the loop of line 12"],
    ),
    "nested loops over a matrix": (
        "m: Matrix[Real, L1]",
        "    t = 0\n    for i in range(3):\n        for j in range(4):\n"
        "            t = t + dp.sum(dp.map_rows(lambda r: dp.sum(r), m))\n    return t\n",
        ["1 from line 14 (map_rows), times 4 by the loop of line 13, "
         "times 3 by the loop of line 12"],
    ),
    "a loop with a symbolic count": (
        "x: Real, k: int",
        "    t = x\n    for i in range(k):\n        t = t + x\n    return t\n",
        ["1 from line 13 (add), times Max(0, k) + 1 by the loop of line 12"],
    ),
    "public branches": (
        "x: Real, n: int",
        "    if n > 3:\n        y = 5 * x\n    else:\n        y = 7 * x\n    return y\n",
        ["7 at line 11 (branch), from 5 and 7:", "   5 from line 12 (mul)",
         "   7 from line 14 (mul)"],
    ),
    "a private condition": (
        "x: Real",
        "    y = 1 if x > 0 else 2\n    return 3 * y\n",
        ["any amount from line 11 (gt): an arbitrarily small step of x can turn this comparison "
         "around"],
    ),
    "an unbounded sum of a map": (
        "v: Records[float]",
        "    a = [abs(r) for r in v]\n    return dp.sum(a) / 10\n",
        ["any amount from line 12 (sum): one person can move this sum by any amount"],
    ),
    "a product": (
        "x: Real, y: Real",
        "    return 2 * (x * y)\n",
        ["any amount from line 11 (mul): a small step of x is multiplied by y, which may be as "
         "large as one likes"],
    ),
    "infinite, then cut off": (
        "x: Real",
        "    y = 1 / x\n    return dp.clamp(y, 0, 50)\n",
        ["any amount from line 11 (div): x is private and may be near zero, where the quotient "
         "jumps, made 50 by line 12 (clamp)"],
    ),
    "rows": (
        "v: Records[float]",
        "    t = 0\n    for r in v:\n        t = t + dp.clamp(r, -2, 5)\n    return t\n",
        ["7 from line 13 (clamp), made 5 by the loop of line 12 over the rows of v"],
    ),
    "two uses in a tuple": (
        "x: Real",
        "    a = doubled(doubled(x))\n    return (x, a + 3 * x)\n",
        ["[1]: 7 at line 12 (add), from 4 and 3:",
         "   2 from line 6 (mul), times 2 by line 6 (mul)", "   3 from line 12 (mul)"],
    ),
    "what the table shows already": (
        "v: Vector[Real, L1]", "    return dp.sum([3 * r for r in v])\n", []
    ),
}  # fmt: skip


def _program(parameters: str, body: str) -> str:
    return f"{HEAD}{HELPER}@dp.transformation\ndef f({parameters}):\n{body}"


@pytest.mark.parametrize("name", PROGRAMS)
def test_paths(name: str) -> None:
    parameters, body, expected = PROGRAMS[name]
    report = check_source(_program(parameters, body))
    (function,) = report.functions
    assert function.verdict == "proved"
    assert list(function.inputs[0].path) == expected
    # Broken lines join with one space in the report.
    text = " ".join(render_text(report).split())
    for line in expected:
        assert " ".join(line.split()) in text
    found = to_json(report)["functions"][0]["inputs"][0]
    assert found.get("path", []) == expected


def test_numbers_of_a_stability() -> None:
    parameters, body, _ = PROGRAMS["a loop with a symbolic count"]
    report = check_source(_program(parameters, body), options=CheckOptions(set={"k": "4"}))
    assert "in numbers: 5\n" in render_text(report)
    plain = check_source(_program("x: Real, k: int", "    return 2 * x\n"),
                         options=CheckOptions(set={"k": "4"}))  # fmt: skip
    assert "in numbers" not in render_text(plain)


def test_lines_of_other_files_are_told_with_their_names(
    tmp_path: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pathlib import Path

    from metricdp.check import check_paths

    folder = Path(str(tmp_path))
    (folder / "helpers.py").write_text("def three(v):\n    return 3 * v\n", encoding="utf-8")
    (folder / "main.py").write_text(
        "import metricdp as dp\nfrom helpers import three\n\n\n@dp.transformation\n"
        "def f(x: dp.Real):\n    return three(x) + x\n", encoding="utf-8",
    )  # fmt: skip
    monkeypatch.chdir(folder)
    (function,) = check_paths(["main.py"]).functions
    expected = "3 from helpers.py:2 (mul), made 4 by line 7 (add)"
    assert function.inputs[0].path == (expected,)


def test_long_and_wide_derivations_are_cut() -> None:
    """A chain of 3,000 lines, and 60 additions whose tree of uses has 2**60 leaves."""
    chain = "    y = x\n    for i in range(2):\n        y = y + x\n"
    chain += "".join("    y = 1.5 * y\n" for _ in range(3000)) + "    return y\n"
    wide = "    a, b = x, dp.abs(x)\n" + "    a, b = a + dp.abs(b), a\n" * 60 + "    return a\n"
    for body in (chain, wide):
        (function,) = check_source(_program("x: Real", body)).functions
        path = function.inputs[0].path
        assert 1 <= len(path) <= 20
        assert all(len(line) < 500 + 6 * len(function.inputs[0].stability or "") for line in path)
