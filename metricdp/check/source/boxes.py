"""Black boxes as source: what they declare, and what their bodies show of effects.

A black box has to be a function of its arguments, because its result for one row may depend on that
row alone.  Effects are state, input and output, chance, the clock.  The scan reads the body of the
box and of the functions of this project that it names.  It is no proof (a library may do anything),
so what it cannot see still stands under `rests_on`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from metricdp.check.source.declared import annotation, declarations, parameters, resolver
from metricdp.check.values.findings import Stop, stop
from metricdp.check.values.objects import BlackBox, Closure, Library, SourceFile
from metricdp.spaces import Space
from metricdp.spaces.base import symbols_of


def returned_space(box: BlackBox) -> Space:
    """The space of `returns=`.

    Raises:
        Stop: there is none, or it denotes no space.
    """
    if "returns" not in box.options:
        raise stop(
            box.module, box.place, "wrong-arguments", f"`{box.name}` does not say what it returns",
            "the space of its result",
            "@dp.black_box(returns=Annotated[dp.Vector[Data, LInf], dp.Size(10)])",
        )  # fmt: skip
    for name, option in box.options.items():
        if name not in ("returns", "default", "batched"):
            raise stop(
                box.module, option, "claim-syntax", f"`black_box` has no option `{name}`",
                "returns=, default= and batched=", f"remove `{name}=`",
            )  # fmt: skip
    found = box.options["returns"]
    return annotation(box.module, found, resolver(box.module), f"{box.name}_result")


def takes_batches(box: BlackBox) -> bool:
    """Whether the box is called with many rows at once.

    Raises:
        Stop: `batched=` is no literal.
    """
    node = box.options.get("batched")
    if node is None:
        return False
    if not isinstance(node, ast.Constant) or not isinstance(node.value, bool):
        raise stop(
            box.module, node, "wrong-arguments", f"whether `{box.name}` takes many rows is no "
            "literal", "True or False", "batched=True",
        )  # fmt: skip
    return node.value


def default_value(box: BlackBox, space: Space) -> float | int | str | bool:
    """What stands in every entry of a result that is not in the declared space.

    Raises:
        Stop: `default=` is no literal of the kind of the entries.
    """
    text = getattr(space, "kind", "") == "str"
    node = box.options.get("default")
    if node is None:
        return "" if text else 0
    try:
        value = ast.literal_eval(node)
    except ValueError:
        value = None
    finite = isinstance(value, int | float) and value == value and abs(value) != float("inf")
    if not (isinstance(value, str) if text else finite):
        raise stop(
            box.module, node, "wrong-arguments",
            f"the default of `{box.name}` is no literal {'text' if text else 'number'}",
            "a public value for results that do not fit", "default=''" if text else "default=0",
        )  # fmt: skip
    assert isinstance(value, int | float | str)
    return value


def public_names(entry: ast.AST, modules: Mapping[ast.AST, SourceFile]) -> dict[str, str]:
    """Numbers that the caller of a checked function supplies: name -> plain type, or "size"."""
    found: dict[str, str] = {}
    for declared in declarations(modules[entry]):
        if declared.node is entry:
            for parameter in parameters(declared):
                if parameter.space is None:
                    found[parameter.name] = parameter.type
                else:
                    found.update(dict.fromkeys(symbols_of(parameter.space), "size"))
    return found


# -- effects that a body shows --------------------------------------------------------------

Function = ast.FunctionDef | ast.Lambda
#: A name that stands for something the call itself made.
LOCAL = ""
#: Builtins with effects, or whose result is not a function of the value.
_BUILTINS = {
    **dict.fromkeys(("open", "print", "input", "breakpoint"), "reads or writes outside"),
    **dict.fromkeys(("exec", "eval", "compile", "__import__"), "runs code that is not read"),
    **dict.fromkeys(("globals", "locals", "vars", "setattr", "delattr"), "reaches other names"),
    "id": "gives the address of an object, which is not a function of its value",
}
#: Dotted names, with everything below them.
_LIBRARIES = {
    **dict.fromkeys(
        ("random", "secrets", "uuid", "os.urandom", "numpy.random", "torch.rand", "torch.normal",
         "torch.bernoulli", "torch.multinomial", "torch.manual_seed", "torch.seed",
         "torch.poisson", "torch.nn.functional.dropout", "metricdp.laplace", "metricdp.gaussian",
         "metricdp.sample", "metricdp.randomized_response"),
        "draws at random",
    ),
    **dict.fromkeys(
        ("time", "datetime.datetime.now", "datetime.datetime.utcnow", "datetime.datetime.today",
         "datetime.date.today"),
        "reads the clock",
    ),
    **dict.fromkeys(
        ("os", "sys", "io", "socket", "ssl", "subprocess", "urllib", "http", "requests", "httpx",
         "shutil", "tempfile", "pathlib", "glob", "logging", "warnings.warn", "sqlite3", "ftplib",
         "smtplib", "numpy.load", "numpy.save", "numpy.savetxt", "numpy.loadtxt", "numpy.fromfile",
         "numpy.memmap", "torch.load", "torch.save", "pandas.read_", "pickle.load", "pickle.dump",
         "joblib", "builtins.open", "builtins.print"),
        "reads or writes outside",
    ),
    **dict.fromkeys(
        ("threading", "multiprocessing", "asyncio", "concurrent", "signal", "atexit", "ctypes",
         "gc", "weakref", "importlib", "inspect", "contextvars"),
        "reaches past its arguments",
    ),
    **dict.fromkeys(
        ("numpy.seterr", "numpy.empty", "torch.empty", "torch.set_", "numpy.set_"),
        "keeps or shows state",
    ),
}  # fmt: skip
#: Generators that a seed decides: with arguments, they are functions of them.
_SEEDED = frozenset({"random.Random", "numpy.random.default_rng", "numpy.random.SeedSequence"})
#: Methods that change the object that they are called on.
_CHANGING = frozenset(
    "append extend insert pop remove clear sort reverse add update discard setdefault popitem "
    "appendleft popleft fill put itemset resize setflags add_ sub_ mul_ div_ zero_ copy_".split()
)
_MUTABLE = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp, ast.Call)


def effect(box: BlackBox) -> Stop | None:
    """The first effect that the source of a box shows, as a rejection to raise; None if none."""
    if box.source is None:
        return None
    seen: set[int] = set()
    waiting: list[tuple[Function, SourceFile]] = [(box.source, box.home)]
    while waiting:
        function, module = waiting.pop()
        if id(function) in seen:
            continue
        seen.add(id(function))
        for node, what, help in _effects(function, module, waiting):
            via = "" if function is box.source else f", in `{getattr(function, 'name', 'lambda')}`"
            return stop(
                module, node, "box-effect", f"the black box `{box.name}` {what}{via}",
                "a result that depends on the arguments only", help,
            )  # fmt: skip
    return None


Found = tuple[ast.AST, str, str]


def _effects(
    function: Function, module: SourceFile, waiting: list[tuple[Function, SourceFile]]
) -> Iterator[Found]:
    inside, parameters = bound_inside(function)
    spec = function.args
    for default in (*spec.defaults, *(d for d in spec.kw_defaults if d is not None)):
        if isinstance(default, _MUTABLE):
            yield (default, "has a default argument that every call shares",
                   "make it in the body: x = [] if x is None else x")  # fmt: skip
    imported = {name for name, dotted in inside.items() if dotted}
    # `np.random` inside of `np.random.default_rng(7)` is no use of its own.
    parts = {id(n.value) for n in own_nodes(function) if isinstance(n, ast.Attribute)}
    for node in own_nodes(function):
        if isinstance(node, ast.Global):
            yield node, f"changes the global `{node.names[0]}`", "return the value instead"
        elif isinstance(node, ast.Yield | ast.YieldFrom | ast.Await):
            yield node, "is a generator, whose state outlives the call", "return a list"
        elif isinstance(node, ast.Call):
            yield from _changed_by_call(node, inside, parameters, imported)
        elif isinstance(node, ast.Attribute | ast.Subscript) and not isinstance(node.ctx, ast.Load):
            yield from _changed(node, inside, parameters, imported)
        elif isinstance(node, ast.AugAssign) and isinstance(name := node.target, ast.Name):
            if name.id not in parameters:
                continue
            yield (node, f"may change its argument `{name.id}` in place",
                   f"{name.id} = {name.id} + ...")  # fmt: skip
        if isinstance(node, ast.Name | ast.Attribute) and id(node) not in parts:
            yield from _named(node, module, inside, imported, waiting)
    yield from _calls(function, module, inside)


def _changed(
    node: ast.Attribute | ast.Subscript, inside: dict[str, str], parameters: set[str],
    imported: set[str],
) -> Iterator[Found]:  # fmt: skip
    """A store into, or a deletion from, an object that the call did not make."""
    name = root_name(node)
    if name is None:
        return
    if name in parameters:
        yield (
            node,
            f"changes its argument `{name}` in place",
            f"{name} = list({name}) before this line",
        )
    elif name not in inside or name in imported:
        yield node, f"changes `{name}`, which outlives the call", "return the value instead"


def _changed_by_call(
    node: ast.Call, inside: dict[str, str], parameters: set[str], imported: set[str]
) -> Iterator[Found]:
    if isinstance(node.func, ast.Attribute) and node.func.attr in _CHANGING:
        yield from _changed(node.func, inside, parameters, imported)
    for keyword in node.keywords:
        if keyword.arg == "out" and isinstance(keyword.value, ast.Name | ast.Attribute):
            target = root_name(keyword.value)
            if target is not None and (target in parameters or target not in inside):
                yield node, f"writes into `{target}` by out=", "use the result of the call"


def _named(
    node: ast.Name | ast.Attribute, module: SourceFile, inside: dict[str, str], imported: set[str],
    waiting: list[tuple[Function, SourceFile]],
) -> Iterator[Found]:  # fmt: skip
    """What a name outside of the function stands for."""
    if not isinstance(node.ctx, ast.Load):
        return
    if isinstance(node, ast.Name) and node.id not in inside:
        if node.id in _BUILTINS and node.id not in module.bindings:
            yield node, f"calls `{node.id}`, which {_BUILTINS[node.id]}", "pass the value in"
            return
        found = module.lookup(node.id)
        if isinstance(found, Closure):
            if isinstance(found.node, ast.FunctionDef) and found.node.decorator_list:
                yield node, f"calls the checked function `{node.id}`", "call it in the program"
            waiting.append((found.node, found.module))
    if isinstance(node, ast.Attribute) and root_name(node) in inside.keys() - imported:
        return
    dotted = dotted_name(node, module, inside)
    if dotted is None:
        return
    if dotted in _SEEDED:
        return  # called with arguments, or `_calls` finds it
    for library, what in _LIBRARIES.items():
        exact = dotted == library or dotted.startswith(f"{library}.")
        if exact or (library.count(".") and dotted.startswith(library)):
            yield node, f"uses `{dotted}`, which {what}", "pass the value in as an argument"
            return


def _calls(function: Function, module: SourceFile, inside: dict[str, str]) -> Iterator[Found]:
    for node in own_nodes(function):
        if isinstance(node, ast.Call) and not node.args and not node.keywords:
            dotted = dotted_name(node.func, module, inside)
            if dotted in _SEEDED:
                yield node, f"calls `{dotted}` without a seed", f"{dotted}(7)"


# -- names in a body that is not interpreted ------------------------------------------------
def own_nodes(function: Function) -> Iterator[ast.AST]:
    """Every node of the body, functions inside of it included."""
    body = function.body if isinstance(function.body, list) else [function.body]
    for statement in body:
        yield from ast.walk(statement)


def bound_inside(function: Function) -> tuple[dict[str, str], set[str]]:
    """Names that the function binds, and those of its parameters that it never assigns.

    Names: "local", or the dotted name of an import.  A parameter that is assigned may name a copy.
    """
    spec = function.args
    arguments = [*spec.posonlyargs, *spec.args, *spec.kwonlyargs]
    arguments += [a for a in (spec.vararg, spec.kwarg) if a is not None]
    parameters = {a.arg for a in arguments}
    found = dict.fromkeys(parameters, LOCAL)
    shared: set[str] = set()
    assigned: set[str] = set()
    for node in own_nodes(function):
        if isinstance(node, ast.Import | ast.ImportFrom):
            for alias in node.names:
                name = alias.asname or alias.name.split(".")[0]
                found[name] = _by_statement(node, name) or LOCAL
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.setdefault(node.name, LOCAL)
        elif isinstance(node, ast.arg):
            found.setdefault(node.arg, LOCAL)
        elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
            found.setdefault(node.name, LOCAL)
        elif isinstance(node, ast.MatchMapping) and node.rest:
            found.setdefault(node.rest, LOCAL)
        elif isinstance(node, ast.Global):
            shared.update(node.names)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.setdefault(node.id, LOCAL)
        if isinstance(node, ast.Assign | ast.AnnAssign | ast.For | ast.NamedExpr):
            assigned.update(_targets(node))
    return {n: kind for n, kind in found.items() if n not in shared}, parameters - assigned


def _targets(node: ast.AST) -> Iterator[str]:
    targets = getattr(node, "targets", None) or [getattr(node, "target", None)]
    for target in targets:
        for name in ast.walk(target) if target is not None else ():
            if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store):
                yield name.id


def root_name(node: ast.AST) -> str | None:
    """`a` of `a.b[0].c`; None for what hangs on no name."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def dotted_name(node: ast.AST, module: SourceFile, inside: dict[str, str]) -> str | None:
    """The library name that a name or attribute stands for ("numpy.random.normal"), or None."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    head = _imported(node.id, module, inside)
    return None if head is None else ".".join([head, *parts[::-1]])


def _imported(name: str, module: SourceFile, inside: dict[str, str]) -> str | None:
    """What an import binds to `name`: one of the function itself, or of its file."""
    if name in inside:
        return inside[name] or None
    for statement in module.bindings.get(name, ()):
        if isinstance(statement, ast.Import | ast.ImportFrom):
            return _by_statement(statement, name)
    found = module.lookup(name)
    return found.dotted if isinstance(found, Library) else None


def _by_statement(statement: ast.Import | ast.ImportFrom, name: str) -> str | None:
    for alias in statement.names:
        if isinstance(statement, ast.ImportFrom):
            if (alias.asname or alias.name) == name and not statement.level:
                return f"{statement.module}.{alias.name}"
        elif alias.asname == name:
            return alias.name
        elif alias.asname is None and alias.name.split(".")[0] == name:
            return name
    return None
