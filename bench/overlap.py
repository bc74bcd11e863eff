#!/usr/bin/env python3
"""Measures how long workers wait for a slow network, with plain syncs and with fragments that are exchanged while they train.

usage: sudo bench/overlap.py PROGRAM [--rate 100mbit] [--batches 160] [--every 40] [--fragments 10] [--case NAME]

Two workers train M5 (784-2048-2048-10, 5.8 million parameters) on digits with batches of 256, in rounds. The parameter holder and
each worker are in network namespaces of their own (s2-...), joined by links that carry --rate in each direction. All cases sync
each parameter every --every batches; the test loss is at equal examples, after --batches of each worker. The share of waiting is
that of the training time in which the workers waited for syncs, without joining and leaving, the mean of both.
"""
import argparse, json, os, pathlib, subprocess, tempfile

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("program")
parser.add_argument("--rate", default="100mbit")
parser.add_argument("--batches", type=int, default=160)
parser.add_argument("--every", type=int, default=40)
parser.add_argument("--fragments", type=int, default=10)
parser.add_argument("--rule", default="average")
parser.add_argument("--case", action="append", help="only this one; may be repeated")
arguments = parser.parse_args()
program = str(pathlib.Path(arguments.program).resolve())

part = arguments.every // arguments.fragments
cases = {
    "plain": (f"every_n_batches: {arguments.every}", []),
    "fragments": (f"every_n_batches: {part}, fragments: {arguments.fragments}", []),
    "fragments, overlap": (f"every_n_batches: {part}, fragments: {arguments.fragments}, overlap: true", []),
    "plain, int8": (f"every_n_batches: {arguments.every}", ["cluster.wire.format=int8"]),
    "fragments, overlap, int8": (f"every_n_batches: {part}, fragments: {arguments.fragments}, overlap: true",
                                 ["cluster.wire.format=int8"]),
}
training = ["model.hidden=[2048,2048]", "problem.train=20000", "problem.validation=0", "problem.test=4000",
            "training.batch_size=256", f"training.batches={2 * arguments.batches}", "training.epochs=0", "training.seed=1",
            "optimizer={name: momentum, learning_rate: 0.003}", "extensions.checkpoint=false",
            "extensions.shared_params_rate_limited=false"]
holder, workers = "s2-holder", ["s2-worker-0", "s2-worker-1"]
address = "10.77.0.1"

def sh(*command):
    subprocess.run(command, check=True)

def inside(space, *command):
    return ["ip", "netns", "exec", space, *command]

def remove_network():
    for space in [holder, *workers]:
        subprocess.run(["ip", "netns", "del", space], stderr=subprocess.DEVNULL)

def make_network():
    """One link from the holder to each worker, shaped at both ends."""
    for space in [holder, *workers]:
        sh("ip", "netns", "add", space)
        sh(*inside(space, "ip", "link", "set", "lo", "up"))
    sh(*inside(holder, "ip", "address", "add", f"{address}/32", "dev", "lo"))
    for number, space in enumerate(workers):
        near, far = f"s2h{number}", f"s2w{number}"
        sh("ip", "link", "add", near, "netns", holder, "type", "veth", "peer", "name", far, "netns", space)
        sh(*inside(space, "ip", "address", "add", f"10.77.1.{number}/32", "dev", far))
        for end, link, to in ((holder, near, f"10.77.1.{number}"), (space, far, address)):
            sh(*inside(end, "ip", "link", "set", link, "up"))
            sh(*inside(end, "ip", "route", "add", to, "dev", link))
            sh(*inside(end, "tc", "qdisc", "add", "dev", link, "root", "tbf", "rate", arguments.rate, "burst", "256kb",
                       "latency", "100ms"))

def sent(space, link):
    return int(subprocess.check_output(inside(space, "cat", f"/sys/class/net/{link}/statistics/tx_bytes")))

def run(folder, name, sync, wire):
    work = folder / name.replace(", ", "-")
    work.mkdir()
    environment = {**os.environ, "TROUPE_TOKEN": "benchmark"}
    common = ["--ps", f"{address}:20000", "--certs", str(folder / "certs"), "--quiet"]
    def start(space, *words):
        return subprocess.Popen(inside(space, program, "node", *common, *words), cwd=work, env=environment,
                                stdout=subprocess.DEVNULL)
    before = [sent(space, f"s2w{number}") + sent(holder, f"s2h{number}") for number, space in enumerate(workers)]
    started = [start(holder, "--role", "ps", "--folder", "ps")]
    for number, space in enumerate(workers):
        started.append(start(space, "--role", "worker", "--index", str(number), "--workers", "2", "--folder", str(number),
                             *training, *wire, "+extensions.shared_params_auto_sync={rule: " + arguments.rule
                             + ", staleness: 0, " + sync + "}"))
    try:
        for process in started[1:]:
            if process.wait(timeout=500) != 0:
                raise SystemExit(f"{name}: a worker ended with {process.returncode}")
    finally:
        for process in started:
            process.terminate()
            process.wait()
    after = [sent(space, f"s2w{number}") + sent(holder, f"s2h{number}") for number, space in enumerate(workers)]
    return work, sum(after) - sum(before)

def waited(folder):
    """The share of the training time, and that time, without joining and leaving."""
    states = [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines() if '"time_seconds"' in line]
    status = states[-1]["status"]
    sync = "shared_params_auto_sync"
    while_training = sum(value for name, value in status.items() if name.startswith("time_waited.") and name.endswith("@" + sync))
    seconds = status["time_seconds"] - (status["time_waited." + sync] - while_training)
    return while_training / seconds, seconds

def row(name, work, bytes_sent):
    shares = [waited(work / number) for number in "01"]
    test = json.loads((work / "0" / "result.json").read_text())["test"]
    print(f"| {name} | {shares[0][1]:.0f} | {50 * (shares[0][0] + shares[1][0]):.1f} % | {test['loss']:.4f} | "
          f"{bytes_sent / 1e6:.0f} |", flush=True)

def main():
    remove_network()
    try:
        make_network()
        with tempfile.TemporaryDirectory() as made:
            folder = pathlib.Path(made)
            for command in (["init", "certs"], ["node", "certs", "ps-0", "worker-0", "worker-1"]):
                subprocess.run([program, "certs", *command], cwd=folder, check=True, stdout=subprocess.DEVNULL)
            print("| sync | seconds | waiting | test loss | MB |\n|---|---|---|---|---|")
            for name, (sync, wire) in cases.items():
                if arguments.case and name not in arguments.case:
                    continue
                work, bytes_sent = run(folder, name, sync, wire)
                row(name, work, bytes_sent)
    finally:
        remove_network()

main()
