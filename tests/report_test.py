"""Tests reports from the outside: from complete, interrupted and incomplete directories, and of plans."""
import collections
import csv
import html
import json
import math
import os
import random
import re
import shutil
import statistics
import subprocess
import tempfile
import time
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from program import AIRLOT, ENVIRONMENT, airlot, rows_of, write_small_data

SCRATCH = tempfile.TemporaryDirectory()
DATA = write_small_data(Path(SCRATCH.name) / "small-data")
SMALL = ("--set", f"data.dataset={DATA}", "--set", "rounds=12", "--set", "evaluate_every=4", "--set",
         "model.name=mlp", "--set", "round.time_limit_s=1", "--set", "fleet.devices=20", "--set",
         "data.minimum_samples=2", "--quiet")
FIGURES = {"accuracy-time", "accuracy-energy", "accuracy-rounds", "targets-time", "targets-energy", "map",
           "probabilities", "powers", "upload-times", "labels", "participation-shares",
           "participation-energy", "round-times", "stragglers", "budget-use", "class-accuracy",
           "pareto"}


PAPER = ["probabilistic", "deterministic", "uniform", "equally-weighted"]


def synthesize(source, target, strategies, seeds, rounds, evaluate_every):
    """Makes a run directory of any size, in the form of a small one: curves that rise, participations by chance."""
    draw = random.Random(7)
    manifest = json.loads((source / "manifest.json").read_text())
    scenario = re.sub(r"(?m)^rounds = .*", f"rounds = {rounds}", manifest["scenario"])
    scenario = re.sub(r"(?m)^evaluate_every = .*", f"evaluate_every = {evaluate_every}", scenario)
    target.mkdir(parents=True)
    (target / "manifest.json").write_text(json.dumps(
        {**manifest, "strategies": strategies, "seeds": list(range(1, seeds + 1)), "scenario": scenario}))
    for number, strategy in enumerate(strategies):
        for seed in range(1, seeds + 1):
            form = source / "probabilistic" / f"seed-{min(seed, 3)}"
            folder = target / strategy / f"seed-{seed}"
            folder.mkdir(parents=True)
            columns = list(rows_of(form / "rounds.csv")[0])
            lines, time_s, energy_j = [], 0, 0
            for i in range(rounds + 1):
                length_s = draw.uniform(0.5, 1.5) * (1 + number) if i else 0
                time_s, energy_j = time_s + length_s, energy_j + draw.uniform(1, 2) * (1 + number)
                accuracy = (0.5 + 0.4 * math.cos(number)) * (1 - math.exp(-i / rounds * 5)) + draw.uniform(0, 0.05)
                known = {"round": i, "time_s": time_s, "energy_j": energy_j if i else 0, "participants": min(i, 9),
                         "loss": 1.5, "accuracy": accuracy if i % evaluate_every == 0 else "", "test_loss": "",
                         "mean_participation_s": 0.6 * length_s if i else "", "empty_batteries": ""}
                lines.append([known.get(column, 0) for column in columns])
            with open(folder / "rounds.csv", "w", newline="") as file:
                csv.writer(file, lineterminator="\n").writerows([columns, *lines])
            shutil.copy(form / "classes.csv", folder)
            devices = rows_of(form / "devices.csv")
            taken = collections.Counter()
            for line in lines:
                taken.update(draw.choices(range(len(devices)), k=line[columns.index("participants")]))
            with open(folder / "devices.csv", "w", newline="") as file:
                writer = csv.DictWriter(file, list(devices[0]), lineterminator="\n")
                writer.writeheader()
                for i, row in enumerate(devices):
                    times = taken[i]
                    writer.writerow({**row, "participations": times, "energy_spent_j": times * float(row["energy_j"])})


def done(*arguments, **options):
    result = airlot(*arguments, **options)
    assert result.returncode == 0, result.stderr
    return result.stdout


