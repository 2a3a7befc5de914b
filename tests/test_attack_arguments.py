"""Arguments that change, or run code of their own, between the charge and the run.

Every attack is deterministic: what another thread could do in between, a hook does at the very
place.  Values are read once, into plain values of our own; whatever is no plain value is refused by
the name of its type.
"""

from __future__ import annotations

import datetime
import decimal
import enum
import functools
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from checked_modules import load
from spies import SEEN, Growing, Liar, Proxy, between, open_session, spied

from metricdp.errors import MetricdpError, ParameterError
from metricdp.plain import plain, scalar, type_name
from metricdp.run.emit import Recording, Seeded, handling

PROGRAMS = """
import numpy as np
from collections.abc import Callable

@dp.measurement
def scaled(x: dp.Real, k: int):
    return dp.laplace(k * x, epsilon=1)

@dp.measurement
def weighed(x: dp.Real, k: float):
    return dp.laplace(k * x, epsilon=1)

@dp.measurement
def noisy(x: dp.Real, scale: float):
    return dp.laplace(x, scale=scale)

@dp.measurement
def many(x: dp.Real, scales: list[float]):
    return [dp.laplace(x, scale=1) for s in scales]

@dp.measurement
def array(x: dp.Real, scales: np.ndarray):
    return [dp.laplace(x, scale=1) for s in scales]

@dp.measurement
def switched(x: dp.Real, flag: bool, label: str):
    if flag:
        return label, dp.laplace(x, scale=1)
    return label, dp.laplace(x, scale=1)

@dp.measurement
def choosing(x: dp.Real, pick: Callable, options: dict[str, float]):
    return dp.laplace(x, scale=1)

@dp.measurement
def counting(rows: dp.Records[float], scales: list[float]):
    return [dp.laplace(dp.count(rows), scale=1) for s in scales]

@dp.measurement
def noisy_count(rows: dp.Records[float], scale: float):
    return dp.laplace(dp.count(rows), scale=scale)

@dp.transformation
def tripled(x: dp.Real, k: int):
    return k * x
"""


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    return load(tmp_path_factory.mktemp("attack"), PROGRAMS)


def _inputs(run: Callable[[], Any]) -> list[Any]:
    """Private inputs of the draws of a run."""
    record = Recording(Seeded(1))
    with handling(record):
        run()
    return [entry.value for entry in record.log]


# -- public numbers of a subclass (they ran their own operators) ----------------------------------


def test_operators_of_a_public_number_are_python_s_own(programs: ModuleType) -> None:
    """`k * x` moved by 10**6 at epsilon 1."""

    class K(int):
        def __mul__(self, other: Any) -> Any:
            return 10**6 * other

        __rmul__ = __mul__

    assert _inputs(lambda: programs.scaled(5.0, k=K(3))) == [15]
    assert programs.tripled(5.0, k=K(3)) == 15


@pytest.mark.parametrize(
    ("name", "base", "value"),
    [("scaled", int, 3), ("weighed", float, 2.5), ("weighed", np.float64, 2.5),
     ("weighed", np.float32, 2.5), ("weighed", Fraction, 2.5), ("scaled", np.int64, 3)],
)  # fmt: skip
def test_no_method_of_a_public_number_runs(
    programs: ModuleType, name: str, base: type, value: Any
) -> None:
    SEEN.clear()
    try:
        given = base.__new__(spied(base), value)
    except TypeError:
        pytest.skip("no such subclass")
    assert _inputs(lambda: getattr(programs, name)(5.0, k=given)) == [5 * Fraction(value)]
    assert getattr(programs, name).at(k=given).map(1) == 1
    assert SEEN == []


def test_texts_and_booleans_go_by_type_and_not_by_name(programs: ModuleType) -> None:
    fake = type("bool", (), {"__bool__": lambda self: SEEN.append("bool") or True})()
    with pytest.raises(ParameterError, match="`flag` is a bool, which is no plain public value"):
        programs.switched(1.0, flag=fake, label="a")
    named = type("str", (str,), {"__add__": lambda self, other: SEEN.append("add")})("a")
    released = programs.switched(1.0, flag=np.True_, label=named).value
    assert released[0] == "a" and type(released[0]) is str
    for wrong in (1, "True", None):
        with pytest.raises(ParameterError, match="bool is declared"):
            programs.switched(1.0, flag=wrong, label="a")


class Level(enum.IntEnum):
    LOW = 3


class Masked(np.ndarray):
    pass


@pytest.mark.parametrize(
    "value",
    [Liar(), Proxy(), object(), (i for i in (1, 2)), iter([1]), np.ma.masked_array([1.0]),
     np.zeros(1).view(Masked), np.array([object()]), np.zeros(1, "f8,f8")[0],
     np.datetime64("2026-01-01"), Fraction.__new__(Fraction), memoryview(b"ab"), bytearray(b"a"),
     np.random.default_rng(0), datetime.datetime(2026, 1, 1, tzinfo=type(
         "Zone", (datetime.tzinfo,), {})())],
    ids=type_name,
)  # fmt: skip
def test_what_is_no_plain_value_is_refused_by_the_name_of_its_type(value: Any) -> None:
    if type(value) is Fraction:
        value._numerator = type("K", (), {})()
    with pytest.raises(ParameterError, match="no plain public value"):
        plain(value, "k")
    with pytest.raises(ParameterError, match="no plain public value"):
        plain([{"deep": (value,)}], "k")


def test_an_enumeration_is_its_number(programs: ModuleType) -> None:
    assert _inputs(lambda: programs.scaled(5.0, k=Level.LOW)) == [15]
    assert type(scalar(Level.LOW)) is int


