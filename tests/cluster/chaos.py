#!/usr/bin/env python3
"""Disturbs clusters of real processes and checks what they guarantee.

usage: tests/cluster/chaos.py TROUPE SCENE [--rounds N] [--seed S]

    kills      a random worker is killed (SIGKILL) at a random moment and restarted, N times. Every acknowledged push
               is in the holder's journal, none of them twice.                                                      [R1]
    stops      a worker is stopped (SIGSTOP) and continued, then the holder, N times each: noticed within three
               renewals, stale pushes refused, back within five seconds.                                            [R7]
               Then, with leases of 10 s, a worker is asked to end (SIGTERM) while its round waits for a stopped
               worker, and while the holder is stopped: it saves and exits within five seconds.                     [R17]
    strangers  no certificate, one of another authority, an expired one, plain TCP, a wrong token: refused, while the
               holder keeps serving.                                                                                [R14]
    orders     a parameter holder, two workers and an evaluator are started in every order.                         [R20]
    crashes    processes of a launched cluster are killed (SIGSEGV, SIGKILL) and restarted: a worker before it has
               joined and later, and the main one, while rounds wait for them, the evaluator, the parameter holder;
               the run ends with its results. A worker that always crashes, and a holder without a saved state, end the
               run with 70 and their last line, and the run can be resumed from what was saved.                     [R16]
    network    (root) holder and workers in network namespaces: a link is cut (first for 30 s, from 10 rounds on), delayed by 50 ms or
               loses 5 % of its packets, a process is stopped, killed or restarted, N seeded rounds. No process hangs, the run
               ends in good order, no push is lost or applied twice.                                          [R8][L9]

Prints one line per round and a summary; exit code 1 if a guarantee was broken.
"""
import argparse
import collections
import contextlib
import fcntl
import heapq
import itertools
import json
import os
import pathlib
import random
import re
import resource
import select
import shutil
import signal
import socket
import ssl
import struct
import subprocess
import sys
import tempfile
import threading
import time

import applied_pushes

SMALL = ["problem.train=2000", "problem.validation=200", "problem.test=200", "model.hidden=[64]", "training.seed=7"]


class Broken(Exception):
    """A guarantee that was broken."""


class Process:
    """A troupe process; its output lines are kept with the time of their arrival."""

    def __init__(self, name, command, env, prefix=()):
        self.name, self.lines, self.fresh = name, [], threading.Condition()
        self.process = subprocess.Popen([*prefix, *command], env=env, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self):
        for line in self.process.stdout:
            with self.fresh:
                self.lines.append((time.monotonic(), line.rstrip()))
                self.fresh.notify_all()

    def wait_for(self, pattern, since=0.0, timeout=60.0):
        """The arrival time of the first line after `since` that matches."""
        end = time.monotonic() + timeout
        with self.fresh:
            seen = 0
            while True:
                for when, line in self.lines[seen:]:
                    if when >= since and re.search(pattern, line):
                        return when
                seen = len(self.lines)
                left = end - time.monotonic()
                if left <= 0 or not self.fresh.wait(left):
                    raise Broken(f"{self.name} did not print '{pattern}' within {timeout} s; its output:\n    "
                                 + self.last_lines())

    def said(self, pattern):
        return [when for when, line in self.lines if re.search(pattern, line)]

    def last_lines(self):
        return "\n    ".join(line for _, line in self.lines[-15:])

    def signal(self, number):
        if self.process.poll() is None:
            self.process.send_signal(number)

    def end(self, timeout=60):
        try:
            return self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            raise Broken(f"{self.name} hangs; its output:\n    "
                         + self.last_lines()) from None


