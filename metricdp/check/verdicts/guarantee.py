"""The guarantee of one function: what check concluded, as data and as a report."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from metricdp.check.domain.owned import source_of
from metricdp.check.domain.parts import Parts
from metricdp.check.domain.requirements import facts, in_words
from metricdp.check.values.forms import Source
from metricdp.check.verdicts.held import Held, Place, Required, decimal, proper
from metricdp.check.verdicts.sites import SiteNoise, noise_by_site
from metricdp.diagnostics.result import ByRow, ClaimReport, FunctionReport, InputReport, Step
from metricdp.errors import ExpressionError, InternalError, MetricdpError, ParameterError
from metricdp.expr import ONE, D, Expr
from metricdp.measures.events import Sampled, Tree, nodes
from metricdp.measures.readings import spent
from metricdp.measures.taken import deciding, taken
from metricdp.record import Told
from metricdp.spaces import Owned, Space
from metricdp.spaces.records import adjacency

if TYPE_CHECKING:
    from metricdp.measures.accountant import Certified


#: Delta at which the cost of noise on samples is shown, where nobody names another.
SHOWN_DELTA = Fraction(1, 10**6)
#: The accountant's name of the rule that adds epsilons.
BASIC = "basic composition"
NAMES = {
    "pure": ("epsilon",), "zcdp": ("rho",), "approx": ("epsilon", "delta"),
    "approx_zcdp": ("rho", "delta"),
}  # fmt: skip


class Input(msgspec.Struct, frozen=True):
    """A parameter of the checked function; `space` is None when it is public."""

    name: str
    space: Space | None
    type: str = ""
    #: Transformation: movement of the result in its printed norm; a map in d_in.
    stability: Expr | None = None
    components: tuple[Expr, ...] | None = None
    #: Names of all parameters that one unit of distance changes at once, this one among them, where
    #: there are several: their cost and their movement are those of all together.
    together: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """The parameters that one unit of distance changes."""
        return self.source.name

    @property
    def source(self) -> Source:
        """The source of its movement."""
        return source_of(self.together or (self.name,))

    @property
    def unit(self) -> str:
        """One unit of distance in words; "" of a public parameter."""
        if isinstance(self.space, Owned) and self.together:
            return self.space.unit_in(self.label)
        return "" if self.space is None else self.space.unit


class FunctionGuarantee(msgspec.Struct, frozen=True):
    """What holds for every value of the public parameters that meets `requires`.

    Attributes:
        inputs: parameters in order.
        tree: composition tree of a measurement, or None.
        measure: the measure in which the cost is stated ("pure", "zcdp", "approx", "approx_zcdp").
        requires: relations (left, op, right) on public names.
        sites: noise at every mechanism call, by address.
        targets: public names that stand for targets, read as the decimals that are typed.
        fingerprint: hash of source, rules and versions.
        slack: delta given up for advanced composition, or None.
        places: requirement -> the call that asked for it, with a remedy.
        by_row: places that run row by row in Python, which takes longer and proves the same.
        parts: what is known of each part of what it returns, see `check.domain.parts`.
        drawn: symbol of a released number -> address of the call that releases it.
        told_apart: public parameters whose items are counted, or held against each other: a run
            refuses items of which nobody can say whether they are one (`run.different`).
        answers: which rows its answers are about, see `Conclusion`.
    """

    file: str
    name: str
    line: int
    kind: str
    inputs: tuple[Input, ...]
    output: str
    output_space: Space | None = None
    tree: Tree | None = None
    measure: str = ""
    requires: tuple[tuple[Expr, str, Expr], ...] = ()
    assumptions: tuple[str, ...] = ()
    rests_on: tuple[str, ...] = ()
    claims: tuple[ClaimReport, ...] = ()
    derivation: tuple[Step, ...] = ()
    sites: Mapping[str, SiteNoise] = {}
    targets: tuple[str, ...] = ()
    components: tuple[str, ...] | None = None
    fingerprint: str = ""
    slack: Expr | None = None
    places: Mapping[Required, Place] = {}
    by_row: tuple[ByRow, ...] = ()
    parts: Parts = None
    drawn: Mapping[str, str] = {}
    told_apart: tuple[str, ...] = ()
    answers: tuple[Told, ...] = ()

    def private(self) -> tuple[Input, ...]:
        """The private parameters."""
        return tuple(i for i in self.inputs if i.space is not None)

    def units(self) -> tuple[Input, ...]:
        """The private parameters, of those that one unit changes together the first."""
        return tuple(i for i in self.private() if not i.together or i.name == i.together[0])

    def moved_together(self) -> dict[str, tuple[str, ...]]:
        """Label of each of these -> the parameters that one unit changes."""
        return {i.label: i.together or (i.name,) for i in self.units()}

    def input(self, name: str) -> Input:
        """The parameter of a name."""
        (entry,) = (i for i in self.inputs if i.name == name)
        return entry

    def far(self, distances: Mapping[str, Fraction]) -> dict[str, Fraction]:
        """Private parameter -> distance: of those that one unit changes together the largest."""
        found = {}
        for entry in self.private():
            given = [distances[n] for n in entry.together or (entry.name,) if n in distances]
            if given:
                found[entry.name] = max(given)
        return found

    def cost(self, name: str, distance: Expr = ONE, measure: str = "") -> dict[str, Expr]:
        """Cost of one private input at a distance: epsilon and delta, rho, or rho and delta."""
        if self.tree is None:
            return {}
        chosen = measure or self.measure
        parts = self._parts(chosen, self.input(name).source, distance)
        known = facts(self.requires)
        found = {k: e.subs(known) for k, e in zip(NAMES[chosen], parts, strict=True)}
        if chosen == "pure":
            found["delta"] = D - D
        return found

    def at_numbers(self, values: Mapping[str, Fraction]) -> FunctionGuarantee:
        """The guarantee at these public numbers alone: without the branches that they do not take.

        It holds of a run with these numbers; its cost is at most that of the whole guarantee.

        Args:
            values: public name -> number, as a run would read it, not all of them needed.  A float
                parameter that is given as a decimal which no double is may be meant either way: a
                branch is left out where neither is in it.
        """
        if self.tree is None or not deciding(self.tree) & values.keys():
            return self
        types = {i.name: i.type for i in self.inputs if i.space is None}
        floats = {n for n, kind in types.items() if kind == "float"} - set(self.targets)
        doubles = {n: _double(v) if n in floats else v for n, v in values.items()}
        tree = taken(self.tree, *([values] if doubles == values else [values, doubles]))
        if tree == self.tree:
            return self
        rounds = {name: loop for s in self.sites.values() for name, loop in s.rounds.items()}
        # A mechanism of no such branch has no site: a run that reached it would stop.
        sites = noise_by_site(tree, rounds)
        return msgspec.structs.replace(self, tree=tree, sites=sites)

    def _parts(self, measure: str, source: Source, distance: Expr) -> tuple[Expr, ...]:
        assert self.tree is not None
        if self.slack is None or measure != "approx":
            return spent(self.tree, measure, source, distance)
        from metricdp.measures.mixed import with_slack

        found = with_slack(self.tree, source, distance, self.slack)
        return found.epsilon, found.delta

    def held(self, values: Mapping[str, Any], *, complete: bool = False) -> Held:
        """Public numbers at which no requirement fails; numbers of the guarantee are read there.

        Args:
            values: public name -> number.
            complete: refuse also a requirement that lacks a number.

        Raises:
            ParameterError: a requirement fails.
        """
        if isinstance(values, Held) and values.requires == self.requires:
            return values
        return Held(self, values, complete=complete)

    def requirement_texts(self) -> tuple[str, ...]:
        """Requirements as printed."""
        return tuple(dict.fromkeys(in_words(*each) for each in self.requires))

    def report(
        self,
        values: Mapping[str, Fraction] | None = None,
        distances: Mapping[str, Fraction] | None = None,
        verdict: Any = "proved",
        delta: Fraction | None = None,
        measure: str | None = None,
    ) -> FunctionReport:
        """The report of this function; with all public names in `values`, numbers too.

        With `delta`, numbers are the accountant's least epsilon there.  `measure` asks for another
        measure than the guarantee's (see `other_measures`).

        Raises:
            Stop: no bound in that measure is known.
            ParameterError: these numbers are excluded by a requirement, or the cost at them or at
                these distances promises nothing.
        """
        apart = self.far(distances or {})
        held = self.held(values or {})

        def inputs(here: FunctionGuarantee, known: Held) -> tuple[InputReport, ...]:
            return tuple(
                self._input(i, here, known, apart.get(i.name), delta, measure) for i in self.inputs
            )

        try:
            found = where_known(self, held, lambda here: inputs(here, held))
        except ParameterError as error:
            if error.diagnostic is not None:
                raise
            # The formulas stand alone, beside what they require.
            found = inputs(self, self.held({}))
        stated = any(entry.value is not None for entry in found)
        return FunctionReport(
            self.file, self.name, self.line, self.kind, verdict, found,
            self.output, self.requirement_texts(), self.assumptions, self.rests_on, self.claims,
            self.derivation, self.components, held.undecided if stated else {}, self.by_row,
        )  # fmt: skip

    def _input(
        self, entry: Input, here: FunctionGuarantee, values: Held, distance: Fraction | None,
        delta: Fraction | None, measure: str | None,
    ) -> InputReport:  # fmt: skip
        """One parameter in the report.

        Args:
            here: the guarantee at these numbers, of which numbers are stated; see `at_numbers`.
        """
        if entry.space is None:
            return InputReport(entry.name, False)
        from metricdp.expr import num

        if self.tree is None:
            stability = entry.stability
            assert stability is not None
            value = number(stability, values, distance or Fraction(1))
            parts = tuple(map(str, entry.components)) if entry.components is not None else None
            return InputReport(
                entry.name, True, str(entry.space), entry.unit, str(stability), None,
                value if values else None, parts, str(distance) if distance else None,
                together=entry.together,
            )  # fmt: skip
        cost = self.cost(entry.name, num(distance) if distance else ONE)
        numbers = {}
        if values:
            stated = here.cost(entry.name, num(distance) if distance else ONE)
            numbers = {k: number(e, values) for k, e in stated.items()}
        rule = missing = ""
        if measure is not None:
            from metricdp.check.verdicts.other_measures import in_measure

            cost, numbers = in_measure(here, entry, distance or Fraction(1), measure, values)
        elif delta is not None:
            cost = here.cost(entry.name, num(distance) if distance else ONE)
            cost, numbers, rule, missing = here._at_delta(entry, distance, cost, values, delta)
        sampled, by = None, ""
        if measure is None and delta is None:
            sampled, by = here._with_samples(entry, distance, values, cost)
        known = numbers if numbers and all(v is not None for v in numbers.values()) else None
        closed = {k: number(e, values) for k, e in cost.items() if not e.symbols and not numbers}
        proper(self, numbers or closed, f"distance {distance or 1} in `{entry.name}`")
        return InputReport(
            entry.name, True, str(entry.space), entry.unit, None,
            {k: str(e) for k, e in cost.items()}, known,  # type: ignore[arg-type]
            None, str(distance) if distance and distance != 1 else None,
            rule, missing=missing, branches=self._deciding(values) if here is not self else "",
            sampled=sampled, sampled_by=by, together=entry.together,
        )  # fmt: skip

    def _with_samples(
        self, entry: Input, distance: Fraction | None, values: Held, cost: Mapping[str, Expr]
    ) -> tuple[dict[str, Any] | None, str]:
        """The accountant's (epsilon, delta) at `SHOWN_DELTA`, and its rule, of a cost in rho that
        has a number: rho does not count samples."""
        if self.measure not in ("zcdp", "approx_zcdp") or self.tree is None:
            return None, ""
        if not any(isinstance(node, Sampled) for node in nodes(self.tree)):
            return None, ""
        if any(not each.symbols <= values.keys() for each in cost.values()):
            return None, ""
        try:
            best = self.certified(entry.name, SHOWN_DELTA, values, distance)
        except (ExpressionError, MetricdpError):
            return None, ""
        return {"epsilon": best.epsilon, "delta": SHOWN_DELTA}, best.rule

    def _deciding(self, values: Held) -> str:
        """The numbers that decide which branches are taken, as they are printed."""
        assert self.tree is not None
        names = sorted(deciding(self.tree) & values.keys())
        return ", ".join(f"{name} = {decimal(values[name])}" for name in names)

    def _at_delta(
        self, entry: Input, distance: Fraction | None, cost: dict[str, Expr],
        values: Held, delta: Fraction,
    ) -> tuple[dict[str, Expr], dict[str, Any], str, str]:  # fmt: skip
        """The cost as (epsilon, delta): a formula, the accountant's number, its rule, and the name
        for lack of whose value there is no such number."""
        from metricdp.expr import num
        from metricdp.measures.implications import zcdp_to_approx

        found = cost
        if self.measure == "zcdp":
            found = {"epsilon": zcdp_to_approx(cost["rho"], delta), "delta": num(delta)}
        else:
            found = self._converted(entry, distance, delta) or cost
        try:
            best = self.certified(entry.name, delta, values, distance)
        except (ExpressionError, MetricdpError) as error:
            # A public name has no value, or no rule reaches this delta: the formula stands alone.
            known = {k: number(e, values) for k, e in found.items()} if values else {}
            return found, known, "", missing_name(error)
        spent_delta = delta
        if best.rule == BASIC and self.measure == "pure":
            spent_delta = Fraction(0)
        elif "rho" in found or not any(e.symbols for e in cost.values()):
            printed = Fraction(math.ceil(best.epsilon * 10**6), 10**6)
            found = {"epsilon": num(printed), "delta": num(delta)}
        return found, {"epsilon": best.epsilon, "delta": spent_delta}, best.rule, ""

    def _converted(
        self, entry: Input, distance: Fraction | None, delta: Fraction
    ) -> dict[str, Expr] | None:
        """Steps in rho beside others, or in (rho, delta): the formula at a total of delta, where
        delta is enough."""
        from metricdp.expr import ZERO, compare, num
        from metricdp.measures.mixed import mixed, mixes, parts

        assert self.tree is not None
        if self.measure != "approx_zcdp" and not mixes(self.tree):
            return None
        source, at = entry.source, num(distance) if distance else ONE
        rest = num(delta) - parts(self.tree, source, at, False)[2]
        if compare(rest, ">", ZERO) is not True:
            return None
        approx = mixed(self.tree, source, at, rest)
        return {"epsilon": approx.epsilon, "delta": approx.delta}

    def certified(
        self, name: str, delta: Fraction, values: Mapping[str, Fraction],
        distance: Fraction | None = None,
    ) -> Certified:  # fmt: skip
        """The least certified epsilon at delta of one private input, with the rule that gives it.

        Args:
            values: a number for every public name in the costs; see `held`.
            distance: in the input's metric; 1 if None.

        Raises:
            ExpressionError: a public name without a value.
            ParameterError: a requirement fails at these numbers.
            ParameterError: no rule reaches delta, or the cost at this distance is not known.
            SpaceError: a sampling scheme without a theorem.
        """
        from metricdp.measures.accountant import certified
        from metricdp.measures.steps import steps

        assert self.tree is not None
        entry = self.input(name)
        held = self.held(values)
        here = self.at_numbers(held).tree
        assert here is not None
        found = steps(here, entry.source, distance or 1, held)
        best = certified(found, delta, adjacency(entry.space))
        proper(self, {"epsilon": best.epsilon, "delta": best.delta}, f"`{name}`")
        return msgspec.structs.replace(best, requires=held.told())


def number(expr: Expr, values: Held, distance: Fraction | None = None) -> Fraction | float | None:
    """The value rounded up, or None when a public name is not set.

    Args:
        distance: of a map in d_in.
    """
    if not isinstance(values, Held):
        raise InternalError("a number is read where the requirements were not decided")
    env = dict(values) if distance is None else {**values, "d_in": distance}
    if not expr.symbols <= env.keys():
        return None
    return expr.upper(env)


def _double(value: Fraction) -> Fraction:
    """The double that a number is read as; the number itself where it is too large for one."""
    try:
        return Fraction(float(value))
    except OverflowError:
        return value


def missing_name(error: Exception) -> str:
    """The public name whose value an error lacks, or ""."""
    from metricdp.expr.enclosures import NO_VALUE

    _, found, name = str(error).partition(NO_VALUE)
    return name if found and name.isidentifier() and not name.startswith("_") else ""


T = TypeVar("T")


def where_known(
    guarantee: FunctionGuarantee,
    numbers: Mapping[str, Fraction],
    read: Callable[[FunctionGuarantee], T],
) -> T:
    """What `read` finds in the branches that these numbers take.

    Raises:
        ParameterError: what can be taken has no value there.
    """
    try:
        return read(guarantee.at_numbers(numbers))
    except ExpressionError as error:
        shown = ", ".join(f"{name} = {value}" for name, value in numbers.items())
        raise ParameterError(
            f"the noise or its cost has no value here ({error}): {shown}",
            place=guarantee.name,
            remedy="other public parameters, or a branch for these: if n == 0: return 0.0",
        ) from None
