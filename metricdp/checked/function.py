"""A checked function: it is proved on first use, and what runs is what was proved."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from fractions import Fraction
from functools import partial
from math import isfinite
from typing import TYPE_CHECKING, Any, Generic, overload

from metricdp.check.source.declared import declarations
from metricdp.check.verdicts.guarantee import FunctionGuarantee
from metricdp.check.verdicts.trace import with_paths
from metricdp.check.verdicts.verify import Outcome, verify
from metricdp.checked.arguments import Arguments, Bound, admitted, bind
from metricdp.checked.boxes import Box, Boxes, pinned_boxes
from metricdp.checked.execution import evaluate, execute
from metricdp.checked.path import columns_path, has_rows, the_path
from metricdp.checked.rehearsal import lies_elsewhere, rehearse, rehearsed_before
from metricdp.checked.source import module_of, version
from metricdp.errors import InternalError, NotProvedError, ParameterError, sealed
from metricdp.run.compile import CompiledProgram
from metricdp.run.rewrite import BOXES, Rowwise

if TYPE_CHECKING:
    from typing_extensions import ParamSpec, TypeVar

    Given = ParamSpec("Given", default=...)
    Result = TypeVar("Result", default=Any)
    from metricdp.answers.asked import ExplainedPlan
    from metricdp.answers.preview import Preview
    from metricdp.answers.solution import Solution
    from metricdp.checked.arguments import Env
    from metricdp.measures.accountant import Certified
else:
    from typing import ParamSpec, TypeVar

    Given, Result = ParamSpec("Given"), TypeVar("Result")


#: What check concluded, with the program and the black boxes pinned at that moment.
Checked = tuple[Outcome, CompiledProgram | None, dict[str, Box]]


class CheckedFunction(Generic[Given, Result]):
    """The object that a decorator makes; to a type checker, a function of the same arguments.

    Calling it checks it (once), binds and guards the arguments, and runs the compiled program:
    a measurement gives a `Release`, a transformation its exact value.
    """

    def __init__(self, function: Callable[..., Any], kind: str) -> None:
        self._function = function
        self.kind = kind
        self.__name__ = getattr(function, "__name__", "function")
        self.__qualname__ = getattr(function, "__qualname__", self.__name__)
        self.__doc__ = function.__doc__
        self.__module__ = getattr(function, "__module__", "")
        self.__wrapped__ = function
        self._kept: tuple[Checked | None, int | None] = None, None
        self._pinned = False

    @property
    def _checked(self) -> Checked:
        """What check concluded: of a file once, of a notebook again after its cells ran.

        Cells of a notebook give names new meanings, and what a person calls is the newest.
        """
        seen = None if self._pinned else version(self._function)
        kept, at = self._kept
        if kept is None or at != seen or (seen is not None and kept[1] is None):
            kept = self._check()
            self._kept = kept, seen
        return kept

    def now(self) -> CheckedFunction[Given, Result]:
        """The function as it is now: what is asked of it, and what it runs, is one check for good.

        For a function of a file this is the function itself.
        """
        return self._current()[0]

    def _current(self) -> tuple[CheckedFunction[Given, Result], Checked]:
        """See `now`; and what check concluded of it."""
        checked = self._checked
        if self._pinned or self._kept[1] is None:
            return self, checked
        pinned = copy(self)
        pinned._kept, pinned._pinned = (checked, None), True
        return pinned, checked

    def _check(self) -> Checked:
        """Check, and pin the program and the black boxes as they are now."""
        from metricdp.primitives import load

        load()
        module, node = module_of(self._function)
        for declared in declarations(module):
            if declared.node is node:
                outcome = verify(declared)
                interpreter = outcome.program
                if interpreter is None:
                    return outcome, None, {}
                # Of a side that changes a list, only the one that is taken may run.
                branches = interpreter.private_branches - interpreter.changing_branches
                program = CompiledProgram(
                    interpreter.actions,
                    interpreter.used,
                    interpreter.decided,
                    Rowwise(
                        interpreter.folds,
                        frozenset(branches),
                        frozenset(interpreter.of_rows),
                        frozenset(interpreter.of_rounds),
                        {n: each for n, each in interpreter.there.items() if each is not None},
                        frozenset(n for n, all_see in interpreter.public_calls.items() if all_see),
                        frozenset(interpreter.noted),
                    ),
                    interpreter.domain.state.proved_of_rows(),
                    interpreter.told,
                )
                the_path()
                found = outcome.guarantee
                if found is not None and has_rows(each.space for each in found.private()):
                    columns_path()
                boxes = [key for kind, key, _ in program.actions.values() if kind in BOXES]
                modules = module.project.modules.values()
                return outcome, program, pinned_boxes(boxes, modules, self._function)
        raise NotProvedError(
            f"the decorator of `{self.__name__}` is not recognised in the source",
            place=self.__name__,
            remedy="write @dp.measurement or @dp.transformation, with `import metricdp as dp`",
        )

    @property
    def outcome(self) -> Outcome:
        """What check concluded, as an object of the caller's: nothing set on it is believed.

        Raises:
            SourceError: the source text cannot be found or no longer matches.
        """
        return copy(self._checked[0])

    @property
    def guarantee(self) -> GuaranteeView:
        """The proved guarantee; prints as a text.

        Raises:
            NotProvedError: the function was rejected or refuted.
        """
        now = self.now()
        return GuaranteeView(now._proved(), now.outcome)

    def _proved(self) -> FunctionGuarantee:
        return self._proved_of(self._checked[0])

    def _proved_of(self, outcome: Outcome) -> FunctionGuarantee:
        """The guarantee of this outcome."""
        if outcome.guarantee is None or outcome.verdict != "proved":
            if any(found.code == "out-of-time" for found in outcome.diagnostics):
                self._kept = None, None  # the next use may give it more time
            raise _not_proved(self.__name__, copy(outcome))
        return outcome.guarantee

    @overload
    def __call__(self, /, *args: Given.args, **keywords: Given.kwargs) -> Result: ...
    @overload
    def __call__(self, /, *args: Any, strict: bool, **keywords: Any) -> Result: ...
    def __call__(self, /, *args: Any, **keywords: Any) -> Any:
        """Run on data.

        Args:
            strict: `strict=True` refuses data outside the declared facts instead of enforcing them;
                the refusal is outside the guarantee.

        Raises:
            NotProvedError: the function is not proved.
            ParameterError: a public parameter violates a requirement (before data are read).
            SchemaError, DataValueError: the data do not fit (never showing values).
            PostProcessingError: post-processing failed after noise was spent.
        """
        # No frame of an error shows private data, or what a person has no use for.
        actions: list[Callable[[], Any]] = [partial(self._run, args, keywords)]
        args, keywords = (), {}
        return sealed(actions, partial(_stopped, self.__name__))

    def at_bound(
        self, bound: Bound, private: Mapping[str, Any], charged: Callable[[Env], None] | None = None
    ) -> Any:
        """Run on data with public arguments that were read before.

        Args:
            private: data of the private parameters, by name.
            charged: asked before the first draw, with every public number of the run; it raises if
                they are not those that were paid for.
        """
        self._proved()
        actions: list[Callable[[], Any]] = [partial(self._run_bound, bound, dict(private), charged)]
        private = {}
        return sealed(actions, partial(_stopped, self.__name__))

    def _run(self, args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        if self.kind == "black_box":
            return self._function(*args, **keywords)
        now, checked = self._current()
        outcome, program, _ = checked
        guarantee = now._proved_of(outcome)
        assert program is not None
        program.pins.verify()
        keywords = {str.__str__(name): value for name, value in keywords.items()}
        named_strict = any(i.name == "strict" for i in guarantee.inputs)
        strict = False if named_strict else bool(keywords.pop("strict", False))
        arguments = bind(guarantee, outcome.declared, args, keywords, strict)
        _try_boxes(checked, arguments.env)
        now._rehearse(checked, arguments)
        return now._execute(checked, arguments)

    def rehearse(self, arguments: Arguments) -> None:
        """Have the engines on which tables lie plan what a run asks of them; nothing is spent.

        Raises:
            EngineError: something has no form there.
        """
        self._rehearse(self._checked, arguments)

    def _rehearse(self, checked: Checked, arguments: Arguments) -> None:
        private = arguments.values.keys() - arguments.public.keys()
        if any(lies_elsewhere(arguments.values[name]) for name in private):
            rehearse(checked[0], arguments, partial(self._execute, checked))

    def try_boxes(self, env: Mapping[str, Fraction]) -> None:
        """Warn of black boxes that fail on every made-up record, before anything is spent.

        Args:
            env: numbers for public names.
        """
        _try_boxes(self._checked, env)

    def _run_bound(self, bound: Bound, private: dict[str, Any], charged: Any) -> Any:
        now, checked = self._current()
        outcome, program, _ = checked
        assert program is not None
        program.pins.verify()
        arguments = admitted(now._proved_of(outcome), bound, private)
        if charged is not None:
            charged(arguments.env)
        return now._execute(checked, arguments)

    def _execute(self, checked: Checked, arguments: Arguments) -> Any:
        outcome, program, pinned = checked
        guarantee, declared = self._proved_of(outcome), outcome.declared
        assert program is not None
        boxes = Boxes(pinned, arguments.env)
        with rehearsed_before(outcome, arguments):
            if guarantee.kind == "transformation":
                return evaluate(program, declared, arguments, boxes)
            return execute(program, declared, guarantee, arguments, boxes)

    def at(self, **public: Any) -> Any:
        """The concrete `Transformation` or `Measurement` at these public parameters.

        Raises:
            ParameterError: a missing parameter or a violated requirement; several private inputs.
        """
        from metricdp.checked.concrete import concrete

        now = self.now()
        return concrete(now, now._proved(), public)

    def law(self, /, *args: Any, **keywords: Any) -> Any:
        """The law of the value that a call releases; data are made up: a law shows all of them.

        Args:
            args, keywords: as for a call.

        Returns:
            A law of `metricdp.laws`; a `ProductLaw` for several independent releases.

        Raises:
            ParameterError: the step that has no law, by name; a function that releases nothing.
        """
        from metricdp.checked.laws import program_law
        from metricdp.plain import refuse_read_once

        refuse_read_once((*args, *keywords.values()), "a law")
        if self.kind != "measurement":
            raise ParameterError(
                f"a {self.kind} releases nothing", place=self.__name__,
                remedy="call it: its value is no random number",
            )  # fmt: skip
        return program_law(lambda: self(*args, **keywords), self.__name__)

    def preview(self, /, *args: Any, **keywords: Any) -> Preview:
        """What a run would answer, and how far off, before anything is spent: 200 runs on data
        that are made up, each with noise of its own.

        Args:
            args, keywords: as for a call.  The data must be made up, or public: what is printed is
                about them, and protects nobody.  `[]` is a table without rows.

        Returns:
            For every number of the output its median and the ends within which 95 % of the runs
            lie; `.against(truth)` adds the error against what the made-up data give without noise,
            limits and clamps.

        Raises:
            ParameterError: a function that releases nothing; else as for a call.
        """
        from metricdp.answers.preview import preview
        from metricdp.plain import refuse_read_once

        refuse_read_once((*args, *keywords.values()), "a preview")
        if self.kind != "measurement":
            raise ParameterError(
                f"a {self.kind} releases nothing", place=self.__name__,
                remedy="call it: its value has no noise",
            )  # fmt: skip
        return preview(partial(self, *args, **keywords), self.__name__)

    def explain(self, **public: Any) -> ExplainedPlan:
        """What is proved, and what engines would be asked where the tables lie on one: their SQL.

        No table is needed and no engine: the columns are those that the program declares, under the
        name of its parameter, and everything goes the way that a table without rows would take it.
        So the texts hold public values only.

        Args:
            public: the public arguments, as for a call.

        Returns:
            The guarantee, and for DuckDB and Spark every statement, or what has no form there.

        Raises:
            ParameterError: a public argument that is missing or violates a requirement; a private
                parameter that is no table of rows.
        """
        from metricdp.answers.asked import explained

        now, checked = self._current()
        guarantee = now._proved_of(checked[0])
        spaces = {each.name: each.space for each in guarantee.private() if each.space}

        def bound(tables: Mapping[str, Any]) -> Callable[[], Any]:
            given = {**public, **tables}
            arguments = bind(guarantee, checked[0].declared, (), given, False)
            return partial(now._execute, checked, arguments)

        return explained(self.__name__, str(now.guarantee), spaces, bound)

    def spent(self, delta: float | str | Fraction, /, **numbers: Any) -> Certified:
        """The least certified epsilon at delta that one run costs, with the rule that gives it.

        Args:
            delta: in [0, 1), read as the decimal that is typed.
            numbers: public parameters that the cost depends on, and sizes such as `len_x`.

        Raises:
            NotProvedError: the function is not proved.
            ParameterError: a requirement of the guarantee fails at these numbers; of those that
                lack a number, `requires` of the answer tells.
            ParameterError: no rule reaches delta, or a number that is no public parameter or size.
            ExpressionError: a number is missing that the cost depends on.
        """
        from metricdp.checked.arguments import numbers_of

        guarantee = self._proved()
        env = guarantee.held(numbers_of(guarantee, numbers))
        if isinstance(delta, float) and not isfinite(delta):
            raise ParameterError(f"delta is {delta}", place="delta", remedy="0 <= delta < 1")
        exact = Fraction(float.__repr__(delta)) if isinstance(delta, float) else Fraction(delta)
        found = [guarantee.certified(i.name, exact, env) for i in guarantee.units()]
        return max(found, key=lambda each: each.epsilon)

    def solve(
        self,
        for_: str,
        *,
        epsilon: Any = None,
        delta: Any = None,
        rho: Any = None,
        distance: Mapping[str, Any] | None = None,
        **fixed: Any,
    ) -> Solution:
        """The largest (or least) positive value of a public parameter that meets a budget.

        Args:
            for_: the public parameter to find, or a size that the cost mentions.
            epsilon, delta, rho: the budget: epsilon, epsilon at delta in (0, 1), or rho.  Texts
                and integers are exact, floats are the decimals that Python prints.
            distance: private parameter -> distance at which the budget has to be met (1 each).
            fixed: the other public parameters on which the cost depends; defaults apply.  One that
                is called like an argument of this method goes to `metricdp.answers.solve`.

        Raises:
            NotProvedError: the function is not proved.
            AnswerError: no value meets the budget, a name or number that means nothing here, or a
                missing one; the subclasses are in `metricdp.answers.errors`.

        Examples:
            `noisy.solve("scale", epsilon=1).value` is the least scale of
            `dp.laplace(x, scale=scale)` that costs epsilon 1.
        """
        from metricdp.answers.solve import ask

        budget = {"epsilon": epsilon, "delta": delta, "rho": rho}
        return ask(self, for_, budget, fixed, distance or {})

    def map(self, d_in: Any, **public: Any) -> Any:
        """`at(**public).map(d_in)`."""
        return self.at(**public).map(d_in)

    def check(self, d_in: Any, d_out: Any, **public: Any) -> bool:
        """`at(**public).check(d_in, d_out)`."""
        return bool(self.at(**public).check(d_in, d_out))

    def __repr__(self) -> str:
        return f"<{self.kind} {self.__name__}>"

    def _repr_html_(self) -> str:
        from metricdp.report.cards import BAD, card

        outcome = self.outcome
        if outcome.guarantee is not None and outcome.verdict == "proved":
            return self.guarantee._repr_html_()
        return card(outcome.verdict, self.__name__, colour=BAD, text=_findings(outcome))


def _try_boxes(checked: Checked, env: Mapping[str, Fraction]) -> None:
    outcome, _, pinned = checked
    if pinned:
        from metricdp.checked.trying import try_boxes

        try_boxes(pinned, outcome.program.boxed, env)


def _stopped(place: str, kind: str) -> InternalError:
    return InternalError(
        f"the run stopped with {kind}", place=place, remedy="report this as a defect of metricdp"
    )


class GuaranteeView:
    """A proved guarantee as a person reads it; `data` is the guarantee itself."""

    def __init__(self, data: FunctionGuarantee, outcome: Outcome) -> None:
        self.data, self._outcome = data, outcome

    def report(self, values: Mapping[str, Fraction] | None = None) -> Any:
        """The function's report, as `metricdp check` gives it."""
        return self.data.report(values)

    def __repr__(self) -> str:
        from metricdp.diagnostics.result import CheckReport
        from metricdp.report import render_text

        module = self._outcome.declared.module
        shown = with_paths(self.data.report(), self._outcome)
        report = CheckReport((shown,), (), {module.path: module.source})
        return str(render_text(report, None)).rstrip("\n")

    def _repr_html_(self) -> str:
        from metricdp.report.html import guarantee_html

        return str(guarantee_html(self.data.report()))


def _not_proved(name: str, outcome: Outcome) -> NotProvedError:
    first = next((d for d in outcome.diagnostics if d.severity == "error"), None)
    error = NotProvedError(
        f"`{name}` was {outcome.verdict}, so it does not run\n\n{_findings(outcome)}"
    )
    error.remedy = first.help if first is not None else ""  # the findings say it already
    error.diagnostics = tuple(outcome.diagnostics)
    return error


def _findings(outcome: Outcome) -> str:
    """What check says of a function that it did not prove."""
    from metricdp.report.text import findings_text

    module = outcome.declared.module
    return findings_text(tuple(outcome.diagnostics), {module.path: module.source})
