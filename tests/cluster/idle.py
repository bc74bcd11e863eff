#!/usr/bin/env python3
"""Opens idle and half-open connections at every port, with at most 1,024 descriptors for each process.

usage: tests/cluster/idle.py TROUPE [--idle N] [--half N]

A parameter holder (its ports for actors and for blocks), a worker and a run with remote control
(`--control 127.0.0.1:0`) and a listening grid each get N idle connections, and N that begin a TLS handshake
and stop there, on all ports at once, held as long as the other side allows. Meanwhile `troupe ctl` gets answers, the run and
the worker keep training, no process ends, and after the deadline all connections are closed.                  [R13][R14]
Then come packets of CAF's protocol: 32 bytes that announce nothing, and headers that announce 4 GiB: no process ends, no memory is taken.

Prints a line for each port, with times and memory; exit code 1 if a guarantee was broken.
"""
import argparse
import json
import os
import pathlib
import re
import resource
import select
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time

LIMIT = 1024
SMALL = ["problem.train=2000", "problem.validation=200", "problem.test=200", "model.hidden=[64]", "training.seed=7",
         "training.epochs=1000000"]
GRID = """
tasks:
  - overwrite: {model: {hidden: [32]}}
grid_overwrite:
  problem: {name: digits, train: 2000, validation: 200, test: 200}
  training: {epochs: 1000000}
grid:
  optimizer.learning_rate: [0.01]
seed: 1
"""
HALF_OF_A_HANDSHAKE = bytes([22, 3, 1, 2, 0, 1, 0, 1, 252, 3, 3]) + bytes(20)


def fail(sentence):
    print("broken:", sentence, flush=True)
    sys.exit(1)


def wait_for_text(path):
    """The content of a file that a process writes once it is ready."""
    end = time.monotonic() + 60
    while not (path.exists() and path.read_text()):
        if time.monotonic() > end:
            fail(f"{path} was not written")
        time.sleep(0.05)
    return path.read_text()


class Process:
    def __init__(self, name, command, work, env):
        self.name, self.log = name, work / f"{name}.log"
        self.process = subprocess.Popen(
            command, cwd=work, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=open(self.log, "w"),
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (LIMIT, LIMIT)))

    def listening(self):
        """The TCP ports on which it listens."""
        inodes = set()
        for link in pathlib.Path(f"/proc/{self.process.pid}/fd").iterdir():
            try:
                found = re.fullmatch(r"socket:\[(\d+)\]", os.readlink(link))
            except OSError:
                continue
            if found:
                inodes.add(found.group(1))
        ports = []
        for line in pathlib.Path(f"/proc/{self.process.pid}/net/tcp").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and fields[9] in inodes:
                ports.append(int(fields[1].split(":")[1], 16))
        return sorted(ports)

    def wait_for_ports(self, count):
        end = time.monotonic() + 60
        while len(self.listening()) < count:
            if time.monotonic() > end or self.process.poll() is not None:
                fail(f"{self.name} does not listen on {count} ports; its output:\n{self.log.read_text()}")
            time.sleep(0.05)
        return self.listening()

    def megabytes(self):
        text = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s*(\d+)", text).group(1)) / 1024

    def check(self):
        if self.process.poll() is not None:
            fail(f"{self.name} ended with {self.process.returncode}; its output:\n{self.log.read_text()[-3000:]}")


class Strangers:
    """Connections that are silent, or begin a handshake; as many at a time as the other side keeps."""

    def __init__(self, port, idle, half):
        self.poll, self.open, self.closed = select.poll(), {}, 0
        for number in range(idle + half):
            one = socket.create_connection(("127.0.0.1", port), 10)
            one.setblocking(False)
            if number >= idle:
                try:
                    one.send(HALF_OF_A_HANDSHAKE)
                except OSError:
                    pass
            self.open[one.fileno()] = one
            self.poll.register(one, select.POLLIN)

    def look(self):
        for number, _ in self.poll.poll(0):
            try:
                if self.open[number].recv(65536):
                    continue
            except BlockingIOError:
                continue
            except OSError:
                pass
            self.poll.unregister(number)
            self.open.pop(number).close()
            self.closed += 1


class Controlled:
    """A run with remote control."""

    def __init__(self, troupe, process, folder, work, env, arguments=()):
        self.command = [troupe, "ctl", folder]
        self.process, self.folder, self.work, self.env, self.arguments = process, folder, work, env, list(arguments)

    def status(self):
        """(seconds that the command took, batches that the run has done)"""
        began = time.monotonic()
        asked = subprocess.run([*self.command, "status", *self.arguments], cwd=self.work, env=self.env, capture_output=True,
                               text=True, timeout=60)
        took = time.monotonic() - began
        done = re.search(r"(\d+) batches", asked.stdout)
        if asked.returncode != 0 or not done:
            fail(f"ctl of {self.process.name} ended with {asked.returncode}: {asked.stderr}{asked.stdout}")
        return took, int(done.group(1))


