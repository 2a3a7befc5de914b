"""What check says runs row by row is what a run does row by row, in every program there is.

Programs that none of the tried arguments fits are listed in `NOT_RUN`: a program that joins them
unseen would not be compared.
"""

from __future__ import annotations

import contextlib
import datetime
import importlib.util
import io
import json
import re
import sys
from collections.abc import Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from checked_modules import load
from depth import depth
from mdtest import PROGRAM, Program, check, programs, title

import metricdp as dp
from metricdp.check import check_source
from metricdp.check.source.codes import first_line
from metricdp.check.verdicts import claims
from metricdp.check.verdicts.verify import Outcome
from metricdp.checked import execution, prepared
from metricdp.checked import function as checked_function
from metricdp.checked.function import CheckedFunction
from metricdp.checked.path import columns_path, library_path, the_path
from metricdp.diagnostics.result import ByRow, to_json
from metricdp.errors import MetricdpError
from metricdp.report import render_text
from metricdp.run.machine import Machine
from metricdp.spaces import Aligned, Matrix, Records, Vector
from metricdp.spaces.base import symbols_of

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted((ROOT / "tests" / "programs").rglob("*.md"))
FILES = [
    *sorted((ROOT / "metricdp" / "algorithms").glob("[a-z]*.py")),
    *sorted((ROOT / "examples").glob("[a-z]*.py")),
    ROOT / "benchmarks" / "calls_programs.py",
]
#: Files and programs that are no module here: libraries that are not installed, a training that
#: takes half a minute, the cells of a notebook, of which some end in an error, and programs whose
#: import is the mistake that their page shows.
NO_MODULE = {
    "analysts", "train_digits", "train_digits_torch", "bad_input::not-python-1",
    "bad_input::parameters-that-say-nothing-1",
    "black_boxes::any-callable-of-any-library-1", "black_boxes::a-default-is-a-public-literal-1",
    "fields_of_several::types-that-are-no-fields-1",
    "features/values::1-plain-python-read-and-not-run-1", "helps/names::missing-import-1",
    "helps/names::missing-import-3", "helps/names::missing-import-5",
    "museum/red::a-decorator-whose-name-has-two-meanings-does-not-make-the-function-vanish-1",
    "ids::a-column-that-tells-nobody-apart-1", "shared_ids::a-unit-that-nothing-tells-1",
    "several_errors::parameters-and-claims-1",
    "zones::names-that-are-none-and-fields-that-are-no-moments-1",
    "second_survey::fields-with-written-values-2",
}  # fmt: skip
#: Programs that no arguments fitted.
NOT_RUN = {
    "calls_programs::train_in_batches",
    # Run by test_ten_questions.
    "ten_questions::on_each_day", "ten_questions::most_flown_to",
    # Whole numbers that no double tells apart are compared row by row, which check does not say.
    "groups::near-misses-what-is-not-one-group-is-charged-for-all-rows-1::"
    "numbers_that_a_double_may_confuse says [], does ['141:23']",
    "clusters::clusters", "model_choice::choose_model",

    "descent::the-movement-of-k-steps-is-a-geometric-sum-1::between",
    "parallel::every-row-answers-for-itself-1::answers",
    "seeds_two_arguments::numpy-joins-a-tuple-of-vectors-a-method-that-changes-its-vector-is-"
    "rejected-1::joined",
    # A lambda reads what the loop adds to, so a run goes row by row, which check does not say.
    # Roots of what a mask leaves, and conditions with arithmetic that are asked again.
    "columns_of_numbers::arithmetic-on-columns-1::masked says [], does ['74:29']",
    "museum/attack_second_readings::rows-that-are-read-in-two-ways-1::behind_a_comparison says [], "
    "does ['76:11']",
    "museum/attack_second_readings::rows-that-are-read-in-two-ways-1::behind_a_test says [], "
    "does ['68:11']",
    "fourth_survey::transport-positions-in-a-public-list-and-lists-of-lists-1::flows says [], "
    "does ['27:4']",
}  # fmt: skip
_UNPROVED = re.compile(r"^ *def (\w+).*# (?:rejected|refuted)\b", re.MULTILINE)
#: Values of a public parameter, by its annotation; those that a program refuses are passed over.
CHOICES: Mapping[str, tuple[Any, ...]] = {
    "float": (0.5, 1.0, 2.0, 20.0, 0.01), "int": (2, 3, 1, 5), "bool": (True, False),
    "str": ("a",), "date": (datetime.date(2024, 2, 29), datetime.date(1970, 1, 1)),
    "datetime": (datetime.datetime(2024, 2, 29, 12), datetime.datetime(1969, 12, 31)),
}  # fmt: skip
#: How often a program is tried with other public values, and how many of the runs are enough: of
#: 583 programs the first run showed every place that three show.
TRIES, ENOUGH = 80, depth(1, 3)


