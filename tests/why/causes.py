#!/usr/bin/env python3
"""Plants a cause into each of many runs, asks `troupe why` what bounds them, and repeats each run without the cause.

usage: causes.py TROUPE PLUGIN [--only NAME,...] [--names] [--keep FOLDER]

PLUGIN is the plugin of planted_causes.cpp. A row for each run: the cause that was planted, the one that `why` names, the
seconds, those that it predicts without the cause, those of the repetition, and by how much the predicted gain differs from the
real one. With --names runs are not repeated, and only the names are checked. Exit code 1 if a cause was not named.

Delays are sleeps, so that they dominate on a busy machine, too; but some causes need the processor itself (tiny batches,
few cores, an observer, syncs by TLS), and their gains hold only on a quiet one. A narrow line needs root.
"""
import argparse
import contextlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cluster"))
import chaos  # noqa: E402

SMALL = ["problem.train=640", "problem.validation=64", "problem.test=64", "model.hidden=[16]", "training.epochs=15",
         "training.batch_size=64", "training.seed=7"]
SLOW = ["problem.name=slow_digits", *SMALL]
TINY = ["problem.train=4000", "problem.validation=64", "problem.test=64", "model.hidden=[16]", "training.epochs=3",
        "training.seed=7"]


# Batches that cost little themselves.
OFTEN = [*SMALL, "model.hidden=[2]", "training.epochs=400", "extensions.stream_monitoring=false"]


def gate(milliseconds, when="every_n_batches: 1"):
    return "+extensions.slow_gate={ms: %s, %s}" % (milliseconds, when)


def sync(every=1, **options):
    text = "".join(f", {key}: {value}" for key, value in options.items())
    return "+extensions.shared_params_auto_sync={every_n_batches: %d%s}" % (every, text)


class Scene:
    """A run with a cause. `planted` and `without` are what its command line adds in the two cases."""

    def __init__(self, name, cause, planted, without=(), base=SLOW, extension=None, worker=None, env=None, prefix=(),
                 more_cores=False):
        self.name, self.cause, self.planted, self.without, self.base = name, cause, planted, without, base
        self.extension, self.worker, self.env, self.prefix = extension, worker, env or {}, prefix
        self.more_cores = more_cores

    def run(self, program, folder, planted, answer):
        env = dict(os.environ, **(self.env if planted else {}))
        added = self.planted if planted else [part.replace("{larger}", str(answer["larger"])) for part in self.without]
        prefix = () if self.more_cores and not planted else self.prefix
        subprocess.run([*prefix, program.troupe, "train", "-q", "--folder", str(folder), *program.plugins, *self.base,
                        *added], check=True, capture_output=True, env=env)

    def named(self, answer):
        bound = answer["bounded_by"]
        return (bound["cause"] == self.cause and (self.extension is None or bound.get("extension") == self.extension)
                and (self.worker is None or bound.get("worker") == self.worker))


class Paused(Scene):
    """A run that is paused for a while."""

    def run(self, program, folder, planted, answer):
        if not planted:
            return super().run(program, folder, planted, answer)
        running = subprocess.Popen([program.troupe, "train", "-q", "--folder", str(folder), "--control", "127.0.0.1:0",
                                    *program.plugins, *self.base, "problem.ms=2"], stdout=subprocess.DEVNULL)
        while not (folder / "control.json").exists():
            time.sleep(0.05)
        for order, seconds in (("pause", 4), ("resume", 0)):
            subprocess.run([program.troupe, "ctl", str(folder), order], check=True, capture_output=True)
            time.sleep(seconds)
        if running.wait() != 0:
            raise chaos.Broken("the paused run failed")


class ClusterScene(Scene):
    """Processes of a cluster; `planted` and `without` are lists for each worker, `holder` options of the parameter holder."""

    def __init__(self, *arguments, common=(), holder=(), rate=None, delay=0.0, secure=False, late=0.0, **named):
        super().__init__(*arguments, **named)
        self.common, self.holder, self.rate, self.delay, self.secure, self.late = common, holder, rate, delay, secure, late

    def run(self, program, folder, planted, answer):
        folder.mkdir(parents=True)
        narrow = self.rate or self.delay
        with contextlib.ExitStack() as stack:
            cluster = stack.enter_context(chaos.Cluster(program.troupe, folder, secure=self.secure))
            line = stack.enter_context(Line(self.rate if planted else None, self.delay if planted else 0)) if narrow else None
            inside = line.inside if line else lambda _: ()
            holder = self.start_holder(cluster, program, planted, line)
            options = self.planted if planted else self.without
            workers = []
            for index in range(2):
                extra = [*program.plugins, *self.base, *self.common, *(options[index] if options else [])]
                workers.append(cluster.worker(index, extra, prefix=inside(index + 1)))
                if planted and index == 0:
                    time.sleep(self.late)
            for worker in workers:
                if worker.end(120) != 0:
                    raise chaos.Broken(f"{worker.name} failed:\n    {worker.last_lines()}")
            holder.end()

    def start_holder(self, cluster, program, planted, line):
        host = "10.97.0.1" if line else "127.0.0.1"
        arguments = ["--role", "ps", "--ps", f"{host}:{20000 if line else 0}", "--save-every", "60",
                     "--folder", str(cluster.folder / "holder"), *program.plugins, *(self.holder if planted else [])]
        holder = cluster.start("holder", arguments, line.inside(0) if line else ())
        holder.wait_for("listens on")
        text = next(line for _, line in holder.lines if "listens on" in line)
        cluster.address = re.search(r"listens on (\S+)", text).group(1)
        return holder


