"""Attacks by rows that no declared space holds: NaN, infinities, extremes, unseen texts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import islice
from math import inf, isnan, nan
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pytest
from depth import depth

import metricdp as dp
from metricdp import L1, Bounds, Data, LInf, NoNaN, NonNegative, Real, RowBound, Size, audit
from metricdp.apps.cli import main
from metricdp.audit.gallery import GALLERY, GalleryEntry, audit_entry
from metricdp.audit.measurements.neighbours import metric_space, neighbours
from metricdp.audit.unusual import UNSEEN, Beyond, beyond, holds
from metricdp.maps import Measurement, Transformation
from metricdp.spaces import Keyed, Scalar, TupleSpace

ROWS, TEXTS, WHOLE = dp.Records[float], dp.Records[str], dp.Records[int]
#: The number of pairs ends a search, and not the speed of the machine.
replay = partial(audit.replay, seconds=60, most=depth(40, 100))
KEPT_OUT = "declared to be kept out by what calls it"


def row_first(rows: Any, rng: Any) -> Any:
    return sum(min(max(x, 0.0), 1.0) for x in rows) + rng.laplace(scale=1)


def bound_first(rows: Any, rng: Any) -> Any:
    return sum(max(0.0, min(1.0, x)) for x in rows) + rng.laplace(scale=1)


def clips(rows: Any, rng: Any) -> Any:
    return np.clip(np.array(rows), 0, 1).sum() + rng.laplace(scale=1)


def raises_for_nan(rows: Any, rng: Any) -> Any:
    return sum(max(0, min(1, round(x))) for x in rows if x - x == 0 or int(x)) + rng.laplace()


def raises_for_infinity(rows: Any, rng: Any) -> Any:
    return sum(max(0, min(1, int(x))) for x in rows if x == x) + rng.laplace()


def counts_nan_apart(rows: Any, rng: Any) -> Any:
    return [sum(x <= 0 for x in rows) + rng.laplace(), any(x != x for x in rows)]


def overflows(rows: Any, rng: Any) -> Any:
    with np.errstate(all="ignore"):
        scaled = np.array(rows) * 10
    return bool(np.isinf(scaled[np.isfinite(rows)]).any()), bound_first(rows, rng)


def sign_of_zero(rows: Any, rng: Any) -> Any:
    return any(str(x) == "-0.0" for x in rows), bound_first(rows, rng)


def divides_by_the_least(rows: Any, rng: Any) -> Any:
    return any(x > 0 and 1 / x == inf for x in rows), bound_first(rows, rng)


def wraps(rows: Any, rng: Any) -> Any:
    return len(np.array(rows, dtype=np.int64)) + rng.laplace(scale=1)


def beyond_doubles(rows: Any, rng: Any) -> Any:
    return any(int(float(x)) != x for x in rows), len(rows) + rng.laplace(scale=1)


def key_error(rows: Any, rng: Any) -> Any:
    counts = {"": 0, "a": 0, "x" * 40: 0}
    for row in rows:
        counts[row] += 1
    return [n + rng.laplace(scale=1) for n in counts.values()]


def grows(rows: Any, rng: Any) -> Any:
    return [rows.count(each) + rng.laplace(scale=1) for each in sorted({*rows, "a"})]


def strips(rows: Any, rng: Any) -> Any:
    return any(row != row.strip() for row in rows), len(rows) + rng.laplace(scale=1)


def empty_text(rows: Any, rng: Any) -> Any:
    return [row[0] for row in rows][:0], len(rows) + rng.laplace(scale=1)


MADE: list[tuple[Callable[..., Any], Any]] = [
    (row_first, ROWS), (clips, ROWS), (raises_for_nan, ROWS), (raises_for_infinity, ROWS),
    (counts_nan_apart, ROWS), (overflows, ROWS), (sign_of_zero, ROWS),
    (divides_by_the_least, ROWS), (row_first, dp.Records[float, dp.Hamming]), (wraps, WHOLE),
    (beyond_doubles, WHOLE), (key_error, TEXTS), (grows, TEXTS), (strips, TEXTS),
    (empty_text, TEXTS),
]  # fmt: skip


@pytest.mark.parametrize(("program", "space"), MADE)
def test_a_leak_of_an_unusual_row_is_refuted(program: Any, space: Any) -> None:
    assert replay(program, space=space, epsilon=2, seconds=60).refuted


@pytest.mark.parametrize("program", [row_first, clips, counts_nan_apart])
def test_nan_is_found_by_samples_and_by_all_auditors(program: Any) -> None:
    # Time enough: what they find must not depend on the speed of the machine.
    options: dict[str, Any] = {"epsilon": 2, "samples": 400, "seconds": 60, "bits": False}
    for space in (ROWS, "dp.Records[float]"):
        found = audit.audited(program, space=space, **options)[-1]
        assert found.refuted and isnan([*found.x, *found.x2][-1])
    rng = np.random.default_rng(1)
    alone = lambda rows: program(rows, rng)  # noqa: E731
    found = audit.sampled(alone, epsilon=2, space=ROWS, samples=4000, bits=False)
    assert found.refuted and any(map(isnan, [*found.x, *found.x2]))


def test_a_program_that_copes_survives() -> None:
    found = replay(bound_first, space=ROWS, epsilon=1)
    assert not found.refuted and KEPT_OUT not in str(found)
    assert replay(bound_first, space=ROWS, epsilon=0.99).refuted


@pytest.mark.parametrize(
    "space",
    [
        Annotated[dp.Records[float], NoNaN], Annotated[dp.Records[float], NoNaN()],
        Annotated[dp.Records[float], NoNaN(drop=True)], Annotated[dp.Records[float], Bounds(0, 20)],
        Annotated[dp.Records[float], NonNegative], Annotated[dp.Records[float], Bounds(5, inf)],
    ],
)  # fmt: skip
def test_nan_is_declared_out_by_the_space(space: Any) -> None:
    found = replay(row_first, space=space, epsilon=1, seconds=60)
    assert not found.refuted
    assert (KEPT_OUT in str(found)) == ("NoNaN" in str(space) or "drop_nan=True" in str(space))


def test_no_nan_says_nothing_of_infinities() -> None:
    assert replay(raises_for_infinity, space=Annotated[ROWS, NoNaN], epsilon=1).refuted
    assert replay(raises_for_infinity, space=Annotated[ROWS, NonNegative], epsilon=1).refuted
    bounded = Annotated[ROWS, Bounds(-9, 9)]
    assert not replay(raises_for_infinity, space=bounded, epsilon=1).refuted


@pytest.mark.parametrize("program", [row_first, raises_for_infinity])
def test_guarded_inputs_are_declared_and_told(program: Any) -> None:
    options: dict[str, Any] = {"epsilon": 1, "guarded": True, "seconds": 60}
    for found in (
        replay(program, space=ROWS, **options),
        replay(program, pairs=[([], [1.0])], **options),
        audit.audited(program, space=ROWS, **options, samples=400, bits=False)[-1],
        audit.sampled(program, space=ROWS, **options, samples=400, bits=False),
    ):
        assert not found.refuted and str(found).count(KEPT_OUT) == 1


@pytest.mark.parametrize(
    "space",
    [
        ROWS, WHOLE, TEXTS, dp.Records[tuple[str, float]], dp.Records[float | None],
        dp.Vector[Data, L1], dp.Vector[Real, L1], dp.Matrix[Data, LInf],
        dp.Records[dp.Vector[Data, LInf]], dp.Records[float, dp.Hamming],
        Annotated[dp.Vector[Data, LInf], Bounds(-5, 5)], Annotated[ROWS, Bounds(-5, 5)],
        Annotated[WHOLE, Bounds(-5, 5)], Annotated[dp.Gradient[Data, LInf], RowBound(dp.L2, 5)],
        Annotated[dp.Matrix[Data, L1], RowBound(L1, 5)], TupleSpace((ROWS, TEXTS)),
        Keyed(Scalar("Data", kind="str"), Scalar("Int")),
        Keyed(Scalar("Data", kind="float"), Scalar("Real"), "LInf"),
        dp.Aligned[dp.Vector[Data, LInf], dp.Vector[dp.Bool, LInf]],
    ],
)  # fmt: skip
def test_made_pairs_are_neighbours_within_what_is_declared(space: Any) -> None:
    known, allowed = metric_space(space), Beyond()
    plain_ones = {repr((p.x, p.x2)) for p in islice(neighbours(known, 0), 200)}
    pairs = list(islice(neighbours(known, 0, allowed=allowed), 80))
    assert len({repr((p.x, p.x2)) for p in pairs} - plain_ones) > 5
    for pair in pairs:
        a, b = audit.values.plain(pair.x), audit.values.plain(pair.x2)
        assert holds(known, a, allowed) and holds(known, b, allowed)
        assert 0 < known.distance(a, b).upper({}) == pair.d <= 1
        numbers = [v for v in _entries((pair.x, pair.x2)) if isinstance(v, int | float)]
        if "Bound" in repr(space):
            assert all(-5 <= v <= 5 for v in numbers)
        if "Vector[Real" in str(known):
            assert all(v - v == 0 for v in numbers)


def _entries(value: Any) -> list[Any]:
    if isinstance(value, list | tuple | dict):
        return [entry for each in value for entry in _entries(each)]
    return [value]


@dataclass
class Person:
    town: str
    pay: float


def table(*rows: tuple[str, float]) -> Any:
    pandas = pytest.importorskip("pandas")
    return pandas.DataFrame(list(rows), columns=["town", "pay"])


def towns(rows: Any, rng: Any) -> Any:
    names = [getattr(row, "town", None) or row[0] for row in rows]
    return [{"Bern": 1, "Basel": 2, "": 3}[name] for name in names][:0], len(names) + rng.laplace()


def pays(rows: Any, rng: Any) -> Any:
    return sum(min(max(row if isinstance(row, float) else row[1], 0.0), 1.0) for row in rows) + (
        rng.laplace()
    )


def column_of_towns(frame: Any, rng: Any) -> Any:
    return towns([(name,) for name in frame["town"]], rng)


def column_of_pays(frame: Any, rng: Any) -> Any:
    return pays(frame["pay"].tolist(), rng)


GIVEN: list[tuple[Callable[..., Any], Callable[[], tuple[Any, Any]]]] = [
    (pays, lambda: ([0.5], [0.5, 1.0])),
    (pays, lambda: ([0.5, 1.0], [1.0])),
    (pays, lambda: (np.array([0.5]).tolist(), [])),
    (lambda rows, rng: pays(rows.tolist(), rng), lambda: (np.array([0.5]), np.array([0.5, 0.1]))),
    (pays, lambda: ([("Bern", 0.5)], [("Bern", 0.1)])),
    (towns, lambda: ([("Bern", 0.5)], [("Bern", 0.5), ("Basel", 0.1)])),
    (towns, lambda: ([Person("Bern", 0.5)], [Person("Basel", 0.5)])),
    (column_of_towns, lambda: (table(("Bern", 1.0)), table(("Bern", 1.0), ("Basel", 0.5)))),
    (column_of_pays, lambda: (table(("Bern", 1.0), ("Basel", 0.5)), table(("Bern", 1.0)))),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(GIVEN)))
def test_pairs_of_the_user_get_an_unusual_row(number: int) -> None:
    program, made = GIVEN[number]
    pair = made()
    assert replay(program, pairs=[pair], epsilon=1).refuted
    assert not replay(program, pairs=[pair], epsilon=1, guarded=True).refuted
    assert repr(made()) == repr(pair)  # the user's own tables stay what they were
    from metricdp.audit.measurements.neighbours import given_pairs, with_unusual

    assert len(with_unusual(given_pairs([pair]), None, beyond(None, False))) > 1


@pytest.mark.parametrize(
    "pair", [(0, 1), (True, False), ([1.0, 2.0], [1.0, 3.0]), ((0, 0), (1, -1)), ("a", "b"),
             ([1], [1, 2]), ([1.0], [1.0, 2.0, 3.0]), ([2.0], [1.0, 3.0]), (None, [1.0])]
)  # fmt: skip
def test_what_may_be_no_table_is_left_as_it_is(pair: Any) -> None:
    from metricdp.audit.measurements.neighbours import given_pairs, with_unusual

    assert len(with_unusual(given_pairs([pair]), None, Beyond())) == 1


def test_a_replaced_number_is_widened_where_the_space_says_that_it_is_a_row() -> None:
    pair, space = ([0.5, 1.0], [0.5, 0.0]), dp.Records[float, dp.Hamming]
    assert replay(row_first, pairs=[pair], space=space, epsilon=1).refuted
    assert not replay(row_first, pairs=[pair], epsilon=1).refuted
    bounded = Annotated[space, Bounds(0, 1)]
    assert not replay(row_first, pairs=[pair], space=bounded, epsilon=1).refuted


def clamped(rows: Any) -> Any:
    return sum(min(max(x, 0), 1) for x in rows)


def test_maps_made_by_hand_get_what_there_is() -> None:
    wrong = Transformation(ROWS, Scalar("Real"), clamped, "d_in", "clamped")
    found = audit.attack(wrong)
    assert found.refuted and "leaves its output space" in str(found)
    assert not audit.attack(wrong, guarded=True).refuted
    right = lambda rows: sum(max(0, min(1, x)) for x in rows)  # noqa: E731
    assert not audit.attack(Transformation(ROWS, Scalar("Real"), right, "d_in", "right")).refuted
    same = Transformation(ROWS, ROWS, lambda rows: [x for x in rows if x != 3], "d_in", "same")
    assert not audit.attack(same).refuted
    bounded = metric_space(Annotated[ROWS, Bounds(0, 9)])
    assert not audit.attack(Transformation(bounded, Scalar("Real"), clamped, "d_in", "b")).refuted


def test_an_overflow_leaves_the_real_numbers() -> None:
    space = metric_space(Annotated[dp.Vector[Real, L1], Size(3)])
    double = lambda values: 2.0 * float(sum(values))  # noqa: E731
    doubled = Transformation(space, Scalar("Real"), double, "2*d_in", "two")
    assert audit.attack(doubled).refuted
    assert not audit.attack(doubled, guarded=True).refuted


def test_measurements_made_by_hand_get_what_there_is() -> None:
    rng = np.random.default_rng()
    item = Measurement(ROWS, lambda rows: clamped(rows) + rng.laplace(), {"pure": ("d_in",)}, "m")
    assert replay(item).refuted and audit.measurement(item, samples=4000).refuted
    assert not replay(item, guarded=True).refuted


@dp.measurement
def total(x: dp.Records[float], eps: float) -> Any:
    return dp.laplace(dp.sum(dp.clamp(x, 0, 1)), epsilon=eps)


@pytest.mark.parametrize("rows", [[nan], [inf], [-inf, nan], [1.7e308, -0.0, 5e-324]])
def test_checked_functions_guard_their_inputs(rows: Any) -> None:
    for target, public in ((total, {"eps": 1.0}), (total.at(eps=1.0), None)):
        options: dict[str, Any] = {} if public is None else {"public": public}
        assert not replay(target, pairs=[([], rows)], **options).refuted


PROGRAM = """
from typing import Annotated
import numpy as np
import metricdp as dp

