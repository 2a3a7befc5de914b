"""Modules as source: what the top-level names of a file mean, without importing it.

A name of a module is an import of metricdp or of an allowed public library, an import of another
file of the project (read as source), a function, a literal constant, or unknown.
"""

from __future__ import annotations

import ast
import os
import sys
from functools import lru_cache

from metricdp.check.source.advice import in_place_of
from metricdp.check.source.classes import record_class
from metricdp.check.source.constants import is_built
from metricdp.check.source.names import (
    BUILTINS,
    NO_LITERAL,
    assigned,
    defined,
    kind_of,
    qualified,
)
from metricdp.check.values.hashing import content_hash
from metricdp.check.values.objects import (
    Builtin,
    Closure,
    Computed,
    Constant,
    External,
    Library,
    ModuleRef,
    Obj,
    SourceFile,
)
from metricdp.diagnostics import Diagnostic, Span, at_file, is_notebook, source_lines, span_of

#: What reports call the text that is read where a path is `-`.
STANDARD_INPUT = "<stdin>"
#: Public libraries whose functions may be applied to public and released values.
PURE_LIBRARIES = frozenset(
    "math numpy statistics fractions operator functools datetime itertools".split()
)
#: Imports that bind names for annotations and types only.
TYPING = frozenset({"typing", "collections.abc", "dataclasses", "__future__", "collections"})


#: Fields of statements whose parts hold statements.
_HOLDERS = frozenset({"handlers", "cases"})


#: Where the files of `metricdp.algorithms` are.
_ALGORITHMS = os.path.join(
    os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "algorithms"
)


