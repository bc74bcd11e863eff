#!/usr/bin/env python3
"""Checks the manual pages and completions that the program makes of its own command line.

usage: manual.py TROUPE
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

TROUPE = sys.argv[1]
failures = []


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL).stdout


def expect(condition, sentence):
    if not condition:
        failures.append(sentence)


def commands():
    """The names of all commands, from the program's help."""
    listed = output(TROUPE, "--help").split("Subcommands:\n")[1].split("\n\n")[0]
    return re.findall(r"^  (\w+)", listed, re.MULTILINE)


def check_pages(folder):
    output(TROUPE, "man", "--outdir", folder)
    pages = {page.name: page.read_text() for page in pathlib.Path(folder).iterdir()}
    for command in commands():
        page = pages.get(f"troupe-{command}.1", "").replace("\\-", "-")
        for option in re.findall(r"--[\w-]+", output(TROUPE, command, "--help").split("Options:")[1].split("\n\n")[0]):
            expect(option in page, f"the page of {command} does not have {option}")
    for name, page in pages.items():
        expect(max(map(len, page.splitlines())) < 2000, f"{name} has a very long line")
        if shutil.which("groff"):
            said = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-z", f"{folder}/{name}"], capture_output=True, text=True)
            expect(not said.stderr, f"groff warns about {name}: {said.stderr[:300]}")


def completed(*words):
    """What bash offers for the last word of a command line."""
    script = (
        f'source <("{TROUPE}" completion bash); COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _troupe; '
        'printf "%s\\n" "${COMPREPLY[@]}"'
    )
    return output("bash", "-c", script, "bash", *words).split()


def check_bash():
    expect(completed("troupe", "sim") == ["simulate"], "bash does not complete a command")
    expect(completed("troupe", "train", "--res") == ["--resume"], "bash does not complete an option")
    expect(completed("troupe", "grid", "ana") == ["analyze"], "bash does not complete an action of grid")
    expect(completed("troupe", "completion", "z") == ["zsh"], "bash does not complete a fixed choice")
    expect(completed("troupe", "train", "run.y") == [], "bash completes what should be left to files")


def check_other_shells():
    for shell, check in (("zsh", ["zsh", "-n"]), ("fish", ["fish", "--no-execute"])):
        script = output(TROUPE, "completion", shell)
        for command in commands():
            expect(re.search(rf"\b{command}\b", script), f"{shell}'s script does not have {command}")
        if shutil.which(shell):
            with tempfile.NamedTemporaryFile("w", suffix=f".{shell}") as file:
                file.write(script)
                file.flush()
                said = subprocess.run([*check, file.name], capture_output=True, text=True)
                expect(said.returncode == 0, f"{shell} refuses its script: {said.stderr[:300]}")


with tempfile.TemporaryDirectory() as folder:
    check_pages(folder)
check_bash()
check_other_shells()
print("\n".join(failures) or f"{len(commands())} commands: manual pages and completions are whole")
sys.exit(bool(failures))
