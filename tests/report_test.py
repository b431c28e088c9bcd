"""Reports from the outside: from complete, interrupted and incomplete directories, and of plans."""
import json
import re
import shutil
import subprocess
import tempfile
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
           "participation-energy", "round-times", "stragglers"}


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
        done("compare", "paper-highly-biased", "paper-mildly-biased", *SMALL, "--seeds", "3", "-o", cls.runs)
        cls.one = cls.runs / "paper-highly-biased"

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)

    def copy(self):
        """A run directory to damage."""
        return Path(shutil.copytree(self.one, self.folder / "copy"))

    def state(self, folder, state):
        manifest = json.loads((folder / "manifest.json").read_text())
        (folder / "manifest.json").write_text(json.dumps({**manifest, "state": state}))

    def test_compare_leaves_a_report_for_each_scenario_and_one_for_all(self):
        for folder in (self.one, self.runs / "paper-mildly-biased", self.runs):
            text = (folder / "report.html").read_text()
            self.assertTrue(text.endswith("</html>\n"))
            self.assertLess(len(text.encode()), 1_000_000)
        self.assertEqual(text.count('<section class="scenario"'), 2)
        self.assertIn("What the paper says", text)
        self.assertIn("(27,364)", text)

    def test_report_makes_it_again_to_the_byte(self):
        self.assertEqual(done("report", self.one, "-o", self.folder / "again.html"),
                         f"The report is in {self.folder}/again.html.\n")
        self.assertEqual((self.folder / "again.html").read_bytes(), (self.one / "report.html").read_bytes())

    def test_train_and_reproduce_leave_one_too(self):
        done("train", *SMALL, "-o", self.folder / "train")
        text = (self.folder / "train/report.html").read_text()
        self.assertIn("airlot train paper-highly-biased", text)
        done("reproduce", "--quick", *SMALL, "-o", self.folder / "all")
        self.assertIn("The paper&#39;s claims", (self.folder / "all/report.html").read_text()
                      .replace("The paper's", "The paper&#39;s"))

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

    def test_curves_are_means_of_the_runs(self):
        """By another route: the accuracy against rounds, straight from the three files."""
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

    def test_stragglers_by_another_route(self):
        figures = self.folder / "figures"
        done("report", self.one, "--figures", figures)
        shares = []
        for seed in (1, 2, 3):
            rows = rows_of(self.one / f"uniform/seed-{seed}/rounds.csv")
            for before, row in zip(rows, rows[1:]):
                time_s = float(row["time_s"]) - float(before["time_s"])
                shares.append(1 - float(row["mean_participation_s"]) / time_s)
        shown = {row["strategy"]: float(row["share"]) for row in rows_of(figures / "stragglers.csv")}
        self.assertAlmostEqual(shown["uniform"], sum(shares) / len(shares), places=5)

    def test_the_command_repeats_the_runs(self):
        text = (self.one / "report.html").read_text()
        command = re.search(r'<pre class="command"[^>]*>(.*?)</pre>', text, re.S)[1]
        command = command.replace("&#39;", "'").replace("&quot;", '"').replace("&gt;", ">")
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
        try:
            process.wait(timeout=4)
        except subprocess.TimeoutExpired:
            process.terminate()
        self.assertEqual(process.wait(), 143)
        done("report", self.folder / "cut")
        text = (self.folder / "cut/report.html").read_text()
        self.assertIn("were interrupted: 0 of 1 runs are complete", text)
        self.assertRegex(text, r"probabilistic, seed 1: \d+ of 100000 rounds")
        self.assertIn('id="s1-accuracy-time"', text)

    def test_says_what_is_left_out_and_what_is_damaged(self):
        folder = self.copy()
        manifest = (folder / "manifest.json").read_text()
        (folder / "manifest.json").write_text(manifest.replace("small-data", "gone"))
        rounds = folder / "uniform/seed-1/rounds.csv"
        rounds.write_text(rounds.read_text()[:-3])
        done("report", folder)
        text = (folder / "report.html").read_text()
        self.assertIn("Left out: the fleet, its plan and its labels", text)
        self.assertIn("rounds.csv: the last line is cut off", text)
        self.assertIn('id="s1-accuracy-time"', text)
        self.assertNotIn('id="s1-map"', text)

    def test_bad_input(self):
        for folder, words in ((self.folder, "holds no runs"), (self.folder / "none", "No such file")):
            result = airlot("report", folder)
            self.assertEqual((result.returncode, result.stdout), (2, ""))
            self.assertIn(words, result.stderr)
        result = airlot("report", self.one, "-o", self.folder / "none/report.html")
        self.assertEqual(result.returncode, 2)
        self.assertIn("cannot write", result.stderr)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_plan_report(self):
        fleet = self.folder / "fleet.csv"
        fleet.write_text('id,distance_m,energy_budget_j,samples\n"<b>&""x",35,0.05,600\nroof,410,2,250\n')
        page = self.folder / "plan.html"
        done("plan", "--fleet", fleet, "--report", page)
        text = page.read_text()
        self.assertIn("device &lt;b&gt;&amp;&quot;x\n", text)
        self.assertNotIn("<b>", text)
        for figure in ("map", "probabilities", "powers", "upload-times"):
            self.assertIn(f'id="plan-{figure}"', text)
        fleet.write_text("noise_to_gain_w\n1e-8\n")
        done("plan", "--fleet", fleet, "--set", "data.dataset=", "--report", page)
        self.assertIn("Left out: the map", page.read_text())
        result = airlot("plan", "--fleet", fleet, "--set", "data.dataset=", "--report", fleet)
        self.assertEqual(result.returncode, 2)
        self.assertIn("write the report to a file of its own", result.stderr)

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
