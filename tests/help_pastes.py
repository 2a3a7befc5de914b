"""Pastes the help of a diagnostic into its program, as a person would, and says what came of it."""

from __future__ import annotations

import ast
import contextlib
import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec
from mdtest import PROGRAM

from metricdp.check import check_paths
from metricdp.diagnostics import Diagnostic
from metricdp.diagnostics.result import CheckOptions, CheckReport
from metricdp.record import REGISTRY

#: What a person writes for the names that a help leaves open, where the program has none.
OPEN = {
    "lower": "0", "upper": "20", "eps": "1", "delta": "1e-5", "size": "10", "constant": "0",
    "rate": "0.1", "decay": "0.1", "radius": "1", "scale": "1", "k": "1", "alpha": "0.5",
    "candidates": "(1, 2)", "stop": "0.1", "n": "3", "cap": "9", "i": "0",
}  # fmt: skip
#: Between two edits of which either will do.
_EITHER = re.compile(r"   or   |, or ")
#: Words around an edit that say where it goes, or why.
_AROUND = re.compile(
    r"^(?:pass |write |use )?(.+?)(?: before it| before the noise"
    r"| inside the (?:function|branch|loop)| first| as it is"
    r"|, which .+| for a .+| as a tuple| bounds .+)?$"
)


def pasted(source: str, found: Diagnostic) -> Iterator[str]:
    """Programs that a person may make of the help; none where the help is no edit."""
    seen = {source}
    for text in (found.help, *_EITHER.split(found.help)):
        for edit in _EDITS:
            for made in edit(source, found, text):
                if made not in seen:
                    seen.add(made)
                    yield made


def closer(before: CheckReport, after: CheckReport, found: Diagnostic) -> bool:
    """Whether the finding is gone, and nothing is wrong that was not wrong before."""
    old, new = _kinds(before), _kinds(after)
    gone = new[found.code, found.message] < old[found.code, found.message]
    fresh = Counter(code for code, _ in new.elements()) - Counter(c for c, _ in old.elements())
    return gone and not fresh.keys() & BROKEN


#: Codes that say that the text of an edit was wrong.
BROKEN = frozenset(
    "syntax-error unknown-name wrong-arguments unsupported-keyword not-a-space claim-syntax "
    "unknown-decorator internal-error".split()
)


def _kinds(report: CheckReport) -> Counter[tuple[str, str]]:
    return Counter((d.code, d.message) for d in report.diagnostics if d.severity != "note")


def checked(folder: Path, source: str) -> CheckReport:
    (folder / PROGRAM).write_text(source, encoding="utf-8")
    with contextlib.chdir(folder):
        return check_paths([PROGRAM], CheckOptions())


# -- one function per shape of a help: source, finding, text -> programs -----------------------


def _decorator(source: str, found: Diagnostic, text: str) -> Iterator[str]:
    if text.startswith("@dp."):
        lines = source.splitlines(keepends=True)
        at = next(
            i for i in range(found.span.line - 1, -1, -1) if lines[i].lstrip().startswith("@")
        )
        yield "".join([*lines[:at], f"{text}\n", *lines[at + 1 :]])


def _rename(source: str, found: Diagnostic, text: str) -> Iterator[str]:
    if name := re.fullmatch(r"rename `(\w+)`", text):
        yield re.sub(rf"\b{name[1]}\b", f"{name[1]}_of_mine", source)


def _remove(source: str, found: Diagnostic, text: str) -> Iterator[str]:
    if name := re.fullmatch(r"remove `(\w+)=`", text):
        for call in _around(source, found, ast.Call):
            kept = [k for k in call.keywords if k.arg != name[1]]
            if len(kept) < len(call.keywords):
                made = ast.Call(call.func, call.args, kept)
                yield _replaced(source, call, ast.unparse(made))


def _write(source: str, found: Diagnostic, text: str) -> Iterator[str]:
    wrong = re.search(r"no keyword `(\w+)`", found.message)
    if (name := re.fullmatch(r"write `(\w+)=`", text)) and wrong:
        yield _on_line(source, found, rf"\b{wrong[1]}=", f"{name[1]}=")


def _claim(source: str, found: Diagnostic, text: str) -> Iterator[str]:
    if numbers := re.fullmatch(r"claim (\S+) in place of (\S+)", text):
        yield _on_line(source, found, rf"\b{re.escape(numbers[2])}\b", numbers[1])


def _decorate(source: str, found: Diagnostic, text: str) -> Iterator[str]:
    if kind := re.fullmatch(r"decorate the function with (@dp\.\w+)", text):
        yield from _decorator(source, found, kind[1])


def _chosen(source: str, found: Diagnostic, text: str) -> Iterator[str]:
    """A number between the limits, in place of the argument or of its text."""
    limits = re.fullmatch(r"choose (.*?)`([^`]+)`(.*)", text)
    if limits is None:
        return
    below = re.search(r"<=? (\S+)$|and (\S+)$", limits[3])
    above = re.search(r">=? (\S+)$", limits[3])
    number = "1"
    if below is not None:
        number = _below(below[1] or below[2])
    elif above is not None:
        number = str(int(above[1]) + 1)
    yield from _argument(source, found, limits[2], number)


