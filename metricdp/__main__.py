"""`metricdp`, and `python -m metricdp`: one command in a process of its own."""

from __future__ import annotations

import gc
import os
import sys


def run() -> None:
    """Runs the command line and ends the process with its exit code.

    What a command loads lives until the process ends; looking for garbage in it while it is loaded,
    all of it once more at the end, and taking it down piece by piece, is an eighth of the time of a
    short check.
    """
    gc.set_threshold(100_000, 50, 100)
    from metricdp.apps.checking import plain
    from metricdp.apps.cli import main

    code = main()
    watched = sys.gettrace() is not None or sys.getprofile() is not None
    if plain(sys.argv[1:]) is not None and not watched:
        # No code of a user ran, and metricdp leaves nothing to be done at the end of a process.
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
        os._exit(code)
    if "duckdb" not in sys.modules:  # which writes of what is left when it is taken down
        gc.freeze()
    sys.exit(code)


if __name__ == "__main__":
    run()
