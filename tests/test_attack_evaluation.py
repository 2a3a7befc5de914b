"""Attacks on evaluation: what check reads once is evaluated once, in Python's order, by a run.

A call that runs twice draws twice and is charged once; a call that runs another number of times
than check has read it leaves lists as check does not know them, and then a branch that check has
passed over can return private data.  Seeds are fixed; nothing here has false alarms.
"""

from __future__ import annotations

import ast
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from checked_modules import load
from depth import depth
from evaluation_order import wrong_in
from mdtest import programs
from random_effects import Generator, traced
from random_programs import Generator as Programs
from spies import plant

import metricdp as dp
from metricdp.check.source.program import Module, Project
from metricdp.check.verdicts import claims
from metricdp.check.verdicts.api import outcomes
from metricdp.check.verdicts.verify import Outcome
from metricdp.errors import NotProvedError
from metricdp.run import rewrite
from metricdp.run.compile import CompiledProgram, Machine

PAGES = sorted(Path(__file__).parent.glob("programs/**/*.md"))
HEAD = """import math
import metricdp as dp
import numpy as np
from metricdp import L1, Bool, Real, Records, Vector
"""
#: Operands that draw, in the middle of a comparison.
DRAWING = {
    "noise": "dp.laplace(x, scale=1)",
    "gaussian": "dp.gaussian(x, scale=1)",
    "helper": "drawn(x)",
    "helper of a helper": "-drawn(2 * x) + 1",
    "selection": "dp.private_selection(lambda: (dp.laplace(x, scale=1), 1), stop=1)[0]",
    "response": "dp.randomized_response(keep, epsilon=1)",
    "entry": "(1, dp.laplace(x, scale=1))[1]",
    "conditional": "(dp.laplace(x, scale=1) if size > 2 else 0)",
}


def checked(source: str) -> Outcome:
    module = Project().parse("program.py", source)
    assert isinstance(module, Module), module
    return outcomes(module)[-1]


# -- the law ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "page", [p for p in PAGES if any(q.beside for q in programs(p))], ids=lambda page: page.stem
)
def test_every_call_of_pages_of_several_files_is_compiled_once(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Programs of one file are looked at by test_check_all_errors, which verifies them all.
    # Only what is proved is compiled: no pair is needed against a claim that is not.
    monkeypatch.setattr(claims, "refute", lambda outcome, claimed: None)
    for program in (each for each in programs(page) if each.beside):
        for block in program.beside:
            (tmp_path / block.options["file"]).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / block.options["file"]).write_text(block.text, encoding="utf-8")
        module = Project().parse(str(tmp_path / "program.py"), program.source.text)
        for outcome in outcomes(module) if isinstance(module, Module) else []:
            assert not wrong_in(outcome), program.name


def test_every_call_of_random_programs_is_compiled_once() -> None:
    sources = [Programs(seed).program() for seed in range(depth(30, 60))]
    sources += [Generator(seed).program() for seed in range(depth(30, 60))]
    found = [checked(source) for source in sources]
    assert sum(outcome.verdict == "proved" for outcome in found) > depth(30, 60)
    assert not [wrong for outcome in found for wrong in wrong_in(outcome)]


def test_the_law_finds_an_operand_that_is_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    def copied(self: Any, node: ast.Compare) -> ast.expr:
        operands = [node.left, *node.comparators]
        parts = [
            ast.Compare(self.visit(a), [ast.Lt()], [self.visit(b)]) for a, b in pairwise(operands)
        ]
        return ast.BoolOp(ast.And(), list(parts))

    source = HEAD + "\n@dp.measurement\ndef f(x: Real):\n    b = x < dp.laplace(x, scale=1) < 2\n"
    outcome = checked(source + "    return dp.randomized_response(b, epsilon=1)\n")
    assert wrong_in(outcome) == []
    monkeypatch.setattr(rewrite._Rewrite, "_compared", copied)
    assert wrong_in(outcome) == ["dp.laplace(x, scale=1): 2 times"]


# -- three readers ------------------------------------------------------------------------------


