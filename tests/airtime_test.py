"""Tests airlot plan --airtime from the outside: text, JSON, plan file, report, and what cannot be planned."""
import html
import math
import re
import unittest

from program import ProgramTest

def plan_of(scenario, *keys):
    """Returns the arguments for a plan with these keys, and with the defaults of the others of the strategy."""
    defaults = ("data.dataset=", "strategy.airtime.fairness=1", "strategy.airtime.energy_price=0", "strategy.airtime.participants=0",
                "strategy.airtime.data_exponent=0", "strategy.airtime.floor=1")
    return ("plan", scenario, "--airtime", *(part for key in (*defaults, *keys) for part in ("--set", key)))


TURNS = plan_of("float32-cell")
BANDS = plan_of("paper-highly-biased", "strategy.airtime.participants=3")
CIRCUITS = plan_of("urban-cell")


class Airtime(ProgramTest):
    def plan(self, *arguments):
        """Returns the summary of a plan, its rows as numbers, and the rows of its fleet."""
        plan_file, fleet_file = self.folder / "plan.csv", self.folder / "fleet.csv"
        summary = self.json(*arguments, "-o", plan_file, "--save-fleet", fleet_file)
        columns = ("probability", "power_w", "rate_bps", "upload_s", "energy_j", "bandwidth_hz")
        rows = [{"limit": row["limit"], **{name: float(row[name]) for name in columns}} for row in self.rows(plan_file)]
        return summary, rows, self.rows(fleet_file)

    def test_text_says_how_they_send_and_what_it_gains(self):
        text = self.done(*TURNS)
        for part in ("Airtime plan of 100 devices: float32-cell\n", "in turns, each in the whole band", "0.08 s for the mean round",
                     "fairness      1", "nobody takes part less often than in its own band", "What limits the devices",
                     "Probability of taking part", "time          0.08 s (sd", "a second      is worth", "Beside the plan of own bands",
                     "What 1 % more would add to the participants", "Add -o plan.csv to keep the plan."):
            self.assertIn(part, text)
        self.assertNotIn("slowest participant", text)
        bands = self.done(*BANDS)
        for part in ("at the same time, in bands that end together, as the noise is a density", "3 participants a round",
                     "none: the number of participants is given", "bounds of the mean", "limited by    power", "in turns",
                     "What 1 % more would add to the time of the round, in s"):
            self.assertIn(part, bands)
        self.assertIn("as circuits draw power", self.done(*CIRCUITS))

    def test_turns_take_the_time_limit_on_average(self):
        summary, rows, fleet = self.plan(*TURNS)
        self.assertEqual(summary["airtime"]["sharing"], "turns")
        self.assertAlmostEqual(sum(row["probability"] * row["upload_s"] for row in rows) / 0.08, 1, places=12)
        self.assertAlmostEqual(summary["expected_round_time_s"] / 0.08, 1, places=12)
        variance = sum(row["probability"] * (1 - row["probability"]) * row["upload_s"] ** 2 for row in rows)
        self.assertAlmostEqual(summary["airtime"]["round_time_sd_s"] / math.sqrt(variance), 1, places=12)
        self.assertAlmostEqual(summary["expected_participants"], sum(row["probability"] for row in rows), places=12)
        self.assertAlmostEqual(summary["expected_round_energy_j"], sum(row["probability"] * row["energy_j"] for row in rows), places=12)
        for row, device in zip(rows, fleet, strict=True):
            self.assertEqual(row["bandwidth_hz"], 1e7)
            rate = 1e7 * math.log2(1 + row["power_w"] / float(device["noise_to_gain_w"]))
            self.assertAlmostEqual(row["rate_bps"] / rate, 1, places=12)
            self.assertAlmostEqual(row["upload_s"] * row["rate_bps"] / (199210 * 32), 1, places=12)
            energy = row["power_w"] * row["upload_s"] + float(device["compute_energy_j"])
            self.assertAlmostEqual(row["energy_j"] / energy, 1, places=12)
            self.assertLessEqual(row["power_w"], float(device["max_power_w"]) * (1 + 1e-12))
            self.assertLessEqual(row["probability"] * row["energy_j"], float(device["energy_budget_j"]) * (1 + 1e-11))

    def test_floors_are_the_probabilities_in_own_bands(self):
        _, rows, _ = self.plan(*TURNS)
        own_file = self.folder / "own.csv"
        own = self.json("plan", "float32-cell", "--set", "data.dataset=", "-o", own_file)
        for row, own_row in zip(rows, self.rows(own_file), strict=True):
            self.assertGreaterEqual(row["probability"], float(own_row["probability"]) * (1 - 1e-12))
        airtime = self.json(*TURNS)["airtime"]
        self.assertEqual(airtime["floors"], "kept")
        for name in ("expected_participants", "expected_round_time_s", "expected_round_energy_j"):
            self.assertEqual(airtime["own_bands"][name], own[name])
        free = self.json(*TURNS, "--set", "strategy.airtime.floor=0")
        self.assertEqual(free["airtime"]["floors"], "not-wanted")
        self.assertGreater(free["expected_participants"], self.json(*TURNS)["expected_participants"])

    def test_levers_are_what_one_percent_more_adds(self):
        keys = {"bandwidth": ("radio.bandwidth_hz=1.01e7", "radio.bandwidth_hz=0.99e7"),
                "time_limit": ("round.time_limit_s=0.0808", "round.time_limit_s=0.0792"),
                "max_power": ("fleet.max_power_w=0.202", "fleet.max_power_w=0.198")}
        free = (*TURNS, "--set", "strategy.airtime.floor=0")
        levers = self.json(*free)["one_percent_more_adds"]
        for lever, (more, less) in keys.items():
            adds = [self.json(*free, "--set", key)["expected_participants"] for key in (more, less)]
            self.assertAlmostEqual(levers[lever] / ((adds[0] - adds[1]) / 2), 1, delta=0.02)
        # No probability is at a bound, so that twice the time and the budgets are twice the rounds.
        participants = self.json(*free)["expected_participants"]
        self.assertAlmostEqual((levers["time_limit"] + levers["energy_budget"]) / (0.01 * participants), 1, places=3)

    def test_bands_keep_power_and_budgets_and_have_two_bounds(self):
        summary, rows, fleet = self.plan(*BANDS)
        airtime = summary["airtime"]
        self.assertEqual((airtime["sharing"], airtime["limited_by"]), ("bands", "power"))
        self.assertIsNone(summary["expected_round_time_s"])
        self.assertIsNone(summary["one_percent_more_adds"])
        self.assertLess(summary["one_percent_more_adds_s"]["max_power"], 0)
        self.assertAlmostEqual(summary["expected_participants"], 3, places=10)
        self.assertLess(airtime["round_time_at_least_s"], airtime["round_time_at_most_s"])
        self.assertGreater(airtime["other_sharing"]["uploads"]["band_s"], airtime["round_time_at_most_s"])
        self.assertEqual(airtime["other_sharing"]["sharing"], "turns")
        # Σ a·x/B, from the bands of devices that are alone.
        band_s = sum(row["probability"] * row["upload_s"] * row["bandwidth_hz"] / 1e7 for row in rows)
        self.assertAlmostEqual(airtime["uploads"]["band_s"] / band_s, 1, places=12)
        for row, device in zip(rows, fleet, strict=True):
            noise = float(device["noise_to_gain_w"]) * row["bandwidth_hz"] / float(device["bandwidth_hz"])
            rate = row["bandwidth_hz"] * math.log2(1 + row["power_w"] / noise)
            self.assertAlmostEqual(row["rate_bps"] / rate, 1, places=11)
            self.assertLessEqual(row["bandwidth_hz"], 1e7 * (1 + 1e-12))
            self.assertLessEqual(row["power_w"], float(device["max_power_w"]) * (1 + 1e-12))
            energy = row["power_w"] * row["upload_s"] + float(device["compute_energy_j"])
            self.assertAlmostEqual(row["energy_j"] / energy, 1, places=11)
            self.assertLessEqual(row["probability"] * row["energy_j"], float(device["energy_budget_j"]) * (1 + 1e-11))

    def test_a_round_has_its_own_channel_and_circuits_take_turns(self):
        mean, first = self.json(*CIRCUITS), self.json(*CIRCUITS, "--round", 1)
        self.assertEqual((mean["round"], first["round"]), (None, 1))
        self.assertEqual(first["airtime"]["sharing"], "turns")
        self.assertNotEqual(mean["expected_participants"], first["expected_participants"])
        self.assertIn("The plan is for the channel of round 1.", self.done(*CIRCUITS, "--round", 1))
        self.assertTrue(mean["airtime"]["counts_computation"])  # urban-cell books it
        self.assertIsNone(mean["expected_round_time_s"])

    def test_a_fleet_file_and_the_key_of_the_scenario(self):
        fleet = self.write("fleet.csv", "id,distance_m,energy_budget_j\nnear,10,1\nfar,400,1\npoor,50,0\n")
        plan_file = self.folder / "plan.csv"
        key = self.json(*(part for part in TURNS if part != "--airtime"), "--set", "round.airtime=true", "--fleet", fleet,
                        "-o", plan_file)
        flag = self.json(*TURNS, "--fleet", fleet)
        self.assertEqual(key["expected_participants"], flag["expected_participants"])
        rows = self.rows(plan_file)
        self.assertEqual([row["id"] for row in rows], ["near", "far", "poor"])
        self.assertEqual((rows[2]["probability"], rows[2]["limit"], rows[2]["bandwidth_hz"]), ("0", "energy", "0"))
        text = self.done(*TURNS, "--fleet", fleet, "--set", "round.min_probability=0.9")
        self.assertIn("stay below a probability of 0.9", text)
        self.assertNotIn("What each would need, alone", text)

    def test_same_bytes_for_any_number_of_threads(self):
        plans = []
        for name, threads in (("a", 1), ("b", 3)):
            path = self.folder / name
            self.done(*TURNS, "--set", "fleet.devices=20000", "-o", path, "--threads", threads)
            plans.append(path.read_bytes())
        self.assertEqual(plans[0], plans[1])

    def test_options_of_the_strategy_are_those_of_the_plan(self):
        base = self.json(*TURNS)
        for key in ("fairness=0", "energy_price=0.1", "data_exponent=1", "participants=4", "floor=0.9"):
            there = self.json(*TURNS, "--set", "data.dataset=digits", "--set", f"strategy.airtime.{key}")
            self.assertNotEqual(there["expected_participants"], base["expected_participants"], key)
        counted = self.json(*TURNS, "--set", "round.count_compute_time=true")["airtime"]
        self.assertEqual((counted["floors"], counted["counts_computation"]), ("computation-counts", True))
        self.assertIn("own bands by the solver literal", self.done(*TURNS, "--solver", "literal"))

    def test_check_certifies_the_plan(self):
        for arguments in (TURNS, BANDS, CIRCUITS, (*TURNS, "--set", "strategy.airtime.fairness=0"),
                          (*TURNS, "--set", "round.time_limit_s=1000"), (*CIRCUITS, "--round", 2)):
            check = self.json(*arguments, "--check")["check"]
            self.assertLess(check["largest_violation"], 1e-12, arguments)
            self.assertLess(check["gap"], 1e-11, arguments)
        self.assertIn("gap to the optimum of all devices", self.done(*TURNS, "--check"))

    def test_report_shows_the_airtime_plan(self):
        page = self.folder / "plan.html"
        for arguments, way in ((TURNS, "in turns, each in the whole band"), (BANDS, "at the same time, in bands that end together")):
            self.done(*arguments, "--report", page)
            text = page.read_text()
            self.assertIn("Airtime plan: ", text)
            self.assertIn("This is a plan of the round&#39;s airtime: those who are drawn send " + way, text.replace("'", "&#39;"))
            self.assertNotIn("slowest participant", text)
        self.done("plan", "float32-cell", "--airtime", "--report", page)
        self.assertIn("--set round.airtime=true", page.read_text())

    def test_report_has_what_the_terminal_has(self):
        page = self.folder / "plan.html"
        for arguments in (TURNS, BANDS, CIRCUITS):
            printed = self.done(*arguments, "--check", "--report", page)
            text = html.unescape(page.read_text())
            for part in ("How those who are drawn take part", "What limits", "Beside the plan of own bands", "Checked by an independent route"):
                self.assertIn(part, printed)
            # Each line between these headings is a row of the page; those without two columns are a remark below it.
            for heading in ("How those who are drawn take part\n", "Beside the plan of own bands\n"):
                for line in printed.split(heading)[1].split("\n\n")[0].splitlines():
                    if not re.match(r"  \S.{12} \S", line):
                        self.assertIn(line.strip(), text)
                        continue
                    name, value = line[2:16].strip(), line[16:]
                    self.assertIn(f'<th scope="row">{name}</th><td>{value}', text)
            for name in ("longest upload", "a second", "largest violation of a constraint", "gap to the optimum of all devices"):
                self.assertIn(f'<th scope="row">{name}</th>', text)
            self.assertEqual("limited by" in printed, '<th scope="row">limited by</th>' in text)
            self.assertEqual("  time limit    " in printed, '<th scope="row">the time limit</th>' in text)

    def test_more_participants_than_budgets_pay_for(self):
        # Computation takes nearly all of the energy, so that the budgets pay for half and for a quarter of the rounds.
        fleet = self.write("fleet.csv", "distance_m,compute_energy_j,energy_budget_j\n10,1,0.5\n10,1,0.25\n")
        arguments = (*TURNS, "--fleet", fleet, "--set", "strategy.airtime.participants=5")
        summary = self.json(*arguments)["airtime"]
        self.assertEqual((summary["goal"], summary["goal_participants"]), ("time", 5))
        self.assertAlmostEqual(summary["payable_participants"], 0.75, places=6)
        self.assertIn("as the budgets pay for at most 0.75 of the 5 participants wanted\n", self.done(*arguments))
        self.assertIsNone(self.json(*TURNS, "--fleet", fleet, "--set", "strategy.airtime.participants=0.7")["airtime"]["payable_participants"])

    def test_says_what_a_run_does_beside_the_plan(self):
        self.assertEqual(self.json(*TURNS)["airtime"]["notes"], [])
        page = self.folder / "plan.html"
        summary = self.json(*TURNS, "--set", "round.empty=redraw", "--set", "radio.after_draw=equal", "--report", page)
        after_draw, empty = summary["airtime"]["notes"]
        self.assertIn("radio.after_draw = equal: ", after_draw)
        self.assertIn(f"{summary['expected_participants'] / (1 - summary['probability_empty_round']):.4g} participants", empty)
        self.assertIn(html.escape(empty), page.read_text())
        waits = self.json(*TURNS, "--set", "round.empty=wait")
        self.assertIn(f"adds {0.08 * waits['probability_empty_round']:.4g} s", waits["airtime"]["notes"][0])
        self.assertIn("What a run does beside it\n  round.empty = wait: ", self.done(*TURNS, "--set", "round.empty=wait"))
        fair = (*TURNS, "--set", "strategy.airtime.fairness=11")
        self.assertEqual(self.json(*fair)["airtime"]["notes"], [])
        self.assertIn("strategy.airtime.fairness = 11: above 10 ",
                      self.json(*fair, "--set", "strategy.airtime.participants=1")["airtime"]["notes"][0])

    def test_runs_refuse_what_plans_refuse(self):
        keys = ("--set", "data.dataset=digits", "--set", "rounds=1", "--quiet", "-o", self.folder / "out")
        self.fails("radio.sharing = shared: an airtime plan leaves the whole band to those who are drawn; set it to equal, or choose another "
                   "strategy", "train", "float32-cell", "--strategy", "airtime", "--set", "radio.sharing=shared", *keys)
        self.fails("round.time_rule = deadline: an airtime plan bounds the time of the mean round; set it to expected, or choose another "
                   "strategy", "train", "float32-cell", "--strategy", "airtime", "--set", "round.time_rule=deadline", *keys)

    def test_what_cannot_be_planned(self):
        self.fails("radio.sharing = shared: an airtime plan leaves the whole band to those who are drawn; set it to equal, or leave "
                   "--airtime (round.airtime) out",
                   *TURNS, "--bandwidth", "shared")
        self.fails("round.time_rule = deadline: an airtime plan bounds the time of the mean round; set it to expected, or leave --airtime "
                   "(round.airtime) out",
                   *TURNS, "--set", "round.time_rule=deadline")
        self.fails("--set strategy.airtime.fairness=101: must be <= 100", *TURNS, "--set", "strategy.airtime.fairness=101")
        self.fails("strategy.airtime.participants = 1e-200: must be > 0 and finite", *TURNS, "--set", "strategy.airtime.participants=1e-200")
        self.fails("strategy.airtime.energy_price: makes a value that no plan takes: device 1: energy_price_s_per_j = 1e-60: must be 0 or "
                   "1e-40 to 1e+40", *TURNS, "--set", "strategy.airtime.energy_price=1e-60")
        fleet = self.write("fleet.csv", "distance_m,compute_energy_j\n100,1\n")
        self.fails("books.compute_time = true: the fleet gives compute_energy_j but no computation time; add a column compute_time_s",
                   *TURNS, "--fleet", fleet, "--set", "books.compute_time=true")
        nobody = self.done(*TURNS, "--set", "fleet.energy_budget_j=0")
        self.assertIn("participants  0 (sd 0)", nobody)
        self.assertNotIn("1 % more", nobody)


if __name__ == "__main__":
    unittest.main()
