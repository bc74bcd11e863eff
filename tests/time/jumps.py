#!/usr/bin/env python3
"""Sets the wall clock of running trainings back and forth; only the monotonic clock may matter.

usage: tests/time/jumps.py PROGRAM [alone|resumed|launched]...      needs libfaketime (Debian's package faketime)

Each scene gives a program its own wall clock (libfaketime), which is set back by 2 hours and then forward to 1 hour
ahead while it trains. The monotonic clock is left alone, as when the clock of a machine is set.
  alone      a training with a time limit ends when the limit is reached, all durations in its log are real ones, and
             rows are in the order of training, whatever their timestamps say;
  resumed    a run that is resumed under a clock 2 hours behind, and is killed, resumes from its last saved state;
  launched   a launched cluster ends by its walltime, and workers that start after a jump train with the others.
"""
import argparse
import glob
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

LIMIT = 4  # seconds of training
SLOW = 30  # seconds by which a busy machine may be late
JUMPS = ((0.5, "-7200"), (1.2, "+3600"))  # seconds from the first row with a timestamp, and what the wall clock is set to then
CONFIGURATION = f"""
problem: {{name: digits, train: 600, validation: 100, test: 100}}
model: {{hidden: [16]}}
training: {{epochs: 0, seed: 5}}
extensions:
  printing: false
  stop_after_time_elapsed: {{total_duration: {LIMIT}s}}
  timing: {{every_n_batches: 100}}
  timestamp: {{every_n_seconds: 0.2}}
  checkpoint: {{every_n_seconds: 0.3, after_epoch: false}}
"""


def library():
    given = os.environ.get("TROUPE_FAKETIME")
    found = [given] if given else glob.glob("/usr/lib/*/faketime/libfaketimeMT.so.1") + glob.glob("/usr/lib*/faketime/libfaketimeMT.so.1")
    return found[0] if found else None


class Stage:
    """A folder with a configuration, and a clock for the programs that run there."""

    def __init__(self, program, scene):
        self.program, self.scene = program, scene
        self.work = pathlib.Path(tempfile.mkdtemp(prefix=f"troupe-jumps-{scene}-"))
        (self.work / "run.yaml").write_text(CONFIGURATION)
        self.set_clock("+0")

    def set_clock(self, offset):
        (self.work / "clock.new").write_text(offset + "\n")
        (self.work / "clock.new").rename(self.work / "clock")  # atomic for its readers

    def start(self, *arguments):
        clock = {"LD_PRELOAD": library(), "FAKETIME_TIMESTAMP_FILE": str(self.work / "clock"), "FAKETIME_NO_CACHE": "1",
                 "DONT_FAKE_MONOTONIC": "1", "FAKETIME_DONT_FAKE_MONOTONIC": "1", "NO_FAKE_STAT": "1"}
        with open(self.work / "output", "a") as output:
            return subprocess.Popen([self.program, *arguments], cwd=self.work, env=os.environ | clock,
                                    stdout=output, stderr=output)

    def run(self, *arguments, jumps=()):
        """Waits for its end. Returns (exit code, seconds by the monotonic clock)."""
        logs = self.logs()
        began = time.monotonic()
        child = self.start(*arguments)
        while jumps and self.logs() == logs and child.poll() is None:
            time.sleep(0.02)
        self.expect(not jumps or self.logs() > logs, "it ended before it logged a timestamp")
        trains = time.monotonic()
        for when, offset in jumps:
            time.sleep(max(0, trains + when - time.monotonic()))
            self.set_clock(offset)
        try:
            code = child.wait(timeout=LIMIT + 2 * SLOW)
        except subprocess.TimeoutExpired:
            child.kill()
            self.broken("it does not end")
        return code, time.monotonic() - began

    def logs(self):
        """The number of logs that have a row with a timestamp."""
        return sum("unix_time" in log.read_text() for log in self.work.rglob("log.jsonl"))

    def broken(self, what):
        print((self.work / "output").read_text()[-4000:])
        sys.exit(f"BROKEN: {self.scene}: {what}\nin {self.work}")

    def expect(self, holds, what):
        if not holds:
            self.broken(what)


def entries_of(log):
    return [json.loads(line) for line in log.read_text().splitlines()]