def naive(rows: dp.Records[float]):
    return sum(min(max(x, 0.0), 1.0) for x in rows) + np.random.laplace()

def declared(rows: Annotated[dp.Records[float], dp.NoNaN]):
    return naive(rows)
"""


def test_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "naive.py"
    path.write_text(PROGRAM)
    options = ["--epsilon", "3", "--samples", "400", "--seconds", "60"]
    assert main(["audit", f"{path}::naive", *options]) == 1
    assert "x' = [nan]" in capsys.readouterr().out
    assert main(["audit", f"{path}::naive", *options, "--guarded"]) == 0
    assert KEPT_OUT in capsys.readouterr().out
    assert main(["audit", f"{path}::declared", *options]) == 0
    assert KEPT_OUT in capsys.readouterr().out


SURPRISES = [
    entry for entry in GALLERY.values() if entry.run.__module__.endswith(".surprises")
]  # fmt: skip


@pytest.mark.parametrize("entry", SURPRISES, ids=lambda e: e.name)
def test_the_gallery_finds_them_by_widening(entry: GalleryEntry) -> None:
    assert audit_entry(entry).refuted == (entry.right == "refuted")
    if entry.name in ("product_moment_of_the_uncut_rows",):
        return
    claim = {"epsilon": entry.epsilon, "pairs": entry.pairs, "guarded": True}
    assert not replay(entry.run, **claim).refuted


def test_values_of_a_cell() -> None:
    every = Beyond()
    assert UNSEEN in every.of(Scalar("Data", kind="str")) and every.of(Scalar("Bool")) == []
    assert all(v - v == 0 for v in every.of(Scalar("Real")))
    found = every.of(Scalar("Data", kind="float"))
    assert isnan(found[0]) and {inf, -inf, 5e-324} <= set(found[1:])
    assert not any(map(isnan, Beyond(missing=False).of(Scalar("Data", kind="float"))))
    whole = every.of(Scalar("Data", kind="int"))
    assert {0, 1, -1, 2**53 + 1, 2**63} <= set(whole) and all(type(v) is int for v in whole)
    assert not holds(metric_space(Annotated[ROWS, Bounds(0, 1)]), [nan], every)
    assert not holds(metric_space(TEXTS), [nan], every)
