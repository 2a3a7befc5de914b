"""A short attack with a fixed seed, and that its oracle sees what it is there to see.

`make attack SECONDS=600` is the long one.  All comparisons but the frequencies (1e-9) are exact.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from random import Random
from typing import Any

import pytest
from attack.frequencies import Counts, misfits, watch
from attack.oracle import Proved, attack
from attack.trying import FEATURES, every_pair, judge, queue, try_program, wanted
from attack.writing import Program
from checked_modules import load
from depth import depth
from foreign_mechanisms import family

from metricdp.measures.events import Sampled
from metricdp.record import REGISTRY

SEED = "suite"
HEAD = "import metricdp as dp\nfrom metricdp import Real\n\n\n"


def test_programs_of_pairs_of_features_have_no_hole(tmp_path: Path) -> None:
    order, counts, proved = queue(SEED), {}, 0  # type: ignore[var-annotated]
    for number in range(depth(80, 150)):
        tried = try_program(number, SEED, order, tmp_path, counts)
        assert tried.verdict not in ("hole", "internal error"), (tried.code, tried.source)
        proved += tried.verdict == "proved"
    assert proved >= depth(40, 75)
    assert not misfits(counts)


def test_loops_over_rows_have_no_hole_beside_other_features(tmp_path: Path) -> None:
    seed, rows = (
        "rows of the suite",
        {n for n, f in FEATURES.items() if "rows" in f.write.__module__},
    )
    order, proved, number, tried = queue(seed), 0, 0, 0
    while tried < depth(12, 24):
        number += 1
        if rows & {feature.name for feature in wanted(number, seed, order)}:
            found = try_program(number, seed, order, tmp_path, {})
            assert found.verdict not in ("hole", "internal error"), (found.code, found.source)
            tried, proved = tried + 1, proved + (found.verdict == "proved")
    assert proved >= depth(5, 10)


def test_every_record_is_a_feature() -> None:
    mechanisms = {n for n, r in REGISTRY.items() if r.kind == "mechanism"}
    assert {f"noise: {name}" for name in mechanisms} <= FEATURES.keys()
    assert sum(name.startswith("record:") for name in FEATURES) >= 60


def test_every_pair_has_its_turn() -> None:
    order = queue(SEED)
    assert sorted(order) == sorted(every_pair())
    turns = {tuple(sorted(f.name for f in wanted(n, SEED, order)[:2])) for n in range(300)}
    assert set(order[:190]) <= turns | set(order[190:])


def proved_as(f: Any, **changed: Any) -> Proved:
    """A function as if something else had been proved."""
    import msgspec

    return Proved(f, msgspec.structs.replace(f.outcome.guarantee, **changed), {})


def hole(proved: Proved, pairs: int = 60) -> str:
    found = attack(proved, Random("planted"), pairs)
    return found.what if found else ""


CHEAPER = {
    "a draw more": ("dp.laplace(x, scale=1)", "(dp.laplace(x, scale=1), dp.laplace(x, scale=1))"),
    "twice the movement": ("dp.laplace(x, scale=1)", "dp.laplace(2 * x, scale=1)"),
    "half the scale": ("dp.gaussian(x, scale=2)", "dp.gaussian(x, scale=1)"),
    "another choice": (
        "dp.exponential_mechanism(candidates=(0, 1), score=lambda c: c * x, epsilon=0.5)",
        "dp.exponential_mechanism(candidates=(0, 1), score=lambda c: c * x, epsilon=1.5)",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CHEAPER)
def test_a_program_that_costs_more_than_was_proved_is_seen(name: str, tmp_path: Path) -> None:
    """The dearer program runs, and the cheaper one's guarantee is what was "proved"."""
    cheap, dear = (
        load(tmp_path, f"@dp.measurement\ndef f(x: Real):\n    return {text}\n", HEAD).f
        for text in CHEAPER[name]
    )
    guarantee = cheap.outcome.guarantee
    assert not hole(Proved(cheap, guarantee, {}))
    assert "was proved" in hole(Proved(dear, guarantee, {}))


SAMPLED = """
@dp.measurement
def f(rows: dp.Records[int]):
    some = dp.sample(rows, q=0.5)
    return dp.laplace(dp.count(some), scale=1)
"""


def test_a_sample_that_is_charged_for_too_little_is_seen(tmp_path: Path) -> None:
    import msgspec

    f = load(tmp_path, SAMPLED, HEAD).f
    guarantee = f.outcome.guarantee
    assert not hole(Proved(f, guarantee, {}))
    tree = guarantee.tree

    def at(rate: Any, node: Any) -> Any:
        if isinstance(node, Sampled):
            from metricdp.expr import num

            scheme = msgspec.structs.replace(node.scheme, rate=num(rate))
            return msgspec.structs.replace(node, scheme=scheme)
        items = tuple(at(rate, item) for item in node.items)
        return msgspec.structs.replace(node, items=items)

    from fractions import Fraction

    cheaper = msgspec.structs.replace(guarantee, tree=at(Fraction(2, 5), tree))
    real = guarantee

    class Cheaper:
        """The guarantee with another cost; what runs is as it was."""

        def __getattr__(self, name: str) -> Any:
            return getattr(real, name)

        def at_numbers(self, held: Any) -> Any:
            return cheaper.at_numbers(held)

    assert "was proved" in hole(Proved(f, Cheaper(), {}))


def test_a_result_that_differs_along_the_same_outputs_is_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "@dp.measurement\ndef f(x: Real):\n    return dp.laplace(x, scale=1), 1\n"
    f = load(tmp_path, text, HEAD).f

    class Leaking:
        """A function that shows its input beside its noise."""

        def __call__(self, **given: Any) -> Any:
            import msgspec

            release = f(**given)
            return msgspec.structs.replace(release, value=(release.value, given["x"]))

    assert "differs" in hole(Proved(Leaking(), f.outcome.guarantee, {}))


def test_draws_that_do_not_follow_their_law_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    from fractions import Fraction

    import attack.frequencies as frequencies
    from attack.following import Drawn

    from metricdp.families.family import Draw
    from metricdp.run.draws import perform

    def watched(mechanism: str) -> Counts:
        counts: Counts = {}
        draw = Draw("f", family(mechanism), "", Fraction(3))
        for i in range(60):
            watch(Drawn(draw, 2, 2), Random(f"watch {i}"), counts)
        return counts

    for name in ("laplace", "discrete_laplace", "gaussian", "discrete_gaussian"):
        assert not misfits(watched(name))

    def other(draw: Draw, value: Any, source: Any) -> Any:
        swapped = draw.mechanism.replace("laplace", "gaussian")
        return perform(Draw(draw.site, family(swapped), "", draw.scale), value, source)

    monkeypatch.setattr(frequencies, "perform", other)
    assert misfits(watched("discrete_laplace"))


def test_a_claim_below_the_cost_is_tried() -> None:
    text = f"{HEAD}@dp.measurement\ndef f(x: Real):\n    return dp.laplace(x, scale=1)\n"
    program = Program(text, frozenset(), {})
    with tempfile.TemporaryDirectory() as folder:
        ways = {w for i in range(60) for w in judge(program, Random(i), Path(folder), None).ways}
    assert ways == {"pure", "claimed", "session"}
