"""Helpers are read once per tuple of arguments: what is remembered holds where it is used again."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from random import Random
from typing import Any

import pytest
from random_helpers import Helpers

from metricdp.check import check_source
from metricdp.check.language import functions
from metricdp.check.source.program import Module, Project
from metricdp.check.verdicts.api import outcomes
from metricdp.check.verdicts.verify import Outcome

HEADER = "import metricdp as dp\n"
CALLS = "metricdp.check.language.functions.remembered"


def outcome(source: str) -> Outcome:
    module = Project().parse("program.py", HEADER + source)
    assert isinstance(module, Module)
    return outcomes(module)[-1]


def chain(depth: int, step: str, first: str, program: str) -> str:
    """Helpers f0, f1, ...; in `step`, {0} is the number of the one below."""
    text = f"def f0(a):\n    return {first}\n"
    for level in range(1, depth + 1):
        text += f"def f{level}(a):\n    return {step.format(level - 1)}\n"
    return text + program.format(depth)


TRANSFORMATION = "@dp.transformation\ndef program(x: dp.Real, n: int):\n    return {}\n"


# -- the work -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("step", "first", "call", "bound"),
    [
        ("f{0}(a) + f{0}(a)", "abs(a)", "f{}(x)", f"{2**40}*d_in"),
        ("f{0}(a) + f{0}(2 * a)", "a", "f{}(x)", f"{3**40}*d_in"),
        ("f{0}(a) + f{0}(a + 1)", "a", "f{}(n) * x", None),
        ("f{0}(a) if a > 0 else -f{0}(a)", "abs(a)", "f{}(x)", None),
        ("max(f{0}(a), f{0}(abs(a)))", "a", "f{}(x)", None),
    ],
)
def test_the_work_of_doubling_helpers_is_linear_or_quadratic(
    step: str, first: str, call: str, bound: str | None
) -> None:
    program = TRANSFORMATION.replace("{}", call)
    work = {}
    for depth in (10, 20, 40):
        found = outcome(chain(depth, step, first, program))
        assert found.verdict == "proved", found.diagnostics
        work[depth] = found.program.work
    assert work[40] <= 4.5 * work[20] <= 4.5**2 * work[10]
    if bound is not None:
        assert found.guarantee is not None
        assert str(found.guarantee.inputs[0].stability) == bound


def test_post_processing_helpers_are_read_once() -> None:
    program = (
        "@dp.measurement\ndef program(x: dp.Real):\n    r = dp.laplace(x, scale=1)\n"
        "    return f{}(r)\n"
    )
    found = outcome(chain(40, "f{0}(a) + f{0}(a)", "abs(a)", program))
    assert found.verdict == "proved"
    assert found.program.work < 2000


# -- what is remembered holds ---------------------------------------------------------------------


def bounds(source: str) -> list[str]:
    found = outcome(source)
    assert found.guarantee is not None, found.diagnostics
    return [str(i.stability) for i in found.guarantee.inputs if i.space is not None]


SUB = "def sub(a, b):\n    return a - b\n"


def test_after_equal_arguments_different_ones_are_read_afresh() -> None:
    head = "@dp.transformation\ndef program(x: dp.Real, y: dp.Real):\n"
    source = SUB + head + "    zero = sub(x, x)\n    return sub(x, y) + zero\n"
    assert bounds(source) == ["d_in", "d_in"]


def test_an_argument_that_was_bound_again_is_another_one() -> None:
    head = "@dp.transformation\ndef program(x: dp.Real, y: dp.Real):\n"
    source = SUB + head + "    a = sub(x, y)\n    y = x\n    return sub(x, y) + a - a\n"
    assert bounds(source) == ["0", "0"]


def test_what_holds_under_a_private_condition_stays_there() -> None:
    helper = "def kept(a):\n    return a if a > 18 else a + 0\n"
    head = "@dp.transformation\ndef program(x: dp.Real):\n    s = 0\n"
    inside = "    if dp.clamp(x, 0, 20) > 18:\n        s = kept(x)\n"
    assert bounds(helper + head + inside + "    return s + kept(x)\n") == ["oo"]


def test_requirements_of_a_round_that_is_read_again_are_kept() -> None:
    helper = "def scaled(a, n):\n    return dp.clamp(a, 0, n)\n"
    source = helper + (
        "@dp.transformation\ndef program(x: dp.Vector[dp.Real, dp.L1], n: int):\n    s = 0\n"
        "    for v in x:\n        s = s + scaled(v, n) + 0.5\n    return s\n"
    )
    found = outcome(source)
    assert found.guarantee is not None
    assert "0 <= n" in found.guarantee.requirement_texts()


def test_each_call_draws_noise_of_its_own() -> None:
    source = (
        "def noisy(a):\n    return dp.laplace(a, scale=1)\n"
        "@dp.measurement\ndef program(x: dp.Real):\n    return noisy(x) + noisy(x)\n"
    )
    found = outcome(source)
    assert found.guarantee is not None
    assert str(found.guarantee.cost("x")["epsilon"]) == "2"
    assert len(found.guarantee.sites) == 2


def test_a_helper_that_changes_a_list_is_read_each_time() -> None:
    source = (
        "def more(out, a):\n    out.append(a)\n    return a\n"
        "@dp.transformation\ndef program(x: dp.Real):\n    out = []\n    more(out, x)\n"
        "    more(out, x)\n    more(out, x)\n    return sum(out)\n"
    )
    assert bounds(source) == ["3*d_in"]


def test_recursion_through_a_call_that_is_known_is_read_level_by_level() -> None:
    source = (
        "def down(a):\n    return a\ndef up(a):\n    return down(a)\n"
        "def loop(a, again):\n    return loop(a, {}) if again else up(a)\n"
        "@dp.transformation\ndef program(x: dp.Real):\n    return loop(x, 0) + loop(x, 1)\n"
    )
    assert bounds(source.format("0")) == ["2*d_in"]
    assert [d.code for d in outcome(source.format("again")).diagnostics] == ["recursion"]


# -- one object is one value ----------------------------------------------------------------------

LEAK = """
@dp.measurement
def program(x: dp.Real, pair: tuple[float, float]):
    {made}
    if x > 0:
        out = a
    else:
        out = b
    return out