class Module(SourceFile):
    """One source file: its text, syntax tree, and top-level names resolved on demand."""

    def __init__(self, path: str, source: str, tree: ast.Module, project: Project) -> None:
        self.path, self.source, self.tree, self.project = path, source, tree, project
        self.lines = source_lines(source)
        self.bindings: dict[str, list[ast.stmt]] = {}
        self.resolved: dict[str, Obj | None] = {}
        self._top = {id(statement) for statement in tree.body}
        self._star = next(
            (
                node
                for node in tree.body
                if isinstance(node, ast.ImportFrom) and node.names[0].name == "*"
            ),
            None,
        )
        self._digest: str | None = None
        self._imports: list[tuple[ast.Import | ast.ImportFrom, str]] | None = None
        self._collect(tree.body)
        if "global " in source:
            for node in ast.walk(tree):
                if isinstance(node, ast.Global):
                    for name in node.names:
                        self.bindings.setdefault(name, []).append(node)

    def _collect(self, body: list[ast.stmt]) -> None:
        """Every statement that binds a name of the file; several leave it without a meaning."""
        for statement in body:
            for name in bound_names(statement):
                self.bindings.setdefault(name, []).append(statement)
            if isinstance(statement, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
                continue
            # A name bound under a condition has no single meaning; TYPE_CHECKING blocks hold
            # imports for annotations, which are read like any other.
            for field in ("body", "orelse", "handlers", "finalbody", "cases"):
                for inner in getattr(statement, field, ()):
                    self._collect(inner.body if field in _HOLDERS else [inner])

    def span(self, node: ast.AST) -> Span:
        """Place of a node of this file."""
        return span_of(node, self.path, self.lines)

    def functions(self) -> list[ast.FunctionDef]:
        """Every top-level function, in order."""
        return [s for s in self.tree.body if isinstance(s, ast.FunctionDef)]

    def lookup(self, name: str) -> Obj | None:
        """What a top-level name means; None if the file does not bind it."""
        if name not in self.resolved:
            self.resolved[name] = None  # cuts import cycles
            try:
                self.resolved[name] = self._resolve(name)
            except BaseException:
                # A name without a meaning would be looked for elsewhere.
                del self.resolved[name]
                raise
        return self.resolved[name]

    def _resolve(self, name: str) -> Obj | None:
        statements = self.bindings.get(name)
        if not statements:
            return None
        if len(statements) > 1:
            return External(
                name, f"`{name}` is bound {len(statements)} times at the top of the file"
            )
        statement = statements[0]
        if isinstance(statement, ast.FunctionDef):
            return self._function(statement)
        if isinstance(statement, ast.Import | ast.ImportFrom):
            return self._imported(statement, name)
        if isinstance(statement, ast.ClassDef):
            return record_class(self, statement, self._constant)
        value = _assigned(statement, name)
        if value is not None:
            if isinstance(value, ast.Lambda):
                return Closure(value, self, None, name)
            if isinstance(value, ast.Name | ast.Attribute):
                return self._alias(value, name)
            box = assigned(self, name, value) if isinstance(value, ast.Call) else None
            if box is not None:
                return box
            found = self._constant(value)
            return found or External(
                name, f"`{name}` is no literal, so its value is not known here"
            )
        return External(name, f"`{name}` is no literal, function or import")

    def _constant(self, value: ast.expr) -> Constant | Computed | None:
        """The constant that an expression at the top of the file is; None if it is none."""
        try:
            return Constant(ast.literal_eval(value), value, self)
        except NO_LITERAL:
            return Computed(value, self) if is_built(self, value) else None

    def _function(self, node: ast.FunctionDef) -> Obj:
        """A function; one with a decorator is what the decorator makes of it."""
        for decorator in node.decorator_list:
            kind = kind_of(self, decorator.func if isinstance(decorator, ast.Call) else decorator)
            if kind is None or len(node.decorator_list) > 1:
                return External(
                    node.name,
                    f"`{node.name}` has a decorator that can replace it",
                    "unknown-decorator",
                )
            if kind == "black_box":
                return defined(self, node, decorator)
        return Closure(node, self, None, node.name)

    def _alias(self, value: ast.Name | ast.Attribute, name: str) -> Obj:
        """`largest = max`, `clip = dp.clip`: another name of a function."""
        found: Obj | None = None
        if isinstance(value, ast.Name):
            found = self.lookup(value.id)
            if found is None and value.id in BUILTINS and value.id not in self.bindings:
                found = Builtin(value.id)
        elif (dotted := qualified(self, value)) is not None:
            found = Library(dotted)
        if found is None:
            return External(name, f"`{name}` is no literal, so its value is not known here")
        return found

    def star_import(self) -> ast.ImportFrom | None:
        """The first `from module import *` at the top of the file, or None."""
        return self._star

    def at_top(self, node: ast.AST) -> bool:
        """Whether a statement stands at the top of the file."""
        return id(node) in self._top

    @property
    def digest(self) -> str:
        """Hash of the source text."""
        if self._digest is None:
            self._digest = content_hash(self.source, 16)
        return self._digest

    def imported(self) -> list[Module]:
        """Files of the project that this file imports."""
        if self._imports is None:  # every function of the file asks
            self._imports = [
                (statement, name)
                for name, statements in self.bindings.items()
                for statement in statements
                if isinstance(statement, ast.Import | ast.ImportFrom)
            ]
        return [file for statement, name in self._imports for file in self._files(statement, name)]

    def _files(self, statement: ast.Import | ast.ImportFrom, name: str) -> list[Module]:
        found = [self._imported(statement, name)]
        if isinstance(statement, ast.ImportFrom):
            dotted = f"{'.' * statement.level}{statement.module or ''}"
            found.append(self.project.module_object(dotted, self))
        files = [each.module for each in found if isinstance(each, ModuleRef)]
        return [each for each in files if isinstance(each, Module)]

    def reached(self) -> list[Module]:
        """This file, and every file of the project that it imports, or that these import."""
        found: list[Module] = [self]
        for module in found:
            found += [each for each in module.imported() if each not in found]
        return found

    def _imported(self, statement: ast.Import | ast.ImportFrom, name: str) -> Obj:
        for alias in statement.names:
            bound = alias.asname or alias.name.split(".")[0]
            if bound != name:
                continue
            if isinstance(statement, ast.Import):
                dotted = alias.name if alias.asname else alias.name.split(".")[0]
                return self.project.module_object(dotted, self)
            dots = "." * statement.level
            return self.project.member(f"{dots}{statement.module or ''}", alias.name, self)
        raise AssertionError(name)


def _assigned(statement: ast.stmt, name: str) -> ast.expr | None:
    """The expression whose value a statement binds to a name; None where there is none alone."""
    if not isinstance(statement, ast.Assign | ast.AnnAssign):
        return None
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
    found = [value for target in targets for value in _bound_to(name, target, statement.value)]
    return found[0] if len(found) == 1 else None


def _bound_to(name: str, target: ast.expr, value: ast.expr | None) -> list[ast.expr | None]:
    """What a target binds to a name, once for each time that the name stands in it."""
    if isinstance(target, ast.Name):
        return [value] if target.id == name else []
    parts = target.elts if isinstance(target, ast.Tuple | ast.List) else []
    items = value.elts if isinstance(value, ast.Tuple | ast.List) else []
    starred = any(isinstance(each, ast.Starred) for each in (*parts, *items))
    if parts and len(parts) == len(items) and not starred:
        pairs = zip(parts, items, strict=True)
        return [found for part, item in pairs for found in _bound_to(name, part, item)]
    named = any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(target))
    return [None] if named else []


