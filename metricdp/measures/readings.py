"""Readings of a composition tree: what one input pays under a measure.

Sequential composition adds epsilon, rho, (epsilon, delta) and (rho, delta); a choice made by public
or released values charges the worst branch; parallel composition over rows charges one row per
changed row.

Units that reach several rows (`Reach`): a person with rows in several groups changes at most
`touched` of the parts, each by at most `most`, and all by at most `factor`.  Which parts, the data
say before anything happens; along every history a unit pays for these, and a sum that is bounded
along every history bounds an adaptive composition (sources in `check.domain.parallel`).  A cost f
of one part with f(x) / x rising is largest where as few parts as possible move as far as they can
(`over_reach`).  Other epsilons, and (epsilon, delta), add up over the parts that one unit touches,
and go through the units one after the other.

Source: basic and parallel composition (Dwork and Roth 2014, sections 3.5 and 3.16; McSherry 2009),
zCDP composition (Bun and Steinke 2016, Lemma 1.7).

Approximate zCDP, (rho, delta), is for trees without a rho of which some event states one beside a
delta.  There every event counts: a rho is (rho, 0), and an (epsilon, delta) is
(epsilon tanh(epsilon / 2), delta), since but for an open failure of probability delta it is a
post-processing of randomized response (Kairouz, Oh, Viswanath 2015, Theorem 3.4).  Both parts add
(Bun and Steinke 2016, Lemma 8.2).

Samples (`sampled_cost`).  Everything that reads one sample is composed first and amplified once, by
`Scheme.amplified`; the sample is independent of the data, so it may be thought of as drawn before
all of it.

When the body also reads the unsampled rows, write F(A, B) for the body on a sample of A and on B
itself.  F(A, B) and F(A', B) differ by the amplified cost (e1, d1) for every fixed B, and F(A', B)
and F(A', B') by the cost (e2, d2) for every fixed sample, hence also on average, because
hockey-stick divergences are jointly convex.  Together (e1 + e2, d1 + e^e1 d2).

rho-zCDP is not amplified.  Coupled samples of neighbours differ by at most one row (two under
Poisson inclusion when a row is replaced, all draws with replacement), and Renyi divergences are
jointly quasi-convex, so rho is that of the base at this distance.  Where an event reads sample and
data at once, F(A, B), F(A', B), F(A', B') is a path, and sqrt(rho) adds along paths
(`accounting.renyi` with the best p).  For (rho, delta) the same holds but for an open failure,
whose chances add; where an event reads both, nothing is stated: the failures of the two halves of
the path are not one.

The best of a random number of private rounds (`selected_cost`).  A round Q releases (score, value);
K rounds run, K secret and independent of the data, and the pair of the best score is released, the
first of equals.  With stop g in (0, 1] and shape h in (-1, 1],
  P(K = k) is proportional to (1 - g)^(k-1) w_k,  w_k = product over l from 1 to k - 1 of
  (l + h)/(l + 1):
the truncated negative binomial law, whose generating function f has
  f'(x) = E[K] (g / (1 - (1 - g) x))^(h + 1).

Pure.  Let a and b be the chances under Q of a score below, and of at most, that of y.  Counting the
place of the first best,  A(y) = Q(y) E[sum_j a^(j-1) b^(K-j)] = Q(y) times the mean of
f'(a + t(b - a)) over t in [0, 1].  Q(y) moves by a factor of at most e^eps.  The chance
x = a + t(b - a) is that of an event decided by a pair and a coin, so x and 1 - x move by a factor
of at most e^eps too.  For u = 1 - (1 - g) x = g + (1 - g)(1 - x), with v = 1 - x, that is
  u'/u = (g + (1 - g) v') / (g + (1 - g) v),  v' <= min(e^eps v, 1 - e^-eps (1 - v)).
It rises in v as long as the first of the two is the least and falls from there on, so it is largest
where they meet, at v = 1/(1 + e^eps): u'/u <= (e^eps + g)/(1 + g e^eps), and f' moves by at most
the (h + 1)th power.  Together eps + (1 + h) ln((e^eps + g)/(1 + g e^eps)): eps for one round
(g = 1), and for small g up to 3 eps for geometric rounds, 2 eps for logarithmic ones.  Approached
for every g: v and v' as above, and a result of nearly no chance, between those of v and the others,
whose chance is e^eps times as large under Q as under Q'.

(epsilon, delta).  Two laws that are (eps, delta)-close both ways are (1 - delta) Q_0 + delta E with
Q_0 eps-close (Kairouz, Oh, Viswanath 2015, Theorem 3.4).  Some round is of the second kind with a
chance of at most delta E[K].  Otherwise f(x) becomes f((1 - delta) x) on both sides, of the same
form with (1 - g)(1 - delta) in place of 1 - g, a larger g, for which the pure bound is smaller:
that of g, and delta E[K].  E[K] is 1/g for
geometric rounds, and less for h < 1, where long runs are thinned out.

First above a threshold.  Rounds run until one has a score of at least a public threshold, which is
released; after one that has not, a coin of chance g says to stop with nothing.  With p the chance
under Q of a score that reaches it and u = 1 - (1 - g)(1 - p), A(y) = Q(y) / u, and nothing has the
chance g (1 - p) / u.  Q(y) and 1 - p move by at most e^eps, and u as before: the bound for h = 0,
attained by nothing at p = 1/(1 + e^eps), which answers of odds e^eps have.  There are at most 1/g
rounds on average, so delta / g as before: the node of h = 0 is used.  1/u in place of
f' is at most 1/g, and u >= g, so the Renyi bound of h = 0 holds as well.

rho-zCDP: none but the rho of a pure bound, and (rho, delta) that of an (epsilon, delta).  A fixed
number of rounds costs that many rounds.
Sources: Liu and Talwar (2019), Theorems 3.1 and 3.2; Papernot and Steinke (2022), Theorem 2 and
Corollary 3.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from metricdp.accounting.costs import group_approx, group_pure, pure_to_zcdp, selected
from metricdp.errors import ExpressionError
from metricdp.expr import (
    INF,
    ONE,
    ZERO,
    D,
    Expr,
    Relation,
    ceil,
    compare,
    compose,
    exp,
    linear_coefficient,
    maximum,
    minimum,
    num,
    root,
    sum_over,
    sym,
)
from metricdp.measures.events import (
    Choice,
    Event,
    Parallel,
    Reach,
    Repeat,
    Sampled,
    Selected,
    Sequence,
    Spent,
    Tree,
    apart,
    no_node,
    noise_bound,
    parts,
    traced,
    two_parts,
)
from metricdp.measures.joint import cancels, mixture, with_row
from metricdp.measures.replaced import coupled, replacing_body

#: rho beside a delta.
APPROX_ZCDP = "approx_zcdp"
#: measure -> number of expressions in its cost.
MEASURES = {"pure": 1, "zcdp": 1, "approx": 2, APPROX_ZCDP: 2}
#: Measures whose costs imply a (rho, delta), the closest first.
_IMPLYING = (APPROX_ZCDP, "zcdp", "pure", "approx")
MOVED, RATIO, BOUND = "_moved", "_ratio", "_bound"

Cost = tuple[Expr, ...]


def available(tree: Tree) -> list[str]:
    """Measures under which every event of the tree has a cost, the strongest first."""
    found = [measure for measure in MEASURES if _available(tree, measure)]
    if APPROX_ZCDP in found and ("zcdp" in found or not _states_rho_and_delta(tree)):
        found.remove(APPROX_ZCDP)
    return found


def _states_rho_and_delta(tree: Tree) -> bool:
    return any(APPROX_ZCDP in leaf.event.privacy for leaf in leaves(tree))


def _available(tree: Tree, measure: str) -> bool:
    if isinstance(tree, Spent):
        return _has(tree.event, measure)
    # The best of several rounds has no rho of its own, only that of its epsilon.
    if isinstance(tree, Selected):
        measure = {"zcdp": "pure", APPROX_ZCDP: "approx"}.get(measure, measure)
    return all(_available(part, measure) for part in parts(tree))


def _has(event: Event, measure: str) -> bool:
    # A pure cost has a rho (`implications.pure_to_zcdp`) and is an (epsilon, 0).
    return measure == APPROX_ZCDP or measure in event.privacy or "pure" in event.privacy


def leaves(tree: Tree) -> list[Spent]:
    """Every event with its movement, in order."""
    if isinstance(tree, Spent):
        return [tree]
    return [leaf for part in parts(tree) for leaf in leaves(part)]


def spent(tree: Tree, measure: str, source: Any, distance: Expr) -> Cost:
    """What `source` pays when it moves by `distance`.

    Args:
        tree: the composition tree of a program.
        measure: "pure" (epsilon,), "zcdp" (rho,), "approx" (epsilon, delta) or "approx_zcdp"
            (rho, delta).
        source: a source of movement, as the events name it.
        distance: an expression; `d_in` itself gives the whole map.
    """
    nothing: Cost = (ZERO,) * MEASURES[measure]
    if isinstance(tree, Spent):
        return _event(tree, measure, source, distance)
    if isinstance(tree, Sequence):
        total = nothing
        for item in tree.items:
            cost = spent(item, measure, source, distance)
            total = _add(total, cost) if any(not part.is_zero for part in cost) else total
        return total
    if isinstance(tree, Choice):
        costs = [spent(item, measure, source, distance) for item in tree.items]
        return tuple(maximum(*column) for column in zip(*costs, strict=True))
    if isinstance(tree, Repeat):
        total = nothing
        for item in tree.body.items if isinstance(tree.body, Sequence) else (tree.body,):
            loop = Repeat(tree.count, item, tree.index)
            found = (over_rounds(loop, part) for part in spent(item, measure, source, distance))
            total = _add(total, tuple(found))
        return total
    if isinstance(tree, Sampled):
        return sampled_cost(tree, measure, source, distance)
    if isinstance(tree, Selected):
        return selected_cost(tree, measure, source, distance)
    if isinstance(tree, Parallel):
        return _parallel(tree, measure, source, distance)
    raise no_node(tree)


def _event(leaf: Spent, measure: str, source: Any, distance: Expr) -> Cost:
    moved = leaf.moved.get(source)
    if moved is None or moved.is_zero:
        return (ZERO,) * MEASURES[measure]
    known = _IMPLYING if measure == APPROX_ZCDP else (measure, "pure")
    stated = next(m for m in known if m in leaf.event.privacy)
    cost = _paid(tuple(leaf.event.privacy[stated]), moved, noise_bound(leaf), distance)
    return cost if stated == measure else implied(cost, stated, measure)


@lru_cache(maxsize=2048)
def _paid(privacy: Cost, moved: Expr, bound: Expr, distance: Expr) -> Cost:
    """The cost of one event; a check reads the same one several times."""
    here = moved if distance == D else compose(moved, distance)
    names = {MOVED: here, RATIO: _ratio(moved, here, bound, distance), BOUND: bound}
    return tuple(part.subs(names) for part in privacy)


def implied(cost: Cost, stated: str, measure: str) -> Cost:
    """What a cost in one measure implies in a weaker one; see the module."""
    if measure == "approx":
        return (*cost, ZERO)
    rho = cost[0] if stated == "zcdp" else pure_to_zcdp(cost[0])
    delta = cost[1] if len(cost) > 1 else ZERO
    return (rho,) if measure == "zcdp" else (rho, delta)


def _ratio(moved: Expr, here: Expr, bound: Expr, distance: Expr) -> Expr:
    """here / bound, where a linear movement simplifies to the distance."""
    if here == bound:
        return ONE
    slope = linear_coefficient(moved)
    if slope is not None and slope == bound:
        return distance
    return here / bound


def _parallel(tree: Parallel, measure: str, source: Any, distance: Expr) -> Cost:
    found = _over_parts(tree, measure, source, distance)
    if tree.each and any(part.is_infinite for part in found):
        # No worst allocation is known: the parts one after the other.
        return spent(apart(tree), measure, source, distance)
    return found


def _over_parts(tree: Parallel, measure: str, source: Any, distance: Expr) -> Cost:
    rest = spent(tree.body, measure, source, distance)
    if source != tree.parent:
        return rest
    if tree.reach is not None:
        found = _reached(tree, tree.reach, measure, distance)
        if not any(part.is_infinite for part in found) or tree.each:
            return _add(rest, found)
    total = tree.factor * distance
    if tree.whole and measure == "approx":
        return _add(rest, _steps_of_one(spent(tree.body, measure, tree.row, ONE), total))
    rows = spent(tree.body, measure, tree.row, D)
    if tree.whole and measure == "pure" and over_rows(rows[0], tree.unit).is_infinite:
        # Of a cost that is no map of this kind, what one step costs is enough.
        (one,) = spent(tree.body, measure, tree.row, ONE)
        return _add(rest, (one * total,))
    if tree.whole and measure == APPROX_ZCDP:
        # At most `total` rows move, each by at most `total`.
        rho, delta = rows
        return _add(rest, (compose(over_rows(rho, False), total), total * compose(delta, total)))
    return _add(rest, tuple(compose(over_rows(part, tree.unit), total) for part in rows))


def _reached(tree: Parallel, reach: Reach, measure: str, distance: Expr) -> Cost:
    """What `distance` units pay for rows of which none moves by more than `reach.most` each."""
    if measure == "approx":
        if reach.touched == num(2):
            return _steps_of_one(spent(two_parts(tree), measure, tree.row, reach.most), distance)
        epsilon, delta = spent(tree.body, measure, tree.row, reach.most)
        return _steps_of_one((reach.touched * epsilon, reach.touched * delta), distance)
    rows = spent(tree.body, measure, tree.row, D)
    if measure == APPROX_ZCDP:
        delta = distance * reach.touched * compose(rows[1], reach.most * distance)
        return over_reach(tree, rows[0], distance), delta
    (cost,) = rows
    found = over_reach(tree, cost, distance)
    if measure == "pure" and found.is_infinite:
        return (distance * reach.touched * compose(cost, reach.most),)
    return (found,)


def over_reach(tree: Parallel, cost: Expr, distance: Expr) -> Expr:
    """Largest total over rows that none of the units moves by more than it reaches.

    Of d units a row moves by x_i <= d most, and all rows by sum x_i <= d factor.  Where f(x) / x
    never falls, f(x_i) <= x_i f(d most) / (d most), and the sum is at most f(d most) factor / most.

    Args:
        cost: of one row, in d_in.
    """
    assert tree.reach is not None
    worst = over_rows(cost, False)
    if worst.is_infinite:
        return INF
    most = tree.reach.most
    return compose(worst, most * distance) * (tree.factor / most)


def over_rounds(tree: Repeat, part: Expr) -> Expr:
    """A cost of one round, or a number of calls in it, over all rounds.

    The first rounds in which nothing happens are left out where they would count: `if i > 0` and
    `for j in range(i)` do nothing at i = 0, where noise of scale i has no cost.
    """
    first = _idle(tree)
    first = first if any(not _is_zero(part, _at(tree, i)) for i in range(first)) else 0
    count = _without(tree.count, first) if first else tree.count
    if not tree.index or tree.index not in part.symbols:
        return count * part
    later = {tree.index: sym(tree.index, nonneg=True, integer=True) + first}
    return sum_over(part.subs(later) if first else part, tree.index, ZERO, count - 1)


#: Most rounds that are looked at.
_MOST_IDLE = 64


def _idle(tree: Repeat) -> int:
    """How many rounds at the start of a loop certainly do nothing."""
    if not tree.index:
        return 0
    found = (i for i in range(_MOST_IDLE) if not _nothing(tree.body, _at(tree, i)))
    return next(found, _MOST_IDLE)


def _at(tree: Repeat, round_: int) -> dict[str, Expr]:
    return {tree.index: num(round_)}


def _nothing(tree: Tree, at: dict[str, Expr]) -> bool:
    """Whether nothing is called where a name has this value: loops inside have no rounds, and
    branches are not taken."""
    if isinstance(tree, Repeat) and _is_zero(tree.count, at):
        return True
    if isinstance(tree, Choice) and tree.conditions:
        return all(
            any(_fails(relation, at) for relation in known) or _nothing(item, at)
            for item, known in zip(tree.items, tree.conditions, strict=True)
        )
    # A sample is drawn, and a selection runs, whatever is inside.
    return isinstance(tree, Repeat | Sequence | Choice) and all(
        _nothing(part, at) for part in parts(tree)
    )


def _fails(relation: Relation, at: dict[str, Expr]) -> bool:
    try:
        return compare(relation.left.subs(at), relation.op, relation.right.subs(at)) is False
    except ExpressionError:
        return False


def _is_zero(value: Expr, at: dict[str, Expr]) -> bool:
    try:
        return value.subs(at).is_zero
    except ExpressionError:
        return False


def _without(count: Expr, rounds: int) -> Expr:
    """A number of rounds without the first ones."""
    ((monomial, factor),) = count.terms.items() if len(count.terms) == 1 else ((None, None),)
    if monomial is not None and factor == 1 and len(monomial) == 1 and monomial[0][1] == 1:
        atom = monomial[0][0]
        if atom.kind == "max":
            return maximum(ZERO, *(each - rounds for each in atom.args))
    return maximum(ZERO, count - rounds)


def _steps_of_one(one: Cost, total: Expr) -> Cost:
    """A path of `total` steps, each of which moves one row by 1: group privacy along it."""
    epsilon, delta = one
    if delta.is_zero:
        return epsilon * total, delta
    return group_approx(epsilon, delta, total if total.is_integer() else ceil(total))


def over_rows(cost: Expr, unit: bool) -> Expr:
    """Largest total over rows whose distances add up to d_in."""
    if unit:
        return cost.subs({"d_in": ONE}) * D
    if cost.is_zero or linear_coefficient(cost) is not None:
        return cost
    # Superadditive powers are largest when one row carries all of the distance.
    if linear_coefficient(cost / D) is not None:
        return cost
    from metricdp.measures.one_row import one_row_is_worst

    return cost if one_row_is_worst(cost) else INF


def _add(a: Cost, b: Cost) -> Cost:
    return tuple(x + y for x, y in zip(a, b, strict=True))


def sampled_cost(tree: Sampled, measure: str, source: Any, distance: Expr) -> Cost:
    """What `source` pays for the body; see `readings.spent`."""
    direct = spent(tree.body, measure, source, distance)
    if source != tree.parent:
        return direct
    if measure in ("zcdp", APPROX_ZCDP):
        body, rows = coupled(tree, distance)
        base = spent(body, measure, tree.row, rows)
        if all(part.is_zero for part in direct) or not read_together(tree):
            return tuple(a + b for a, b in zip(base, direct, strict=True))
        if measure == APPROX_ZCDP:
            return INF, ONE
        return ((root(base[0]) + root(direct[0])) ** 2,)
    if _available(tree.body, "pure") and cancels(tree):
        together = group_pure(_joint(tree), distance)
        return (together,) if measure == "pure" else (together, ZERO)
    base = spent(tree.body, measure, tree.row, ONE)
    epsilon, delta = base if len(base) == 2 else (base[0], ZERO)
    found = tree.scheme.amplified(tree.adjacency, epsilon, delta, _replaced(tree, epsilon, delta))
    if measure == "pure":
        return (group_pure(found.epsilon, distance) + direct[0],)
    e, d = found.epsilon, found.delta
    if distance != ONE:
        e, d = (group_pure(e, distance), ZERO) if d.is_zero else group_approx(e, d, distance)
    if direct[1].is_zero:
        return e + direct[0], d
    return e + direct[0], d + exp(e) * direct[1]


def _joint(tree: Sampled) -> Expr:
    """What one row costs that moves the body by itself and by its place in the sample."""
    (alone,) = spent(tree.body, "pure", tree.parent, ONE)
    (both,) = spent(with_row(tree), "pure", tree.parent, ONE)
    return mixture(tree, alone, both)


def _replaced(tree: Sampled, epsilon: Expr, delta: Expr) -> tuple[Expr, Expr] | None:
    """(epsilon, delta) of the body when a row of the sample is replaced, if less than two steps."""
    body = None if epsilon.is_infinite else replacing_body(tree)
    if body is None:
        return None
    measure = "pure" if delta.is_zero and _available(tree.body, "pure") else "approx"
    e, d = (*spent(body, measure, tree.row, ONE), ZERO)[:2]
    if e == epsilon and d == delta:
        return e, d
    if not delta.is_zero:
        less = compare(e, "<=", 2 * epsilon) is True
        return (e, d) if less and compare(d, "<=", (1 + exp(epsilon)) * delta) is True else None
    if not d.is_zero:
        return None
    known = compare(e, "<=", 2 * epsilon)
    return None if known is False else (e if known else minimum(e, 2 * epsilon), ZERO)


def read_together(tree: Sampled) -> bool:
    """Whether one event reads the parent's rows in two ways: samples of them, or themselves."""
    same = (tree.parent, tree.row)
    return any(
        sum(outside in same for outside in sources.values()) > 1 for _, sources in traced(tree.body)
    )


def selected_cost(tree: Selected, measure: str, source: Any, distance: Expr) -> Cost:
    """What `source` pays for the best of the rounds; see `readings.spent`."""
    if measure in ("approx", APPROX_ZCDP):
        epsilon, delta = spent(tree.body, "approx", source, distance)
        found = selected(epsilon, tree.stop, tree.shape), delta / tree.stop
        return found if measure == "approx" else implied(found, "approx", measure)
    (epsilon,) = spent(tree.body, "pure", source, distance)
    whole = selected(epsilon, tree.stop, tree.shape)
    return (whole,) if measure == "pure" else (pure_to_zcdp(whole),)
