#!/usr/bin/env python3
"""Other programs read what Troupe writes, and Troupe reads what they write: NumPy (.npz), a reader of safetensors written
from its specification, ONNX's checker and shape inference; an ONNX model run by NumPy predicts what `troupe predict` does.

usage: exchange.py TROUPE
"""
import json
import pathlib
import subprocess
import sys
import tempfile

try:
    import numpy
    import onnx
    import onnx.shape_inference
    import onnx_numpy
except ImportError as error:
    print(f"skipped: {error}; needs python3-numpy and python3-onnx")
    sys.exit(77)

TOLERANCE = 1e-5
PADDING = -1
DIGITS = ["problem.train=96", "problem.validation=32", "problem.test=32"]
RECALL = ["problem.name=serial_recall", "problem.train=96", "problem.validation=32", "problem.test=32"]
IMAGE_LAYERS = """[conv2d: {channels: 6, kernel: 3, padding: 2, dilation: 2}, batch_norm, relu,
  max_pooling: {size: 3, stride: 2, padding: 1}, residual: [conv2d: {channels: 6, padding: 1, groups: 3}, silu],
  average_pooling: {size: 3, stride: 2, padding: 1}, gelu,
  residual: {layers: [conv2d: {channels: 4, kernel: 1}, tanh], shortcut: [conv2d: {channels: 4, kernel: 1}]},
  conv2d: {channels: 4, stride: 2}, leaky_relu: 0.1, layer_norm, batch_norm, flatten, dropout: 0.2, linear: 12,
  batch_norm, sigmoid, output, softmax]"""
LINE_LAYERS = "[conv1d: {channels: 5, padding: 1}, relu, max_pooling: 2, conv1d: 4, global_pooling, output]"
SEQUENCE_LAYERS = """[embedding: 8, position_embedding, lstm: 7, gru: {hidden: 6, reverse: true},
  multi_head_attention: {heads: 2}, transformer_block: {heads: 3, mlp_width: 5}, lstm: {hidden: 5, reverse: true},
  output]"""
TAGGING = ["problem.name=tagging", "problem.train=96", "problem.validation=32", "problem.test=32"]
BOTH_LAYERS = """[embedding: 8, gru: {hidden: 6, bidirectional: true}, lstm: {hidden: 5, reverse: true}, layer_norm,
  linear: 8, transformer_block: {heads: 2}, gru: {hidden: 4, bidirectional: true, last: true}, output]"""
LAST_LAYERS = "[embedding: 8, gru: 6, lstm: {hidden: 7, last: true, reverse: true}, output]"

MODELS = {
    "mlp": DIGITS + ["model.hidden=[16]"],
    "linear": DIGITS + ["model.name=linear"],
    "lenet": DIGITS + ["model.name=lenet"],
    "resnet_small": DIGITS + ["model.name=resnet_small", "model.channels=[4,6]"],
    "images": DIGITS + ["model.name=network", "model.layers=" + " ".join(IMAGE_LAYERS.split())],
    "char_lstm": RECALL + ["model.name=char_lstm", "model.width=6", "model.hidden=9", "model.layers=2"],
    "gpt_mini": RECALL + ["model.name=gpt_mini", "model.width=8", "model.heads=2", "model.blocks=2"],
    "sequences": RECALL + ["model.name=network", "model.layers=" + " ".join(SEQUENCE_LAYERS.split())],
    "last": RECALL + ["model.name=network", "model.layers=" + LAST_LAYERS],
    "lstm_tagger": TAGGING + ["model.name=lstm_tagger", "model.width=6", "model.hidden=5", "model.layers=2"],
    "both directions": TAGGING + ["model.name=network", "model.layers=" + " ".join(BOTH_LAYERS.split())],
    "tied": RECALL + ["model.name=gpt_mini", "model.width=8", "model.heads=2", "model.blocks=1", "model.tied=true"],
    "shared": DIGITS + ["model.hidden=[9,9,9]", "model.share={linear2.weight: linear1.weight, linear2.bias: linear1.bias}"],
    "lines": DIGITS + ["model.name=network", "model.layers=" + LINE_LAYERS],
}


def troupe(folder, *arguments):
    done = subprocess.run([PROGRAM, *arguments], cwd=folder, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"troupe {' '.join(arguments)}: exit code {done.returncode}\n{done.stderr}")
    return done.stdout


def read_safetensors(path):
    data = path.read_bytes()
    length = int.from_bytes(data[:8], "little")
    header = json.loads(data[8:8 + length])
    header.pop("__metadata__", None)
    body = data[8 + length:]
    return {name: numpy.frombuffer(body[slice(*entry["data_offsets"])], "<f4").reshape(entry["shape"])
            for name, entry in header.items()}


