"""Tests of the program share this: running it, and a small data set to train on."""
import csv
import ctypes
import json
import os
import random
import re
import struct
import subprocess
import tempfile
import unittest
from pathlib import Path

AIRLOT = os.environ["AIRLOT"]
ENVIRONMENT = {**os.environ, "LC_ALL": "C", "NO_COLOR": "1"}
# Every device has fleet.samples, so that fleets may have any size and no data set is needed.
PLAN = ("plan", "--set", "data.dataset=")


def airlot(*arguments, **options):
    """Runs the program; `env` adds to its environment."""
    return subprocess.run([AIRLOT, *map(str, arguments)], capture_output=True, text=True,
                          env={**ENVIRONMENT, **options.pop("env", {})}, timeout=300, **options)


def commands(*words):
    """Yields every command as its words, by what each help lists."""
    yield words
    listed = airlot(*words, "--help").stdout.partition("\nSubcommands:\n")[2].partition("\n\n")[0]
    for name in re.findall(r"^  ([a-z]\S*)", listed, re.M):
        yield from commands(*words, name)


def rows_of(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def without_privilege():
    """Runs in the child: root, too, then has to keep to the permissions of files."""
    drop_capability, override, read_search = 24, 1, 2
    for capability in (override, read_search):
        ctypes.CDLL(None).prctl(drop_capability, capability, 0, 0, 0)


def idx(dimensions, values, kind=8):
    """Returns the bytes of an IDX file."""
    return bytes((0, 0, kind, len(dimensions))) + struct.pack(
        f">{len(dimensions)}I", *dimensions) + bytes(values)


def write_small_data(folder):
    """Makes 28x28 images of ten classes: a bright bar at the height of the class, and noise."""
    draw = random.Random(1)
    folder.mkdir()
    for name, samples in (("train", 600), ("t10k", 100)):
        labels = [i % 10 for i in range(samples)]
        pixels = bytearray(draw.choices(range(60), k=samples * 784))
        for i, label in enumerate(labels):
            start = i * 784 + (2 * label + 4) * 28
            pixels[start + 4:start + 24] = bytes([250] * 20)
        (folder / f"{name}-images-idx3-ubyte").write_bytes(idx((samples, 28, 28), pixels))
        (folder / f"{name}-labels-idx1-ubyte").write_bytes(idx((samples,), labels))
    return folder


class ProgramTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)

    def done(self, *arguments, **options):
        """Runs a command that succeeds; returns what it prints."""
        result = airlot(*arguments, **options)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stderr, "")
        return result.stdout

    def json(self, *arguments):
        return json.loads(self.done(*arguments, "--json"))

    def fails(self, expected, *arguments, code=2, **options):
        """Runs a command that fails: one clear line, nothing on stdout, nothing new in the folder."""
        before = sorted(self.folder.rglob("*"))
        result = airlot(*arguments, **options)
        self.assertEqual(result.returncode, code, result.stderr)
        self.assertEqual(result.stdout, "")
        self.assertEqual(result.stderr.replace(f"{self.folder}/", ""), f"error: {expected}\n")
        self.assertEqual(sorted(self.folder.rglob("*")), before)

    def write(self, name, text):
        path = self.folder / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    rows = staticmethod(rows_of)
