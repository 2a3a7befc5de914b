"""Metrics of tables: how far apart two lists of rows are, and what one unit of it is.

One class per metric, never instantiated: the marker of annotations is the object that answers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from metricdp.errors import SpaceError
from metricdp.expr import ONE, Expr, maximum, num
from metricdp.spaces.lengths import INFINITE, Length, rational
from metricdp.spaces.markers import Marker, is_marker, show

if TYPE_CHECKING:
    from random import Random

Adjacency = Literal["add or remove", "replace"]


class RowMetric(Marker):
    """A metric on tables.

    Attributes:
        adds: one unit may add or remove a row; where none does, the number of rows is public.
        replaces: one unit may replace a row.
        ordered: the order of the rows counts.
        unit: one unit of distance in words.
        adding: name of the metric that only adds and removes, as ordered as this one.
        unordered: name of the metric of the same tables without their order.
    """

    adds: ClassVar[bool]
    replaces: ClassVar[bool]
    ordered: ClassVar[bool]
    unit: ClassVar[str]
    adding: ClassVar[str]
    unordered: ClassVar[str]

    @classmethod
    def example(cls) -> str:
        return f"Records[float, {cls.name}]"

    @classmethod
    def public_size(cls) -> bool:
        """Whether tables of different numbers of rows are at distance oo."""
        return not cls.adds

    @classmethod
    def moved(cls) -> Expr:
        """How many rows leave and enter within one unit."""
        return num(2) if cls.replaces else ONE

    @classmethod
    def per_unit(cls, added: Expr, replaced: Expr) -> Expr:
        """The most that one unit does, from what a row added or removed and a row replaced do."""
        if cls.adds and cls.replaces:
            return maximum(added, replaced)
        return added if cls.adds else replaced

    @classmethod
    def of_parts(cls) -> str:
        """Name of the metric of the parts of a table: a row replaced may leave one for another."""
        return metric_of(cls.adding).unordered if cls.replaces else cls.name

    @classmethod
    def adjacency(cls) -> Adjacency:
        """What one unit does to one row, for theorems that know of one of the two.

        Raises:
            SpaceError: it may do either.
        """
        if cls.adds and cls.replaces:
            raise SpaceError(
                f"one unit under {cls.name} adds, removes or replaces a row",
                remedy=f"declare {cls.adding}",
            )
        return "add or remove" if cls.adds else "replace"

    @classmethod
    def length(cls, x: Sequence[Hashable], y: Sequence[Hashable]) -> Length:
        """The distance of two tables, their rows as hashable values."""
        raise NotImplementedError

    @classmethod
    def neighbour(
        cls,
        x: Sequence[Any],
        d: int,
        key: Callable[[Any], Hashable],
        draw: Callable[[Sequence[Any]], Any],
        rng: Random,
    ) -> list[Any]:
        """A table at distance at most `d`, mostly exactly `d`.

        Args:
            x: the table.
            d: the distance.
            key: the hashable form of a row.
            draw: a row for a table with these rows.
            rng: chooses.
        """
        raise NotImplementedError


class _Adding(RowMetric):
    """Rows are added and removed, so their number is private."""

    adds = True
    replaces = False

    @classmethod
    def neighbour(
        cls,
        x: Sequence[Any],
        d: int,
        key: Callable[[Any], Hashable],
        draw: Callable[[Sequence[Any]], Any],
        rng: Random,
    ) -> list[Any]:
        y = list(x)
        style = rng.choice((0.0, 0.5, 1.0))
        for _ in range(int(d)):
            if y and rng.random() < style:
                y.pop(rng.randrange(len(y)))
            else:
                y.insert(rng.randint(0, len(y)), draw(y))
        return _reordered(y, cls.ordered, rng)


class _Replacing(RowMetric):
    """Rows are replaced, so their number is public."""

    adds = False
    replaces = True
    unit = "one record replaced"

    @classmethod
    def neighbour(
        cls,
        x: Sequence[Any],
        d: int,
        key: Callable[[Any], Hashable],
        draw: Callable[[Sequence[Any]], Any],
        rng: Random,
    ) -> list[Any]:
        y = list(x)
        for i in rng.sample(range(len(y)), min(int(d), len(y))):
            old = key(y[i])
            draws = (draw([]) for _ in range(6))
            y[i] = next((new for new in draws if key(new) != old), y[i])
        return _reordered(y, cls.ordered, rng)


def _reordered(rows: list[Any], ordered: bool, rng: Random) -> list[Any]:
    if not ordered and rng.random() < 0.2:
        rng.shuffle(rows)
    return rows


class Symmetric(_Adding):
    """Multisets: number of additions and removals."""

    name = "Symmetric"
    ordered = False
    unit = "one record added or removed"
    adding = "Symmetric"
    unordered = "Symmetric"

    @classmethod
    def length(cls, x: Sequence[Hashable], y: Sequence[Hashable]) -> Length:
        return rational(_difference(x, y))


class InsertDelete(_Adding):
    """Lists: fewest insertions and deletions."""

    name = "InsertDelete"
    ordered = True
    unit = "one record inserted or deleted"
    adding = "InsertDelete"
    unordered = "Symmetric"

    @classmethod
    def length(cls, x: Sequence[Hashable], y: Sequence[Hashable]) -> Length:
        return rational(len(x) + len(y) - 2 * common_subsequence(x, y))


class ChangeOne(_Replacing):
    """Multisets of one public size: half the symmetric distance."""

    name = "ChangeOne"
    ordered = False
    adding = "Symmetric"
    unordered = "ChangeOne"

    @classmethod
    def length(cls, x: Sequence[Hashable], y: Sequence[Hashable]) -> Length:
        return rational(_difference(x, y) // 2) if len(x) == len(y) else INFINITE


class Hamming(_Replacing):
    """Lists of one public length: number of positions that differ."""

    name = "Hamming"
    ordered = True
    adding = "InsertDelete"
    unordered = "ChangeOne"

    @classmethod
    def length(cls, x: Sequence[Hashable], y: Sequence[Hashable]) -> Length:
        if len(x) != len(y):
            return INFINITE
        return rational(sum(u != v for u, v in zip(x, y, strict=True)))


ROW_METRICS: dict[str, type[RowMetric]] = {
    metric.name: metric for metric in (Symmetric, InsertDelete, ChangeOne, Hamming)
}
#: Names of those whose number of rows is private, and of those whose number is public.
PRIVATE_SIZE = tuple(name for name, metric in ROW_METRICS.items() if not metric.public_size())
PUBLIC_SIZE = tuple(name for name, metric in ROW_METRICS.items() if metric.public_size())
#: Names of those that do not see the order of the rows.
UNORDERED = tuple(name for name, metric in ROW_METRICS.items() if not metric.ordered)


def metric_of(name: str) -> type[RowMetric]:
    """The metric of a name.

    Raises:
        SpaceError: no metric of tables is called that.
    """
    found = ROW_METRICS.get(name)
    return ROW_METRICS[record_metric_name(name)] if found is None else found


def record_metric_name(item: object) -> str:
    """The name of the metric of tables that a marker or a string means.

    Raises:
        SpaceError: `item` names no metric on records.
    """
    name = item.name if is_marker(item) else item
    if not isinstance(name, str) or name not in ROW_METRICS:
        *names, last = ROW_METRICS
        raise SpaceError(
            f"{show(item)} is no metric on records", remedy=f"write {', '.join(names)} or {last}"
        )
    return name


def _difference(x: Sequence[Hashable], y: Sequence[Hashable]) -> int:
    left, right = Counter(x), Counter(y)
    return (left - right).total() + (right - left).total()


def common_subsequence(a: Sequence[Hashable], b: Sequence[Hashable]) -> int:
    """Length of the longest common subsequence; time len(a) * len(b)."""
    best = [0] * (len(b) + 1)
    for u in a:
        diagonal = 0
        for j, v in enumerate(b, 1):
            above = best[j]
            best[j] = diagonal + 1 if u == v else max(above, best[j - 1])
            diagonal = above
    return best[-1]
