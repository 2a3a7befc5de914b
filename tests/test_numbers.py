"""Numbers in arrays are the numbers of the reference: what enters, what rules do, what is drawn."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from metricdp.families.family import Draw
from metricdp.noise import certified
from metricdp.noise.vector_rounded import places_of_multiples
from metricdp.opendp.releases import OnGrid, Within
from metricdp.primitives import load
from metricdp.record import REGISTRY
from metricdp.run.arrays import into_ball_array, surely_within, within
from metricdp.run.emit import Seeded, emit
from metricdp.run.facts import Notice, into_ball
from metricdp.run.guards import admit
from metricdp.run.machine import Machine
from metricdp.spaces import L1, L2, Bounds, Gradient, Int, LInf, Matrix, Real, Vector, space_of
from metricdp.values import Exact, ExactVector, NumberMatrix, Numbers, listed, wrap

load()
RNG = np.random.default_rng(11)
LARGEST = np.finfo(np.float64).max
ENDS = np.array([-(2**63), 2**63 - 1, 0, 1, -1])


def doubles() -> Iterator[np.ndarray]:
    """Ordinary ones, ends, subnormals, spans of all exponents, one and none."""
    yield RNG.normal(size=9) * 100
    yield RNG.integers(-9, 9, 12).astype(np.float64)
    yield np.array([LARGEST, -LARGEST, 5e-324, -5e-324, 1.0, 0.0, 2.0**53 + 2])
    yield np.array([2.0**-1074, 2.0**-1022, 3 * 2.0**-1074])
    yield RNG.normal(size=8) * 2.0 ** RNG.integers(-40, 40, 8)
    yield np.array([0.5, -0.5, 1.5, -1.5, 0.49999999999999994, -0.5000000000000001, 2.0**62])
    yield np.zeros(3)
    yield np.array([7.25])
    yield np.zeros(0)


def vectors() -> Iterator[Numbers]:
    """Doubles, integers of 64 bits at their ends, wide ones, under several units."""
    for unit in (
        Fraction(1),
        Fraction(1, 3),
        Fraction(2) ** -70,
        Fraction(2) ** 33,
        Fraction(7, 5),
    ):
        for array in doubles():
            yield Numbers(array, unit)
        yield Numbers(ENDS, unit)
        yield Numbers(np.array([3, -5, 8]), unit, most=9)
        yield Numbers(np.array([10**40, -1, 0], object), unit)
        yield Numbers(np.array([1 << 62, (1 << 62) - 1]), unit)


def reference(name: str, *args: Any) -> Any:
    return wrap(REGISTRY[name].run(*(a.vector() if isinstance(a, Numbers) else a for a in args)))


SCALARS = [0, 1, -1, 2**63, Exact(1, 3), Exact(-0.1), Exact(10) ** 30, Fraction(1, 2**80)]
MACHINE = Machine(None)  # type: ignore[arg-type]


def test_the_entries_are_the_same_in_every_form() -> None:
    for x in vectors():
        listed = [Fraction(v) * x.unit for v in x.array.tolist()]
        assert x == listed and list(x) == listed and len(x) == len(listed)
        assert [x[i] for i in range(len(x))] == listed
        assert x[1:].vector() == listed[1:] and x[::-2].vector() == listed[::-2]
        assert x.whole() == listed and x.whole().array.dtype.kind in "iO"
        assert all(abs(v) <= x.whole().most for v in x.whole().array.tolist())
        assert x.plain() == [float(Exact(v)) for v in listed]
        assert x.total() == sum(listed) and x.size() == sum(map(abs, listed))
        assert x.largest() == max(map(abs, listed), default=0)
        assert x.square() == sum(v * v for v in listed)
        whole = [int(v) if v.denominator == 1 else float(Exact(v)) for v in listed]
        assert [(type(v), v) for v in x.natural()] == [(type(v), v) for v in whole]


@pytest.mark.parametrize("name", ["abs", "neg", "sum", "max", "min", "discrete", "undisc"])
def test_forms_of_one_vector_equal_their_reference(name: str) -> None:
    for x in vectors():
        assert MACHINE.primitive(name, None, x) == reference(name, x)


@pytest.mark.parametrize("name", ["add", "sub", "mul", "div"])
def test_forms_with_a_number_equal_their_reference(name: str) -> None:
    for x in vectors():
        for c in SCALARS:
            assert MACHINE.primitive(name, None, x, c) == reference(name, x, c)
            if name in ("add", "sub", "mul"):
                assert MACHINE.primitive(name, None, c, x) == reference(name, c, x)


@pytest.mark.parametrize("name", ["add", "sub", "mul", "concat"])
def test_forms_of_two_vectors_equal_their_reference(name: str) -> None:
    found = list(vectors())
    for x, y in zip(found, [*found[5:], *found[:5]], strict=True):
        y = Numbers(np.resize(y.array, len(x)), y.unit) if len(y) else x
        for other in (y, y.vector(), x):
            assert MACHINE.primitive(name, None, x, other) == reference(name, x, other)
            assert MACHINE.primitive(name, None, other, x) == reference(name, other, x)


def test_clamp_index_and_slice_equal_their_reference() -> None:
    limits = [(-1, 1), (Exact(1, 3), 7), (0, 10**30), (-(2**63), 2**63), (5, -5), (Exact(0.1), 3)]
    for x in vectors():
        for low, high in limits:
            assert MACHINE.primitive("clamp", None, x, low, high) == reference(
                "clamp", x, low, high
            )
        for i in (-100, -1, 0, 2, 100, Exact(3, 2), Exact(-3, 2)):
            assert MACHINE.primitive("index", None, x, i) == reference("index", x, i)
        assert MACHINE.primitive("len", None, x) == len(x)


@pytest.mark.parametrize("norm", [L1, L2, LInf])
def test_norms_and_clips_equal_their_reference(norm: Any) -> None:
    for x in vectors():
        assert MACHINE.primitive("norm", None, x, norm) == reference("norm", x, norm)
        for radius in (1, Fraction(1, 7), Fraction(3) * 10**40, x.largest(), x.size()):
            if radius:
                found = MACHINE.primitive("clip", None, x, norm, radius)
                assert found == reference("clip", x, norm, radius)


def test_integers_never_overflow() -> None:
    """Chains at the widths where 64 bits end."""
    for start in (ENDS, np.array([(1 << 61) - 1, -(1 << 61)]), np.array([1 << 62, -(1 << 62)])):
        x, listed = Numbers(start), [Fraction(v) for v in start.tolist()]
        for step in range(6):
            x = MACHINE.primitive("add", None, x, x)
            listed = [v + v for v in listed]
            assert x == listed, step
            x = MACHINE.primitive("sub", None, MACHINE.primitive("neg", None, x), Numbers(start))
            listed = [-v - w for v, w in zip(listed, start.tolist(), strict=True)]
            assert x == listed, step


def test_nothing_writes_to_the_operands() -> None:
    for x in vectors():
        before, vector = x.array.copy(), list(x.vector())
        for name in ("abs", "neg", "sum", "max"):
            MACHINE.primitive(name, None, x)
        MACHINE.primitive("add", None, x, x)
        MACHINE.primitive("clamp", None, x, 0, 1)
        assert (x.array == before).all() and list(x.vector()) == vector


@pytest.mark.parametrize(
    "mechanism", ["laplace", "gaussian", "discrete_laplace", "discrete_gaussian"]
)
def test_noise_on_arrays_is_noise_on_their_numbers(mechanism: str) -> None:
    family = REGISTRY[mechanism].family
    assert family is not None
    for x in vectors():
        for scale in (Fraction(0), Fraction(3), Fraction(10**30), Fraction(1, 10**30)):
            if scale == Fraction(1, 10**30) and mechanism == "discrete_gaussian":
                continue
            draw = Draw("s", family, "L1", scale, Fraction(1))
            found, listed = emit(draw, x, Seeded(5)), emit(draw, x.vector(), Seeded(5))
            assert found.dtype == listed.dtype and found.shape == listed.shape
            assert (found == listed).all()
            assert not np.shares_memory(found, x.array)


def test_places_of_multiples_are_where_they_say() -> None:
    units = [Fraction(1), Fraction(1, 3), Fraction(7, 5), Fraction(3, 10**20), Fraction(10**9, 7)]
    seen = 0
    for unit in units:
        for exponent in (-30, -60, 3):
            step, known = Fraction(2) ** exponent, [x for x in vectors() if len(x)]
            spread = RNG.normal(size=300) * 2.0 ** RNG.integers(-60, 30, 300)
            known.append(Numbers(spread * float(step / unit)))
            # Next to the whole and half steps, from both sides.
            ends = RNG.integers(-(2**20), 2**20, 200) / 2 * float(step / unit)
            known += [Numbers(np.nextafter(ends, to)) for to in (-np.inf, 0.0, np.inf)]
            for x in known:
                places = places_of_multiples(x.array, unit, exponent)
                if places is None:
                    whole = x.whole()
                    places = places_of_multiples(whole.array, whole.unit / x.unit * unit, exponent)
                assert places is not None
                for i, v in enumerate(x.array.tolist()):
                    assert int(places.whole[i]) + places.exact(i) == Fraction(v) * unit / step
                    part = Fraction(float(places.part[i]))
                    assert abs(part - places.exact(i)) <= Fraction(1, 2**53) and 0 <= part <= 1
                    seen += 1
    assert seen > 10_000


@pytest.mark.parametrize(
    "mechanism", ["laplace", "gaussian", "discrete_laplace", "discrete_gaussian"]
)
def test_noise_on_tuples_of_arrays_is_noise_on_their_numbers(mechanism: str) -> None:
    family = REGISTRY[mechanism].family
    assert family is not None
    found = list(vectors())
    for x, y in zip(found, found[7:] + found[:7], strict=True):
        for value in ((x, y), (Exact(7, 3), x), (x, 5, y.vector()), (x[:0], x)):
            plain = tuple(listed(part) for part in value)
            for scale in (Fraction(0), Fraction(3), Fraction(10**30)):
                draw = Draw("s", family, "L1", scale, Fraction(1))
                answers = emit(draw, value, Seeded(5))
                for answer, wanted in zip(answers, emit(draw, plain, Seeded(5)), strict=True):
                    assert type(answer) is type(wanted)
                    assert getattr(answer, "dtype", "") == getattr(wanted, "dtype", "")
                    assert np.array_equal(answer, wanted)


def test_noise_on_booleans_is_noise_on_their_numbers() -> None:
    family = REGISTRY["discrete_laplace"].family
    assert family is not None
    for n in (1, 5, 40):
        truths = [bool(v) for v in RNG.integers(0, 2, n)]
        for scale in (Fraction(0), Fraction(3)):
            draw = Draw("s", family, "L1", scale, Fraction(1))
            found = emit(draw, ExactVector(truths), Seeded(5))
            wanted = emit(draw, ExactVector(map(int, truths)), Seeded(5))
            assert found.dtype == wanted.dtype == np.int64 and (found == wanted).all()


def test_gradients_enter_as_their_entries_do() -> None:
    parts = [np.array([[0.1, 2.0], [np.nan, -0.0]], np.float32), np.array([1e308, 0.3])]
    entries = [x for part in parts for x in part.ravel().tolist()]
    wanted = entering(Vector[Real, L1], entries)
    for given in (parts, [p.tolist() for p in parts], [parts[0], *parts[1].tolist()], entries):
        assert entering(Gradient[Real, L1], given) == wanted
    assert isinstance(entering(Gradient[Real, L1], parts), Numbers)
    assert entering(Gradient[Real, L1], parts[1].reshape(1, 2)) == wanted[4:]
    assert entering(Gradient[Int, L1], [np.array([[1, 2]]), 3]) == [1, 2, 3]


def entering(space: Any, data: Any) -> Any:
    return admit("x", space_of(space, "x"), data)


@pytest.mark.parametrize("bounds", [(None, None), (-1, 2), (0.1, 5), (Fraction(1, 3), 4), (2, 2)])
@pytest.mark.parametrize("element", [Real, Int])
def test_what_enters_as_an_array_is_what_enters_cell_by_cell(element: Any, bounds: Any) -> None:
    from typing import Annotated

    space = Vector[element, L1]
    if bounds != (None, None):
        space = Annotated[space, Bounds(*bounds)]  # type: ignore[assignment]
    cell = space_of(space, "x").entry  # type: ignore[attr-defined]
    data: list[Any] = [ENDS, ENDS.astype(np.int8), np.array([2**64 - 1, 5], np.uint64)]
    data += [np.array([True, False]), [2**80, -(2**80), 3], [1, True], [3, 2**60 + 1], []]
    data += [np.array([2**53 + 1, 0]), np.array([-(2**53) - 1, 7])]  # between doubles
    if element is Real:
        data += [[2**53 + 1, 0.5], [-(2**53) - 1, 0.5], [2**53, 0.5]]
        odd = np.array([np.nan, np.inf, -np.inf, -0.0, 0.3, 1e308])
        data += [*doubles(), odd, odd[:5].astype(">f4"), odd[::-2], odd[:5].astype(np.float16)]
        data += [odd.tolist(), [1, 2.5], [2**60 + 1, 0.5], [Fraction(1, 3), 0.5], [True, 0.5]]
        data += [np.array([1e300, -1.0], np.longdouble)]
    for given in data:
        listed = given if isinstance(given, list) else given.tolist()
        wanted = [admit("x", cell, x) for x in listed]
        assert entering(space, given) == wanted
        if isinstance(given, np.ndarray):
            assert entering(space, given.tolist()) == wanted
            found = entering(space, given)
            if isinstance(found, Numbers):
                assert not np.shares_memory(found.array, given)


def matrices() -> Iterator[NumberMatrix]:
    """Of vectors, cut into rows; without rows, and without columns."""
    for x in vectors():
        for cols in (1, 2, 3):
            rows = len(x) // cols
            yield NumberMatrix(x[: rows * cols], rows, cols)
    yield NumberMatrix(Numbers(np.zeros(0)), 3, 0)


@pytest.mark.parametrize(
    ("name", "others"),
    [
        ("abs", ()), ("neg", ()), ("flatten", ()), ("sum_rows", ()), ("sum_cols", ()),
        ("transpose", ()), ("add", (Exact(1, 3),)), ("mul", (Exact(-2),)), ("div", (7,)),
        ("clamp", (-1, Exact(1, 3))), ("row", (0,)), ("row", (-1,)),
        ("row", (99,)), ("row", (-99,)),
    ],
)  # fmt: skip
def test_forms_of_matrices_equal_their_reference(name: str, others: tuple[Any, ...]) -> None:
    for m in matrices():
        wanted = wrap(REGISTRY[name].run(m.matrix(), *others))
        found = MACHINE.primitive(name, None, m, *others)
        assert listed(found) == wanted
        if m.rows:  # lists without rows forget their columns
            assert getattr(found, "cols", None) == getattr(wanted, "cols", None)
        if name in ("add", "mul"):
            both = MACHINE.primitive("sub", None, found, m)
            assert both == wrap(REGISTRY["sub"].run(wanted, m.matrix()))


def test_matrices_read_as_their_lists() -> None:
    for m in matrices():
        exact = m.matrix()
        assert (m.rows, m.cols, len(m)) == (exact.rows, exact.cols, len(exact))
        for i in (0, 1, -1, 99, -99, Exact(1, 2)):
            assert m[i] == exact[i] and m[i, 0] == exact[i, 0]
        assert list(m) == list(exact) and m[1:] == exact[1:] and m[:, 0] == exact[:, 0]
        chosen = [i for i in (1, 0, 1) if i < m.rows]
        assert m.taken(chosen) == [exact[i] for i in chosen]
        assert m.split(m.flat.plain()) == [[float(x) for x in row] for row in exact]


def test_matrices_enter_as_their_rows_do() -> None:
    for m in matrices():
        if m.flat.unit != 1 or not m.cols:
            continue
        table = m.flat.array.reshape(m.rows, m.cols)
        arrays = [table, np.asfortranarray(table), list(table)] if table.dtype != object else []
        for given in (table.tolist(), *arrays):
            wanted = [entering(Vector[Real, L1], row) for row in table.tolist()]
            assert entering(Matrix[Real, L1], given) == wanted


@pytest.mark.parametrize("norm", ["L1", "L2", "LInf"])
def test_balls_of_arrays_are_those_of_lists(norm: str) -> None:
    silent = Notice("x", False)
    for x in vectors():
        for radius in (Fraction(1), Fraction(1, 7), Fraction(10) ** 9, x.largest(), x.size()):
            if not radius:
                continue
            for limits in ((None, None), (Fraction(-1), None), (Fraction(1), None)):
                if limits[0] == 1 and len(x) * 2 > radius:
                    continue  # no row within these bounds has so small a norm
                listed = into_ball(x.vector(), [(norm, radius)], limits, False, silent)
                found = into_ball_array(x, [(norm, radius)], limits, False, silent)
                assert found == listed
            if surely_within(x, norm, radius):
                assert within(x, norm, radius)
    edge = Numbers(np.full(1000, 0.1))
    assert not surely_within(edge, "L1", edge.size()) and within(edge, "L1", edge.size())


def test_lists_of_vectors_are_matrices_and_rows_of_tables_stay() -> None:
    x = Numbers(np.array([1.0, 2.0]))
    assert type(wrap([x, x])).__name__ == "ExactMatrix"
    assert type(wrap([x[0], x[1]])) is ExactVector
    row = Numbers(np.array([1.0]), discrete=True)
    assert wrap([row, row])[0] is row


def test_releases_on_a_coarser_grid_are_rounded_alike() -> None:
    for k in (-900, -60, -3, 0, 7, 60, 900, 2000, -2000):
        grid = OnGrid(k)
        for x in doubles():
            found = grid(x)
            assert found == [grid(v) for v in x.tolist()]
            assert all(type(v) is float and str(v) != "-0.0" for v in found)
    assert Within(-3, 4)(np.array([-9, 9, 2])) == [-3, 4, 2]


@pytest.mark.parametrize("mechanism", ["laplace", "gaussian"])
def test_doubles_decide_as_integers_do(mechanism: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With infinite margins every draw is decided exactly, on the same bits."""
    family = REGISTRY[mechanism].family
    assert family is not None
    draw = Draw("s", family, "L1", Fraction(3), Fraction(1))
    for unit in (Fraction(1), Fraction(1, 3), Fraction(7, 10**9)):
        x = Numbers(RNG.normal(size=60) * 100, unit)
        quick = emit(draw, x, Seeded(5))
        with monkeypatch.context() as patch:
            patch.setattr(certified, "FACTOR", np.inf)
            assert (emit(draw, x, Seeded(5)) == quick).all()


@pytest.mark.parametrize("unit", [Fraction(1), Fraction(1, 2**33), Fraction(3, 7), Fraction(6)])
@pytest.mark.parametrize("entries", [[0.0, 1.5, -5e-324, 1.7e308], [0, 6, -(2**61)], [2**80, -3]])
def test_as_rationals_in_lowest_terms(entries: list[Any], unit: Fraction) -> None:
    found = Numbers(np.array(entries), unit).vector()
    wanted = [Fraction(x) * unit for x in entries]
    assert {*map(type, found)} == {Exact}
    assert [x.as_integer_ratio() for x in found] == [x.as_integer_ratio() for x in wanted]
