"""Fleets of one's own, from the outside: measured links, batteries with a lifetime, plans, and who takes part when."""
import gzip
import json
import math
import random
import re
import subprocess
import unittest
from pathlib import Path

from program import AIRLOT, ENVIRONMENT, ProgramTest, airlot, write_small_data

SENSORS = Path(__file__).resolve().parent.parent / "scenarios/sensors-example.csv"
PLAN_HEADER = "id,probability,power_w,rate_bps,upload_s,energy_j,limit\n"


class Fleets(ProgramTest):
    def plan(self, text, *arguments, notes=""):
        """Plans a fleet file with no scenario named; returns the rows of the plan."""
        plan = self.folder / "plan.csv"
        result = airlot("plan", "--fleet", self.write("fleet.csv", text), "-o", plan, *arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stderr.replace(f"{self.folder}/", ""), notes)
        return self.rows(plan)

    def refuses(self, expected, text, *arguments):
        self.fails(expected, "plan", "--fleet", self.write("fleet.csv", text), "-o", self.folder / "plan.csv", *arguments)

    def test_equal_rows_have_equal_probabilities(self):
        for columns, values in (("path_loss_db", "110"), ("distance_m", "300"), ("x_m,y_m", "30,-40")):
            rows = self.plan(f"id,{columns}\n" + "".join(f"{name},{values}\n" for name in "abcdef"))
            self.assertEqual(len({tuple(row[name] for name in row if name != "id") for row in rows}), 1)
            self.assertGreater(float(rows[0]["probability"]), 0)
        summary = self.json("plan", "--fleet", self.write("fleet.csv", "path_loss_db\n100\n"), "--check")
        self.assertEqual(summary["scenario"], "fleet")
        self.assertLess(summary["check"]["largest_gap"], 1e-11)
        named = self.json("plan", "float32-cell", "--set", "data.dataset=", "--fleet",
                          self.write("fleet.csv", "path_loss_db\n100\n"))
        self.assertEqual(named["scenario"], "float32-cell")

    def test_measured_links_and_lifetimes_by_hand(self):
        """What the columns mean, computed again: (F1), (F4), (F5), and the closed form's constraint."""
        row, = self.plan("path_loss_db,noise_dbm,noise_band_hz,battery_mah,battery_v,lifetime_days\n"
                         "120,-110,1e6,2600,3,1095\n")
        band = 1e7
        noise = 1e-14 * band / 1e6  # -110 dBm are 1e-14 W
        power, gap = float(row["power_w"]), 10 ** 0.3
        efficiency = min(math.log2(1 + power / (gap * noise / 1e-12)), 2.4063)
        self.assertAlmostEqual(float(row["rate_bps"]) / (band * efficiency), 1, places=9)
        budget = 3600 * (3.6 * 2600 * 3) / (1095 * 86400)
        self.assertAlmostEqual(float(row["probability"]) * float(row["energy_j"]) / budget, 1, places=9)
        self.assertLess(float(row["probability"]), 1)
        twice, = self.plan("path_loss_db,noise_dbm,noise_band_hz,battery_mah,battery_v,lifetime_days,round_period_s\n"
                           "120,-110,1e6,2600,3,1095,1800\n")
        self.assertAlmostEqual(2 * float(twice["probability"]) / float(row["probability"]), 1, places=9)

    def test_a_measured_noise_goes_with_the_band(self):
        """The same radio, told by its noise in one band or in another, has the same plan, whatever the band is now."""
        expected = ("--set", "round.time_rule=expected")
        for bands in (("--set", "radio.bandwidth_hz=1e6"), ("--bandwidth", "shared", *expected),
                      ("--airtime", *expected)):
            plans = [self.plan("id,noise_to_gain_w,noise_band_hz\n" + "".join(
                f"{i},{gain * band!r},{band}\n" for i, gain in enumerate((1e-11, 3e-11, 5e-12)))
                , *bands) for band in (1e5, 3e6)]
            for one, other in zip(*plans, strict=True):
                self.assertEqual(one["limit"], other["limit"])
                for column in ("probability", "power_w", "rate_bps"):
                    self.assertAlmostEqual(float(one[column]), float(other[column]), delta=1e-7 * float(one[column]))
        narrow, wide = (float(self.plan("noise_to_gain_w,noise_band_hz\n1e-4,1e6\n", "--set", f"radio.bandwidth_hz={band}",
                                        "--set", "radio.spectral_efficiency_cap=40")[0]["rate_bps"]) / band
                        for band in (1e4, 1e7))
        self.assertGreater(narrow, 1.5 * wide)
        why = ("the noise grows with the band (radio.noise_dbm_per_hz), and the file does not say in which band it was "
               "measured: add a column noise_band_hz, or bandwidth_hz if that is each device's own")
        self.refuses(f"fleet.csv:1: column noise_to_gain_w: {why}", "noise_to_gain_w\n1e-9\n")
        self.refuses(f"fleet.csv:1: column noise_dbm: {why}", "path_loss_db,noise_dbm\n100,-110\n")
        self.plan("noise_to_gain_w,noise_band_hz\n1e-9,1e6\n", "--set", "radio.noise_w=1e-12",
                  notes="note: fleet.csv: noise_band_hz changes nothing: by radio.noise_w the noise is the same in every "
                        "band\n")

    def test_a_saved_fleet_keeps_its_noise_and_its_budgets(self):
        first = self.plan(SENSORS.read_text(), "--save-fleet", self.folder / "saved.csv")
        header = (self.folder / "saved.csv").read_text().splitlines()[0]
        self.assertIn("noise_band_hz", header)
        self.assertTrue(header.startswith("id,x_m,y_m,noise_to_gain_w,"), header)  # The report has its map again.
        again = self.plan((self.folder / "saved.csv").read_text())
        self.assertEqual(first, again)

    def test_unknown_columns(self):
        text = "id,colour,path_loss_db,adress\na,red,100,7 High Street\n"
        self.refuses('fleet.csv:1: unknown column "sample": did you mean samples?', "id,sample\na,1\n")
        self.plan(text, "--ignore-unknown",
                  notes="note: fleet.csv: ignored columns, which are not known: colour, adress\n")
        self.plan(text.replace("adress", "samples").replace("7 High Street", "9"), "--set", "fleet.ignore_unknown=true",
                  notes="note: fleet.csv: ignored a column, which is not known: colour\n")
        result = airlot("plan", "--fleet", self.write("fleet.csv", text), "--ignore-unknown", "--vary",
                        "radio.bandwidth_hz=1e6,1e7")
        self.assertEqual((result.returncode, result.stderr.count("ignored")), (0, 1))
        self.fails("--ignore-unknown is for the columns of a fleet file: add --fleet FILE", "plan", "--ignore-unknown")

    def test_a_file_without_a_channel_says_that_places_are_drawn(self):
        self.plan("id\na\nb\n", notes="note: fleet.csv: says nothing of the channel (distance_m, x_m and y_m, "
                                      "path_loss_db, ...): places are drawn in a square of 1000 m\n")

    def test_bad_files(self):
        self.refuses("fleet.csv:4: id = \"a\": line 2 has the same; every device needs an id of its own",
                     "id,path_loss_db\na,100\nb,100\na,90\n")
        self.refuses("fleet.csv:2: path_loss_db = nan: must be a finite number", "path_loss_db\nnan\n")
        self.refuses("fleet.csv:2: lifetime_days = 0: must be > 0",
                     "path_loss_db,battery_mah,battery_v,lifetime_days\n90,1,3,0\n")
        self.refuses("fleet.csv:2: battery_v = -3: must be > 0", "path_loss_db,battery_mah,battery_v\n90,1,-3\n")
        self.refuses("fleet.csv:1: column x_m: needs a column y_m beside it", "x_m\n3\n")
        self.refuses("fleet.csv:1: columns path_loss_db and distance_m: both say how much of what is sent arrives: give one",
                     "distance_m,path_loss_db\n3,100\n")
        self.refuses("fleet.csv:1: columns path_loss_db and noise_to_gain_w: both say how much of what is sent arrives: give "
                     "one", "noise_to_gain_w,path_loss_db\n3,100\n")
        self.refuses("fleet.csv:1: columns energy_budget_j and lifetime_days: the budget of a round follows from battery and "
                     "lifetime: give one", "path_loss_db,battery_mah,battery_v,lifetime_days,energy_budget_j\n90,1,3,5,2\n")
        self.refuses("fleet.csv:1: column lifetime_days: there is no battery that could last so long: add battery_mah and "
                     "battery_v, or battery_j", "path_loss_db,lifetime_days\n90,5\n")
        self.refuses("fleet.csv:3: device 2 (b): distance_m = 0: log-distance is defined from 1 on",
                     "id,distance_m\na,100\nb,0\n")
        self.refuses("fleet.csv:5: device 2 (b): distance_m = 0: log-distance is defined from 1 on",
                     "id,distance_m\na,100\n\n\nb,0\n")
        self.refuses("fleet.csv: is empty: a header line is needed", "")
        self.refuses("fleet.csv: has a header but no devices", "path_loss_db\n")

    def test_says_why_nobody_takes_part(self):
        def note(*options):
            result = airlot("plan", "fleet", *(part for option in options for part in ("--set", option)))
            self.assertEqual(result.returncode, 0, result.stderr)
            return result.stderr

        many = note("fleet.devices=20000")
        needed = re.fullmatch(r"note: nobody can take part; device \d+, for one, would need a time limit of (\d+) s instead of 600 s "
                              r"\(round\.time_limit_s\), or more band \(radio\.bandwidth_hz, or fewer devices\)\n", many)
        self.assertTrue(needed, many)
        longer = f"round.time_limit_s={int(needed[1]) + 1}"
        self.assertEqual(note("fleet.devices=20000", longer), "")
        self.assertIn("has no budget for it (fleet.energy_budget_j)", note("fleet.energy_budget_j=0"))
        self.assertIn("would need a power of ", note("radio.mcs=[[90,1]]"))
        self.assertEqual(note(), "")

    def test_says_of_one_device_why_and_what_would_help(self):
        def note(text, *options):
            result = airlot("plan", "--fleet", self.write("fleet.csv", text), *options)
            self.assertEqual(result.returncode, 0, result.stderr)
            return result.stderr

        self.assertIn("device a, for one, holds no samples", note("id,path_loss_db,samples\na,100,0\n"))
        self.assertIn("device a, for one, is not heard", note("id,path_loss_db,energy_budget_j\na,400,1000\n"))
        far = "id,path_loss_db\na,170\n"
        needed = re.fullmatch(r"note: nobody can take part; device a, for one, would need a time limit of (\S+) s instead of 600 s "
                              r"\(round\.time_limit_s\), or a power of (\S+) W instead of 0\.1 W \(fleet\.max_power_w\)\n", note(far))
        self.assertTrue(needed, note(far))  # More band is not among it:
        self.assertIn("nobody can take part", note(far, "--set", "radio.bandwidth_hz=1e12"))
        for key, value in (("round.time_limit_s", needed[1]), ("fleet.max_power_w", needed[2])):
            self.assertEqual(note(far, "--set", f"{key}={1.001 * float(value)!r}"), "")

    def test_json_beside_a_plan_on_standard_output(self):
        """Notes are in the JSON, which alone is on standard error."""
        fleet = self.write("fleet.csv", "id,path_loss_db,samples\na,100,0\n")
        result = airlot("plan", "--fleet", fleet, "--json", "-o", "-")
        self.assertTrue(result.stdout.startswith(PLAN_HEADER))
        note, = json.loads(result.stderr)["notes"]
        self.assertIn("holds no samples", note)
        self.assertEqual(airlot("plan", "--fleet", fleet, "--json").stderr, f"note: {note}\n")

    def test_what_every_device_needs(self):
        """JSON, plan file and report have all of them; giving one what it needs lets it reach the probability."""
        draw = random.Random(3)
        rows = [(f"s{i}", draw.uniform(90, 140), 10 ** draw.uniform(-1, 1)) for i in range(40)]
        text = "id,path_loss_db,energy_budget_j\n" + "".join(f"{i},{loss},{budget}\n" for i, loss, budget in rows)
        floor = ("--set", "round.min_probability=0.5")
        page = self.folder / "plan.html"
        plan = self.plan(text, *floor, "--report", page)
        listed = self.json("plan", "--fleet", self.folder / "fleet.csv", *floor)["floor"]
        needy = [row for row in plan if row["energy_budget_needed_j"]]
        self.assertEqual(listed["below"], len(needy))
        self.assertGreater(len(needy), 12)
        self.assertLess(len(needy), 40)
        for row, shortfall in zip(needy, listed["shortfalls"], strict=True):
            self.assertEqual(row["id"], shortfall["id"])
            self.assertLess(float(row["probability"]), 0.5)
            self.assertIn(f"<td>{row['id']}</td>", page.read_text().replace('<th scope="row">', "<td>").replace("</th>", "</td>"))
            for name in ("energy_budget_needed_j", "time_limit_needed_s", "max_power_needed_w"):
                self.assertEqual(float(row[name]), math.inf if shortfall[name] is None else shortfall[name])
        for row in plan:
            if not row["energy_budget_needed_j"]:
                self.assertGreaterEqual(float(row["probability"]), 0.5 * (1 - 1e-9))
                self.assertEqual((row["time_limit_needed_s"], row["max_power_needed_w"]), ("", ""))
        needed = {row["id"]: float(row["energy_budget_needed_j"]) for row in needy}
        richer = "id,path_loss_db,energy_budget_j\n" + "".join(
            f"{i},{loss},{needed.get(i, budget)!r}\n" for i, loss, budget in rows if needed.get(i, 0) < math.inf)
        # Those that lack something else are left out, and the others keep their bands.
        band = f"radio.bandwidth_hz={1e7 * (richer.count(chr(10)) - 1) / 40!r}"
        for row in self.plan(richer, "--set", band):
            self.assertGreaterEqual(float(row["probability"]), 0.5 * (1 - 1e-9))
        printed = self.done("plan", "--fleet", self.write("fleet.csv", text), *floor)
        self.assertIn(f"  ... and {len(needy) - 10} more: add -o plan.csv or --json for all of them\n", printed)
        self.assertIn(f"  ... and {len(needy) - 10} more: all are in ",
                      self.done("plan", "--fleet", self.folder / "fleet.csv", *floor, "-o", self.folder / "plan.csv"))