def test_check_run_and_python_evaluate_in_one_order() -> None:
    proved = known = 0
    for seed in range(depth(100, 200)):
        source = Generator(seed).program()
        outcome = checked(source)
        if outcome.verdict != "proved":
            continue
        try:
            expected = traced(source)
        except (IndexError, TypeError):  # a slice or a position that Python refuses
            continue
        proved += 1
        assert ran(outcome) == expected, source
        read = [getattr(item, "literal", None) for item in getattr(outcome.result, "items", ())]
        if read and all(type(each) is int for each in read):
            known += 1
            assert tuple(read) == expected, source
    assert proved > depth(50, 100) and known > depth(20, 40)


def ran(outcome: Outcome) -> tuple[int, ...]:
    checked = outcome.program
    program = CompiledProgram(checked.actions, checked.used, checked.decided)

    def none(*given: Any) -> Any:
        raise AssertionError("these programs draw nothing")

    machine = Machine(none, program.pins)
    found = program.function(outcome.declared.node, outcome.declared.module, machine)(x=1)
    return tuple(map(int, found))


# -- programs that were proved and ran otherwise ------------------------------------------------


@pytest.mark.parametrize("operand", DRAWING.values(), ids=list(DRAWING))
def test_an_operand_of_a_chain_is_drawn_once(operand: str, tmp_path: Path) -> None:
    text = f"""
        def drawn(v):
            return dp.laplace(v, scale=1)

        @dp.measurement
        def f(x: Real, y: Real, keep: Bool, size: int):
            between = y < {operand} < 100 < 200
            return dp.randomized_response(between, epsilon=1)
        """
    module: Any = load(tmp_path, text, HEAD)
    for y in (-1000, 0, 1000):
        release = module.f(5, y, True, size=3)
        # The operand is drawn once, whatever the comparison before it says of private data.
        assert len(release.draws) == 2, operand
        assert release.draws[-1].mechanism == "randomized_response"


def test_a_sample_in_a_chain_is_drawn_once(tmp_path: Path, monkeypatch: Any) -> None:
    text = """
        @dp.measurement
        def f(rows: Records[float], y: Real):
            b = y < dp.count(dp.sample(rows, q=0.5)) < 10
            return dp.randomized_response(b, epsilon=1)
        """
    module: Any = load(tmp_path, text, HEAD)
    drawn = []
    sample = Machine.sample
    plant(monkeypatch)
    monkeypatch.setattr(
        Machine, "sample", lambda self, *a, **k: drawn.append(1) or sample(self, *a, **k)
    )
    with dp.handling(dp.Seeded(1)):  # a real run refuses a machine that was changed
        module.f([1.0, 2.0], -1)
    assert drawn == [1]


@pytest.mark.parametrize(
    ("later", "code"),
    [
        ("y < x < dp.laplace(x, scale=1)", "private-condition-mechanism"),
        ("y < x and 0 < dp.laplace(x, scale=1)", "private-condition-mechanism"),
        ("y < x or 0 < dp.laplace(x, scale=1)", "private-condition-mechanism"),
    ],
)
def test_private_data_do_not_decide_whether_an_operand_is_drawn(later: str, code: str) -> None:
    source = f"{HEAD}\n@dp.measurement\ndef f(x: Real, y: Real):\n    b = {later}\n"
    outcome = checked(source + "    return dp.randomized_response(b, epsilon=1)\n")
    assert code in [d.code for d in outcome.diagnostics]


