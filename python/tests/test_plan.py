"""Plans in Python: the same numbers as the program's, no copies, and errors instead of crashes."""
import csv
import gc
import math
import os
import pathlib
import subprocess
import tempfile
import threading
import time
import unittest

import numpy as np

import airlot

COLUMNS = dict(noise_to_gain_w=1e-6, energy_budget_j=0.01, max_power_w=0.2, time_limit_s=0.5, update_bits=1e6,
               bandwidth_hz=1e5)


def fleet(devices, seed=1):
    draw = np.random.default_rng(seed)
    return {**COLUMNS, "noise_to_gain_w": 10**draw.uniform(-8, -4, devices),
            "energy_budget_j": 10**draw.uniform(-3, 0, devices)}


def best(g, budget, power, limit, bits, band):
    """Returns the largest probability over a grid of powers: an independent, slow route."""
    powers = power * np.geomspace(1e-9, 1, 200001)
    time = bits * math.log(2) / band / np.log1p(powers / g)
    return min(1.0, float(np.max(np.minimum(budget / (powers * time), limit / time))))


class Solving(unittest.TestCase):
    def test_is_the_optimum(self):
        columns = fleet(20)
        plan = airlot.plan(**columns)
        for device in range(20):
            expected = best(columns["noise_to_gain_w"][device], columns["energy_budget_j"][device], 0.2, 0.5, 1e6, 1e5)
            self.assertAlmostEqual(plan.probability[device], expected, delta=2e-4)
        self.assertTrue(plan.check().keeps_constraints)
        self.assertLess(plan.check().largest_gap, 1e-9)

    def test_means_are_those_of_the_devices(self):
        plan = airlot.plan(**fleet(50))
        self.assertAlmostEqual(plan.expect().participants, plan.probability.sum(), places=9)
        self.assertAlmostEqual(plan.expect().round_energy_j, float(plan.probability @ plan.energy_j), places=9)
        self.assertEqual(sum(plan.expect().devices_by_limit.values()), 50)
        self.assertEqual(plan.expect().devices_by_limit["energy"], plan.limit.count("energy"))

    def test_every_kind_keeps_its_constraints(self):
        columns = fleet(50)
        for kind in (dict(airtime=True), dict(airtime=airlot.Airtime(fairness=2, sharing="turns")),
                     dict(share_band=True), dict(block_hz=1e4), dict(solver="bisection"), dict(solver="alternating"),
                     dict(time_weight=1.0), dict(power_step_db=3.0, min_power_w=1e-4),
                     dict(power_levels_w=[0.01, 0.1]), dict(mcs=[(-10, 0.1), (0, 0.5), (10, 2)]),
                     dict(time_rule="deadline"), dict(compute_energy_j=1e-4, compute="always"),
                     dict(noise_grows_with_band=True, airtime=True), dict(snr_gap_db=3.0, circuit_power_w=0.01)):
            with self.subTest(kind=kind):
                plan = airlot.plan(**columns, **kind)
                self.assertTrue(plan.check().keeps_constraints, plan.check())
                self.assertTrue(np.all((plan.probability >= 0) & (plan.probability <= 1)))
                plan.levers(), plan.floor(0.5)._repr_html_(), plan._repr_html_()

    def test_the_papers_algorithm_word_for_word(self):
        plan = airlot.plan(**fleet(50), solver="literal")
        self.assertTrue(np.all((plan.probability >= 0) & (plan.probability <= 1)))
        self.assertTrue(np.all(plan.power_w <= 0.2))

    def test_levers_are_differences(self):
        columns = fleet(200)
        levers = airlot.plan(**columns).levers()
        more = airlot.plan(**{**columns, "energy_budget_j": columns["energy_budget_j"] * 1.00001})
        gained = (more.probability - airlot.plan(**columns).probability).sum() / 0.001
        self.assertAlmostEqual(levers.energy_budget, gained, delta=0.01 * gained)

    def test_a_floor_says_what_is_needed(self):
        columns = fleet(100)
        floor = airlot.plan(**columns).floor(0.5)
        self.assertGreater(floor.rows, 0)
        device = int(floor["device"][0])
        budget = np.array(columns["energy_budget_j"])
        budget[device] = floor["energy_budget_needed_j"][0]
        if np.isfinite(budget[device]):
            plan = airlot.plan(**{**columns, "energy_budget_j": budget})
            self.assertAlmostEqual(plan.probability[device], 0.5, places=6)

    def test_draws_follow_the_probabilities(self):
        plan = airlot.plan(**fleet(30))
        counts = np.zeros(30)
        for number in range(1, 2001):
            counts[plan.draw(number)] += 1
        deviation = np.sqrt(2000 * plan.probability * (1 - plan.probability)) + 1e-9
        self.assertTrue(np.all(np.abs(counts - 2000 * plan.probability) < 5 * deviation + 1e-6))
        np.testing.assert_array_equal(plan.draw(7, seed=3), plan.draw(7, seed=3))


