"""Types, documentation and notebooks."""
import contextlib
import importlib.util
import io
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import airlot
import examples

PACKAGE = pathlib.Path(airlot.__file__).parent
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

    def test_the_stubs_are_made_from_the_bindings(self):
        done = call(str(ROOT / "tools" / "make_stubs.py"), "--check")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


class Documentation(unittest.TestCase):
    # What others use comes first.
    FIRST = ["compare", "sweep", "Plan", "Scenario", "Strategy", "Backend", "Dataset", "Table", "Outcome"]

    def test_everything_public_is_explained_with_units_and_an_example(self):
        found = [examples.what_lacks(name, item) for name, item, _ in examples.public(airlot.__all__, airlot)]
        self.assertEqual([lack for lack in found if lack], [])

    def test_examples_run(self):
        items = list(examples.public(airlot.__all__, airlot))
        self.assertGreater(len(items), 110)
        texts = {name: examples.documentation(item) for name, item, _ in items}
        in_select = [name for name in texts if name.startswith("View") or name == "Strategy.select"]
        order = [*self.FIRST, *(name for name in texts if name not in self.FIRST and name not in in_select)]
        with tempfile.TemporaryDirectory() as folder:
            run = examples.Examples(folder)
            run.run("airlot", airlot.__doc__)
            for name in order:
                if name == "Backend":
                    run.take_setting()
                run.run(name, texts[name])
            run.run_within_select([(name, texts[name]) for name in in_select])
        self.assertFalse(run.failed, "".join(run.failed))
        self.assertGreater(run.tried, 120)

    def test_the_page_on_python_runs(self):
        text = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
        names = {}
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder), contextlib.redirect_stdout(io.StringIO()):
            for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
                if "import torch" in block and not importlib.util.find_spec("torch"):
                    continue
                for large, small in (("rounds=200", "rounds=2"), ("seeds=5", "seeds=1"), ("1_000_000", "1_000"),
                                     ('"float32-cell"', 'airlot.Scenario(rounds=2, **{"data.dataset": "digits"})')):
                    block = block.replace(large, small)
                exec(compile(block, "docs/python.md", "exec"), names)
        self.assertIn("Strongest", names)
        self.assertEqual(names["results"].runs["strategy"], ["airtime", "probabilistic", "uniform"])

    @unittest.skipUnless(importlib.util.find_spec("torch"), "torch is missing")
    def test_examples_of_torch(self):
        import airlot.torch

        items = list(examples.public(airlot.torch.__all__, airlot.torch))
        self.assertEqual([lack for lack in (examples.what_lacks(name, item) for name, item, _ in items) if lack], [])
        with tempfile.TemporaryDirectory() as folder:
            run = examples.Examples(folder)
            run.run("compare", airlot.compare.__doc__)
            run.run("airlot.torch", airlot.torch.__doc__)
            for name, item, _ in items:
                run.run(name, examples.documentation(item))
        self.assertFalse(run.failed, "".join(run.failed))


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