"""


@pytest.mark.parametrize(
    "made",
    [
        "a, b = pair",
        "a, *rest = pair\n    b = rest",
        "a, b = sorted((pair[0], pair[1]))",
        "(a, b), c = (pair, 1)",
        "a, b = pair[0], pair[1]",
        "a, b = first(pair), second(pair)",
        "a, b = one(pair[0]), one(pair[1])",
        "a, b = pair_of(pair[0])[0], pair_of(pair[1])[1]",
        "a, b = [one(p) for p in (pair[0], pair[1])]",
    ],
)
def test_a_private_choice_between_unknown_public_values_is_private(made: str) -> None:
    helpers = (
        "def first(p):\n    return p[0]\ndef second(p):\n    return p[1]\n"
        "def one(p):\n    return p\ndef pair_of(p):\n    return p, p\n"
    )
    report = check_source(HEADER + helpers + LEAK.format(made=made))
    assert [f.verdict for f in report.functions] == ["rejected"]


def test_a_private_choice_between_two_releases_is_private() -> None:
    source = (
        "def one(a):\n    return a\n"
        "@dp.measurement\ndef program(x: dp.Real, xs: dp.Vector[dp.Real, dp.L1]):\n"
        "    r = [dp.laplace(x, scale=1) for i in range(2)]\n"
        "    a, b = one(r[0]), one(r[1])\n    return a if x > 0 else b\n"
    )
    assert outcome(source).verdict == "rejected"


# -- random programs ------------------------------------------------------------------------------


@contextmanager
def reading_every_call() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(CALLS, lambda calls, callee, arguments, read: read())
        yield


def described(source: str) -> tuple[str, Any]:
    (found,) = outcomes(Project().parse("program.py", source))  # type: ignore[arg-type]
    guarantee = found.guarantee
    return found.verdict, guarantee and [
        *(str(i.stability) for i in guarantee.inputs), *guarantee.requirement_texts()
    ]  # fmt: skip


def test_remembering_changes_no_bound_of_random_programs() -> None:
    proved = 0
    for seed in range(60):
        source = Helpers(seed).source
        with reading_every_call():
            afresh = described(source)
        assert described(source) == afresh, source
        proved += afresh[0] == "proved"
    assert proved > 40


def violation(seed: int) -> str | None:
    """A pair of inputs that beats the bound of the program of a seed."""
    program = Helpers(seed)
    (found,) = outcomes(Project().parse("program.py", program.source))  # type: ignore[arg-type]
    if found.guarantee is None:
        return None
    inputs = {i.name: i.stability for i in found.guarantee.inputs}
    rng = Random(seed)
    for _ in range(20):
        x, y, d = (Fraction(rng.randint(-40, 40), 8) for _ in range(3))
        n = rng.randint(0, 4)
        for name, other in (("x", (x + d, y)), ("y", (x, y + d))):
            bound = inputs[name]
            assert bound is not None
            moved = abs(program.evaluate(x, y, n) - program.evaluate(*other, n))
            if moved > bound.upper({"d_in": abs(d), "n": n}):
                return f"{program.source}\n{x} {y} {name} moved by {d}: {moved}, {bound}"
    return None


def test_bounds_of_random_helpers_hold() -> None:
    assert [found for seed in range(30) if (found := violation(seed))] == []


def test_remembering_by_spaces_alone_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted defect: arguments are told by their spaces."""
    exact = functions._part

    def by_space(value: Any, found: Any) -> Any:
        private = getattr(value, "private", False)
        return ("private", value.space) if private else exact(value, found)

    monkeypatch.setattr(functions, "_part", by_space)
    assert any(violation(seed) for seed in range(30))
