"""Calls: of primitives by any of their names, of functions of the program, of public functions."""

from __future__ import annotations

import ast
from abc import abstractmethod
from typing import Any

from metricdp.check.language.base import Base, Nodes, place
from metricdp.check.language.binding import bind_function, bind_rule, numpy_keywords
from metricdp.check.language.boxes import call_box
from metricdp.check.language.builtin_calls import BuiltinCalls
from metricdp.check.language.columns import REDUCE_COLS, over_columns
from metricdp.check.language.constants import public_constant
from metricdp.check.language.impure import refuse_impure
from metricdp.check.language.methods import DATA, Methods
from metricdp.check.language.parallel import FOLD_ROWS, fold_rows
from metricdp.check.language.private_selection import private_selection
from metricdp.check.language.remembering import remembered
from metricdp.check.language.revealing import reveal
from metricdp.check.language.sampling import draw_sample
from metricdp.check.language.selection import SELECTIONS, chosen, with_scores
from metricdp.check.language.several import joined, released, several
from metricdp.check.language.unpacking import starred
from metricdp.check.source.advice import beside
from metricdp.check.values import public
from metricdp.check.values.findings import Stop, stop
from metricdp.check.values.frames import Frame
from metricdp.check.values.objects import (
    Aligned,
    BlackBox,
    Builtin,
    Closure,
    Constant,
    External,
    Library,
    Obj,
    Primitive,
    Range,
    RecordClass,
    Tuple,
    Value,
)
from metricdp.record import REGISTRY, Record, by_numpy

MAX_DEPTH = 60
#: NumPy functions that take their vectors in one tuple; their record takes them one by one.
JOINING = ("numpy.concatenate", "numpy.hstack")

#: Builtins that read their argument later than they are called.
_LAZY = frozenset({"enumerate", "filter", "map", "reversed", "zip"})
_NORMS = ("metricdp.L1", "metricdp.L2", "metricdp.LInf")
_TYPES = ("float", "int", "bool", "str")


