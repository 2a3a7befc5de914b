"""`dp.sample`: rows of private containers, drawn afresh and kept secret.

A sample is a fresh source of movement: one row of the sample.  It lives for one round of the loop,
or one run of the function, that draws it; at the end everything that was spent on it is put under
one `Sampled` node, whose reading amplifies once (`measures.readings`).
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

import msgspec

from metricdp.check.domain.entry import joint_movement
from metricdp.check.domain.rising import note_parameter
from metricdp.check.domain.samples import Open
from metricdp.check.language.interpreter import Interpreter
from metricdp.check.source.advice import as_called
from metricdp.check.values.forms import Source, start
from metricdp.check.values.objects import UNKNOWN, AlignedParts, Obj, TupleValue, Value
from metricdp.errors import SpaceError
from metricdp.expr import ONE, ZERO, D, Expr, num
from metricdp.measures.accounted import Scheme
from metricdp.measures.sampling import (
    MOST_DRAWS,
    PoissonSampling,
    SamplingWithoutReplacement,
    SamplingWithReplacement,
)
from metricdp.record import Requirement
from metricdp.spaces import Matrix, Owned, Records, Scalar, Space, Symmetric, Vector
from metricdp.spaces.metrics import Adjacency
from metricdp.spaces.records import adjacency

_RATE = "the rate `q`"
HELP = "dp.sample(rows, q=rate), dp.sample(b, rows), or dp.sample(b, rows, replace=True)"


def draw_sample(
    interpreter: Interpreter, arguments: Sequence[Obj], keywords: dict[str, Obj], node: ast.AST
) -> Obj:
    """`dp.sample(b, X, ...)`, `dp.sample(X, ..., q=q)`, `dp.sample(b, X, ..., replace=True)`."""
    given = [interpreter.seen(argument) for argument in arguments]
    rate = _rate(interpreter, keywords, node)
    size = None if rate is not None or not given else given.pop(0)
    containers = _containers(interpreter, given, node)
    _place(interpreter, node)
    values = [
        v for each in containers for v in (each.parts if isinstance(each, AlignedParts) else [each])
    ]
    rows = _row_count(interpreter, values, node)
    replace = keywords.get("replace")
    scheme = _scheme(interpreter, rate, size, replace, rows, node)
    interpreter.act(node, "sample", scheme.name)
    site, number = interpreter.site(node), interpreter.domain.state.loop_number()
    sources: dict[Source, Source] = {}
    made: list[Value] = []
    parents = [_parent(interpreter, value, node) for value in values]
    for value, parent in zip(values, parents, strict=True):
        kind = _adjacency(value, interpreter)
        row = sources.get(parent)
        if row is None:
            row = sources[parent] = Source("sample", f"{parent.name} at {site}", number)
            interpreter.domain.state.samples.append(Open(row, parent, scheme, kind, site))
        together = parents.count(parent) > 1
        made.append(_sampled(interpreter, value, row, scheme, together, node))
    text = f"{scheme.name} sample, drawn afresh and kept secret"
    step = interpreter.domain.state.step(
        "sample", tuple(v.step for v in values if v.step), text, interpreter.module.span(node),
        bound=", ".join(f"{n} {getattr(scheme, n)}" for n in scheme.__struct_fields__),
        space=str(made[0].space),
    )  # fmt: skip
    made = [msgspec.structs.replace(value, step=step) for value in made]
    if len(made) == 1:
        return made[0]
    aligned = len(sources) == 1 and all(v.form in interpreter.domain.aligned for v in made)
    return AlignedParts(tuple(made)) if aligned else TupleValue(tuple(made))


def _rate(interpreter: Interpreter, keywords: dict[str, Obj], node: ast.AST) -> Expr | None:
    for name in keywords:
        if name not in ("q", "replace"):
            raise interpreter.stop(
                node, "unsupported-keyword", f"`sample` has no `{name}=`", "`q=` or `replace=`",
                HELP,
            )  # fmt: skip
    if "q" not in keywords:
        return None
    if "replace" in keywords:
        raise interpreter.stop(
            node, "wrong-arguments", "Poisson inclusion takes every row at most once",
            "`q=` or `replace=`", HELP,
        )  # fmt: skip
    return _public(interpreter, keywords["q"], _RATE, node)


def _public(interpreter: Interpreter, value: Obj, what: str, node: ast.AST) -> Expr:
    """A public number that is known as an expression, and exact when the program runs."""
    known = isinstance(value, Value) and not value.private and value.source != "irrational"
    if not known or value.expr is None or value.origin == "released":  # type: ignore[union-attr]
        code = "released-cost" if getattr(value, "origin", "") == "released" else "private-argument"
        raise interpreter.stop(
            node, code if interpreter.has_private(value) or code == "released-cost"
            else "wrong-arguments",
            f"{what} of this sample is no public number that is known when checking",
            "a literal or a public parameter",
            as_called("dp.sample(..., q=0.1)", node) if what == _RATE else HELP,
        )  # fmt: skip
    return value.expr  # type: ignore[union-attr]


def _containers(
    interpreter: Interpreter, given: list[Obj], node: ast.AST
) -> list[Value | AlignedParts]:
    found: list[Value | AlignedParts] = []
    for value in given:
        if isinstance(value, AlignedParts) or (isinstance(value, Value) and value.private):
            found.append(value)
            continue
        raise interpreter.stop(
            node, "wrong-arguments", "`sample` draws rows of private containers",
            "records, matrices or vectors of discrete rows", HELP,
        )  # fmt: skip
    if not found:
        raise interpreter.stop(
            node, "wrong-arguments", "`sample` is given no rows", "a private container of rows",
            HELP,
        )  # fmt: skip
    return found


def _place(interpreter: Interpreter, node: ast.AST) -> None:
    if not interpreter.domain.noise_allowed:
        raise interpreter.stop(
            node, "mechanism-in-transformation", "`sample` is random",
            "a transformation without chance", "decorate the function with @dp.measurement",
        )  # fmt: skip
    if interpreter.domain.private_tests:
        raise interpreter.stop(
            node, "private-condition-mechanism",
            "a private condition decides whether rows are sampled here",
            "the same samples whatever the private data", "move the sample out of the branch",
        )  # fmt: skip


def _row_count(interpreter: Interpreter, values: list[Value], node: ast.AST) -> Expr | None:
    """The public number of rows, one for all containers; None if it is private."""
    counts = []
    for value in values:
        space = value.space
        counts.append(space.rows if isinstance(space, Matrix) else getattr(space, "size", None))
    if len(values) > 1 and any(count is None or count != counts[0] for count in counts):
        raise interpreter.stop(
            node, "size-mismatch",
            "these containers are not known to have the same rows",
            "containers with one public number of rows", 'Aligned[A, B], or Size("n") in both',
        )  # fmt: skip
    return counts[0]


def _scheme(
    interpreter: Interpreter, rate: Expr | None, size: Obj | None, replace: Obj | None,
    rows: Expr | None, node: ast.AST,
) -> Scheme:  # fmt: skip
    text = "choose `q` between 0 and 1"
    if rate is not None:
        limits = (
            Requirement(rate, ">=", ZERO, remedy=text),
            Requirement(rate, "<=", ONE, remedy=text),
        )
        interpreter.domain.require(limits, interpreter.module, node)
        return PoissonSampling(rate)
    assert size is not None
    b = _public(interpreter, size, "the size", node)
    if b.is_integer() is not True:
        raise interpreter.stop(
            node, "wrong-arguments", f"{b} is no whole number of rows", "an integer",
            "a parameter of type int",
        )  # fmt: skip
    again = getattr(replace, "literal", False) if replace is not None else False
    if again is UNKNOWN or not isinstance(again, bool):
        raise interpreter.stop(
            node, "wrong-arguments", "`replace` is no literal", "replace=True or replace=False",
            HELP,
        )  # fmt: skip
    if rows is None:
        try:
            SamplingWithoutReplacement(b, b).require("add or remove")
        except SpaceError as error:
            raise interpreter.stop(
                node, "wrong-metric", error.fact, "a public number of rows",
                error.remedy,
            ) from None  # fmt: skip
    assert rows is not None
    needs = [Requirement(b, ">=", ZERO), Requirement(rows, ">=", ONE, remedy="give a row or more")]
    if again:
        remedy = f"draw at most {MOST_DRAWS} rows"
        needs.append(Requirement(b, "<=", num(MOST_DRAWS), remedy=remedy))
    else:
        needs.append(Requirement(b, "<=", rows, remedy="sample no more rows than there are"))
    interpreter.domain.require(tuple(needs), interpreter.module, node)
    return SamplingWithReplacement(b, rows) if again else SamplingWithoutReplacement(b, rows)


def _adjacency(value: Value, interpreter: Interpreter) -> Adjacency:
    person = value.form in interpreter.domain.aligned
    return "replace" if person else adjacency(value.space)


def _parent(interpreter: Interpreter, value: Value, node: ast.AST) -> Source:
    """The source whose rows are the rows of the container, each at distance 1 from any other."""
    assert value.form is not None
    person = interpreter.domain.aligned.get(value.form)
    if person is not None:
        return person
    space, movement = value.space, interpreter.domain.movement(value)
    norm = getattr(space, "norm", "")
    wanted = "L1" if isinstance(space, Vector) else "LInf"
    discrete = getattr(space, "element", "") == "Data" and norm == wanted
    if isinstance(space, Owned):
        text = _last(node)
        raise interpreter.stop(
            node, "unbounded-contribution",
            f"`sample` draws rows, and one {space.whose} may have any number of rows in {text}",
            f"one row of each {space.whose}",
            f'{text} = dp.limit_rows({text}, "{space.column}", 1) before this line',
        )  # fmt: skip
    if not isinstance(space, Records) and not (discrete and isinstance(space, Matrix | Vector)):
        raise interpreter.stop(
            node, "wrong-metric",
            f"`sample` draws rows that are replaced as a whole, and {space} counts something else",
            "Records, Matrix[Data, LInf] or Vector[Data, L1]",
            f"{_last(node)}: dp.Matrix[dp.Data, dp.LInf]",
        )  # fmt: skip
    if len(movement) != 1 or next(iter(movement.values())).get(norm) != D:
        raise interpreter.stop(
            node, "unsupported-call",
            "these rows were computed, so one person may move several of them",
            "rows of which each belongs to one person", "sample the parameter, then compute",
        )  # fmt: skip
    return next(iter(movement))


def _last(node: ast.AST) -> str:
    return ast.unparse(node.args[-1]) if isinstance(node, ast.Call) and node.args else "rows"


def _fixed_size(node: ast.AST) -> str:
    given = [ast.unparse(each) for each in node.args] if isinstance(node, ast.Call) else ["rows"]
    return f"dp.sample({', '.join(['10', *given])})"


def _sampled(
    interpreter: Interpreter,
    value: Value,
    row: Source,
    scheme: Scheme,
    together: bool,
    node: ast.AST,
) -> Value:
    """The container of the sampled rows: one atom that moves with its own source.

    `together`: other rows of the same persons are in the sample.
    """
    domain, space = interpreter.domain, value.space
    assert space is not None and value.form is not None
    person = value.form in domain.aligned
    if isinstance(scheme, PoissonSampling):
        if person and (together or getattr(space, "element", "Data") != "Data"):
            raise interpreter.stop(
                node, "unsupported-call",
                "a Poisson sample has a private number of rows, and aligned rows need a public one",
                "one table whose rows hold all that belongs to a person, or a sample without"
                " replacement", _fixed_size(node),
            )  # fmt: skip
        # Rows of one container, each a person's: present or not, like any records.
        fresh: Space = _unsized(space)
        drawn = domain.private(fresh, domain.state.atom(fresh, start(fresh, row)))
        note_parameter(domain.rising, drawn, row)
        return drawn
    size = scheme.drawn
    field = "rows" if isinstance(space, Matrix) else "size"
    fresh = msgspec.structs.replace(space, **{field: size})
    if person:
        atom = domain.state.atom(fresh, {row: joint_movement(fresh)})
        domain.aligned[atom] = row
        return domain.private(fresh, atom)
    return domain.private(fresh, domain.state.atom(fresh, start(fresh, row)))


def _unsized(space: Space) -> Records:
    """Rows whose number is private."""
    if isinstance(space, Records):
        return Records(space.row, Symmetric.name, None, space.drop_nan)
    if isinstance(space, Matrix):
        return Records(space.row)
    assert isinstance(space, Vector)
    return Records(Scalar("Data", space.lo, space.hi, "float"))