class Cluster:
    def __init__(self, troupe, folder, secure=True):
        self.troupe, self.folder, self.processes = str(pathlib.Path(troupe).resolve()), pathlib.Path(folder), []
        self.env = dict(os.environ, TROUPE_TOKEN="%032x" % random.getrandbits(128), NO_COLOR="1")
        self.trust = ["--insecure"]
        self.workers = 2
        if secure:
            certs = self.folder / "certs"
            names = ["ps-0", "evaluator-0"] + [f"worker-{i}" for i in range(8)]
            for arguments in (["init", certs], ["node", certs, *names]):
                subprocess.run([self.troupe, "certs", *map(str, arguments)], check=True, capture_output=True)
            self.trust = ["--certs", str(certs)]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for one in self.processes:
            if one.process.poll() is None:
                one.process.send_signal(signal.SIGCONT)
                one.process.kill()
            one.process.wait()

    def start(self, name, arguments, prefix=()):
        self.processes.append(Process(name, [self.troupe, "node", *arguments, *self.trust], self.env, prefix))
        return self.processes[-1]

    def holder(self, port=0, save_every=1, host="127.0.0.1", prefix=()):
        arguments = ["--role", "ps", "--ps", f"{host}:{port}", "--folder", str(self.folder / "holder"), "--save-every",
                 str(save_every)]
        process = self.start("holder", arguments, prefix)
        process.wait_for("listens on")
        line = next(line for _, line in process.lines if "listens on" in line)
        self.address = re.search(r"listens on (\S+)", line).group(1)
        return process

    def worker(self, index, extra=(), life=0, prefix=()):
        arguments = ["--role", "worker", "--index", str(index), "--workers", str(self.workers), "--ps", self.address,
                 "--folder", str(self.folder / f"worker-{index}-{life}"), "--no-progress", *SMALL, *extra]
        return self.start(f"worker {index}", arguments, prefix)

    def journal(self):
        summary = json.loads((self.folder / "holder/holder.json").read_text())
        return summary["pushes"], summary["mark"], {int(k): v for k, v in (summary["journal"] or {}).items()}

    def acknowledged(self):
        """(worker, incarnation) -> acknowledged push numbers, from the workers' logs."""
        numbers = collections.defaultdict(set)
        for log in self.folder.glob("worker-*/log.jsonl"):
            worker = int(log.parent.name.split("-")[1])
            for line in log.read_text().splitlines():
                with contextlib.suppress(ValueError):
                    row = json.loads(line)
                    records = row.get("records", row)
                    if "param_sync_number" in records:
                        numbers[worker, records["param_sync_incarnation"]].add(records["param_sync_number"])
        return {key: some - {0} for key, some in numbers.items()}

    def check_journal(self, outages=0):
        pushes, mark, journal = self.journal()
        acknowledged = self.acknowledged()
        if not acknowledged:
            raise Broken("no log has a push, so a lost one could not be noticed")
        for (worker, incarnation), numbers in acknowledged.items():
            number = max(numbers, default=0)
            kept = max(journal.get(worker, [0])[incarnation - 1:], default=0)
            if kept < number:
                raise Broken(f"push {number} of worker {worker}, incarnation {incarnation}, was acknowledged, and the "
                             f"journal ends with {kept}: {journal}")
        if defect := applied_pushes.defect(pushes, mark, journal, acknowledged, outages):
            raise Broken(defect)
        worker, numbers = next((worker, numbers) for worker, numbers in journal.items() if max(numbers) > 0)
        doubled = mark + applied_pushes.mixed(worker, max(numbers))
        if not applied_pushes.defect(pushes + 1, doubled, journal, acknowledged, outages):
            raise Broken("the check would not detect a push that was applied twice")
        return pushes


def sync(every=1, **options):
    text = ", ".join(f"{key}: {value}" for key, value in options.items())
    return ["+extensions.shared_params_auto_sync={every_n_batches: %d, timing_log: true%s}"
            % (every, ", " + text if text else ""), "training.batch_size=16"]


