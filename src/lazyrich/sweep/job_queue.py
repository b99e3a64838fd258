"""Sweeps on the queue of a cluster: one small job, the driver, which starts its workers by dask-jobqueue."""

import os
import shlex
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lazyrich._validate.optional_dependencies import require_packages
from lazyrich.sweep.engines import ONE_THREAD_ENVIRONMENT
from lazyrich.sweep.store import StoreError

REPLACE_SECONDS = 30.0  # between two looks for worker jobs that have ended


@dataclass(frozen=True)
class QueueSystem:
    """A kind of queue: the command that submits, how a script states its needs, and dask-jobqueue's class."""

    command: str
    directive: str
    options: str
    cluster: str

    def script(self, folder: Path, time: str, memory: str, options: Sequence[str], arguments: Sequence[str]) -> str:
        """Return the script of the driver's job."""
        name = "lazyrich-" + "".join(letter if letter.isalnum() else "-" for letter in folder.name)
        log = shlex.quote(str(folder.absolute() / "logs" / "driver.txt"))
        lines = self.options.format(name=name, time=time, memory=memory, log=log).splitlines()
        return "\n".join(
            [
                "#!/bin/bash",
                *(f"{self.directive} {line}" for line in (*lines, *options)),
                *environment_lines(),
                f"exec {shlex.join([sys.executable, '-m', 'lazyrich.cli', 'sweep', 'submit', *arguments, '--here'])}",
                "",
            ]
        )


QUEUES = {
    "slurm": QueueSystem(
        "sbatch",
        "#SBATCH",
        "--job-name={name}\n--time={time}\n--mem={memory}\n--cpus-per-task=1\n--output={log}\n--open-mode=append\n--requeue",
        "SLURMCluster",
    ),
    "sge": QueueSystem(
        "qsub", "#$", "-N {name}\n-l h_rt={time}\n-l h_vmem={memory}\n-S /bin/bash\n-j y\n-o {log}\n-r y", "SGECluster"
    ),
    "pbs": QueueSystem(
        "qsub",
        "#PBS",
        "-N {name}\n-l select=1:ncpus=1:mem={memory}\n-l walltime={time}\n-j oe\n-o {log}\n-r y",
        "PBSCluster",
    ),
}


def environment_lines() -> list[str]:
    """Return the lines of a script that make it find the user's modules, and compute with one thread."""
    path = os.pathsep.join([os.getcwd(), *filter(None, [os.environ.get("PYTHONPATH")])])
    threads = [f'export {name}="${{{name}:-{value}}}"' for name, value in ONE_THREAD_ENVIRONMENT.items()]
    return [f"cd {shlex.quote(os.getcwd())} || exit 1", f"export PYTHONPATH={shlex.quote(path)}", *threads]


def write_script(kind: str, folder: Path, script: str) -> Path:
    path = folder / f"{kind}.sh"
    try:
        (folder / "logs").mkdir(parents=True, exist_ok=True)
        path.write_text(script, encoding="utf8")
    except OSError as error:
        raise StoreError(f"cannot write {path}: {error.strerror or error}") from error
    return path


def submit_script(kind: str, script: Path) -> str:
    """Submit a script, and return the queue's answer."""
    command = QUEUES[kind].command
    if shutil.which(command) is None:
        raise ValueError(f"there is no {command} on this machine. Where there is one: {command} {script}")
    answer = subprocess.run([command, str(script)], capture_output=True, text=True)
    if answer.returncode:
        raise ValueError(f"{command} {script} failed: {(answer.stderr or answer.stdout).strip()}")
    return answer.stdout.strip()


@contextmanager
def dask_cluster(
    kind: str, folder: Path, jobs: int, time: str, memory: str, options: Sequence[str] = ()
) -> Iterator[Any]:
    """Keep so many worker jobs in the queue: one that ends, at its time limit say, is replaced."""
    require_packages("a sweep on a queue", "sweep", "dask_jobqueue")
    import dask_jobqueue

    needs: dict[str, Any] = {"sge": {"resource_spec": f"h_vmem={memory}"}}.get(kind, {})
    cluster = getattr(dask_jobqueue, QUEUES[kind].cluster)(
        cores=1,
        processes=1,
        memory=memory,
        walltime=time,
        python=sys.executable,
        log_directory=str(folder.absolute() / "logs"),
        job_script_prologue=environment_lines(),
        job_extra_directives=list(options),
        **needs,
    )
    closed = threading.Event()

    def replace_lost_jobs() -> None:
        cluster.scale(jobs=jobs)
        while not closed.wait(REPLACE_SECONDS):
            cluster.scale(jobs=jobs)

    thread = threading.Thread(target=replace_lost_jobs, daemon=True)
    with cluster:
        thread.start()
        try:
            yield cluster
        finally:
            closed.set()
            thread.join()
