"""Short ways with the vectors of rows give what the long ones give, bit for bit."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest
from column_graphs import evaluated_by

from metricdp.columns import arrays, totals
from metricdp.columns.grids import Squares, ball_of
from metricdp.columns.language import Node, add, between, clamp, mul, scaled_into, stored, total
from metricdp.columns.progress import more_rounds, rounds
from metricdp.columns.reference import value_of
from metricdp.columns.repeated import Returning, _largest
from metricdp.columns.stored import Stored
from metricdp.columns.table import Table
from metricdp.columns.totals import BallTotal, SquaresTotal, add_all, ball_ticks

#: Lengths beside a radius, as shares of it: to the last place, a little off, and far off.
SHARES = (
    *(1 + sign * 2.0**-k for sign in (-1, 1) for k in (52, 51, 50, 49, 48, 47, 46, 40)),
    0.0, 0.5, 1.0, 2.0, 1e-5, 1e-170, 1e-320, 1e10, 1e290,
)  # fmt: skip
RADII = (1.0, 0.75, 1e-3, 2.0**-399, 2.0**399, 1e-200, 1e200, 1e-310, 5e-324, 1.7e308)


def around(width: int, radius: float, count: int) -> Any:
    """Vectors as long as a share of a radius; an array of shape (width, count)."""
    random = np.random.default_rng(width)
    rows = random.normal(size=(count, width))
    rows /= np.sqrt((rows * rows).sum(axis=1, keepdims=True))
    rows *= (radius * random.choice(SHARES, count))[:, None]
    odd = random.choice([0.0, -0.0, 5e-324, 1.7e308, -1e160, 1e-160], count)
    rows[:, 0] = np.where(random.random(count) < 0.1, odd, rows[:, 0])
    return np.clip(rows, -1.7e308, 1.7e308).T.copy()


@pytest.mark.parametrize("norm", ["L2", "L1", "LInf"])
@pytest.mark.parametrize("width", [1, 2, 3, 10, 33])
def test_rows_that_are_surely_short_are_the_ones_that_stay(width: int, norm: str) -> None:
    lengthened = stayed = 0
    for radius in RADII:
        node = scaled_into(stored(0, "double", width), norm, radius)
        with np.errstate(all="ignore"):
            x = around(width, radius, 150)
            lengths = np.sqrt((x / radius * x / radius).sum(axis=0))
            for each in (x, x[:, np.argsort(lengths)[:90]]):  # many long rows, and few
                found = arrays._scaled_into(node, each)
                whole = arrays._scaled_where_longer(each, norm, radius)
                assert found.tobytes() == whole.tobytes()
                assert found.T.tolist() == [value_of(node, row) for row in each.T.tolist()]
                lengthened += int((found != each).any(axis=0).sum())
                stayed += int(arrays._surely_shorter(each, norm, radius).sum())
            alone = [arrays._scaled_into(node, x[:, i : i + 1]) for i in range(150)]
            assert np.hstack(alone).tobytes() == arrays._scaled_into(node, x).tobytes()
    assert lengthened > 100 and (stayed > 300) == (norm == "L2")


@pytest.mark.parametrize("radii", [[("L2", 1)], [("L1", 2)], [("LInf", 1)]], ids=str)
@pytest.mark.parametrize("rows", [1, totals._ROWS, 2 * totals._ROWS + 77])
def test_sums_of_pieces_of_rows_are_sums_of_all(rows: int, radii: Any) -> None:
    ball = ball_of(None, None, [(norm, Fraction(r)) for norm, r in radii])
    assert ball is not None
    random = np.random.default_rng(rows)
    vectors = random.uniform(-0.3, 0.3, (3, rows))
    for scale in (1.0, 9.0):  # all surely inside, and some outside
        number = random.uniform(-1, 1, rows)
        number[:50] *= scale
        for x in ((number, vectors), number * vectors):
            known = partial(_largest, x[1] if isinstance(x, tuple) else x)
            expected = ball_ticks(x, ball).astype(object).sum(axis=1).tolist()
            sums: Any = BallTotal(ball, 3), SquaresTotal(Squares(ball), 3), BallTotal(ball, 3)
            add_all(sums[:1], [ball], [x], [known])
            assert sums[0].sum == expected
            # Two sums of the same vectors share what is made of them.
            add_all(sums[1:], [Squares(ball), ball], [x, x], [known, known])
            assert sums[2].sum == expected
            single: Any = SquaresTotal(Squares(ball), 3)
            add_all([single], [Squares(ball)], [x], [known])
            assert single.sum == sums[1].sum


X, Y = stored(0, "double", 3), stored(1, "double", None)
WRITTEN: dict[str, Callable[[Node], list[Node]]] = {
    "read by two": lambda x: [add(total(x), total(mul(x, x))), total(x)],
    "a result, too": lambda x: [total(x), x],
    "a result before": lambda x: [x, total(x)],
    "summed twice": lambda x: [add(total(x), mul(Y, total(x)))],
    "read later": lambda x: [mul(total(x), x)],
}


@pytest.mark.parametrize("name", WRITTEN)
def test_a_sum_writes_on_nothing_that_is_read_again(name: str) -> None:
    held = np.random.default_rng(1).normal(size=(20, 3)), np.arange(20.0)
    before = [each.copy() for each in held]
    for inner in (X, mul(X, 2.0), mul(X, [1.0, 2.0, 3.0]), clamp(X, -1, 1), mul(Y, X)):
        nodes = WRITTEN[name](inner)
        table = Table((Stored("double", held[0]), Stored("double", held[1])), nodes[0])
        found = [x.tolist() for _, made in table.pieces(*nodes) for x in made]
        with evaluated_by("reference"):
            expected = [x.tolist() for _, made in table.pieces(*nodes) for x in made]
        assert found == expected
    assert all((a == b).all() for a, b in zip(held, before, strict=True))


def test_the_first_of_several_rounds_keeps_what_depends_on_rows_alone() -> None:
    """And the last one, or what is no round, keeps nothing that is met for the first time."""
    ball = ball_of(None, None, [("L2", Fraction(1))])
    assert ball is not None
    held = np.random.default_rng(2).normal(size=(50, 3)), np.random.default_rng(3).normal(size=50)
    x = scaled_into(X, "L2", 1.0)

    def asked(w: float) -> list[Any]:
        return [(mul(add(total(mul(x, [w, 1.0, w])), clamp(Y, 0, 1)), x), ball)]

    def fresh() -> Table:
        return Table((Stored("double", held[0]), Stored("double", held[1])), (X, Y))

    for count in (1, 2, 5):
        table, kept = fresh(), []
        for at in rounds(range(count)):
            assert more_rounds() == (at < count - 1)
            assert table.ticks(asked(0.1 * at)) == fresh().ticks(asked(0.1 * at))
            kept.append(len(table._repeated.returning._arrays))
        assert kept == [2 if count > 1 else 0] * count
    assert not more_rounds()
    table = fresh()
    table.ticks(asked(0.5))
    assert not table._repeated.returning._arrays


def test_sums_leave_what_is_kept_as_it_is() -> None:
    """What is kept is shared with later rounds; some operators give what they are given."""
    held = Stored("double", np.random.default_rng(4).normal(size=(40, 3)))
    inside, ball = scaled_into(X, "L2", 100.0), ball_of(None, None, [("L2", Fraction(9))])
    assert ball is not None
    table = Table((held,), X)
    for at in rounds(range(6)):
        for inner in (X, inside, scaled_into(inside, "L2", 100.0), between(X, 0, 2, 1)):
            asked: list[Any] = [(mul(X, add(total(inner), 0.1 * at)), ball)]
            assert table.ticks(asked) == Table((held,), X).ticks(asked)


def test_functions_from_outside_are_never_kept_at_first() -> None:
    class Doubled:
        width = 3

        def row(self, row: Any) -> Any:
            return [2 * each for each in row]

        def rows(self, rows: Any) -> Any:
            return 2 * rows

    from metricdp.columns.language import called

    planned = Returning(10, 1).planned([mul(called(Doubled(), X), X)], True)
    assert [node.operator for node in planned.fresh.values()] == ["stored"]