def test_a_fraction_is_read_from_its_slots() -> None:
    given = Fraction(1, 3)
    found = plain(given, "k")
    given._numerator = 10**9  # type: ignore[attr-defined]
    assert found == Fraction(1, 3)
    zero = Fraction(1, 3)
    zero._denominator = 0  # type: ignore[attr-defined]
    with pytest.raises(ParameterError):
        plain(zero, "k")


def test_plain_values_are_equal_and_ours() -> None:
    inner = [1, 2]
    given = {"a": inner, "b": (inner, {3, 4}), "c": np.array([1.0, 2.0])}
    found = plain(given, "k")
    inner.append(3)
    given["c"][0] = 9
    assert found["a"] == [1, 2] and found["b"] == ([1, 2], {3, 4})
    assert found["c"].tolist() == [1.0, 2.0]
    kept = [None, True, 1, 1.5, "a", b"b", 1j, decimal.Decimal("0.1"), datetime.date(2026, 1, 1)]
    assert plain(kept, "k") == kept
    point = functools.partial(max, 1)
    assert plain(point, "k") is point and plain(max, "k") is max and plain(float, "k") is float
    endless: list[Any] = []
    endless.append(endless)
    with pytest.raises(ParameterError, match="without an end"):
        plain(endless, "k")


@pytest.mark.parametrize("base", [list, tuple, dict, set, frozenset])
def test_containers_of_a_subclass_are_read_by_their_base(base: type) -> None:
    SEEN.clear()
    content = {"a": 1} if base is dict else [1]
    kind = spied(base)
    given = base.__new__(kind, *([content] if base in (tuple, frozenset) else []))
    if base is list:
        list.append(given, 1)
    elif base is set:
        set.add(given, 1)
    elif base is dict:
        dict.__setitem__(given, "a", 1)
    found = plain(given, "k")
    assert type(found) is base and found == base(content) and SEEN == []


# -- read once to charge, again to run ------------------------------------------------------------


def test_a_list_that_grows_after_the_charge_is_drawn_as_it_was_charged(
    programs: ModuleType,
) -> None:
    session, scales = open_session(epsilon=20), [1.0] * 10
    between(session, lambda: scales.extend([1.0] * 90))
    release = session.run(programs.counting, scales=scales)
    assert len(release.draws) == 10 and len(scales) == 100
    assert session.left() == {"epsilon": 10}


def test_a_list_whose_repr_extends_it(programs: ModuleType) -> None:
    session = open_session(epsilon=20)
    release = session.run(programs.counting, scales=Growing([1.0] * 10))
    assert len(release.draws) == 10 and session.left() == {"epsilon": 10}
    assert len(programs.many(1.0, Growing([1.0] * 3)).draws) == 3


@pytest.mark.parametrize("kind", ["array", "list"])
def test_an_array_that_is_written_to_after_the_charge(programs: ModuleType, kind: str) -> None:
    """A 0-d array as `scale: float` was charged at one number and drawn at another."""
    session = open_session(epsilon=1)
    scale = np.array(1000.0)
    between(session, lambda: scale.fill(0.001))
    release = session.run(programs.noisy_count, scale=scale)
    assert [draw.scale for draw in release.draws] == [1000]
    assert session.left() == {"epsilon": Fraction(999, 1000)}


def test_a_map_at_public_numbers_keeps_the_numbers_of_its_cost(programs: ModuleType) -> None:
    scales = [1.0, 1.0]
    measurement = programs.many.at(scales=scales)
    scales.extend([1.0] * 98)
    assert measurement.map(1) == 2
    assert len(measurement(1.0).draws) == 2
    scale = np.array(2.0)
    measured = programs.noisy.at(scale=scale)
    scale.fill(0.001)
    assert measured.map(1) == Fraction(1, 2) and measured(1.0).draws[0].scale == 2


def test_the_run_is_stopped_where_it_is_not_the_one_that_was_charged(
    programs: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A planted difference between the charged numbers and those of the run."""
    from metricdp.checked import function

    session, drawn = open_session(epsilon=1), []
    admitted = function.admitted

    def other(guarantee: Any, bound: Any, *args: Any) -> Any:
        arguments = admitted(guarantee, bound, *args)
        arguments.env["scale"] = Fraction(1, 1000)
        return arguments

    monkeypatch.setattr(function, "admitted", other)
    monkeypatch.setattr(function, "execute", lambda *args: drawn.append(args))
    with pytest.raises(MetricdpError, match="not the one that was charged"):
        session.run(programs.noisy_count, scale=10.0)
    assert drawn == []


def test_names_of_arguments_are_laid_bare(programs: ModuleType) -> None:
    class Name(str):
        def __eq__(self, other: object) -> bool:
            SEEN.append("eq")
            return True

        __hash__ = str.__hash__

    SEEN.clear()
    assert _inputs(lambda: programs.scaled(5.0, **{Name("k"): 3})) == [15]
    with pytest.raises(ParameterError):
        programs.scaled(5.0, **{Name("other"): 3})


def test_a_default_is_read_from_the_source(programs: ModuleType, tmp_path: Path) -> None:
    module = load(
        tmp_path,
        """
        @dp.measurement
        def spread(x: dp.Real, scales: tuple[float, ...] = (1.0, 1.0)):
            return [dp.laplace(x, scale=1) for s in scales]
        """,
    )
    module.spread._function.__defaults__ = (Growing([1.0] * 99),)
    assert len(module.spread(1.0).draws) == 2


def test_what_is_shown_of_an_argument_is_what_was_read(programs: ModuleType) -> None:
    release = programs.choosing(1.0, pick=max, options={"a": np.float64(1.5)})
    assert release.parameters["options"] == ("{'a': 1.5}", "caller")
