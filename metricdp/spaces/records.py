"""Records: one record per unit, under an adjacency that is written in the type."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Self

import msgspec

from metricdp.expr import Expr
from metricdp.spaces.base import Space, size_value
from metricdp.spaces.ids import Ids, Owned
from metricdp.spaces.lengths import Length
from metricdp.spaces.metrics import Adjacency, RowMetric, Symmetric, metric_of, record_metric_name
from metricdp.spaces.missing import Maybe
from metricdp.spaces.moments import Moment
from metricdp.spaces.row_types import row_space
from metricdp.spaces.rows import Row
from metricdp.spaces.scalars import Scalar
from metricdp.spaces.texts import Cells, Named
from metricdp.spaces.vectors import Vector
from metricdp.spaces.words import one_or_two, size_symbol, size_words

if TYPE_CHECKING:
    from random import Random


class Records(Space, frozen=True):
    """A table, `Records[T]` or `Records[T, Metric]`; the reference value is a list.

    Attributes:
        row: space of one record: a `Scalar` with element Data and a kind, a `Moment`, a `Maybe` of
            one of these, a `Row`, a `Vector` over (LInf, Data), whose length is public, `Cells` or
            `Named`.
        metric: name of the metric: "Symmetric", "InsertDelete", "ChangeOne" or "Hamming".
        size: the public number of records; always None when the metric adds or removes.
        drop_nan: records with NaN are dropped when data enter, instead of replaced by 0.
    """

    row: Scalar | Moment | Maybe | Row | Vector | Cells | Named
    metric: str = "Symmetric"
    size: Expr | None = None
    drop_nan: bool = False

    def __class_getitem__(cls, item: Any) -> Self | Owned:
        row, metric = one_or_two("Records", item)
        if isinstance(metric, Ids):
            return Owned.of(row_space(row), metric)
        return cls(row_space(row), record_metric_name(Symmetric if metric is None else metric))

    def __str__(self) -> str:
        kind = self.row.kind if isinstance(self.row, Scalar) else ""
        name = self.row.name if isinstance(self.row, Row) else kind or str(self.row)
        usual = self.metric == Symmetric.name
        return f"Records[{name}]" if usual else f"Records[{name}, {self.metric}]"

    @property
    def row_metric(self) -> type[RowMetric]:
        """The metric itself, not its name."""
        return metric_of(self.metric)

    @property
    def sized(self) -> bool:
        """Whether the metric keeps the number of records, so that it is public."""
        return self.row_metric.public_size()

    @property
    def unit(self) -> str:
        return self.row_metric.unit

    def _facts(self) -> list[str]:
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
        named = self
        if isinstance(self.row, Vector) and self.row.size is None:
            row = msgspec.structs.replace(self.row, size=size_symbol("cols", parameter))
            named = msgspec.structs.replace(self, row=row)
        if self.size is not None or not self.sized:
            return named
        return msgspec.structs.replace(named, size=size_symbol("len", parameter))

    def contains(self, value: Any) -> bool:
        if not isinstance(value, (list, tuple)):
            return False
        size = size_value(self.size)
        return (size is None or len(value) == size) and all(map(self.row.contains, value))

    def length(self, x: Any, y: Any) -> Length:
        key = self.row.row_key
        return self.row_metric.length([key(row) for row in x], [key(row) for row in y])

    def sample(self, rng: Random, size_hint: int = 4) -> Any:
        size = size_value(self.size)
        records: list[Any] = []
        for _ in range(rng.randint(0, size_hint) if size is None else size):
            records.append(self._drawn(rng, records))
        return records

    def _drawn(self, rng: Random, x: Sequence[Any]) -> Any:
        """A record: one that is there already, an extreme one, or any."""
        draw = rng.random()
        if x and draw < 0.2:
            return rng.choice(x)
        return rng.choice(self.row.extremes()) if draw < 0.5 else self.row.sample(rng)

    def extremes(self) -> list[Any]:
        size = size_value(self.size)
        edges = self.row.extremes()
        if size is not None:
            in_turn = [edges[i % len(edges)] for i in range(size)]
            return [*([edge] * size for edge in edges), in_turn]
        return [[], *([edge] for edge in edges), *([edge] * 3 for edge in edges), list(edges)]

    def neighbours(self, x: Any, d: int, rng: Random) -> Any:
        draw = partial(self._drawn, rng)
        return self.row_metric.neighbour(x, d, self.row.row_key, draw, rng)

    def shrink(self, x: Any) -> Iterator[Any]:
        x = list(x)
        if size_value(self.size) is None and x:
            if len(x) > 2:
                yield x[: len(x) // 2]
            for i in range(len(x)):
                yield x[:i] + x[i + 1 :]
        for i, record in enumerate(x):
            for simpler in self.row.shrink(record):
                yield [*x[:i], simpler, *x[i + 1 :]]


def adjacency(space: Space | None) -> Adjacency:
    """What one unit of distance is in a container of rows: one of (LInf, Data) is replaced."""
    return space.row_metric.adjacency() if isinstance(space, Records) else "replace"
