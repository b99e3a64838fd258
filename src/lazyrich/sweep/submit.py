"""Sweeps on a cluster's queue: a job array of workers without a driver, or a dask cluster with one."""

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lazyrich._store import written_whole
from lazyrich.sweep.pack import StoreError
from lazyrich.sweep.store import Store

WORK = ("-m", "lazyrich.cli", "sweep", "work")


@dataclass(frozen=True)
class Queue:
    """A kind of queue: the command that submits, how a script asks for things, and dask-jobqueue's name for it."""

    command: str
    mark: str
    asks: str
    cluster: str

    def script(self, folder: Path, jobs: int, time: str, memory: str, options: Sequence[str], arguments: str) -> str:
        """A job array of which each task is a worker on the folder."""
        name = "lazyrich-" + "".join(letter if letter.isalnum() else "-" for letter in folder.name)
        asked = self.asks.format(
            name=name, jobs=jobs, time=time, memory=memory, log=shlex.quote(str(folder.absolute() / "logs"))
        ).splitlines()
        path = os.pathsep.join([os.getcwd(), *filter(None, [os.environ.get("PYTHONPATH")])])
        lines = [
            "#!/bin/bash",
            *(f"{self.mark} {line}" for line in (*asked, *options)),
            f"cd {shlex.quote(os.getcwd())} || exit 1",
            f"export PYTHONPATH={shlex.quote(path)}",
            "export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1",
            'export XLA_FLAGS="${XLA_FLAGS:---xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1}"',
            f"exec {shlex.join([sys.executable, *WORK, str(folder.absolute())])}{arguments}",
        ]
        return "\n".join(lines) + "\n"


QUEUES = {
    "slurm": Queue(
        "sbatch",
        "#SBATCH",
        "--job-name={name}\n--array=1-{jobs}\n--time={time}\n--mem={memory}\n--cpus-per-task=1\n"
        "--output={log}/%A_%a.txt\n--requeue",
        "SLURMCluster",
    ),
    "sge": Queue(
        "qsub",
        "#$",
        "-N {name}\n-t 1-{jobs}\n-l h_rt={time}\n-l h_vmem={memory}\n-S /bin/bash\n-j y\n-o {log}\n-r y",
        "SGECluster",
    ),
}


def retried(store: Store) -> int:
    """Take back the errors, so that workers try these cells again, with the same seeds; how many."""
    store.look()
    failed = store.failed()
    for cell in failed:
        store.take_back(cell, store.packs.failed[cell][1])
    store.pack.close()
    return len(failed)


def write_script(
    kind: str, store: Store, jobs: int, time: str, memory: str, options: Sequence[str] = (), arguments: str = ""
) -> Path:
    """The script of a job array in the folder of the sweep."""
    if jobs < 1:
        raise ValueError(f"a job array needs at least one task; found {jobs}")
    path = store.path / f"{kind}.sh"
    try:
        (store.path / "logs").mkdir(exist_ok=True)
        with written_whole(path) as file:
            file.write(QUEUES[kind].script(store.path, jobs, time, memory, options, arguments).encode())
    except OSError as error:
        raise StoreError(f"cannot write {path}: {error.strerror or error}") from error
    return path


def hand_in(kind: str, script: Path) -> str:
    """Submit the script; what the queue answers."""
    command = QUEUES[kind].command
    if shutil.which(command) is None:
        raise ValueError(f"there is no {command} on this machine. Where there is one: {command} {script}")
    done = subprocess.run([command, str(script)], capture_output=True, text=True)
    if done.returncode:
        raise ValueError(f"{command} {script} failed: {(done.stderr or done.stdout).strip()}")
    return done.stdout.strip()


def cluster(kind: str, time: str, memory: str, options: Sequence[str] = ()) -> Any:
    """A dask cluster of such jobs (none yet), for `run(engine=...)`: it lives as long as this process."""
    try:
        import dask_jobqueue
    except ImportError:
        raise ImportError(
            "a live driver on a queue needs dask-jobqueue: pip install dask-jobqueue; or leave --live away: a job "
            "array needs neither"
        ) from None
    asked = {"slurm": {"walltime": time}, "sge": {"walltime": time, "resource_spec": f"h_vmem={memory}"}}[kind]
    return getattr(dask_jobqueue, QUEUES[kind].cluster)(
        cores=1, processes=1, memory=memory, job_extra_directives=list(options), **asked
    )