def _below(limit: str) -> str:
    if not re.fullmatch(r"[\d./e-]+", limit):
        return "0"
    return str(int(limit) - 1) if limit.isdigit() and int(limit) > 1 else str(float(limit) / 2)


def _literal(source: str, found: Diagnostic, text: str) -> Iterator[str]:
    """A number, where a public one is asked for."""
    name = re.fullmatch(r"pass a literal or a public parameter as `(\w+)`", text)
    name = name or re.fullmatch(r"write a number[^`]* for `?([^`]+)`?", text)
    name = name or re.fullmatch(r"write 1 or more for (.+)", text)
    if name is not None:
        yield from _argument(source, found, name[1], "2")


def _argument(source: str, found: Diagnostic, name: str, number: str) -> Iterator[str]:
    """The argument of this name, or of this text, or the number of this name, is replaced."""
    for call in _around(source, found, ast.Call):
        for keyword in call.keywords:
            if name in (keyword.arg, ast.unparse(keyword.value)):
                yield _replaced(source, keyword.value, number)
        record = REGISTRY.get(ast.unparse(call.func).rsplit(".", 1)[-1])
        names = record.rule.__code__.co_varnames if record is not None else ()
        for position, argument in enumerate(call.args):
            if name == ast.unparse(argument) or name in names[position : position + 1]:
                yield _replaced(source, argument, number)
    for node in _around(source, found, ast.expr):
        if ast.unparse(node) == name:
            yield _replaced(source, node, number)


def _declared(source: str, found: Diagnostic, text: str) -> Iterator[str]:
    """`declare x as Int or Data`: another annotation of the parameter."""
    if kinds := re.match(r"declare (\w+) as (?:dp\.)?(\w+)( or |$)", text):
        yield from _annotated(source, found, f"{kinds[1]}: dp.{kinds[2]}")


def _default(source: str, found: Diagnostic, text: str) -> Iterator[str]:
    if given := re.fullmatch(r"(\w+)=(\S+), or no default", text):
        yield _on_line(source, found, rf"\b{given[1]}(: \w+)? = [^,()]+(\(\))?", given[1] + r"\1")


def _statement(source: str, found: Diagnostic, text: str) -> Iterator[str]:
    """An assignment or an import in place of the statement on the line."""
    try:
        (made,) = ast.parse(text).body
    except (SyntaxError, ValueError):
        return
    if isinstance(made, ast.Assign | ast.ImportFrom):
        for node in _around(source, found, ast.stmt):
            yield _replaced(source, node, text)


def _imported(source: str, found: Diagnostic, text: str) -> Iterator[str]:
    if text == "import at the top of the file":
        lines = source.splitlines(keepends=True)
        line = lines.pop(found.span.line - 1).split("#")[0].strip()
        yield "".join([f"{line}\n", *lines])


def _swapped(source: str, found: Diagnostic, text: str) -> Iterator[str]:
    if ends := re.fullmatch(r"swap them: (\S+), (\S+)", text):
        old = rf"{re.escape(ends[2])}, {re.escape(ends[1])}"
        yield _on_line(source, found, old, f"{ends[1]}, {ends[2]}")


def _without(source: str, found: Diagnostic, text: str) -> Iterator[str]:
    if name := re.fullmatch(r"\S+ without (\w+)=\w+", text):
        yield re.sub(rf",\s*{name[1]}=\w+", "", source)


def _assigned(source: str, found: Diagnostic, text: str) -> Iterator[str]:
    if name := re.fullmatch(r"assign `(\w+)` before this line", text):
        lines = source.splitlines(keepends=True)
        line = lines[found.span.line - 1]
        indent = line[: len(line) - len(line.lstrip())]
        lines.insert(found.span.line - 1, f"{indent}{name[1]} = 1\n")
        yield "".join(lines)


def _before(source: str, found: Diagnostic, text: str) -> Iterator[str]:
    if line := re.fullmatch(r"(\w+ = .+) before this line", text):
        lines = source.splitlines(keepends=True)
        old = lines[found.span.line - 1]
        indent = old[: len(old) - len(old.lstrip())]
        lines.insert(found.span.line - 1, f"{indent}{line[1]}\n")
        yield "".join(lines)


def _undecorated(source: str, found: Diagnostic, text: str) -> Iterator[str]:
    if text.startswith("remove @"):
        lines = source.splitlines(keepends=True)
        near = range(max(0, found.span.line - 3), min(len(lines), found.span.line + 3))
        for at in near:
            if lines[at].startswith(text.removeprefix("remove ")):
                yield "".join([*lines[:at], *lines[at + 1 :]])


def _annotated(source: str, found: Diagnostic, text: str) -> Iterator[str]:
    if re.fullmatch(r"\w+: [\w.\[\], \"()]+", text):
        name = text.split(":")[0]
        needs = "Annotated" in text and "import Annotated" not in source
        head = "from typing import Annotated\n" if needs else ""
        for each in ast.walk(_function(source, found)):
            if isinstance(each, ast.arg) and each.arg == name:
                yield head + _replaced(source, each, text)
    if text.startswith("-> "):
        yield _on_line(source, found, r"-> [^:]+:", f"{text}:")


