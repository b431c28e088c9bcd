"""Radios with steps, from the outside: plans are what trying every level and every row of the table finds."""
import math
import random
import unittest

from program import ProgramTest

# The SNR in decibels from which on a row is reached, and its bit/s/Hz.
OWN_TABLE = ((-5, 0.2), (0.5, 0.7), (6, 1.5), (12, 3), (19, 4.5))
# LTE's CQI indices, as docs/radios.md has them.
CQI = tuple(zip((-6.7, -4.7, -2.3, 0.2, 2.4, 4.3, 5.9, 8.1, 10.3, 11.7, 14.1, 16.3, 18.7, 21.0, 22.7),
                (0.1523, 0.2344, 0.3770, 0.6016, 0.8770, 1.1758, 1.4766, 1.9141, 2.4063, 2.7305, 3.3223, 3.9023, 4.5234,
                 5.1152, 5.5547), strict=True))
# These are values of the scenario `fleet`, for 60 devices.
DEVICES, TOTAL_BAND_HZ, UPDATE_BITS, AMPLIFIER_EFFICIENCY, CIRCUIT_POWER_W = 60, 1e7, 40000 * 32, 0.4, 0.1
CAP = 2.4063  # bit/s/Hz, without a table
COMPUTE_ENERGY_J = 7.5e-27 * 2e8 ** 2 * 1e7 * 500
NOISE_W = 10 ** ((-174 + 5 - 30) / 10) * TOTAL_BAND_HZ / DEVICES
GAP = 10 ** 0.3  # to Shannon's formula, without a table
ROUNDING = 1e-9  # Levels and rows are met but for rounding.


def fleet():
    """Draws devices, of which some are full, some short of energy, of power or of rate, and some out of reach."""
    draw = random.Random(3)
    return [{"id": f"d{i}", "path_loss_db": draw.uniform(95, 160), "max_power_w": draw.choice((0.05, 0.1, 0.23)),
             "energy_budget_j": 10 ** draw.uniform(-1, 1.5)} for i in range(DEVICES)]


class Radio:
    """A radio, as a scenario has it and as it is tried here."""

    def __init__(self, *, levels_w=None, step_db=None, min_power_w=0, table=None, name=None):
        self.levels_w, self.step_db, self.min_power_w, self.table, self.name = levels_w, step_db, min_power_w, table, name

    def settings(self):
        values = {"power_levels_w": self.levels_w and list(self.levels_w), "power_step_db": self.step_db,
                  "min_power_w": self.min_power_w or None,
                  "mcs": self.name or (self.table and [list(row) for row in self.table])}
        return [part for key, value in values.items() if value for part in ("--set", f"radio.{key}={value}")]

    def powers_w(self, device):
        """Returns all levels of a device; without levels, those that reach a row exactly, and a grid between them."""
        largest_w = device["max_power_w"]
        if self.levels_w:
            return [level_w for level_w in self.levels_w if level_w <= largest_w]
        if self.step_db:
            steps = math.floor(10 * math.log10(largest_w / self.min_power_w) / self.step_db + ROUNDING)
            return [largest_w / 10 ** (k * self.step_db / 10) for k in range(steps + 1)]
        least_w = max(self.min_power_w, 1e-9)
        powers_w = [10 ** (snr_db / 10) * noise_to_gain_w(device, 1) for snr_db, _ in self.table]
        powers_w += [least_w * (largest_w / least_w) ** (k / 500) for k in range(501)]
        return [power_w for power_w in powers_w if least_w <= power_w <= largest_w]

    def row(self, device, power_w):
        """Returns which row of the table a power reaches, counted from 1; 0 is none."""
        snr = power_w / noise_to_gain_w(device, 1)  # The table has the losses of real codes: there is no gap.
        return sum(snr >= 10 ** (snr_db / 10) * (1 - ROUNDING) for snr_db, _ in self.table)

    def rate_bps(self, device, power_w):
        band_hz = TOTAL_BAND_HZ / DEVICES
        if not self.table:
            return band_hz * min(math.log2(1 + power_w / noise_to_gain_w(device, GAP)), CAP)
        row = self.row(device, power_w)
        return band_hz * self.table[row - 1][1] if row else 0


def noise_to_gain_w(device, gap):
    return NOISE_W * gap * 10 ** (device["path_loss_db"] / 10)


def tried(radio, device, power_w, rule, limit_s):
    """Returns how often a device may take part at a power, and what it takes each time."""
    rate_bps = radio.rate_bps(device, power_w)
    if not rate_bps:
        return 0, math.inf
    upload_s = UPDATE_BITS / rate_bps
    energy_j = (power_w / AMPLIFIER_EFFICIENCY + CIRCUIT_POWER_W) * upload_s + COMPUTE_ENERGY_J
    in_time = limit_s / upload_s if rule == "expected" else float(upload_s <= limit_s)
    return min(1, in_time, device["energy_budget_j"] / energy_j), energy_j


