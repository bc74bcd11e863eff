#!/usr/bin/env python3
"""Checks examples/cluster: every command line there is one that the program accepts, and the files are well formed.

usage: deployment.py TROUPE
"""
import json
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

TROUPE = sys.argv[1]
ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / "examples" / "cluster"
VARIABLES = {"HOLDERS": "127.0.0.1:20000", "WORKERS": "2", "JOB_COMPLETION_INDEX": "0"}
failures = []


def expand(text):
    text = text.replace("%i", "1")
    return re.sub(r"\$[({](\w+)[)}]", lambda found: VARIABLES[found.group(1)], text)


def accepts(arguments, source):
    """Runs a node's command line far enough to read its configuration."""
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "run.yaml").write_text("training: {epochs: 1}\n")
        arguments = [str(pathlib.Path(folder, "run.yaml")) if word.endswith("run.yaml") else expand(word) for word in arguments]
        done = subprocess.run([TROUPE, *arguments, "--print-config"], capture_output=True, text=True, cwd=folder)
    if done.returncode:
        failures.append(f"{source}: `troupe {' '.join(arguments)}` is refused: {done.stderr.strip()}")


def check_unit(path):
    command = shlex.split(re.search(r"^ExecStart=(.*)", path.read_text(), re.MULTILINE).group(1))
    if command[0] != "/usr/bin/troupe":
        failures.append(f"{path.name} does not start the installed program")
    accepts(command[1:], path.name)
    if shutil.which("systemd-analyze"):
        with tempfile.TemporaryDirectory() as folder:
            copy = pathlib.Path(folder, path.name.replace("@", "@1"))
            copy.write_text(path.read_text().replace("/usr/bin/troupe", TROUPE))
            said = subprocess.run(["systemd-analyze", "verify", "--man=no", copy], capture_output=True, text=True).stderr
            ours = [line for line in said.splitlines() if copy.name in line]
            if ours:
                failures.append(f"systemd-analyze about {path.name}: {ours[0]}")


def check_job(path):
    command = re.search(r"^srun troupe (.*) \"\$@\"$", path.read_text(), re.MULTILINE).group(1)
    accepts([*shlex.split(command), "--role", "worker", "--index", "0", "--workers", "2", "--ps", "127.0.0.1:20000", "run.yaml"], path.name)
    if subprocess.run(["sh", "-n", path]).returncode:
        failures.append(f"sh refuses {path.name}")


def check_manifests(path):
    text = path.read_text()
    for words in re.findall(r"args: \[(.*)\]$", text, re.MULTILINE):
        accepts([word.strip().strip('"') for word in words.split(",")], path.name)
    try:
        import yaml
    except ImportError:
        print("the manifests' structure is not checked: there is no python3-yaml")
        return
    documents = list(yaml.safe_load_all(text))
    if [d["kind"] for d in documents] != ["Service", "StatefulSet", "Job"]:
        failures.append(f"{path.name} does not have a service, a holder and a job of workers")
    check_schemas(documents)
    for document in documents[1:]:
        pod = document["spec"]["template"]["spec"]
        volumes = {volume["name"] for volume in pod["volumes"]}
        volumes |= {claim["metadata"]["name"] for claim in document["spec"].get("volumeClaimTemplates", [])}
        for container in pod["containers"]:
            mounts = {mount["name"] for mount in container["volumeMounts"]}
            if mounts != volumes:
                failures.append(f"{path.name}: {document['kind']} mounts {mounts}, and has the volumes {volumes}")


def check_schemas(documents):
    if not shutil.which("node"):
        print("the manifests' schemas are not checked: there is no nodejs")
        return
    done = subprocess.run(["node", ROOT / "tests/deployment/manifests.mjs", ROOT / "build"], input=json.dumps(documents),
                          capture_output=True, text=True)
    if done.returncode in (0, 77): # 77: skipped
        print(done.stdout.strip())
    else:
        failures.append((done.stdout + done.stderr).strip())


for unit in sorted(FOLDER.glob("*.service")):
    check_unit(unit)
check_job(FOLDER / "slurm.sh")
check_manifests(FOLDER / "kubernetes.yaml")
print("\n".join(failures) or "the programs accept every command line of examples/cluster")
sys.exit(bool(failures))
