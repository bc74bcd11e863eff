#!/usr/bin/env python3
"""Runs the program under limits that a system sets to a process.

usage: limits.py TROUPE [--every KB]

Under any limit a run either succeeds or ends within seconds with a documented exit code and a sentence, and never by a
signal. Below some 80 MB of memory the system cannot load the program's libraries: then the loader reports that.
Exit code 77, skipped: not root, which is needed to limit the threads of other users.
"""
import argparse
import contextlib
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

FEW = ["problem.train=640", "problem.validation=64", "problem.test=64", "model.hidden=[8]", "training.seed=1"]
TRAIN = ["train", "-q", "training.epochs=1", *FEW]
GRID = """tasks: [{overwrite: {model: {hidden: [8]}, problem: {train: 640, validation: 50, test: 50}, training: {epochs: 1}}}]
repetitions: 2
"""
OTHER_USER = 60_000 + os.getpid() % 5_000  # the limit counts all processes of a user
DONE, IO, INTERNAL, STOPPED, INTERRUPTED = 0, 74, 70, 75, 130
LOADER = 127  # the system's loader could not load a library

broken = 0


def check(holds, what, said=""):
    global broken
    if not holds:
        broken += 1
        print(f"BROKEN: {what}\n{said}", flush=True)


def limited(limits, user=None):
    """Sets the limits in a child before it becomes the program."""
    def prepare():
        if user is not None:
            os.setgroups([])
            os.setgid(user)
            os.setuid(user)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        for limit, value in limits.items():
            resource.setrlimit(limit, value if isinstance(value, tuple) else (value, value))
    return prepare


class Place:
    """A folder that every user may write to."""

    def __init__(self, program):
        self.program = program

    def run(self, arguments, limits, user=None, seconds=30):
        """The exit code and the output; a number below 0 is a signal."""
        with tempfile.TemporaryDirectory(prefix="troupe-limits-") as folder:
            os.chmod(folder, 0o777)
            (pathlib.Path(folder) / "grid.yaml").write_text(GRID)
            try:
                ran = subprocess.run([self.program, *arguments], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                     stderr=subprocess.STDOUT, timeout=seconds, preexec_fn=limited(limits, user), text=True,
                                     errors="replace")
                return ran.returncode, ran.stdout, sorted(p.name for p in pathlib.Path(folder).rglob("*"))
            except subprocess.TimeoutExpired as e:
                return "no end", (e.stdout or b"").decode(errors="replace"), []


def ends_with_a_sentence(place, name, arguments, limits, user=None, codes=(INTERNAL,)):
    """@returns whether it succeeded."""
    code, said, files = place.run(arguments, limits, user)
    if code == DONE:
        return True
    if code == LOADER and "error while loading shared libraries" in said:
        return False
    check(code in codes, f"{name}: exit code {code}", said)
    check("ulimit" in said, f"{name}: no sentence with the limit", said)
    check(not [f for f in files if f in ("config.yaml", "log.jsonl", "latest")], f"{name}: left {files}", said)
    return False


def threads(place):
    for name, arguments in (("train", TRAIN), ("launch", ["launch", "-n", "2", "--insecure", *TRAIN[1:]]),
                            ("node", ["node", "--role", "ps", "--ps", "127.0.0.1:0", "--insecure"]),
                            ("grid", ["grid", "train", "grid.yaml", "-q"])):
        numbers = {"train": [*range(1, 10), 24], "grid": [1, 2, 4, 7, 10, 13, 16, 19, 200]}.get(name, range(1, 7))
        ended = [ends_with_a_sentence(place, f"{name} with {n} threads", arguments, {resource.RLIMIT_NPROC: n}, OTHER_USER)
                 for n in numbers]
        check(not any(ended[:3]), f"{name} succeeds with {numbers[2]} threads")
        # cure: system gives no more threads; raise its limits (ulimit -u, ulimit -v)
        if name in ("train", "grid"):
            check(ended[-1], f"{name} does not succeed with {numbers[-1]} threads")