#: Libraries that nobody has, of pages about black boxes.
MADE_UP = ("library", "some_library")


class _MadeUp(ModuleType):
    """A library whose functions all fail, so that a box that calls them gives its default."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)

        def failing(*args: Any, **keywords: Any) -> Any:
            raise ValueError(name)

        return failing


class _Watched(Machine):
    """A machine whose notes are kept."""

    seen: dict[str, str]

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.by_row = _Watched.seen


@pytest.fixture(autouse=True)
def _watching(monkeypatch: pytest.MonkeyPatch) -> None:
    for held in (the_path, library_path, columns_path):
        held()  # what later tests compare with is what stands there now
    monkeypatch.setattr(execution, "Machine", _Watched)
    for name in MADE_UP:
        monkeypatch.setitem(sys.modules, name, _MadeUp(name))
    # What a run costs says nothing of rows.
    monkeypatch.setattr(prepared, "spent_at", lambda guarantee, arguments: {})


def places(notes: tuple[ByRow, ...]) -> set[str]:
    """The notes as a run addresses them."""
    return {f"{note.line}:{note.column - 1}" for note in notes}


def ran(function: CheckedFunction[Any, Any], name: str) -> set[str] | None:
    """Where runs went row by row; None where no arguments were found that the program accepts."""
    guarantee = function.guarantee.data
    rng = Random(name)
    _Watched.seen, done = {}, 0
    for _ in range(TRIES):
        if done == ENOUGH:
            break
        public = {i.name: _public(i.type, rng) for i in guarantee.inputs if i.space is None}
        with contextlib.suppress(Exception), dp.handling(dp.Seeded(1)):
            function(**{i.name: _data(i.space, public, rng) for i in guarantee.private()}, **public)
            done += 1
    return set(_Watched.seen) if done else None


def _public(kind: str, rng: Random) -> Any:
    if kind in CHOICES:
        return rng.choice(CHOICES[kind])
    head, _, rest = kind.partition("[")
    items = [part.strip() for part in rest.removesuffix("]").split(",")]
    if head in ("list", "set", "dict") and items[0] in ("str", "int", "date", "datetime"):
        keys = list(dict.fromkeys(_public(items[0], rng) for _ in range(3)))
        held = {k: _public(items[-1], rng) for k in keys}
        return {"list": keys, "set": set(keys), "dict": held}[head]
    if head != "tuple" or not rest:
        row = [rng.choice(CHOICES["float"]) for _ in range(3)]
        return rng.choice((row, [row, row]))
    if items[-1] == "...":
        items = [items[0]] * 3
        if items[0] in ("str", "int"):  # keys, perhaps, which have to be different
            return tuple(dict.fromkeys(_public(item, rng) for item in items))
    return tuple(_public(item, rng) for item in items)


def _data(space: Any, public: Mapping[str, Any], rng: Random) -> Any:
    """Four rows, or what a declared size says; sizes without a value are 3."""
    known = {k: Fraction(v) for k, v in public.items() if isinstance(v, int | float)}
    found = space.at({**dict.fromkeys(symbols_of(space), Fraction(3)), **known}).sample(rng, 4)
    return _in_arrays(space, found)


def _in_arrays(space: Any, found: Any) -> Any:
    """Numbers as people have them: doubles and whole numbers in arrays."""
    if isinstance(space, Aligned):
        parts = zip(space.parts, found, strict=True)
        return tuple(_in_arrays(part, held) for part, held in parts)
    rows = isinstance(space, Records) and isinstance(space.row, Vector)
    if rows or isinstance(space, Matrix | Vector):
        kinds = {"Int": np.int64, "Bool": np.bool_}
        return np.array(found, kinds.get(getattr(space, "element", ""), np.float64))
    return found


def differing(module: ModuleType, name: str, unproved: frozenset[str]) -> Iterator[str]:
    """Programs of which check and runs say otherwise, or that did not run.

    Args:
        unproved: functions that a page says are not proved, which test_programs holds it to.
    """
    for found in vars(module).values():
        if not isinstance(found, CheckedFunction) or found.__module__ != module.__name__:
            continue
        if found.__name__ in unproved:
            continue
        with contextlib.suppress(MetricdpError):  # of those that are not proved nothing runs
            said = places(found.guarantee.data.by_row)
            did = ran(found, name)
            if did is None:
                yield f"{name}::{found.__name__}"
            elif said != did:
                yield f"{name}::{found.__name__} says {sorted(said)}, does {sorted(did)}"


def _unproved(program: Program) -> frozenset[str]:
    """Functions that a page says are rejected or refuted: nothing of them runs."""
    return frozenset(_UNPROVED.findall(program.source.text))


def _loaded(name: str, path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    with contextlib.redirect_stdout(io.StringIO()):
        spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_files(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if path.stem in NO_MODULE:
        pytest.skip("needs a library that is not installed, trains long, or is a notebook")
    monkeypatch.syspath_prepend(str(path.parent))
    assert set(differing(_loaded(f"{path.stem}_by_row", path), path.stem, frozenset())) <= NOT_RUN


@pytest.mark.parametrize("page", PAGES, ids=title)
def test_pages(page: Path, tmp_path: Path) -> None:
    found = set()
    for number, program in enumerate(programs(page)):
        if program.name not in NO_MODULE:
            found |= _of_program(program, tmp_path / str(number))
    assert found <= NOT_RUN


def _of_program(program: Program, folder: Path) -> set[str]:
    folder.mkdir()
    known, made = set(sys.modules), list[Outcome]()
    check(program, folder, made)
    sys.path.insert(0, str(folder))
    try:
        module = _loaded("program", folder / PROGRAM)
        with _concluded(made):
            return set(differing(module, program.name, _unproved(program)))
    finally:
        sys.path.remove(str(folder))
        for name in set(sys.modules) - known:
            if str(getattr(sys.modules[name], "__file__", "")).startswith(str(folder)):
                del sys.modules[name]


@contextlib.contextmanager
def _concluded(made: list[Outcome]) -> Iterator[None]:
    """Functions of a program are not checked again: what a check concluded of their text is theirs.

    Where there is none, they check as ever, and no pair is looked for against a claim that was not
    proved, which says nothing of rows.
    """
    found = {id(each.declared.node): each for each in made}
    places = {(each.declared.name, first_line(each.declared.node)): each.declared for each in made}

    def module_of(function: Any) -> Any:
        code = function.__code__
        there = places.get((code.co_name, code.co_firstlineno))
        return (there.module, there.node) if there else real(function)

    def verify(declared: Any) -> Outcome:
        return found.get(id(declared.node)) or again(declared)

    real, again = checked_function.module_of, checked_function.verify
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(checked_function, "module_of", module_of)
        patch.setattr(checked_function, "verify", verify)
        patch.setattr(claims, "refute", lambda outcome, claimed: None)
        yield


BODY = """
import math
from metricdp import Int


