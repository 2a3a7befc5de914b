"""Functions of metricdp and of public libraries, by their dotted names.

What a few programs call, and reads much to be checked, is imported where it is called.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

import msgspec

from metricdp.check.language import axes, counters, dictionaries, histograms, totality
from metricdp.check.language.applying import apply
from metricdp.check.language.binding import numpy_keywords
from metricdp.check.language.builtin_calls import no_keywords, over_tuple
from metricdp.check.language.interpreter import Interpreter, Nodes
from metricdp.check.language.over_rows import as_array
from metricdp.check.source import spelled
from metricdp.check.source.advice import beside, instead_of
from metricdp.check.values import arrays, moments, public, total_calls
from metricdp.check.values.findings import Stop
from metricdp.check.values.objects import (
    BlackBox,
    Builtin,
    Closure,
    Library,
    Obj,
    Primitive,
    TupleValue,
    Value,
)
from metricdp.record import REGISTRY, Record, by_numpy, by_seed
from metricdp.spaces import Records, Scalar

#: NumPy functions that take their vectors in one tuple; their record takes them one by one.
JOINING = ("numpy.concatenate", "numpy.hstack")
#: Roundings whose result is a float; those of Python are integers.
_IN_FLOATS = frozenset(f"numpy.{name}" for name in ("floor", "ceil", "trunc", "rint", "round"))
#: NumPy's names of the builtins that take several numbers, or one table and a default.
_ENDS = {"numpy.max": "max", "numpy.amax": "max", "numpy.min": "min", "numpy.amin": "min"}
#: The record that makes one vector of numbers, which NumPy takes in one list.
ARRAY = "array"
#: Library functions that draw, read or keep something besides their arguments.
IMPURE = (
    "numpy.random", "numpy.load", "numpy.save", "numpy.fromfile", "numpy.genfromtxt",
    "numpy.memmap",
    "numpy.fromregex", "numpy.empty", "numpy.set", "functools.cache", "functools.lru_cache",
    "numpy.ndarray", "numpy.put", "numpy.copyto", "numpy.place", "numpy.fill_diagonal",
    "operator.i", "operator.__", "operator.setitem", "operator.delitem", "operator.call",
    "operator.methodcaller",
    "datetime.date.today", "datetime.date.fromtimestamp", "datetime.datetime.today",
    "datetime.datetime.now", "datetime.datetime.utcnow", "datetime.datetime.fromtimestamp",
)  # fmt: skip
#: Functions that raise, or give NaN, where their records have a value.
_PARTIAL = frozenset({"sqrt", "log", "log1p", "log2", "log10"})
#: Keywords that name an array to write to.
_WRITTEN = frozenset({"out", "overwrite_input"})


def call_library(
    interpreter: Interpreter, dotted: str, arguments: list[Obj], keywords: dict[str, Obj],
    node: ast.AST, nodes: Nodes, keyword_nodes: dict[str, ast.expr],
) -> Obj:  # fmt: skip
    """A function by its dotted name: a rule, or a public function of public values."""
    if dotted == "metricdp.reveal":
        from metricdp.check.language.revealing import reveal

        return reveal(interpreter, arguments, keywords, node)
    if dotted.startswith("itertools."):
        from metricdp.check.language.iterators import call

        return call(interpreter, dotted, arguments, keywords, node)
    if dotted == "metricdp.sample":
        from metricdp.check.language.sampling import draw_sample

        return draw_sample(interpreter, arguments, keywords, node)
    if dotted == "metricdp.private_selection":
        from metricdp.check.language.private_selection import private_selection

        return private_selection(interpreter, arguments, keywords, node)
    if dotted == "collections.defaultdict" and not keywords:
        return dictionaries.with_default(interpreter, arguments, node)
    if dotted == "collections.Counter" and not keywords:
        if len(arguments) == 1 and counters.countable(interpreter, arguments[0]):
            return counters.counted(interpreter, arguments[0], node, nodes)
        return dictionaries.counter(interpreter, arguments, node)
    if dotted == "functools.reduce" and arguments and isinstance(arguments[0], Closure):
        _not_in_order(interpreter, arguments, node)
    data = (a for a in (*arguments, *keywords.values()) if not isinstance(a, Closure))
    private = any(interpreter.has_private(a) for a in data)
    if dotted == "numpy.histogram" and private:
        return histograms.counted(interpreter, arguments, keywords, node)
    numpy, _, verb = dotted.rpartition(".")
    if numpy == "numpy" and verb in axes.ALONG and arguments and axes.is_matrix(arguments[0]):
        matrix = arguments[0]
        assert isinstance(matrix, Value) and isinstance(node, ast.Call)
        return axes.along(interpreter, verb, matrix, arguments[1:], keywords, node, "along")
    record = _record_of(dotted, private, len(arguments) + len(keywords))
    if record is not None:
        arguments = [interpreter.seen(a) for a in arguments]
        if dotted.startswith("statistics.") and (keywords or len(arguments) != 1):
            raise interpreter.stop(
                node, "wrong-arguments", f"`{dotted}` has a rule for its data alone",
                "one argument", f"{dotted}({interpreter.text(nodes[0] if nodes else None)})",
            )  # fmt: skip
        if (
            record.name in ("sum", "min", "max")
            and len(arguments) == 1
            and isinstance(arguments[0], TupleValue)
        ):
            no_keywords(interpreter, dotted, keywords, node)
            return over_tuple(interpreter, record.name, arguments[0], node)
        if dotted in JOINING:
            arguments, nodes = _one_tuple(interpreter, dotted, arguments, node)
        if record.name == ARRAY and not keywords and _is_table(arguments):
            interpreter.act(node, "identity", "")
            return as_array(arguments[0])
        if record.name == ARRAY and len(arguments) == 1 and isinstance(arguments[0], TupleValue):
            arguments, nodes = _items(interpreter, arguments[0], node)
        if dotted in _ENDS and (len(arguments) > 1 or "default" in keywords):
            raise _no_axis(interpreter, dotted, node)
        if not dotted.startswith("metricdp."):
            numpy_keywords(interpreter.module, dotted, record, keywords, node)
        result = apply(interpreter, record, arguments, keywords, node, nodes, keyword_nodes)
        return _in_float(result) if dotted in _IN_FLOATS else result
    if dotted.startswith("metricdp."):
        raise _no_such_function(interpreter, dotted, node)
    if dotted in moments.MAKERS and "tzinfo" in keywords:
        raise interpreter.stop(
            node, "unsupported-keyword", "`tzinfo=` makes a time with a zone, and rows hold none",
            "times of the zone that is meant, without it", "remove `tzinfo=`",
        )  # fmt: skip
    if not private and dotted.rpartition(".")[2] in _PARTIAL:
        interpreter.as_python_does(node)
    no_functions(interpreter, dotted, *_without_types(dotted, arguments, keywords), node)
    refuse_impure(interpreter, dotted, keywords, private, node)
    if not private:
        held = [] if arrays.copies(dotted) else arguments
        interpreter.handed_on([*held, *keywords.values()], node)
        values = [interpreter.seen(a) for a in arguments]
        if interpreter.domain.decided:
            totality.shown(interpreter, node, total_calls.library(dotted, values, keywords))
        if (array := arrays.call(dotted, values, keywords)) is not None:
            if (steps := arrays.whole_steps(dotted, values, keywords)) is not None:
                interpreter.in_steps[node] = array, *steps
            return array
        if dotted in moments.MAKERS:
            return moments.made(moments.MAKERS[dotted], values, keywords)
        if keywords:
            return Value(public.origin(*values, *keywords.values()), source="computed")
        if (found := moments.read(dotted, values)) is not None:
            return found
        return public.call(
            dotted, [a if isinstance(a, Value) else Value(public.origin(a)) for a in values]
        )
    raise interpreter.stop(
        node, "unsupported-call", f"`{dotted}` on private values has no rule",
        "a function of metricdp, or a NumPy function that has a rule",
        spelled.call(dotted, node)
        or beside(dotted, "wrap it in a function decorated with @dp.black_box, or use a function "
                          "of metricdp"),
    )  # fmt: skip


def _not_in_order(interpreter: Interpreter, arguments: list[Obj], node: ast.AST) -> None:
    """Raises:
    Stop: `reduce` of rows, which have no order, or of public values, one at a time.
    """
    over = interpreter.seen(arguments[1]) if len(arguments) > 1 else None
    if isinstance(over, Value) and over.private and not isinstance(over.space, Records):
        return
    if sum_ := spelled.call("functools.reduce", node):
        raise interpreter.stop(
            node, "unsupported-call",
            "`functools.reduce` is given a function, and has a rule for vectors alone",
            "a sum, or a loop", sum_,
        )  # fmt: skip


def _no_axis(interpreter: Interpreter, dotted: str, node: ast.AST) -> Stop:
    """NumPy's second argument is an axis, and an empty array has no largest number."""
    given = [*node.args, *node.keywords] if isinstance(node, ast.Call) else []
    texts = ", ".join(ast.unparse(each) for each in given)
    return interpreter.stop(
        node, "wrong-arguments",
        f"`{dotted}` takes one array here: its second argument is an axis, and it has no default",
        "the builtin, for several numbers and for rows of which there may be none",
        f"{_ENDS[dotted]}({texts})",
    )  # fmt: skip


