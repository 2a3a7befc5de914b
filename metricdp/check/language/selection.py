"""Mechanisms that choose: their functions are read once per candidate or query, as scores.

A rule sees the scores as one vector in LInf, whose movement is the largest of any score.  Where
scores are compared with each other, what all of them share (equal terms of their affine forms)
cancels and is left out, and the movement is half of how far they move apart (`domain.apart`);
answers that are compared with a threshold keep all of it.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

import msgspec

from metricdp.check.domain.apart import of_forms, of_vector
from metricdp.check.domain.rising import one_direction
from metricdp.check.language.binding import as_closure
from metricdp.check.language.interpreter import Interpreter
from metricdp.check.source.advice import as_called
from metricdp.check.values import public
from metricdp.check.values.forms import Form, Source, describe_bounds
from metricdp.check.values.objects import (
    Builtin,
    Closure,
    Library,
    Obj,
    Primitive,
    Range,
    TupleValue,
    Value,
)
from metricdp.expr import Expr, maximum, num
from metricdp.record import Record
from metricdp.spaces import Scalar, Vector

#: Most candidates whose scores are read one by one; more are read as one candidate like all.
_SINGLY = 64
_NOTHING = Value("public", literal=None, source="literal")


def chooses(record: Record) -> str:
    """What a mechanism chooses among ("candidates", which a function scores, "scores" or
    "queries"); "" for any other record."""
    return "" if record.family is None else record.family.chooses


def with_scores(
    interpreter: Interpreter, record: Record, given: dict[str, Obj], node: ast.AST
) -> dict[str, Obj]:
    """The arguments with functions and lists of private numbers replaced by vectors of scores."""
    if chooses(record) == "scores":
        scores = given["scores"]
        _monotone(interpreter, record, given, getattr(scores, "items", (scores,)), node)
        given = _unsaid(given)
        if isinstance(scores, TupleValue):
            stacked = _stacked(interpreter, record, scores.items, node, apart=True)
            return {**given, "scores": stacked}
        if isinstance(scores, Value) and scores.form is not None:
            return {**given, "scores": _compared(interpreter, scores)}
        return given
    if chooses(record) == "queries" and "candidates" in given:
        mark = interpreter.domain.state.unknowns
        candidates, size = _candidates(interpreter, given["candidates"], node)
        data = given.get("data", _NOTHING)
        answers = [
            _call(interpreter, record, "queries", given["queries"], data, node, c)
            for c in candidates
        ]
        alike = size is None or num(len(candidates)) != size
        scores = _stacked(interpreter, record, answers, node, mark if alike else None, size)
        read = {**given, "queries": scores, "data": _NOTHING, "candidates": _NOTHING}
        return _directed(interpreter, record, read, answers, node)
    if chooses(record) == "queries":
        queries = given["queries"]
        if _are_answers(queries):
            if "data" in given:
                raise interpreter.stop(
                    node, "wrong-arguments",
                    f"the answers of `{record.name}` are numbers already, and read no data",
                    "answers, or functions of the data", "remove the data",
                )  # fmt: skip
            if not isinstance(queries, TupleValue):
                return _directed(interpreter, record, {**given, "data": _NOTHING}, (), node)
            stacked = _stacked(interpreter, record, queries.items, node)
            read = {**given, "queries": stacked, "data": _NOTHING}
            return _directed(interpreter, record, read, queries.items, node)
        if not isinstance(queries, TupleValue):
            raise interpreter.stop(
                node, "unsupported-call",
                "`above_threshold` reads its queries from their source, and this is no list of "
                "functions or numbers",
                "a list of functions of the data, or of private numbers",
                as_called("dp.above_threshold([lambda d: dp.count(d)], ...)", node),
            )  # fmt: skip
        data = given.get("data", _NOTHING)
        answers = [_call(interpreter, record, "queries", q, data, node) for q in queries.items]
        scores = _stacked(interpreter, record, answers, node)
        read = {**given, "queries": scores, "data": _NOTHING}
        return _directed(interpreter, record, read, answers, node)
    for name in ("candidates", "score"):
        if name not in given:
            raise interpreter.stop(
                node, "wrong-arguments", f"`{record.name}` needs `{name}`",
                "public candidates, and a function that scores one of them",
                "dp.exponential_mechanism(candidates=(1, 2), score=score, epsilon=eps)",
            )  # fmt: skip
    mark = interpreter.domain.state.unknowns
    candidates, size = _candidates(interpreter, given["candidates"], node)
    found = [_call(interpreter, record, "score", given["score"], c, node) for c in candidates]
    alike = size is None or num(len(candidates)) != size
    _monotone(interpreter, record, given, found, node)
    apart = "s" not in given  # a claim about every score
    given = _unsaid(given) if apart else given
    scores = _stacked(interpreter, record, found, node, mark if alike else None, size, apart)
    return {**given, "score": scores, "candidates": _NOTHING}


def _are_answers(queries: Obj) -> bool:
    """Whether queries are what they give already: a private vector, or a list of numbers."""
    if isinstance(queries, TupleValue):
        return bool(queries.items) and all(isinstance(q, Value) for q in queries.items)
    return isinstance(queries, Value) and queries.private


def _monotone(
    interpreter: Interpreter,
    record: Record,
    given: dict[str, Obj],
    scores: Sequence[Obj],
    node: ast.AST,
) -> None:
    """Half the noise is enough where one more record moves all scores the same way."""
    claim = given.get("monotone")
    if claim is None or getattr(claim, "literal", None) is False:
        return
    if not _in_one_direction(interpreter, record, scores, node):
        raise interpreter.stop(
            node, "requirement-fails",
            f"`{record.name}` is told that its scores are monotone, and one more record may raise "
            "one of them and lower another",
            "scores that are counts, or sums of numbers >= 0, of records that are added or removed",
            f"dp.{record.name}(...) without monotone=True",
        )  # fmt: skip


def _unsaid(given: dict[str, Obj]) -> dict[str, Obj]:
    """Without `monotone`, which was shown: how far scores move apart says it already."""
    if not isinstance(getattr(given.get("monotone"), "literal", None), bool):
        return given
    return {name: value for name, value in given.items() if name != "monotone"}


def _in_one_direction(
    interpreter: Interpreter, record: Record, scores: Sequence[Obj], node: ast.AST
) -> bool:
    values = [_number(interpreter, record, score, node) for score in scores]
    forms = [value.form for value in values if value.form is not None]
    return one_direction(interpreter.domain.rising, forms)


def _directed(
    interpreter: Interpreter, record: Record, given: dict[str, Obj], answers: Sequence[Obj],
    node: ast.AST,
) -> dict[str, Obj]:  # fmt: skip
    """Answers that are compared with a threshold, and whether they all move one way.

    Args:
        answers: one by one; none where they are entries of a vector, which move either way.
    """
    _monotone(interpreter, record, given, answers or (given["queries"],), node)
    one_way = bool(answers) and _in_one_direction(interpreter, record, answers, node)
    if "monotone" not in given and one_way:
        return {**given, "monotone": Value("public", literal=True, source="literal")}
    return given


def _compared(interpreter: Interpreter, scores: Value) -> Value:
    """Entries of one vector as scores that are compared with each other."""
    domain = interpreter.domain
    bounds = {s: of_vector(m) for s, m in domain.movement(scores).items() if "LInf" in m}
    if len(bounds) < len(domain.movement(scores)) or scores.space is None:
        return scores
    atom = domain.state.atom(scores.space, bounds, domain.state.regions(scores.form or Form(())))
    return msgspec.structs.replace(scores, form=atom)


def chosen(
    interpreter: Interpreter, record: Record, candidates: Obj, result: Value, several: bool = False
) -> Obj:
    """What the mechanism returns: a candidate, or a position as it stands.

    Args:
        several: a list of positions, of which there may be fewer than asked for.
    """
    if several:
        return Value("released", source="list", step=result.step)
    if chooses(record) == "queries":  # None where no answer is above
        return msgspec.structs.replace(result, holds=public.OPTIONAL)
    if chooses(record) != "candidates":
        return result
    items, _ = _candidates(interpreter, candidates, None)
    if len(items) == 1 and isinstance(items[0], Value):
        space = items[0].space or public.number_space(items[0])
        return msgspec.structs.replace(result, space=space)
    return public.one_of(items, "released", result.step)


def _candidates(interpreter: Interpreter, value: Obj, node: Any) -> tuple[list[Obj], Expr | None]:
    """Candidates to score, and how many there are; one that stands for all where they are many."""
    if isinstance(value, TupleValue) and not interpreter.has_private(value):
        size = num(len(value.items))
        if len(value.items) <= _SINGLY:
            return list(value.items), size
        return [Value(public.origin(*value.items), source="computed")], size
    if isinstance(value, Range) and value.start.expr is not None:
        count = value.count.as_fraction()
        if count is not None and count <= _SINGLY:
            numbers = [value.start.expr + i * value.step for i in range(int(count))]
            return [public.public_count(number) for number in numbers], num(count)
        any_one = interpreter.domain.state.unknown(integer=bool(value.start.expr.is_integer()))
        return [Value("public", expr=any_one, source="computed")], value.count
    if isinstance(value, Value) and not value.private:
        entry = getattr(value.space, "entry", None)
        if isinstance(entry, Scalar) and entry.element == "Data":
            entry = msgspec.structs.replace(entry, kind="str")  # a public sequence of texts
        return [Value(value.origin, entry, source="computed")], public.public_length(value)
    raise interpreter.stop(
        node, "private-argument",
        "the candidates of this mechanism are private, so the choice would show them",
        "public candidates", "candidates from a literal, a public parameter or a range",
    )  # fmt: skip


def _call(
    interpreter: Interpreter,
    record: Record,
    name: str,
    function: Obj,
    argument: Obj,
    node: ast.AST,
    *more: Obj,
) -> Obj:
    """What one function returns for one argument, or for more of them."""
    if isinstance(function, Primitive | Builtin | Library):
        function = as_closure(interpreter, function, node, record, name)
    if not isinstance(function, Closure):
        raise interpreter.stop(
            node, "unsupported-call",
            f"`{record.name}` needs functions as `{name}`, and this is none",
            "a lambda or a function of the project", "lambda candidate: ...",
        )  # fmt: skip
    state = interpreter.domain.state
    mark = state.checkpoint()
    interpreter.domain.scoring += 1
    try:
        result = interpreter.call(function, (argument, *more), interpreter.module, node)
    finally:
        interpreter.domain.scoring -= 1
    if state.cut(mark) is not None or len(state.samples) > mark[6]:
        raise interpreter.stop(
            node, "mechanism-in-loop",
            f"a function given to `{record.name}` adds noise of its own",
            "functions without mechanisms", f"release the value before `{record.name}`",
        )  # fmt: skip
    return result


def _number(interpreter: Interpreter, record: Record, value: Obj, node: ast.AST) -> Value:
    if isinstance(value, Value) and isinstance(value.space, Scalar | None):
        return interpreter.domain.lifted(value, interpreter.module, node)
    raise interpreter.stop(
        node, "unsupported-call",
        f"`{record.name}` compares numbers, and one of its scores is no number",
        "one number per candidate or query", "dp.sum(...) of a vector, or one score per field",
    )  # fmt: skip


def _stacked(
    interpreter: Interpreter, record: Record, items: Sequence[Obj], node: ast.AST,
    unknowns: int | None = None, size: Expr | None = None, apart: bool = False,
) -> Value:  # fmt: skip
    """Private numbers as one vector in LInf.

    Args:
        unknowns: one item stands for all; symbols made after this count may differ between them.
        size: how many there are, where that is not the number of items.
        apart: they are compared with each other, and nothing else is said of how they move.
    """
    if items and not any(interpreter.has_private(item) for item in items):
        raise interpreter.stop(
            node, "private-argument",
            f"`{record.name}` hides private scores, and all of these are public",
            "a score that depends on private values",
            "compare them without a mechanism: nothing is hidden",
        )  # fmt: skip
    values = [_number(interpreter, record, item, node) for item in items]
    domain = interpreter.domain
    forms = [v.form or Form(()) for v in values]
    # Where one stands for all, rows may move others that it says nothing of.
    regions = domain.state.regions_of(forms) if unknowns is None else {}
    if unknowns is None and len(forms) > 1 and chooses(record) != "queries":
        shared = set(forms[0].terms).intersection(*(form.terms for form in forms[1:]))
        forms = [Form(tuple(t for t in f.terms if t not in shared), f.constant) for f in forms]
    bounds: dict[Source, dict[str, Expr]] = {}
    if apart:
        bounds, forms = of_forms(domain.state, domain.rising, forms), []
    for form in forms:
        for source, movement in domain.state.movement(form).items():
            known = bounds.setdefault(source, {}).get("LInf")
            here = movement[""]
            bounds[source]["LInf"] = here if known is None else maximum(known, here)
    if unknowns is not None:
        _same_for_all(interpreter, record, bounds, unknowns, node)
    data = any(getattr(v.space, "element", "") == "Data" for v in values)
    count = num(len(items)) if unknowns is None else size
    space = Vector("Data" if data else "Real", "LInf", count)
    text = describe_bounds(bounds, space)
    words = (
        "scores; but for what moves all alike, each moves by" if apart else "scores; each moves by"
    )
    step = domain.state.step(
        "scores", tuple(v.step for v in values if v.step), f"{words} {text}",
        interpreter.module.span(node), bound=text, space=str(space),
    )  # fmt: skip
    why = next((v.why for v in values if v.why is not None), None)
    return domain.private(space, domain.state.atom(space, bounds, regions), step, why)


def _same_for_all(
    interpreter: Interpreter,
    record: Record,
    bounds: dict[Source, dict[str, Expr]],
    unknowns: int,
    node: ast.AST,
) -> None:
    late = {f"_public{i}" for i in range(unknowns + 1, interpreter.domain.state.unknowns + 1)}
    for movement in bounds.values():
        if movement["LInf"].symbols & late:
            raise interpreter.stop(
                node, "infinite-stability",
                f"how far a score of `{record.name}` moves depends on the candidate, and the "
                "candidates are many or not known",
                "one bound for every candidate",
                "in the function: return dp.clamp(score, lower, upper)",
            )  # fmt: skip
