"""Public arguments of the library and of tracked values, and private data: read once, laid bare.

As in `test_attack_arguments`: whatever runs code of its own is refused or laid bare.
"""

from __future__ import annotations

import inspect
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from spies import SEEN, Evil, Growing, Liar, Proxy, between, open_session, spied

import metricdp as dp
from metricdp import maps
from metricdp.errors import MetricdpError
from metricdp.maps import make
from metricdp.record import REGISTRY
from metricdp.run.guards import admit
from metricdp.spaces import space_of


def _numeric() -> list[tuple[str, Any, str]]:
    from metricdp.primitives import load as load_records

    load_records()
    found = []
    for name, record in sorted(REGISTRY.items()):
        if record.kind == "control":
            continue
        for instance in record.instances():
            for key, value in instance.public.items():
                number = type(value) in (int, float, Fraction)
                if number and len(instance.private) == 1 and not instance.bodies:
                    found.append((name, instance, key))
            break
    return found


@pytest.mark.parametrize(
    ("name", "instance", "key"), _numeric(), ids=lambda v: v if isinstance(v, str) else ""
)
def test_public_numbers_of_every_primitive_are_laid_bare(
    name: str, instance: Any, key: str
) -> None:
    """No operator of the caller runs, when the map is made and when it is applied."""
    (space,) = instance.private.values()
    given = dict(instance.public)
    value = given[key]
    base = type(value)
    SEEN.clear()
    given_spied = base.__new__(spied(base), value)
    try:
        expected = make(name, space, **given)
    except MetricdpError:
        with pytest.raises(MetricdpError):
            make(name, space, **{**given, key: given_spied})
        return
    found = make(name, space, **{**given, key: given_spied})
    assert found == expected and SEEN == []
    with pytest.raises(MetricdpError):
        make(name, space, **{**given, key: Evil()})


def test_a_library_list_is_copied() -> None:
    categories = ["a", "b"]
    made = make("histogram", space_of(dp.Records[str]), categories=categories)
    before = list(made(["a", "b", "c"]))
    categories.extend(["c", "d"])
    assert list(made(["a", "b", "c"])) == before


def test_tracked_values_read_public_numbers_once() -> None:
    session = open_session(epsilon=1)
    clamped = dp.clamp(session["rows"], 0, np.array(10.0))
    SEEN.clear()
    tracked = dp.mul(dp.sum(clamped), int.__new__(spied(int), 3))
    scale = np.array(100.0)
    between(session, lambda: scale.fill(0.001))
    release = dp.laplace(tracked, scale=scale)
    assert release.draws[0].scale == 100 and SEEN == []
    assert session.left() == {"epsilon": 1 - Fraction(30, 100)}
    for evil in (Evil(), Liar(), Proxy()):
        with pytest.raises(MetricdpError):
            dp.mul(dp.sum(clamped), evil)
        with pytest.raises(MetricdpError):
            dp.clamp(session["rows"], evil, 3)
    with pytest.raises(MetricdpError):
        dp.sum(clamped) * Evil()


def test_tracked_choices_are_copied() -> None:
    session = dp.Session({"answer": (dp.Data, "a")}, budget=dp.Budget(epsilon=4))
    choices = ["a", "b"]
    between(session, lambda: choices.extend("c" * 50))
    release = dp.randomized_response(session["answer"], epsilon=1, choices=choices)
    assert release.draws[0].extra["k"] == 2 and release.value in ("a", "b")


def test_interaction_reads_thresholds_and_keys_once() -> None:
    class Threshold(float):
        def __le__(self, other: Any) -> bool:
            SEEN.append("le")
            return True

        __lt__ = __ge__ = __gt__ = __eq__ = __ne__ = __le__  # type: ignore[assignment]
        __hash__ = float.__hash__

    class Key(str):
        def __eq__(self, other: object) -> bool:
            SEEN.append("eq")
            return False

        __hash__ = str.__hash__

    SEEN.clear()
    rows = space_of(dp.Records[str])
    one = make("count", rows) >> make("laplace", make("count", rows).output_space, scale=1)
    parted = maps.partitioned(rows, None, [Key("a"), Key("b")], one)
    assert sorted(parted(["a", "b", "b"])) == ["a", "b"]
    with pytest.raises(MetricdpError):
        maps.sampled(one, rate=Evil())  # type: ignore[arg-type]
    with pytest.raises(MetricdpError):
        maps.best_of(one, stop=Fraction(1, 2), shape=Evil())  # type: ignore[arg-type]
    maps.sampled(one, rate=Threshold(0.5))
    assert SEEN == []


def test_budgets_and_units_are_laid_bare() -> None:
    SEEN.clear()
    half = float.__new__(spied(float), 0.5)
    assert dp.Budget(epsilon=half).epsilon == Fraction(1, 2)
    assert dp.Unit(every=half).every == Fraction(1, 2)
    assert SEEN == []


# -- private data ---------------------------------------------------------------------------------


def _admit(annotation: Any, value: Any) -> Any:
    return admit("x", space_of(annotation, "x"), value)


@pytest.mark.parametrize("base", [float, int, str, Fraction, np.float64, np.float32])
def test_cells_are_laid_bare(base: type) -> None:
    kind = {str: str, int: int}.get(base, float)
    SEEN.clear()
    cell = base.__new__(spied(base), "1" if base is str else 1)
    rows = [*_admit(dp.Records[kind], [cell, cell])]  # type: ignore[valid-type]
    assert rows == ["1", "1"] if base is str else [1, 1]
    assert SEEN == []


def test_data_by_protocol_are_read_once() -> None:
    class Changing:
        """An array that is another one at every look."""

        def __init__(self) -> None:
            self.looks = 0

        dtype, ndim, shape = np.dtype(float), 1, (2,)

        def __array__(self, *args: Any, **keywords: Any) -> Any:
            self.looks += 1
            return np.array([1.0, 2.0]) if self.looks == 1 else np.array([1.0] * 99)

        def __len__(self) -> int:
            return 99

    given = Changing()
    column = _admit(dp.Records[float], given)
    assert len(column) == 2 and list(column) == [1, 2] and given.looks == 1


def test_the_shape_and_dtype_of_an_array_stay_what_they_were() -> None:
    array = np.array([1.0, 2.0, 3.0, 4.0])
    column = _admit(dp.Records[float], array)
    array.shape, array.dtype = (2, 2), np.int64  # type: ignore[assignment]
    assert list(column) == [1, 2, 3, 4]


def test_an_array_that_is_written_to_meanwhile_still_meets_its_bounds() -> None:
    from typing import Annotated

    array = np.array([1.0, 2.0])
    column = _admit(dp.Records[Annotated[float, dp.Bounds(0, 3)]], array)
    array[:] = [1e9, np.nan]
    assert list(column) == [3, 0]


def test_lists_of_a_subclass_are_read_by_their_base() -> None:
    assert len(_admit(dp.Records[float], Growing([1.0] * 3))) == 3
    assert list(_admit(dp.Records[float], Growing([1.0] * 3))) == [1, 1, 1]


def test_a_spied_class_spies() -> None:
    """The spies of this file do tell."""
    for base in (int, float, str, Fraction, np.float64, list, dict):
        SEEN.clear()
        bool(spied(base)())
        assert SEEN or base is Fraction
    assert inspect.isclass(spied(int)) and bool(Evil() == 1)
