"""The samples of one run: drawn by the scheme, and with the numbers, that were charged."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from metricdp.errors import InternalError, ReplayError, SchemaError
from metricdp.measures.events import Sampled, Tree, nodes
from metricdp.run.sampling import positions, taken

if TYPE_CHECKING:
    from metricdp.measures.accounted import Scheme
    from metricdp.noise import BitSource


#: Site -> what its samples are drawn by.
Schemes = Mapping[str, Sequence["Scheme"]]


class RowSampler:
    """Draws the samples of one run.

    Args:
        schemes: see `schemes_at`.
        take: takes one call from those that were charged, and gives its address; see `charged`.
    """

    def __init__(
        self,
        schemes: Schemes,
        source: BitSource | None,
        take: Callable[[str, Mapping[str, Any]], str],
    ) -> None:
        self._charged, self._source, self._take = schemes, source, take

    def __call__(self, site: str, scheme: str, number: Any, containers: Sequence[Any]) -> Any:
        """The rows that one call draws.

        Raises:
            SchemaError: containers of unequal length.
            ReplayError: the handler has no randomness of its own.
            InternalError: another scheme, or other numbers, than were charged; or one more sample.
        """
        parts = [p for c in containers for p in (c if type(c) is tuple else (c,))]
        count = len(parts[0])
        if any(len(part) != count for part in parts):
            raise SchemaError("containers of unequal length are sampled together", place="sample")
        self._as_charged(self._take(site, self._charged), scheme, Fraction(number), count)
        if self._source is None:
            raise ReplayError("a replay draws no samples", place=site)
        # A replay aligns the rows of two runs.
        aligned = getattr(self._source, "positions", None)
        if aligned is not None:
            chosen = aligned(scheme, Fraction(number), parts)
        else:
            chosen = positions(scheme, Fraction(number), count, self._source)
        drawn = tuple(taken(part, chosen) for part in parts)
        return drawn[0] if len(drawn) == 1 else drawn

    def order(self, rows: Sequence[Any]) -> Sequence[int]:
        """The positions of rows in a uniformly random order; a replay keeps that of the data."""
        if self._source is None:
            return range(len(rows))
        scheme, count = "WithoutReplacement", len(rows)
        aligned = getattr(self._source, "positions", None)
        if aligned is not None:
            found: Sequence[int] = aligned(scheme, Fraction(count), [rows])
            return found
        return positions(scheme, Fraction(count), count, self._source)

    def _as_charged(self, site: str, scheme: str, number: Fraction, count: int) -> None:
        for each in self._charged[site]:
            own = [getattr(each, name).as_fraction() for name in each.__struct_fields__]
            same = own == ([number] if each.name == "Poisson" else [number, count])
            if each.name != scheme or not same:
                raise InternalError(f"the sample at {site} is not the one that was charged")


def charged(tree: Tree | None) -> dict[str, list[Scheme]]:
    """The schemes of every site that draws a sample."""
    found: dict[str, list[Scheme]] = {}
    for node in nodes(tree) if tree is not None else ():
        if isinstance(node, Sampled):
            found.setdefault(node.site, []).append(node.scheme)
    return found


def schemes_at(tree: Tree | None, env: Mapping[str, Fraction]) -> Schemes:
    """The schemes that were charged, at the public numbers of a run, by site."""
    return {site: [each.at(env) for each in schemes] for site, schemes in charged(tree).items()}
