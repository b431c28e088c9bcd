"""Tests airlot plan from the outside: what it prints and writes, and how it takes bad input."""
import csv
import io
import json
import math
import os
import resource
import signal
import subprocess
import threading
import time
import unittest

from program import AIRLOT, ENVIRONMENT, PLAN, ProgramTest, airlot


class Plan(ProgramTest):
    def test_prints_a_summary(self):
        text = self.done(*PLAN)
        self.assertIn("Plan of 100 devices: float32-cell, solver exact", text)
        for part in ("full", "energy", "power", "Probability of taking part", "participants",
                     "empty round", "Add -o plan.csv to keep the plan."):
            self.assertIn(part, text)

    def test_levers_are_what_one_percent_more_adds(self):
        budgets = "fleet.energy_budget_j={ log_uniform = [1.01e-3, 101] }"
        for scenario, limit_s, power_w in (("paper-mildly-biased", 0.5, 0.01), ("float32-cell", 0.08, 0.2), ("urban-cell", 0.5, None)):
            base = self.json("plan", scenario, "--set", "data.dataset=")
            more = {"bandwidth": "radio.bandwidth_hz=1.01e7", "time_limit": f"round.time_limit_s={1.01 * limit_s}"}
            if power_w:  # the budgets and powers of urban-cell are others
                more |= {"energy_budget": budgets, "max_power": f"fleet.max_power_w={1.01 * power_w}"}
            for lever, key in more.items():
                there = self.json("plan", scenario, "--set", "data.dataset=", "--set", key)
                adds = there["expected_participants"] - base["expected_participants"]
                # A percent bends the curve by about as much, and single devices come to another limit.
                self.assertAlmostEqual(base["one_percent_more_adds"][lever] / adds, 1, delta=0.05)
        self.assertIsNone(self.json(*PLAN, "--solver", "alternating")["one_percent_more_adds"])
        self.assertIsNone(self.json(*PLAN, "--set", "round.time_weight=0.1")["one_percent_more_adds"])
        self.assertIsNone(self.json(*PLAN, "--bandwidth", "shared")["one_percent_more_adds"])
        self.assertNotIn("1 % more", airlot(*PLAN, "--set", "fleet.energy_budget_j=0").stdout)
        self.assertIn("time and power hold them back", self.done(*PLAN))
        self.assertGreater(base["longest_upload_s"], base["expected_round_time_s"])
        self.assertIn("What 1 % more would add", self.done(*PLAN))
        self.assertNotIn("What 1 % more would add", self.done(*PLAN, "--solver", "literal"))

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
        self.done(*PLAN, "float32-cell", "--fleet", fleet, "-o", plan_file)
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
        result = airlot(*PLAN, "--check", "--solver", "literal", "--json")
        self.assertEqual(result.returncode, 1)
        check = json.loads(result.stdout)["check"]
        self.assertGreater(check["largest_gap"], 0.5)
        self.assertIn(f"the check failed: row {check['gap_row']} ", result.stderr)
        self.assertIn("largest gap to the optimum", self.done(*PLAN, "--check"))

    def test_median_of_an_even_number_of_devices(self):
        fleet = self.write("fleet.csv", "distance_m\n100\n400\n")
        summary = self.json(*PLAN, "float32-cell", "--fleet", fleet, "-o", self.folder / "plan.csv")["probability"]
        self.assertLess(summary["lowest"], summary["highest"])
        self.assertAlmostEqual(summary["median"], (summary["lowest"] + summary["highest"]) / 2,
                               places=15)

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

    def test_a_round_has_its_own_channel(self):
        urban = ("plan", "urban-cell", "--check")
        mean, first, second = (self.json(*urban, *more) for more in
                               ((), ("--round", 1), ("--round", 2)))
        self.assertIsNone(mean["round"])
        self.assertEqual(first["round"], 1)
        self.assertEqual(len({plan["expected_participants"] for plan in (mean, first, second)}), 3)
        self.assertLess(first["check"]["largest_gap"], 1e-11)
        self.assertIn("The plan is for the mean channel; add --round 1", self.done(*urban))
        self.assertIn("The plan is for the channel of round 2.", self.done(*urban, "--round", 2))
        # The fleet is saved without the round's fading.
        saved = [self.folder / name for name in ("mean.csv", "round.csv")]
        self.done(*urban, "--save-fleet", saved[0])
        self.done(*urban, "--round", 1, "--save-fleet", saved[1])
        self.assertEqual(saved[0].read_bytes(), saved[1].read_bytes())
        report = self.folder / "report.html"
        self.done(*urban, "--round", 2, "--report", report)
        self.assertIn("the channel of round 2", report.read_text())
        self.assertIn("--round 2", report.read_text())
        split = (*urban, "--bandwidth", "shared")
        mean_band, band = (self.json(*split, *more)["bandwidth"] for more in
                           ((), ("--round", 1)))
        self.assertAlmostEqual(band["gain"], mean_band["gain"], places=12)
        self.assertNotEqual(band["planned_value"], mean_band["planned_value"])
        self.assertNotIn("bandwidth_gap", self.json(*split, "--round", 1)["check"])
        self.assertIn("for the mean channel", self.done(*split, "--round", 1))
        self.fails("--round 1: all rounds have the same plan, as radio.fading is none; leave it "
                   "out", *PLAN,
                   "--round", 1)

    def test_time_weight_shortens_the_round_and_claims_no_optimum(self):
        plain = self.json(*PLAN)
        self.assertNotIn("objective", plain)
        weight = 0.2
        weighed = [*PLAN, "--check", "--set", f"round.time_weight={weight}"]
        plan = self.json(*weighed)
        self.assertLess(plan["expected_round_time_s"], 0.9 * plain["expected_round_time_s"])
        self.assertAlmostEqual(
            plan["objective"],
            plan["expected_participants"] - weight * plan["expected_round_time_s"], 12)
        self.assertGreater(
            plan["objective"],
            plain["expected_participants"] - weight * plain["expected_round_time_s"])
        self.assertLess(plan["check"]["largest_violation"], 1e-12)
        self.assertNotIn("largest_gap", plan["check"])
        text = self.done(*weighed)
        self.assertIn("objective", text)
        self.assertNotIn("gap to the optimum", text)

    def test_floor_says_what_is_missing(self):
        floor = self.json(*PLAN, "--set", "round.min_probability=0.02")["floor"]
        self.assertGreater(floor["below"], 10)
        self.assertEqual(len(floor["shortfalls"]), floor["below"])
        needy = floor["shortfalls"][0]
        self.assertLess(needy["probability"], 0.02)
        text = self.done(*PLAN, "--set", "round.min_probability=0.02")
        self.assertIn("stay below a probability of 0.02", text)
        self.assertIn(f"  ... and {floor['below'] - 10} more: add -o plan.csv or --json for all of them\n", text)

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
        result = airlot("plan", "--fleet", "-", "-o", "-", "--set", "round.min_probability=1", input="path_loss_db\n130\n")
        self.assertTrue(result.stderr.startswith("Plan of 1 device: fleet, fleet standard input, solver exact\n"), result.stderr)
        self.assertTrue(result.stderr.endswith(" The plan is on standard output.\n"), result.stderr)
        self.assertIn("\n1 of 1 device stays below a probability of 1.\n", result.stderr)

    def test_what_is_wrong_with_standard_input_is_said_of_it(self):
        for name in ("-", "/dev/stdin"):
            self.fails("standard input:2: distance_m = \"x\": must be a number", "plan", "--fleet", name, input="id,distance_m\na,x\n")
        result = airlot("plan", "--fleet", "-", "--ignore-unknown", input="path_loss_db,colour\n130,red\n")
        self.assertIn("note: standard input: ignored a column, which is not known: colour\n", result.stderr)
        self.fails('standard input: is empty: a header line is needed', "draw", "-", "--rounds", 1, input="")

    def test_a_saved_fleet_gives_the_same_plan(self):
        fleet, first, second = (self.folder / name for name in ("fleet.csv", "a.csv", "b.csv"))
        self.done(*PLAN, "--save-fleet", fleet, "-o", first)
        self.done(*PLAN, "paper-mildly-biased", "--fleet", fleet, "-o", second)
        self.assertEqual(first.read_bytes(), second.read_bytes())

    def test_fleet_from_standard_input(self):
        summary = json.loads(self.done(*PLAN, "float32-cell", "--fleet", "-", "--json", input="distance_m\n1\n2\n"))
        self.assertEqual(summary["devices"], 2)

    def test_interrupt_leaves_no_temporary_file(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(number):
                self.interrupt(number)

    def interrupt(self, number):
        fleet = self.write("fleet.csv", "distance_m\n" + "10\n" * 2_000_000)
        old = self.write("plan.csv", "old")
        with subprocess.Popen([AIRLOT, *PLAN, "float32-cell", "--fleet", fleet, "-o", old], env=ENVIRONMENT,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            deadline = time.monotonic() + 60
            while not list(self.folder.glob(".plan.csv.tmp-*")) and time.monotonic() < deadline:
                self.assertIsNone(process.poll(), "it ended before it could be interrupted")
                time.sleep(0.001)
            process.send_signal(number)
            process.wait(60)
        self.assertEqual(process.returncode, -number)  # In a shell this is 128 + the number.
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()),
                         ["fleet.csv", "plan.csv"])
        self.assertEqual(old.read_text(), "old")


