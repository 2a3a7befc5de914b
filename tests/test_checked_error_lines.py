"""Errors after a release show their text and line where they depend on released values alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from checked_modules import load

import metricdp as dp
from metricdp.errors import PostProcessingError

#: Name -> the program, of which `HERE` marks the line that fails; no mark: nothing is shown.
#: A count of nothing with noise of this scale is 0, but for a chance below e**-999.
PROGRAMS = {
    "divided": """
def f(x: dp.Records[float]):
    n = dp.discrete_laplace(dp.count(x), scale=0.001)
    return 1 / n  # HERE division by zero
""",
    "indexed": """
def f(x: dp.Records[float]):
    n = dp.discrete_laplace(dp.count(x), scale=0.001)
    names = ["a", "b"]
    return names[n + 7]  # HERE list index out of range
""",
    "key": """
def f(x: dp.Records[float]):
    n = dp.discrete_laplace(dp.count(x), scale=0.001)
    names = {1: "a"}
    return names[n]  # HERE 0
""",
    "helper": """
def share(a, b):
    return a / b  # HERE division by zero

def f(x: dp.Records[float]):
    n = dp.discrete_laplace(dp.count(x), scale=0.001)
    return share(1, n)
""",
    "helper of everything": """
def noisy(x):
    n = dp.discrete_laplace(dp.count(x), scale=0.001)
    return 1 / n  # HERE division by zero

def f(x: dp.Records[float]):
    return noisy(x)
""",
    "library": """
import math
def f(x: dp.Records[float]):
    n = dp.discrete_laplace(dp.count(x), scale=0.001)
    return math.log(n)  # HERE math domain error
""",
    "in a loop": """
def f(x: dp.Records[float]):
    out = []
    for i in range(2):
        n = dp.discrete_laplace(dp.count(x), scale=0.001)
        out.append(1 / n)  # HERE division by zero
    return out
""",
    "raised": """
def f(x: dp.Records[float]):
    n = dp.discrete_laplace(dp.count(x), scale=0.001)
    if n == 0:
        raise ValueError(f'no rows: {n}')  # HERE ValueError: no rows: 0
    return n
""",
    "comprehension": """
def f(x: dp.Records[float]):
    n = dp.discrete_laplace(dp.count(x), scale=0.001)
    shares: list[float] = [1 / v for v in [n, 1]]  # HERE division by zero
    return shares
""",
    "comprehension with private values": """
def f(x: dp.Records[float]):
    n = dp.discrete_laplace(dp.count(x), scale=0.001)
    s = dp.sum([dp.clamp(v, 0, 1) for v in x])
    shares = [(v, 1 / n) for v in [n, s]]
    return n
""",
    "lambda": """
def f(x: dp.Records[float]):
    n = dp.discrete_laplace(dp.count(x), scale=0.001)
    share = lambda b: 1 / b  # HERE division by zero
    return share(n)
""",
    "two lines": """
def f(x: dp.Records[float]):
    n = dp.discrete_laplace(dp.count(x), scale=0.001)
    return (  # HERE division by zero
        1 / n
    )
""",
    "mechanism in the statement": """
def f(x: dp.Records[float]):
    return 1 / dp.discrete_laplace(dp.count(x), scale=0.001)
""",
    "private in the statement": """
def f(x: dp.Records[float]):
    n = dp.discrete_laplace(dp.count(x), scale=0.001)
    y, z = x, 1 / n
    return z
""",
    "statements that share a line": """
def f(x: dp.Records[float]):
    n = dp.discrete_laplace(dp.count(x), scale=0.001)
    y = x; z = 1 / n
    return z
""",
    "branch on one line": """
def f(x: dp.Records[float]):
    n = dp.discrete_laplace(dp.count(x), scale=0.001)
    if n < 5: return 1 / n
    return 2
""",
    "condition": """
def f(x: dp.Records[float]):
    n = dp.discrete_laplace(dp.count(x), scale=0.001)
    if 1 / n > 2:
        return 1
    return 2
""",
    "helper in the statement of a mechanism": """
def first(a, b):
    k = 1 / b
    return a

def f(x: dp.Records[float]):
    n = dp.discrete_laplace(dp.count(x), scale=0.001)
    s = dp.sum([dp.clamp(v, 0, 1) for v in x])
    return first(n, n), dp.laplace(first(s, 2), epsilon=1)
""",
    "helper that is given private values elsewhere": """
def first(a, b):
    k = [a, 1 / b]
    return k[0]

def f(x: dp.Records[float]):
    n = dp.discrete_laplace(dp.count(x), scale=0.001)
    m = first(n, n)
    s = first(dp.sum([dp.clamp(v, 0, 1) for v in x]), 2)
    return dp.laplace(s, epsilon=1), m
