"""Keyword arguments as changes of the configuration, as on the program's command line: ``training.epochs=3``."""

from __future__ import annotations

import json
import math
import os
from typing import Any, Iterator, List, Mapping, Tuple

# A text for one of these sections names the component: model="mlp" is model={"name": "mlp"}.
NAMED_SECTIONS = ("model", "optimizer", "problem")


def text_of(value: Any) -> str:
    """A value as the program reads it: numbers and flags as they are, texts in quotes, lists in brackets."""
    if hasattr(value, "tolist"):  # NumPy's scalars and arrays
        value = value.tolist()
    if value is None or isinstance(value, (bool, int)):
        return json.dumps(value)
    if isinstance(value, float):
        return json.dumps(value) if math.isfinite(value) else str(value)
    if isinstance(value, (str, os.PathLike)):
        return json.dumps(os.fspath(value), ensure_ascii=False)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{text_of(str(key))}: {text_of(item)}" for key, item in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(text_of, value)) + "]"
    raise TypeError(f"{value!r} is no value of a configuration; give a number, a bool, a text, a list or a dict")


def leaves(path: str, value: Any) -> Iterator[Tuple[str, Any]]:
    if isinstance(value, Mapping) and value:
        for key, item in value.items():
            yield from leaves(f"{path}.{key}", item)
    else:
        yield path, value


def arguments_of(configuration: Mapping[str, Any]) -> List[str]:
    """``{"training": {"epochs": 3}}``, ``{"training__epochs": 3}`` and ``{"training.epochs": 3}`` are
    ``["training.epochs=3"]``."""
    arguments: List[str] = []
    for key, value in configuration.items():
        path = key.replace("__", ".")
        if path in NAMED_SECTIONS and isinstance(value, str):
            value = {"name": value}
        arguments.extend(f"{leaf}={text_of(item)}" for leaf, item in leaves(path, value))
    # The name of a component decides which other keys its section has.
    return sorted(arguments, key=lambda argument: not argument.partition("=")[0].endswith((".name", ".type")))
