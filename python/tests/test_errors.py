"""Whatever is wrong with an argument is said in the words of Python, and nothing ends the process."""
import os
import pathlib
import pickle
import re
import shutil
import tempfile
import unittest

import numpy as np

import airlot
from test_runs import DATA, TWENTY_EACH, Quadratic, small

ROOT = pathlib.Path(__file__).resolve().parents[2]
COLUMNS = dict(noise_to_gain_w=1e-6, energy_budget_j=0.01, max_power_w=0.2, time_limit_s=0.5, update_bits=1e6,
               bandwidth_hz=1e5)
# What pybind11 and C++ say, and the command line.
FOREIGN = re.compile(r"incompatible|Unable to cast|std::|--\w+|_core|NoneType' object|object has no attribute")


def select_once(look):
    """Runs one round of a strategy whose select is `look`."""
    strategy = type("Looking", (airlot.Strategy,), {"name": "looking-at", "select": lambda self, view: look(view)})
    airlot.train(small(rounds=1), strategy, backend=Quadratic, data=DATA, partition=TWENTY_EACH, progress=False)


class Errors(unittest.TestCase):
    def check(self, call, *words):
        """The call fails with airlot.Error, whose text has these words."""
        with self.assertRaises(airlot.Error) as raised:
            call()
        text = str(raised.exception)
        for word in words:
            self.assertIn(word, text)
        self.assertIsNone(FOREIGN.search(text), text)

    def test_plans(self):
        plan = airlot.plan(**COLUMNS)
        many = airlot.plan(**{**COLUMNS, "noise_to_gain_w": [1e-6] * 3})
        for name, value, message in (
                ("threads", "2", "threads: must be a whole number from 1 to 1024, not str"),
                ("threads", 1.5, "threads: must be a whole number from 1 to 1024, not float"),
                ("threads", True, "threads: must be a whole number from 1 to 1024, not bool"),
                ("threads", -5, "threads = -5: must be a whole number from 1 to 1024"),
                ("solver", None, "solver: must be a text, not NoneType"),
                ("time_rule", 3, "time_rule: must be a text, not int"),
                ("airtime", None, "airtime: must be True, False or an airlot.Airtime, not NoneType"),
                ("airtime", 1, "airtime: must be True, False or an airlot.Airtime, not int"),
                ("airtime", airlot.Airtime(sharing=None), "sharing: must be a text, not NoneType"),
                ("airtime", airlot.Airtime(fairness="x"), "fairness: must be a number, not str"),
                ("airtime", airlot.Airtime(floor=2), "floor = 2.0: must be from 0.0 to 1.0"),
                ("block_hz", "x", "block_hz: must be a number, not str"),
                ("block_hz", -1, "block_hz = -1.0: must be"), ("block_hz", float("nan"), "block_hz = nan: must be"),
                ("total_bandwidth_hz", -1.0, "total_bandwidth_hz = -1.0: must be"),
                ("total_bandwidth_hz", [1.0], "total_bandwidth_hz: must be a number, not list"),
                ("noise_to_gain_w", 10**400, "noise_to_gain_w: is too large"),
                ("noise_to_gain_w", None, "missing: noise_to_gain_w"),
                ("noise_to_gain_w", [1e-6, -1.0], "noise_to_gain_w[1] = -1: must be"),
                ("noise_to_gain_w", -1.0, "noise_to_gain_w = -1: must be"),
                ("noise_to_gain_w", {}, "noise_to_gain_w: must be real numbers, not dict"),
                ("mcs", 5, "mcs: must be rows of (snr_db, bit_per_s_per_hz), not int"),
                ("mcs", [5], "mcs[0]"), ("mcs", [], "mcs: is empty"),
                ("mcs", [(0, 1), (-1, 2)], "mcs[1] = (-1.0, 2.0): both must rise"),
                ("mcs", [(0, -1)], "mcs[0] = (0.0, -1.0): must be"),
                ("power_levels_w", 5, "power_levels_w: has the shape ()"),
                ("snr_gap_db", -1, "snr_gap_db = -1.0: must be from 0.0 to 100.0"),
                ("power_step_db", 1e300, "power_step_db = 1e+300: must be from 0.0 to 100.0"),
                ("power_step_db", 1.0, "power_step_db = 1.0: levels in steps need a least power: give min_power_w"),
                ("share_band", 1, "share_band: must be True or False, not int"),
                ("noise_grows_with_band", None, "noise_grows_with_band: must be True or False, not NoneType"),
                ("samples", "x", "samples: must be real numbers, not str"),
                ("seed", 3, "seed: columns are planned as they are"),
                ("round", 3, "round: columns are planned as they are")):
            with self.subTest(name=name, value=str(value)):
                self.check(lambda: airlot.plan(**{**COLUMNS, name: value}), message)
        self.check(lambda: airlot.plan(**COLUMNS, share_band=True, compute_time_s=0.1), "compute_time_s: cannot stand")
        self.check(lambda: airlot.plan(**COLUMNS, airtime=True, mcs=[(0, 1.0)]), "mcs: an airtime plan knows")
        self.check(lambda: airlot.plan("float32-cell", seed=-1), "seed = -1: must be a whole number from 0 on")
        self.check(lambda: airlot.plan("urban-cell", round="x"), "round: must be a whole number from 1 on, not str")
        self.check(lambda: airlot.plan(5), "scenario: must be an airlot.Scenario, the name of one or a path, not int")
        self.check(lambda: airlot.plan(fleet=5), "fleet: must be a path, not int")
        self.check(lambda: plan.draw(-1), "round = -1: must be")
        self.check(lambda: plan.draw(2**64), "round = 18446744073709551616: must be a whole number from 0 to")
        self.check(lambda: plan.draw(1, seed=None), "seed: must be")
        self.check(lambda: plan.floor("x"), "min_probability: must be a number, not str")
        self.check(lambda: many.floor(np.ones(3)), "min_probability: must be one number, not an array")
        self.check(lambda: plan.to_csv(5), "path: must be a path, not int")
        self.check(lambda: plan.to_csv("a\0b.csv"), "path = 'a\\x00b.csv': a path has no character 0")
        self.assertFalse(os.path.exists("a"))

    def test_runs(self):
        for arguments, message in (
                (dict(seeds=[-1]), "seeds[0] = -1: must be a whole number"),
                (dict(seeds=[1.5]), "seeds[0]: must be a whole number from 0 on, not float"),
                (dict(seeds="3"), "seeds: must be how many seeds there are, or which, not str"),
                (dict(seeds=2.0), "seeds: must be how many seeds there are, or which, not float"),
                (dict(seeds=None), "seeds: must be how many"),
                (dict(jobs="x"), "jobs: must be a whole number from 1 to 1024, not str"),
                (dict(jobs=0), "jobs = 0: must be a whole number from 1 to 1024"),
                (dict(resume="x"), "resume: must be True or False, not str"),
                (dict(participants=None), "participants: must be True or False, not NoneType"),
                (dict(checkpoint_every_s=-1), "checkpoint_every_s = -1.0: must be at least 0.0"),
                (dict(checkpoint_every_s=float("nan")), "checkpoint_every_s = nan: must be"),
                (dict(output=5), "output: must be a path, not int"),
                (dict(progress=5), "progress: must be True, False or a function"),
                (dict(strategies=5), "strategies: must be names or classes of airlot.Strategy, not int"),
                (dict(strategies=[Quadratic]), "is neither a name nor a class of airlot.Strategy"),
                (dict(data=5), "data: must be an airlot.Dataset, not int"),
                (dict(backend="x"), "backend: must be a class of airlot.Backend"),
                (dict(backend=Quadratic, data=DATA, partition=5), "partition: must be the samples of each device"),
                (dict(backend=Quadratic, data=DATA, partition=[[-1]]), "partition[0]: -1 is not the number of a sample")):
            with self.subTest(arguments=str(arguments)):
                self.check(lambda: airlot.compare(small(rounds=1), **{"strategies": ["random"], "seeds": 1, **arguments}),
                           message)
        for vary, message in (({}, 'vary: is empty: give the values of a key'), (5, "vary: must be a dictionary"),
                              ({"rounds": []}, "vary: rounds has no values"),
                              ({"radio.bandwidth_hz": "1e6"}, "vary['radio.bandwidth_hz']: must be a list of values, not str"),
                              ({"rounds": [1, 1]}, "rounds"), ({"rounds": ["x"]}, "vary")):
            with self.subTest(vary=str(vary)):
                self.check(lambda: airlot.sweep(small(), vary, ["random"], seeds=1), message)
        self.check(lambda: airlot.train(small(), seed="x"), "seeds[0]: must be a whole number")
        self.check(lambda: airlot.compare(5), "scenario: must be an airlot.Scenario")
        self.check(lambda: airlot.read_runs(5), "folder: must be a path, not int")
        self.check(lambda: airlot.Scenario(5), "scenario: must be a path, not int")
        self.check(lambda: airlot.Scenario.from_toml(5), "text: must be TOML, not int")
        self.check(lambda: airlot.Scenario.from_dict(5), "values: must be a dictionary")

    def test_data_tables_and_streams(self):
        self.check(lambda: airlot.Dataset(train_y=[0], test_y=[0], classes=2.0), "classes: must be a whole number")
        self.check(lambda: airlot.Dataset(train_y=[0], test_y=[0], classes=1), "classes = 1: must be 2 to 256")
        self.check(lambda: airlot.Dataset(train_y=[-1], test_y=[0], classes=2), "train_y: -1 is not a label")
        self.check(lambda: airlot.Dataset(train_y=[0], test_y=[0], classes=2, name=3), "name: must be a text, not int")
        self.assertEqual(airlot.Table({"a": [1, 2]})["a"].tolist(), [1, 2])
        self.check(lambda: airlot.Table([1, 2]), "columns: must be a dictionary of columns, not list")
        self.check(lambda: airlot.Table({"a": 3}), "a: has the shape (): must have one dimension")
        self.check(lambda: airlot.RandomStream("x", "lab", 1, 0), "seed: must be a whole number")
        self.check(lambda: airlot.RandomStream(1, None, 1, 0), "purpose (a name")
        stream = airlot.RandomStream(1, "lab", 1, 0)
        self.check(lambda: stream.below(0), "bound = 0: must be a whole number from 1 on")
        self.check(lambda: airlot.draw_uniformly([1], 1, None), "stream: must be an airlot.RandomStream, not NoneType")
        self.check(lambda: airlot.draw_uniformly(["a"], 1, stream), "devices: must be real numbers")

    def test_texts_that_are_none(self):
        half = "a\ud800"  # half of a surrogate pair, which UTF-8 has no bytes for
        for call in (lambda: airlot.Scenario(half), lambda: airlot.Scenario(**{"data.dataset": half}),
                     lambda: airlot.Scenario(**{half: 1}), lambda: airlot.Scenario.from_toml(half),
                     lambda: airlot.Scenario.from_dict({"data": {"dataset": half}}),
                     lambda: airlot.plan(**COLUMNS, solver=half), lambda: airlot.plan(**COLUMNS).to_csv(half),
                     lambda: airlot.sweep(small(), {"data.dataset": [half]}, ["random"]),
                     lambda: airlot.Table({"a": [half]}).__arrow_c_stream__(),
                     lambda: airlot.Table({half: [1.0]}).__arrow_c_stream__(),
                     lambda: airlot.RandomStream(1, half, 1, 0)):
            self.check(call, r"'a\ud800': is no text in Unicode")
        self.check(lambda: airlot.Scenario(**{"learning.rate": None}), "learning.rate = None: a key of a scenario takes no")

    def test_tables_show_anything(self):
        table = airlot.Table({"date": np.array(["2026-01-02"], dtype="datetime64[D]"), "complex": np.array([1 + 2j]),
                              "flag": np.array([True]), "text": np.array(["<x>"])})
        shown = table._repr_html_()
        for text in ("2026-01-02", "1+2j", "<td>1</td>", "&lt;x&gt;"):
            self.assertIn(text, shown)
        self.assertEqual(table["text"], ["<x>"])

    def test_strategies(self):
        for look, message in (
                (lambda view: view.cost("a", 1, 1), "device: must be a whole number from 0 to 99, not str"),
                (lambda view: view.cost(100, 1, 1), "device = 100: must be a whole number from 0 to 99"),
                (lambda view: view.cost(0, "a", 1), "power_w: must be a number, not str"),
                (lambda view: view.largest(view.samples, -1), "count = -1: must be"),
                (lambda view: view.largest("x", 1), "score: must be real numbers, not str"),
                (lambda view: view.stream("x"), "index: must be a whole number"),
                (lambda view: view.ask_loss(view.able(), batch=None), "batch: must be a whole number"),
                (lambda view: airlot.Selection([1], before_s="1"), "before_s: must be a number, not str"),
                (lambda view: airlot.Selection([1], takes_turns="x"), "takes_turns: must be True or False, not str"),
                (lambda view: airlot.Selection([1], power_w="x"), "power_w: must be real numbers, not str"),
                (lambda view: airlot.Selection(None), "devices: must be real numbers, not NoneType")):
            self.check(lambda: select_once(look), message)
        for members, message in ((dict(options={"k": 3}), "options['k']: must be an airlot.Option, not int"),
                                 (dict(options={"k": airlot.Option("x")}), 'options["k"].value: must be a number, not str'),
                                 (dict(options={3: airlot.Option(1)}), "the name of an option: must be a text, not int"),
                                 (dict(options=[3]), "Wrong.options: must be a dictionary of names and airlot.Option, not list"),
                                 (dict(name=3), "give the strategy a name")):
            strategy = type("Wrong", (airlot.Strategy,), {"name": "wrong", **members})
            self.check(strategy.register, message)

    def test_objects_that_nobody_made(self):
        for kind in (airlot.View, airlot.Setting):
            with self.assertRaisesRegex(TypeError, "airlot makes objects of"):
                kind.__new__(kind)
            empty = kind.__base__.__new__(kind)  # pybind11 would take any memory for its value
            for name in dir(kind):
                if isinstance(getattr(kind, name), property):
                    with self.assertRaises(airlot.Error):
                        getattr(empty, name)
        with self.assertRaises(airlot.Error):
            airlot.RandomStream.__new__(airlot.RandomStream).bits()
        for kind in (airlot._core.Plan, airlot._core.Scenario, airlot._core.Dataset):
            with self.assertRaises(TypeError):
                kind.__new__(kind)


