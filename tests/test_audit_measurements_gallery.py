"""The gallery: every verdict is the right one, on two seeds of the noise.

A correct mechanism is refuted by a sampled audit with probability at most 1e-9; draws are seeded,
so a verdict never changes from run to run.
"""

from __future__ import annotations

import subprocess
import sys

import pytest
from depth import depth

from metricdp.audit.gallery import GALLERY, GalleryEntry, audit_entry
from metricdp.audit.gallery.__main__ import main
from metricdp.audit.gallery.entry import SAMPLES

#: Broken ones that 3000 outputs do not refute.
HARD = ("keys_above_a_low_threshold", "count_drawn_until_positive", "sparse_vector_with_answers")


@pytest.mark.parametrize("entry", GALLERY.values(), ids=list(GALLERY))
def test_verdict(entry: GalleryEntry) -> None:
    # Broken ones always get what they need; correct ones are refuted falsely with the same
    # probability by fewer outputs.
    samples = depth(SAMPLES if entry.name in HARD else 3000, SAMPLES)
    verdict = audit_entry(entry, samples=samples)
    assert verdict.refuted == (entry.right == "refuted"), str(verdict)
    assert verdict.auditor == {"all": "sampled"}.get(entry.auditor, entry.auditor)
    if verdict.refuted and verdict.auditor == "sampled":
        assert verdict.event and verdict.p[0] > verdict.q[1]


@pytest.mark.parametrize(
    "entry", [e for e in GALLERY.values() if e.right == "survived" and e.auditor == "sampled"],
    ids=lambda e: e.name,
)  # fmt: skip
def test_no_false_alarm_on_another_seed(entry: GalleryEntry) -> None:
    assert not audit_entry(entry, seed=1, samples=depth(2000, 8000)).refuted


def test_the_gallery_is_large_and_its_twins_exist() -> None:
    rights = [entry.right for entry in GALLERY.values()]
    assert rights.count("refuted") >= 25
    assert rights.count("survived") >= 15
    for entry in GALLERY.values():
        assert entry.why and entry.pairs
        if entry.twin:
            assert GALLERY[entry.twin].right == "survived", entry.name
            assert entry.right == "refuted", entry.name


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["randomized_response", "randomized_response_rounded_down"]) == 0
    printed = capsys.readouterr().out
    assert "epsilon is at least 1.09861" in printed
    assert main(["nothing"]) == 2
    done = subprocess.run(
        [sys.executable, "-m", "metricdp.audit.gallery", "float_laplace"],
        capture_output=True, encoding="utf-8", check=True,
    )  # fmt: skip
    assert "lowest bit" in done.stdout
