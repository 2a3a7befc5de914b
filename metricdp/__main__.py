"""`metricdp`, and `python -m metricdp`: one command in a process of its own."""

from __future__ import annotations

import gc
import sys


def run() -> None:
    """Runs the command line and ends the process with its exit code.

    What a command loads lives until the process ends; looking for garbage in it while it is loaded,
    and all of it once more at the end, is a tenth of the time of a short check.
    """
    gc.set_threshold(100_000, 50, 100)
    from metricdp.apps.cli import main

    code = main()
    gc.freeze()
    sys.exit(code)


if __name__ == "__main__":
    run()
