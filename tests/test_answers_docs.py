"""`docs/cli.md` is executed: its files are written out, its commands run, their output compared."""

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

from metricdp.apps.cli import main
from metricdp.apps.commands import cli

PAGE = Path(__file__).resolve().parent.parent / "docs" / "cli.md"
BLOCKS = blocks(PAGE.read_text(encoding="utf-8"))
CONSOLE = [block for block in BLOCKS if block.language == "console"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    where = tmp_path_factory.mktemp("cli")
    for block in BLOCKS:
        if "file" in block.options:
            (where / block.options["file"]).write_text(block.text, encoding="utf-8")
        if "run" in block.options:
            path = os.pathsep.join([str(PAGE.parent.parent), str(where)])
            command = [sys.executable, block.options["file"]]
            subprocess.run(command, cwd=where, env={**os.environ, "PYTHONPATH": path}, check=True)
    return where


@pytest.mark.parametrize("block", CONSOLE, ids=lambda block: f"line-{block.line}")
def test_console(
    block: Block,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setenv("NO_COLOR", "1")
    parts = re.split(r"^\$ metricdp (.*)$", block.text, flags=re.MULTILINE)[1:]
    assert parts
    for command, expected in zip(parts[::2], parts[1::2], strict=True):
        assert main(shlex.split(command)) in (0, 1)
        printed = capsys.readouterr().out
        flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
        same = doctest.OutputChecker().check_output(expected.strip(), printed.strip(), flags)
        assert same, f"{command}\n{printed}"


def test_every_command_is_described() -> None:
    headings = re.findall(r"^## (\w+):", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(headings) == sorted(cli.commands)
    ran = {line.split()[2] for b in CONSOLE for line in b.text.splitlines() if line[:1] == "$"}
    assert ran == set(cli.commands)
