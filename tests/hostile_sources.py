"""Hostile sources: programs of the pages, mutated as nobody would write them.

Tokens are deleted, repeated, swapped or replaced by extremes: numbers that no double holds, texts
that are no Unicode, depths that no parser reads.
"""

from __future__ import annotations

import io
import tokenize
from pathlib import Path
from random import Random

from mdtest import programs

PAGES = Path(__file__).parent / "programs"
#: In place of numbers.
NUMBERS = (
    "0", "-1", "1e308", "1e-320", "1e999", "-0.0", "10**400", "1 << 100", "1 << 10**9", "2**2**20",
    "9" * 400, "0x" + "f" * 5000, "1e5000", "True", "1j", "0.1", "10**10**10", "math.inf",
    "float('nan')", "1/3", "(1).bit_length()", "10**-400", "-(10**400)", "1e400 * 0", "7 % 0",
    "1 // 0", "0 ** -1", "(-8) ** 0.5", "-1 << 3", "1 << -1", "10**400 / 3", "0.5 ** 10**6",
)  # fmt: skip
#: In place of expressions.
EXPRESSIONS = (
    "math.sqrt(-1)", "math.log(0)", "float(10**400)", "int('9' * 5000)", "'\\ud800'", "'\\0'",
    "''", "b'x'", "...", "None", "[]", "{}", "()", "{1: 2}", "{[]: 1}", "lambda: 0", "lambda *a: a",
    "(yield)", "[*range(3)]", "[i for i in range(10**9)]", "{1, 2}", "x", "dp", "dp.Real", "Real",
    "float", "print", "math", "f'{1}'", "f'{x!r:>{9}}'", "(x := 1)", "not x", "x is x",
    "x if x else x", "x @ x", "~x", "x[0]", "x[::-1]", "x[0, 0]", "x.y", "x()", "*x", "max()",
    "min(())", "sum()", "range()", "zip()", "dict(x)", "len(3)", "abs('a')", "round(2.5)",
    "sorted([3, 1.5, 'a'])", "int(math.inf)", "math.floor(1e308)", "math.ceil(-1e-320)",
    "math.exp(1e6)", "math.tanh(10**400)", "math.factorial(10**6)", "'a' * 10**9", "[0] * 10**9",
    "(0,) * 10**9", "range(10**18)", "sum(range(10**18))", "'é' + 'ſ'", "\N{GREEK SMALL LETTER MU}",
    "dp.laplace(x, scale=1e-320)", "dp.laplace(x, epsilon=10**400)", "dp.gaussian(x, rho=1e-320)",
    "dp.clamp(x, 10**400, -1)", "dp.sample(x, q=2)", "divmod(7, 0)", "pow(2, 10**6)", "1 == '1'",
)  # fmt: skip
WORDS = ("def", "for", "in", "return", "lambda", "*", "**", "=", ":", ",", ")", "(", "@",
         "global x", "del x", "\\",
         "\x00", "\x0c", "\ufeff", "\u2028", "\t", "\r", "\ud800", "#", "'", '"""',
         "async", "await x", "nonlocal x", "import os", "1" * 5000, "(" * 300, "-" * 3000 + "1",
         "x" + "+x" * 2000, "[" * 80 + "]" * 80, "not " * 500 + "x", "." + "a." * 500 + "b",
         "x = " * 500 + "1", "lambda: " * 200 + "1")  # fmt: skip


def texts() -> list[str]:
    """The programs of every page."""
    pages = sorted(PAGES.glob("**/*.md"))
    return [program.source.text for page in pages for program in programs(page)]


def mutated(text: str, rng: Random) -> str:
    """A text with one to three mutations."""
    for _ in range(rng.choice([1, 1, 2, 3])):
        text = rng.choice([_token, _token, _number, _number, _name, _name, _line, _word])(text, rng)
    return text


def _spans(text: str, kinds: tuple[int, ...]) -> list[tuple[int, int]]:
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    found = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type in kinds and token.string:
                (row, column), (last, end) = token.start, token.end
                found.append((starts[row - 1] + column, starts[last - 1] + end))
    except (tokenize.TokenError, SyntaxError, IndexError):
        pass
    return found


def _put(text: str, span: tuple[int, int], new: str) -> str:
    return text[: span[0]] + new + text[span[1] :]


def _token(text: str, rng: Random) -> str:
    """A token deleted, repeated, or exchanged with another one."""
    spans = _spans(text, (tokenize.NAME, tokenize.OP, tokenize.NUMBER, tokenize.STRING))
    if not spans:
        return text
    span, other = rng.choice(spans), rng.choice(spans)
    old = text[slice(*span)]
    return _put(text, span, rng.choice(["", f"{old} {old}", text[slice(*other)]]))


def _number(text: str, rng: Random) -> str:
    spans = _spans(text, (tokenize.NUMBER,))
    return _put(text, rng.choice(spans), rng.choice(NUMBERS)) if spans else text


def _name(text: str, rng: Random) -> str:
    spans = [s for s in _spans(text, (tokenize.NAME,)) if s[0] > text.find("def ")]
    return _put(text, rng.choice(spans), rng.choice(EXPRESSIONS)) if spans else text


def _line(text: str, rng: Random) -> str:
    """A line deleted, repeated, indented otherwise, or made long."""
    lines = text.split("\n")
    at = rng.randrange(len(lines))
    indented = rng.choice([" ", "\t", "    "]) + lines[at]
    long = lines[at] + "  # " + "x" * 100_000
    lines[at : at + 1] = rng.choice([[], [lines[at]] * 2, [indented], [lines[at].strip()], [long]])
    return "\n".join(lines)


def _word(text: str, rng: Random) -> str:
    at = rng.randrange(len(text) + 1)
    return text[:at] + rng.choice(WORDS) + text[at:]
