"""Black boxes at run time: fresh copies, public defaults, and nothing that escapes."""

from __future__ import annotations

import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from checked_modules import load

from metricdp.errors import ParameterError
from metricdp.expr import num
from metricdp.run.boxes import Copies, admitted, argument, filled, quietly
from metricdp.spaces import Gradient, Matrix, Scalar, Vector

TWO = Vector("Data", "LInf", num(2))

HEAD = """
import functools, sys, warnings, logging
from typing import Annotated
import numpy as np
import metricdp as dp
from metricdp import Data, LInf, L1, L2, Matrix, Records, Size, Vector, Bounds
"""


def outcome(function: Any, args: list[Any], keywords: dict[str, Any], space: Any) -> Any:
    """What a call of a box gives, as a run asks for it."""
    return quietly(lambda: admitted(space, function(*args, **keywords)))


@pytest.mark.parametrize(
    "wrong",
    [
        [1.0],
        [1.0, 2.0, 3.0],
        [[1.0], [2.0]],
        [[1.0, 2.0], [3.0]],
        None,
        "ab",
        ["a", "b"],
        [1.0, "b"],
        [1.0, None],
        [1j, 2.0],
        {"a": 1.0, "b": 2.0},
        5.0,
        object(),
        (x for x in (1.0, 2.0)),
        np.zeros((2, 1)),
        np.array([1j, 2]),
        np.array(["a", "b"]),
        np.array([object(), object()]),
    ],
)
def test_what_is_not_in_the_space_is_the_default(wrong: Any) -> None:
    assert outcome(lambda: wrong, [], {}, TWO) is None
    assert list(filled(TWO, 0)) == [0, 0]


def test_what_is_in_the_space_is_made_finite_and_copied() -> None:
    kept = np.array([np.nan, np.inf])
    found = outcome(lambda: kept, [], {}, TWO)
    kept[:] = 7
    assert list(found) == [0, Fraction(sys.float_info.max)]
    huge = outcome(lambda: [10**400, -(10**400)], [], {}, TWO)
    assert list(huge) == [Fraction(sys.float_info.max), -Fraction(sys.float_info.max)]
    own = [True, np.float32(2)]
    found = outcome(lambda: own, [], {}, TWO)
    own.clear()
    assert list(found) == [1, 2]


def test_defaults_have_the_declared_shape_and_keep_the_bounds() -> None:
    matrix = Matrix("Data", "LInf", num(2), num(3))
    assert [list(row) for row in filled(matrix, -1)] == [[-1] * 3] * 2
    assert outcome(lambda: [[1, 2, 3]], [], {}, matrix) is None
    assert outcome(lambda: np.zeros((3, 2)), [], {}, matrix) is None
    assert filled(Matrix("Data", "LInf", num(0), num(3)), 0).cols == 3
    assert filled(Scalar("Int", num(3), num(5)), 0) == 3
    assert filled(Scalar("Data", kind="str"), "none") == "none"
    assert list(filled(Vector("Real", "L1", num(2), num(1), num(4)), 9)) == [4, 4]
    assert list(filled(Gradient("Data", "L2", num(3)), 0)) == [0, 0, 0]
    ball = Vector("Real", "L2", num(2), radius=(("L2", num(1)),))
    assert list(outcome(lambda: [1e300, 0.0], [], {}, ball)) == [1, 0]


def test_text_is_no_number_and_numbers_are_no_text() -> None:
    assert outcome(lambda: "7", [], {}, Scalar("Data")) is None
    assert outcome(lambda: 7, [], {}, Scalar("Data", kind="str")) is None
    assert outcome(lambda: "7", [], {}, Scalar("Data", kind="str")) == "7"
    assert outcome(lambda: [7], [], {}, Scalar("Data")) is None


class Hostile:
    """Code of the box that runs while its result is read."""

    def __float__(self) -> float:
        raise SystemExit("secret")

    dtype = property(lambda self: sys.exit("secret"))


