"""Tests the program from the outside: its other commands, its help, and how it takes bad usage."""
import fcntl
import json
import math
import os
import re
import resource
import signal
import socket
import struct
import subprocess
import termios
import time
import unittest
from pathlib import Path

from program import AIRLOT, ENVIRONMENT, PLAN, ProgramTest, airlot, commands, write_small_data

SANITIZED = "AIRLOT_SANITIZED" in os.environ
COMMANDS = tuple(commands())


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

    def test_link_of_3gpp(self):
        urban = ("link", "--set", "radio.path_loss=uma-nlos", "--set", "radio.frequency_hz=5e9",
                 "--set", "radio.base_height_m=25", "--set", "radio.device_height_m=1.5",
                 "--distance-m", 1000)
        link = self.json(*urban)
        self.assertAlmostEqual(link["path_loss_db"], 144.7641, delta=0.001)
        self.assertEqual(link["gain_db"], -link["path_loss_db"])
        self.assertFalse(link["line_of_sight"])
        self.assertIn("144.76 dB", self.done(*urban))
        drawn = self.json(*urban, "--set", "radio.path_loss=uma", "--set", "radio.shadowing=true",
                          "--shadowing-db", 7, "--line-of-sight", "yes")
        self.assertAlmostEqual(drawn["path_loss_db"], 109.7252, delta=0.01)
        self.assertEqual(drawn["path_loss_los_db"], drawn["path_loss_db"])
        self.assertEqual(drawn["path_loss_nlos_db"], link["path_loss_db"])
        self.assertAlmostEqual(drawn["gain_db"], -drawn["path_loss_db"] - 7, places=9)
        self.assertEqual(drawn["shadowing_sd_db"], 4)
        likelier = self.json(*urban, "--set", "radio.path_loss=uma")
        self.assertLess(likelier["line_of_sight_probability"], 0.5)
        self.assertFalse(likelier["line_of_sight"])

    def test_link_with_fading_and_an_amplifier(self):
        link = self.json("link", "--distance-m", 1000, "--set", "radio.fading=rayleigh", "--set",
                         "radio.amplifier_efficiency=0.4", "--set", "radio.circuit_power_w=0.1")
        snr = 2e5
        # For a large SNR, e^(1/snr)·E1(1/snr) is ln snr - Euler's constant.
        ergodic = (math.log(snr) - 0.5772156649) / math.log(2)
        self.assertAlmostEqual(link["ergodic_rate_bps"] / 1e5, ergodic, delta=1e-3)
        self.assertAlmostEqual(link["outage_rate_bps"] / 1e5,
                               math.log2(1 - snr * math.log(0.9)), places=6)
        self.assertAlmostEqual(link["energy_j"], 0.6 * link["upload_s"], places=9)
        text = self.done("link", "--distance-m", 100, "--set", "radio.path_loss=umi", "--set",
                         "radio.fading=rician", "--line-of-sight", "yes")
        self.assertIn("rician, K = 9 dB", text)

    def test_link_of_reception(self):
        # The server sends 10 W over a gain of -60 dB against 1e-12 W, in 10 MHz.
        link = ("link", "--distance-m", 1000, "--set", "radio.receive_power_w=0.5")
        receive_s = 199210 * 32 / (1e7 * math.log2(1 + 1e7))
        values = self.json(*link)
        self.assertAlmostEqual(values["receive_s"] / receive_s, 1, places=9)
        self.assertAlmostEqual(values["receive_energy_j"] / receive_s, 0.5, places=9)
        self.assertAlmostEqual(values["received_dbm"], 10 * math.log10(200) - 60, places=9)
        self.assertIn("the receiver draws 0.5 W", self.done(*link))
        self.assertIn("received power", self.done(*link))

    def test_radio_outside_its_range(self):
        uma = ("--set", "radio.path_loss=uma")
        place = "float32-cell: "
        self.fails(place + "radio.frequency_hz = 1e+08: uma is defined from 5e+08 to 1e+11",
                   *PLAN, *uma, "--set", "radio.frequency_hz=0.1e9")
        self.fails("--set radio.frequency_hz=0: must be 1e+06 to 1e+12", *PLAN, *uma, "--set",
                   "radio.frequency_hz=0")
        self.fails(place + "radio.base_height_m = 1.5: uma is defined for 25 only (are "
                   "radio.base_height_m and radio.device_height_m swapped?)", *PLAN, *uma, "--set",
                   "radio.base_height_m=1.5", "--set", "radio.device_height_m=25")
        self.fails("distance_m = 6000: uma is defined from 10 to 5000", "link", *uma,
                   "--distance-m", 6000)
        self.fails("--line-of-sight no: inverse-square leaves no choice", "link", "--distance-m",
                   10, "--line-of-sight", "no")
        self.fails("environment_height_m = 12: must be 1, as radio.device_height_m is below 13.5",
                   "link", *uma, "--distance-m", 10, "--environment-height-m", 12)
        self.fails("environment_height_m = 9: must be 1, or one of 12, 15, ... up to 21", "link",
                   *uma, "--set", "radio.device_height_m=22.5", "--distance-m", 10,
                   "--environment-height-m", 9)
        self.fails("environment_height_m = 12: must be 1 with umi", "link", "--set",
                   "radio.path_loss=umi", "--distance-m", 10, "--environment-height-m", 12)
        self.fails(place + "radio.base_height_m = 200: inh is defined up to 150 m between the "
                   "antennas, so at most 150 m above radio.device_height_m = 1.5", "link", "--set",
                   "radio.path_loss=inh", "--set", "radio.base_height_m=200", "--distance-m", 10)
        self.fails("fleet.area_m = 1000: its corners are 707.107 m from the server, and inh is "
                   "defined up to 149.992 m: must be <= 212.121", *PLAN, "--set",
                   "radio.path_loss=inh")
        fleet = self.write("fleet.csv", "id,distance_m\nyard,300\nroof,7000\n")
        self.fails("fleet.csv:3: device 2 (roof): distance_m = 7000: uma is defined from 10 to 5000",
                   *PLAN, "float32-cell", *uma, "--fleet", fleet)

    def test_batteries_and_powers_outside_their_range(self):
        for key, value, why in (("fleet.battery_j", "-1", "must be > 0"),
                                ("fleet.battery_j", "0", "must be > 0"),
                                ("fleet.battery_j", "{ uniform = [-5, 3] }", "low must be > 0"),
                                ("fleet.harvest_w", "-0.1", "must be >= 0"),
                                ("radio.amplifier_efficiency", "1.2", "must be 1e-06 to 1"),
                                ("radio.circuit_power_w", "-1", "must be >= 0"),
                                ("radio.receive_power_w", "-1", "must be >= 0"),
                                ("radio.nakagami_m", "0.2", "must be 0.5 to 1000"),
                                ("radio.rician_k_db", "nan", "must be a finite number")):
            self.fails(f"--set {key}={value}: {why}", "plan", "urban-cell", "--set",
                       f"{key}={value}")
        fleet = self.write("fleet.csv", "id,distance_m,battery_j\nshed,100,5\nbarn,200,-3\n")
        self.fails("fleet.csv:3: battery_j = -3: must be > 0", "plan", "urban-cell", "--fleet",
                   fleet)

    def test_bench_bandwidth(self):
        bench = self.json("bench", "bandwidth", "--devices", 5000, "--repeats", 1)
        self.assertEqual(bench["devices"], 5000)
        for way in ("shared_fixed_noise", "shared_density", "blocks_density"):
            self.assertGreater(bench[way]["seconds"], 0)
            self.assertGreater(bench[way]["gain"], 0)
        self.assertLess(bench["shared_density"]["gap"], 1e-9)

    def test_bench_planning(self):
        bench = self.json("bench", "planning", "--devices", 20000, "--repeats", 1)
        for field in ("devices_per_s", "scalar_devices_per_s", "ratio", "triad_gb_per_s",
                      "bytes_per_device", "threads_ratio", "bandwidth_share",
                      "fading_devices_per_s", "fading_ratio", "rician_ratio", "nakagami_ratio",
                      "steps_devices_per_s", "steps_ratio", "mcs_ratio", "steps_and_mcs_ratio"):
            self.assertGreater(bench[field], 0, field)
        self.assertEqual(bench["steps_devices"], 20000)
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
        rows = self.json("bench", "learning", "--model", "cnn,mlp", "--batch", "7,32", "--repeats", "1",
                         "--save", self.folder)
        self.assertEqual([(row["model"], row["batch"]) for row in rows],
                         [("cnn", 7), ("cnn", 32), ("mlp", 7), ("mlp", 32)])
        for row in rows:
            for key in ("samples_per_s", "gflop_per_s", "sgemm_gflop_per_s",
                        "evaluation_us_per_sample"):
                self.assertGreater(row[key], 0, key)
            for name in (f"{row['model']}-parameters.f32",
                         f"{row['model']}-{row['batch']}-gradient.f32"):
                self.assertEqual((self.folder / name).stat().st_size, 4 * 199210)
        self.assertEqual((self.folder / "images.u8").stat().st_size, 1000 * 784)
        self.json("bench", "learning", "--model", "logistic", "--batch", "2", "--repeats", "1", "--side", "6",
                  "--channels", "3", "--save", self.folder)
        self.assertEqual((self.folder / "logistic-parameters.f32").stat().st_size, 4 * 10 * (108 + 1))
        self.assertEqual((self.folder / "images.u8").stat().st_size, 1000 * 108)
        self.fails("--batch 1001: must be <= 1000, the number of test images", "bench", "learning",
                   "--batch", "1001")
        for bad in ("0", "1.5", "1e3", "-1", "x"):
            self.fails(f'--batch: "{bad}": must be a whole number from 1 to 1,000,000 '
                       "(see airlot bench learning --help)", "bench", "learning", "--batch", bad)
        result = airlot("bench", "learning", "--data", "./nowhere")
        self.assertEqual(result.returncode, 2)
        self.assertIn("./nowhere", result.stderr)

    def test_bench_selection(self):
        rows = self.json("bench", "selection", "--devices", 300, "--rounds", 2)
        self.assertTrue(all(row["devices"] == 300 and row["us_per_device_and_round"] > 0 and
                            row["us_per_device_and_plan"] > 0 for row in rows), rows)
        asking = {"gradient-probability", "update-aware-bn2", "update-aware-bn2-c"}
        self.assertEqual([row["strategy"] for row in rows],
                         [row["name"] for row in self.json("list", "strategies")
                          if row["name"] not in asking])
        self.assertIn("µs per device, 300 devices, one thread",
                      self.done("bench", "selection", "--devices", 300, "--rounds", 1))

    def test_bench_simulation(self):
        row = self.json("bench", "simulation", "--set", "rounds=20", "--set",
                        f"data.dataset={write_small_data(self.folder / 'data')}", "--set",
                        "fleet.devices=10", "--set", "data.minimum_samples=1", "--repeats", "1")
        self.assertGreater(row["rounds_per_s"], 0)
        self.assertGreater(row["other_us_per_round"], 0)
        self.assertLess(row["gradient_share"] + row["evaluation_share"], 1)

    def test_lists(self):
        for what in ("scenarios", "models", "datasets", "partitions", "strategies", "path-losses",
                     "fadings", "solvers", "keys", "simd-targets"):
            rows = self.json("list", what)
            self.assertGreater(len(rows), 0)
            lines = self.done("list", what).splitlines()
            self.assertEqual(len(lines), len(rows))
            for line, row in zip(lines, rows):
                self.assertTrue(line.startswith(row["name"]))
                self.assertTrue(row["summary"].endswith("."), row)

    def test_every_help_has_an_example_that_works(self):
        self.assertLessEqual({("plan",), ("draw",), ("sweep",), ("scenario",), ("bench", "planning"), ("data", "fetch")}, set(COMMANDS))
        os.symlink(Path(__file__).resolve().parent.parent / "scenarios", self.folder / "scenarios")
        for command in COMMANDS:
            text = self.done(*command, "--help")
            for line in text.split("Example:\n")[1].strip().splitlines():
                self.works(line.split())

    def works(self, example):
        self.assertEqual(example[0], "airlot")
        if ">" in example:
            example = example[:example.index(">")]
        if SANITIZED:  # A small fleet and network show the same to a sanitizer.
            example = ["1000" if word == "1000000" else word for word in example]
            if "simulation" in example:
                example += ["--set", "rounds=2", "--set", "model.name=mlp"]
        if ("planning" in example or "bandwidth" in example) and "--devices" not in example:
            example += ["--devices", "1000"]
        # These examples are cut short, and run without progress.
        if example[1] in ("train", "compare", "reproduce", "sweep"):
            # A strategy with strict budgets first saves up for a participation, and a sweep says where nobody took part.
            rounds = "rounds=30" if example[1] == "sweep" else "rounds=1"
            example += ["--set", rounds, "--set", "model.name=mlp", "--quiet"]
        if example[1] == "device":  # It waits for a SuperLink, until it is told to end.
            with socket.socket() as nobody:  # Nobody listens at its port.
                nobody.bind(("127.0.0.1", 0))
                superlink = f"127.0.0.1:{nobody.getsockname()[1]}"
            example = [superlink if word == "localhost:8000" else word for word in example]
            with subprocess.Popen([AIRLOT, *example[1:]], stderr=subprocess.PIPE, text=True, env=ENVIRONMENT, cwd=self.folder) as process:
                self.assertIn(f"{superlink}: no answer from the SuperLink", process.stderr.readline())
                process.terminate()
                self.assertEqual(process.wait(60), 0)
            return
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


