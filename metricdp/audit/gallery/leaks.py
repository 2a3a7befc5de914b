"""Programs that leak beside their noise: two runs along the same released values show it."""

from __future__ import annotations

from typing import Any

from metricdp.audit.gallery.entry import broken, correct

_ROWS = [([], [1.0]), ([1.0], [1.0, 1.0]), ([0.0], [0.0, 1.0])]
_REPLAYED: dict[str, Any] = {"epsilon": 1, "auditor": "replay"}


@correct(_ROWS, "the answer is computed from the released total", **_REPLAYED)
def noisy_total(rows: list[float], rng: Any) -> Any:
    total = rng.laplace(sum(max(0.0, min(1.0, row)) for row in rows), 1.0)
    return max(total, 0.0)


@broken(_ROWS, "prints the number of rows", twin="noisy_total", **_REPLAYED)
def total_that_prints(rows: list[float], rng: Any) -> Any:
    print(f"{len(rows)} rows")
    return rng.laplace(sum(max(0.0, min(1.0, row)) for row in rows), 1.0)


@broken(_ROWS, "warns when there are no rows", twin="noisy_total", **_REPLAYED)
def total_that_warns(rows: list[float], rng: Any) -> Any:
    import warnings

    if not rows:
        warnings.warn("no rows", stacklevel=1)
    return rng.laplace(sum(max(0.0, min(1.0, row)) for row in rows), 1.0)


@broken(_ROWS, "as many draws as rows: the place of a later one in the sequence tells how many",
        twin="noisy_total", **_REPLAYED)  # fmt: skip
def total_of_noisy_rows(rows: list[float], rng: Any) -> Any:
    return sum(rng.laplace(max(0.0, min(1.0, row)), 1.0) for row in rows)


@broken(_ROWS, "every row is in the table twice, and is charged once", twin="noisy_total",
        **_REPLAYED)  # fmt: skip
def total_of_two_copies(rows: list[float], rng: Any) -> Any:
    return rng.laplace(sum(max(0.0, min(1.0, row)) for row in [*rows, *rows]), 1.0)
