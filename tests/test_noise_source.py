"""Sources hand out each bit once."""

from __future__ import annotations

import copy
import os
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from noise_checks import chi_square

from metricdp.noise import SeededSource, SystemSource, system_source


@pytest.mark.parametrize("source", [SystemSource(), SeededSource(0)], ids=["system", "seeded"])
def test_ranges(source):
    assert len(source.take(5)) == 5
    assert source.uint64(7).shape == (7,)
    assert source.uint64(0).shape == (0,)
    assert source.randbits(0) == 0
    assert max(source.randbits(3) for _ in range(300)) == 7
    assert max(source.randbits(130).bit_length() for _ in range(99)) > 120
    assert {source.below(3) for _ in range(300)} == {0, 1, 2}
    assert source.below(1) == 0
    with pytest.raises(ValueError, match="-1"):
        source.below(0)


def test_below_is_uniform_where_words_are_not_a_multiple():
    source = SeededSource(1)
    draws = [source.below(5) for _ in range(10_000)]
    chi_square([draws.count(i) for i in range(5)], [1 / 5] * 5)


def test_only_the_system_source_is_secure():
    assert SystemSource().secure and system_source().secure
    assert not SeededSource(0).secure


def test_seeded_bits_are_pinned():
    """The bits of a seed never change between versions."""
    assert SeededSource(1).randbits(64) == SeededSource(1).randbits(64)
    assert SeededSource(1).take(4).hex() == "5b38f207"
    big = SeededSource(2)
    assert len(set(big.take(10_000))) == 256


def test_the_system_source_keeps_no_bits():
    source = SystemSource()
    source.take(16)
    assert not hasattr(source, "__dict__") and not source.__slots__


def test_copies_do_not_share_bits():
    source = SystemSource()
    source.take(1)
    for twin in (copy.copy(source), copy.deepcopy(source), pickle.loads(pickle.dumps(source))):
        assert twin.take(16) != source.take(16)


def test_threads_do_not_share_bits():
    source = SystemSource()
    with ThreadPoolExecutor(8) as pool:
        taken = list(pool.map(lambda _: source.take(16), range(4000)))
    assert len(set(taken)) == 4000


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_fork_does_not_share_bits():
    script = (
        "import os; from metricdp.noise import SystemSource; s = SystemSource(); s.take(1)\n"
        "r, w = os.pipe()\n"
        "if os.fork() == 0: os.write(w, s.take(16)); os._exit(0)\n"
        "os.wait(); print(os.read(r, 16) != s.take(16))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stdout.strip() == "True", done.stderr


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_fork_that_python_does_not_see_shares_no_bits():
    """`fork` of the C library runs no hook of `os.register_at_fork`."""
    script = (
        "import ctypes, os; from metricdp.noise import SystemSource\n"
        "s = SystemSource(); s.take(1)\n"
        "r, w = os.pipe(); child = ctypes.PyDLL(None).fork()\n"
        "bits = s.take(16)\n"
        "if child == 0: os.write(w, bits); os._exit(0)\n"
        "other = os.read(r, 16); os.waitpid(child, 0); print(other != bits)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stdout.strip() == "True", done.stderr


def test_scalar_noise_loads_no_numpy():
    script = (
        "import sys; from metricdp.noise import discrete_gaussian, randomized_response_epsilon\n"
        "discrete_gaussian(3); randomized_response_epsilon(0, 3, 1); print('numpy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stdout.strip() == "False", done.stderr