def memory(place, every):
    first = None
    for kilobytes in [*range(10_000, 90_000, 20_000), *range(90_000, 420_000, every)]:
        code, said, files = place.run(TRAIN, {resource.RLIMIT_AS: kilobytes * 1024})
        name = f"train with {kilobytes} KB"
        if code == DONE:
            first = first or kilobytes
            continue
        early = kilobytes < 90_000 and (code in (LOADER, -signal.SIGSEGV, -signal.SIGKILL))
        check(early or code == INTERNAL and "ulimit" in said, f"{name}: exit code {code}", said)
        check("config.yaml" not in files, f"{name}: left {files}", said)
    # cure: system gives no more memory; raise its limit (ulimit -v)
    check(first is not None, "train does not succeed with 420 MB")
    print(f"train succeeds from {first} KB on")


def file_sizes(place):
    code, said, files = place.run(["train", "-q", "training.epochs=2", *FEW[:3], "model.hidden=[64]"],
                                  {resource.RLIMIT_FSIZE: 60 * 1024})
    check(code == IO, f"a limit of file sizes: exit code {code}", said)
    check("File too large" in said and "test loss" in said, "a limit of file sizes: training does not go on", said)
    check(not [f for f in files if ".checkpoint.bin" in f or ".state.bin" in f], f"a limit of file sizes: left {files}")


def processor_time(place):
    code, said, files = place.run(["train", "-q", "training.epochs=1000000", *FEW], {resource.RLIMIT_CPU: (1, 20)}, seconds=60)
    check(code == STOPPED, f"a limit of processor time: exit code {code}", said)
    check("ulimit -t" in said and "state.bin" in files, f"a limit of processor time: {files}", said)


def slow_starts(place):
    """A signal while data are read ends the program at once, and no files are left."""
    table = pathlib.Path(place.program).with_name("large.csv")
    table.write_text("1.25,2.5,yes\n-3.75,0.5,no\n" * 12_000_000)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        with tempfile.TemporaryDirectory(prefix="troupe-limits-") as folder:
            started = subprocess.Popen([place.program, "train", "problem.name=csv", f"problem.path={table}"], cwd=folder,
                                       stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            while not listens(started.pid) and started.poll() is None:
                time.sleep(0.01)
            time.sleep(0.2)
            began = time.monotonic()
            started.send_signal(number)
            try:
                said, _ = started.communicate(timeout=30)
            except subprocess.TimeoutExpired:
                started.kill()
                said, _ = started.communicate()
            check(started.returncode == INTERRUPTED, f"signal {number} while data are read: {started.returncode}", said)
            check(time.monotonic() - began < 10, f"signal {number} while data are read takes {time.monotonic() - began:.1f} s")
            check("interrupted while starting" in said, f"signal {number} while data are read", said)
            check(not os.listdir(folder), f"signal {number} while data are read leaves {os.listdir(folder)}")


def listens(process):
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        return len(os.listdir(f"/proc/{process}/task")) > 1
    return False


def readable_copy(program, folder):
    """A copy for other users, who may have no access to the build folder."""
    copy = pathlib.Path(folder) / "troupe"
    shutil.copy(program, copy)
    os.chmod(folder, 0o755)
    os.chmod(copy, 0o755)
    return str(copy)


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n")[0])
    parser.add_argument("troupe")
    parser.add_argument("--every", type=int, default=15_000, help="step between two limits of memory, in KB")
    arguments = parser.parse_args()
    if os.getuid() != 0:
        print("limits: skipped, it needs root")
        return 77
    with tempfile.TemporaryDirectory(prefix="troupe-limits-") as folder:
        place = Place(readable_copy(arguments.troupe, folder))
        for part in (threads, lambda p: memory(p, arguments.every), file_sizes, processor_time, slow_starts):
            part(place)
    print(f"limits: {broken} broken")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
