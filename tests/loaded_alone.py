"""What records and programs give where nothing else was loaded: `python tests/loaded_alone.py`.

Prints two tables as JSON, key -> text: of processes that load what they are asked for and no more,
and of a process that has loaded every primitive.  Each record concludes at its instances, and for
each name that a program can write the shortest program of the pages that writes it is checked.
A process is a fork of one that has loaded the checker, the texts of diagnostics and exact values,
and no record or family of noise.  No pair is looked for that refutes a claim: a search runs the
program, and a run loads every primitive.
"""

from __future__ import annotations

import gc
import json
import os
import re
import sys
import tempfile
from collections.abc import Callable
from fractions import Fraction
from inspect import Parameter, signature
from pathlib import Path
from typing import Any

import mdtest

import metricdp.diagnostics.catalogue
import metricdp.values  # noqa: F401  (two thirds of the forks would load them)
from metricdp.check.verdicts import claims
from metricdp.expr import num
from metricdp.primitives import load
from metricdp.primitives._index import INDEX
from metricdp.record import REGISTRY, Arg, Instance, Refusal
from metricdp.report import render
from metricdp.spaces import Space

PAGES = Path(__file__).parent / "programs"


def conclusions(name: str) -> str:
    """What a record concludes at its instances."""
    record = REGISTRY[name]
    found = [record.proof, repr(record.spelling)]
    for instance in record.instances():
        given = {**labels(record.rule), **{k: given_as(instance, k) for k in names(instance)}}
        several = [given.pop(k) for k in sorted(given) if k.isdigit()]
        try:
            found.append(repr(record.rule(*several, **given)))
        except Refusal as refused:
            found.append(repr(refused.failure))
    return re.sub(" at 0x[0-9a-f]+", "", "\n".join(found))


def names(instance: Instance) -> list[str]:
    """The arguments that an instance gives."""
    return [*instance.private, *instance.public]


def given_as(instance: Instance, name: str) -> Arg:
    """An argument of an instance, as check hands it to a rule."""
    if name in instance.private:
        return Arg(instance.private[name], True, text=name)
    value = instance.public[name]
    body = instance.bodies.get(name)
    if isinstance(value, int | Fraction) and not isinstance(value, bool):
        return Arg(value=num(value), literal=value, text=name, body=body)
    if isinstance(value, Space):  # the declared result of a black box
        return Arg(value, text=name)
    return Arg(literal=None if callable(value) else value, text=name, body=body)


def labels(rule: Callable[..., Any]) -> dict[str, Arg]:
    """Arguments that only name something in messages."""
    return {
        p.name: Arg(literal=p.name, text=p.name)
        for p in signature(rule).parameters.values()
        if p.kind is Parameter.KEYWORD_ONLY and p.default is Parameter.empty
    }


def checked(program: mdtest.Program) -> str:
    """The report of a program."""
    with tempfile.TemporaryDirectory() as folder:
        return render(mdtest.check(program, Path(folder)), "json")


def shortest() -> list[mdtest.Program]:
    """For every name of a primitive the shortest program that writes it."""
    known = [p for page in sorted(PAGES.rglob("*.md")) for p in mdtest.programs(page)]
    known.sort(key=lambda p: len(p.source.text) + sum(len(b.text) for b in p.beside))
    firsts: dict[str, mdtest.Program] = {}
    for program in known:
        for called in re.findall(r"\b(?:dp|np|math|metricdp)\.(\w+)\(", program.source.text):
            firsts.setdefault(called, program)
    chosen: dict[str, mdtest.Program] = {}
    for name, (_, _, _, dotted, seeds) in INDEX.items():
        for written in (name, *dotted, *seeds):
            first = firsts.get(written.rpartition(".")[2])
            if first is not None:
                chosen[first.name] = first
    return [*chosen.values()]


def forked(job: Callable[[], str]) -> str:
    """The result of a job in a fork of this process."""
    reader, writer = os.pipe()
    if (child := os.fork()) == 0:
        os.close(reader)
        try:
            text = job()
        except BaseException as error:
            text = f"{type(error).__name__}: {error}"
        with open(writer, "w", encoding="utf-8") as out:
            out.write(text)
        os._exit(0)
    os.close(writer)
    with open(reader, encoding="utf-8") as found:
        text = found.read()
    os.waitpid(child, 0)
    return text


def main() -> None:
    """Prints both tables."""
    claims.refute = lambda outcome, claimed: None
    jobs: dict[str, Callable[[], str]] = {}
    for name in INDEX:
        jobs[name] = lambda name=name: conclusions(name)
    for program in shortest():
        jobs[program.name] = lambda program=program: checked(program)
    gc.freeze()  # what all forks share is not written to
    alone = {key: forked(job) for key, job in jobs.items()}
    load()
    json.dump([alone, {key: job() for key, job in jobs.items()}], sys.stdout)


if __name__ == "__main__":
    main()
