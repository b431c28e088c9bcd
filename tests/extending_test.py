#!/usr/bin/env python3
"""Compiles the example of docs/extending.md against the library, and runs its test."""
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"^```(?:cpp)?\n// (src/\S+)\n(.*?)^```$", re.M | re.S)


class ExtendingTest(unittest.TestCase):
    def test_the_example_builds_and_passes(self):
        blocks = dict(BLOCK.findall((ROOT / "docs/extending.md").read_text()))
        self.assertEqual(sorted(blocks), ["src/selection/strategy_list.inc", "src/selection/strongest.cc",
                                          "src/selection/strongest_test.cc"])
        with tempfile.TemporaryDirectory() as folder:
            selection = pathlib.Path(folder) / "selection"
            selection.mkdir()
            for path, text in blocks.items():
                if path.endswith(".inc"):
                    text = (ROOT / path).read_text() + text  # a line more
                (pathlib.Path(folder) / path[len("src/"):]).write_text(text)
            program = folder + "/strongest_test"
            # The list comes before that of the sources, and so do the strategies made of it.
            subprocess.run(
                [os.environ["CXX"], "-std=c++20", "-Wall", "-Wextra", "-Wno-missing-field-initializers", "-Werror",
                 "-I" + folder, f"-I{ROOT}/include", f"-I{ROOT}/src", "-o", program,
                 f"{selection}/strongest.cc", f"{selection}/strongest_test.cc", f"{ROOT}/src/selection/strategies.cc",
                 os.environ["AIRLOT_LIBRARY"], "-lgtest_main", "-lgtest", "-lfmt", "-lpthread"], check=True)
            output = subprocess.run([program], check=True, capture_output=True, text=True).stdout
            self.assertIn("[  PASSED  ] 1 test.", output)


if __name__ == "__main__":
    unittest.main()
