#!/usr/bin/env python3
"""Compares the update rules and how often workers sync: loss at equal examples, seconds, and bytes on the network.

usage: bench/rules.py PROGRAM [--picture rules.svg]

Four workers of `troupe simulate` on one seed, in rounds: a batch takes 10 ms, the network has 100 Mbit/s. All runs see 128,000
examples of 16,000 digits. The picture has the validation loss of the runs that sync every 50 batches, against examples.
"""
import argparse, json, pathlib, subprocess, tempfile

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("program")
parser.add_argument("--picture")
arguments = parser.parse_args()
program = str(pathlib.Path(arguments.program).resolve())

every = [1, 10, 50, 100, 500]
rules = {
    "average": "rule: average",
    "alpha_beta": "rule: alpha_beta",
    "easgd": "rule: easgd, elasticity: 0.2",
    "downpour": "rule: downpour",
    "outer_nesterov": "rule: outer_nesterov",
}
common = ["--step", "0.01", "--bandwidth", "100", "problem.train=16000", "problem.validation=2000", "problem.test=4000",
          "training.batch_size=16", "training.epochs=8", "optimizer.name=sgd", "optimizer.learning_rate=0.05", "training.seed=1",
          "extensions.checkpoint=false"]

def run(folder, name, sync):
    out = subprocess.run([program, "simulate", "-n", "4", "--json", "--quiet", *common, f"run.tag={name}",
                          "+extensions.shared_params_auto_sync={" + sync + ", staleness: 0}"],
                         cwd=folder, capture_output=True, text=True)
    lines = out.stdout.splitlines()
    return json.loads(lines[-1]) if out.returncode == 0 and lines else None

def row(name, batches, result):
    if result is None:
        print(f"| {name} | {batches} | failed | | | |", flush=True)
        return
    test = result["test"]
    print(f"| {name} | {batches} | {test['loss']:.3f} | {test['accuracy']:.3f} | {result['seconds']:.0f} | "
          f"{result['bytes'] / 1e6:.0f} |", flush=True)

def main():
    print("| rule | batches | loss | accuracy | seconds | MB |\n|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        drawn = []
        row("gradient_average", 1, run(folder, "gradient_average", "before_update: true, rule: gradient_average"))
        for name, options in rules.items():
            for batches in every:
                result = run(folder, name, f"every_n_batches: {batches}, {options}")
                row(name, batches, result)
                if batches == 50 and result is not None:
                    drawn.append(result["run"])
        if arguments.picture:
            subprocess.run([program, "plot", "-o", str(pathlib.Path(arguments.picture).resolve()), "--log", "--record",
                            "validation_loss", "--against", "examples", *drawn], cwd=folder, check=True)

main()
