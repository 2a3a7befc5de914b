"""above_threshold: the position of the first query whose noisy answer reaches a noisy threshold.

Privacy.  Laplace noise of scale b1 on the threshold, once, and fresh noise of scale b2 on every
answer; no answer moves by more than d.  Fix the noise of the answers before the one that is
reported: they stay below when the threshold's noise moves by d (a factor e^(d/b1)), and the
reported answer then needs 2d more noise (a factor e^(2d/b2)): epsilon = d/b1 + 2d/b2, for any
number of queries, and also for "none".  `eps` is a target: b1 = 2D/eps, b2 = 4D/eps for the largest
single-input bound D of the queries; `scale=b1, query_scale=b2` state the noise instead.  The bound
of the queries counts, not that of the data alone.  With `reports=c` it goes on to the c-th report,
with one noisy threshold and fresh noise for every query: each report needs 2d more, so
epsilon = d/b1 + 2 c d/b2, and a target has b2 = 4 c D/eps.
Answers that all rise or all fall when a record is added, one record after the other (`monotone`,
which check finds out by itself), cost epsilon = d/b1 + c d/b2, and a target has b2 = 2 c D/eps: let
q' = q + t with every t in [0, d].  From q to q', the threshold's noise moves by d up, which keeps
the answers below it, and a reported one needs d more to reach a threshold d higher.  From q' to q
the threshold stays: answers that are lower stay below, and a reported one needs at most d more.
Free are only the number of queries and the answer "below": reusing the noise of a query, releasing
the noisy answer, going on after the last report, or an unlimited number of reports are not covered
(Lyu, Su and Li list four published variants that fail there).
Approached by answers that hold the threshold up, and a last one far below them.
Source: Dwork and Roth (2014), Theorem 3.23; Lyu, Su and Li (2017), Algorithm 1.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from metricdp.accounting.costs import pure_to_zcdp
from metricdp.expr import ONE, Expr, num
from metricdp.families.above_threshold import ABOVE_THRESHOLD
from metricdp.measures.events import Event
from metricdp.primitives.mechanisms._noise import NONE, given, positive, public_number
from metricdp.primitives.mechanisms._selection import INDEX, directions, score_vector
from metricdp.record import (
    BOUND,
    MOVED,
    RATIO,
    Arg,
    Conclusion,
    Instance,
    Requirement,
    Spelling,
    refuse,
)
from metricdp.spaces import Vector

example = (
    "visits: dp.Records[float] = [3.0, 9.0, 12.0]; "
    "dp.above_threshold([dp.count(visits, lambda v: v > 100), dp.count(visits)], eps=1, "
    "threshold=2)"
)

spelling = Spelling(seed=("above_threshold",))

NAME = "above_threshold"

family = ABOVE_THRESHOLD


def rule(
    queries: Arg,
    eps: Arg = NONE,
    data: Arg = NONE,
    threshold: Arg = NONE,
    reports: Arg = NONE,
    scale: Arg = NONE,
    query_scale: Arg = NONE,
    candidates: Arg = NONE,
    monotone: Arg = NONE,
) -> Conclusion:
    """`queries` is the vector of the answers, as check read them; `threshold` is public.

    With `candidates` check read one function of the data and a public candidate.

    Exactly one of the target `eps` and the two scales.
    """
    requires = score_vector(queries, NAME)
    if threshold is NONE:
        raise refuse(
            "wrong-arguments",
            f"`{NAME}` needs `threshold`",
            need="a public or released number",
            help=f"dp.{NAME}(..., threshold=0)" if given(eps) else "threshold=0",
        )
    if threshold.private:
        raise refuse(
            "private-argument",
            f"the threshold {threshold.text} of `{NAME}` is not public",
            need="a public or released threshold",
            help="query(data) - private_threshold as the query, and 0 as the threshold",
        )
    count, whole = _count(reports)
    sides = directions(monotone, NAME)
    requires += whole
    if given(eps) == given(scale) or given(scale) != given(query_scale):
        raise refuse(
            "bad-noise",
            f"`{NAME}` takes a target, or the noise of the threshold and of the queries",
            need="`eps`, or `scale` and `query_scale`",
            help=f"dp.{NAME}(...)" if given(eps) else f"dp.{NAME}(..., eps=eps)",
        )
    if given(eps):
        target = public_number(eps, NAME, "eps")
        cost, first, each = target * RATIO, 2 * BOUND / target, 2 * sides * count * BOUND / target
        requires += positive(target, "bad-noise", eps.chosen)
    else:
        first, each = (
            public_number(scale, NAME, "scale"),
            public_number(query_scale, NAME, "query_scale"),
        )
        cost = MOVED / first + sides * count * MOVED / each
        requires += positive(first, "bad-noise", scale.chosen)
        requires += positive(each, "bad-noise", query_scale.chosen)
    noise = {"threshold_scale": first, "query_scale": each}
    if given(reports):
        noise["reports"] = count
    event = Event(NAME, family, "LInf", noise, {"pure": (cost,), "zcdp": (pure_to_zcdp(cost),)})
    return Conclusion(INDEX, requires=requires, events=(event,))


def _count(reports: Arg) -> tuple[Expr, tuple[Requirement, ...]]:
    """How many positions may be reported: 1, or a whole number >= 1."""
    if not given(reports):
        return ONE, ()
    count = public_number(reports, NAME, "reports")
    if count.is_integer() is not True:
        raise refuse(
            "bad-noise",
            f"`reports` of `{NAME}` is {count}, which is no whole number",
            need="how many positions it may report",
            help="reports=1",
        )
    return count, (Requirement(count, ">=", ONE, "bad-noise", "choose `reports` >= 1"),)


def run(
    queries: Any,
    threshold_scale: Fraction,
    query_scale: Fraction,
    threshold: int,
    source: Any = None,
    reports: Any = None,
) -> Any:
    """The first position on integer answers (ticks), with tick scales; None if there is none.

    With `reports`, the list of the first so many positions.
    """
    from metricdp.noise.selection import first_above, positions_above

    if reports is not None:
        scales = (threshold_scale, query_scale)
        return positions_above(list(queries), threshold, *scales, int(reports), source)
    return first_above(list(queries), threshold, threshold_scale, query_scale, source)


def law(
    queries: Any,
    threshold_scale: Fraction,
    query_scale: Fraction,
    threshold: Any,
    reports: Any = None,
) -> Any:
    """Exact law of the position or None (of the tuple of positions), for integer answers."""
    from metricdp.laws.selection import above_threshold_law, positions_above_law

    if reports is not None:
        scales = (Fraction(threshold_scale), Fraction(query_scale))
        return positions_above_law(queries, *scales, int(threshold), int(reports))
    return above_threshold_law(
        queries, Fraction(threshold_scale), Fraction(query_scale), int(threshold)
    )


def instances() -> Iterable[Instance]:
    answers = Vector("Int", "LInf", num(8))
    for eps, threshold in ((Fraction(1, 2), 0), (Fraction(1), 3), (Fraction(4), -1)):
        yield Instance({"queries": answers}, {"eps": eps, "threshold": threshold}, {}, "approached")
    stated = {"scale": Fraction(2), "query_scale": Fraction(3), "threshold": 0}
    yield Instance({"queries": answers}, stated, {}, "approached")
    for noise in (stated, {"eps": Fraction(1), "threshold": 3}):
        yield Instance({"queries": answers}, noise | {"monotone": True}, {}, "approached")
    several = {"eps": Fraction(8), "threshold": 1, "reports": 2}
    yield Instance({"queries": Vector("Int", "LInf", num(10))}, several, {}, "approached")


def tight(instance: Instance, d: int, tol: Fraction) -> Any:
    """All answers but the last rise by d and stay below; the last ones fall, or stay where all move
    in one direction, and are reported.
    """
    # Many fresh noises of 2 b1 or more cost more than the threshold's one, so that one is high.
    count = instance.public.get("reports", 1)
    first = instance.public.get("scale", 2 / instance.public.get("eps", 1))
    far = int(40 * count * (first + 1)) * d
    below = 8 if count > 1 else 7
    last = 0 if instance.public.get("monotone") else d
    return (
        {"queries": [far] * below + [last] * count},
        {"queries": [far + d] * below + [0] * count},
    )
