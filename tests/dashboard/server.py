#!/usr/bin/env python3
"""Requests that the dashboard has to refuse, and pages that harm it: server.py PROGRAM [--mutations N] [--seed N]"""

import argparse
import http.client
import json
import os
import pathlib
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

parser = argparse.ArgumentParser()
parser.add_argument("program")
parser.add_argument("--mutations", type=int, default=10000)
parser.add_argument("--seed", type=int, default=1)
options = parser.parse_args()
work = tempfile.TemporaryDirectory(prefix="troupe-dashboard-")
folder = pathlib.Path(work.name)
failures = []


def check(what, good, seen=""):
    if not good:
        failures.append(what)
        print(f"FAILED: {what}: {seen}", flush=True)


def write_run(path, rows, ended=True):
    path.mkdir(parents=True)
    (path / "config.yaml").write_text("problem: {name: digits}\nmodel: {name: mlp}\ntraining: {epochs: 3}\n")
    head = {"run": path.name, "id": "a" * 32, "time": "2026-01-31T12:00:00.000Z"}
    lines = [json.dumps(head, separators=(",", ":"))]
    for batch in range(rows):
        lines.append(json.dumps({"run": path.name, "worker": 0, "batch": batch, "epoch": 0, "seconds": 0.1 * batch,
                                 "time": f"2026-01-31T12:{batch // 60 % 60:02}:{batch % 60:02}.000Z",
                                 "records": {"training_loss": 1 / (1 + batch)}}, separators=(",", ":")))
    if ended:
        lines.append(json.dumps({**head, "ended": True}, separators=(",", ":")))
    (path / "log.jsonl").write_text("\n".join(lines) + "\n")


