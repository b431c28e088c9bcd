"""Tests training runs from the outside: what they write, that they repeat, how they take bad input."""
import hashlib
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import time
import unittest
from pathlib import Path

from program import AIRLOT, ENVIRONMENT, ProgramTest, airlot, without_privilege, write_small_data

STRATEGIES = ("probabilistic", "deterministic", "uniform", "equally-weighted")


class TrainingTest(ProgramTest):
    def setUp(self):
        super().setUp()
        values = {"data.dataset": write_small_data(self.folder / "data"), "rounds": 60,
                  "evaluate_every": 20, "model.name": "mlp", "fleet.devices": 10,
                  "data.minimum_samples": 2, "learning.batch": 4,
                  "strategy.uniform.devices": 3}
        self.small = [part for key, value in values.items() for part in ("--set", f"{key}={value}")]
        self.run_folder = self.folder / "run"

    def arguments(self, *more, seeds=2):
        return ["compare", "paper-mildly-biased", *self.small, "--seeds", str(seeds), "--quiet",
                "--checkpoint-every-s", "0", *more]

    def files(self, folder):
        return {path.relative_to(folder): path.read_bytes() for path in sorted(folder.rglob("*"))
                if path.is_file()}

    def kill(self, delay_s, *arguments):
        """Returns whether the program was still running."""
        process = subprocess.Popen([AIRLOT, *map(str, arguments)], stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, env=ENVIRONMENT)
        try:
            process.wait(timeout=delay_s)
        except subprocess.TimeoutExpired:
            process.kill()
        return process.wait() == -signal.SIGKILL


