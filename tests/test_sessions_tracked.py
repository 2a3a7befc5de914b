"""Tracked values: bounds equal to the checker's, values equal to the run's, all else shut."""

from __future__ import annotations

import copy
import math
import pickle
import random
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from checked_modules import HEAD, load

import metricdp as dp
from metricdp.errors import MetricdpError, ParameterError, TrackedError
from metricdp.expr import compare
from metricdp.record import REGISTRY
from metricdp.run.machine import Machine, plain
from metricdp.run.pins import Pins
from metricdp.sessions.graph import evaluate

ROWS = [1.0, 0.5, 77.25, -3.0, 4.0]
VECTOR = [0.5, -2.0, 7.0]
#: Annotation of x, data, and a straight-line program of it.
PROGRAMS: list[tuple[str, Any, str]] = [
    ("dp.Records[float]", ROWS, "dp.sum(dp.clamp(x, 0, 20))"),
    ("dp.Records[float]", ROWS, "dp.sum(dp.clamp(x, -5, 20)) - dp.sum(dp.clamp(x, 0, 20))"),
    ("dp.Records[float]", ROWS, "3 * dp.count(x) + 0.5 * dp.sum(dp.clamp(x, 0, 1))"),
    ("dp.Records[float]", ROWS, "dp.count(lambda v: v < 1, x)"),
    ("dp.Records[float]", ROWS, "dp.count(x, lambda v: dp.clamp(v, 0, 5) >= 2)"),
    ("dp.Records[float]", ROWS, "dp.sum(dp.clamp(dp.filter(lambda v: v > 0, x), 0, 9))"),
    ("dp.Records[float, dp.ChangeOne]", ROWS, "dp.mean(dp.clamp(x, 0, 20))"),
    ("dp.Records[float, dp.ChangeOne]", ROWS, "dp.sum(dp.clamp(x, -5, 20)) / 7"),
    ("Real", 2.5, "2 * x - 2 * x + dp.clamp(x, 0, 3)"),
    ("Real", 2.5, "abs(-(x / 4)) + dp.sqrt(dp.clamp(x, 1, 4))"),
    ("Real", 2.5, "np.maximum(np.exp(dp.clamp(x, 0, 1)), 2 * dp.clamp(x, 0, 1))"),
    ("Real", 2.5, "dp.clamp(x, 0, 3) * dp.clamp(x, -2, 2)"),
    ("Real", 2.5, "math.floor(x) + round(x)"),
    ("dp.Vector[Real, L1]", VECTOR, "dp.sum(dp.clip(x, L1, radius=2))"),
    ("dp.Vector[Real, L1]", VECTOR, "dp.clip(x, L2, radius=3)"),
    ("dp.Vector[Real, L1]", VECTOR, "2 * x - x"),
    ("dp.Vector[Real, LInf]", VECTOR, "np.sum(np.clip(x, 0, 1))"),
    ("dp.Vector[Real, L1]", VECTOR, "x[1] + dp.dot(x, (1, 2, 3))"),
    ("dp.Vector[Data, L1]", VECTOR, "dp.count(lambda v: v > 0, x)"),
]
IDS = [f"{i}" for i in range(len(PROGRAMS))]


def opened(annotation: str, data: Any) -> dp.Session:
    names = {"dp": dp, "Real": dp.Real, "Data": dp.Data, "L1": dp.L1, "LInf": dp.LInf}
    space = eval(annotation, names)
    return dp.Session({"x": (space, data)}, budget=dp.Budget(epsilon=10))


def tracked(session: dp.Session, expression: str) -> Any:
    names = {"dp": dp, "np": np, "math": math, "L1": dp.L1, "L2": dp.L2, "x": session["x"]}
    return eval(expression, names)


@pytest.mark.parametrize(("annotation", "data", "expression"), PROGRAMS, ids=IDS)
def test_bound_and_value_are_those_of_the_checked_program(
    tmp_path: Path, annotation: str, data: Any, expression: str
) -> None:
    head = HEAD + "import math\nimport numpy as np\n"
    body = f"@dp.transformation\ndef program(x: {annotation}):\n    return {expression}\n"
    program = load(tmp_path, body, head).program
    (entry,) = program.guarantee.data.private()
    numbers = {"len_x": len(data)} if isinstance(data, list) else {}
    static = entry.stability.subs({n: dp.expr.num(v) for n, v in numbers.items()})
    session = opened(annotation, data)
    found = tracked(session, expression)
    assert compare(found.bound, "<=", static) is True, (found.bound, static)
    assert found.bound == static
    value = evaluate(found._node, {"x": session._tables["x"].admitted}, Machine(_none, Pins()))
    assert _plain(value) == _plain(program(data))


