"""Types, documentation and notebooks."""
import doctest
import importlib
import importlib.util
import inspect
import pathlib
import subprocess
import sys
import tempfile
import unittest

import airlot

PACKAGE = pathlib.Path(airlot.__file__).parent
MODULES = ["airlot", "airlot._plan", "airlot._scenario", "airlot._strategy", "airlot._backend", "airlot._data",
           "airlot._runs", "airlot._table"]
ROOT = pathlib.Path(__file__).resolve().parents[2]
NOTEBOOKS = ROOT / "python" / "notebooks"


def call(*command):
    return subprocess.run([sys.executable, *command], capture_output=True, text=True, cwd=tempfile.gettempdir(),
                          env={"PYTHONPATH": str(PACKAGE.parent), "MYPYPATH": str(PACKAGE.parent), "HOME": "/tmp",
                               "PATH": "/usr/bin:/bin"})


class Types(unittest.TestCase):
    def test_mypy_accepts_the_package(self):
        with tempfile.TemporaryDirectory() as cache:
            done = call("-m", "mypy", "--cache-dir", cache, "--config-file", str(ROOT / "pyproject.toml"), "-p", "airlot")
        self.assertEqual(done.returncode, 0, done.stdout[-3000:] + done.stderr[-1000:])

    def test_the_stubs_are_those_of_the_bindings(self):
        # Every name of the compiled part is in its stub and the other way round, with the same arguments.
        import ast
        from airlot import _core

        tree = ast.parse((PACKAGE / "_core.pyi").read_text())
        stubs = {node.name: node for node in tree.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
        real = {name for name in vars(_core) if not name.startswith("_")}
        self.assertEqual(set(stubs), real)
        for name, node in stubs.items():
            if isinstance(node, ast.FunctionDef):
                self.compare_arguments(node, getattr(_core, name), name)
                continue
            members = {item.name: item for item in node.body if isinstance(item, ast.FunctionDef)}
            public = {member for member in vars(getattr(_core, name)) if not member.startswith("_")}
            if name != "Error":
                self.assertEqual({member for member in members if member != "__init__"}, public, name)
            for member, item in members.items():
                if any(getattr(mark, "id", "") == "property" for mark in item.decorator_list):
                    self.assertIsInstance(inspect.getattr_static(getattr(_core, name), member), property, member)
                else:
                    self.compare_arguments(item, getattr(getattr(_core, name), member), f"{name}.{member}")

    def compare_arguments(self, node, function, name):
        expected = [argument.arg for argument in [*node.args.args, *node.args.kwonlyargs]]
        signature = function.__doc__.splitlines()[0]
        depth, found, text = 0, [], ""
        for letter in signature[signature.index("(") + 1:signature.rindex(") ->")] + ",":
            depth += (letter in "[(") - (letter in "])")
            if letter == "," and depth == 0:
                found.append(text.split(":")[0].split("=")[0].strip())
                text = ""
            else:
                text += letter
        self.assertEqual([argument for argument in found if argument not in ("*", "")], expected, name)


class Documentation(unittest.TestCase):
    def test_examples(self):
        tried = 0
        for name in MODULES:
            module = importlib.import_module(name)
            result = doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE)
            self.assertEqual(result.failed, 0, name)
            tried += result.attempted
        self.assertGreater(tried, 25)

    def test_everything_public_is_explained(self):
        for name in airlot.__all__:
            if name == "__version__":
                continue
            item = getattr(airlot, name)
            self.assertTrue(item.__doc__, name)
            for member, value in vars(item).items() if inspect.isclass(item) else ():
                if not member.startswith("_") and (inspect.isfunction(value) or isinstance(value, property)):
                    if item.__module__.startswith("airlot._core"):
                        continue
                    self.assertTrue(value.__doc__, f"{name}.{member}")


class Notebooks(unittest.TestCase):
    def run_notebook(self, name):
        import nbformat
        from nbclient import NotebookClient

        notebook = nbformat.read(NOTEBOOKS / name, as_version=4)
        with tempfile.TemporaryDirectory() as folder:
            NotebookClient(notebook, timeout=300, kernel_name="python3",
                           resources={"metadata": {"path": folder}}).execute()

    def test_plan_a_fleet(self):
        self.run_notebook("plan_a_fleet.ipynb")

    def test_compare_strategies(self):
        self.run_notebook("compare_strategies.ipynb")

    def test_own_strategy(self):
        self.run_notebook("own_strategy.ipynb")

    @unittest.skipUnless(importlib.util.find_spec("torch"), "torch is missing")
    def test_own_torch_model(self):
        self.run_notebook("own_torch_model.ipynb")


if __name__ == "__main__":
    unittest.main()
