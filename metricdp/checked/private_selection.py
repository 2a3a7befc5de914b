"""The private selections of one run: rounds by the law, and with the numbers, that were charged."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from metricdp.checked.charged import Charged
from metricdp.errors import ParameterError
from metricdp.expr import Expr
from metricdp.measures.events import Selected, Tree, nodes
from metricdp.run.private_selection import best_round, first_round

if TYPE_CHECKING:
    from metricdp.noise import BitSource


class Selector:
    """Runs the rounds of one run's selections."""

    def __init__(
        self, charged: Mapping[str, Selected], env: Mapping[str, Fraction],
        source: BitSource | None, plain: Callable[[Any], Any], left: Charged,
    ) -> None:  # fmt: skip
        self._env, self._source, self._plain, self._left = env, source, plain, left
        self._charged = charged

    def __call__(
        self, site: str, once: Callable[[int | None], Any], count: int | None, stop: Any,
        shape: Any, threshold: Any = None,
    ) -> Any:  # fmt: skip
        """The best round, or the first whose score reaches the threshold.

        Args:
            once: one round, given the position of a candidate.
            count: how many candidates there are; None: rounds take none.

        Raises:
            ParameterError: no candidates.
            InternalError: no selection was charged here, or none is left.
        """
        if count == 0:
            raise ParameterError("a private selection has no candidates", place=site)
        address = self._left.call(site, self._charged)
        limit, thinning = self._charged_at(address, stop, shape)

        def one() -> Any:
            self._left.begin_round()
            index = None
            if count is not None and self._source is not None:
                index = self._source.below(count)
            # Marks of draws count from the block around the rounds.
            return self._plain(once(index))

        with self._left.in_rounds(address):
            if threshold is not None:
                return first_round(one, limit, threshold, self._source, site)
            return best_round(one, limit, thinning, self._source, site)

    def _charged_at(self, address: str, stop: Any, shape: Any) -> tuple[Fraction, Fraction]:
        """The numbers that were charged; those of the program where they depend on its rounds."""
        found = self._charged[address]
        limit, thinning = self._value(found.stop), self._value(found.shape)
        return (
            Fraction(stop) if limit is None else limit,
            Fraction(shape) if thinning is None else thinning,
        )

    def _value(self, expr: Expr) -> Fraction | None:
        return expr.exact(self._env) if expr.symbols <= self._env.keys() else None


def selections(tree: Tree | None) -> dict[str, Selected]:
    """The selections that were charged, by site."""
    found = nodes(tree) if tree is not None else ()
    return {node.site: node for node in found if isinstance(node, Selected)}