class FromFiles(unittest.TestCase):
    @unittest.skipUnless("AIRLOT" in os.environ, "AIRLOT names the program")
    def test_scenarios_and_fleets_are_planned_as_by_the_program(self):
        root = pathlib.Path(__file__).resolve().parents[2]
        example = root / "scenarios" / "sensors-example.csv"
        with tempfile.TemporaryDirectory() as folder:
            for name, options, plan in (
                    ("scenario", ["float32-cell", "--seed", "3"], airlot.plan("float32-cell", seed=3)),
                    ("airtime", ["float32-cell", "--airtime"], airlot.plan("float32-cell", airtime=True)),
                    ("round", ["urban-cell", "--round", "4"], airlot.plan("urban-cell", round=4)),
                    ("fleet", ["--fleet", str(example)], airlot.plan(fleet=example))):
                with self.subTest(name):
                    theirs, ours = f"{folder}/{name}.csv", f"{folder}/{name}-python.csv"
                    subprocess.run([os.environ["AIRLOT"], "plan", *options, "-o", theirs], check=True,
                                   capture_output=True)
                    plan.to_csv(ours)
                    self.assertEqual(pathlib.Path(ours).read_bytes(), pathlib.Path(theirs).read_bytes())

    def test_files_of_arrays(self):
        with tempfile.TemporaryDirectory() as folder:
            for kind in ({}, dict(airtime=True), dict(share_band=True)):
                plan = airlot.plan(**fleet(10), **kind)
                plan.to_csv(f"{folder}/plan.csv")
                with open(f"{folder}/plan.csv", newline="") as file:
                    rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
                self.assertEqual([float(row["probability"]) for row in rows], plan.probability.tolist())
                plan.report(f"{folder}/plan.html")
                self.assertIn("</html>", pathlib.Path(f"{folder}/plan.html").read_text())
            with self.assertRaisesRegex(airlot.Error, "/nowhere/"):
                plan.to_csv("/nowhere/plan.csv")


