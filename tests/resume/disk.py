#!/usr/bin/env python3
"""Disturbs a training at every system call that touches its run folder, and checks what is left.

usage: tests/resume/disk.py PROGRAM [--every K] [--only kill|ENOSPC|EIO] [OVERRIDE...]      needs strace

One traced run records the calls (openat, write, pwrite64, sync_file_range, fsync, close, rename, link, unlink) by thread.
Then, for every K-th of them, another run is disturbed at that call:
  kill            SIGKILL: afterwards a loadable state exists if one was complete before, and the resumed run
                  ends with the undisturbed run's parameters;
  ENOSPC, EIO     the error: training still finishes, with the same parameters, and reports what could not be written.
                  If the run's own results cannot be written, or if it cannot start, it ends with 74 and a sentence.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

CALLS = ("openat", "write", "pwrite64", "sync_file_range", "fsync", "close", "rename", "link", "unlink")
CONFIGURATION = """
problem: {name: digits, train: 400, validation: 50, test: 50}
optimizer: {name: momentum, learning_rate: 0.05}
training: {epochs: 2, seed: 11, batch_size: 50}
extensions:
  checkpoint: {every_n_batches: 4}
"""


def run(program, work, arguments, strace=()):
    # The leak sanitizer cannot trace a process that strace traces.
    options = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
    return subprocess.run([*strace, program, "train", "--no-progress", *arguments], cwd=work, capture_output=True, text=True,
                          timeout=120, env=os.environ | {"ASAN_OPTIONS": options})


def folder_of(work):
    latest = work / "runs" / "latest"
    found = sorted((work / "runs").glob("*/*/2*")) if (work / "runs").exists() else []
    return latest.resolve() if latest.exists() else found[-1] if found else None


def said_to_be_saved(folder):
    """Whether a row of the log says that a state was saved."""
    log = folder / "log.jsonl" if folder else None
    return bool(log and log.exists() and re.search(r'"saved_to":"[^"]', log.read_text()))


def parameters_of(folder):
    try:
        return json.loads((folder / "result.json").read_text())["parameters"]
    except (OSError, AttributeError):
        return None


def fingerprint(output):
    found = re.search(r"parameters\s+([0-9a-f]{16})", output)
    return found and found.group(1)


def points(program, root, overrides):
    """(call, its number within its thread, file) for all calls that touch the run's folder."""
    work = root / "traced"
    work.mkdir()
    (work / "run.yaml").write_text(CONFIGURATION)
    done = run(program, work, ["run.yaml", *overrides], ["strace", "-f", "-y", "-o", str(work / "trace"), "-e", ",".join(CALLS)])
    if done.returncode != 0:
        sys.exit(f"BROKEN: the traced run ended with {done.returncode}: {done.stderr}")
    counts, result = {}, []
    for line in (work / "trace").read_text().splitlines():
        found = re.match(r"(\d+)\s+(\w+)\((.*)", line)
        if not found or found.group(2) not in CALLS:
            continue
        thread, call, rest = found.groups()
        counts[thread, call] = counts.get((thread, call), 0) + 1
        touched = re.search(r'runs/[^">]*/([^/">]+)[">]', rest)
        if touched:
            result.append((call, counts[thread, call], touched.group(1)))
    return sorted(set(result)), fingerprint(done.stdout)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--only")
    parser.add_argument("overrides", nargs="*")
    options = parser.parse_args()
    if not shutil.which("strace"):
        print("skipped: there is no strace")
        sys.exit(77)
    program, root = options.program.resolve(), pathlib.Path(tempfile.mkdtemp(prefix="troupe-disk-"))
    try:
        all_points, expected = points(program, root, options.overrides)
    except PermissionError:
        print("skipped: strace is not allowed here")
        sys.exit(77)
    counted = {}

    def broken(what, point, output):
        sys.exit(f"BROKEN: {what} at {point}: {output.returncode}\n{output.stdout}{output.stderr}\nin {root}")

    for kind in ("kill", "ENOSPC", "EIO"):
        if options.only not in (None, kind):
            continue
        action = "signal=KILL" if kind == "kill" else f"error={kind}"
        for call, number, file in all_points[::options.every]:
            if kind != "kill" and call in ("close", "unlink"):
                continue
            point = f"{kind} {call} {number} ({file})"
            work = root / "run"
            work.mkdir()
            (work / "run.yaml").write_text(CONFIGURATION)
            done = run(program, work, ["run.yaml", *options.overrides],
                       ["strace", "-f", "-o", "/dev/null", "-e", f"trace={call}", "-e", f"inject={call}:{action}:when={number}"])
            counted[kind] = counted.get(kind, 0) + 1
            folder = folder_of(work)
            states = list(folder.glob("checkpoint*.bin")) + list(folder.glob("state.bin")) if folder else []
            if kind == "kill":
                if said_to_be_saved(folder) and not states:
                    broken("no state is left of what was said to be saved", point, done)
                if states:
                    again = run(program, work, ["--resume", str(folder)])
                    finished = "already" in again.stderr and parameters_of(folder) == expected
                    if not finished and fingerprint(again.stdout) != expected:
                        broken("the resumed run", point, again)
            else:
                ends_well = done.returncode == 0 and fingerprint(done.stdout) == expected
                # The count is per thread, so that both a write of the log and one of the results
                # may fail.
                says_why = done.returncode == 74 and re.search(
                    r"troupe: .*cannot (write|create) '[^']*(result.json|state.bin|config.yaml|sources.json|log.jsonl|console.log|runs[^.']*)'|cannot write the results|cannot write the log|cannot write the console's lines|cannot (make the folder|synchronise) 'runs", done.stderr)
                if not ends_well and not says_why:
                    broken("the run", point, done)
                if states and folder:
                    again = run(program, work, ["--resume", str(folder), "training.epochs=3"])
                    if again.returncode != 0:
                        broken("what it left", point, again)
            shutil.rmtree(work)
    shutil.rmtree(root)
    print("disk: " + ", ".join(f"{count} times {kind}" for kind, count in counted.items())
          + f" over {len(all_points)} calls: always a loadable state, never another result")


main()
