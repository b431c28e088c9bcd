"""The program from the outside: what it prints, what it writes, and how it takes bad input."""
import csv
import io
import json
import math
import os
import resource
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

AIRLOT = os.environ["AIRLOT"]
ENVIRONMENT = {**os.environ, "LC_ALL": "C", "NO_COLOR": "1"}
# Every device with fleet.samples, so that fleets may have any size and no data set is needed.
PLAN = ("plan", "--set", "data.dataset=")
COMMANDS = ((), ("plan",), ("link",), ("bench",), ("bench", "planning"), ("data",),
            ("data", "fetch"), ("data", "info"), ("data", "partition"), ("bench", "learning"),
            ("bench", "simulation"), ("train",), ("compare",), ("reproduce",), ("report",),
            ("list",))


def airlot(*arguments, **options):
    return subprocess.run([AIRLOT, *map(str, arguments)], capture_output=True, text=True,
                          env=ENVIRONMENT, timeout=300, **options)


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

    def rows(self, path):
        with open(path, newline="") as file:
            return list(csv.DictReader(file))


class Plan(ProgramTest):
    def test_prints_a_summary(self):
        text = self.done(*PLAN)
        self.assertIn("Plan of 100 devices: paper-highly-biased, solver exact", text)
        for part in ("full", "energy", "power", "Probability of taking part", "participants",
                     "empty round", "Add -o plan.csv to keep the plan."):
            self.assertIn(part, text)

    def test_json_has_the_promised_fields_and_agrees_with_the_file(self):
        plan_file = self.folder / "plan.csv"
        summary = self.json(*PLAN, "-o", plan_file)
        rows = self.rows(plan_file)
        self.assertEqual(list(rows[0]), ["id", "probability", "power_w", "rate_bps", "upload_s",
                                         "energy_j", "limit"])
        self.assertEqual(summary["devices"], 100)
        self.assertEqual(len(rows), 100)
        probabilities = [float(row["probability"]) for row in rows]
        energies = [float(row["energy_j"]) for row in rows]
        self.assertAlmostEqual(summary["expected_participants"], sum(probabilities), places=12)
        self.assertAlmostEqual(summary["expected_round_energy_j"],
                               sum(a * e for a, e in zip(probabilities, energies)), places=12)
        self.assertAlmostEqual(summary["probability_empty_round"],
                               math.prod(1 - a for a in probabilities), places=12)
        for limit in ("full", "energy", "power"):
            self.assertEqual(summary["limits"][limit], sum(row["limit"] == limit for row in rows))
        for field in ("solver", "expected_round_time_s", "seconds"):
            self.assertIn(field, summary)

    def test_plan_file_is_consistent_with_the_model(self):
        """Rate, time and energy follow from the power by the paper's formulas."""
        fleet = self.write("fleet.csv", "id,distance_m,bandwidth_hz,max_power_w,energy_budget_j,"
                           "compute_energy_j\na,100,1e5,0.2,0.01,0.5\nb,400,2e5,0.1,10,0\n")
        plan_file = self.folder / "plan.csv"
        self.done(*PLAN, "--fleet", fleet, "-o", plan_file)
        for row, distance, band, compute, budget in zip(
                self.rows(plan_file), (100, 400), (1e5, 2e5), (0.5, 0), (0.01, 10)):
            power = float(row["power_w"])
            rate = band * math.log2(1 + power / (distance ** 2 * 1e-12))
            self.assertAlmostEqual(float(row["rate_bps"]) / rate, 1, places=12)
            self.assertAlmostEqual(float(row["upload_s"]) / (199210 * 32 / rate), 1, places=12)
            energy = power * float(row["upload_s"]) + compute
            self.assertAlmostEqual(float(row["energy_j"]) / energy, 1, places=12)
            probability = float(row["probability"])
            self.assertLessEqual(probability * energy, budget * (1 + 1e-12))
            self.assertAlmostEqual(probability * float(row["upload_s"]), 0.08, places=12)

    def test_check_certifies_the_exact_plan_and_convicts_the_literal_one(self):
        check = self.json(*PLAN, "--check")["check"]
        self.assertLess(check["largest_violation"], 1e-12)
        self.assertLess(check["largest_gap"], 1e-12)
        self.assertGreater(self.json(*PLAN, "--check", "--solver", "literal")["check"]
                           ["largest_gap"], 0.5)
        self.assertIn("largest gap to the optimum", self.done(*PLAN, "--check"))

    def test_solvers_order(self):
        expected = {solver: self.json(*PLAN, "--solver", solver)["expected_participants"]
                    for solver in ("exact", "bisection", "alternating", "literal")}
        self.assertAlmostEqual(expected["exact"], expected["bisection"], places=10)
        self.assertLess(expected["alternating"], expected["exact"])
        self.assertLess(expected["literal"], expected["alternating"])

    def test_same_seed_same_bytes_for_any_number_of_threads(self):
        plans = []
        for name, arguments in (("a", ()), ("b", ("--threads", 3)), ("c", ("--seed", 2))):
            path = self.folder / name
            self.done(*PLAN, "--set", "fleet.devices=40000", "-o", path, *arguments)
            plans.append(path.read_bytes())
        self.assertEqual(plans[0], plans[1])
        self.assertNotEqual(plans[0], plans[2])

    def test_options_of_the_round(self):
        base = self.json(*PLAN)["expected_participants"]

        def participants(*keys):
            sets = [part for key in keys for part in ("--set", key)]
            return self.json(*PLAN, "--check", *sets)

        for keys in (("round.count_compute_time=true",), ("round.compute=always",),
                     ("radio.spectral_efficiency_cap=4.8",), ("radio.snr_gap_db=7",),
                     ("round.time_rule=deadline", "round.time_limit_s=3")):
            result = participants(*keys)
            self.assertNotEqual(result["expected_participants"], base, keys)
            self.assertLess(result["check"]["largest_violation"], 1e-12, keys)
            self.assertLess(result["check"]["largest_gap"], 1e-11, keys)
        self.assertGreater(participants("radio.spectral_efficiency_cap=4.8")["limits"]["rate"], 0)

    def test_floor_says_what_is_missing(self):
        floor = self.json(*PLAN, "--set", "round.min_probability=0.02")["floor"]
        self.assertGreater(floor["below"], 10)
        self.assertEqual(len(floor["shortfalls"]), 10)
        needy = floor["shortfalls"][0]
        self.assertLess(needy["probability"], 0.02)
        self.assertIn("stay below a probability of 0.02",
                      self.done(*PLAN, "--set", "round.min_probability=0.02"))

    def test_scenario_file_with_a_fleet_beside_it(self):
        self.write("fleet.csv", "distance_m\n10\n20\n30\n")
        scenario = self.write("cell.toml", 'name = "cell"\n[fleet]\nfile = "fleet.csv"\n')
        summary = self.json(*PLAN, scenario)
        self.assertEqual((summary["scenario"], summary["devices"]), ("cell", 3))

    def test_existing_plan_is_replaced_whole(self):
        plan_file = self.write("plan.csv", "old")
        self.done(*PLAN, "-o", plan_file)
        self.assertEqual(len(self.rows(plan_file)), 100)
        self.assertEqual([path.name for path in self.folder.iterdir()], ["plan.csv"])

    def test_plan_to_standard_output_puts_the_summary_on_standard_error(self):
        for name in ("-", "/dev/stdout"):
            result = airlot(*PLAN, "--json", "-o", name)
            self.assertEqual(result.returncode, 0)
            self.assertEqual(len(list(csv.DictReader(io.StringIO(result.stdout)))), 100)
            self.assertEqual(json.loads(result.stderr)["devices"], 100)

    def test_a_saved_fleet_gives_the_same_plan(self):
        fleet, first, second = (self.folder / name for name in ("fleet.csv", "a.csv", "b.csv"))
        self.done(*PLAN, "--save-fleet", fleet, "-o", first)
        self.done(*PLAN, "paper-mildly-biased", "--fleet", fleet, "-o", second)
        self.assertEqual(first.read_bytes(), second.read_bytes())

    def test_fleet_from_standard_input(self):
        summary = json.loads(self.done(*PLAN, "--fleet", "-", "--json", input="distance_m\n1\n2\n"))
        self.assertEqual(summary["devices"], 2)

    def test_interrupt_leaves_no_temporary_file(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(number):
                self.interrupt(number)

    def interrupt(self, number):
        fleet = self.write("fleet.csv", "distance_m\n" + "10\n" * 2_000_000)
        old = self.write("plan.csv", "old")
        with subprocess.Popen([AIRLOT, *PLAN, "--fleet", fleet, "-o", old], env=ENVIRONMENT,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            deadline = time.monotonic() + 60
            while not list(self.folder.glob(".plan.csv.tmp-*")) and time.monotonic() < deadline:
                self.assertIsNone(process.poll(), "it ended before it could be interrupted")
                time.sleep(0.001)
            process.send_signal(number)
            process.wait(60)
        self.assertEqual(process.returncode, -number)  # 128 + the number in a shell
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()),
                         ["fleet.csv", "plan.csv"])
        self.assertEqual(old.read_text(), "old")


