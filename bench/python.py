#!/usr/bin/env python3
"""The package for Python against the program, on one core: training on arrays against `troupe train` on the same arrays in
files, and training with an extension that sleeps at each batch against training without one.

usage: PYTHONPATH=build/release/python bench/python.py TROUPE [--rounds 7] [--epochs 4] [--hidden 512,512] [--batch 64]

The cases run alternately, each in a process of its own; the order turns from round to round. Each is run for one epoch more
than --epochs and for one, and the difference counts, so that the start of the program or of Python does not. Prints a JSON
line per case: the median, minimum and maximum of the seconds of training and of the process's user time; and one line of
ratios, each the median of the ratios of the rounds.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

TRAINING = """
import json, sys, time, resource, numpy, troupe
x, y = numpy.load("x.npy"), numpy.load("y.npy")
problem = troupe.Problem.from_arrays(x, y)
def sleep(event):
    time.sleep(1)
extensions = [troupe.extension(sleep, after_batch=True, window=1)] if sys.argv[1] == "sleeping" else []
run = troupe.train(problem, extensions=extensions, **json.loads(sys.argv[2]))
print(json.dumps(run.result))
"""


def configuration(options, epochs):
    return {"model": {"name": "mlp", "hidden": [int(width) for width in options.hidden.split(",")]},
            "training": {"epochs": epochs, "batch_size": options.batch, "seed": 1, "products": "library"}}


def command(case, options, epochs):
    settings = configuration(options, epochs)
    if case != "program":
        return [sys.executable, "-c", TRAINING, case, json.dumps(settings)]
    return [options.troupe, "train", "-q", "--json", "problem.name=npy", "problem.inputs=x.npy", "problem.targets=y.npy",
            *(f"{section}.{key}={json.dumps(value)}" for section, values in settings.items() for key, value in values.items())]


def trained(case, options, epochs):
    before = os.times()
    ended = subprocess.run(command(case, options, epochs), stdout=subprocess.PIPE, check=True, text=True)
    after = os.times()
    result = json.loads(ended.stdout)
    return {"seconds": result["seconds"], "user_seconds": after.children_user - before.children_user,
            "batches": result["batches"], "parameters": result["parameters"]}


def measure(case, options):
    short, long = trained(case, options, 1), trained(case, options, 1 + options.epochs)
    return {"parameters": long["parameters"],
            **{key: long[key] - short[key] for key in ("seconds", "user_seconds", "batches")}}


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("troupe")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--hidden", default="512,512")
    parser.add_argument("--batch", type=int, default=64)
    options = parser.parse_args()
    options.troupe = os.path.abspath(options.troupe)
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    import numpy
    cases = ["program", "arrays", "sleeping"]
    measured = {case: [] for case in cases}
    with tempfile.TemporaryDirectory() as folder:
        os.environ["PYTHONPATH"] = os.pathsep.join(map(os.path.abspath, os.environ.get("PYTHONPATH", "").split(os.pathsep)))
        os.chdir(folder)
        random = numpy.random.default_rng(0)
        numpy.save("x.npy", random.normal(size=(20000, 784)).astype(numpy.float32))
        numpy.save("y.npy", random.integers(0, 10, 20000).astype(numpy.int32))
        for number in range(options.rounds):
            turned = cases[number % 3:] + cases[:number % 3]
            for case in turned:
                measured[case].append(measure(case, options))
    if len({(each["batches"], each["parameters"]) for runs in measured.values() for each in runs}) != 1:
        sys.exit("the cases did not train the same batches to the same parameters")
    for case, runs in measured.items():
        line = {"case": case, "batches": runs[0]["batches"]}
        for key in ("seconds", "user_seconds"):
            values = sorted(run[key] for run in runs)
            line[key] = [round(value, 3) for value in (statistics.median(values), values[0], values[-1])]
        print(json.dumps(line))

    def ratio(one, other, key):
        return round(statistics.median(a[key] / b[key] for a, b in zip(measured[one], measured[other])), 4)

    print(json.dumps({"arrays / program": {key: ratio("arrays", "program", key) for key in ("seconds", "user_seconds")},
                      "sleeping / arrays": {key: ratio("sleeping", "arrays", key) for key in ("seconds", "user_seconds")}}))


if __name__ == "__main__":
    main()
