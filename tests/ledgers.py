"""Ledgers to attack: a session, a question, a refusal, and statements that a ledger forbids."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest

import metricdp as dp
from metricdp.errors import LedgerError
from metricdp.run.emit import RunLog, handling

ROWS = [1.0, 0.5, 77.25, -3.0, 4.0]


def opened(path: Any, epsilon: Any = 10, dataset: Any = "rows") -> dp.Session:
    return dp.Session(
        {"x": (dp.Records[float], ROWS)}, budget=dp.Budget(epsilon=epsilon),
        dataset=dataset, ledger=path,
    )  # fmt: skip


def ask(session: dp.Session, scale: Any = 100) -> Any:
    return dp.laplace(dp.sum(dp.clamp(session["x"], 0, 20)), scale=scale)


class Reads(RunLog):
    """Counts how often data were read."""

    def __init__(self) -> None:
        self.count = 0

    def handle(self, draw: Any, value: Any) -> Any:
        self.count += 1
        return super().handle(draw, value)


def refused(session: dp.Session, match: str = ".") -> None:
    """A spend is refused before data are read."""
    reads = Reads()
    with pytest.raises(LedgerError, match=match), handling(reads):
        ask(session, 71)
    assert not reads.count


def forced(path: Path, *statements: Any) -> None:
    plain = sqlite3.connect(path, isolation_level=None)
    for kind in ("no_update", "no_delete"):
        plain.execute(f"DROP TRIGGER IF EXISTS {kind}")
    for statement in statements:
        plain.execute(*statement if isinstance(statement, tuple) else (statement,))
    plain.close()