class Arrays(unittest.TestCase):
    def test_arrays_are_read_where_they_are(self):
        columns = fleet(1000)
        before = [column.copy() for column in (columns["noise_to_gain_w"], columns["energy_budget_j"])]
        plan = airlot.plan(**columns)
        np.testing.assert_array_equal(columns["noise_to_gain_w"], before[0])
        self.assertFalse(plan.probability.flags.owndata)
        self.assertFalse(plan.probability.flags.writeable)
        self.assertIs(plan.probability.base, plan._core)
        probability = plan.probability
        expected = probability.copy()
        del plan
        gc.collect()
        np.testing.assert_array_equal(probability, expected)  # The array keeps what it looks at.

    def test_no_copy_is_made_of_a_million_devices(self):
        columns = fleet(10**6)
        import resource
        airlot.plan(**columns)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        plans = [airlot.plan(**columns) for _ in range(4)]
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        self.assertLess(grown, 4 * 16 * 1.2 * 1000, "kB")  # two columns of 8 MB for each plan, and no more
        self.assertEqual(len(plans), 4)

    def test_other_arrays_give_the_same_plan(self):
        columns = fleet(40)
        expected = airlot.plan(**columns).probability
        gain = columns["noise_to_gain_w"]
        spread = np.zeros(80)
        spread[::2] = gain
        locked = gain.copy()
        locked.flags.writeable = False
        for name, array in (("list", gain.tolist()), ("strided", spread[::2]), ("read-only", locked),
                            ("big-endian", gain.astype(">f8")), ("reversed", gain[::-1].copy()[::-1]),
                            ("float128", gain.astype(np.longdouble)),
                            ("unaligned", np.frombuffer(b"x" + gain.tobytes(), dtype=np.uint8)[1:].view(np.float64))):
            with self.subTest(name):
                np.testing.assert_array_equal(airlot.plan(**{**columns, "noise_to_gain_w": array}).probability, expected)
        whole = airlot.plan(**{**columns, "update_bits": np.full(40, 1000000)})
        np.testing.assert_array_equal(whole.probability, expected)

    def test_wrong_arrays(self):
        for name, value, message in (
                ("noise_to_gain_w", np.ones((2, 2)), r"noise_to_gain_w: has the shape \(2, 2\)"),
                ("noise_to_gain_w", np.zeros(0), "noise_to_gain_w: is empty"),
                ("noise_to_gain_w", np.array([1e-6, np.nan]), "noise_to_gain_w"),
                ("noise_to_gain_w", np.array(["a", "b"]), "noise_to_gain_w: must be real numbers"),
                ("noise_to_gain_w", np.array([1j]), "noise_to_gain_w: must be real numbers"),
                ("noise_to_gain_w", np.array([True]), "noise_to_gain_w: must be real numbers"),
                ("noise_to_gain_w", [[1], [2, 3]], "noise_to_gain_w: must be"),
                ("noise_to_gain_w", object(), "noise_to_gain_w: must be"),
                ("noise_to_gain_w", "1e-6", "noise_to_gain_w: must be"),
                ("noise_to_gain_w", -1.0, "noise_to_gain_w"),
                ("noise_to_gain_w", np.inf, "noise_to_gain_w"),
                ("energy_budget_j", -1.0, "energy_budget_j"),
                ("update_bits", 0.0, "update_bits = 0.0: must be finite and > 0"),
                ("bandwidth_hz", [1e5, 0], r"bandwidth_hz\[1\] = 0.0"),
                ("bandwidth_hz", [1e5, np.inf], r"bandwidth_hz\[1\] = inf"),
                ("update_bits", [1e6, np.nan], r"update_bits\[1\] = nan"),
                ("solver", "magic", 'solver = "magic": must be one of exact'),
                ("time_rule", "never", 'time_rule = "never"'),
                ("threads", 0, "threads"),
                ("snr_gap_db", -3.0, "snr_gap"),
                ("power_levels_w", [0.2, 0.1], "power_levels_w"),
                ("mcs", [(0, 1, 2)], "mcs: a row has two numbers"),
                ("amplifier_efficiency", 0.0, "amplifier_efficiency"),
                ("airtime", airlot.Airtime(fairness=-1), "fairness"),
                ("airtime", airlot.Airtime(sharing="soon"), 'sharing = "soon"'),
                ("block_hz", 1e-9, "block_hz")):
            with self.subTest(name=name, value=str(value)):
                with self.assertRaisesRegex(airlot.Error, message):
                    airlot.plan(**{**COLUMNS, name: value})
        for samples in ([1.0, 1.0], [1.0, 0.0], 0.0):  # The time of a device without samples does not show it.
            for wrong in (dict(bandwidth_hz=[1e5, -1e5], update_bits=[1e6, -1e6]), dict(bandwidth_hz=[1e5, np.nan])):
                with self.assertRaisesRegex(airlot.Error, r"bandwidth_hz\[1\] = (-100000.0|nan): must be finite and > 0"):
                    airlot.plan(**{**COLUMNS, **wrong, "samples": samples})
        with self.assertRaisesRegex(airlot.Error, r"bandwidth_hz = -100000.0: must be finite and > 0"):
            airlot.plan(**{**COLUMNS, "bandwidth_hz": -1e5, "update_bits": -1e6})
        with self.assertRaisesRegex(airlot.Error, "energy_budget_j: has 3 values, and noise_to_gain_w has 2"):
            airlot.plan(**{**COLUMNS, "noise_to_gain_w": [1e-6] * 2, "energy_budget_j": [1.0] * 3})
        with self.assertRaisesRegex(airlot.Error, "missing: max_power_w"):
            airlot.plan(**{**COLUMNS, "max_power_w": None})
        with self.assertRaisesRegex(airlot.Error, "a scenario or a fleet file says this"):
            airlot.plan("float32-cell", max_power_w=1.0)
        for wrong in (dict(solver="bisection"), dict(mcs=[(0, 1)]), dict(share_band=True), dict(samples=[1.0])):
            with self.assertRaisesRegex(airlot.Error, f"{list(wrong)[0]}: a scenario or a fleet file says this"):
                airlot.plan("float32-cell", **wrong)
        with self.assertRaisesRegex(airlot.Error, "threads = 0"):
            airlot.plan("float32-cell", threads=0)
        for wrong in (dict(share_band=True), dict(time_rule="deadline")):
            with self.assertRaisesRegex(airlot.Error, "airtime: those who are drawn share the whole band"):
                airlot.plan(**COLUMNS, airtime=True, **wrong)
        with self.assertRaisesRegex(airlot.Error, "is a masked array"):
            airlot.plan(**{**COLUMNS, "noise_to_gain_w": np.ma.array([1e-6, 1e-5], mask=[0, 1])})
        with self.assertRaisesRegex(airlot.Error, "round = 3: all rounds have the same plan"):
            airlot.plan("float32-cell", round=3)
        with self.assertRaisesRegex(airlot.Error, "min_probability"):
            airlot.plan(**COLUMNS).floor(2)

    def test_threads_of_python_plan_at_once(self):
        columns, found = fleet(20000), []
        expected = airlot.plan(**columns).probability
        threads = [threading.Thread(target=lambda: found.append(airlot.plan(**columns).probability)) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(found), 8)
        for probability in found:
            np.testing.assert_array_equal(probability, expected)

    def test_other_threads_run_meanwhile(self):
        columns, moments, ends = fleet(10**6), [], threading.Event()

        def note():
            while not ends.is_set():
                moments.append(time.perf_counter())

        thread = threading.Thread(target=note)
        thread.start()
        try:
            for _ in range(200):  # The other thread need not get a processor during one plan.
                begun = time.perf_counter()
                airlot.plan(**columns)
                middle, quarter = (begun + time.perf_counter()) / 2, (time.perf_counter() - begun) / 4
                if any(abs(moment - middle) < quarter for moment in moments):
                    break
                moments.clear()
            else:
                self.fail("nobody else ran in the middle of a plan")
        finally:
            ends.set()
            thread.join()

    def test_nothing_leaks(self):
        def memory():
            with open("/proc/self/statm") as file:
                return int(file.read().split()[1]) * 4096

        columns = fleet(2000)

        def work():
            for _ in range(200):
                plan = airlot.plan(**columns)
                plan.describe = plan.table(), plan.floor(0.5), plan.draw(1)
                try:
                    airlot.plan(**{**columns, "solver": "magic"})
                except airlot.Error:
                    pass
            gc.collect()

        work()
        before = memory()
        for _ in range(5):
            work()
        self.assertLess(memory() - before, 20e6)  # A plan of these is 0.1 MB: 1000 of them would be 100 MB.

    def test_a_fork_goes_on(self):
        airlot.plan(**COLUMNS, threads=2)
        child = os.fork()
        if child == 0:
            try:
                airlot.plan(**fleet(50000), threads=2)
                os._exit(0)
            except BaseException:
                os._exit(1)
        self.assertEqual(os.waitpid(child, 0)[1], 0)


class Tables(unittest.TestCase):
    def test_pandas(self):
        frame = airlot.plan(**fleet(5)).to_pandas()
        self.assertEqual(list(frame.columns)[:3], ["id", "probability", "power_w"])
        self.assertEqual(len(frame), 5)

    def test_arrow_streams_are_released_whoever_reads_them(self):
        table = airlot.plan(**fleet(5)).table()
        for _ in range(100):
            self.assertIn("arrow_array_stream", repr(table.__arrow_c_stream__()))
            self.assertIn("arrow_schema", repr(table.__arrow_c_schema__()))
        with self.assertRaises(airlot.Error):
            airlot.Table({"a": np.zeros(2), "b": np.zeros(3)})
        with self.assertRaisesRegex(airlot.Error, "cannot be handed to Arrow"):
            airlot.Table({"a": np.zeros(2, dtype=complex)}).__arrow_c_stream__()


if __name__ == "__main__":
    unittest.main()
