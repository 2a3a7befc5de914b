"""Running the gallery: every entry with its auditor, and whether the verdict was the right one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from time import monotonic

import msgspec

from metricdp.audit.gallery.entry import Entry
from metricdp.audit.measurements.claims import PrivacyClaim, short
from metricdp.audit.measurements.exact import finite
from metricdp.audit.measurements.sampled import sampled
from metricdp.audit.measurements.verdicts import Verdict

#: Outputs per input of one sampled audit; time enough for all, so that verdicts never depend on it.
SAMPLES, SECONDS = 60_000, 60.0
#: Of the whole gallery of about fifty entries: at most 5e-8 in all for a false alarm.
CONFIDENCE = 1 - 1e-9


class Outcome(msgspec.Struct, frozen=True):
    """What an auditor said of an entry.

    Attributes:
        verdict: of the auditor.
        seconds: that it took.
    """

    entry: Entry
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


def run(entries: Iterable[Entry], seed: int = 0) -> Iterator[Outcome]:
    """Audit entries, one after the other."""
    for entry in entries:
        started = monotonic()
        verdict = audit_entry(entry, seed)
        yield Outcome(entry, verdict, monotonic() - started)


def audit_entry(entry: Entry, seed: int = 0, samples: int = SAMPLES) -> Verdict:
    """The verdict on one entry, by its auditor."""
    if entry.auditor == "exact":
        return finite(
            entry.run, epsilon=entry.epsilon, delta=entry.delta, rho=entry.rho,
            pairs=entry.pairs, name=entry.name,
        )  # fmt: skip
    claim = PrivacyClaim.of(entry.epsilon, entry.delta)
    return sampled(
        entry.run, epsilon=claim.epsilon, delta=claim.delta, pairs=entry.pairs,
        batch=entry.run if entry.batched else None, samples=samples, seconds=SECONDS,
        confidence=CONFIDENCE, seed=seed, name=entry.name,
    )  # fmt: skip


def listed(outcomes: Iterable[Outcome]) -> str:
    """A table: entry, claim, auditor, verdict, and what is wrong with it or why it is right."""
    rows = [
        (
            "" if o.right else "WRONG",
            o.entry.name, o.entry.claim, o.entry.auditor, o.shown, o.entry.why,
        )
        for o in outcomes
    ]  # fmt: skip
    head = ("", "mechanism", "claim", "auditor", "verdict", "why")
    widths = [max(len(row[i]) for row in (head, *rows)) for i in range(5)]
    return "\n".join(
        "  ".join([*(f"{cell:<{w}}" for cell, w in zip(row, widths, strict=False)), row[5]]).strip()
        for row in (head, *rows)
    )
