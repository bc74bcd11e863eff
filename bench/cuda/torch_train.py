#!/usr/bin/env python3
"""Times PyTorch's training step on a card: the models, data and loop of the other comparisons, with the data on the card.

usage: torch_train.py MODEL BATCH sgd|adam MODE,... float32|tf32|bfloat16 [SECONDS]

MODEL is M1 (784-512-512-10), M3 (784-10) or M5 (784-2048-2048-10). MODE is `eager`, with the fused optimizer, `compile`, with
torch.compile(mode="reduce-overhead"), or `graph`, which captures the whole step by hand. Prints one line of JSON for each
mode: the median of five runs in microseconds per step, timed with events.
"""
import json
import sys

import torch

HIDDEN = {"M1": [512, 512], "M3": [], "M5": [2048, 2048]}


def measure(model_name, batch, optimizer_name, mode, precision, seconds):
    torch.manual_seed(1)
    torch.backends.cuda.matmul.allow_tf32 = precision == "tf32"
    examples = 60000
    x = torch.rand(examples, 784, device="cuda")
    y = torch.randint(0, 10, (examples,), device="cuda")
    widths = [784, *HIDDEN[model_name], 10]
    layers = []
    for inputs, outputs in zip(widths, widths[1:]):
        layers += [torch.nn.Linear(inputs, outputs), torch.nn.ReLU()]
    model = torch.nn.Sequential(*layers[:-1]).cuda()
    captured = mode == "graph"
    if optimizer_name == "adam":
        optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, fused=True, capturable=captured)
    else:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9, fused=True)
    loss_of = torch.nn.CrossEntropyLoss()
    forward = torch.compile(model, mode="reduce-overhead") if mode == "compile" else model
    autocast = torch.autocast("cuda", torch.bfloat16, enabled=precision == "bfloat16")

    def step(inputs, targets):
        optimizer.zero_grad(set_to_none=not captured)
        with autocast:
            loss = loss_of(forward(inputs), targets)
        loss.backward()
        optimizer.step()
        return loss

    order = {"rows": torch.randperm(examples, device="cuda"), "at": 0}

    def next_rows():
        if order["at"] + batch > examples:
            order["rows"] = torch.randperm(examples, device="cuda")
            order["at"] = 0
        rows = order["rows"][order["at"]:order["at"] + batch]
        order["at"] += batch
        return rows

    if captured:
        rows = next_rows().clone()
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(5):
                step(x[rows], y[rows])
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            step(x[rows], y[rows])

        def run_one():
            rows.copy_(next_rows())
            graph.replay()
    else:
        def run_one():
            rows = next_rows()
            if mode == "compile":
                torch.compiler.cudagraph_mark_step_begin()
            step(x[rows], y[rows])

    def run(count):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        for _ in range(count):
            run_one()
        end.record()
        end.synchronize()
        return begin.elapsed_time(end) * 1e3

    run(30)
    count = 50
    while run(count) < seconds * 1e6 / 3:
        count *= 2
    runs = sorted(run(count) / count for _ in range(5))
    print(json.dumps({"case": f"{model_name} B{batch} {optimizer_name} {precision}", "mode": mode, "us": runs[2],
                      "least": runs[0], "most": runs[4]}), flush=True)


def main():
    model_name, batch, optimizer_name, modes, precision = sys.argv[1], int(sys.argv[2]), *sys.argv[3:6]
    for mode in modes.split(","):
        measure(model_name, batch, optimizer_name, mode, precision, float(sys.argv[6]) if len(sys.argv) > 6 else 0.4)


if __name__ == "__main__":
    main()