class Line:
    """Network namespaces for a holder and two workers, with a line between them of a rate or with a delay."""

    def __init__(self, rate, delay):
        self.names = [f"troupe{os.getpid()}-{i}" for i in range(3)]
        self.rate, self.delay = rate, delay

    def __enter__(self):
        for name in self.names:
            subprocess.run(["ip", "netns", "add", name], check=True, capture_output=True)
        self.switch = chaos.Switch(self.names)
        if self.delay:
            self.switch.delay[0] = self.delay
        self.switch.start()
        if self.rate:
            for i, name in enumerate(self.names):
                tap = f"tr{os.getpid() % 100000}t{i}"
                subprocess.run(["ip", "netns", "exec", name, "tc", "qdisc", "add", "dev", tap, "root", "tbf", "rate", self.rate,
                                "burst", "16kb", "latency", "2s"], check=True, capture_output=True)
        return self

    def __exit__(self, *_):
        self.switch.running = False
        self.switch.join()
        for port in self.switch.ports:
            os.close(port)
        for name in self.names:
            subprocess.run(["ip", "netns", "del", name], capture_output=True)

    def inside(self, i):
        return ("ip", "netns", "exec", self.names[i])


ROUNDS = sync(staleness=0)
ONE_CORE = ("taskset", "-c", "0")
SCENES = [
    Scene("slow reader", "reading", ["problem.ms=25"]),
    Scene("loader too small", "reading", ["problem.ms=25", "training.loader.ahead=1"], ["training.loader.ahead=1"]),
    Scene("slow gate", "gate", [gate(25)], extension="slow_gate"),
    Scene("slow gate of epochs", "gate", [gate(250, "after_epoch: true")], extension="slow_gate"),
    Scene("validation each batch", "evaluation", ["problem.validation_ms=25", "extensions.stream_monitoring.every_n_batches=1"],
          ["extensions.stream_monitoring=false"], extension="stream_monitoring"),
    Scene("slow optimizer", "update", ["optimizer={name: slow_sgd, ms: 25}"], ["optimizer={name: slow_sgd, ms: 0}"]),
    Scene("slow loss", "gradient", ["model.loss=slow_loss"], ["model.loss=slow_loss"], env={"SLOW_LOSS_US": "40"}),
    Scene("checkpoint each batch", "checkpoint", ["extensions.checkpoint.every_n_batches=1"], base=OFTEN,
          extension="checkpoint"),
    Scene("statistics each batch", "gate", ["extensions.statistics.weighted=false"], base=OFTEN,
          extension="statistics"),
    Scene("tiny batches", "tiny batches", ["training.batch_size=1"], ["training.batch_size={larger}"], base=TINY),
    Scene("expensive observer", "few cores", ["+extensions.busy_observer={ms: 5, every_n_batches: 1}"], prefix=ONE_CORE,
          base=[*TINY, "model.hidden=[256]", "training.epochs=20"]),
    Scene("few cores", "few cores", [], prefix=ONE_CORE, more_cores=True,
          base=[*TINY, "model.hidden=[256]", "training.epochs=20", "training.workers=2", sync(20)]),
    Scene("two workers that read slowly", "reading", ["problem.ms=25", "training.workers=2", sync(staleness=0)],
          ["training.workers=2", sync(staleness=0)]),
    Paused("a pause", "held", [], ["problem.ms=2"]),
    ClusterScene("slow worker in rounds", "slow worker", [[], ["optimizer={name: slow_sgd, ms: 25}"]], common=[ROUNDS], worker=1),
    ClusterScene("slow reader of a worker", "reading", [[], ["problem.ms=25"]], common=[ROUNDS], worker=1),
    ClusterScene("slow gate of a worker", "gate", [[], [gate(25)]], common=[ROUNDS], worker=1, extension="slow_gate"),
    ClusterScene("straggler at bounded staleness", "slow worker", [[], ["optimizer={name: slow_sgd, ms: 25}"]],
                 common=[sync(staleness=2)], worker=1),
    ClusterScene("slow worker without rounds", "slow worker", [[], ["optimizer={name: slow_sgd, ms: 25}"]],
                 common=[sync(staleness="unbounded", rule="easgd", elasticity=0.3)], worker=1),
    ClusterScene("validation by the main worker", "evaluation",
                 [["problem.validation_ms=25", "extensions.stream_monitoring.every_n_batches=1"], []], common=[ROUNDS], worker=0),
    ClusterScene("slow holder", "holder", [[sync(staleness=0, rule="slow_average", ms=25)]] * 2,
                 [[sync(staleness=0, rule="slow_average", ms=0)]] * 2, base=[*SLOW, "model.hidden=[2]"]),
    ClusterScene("slow holder without rounds", "holder", [[sync(staleness="unbounded", rule="slow_average", ms=25)]] * 2,
                 [[sync(staleness="unbounded", rule="slow_average", ms=0)]] * 2, base=[*SLOW, "model.hidden=[2]"]),
    ClusterScene("limit of pushes", "rate limit", [], common=[ROUNDS], holder=["--pushes-per-second", "60"]),
    ClusterScene("line with a delay", "network", [], common=[ROUNDS], delay=0.025, secure=True),
    ClusterScene("line of a low rate", "network", [], common=[ROUNDS], rate="4mbit", secure=True),
    ClusterScene("sync each batch by TLS", "network", [[sync(staleness="unbounded", rule="easgd")]] * 2,
                 [[sync(100000, staleness="unbounded", rule="easgd")]] * 2, secure=True, base=[*TINY, "model.hidden=[256]"]),
]


