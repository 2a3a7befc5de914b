"""HTML: well-formed, escaped, complete."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import msgspec
import pytest
from report_samples import PROVED, PURE, STABLE

from metricdp.diagnostics.result import FunctionReport
from metricdp.report.html import guarantee_html, release_html

HOSTILE = "<script>alert('&\"')</script>"


def words(html: str) -> str:
    """The text of well-formed HTML; raises when it is not well-formed."""
    return " ".join(ElementTree.fromstring(html).itertext())


@pytest.mark.parametrize("function", [PROVED, PURE, STABLE], ids=lambda function: function.name)
def test_guarantee(function: FunctionReport) -> None:
    shown = words(guarantee_html(function))
    for text in (function.verdict, function.name, *function.requires, *function.rests_on):
        assert text in shown
    for step in function.derivation:
        assert step.rule in shown


def test_everything_is_escaped() -> None:
    hostile = msgspec.structs.replace(
        PURE, name=HOSTILE, file=HOSTILE, requires=(HOSTILE,), assumptions=(HOSTILE,)
    )
    for html in (
        guarantee_html(hostile),
        release_html([HOSTILE], HOSTILE, [(HOSTILE, HOSTILE)]),
    ):
        assert "<script" not in html
        assert html.count("&lt;script&gt;") >= 4
        assert HOSTILE in words(html)


def test_release() -> None:
    shown = words(release_html(["5203 ± 599 (95%)"], "cost ε = 1", [("ledger", "1 of 3 spent")]))
    assert shown.split() == "5203 ± 599 (95%) cost ε = 1 ledger: 1 of 3 spent".split()
