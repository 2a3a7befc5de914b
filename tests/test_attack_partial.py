"""Attacks with errors: what a run raises, or that it raises nothing, says nothing about the data.

Random programs hold an operation on public values where private data decide whether it runs, and
are called with public arguments that most operations fail on.  Once the public arguments were
accepted, a proved program ends in the same way on data that lead there and on data that do not.
Seeds are fixed; the outcomes are compared exactly, so nothing here has false alarms.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from checked_modules import load
from depth import depth
from random_partial import DATA, HEAD, PARAMETERS, PLACES, Generator, arguments

import metricdp as dp
from metricdp import algorithms
from metricdp.check.domain.privacy import PrivacyDomain
from metricdp.check.language import operators
from metricdp.check.source.program import Module, Project
from metricdp.check.values import total, total_calls
from metricdp.check.verdicts.api import outcomes
from metricdp.errors import NotProvedError, ParameterError

PROGRAMS, CALLS = depth(4, 6) * len(PLACES), 6


class Tally:
    """What a run of the attack has seen."""

    def __init__(self) -> None:
        self.proved: dict[str, int] = dict.fromkeys(PLACES, 0)
        self.refused = self.ran = 0


def ending(module: Any, data: tuple[Any, ...], public: dict[str, Any]) -> str:
    """How a call ends: "", or the type of what it raises."""
    x, flag, rows = data
    with dp.handling(dp.Seeded(1)):
        try:
            module.f(x, flag, list(rows), 0.5, **public)
        except NotProvedError:
            raise
        except Exception as error:
            return type(error).__name__
    return ""


def told(seed: int, folder: Path, tally: Tally, calls: int = CALLS) -> str | None:
    """A program whose endings depend on the data, with the call; or None."""
    generator = Generator(seed)
    source = generator.program()
    try:
        with warnings.catch_warnings(action="ignore"):  # (1, 2)[0.5]
            module: Any = load(folder, source, "")
            if module.f.outcome.verdict != "proved":
                return None
    except SyntaxError:  # a text inside of a text inside of a text
        return None
    tally.proved[generator.place] += 1
    for public in arguments(seed, calls):
        endings = [ending(module, data, public) for data in DATA]
        tally.refused += endings[0] == ParameterError.__name__
        tally.ran += not endings[0]
        if len(set(endings)) > 1:
            return f"seed {seed}, {generator.place}\n{source}\n{public}\n{endings}"
    return None


def test_no_error_tells_which_way_private_data_led(tmp_path: Path) -> None:
    tally = Tally()
    found = [told(seed, tmp_path, tally) for seed in range(PROGRAMS)]
    assert not list(filter(None, found))
    assert sum(tally.proved.values()) > PROGRAMS // 5, tally.proved
    assert tally.refused > depth(10, 20) and tally.ran > depth(200, 300)


def _never(domain: PrivacyDomain) -> bool:
    return False


def _branches(domain: PrivacyDomain) -> bool:
    return bool(domain.private_tests)


def _rows(domain: PrivacyDomain) -> bool:
    return bool(domain.of_rows)


def _total(*given: Any) -> total.Needs:
    return total.TOTAL


@pytest.mark.parametrize(
    ("home", "name", "defect", "seen"),
    [
        (PrivacyDomain, "decided", property(_never), 0),
        (PrivacyDomain, "decided", property(_branches), 27),
        (PrivacyDomain, "decided", property(_rows), 0),
        (total, "_divided", _total, 111),
        (total, "entry", _total, 78),
        (total, "unpacked", _total, 21),
        (total_calls, "builtin", _total, 28),
    ],
    ids="nothing branches rows divisors positions sizes builtins".split(),
)
def test_the_attack_finds_a_check_that_forgets(
    home: Any, name: str, defect: Any, seen: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Among the same programs; the one at which it was seen is looked at first."""
    monkeypatch.setattr(home, name, defect)
    tally = Tally()
    assert seen < PROGRAMS
    assert any(told(seed, tmp_path, tally) for seed in (seen, *range(PROGRAMS)))


