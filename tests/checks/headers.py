#!/usr/bin/env python3
"""Compiles the public headers of the installed library: each alone, and all together with every compiler and standard.

usage: headers.py PREFIX [--jobs N]     where the library is installed

A warning of -Wall -Wextra -Wconversion -Wshadow is a failure: programs compile with these.
"""
import argparse
import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
WARNINGS = ["-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Werror"]
COMPILERS = [("g++", "c++20"), ("g++", "c++23"), ("clang++-14", "c++20"), ("clang++-14", "c++2b"), ("clang++-16", "c++20"), ("clang++-16", "c++23")]


def public_headers():
    lines = (ROOT / "docs/site/public_headers.txt").read_text().splitlines()
    return [line.strip() for line in lines if line.startswith("  ")]


def compile_headers(prefix, headers, compiler, standard):
    """What the compiler says against the headers; "" for nothing."""
    source = "".join(f"#include <troupe/{header}>\n" for header in headers)
    command = [compiler, f"-std={standard}", "-fsyntax-only", *WARNINGS, "-DCAF_ENABLE_TYPE_ID_CHECKS", f"-I{prefix}/include",
               f"-I{prefix}/include/troupe", "-isystem", "/usr/include/eigen3", "-x", "c++", "-"]
    done = subprocess.run(command, input=source, capture_output=True, text=True)
    return "" if done.returncode == 0 else f"{compiler} -std={standard}: {headers[0]}\n{done.stderr}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("prefix", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    headers = public_headers()
    tasks = [([header], "g++", "c++20") for header in headers]
    tasks += [(headers, compiler, standard) for compiler, standard in COMPILERS if shutil.which(compiler)]
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        said = [text for text in pool.map(lambda task: compile_headers(arguments.prefix, *task), tasks) if text]
    if said:
        sys.exit("\n".join(said[:5]) + f"\nheaders.py: {len(said)} of {len(tasks)} translation units of public headers fail")
    print(f"{len(headers)} public headers compile alone, and together with {len(tasks) - len(headers)} compilers and standards")


main()
