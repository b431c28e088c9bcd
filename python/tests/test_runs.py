"""Runs in Python: comparisons, sweeps, strategies and backends of one's own."""
import contextlib
import importlib.util
import io
import multiprocessing
import os
import pathlib
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import unittest
from unittest import mock

import numpy as np

import airlot

UNIFORM = 61  # the number of the stream of the strategy `uniform` (src/selection/purposes.h)


def small(**keys):
    return airlot.Scenario("float32-cell", **{"rounds": 20, "evaluate_every": 10, "data.dataset": "digits",
                                              "model.name": "logistic", **keys})


class Uniform(airlot.Strategy):
    """The strategy `uniform`, written in Python."""

    name = "python-uniform"
    options = {"devices": airlot.Option(30, low=1, is_whole=True)}
    takes_planned_terms = True
    knows_probabilities = True

    def select(self, view):
        stream = airlot.RandomStream(view.seed, UNIFORM, view.round_of_draw(), 0)
        drawn, probability = airlot.draw_uniformly(view.able(), int(self.option["devices"]), stream)
        return airlot.Selection(drawn, probability=probability)


class Scenarios(unittest.TestCase):
    def test_both_ways(self):
        for name in airlot.scenarios():
            scenario = airlot.Scenario(name)
            self.assertEqual(airlot.Scenario.from_toml(scenario.to_toml()), scenario)
            self.assertEqual(airlot.Scenario.from_dict(scenario.to_dict()), scenario)
            self.assertEqual(pickle.loads(pickle.dumps(scenario)), scenario)
        layers = [{"kind": "dense", "units": 8}, {"kind": "relu"}]
        scenario = airlot.Scenario(**{"model.layers": layers, "model.name": "tiny"})
        self.assertEqual(airlot.Scenario.from_dict(scenario.to_dict()), scenario)
        self.assertEqual(scenario["model.layers"], layers)

    def test_keys(self):
        scenario = airlot.Scenario("paper-highly-biased", **{"learning.rate": np.float64(0.05), "learning.batch": 8})
        self.assertEqual(scenario["learning.rate"], 0.05)
        self.assertEqual(scenario.replace(rounds=7).rounds, 7)
        self.assertIsNone(scenario["radio.power_levels_w"])
        with self.assertRaises(KeyError):
            scenario["learning.rte"]
        with self.assertRaisesRegex(airlot.Error, "learning.rte"):
            airlot.Scenario(**{"learning.rte": 1})
        with self.assertRaisesRegex(airlot.Error, "no-such"):
            airlot.Scenario("no-such")
        with self.assertRaisesRegex(airlot.Error, "takes no object"):
            airlot.Scenario(**{"learning.rate": object()})


