"""Check one declared function: interpret it, read its guarantee, decide its claims."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache, partial
from typing import Any

import msgspec

from metricdp.check.domain.drawn import DrawnNumbers, in_words
from metricdp.check.domain.movements import added, together
from metricdp.check.domain.owned import sources
from metricdp.check.domain.parallel import in_parts
from metricdp.check.domain.requirements import all_different, tidied
from metricdp.check.domain.samples import close_samples
from metricdp.check.domain.state import NOTHING_YET, CheckState
from metricdp.check.language.interpreter import Interpreter
from metricdp.check.language.python import PYTHON
from metricdp.check.source.declared import (
    Declaration,
    Parameter,
    claims,
    parameters,
)
from metricdp.check.source.program import digest_of
from metricdp.check.values.findings import Stop, stop
from metricdp.check.values.forms import Bounds, Source
from metricdp.check.values.hashing import content_hash
from metricdp.check.values.keys import named_by
from metricdp.check.values.objects import Closure, Obj, TupleValue, Value
from metricdp.check.verdicts.by_row import by_row
from metricdp.check.verdicts.claims import decide
from metricdp.check.verdicts.guarantee import FunctionGuarantee, Input
from metricdp.check.verdicts.held import Place, places_of, possible
from metricdp.check.verdicts.reading import (
    argument,
    as_data,
    checkable,
    output,
    private_in,
    released,
    require_closed,
    requirement,
)
from metricdp.check.verdicts.rejections import exhausted, in_own_names
from metricdp.check.verdicts.sites import SiteNoise, differing, noise_by_site, settled
from metricdp.check.verdicts.slack import apply_slack
from metricdp.diagnostics import Diagnostic, defect
from metricdp.diagnostics.result import Step
from metricdp.effort import Exhausted, tick, within
from metricdp.errors import ExpressionError, InternalError
from metricdp.expr import INF, ONE, ZERO, Expr, best, compare
from metricdp.measures.events import Sequence, Tree
from metricdp.measures.readings import available, spent
from metricdp.measures.taken import taken
from metricdp.record import REGISTRY
from metricdp.run.addresses import without_sides
from metricdp.spaces import Owned, Space

TIMING = "timing is outside the guarantee"
VERSION = "1"


class Outcome(msgspec.Struct):
    """What checking one function gave."""

    declared: Declaration
    guarantee: FunctionGuarantee | None = None
    verdict: str = "rejected"
    diagnostics: list[Diagnostic] = []
    program: Any = None
    #: Steps and movements, also of a function that was rejected half way; None before it is read.
    state: CheckState | None = None
    #: What the function returns, where it was proved.
    result: Any = None


def verify(declared: Declaration, measure: str | None = None, slack: str | None = None) -> Outcome:
    """Check one function; a rejection, also one for lack of time, becomes a diagnostic.

    So does a defect of metricdp: it costs this function, and no other.
    """
    outcome = _checked(declared, measure, slack)
    outcome.diagnostics = [in_own_names(declared, found) for found in outcome.diagnostics]
    return outcome


def _checked(declared: Declaration, measure: str | None, slack: str | None) -> Outcome:
    outcome = Outcome(declared, diagnostics=[])
    try:
        with within():
            _verify(declared, outcome, measure, slack)
            tick()
    except Stop as rejected:
        return _rejected(outcome, rejected.diagnostic)
    except (Exhausted, RecursionError) as spent:
        return Outcome(declared, diagnostics=[exhausted(declared, spent, outcome.state)])
    except Exception as error:
        return _rejected(outcome, _failure(outcome, error))
    outcome.diagnostics += outcome.state.warnings if outcome.state is not None else []
    if outcome.verdict == "proved" and any(d.severity == "error" for d in outcome.diagnostics):
        contradiction = InternalError("an error was found in a function that was proved")
        return _rejected(outcome, _failure(outcome, contradiction))
    return outcome


def _rejected(outcome: Outcome, first: Diagnostic) -> Outcome:
    """The outcome with its mistakes, and without anything that could be taken for a proof."""
    outcome.verdict, outcome.guarantee, outcome.program = "rejected", None, None
    read = outcome.state.warnings if outcome.state is not None else []
    if first.code == "internal-error":
        outcome.diagnostics += [first, *read]
        return outcome
    from metricdp.check.verdicts.all_errors import all_errors  # of functions that are rejected

    try:
        known = all_errors(outcome.declared, first, read)
    except Exception:  # the first mistake was found without it
        outcome.diagnostics += [first, *read]
        return outcome
    outcome.diagnostics += known.diagnostics
    outcome.state = known.state or outcome.state
    return outcome


def _failure(outcome: Outcome, error: Exception) -> Diagnostic:
    """What nothing expected, at the statement that was read."""
    declared, state = outcome.declared, outcome.state
    module, node = declared.module, declared.node
    if state is not None and state.stopped:
        module, node = state.stopped[0]
    if isinstance(error, ExpressionError):
        return stop(
            module, node, "no-value", f"a bound or a cost has no value: {error.fact}",
            "numbers that exist, and that can be written out", "smaller numbers, or other bounds",
        ).diagnostic  # fmt: skip
    return defect(error, module.span(node))


def _verify(
    declared: Declaration, outcome: Outcome, measure: str | None, slack: str | None
) -> None:
    node, module = declared.node, declared.module
    checkable(declared)
    declared_parameters = parameters(declared)
    claimed = claims(declared)
    interpreter = Interpreter(module, PYTHON)
    state = outcome.state = interpreter.domain.state
    arguments: dict[str, Obj] = {}
    moving = sources(declared_parameters, module)
    for parameter in declared_parameters:
        source = moving.get(parameter.name)
        arguments[parameter.name] = argument(interpreter, parameter, source)
    interpreter.domain.noise_allowed = declared.kind == "measurement"
    result = interpreter.seen(interpreter.run(Closure(node, module, None, node.name), arguments))
    parts = interpreter.domain.drawn.parts(result)
    result = as_data(result, module, node)
    close_samples(state, NOTHING_YET)
    tree = None
    if state.trace:
        spent_ = Sequence(tuple(state.trace))
        first = state.loop_number()
        domain = interpreter.domain
        groups = [*domain.groups.values()]
        whole, rely, told = in_parts(
            spent_, domain.adds, state.rounds, first, domain.persons, groups
        )  # fmt: skip
        state.told_apart |= told
        for p in declared_parameters:
            about = [name for name in sorted(rely) if named_by(name)[0] == p.name]
            domain.require(tuple(map(all_different, about)), module, p.node)
        tree = taken(settled(whole, state.counted))
    asked = [
        (r, Place(p.span, p.requirement.remedy))
        for p in state.pending if (r := requirement(p)) is not None
    ]  # fmt: skip
    requires = [r for r, _ in asked]
    described, output_space, components = output(declared, result)
    if declared.kind == "measurement":
        released(interpreter, result, module, node)
    inputs = tuple(
        _input(interpreter, p, moving, result, declared.kind, output_space)
        for p in declared_parameters
    )
    chosen = ""
    if declared.kind == "measurement":
        tree = tree or Sequence(())
        own = {*moving.values()}
        places = interpreter.domain.noise_places
        places |= {without_sides(address): place for address, place in places.items()}
        require_closed(tree, own, places, module, node)
        _one_state(tree, interpreter, module, node)
        chosen = _measure(tree, measure, module, node)
        requires += _finite(tree, chosen, moving, module, node)
    answers = (f"answers are about {rows}" for rows in state.answers)
    rests_on = (*answers, *state.rests_on, *_of_several_tables(declared_parameters, moving), TIMING)
    sites = noise_by_site(tree, state.counted)
    steps = _steps(state, sites, interpreter.domain.drawn)
    guarantee = FunctionGuarantee(
        module.path, node.name, node.lineno, declared.kind, inputs, described, output_space, tree,
        chosen,
        tuple(tidied(requires)), (), rests_on, (), steps, sites,
        tuple(sorted(state.targets)), components, _fingerprint(declared, measure, slack),
        places=places_of(asked), by_row=by_row(interpreter, module),
        parts=parts, drawn=interpreter.domain.drawn.addresses(),
        told_apart=tuple(sorted(state.told_apart)), answers=tuple(state.answers),
    )  # fmt: skip
    if declared.kind == "measurement":
        guarantee = apply_slack(guarantee, declared, slack)
    possible(guarantee, module.span(node))
    _no_hidden_names(guarantee, declared_parameters, module, node)
    outcome.guarantee = guarantee
    outcome.program, outcome.result = interpreter, result
    outcome.diagnostics += _endless_warnings(interpreter, result, declared, guarantee)
    outcome.verdict = "proved"
    decide(outcome, claimed, module)


def _of_several_tables(
    parameters: Iterable[Parameter], moving: Mapping[str, Source]
) -> tuple[str, ...]:
    """What a reader of the costs of several tables with ids has to be told, where their units
    differ: each is charged for persons of its own, and no two of them are known to be one."""
    of_ids = (moving[p.name].name for p in parameters if isinstance(p.space, Owned))
    names = [*dict.fromkeys(of_ids)]
    if len(names) < 2:
        return ()
    every = ", ".join(names[:-1]) + f" and {names[-1]}"
    return (
        f"the persons of {every} are units of their own: who is in several pays all their costs",
    )


def _one_state(tree: Tree, interpreter: Interpreter, module: Any, node: Any) -> None:
    """A call that a run cannot tell apart has one noise, however it is reached."""
    address = differing(tree, interpreter.domain.state.counted)
    if address is not None:
        module, node = interpreter.domain.noise_places.get(address, (module, node))
        raise stop(
            module, node, "unsupported-call",
            "this call is reached in two ways that need different noise, or another sample",
            "one noise for every way that leads to a call", "write the call once for each way",
        )  # fmt: skip


def _input(
    interpreter: Interpreter, parameter: Parameter, moving: Mapping[str, Source], result: Obj,
    kind: str, output: Space | None,
) -> Input:  # fmt: skip
    if parameter.space is None:
        return Input(parameter.name, None, parameter.type)
    source = moving[parameter.name]
    every = tuple(name for name, own in moving.items() if own == source)
    found = Input(parameter.name, parameter.space, together=every if len(every) > 1 else ())
    if kind == "measurement":
        return found
    if isinstance(result, TupleValue):
        parts = tuple(_moves(interpreter, item, source) for item in result.items)
        total = _together(interpreter, result, source)
        return msgspec.structs.replace(found, stability=total, components=parts)
    moves = _moves(interpreter, result, source, getattr(output, "norm", ""))
    return msgspec.structs.replace(found, stability=moves)


def _together(interpreter: Interpreter, result: TupleValue, source: Source) -> Expr:
    """The sum of the movements of all parts, as far as one source can make them together."""
    domain = interpreter.domain
    values = [value for value in private_in(result) if value.form is not None]
    shared = [_moved(value, domain.movement(value), source) for value in values]
    if all(each.is_zero for each in shared):
        return ZERO
    parts = [
        (domain.state.regions(value.form).get(source), {"": moves})
        for value, moves in zip(values, shared, strict=True)
        if value.form is not None and not moves.is_zero
    ]
    apart = sum((_moved(value, domain.alone(value), source) for value in values), ZERO)
    return best([together(parts, added)[""], apart])


def _moved(value: Value, bounds: Bounds, source: Source, norm: str = "") -> Expr:
    movement = bounds.get(source)
    return ZERO if movement is None else movement.get(norm or getattr(value.space, "norm", ""), INF)


def _moves(interpreter: Interpreter, value: Obj, source: Source, norm: str = "") -> Expr:
    if isinstance(value, TupleValue):
        parts = [_moves(interpreter, item, source) for item in value.items]
        return sum(parts[1:], parts[0]) if parts else ZERO
    if not isinstance(value, Value) or not value.private:
        return ZERO
    return _moved(value, interpreter.domain.alone(value), source, norm)


def _measure(tree: Tree, wanted: str | None, module: Any, node: Any) -> str:
    found = available(tree)
    if wanted is not None and wanted in found:
        return wanted
    if wanted in (None, "approx") and not found and _mixes(tree):
        return "approx"
    if wanted is not None:
        raise stop(
            module, node, "mixed-measures", f"this program has no bound in the measure `{wanted}`",
            f"one of {', '.join(found) or 'pure, zcdp, approx'}",
            f"--measure {found[0] if found else 'approx'}",
        )  # fmt: skip
    if not found:
        raise stop(
            module, node, "mixed-measures",
            "one mechanism here is accounted in rho and another in (epsilon, delta), and what runs"
            " them both says nothing of their mixture",
            "mechanisms with a common measure",
            "give the Gaussian noise as epsilon= and delta=, or every mechanism as rho= or scale=",
        )  # fmt: skip
    return found[0]


def _mixes(tree: Tree) -> bool:
    # Imported by programs without a measure of their own only.
    from metricdp.measures.mixed import mixes

    return mixes(tree)


def _mixed(tree: Tree, source: Source, distance: Expr) -> tuple[Expr, ...]:
    """The cost of a mixture, before the slack is known: rho, epsilon, delta."""
    from metricdp.measures.mixed import parts

    return parts(tree, source, distance, False)


def _finite(
    tree: Tree, measure: str, moving: Mapping[str, Source], module: Any, node: Any
) -> list[tuple[Expr, str, Expr]]:
    """Rejects vacuous costs; the requirement that delta stays below 1."""
    needed = []
    cost_of = partial(spent, tree, measure) if available(tree) else partial(_mixed, tree)
    for source in dict.fromkeys(moving.values()):
        cost = cost_of(source, ONE)
        if any(part.is_infinite for part in cost):
            raise stop(
                module, node, "vacuous-guarantee", f"the cost of `{source.name}` is infinite",
                "a finite cost", "bound what one person adds before the noise",
            )  # fmt: skip
        if measure in ("approx", "approx_zcdp") and len(cost) == 2 and not cost[1].is_zero:
            verdict = compare(cost[1], "<", ONE)
            if verdict is False:
                raise stop(
                    module, node, "vacuous-guarantee",
                    f"the total delta is {cost[1]}, which promises nothing",
                    "a total delta below 1",
                    "a smaller delta per release",
                )  # fmt: skip
            if verdict is None:
                needed.append((cost[1], "<", ONE))
    return needed


def _steps(
    state: CheckState, sites: Mapping[str, SiteNoise], drawn: DrawnNumbers
) -> tuple[Step, ...]:
    found = []
    names = drawn.texts(state)
    for s in state.steps:
        conclusion, bound = s.conclusion, s.bound
        noise = sites.get(s.site) or sites.get(without_sides(s.site))
        if noise is not None:
            bound = ", ".join(f"{k} {e}" for k, e in noise.in_a_run().items() if k != "bound")
            conclusion = f"released with {bound}"
        conclusion, bound = in_words(conclusion, names), in_words(bound, names)
        detail = {"name": s.name, "space": s.space, "bound": bound}
        found.append(Step(s.id, s.rule, s.inputs, conclusion, s.span.line, s.span, detail))
    return tuple(found)


def _fingerprint(declared: Declaration, *asked: str | None) -> str:
    """Of the function, of every text that its meaning may rest on, and of what check was asked."""
    texts = digest_of(declared.module.reached())
    text = f"{VERSION}|{_rules()}|{declared.name}|{texts}|{asked}"
    return content_hash(text, 8)


@cache
def _rules() -> str:
    """Names and versions of the rules."""
    return REGISTRY.versions()


def _no_hidden_names(
    guarantee: FunctionGuarantee, declared: list[Parameter], module: Any, node: Any
) -> None:
    """No expression of the guarantee may mention a value that nobody can supply."""
    exprs: list[Expr] = [e for a, _, b in guarantee.requires for e in (a, b)]
    exprs += [i.stability for i in guarantee.inputs if i.stability is not None]
    exprs += [e for s in guarantee.sites.values() for e in (*s.noise.values(), s.bound)]
    if guarantee.tree is not None:
        for entry in guarantee.private():
            exprs += guarantee.cost(entry.name).values()
    hidden = {name for e in exprs for name in e.symbols if name.startswith("_")}
    if hidden:
        raise stop(
            module, node, "released-cost",
            "a bound or a cost depends on a value that is only known when the program runs",
            "public parameters, literals and sizes in every bound",
            "give the mechanism a target: epsilon= in place of scale=",
        )  # fmt: skip


def _endless_warnings(
    interpreter: Interpreter, result: Obj, declared: Declaration, guarantee: FunctionGuarantee
) -> list[Diagnostic]:
    """Where the bound of a transformation became infinite: it is proved, with a warning."""
    if declared.kind != "transformation":
        return []
    if not any(i.stability == INF for i in guarantee.inputs):
        return []
    values = result.items if isinstance(result, TupleValue) else (result,)
    for value in values:
        if isinstance(value, Value) and value.private and value.why is not None:
            place = interpreter.domain.endless(
                value, declared.module, declared.node, "the result is infinitely unstable"
            )
            return [msgspec.structs.replace(place.diagnostic, severity="warning")]
    return []
