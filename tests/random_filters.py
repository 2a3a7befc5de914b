"""Random programs of filters, for `test_filters`: regions that overlap, meet at an end, look alike.

A program filters one table in many ways and adds Laplace noise to counts and sums of what is left.
Rows, constants and ranges are few, and close to each other, so that a pair of filters that is
wrongly taken to be disjoint shares a row soon.
"""

from __future__ import annotations

import random
from typing import Any

HEAD = """
from dataclasses import dataclass

CLOSE = 1e16


@dataclass
class R:
    k: int
    x: float
    s: str
    b: bool


def band(r):
    if r.x < 1:
        return "low"
    elif r.x <= 2:
        return "middle"
    return "high"


def sign(r):
    return 1 if r.b else 0


def rounded(r):
    return (r.x + CLOSE) - CLOSE


def after(r):
    y = r.x
    for _ in range(2):
        y = (y + CLOSE) - CLOSE
    return y

"""
NUMBERS = ("0", "1", "2", "True", "1.0", "False", "3")
TEXTS = ('"a"', '"a "', '"A"', '"b"', '""')
ENDS = ("0", "1", "1.0", "1.5", "2", "3")
KEYS = (
    ("r.k", NUMBERS), ("r.k", NUMBERS), ("r.x", ENDS), ("r.s", TEXTS), ("r.b", ("True", "False")),
    ("r.k % 2", NUMBERS), ("r.k // 2", NUMBERS), ("r.x * 2", ENDS), ("rounded(r)", ENDS),
    ("after(r)", ENDS), ("band(r)", ('"low"', '"middle"', '"high"')), ("sign(r)", NUMBERS),
    ("abs(r.x)", ENDS), ("r.x + r.k", ENDS),
)  # fmt: skip


Keys = tuple[tuple[str, tuple[str, ...]], ...]


def test(rng: random.Random, keys: Keys, deep: int = 1) -> str:
    """A condition on one row."""
    kind = rng.randrange(9 if deep else 6)
    key, constants = rng.choice(keys)
    number = constants[0] not in (*TEXTS, '"low"')
    if kind == 0 or not number:
        return f"{key} {rng.choice(('==', '==', '!='))} {rng.choice(constants)}"
    if kind in (1, 2):
        low, high = rng.choice(constants), rng.choice(constants)
        return f"{low} {rng.choice(('<', '<='))} {key} {rng.choice(('<', '<='))} {high}"
    if kind == 3:
        return f"{key} {rng.choice(('<', '<=', '>', '>=', '=='))} {rng.choice(constants)}"
    if kind == 4:
        return f"{rng.choice(constants)} == {key}"
    if kind == 5:
        return rng.choice(("r.b", "not r.b", "r.k == r.x", "r.x < r.k"))
    if kind == 6:
        return f"not ({test(rng, keys, deep - 1)})"
    joint = "and" if kind == 7 else "or"
    return f"({test(rng, keys, deep - 1)} {joint} {test(rng, keys, deep - 1)})"


def noisy(rng: random.Random, rows: str) -> str:
    """Noise on a count, or on a sum, of some rows."""
    eps = rng.choice(("eps", "eps / 2", "2 * eps"))
    if rng.random() < 0.6:
        return f"dp.laplace(dp.count({rows}), epsilon={eps})"
    return f"dp.laplace(dp.sum([dp.clamp(r.x, 0, 2) for r in {rows}]), epsilon={eps})"