class DataPartition(ProgramTest):
    PARTITION = ("data", "partition", "--set", "data.dataset=digits")

    def test_file_and_summary_agree(self):
        path = self.folder / "partition.csv"
        summary = self.json(*self.PARTITION, "-o", path)
        rows = self.rows(path)
        self.assertEqual(list(rows[0]), ["id", "samples", "missing_labels",
                                         *(f"label_{k}" for k in range(10))])
        samples = [int(row["samples"]) for row in rows]
        missing = [int(row["missing_labels"]) for row in rows]
        for row in rows:
            counts = [int(row[f"label_{k}"]) for k in range(10)]
            self.assertEqual(sum(counts), int(row["samples"]))
            self.assertEqual(counts.count(0), int(row["missing_labels"]))
        self.assertEqual(sum(samples), 60000)
        self.assertEqual((summary["devices"], summary["samples"]), (100, 60000))
        self.assertEqual((summary["smallest"], summary["largest"]), (min(samples), max(samples)))
        self.assertAlmostEqual(summary["mean_missing_labels"], sum(missing) / 100)
        self.assertEqual(summary["devices_by_missing_labels"],
                         [missing.count(k) for k in range(11)])

    def test_prints_a_narrow_summary(self):
        for sets in ((), ("--set", "data.partition=shards"), ("--set", "fleet.devices=1")):
            text = self.done(*self.PARTITION, *sets)
            self.assertIn("Partition of digits over", text)
            self.assertIn("Samples of a device", text)
            self.assertIn("Labels that a device misses", text)
            for line in text.splitlines():
                self.assertLessEqual(len(line), 80)

    def test_standard_output(self):
        result = airlot(*self.PARTITION, "--json", "-o", "-")
        self.assertEqual(len(list(csv.DictReader(io.StringIO(result.stdout)))), 100)
        self.assertEqual(json.loads(result.stderr)["devices"], 100)

    def test_names_devices_as_the_fleet_file_does(self):
        fleet = self.write("fleet.csv", "id,distance_m\nroof,10\ngate,20\n")
        path = self.folder / "partition.csv"
        self.done(*self.PARTITION, "--set", f"fleet.file={fleet}", "-o", path)
        self.assertEqual([row["id"] for row in self.rows(path)], ["roof", "gate"])

    def test_a_plan_computes_on_the_samples_of_the_partition(self):
        """The computation energy that a plan saves is (6) of the samples that are printed."""
        path, fleet = self.folder / "partition.csv", self.folder / "fleet.csv"
        same = ("--set", "fleet.cycles_per_sample=1e6", "--set", "fleet.cpu_hz=1e9", "--seed", 3)
        self.done(*self.PARTITION, *same, "-o", path)
        self.done("plan", "--set", "data.dataset=digits", *same, "--save-fleet", fleet)
        for device, part in zip(self.rows(fleet), self.rows(path), strict=True):
            self.assertAlmostEqual(float(device["compute_time_s"]), int(part["samples"]) / 1000,
                                   places=12)
            self.assertAlmostEqual(float(device["compute_energy_j"]),
                                   1e-28 * 1e6 * 1e18 * int(part["samples"]), places=12)

    def test_large_fleets_share_samples(self):
        sets = ("data.partition=client-dirichlet", "data.overlap=true",
                "data.samples_per_device=10", "fleet.devices=100000")
        summary = self.json(*self.PARTITION, *(part for key in sets for part in ("--set", key)))
        self.assertEqual((summary["devices"], summary["samples"]), (100000, 1000000))

    def test_errors(self):
        self.fails("data.dataset is not set: choose one, such as --set data.dataset=digits",
                   "data", "partition", "--set", "data.dataset=")
        for command in (self.PARTITION, ("plan", "--set", "data.dataset=digits")):
            self.fails("data.minimum_samples = 700: must be <= 600 (60000 samples / 100 devices)",
                       *command, "--set", "data.minimum_samples=700")
            self.fails("data.minimum_samples = 100: none of 1000 draws gave every device that many "
                       "(data.beta = 0.001, fleet.devices = 100): lower it or fleet.devices, or "
                       "raise data.beta", *command, "--set", "data.beta=1e-3", "--set",
                       "data.minimum_samples=100")
        self.fails("--set data.partition=idd: must be one of dirichlet, client-dirichlet, shards, "
                   "iid", *self.PARTITION, "--set", "data.partition=idd")
        self.fails("missing/x.csv: cannot write: No such file or directory", *self.PARTITION, "-o",
                   self.folder / "missing" / "x.csv")


