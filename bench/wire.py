#!/usr/bin/env python3
"""Compares the wire formats of pushes and their answers: bytes on the network, and the loss that they end with.

usage: bench/wire.py PROGRAM [--seeds 3] [--only int8 --only "top_k, 5 %"]

The loss is of `troupe simulate`, the mean over the seeds: four workers in rounds of one batch, rule downpour, equal examples. The
bytes are those that the loopback interface counts for a worker's push and its answer in `troupe launch`, divided by those of the
parameters; they are right where nothing else uses the interface, as in a network namespace of one's own. Within one machine
blocks in float32 cross shared memory, so theirs are those of bfloat16 doubled.
"""
import argparse, json, pathlib, statistics, subprocess, tempfile

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("program")
parser.add_argument("--seeds", type=int, default=3)
parser.add_argument("--only", action="append", metavar="FORMAT", help="this format; may be repeated, and the first is what others are compared with")
arguments = parser.parse_args()
program = str(pathlib.Path(arguments.program).resolve())

formats = {
    "float32": [],
    "bfloat16": ["cluster.wire.format=bfloat16"],
    "int8": ["cluster.wire.format=int8"],
    "int4": ["cluster.wire.format=int4"],
    "int4, chunks of 128": ["cluster.wire.format=int4", "cluster.wire.chunk=128"],
    "top_k, 5 %": ["cluster.wire.format=top_k", "cluster.wire.keep=0.05"],
    "top_k, 4 %": ["cluster.wire.format=top_k", "cluster.wire.keep=0.04"],
    "top_k, 2 %": ["cluster.wire.format=top_k", "cluster.wire.keep=0.02"],
    "top_k, 1 %": ["cluster.wire.format=top_k", "cluster.wire.keep=0.01"],
}
common = ["problem.validation=0", "extensions.checkpoint=false", "optimizer.name=sgd", "training.batch_size=32",
          "+extensions.shared_params_auto_sync={every_n_batches: 1, rule: downpour, staleness: 0}"]
parameters = 203530  # of the default model, in float32

def run(folder, *command):
    ran = subprocess.run([program, *command], cwd=folder, capture_output=True, text=True)
    if ran.returncode != 0:
        raise SystemExit(f"{' '.join(command)} ended with {ran.returncode}: {ran.stderr}")
    return ran.stdout

def loss(folder, wire, seed):
    out = run(folder, "simulate", "-n", "4", "--json", "--quiet", *common, "problem.train=16000", "problem.test=4000",
              "training.epochs=6", "optimizer.learning_rate=0.03", f"training.seed={seed}", *wire)
    return json.loads(out.splitlines()[-1])["test"]["loss"]

def loopback_bytes():
    for line in pathlib.Path("/proc/net/dev").read_text().splitlines():
        if line.strip().startswith("lo:"):
            return int(line.split(":")[1].split()[0])
    raise SystemExit("/proc/net/dev has no loopback interface")

def sent(folder, wire, batches):
    before = loopback_bytes()
    run(folder, "launch", "-n", "2", "--insecure", "--quiet", "--folder", f"launched-{batches}-{loopback_bytes()}", *common,
        "problem.train=4000", "problem.test=0", f"training.batches={batches}", "optimizer.learning_rate=0.03", *wire)
    return loopback_bytes() - before

def main():
    print("| format | bytes / parameters | of float32 | loss | of float32's |\n|---|---|---|---|---|")
    first = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, wire in formats.items():
            if arguments.only and name not in arguments.only:
                continue
            short, long = 10, 50
            halved = formats["bfloat16"] if name == "float32" else wire
            bytes_ = (sent(folder, halved, long) - sent(folder, halved, short)) / (long - short) / (4 * parameters)
            bytes_ *= 2 if name == "float32" else 1
            end = statistics.mean(loss(folder, wire, seed) for seed in range(1, arguments.seeds + 1))
            first = first or {"bytes": bytes_, "loss": end}
            print(f"| {name} | {bytes_:.3f} | {bytes_ / first['bytes']:.2f} | {end:.4f} | {end / first['loss']:.3f} |", flush=True)

main()
