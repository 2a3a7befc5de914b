"""The sparse vector technique: the first positions whose noisy answer reaches a noisy threshold."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

import msgspec

from metricdp.families.chosen import Comparing
from metricdp.families.family import Draw, Entering

if TYPE_CHECKING:
    from metricdp.noise import BitSource


class AboveThreshold(Comparing, frozen=True):
    """Draws have "threshold" and "query_scale" in `extra`, and "reports" where a call has it.

    What is released is one position or None, unless the call says how many it may report: then a
    list.  The scale is that of the threshold.
    """

    name: str = "above_threshold"
    parameter: ClassVar[str] = "threshold_scale"
    chooses: ClassVar[str] = "queries"

    def request(
        self, noise: Mapping[str, Fraction], lower: Callable[[str], Fraction]
    ) -> tuple[Fraction, dict[str, Any]]:
        """Both scales."""
        return noise[self.parameter], {"query_scale": noise["query_scale"]}

    def fixed(
        self, noise: Mapping[str, Fraction], public: Mapping[str, Any]
    ) -> tuple[Fraction, dict[str, Any]]:
        """Both scales, the threshold and how many may be reported."""
        extra = {name: value for name, value in noise.items() if name != self.parameter}
        extra |= {name: public[name] for name in ("threshold", "reports") if name in public}
        return noise.get(self.parameter, Fraction(0)), extra

    def entering(self, draw: Draw, given: Mapping[str, Any]) -> Entering:
        """The answers of the queries, of one query to several candidates where these are given;
        numbers are answers already."""
        data = given.get("data")
        if given.get("candidates") is not None:
            answers = [given["queries"](data, c) for c in list(given["candidates"])]
        else:
            answers = [q(data) if callable(q) else q for q in given["queries"]]
        extra = {
            **draw.extra, "threshold": given["threshold"], "reports": given.get("reports"),
        }  # fmt: skip
        return Entering(msgspec.structs.replace(draw, extra=extra), answers)

    def choose(self, draw: Draw, scores: Sequence[Fraction], source: BitSource) -> Any:
        """See `noise.selection.positions_above`."""
        from metricdp.noise.selection import positions_above

        if not draw.scale:
            return _without_noise(draw, scores)
        ticks, level, first, each = _on_grid(draw, scores)
        reports = int(draw.extra.get("reports") or 1)
        return _answer(draw, positions_above(ticks, level, first, each, reports, source))

    def law_of(self, draw: Draw, scores: Sequence[Fraction]) -> Any:
        """See `laws.above_threshold_law`."""
        from metricdp.laws import FiniteLaw, above_threshold_law
        from metricdp.laws.selection import positions_above_law

        if not draw.scale:
            found = _without_noise(draw, scores)
            return FiniteLaw.sure(tuple(found) if isinstance(found, list) else found)
        ticks, level, first, each = _on_grid(draw, scores)
        reports = draw.extra.get("reports")
        if reports is None:
            return above_threshold_law(ticks, first, each, level)
        return positions_above_law(ticks, first, each, level, int(reports))

    def shown(self, draw: Draw, value: Any) -> Callable[[Any], Any]:
        """Several positions are a list."""
        return list if draw.extra.get("reports") is not None else super().shown(draw, value)

    def outcomes(self, draw: Draw, value: Any) -> Sequence[Any] | None:
        """Every position, and None; of several positions there are too many."""
        if draw.extra.get("reports") is not None:
            return None
        return [*(super().outcomes(draw, value) or ()), None]


def _on_grid(draw: Draw, scores: Sequence[Fraction]) -> tuple[list[int], int, Fraction, Fraction]:
    """Answers and threshold in ticks, with the two scales."""
    from metricdp.noise.grid import to_ticks
    from metricdp.values.exact import exact

    grid = draw.grid()
    ticks = [to_ticks(score, grid.exponent) for score in scores]
    level = to_ticks(exact(draw.extra["threshold"]), grid.exponent)
    each = grid.tick_scale * Fraction(draw.extra["query_scale"]) / draw.scale
    return ticks, level, grid.tick_scale, each


def _without_noise(draw: Draw, scores: Sequence[Fraction]) -> Any:
    """What a bound of 0 needs: all scores move together or not at all."""
    from metricdp.values.exact import exact

    threshold = exact(draw.extra["threshold"])
    found = [i for i, score in enumerate(scores) if score >= threshold]
    return _answer(draw, found[: int(draw.extra.get("reports") or 1)])


def _answer(draw: Draw, found: list[int]) -> Any:
    if draw.extra.get("reports") is not None:
        return found
    return found[0] if found else None


ABOVE_THRESHOLD = AboveThreshold()
