"""Sweeps on the queue of a cluster: one small job, the driver, which starts its workers by dask-jobqueue."""

import os
import shlex
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from lazyrich._validate.optional_dependencies import require_packages
from lazyrich.sweep.engines import ONE_THREAD_ENVIRONMENT
from lazyrich.sweep.store import write_error

REPLACE_SECONDS = 30.0  # between two looks for worker jobs that have ended
# Of each kind of queue: the command that submits, and how a script states its needs.
QUEUES = {
    "slurm": (
        "sbatch",
        "#SBATCH --job-name={name}\n#SBATCH --time={time}\n#SBATCH --mem={memory}\n#SBATCH --cpus-per-task=1\n"
        "#SBATCH --output={log}\n#SBATCH --open-mode=append\n#SBATCH --requeue",
    ),
    "sge": (
        "qsub",
        "#$ -N {name}\n#$ -l h_rt={time}\n#$ -l h_vmem={memory}\n#$ -S /bin/bash\n#$ -j y\n#$ -o {log}\n#$ -r y",
    ),
    "pbs": (
        "qsub",
        "#PBS -N {name}\n#PBS -l select=1:ncpus=1:mem={memory}\n#PBS -l walltime={time}\n#PBS -j oe\n#PBS -o {log}\n"
        "#PBS -r y",
    ),
}


def driver_script(kind: str, folder: Path, time: str, memory: str, options: Sequence[str], arguments: list[str]) -> str:
    """Return the script of the driver's job: a command of lazyrich with these arguments."""
    name = "lazyrich-" + "".join(letter if letter.isalnum() else "-" for letter in folder.name)
    log = shlex.quote(str(folder.absolute() / "logs" / "driver.txt"))
    needs = QUEUES[kind][1].format(name=name, time=time, memory=memory, log=log)
    needs += "".join(f"\n{needs.split()[0]} {option}" for option in options)
    command = shlex.join([sys.executable, "-m", "lazyrich.cli", *arguments])
    return "\n".join(["#!/bin/bash", needs, *environment_lines(), f"exec {command}", ""])


def environment_lines() -> list[str]:
    """Return the lines of a script that make it find the user's modules, and compute with one thread."""
    path = os.pathsep.join([os.getcwd(), *filter(None, [os.environ.get("PYTHONPATH")])])
    threads = [f'export {name}="${{{name}:-{value}}}"' for name, value in ONE_THREAD_ENVIRONMENT.items()]
    return [f"cd {shlex.quote(os.getcwd())} || exit 1", f"export PYTHONPATH={shlex.quote(path)}", *threads]


def submit_script(kind: str, folder: Path, script: str) -> str:
    """Write a script to the folder of a sweep, submit it, and return the queue's answer."""
    path, command = folder / f"{kind}.sh", QUEUES[kind][0]
    try:
        (folder / "logs").mkdir(parents=True, exist_ok=True)
        path.write_text(script, encoding="utf8")
    except OSError as error:
        raise write_error(path, error) from None
    if shutil.which(command) is None:
        raise ValueError(f"there is no {command} on this machine. Where there is one: {command} {path}")
    answer = subprocess.run([command, str(path)], capture_output=True, text=True)
    if answer.returncode:
        raise ValueError(f"{command} {path} failed: {(answer.stderr or answer.stdout).strip()}")
    return answer.stdout.strip()


@contextmanager
def dask_cluster(kind: str, folder: Path, jobs: int, time: str, memory: str, options: Sequence[str]) -> Iterator[Any]:
    """Keep so many worker jobs in the queue: one that ends, at its time limit say, is replaced."""
    require_packages("a sweep on a queue", "sweep", "dask_jobqueue")
    import dask_jobqueue

    cluster = getattr(dask_jobqueue, f"{kind.upper()}Cluster")(
        cores=1,
        processes=1,
        memory=memory,
        walltime=time,
        python=sys.executable,
        log_directory=str(folder.absolute() / "logs"),
        job_script_prologue=environment_lines(),
        job_extra_directives=list(options),
        **({"resource_spec": f"h_vmem={memory}"} if kind == "sge" else {}),
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