def _without_types(
    dotted: str, arguments: list[Obj], keywords: dict[str, Obj]
) -> tuple[list[Obj], dict[str, Obj]]:
    """Arguments of a function without the type of the entries of the array that it makes."""
    if dotted not in ("numpy.zeros", "numpy.ones", "numpy.full"):
        return arguments, keywords
    given = [each for each in arguments if not _is_type(each)]
    return given, {name: v for name, v in keywords.items() if not _is_type(v)}


def _is_type(value: Obj) -> bool:
    return isinstance(value, Builtin) and value.name in ("float", "int", "bool")


def _one_tuple(
    interpreter: Interpreter, dotted: str, arguments: list[Obj], node: ast.AST
) -> tuple[list[Obj], Nodes]:
    """The vectors of `numpy.concatenate((x, y))`; the call runs on the tuple as written."""
    if len(arguments) != 1 or not isinstance(arguments[0], TupleValue):
        raise interpreter.stop(
            node, "wrong-arguments", f"`{dotted}` takes one tuple of vectors",
            "one tuple of vectors", "dp.concat(x, y)",
        )  # fmt: skip
    items = list(arguments[0].items)
    names = [ast.copy_location(ast.Name("x", ast.Load()), node) for _ in items]
    return items, names


def _is_table(arguments: list[Obj]) -> bool:
    """Whether one table of numbers is given: the array of its rows has the same numbers."""
    space = getattr(arguments[0], "space", None) if len(arguments) == 1 else None
    row = space.row if isinstance(space, Records) else None
    return isinstance(row, Scalar) and row.kind in ("float", "int", "bool")