class Report(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.top = Path(scratch.name)
        cls.runs = cls.top / "runs"
        done("compare", "paper-highly-biased", "paper-mildly-biased", *SMALL, "--strategies", ",".join(PAPER), "--seeds",
             "3", "-o", cls.runs)
        cls.one = cls.runs / "paper-highly-biased"

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)

    def copy(self):
        """Makes a run directory to damage."""
        return Path(shutil.copytree(self.one, self.folder / "copy"))

    def rewrite(self, path, change):
        """Puts change(i, row) in the place of each row of a CSV file."""
        rows = [change(i, row) for i, row in enumerate(rows_of(path))]
        with open(path, "w", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)

    def state(self, folder, state):
        manifest = json.loads((folder / "manifest.json").read_text())
        (folder / "manifest.json").write_text(json.dumps({**manifest, "state": state}))

    def command_of(self, page):
        return html.unescape(re.search(r'<pre class="command"[^>]*>(.*?)</pre>', page.read_text(), re.S)[1])

    def test_compare_leaves_a_report_for_each_scenario_and_one_for_all(self):
        for folder in (self.one, self.runs / "paper-mildly-biased", self.runs):
            text = (folder / "report.html").read_text()
            self.assertTrue(text.endswith("</html>\n"))
            self.assertLess(len(text.encode()), 1_000_000)
        self.assertEqual(text.count('<section class="scenario"'), 2)
        self.assertIn("What the paper says", text)
        manifest = json.loads((self.one / "manifest.json").read_text())
        self.assertIn(f"This was made by airlot {manifest['airlot']} ({manifest['simd_target']}).", text)
        self.assertIn("(27,364)", text)

    def test_report_makes_it_again_to_the_byte(self):
        self.assertEqual(done("report", self.one, "-o", self.folder / "again.html"),
                         f"The report is in {self.folder}/again.html.\n")
        self.assertEqual((self.folder / "again.html").read_bytes(), (self.one / "report.html").read_bytes())

    def test_train_and_reproduce_leave_one_too(self):
        done("train", *SMALL, "-o", self.folder / "train")
        text = (self.folder / "train/report.html").read_text()
        self.assertIn("airlot train float32-cell", text)
        done("reproduce", "--quick", *SMALL, "-o", self.folder / "all")
        self.check_claims(html.unescape((self.folder / "all/report.html").read_text()))

    def check_claims(self, text):
        """Claims are counted, each row is marked, and none repeats the scenario's name."""
        counts = r"(\d+) of (\d+) confirmed, (\d+) contradicted, (\d+) cannot be told"
        total = [int(number) for number in re.search(rf'<h2 id="claims">The paper\'s claims: {counts}</h2>', text).groups()]
        parts = [[int(number) for number in match] for match in re.findall(rf"<h3>paper-\w+-biased: {counts}</h3>", text)]
        self.assertEqual(total, [sum(column) for column in zip(*parts)])
        self.assertEqual((len(parts), total[1]), (2, total[0] + total[2] + total[3]))
        claims = text[text.index('<h2 id="claims">'):]
        self.assertGreater(text.index('<h2 id="claims">'), text.rindex("</figure>"))
        rows = re.findall(r'<tr class="(yes|no|open)"><th scope="row">(.*?)</th><td class="verdict"><span aria-hidden="true">'
                          r'(.)</span> (.*?)</td>', claims)
        self.assertEqual(len(rows), total[1])
        for name, place in (("yes", 0), ("no", 2), ("open", 3)):
            self.assertEqual(sum(row[0] == name for row in rows), total[place])
        for name, claim, sign, words in rows:
            self.assertEqual((sign, words), {"yes": ("✓", "yes"), "no": ("✗", "no"), "open": ("?", "cannot tell")}[name])
            self.assertNotIn("biased", claim)

    def test_figures_are_xml_with_their_data(self):
        figures = self.folder / "figures"
        done("report", self.one, "--figures", figures)
        self.assertEqual({path.stem for path in figures.glob("*.svg")}, FIGURES)
        for name in FIGURES:
            root = ElementTree.parse(figures / f"{name}.svg").getroot()
            self.assertEqual(root.tag, "{http://www.w3.org/2000/svg}svg")
            shapes = [shape for shape in root.iter() if shape.tag.endswith(("}path", "}rect"))]
            self.assertGreater(len(shapes), 4, name)
            self.assertGreater(len(rows_of(figures / f"{name}.csv")), 0, name)
        self.assertEqual(len(rows_of(figures / "map.csv")), 20)

    def test_data_of_figures(self):
        """Finds the content of each file by another route."""
        figures = self.folder / "figures"
        done("report", self.one, "--figures", figures)
        data = {name: rows_of(figures / f"{name}.csv") for name in FIGURES}
        devices = {row["id"]: row for row in rows_of(self.one / "uniform/seed-1/devices.csv")}
        rounds = {(strategy, seed): rows_of(self.one / f"{strategy}/seed-{seed}/rounds.csv")
                  for strategy in PAPER for seed in (1, 2, 3)}

        for name, column in (("targets-time", "time_s"), ("targets-energy", "energy_j")):
            self.assertEqual(list(data[name][0]),
                             ["target", "strategy", column, f"{column}_low", f"{column}_high", "reached",
                              f"held_{column}", "held", "runs", "paper"])
            self.assertEqual(len(data[name]), 2 * len(PAPER))
            for row in data[name]:
                first = [next((float(each[column]) for each in rounds[row["strategy"], seed]
                               if each["accuracy"] and float(each["accuracy"]) >= float(row["target"])), None)
                         for seed in (1, 2, 3)]
                reached = sum(value is not None for value in first)
                # A run that misses the target counts with the whole of it.
                values = [float(rounds[row["strategy"], seed][-1][column]) if value is None else value
                          for seed, value in zip((1, 2, 3), first)]
                self.assertEqual((row["reached"], row["runs"]), (str(reached), "3"))
                self.assertLessEqual(int(row["held"]), reached)
                for end, sign in (("low", -1), ("high", 1)):
                    self.assertEqual(row[f"{column}_{end}"] == "", reached < 3)
                    if reached == 3:  # The quantile of Student's distribution with two degrees of freedom is 4.30265.
                        half = 4.30265 * statistics.stdev(values) / math.sqrt(3)
                        self.assertAlmostEqual(float(row[f"{column}_{end}"]) / (sum(values) / 3 + sign * half), 1, places=4)
                self.assertEqual(row[column] == "", reached == 0)
                if reached:
                    self.assertAlmostEqual(float(row[column]) / (sum(values) / len(values)), 1, places=4)
        paper = {(row["target"], row["strategy"]): row["paper"] for row in data["targets-time"]}
        self.assertEqual(paper["0.59", "probabilistic"], "1307")
        self.assertEqual(paper["0.8", "deterministic"], "NA")

        self.assertEqual(list(data["stragglers"][0]), ["strategy", "share", "share_low", "share_high"])
        self.assertEqual(list(data["round-times"][0]), ["strategy", "round_time_s", "share"])
        for strategy in PAPER:
            lengths = sorted(float(row["time_s"]) - float(before["time_s"]) for seed in (1, 2, 3)
                             for before, row in zip(rounds[strategy, seed], rounds[strategy, seed][1:])
                             if row["participants"] != "0")
            curve = [row for row in data["round-times"] if row["strategy"] == strategy]
            self.assertEqual((curve[0]["share"], curve[-1]["share"]), ("0", "1"))
            self.assertAlmostEqual(float(curve[-1]["round_time_s"]), lengths[-1], places=4)

        for name, column in (("participation-shares", "share"), ("participation-energy", "energy_spent_j")):
            self.assertEqual({row["device"] for row in data[name]}, set(devices))
            for row in data[name]:
                if row["strategy"] != "uniform":
                    continue
                device = devices[row["device"]]
                spent = float(device["participations" if column == "share" else "energy_spent_j"])
                self.assertAlmostEqual(float(row[column]), spent / 12, places=4)

        for name, column in (("probabilities", "probability"), ("powers", "power_w"), ("upload-times", "upload_s")):
            able = [float(row[column]) for row in devices.values()
                    if name == "probabilities" or float(row["probability"]) > 0]
            self.assertEqual(sum(int(row["devices"]) for row in data[name]), len(able))
            self.assertLessEqual(float(data[name][0][f"{column}_from"]), min(able) * 1.00001)
            self.assertGreaterEqual(float(data[name][-1][f"{column}_to"]), max(able) * 0.99999)
        for row in data["map"]:
            for column in ("x_m", "y_m", "samples", "probability", "power_w", "upload_s", "energy_j"):
                self.assertAlmostEqual(float(row[column]) / float(devices[row["id"]][column]), 1, places=4)
        for row in data["labels"]:
            counts = [int(row[f"label_{label}"]) for label in range(10)]
            self.assertEqual(sum(counts), int(devices[row["id"]]["samples"]))

    def test_no_band_and_no_interval_of_a_single_run(self):
        done("train", *SMALL, "-o", self.folder / "one")
        done("report", self.folder / "one", "--figures", self.folder / "figures")
        for name in ("accuracy-time", "accuracy-energy", "accuracy-rounds"):
            for row in rows_of(self.folder / f"figures/{name}.csv"):
                self.assertEqual((row["runs"], row["accuracy_low"], row["accuracy_high"]), ("1", "", ""))
        for row in rows_of(self.folder / "figures/targets-time.csv"):
            self.assertEqual((row["time_s_low"], row["time_s_high"]), ("", ""))

    def test_page_and_figures_in_one_call(self):
        done("report", self.one, "--figures", self.folder / "figures", "-o", self.folder / "page.html")
        self.assertEqual((self.folder / "page.html").read_bytes(), (self.one / "report.html").read_bytes())
        self.assertTrue((self.folder / "figures/map.svg").exists())

    def test_says_in_what_the_setting_is_not_the_papers(self):
        text = html.unescape((self.runs / "report.html").read_text())
        self.assertIn("<h1>The paper's scenarios in another setting</h1>", text)
        for words in ('model.name = "mlp" (built in: "cnn")', "fleet.devices = 20 (built in: 100)"):
            # Both scenarios say so, and the claims of both.
            self.assertEqual(text.count(words), 4)
        self.assertNotIn("rounds = 12 (built in", text)
        done("compare", "paper-highly-biased", *SMALL, "--seeds", "1", "--set", "targets=[0.12]", "--strategies",
             "uniform", "-o", self.folder / "other")
        table = re.search(r"<caption><span>Time to reach.*?</table>", (self.folder / "other/report.html").read_text(), re.S)[0]
        self.assertNotIn("(NA)", table)

    def test_the_papers_evaluation_is_small(self):
        """The runs have 2 scenarios, 4 strategies, 10 seeds, 100 devices, and 3000 rounds, more than the evaluation has."""
        big = self.folder / "big"
        hundred = self.folder / "hundred"
        done("compare", "paper-highly-biased", "paper-mildly-biased", *SMALL, "--set", "fleet.devices=100", "--set",
             "data.minimum_samples=0", "--strategies", "probabilistic", "--seeds", "3", "-o", hundred)
        for name in ("paper-highly-biased", "paper-mildly-biased"):
            synthesize(hundred / name, big / name, PAPER, seeds=10, rounds=3000, evaluate_every=20)
        before = time.perf_counter()
        done("report", big)
        size = (big / "report.html").stat().st_size
        print(f"the paper's evaluation: {size:,} bytes in {time.perf_counter() - before:.2f} s")
        self.assertLess(size, 1_000_000)

    def test_every_strategy_there_is_and_more(self):
        """With 24 or more strategies, 5 seeds and 500 rounds, none looks like another, and the page stays small."""
        built_in = [entry["name"] for entry in json.loads(done("list", "strategies", "--json"))]
        names = built_in + [f"yet-another-strategy-{i}" for i in range(len(built_in), 28)]
        folder = self.folder / "many"
        synthesize(self.one, folder, names, seeds=5, rounds=500, evaluate_every=20)
        done("report", folder, "--figures", self.folder / "figures", "-o", folder / "report.html")
        text = (folder / "report.html").read_text()
        self.assertLess(len(text.encode()), 1_000_000)
        print(f"{len(names)} strategies: {len(text.encode()):,} bytes")
        data = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.S)[1])
        self.assertEqual(len(data["figures"]), 5)
        named = self.named_by_verdict(folder, names, seeds=5, rounds=500)
        for figure in data["figures"].values():
            self.assertEqual([series["name"] for series in figure["series"]], names)
            looks = {(series["colour"], series["dash"]) for series in figure["series"]}
            self.assertEqual(len(looks), len(names))
            shown = [series["name"] for series in figure["series"] if series["shown"]]
            self.assertEqual(len(shown), 6)
            self.assertLessEqual(named, set(shown))
        # Every strategy is in the data, but only six are drawn as points.
        rows = rows_of(self.folder / "figures/participation-shares.csv")
        self.assertEqual({row["strategy"] for row in rows}, set(names))
        scatter = (self.folder / "figures/participation-shares.svg").read_text()
        self.assertEqual(scatter.count('class="k '), 6 * 20)
        self.assertIn(f">{len(names) - 6} others<", (self.folder / "figures/accuracy-time.svg").read_text())

    def named_by_verdict(self, folder, names, seeds, rounds):
        """Finds by another route whom the verdict names: the best at the highest target that anybody reached, of all and
        of those that keep their budgets."""
        scenario = json.loads((folder / "manifest.json").read_text())["scenario"]
        targets = json.loads(re.search(r"(?m)^targets = (.*)", scenario)[1])
        runs = {name: [rows_of(folder / name / f"seed-{seed}/rounds.csv") for seed in range(1, seeds + 1)] for name in names}
        over = {}
        for name in names:
            devices = [row for seed in range(1, seeds + 1) for row in rows_of(folder / name / f"seed-{seed}/devices.csv")]
            ratios = [float(row["energy_spent_j"]) / (rounds * float(row["energy_budget_j"])) for row in devices]
            over[name] = (sum(ratio > 1 + 1e-9 for ratio in ratios), max(ratios))

        def first(run, target):
            return next((row for row in run if row["accuracy"] and float(row["accuracy"]) >= target), None)
        target = max(target for target in targets if any(first(run, target) for own in runs.values() for run in own))

        def rank(name, column):
            found = [first(run, target) for run in runs[name]]
            reached = sum(row is not None for row in found)
            cost = sum(float((row or run[-1])[column]) for row, run in zip(found, runs[name])) if reached else 0
            return -reached, cost, -sum(float(run[-1]["accuracy"]) for run in runs[name])
        # Where nobody keeps the budgets, who has the fewest devices over, and of equals the best worst ratio, is named.
        keepers = [name for name in names if over[name][0] == 0] or [min(names, key=over.get)]
        return {min(group, key=lambda name: rank(name, column)) for column in ("time_s", "energy_j")
                for group in (names, keepers)}

    def largest_memory(self, folder):
        """Of the program that makes the report, in bytes."""
        with subprocess.Popen([AIRLOT, "report", str(folder)], stdout=subprocess.DEVNULL, env=ENVIRONMENT) as process:
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(process.returncode, 0)
        return 1024 * usage.ru_maxrss

    @unittest.skipIf("asan" in AIRLOT or "tsan" in AIRLOT, "sanitizers keep memory that was given back")
    def test_reads_the_devices_of_one_run_at_a_time(self):
        folder = self.copy()
        for path in folder.glob("*/*/devices.csv"):
            rows = rows_of(path)
            idle = {**rows[0], "participations": 0, "energy_spent_j": 0, "first_empty_round": ""}
            with open(path, "w", newline="") as file:
                writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
                writer.writeheader()
                writer.writerows(rows)
                writer.writerows({**idle, "id": f"device {i}"} for i in range(20000))
        of_all = self.largest_memory(folder)
        manifest = json.loads((folder / "manifest.json").read_text())
        (folder / "manifest.json").write_text(json.dumps({**manifest, "strategies": PAPER[:1], "seeds": [1]}))
        self.assertLess(of_all, self.largest_memory(folder) + (30 << 20))  # a table takes about 10 MB

    def test_shows_when_batteries_are_empty(self):
        folder, figures = self.folder / "batteries", self.folder / "figures"
        done("compare", "float32-cell", *SMALL, "--strategies", "all", "--seeds", "1", "-o", folder,
             "--set", "fleet.battery_j={ log_uniform = [1, 50] }", "--set", "radio.fading=rayleigh")
        done("report", folder, "--figures", figures)
        rounds = rows_of(folder / "all/seed-1/rounds.csv")
        shares = {row["round"]: float(row["share"]) for row in rows_of(figures / "empty-batteries.csv")}
        for row in rounds:
            self.assertAlmostEqual(shares[row["round"]], int(row["empty_batteries"]) / 20)
        self.assertGreater(int(rounds[-1]["empty_batteries"]), 0)
        devices = rows_of(folder / "all/seed-1/devices.csv")
        first = min(int(row["first_empty_round"]) for row in devices if row["first_empty_round"])
        self.assertEqual(first, next(int(row["round"]) for row in rounds if int(row["empty_batteries"]) > 0))
        self.assertIn("Too little charge", (folder / "report.html").read_text())

    def test_curves_are_means_of_the_runs(self):
        """By another route, the accuracy against rounds comes straight from the three files."""
        figures = self.folder / "figures"
        done("report", self.one, "--figures", figures)
        runs = [rows_of(self.one / f"uniform/seed-{seed}/rounds.csv") for seed in (1, 2, 3)]
        checked = 0
        for row in rows_of(figures / "accuracy-rounds.csv"):
            if row["strategy"] != "uniform":
                continue
            values = [float(run[int(row["round"])]["accuracy"]) for run in runs]
            mean = sum(values) / 3
            half = 4.302653 * (sum((value - mean) ** 2 for value in values) / 2 / 3) ** 0.5
            self.assertAlmostEqual(float(row["accuracy"]), mean, places=5)
            self.assertAlmostEqual(float(row["accuracy_low"]), max(0, mean - half), places=5)
            self.assertAlmostEqual(float(row["accuracy_high"]), min(1, mean + half), places=5)
            checked += 1
        self.assertEqual(checked, 4)

    def test_curves_go_on_thinly_where_only_some_runs_do(self):
        figures = self.folder / "figures"
        done("report", self.one, "--figures", figures)
        for name, column in (("accuracy-time", "time_s"), ("accuracy-energy", "energy_j")):
            runs = [[(float(row[column]), float(row["accuracy"])) for row in rows_of(self.one / f"uniform/seed-{seed}/rounds.csv")
                     if row["accuracy"]] for seed in (1, 2, 3)]
            rows = [row for row in rows_of(figures / f"{name}.csv") if row["strategy"] == "uniform"]
            whole = [row for row in rows if row["runs"] == "3"]
            tail = [row for row in rows if row["runs"] != "3"]
            ends = sorted(run[-1][0] for run in runs)
            self.assertEqual([row["runs"] for row in tail], sorted((row["runs"] for row in tail), reverse=True))
            self.assertEqual((tail[0]["runs"], tail[-1]["runs"]), ("2", "1"))
            self.assertEqual(float(whole[-1][column]), float(tail[0][column]))
            self.assertTrue(math.isclose(float(tail[0][column]), ends[0], rel_tol=1e-5))
            self.assertTrue(math.isclose(float(tail[-1][column]), ends[-1], rel_tol=1e-5))
            last = next(run[-1][1] for run in runs if run[-1][0] == ends[-1])
            self.assertAlmostEqual(float(tail[-1]["accuracy"]), last, places=5)
            self.assertEqual({row["accuracy_low"] + row["accuracy_high"] for row in tail}, {""})
            # The thin line has the colour and the dash of the curve; the ring is where the table says that runs end.
            svg = (figures / f"{name}.svg").read_text()
            self.assertEqual(svg.count('class="y c2 d2"'), 1)
            self.assertIn("uniform: the runs end at ", svg)
        page = html.unescape((self.one / "report.html").read_text())
        self.assertIn("a thin line without a band is the mean over the runs that still go on", page)
        data = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)[1])
        for series in data["figures"]["s1-accuracy-energy"]["series"]:
            ends = [rows_of(self.one / f"{series['name']}/seed-{seed}/rounds.csv")[-1] for seed in (1, 2, 3)]
            for place, column in enumerate(("energy_j", "accuracy")):
                mean = sum(float(row[column]) for row in ends) / 3
                self.assertTrue(math.isclose(series["tail"]["end"][place], mean, rel_tol=1e-5))
        for series in data["figures"]["s1-accuracy-rounds"]["series"]:
            self.assertNotIn("tail", series)  # All runs have the same rounds.

    def test_times_name_what_is_booked(self):
        done("train", *SMALL, "--set", "books.compute_time=true", "--set", "targets=[0.05]", "-o", self.folder / "one")
        done("report", self.folder / "one", "--figures", self.folder / "figures")
        for name in ("accuracy-time", "targets-time", "round-times"):
            self.assertIn("(s): uploads and computation<", (self.folder / f"figures/{name}.svg").read_text())
        captions = re.findall(r"<caption><span>(.*?)</span>", (self.folder / "one/report.html").read_text())
        self.assertEqual(sum("uploads and computation" in caption for caption in captions), 2)

    def test_accuracy_per_class_is_the_mean_over_seeds(self):
        figures = self.folder / "figures"
        done("report", self.one, "--figures", figures)
        rows = rows_of(figures / "class-accuracy.csv")
        self.assertEqual(len(rows), 10 * len(PAPER))
        for row in rows:
            kept = [rows_of(self.one / f"{row['strategy']}/seed-{seed}/classes.csv")[int(row["class"])] for seed in (1, 2, 3)]
            self.assertEqual({each["class"] for each in kept}, {row["class"]})
            values = [float(each["accuracy"]) for each in kept]
            self.assertAlmostEqual(float(row["accuracy"]), sum(values) / 3, places=5)
            half = 4.30265 * statistics.stdev(values) / math.sqrt(3)  # the quantile for two degrees of freedom
            self.assertAlmostEqual(float(row["accuracy_low"]), max(0, sum(values) / 3 - half), places=4)
            self.assertAlmostEqual(float(row["accuracy_high"]), min(1, sum(values) / 3 + half), places=4)
        svg = (figures / "class-accuracy.svg").read_text()
        self.assertEqual(len(re.findall(r"<title>class \d, ", svg)), 10 * len(PAPER))
        folder = self.copy()
        for path in folder.rglob("classes.csv"):
            path.unlink()
        done("report", folder)
        self.assertNotIn("s1-class-accuracy", (folder / "report.html").read_text())

    def test_energy_over_budget(self):
        figures = self.folder / "figures"
        done("report", self.one, "--figures", figures)
        table = re.search(r"Energy over budget\. .*?</table>", (self.one / "report.html").read_text(), re.S)[0]
        cells = {row[0]: row[1:] for row in re.findall(r"</svg>([\w-]+)</th><td>(.*?)</td><td>(.*?)</td><td>(.*?)</td>", table)}
        broken = 0
        for strategy in PAPER:
            ratios, over, beyond = [], [0, 0, 0], [0, 0, 0]
            for seed in (1, 2, 3):
                for row in rows_of(self.one / f"{strategy}/seed-{seed}/devices.csv"):
                    spent, budget = float(row["energy_spent_j"]), 12 * float(row["energy_budget_j"])
                    ratios.append(spent / budget)
                    over[seed - 1] += spent > budget * (1 + 1e-9)
                    beyond[seed - 1] += max(0, spent - budget)
            for row in rows_of(figures / "budget-use.csv"):
                if row["strategy"] == strategy and float(row["ratio"]) > 0:
                    limit = float(row["ratio"]) * (1 + 1e-5)
                    below = sum(ratio <= limit for ratio in ratios) / len(ratios)
                    self.assertLessEqual(float(row["share"]), below + 1e-6)
            for cell, values, delta in ((cells[strategy][0], over, 0.06), (cells[strategy][2], beyond, 1e-9)):
                # The quantile of Student's distribution with two degrees of freedom is 4.30265.
                wanted = (sum(values) / 3, 4.30265 * statistics.stdev(values) / math.sqrt(3))
                for shown, value in zip(cell.replace(",", "").split(" ± "), wanted, strict=True):
                    self.assertTrue(math.isclose(float(shown), value, rel_tol=0.006, abs_tol=delta), (cell, wanted))
            self.assertTrue(math.isclose(float(cells[strategy][1].replace(",", "")), max(ratios), rel_tol=0.006))
            broken += sum(over) > 0
        self.assertGreater(broken, 0)
        svg = (figures / "budget-use.svg").read_text()
        self.assertEqual(svg.count('<path class="e" '), 1)  # the line at 1

    def test_time_against_energy(self):
        """The front, by another route, and marks that say who keeps the budgets."""
        folder, figures = self.folder / "runs", self.folder / "figures"
        # Some reach the higher target in all runs, some in one or two.
        best = {strategy: sorted(max(float(row["accuracy"]) for row in rows_of(self.one / f"{strategy}/seed-{seed}/rounds.csv")
                                     if row["accuracy"]) for seed in (1, 2, 3)) for strategy in PAPER}
        goal = sorted(values[0] for values in best.values())[1]
        shutil.copytree(self.one, folder)
        manifest = json.loads((folder / "manifest.json").read_text())
        scenario = re.sub(r"(?m)^targets = .*", f"targets = [0.01, {goal}, 0.999]", manifest["scenario"])
        (folder / "manifest.json").write_text(json.dumps({**manifest, "scenario": scenario}))
        done("report", folder, "--figures", figures)
        rows = rows_of(figures / "pareto.csv")
        full = {}
        for strategy in PAPER:
            first = [next((row for row in rows_of(folder / f"{strategy}/seed-{seed}/rounds.csv")
                           if row["accuracy"] and float(row["accuracy"]) >= goal), None) for seed in (1, 2, 3)]
            if all(first):
                full[strategy] = [sum(float(row[column]) for row in first) / 3 for column in ("time_s", "energy_j")]
        self.assertGreaterEqual(len(full), 2)
        for row in rows:
            self.assertEqual(row["reached"] == "3", row["strategy"] in full)
            if row["strategy"] not in full:
                self.assertEqual((row["front"], row["time_s_low"]), ("0", ""))
                continue
            time_s, energy_j = full[row["strategy"]]
            self.assertTrue(math.isclose(float(row["time_s"]), time_s, rel_tol=1e-5))
            self.assertTrue(math.isclose(float(row["energy_j"]), energy_j, rel_tol=1e-5))
            self.assertLess(float(row["time_s_low"]), time_s)
            beaten = any(other != [time_s, energy_j] and other[0] <= time_s and other[1] <= energy_j
                         for other in full.values())
            self.assertEqual(row["front"], "0" if beaten else "1")
        svg = (figures / "pareto.svg").read_text()
        for row in rows:
            title = next(title for title in re.findall(r'class="([mx]) c\d" d="[^"]*"><title>(.*?)</title>', svg, re.S)
                         if title[1].startswith(row["strategy"] + "\n"))
            self.assertEqual(title[0], "m" if float(row["devices_over"]) == 0 else "x")

    def test_tables_carry_the_colours_of_curves(self):
        text = (self.one / "report.html").read_text()
        data = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.S)[1])
        looks = {series["name"]: f'l c{series["colour"]} d{series["dash"]}'
                 for series in data["figures"]["s1-accuracy-time"]["series"]}
        rows = re.findall(r'<th scope="row"><svg class="fig swatch".*?class="(.*?)".*?</svg>(.*?)</th>', text)
        self.assertGreaterEqual(len(rows), 6 * len(PAPER))
        for look, strategy in rows:
            self.assertEqual(look, looks[strategy])
        for strategy in PAPER:
            self.assertNotIn(f'<th scope="row">{strategy}</th>', text)

    def test_stragglers_by_another_route(self):
        figures = self.folder / "figures"
        done("report", self.one, "--figures", figures)
        shares = []
        for seed in (1, 2, 3):
            rows = rows_of(self.one / f"uniform/seed-{seed}/rounds.csv")
            times_s = [float(row["time_s"]) - float(before["time_s"]) for before, row in zip(rows, rows[1:])]
            shares.append(statistics.mean(1 - float(row["mean_participation_s"]) / time_s
                                          for row, time_s in zip(rows[1:], times_s)))
        shown = next(row for row in rows_of(figures / "stragglers.csv") if row["strategy"] == "uniform")
        middle, half = statistics.mean(shares), 4.30265 * statistics.stdev(shares) / math.sqrt(3)
        for name, value in (("share", middle), ("share_low", max(middle - half, 0)), ("share_high", min(middle + half, 1))):
            self.assertAlmostEqual(float(shown[name]), value, places=5)
        page = (self.one / "report.html").read_text()
        self.assertIn(f"<td>{100 * middle:.1f} ± {100 * half:.1f} %</td>", page)

    def test_the_command_repeats_the_runs(self):
        command = self.command_of(self.one / "report.html")
        again = self.folder / "again"
        subprocess.run(command.replace("airlot", AIRLOT, 1) + f" -o {again} --quiet", shell=True, check=True,
                       capture_output=True, env=ENVIRONMENT)
        for path in self.one.rglob("*.csv"):
            self.assertEqual(path.read_bytes(), (again / path.relative_to(self.one)).read_bytes())

    def test_says_that_runs_go_on_or_were_interrupted(self):
        for state, words in (("running", "still going on, or were killed: 11 of 12 runs are complete"),
                             ("interrupted", "were interrupted: 11 of 12"), ("failed", "failed: 11 of 12")):
            folder = self.copy()
            self.state(folder, state)
            shutil.rmtree(folder / "uniform/seed-2")
            before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
            done("report", folder, "-o", self.folder / "report.html")
            text = (self.folder / "report.html").read_text()
            self.assertIn(words, text)
            self.assertIn("1 run has not begun.", text)
            self.assertEqual(before, {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()})
            shutil.rmtree(folder)

    def test_a_run_from_its_checkpoint(self):
        process = subprocess.Popen([AIRLOT, "train", *SMALL, "--set", "rounds=100000", "-o", self.folder / "cut"],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        checkpoint = self.folder / "cut/probabilistic/seed-1/checkpoint"
        until = time.monotonic() + 120
        while not checkpoint.exists() and process.poll() is None and time.monotonic() < until:
            time.sleep(0.02)
        process.terminate()
        self.assertEqual(process.wait(), 143)
        done("report", self.folder / "cut")
        text = (self.folder / "cut/report.html").read_text()
        self.assertIn("were interrupted: 0 of 1 run is complete", text)
        self.assertRegex(text, r"probabilistic, seed 1, has done [\d,]+ of 100,000 rounds")
        self.assertRegex(text, r"So far probabilistic is at [\d.]+ % \([\d,]+ of 100,000 rounds\)\.")
        self.assertNotIn("did not reach", text)
        self.assertIn('id="s1-accuracy-time"', text)

    def test_report_is_made_of_the_directory_alone(self):
        """Elsewhere, without the data set, the fleet file and the cache, the page is the same to the byte."""
        data = shutil.copytree(DATA, self.folder / "data")
        fleet = self.folder / "fleet.csv"
        fleet.write_text("id,distance_m,energy_budget_j,samples\na,35,0.05,30\nb,410,2,25\nc,120,1,40\n")
        done("compare", "paper-highly-biased", *SMALL, "--set", f"data.dataset={data}", "--set", f"fleet.file={fleet}",
             "--set", "fleet.devices=3", "--seeds", "2", "-o", self.folder / "here")
        shutil.copytree(self.folder / "here", self.folder / "elsewhere")
        for path in (data, self.folder / "here"):
            shutil.rmtree(path)
        fleet.unlink()
        page = self.folder / "elsewhere/report.html"
        before = page.read_bytes()
        page.unlink()
        (self.folder / "cache").mkdir()
        done("report", self.folder / "elsewhere", env={"AIRLOT_DATA_DIR": str(self.folder / "cache")}, cwd="/")
        self.assertEqual(page.read_bytes(), before)
        for figure in ("map", "labels", "participation-energy"):
            self.assertIn(f'id="s1-{figure}"'.encode(), before)
        for words in (b"What the plan expects of a round", b"devices with limit ", b"limited by "):
            self.assertIn(words, before)

    def test_says_what_is_damaged(self):
        folder = self.copy()
        rounds = folder / "uniform/seed-1/rounds.csv"
        rounds.write_text(rounds.read_text()[:-3])
        done("report", folder)
        self.assertIn("rounds.csv: the last line is cut off", (folder / "report.html").read_text())

    def test_says_what_earlier_versions_did_not_keep(self):
        folder = self.copy()
        for path in folder.rglob("devices.csv"):
            self.rewrite(path, lambda i, row: dict(list(row.items())[:11]))
        manifest = json.loads((folder / "manifest.json").read_text())
        kept = ("airlot", "state", "name", "strategies", "seeds", "simd_target", "scenario")
        (folder / "manifest.json").write_text(json.dumps({key: manifest[key] for key in kept}))
        done("report", folder)
        text = (folder / "report.html").read_text()
        self.assertIn("This report leaves out limits, budgets, labels, what the plan expects.", text)
        for figure in ("accuracy-time", "map", "probabilities", "participation-shares"):
            self.assertIn(f'id="s1-{figure}"', text)
        for figure in ("labels", "participation-energy"):
            self.assertNotIn(f'id="s1-{figure}"', text)
        self.assertNotIn("leaves out", (self.one / "report.html").read_text())

    def test_draws_the_fleet_of_the_runs(self):
        folder = self.copy()
        for path in folder.rglob("devices.csv"):
            self.rewrite(path, lambda i, row: {**row, "probability": "0.5" if i == 3 else row["probability"]})
        done("report", folder, "--figures", self.folder / "figures", "-o", folder / "report.html")
        self.assertEqual(rows_of(self.folder / "figures/map.csv")[3]["probability"], "0.5")
        shares = rows_of(self.folder / "figures/participation-shares.csv")
        self.assertIn("0.5", {row["probability"] for row in shares if row["device"] == "4"})

    def test_wrong_values_never_reach_a_figure(self):
        """A run whose devices cannot be as its file says is left out, with the place."""
        def broken(i, row, column, value):
            return {**row, column: value} if i == 0 else row
        for column, value in (("mean_probability", "0.5"), ("power_w", "inf"), ("x_m", "nan"), ("limit", "<b>"),
                              ("label_counts", "1 2"), ("energy_spent_j", ""), ("samples", "-1")):
            folder = self.copy()
            self.rewrite(folder / "probabilistic/seed-1/devices.csv", lambda i, row: broken(i, row, column, value))
            result = airlot("report", folder)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn("probabilistic, seed 1, is left out: ", result.stderr)
            self.assertRegex(result.stderr, rf"devices\.csv:[23]: {column} = ")
            self.assert_coordinates_are_numbers((folder / "report.html").read_text())
            shutil.rmtree(folder)
        folder = self.copy()
        manifest = json.loads((folder / "manifest.json").read_text())
        (folder / "manifest.json").write_text(json.dumps({**manifest, "simd_target": 7}))
        result = airlot("report", folder)
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertIn("manifest.json", result.stderr)

    def assert_coordinates_are_numbers(self, page):
        checked = 0
        for svg in re.findall(r"<svg .*?</svg>", page, re.S):
            for value in re.findall(r' (?:d|x|y|width|height|transform|viewBox)="([^"]*)"', svg):
                self.assertNotRegex(value, r"nan|inf")
                checked += 1
        self.assertGreater(checked, 0)

    def test_devices_that_differ_by_rounding_or_by_everything(self):
        """Times that differ in their last digit gave ticks without end; sizes near the ends of double gave NaN."""
        page = self.folder / "plan.html"
        done("plan", "--set", f"data.dataset={DATA}", "--set", "fleet.energy_budget_j=100", "--set",
             "round.time_limit_s=60", "--set", "fleet.devices=20", "--set", "data.minimum_samples=2", "--report", page)
        self.assert_coordinates_are_numbers(page.read_text())
        done("train", *SMALL, "--set", "fleet.energy_budget_j=100", "--set", "round.time_limit_s=100", "-o",
             self.folder / "runs")
        self.assert_coordinates_are_numbers((self.folder / "runs/report.html").read_text())
        fleet = self.folder / "fleet.csv"
        fleet.write_text("id,distance_m,energy_budget_j,samples\na,1e-9,1e-30,1\nb,1e9,1e30,1e9\nc,35,0,1\n")
        done("plan", "float32-cell", "--fleet", fleet, "--set", "data.dataset=", "--report", page)
        self.assert_coordinates_are_numbers(page.read_text())

    def test_a_page_of_many_directories_is_bounded(self):
        many = self.folder / "many"
        many.mkdir()
        done("train", *SMALL, "--set", "rounds=1", "-o", self.folder / "one")
        for i in range(103):
            (many / f"{i:03}").symlink_to(self.folder / "one")
        result = airlot("report", many)
        self.assertEqual(result.returncode, 0, result.stderr)
        text = (many / "report.html").read_text()
        self.assertEqual(text.count('<section class="scenario"'), 100)
        for words in ("holds 103 run directories; 3 of them, from ", "/many/100 on, are left out", "at most 100"):
            self.assertIn(words, text)
            self.assertIn(words, result.stderr)

    def test_bad_input(self):
        for folder, words in ((self.folder, "holds no runs"), (self.folder / "none", "No such file")):
            result = airlot("report", folder)
            self.assertEqual((result.returncode, result.stdout), (2, ""))
            self.assertIn(words, result.stderr)
        result = airlot("report", self.one, "-o", self.folder / "none/report.html")
        self.assertEqual(result.returncode, 2)
        self.assertIn("cannot write", result.stderr)
        folder = self.copy()
        before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
        for name, words in (("-", "goes to a file"), (folder / "manifest.json", "the name of a file of a run"),
                            (folder / "summary.json", "the name of a file of a run"),
                            (folder / "uniform/seed-1/rounds.csv", "the name of a file of a run")):
            result = airlot("report", folder, "-o", name)
            self.assertEqual((result.returncode, result.stdout), (2, ""))
            self.assertIn(words, result.stderr)
        self.assertEqual({path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}, before)
        shutil.rmtree(folder)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_tells_which_runs_are_left_out(self):
        folder = self.copy()
        (folder / "uniform/seed-1/rounds.csv").unlink()
        wrong = folder / "uniform/seed-2/rounds.csv"
        self.rewrite(wrong, lambda i, row: {**row, "accuracy": "7"} if i == 12 else row)
        result = airlot("report", folder)
        self.assertEqual(result.returncode, 0)
        text = html.unescape((folder / "report.html").read_text())
        for words in ("uniform, seed 1, is left out: ", "missing", "uniform, seed 2, is left out: ",
                      "rounds.csv:14: accuracy = "):
            self.assertIn(words, result.stderr)
            self.assertIn(words, text)
        self.assertNotIn("not begun", text)
        self.assertNotIn("So far", text)

    def test_names_do_not_steer_the_terminal_or_the_page(self):
        folder = self.copy()
        manifest = json.loads((folder / "manifest.json").read_text())
        names = [*manifest["strategies"], "\x1b[31m<b>red"]
        (folder / "manifest.json").write_text(json.dumps({**manifest, "strategies": names}))
        result = airlot("report", folder)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("?[31m<b>red, seed 1, is left out: ", result.stderr)
        self.assertNotIn("\x1b", result.stderr)
        self.assertIn("&lt;b&gt;red, seed 1, is left out: ", (folder / "report.html").read_text())

    def test_nobody_can_take_part(self):
        page = self.folder / "plan.html"
        fleet = self.folder / "fleet.csv"
        fleet.write_text("id,distance_m,energy_budget_j,samples\na,100,0,600\n")
        done("plan", "float32-cell", "--fleet", fleet, "--report", page)
        # These are the sentence, and two frames with their texts.
        self.assertEqual(page.read_text().count("No device can take part"), 5)

    def test_plan_report(self):
        fleet = self.folder / "fleet.csv"
        fleet.write_text('id,distance_m,energy_budget_j,samples\n"<b>&""x",35,0.05,600\nroof,410,2,250\n')
        page = self.folder / "plan.html"
        self.assertIn(f"The report is in {page}.\n", done("plan", "float32-cell", "--fleet", fleet, "--report", page))
        self.assertEqual(json.loads(done("plan", "float32-cell", "--fleet", fleet, "--report", page, "--json"))["report"], str(page))
        text = page.read_text()
        self.assertIn(f"<h1>Plan: float32-cell, fleet {fleet}, solver exact</h1>", text)
        self.assertIn("device &lt;b&gt;&amp;&quot;x\n", text)
        self.assertNotIn("<b>", text)
        for figure in ("map", "probabilities", "powers", "upload-times"):
            self.assertIn(f'id="plan-{figure}"', text)
        self.assertIn("What 1 % more of each would add", text)
        self.assertEqual(self.command_of(page), f"airlot plan float32-cell \\\n  --fleet {fleet}")
        again = self.folder / "again.html"
        done("plan", "paper-mildly-biased", "--set", "fleet.devices=7", "--set", "data.dataset=", "--seed", "3", "--solver",
             "alternating", "--report", page)
        command = self.command_of(page)
        self.assertIn("--seed 3", command)
        subprocess.run(command.replace("airlot", AIRLOT, 1) + f" --report {again}", shell=True, check=True,
                       capture_output=True, env=ENVIRONMENT)
        self.assertEqual(page.read_bytes(), again.read_bytes())
        done("plan", "float32-cell", "--fleet", "-", "--report", page, input=fleet.read_text())
        self.assertIn("the fleet came through standard input", page.read_text())
        fleet.write_text("noise_to_gain_w\n1e-8\n")
        done("plan", "float32-cell", "--fleet", fleet, "--set", "data.dataset=", "--report", page)
        self.assertIn("There is no map, ", page.read_text())
        result = airlot("plan", "float32-cell", "--fleet", fleet, "--set", "data.dataset=", "--report", fleet)
        self.assertEqual(result.returncode, 2)
        self.assertIn("fleet.csv: is the fleet file", result.stderr)

    def test_plan_report_of_many_devices_is_thinned(self):
        page = self.folder / "plan.html"
        done("plan", "--set", "data.dataset=", "--set", "fleet.devices=200000", "--report", page)
        text = page.read_text()
        self.assertLess(len(text), 1_500_000)
        drawn = len(re.findall(r'<path class="q q\d"', text))
        self.assertGreater(drawn, 900)
        self.assertLessEqual(drawn, 3000)
        self.assertIn(f"{drawn:,} of 200,000 devices are drawn", text)


if __name__ == "__main__":
    unittest.main()
