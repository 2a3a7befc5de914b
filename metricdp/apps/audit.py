"""`metricdp audit`: attack what a file claims."""

from __future__ import annotations

import os
from typing import Any

import click

from metricdp.apps.options import amount, assignments, probability
from metricdp.apps.output import write


@click.command()
@click.argument("target", metavar="FILE[::FUNCTION]", required=False)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
@click.option(
    "--pairs", type=click.IntRange(min=1), default=5000, show_default=True,
    help="Most pairs of inputs of a transformation.",
)  # fmt: skip
@click.option(
    "--seconds", type=click.FloatRange(min=0, min_open=True), default=10.0, show_default=True,
    help="Time.",
)  # fmt: skip
@click.option("--epsilon", metavar="E", callback=amount, help="What a plain function claims.")
@click.option("--delta", metavar="D", callback=probability, help="With --epsilon.")
@click.option(
    "--set", "values", multiple=True, metavar="NAME=VALUE", callback=assignments,
    help="Public parameter of a measurement.",
)  # fmt: skip
@click.option(
    "--samples",
    type=click.IntRange(min=100),
    help="Outputs per input.  [default: what the time allows]",
)
@click.option(
    "--confidence", metavar="C", callback=probability,
    help="Of a refutation from samples.  [default: 0.999999]",
)  # fmt: skip
@click.option(
    "--guarded", is_flag=True,
    help="Inputs hold no NaN, infinities or unseen texts: what calls the function sees to it.",
)  # fmt: skip
@click.option("--gallery", is_flag=True, help="Audit the gallery of broken mechanisms instead.")
def audit(
    target: str | None,
    seed: int,
    pairs: int,
    seconds: float,
    epsilon: str | None,
    delta: str | None,
    values: dict[str, str],
    samples: int | None,
    confidence: str | None,
    guarded: bool,
    gallery: bool,
) -> int:
    """Attack what a file claims: bounds of transformations, privacy of measurements.

    A transformation is attacked with neighbouring inputs.  A measurement is run twice along the
    same released values; a plain function with --epsilon also by samples of its outputs.  Except
    for decorated transformations, this runs the file.

    Exit code: 0 survived; 1 something is refuted; 2 wrong usage, or nothing can be said.
    """
    if gallery:
        from metricdp.audit.gallery.__main__ import main

        return main([] if target is None else [target])
    if target is None:
        raise click.UsageError("give FILE, FILE::FUNCTION or --gallery")
    file = target.partition("::")[0]
    if not os.path.isfile(file):
        raise click.UsageError(f"no such file: {file}")
    if delta is not None and epsilon is None:
        raise click.UsageError("--delta belongs to --epsilon")
    from metricdp.audit import audit_target
    from metricdp.errors import MetricdpError

    private = _claimed(epsilon, delta, values, samples, confidence, guarded)
    try:
        report = audit_target(target, seed, pairs, seconds, **private)
    except MetricdpError as error:
        raise click.ClickException(str(error)) from error
    write(f"{report}\n")
    return 1 if report.refuted else 0


def _claimed(
    epsilon: str | None,
    delta: str | None,
    values: dict[str, str],
    samples: int | None,
    confidence: str | None,
    guarded: bool,
) -> dict[str, Any]:
    """The options that concern measurements, where one was given."""
    if not (epsilon or values or samples or confidence or guarded):
        return {}
    from fractions import Fraction

    from metricdp.audit.target import Claimed

    public = {name: _number(text) for name, text in values.items()}
    return {
        "claimed": Claimed(
            None if epsilon is None else Fraction(epsilon),
            Fraction(delta or 0),
            public,
            samples,
            None if confidence is None else Fraction(confidence),
            guarded,
        )
    }


def _number(text: str) -> Any:
    """A public parameter as Python would have it: an int, or the float that it prints as."""
    from fractions import Fraction

    value = Fraction(text)
    return int(value) if value.denominator == 1 and "." not in text else float(value)
