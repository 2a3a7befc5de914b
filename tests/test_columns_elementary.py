"""Elementary functions: floats and arrays bit for bit alike, rows independent, exact, total."""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from row_independence import STRANGE, bits, dependence

from metricdp.columns import blocks, exponential
from metricdp.columns.elementary import FUNCTIONS, Elementary

flint = pytest.importorskip("flint")
arb = flint.arb
LARGEST = sys.float_info.max
NAMES = sorted(FUNCTIONS)


def _sweep(rng: np.random.Generator, size: int) -> np.ndarray:
    """Doubles of all kinds: every exponent, the ranges people use, edges, integers, ties."""
    patterns = rng.integers(-(2**63), 2**63 - 1, size=size, dtype=np.int64).view(np.float64)
    subnormal = rng.integers(0, 2**52, size=size // 8).view(np.float64)
    near_one = 1 + rng.uniform(-1, 1, size) * 2.0 ** rng.uniform(-52, -1, size)
    plain = np.concatenate([rng.uniform(-b, b, size) for b in (1, 8, 50, 720)])
    quarters = rng.integers(-(10**6), 10**6, size=size // 2) * (math.pi / 2)
    whole = np.floor(10.0 ** rng.uniform(0, 16, size // 2))
    # Where a table or a reduction goes from one step to the next.
    ties = (rng.integers(-4000, 4000, size=size // 2) + 0.5) * math.log(2) / 2048
    halves = np.arange(-300, 300) / 2
    edges = [0.5, 1, 2**0.5, 2**-0.5, 2.0**-1022, 708, 709.782712893384, 745.1332191019412, 760]
    edges += [20, 700, 1.6e6, 1021, 1022, 1023, 1024, 1074, 1100, 2.0**100, 2.0**900, 2.0**1000]
    edges += [math.pi / 2, math.pi, 2.0**-12, 2.0**-900, LARGEST, *map(abs, STRANGE)]
    finite = [e for e in edges if math.isfinite(e)]
    near = [edge for e in finite for edge in (e, math.nextafter(e, 0), math.nextafter(e, math.inf))]
    parts = [patterns, subnormal, near_one, plain, quarters, whole, ties, halves, near, STRANGE]
    found = np.concatenate([np.asarray(part, dtype=np.float64) for part in parts])
    return np.concatenate([found, -found])


def _arguments(name: str, seed: int, size: int) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(seed)
    x = _sweep(rng, size)
    if name != "power":
        return (x,)
    y = rng.permutation(_sweep(rng, size))
    # Exponents for which the result is neither 0 nor the largest double.
    with np.errstate(all="ignore"):
        fitting = rng.uniform(-745, 709, x.size) / np.log(np.abs(x))
    fitting = np.where(rng.random(x.size) < 0.3, np.round(fitting), fitting)
    return np.concatenate([x, x]), np.concatenate([y, fitting])


def _by_floats(function: Elementary, *columns: np.ndarray) -> np.ndarray:
    return np.array([function(*row) for row in zip(*(x.tolist() for x in columns), strict=True)])


@pytest.mark.parametrize("name", NAMES)
def test_floats_and_arrays_give_the_same_bits(name: str) -> None:
    columns = _arguments(name, seed=1, size=400)
    function = FUNCTIONS[name]
    different = bits(function.array(*columns)) != bits(_by_floats(function, *columns))
    assert not different.any(), [x[different][:5] for x in columns]


@pytest.mark.parametrize("name", NAMES)
def test_rows_are_independent(name: str) -> None:
    assert dependence(FUNCTIONS[name].array, *_arguments(name, seed=2, size=60)) == []


def test_blocks_of_many_rows_are_independent() -> None:
    columns = np.random.default_rng(3).uniform(-9, 9, 2 * blocks.BLOCK + 77)
    for name in ("exp", "sin"):
        assert dependence(FUNCTIONS[name].array, columns) == []


@pytest.mark.parametrize("name", ["tanh", "power"])
def test_shapes_and_orders(name: str) -> None:
    columns = [x[:1200] for x in _arguments(name, seed=4, size=150)]
    function = FUNCTIONS[name].array
    plain = bits(function(*columns))
    cubes = [x.reshape(10, 12, 10) for x in columns]
    found = function(*cubes)
    assert found.shape == (10, 12, 10) and found.dtype == np.float64
    assert np.array_equal(bits(found).reshape(-1), plain)
    assert np.array_equal(bits(function(*map(np.asfortranarray, cubes))).reshape(-1), plain)
    turned = bits(function(*(x.transpose(2, 0, 1) for x in cubes)))
    assert np.array_equal(turned.transpose(1, 2, 0).reshape(-1), plain)
    assert function(*(x[:0] for x in columns)).shape == (0,)
    scalars = function(*(x[7] for x in columns))
    assert scalars.shape == () and bits(scalars.reshape(1))[0] == plain[7]


def test_arguments_are_broadcast() -> None:
    x = np.linspace(0.1, 3, 9)
    squares = FUNCTIONS["power"].array(x, 2.0)
    assert np.array_equal(bits(squares), bits(_by_floats(FUNCTIONS["power"], x, np.full(9, 2.0))))


def test_a_function_of_numpy_would_be_seen() -> None:
    """np.exp is not the float form; a first row, all rows and a place are found as dependence."""
    x = np.random.default_rng(5).uniform(-9, 9, 4000)
    assert (bits(np.exp(x)) != bits(_by_floats(FUNCTIONS["exp"], x))).any()
    assert dependence(lambda x: x - x[0], x)
    assert dependence(lambda x: np.where(np.isnan(x).any(), 0.0, x), x)

    def by_place(x: np.ndarray) -> np.ndarray:
        # As a vector loop with another remainder: the last rows lose their last bit.
        found = FUNCTIONS["exp"].array(x)
        tail = found.size // 8 * 8
        found[tail:] = np.nextafter(found[tail:], 0)
        return found

    assert dependence(by_place, x)

    def writing(x: np.ndarray) -> np.ndarray:
        found = x.copy()
        if x.flags.writeable:
            x += 1.0
        return found

    assert "shuffled: written on" in dependence(writing, x)


def test_an_array_form_that_differs_in_one_operation_would_be_seen() -> None:
    """Here a table of the array form is one last place off."""

    class Wrong:
        def __getattr__(self, name: str) -> Any:
            return getattr(blocks, name)

        @staticmethod
        def look(table: Any, position: Any) -> Any:
            found = blocks.look(table, position)
            return found + 1 if found.dtype == np.int64 else found

    x = np.linspace(-5, 5, 1000)
    wrong = exponential.exp(Wrong(), x)
    assert (bits(wrong) != bits(_by_floats(FUNCTIONS["exp"], x))).any()


TRUE: dict[str, Callable[..., Any]] = {
    **{name: getattr(arb, name) for name in "exp expm1 log log1p sin cos tan".split()},
    **{name: getattr(arb, name) for name in "asin acos atan sinh cosh tanh".split()},
    "exp2": lambda x: arb(2) ** x,
    "log2": lambda x: x.log() / arb(2).log(),
    "log10": lambda x: x.log() / arb(10).log(),
    "cbrt": lambda x: abs(x).root(3) * (1 if x > 0 else -1),
    "power": lambda x, y: x**y,
    "sigmoid": lambda x: 1 / (1 + (-x).exp()),
    "softplus": lambda x: x.exp().log1p(),
}


def _domain(name: str, *columns: np.ndarray) -> np.ndarray:
    x = columns[0]
    with np.errstate(all="ignore"):
        if name in ("log", "log2", "log10"):
            inside = x > 0
        elif name == "log1p":
            inside = x > -1
        elif name in ("asin", "acos"):
            inside = np.abs(x) <= 1
        elif name == "power":
            inside = (x > 0) & (np.abs(columns[1] * np.log(x)) < 709.7)
        elif name == "exp2":
            inside = (x < 1024) & (x > -1080)
        elif name in ("exp", "expm1", "sinh", "cosh", "sigmoid", "softplus"):
            inside = np.abs(x) < 709.7
        else:
            inside = np.abs(x) <= LARGEST
        for column in columns:
            inside &= np.isfinite(column) & (column != 0)
    return inside


def _ulps(result: float, true: Any) -> float:
    """The error in units of the last place of the true value; the enclosure is 2**-150 of it."""
    place = max(math.frexp(float(abs(true)))[1] - 53, -1074)
    error = (arb(result) - true) * arb(2) ** -place
    return float(abs(error).upper())


@pytest.mark.parametrize("name", NAMES)
def test_errors_are_as_stated(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flint.ctx, "prec", 260)
    columns = _arguments(name, seed=6, size=250)
    inside = _domain(name, *columns)
    columns = tuple(x[inside] for x in columns)
    assert columns[0].size > 900
    results = FUNCTIONS[name].array(*columns).tolist()
    worst = 0.0, (0.0,), 0.0
    for row, result in zip(zip(*(x.tolist() for x in columns), strict=True), results, strict=True):
        worst = max(worst, (_ulps(result, TRUE[name](*map(arb, row))), row, result))
    assert worst[0] <= FUNCTIONS[name].ulps <= 2.0, worst


@pytest.mark.parametrize("name", NAMES)
def test_every_result_is_finite_and_in_its_range(name: str) -> None:
    function = FUNCTIONS[name]
    found = function.array(*_arguments(name, seed=7, size=3000))
    assert np.isfinite(found).all()
    assert function.lowest <= found.min() and found.max() <= function.highest


@pytest.mark.parametrize("name", ["sin", "cos", "asin", "acos", "atan", "tanh", "sigmoid", "cosh"])
def test_ranges_hold_next_to_their_ends(name: str) -> None:
    rng = np.random.default_rng(8)
    ends = [0.0, 0.5, 1.0, *(math.pi / 2 * np.arange(1, 200)), *range(15, 40), 710, 745]
    steps = rng.integers(-3000, 3000, size=(60, len(ends)))
    x = (np.array(ends).view(np.int64) + steps).view(np.float64).reshape(-1)
    function = FUNCTIONS[name]
    found = function.array(np.concatenate([x, -x]))
    assert np.isfinite(found).all()
    assert function.lowest <= found.min() and found.max() <= function.highest


@pytest.mark.parametrize(
    "name, row, expected",
    [
        ("exp", (1e300,), LARGEST),
        ("exp", (-1e300,), 0.0),
        ("exp", (-745.0,), 5e-324),
        ("exp", (0.0,), 1.0),
        ("exp", (math.nan,), 1.0),
        ("exp", (math.inf,), LARGEST),
        ("exp2", (1024.0,), LARGEST),
        ("exp2", (-1074.0,), 5e-324),
        ("exp2", (10.0,), 1024.0),
        ("expm1", (-1e300,), -1.0),
        ("expm1", (1e-300,), 1e-300),
        ("log", (0.0,), 0.0),
        ("log", (-3.0,), 0.0),
        ("log", (1.0,), 0.0),
        ("log2", (2.0**-1074,), -1074.0),
        ("log10", (1000.0,), 3.0),
        ("log10", (1e22,), 22.0),
        ("log1p", (-1.0,), 0.0),
        ("log1p", (-7.0,), 0.0),
        ("log1p", (5e-324,), 5e-324),
        ("power", (0.0, 0.0), 1.0),
        ("power", (0.0, -1.0), 0.0),
        ("power", (0.0, 2.0), 0.0),
        ("power", (-2.0, 3.0), -8.0),
        ("power", (-2.0, 2.0), 4.0),
        ("power", (-2.0, 0.5), 0.0),
        ("power", (-2.0, -1.0), -0.5),
        ("power", (-2.0, 1025.0), -LARGEST),
        ("power", (-1.0, 1e300), 1.0),
        ("power", (-1.0, 2.0**53 - 1), -1.0),
        ("power", (1.0, -1e308), 1.0),
        ("power", (10.0, 308.0), 1e308),
        ("power", (10.0, 1e300), LARGEST),
        ("power", (0.1, 1e300), 0.0),
        ("power", (5e-324, 1.0), 5e-324),
        ("power", (7.0, 0.0), 1.0),
        ("cbrt", (-27.0,), -3.0),
        ("cbrt", (0.0,), 0.0),
        ("cbrt", (1e300,), 1e100),
        ("sin", (0.0,), 0.0),
        ("cos", (0.0,), 1.0),
        ("sin", (5e-324,), 5e-324),
        ("asin", (1.5,), 0.0),
        ("acos", (-1.5,), 0.0),
        ("acos", (1.0,), 0.0),
        ("asin", (1.0,), math.pi / 2),
        ("acos", (-1.0,), math.pi),
        ("atan", (-LARGEST,), -math.pi / 2),
        ("sinh", (-1000.0,), -LARGEST),
        ("cosh", (-1000.0,), LARGEST),
        ("tanh", (1e300,), 1.0),
        ("tanh", (-1e300,), -1.0),
        ("sigmoid", (0.0,), 0.5),
        ("sigmoid", (-1e300,), 0.0),
        ("sigmoid", (40.0,), 1.0),
        ("softplus", (-1e300,), 0.0),
        ("softplus", (1e300,), 1e300),
    ],
)
def test_at_the_ends(name: str, row: tuple[float, ...], expected: float) -> None:
    function = FUNCTIONS[name]
    assert function(*row) == expected
    assert function.array(*(np.array([x]) for x in row))[0] == expected


def test_small_whole_powers_are_exact() -> None:
    power = FUNCTIONS["power"]
    base, exponent = np.divmod(np.arange(1, 30 * 8), 8)
    exact = [float(int(b) ** int(e)) for b, e in zip(base, exponent, strict=True)]
    assert power.array(base, exponent).tolist() == exact


def test_floats_need_no_numpy() -> None:
    program = (
        "import sys, types\n"
        "front = types.ModuleType('metricdp')\n"
        "front.__path__ = [sys.argv[1]]\n"
        "sys.modules['metricdp'] = front\n"
        "from metricdp.columns.elementary import FUNCTIONS\n"
        "assert FUNCTIONS['exp'](1.0) > 2.7 and FUNCTIONS['sin'](1e20) < 1.0\n"
        "assert 'numpy' not in sys.modules\n"
    )
    folder = str(exponential.__file__).rpartition("columns")[0]
    subprocess.run([sys.executable, "-c", program, folder], check=True)
