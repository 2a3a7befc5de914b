"""Annotated functions where mypy --strict and pyright must find the errors that are marked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metricdp.spaces.norms import L1

if TYPE_CHECKING:
    from metricdp._typing import Real, Records, Vector


def wrong_entry(x: Vector[Real, L1]) -> str:
    return x[0]  # type: ignore[return-value]  # error


def wrong_record(records: Records[float]) -> float:
    return max(record.cost for record in records)  # type: ignore[no-any-return, union-attr]  # error


def wrong_method(x: Vector[Real, L1]) -> float:
    return x.append(1)  # type: ignore[no-any-return, union-attr]  # error
