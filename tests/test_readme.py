"""The README is executed: programs are written out, commands run, outputs compared.

    ```python file=pay.py   is written to that file; any other ```python block is run as a script
    ```console              `$ metricdp ...` and `$ python ...` run beside those files; what follows
                            has to be printed, where `...` stands for any text
    ```pycon                is compared as a doctest

`$ make ...` is not run (it would call these tests): its target has to exist. Installing and cloning
is not run.
"""

from __future__ import annotations

import doctest
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from mdtest import Block, blocks

ROOT = Path(__file__).resolve().parent.parent
README = ROOT / "README.md"
NOT_RUN = ("git", "cd", "pip", "uv")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the README's files, and the repository's examples beside them."""
    where = tmp_path_factory.mktemp("readme")
    for block in _blocks():
        if "file" in block.options:
            target = where / block.options["file"]
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(block.text, encoding="utf-8")
    for name in ("examples", "tests", "benchmarks"):
        if not (where / name).exists():
            (where / name).symlink_to(ROOT / name)
    return where


def _blocks() -> list[Block]:
    return blocks(README.read_text(encoding="utf-8"))


def _id(block: Block) -> str:
    return f"line-{block.line}"


def _of(*languages: str) -> list[Block]:
    return [b for b in _blocks() if b.language in languages] if README.exists() else []


def _commands(block: Block) -> list[tuple[str, str]]:
    """(command, expected output) of every `$` line of a console block."""
    parts = re.split(r"^\$ (.*)$", block.text, flags=re.MULTILINE)
    return list(zip(parts[1::2], parts[2::2], strict=True))


@pytest.mark.parametrize("block", _of("console"), ids=_id)
def test_console(block: Block, folder: Path) -> None:
    commands = _commands(block)
    assert commands, "a console block without a `$` line"
    for command, expected in commands:
        words = shlex.split(command, comments=True)
        if words[0] == "make":
            makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
            for name in words[1:]:
                assert re.search(rf"^{name}:", makefile, re.MULTILINE), f"no target {name}"
        elif words[0] in ("metricdp", "python"):
            printed = _run(words, folder)
            if expected.strip():
                _compare(expected, printed)
        else:
            assert words[0] in NOT_RUN, f"how to test `{command}`?"


def _run(words: list[str], folder: Path) -> str:
    start = [sys.executable, "-m", "metricdp"] if words[0] == "metricdp" else [sys.executable]
    # The symlinked examples and the checkout itself come from PYTHONPATH, installed or not.
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "NO_COLOR": "1", "COLUMNS": "100"}
    done = subprocess.run(
        [*start, *words[1:]],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert done.returncode in (0, 1), done.stdout
    return done.stdout


def _compare(expected: str, printed: str) -> None:
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    same = doctest.OutputChecker().check_output(expected.strip(), printed.strip(), flags)
    assert same, f"README says:\n{expected}\nprinted:\n{printed}"


@pytest.mark.parametrize("block", [b for b in _of("python") if "file" not in b.options], ids=_id)
def test_script(block: Block, folder: Path) -> None:
    script = folder / f"readme_line_{block.line}.py"
    script.write_text(block.text, encoding="utf-8")
    printed = _run(["python", script.name], folder)
    assert "Traceback" not in printed, printed


@pytest.mark.parametrize("block", _of("pycon"), ids=_id)
def test_session(block: Block, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(str(folder))
    case = doctest.DocTestParser().get_doctest(block.text, {}, _id(block), str(README), block.line)
    lines: list[str] = []
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    result = doctest.DocTestRunner(optionflags=flags).run(case, out=lines.append)
    assert result.attempted > 0
    assert result.failed == 0, "".join(lines)


def test_order() -> None:
    """One sentence, one checked program with its output, the two commands, how it compares."""
    text = README.read_text(encoding="utf-8")
    places = [
        re.search(r"^[A-Z][^\n]{20,}", text, re.MULTILINE),
        re.search(r"^```python", text, re.MULTILINE),
        re.search(r"^\$ metricdp check .*\n(?!\$|```)", text, re.MULTILINE),
        re.search(r"make demo", text),
        re.search(r"make test", text),
        re.search(r"^#+ .*compar", text, re.MULTILINE | re.IGNORECASE),
    ]
    starts = [place.start() if place else None for place in places]
    assert None not in starts, starts
    assert starts == sorted(starts, key=lambda start: start or 0)


def test_links_lead_somewhere() -> None:
    text = README.read_text(encoding="utf-8")
    for target in re.findall(r"\]\((?!https?://|#)([^)#]+)", text):
        assert (ROOT / target).exists(), target
