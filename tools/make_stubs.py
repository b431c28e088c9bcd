#!/usr/bin/env python3
"""Makes python/airlot/_core.pyi, the types of the compiled part of the Python package, from that part itself.

    PYTHONPATH=build/release/python tools/make_stubs.py [--check]

pybind11 writes every signature into the documentation. Where its types say too little, as of arguments that the
bindings look at themselves, the table below says more. With --check nothing is written, and a stub that differs is an
error.
"""
import argparse
import inspect
import pathlib
import re
import sys

STUB = pathlib.Path(__file__).resolve().parents[1] / "python" / "airlot" / "_core.pyi"
LONGEST = 120

FLOATS, DEVICES, VECTOR = "npt.NDArray[np.float64]", "npt.NDArray[np.uint32]", "npt.NDArray[np.float32]"

# What pybind11 says, and what that is in a stub.
TYPES = {
    "airlot._core.": "", "numpy.ndarray": "npt.NDArray[Any]", "function": "Callable[..., object]",
    "dict": "Dict[str, Any]", "list": "List[Any]", "tuple": "Tuple[Any, ...]",
}

# The types of members and functions ("Class.member"), and of arguments ("Class.member(argument)" or
# "(argument)"), where the signature says too little.
BETTER = {
    **{f"View.{name}": FLOATS for name in (
        "probability", "power_w", "data_share", "energy_left_j", "noise_to_gain_w", "max_power_w", "energy_budget_j",
        "time_limit_s", "compute_energy_j", "compute_time_s", "samples", "bandwidth_hz", "update_bits", "ask_loss",
        "ask_update_norm", "ask_accuracy", "ask_compute_time")},
    **{f"Plan.{name}": FLOATS for name in ("probability", "power_w", "bandwidth_hz")},
    "View.able": DEVICES, "View.largest": DEVICES, "Plan.draw": DEVICES, "Setting.samples_of": DEVICES,
    "Setting.batch": DEVICES, "Setting.step_batches": f"List[{DEVICES}]", "Setting.data_share": FLOATS,
    "Setting.initial_parameters": VECTOR, "View.cost": "Tuple[float, float, float]",
    "Plan.describe": "Dict[str, npt.NDArray[Any]]", "Plan.floor": "Dict[str, npt.NDArray[Any]]",
    "Plan.levers": "Optional[Dict[str, Any]]", "draw_uniformly": f"Tuple[{DEVICES}, {FLOATS}]",
    "scenario_keys": "List[Tuple[str, str, str]]", "scenario_names": "List[Tuple[str, str]]",
    "strategies": "List[Tuple[str, str]]", "limit_names": "List[str]", "fitting": "Tuple[List[str], List[str]]",
    "(device)": "int", "(round)": "int", "(seed)": "int", "(count)": "int", "(index)": "int", "(bound)": "int",
    "(batch)": "int", "(steps)": "int", "(epochs)": "int", "(is_question)": "bool", "(purpose)": "Union[int, str]",
    "(devices)": "npt.ArrayLike", "(score)": "npt.ArrayLike", "(bits)": "Optional[npt.ArrayLike]",
    "(stream)": "RandomStream", "(data)": "Optional[Dataset]", "(columns)": "Mapping[str, object]",
    "(numbers)": "Mapping[str, object]", "View.cost(power_w)": "float", "View.cost(bandwidth_hz)": "float",
    "View.cost(cpu_share)": "float", "Plan.of_scenario(round)": "Optional[int]", "(min_probability)": "float",
    "(vary)": "Sequence[Tuple[str, Sequence[str]]]", "(make)": "Callable[..., object]",
}

HEAD = '''"""The compiled part of airlot. tools/make_stubs.py has made this file from it."""
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

__version__: str

class Error(ValueError): ...
'''


def split(text, at=","):
    """Cuts a text at a character, but not inside of brackets or quotes."""
    parts, depth, begin, quoted = [], 0, 0, False
    for index, letter in enumerate(text):
        quoted ^= letter == "'"
        depth += (letter in "[(") - (letter in "])")
        if letter == at and depth == 0 and not quoted:
            parts.append(text[begin:index])
            begin = index + 1
    return [part.strip() for part in [*parts, text[begin:]] if part.strip()]


def stub_type(text):
    """Returns a type of pybind11 as a stub says it."""
    for found, wanted in TYPES.items():
        text = re.sub(rf"(?<![\w.]){re.escape(found)}(?![\w\[])" if found[-1] != "." else re.escape(found), wanted, text)
    return text


def argument(text, place):
    """Returns an argument with its type and default."""
    if ":" not in text:
        return text  # "*"
    name, rest = (part.strip() for part in text.split(":", 1))
    if name == "self":
        return name
    given, *default = (part.strip() for part in split(rest, "="))
    kind = BETTER.get(f"{place}({name})") or BETTER.get(f"({name})") or stub_type(given)
    return f"{name}: {kind}" + (f" = {default[0]}" if default else "")


def signature(documentation, name, place, prefix=""):
    """Returns the lines of a function of which pybind11 has written the first line."""
    found = re.match(r"\w*\((.*)\) -> (.+)$", documentation.splitlines()[0])
    arguments = [argument(text, place) for text in split(found[1])]
    returned = BETTER.get(place) or stub_type(found[2])
    lines, line = [], f"{prefix}def {name}("
    indent = " " * len(line)
    for index, text in enumerate(arguments):
        text += ", " if index + 1 < len(arguments) else f") -> {returned}: ..."
        if len(line) + len(text.rstrip()) > LONGEST:
            lines.append(line.rstrip())
            line = indent
        line += text
    return [*lines, line if arguments else f"{line}) -> {returned}: ..."]


def of_class(bound):
    """Returns the lines of a class."""
    lines = ["", f"class {bound.__name__}:"]
    for name, member in vars(bound).items():
        place = f"{bound.__name__}.{name}"
        if name.startswith("_") and not (name == "__init__" and "(self: " in (member.__doc__ or "")):
            continue
        if isinstance(member, property):
            returned = re.search(r"-> (.+)$", member.fget.__doc__.splitlines()[0])[1]
            lines += ["    @property", f"    def {name}(self) -> {BETTER.get(place) or stub_type(returned)}: ..."]
        elif isinstance(member, staticmethod):
            lines += ["    @staticmethod", *signature(member.__func__.__doc__, name, place, "    ")]
        else:
            lines += signature(member.__doc__, name, place, "    ")
    return lines


def make():
    """Returns the text of the stub."""
    from airlot import _core

    members = {name: value for name, value in vars(_core).items() if not name.startswith("_")}
    lines = [HEAD.rstrip()]
    for name, value in members.items():
        if inspect.isclass(value) and name != "Error":
            lines += of_class(value)
    lines.append("")
    for name, value in members.items():
        if not inspect.isclass(value):
            lines += signature(value.__doc__, name, name)
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="fail where the stub is another one")
    arguments = parser.parse_args()
    text = make()
    if not arguments.check:
        STUB.write_text(text, encoding="utf-8")
    elif STUB.read_text(encoding="utf-8") != text:
        sys.exit(f"{STUB} is not what the bindings say: run tools/make_stubs.py")


if __name__ == "__main__":
    main()
