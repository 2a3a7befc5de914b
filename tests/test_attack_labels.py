"""What is filed as proved was proved: labels, steps, maps and functions cannot be set by hand."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import msgspec
import pytest

import metricdp as dp
from metricdp import Real
from metricdp.errors import FrozenError, ParameterError
from metricdp.maps import DistanceMap, Measurement, Transformation, make
from metricdp.maps.steps import CHECKED, PROVED, MapStep, Reliance
from metricdp.spaces import Scalar

REAL = Scalar("Real")


def show(value: Any) -> Any:
    return value


def laplace() -> Measurement:
    found: Measurement = make("laplace", REAL, scale=2)
    return found


@dp.measurement
def noisy(x: Real, eps: float):
    return dp.laplace(x, epsilon=eps)


@pytest.mark.parametrize(
    "forged",
    [
        lambda: Measurement(REAL, show, {"pure": "0*d_in"}, "m", trust="proved"),
        lambda: Measurement(REAL, show, {"pure": "0*d_in"}, "m", "proved"),
        lambda: Transformation(REAL, REAL, show, "d_in", trust="proved"),
        lambda: Measurement(REAL, show, {"pure": "0*d_in"}, steps=laplace().steps),
        lambda: Transformation(REAL, REAL, show, 0, steps=make("abs", REAL).steps),
        lambda: Measurement(
            REAL, show, {"pure": "d_in"},
            steps=(MapStep("m", REAL, None, rests_on=(Reliance(PROVED, "me"),)),),
        ),
        lambda: Measurement(REAL, show, {"pure": "d_in"}, steps=(Reliance(CHECKED, "me"),)),
        lambda: Measurement(REAL, show, {"pure": "-d_in"}),
    ],
)  # fmt: skip
def test_a_map_by_hand_is_never_proved(forged: Any) -> None:
    with pytest.raises(ParameterError):
        forged()


def test_a_map_by_hand_is_an_assumption_in_every_chain() -> None:
    by_hand = Measurement(REAL, show, {"pure": "0*d_in"}, "m")
    assert by_hand.trust == "asserted"
    assert (make("abs", REAL) >> by_hand).trust == "asserted"
    assert (by_hand >> abs).trust == "asserted"
    tree = Measurement(REAL, show, tree=laplace().tree)
    assert tree.trust == "asserted"
    assert laplace().trust == noisy.at(eps=1.0).trust == "proved"


MAPS: list[Any] = [
    laplace(), make("abs", REAL), noisy.at(eps=1.0), make("abs", REAL) >> laplace(),
    laplace() >> abs,
]  # fmt: skip


@pytest.mark.parametrize("item", MAPS, ids=lambda m: m.name)
def test_nothing_of_a_map_can_be_set(item: Any) -> None:
    fields = ["input_space", "function", "name", "steps", "enter", "trust", "rests_on"]
    fields += ["stability", "output_space", "leave"] if hasattr(item, "stability") else []
    fields += ["privacy", "tree"] if hasattr(item, "privacy") else []
    before = repr(item), item.map(1)
    for name in fields:
        with pytest.raises(AttributeError):
            setattr(item, name, getattr(item, name))
        with pytest.raises(AttributeError):
            delattr(item, name)
    for step in item.steps:
        for mapping in (step.arguments, step.costs):
            with pytest.raises(TypeError):
                mapping["scale"] = 1000
        with pytest.raises(AttributeError):
            step.rests_on = ()
    if hasattr(item, "privacy"):
        with pytest.raises(TypeError):
            item.privacy["pure"] = (DistanceMap(0),)
    for owner in (item.function, getattr(item, "stability", None), *item.steps):
        for name in ("inner", "outer", "expr", "function", "public", "scale"):
            if hasattr(owner, name):
                with pytest.raises(AttributeError):
                    setattr(owner, name, getattr(owner, name))
    assert (repr(item), item.map(1)) == before


@pytest.mark.parametrize("item", MAPS, ids=lambda m: m.name)
def test_copies_keep_the_trust_that_they_had(item: Any) -> None:
    again = copy.copy(item)
    assert (again.trust, again.map(2)) == (item.trust, item.map(2))
    by_hand = Measurement(REAL, show, {"pure": "0*d_in"}, "m")
    for made in (copy.copy(by_hand), copy.deepcopy(by_hand), pickle.loads(pickle.dumps(by_hand))):
        assert made.trust == "asserted"


def test_a_step_that_was_replaced_belongs_to_no_map() -> None:
    step = msgspec.structs.replace(laplace().steps[0], costs={"pure": (DistanceMap(0),)})
    with pytest.raises(ParameterError):
        Measurement(REAL, show, {"pure": 0}, steps=(step,))


def test_a_forged_label_is_not_filed_as_a_program() -> None:
    session = dp.Session({"x": (Real, 3.0)}, budget=dp.Budget(epsilon=1))
    by_hand = Measurement(REAL, lambda x: 1.0, {"pure": "0*d_in"}, "m")
    release = session.release(by_hand)
    assert any("written by hand" in text for text in release.rests_on)
    assert release.about.assumptions


def test_only_the_library_vouches() -> None:
    """The files that apply rules, check programs or join what both made."""
    root = Path(dp.__file__).parent
    found = {
        path.relative_to(root).as_posix()
        for path in root.rglob("*.py") if "Vouched(" in path.read_text()
    }  # fmt: skip
    assert found == {
        "maps/steps.py", "maps/measurement.py", "maps/transformation.py", "maps/constructors.py",
        "checked/concrete.py", "opendp/catalogue_aggregates.py",
        "opendp/catalogue_choices.py",
        "opendp/catalogue_noise.py", "maps/interactive.py",
        "maps/composition.py", "maps/conversions.py",
        "maps/partitions.py", "maps/samples.py",
        "maps/selection.py",
    }  # fmt: skip


def test_a_frozen_object_says_so() -> None:
    with pytest.raises(FrozenError, match="not changed"):
        laplace().function = show


def test_what_was_checked_is_not_changed_through_its_outcome() -> None:
    """A guarantee of nothing, set on the outcome, was what a session charged."""
    found = noisy.outcome
    found.guarantee = msgspec.structs.replace(found.guarantee, tree=None)
    found.verdict = "refuted"
    assert noisy.outcome.verdict == "proved" and noisy.map(1, eps=1.0) == 1
    session = dp.Session({"x": (Real, 3.0)}, budget=dp.Budget(epsilon=1))
    session.run(noisy, eps=0.25)
    assert session.left() == {"epsilon": 0.75}
    with pytest.raises(AttributeError):
        noisy.guarantee.data.tree = None
