"""A proved function in words: what one person can do, the steps, and what the proof rests on."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Mapping
from fractions import Fraction

from metricdp.diagnostics.result import FunctionReport, InputReport, Step, round_up
from metricdp.report.excerpt import WIDTH, cells, printable

_SIGNS = {"epsilon": "ε", "delta": "δ", "rho": "ρ", "alpha": "α", "omega": "ω", "mu": "μ"}


def proof_lines(function: FunctionReport) -> list[str]:
    """Verdict, guarantee, table of steps, conditions; at most 100 columns where words can break."""
    lines = [f"{function.verdict:<7} {function.name}   {function.file}:{function.line}"]
    lines += [f"   {line}" for line in guarantee_lines(function)]
    private = [entry for entry in function.inputs if entry.private]
    lines += _table([*map(_input_row, private), *map(_step_row, function.derivation)])
    for claim in function.claims:
        lines += _listed("claims", [f"{_measures(claim.claim)}: {claim.verdict}"])
    lines += _listed("requires", required(function))
    lines += _listed("assumes", function.assumptions)
    lines += _listed("rests on", function.rests_on)
    lines += _listed("row by row:", map(str, function.by_row))
    return [printable(line) for line in lines]


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
        subject = entry.unit or "one unit of distance"
        if entry.distance is not None:
            subject = f"distance {entry.distance} ({subject}: 1)"
        lines += _guarantee(entry, f"{subject} in {entry.name}" if len(private) > 1 else subject)
        for link in entry.path:
            lines += textwrap.wrap(
                link.lstrip(), WIDTH - 3, break_long_words=False, break_on_hyphens=False,
                initial_indent="   " + " " * (len(link) - len(link.lstrip())),
                subsequent_indent="      " + " " * (len(link) - len(link.lstrip())),
            )  # fmt: skip
    return lines


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
            found.append(f"   in numbers: {_measures(shown)}{_by(entry)}")
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
    """The map at distance 1, where that can be read off: c*d_in and d_in."""
    if stability == "d_in":
        return "1"
    head, star, tail = stability.rpartition("*d_in")
    simple = re.fullmatch(r"[\w.]+|\d+/\d+", head)
    return head if star and not tail and simple else stability


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
        detail.get("bound", ""),
        step.rule,
    )


def _table(rows: list[tuple[str, str, str, str]]) -> list[str]:
    """Rows with aligned columns; a description that is too wide is cut, a bound never is."""
    if not rows:
        return []
    widths = [max(cells(row[column]) for row in rows) for column in range(4)]
    spare = WIDTH - 12 - min(widths[0], 20) - min(widths[2], 30) - min(widths[3], 16)
    widths = [min(width, most) for width, most in zip(widths, (20, spare, 30, 16), strict=True)]
    found = []
    for name, space, bound, rule in rows:
        if cells(space) > widths[1]:
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
