#!/usr/bin/env python3
"""Runs the examples of README.md and docs/ in a shell, block by block, and checks their configurations.

usage: examples.py TROUPE [DOCUMENT...]

A document's blocks run in order, in one folder with the data that the examples name. Training that an example
starts ends after a few batches; background processes end with their block. A block that cannot run here is listed
in NEEDS, with what it needs.
"""
import argparse
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = ROOT.parent / "shared" / "data"
TABLES = DATA / "tabular"

# A block that contains such a text is skipped.
NEEDS = {
    "./check": "a machine of its own",
    "alias troupe": "an interactive shell",
    "cmake ": "a build",
    "tests/fuzz/fuzz.sh": "a build",
    "srun": "Slurm",
    "$SLURM_JOB_NODELIST": "Slurm",
    "tensorboard --logdir": "TensorBoard",
    "sqlite3 ": "SQLite's shell",
    "net.pt": "LibTorch",
    "training.products=tiles": "AMX",
    "holder-0.port": "a launched cluster that runs",
    "troupe export run.yaml --ps": "a cluster that runs",
    "troupe ctl FOLDER": "a run of that name",
    "troupe dashboard": "a terminal of its own",
    "troupe train --gpu": "a graphics card",
    "pip install": "a package that is built",
    "apt install": "a package that is built",
    "pkg-config --cflags": "a package that is installed",
    "man -l -": "man-db",
    "out.csv   #": "a run on a table and one on arrays at once",
    "lenet.npz": "parameters of another program",
    "plugins: [": "a plugin that is built",
    "troupe launch -n 2 --evaluator run.yaml": "a cluster that runs",
    "run-a run-b": "runs of these names",
}
TEXT = "tinyshakespeare.txt"
NAMED_RUN = r"runs/digits/mlp/\d{4}-[-\dTZ]+"
FILES = {"mnist-10k": ["t10k-images-idx3-ubyte.gz", "t10k-labels-idx1-ubyte.gz"], "tabular": ["penguins.csv", "abalone.csv"],
         "text": [TEXT]}

# Runs on few digits end soon, and each some batches after the one before, so that a resumed run has
# something left to do.
WRAPPER = """#!/bin/sh
few="problem.train=640 problem.validation=100 problem.test=100"
case "$*" in
  *--print-config* | *--explain* | *--help* | *--control*) few= ;;
  train* | launch* | simulate* | node*)
    echo >>"$RUNS"
    done=$((30 + $(wc -l <"$RUNS") * 5))
    case "$*" in
      *problem.name=* | *--resume* | *sampler*) few= ;;
    esac
    case "$*" in
      *trainer=offline*) set -- "$@" $few training.terminal_conditions.epoch_limit=2 ;;
      *trainer=online*) set -- "$@" $few training.terminal_conditions.episode_limit=$done ;;
      *terminal_conditions*) ;;
      *) set -- "$@" $few training.batches=$done ;;
    esac ;;
esac
exec "$TROUPE" "$@"
"""