class OtherCommands(ProgramTest):
    def test_link(self):
        link = self.json("link", "--distance-m", 1000)
        self.assertAlmostEqual(link["path_loss_db"], 60, places=9)
        self.assertAlmostEqual(link["gain_db"], -60, places=9)
        self.assertAlmostEqual(link["noise_dbm"], -90, places=9)
        self.assertAlmostEqual(link["snr_db"], 10 * math.log10(2e5), places=9)
        self.assertAlmostEqual(link["rate_bps"], 1e5 * math.log2(200001), places=3)
        self.assertAlmostEqual(link["upload_s"], 6374720 / link["rate_bps"], places=9)
        self.assertAlmostEqual(link["energy_j"], 0.2 * link["upload_s"], places=9)
        self.assertIn("path loss", self.done("link", "--distance-m", 1000))

    def test_link_of_a_fleet_file(self):
        self.fails("the scenario has a fleet file, so a device's band is not known: add "
                   "--bandwidth-hz", "link", "--set", "fleet.file=x.csv", "--distance-m", 10)
        link = self.json("link", "--set", "fleet.file=x.csv", "--distance-m", 10,
                         "--bandwidth-hz", 2e5)
        self.assertEqual(link["bandwidth_hz"], 2e5)

    def test_bench_planning(self):
        bench = self.json("bench", "planning", "--devices", 20000, "--repeats", 1)
        for field in ("devices_per_s", "scalar_devices_per_s", "ratio", "triad_gb_per_s",
                      "bytes_per_device", "threads_ratio", "bandwidth_share"):
            self.assertGreater(bench[field], 0, field)
        self.assertLessEqual(bench["bytes_per_device"], 64)
        self.assertLess(bench["largest_difference"], 1e-12)
        self.assertEqual(sum(bench["limits"].values()), 20000)
        for limit in ("full", "energy", "power"):
            self.assertGreater(bench["limits"][limit], 1000)
        self.assertIn("million devices/s", self.done("bench", "planning", "--devices", 1000))

    def test_bench_can_force_every_target(self):
        for target in self.json("list", "simd-targets"):
            bench = self.json("bench", "planning", "--devices", 1000, "--repeats", 1,
                              "--simd", target["name"])
            self.assertEqual(bench["simd_target"], target["name"])

    def test_bench_learning(self):
        rows = self.json("bench", "learning", "--batch", "7,32", "--repeats", "1", "--save",
                         self.folder)
        self.assertEqual([(row["model"], row["batch"]) for row in rows],
                         [("cnn", 7), ("cnn", 32), ("mlp", 7), ("mlp", 32)])
        for row in rows:
            for key in ("samples_per_s", "gflop_per_s", "sgemm_gflop_per_s",
                        "evaluation_us_per_sample"):
                self.assertGreater(row[key], 0, key)
            for name in (f"{row['model']}-parameters.f32",
                         f"{row['model']}-{row['batch']}-gradient.f32"):
                self.assertEqual((self.folder / name).stat().st_size, 4 * 199210)
        self.fails("--batch 1001: must be <= 1000, the number of test images", "bench", "learning",
                   "--batch", "1001")
        for bad in ("0", "1.5", "1e3", "-1", "x"):
            self.fails(f'--batch: "{bad}": must be a whole number from 1 to 1,000,000 '
                       "(see airlot bench learning --help)", "bench", "learning", "--batch", bad)
        result = airlot("bench", "learning", "--data", "./nowhere")
        self.assertEqual(result.returncode, 2)
        self.assertIn("./nowhere", result.stderr)

    def test_bench_simulation(self):
        row = self.json("bench", "simulation", "--set", "rounds=20", "--set",
                        "data.dataset=digits", "--repeats", "1")
        self.assertGreater(row["rounds_per_s"], 0)
        self.assertGreater(row["other_us_per_round"], 0)
        self.assertLess(row["gradient_share"] + row["evaluation_share"], 1)

    def test_lists(self):
        for what in ("scenarios", "models", "datasets", "partitions", "strategies", "path-losses", "solvers", "keys",
                     "simd-targets"):
            rows = self.json("list", what)
            self.assertGreater(len(rows), 0)
            lines = self.done("list", what).splitlines()
            self.assertEqual(len(lines), len(rows))
            for line, row in zip(lines, rows):
                self.assertTrue(line.startswith(row["name"]))
                self.assertTrue(row["summary"].endswith("."), row)

    def test_every_help_has_an_example_that_works(self):
        for command in COMMANDS:
            text = self.done(*command, "--help")
            example = text.split("Example:\n")[1].strip().split()
            self.assertEqual(example[0], "airlot")
            if "planning" in example and "--devices" not in example:
                example += ["--devices", "1000"]
            if example[1] in ("train", "compare", "reproduce"):
                example += ["--quiet"]  # no progress
            self.done(*example[1:], cwd=self.folder)

    def test_help_is_narrow_and_can_be_asked_for_in_words(self):
        for command in COMMANDS:
            text = self.done(*command, "--help")
            self.assertEqual(self.done("help", *command), text)
            for line in text.split("Example:")[0].splitlines():
                self.assertLessEqual(len(line), 80, line)

    def test_version(self):
        for command in COMMANDS:
            self.assertRegex(self.done(*command, "--version"), r"^airlot \d+\.\d+\.\d+\n$")


