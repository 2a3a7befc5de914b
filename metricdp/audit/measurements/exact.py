"""Exact audits: the privacy map against the distance of the laws themselves, without samples.

Epsilon-DP of a mechanism x -> mu_x at every distance says that x -> mu_x is Lipschitz from the
input space into the laws under d_DP (Wilson 2021; Chatzikokolakis et al. 2013 in metric form).  The
distances are enclosures of rationals, so "the map is too small" is decided without rounding.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import combinations
from math import floor, inf
from time import monotonic
from typing import Any

import msgspec
from msgspec.structs import replace

from metricdp.audit.measurements.neighbours import Pair, given_pairs
from metricdp.audit.measurements.progress import Progress, progress_on
from metricdp.audit.measurements.verdicts import (
    Bounds,
    Number,
    PrivacyClaim,
    PrivacyRefuted,
    PrivacySurvived,
    Verdict,
    ratio,
    short,
)
from metricdp.errors import MetricdpError, ParameterError

#: Halvings of epsilon when delta is asked for at a lower bound.
_HALVINGS = 24
#: Enclosures that end this close above a claim were rounded outwards, no more.
_WIDER = 1 + Fraction(1, 10**9)
#: Epsilons at which an excess is looked for: rho + 2 sqrt(rho t), where e^-t is the usual delta.
_AT = (2, 6, 14)


class LossBounds(msgspec.Struct, frozen=True):
    """The exact loss between two laws, in the last number of a claim.

    Attributes:
        low, high: enclosure of epsilon, of delta at the claimed epsilon, or of rho: the larger of
            both directions.
        swapped: the second law is the likelier one in the worse direction.
    """

    low: Number
    high: Number
    swapped: bool = False


def loss_between(p: Any, q: Any, claim: PrivacyClaim) -> LossBounds:
    """The loss between two laws, in the last number of the claim.

    Raises:
        ParameterError: a pair of laws for which no distance is known.
    """
    p, q = differing(p, q)
    there, back = _directed(p, q, claim), _directed(q, p, claim)
    worse = back[0] > there[0]
    return LossBounds(max(there[0], back[0]), max(there[1], back[1]), worse)


def _directed(p: Any, q: Any, claim: PrivacyClaim) -> tuple[Number, Number]:
    from metricdp.laws import hockey_stick, max_divergence

    if claim.measure == "zcdp":
        found = rho_between(p, q)
        return (inf, inf) if isinstance(found, float) else found
    if claim.measure == "approx_zcdp":
        return failing(p, q, claim.bounds[0])
    epsilon = claim.bounds[0]
    if claim.measure == "approx" and isinstance(epsilon, float):
        return Fraction(0), Fraction(0)
    try:
        if claim.measure == "approx":
            return hockey_stick(p, q, Fraction(epsilon))
        found = max_divergence(p, q)
    except ParameterError:
        return _certified(p, q, claim)
    return (inf, inf) if isinstance(found, float) else found


def _certified(p: Any, q: Any, claim: PrivacyClaim) -> tuple[Number, Number]:
    """By the distances that also know laws on the line."""
    from metricdp.laws.distances import d_dp_one_sided, hockey_stick_at
    from metricdp.noise.enclose import exp_bounds

    if claim.measure == "pure":
        ratio = d_dp_one_sided(p, q)
        return ratio.low, ratio.high
    low, high = exp_bounds(Fraction(claim.bounds[0]))
    return hockey_stick_at(p, q, high).low, hockey_stick_at(p, q, low).high


def at_home(p: Any, q: Any) -> tuple[Any, Any]:
    """The pair of rounded laws on one grid moved by whole cells, and mirrored, so that the first
    centre lies in [0, 1) cells and the second at or above it; other pairs as they are.

    No divergence changes: both maps are bijections of the outcomes.  The noise is continuous and
    symmetric, so a cell and its mirror image have one mass (their ends have none).
    """
    from metricdp.laws.grid import GridLaw
    from metricdp.laws.rounded import RoundedLaw

    if not (isinstance(p, GridLaw) and isinstance(q, GridLaw) and p.step == q.step):
        return p, q
    mine, other = p.law, q.law
    if not isinstance(mine, RoundedLaw) or type(mine) is not type(other):
        return p, q
    if replace(mine, center=other.center) != other:
        return p, q  # of another scale, or another noise
    sign = -1 if other.center < mine.center else 1
    a, b = sign * mine.center, sign * other.center
    cells = floor(a)
    first, second = (replace(mine, center=center - cells) for center in (a, b))
    return GridLaw(first, p.step), GridLaw(second, p.step)


@lru_cache(maxsize=256)
def _rho(p: Any, q: Any) -> Any:
    from metricdp.laws import zcdp_rho

    return zcdp_rho(p, q)


def rho_between(p: Any, q: Any) -> Any:
    """`metricdp.laws.zcdp_rho`, known of pairs that were asked for before."""
    p, q = at_home(p, q)
    try:
        return _rho(p, q)
    except TypeError:
        # A law that holds a list or a dictionary has no hash.
        from metricdp.laws import zcdp_rho

        return zcdp_rho(p, q)


def differing(p: Any, q: Any) -> tuple[Any, Any]:
    """Of two joint laws that differ in one entry, that entry's: the others change no distance."""
    from metricdp.laws import ProductLaw

    if not isinstance(p, ProductLaw) or not isinstance(q, ProductLaw):
        return p, q
    if len(p.parts) != len(q.parts):
        return p, q
    moved = [(a, b) for a, b in zip(p.parts, q.parts, strict=True) if a != b]
    return moved[0] if len(moved) == 1 else (p, q)


