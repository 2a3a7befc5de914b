"""Loops over the parts of a text run as in plain Python, in columns and row by row."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from plain_python import same

from metricdp.spaces.texts import Cells

HEAD = """
    @dp.measurement
    def f(texts: dp.Records[str], eps: float):
        n = 0
"""
BODIES = (
    """
        for t in texts:
            for w in t.lower().split()[:3]:
                if w == "bad":
                    continue
                n += min(len(w), 4)
        return dp.laplace(n, epsilon=eps)
""",
    """
        for t in texts:
            for i, w in enumerate(t.split(",")[1:4]):
                if w.strip() == "good" and i < 2:
                    n += i
                for part in w.split()[-2:]:
                    n -= 1 if part == "bad" else 0
        return dp.laplace(n, epsilon=eps)
""",
    """
        def score(t):
            best, last = 0, "none"
            for last in t.split()[:2]:
                best = max(best, 1 if last in ("good", "fine") else 0)
            return best + (2 if last == "bad" else 0)

        return dp.laplace(sum(score(t) for t in texts), epsilon=eps)
""",
    """
        for t in texts:
            f = t.split(",")
            if len(f) == 3 and f[2] == "good":
                n += 1
            if len(f) >= 2:
                n += 5 if f[1] == "bad" else 1
        return dp.laplace(n, epsilon=eps)
""",
)


@pytest.mark.parametrize("body", BODIES)
def test_the_same_numbers_are_hidden(tmp_path: Path, body: str) -> None:
    rng = Random(7)
    words = ["good", "bad", "fine", "Good", "x", ""]
    for size in (0, 1, 60):
        texts = [
            "".join(
                rng.choice(words) + rng.choice([" ", ",", ", "]) for _ in range(rng.randint(0, 5))
            )
            for _ in range(size)
        ]
        same(tmp_path, HEAD + body, texts, eps=1.0)


def test_parts_are_no_more_than_they_are_said_to_be() -> None:
    space, rng = Cells(1, False, 2), Random(1)
    assert all(space.contains(space.sample(rng)) for _ in range(20))
    assert not space.contains(("a", "b", "c")) and not space.contains(())
    assert space.extremes() and all(map(space.contains, space.extremes()))
