"""One call for whatever claims privacy: every auditor that applies, cheapest first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from time import monotonic
from typing import Any, TypeGuard

import msgspec

from metricdp.audit.measurements.concrete import measurement
from metricdp.audit.measurements.drawing import drawn
from metricdp.audit.measurements.exact import finite
from metricdp.audit.measurements.limits import OutOfTime, limited
from metricdp.audit.measurements.sampled import sampled, seeded, with_rng
from metricdp.audit.measurements.verdicts import PrivacyRefuted, Verdict
from metricdp.errors import ParameterError, ReplayError
from metricdp.maps import Measurement

#: Share of the time that replaying may take: it needs no samples.
_REPLAY = 0.3
#: Share of the time for runs on the same input, which a leak that is doubted needs.
_SAME = 0.1
#: What a replay says of a program whose randomness it did not see.
_NO_NOISE = "no noise was drawn"
#: Most runs on each input, and of them those that are made however long they take.
_MOST, _FEWEST = 1000, 20


def audited(
    target: Any,
    *,
    epsilon: Any = None,
    delta: Any = 0,
    rho: Any = None,
    pairs: Iterable[Any] | None = None,
    space: Any = None,
    public: Mapping[str, Any] | None = None,
    samples: int | None = None,
    seconds: float = 10.0,
    confidence: Any = 0.999999,
    seed: int = 0,
    bits: bool = True,
    guarded: bool = False,
) -> tuple[Verdict, ...]:
    """Audit a privacy claim by all auditors that apply; the first refutation ends it.

    Args:
        target: a checked measurement (replayed); a `Measurement` (replayed, then its laws or its
            samples); a matrix or dictionary of laws (exact, with `epsilon` or `rho`); or a plain
            function of the private input (replayed where its noise is known, then sampled, with
            `epsilon`, `delta`, and `pairs` or `space`).
        public: public parameters of a checked function.
        pairs, space, samples, seconds, confidence, seed, bits, guarded: as for `sampled`.

    Raises:
        ParameterError: a claim that is missing, or given to what has its own; no inputs; outputs
            that no audit can look into; a function that fails in every run.

    >>> [v.refuted for v in audited([["3/4", "1/4"], ["1/4", "3/4"]], epsilon=1)]
    [True]
    """
    tried = None if pairs is None else list(pairs)
    claims = epsilon is not None or rho is not None
    if isinstance(getattr(target, "core", target), Measurement) or hasattr(
        type(target), "guarantee"
    ):
        if claims or space is not None:
            raise ParameterError(
                "the target has a space and a claim of its own",
                place="target",
                remedy="leave space, epsilon, delta and rho out",
            )
        return _own(target, tried, public, samples, seconds, confidence, seed, bits, guarded)
    if not callable(target):
        return (finite(target, epsilon=epsilon, delta=delta, rho=rho, pairs=tried),)
    if epsilon is None:
        raise ParameterError(
            "a plain function claims nothing by itself",
            place="epsilon",
            remedy="epsilon=1.0" if rho is None else "epsilon and delta, or audit.replay(f, rho=1)",
        )
    started = monotonic()
    found, silent = _replayed(
        target, tried, seconds, seed, epsilon=epsilon, delta=delta, space=space, public=public,
        guarded=guarded,
    )  # fmt: skip
    doubted: PrivacyRefuted | None = None
    if found and found[-1].refuted:
        first = found[-1]
        if not _unseen(first):
            return found
        doubted, found = first, ()
    if found and found[-1].auditor == "exact":
        return found
    if public:
        from functools import partial

        target = partial(target, **public)
    last = sampled(
        target, epsilon=epsilon, delta=delta, pairs=tried, space=space, samples=samples,
        seconds=_rest(seconds, started), confidence=confidence, seed=seed, bits=bits,
        guarded=guarded,
    )  # fmt: skip
    if doubted is not None and not last.refuted:
        with limited(seconds * _SAME):
            runs = alike(target, (doubted.x, doubted.x2), seconds * _SAME, seed)
        if runs:
            note = f"{runs} more runs on each of the two inputs gave the same two results"
            return (msgspec.structs.replace(doubted, details=(*doubted.details, note)),)
    return (*found, _noted(last, silent))


def _rest(seconds: float, started: float) -> float:
    """What is left of the time, less the share that a doubted leak needs."""
    return max((1 - _SAME) * seconds - (monotonic() - started), seconds * _SAME)


def _unseen(verdict: Verdict) -> TypeGuard[PrivacyRefuted]:
    """Whether results differ before any draw that a replay saw: a leak, or randomness of a source
    that it does not know.  Samples tell, or many runs on the same input (`alike`)."""
    return (
        isinstance(verdict, PrivacyRefuted)
        and _NO_NOISE in verdict.details
        and verdict.why.startswith("the result is")
    )


def alike(mechanism: Callable[..., Any], inputs: tuple[Any, Any], seconds: float, seed: int) -> int:
    """How often a mechanism was run on each of two inputs, if the outputs on each were all equal
    and those on the two are not; 0 where they vary, so that the input may not be the reason.

    A coin that a replay does not see can land alike for long: with chance p**(2 n) after n runs on
    each input, if it says the likelier thing with chance p.  So this does not prove that nothing is
    random, and is asked only of a pair that a replay refuted.
    """
    from metricdp.audit.replaying.outcomes import form

    run = with_rng(mechanism, seed)
    stop, count = monotonic() + seconds, 0
    first: list[Any] = []
    with suppress(OutOfTime), seeded(seed):
        while count < _FEWEST or (count < _MOST and monotonic() < stop):
            found = [form(drawn(run, (x,), 1)[0]) for x in inputs]
            first = first or found
            if found != first or found[0] == found[1]:
                return 0
            count += 1
    return count if count >= _FEWEST else 0


def _own(
    target: Any,
    pairs: list[Any] | None,
    public: Mapping[str, Any] | None,
    samples: int | None,
    seconds: float,
    confidence: Any,
    seed: int,
    bits: bool,
    guarded: bool,
) -> tuple[Verdict, ...]:
    """What has a claim of its own."""
    started = monotonic()
    found, silent = _replayed(target, pairs, seconds, seed, public=public, guarded=guarded)
    checked = hasattr(type(target), "guarantee")
    if checked or (found and found[-1].refuted):
        return found
    last = measurement(
        target, pairs=pairs, samples=samples, seconds=_rest(seconds, started),
        confidence=confidence, seed=seed, bits=bits, guarded=guarded,
    )  # fmt: skip
    return (*found, _noted(last, silent))


def _noted(verdict: Verdict, silent: str) -> Verdict:
    """With the reason why a replay could say nothing, where it could not."""
    if not silent:
        return verdict
    details = (*verdict.details, f"record and replay says nothing: {silent}")
    return msgspec.structs.replace(verdict, details=details)


def _replayed(
    target: Any, pairs: list[Any] | None, seconds: float, seed: int, **options: Any
) -> tuple[tuple[Verdict, ...], str]:
    """The verdict of a replay; none, and why, where the noise is of a kind that no replay knows."""
    from metricdp.audit.replaying import replay

    try:
        found = replay(target, pairs=pairs, seconds=seconds * _REPLAY, seed=seed, **options)
    except ReplayError as error:
        if hasattr(type(target), "guarantee"):
            raise
        return (), error.fact
    return (found,), ""


def assert_private(target: Any, **options: Any) -> None:
    """Fail a test when an audit refutes a privacy claim; for the test-suites of users.

    Args:
        target, options: as for `audited`.

    Raises:
        AssertionError: the claim is false; the message is the verdict, with the pair of inputs.
        ParameterError: as for `audited`.

    >>> import random
    >>> def answer(truth):
    ...     return truth if random.random() < 0.7 else not truth
    >>> assert_private(answer, epsilon=1, pairs=[(True, False)], samples=4000)
    """
    __tracebackhide__ = True
    last = audited(target, **options)[-1]
    if last.refuted:
        raise AssertionError(f"not private\n{last}")