class BadFleet(ProgramTest):
    HEADER = "id,distance_m,bandwidth_hz,energy_budget_j\n"

    def refuses(self, expected, text):
        fleet = self.write("fleet.csv", text)
        self.fails(expected, *PLAN, "float32-cell", "--fleet", fleet, "-o", self.folder / "plan.csv")

    def test_files(self):
        self.fails("missing.csv: cannot open: No such file or directory", *PLAN, "float32-cell", "--fleet",
                   self.folder / "missing.csv")
        folder = self.folder / "folder"
        folder.mkdir()
        self.fails("folder: is a directory, not a file", *PLAN, "float32-cell", "--fleet", folder)
        self.refuses("fleet.csv: is empty: a header line is needed", "")
        self.refuses("fleet.csv: has a header but no devices", self.HEADER)
        self.refuses("fleet.csv:2: contains a NUL byte: it is not a text file",
                     self.HEADER.encode() + b"a\0,1,1,1\n")

    def test_headers(self):
        self.assertIn("unknown column", airlot(*PLAN, "float32-cell", "--fleet", self.write(
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
        self.assertEqual(self.json(*PLAN, "float32-cell", "--fleet", fleet)["devices"], 2)

    def test_a_line_of_a_gigabyte_is_refused_at_once(self):
        huge = self.folder / "huge.csv"
        with open(huge, "wb") as file:
            file.write(b"distance_m\n1")
            # These are sparse zeros, so there is no line end for a gigabyte.
            file.truncate(1 << 30)
        limit = 400 << 20
        self.fails("huge.csv:2: line is longer than 1048576 bytes", *PLAN, "float32-cell", "--fleet", huge,
                   preexec_fn=None if "asan" in AIRLOT or "tsan" in AIRLOT else lambda: (
                       resource.setrlimit(resource.RLIMIT_AS, (limit, limit))))


    def test_pipes_and_devices(self):
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        self.fails("pipe: is not a regular file", *PLAN, "float32-cell", "--fleet", pipe)
        self.fails("/dev/zero: is not a regular file", *PLAN, "float32-cell", "--fleet", "/dev/zero")
        for scenario in (pipe, "/dev/zero"):
            result = airlot(*PLAN, scenario)
            self.assertEqual(result.returncode, 2)
            self.assertIn("is not a regular file", result.stderr)

    def test_a_pipe_of_the_shell(self):
        reads, writes = os.pipe()
        os.write(writes, b"distance_m\n1\n2\n")
        os.close(writes)
        self.assertIn("Plan of 2 devices",
                      self.done(*PLAN, "float32-cell", "--fleet", f"/dev/fd/{reads}", pass_fds=(reads,)))
        os.close(reads)

    def refuses_stream(self, pattern, line, header=b"", limit=None):
        """An endless stream of the same line ends with an error, in bounded memory."""
        def endless(pipe):
            try:
                pipe.write(header)
                while True:
                    pipe.write(line * (1 + (1 << 16) // len(line)))
            except BrokenPipeError:
                pass

        process = subprocess.Popen([AIRLOT, *PLAN, "float32-cell", "--fleet", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, env=ENVIRONMENT, preexec_fn=limit)
        writer = threading.Thread(target=endless, args=(process.stdin,))
        writer.start()
        error = process.stderr.read().decode()
        self.assertEqual(process.wait(timeout=120), 2, error)
        writer.join()
        for pipe in (process.stdout, process.stderr):
            pipe.close()
        try:
            process.stdin.close()
        except BrokenPipeError:
            pass
        self.assertRegex(error, pattern)

    def test_streams_that_never_end(self):
        self.refuses_stream(r'standard input:1: unknown column "y"', b"y\n")
        self.refuses_stream(r'standard input:1: unknown column "1"', b"1,2,3\n")
        self.refuses_stream(r"standard input:1: line is longer than 1048576 bytes", b"\0")
        self.refuses_stream(r"standard input:1048577: blank lines of more than 1048576 bytes in a row", b"\n")
        self.refuses_stream(r"standard input:1048578: blank lines of more than 1048576 bytes in a row", b"\n", b"distance_m\n")

    @unittest.skipIf("asan" in AIRLOT or "tsan" in AIRLOT, "sanitizers take more address space")
    def test_streams_of_devices_that_never_end(self):
        def little_memory():
            resource.setrlimit(resource.RLIMIT_AS, (400 << 20, 400 << 20))

        self.refuses_stream(r"standard input: \d+ devices or more: needs about 0.[45] GB of memory, there are 0.4",
                            b"1\n", b"distance_m\n", little_memory)
        self.refuses_stream(r"standard input: \d+ devices or more: needs about 0.\d GB of memory, there are 0.4",
                            b"i" * 3000 + b",1\n", b"id,distance_m\n", little_memory)

    def test_a_file_that_does_not_fit_into_memory(self):
        huge = self.write("huge.csv", "distance_m\n" + "1\n" * 40_000)
        memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        # The file is sparse; a device takes 2 bytes in the file and 200 in memory.
        os.truncate(huge, memory // 50)
        result = airlot(*PLAN, "float32-cell", "--fleet", huge)
        self.assertEqual(result.returncode, 2)
        self.assertRegex(result.stderr, r"huge\.csv: about [0-9.e+]+ devices: needs about \d+ GB")


class BadOutput(ProgramTest):
    def test_unwritable(self):
        self.fails("missing/plan.csv: cannot write: No such file or directory", *PLAN, "-o",
                   self.folder / "missing" / "plan.csv")
        folder = self.folder / "folder"
        folder.mkdir()
        self.fails("folder: is a directory", *PLAN, "-o", folder)

    def refuses_to_overwrite(self, what, *arguments):
        """The error is one line that names both, and every file stays as it was."""
        before = {path: path.read_bytes() for path in self.folder.rglob("*") if path.is_file()}
        result = airlot(*PLAN, *arguments, cwd=self.folder)
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertEqual(result.stdout, "")
        self.assertIn(what, result.stderr)
        self.assertEqual({path: path.read_bytes() for path in self.folder.rglob("*")
                          if path.is_file()}, before)

    def test_what_is_read(self):
        fleet = self.write("fleet.csv", "distance_m\n1\n")
        self.write("s.toml", 'name = "s"\n')
        (self.folder / "link.csv").symlink_to("fleet.csv")
        for name in ("fleet.csv", "./fleet.csv", fleet, "link.csv"):
            for option in ("-o", "--save-fleet", "--report"):
                self.refuses_to_overwrite("is the fleet file", "--fleet", fleet, option, name)
        self.write("with.toml", '[fleet]\nfile = "fleet.csv"\n')
        self.refuses_to_overwrite("is the fleet file", "./with.toml", "-o", "fleet.csv")
        for option in ("-o", "--save-fleet", "--report"):
            self.refuses_to_overwrite("is the scenario", "s.toml", option, "./s.toml")

    def test_one_file_for_two_outputs(self):
        # The file that it leads to is not there yet.
        (self.folder / "link.csv").symlink_to("a.csv")
        (self.folder / "here").symlink_to(".")
        for other in ("a.csv", "./a.csv", self.folder / "a.csv", "link.csv", "here/a.csv"):
            for options in (("-o", "--save-fleet"), ("-o", "--report"), ("--save-fleet", "--report")):
                self.refuses_to_overwrite("cannot hold both", options[0], "a.csv", options[1], other)
        self.done(*PLAN, "-o", "/dev/null", "--save-fleet", "/dev/null")

    def test_counts_of_a_partition(self):
        scenario = self.write("s.toml", '[data]\ndataset = "digits"\n')
        self.fails("s.toml: is the scenario and would be overwritten: write the counts to another "
                   "file", "data", "partition", scenario, "-o", scenario)

    def test_one_terminal_as_standard_input_and_output(self):
        ours, theirs = os.openpty()
        os.write(ours, b"distance_m\n1\n\x04\x04")
        result = subprocess.run([AIRLOT, *PLAN, "float32-cell", "--fleet", "-", "-o", "-"], stdin=theirs,
                                stdout=theirs, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT,
                                timeout=60)
        self.assertEqual(result.returncode, 0, result.stderr)
        os.write(theirs, b"\0")  # It comes after all that was printed.
        printed = b""
        while b"\0" not in printed:
            printed += os.read(ours, 4096)
        self.assertIn(b"id,probability", printed)
        os.close(theirs)
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
            result = subprocess.run([AIRLOT, *PLAN, "float32-cell", "--fleet", "missing"], stderr=full,
                                    env=ENVIRONMENT, timeout=60)
        self.assertEqual(result.returncode, 2)

    def test_full_standard_output(self):
        with open("/dev/full", "w") as full:
            result = subprocess.run([AIRLOT, *PLAN], stdout=full, stderr=subprocess.PIPE,
                                    text=True, env=ENVIRONMENT, timeout=60)
        self.assertEqual(result.returncode, 2)
        self.assertEqual(result.stderr,
                         "error: standard output: cannot write: No space left on device\n")


if __name__ == "__main__":
    unittest.main()