def _none(*args: Any) -> Any:
    raise AssertionError("no noise")


def _plain(value: Any) -> Any:
    found = plain(value)
    return [float(v) for v in found] if hasattr(found, "__len__") else float(found)


def test_noise_and_cost_are_those_of_the_checked_program(tmp_path: Path) -> None:
    body = """
    @dp.measurement
    def program(x: dp.Records[float], eps: float):
        return dp.laplace(dp.sum(dp.clamp(x, 0, 20)), epsilon=eps)
    """
    program = load(tmp_path, body).program
    session = opened("dp.Records[float]", ROWS)
    release = dp.laplace(tracked(session, "dp.sum(dp.clamp(x, 0, 20))"), epsilon=0.3)
    static = program(ROWS, eps=0.3)
    assert release.privacy == static.privacy
    assert release.draws[0].scale == static.draws[0].scale == Fraction(200, 3)
    assert session.left() == {"epsilon": Fraction(97, 10)}


def test_two_tables_have_a_bound_each_and_pay_together() -> None:
    tables = {"a": (dp.Records[float], ROWS), "b": (dp.Records[float], ROWS)}
    session = dp.Session(tables, budget=dp.Budget(epsilon=10), unit=dp.Unit(a=1, b=3))
    both = dp.sum(dp.clamp(session["a"], 0, 2)) + dp.sum(dp.clamp(session["b"], 0, 10))
    assert {name: str(bound) for name, bound in both.bounds.items()} == {
        "a": "2*d_in",
        "b": "10*d_in",
    }
    with pytest.raises(TrackedError, match="bounds"):
        _ = both.bound
    # One unit moves the sum by 2 + 3 * 10 = 32; the noise is for a single table at distance 1.
    release = dp.laplace(both, scale=64)
    assert release.draws[0].noise_scale == 64
    assert session.left() == {"epsilon": Fraction(10) - Fraction(32, 64)}
    dp.laplace(both, epsilon=0.5)
    assert session.left() == {"epsilon": Fraction(19, 2) - Fraction(32, 20)}


SHUT: list[Any] = [
    float, int, bool, complex, len, list, iter, str, hash, bytes, "{}".format, print,
    lambda x: 1 if x < 2 else 3, lambda x: x and 1, lambda x: not x, lambda x: 0 < x < 1,
    lambda x: x in [1, 2], lambda x: 1 in x, lambda x: {x: 1}, lambda x: f"{x}",
    lambda x: [1, 2, 3][x], lambda x: x["row"], lambda x: x[1:], copy.copy,
    copy.deepcopy, pickle.dumps, lambda x: x.sum(), lambda x: x.value, lambda x: x.__dict__,
    lambda x: x.tolist(), np.array, np.asarray, np.median, np.argmax, np.add.reduce,
    lambda x: np.add(x, 1, out=np.zeros(1)), lambda x: np.zeros(3) + x, math.sqrt, math.sin,
    lambda x: round(x, 2), lambda x: divmod(x, 2), lambda x: range(x), lambda x: x << 1,
    lambda x: x ^ 1, reversed, sorted, min, max, lambda x: min(x, 1), lambda x: x(),
    lambda x: x.__setitem__(0, 1), set, dict, lambda x: np.sum(x, axis=0), lambda x: next(x),
    lambda x: x + object(), lambda x: x + {"a": 1},
]  # fmt: skip


@pytest.mark.parametrize("position", range(len(SHUT)))
@pytest.mark.parametrize("name", ["scalar", "table"])
def test_every_operation_without_a_rule_is_a_typed_error(name: str, position: int) -> None:
    session = opened("dp.Records[float]", [13.5, 77.0])
    x = session["x"] if name == "table" else dp.sum(dp.clamp(session["x"], 0, 20))
    with pytest.raises((TrackedError, TypeError)) as caught:
        SHUT[position](x)
    text = str(caught.value)
    assert "13.5" not in text
    assert "33.5" not in text
    if SHUT[position] not in (sorted, print):
        assert isinstance(caught.value, TrackedError) or "Tracked" in text, text


def test_what_a_tracked_value_shows_is_public() -> None:
    session = opened("dp.Records[float]", [13.5, 77.0])
    x = dp.sum(dp.clamp(session["x"], 0, 20))
    assert repr(x) == "<tracked Real; moves by x: 20*d_in>"
    assert not hasattr(x, "value")
    assert not hasattr(x, "__dict__")
    with pytest.raises(TrackedError, match=r"write dp\.sum\(x\)"):
        _ = x.sum


