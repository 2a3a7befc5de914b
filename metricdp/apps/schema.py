"""`metricdp schema`: the row type of a table in a file, as a dataclass to paste."""

from __future__ import annotations

import click

from metricdp.apps.output import write, write_no_answer
from metricdp.errors import MetricdpError


@click.command()
@click.argument("path", metavar="PATH")
@click.option("--name", default="Row", show_default=True, help="Of the class.")
def schema(path: str, name: str) -> int:
    """Print the row type of a CSV or Parquet file as a dataclass.

    Names and types are printed, and no value.  A CSV file has no types: its cells are looked at.
    """
    from metricdp.answers.schema import schema_of

    try:
        write(schema_of(path, name))
    except MetricdpError as error:
        return write_no_answer(error, type(error).__name__, "text")
    return 0
