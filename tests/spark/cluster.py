"""A Spark cluster of a master and two workers, in processes of this machine."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pyspark

#: Queries are many and small: what Java compiles it compiles fast, not well.
FAST = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
HOME = Path(pyspark.__file__).parent


class Cluster:
    """A master and workers of one core each, that listen on 127.0.0.1 only.

    Attributes:
        address: of the master.
        workers: their processes.
    """

    def __init__(self, workers: int = 2) -> None:
        self.folder = tempfile.TemporaryDirectory(prefix="metricdp-spark-")
        told = {"SPARK_HOME": str(HOME), "SPARK_LOCAL_IP": "127.0.0.1", "SPARK_NO_DAEMONIZE": "1",
                "SPARK_DAEMON_JAVA_OPTS": FAST, "PYSPARK_PYTHON": sys.executable}  # fmt: skip
        self._environment = os.environ | told
        master = self._started("master", "Master", "--port", "0", "--webui-port", "0")
        self._processes = [master]
        self.address = self._said("master", r"Starting Spark master at (spark://\S+)")
        self.workers = [self.worker(at) for at in range(workers)]

    def worker(self, at: int) -> subprocess.Popen[bytes]:
        """One more worker, that has told the master of itself."""
        name = f"worker-{at}"
        process = self._started(
            name, "Worker", "--cores", "1", "--memory", "1g", "--webui-port", "0",
            "--work-dir", f"{self.folder.name}/{name}", self.address,
        )  # fmt: skip
        self._processes.append(process)
        self._said(name, r"Successfully registered with master")
        return process

    def _started(self, name: str, kind: str, *more: str) -> subprocess.Popen[bytes]:
        with open(f"{self.folder.name}/{name}.log", "wb") as log:
            return subprocess.Popen(
                [str(HOME / "bin" / "spark-class"),
                 f"org.apache.spark.deploy.{kind.lower()}.{kind}", "--host", "127.0.0.1", *more],
                env=self._environment, stdout=log, stderr=log, start_new_session=True,
            )  # fmt: skip

    def _said(self, name: str, pattern: str) -> str:
        path = Path(self.folder.name, f"{name}.log")
        for _ in range(600):
            found = re.search(pattern, path.read_text(errors="replace"))
            if found:
                return found[found.lastindex or 0]
            time.sleep(0.1)
        raise RuntimeError(f"{name} did not start: {path.read_text(errors='replace')[-2000:]}")

    def lose(self, at: int) -> None:
        """End a worker and the executors that it started, at once."""
        os.killpg(self.workers[at].pid, signal.SIGKILL)

    def close(self) -> None:
        """End all."""
        for process in self._processes:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        self.folder.cleanup()


def session(address: str, **settings: str) -> Any:
    """A session of a cluster; settings have _ for dots."""
    os.environ |= {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    made = pyspark.sql.SparkSession.builder.master(address).appName("metricdp tests")
    fixed = {
        "spark.ui.enabled": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.memory": "2g",
        "spark.driver.extraJavaOptions": FAST,
        "spark.executor.extraJavaOptions": FAST,
        "spark.executor.memory": "800m",
        "spark.executor.cores": "1",
        "spark.sql.shuffle.partitions": "2",
        "spark.log.level": "OFF",
        "spark.ui.showConsoleProgress": "false",
    }
    for key, value in (fixed | {k.replace("_", "."): v for k, v in settings.items()}).items():
        made = made.config(key, value)
    return made.getOrCreate()