def test_a_row_does_not_leave_its_function() -> None:
    session = opened("dp.Records[float]", ROWS)
    kept: list[Any] = []

    def test(row: Any) -> Any:
        kept.append(row)
        return row < 1

    dp.count(test, session["x"])
    assert len(kept) == 1, "a function of rows is called once, on a formal row"
    for escape in (kept[0], dp.sum(dp.clamp(session["x"], 0, 1)) + dp.clamp(kept[0], 0, 1)):
        with pytest.raises(TrackedError, match="row outside of its function"):
            dp.laplace(dp.clamp(escape, 0, 1), scale=1)
    with pytest.raises(TrackedError):
        dp.count(lambda row: dp.laplace(dp.clamp(row, 0, 1), scale=1) < 1, session["x"])
    assert session.left() == {"epsilon": Fraction(10)}


def test_rows_with_fields(tmp_path: Path) -> None:
    from dataclasses import dataclass

    @dataclass
    class Person:
        age: float
        member: bool

    people = [Person(31, True), Person(70, False), Person(64, True)]
    session = dp.Session({"people": (dp.Records[Person], people)}, budget=dp.Budget(epsilon=10))
    old = dp.count(lambda p: (p.age > 60) & p.member, session["people"])
    assert str(old.bound) == "d_in"
    machine = Machine(_none, Pins())
    tables = {"people": session._tables["people"].admitted}
    assert evaluate(old._node, tables, machine) == 1
    with pytest.raises(TrackedError, match="field"):
        dp.count(lambda p: p.income > 3, session["people"])


def test_functions_of_rows_may_capture_tracked_and_public_values() -> None:
    session = opened("Real", 2.5)
    limit = 3
    x = dp.clamp(session["x"], 0, limit)
    assert str((x + limit).bound) == "d_in"
    other = opened("Real", 2.5)
    with pytest.raises(TrackedError, match="two sessions"):
        _ = x + other["x"]


def test_requirements_and_unbounded_values_are_refused_before_anything_is_spent() -> None:
    session = opened("dp.Records[float]", ROWS)
    with pytest.raises(TrackedError, match="clamp"):
        dp.laplace(dp.sum(session["x"]), epsilon=0.1)
    total = dp.sum(dp.clamp(session["x"], 0, 20))
    with pytest.raises((TrackedError, ParameterError)):
        dp.laplace(total, epsilon=-0.1)
    with pytest.raises((TrackedError, ParameterError)):
        dp.laplace(total, scale=0)
    with pytest.raises(TrackedError):
        dp.report_noisy_max([total, total], epsilon=0.1)
    assert session.left() == {"epsilon": Fraction(10)}
    assert len(session.ledger) == 1


def test_release_of_a_vector_and_of_categories() -> None:
    session = opened("dp.Vector[Real, L1]", VECTOR)
    release = dp.laplace(dp.clip(session["x"], dp.L1, radius=1), scale=10)
    assert np.asarray(release.value).shape == (3,)
    # A clip to an L1 ball moves by at most twice its argument.
    assert session.left() == {"epsilon": Fraction(10) - Fraction(2, 10)}
    flag = opened("dp.Bool", True)
    answer = dp.randomized_response(flag["x"], epsilon=1)
    assert answer.value in (True, False)
    assert flag.left() == {"epsilon": Fraction(9)}


def test_other_mechanisms_are_refused_or_paid_for() -> None:
    """Every mechanism of the registry on every table: a typed error and no spend, or a release."""
    session = dp.Session(FIRST, budget=dp.Budget(rho=10**6))
    released = 0
    for record in [r for r in REGISTRY.values() if r.kind == "mechanism"]:
        for name in FIRST:
            for keywords in ({"epsilon": 1}, {"scale": 3}, {"rho": 1}, {"eps": 1, "s": 1}):
                for x in (session[name], *_bounded(session, name)):
                    before = len(list(session.ledger.rows()))
                    try:
                        result = session._work.apply(record, [x], keywords)
                    except MetricdpError:
                        assert len(list(session.ledger.rows())) == before, (record.name, name)
                    else:
                        assert isinstance(result, dp.Release)
                        released += 1
    assert released >= 20
    assert session.ledger.verify() == 1 + 2 * len(
        [row for row in session.ledger.rows() if row.kind == "spend"]
    )


def _bounded(session: dp.Session, name: str) -> list[Any]:
    try:
        return [dp.clamp(session[name], 0, 1), dp.sum(dp.clamp(session[name], 0, 1))]
    except MetricdpError:
        return []