class Output(ProgramTest):
    def test_a_full_standard_output_is_told_of_every_command(self):
        for arguments in (("list",), ("list", "keys"), ("list", "keys", "--json"), ("--help",),
                          ("link", "--distance-m", "10"), ("data", "info", "digits"), PLAN):
            with open("/dev/full", "w") as full:
                result = subprocess.run([AIRLOT, *arguments], stdout=full, stderr=subprocess.PIPE,
                                        text=True, env=ENVIRONMENT, timeout=60)
            self.assertEqual((result.returncode, result.stderr),
                             (2, "error: standard output: cannot write: No space left on device\n"),
                             arguments)

    def test_names_cannot_steer_the_terminal(self):
        for steering in ("\x1b[31m", "\x7f", "\xc2\x9b31m", "\x9b31m"):
            name = os.fsencode(self.folder) + b"/" + steering.encode("latin-1") + b"fleet.csv"
            with open(name, "wb") as file:
                file.write(b"distance_m\n1\n")
            for arguments in ((), ("--json",), ("-o", name), ("--set", b"x=" + name)):
                result = subprocess.run([AIRLOT, *PLAN, "float32-cell", "--fleet", name, *arguments],
                                        capture_output=True, env=ENVIRONMENT, timeout=60)
                for text in (result.stdout, result.stderr):
                    shown = text.decode()  # It has nothing that is not UTF-8 either.
                    self.assertFalse([c for c in shown if c != "\n" and
                                      (c < " " or "\x7f" <= c <= "\x9f")], shown)
                if "--json" in arguments:
                    json.loads(result.stdout)

    def test_json_of_long_names_and_odd_paths(self):
        data = write_small_data(self.folder / "data")
        small = ("train", "--quiet", "--json", "--set", f"data.dataset={data}", "--set", "rounds=1",
                 "--set", "model.name=mlp", "--set", "fleet.devices=10", "--set",
                 "data.minimum_samples=1")
        for name in ("a" + "\u20ac" * 40, "ab" + "\u20ac" * 40, "\u20ac" * 40):
            run = json.loads(self.done(*small, "--set", f"name={name}", cwd=self.folder))
            self.assertTrue(run["folder"].endswith("\u20ac"))
            self.assertLessEqual(len(os.path.basename(run["folder"]).encode()), 100)
        folder = os.fsencode(self.folder) + b"/caf\xe9"
        result = subprocess.run([AIRLOT, *small, "-o", folder], capture_output=True,
                                env=ENVIRONMENT, timeout=60)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("caf\ufffd", json.loads(result.stdout)["folder"])

    def test_models_are_counted_for_images_that_are_named(self):
        self.assertIn("77,754 parameters for grey images of 28 x 28.", " ".join(self.done("list", "models").split()))

    def test_list_says_what_there_is(self):
        for line in self.done("list").splitlines():
            self.assertRegex(line, r"^([a-z-]+) +\d+ [A-Za-z ]+\.$")
            self.assertNotIn("of them", line)

    def test_report_over_a_file_of_a_run(self):
        for name in ("manifest.json", "summary.json", "checkpoint"):
            path = self.write(name, "precious")
            link = self.folder / f"link-{name}.html"
            link.symlink_to(name)
            for output in (path, link):
                result = airlot("report", self.folder, "-o", output)
                self.assertEqual(result.returncode, 2)
                self.assertIn("has the name of a file of a run", result.stderr)
            self.assertEqual(path.read_text(), "precious")


