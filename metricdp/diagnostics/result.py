"""What a check produces: records that every output format renders, and their JSON form."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, Literal

import msgspec

from metricdp.diagnostics import Diagnostic, Span

Verdict = Literal["proved", "rejected", "refuted"]
VERDICTS: tuple[Verdict, ...] = ("proved", "rejected", "refuted")
SCHEMA = 1

#: A number of a report: rounded up on the way out; text stands for itself ("oo").
Number = Fraction | float | int | str


class CheckOptions(msgspec.Struct, frozen=True):
    """Options of one check, as typed.

    Attributes:
        set: public parameter -> decimal or fraction, for `value`.
        distance: private parameter -> distance at which its cost is shown.
        measure: pure, approx, zcdp, renyi:ALPHA, tcdp:OMEGA, gdp or profile:EPSILON; None: the
            tightest that fits.
        slack: delta for advanced composition, as an expression in the public parameters.
        delta: convert to (epsilon, delta) at this delta.
        paths: whether surprising bounds are followed from line to line.
        timeout: seconds that one function gets; 0: no limit; None: see `effort.time_limit`.
    """

    set: Mapping[str, str] = {}
    distance: Mapping[str, str] = {}
    measure: str | None = None
    delta: str | None = None
    slack: str | None = None
    paths: bool = True
    timeout: float | None = None


class InputReport(msgspec.Struct, frozen=True):
    """One parameter of a checked function.

    Attributes:
        private: whether its annotation is a metric space.
        space, unit: printed space and unit of privacy in words; "" when public.
        stability: map in d_in, sympy-parsable, of a transformation; else None.
        privacy: measure -> expression at d_in = 1, of a measurement; else None.
        value: the same as numbers (measure -> number, or one number for a stability); None when
            the public parameters are not all known.
        components: bound of each component of a tuple result, or None.
        distance: the distance of `privacy` and `value`, when it is not 1.
        rule: name of the composition rule that gave `value`, where several were tried.
        missing: a public name without a value, for lack of which `value` is not the accountant's.
        branches: the public numbers that decide branches, as in "n = 3", where `value` is of the
            branches that they take alone; else "".
        sampled: of a cost in rho, which no sample lowers, the accountant's (epsilon, delta) that
            counts the samples, where all public names have numbers; else None.
        sampled_by: name of the rule that gave it.
        together: names of all parameters that one unit changes at once, with this one, where there
            are several: the numbers here are those of all of them together, and no two add up.
        path: sentences that follow a surprising `stability` from line to line; else empty.
    """

    name: str
    private: bool
    space: str = ""
    unit: str = ""
    stability: str | None = None
    privacy: Mapping[str, str] | None = None
    value: Mapping[str, Number] | Number | None = None
    components: tuple[str, ...] | None = None
    distance: str | None = None
    rule: str = ""
    path: tuple[str, ...] = ()
    missing: str = ""
    branches: str = ""
    sampled: Mapping[str, Number] | None = None
    sampled_by: str = ""
    together: tuple[str, ...] = ()


class Step(msgspec.Struct, frozen=True):
    """One step of a derivation.

    Attributes:
        id: hash of the step's content.
        rule: name of the record that was applied.
        inputs: ids of the steps it reads.
        conclusion: what holds after it, as printed.
        line: line of the source, counted from 1.
        span: its place; None for a step that no source text shows.
        detail: for the text view: "name" (the variable), "space", "bound" ("200", "eps = 1").
    """

    id: str
    rule: str
    inputs: tuple[str, ...]
    conclusion: str
    line: int
    span: Span | None = None
    detail: Mapping[str, str] = {}


class ClaimReport(msgspec.Struct, frozen=True):
    """A claim in a decorator: what it says (measure or "stability" -> expression), its verdict."""

    claim: Mapping[str, str]
    verdict: Verdict


class ByRow(msgspec.Struct, frozen=True):
    """A place that runs row by row in Python, and not in columns.

    Attributes:
        line, column: of the call or the loop, counted from 1.
        what: why.
        file: "" for the file of the checked function.
    """

    line: int
    column: int
    what: str
    file: str = ""

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.file else f"line {self.line}"
        return f"{place}, {self.what}"


class FunctionReport(msgspec.Struct, frozen=True):
    """Everything concluded about one decorated function; `line` is that of its `def`.

    Attributes:
        kind: "transformation", "measurement" or "black_box".
        output: printed space of the result.
        requires: facts about public parameters, enforced before data are read.
        assumptions: what the user asserted.
        rests_on: built-in trust.
        components: printed space of each component of a tuple result, or None.
        undecided: requirements that stand beside a number because they lack one -> its name.
        by_row: what has no form in columns, and takes longer: nothing else depends on it.
    """

    file: str
    name: str
    line: int
    kind: str
    verdict: Verdict
    inputs: tuple[InputReport, ...] = ()
    output: str = ""
    requires: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()
    rests_on: tuple[str, ...] = ()
    claims: tuple[ClaimReport, ...] = ()
    derivation: tuple[Step, ...] = ()
    components: tuple[str, ...] | None = None
    undecided: Mapping[str, str] = {}
    by_row: tuple[ByRow, ...] = ()


class CheckReport(msgspec.Struct, frozen=True):
    """Functions and diagnostics of one check, in order of file and line.

    Attributes:
        sources: file -> its text, so that a report never reads a file twice.
    """

    functions: tuple[FunctionReport, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    sources: Mapping[str, str] = {}

    def count(self, verdict: Verdict) -> int:
        """How many functions have this verdict."""
        return sum(function.verdict == verdict for function in self.functions)


def round_up(number: Number) -> float | int | str:
    """`number` as JSON can hold it, never smaller than it is; infinities become "oo" and "-oo"."""
    if isinstance(number, Fraction):
        if number.denominator == 1 and abs(number.numerator) < 2**53:
            return number.numerator
        try:
            near = float(number)
        except OverflowError:
            return "oo" if number > 0 else -1.7976931348623157e308
        number = near if Fraction(near) >= number else math.nextafter(near, math.inf)
    if isinstance(number, float) and not math.isfinite(number):
        return "oo" if number > 0 else "-oo" if number < 0 else "nan"
    return number


def to_json(report: CheckReport) -> dict[str, Any]:
    """The report in schema 1, made of plain dictionaries, lists, strings and numbers."""
    return {
        "schema": SCHEMA,
        "summary": {verdict: report.count(verdict) for verdict in VERDICTS},
        "functions": [_function(function) for function in report.functions],
        "diagnostics": [_diagnostic(diagnostic) for diagnostic in report.diagnostics],
    }


def _function(function: FunctionReport) -> dict[str, Any]:
    found: dict[str, Any] = {
        "file": function.file,
        "name": function.name,
        "line": function.line,
        "kind": function.kind,
        "verdict": function.verdict,
        "inputs": [_input(entry) for entry in function.inputs],
        "output": function.output,
        "requires": list(function.requires),
        "assumptions": list(function.assumptions),
        "rests_on": list(function.rests_on),
        "by_row": [_by_row(each) for each in function.by_row],
        "claims": [{**claim.claim, "verdict": claim.verdict} for claim in function.claims],
        "derivation": [
            {
                "step": step.id,
                "rule": step.rule,
                "inputs": list(step.inputs),
                "conclusion": step.conclusion,
                "line": step.line,
            }
            for step in function.derivation
        ],
    }
    if function.components is not None:
        found["components"] = list(function.components)
    if function.undecided:
        found["undecided"] = [
            {"requires": text, "missing": names.split(", ")}
            for text, names in function.undecided.items()
        ]
    return found


def _by_row(note: ByRow) -> dict[str, Any]:
    found: dict[str, Any] = {"line": note.line, "column": note.column, "what": note.what}
    return {**found, "file": note.file} if note.file else found


def _input(entry: InputReport) -> dict[str, Any]:
    if not entry.private:
        return {"name": entry.name, "private": False}
    found: dict[str, Any] = {
        "name": entry.name,
        "private": True,
        "space": entry.space,
        "unit": entry.unit,
        "stability": entry.stability,
        "privacy": None if entry.privacy is None else dict(entry.privacy),
        "value": _plain(entry.value),
    }
    if entry.components is not None:
        found["components"] = list(entry.components)
    if entry.rule:
        found["rule"] = entry.rule
    if entry.missing:
        found["missing"] = entry.missing
    if entry.branches:
        found["branches"] = entry.branches
    if entry.sampled is not None:
        found["sampled"] = {**_plain(entry.sampled), "rule": entry.sampled_by}
    if entry.path:
        found["path"] = list(entry.path)
    if entry.together:
        found["together"] = list(entry.together)
    return found


def _diagnostic(diagnostic: Diagnostic) -> dict[str, Any]:
    # Imported here: the explanations are long texts that a successful check never reads.
    from metricdp.diagnostics.catalogue import id_of

    span = diagnostic.span
    return {
        "code": diagnostic.code,
        "id": id_of(diagnostic.code),
        "severity": diagnostic.severity,
        "file": span.file,
        "line": span.line,
        "column": span.column,
        "end_line": span.end_line,
        "end_column": span.end_column,
        "message": diagnostic.message,
        "need": diagnostic.need,
        "help": diagnostic.help,
        "counterexample": _plain(diagnostic.counterexample),
    }


def _plain(value: object) -> Any:
    """`value` as JSON types: numbers rounded up, tuples as lists, anything else as text."""
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, Fraction | float | int):
        return round_up(value)
    if isinstance(value, Mapping):
        return {str(key): _plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    return str(value)
