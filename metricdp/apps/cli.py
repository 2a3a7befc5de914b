"""The command line: check, explain, audit.  Every exit path honours the output format."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from metricdp.apps import checking


def main(args: Sequence[str] | None = None) -> int:
    """Runs the command line and returns its exit code; never raises, never prints a traceback."""
    arguments = list(sys.argv[1:] if args is None else args)
    try:
        plain = checking.plain(arguments)
        if plain is not None:
            return checking.check(*plain)
        # Options are read by click, which takes as long to import as a small file to check.
        from metricdp.apps.commands import run

        return run(arguments)
    except KeyboardInterrupt:
        return _interrupted(arguments)
    except Exception as error:
        return checking.finish(checking.internal(error), checking.wanted(arguments))


def _interrupted(arguments: list[str]) -> int:
    """130, as shells have it; where a format was asked for, something in it is printed as well."""
    output_format = checking.wanted(arguments)
    if output_format == "text":
        print("interrupted", file=sys.stderr)
    else:
        checking.finish(checking.internal(KeyboardInterrupt("interrupted")), output_format)
    return 130


if __name__ == "__main__":
    sys.exit(main())
