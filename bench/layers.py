#!/usr/bin/env python3
"""Compares single layers with PyTorch's, alternating, on one thread each.

usage: bench/layers.py [--build build/release] [--runs 3] [CASE...]

Cases are those of `bench_layers list`, which is also the default. PyTorch runs in this interpreter, eagerly; its images are
once as they come (channels before height and width) and once channels-last. Prints milliseconds of processor time of forward and
backward pass together, medians of the runs' smallest times, and the ratio PyTorch / Troupe; above 1 Troupe is faster.
"""
import argparse, json, os, pathlib, statistics, subprocess, time

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"
import torch

here = pathlib.Path(__file__).resolve().parent
parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("cases", nargs="*", metavar="CASE")
parser.add_argument("--build", default=here.parent / "build/release", type=pathlib.Path)
parser.add_argument("--runs", default=3, type=int)
arguments = parser.parse_args()
program = str(arguments.build / "bench/bench_layers")
torch.set_num_threads(1)

class Attention(torch.nn.Module):
    """Causal self-attention as PyTorch programs write it."""
    def __init__(self, length, width, heads):
        super().__init__()
        self.heads, self.into, self.out = heads, torch.nn.Linear(width, 3 * width), torch.nn.Linear(width, width)
        self.register_buffer("hidden", torch.ones(length, length).triu(1).bool())

    def forward(self, x):
        n, length, width = x.shape
        q, k, v = (part.view(n, length, self.heads, -1).transpose(1, 2) for part in self.into(x).chunk(3, dim=-1))
        if hasattr(torch.nn.functional, "scaled_dot_product_attention"):
            mixed = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        else:
            scores = (q @ k.transpose(-2, -1)) / (width // self.heads) ** 0.5
            mixed = scores.masked_fill(self.hidden, float("-inf")).softmax(dim=-1) @ v
        return self.out(mixed.transpose(1, 2).reshape(n, length, width))

def layers(case):
    """The variants of a case: {name: (module, input)}."""
    kind, sizes = case.split(":")
    s = [int(size) for size in sizes.split(",")]
    if kind == "conv2d":
        batch, side, channels, outputs, kernel, stride, groups = s
        make = lambda: torch.nn.Conv2d(channels, outputs, kernel, stride, kernel // 2, groups=groups)
        x = torch.rand(batch, channels, side, side)
        return {"plain": (make(), x),
                "channels-last": (make().to(memory_format=torch.channels_last), x.to(memory_format=torch.channels_last))}
    if kind == "linear":
        return {"plain": (torch.nn.Linear(s[1], s[2]), torch.rand(s[0], s[1]))}
    if kind == "attention":
        return {"plain": (Attention(*s[1:]), torch.rand(*s[:3]))}
    if kind == "batch_norm":
        x = torch.rand(s[0], s[2], s[1], s[1])
        return {"plain": (torch.nn.BatchNorm2d(s[2]), x),
                "channels-last": (torch.nn.BatchNorm2d(s[2]), x.to(memory_format=torch.channels_last))}
    if kind == "layer_norm":
        return {"plain": (torch.nn.LayerNorm(s[2]), torch.rand(*s))}
    return {"plain": (torch.nn.ReLU(inplace=False), torch.rand(s[0]) - 0.5)}

def smallest_time(module, x):
    """Milliseconds of a forward and a backward pass."""
    x.requires_grad_()
    dy = torch.rand_like(module(x))
    times, began = [], time.thread_time()
    while len(times) < 5 or time.thread_time() - began < 0.5:
        for parameter in [x, *module.parameters()]:
            parameter.grad = None
        start = time.thread_time()
        module(x).backward(dy)
        times.append(time.thread_time() - start)
    return min(times[1:]) * 1e3

def ours(case):
    """Troupe's milliseconds and share of the peak, and oneDNN's milliseconds in blocked layouts or None."""
    done = subprocess.run([program, case], capture_output=True, text=True, check=True)
    found = {line["case"]: line for line in map(json.loads, done.stdout.splitlines())}
    together = lambda suffix: sum(found[f"{case} {way}{suffix}"]["min"] for way in ("forward", "backward"))
    operations = [found.get(f"{case} {way}, share of the peak") for way in ("forward", "backward")]
    share = sum(o["max"] * found[f"{case} {w}"]["min"] for o, w in zip(operations, ("forward", "backward"))) \
        / together("") if all(operations) else None
    blocked = together(", oneDNN blocked") if f"{case} forward, oneDNN blocked" in found else None
    return together(""), share, blocked

cases = arguments.cases or subprocess.run([program, "list"], capture_output=True, text=True, check=True).stdout.split()
for case in cases:
    variants = layers(case)
    runs = []
    for _ in range(arguments.runs):
        runs.append((ours(case), {name: smallest_time(*variant) for name, variant in variants.items()}))
    mine = statistics.median(run[0][0] for run in runs)
    line = f"{case:32} {mine:8.2f} ms"
    if runs[0][0][1] is not None:
        line += f"  {statistics.median(run[0][1] for run in runs):4.0%} of the peak"
    if runs[0][0][2] is not None:
        line += f"   oneDNN blocked {statistics.median(run[0][2] / run[0][0] for run in runs):5.2f}"
    for name in variants:
        line += f"   {name} {statistics.median(run[1][name] / run[0][0] for run in runs):5.2f}"
    print(line, flush=True)
