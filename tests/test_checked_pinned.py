"""What was checked is what runs: replacing anything after the check changes nothing, or refuses."""

from __future__ import annotations

import builtins
import linecache
import math
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from checked_modules import HEAD, load

import metricdp as dp
from metricdp.errors import MetricdpError, NotProvedError, SourceError
from metricdp.record import REGISTRY

PROGRAM = """
FACTOR = 2


def cut(x, limit=20):
    return dp.clamp(x, 0, limit)


@dp.transformation
def total(x: dp.Records[float]):
    return dp.sum(cut(x)) * FACTOR


@dp.measurement
def noisy(x: dp.Records[float], eps: float):
    return dp.laplace(dp.sum(cut(x)) * FACTOR, epsilon=eps)
"""
DATA = [1.0, 1000.0, 4.0]
EXPECTED = 2 * (1 + 20 + 4)


def test_rebinding_what_the_module_names_changes_nothing(tmp_path: Path) -> None:
    module: Any = load(tmp_path, PROGRAM)
    module.cut = lambda x, limit=20: x
    module.FACTOR = 1000
    module.dp = None
    assert module.total(DATA) == EXPECTED
    module.cut = None
    assert module.total(DATA) == EXPECTED


def test_patched_defaults_and_code_of_a_helper_change_nothing(tmp_path: Path) -> None:
    module: Any = load(tmp_path, PROGRAM)
    module.cut.__defaults__ = (10**6,)
    module.cut.__code__ = (lambda x, limit=20: x).__code__
    assert module.total(DATA) == EXPECTED


def test_patched_code_of_the_checked_function_refuses_before_and_is_ignored_after(
    tmp_path: Path,
) -> None:
    evil = (lambda x: 7).__code__
    before: Any = load(tmp_path, PROGRAM)
    before.total.__wrapped__.__code__ = evil
    with pytest.raises(SourceError, match="not a top-level function"):
        before.total(DATA)
    after: Any = load(tmp_path, PROGRAM)
    assert after.total(DATA) == EXPECTED
    after.total.__wrapped__.__code__ = evil
    assert after.total(DATA) == EXPECTED


def test_patched_defaults_of_the_checked_function_change_nothing(tmp_path: Path) -> None:
    module: Any = load(
        tmp_path,
        """
        @dp.measurement
        def noisy(x: dp.Records[float], eps: float = 1.0):
            return dp.laplace(dp.count(x), epsilon=eps)
        """,
    )
    module.noisy.__defaults__ = (99.0,)
    module.noisy.__wrapped__.__defaults__ = (99.0,)
    assert module.noisy(DATA).privacy["epsilon"] == "1"


def test_monkeypatched_library_names_change_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module: Any = load(tmp_path, PROGRAM)
    monkeypatch.setattr(dp, "clamp", lambda x, low, high: x)
    monkeypatch.setattr(dp, "sum", lambda x: 0, raising=False)
    assert module.total(DATA) == EXPECTED


def test_a_replaced_record_is_not_used_after_the_check(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import msgspec

    module: Any = load(tmp_path, PROGRAM)
    for function in (module.total, module.noisy):
        assert function.guarantee.data.private()  # checked here, before the replacement

    def evil(*args: Any, **keywords: Any) -> Any:
        return 10**9

    for name in ("clamp", "sum", "mul", "laplace"):
        bad = msgspec.structs.replace(
            REGISTRY[name], run=evil, columnar=evil, tabular=evil, rule=evil
        )
        monkeypatch.setitem(REGISTRY, name, bad)
    assert module.total(DATA) == EXPECTED
    with dp.handling(dp.Seeded(1)):
        assert abs(module.noisy(DATA, eps=1e6).value - EXPECTED) < 1


@pytest.mark.parametrize(
    ("name", "attribute"), [("clamp", "run"), ("sum", "tabular"), ("mean", "columnar")]
)
def test_a_reference_function_changed_in_place_refuses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, attribute: str
) -> None:
    module: Any = load(tmp_path, PROGRAM)
    assert module.total(DATA) == EXPECTED
    function = getattr(REGISTRY[name], attribute)
    monkeypatch.setattr(function, "__code__", (lambda x, lower, upper: x).__code__)
    with pytest.raises(SourceError, match=f"reference function of {name} was replaced"):
        module.total(DATA)


@pytest.mark.parametrize(
    ("owner", "name"), [(builtins, "sum"), (builtins, "len"), (builtins, "max"), (math, "floor")]
)
def test_replaced_builtins_refuse(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, owner: Any, name: str
) -> None:
    module: Any = load(tmp_path, PROGRAM)
    assert module.total(DATA) == EXPECTED
    with monkeypatch.context() as patch:
        patch.setattr(owner, name, lambda *args, **keywords: 0)
        try:
            module.total(DATA)
        except SourceError as error:
            message = error.fact
        else:
            message = ""
    assert f"{owner.__name__}.{name} was replaced" in message
    assert module.total(DATA) == EXPECTED


def test_a_replaced_emit_is_not_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import metricdp.run.draws
    import metricdp.run.emit

    module: Any = load(tmp_path, PROGRAM)
    monkeypatch.setattr(metricdp.run.emit, "emit", lambda draw, value, handler=None: value)
    monkeypatch.setattr(metricdp.run.draws, "perform", lambda draw, value, source: value)
    with dp.handling(dp.Seeded(3)):
        assert module.noisy(DATA, eps=0.01).value != EXPECTED