def _items(interpreter: Interpreter, value: TupleValue, node: ast.AST) -> tuple[list[Obj], Nodes]:
    """The numbers of `numpy.array([a, b])`; the call runs on the list as written."""
    items = list(interpreter.items(value, node))
    shown = node.args[0] if isinstance(node, ast.Call) and node.args else None
    written: list[ast.expr] = []
    if isinstance(shown, ast.List | ast.Tuple):
        written = [each for each in shown.elts if not isinstance(each, ast.Starred)]
    if len(written) != len(items):
        written = [ast.copy_location(ast.Name("x", ast.Load()), node) for _ in items]
    return items, written


def no_functions(
    interpreter: Interpreter,
    name: str,
    arguments: list[Obj],
    keywords: dict[str, Obj],
    node: ast.AST,
) -> None:
    """A function given to code that check does not read could capture private values."""
    if name in ("map", "filter") and len(arguments) == 2 and interpreter.has_private(arguments[1]):
        return
    for value in (*arguments, *keywords.values()):
        if isinstance(value, Closure | Primitive | Builtin | Library | BlackBox) or (
            name in ("map", "filter")
        ):
            raise interpreter.stop(
                node, "unsupported-call", f"`{name}` is given a function",
                "functions given to metricdp or to functions of the project",
                spelled.call(name, node) or "a comprehension: [f(row) for row in rows]",
            )  # fmt: skip