def write_safetensors(path, arrays, dtype, kind):
    header, body = {}, b""
    for name, array in arrays.items():
        piece = numpy.ascontiguousarray(array, dtype).tobytes()
        header[name] = {"dtype": kind, "shape": array.shape, "data_offsets": [len(body), len(body) + len(piece)]}
        body += piece
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + body)


def check(holds, what):
    if not holds:
        raise SystemExit("failed: " + what)


def check_same(one, other, what):
    check(one.keys() == other.keys(), f"{what}: names {sorted(one)} and {sorted(other)}")
    for name in one:
        check(numpy.array_equal(one[name], other[name]), f"{what}: '{name}' differs")


def examples(model):
    """Random examples for the model's declared input."""
    random = numpy.random.default_rng(3)
    field = model.graph.input[0]
    shape = [9] + [size.dim_value for size in field.type.tensor_type.shape.dim[1:]]
    if field.type.tensor_type.elem_type != onnx.TensorProto.INT64:
        return random.standard_normal(shape).astype(numpy.float32)
    tables = [node.input[0] for node in model.graph.node if node.op_type == "Gather"]
    rows = next(each.dims[0] for each in model.graph.initializer if each.name == tables[0])
    tokens = random.integers(0, rows, shape)
    if any(node.name.startswith("padding.") for node in model.graph.node):
        for length, row in enumerate(tokens):
            row[length + 1:] = PADDING
    return tokens


def check_onnx(folder, name):
    troupe(folder, "export", "latest", "-o", "model.onnx")
    model = onnx.load(str(folder / "model.onnx"))
    onnx.checker.check_model(model, full_check=True)
    inferred = onnx.shape_inference.infer_shapes(model, strict_mode=True, data_prop=True)
    check(all(size.HasField("dim_value") or size.HasField("dim_param") for value in inferred.graph.output
              for size in value.type.tensor_type.shape.dim), f"{name}: the prediction has no shape")
    x = examples(model)
    numpy.save(folder / "x.npy", x)
    troupe(folder, "predict", "latest", "--input", "x.npy", "-o", "y.npy")
    ours = numpy.load(folder / "y.npy")
    theirs = onnx_numpy.run(model, x)
    check(ours.shape == theirs.shape, f"{name}: NumPy predicts {theirs.shape}, Troupe {ours.shape}")
    largest, error = numpy.abs(ours).max(), numpy.abs(ours - theirs).max()
    print(f"{name}: {len(model.graph.node)} nodes, predictions up to {largest:.3f}, NumPy differs by {error:.1e}")
    check(error <= TOLERANCE * max(1, largest), f"{name}: NumPy differs by {error}")


def check_parameters(folder):
    """Checks that exported parameters are the same in each format."""
    for file in ("model.npz", "model.safetensors"):
        troupe(folder, "export", "latest", "-o", file)
    arrays = dict(numpy.load(folder / "model.npz"))
    check_same(arrays, read_safetensors(folder / "model.safetensors"), "npz and safetensors")
    return arrays


def check_load(folder, arguments, arrays):
    """A run starts with a file of another program; after a step with learning rate 0 it still has the same parameters."""
    halves = {name: array.astype(numpy.float16).astype(numpy.float32) for name, array in arrays.items()}
    columns = {name: numpy.asfortranarray(array) for name, array in halves.items()}
    numpy.savez(folder / "stored.npz", **columns)
    numpy.savez_compressed(folder / "packed.npz", **halves)
    write_safetensors(folder / "half.safetensors", halves, "<f2", "F16")
    write_safetensors(folder / "double.safetensors", halves, "<f8", "F64")
    for file in ("stored.npz", "packed.npz", "half.safetensors", "double.safetensors"):
        load = f"extensions.load={{path: {folder / file}, strict: true}}"
        troupe(folder, "train", *arguments, load, "optimizer.name=sgd", "optimizer.learning_rate=0", "-q",
               "training.batches=1")
        troupe(folder, "export", "latest", "-o", "back.npz")
        check_same(halves, dict(numpy.load(folder / "back.npz")), f"a run that started with {file}")


PROGRAM = str(pathlib.Path(sys.argv[1]).resolve())
for name, arguments in MODELS.items():
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        troupe(folder, "train", *arguments, "training.seed=5", "training.batches=3", "training.batch_size=32", "-q")
        arrays = check_parameters(folder)
        check_onnx(folder, name)
        if name in ("mlp", "tied"):
            check_load(folder, arguments, arrays)
print("all agree")