def statements(rng: random.Random, number: int, keys: Keys) -> list[str]:
    """A block that filters, and adds noise."""
    kind, name = rng.randrange(13), f"part{number}"
    if kind == 12:  # parts of parts
        key, constants = rng.choice(keys)
        return [
            f"chosen = ({constants[0]}, {constants[1]})",
            f"for part in dp.partition(rows, key=lambda r: {key}, keys=chosen):",
            f"    {name} = [r for r in part if {test(rng, keys)}]",
            f"    inner{number} = [r for r in part if {test(rng, keys)}]",
            f"    out.append({noisy(rng, name)})",
            f"    out.append({noisy(rng, f'inner{number}')})",
        ]
    if kind >= 10:
        return counted(rng, number, keys)
    if kind <= 2:
        return [
            f"{name} = [r for r in rows if {test(rng, keys)}]",
            f"out.append({noisy(rng, name)})",
        ]
    if kind == 3:  # a filter of a filter
        return [
            f"{name} = [r for r in rows if {test(rng, keys)}]",
            f"inner{number} = [r for r in {name} if {test(rng, keys)}]",
            f"out.append({noisy(rng, name)})", f"out.append({noisy(rng, f'inner{number}')})",
        ]  # fmt: skip
    if kind == 4:  # public keys, which may repeat
        key, constants = rng.choice(keys)
        items = ", ".join(rng.choice(constants) for _ in range(rng.randint(2, 4)))
        return [
            f"for key in ({items}):",
            f"    {name} = [r for r in rows if {key} == key]",
            f"    out.append({noisy(rng, name)})",
        ]  # fmt: skip
    if kind == 5:  # rounds
        low, high = rng.choice((("i", "i + 1"), ("2 * i", "2 * i + 2"), ("2 * i", "2 * i + 3"),
                                ("-i", "1 - i"), ("i", "i + 2")))  # fmt: skip
        ends = rng.choice((("<=", "<"), ("<=", "<="), ("<", "<="), ("<", "<")))
        key = rng.choice(("r.k", "r.x"))
        which = rng.choice((
            f"{low} {ends[0]} {key} {ends[1]} {high}", "r.k == i", "r.k == 2 * i", "r.k // 2 == i",
            "r.k == i or r.k == i + 1", "r.k == 1", f"r.b and {key} == i",
        ))  # fmt: skip
        block = [
            f"for i in range({rng.randint(1, 4)}):",
            f"    {name} = [r for r in rows if {which}]",
        ]
        block.append(f"    out.append({noisy(rng, name)})")
        if rng.random() < 0.4:
            block.append(f"    out.append({noisy(rng, rng.choice((name, 'rows')))})")
        return block
    if kind == 6:  # one vector
        counts = ", ".join(f"dp.count([r for r in rows if {test(rng, keys)}])" for _ in range(3))
        return [f"out.append(sum(dp.laplace([{counts}], epsilon=eps)))"]
    if kind == 7:  # a table that was made of it
        operator = rng.choice(("==", "<"))
        return [
            f"{name} = [r.k for r in rows if {test(rng, keys)}]",
            f"few = dp.count([v for v in {name} if v {operator} 1])",
            f"many = dp.count([v for v in {name} if v >= 1])",
            "out.append(dp.laplace(few, epsilon=eps))", "out.append(dp.laplace(many, epsilon=eps))",
        ]  # fmt: skip
    if kind == 8:  # sums of several counts, and of conditions
        return [
            f"{name} = sum(1 if {test(rng, keys)} else 0 for r in rows)",
            f"other{number} = dp.count(lambda r: {test(rng, keys)}, rows)",
            f"out.append(dp.laplace({name} {rng.choice('+-')} other{number}, epsilon=eps))",
        ]  # fmt: skip
    # a released number in a filter
    return [
        f"top{number} = dp.laplace(dp.count(rows), epsilon=eps)",
        f"{name} = [r for r in rows if r.x < top{number}]", f"out.append({noisy(rng, name)})",
        f"rest{number} = [r for r in rows if r.x >= top{number}]",
        f"out.append({noisy(rng, f'rest{number}')})",
    ]  # fmt: skip


def counted(rng: random.Random, number: int, keys: Keys) -> list[str]:
    """A loop over the rows that adds to several names, and noise on each, or on all at once."""
    names = [f"n{number}", f"m{number}", f"l{number}"]
    start = rng.choice(("0", "dp.count(rows)", "dp.count([r for r in rows if r.b])"))
    lines = [f"{names[0]} = {start}", f"{names[1]} = 0", f"{names[2]} = 0.0", "for r in rows:"]
    if rng.random() < 0.3:
        lines += [f"    if {test(rng, keys, 0)}:", "        continue"]
    word = "if"
    for _ in range(rng.randint(1, 3)):
        added = rng.choice(("1", "1", "dp.clamp(r.x, 0, 2)", f"(1 if {test(rng, keys, 0)} else 0)"))
        lines += [f"    {word} {test(rng, keys)}:", f"        {rng.choice(names)} += {added}"]
        if rng.random() < 0.2:
            lines.append(f"        {rng.choice(names)} += 1")
        word = rng.choice(("elif", "if"))
    if rng.random() < 0.4:
        lines += ["    else:", f"        {rng.choice(names)} += 1"]
    names = [name for name in names if any(f"{name} +=" in line for line in lines)]
    if rng.random() < 0.3:
        return [*lines, f"out.append(sum(dp.laplace([{', '.join(names)}], epsilon=eps)))"]
    return [*lines, *(f"out.append(dp.laplace({name}, epsilon=eps))" for name in names)]


def program(rng: random.Random, name: str, metric: str) -> str:
    """A measurement of one table."""
    lines, keys = ["out = []"], tuple(rng.choice(KEYS) for _ in range(rng.randint(1, 2)))
    for number in range(rng.randint(1, 3)):
        lines += statements(rng, number, keys)
    body = "\n".join(f"    {line}" for line in [*lines, "return out"])
    rows = f"dp.Records[R{metric}]"
    return f"@dp.measurement\ndef {name}(rows: {rows}, eps: float):\n{body}\n\n\n"


def row(rng: random.Random, kind: Any) -> Any:
    """A row that may lie at an end of a range, or equal a constant of another type."""
    x = rng.choice((0.0, -0.0, 1.0, 1.5, 2.0, 3.0, -1.0, float("nan")))
    return kind(
        rng.choice((0, 1, 2, 3, -1)), x,
        rng.choice(("a", "a ", "A", "b", "")), rng.random() < 0.5,
    )  # fmt: skip
