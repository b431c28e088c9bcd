"""The documents stay true: the README's example is the tested one, links and commands work."""
import csv
import io
import json
import os
import re
import shlex
import subprocess
import tempfile
import unittest
from pathlib import Path

AIRLOT = os.environ["AIRLOT"]
TOP = Path(__file__).resolve().parent.parent
DOCUMENTS = sorted([*TOP.glob("*.md"), *TOP.glob("docs/*.md")])


class Documents(unittest.TestCase):
    def test_the_library_page_shows_the_consumer_that_is_tested(self):
        example = (TOP / "tests/package/example.cc").read_text()
        self.assertIn(f"```cpp\n{example}```", (TOP / "docs/library.md").read_text())

    def test_links_lead_somewhere(self):
        for document in DOCUMENTS:
            text = re.sub(r"^```.*?^```$", "", document.read_text(), flags=re.M | re.S)
            for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", text):
                if not target.startswith("http"):
                    self.assertTrue((document.parent / target).exists(), f"{document}: {target}")

    def test_commands_work(self):
        """Every `./run ...` in a console block of these pages runs, in their order; those that take long are cut."""
        text = "".join((TOP / name).read_text() for name in ("README.md", "docs/tour.md", "docs/install.md"))
        blocks = re.findall(r"```console\n(.*?)```", text, re.S)
        commands = [line[len("$ ./run"):] for block in blocks for line in block.splitlines()
                    if line.startswith("$ ./run")]
        # The table of the README has some within its lines.
        commands += re.findall(r"`\./run( .*?)`", (TOP / "README.md").read_text().partition("## What else it does")[2].partition("\n## ")[0])
        self.assertGreater(len(commands), 40)
        with tempfile.TemporaryDirectory() as scratch:
            os.symlink(TOP / "scenarios", Path(scratch) / "scenarios")
            for command in commands:
                arguments = shlex.split(command, comments=True) or ["reproduce", "--quick"]
                if arguments[0] in ("train", "compare", "reproduce", "sweep"):
                    arguments += ["--set", "rounds=2", "--set", "model.name=mlp"]
                if arguments[:2] == ["bench", "planning"]:
                    arguments += ["--devices", "1000"]
                if arguments[:2] == ["bench", "learning"]:
                    arguments += ["--batch", "32", "--repeats", "1"]
                result = subprocess.run([AIRLOT, *arguments], cwd=scratch, capture_output=True,
                                        text=True, timeout=120)
                self.assertEqual(result.returncode, 0, f"{command}\n{result.stderr}")

    def test_the_packages_of_a_build_are_those_that_run_installs(self):
        said = re.search(r"\$ sudo apt install (g\+\+ .*?)\n```", (TOP / "docs/install.md").read_text(), re.S)[1]
        installed = re.search(r'^build_packages="(.*?)"', (TOP / "tools/setup.sh").read_text(), re.M | re.S)[1]
        self.assertEqual(said.replace("\\", "").split(), installed.replace("\\", "").split())

    def test_readme_shows_what_plan_prints(self):
        """The lines that are shown are printed, in their order; "..." stands for some that are left out."""
        printed = subprocess.run([AIRLOT, "plan", "paper-highly-biased"], capture_output=True,
                                 text=True, env={**os.environ, "LC_ALL": "C.UTF-8"}).stdout
        readme = (TOP / "README.md").read_text()
        shown = readme.split("$ ./run plan paper-highly-biased\n", 1)[1].split("```", 1)[0]

        left = printed.splitlines()
        self.assertGreater(len(shown.splitlines()), 10)
        for part in shown.split("...\n"):
            lines = part.splitlines()
            if not lines:
                continue
            start = left.index(lines[0])
            self.assertEqual(left[start:start + len(lines)], lines)
            left = left[start + len(lines):]

    def test_readme_is_short(self):
        """The first screen leads to the rest, which the pages of docs/ have."""
        readme = (TOP / "README.md").read_text()
        self.assertLess(len(readme.splitlines()), 150)
        first_screen = readme.partition("\n## ")[0]
        for target in ("docs/report.png", "docs/performance.md", "#your-own-fleet-in-three-minutes", "docs/tour.md", "docs/install.md"):
            self.assertIn(f"({target})", first_screen)
        every_page = "".join(document.read_text() for document in DOCUMENTS)
        for picture in [*TOP.glob("docs/*.svg"), *TOP.glob("docs/*.png")]:
            self.assertIn(picture.name, every_page)

    def test_readme_has_three_numbers(self):
        first_screen = (TOP / "README.md").read_text().partition("\n## ")[0]
        rows = re.findall(r"^\| (.+?) \| \[", first_screen, re.M)
        self.assertEqual([bool(re.match(r"[\d.]+ ", row)) for row in rows], [True] * 3, rows)

    def test_airtime_shows_what_plan_prints(self):
        """The lines that are shown are printed, in their order."""
        document = (TOP / "docs/airtime.md").read_text()
        block = document.split("$ ./run plan float32-cell --airtime", 1)[1].split("```", 1)[0].replace("\\\n", "")
        options, shown = block.split("\n", 1)
        printed = subprocess.run([AIRLOT, "plan", "float32-cell", "--airtime", *options.split()], capture_output=True,
                                 text=True, env={**os.environ, "LC_ALL": "C.UTF-8"}).stdout.splitlines()
        shown = shown.splitlines()
        self.assertGreater(len(shown), 25)
        for line in shown:
            if line != "  ...":
                self.assertIn(line, printed)
                printed = printed[printed.index(line) + 1:]

        def plan(scenario, *keys):
            sets = [part for key in ("fairness=1", "energy_price=0", "participants=0", "data_exponent=0", *keys)
                    for part in ("--set", f"strategy.airtime.{key}")]
            return json.loads(subprocess.run([AIRLOT, "plan", scenario, *sets, "--airtime", "--json"],
                                             capture_output=True, text=True).stdout)

        budgets = plan("float32-cell", "floor=0.99")["one_percent_more_adds"]["energy_budget"]
        self.assertIn(f"With `strategy.airtime.floor=0.99` it is {budgets:+.3g}.", document)
        few, many = plan("paper-highly-biased"), plan("paper-highly-biased", "participants=3.006")
        self.assertIn(f"the plan has {few['expected_participants']:.4g} participants", document)
        self.assertIn(f"in at most {many['airtime']['round_time_at_most_s']:.4g} s, in bands", document)

    def test_reproduction_shows_what_run_prints(self):
        """The outputs have this form: the paper's numbers and claims, whatever ours are after two rounds."""
        document = (TOP / "docs/reproduction.md").read_text()

        def form(text):
            cells = re.findall(r"\(([\d,]+|NA)\)", text)
            claims = re.findall(r"^│ ([\w-]+ (?:[<>=] [\w-]+|reaches it|misses it)) ", text, re.M)
            return cells, claims, re.findall(r"which of the paper's \d+ claims hold", text)

        for command, options, claims in (("./run", ["--quick"], 0), ("./run reproduce -o runs/all", [], 61)):
            with tempfile.TemporaryDirectory() as scratch:
                printed = subprocess.run(
                    [AIRLOT, "reproduce", *options, "--quiet", "--set", "rounds=2", "--set", "model.name=mlp"],
                    cwd=scratch, capture_output=True, text=True, env={**os.environ, "LC_ALL": "C.UTF-8"}).stdout
            shown = document.split(f"$ {command}\n", 1)[1].split("```", 1)[0]
            self.assertEqual(form(shown), form(printed), command)
            self.assertEqual(len(form(shown)[0]), 32)
            self.assertEqual(len(form(shown)[1]), claims)

    def test_readme_shows_the_example_fleet_and_its_plan(self):
        fleet = TOP / "scenarios/fleet-example.csv"
        shown = re.search(rf"```\n{re.escape(fleet.read_text())}```\n.*?```\n(id,probability,.*?)```",
                          (TOP / "README.md").read_text(), re.S)
        printed = subprocess.run([AIRLOT, "plan", "--fleet", fleet, "-o", "-"],
                                 capture_output=True, text=True).stdout
        for shown_row, row in zip(csv.DictReader(io.StringIO(shown[1])),
                                  csv.DictReader(io.StringIO(printed)), strict=True):
            self.assertEqual((shown_row["id"], shown_row["limit"]), (row["id"], row["limit"]))
            for column in ("probability", "power_w", "rate_bps", "upload_s", "energy_j"):
                self.assertAlmostEqual(float(shown_row[column]) / float(row[column]), 1, places=12)

    def test_fleets_shows_what_the_program_prints(self):
        """From the example's file to its plan, and to who takes part when; the time that it took is left out."""
        document = (TOP / "docs/fleets.md").read_text()
        self.assertIn(f"```\n{(TOP / 'scenarios/sensors-example.csv').read_text()}```", document)
        blocks = re.findall(r"^```console\n\$ (.*?)\n(.*?)^```$", document, re.M | re.S)
        self.assertEqual(len(blocks), 4)
        with tempfile.TemporaryDirectory() as scratch:
            os.symlink(TOP / "scenarios", Path(scratch) / "scenarios")
            for command, shown in blocks:
                if command == "head -6 draws.csv":
                    self.same_rows(shown, "".join((Path(scratch) / "draws.csv").read_text().splitlines(True)[:6]))
                    continue
                run, *arguments = command.split()
                self.assertEqual(run, "./run")
                result = subprocess.run([AIRLOT, *arguments], cwd=scratch, capture_output=True, text=True,
                                        env={**os.environ, "LC_ALL": "C.UTF-8"})
                self.assertEqual((result.returncode, result.stderr), (0, ""), command)

                def without_time(text):
                    return re.sub(r"^Solved in \S+ s\.", "", text, flags=re.M)

                self.assertEqual(without_time(shown), without_time(result.stdout), command)
            plan = re.search(r"```\n(id,probability,.*?)```", document, re.S)[1]
            self.same_rows(plan, (Path(scratch) / "plan.csv").read_text())

    def same_rows(self, shown, printed):
        """The last digits may differ between processors."""
        for one, other in zip(csv.DictReader(io.StringIO(shown)), csv.DictReader(io.StringIO(printed)), strict=True):
            self.assertEqual(list(one), list(other))
            for column, text in one.items():
                if text != other[column]:
                    self.assertAlmostEqual(float(text) / float(other[column]), 1, places=9)

    def test_solver_table_is_what_the_solvers_return(self):
        rows = re.findall(r"^\| ?([\w-]*) \| `(\w+)` \| ([\d.]+) \| ([\d.]+) % \|",
                          (TOP / "docs/solvers.md").read_text(), re.M)
        self.assertEqual(len(rows), 12)
        scenario, optimum = "", 0
        for name, solver, participants, percent in rows:
            scenario = name or scenario
            plan = json.loads(subprocess.run(
                [AIRLOT, "plan", scenario, "--solver", solver, "--json"], capture_output=True,
                text=True).stdout)
            expected = plan["expected_participants"]
            optimum = expected if solver == "exact" else optimum
            digits = len(participants.split(".")[1])
            self.assertAlmostEqual(float(participants), expected, delta=0.51 * 10 ** -digits)
            self.assertAlmostEqual(float(percent), 100 * expected / optimum, delta=0.06)

    def test_checksums_are_those_that_are_verified(self):
        documented = re.findall(r"\| (\d+) \| `([0-9a-f]{64})` \|",
                                (TOP / "docs/formats.md").read_text())
        verified = re.findall(r'\{(\d+), "([0-9a-f]{64})"\}',
                              (TOP / "src/data/known_sets.cc").read_text())
        self.assertEqual(len(verified), 8)
        self.assertEqual(documented, verified)

    def test_equations_that_the_code_cites_exist(self):
        numbered = set()
        for document in TOP.glob("docs/*.md"):
            found = re.findall(r"^ {4}.*\((\d+)\)$", document.read_text(), re.M)
            self.assertEqual(len(found), len(set(found)), document)
            self.assertEqual(numbered & set(found), set(), document)
            numbered |= set(found)
        cited = set()
        for source in [*TOP.glob("src/**/*.cc"), *TOP.glob("src/**/*.h"),
                       *TOP.glob("include/airlot/*.h")]:
            for line in source.read_text().splitlines():
                comment = line.split("//", 1)[1] if "//" in line else ""
                cited |= set(re.findall(r"(?<![\w)])\((\d\d\d?|\d)\)", comment))
        self.assertGreater(len(cited), 15)
        self.assertEqual(cited - numbered, set())


if __name__ == "__main__":
    unittest.main()
