#!/usr/bin/env python3
"""Random tables in the styles of people and programs, whose correct reading is known.

Varies separators, headers, quoting, words for missing values, number styles, dates and encodings. `troupe init` must read each
table correctly, or refuse it with a message; a cure that the message names is tried. A wrong reading is a failure, and so are too
many refusals.

usage: random_tables.py TROUPE [--tables N] [--seed N] [--only K]
"""
import argparse
import concurrent.futures
import json
import math
import pathlib
import random
import re
import subprocess
import sys
import tempfile
from fractions import Fraction

MISSING_WORDS = ["", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "NULL", "null", "?"]
UNICODE_MINUS, NO_BREAK, NARROW = "\u2212", "\u00a0", "\u202f"
LEVELS = [["red", "green", "blue"], ["Na", "K", "Ca"], ["Köln", "Zürich", "Bern"], ["yes", "no"], ["None", "some"],
          ["New York", "Los Angeles", "Rome"], ["say \"no\"", "a,b", "c;d"], ["line one\nline two", "one line"], ["A1", "B2", "C3"],
          ["1st", "2nd", "3rd"], ["10-20", "20-30", "30-40"], ["<5", ">5"], ["1/2", "1/4"]]
YEARS = ["1990", "1991", "1992", "1993", "1994", "1995"]


def digits_of(rng, decimals, large):
    """A number as sign, digits before and digits after the point."""
    whole = str(rng.randrange(0, 10 ** rng.randrange(1, 8 if large else 4)))
    behind = "".join(rng.choice("0123456789") for _ in range(decimals))
    return (rng.random() < 0.3, whole, behind)


def value_of(number):
    negative, whole, behind = number
    value = Fraction(int(whole + behind), 10 ** len(behind))
    return -value if negative else value


def grouped(whole, mark):
    pieces = []
    while len(whole) > 3:
        pieces.insert(0, whole[-3:])
        whole = whole[:-3]
    return mark.join([whole] + pieces)


class Numbers:
    """A column of numbers in one style."""
    kind = "number"

    def __init__(self, rng, comma, separator):
        blanks = separator != " "
        self.mark = "," if comma else "."
        self.decimals = rng.choice([0, 0, 1, 2, 3, 4])
        self.style = rng.choice(["plain", "plain", "plain", "thousands", "currency", "percent", "unit", "minus", "spaces",
                                 "parentheses", "fortran", "apostrophe", "plus", "single quotes"])
        self.before = rng.choice(["$", "€", "£", "USD "] if blanks else ["$", "€"]) if self.style == "currency" else ""
        self.after = {"percent": rng.choice(["%", " %" if blanks else "%"]),
                      "unit": rng.choice([" m2", "kg", " km/h", "°C"] if blanks else ["kg", "°C"])}.get(self.style, "")
        self.group = {"thousands": "." if comma else ",", "currency": rng.choice(["", "." if comma else ","]),
                      "parentheses": rng.choice(["", "." if comma else ","]), "apostrophe": "'",
                      "spaces": rng.choice([NO_BREAK, NARROW] + ([" "] if blanks else []))}.get(self.style, "")
        self.sample = lambda: digits_of(rng, self.decimals, bool(self.group))
        self.rng = rng

    def cell(self, number):
        negative, whole, behind = number
        if self.group:
            whole = grouped(whole, self.group)
        text = whole + (self.mark + behind if behind else "")
        if self.style == "fortran":
            return ("-" if negative else "") + text + (self.mark + "0" if not behind else "") + "D+00"
        if self.style == "parentheses":
            return f"({text})" if negative else text
        if self.style == "single quotes":
            return "'" + ("-" if negative else "") + text + "'"
        sign = UNICODE_MINUS if self.style == "minus" else "-"
        return (sign if negative else "+" if self.style == "plus" else "") + self.before + text + self.after

    value = staticmethod(value_of)


class Words:
    kind = "levels"

    def __init__(self, rng, separator):
        names = rng.choice(LEVELS)
        self.names = [name for name in names if separator != " " or not re.search(r"[ \n\"]", name)]
        if len(self.names) < 2:
            self.names = ["red", "green"]
        self.sample = lambda: rng.choice(self.names)

    def cell(self, value):
        return value

    def value(self, value):
        return value