class BadUsage(ProgramTest):
    def test_usage(self):
        self.fails("A subcommand is required (see airlot --help)")
        self.fails('"plam" was not expected: did you mean plan? (see airlot --help)', "plam")
        self.fails('"--sovler" was not expected: did you mean --solver? (see airlot plan --help)',
                   *PLAN, "--sovler", "exact")
        self.fails("--distance-m is required (see airlot link --help)", "link")
        for value in ("nan", "-1", "inf", "abc", "1e13"):
            self.fails(f'--distance-m: "{value}": must be a number from 0 to 1e+12 '
                       "(see airlot link --help)", "link", "--distance-m", value)
        self.fails("--seed: must be a whole number from 0 to 18446744073709551615 "
                   "(see airlot plan --help)", *PLAN, "--seed", "-1")
        self.fails("--output: must not be empty (see airlot plan --help)", *PLAN, "-o", "")
        self.fails('"--devics" was not expected: did you mean --devices? '
                   "(see airlot bench planning --help)", "bench", "planning", "--devics", "3")
        result = airlot(*PLAN, "--solver", "magic")
        self.assertEqual(result.returncode, 2)
        self.assertIn("alternating", result.stderr)

    def test_scenario(self):
        self.fails("--set fleet.devies=3: unknown key fleet.devies: did you mean fleet.devices?",
                   *PLAN, "--set", "fleet.devies=3")
        self.fails("x.toml: cannot open: No such file or directory", *PLAN,
                   self.folder / "x.toml")
        broken = self.write("broken.toml", "[fleet]\ndevices = = 3\n")
        result = airlot(*PLAN, broken)
        self.assertEqual(result.returncode, 2)
        self.assertRegex(result.stderr, r"^error: .*broken\.toml:2:\d+: ")
        wrong = self.write("wrong.toml", '[fleet]\ndevices = "many"\n')
        self.fails('wrong.toml:2: fleet.devices = "many": must be a whole number', *PLAN, wrong)
        negative = self.write("negative.toml", "[round]\n\ntime_limit_s = -1\n")
        self.fails("negative.toml:3: round.time_limit_s = -1: must be > 0", *PLAN, negative)
        zero = self.write("zero.toml", "[fleet]\ndevices = 0\n")
        self.assertEqual(airlot(*PLAN, zero).returncode, 2)

    def test_a_fleet_that_does_not_fit_into_memory(self):
        memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        devices = int(memory / 100)
        result = airlot(*PLAN, "--set", f"fleet.devices={devices}")
        self.assertEqual(result.returncode, 2)
        self.assertRegex(result.stderr, f"fleet.devices ?= ?{devices}: (needs about|must be <=)")

    def test_paper_algorithms_refuse_what_they_do_not_know(self):
        self.fails("solver literal: the paper's algorithms know neither a deadline nor computation "
                   "time in the limit; use exact or bisection", *PLAN, "--solver", "literal",
                   "--set", "round.time_rule=deadline")

    def test_computation_time_must_be_known(self):
        fleet = self.write("fleet.csv", "compute_energy_j\n1\n")
        self.fails("round.count_compute_time = true: the fleet gives compute_energy_j but no "
                   "computation time; add a column compute_time_s", *PLAN, "--fleet", fleet,
                   "--set", "round.count_compute_time=true")


