#!/usr/bin/env python3
"""Compares the memory that `troupe summary` announces with the peak of `troupe train`, for the zoo.

usage: bench/memory.py PROGRAM [MODEL...]

Prints a table, in MB; a megabyte is a million bytes. Exit code 1 if a peak is more than a tenth away from what was announced.
"""
import os, pathlib, random, re, subprocess, sys, tempfile

digits = ["problem.train=3000", "problem.validation=600", "problem.test=600"]
runs = {
    "mlp": [*digits, "training.epochs=2"],
    "linear": [*digits, "training.epochs=2"],
    "lenet": [*digits, "training.epochs=2"],
    "resnet_small": ["problem.train=640", "problem.validation=300", "problem.test=300", "training.epochs=1"],
    "char_lstm": ["problem.name=text", "problem.path=text.txt", "training.epochs=1"],
    "gpt_mini": ["problem.name=text", "problem.path=text.txt", "training.epochs=1"],
    "lstm_tagger": ["problem.name=tagging", "problem.endless=false", "problem.train=3000", "training.epochs=1"],
}

def text():
    """Words enough for some batches of each section."""
    random.seed(1)
    words = ["".join(random.choices("abcdefghijklmnopqrstuvwxyz", k=random.randint(1, 9))) for _ in range(500)]
    return " ".join(random.choices(words, k=20000))

def peak_of(command, folder):
    """The peak of a process in bytes, by its own account with the kernel."""
    child = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        sys.exit(f"{' '.join(command)} ended with {child.returncode}")
    return usage.ru_maxrss * 1024

def main(program, names):
    program = str(pathlib.Path(program).resolve())
    within = True
    print("| | a worker | validation | process, announced | peak | ratio |\n|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "text.txt").write_text(text())
        for name in names or runs:
            arguments = [f"model.name={name}", *runs[name], "training.seed=1"]
            said = subprocess.run([program, "summary", *arguments], cwd=folder, check=True, capture_output=True, text=True).stdout
            worker = float(re.search(r"([\d.]+) MB for a worker", said).group(1))
            process = float(re.search(r"([\d.]+) MB for the whole process", said).group(1))
            validation = float(re.search(r"([\d.]+) for validation", said).group(1))
            peak = peak_of([program, "train", "--quiet", "--folder", f"run-{name}", *arguments], folder) / 1e6
            within = within and abs(peak / process - 1) <= 0.1
            print(f"| {name} | {worker:.1f} | {validation:.1f} | {process:.0f} | {peak:.0f} | {peak / process:.2f} |", flush=True)
    return 0 if within else 1

if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], sys.argv[2:]))
