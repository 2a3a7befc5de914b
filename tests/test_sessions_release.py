"""What is filed with a release, and what an error or an interrupt leaves behind."""

from __future__ import annotations

import json
import traceback
from fractions import Fraction
from pathlib import Path
from types import TracebackType
from typing import Any

import pytest
from checked_modules import load

import metricdp as dp
from metricdp.errors import InternalError, MetricdpError, PostProcessingError, SchemaError
from metricdp.maps import make
from metricdp.run.emit import RunLog, handling
from metricdp.spaces import Records

#: Planted values: no message and no frame may show them.
SECRET = 421.8371
ROWS = [SECRET, 3.0, 0.5]
PROGRAMS = """
@dp.measurement
def mean(x: dp.Records[float], upper: float = 20.0, eps: float = 1.0):
    kept = dp.clamp(x, 0, upper)
    total = dp.laplace(dp.sum(kept), epsilon=eps / 2)
    count = dp.discrete_laplace(dp.count(kept), epsilon=eps / 2)
    return total / max(count, 1), total, count


@dp.measurement
def normal(x: dp.Records[float, dp.ChangeOne], rho: float):
    return dp.gaussian(dp.sum(dp.clamp(x, 0, 20)), rho=rho)


@dp.measurement
def failing(x: dp.Records[float], eps: float):
    count = dp.laplace(dp.count(x), epsilon=eps)
    return int("many"), count
"""


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return load(tmp_path_factory.mktemp("programs"), PROGRAMS)


def opened(**more: Any) -> dp.Session:
    return dp.Session({"x": (dp.Records[float], ROWS)}, budget=dp.Budget(epsilon=10), **more)


FIELDS = {
    "release", "function", "time", "guarantee", "unit of privacy", "not covered by the unit",
    "unprotected quantities", "mechanisms", "derivation", "public parameters",
    "conditions that were enforced", "composition", "post-processing", "error", "assumptions",
    "rests on", "answers", "versions", "fingerprint",
}  # fmt: skip


def test_the_record_has_every_field(programs: Any) -> None:
    release = opened().run(programs.mean, eps=0.5)
    found = json.loads(release.to_json())
    assert set(found) == FIELDS
    assert found["release"] == list(release.value)
    assert found["guarantee"]["measure"] == "pure differential privacy"
    assert found["guarantee"]["parameters"] == {"epsilon": "0.5", "delta": "0"}
    first, second = found["mechanisms"]
    assert first["noise"] == "Laplace, scale 80"
    assert first["sensitivity"] == "20"
    assert second["noise"] == "discrete Laplace, scale 4"
    assert second["sensitivity"] == "1"
    origins = {p["name"]: p["origin"] for p in found["public parameters"]}
    assert origins == {"upper": "default", "eps": "caller"}
    assert any("upper" in line and "sum" in line for line in found["derivation"])
    assert "computed from the draws" in found["post-processing"]
    assert len(found["error"]) == 3 and found["error"][2].startswith("output 1: d0/Max(1, d1)")
    assert found["composition"]["left"] == "ε = 9.5"
    assert found["composition"]["budget"] == "ε = 10"
    assert any("more than one unit" in text for text in found["not covered by the unit"])
    assert any("running time" in text for text in found["unprotected quantities"])
    assert {"metricdp", "python"} <= found["versions"].keys()
    assert found["fingerprint"] == programs.mean.guarantee.data.fingerprint
    assert found["time"].endswith("+00:00")


def test_outside_of_a_session_the_record_has_no_composition(programs: Any) -> None:
    release = programs.normal(ROWS, rho=0.5)
    found = json.loads(release.to_json())
    assert set(found) == FIELDS
    assert found["composition"] == {}
    assert found["guarantee"]["measure"] == "zero-concentrated differential privacy"
    (conversion,) = found["guarantee"]["conversions"]
    assert conversion.startswith("epsilon = 5.")
    assert "the number of records of x" in found["unprotected quantities"]
    text = release.to_markdown()
    assert text.startswith("# Release of normal\n")
    assert "## Composition" not in text
    for part in ("## Guarantee", "## Unit of privacy", "## Mechanisms", "normal, standard"):
        assert part in text


def test_every_kind_of_release_is_filed_without_data(programs: Any) -> None:
    session = opened()
    clamped = make("clamp", Records[float], lower=0, upper=20)
    summed = clamped >> make("sum", clamped.output_space)
    total = dp.sum(dp.clamp(session["x"], 0, 20))
    releases = [
        session.run(programs.mean, eps=0.5),
        session.release(summed >> make("laplace", summed.output_space, scale=100)),
        dp.laplace(total, epsilon=0.5),
        dp.laplace(dp.count(lambda row: row < 1, session["x"]), epsilon=0.5),
    ]
    for release in releases:
        text = release.to_json() + release.to_markdown() + repr(release) + release._repr_html_()
        assert str(SECRET) not in text
        assert set(json.loads(release.to_json())) == FIELDS
        assert json.loads(release.to_json())["derivation"]
    everything = str(session.ledger) + session._repr_html_() + repr(session)
    everything += "".join(row.body for row in session.ledger.rows())
    assert str(SECRET) not in everything


