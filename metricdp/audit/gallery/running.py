"""Running the gallery: every entry with its auditor, and whether the verdict was the right one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from time import monotonic

import msgspec

from metricdp.audit.gallery.entry import GalleryEntry
from metricdp.audit.measurements.audited import audited
from metricdp.audit.measurements.claims import PrivacyClaim, short
from metricdp.audit.measurements.exact import finite
from metricdp.audit.measurements.sampled import sampled
from metricdp.audit.measurements.verdicts import Verdict
from metricdp.audit.replaying import replay

#: Outputs per input of one sampled audit; time enough for all, so that verdicts never depend on it.
#: Estimate, by binomial tails at the measured probabilities of the events that one seed chose: each
#: broken mechanism is missed with a probability of about 1e-9 or less.
SAMPLES, SECONDS = 60_000, 60.0
#: Outputs where replays come first: what is wrong there shows in nearly every output.
FEW = 6000
#: Of each of fewer than fifty sampled audits: at most 5e-8 in all for a false alarm.
CONFIDENCE = 1 - 1e-9


class GalleryVerdict(msgspec.Struct, frozen=True):
    """What an auditor said of an entry.

    Attributes:
        verdict: of the auditor.
        seconds: that it took.
    """

    entry: GalleryEntry
    verdict: Verdict
    seconds: float

    @property
    def right(self) -> bool:
        """Whether the verdict is the one that the entry must get."""
        return self.verdict.refuted == (self.entry.right == "refuted")

    @property
    def shown(self) -> str:
        """The verdict in a few words."""
        loss = self.verdict.loss
        name = "rho" if self.entry.rho is not None else "epsilon"
        number = "" if loss is None else f", {name} {'>=' if loss else '='} {short(loss)}"
        return f"{'refuted' if self.verdict.refuted else 'survived'}{number}"


def run(entries: Iterable[GalleryEntry], seed: int = 0) -> Iterator[GalleryVerdict]:
    """Audit entries, one after the other."""
    for entry in entries:
        started = monotonic()
        verdict = audit_entry(entry, seed)
        yield GalleryVerdict(entry, verdict, monotonic() - started)


def audit_entry(entry: GalleryEntry, seed: int = 0, samples: int = SAMPLES) -> Verdict:
    """The verdict on one entry, by its auditor."""
    if entry.auditor == "exact":
        return finite(
            entry.run, epsilon=entry.epsilon, delta=entry.delta, rho=entry.rho,
            pairs=entry.pairs, name=entry.name,
        )  # fmt: skip
    claim = PrivacyClaim.of(entry.epsilon, entry.delta)
    if entry.auditor == "replay":
        return replay(entry.run, pairs=entry.pairs, claim=claim, seconds=SECONDS, seed=seed)
    if entry.auditor == "all":
        return audited(
            entry.run, epsilon=claim.epsilon, delta=claim.delta, pairs=entry.pairs,
            samples=min(samples, FEW), seconds=SECONDS, confidence=CONFIDENCE, seed=seed,
        )[-1]  # fmt: skip
    return sampled(
        entry.run, epsilon=claim.epsilon, delta=claim.delta, pairs=entry.pairs,
        batch=entry.run if entry.batched else None, samples=samples, seconds=SECONDS,
        confidence=CONFIDENCE, seed=seed, name=entry.name,
    )  # fmt: skip


def lines(outcomes: Iterable[GalleryVerdict], entries: Iterable[GalleryEntry]) -> Iterator[str]:
    """A table, line by line: entry, claim, auditor, verdict, what is wrong or why it is right."""
    known = list(entries)
    head = ("mechanism", "claim", "auditor", f"{'verdict':<30}")
    widths = [
        max(len(text) for text in (title, *column))
        for title, column in zip(
            head, zip(*((e.name, e.claim, e.auditor, "") for e in known), strict=True), strict=True
        )
    ]

    def row(*cells: str) -> str:
        *first, last = cells
        return "  ".join([*(f"{c:<{w}}" for c, w in zip(first, widths, strict=True)), last])

    yield row(*head, "why")
    for o in outcomes:
        shown = o.shown if o.right else f"WRONG: {o.shown}"
        yield row(o.entry.name, o.entry.claim, o.entry.auditor, shown, o.entry.why)
