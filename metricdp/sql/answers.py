"""The answer to a query: a table of released values with their intervals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from html import escape
from importlib import import_module
from itertools import product
from typing import Any

from metricdp.run.release import Release, show
from metricdp.sql.parts import Mean
from metricdp.sql.plan import Lowered

#: A column and its interval: the words between.
_PLUS = " ± "


@dataclass(frozen=True)
class QueryAnswer:
    """A released table.

    Attributes:
        columns: names, in the order of the query.
        rows: column -> value, one dictionary for each row.
        intervals: column -> (low, high) or None, one dictionary for each row; each holds what the
            number would be without the noise, with a chance of at least 95% on its own.
        releases: what was charged, one or two.
        programs: the source of what ran.
        shares: which part of the budget each number had.
    """

    columns: tuple[str, ...]
    rows: tuple[dict[str, Any], ...]
    intervals: tuple[dict[str, tuple[float, float] | None], ...]
    releases: tuple[Release[Any], ...]
    programs: tuple[str, ...]
    shares: tuple[str, ...]
    query: str

    @classmethod
    def of(
        cls, found: Lowered, text: str, releases: tuple[Release[Any], ...],
        values: Release[Any] | None, counts: Mapping[Any, Any] | None,
    ) -> QueryAnswer:  # fmt: skip
        """The table of these releases.

        Args:
            values: what the main program released.
            counts: keys that were found, with their counts.
        """
        # Of two draws that make a mean, each is asked for half of what may fail.
        around = (None, None) if values is None else (values.interval(), values.interval(0.975))
        keys = _keys(found, counts)
        rows, intervals = [], []
        for key in keys:
            row, near = _row(found, values, around, counts, key)
            rows.append(row)
            intervals.append({} if found.finish.chosen else near)
        order = {id(row): at for at, row in enumerate(rows)}
        kept = found.finish.done(rows)
        near_kept = [intervals[order[id(row)]] for row in kept]
        programs = tuple(each.source for each in (found.keys, found.main) if each is not None)
        full = tuple({name: near.get(name) for name in found.columns} for near in near_kept)
        return cls(found.columns, tuple(kept), full, releases, programs, found.shares, text)

    @property
    def cost(self) -> str:
        """What was charged, in words; of both steps, where keys were found first."""
        return " and then ".join(release.cost for release in self.releases)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def to_pandas(self) -> Any:
        """A data frame; two more columns, `NAME_low` and `NAME_high`, for each with intervals."""
        return import_module("pandas").DataFrame(self._by_column())

    def to_arrow(self) -> Any:
        """A table of Arrow, with the columns of `to_pandas`."""
        return import_module("pyarrow").table(self._by_column())

    def to_ibis(self) -> Any:
        """A table of Ibis in memory, with the columns of `to_pandas`."""
        return import_module("ibis").memtable(self.to_arrow())

    def _by_column(self) -> dict[str, list[Any]]:
        columns: dict[str, list[Any]] = {}
        for name in self.columns:
            columns[name] = [row[name] for row in self.rows]
            near = [each[name] for each in self.intervals]
            if any(each is not None for each in near):
                columns[f"{name}_low"] = [None if each is None else each[0] for each in near]
                columns[f"{name}_high"] = [None if each is None else each[1] for each in near]
        return columns

    def cells(self) -> list[list[str]]:
        """The table as texts, names first."""
        body = [
            [_cell(row[name], near[name]) for name in self.columns]
            for row, near in zip(self.rows, self.intervals, strict=True)
        ]
        return [list(self.columns), *body]

    def __repr__(self) -> str:
        cells = self.cells()
        widths = [max(len(line[at]) for line in cells) for at in range(len(self.columns))]
        lines = ["  ".join(c.ljust(w) for c, w in zip(line, widths, strict=True)) for line in cells]
        lines.insert(1, "  ".join("-" * width for width in widths))
        many = f"{len(self.rows)} row{'' if len(self.rows) == 1 else 's'}"
        tested = "   test only" if any(each.test_only for each in self.releases) else ""
        lines.append(f"({many}; ± 95%; cost {self.cost}{tested})")
        return "\n".join(line.rstrip() for line in lines)

    def _repr_html_(self) -> str:
        head, *body = self.cells()
        top = "".join(f"<th>{escape(each)}</th>" for each in head)
        rows = "".join(
            "<tr>" + "".join(f"<td>{escape(each)}</td>" for each in line) + "</tr>" for line in body
        )
        return f"<table><tr>{top}</tr>{rows}</table><p>± 95%; cost {escape(self.cost)}</p>"


def _keys(found: Lowered, counts: Mapping[Any, Any] | None) -> list[tuple[Any, ...]]:
    if counts is not None:
        return [(key,) for key in counts]
    return list(product(*(group.keys or () for group in found.groups)))


def _row(
    found: Lowered, values: Release[Any] | None, around: tuple[Any, Any],
    counts: Mapping[Any, Any] | None, key: tuple[Any, ...],
) -> tuple[dict[str, Any], dict[str, tuple[float, float] | None]]:  # fmt: skip
    """The values of one group, and their intervals."""
    at: Any = None if not found.groups else key[0] if len(key) == 1 else key
    own: dict[str, Any] = {}
    near: dict[str, Any] = {}
    for output in found.outputs:
        if output.name in found.counted:
            own[output.name] = None if counts is None else counts[at]
            continue
        assert values is not None
        own[output.name] = _entry(values.value, output.name, at, found)
        if output.form == "{0}":
            near[output.name] = _entry(around[0], output.name, at, found)
        elif output.mean is not None:
            names = (f"{output.name}: sum", f"{output.name}: count")
            ends = [_entry(around[1], name, at, found) for name in names]
            near[output.name] = _quotient(ends[0], ends[1], output.mean)
    row: dict[str, Any] = {}
    of_group = dict(zip((group.value.code for group in found.groups), key, strict=True))
    for name, code in zip(found.columns, found.codes, strict=True):
        row[name] = of_group[code] if code else own[name]
    return row, near


def _entry(value: Any, name: str, at: Any, found: Lowered) -> Any:
    inside = None if value is None else value.get(name)
    return inside if inside is None or not found.groups else inside[at]


def _quotient(total: Any, number: Any, mean: Mean) -> tuple[float, float] | None:
    """What a mean may be where the sum and the count lie in these intervals.

    Each holds with a chance of 97.5%, so both do with 95%.  max(count, 1) is within the same
    bounds, where these are at least 1; and a mean lies between the bounds of what it is of.
    """
    if total is None or number is None:
        return None
    least, most = max(float(number[0]), 1.0), max(float(number[1]), 1.0)
    ends = [float(t) / n for t in total for n in (least, most)]
    around = mean.middle + min(ends), mean.middle + max(ends)
    low, high = (min(max(each, mean.low), mean.high) for each in around)
    return low, high


def _cell(value: Any, near: Sequence[float] | None) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, bool | str | date):
        return str(value)
    if near is None:
        return show(value)
    low, high = (float(each) for each in near)
    real = float(value)
    width = max(high - real, real - low)
    return f"{show(value, width)}{_PLUS}{show(width, width)}"
