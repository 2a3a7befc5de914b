"""The cells of a notebook or console as one file: a name means what the last of them says of it.

Each cell stays a module of its own, with its own text and lines; the cells share their names.  What
a cell says is believed only while the notebook still holds it: a name that was bound again behind
the cells (`globals()[...]`, `%run`, a cell that failed half way) has no meaning that can be read.
"""

from __future__ import annotations

import ast
import re
import sys
import types
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from metricdp.check.source.codes import compiled_from
from metricdp.check.source.program import Module, Project
from metricdp.check.values.objects import Constant, External, Library, Obj

_WORD = re.compile(r"\w+")


class Ran(NamedTuple):
    """A cell that ran: what a person calls it, and its text."""

    label: str
    text: str


class Notebook:
    """The cells that ran, in order, and what they bound.

    Args:
        ran: cells in the order in which they ran.
        namespace: the live names of the notebook.
        project: the files that its cells import; those of this notebook alone by default.
    """

    def __init__(
        self, ran: Iterable[Ran], namespace: Mapping[str, Any], project: Project | None = None
    ) -> None:
        self.namespace = namespace
        self.project = project or Project()
        #: Name -> the statements of the last cell that binds it, and that cell.
        self.bindings: dict[str, list[ast.stmt]] = {}
        self.homes: dict[str, NotebookCell] = {}
        self.cells: list[NotebookCell] = []
        for each in ran:
            tree = _parsed(each.text)
            if tree is not None:
                self.add(NotebookCell(each, tree, self))

    def add(self, cell: NotebookCell) -> None:
        """A cell that ran after those that were added."""
        self.cells.append(cell)
        for name, statements in cell.own.items():
            self.bindings[name], self.homes[name] = statements, cell

    def home(self, code: types.CodeType) -> tuple[NotebookCell, ast.FunctionDef] | None:
        """The newest cell that a function was compiled from, and the function in it."""
        for cell in reversed(self.cells):
            for node in cell.functions():
                if node.name == code.co_name and cell.compiled(node, code):
                    return cell, node
        return None

    def doubt(self, name: str, found: Obj | None) -> str:
        """Why a name does not mean what its home says; "" where it does."""
        home = self.homes[name]
        return (
            ""
            if isinstance(found, External) or self.says(name, found)
            else f"the notebook does not hold what {home.path} says of `{name}`"
        )

    def unsaid(self, name: str) -> str:
        """Why a name that no cell binds may mean something all the same; "" where it does not."""
        held = name in self.namespace
        return f"`{name}` is in the notebook, and no cell says what it is" if held else ""

    def says(self, name: str, found: Obj | None) -> bool:
        """Whether the notebook still holds what the home of a name says that it is."""
        if name not in self.namespace:
            return False
        live, statement = self.namespace[name], self.bindings[name][0]
        if isinstance(statement, ast.FunctionDef):
            code = getattr(getattr(live, "__wrapped__", live), "__code__", None)
            return isinstance(code, types.CodeType) and self.homes[name].compiled(statement, code)
        if isinstance(found, Constant):
            return type(live) is type(found.value) and repr(live) == repr(found.value)
        if isinstance(found, Library):
            return _library(found.dotted, live)
        return True  # classes, boxes and modules of the project: read and pinned as source


class NotebookCell(Module):
    """One cell; names of other cells are found there."""

    def __init__(self, ran: Ran, tree: ast.Module, notebook: Notebook) -> None:
        super().__init__(ran.label, ran.text, tree, notebook.project)
        self.notebook = notebook
        self.own = self.bindings
        self.bindings = notebook.bindings
        notebook.project.sources[self.path] = ran.text
        notebook.project.modules[self.path] = self

    def compiled(self, node: ast.FunctionDef, code: types.CodeType) -> bool:
        """Whether a function of this cell is what this code was compiled from."""
        return compiled_from(node, self.source, self.path, code)

    def _resolve(self, name: str) -> Obj | None:
        home = self.notebook.homes.get(name)
        if home is None:
            why = self.notebook.unsaid(name)
            return External(name, why) if why else None
        if home is not self:
            return home.lookup(name)
        found = super()._resolve(name)
        why = self.notebook.doubt(name, found)
        return External(name, why) if why else found

    def reached(self) -> list[Module]:
        """This cell, and every cell that binds a word of one of these."""
        found: list[NotebookCell] = [self]
        for cell in found:
            for word in sorted(set(_WORD.findall(cell.source))):
                home = self.notebook.homes.get(word)
                if home is not None and home not in found:
                    found.append(home)
        files = [module for module in self.imported() if not isinstance(module, NotebookCell)]
        return [*found, *(each for module in files for each in module.reached())]


@lru_cache(maxsize=2048)
def _parsed(text: str) -> ast.Module | None:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None  # it never ran


def _library(dotted: str, live: Any) -> bool:
    """Whether a live value is what its import said."""
    parts = dotted.split(".")
    for length in range(len(parts), 0, -1):
        module = sys.modules.get(".".join(parts[:length]))
        if module is None:
            continue
        value: Any = module
        for part in parts[length:]:
            value = getattr(value, part, None)
        return value is live
    return False
