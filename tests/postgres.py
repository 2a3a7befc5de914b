"""A PostgreSQL server of our own for tests: started in a folder, asked over a socket in it."""

from __future__ import annotations

import importlib.util
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

#: Users that a server may run as where the tests run as root, which it refuses.
_USERS = ("postgres", "nobody")


def binaries() -> Path | None:
    """The folder with `initdb` and `postgres`: of the machine, else of the package pgserver."""
    places: list[Path] = []
    found = shutil.which("initdb")
    if found is not None:
        places.append(Path(found).resolve().parent)
    places += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    spec = importlib.util.find_spec("pgserver")
    if spec is not None and spec.origin is not None:
        places.append(Path(spec.origin).parent / "pginstall" / "bin")
    for place in places:
        if all((place / name).exists() for name in ("initdb", "postgres")):
            return place
    return None


class Running:
    """A server; each test gets a database of its own."""

    def __init__(self, folder: Path, place: Path) -> None:
        self._folder, self._place, self._count = folder, place, 0
        self._as: dict[str, Any] = {}
        if os.geteuid() == 0:
            names = {entry.pw_name: entry for entry in pwd.getpwall()}
            user = next(names[name] for name in _USERS if name in names)
            os.chown(folder, user.pw_uid, user.pw_gid)
            self._as = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
        self._run("initdb", "-D", str(folder / "data"), "-U", "owner", "-A", "trust", "--no-sync",
                  "-E", "SQL_ASCII", "--locale=C")  # fmt: skip
        self.start()

    def _run(self, name: str, *args: str) -> None:
        subprocess.run([self._place / name, *args], check=True, capture_output=True,
                       cwd=self._folder, env=_plain(), **self._as)  # fmt: skip

    def start(self) -> None:
        """Start the server, and wait until it answers."""
        with open(self._folder / "log", "ab") as log:
            self._process = subprocess.Popen(
                [self._place / "postgres", "-D", str(self._folder / "data"),
                 "-k", str(self._folder), "-c", "listen_addresses=", "-c", "port=5432",
                 "-c", "shared_buffers=16MB", "-c", "max_connections=40"],
                stdout=log, stderr=log, cwd=self._folder, env=_plain(), **self._as,
            )  # fmt: skip
        for _ in range(600):
            try:
                self.ask("postgres", "SELECT 1")
            except Exception:
                assert self._process.poll() is None, (self._folder / "log").read_text()
                time.sleep(0.05)
            else:
                return
        raise AssertionError("the server does not answer")

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """End it: SIGINT waits for no session, SIGQUIT is as if it had crashed."""
        self._process.send_signal(how)
        self._process.wait(60)

    def address(self, database: str, user: str = "owner") -> str:
        """Of a database."""
        return f"postgresql://{user}@/{database}?host={self._folder}&port=5432"

    def database(self) -> str:
        """The address of a new database."""
        self._count += 1
        name = f"d{os.getpid()}_{self._count}"
        self.ask("postgres", f"CREATE DATABASE {name}")
        return self.address(name)

    def ask(self, database: str, *statements: str) -> list[Any]:
        """Lines of the last of several statements, one after the other."""
        import psycopg

        address = database if "://" in database else self.address(database)
        with psycopg.connect(address, autocommit=True, client_encoding="utf8") as connection:
            for statement in statements:
                cursor = connection.execute(statement)
            return cursor.fetchall() if cursor.description else []


def server() -> Running | None:
    """A new server; None where nothing can run one."""
    place = binaries()
    if place is None or importlib.util.find_spec("psycopg") is None:
        return None
    return Running(Path(tempfile.mkdtemp(prefix="mdp-", dir="/tmp")), place)


def ended(running: Running) -> None:
    """End a server and take its folder away."""
    running.stop(signal.SIGQUIT)
    shutil.rmtree(running._folder, ignore_errors=True)


def _plain() -> dict[str, str]:
    return {**{k: v for k, v in os.environ.items() if not k.startswith("PG")}, "LC_ALL": "C"}
