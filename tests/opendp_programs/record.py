"""Runs every program under OpenDP 0.16 and writes what its maps say beside it.

pip install opendp==0.16    (an environment of its own)
python tests/opendp_programs/record.py
"""

from __future__ import annotations

import json
from pathlib import Path

HERE = Path(__file__).parent

if __name__ == "__main__":
    found = {}
    for path in sorted(HERE.glob("*.py")):
        text = path.read_text()
        if path.name == "record.py" or "2021" in path.name:
            continue
        theirs = text.replace("import metricdp.opendp as dp", "import opendp.prelude as dp")
        names: dict[str, object] = {}
        try:
            exec(compile(theirs, str(path), "exec"), names)
            found[path.stem] = names["RESULTS"]
        except Exception as error:
            print(path.name, type(error).__name__, str(error)[-300:])
    (HERE / "opendp_0_16.json").write_text(json.dumps(found, indent=1) + "\n")