def test_what_nothing_was_said_of_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A kind of expression that forgets to ask is refused there, and nowhere else."""

    def forgetful(interpreter: Any, node: ast.BinOp, frame: Any) -> Any:
        left, right = (interpreter.evaluate(each, frame) for each in (node.left, node.right))
        return operators.public.binary("+", left, right)

    from metricdp.check.language.python import PYTHON

    monkeypatch.setitem(PYTHON.expressions, ast.BinOp, forgetful)
    assert verdict("branch", "n + 1") == ("rejected", ["partial-operation"])
    assert verdict("nowhere", "n + 1") == ("proved", [])


# -- the table ------------------------------------------------------------------------------------

#: Operations that have a value for every public argument.
TOTAL = (
    "n + 1", "n - f", "n * 3", "n * n", "f * 1e300", "r * 2", "r + 1", "n / 2", "r / 2", "r // 3",
    "f % 0.5", "n ** 2", "n ** 0.5", "f ** 3", "2 ** -1", "(-2) ** 0.5", "10.0 ** 400", "-f", "+n",
    "not n", "n < f", "r < n", "t == n", "t < 'a'", "n is None", "n in (1, 2)", "t in ts",
    "n in ws", "t in 'abc'", "1 if b else 2", "n and 3", "b or n > 1", "(n > 1) & b", "(1, n)[0]",
    "(1, n)[-2]", "ws[:2]", "ts[n:]", "t[1:]", "abs(n)", "max(n, f, 2)", "min((n, f))",
    "sum((n, f))", "len(ws)", "len(t)", "len((n, t))", "float(n)", "bool(t)", "int(f)", "round(f)",
    "round(f, 2)", "str(n)", "str(b)", "f'a{t}{n}'", "'b' + str(n)", "t.lower()",
    "t.startswith('a')", "sorted(ws)", "list(range(3))", "[j for j in range(n)]",
    "list(reversed((n, t)))", "any((n, b))", "math.floor(f)", "math.sqrt(2)", "math.exp(1)",
    "math.inf > n", "dp.sqrt(n)", "dp.clamp(n, 0, 1)", "lambda: 1 // n", "(n, t) == (1, 2)",
    "{'a': 1}['a']", "{'a': n}.get(t)", "t in LIMITS", "len({'a': n})", "[k for k in {'a': u}]",
    "dict(a=n)", "{j: n for j in (1, 2)}", "{t: n}", "[k for k, v in {'a': n}.items()]",
    "LIMITS['low']",
    "helper(n)", "5 // max(n, 1)", "5 / (n * n + 1)", "5 // n if n > 0 else 0",
)  # fmt: skip
#: Operations -> what is required of public parameters.
REQUIRED: dict[str, list[str]] = {
    "5 // n": ["n != 0"], "5 / f": ["f != 0"], "5 % n": ["n != 0"], "5 / (n - 3)": ["n - 3 != 0"],
    "(1, 2)[n]": ["n >= 0", "n < 2"], "ws[0]": ["len_ws > 0"], "ks[n]": ["n >= 0", "n < len_ks"],
    "ts[-1]": ["len_ts >= 1"], "max(ws)": ["len_ws >= 1"], "divided(n)": ["n != 0"],
    "sorted(ws)[0]": ["len_ws > 0"],
}  # fmt: skip
#: Operations that may fail, and that no requirement makes total.
REFUSED = (
    "5 // r", "5 / r", "r ** 2", "r ** r", "r + n", "r * r", "0 ** -1", "5 // 0", "n ** -1",
    "2 ** n", "n ** f", "1 << n", "n >> 1", "~n", "n & 3", "n @ n", "n < t", "ws == ws",
    "u['a']", "u.a", "(1, 2)[f]", "(1, 2)[2]", "(1, 2)[2 / 2]", "(1, 2)[r]", "ks[::0]",
    "ks[n:f]", "t[n]", "divmod(5, n)", "int(t)", "int(r)", "float(t)", "round(r)", "round(f, n)",
    "len(u)", "len(range(n))", "list(range(n))", "sum(ws)", "any(ws)", "bool(u)", "not u",
    "str(n * n)", "str(r)", "f'{r}'", "f'{n:>5}'", "t + t", "t * n", "'a' * 3", "t.split()",
    "t.foo()", "math.sqrt(n)", "math.log(f)", "math.exp(10000)", "math.log(0)", "math.sqrt(-1)",
    "math.floor(r)", "math.factorial(3)", "math.nope", "np.array(ws)", "np.sqrt(n)", "np.nope",
    "print(n)", "format(n)", "sorted(u)", "tuple(u)", "[1] + (2,)", "dp.clamp(t, 0, 1)",
    "{'a': 1}[t]", "{u: 1}", "{'a': 1}.get(u)", "{**u}", "dict(u)", "{'a': 1} | {'b': 2}",
    "dp.max(ws)", "max(())", "max(ws, key=n)", "list(zip(ws, ks, strict=True))",
    "list(zip(ws, ks, strict=b))",
)  # fmt: skip


def verdict(place: str, expression: str) -> tuple[str, list[str]]:
    """The verdict, with the requirements or the codes of the rejection."""
    body = {**PLACES, "nowhere": "z = E\ny = dp.clamp(x, 0, 1)"}[place]
    lines = "\n".join(f"    {line}" for line in body.replace("E", expression).split("\n"))
    source = (
        f"{HEAD}LIMITS = {{'low': 1, 'high': 2}}\n\n\n"
        f"def helper(k):\n    return k + 2\n\n\ndef divided(k):\n    return 5 // k\n\n\n"
        f"@dp.measurement\ndef f(x: Real, flag: Bool, rows: Records[float], w: Real, "
        f"{PARAMETERS}):\n    r = dp.laplace(dp.clamp(w, 0, 1), scale=1)\n    y = 0.0\n{lines}\n"
        "    return dp.laplace(dp.clamp(y, 0, 2), scale=1)\n"
    )
    module = Project().parse("program.py", source)
    assert isinstance(module, Module), source
    (outcome,) = outcomes(module)
    if outcome.verdict == "proved" and outcome.guarantee is not None:
        return "proved", list(outcome.guarantee.requirement_texts())
    return outcome.verdict, sorted({found.code for found in outcome.diagnostics})


HERE = ("branch", "loop", "function", "while", "other side")


@pytest.mark.parametrize("place", HERE)
def test_what_is_total_is_proved(place: str) -> None:
    found = {text: verdict(place, text) for text in TOTAL}
    assert found == dict.fromkeys(TOTAL, ("proved", []))


@pytest.mark.parametrize("place", HERE)
def test_what_a_requirement_makes_total_requires_it(place: str) -> None:
    for text, needs in REQUIRED.items():
        found, requires = verdict(place, text)
        assert found == "proved", (text, requires)
        assert set(needs) <= set(requires) and len(requires) <= max(len(needs), 1), (text, requires)


@pytest.mark.parametrize("place", HERE)
def test_what_may_fail_is_refused(place: str) -> None:
    for text in REFUSED:
        found, codes = verdict(place, text)
        assert found == "rejected", text
        known = {"partial-operation", "unsupported-call", "unsupported-syntax", "private-index"}
        assert set(codes) <= known, text


def test_where_private_data_decide_nothing_nothing_is_asked() -> None:
    """A public failure there is public."""
    for text in (*REQUIRED, *REFUSED):
        found, about = verdict("nowhere", text)
        assert (found == "proved" and not about) or "partial-operation" not in about, text


# -- programs -------------------------------------------------------------------------------------

#: A body -> its requirements; None where it is refused.
BODIES: dict[str, list[str] | None] = {
    "if n != 0:\n    y = dp.sum([dp.clamp(v, 0, 1) * (5 // n) for v in rows])": [],
    "y = 1.0 if x > 3 and n != 0 else 0.0": [],
    "if x > 3 and n != 0:\n    z = 5 // n\n    y = 1.0": [],
    "q = 5 // n\nif x > 3:\n    y = q / 1": [],
    "if x > 3:\n    for i in range(len(ws)):\n        z = ws[i]\n    y = 1.0": [],
    "if x > 3:\n    for i in range(n):\n        z = 1 / (i + 1)\n    y = 1.0": [],
    "if x > 3:\n    for i in range(n):\n        z = 1 / i\n    y = 1.0": None,
    "if x > 3:\n    for i in range(n):\n        z = ws[i]\n    y = 1.0": ["Max(0, n) - 1 < len_ws"],
    "if x > 3:\n    k = 1\n    for i in range(n):\n        k = k + k\n    y = 1.0": [],
    "if x > 3:\n    k = 2.5\n    for i in range(n):\n        k = k * k\n    y = 1.0": None,
    "if x > 3:\n    one, two = ws\n    y = 1.0": ["len_ws - 2 == 0"],
    "if x > 3:\n    one, *more = ws\n    y = 1.0": ["len_ws >= 1"],
    "if x > 3:\n    one, two = u\n    y = 1.0": None,
    "for v in rows:\n    s = 0\n    for k in ks:\n        s = s + k\n    y += dp.clamp(v, 0, 1)": [],  # noqa: E501
    "zs = [1, 2]\nif x > 3:\n    zs[2 / 2] = 3\n    y = 1.0": None,
    "names = [t, t]\nif x > 3:\n    z = names[0] < 'm'\n    y = 1.0": [],
    "y = dp.sum([dp.clamp(v / n, 0, 1) for v in rows])": ["n != 0"],
    "y = dp.sum([dp.clamp(v * r, 0, 1) for v in rows])": [],
    "c = r * r\ny = dp.sum([dp.clamp(v * c, 0, 1) for v in rows])": [],
    "c = r ** r\ny = dp.sum([dp.clamp(v * c, 0, 1) for v in rows])": None,
    "y = dp.sum([dp.clamp(v * (r * r), 0, 1) for v in rows])": None,
}


@pytest.mark.parametrize(("body", "requires"), BODIES.items(), ids=map(str, range(len(BODIES))))
def test_programs_of_the_table(
    body: str, requires: list[str] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(PLACES, "here", body)
    found, about = verdict("here", "0")
    assert found == ("rejected" if requires is None else "proved"), about
    if requires is not None:
        assert len(about) == len(requires), about


def test_descent_by_weights_that_do_not_fit_says_nothing_of_the_rows() -> None:
    """Before, no sampled row and some of them ended with errors of two types."""
    run: Callable[..., Any] = algorithms.minibatch_descent
    for rows in ([[0.0, 1.0]], [[0.0, 1.0]] * 50):
        import numpy as np

        for empty in (False, True):
            data = np.zeros((0, 2)) if empty else np.array(rows)
            with pytest.raises(ParameterError, match="len_start == cols_rows"):
                run(data, (0.0,) * 5, q=0.5, expected=10.0, rounds=2, rate=0.1, sigma=2.0)
