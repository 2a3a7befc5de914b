"""Programs in a notebook: a real Jupyter kernel, cell after cell, as a person types them."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

manager = pytest.importorskip("jupyter_client.manager")
pytest.importorskip("ipykernel")

HEAD = "import metricdp as dp"
PROGRAM = """
@dp.measurement
def mean_visits(visits: dp.Records[float], eps: float):
    kept = dp.clamp(visits, LO, HI)
    total = dp.laplace(dp.sum(kept), epsilon=eps / 2)
    return total / dp.laplace(dp.count(kept), epsilon=eps / 2)
"""
TOTAL = """
@dp.transformation
def total(rows: dp.Records[float]):
    return dp.sum(cut(rows))
"""

Run = Callable[[str], str]


def _tutorial() -> Any:
    path = Path(__file__).resolve().parent.parent / "examples" / "notebook.py"
    spec = importlib.util.spec_from_file_location("examples_notebook", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


tutorial = _tutorial()
CELLS = tutorial.cells(tutorial.SOURCE.read_text("utf-8"))


@pytest.fixture(scope="module")
def kernel() -> Iterator[Any]:
    started, client = manager.start_new_kernel(kernel_name="python3")
    yield client
    client.stop_channels()
    started.shutdown_kernel(now=True)


@pytest.fixture
def run(kernel: Any) -> Run:
    """Runs a cell: the text of what it shows, or "Error: text"."""

    def ran(cell: str) -> str:
        shown: list[str] = []

        def heard(message: dict[str, Any]) -> None:
            content = message["content"]
            if message["msg_type"] == "stream":
                shown.append(content["text"])
            elif message["msg_type"] == "execute_result":
                shown.append(content["data"]["text/plain"])
            elif message["msg_type"] == "error":
                shown.append("\n".join(content["traceback"]))

        kernel.execute_interactive(cell, output_hook=heard, timeout=60)
        return "\n".join(shown).strip()

    ran("%reset -f")
    return ran


def test_imports_in_one_cell_and_the_program_in_another(run: Run) -> None:
    run(HEAD)
    run("LO, HI = 0, 20")
    assert run(PROGRAM) == ""
    assert run("mean_visits([1.0, 2.0, 30.0], eps=1.0).cost") == "'ε = 1'"


def test_all_in_one_cell(run: Run) -> None:
    call = "\nmean_visits([1.0, 2.0, 30.0], eps=1.0).cost"
    assert run(HEAD + "\nLO = 0\nHI = 20\n" + PROGRAM + call) == "'ε = 1'"


def test_diagnostics_name_the_cell(run: Run) -> None:
    run(HEAD)
    run("@dp.transformation\ndef total(rows: dp.Records[float]):\n    return dp.sum(rows)")
    shown = run("print(total.outcome.diagnostics[0].span)\ntotal([1.0])")
    assert "cell " in shown
    assert "ipykernel" not in shown


def test_helpers_are_those_of_the_newest_cell(run: Run) -> None:
    run(HEAD)
    run("def cut(rows):\n    return dp.clamp(rows, 0, 20)")
    run(TOTAL)
    asked = "total.at().map(1), total([100.0]), total.guarantee.data.fingerprint"
    first = run(f"before = total.at()\n{asked}")
    assert first.startswith("(Fraction(20, 1), Exact(20, 1)")
    run("def cut(rows):\n    return dp.clamp(rows, 0, 5)")
    second = run(asked)
    assert second.startswith("(Fraction(5, 1), Exact(5, 1)")
    assert first.split("'")[1] != second.split("'")[1]
    # What was asked of the older version keeps to it, map and run alike.
    assert run("before.map(1), before([100.0])") == "(Fraction(20, 1), Exact(20, 1))"


def test_a_session_charges_the_version_that_it_runs(run: Run) -> None:
    run(HEAD)
    run("def noisy(x):\n    return dp.laplace(x, scale=20)")
    run("@dp.measurement\ndef count(rows: dp.Records[float]):\n    return noisy(dp.count(rows))")
    run(
        'session = dp.Session({"rows": (dp.Records[float], [0.0, 3.0])},'
        " budget=dp.Budget(epsilon=1))\nfirst = session.run(count)"
    )
    assert run("session.left()") == "{'epsilon': Fraction(19, 20)}"
    run("def noisy(x):\n    return dp.laplace(x, scale=2)")
    assert run("second = session.run(count)\nsecond.cost") == "'ε = 0.5'"
    assert run("session.left()") == "{'epsilon': Fraction(9, 20)}"


def test_constants_that_a_cell_computes_are_no_constants(run: Run) -> None:
    run(HEAD)
    run("data = [1.0, 99.0]\nLO = 0\nHI = max(data)")
    run(PROGRAM)
    assert "`HI` is no literal" in run("mean_visits(data, eps=1.0)")
    run("HI = 20")
    assert run("mean_visits(data, eps=1.0).cost") == "'ε = 1'"


def test_names_bound_behind_the_cells_have_no_meaning(run: Run) -> None:
    run(HEAD)
    run("LO = 0\nHI = 20")
    run(PROGRAM)
    run("globals()['HI'] = 10**6")
    assert "does not hold what cell" in run("mean_visits([1.0], eps=1.0)")
    run("HI = 20\ndef clip(x): return x\nglobals()['sum'] = clip")
    assert run("mean_visits([1.0], eps=1.0).cost") == "'ε = 1'"
    run("@dp.transformation\ndef first(x: dp.Real):\n    return sum([x])")
    assert "no cell says what it is" in run("first(1.0)")


def test_a_cell_that_failed_half_way_bound_nothing_after_it(run: Run) -> None:
    run(HEAD)
    run("def cut(rows):\n    return dp.clamp(rows, 0, 20)")
    run(TOTAL)
    run("1 / 0\ndef cut(rows):\n    return rows")
    assert "does not hold what cell" in run("total([100.0])")
    run("def cut(rows):\n    return dp.clamp(rows, 0, 7)")
    assert run("total([100.0])") == "Exact(7, 1)"


def test_deleted_names_are_gone(run: Run) -> None:
    run(HEAD)
    run("def cut(rows):\n    return dp.clamp(rows, 0, 20)")
    run(TOTAL)
    run("del cut")
    assert "NotProvedError" in run("total([100.0])")


def test_the_same_cell_run_again(run: Run) -> None:
    run(HEAD)
    cut = "def cut(rows):\n    return dp.clamp(rows, 0, {})"
    for cell in (cut.format(20), TOTAL, cut.format(5), cut.format(20)):
        run(cell)
    assert run("total([100.0])") == "Exact(20, 1)"
    run(TOTAL)
    assert run("total([100.0])") == "Exact(20, 1)"


def test_rows_boxes_and_magics_of_other_cells(run: Run) -> None:
    run("from dataclasses import dataclass\n" + HEAD + "\nfrom metricdp import Data, LInf, Size")
    run("from typing import Annotated\n%config InlineBackend.nothing = 1\n!true")
    run("@dataclass\nclass Visit:\n    age: int\n    cost: float")
    run(
        "@dp.black_box(returns=Annotated[dp.Vector[Data, LInf], Size(1)])\n"
        "def costly(row):\n    return [3.0]"
    )
    run(
        "@dp.measurement\ndef spent(visits: dp.Records[Visit], eps: float):\n"
        "    return dp.laplace(dp.sum(dp.clamp([v.cost for v in visits], 0, 9)), epsilon=eps)"
    )
    assert run("spent([Visit(30, 2.0), Visit(50, 4.0)], eps=2.0).cost") == "'ε = 2'"
    run(
        '@dp.measurement\ndef boxed(m: Annotated[dp.Matrix[Data, LInf], Size("n", 2)]):\n'
        "    total = 0.0\n    for row in m:\n"
        "        total += dp.sum(dp.undisc(dp.clip(costly(row), dp.L1)))\n"
        "    return dp.laplace(total, scale=1)"
    )
    assert run("boxed([[1.0, 2.0]] * 3).cost") == "'ε = 2'"


def test_a_star_import_of_another_cell_hides_nothing_in_silence(run: Run) -> None:
    run("from math import *")
    run(HEAD)
    run("@dp.transformation\ndef rooted(x: dp.Real):\n    return sqrt(x)")
    assert "no cell says what it is" in run("rooted(4.0)")
    assert (
        run("@dp.transformation\ndef half(x: dp.Real):\n    return x / 2\nhalf(1)") == "Exact(1, 2)"
    )


def test_code_that_no_cell_holds_is_refused(run: Run) -> None:
    run(HEAD)
    unheard = TOTAL.replace("rows", "unheard")
    shown = run(f"exec({unheard!r})\ntotal([1.0])")
    assert "SourceError" in shown
    assert "cannot be found" in shown


def test_an_error_shows_the_lines_of_the_cell_and_no_frame_of_the_package(run: Run) -> None:
    run(HEAD)
    run("@dp.transformation\ndef total(rows: dp.Records[float]):\n    return dp.sum(rows) * n")
    shown = run("data = [1.0]\ntotal(data)")
    assert "line 2: total(data)" in shown
    assert "`n` has no meaning here" in shown
    assert "metricdp/checked" not in shown
    assert len(shown.splitlines()) < 40, shown


def test_the_notebook_is_its_source() -> None:
    written = tutorial.NOTEBOOK.read_text("utf-8")
    assert written == tutorial.notebook(CELLS), "run: python examples/notebook.py"
    assert len(CELLS) >= 200


def test_every_cell_of_the_tutorial_is_as_it_says(kernel: Any) -> None:
    """Its assertions hold, what it calls refused is refused in these words, and pictures appear.

    The tolerances of the cells are missed with a probability below 1e-6 each, by the tails of the
    noise that the cards state: some fifty of them, so below 1e-4 a run.  Where something is missed
    all cells run once more: by chance twice with a probability below 1e-8.
    """
    pytest.importorskip("statsmodels")
    pytest.importorskip("sklearn")
    pytest.importorskip("matplotlib")
    if wrong := _wrong_in_the_tutorial(kernel):
        wrong = _wrong_in_the_tutorial(kernel)
    assert not wrong, wrong


def _wrong_in_the_tutorial(kernel: Any) -> str:
    """The first cell that is not as it says, and what it shows instead; empty where all are."""
    errors: list[str] = []
    drawn: list[str] = []

    def heard(message: dict[str, Any]) -> None:
        content = message["content"]
        if message["msg_type"] == "error":
            errors.append("\n".join(content["traceback"]))
        elif "image/png" in content.get("data", {}):
            drawn.append(content["data"]["image/png"])

    kernel.execute_interactive("%reset -f", timeout=60)
    for cell in CELLS:
        if cell.is_text:
            continue
        errors.clear()
        kernel.execute_interactive(cell.source, output_hook=heard, timeout=60)
        if errors and not (cell.fails and cell.fails in errors[0]):
            return f"{cell.source}\n{errors[0]}"
        if cell.fails and not errors:
            return f"{cell.source}\nis not refused"
    return "" if len(drawn) == 7 else f"{len(drawn)} pictures in place of 7"