class Comparing(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.results = airlot.compare(small(), ["uniform", Uniform, "airtime"], seeds=2, jobs=2,
                                     output=cls.folder.name + "/runs", progress=False)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_a_strategy_in_python_gives_the_same_bytes(self):
        for seed in (1, 2):
            for file in ("rounds.csv", "devices.csv", "participants.csv.gz", "model.npz"):
                ours, theirs = (pathlib.Path(self.folder.name, "runs", name, f"seed-{seed}", file).read_bytes()
                                for name in ("python-uniform", "uniform"))
                self.assertEqual(ours, theirs, file)

    @unittest.skipUnless("AIRLOT" in os.environ, "AIRLOT names the program")
    def test_the_program_makes_the_same_bytes(self):
        with tempfile.TemporaryDirectory() as folder:
            scenario = pathlib.Path(folder, "small.toml")
            scenario.write_text(small().to_toml())
            subprocess.run([os.environ["AIRLOT"], "train", scenario, "--strategy", "airtime", "-o", folder + "/run"],
                           check=True, capture_output=True)
            theirs = pathlib.Path(folder, "run", "airtime", "seed-1", "rounds.csv").read_bytes()
        ours = pathlib.Path(self.folder.name, "runs", "airtime", "seed-1", "rounds.csv").read_bytes()
        self.assertEqual(ours, theirs)

    def test_columns(self):
        rounds = self.results.rounds
        self.assertEqual(rounds.rows, 3 * 2 * 21)
        self.assertEqual(set(rounds["strategy"]), {"uniform", "python-uniform", "airtime"})
        self.assertEqual(sorted(set(rounds["seed"].tolist())), [1, 2])
        evaluated = ~np.isnan(rounds["accuracy"])
        self.assertEqual(evaluated.sum(), 3 * 2 * 3)
        frame = self.results.to_pandas()
        self.assertEqual(len(frame), rounds.rows)
        devices = self.results.devices
        self.assertEqual(devices.rows, 3 * 2 * 100)
        participations = frame.groupby(["strategy", "seed"])["participants"].sum()
        for (strategy, seed), count in participations.items():
            mine = (np.array(devices["strategy"]) == strategy) & (devices["seed"] == seed)
            self.assertEqual(devices["participations"][mine].sum(), count)
        runs = self.results.runs
        self.assertEqual(runs["stage"], ["complete"] * 6)
        self.assertEqual(runs["devices_over_budget"][np.array(runs["strategy"]) == "airtime"].tolist(), [0, 0])

    def test_pages(self):
        page = self.results.report()
        self.assertTrue(os.path.exists(page.path))
        self.assertIn("<iframe", page._repr_html_())
        self.assertIn("<table>", self.results._repr_html_())
        self.assertIn("airtime", self.results.verdict)
        self.assertEqual({row["strategy"] for row in self.results.summary["strategies"]},
                         {"uniform", "python-uniform", "airtime"})

    def test_a_folder_that_holds_runs(self):
        folder = self.folder.name + "/runs"
        with self.assertRaisesRegex(airlot.Error, "pass resume=True to go on with them"):
            airlot.compare(small(), ["uniform"], seeds=1, output=folder)
        again = airlot.compare(small(), ["uniform", Uniform, "airtime"], seeds=2, output=folder, resume=True,
                               progress=False)
        self.assertEqual(again.rounds["time_s"].tolist(), self.results.rounds["time_s"].tolist())
        read = airlot.read_runs(folder)
        self.assertEqual(read.scenario, small())
        self.assertEqual(read.status, "complete")

    def test_bad_requests(self):
        for arguments, message in (
                (dict(strategies=["nobody"]), "there is no strategy nobody"),
                (dict(strategies=[]), "strategies: is empty"),
                (dict(strategies=["uniform", "uniform"]), "uniform is there twice"),
                (dict(strategies=[3]), "neither a name nor a class"),
                (dict(seeds=0), "seeds = 0"), (dict(seeds=[1, 1]), "seeds: one is there twice"),
                (dict(jobs=5000), "jobs = 5000"),
                (dict(resume=True, force=True), "exclude each other"),
                (dict(partition=[[0]]), "partition: needs data"),
                (dict(output="/proc/nowhere/runs"), "/proc/nowhere")):
            with self.subTest(arguments=str(arguments)):
                with self.assertRaisesRegex(airlot.Error, message):
                    airlot.compare(small(), **{"strategies": ["uniform"], "seeds": 1, **arguments})
        with self.assertRaisesRegex(airlot.Error, "/nowhere"):
            airlot.read_runs("/nowhere")

    def test_a_folder_of_its_own_goes_with_the_results(self):
        results = airlot.train(small(rounds=1), "random", progress=False)
        folder = results.folder
        self.assertTrue(os.path.isdir(folder))
        del results
        self.assertFalse(os.path.exists(folder))

    def test_sweeps(self):
        with tempfile.TemporaryDirectory() as folder:
            found = airlot.sweep(small(rounds=2), {"radio.bandwidth_hz": [1e6, 1e7]}, ["random", Uniform], seeds=1,
                                 output=folder + "/sweep", progress=False)
            self.assertEqual(set(found.cells["strategy"]), {"random", "python-uniform"})
            self.assertEqual(set(found.cells["radio.bandwidth_hz"].tolist()), {1e6, 1e7})
            self.assertTrue(os.path.exists(found.report().path))
            with self.assertRaisesRegex(airlot.Error, "radio.bandwith_hz"):
                airlot.sweep(small(), {"radio.bandwith_hz": [1]}, ["random"])
            with self.assertRaises(airlot.Error):
                airlot.sweep(small(), {}, ["random"])
            self.assertEqual(found.missing, [])

    def test_a_sweep_says_which_cells_are_missing(self):
        found = airlot.sweep(small(rounds=2), {"books.upload_time": [True, False]}, ["random"], seeds=1, progress=False)
        self.assertEqual(found.cells["books.upload_time"], ["true"] * found.cells.rows)
        self.assertEqual(len(found.missing), 1)
        for shown in (found.missing[0], found._repr_html_()):
            self.assertIn("books.upload_time=false: books.upload_time = false: nothing is booked", shown)
        self.assertIn("1 of 2 cells missing", repr(found))

    def test_progress(self):
        told = []
        airlot.compare(small(), ["uniform"], seeds=1, progress=lambda done, all: told.append((done, all)))
        self.assertEqual(told[-1], (20, 20))

    def test_progress_is_a_bar_of_tqdm_or_a_line(self):
        for has_tqdm, expected in ((True, "round"), (False, "% of 2000 rounds")):
            shown = io.StringIO()
            with mock.patch.object(airlot._progress, "_LEAST_S", 0.0), contextlib.redirect_stderr(shown), \
                    mock.patch.dict(sys.modules, {} if has_tqdm else {"tqdm.auto": None}):
                if has_tqdm and importlib.util.find_spec("tqdm") is None:
                    continue
                airlot.train(small(rounds=2000, evaluate_every=2000), "uniform", progress=True)
            self.assertIn(expected, shown.getvalue())
            self.assertEqual("it/s" in shown.getvalue() or "round/s" in shown.getvalue(), has_tqdm, shown.getvalue())

    def test_a_sweep_that_was_stopped_goes_on(self):
        def stop(done, all):
            if done >= 1:
                raise RuntimeError("stop")

        arguments = dict(vary={"radio.bandwidth_hz": [1e6, 1e7]}, strategies=["uniform"], seeds=2, jobs=1)
        with tempfile.TemporaryDirectory() as folder:
            whole = airlot.sweep(small(rounds=300), output=folder + "/whole", progress=False, **arguments)
            with self.assertRaisesRegex(RuntimeError, "stop"):
                airlot.sweep(small(rounds=300), output=folder + "/cut", progress=stop, **arguments)
            resumed = airlot.sweep(small(rounds=300), output=folder + "/cut", resume=True, progress=False, **arguments)
            np.testing.assert_array_equal(resumed.cells["mean"], whole.cells["mean"])

    def test_progress_that_throws_stops_the_runs(self):
        def throw(done, all):
            if done > 0:
                raise RuntimeError("enough")

        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaisesRegex(RuntimeError, "enough"):
                airlot.compare(small(rounds=100000), ["uniform"], seeds=1, output=folder + "/runs", progress=throw)
            self.assertEqual(airlot.read_runs(folder + "/runs").status, "interrupted")


class Interrupts(unittest.TestCase):
    def setUp(self):
        # A shell lets what it starts in the background ignore interrupts, and so would the processes that are interrupted here.
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        self.addCleanup(signal.signal, signal.SIGINT, before)

    SCRIPT = """
import sys
sys.path.insert(0, {tests!r})
import airlot
from test_runs import small
print("ready", flush=True)
airlot.compare(small(rounds={rounds}, evaluate_every=100), ["uniform"], seeds=1, output={folder!r}, resume={resume},
               progress=False)
"""

    def start(self, **values):
        tests = str(pathlib.Path(__file__).parent)
        return subprocess.Popen([sys.executable, "-c", self.SCRIPT.format(tests=tests, **values)],
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def finish(self, process):
        errors = process.communicate()[1]
        self.assertEqual(process.returncode, 0, errors[-500:])

    def test_an_interrupt_stops_and_can_be_resumed_to_the_same_bytes(self):
        with tempfile.TemporaryDirectory() as folder:
            whole, cut = folder + "/whole", folder + "/cut"
            self.finish(self.start(rounds=2000, folder=whole, resume=False))
            process = self.start(rounds=2000, folder=cut, resume=False)
            process.stdout.readline()
            while not os.path.exists(cut + "/manifest.json"):
                time.sleep(0.01)
            process.send_signal(signal.SIGINT)
            errors = process.communicate()[1]
            self.assertIn("KeyboardInterrupt", errors)
            self.assertIn("resume=True", errors)
            self.assertEqual(airlot.read_runs(cut).status, "interrupted")
            self.finish(self.start(rounds=2000, folder=cut, resume=True))
            file = "uniform/seed-1/rounds.csv"
            self.assertEqual(pathlib.Path(cut, file).read_bytes(), pathlib.Path(whole, file).read_bytes())


    def test_code_that_does_not_end_is_interrupted(self):
        script = """
import sys
sys.path.insert(0, {tests!r})
import airlot
from test_runs import small

class Spinning(airlot.Strategy):
    name = "spinning"

    def select(self, view):
        if view.round == 5:
            print("ready", flush=True)
            while True:
                pass
        return view.able()[:2]

airlot.train(small(), Spinning, output={folder!r}, checkpoint_every_s=0, progress=False)
"""
        with tempfile.TemporaryDirectory() as folder:
            tests = str(pathlib.Path(__file__).parent)
            process = subprocess.Popen([sys.executable, "-c", script.format(tests=tests, folder=folder + "/runs")],
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            process.stdout.readline()
            process.send_signal(signal.SIGINT)
            errors = process.communicate(timeout=600)[1]
            self.assertIn("KeyboardInterrupt", errors)
            self.assertEqual(airlot.read_runs(folder + "/runs").rounds["round"].tolist(), [0, 1, 2, 3, 4])


class OwnStrategies(unittest.TestCase):
    def run_one(self, select, rounds=3, **members):
        strategy = type("Tried", (airlot.Strategy,), {"name": "tried", "select": select, **members})
        return airlot.train(small(rounds=rounds), strategy, progress=False)

    def test_what_a_view_shows(self):
        seen = {}

        def select(self, view):
            seen["devices"], seen["round"] = view.devices, view.round
            seen["sum"] = view.data_share.sum()
            for name in ("probability", "power_w", "data_share", "noise_to_gain_w", "max_power_w", "energy_budget_j",
                         "time_limit_s", "compute_energy_j", "compute_time_s", "samples", "bandwidth_hz", "update_bits"):
                column = getattr(view, name)
                self_test.assertEqual(column.shape, (view.devices,), name)
                self_test.assertFalse(column.flags.writeable, name)
            seen["cost"] = view.cost(0, 0.1, 1e6)
            seen["kept"], seen["kept view"] = view.probability, view
            return view.able()[:3]

        self_test = self
        self.run_one(select)
        self.assertEqual((seen["devices"], seen["round"]), (100, 3))
        self.assertAlmostEqual(seen["sum"], 1)
        self.assertGreater(seen["cost"][0], 0)
        np.testing.assert_array_equal(seen["kept"], airlot.plan(small(), seed=1).probability)
        with self.assertRaisesRegex(airlot.Error, "a view is of one call of select"):
            seen["kept view"].round

    def test_columns_are_not_copies(self):
        addresses = set()

        def select(self, view):
            addresses.add(view.probability.__array_interface__["data"][0])
            addresses.add(view.probability.__array_interface__["data"][0])
            return view.able()[:1]

        self.run_one(select)
        self.assertEqual(len(addresses), 1)

    def test_terms(self):
        def select(self, view):
            devices = view.able()[:4]
            return airlot.Selection(devices, power_w=view.max_power_w[devices], cpu_share=0.5,
                                    bandwidth_hz=view.total_bandwidth_hz / 4)

        results = self.run_one(select)
        self.assertEqual(results.rounds["participants"].tolist(), [0, 4, 4, 4])

    def test_wrong_selections_end_the_run_with_an_error(self):
        for wrong, message in (
                (lambda self, view: [1, 1], "one of them twice"),
                (lambda self, view: [5, 2], "not in rising order"),
                (lambda self, view: [100], "device 100 of 100"),
                (lambda self, view: [-1], "-1 is not the number of a device"),
                (lambda self, view: [0.5], "must be whole numbers"),
                (lambda self, view: "no", "the devices that select returns: must be"),
                (lambda self, view: [[1]], "must have one dimension"),
                (lambda self, view: airlot.Selection([1, 2], power_w=[1.0]), "power_w: has 1 values"),
                (lambda self, view: airlot.Selection([1], power_w=1e9), "sends at 1000000000 W"),
                (lambda self, view: airlot.Selection([1], power_w=float("nan")), "sends at nan"),
                (lambda self, view: airlot.Selection([1], cpu_share=2.0), "CPU share of 2"),
                (lambda self, view: airlot.Selection([1], bandwidth_hz=1e15), "Hz are given of"),
                (lambda self, view: airlot.Selection([1], bandwidth_hz=1e-320), "device 1 sends at"),
                (lambda self, view: airlot.Selection([1], before_s=float("inf")), "before_s: must be finite"),
                (lambda self, view: airlot.Selection([1], probability=[0.0]), "is not above 0 and at most 1"),
                (lambda self, view: view.largest([1.0], 2), "score: has 1 values"),
                (lambda self, view: view.ask_loss([1000]), "device 1000: the fleet has 100")):
            with self.assertRaisesRegex(airlot.Error, message):
                self.run_one(wrong)

    def test_an_exception_keeps_the_checkpoint(self):
        def select(self, view):
            if view.round == 5 and fails:
                raise ZeroDivisionError("in round 5")
            return view.able()[:2]

        strategy = type("Failing", (airlot.Strategy,), {"name": "failing", "select": select})
        with tempfile.TemporaryDirectory() as folder:
            fails = True
            try:
                airlot.train(small(), strategy, output=folder + "/runs", checkpoint_every_s=0)
                self.fail("nothing was thrown")
            except ZeroDivisionError:
                self.assertIn("in select", traceback.format_exc())
            self.assertEqual(airlot.read_runs(folder + "/runs").status, "failed")
            fails = False
            results = airlot.train(small(), strategy, output=folder + "/runs", resume=True)
            self.assertEqual(results.rounds.rows, 21)
            whole = airlot.train(small(), strategy)
            self.assertEqual(results.rounds["accuracy"][-1], whole.rounds["accuracy"][-1])

    def test_memory_and_learning(self):
        told = []

        def select(self, view):
            self.memory = np.append(self.memory, float(view.round))
            return view.able()[:2]

        def learn(self, outcome):
            told.append((outcome.round, len(outcome.devices), float(outcome.mean_loss[0]), self.memory.tolist()))

        self.run_one(select, learns=True, learn=learn)
        self.assertEqual([entry[0] for entry in told], [1, 2, 3])
        self.assertEqual(told[-1][3], [1.0, 2.0, 3.0])
        self.assertGreater(told[0][2], 0)

    def test_questions(self):
        answers = {}

        def select(self, view):
            able = view.able()[:3]
            answers["loss"] = view.ask_loss(able, batch=5)
            answers["norm"] = view.ask_update_norm(able)
            answers["accuracy"] = view.ask_accuracy(able)
            answers["time"] = view.ask_compute_time(able)
            return able

        self.run_one(select)
        for name, values in answers.items():
            self.assertEqual(values.shape, (3,), name)
            self.assertTrue(np.all(np.isfinite(values)), name)

    def test_unbiased_aggregation_needs_probabilities(self):
        strategy = type("Silent", (airlot.Strategy,), {"name": "silent", "knows_probabilities": True,
                                                       "select": lambda self, view: view.able()[:2]})
        with self.assertRaisesRegex(airlot.Error, "knows_probabilities is true, and select gave no probability"):
            airlot.train(small(**{"learning.aggregation": "unbiased"}), strategy, progress=False)

    def test_a_class_takes_the_place_of_an_earlier_one(self):
        def few(self, view):
            return view.able()[:int(self.option["devices"])]

        first = self.run_one(few, options={"devices": airlot.Option(2, low=1)})
        second = self.run_one(few, options={"devices": airlot.Option(3, low=1), "other": airlot.Option(1)})
        self.assertEqual(first.rounds["participants"][-1], 2)
        self.assertEqual(second.rounds["participants"][-1], 3)
        with self.assertRaisesRegex(airlot.Error, "there is one of this name already"):
            type("Taken", (airlot.Strategy,), {"name": "uniform"}).register()
        with self.assertRaisesRegex(airlot.Error, "give the strategy a name"):
            type("Nameless", (airlot.Strategy,), {}).register()
        with self.assertRaisesRegex(airlot.Error, "a name has small letters"):
            type("Loud", (airlot.Strategy,), {"name": "Loud"}).register()


class Quadratic(airlot.Backend):
    """Device i pulls every parameter towards i; the mean is best."""

    parameters = 7

    def start(self):
        return np.full(7, 3.0)

    def train(self, device, parameters, training):
        if training.sends_models:
            end = np.array(parameters)
            for _ in range(training.steps):
                end -= training.rate * (end - device)
            return airlot.Update(parameters - end, 0.5)
        return airlot.Update(parameters - device, loss=float(np.mean((parameters - device)**2)))

    def evaluate(self, parameters):
        return airlot.Evaluation(accuracy=1 / (1 + abs(float(parameters[0]) - 49.5)), loss=float(parameters[0]))

    def loss(self, device, parameters, batch, round):
        return float(np.mean((parameters - device)**2))


DATA = airlot.Dataset(train_y=np.arange(2000) % 10, test_y=np.arange(10), classes=10)
TWENTY_EACH = [np.arange(20 * device, 20 * device + 20) for device in range(100)]


class OwnTraining(unittest.TestCase):
    def train(self, strategy="all", backend=Quadratic, **keys):
        scenario = small(**{"radio.bandwidth_hz": 1e9, "round.time_limit_s": 100.0, "fleet.energy_budget_j": 1e6, **keys})
        return airlot.train(scenario, strategy, backend=backend, data=DATA, partition=TWENTY_EACH, progress=False)

    def test_the_server_steps_as_computed_by_hand(self):
        results = self.train(**{"learning.rate": 0.1, "rounds": 5, "evaluate_every": 1})
        expected = 3.0
        for loss in results.rounds["test_loss"]:
            self.assertAlmostEqual(float(loss), expected, delta=1e-4)
            expected -= 0.1 * (expected - 49.5)

    def test_local_steps_rules_and_compression(self):
        for keys in ({"learning.local_steps": 3}, {"learning.rule": "scaffold", "learning.local_steps": 2},
                     {"learning.rule": "fedprox", "learning.local_steps": 2}, {"learning.compression": "top-k"},
                     {"learning.rule": "fedadam"}):
            with self.subTest(keys=keys):
                results = self.train("random", **keys)
                self.assertTrue(np.isfinite(results.rounds["test_loss"][-1]))

    def test_every_strategy_that_asks(self):
        for strategy in ("tifl", "power-of-choice", "gradient-probability", "update-aware-bn2", "oort", "airtime"):
            with self.subTest(strategy):
                self.assertEqual(self.train(strategy, rounds=3).status, "complete")

    def test_norms_that_a_backend_knows(self):
        asked = []

        class Knows(Quadratic):
            def update_norm(self, device, parameters, training, bits):
                asked.append((device, training.round, bits))
                return float(np.linalg.norm(parameters - device))

        # The norm of a gradient is what training would give, so that the runs are the same, and nobody trains for it.
        keys = {"rounds": 3, "evaluate_every": 1}
        for strategy in ("gradient-probability", "update-aware-bn2"):
            with self.subTest(strategy):
                known = self.train(strategy, Knows, **keys)
                trained = self.train(strategy, **keys)
                self.assertGreater(len(asked), 0)
                np.testing.assert_allclose(known.rounds["test_loss"], trained.rounds["test_loss"], rtol=1e-5)
        self.assertEqual({bits for _, _, bits in asked}, {float("inf")})
        wrong = type("Wrong", (Quadratic,), {"update_norm": lambda self, *_: "x"})
        with self.assertRaisesRegex(airlot.Error, "update_norm: must be a number, not str"):
            self.train("gradient-probability", wrong)

    def test_sweeps_with_a_backend(self):
        keys = {"radio.bandwidth_hz": 1e9, "round.time_limit_s": 100.0, "fleet.energy_budget_j": 1e6, "evaluate_every": 1}
        found = airlot.sweep(small(**keys), {"learning.rate": [0.1, 0.2], "rounds": [2, 4]}, ["all"], seeds=1, jobs=2,
                             backend=Quadratic, data=DATA, partition=TWENTY_EACH, progress=False)
        self.assertEqual(sorted(set(found.cells["learning.rate"].tolist())), [0.1, 0.2])
        told = []
        airlot.sweep(small(), {"rounds": [2, 3]}, ["random"], seeds=2, progress=lambda done, all: told.append((done, all)))
        self.assertEqual(told[-1], (10, 10))

        class Fails(Quadratic):
            def train(self, device, parameters, training):
                raise ZeroDivisionError("in train")

        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaisesRegex(ZeroDivisionError, "in train"):
                airlot.sweep(small(**keys), {"rounds": [2, 4, 6]}, ["all", "random"], seeds=2, jobs=2, backend=Fails,
                             data=DATA, partition=TWENTY_EACH, output=folder + "/sweep", progress=False)

    def test_a_run_goes_on_with_its_own_parameters(self):
        with tempfile.TemporaryDirectory() as folder:
            class Stops(Quadratic):
                def evaluate(self, parameters):
                    calls.append(1)
                    if len(calls) == 3:
                        raise RuntimeError("stop")
                    return super().evaluate(parameters)

            calls = []
            arguments = dict(data=DATA, partition=TWENTY_EACH, output=folder + "/runs", progress=False,
                             checkpoint_every_s=0)
            with self.assertRaisesRegex(RuntimeError, "stop"):
                airlot.train(small(), "random", backend=Stops, **arguments)
            resumed = airlot.train(small(), "random", backend=Quadratic, resume=True, **arguments)
            whole = airlot.train(small(), "random", backend=Quadratic, data=DATA, partition=TWENTY_EACH)
            self.assertEqual(resumed.rounds["test_loss"][-1], whole.rounds["test_loss"][-1])

    def test_wrong_backends(self):
        def of(**members):
            return type("Wrong", (Quadratic,), members)

        for backend, message in (
                (of(start=lambda self: np.zeros(3)), "the backend's start"),
                (of(train=lambda self, *_: airlot.Update(np.zeros(3), 0.0)), "an update of 3 numbers"),
                (of(train=lambda self, *_: airlot.Update("x", 0.0)), "update: must be"),
                (of(parameters=10**12), "parameters"),
                (of(evaluate=lambda self, parameters: airlot.Evaluation(2.0, 0.0)), "must be at most 1"),
                (of(evaluate=lambda self, parameters: airlot.Evaluation(1.0, 0.0, [1.0])), "there are 10 classes"),
                (of(evaluate=lambda self, parameters: 3), "evaluate: must return an airlot.Evaluation, not int"),
                (of(evaluate=lambda self, parameters: airlot.Evaluation("1", 0.0)), "evaluate: accuracy: must be a number"),
                (of(train=lambda self, *_: None), "train: must return an airlot.Update, not NoneType"),
                (of(train=lambda self, *_: airlot.Update(np.zeros(7), None)), "train: loss: must be a number, not NoneType"),
                (of(loss=lambda self, *_: None), "loss: must be a number, not NoneType"),
                (of(loss=lambda self, *_: np.zeros(2)), "loss: must be one number, not an array"),
                (lambda setting: 3, "backend: must return an airlot.Backend, not int"),
                (of(parameters="x"), "parameters: must be a whole number, how many parameters the model has, not str"),
                (of(gather=lambda self, *_: 3), "gather: must return an airlot.Gathering, not int"),
                (of(gather=lambda self, *_: airlot.Gathering(None)), "arrivals: must be a list of arrivals, not NoneType"),
                (of(gather=lambda self, *_: airlot.Gathering([3])), "arrivals: must return an airlot.Arrival, not int"),
                (of(gather=lambda self, *_: airlot.Gathering([airlot.Arrival("x")])), "has_arrived: must be True or False"),
                (of(gather=lambda self, *_: airlot.Gathering([airlot.Arrival(True, "x")])), "upload_s: must be a number"),
                (of(gather=lambda self, *_: airlot.Gathering([], -1.0)), "waited_s = -1.0: must be"),
                (of(gather=lambda self, *_: airlot.Gathering([], None)), "gather: returned 0 arrivals"),
                (of(loss=airlot.Backend.loss), "has no loss")):
            with self.assertRaisesRegex(airlot.Error, message):
                self.train("power-of-choice", backend=backend)
        with self.assertRaises(NotImplementedError):
            self.train(backend=of(train=airlot.Backend.train))
        with self.assertRaisesRegex(airlot.Error, "the partition is over 3 devices"):
            airlot.train(small(), "all", backend=Quadratic, data=DATA, partition=[[1], [2], [3]])
        with self.assertRaisesRegex(airlot.Error, "sample 5000 of 2000"):
            airlot.train(small(), "all", backend=Quadratic, data=DATA, partition=[[5000]])
        with self.assertRaisesRegex(airlot.Error, "trained by a backend of your own"):
            airlot.train(small(**{"model.name": "mine", "model.layers": [{"kind": "external", "parameters": 3}]}), "all")

    def test_data_in_memory(self):
        draw = np.random.default_rng(1)
        centres = draw.normal(size=(4, 6))
        answers = draw.integers(0, 4, 3000)
        values = centres[answers] + 0.1 * draw.normal(size=(3000, 6))
        data = airlot.Dataset(train_x=values[:2500], train_y=answers[:2500], test_x=values[2500:],
                              test_y=answers[2500:], classes=4)
        keys = {"data.partition": "iid", "learning.rate": 0.5, "rounds": 100}
        results = airlot.train(small(**keys), "random", data=data, progress=False)
        self.assertGreater(results.rounds["accuracy"][-1], 0.9)
        self.assertIsNone(results.scenario["data.dataset"])
        with self.assertRaisesRegex(airlot.Error, "data: has no samples"):
            airlot.train(small(), "random", data=DATA)
        for arguments, message in ((dict(train_y=[0, 9], test_y=[0]), "train_y: label 9"),
                                   (dict(train_y=[], test_y=[0]), "train_y: is empty"),
                                   (dict(train_y=[0], test_y=[0], train_x=np.zeros((2, 3)), test_x=np.zeros((1, 3))), "has 2 samples"),
                                   (dict(train_y=[0], test_y=[0], train_x=np.zeros((1, 3)), test_x=np.zeros((1, 4))), "one shape"),
                                   (dict(train_y=[0], test_y=[0], train_x=np.zeros((1, 3))), "give both"),
                                   (dict(train_y=[0], test_y=[0], train_x=[[np.nan]], test_x=[[1.0]]), "not finite"),
                                   (dict(train_y=[0.5], test_y=[0]), "must be whole numbers")):
            with self.assertRaisesRegex(airlot.Error, message):
                airlot.Dataset(classes=4, **arguments)


class Beside(unittest.TestCase):
    def test_two_threads_of_python_compare_at_once(self):
        found = {}

        def work(name):
            found[name] = airlot.compare(small(), [Uniform], seeds=1, jobs=1, progress=False).rounds["time_s"].tolist()

        threads = [threading.Thread(target=work, args=(name,)) for name in "ab"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(found["a"], found["b"])

    def test_processes_that_were_forked(self):
        with multiprocessing.get_context("fork").Pool(2) as pool:
            found = pool.map(_last_time, [1, 1])
        self.assertEqual(found[0], found[1])

    def test_a_fork_beside_threads_that_plan_does_not_hang(self):
        # Those threads hold the lock of what is registered most of the time, and are not there in the child.
        script = ("import os, signal, threading, airlot\n"
                  "def work():\n"
                  "    while True:\n"
                  "        airlot.plan('float32-cell')\n"
                  "for _ in range(2): threading.Thread(target=work, daemon=True).start()\n"
                  "for number in range(10):\n"
                  "    child = os.fork()\n"
                  "    if child == 0:\n"
                  "        signal.alarm(60)\n"
                  "        type('Own', (airlot.Strategy,), {'name': f'own{number}'}).register()\n"
                  "        os._exit(0)\n"
                  "    assert os.waitpid(child, 0)[1] == 0\n"
                  "class Late(airlot.Strategy): name = 'late'\n"
                  "Late.register()")
        done = subprocess.run([sys.executable, "-W", "ignore", "-c", script], capture_output=True, text=True, timeout=600)
        self.assertEqual(done.returncode, 0, done.stderr[-500:])

    def test_a_fork_leaves_the_folder_of_its_parent(self):
        results = airlot.train(small(rounds=1), "random", progress=False)
        child = os.fork()
        if child == 0:
            del results
            os._exit(0)
        os.waitpid(child, 0)
        self.assertTrue(os.path.isdir(results.folder))

    def test_the_interpreter_may_end_while_a_run_goes_on(self):
        script = ("import sys, threading, time; sys.path.insert(0, {!r}); import airlot; from test_runs import small, Uniform; "
                  "threading.Thread(target=lambda: airlot.train(small(rounds=100000), Uniform, progress=False), daemon=True)"
                  ".start(); time.sleep(1.5)").format(str(pathlib.Path(__file__).parent))
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr[-500:])

    def test_the_interpreter_may_end_while_plans_are_made(self):
        script = ("import threading, time, airlot, numpy as np\n"
                  "def work():\n"
                  "    while True:\n"
                  "        airlot.plan(noise_to_gain_w=np.full(30000, 1e-6), energy_budget_j=0.01, max_power_w=0.2,\n"
                  "                    time_limit_s=0.5, update_bits=1e6, bandwidth_hz=1e5)\n"
                  "for _ in range(4): threading.Thread(target=work, daemon=True).start()\n"
                  "time.sleep(0.3)")
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr[-500:])

    def test_strategies_are_registered_while_others_read(self):
        ends = time.monotonic() + 2

        def read():
            while time.monotonic() < ends:
                airlot.Scenario("float32-cell").to_dict()

        threads = [threading.Thread(target=read) for _ in range(3)]
        for thread in threads:
            thread.start()
        count = 0
        while time.monotonic() < ends:
            count += 1
            type("Again", (airlot.Strategy,), {"name": "again", "options": {f"x{count}": airlot.Option(1)}}).register()
        for thread in threads:
            thread.join()
        self.assertGreater(count, 1)

    def test_it_imports_little(self):
        # What is not always needed is imported where it is, which keeps an import small (benchmarks/python_overhead.py).
        script = ("import sys, numpy; before = set(sys.modules); import airlot; "
                  "print(*(name for name in set(sys.modules) - before if not name.startswith('airlot')))")
        output = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True).stdout
        self.assertLessEqual(set(output.split()), {"atexit", "copy", "dataclasses", "json", "json.decoder", "json.encoder",
                                                   "json.scanner", "_json", "inspect", "contextlib", "__future__"})

    def test_the_program(self):
        output = subprocess.run([sys.executable, "-m", "airlot", "plan", "float32-cell", "--json"], check=True,
                                capture_output=True, text=True).stdout
        self.assertIn('"devices"', output)


def _last_time(seed):
    return airlot.train(small(), Uniform, seed=seed, progress=False).rounds["time_s"][-1]


if __name__ == "__main__":
    unittest.main()
