"""The programs of `tests/everyday`, in their first version, beside costs derived by hand.

Programs that are proved at their true cost stay so (`tests/everyday/proved.txt`); what is unsafe is
rejected; nothing is charged less than it costs.  The edits of `tests/everyday/one_edit.md` make of
others what is proved at its true cost, too, and runs.
"""

from __future__ import annotations

import importlib.util
import os
import re
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

EVERYDAY = Path(__file__).parent / "everyday"
PROVED = EVERYDAY / "proved.txt"
TRUTHS: dict[str, dict[str, Any]] = tomllib.loads((EVERYDAY / "truth.toml").read_text("utf-8"))
#: Costs that hold at a delta of their own, and that plain addition does not reach.
BY_ANOTHER_RULE = {"081_advanced_composition"}


def loaded(path: Path, name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def survey() -> ModuleType:
    return loaded(EVERYDAY / "survey.py", "everyday_survey")


@pytest.fixture(scope="module")
def rows(survey: ModuleType) -> dict[str, dict[str, Any]]:
    module = survey
    return {
        name: (row := module.survey(name, truth)) | {"group": module.group(row)}
        for name, truth in TRUTHS.items()
    }


def test_every_program_has_a_truth() -> None:
    assert set(TRUTHS) == {path.stem for path in EVERYDAY.glob("[0-9]*.py")}
    assert len(TRUTHS) == 130


def test_what_was_proved_at_its_true_cost_still_is(rows: dict[str, dict[str, Any]]) -> None:
    found = sorted(name for name, row in rows.items() if row["group"] == "proved, true cost")
    if os.environ.get("METRICDP_UPDATE") == "1":
        PROVED.write_text("\n".join([*found, ""]), encoding="utf-8")
    assert found == PROVED.read_text(encoding="utf-8").split()


def test_what_is_unsafe_is_rejected(rows: dict[str, dict[str, Any]]) -> None:
    unsafe = [row for row in rows.values() if row["truth"].get("truth") == "unsafe"]
    assert len(unsafe) == 8
    assert {row["group"] for row in unsafe} == {"unsafe, rejected"}


def test_nothing_crashes_or_is_charged_less_than_it_costs(rows: dict[str, dict[str, Any]]) -> None:
    for name, row in rows.items():
        assert row["verdict"] in ("proved", "rejected"), (name, row["verdict"])
        if row["group"] == "proved, other cost" and name not in BY_ANOTHER_RULE:
            assert float(row["ratio"]) > 1, (name, row["cost"], row["ratio"])


def edits() -> dict[str, list[tuple[str, str]]]:
    """Program -> the old and the new lines of its edit, as the page shows them."""
    found = {}
    text = (EVERYDAY / "one_edit.md").read_text(encoding="utf-8")
    for name, shown in re.findall(r"^## (\d\w+)$.*?^```diff\n(.*?)^```$", text, re.M | re.S):
        hunks = re.findall(r"((?:^-.*\n)+)((?:^\+.*\n)+)", shown, re.M)
        found[name] = [
            (re.sub("^-", "", old, flags=re.M), re.sub(r"^\+", "", new, flags=re.M))
            for old, new in hunks
        ]
    return found


EDITS = edits()
#: Program -> data and public numbers on which its edited version runs.
RUNS: Mapping[str, Any] = {
    "037_principal_components": lambda module: (np.ones((30, 12)), {"rho": 1.0}),
    "039_boosting": lambda module: (
        [module.Reading(80.0, 60.0, 3.0, True), module.Reading(20.0, 10.0, 9.0, False)] * 9,
        {"eps": 1.0},
    ),
    "047_gaussian_bayes": lambda module: ([("setosa", 1.5), ("virginica", 5.5)] * 20, {"eps": 9.0}),
    "107_load_curve": lambda module: (
        [module.Reading(h, h % 24, 2.5) for h in range(30)],
        {"eps": 1.0},
    ),
    "111_functional_costs": lambda module: (
        [module.Visit("emergency", 40.0), module.Visit("surgery", 900.0)],
        {"eps": 1.0},
    ),
    "053_train_and_test": lambda module: ([3.0, 4.0, 60.0, 7.0, 8.0], {"n": 5, "eps": 1.0}),
}


@pytest.mark.parametrize("name", EDITS)
def test_one_edit_is_enough(
    name: str, survey: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = (EVERYDAY / f"{name}.py").read_text(encoding="utf-8")
    for old, new in EDITS[name]:
        assert source.count(old) == 1, old
        source = source.replace(old, new)
    path = tmp_path / f"{name}.py"
    path.write_text(source, encoding="utf-8")
    monkeypatch.setattr(survey, "HERE", tmp_path)
    row = survey.survey(name, TRUTHS[name])
    assert survey.group(row) == "proved, true cost", row
    module = loaded(path, f"edited_{name}")
    data, public = RUNS[name](module)
    getattr(module, TRUTHS[name]["function"])(data, **public)


def test_the_page_of_edits_counts_every_program(rows: dict[str, dict[str, Any]]) -> None:
    text = (EVERYDAY / "one_edit.md").read_text(encoding="utf-8")
    proved = sum(row["group"] == "proved, true cost" for row in rows.values())
    assert f"at the first go | {proved} |" in text
    left = {
        name for name, row in rows.items() if row["group"].startswith(("safe", "proved, other"))
    }
    further = set(re.findall(r"^\| (\d\w+) \|", text, re.M))
    assert left == set(EDITS) | further | BY_ANOTHER_RULE
    assert not set(EDITS) & further
