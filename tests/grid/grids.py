"""Shared by the scenes with disturbed grids: the results table of a grid, compared with that of an undisturbed one."""
import csv
import subprocess
import sys

ELSEWHERE = ("timestamp", "filepath")


def run(program, work, act):
    return subprocess.run([program, "grid", act, "grid.yaml", "-q"], cwd=work, capture_output=True, text=True)


def table(program, work):
    """@returns the rows of the results, without times and paths"""
    for act in ("test", "analyze"):
        done = run(program, work, act)
        if done.returncode != 0:
            sys.exit(f"grid {act} ended with {done.returncode}: {done.stderr}")
    with open(work / "grids/grid/results.csv", newline="") as file:
        return [{k: v for k, v in row.items() if not k.endswith(ELSEWHERE)} for row in csv.DictReader(file)]


def check_table(found, expected, runs, scene):
    """Every run must be in the table exactly once, and all rows must equal those of the undisturbed grid."""
    numbers = [row["run"] for row in found if row["row"] == "run"]
    if sorted(numbers) != sorted(set(numbers)) or len(numbers) != runs:
        sys.exit(f"{scene}: the table has the runs {numbers}, not each of {runs} once")
    if expected != found:
        differing = [(a, b) for a, b in zip(expected, found) if a != b]
        sys.exit(f"{scene}: {len(differing)} rows differ from the undisturbed grid's; the first: {differing[0]}")
