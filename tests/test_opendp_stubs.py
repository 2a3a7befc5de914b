"""The stubs are those of the constructors; type checkers read them in `test_spaces_typing.py`."""

from __future__ import annotations

from pathlib import Path

import metricdp.opendp
from metricdp.opendp.stubs import stubs

HERE = Path(metricdp.opendp.__file__).parent


def test_stubs_are_up_to_date() -> None:
    for name, text in stubs():
        assert (HERE / name).read_text() == text, "run python -m metricdp.opendp.stubs"