def check_log(stage, log):
    """Checks durations and order in a log that was written across the jumps."""
    rows = [entry for entry in entries_of(log) if "records" in entry]
    walls = [entry["records"]["unix_time"] for entry in rows if "unix_time" in entry["records"]]
    steps = [after - before for before, after in zip(walls, walls[1:])]
    stage.expect(min(steps) < -7000 and max(steps) > 10000, f"the timestamps do not show the jumps: {min(steps)} to {max(steps)}")
    for entry in rows:
        for name, value in entry["records"].items():
            if name.startswith("time_"):
                stage.expect(0 <= value <= LIMIT + SLOW, f"{name} is {value} at batch {entry['batch']}")
    batches = [entry["batch"] for entry in rows if "training_loss" in entry["records"]]
    stage.expect(len(batches) > 1 and batches == sorted(batches), "rows are not in the order of training")
    seconds = [entry["seconds"] for entry in rows if "unix_time" in entry["records"]]
    stage.expect(seconds == sorted(seconds) and seconds[0] >= 0, "the time of training runs backwards")


def check_limit(stage, code, seconds):
    stage.expect(code == 0, f"it ended with exit code {code}")
    stage.expect(LIMIT - 0.1 <= seconds <= LIMIT + SLOW, f"it trained for {seconds} s, not {LIMIT} s")


def alone(stage):
    code, lasted = stage.run("train", "-q", "--folder", "run", "run.yaml", jumps=JUMPS)
    stage.expect(code == 0, f"it ended with exit code {code}")
    result = json.loads((stage.work / "run/result.json").read_text())
    check_limit(stage, code, result["seconds"])
    check_limit(stage, code, lasted)
    stage.expect("time limit" in result["reason"], f"it ended because {result['reason']}")
    check_log(stage, stage.work / "run/log.jsonl")


def saved_batch(stage, after=0):
    """The batch of the newest checkpoint after `after` in the log; 0: none yet."""
    log = stage.work / "run/log.jsonl"
    lines = log.read_text().split("\n")[:-1] if log.exists() else []  # complete lines
    return max((entry["batch"] for entry in map(json.loads, lines)
                if "saved_to" in entry.get("records", {}) and entry["batch"] > after), default=0)


def resumed(stage):
    arguments = ("train", "-q", "--folder", "run", "run.yaml")
    stage.set_clock("+3600")
    code, _ = stage.run(*arguments, "extensions.stop_after_time_elapsed.total_duration=1s")
    stage.expect(code == 0, f"it ended with exit code {code}")
    before = json.loads((stage.work / "run/result.json").read_text())["batches"]
    stage.set_clock("-7200")
    child = stage.start(*arguments)
    until = time.monotonic() + SLOW
    while not (saved := saved_batch(stage, before)):
        stage.expect(child.poll() is None and time.monotonic() < until, "it saves nothing")
        time.sleep(0.05)
    child.kill()
    child.wait()
    code, _ = stage.run(*arguments)
    check_limit(stage, code, json.loads((stage.work / "run/result.json").read_text())["seconds"])
    began = [entry["resumed_at"]["0"] for entry in entries_of(stage.work / "run/log.jsonl") if "resumed_at" in entry]
    stage.expect(len(began) == 2 and began[1] >= saved, f"it resumed from batches {began}, though batch {saved} was saved")


def launched(stage):
    """Each of two clusters meets the jumps in the order that would do it the most harm."""
    walltime, grace = 6, 2
    code, lasted = stage.run("launch", "-n", "1", "--walltime", f"0:00:0{walltime}", "--folder", "walltime", "run.yaml",
                             f"cluster.grace={grace}", "extensions.stop_after_time_elapsed=false",
                             jumps=((0.5, "+3600"), (1, "-7200")))
    stage.expect(code == 75, f"a launcher whose walltime was used up ended with exit code {code}")
    stage.expect(walltime - grace - 0.1 <= lasted <= walltime + SLOW, f"it lasted {lasted} s of a walltime of {walltime} s")
    stage.set_clock("+0")
    code, _ = stage.run("launch", "-n", "2", "--at-most", "1", "--folder", "later", "run.yaml",
                             "extensions.stop_after_time_elapsed.total_duration=2s", jumps=((1, "-7200"),))
    stage.expect(code == 0, f"a launcher whose second worker started after a jump ended with exit code {code}")


SCENES = {"alone": alone, "resumed": resumed, "launched": launched}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("scenes", nargs="*", choices=[[], *SCENES])
    options = parser.parse_args()
    if not library():
        print("skipped: there is no libfaketime")
        sys.exit(77)
    for name in options.scenes or SCENES:
        stage = Stage(options.program.resolve(), name)
        SCENES[name](stage)
        shutil.rmtree(stage.work)
    print("jumps: " + ", ".join(options.scenes or SCENES) + ": ended by the monotonic clock, with no time that runs backwards")


main()
