"""Samples of rows while a program runs: which positions a scheme draws, and the rows there.

Poisson inclusion flips one exact coin per row; a sample without replacement is the first rows of a
uniform shuffle; with replacement every draw is uniform and independent.  A sample of fixed size
stands in the order in which it was drawn: the theorems change one row of it where it stands, and in
the order of the data another row in the sample would move those between (`measures.sampling`).
The positions are neither recorded nor released: a sample that is known amplifies nothing.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from metricdp.columns.table import Table
from metricdp.errors import NotProvedError
from metricdp.values import ExactMatrix, ExactVector, NumberMatrix, NumberRows, Numbers

if TYPE_CHECKING:
    from metricdp.noise import BitSource


def sample(*args: Any, q: Any = None, replace: bool = False) -> Any:
    """Secret rows of private containers: `sample(rows, q=rate)`, `sample(b, rows)`,
    `sample(b, rows, replace=True)`; containers with the same rows are sampled together.

    Poisson inclusion takes every row with probability `q`, and how many it takes is private;
    `sample(b, ...)` takes b rows in random order, without replacement unless `replace` says
    otherwise.  All that
    reads the sample in the round that draws it is composed first, and amplified once.

    Raises:
        NotProvedError: called outside a checked function.
    """
    raise NotProvedError(
        "`sample` was called outside a checked function, so no privacy is proved",
        remedy="call it in a function decorated with @dp.measurement",
    )


def positions(scheme: str, number: Fraction, count: int, source: BitSource) -> list[int]:
    """Positions of the sampled rows, in the order in which the sample holds them.

    Args:
        scheme: name of a class of `measures.sampling`.
        number: the rate of Poisson inclusion, else how many rows are drawn.
        count: how many rows there are.
    """
    if scheme == "Poisson":
        from metricdp.noise import bernoulli

        return [i for i, taken in enumerate(bernoulli(number, count, source).tolist()) if taken]
    size = int(number)
    if scheme != "WithoutReplacement":
        return [source.below(count) for _ in range(size)]
    # A shuffle that stops after `size` exchanges; what was not exchanged stands where it was.
    moved: dict[int, int] = {}
    chosen = []
    for i in range(size):
        j = i + source.below(count - i)
        chosen.append(moved.get(j, j))
        moved[j] = moved.get(i, i)
    return chosen


def taken(rows: Any, chosen: list[int]) -> Any:
    """The rows at these positions, in a container of the same kind."""
    if isinstance(rows, Numbers | NumberMatrix | Table):
        return rows.taken(chosen)
    if isinstance(rows, ExactMatrix):
        return ExactMatrix([list.__getitem__(rows, i) for i in chosen], rows.cols)
    found = [list.__getitem__(rows, i) for i in chosen]
    if isinstance(rows, NumberRows):
        return NumberRows(found, rows.cols)
    return ExactVector(found) if isinstance(rows, ExactVector) else found