def finite(
    mechanism: Any,
    *,
    epsilon: Any = None,
    delta: Any = 0,
    rho: Any = None,
    inputs: Sequence[Any] | None = None,
    pairs: Iterable[Any] | None = None,
    name: str = "",
) -> Verdict:
    """Audit a mechanism whose laws are known, exactly.

    Args:
        mechanism: a function of the input that gives its law, a matrix whose row i is the law on
            input i, or what else `metricdp.laws.law_of` takes.
        epsilon, delta: the claim for neighbours; or
        rho: a claim of zero-concentrated privacy.
        inputs: of which every two are neighbours; the rows of a matrix when left out.
        pairs: the neighbours instead; a `Pair` with a distance d claims d epsilon (d**2 rho).

    Raises:
        ParameterError: weights that are no law; a claim that is none; no input; a pair of laws for
            which no distance is known; a distance other than 1 with a delta.

    >>> from fractions import Fraction as F
    >>> print(finite([[F(3, 4), F(1, 4)], [F(1, 4), F(3, 4)]], epsilon=1, name="coin"))
    error[claim-refuted]: `coin` claims epsilon 1: epsilon is at least 1.09861
       = inputs  x  = 0
                 x' = 1
       = event   output = 0
                 probability 0.75 on x, 0.25 on x'
       = shown   exactly, from the laws; pair 1, seed 0
    """
    from metricdp.laws import law_of

    claim = claimed(epsilon, delta, rho)
    kernel = law_of(mechanism, name)
    if pairs is not None:
        tried = given_pairs(pairs)
    else:
        known = kernel.inputs if inputs is None else tuple(inputs)
        if known is None:
            raise ParameterError("no inputs", place="inputs", remedy="inputs=range(3)")
        tried = given_pairs(combinations(known, 2))
    claims = [(pair, scaled(claim, pair.d)) for pair in tried]
    return compared(name or kernel.name, kernel.law, claims)


def claimed(epsilon: Any, delta: Any, rho: Any) -> PrivacyClaim:
    """A claim in epsilon and delta, or in rho.  ParameterError for both or neither."""
    if (epsilon is None) == (rho is None):
        raise ParameterError("give either epsilon or rho", place="claim", remedy="epsilon=1")
    if rho is None:
        return PrivacyClaim.of(epsilon, delta)
    return PrivacyClaim("zcdp", PrivacyClaim.of(rho).bounds)


def scaled(claim: PrivacyClaim, d: Fraction | None) -> PrivacyClaim:
    """The claim for neighbours at a distance: d epsilon, d**2 rho (group privacy)."""
    if d is None or d == 1:
        return claim
    if claim.measure == "approx":
        raise ParameterError(
            f"a claim with a delta says nothing linear of distance {short(d)}",
            place="pairs",
            remedy="claim (epsilon, delta) of pairs at distance 1",
        )
    power = 2 if claim.measure == "zcdp" else 1
    return PrivacyClaim(claim.measure, (claim.bounds[0] * d**power,))


def compared(
    name: str,
    law_of: Callable[[Any], Any],
    claims: Iterable[tuple[Pair, PrivacyClaim]],
    seconds: float = inf,
    skip: bool = False,
) -> Verdict:
    """Compare the laws of pairs of inputs with what is claimed of them.

    Args:
        claims: pairs, each with a claim of it; infinite ones say nothing.
        seconds: no further comparison is begun afterwards.
        skip: leave out pairs of laws without a known distance, and say how many.

    Raises:
        ParameterError: nothing finite is claimed; laws for which no distance is known.
    """
    with progress_on(name) as progress:
        return _compared(name, law_of, list(claims), seconds, skip, progress)


