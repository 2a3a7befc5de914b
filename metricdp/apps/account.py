"""`metricdp account`: what mechanisms cost together, as a certified interval; text and JSON."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, TypeVar

import click

from metricdp.apps.options import amount, below_one, is_number, once
from metricdp.apps.output import write, write_json, write_no_answer

if TYPE_CHECKING:
    from metricdp.measures.accounted import AccountedEvent


_Command = TypeVar("_Command", bound="Callable[..., Any]")

_EXAMPLES = """
\b
Examples:
  metricdp account --gaussian 1 --poisson 0.01 --rounds 10000 --delta 1e-5
  metricdp account --laplace 10 --rounds 500 --epsilon 8
  metricdp account --relation replace --delta 1e-6 \\
      --step "gaussian(20) x 30" --step "exponential-mechanism(0.1) x 5"
  metricdp account --gaussian noise --poisson 0.01 --rounds 10000 \\
      --solve noise --epsilon 2 --delta 1e-5
  metricdp account --gaussian 1 --poisson 0.01 --solve rounds --epsilon 2 --delta 1e-5
"""
_ALONE = (
    "one engine answered alone; `pip install 'metricdp[accounting]'` adds the other, which narrows"
    " the interval"
)
_LABEL = {"rdp": "Renyi orders (RDP)", "basic": "basic composition"}


def _single(name: str, letter: str, text: str) -> Callable[[_Command], _Command]:
    return click.option(name, metavar=letter, help=text, multiple=True, callback=once)


@click.command(epilog=_EXAMPLES)
@_single("--gaussian", "Z", "Gaussian noise, standard deviation per unit moved.")
@_single("--laplace", "B", "Laplace noise, scale per unit moved.")
@_single("--pure", "E", "A mechanism with this epsilon.")
@_single("--zcdp", "R", "A mechanism with this rho (upper bounds only).")
@_single("--poisson", "Q", "On a Poisson sample with this rate in each round.")
@_single("--rounds", "N", "How often it happens.  [default: 1]")
@click.option(
    "--step", "steps", multiple=True, metavar="EVENT",
    help='Several mechanisms, each as text: "poisson(0.01, gaussian(1)) x 10000".',
)  # fmt: skip
@click.option(
    "--relation", default="add or remove", show_default=True, metavar="R",
    help='Neighbours: "add", "remove", "add or remove", "replace" or "zero out".',
)  # fmt: skip
@click.option("--delta", metavar="D", callback=below_one, help="Ask for epsilon at D.")
@click.option("--epsilon", metavar="E", callback=amount, help="Ask for delta at E.")
@click.option(
    "--solve", type=click.Choice(("noise", "rounds")),
    help="With --epsilon and --delta: find the word `noise`, or the number of rounds.",
)  # fmt: skip
@click.option("--output-format", type=click.Choice(("text", "json")), default="text")
def account(
    gaussian: str | None,
    laplace: str | None,
    pure: str | None,
    zcdp: str | None,
    poisson: str | None,
    rounds: str | None,
    steps: tuple[str, ...],
    relation: str,
    delta: str | None,
    epsilon: str | None,
    solve: str | None,
    output_format: str,
) -> int:
    """What mechanisms cost together: epsilon at delta, or delta at epsilon.

    The answer is an interval that is proved from both sides.  Noise is per unit moved: one row that
    is added or removed moves the statistic by at most 1, and a replaced row by at most 2 (write
    gaussian(1, replaced=1) in a step for counts).  Exit code: 0 an answer; 1 no finite answer; 2
    wrong usage or internal error.
    """
    if solve is None and (delta is None) == (epsilon is None):
        raise click.UsageError("give --delta for epsilon, or --epsilon for delta")
    if solve is not None and (delta is None or epsilon is None):
        raise click.UsageError("--solve needs both --epsilon and --delta")
    if solve == "rounds" and rounds is not None:
        raise click.UsageError("--solve rounds finds --rounds")
    named = {"gaussian": gaussian, "laplace": laplace, "pure": pure, "zcdp": zcdp}
    text = _text(named, poisson, rounds, steps)
    from metricdp.accounting.engines import NoAnswerError
    from metricdp.errors import ParameterError

    try:
        found = _answers(text, relation, delta, epsilon, solve)
    except NoAnswerError as error:
        return write_no_answer(error, "no-answer", output_format)
    except ParameterError as error:
        place = f"{error.place}: " if error.place else ""
        remedy = f"; {error.remedy}" if error.remedy else ""
        raise click.UsageError(f"{place}{error.fact}{remedy}") from error
    if output_format == "json":
        write_json(account_json(found))
    else:
        write(account_text(found))
    return 0


def _text(
    named: dict[str, str | None], poisson: str | None, rounds: str | None, steps: tuple[str, ...]
) -> str:
    """The events as one line of text."""
    for name, value in (*named.items(), ("poisson", poisson), ("rounds", rounds)):
        known = value is None or is_number(value)
        if not known and not (value == "noise" and name in named):
            raise click.UsageError(f"--{name} {value!r} is no number such as 1, 0.5, 1e-6, 1/3")
    given = [f"{name}({value})" for name, value in named.items() if value is not None]
    if len(given) > 1:
        raise click.UsageError(
            "give one of --gaussian, --laplace, --pure, --zcdp; write several mechanisms as --step"
        )
    if not given and (poisson is not None or rounds is not None):
        raise click.UsageError("--poisson and --rounds belong to --gaussian, --laplace or --pure")
    if not given and not steps:
        raise click.UsageError("give a mechanism: --gaussian, --laplace, --pure, --zcdp or --step")
    if given and poisson is not None:
        given = [f"poisson({poisson}, {given[0]})"]
    if given and rounds is not None:
        given = [f"{given[0]} x {rounds}"]
    return ", ".join((*given, *steps))


def _answers(
    text: str, relation: str, delta: str | None, epsilon: str | None, solve: str | None
) -> dict[str, Any]:
    """Everything that is printed, by name."""
    from metricdp.measures import calibration
    from metricdp.measures.guarantee import account as guarantee_of
    from metricdp.measures.text import UNKNOWN, parsed, spelled

    def event(noise: Any = None) -> AccountedEvent:
        return parsed(text, noise)

    if solve == "noise":
        if UNKNOWN not in text:
            raise click.UsageError('write the word noise for the number to find: "gaussian(noise)"')
        solved = calibration.calibrate(event, epsilon=epsilon, delta=delta, relation=relation)
        return {
            "events": text, "relation": solved.guarantee.relation, "solved": solved,
            "target": (epsilon, delta),
        }  # fmt: skip
    if solve == "rounds":
        rounds = calibration.max_rounds(event(), epsilon=epsilon, delta=delta, relation=relation)
        return {
            "events": spelled(event()), "relation": rounds.guarantee.relation, "solved": rounds,
            "target": (epsilon, delta),
        }  # fmt: skip
    guarantee = guarantee_of(event(), relation)
    found: dict[str, Any] = {"events": spelled(guarantee.event), "relation": guarantee.relation}
    if epsilon is not None:
        found["answer"] = guarantee.delta(epsilon)
        return found
    found["answer"] = guarantee.epsilon(delta)
    from metricdp.accounting.engines import NoAnswerError

    for name in ("rdp", "basic"):
        try:
            found[name] = getattr(guarantee, name)(delta)
        except NoAnswerError:
            found[name] = None
    return found


def account_text(found: dict[str, Any]) -> str:
    """A few lines for people: what was asked, the interval, and cheaper rules beside it."""
    from metricdp.measures.accounted import UNIT

    lines = [f"{found['events']}", f"neighbours: {UNIT[found['relation']]}", ""]
    if "solved" in found:
        return "\n".join([*lines, *_solved(found)]) + "\n"
    answer = found["answer"]
    rows = [("certified", answer.interval, answer.origin)]
    for name, label in _LABEL.items():
        other = found.get(name)
        if other is not None:
            rows.append((label, other.interval, _more(answer, other)))
    lines.append(f"{answer.quantity} at {answer.at}")
    left, middle = (max(len(row[i]) for row in rows) for i in (0, 1))
    lines += [f"   {a:<{left}}   {b:<{middle}}   {c}".rstrip() for a, b, c in rows]
    lines += [f"   note: {note}" for note in answer.notes]
    if find_spec("flint") is None:
        lines.append(f"   note: {_ALONE}")
    return "\n".join(lines) + "\n"


def _more(answer: Any, other: Any) -> str:
    """How much more a cheaper rule asks for."""
    if not answer.upper:
        return "upper bound"
    share = other.upper / answer.upper - 1
    return f"upper bound, {100 * float(share):.1f}% more"


def _solved(found: dict[str, Any]) -> list[str]:
    from metricdp.expr.decimals import decimal_up
    from metricdp.measures.calibration import Rounds

    solved, (epsilon, delta) = found["solved"], found["target"]
    target = f"epsilon = {epsilon} at delta = {delta}"
    if isinstance(solved, Rounds):
        more = "" if solved.too_many is None else f"; {solved.too_many} are proved to be too many"
        return [f"rounds within {target}", f"   {solved.count}{more}"]
    least = (
        "" if not solved.too_little else f"; {float(solved.too_little):.10g} is proved too little"
    )
    return [f"noise for {target}", f"   {decimal_up(solved.noise, 10)}{least}"]


def account_json(found: dict[str, Any]) -> dict[str, Any]:
    """One object; ends of intervals are doubles on their outer sides."""
    from metricdp.measures.accounted import UNIT
    from metricdp.measures.calibration import Rounds

    body: dict[str, Any] = {
        "schema": 1,
        "events": found["events"],
        "relation": found["relation"],
        "unit": UNIT[found["relation"]],
    }
    if "solved" in found:
        solved, (epsilon, delta) = found["solved"], found["target"]
        body["target"] = {"epsilon": epsilon, "delta": delta}
        if isinstance(solved, Rounds):
            body["rounds"] = {"proved": solved.count, "too_many": solved.too_many}
        else:
            body["noise"] = {"proved": float(solved), "too_little": float(solved.too_little)}
        return body
    body["quantity"] = found["answer"].quantity
    body["answer"] = found["answer"].to_dict()
    for name in _LABEL:
        if name in found:
            body[name] = None if found[name] is None else float(found[name])
    return body
