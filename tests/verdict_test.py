"""Tests the verdicts of whole runs: what they say of budgets and booked times, and that every number in them is right."""
import html
import json
import re
import tempfile
import unittest
from pathlib import Path

from program import ProgramTest, airlot, write_small_data
from recomputed_verdict import Mistake, Reader
from run_facts import Facts

# Two devices are far away and may spend what they like; the plan lets them take part in every round, slowly and with
# little power. Eight are near and fast, and may spend next to nothing: any participation is beyond their budgets, and
# their probabilities are so small that no draw takes them.
FLEET = "id,distance_m,energy_budget_j\n" + "".join(
    [f"steady-{i},400,1e6\n" for i in range(2)] + [f"frail-{i},20,1e-9\n" for i in range(8)])


def one_line(text):
    return " ".join(text.split())


class Verdicts(ProgramTest):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.scratch = Path(scratch.name)
        cls.data = write_small_data(cls.scratch / "data")
        cls.fleet = cls.scratch / "fleet.csv"
        cls.fleet.write_text(FLEET)

    def setUp(self):
        super().setUp()
        self.seen = set()  # kinds of claims that were checked

    def keys(self, **more):
        keys = {"fleet.file": self.fleet, "data.dataset": self.data, "data.partition": "iid", "model.name": "mlp",
                "rounds": 60, "evaluate_every": 2, "targets": "[0.3]", "round.time_limit_s": 100,
                "learning.aggregation": "average", "learning.rate": 0.5, "learning.batch": 16,
                "strategy.uniform.devices": 2}
        keys |= {key.replace("__", "."): value for key, value in more.items()}
        return [part for key, value in keys.items() if value is not None for part in ("--set", f"{key}={value}")]

    def compare(self, name, strategies, seeds=1, **more):
        """Returns the folder of the runs, what the terminal says, and summary.json."""
        folder = self.folder / name
        said = self.done("compare", "paper-mildly-biased", *self.keys(**more), "--strategies", ",".join(strategies),
                         "--seeds", seeds, "-o", folder, "--quiet")
        return folder, said, json.loads((folder / "summary.json").read_text())

    def check(self, folder, *expected):
        """Checks the verdict by the files of the runs, and that no digit and no name in it could be another one."""
        verdict = json.loads((folder / "summary.json").read_text())["verdict"]
        self.check_text(folder, verdict, *expected)
        return verdict

    def check_text(self, folder, verdict, *expected):
        reader = Reader(Facts(folder))
        kinds = reader.read(verdict)
        for kind in expected:
            self.assertIn(kind, kinds, verdict)
        self.seen |= {*kinds}
        for start, end in list(reader.places):  # No claim could be left out, nor any part that not all verdicts have.
            with self.assertRaises(Mistake, msg=(verdict, verdict[start:end])):
                reader.read(verdict[:start] + verdict[end:])
        for place in (match.start() for match in re.finditer(r"\d", verdict)):
            other = str((int(verdict[place]) + 1) % 10)
            with self.assertRaises(Mistake, msg=(verdict, place)):
                reader.read(verdict[:place] + other + verdict[place + 1:])
        facts = reader.facts.strategies
        for name, other in zip(facts, [*facts][1:] + [*facts][:1]):
            if [vars(run) for run in facts[name].runs] == [vars(run) for run in facts[other].runs]:
                continue  # Nothing is wrong about the name of one that did the same.
            for match in re.finditer(rf"(?<![\w-]){re.escape(name)}(?![\w-])", verdict):
                with self.assertRaises(Mistake, msg=(verdict, name, other)):
                    reader.read(verdict[:match.start()] + other + verdict[match.end():])

    def test_the_fastest_breaks_budgets_and_another_keeps_them(self):
        folder, said, summary = self.compare("runs", ["probabilistic", "uniform"])
        verdict = summary["verdict"]
        first, second = verdict.split(". ")[:2]
        self.assertRegex(first, r"^uniform reaches 30 % first, after .*, but takes 8 of 10 devices over their energy "
                         r"budgets \(the worst spends [\d,]+ times its budget; [\d.,]+ J beyond in sum\)")
        self.assertRegex(second, "^Only probabilistic keeps every energy budget; it reaches 30 % after ")
        self.assertTrue(verdict.endswith(" Times count uploads."), verdict)
        self.check(folder, "breaks", "only_keeper")
        # The terminal and the page say the same.
        self.assertIn(one_line(verdict), one_line(said))
        self.assertIn("\ntime: uploads\n", said)
        self.assertRegex(said, r"\n\| uniform +\| +8 of 10 \| +[\d,]+ \| +[\d.,]+ \|\n")
        self.assertRegex(said, r"\n\| probabilistic +\| +0 of 10 \| +[\d.e-]+ \| +0 \|\n")
        self.assertLessEqual(max(map(len, said.replace(str(folder), "").splitlines())), 80)
        self.assertIn(verdict, html.unescape((folder / "report.html").read_text()))

    def test_summary_has_the_numbers_of_budgets(self):
        folder, _, summary = self.compare("runs", ["probabilistic", "uniform"], seeds=2, rounds=10)
        facts = Facts(folder)
        for strategy in summary["strategies"]:
            ours = facts.strategies[strategy["strategy"]]
            self.assertEqual(strategy["over_budget"], ours.over)
            self.assertAlmostEqual(strategy["worst_budget_ratio"] / ours.worst, 1, delta=1e-12)
            self.assertAlmostEqual(strategy["over_budget_j"], ours.beyond_j, delta=1e-12 * ours.beyond_j)
        self.assertEqual(summary["booked"], ["upload"])

    def test_computation_that_is_booked_gives_other_times(self):
        plain_folder, _, plain = self.compare("plain", ["probabilistic", "uniform"])
        folder, said, booked = self.compare("booked", ["probabilistic", "uniform"], books__compute_time="true")
        for before, after in zip(plain["strategies"], booked["strategies"]):
            self.assertGreater(after["time_s"]["mean"], before["time_s"]["mean"])
            self.assertGreater(after["targets"][0]["time_s"]["mean"], before["targets"][0]["time_s"]["mean"])
            for key in ("energy_j", "final_accuracy", "over_budget", "worst_budget_ratio", "over_budget_j"):
                self.assertEqual(after[key], before[key], key)
        self.assertEqual(booked["booked"], ["upload", "compute"])
        self.assertTrue(booked["verdict"].endswith(" Times count uploads and computation."), booked["verdict"])
        self.assertNotEqual(booked["verdict"].split(" Times")[0], plain["verdict"].split(" Times")[0])
        self.assertIn("\ntime: uploads and computation\n", said)
        self.check(folder, "breaks", "only_keeper")
        with self.assertRaises(Mistake):  # The times of the one are not those of the other.
            Reader(Facts(plain_folder)).read(booked["verdict"])

    def test_many_strategies_and_seeds(self):
        everybody = ["probabilistic", "deterministic", "uniform", "equally-weighted", "all", "random", "fedcs", "oort"]
        # All learn the first; in few rounds, only some runs reach the second; none the third, nor what is left of it.
        for name, keys, kinds in (("low", {"targets": "[0.2,0.3]"}, ("breaks",)),
                                  ("mixed", {"targets": "[0.15,0.25,1]", "rounds": 12, "learning__rate": 0.1}, ()),
                                  ("none", {"targets": "[1]", "rounds": 12, "learning__rate": 0.05}, ("none",)),
                                  ("aimless", {"targets": "[]", "rounds": 12, "learning__rate": 0.05}, ("furthest",))):
            folder, _, summary = self.compare(name, everybody, seeds=3, **({"rounds": 40, "evaluate_every": 4} | keys))
            self.check(folder, *kinds)
            self.assertTrue(summary["verdict"].endswith("are means over runs, as energies and accuracies are."))

    def test_one_strategy(self):
        for strategy, targets, rate, kinds in (("probabilistic", "[0.3]", 0.5, ("reaches", "keeps")),
                                               ("uniform", "[0.3]", 0.5, ("reaches", "breaks")),
                                               ("uniform", "[0.01,1]", 1e-3, ("reaches", "breaks", "beyond")),
                                               ("uniform", "[1]", 1e-3, ("misses", "breaks")),
                                               ("uniform", "[]", 1e-3, ("alone", "breaks"))):
            folder, _, _ = self.compare(f"{strategy}-{targets}", [strategy], targets=targets, learning__rate=rate)
            self.check(folder, *kinds)

    def test_nobody_takes_part(self):
        folder = self.scratch / "nobody"
        keys = self.keys(fleet__file=None, fleet__devices=5, rounds=3, strategy__budget="strict",
                         fleet__energy_budget_j=1e-9)
        result = airlot("compare", "float32-cell", *keys, "--strategies", "all,uniform", "--seeds", "1", "-o", folder)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("nobody was selected in any round", result.stderr)
        verdict = json.loads((folder / "summary.json").read_text())["verdict"]
        self.assertEqual(verdict, "Nobody took part in any round, so that nothing was learned.")
        self.assertEqual(Reader(Facts(folder)).read(verdict), ["nobody"])

    def test_nobody_keeps_budgets(self):
        """One device has no budget, and computes in every round; two strategies take all others, and are equal."""
        fleet = self.write("fleet.csv", "id,distance_m,energy_budget_j\na,100,1e6\nb,100,1e6\nc,100,0\n")
        folder, _, summary = self.compare("zero", ["all", "uniform"], fleet__file=fleet, rounds=20,
                                          round__compute="always", strategy__uniform__devices=3)
        self.check(folder, "breaks", "no_keeper")
        self.assertIn("1 of 3 devices over its energy budget (it has a budget of 0 J; ", summary["verdict"])
        self.assertIsNone(summary["strategies"][0]["worst_budget_ratio"])

    def test_budgets_that_are_not_known_are_not_spoken_of(self):
        """Earlier versions did not write budgets."""
        folder, _, _ = self.compare("runs", ["probabilistic", "uniform"], rounds=10)
        verdict = self.without_budgets(folder, "*")
        self.check_text(folder, verdict, "times")
        self.assertNotIn("budget", verdict)

    def without_budgets(self, folder, strategy):
        """Takes away the budgets of a strategy's runs, and returns the verdict of their report."""
        for path in folder.glob(f"{strategy}/*/devices.csv"):
            lines = path.read_text().splitlines()
            width = lines[0].split(",").index("energy_budget_j")
            path.write_text("".join(",".join(line.split(",")[:width]) + "\n" for line in lines))
        return self.reported(folder)

    def reported(self, folder):
        self.done("report", folder, "-o", folder / "again.html")
        return html.unescape(re.search('<p class="sentence">(.*?)</p>', (folder / "again.html").read_text())[1])

    def test_targets_that_some_runs_reach(self):
        """Whatever accuracy some run comes to is a target that it just reaches."""
        everybody = ["probabilistic", "deterministic", "uniform", "equally-weighted", "all", "random", "fedcs", "oort"]
        folder, _, _ = self.compare("runs", everybody, seeds=3, rounds=12, targets="[0.2]", learning__rate=0.1)
        manifest = json.loads((folder / "manifest.json").read_text())
        goals = {max(accuracy for _, accuracy in run.evaluations)
                 for one in Facts(folder).all for run in one.runs}
        for goal in sorted(goals):
            scenario = re.sub(r"(?m)^targets = .*", f"targets = [{goal}]", manifest["scenario"])
            (folder / "manifest.json").write_text(json.dumps({**manifest, "scenario": scenario}))
            self.check_text(folder, self.reported(folder))
        self.assertLessEqual({"first", "thrifty", "seldom", "more", "late"}, self.seen)

    def test_some_are_known_to_keep_budgets(self):
        for keepers, words in ((["probabilistic"], "Only probabilistic is known to keep every"),
                               (["probabilistic", "deterministic"], "Of the strategies that are known to keep every")):
            folder, _, _ = self.compare("-".join(keepers), [*keepers, "uniform", "all"])
            verdict = self.without_budgets(folder, "all")
            self.check_text(folder, verdict, "breaks")
            self.assertIn(words, verdict)

    def test_reproduce_and_train_print_the_verdict(self):
        keys = self.keys(rounds=8, fleet__file=None, fleet__devices=20, data__minimum_samples=2)
        folder = self.folder / "paper"
        said = self.done("reproduce", "--quick", *keys, "-o", folder, "--quiet")
        for name in ("paper-highly-biased", "paper-mildly-biased"):
            self.assertIn(one_line(self.check(folder / name)), one_line(said))
        said = self.done("train", *keys, "-o", self.folder / "one", "--quiet")
        self.assertIn(one_line(self.check(self.folder / "one")), one_line(said))


if __name__ == "__main__":
    unittest.main()