class Radios(ProgramTest):
    def check(self, radio, rule="deadline", limit_s=600):
        """Plans the fleet, and compares every device and every count with what all levels give; returns the counts."""
        devices, plan = fleet(), self.folder / "plan.csv"
        file = self.write("fleet.csv", ",".join(devices[0]) + "\n" + "".join(
            ",".join(map(str, device.values())) + "\n" for device in devices))
        summary = self.json("plan", "--fleet", file, *radio.settings(), "--set", "radio.receive_power_w=0",
                            "--set", f"round.time_rule={rule}", "--set", f"round.time_limit_s={limit_s}", "--check",
                            "-o", plan)
        self.assertLess(summary["check"]["largest_gap"], 1e-11)
        rows = self.rows(plan)
        for device, row in zip(devices, rows, strict=True):
            with self.subTest(radio=vars(radio), rule=rule, device=device, row=row):
                self.check_device(radio, device, row, rule, limit_s)
        sending = [(device, row) for device, row in zip(devices, rows) if float(row["probability"]) > 0]
        self.assertAlmostEqual(summary["expected_participants"], sum(float(row["probability"]) for row in rows), places=9)
        counts = summary["radio"]
        self.check_counts(radio, sending, counts)
        unheard = [device for device in devices
                   if radio.rate_bps(device, max(radio.powers_w(device), default=0)) == 0]
        self.assertEqual(counts["out_of_reach"], len(unheard))
        self.assertGreater(len({row["limit"] for row in rows}), 2)
        return counts

    def check_device(self, radio, device, row, rule, limit_s):
        tries = {power_w: tried(radio, device, power_w, rule, limit_s) for power_w in radio.powers_w(device)}
        best = max((probability for probability, _ in tries.values()), default=0)
        probability, power_w = float(row["probability"]), float(row["power_w"])
        self.assertAlmostEqual(probability, best, delta=ROUNDING * best)
        if best == 0:
            self.assertEqual([float(row[name]) for name in ("power_w", "rate_bps", "upload_s", "energy_j")], [0] * 4)
            self.assertIn(row.get("mcs_row"), (None, "0"))
            return
        nearest_w = min(tries, key=lambda level_w: abs(level_w - power_w))
        self.assertAlmostEqual(power_w, nearest_w, delta=ROUNDING * nearest_w)
        least_j = min(energy_j for a, energy_j in tries.values() if a >= best * (1 - ROUNDING))
        self.assertAlmostEqual(float(row["energy_j"]), least_j, delta=10 * ROUNDING * least_j)
        rate_bps = radio.rate_bps(device, power_w)
        self.assertAlmostEqual(float(row["rate_bps"]), rate_bps, delta=ROUNDING * rate_bps)
        if radio.table:
            self.assertEqual(int(row["mcs_row"]), radio.row(device, power_w))

    def check_counts(self, radio, sending, counts):
        """Counts levels and rows again, from the plan's powers and rates alone."""
        if radio.table:
            self.assertEqual([(row["row"], row["snr_db"], row["bit_per_s_per_hz"]) for row in counts["mcs"]],
                             [(k, *row) for k, row in enumerate(radio.table, 1)])
            for row in counts["mcs"]:
                rate_bps = row["bit_per_s_per_hz"] * TOTAL_BAND_HZ / DEVICES
                self.assertEqual(row["devices"],
                                 sum(math.isclose(float(planned["rate_bps"]), rate_bps) for _, planned in sending))
            self.assertEqual(sum(row["devices"] for row in counts["mcs"]), len(sending))
        else:
            self.assertEqual(counts["mcs"], [])
        if not (radio.levels_w or radio.step_db):
            self.assertEqual(counts["power_levels"], [])
            self.assertEqual(counts["at_least_power"],
                             sum(math.isclose(float(row["power_w"]), radio.min_power_w) for _, row in sending))
            return
        for level in counts["power_levels"]:
            self.assertEqual(level["devices"], sum(math.isclose(
                float(row["power_w"]),
                level["power_w"] if radio.levels_w else device["max_power_w"] / 10 ** (level["below_max_db"] / 10))
                for device, row in sending))
        self.assertEqual(sum(level["devices"] for level in counts["power_levels"]), len(sending))

    def test_levels_in_steps_and_the_table_cqi(self):
        counts = self.check(Radio(step_db=1, min_power_w=1e-5, table=CQI, name="cqi"))
        self.assertGreater(sum(level["devices"] > 0 for level in counts["power_levels"]), 10)
        self.assertGreater(sum(row["devices"] > 0 for row in counts["mcs"]), 5)
        self.assertGreater(counts["out_of_reach"], 3)
        self.check(Radio(step_db=2.5, min_power_w=1e-5, table=CQI, name="cqi"), "expected", 8)

    def test_a_list_of_levels_and_an_own_table(self):
        levels_w = (1e-4, 0.002, 0.01, 0.04, 0.1, 0.2)
        self.check(Radio(levels_w=levels_w, table=OWN_TABLE))
        self.check(Radio(levels_w=levels_w, table=OWN_TABLE), "expected", 8)

    def test_levels_at_the_rates_of_shannon(self):
        self.check(Radio(levels_w=(1e-4, 0.002, 0.01, 0.04, 0.1, 0.2)), "expected", 8)
        self.check(Radio(step_db=3, min_power_w=1e-4), "expected", 8)

    def test_a_table_and_a_least_power(self):
        """Any power is allowed, and those are best that reach a row exactly: no other of a fine grid is better."""
        self.check(Radio(table=CQI, name="cqi"))
        counts = self.check(Radio(min_power_w=0.02, table=OWN_TABLE), "expected", 8)
        self.assertGreater(counts["at_least_power"], 0)


if __name__ == "__main__":
    unittest.main()
