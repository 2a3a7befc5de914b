"""Bad input to a checked function: a typed error that names the place, the fact and the remedy.

Private data never show: not in a message, not in a chained exception, not in a local variable of
any frame of the traceback.
"""

from __future__ import annotations

import math
import traceback
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, TracebackType
from typing import Any

import numpy as np
import pytest
from checked_modules import load

import metricdp as dp
from metricdp.errors import (
    DataValueError,
    MetricdpError,
    ParameterError,
    PostProcessingError,
    SchemaError,
    SpaceError,
)

PROGRAMS = """
from typing import Annotated

@dp.measurement
def total(x: dp.Records[float], eps: float):
    return dp.laplace(dp.sum(dp.clamp(x, 0, 20)), epsilon=eps)


@dp.measurement
def bounded(x: dp.Records[float], low: float, high: float, eps: float):
    return dp.laplace(dp.sum(dp.clamp(x, low, high)), epsilon=eps)


@dp.measurement
def scaled(x: dp.Records[float], b: float):
    return dp.laplace(dp.count(x), scale=b)


@dp.measurement
def gauss(x: dp.Records[float], eps: float, delta: float):
    return dp.gaussian(dp.count(x), epsilon=eps, delta=delta)


@dp.measurement
def classical(x: dp.Records[float], eps: float, delta: float):
    return dp.gaussian_mechanism(1, eps, delta, dp.count(x))


@dp.measurement
def zcdp(x: dp.Records[float], rho: float):
    return dp.gaussian(dp.count(x), rho=rho)


@dp.measurement
def integers(x: dp.Records[int], eps: float):
    return dp.laplace(dp.sum(dp.clamp(x, 0, 9)), epsilon=eps)


@dp.measurement
def flags(x: dp.Records[bool], eps: float):
    return dp.laplace(dp.count(lambda b: b, x), epsilon=eps)


@dp.measurement
def names(x: dp.Records[str], eps: float):
    return dp.laplace(dp.count(lambda s: s == "a", x), epsilon=eps)


@dp.measurement
def declared(x: dp.Records[Annotated[float, dp.Bounds(0, 20)]], eps: float):
    return dp.laplace(dp.sum(x), epsilon=eps)


@dp.measurement
def mean(x: dp.Records[Annotated[float, dp.Bounds(0, 20)], dp.ChangeOne], eps: float):
    return dp.laplace(dp.mean(x), epsilon=eps)


@dp.measurement
def matrix(m: dp.Matrix[Real, L1], eps: float):
    return dp.laplace(dp.sum_rows(m), epsilon=eps)


@dp.measurement
def pair(x: dp.Aligned[dp.Vector[Data, LInf], dp.Vector[Data, LInf]], eps: float):
    a, b = x
    first, second = dp.undisc(dp.clamp(a[0], 0, 1)), dp.undisc(dp.clamp(b[0], 0, 1))
    return dp.laplace(first + second, epsilon=eps)


@dp.measurement
def two(x: dp.Vector[Real, L1], y: dp.Vector[Real, L1], eps: float):
    return dp.laplace(x + y, epsilon=eps)


@dp.measurement
def weighted(x: dp.Vector[Real, L1], w: tuple[float, ...], eps: float):
    return dp.laplace(sum(x), epsilon=eps)


@dp.measurement
def public(x: dp.Records[float], n: int, flag: bool, name: str, eps: float):
    return dp.laplace(dp.count(x), epsilon=eps), n, flag, name


@dp.transformation
def exactly(x: dp.Vector[Real, L1]):
    return sum(x)
"""

#: A number that occurs nowhere but in the private data.
SECRET = 123454321.625
X = [SECRET, SECRET, 1.0]


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    return load(tmp_path_factory.mktemp("bad"), PROGRAMS)


class Unread:
    """Data that must not be touched: every look at them fails the test."""

    def __getattribute__(self, name: str) -> Any:
        if name == "__class__":
            return type(self)
        raise AssertionError(f"the data were read: {name}")


Case = tuple[str, Callable[[Any], Any], type[MetricdpError], str]

