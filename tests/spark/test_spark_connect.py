"""Spark Connect: a server of its own, asked from a process of its own (`on_connect`)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("grpc", reason="pip install 'pyspark[connect]'")


def test_programs_on_a_server() -> None:
    """The same numbers, a copy that nobody else sees, settings that do not count, refusals."""
    script = Path(__file__).with_name("on_connect.py")
    environment = {key: value for key, value in os.environ.items() if key != "SPARK_LOCAL_IP"}
    done = subprocess.run(
        [sys.executable, str(script)], env=environment, capture_output=True, text=True, timeout=900
    )
    assert done.returncode == 0 and done.stdout.split()[-1] == "all", done.stderr[-3000:]
