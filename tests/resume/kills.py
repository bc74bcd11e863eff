#!/usr/bin/env python3
"""Kills a training at random moments with SIGKILL, resumes it each time, and compares it with an undisturbed run.

usage: tests/resume/kills.py PROGRAM [--rounds N] [--seed S] [--kills K] [--workers W] [--sync rounds|fragments|free] [--signal NAME] [OVERRIDE...]

Each round trains the same configuration in its own folder, kills it up to K times at random moments within the
undisturbed run's duration, resumes it until it ends, and compares the fingerprint of the final parameters, every row of
the log, without records that depend on the clock, and the statistics files byte by byte.

With --workers, several workers train in one process: in rounds, to the same bits, or asynchronously under a time limit, whose bits
differ from run to run; then the resumed run has to end after the same batches, with the same rows. --signal TERM (or INT) ends it in good order instead.
"""
import argparse
import json
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

CONFIGURATION = """
problem: {name: digits, train: 3000, validation: 300, test: 300}
model: {name: network, layers: [flatten, {linear: 128}, batch_norm, relu, {dropout: 0.3}, output]}
optimizer: {name: momentum, learning_rate: 0.05}
training: {epochs: 12, seed: 11, batch_size: 32}
extensions:
  checkpoint: {every_n_batches: 37}
  early_stopping: {record: validation_loss, epochs: 6}
  training_monitoring: {every_n_batches: 10}
  stream_monitoring: {every_n_batches: 50}
  statistics: {weighted: false}
  halve: {type: hyperparameter_scheduler, schedule: {name: step, every: 200, factor: 0.5}}
"""
SYNCS = {
    "rounds": "+extensions.shared_params_auto_sync={every_n_batches: 5, rule: average, staleness: 0}",
    "fragments": "+extensions.shared_params_auto_sync={every_n_batches: 2, rule: outer_nesterov, staleness: 0, fragments: 3}",
    "free": "+extensions.shared_params_rate_limited={sync: {rule: downpour}, limit: {maximum_rate: 0.1}}",
}
CLOCK = ("time_", "timestamp", "unix_time", "datestamp", "saved_to", "model_saved_to", "checkpoint_seconds")
INTERRUPT = ("batch_interrupt", "epoch_interrupt", "test_")  # the test runs whenever a run ends


def rows_of(folder, left_out):
    """The rows of a log, without records that start with `left_out`; a resume removes rows after its checkpoint."""
    rows = {}
    for line in (folder / "log.jsonl").read_text().split("\n"):
        try:
            entry = json.loads(line)
        except json.JSONDecodeError:
            continue  # the last line before a kill may be cut
        if "resumed_at" in entry:
            for worker, batch in entry["resumed_at"].items():
                for key in [k for k in rows if k[0] == int(worker) and k[1] > batch]:
                    del rows[key]
        if "records" in entry:
            rows.setdefault((entry["worker"], entry["batch"]), {}).update(
                {k: v for k, v in entry["records"].items() if not k.startswith(left_out)})
    return {key: records for key, records in rows.items() if records}


def statistics_of(folder):
    return {file.name: file.read_text() for file in folder.glob("*.csv")}


def result_of(folder, exact):
    result = json.loads((folder / "result.json").read_text())
    if not exact:
        return result["batches"], result.get("reason")
    return result["parameters"], result.get("reason")


class Run:
    def __init__(self, program, work, overrides):
        self.program, self.work, self.overrides = program, work, overrides
        (work / "run.yaml").write_text(CONFIGURATION)

    def folder(self):
        latest = self.work / "runs" / "latest"
        return latest.resolve() if latest.exists() else None

    def start(self):
        """Starts the run, or resumes it if a state was saved."""
        folder = self.folder()
        saved = folder and (any(folder.glob("checkpoint*.bin")) or (folder / "state.bin").exists())
        if folder and not saved:
            shutil.rmtree(self.work / "runs")
        arguments = ["--resume", "latest"] if saved else ["run.yaml", *self.overrides]
        return subprocess.Popen([self.program, "train", "--no-progress", *arguments], cwd=self.work,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def has_finished(self):
        folder = self.folder()
        result = folder and folder / "result.json"
        return result and result.exists() and json.loads(result.read_text())["outcome"] == "finished"

    def to_the_end(self):
        process = self.start()
        output, errors = process.communicate(timeout=120)
        if process.returncode != 0:
            sys.exit(f"BROKEN: exit code {process.returncode} in {self.work}\n{output}{errors}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--kills", type=int, default=3, help="at most, in a round")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--sync", choices=SYNCS, default="rounds")
    parser.add_argument("--signal", choices=("KILL", "TERM", "INT"), default="KILL")
    parser.add_argument("overrides", nargs="*")
    options = parser.parse_args()
    exact = options.workers == 1 or options.sync != "free"
    if options.workers > 1:
        options.overrides[:0] = [f"training.workers={options.workers}", SYNCS[options.sync]]
    left_out = CLOCK if options.signal == "KILL" else CLOCK + INTERRUPT
    if not exact:  # the epoch of the stop would differ
        options.overrides.append("extensions.early_stopping.epochs=100")
    program, chance = options.program.resolve(), random.Random(options.seed)
    root = pathlib.Path(tempfile.mkdtemp(prefix="troupe-kills-"))

    (root / "undisturbed").mkdir()
    undisturbed = Run(program, root / "undisturbed", options.overrides)
    began = time.monotonic()
    undisturbed.to_the_end()
    lasts = time.monotonic() - began
    expected_result, expected_rows = result_of(undisturbed.folder(), exact), rows_of(undisturbed.folder(), left_out)
    expected_statistics = statistics_of(undisturbed.folder())
    print(f"undisturbed: {lasts:.2f} s, {len(expected_rows)} rows, {'parameters' if exact else 'batches'} {expected_result[0]}", flush=True)

    kills = resumed = 0
    for round_ in range(options.rounds):
        work = root / str(round_)
        work.mkdir()
        run = Run(program, work, options.overrides)
        for _ in range(chance.randint(1, options.kills)):
            process = run.start()
            try:
                process.wait(timeout=chance.uniform(0.02, lasts))
                break  # it ended before
            except subprocess.TimeoutExpired:
                process.send_signal(signal.Signals["SIG" + options.signal])
                process.communicate()
                kills += 1
            if run.has_finished():
                break
        if not run.has_finished():
            resumed += 1
            run.to_the_end()
        result, rows = result_of(run.folder(), exact), rows_of(run.folder(), left_out)
        if result != expected_result:
            sys.exit(f"BROKEN: round {round_} (seed {options.seed}) ended with {result}, not {expected_result}: {work}")
        if set(rows) != set(expected_rows) or exact and rows != expected_rows:
            differ = [key for key in sorted(set(rows) | set(expected_rows)) if rows.get(key) != expected_rows.get(key)]
            first = differ[0]
            sys.exit(f"BROKEN: round {round_} (seed {options.seed}): {len(differ)} rows differ, first {first}: "
                     f"{rows.get(first)}, not {expected_rows.get(first)}: {work}")
        for name, text in statistics_of(run.folder()).items():
            if exact and text != expected_statistics[name]:
                sys.exit(f"BROKEN: round {round_} (seed {options.seed}): {name} differs: {work}")
        shutil.rmtree(work)
    shutil.rmtree(root)
    print(f"kills: {options.rounds} rounds, {kills} kills, {resumed} resumed to the end: "
          + ("parameters, log and statistics equal the undisturbed run's, bit for bit" if exact
             else "the workers have trained the same batches as those of the undisturbed run"))


main()