def test_a_file_changed_after_the_check_changes_nothing(tmp_path: Path) -> None:
    module: Any = load(tmp_path, PROGRAM)
    assert module.total(DATA) == EXPECTED
    _rewrite(module, "FACTOR = 2", "FACTOR = 3")
    assert module.total(DATA) == EXPECTED


def test_a_file_changed_before_the_check_refuses(tmp_path: Path) -> None:
    module: Any = load(tmp_path, PROGRAM)
    _rewrite(module, "dp.sum(cut(x)) * FACTOR", "dp.sum(cut(x)) + FACTOR")
    with pytest.raises(SourceError, match="has changed since it was loaded"):
        module.total(DATA)
    _rewrite(module, "@dp.transformation", "# moved\n@dp.transformation")
    with pytest.raises(SourceError, match="has changed since it was loaded"):
        module.total(DATA)


def test_a_helper_changed_on_disk_is_checked_and_run_as_one_text(tmp_path: Path) -> None:
    """Never the guarantee of one text and the result of the other."""
    module: Any = load(tmp_path, PROGRAM)
    _rewrite(module, "limit=20", "limit=30")
    try:
        stability = module.total.at().map(1)
    except SourceError:
        return
    assert stability == 60
    assert module.total([1000.0]) == 60


def test_a_helper_of_an_imported_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "cutting.py").write_text(f"{HEAD}def cut(x):\n    return dp.clamp(x, 0, 20)\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    module: Any = load(
        tmp_path,
        """
        import cutting
        from cutting import cut


        @dp.transformation
        def total(x: dp.Records[float]):
            return dp.sum(cut(x)) + dp.sum(cutting.cut(x))
        """,
    )
    assert module.total(DATA) == 50
    sys.modules["cutting"].cut = lambda x: x  # type: ignore[attr-defined]
    module.cut = lambda x: x
    (tmp_path / "cutting.py").write_text(f"{HEAD}def cut(x):\n    return x\n")
    assert module.total(DATA) == 50
    assert module.total.at().map(1) == 40
    sys.modules.pop("cutting", None)


def _rewrite(module: Any, old: str, new: str) -> None:
    path = Path(module.__file__)
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    # File times are too coarse to tell two writes of one test apart.
    os.utime(path, (0, os.stat(path).st_mtime + 5))


# -- where there is no text to check ---------------------------------------------------------


TEXT = (
    "import metricdp as dp\n"
    "@dp.transformation\n"
    "def f(x: dp.Records[float]):\n"
    "    return dp.count(x)\n"
)


@pytest.mark.parametrize("file", ["<stdin>", "<string>", "/nowhere/at/all.py"])
def test_functions_without_source_are_refused(file: str) -> None:
    names: dict[str, Any] = {"__name__": "typed"}
    exec(compile(TEXT, file, "exec"), names)
    with pytest.raises(SourceError, match="cannot be found") as caught:
        names["f"]([1.0])
    assert "notebook cell" in caught.value.remedy


def test_notebook_cells_are_read() -> None:
    """IPython puts the text of a cell into linecache under the name that its code has."""
    file = "/tmp/ipykernel_1/123456.py"
    linecache.cache[file] = (len(TEXT), None, TEXT.splitlines(keepends=True), file)
    try:
        names: dict[str, Any] = {"__name__": "__main__"}
        exec(compile(TEXT, file, "exec"), names)
        assert names["f"]([1.0, 2.0]) == 2
        assert str(names["f"].guarantee)
    finally:
        del linecache.cache[file]


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("@wraps\n@dp.transformation\ndef f(x: dp.Records[float]):\n    return dp.count(x)\n",
         NotProvedError, "decorators"),
        ("@dp.transformation\n@dp.transformation\ndef f(x: dp.Records[float]):\n"
         "    return dp.count(x)\n",
         SourceError, "no plain Python function"),
        ("def outer():\n    @dp.transformation\n    def f(x: dp.Records[float]):\n"
         "        return dp.count(x)\n    return f\nf = outer()\n", SourceError, "top-level"),
        ("f = dp.transformation(lambda x: dp.count(x))\n", SourceError, "top-level"),
        ("class A:\n    @dp.transformation\n    def f(x: dp.Records[float]):\n"
         "        return dp.count(x)\nf = A.f\n", SourceError, "top-level"),
        ("class F:\n    def __call__(self, x): return x\nf = dp.transformation(F())\n",
         SourceError, "no plain Python function"),
        ("import functools\nf = dp.transformation(functools.partial(max, 1))\n",
         SourceError, "no plain Python function"),
        ("f = dp.transformation(len)\n", SourceError, "no plain Python function"),
        ("def g(x: dp.Records[float]):\n    return dp.count(x)\nf = dp.transformation(g)\n",
         NotProvedError, "not recognised"),
        ("async def g(x): return x\nf = dp.transformation(g)\n", SourceError, "top-level"),
    ],
)  # fmt: skip
def test_functions_that_cannot_be_checked_are_refused(
    tmp_path: Path, text: str, error: type[MetricdpError], message: str
) -> None:
    module: Any = load(tmp_path, "def wraps(g):\n    return g\n\n\n" + text)
    with pytest.raises(error, match=message) as caught:
        module.f([1.0])
    assert caught.value.remedy


def test_two_functions_of_one_name_are_told_apart(tmp_path: Path) -> None:
    module: Any = load(
        tmp_path,
        """
        @dp.transformation
        def f(x: dp.Records[float]):
            return dp.count(x)


        first = f


        @dp.transformation
        def f(x: dp.Records[float]):
            return dp.sum(dp.clamp(x, 0, 5))
        """,
    )
    assert module.first([1.0, 9.0]) == 2
    assert module.f([1.0, 9.0]) == 6
