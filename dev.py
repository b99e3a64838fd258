"""Commands for development, which need only Python: each creates its own virtual environment first.

python3 dev.py atlas       every claim checked, every figure made: atlas/index.html (about six minutes on two cores)
python3 dev.py demo        a first look: prints a table, draws out/demo.png
python3 dev.py check       after every edit: lint, types, imports, each contract on one example (under two minutes)
python3 dev.py test        lint, types, tests and docs (under ten minutes on two cores, installation included)
python3 dev.py test-slow   the heavy tests, and the documentation with its pictures
python3 dev.py test-versions   the core of the tests on each Python that is found, and on the oldest dependencies;
                           or those that are named: 3.11 3.12 3.13 3.14 lowest
python3 dev.py dist        sdist and wheel, into dist/
python3 dev.py fuzz        random and special cases against independent references: --minutes 5 --seed 0
python3 dev.py bench       the benchmarks, each against its rival in the same run: [NAME …] [--compare OLD.json]
python3 dev.py prove       the identities of the claims' proofs, checked by the kernel of Coq: [PATTERN …]
python3 dev.py docs        the documentation, into site/
"""

import os
import shutil
import subprocess
import sys
import tempfile
import venv
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent
PYTHONS, LOWEST = ("3.11", "3.12", "3.13", "3.14"), "lowest"
CORE = tuple(f"tests/test_{name}.py" for name in ("verbs", "problem", "flow", "trajectory", "linear_regions", "cli"))

# Contracts that additions must satisfy; of each test there, `check` runs the first example.
CONTRACTS = (
    "tests/networks/test_contract.py",
    "tests/theorems/trajectories/test_theorems.py",
    "tests/theorems/limits/test_limits.py",
    "tests/potentials/test_potentials.py",
    "tests/numerics/test_integrate.py::test_every_network_against_scipy",
    "tests/numerics/test_integrate.py::test_order_of_convergence",
    "tests/papers/test_claims.py",
    "tests/papers/test_figures.py",
    "tests/pytorch/test_structure.py",
    "tests/test_refusals.py",
)

# Tests that run with the compiler settings of users, not with fast compilation (see tests/conftest.py): exact digits,
# and solvers.
AS_SHIPPED = ("tests/theorems/trajectories/test_precision.py", "tests/test_verbs.py")
TESTS = ("-m", "pytest", "-m", "not slow")
TYPED = (
    "lazyrich._solve,lazyrich._limit,lazyrich.explanation,lazyrich.inits,lazyrich.numerics.integration,"
    "lazyrich.trajectory"
)
COQ = ("coq", "libcoq-coquelicot")  # Debian's packages, which `prove` installs where it may
TWO = ("-n", "2", "--dist", "loadgroup")


def run(*command: str | Path, **env: str) -> None:
    print("$", *command, flush=True)
    done = subprocess.run([str(part) for part in command], cwd=ROOT, env={**os.environ, **env})
    if done.returncode:
        sys.exit(done.returncode)


@contextmanager
def beside(*command: str | Path, **env: str) -> Iterator[None]:
    """Run a command in the background, and print its output at the end."""
    parts, env = [str(part) for part in command], {**os.environ, **env}
    with tempfile.TemporaryFile() as said:
        started = subprocess.Popen(parts, cwd=ROOT, env=env, stdout=said, stderr=subprocess.STDOUT)
        try:
            yield
            failed = started.wait()
        finally:
            started.kill()
        said.seek(0)
        print("$", *command)
        print(said.read().decode(errors="replace"), flush=True)
    if failed:
        sys.exit(failed)


@contextmanager
def compiled() -> Iterator[dict[str, str]]:
    """Yield the settings of a temporary compilation cache that all processes of one run share, which saves a tenth
    of the time of the tests."""
    with tempfile.TemporaryDirectory() as folder:
        yield {
            "JAX_COMPILATION_CACHE_DIR": folder,
            "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
            "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "-1",
        }


def environment(
    folder: str, extras: str, python: Path | None = None, options: Sequence[str] = ("-c", "constraints/ci.txt")
) -> Path:
    """Return the Python of a virtual environment with the package installed; it is created if missing."""
    home = ROOT / folder
    inside = home / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    stamp = home / f".installed-{extras or 'core'}"
    sources = max(path.stat().st_mtime for path in (ROOT / "pyproject.toml", ROOT / "constraints/ci.txt"))
    if stamp.exists() and stamp.stat().st_mtime > sources:
        return inside
    if not inside.exists():
        if python is None:
            venv.create(home, with_pip=True)
        else:
            run(python, "-m", "venv", home)
    target = f".[{extras}]" if extras else "."
    install(inside, *options, "-e", target)
    stamp.touch()
    return inside


def install(inside: Path, *what: str) -> None:
    """Install with uv, in a fifth of the time, or with pip if uv fails, for example to find what pip is configured to
    find."""
    links = os.environ.get("PIP_FIND_LINKS")
    env = {**os.environ, **({"UV_FIND_LINKS": ",".join(links.split())} if links else {})}
    fast = [inside.with_name("uv"), "pip", "install", "--quiet", "--python", inside, *what]
    print("$", *fast, flush=True)
    subprocess.run([inside, "-m", "pip", "install", "--quiet", "uv"], cwd=ROOT)
    if not shutil.which(fast[0]) or subprocess.run(fast, cwd=ROOT, env=env).returncode:
        # Python compiles modules when they are imported, which is a fifth of those installed.
        run(inside, "-m", "pip", "install", "--quiet", "--no-compile", *what)


