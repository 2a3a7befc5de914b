"""An audit by samples, step by step; see `metricdp.audit.measurements.sampled`.

What it is about, what it may use, what it sees of a pair of inputs; then the audit itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from fractions import Fraction
from itertools import islice
from math import inf, log, sqrt
from time import monotonic
from typing import TYPE_CHECKING, Any

import msgspec

from metricdp.audit.contents import Unreadable, refusal
from metricdp.audit.measurements.drawing import Failures, drawn
from metricdp.audit.measurements.events import OutputEvent, at_least, choices
from metricdp.audit.measurements.limits import OutOfTime, limited
from metricdp.audit.measurements.neighbours import Pair
from metricdp.audit.measurements.outputs import OutputCodes, OutputTable, tables
from metricdp.audit.measurements.progress import Progress
from metricdp.audit.measurements.shrinking import smaller
from metricdp.audit.measurements.verdicts import (
    PrivacyClaim,
    PrivacyRefuted,
    PrivacySurvived,
    Verdict,
    grouped,
    ratio,
    short,
)
from metricdp.audit.measurements.views import Scores
from metricdp.errors import ParameterError
from metricdp.laws.binomial import log_ratio_at_least, proportion_at_least, proportion_at_most
from metricdp.spaces import Space

if TYPE_CHECKING:
    from metricdp.audit.replaying.state import KeptData


#: Outputs per input of an examination where nobody says how many.
FIRST = 100_000
#: Examinations of a search, and events that are counted in each; one more examination is of the
#: pair that was made smaller.  The probability of an error is shared among all of them.
EXAMINED, EVENTS = 4, 3
#: Most outputs per input of a further look.
_MOST = 1_000_000
#: A scout's excess over the claim at which its pair is examined at once, with this many outputs.
_CLEAR, _QUICK = 0.5, 8000
#: Outputs per input that a scout draws, and their share of all.
_SCOUTS, _SHARE = 2000, 10
#: Outputs per input of a first look at how long a run takes, share of the time for the outputs of
#: the first scout, and fewest outputs of a scout and of an examination.
_PILOT, _SCOUTING, _FEWEST = 3, 0.1, 50
#: Error of the scores that rank scouted pairs: nothing is reported from them.
_LOOSE = 1e-3
#: Standard deviations above the claim at which a pair is examined again, with this many times the
#: outputs.
_PROMISING, _MORE = 2.5, 4
#: Share of the time that making a pair smaller may take, and of the excess that it has to keep: a
#: simple pair that barely refutes explains less.
_SMALLER, _KEPT = 0.2, Fraction(1, 2)


class AuditBudget(msgspec.Struct, frozen=True):
    """What an audit may use.

    Attributes:
        samples: outputs per input of one examination; four times as many where a pair seems to
            break the claim and these do not settle it.
        seconds: no longer than this; numbers of outputs are fixed from the speed of the scouts.
        pairs: most pairs of inputs.
        alpha: probability that a mechanism which keeps its claim is refuted.
        open: further looks follow until the time is up.
    """

    samples: int = FIRST
    seconds: float = 10.0
    pairs: int = 24
    alpha: Fraction = Fraction(1, 10**6)
    open: bool = False

    @property
    def each(self) -> Fraction:
        """Error of one bound of one probability, in the first examinations."""
        return self.alpha / (2 * EVENTS * (EXAMINED + 1)) / (2 if self.open else 1)

    def each_of(self, look: int) -> Fraction:
        """The same in a further look, of which the first is 1: 1/(k (k + 1)) adds up to 1."""
        return self.alpha / (2 * EVENTS) / (2 * look * (look + 1))


class Mechanism(msgspec.Struct, frozen=True):
    """What is audited.

    Attributes:
        name: as printed.
        run: one output on one input.
        claim: of a distance; the distance is None for neighbours of the user.
        batch: many outputs at once: `batch(x, count)`, an array or a sequence; or None.
        bits: whether lowest bits of doubles are looked at.
        command: what repeats the audit.
        space: of the inputs, where pairs may be made smaller; None for pairs of the user.
        state: what a plain function may leave behind; None for what keeps none.
    """

    name: str
    run: Callable[[Any], Any]
    claim: Callable[[Fraction | None], PrivacyClaim]
    batch: Callable[[Any, int], Any] | None = None
    bits: bool = True
    command: str = ""
    space: Space | None = None
    state: KeptData | None = None


class Scouted(msgspec.Struct):
    """A pair with what few outputs say: epsilon above the claim, seconds per output."""

    pair: Pair
    claim: PrivacyClaim
    excess: float
    seconds: float


class Learned(msgspec.Struct):
    """What earlier outputs of a pair chose for later ones."""

    codes: OutputCodes
    width: int
    scores: Scores
    events: list[OutputEvent]


class Examined(msgspec.Struct):
    """What fresh outputs of one pair show of the event that shows most.

    Attributes:
        loss: lower bound of epsilon.
        beyond: the estimate of epsilon above the claim, in standard deviations.
        hits: outputs in the event, on the likelier input and on the other one, of `trials` each.
        low, high: bounds of the two probabilities.
        drawn: the outputs that were counted, for a later choice.
    """

    event: OutputEvent
    described: str
    loss: Fraction
    beyond: float
    hits: tuple[int, int]
    trials: int
    low: Fraction
    high: Fraction
    drawn: tuple[OutputTable, OutputTable]
    codes: OutputCodes


class Audit:
    """One audit of a mechanism."""

    def __init__(
        self, subject: Mechanism, spent: AuditBudget, seed: int, progress: Progress
    ) -> None:
        self.subject, self.spent, self.seed, self.progress = subject, spent, seed, progress
        self.drawn, self.failures = 0, Failures()
        self.started, self.each, self.trials = monotonic(), spent.each, 0
        self.tried = 0
        self.best: PrivacySurvived | None = None

    def run(self, pairs: Iterable[Pair]) -> Verdict:
        """Scout, then examine the finalists.

        Raises:
            ParameterError: no pairs; outputs that cannot be looked into; every run fails; the time
                is up before anything can be said.
        """
        with limited(self.spent.seconds):
            try:
                return self._run(pairs)
            except Unreadable as error:
                raise refusal(error.value, self.subject.name) from None
            except OutOfTime:
                return self._ended()

    def _run(self, pairs: Iterable[Pair]) -> Verdict:
        scouted: list[Scouted] = []
        looked: list[tuple[Scouted, Examined]] = []
        left = EXAMINED
        for found in self._scout(pairs):
            scouted.append(found)
            self.tried = len(scouted)
            if found.excess > _CLEAR and left > 2:
                left -= 1
                seen = self._examined(found.pair, min(_QUICK, self.spent.samples))
                if seen.loss > found.claim.epsilon:
                    return self._refuted(found, seen, len(scouted))
                self._note(found, seen)
        if not scouted:
            raise ParameterError(
                "no pair of neighbours was found",
                place=self.subject.name,
                remedy="pairs=[(x, neighbour_of_x)]",
            )
        finalists = sorted(scouted, key=lambda s: -s.excess)[:left]
        while finalists and left:
            found = finalists.pop(0)
            seen, learned = self._examined(found.pair, self._affordable(found, left)), None
            left -= 1
            if seen.loss <= found.claim.epsilon and seen.beyond > _PROMISING and left:
                left -= 1
                count = self._affordable(found, 1, _MORE)
                learned = self._chosen(seen.drawn, seen.codes, found.claim, count)
                self._note(found, seen)
                seen = self._examined(found.pair, count, learned)
            if seen.loss > found.claim.epsilon:
                return self._refuted(found, seen, len(scouted))
            self._note(found, seen)
            looked.append((found, seen))
            self.progress.step(0.7 / EXAMINED)
        refuted = self._further(scouted, looked) if self.spent.open else None
        return refuted or self._ended()

    def _further(
        self, scouted: list[Scouted], looked: list[tuple[Scouted, Examined]]
    ) -> PrivacyRefuted | None:
        """Looks at fresh outputs until the time is up; see `measurements.sampled`."""
        known = [id(found) for found, _ in looked]
        waiting = [s for s in sorted(scouted, key=lambda s: -s.excess) if id(s) not in known]
        look, count = 0, self.spent.samples
        while True:
            look, count = look + 1, min(2 * count, _MOST)
            self.each = self.spent.each_of(look)
            found, seen = max(looked, key=lambda each: each[1].beyond)
            learned = None
            if look % 2 == 0 and waiting:
                found = waiting.pop(0)
            fits = self._affordable(found, 1, inf)
            if fits < min(count, _QUICK):
                return None
            count = min(count, fits)
            if (found, seen) in looked:
                learned = self._chosen(seen.drawn, seen.codes, found.claim, count)
                looked.remove((found, seen))
            seen = self._examined(found.pair, count, learned)
            if seen.loss > found.claim.epsilon:
                self.each = self.spent.each
                return self._refuted(found, seen, len(scouted))
            self._note(found, seen)
            looked.append((found, seen))

    def _note(self, found: Scouted, seen: Examined) -> None:
        """Remember the survival that came closest, and how many outputs were counted at most."""
        self.best = closer(self.best, self._survived(found, seen))
        self.trials = max(self.trials, seen.trials)

    def _ended(self) -> PrivacySurvived:
        """What was seen, when nothing was refuted.

        Raises:
            ParameterError: nothing was seen, or every run failed.
        """
        self.failures.refuse(self.subject.name, self.subject.space is not None)
        if self.best is None:
            raise ParameterError(
                f"nothing can be said after {self.spent.seconds:.3g} seconds: the runs are slow",
                place=self.subject.name, remedy="seconds=60, or smaller inputs",
            )  # fmt: skip
        return msgspec.structs.replace(
            self.best, pairs=self.tried, samples=self.drawn, details=self._notes(self.best.claim)
        )

    def _left(self) -> float:
        return self.spent.seconds - (monotonic() - self.started)

    def _affordable(self, found: Scouted, ways: int, times: float = 1) -> int:
        """Outputs per input that fit into the time, of which there are so many uses."""
        share = self._left() / ways * 0.7
        count = share / max(found.seconds, 1e-9)
        return max(_FEWEST, int(min(times * self.spent.samples, count)))

    def _scout(self, pairs: Iterable[Pair]) -> Iterator[Scouted]:
        """Every pair with an estimate of how far it breaks its claim."""
        count = max(_FEWEST, min(_SCOUTS, self.spent.samples // _SHARE))
        for i, pair in enumerate(islice(pairs, self.spent.pairs)):
            if i and self._left() < self.spent.seconds * 0.6:
                return
            claim = self.subject.claim(pair.d)
            if not i and self.subject.batch is None:
                begun = monotonic()
                self._outputs(pair, _PILOT)
                each = (monotonic() - begun) / _PILOT
                count = max(_FEWEST, min(count, int(self.spent.seconds * _SCOUTING / each)))
            begun = monotonic()
            both = tables(*self._outputs(pair, count), OutputCodes())
            each = (monotonic() - begun) / count
            self.progress.step(0.3 / self.spent.pairs)
            [event] = choices(*both, None, float(claim.delta), _LOOSE, self.subject.bits, 1)
            yield Scouted(pair, claim, event.score - float(claim.epsilon), each)

    def _examined(self, pair: Pair, count: int, learned: Learned | None = None) -> Examined:
        """The events that were learned, or that some of the outputs choose, counted on others."""
        claim = self.subject.claim(pair.d)
        outputs = self._outputs(pair, count)
        if learned is None:
            start = 3 * count // 8
            codes = OutputCodes()
            few = tables(outputs[0][:start], outputs[1][:start], codes)
            learned = self._chosen(few, codes, claim, count - start)
            outputs = (outputs[0][start:], outputs[1][start:])
        # Of a width that the counted outputs have no say in.
        counted = tables(*outputs, learned.codes, learned.width)
        hits = [_hits(event, counted, learned) for event in learned.events]
        at = _best(learned.events, hits, len(counted[0]), claim, float(self.each))
        return self._bounded(learned.events[at], hits[at], learned, counted, claim)

    def _chosen(
        self,
        given: tuple[OutputTable, OutputTable],
        codes: OutputCodes,
        claim: PrivacyClaim,
        trials: int,
    ) -> Learned:
        """A third of the outputs teaches the scores, the rest chooses events to be counted."""
        size = len(given[0])
        scores = Scores(*(t.rows(0, size // 3) for t in given))
        first, second = (t.rows(size // 3, size) for t in given)
        events = choices(
            first, second, scores, float(claim.delta), float(self.each), self.subject.bits,
            EVENTS, trials,
        )  # fmt: skip
        return Learned(codes, given[0].numbers.shape[1], scores, events)

    def _bounded(
        self, event: OutputEvent, hits: tuple[int, int], learned: Learned,
        counted: tuple[OutputTable, OutputTable], claim: PrivacyClaim,
    ) -> Examined:  # fmt: skip
        """Clopper and Pearson's bounds of one event."""
        trials = len(counted[0])
        low = proportion_at_least(hits[0], trials, self.each)
        high = proportion_at_most(hits[1], trials, self.each)
        loss = log_ratio_at_least(low - claim.delta, high) if low > claim.delta else Fraction(0)
        return Examined(
            event, event.describe(learned.codes), loss, _beyond(hits, trials, claim), hits, trials,
            low, high, counted, learned.codes,
        )  # fmt: skip

    def _outputs(self, pair: Pair, count: int) -> tuple[Any, Any]:
        """Fresh outputs on both inputs."""
        about = self.subject
        found = drawn(
            about.run, (pair.x, pair.x2), count, about.batch, about.name, about.state,
            (self.seed, self.drawn),
        )  # fmt: skip
        if any(len(o) != count for o in found):
            raise ParameterError(
                f"{count} outputs were asked for, and it gives {[len(o) for o in found]}",
                place="batch",
                remedy="batch(x, count) returns an array whose first axis has `count` entries",
            )
        self.drawn += 2 * count
        if self.subject.batch is None:
            self.failures.note(found, data=self.subject.state is None)
        return found[0], found[1]

    def _refuted(self, found: Scouted, seen: Examined, tried: int) -> PrivacyRefuted:
        """With a simpler pair, if fresh outputs of it refute, too."""
        pair, count = found.pair, 2 * seen.trials
        if self.subject.space is not None:
            few, excess = min(count, _QUICK), seen.loss - found.claim.epsilon

            def breaks(simpler: Pair) -> bool:
                claimed = self.subject.claim(simpler.d).epsilon
                return self._examined(simpler, few).loss > claimed + excess * _KEPT

            # At the deadline the pair stays as it is.
            with suppress(OutOfTime):
                time = min(self.spent.seconds * _SMALLER, self._left())
                simple = smaller(pair, self.subject.space, breaks, time)
                if simple is not None:
                    again = self._examined(simple, count)
                    if again.loss > self.subject.claim(simple.d).epsilon:
                        pair, seen = simple, again
        claim = self.subject.claim(pair.d)
        x, x2 = (pair.x2, pair.x) if seen.event.swapped else (pair.x, pair.x2)
        counts = (
            f"{grouped(seen.hits[0])} of {grouped(seen.trials)} outputs on x, "
            f"{grouped(seen.hits[1])} of {grouped(seen.trials)} on x'"
        )
        return PrivacyRefuted(
            self.subject.name, claim, "sampled", _why(seen.loss, claim), x, x2, pair.d,
            seen.described, (seen.low, Fraction(1)), (Fraction(0), seen.high), seen.loss,
            float(self.spent.alpha), "", tried, self.seed, (counts, *_hint(seen.event)),
            self.subject.command,
        )  # fmt: skip

    def _survived(self, found: Scouted, seen: Examined) -> PrivacySurvived:
        claim = found.claim
        return PrivacySurvived(
            self.subject.name, claim, "sampled", seen.loss, ratio(seen.loss, claim.epsilon),
            seen.described, float(self.spent.alpha), 0, self.drawn, self.seed, (),
            self.subject.command, (seen.low, Fraction(1)), (Fraction(0), seen.high),
        )  # fmt: skip

    def _notes(self, claim: PrivacyClaim) -> tuple[str, ...]:
        """Whether these samples could have refuted anything."""
        failed = self.failures.told(self.drawn)
        if claim.delta >= 1:
            return failed
        most, least = self._range(claim)
        count = grouped(self.trials)
        if float(claim.epsilon) > most:
            return (
                *failed,
                f"{count} counted outputs per input show an epsilon of {most:.2f} at most, so they "
                f"cannot refute epsilon {short(claim.epsilon)}: give more samples or "
                "seconds, or audit exactly or by replay",
            )
        if float(claim.epsilon) < least:
            return (
                *failed,
                f"{count} counted outputs per input show an epsilon above {least:.2g} at "
                f"best, so they say little of a claim as small as {short(claim.epsilon)}: give "
                "more samples or seconds, or audit exactly or by replay",
            )
        return failed

    def _range(self, claim: PrivacyClaim) -> tuple[float, float]:
        """The largest epsilon that so many outputs can show, and the smallest one that they show
        of a coin that says the likelier thing in half of all runs."""
        n, each = max(self.trials, 1), self.spent.each
        delta = float(claim.delta)
        most = log((1 - delta) / float(proportion_at_most(0, n, each)))
        low, high = proportion_at_least(n // 2, n, each), proportion_at_most(n // 2, n, each)
        return most, 2 * log(float(high) / float(low)) if low else inf


def _hits(
    event: OutputEvent, counted: tuple[OutputTable, OutputTable], learned: Learned
) -> tuple[int, int]:
    """Outputs in the event, on the likelier input and on the other one."""
    a, b = (event.hits(t, learned.scores) for t in counted)
    return (b, a) if event.swapped else (a, b)


def _best(
    events: list[OutputEvent],
    hits: list[tuple[int, int]],
    trials: int,
    claim: PrivacyClaim,
    alpha: float,
) -> int:
    """Place of the event to report: the plainest that refutes, else the one that shows most, as far
    as quick bounds tell.  All of them have their share of the error."""
    import numpy as np

    low = at_least(np.array([h[0] for h in hits]), trials, alpha) - float(claim.delta)
    high = 1 - at_least(trials - np.array([h[1] for h in hits]), trials, alpha)
    with np.errstate(divide="ignore", invalid="ignore"):
        loss = np.where(low > 0, np.log(low / high), -inf)
    plainly = loss - np.array([e.strangeness for e in events])
    refuting = loss > float(claim.epsilon)
    return int(np.argmax(np.where(refuting, plainly, -inf) if refuting.any() else loss))


def _beyond(hits: tuple[int, int], trials: int, claim: PrivacyClaim) -> float:
    """The estimate of epsilon above the claim, in its standard deviations (by the delta method)."""
    p, q = (hits[0] + 0.5) / (trials + 1), (hits[1] + 0.5) / (trials + 1)
    above = p - float(claim.delta)
    if above <= 0 or claim.epsilon == inf:
        return -inf
    spread = sqrt((p * (1 - p) / above**2 + (1 - q) / q) / trials)
    return (log(above / q) - float(claim.epsilon)) / max(spread, 1e-300)


def closer(best: PrivacySurvived | None, other: PrivacySurvived) -> PrivacySurvived:
    """Of two survivals, the one that came closest to its claim."""
    return other if best is None or other.closest > best.closest else best


def _why(loss: Fraction, claim: PrivacyClaim) -> str:
    at = f" at delta {float(claim.delta):.6g}" if claim.delta else ""
    # Three digits, rounded down.
    return f"epsilon is at least {int(loss * 1000) / 1000:g}{at}"


def _hint(event: OutputEvent) -> tuple[str, ...]:
    if event.view.startswith("exponent of the lowest bit"):
        return (
            "the lowest bits of a double tell which exact values were added: draw on a grid "
            "(`bits=False` audits the mechanism in real numbers)",
        )
    if event.view.startswith("how the output is built"):
        return ("types, lengths, keys and exceptions are seen by whoever gets the output",)
    return ()
