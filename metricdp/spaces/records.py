"""Records: one record per unit, under an adjacency that is written in the type."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Self

import msgspec

from metricdp.expr import Expr
from metricdp.spaces.base import Space
from metricdp.spaces.missing import Maybe
from metricdp.spaces.rows import Row
from metricdp.spaces.scalars import Scalar
from metricdp.spaces.texts import Cells, Named
from metricdp.spaces.vectors import Vector

if TYPE_CHECKING:
    from random import Random

    from metricdp.spaces.lengths import Length

_UNITS = {
    "Symmetric": "one record added or removed",
    "InsertDelete": "one record inserted or deleted",
    "ChangeOne": "one record replaced",
    "Hamming": "one record replaced",
}


class Records(Space, frozen=True):
    """A table, `Records[T]` or `Records[T, Metric]`; the reference value is a list.

    Attributes:
        row: space of one record: a `Scalar` with element Data and a kind, a `Maybe` of one, a
            `Row`, a `Vector` over (LInf, Data), whose length is public, `Cells` or `Named`.
        metric: "Symmetric", "InsertDelete", "ChangeOne" or "Hamming".
        size: the public number of records; always None when the metric adds or removes.
        drop_nan: records with NaN are dropped when data enter, instead of replaced by 0.
    """

    row: Scalar | Maybe | Row | Vector | Cells | Named
    metric: str = "Symmetric"
    size: Expr | None = None
    drop_nan: bool = False

    def __class_getitem__(cls, item: Any) -> Self:
        from metricdp.spaces.markers import record_metric_name
        from metricdp.spaces.rows import row_space
        from metricdp.spaces.words import one_or_two

        row, metric = one_or_two("Records", item)
        return cls(row_space(row), "Symmetric" if metric is None else record_metric_name(metric))

    def __str__(self) -> str:
        kind = self.row.kind if isinstance(self.row, Scalar) else ""
        name = self.row.name if isinstance(self.row, Row) else kind or str(self.row)
        return (
            f"Records[{name}]" if self.metric == "Symmetric" else f"Records[{name}, {self.metric}]"
        )

    @property
    def sized(self) -> bool:
        """Whether the metric keeps the number of records, so that it is public."""
        return self.metric in ("ChangeOne", "Hamming")

    @property
    def unit(self) -> str:
        return _UNITS[self.metric]

    def _facts(self) -> list[str]:
        from metricdp.spaces.words import size_words

        words = size_words(self.size, "records", "record")
        if isinstance(self.row, Row):
            words += [
                f"{name} {fact}"
                for name, field in zip(self.row.names, self.row.fields, strict=True)
                for fact in field._facts()
            ]
        else:
            words += [f"each {fact}" for fact in self.row._facts()]
        return [*words, "records with NaN dropped"] if self.drop_nan else words

    def named(self, parameter: str) -> Self:
        from metricdp.spaces.words import size_symbol

        named = self
        if isinstance(self.row, Vector) and self.row.size is None:
            row = msgspec.structs.replace(self.row, size=size_symbol("cols", parameter))
            named = msgspec.structs.replace(self, row=row)
        if self.size is not None or not self.sized:
            return named
        return msgspec.structs.replace(named, size=size_symbol("len", parameter))

    def contains(self, value: Any) -> bool:
        from metricdp.spaces.tables import contains_records

        return contains_records(self, value)

    def length(self, x: Any, y: Any) -> Length:
        from metricdp.spaces.tables import records_length

        return records_length(self, x, y)

    def sample(self, rng: Random, size_hint: int = 4) -> Any:
        from metricdp.spaces.tables import sample_records

        return sample_records(self, rng, size_hint)

    def extremes(self) -> list[Any]:
        from metricdp.spaces.tables import extreme_records

        return extreme_records(self)

    def neighbours(self, x: Any, d: int, rng: Random) -> Any:
        from metricdp.spaces.tables import move_records

        return move_records(self, x, d, rng)

    def shrink(self, x: Any) -> Iterator[Any]:
        from metricdp.spaces.tables import shrink_records

        return shrink_records(self, x)
