"""Loops over public keys: exact losses of runs, runs beside plain Python, and keys that repeat."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import date
from itertools import islice, product
from pathlib import Path
from sys import float_info
from types import ModuleType
from typing import Any

import pytest
from checked_modules import load
from test_filters import loss, neighbours

from metricdp.check.values import regions
from metricdp.errors import ParameterError
from metricdp.run.different import different
from metricdp.run.emit import Recording, Seeded, handling

HEAD = """
from dataclasses import dataclass


@dataclass
class R:
    k: int
    x: float
    s: str
    b: bool


"""
PROGRAM = """@dp.measurement
def {name}(rows: dp.Records[R{metric}], keys: {type}, eps: float):
    out = {{}}
    for {target} in {source}:
        part = [r for r in rows if {test}]
        out[k] = dp.laplace({what}, epsilon=eps)
    return out


"""
SOURCES = (
    ("list[int]", "k", "keys"), ("list[float]", "k", "sorted(set(keys))"),
    ("tuple[int, ...]", "k", "set(keys)"), ("list[int]", "k", "dict.fromkeys(keys)"),
    ("dict[int, float]", "k, v", "keys.items()"), ("dict[int, float]", "v, k", "keys.items()"),
    ("list[int]", "i, k", "enumerate(keys)"), ("list[int]", "k", "[keys[0], keys[0], keys[1]]"),
    ("list[int]", "k", "(keys[i // 2] for i in range(len(keys)))"), ("list[int]", "k", "{3, 0, 1}"),
    ("list[int]", "j, k", "zip({2, 0, 1}, {1, 2, 3})"),
)  # fmt: skip
TESTS = (
    "r.k == k", "r.x == k", "not (r.k != k)", "r.k == k or r.x == k", "r.k == k // 2", "r.k != k",
    "r.k // 2 == k", "r.b and k == r.x", "r.x <= k", "float(r.k) == k", "r.k == keys[0]",
)  # fmt: skip
COUNT, SUM = "dp.count(part)", "dp.sum([dp.clamp(r.x, 0, 2) for r in part])"


def module(folder: Path, metric: str = "") -> tuple[ModuleType, dict[str, str]]:
    """Every loop with some tests, every test in some loops, and the type of the keys by name."""
    text, kinds = HEAD, {}
    for i, ((kind, target, source), test) in enumerate(product(SOURCES, TESTS)):
        name, what = f"p{i}", (COUNT, SUM)[i % 2]
        if (i % 5 and test != "r.k == k") or (kind.startswith("dict") and "keys[0]" in test):
            continue
        text += PROGRAM.format(
            name=name, metric=metric, type=kind, target=target, source=source, test=test, what=what
        )
        kinds[name] = kind
    return load(folder, text), kinds


def given(rng: random.Random, kind: str) -> Any:
    numbers = [rng.choice((0, 1, 2, 3)) for _ in range(3)]
    if kind.startswith("dict"):
        return {k: float(rng.choice((0, 1))) for k in numbers}
    if kind == "list[float]":
        return [rng.choice((float(k), -0.0 if k == 0 else k)) for k in numbers]
    return tuple(numbers) if kind.startswith("tuple") else numbers


def attacked(found: ModuleType, kinds: dict[str, str], replaces: bool) -> Iterator[str]:
    """Programs with a run that loses more than was proved."""
    rng, proofs = random.Random(5), 0
    for name, kind in kinds.items():
        function = getattr(found, name)
        if function.outcome.verdict != "proved":
            continue
        proofs += 1
        pairs = islice(neighbours(rng, found.R, replaces), 0, None, 2)
        for seed, (table, other, distance) in enumerate(pairs):
            keys = given(rng, kind)

            def run(rows: Any, eps: float, keys: Any = keys, function: Any = function) -> Any:
                return function(rows, keys, eps)

            try:
                cost = proved_at(function, keys, distance)
                if loss(run, table, other, seed) > cost:
                    yield name
                    break
            except ParameterError as error:
                assert "twice" in str(error)
    assert proofs >= 15


def proved_at(function: Any, keys: Any, distance: int) -> Any:
    found = function.map(distance, eps=1.0, keys=keys)
    return found if not isinstance(found, tuple) else found[0]


@pytest.mark.parametrize("metric", ("", ", dp.ChangeOne"))
def test_no_run_loses_more_than_was_proved(metric: str, tmp_path: Path) -> None:
    found, kinds = module(tmp_path, metric)
    assert not list(attacked(found, kinds, bool(metric)))


@pytest.mark.parametrize("name", ("are_different", "is_next"))
def test_keys_that_are_wrongly_different_are_seen(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(regions, name, lambda *given: True)
    found, kinds = module(tmp_path)
    assert next(attacked(found, kinds, False), None)


#: Keys of a release, in their order, by the position of their source.
ORDERS = ([3, 1, 4], [1, 3, 4], [1, 3, 4], [3, 1, 4], [3, 1], [1.0, 2.0], [3, 1, 4])


def test_a_run_gives_what_python_gives(tmp_path: Path) -> None:
    text = HEAD + "".join(
        PROGRAM.format(
            name=f"p{i}", metric="", type=kind, target=target, source=source, test="r.k == k",
            what=COUNT,
        )
        for i, (kind, target, source) in enumerate(SOURCES[:7])
    )  # fmt: skip
    found = load(tmp_path, text)
    rows = [found.R(k, 0.0, "a", True) for k in (3, 1, 1, 2, 2, 2)]
    for i, wanted in enumerate(ORDERS):
        keys: Any = {3: 1.0, 1: 2.0} if SOURCES[i][0].startswith("dict") else [3, 1, 4]
        keys = tuple(keys) if SOURCES[i][0].startswith("tuple") else keys
        recorder = Recording(Seeded(0))
        with handling(recorder):
            released = getattr(found, f"p{i}")(rows, keys, 1.0).value
        assert list(released) == wanted
        assert [each.value for each in recorder.log] == [
            sum(r.k == k for r in rows) for k in wanted
        ]


def test_keys_that_repeat_are_named_before_data_are_read(tmp_path: Path) -> None:
    text = HEAD + PROGRAM.format(
        name="f",
        metric="",
        type="list[int]",
        target="k",
        source="keys",
        test="r.k == k",
        what=COUNT,
    )
    function = load(tmp_path, text).f
    for keys in ([1, 2, 1], [1, True], [0, 5, -0]):
        with pytest.raises(ParameterError, match="stands in `keys` twice"):
            function("no rows", keys, 1.0)
    with pytest.raises(ParameterError, match="stands in `keys` twice"):
        function.at(keys=[1, 1], eps=1.0)
    with pytest.raises(ParameterError, match="keys: all different"):
        function.guarantee.data.held({"len_keys": 3, "different_keys": 2})
    assert proved_at(function, [1, 2], 1) == 1
    with pytest.raises(ParameterError, match="one double"):
        function("no rows", [2**53, 2**53 + 1], 1.0)


def test_what_is_different() -> None:
    assert different("keys", [1, 1.0, True, 2]) == (2, [1.0])
    assert different("keys", ["a", "A", "", date(2026, 1, 1)]) == (4, [])
    assert different("keys", [0.0, -0.0, float("inf")])[0] == 2
    largest, infinite = float_info.max, float("inf")  # rows hold the second as the first
    ends = ([largest, infinite], [-infinite, -largest], [10**308 * 2, infinite])
    for strange in ([float("nan")], ["a", "a\0"], [10**400], [2**53, 2**53 + 1], *ends):
        with pytest.raises(ParameterError, match="are told apart"):
            different("keys", strange)