def blocks(document):
    """The language, first line and text of each code block."""
    text = document.read_text()
    for found in re.finditer(r"^```(\w+)\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        yield found.group(1), text.count("\n", 0, found.start()) + 2, found.group(2)


class Ports:
    """Replaces each port that a document names by a free one, so that other processes on the machine do not break its examples."""

    def __init__(self):
        self.free = {}

    def replaced(self, block):
        return re.sub(r"(?<=:)2[01]00\d\b", lambda port: self.free.setdefault(port.group(), free_port()), block)


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return str(listener.getsockname()[1])


def need(block):
    """What a block needs that is missing here, or None."""
    for part, what in NEEDS.items():
        if part in block:
            return what
    if "import numpy" in block and subprocess.run(["python3", "-c", "import numpy"], capture_output=True, check=False).returncode:
        return "NumPy"
    for files in FILES.values():
        for file in files:
            if file in block and not DATA.exists():
                return file
    return None


def prepare(folder, program):
    """Creates the folder's data and the wrapper that ends training soon."""
    wrapper = folder / "bin" / "troupe"
    wrapper.parent.mkdir()
    wrapper.write_text(WRAPPER)
    wrapper.chmod(0o755)
    for place, files in FILES.items():
        for file in files:
            if not (DATA / place / file).exists():
                continue
            if file == TEXT:  # only the beginning: a tenth of the whole takes seconds to validate
                (folder / file).write_bytes((DATA / place / file).read_bytes()[:100_000])
            else:
                (folder / file).symlink_to(DATA / place / file)
    if TABLES.exists():
        rows = [line.split(",") for line in (TABLES / "penguins.csv").read_text().splitlines()]
        label = rows[0].index("species")
        (folder / "new_penguins.csv").write_text("".join(",".join(row[:label] + row[label + 1:]) + "\n" for row in rows[:20]))
    for flower in ("daisy", "rose"):
        (folder / "flowers" / flower).mkdir(parents=True)
        for number in range(6):
            (folder / "flowers" / flower / f"{number}.png").symlink_to(ROOT / "docs/pictures/digits.png")
    shutil.copytree(ROOT / "examples", folder / "examples")
    shutil.copy(ROOT / "examples/grid/digits.yaml", folder / "grid.yaml")
    (folder / "run.yaml").write_text("problem: {name: digits}\n")
    (folder / "runs").mkdir()
    return dict(os.environ, TROUPE=program, RUNS=str(folder / "count"), NO_COLOR="1", TROUPE_TOKEN="0123456789abcdef" * 2,
                PATH=f"{wrapper.parent}:{os.environ['PATH']}")


def run_before(block):
    """The commands that a reader of this block has run before: a training."""
    before = block.split("troupe train")[0] if "--resume" not in block and "--model" not in block else block
    if "troupe ctl" in block or "latest" not in before and not re.search(NAMED_RUN, before):
        return ""
    return "troupe train -q trainer=offline\n" if re.search("model_best|terminal_conditions", block) else "troupe train -q\n"


class Shells:
    """Runs blocks, each in its own shell; their background processes continue until the end."""

    def __init__(self, folder, env):
        self.folder, self.env, self.groups = folder, env, []

    def run(self, block, seconds=120):
        """The exit code and the output."""
        with tempfile.TemporaryFile() as said:
            shell = subprocess.Popen(["bash", "-euo", "pipefail", "-c", block], cwd=self.folder, env=self.env,
                                     stdin=subprocess.DEVNULL, stdout=said, stderr=subprocess.STDOUT, start_new_session=True)
            self.groups.append(shell.pid)
            try:
                code = shell.wait(seconds)
            except subprocess.TimeoutExpired:
                code = f"no end within {seconds} s"
                os.killpg(shell.pid, signal.SIGKILL)
            said.seek(0)
            return code, said.read().decode(errors="replace")

    def wait(self, seconds):
        """@returns whether all processes have ended."""
        end = time.monotonic() + seconds
        while any(map(self.lives, self.groups)):
            if time.monotonic() > end:
                return False
            time.sleep(0.05)
        return True

    def end(self):
        for number in (signal.SIGTERM, signal.SIGKILL):
            for group in filter(self.lives, self.groups):
                os.killpg(group, number)
            self.wait(10)

    @staticmethod
    def lives(group):
        try:
            os.killpg(group, 0)
            return True
        except ProcessLookupError:
            return False


def names_a_run(block, folder):
    """Copies the newest run to the names that a block uses."""
    for name in re.findall(NAMED_RUN, block):
        shutil.rmtree(folder / name, ignore_errors=True)
        newest = (folder / "runs/latest").resolve()
        if newest.is_dir():
            shutil.copytree(newest, folder / name)


def run(block, shells):
    shutil.rmtree(shells.folder / "grids", ignore_errors=True)  # else a grid may be done before its nodes have started
    shells.wait(1)  # for processes that were asked to end
    if "--control" in block:
        shells.end()
    if before := run_before(block):
        code, said = shells.run(before)
        if code != 0:
            return code, said
    names_a_run(block, shells.folder)
    return shells.run(block)


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n")[0])
    parser.add_argument("troupe")
    parser.add_argument("documents", nargs="*", type=pathlib.Path,
                        default=[ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))])
    arguments = parser.parse_args()
    ran, left, broken = 0, {}, 0
    for document in arguments.documents:
        with tempfile.TemporaryDirectory(prefix="troupe-docs-") as place:
            folder = pathlib.Path(place)
            shells = Shells(folder, prepare(folder, str(pathlib.Path(arguments.troupe).resolve())))
            began, of_document, ports = time.monotonic(), 0, Ports()
            for language, line, block in blocks(document):
                if language not in ("sh", "yaml"):
                    continue
                if what := need(block):
                    left.setdefault(what, []).append(f"{document.name}:{line}")
                    continue
                if language == "yaml":
                    name = re.match(r"# (\w+\.yaml)", block)
                    file = folder / (name.group(1) if name else "block.yaml")
                    file.write_text(block)
                    block = f"troupe train --print-config {file.name}"
                code, said = run(ports.replaced(block), shells)
                of_document += 1
                if code != 0:
                    broken += 1
                    print(f"{document}:{line}: exit code {code} of\n{block}\nits output:\n{said[-3000:]}", flush=True)
            shells.end()
            ran += of_document
            print(f"{document.name}: {of_document} blocks in {time.monotonic() - began:.1f} s", flush=True)
    for what, where in left.items():
        print(f"skipped, they need {what}: {', '.join(where)}")
    print(f"{ran} blocks, {broken} broken")
    return 1 if broken or not ran else 0


if __name__ == "__main__":
    sys.exit(main())
