"""Data that changed under an old name are noticed, by a fingerprint that tells nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypedDict

import numpy as np
import pytest

import metricdp as dp
from metricdp import LInf, Matrix, Real, Size, Vector
from metricdp.errors import LedgerError, MetricdpError, ParameterError

KEY = b"a key of the owner, not of analysts"


class Visit(TypedDict):
    person: int
    name: str
    cost: float
    when: int | None


ROWS = {
    "person": [1, 2, 2],
    "name": ["a", "b|", "c"],
    "cost": [1.0, 2.5, -0.5],
    "when": [3, None, 4],
}


def opened(data: Any, path: Any = None, key: Any = KEY, dataset: str = "rows", **more: Any) -> Any:
    annotation, values = data
    return dp.Session(
        {"x": (annotation, values)}, budget=dp.Budget(epsilon=9), dataset=dataset, ledger=path,
        data_key=key, **more,
    )  # fmt: skip


def with_cell(name: str, at: int, value: Any) -> dict[str, list[Any]]:
    return {k: [*v[:at], value, *v[at + 1 :]] if k == name else v for k, v in ROWS.items()}  # type: ignore[misc, index]


def frame(rows: Any) -> Any:
    import pandas as pd

    return pd.DataFrame(rows).astype({"when": "Int64"})


CHANGES = [
    with_cell("person", 0, 3), with_cell("name", 1, "b"), with_cell("cost", 2, -0.25),
    with_cell("when", 1, 0), with_cell("when", 0, None), with_cell("name", 0, "A"),
]  # fmt: skip
KINDS: list[tuple[Any, Any, Any]] = [
    (dp.Records[float], [1.0, 2.0], [1.0, 2.5]),
    (dp.Records[float], np.array([1.0, 2.0]), np.array([2.0, 1.0])),
    (dp.Records[str], ["ab", "c"], ["a", "bc"]),
    (dp.Records[int], [2**40, 1], [2**40 + 1, 1]),
    (dp.Records[bool], [True, False], [True, True]),
    (Vector[Real, LInf], [1.0, 2.0], [1.0, 2.0000000001]),
    (Matrix[Real, LInf], [[1.0, 2.0], [3.0, 4.0]], [[1.0, 2.0], [3.0, 5.0]]),
    (Real, 3.5, 3.25),
    *((dp.Records[Visit], frame(ROWS), frame(rows)) for rows in CHANGES[1:5:2]),
]


@pytest.mark.parametrize("kind", range(len(KINDS)))
def test_data_that_changed_are_refused_and_others_are_not(kind: int, tmp_path: Path) -> None:
    annotation, first, second = KINDS[kind]
    ledger = dp.Ledger(tmp_path / "ledger.db")
    opened((annotation, first), ledger)
    rows = len(ledger)
    assert [row.kind for row in ledger.rows()] == ["open", "data"]
    opened((annotation, first), ledger)
    assert len(ledger) == rows
    with pytest.raises(LedgerError, match="not those that were counted") as told:
        opened((annotation, second), ledger)
    assert len(ledger) == rows
    assert not any(str(x) in str(told.value) for x in ("2.5", "bc", "A", 2**40))


def test_a_budget_goes_on_with_changed_data_and_answers_are_their_own(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    first, second = (dp.Records[float], [1.0, 2.0]), (dp.Records[float], [1.0, 9.0])

    def ask(session: Any) -> Any:
        return dp.laplace(dp.sum(dp.clamp(session["x"], 0, 1)), epsilon=1)

    old = opened(first, path)
    answer = ask(old)
    new = opened(second, path, changed=True)
    assert ask(new).value != answer.value
    assert new.left() == {"epsilon": 7}, "the same persons, the same budget"
    assert "asked again" in ask(old).about.composition, "replays are free"
    assert "asked again" in ask(opened(second, path)).about.composition
    with pytest.raises(LedgerError, match="not those"):
        opened(first, path)
    back = opened(first, path, changed=True)
    assert "asked again" not in ask(back).about.composition
    assert back.left() == {"epsilon": 6}
    assert back.ledger.verify() == len(back.ledger)


def test_the_key_is_needed_and_another_key_is_no_other_data(tmp_path: Path) -> None:
    path, data = tmp_path / "ledger.db", (dp.Records[float], [1.0, 2.0])
    opened(data, path, None)
    opened(data, path)  # from here on
    for key, match in [(None, "nobody can tell"), (KEY + b"x", "another data_key")]:
        with pytest.raises(LedgerError, match=match):
            opened(data, path, key)
    for wrong in (b"short", "text of more than sixteen letters", b""):
        with pytest.raises(ParameterError, match="16 bytes"):
            opened(data, path, wrong)
    with pytest.raises(ParameterError, match="data_key"):
        opened(data, tmp_path / "other.db", None, changed=True)
    # Equal data of two names, or under two keys, have nothing in common.
    opened(data, path, dataset="others")
    opened(data, path, KEY + b"2", dataset="thirds")
    bodies = [row.data() for row in dp.Ledger(path).rows() if row.kind == "data"]
    seen = [body[field] for body in bodies for field in ("of", "key")]
    assert len(set(seen)) == 6


def test_files_and_relations_are_compared_by_their_engine(tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    path, file = tmp_path / "ledger.db", tmp_path / "visits.parquet"

    def write(rows: Any) -> None:
        known = frame(rows)
        duckdb.sql("SELECT * FROM known").write_parquet(str(file))
        del known

    def tried(**more: Any) -> Any:
        return opened((dp.Records[Visit], str(file)), path, **more)

    write(ROWS)
    tried()
    write({k: v[::-1] for k, v in ROWS.items()})
    tried()  # another order, another file, the same rows
    for rows in (*CHANGES, {k: [*v, v[0]] for k, v in ROWS.items()},
                 {k: v[:2] for k, v in ROWS.items()}):  # fmt: skip
        write(rows)
        with pytest.raises(LedgerError, match="not those"):
            tried()
    write(CHANGES[0])
    tried(changed=True)
    tried()
    write(ROWS)
    with pytest.raises(LedgerError, match="not those"):
        tried()


def test_data_without_a_fingerprint_are_refused_where_one_is_asked_for(tmp_path: Path) -> None:
    from metricdp.sessions import fingerprints

    class Other:
        pass

    table: Any = type("T", (), {"space": Vector[Real, LInf].refined(Size(2)), "admitted": Other()})
    with pytest.raises(MetricdpError, match="no fingerprint"):
        fingerprints.fingerprint({"x": table}, "d", KEY)
