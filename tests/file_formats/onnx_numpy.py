"""Runs an ONNX graph, opset 13, operator by operator with NumPy: slow and simple, to be compared with the
specification (https://github.com/onnx/onnx/blob/main/docs/Operators.md). It has only the operators that Troupe writes."""
import numpy
import onnx
from onnx import numpy_helper


def sigmoid(x):
    return 1 / (1 + numpy.exp(-x))


def softmax(x, axis):
    e = numpy.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def windows(x, kernel, strides, pads, dilations, fill):
    """[batch, channels, positions..., kernel...]"""
    axes = len(kernel)
    x = numpy.pad(x, [(0, 0), (0, 0)] + list(zip(pads[:axes], pads[axes:])), constant_values=fill)
    reach = [(k - 1) * d + 1 for k, d in zip(kernel, dilations)]
    view = numpy.lib.stride_tricks.sliding_window_view(x, reach, axis=tuple(range(2, 2 + axes)))
    steps = tuple(slice(None, None, s) for s in strides) + tuple(slice(None, None, d) for d in dilations)
    return view[(slice(None), slice(None)) + steps]


def conv(x, w, b, kernel_shape, strides, pads, dilations, group):
    axes = len(kernel_shape)
    seen = windows(x, kernel_shape, strides, pads, dilations, 0)
    over = [1] + list(range(2 + axes, 2 + 2 * axes))
    parts = []
    for part, weight in zip(numpy.split(seen, group, 1), numpy.split(w, group, 0)):
        y = numpy.tensordot(part, weight, (over, list(range(1, 2 + axes))))
        parts.append(numpy.moveaxis(y, -1, 1))
    return numpy.concatenate(parts, 1) + b.reshape([1, -1] + [1] * axes)


def pool(x, mean, kernel_shape, strides, pads):
    axes = len(kernel_shape)
    seen = windows(x, kernel_shape, strides, pads, [1] * axes, numpy.nan)
    over = tuple(range(2 + axes, 2 + 2 * axes))
    return (numpy.nanmean if mean else numpy.nanmax)(seen, over)


def reversed_inside(x, lengths):
    """[length, batch, ...], each sequence reversed; what comes after its end stays in place."""
    places = numpy.arange(len(x))[:, None]
    order = numpy.where(places < lengths, lengths - 1 - places, places)
    return x[order, numpy.arange(x.shape[1])]


def recurrent(step, x, weights, lengths, direction, state):
    """Runs each direction over the sequences up to their ends, given by ONNX's sequence_lens; 0 after them."""
    lengths = numpy.full(x.shape[1], len(x)) if lengths is None else lengths
    ys, lasts = [], []
    for d in range(2 if direction == "bidirectional" else 1):
        turns = direction == "reverse" or d == 1
        now, states = state, []
        for t, row in enumerate(reversed_inside(x, lengths) if turns else x):
            inside = (t < lengths)[:, None]
            now = [numpy.where(inside, new, old) for new, old in zip(step(row, now, *(w[d] for w in weights)), now)]
            states.append(numpy.where(inside, now[0], 0))
        y = numpy.stack(states)
        ys.append(reversed_inside(y, lengths) if turns else y)
        lasts.append(now[0])
    return numpy.stack(ys, 1), numpy.stack(lasts)


def lstm(x, w, r, b, lengths=None, *, hidden_size, direction="forward"):
    n = hidden_size

    def step(row, state, w, r, b):
        h, c = state
        gates = row @ w.T + h @ r.T + b[:4 * n] + b[4 * n:]
        i, o, f, g = (gates[:, k * n:(k + 1) * n] for k in range(4))
        c = sigmoid(f) * c + sigmoid(i) * numpy.tanh(g)
        return sigmoid(o) * numpy.tanh(c), c

    zero = numpy.zeros((x.shape[1], n), numpy.float32)
    return recurrent(step, x, (w, r, b), lengths, direction, (zero, zero))


def gru(x, w, r, b, lengths=None, *, hidden_size, linear_before_reset, direction="forward"):
    assert linear_before_reset == 1
    n = hidden_size

    def step(row, state, w, r, b):
        h, = state
        of_x, of_h = row @ w.T + b[:3 * n], h @ r.T + b[3 * n:]
        z, reset = (sigmoid(of_x[:, k * n:(k + 1) * n] + of_h[:, k * n:(k + 1) * n]) for k in range(2))
        return ((1 - z) * numpy.tanh(of_x[:, 2 * n:] + reset * of_h[:, 2 * n:]) + z * h,)

    return recurrent(step, x, (w, r, b), lengths, direction, (numpy.zeros((x.shape[1], n), numpy.float32),))


def batch_norm(x, scale, bias, mean, variance, epsilon):
    shape = [1, -1] + [1] * (x.ndim - 2)
    scale, bias, mean, variance = (each.reshape(shape) for each in (scale, bias, mean, variance))
    return scale * (x - mean) / numpy.sqrt(variance + epsilon) + bias


OPERATORS = {
    "Identity": lambda x: x,
    "Gemm": lambda a, b, c: a @ b + c,
    "MatMul": lambda a, b: a @ b,
    "Add": lambda a, b: a + b,
    "Sub": lambda a, b: a - b,
    "Mul": lambda a, b: a * b,
    "Div": lambda a, b: a / b,
    "Sqrt": numpy.sqrt,
    "Max": numpy.maximum,
    "Equal": lambda a, b: a == b,
    "Not": numpy.logical_not,
    "LessOrEqual": lambda a, b: a <= b,
    "Tanh": numpy.tanh,
    "Sigmoid": sigmoid,
    "Relu": lambda x: numpy.maximum(x, 0),
    "LeakyRelu": lambda x, alpha: numpy.where(x > 0, x, alpha * x),
    "Softmax": lambda x, axis: softmax(x, axis),
    "ReduceMean": lambda x, axes, keepdims=1: x.mean(tuple(axes), keepdims=bool(keepdims)),
    "ReduceMax": lambda x, axes, keepdims=1: x.max(tuple(axes), keepdims=bool(keepdims)),
    "Reshape": lambda x, shape: x.reshape(shape),
    "Flatten": lambda x, axis: x.reshape(x.shape[0], -1),
    "Transpose": lambda x, perm: x.transpose(perm),
    "Unsqueeze": lambda x, axes: numpy.expand_dims(x, tuple(axes)),
    "Squeeze": lambda x, axes: numpy.squeeze(x, tuple(axes)),
    "Split": lambda x, axis: numpy.split(x, 3, axis),
    "Gather": lambda table, rows: table[rows],
    "Cast": lambda x, to: x.astype(onnx.mapping.TENSOR_TYPE_TO_NP_TYPE[to]),
    "Conv": conv,
    "MaxPool": lambda x, **options: pool(x, False, **options),
    "AveragePool": lambda x, **options: pool(x, True, **options),
    "BatchNormalization": batch_norm,
    "LSTM": lstm,
    "GRU": gru,
}


def run(model, x):
    """The model's only output for its only input."""
    graph = model.graph
    values = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    values[graph.input[0].name] = x
    for node in graph.node:
        options = {each.name: onnx.helper.get_attribute_value(each) for each in node.attribute}
        options = {key: value.decode() if isinstance(value, bytes) else value for key, value in options.items()}
        y = OPERATORS[node.op_type](*(values[name] for name in node.input), **options)
        values.update(zip(node.output, [y] if len(node.output) == 1 else y))
    return values[graph.output[0].name]
