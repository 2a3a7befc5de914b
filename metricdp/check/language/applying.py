"""Records of the registry, applied to arguments as they are written.

A mechanism over several private numbers and vectors is given a tuple, which enters as one vector.

Stability.  When one source moves the numbers by d_1, ..., d_k, it moves the vector of them by
d_1 + ... + d_k in L1, by sqrt(d_1^2 + ... + d_k^2) in L2 and by max d_i in LInf.  A vector stands
for its entries: in each norm it counts with what it moves in that norm.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from functools import partial

import msgspec

from metricdp.check.domain import groups, replaced_vectors
from metricdp.check.domain.by_row import containers, within
from metricdp.check.domain.movements import together
from metricdp.check.domain.privacy import PrivacyDomain
from metricdp.check.domain.state import CheckState, rewrite
from metricdp.check.language import nested, totality
from metricdp.check.language.binding import FOLD_ROWS, REDUCE_COLS, bind_rule
from metricdp.check.language.interpreter import Interpreter, Nodes
from metricdp.check.language.selection import chooses, chosen, with_scores
from metricdp.check.values import gradients, public
from metricdp.check.values.arrays import ARRAY, OF_ARRAYS, Shape, of_axes
from metricdp.check.values.forms import Form, Movement, Source, all_norms, describe_bounds
from metricdp.check.values.objects import (
    AlignedParts,
    BlackBox,
    Builtin,
    Closure,
    Constant,
    External,
    Library,
    Obj,
    Primitive,
    Range,
    TupleValue,
    Value,
)
from metricdp.check.values.regions import Region, union
from metricdp.expr import ONE, ZERO, D, Expr, best
from metricdp.measures.events import Spent
from metricdp.record import REGISTRY, Record
from metricdp.run.rewrite import MAP
from metricdp.spaces import Matrix, Owned, Records, Scalar, Space, Vector
from metricdp.spaces.norms import NORM_NAMES, NORMS

_NORMS = frozenset(f"metricdp.{name}" for name in NORM_NAMES)
_TYPES = ("float", "int", "bool", "str")


def apply(
    interpreter: Interpreter, record: Record, arguments: list[Obj], keywords: dict[str, Obj],
    node: ast.AST, nodes: Nodes, keyword_nodes: dict[str, ast.expr],
) -> Obj:  # fmt: skip
    """Apply a record to positional and keyword arguments."""
    found = _applied(interpreter, record, arguments, keywords, node, nodes, keyword_nodes)
    if record.kind == "mechanism":
        interpreter.domain.drawn.draws(found)
        _named(interpreter, record, arguments, keywords, found, node)
    return found


def _named(
    interpreter: Interpreter, record: Record, arguments: list[Obj], keywords: Mapping[str, Obj],
    found: Obj, node: ast.AST,
) -> None:  # fmt: skip
    """Name a number that a run releases once: it may bound what is released after it."""
    domain, site = interpreter.domain, interpreter.site(node)
    again = domain.rounds or interpreter.heap.rounds or domain.decided or domain.scoring
    if again or "?" in site:
        return
    if isinstance(found, Value) and found.origin == "released" and public.is_number(found):
        if "#" in site:
            domain.drawn.in_round(found, site)
            return
        domain.drawn.release(found, site, _at_least_zero(record, arguments, keywords))


#: Mechanisms that release a number among public ones, or between public ones -> that argument.
_AMONG = {"interval_quantile": "lower", "private_quantile": "candidates"}


def _at_least_zero(record: Record, arguments: list[Obj], keywords: Mapping[str, Obj]) -> bool:
    """Whether what a mechanism releases is never below 0."""
    if record.name not in _AMONG:
        return False
    public_ones = keywords.get(_AMONG[record.name], arguments[1] if len(arguments) > 1 else None)
    items = public_ones.items if isinstance(public_ones, TupleValue) else (public_ones,)
    known = [getattr(item, "expr", None) for item in items]
    return all(expr is not None and expr.sign() in ("0", "+", ">=0") for expr in known)


def _applied(
    interpreter: Interpreter, record: Record, arguments: list[Obj], keywords: dict[str, Obj],
    node: ast.AST, nodes: Nodes, keyword_nodes: dict[str, ast.expr],
) -> Obj:  # fmt: skip
    if record.kind == "mechanism":
        interpreter.handed_on([*arguments, *keywords.values()], node)
    arguments = [interpreter.seen(a) for a in arguments]
    keywords = {name: interpreter.seen(a) for name, a in keywords.items()}
    given, order, texts, permutation = bind_rule(
        interpreter, record, arguments, keywords, node, nodes, keyword_nodes
    )
    if record.name == FOLD_ROWS or record.name == REDUCE_COLS:
        from metricdp.check.language.rules_as_loops import fold_rows, over_columns

        if record.name == FOLD_ROWS:
            return fold_rows(interpreter, given, node)
        if (noisy := over_columns(interpreter, given, node)) is not None:
            return noisy
    _of_two_axes(interpreter, record, given, node)
    values, stands = several(interpreter, record, given), ""
    if values is not None and nested.is_nested(values):
        stands = nested.how_it_stands(values) or ""
        if not stands:
            raise _no_numbers(interpreter, record, node)
    _act(interpreter, record, node, permutation, nodes, stands)
    totality.arguments(interpreter, record, given, node)
    if chooses(record):
        return _selected(interpreter, record, given, node, texts)
    given = _listed(given)
    if values is not None:
        around = values
        if stands:
            values = TupleValue(tuple(nested.values_of(values)))
        given = {**given, _ARGUMENT: joined(interpreter, record, values, node)}
        state, mark = interpreter.domain.state, len(interpreter.domain.state.trace)
        result = interpreter.domain.apply(record, given, interpreter.module, node, texts, order)
        found = released(state, values, result, mark)
        if not stands:
            return found
        assert isinstance(found, TupleValue)
        return nested.put_around(interpreter, around, [*found.items])
    for name, value in given.items():
        _plain_argument(interpreter, record, name, value, node)
    if (axes := matrix_axes(record, given)) is not None:
        return _noisy_matrix(interpreter, record, given, axes, node, texts, order)
    result = interpreter.domain.apply(record, given, interpreter.module, node, texts, order)
    if not result.private and (known := gradients.of_public(record.name, given, result.origin)):
        return known
    if isinstance(result.space, Records | Owned):
        interpreter.domain.state.enforced.append((interpreter.site(node), result.space.row))
    if held := containers(given):
        _of_rows(interpreter, record, given, held, result, node)
    return result


def _of_two_axes(
    interpreter: Interpreter, record: Record, given: dict[str, Obj], node: ast.AST
) -> None:
    """Raises:
    Stop: a record that is not known to do to an array with two axes what NumPy does.
    """
    held = [v for v in given.values() if isinstance(v, Value) and v.private]
    if not any(getattr(v.space, "shape", ()) for v in held):
        return
    builtin = record.name == "sum" and isinstance(getattr(node, "func", None), ast.Name)
    norm = record.name == "norm" and len(given) > 1
    adds = record.family is not None and record.family.adds
    if (record.name in OF_ARRAYS or adds) and not builtin and not norm:
        return
    raise interpreter.stop(
        node, "unsupported-call",
        f"`{record.name}` of a private array with two axes has no rule",
        "operations on all of its entries, or noise", "arrays with one axis, one per row of it",
    )  # fmt: skip


def _of_rows(
    interpreter: Interpreter,
    record: Record,
    given: dict[str, Obj],
    held: list[Value],
    result: Value,
    node: ast.AST,
) -> None:
    """Note whether a record goes through rows one by one."""
    notes, site = interpreter.domain.by_row, interpreter.site(node)
    functions = [notes.found[site, f"{record.name} {name}"] for name in record.formals
                 if isinstance(given.get(name), Closure)]  # fmt: skip
    if functions or any(isinstance(v.space, Records | Owned) for v in held):
        interpreter.of_rows.add(node)
    if isinstance(result.space, Records | Owned) and _moved(record, node):
        what = within(result.space.row)
    else:
        what = notes.table(record, given, result)
    notes.note((site, record.name), interpreter.module, node, what)
    if any(each.listed for each in functions) or what:
        notes.lists(result)


def _moved(record: Record, node: ast.AST) -> bool:
    """Whether a run moves what this gives into its space."""
    return record.name == MAP or isinstance(node, ast.ListComp | ast.GeneratorExp | ast.SetComp)


def _selected(
    interpreter: Interpreter,
    record: Record,
    given: dict[str, Obj],
    node: ast.AST,
    texts: dict[str, str],
) -> Obj:
    """A mechanism that chooses among public candidates, by scores."""
    scored = _listed(with_scores(interpreter, record, given, node))
    for name, value in scored.items():
        _plain_argument(interpreter, record, name, value, node)
    result = interpreter.domain.apply(record, scored, interpreter.module, node, texts)
    count = getattr(getattr(scored.get("scores"), "space", None), "size", None)
    if count is not None and isinstance(result.space, Scalar):
        interpreter.domain.state.positions[result.step] = count
    return chosen(interpreter, record, given.get("candidates", result), result, "reports" in given)


def _listed(given: dict[str, Obj]) -> dict[str, Obj]:
    """Arguments with the numbers of a range in its place."""
    return {k: public.listed(v) if isinstance(v, Range) else v for k, v in given.items()}


def _act(
    interpreter: Interpreter,
    record: Record,
    node: ast.AST,
    permutation: tuple[int, ...] | None,
    nodes: Nodes,
    stands: str,
) -> None:
    """Note the record that a node applies; a node that stands for no call of its own has none.

    Args:
        stands: how the numbers of a mechanism stand in containers; "" for one vector or number.
    """
    if None in nodes or node in nodes:
        return
    if isinstance(node, ast.ListComp | ast.GeneratorExp | ast.SetComp):
        interpreter.act(node, "rows", "")
    elif isinstance(node, ast.Compare):
        # `a < b <= c` applies two records at one node; its own operators say which.
        interpreter.act(node, "compare", "")
    elif stands:
        interpreter.act(node, "nested", f"{record.name}:{stands}", permutation)
    else:
        kind = "mechanism" if record.kind == "mechanism" else "primitive"
        interpreter.act(node, kind, record.name, permutation)


def _plain_argument(
    interpreter: Interpreter, record: Record, name: str, value: Obj, node: ast.AST
) -> None:
    """Rules see numbers and containers; nothing private may hide in anything else."""
    if isinstance(value, External):
        raise interpreter.stop(node, value.code, value.reason, "a known value", "name it")
    if isinstance(value, Value | Constant) or _is_word(name, value):
        return
    if isinstance(value, Closure | Primitive | BlackBox) and name in record.formals:
        return
    if isinstance(value, TupleValue) and not interpreter.has_private(value):
        return
    kind = (
        "several values at once" if isinstance(value, TupleValue | AlignedParts) else "a function"
    )
    if isinstance(value, Library | Builtin):
        kind = "a function or a type"
    raise interpreter.stop(
        node, "unsupported-call", f"`{record.name}` is given {kind}",
        "one number or one container per argument",
        _one_value(record, name, value, node),
    )  # fmt: skip


def _are_numbers(value: Obj) -> bool:
    """Whether it is a tuple or a list of single numbers of one row."""
    if not isinstance(value, TupleValue) or value.names or value.kind:
        return False
    return all(
        isinstance(item, Value) and getattr(item.space, "element", "") == "Real"
        for item in value.items
    )


def _one_value(record: Record, name: str, value: Obj, node: ast.AST) -> str:
    """What to write where a list, a function or a type stands for one value."""
    first = node.args[0] if isinstance(node, ast.Call) and node.args else None
    if record.kind != "mechanism" and first is not None and name == "x" and _are_numbers(value):
        return f"an array of these numbers: np.array({ast.unparse(first)})"
    if record.name == "sort" and isinstance(first, ast.expr):
        noisy = f"[dp.laplace(v, epsilon=eps) for v in {ast.unparse(first)}]"
        return f"noise first, and then the order: sorted({noisy})"
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


_ARGUMENT = "x"


def matrix_axes(record: Record, given: Mapping[str, Obj]) -> Shape | None:
    """Rows and columns of the matrix of numbers that noise is added to, if it is one."""
    value = given.get(_ARGUMENT)
    space = value.space if isinstance(value, Value) and value.private else None
    adds = record.family is not None and record.family.adds
    if not adds or not isinstance(space, Matrix) or space.element == "Data":
        return None
    assert space.rows is not None and space.cols is not None
    return space.rows, space.cols


def _noisy_matrix(
    interpreter: Interpreter, record: Record, given: dict[str, Obj], axes: Shape, node: ast.AST,
    texts: dict[str, str], order: tuple[str, ...],
) -> Value:  # fmt: skip
    """Noise on the entries of a matrix, row by row; what is released is an array of its shape."""
    domain, module = interpreter.domain, interpreter.module
    flat = domain.apply(REGISTRY["flatten"], {"m": given[_ARGUMENT]}, module, node, {})
    mark = len(domain.state.trace)
    result = domain.apply(record, {**given, _ARGUMENT: flat}, module, node, texts, order)
    trace = domain.state.trace
    trace[mark:] = [rewrite(each, partial(_in_axes, axes)) for each in trace[mark:]]
    element = getattr(result.space, "element", "Real")
    space = msgspec.structs.replace(of_axes(axes), element=element)
    return msgspec.structs.replace(result, space=space, holds=ARRAY if element == "Real" else "")


def _in_axes(axes: Shape, leaf: Spent) -> Spent:
    return msgspec.structs.replace(leaf, event=msgspec.structs.replace(leaf.event, shape=axes))


def several(interpreter: Interpreter, record: Record, given: dict[str, Obj]) -> TupleValue | None:
    """The tuple of private numbers that a mechanism is given, if it is given one."""
    value = given.get(_ARGUMENT)
    adds = record.family is not None and record.family.adds
    return (
        value if adds and isinstance(value, TupleValue) and interpreter.has_private(value) else None
    )


def joined(interpreter: Interpreter, record: Record, values: TupleValue, node: ast.AST) -> Value:
    """The vector of a tuple of numbers."""
    domain = interpreter.domain
    if values.names:
        raise _no_numbers(interpreter, record, node)
    items: list[Value] = []
    for item in values.items:
        known = domain.lifted(item, interpreter.module, node) if isinstance(item, Value) else None
        if known is None or not _is_part(known, values):
            raise _no_numbers(interpreter, record, node)
        items.append(known)
    bounds: dict[Source, list[tuple[Region, Movement]]] = {}
    for item in items:
        assert item.space is not None
        form = item.form or Form(())
        rows = domain.state.regions(form)
        for source, movement in domain.state.movement(form).items():
            moves_by = _norms([all_norms(item.space, movement)])
            bounds.setdefault(source, []).append((rows.get(source), moves_by))
    moves = {
        source: _of_one_row(domain, items, source, together(each, _norms))
        for source, each in bounds.items()
    }
    regions = {source: union(region for region, _ in each) for source, each in bounds.items()}
    own = {source: _alone(domain, items, source, found) for source, found in moves.items()}
    moves = {s: own[s] if regions[s] is None else m for s, m in moves.items()}
    elements = {getattr(item.space, "element", "") for item in items}
    element = "Data" if "Data" in elements else "Real" if "Real" in elements else "Int"
    space = Vector(element, "L2", sum((_size(item) for item in items), ZERO))
    text = describe_bounds(own, space)
    step = domain.state.step(
        "several", tuple(v.step for v in items if v.step), f"{space}; moves by {text}",
        interpreter.module.span(node), bound=text, space=str(space),
    )  # fmt: skip
    why = next((v.why for v in items if v.why is not None), None)
    form = domain.state.atom(space, moves, regions)
    if own != moves:
        domain.state.alone[form.terms[0][0]] = dict(own)
    replaced_vectors.note(domain.state, form, [item.form for item in items])
    return domain.private(space, form, step, why)


def _of_one_row(
    domain: PrivacyDomain, items: Sequence[Value], source: Source, together: Movement
) -> Movement:
    """How far a vector moves; of sums over rows that come and go, what one of them does."""
    if source not in domain.state.come:
        return together
    forms = [i.form for i in items if i.form is not None and source in domain.movement(i)]
    found = replaced_vectors.vector_of(domain.state, forms, source)
    if found is None:
        return together
    less = {}
    for norm, bound in together.items():
        late = found.come[norm].symbols - bound.symbols
        hidden = any(name.startswith("_") for name in late)  # an end that only a run knows
        less[norm] = bound if hidden else best([bound, found.come[norm] * D])
    return less


def _alone(
    domain: PrivacyDomain, items: Sequence[Value], source: Source, together: Movement
) -> dict[str, Expr]:
    """How far a vector moves where nothing else shares the unit."""
    if domain.adds.get(source) is not False:
        return dict(together)
    about = [item for item in items if source in domain.movement(item)]
    forms = [item.form for item in about if item.form is not None]
    parts = [
        _norms([all_norms(item.space, domain.alone(item)[source])])
        for item in about
        if item.space is not None
    ]
    rows = [domain.state.regions(form).get(source) for form in forms]
    by_group = groups.vector(domain.groups.values(), list(zip(rows, parts, strict=True)))
    replaced = source in domain.state.replaced
    whole = replaced_vectors.moves(
        replaced_vectors.vector_of(domain.state, forms, source) if replaced else None
    )
    options: list[Movement] = [_norms(parts), whole, by_group]
    return {n: best([b, *(o[n] for o in options if n in o)]) for n, b in together.items()}


def released(state: CheckState, values: TupleValue, result: Value, mark: int) -> Obj:
    """What the mechanism returns: as many items as the tuple has, a vector for a list.

    Args:
        mark: where what the mechanism spent begins in the trace.
    """
    parts = tuple(getattr(getattr(item, "space", None), "size", None) for item in values.items)
    if any(part is not None for part in parts):
        state.trace[mark:] = [rewrite(t, partial(_in_parts, parts)) for t in state.trace[mark:]]
    if values.is_list:
        return result
    items = []
    for item in values.items:
        held = getattr(item, "space", None)
        # One real number among them makes the noise of all of them real.
        element = getattr(result.space, "element", "Real")
        space: Space = Scalar(element)
        if isinstance(held, Vector):
            space = Vector(element, "LInf", held.size)
        items.append(Value("released", space, step=result.step))
    return TupleValue(tuple(items))


def _in_parts(parts: tuple[Expr | None, ...], leaf: Spent) -> Spent:
    return msgspec.structs.replace(leaf, event=msgspec.structs.replace(leaf.event, parts=parts))


def _is_part(item: Value, values: TupleValue) -> bool:
    """A number; or, in a tuple, whose items keep their shapes, a vector."""
    if isinstance(item.space, Vector):
        return not values.is_list and item.space.size is not None
    return isinstance(item.space, Scalar)


def _size(item: Value) -> Expr:
    size = item.space.size if isinstance(item.space, Vector) else None
    return ONE if size is None else size


def _norms(parts: Sequence[Movement]) -> dict[str, Expr]:
    if len(parts) == 1:
        return {norm: _in(parts[0], norm) for norm in NORMS}
    return {
        name: norm.combined([_in(part, name) for part in parts]) for name, norm in NORMS.items()
    }


def _in(part: Movement, norm: str) -> Expr:
    """What one item moves in a norm: a number moves alike in all of them."""
    return part[""] if "" in part else part[norm]


def _no_numbers(interpreter: Interpreter, record: Record, node: ast.AST) -> Exception:
    return interpreter.stop(
        node, "unsupported-call",
        f"`{record.name}` is given several values at once, and not all of them are numbers",
        "private numbers, in lists, tuples and dictionaries, or one container",
        "add noise to each value",
    )  # fmt: skip
