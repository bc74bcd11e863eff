#!/usr/bin/env python3
"""Checks and measures training on a card, on a machine with PyTorch and CUDA's libraries; bench/cuda/pack made the folder.

usage: run.py [--packed FOLDER] [--out FILE] [--minutes N] [--no-torch]

First correctness: each operation on the card against the host's, runs that repeat to the same bits, a killed run that resumes
to them, runs that move between card and host. Then the table of times. A part for which no time is left is named, not left
out in silence. Without a card it checks the refusals and says so. Exit code: 0 all good, 1 something is wrong, 3 no card.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
CASES = [("M1", 64, "sgd", "float32"), ("M1", 64, "adam", "float32"), ("M3", 32, "sgd", "float32"), ("M1", 512, "sgd", "float32"),
         ("M5", 256, "sgd", "float32"), ("M5", 256, "sgd", "tf32"), ("M5", 256, "sgd", "bfloat16")]
# As PyTorch's loop: no validation and no saved state after each epoch.
STEPS_ALONE = ["extensions.checkpoint=false", "extensions.stream_monitoring=false"]
LACKING = "M2, M4, lenet, resnet_small, char_lstm, gpt_mini (layers without a version for a card), 512 fused runs (grid run --fuse)"


class Bench:
    def __init__(self, packed, minutes, out):
        self.packed, self.end, self.wrong, self.lines, self.out = packed, time.monotonic() + 60 * minutes, 0, [], out
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="troupe-card-"))
        folders = [packed, packed / "lib", *cuda_folders()]
        self.environment = dict(os.environ, LD_LIBRARY_PATH=":".join(str(f) for f in folders))

    def say(self, line):
        print(line, flush=True)
        self.lines.append(line)
        self.out.write_text("\n".join(self.lines) + "\n")

    def left(self):
        return self.end - time.monotonic()

    def run(self, program, *arguments, limit=120, **more):
        try:
            environment = dict(self.environment, **more)
            return subprocess.run([str(self.packed / program), *arguments], cwd=self.work, env=environment, text=True,
                                  capture_output=True, timeout=max(1, min(limit, self.left())))
        except subprocess.TimeoutExpired:
            return subprocess.CompletedProcess(program, 124, "", f"it ran longer than {min(limit, self.left()):.0f} s")

    def verdict(self, name, good, detail=""):
        self.wrong += not good
        self.say(f"{'ok   ' if good else 'WRONG'} {name}{' : ' + detail if detail else ''}")


def cuda_folders():
    """CUDA's libraries: those of Python's packages, then the toolkit's."""
    found = []
    for place in sys.path:
        found += sorted(pathlib.Path(place).glob("nvidia/*/lib")) if place else []
    return [*found, *sorted(pathlib.Path("/usr/local").glob("cuda*/lib64"))]


def refusals(bench):
    for arguments, code, words in [(["--gpu"], 69, "train with training.device: cpu instead"),
                                   (["training.device=gpu"], 78, "there is no device"),
                                   (["--gpu", "model.name=lenet"], 78, "has no version for a graphics card"),
                                   (["training.device=cuda:99"], 69, "")]:
        done = bench.run("troupe", "train", "-q", *arguments, **({"CUDA_VISIBLE_DEVICES": ""} if arguments == ["--gpu"] else {}))
        made = (bench.work / "runs").exists()
        bench.verdict(f"refused: train {' '.join(arguments)}", done.returncode == code and words in done.stderr and not made,
                      done.stderr.strip().splitlines()[-1][:200] if done.stderr.strip() else "")


def train(bench, name, *arguments, limit=60):
    done = bench.run("troupe", "train", "-q", "--folder", name, "training.seed=5", *arguments, limit=limit)
    result = bench.work / name / "result.json"
    if done.returncode != 0 or not result.exists():
        return None, done.stderr.strip()[-300:]
    return json.loads(result.read_text()), ""


def accuracy(result):
    numbers = re.search(r'"accuracy":\s*([0-9.]+)', json.dumps(result or {}))
    return float(numbers.group(1)) if numbers else float("nan")


def runs(bench):
    digits = ["model.hidden=[64]", "training.epochs=3"]
    host, why = train(bench, "host", *digits)
    card, why = train(bench, "card", "--gpu", *digits) if host else (None, why)
    if not card:
        return bench.verdict("digits train on the card", False, why)
    bench.verdict("digits: accuracy on the card as on the host", abs(accuracy(host) - accuracy(card)) < 0.01,
                  f"{accuracy(host):.4f} and {accuracy(card):.4f}")
    again, why = train(bench, "again", "--gpu", *digits)
    bench.verdict("the same seed gives the same bits", bool(again) and again["parameters"] == card["parameters"], why)
    killed_run(bench, digits)
    for first, second in ((["--gpu"], ["training.device=cpu"]), (["training.device=cpu"], ["--gpu"])):
        name = "from_" + ("card" if first == ["--gpu"] else "host")
        begun, why = train(bench, name, *first, digits[0], "training.epochs=2")
        moved, why = train(bench, name, *second, *digits) if begun else (None, why)
        close = bool(moved) and abs(accuracy(moved) - accuracy(card)) < 0.02
        bench.verdict(f"a run {name.replace('_', ' ')} resumes on the other", close, why or f"{accuracy(moved):.4f}")