class BadFleet(ProgramTest):
    HEADER = "id,distance_m,bandwidth_hz,energy_budget_j\n"

    def refuses(self, expected, text):
        fleet = self.write("fleet.csv", text)
        self.fails(expected, *PLAN, "--fleet", fleet, "-o", self.folder / "plan.csv")

    def test_files(self):
        self.fails("missing.csv: cannot open: No such file or directory", *PLAN, "--fleet",
                   self.folder / "missing.csv")
        folder = self.folder / "folder"
        folder.mkdir()
        self.fails("folder: is a directory, not a file", *PLAN, "--fleet", folder)
        self.refuses("fleet.csv: is empty: a header line is needed", "")
        self.refuses("fleet.csv: has a header but no devices", self.HEADER)
        self.refuses("fleet.csv:2: contains a NUL byte: not a text file",
                     self.HEADER.encode() + b"a\0,1,1,1\n")

    def test_headers(self):
        self.assertIn("unknown column", airlot(*PLAN, "--fleet", self.write(
            "no_header.csv", "a,10,1e5,1\n")).stderr)
        self.refuses("fleet.csv:1: unknown column \"distance\": did you mean distance_m?",
                     "id,distance\na,1\n")
        self.refuses("fleet.csv:1: column distance_m appears twice",
                     "distance_m,id,distance_m\n1,a,1\n")

    def test_rows(self):
        for row, expected in (
                ("a,1,1e5", "3 fields, but the header has 4"),
                ("a,1,1e5,1,9", "5 fields, but the header has 4"),
                ("a,,1e5,1", "distance_m is missing"),
                ("a,near,1e5,1", 'distance_m = "near": must be a number'),
                ("a,1,0,1", "bandwidth_hz = 0: must be > 0"),
                ("a,1,-5,1", "bandwidth_hz = -5: must be > 0"),
                ("a,1,1e5,nan", "energy_budget_j = nan: must be a finite number"),
                ("a,1,1e5,inf", "energy_budget_j = inf: must be a finite number"),
                ("a,1,1e5,-3", "energy_budget_j = -3: must be >= 0"),
                ('"a,1,1e5,1', "a quote is not closed")):
            self.refuses(f"fleet.csv:3: {expected}", self.HEADER + "ok,1,1e5,1\n" + row + "\n")

    def test_crlf_and_byte_order_mark_are_accepted(self):
        fleet = self.write("fleet.csv", b"\xef\xbb\xbfid,distance_m\r\na,1\r\nb,2\r\n")
        self.assertEqual(self.json(*PLAN, "--fleet", fleet)["devices"], 2)

    def test_a_line_of_a_gigabyte_is_refused_at_once(self):
        huge = self.folder / "huge.csv"
        with open(huge, "wb") as file:
            file.write(b"distance_m\n1")
            file.truncate(1 << 30)  # sparse zeros: no line end for a gigabyte
        limit = 400 << 20
        self.fails("huge.csv:2: line is longer than 1048576 bytes", *PLAN, "--fleet", huge,
                   preexec_fn=None if "asan" in AIRLOT or "tsan" in AIRLOT else lambda: (
                       resource.setrlimit(resource.RLIMIT_AS, (limit, limit))))