class Training(TrainingTest):
    def test_says_where_the_report_is(self):
        for folder in (self.folder / "a", str(self.folder / "b") + "/"):
            said = re.search(r"The files are in (.*), and the report is (.*)\.\n", self.done(
                "train", *self.small, "--set", "rounds=1", "-o", folder, "--quiet"))
            self.assertEqual(said[1], str(folder))
            self.assertEqual(said[2], str(Path(folder) / "report.html"))
            self.assertTrue(Path(said[2]).is_file())

    def test_shows_that_it_prepares(self):
        ours, theirs = os.openpty()
        scenario = [*self.small, "--set", "data.partition=client-dirichlet", "--set", "data.overlap=true", "--set",
                    "data.samples_per_device=2", "--set", "fleet.devices=20000", "--seeds", "300", "--jobs", "1",
                    "-o", self.run_folder]
        with subprocess.Popen([AIRLOT, "compare", "paper-mildly-biased", *map(str, scenario)],
                              stdout=subprocess.DEVNULL, stderr=theirs, env=ENVIRONMENT) as process:
            shown = ""
            while not re.search(r"preparing seed [1-9]\d* of 300 ", shown):
                shown += os.read(ours, 4096).decode()
            process.kill()
        os.close(theirs)
        os.close(ours)

    def test_train_writes_its_files(self):
        summary = self.json("train", *self.small, "-o", self.run_folder, "--quiet")
        self.assertEqual(summary["strategies"][0]["strategy"], "probabilistic")
        self.assertEqual(json.loads((self.run_folder / "manifest.json").read_text())["state"],
                         "complete")
        rounds = self.rows(self.run_folder / "probabilistic/seed-1/rounds.csv")
        self.assertEqual(list(rounds[0])[:7], ["round", "time_s", "energy_j", "participants",
                                               "loss", "accuracy", "test_loss"])
        self.assertEqual([row["round"] for row in rounds], [str(i) for i in range(61)])
        for row in rounds:
            self.assertEqual(row["accuracy"] != "", int(row["round"]) % 20 == 0)
        devices = self.rows(self.run_folder / "probabilistic/seed-1/devices.csv")
        self.assertEqual(len(devices), 10)
        self.assertEqual(sum(int(row["participants"]) for row in rounds),
                         sum(int(row["participations"]) for row in devices))
        for row in devices:
            self.assertEqual(sum(map(int, row["label_counts"].split(" "))), int(row["samples"]))
            self.assertEqual(row["participation_s"], row["upload_s"])

    def test_the_manifest_says_what_the_plan_promises(self):
        self.done("train", *self.small, "-o", self.run_folder, "--quiet")
        manifest = json.loads((self.run_folder / "manifest.json").read_text())
        setting, = manifest["settings"]
        devices = self.rows(self.run_folder / "probabilistic/seed-1/devices.csv")
        self.assertAlmostEqual(setting["expected"]["participants"],
                               sum(float(row["probability"]) for row in devices))
        self.assertEqual(sum(setting["expected"]["devices_by_limit"].values()), 10)
        for limit, count in setting["expected"]["devices_by_limit"].items():
            self.assertEqual([row["limit"] for row in devices].count(limit), count)
        for digest in (setting["digest"], manifest["dataset_digest"]):
            self.assertRegex(digest, "^[0-9a-f]{64}$")

    def test_each_round_is_planned_for_its_channel(self):
        for fading in ("rayleigh", "rician", "nakagami"):
            fades = [*self.small, "--set", f"radio.fading={fading}", "--set", "radio.rician_k_db=6",
                     "--seed", 5]
            self.done("train", *fades, "--set", "rounds=2", "-o", self.run_folder, "--quiet",
                      "--force")
            devices = self.rows(self.run_folder / "probabilistic/seed-5/devices.csv")
            plans = []
            for number in (1, 2):
                plan = self.folder / f"plan-{number}.csv"
                self.done("plan", *fades, "--round", number, "-o", plan)
                plans.append([float(row["probability"]) for row in self.rows(plan)])
            for device, first, second in zip(devices, *plans, strict=True):
                self.assertNotEqual(first, second)
                self.assertAlmostEqual(float(device["mean_probability"]), (first + second) / 2)

    def test_the_summary_is_that_of_the_files(self):
        """The summary is computed again from rounds.csv and devices.csv."""
        summary = json.loads(self.done(*self.arguments("-o", self.run_folder, "--json", "--set",
                                                       "targets=[0.2, 0.999]")))
        self.assertEqual([row["strategy"] for row in summary["strategies"]], list(STRATEGIES))
        for row in summary["strategies"]:
            runs = [self.run_folder / row["strategy"] / f"seed-{seed}" for seed in (1, 2)]
            rounds = [self.rows(run / "rounds.csv") for run in runs]
            final = [float(run[-1]["accuracy"]) for run in rounds]
            self.assertAlmostEqual(row["final_accuracy"]["mean"], sum(final) / 2, places=12)
            for target in row["targets"]:
                reached = [next((float(r["time_s"]) for r in run if r["accuracy"] and
                                 float(r["accuracy"]) >= target["target"]), None)
                           for run in rounds]
                reached = [time_s for time_s in reached if time_s is not None]
                self.assertEqual(target["time_s"]["count"], len(reached))
                if reached:
                    self.assertAlmostEqual(target["time_s"]["mean"], sum(reached) / len(reached),
                                           places=9)
            fairness = []
            for run in runs:
                counts = [int(device["participations"]) for device in self.rows(
                    run / "devices.csv")]
                fairness.append(sum(counts) ** 2 / (10 * sum(n * n for n in counts)))
            self.assertAlmostEqual(row["fairness"]["mean"], sum(fairness) / 2, places=12)

    def test_same_bytes_for_any_jobs_and_after_kills(self):
        """Each strategy runs with one job, with two, and killed again and again at random moments."""
        for strategy in STRATEGIES:
            with self.subTest(strategy):
                arguments = self.arguments("--strategies", strategy, "--set", "rounds=60")
                one, two, cut = (self.folder / f"{strategy}-{name}" for name in
                                 ("one", "two", "cut"))
                start = time.monotonic()
                self.done(*arguments, "-o", one, "--jobs", "1")
                whole_s = time.monotonic() - start
                self.done(*arguments, "-o", two, "--jobs", "2")
                self.assertEqual(self.files(one), self.files(two))
                draw = random.Random(strategy)
                kills = checkpoints = 0
                tries = 0
                while (kills < 5 or checkpoints == 0) and tries < 100:
                    tries += 1
                    if self.kill(draw.uniform(0.05, 0.7) * whole_s, *arguments, "-o", cut,
                                 "--resume"):
                        kills += 1
                        checkpoints += len(list(cut.rglob("checkpoint*")))
                    else:  # It was done before, so it is run once more and killed sooner.
                        shutil.rmtree(cut)
                        whole_s *= 0.8
                self.assertGreaterEqual(kills, 5)
                self.assertGreater(checkpoints, 0)
                self.done(*arguments, "-o", cut, "--resume")
                self.assertEqual(self.files(one), self.files(cut))

    def test_an_interrupt_leaves_a_checkpoint_and_says_how_to_go_on(self):
        arguments = ["reproduce", "--quick", *self.small, "--set", "rounds=100000", "--quiet", "-o",
                     self.run_folder]
        process = subprocess.Popen([AIRLOT, *map(str, arguments)], stderr=subprocess.PIPE,
                                   text=True, env=ENVIRONMENT)
        while process.poll() is None and not (
                self.run_folder / "paper-highly-biased/manifest.json").exists():
            time.sleep(0.01)
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.communicate()[1],
                         f"the runs were interrupted: add --resume -o {self.run_folder} to go on\n")
        self.assertEqual(process.returncode, 130)
        manifest = json.loads((self.run_folder / "paper-highly-biased/manifest.json").read_text())
        self.assertEqual(manifest["state"], "interrupted")
        self.assertTrue(list(self.run_folder.glob("*/*/seed-1/checkpoint")))