def kills(arguments, folder):
    with Cluster(arguments.troupe, folder) as cluster:
        cluster.workers = 3
        holder = cluster.holder()
        extra = [*sync(), "training.epochs=100000"]
        lives = collections.Counter()
        workers = {i: cluster.worker(i, extra) for i in range(3)}
        for i in workers:
            workers[i].wait_for("examples to train on")
        time.sleep(1)
        for turn in range(arguments.rounds):
            victim = random.randrange(3)
            time.sleep(random.uniform(0.0, 0.3))
            workers[victim].signal(signal.SIGKILL)
            workers[victim].end()
            lives[victim] += 1
            workers[victim] = cluster.worker(victim, extra, lives[victim])
            time.sleep(random.uniform(0.0, 0.5))
            if turn % 10 == 9:
                print(f"  {turn + 1} kills", flush=True)
        for worker in workers.values():
            worker.wait_for("examples to train on")
        time.sleep(3)
        for worker in workers.values():
            worker.signal(signal.SIGTERM)
        for worker in workers.values():
            worker.end()
        holder.signal(signal.SIGTERM)
        holder.end()
        pushes = cluster.check_journal()
        acked = sum(map(len, cluster.acknowledged().values()))
        print(f"kills: {arguments.rounds} kills, {acked} acknowledged pushes known, {pushes} applied: 0 lost, 0 doubled")


def stops(arguments, folder):
    with Cluster(arguments.troupe, folder) as cluster:
        holder = cluster.holder()
        workers = [cluster.worker(i, [*sync(), "training.epochs=100000"]) for i in range(2)]
        for worker in workers:
            worker.wait_for("examples to train on")
        time.sleep(2)
        noticed, back = [], []
        for turn in range(arguments.rounds):
            victim = random.randrange(2)
            began = time.monotonic()
            workers[victim].signal(signal.SIGSTOP)
            noticed.append(holder.wait_for(f"worker {victim} has not renewed", began, 12) - began)
            time.sleep(random.uniform(0, 2))
            again = time.monotonic()
            workers[victim].signal(signal.SIGCONT)
            back.append(holder.wait_for(f"worker {victim} is back", again, 10) - again)
            time.sleep(0.5)
            print(f"  worker {victim}: noticed after {noticed[-1]:.1f} s, back after {back[-1]:.1f} s", flush=True)
        for turn in range(arguments.rounds):
            began = time.monotonic()
            holder.signal(signal.SIGSTOP)
            noticed.append(max(w.wait_for("is unreachable", began, 16) for w in workers) - began)
            time.sleep(random.uniform(0, 2))
            again = time.monotonic()
            holder.signal(signal.SIGCONT)
            back.append(max(w.wait_for("reachable again|joined again", again, 10) for w in workers) - again)
            time.sleep(3.5)
            print(f"  holder: noticed after {noticed[-1]:.1f} s, back after {back[-1]:.1f} s", flush=True)
        for worker in workers:
            worker.signal(signal.SIGTERM)
        for worker in workers:
            worker.end()
        holder.signal(signal.SIGTERM)
        holder.end()
        # Of both workers, each time the holder is stopped: a push under way, and on a busy machine one that fails at once.
        cluster.check_journal(outages=4 * arguments.rounds)
        print(f"stops: {2 * arguments.rounds} stops; noticed after {max(noticed):.1f} s at most, back after "
              f"{max(back):.1f} s at most; no stale push applied")
    polite_ends(arguments, pathlib.Path(folder) / "polite")


def polite_ends(arguments, folder):
    folder.mkdir()
    with Cluster(arguments.troupe, folder) as cluster:
        holder = cluster.holder()
        workers = [cluster.worker(i, [*sync(staleness=0), "training.epochs=100000", "cluster.lease=10"]) for i in range(2)]
        for worker in workers:
            worker.wait_for("examples to train on")
        time.sleep(1)
        for stopped, asked in ((workers[1], workers[0]), (holder, workers[1])):
            stopped.signal(signal.SIGSTOP)
            time.sleep(1.5)
            began = time.monotonic()
            asked.signal(signal.SIGTERM)
            code = asked.end(20)
            took = time.monotonic() - began
            stopped.signal(signal.SIGCONT)
            if code != 75 or took > 8:  # less than the lease, since nothing may wait for it
                raise Broken(f"{asked.name}, asked to end while {stopped.name} was stopped, ended after {took:.1f} s with {code}; its output:\n    "
                             + asked.last_lines())
            print(f"  {asked.name}, asked to end while {stopped.name} was stopped: exited after {took:.1f} s", flush=True)
            time.sleep(1)