class BadOutput(ProgramTest):
    def test_unwritable(self):
        self.fails("missing/plan.csv: cannot write: No such file or directory", *PLAN, "-o",
                   self.folder / "missing" / "plan.csv")
        folder = self.folder / "folder"
        folder.mkdir()
        self.fails("folder: is a directory", *PLAN, "-o", folder)

    def test_the_fleet_itself(self):
        fleet = self.write("fleet.csv", "distance_m\n1\n")
        self.fails("fleet.csv: is the fleet file; write the plan to another one", *PLAN, "--fleet",
                   fleet, "-o", fleet)
        self.assertEqual(fleet.read_text(), "distance_m\n1\n")
        both = self.folder / "both.csv"
        self.fails("both.csv: cannot hold both the plan and the saved fleet", *PLAN,
                   "--save-fleet", both, "-o", both)

    def test_one_terminal_as_standard_input_and_output(self):
        ours, theirs = os.openpty()
        os.write(ours, b"distance_m\n1\n\x04\x04")
        result = subprocess.run([AIRLOT, *PLAN, "--fleet", "-", "-o", "-"], stdin=theirs,
                                stdout=theirs, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT,
                                timeout=60)
        os.close(theirs)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn(b"id,probability", os.read(ours, 4096))
        os.close(ours)

    def test_full_disk(self):
        self.fails("/dev/full: cannot write: No space left on device", *PLAN, "-o", "/dev/full")

    def test_full_disk_midway_keeps_the_old_file(self):
        old = self.write("plan.csv", "old")

        def small_files():
            resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))

        self.fails("plan.csv: cannot write: File too large", *PLAN, "--set",
                   "fleet.devices=20000", "-o", old, preexec_fn=small_files)
        self.assertEqual(old.read_text(), "old")

    def test_full_standard_error(self):
        with open("/dev/full", "w") as full:
            result = subprocess.run([AIRLOT, *PLAN, "--fleet", "missing"], stderr=full,
                                    env=ENVIRONMENT, timeout=60)
        self.assertEqual(result.returncode, 2)

    def test_full_standard_output(self):
        with open("/dev/full", "w") as full:
            result = subprocess.run([AIRLOT, *PLAN], stdout=full, stderr=subprocess.PIPE,
                                    text=True, env=ENVIRONMENT, timeout=60)
        self.assertEqual(result.returncode, 2)
        self.assertEqual(result.stderr,
                         "error: standard output: cannot write: No space left on device\n")


