"""The best of a secret random number of rounds, while a program runs.

How many rounds there were, and all that was drawn in the other rounds, is neither recorded nor
released: the guarantee is about the best round alone.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import inf
from numbers import Real
from typing import TYPE_CHECKING, Any

from metricdp.errors import InternalError, NotProvedError, PostProcessingError, ReplayError
from metricdp.run.emit import collect, collecting

if TYPE_CHECKING:
    from metricdp.noise import BitSource
    from metricdp.run.draws import Drawn


def private_selection(
    run: Any, candidates: Any = None, *, stop: Any, shape: Any = 1, threshold: Any = None
) -> Any:
    """The pair (score, value) of the best of a secret random number of rounds of `run`.

    `run()` adds noise and returns a released pair (score, value); with public `candidates` every
    round draws one of them uniformly and calls `run(candidate)`.  The first round of the largest
    score is returned, and all that the others released is forgotten; a score that is NaN or no
    number, or a round that fails, counts as the lowest.  A round that is epsilon-DP costs
    epsilon + (1 + shape) ln((e^epsilon + stop) / (1 + stop e^epsilon)) in all, which is epsilon for
    stop 1 and below (2 + shape) epsilon for every stop.

    Args:
        stop: public, in [1e-9, 1]; with shape 1 every round is the last one with this chance, so
            there are 1/stop rounds on average.
        threshold: public or released; if given, the first round whose score reaches it is returned,
            (None, None) when none did before the rounds ended.  Costs as shape 0; without `shape`.
        shape: public, in (-1, 1]; 1 is the geometric law, 0 the logarithmic one, which has fewer
            rounds for the same `stop` and costs less than 2 epsilon.

    Raises:
        NotProvedError: called outside a checked function.
    """
    raise NotProvedError(
        "`private_selection` was called outside a checked function, so no privacy is proved",
        remedy="call it in a function decorated with @dp.measurement",
    )


def best_round(
    once: Callable[[], Any], stop: Fraction, shape: Fraction, source: BitSource | None, site: str
) -> Any:
    """The best result of `once`, with the draws of its round and of no other.

    Raises:
        PostProcessingError: every round failed.
        ReplayError: there is no randomness.
    """
    from metricdp.noise.bernoulli import selection_rounds

    if source is None:
        raise ReplayError("a replay draws no rounds", place=site)
    best: Any = None
    best_key: Any = None
    kept: list[Drawn] = []
    for _ in range(selection_rounds(stop, shape, source)):
        with collecting() as drawn:
            found = _result(once)
        key = -inf if found is None else score_key(found[0])
        if best_key is None or key > best_key:
            best, best_key, kept = found, key, drawn
    collect(kept if best is not None else [])
    if best is None:
        raise PostProcessingError(
            "no round of a private selection gave a result", place=site,
            remedy="guard the post-processing, e.g. max(count, 1) as divisor",
        )  # fmt: skip
    return best


def first_round(
    once: Callable[[], Any], stop: Fraction, threshold: Any, source: BitSource | None, site: str
) -> Any:
    """The first result of `once` whose score reaches the threshold, with its draws and no other's.

    After a round that does not, there is none with the chance `stop`: (None, None).

    Raises:
        ReplayError: there is no randomness.
    """
    from metricdp.noise.bernoulli import bernoulli

    if source is None:
        raise ReplayError("a replay draws no rounds", place=site)
    while True:
        with collecting() as drawn:
            found = _result(once)
        if found is not None and score_key(found[0]) >= threshold:
            collect(drawn)
            return found
        if bernoulli(stop, None, source):
            return None, None


def _result(once: Callable[[], Any]) -> Any:
    """What a round returns; None where its code fails, which its own releases decide."""
    try:
        return once()
    except (InternalError, ReplayError, NotProvedError):
        raise
    except Exception:
        return None


def score_key(score: Any) -> Any:
    """A score as it is compared: what is NaN or no number counts as the lowest."""
    # NumPy's numbers are real numbers to Python, too.
    return score if isinstance(score, Real) and score == score else -inf