def interpreter(version: str) -> Path | None:
    """Return a working Python of this version, if there is one."""
    here = [shutil.which(f"python{version}")]
    here += sorted(map(str, Path.home().glob(f".pyenv/versions/{version}*/bin/python")), reverse=True)
    here += sorted(map(str, Path.home().glob(f".local/share/uv/python/cpython-{version}*/bin/python")), reverse=True)
    for candidate in filter(None, here):
        code = "import sys, venv, ensurepip; print('%d.%d' % sys.version_info[:2])"
        probe = subprocess.run([candidate, "-c", code], capture_output=True, text=True)
        if probe.returncode == 0 and probe.stdout.strip() == version:
            return Path(candidate)
    return None


def lint(tool: Path) -> None:
    run(tool / "ruff", "check", ".")
    run(tool / "ruff", "format", "--check", ".")
    run(tool / "lint-imports")


def check() -> None:
    python = environment(".venv", "dev,docs")
    with beside(python.parent / "mypy"), compiled() as found:
        lint(python.parent)
        run(python, *TESTS, *TWO, "--first", *CONTRACTS, **found)


def test() -> None:
    python = environment(".venv", "dev,docs")
    tool = python.parent
    # A draft of the documentation, without its pictures, checks that every page and reference exists.
    site = beside(tool / "mkdocs", "build", "--strict", "--quiet", NO_MKDOCS_2_WARNING="1", LAZYRICH_DRAFT="1")
    with compiled() as found:
        with beside(tool / "mypy"):
            lint(tool)
            # The tests of networks, with shapes and types of every call checked at run time.
            run(python, *TESTS, "tests/networks", "--jaxtyping-packages=lazyrich,beartype.beartype", **found)
            # The public functions likewise. (Formulas behind them say JAX arrays where NumPy arrays may come, too.)
            run(
                python, *TESTS, "tests/test_public_types.py", f"--jaxtyping-packages={TYPED},beartype.beartype", **found
            )
        with site, beside(python, *TESTS, *AS_SHIPPED, XLA_FLAGS=""):
            rest = [f"--ignore={path}" for path in ("tests/networks", "tests/test_public_types.py", *AS_SHIPPED)]
            run(python, *TESTS, *TWO, *rest, **found)


def documentation() -> None:
    run(environment(".venv", "dev,docs").parent / "mkdocs", "build", "--strict", NO_MKDOCS_2_WARNING="1")


def test_versions(*wanted: str) -> None:
    """Run the core of the tests, version by version. A version that is not found is reported, and is an error if it was
    named."""
    found: dict[str, str] = {}
    for version in wanted or (*PYTHONS, LOWEST):
        python = interpreter(PYTHONS[0] if version == LOWEST else version)
        if python is None:
            found[version] = "not found here"
            continue
        options = ("--resolution", "lowest-direct") if version == LOWEST else ("-c", "constraints/ci.txt")
        inside = environment(f".venv-{version}", "test,sweep,verify", python, options)
        failed = subprocess.run([str(part) for part in (inside, *TESTS, *TWO, *CORE)], cwd=ROOT).returncode
        found[version] = "failed" if failed else "passed"
    print(*(f"{version}: {outcome}" for version, outcome in found.items()), sep="\n")
    if "failed" in found.values() or (wanted and "not found here" in found.values()):
        sys.exit(1)


def bench(names: list[str]) -> None:
    """Run the benchmarks with these names, or all; then print their table, and what is slower than in the files
    given."""
    at = names.index("--compare") if "--compare" in names else len(names)
    wanted, old = names[:at], [str(Path(each).resolve()) for each in names[at + 1 :]]
    if at < len(names) and not (old and all(Path(each).is_file() for each in old)):
        sys.exit("--compare needs the files of an earlier run: python3 dev.py bench [NAME …] --compare OLD.json")
    python = environment(".venv", "dev,docs")
    for script in sorted((ROOT / "benchmarks").glob("bench_*.py")):
        if not wanted or any(name in script.name for name in wanted):
            run(python, script)
    run(python, "benchmarks/record.py")
    if old:
        run(python, "benchmarks/record.py", "compare", *old)


def prove(patterns: list[str]) -> None:
    """Have Coq's kernel check the proofs of the claims with these ids, or of all, and record what it accepts."""
    python = environment(".venv", "sweep,torch,verify")
    if not shutil.which("coqc") and shutil.which("apt-get") and os.geteuid() == 0:
        run("apt-get", "install", "-y", "--no-install-recommends", *COQ)
    run(python, "-m", "lazyrich.papers.kernel", *patterns)


def main() -> None:
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # so that compiled bytecode is reused by later processes
    match sys.argv[1:]:
        case ["atlas", *rest]:
            run(environment(".venv", "sweep,torch,verify").parent / "lazyrich", "atlas", *rest)
        case ["demo", *rest]:
            run(environment(".venv", "").parent / "lazyrich", "demo", *rest)
        case ["check"]:
            check()
        case ["test"]:
            test()
        case ["test-slow"]:
            python = environment(".venv", "dev,docs,trainers")
            install(python, "--no-deps", "mup")  # mup requires torchvision, which its coordinate check does not use
            run(python, "-m", "pytest", "-m", "slow")
            documentation()
        case ["test-versions", *versions]:
            test_versions(*versions)
        case ["dist"]:
            run(environment(".venv", "dev,docs").with_name("uv"), "build", "--clear", "--out-dir", "dist")
        case ["fuzz", *options]:
            run(environment(".venv", "dev,docs"), "-m", "fuzz", *options)
        case ["bench", *names]:
            bench(names)
        case ["prove", *patterns]:
            prove(patterns)
        case ["docs"]:
            documentation()
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