@dp.black_box(returns=Real)
def strange(v):
    return v


@dp.black_box(returns=Data, batched=True)
def many(v):
    return v


@dp.measurement
def {name}(x: dp.Records[float], k: float, eps: float):
    {body}
    return dp.laplace(total, epsilon=eps)


@dp.black_box(returns=Data)
def anything(v):
    return v


@dp.black_box(returns=dp.Bool)
def either(v, w):
    return v > 1 or w


@dp.black_box(returns=Int)
def whole(v):
    return int(v)
"""
LOOP = "total = 0.0\n    for v in x:\n        "
#: name -> (statements, what the note says; "" where there is none).
CASES = {
    "traced": (LOOP + "total += dp.clamp(v * v / k, 0, 1)", ""),
    "branch": (LOOP + "if v > k:\n            total += dp.clamp(v, 0, 1)", ""),
    "mapped": ("total = dp.sum(dp.clamp([v + k for v in x if v > 0], 0, 1))", ""),
    "batched": ("total = dp.count([v for v in x if many(v) > 0])", ""),
    "boxed": (LOOP + "total += dp.clamp(strange(v), 0, 1)", "black box strange"),
    "boxed_map": (
        "total = dp.sum(dp.clamp([strange(v) for v in x], 0, 1))", "black box strange",
    ),
    "boxed_filter": (
        "total = dp.count(dp.filter(lambda v: strange(v) > 0, x))", "black box strange",
    ),
    "helper": (
        "f = lambda v: strange(v) + 1\n    total = dp.count([v for v in x if f(v) > 0])",
        "black box strange",
    ),
    "after": (
        "held = [strange(v) for v in x]\n    total = dp.sum(dp.clamp([v * 2 for v in held], 0, 1))",
        "black box strange",
    ),
    "chosen": (
        "held = dp.private_quantile(x, [0.0, 1.0], alpha=0.5, epsilon=eps)\n"
        "    total = dp.count([v for v in x if v > held])", "",
    ),
    "after_any": (
        "held = [anything(v) for v in x]\n    total = dp.count([1 for v in held])",
        "black box anything; a function of rows that are held one by one",
    ),
    "boxed_pairs": (LOOP + "total += 1 if either(v, v > 0) else 0", "black box either"),
    "boxed_whole": (LOOP + "total += 1 if whole(v) == 1 else 0", "black box whole"),
    "late": (
        "c, total = k, 0\n    for _ in range(100):\n"
        "        total = total + dp.count([w + c for w in dp.clamp(x, 0, 1)])\n"
        "        c = 2 * c - 1",
        "a range that only a run knows",
    ),
    "appended": (
        "kept = []\n    for v in x:\n        kept.append(dp.clamp(v, 0, 1))\n"
        "    total = dp.sum(kept)",
        "a loop that appends",
    ),
    "skipped": (
        LOOP + "if v > 1:\n            continue\n        total += dp.clamp(v, 0, 1)",
        "",
    ),
    "skipped_on_one_way": (
        LOOP + "if v > 1:\n            if v > 2:\n                continue\n"
        "            total += 1\n        total += dp.clamp(v, 0, 1)",
        "a round that does more than to add",
    ),
}  # fmt: skip


def _source(name: str) -> str:
    return BODY.format(name=name, body=CASES[name][0])


@pytest.mark.parametrize("name", CASES)
def test_what_is_said(name: str, tmp_path: Path) -> None:
    function = getattr(load(tmp_path, _source(name)), name)
    notes = function.guarantee.data.by_row
    assert "; ".join(note.what for note in notes) == CASES[name][1]
    assert places(notes) == ran(function, name)


def test_where_it_is_said(tmp_path: Path) -> None:
    """Text, JSON, the guarantee's repr, a release and `explain` say the same place."""
    from metricdp.answers.explain import explained, explanation_json, explanation_lines

    module = load(tmp_path, _source("boxed"))
    line = 21
    text = f"row by row: line {line}, black box strange"
    report = check_source(Path(module.__file__ or "").read_text(), "program.py")
    assert text in render_text(report)
    (found,) = to_json(report)["functions"]
    assert found["by_row"] == [{"line": line, "column": 5, "what": "black box strange"}]
    assert text in repr(module.boxed.guarantee)
    assert text in module.boxed.guarantee._repr_html_()
    with dp.handling(dp.Seeded(1)):
        release = module.boxed([0.5, 2.0], k=1.0, eps=1.0)
    assert release.about.by_row == (f"line {line}, black box strange",)
    outcome = module.boxed.outcome
    here = explained([outcome], outcome.declared.module.path, line)
    assert "   row by row: black box strange" in explanation_lines(here, "program.py", line)
    assert explanation_json(here, "program.py", line)["functions"][0]["by_row"] == [
        "black box strange"
    ]


