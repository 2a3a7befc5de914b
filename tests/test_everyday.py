"""The hundred programs of `tests/everyday`, in their first version, beside costs derived by hand.

Programs that are proved at their true cost stay so (`tests/everyday/proved.txt`); what is unsafe is
rejected; nothing is charged less than it costs.
"""

from __future__ import annotations

import importlib.util
import os
import tomllib
from pathlib import Path
from typing import Any

import pytest

EVERYDAY = Path(__file__).parent / "everyday"
PROVED = EVERYDAY / "proved.txt"
TRUTHS: dict[str, dict[str, Any]] = tomllib.loads((EVERYDAY / "truth.toml").read_text("utf-8"))
#: Costs that hold at a delta of their own, and that plain addition does not reach.
BY_ANOTHER_RULE = {"081_advanced_composition"}


@pytest.fixture(scope="module")
def rows() -> dict[str, dict[str, Any]]:
    spec = importlib.util.spec_from_file_location("everyday_survey", EVERYDAY / "survey.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return {
        name: (row := module.survey(name, truth)) | {"group": module.group(row)}
        for name, truth in TRUTHS.items()
    }


def test_every_program_has_a_truth() -> None:
    assert set(TRUTHS) == {path.stem for path in EVERYDAY.glob("[0-9]*.py")}
    assert len(TRUTHS) == 100


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
