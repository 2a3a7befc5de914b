"""The sentence of a proof note that speaks of the case at hand."""

from __future__ import annotations

import re
from functools import lru_cache

from metricdp.record import REGISTRY, Record
from metricdp.spaces import Keyed, Records, Scalar, Space

_HEADINGS = ("Stability.", "Privacy.")
#: Words by which a note names a kind of space.
_KINDS = {
    "records": ("record", "row", "table"),
    "entries": ("vector", "entries", "entry"),
    "keyed": ("dictionar", "keys", "counts"),
    "matrix": ("matri", "column"),
    "number": ("number", "scalar", "reals"),
}
_ADDED, _REPLACED = (
    ("symmetric", "insert-delete", "added", "unknown size"),
    (
        "change-one",
        "hamming",
        "replaced",
        "known size",
    ),
)
#: Sentences that say something about a bound, not why it holds.
_ASIDES = ("Tight", "Source", "Approached", "Attained", "cf.")


def reason_of(record: Record, space: Space) -> str:
    """One sentence of the paragraph "Stability." or "Privacy.": the one that names this space."""
    return _reason(record.name, _kind(space), _metric(space))


@lru_cache(maxsize=1024)
def _reason(name: str, kind: str, metric: str) -> str:
    proof = REGISTRY[name].proof
    for heading in _HEADINGS:
        _, found, rest = proof.partition(heading)
        if found:
            sentences = _sentences(rest)
            best = max(enumerate(sentences), key=lambda s: (_score(s[1], kind, metric), -s[0]))
            return best[1]
    return proof.partition("\n")[0]


def _sentences(paragraph: str) -> list[str]:
    text = " ".join(paragraph.split("\n\n")[0].split())
    whole = [part for part in re.split(r"(?<=\.)\s+(?=[^\d])", text) if part]
    told = [part for part in whole if not part.startswith(_ASIDES)]
    return [p.rstrip(";:. ") for part in told for p in re.split(r"(?<=;)\s+", part)] or [text]


def _score(sentence: str, kind: str, metric: str) -> int:
    low = sentence.lower()
    own = any(word in low for word in _KINDS.get(kind, ()))
    others = [k for k, words in _KINDS.items() if k != kind and any(w in low for w in words)]
    score = 4 * own - (3 if others and not own else 0) + _bounds(low)
    mine, other = (_ADDED, _REPLACED) if metric == "added" else (_REPLACED, _ADDED)
    if metric:
        score += max(
            (3 - (word in ("added", "replaced")) for word in mine if _says(low, word)), default=0
        )
        score -= 2 * (any(_says(low, w) for w in other) and not any(_says(low, w) for w in mine))
    return score


def _says(sentence: str, word: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(word)}", sentence) is not None


def _bounds(sentence: str) -> int:
    return any(
        w in sentence
        for w in ("moves", "move ", "by at most", "stable", ": 1", "epsilon =", "rho =")
    )


def _kind(space: Space) -> str:
    if isinstance(space, Records):
        return "records"
    if isinstance(space, Keyed):
        return "keyed"
    if isinstance(space, Scalar):
        return "number"
    return "matrix" if hasattr(space, "cols") else "entries"


def _metric(space: Space) -> str:
    if not isinstance(space, Records):
        return ""
    return "added" if space.row_metric.adds else "replaced"
