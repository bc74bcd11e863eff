#!/usr/bin/env python3
"""Trains a grid on nodes that are disturbed, and compares it with an undisturbed grid.

usage: tests/grid/nodes.py PROGRAM [--rounds N] [--seed S] [--epochs N]

Each round: two nodes train; one is killed with SIGKILL, or stopped for longer than its lease and then continued, or the grid's
process is killed and restarted. A lost node is replaced. Every run must be in the table exactly once, and everything but times and
paths must equal the undisturbed grid's; a lost node must be reported within three renewals and a check (3.5 s on a quiet machine; 10 s here).
"""
import argparse
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

from grids import check_table, table

GRID = """
tasks:
  - overwrite: {model: {hidden: [32]}}
  - overwrite: {model: {hidden: [64, 32], activation: tanh}}
grid_overwrite:
  problem: {name: digits, train: 2000, validation: 200, test: 200}
  training: {epochs: EPOCHS}
  extensions: {checkpoint: {after_epoch: true}}
grid:
  optimizer.learning_rate: [0.01, 0.001]
repetitions: 2
seed: 1
"""
RUNS = 8


class Grid:
    """The listening process of a grid, and its nodes."""

    def __init__(self, program, work):
        self.program, self.work, self.nodes, self.port = program, work, [], 0
        self.errors = open(work / "errors", "w+")
        self.start()

    def start(self):
        port = self.work / "port"
        port.unlink(missing_ok=True)
        self.process = subprocess.Popen(
            [self.program, "grid", "train", "grid.yaml", "local=false", "--insecure", "--listen", f"127.0.0.1:{self.port}",
             "--port-file", "port"], cwd=self.work, stdout=subprocess.DEVNULL, stderr=self.errors)
        deadline = time.monotonic() + 60
        while not (port.exists() and port.read_text().strip()):
            if time.monotonic() > deadline or self.process.poll() is not None:
                sys.exit(f"the grid does not listen: {self.output()}")
            time.sleep(0.02)
        self.port = int(port.read_text())

    def join(self):
        log = open(self.work / f"node-{len(self.nodes)}", "w")
        self.nodes.append(subprocess.Popen(
            [self.program, "grid", "node", "--insecure", "--connect", f"127.0.0.1:{self.port}", "--at-once", "1"],
            cwd=self.work, stdout=subprocess.DEVNULL, stderr=log))
        return self.nodes[-1]

    def output(self):
        return (self.work / "errors").read_text()

    def wait_for(self, text, count, seconds):
        began = time.monotonic()
        while self.output().count(text) < count:
            if time.monotonic() - began > seconds:
                sys.exit(f"'{text}' was not printed {count} times within {seconds} s: {self.output()}")
            time.sleep(0.02)
        return time.monotonic() - began


def disturb(grid, scene, victim, noticed):
    """@returns the node that trains in the victim's place"""
    lost = grid.output().count("is lost")
    if scene == "restart":
        grid.process.kill()
        grid.process.wait()
        grid.start()
        return victim
    victim.send_signal(signal.SIGKILL if scene == "kill" else signal.SIGSTOP)
    noticed.append(grid.wait_for("is lost", lost + 1, 10))
    if scene == "kill":
        victim.wait()
        return grid.join()
    time.sleep(0.3)  # other nodes have its run now
    victim.send_signal(signal.SIGCONT)
    return victim


def play(program, work, scene, moments, noticed):
    grid = Grid(program, work)
    nodes = [grid.join(), grid.join()]
    grid.wait_for("has joined", 2, 30)
    time.sleep(moments.uniform(0.1, 1.0))
    nodes[0] = disturb(grid, scene, nodes[0], noticed)
    for process in [grid.process, *nodes]:
        try:
            code = process.wait(timeout=120)
        except subprocess.TimeoutExpired:
            sys.exit(f"{scene}: a process hangs: {grid.output()}")
        if code != 0:
            logs = "\n".join(path.read_text() for path in work.glob("node-*"))
            sys.exit(f"{scene}: a process ended with {code}: {grid.output()}\n{logs}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--epochs", type=int, default=60, help="of each run; a slow program needs fewer")
    options = parser.parse_args()
    program = pathlib.Path(options.program).resolve()
    grid = GRID.replace("EPOCHS", str(options.epochs))
    moments = random.Random(options.seed)
    noticed = []
    with tempfile.TemporaryDirectory() as folder:
        whole = pathlib.Path(folder) / "whole"
        whole.mkdir()
        (whole / "grid.yaml").write_text(grid)
        subprocess.run([program, "grid", "train", "grid.yaml", "-q"], cwd=whole, check=True, stdout=subprocess.DEVNULL)
        expected = table(program, whole)
        for number in range(options.rounds):
            for scene in ("kill", "stop", "restart"):
                work = pathlib.Path(folder) / f"{scene}-{number}"
                work.mkdir()
                (work / "grid.yaml").write_text(grid)
                play(program, work, scene, moments, noticed)
                found = table(program, work)
                check_table(found, expected, RUNS, scene)
        print(f"{3 * options.rounds} disturbed grids on nodes: {RUNS} runs, each once, as in the undisturbed one; a lost node "
              f"was reported after {max(noticed):.1f} s at most")


main()
