"""A proved function in words: what one person can do, the steps, and what the proof rests on."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from metricdp.diagnostics.result import FunctionReport, InputReport, Step, round_up
from metricdp.errors import ExpressionError
from metricdp.expr import ONE, parse
from metricdp.report.excerpt import WIDTH, cells, printable

#: A row of steps is written once where it stands so often, and is at most so long.
_OFTEN, _LONGEST = 3, 12
#: Most binary digits of what is written as a decimal.
_LARGEST = 1000
#: `a/b` and `a*exp(eps)/b` with b so large that it can only come from a double.
_OF_DOUBLES = re.compile(r"(?<![\w.*])(\d+)((?:\*\w+(?:\([\w ]*\))?)*)/(\d{9,})(?![\w*.(])")
_ROW_IS_A_PERSON = "   where a row is a person: declare Matrix[Data, LInf], and clip each row"
#: Functions in printed costs.
_FUNCTIONS = frozenset("Abs Max Min Sum ceiling erfc exp floor log sqrt tanh".split())
_SIGNS = {"epsilon": "ε", "delta": "δ", "rho": "ρ", "alpha": "α", "omega": "ω", "mu": "μ"}


def proof_lines(function: FunctionReport) -> list[str]:
    """Verdict, guarantee, table of steps, conditions; at most 100 columns where words can break."""
    lines = [f"{function.verdict:<7} {function.name}   {function.file}:{function.line}"]
    lines += [f"   {line}" for line in guarantee_lines(function)]
    private = [entry for entry in function.inputs if entry.private]
    lines += _table([*map(_input_row, private), *_steps(function.derivation)])
    for claim in function.claims:
        lines += _listed("claims", [f"{_measures(claim.claim)}: {claim.verdict}"])
    lines += _listed("requires", required(function))
    lines += _listed("assumes", function.assumptions)
    lines += _listed("rests on", function.rests_on)
    lines += _listed("row by row:", map(str, function.by_row))
    read = [with_decimals(line) for line in lines]
    bounds = [step.detail.get("bound", "") for step in function.derivation]
    if read != lines or any(with_decimals(bound) != bound for bound in bounds):
        read += _listed(
            "rounded", ["numbers with a point are near; --format json has them exactly"]
        )
    return [printable(line) for line in read]


def required(function: FunctionReport) -> list[str]:
    """The requirements; beside a number, those that lack one say so."""
    found = []
    for text in function.requires:
        missing = function.undecided.get(text)
        verb = "are" if missing and "," in missing else "is"
        found.append(f"{text} (not decided: {missing} {verb} not set)" if missing else text)
    return found


def guarantee_lines(function: FunctionReport) -> list[str]:
    """What one person can do to the result, in words, for each private input."""
    private = [entry for entry in function.inputs if entry.private]
    lines = []
    for entry in private:
        if entry.together and entry.name != entry.together[0]:
            continue  # one unit changes it with the first of them
        subject = entry.unit or "one unit of distance"
        if entry.distance is not None:
            subject = f"distance {entry.distance} ({subject}: 1)"
        told = len(private) == 1 or entry.together
        lines += _guarantee(entry, subject if told else f"{subject} in {entry.name}")
        if entry.privacy is not None and entry.space.startswith("Matrix[Real"):
            lines.append(
                "   where a row is a person: declare Matrix[Data, LInf], and clip each row"
            )
        if entry.privacy is not None and "rho" in entry.privacy:
            lines += _amplified(function, entry)
        for link in entry.path:
            lines += textwrap.wrap(
                link.lstrip(), WIDTH - 3, break_long_words=False, break_on_hyphens=False,
                initial_indent="   " + " " * (len(link) - len(link.lstrip())),
                subsequent_indent="      " + " " * (len(link) - len(link.lstrip())),
            )  # fmt: skip
    return lines


def _amplified(function: FunctionReport, entry: InputReport) -> list[str]:
    """How to see what a sample hides: rho does not count it, the accountant does."""
    if not any(step.rule == "sample" for step in function.derivation):
        return []
    assert entry.privacy is not None
    if entry.sampled is not None:
        shown = {name: _decimal(value) for name, value in entry.sampled.items()}
        by = f"   (by {entry.sampled_by})"
        return [f"   with the sample, which ρ does not count: {_measures(shown)}{by}"]
    # What is drawn says rates and sizes of samples, which rho does not mention.
    told = [s.detail.get("bound", "") for s in function.derivation if s.rule == "sample"]
    drawn = [part.partition(" ")[2] for text in told for part in text.split(", ")]  # "rate q"
    public = {each.name for each in function.inputs if not each.private}
    words = set(re.findall(r"[A-Za-z_]\w*", " ".join(drawn))) & public
    words |= set(re.findall(r"[A-Za-z_]\w*", entry.privacy["rho"])) - _FUNCTIONS
    names = sorted(words)
    unset = [] if isinstance(entry.value, Mapping) else names
    given = "".join(f" --set {name}=..." for name in unset)
    return [f"   less for the sample, which ρ does not count: --delta 1e-5{given}"]


def _guarantee(entry: InputReport, subject: str) -> list[str]:
    if entry.privacy is not None:
        whole = _measures(entry.privacy)
        if set(entry.privacy) <= {"epsilon", "delta"} and entry.privacy.get("delta", "0") == "0":
            power = _power(entry.privacy.get("epsilon", "0"))
            text = f"{subject} changes the chance of any outcome by at most a factor e^{power}"
            found = _joined(text, f"({whole})")
        else:
            found = _joined(f"{subject}:", whole)
        numbers = entry.value if isinstance(entry.value, Mapping) else None
        if numbers is not None and any(
            _decimal(value) != entry.privacy.get(name) for name, value in numbers.items()
        ):
            shown = {name: _decimal(value) for name, value in numbers.items()}
            where = f", in the branches at {entry.branches}" if entry.branches else ""
            found.append(f"   in numbers{where}: {_measures(shown)}{_by(entry)}")
        if entry.missing:
            found.append(f"   for the accountant's number: --set {entry.missing}=...")
        return found
    if entry.stability is not None:
        text = f"{subject} moves the result by at most {_bound(_at_one(entry.stability))}"
        found = [text]
        if "d_in" in entry.stability and entry.stability != "d_in":
            found = _joined(text, f"(distance d_in: {_bound(entry.stability)})")
        if entry.value is not None and not isinstance(entry.value, Mapping):
            at, plain = str(round_up(entry.value)), _at_one(entry.stability)
            if at != "oo" and at.removesuffix(".0") != plain:
                found.append(f"   in numbers: {at}")
        return found
    return []


def _decimal(value: Fraction | float | int | str) -> str:
    """The number as it was typed, where a short decimal is exact; else rounded up."""
    if isinstance(value, Fraction) and value.denominator != 1 and abs(value) < 1 << 1000:
        near = repr(float(value))
        if Fraction(near) == value:
            return near
    return value if isinstance(value, str) else str(round_up(value))


def _by(entry: InputReport) -> str:
    return f"   (by {entry.rule})" if entry.rule else ""


def _at_one(stability: str) -> str:
    """The map at distance 1."""
    if stability == "d_in":
        return "1"
    head, star, tail = stability.rpartition("*d_in")
    simple = re.fullmatch(r"[\w.]+|\d+/\d+", head)
    if star and not tail and simple:
        return head
    if "d_in" not in stability:
        return stability
    try:
        return str(parse(stability).subs({"d_in": ONE}))
    except ExpressionError:  # a text of words
        return stability


def _bound(text: str) -> str:
    return "any amount" if text == "oo" else text


def _power(text: str) -> str:
    return text if re.fullmatch(r"[\w.]+", text) else f"({text})"


def _measures(cost: Mapping[str, str]) -> str:
    return ", ".join(f"{_SIGNS.get(name, name)} = {value}" for name, value in cost.items())


def _input_row(entry: InputReport) -> tuple[str, str, str, str]:
    return entry.name, entry.space, "d_in", ""


def _step_row(step: Step) -> tuple[str, str, str, str]:
    detail = step.detail
    return (
        detail.get("name", ""),
        detail.get("space", step.conclusion),
        with_decimals(detail.get("bound", "")),
        step.rule,
    )


def _steps(steps: Sequence[Step]) -> list[tuple[str, str, str, str]]:
    """Rows of the table; what comes again and again stands once, with how often and where."""
    rows, at, found = [_step_row(step) for step in steps], 0, []
    while at < len(rows):
        length, times = _repeated(rows, at)
        found += rows[at : at + length]
        if times > 1:
            lines = sorted({step.line for step in steps[at : at + length * times]})
            where = f"line {lines[0]}" if len(lines) == 1 else f"lines {lines[0]} to {lines[-1]}"
            what = "the step above" if length == 1 else f"the {length} steps above"
            found.append(("", f"{what}, {times} times in all ({where})", "", ""))
        at += length * times
    return found


def _repeated(rows: Sequence[tuple[str, ...]], at: int) -> tuple[int, int]:
    """How many rows come again from here on, and how often they stand there: (1, 1) if none do."""
    for length in range(1, min(_LONGEST, (len(rows) - at) // _OFTEN) + 1):
        first, times = rows[at : at + length], 1
        while rows[at + times * length : at + (times + 1) * length] == first:
            times += 1
        if times >= _OFTEN:
            return length, times
    return 1, 1


def with_decimals(text: str) -> str:
    """A line whose fractions of doubles are written as decimals of 15 digits, for people.

    A double that was typed as 0.1 is the fraction 3602879701896397/36028797018963968.
    """
    return _OF_DOUBLES.sub(_as_decimal, text)


def _as_decimal(found: re.Match[str]) -> str:
    above, rest, below = int(found[1]), found[2] or "", int(found[3])
    if below & (below - 1) or above.bit_length() > _LARGEST:  # no double, or none that is finite
        return found[0]
    return f"{above / below:.15g}{rest}"


def _table(rows: list[tuple[str, str, str, str]]) -> list[str]:
    """Rows with aligned columns; a description that is too wide is cut, a bound never is."""
    if not rows:
        return []
    counted = [row for row in rows if any((row[0], *row[2:]))] or rows
    widths = [max(cells(row[column]) for row in counted) for column in range(4)]
    spare = WIDTH - 12 - min(widths[0], 20) - min(widths[2], 30) - min(widths[3], 16)
    widths = [min(width, most) for width, most in zip(widths, (20, spare, 30, 16), strict=True)]
    found = []
    for name, space, bound, rule in rows:
        if cells(space) > widths[1] and (name or bound or rule):
            space = space[: max(0, widths[1] - 3)] + "..."
        columns = [
            column + " " * (width - cells(column))
            for column, width in zip((name, space, bound, rule), widths, strict=True)
        ]
        found.append(f"   {'   '.join(columns)}".rstrip())
    return found


def _joined(text: str, rest: str) -> list[str]:
    """Both on one line if they fit, else `rest` below."""
    separator = " " if text.endswith(":") else "   "
    whole = f"{text}{separator}{rest}"
    return [whole] if cells(whole) <= WIDTH - 3 else [text, f"   {rest}"]


def _listed(head: str, facts: Iterable[str]) -> list[str]:
    """`head` and the facts, separated by semicolons, broken between facts."""
    lines: list[str] = []
    for fact in facts:
        if lines and cells(lines[-1]) + cells(fact) + 2 <= WIDTH:
            lines[-1] += f"; {fact}"
        else:
            lines[-1:] = [f"{line};" for line in lines[-1:]]
            lines.append(f"   {'' if lines else head:<10} {fact}")
    return lines
