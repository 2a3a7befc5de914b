"""Records as lists: multiset and list distances, samples, moves, simplifications."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from metricdp.spaces.cells import canonical
from metricdp.spaces.lengths import INFINITE, Length, rational
from metricdp.spaces.rows import Row
from metricdp.spaces.substitution import size_value
from metricdp.spaces.texts import Named
from metricdp.spaces.vectors import Vector

if TYPE_CHECKING:
    from random import Random

    from metricdp.spaces.records import Records


def record_key(space: Records, record: Any) -> Hashable:
    """A hashable form of a record under the equality of its domain."""
    row = space.row
    if isinstance(row, Vector):
        return tuple(canonical(entry) for entry in record)
    if isinstance(row, Named):
        return row.key(record)
    parts = row.parts(record) if isinstance(row, Row) else (record,)
    return tuple(canonical(part) for part in parts)


def contains_records(space: Records, value: Any) -> bool:
    """Whether the value is a list of records of the domain, of the public size if there is one."""
    if not isinstance(value, (list, tuple)):
        return False
    size = size_value(space.size)
    return (size is None or len(value) == size) and all(map(space.row.contains, value))


def records_length(space: Records, x: Sequence[Any], y: Sequence[Any]) -> Length:
    """The distance under the metric of the records."""
    if space.sized and len(x) != len(y):
        return INFINITE
    a = [record_key(space, record) for record in x]
    b = [record_key(space, record) for record in y]
    if space.metric == "Hamming":
        return rational(sum(u != v for u, v in zip(a, b, strict=True)))
    if space.metric == "InsertDelete":
        return rational(len(a) + len(b) - 2 * common_subsequence(a, b))
    left, right = Counter(a), Counter(b)
    moved = (left - right).total() + (right - left).total()
    return rational(moved // 2 if space.metric == "ChangeOne" else moved)


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


def _record(space: Records, x: Sequence[Any], rng: Random) -> Any:
    """A record: one that is there already, an extreme one, or any."""
    draw = rng.random()
    if x and draw < 0.2:
        return rng.choice(x)
    return rng.choice(space.row.extremes()) if draw < 0.5 else space.row.sample(rng)


def sample_records(space: Records, rng: Random, size_hint: int) -> list[Any]:
    """A list of records, some of them repeated."""
    size = size_value(space.size)
    n = rng.randint(0, size_hint) if size is None else size
    records: list[Any] = []
    for _ in range(n):
        records.append(_record(space, records, rng))
    return records


def extreme_records(space: Records) -> list[list[Any]]:
    """No records where that is possible, every extreme record alone or repeated, all in turn."""
    size = size_value(space.size)
    edges = space.row.extremes()
    if size is not None:
        in_turn = [edges[i % len(edges)] for i in range(size)]
        return [*([edge] * size for edge in edges), in_turn]
    return [[], *([edge] for edge in edges), *([edge] * 3 for edge in edges), list(edges)]


def move_records(space: Records, x: Sequence[Any], d: int, rng: Random) -> list[Any]:
    """Records added, removed or replaced `d` times; multisets are sometimes reordered as well."""
    y = list(x)
    if space.sized:
        for i in rng.sample(range(len(y)), min(int(d), len(y))):
            old = record_key(space, y[i])
            draws = (_record(space, [], rng) for _ in range(6))
            y[i] = next((new for new in draws if record_key(space, new) != old), y[i])
    else:
        style = rng.choice((0.0, 0.5, 1.0))
        for _ in range(int(d)):
            if y and rng.random() < style:
                y.pop(rng.randrange(len(y)))
            else:
                y.insert(rng.randint(0, len(y)), _record(space, y, rng))
    if space.metric in ("Symmetric", "ChangeOne") and rng.random() < 0.2:
        rng.shuffle(y)
    return y


def shrink_records(space: Records, x: Sequence[Any]) -> Iterator[list[Any]]:
    """Fewer records where the size is free, then one simpler record at a time."""
    x = list(x)
    if size_value(space.size) is None and x:
        if len(x) > 2:
            yield x[: len(x) // 2]
        for i in range(len(x)):
            yield x[:i] + x[i + 1 :]
    for i, record in enumerate(x):
        for simpler in space.row.shrink(record):
            yield [*x[:i], simpler, *x[i + 1 :]]