def bound_names(statement: ast.stmt) -> list[str]:
    """Names that a top-level statement binds."""
    if isinstance(statement, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
        return [statement.name]
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return [a.asname or a.name.split(".")[0] for a in statement.names if a.name != "*"]
    if isinstance(statement, ast.If | ast.Try | ast.While | ast.For | ast.With):
        return [
            node.id
            for node in ast.walk(statement)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        ]
    names = []
    for node in ast.walk(statement):
        if isinstance(node, ast.Attribute | ast.Subscript):
            # `dp.measurement = ...` gives a name of the file another meaning as well.
            if isinstance(node.ctx, ast.Load) or not isinstance(node.value, ast.Name):
                continue
            node = node.value
        elif not isinstance(node, ast.Name) or isinstance(node.ctx, ast.Load):
            continue
        names.append(node.id)
    return names


@lru_cache(maxsize=32)
def _tree(source: str, path: str) -> ast.Module:
    """The syntax tree of a text, parsed once for all the decorated functions of a file.

    Nothing in a tree is ever changed: what runs is built from copies of its nodes, as the functions
    of one file, which share a tree in a check of the whole file, need as well.
    """
    return ast.parse(source, path)


class Project:
    """The files that one check reads; each is parsed once."""

    def __init__(self) -> None:
        self.modules: dict[str, Module] = {}
        self.sources: dict[str, str] = {}

    def parse(self, path: str, source: str) -> Module | Diagnostic:
        """The module of `source`, or the diagnostic of its syntax error."""
        self.sources[path] = source
        try:
            tree = _tree(source, path)
        except SyntaxError as error:
            line, column = error.lineno or 1, error.offset or 1
            span = Span(path, line, column, error.end_lineno or line, error.end_offset or column)
            return Diagnostic("syntax-error", span, f"this is no Python: {error.msg}")
        except (ValueError, RecursionError, MemoryError) as error:
            return Diagnostic("syntax-error", at_file(path), f"this is no Python: {error}")
        module = Module(path, source, tree, self)
        self.modules[os.path.abspath(path)] = module
        return module

    def load(self, path: str) -> Module | Diagnostic:
        """The module of a file, or of standard input where that is named `-`, read as UTF-8 (or as
        its coding line says)."""
        if is_notebook(path):
            fact = "a notebook is read cell by cell, by `metricdp check` and `diff`"
            return Diagnostic("unreadable-file", at_file(path), fact)
        typed = path == "-"
        path = STANDARD_INPUT if typed else path
        known = self.modules.get(os.path.abspath(path))
        if known is not None:
            return known
        try:
            if typed:
                raw = sys.stdin.buffer.read()
            else:
                with open(path, "rb") as handle:
                    raw = handle.read()
            return self.parse(path, decode(raw))
        except (OSError, UnicodeError, LookupError, SyntaxError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            return Diagnostic(
                "unreadable-file", at_file(path), f"this file cannot be read: {reason}"
            )

    def module_object(self, dotted: str, importer: Module) -> Obj:
        """What `import dotted` binds."""
        root = dotted.split(".")[0].lstrip(".")
        if root == "metricdp" and not dotted.startswith("."):
            if dotted.split(".")[1:2] == ["algorithms"]:
                known = algorithm_file(self, ".".join(dotted.split(".")[2:]))
                return Library(dotted) if known is None else ModuleRef(known)
            return Library(dotted)
        if root in PURE_LIBRARIES or dotted in TYPING:
            return Library(dotted)
        found = self._find(dotted, importer)
        if found is None:
            reason = f"the module `{dotted}` is not a file of this project"
            return External(dotted, reason, "missing-import", in_place_of(dotted))
        return ModuleRef(found)

    def member(self, dotted: str, name: str, importer: Module) -> Obj:
        """What `from dotted import name` binds."""
        base = self.module_object(dotted, importer) if dotted.strip(".") else None
        if isinstance(base, Library):
            if (base.dotted, name) == ("metricdp", "algorithms"):
                return self.module_object("metricdp.algorithms", importer)
            return Library(f"{base.dotted}.{name}")
        if isinstance(base, ModuleRef):
            found = base.module.lookup(name)
            if found is not None:
                return found
        below = self._find(f"{dotted}{'' if dotted.endswith('.') else '.'}{name}", importer)
        if below is not None:
            return ModuleRef(below)
        reason = f"`{name}` is not found in `{dotted}` among this project's files"
        return External(name, reason, "missing-import")

    def _find(self, dotted: str, importer: Module) -> Module | None:
        level = len(dotted) - len(dotted.lstrip("."))
        parts = dotted.lstrip(".").split(".")
        here = os.path.dirname(os.path.abspath(importer.path))
        starts = [here]
        if level:
            for _ in range(level - 1):
                here = os.path.dirname(here)
            starts = [here]
        else:
            # The root of a package is the first folder above without an __init__.py.
            while os.path.exists(os.path.join(here, "__init__.py")):
                here = os.path.dirname(here)
            starts.append(here)
        for start in starts:
            stem = os.path.join(start, *[p for p in parts if p])
            for path in (f"{stem}.py", os.path.join(stem, "__init__.py")):
                if os.path.isfile(path):
                    found = self.load(
                        os.path.relpath(path) if not os.path.isabs(importer.path) else path
                    )
                    return found if isinstance(found, Module) else None
        return None


class Catalogue(Module):
    """`metricdp.algorithms` itself: a name of it is a function of the file that holds it.

    The package loads its functions by name when it is imported; here the same table says which file
    has a name, and the file is read, never run.
    """

    def _resolve(self, name: str) -> Obj | None:
        homes = super()._resolve("_HOMES")
        if not isinstance(homes, Constant) or not isinstance(homes.value, dict):
            return None
        for home, names in homes.value.items():
            if name in names.split():
                module = algorithm_file(self.project, home)
                return module.lookup(name) if module is not None else None
        return None


def algorithm_file(project: Project, home: str = "") -> Module | None:
    """A file of `metricdp.algorithms`, whose functions are called like those of the user's own
    files; the package itself for no name."""
    path = os.path.join(_ALGORITHMS, f"{home or '__init__'}.py")
    found = project.load(path) if os.path.isfile(path) else None
    if not isinstance(found, Module) or home:
        return found if isinstance(found, Module) else None
    if not isinstance(found, Catalogue):
        found = Catalogue(path, found.source, found.tree, project)
        project.modules[os.path.abspath(path)] = found
    return found


def decode(raw: bytes) -> str:
    """Source text of a file, by its coding line or byte-order mark."""
    import io
    import tokenize

    encoding, _ = tokenize.detect_encoding(io.BytesIO(raw).readline)
    return raw.decode(encoding)


def digest_of(modules: list[Module]) -> str:
    """Hash of the texts of files, in whatever order they were found."""
    return content_hash("|".join(sorted({module.digest for module in modules})), 16)