class Mixed:
    """Numbers in different styles: read as words, or refused."""
    kind = "levels"

    def __init__(self, rng, separator):
        number = lambda: rng.randrange(1, 1000)
        forms = rng.choice([("${}", "{} EUR"), ("{} kg", "{} lb"), ("{}%", "0.{}"), ("({})", "({})"), ("{}.5", "{},5"),
                            ("{}", "about {}"), ("{}", "<{}"), ("{}", "{}-{}"), ("Q{}", "K{}"), ("{}", "1e400")])
        if separator == " ":
            forms = ("${}", "{}EUR")
        self.sample = lambda: rng.choice(forms).format(number(), number())
        self.style = "mixed " + " and ".join(forms)

    def cell(self, value):
        return value

    def value(self, value):
        return value


class Dates:
    """Read as words without problem.dates, and as days since 1970 with problem.dates=number."""
    kind = "date"

    def __init__(self, rng, separator):
        forms = ["%Y-%m-%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d.%m.%y"] + (["%d %b %Y", "%Y-%m-%d %H:%M:%S"] if separator != " " else [])
        self.form = rng.choice(forms)
        import datetime
        begin = datetime.datetime(2001, 1, 1)
        minutes = 1440 if "%H" not in self.form else 1
        self.sample = lambda: begin + datetime.timedelta(minutes=rng.randrange(0, 5_000_000 // minutes) * minutes)
        self.epoch = datetime.datetime(1970, 1, 1)

    def cell(self, date):
        return date.strftime(self.form)

    def value(self, date):
        since = date - self.epoch
        return Fraction(since.days) + Fraction(since.seconds, 86400)


class Table:
    def __init__(self, seed):
        rng = self.rng = random.Random(seed)
        self.separator = rng.choice([",", ",", ",", ";", ";", "\t", "|", " "])
        self.comma = self.separator == ";" and rng.random() < 0.6 or self.separator in "\t|" and rng.random() < 0.2
        self.rows = rng.randrange(24, 60)
        self.encoding = rng.choice(["utf-8"] * 5 + ["utf-8-sig", "utf-16", "latin-1"])
        self.quoting = rng.choice(["needed", "needed", "all", "words"])
        self.newline = rng.choice(["\n", "\n", "\r\n"])
        columns = []
        for _ in range(rng.randrange(2, 6)):
            kind = rng.random()
            columns.append(Numbers(rng, self.comma, self.separator) if kind < 0.65
                           else Words(rng, self.separator) if kind < 0.82 else Dates(rng, self.separator) if kind < 0.96
                           else Mixed(rng, self.separator))
        self.dates = "number" if any(c.kind == "date" for c in columns) else "words"
        self.label = Numbers(rng, self.comma, self.separator) if rng.random() < 0.5 else Words(rng, self.separator)
        if self.label.kind == "levels" and rng.random() < 0.2:
            self.label.names = ["NA", "Na", "x"]
        self.columns = columns + [self.label]
        self.names = [f"{c.kind[0]}{i}" for i, c in enumerate(self.columns)]
        self.make_header()
        self.fill()

    def make_header(self):
        rng = self.rng
        self.read_names = list(self.names)
        self.header = rng.choice(["plain"] * 4 + ["index", "double", "missing_word", "years", "none"])
        if self.header == "index":
            self.columns.insert(0, None)
            self.names.insert(0, "")
            self.read_names.insert(0, "column 1")
        elif self.header == "double":
            self.names[1] = self.names[0]
            self.read_names = list(self.names)
            self.read_names[1] = self.names[0] + ".1"
        elif self.header == "missing_word":
            self.names[0] = self.read_names[0] = rng.choice(["NA", "N/A", "nan"])
        elif self.header == "years":
            for place, year in zip(range(len(self.columns) - 1), YEARS):
                self.names[place] = self.read_names[place] = year
        elif self.header == "none":
            self.read_names = [f"column {i + 1}" for i in range(len(self.columns))]

    def fill(self):
        rng = self.rng
        self.values = []
        words = [w for w in MISSING_WORDS if w or self.separator != " "]
        missing = {i: rng.choice(words) for i in range(len(self.columns)) if rng.random() < 0.25 and self.columns[i]}
        if self.label.kind == "levels":
            missing.pop(len(self.columns) - 1, None)
        self.cells = []
        for row in range(self.rows):
            values, cells = [], []
            for place, column in enumerate(self.columns):
                if column is None:
                    values.append(Fraction(row))
                    cells.append(str(row))
                elif place in missing and rng.random() < 0.15:
                    values.append(None)
                    cells.append(missing[place])
                else:
                    value = column.sample()
                    values.append(column.value(value))
                    cells.append(column.cell(value))
            self.values.append(values)
            self.cells.append(cells)
        self.typo = ""
        numbers = [i for i, column in enumerate(self.columns) if column is not None and column.kind == "number"]
        if numbers and rng.random() < 0.06:
            self.typo = rng.choice(["l2.5", "12.3.4", "1,2,3", "abc", "--5", "5 5", "12O"] if self.separator == ","
                                   else ["l2.5", "12.3.4", "abc", "--5", "12O"])
            used = [row for row in range(1, self.rows) if self.values[row][-1] is not None]
            self.cells[rng.choice(used)][rng.choice(numbers)] = self.typo

    def quoted(self, cell, name=False):
        number = re.fullmatch(r"[-+]?[0-9.]+", cell)
        if cell == self.typo:
            return '"' + cell + '"'
        needed = any(c in cell for c in (self.separator, '"', "\n", "\r")) or (self.separator == " " and cell == "")
        if needed or self.quoting == "all" or (self.quoting == "words" and (name or not number) and cell not in MISSING_WORDS):
            return '"' + cell.replace('"', '""') + '"'
        return cell

    def line(self, cells, name=False):
        separator = self.separator if self.separator != " " else " " * self.rng.randrange(1, 4)
        return separator.join(self.quoted(cell, name) for cell in cells) + (self.separator if self.trailing else "")

    def text(self):
        self.trailing = self.separator in ",;" and self.rng.random() < 0.1
        lines = ["sep=" + self.separator] if self.separator in ",;|" and self.rng.random() < 0.1 else []
        if self.header != "none":
            lines.append(self.line(self.names, True))
        return self.newline.join(lines + [self.line(cells) for cells in self.cells]) + self.newline

    def write(self, path):
        text = self.text()
        try:
            data = text.encode(self.encoding)
        except UnicodeEncodeError:
            self.encoding = "utf-8"
            data = text.encode()
        path.write_bytes(data)
        self.must_be_refused = self.typo != "" or self.encoding == "latin-1" and any(byte >= 0x80 for byte in data)

    def describe(self):
        styles = [getattr(c, "style", getattr(c, "form", c.kind)) if c else "index" for c in self.columns]
        return (f"separator {self.separator!r}, decimal {',' if self.comma else '.'}, header {self.header}, {self.quoting} quotes, "
                f"{self.encoding}, columns {styles}")


def same(read, right):
    return math.isclose(read, right, rel_tol=1e-9, abs_tol=1e-9)


def moments_of(values):
    known = [value for value in values if value is not None]
    mean = sum(known) / len(known)
    return float(mean), math.sqrt(float(sum((value - mean) ** 2 for value in known) / len(known)))


def differences(table, learned):
    """The differences between the reading and the correct one."""
    found = []
    rows = [row for row in table.values if row[-1] is not None]
    features = {}
    for feature in learned["features"]:
        features.setdefault(feature["column"], feature)
    for place, column in enumerate(table.columns[:-1]):
        name = table.read_names[place]
        values = [row[place] for row in rows]
        feature = features.get(name)
        if feature is None:
            found.append(f"no column {name!r}, but {sorted(features)}")
        elif column is not None and column.kind == "levels":
            right = sorted({"" if value is None else value for value in values}, key=lambda level: level.encode())
            if feature.get("levels") != right:
                found.append(f"{name}: {feature}, right are levels {right}")
        else:
            mean, deviation = moments_of(values)
            if "mean" not in feature or not same(feature["mean"], mean) or not same(feature["deviation"], deviation):
                found.append(f"{name}: {str(feature)[:200]}, right are mean {mean} and deviation {deviation}")
    target, values = learned["target"], [row[-1] for row in rows]
    if target["column"] != table.read_names[-1]:
        found.append(f"label {target['column']!r}, right is {table.read_names[-1]!r}")
    elif table.label.kind == "levels":
        if target.get("classes") != sorted(set(values), key=lambda name: name.encode()):
            found.append(f"label: {target}, right are the classes {sorted(set(values))}")
    else:
        mean, deviation = moments_of(values)
        if "mean" not in target or not same(target["mean"], mean) or not same(target["deviation"], deviation):
            found.append(f"label: {str(target)[:200]}, right are mean {mean} and deviation {deviation}")
    return found


def cure_in(table, sentence):
    """The correct one of the cures that the message names."""
    cures = ["problem.header=" + ("no" if table.header == "none" else "yes"),
             "problem.decimal=" + ("comma" if table.comma else "point"),
             "problem.day_first=" + ("no" if any(getattr(c, "form", "") == "%m/%d/%Y" for c in table.columns) else "yes")]
    name = {"\t": "tab", " ": "blanks"}.get(table.separator, table.separator)
    if f'problem.separator="{name}"' in sentence:
        return "problem.separator=" + name
    for cure in cures:
        if cure in sentence:
            return cure
    return ""


def judge(troupe, folder, seed):
    """-> (outcome, text); outcome: read, cured, explained (a table with a defect is refused), refused, wrong"""
    table = Table(seed)
    path = folder / f"table{seed}.csv"
    table.write(path)
    arguments = [str(troupe), "init", "--json", "problem.name=csv", f"problem.path={path}", "problem.missing=mean", "problem.task=auto",
             "problem.validation_fraction=0", "problem.test_fraction=0", f"problem.dates={table.dates}"]
    if table.label.kind == "number":
        arguments[6] = "problem.task=regression"
    cured = False
    for _ in range(4):
        ran = subprocess.run(arguments, capture_output=True, text=True, timeout=60)
        if ran.returncode == 0:
            if table.must_be_refused:
                return "wrong", f"seed {seed}: {table.describe()}: read, although it has {table.typo or 'an unknown encoding'}"
            found = differences(table, json.loads(ran.stdout)["learned"])
            if found:
                return "wrong", f"seed {seed}: {table.describe()}\n    " + "\n    ".join(found)
            return "cured" if cured else "read", ""
        if ran.returncode not in (65, 78) or path.name not in ran.stderr:
            return "wrong", f"seed {seed}: {table.describe()}: code {ran.returncode}: {ran.stderr.strip()}"
        cure = cure_in(table, ran.stderr)
        if not cure or cure in arguments:
            break
        arguments.append(cure)
        cured = True
    mixed = any(isinstance(column, Mixed) for column in table.columns)
    if (table.must_be_refused or mixed) and "line " in ran.stderr:
        return "explained", ""
    return "refused", f"seed {seed}: {table.describe()}: {ran.stderr.strip()}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("troupe", type=pathlib.Path)
    parser.add_argument("--tables", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", type=int, help="one table, kept in the working folder")
    parser.add_argument("--most-refused", type=float, default=0.05, help="share of the tables")
    options = parser.parse_args()
    troupe = options.troupe.resolve()
    if options.only is not None:
        print(*judge(troupe, pathlib.Path.cwd(), options.only))
        return 0
    outcomes = {"read": 0, "cured": 0, "explained": 0, "refused": 0, "wrong": 0}
    with tempfile.TemporaryDirectory() as name, concurrent.futures.ThreadPoolExecutor(2) as pool:
        seeds = range(options.seed, options.seed + options.tables)
        for outcome, text in pool.map(lambda seed: judge(troupe, pathlib.Path(name), seed), seeds):
            outcomes[outcome] += 1
            if text:
                print(f"{outcome}: {text}")
    print(", ".join(f"{count} {outcome}" for outcome, count in outcomes.items()))
    return 1 if outcomes["wrong"] > 0 or outcomes["refused"] > options.most_refused * options.tables else 0


if __name__ == "__main__":
    sys.exit(main())