def attack(ports, idle, half, controlled):
    """@param ports pairs of a process and one of its ports, attacked together"""
    before = {one: one.status()[1] for one in controlled}
    began = time.monotonic()
    strangers = [Strangers(port, idle, half) for _, port in ports]
    opened = time.monotonic() - began
    ended, slowest = {}, 0.0
    while len(ended) < len(ports):
        for number, one in enumerate(strangers):
            one.look()
            if not one.open:
                ended.setdefault(number, time.monotonic() - began)
        slowest = max([slowest] + [one.status()[0] for one in controlled])
        for process, _ in ports:
            process.check()
        if time.monotonic() - began > 60:
            fail(f"{sum(len(one.open) for one in strangers)} connections are still open after 60 s")
        time.sleep(0.2)
    for one in controlled:
        if one.status()[1] <= before[one]:
            fail(f"{one.process.name} has stopped training")
    for number, (process, port) in enumerate(ports):
        print(f"{process.name}, port {port}: {idle} idle and {half} half-open connections, all closed after "
              f"{ended[number]:.1f} s, {process.megabytes():.0f} MB", flush=True)
    print(f"opened within {opened:.1f} s; ctl answered within {slowest:.2f} s", flush=True)


def packets(process, port):
    """Sends headers of CAF's protocol that announce no content, or 4 GiB of it."""
    before = process.megabytes()
    for operation in range(8):
        for claimed in (0, 0xffffffff):
            with socket.create_connection(("127.0.0.1", port), 10) as one:
                one.settimeout(10)
                try:
                    one.sendall(struct.pack(">BBBBIQQQ", operation, 0, 0, 0, claimed, 0, 0, 0))
                    while one.recv(65536):
                        pass
                except OSError:
                    pass
    process.check()
    grown = process.megabytes() - before
    if grown > 100:
        fail(f"{process.name} took {grown:.0f} MB for headers that announce 4 GiB")
    print(f"{process.name}, port {port}: 16 headers that announce nothing or 4 GiB, {grown:+.0f} MB", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("troupe")
    parser.add_argument("--idle", type=int, default=1500)
    parser.add_argument("--half", type=int, default=300)
    arguments = parser.parse_args()
    troupe = str(pathlib.Path(arguments.troupe).resolve())
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    needed = 5 * (arguments.idle + arguments.half) + 100
    if hard != resource.RLIM_INFINITY and hard < needed:
        print(f"skipped: this test itself needs {needed} descriptors, and ulimit -Hn is {hard}")
        return 77
    resource.setrlimit(resource.RLIMIT_NOFILE, (needed, hard))
    processes = []
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        env = dict(os.environ, TROUPE_TOKEN="idle", NO_COLOR="1")
        for arguments_of_certs in (["init", "certs"], ["node", "certs", "ps-0", "worker-0", "control"]):
            subprocess.run([troupe, "certs", *arguments_of_certs], cwd=work, check=True, capture_output=True)

        def start(name, *arguments):
            processes.append(Process(name, [troupe, *arguments], work, env))
            return processes[-1]

        try:
            holder = start("holder", "node", "--role", "ps", "--ps", "127.0.0.1:0", "--certs", "certs", "--folder",
                           "holder", "--port-file", "holder.port")
            holder_ports = holder.wait_for_ports(2)
            address = "127.0.0.1:" + wait_for_text(work / "holder.port").strip()
            worker = start("worker", "node", "--role", "worker", "--workers", "1", "--ps", address, "--certs", "certs",
                           "--folder", "worker", "--no-progress", *SMALL, "control.address=127.0.0.1:0",
                           "+extensions.shared_params_auto_sync={every_n_batches: 10}")
            run = start("run", "train", "-q", "--control", "127.0.0.1:0", *SMALL)
            (work / "grid.yaml").write_text(GRID)
            grid = start("grid", "grid", "train", "grid.yaml", "local=false", "--certs", "certs", "--name", "control",
                         "--listen", "127.0.0.1:0")
            worker_ports, run_ports, grid_ports = (one.wait_for_ports(1) for one in (worker, run, grid))
            controlled = [Controlled(troupe, worker, "worker", work, env, ["--certs", "certs"]),
                       Controlled(troupe, run, "latest", work, env)]
            for control in ("worker/control.json", "runs/latest/control.json"):
                wait_for_text(work / control)
            end = time.monotonic() + 60
            while min(one.status()[1] for one in controlled) == 0:
                if time.monotonic() > end:
                    fail("the runs do not train")
                time.sleep(0.2)
            ports = [(process, port) for process, ports in ((holder, holder_ports), (worker, worker_ports),
                                                            (run, run_ports), (grid, grid_ports)) for port in ports]
            attack(ports, arguments.idle, arguments.half, controlled)
            plain = start("plain", "train", "-q", "--control", "127.0.0.1:0", "--insecure", *SMALL)
            for process, port in ports + [(plain, port) for port in plain.wait_for_ports(1)]:
                packets(process, port)
            for one in processes:
                one.check()
            lines = sum(len(re.findall("a connection to .* was refused", one.log.read_text())) for one in processes)
            print(f"idle: no process ended; {lines} lines on the consoles")
            if lines > 200:
                fail("the consoles are flooded")
            return 0
        finally:
            for one in processes:
                if one.process.poll() is None:
                    one.process.kill()
                one.process.wait()


if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    sys.exit(main())