def test_a_place_in_another_file_names_it(tmp_path: Path) -> None:
    (tmp_path / "helpers_by_row.py").write_text(
        "import metricdp as dp\n\n@dp.black_box(returns=dp.Real)\ndef odd(v):\n    return v\n\n\n"
        "def strange_rows(x):\n    return [odd(v) for v in x]\n"
    )
    (tmp_path / "main_by_row.py").write_text(
        "import metricdp as dp\nfrom helpers_by_row import strange_rows\n\n\n@dp.transformation\n"
        "def f(x: dp.Records[float]):\n    return dp.count(strange_rows(x))\n"
    )
    from metricdp.check import check_paths

    report = check_paths([str(tmp_path / "main_by_row.py")])
    (found,) = report.functions
    (note,) = found.by_row
    assert note.file.endswith("helpers_by_row.py")
    assert str(note) == f"{note.file}:9, black box odd"
    assert json.loads(json.dumps(to_json(report)))["functions"][0]["by_row"][0]["file"] == note.file


def test_a_rejected_function_has_no_note(tmp_path: Path) -> None:
    report = check_source(
        "import metricdp as dp\n\n\n"
        "@dp.transformation\ndef f(x: dp.Records[float]):\n    return y\n",
        "program.py",
    )
    (found,) = report.functions
    assert (found.verdict, found.by_row) == ("rejected", ())
