"""A notebook file as the modules of its cells, as they run from the first to the last.

A function means what the notebook says when its cell has run, and so does every name that it reads.
A name that a later cell binds to something else would mean one thing in calls before that cell and
another in calls after it: it has no meaning here, and the function that reads it is rejected.
Cells are counted as the kernel counts them: those that hold code, from 1.
"""

from __future__ import annotations

import ast
import json
import re
from typing import Any

from metricdp.check.source.cells import Notebook, NotebookCell, Ran
from metricdp.check.source.program import Module, Project
from metricdp.check.values.objects import Obj
from metricdp.diagnostics import Diagnostic, Span, at_file, in_cell, source_lines

#: Cell magics that run the rest of their cell as Python, in the notebook's own names.
_PYTHON = frozenset({"%%time", "%%timeit", "%%capture", "%%prun"})
#: `name = %magic ...` and `name = !command`.
_ASSIGNED = re.compile(r"(\s*)([\w, ]+?)\s*=\s*[%!]")


def notebook(project: Project, path: str) -> list[Module | Diagnostic]:
    """The cells that have functions with a decorator, and what is wrong with those that cannot be
    read."""
    try:
        with open(path, "rb") as file:
            texts = _code(json.loads(file.read()))
    except (OSError, ValueError, RecursionError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        fact = f"this notebook cannot be read: {reason}"
        return [Diagnostic("unreadable-file", at_file(path), fact)]
    cells: list[tuple[Ran, ast.Module]] = []
    found: list[Module | Diagnostic] = []
    for number, text in enumerate(texts, 1):
        label = in_cell(path, number)
        project.sources[label] = text
        tree = _tree(text, label)
        if isinstance(tree, Diagnostic):
            found.append(tree)
        elif tree is not None:
            cells.append((Ran(label, text), tree))
    declaring = [at for at, (_, tree) in enumerate(cells) if _decorates(tree)]
    return [*found, *(WrittenNotebook(cells, at, project).cells[at] for at in declaring)]


class WrittenNotebook(Notebook):
    """The cells of a file, as the functions of one of them find them.

    Args:
        cells: all cells of the file.
        own: the cell whose functions are read.
    """

    def __init__(self, cells: list[tuple[Ran, ast.Module]], own: int, project: Project) -> None:
        super().__init__((), {}, project)
        self.own = own
        #: Name -> the cell that says what it means, and a later one that says something else.
        self.again: dict[str, tuple[str, str]] = {}
        #: A cell that binds names which no text shows, "" if there is none.
        self.starred = ""
        for ran, tree in cells:
            self.add(NotebookCell(ran, tree, self))

    def add(self, cell: NotebookCell) -> None:
        """A cell that runs after those that were added; a name that it binds like they do means
        what it meant."""
        for name, statements in cell.own.items():
            home = self.homes.get(name)
            if home is None or len(self.cells) <= self.own:
                continue
            if not _alike(self.bindings[name], statements):
                self.again.setdefault(name, (home.path, cell.path))
        if cell.star_import() is not None:
            self.starred = cell.path
        super().add(cell)

    def unsaid(self, name: str) -> str:
        """Why a name that no cell binds may mean something all the same; "" where it does not."""
        return f"`import *` in {self.starred} may bind `{name}`" if self.starred else ""

    def doubt(self, name: str, found: Obj | None) -> str:
        """Why a name does not mean what its cell says; "" where it does."""
        if name not in self.again:
            return self.unsaid(name)
        first, then = self.again[name]
        return f"`{name}` is bound in {first} and to something else in {then}, after this function"


def _code(read: Any) -> list[str]:
    """The texts of the cells of code that are not empty.

    Raises:
        ValueError: this is no notebook of Python, in the format that is written since 2014.
    """
    metadata = read.get("metadata", {}) if isinstance(read, dict) else {}
    if not isinstance(read, dict) or not isinstance(read.get("cells"), list):
        raise ValueError("it has no list of cells (format 4 of notebooks)")
    spoken = {
        part.get(field)
        for name, field in (("kernelspec", "language"), ("language_info", "name"))
        if isinstance(part := metadata.get(name), dict)
    } - {None}
    if spoken - {"python", "ipython", "python3"}:
        raise ValueError(f"its language is {', '.join(sorted(map(str, spoken)))}")
    found: list[str] = []
    for cell in read["cells"]:
        if not isinstance(cell, dict) or cell.get("cell_type") != "code":
            continue
        source = cell.get("source", "")
        text = "".join(source) if isinstance(source, list) else source
        if text.strip():
            found.append(text)
    return found


def _tree(text: str, label: str) -> ast.Module | Diagnostic | None:
    """The syntax of a cell without what IPython reads before Python does; None: no Python."""
    lines = source_lines(text)
    first = next((line.split()[0] for line in lines if line.strip()), "")
    if first.startswith("%%"):
        if first not in _PYTHON:
            return None
        lines[next(at for at, line in enumerate(lines) if line.strip())] = ""
    for _ in range(len(lines) + 1):
        try:
            return ast.parse("\n".join(lines), label)
        except SyntaxError as error:
            at = (error.lineno or 1) - 1
            plain = _plain(lines[at]) if at < len(lines) else None
            if plain is None or plain == lines[at]:
                end = (error.end_lineno or at + 1, error.end_offset or error.offset or 1)
                span = Span(label, at + 1, error.offset or 1, *end)
                return Diagnostic("syntax-error", span, f"this is no Python: {error.msg}")
            lines[at] = plain
        except (ValueError, RecursionError, MemoryError) as error:
            return Diagnostic("syntax-error", at_file(label), f"this is no Python: {error}")
    return Diagnostic("syntax-error", at_file(label), "this is no Python")


def _plain(line: str) -> str | None:
    """Python that binds what a line of IPython's own binds; None if it is none.

    Such a line never is Python where a statement begins, and no other line is asked about: Python
    has said that it cannot read this one.
    """
    words = line.strip()
    margin = line[: len(line) - len(line.lstrip())]
    if (assigned := _ASSIGNED.match(line)) is not None:
        return f"{margin}{assigned[2]} = _()"
    if words.startswith("%"):
        rest = words.partition(" ")[2].strip()
        try:
            ast.parse(rest)  # `%time x = f(rows)` binds x
        except (SyntaxError, ValueError):
            return f"{margin}pass"
        return f"{margin}{rest or 'pass'}"
    return f"{margin}pass" if words.startswith(("!", "?")) or words.endswith("?") else None


def _decorates(tree: ast.Module) -> bool:
    defined = ast.FunctionDef | ast.AsyncFunctionDef
    return any(isinstance(n, defined) and n.decorator_list for n in ast.walk(tree))


def _alike(first: list[ast.stmt], then: list[ast.stmt]) -> bool:
    """Whether statements say the same, wherever they stand."""
    return [*map(ast.dump, first)] == [*map(ast.dump, then)]
