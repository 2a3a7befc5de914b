"""The search: pairs of inputs, along several paths of released values each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, suppress
from fractions import Fraction
from functools import partial
from itertools import islice
from math import inf
from time import monotonic
from typing import Any

import msgspec

from metricdp.audit.measurements.limits import OutOfTime, check, limited
from metricdp.audit.measurements.neighbours import malformed
from metricdp.audit.measurements.verdicts import (
    PrivacyClaim,
    PrivacyRefuted,
    PrivacySurvived,
    Verdict,
)
from metricdp.audit.replaying.answering import Taping
from metricdp.audit.replaying.constants import never_alike, not_decided, repeated_noise
from metricdp.audit.replaying.enumerated import AllRuns
from metricdp.audit.replaying.findings import Finding, Seen, compare, composed, total
from metricdp.audit.replaying.generators import Generator
from metricdp.audit.replaying.moves import signs, steady_moves
from metricdp.audit.replaying.outcomes import PublicOutcome, copied, difference, form, observe
from metricdp.audit.replaying.patches import Makers, replaced
from metricdp.audit.replaying.paths import KINDS, OutputPath
from metricdp.audit.replaying.plainly import plain_outcome, plain_outcomes, unlike
from metricdp.audit.replaying.programs import Distances, ReplayedProgram
from metricdp.audit.replaying.state import ProgramState
from metricdp.audit.replaying.tape import Tape
from metricdp.audit.replaying.tried import pairs_of, simpler
from metricdp.audit.replaying.wrapping import Sampler, tracing
from metricdp.errors import ReplayError
from metricdp.run.emit import handling

Values = Mapping[str, Any]
#: Most pairs of inputs all of whose runs are followed; times that both runs of a leak are repeated:
#: a coin of an unknown source lands alike by chance.
_ENUMERATED, _REPEATS = 24, 8
#: Plain runs in which an error of a replay has to come again: one of chance p is missed with chance
#: (1 - p)^200.
_CONFIRMING = 200
#: Runs, replayed and plain ones, that are compared before a replay is said to have shown nothing.
_ALIKE = 100


class Search:
    """One audit.

    Args:
        program: what is replayed.
        samplers: address -> mechanism of another library.
        seed: of pairs and of paths.
        by_composition: the claim's proof is that the costs of the draws add up to it.
        given: the inputs are the user's, and may be malformed.
    """

    def __init__(
        self,
        program: ReplayedProgram,
        samplers: Mapping[str, Sampler],
        seed: int,
        by_composition: bool = False,
        given: bool = False,
    ) -> None:
        self.program, self.samplers, self.seed = program, samplers, seed
        self.by_composition, self.given = by_composition, given
        self.state = ProgramState(program.function)
        self.seen = Seen()
        self._confirmed: set[str] = set()

    def run(
        self, values: Values, path: OutputPath, followed: Tape | None
    ) -> tuple[Tape, PublicOutcome]:
        """One run: recorded, or following a tape.

        Raises:
            OutOfTime: at the deadline.
        """
        check()
        tape = Tape(followed)
        arguments = {name: copied(value) for name, value in values.items()}
        makers = Makers(tape, path)
        public = {n: makers.instead(v) or copied(v) for n, v in self.program.public.items()}
        readers = self.state.begun()
        readers.update({f"`{name}`": partial(public.__getitem__, name) for name in public})
        with ExitStack() as stack:
            stack.enter_context(handling(Taping(tape, path, self.program.place)))
            stack.enter_context(tracing(self.samplers, tape, path))
            if self.program.function is not None:
                stack.enter_context(replaced(self.program.function, makers))
            if self.program.generator:
                arguments[""] = Generator(tape, path, 99)
            outcome = observe(
                lambda: self.program.call({**public, **arguments}), readers, tape, self.program.name
            )
        self.state.reset()
        check()
        tape.finish()
        if tape.lost:
            raise not_followed(self.program.name, tape.lost)
        self.confirm(values, path, tape, outcome)
        error = outcome.parts["error"]
        if self.given and self.program.function is None and error and error[0] == "SchemaError":
            raise malformed(error[1], self.program.name)
        if outcome.parts["error"] is None:
            self.seen.ended += 1
        else:
            self.seen.failed += 1
            self.seen.error = ": ".join(outcome.parts["error"][:2])
        return tape, outcome

    def try_pair(
        self, x: Values, y: Values, apart: Distances, paths: list[OutputPath]
    ) -> Finding | None:
        """The first finding along these paths, then with far outputs on the side of x."""
        latest: list[tuple[Tape, Tape]] = []
        for path in paths:
            first = self.run(x, path, None)
            second = self.run(y, path, first[0])
            found = compare(self.program, apart, first, second, self.seen)
            if found is not None and (found := self.decided(found, x, y, apart)) is not None:
                return found
            if second[0].broken is None:
                latest.append((first[0], second[0]))
        claim = self.program.claim(apart)
        for each in latest:
            found = composed(claim, *each, self.by_composition, self.seen)
            if found is not None:
                return found
        if not latest or claim.bounds[0] == float("inf"):
            return None
        steered = OutputPath("steered", self.seed, signs(*latest[0]))
        first = self.run(x, steered, None)
        second = self.run(y, steered, first[0])
        found = compare(self.program, apart, first, second, self.seen)
        if found is not None or second[0].broken is not None:
            return found and self.decided(found, x, y, apart)
        steady = steady_moves([*latest, (first[0], second[0])])
        return total(claim, first[0], second[0], first[1], steady, self.seen)

    def decided(self, found: Finding, x: Values, y: Values, apart: Distances) -> Finding | None:
        """The finding where it refutes the claim; None, and a note, where noise may cover it.

        One path of outputs has no probability, which a delta or draws that are summed leave open.
        A program of this package, or one whose proof is composition, is charged draw by draw.
        """
        claim = self.program.claim(apart)
        open_ = found.counted or bool(claim.delta)
        if found.kind not in ("leak", "reuse") or not open_:
            return found
        if found.counted and (self.by_composition or self.program.function is None):
            return found
        shown = never_alike(self.run, x, y, claim)
        if not shown:
            self.seen.undecided = self.seen.undecided or found
            return None
        return msgspec.structs.replace(found, details=(*found.details, shown))

    def repeats(self, x: Values) -> None:
        """The same input along its own tape must give the same outcome.

        Raises:
            ReplayError: it does not, so something else than the tape decides.
        """
        path = OutputPath("drawn", self.seed)
        first = self.run(x, path, None)
        second = self.run(x, path, first[0])
        part = difference(first[1], second[1])
        if part is None and second[0].broken is None:
            return
        why = f"the {part}" if part is not None else f"the draws ({second[0].broken.what})"  # type: ignore[union-attr]
        raise ReplayError(
            f"two runs on the same input with the same noise differ in {why}: something else "
            "decides (a library's own sampler, the clock, state that a module or a file keeps)",
            place=self.program.name,
            remedy="wrap a mechanism that draws by itself with metricdp.audit.traced, or audit by "
            "samples",
        )

    def unsteady(self, x: Values, y: Values) -> Finding | None:
        """What earlier runs left behind, where the same run twice is not the same.

        Raises:
            ReplayError: something else than the tape decides.
        """
        try:
            self.repeats(x)
        except ReplayError:
            found = self.remembers(x, y)
            if found is None:
                raise
            return found
        return None

    def remembers(self, x: Values, y: Values) -> Finding | None:
        """Whether a run on x shows, along the same released values, if x or x' was run before.

        The state that is watched is put back after every run; this is about all other state.
        """
        path = OutputPath("drawn", self.seed)
        tape, _ = self.run(x, path, None)
        later: list[list[tuple[Tape, PublicOutcome]]] = [[], []]
        for _ in range(_REPEATS):
            for found, before in zip(later, (x, y), strict=True):
                self.run(before, path, tape)
                found.append(self.run(x, path, tape))
        if any(run.broken is not None for found in later for run, _ in found):
            return None
        (_, first), (_, second) = later[0][0], later[1][0]
        steady = not any(difference(f[0][1], o) for f in later for _, o in f)
        part = difference(first, second)
        if part is None or not steady:
            return None
        return Finding(
            "leak",
            f"the {part} of a run on x is {first.shown[part]} after a run on x and "
            f"{second.shown[part]} after one on x'",
            "",
            ("state is kept in a module, a file or a cache, and tells of earlier inputs",),
        )

    def confirm(self, x: Values, path: OutputPath, tape: Tape, outcome: PublicOutcome) -> None:
        """An error beside noise as it is drawn comes in plain runs as well.

        Raises:
            ReplayError: it does not: the objects that stand for noise are its reason.
        """
        error = outcome.parts["error"]
        if error is None or self.program.function is None or path.kind != "drawn" or tape.broken:
            return
        key = repr((error[0], form(dict(x))))
        if key in self._confirmed:
            return
        from numpy.random import default_rng

        rng = default_rng(self.seed)
        for _ in range(_CONFIRMING):
            alone = plain_outcome(self.program, self.state, x, rng).parts["error"]
            if alone is not None and alone[0] == error[0]:
                self._confirmed.add(key)
                return
        raise not_followed(
            self.program.name, f"the program fails only when it is replayed, with {error[0]}"
        )

    def compare_plainly(self, inputs: Iterable[Values]) -> None:
        """Plain runs on these inputs look like runs on which noise is recorded.

        Raises:
            ReplayError: they do not, so replays say nothing of the program.
        """
        if self.program.function is None or self.samplers:
            return
        for values in inputs:
            replayed = [self.run(values, OutputPath("drawn", i), None)[1] for i in range(_ALIKE)]
            plain = plain_outcomes(self.program, self.state, values, self.seed, count=_ALIKE)
            why = unlike(replayed, plain)
            if why:
                raise not_followed(self.program.name, why)


def not_followed(name: str, what: str) -> ReplayError:
    """Nothing can be said, because of what stands for noise."""
    return ReplayError(
        what, place=name,
        remedy="it handles noise in a way that replay does not follow: audit by samples",
    )  # fmt: skip


def search(
    program: ReplayedProgram,
    pairs: Iterable[Any] | None,
    samplers: Mapping[str, Sampler],
    most: int,
    seconds: float,
    seed: int,
    by_composition: bool,
) -> Verdict:
    """Attack a program; see `metricdp.audit.replay`."""
    pairs = None if pairs is None else list(pairs)
    attack = Search(program, samplers, seed, by_composition, pairs is not None)
    with limited(seconds):
        try:
            return _search(attack, pairs, most, seconds)
        except OutOfTime:
            raise ReplayError(
                f"nothing is decided after {seconds:.3g} seconds", place=program.name,
                remedy="seconds=60, or smaller inputs",
            ) from None  # fmt: skip


def _search(attack: Search, pairs: list[Any] | None, most: int, seconds: float) -> Verdict:
    program, seed = attack.program, attack.seed
    # The other half is for the laws, and for the comparison with plain runs.
    stop, tried = monotonic() + seconds / 2, 0
    claim: PrivacyClaim | None = None
    alike: list[Values] = []
    for x, y, apart in pairs_of(program, pairs, seed):
        if tried >= most or (tried and monotonic() > stop):
            break
        kept = attack.unsteady(x, y) if not tried else None
        tried += 1
        alike = alike or [x, y]
        # At distance 1, unless another one comes closer.
        whole = sum(apart.values(), Fraction(0)) == 1
        claim = program.claim(apart) if claim is None or whole else claim
        found = kept or (repeated_noise(attack, x, y) if tried == 1 else None)
        try:
            with limited(inf if tried == 1 else stop - monotonic()):
                found = found or attack.try_pair(x, y, apart, _paths(tried, seed))
        except OutOfTime:
            if tried == 1:
                raise
            tried -= 1
            break
        if found is not None:
            if found.kind == "leak" and found is not kept:
                # Unless something else than the input tells the two runs apart.
                for values, others in ((x, y), (y, x)) * _REPEATS:
                    found = attack.unsteady(values, others) or found
            if pairs is None and found.kind != "reuse" and found is not kept:
                with suppress(OutOfTime):
                    found, x, y, apart = simpler(attack, found, x, y, apart, partial(_paths, 1, 0))
            return _refuted(program, found, x, y, apart, tried, seed)
    if claim is None:
        raise ReplayError(
            "no pair of neighbouring inputs was found", place=program.name,
            remedy="pairs=[(x, neighbour_of_x), ...]",
        )  # fmt: skip
    seen = attack.seen
    if program.function is not None and (
        seen.unsure or seen.unmeasured or seen.coins or seen.undecided
    ):
        # Coins and choices may have finitely many runs, which say more than two of them.
        exactly = AllRuns(program)
        known = exactly.verdict(islice(pairs_of(program, pairs, seed), min(tried, _ENUMERATED)))
        if known is not None:
            return msgspec.structs.replace(known, seed=seed)
    if seen.unsure is not None:
        site, what = seen.unsure
        raise ReplayError(
            f"{what}; but the noise drawn at {site} is used as a number and not added to one, so "
            "this may be its effect",
            place=program.name,
            remedy="wrap the mechanism that uses it with metricdp.audit.traced, or audit "
            "by samples",
        )
    if seen.undecided is not None:
        raise not_decided(program.name, seen.undecided)
    if not seen.ended:
        raise ReplayError(
            f"every run fails, with {seen.error}", place=program.name,
            remedy="give inputs and public arguments with which the program runs",
        )  # fmt: skip
    attack.compare_plainly(alike)
    return PrivacySurvived(
        program.name, seen.claim or claim, "replay", seen.loss, seen.closest, "", 0.0, tried, 0,
        seed,
        tuple(_notes(seen)),
    )  # fmt: skip


def _notes(seen: Seen) -> Iterator[str]:
    if seen.failed:
        yield f"{seen.failed} of {seen.failed + seen.ended} runs failed, the last with {seen.error}"
    if not seen.draws:
        yield "no noise was drawn: on each pair the two results were the same"
    if seen.unmeasured:
        names = ", ".join(sorted(seen.unmeasured))
        yield f"how far the inputs of {names} move was not measured, only what was released"
    if seen.hidden is not None:
        yield (
            f"{seen.hidden[1]}, more than claimed; they are not all released, so this refutes "
            "nothing: if adding up is the proof, replay with by_composition=True, else audit by "
            "samples"
        )


def _paths(tried: int, seed: int) -> list[OutputPath]:
    """As drawn, and far ones: all kinds for the first pairs, later one at a time."""
    number = seed * 1000 + tried
    if tried <= 12:
        return [OutputPath(kind, number) for kind in KINDS]
    return [OutputPath("drawn", number), OutputPath(KINDS[1 + tried % (len(KINDS) - 1)], number)]


def _refuted(
    program: ReplayedProgram,
    found: Finding,
    x: Values,
    y: Values,
    apart: Distances,
    tried: int,
    seed: int,
) -> PrivacyRefuted:
    single = len(program.inputs) <= 1
    (a, b) = (next(iter(v.values())) if single else dict(v) for v in (x, y))
    return PrivacyRefuted(
        program.name, program.claim(apart), "replay", found.why, a, b,
        sum(apart.values(), Fraction(0)), loss=found.loss, site=found.site, tried=tried, seed=seed,
        details=found.details,
    )  # fmt: skip
