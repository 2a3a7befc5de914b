"""`metricdp diff`: what got better, worse, or is not compared, and the exit code that says so."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from metricdp.answers.diff import Difference, differences, facts, follows, order
from metricdp.answers.programs import programs
from metricdp.apps.cli import main
from metricdp.expr import ZERO, parse, sym

HEAD = """\
from typing import Annotated
import metricdp as dp
from metricdp import Bounds, ChangeOne, L1, L2, Real, Records, Vector


"""
COUNT = """\
@dp.measurement
def f(v: Records[float], eps: float, n: int):
    return dp.laplace(dp.count(v), {noise})
"""


def compared(folder: Path, old: str, new: str) -> Difference:
    outcomes = []
    for name, text in (("old.py", old), ("new.py", new)):
        (folder / name).write_text(HEAD + text, encoding="utf-8")
        outcomes.append(programs([str(folder / name)]).outcomes)
    (found,) = differences(*outcomes)
    return found


@pytest.mark.parametrize(
    ("old", "new", "status", "said"),
    [
        ("epsilon=eps", "epsilon=eps", "same", None),
        ("epsilon=eps", "epsilon=eps / 2 + eps / 2", "same", None),
        ("epsilon=eps", "epsilon=eps / 2", "better", "epsilon eps -> eps/2 (smaller)"),
        ("epsilon=eps / 2", "epsilon=eps", "worse", "epsilon eps/2 -> eps (larger)"),
        ("scale=eps", "scale=2 * eps", "better", "epsilon 1/eps -> 1/(2*eps) (smaller)"),
        ("epsilon=eps", "epsilon=eps * eps", "incomparable", "neither is proved smaller"),
        ("epsilon=eps", "scale=2", "incomparable", "neither is proved smaller"),
    ],
)
def test_costs(tmp_path: Path, old: str, new: str, status: str, said: str | None) -> None:
    found = compared(tmp_path, COUNT.format(noise=old), COUNT.format(noise=new))
    assert found.status == status
    assert found.ok == (status in ("same", "better"))
    texts = [c.text for c in found.changes]
    assert (texts == []) if said is None else any(said in text for text in texts)


@pytest.mark.parametrize(
    ("edit", "status", "said"),
    [
        (("Records[float]", "Records[float, ChangeOne]"), "incomparable", "one record replaced"),
        (("@dp.measurement", "@dp.measurement(epsilon='eps / 2')"), "worse", "proved -> "),
        (("dp.count(v)", "dp.sum(v)"), "worse", "proved -> rejected [unbounded-sum] at line 8"),
        (("v: Rec", "w: Real, v: Rec"), "better", "`w`: no parameter -> private"),
        ((", n: int", ", m: int"), "same", "`n`: public -> no parameter"),
        (("dp.laplace", "n * dp.laplace"), "same", "result"),
        (("epsilon=eps", "scale=1 / eps / n"), "worse", "also requires n > 0"),
        (("dp.laplace(dp.count(v), epsilon=eps)", "dp.gaussian(dp.count(v), rho=eps)"),
         "incomparable", "costs in epsilon and in rho are not compared"),
        (("laplace(dp.count(v), epsilon=eps)", "gaussian(dp.count(v), epsilon=eps, delta=0.1)"),
         "incomparable", "are not compared"),
    ],
)  # fmt: skip
def test_edits(tmp_path: Path, edit: tuple[str, str], status: str, said: str) -> None:
    old = COUNT.format(noise="epsilon=eps")
    found = compared(tmp_path, old, old.replace(*edit))
    texts = [c.text for c in found.changes]
    if said == "result" and not texts:
        texts = ["result"]  # the printed space of a released number may stay the same
    assert found.status == status, texts
    assert any(said in text for text in texts), texts


def test_deltas_are_not_compared(tmp_path: Path) -> None:
    old = COUNT.replace("laplace", "gaussian").format(noise="epsilon=eps, delta=1e-6")
    assert compared(tmp_path, old, old).status == "same"
    found = compared(tmp_path, old, old.replace("1e-6", "1e-7"))
    assert found.status == "incomparable"
    cheaper = old.replace("epsilon=eps", "epsilon=eps / 2")
    assert compared(tmp_path, old, cheaper).status == "better"


LIPSCHITZ = """\
@dp.transformation
def f(x: {space}, c: float):
    return {result}
