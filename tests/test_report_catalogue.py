"""Every code is documented, its examples are programs, and slips of the pen find it."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from metricdp.diagnostics.catalogue import CATALOGUE, id_of, lookup, suggestions
from metricdp.diagnostics.code import PRELUDE, Code

PACKAGE = Path(__file__).parents[1] / "metricdp"
CODES = list(CATALOGUE.values())


@pytest.mark.parametrize("code", CODES, ids=lambda code: code.name)
def test_code_is_documented(code: Code) -> None:
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", code.name)
    assert re.fullmatch(r"DP[1-59]\d\d", code.id)
    assert len(code.title) <= 80
    assert not code.title.endswith(".")
    assert len(code.means.split()) >= 8
    assert len(code.why.split()) >= 8
    assert code.rejected != code.mended
    for line in code.explanation.splitlines():
        assert len(line) <= 100, line
    for jargon in ("please", "!", "may be wrong"):
        assert jargon not in code.title.lower()


@pytest.mark.parametrize(
    "code", [code for code in CODES if code.language == "python"], ids=lambda code: code.name
)
def test_examples_parse(code: Code) -> None:
    ast.parse(PRELUDE + code.mended)
    if code.name == "syntax-error":
        with pytest.raises(SyntaxError):
            ast.parse(PRELUDE + code.rejected)
    else:
        ast.parse(PRELUDE + code.rejected)


def test_names_and_ids_are_unique() -> None:
    assert len({code.id for code in CODES}) == len(CODES)
    ids = [code.id for code in CODES]
    assert len(ids) >= 49


def test_lookup() -> None:
    assert lookup("unbounded-sum") is lookup("DP101") is lookup("dp101") is lookup("Unbounded-Sum")
    assert lookup("no-such-code") is None
    assert id_of("unbounded-sum") == "DP101"
    assert id_of("no-such-code") == "DP999"


def test_suggestions() -> None:
    assert suggestions("unbounded-sun")[0] == "unbounded-sum"
    assert suggestions("divisor") == ["private-divisor"]
    assert suggestions("zzzzzzzz") == []


def test_every_code_that_the_package_names_is_in_the_catalogue() -> None:
    named = re.compile(
        r"""(?:Failure\(|Diagnostic\(|refuse\(|\bcode=)\s*["']([a-z]+(?:-[a-z]+)+)["']"""
    )
    unknown = {
        f"{path.relative_to(PACKAGE)}: {name}"
        for path in PACKAGE.rglob("*.py")
        for name in named.findall(path.read_text(encoding="utf-8"))
        if name not in CATALOGUE
    }
    assert not unknown
