"""private_quantile: chooses one of the public candidates, by how well it splits the rows.

Privacy.  The score of t is -|(1 - alpha) #{x < t} - alpha #{x > t}|, and 0 where a share alpha of
the rows lies below.  A row that is added or removed moves each score by at most
m = max(alpha, 1 - alpha), up or down, so two scores move apart by at most 2m; a replaced row
moves (1 - alpha) #{x < t} - alpha #{x > t} by at most 1, so 2; for alpha 0 or 1 all scores move one
way, so 1 each.  The choice by permute-and-flip (`by="exponential"`: by exponential weights) at
temperature T depends on differences of scores alone: epsilon = 2 m d / T, and 2 d / T for replaced
rows; rho = epsilon tanh(epsilon / 2), and epsilon^2 / 8 for exponential weights.  With `epsilon=`,
T comes from the inferred bound.
Candidates are public: they come from no private data.
Approached when all rows lie between low candidates and a far one.
Source: Smith (2011), section 3; McKenna and Sheldon (2020).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

from metricdp.expr import ONE
from metricdp.families.recorded import Recorded
from metricdp.measures.events import Event
from metricdp.primitives.mechanisms._choices import FLIP, WEIGHTS, costs, noise_of, pick, way
from metricdp.primitives.mechanisms._choices import law_of as law_of_choice
from metricdp.primitives.mechanisms._noise import NONE
from metricdp.primitives.mechanisms._quantiles import (
    number_rows,
    numbers,
    score,
    share,
    spread,
    table,
)
from metricdp.record import ONE_METRIC, Arg, Conclusion, Instance, Spelling, refuse
from metricdp.spaces import Records, Scalar
from metricdp.spaces.metrics import UNORDERED

example = (
    "visits: dp.Records[float] = [3.0, 9.0, 12.0]; "
    "dp.private_quantile(visits, (0, 5, 10, 15), 0.5, epsilon=1)"
)

__all__ = ["scores"]

spelling = Spelling(opendp=("make_private_quantile",))

NAME = "private_quantile"


def rule(
    x: Arg,
    candidates: Arg,
    alpha: Arg,
    *,
    scale: Arg = NONE,
    epsilon: Arg = NONE,
    by: Arg = NONE,
) -> Conclusion:
    """A table of numbers; at least one candidate; 0 <= alpha <= 1; one of `scale` and `epsilon`."""
    space = number_rows(x, NAME)
    _candidates(candidates)
    below, requires = share(alpha, NAME)
    chosen = way(by, NAME)
    help = f"dp.{NAME}(..., epsilon=eps)"
    width, one, positive = noise_of(NAME, spread(space, below), scale, epsilon, ONE, help)
    event = Event(NAME, family, ONE_METRIC, {"scale": width}, costs(chosen, one, ONE))
    return Conclusion(Scalar("Real"), requires=requires + positive, events=(event,))


def _candidates(candidates: Arg) -> None:
    if candidates.private:
        raise refuse(
            "private-argument",
            f"the candidates {candidates.text} of `{NAME}` are private, so the choice shows them",
            need="public candidates",
            help="a tuple of numbers, or a public parameter",
        )
    literal = candidates.literal
    if isinstance(literal, list | tuple) and not literal:
        raise refuse(
            "wrong-arguments",
            f"`{NAME}` has no candidates",
            need="at least one number",
            help=f"dp.{NAME}(x, candidates=(0, 10, 20), alpha=0.5, epsilon=eps)",
        )


def scores(x: Any, candidates: Sequence[Any], alpha: Fraction) -> list[Fraction]:
    """One score per candidate."""
    held, share = table(x), Fraction(alpha)
    if held is not None:
        return [score(below, above, share) for below, above in held.sides(candidates)]
    rows = numbers(x)
    found = []
    for t in candidates:
        number = Fraction(t)
        below, above = bisect_left(rows, number), len(rows) - bisect_right(rows, number)
        found.append(score(below, above, share))
    return found


def run(
    x: Any,
    candidates: Sequence[Any],
    alpha: Fraction,
    scale: Fraction,
    by: str = FLIP,
    source: Any = None,
) -> Any:
    """One of the candidates; `scale` is T >= 0."""
    options = list(candidates)
    return options[pick(scores(x, options, alpha), scale, by, source)]


def law(x: Any, candidates: Sequence[Any], alpha: Fraction, scale: Fraction, by: str = FLIP) -> Any:
    """Exact law of the position of the chosen candidate."""
    return law_of_choice(scores(x, candidates, alpha), Fraction(scale), by)


class _Quantile(Recorded, frozen=True):
    def law(self, draw: Any, value: Any) -> Any:
        """On the candidates themselves, which are released."""
        from metricdp.laws import push

        options = list(draw.extra["candidates"])
        return push(super().law(draw, value), lambda position: options[position])


#: A table is read in columns.
tabular = run
family = _Quantile(NAME, run, law)


def instances() -> Iterable[Instance]:
    rows = Scalar("Data", kind="int")
    for by in (FLIP, WEIGHTS):
        for metric in UNORDERED:
            public = {"candidates": (5, 6, 10), "alpha": Fraction(1, 4), "scale": Fraction(2)}
            yield Instance({"x": Records(rows, metric)}, {**public, "by": by}, {}, "approached")
    public = {"candidates": (5, 6, 10), "alpha": Fraction(1, 2), "epsilon": Fraction(1)}
    yield Instance({"x": Records(rows)}, public, {}, "approached")


def tight(instance: Instance, d: int, tol: Fraction) -> Any:
    """Most rows lie at 7: a row at 1 raises the candidates 5 and 6, and lowers 10, far below."""
    public = instance.public
    scale = public["scale"] if "scale" in public else Fraction(1) / public["epsilon"]
    space: Any = instance.private["x"]
    rest = [7] * int(240 * (scale + d))
    if space.row_metric.replaces:
        return {"x": [*rest, *([11] * d)]}, {"x": [*rest, *([1] * d)]}
    return {"x": rest}, {"x": [*rest, *([1] * d)]}
