"""What a fingerprint covers: two programs with one text and other helpers are two programs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from checked_modules import load

MAIN = """
from helpers import noisy


@dp.measurement
def count(rows: dp.Records[float]):
    return noisy(dp.count(rows))
"""


def counting(folder: Path, scale: float) -> Any:
    folder.mkdir()
    (folder / "noise.py").write_text(f"SCALE = {scale}\n")
    (folder / "helpers.py").write_text(
        "import metricdp as dp\nfrom noise import SCALE\n\n\n"
        "def noisy(x):\n    return dp.laplace(x, scale=SCALE)\n"
    )
    # The text alone: the names of the helper are read from the files beside it.
    return load(folder, MAIN, head="import metricdp as dp\n")


def test_a_helper_in_another_file_is_part_of_the_program(tmp_path: Path, monkeypatch: Any) -> None:
    costs, prints = [], []
    for name, scale in (("a", 20), ("b", 2)):
        monkeypatch.syspath_prepend(str(tmp_path / name))
        for module in ("helpers", "noise"):
            monkeypatch.delitem(__import__("sys").modules, module, raising=False)
        function = counting(tmp_path / name, scale).count
        prints.append(function.guarantee.data.fingerprint)
        costs.append(function([0.0, 1.0]).privacy["epsilon"])
    # The second release was once told at the cost of the first, which was found by its fingerprint.
    assert costs == ["0.05", "0.5"]
    assert prints[0] != prints[1]


def test_a_file_that_is_not_reached_is_no_part(tmp_path: Path, monkeypatch: Any) -> None:
    prints = []
    for name, other in (("a", "x = 1\n"), ("b", "x = 2\n")):
        monkeypatch.syspath_prepend(str(tmp_path / name))
        for module in ("helpers", "noise"):
            monkeypatch.delitem(__import__("sys").modules, module, raising=False)
        function = counting(tmp_path / name, 2).count
        (tmp_path / name / "other.py").write_text(other)
        prints.append(function.guarantee.data.fingerprint)
    assert prints[0] == prints[1]


def test_what_check_was_asked_is_part_of_the_fingerprint(tmp_path: Path) -> None:
    from metricdp.check.verdicts.verify import verify

    module = load(
        tmp_path,
        """
        @dp.measurement
        def noisy(x: dp.Records[float], scale: float):
            return dp.gaussian(dp.count(x), scale=scale)
        """,
    )
    declared = module.noisy.outcome.declared
    prints = [verify(declared, measure=m).guarantee.fingerprint for m in (None, "zcdp")]
    assert prints[0] != prints[1]