class Calls(BuiltinCalls, Methods):
    """How a call is resolved."""

    # -- the call expression ----------------------------------------------------------------

    def call_expression(self, node: ast.Call, frame: Frame) -> Obj:
        if isinstance(node.func, ast.Attribute):
            base = self.evaluate(node.func.value, frame)
            if isinstance(base, DATA):
                return self.method(node, node.func, base, frame)
            callee = self.attribute_of(base, node.func)
        else:
            callee = self.evaluate(node.func, frame)
        if any(k.arg is None for k in node.keywords):
            raise stop(self.module, node, "unsupported-syntax",
                       "`**` in a call is not part of the checked language", "explicit arguments",
                       "write the arguments out")  # fmt: skip
        if isinstance(callee, Builtin) and callee.name == "sum":
            added = self.summed(node, frame)
            if added is not None:
                return added
        eager = isinstance(callee, Primitive | Library | Builtin)
        eager = eager and getattr(callee, "name", "") not in _LAZY
        arguments: list[Obj] = []
        nodes: list[ast.expr] = []
        for argument in node.args:
            if isinstance(argument, ast.Starred):
                items = starred(self, self.evaluate(argument.value, frame), argument)
            else:
                items = (self._argument(argument, frame, eager),)
            arguments += items
            shown = argument.value if isinstance(argument, ast.Starred) else argument
            nodes += [shown] * len(items)
        keywords = {
            k.arg: self.evaluate(k.value, frame) for k in node.keywords if k.arg is not None
        }
        return self.dispatch(callee, arguments, keywords, node, nodes,
                             {k.arg: k.value for k in node.keywords if k.arg})  # fmt: skip

    def _argument(self, node: ast.expr, frame: Frame, eager: bool) -> Obj:
        """An argument; a generator only where the callee consumes it at once."""
        if not (eager and isinstance(node, ast.GeneratorExp)):
            return self.evaluate(node, frame)
        lists = dict(self.heap.lists)
        made = self.comprehension(node, frame)
        # Python may stop a generator early, or run it between other statements.
        self.unchanged(lists, node, "a generator")
        return made

    @abstractmethod
    def attribute_of(self, base: Obj, node: ast.Attribute) -> Obj: ...

    @abstractmethod
    def summed(self, node: ast.Call, frame: Frame) -> Obj | None: ...

    @abstractmethod
    def comprehension(self, node: ast.ListComp | ast.GeneratorExp, frame: Frame) -> Obj: ...

    def dispatch(
        self, callee: Obj, arguments: list[Obj], keywords: dict[str, Obj], node: ast.AST,
        nodes: Nodes, keyword_nodes: dict[str, ast.expr],
    ) -> Obj:  # fmt: skip
        """Call an object."""
        if isinstance(callee, Closure):
            return self._closure(callee, arguments, keywords, node)
        if isinstance(callee, Primitive):
            return self.apply(callee.record, arguments, keywords, node, nodes, keyword_nodes)
        if isinstance(callee, BlackBox):
            return call_box(self, callee, arguments, keywords, node)
        if isinstance(callee, RecordClass):
            self.act(node, "call", place(node))
            return made(self, callee, arguments, keywords, node)
        if isinstance(callee, Builtin):
            self._no_functions(callee.name, arguments, keywords, node)
            return self.builtin(callee.name, arguments, keywords, node, nodes, keyword_nodes)
        if isinstance(callee, Library):
            return self._call_library(
                callee.dotted, arguments, keywords, node, nodes, keyword_nodes
            )
        if isinstance(callee, External):
            raise stop(self.module, node, callee.code, callee.reason, "a function that can be read",
                       "use a function of metricdp or of this project")  # fmt: skip
        raise stop(self.module, node, "unsupported-call", "this value is not a function",
                   "a function", "call a function by its name")  # fmt: skip

    def _call_library(
        self, dotted: str, arguments: list[Obj], keywords: dict[str, Obj], node: ast.AST,
        nodes: Nodes, keyword_nodes: dict[str, ast.expr],
    ) -> Obj:  # fmt: skip
        if dotted == "metricdp.reveal":
            return reveal(self, arguments, keywords, node)
        if dotted == "metricdp.sample":
            return draw_sample(self, arguments, keywords, node)
        if dotted == "metricdp.private_selection":
            return private_selection(self, arguments, keywords, node)
        data = (a for a in (*arguments, *keywords.values()) if not isinstance(a, Closure))
        private = any(self.has_private(a) for a in data)
        record = self._library(dotted, private, len(arguments) + len(keywords))
        if record is not None:
            arguments = [self.seen(a) for a in arguments]
            if (
                record.name in ("sum", "min", "max")
                and len(arguments) == 1
                and isinstance(arguments[0], Tuple)
            ):
                self._no_keywords(dotted, keywords, node)
                return self.over_tuple(record.name, arguments[0], node)
            if dotted in JOINING:
                arguments, nodes = self._one_tuple(dotted, arguments, node)
            if not dotted.startswith("metricdp."):
                numpy_keywords(self.module, dotted, record, keywords, node)
            return self.apply(record, arguments, keywords, node, nodes, keyword_nodes)
        if dotted.startswith("metricdp."):
            raise self._no_such_function(dotted, node)
        self._no_functions(dotted, arguments, keywords, node)
        refuse_impure(self, dotted, keywords, node)
        if not private:
            self.handed_on([*arguments, *keywords.values()], node)
            values = [self.seen(a) for a in arguments]
            if keywords:
                return Value(public.origin(*values, *keywords.values()), source="computed")
            return public.call(
                dotted, [a if isinstance(a, Value) else Value(public.origin(a)) for a in values]
            )
        raise stop(
            self.module, node, "unsupported-call", f"`{dotted}` on private values has no rule",
            "a function of metricdp, or a NumPy function that has a rule",
            beside(dotted, "wrap it in a function decorated with @dp.black_box, or use a function "
                           "of metricdp"),
        )  # fmt: skip

    def _one_tuple(
        self, dotted: str, arguments: list[Obj], node: ast.AST
    ) -> tuple[list[Obj], Nodes]:
        """The vectors of `numpy.concatenate((x, y))`; the call runs on the tuple as written."""
        if len(arguments) != 1 or not isinstance(arguments[0], Tuple):
            raise stop(
                self.module, node, "wrong-arguments", f"`{dotted}` takes one tuple of vectors",
                "one tuple of vectors", "dp.concat(x, y)",
            )  # fmt: skip
        items = list(arguments[0].items)
        names = [ast.copy_location(ast.Name("x", ast.Load()), node) for _ in items]
        return items, names

    def _no_functions(
        self, name: str, arguments: list[Obj], keywords: dict[str, Obj], node: ast.AST
    ) -> None:
        """A function given to code that check does not read could capture private values."""
        if name in ("map", "filter") and len(arguments) == 2 and self.has_private(arguments[1]):
            return
        for value in (*arguments, *keywords.values()):
            if isinstance(value, Closure | Primitive | Builtin | Library | BlackBox) or (
                name in ("map", "filter")
            ):
                raise stop(
                    self.module, node, "unsupported-call", f"`{name}` is given a function",
                    "functions given to metricdp or to functions of the project",
                    "a comprehension: [f(row) for row in rows]",
                )  # fmt: skip

    def call_object(
        self, function: Obj, arguments: tuple[Obj, ...], module: Any, node: ast.AST
    ) -> Obj:
        """Call back from the domain: a function argument on fresh formals."""
        assert isinstance(function, Closure)
        lists = dict(self.heap.lists)
        result = self.seen(self._enter(function, list(arguments), {}, node))
        self.unchanged(lists, node, "a function that runs once per row")
        return result

    def _closure(
        self, callee: Closure, arguments: list[Obj], keywords: dict[str, Obj], node: ast.AST
    ) -> Obj:
        if isinstance(node, ast.Call):
            self.act(node, "call", place(node))
        return self._enter(callee, arguments, keywords, node)

    def _enter(
        self, callee: Closure, arguments: list[Obj], keywords: dict[str, Obj], node: ast.AST
    ) -> Obj:
        bound = bind_function(self, callee, arguments, keywords, node)
        if any(f is callee.node for f in self.active) or len(self.active) >= MAX_DEPTH:
            raise stop(
                self.module, node, "recursion", f"`{callee.name}` calls itself",
                "a function without recursion", "write it as a loop",
            )  # fmt: skip
        self.path.append(place(node))
        try:
            return remembered(self, callee, bound, lambda: self.run(callee, bound))
        finally:
            self.path.pop()

    def _library(self, dotted: str, private: bool, count: int) -> Record | None:
        if dotted.startswith("metricdp."):
            if dotted.count(".") > 1:  # `algorithms.count` is not `dp.count`
                return None
            record = _form(dotted.rsplit(".", 1)[-1], count)
            return None if record is None or record.kind == "control" else record
        return by_numpy(dotted) if private else None

    def _no_such_function(self, dotted: str, node: ast.AST) -> Stop:
        from difflib import get_close_matches

        name = dotted.split(".", 1)[-1]
        if name.startswith("algorithms."):
            home, _, function = dotted.rpartition(".")
            return stop(
                self.module, node, "unknown-name", f"`{dotted}` is not imported by its name",
                "an import that says which function is called",
                f"from {home} import {function}",
            )  # fmt: skip
        close = get_close_matches(name, [*REGISTRY, *_seed_names()], 1)
        return stop(
            self.module, node, "unknown-name", f"metricdp has no function `{name}`",
            "a function of metricdp", f"dp.{close[0]}" if close else "see the list of rules",
        )  # fmt: skip

    # -- primitives -------------------------------------------------------------------------

    def apply(
        self, record: Record, arguments: list[Obj], keywords: dict[str, Obj], node: ast.AST,
        nodes: Nodes, keyword_nodes: dict[str, ast.expr],
    ) -> Obj:  # fmt: skip
        """Apply a record to positional and keyword arguments."""
        if record.kind == "mechanism":
            self.handed_on([*arguments, *keywords.values()], node)
        arguments = [self.seen(a) for a in arguments]
        keywords = {name: self.seen(a) for name, a in keywords.items()}
        given, order, texts, permutation = bind_rule(
            self, record, arguments, keywords, node, nodes, keyword_nodes
        )
        if record.name == FOLD_ROWS:
            return fold_rows(self, given, node)
        if record.name == REDUCE_COLS and (noisy := over_columns(self, given, node)) is not None:
            return noisy
        self._act(record, node, permutation, nodes)
        if record.name in SELECTIONS:
            return self._selected(record, given, node, texts)
        if (values := several(self, record, given)) is not None:
            given = {**given, "x": joined(self, record, values, node)}
            state, mark = self.domain.state, len(self.domain.state.trace)
            result = self.domain.apply(record, given, self.module, node, texts, order)
            return released(state, values, result, mark)
        for name, value in given.items():
            self._plain_argument(record, name, value, node)
        return self.domain.apply(record, given, self.module, node, texts, order)

    def _selected(
        self, record: Record, given: dict[str, Obj], node: ast.AST, texts: dict[str, str]
    ) -> Obj:
        """A mechanism that chooses among public candidates, by scores."""
        scored = with_scores(self, record, given, node)
        for name, value in scored.items():
            self._plain_argument(record, name, value, node)
        result = self.domain.apply(record, scored, self.module, node, texts)
        return chosen(self, record, given.get("candidates", result), result, "reports" in given)

    def _act(
        self, record: Record, node: ast.AST, permutation: tuple[int, ...] | None, nodes: Nodes
    ) -> None:
        if None in nodes or node in nodes:
            return
        if isinstance(node, ast.ListComp | ast.GeneratorExp):
            self.act(node, "rows", "")
        elif isinstance(node, ast.Compare):
            # `a < b <= c` applies two records at one node; its own operators say which.
            self.act(node, "compare", "")
        else:
            kind = "mechanism" if record.kind == "mechanism" else "primitive"
            self.act(node, kind, record.name, permutation)

    def _plain_argument(self, record: Record, name: str, value: Obj, node: ast.AST) -> None:
        """Rules see numbers and containers; nothing private may hide in anything else."""
        if isinstance(value, External):
            raise stop(self.module, node, value.code, value.reason, "a known value", "name it")
        if isinstance(value, Value | Constant) or _is_word(name, value):
            return
        if isinstance(value, Closure | Primitive | BlackBox) and name in record.formals:
            return
        if isinstance(value, Tuple) and not self.has_private(value):
            return
        if isinstance(value, Range):
            raise stop(
                self.module, node, "unsupported-call", f"`{record.name}` is given a range",
                "numbers that are written out", f"[i for i in range(...)] as `{name}`",
            )  # fmt: skip
        kind = "several values at once" if isinstance(value, Tuple | Aligned) else "a function"
        if isinstance(value, Library | Builtin):
            kind = "a function or a type"
        raise stop(
            self.module, node, "unsupported-call", f"`{record.name}` is given {kind}",
            "one number or one container per argument",
            _one_value(record, name, node),
        )  # fmt: skip


