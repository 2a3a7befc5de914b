"""Questions about a data frame of Spark, beside Spark by hand and plain Ibis on Spark.

    make .venv-spark/.installed
    .venv-spark/bin/python benchmarks/tables_spark.py [--rows 1e6] [--only NAME ...] [--turns 3]

Programs, files and queries by hand are those of `tables.py`; Ibis compiles what somebody would
write with it.  Spark runs on all cores, with the settings that it has by itself, one process for
all sides, which take turns.  "first" is a frame that nobody has asked before: our call copies its
columns once, the others read the file.  "open" is the same question on rows that lie on the workers
already, on all sides.  Of each the run with the least time of processors counts, those of Java
included: on a machine that others use, ratios of these are what can be compared.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import os
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

warnings.filterwarnings("ignore", category=FutureWarning)

import tables  # noqa: E402

import metricdp as dp  # noqa: E402

#: What a question may cost of the dearer of the others' processor times.
TARGET = 1.3
SIDES = ("by hand", "Ibis")


def of_ibis(name: str, t: Any) -> Any:
    """What `tables.TABLE` asks by hand, as an expression of Ibis."""
    import ibis

    t = t.select("person", "ward", "cost").mutate(cost=t.cost.clip(0, tables.HIGH))
    if name.startswith("the same"):
        rows = "rows of a person" in name
        if not rows:
            t = t.group_by(["person", "ward"]).agg(n=t.count(), s=t.cost.sum())
        told = t.person.cast("string") + "|" + t.ward.cast("string")
        told = told + "|" + t.cost.cast("string") if rows else told
        place = ibis.row_number().over(group_by="person", order_by=told.hash())
        t = t.mutate(place=place)
        t = t.filter(t.place < tables.GROUPS)
        if not rows:
            n = ibis.least(t.n, tables.ROWS_EACH)
            s = ibis.least(t.s, tables.ROWS_EACH * float(tables.HIGH))
            t = t.mutate(n=n, s=s)
            return t.group_by("ward").agg(n=t.n.sum(), s=t.s.sum())
    grouped = t if name == "count and sum" else t.group_by("ward")
    return grouped.aggregate(n=t.count(), s=t.cost.sum())


class Measured:
    """All sides on one file, in one Spark.

    Args:
        spark: the session.
        path: a pattern of files.
    """

    def __init__(self, spark: Any, path: str) -> None:
        import ibis
        from pyspark import StorageLevel

        self._spark, self._java = spark, spark.sparkContext._gateway.proc.pid
        self._files = [str(each) for each in sorted(Path(path).parent.glob(Path(path).name))]
        self._ibis = ibis.pyspark.connect(spark)
        self._opened = dp.table(self._frame())
        copy = self._frame().localCheckpoint(True, StorageLevel.MEMORY_AND_DISK_2)
        copy.createOrReplaceTempView("copied")

    def _frame(self) -> Any:
        return self._spark.read.parquet(*self._files).select("person", "ward", "cost")

    def calls(self, name: str) -> dict[str, Callable[[], Any]]:
        """Side -> the question."""
        program, query, _, _ = tables.TABLE[name]

        def by_hand(rows: str) -> Any:
            if rows == "read":
                self._frame().createOrReplaceTempView(rows)
            return self._spark.sql(query(rows)).collect()

        def by_ibis(rows: str) -> Any:
            if rows == "read":
                self._frame().createOrReplaceTempView(rows)
            return self._ibis.to_pyarrow(of_ibis(name, self._ibis.table(rows)))

        return {
            "first": lambda: program(self._frame(), eps=1),
            "first, by hand": lambda: by_hand("read"),
            "first, Ibis": lambda: by_ibis("read"),
            "open": lambda: program(self._opened, eps=1),
            "open, by hand": lambda: by_hand("copied"),
            "open, Ibis": lambda: by_ibis("copied"),
        }

    def best(self, name: str, turns: int) -> dict[str, tuple[float, float]]:
        """Side -> seconds, and seconds of processors; the first turn warms Java up."""
        calls, found = self.calls(name), {}
        for turn in range(turns + 1):
            for each, call in calls.items():
                start, used = time.perf_counter(), self._processors()
                call()
                took = time.perf_counter() - start, self._processors() - used
                if turn:
                    found[each] = min(found.get(each, took), took, key=lambda pair: pair[1])
        return found

    def _processors(self) -> float:
        """Seconds of processors that this process and that of Java have used."""
        told = Path(f"/proc/{self._java}/stat").read_text().rsplit(")", 1)[1].split()
        ticks = int(told[11]) + int(told[12])
        return time.process_time() + ticks / os.sysconf("SC_CLK_TCK")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=lambda text: int(float(text)), default=10**6)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--memory", default="4g", help="of Java")
    options = parser.parse_args()
    os.environ["PYSPARK_PYTHON"] = sys.executable
    from pyspark.sql import SparkSession

    build = SparkSession.builder.config("spark.ui.enabled", "false")
    build = build.config("spark.ui.showConsoleProgress", "false")
    spark = build.config("spark.driver.memory", options.memory).getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    told = (f"{each} {importlib.metadata.version(each)}" for each in ("pyspark", "ibis-framework"))
    print(f"metricdp beside {', '.join(told)}, on {spark.sparkContext.defaultParallelism} cores")
    with tempfile.TemporaryDirectory() as folder:
        measured = Measured(spark, tables.write(Path(folder), options.rows))
        print(f"{options.rows:,} rows: seconds, and of processors")
        for name in tables.TABLE:
            if options.only and not any(word in name for word in options.only):
                continue
            found = measured.best(name, options.turns)
            for each in ("first", "open"):
                seconds, used = found[each]
                line = f"{name:40} {each:5} {seconds:6.2f} {used:6.2f}"
                ratios = []
                for side in SIDES:
                    theirs, others = found[f"{each}, {side}"]
                    ratios.append(used / others)
                    line += f"  {side} {theirs:6.2f} {others:6.2f}"
                    line += f" ({seconds / theirs:4.2f}, of CPU {used / others:4.2f})"
                says = "holds" if max(ratios) <= TARGET else "missed"
                print(f"{line}  {says} (target {TARGET} of CPU)", flush=True)


if __name__ == "__main__":
    main()