class Draw(ProgramTest):
    def plan_of(self, probabilities):
        return self.write("plan.csv", PLAN_HEADER + "".join(
            f"{name},{a},{0.1 if a else 0},1,1,2,full\n" for name, a in probabilities.items()))

    def test_frequencies_are_the_probabilities(self):
        """Within 4.5 standard errors, for each device, for the participants of a round, and for empty rounds."""
        rounds, planned = 20000, {"never": 0, "rare": 0.003, "some": 0.2, "half": 0.5, "often": 0.93, "always": 1}
        del planned["always"]  # so that there are empty rounds
        draws = self.folder / "draws.csv"
        summary = self.json("draw", self.plan_of(planned), "--rounds", rounds, "--seed", 11, "-o", draws)
        rows = self.rows(draws)
        self.assertEqual(summary["participations"], len(rows))
        times = {name: sum(row["id"] == name for row in rows) for name in planned}
        for name, a in planned.items():
            self.assertLessEqual(abs(times[name] / rounds - a), 4.5 * math.sqrt(a * (1 - a) / rounds), name)
        by_round = {}
        for row in rows:
            by_round.setdefault(int(row["round"]), []).append(row["id"])
            self.assertEqual(row["power_w"], "0.1")
        order = list(planned)
        for ids in by_round.values():
            self.assertEqual(ids, sorted(ids, key=order.index))
        self.assertEqual(list(by_round), sorted(by_round))
        self.assertEqual(summary["empty_rounds"], rounds - len(by_round))
        empty = math.prod(1 - a for a in planned.values())
        self.assertAlmostEqual(summary["probability_empty_round"], empty, places=12)
        self.assertLessEqual(abs(summary["empty_rounds"] / rounds - empty), 4.5 * math.sqrt(empty * (1 - empty) / rounds))
        counts = [len(by_round.get(k, ())) for k in range(1, rounds + 1)]
        mean = sum(counts) / rounds
        self.assertAlmostEqual(summary["participants"]["mean"], mean, places=12)
        self.assertAlmostEqual(summary["participants"]["sd"],
                               math.sqrt(sum((count - mean) ** 2 for count in counts) / rounds), places=9)
        self.assertEqual((summary["participants"]["fewest"], summary["participants"]["most"]), (min(counts), max(counts)))
        self.assertAlmostEqual(summary["participants"]["expected"], sum(planned.values()), places=12)
        self.assertEqual([one["id"] for one in summary["most_often"]], ["often", "half", "some"])
        self.assertEqual(summary["least_often"], [{"id": "rare", "rounds": times["rare"], "probability": 0.003}])
        self.assertEqual((summary["can_take_part"], summary["never_drawn"]), (4, 0))
        self.assertAlmostEqual(summary["energy_j"], 2 * len(rows), places=6)

    def test_nobody_is_drawn_most_often_who_is_never_drawn(self):
        summary = self.json("draw", self.plan_of({"sure": 1, "hardly": 1e-9, "also": 1e-9}), "--rounds", 2)
        self.assertEqual([one["id"] for one in summary["most_often"]], ["sure"])
        self.assertEqual(sorted(one["id"] for one in summary["least_often"]), ["also", "hardly"])

    def test_a_round_is_the_same_however_it_is_asked_for(self):
        plan = self.plan_of({str(i): 0.3 for i in range(3000)})
        whole, part = self.folder / "whole.csv", self.folder / "part.csv"
        self.done("draw", plan, "--rounds", 9, "--seed", 4, "-o", whole)
        self.done("draw", plan, "--rounds", 3, "--first-round", 4, "--seed", 4, "-o", part)
        self.assertEqual([row for row in self.rows(whole) if row["round"] in "456"], self.rows(part))
        result = airlot("draw", plan, "--rounds", 9, "--seed", 4, "-o", "-")
        self.assertEqual(result.stdout, whole.read_text())
        self.assertIn("Rounds 1 to 9 of 3,000 devices", result.stderr)
        self.assertEqual(airlot("draw", "-", "--rounds", 9, "--seed", 4, "-o", "-", input=plan.read_text()).stdout,
                         whole.read_text())

    def test_a_run_of_probabilistic_has_the_same_participants(self):
        data = write_small_data(self.folder / "data")
        settings = [part for key in (f"data.dataset={data}", "fleet.devices=40", "data.minimum_samples=1", "rounds=30",
                                     "model.name=mlp", "round.time_limit_s=2")
                    for part in ("--set", key)]
        plan, draws = self.folder / "plan.csv", self.folder / "draws.csv"
        self.done("plan", "float32-cell", *settings, "--seed", 5, "-o", plan)
        self.done("draw", plan, "--rounds", 30, "--seed", 5, "-o", draws)
        self.done("train", "float32-cell", *settings, "--seed", 5, "--strategy", "probabilistic", "--quiet", "-o",
                  self.folder / "run")
        log = gzip.open(next((self.folder / "run").rglob("participants.csv.gz")), "rt").read()
        trained = [tuple(line.split(",")[:2]) for line in log.splitlines()[1:]]
        drawn = [(row["round"], row["id"]) for row in self.rows(draws)]
        self.assertGreater(len(drawn), 30)
        self.assertEqual(trained, drawn)

    def test_plans_of_every_kind(self):
        for options in (("--bandwidth", "shared"), ("--airtime",), ("--set", "round.min_probability=0.9")):
            plan = self.folder / "plan.csv"
            self.done("plan", "float32-cell", "--set", "data.dataset=", *options, "-o", plan)
            probabilities = sum(float(row["probability"]) for row in self.rows(plan))
            self.assertAlmostEqual(self.json("draw", plan, "--rounds", 5)["participants"]["expected"], probabilities)

    def test_text(self):
        text = self.done("draw", self.plan_of({"a": 1, "b": 0}), "--rounds", 1)
        self.assertIn("Round 1 of 2 devices", text)
        self.assertIn("participants   1 a round (sd 0, from 1 to 1); planned 1\n", text)
        self.assertIn("empty rounds   0 of 1; planned 0 %\n", text)
        self.assertIn("most often     a (1 round, planned 100 %)\n", text)
        self.assertIn("Add -o draws.csv to keep who takes part when.\n", text)
        self.assertIn("from 0 to 0", self.done("draw", self.plan_of({"b": 0}), "--rounds", 2))
        plan = self.plan_of({"a": 1})
        result = airlot("draw", "-", "--rounds", 1, "-o", "-", input=plan.read_text())
        self.assertTrue(result.stderr.startswith("Round 1 of 1 device by standard input, seed 1\n"), result.stderr)
        self.assertTrue(result.stderr.endswith("\nWho takes part when is on standard output.\n"), result.stderr)

    def test_bad_input(self):
        def refuses(expected, text, *arguments):
            self.fails(expected, "draw", self.write("plan.csv", text), "--rounds", 3, "-o", self.folder / "draws.csv",
                       *arguments)

        refuses("plan.csv: is empty: a header line is needed", "")
        refuses("plan.csv: has a header but no devices", PLAN_HEADER)
        refuses("plan.csv:1: columns id,path_loss_db: a plan has id,probability,power_w,rate_bps,upload_s,energy_j,limit, "
                "then bandwidth_hz where the band is split, mcs_row where radio.mcs has the rates, and "
                "energy_budget_needed_j,time_limit_needed_s,max_power_needed_w where a least probability is wanted",
                "id,path_loss_db\na,100\n")
        refuses('plan.csv:2: probability = "1.5": must be <= 1', PLAN_HEADER + "a,1.5,1,1,1,1,full\n")
        refuses('plan.csv:3: power_w = "-1": must be >= 0', PLAN_HEADER + "a,1,1,1,1,1,full\nb,1,-1,1,1,1,full\n")
        refuses("plan.csv:2: 2 fields, but the header has 7", PLAN_HEADER + "a,1\n")
        plan = self.plan_of({"a": 1})
        self.fails("plan.csv: is the plan and would be overwritten: write the list of draws to another file", "draw", plan,
                   "--rounds", 1, "-o", plan)
        self.fails("missing.csv: cannot open: No such file or directory", "draw", self.folder / "missing.csv", "--rounds", 1)
        self.fails("none/draws.csv: cannot write: No such file or directory", "draw", plan, "--rounds", 1, "-o",
                   self.folder / "none/draws.csv")
        for rounds in ("0", "-1", "1.5", "many"):
            result = airlot("draw", plan, "--rounds", rounds)
            self.assertEqual((result.returncode, result.stdout), (2, ""))
            self.assertIn("must be a whole number from 1 to 1,000,000,000", result.stderr)
        self.assertIn("--rounds is required", airlot("draw", plan).stderr)

    def test_an_interrupt_leaves_no_file(self):
        plan = self.plan_of({str(i): 0.5 for i in range(2000)})
        before = sorted(self.folder.iterdir())
        with subprocess.Popen([AIRLOT, "draw", plan, "--rounds", "1000000", "-o", self.folder / "draws.csv"],
                              env=ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            while not list(self.folder.glob(".draws.csv.tmp-*")):
                self.assertIsNone(process.poll())
            process.terminate()
            process.wait(60)
        self.assertEqual(sorted(self.folder.iterdir()), before)


if __name__ == "__main__":
    unittest.main()
