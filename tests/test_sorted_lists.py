"""Lists of released values that are sorted in place, beside plain Python."""

from __future__ import annotations

from pathlib import Path

import pytest
from plain_python import same

HEAD = "@dp.measurement\ndef f(x: dp.Records[int], eps: float):\n"
COUNTS = "[dp.laplace(len([v for v in x if v == k]), epsilon=eps) for k in (1, 2, 3)]"
BODIES = [
    f"n = {COUNTS}; n.sort(); return n",
    f"n = {COUNTS}; m = n; n.sort(reverse=True); return m[0], n",
    f"n = [(c, k) for c, k in zip({COUNTS}, (1, 2, 3))]; n.sort(key=lambda p: -p[0]); return n",
    "n = [3, 1, 2]; n.sort(); return [dp.laplace(sum(dp.clamp(v, 0, 9) for v in x if v == k), "
    "epsilon=eps) for k in n]",
]


@pytest.mark.parametrize("body", BODIES)
def test_a_run_is_what_python_does(tmp_path: Path, body: str) -> None:
    lines = "\n".join(f"    {line.strip()}" for line in body.split(";"))
    for data in ([1, 2, 2, 3, 3, 3], []):
        same(tmp_path, f"{HEAD}{lines}\n", data, eps=2.0)