class OneProgramAtATime(TrainingTest):
    def begin(self, *more):
        """Starts a long run in a process of its own, and returns when it has its first checkpoint."""
        arguments = self.arguments("--strategies", "uniform", "--set", "rounds=100000", *more,
                                   seeds=1)
        process = subprocess.Popen([AIRLOT, *map(str, arguments)], env=ENVIRONMENT,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   cwd=self.folder)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process, arguments

    def await_file(self, process, pattern):
        while process.poll() is None and not list(self.folder.glob(pattern)):
            time.sleep(0.005)
        self.assertIsNone(process.poll())

    def test_the_second_is_refused_and_harms_nothing(self):
        process, arguments = self.begin("-o", self.run_folder)
        self.await_file(process, "run/uniform/seed-1/checkpoint")
        for more in ("--resume", "--force"):
            result = airlot(*arguments, more)
            self.assertEqual(result.returncode, 2)
            self.assertRegex(result.stderr, rf"^error: .*run: process {process.pid} is writing")
        # A report looks at the run, and shows its fleet.
        self.done("report", self.run_folder, "-o", self.folder / "report.html")
        self.assertIsNone(process.poll())
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(), 130)
        manifest = json.loads((self.run_folder / "manifest.json").read_text())
        self.assertEqual(manifest["state"], "interrupted")
        self.assertFalse((self.run_folder / ".lock").exists())

    def test_two_that_start_at_once_get_two_folders(self):
        processes = [self.begin()[0] for _ in range(4)]
        until = time.monotonic() + 60
        while len(list(self.folder.glob("runs/*/*/*/checkpoint"))) < 4 and time.monotonic() < until:
            self.assertEqual([process.poll() for process in processes], [None] * 4)
            time.sleep(0.005)
        self.assertEqual({path.name for path in (self.folder / "runs").iterdir()},
                         {"paper-mildly-biased" + end for end in ("", "-2", "-3", "-4")})

    def test_after_a_kill_the_folder_is_free(self):
        process, arguments = self.begin("-o", self.run_folder)
        self.await_file(process, "run/uniform/seed-1/checkpoint")
        process.kill()
        process.wait()
        self.assertEqual(json.loads((self.run_folder / "manifest.json").read_text())["state"],
                         "running")
        left = self.run_folder / ".manifest.json.tmp-7-0"
        left.write_text("left by a kill")
        process, _ = self.begin("-o", self.run_folder, "--resume")
        while process.poll() is None and left.exists():
            time.sleep(0.005)
        self.assertIsNone(process.poll())


