"""`docs/accounting.md` is executed: what it prints in Python and on the command line."""

from __future__ import annotations

import doctest
import re
import shlex
from pathlib import Path

import pytest

from metricdp.apps.cli import main

PAGE = Path(__file__).resolve().parent.parent / "docs" / "accounting.md"
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def test_the_page_is_executed() -> None:
    text = PAGE.read_text(encoding="utf-8")
    fenced = re.findall(r"```pycon\n(.*?)```", text, re.DOTALL)
    test = doctest.DocTestParser().get_doctest("\n".join(fenced), {}, PAGE.name, None, 0)
    assert len(test.examples) >= 20
    printed: list[str] = []
    doctest.DocTestRunner(optionflags=FLAGS).run(test, out=printed.append)
    assert not printed, "".join(printed)


def test_the_commands_print_what_the_page_says(capsys: pytest.CaptureFixture[str]) -> None:
    blocks = re.findall(r"```console\n\$ (.*?)\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S)
    assert len(blocks) == 2
    for command, expected in blocks:
        assert main(shlex.split(command)[1:]) == 0
        found = capsys.readouterr().out
        assert doctest.OutputChecker().check_output(expected, found, FLAGS), found