def strangers(arguments, folder):
    with Cluster(arguments.troupe, folder) as cluster:
        holder = cluster.holder()
        host, port = cluster.address.split(":")
        certs = pathlib.Path(folder) / "certs"
        other = pathlib.Path(folder) / "other"
        for arguments_of_certs in (["init", other], ["node", other, "worker-0"], ["node", certs, "late", "--days", "-1"]):
            subprocess.run([cluster.troupe, "certs", *map(str, arguments_of_certs)], capture_output=True)

        def knock(certificate=None, authority=None):
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
            if certificate:
                context.load_cert_chain(str(certificate) + ".pem", str(certificate) + ".key")
            with socket.create_connection((host, int(port)), 5) as plain:
                with context.wrap_socket(plain) as secure:
                    secure.settimeout(5)
                    secure.sendall(bytes(64))
                    return len(secure.recv(64))

        def refused(what, knocking):
            try:
                heard = knocking()
            except (ssl.SSLError, OSError):
                heard = 0
            if heard:
                raise Broken(f"{what} got {heard} bytes")
            print(f"  {what}: refused", flush=True)

        refused("no certificate", knock)
        refused("a certificate of another authority", lambda: knock(other / "worker-0"))
        if (certs / "late.pem").exists():
            refused("an expired certificate", lambda: knock(certs / "late"))

        def plain():
            with socket.create_connection((host, int(port)), 5) as connection:
                connection.settimeout(3)
                connection.sendall(bytes([1]) + bytes(31))
                return len(connection.recv(64))

        refused("plain TCP", plain)
        good = cluster.env["TROUPE_TOKEN"]
        cluster.env["TROUPE_TOKEN"] = "another"
        worker = cluster.worker(0, [*sync(), "training.epochs=1", "--join-deadline", "10"])
        if worker.end(90) == 0:
            raise Broken("a worker with a wrong token trained")
        holder.wait_for("token|another cluster")
        print("  a wrong token: refused", flush=True)
        cluster.env["TROUPE_TOKEN"] = good
        friends = [cluster.worker(i, [*sync(), "training.epochs=1"], life=2) for i in range(2)]
        for friend in friends:
            if friend.end(60) != 0:
                raise Broken(f"{friend.name} was not served:\n" + "\n".join(line for _, line in friend.lines))
        print("strangers: all were refused, the holder kept serving")


def orders(arguments, folder):
    roles = ["holder", "worker 0", "worker 1", "evaluator"]
    every = list(itertools.permutations(roles))
    random.shuffle(every)
    for number, order in enumerate(every[: arguments.rounds]):
        with Cluster(arguments.troupe, pathlib.Path(folder) / str(number), secure=False) as cluster:
            with socket.socket() as free:
                free.bind(("127.0.0.1", 0))
                port = free.getsockname()[1]
            cluster.address = f"127.0.0.1:{port}"
            started = {}
            for role in order:
                if role == "holder":
                    started[role] = cluster.holder(port)
                elif role == "evaluator":
                    started[role] = cluster.start(role, ["--role", "evaluator", "--ps", cluster.address, "--workers",
                                                         "2", "--folder", str(cluster.folder / "evaluator"), *SMALL])
                else:
                    started[role] = cluster.worker(int(role[-1]), [*sync(every=5), "training.epochs=60"])
                time.sleep(random.uniform(0, 1.0))
            for role in roles[1:]:
                code = started[role].end(100)  # an evaluator without a cluster waits a minute for one
                if code != 0:
                    raise Broken(f"order {order}: {role} ended with {code}:\n"
                                 + "\n".join(line for _, line in started[role].lines[-15:]))
            started["holder"].signal(signal.SIGTERM)
            started["holder"].end()
            print(f"  {', '.join(order)}", flush=True)
    print(f"orders: {min(arguments.rounds, len(every))} start orders of four roles, all trained to their end")