#: Programs whose list has, when they run, what Python gives it: the private value stays inside.
LEAKS = {
    "a callee with an effect": """
        def pick(xs):
            xs.append(1)
            return dp.laplace

        @dp.measurement
        def f(x: Real):
            xs = []
            y = pick(xs)(x, scale=1)
            return y if len(xs) == 1 else x
        """,
    "a library that a call gives": """
        def pick(xs):
            xs.append(1)
            return np

        @dp.measurement
        def f(x: Vector[Real, L1]):
            xs = []
            y = pick(xs).sum(x)
            return dp.laplace(y, scale=1) if len(xs) == 2 else y
        """,
    "a generator that stops": """
        def tick(xs):
            xs.append(1)
            return True

        @dp.measurement
        def f(x: Real):
            xs = []
            any(tick(xs) for i in range(3))
            return dp.laplace(x, scale=1) if len(xs) == 3 else x
        """,
    "a generator that is read later": """
        @dp.measurement
        def f(x: Real):
            xs = [0]
            for i, v in enumerate(xs[0] for _ in range(3)):
                xs[0] = v + 1
            return dp.laplace(x, scale=1) if xs[0] == 1 else x
        """,
    "defaults from left to right": """
        @dp.measurement
        def f(x: Real):
            xs = []
            def push(v):
                xs.append(v)
                return v
            def g(a=push(1), b=push(2)):
                return a
            return dp.laplace(x, scale=1) if xs[0] == 2 else x
        """,
    "a format after its value": """
        @dp.measurement
        def f(x: Real):
            xs = []
            def push(v):
                xs.append(v)
                return v
            text = f"{1:{push(1)}} {push(2)}"
            return dp.laplace(x, scale=1) if xs[0] == 2 else x
        """,
    "what a sum runs over": """
        def pick(xs):
            xs.append(1)
            return [1, 2]

        @dp.measurement
        def f(x: Real):
            xs = []
            total = sum(v for v in pick(xs))
            return dp.laplace(x, scale=1) if len(xs) == 2 else x
        """,
    "the condition of a while": """
        def tick(xs):
            xs[0] = xs[0] + 1
            return True

        @dp.measurement
        def f(x: Real):
            xs = [0]
            i = 0
            while tick(xs) and i < 3:
                i += 1
            return dp.laplace(x, scale=1) if xs[0] == 3 else x
        """,
    "a length of its own": """
        @dp.measurement
        def f(x: Real):
            xs = []
            ws = (1, 2, 3)
            def len(v):
                xs.append(1)
                return 3
            i = 0
            while i < len(ws):
                i += 1
            return dp.laplace(x, scale=1) if xs == [1] else x
        """,
}


@pytest.mark.parametrize("text", LEAKS.values(), ids=list(LEAKS))
def test_no_private_value_leaves_by_a_list_that_check_knows_otherwise(
    text: str, tmp_path: Path
) -> None:
    module: Any = load(tmp_path, text, HEAD)
    given: Any = [987654321.0] if "Vector" in text else 987654321.0
    try:
        release = module.f(given)
    except NotProvedError:
        return
    assert len(release.draws) == 1
    assert 987654321.0 not in _numbers(release.value)


def _numbers(value: Any) -> list[float]:
    import numpy as np

    return list(map(float, np.ravel(value)))


#: Programs that were proved, and whose run met a defect.
RUN = {
    "a target that is an entry": """
        @dp.measurement
        def f(x: Real):
            xs = [0]
            for xs[0] in (1, 2, 3):
                pass
            return dp.laplace(xs[0] * x, scale=1)
        """,
    "parameters called like ours": """
        def g(place, function, name, order):
            return place + function + name + order

        @dp.measurement
        def f(x: Real):
            return dp.laplace(g(place=x, function=1, name=2, order=3), scale=1)
        """,
    "membership in a chain": """
        @dp.measurement
        def f(x: Real):
            return dp.randomized_response(x < 3 in (1, 3), epsilon=1)
        """,
    "identity in a chain": """
        @dp.measurement
        def f(x: Real):
            nothing = None
            return dp.randomized_response(x < 3 != nothing is None, epsilon=1)
        """,
    "an entry that is added to": """
        @dp.measurement
        def f(x: Real):
            xs = [x, 1]
            xs[-1] += 2 * xs[0]
            xs[0] *= 2
            return dp.laplace(xs[0] + xs[-1], scale=1)
        """,
}


@pytest.mark.parametrize("text", RUN.values(), ids=list(RUN))
def test_a_proved_program_runs(text: str, tmp_path: Path) -> None:
    module: Any = load(tmp_path, text, HEAD)
    assert len(module.f(2.0).draws) == 1


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("y = np.sum((x, x), axis=0)", "unsupported-keyword"),
        ("xs = [[1, 2], [3, 4]]\n    y = xs[0, 1] * x", "unsupported-syntax"),
        ("y = (x, x)[0, 1]", "unsupported-syntax"),
        ("y = x + _held", "unknown-name"),
    ],
)
def test_what_python_would_refuse_is_rejected(line: str, code: str) -> None:
    source = f"{HEAD}\n@dp.measurement\ndef f(x: Real):\n    {line}\n"
    outcome = checked(source + "    return dp.laplace(y, scale=1)\n")
    assert outcome.verdict == "rejected" and outcome.diagnostics[0].code == code