class Own(BaseException):
    pass


@pytest.mark.parametrize(
    "error", [ValueError("secret"), SystemExit("secret"), GeneratorExit(), Own(), MemoryError()]
)
def test_exceptions_of_every_kind_are_the_default(error: BaseException) -> None:
    def failing(row: Any) -> Any:
        raise error

    assert outcome(failing, [[1]], {}, TWO) is None
    assert outcome(lambda: [Hostile(), 1.0], [], {}, TWO) is None
    assert outcome(lambda: Hostile(), [], {}, TWO) is None


def test_a_person_can_stop_a_box_and_no_frame_of_it_escapes() -> None:
    def stopped(row: Any) -> Any:
        raise KeyboardInterrupt("secret")

    with pytest.raises(KeyboardInterrupt) as caught:
        outcome(stopped, [[1]], {}, TWO)
    assert not caught.value.args and caught.value.__context__ is None
    names = [entry.name for entry in caught.traceback]
    assert "stopped" not in names


def test_nothing_that_a_box_says_escapes(capfd: pytest.CaptureFixture[str]) -> None:
    import logging
    import warnings

    def loud() -> list[float]:
        print("secret")
        print("secret", file=sys.stderr)
        warnings.warn("secret", stacklevel=1)
        logging.getLogger("box").critical("secret")
        np.seterr(all="raise")
        return [1.0, float(np.float64(1) / np.float64(0))]

    before = np.geterr(), logging.root.manager.disable, sys.stdout
    outcome(loud, [], {}, TWO)
    assert (np.geterr(), logging.root.manager.disable, sys.stdout) == before
    assert capfd.readouterr() == ("", "")


def test_arguments_are_copies_that_reach_nothing_of_the_program() -> None:
    array, nested = np.arange(3.0), [[1, 2], (3, [4])]
    seen = argument([array, nested])
    with pytest.raises(ValueError, match="read-only"):
        seen[0][0] = 9
    with pytest.raises(ValueError, match="WRITEABLE"):
        seen[0].setflags(write=True)
    seen[1][0].append(5)
    seen[1][1][1].append(5)
    assert nested == [[1, 2], (3, [4])] and array[0] == 0
    assert not np.shares_memory(seen[0], array)


STATEFUL = """
counts = {"calls": 0}
total = 0
kept = np.zeros(1)


def by_dictionary(row):
    counts["calls"] += 1
    return counts["calls"]


def by_global(row):
    global total
    total += row
    return total


def by_default(row, seen=[]):
    seen.append(row)
    return len(seen)


def by_attribute(row):
    by_attribute.calls = getattr(by_attribute, "calls", 0) + 1
    return by_attribute.calls


def helper(row):
    counts["calls"] += 1
    return counts["calls"]


def by_helper(row):
    return helper(row)


@functools.lru_cache
def first(_):
    return counts["calls"]


def by_cache(row):
    counts["calls"] += 1
    return first(0)


def closing():
    calls = []

    def inside(row):
        calls.append(row)
        return len(calls)

    return inside


by_closure = closing()


class Model:
    def __init__(self):
        self.calls = 0

    def __call__(self, row):
        self.calls += 1
        return self.calls


by_object = Model()
by_method = Model().__call__
by_partial = functools.partial(lambda seen, row: seen.append(row) or len(seen), [])
"""


@pytest.mark.parametrize(
    "name",
    "dictionary global default attribute helper cache closure object method partial".split(),
)
def test_a_box_with_memory_starts_anew_for_every_row(tmp_path: Path, name: str) -> None:
    module = load(tmp_path, STATEFUL, HEAD)
    function = getattr(module, f"by_{name}")
    copies = Copies(function)
    assert [copies.fresh()(1) for _ in range(3)] == [1, 1, 1]
    assert copies.shared == []
    # The program's own objects are as they were.
    assert module.counts == {"calls": 0} and module.total == 0
    remembers = [function(1) for _ in range(3)]
    assert name == "cache" or remembers != [1, 1, 1]