def _in_float(value: Obj) -> Obj:
    """A whole number as NumPy gives it, which is a float."""
    space = value.space if isinstance(value, Value) else None
    if not isinstance(value, Value) or not isinstance(space, Scalar) or space.element != "Int":
        return value
    return msgspec.structs.replace(value, space=msgspec.structs.replace(space, kind="float"))


def refuse_impure(
    interpreter: Interpreter, dotted: str, keywords: Iterable[str], private: bool, node: ast.AST
) -> None:
    """Raises:
    Stop: a function that draws, reads, keeps or changes something besides its result.
    """
    written = next((name for name in keywords if name in _WRITTEN), None)
    if written is not None:
        raise interpreter.stop(
            node, "unsupported-keyword",
            f"`{written}=` makes `{dotted}` change an array that others may hold",
            "a function whose result is a new value", f"remove `{written}=`, and name the result",
        )  # fmt: skip
    if dotted.startswith(IMPURE) or (dotted.startswith("numpy.") and dotted.endswith(".at")):
        raise interpreter.stop(
            node, "unsupported-call",
            f"`{dotted}` does not depend on its arguments alone, or changes them",
            "functions whose result depends on their arguments only",
            "dp.laplace(x, epsilon=eps), whose noise is exact and charged; other random numbers "
            "are parameters"
            if dotted.startswith("numpy.random")
            else "release a value, and use what is released: its result would hold private data"
            if private
            else "pass its result as a parameter",
        )  # fmt: skip


def _record_of(dotted: str, private: bool, count: int) -> Record | None:
    """The record of a dotted name for so many arguments; None if there is none."""
    if dotted.startswith("metricdp."):
        if dotted.count(".") > 1:  # `algorithms.count` is not `dp.count`
            return None
        record = _form(dotted.rsplit(".", 1)[-1], count)
        return None if record is None or record.kind == "control" else record
    return by_numpy(dotted) if private else None


def _form(name: str, count: int) -> Record | None:
    """The record of a name: `map_rows(f, m, n)` is another form than `map_rows(f, m)`."""
    named = REGISTRY.get(name)
    if named is not None and _takes(named, count):
        return named
    forms = by_seed(name)
    return next((form for form in forms if _takes(form, count)), named or next(iter(forms), None))


def _takes(record: Record, count: int) -> bool:
    """Whether a rule has parameters for this many arguments."""
    code = record.rule.__code__
    variadic = bool(code.co_flags & 4)
    return variadic or count <= code.co_argcount + code.co_kwonlyargcount


def _no_such_function(interpreter: Interpreter, dotted: str, node: ast.AST) -> Stop:
    """The rejection of a name that metricdp has not, with the nearest one that it has."""
    from difflib import get_close_matches

    name = dotted.split(".", 1)[-1]
    if name.startswith("algorithms."):
        home, _, function = dotted.rpartition(".")
        return interpreter.stop(
            node, "unknown-name", f"`{dotted}` is not imported by its name",
            "an import that says which function is called",
            f"from {home} import {function}",
        )  # fmt: skip
    close = get_close_matches(name, [*REGISTRY, *REGISTRY.seeds()], 1)
    nearest = f"dp.{close[0]}" if close else "see the list of rules"
    return interpreter.stop(
        node, "unknown-name", f"metricdp has no function `{name}`",
        "a function of metricdp", spelled.call(dotted, node) or instead_of(name) or nearest,
    )  # fmt: skip
