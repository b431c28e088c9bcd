"""Tests airlot sweep and plan --vary from the outside: files, resume, cells that cannot run, bad input."""
import json
import math
import os
import re
import signal
import statistics
import subprocess
import time
import unittest

from program import AIRLOT, ENVIRONMENT, ProgramTest, airlot, rows_of, write_small_data

KEYS = {"rounds": 24, "evaluate_every": 4, "model.name": "mlp", "fleet.devices": 8, "learning.local_steps": 4, "round.time_limit_s": 5,
        "data.partition": "iid", "targets": "[0.5]"}
STUDENT_2 = 4.302652729911275  # the 97.5 % quantile with two degrees of freedom


def bytes_in(folder):
    """Returns the bytes of every file."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


class SweepTest(ProgramTest):
    def setUp(self):
        super().setUp()
        self.data = write_small_data(self.folder / "data")

    def arguments(self, *more, **keys):
        chosen = {"data.dataset": self.data, **KEYS, **keys}
        return ("sweep", "float32-cell", *(part for key, value in chosen.items() for part in ("--set", f"{key}={value}")), "--quiet", *map(str, more))


class Sweep(SweepTest):
    def test_numbers_are_those_of_the_runs(self):
        folder = self.folder / "out"
        text = self.done(*self.arguments("--vary", "radio.bandwidth_hz=1e6,1e7", "--strategies", "random,probabilistic", "--seeds", 3, "-o", folder))
        self.assertIn("2 cells, 2 strategies, 3 seeds", text)
        self.assertIn("+- is half of the 95 % interval over 3 seeds.", text)
        runs, cells = rows_of(folder / "runs.csv"), rows_of(folder / "cells.csv")
        self.assertEqual(len(runs), 12)
        for run in runs:
            cell = next(path for path in (folder / "cells").iterdir() if f"bandwidth_hz={run['radio.bandwidth_hz']}" in path.name)
            rounds = rows_of(cell / run["strategy"] / f"seed-{run['seed']}" / "rounds.csv")
            evaluated = [row for row in rounds if row["accuracy"]]
            self.assertEqual(float(run["final_accuracy"]), float(evaluated[-1]["accuracy"]))
            there = next((row for row in evaluated if float(row["accuracy"]) >= 0.5), None)
            self.assertEqual(run["time_s_to_0.5"], there["time_s"] if there else "")
            self.assertTrue((cell / "summary.json").exists())
        for row in cells:
            own = [run for run in runs if (run["radio.bandwidth_hz"], run["strategy"]) == (row["radio.bandwidth_hz"], row["strategy"])]
            if row["metric"] != "final_accuracy":
                continue
            values = [float(run["final_accuracy"]) for run in own]
            half = STUDENT_2 * statistics.stdev(values) / math.sqrt(3)
            self.assertAlmostEqual(float(row["mean"]), statistics.mean(values), places=12)
            self.assertAlmostEqual(float(row["low"]), max(statistics.mean(values) - half, 0), places=9)
            self.assertAlmostEqual(float(row["high"]), min(statistics.mean(values) + half, 1), places=9)
        metrics = {(row["metric"], row["target"]) for row in cells}
        self.assertEqual(metrics, {("time_s", "0.5"), ("energy_j", "0.5"), ("final_accuracy", ""), ("participants", ""),
                                   ("devices_over_budget", "")})
        page = (folder / "report.html").read_text()
        self.assertIn("Accuracy at the end", page)
        self.assertIn("--vary radio.bandwidth_hz=1e6,1e7", page)

    def test_a_scenario_from_a_pipe_is_read_once(self):
        folder = self.folder / "out"
        arguments = list(self.arguments("--vary", "rounds=4,8", "--strategies", "random", "--seeds", 1, "-o", folder))
        arguments[1] = "/dev/stdin"
        self.done(*arguments, input='name = "mine"\n[radio]\nbandwidth_hz = 123456\n')
        for cell in (folder / "cells").iterdir():
            self.assertIn("bandwidth_hz = 123456", json.loads((cell / "manifest.json").read_text())["scenario"])
        plan = ("plan", "/dev/stdin", "--set", "data.dataset=", "--json")
        text = "[round]\ntime_limit_s = 3\n[fleet]\ndevices = 7\n"
        one = json.loads(self.done(*plan, "--set", "radio.bandwidth_hz=1e6", input=text))
        rows = json.loads(self.done(*plan, "--vary", "radio.bandwidth_hz=1e6,1e7", input=text))["results"]
        self.assertEqual(rows[0]["mean"], one["expected_participants"])

    def test_a_cell_is_a_compare(self):
        folder, alone = self.folder / "out", self.folder / "alone"
        options = ("--strategies", "random", "--seeds", 1)
        self.done(*self.arguments("--vary", "data.samples_per_device=20,40", *options, "-o", folder))
        compare = [str(part) for part in self.arguments(*options, "--set", "data.samples_per_device=40", "-o", alone)]
        compare[0] = "compare"
        self.done(*compare)
        cell = folder / "cells" / "2-samples_per_device=40"
        self.assertEqual((cell / "random/seed-1/rounds.csv").read_bytes(), (alone / "random/seed-1/rounds.csv").read_bytes())
        self.assertEqual((cell / "random/seed-1/devices.csv").read_bytes(), (alone / "random/seed-1/devices.csv").read_bytes())

    def test_a_killed_sweep_goes_on_to_the_same_bytes(self):
        options = self.arguments("--vary", "radio.bandwidth_hz=1e6,1e7", "--with", "round.time_limit_s=4,5", "--vary", "data.samples_per_device=20,40",
                                 "--strategies", "random,uniform", "--seeds", 2, "--checkpoint-every-s", 0,
                                 **{"strategy.uniform.devices": 3})
        whole, cut = self.folder / "whole", self.folder / "cut"
        self.done(*options, "--jobs", 1, "-o", whole)
        hits = 0
        for signal_number in (signal.SIGKILL, signal.SIGINT):
            process = subprocess.Popen([AIRLOT, *map(str, options), "--jobs", "2", "-o", str(cut), *(["--resume"] if cut.exists() else [])],
                                       env=ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            # Some runs are complete when the signal comes, and most are not.
            wanted = 2 if signal_number == signal.SIGKILL else 6
            while process.poll() is None and len(list(cut.glob("cells/*/*/seed-*/rounds.csv"))) < wanted:
                time.sleep(0.002)
            hits += process.poll() is None
            process.send_signal(signal_number)
            process.wait()
        self.assertGreater(hits, 0)  # else nothing was tried
        self.done(*options, "--jobs", 2, "--resume", "-o", cut)
        self.assertEqual(bytes_in(whole), bytes_in(cut))

    def test_a_cell_that_cannot_run_is_named_and_the_others_run(self):
        folder = self.folder / "out"
        done = airlot(*self.arguments("--vary", "fleet.energy_budget_j=0,5", "--strategies", "random", "--seeds", 1, "-o", folder))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("note: the cell fleet.energy_budget_j=0 cannot run: ", done.stderr)
        self.assertIn("cannot run", done.stdout)
        self.assertIn("The cell fleet.energy_budget_j=0 is missing", (folder / "report.html").read_text())
        self.assertEqual(len(rows_of(folder / "runs.csv")), 1)
        again = airlot(*self.arguments("--vary", "fleet.energy_budget_j=0,5", "--strategies", "random", "--seeds", 1, "--resume", "-o", folder,
                                       "--json"))
        self.assertEqual([missing["cell"] for missing in json.loads(again.stdout)["missing"]], ["fleet.energy_budget_j=0"])

    def test_a_cell_whose_training_diverges_is_said_once(self):
        options = self.arguments("--vary", "learning.rate=0.01,1e30", "--strategies", "random,all", "--seeds", 2, rounds=12, evaluate_every=1)
        done = airlot(*options, "-o", self.folder / "out")
        self.assertEqual(done.returncode, 0, done.stderr)
        notes = [line for line in done.stderr.splitlines() if "diverged" in line]
        self.assertEqual(len(notes), 1, done.stderr)
        said = re.match(r"note: the cell learning\.rate=1e30, random, seed 1, and 3 more of its 4 runs: training diverged: the loss is not "
                        r"finite from round (\d+) on: lower learning\.rate = 1e\+30", notes[0])
        self.assertTrue(said, notes)
        rounds = rows_of(next((self.folder / "out").glob("cells/2-*/random/seed-1/rounds.csv")))
        self.assertEqual(said[1], next(row["round"] for row in rounds if row["accuracy"] and row["test_loss"] in ("", "inf")))

    def test_damaged_runs_are_named_and_effects_are_of_each_cell(self):
        folder = self.folder / "out"
        self.done(*self.arguments("--vary", "rounds=8,12", "--strategies", "random,all", "--seeds", 2, "-o", folder))
        for name in ("runs.csv", "cells.csv"):  # The key that is varied, rounds, is no other column's name.
            columns = (folder / name).read_text().splitlines()[0].split(",")
            self.assertEqual(len(columns), len(set(columns)))
        effects = self.json("report", folder, "--effects")["scenarios"]
        self.assertEqual([one["scenario"] for one in effects], ["1-rounds=8", "2-rounds=12"])
        rounds = folder / "cells/2-rounds=12/random/seed-2/rounds.csv"
        rounds.write_text(rounds.read_text().replace("\n12,", "\nx12,"))
        done = airlot("report", folder)
        self.assertEqual(done.returncode, 0)
        self.assertIn("random, seed 2, of the cell rounds=12 is left out: ", done.stderr)
        self.assertIn("1 run is missing", (folder / "report.html").read_text())

    def test_every_leaves_out_of_a_cell_what_cannot_run_in_it(self):
        folder = self.folder / "out"
        done = airlot(*self.arguments("--vary", "learning.compression=none,float16", "--strategies", "every", "--seeds", 1, "-o", folder, rounds=1))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("update-aware is left out of the cell learning.compression=float16: ", done.stderr)
        strategies = {row["learning.compression"]: set() for row in rows_of(folder / "runs.csv")}
        for row in rows_of(folder / "runs.csv"):
            strategies[row["learning.compression"]].add(row["strategy"])
        self.assertEqual(strategies["none"] - strategies["float16"],
                         {"update-aware", "update-aware-bc", "update-aware-bn2", "update-aware-bn2-c"})
        self.assertNotIn("missing.", (folder / "report.html").read_text())

    def test_report_and_figures_of_a_sweep(self):
        folder, figures = self.folder / "out", self.folder / "figures"
        self.done(*self.arguments("--vary", "radio.bandwidth_hz=1e6,1e7", "--vary", "data.partition=iid,shards", "--strategies", "random",
                                  "--seeds", 2, "--heat-maps", "-o", folder))
        self.assertIn("Heat map of accuracy at the end of random", (folder / "report.html").read_text())
        self.done("report", folder, "--figures", figures)
        self.assertTrue((figures / "sweep-accuracy.svg").exists())
        self.assertEqual(rows_of(figures / "sweep-accuracy.csv")[0]["data.partition"], "iid")


class BadSweeps(SweepTest):
    def refused(self, *arguments):
        folder = self.folder / "out"
        done = airlot(*self.arguments("--strategies", "random", "--seeds", 1, "-o", folder, *arguments))
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertFalse(folder.exists())
        return done.stderr

    def test_bad_input(self):
        cases = [((), "nothing is varied"),
                 (("--vary", "radio.bandwith_hz=1e6,1e7"), "did you mean radio.bandwidth_hz"),
                 (("--vary", "radio.bandwidth_hz=1:2:0"), "the count is 0"),
                 (("--vary", "radio.bandwidth_hz="), "has no values"),
                 (("--vary", "radio.bandwidth_hz=3:3:2"), "the range is empty"),
                 (("--vary", "radio.bandwidth_hz=1e6,-1"), "--vary radio.bandwidth_hz=-1: must be > 0"),
                 (("--vary", "rounds=1:2:4"), "rounds"),
                 (("--vary", "rounds=1,2", "--with", "evaluate_every=1,2,3"),
                  "rounds has 2 values, and evaluate_every in step with it has 3"),
                 (("--with", "rounds=1,2", "--vary", "evaluate_every=1,2"), "must stand behind the --vary"),
                 (("--vary", "rounds=1,2", "--vary", "rounds=3,4"), "varied twice"),
                 (("--vary", "rounds=1,2,1"), "rounds has the value 1 twice"),
                 (("--vary", "rounds=1,1", "--with", "evaluate_every=1,1"), "rounds has the values in step 1, 1 twice"),
                 (("--vary", "rounds=1,2", "--heat-maps"), "--heat-maps is for two --vary"),
                 (("--vary", "fleet.energy_budget_j=0"), "no cell can run")]
        for arguments, part in cases:
            with self.subTest(arguments=arguments):
                self.assertIn(part, self.refused(*arguments))

    def test_what_is_there_is_kept(self):
        folder = self.folder / "out"
        options = ("--strategies", "random", "--seeds", 1, "-o", folder)
        self.done(*self.arguments("--vary", "rounds=4,8", *options))
        before = bytes_in(folder)
        again = airlot(*self.arguments("--vary", "rounds=4,8", *options))
        self.assertEqual(again.returncode, 2)
        self.assertIn("add --resume to go on with them, or --force to replace them", again.stderr)
        other = airlot(*self.arguments("--vary", "rounds=4,9", *options, "--resume"))
        self.assertEqual(other.returncode, 2)
        self.assertIn("of other keys or values", other.stderr)
        self.assertEqual(bytes_in(folder), before)
        fewer = airlot(*self.arguments("--vary", "rounds=4,8", "--strategies", "uniform", "--seeds", 1, "-o", folder, "--resume"))
        self.assertEqual(fewer.returncode, 2)
        self.assertIn("of more strategies or seeds", fewer.stderr)
        vain = airlot(*self.arguments("--vary", "fleet.energy_budget_j=0", *options, "--force"))
        self.assertEqual(vain.returncode, 2)
        for name in ("sweep.json", "runs.csv", "cells.csv", ".lock"):
            self.assertEqual(airlot("report", folder, "-o", folder / name).returncode, 2, name)
        self.assertEqual(airlot("evaluate", folder / "cells/1-rounds=4/random/seed-1", "--per-device", "-o",
                                folder / "cells/1-rounds=4/manifest.json").returncode, 2)
        self.assertEqual(bytes_in(folder), before)
        self.done(*self.arguments("--vary", "rounds=4", *options, "--force"))
        self.assertEqual([path.name for path in (folder / "cells").iterdir()], ["1-rounds=4"])
        mine = self.folder / "mine"
        mine.mkdir()
        (mine / "file").write_text("x")
        refused = airlot(*self.arguments("--vary", "rounds=4", *options[:-1], mine, "--force"))
        self.assertEqual(refused.returncode, 2)
        self.assertEqual(os.listdir(mine), ["file"])


class PlanSweep(ProgramTest):
    PLAN = ("plan", "float32-cell", "--set", "data.dataset=")

    def test_numbers_are_those_of_single_plans(self):
        table, page = self.folder / "plans.csv", self.folder / "plans.html"
        result = self.json(*self.PLAN, "--vary", "radio.bandwidth_hz=1e6:1e8:3:log", "--vary", "round.time_limit_s=0.1,1", "--seed", 4,
                           "-o", table, "--report", page, "--heat-maps")
        self.assertEqual(result["cells"], 6)
        for row in rows_of(table):
            one = self.json(*self.PLAN, "--set", f"radio.bandwidth_hz={row['radio.bandwidth_hz']}", "--set",
                            f"round.time_limit_s={row['round.time_limit_s']}", "--seed", 4)
            self.assertEqual(float(row["mean"]), one[row["metric"]])
        self.assertIn("Participants of a round", page.read_text())
        self.assertIn("Heat map of participants", page.read_text())
        self.done(*self.PLAN, "--airtime", "--vary", "round.time_limit_s=0.1,1", "--report", page)
        self.assertIn("--set round.airtime=true", page.read_text())  # in the command that repeats it

    def test_several_fleets_have_intervals_and_airtime_is_planned(self):
        rows = self.json(*self.PLAN, "--vary", "round.time_limit_s=0.1,1", "--seeds", 3)["results"]
        single = [self.json(*self.PLAN, "--set", "round.time_limit_s=1", "--seed", seed)["expected_participants"] for seed in (1, 2, 3)]
        row = next(row for row in rows if row["round.time_limit_s"] == "1" and row["metric"] == "expected_participants")
        self.assertAlmostEqual(row["mean"], statistics.mean(single), places=12)
        self.assertAlmostEqual(row["high"] - row["mean"], STUDENT_2 * statistics.stdev(single) / math.sqrt(3), places=9)
        airtime = self.json(*self.PLAN, "--airtime", "--set", "strategy.airtime.participants=0", "--vary", "round.time_limit_s=0.1,1")["results"]
        self.assertAlmostEqual(next(row["mean"] for row in airtime if row["metric"] == "expected_round_time_s"), 0.1, places=9)

    def test_table_and_report_appear_together_or_not_at_all(self):
        table, page = self.write("plans.csv", "old"), self.folder / "none/plans.html"
        vary = (*self.PLAN, "--vary", "round.time_limit_s=1,2")
        self.fails("none/plans.html: cannot write: No such file or directory", *vary, "-o", table, "--report", page)
        self.assertEqual(table.read_text(), "old")
        self.fails("none/plans.csv: cannot write: No such file or directory", *vary, "-o", self.folder / "none/plans.csv",
                   "--report", self.folder / "plans.html")

    def test_bad_input(self):
        fleet = self.write("fleet.csv", "id,distance_m\na,10\nb,20\n")
        before = fleet.read_bytes()
        for output in (("-o", fleet), ("--report", fleet)):
            done = airlot(*self.PLAN, "--fleet", fleet, "--vary", "round.time_limit_s=1,2", *output)
            self.assertEqual(done.returncode, 2)
            self.assertEqual(fleet.read_bytes(), before)
        for arguments, part in ((("--vary", "round.time_limit=1,2"), "did you mean round.time_limit_s"),
                                (("--seeds", "3"), "add --vary"),
                                (("--vary", "round.time_limit_s=1,2", "--heat-maps", "--report", "x.html"), "--heat-maps is for two --vary"),
                                (("--vary", "round.time_limit_s=1,2", "--save-fleet", "x.csv"), "leave them out beside --vary")):
            done = airlot(*self.PLAN, *arguments, cwd=self.folder)
            self.assertEqual(done.returncode, 2)
            self.assertIn(part, done.stderr)


if __name__ == "__main__":
    unittest.main()
