"""Tests that a report's command repeats what it is about, where the scenario comes from a file."""
import html
import json
import re
import subprocess
import unittest

from program import AIRLOT, ENVIRONMENT, ProgramTest, write_small_data

SCENARIO = """name = "it's mine"
rounds = 6
evaluate_every = 2
targets = [0.5]

[model]
name = "mlp"

[learning]
local_steps = 2

[data]
dataset = "{data}"
partition = "iid"

[fleet]
devices = 6

[round]
time_limit_s = 5
"""


def bytes_in(folder):
    """Returns the bytes of every table of runs."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*.csv"))}


class Repetition(ProgramTest):
    def setUp(self):
        super().setUp()
        self.data = write_small_data(self.folder / "data")
        (self.folder / "my own").mkdir()
        self.file = self.write("my own/it's mine.toml", SCENARIO.format(data=self.data))

    def command_of(self, page):
        return html.unescape(re.search(r'<pre class="command"[^>]*>(.*?)</pre>', page.read_text(), re.S)[1])

    def repeated(self, page, *options, cwd="/"):
        """Runs the command of a page, as a shell would."""
        command = self.command_of(page).replace("airlot", AIRLOT, 1) + "".join(f" {option}" for option in options)
        done = subprocess.run(command, shell=True, capture_output=True, text=True, env=ENVIRONMENT, cwd=cwd)
        self.assertEqual(done.returncode, 0, command + done.stderr)

    def test_runs_name_the_file_and_what_was_set(self):
        self.write("fleet.csv", "id,distance_m,energy_budget_j\na,35,5\nb,41,2\nc,12,1\n")
        out, again = self.folder / "out", self.folder / "again"
        self.done("compare", "my own/it's mine.toml", "--strategies", "random,probabilistic", "--seeds", 2, "--seed", 3, "--set", "rounds=4",
                  "--set", "fleet.file=fleet.csv", "--quiet", "-o", out, cwd=self.folder)
        command = self.command_of(out / "report.html")
        self.assertTrue(command.startswith("airlot compare '" + str(self.file).replace("'", "'\\''") + "' "), command)
        self.assertEqual(command.count("--set"), 2)
        self.assertIn("save the keys below to a file", html.unescape((out / "report.html").read_text()))
        self.repeated(out / "report.html", "--quiet", "-o", again)
        self.assertEqual(bytes_in(out), bytes_in(again))
        # The page is made of the directory alone: it stays, when the file is gone.
        page = (out / "report.html").read_bytes()
        self.file.unlink()
        self.done("report", out)
        self.assertEqual((out / "report.html").read_bytes(), page)

    def test_train_and_old_manifests(self):
        out, again = self.folder / "out", self.folder / "again"
        self.done("train", self.file, "--strategy", "random", "--quiet", "-o", out)
        self.assertIn("airlot train '", self.command_of(out / "report.html"))
        self.assertNotIn("--set", self.command_of(out / "report.html"))
        self.repeated(out / "report.html", "--quiet", "-o", again)
        self.assertEqual(bytes_in(out), bytes_in(again))
        # Earlier versions did not keep what was set beside a file.
        manifest = json.loads((out / "manifest.json").read_text())
        self.assertEqual(manifest.pop("overrides"), [])
        (out / "manifest.json").write_text(json.dumps(manifest))
        self.done("report", out)
        self.assertIn("airlot train float32-cell", self.command_of(out / "report.html"))
        self.repeated(out / "report.html", "--quiet", "-o", self.folder / "third")
        self.assertEqual(bytes_in(out), bytes_in(self.folder / "third"))

    def test_sweeps(self):
        out, again = self.folder / "out", self.folder / "again"
        self.done("sweep", "my own/it's mine.toml", "--vary", "rounds=2,4", "--strategies", "random", "--seeds", 1, "--set", "data.dataset=data",
                  "--quiet", "-o", out, cwd=self.folder)
        command = self.command_of(out / "report.html")
        self.assertIn(f"--set data.dataset={self.data}", command)
        self.assertIn("--vary rounds=2,4", command)
        self.repeated(out / "report.html", "--quiet", "-o", again)
        self.assertEqual(bytes_in(out), bytes_in(again))
        cell = out / "cells/2-rounds=4"
        self.done("report", cell)
        self.repeated(cell / "report.html", "--quiet", "-o", self.folder / "cell")
        self.assertEqual(bytes_in(cell), bytes_in(self.folder / "cell"))

    def test_plans(self):
        page, again = self.folder / "page.html", self.folder / "again.html"
        for options in ((), ("--vary", "round.time_limit_s=1,2")):
            self.done("plan", "my own/it's mine.toml", "--airtime", "--seed", 4, *options, "--quiet", "--report", page, cwd=self.folder)
            self.assertTrue(self.command_of(page).startswith("airlot plan 'my own/it'\\''s mine.toml'"), self.command_of(page))
            self.repeated(page, "--quiet", "--report", again, cwd=self.folder)
            self.assertEqual(page.read_bytes(), again.read_bytes())

    def test_what_came_through_a_pipe_is_named_by_its_keys(self):
        out = self.folder / "out"
        self.done("train", "/dev/stdin", "--strategy", "random", "--quiet", "-o", out, input=self.file.read_text())
        self.assertNotIn("/dev/stdin", self.command_of(out / "report.html"))
        self.repeated(out / "report.html", "--quiet", "-o", self.folder / "again")
        self.assertEqual(bytes_in(out), bytes_in(self.folder / "again"))


if __name__ == "__main__":
    unittest.main()