def _keyword(source: str, found: Diagnostic, text: str) -> Iterator[str]:
    """`name=value`, in place of the keyword or beside the others."""
    given = re.fullmatch(r"(?:.*: )?(\w+)=(.+)", text)
    if given is None or not _parses(given[2]):
        return
    for call in _around(source, found, ast.Call):
        kept = [k for k in call.keywords if k.arg != given[1]]
        value = ast.parse(_filled(given[2], source, found, ""), mode="eval").body
        made = ast.Call(call.func, call.args, [*kept, ast.keyword(given[1], value)])
        yield _replaced(source, call, ast.unparse(made))


def _decorated(source: str, found: Diagnostic, text: str) -> Iterator[str]:
    if "   and   " in text:
        line, decorator = text.split("   and   ")
        yield from _decorator(f"{line}\n{source}", _lower(found), decorator.split(" or ")[0])


def _lower(found: Diagnostic) -> Diagnostic:
    span = msgspec.structs.replace(found.span, line=found.span.line + 1)
    return msgspec.structs.replace(found, span=span)


def _returned(source: str, found: Diagnostic, text: str) -> Iterator[str]:
    if text.startswith("return ") and _parses(text.removeprefix("return ")):
        for node in _around(source, found, ast.Return):
            value = ast.get_source_segment(source, node.value) or "" if node.value else ""
            yield _replaced(source, node, _filled(text, source, found, value))


def _expression(source: str, found: Diagnostic, text: str) -> Iterator[str]:
    around = _AROUND.match(text)
    for part in dict.fromkeys((text, around[1] if around else text)):
        if not _parses(part):
            continue
        for node in _around(source, found, ast.expr):
            segment = ast.get_source_segment(source, node) or ""
            yield _replaced(source, node, _filled(part, source, found, segment))
        return


def _parses(text: str) -> bool:
    try:
        ast.parse(text, mode="eval")
    except SyntaxError:
        return False
    return not re.fullmatch(r"[\w ]+", text)  # words


def _filled(text: str, source: str, found: Diagnostic, segment: str) -> str:
    """The edit, with what a person writes for open names; `...` are the arguments as they are."""
    inside = re.search(r"\((.*)\)", segment)
    text = text.replace("...", inside[1] if inside else "")
    bound = set(re.findall(r"\w+", ast.unparse(_function(source, found))))
    open_names = {"value": segment, **{k: v for k, v in OPEN.items() if k not in bound}}
    return re.sub(r"\b[a-z]+\b(?!=)", lambda m: open_names.get(m[0], m[0]), text)


_EDITS = (
    _decorator, _decorated, _rename, _remove, _write, _claim, _decorate, _chosen, _swapped,
    _before, _undecorated, _without, _assigned,
    _annotated, _keyword, _returned, _literal, _declared, _default,
    _imported, _statement, _expression,
)  # fmt: skip


@lru_cache(maxsize=4)
def _tree(source: str) -> ast.Module:
    """Of one text several shapes of help ask; nothing changes a node."""
    return ast.parse(source)


@lru_cache(maxsize=4)
def _nodes(source: str) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(_tree(source)))


def _around(source: str, found: Diagnostic, kind: Any) -> list[Any]:
    """Nodes that meet the underlined place, the nearest to it first."""
    span, starts = found.span, _starts(source)
    start, end = (
        starts[span.line - 1] + span.column - 1,
        starts[span.end_line - 1] + span.end_column - 1,
    )

    def far(node: Any) -> tuple[int, int]:
        first, last = _place(node, starts)
        return abs(first - start) + abs(last - end), -first

    def meets(node: Any) -> bool:
        first, last = _place(node, starts)
        return first < max(end, start + 1) and last > start

    nodes = [node for node in _nodes(source) if isinstance(node, kind)]
    return sorted((node for node in nodes if meets(node)), key=far)


def _starts(source: str) -> list[int]:
    """Where each line begins, in bytes."""
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line.encode()))
    return starts


def _place(node: Any, starts: list[int]) -> tuple[int, int]:
    first = starts[node.lineno - 1] + node.col_offset
    return first, starts[node.end_lineno - 1] + node.end_col_offset


def _function(source: str, found: Diagnostic) -> ast.AST:
    """The top function around the place, or the whole file."""
    tree = _tree(source)
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            if first <= found.span.line <= (node.end_lineno or 0):
                return node
    return tree


def _replaced(source: str, node: Any, text: str) -> str:
    first, last = _place(node, _starts(source))
    whole = source.encode()
    return (whole[:first] + text.encode() + whole[last:]).decode()


def _on_line(source: str, found: Diagnostic, old: str, new: str) -> str:
    lines = source.splitlines(keepends=True)
    lines[found.span.line - 1] = re.sub(old, new, lines[found.span.line - 1], count=1)
    return "".join(lines)
