#!/usr/bin/env python3
"""Flips bits in the files of a run, one at a time, and resumes it.

usage: tests/resume/bits.py PROGRAM [--flips N] [--seed S]

Each of N flips is refused with a sentence, or the resumed run ends with the same parameters as one resumed from intact files;
a flip in a state file is reported in either case. States are flipped in their headers as often as after them.
"""
import argparse
import collections
import json
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

FILES = ("config.yaml", "problem.json", "state.bin", "checkpoint.bin")
HEADER = 17, 45  # after the line with the type of the file: version, size, checksum, time


def train(program, work, *arguments):
    return subprocess.run([program, "train", "--no-progress", *arguments], cwd=work, capture_output=True, timeout=60)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--flips", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    program, chance = options.program.resolve(), random.Random(options.seed)
    root = pathlib.Path(tempfile.mkdtemp(prefix="troupe-bits-"))
    rows = [(chance.gauss(1, 2), chance.choice("uvw"), chance.random()) for _ in range(60)]
    (root / "t.csv").write_text("a,kind,y\n" + "".join(f"{a:.3f},{kind},{a * 2 + y:.3f}\n" for a, kind, y in rows))

    def whole(name):
        folder = root / name
        done = train(program, root, "--folder", name, "problem.name=csv", f"problem.path={root}/t.csv", "problem.label=y",
                     "training.epochs=2", "training.seed=3", "training.batch_size=16")
        if done.returncode != 0:
            sys.exit(f"BROKEN: the run ended with {done.returncode}: {done.stderr.decode()}")
        return folder

    def resumed(folder):
        done = train(program, root, "--resume", str(folder), "training.epochs=3")
        parameters = done.returncode == 0 and json.loads((folder / "result.json").read_text())["parameters"]
        return done.returncode, done.stderr.decode(errors="replace"), parameters

    run = whole("run")
    shutil.copytree(run, root / "again")
    code, error, expected = resumed(root / "again")
    if code != 0 or not expected:
        sys.exit(f"BROKEN: the undamaged run cannot be resumed: {code} {error}")
    outcomes = collections.Counter()
    for flip in range(options.flips):
        name = FILES[flip % len(FILES)]
        folder = root / "flipped"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(run, folder)
        if name == "checkpoint.bin":
            (folder / "state.bin").unlink()
        content = bytearray((folder / name).read_bytes())
        begin, end = HEADER if name.endswith(".bin") and flip // len(FILES) % 2 == 0 else (0, len(content))
        bit = chance.randrange(8 * begin, 8 * end)
        content[bit // 8] ^= 1 << bit % 8
        (folder / name).write_bytes(content)
        code, error, parameters = resumed(folder)
        said = "troupe: " in error or "warning: " in error
        refused = code in (65, 74, 78) and "troupe: " in error
        # If the newest checkpoint is lost, the run resumes from the one before, and ends with the
        # same parameters.
        same = parameters == expected and (said or not name.endswith(".bin"))
        outcomes["refused" if refused else "reported, and the same" if said else "the same"] += 1
        if not refused and not same:
            sys.exit(f"BROKEN: bit {bit} of {name}: exit code {code}, parameters {parameters}, not {expected}: {error}\nin {folder}")
    shutil.rmtree(root)
    print(f"bits: {options.flips} flips: " + ", ".join(f"{count} {what}" for what, count in outcomes.items())
          + "; never other parameters without a message")


main()