def test_what_cannot_be_copied_is_named(tmp_path: Path) -> None:
    import threading

    module = load(tmp_path, "lock = None\ndef locked(row):\n    return lock\n", HEAD)
    module.lock = threading.Lock()
    copies = Copies(module.locked)
    assert copies.shared == ["lock"]


PROGRAM = """
class Counter:
    def __init__(self):
        self.calls = 0

    def __call__(self, row):
        self.calls += 1
        return [self.calls, row[0]]


def plain(row):
    if row[0] > 5:
        raise ValueError(row)
    if row[0] > 4:
        raise SystemExit(row)
    return [1.0, 1.0] if row[0] > 3 else "text"


numbered = dp.black_box(returns=Annotated[Vector[Data, LInf], Size(2)])(Counter())
shaky = dp.black_box(returns=Annotated[Vector[Data, LInf], Size("k")], default=-2)(plain)
short = dp.black_box(returns=Annotated[Vector[Data, LInf], Size(2)])(lambda row: [row[0], 0])


@dp.black_box(returns=Annotated[Data, Bounds(0, 9)])
def first(record, weights):
    return record[0] + weights[0]


@dp.transformation
def rows_numbered(rows: Matrix[Data, LInf]):
    total = 0.0
    for row in rows:
        total += dp.undisc(dp.clip(numbered(row), L1, radius=100))
    return total


@dp.transformation
def rows_shaky(rows: Matrix[Data, LInf], k: int):
    total = 0.0
    for row in rows:
        total += dp.undisc(dp.clip(shaky(row), L1, radius=100))
    return total


@dp.transformation
def rows_short(rows: Matrix[Data, LInf]):
    total = 0.0
    for row in rows:
        total += dp.undisc(dp.clip(short(row), L1, radius=100))
    return total


@dp.measurement
def released(records: Records[Vector[Data, LInf]], weights: np.ndarray):
    total = 0.0
    for record in records:
        total += dp.undisc(dp.clamp(first(record, weights), 0, 9))
    return dp.laplace(total, scale=9)
"""


@pytest.mark.filterwarnings("ignore::metricdp.errors.BoxWarning")
def test_checked_programs_with_boxes_run_as_they_were_proved(tmp_path: Path) -> None:
    module: Any = load(tmp_path, PROGRAM, HEAD)
    assert list(module.rows_numbered([[5.0], [6.0], [7.0]])) == [3, 18]
    assert list(module.rows_shaky([[6.0], [4.5], [3.5], [1.0]], k=2)) == [-5, -5]
    # Every size that the caller chooses has a value; a result of another size is the default.
    assert list(module.rows_shaky([[3.5]], k=3)) == [-2, -2, -2]
    with pytest.raises(ParameterError, match="k >= 0"):
        module.rows_shaky([[3.5]], k=-1)
    assert list(module.rows_short([[5.0], [6.0]])) == [11, 0]
    found = module.rows_numbered.outcome
    assert "the source of numbered is not read" in found.guarantee.rests_on
    # The private sum, by its neighbours: one record more moves it by at most 9.
    import metricdp as dp

    weights = np.zeros(1)
    sums = []
    for data in ([[3.0], [4.0]], [[3.0], [4.0], [100.0]], [[3.0]]):
        recorder = dp.Recording(dp.Seeded(1))
        with dp.handling(recorder):
            module.released(np.array(data), weights)
        sums.append(Fraction(recorder.log[0].value))
    assert sums == [7, 16, 3] and not weights.any()


def test_a_box_that_was_rebound_does_not_run(tmp_path: Path) -> None:
    module: Any = load(tmp_path, PROGRAM, HEAD)
    module.short = lambda row: [9.0, 9.0]
    with pytest.raises(Exception, match="short"):
        module.rows_short([[5.0]])