def frames(found: TracebackType | None) -> str:
    """All that a tool that prints the locals of every frame would show."""
    shown = []
    while found is not None:
        local = found.tb_frame.f_locals
        here = found.tb_frame.f_code.co_filename
        if "/metricdp/" in here:
            shown += [f"{name}={value!r}" for name, value in local.items()]
        found = found.tb_next
    return "\n".join(shown)


class Broken(RunLog):
    """Fails while the noise is drawn."""

    def __init__(self, error: type[BaseException]) -> None:
        self.error = error

    def handle(self, draw: Any, value: Any) -> Any:
        raise self.error(f"the value is {float(value)}")


def test_errors_show_no_private_value(programs: Any) -> None:
    session = opened()
    total = dp.sum(dp.clamp(session["x"], 0, 1000))
    raw = dp.Measurement(Records[float], lambda rows: 1 / (rows[0] - SECRET), {"pure": "d_in"})
    calls: list[Any] = [
        lambda: session.run(programs.mean, eps=99),
        lambda: session.run(programs.mean, eps=-1),
        lambda: session.run(programs.failing, eps=0.1),
        lambda: session.release(raw),
        lambda: dp.laplace(total, epsilon=99),
        lambda: dp.laplace(total),
        lambda: dp.laplace(total + "a", epsilon=1),
        lambda: dp.Session({"x": (dp.Records[int], ROWS)}, budget=session.budget),
        lambda: dp.Session({"x": (dp.Records[float], [SECRET, "a"])}, budget=session.budget),
        lambda: dp.Session({"x": (dp.Bool, SECRET)}, budget=session.budget),
        lambda: dp.Session({"x": (dp.Records[float], ROWS)}, budget=session.budget, unit=-1),
    ]

    def broken() -> Any:
        with handling(Broken(ValueError)):
            return dp.laplace(total, epsilon=0.5)

    for call in [*calls, broken]:
        with pytest.raises(MetricdpError) as caught:
            call()
        text = "".join(traceback.format_exception(caught.value))
        assert str(SECRET) not in str(caught.value)
        assert "421" not in text.replace(str(__file__), "")
        assert str(SECRET) not in frames(caught.tb)
        assert caught.value.__context__ is None or str(SECRET) not in str(caught.value.__context__)


def test_schema_errors_open_no_session(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    with pytest.raises(SchemaError):
        dp.Session(
            {"x": (dp.Records[float], ["a"])}, budget=dp.Budget(epsilon=1),
            dataset="rows", ledger=path,
        )  # fmt: skip
    assert not path.exists()


def test_a_failure_after_the_spend_has_spent_it(programs: Any) -> None:
    session = opened()
    with pytest.raises(PostProcessingError) as caught:
        session.run(programs.failing, eps=1)
    assert len(caught.value.releases) == 1
    assert session.left() == {"epsilon": Fraction(9)}
    with pytest.raises(InternalError, match="ValueError"), handling(Broken(ValueError)):
        dp.laplace(dp.count(session["x"]), epsilon=1)
    assert session.left() == {"epsilon": Fraction(8)}
    kinds = [row.kind for row in session.ledger.rows()]
    assert kinds == ["open", "spend", "spend"]
    assert "(no release)" in str(session.ledger)
    # The session goes on, and a question that failed is asked, and paid for, again.
    dp.laplace(dp.count(session["x"]), epsilon=1)
    assert session.left() == {"epsilon": Fraction(7)}
    assert session.ledger.verify() == 5


@pytest.mark.parametrize("file", [False, True])
def test_an_interrupt_after_the_spend_leaves_the_spend(
    programs: Any, tmp_path: Path, file: bool
) -> None:
    ledger = dp.Ledger(tmp_path / "ledger.db" if file else None)
    session = opened(dataset="rows", ledger=ledger)
    total = dp.sum(dp.clamp(session["x"], 0, 20))
    for ask in (
        lambda: dp.laplace(total, epsilon=1),
        lambda: session.run(programs.mean, eps=1),
    ):
        with pytest.raises(KeyboardInterrupt) as caught, handling(Broken(KeyboardInterrupt)):
            ask()
        assert str(SECRET) not in frames(caught.tb)
    assert session.left() == {"epsilon": Fraction(8)}
    assert session.ledger.verify() == 3
    session.run(programs.mean, eps=1)
    assert session.left() == {"epsilon": Fraction(7)}


def test_data_do_not_change_under_a_session(programs: Any) -> None:
    import numpy as np

    values, rows, column = np.array([1.0, 2.0]), [[1.0, 2.0]], np.array([1.0, 2.0])
    session = dp.Session(
        {
            "v": (dp.Vector[dp.Real, dp.L1], values),
            "m": (dp.Matrix[dp.Real, dp.L1], rows),
            "x": (dp.Records[float], column),
        },
        budget=dp.Budget(epsilon=10**9),
    )
    values[:], column[:], rows[0][0] = 1000.0, 1000.0, 1000.0
    for total in (dp.sum(session["v"]), dp.sum(dp.clamp(session["x"], 0, 20))):
        assert abs(dp.laplace(total, epsilon=10**6).value - 3) < 0.1
    assert abs(session.run(programs.mean, eps=10**6).value[1] - 3) < 0.1
    assert session._tables["m"].raw == [[1.0, 2.0]]