class Keeping(unittest.TestCase):
    def test_plans_are_pickled(self):
        columns = {**COLUMNS, "noise_to_gain_w": np.array([1e-6, 1e-5])}
        for plan in (airlot.plan(**columns, airtime=airlot.Airtime(fairness=2)), airlot.plan("float32-cell", seed=3)):
            again = pickle.loads(pickle.dumps(plan))
            np.testing.assert_array_equal(again.probability, plan.probability)

    def test_results_of_a_folder_that_has_changed(self):
        with tempfile.TemporaryDirectory() as folder:
            first = airlot.train(small(rounds=2), "random", output=folder + "/runs", progress=False)
            kept = pickle.loads(pickle.dumps(first))
            self.assertEqual(kept.rounds["time_s"].tolist(), first.rounds["time_s"].tolist())
            airlot.train(small(rounds=3), "uniform", output=folder + "/runs", force=True, progress=False)
            with self.assertRaisesRegex(airlot.Error, "holds other runs by now"):
                first.devices
            self.assertEqual(first.runs["strategy"], ["random"])
        with self.assertRaisesRegex(airlot.Error, "lie in a folder that goes with them"):
            pickle.dumps(airlot.train(small(rounds=1), "random", progress=False))

    def test_folders_stay_where_they_are(self):
        before = os.getcwd()
        with tempfile.TemporaryDirectory() as folder:
            try:
                os.chdir(folder)
                results = airlot.train(small(rounds=1), "random", output="runs", progress=False)
                shutil.copy(ROOT / "scenarios" / "sensors-example.csv", "fleet.csv")
                scenario = airlot.Scenario("fleet", **{"fleet.file": "./fleet.csv"})
            finally:
                os.chdir(before)
            self.assertEqual(results.devices.rows, 100)
            self.assertGreater(airlot.plan(scenario).devices, 1)

    def test_numbers_of_other_machines_and_sizes(self):
        table = airlot.Table({"big": np.array([1.0, 2.0], dtype=">f8"), "half": np.array([1, 2], dtype=np.int16),
                              "small": np.array([1.0, np.nan], dtype=np.float32)})
        self.assertIn("arrow_array_stream", repr(table.__arrow_c_stream__()))


if __name__ == "__main__":
    unittest.main()