class Program:
    def __init__(self, arguments):
        self.troupe, self.plugin = str(pathlib.Path(arguments.troupe).resolve()), str(pathlib.Path(arguments.plugin).resolve())
        self.plugins = [f"plugins=[{self.plugin}]"]

    def why(self, folder):
        asked = subprocess.run([self.troupe, "why", "--json", str(folder)], check=True, capture_output=True, text=True)
        return json.loads(asked.stdout)


def check(scene, program, folder, names_only):
    """Whether the cause was named, and a row of the table."""
    scene.run(program, folder / "planted", True, {})
    answer = program.why(folder / "planted")
    bound = answer["bounded_by"]
    named = scene.named(answer)
    said = " ".join(str(bound[key]) for key in ("cause", "extension", "worker") if key in bound)
    row = f"{scene.name:<32} {said:<30} {'named' if named else 'NOT NAMED':<10} {answer['seconds']:7.2f} {bound['without']:8.2f}"
    if names_only:
        return named, row, None
    # cure: Train on larger batches: training.batch_size=
    scene.run(program, folder / "without", False, {"larger": answer.get("larger_batches", {}).get("batch_size", 64)})
    repeated = program.why(folder / "without")["seconds"]
    gain = answer["seconds"] - repeated
    assert gain < answer["seconds"]
    error = (bound["gain"] - gain) / gain if gain else float("inf")
    return named, f"{row} {repeated:8.2f} {100 * error:+7.1f} %", abs(error)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("troupe")
    parser.add_argument("plugin")
    parser.add_argument("--only", default="")
    parser.add_argument("--names", action="store_true")
    parser.add_argument("--keep", default="")
    arguments = parser.parse_args()
    only = [name for name in arguments.only.split(",") if name]
    program = Program(arguments)
    named, within, ran = 0, 0, 0
    print(f"{'planted':<32} {'named by `troupe why`':<30} {'':<10} {'seconds':>7} {'without':>8} {'repeated':>8}  gain is off by")
    with tempfile.TemporaryDirectory() as temporary:
        for scene in SCENES:
            if only and scene.name not in only:
                continue
            try:
                found, row, error = check(scene, program, pathlib.Path(arguments.keep or temporary) / scene.name.replace(" ", "_"),
                                          arguments.names)
            except (OSError, subprocess.CalledProcessError, chaos.Broken) as broken:
                shown = getattr(broken, "stderr", None) or str(broken)
                print(f"{scene.name:<32} could not be run: {shown if isinstance(shown, str) else shown.decode()}", flush=True)
                continue
            ran, named = ran + 1, named + found
            within += error is not None and error <= 0.1
            print(row, flush=True)
    print(f"{named} of {ran} causes are named" + ("" if arguments.names else f"; {within} gains are within 10 %"))
    return 0 if named == ran else 1


if __name__ == "__main__":
    sys.exit(main())
