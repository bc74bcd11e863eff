#!/usr/bin/env python3
"""Copies runs of a dashboard over outages and kills, byte for byte: collect.py PROGRAM"""

import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request

program = os.path.abspath(sys.argv[1])
work = tempfile.TemporaryDirectory(prefix="troupe-collect-")
there, here = pathlib.Path(work.name) / "there", pathlib.Path(work.name) / "here"
there.mkdir()
here.mkdir()
failures = []


def check(what, good, seen=""):
    if not good:
        failures.append(what)
        print(f"FAILED: {what}: {seen}", flush=True)


def wait_until(what, done):
    for _ in range(600):
        if done():
            return
        time.sleep(0.1)
    check(what, False, "it did not happen within a minute")


def troupe(folder, *arguments):
    return subprocess.run([program, *arguments], cwd=folder, capture_output=True, text=True)


class Dashboard:
    """A dashboard of the runs there, which can be killed and started again with the same port and tokens."""

    def __init__(self, *arguments, folder=there):
        self.arguments = arguments
        self.folder = folder
        self.start("127.0.0.1:0")

    def start(self, listen):
        self.process = subprocess.Popen([program, "dashboard", "--listen", listen, "--role", "read", "--token-file",
                                         "tokens.json", *self.arguments], cwd=self.folder, stdout=subprocess.PIPE, text=True)
        self.address = self.process.stdout.readline().strip()
        self.listen = self.address.split("/")[2]

    def kill(self):
        self.process.kill()
        self.process.wait()


def start_collector(address):
    lines = open(here / "lines.txt", "a")
    return subprocess.Popen([program, "collect", "--follow", "--every", "0.2", address], cwd=here, stderr=lines)


def said(text):
    return text in (here / "lines.txt").read_text()


def same_log(name):
    copy = here / "collected" / name
    return copy.exists() and copy.read_bytes() == (there / name).read_bytes()


training = subprocess.Popen([program, "train", "-q", "training.epochs=1000000", "problem.train=200", "problem.validation=50"], cwd=there)
wait_until("the run begins", lambda: list(there.glob("runs/digits/mlp/2*/log.jsonl")))
log = str(next(there.glob("runs/digits/mlp/2*/log.jsonl")).relative_to(there))
dashboard = Dashboard()
collector = start_collector(dashboard.address)
copy = here / "collected" / log
wait_until("the log is copied", lambda: copy.exists() and copy.stat().st_size > 0)

def state_of_copy():
    """As a dashboard of the copies shows it."""
    shown = Dashboard("collected", folder=here)
    asked = urllib.request.Request(f"http://{shown.listen}/api/runs",
                                   headers={"Authorization": "Bearer " + shown.address.split("=")[1]})
    try:
        for _ in range(100):
            runs = json.load(urllib.request.urlopen(asked))["runs"]
            if runs and runs[0]["best"] is not None:
                return runs[0]["state"]
            time.sleep(0.1)
        return "not read"
    finally:
        shown.kill()


check("the copy of a run that trains is shown as training", state_of_copy() == "training")

# An outage: the run writes on.
dashboard.kill()
wait_until("the outage is reported", lambda: said("does not answer"))
before = (there / log).stat().st_size
wait_until("the run writes on", lambda: (there / log).stat().st_size > before)
dashboard.start(dashboard.listen)
wait_until("its end is reported", lambda: said("answers again"))
check("the outage is reported once", (here / "lines.txt").read_text().count("does not answer") == 1)

# The collector is killed in the middle of its work.
for _ in range(5):
    collector.kill()
    collector.wait()
    collector = start_collector(dashboard.address)
    time.sleep(0.3)

training.send_signal(signal.SIGINT)
training.send_signal(signal.SIGTERM)
training.wait()
wait_until("the copy has all of the log", lambda: same_log(log))
result = str(pathlib.Path(log).parent / "result.json")
wait_until("the copy has the result", lambda: same_log(result))
check("the copy of a run that has ended is shown as ended", state_of_copy() == "stopped")
collector.send_signal(signal.SIGINT)
check("Ctrl-C ends it in good order", collector.wait() == 0)

shown = troupe(here, "log", "--csv", str(pathlib.Path("collected") / log).removesuffix("/log.jsonl"))
check("a copy is read like a run", shown.returncode == 0 and "training_loss" in shown.stdout, shown.stderr)
check("secrets are not copied", not (copy.parent / "control.json").exists() and not list(copy.parent.glob("models*")))

# A run that begins anew in its folder has another log, and its copy is that one.
begun = (there / log).read_bytes()
(there / log).write_bytes(begun.replace(b'"time":"20', b'"time":"19') * 2)
once = troupe(here, "collect", dashboard.address)
check("the copy of a log that was replaced is the new one", once.returncode == 0 and same_log(log), once.stderr)

# What is there and no copy is left as it is.
foreign = here / "other" / log
foreign.parent.mkdir(parents=True)
foreign.write_text("mine\n")
again = troupe(here, "collect", "--into", "other", dashboard.address)
check("a folder that is no copy is left out", again.returncode == 0 and "is no copy" in again.stderr
      and foreign.read_text() == "mine\n", again.stderr)

wrong = troupe(here, "collect", dashboard.address.split("=")[0] + "=" + "0" * 32)
check("a wrong token is refused", wrong.returncode == 77 and "token" in wrong.stderr, (wrong.returncode, wrong.stderr))
dashboard.kill()
silent = troupe(here, "collect", dashboard.address)
check("without --follow an outage ends it", silent.returncode == 69 and "does not answer" in silent.stderr,
      (silent.returncode, silent.stderr))

# By TLS, with certificates of the cluster's own authority.
for arguments in (["init", "certs"], ["node", "certs", "dashboard"]):
    made = troupe(there, "certs", *arguments)
    check("certificates are made", made.returncode == 0, made.stderr)
secure = Dashboard("--tls", "certs")
copied = troupe(here, "collect", "--into", "secure", "--certs", str(there / "certs"), secure.address)
check("TLS", copied.returncode == 0 and (here / "secure" / log).read_bytes() == (there / log).read_bytes(), copied.stderr)
strange = troupe(here, "certs", "init", "strangers")
refused = troupe(here, "collect", "--into", "strange", "--certs", "strangers", secure.address)
check("a certificate of another authority is refused", refused.returncode == 69 and not (here / "strange").exists(),
      (refused.returncode, refused.stderr))
secure.kill()
print(json.dumps({"failed": len(failures)}))
sys.exit(1 if failures else 0)
