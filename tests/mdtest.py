"""Programs as Markdown: a page of prose and code blocks is documentation and test suite at once.

Blocks of a page:

    ```python                  a program: one file, checked by `check_paths`
    ```python file=helpers.py  a file that lies beside the next programs of its section
    ```pycon                   a session on the program above it, compared as a doctest
    ```text                    the exact text report of the program above it

Any other fence is prose.  Expectations are comments of the program:

    # error: [unbounded-sum]   an error starts on this line; `"..."` after it: part of its message
    # warning: [infinite]      the same for a warning (warnings need not be listed, errors must)
    # help: dp.sum(...)        the error above offers this edit
    # proved | rejected | refuted           on the line of the `def`: the verdict
    # stability(x): 2*d_in                  bounds of the `def` above, compared as mathematics
    # stability(x) at 1: 5                  the same, at one distance only
    # privacy(x): epsilon=eps/2, delta=0
    # requires: eps > 0                     one of the requirements, as printed
    # output: Vector[Real, L1]              space of the result, as printed
"""

from __future__ import annotations

import contextlib
import re
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from observed import Observed, observing

from metricdp.check import check_paths
from metricdp.check.verdicts.verify import Outcome
from metricdp.diagnostics.result import CheckOptions, CheckReport, FunctionReport, InputReport

#: Name of the file that a program is checked under.
PROGRAM = "program.py"
_FENCE = re.compile(r"^```(\w+)?[ \t]*(.*?)[ \t]*\n(.*?)^```[ \t]*$", re.MULTILINE | re.DOTALL)
_HEADING = re.compile(r"^#+ +(.*)$", re.MULTILINE)
_FINDING = re.compile(r'# (error|warning): \[([\w-]+)\](?: "([^"]*)")?')
_VERDICT = re.compile(r"# (proved|rejected|refuted)\b")
_FACT = re.compile(
    r"^\s*# (stability|privacy|requires|output|help)(?:\((\w+)\))?(?: at (\S+))?: (.+)$"
)
_DEF = re.compile(r"^\s*def (\w+)")


class Block(NamedTuple):
    """One fenced block: its language, options, text, line of its first line, section."""

    language: str
    options: dict[str, str]
    text: str
    line: int
    section: str


class Program(NamedTuple):
    """A program of a page with the files beside it and what follows it."""

    page: Path
    name: str
    source: Block
    beside: tuple[Block, ...]
    session: Block | None
    snapshot: Block | None


def blocks(text: str) -> list[Block]:
    """Fenced blocks of a page, in order, each with the heading above it."""
    found = []
    fences = list(_FENCE.finditer(text))
    inside = [range(match.start(), match.end()) for match in fences]
    headings = [
        (match.start(), match.group(1))
        for match in _HEADING.finditer(text)
        if not any(match.start() in span for span in inside)
    ]
    for match in fences:
        section = next((name for at, name in reversed(headings) if at < match.start()), "page")
        options = dict(word.split("=", 1) for word in match.group(2).split() if "=" in word)
        line = text.count("\n", 0, match.start(3)) + 1
        found.append(Block(match.group(1) or "", options, match.group(3), line, section))
    return found


def programs(page: Path) -> list[Program]:
    """Programs of a page; each is named by its section and its number in it."""
    found: list[Program] = []
    beside: list[Block] = []
    section, number = "", 0
    for block in blocks(page.read_text(encoding="utf-8")):
        if block.section != section:
            section, number, beside = block.section, 0, []
        if block.language == "python" and "file" in block.options:
            beside.append(block)
        elif block.language == "python":
            number += 1
            slug = re.sub(r"\W+", "-", section.lower()).strip("-")
            name = f"{title(page)}::{slug}-{number}"
            found.append(Program(page, name, block, tuple(beside), None, None))
        elif block.language == "pycon" and found:
            found[-1] = found[-1]._replace(session=block)
        elif block.language == "text" and found:
            found[-1] = found[-1]._replace(snapshot=block)
    return found


def title(page: Path) -> str:
    """A page's name, with its folder where it does not lie in `programs` itself."""
    folder = page.parent.name
    return page.stem if folder in ("programs", "") else f"{folder}/{page.stem}"


#: Text of a program in one file -> its report: several tests ask for the same one.
_REPORTS: dict[str, CheckReport] = {}
_OBSERVED: dict[str, list[Observed]] = {}


def check(program: Program, folder: Path, kept: list[Outcome] | None = None) -> CheckReport:
    """Writes the program to `folder` and checks it there; a program in one file is checked once.

    Nothing of the checker may be replaced meanwhile: the next test that asks is given the report.

    Args:
        kept: filled with the outcomes where this call is the one that checks; they are large, so
            nothing else holds them.
    """
    for block in program.beside:
        target = folder / block.options["file"]
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(block.text, encoding="utf-8")
    (folder / PROGRAM).write_text(program.source.text, encoding="utf-8")
    text = program.source.text
    with contextlib.chdir(folder):  # reports then name "program.py", on every machine
        if program.beside:
            return check_paths([PROGRAM], CheckOptions())
        if text not in _REPORTS:
            with observing([] if kept is None else kept) as seen:
                _REPORTS[text] = check_paths([PROGRAM], CheckOptions())
            _OBSERVED[text] = seen
        return _REPORTS[text]


def outcomes(program: Program, folder: Path) -> list[Observed]:
    """What laws say of the functions of a program in one file; see `check`."""
    check(program, folder)
    return _OBSERVED[program.source.text]


