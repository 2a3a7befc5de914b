"""`dp.private_selection`: a function with mechanisms, run a secret random number of times.

The function is read once per public candidate (or once); all that it spends goes under one
`Selected` node, whose reading pays for every round (`measures.readings`).
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from metricdp.check.domain.samples import close_samples
from metricdp.check.language.interpreter import Interpreter, place
from metricdp.check.source.advice import as_called
from metricdp.check.values import public
from metricdp.check.values.findings import Stop
from metricdp.check.values.objects import Closure, Obj, Range, TupleValue, Value
from metricdp.expr import ONE, ZERO, Expr, num
from metricdp.measures.events import LEAST_STOP, Choice, Selected, Tree
from metricdp.measures.readings import available
from metricdp.record import Requirement
from metricdp.spaces import Scalar

NAME = "private_selection"
HELP = "dp.private_selection(..., stop=0.1)"
#: Most candidates that are read one by one.
_SINGLY = 64


def private_selection(
    interpreter: Interpreter, arguments: Sequence[Obj], keywords: dict[str, Obj], node: ast.AST
) -> Obj:
    """The pair (score, value) of the best round."""
    given = dict(zip(("run", "candidates"), arguments, strict=False)) | keywords
    known = {"run", "candidates", "stop", "shape", "threshold"}
    if len(arguments) > 2 or not given.keys() <= known or not {"run", "stop"} <= given.keys():
        raise _refused(
            interpreter, node, "wrong-arguments", f"`{NAME}` takes a function, public candidates, "
            "`stop=`, and `shape=` or `threshold=`", "a function and `stop=`",
        )  # fmt: skip
    run = interpreter.seen(given["run"])
    if not isinstance(run, Closure):
        raise _refused(
            interpreter, node, "unsupported-call",
            f"`{NAME}` repeats a function that check reads, and this is none",
            "a function of the project, or a lambda", _of_one_function(node),
        )  # fmt: skip
    limit = _public(interpreter, given["stop"], "stop", node)
    shape = _public(interpreter, given["shape"], "shape", node) if "shape" in given else ONE
    if "threshold" in given:
        _threshold(interpreter, given, node)
        shape = ZERO  # what the first round above a threshold costs; see `measures.readings`
    domain = interpreter.domain
    domain.require(_limits(limit, shape), interpreter.module, node)
    # The compiled program gives every round this address.
    interpreter.act(node, NAME, "")
    tree, results = _rounds(interpreter, run, given.get("candidates"), node)
    domain.state.spend(Selected(tree, limit, shape, interpreter.site(node)))
    step = domain.state.step(
        NAME, (), "the best of a secret number of rounds", interpreter.module.span(node),
        bound=f"stop {limit}, shape {shape}", space="released",
    )  # fmt: skip
    score = Value("released", Scalar("Real"), source="computed", step=step)
    value = public.one_of([pair.items[1] for pair in results], "released", step)
    return TupleValue((score, value))


def _threshold(interpreter: Interpreter, given: dict[str, Obj], node: ast.AST) -> None:
    """A number that shows nothing private, in place of `shape`."""
    if "shape" in given:
        raise _refused(
            interpreter, node, "wrong-arguments",
            f"`{NAME}` takes `shape=` or `threshold=`, not both", "one of the two",
            "remove `shape=`",
        )  # fmt: skip
    value = interpreter.seen(given["threshold"])
    if not isinstance(value, Value) or value.private:
        raise _refused(
            interpreter, node,
            "private-argument" if interpreter.has_private(value) else "wrong-arguments",
            f"the threshold of `{NAME}` is no public number", "a public or released number",
            "dp.private_selection(..., threshold=100)",
        )  # fmt: skip


def _limits(limit: Expr, shape: Expr) -> tuple[Requirement, ...]:
    remedy, thinner = (
        f"choose {LEAST_STOP} <= `stop` <= 1: there are 1 / stop rounds",
        "choose -1 < `shape` <= 1",
    )
    return (
        Requirement(limit, ">=", num(LEAST_STOP), "bad-noise", remedy),
        Requirement(limit, "<=", ONE, "bad-noise", remedy),
        Requirement(shape, ">", -ONE, "bad-noise", thinner),
        Requirement(shape, "<=", ONE, "bad-noise", thinner),
    )


def _rounds(
    interpreter: Interpreter, run: Closure, candidates: Obj | None, node: ast.AST
) -> tuple[Tree, list[TupleValue]]:
    """What one round may spend, and what it may return."""
    arguments: list[tuple[Obj, ...]] = [()]
    listed = interpreter.seen(candidates) if candidates is not None else None
    if listed is not None:
        arguments = [(each,) for each in _candidates(interpreter, listed, node)]
    # Candidates that are read one by one have addresses of their own, and noise of their own.
    singly = isinstance(listed, TupleValue) and len(arguments) == len(listed.items)
    state = interpreter.domain.state
    trees: list[Tree] = []
    results: list[TupleValue] = []
    for position, each in enumerate(arguments):
        mark, depth = state.checkpoint(), len(interpreter.path)
        if singly:
            interpreter.path.append(f"{place(node)}#{position}")
        # What a round names is one value in this round alone, of which nobody knows the number.
        round_ = f"_round{state.loop_number()}"
        state.rounds.add(round_)
        interpreter.domain.rounds.append(round_)
        try:
            result = interpreter.call(run, each, interpreter.module, node)
        finally:
            interpreter.domain.rounds.pop()
        del interpreter.path[depth:]
        close_samples(state, mark)
        results.append(_pair(interpreter, result, node))
        spent = state.cut(mark)
        if spent is not None:
            trees.append(spent)
    if not trees:
        raise _refused(
            interpreter, node, "private-argument",
            f"the function given to `{NAME}` adds no noise, so there is nothing to repeat",
            "a function that releases a noisy score", "max(...) over the candidates",
        )  # fmt: skip
    tree = trees[0] if len(trees) == 1 else Choice(tuple(trees))
    if not {"pure", "approx"} & set(available(tree)):
        raise _refused(
            interpreter, node, "infinite-stability",
            "the best of several rounds has no rho, and a mechanism of this function has no "
            "epsilon",
            "mechanisms with an epsilon, or an epsilon and a delta",
            "in the function: dp.gaussian(x, epsilon=eps, delta=delta)",
        )  # fmt: skip
    return tree, results


def _candidates(interpreter: Interpreter, value: Obj, node: ast.AST) -> list[Obj]:
    """The candidates, or one that stands for all; a round draws one uniformly."""
    if interpreter.has_private(value):
        raise _refused(
            interpreter, node, "private-argument",
            f"the candidates of `{NAME}` are private, so the choice would show them",
            "public candidates", "candidates from a literal, a public parameter or a range",
        )  # fmt: skip
    if isinstance(value, TupleValue):
        items = list(value.items)
        interpreter.domain.require(
            (Requirement(num(len(items)), ">=", ONE, "size-mismatch", "give a candidate"),),
            interpreter.module, node,
        )  # fmt: skip
        if len(items) <= _SINGLY:
            return items
        return [Value(public.origin(*items), source="computed")]
    count = value.count if isinstance(value, Range) else None
    if isinstance(value, Value):
        count = public.public_length(value)
    if count is None:
        raise _refused(
            interpreter, node, "unsupported-call",
            f"how many candidates `{NAME}` has is not known as a public expression",
            "a tuple, a range, or a public parameter",
        )  # fmt: skip
    interpreter.domain.require(
        (Requirement(count, ">=", ONE, "size-mismatch", "give a candidate"),),
        interpreter.module,
        node,
    )
    if isinstance(value, Range):
        return [Value("public", Scalar("Int"), source="computed")]
    assert isinstance(value, Value)
    entry = getattr(value.space, "entry", None)
    return [Value(value.origin, entry, source="computed")]


def _pair(interpreter: Interpreter, result: Obj, node: ast.AST) -> TupleValue:
    """(score, value), all of it released or public, and the score a number."""
    if not isinstance(result, TupleValue) or len(result.items) != 2 or result.is_list:
        raise _refused(
            interpreter, node, "unsupported-call",
            f"the function given to `{NAME}` returns no pair",
            "return score, value", "in the function: return score, candidate",
        )  # fmt: skip
    if interpreter.has_private(result):
        raise _refused(
            interpreter, node, "private-return",
            f"the function given to `{NAME}` returns a private value, which the choice would show",
            "a pair of released values",
            "in the function: return dp.laplace(score, epsilon=eps), candidate",
        )  # fmt: skip
    if not isinstance(result.items[0], Value) or not _is_data(result.items[1]):
        raise _refused(
            interpreter, node, "unsupported-call",
            f"the function given to `{NAME}` returns a pair that is no number and value",
            "a number as the score, and data as the value",
            "in the function: return score, candidate",
        )  # fmt: skip
    return result


def _is_data(value: Obj) -> bool:
    if isinstance(value, TupleValue):
        return all(map(_is_data, value.items))
    return isinstance(value, Value)


def _public(interpreter: Interpreter, value: Obj, name: str, node: ast.AST) -> Expr:
    """A public number that is known as an expression, and exact when the program runs."""
    exact = isinstance(value, Value) and not value.private and value.source != "irrational"
    if isinstance(value, Value) and exact and value.origin != "released" and value.expr is not None:
        # Decimals as they were typed, where the run can read them from the guarantee.
        typed = value.typed
        return typed if typed is not None and not typed.symbols else value.expr
    code = "released-cost" if getattr(value, "origin", "") == "released" else "wrong-arguments"
    raise _refused(
        interpreter, node, "private-argument" if interpreter.has_private(value) else code,
        f"`{name}` of `{NAME}` is no public number that is known when checking",
        "a literal or a public parameter",
    )  # fmt: skip


def _of_one_function(node: ast.AST) -> str:
    """What to write for a list of functions: one function, and candidates that it is given."""
    listed = node.args[0] if isinstance(node, ast.Call) and node.args else None
    items = listed.elts if isinstance(listed, ast.List | ast.Tuple) else []
    bodies = [each.body for each in items if isinstance(each, ast.Lambda) and not each.args.args]
    calls = [each for each in bodies if isinstance(each, ast.Call) and len(each.args) == 1]
    names = {ast.unparse(each.func) for each in calls if not each.keywords}
    assert isinstance(node, ast.Call)
    stop = ", ".join(ast.unparse(each) for each in node.keywords)
    if items and len(calls) == len(items) and len(names) == 1:
        given = ", ".join(ast.unparse(each.args[0]) for each in calls)
        return f"dp.{NAME}({names.pop()}, [{given}], {stop})"
    if items and all(isinstance(each, ast.Name) for each in items):
        texts = [f"{ast.unparse(each)}()" for each in items]
        tests = [f"{text} if i == {at} else" for at, text in enumerate(texts[:-1])]
        chosen = " ".join([*tests, texts[-1]])
        return f"dp.{NAME}(lambda i: {chosen}, {list(range(len(texts)))}, {stop})"
    return HELP


def _refused(
    interpreter: Interpreter, node: ast.AST, code: str, message: str, need: str, help: str = HELP
) -> Stop:
    return interpreter.stop(node, code, message, need, as_called(help, node))