#: Refused on public facts alone, before any look at the data.
BEFORE_DATA: list[Case] = [
    ("total", lambda f: f(Unread(), eps=0.0), ParameterError, "eps > 0"),
    ("total", lambda f: f(Unread(), eps=-1.0), ParameterError, "eps = -1"),
    ("total", lambda f: f(Unread(), eps=math.nan), ParameterError, "nan is no finite number"),
    ("total", lambda f: f(Unread(), eps=math.inf), ParameterError, "inf is no finite number"),
    ("scaled", lambda f: f(Unread(), b=0.0), ParameterError, "b > 0"),
    ("scaled", lambda f: f(Unread(), b=-2.0), ParameterError, "b > 0"),
    ("gauss", lambda f: f(Unread(), eps=0.0, delta=0.1), ParameterError, "eps > 0"),
    ("gauss", lambda f: f(Unread(), eps=1.0, delta=0.0), ParameterError, "delta > 0"),
    ("gauss", lambda f: f(Unread(), eps=1.0, delta=1.0), ParameterError, "delta < 1"),
    ("classical", lambda f: f(Unread(), eps=1.0, delta=0.1), ParameterError, "eps < 1"),
    ("zcdp", lambda f: f(Unread(), rho=0.0), ParameterError, "rho > 0"),
    ("bounded", lambda f: f(Unread(), low=9.0, high=1.0, eps=1.0), ParameterError, "low <= high"),
    ("total", lambda f: f(Unread(), eps="1"), ParameterError, "str is given"),
    ("total", lambda f: f(Unread(), eps=None), ParameterError, "NoneType is given"),
    ("total", lambda f: f(Unread(), eps=True), ParameterError, "bool is given"),
    ("total", lambda f: f(Unread(), eps=1j), ParameterError, "complex is given"),
    ("total", lambda f: f(Unread(), eps=[1.0]), ParameterError, "list is given"),
    ("total", lambda f: f(Unread()), ParameterError, "missing a required argument: 'eps'"),
    ("total", lambda f: f(eps=1.0), ParameterError, "missing a required argument: 'x'"),
    ("total", lambda f: f(Unread(), 1.0, 2.0), ParameterError, "too many positional"),
    ("total", lambda f: f(Unread(), eps=1.0, delta=0.1), ParameterError, "unexpected keyword"),
    ("total", lambda f: f(Unread(), 1.0, eps=1.0), ParameterError, "multiple values"),
    ("public", lambda f: f(Unread(), 1.5, True, "a", 1.0), ParameterError, "1.5 is no integer"),
    ("public", lambda f: f(Unread(), 1, 1, "a", 1.0), ParameterError, "bool is declared, int"),
    ("public", lambda f: f(Unread(), 1, True, 2, 1.0), ParameterError, "str is declared, int"),
]