class Launched(Process):
    """`troupe launch` in its own folder; its child processes can be found."""

    def __init__(self, troupe, folder, *arguments):
        # A sanitized program would turn the signal into an exit code.
        env = dict(os.environ, NO_COLOR="1",
                   ASAN_OPTIONS=os.environ.get("ASAN_OPTIONS", "") + ":handle_segv=0")
        self.folder = pathlib.Path(folder)
        super().__init__("launch", [str(pathlib.Path(troupe).resolve()), "launch", "--json", "--folder", str(folder),
                                    *arguments], env)

    def children(self):
        pids = []
        for file in pathlib.Path(f"/proc/{self.process.pid}/task").glob("*/children"):
            with contextlib.suppress(OSError):
                pids += map(int, file.read_text().split())
        return pids

    def find(self, name):
        """The process that has this name now, or None."""
        for pid in self.children():
            with contextlib.suppress(OSError):
                if str(self.folder / name).encode() in pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0"):
                    return pid
        return None

    def wait_until(self, what, condition, timeout=60):
        end = time.monotonic() + timeout
        while not (found := condition()):
            if time.monotonic() > end or self.process.poll() is not None:
                raise Broken(f"{what} did not happen; its output:\n    "
                             + "\n    ".join(line for _, line in self.lines[-25:]))
            time.sleep(0.01)
        return found

    def crash(self, name, number):
        began = time.monotonic()
        os.kill(self.wait_until(f"{name}", lambda: self.find(name)), number)
        self.wait_for(rf"{name} was ended by signal {number:d} .* and is restarted", began)
        return self.wait_until(f"{name} again", lambda: self.find(name))

    def ends(self, code, timeout=90):
        if (ended := self.end(timeout)) != code:
            raise Broken(f"launch ended with {ended}, not {code}:\n    "
                         + "\n    ".join(line for _, line in self.lines[-40:]))


def crashes(arguments, folder):
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    rounds = [*sync(every=4, rule="average", staleness=0), *SMALL]
    for turn in range(arguments.rounds):
        run = pathlib.Path(folder) / str(turn) / "run"
        state = lambda worker: run / f"worker-{worker}" / "checkpoint.bin"  # noqa: E731

        launch = Launched(arguments.troupe, run, "-n", "2", "--evaluator", *rounds, "training.epochs=40")
        launch.crash("worker-1", signal.SIGKILL)  # which may not have joined yet
        launch.wait_until("a checkpoint of each worker", lambda: state(0).exists() and state(1).exists())
        first_row = (run / "worker-1/log.jsonl").read_text().splitlines()[0]
        launch.crash("worker-1", signal.SIGSEGV)
        launch.wait_for(r"\[worker-1\] resuming from .*checkpoint")
        launch.crash("evaluator", signal.SIGKILL)
        launch.crash("worker-0", signal.SIGKILL)
        launch.ends(0)
        if not any('"outcome":"finished"' in line for _, line in launch.lines):
            raise Broken("launch printed no results")
        if (run / "worker-1/log.jsonl").read_text().splitlines()[0] != first_row:
            raise Broken("worker 1 has started another log")
        print("  workers and the evaluator crashed: the run ended with its results", flush=True)

        launch = Launched(arguments.troupe, run, "training.epochs=80")
        launch.wait_for(r"\[worker-1\] resuming from")
        began = time.monotonic()
        launch.crash("holder-0", signal.SIGKILL)
        launch.wait_for("parameter holder resumes from version", began)
        launch.ends(0)
        print("  the parameter holder crashed: it continued from its parameters", flush=True)

        launch = Launched(arguments.troupe, run, "training.epochs=1000000")
        launch.wait_for(r"\[worker-1\] resuming from")
        began, killed = time.monotonic(), set()
        while launch.process.poll() is None and time.monotonic() < began + 60:
            if (pid := launch.find("worker-1")) and pid not in killed:
                killed.add(pid)
                with contextlib.suppress(OSError):
                    os.kill(pid, signal.SIGSEGV)
            time.sleep(0.01)
        launch.ends(70, 1)
        if len(killed) != 4:
            raise Broken(f"worker 1 was started {len(killed)} times, not once and 3 times again")
        launch.wait_for(r"worker-1 .* is not restarted: the limit of 3 restarts within 60 s")
        launch.wait_for("worker-1 has ended the run; (its last line: .|it printed nothing)")
        took = time.monotonic() - began
        launch = Launched(arguments.troupe, run, "training.epochs=1000000",
                          "+extensions.stop_after_time_elapsed.total_duration=1s")
        launch.ends(0)
        launch.wait_for(r"\[worker-0\] resuming from .*state.bin")
        print(f"  a worker always crashed: the run ended with 70 within {took:.1f} s, and could be resumed", flush=True)

        launch = Launched(arguments.troupe, run.with_name("other"), "-n", "2", *rounds, "training.epochs=1000000")
        launch.wait_until("a checkpoint", (run.with_name("other") / "worker-0/checkpoint.bin").exists)
        os.kill(launch.find("holder-0"), signal.SIGKILL)
        launch.ends(70)
        launch.wait_for("holder-0 .* is not restarted: it has saved no parameters to resume from")
        print("  a parameter holder without a saved state crashed: the run ended with 70", flush=True)

        launch = Launched(arguments.troupe, run.with_name("third"), "-n", "2", *rounds, "training.epochs=1000000")
        launch.wait_until("a checkpoint", (run.with_name("third") / "worker-1/checkpoint.bin").exists)
        os.kill(launch.find("worker-1"), signal.SIGSTOP)
        launch.process.send_signal(signal.SIGTERM)
        launch.ends(75)
        print("  a stopped worker was asked to end: it continued, and ended with the others", flush=True)
    print(f"crashes: {arguments.rounds} rounds; restarted within the limit, and ended with 70 beyond it")


