"""The command line as a process: cold imports, encodings, closed pipes, explain, version."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from metricdp.apps.cli import main
from metricdp.apps.output import wants_colour, write
from metricdp.diagnostics.catalogue import CATALOGUE

ROOT = Path(__file__).parents[1]


def python(*arguments: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        timeout=60,
    )


def test_module_runs() -> None:
    done = python("-m", "metricdp", "check", "nowhere.py", "--output-format", "json")
    assert done.returncode == 2
    assert b'"missing-path"' in done.stdout
    assert done.stderr == b""


def test_cold_start_loads_nothing_slow() -> None:
    program = (
        "import sys, metricdp.apps.cli as c; code = c.main(['check', 'nowhere.py']);"
        "slow = {'click', 'rich', 'numpy', 'scipy', 'sympy', 'json', 'difflib', 'urllib.parse'};"
        "print('slow:', sorted(slow & set(sys.modules)), code)"
    )
    done = python("-c", program, NO_COLOR="1")
    assert b"slow: [] 2" in done.stdout, done


def test_signs_that_an_encoding_lacks_are_spelled_out() -> None:
    program = "from metricdp.apps.output import write; write('ε = ∞ 東\\n')"
    done = python("-c", program, PYTHONIOENCODING="ascii")
    assert done.stdout == b"eps = oo \\u6771\n"


def test_a_closed_pipe_is_no_crash() -> None:
    program = (
        "import os, sys; from metricdp.apps.cli import main; r, w = os.pipe(); os.close(r);"
        "os.dup2(w, 1); sys.exit(main(['explain', 'DP101']))"
    )
    done = python("-c", program)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize("name", CATALOGUE)
def test_explain(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    code = CATALOGUE[name]
    assert main(["explain", name]) == 0
    by_name = capsys.readouterr().out
    assert main(["explain", code.id]) == 0
    assert capsys.readouterr().out == by_name
    for part in (code.title, "What it means", "Why", "Example rejected", "Example mended"):
        assert part in by_name


def test_explain_suggests(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "unbounded-sun"]) == 2
    assert "did you mean unbounded-sum" in capsys.readouterr().err


def test_version_and_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    assert "explain" in capsys.readouterr().out
    assert main(["check", "--help"]) == 0
    assert "Exit code" in capsys.readouterr().out
    assert main([]) == 2
    capsys.readouterr()
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("metricdp ")


def test_audit_names_a_missing_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", "nowhere.py::f"]) == 2
    assert "nowhere.py" in capsys.readouterr().err


def test_colour_follows_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal:
        def __init__(self, tty: bool) -> None:
            self.tty = tty

        def isatty(self) -> bool:
            return self.tty

    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert wants_colour(Terminal(True))  # type: ignore[arg-type]
    assert not wants_colour(Terminal(False))  # type: ignore[arg-type]
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert wants_colour(Terminal(False))  # type: ignore[arg-type]
    monkeypatch.setenv("NO_COLOR", "1")
    assert not wants_colour(Terminal(True))  # type: ignore[arg-type]


def test_write_reports_text_unchanged(capsys: pytest.CaptureFixture[str]) -> None:
    write("a\tb ε\n")
    assert capsys.readouterr().out == "a\tb ε\n"


def test_a_check_ends_with_all_it_has_to_say(tmp_path: Path) -> None:
    """The process of a plain check is not taken down piece by piece; the text is out before."""
    path = tmp_path / "many.py"
    one = "\n@dp.transformation\ndef f{0}(x: dp.Real):\n    return {0} * x + x\n"
    path.write_text("import metricdp as dp\n" + "".join(map(one.format, range(1, 400))))
    done = python("-m", "metricdp", "check", str(path), "--output-format", "json")
    assert (done.returncode, done.stderr) == (0, b"")
    assert len(done.stdout) > 2**17 and len(json.loads(done.stdout)["functions"]) == 399
    path.write_text("import metricdp as dp\n\n@dp.measurement\ndef f(x: dp.Real):\n    return x\n")
    assert python("-m", "metricdp", "check", str(path)).returncode == 1
    seen = "import cProfile, metricdp.__main__ as m, sys; sys.argv[1:] = ['check', 'nowhere.py'];"
    done = python("-c", f"{seen} cProfile.run('m.run()')")
    assert b"function calls" in done.stdout, "a profiler has its say at the end"
