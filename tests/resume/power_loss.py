#!/usr/bin/env python3
"""Cuts the power after every system call of a training that writes, and checks what a disk may then hold.

usage: tests/resume/power_loss.py PROGRAM [--show]      needs strace

One traced run records each write, sync and change of a name, with all bytes. For each prefix of these calls the test constructs disks
that have kept what was synced, and of the rest
  nothing       neither names nor contents that were not synced;
  names         all names, but only synced contents: empty files;
  some          in each folder the first few unsynced changes of names, and halves of contents.
From each such disk the program has to load a state that is no older than the newest one that the run reported as saved (in the
rows of its log); if none was reported yet, it may find none, and says so. Between the first checkpoints and the end of the run
prefixes are skipped.
"""
import argparse
import hashlib
import json
import os
import pathlib
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile

CALLS = "openat,mkdir,write,pwrite64,ftruncate,fsync,fdatasync,rename,link,unlink,symlink"
CONFIGURATION = """
problem: {name: digits, train: 3000, validation: 50, test: 50}
model: {hidden: [8]}
training: {epochs: 150, seed: 11, batch_size: 100}
extensions: {checkpoint: {keep: 3}}
"""
LEAST_CHECKPOINTS, MOST_CHECKPOINTS, LAST_CALLS = 10, 12, 60


class File:
    def __init__(self):
        self.now, self.kept = bytearray(), b""


class Link:
    def __init__(self, target):
        self.target = target


class Folder:
    """The current names, those that the disk has kept, and the changes in between: functions on a dictionary of names."""

    def __init__(self):
        self.now, self.kept, self.changes = {}, {}, []

    def change(self, act):
        act(self.now)
        self.changes.append(act)

    def synchronise(self):
        self.kept, self.changes = dict(self.now), []


