#!/usr/bin/env python3
"""Draws random configurations and runs kills.py with each: every combination resumes to the same bits.

usage: tests/resume/configurations.py PROGRAM [--count N] [--seed S] [--rounds R]

Random are the optimizer and its learning rate, batches, epochs, clipping, the loader, threads, schedules and other
extensions, when they act, one worker or several in rounds by each rule, and the signal that ends the runs. Prints a
line for each, and for one that differs the arguments to train it with. Exit code 1 if one differs.
"""
import argparse
import pathlib
import random
import subprocess
import sys

OPTIMIZERS = ["sgd", "momentum", "nesterov", "adam", "adamw", "rmsprop", "adagrad", "adadelta"]
RULES = ["average", "alpha_beta", "easgd", "outer_nesterov", "downpour", "gradient_average"]
SHARE_NO_STATE = ("outer_nesterov", "downpour")


def sync(chance, workers):
    rule = chance.choice(RULES)
    options = ["before_update: true" if rule == "gradient_average" else f"every_n_batches: {chance.randint(1, 9)}",
             f"rule: {rule}", "staleness: 0"]
    if rule == "easgd":
        options.append(f"elasticity: {round(0.9 / workers, 2)}")  # more would overshoot
    if rule not in SHARE_NO_STATE and chance.random() < 0.4:
        options.append("optimizer_state: true")
    elif rule != "gradient_average" and chance.random() < 0.4:
        options.append(f"fragments: {chance.choice([2, 3, 7])}")
    return [f"training.workers={workers}", "+extensions.shared_params_auto_sync={" + ", ".join(options) + "}"]


def optimizer(chance):
    name = chance.choice(OPTIMIZERS)
    rate = "" if name == "adadelta" else f", learning_rate: {chance.choice(['0.01', '0.003', '0.001'])}"
    return "optimizer={name: " + name + rate + "}"


def draw(chance):
    """Overrides of the configuration of kills.py, as command-line arguments."""
    arguments = []

    def sometimes(probability, *more):
        if chance.random() < probability:
            arguments.extend(more)

    workers = chance.choice([1, 1, 2, 3])
    if workers > 1:
        arguments += sync(chance, workers)
    arguments += [optimizer(chance), f"training.epochs={chance.randint(4, 9)}",
              f"training.batch_size={chance.choice([16, 32, 33, 50])}",
              f"extensions.stream_monitoring.every_n_batches={chance.randint(20, 90)}",
              f"extensions.checkpoint.every_n_batches={chance.randint(7, 80)}"]
    sometimes(0.4, "training.drop_last=true")
    sometimes(0.4, "training.clipping.norm=1")
    sometimes(0.4, f"training.loader.ahead={chance.randint(1, 8)}")
    sometimes(0.3, "training.threads=2", "model={name: mlp, hidden: [96]}")  # batch_norm sees the whole batch
    sometimes(0.4, "extensions.halve={type: hyperparameter_scheduler, schedule: {name: cosine, duration: 300, minimum: 0.0005}}")
    sometimes(0.5, "+extensions.nan_guard={policy: rewind, snapshot_every: %d}" % chance.randint(5, 60))
    sometimes(0.4, "+extensions.best_model={intermediate: true}")
    sometimes(0.3, "+extensions.samples={}")
    sometimes(0.3, "+extensions.stop={type: finish_after, after_n_batches: %d}" % chance.randint(100, 600))
    sometimes(0.5, "+extensions.stream_monitoring.gate=true")
    sometimes(0.4, "+extensions.stream_monitoring.spread=true")
    sometimes(0.3, "+extensions.checkpoint.separate=[log, position]")
    return arguments


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1, help="of the first configuration; each further one adds 1")
    parser.add_argument("--rounds", type=int, default=2, help="of kills.py, for each")
    options = parser.parse_args()
    kills = pathlib.Path(__file__).resolve().parent / "kills.py"
    differed = 0
    for seed in range(options.seed, options.seed + options.count):
        chance = random.Random(seed)
        arguments = draw(chance)
        ended_by = chance.choice(["KILL", "KILL", "TERM", "INT"])
        ran = subprocess.run([sys.executable, kills, "--rounds", str(options.rounds), "--seed", str(seed), "--signal", ended_by,
                              options.program, *arguments], capture_output=True, text=True)
        lines = (ran.stdout + ran.stderr).strip().splitlines() or ["no output"]
        print(f"{seed}, {ended_by}: {lines[-1]}", flush=True)
        if ran.returncode != 0:
            differed += 1
            print("    " + " ".join(f"'{argument}'" for argument in arguments), flush=True)
    print(f"configurations: {options.count} drawn, {differed} BROKEN" if differed
          else f"configurations: {options.count} drawn, all resume to the same bits")
    return 1 if differed else 0


if __name__ == "__main__":
    sys.exit(main())
