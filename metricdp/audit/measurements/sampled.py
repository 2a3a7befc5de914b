"""Audit by samples: is there an event whose probabilities on neighbours break the claim?

1. Scout.  Every pair of inputs gets a few outputs; an event is chosen on them, and scored.
2. At most `EXAMINED` times a pair is examined: one that a scout finds far above the claim at once,
   the best ones in the end, and one that seems to break its claim again, with more outputs.  It
   gets fresh outputs of both inputs, of a number that is fixed before they are drawn.
3. Outputs that are not counted (3/8 of them, or those of the examination before) choose at most
   `EVENTS` events; the others count them.  Clopper and Pearson's bounds of the counts give
   p >= p_low and q <= q_high; so epsilon >= ln((p_low - delta) / q_high).
4. A pair of a space that refutes is made smaller by outputs that are not counted, and the smaller
   pair is examined once, in the same way; if that refutes, it is the one that is reported.

There are at most 2 EVENTS (EXAMINED + 1) bounds, each wrong with probability at most alpha over
their number whatever was seen before, so all statements of one audit hold together with probability
at least 1 - alpha (Bonferroni).

5. Where the number of outputs is left open, further looks follow until the time is up, in turn at
   the pair that came closest and at one that was only scouted, each with fresh outputs of a number
   that is fixed before, twice as many as before.  Then steps 1 to 4 have alpha / 2, and look k has
   alpha / (2 k (k + 1)), which add up to alpha over all looks that there could be.

The definition P(S) <= e**epsilon Q(S) + delta for every event S makes this a lower bound of
epsilon; no upper bound follows from samples, so survival is no proof.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

from metricdp.audit.measurements.examining import FIRST, Audit, AuditBudget, Mechanism
from metricdp.audit.measurements.neighbours import (
    Pair,
    given_pairs,
    metric_space,
    neighbours,
    with_unusual,
)
from metricdp.audit.measurements.progress import progress_on
from metricdp.audit.measurements.verdicts import PrivacyClaim, Verdict
from metricdp.audit.unusual import beyond, noted
from metricdp.errors import ParameterError
from metricdp.spaces import Space

#: Names by which a parameter asks for a generator of noise.
_GENERATORS = ("generator", "random_state", "noise")


def budget(samples: int | None, seconds: float, pairs: int, confidence: Any) -> AuditBudget:
    """A budget from what a person typed.  ParameterError: not positive, or no confidence."""
    most = FIRST if samples is None else samples
    for name, value in (("samples", most), ("seconds", seconds), ("most", pairs)):
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not value > 0:
            raise ParameterError("must be positive", place=name, remedy=f"{name}=1000")
    try:
        alpha = 1 - Fraction(repr(confidence) if isinstance(confidence, float) else confidence)
    except (TypeError, ValueError):
        alpha = Fraction(0)
    if not 0 < alpha < 1:
        raise ParameterError(
            f"{confidence} is no confidence", place="confidence", remedy="confidence=0.999999"
        )
    return AuditBudget(int(most), float(seconds), int(pairs), alpha, samples is None)


def whole_seed(seed: Any) -> int:
    """The seed of an audit.  ParameterError unless it is an integer that is not negative."""
    from operator import index

    try:
        number = index(seed)
    except TypeError:
        number = -1
    if number < 0 or isinstance(seed, bool):
        raise ParameterError(f"{seed!r} is no seed", place="seed", remedy="seed=0")
    return number


def sampled(
    mechanism: Callable[[Any], Any],
    *,
    epsilon: Any,
    delta: Any = 0,
    pairs: Iterable[Any] | None = None,
    space: Space | None = None,
    batch: Callable[[Any, int], Any] | None = None,
    samples: int | None = None,
    seconds: float = 10.0,
    most: int = 24,
    confidence: Any = 0.999999,
    seed: int = 0,
    bits: bool = True,
    name: str = "",
    guarded: bool = False,
) -> Verdict:
    """Audit a claim of (epsilon, delta)-privacy from samples of a mechanism.

    Args:
        mechanism: a function of the private input; whatever it returns is looked at, and an
            exception that it raises as well; an iterator is read to its end.  If it has a
            parameter `rng` it gets a seeded NumPy generator there.
        epsilon, delta: the claim for neighbours (with `space`: at distance 1).
        pairs: neighbouring inputs to try; or
        space: a space, whose neighbours at distance at most 1 are tried, extremes first; a pair
            that refutes is made smaller.
        batch: `batch(x, count)` returns `count` outputs at once, for speed.
        samples: outputs per input of each examination (four times as many where these leave a
            doubt), and then it ends; None: as many as the time allows, in further looks.
        seconds: the time, which a program that hangs is interrupted at; all of it is used up when
            `samples` is None and nothing is refuted.
        most: most pairs tried.
        confidence: of a refutation, over the whole audit; see the module.
        seed: of the pairs, of the noise of this library, and of the global generators of `random`
            and NumPy, whose states are restored afterwards.
        bits: whether the lowest bits of floating-point outputs are looked at; False audits what
            the mechanism means in real numbers.
        guarded: whatever calls the mechanism guards its inputs: they hold no NaN, no infinities
            and no texts but usual ones.  Otherwise these are tried, too: in the neighbours of a
            space, and in the place of a row in which the tables of a pair differ.

    Raises:
        ParameterError: a claim that is none; neither or both of pairs and space; a budget that is
            not positive; a seed that is no integer; outputs that are or hold objects whose content
            cannot be read (code, what has to be awaited); a function that fails in every run.

    >>> from random import random
    >>> answer = lambda truth: truth if random() < 0.75 else not truth
    >>> sampled(answer, epsilon=0.5, pairs=[(True, False)], samples=20_000).refuted
    True
    """
    from metricdp.audit.replaying.state import KeptData

    claim = PrivacyClaim.of(epsilon, delta)
    if (pairs is None) == (space is None):
        raise ParameterError(
            "give either pairs or a space",
            place="pairs",
            remedy="pairs=[(x, x2)], or space=dp.Records[float]",
        )
    spent = budget(samples, seconds, most, confidence)
    seed = whole_seed(seed)
    shown = name or str(getattr(mechanism, "__name__", type(mechanism).__name__))
    known = None if space is None else metric_space(space)
    tried: Iterable[Pair]
    allowed = beyond(space, guarded)
    if pairs is not None:
        tried = with_unusual(given_pairs(pairs), None, allowed)
    else:
        tried = neighbours(metric_space(space), seed, allowed=allowed)
    subject = Mechanism(
        shown, with_rng(mechanism, seed), lambda _: claim, batch, bits, space=known,
        state=KeptData(getattr(mechanism, "func", mechanism)),
    )  # fmt: skip
    verdict: Verdict = noted(examine(subject, tried, spent, seed), space, guarded)
    return verdict


def examine(subject: Mechanism, pairs: Iterable[Pair], spent: AuditBudget, seed: int) -> Verdict:
    """Scout, then examine the finalists; see the module."""
    with seeded(seed), progress_on(subject.name) as progress:
        return Audit(subject, spent, seed, progress).run(pairs)


def with_rng(mechanism: Callable[..., Any], seed: int) -> Callable[[Any], Any]:
    """The mechanism with a seeded generator, if it has a parameter for one: `rng`, or another usual
    name that has no default."""
    import inspect

    try:
        known = inspect.signature(mechanism).parameters
    except (TypeError, ValueError):
        return mechanism
    free = [p.name for p in list(known.values())[1:] if p.default is p.empty]
    name = "rng" if "rng" in known else next((n for n in _GENERATORS if n in free), "")
    if not name:
        return mechanism
    import numpy as np

    rng = np.random.default_rng(seed)
    return lambda x: mechanism(x, **{name: rng})


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Reproducible draws inside the block, from this library and from the global generators."""
    import random

    import numpy as np

    from metricdp.run.emit import Seeded, handling

    kept = random.getstate(), np.random.get_state()
    random.seed(seed)
    np.random.seed(seed % 2**32)
    try:
        with handling(Seeded(f"metricdp audit {seed}")):
            yield
    finally:
        random.setstate(kept[0])
        np.random.set_state(kept[1])