_SEEDS: dict[str, Record] = {}


def _one_value(record: Record, name: str, node: ast.AST) -> str:
    """What to write where a list, a function or a type stands for one value."""
    first = node.args[0] if isinstance(node, ast.Call) and node.args else None
    if record.kind != "mechanism" or not isinstance(first, ast.Tuple | ast.List):
        return f"write one number, or a private value, as `{name}`"
    assert isinstance(node, ast.Call)
    rest = "".join(f", {ast.unparse(each)}" for each in (*node.args[1:], *node.keywords))
    each = [f"dp.{record.name}({ast.unparse(item)}{rest})" for item in first.elts]
    return f"({', '.join(each)},)"


def _is_word(parameter: str, value: Obj) -> bool:
    """A norm or a type where one is asked for; anywhere else a rule would take it for a text."""
    if isinstance(value, Library):
        return parameter == "norm" and value.dotted in _NORMS
    return isinstance(value, Builtin) and parameter == "to" and value.name in _TYPES


def _seed_names() -> dict[str, Record]:
    if not _SEEDS:
        for record in REGISTRY.values():
            for name in record.spelling.seed:
                if name.isidentifier():
                    _SEEDS.setdefault(name, record)
    return _SEEDS


def _form(name: str, count: int) -> Record | None:
    """The record of a name: `map_rows(f, m, n)` is another form than `map_rows(f, m)`."""
    named = REGISTRY.get(name) or _seed_names().get(name)
    if named is None or _takes(named, count):
        return named
    forms = (r for r in REGISTRY.values() if name in r.spelling.seed and _takes(r, count))
    return next(forms, named)


def _takes(record: Record, count: int) -> bool:
    """Whether a rule has parameters for this many arguments."""
    code = record.rule.__code__
    variadic = bool(code.co_flags & 4)
    return variadic or count <= code.co_argcount + code.co_kwonlyargcount


def made(
    calls: Base, cls: RecordClass, arguments: list[Obj], keywords: dict[str, Obj], node: ast.AST
) -> Tuple:
    """An instance."""
    given = dict(zip(cls.fields, arguments, strict=False))
    wrong = len(arguments) > len(cls.fields) or any(
        name in given or name not in cls.fields for name in keywords
    )
    given |= keywords
    missing = [n for n in cls.fields if n not in given and n not in cls.defaults]
    if wrong or missing:
        raise stop(
            calls.module, node, "wrong-arguments",
            f"`{cls.node.name}` has the fields {', '.join(cls.fields)}", "one value per field",
            f"{cls.node.name}({', '.join(f'{n}=...' for n in cls.fields)})",
        )  # fmt: skip
    items = [given[n] if n in given else public_constant(cls.defaults[n]) for n in cls.fields]
    kind = f"{cls.module.path}:{cls.node.name}"
    return Tuple(tuple(items), names=cls.fields, kind=kind)