class Switch(threading.Thread):
    """Connects network namespaces by TAP devices; each port can be cut, slow or lossy. (Not every kernel has netem.)"""

    def __init__(self, names):
        super().__init__(daemon=True)
        self.ports, self.cut, self.delay, self.loss = [], set(), {}, {}
        self.learned, self.waiting, self.count, self.running = {}, [], 0, True
        for i, name in enumerate(names):
            port = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
            tap = f"tr{os.getpid() % 100000}t{i}"
            flags_tap_without_header = 0x0002 | 0x1000
            fcntl.ioctl(port, 0x400454CA, struct.pack("16sH", tap.encode(), flags_tap_without_header))  # TUNSETIFF
            for arguments in (["link", "set", tap, "netns", name], ["-n", name, "link", "set", "lo", "up"],
                          ["-n", name, "addr", "add", f"10.97.0.{i + 1}/24", "dev", tap],
                          ["-n", name, "link", "set", tap, "up"]):
                subprocess.run(["ip", *arguments], check=True, capture_output=True)
            self.ports.append(port)

    def run(self):
        while self.running:
            now = time.monotonic()
            patience = max(0.0, min(0.1, self.waiting[0][0] - now)) if self.waiting else 0.1
            for port in select.select(self.ports, [], [], patience)[0]:
                for _ in range(256):
                    try:
                        frame = os.read(port, 65536)
                    except BlockingIOError:
                        break
                    self.take(self.ports.index(port), frame)
            now = time.monotonic()
            while self.waiting and self.waiting[0][0] <= now:
                _, _, target, frame = heapq.heappop(self.waiting)
                with contextlib.suppress(OSError):
                    os.write(self.ports[target], frame)

    def take(self, source, frame):
        self.learned[frame[6:12]] = source
        known = self.learned.get(frame[:6])
        for target in range(len(self.ports)) if known is None else [known]:
            ends = {source, target}
            if target == source or ends & self.cut or random.random() < max(self.loss.get(i, 0) for i in ends):
                continue
            self.count += 1
            late = sum(self.delay.get(i, 0) for i in ends)
            heapq.heappush(self.waiting, (time.monotonic() + late, self.count, target, frame))