def killed_run(bench, digits):
    """A run that is killed twice in the middle, against one that is left alone."""
    longer = [digits[0], "training.epochs=40"]
    whole, why = train(bench, "whole", "--gpu", *longer)
    arguments = [str(bench.packed / "troupe"), "train", "-q", "--gpu", "--folder", "killed", "training.seed=5", *longer]
    kills = 0
    for epochs in (5, 15):
        process = subprocess.Popen(arguments, cwd=bench.work, env=bench.environment, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        log = bench.work / "killed" / "log.jsonl"
        while process.poll() is None and (not log.exists() or log.read_text().count("validation") < epochs):
            time.sleep(0.01)
        kills += process.poll() is None
        process.send_signal(signal.SIGKILL)
        process.wait()
    resumed, why = train(bench, "killed", "--gpu", *longer) if whole else (None, why)
    same = kills == 2 and bool(resumed) and resumed["parameters"] == whole["parameters"]
    bench.verdict(f"killed {kills} times with -9 and resumed: the same bits", same, why)


def median_in(text):
    """The median of a report line of our benchmarks: the first number of microseconds."""
    found = re.search(r"([0-9.]+)\s*us/step", text) or re.search(r'"median":\s*([0-9.]+)', text)
    return float(found.group(1)) if found else None


def torch_times(bench, *case):
    """Microseconds of a step in PyTorch, by mode; modes for which no time was left are missing."""
    model, batch, optimizer, precision = case
    command = [sys.executable, str(HERE / "torch_train.py"), model, batch, optimizer, "eager,graph,compile", precision]
    try:
        lines = subprocess.run(command, capture_output=True, text=True, timeout=max(1, min(60, bench.left()))).stdout
    except subprocess.TimeoutExpired as late:
        lines = (late.stdout or b"").decode()
    measured = [json.loads(line) for line in lines.splitlines() if line.startswith("{")]
    return {one["mode"]: one["us"] for one in measured}


def measure(bench, with_torch):
    bench.say("")
    bench.say("| work | a run | steps alone | bare step | PyTorch eager | compiled | graph | eager / ours | best / ours | bare / ours |")
    bench.say("|---|---|---|---|---|---|---|---|---|---|")
    for model, batch, optimizer, precision in CASES:
        if bench.left() < 20:
            bench.say(f"no time left for {model} {batch} {optimizer} {precision}")
            continue
        trainer = ["bench_throughput", "trainer", model, str(batch), optimizer, "training.device=cuda",
                   f"training.precision={precision}"]
        whole = median_in(bench.run(*trainer, limit=40).stdout)
        done = bench.run(*trainer, *STEPS_ALONE, limit=40)
        ours = median_in(done.stdout)
        bare = median_in(bench.run("bench_card", "bare", model, str(batch), optimizer, precision, limit=30).stdout)
        if ours is None:
            bench.say(f"{model} {batch} {optimizer} {precision}: {done.stderr.strip()[-300:]}")
        peers = torch_times(bench, model, str(batch), optimizer, precision) if with_torch else {}
        known = [us for us in peers.values() if us]

        def ratio(a, b):
            return f"{a / b:.2f}" if a and b else "-"

        def number(us):
            return f"{us:.1f} us" if us else "-"

        times = [whole, ours, bare, *(peers.get(mode) for mode in ("eager", "compile", "graph"))]
        ratios = [ratio(peers.get("eager"), ours), ratio(min(known) if known else None, ours), ratio(bare, ours)]
        bench.say(f"| {model} {batch} {optimizer} {precision} | {' | '.join([number(us) for us in times] + ratios)} |")
    bench.say(f"not measured, because it is not built: {LACKING}")


def first_batch(bench):
    began = time.monotonic()
    result, why = train(bench, "short", "--gpu", "training.batches=1", "problem.train=1000")
    bench.say(f"a run of one batch, from the command to its end: {time.monotonic() - began:.2f} s {why}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--packed", type=pathlib.Path, default=HERE / "packed")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path(os.environ.get("OUT", ".")) / "card.txt")
    parser.add_argument("--minutes", type=float, default=7.5)
    parser.add_argument("--no-torch", action="store_true")
    options = parser.parse_args()
    archive = options.packed.with_name(options.packed.name + ".tar.gz")
    if archive.exists():
        with tarfile.open(archive) as packed:
            packed.extractall(options.packed.parent)
    bench = Bench(options.packed.resolve(), options.minutes, options.out.resolve())
    devices = bench.run("troupe", "devices")
    bench.say(devices.stdout.strip() or devices.stderr.strip())
    refusals(bench)
    if "cuda:0" not in devices.stdout:
        bench.say("there is no card: nothing was trained or measured on one")
        shutil.rmtree(bench.work, ignore_errors=True)
        sys.exit(1 if bench.wrong else 3)
    checked = bench.run("bench_card", "check", limit=150)
    for line in checked.stdout.splitlines():
        if line.startswith("WRONG"):
            bench.say(line)
    bench.verdict(f"{checked.stdout.count(chr(10))} comparisons of the card with the host", checked.returncode == 0,
                  checked.stderr.strip()[-300:])
    runs(bench)
    first_batch(bench)
    measure(bench, not options.no_torch)
    shutil.rmtree(bench.work, ignore_errors=True)
    bench.say(f"{'all good' if not bench.wrong else str(bench.wrong) + ' wrong'}; {bench.left():.0f} s of the time are left")
    sys.exit(1 if bench.wrong else 0)


if __name__ == "__main__":
    main()
