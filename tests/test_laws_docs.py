"""`docs/laws.md` is executed."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parent.parent / "docs" / "laws.md"


def test_the_page_is_executed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = PAGE.read_text(encoding="utf-8")
    for name, program in re.findall(r"```python file=(\S+)\n(.*?)```", text, re.DOTALL):
        (tmp_path / name).write_text(program, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    text = "\n".join("" if line.startswith("```") else line for line in text.splitlines())
    test = doctest.DocTestParser().get_doctest(text, {}, "laws.md", None, 0)
    assert len(test.examples) >= 20
    printed: list[str] = []
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    doctest.DocTestRunner(optionflags=flags).run(test, out=printed.append)
    assert not printed, "".join(printed)
