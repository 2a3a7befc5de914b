"""HTML: well-formed, escaped, complete."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from typing import Any

import msgspec
import pytest
from report_samples import PROVED, PURE, STABLE

import metricdp as dp
from metricdp.diagnostics.result import FunctionReport
from metricdp.maps import make
from metricdp.measures import Gaussian, account
from metricdp.report.cards import boxed, card, table
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
        card(HOSTILE, HOSTILE, place=HOSTILE, lines=[HOSTILE], text=HOSTILE),
        boxed(table([(HOSTILE, HOSTILE)], (HOSTILE, HOSTILE)) + table([(HOSTILE, HOSTILE)])),
    ):
        assert "<script" not in html
        assert html.count("&lt;script&gt;") >= 4
        assert HOSTILE in words(html)


def test_release() -> None:
    shown = words(release_html(["5203 ± 599 (95%)"], "cost ε = 1", [("ledger", "1 of 3 spent")]))
    assert shown.split() == "release 5203 ± 599 (95%) cost ε = 1 ledger: 1 of 3 spent".split()


def test_cards_of_what_a_notebook_shows() -> None:
    """A card for whatever a cell may end with; none shows a private number."""
    secret = 987.25
    table = (dp.Records[float], [secret, 3.0])
    session = dp.Session({"visits": table}, budget=dp.Budget(epsilon=1), dataset="<mine>")
    tracked = dp.sum(dp.clamp(session["visits"], 0, 1000))
    guarantee = account(Gaussian(1), "add or remove")
    chain = make("clamp", dp.Records[float], lower=0, upper=20)
    for shown, word in (
        (rejected, "help:"),
        (proved, "requires: eps &gt; 0"),
        (proved.guarantee, "requires: eps &gt; 0"),
        (tracked, "moves with visits by: 1000*d_in"),
        (session, "&lt;mine&gt;"),
        (guarantee, "gaussian(1)"),
        (guarantee.epsilon(1e-6), "delta = 0.000001"),
        (chain, "one record added or removed"),
        (chain.explain(1), "1-stable"),
    ):
        html = shown._repr_html_()
        assert ElementTree.fromstring(html).tag == "div"
        assert word in html and "987" not in html


@dp.measurement
def proved(rows: dp.Records[float], eps: float) -> Any:
    return dp.laplace(len(rows), epsilon=eps)


@dp.measurement
def rejected(rows: dp.Records[float], eps: float) -> Any:
    return dp.laplace(sum(rows), epsilon=eps)
