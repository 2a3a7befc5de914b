"""An entry of the gallery: a mechanism, its claim, the verdict that it must get; and its audit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from time import monotonic
from typing import Any, Literal

import msgspec

from metricdp.audit.measurements.audited import audited
from metricdp.audit.measurements.exact import finite
from metricdp.audit.measurements.sampled import sampled
from metricdp.audit.measurements.verdicts import PrivacyClaim, Verdict, short
from metricdp.audit.replaying import replay

#: What an audit must say.
Right = Literal["refuted", "survived"]

#: Entries by name, in the order of the files.
GALLERY: dict[str, GalleryEntry] = {}
#: Outputs per input of one sampled audit; time enough for all, so that verdicts never depend on it.
#: Estimate, by binomial tails at the measured probabilities of the events that one seed chose: each
#: broken mechanism is missed with a probability of about 1e-9 or less.
SAMPLES, SECONDS = 60_000, 60.0
#: Outputs where replays come first: what is wrong there shows in nearly every output.
FEW = 6000
#: Of each of fewer than fifty sampled audits: at most 5e-8 in all for a false alarm.
CONFIDENCE = 1 - 1e-9


class GalleryEntry(msgspec.Struct, frozen=True):
    """A mechanism with its claim.

    Attributes:
        name: of the function.
        run: for the sampled auditor `run(x, count)`: that many outputs; for the exact one
            `run(x)`: the law on x; for the replay auditor `run(x)`: one output.
        epsilon, delta, rho: the claim for neighbours.
        pairs: neighbouring inputs.
        right: the verdict that it must get.
        why: one line: what is wrong, or why it is right.
        auditor: "sampled", "exact", "replay", or "all": those that apply, one after the other.
        twin: the correct version of a broken one, or "".
        batched: whether `run` gives many outputs at once.
    """

    name: str
    run: Callable[..., Any]
    pairs: Sequence[tuple[Any, Any]]
    right: Right
    why: str
    epsilon: Any = None
    delta: Any = 0
    rho: Any = None
    auditor: str = "sampled"
    twin: str = ""
    batched: bool = True

    @property
    def claim(self) -> str:
        """The claim as text."""
        if self.rho is not None:
            return f"rho {float(self.rho):.4g}"
        epsilon = f"epsilon {float(self.epsilon):.4g}"
        return f"{epsilon}, delta {float(self.delta):.4g}" if self.delta else epsilon


def broken(pairs: Sequence[tuple[Any, Any]], why: str, **fields: Any) -> Callable[..., Any]:
    """Enter a function as a mechanism that must be refuted."""
    return _entered(pairs, why, "refuted", fields)


def correct(pairs: Sequence[tuple[Any, Any]], why: str, **fields: Any) -> Callable[..., Any]:
    """Enter a function as a mechanism that must survive."""
    return _entered(pairs, why, "survived", fields)


def _entered(
    pairs: Sequence[tuple[Any, Any]], why: str, right: Right, fields: dict[str, Any]
) -> Callable[..., Any]:
    def enter(function: Callable[..., Any]) -> Callable[..., Any]:
        name = function.__name__
        assert name not in GALLERY, f"two entries are called {name}"
        GALLERY[name] = GalleryEntry(name, function, pairs, right, why, **fields)
        return function

    return enter


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