class BadRuns(TrainingTest):
    def train(self, *more):
        return ("train", *self.small, "--quiet", "-o", self.run_folder, *more)

    def interrupted(self, *arguments):
        """Runs until there are two checkpoints, and interrupts."""
        process = subprocess.Popen([AIRLOT, *map(str, arguments)], env=ENVIRONMENT,
                                   stderr=subprocess.DEVNULL)
        while process.poll() is None and not list(self.run_folder.rglob("checkpoint.previous")):
            time.sleep(0.001)
        process.send_signal(signal.SIGINT)  # Both checkpoints stay.
        self.assertEqual(process.wait(), 130)

    def test_a_whole_checkpoint_of_another_format(self):
        """A checkpoint that does not fit is an error that leaves everything as it is: it may be days of work."""
        arguments = self.arguments("--strategies", "uniform", "--set", "rounds=100000", "-o",
                                   self.run_folder, seeds=1)
        self.interrupted(*arguments)
        checkpoint = self.run_folder / "uniform/seed-1/checkpoint"
        body = bytearray(checkpoint.read_bytes()[:-64])
        body[len(b"airlot checkpoint\n")] = 99
        checkpoint.write_bytes(bytes(body) + hashlib.sha256(body).hexdigest().encode())
        runs = self.files(self.run_folder / "uniform")
        result = airlot(*arguments, "--resume")
        self.assertEqual(result.returncode, 2)
        self.assertRegex(result.stderr, "^error: .*seed-1/checkpoint: it has format 99")
        self.assertEqual(self.files(self.run_folder / "uniform"), runs)

    def test_a_fleet_that_has_changed(self):
        """Runs that are complete are not mixed with those of another fleet."""
        fleet = self.write("fleet.csv", "distance_m\n" + "100\n" * 10)
        arguments = self.train("--set", f"fleet.file={fleet}", "--set", "round.time_limit_s=1")
        self.done(*arguments)
        before = self.files(self.run_folder)
        self.write("fleet.csv", "distance_m\n" + "200\n" * 10)
        result = airlot(*arguments, "--resume")
        self.assertEqual(result.returncode, 2)
        self.assertRegex(result.stderr, "^error: .*run: holds runs of another fleet: .*seed 1 .*"
                         "--force")
        self.assertEqual(self.files(self.run_folder), before)

    def test_another_folder_to_work_in(self):
        """The manifest finds the fleet file from anywhere."""
        self.write("fleet.csv", "distance_m\n" + "100\n" * 10)
        arguments = self.train("--set", "fleet.file=fleet.csv", "--set", "round.time_limit_s=1")
        self.done(*arguments, cwd=self.folder)
        manifest = json.loads((self.run_folder / "manifest.json").read_text())
        self.assertIn(f"{self.folder.resolve()}/fleet.csv", manifest["scenario"])
        self.done("report", self.run_folder, cwd="/")

    @unittest.skipIf("asan" in AIRLOT, "the sanitizer reserves more address space than the limits leave")
    def test_want_of_memory(self):
        """The program ends with a message and not by an abort, and no manifest says that it is running."""
        codes = set()
        for megabytes in (60, 90, 120, 150, 180, 240):
            shutil.rmtree(self.run_folder, ignore_errors=True)

            def little_memory(megabytes=megabytes):
                resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))

            result = airlot(*self.arguments("-o", self.run_folder, "--jobs", "8", "--set",
                                            "model.name=cnn", "--set", "rounds=2"),
                            preexec_fn=little_memory)
            codes.add(result.returncode)
            self.assertIn(result.returncode, (0, 1, 2), (megabytes, result.stderr))
            manifest = self.run_folder / "manifest.json"
            if manifest.exists():
                self.assertNotIn('"state": "running"', manifest.read_text())
        self.assertNotEqual(codes, {0})

    def test_a_folder_that_holds_runs(self):
        self.done(*self.train())
        before = self.files(self.run_folder)
        self.fails("run: holds runs already: add --resume to go on with them, or --force to "
                   "replace them", *self.train())
        self.fails("run: holds runs of another scenario: rounds is 60 there and 61 here: choose "
                   "another directory, or --force instead of --resume to replace them",
                   *self.train("--set", "rounds=61", "--resume"))
        self.assertEqual(self.files(self.run_folder), before)
        self.done(*self.train("--set", "rounds=61", "--force"))
        self.assertNotEqual(self.files(self.run_folder), before)

    def test_a_folder_of_something_else(self):
        self.run_folder.mkdir()
        (self.run_folder / "thesis.txt").write_text("mine")
        for more in ((), ("--resume",), ("--force",)):
            result = airlot(*self.train(*more))
            self.assertEqual(result.returncode, 2, more)
            self.assertRegex(result.stderr, "^error: .*run: ")
        self.assertEqual([path.name for path in self.run_folder.iterdir()], ["thesis.txt"])

    def test_a_folder_that_cannot_be_written(self):
        self.run_folder.mkdir()
        self.run_folder.chmod(0o555)
        result = airlot(*self.train(), preexec_fn=without_privilege)
        self.run_folder.chmod(0o755)
        self.assertEqual(result.returncode, 2)
        self.assertRegex(result.stderr, "^error: .*run.*: Permission denied\n$")
        self.assertEqual(list(self.run_folder.iterdir()), [])

    def test_a_torn_checkpoint(self):
        """The program uses the previous checkpoint, and says so; where both are torn, it starts again."""
        arguments = self.arguments("--strategies", "uniform", "--set", "rounds=100", seeds=1)
        whole = self.folder / "whole"
        self.done(*arguments, "-o", whole)
        torn = self.run_folder / "uniform/seed-1"
        for names in (("checkpoint",), ("checkpoint", "checkpoint.previous")):
            shutil.rmtree(self.run_folder, ignore_errors=True)
            self.interrupted(*arguments, "-o", self.run_folder)
            for name in names:
                bytes_ = bytearray((torn / name).read_bytes())
                bytes_[len(bytes_) // 2] ^= 1
                (torn / name).write_bytes(bytes_)
            result = airlot(*arguments, "-o", self.run_folder, "--resume")
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn("the run goes on from checkpoint.previous" if len(names) == 1 else
                          "the run starts from the beginning", result.stderr)
            self.assertEqual(self.files(whole), self.files(self.run_folder))

    def test_a_full_disk(self):
        whole = self.folder / "whole"
        self.done(*self.arguments("-o", whole))

        def small_files():
            resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))

        result = airlot(*self.arguments("-o", self.run_folder), preexec_fn=small_files)
        self.assertEqual(result.returncode, 2)
        self.assertRegex(result.stderr, "^error: .*checkpoint: cannot write: File too large\n$")
        self.assertEqual(list(self.run_folder.rglob("*.tmp*")), [])
        self.done(*self.arguments("-o", self.run_folder, "--resume"))
        self.assertEqual(self.files(whole), self.files(self.run_folder))

    def test_what_nobody_can_train(self):
        self.fails("float32-cell, seed 1: no device can ever take part, because none has the "
                   "energy or the time for it: raise fleet.energy_budget_j or round.time_limit_s",
                   *self.train("--set", "fleet.energy_budget_j=0"))
        self.fails("--set fleet.devices=0: must be 1 to 1e+09", *self.train("--set", "fleet.devices=0"))
        empty = self.write("empty.csv", "id,distance_m\n")
        self.fails("empty.csv: has a header but no devices",
                   *self.train("--set", f"fleet.file={empty}"))
        self.fails("data.dataset is not set: choose one, such as digits",
                   *self.train("--set", "data.dataset="))

    def test_a_run_without_participants_is_said(self):
        result = airlot("train", *self.small, "--set", "planning.solver=literal", "--strategy", "deterministic", "-o",
                        self.run_folder)
        self.assertEqual(result.returncode, 0)
        self.assertIn("float32-cell: deterministic, seed 1: nobody was selected in any round: raise round.time_limit_s or the budgets, or "
                      "choose another strategy or planning.solver", result.stderr)

    def test_training_that_diverges_is_said(self):
        """The note names the round after which no loss is finite any more, and what to lower."""
        result = airlot("train", *self.small, "--set", "rounds=12", "--set", "learning.rate=1e30", "--set", "evaluate_every=1",
                        "-o", self.run_folder)
        self.assertEqual(result.returncode, 0, result.stderr)
        notes = [line for line in result.stderr.splitlines() if "diverged" in line]
        self.assertEqual(len(notes), 1, result.stderr)
        first = re.search(r"float32-cell: probabilistic, seed 1: training diverged: the loss is not finite from round (\d+) on: "
                          r"lower learning\.rate = 1e\+30, or set data\.standardise = true$", notes[0])
        self.assertTrue(first, notes)
        rounds = self.rows(next(self.run_folder.rglob("rounds.csv")))
        broken = [row["round"] for row in rounds if row["accuracy"] and row["test_loss"] in ("", "inf")]
        self.assertEqual(first[1], broken[0])
        result = airlot("train", *self.small, "--set", "learning.rate=0.01", "-o", self.run_folder, "--force")
        self.assertNotIn("diverged", result.stderr)
        # A server's step may be too large as well, and named data sets need no standardising.
        result = airlot("train", *self.small, "--set", "rounds=12", "--set", "learning.server_rate=1e38", "--set",
                        "data.dataset=digits", "--set", "fleet.devices=4", "--set", "learning.batch=10", "-o", self.run_folder, "--force")
        self.assertRegex(result.stderr, r"lower learning\.rate = \S+ or learning\.server_rate = 1e\+38\n")

    def test_a_quick_reproduction_has_one_seed_and_half_of_the_rounds(self):
        values = [value for value in self.small if value not in ("--set", "rounds=60")]
        values += ["evaluate_every=1000", "round.time_limit_s=5"]
        self.done("reproduce", "--quick", "--quiet", "-o", self.run_folder,
                  *(part for value in values for part in ("--set", value)))
        for scenario, whole in (("paper-highly-biased", 700), ("paper-mildly-biased", 160)):
            manifest = json.loads((self.run_folder / scenario / "manifest.json").read_text())
            self.assertEqual(manifest["seeds"], [1])
            self.assertIn(f"\nrounds = {whole // 2}\n", manifest["scenario"])

    def test_names_and_seeds_of_a_reproduction(self):
        self.fails('two scenarios are called "x": give each a name of its own', "reproduce", "--quick", *self.small,
                   "--set", "name=x", "-o", self.run_folder)
        for seeds, *command in ((10, "reproduce"), (2, "compare", "paper-mildly-biased", "--seeds", 2)):
            self.fails(f"--seed 18446744073709551615: {seeds} seeds from there on are beyond the largest number, "
                       "18446744073709551615", *command, *self.small, "--seed", "18446744073709551615", "-o",
                       self.run_folder)

    def test_what_does_not_fit_the_rules(self):
        self.fails("strategy.uniform.devices = 11: the fleet has 10; set at most as many",
                   *self.train("--strategy", "uniform", "--set", "strategy.uniform.devices=11"))
        self.fails("--set strategy.uniform.devices=most: must be one of expected, or a whole number",
                   *self.train("--set", "strategy.uniform.devices=most"))
        self.fails("planning.solver = literal: the paper's algorithms know neither a deadline nor computation time in "
                   "the limit; use exact or bisection",
                   *self.train("--set", "planning.solver=literal", "--set", "round.time_rule=deadline"))
        self.fails("planning.solver = alternating: the paper's algorithms do not weigh the time of a round; use exact "
                   "or bisection, or set round.time_weight to 0",
                   *self.train("--set", "planning.solver=alternating", "--set", "round.time_weight=0.1"))

    def test_nothing_is_replaced_in_vain(self):
        self.done(*self.train())
        before = self.files(self.run_folder)
        self.fails("float32-cell, seed 1: no device can ever take part, because none has the "
                   "energy or the time for it: raise fleet.energy_budget_j or round.time_limit_s",
                   *self.train("--set", "fleet.energy_budget_j=0", "--force"))
        blocked = self.folder / "both/paper-mildly-biased"
        blocked.mkdir(parents=True)
        (blocked / "thesis.txt").write_text("mine")
        self.fails("both/paper-mildly-biased: exists and is not a run directory: choose another",
                   "compare", "paper-highly-biased", "paper-mildly-biased", *self.small, "-o",
                   self.folder / "both", "--quiet")
        self.assertEqual(self.files(self.run_folder), before)

    def test_names(self):
        self.fails("strategy uniform is given twice", "compare", "paper-highly-biased", *self.small,
                   "--strategies", "uniform,uniform")
        self.fails('two scenarios are called "paper-highly-biased": give each a name of its own',
                   "compare", "paper-highly-biased", "paper-highly-biased", *self.small)
        here = self.folder / "here"
        here.mkdir()
        self.done("train", *self.small, "--set", "name=../../x", "--quiet", cwd=here)
        self.assertEqual([path.name for path in (here / "runs").iterdir()],
                         ["scenario..-..-x"])

    def test_options(self):
        for option in ("--resume", "--force"):
            self.fails(f"{option} requires --output (see airlot train --help)", "train",
                       *self.small, option)
        self.fails('unknown strategy "luck": \'airlot list strategies\' shows all',
                   *self.train("--strategy", "luck"))
        self.fails('unknown strategy "uniforn": did you mean uniform? \'airlot list strategies\' '
                   "shows all", *self.train("--strategy", "uniforn"))
        for target in ("[0]", "[1.5]", "[-1]", "0.5", "[\"a\"]"):
            result = airlot(*self.train("--set", f"targets={target}"))
            self.assertEqual(result.returncode, 2, target)
            self.assertIn("targets", result.stderr)
        self.assertFalse(self.run_folder.exists())


if __name__ == "__main__":
    unittest.main()