"""


@pytest.mark.parametrize(
    ("old", "new", "status"),
    [
        (("Real", "2 * x"), ("Real", "3 * x"), "worse"),
        (("Real", "2 * x"), ("Real", "x - x"), "better"),
        (("Real", "2 * x"), ("Real", "c * x"), "incomparable"),
        (("Real", "x + x"), ("Real", "2 * x"), "same"),
        (("Vector[Real, L1]", "2 * x"), ("Vector[Real, L2]", "2 * x"), "incomparable"),
        (("Real", "x"), ("Annotated[Real, Bounds(0, 1)]", "x"), "same"),
        (("Vector[Real, L1]", "x"), ("Vector[Real, L1]", "dp.norm_convert(x, L2)"), "incomparable"),
    ],
)
def test_stability(tmp_path: Path, old: tuple[str, str], new: tuple[str, str], status: str) -> None:
    texts = [LIPSCHITZ.format(space=space, result=result) for space, result in (old, new)]
    assert compared(tmp_path, *texts).status == status


def test_order_uses_what_is_required() -> None:
    eps, n = sym("eps"), sym("n", integer=True)
    known = facts([(eps, ">", ZERO), (n, ">=", parse("1"))])
    assert order(eps, eps / 2, known) == "smaller"
    assert order(eps, eps / 2, {}) == "incomparable"
    assert order(eps, n * eps, known) == "at least"
    assert order(n * eps, eps, known) == "at most"
    assert order(eps, eps * eps, known) == "incomparable"
    assert facts([(eps, "<", parse("1")), (eps + n, ">", ZERO)]) == {}


def test_requirements_follow() -> None:
    eps = sym("eps")
    one, half = parse("1"), parse("1/2")
    assert follows((eps, ">", ZERO), [(eps, ">", ZERO)])
    assert follows((2 * eps, ">", ZERO), [(eps, ">", ZERO)])
    assert follows((eps, "<", one), [(eps, "<", half)])
    assert not follows((eps, "<", half), [(eps, "<", one)])
    assert not follows((eps, ">", ZERO), [])


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for folder, noise in (("a", "epsilon=eps"), ("b", "epsilon=2 * eps")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "f.py").write_text(HEAD + COUNT.format(noise=noise), encoding="utf-8")
    (tmp_path / "b" / "g.py").write_text(HEAD + COUNT.format(noise="epsilon=eps"), encoding="utf-8")
    a, b = str(tmp_path / "a"), str(tmp_path / "b")
    assert main(["diff", a, b]) == 1
    out = capsys.readouterr().out
    assert out.startswith("worse") and "2 programs: 1 worse, 1 added" in out
    assert main(["diff", b, a, "--output-format", "json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert found["summary"]["better"] == found["summary"]["removed"] == 1
    assert {f["status"]: f["ok"] for f in found["functions"]} == {"better": True, "removed": False}
    assert main(["diff", a, a]) == 0
    assert capsys.readouterr().out == "1 program: 1 same\n"
    assert main(["diff", f"{a}/f.py", f"{b}/g.py"]) == 0


def test_wrong_usage(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.py").write_text("def (", encoding="utf-8")
    for arguments in ([str(tmp_path), "nowhere"], [str(tmp_path), str(tmp_path / "a.py")],
                      [str(tmp_path / "a.py")] * 2):  # fmt: skip
        assert main(["diff", *arguments, "--output-format", "json"]) == 2
        assert json.loads(capsys.readouterr().out)["diagnostics"][0]["code"] == "wrong-usage"
