"""Plain runs of a program, with its own randomness, held against a law that was worked out.

A law is worked out with stand-ins for numbers and generators.  A program may treat these in another
way than what they stand for: it asks for a type, catches an error, hands them to code in C, or
draws from a source that nobody replaced.  Its plain runs then show something else.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from math import inf, log, log1p, sqrt
from typing import Any

from metricdp.audit.measurements.limits import check
from metricdp.audit.measurements.outputs import OutputCodes, Raised, tables
from metricdp.audit.measurements.sampled import seeded
from metricdp.audit.replaying.outcomes import PublicOutcome, copied, observe
from metricdp.audit.replaying.programs import ReplayedProgram
from metricdp.audit.replaying.state import ProgramState
from metricdp.audit.replaying.tape import Tape

#: Runs on each input; the chance that any true law of one audit is contradicted, which has this
#: many inputs at most.
RUNS, FALSE_ALARM = 500, 1e-9
_INPUTS = 64


def plain_outcomes(
    program: ReplayedProgram, state: ProgramState, values: Mapping[str, Any], seed: int,
    count: int = RUNS,
) -> list[PublicOutcome]:  # fmt: skip
    """What plain runs on one input show.

    Args:
        state: of the program, put back before and after every run.
        seed: of the shared generators; the program's own are as it makes them.

    Raises:
        OutOfTime: at the deadline.
    """
    from numpy.random import default_rng

    rng = default_rng([seed, 7])
    found: list[PublicOutcome] = []
    with seeded(seed):
        for _ in range(count):
            check()
            found.append(plain_outcome(program, state, values, rng))
    return found


def plain_outcome(
    program: ReplayedProgram, state: ProgramState, values: Mapping[str, Any], rng: Any
) -> PublicOutcome:
    """What one plain run shows."""
    arguments = {n: copied(v) for n, v in values.items()}
    public = {n: copied(v) for n, v in program.public.items()}
    if program.generator:
        arguments[""] = rng
    readers = state.begun()
    readers.update({f"`{n}`": partial(public.__getitem__, n) for n in public})
    try:
        return observe(lambda: program.call({**public, **arguments}), readers, Tape(), program.name)
    finally:
        state.reset()


def contradiction(law: Mapping[Any, Fraction], seen: Sequence[Hashable]) -> str:
    """Why outcomes do not follow a law; "" where they may.

    An outcome of probability p has a share s among n outcomes with a chance of at most
    exp(-n KL(s, p)), from above and from below (Chernoff 1952); the bounds of all outcomes hold
    together with probability at least 1 - `FALSE_ALARM` (Bonferroni).
    """
    counts = Counter(seen)
    if any(not law.get(outcome) for outcome in counts):
        return "a plain run shows what no followed run shows"
    limit = log(2 * len(law) * _INPUTS / FALSE_ALARM)
    for outcome, chance in law.items():
        if len(seen) * _divergence(counts[outcome] / len(seen), float(chance)) > limit:
            return "plain runs show something more often or less often than the followed runs"
    return ""


def unlike(first: Sequence[PublicOutcome], second: Sequence[PublicOutcome]) -> str:
    """Why runs do not come from one law, of which there are equally many; "" where they may.

    The shares of any event on the line differ by more than d with a chance of at most
    e exp(-d^2 n) (Wei and Dudley 2012), for whatever is asked of the runs; shared as above.
    """
    import numpy as np

    a, b = tables([_output(o) for o in first], [_output(o) for o in second], OutputCodes())
    width = a.numbers.shape[1]
    far = sqrt(log(3 * (2 * width + 1) * _INPUTS / FALSE_ALARM) / len(first))
    columns = [(a.built, b.built)]
    for i in range(width):
        columns.append((a.labels[:, i], b.labels[:, i]))
        columns.append(tuple(np.nan_to_num(t.numbers[:, i]) for t in (a, b)))
    for left, right in columns:
        at = np.unique(np.concatenate([left, right]))
        below = [np.searchsorted(np.sort(c), at, "right") / len(c) for c in (left, right)]
        if np.abs(below[0] - below[1]).max(initial=0) > far:
            return "plain runs are not like replayed ones"
    return ""


def _output(outcome: PublicOutcome) -> Any:
    error = outcome.parts["error"]
    return _bare(outcome.result) if error is None else Raised(error[0], "")


def _bare(value: Any) -> Any:
    """Numbers of NumPy as those of Python, which may stand for them."""
    if type(value).__module__ == "numpy" and getattr(value, "ndim", 1) == 0:
        return value.item()
    if type(value) in (list, tuple):
        return type(value)([_bare(each) for each in value])
    return {k: _bare(v) for k, v in value.items()} if type(value) is dict else value


def _divergence(share: float, chance: float) -> float:
    """KL of two coins; the chance lies in (0, 1]."""
    if chance >= 1 or chance <= 0:
        return 0.0 if share == min(max(chance, 0.0), 1.0) else inf
    found = 0.0
    if share:
        found += share * (log(share) - log(chance))
    if share < 1:
        found += (1 - share) * (log1p(-share) - log1p(-chance))
    return max(found, 0.0)


__all__ = ["FALSE_ALARM", "RUNS", "contradiction", "plain_outcome", "plain_outcomes", "unlike"]
