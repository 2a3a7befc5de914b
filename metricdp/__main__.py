"""`python -m metricdp`."""

from __future__ import annotations

import sys

from metricdp.apps.cli import main

if __name__ == "__main__":
    sys.exit(main())
