"""Audit by samples: is there an event whose probabilities on neighbours break the claim?

1. Scout.  Every pair of inputs gets a few outputs; an event is chosen on them, and scored.
2. At most `FINALS` times a pair is examined: one that a scout finds far above the claim at once,
   the best ones in the end.  It gets fresh outputs of both inputs, of a number that is fixed before
   they are drawn.
3. Half of them choose one event, the other half, which the choice has not seen, count it.
   Clopper and Pearson's bounds of the counts give p >= p_low and q <= q_high, each wrong with
   probability at most alpha / (2 FINALS); so epsilon >= ln((p_low - delta) / q_high), and all
   statements of one audit hold together with probability at least 1 - alpha (Bonferroni).

The definition P(S) <= e**epsilon Q(S) + delta for every event S makes this a lower bound of
epsilon; no upper bound follows from samples, so survival is no proof.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from itertools import islice
from time import monotonic
from typing import Any

import msgspec

from metricdp.audit.measurements.claims import PrivacyClaim
from metricdp.audit.measurements.events import Classifier, Event, choose
from metricdp.audit.measurements.neighbours import Pair, given_pairs, neighbours
from metricdp.audit.measurements.outputs import Codes, Table, drawn, table
from metricdp.audit.measurements.progress import Progress, progress_on
from metricdp.audit.measurements.verdicts import PrivacyRefuted, PrivacySurvived, Verdict, ratio
from metricdp.errors import ParameterError
from metricdp.laws.binomial import log_ratio_at_least, proportion_at_least, proportion_at_most
from metricdp.spaces import Space

FINALS = 3
#: A scout's excess over the claim at which its pair is examined at once, with this many outputs.
_CLEAR, _QUICK = 0.5, 8000
#: Outputs per input that a scout draws, and their share of all.
_SCOUTS, _SHARE = 2000, 10
#: Error of the scores that rank scouted pairs: nothing is reported from them.
_LOOSE = 1e-3


class Budget(msgspec.Struct, frozen=True):
    """What an audit may use.

    Attributes:
        samples: outputs per input of the pair that is examined most.
        seconds: about this long; the number of outputs is fixed from the speed of the scouts.
        pairs: most pairs of inputs.
        alpha: probability that a mechanism which keeps its claim is refuted.
    """

    samples: int = 100_000
    seconds: float = 10.0
    pairs: int = 24
    alpha: Fraction = Fraction(1, 10**6)


def budget(samples: int, seconds: float, pairs: int, confidence: Any) -> Budget:
    """A budget from what a person typed.  ParameterError: not positive, or no confidence."""
    for name, value in (("samples", samples), ("seconds", seconds), ("most", pairs)):
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not value > 0:
            raise ParameterError("must be positive", place=name, remedy=f"{name}=1000")
    alpha = 1 - Fraction(repr(confidence) if isinstance(confidence, float) else confidence)
    if not 0 < alpha < 1:
        raise ParameterError(
            f"{confidence} is no confidence", place="confidence", remedy="confidence=0.999999"
        )
    return Budget(int(samples), float(seconds), int(pairs), alpha)


class Mechanism(msgspec.Struct, frozen=True):
    """What is audited.

    Attributes:
        name: as printed.
        run: one output on one input.
        claim: of a distance; the distance is None for neighbours of the user.
        batch: many outputs at once: `batch(x, count)`, an array or a sequence; or None.
        bits: whether lowest bits of doubles are looked at.
        command: what repeats the audit.
    """

    name: str
    run: Callable[[Any], Any]
    claim: Callable[[Fraction | None], PrivacyClaim]
    batch: Callable[[Any, int], Any] | None = None
    bits: bool = True
    command: str = ""


def sampled(
    mechanism: Callable[[Any], Any],
    *,
    epsilon: Any,
    delta: Any = 0,
    pairs: Iterable[Any] | None = None,
    space: Space | None = None,
    batch: Callable[[Any, int], Any] | None = None,
    samples: int = 100_000,
    seconds: float = 10.0,
    most: int = 24,
    confidence: Any = 0.999999,
    seed: int = 0,
    bits: bool = True,
    name: str = "",
) -> Verdict:
    """Audit a claim of (epsilon, delta)-privacy from samples of a mechanism.

    Args:
        mechanism: a function of the private input; whatever it returns is looked at, and an
            exception that it raises as well.  If it has a parameter `rng` it gets a seeded NumPy
            generator there.
        epsilon, delta: the claim for neighbours (with `space`: at distance 1).
        pairs: neighbouring inputs to try; or
        space: a space, whose neighbours at distance at most 1 are tried, extremes first.
        batch: `batch(x, count)` returns `count` outputs at once, for speed.
        samples, seconds, most: outputs per input of each of the (at most three) pairs that are
            examined in the end; time, about; most pairs tried.
        confidence: of a refutation, over the whole audit; see the module.
        seed: of the pairs, of the noise of this library, and of the global generators of `random`
            and NumPy, whose states are restored afterwards.
        bits: whether the lowest bits of floating-point outputs are looked at; False audits what
            the mechanism means in real numbers.

    Raises:
        ParameterError: a claim that is none; neither or both of pairs and space; a budget that is
            not positive.

    >>> from random import random
    >>> answer = lambda truth: truth if random() < 0.75 else not truth
    >>> sampled(answer, epsilon=0.5, pairs=[(True, False)], samples=20_000).refuted
    True
    """
    claim = PrivacyClaim.of(epsilon, delta)
    if (pairs is None) == (space is None):
        raise ParameterError(
            "give either pairs or a space",
            place="pairs",
            remedy="pairs=[(x, x2)], or space=dp.Records[float]",
        )
    spent = budget(samples, seconds, most, confidence)
    shown = name or str(getattr(mechanism, "__name__", type(mechanism).__name__))
    tried: Iterable[Pair] = (
        given_pairs(pairs) if pairs is not None else neighbours(_space(space), seed)
    )
    subject = Mechanism(shown, _with_rng(mechanism, seed), lambda _: claim, batch, bits)
    return examine(subject, tried, spent, seed)


def examine(subject: Mechanism, pairs: Iterable[Pair], spent: Budget, seed: int) -> Verdict:
    """Scout, then examine the finalists; see the module."""
    with seeded(seed), progress_on(subject.name) as progress:
        return _Audit(subject, spent, seed, progress).run(pairs)


class _Scouted(msgspec.Struct):
    pair: Pair
    claim: PrivacyClaim
    excess: float
    seconds: float


class _Audit:
    def __init__(self, subject: Mechanism, spent: Budget, seed: int, progress: Progress) -> None:
        self.subject, self.spent, self.seed, self.progress = subject, spent, seed, progress
        self.drawn = 0
        self.started = monotonic()

    def left(self) -> float:
        return self.spent.seconds - (monotonic() - self.started)

    def run(self, pairs: Iterable[Pair]) -> Verdict:
        scouted: list[_Scouted] = []
        best: PrivacySurvived | None = None
        finals = 0
        for found in self._scout(pairs):
            scouted.append(found)
            if found.excess > _CLEAR and finals < FINALS - 1:
                finals += 1
                verdict = self._final(found, min(_QUICK, self.spent.samples), len(scouted))
                if isinstance(verdict, PrivacyRefuted):
                    return verdict
                best = closer(best, verdict)
        if not scouted:
            raise ParameterError(
                "no pair of neighbours was found",
                place=self.subject.name,
                remedy="pairs=[(x, neighbour_of_x)]",
            )
        finalists = sorted(scouted, key=lambda s: -s.excess)[: FINALS - finals]
        for i, found in enumerate(finalists):
            share = max(0.5, self.left()) / (len(finalists) - i)
            affordable = int(share * 0.8 / max(found.seconds, 1e-9))
            count = max(400, min(self.spent.samples, affordable))
            verdict = self._final(found, count, len(scouted))
            if isinstance(verdict, PrivacyRefuted):
                return verdict
            best = closer(best, verdict)
            self.progress.step(0.7 / len(finalists))
        assert best is not None
        return msgspec.structs.replace(best, pairs=len(scouted), samples=self.drawn)

    def _scout(self, pairs: Iterable[Pair]) -> Iterator[_Scouted]:
        """Every pair with an estimate of how far it breaks its claim."""
        count = max(50, min(_SCOUTS, self.spent.samples // _SHARE))
        for i, pair in enumerate(islice(pairs, self.spent.pairs)):
            if i and self.left() < self.spent.seconds * 0.6:
                return
            claim = self.subject.claim(pair.d)
            begun = monotonic()
            tables, _ = self._tables(pair, count)
            each = (monotonic() - begun) / count
            self.progress.step(0.3 / self.spent.pairs)
            event = choose(*tables, None, float(claim.delta), _LOOSE, self.subject.bits)
            yield _Scouted(pair, claim, event.score - float(claim.epsilon), each)

    def _final(self, found: _Scouted, count: int, tried: int) -> Verdict:
        """One event on `count` fresh outputs per input."""
        pair, claim = found.pair, found.claim
        tables, codes = self._tables(pair, count)
        learn, half = count // 8, count // 2
        classifier = Classifier(*(t.rows(0, learn) for t in tables))
        alpha = self.spent.alpha / (2 * FINALS)
        event = choose(
            tables[0].rows(learn, half), tables[1].rows(learn, half),
            classifier, float(claim.delta), float(alpha), self.subject.bits,
        )  # fmt: skip
        trials = count - half
        hits = [event.hits(t.rows(half, count), classifier) for t in tables]
        first, second = (1, 0) if event.swapped else (0, 1)
        low = proportion_at_least(hits[first], trials, alpha)
        high = proportion_at_most(hits[second], trials, alpha)
        loss = log_ratio_at_least(low - claim.delta, high) if low > claim.delta else Fraction(0)
        x, x2 = (pair.x2, pair.x) if event.swapped else (pair.x, pair.x2)
        described = event.describe(codes)
        counts = f"{hits[first]} of {trials} outputs on x, {hits[second]} of {trials} on x'"
        if loss > claim.epsilon:
            return PrivacyRefuted(
                self.subject.name, claim, "sampled", _why(loss, claim), x, x2, pair.d, described,
                (low, Fraction(1)), (Fraction(0), high), loss, float(self.spent.alpha), "", tried,
                self.seed, (counts, *_hint(event)), self.subject.command,
            )  # fmt: skip
        return PrivacySurvived(
            self.subject.name, claim, "sampled", loss, ratio(loss, claim.epsilon), described,
            float(self.spent.alpha), tried, self.drawn, self.seed, (), self.subject.command,
        )  # fmt: skip

    def _tables(self, pair: Pair, count: int) -> tuple[tuple[Table, Table], Codes]:
        """Outputs on both inputs as tables of one width."""
        outputs = [drawn(self.subject.run, x, count, self.subject.batch) for x in (pair.x, pair.x2)]
        if any(len(o) != count for o in outputs):
            raise ParameterError(
                f"{count} outputs were asked for, and it gives {[len(o) for o in outputs]}",
                place="batch",
                remedy="batch(x, count) returns an array whose first axis has `count` entries",
            )
        self.drawn += 2 * count
        codes = Codes()
        tables = [table(o, codes) for o in outputs]
        width = max(t.numbers.shape[1] for t in tables)
        first, second = (
            t if t.numbers.shape[1] == width else table(o, codes, width)
            for t, o in zip(tables, outputs, strict=True)
        )
        return (first, second), codes


def closer(best: PrivacySurvived | None, other: PrivacySurvived) -> PrivacySurvived:
    """Of two survivals, the one that came closest to its claim."""
    return other if best is None or other.closest > best.closest else best


def _why(loss: Fraction, claim: PrivacyClaim) -> str:
    at = f" at delta {float(claim.delta):.6g}" if claim.delta else ""
    # Three digits, rounded down.
    return f"epsilon is at least {int(loss * 1000) / 1000:g}{at}"


def _hint(event: Event) -> tuple[str, ...]:
    if event.view.startswith("exponent of the lowest bit"):
        return (
            "the lowest bits of a double tell which exact values were added: draw on a grid "
            "(`bits=False` audits the mechanism in real numbers)",
        )
    if event.view.startswith("how the output is built"):
        return ("types, lengths, keys and exceptions are seen by whoever gets the output",)
    return ()


def _space(given: Any) -> Space:
    from metricdp.spaces import space_of
    from metricdp.spaces.public import Public

    found = given if isinstance(given, Space) else space_of(given)
    if found is None or isinstance(found, Public):
        raise ParameterError(
            f"{given!r} is no metric space", place="space", remedy="space=dp.Records[float]"
        )
    return found


def _with_rng(mechanism: Callable[..., Any], seed: int) -> Callable[[Any], Any]:
    """The mechanism with a seeded generator, if it has a parameter for one."""
    import inspect

    try:
        parameters = inspect.signature(mechanism).parameters
    except (TypeError, ValueError):
        return mechanism
    if "rng" not in parameters:
        return mechanism
    import numpy as np

    rng = np.random.default_rng(seed)
    return lambda x: mechanism(x, rng=rng)


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Reproducible draws inside the block, from this library and from the global generators."""
    import random

    import numpy as np

    from metricdp.run.handlers import Seeded, handling

    kept = random.getstate(), np.random.get_state()
    random.seed(seed)
    np.random.seed(seed % 2**32)
    try:
        with handling(Seeded(f"metricdp audit {seed}")):
            yield
    finally:
        random.setstate(kept[0])
        np.random.set_state(kept[1])


__all__ = ["Budget", "Mechanism", "budget", "examine", "sampled", "seeded"]
