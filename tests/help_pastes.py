"""Pastes the help of a diagnostic into its program, as a person would, and says what came of it."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
from metricdp.check import check_paths
from metricdp.diagnostics import Diagnostic
from metricdp.diagnostics.result import CheckOptions, CheckReport

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
    r"^(?:pass |write |declare |use )?(.+?)(?: before it| before the noise| inside the function"
    r"| first| as it is|, which .+| for a .+| as a tuple| reads .+| bounds .+)?$"
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
BROKEN = frozenset({"syntax-error", "unknown-name", "wrong-arguments", "unsupported-keyword",
                    "not-a-space", "claim-syntax", "unknown-decorator", "internal-error"})  # fmt: skip


def _kinds(report: CheckReport) -> Counter[tuple[str, str]]:
    return Counter((d.code, d.message) for d in report.diagnostics if d.severity != "note")


def checked(folder: Path, source: str) -> CheckReport:
    (folder / "program.py").write_text(source, encoding="utf-8")
    return check_paths([folder / "program.py"], CheckOptions())


# -- one function per shape of a help: source, finding, text -> programs -----------------------


def _decorator(source: str, found: Diagnostic, text: str) -> Iterator[str]:
    if text.startswith("@dp."):
        lines = source.splitlines(keepends=True)
        at = next(i for i in range(found.span.line - 1, -1, -1) if lines[i].lstrip().startswith("@"))
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
    if limits := re.fullmatch(r"choose (.*)`(\w+)`(.*)", text):
        below = re.search(r"<=? (\S+)$", limits[3])
        number = "1" if below is None or float(below[1]) > 1 else str(float(below[1]) / 2)
        yield _on_line(source, found, rf"\b{limits[2]}=[^,)]+", f"{limits[2]}={number}")


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


def _annotated(source: str, found: Diagnostic, text: str) -> Iterator[str]:
    if re.fullmatch(r"\w+: [\w.\[\], \"()]+", text):
        name = text.split(":")[0]
        yield re.sub(rf"(?<=[(\s]){name}(: [^,)\[]+(\[[^\]]*\])?)?(?=[,)])", text, source, count=1)
    if text.startswith("-> "):
        yield _on_line(source, found, r"-> .+:", f"{text}:")


def _keyword(source: str, found: Diagnostic, text: str) -> Iterator[str]:
    """`name=value`, in place of the keyword or beside the others."""
    given = re.fullmatch(r"(?:.*: )?(\w+)=(.+)", text)
    if given is None or not _parses(given[2]):
        return
    for call in _around(source, found, ast.Call):
        kept = [k for k in call.keywords if k.arg != given[1]]
        value = ast.parse(_filled(given[2], source, ""), mode="eval").body
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
            yield _replaced(source, node, _filled(text, source, value))


def _expression(source: str, found: Diagnostic, text: str) -> Iterator[str]:
    around = _AROUND.match(text)
    for part in dict.fromkeys((text, around[1] if around else text)):
        if not _parses(part):
            continue
        for node in _around(source, found, ast.expr):
            segment = ast.get_source_segment(source, node) or ""
            yield _replaced(source, node, _filled(part, source, segment))
        return


def _parses(text: str) -> bool:
    try:
        ast.parse(text, mode="eval")
    except SyntaxError:
        return False
    return not re.fullmatch(r"[\w ]+", text)  # words


def _filled(text: str, source: str, segment: str) -> str:
    """The edit, with what a person writes for open names; `...` are the arguments as they are."""
    inside = re.search(r"\((.*)\)", segment)
    text = text.replace("...", inside[1] if inside else "")
    bound = set(re.findall(r"\w+", re.sub(r"#.*", "", source)))
    open_names = {"value": segment, **{k: v for k, v in OPEN.items() if k not in bound}}
    return re.sub(r"\b[a-z]+\b(?!=)", lambda m: open_names.get(m[0], m[0]), text)


_EDITS = (
    _decorator, _decorated, _rename, _remove, _write, _claim, _decorate, _chosen, _swapped,
    _without, _assigned, _annotated, _keyword, _returned, _expression,
)  # fmt: skip


def _around(source: str, found: Diagnostic, kind: Any) -> list[Any]:
    """Nodes that meet the underlined place, the nearest to it first."""
    line, start, end = found.span.line, found.span.column - 1, found.span.end_column - 1

    def far(node: Any) -> tuple[int, int]:
        return abs(node.col_offset - start) + abs(node.end_col_offset - end), -node.col_offset

    meeting = [
        node
        for node in ast.walk(ast.parse(source))
        if isinstance(node, kind) and node.lineno == line == node.end_lineno
        and node.col_offset < max(end, start + 1) and node.end_col_offset > start
    ]  # fmt: skip
    return sorted(meeting, key=far)


def _replaced(source: str, node: Any, text: str) -> str:
    lines = source.splitlines(keepends=True)
    line = lines[node.lineno - 1].encode()
    new = line[: node.col_offset] + text.encode() + line[node.end_col_offset :]
    return "".join([*lines[: node.lineno - 1], new.decode(), *lines[node.lineno :]])


def _on_line(source: str, found: Diagnostic, old: str, new: str) -> str:
    lines = source.splitlines(keepends=True)
    lines[found.span.line - 1] = re.sub(old, new, lines[found.span.line - 1], count=1)
    return "".join(lines)