""",
    "helper that something of the package calls": """
from functools import partial
def share(a, b):
    return b / a

def f(x: dp.Records[float]):
    n = dp.discrete_laplace(dp.count(x), scale=0.001)
    g = partial(share, n)
    return g(1)
""",
    "private round": """
def once(x):
    n = dp.discrete_laplace(dp.count(x), scale=0.001)
    k = 1 / n
    return n, k

def f(x: dp.Records[float]):
    return dp.private_selection(lambda: once(x), stop=0.5)
""",
    "state that is private later": """
def f(x: dp.Records[float]):
    n = dp.discrete_laplace(dp.count(x), scale=0.001)
    s = dp.sum([dp.clamp(v, 0, 1) for v in x])
    t = 0
    for i in range(3):
        y = [t, 1 / n]
        t = t + s
    return dp.laplace(t, epsilon=1)
""",
    "state that is public in all rounds": """
def f(x: dp.Records[float]):
    n = dp.discrete_laplace(dp.count(x), scale=0.001)
    t = 0
    for i in range(3):
        y = [t, t / n]  # HERE division by zero
        t = t + n
    return t
""",
    "private list": """
def f(x: dp.Records[float]):
    n = dp.discrete_laplace(dp.count(x), scale=0.001)
    s = dp.sum([dp.clamp(v, 0, 1) for v in x])
    k = [s, s][n + 9]
    return dp.laplace(k, epsilon=1)
""",
    "lambda that reads private values": """
def f(x: dp.Records[float]):
    n = dp.discrete_laplace(dp.count(x), scale=0.001)
    s = dp.sum([dp.clamp(v, 0, 1) for v in x])
    return sorted([n, n], key=lambda v: (s, 1 / v)[1])
""",
    "function that has captured private values": """
def f(x: dp.Records[float]):
    n = dp.discrete_laplace(dp.count(x), scale=0.001)
    s = dp.sum([dp.clamp(v, 0, 1) for v in x])
    def g(b):
        t, u = s, 1 / b
        return u
    return g(n)
""",
    "class": """
from typing import NamedTuple
class Pair(NamedTuple):
    a: int
    b: int
    def share(self):
        return self.b / self.a  # HERE division by zero
def f(x: dp.Records[float]):
    n = dp.discrete_laplace(dp.count(x), scale=0.001)
    return Pair(n, 1).share()
""",
    "class with a private field": """
from typing import NamedTuple
class Pair(NamedTuple):
    a: int
    b: float
    def share(self):
        return 1 / self.a
def f(x: dp.Records[float]):
    n = dp.discrete_laplace(dp.count(x), scale=0.001)
    s = dp.sum([dp.clamp(v, 0, 1) for v in x])
    return Pair(n, s).share()
""",
    "in place, and not the line behind it": """
def f(x: dp.Records[float]):
    n = dp.discrete_laplace(dp.count(x), scale=0.001)
    t = 1
    t += 1 / n
    return t
""",
    "private argument beside": """
def share(a, b):
    k = 1 / b  # HERE division by zero
    return k

def f(x: dp.Records[float]):
    n = dp.discrete_laplace(dp.count(x), scale=0.001)
    s = dp.sum([dp.clamp(v, 0, 1) for v in x])
    return share(s, n)
""",
    "once per row": """
def share(v, n):
    k = dp.randomized_response(v, epsilon=1)
    j = 1 / n
    return k

def f(x: dp.Records[bool, dp.ChangeOne]):
    n = dp.discrete_laplace(dp.sum([1 if v else 0 for v in x]), scale=0.001)
    return [share(v, n) for v in x]
""",
    "generator": """
def parts(v):
    for i in range(2):
        yield 1 / v

def f(x: dp.Records[float]):
    n = dp.discrete_laplace(dp.count(x), scale=0.001)
    return list(parts(n))
""",
}  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_an_error_shows(name: str, tmp_path: Path) -> None:
    text = PROGRAMS[name].replace("\ndef f(", "\n@dp.measurement\ndef f(")
    program: Any = load(tmp_path, text)
    with pytest.raises(PostProcessingError) as caught, dp.handling(dp.Seeded(1)):
        program.f([False, False] if "[bool" in text else [])
    fact, error = caught.value.fact, caught.value
    assert error.__context__ is None and error.__cause__ is None
    source = Path(program.__file__).read_text().splitlines()
    lines = [at for at, line in enumerate(source, 1) if "# HERE" in line]
    if not lines:
        assert "line" not in fact and "division" not in fact, fact
        return
    (line,) = lines
    code, _, said = source[line - 1].strip().partition("  # HERE ")
    assert said in fact and f"at line {line}: `{code.strip(' (')}" in fact, fact
    assert error.releases
