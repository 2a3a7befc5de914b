"""Audit by record and replay: two runs along the same released values, without statistics.

A program is private because its result is computed from what its mechanisms released, and because
what enters each of them moves no further than its noise is made for.  Both can be seen on one pair:
the run on x is recorded, the run on x' is given the same outputs of the mechanisms.  Whatever then
differs in public was not computed from released values (a leak); an input that moved further than
was charged has a wrong sensitivity; and where every output is released, the losses add up to one
that the claim has to cover.  Of randomness that is not added to something all runs are followed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from metricdp.audit.measurements.exact import claimed
from metricdp.audit.measurements.neighbours import metric_space
from metricdp.audit.measurements.sampled import whole_seed
from metricdp.audit.measurements.verdicts import PrivacyClaim
from metricdp.audit.replaying.wrapping import Sampler, traced
from metricdp.errors import ParameterError

if TYPE_CHECKING:
    from metricdp.audit.measurements.verdicts import Verdict

__all__ = ["Sampler", "replay", "traced"]


def replay(
    target: Any,
    *,
    pairs: Iterable[Any] | None = None,
    space: Any = None,
    claim: PrivacyClaim | None = None,
    epsilon: Any = None,
    delta: Any = 0,
    rho: Any = None,
    public: Mapping[str, Any] | None = None,
    samplers: Mapping[str, Sampler] | None = None,
    guarded: bool = False,
    distances: tuple[int, ...] | None = None,
    by_composition: bool = False,
    most: int = 100,
    seconds: float = 5.0,
    seed: int = 0,
) -> Verdict:
    """Attack a program by running it twice along the same released values.

    Args:
        target: a checked measurement, a `Measurement` (of the library, of `metricdp.opendp`, or
            made by hand), or a plain function of one private argument that draws noise by this
            package, by `numpy.random`, `random`, `secrets` or `os.urandom`, or by functions marked
            with `traced`.
        pairs: (x, x') to try instead of made ones; their values appear in the verdict.
        space: of the private argument of a plain function: `dp.Records[float]` or a `Space`.
        claim, epsilon, delta, rho: what a plain function claims on neighbours, in one of these
            forms; without one only leaks and stated sensitivities are looked at.
        public: other arguments by name; for a checked function also sizes (`len_x`).
        samplers: "module:function" -> `Sampler` for mechanisms of other libraries.
        guarded: whatever calls a plain function guards its inputs: they hold no NaN, no infinities
            and no texts but usual ones.  Otherwise these are tried, too.
        distances: of made pairs; (1,) for plain functions, (1, 2, 3) for maps.
        by_composition: the claim of a plain function rests on adding up the costs of its draws;
            without this, draws that are not released refute nothing when they cost too much.
        most, seconds: pairs and time to spend at most.
        seed: the same seed tries the same pairs and released values.

    Returns:
        `PrivacyRefuted` or `PrivacySurvived` of the auditor "replay", or "exact" where all
        runs were followed.  Survived is not proved.

    Raises:
        ParameterError: a plain function without `space` and `pairs`; a claim for a target that
            has its own; more than one claim; a seed that is no integer.
        ReplayError: randomness that is not on the tape, noise that is used in a way that does not
            tell its mechanism, a difference between two runs that a delta or noise elsewhere may
            cover, results that are or hold objects whose content cannot be read, or
            a program that fails in every run: nothing can be said.
        NotProvedError: a checked function that is not proved.

    >>> import metricdp as dp
    >>> def count(rows, rng):
    ...     return len(rows) + rng.laplace(scale=1)
    >>> replay(count, space=dp.Records[float], epsilon=1).refuted
    False
    >>> replay(count, space=dp.Records[float], epsilon=0.5).why
    'epsilon is at least 1'
    """
    from metricdp.audit.replaying.programs import of_checked, of_function, of_measurement
    from metricdp.audit.replaying.search import search
    from metricdp.audit.unusual import beyond, noted
    from metricdp.maps import Measurement

    seed = whole_seed(seed)
    if sum(given is not None for given in (claim, epsilon, rho)) > 1:
        raise ParameterError("more than one claim", place="replay", remedy="epsilon=1, or rho=0.5")
    if epsilon is not None or rho is not None:
        claim = claimed(epsilon, delta, rho)
    # An object of `metricdp.opendp` holds the measurement that it names.
    core = getattr(target, "core", None)
    target = core if isinstance(core, Measurement) else target
    own = isinstance(target, Measurement) or hasattr(type(target), "guarantee")
    if own and (claim is not None or space is not None):
        raise ParameterError(
            "the target has a space and a claim of its own", place="replay",
            remedy="leave space, claim, epsilon and delta out",
        )  # fmt: skip
    if isinstance(target, Measurement):
        program = of_measurement(target, distances or (1, 2, 3), guarded)
    elif own:
        program = of_checked(target, public, distances or (1, 2, 3))
    else:
        if not callable(target):
            raise ParameterError(
                f"{type(target).__name__} is no function", place="replay",
                remedy="give a checked function, a Measurement or a plain function",
            )  # fmt: skip
        given = None if space is None else metric_space(space)
        if given is None and pairs is None:
            raise ParameterError(
                "no inputs to try", place="replay",
                remedy="space=dp.Records[float], or pairs=[(x, neighbour_of_x)]",
            )  # fmt: skip
        program = of_function(target, given, claim, public or {}, beyond(space, guarded))
        program = _at(program, distances)
    found: Verdict = search(program, pairs, samplers or {}, most, seconds, seed, by_composition)
    verdict: Verdict = noted(found, space, guarded)
    return verdict


def _at(program: Any, distances: tuple[int, ...] | None) -> Any:
    import msgspec

    if distances is None:
        return program
    if any(Fraction(d) != 1 for d in distances):
        raise ParameterError(
            "a plain function claims something of neighbours only", place="distances",
            remedy="wrap it in a Measurement with a map of the distance",
        )  # fmt: skip
    return msgspec.structs.replace(program, distances=distances)
