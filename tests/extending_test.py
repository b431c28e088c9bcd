#!/usr/bin/env python3
"""Builds the files of docs/extending.md against the installed package, as the page says, and runs them."""
import json
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
PREFIX = pathlib.Path(os.environ["AIRLOT_PREFIX"])  # The package is installed here.
BLOCK = re.compile(r"^```(?:cpp|cmake)\n(?://|#) (\S+)\n(.*?)^```$", re.M | re.S)
ENVIRONMENT = {**os.environ, "LC_ALL": "C", "NO_COLOR": "1"}
# The runs are short, on a set that needs no download.
SHORT = ["--set", "data.dataset=digits", "--set", "model.name=mlp", "--set", "fleet.devices=60", "--set", "rounds=6",
         "--set", "evaluate_every=2", "--set", "strategy.strongest.devices=3", "--quiet"]


def run(*command, expect=0):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, env=ENVIRONMENT, timeout=600)
    if done.returncode != expect:
        raise AssertionError(f"{command}: exit {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done.stdout


class ExtendingTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.scratch.name)
        blocks = dict(BLOCK.findall((ROOT / "docs/extending.md").read_text()))
        assert sorted(blocks) == ["CMakeLists.txt", "clipped.cc", "lossy.cc", "main.cc", "strongest.cc",
                                  "strongest_test.cc"], sorted(blocks)
        for name, text in blocks.items():
            (cls.folder / name).write_text(text)
            # What the page includes of airlot is there for everybody.
            for header in re.findall(r"#include [<\"](\S*airlot/\S+)[>\"]", text):
                assert (PREFIX / "include" / header).exists(), header
        run("cmake", "-S", cls.folder, "-B", cls.folder / "build", "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={PREFIX}",
            f"-DCMAKE_CXX_COMPILER={os.environ.get('CXX', 'c++')}",
            "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Wpedantic -Wshadow -Wno-missing-field-initializers -Werror")
        run("cmake", "--build", cls.folder / "build", "-j", "2")
        cls.airlot = cls.folder / "build/my_airlot"

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def command(self, folder, *more):
        return [str(self.airlot), "compare", "float32-cell", "--strategies", "strongest,probabilistic", "--seeds",
                "2", *SHORT, "-o", str(self.folder / folder), *more]

    def compare(self, folder, *more):
        return run(*self.command(folder, *more))

    def rounds(self, folder):
        folder = self.folder / folder
        return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("rounds.csv")}

    def test_the_strategy_selects_as_worked_by_hand(self):
        self.assertEqual(run(self.folder / "build/strongest_test"), "passed\n")

    def test_the_commands_know_it(self):
        strategies = json.loads(run(self.airlot, "list", "strategies", "--json"))
        self.assertEqual(strategies[-1], {"name": "strongest", "summary": "The devices of the strongest channels."})
        keys = {key["name"]: key for key in json.loads(run(self.airlot, "list", "keys", "--json"))}
        self.assertEqual(keys["strategy.strongest.devices"]["default"], "10")
        run(self.airlot, "plan", "--set", "data.dataset=", "--quiet")
        run(self.airlot, "plan", "--set", "strategy.strongest.devices=0", expect=2)
        # The program without the extension does not know its key.
        run(PREFIX / "bin/airlot", "plan", "--set", "strategy.strongest.devices=3", expect=2)

    def test_runs_are_kept_resumed_and_reported(self):
        self.compare("whole")
        whole = self.rounds("whole")
        self.assertEqual(sorted(whole), [f"{strategy}/seed-{seed}/rounds.csv"
                                         for strategy in ("probabilistic", "strongest") for seed in (1, 2)])
        # The option makes it three devices in every round.
        rows = whole["strongest/seed-1/rounds.csv"].decode().splitlines()
        column = rows[0].split(",").index("participants")
        self.assertEqual([row.split(",")[column] for row in rows[2:]], ["3"] * 6)
        page = (self.folder / "whole/report.html").read_text()
        self.assertIn("strongest", page)
        self.compare("whole", "--resume")  # Nothing is left to do.
        self.assertEqual(self.rounds("whole"), whole)
        (self.folder / "whole/report.html").unlink()
        run(self.airlot, "report", self.folder / "whole")
        self.assertEqual((self.folder / "whole/report.html").read_text().count("strongest"), page.count("strongest"))

        self.interrupt("parts")
        self.compare("parts", "--resume")
        self.assertEqual(self.rounds("parts"), whole)

    def test_the_training_rule_bounds_the_step(self):
        rules = [rule["name"] for rule in json.loads(run(self.airlot, "list", "training-rules", "--json"))]
        self.assertEqual(rules[-1], "clipped")
        rounds = {}
        for tau in ("1e-9", "1e9"):
            folder = self.folder / f"clipped-{tau}"
            run(self.airlot, "train", "--strategy", "strongest", *SHORT, "--set", "learning.rule=clipped", "--set",
                f"learning.tau={tau}", "-o", folder)
            rounds[tau] = (folder / "strongest/seed-1/rounds.csv").read_text()
        accuracies = {tau: {row.split(",")[5] for row in text.splitlines()[1:]} - {""} for tau, text in rounds.items()}
        self.assertEqual(len(accuracies["1e-9"]), 1)  # Steps of a billionth change nothing.
        self.assertGreater(len(accuracies["1e9"]), 1)

    def test_a_backend_runs_comparisons_from_cpp(self):
        settings = [setting for setting in SHORT if "=" in setting]
        run(self.folder / "build/lossy", self.folder / "lossy", *settings)
        lossy = self.rounds("lossy")
        self.assertEqual(len(lossy), 4)
        # The program goes on where nothing is left to do.
        run(self.folder / "build/lossy", self.folder / "lossy", *settings)
        self.assertEqual(self.rounds("lossy"), lossy)
        self.assertIn("strongest", (self.folder / "lossy/report.html").read_text())
        self.compare("all_arrive")
        self.assertNotEqual(self.rounds("all_arrive"), lossy)

    def interrupt(self, folder):
        """Stops a comparison as soon as it has saved something of the strategy."""
        process = subprocess.Popen(self.command(folder, "--checkpoint-every-s", "0"), stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, text=True, env=ENVIRONMENT)
        while process.poll() is None and not list((self.folder / folder).glob("strongest/seed-1/checkpoint")):
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        error = process.communicate(timeout=600)[1]
        self.assertEqual(process.returncode, 130, error)

    def test_pkg_config_finds_the_program(self):
        environment = {**ENVIRONMENT, "PKG_CONFIG_PATH": str(next(PREFIX.glob("lib*/pkgconfig")))}
        flags = subprocess.run(["pkg-config", "--cflags", "--libs", "airlot-program"], capture_output=True, text=True,
                               check=True, env=environment).stdout.split()
        program = self.folder / "by_pkg_config"
        run(os.environ.get("CXX", "c++"), "-std=c++20", "-o", program, self.folder / "main.cc",
            self.folder / "strongest.cc", self.folder / "clipped.cc", *flags)
        self.assertIn("strongest", run(program, "list", "strategies"))


if __name__ == "__main__":
    unittest.main()
