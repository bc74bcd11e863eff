#!/usr/bin/env python3
"""A cluster whose store and collector of logs go away for a while: log_outage.py PROGRAM [--seconds N]

Three workers write their logs into one store (log.store.path), and `troupe log --copy-to --follow` collects them in another.
Both stores are moved away, the collector is killed, and a worker too, whose restart continues its log. Afterwards each
store has each row of each worker's log.jsonl once, in its order, and training went on meanwhile.
"""
import argparse
import json
import os
import pathlib
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

parser = argparse.ArgumentParser()
parser.add_argument("program")
parser.add_argument("--seconds", type=float, default=8, help="length of the outage")
options = parser.parse_args()
work = tempfile.TemporaryDirectory(prefix="troupe-outage-")
folder = pathlib.Path(work.name)
place, away = folder / "stores", folder / "away"
place.mkdir()
stores = [place / "run.sqlite", place / "collected.sqlite"]
cluster = folder / "cluster"
failures = []


def check(what, good, seen=""):
    if not good:
        failures.append(what)
        print(f"FAILED: {what}: {seen}", flush=True)


def until(what, holds, seconds=120):
    end = time.time() + seconds
    while not holds():
        if time.time() > end:
            raise SystemExit(f"after {seconds} s: {what}")
        time.sleep(0.1)


def logs():
    return sorted(cluster.glob("worker-*/log.jsonl"))


def rows_of(log):
    """(id, worker, batch, record, value) of each record of a log, in the order of its lines; and its number of starts."""
    rows, start, starts = [], "", 0
    for text in log.read_text(errors="replace").splitlines():
        try:
            line = json.loads(text)
        except json.JSONDecodeError:
            continue  # the last line of the killed process
        if "id" in line and not line.get("ended"):
            start, starts = line["id"], starts + 1
        for record, value in line.get("records", {}).items():
            rows.append((start, line["worker"], line["batch"], record, value))
    # A record that is written to a row again replaces the former one.
    last = {row[:4]: place for place, row in enumerate(rows)}
    return [row for place, row in enumerate(rows) if last[row[:4]] == place], starts


def stored(store, ids):
    """The same of a store, and its numbers."""
    with sqlite3.connect(f"file:{store}?mode=ro", uri=True) as database:
        if not database.execute("SELECT 1 FROM sqlite_master WHERE name = 'entries'").fetchone():
            return []  # its first transaction has only begun
        return [row for row in database.execute("SELECT id, worker, batch, key, value FROM entries ORDER BY number") if row[0] in ids]


def same(one, other):
    def plain(value):
        return None if value == "NaN" else int(value) if isinstance(value, bool) else value
    return [(*row[:4], plain(row[4])) for row in one] == [(*row[:4], plain(row[4])) for row in other]


def collector():
    return subprocess.Popen([options.program, "log", "--follow", "--copy-to", str(stores[1]), str(cluster)],
                            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def batches():
    return sum(max((row[2] for row in rows_of(log)[0]), default=0) for log in logs())


training = subprocess.Popen(
    [options.program, "launch", "-n", "3", "--folder", str(cluster), f"log.store.path={stores[0]}", "problem.name=digits",
     "problem.train=300", "training.batch_size=32", "problem.validation=60", "problem.test=60", "training.threads=1", "training.epochs=1000000",
     "extensions.checkpoint.every_n_batches=200", "extensions.training_monitoring.window=100000"], # loses no event on a busy machine
    stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, cwd=folder)
try:
    until("all workers train", lambda: len(logs()) == 3 and all(len(rows_of(log)[0]) > 50 for log in logs()))
    collecting = collector()
    until("both stores have rows", lambda: all(store.exists() and stored(store, {rows_of(log)[0][0][0] for log in logs()}) for store in stores))

    before, begin = batches(), time.time()
    time.sleep(options.seconds / 2)
    usual = (batches() - before) / (time.time() - begin)

    place.rename(away)
    collecting.kill()
    collecting.wait()
    before, begin = batches(), time.time()
    time.sleep(options.seconds / 2)
    during = (batches() - before) / (time.time() - begin)
    victim = int((cluster / "worker-1" / ".lock").read_text().split()[1])
    os.kill(victim, signal.SIGKILL)
    until("the killed worker trains again", lambda: rows_of(cluster / "worker-1" / "log.jsonl")[1] == 2)
    time.sleep(options.seconds / 2)
    length = time.time() - begin
    missing = sum(len(rows_of(log)[0]) for log in logs()) - len(stored(away / "run.sqlite", {row[0] for log in logs() for row in rows_of(log)[0]}))
    away.rename(place)

    collecting = collector()
    after = batches()
    until("training goes on", lambda: batches() > after + 100)
    training.send_signal(signal.SIGINT)
    text = training.communicate(timeout=120)[1]
    check("the cluster ended in good order", training.returncode == 75, (training.returncode, text[-2000:]))
    check("the outage was reported", "Training continues without it" in text, text[-2000:])
    check("the collector ends with the runs", collecting.wait(60) == 0)
    all_rows = 0
    for log in logs():
        rows, starts = rows_of(log)
        all_rows += len(rows)
        epochs = [(row[0], row[2]) for row in rows if row[3] == "training_loss"]
        gaps = {b[1] - a[1] for a, b in zip(epochs, epochs[1:]) if a[0] == b[0]}
        check(f"{log.parent.name} has each epoch, without a gap", gaps == {epochs[0][1]}, gaps)
        for store in stores:
            got = stored(store, {row[0] for row in rows})
            check(f"{store.name} has each row of {log.parent.name} once, in order", same(rows, got), (len(rows), len(got), starts))
    merged = subprocess.run([options.program, "log", "--merge", *map(str, logs())], capture_output=True, text=True).stdout.splitlines()
    times = [json.loads(line)["time"] for line in merged]
    check("the merged log is sorted by time", times == sorted(times))
    print(f"{all_rows} records of 3 workers; the stores were away for {length:.0f} s and lacked {missing} of them; "
          f"{usual:.0f} batches a second before, {during:.0f} meanwhile")
finally:
    for process in (training, collecting if "collecting" in globals() else training):
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()

print("FAILED: " + ", ".join(failures) if failures else "1 passed, 0 failed")
sys.exit(1 if failures else 0)
