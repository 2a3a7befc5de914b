"""Programs typed at the prompt of Python, as a person types them; doctests; `-c`; marimo."""

from __future__ import annotations

import os
import re
import select
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from metricdp.checked import consoles

pty = pytest.importorskip("pty")

PROGRAM = """
import metricdp as dp
LO, HI = 0, 20
def cut(rows):
    return dp.clamp(rows, LO, HI)

@dp.measurement
def total(rows: dp.Records[float], eps: float):
    return dp.laplace(dp.sum(cut(rows)), epsilon=eps)

"""
#: What a terminal is told to draw, which no person reads.
_DRAWN = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]|\x1b[>=]|\r")
#: Seconds in which an answer comes, also where other tests run.
PATIENCE = 60.0


class Prompt:
    """Python in a terminal of its own; its history is not the person's."""

    def __init__(self, home: Path) -> None:
        self.process, self.terminal = pty.fork()
        if not self.process:
            os.environ.update(HOME=str(home), TERM="xterm", PYTHON_HISTORY=str(home / "history"))
            os.execv(sys.executable, [sys.executable, "-q"])
        self.read = ""
        self.until(">>> ")

    def until(self, end: str) -> str:
        """What is shown until this text has come after all that was read before."""
        started, shown = time.monotonic(), ""
        while end not in shown:
            assert time.monotonic() - started < PATIENCE, shown
            if select.select([self.terminal], [], [], 0.1)[0]:
                self.read += os.read(self.terminal, 65536).decode(errors="replace")
                shown = _DRAWN.sub("", self.read)
        self.read = ""
        return shown

    def types(self, text: str) -> str:
        """Types lines one by one; what is shown by the end of the last."""
        for line in (*text.strip("\n").split("\n"), "", "print('do' + 'ne')"):
            os.write(self.terminal, line.encode() + b"\n")
        return self.until("done")

    def close(self) -> None:
        os.close(self.terminal)
        os.kill(self.process, 9)
        os.waitpid(self.process, 0)


@pytest.fixture
def prompt(tmp_path: Path) -> Iterator[Prompt]:
    started = Prompt(tmp_path)
    yield started
    started.close()


def test_a_program_that_was_typed_runs_and_follows_what_is_typed_after_it(prompt: Prompt) -> None:
    prompt.types(PROGRAM)
    assert "cost ε = 1" in prompt.types("total([1.0, 2.0, 300.0], eps=1.0)")
    shown = prompt.types("def cut(rows):\n    return rows\n\ntotal([1.0], eps=1.0)")
    assert "unbounded-sum" in shown
    assert "input " in shown
    assert shown.count("metricdp/checked") <= 2, shown
    # What was typed before is the same function again.
    again = "def cut(rows):\n    return dp.clamp(rows, LO, 5)\n\n"
    assert "cost ε = 2" in prompt.types(again + "total([1.0], eps=2.0)")
    assert "does not hold what input" in prompt.types(
        "globals()['LO'] = -10**6\ntotal([1.0], eps=1.0)"
    )


def test_what_was_not_typed_is_refused(prompt: Prompt) -> None:
    prompt.types("import metricdp as dp")
    unheard = "@dp.transformation\ndef unheard(x: dp.Real):\n    return x\n"
    shown = prompt.types(f"exec({unheard!r})\nunheard(1.0)")
    assert "cannot be found" in shown


def run(*arguments: str, given: str | None = None) -> str:
    done = subprocess.run(
        [sys.executable, *arguments], input=given, capture_output=True, text=True, timeout=60
    )
    return done.stdout + done.stderr


def test_a_text_after_c() -> None:
    assert "cost ε = 1" in run("-c", PROGRAM + "\nprint(total([1.0], eps=1.0))")


def test_a_text_that_is_piped_has_no_source() -> None:
    shown = run("-", given=PROGRAM + "\nprint(total([1.0], eps=1.0))")
    assert "SourceError" in shown
    assert "define the function in a file" in shown


def test_a_file_that_is_executed(tmp_path: Path) -> None:
    (tmp_path / "made.py").write_text(PROGRAM)
    path = str(tmp_path / "made.py")
    call = "\nprint(names['total']([1.0], eps=1.0))"
    started = f"names = {{}}\nexec(compile(open({path!r}).read(), {path!r}, 'exec'), names)"
    assert "cost ε = 1" in run("-c", started + call)
    assert "cost ε = 1" in run("-c", f"import runpy\nnames = runpy.run_path({path!r})" + call)


def test_examples_of_a_docstring(tmp_path: Path) -> None:
    lines = [line for line in PROGRAM.strip().split("\n") if line]
    typed = "".join(f"{'...' if line[0] in ' d' else '>>>'} {line}\n" for line in lines)
    typed = typed.replace("... def cut", ">>> def cut")
    text = f'"""\n{typed}>>> total([1.0], eps=1.0).cost\n\'ε = 1\'\n'
    text += '>>> total.outcome.diagnostics\n[]\n"""\nimport doctest\nprint(doctest.testmod())\n'
    (tmp_path / "documented.py").write_text(text)
    assert "TestResults(failed=0" in run(str(tmp_path / "documented.py"))


def test_statements_of_a_history_without_its_empty_lines() -> None:
    typed = (
        """
    x = 1
    def f(a):
        if a:
            return 1
        else:
            return 2
    y = (1,
    2)
    try:
        z = 1
    except ValueError:
        z = 2
    @dp.measurement
    def g(a):
        return a
    no python here
    text = '''
    def inside():
    '''
    g(1)
    """.replace("\n    ", "\n")
        .strip("\n")
        .split("\n")
    )
    found = consoles._statements(typed)
    assert [each.split("\n")[0] for each in found] == [
        "x = 1", "def f(a):", "y = (1,", "try:", "@dp.measurement", "no python here",
        "text = '''", "g(1)",
    ]  # fmt: skip
    assert "".join(found).split("\n")[:-1] == typed


def test_marimo_has_its_cells_in_a_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    # As marimo 0.25 has it; no part of the tests installs it.
    texts = ("import metricdp as dp", "def f(x):\n    return x")
    names: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(texts[1], "/tmp/book.py", "exec"), names)
    graph = SimpleNamespace(cells={n: SimpleNamespace(code=text) for n, text in enumerate(texts)})
    contexts: list[Any] = [SimpleNamespace(graph=graph), None]
    module = SimpleNamespace(safe_get_context=lambda: contexts[0])
    monkeypatch.setitem(sys.modules, "marimo._runtime.context", module)
    found = consoles.typed(names["f"])
    assert found == ("cell", ("", *texts))
    contexts.pop(0)
    assert consoles.typed(names["f"]) is None
    contexts.insert(0, SimpleNamespace(graph=graph))
    assert consoles.typed(run) is None
