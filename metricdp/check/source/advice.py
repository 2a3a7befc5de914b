"""What to write instead of Python that has no rule; text only, nothing here decides anything."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Sequence

#: Methods of dictionaries, which newcomers call on private values.
OF_DICTIONARIES = frozenset("get items keys values setdefault popitem".split())
#: Library functions and builtins beside a function of metricdp that does the same or nearly so.
_BESIDE = {
    "numpy.var": "dp.variance(rows), which divides by n - 1 as numpy.var(ddof=1) does",
    "numpy.std": "release dp.variance(rows), and take the root of what is released",
    "numpy.median": "dp.private_quantile(rows, candidates, 0.5, epsilon=eps)",
    "numpy.quantile": "dp.private_quantile(rows, candidates, q, epsilon=eps)",
    "numpy.percentile": "dp.private_quantile(rows, candidates, q, epsilon=eps)",
    "numpy.histogram": "dp.histogram(rows, edges=edges)",
    "numpy.bincount": "dp.histogram(rows, categories=values)",
    "numpy.unique": "dp.stable_histogram(rows, epsilon=eps, delta=delta)",
    "statistics.median": "dp.private_quantile(rows, candidates, 0.5, epsilon=eps)",
    "statistics.median_low": "dp.private_quantile(rows, candidates, 0.5, epsilon=eps)",
    "statistics.median_high": "dp.private_quantile(rows, candidates, 0.5, epsilon=eps)",
    "statistics.quantiles": "dp.private_quantile(rows, candidates, q, epsilon=eps)",
    "statistics.pvariance": "dp.variance(rows, ddof=0)",
    "statistics.stdev": "release dp.variance(rows), and take the root of what is released",
    "statistics.pstdev": "release dp.variance(rows, ddof=0), and take the root of what is released",
    "statistics.mode": "dp.report_noisy_max(counts, epsilon=eps), with a count for every answer",
    "statistics.multimode": "dp.top_k(counts, k, epsilon=eps), with a count for every answer",
    "statistics.covariance": "dp.covariance([(row.x, row.y) for row in rows])",
    **dict.fromkeys(
        ("set", "frozenset"),
        "write the values down, for k in (1, 2, 3): ..., or dp.stable_histogram(rows, "
        "epsilon=eps, delta=delta), which finds what many rows have",
    ),
    "float": "dp.cast_default(rows, float) reads a whole table of texts",
    "int": "dp.cast_default(rows, int) reads a whole table of texts",
    "str": "dp.cast_default(rows, str) writes a whole table as texts",
}
#: Libraries that newcomers import -> what does the same here.
_LIBRARIES = {
    "random": "noise: dp.laplace(x, epsilon=eps); some of the rows: dp.sample(rows, q=0.1); a coin "
    "for each row: dp.randomized_response",
    "re": "methods of texts: text.startswith('a'), 'b' in text; or @dp.black_box for the pattern",
    "pandas": "declare dp.Records[Row] and pass the frame to the call: [row.pay for row in rows]",
    "polars": "declare dp.Records[Row] and pass the frame to the call: [row.pay for row in rows]",
    "collections": "a dictionary of public keys; Counter and defaultdict where the keys are public",
    "json": "read the file before the call, and pass what it holds",
    "csv": "read the file before the call, and pass its rows",
    "os": "read the setting before the call, and pass it as a parameter",
    "time": "measure the time around the call",
}


def in_place_of(module: str) -> str:
    """What to write instead of a library that the checked language does not know."""
    root = module.split(".")[0]
    if not root:
        return "put its file beside this one, or write it here"
    if root in _LIBRARIES:
        return _LIBRARIES[root]
    return (
        f"if {root} is a file of yours, put it beside this one; if it is a library, call it in a "
        "function decorated with @dp.black_box, or after the release"
    )


def frame_outside(statement: ast.AST | None, name: ast.Name) -> str:
    """What to return where a statement returns a frame of another library; "" of anything else."""
    made = statement.value if isinstance(statement, ast.Return) else None
    match made:
        case ast.Call(ast.Attribute(ast.Name() as module, "Series" | "DataFrame"), [given], []):
            if module is name:
                text = ast.unparse(given)
                what = f"return {text}" if len(text) <= _SHORT else "return what it is made of"
                return f"{what}, and make the frame outside: release.to_pandas()"
    return ""


#: Longest expression that a message repeats.
_SHORT = 40
#: Message, need and help where code depends on which values rows hold.
KEYS_OF_ROWS = (
    "which keys there are gives people away: whoever alone has a value makes it a key for certain",
    "keys that are public, or a mechanism that finds keys at a cost",
    "read the counts of public keys alone, or find keys by dp.stable_histogram, at a cost",
)
#: Builtins of Python that are not part of the checked language.
_WITHOUT = {
    "eval": "write the expression itself",
    "exec": "write the statements themselves",
    "getattr": "write the name of the field: row.name",
    "setattr": "build a new value and give it a name",
    "open": "read the file before, and pass what it holds as a parameter",
    "input": "pass the answer as a parameter",
}
#: Noise of a mechanism, which a remedy names anew.
_NOISE = frozenset({"scale", "query_scale", "epsilon", "rho", "omega", "delta"})

#: What kinds of expressions and statements are called that are not part of the checked language.
_EXPRESSIONS = {
    ast.NamedExpr: "`:=`", ast.Await: "`await`", ast.Yield: "`yield`",
    ast.YieldFrom: "`yield from`", ast.Starred: "`*`", ast.Set: "a set display",
    ast.SetComp: "a set comprehension", ast.DictComp: "a dictionary comprehension",
}  # fmt: skip
_STATEMENTS = {
    ast.With: "with", ast.Try: "try", ast.Raise: "raise", ast.Assert: "assert",
    ast.Global: "global", ast.Nonlocal: "nonlocal", ast.Delete: "del", ast.ClassDef: "class",
    ast.Import: "import", ast.ImportFrom: "import", ast.AsyncFunctionDef: "async def",
    ast.Match: "match", ast.AsyncFor: "async for",
}  # fmt: skip
#: What to write in place of a statement.
_INSTEAD = {
    ast.Import: "import at the top of the file",
    ast.ImportFrom: "import at the top of the file",
    ast.Raise: "return a default value instead",
    ast.Assert: "state the fact as a requirement on a public parameter",
    ast.Try: "ask before, in place of `try`: a / b if b != 0 else 0.0; d.get(key, 0)",
    ast.Delete: "leave `del` out, or build what is kept: {k: v for k, v in d.items() if k != key}",
}


def expression_name(node: ast.expr) -> str:
    """What a kind of expression that is not part of the checked language is called."""
    return _EXPRESSIONS.get(type(node), type(node).__name__)


def expression_advice(node: ast.expr) -> str:
    """What to write in place of an expression that is not part of the checked language."""
    if isinstance(node, ast.NamedExpr):
        name, value = ast.unparse(node.target), ast.unparse(node.value)
        return f"a line of its own before, {name} = {value}, and {name} here"
    return f"write this without {expression_name(node)}"


def statement_advice(node: ast.stmt) -> tuple[str, str]:
    """What a kind of statement that is not part of the checked language is called, and the help."""
    name = _STATEMENTS.get(type(node), type(node).__name__.lower())
    return name, _INSTEAD.get(type(node), f"write this without `{name}`")


def without(name: str, *, private: bool) -> str:
    """What to write in place of a builtin that is not part of the checked language.

    Args:
        private: whether it is given private data, which no parameter of a plain type may hold.
    """
    if private:
        return _WITHOUT.get(name, f"release a value, and give `{name}` what is released")
    return _WITHOUT.get(name, f"compute what `{name}` gives before, and pass it as a parameter")


def as_called(help: str, call: ast.AST) -> str:
    """A remedy with the arguments of a call for `...`.

    `f(..., epsilon=eps)` keeps all but the noise and what the remedy names; `f(y, ...)` gives
    another first argument, and keeps the rest as it is.
    """
    if not isinstance(call, ast.Call):
        return help
    named = set(re.findall(r"(\w+)=", help))
    if re.match(r"dp\.\w+\(\.\.\.", help):
        given = [ast.unparse(each) for each in call.args]
        named |= _NOISE
    elif help.startswith("dp.") and help.endswith(", ...)"):
        given = [ast.unparse(each) for each in call.args[1:]]
    else:
        return help
    given += [ast.unparse(each) for each in call.keywords if each.arg not in named]
    return help.replace("...", ", ".join(given)).replace("(, ", "(").replace(", )", ")")


#: What other libraries call a mechanism: noise on whole numbers is whole here by itself.
_ELSEWHERE = {"geometric": "dp.laplace"}


def instead_of(name: str) -> str:
    """The function of metricdp for a statistic by the name that NumPy has for it; "" if none is."""
    return _ELSEWHERE.get(name) or _BESIDE.get(f"numpy.{name}", "")


def beside(function: str, otherwise: str) -> str:
    """The function of metricdp beside a library function or builtin, or `otherwise`."""
    return _BESIDE.get(function, otherwise)


def operator_advice(operator: str, left: ast.expr, right: ast.expr) -> tuple[str, str]:
    """Need and help for an operator on private values that has no rule."""
    return "+ - * / // % ** @ or a comparison", "use a supported operator"


def method_advice(name: str, kind: str) -> tuple[str, str]:
    """Need and help for a method that has no rule."""
    if kind == "private text":
        return (
            "a method that has a value for every text, or a function that reads one row alone",
            "write .find, which is -1 where the part is missing"
            if name in ("index", "rindex")
            else "a helper decorated with @dp.black_box(returns=dp.Bool), called on each row",
        )
    if kind == "dictionary":
        return (
            "a function of metricdp",
            "dp.stable_histogram or dp.count_by to count by value, dp.partition for rows by key",
        )
    return "a function of metricdp", f"dp.sum, dp.clamp, ... in place of .{name}()"


#: What to write for an entry of a parameter that rows choose: which keys it has is not known here.
ENTRY_OF_ROWS = (
    "a loop over the dictionary, whose sums are about one key each: for key, value in "
    "{0}.items(): n = sum(1 for row in rows if row.field == key); or the dictionary written at the "
    "top of the file"
)


def parts_advice(name: str, parts: ast.expr) -> tuple[str, str]:
    """Need and help for a method of what `dp.partition` gives, a tuple in the order of the keys."""
    need, text = "a loop over the parts, in the order of their keys", ast.unparse(parts)
    given = {k.arg: k.value for k in parts.keywords} if isinstance(parts, ast.Call) else {}
    keys = ast.unparse(given["keys"]) if "keys" in given else ""
    if name == "values":
        return need, text if isinstance(parts, ast.Call) else f"{text} itself: for part in {text}"
    if name == "keys":
        return need, keys or f"the keys that {text} was made by"
    if name == "items":
        return need, f"zip({keys}, {text})" if keys else f"zip(KEYS, {text}), KEYS its own keys"
    return need, "for part in dp.partition(rows, key=lambda row: row.field, keys=KEYS): ..."


#: Method of a date or time -> what to write instead, of the expression before the dot.
_OF_DATES = {
    "strftime": "{0}.isoformat()[:7] in place of {0}.strftime('%Y-%m'), or ({0}.year, {0}.month)",
    "ctime": "{0}.isoformat()", "__str__": "{0}.isoformat()",
    "timestamp": "({0} - datetime(1970, 1, 1)).total_seconds()",
    "time": "{0}.hour, {0}.minute, {0}.second",
    "replace": "({0}.year, {0}.month), or {0}.year * 12 + {0}.month, in place of a first of the "
    "month",
    "astimezone": 'declare the field as Annotated[datetime, dp.Zone("Europe/Berlin")]',
    "isoformat": "{0}.date().isoformat()",
}  # fmt: skip


def date_advice(kind: str, name: str, text: str) -> tuple[str, str]:
    """Need and help for what stands behind the dot of a date or time, and has no rule."""
    need = {
        "date": "year, month, day, weekday(), isocalendar(), toordinal(), isoformat()",
        "datetime": "year, month, day, hour, minute, second, microsecond, weekday(), date()",
        "timedelta": "days, seconds, microseconds, total_seconds()",
    }[kind]
    if kind == "date" and name in ("hour", "minute", "second", "date", "timestamp"):
        return need, "declare the field as datetime"
    usual = {"date": "weekday()", "datetime": "weekday()", "timedelta": "total_seconds()"}[kind]
    return need, _OF_DATES.get(name, f"{{0}}.{usual}").format(text)


def renamed(name: str, free: Sequence[str]) -> str:
    """What to write for a keyword that is not there: the one that was probably meant."""
    from difflib import get_close_matches  # slow to import, needed only after a slip

    close = [other for other in free if other.startswith(name) or name.startswith(other)]
    close = close or get_close_matches(name, free, 1)
    return f"write `{close[0]}=`" if len(close) == 1 else f"remove `{name}=`"


#: (record, a keyword that another record has) -> the call of that one.
_BY_ANOTHER = {
    ("randomized_response", "p"): "dp.randomized_response_kept({0}, prob={1})",
    ("randomized_response", "prob"): "dp.randomized_response_kept({0}, prob={1})",
}


def by_another(record: str, keyword: str, first: str, given: str) -> str:
    """The call of another record that takes this keyword; "" where none does.

    Args:
        first, given: the texts of the first argument and of what the keyword is given.
    """
    return _BY_ANOTHER.get((record, keyword), "").format(first, given)


def field_advice(names: Sequence[str], keys: bool, node: ast.Attribute) -> str:
    """What to write for `.name` of a private value with these fields, or with these keys."""
    text = ast.unparse(node.value)
    named = [name for name in names if name == node.attr]
    named = named or [name for name in names if name in (f"{node.attr}_a", f"{node.attr}_b")]
    if names:
        shown = [f"{text}[{name!r}]" if keys else f"{text}.{name}" for name in named or names]
        return " or ".join(shown)
    return f"dp.sum, dp.clamp, ... in place of .{node.attr}"


def free_names(tree: ast.Module) -> str:
    """Names that a file reads, and that neither it nor Python binds."""
    nodes = list(ast.walk(tree))
    names = [node for node in nodes if isinstance(node, ast.Name)]
    bound = {node.id for node in names if not isinstance(node.ctx, ast.Load)} | set(dir(builtins))
    for node in nodes:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            bound.add(node.name)
        elif isinstance(node, ast.arg):
            bound.add(node.arg)
        elif isinstance(node, ast.alias):
            bound.add((node.asname or node.name).split(".")[0])
    return ", ".join(sorted({node.id for node in names} - bound)) or "the names that are used"