class Dashboard:
    def __init__(self, *arguments):
        self.lines = open(folder / "lines.txt", "w+")
        self.process = subprocess.Popen([options.program, "dashboard", *arguments], stdout=subprocess.PIPE,
                                        stderr=self.lines, text=True)
        address = self.process.stdout.readline().strip()
        self.port = int(address.split(":")[2].split("/")[0])
        self.token = address.split("token=")[1]

    def ask(self, path, method="GET", body=None, token=None, **fields):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        headers = {name.replace("_", "-"): value for name, value in fields.items()}
        if token != "":
            headers["Authorization"] = "Bearer " + (token or self.token)
        try:
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            return answer.status, answer.read(), dict(answer.getheaders())
        finally:
            connection.close()

    def post(self, path, body, token=None, **fields):
        fields.setdefault("Content_Type", "application/json")
        return self.ask(path, "POST", json.dumps(body), token, **fields)

    def wait_for_runs(self, count):
        for _ in range(200):
            runs = json.loads(self.ask("/api/runs")[1])["runs"]
            if len(runs) == count and all(run["best"] is not None for run in runs):
                return runs
            time.sleep(0.05)
        raise SystemExit("the dashboard does not show the runs")

    def memory(self):
        return int(pathlib.Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(20)


write_run(folder / "runs" / "one", 300)
write_run(folder / "runs" / "two", 3)
tokens = folder / "tokens.json"
dashboard = Dashboard(str(folder / "runs"), "--token-file", str(tokens))
runs = dashboard.wait_for_runs(2)
roles = json.loads(tokens.read_text())
check("the file of tokens is for its owner alone", tokens.stat().st_mode & 0o077 == 0)
one = next(run["id"] for run in runs if run["name"] == "one")

# Tokens and roles
check("no token", dashboard.ask("/api/runs", token="")[0] == 401)
check("a wrong token", dashboard.ask("/api/runs", token="0" * 32)[0] == 401)
status, _, headers = dashboard.ask(f"/?token={roles['read']}", token="")
cookie = headers.get("Set-Cookie", "")
check("the address sets a cookie and is left", status == 303 and headers.get("Location") == "/", (status, headers))
check("scripts do not see the cookie", "HttpOnly" in cookie and "SameSite=Strict" in cookie, cookie)
check("the cookie suffices", dashboard.ask("/api/session", token="", Cookie=cookie.split(";")[0])[0] == 200)
check("a wrong token in the address", dashboard.ask("/?token=wrong", token="")[0] == 401)
for role, verb, expected in [("read", "stop", 403), ("read", "pause", 403), ("control", "stop", 403), ("control", "set", 403),
                             ("control", "pause", 503), ("admin", "stop", 503), ("admin", "explode", 400)]:
    status, text, _ = dashboard.post(f"/api/runs/{one}/control", {"verb": verb, "arguments": []}, roles[role])
    check(f"{role} may not or may {verb}", status == expected, (status, text))
check("a reader sets no tags", dashboard.post(f"/api/runs/{one}/tags", {"tags": ["a"]}, roles["read"])[0] == 403)
check("tags are kept", dashboard.post(f"/api/runs/{one}/tags", {"tags": ["a"]})[0] == 200
      and json.loads((folder / "runs" / "one" / "tags.json").read_text()) == ["a"])

# What a refusal advises works.
# cure: no number in its range; correct or omit it
# cure: is no number; correct 'workers'
# cure: ; ask for the list of all
for path, advice, cured in [(f"/api/runs/{one}/curves?points=many", "correct or omit it", f"/api/runs/{one}/curves?points=100"),
                            (f"/api/runs/{one}/curves?workers=first", "correct 'workers'", f"/api/runs/{one}/curves?workers=0"),
                            ("/api/runs/none", "ask for the list of all", "/api/runs")]:
    status, text, _ = dashboard.ask(path)
    check(f"the advice for {path}", status in (400, 404) and advice in text.decode(), (status, text))
    check(f"the cure {cured}", dashboard.ask(cured)[0] == 200)
for tags, advice in [("a", "is no list of texts; correct it"), (["x" * 101], "of 1 to 100 bytes; shorten them")]:
    status, text, _ = dashboard.post(f"/api/runs/{one}/tags", {"tags": tags})
    check(f"the advice for tags like {tags!r:.20}", status == 400 and advice in text.decode(), (status, text))
# cure: is no list of texts; correct it
# cure: of 1 to 100 bytes; shorten them
check("tags as advised", dashboard.post(f"/api/runs/{one}/tags", {"tags": ["a", "x" * 100]})[0] == 200)
status, text, _ = dashboard.ask("/api/runs", "DELETE")
check("the advice for another method", status == 405 and "use GET or POST" in text.decode(), (status, text))
# cure: '; use GET or POST
check("the cure for another method", dashboard.ask("/api/runs", "GET")[0] == 200)

# Other sites
check("a foreign host", dashboard.ask("/api/runs", Host="evil.example")[0] == 403)
check("a foreign origin", dashboard.post(f"/api/runs/{one}/tags", {"tags": []}, Origin="http://evil.example")[0] == 403)
check("a form", dashboard.post(f"/api/runs/{one}/tags", {"tags": []}, Content_Type="text/plain")[0] == 415)
check("the page's policy", "default-src 'none'" in dashboard.ask("/")[2].get("Content-Security-Policy", ""))

# Paths
(folder / "secret.csv").write_text("secret")
os.symlink(folder / "secret.csv", folder / "runs" / "one" / "link.csv")
for path in ["/../secret.csv", "/api/runs/../../secret.csv", f"/api/runs/{one}/files/../../secret.csv",
             f"/api/runs/{one}/files/%2e%2e%2f%2e%2e%2fsecret.csv", f"/api/runs/{one}/files/link.csv", "/api/runs/..",
             f"/api/runs/{one}/files/log.jsonl", f"/api/runs/{one}/files//etc/passwd", "/%00", "/api/runs/" + "a" * 4000]:
    status, text, _ = dashboard.ask(path)
    check(f"the path {path[:60]}", status in (400, 404) and b"secret" not in text, (status, text[:200]))
check("a listed file", dashboard.ask(f"/api/runs/{one}/files/config.yaml")[0] == 200)
(folder / "runs" / "one" / "samples").mkdir()
(folder / "runs" / "one" / "samples" / "epoch-1.png").write_bytes(b"picture")
os.symlink(folder, folder / "runs" / "one" / "linked")
(folder / "other.png").write_bytes(b"secret")
status, text, headers = dashboard.ask(f"/api/runs/{one}/files/samples/epoch-1.png")
check("a picture in a folder of the run", (status, text, headers["Content-Type"]) == (200, b"picture", "image/png"), (status, text))
check("a picture in a linked folder", dashboard.ask(f"/api/runs/{one}/files/linked/other.png")[0] == 404)
check("a body of a megabyte", dashboard.post(f"/api/runs/{one}/tags", {"tags": ["x" * 1000000]})[0] in (400, 413))

# Answers
curves = json.loads(dashboard.ask(f"/api/runs/{one}/curves?points=50")[1])["series"][0]
check("a curve is decimated to its points", curves["decimated"] and len(curves["x"]) <= 50 and curves["y"][0] == 1, curves)
log = json.loads(dashboard.ask(f"/api/runs/{one}/log?from=-2&rows=5")[1])
check("the last rows", [row["batch"] for row in log["rows"]] == [298, 299], log)

if promtool := shutil.which("promtool"):
    lint = subprocess.run([promtool, "check", "metrics"], input=dashboard.ask("/metrics")[1], capture_output=True)
    check("promtool accepts the metrics", lint.returncode == 0 and not lint.stdout + lint.stderr, lint)

# Readers that never read, and connections that send nothing
before = dashboard.memory()
idle = []
for number in range(20):
    peer = socket.create_connection(("127.0.0.1", dashboard.port))
    peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
    peer.sendall(f"GET /api/events?watch={one} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {dashboard.token}\r\n\r\n".encode())
    idle.append(peer)
slow = [socket.create_connection(("127.0.0.1", dashboard.port)) for _ in range(100)]
for peer in slow:
    peer.sendall(b"GET / HT")
begin = time.time()
check("others are answered meanwhile", dashboard.ask("/api/runs")[0] == 200)
print(f"beside 20 readers that never read and 100 slow requests, the table came in {1000 * (time.time() - begin):.0f} ms")
for peer in slow:
    peer.settimeout(20)
    check("a slow request is ended", peer.recv(1000) == b"")
    peer.close()
with open(folder / "runs" / "one" / "log.jsonl", "a") as log_file:
    for batch in range(300, 320):
        log_file.write(json.dumps({"run": "one", "worker": 0, "batch": batch, "epoch": 0, "seconds": 1.0, "time": "2026-01-31T13:00:00.000Z",
                                   "records": {"training_loss": 0.1}}, separators=(",", ":")) + "\n")
reader = socket.create_connection(("127.0.0.1", dashboard.port), timeout=20)
reader.sendall(f"GET /api/events?watch={one} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {dashboard.token}\r\n\r\n".encode())
text = b""
while b"event: hello" not in text:
    text += reader.recv(4096)
time.sleep(1.5)
with open(folder / "runs" / "one" / "log.jsonl", "a") as log_file:
    log_file.write(json.dumps({"run": "one", "worker": 0, "batch": 320, "epoch": 0, "seconds": 1.0, "time": "2026-01-31T13:00:01.000Z",
                               "records": {"training_loss": 0.05}}, separators=(",", ":")) + "\n")
while b"event: rows" not in text or b'"batch":320' not in text:
    text += reader.recv(65536)
reader.close()
print(f"memory {before / 1e6:.0f} MB before, {dashboard.memory() / 1e6:.0f} MB with the readers")
for peer in idle:
    peer.close()

# Mutated requests
draw = random.Random(options.seed)
seeds = [f"GET /api/runs HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {dashboard.token}\r\n\r\n",
         f"GET /api/runs/{one}/curves?records=training_loss&x=batches&points=100&from=0&to=9 HTTP/1.1\r\nHost: localhost\r\n"
         f"Authorization: Bearer {dashboard.token}\r\nRange: bytes=0-10\r\n\r\n",
         f"GET /api/runs/{one}/log?from=-5&rows=3 HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {dashboard.token}\r\n\r\n",
         f"POST /api/runs/{one}/tags HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {dashboard.token}\r\n"
         "Content-Type: application/json\r\nContent-Length: 14\r\n\r\n{\"tags\":[\"b\"]}",
         f"GET /?token={dashboard.token} HTTP/1.1\r\nHost: localhost\r\nCookie: a=b; c=d\r\n\r\n"]
begin = time.time()
answered = 0
for number in range(options.mutations):
    request = bytearray(draw.choice(seeds).encode())
    for _ in range(draw.randint(1, 6)):
        at = draw.randrange(len(request))
        kind = draw.randrange(5)
        if kind == 0:
            request[at] = draw.randrange(256)
        elif kind == 1:
            del request[at:at + draw.randint(1, 20)]
        elif kind == 2:
            request[at:at] = bytes(draw.randrange(256) for _ in range(draw.randint(1, 20)))
        elif kind == 3:
            request[at:at] = request[at:at + draw.randint(1, 60)] * draw.randint(1, 30)
        else:
            request[at:at] = draw.choice([b"\r\n", b"%00", b"../", b"%", b":", b"[[[[", b"\r\n\r\n", b"9" * 30, b"Content-Length: 99999\r\n"])
        if not request:
            request = bytearray(b"\n")
    with socket.create_connection(("127.0.0.1", dashboard.port), timeout=30) as peer:
        try:
            peer.sendall(request)
            peer.shutdown(socket.SHUT_WR)
            answered += 1 if peer.recv(65536) else 0
        except ConnectionError:
            pass
check("the dashboard lives on", dashboard.process.poll() is None and dashboard.ask("/api/runs")[0] == 200)
print(f"{options.mutations} mutated requests in {time.time() - begin:.1f} s, {answered} answered; memory {dashboard.memory() / 1e6:.0f} MB")
check("it ends by a signal", dashboard.end() == 0)
lines = (folder / "lines.txt").read_text()
check("one line for refusals in each second at most", 0 < lines.count("was refused") < time.time(), lines[:500])

# Beyond loopback
beyond = subprocess.run([options.program, "dashboard", str(folder / "runs"), "--listen", "0.0.0.0:0"], capture_output=True, text=True, timeout=60)
check("beyond loopback without TLS", beyond.returncode == 78 and "--tls" in beyond.stderr, beyond.stderr)
subprocess.run([options.program, "certs", "init", str(folder / "certs")], check=True, capture_output=True)
subprocess.run([options.program, "certs", "node", str(folder / "certs"), "dashboard"], check=True, capture_output=True)
import ssl
secure = Dashboard(str(folder / "runs"), "--listen", "0.0.0.0:0", "--tls", str(folder / "certs"))
context = ssl.create_default_context(cafile=str(folder / "certs" / "ca.pem"))
context.check_hostname = False
connection = http.client.HTTPSConnection("127.0.0.1", secure.port, timeout=20, context=context)
connection.request("GET", "/api/session", headers={"Authorization": "Bearer " + secure.token})
check("by TLS", connection.getresponse().status == 200)
try:
    check("plain text to a TLS port", secure.ask("/api/session")[0] >= 400)
except (ConnectionError, http.client.HTTPException):
    pass
check("it ends by a signal, by TLS", secure.end() == 0)

print("FAILED: " + ", ".join(failures) if failures else "all refused, nothing hurt")
sys.exit(1 if failures else 0)
