"""Annotated functions with the errors that mypy --strict must find where marked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metricdp.spaces.norms import L1

if TYPE_CHECKING:
    from metricdp._typing import Real, Records, Vector


def wrong_entry(x: Vector[Real, L1]) -> str:
    return x[0]  # error


def wrong_record(records: Records[float]) -> float:
    return max(record.cost for record in records)  # error


def wrong_method(x: Vector[Real, L1]) -> float:
    return x.append(1)  # error
