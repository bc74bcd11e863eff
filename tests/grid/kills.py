#!/usr/bin/env python3
"""Kills a grid at random moments with SIGKILL, restarts it each time, and compares it with an undisturbed grid.

usage: tests/grid/kills.py PROGRAM [--kills N] [--seed S]

Every run must be in the table exactly once, and everything but times and paths must equal the undisturbed grid's.
"""
import argparse
import pathlib
import random
import subprocess
import sys
import tempfile
import time

from grids import check_table, run, table

GRID = """
tasks:
  - overwrite: {model: {hidden: []}}
  - overwrite: {model: {hidden: [32]}}
  - overwrite: {model: {hidden: [64, 32], activation: tanh}}
grid_overwrite:
  problem: {name: digits, train: 2000, validation: 200, test: 200}
  training: {epochs: 6}
  extensions: {checkpoint: {after_epoch: true}}
grid:
  optimizer.learning_rate: [0.01, 0.001]
repetitions: 3
seed: 1
"""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    program = pathlib.Path(options.program).resolve()
    moments = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as folder:
        works = [pathlib.Path(folder) / name for name in ("whole", "killed")]
        for work in works:
            work.mkdir()
            (work / "grid.yaml").write_text(GRID)
        began = time.monotonic()
        whole = run(program, works[0], "train")
        seconds = time.monotonic() - began
        if whole.returncode != 0:
            sys.exit(f"the undisturbed grid ended with {whole.returncode}: {whole.stderr}")
        killed = 0
        for _ in range(options.kills):
            child = subprocess.Popen([program, "grid", "train", "grid.yaml", "-q"], cwd=works[1],
                                     stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            try:
                child.wait(timeout=moments.uniform(0.02, 2 * seconds / max(options.kills, 1)))
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()
                killed += 1
        rest = run(program, works[1], "train")
        if rest.returncode != 0:
            sys.exit(f"after {killed} kills the grid ended with {rest.returncode}: {rest.stderr}")
        expected, found = (table(program, work) for work in works)
        check_table(found, expected, 18, f"after {killed} kills")
        print(f"{killed} kills of a grid of {seconds:.1f} s: 18 runs, each once, as in the undisturbed grid")


main()