def network(arguments, folder):
    names = [f"troupe{os.getpid()}-{i}" for i in range(3)]
    wire = None
    try:
        for name in names:
            subprocess.run(["ip", "netns", "add", name], capture_output=True)
        try:
            wire = Switch(names)
        except (OSError, subprocess.CalledProcessError) as error:
            print(f"network: skipped, this machine does not allow network namespaces: {error}")
            return 77
        wire.start()
        inside = lambda i: ("ip", "netns", "exec", names[i])  # noqa: E731
        with Cluster(arguments.troupe, folder) as cluster:
            holder = cluster.holder(20000, host="10.97.0.1", prefix=inside(0))
            extra = [*sync(every=3), "training.epochs=1000000", "model.hidden=[16]"]
            lives = [0, 0]
            workers = [cluster.worker(i, extra, 0, inside(i + 1)) for i in range(2)]
            for worker in workers:
                worker.wait_for("examples to train on")
            time.sleep(1)
            for turn in range(arguments.rounds):
                at = random.randrange(3)
                act = random.choice(["cut", "delay", "loss", "stop", "kill"])
                length = random.uniform(0.2, 5)
                if turn == 0:
                    act, length = "cut", 30 if arguments.rounds >= 10 else 6
                if act == "cut":
                    wire.cut.add(at)
                    time.sleep(length)
                    wire.cut.discard(at)
                elif act == "delay":
                    wire.delay[at] = 0.05
                    time.sleep(length)
                    wire.delay.clear()
                elif act == "loss":
                    wire.loss[at] = 0.05
                    time.sleep(length)
                    wire.loss.clear()
                elif act == "stop":
                    victim = holder if at == 0 else workers[at - 1]
                    victim.signal(signal.SIGSTOP)
                    time.sleep(length)
                    victim.signal(signal.SIGCONT)
                elif at > 0:
                    workers[at - 1].signal(signal.SIGKILL)
                    workers[at - 1].end()
                    lives[at - 1] += 1
                    workers[at - 1] = cluster.worker(at - 1, extra, lives[at - 1], inside(at))
                else:  # a holder that is asked to end saves its state and resumes from it
                    holder.signal(signal.SIGTERM)
                    holder.end()
                    holder = cluster.holder(20000, host="10.97.0.1", prefix=inside(0))
                print(f"  round {turn + 1}: {act} at {'holder' if at == 0 else f'worker {at - 1}'}, {length:.1f} s",
                      flush=True)
                time.sleep(random.uniform(0, 1))
            time.sleep(8)
            for worker in workers:
                if worker.process.poll() is not None:
                    raise Broken(f"{worker.name} ended with {worker.process.poll()}:\n    "
                                 + worker.last_lines())
                worker.signal(signal.SIGTERM)
            for worker in workers:
                if worker.end(60) != 75:
                    raise Broken(f"{worker.name} did not end in good order:\n    "
                                 + worker.last_lines())
            holder.signal(signal.SIGTERM)
            holder.end()
            pushes = cluster.check_journal(outages=1_000_000)  # while cut off, a worker numbers pushes that never arrive
            print(f"network: {arguments.rounds} rounds, {pushes} pushes applied, none lost or doubled, no process hung")
    finally:
        if wire:
            wire.running = False
            wire.join()
        for name in names:
            subprocess.run(["ip", "netns", "del", name], capture_output=True)


def main():
    scenes = {"kills": kills, "stops": stops, "strangers": strangers, "orders": orders, "crashes": crashes,
              "network": network}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("troupe")
    parser.add_argument("scene", choices=scenes)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    random.seed(arguments.seed)
    if arguments.scene == "network" and (os.geteuid() != 0 or shutil.which("ip") is None
                                            or not os.path.exists("/dev/net/tun")):
        print("network: skipped, it needs root, iproute2 and /dev/net/tun")
        return 77
    with tempfile.TemporaryDirectory(prefix="troupe-chaos-") as folder:
        for name in map(str, range(24)):
            (pathlib.Path(folder) / name).mkdir()
        try:
            return scenes[arguments.scene](arguments, folder) or 0
        except Broken as broken:
            print(f"{arguments.scene}: BROKEN: {broken}", file=sys.stderr)
            return 1


if __name__ == "__main__":
    sys.exit(main())