@pytest.mark.parametrize(("name", "call", "error", "message"), BEFORE_DATA)
def test_public_facts_are_refused_before_data_are_read(
    programs: Any, name: str, call: Callable[[Any], Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error) as caught:
        call(getattr(programs, name))
    assert message in str(caught.value)


S, T = SECRET, str(SECRET)
#: Refused on the schema of the data.
SCHEMA: list[Case] = [
    ("total", lambda f: f(None, eps=1.0), SchemaError, "a NoneType where a sequence is needed"),
    ("total", lambda f: f(S, eps=1.0), SchemaError, "a float where a sequence is needed"),
    ("total", lambda f: f(T, eps=1.0), SchemaError, "a str where a sequence"),
    ("total", lambda f: f({S: S}, eps=1.0), SchemaError, "a dict where a sequence is needed"),
    ("total", lambda f: f([S, None], eps=1.0), SchemaError, "a missing value (None)"),
    ("total", lambda f: f([S, T], eps=1.0), SchemaError, "a str where float"),
    ("total", lambda f: f([S, [S]], eps=1.0), SchemaError, "a list where float is needed"),
    ("total", lambda f: f([S, 1j * S], eps=1.0), SchemaError, "a complex where float is needed"),
    ("total", lambda f: f(np.array([[T]]), eps=1.0), SchemaError, "2 dimensions"),
    ("total", lambda f: f(np.array(S), eps=1.0), SchemaError, "0 dimensions"),
    ("total", lambda f: f(np.array([T]), eps=1.0), SchemaError, "dtype <U13"),
    ("total", lambda f: f(np.array([S, None]), eps=1.0), SchemaError, "dtype object"),
    ("total", lambda f: f(np.array([S], complex), eps=1.0), SchemaError, "dtype complex128"),
    ("total", lambda f: f((v for v in X), eps=1.0), SchemaError, "a generator where a sequence"),
    ("total", lambda f: f(np.ma.masked_array([S], [True]), eps=1.0), SchemaError, "a masked array"),
    ("integers", lambda f: f([S], eps=1.0), SchemaError, "a float where int is needed"),
    ("integers", lambda f: f(np.array([S]), eps=1.0), SchemaError, "dtype float64 where int"),
    ("flags", lambda f: f([1], eps=1.0), SchemaError, "an int where bool is needed"),
    ("flags", lambda f: f(np.array([1]), eps=1.0), SchemaError, "dtype int64 where bool"),
    ("names", lambda f: f([S], eps=1.0), SchemaError, "a float where str is needed"),
    ("matrix", lambda f: f([[S, S], [S]], eps=1.0), SchemaError, "rows of unequal length"),
    ("matrix", lambda f: f([S, S], eps=1.0), SchemaError, "a float where a sequence is needed"),
    ("matrix", lambda f: f(np.array([S]), eps=1.0), SchemaError, "1 dimensions where 2"),
    ("pair", lambda f: f(([S], [S, S]), eps=1.0), SchemaError, "different lengths, 1 and 2"),
    ("pair", lambda f: f([S], eps=1.0), SchemaError, "not one value per declared part"),
    ("two", lambda f: f([S], [S, S], eps=1.0), ParameterError, "len_x == len_y"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "call", "error", "message"), SCHEMA)
def test_schema_facts_are_refused_and_show_nothing(
    programs: Any, name: str, call: Callable[[Any], Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error) as caught:
        call(getattr(programs, name))
    assert message in str(caught.value)
    assert getattr(caught.value, "place", "")
    shows_nothing(caught.value)


def test_one_array_is_not_private_and_public(programs: Any) -> None:
    x = np.array(X)
    for public in (x, x[:2], x[::-1]):
        with pytest.raises(SpaceError, match="also passed as the public argument w") as caught:
            programs.weighted(x, public, eps=1.0)
        shows_nothing(caught.value)
    with pytest.raises(SpaceError, match="public parameters do not come from the data"):
        programs.weighted(X, X, eps=1.0)
    assert programs.weighted(X, [1.0, 2.0], eps=1.0)


def test_values_are_enforced_and_refused_only_under_strict(programs: Any) -> None:
    wild = [math.nan, math.inf, -math.inf, -0.0, SECRET, -SECRET]
    with dp.handling(dp.Seeded(1)):
        value = programs.total(wild, eps=1e9).value  # 0, 20, 0, 0, 20, 0
        assert value == pytest.approx(40, abs=1e-3)
        assert programs.declared(wild, eps=1e9).value == pytest.approx(40, abs=1e-3)
        assert programs.declared(np.array(wild), eps=1e9).value == pytest.approx(40, abs=1e-3)
        assert programs.integers([2**63 - 1, -5], eps=1e9).value == pytest.approx(9, abs=1e-3)
        assert programs.integers([2**99, -(2**99)], eps=1e9).value == pytest.approx(9, abs=1e-3)
        big = np.array([2**64 - 1], np.uint64)
        assert programs.integers(big, eps=1e9).value == pytest.approx(9, abs=1e-3)
        assert programs.total([10**400], eps=1e9).value == pytest.approx(20, abs=1e-3)
    for data, fact in (([math.nan], "NaN"), ([math.inf], "infinite"), ([SECRET], "outside")):
        with pytest.raises(DataValueError, match=fact) as caught:
            programs.declared(data, eps=1.0, strict=True)
        assert "outside the guarantee" in caught.value.fact
        shows_nothing(caught.value)
    assert programs.declared([1.0, 20.0], eps=1.0, strict=True)
    for data in ([2**63], [0, -(2**63) - 1], np.array([2**63], np.uint64)):
        with pytest.raises(DataValueError, match="an integer beyond 64 bits"):
            programs.integers(data, eps=1.0, strict=True)


def test_empty_data(programs: Any) -> None:
    with dp.handling(dp.Seeded(1)):
        for name in ("total", "declared", "integers", "flags", "names", "scaled"):
            public = {"b": 1e-9} if name == "scaled" else {"eps": 1e9}
            function = getattr(programs, name)
            assert function([], **public).value == pytest.approx(0, abs=1e-3)
            assert function((), **public).value == pytest.approx(0, abs=1e-3)
        assert programs.total(np.zeros(0), eps=1e9).value == pytest.approx(0, abs=1e-3)
        assert programs.matrix(np.zeros((0, 2)), eps=1e9).value == pytest.approx([0, 0], abs=1e-3)
    assert programs.exactly([]) == 0
    # Under change-one distance the number of rows is public, so it may be refused.
    with pytest.raises(ParameterError, match="len_x >= 1") as caught:
        programs.mean([], eps=1.0)
    assert caught.value.remedy


def test_numpy_scalars_and_fractions_are_numbers(programs: Any) -> None:
    from fractions import Fraction

    for eps in (np.float64(0.5), np.float32(0.5), Fraction(1, 2), np.array(0.5), 0.5):
        assert programs.total([1.0], eps=eps).privacy["epsilon"] == "0.5"
    assert programs.total([1.0], eps=1).privacy["epsilon"] == "1"
    assert programs.total([1.0], eps=0.1).privacy["epsilon"] == "0.1"


# -- nothing private on an error ---------------------------------------------------------------

FAILING = """
@dp.measurement
def divides(x: dp.Records[float], n: int, eps: float):
    total = dp.laplace(dp.sum(dp.clamp(x, 0, 2e8)), epsilon=eps)
    return total / n


@dp.measurement
def first(x: dp.Records[float], n: int, eps: float):
    kept = dp.clamp(x, 0, 2e8)
    part = 1 / n
    return dp.laplace(dp.sum(kept), epsilon=eps) * part


@dp.measurement
def loops(x: dp.Records[float], n: int, eps: float):
    total = 0.0
    for v in x:
        total += dp.clamp(v, 0, 2e8)
    return dp.laplace(total, epsilon=eps) / n
"""


@pytest.mark.parametrize("name", ["divides", "first", "loops"])
@pytest.mark.parametrize("form", [list, np.array, tuple])
def test_a_failing_program_shows_nothing(tmp_path: Path, name: str, form: Any) -> None:
    module: Any = load(tmp_path, FAILING)
    with pytest.raises(PostProcessingError, match="ZeroDivisionError") as caught:
        getattr(module, name)(form(X), n=0, eps=1e-9)
    shows_nothing(caught.value)


def test_a_concrete_map_shows_nothing(tmp_path: Path) -> None:
    module: Any = load(tmp_path, FAILING)
    chain = module.divides.at(n=0, eps=1e-9) >> str
    for call in (module.divides.at(n=0, eps=1e-9), chain):
        with pytest.raises(PostProcessingError) as caught:
            call(X)
        shows_nothing(caught.value)
    with pytest.raises(SchemaError) as other:
        chain([SECRET, None])
    shows_nothing(other.value)


def test_representations_show_nothing(programs: Any) -> None:
    from metricdp.run.guards import admit
    from metricdp.spaces import space_of

    for space in ("dp.Records[float]", "dp.Records[float | None]", "dp.Vector[dp.Real, dp.L1]"):
        held = admit("x", space_of(space), X)
        shown = repr(held) + repr(getattr(held, "row", ""))
        assert "private" in shown and str(SECRET) not in shown
    with dp.handling(dp.Seeded(2)):
        release = programs.total(X, eps=1.0)
    assert str(SECRET) not in repr(release) + release._repr_html_() + str(release.draws)
    assert str(SECRET) not in repr(programs.total) + repr(programs.total.at(eps=1.0))


def shows_nothing(error: BaseException) -> None:
    """No text of the error, of what it chains, or of a local variable of its frames has SECRET.

    Frames of this file are the caller's own: only the library's are looked at.
    """
    digits = str(int(SECRET))
    chain: list[BaseException | None] = [error]
    while chain:
        link = chain.pop()
        if link is None:
            continue
        texts = [str(link), repr(link), repr(vars(link)), *getattr(link, "__notes__", [])]
        texts += [repr(getattr(link, "releases", ""))]
        for frame in _frames(link.__traceback__):
            if frame.f_code.co_filename == __file__:
                continue
            for name, value in frame.f_locals.items():
                for shown in (repr(value), str(list(value)) if _listed(value) else ""):
                    assert digits not in shown, (frame.f_code.co_qualname, name)
        for text in texts:
            assert digits not in text, text
        assert link.__cause__ is None and link.__context__ is None
        chain += [link.__cause__, link.__context__]
    assert digits not in "".join(traceback.format_exception(error)).replace(repr(X), "")


def _listed(value: Any) -> bool:
    return hasattr(value, "__len__") and hasattr(value, "__iter__") and not isinstance(value, str)


def _frames(trace: TracebackType | None) -> list[Any]:
    found = []
    while trace is not None:
        found.append(trace.tb_frame)
        trace = trace.tb_next
    return found


def test_the_search_itself_would_find_a_leak() -> None:
    names: dict[str, Any] = {}
    exec(
        compile("def leak(x):\n    kept = [x]\n    raise ValueError('no')", "lib.py", "exec"), names
    )
    try:
        names["leak"](SECRET)
    except ValueError as error:
        with pytest.raises(AssertionError):
            shows_nothing(error)