def mismatches(program: Program, report: CheckReport) -> list[str]:
    """Every way in which the report differs from the program's comments; [] when none."""
    lines = program.source.text.splitlines()
    wrong = _findings(lines, report)
    current: FunctionReport | None = None
    by_line = {f.line: f for f in report.functions if f.file == PROGRAM}
    for number, line in enumerate(lines, 1):
        where = f"{program.page.name}:{program.source.line + number - 1}"
        if _DEF.match(line):
            verdict = _VERDICT.search(line)
            found = by_line.get(number)
            if verdict and found is None:
                wrong.append(f"{where}: no function reported on this line")
            elif verdict and found and found.verdict != verdict[1]:
                wrong.append(f"{where}: expected {verdict[1]}, got {found.verdict}")
            elif found and not verdict and found.kind != "black_box":
                wrong.append(f"{where}: {found.verdict}, and the page does not say so")
            current = found or current
        fact = _FACT.match(line)
        if fact and current:
            wrong.extend(f"{where}: {why}" for why in _fact(fact, current, report, number))
    return wrong


def _findings(lines: list[str], report: CheckReport) -> list[str]:
    wrong, expected = [], []
    for number, line in enumerate(lines, 1):
        for severity, code, part in _FINDING.findall(line):
            expected.append((severity, code, number, part))
    found = [d for d in report.diagnostics if d.severity in ("error", "warning")]
    for severity, code, number, part in expected:
        fits = [
            d
            for d in found
            if (d.severity, d.code, d.span.line) == (severity, code, number)
            and d.span.file == PROGRAM
            and part in d.message
        ]
        if fits:
            found.remove(fits[0])
        else:
            wrong.append(f'line {number}: no {severity} [{code}] "{part}"')
    wrong.extend(
        f"line {d.span.line}: unexpected error [{d.code}] {d.message}"
        for d in found
        if d.severity == "error"
    )
    return wrong


def _fact(
    fact: re.Match[str], function: FunctionReport, report: CheckReport, number: int
) -> list[str]:
    kind, name, at, text = fact.group(1), fact.group(2), fact.group(3), fact.group(4).strip()
    if kind == "requires":
        known = [*function.requires]
        return [] if text in known else [f"requires {known}, and not {text!r}"]
    if kind == "output":
        return [] if text == function.output else [f"output is {function.output!r}"]
    if kind == "help":
        above = [d for d in report.diagnostics if d.span.line <= number and d.help]
        offered = [d.help for d in above]
        return [] if any(text in help for help in offered) else [f"help offered: {offered}"]
    given = next((entry for entry in function.inputs if entry.name == name), None)
    if given is None:
        return [f"`{function.name}` has no input {name!r}"]
    if kind == "stability":
        if given.stability is None:
            return ["no stability reported"]
        points = [at] if at else ["1/2", "1", "2", "3", "7"]
        if same(text, given.stability, points):
            return []
        return [f"stability({name}) is {given.stability}, expected {text}"]
    return _privacy(text, given)


def _privacy(text: str, given: InputReport) -> list[str]:
    expected = dict(part.split("=", 1) for part in re.split(r",\s*(?=\w+=)", text))
    reported = dict(given.privacy or {})
    if set(expected) != set(reported):
        return [f"privacy({given.name}) is {reported}, expected {expected}"]
    return [
        f"privacy({given.name}): {measure} is {reported[measure]}, expected {expression}"
        for measure, expression in expected.items()
        if not same(expression, reported[measure], ["1"])
    ]


#: Names of functions in printed expressions; every other name is a public parameter.
_FUNCTIONS = frozenset(
    "Min Max Abs sqrt root exp log tanh erfc floor ceiling Sum Piecewise oo True False".split()
)
#: Values for public parameters: integers, since counts and sizes are; far from coincidences.
_VALUES = ((2, 3, 5, 7, 11, 13, 17), (5, 2, 9, 4, 3, 8, 6), (1, 1, 2, 1, 3, 2, 1))


def same(left: str, right: str, distances: list[str]) -> bool:
    """Whether two expressions agree at the given distances, for several public parameters."""
    if left == right:
        return True
    import sympy

    names = sorted(_names(left) | _names(right))
    for values in _VALUES:
        public = dict(zip((n for n in names if n != "d_in"), values, strict=False))
        for distance in distances:
            ours, theirs = (_evaluate(e, {**public, "d_in": distance}) for e in (left, right))
            if ours == theirs:
                continue
            if not (ours.is_finite and theirs.is_finite):
                return False
            if abs(ours - theirs) > sympy.Rational(1, 10**9) * (1 + abs(theirs)):
                return False
    return True


def _names(text: str) -> set[str]:
    found = set(re.findall(r"[A-Za-z_]\w*", text)) - _FUNCTIONS
    return found - set(re.findall(r"\((\w+), [^,()]+, ", text))  # indices of Sum


def _evaluate(text: str, values: dict[str, Any]) -> Any:
    import sympy

    numbers = {sympy.Symbol(name): sympy.Rational(value) for name, value in values.items()}
    return sympy.N(_parsed(text, frozenset(values)).subs(numbers).doit(), 30)


@lru_cache(maxsize=1024)
def _parsed(text: str, names: frozenset[str]) -> Any:
    """The expression, at whose numbers it is then read: parsing takes longer than all else."""
    import sympy

    symbols = {name: sympy.Symbol(name) for name in names}
    index = {n: sympy.Symbol(n) for n in re.findall(r"\((\w+), [^,()]+, ", text)}
    return sympy.parse_expr(text, local_dict={**symbols, **index})