def _compared(
    name: str,
    law_of: Callable[[Any], Any],
    claims: list[tuple[Pair, PrivacyClaim]],
    seconds: float,
    skip: bool,
    progress: Progress,
) -> Verdict:
    nearest: tuple[Any, Any] = (None, None)
    best = PrivacySurvived(name, PrivacyClaim("pure", (inf,)), "exact")
    tried, undecided, skipped = 0, 0, 0
    started = monotonic()
    for pair, claim in claims:
        progress.step(1 / len(claims))
        if inf in claim.bounds:
            continue
        if tried and monotonic() - started > seconds:
            break
        try:
            p, q = law_of(pair.x), law_of(pair.x2)
            loss = loss_between(p, q, claim)
        except ParameterError:
            if not skip:
                raise
            skipped += 1
            continue
        bound = claim.bounds[-1]
        tried += 1
        if loss.low > bound:
            return _refuted(name, pair, claim, loss, (p, q), tried)
        undecided += loss.high > bound * _WIDER
        closest = ratio(loss.low, bound)
        if best.loss is None or closest > best.closest:
            best = PrivacySurvived(name, claim, "exact", loss.low, closest)
            nearest = p, q
    if not tried:
        raise ParameterError(
            "nothing finite is claimed of any pair", place=name, remedy="pairs=[(x, x2)]"
        )
    if best.claim.measure == "approx":
        shown = _epsilon_at_delta(*nearest, best.claim, Fraction(0))
        best = msgspec.structs.replace(best, loss=shown)
    details = []
    if undecided:
        details.append(
            f"{undecided} of them undecided: the loss is only enclosed, around the claim"
        )
    if skipped:
        details.append(f"{skipped} more have laws whose distance is not known")
    return msgspec.structs.replace(best, pairs=tried, details=tuple(details))


def _refuted(
    name: str, pair: Pair, claim: PrivacyClaim, loss: LossBounds, laws: Any, tried: int
) -> PrivacyRefuted:
    (p, q), (x, x2) = laws, (pair.x, pair.x2)
    if loss.swapped:
        p, q, x, x2 = q, p, x2, x
    event, chance, other = _event(p, q, claim)
    what = {"pure": "epsilon", "zcdp": "rho"}.get(
        claim.measure, f"delta at epsilon {short(claim.bounds[0])}"
    )
    infinite = "infinite" if loss.low == inf else f"at least {short(loss.low)}"
    shown = loss.low
    if claim.measure == "approx":
        shown = _epsilon_at_delta(p, q, claim, Fraction(claim.bounds[0]))
    return PrivacyRefuted(
        name, claim, "exact", f"{what} is {infinite}", x, x2, pair.d, event, chance, other,
        shown, tried=tried,
    )  # fmt: skip


def _event(p: Any, q: Any, claim: PrivacyClaim) -> tuple[str, Bounds | None, Bounds | None]:
    """The event that breaks the claim most, where the laws have a formula for it."""
    from metricdp.laws import best_event

    if claim.measure == "zcdp":
        return "", None, None
    p, q = differing(p, q)
    try:
        event, chance, other = best_event(p, q, Fraction(claim.bounds[0]))
    except MetricdpError:
        return "", None, None
    return ("", None, None) if event == "no event" else (event, chance, other)


def _epsilon_at_delta(p: Any, q: Any, claim: PrivacyClaim, low: Fraction) -> Number:
    """The largest epsilon >= `low` at which delta is still beaten, by doubling and halving."""
    delta = claim.bounds[1]

    def beaten(epsilon: Fraction) -> bool:
        at = PrivacyClaim("approx", (epsilon, delta))
        return loss_between(p, q, at).low > delta

    step = Fraction(1)
    while beaten(low + step):
        low, step = low + step, 2 * step
        if low > 10**4:
            return inf
    for _ in range(_HALVINGS):
        step /= 2
        if beaten(low + step):
            low += step
    return low


def failing(p: Any, q: Any, rho: Fraction | float) -> tuple[Fraction, Fraction]:
    """P of what Q never shows; and, at some epsilons, the excess of P - e^epsilon Q over that of
    every rho-zCDP pair, which an approximate one exceeds by delta at most.

    Source: Bun and Steinke (2016), Definition 8.1 and Lemma 8.8.
    """
    from metricdp.accounting.rounded import root_up
    from metricdp.laws import hockey_stick
    from metricdp.laws.interval import ZERO, add
    from metricdp.measures.implications import zcdp_delta

    low, high = add(ZERO, *(p.pmf(k) for k in p.support() if not q.pmf(k)[1]))
    if isinstance(rho, float):
        return low, high
    for t in _AT:
        epsilon = rho + 2 * root_up(rho * t)
        excess = hockey_stick(p, q, epsilon)[0] - zcdp_delta(rho, epsilon).value
        low, high = max(low, excess), max(high, excess)
    return low, high