def test_a_released_number_goes_on_as_a_public_one() -> None:
    session = opened("dp.Records[float]", ROWS)
    total = dp.sum(dp.clamp(session["x"], 0, 20))
    first = dp.laplace(total, epsilon=0.5)
    again = total - first
    assert str(again.bound) == "20*d_in"


FIRST = {
    "s": (dp.Real, 1.5), "i": (dp.Int, 3), "b": (dp.Bool, True),
    "v": (dp.Vector[dp.Real, dp.L1], [0.5, -2.0, 7.0]),
    "d": (dp.Vector[dp.Data, dp.L1], [1.0, 2.0, 3.0]),
    "r": (dp.Records[float], [1.0, 2.0, 3.5]),
    "c": (dp.Records[float, dp.ChangeOne], [1.0, 2.0, 3.5]),
    "m": (dp.Matrix[dp.Real, dp.L1], [[1.0, 2.0], [3.0, 4.0]]),
    "t": (dp.Records[str], ["a", "b"]),
    "g": (dp.Gradient[dp.Real, dp.L2], [1.0, 2.0]),
}  # fmt: skip
#: Other data of the same schema: all that is public about both is the same.
SECOND = {
    "s": (dp.Real, -9.25), "i": (dp.Int, -8), "b": (dp.Bool, False),
    "v": (dp.Vector[dp.Real, dp.L1], [9.5, 3.0, 7.25]),
    "d": (dp.Vector[dp.Data, dp.L1], [4.0, 2.0, 9.0]),
    "r": (dp.Records[float], [8.25] * 7),
    "c": (dp.Records[float, dp.ChangeOne], [5.0, 8.0, 1.5]),
    "m": (dp.Matrix[dp.Real, dp.L1], [[9.0, 8.0], [7.0, 6.5]]),
    "t": (dp.Records[str], ["z"] * 5),
    "g": (dp.Gradient[dp.Real, dp.L2], [7.0, 9.0]),
}  # fmt: skip
PUBLIC: list[Any] = [
    1, 2.5, 0, -1, "L1", True, None, (1, 2, 3), (1,), "a", lambda v: v, lambda v: v < 1,
    lambda v: dp.clamp(v, 0, 1), lambda v: 3, lambda v: True, Fraction(1, 3),
]  # fmt: skip


def test_no_rule_on_any_arguments_tells_two_data_sets_apart() -> None:
    """Random applications of every record: the same public result, bound or message for both."""
    rng = random.Random(7)
    sessions = [dp.Session(d, budget=dp.Budget(epsilon=1)) for d in (FIRST, SECOND)]
    tracked_results = 0
    machine = Machine(_none, Pins())
    for record in list(REGISTRY.values()):
        for _ in range(60):
            spec = [
                rng.choice([("table", rng.choice(list(FIRST))), ("bounded", rng.choice("sivdrcm")),
                            ("public", rng.choice(PUBLIC))])
                for _ in range(rng.choice([1, 1, 2, 2, 3]))
            ]  # fmt: skip
            if all(kind == "public" for kind, _ in spec):
                continue
            found = [_applied(session, record, spec) for session in sessions]
            assert found[0][0] == found[1][0], (record.name, spec)
            if found[0][1] is None:
                continue
            ends = set()
            for session, (_, result) in zip(sessions, found, strict=True):
                tables = {name: t.admitted for name, t in session._tables.items()}
                try:
                    evaluate(result._node, tables, machine)
                    tracked_results += 1
                    ends.add("")
                except (TypeError, ValueError) as error:  # arguments of a wrong type
                    ends.add(type(error).__name__)
            assert len(ends) == 1, (record.name, spec)
    assert tracked_results > 500
    assert [s.left() for s in sessions] == [{"epsilon": Fraction(1)}] * 2


def _applied(session: dp.Session, record: Any, spec: Any) -> tuple[str, Any]:
    """What an application shows, and the tracked result if there is one."""
    if record.kind == "mechanism":
        spec = [each for each in spec if each[0] != "public"]  # refused, never released
    arguments = [
        value if kind == "public" else session[value] if kind == "table"
        else dp.clamp(session[value], -3, 3)
        for kind, value in spec
    ]  # fmt: skip
    try:
        result = session._work.apply(record, arguments, {})
    except MetricdpError as error:
        return f"refused: {error}", None
    except TypeError as error:  # a function of the caller with another number of arguments
        return f"raised: {error}", None
    if isinstance(result, dp.Tracked):
        return f"tracked: {result!r}", result
    return f"public: {result!r}", None