class Runs(ProgramTest):
    """Train and compare take signals, little memory and narrow terminals."""

    def setUp(self):
        super().setUp()
        data = write_small_data(self.folder / "data")
        self.small = ("--set", f"data.dataset={data}", "--set", "model.name=mlp", "--set",
                      "fleet.devices=10", "--set", "data.minimum_samples=1", "--set",
                      "evaluate_every=1000")
        self.run_folder = self.folder / "run"

    def start(self, *arguments, **options):
        return subprocess.Popen([AIRLOT, *map(str, arguments)], env=ENVIRONMENT, text=True,
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, **options)

    def wait_until(self, process, condition):
        deadline = time.monotonic() + 60
        while not condition():
            self.assertIsNone(process.poll(), "it ended too soon")
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.005)

    def test_ignored_signals_stay_ignored(self):
        def as_nohup():
            signal.signal(signal.SIGHUP, signal.SIG_IGN)
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # The program is a job in the background.

        with self.start("train", *self.small, "--set", "rounds=1000000", "--quiet", "-o",
                        self.run_folder, "--checkpoint-every-s", "0",
                        preexec_fn=as_nohup) as process:
            self.wait_until(process, lambda: list(self.run_folder.rglob("checkpoint")))
            for ignored in (signal.SIGHUP, signal.SIGINT, signal.SIGHUP):
                process.send_signal(ignored)
                time.sleep(0.1)
            self.assertIsNone(process.poll())
            process.terminate()
            self.assertIn("interrupted", process.communicate(timeout=60)[1])
        self.assertEqual(process.returncode, 128 + signal.SIGTERM)

    def test_an_interrupt_ends_the_writing_of_the_report(self):
        run = ("train", *self.small, "--set", "rounds=1", "--quiet", "-o", self.run_folder)
        self.done(*run)
        report = self.run_folder / "report.html"
        report.unlink()
        os.mkfifo(report)  # Nobody reads the pipe, so that writing takes for ever.
        summary = self.run_folder / "summary.json"
        before = summary.stat().st_mtime_ns
        with self.start(*run, "--resume") as process:
            self.wait_until(process, lambda: summary.stat().st_mtime_ns != before)
            time.sleep(0.2)
            process.send_signal(signal.SIGINT)
            try:
                process.wait(20)
            finally:
                process.kill()
        self.assertEqual(process.returncode, -signal.SIGINT)

    @unittest.skipIf("asan" in AIRLOT or "tsan" in AIRLOT, "sanitizers reserve much memory")
    def test_too_little_memory_is_an_error(self):
        """It is chance which limit a thread meets, and where: some of these are too low."""
        results = []
        for limit in range(30 << 20, 100 << 20, 10 << 20):
            result = airlot("compare", "paper-mildly-biased", *self.small, "--set", "rounds=3",
                            "--seeds", "2", "--jobs", "8", "--quiet", "-o",
                            self.folder / str(limit), preexec_fn=lambda: resource.setrlimit(
                                resource.RLIMIT_AS, (limit, limit)))
            results.append((result.returncode, result.stderr))
        self.assertIn((1, "error: out of memory\n"), results)
        self.assertLessEqual(set(results), {(0, ""), (1, "error: out of memory\n")})

    def test_bars_fit_into_a_narrow_terminal(self):
        columns = 40
        ours, theirs = os.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        with subprocess.Popen([AIRLOT, "train", *self.small, "--set", "rounds=1000000", "-o",
                               self.run_folder], stdout=subprocess.DEVNULL, stderr=theirs,
                              env=ENVIRONMENT) as process:
            shown, deadline = "", time.monotonic() + 60
            while shown.count("prob") < 2 and time.monotonic() < deadline and process.poll() is None:  # A name may be cut.
                shown += os.read(ours, 4096).decode()
            process.kill()
        self.assertGreaterEqual(shown.count("prob"), 2)
        os.close(theirs)
        os.close(ours)
        for line in re.sub(r"\x1b\[\d*[A-Z]", "", shown).replace("\r", "\n").split("\n"):
            self.assertLess(len(line), columns, line)

    def test_first_strategy(self):
        few = (*self.small, "--set", "rounds=3", "--set", "strategy.first=airtime", "--set", "strategy.airtime.participants=0",
               "--set", "round.time_limit_s=100", "--set", "fleet.energy_budget_j=1000", "--quiet", "--json")
        runs = json.loads(self.done("compare", "float32-cell", "--seeds", "1", *few, "-o", self.run_folder))
        self.assertEqual([row["strategy"] for row in runs["strategies"]],
                         ["airtime", "probabilistic", "deterministic", "uniform", "equally-weighted"])
        run = json.loads(self.done("train", "float32-cell", *few, "-o", f"{self.run_folder}-2"))
        self.assertEqual([row["strategy"] for row in run["strategies"]], ["airtime"])
        names = ", ".join(row["name"] for row in self.json("list", "strategies"))
        self.fails(f"--set strategy.first=nobody: must be one of {names}", "train", "float32-cell", "--set",
                   "strategy.first=nobody")

    def test_spaces_between_strategies(self):
        runs = json.loads(self.done("compare", "paper-mildly-biased", *self.small, "--set",
                                    "rounds=1", "--seeds", "1", "--strategies", "uniform, all ",
                                    "--quiet", "--json", "-o", self.run_folder))
        self.assertEqual([row["strategy"] for row in runs["strategies"]], ["uniform", "all"])


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
        for option in ("--start-probability", "--inner-tolerance-j", "--outer-tolerance"):
            self.fails("--start-probability, --inner-tolerance-j and --outer-tolerance are for --solver alternating and "
                       "literal: the solver exact takes none of them", *PLAN, option, "0.5")
        self.fails("planning.solver = literal: the paper's algorithms know neither a deadline nor computation "
                   "time in the limit; use exact or bisection", *PLAN, "--solver", "literal",
                   "--set", "round.time_rule=deadline")

    def test_computation_time_must_be_known(self):
        fleet = self.write("fleet.csv", "compute_energy_j\n1\n")
        self.fails("round.count_compute_time = true: the fleet gives compute_energy_j but no "
                   "computation time; add a column compute_time_s", *PLAN, "float32-cell", "--fleet", fleet,
                   "--set", "round.count_compute_time=true")


if __name__ == "__main__":
    unittest.main()