class Disk:
    def __init__(self, root):
        self.root, self.top = root, Folder()

    def folder_and_name(self, path):
        """For a path below the root; (None, None) elsewhere, and if its folder does not exist."""
        path = os.path.normpath(os.path.join(self.root, path))
        if not path.startswith(self.root + "/"):
            return None, None
        *above, name = path[len(self.root) + 1:].split("/")
        folder = self.top
        for one in above:
            folder = folder.now.get(one) if isinstance(folder, Folder) else None
        return (folder, name) if isinstance(folder, Folder) else (None, None)

    def find(self, path):
        if os.path.normpath(os.path.join(self.root, path)) == self.root:
            return self.top
        folder, name = self.folder_and_name(path)
        return folder.now.get(name) if folder else None

    def add(self, path, node):
        folder, name = self.folder_and_name(path)
        if folder and name not in folder.now:
            folder.change(lambda names: names.update({name: node}))

    def rename(self, source, target):
        folder, old = self.folder_and_name(source)
        other, new = self.folder_and_name(target)
        if not folder or old not in folder.now:
            return
        assert folder is other, f"{source} is moved to another folder, which this replay does not know"

        def act(names):
            if old in names:
                names[new] = names.pop(old)
        folder.change(act)

    def unlink(self, path):
        folder, name = self.folder_and_name(path)
        if folder:
            folder.change(lambda names: names.pop(name, None))

    def after_power_loss(self, folder, kept, chance):
        """path -> bytes, or a Link; `kept`: "nothing", "names" or "some"."""
        names = dict(folder.now if kept == "names" else folder.kept)
        if kept == "some":
            for act in folder.changes[:chance.randint(0, len(folder.changes))]:
                act(names)
        found = {}
        for name, node in names.items():
            if isinstance(node, Folder):
                found[name + "/"] = b""
                found |= {f"{name}/{path}": what for path, what in self.after_power_loss(node, kept, chance).items()}
            elif isinstance(node, Link):
                found[name] = node
            else:
                torn = kept == "some" and bytes(node.now) != node.kept
                found[name] = bytes(node.now[:len(node.now) // 2]) if torn else node.kept
        return found


def text(escaped):
    return bytes.fromhex(escaped.replace("\\x", ""))


def calls(trace):
    """(name, arguments as text, result) in the order of their completion."""
    begun = {}
    for line in trace.read_text().splitlines():
        thread, rest = line.split(maxsplit=1)
        if rest.endswith("<unfinished ...>"):
            begun[thread] = rest[: -len("<unfinished ...>")].rstrip()
            continue
        if resumed := re.match(r"<\.\.\. \w+ resumed>(.*)", rest):
            rest = begun.pop(thread, "") + resumed.group(1)
        if found := re.match(r"(\w+)\((.*)\)\s+= (-?\d+)", rest):
            yield found.group(1), found.group(2), int(found.group(3))


def replay(call, arguments, result, disk, forgotten=()):
    """Applies a call to the disk. Returns whether it could matter, and the bytes that were written to a log."""
    if result < 0:
        return False, b""
    strings = [text(one) for one in re.findall(r'"((?:\\x[0-9a-f]{2})*)"', arguments)]
    of = re.match(r"\d+<((?:\\x[0-9a-f]{2})*)>", arguments)
    node = disk.find(text(of.group(1)).decode()) if of else None
    if call == "openat":
        path = strings[0].decode()
        if "O_CREAT" in arguments:
            disk.add(path, File())
        if "O_TRUNC" in arguments and isinstance(found := disk.find(path), File):
            found.now.clear()
        return "O_CREAT" in arguments, b""
    if call in ("write", "pwrite64", "ftruncate"):
        if not isinstance(node, File):
            return False, b""
        if call == "ftruncate":
            del node.now[int(arguments.rsplit(", ", 1)[1]):]
            return True, b""
        written = strings[0][:result]
        at = int(arguments.rsplit(", ", 1)[1]) if call == "pwrite64" else len(node.now)
        node.now[at:at + len(written)] = written
        return True, written if text(of.group(1)).endswith(b"/log.jsonl") else b""
    if call in ("fsync", "fdatasync"):
        if forgotten and isinstance(node, forgotten):
            return False, b""
        if isinstance(node, Folder):
            node.synchronise()
        elif node:
            node.kept = bytes(node.now)
        return node is not None, b""
    paths = [one.decode() for one in strings]
    if call == "mkdir":
        disk.add(paths[0], Folder())
    elif call == "rename":
        disk.rename(*paths)
    elif call == "link":
        disk.add(paths[1], disk.find(paths[0]))
    elif call == "symlink":
        disk.add(paths[1], Link(paths[0]))
    elif call == "unlink":
        disk.unlink(paths[0])
    return True, b""


def said_to_be_saved(log):
    """The batch of the newest state that the log reports as saved, and the number of saved states it names."""
    batches = set()
    for line in log.decode().splitlines():
        try:
            row = json.loads(line)
        except json.JSONDecodeError:
            continue
        if row.get("records", {}).get("saved_to"):
            batches.add(row["batch"])
    return max(batches, default=0), len(batches)


def load(program, disk_after, work):
    """(batch of the newest state that the program finds, its output)"""
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir()
    for path, what in disk_after.items():
        if path.endswith("/"):
            (work / path).mkdir(parents=True)
        elif isinstance(what, Link):
            (work / path).symlink_to(what.target)
        else:
            (work / path).write_bytes(what)
    runs = [path for path in sorted(work.glob("runs/*/*/2*")) if path.is_dir()]
    if not runs:
        return 0, "the run's folder is gone"
    done = subprocess.run([program, "export", runs[0], "-o", work / "out.safetensors"], capture_output=True, text=True, timeout=60)
    if done.returncode != 0:
        if done.returncode not in (65, 74, 78) or "troupe: " not in done.stderr:
            sys.exit(f"BROKEN: exit code {done.returncode} without a sentence: {done.stderr}")
        return 0, done.stderr
    content = (work / "out.safetensors").read_bytes()
    header = json.loads(content[8:8 + struct.unpack("<Q", content[:8])[0]])
    return int(header["__metadata__"]["batches"]), done.stderr


def judge(program, traced, work, after, show=False, forgotten=()):
    """(what is wrong, or None; prefixes; checkpoints in the log; different disks)

    forgotten: File or Folder, whose syncs are ignored, as if the program had left them out.
    """
    disk, log, chance = Disk(str(work)), b"", random.Random(1)
    prefixes, newest_of, said, checkpoints = 0, {}, 0, 0
    for number, (call, arguments, result) in enumerate(traced):
        matters, written = replay(call, arguments, result, disk, forgotten)
        if not matters:
            continue
        log += written
        if written:
            said, checkpoints = said_to_be_saved(log)
        if checkpoints > MOST_CHECKPOINTS and number < len(traced) - LAST_CALLS:
            continue  # more of the same
        prefixes += 1
        for kept in ("nothing", "names", "some"):
            files = disk.after_power_loss(disk.top, kept, chance)
            # Other files than states and configurations make no difference.
            matter = {path: what for path, what in files.items() if path.endswith((".bin", ".yaml", "/"))}
            key = hashlib.sha256(repr(sorted((path, what.target if isinstance(what, Link) else what)
                                             for path, what in matter.items())).encode()).digest()
            if key not in newest_of:
                newest_of[key] = load(program, files, after)
            found, output = newest_of[key]
            if show:
                path = text(re.search(r"((?:\\x[0-9a-f]{2})+)", arguments).group(1)).decode()
                print(f"{prefixes} {call} {path[-40:]}: {kept}: batch {found}, said {said}")
            if found < said:
                return (f"after call {prefixes}, {call}, a disk that kept {kept} of the unsynced data has batch {found} as "
                        f"its newest state, but the run had reported batch {said} as saved: {output}\nfiles: {sorted(matter)}",
                        prefixes, checkpoints, len(newest_of))
    return None, prefixes, checkpoints, len(newest_of)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--show", action="store_true", help="prints each call and what is found after it")
    options = parser.parse_args()
    if not shutil.which("strace"):
        print("skipped: there is no strace")
        sys.exit(77)
    program = options.program.resolve()
    # In memory if possible: while a slow disk writes one state, the run drops others for a newer
    # one.
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    root = pathlib.Path(tempfile.mkdtemp(prefix="troupe-power-", dir=memory)).resolve()
    work = root / "traced"
    work.mkdir()
    (work / "run.yaml").write_text(CONFIGURATION)
    env = os.environ | {"ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"}
    try:
        done = subprocess.run(["strace", "-f", "-y", "-xx", "-s", "10000000", "-o", root / "trace", "-e", f"trace={CALLS}", program,
                               "train", "--no-progress", "run.yaml"], cwd=work, capture_output=True, text=True, timeout=120, env=env)
    except PermissionError:
        print("skipped: strace is not allowed here")
        sys.exit(77)
    if done.returncode != 0:
        sys.exit(f"BROKEN: the traced run ended with {done.returncode}: {done.stderr}")

    traced = list(calls(root / "trace"))
    broken, prefixes, checkpoints, disks = judge(program, traced, work, root / "after", options.show)
    if broken:
        sys.exit(f"BROKEN: {broken}\nin {root}")
    if checkpoints < LEAST_CHECKPOINTS:
        sys.exit(f"BROKEN: the log has only {checkpoints} checkpoints, too few for this test")
    for kind in (File, Folder):
        if not judge(program, traced, work, root / "after", forgotten=kind)[0]:
            sys.exit(f"BROKEN: this test would not detect that a {kind.__name__.lower()} is not synced")
    shutil.rmtree(root)
    print(f"power loss: {prefixes} prefixes of a run with {checkpoints} checkpoints, {disks} different disks: each had a whole "
          "state no older than the newest reported one")


main()
