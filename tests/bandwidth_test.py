"""Tests airlot plan --bandwidth from the outside: against values that SciPy found, and with bad input."""
import json
import unittest
from pathlib import Path

from program import PLAN, ProgramTest, airlot

# tools/check_band_split.py --write has written this file.
CASES = json.loads((Path(__file__).parent / "data/band_split.json").read_text())


class Bandwidth(ProgramTest):
    def plan(self, case, *arguments):
        names = list(case["devices"][0])
        rows = [",".join(repr(device[name]) for name in names) for device in case["devices"]]
        fleet = self.write("fleet.csv", "\n".join([",".join(names), *rows]) + "\n")
        settings = [part for key, value in case["settings"].items()
                    for part in ("--set", f"{key}={value}")]
        result = airlot(*PLAN, "float32-cell", "--fleet", fleet, *settings, *arguments, "--check", "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(result.stderr, "^(note: nobody can take part; .*\n)?$")
        return json.loads(result.stdout)

    def test_scipy_finds_no_more(self):
        self.assertGreater(len(CASES), 20)
        for number, case in enumerate(CASES):
            with self.subTest(number):
                summary = self.plan(case, "--bandwidth", "shared")
                band, check = summary["bandwidth"], summary["check"]
                self.assertGreaterEqual(band["value"], case["scipy_value"] * (1 - 1e-6))
                self.assertLessEqual(case["scipy_value"], band["bound"] * (1 + 1e-9))
                self.assertGreaterEqual(band["value"], band["equal_value"])
                self.assertLessEqual(check["largest_violation"], 1e-12)
                self.assertLessEqual(check["bandwidth_excess"], 1e-12)
                self.assertLessEqual(check["bandwidth_gap"], 1e-9)

    def test_no_other_blocks_give_more(self):
        for number, case in enumerate(CASES):
            with self.subTest(number):
                band = self.plan(case, "--bandwidth", "blocks", "--set",
                                 f"radio.block_hz={case['block_hz']!r}")["bandwidth"]
                self.assertAlmostEqual(band["value"], case["best_blocks_value"],
                                       delta=1e-9 * case["best_blocks_value"])

    def test_the_plan_file_has_the_bands(self):
        plan_file = self.folder / "plan.csv"
        summary = self.json(*PLAN, "--bandwidth", "blocks", "--set", "radio.block_hz=1e6", "-o",
                            plan_file)
        rows = self.rows(plan_file)
        self.assertEqual(list(rows[0])[-2:], ["limit", "bandwidth_hz"])
        bands = [float(row["bandwidth_hz"]) for row in rows]
        self.assertEqual(sum(bands), 1e7)
        self.assertEqual(set(band % 1e6 for band in bands), {0})
        self.assertEqual(summary["bandwidth"]["devices_with_band"], sum(band > 0 for band in bands))
        for row, band in zip(rows, bands):
            self.assertEqual(row["limit"] == "band", band == 0)
            self.assertEqual(float(row["probability"]) > 0, band > 0)
        self.assertEqual(summary["limits"]["band"], bands.count(0))

    def test_the_summary_says_what_it_gains(self):
        text = self.done(*PLAN, "--bandwidth", "shared", "--check")
        for part in ("The band is split as is best for the plan", "against the equal split",
                     "gap to the best split"):
            self.assertIn(part, text)
        self.assertEqual(self.json(*PLAN)["bandwidth"], {"sharing": "equal"})
        self.assertNotIn("The band is split", self.done(*PLAN, "--bandwidth", "equal"))

    def test_a_radio_with_circuits(self):
        plan = self.json("plan", "urban-cell", "--set", "data.dataset=digits", "--bandwidth",
                         "shared", "--check")
        self.assertGreater(plan["bandwidth"]["gain"], 0.5)
        self.assertLess(plan["check"]["bandwidth_gap"], 1e-9)
        self.assertLessEqual(plan["check"]["largest_violation"], 1e-12)

    def test_a_saved_fleet_gives_the_same_split(self):
        saved, first, second = (self.folder / name for name in ("fleet.csv", "1.csv", "2.csv"))
        # Devices have different numbers of samples, which are the weights.
        shared = ("plan", "float32-cell", "--set", "data.dataset=digits", "--bandwidth", "shared")
        summary = self.json(*shared, "--save-fleet", saved, "-o", first)
        again = self.json(*shared, "--fleet", saved, "-o", second)
        self.assertGreater(len({row["samples"] for row in self.rows(saved)}), 10)
        self.assertAlmostEqual(again["bandwidth"]["value"], summary["bandwidth"]["value"], places=6)
        for one, other in zip(self.rows(first), self.rows(second)):
            self.assertAlmostEqual(float(one["bandwidth_hz"]), float(other["bandwidth_hz"]), delta=1)

    def test_what_cannot_stand_beside_a_split_is_named(self):
        for setting, key, value in (
                ("round.time_rule=deadline", "round.time_rule = deadline", "expected"),
                ("round.count_compute_time=true", "round.count_compute_time = true", "false")):
            self.fails(f"{key}: cannot stand beside a shared band: set it to {value}; or set "
                       "radio.sharing to equal",
                       *PLAN, "--bandwidth", "shared", "--set", setting)
        self.fails("radio.block_hz = 2e+07: must be 0.1 to 1e+07, the whole band",
                   *PLAN, "--bandwidth", "blocks", "--set", "radio.block_hz=2e7")


if __name__ == "__main__":
    unittest.main()
