#!/usr/bin/env python3
"""Does what the program advises: a command that fails says a sentence, and the command that it advises then works.

usage: advice.py TROUPE [FILE...]     runs the entries of these files (tests/advice/*.advice)
       advice.py --complete           finds advices in the sources that no entry says
       advice.py --list               lists all advices of the sources, each with its entry or reason

An entry of a file is a paragraph of such lines, each of which may stand more than once:

    needs:  what must be there, else the entry is passed over: a command that succeeds
    fails:  a command that ends with one of the documented exit codes
    warns:  in its place, one that succeeds
    says:   what it says, of the sources word by word; "..." stands for anything
    cure:   commands that all succeed (set -e), and do not say it any more

`setup:` alone in a paragraph runs before those below it. All of a file runs in one folder, in bash; `try` is `troupe train`
on few digits.

What no command of the program brings about is done by a test of another kind: a comment `cure:` there repeats the advice,
and what follows in the same test does it and checks that it works. elsewhere.txt has the advices that neither does, each
with its reason.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
EXIT_CODES = {2, 65, 69, 70, 74, 75, 77, 78, 130}
KEYS = ("setup", "needs", "fails", "warns", "says", "cure")

PRELUDE = """
few="problem.train=64 problem.validation=16 problem.test=16"
try() { troupe train -q $few training.epochs=1 "$@"; }
try_aloud() { troupe train --no-progress $few training.epochs=1 "$@"; }
check() { troupe train --print-config $few "$@" >/dev/null; }
place() { troupe node --print-config $few "$@" >/dev/null; }
table() { troupe init problem.name=csv problem.path=t.csv "$@"; }
listens() { timeout 2 "$@" || test $? = 124; }
"""

# An advice begins with one of these, at the begin of a literal or behind a mark.
VERBS = """add ask begin bring build call change check choose clip close continue convert copy correct delete do download encode end
exchange export fill flatten give go increase indent install keep label leave let look lower make mend mount move name pad pass point
put quote raise read rebuild reduce remove rename repair repeat reset reshape restore resume run save say see separate set shorten show
shuffle spawn split start stop switch take train transpose try turn unset use wait write""".split()
ADVICE = re.compile(r"(?:^|[;:.?] )((?:" + "|".join(VERBS) + r") .*)", re.IGNORECASE)
# Files of other tests, with what begins a comment there, and what checks something.
MARKS = {".cpp": "//", ".py": "#", ".mjs": "//"}
CHECKED = re.compile(r"\b(?:(?:CHECK|REQUIRE)(?:_\w+)?|check|assert|expect|says|ok)\b")
# How a reason of elsewhere.txt may begin.
REASONS = ("no advice, ", "not done: ")
LITERAL = re.compile(r"//[^\n]*|/\*.*?\*/|R\"(\w*)\((?P<raw>.*?)\)\1\"|\"(?P<text>(?:[^\"\\\n]|\\.)*)\"|'(?:[^'\\\n]|\\.)+'", re.DOTALL)


def entries(file):
    """The paragraphs of a file, each a dictionary of lists, with the line of its begin."""
    entry, begin = {}, 0
    for number, line in enumerate([*file.read_text().splitlines(), ""], 1):
        if line.startswith("#"):
            continue
        if not line.strip():
            if entry:
                yield begin, entry
            entry = {}
            continue
        key, _, value = line.partition(":")
        if key not in KEYS:
            raise SystemExit(f"{file.name}:{number}: there is no '{key}' in an entry; known are {', '.join(KEYS)}")
        begin = begin if entry else number
        entry.setdefault(key, []).append(value.strip())


def pattern(said):
    """A regular expression for the text of `says`, whatever blanks it has."""
    return re.compile(".*?".join(r"\s+".join(map(re.escape, part.split())) for part in said.split("...")), re.DOTALL)


class Shell:
    def __init__(self, folder, program):
        self.folder = folder
        (folder / "bin").mkdir()
        (folder / "bin/troupe").symlink_to(program)
        self.env = {name: value for name, value in os.environ.items() if not name.startswith(("TROUPE", "SLURM", "TF_CONFIG"))}
        self.env.update(PATH=f"{folder}/bin:{os.environ['PATH']}", NO_COLOR="1", LC_ALL="C.UTF-8", SOURCES=str(ROOT))

    def run(self, commands, seconds=60):
        try:
            done = subprocess.run(["bash", "-c", PRELUDE + "\n".join(commands)], cwd=self.folder, env=self.env,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=seconds,
                                  check=False)
            return done.returncode, done.stdout.decode(errors="replace")
        except subprocess.TimeoutExpired as late:
            return f"no end within {seconds} s", (late.stdout or b"").decode(errors="replace")


def complaints(shell, entry):
    """What is wrong with an entry."""
    if "setup" in entry:
        code, said = shell.run(entry["setup"])
        return [] if code == 0 else [f"setup ended with {code} and said:\n{said}"]
    if "needs" in entry and shell.run(entry["needs"])[0] != 0:
        return None
    wrong = []
    fails = "fails" in entry
    code, said = shell.run(entry["fails" if fails else "warns"])
    if code not in (EXIT_CODES if fails else {0}):
        wrong.append(f"it ended with {code}")
    missing = [text for text in entry["says"] if not pattern(text).search(said)]
    wrong += [f"it did not say: {text}" for text in missing]
    if wrong:
        return [*wrong, f"it said:\n{said}"]
    code, said = shell.run(["set -e", *entry["cure"]])
    if code != 0:
        wrong.append(f"the cure ended with {code} and said:\n{said}")
    if all(pattern(text).search(said) for text in entry["says"]):
        wrong.append(f"the cure says it still:\n{said}")
    return wrong


def run(program, files):
    done, passed_over, broken = 0, 0, 0
    for file in files:
        with tempfile.TemporaryDirectory(prefix="troupe-advice-") as place:
            shell = Shell(pathlib.Path(place), program)
            for line, entry in entries(file):
                wrong = complaints(shell, entry)
                if wrong is None:
                    passed_over += 1
                    continue
                done += "setup" not in entry
                if wrong:
                    broken += 1
                    command = entry.get("fails") or entry.get("warns") or entry.get("setup")
                    print(f"{file}:{line}: {'; '.join(command)}\n  " + "\n  ".join(wrong), flush=True)
    print(f"{done} advices, {broken} broken, {passed_over} passed over")
    return 1 if broken or not done else 0


def literals(text):
    """The texts of a source, literals that follow one another as one, with their lines."""
    found, end = [], -1
    for match in LITERAL.finditer(text):
        value = match["raw"] if match["raw"] is not None else match["text"]
        if value is None:
            continue
        value = value.replace('\\"', '"').replace("\\\\", "\\")
        if found and not text[end:match.start()].strip():
            found[-1][1] += value
        else:
            found.append([text.count("\n", 0, match.start()) + 1, value])
        end = match.end()
    return found


def advices():
    """Where the sources advise something, and with which words: with the few before them, so that like is told from like."""
    for folder in ("base", "model", "messages", "actors", "extensions", "apps", "torch"):
        for file in sorted((ROOT / folder).rglob("*.[ch]pp")):
            for line, text in literals(file.read_text()):
                if "\\n" in text or "\n" in text or " " not in text.strip():
                    continue  # help
                if found := ADVICE.search(text):
                    before = text[:found.start(1)].split()[-5:]
                    yield f"{file.relative_to(ROOT)}:{line}", " ".join([*before, *found.group(1).split()])


def squeezed(text):
    return " ".join(text.split())


def elsewhere():
    """The advices that no entry brings about, with the reason."""
    for line in (HERE / "elsewhere.txt").read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            advice, _, reason = line.partition(" <- ")
            yield squeezed(advice), reason


def cures():
    """The advices that a test does, each with its place and the rest of that test."""
    for file in sorted(HERE.parent.rglob("*")):
        if file.suffix not in MARKS or HERE in file.parents:
            continue
        text = file.read_text()
        if "cure: " not in text:
            continue
        mark = MARKS[file.suffix]
        for match in re.finditer(rf"^ *{mark} cure: (.*(?:\n *{mark} (?!cure: ).*)*)", text, re.MULTILINE):
            place = f"{file.relative_to(ROOT)}:{text.count(chr(10), 0, match.start()) + 1}"
            below = text[match.end():]
            rest = re.split(r"^}", below, maxsplit=1, flags=re.MULTILINE)[0] if file.suffix == ".cpp" else "\n".join(below.split("\n")[:20])
            yield squeezed(re.sub(rf"\n *{mark} ", " ", match[1])), place, rest


def complete(listed):
    """Looks for each advice where it is tested, and prints those that are not, or all."""
    tests = [(squeezed(text), f"{file.name}:{line}") for file in sorted(HERE.glob("*.advice")) for line, entry in entries(file)
             for text in entry.get("says", [])]
    done = list(cures())
    tests += [(advice, place) for advice, place, _ in done]
    twice = [advice for advice, _ in elsewhere() if any(advice in text for text, _ in tests)]
    tests += elsewhere()
    missing, found = [], set()
    for place, advice in advices():
        found.add(squeezed(advice))
        test = next((where for text, where in tests if squeezed(advice) in text), None)
        if test is None:
            missing.append((place, advice))
        elif listed:
            print(f"{place}: {advice} <- {test}")
    count, gone = len(list(advices())), [("elsewhere.txt", advice) for advice, _ in elsewhere() if advice not in found]
    gone += [(place, advice) for advice, place, _ in done if advice not in found]
    for place, advice in missing:
        print(f"{place}: no entry of tests/advice says: {advice}")
    lost = [name for _, reason in elsewhere() for name in re.findall(r"tests/\S+\.(?:cpp|py)", reason) if not (ROOT / name).exists()]
    for name in lost:
        print(f"elsewhere.txt: there is no {name}")
    vague = [advice for advice, reason in elsewhere() if not reason.startswith(REASONS)]
    for advice in vague:
        print(f"elsewhere.txt: the reason begins with none of {', '.join(REASONS)}: {advice}")
    unchecked = [(place, advice) for advice, place, rest in done if not CHECKED.search(rest)]
    for place, advice in unchecked:
        print(f"{place}: nothing below it checks the cure: {advice}")
    for advice in twice:
        print(f"elsewhere.txt: a test does it; remove it here: {advice}")
    for place, advice in gone:
        print(f"{place}: the sources do not say any more: {advice}")
    print(f"{count} advices in the sources, {len(missing)} without an entry; tests other than entries do {len(done)}")
    return 1 if missing or gone or lost or vague or unchecked or twice or not count else 0


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n\n")[0])
    parser.add_argument("--complete", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("troupe", nargs="?")
    parser.add_argument("files", nargs="*", type=pathlib.Path, default=sorted(HERE.glob("*.advice")))
    arguments = parser.parse_args()
    if arguments.complete or arguments.list:
        return complete(arguments.list)
    return run(shutil.which(arguments.troupe) and pathlib.Path(arguments.troupe).resolve(), arguments.files)


if __name__ == "__main__":
    sys.exit(main())