class Training(ProgramTest):
    SMALL = ("--set", "data.dataset=digits", "--set", "rounds=12", "--set", "evaluate_every=4",
             "--set", "model.name=mlp", "--set", "round.time_limit_s=1")

    def files(self, folder):
        return {path.relative_to(folder): path.read_bytes() for path in sorted(folder.rglob("*"))
                if path.is_file()}

    def test_train_writes_its_files(self):
        folder = self.folder / "run"
        summary = self.json("train", *self.SMALL, "-o", folder, "--quiet")
        self.assertEqual(summary["strategies"][0]["strategy"], "probabilistic")
        self.assertEqual(json.loads((folder / "manifest.json").read_text())["state"], "complete")
        rounds = (folder / "probabilistic/seed-1/rounds.csv").read_text().splitlines()
        self.assertEqual(rounds[0], "round,time_s,energy_j,participants,loss,accuracy,test_loss,"
                         "mean_participation_s")
        self.assertEqual(len(rounds), 14)
        devices = (folder / "probabilistic/seed-1/devices.csv").read_text().splitlines()
        self.assertEqual(len(devices), 101)
        self.fails("run: holds runs already: add --resume to go on with them, or --force to "
                   "replace them", "train", *self.SMALL, "-o", folder, "--quiet")

    def test_same_bytes_for_any_jobs_and_after_an_interrupt(self):
        arguments = ("compare", "paper-highly-biased", *self.SMALL, "--seeds", "2", "--quiet")
        one, two, cut = (self.folder / name for name in ("one", "two", "cut"))
        self.done(*arguments, "-o", one, "--jobs", "1")
        self.done(*arguments, "-o", two, "--jobs", "2")
        self.assertEqual(self.files(one), self.files(two))
        codes = set()
        for delay in (0.7, 0.9, 1.1, 1.3):
            process = subprocess.Popen([AIRLOT, *arguments, "-o", cut, "--resume"],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(delay)
            process.send_signal(signal.SIGKILL if delay == 0.9 else signal.SIGINT)
            codes.add(process.wait())
        self.assertLessEqual(codes, {0, 130, -9, -2})
        self.done(*arguments, "-o", cut, "--resume")
        self.assertEqual(self.files(one), self.files(cut))

    def test_bad_input(self):
        self.fails('unknown strategy "luck": must be one of probabilistic, deterministic, uniform, '
                   "equally-weighted", "train", *self.SMALL, "--strategy", "luck")
        for target in ("[0]", "[1.5]", "[-1]", "0.5", "[\"a\"]"):
            result = airlot("train", *self.SMALL, "--set", f"targets={target}", cwd=self.folder)
            self.assertEqual(result.returncode, 2, target)
            self.assertIn("targets", result.stderr)
        result = airlot("train", *self.SMALL, "--set", "fleet.energy_budget_j=0", "--quiet",
                        cwd=self.folder)
        self.assertEqual(result.returncode, 2)
        self.assertIn("no device can ever take part", result.stderr)
        result = airlot("train", *self.SMALL, "--set", "data.dataset=", cwd=self.folder)
        self.assertEqual(result.returncode, 2)
        self.assertIn("data.dataset is not set", result.stderr)


if __name__ == "__main__":
    unittest.main()
