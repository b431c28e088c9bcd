"""Rounds with devices elsewhere, without Flower: the protocol of a round, robust sums, enrolment, and whole runs over
a network that is only imagined, with devices that train."""
import csv
import itertools
import json
import math
import os
import random
import subprocess
import sys
import tempfile
import threading
import unittest

import numpy as np

import airlot
from airlot.flower import wire
from airlot.flower.backend import LiveRun
from airlot.flower.enrolment import Claim, Enrolment, device_of
from airlot.flower.federation import Federation
from airlot.flower.robust import Clip, Krum, Median, TrimmedMean
from airlot.flower.round import REASONS, Reply, Round, Rules, Seat
from airlot.flower.transport import Poll, Score

SHAPES = {"weight": (2, 2), "bias": (3,)}
START = np.arange(7, dtype=np.float32)
FIGURES = {"max_power_w": 0.2, "noise_to_gain_w": 1e-6, "energy_budget_j": 0.05, "update_bits": 1e5,
           "bandwidth_hz": 1e5, "compute_time_s": 0.01, "compute_energy_j": 1e-3}


def end(change=0.5):
    moved = START - np.float32(change)
    return {"weight": moved[:4].reshape(2, 2), "bias": moved[4:]}


def round_of(seats=3, **rules):
    return Round(5, START, SHAPES, [Seat(10 + i, f"token{i}", f"device{i}") for i in range(seats)],
                 Rules(**{"deadline_s": 10.0, **rules}))


def good(seat=0, **changes):
    given = dict(node=10 + seat, round=5, token=f"token{seat}", device=f"device{seat}", arrays=end(), loss=1.0,
                 compute_s=0.5, upload_s=0.25, energy_j=0.1)
    return Reply(**{**given, **changes})


class Protocol(unittest.TestCase):
    def test_a_good_reply_counts(self):
        round = round_of()
        self.assertIsNone(round.offer(good(), 1.0))
        np.testing.assert_array_equal(round.accepted()[0].update, np.full(7, 0.5, np.float32))
        self.assertEqual(round.accepted()[0].energy_j, 0.1)
        self.assertEqual(round.missing, [1, 2])
        self.assertFalse(round.is_over(1.0))
        self.assertTrue(round.is_over(10.0))

    def test_every_fault_has_its_name(self):
        nan = end()
        nan["bias"] = np.array([1, math.nan, 2], np.float32)
        huge = {name: array + np.float32(1e9) for name, array in end().items()}
        wide = {"weight": np.full((2, 2), 1e300), "bias": np.zeros(3)}
        faults = {
            "not drawn": (dict(node=99), 1.0), "late": (dict(), 10.0), "wrong round": (dict(round=4), 1.0),
            "wrong token": (dict(token="token1"), 1.0), "wrong device": (dict(device="device1"), 1.0),
            "error": (dict(error="out of memory"), 1.0), "wrong keys": (dict(arrays={"weight": np.zeros((2, 2))}), 1.0),
            "wrong shape": (dict(arrays={"weight": np.zeros((4,)), "bias": np.zeros(3)}), 1.0),
            "not numbers": (dict(arrays={"weight": np.zeros((2, 2), int), "bias": np.zeros(3)}), 1.0),
            "not finite": (dict(arrays=nan), 1.0), "too long": (dict(arrays=huge), 1.0),
            "bad figures": (dict(upload_s=-1.0), 1.0),
        }
        self.assertEqual(set(faults) | {"duplicate"}, set(REASONS))
        for reason, (changes, at_s) in faults.items():
            round = round_of()
            self.assertEqual(round.offer(good(**changes), at_s), reason)
            self.assertEqual(round.accepted(), {}, reason)
            self.assertEqual([refusal.reason for refusal in round.refusals], [reason])
        for changes, reason in ((dict(arrays=wide), "not finite"), (dict(arrays=None), "wrong keys"),
                                (dict(token=None), "wrong token"), (dict(energy_j=math.nan), "bad figures"),
                                (dict(compute_s=11.0), "bad figures"), (dict(energy_j=1e5), "bad figures"),
                                (dict(loss=math.inf), "bad figures")):
            self.assertEqual(round_of().offer(good(**changes), 1.0), reason)

    def test_a_node_answers_once(self):
        round = round_of()
        self.assertIsNone(round.offer(good(), 1.0))
        self.assertEqual(round.offer(good(arrays=end(0.75)), 1.1), "duplicate")
        self.assertEqual(round.accepted()[0].update[0], 0.5)
        self.assertEqual(round.offer(good(1, arrays=None), 1.2), "wrong keys")
        self.assertEqual(round.offer(good(1), 1.3), "duplicate")  # A bad answer is an answer.

    def test_who_pretends_to_be_another_takes_nothing_from_it(self):
        round = round_of()
        self.assertEqual(round.offer(good(1, node=12), 1.0), "wrong token")
        self.assertEqual(round.offer(good(2, round=4), 1.0), "wrong round")
        self.assertIsNone(round.offer(good(1), 1.1))
        self.assertIsNone(round.offer(good(2), 1.1))
        self.assertEqual(sorted(round.accepted()), [1, 2])

    def test_it_is_over_when_all_have_answered(self):
        round = round_of(2)
        round.offer(good(0), 1.0)
        self.assertFalse(round.is_over(1.0))
        round.offer(good(1, error="no"), 1.0)
        self.assertTrue(round.is_over(1.0))
        self.assertTrue(round_of(0).is_over(0.0))

    def test_it_is_abandoned_with_too_few(self):
        round = round_of(3, least_arrivals=2)
        round.offer(good(0), 1.0)
        self.assertEqual(round.accepted(), {})
        round.offer(good(2), 1.0)
        self.assertEqual(sorted(round.accepted()), [0, 2])
        few = round_of(1, least_arrivals=5)  # Only one was drawn.
        few.offer(good(0), 1.0)
        self.assertEqual(sorted(few.accepted()), [0])

    def test_bounds_of_updates(self):
        length = float(np.linalg.norm(np.full(7, 0.5)))
        self.assertIsNone(round_of(longest_update=length * 1.000001).offer(good(), 1.0))
        self.assertEqual(round_of(longest_update=length * 0.999999).offer(good(), 1.0), "too long")
        for arguments in (dict(deadline_s=0.0), dict(deadline_s=math.inf), dict(least_arrivals=0),
                          dict(longest_update=0.0), dict(longest_update=math.nan), dict(most_power_w=-1.0)):
            with self.assertRaises(ValueError):
                Rules(**arguments)

    def test_numbers_of_other_widths(self):
        for kind in (np.float16, np.float64):
            arrays = {name: array.astype(kind) for name, array in end().items()}
            self.assertIsNone(round_of().offer(good(arrays=arrays), 1.0))

    def test_random_faults(self):
        """Whatever comes in whatever order: what counts is finite, of invited nodes, each once, and in time."""
        draw = random.Random(1)
        changes = [{}, {}, {}, dict(node=99), dict(round=3), dict(token="x"), dict(arrays=None), dict(error="e"),
                   dict(arrays={"weight": np.full((2, 2), np.inf), "bias": np.zeros(3)}), dict(energy_j=-1.0)]
        accepted = refused = 0
        for _ in range(2000):
            round = round_of(4, least_arrivals=draw.choice([1, 2]))
            at_s, offered, counted = 0.0, 0, set()
            while not round.is_over(at_s):
                at_s += draw.expovariate(0.7)
                seat, change = draw.randrange(4), draw.choice(changes)
                offered += 1
                if round.offer(good(seat, **change), at_s) is None:
                    self.assertEqual(change, {})
                    self.assertNotIn(seat, counted)
                    self.assertLess(at_s, 10.0)
                    counted.add(seat)
            self.assertEqual(len(round.refusals) + len(counted), offered)
            self.assertEqual(set(round.accepted()), counted if round.is_enough else set())
            for one in round.accepted().values():
                self.assertTrue(np.isfinite(one.update).all())
            accepted += len(counted)
            refused += len(round.refusals)
        self.assertGreater(accepted, 1000)
        self.assertGreater(refused, 1000)


class Robust(unittest.TestCase):
    def setUp(self):
        self.draw = np.random.default_rng(1)

    def test_clip(self):
        rows = self.draw.normal(size=(5, 9)).astype(np.float32)
        rows[0] = 0
        rows[1] *= 1e30
        found = Clip(2.0)(rows)
        for row, given in zip(found, rows):
            norm = math.sqrt(math.fsum(float(x) ** 2 for x in given))
            factor = 1 if norm <= 2 else 2 / norm
            # A product and a rounding to float32 each.
            np.testing.assert_allclose(row, given.astype(float) * factor, rtol=4 * 2**-24)

    def test_median_and_trimmed_mean_one_coordinate_at_a_time(self):
        for rows in range(1, 9):
            updates = self.draw.normal(size=(rows, 4)).astype(np.float32)
            updates[rows // 2, 0] = 1e20
            for column in range(4):
                values = sorted(float(x) for x in updates[:, column])
                middle = (values[(rows - 1) // 2] + values[rows // 2]) / 2
                self.assertEqual(Median()(updates)[0, column], np.float32(middle))
                for share in (0.0, 0.2, 0.34, 0.49):
                    cut = math.floor(share * rows)
                    kept = values[cut:rows - cut]
                    mean = math.fsum(kept) / len(kept)
                    size = max(abs(x) for x in kept)  # of which the sum of 8 numbers is off by 8 roundings
                    self.assertAlmostEqual(float(TrimmedMean(share)(updates)[0, column]), mean,
                                           delta=2**-24 * abs(mean) + 16 * 2**-53 * size)

    def test_krum_by_its_definition(self):
        for rows, hostile, chosen in itertools.product(range(2, 9), (0, 1, 2), (1, 2)):
            updates = self.draw.normal(size=(rows, 6)).astype(np.float32)
            scores = []
            for i in range(rows):
                distances = sorted(math.fsum((float(a) - float(b)) ** 2 for a, b in zip(updates[i], updates[j]))
                                   for j in range(rows) if j != i)
                scores.append(math.fsum(distances[:max(rows - hostile - 2, 1)]))
            # Sums of other orders may decide a tie otherwise, as between two that are each other's neighbours.
            best = sorted(range(rows), key=lambda i: scores[i])[:chosen]
            if rows > chosen and abs(sorted(scores)[chosen] - sorted(scores)[chosen - 1]) < 1e-9:
                continue
            expected = np.mean([updates[i].astype(float) for i in best], axis=0)
            np.testing.assert_allclose(Krum(hostile, chosen)(updates)[0], expected, rtol=2**-22)

    def test_they_withstand_who_lies(self):
        honest = self.draw.normal(1.0, 0.1, size=(7, 20)).astype(np.float32)
        rows = np.concatenate([honest, np.full((2, 20), -1e6, np.float32)])
        for rule in (Median(), TrimmedMean(0.25), Krum(2)):
            found = rule(rows)
            self.assertEqual(found.shape, rows.shape)
            self.assertLess(np.abs(found - 1).max(), 0.5)
            np.testing.assert_array_equal(found, np.tile(found[0], (9, 1)))
        self.assertGreater(np.abs(rows.mean(axis=0) - 1).max(), 1e5)

    def test_of_one_and_of_none(self):
        one, none = np.ones((1, 3), np.float32), np.ones((0, 3), np.float32)
        for rule in (Median(), TrimmedMean(), Krum(), Clip(10)):
            np.testing.assert_array_equal(rule(one), one)
            self.assertEqual(rule(none).shape, (0, 3))
        for wrong in (lambda: Clip(0), lambda: Clip(math.nan), lambda: TrimmedMean(0.5), lambda: TrimmedMean(-0.1),
                      lambda: Krum(-1), lambda: Krum(1, 0)):
            self.assertRaises(ValueError, wrong)


class Enrolling(unittest.TestCase):
    def test_hostile_figures(self):
        def claim(**changes):
            figures = {**FIGURES, **changes.pop("figures", {})}
            return Claim(**{**dict(node=7, device="a", samples=30, figures=figures), **changes})

        self.assertEqual(device_of(claim(), None).samples, 30)
        for changes, message in (
                (dict(samples=0), "num-examples = 0"), (dict(samples=-5), "num-examples = -5"),
                (dict(samples=1e18), "num-examples = 1e"), (dict(samples=2.5), "must be whole"),
                (dict(samples=math.nan), "num-examples = nan"), (dict(samples=None), "must be a number"),
                (dict(samples=True), "must be a number"), (dict(figures={"max_power_w": 0.0}), "max_power_w = 0"),
                (dict(figures={"max_power_w": math.inf}), "max_power_w = inf"),
                (dict(figures={"noise_to_gain_w": -1e-6}), "noise_to_gain_w"),
                (dict(figures={"energy_budget_j": math.nan}), "energy_budget_j = nan"),
                (dict(figures={"compute_time_s": "1"}), "must be a number"), (dict(figures={"update_bits": None}), "is missing"),
                (dict(device="../../etc"), "letters, digits"), (dict(device="a\nb"), "letters, digits"),
                (dict(device="a" * 200), "letters, digits"), (dict(labels=[10, 10]), "add up to 20"),
                (dict(labels=[31, -1]), "labels = -1"), (dict(labels=[0] * 300), "300 classes"),
                (dict(error="boom"), "boom"), (dict(parameters=0), "parameters = 0")):
            with self.assertRaisesRegex(ValueError, message):
                device_of(claim(**changes), None)
        with self.assertRaisesRegex(ValueError, "follows from its key"):
            device_of(claim(device="b"), "a")
        self.assertEqual(device_of(claim(device=None), "a").name, "a")
        self.assertEqual(device_of(claim(device=None), None).name, "node-7")

    def test_names_cannot_be_taken(self):
        enrolment = Enrolment()
        self.assertIsNone(enrolment.offer(Claim(1, "a", 10, FIGURES), None))
        self.assertRegex(enrolment.offer(Claim(2, "a", 10, FIGURES), None), "is at node 1 already")
        enrolment.forget_nodes([2, 3])
        self.assertEqual(enrolment.unknown([2, 3]), [3])
        self.assertIsNone(enrolment.offer(Claim(3, "a", 99, FIGURES), None))  # The device came again.
        self.assertEqual((enrolment.node_of, enrolment.devices[0].samples), ({"a": 3}, 10))
        self.assertRegex(enrolment.offer(Claim(4, "b", 10, FIGURES), None, is_open=False), "was not there when")
        self.assertRegex(enrolment.offer(Claim(5, "c", 10, FIGURES, parameters=9), None, parameters=8), "the model has 8")

    def test_it_is_kept(self):
        enrolment = Enrolment()
        for node, name in enumerate("cab"):
            enrolment.offer(Claim(node, name, 10 * node + 1, FIGURES, labels=[10 * node, 1]), None)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "e.json")
            enrolment.save(path)
            again = Enrolment.load(path)
            self.assertEqual(again.devices, enrolment.devices)
            again.write_fleet(os.path.join(folder, "fleet.csv"))
            with open(os.path.join(folder, "fleet.csv"), newline="") as file:
                rows = list(csv.DictReader(file))
            self.assertEqual([row["id"] for row in rows], ["a", "b", "c"])
            self.assertEqual(float(rows[0]["noise_to_gain_w"]), 1e-6)
            plan = airlot.plan(fleet=os.path.join(folder, "fleet.csv"))
            self.assertEqual(plan.devices, 3)
            with open(path, "w") as file:
                json.dump({"devices": [{"name": "a"}]}, file)
            with self.assertRaisesRegex(airlot.Error, "is not what was enrolled"):
                Enrolment.load(path)
        self.assertEqual([len(part) for part in again.partition()], [11, 21, 1])
        self.assertEqual(np.bincount(again.answers(2)).tolist(), [30, 3])


class Polling(unittest.TestCase):
    def test_who_is_stuck_keeps_nobody_waiting(self):
        stuck = threading.Event()
        counts = {}

        def fetch(message):
            if message == "stuck":
                stuck.wait(30)
                return None
            counts[message] = counts.get(message, 0) + 1
            return message if counts[message] >= 3 else None

        found = [message for message, _, _ in Poll(fetch, ["stuck", "a", "b"], 1.5, every_s=0.02, patience_s=0.1)]
        stuck.set()
        self.assertEqual(sorted(found), ["a", "b"])

    def test_an_error_is_an_answer(self):
        def fetch(message):
            if message == "a":
                raise RuntimeError("no such bytes")
            return message

        found = {asked: reply for asked, reply, _ in Poll(fetch, ["a", "b"], 5.0)}
        self.assertEqual((str(found["a"]), found["b"]), ("no such bytes", "b"))


class Client:
    """A device that learns to tell two clouds of points apart, by a logistic regression in NumPy."""

    def __init__(self, name, seed):
        draw = np.random.default_rng(seed)
        self.name = name
        self.y = draw.integers(0, 2, 40)
        self.x = draw.normal(size=(40, 3)) + np.outer(2 * self.y - 1, [1.0, -1.0, 0.5])
        self.heard = []

    def query(self):
        return ({"num-examples": 40, **FIGURES}, {"device": self.name, "labels": np.bincount(self.y, minlength=2).tolist()})

    def train(self, arrays, config):
        self.heard.append(config)
        w, b = arrays["w"].astype(float), arrays["b"].astype(float)
        for _ in range(config["airlot.local_steps"] or 1):
            p = 1 / (1 + np.exp(-(self.x @ w + b)))
            w = w - config["airlot.rate"] * self.x.T @ (p - self.y) / 40
            b = b - config["airlot.rate"] * (p - self.y).mean()
        loss = float(-np.log(np.where(self.y == 1, p, 1 - p)).mean())
        return ({"w": w.astype(np.float32), "b": b.astype(np.float32)},
                {"num-examples": 10**9, "train-loss": loss, "airlot.compute_s": 0.25, "airlot.upload_s": 0.5,
                 "airlot.energy_j": 0.125},
                {"token": config["airlot.token"], "round": config["server-round"], "device": self.name})

    def score(self, arrays):
        return float((((self.x @ arrays["w"] + arrays["b"]) > 0) == self.y).mean())


class Network:
    """Carries messages to clients in this process; a client that returns None never answers."""

    def __init__(self, clients):
        self.clients = dict(clients)

    def nodes(self):
        return {node: None for node in self.clients}

    def exchange(self, kind, arrays, configs, deadline_s):
        for node, config in configs.items():
            client = self.clients[node]
            if kind == "query":
                yield wire.claim_of(node, *client.query()), 0.0
            elif kind == "evaluate":
                yield Score(node, 0.5, client.score(arrays)), 0.0
            else:
                answer = client.train(arrays, config)
                if answer is not None:
                    yield wire.reply_of(node, *answer), 0.01


def scenario_of(**keys):
    given = {"learning.rate": 0.3, "learning.local_steps": 3, "evaluate_every": 1, "round.time_limit_s": 2, "rounds": 12}
    return airlot.Scenario("float32-cell", **{**given, **keys})


class Live(unittest.TestCase):
    def setUp(self):
        kept = tempfile.TemporaryDirectory()
        self.addCleanup(kept.cleanup)
        self.folder = kept.name
        self.clients = {100 + i: Client(f"c{i}", i) for i in range(6)}

    def run_live(self, clients=None, strategy="probabilistic", name="run", robust=None, rules=Rules(), least=1, **keys):
        output = os.path.join(self.folder, name)
        network = Network(self.clients if clients is None else clients)
        self.federation = Federation(network, os.path.join(output, "live"), robust=robust, rules=rules)
        start = {"w": np.zeros(3, np.float32), "b": np.zeros((), np.float32)}
        self.run = LiveRun(self.federation, scenario_of(**keys), strategy, output, start=start)
        self.run.open(least, 1.0)
        return self.run.go()

    def replies(self, name="run"):
        with open(os.path.join(self.folder, name, "live", "replies.csv"), newline="") as file:
            return list(csv.DictReader(file))

    def test_they_learn_and_the_books_are_what_they_measured(self):
        for strategy in ("probabilistic", "uniform", "airtime"):
            results = self.run_live(strategy=strategy, name=strategy)
            self.assertEqual(results.status, "complete")
            rounds = results.rounds
            self.assertGreater(rounds["accuracy"][-1], 0.9)
            taken = rounds["participants"].sum()
            self.assertGreater(taken, 12)
            # Each spent an eighth of a joule, which adds up exactly.
            self.assertEqual(rounds["energy_j"][-1], 0.125 * taken)
            rows = self.replies(strategy)
            self.assertEqual(len(rows), taken)
            self.assertEqual({row["outcome"] for row in rows}, {"accepted"})
            self.assertEqual({row["upload_s"] for row in rows}, {"0.5"})
            report = results.report()
            self.assertGreater(os.path.getsize(report.path), 10000)
        config = self.clients[100].heard[0]
        self.assertEqual(config["airlot.local_steps"], 3)
        self.assertLessEqual(config["airlot.power_w"], 0.2 * (1 + 1e-12))

    def test_every_strategy_that_asks_for_no_more(self):
        """All strategies of the list work but for those that ask devices for losses or norms, which end with an error that says so."""
        asking = {"gradient-probability", "update-aware", "update-aware-bn2", "update-aware-bn2-c", "power-of-choice", "power-of-choice-cpow"}
        for strategy in airlot.strategies():
            clients = {100 + i: Client(f"c{i}", i) for i in range(14)}
            if strategy in asking:
                with self.assertRaisesRegex(airlot.Error, "asks devices for"):
                    self.run_live(clients, strategy=strategy, name=strategy, rounds=2)
                asking.remove(strategy)
            else:
                results = self.run_live(clients, strategy=strategy, name=strategy, rounds=2)
                self.assertEqual(results.status, "complete")
                self.assertEqual(results.rounds["arrived"][1:].tolist(), results.rounds["participants"][1:].tolist())
        self.assertEqual(asking, set())

    def test_channel_and_battery_are_refreshed(self):
        """A device reports its channel and battery with each update; those of the enrolment stay, as the plan is made of them."""
        class Drains(Client):
            left_j = 8.0

            def train(self, arrays, config):
                self.left_j -= 0.5
                arrays, metrics, words = super().train(arrays, config)
                return arrays, {**metrics, "battery_j": self.left_j, "noise_to_gain_w": 1e-6 * config["server-round"]}, words

        class Lies(Client):
            def train(self, arrays, config):
                arrays, metrics, words = super().train(arrays, config)
                return arrays, {**metrics, "battery_j": math.nan}, words

        self.clients[100], self.clients[101] = Drains("c0", 0), Lies("c1", 1)
        self.run_live(strategy="all", rounds=3)
        rows = self.replies()
        mine = [(row["noise_to_gain_w"], row["battery_j"], row["outcome"]) for row in rows if row["device"] == "c0"]
        self.assertEqual(mine, [("1e-06", "7.5", "accepted"), ("2e-06", "7.0", "accepted"), ("3e-06", "6.5", "accepted")])
        self.assertEqual({(row["battery_j"], row["outcome"]) for row in rows if row["device"] == "c1"}, {("", "bad figures")})
        kept = Enrolment.load(os.path.join(self.folder, "run", "live", "enrolment.json"))
        self.assertEqual(kept.now, {"c0": {"noise_to_gain_w": 3e-6, "battery_j": 6.5}})
        self.assertEqual({device.figures["noise_to_gain_w"] for device in kept.devices}, {1e-6})

    def test_time_is_that_of_the_slowest(self):
        results = self.run_live(rounds=3)
        full = np.diff(results.rounds["time_s"])[results.rounds["participants"][1:] > 0]
        np.testing.assert_allclose(full, 0.75, rtol=1e-12)

    def test_weights_are_those_of_the_enrolment(self):
        """Each client claims a milliard of samples in its replies; all have 40, so the plain mean must come out."""
        results = self.run_live(strategy="all", rounds=1)
        means = np.mean([client.train({"w": np.zeros(3, np.float32), "b": np.zeros((), np.float32)}, client.heard[0])[0]["w"]
                         for client in self.clients.values()], axis=0)
        with np.load(os.path.join(results.folder, "all", "seed-1", "model.npz")) as kept:
            found = np.concatenate([kept[name].ravel() for name in kept.files])
        np.testing.assert_allclose(found[:3], means, rtol=1e-5)

    def test_it_goes_on_where_it_was_stopped(self):
        whole = self.run_live(name="whole")
        clients = {100 + i: Client(f"c{i}", i) for i in range(6)}
        calls = itertools.count()

        class Breaks(Client):
            def train(self, arrays, config):
                if config["server-round"] == 7 and next(calls) == 0:
                    raise RuntimeError("the server application dies")
                return super().train(arrays, config)

        for i in range(6):
            clients[100 + i].__class__ = Breaks
        with self.assertRaisesRegex(RuntimeError, "dies"):
            self.run_live(clients, name="broken")
        half = airlot.read_runs(os.path.join(self.folder, "broken"))
        self.assertEqual(half.rounds["round"].max(), 6)
        # The nodes register anew, one does not come back, and a stranger is there.
        moved = {200 + i: clients[100 + i] for i in range(6)}
        moved[300] = Client("stranger", 9)
        results = self.run_live(moved, name="broken")
        self.assertEqual(results.status, "complete")
        self.assertEqual(moved[300].heard, [])
        for column in ("time_s", "energy_j", "participants", "accuracy", "loss"):
            np.testing.assert_array_equal(results.rounds[column], whole.rounds[column])

    def test_faults(self):
        class Hostile(Client):
            def train(self, arrays, config):
                found, metrics, words = super().train(arrays, config)
                kind = (config["server-round"] + int(self.name[1:])) % 6
                if kind == 0:
                    return None
                if kind == 1:
                    found["w"] = np.full(3, np.nan, np.float32)
                if kind == 2:
                    words["token"] = "0" * 32
                if kind == 3:
                    found = {"w": found["w"]}
                if kind == 4:
                    found["w"] = found["w"] + np.float32(1e30)
                return found, metrics, words

        clients = {node: (Hostile if node % 2 else Client)(client.name, node) for node, client in self.clients.items()}
        results = self.run_live(clients, strategy="all", rules=Rules(deadline_s=5.0))
        self.assertEqual(results.status, "complete")
        self.assertGreater(results.rounds["accuracy"][-1], 0.85)
        counts = self.federation.counts
        for reason in ("not finite", "wrong token", "wrong keys", "too long", "no answer", "accepted"):
            self.assertGreater(counts.get(reason, 0), 0, reason)
        # Rounds in which somebody did not answer took until the deadline.
        spans = np.diff(results.rounds["time_s"])
        self.assertEqual(set(np.round(spans, 9)), {0.75, 5.0})
        self.assertEqual(results.rounds["arrived"][1:].sum(), counts["accepted"])

    def test_robust_rules(self):
        class Liar(Client):
            def train(self, arrays, config):
                found, metrics, words = super().train(arrays, config)
                return {name: 2 * arrays[name] - array + np.float32(-3) for name, array in found.items()}, metrics, words

        clients = {node: (Liar if node in (100, 101) else Client)(client.name, node) for node, client in self.clients.items()}
        plain = self.run_live(clients, strategy="all", name="plain").rounds["accuracy"][-1]
        for rule in (Median(), TrimmedMean(0.34), Krum(2)):
            robust = self.run_live(clients, strategy="all", name=type(rule).__name__, robust=rule).rounds["accuracy"][-1]
            self.assertGreater(robust, max(0.85, plain))

    def test_abandoned_rounds_leave_the_model(self):
        class Mute(Client):
            def train(self, arrays, config):
                return None

        clients = {node: Mute(client.name, node) for node, client in self.clients.items()}
        clients[100] = self.clients[100]
        results = self.run_live(clients, strategy="all", rules=Rules(deadline_s=5.0, least_arrivals=2), rounds=2)
        self.assertEqual(results.rounds["time_s"][-1], 10.0)
        self.assertEqual(results.rounds["arrived"][-1], 0)
        self.assertEqual(self.federation.counts, {"abandoned": 2, "no answer": 10})
        self.assertEqual(results.rounds["accuracy"][0], results.rounds["accuracy"][-1])

    def test_nobody_is_there_for_a_while(self):
        """Rounds do not run away while all nodes are gone: they wait for them, until the deadline."""
        network = Network({})
        federation = Federation(network, os.path.join(self.folder, "live"), rules=Rules(deadline_s=1.5))
        for node, client in self.clients.items():
            federation.enrolment.offer(wire.claim_of(node, *client.query()), None)
        federation.is_open = False
        federation.shapes = {"w": (3,), "b": ()}
        invited = [airlot.Invitation(0, 0.1, 1e5, 1.0, 1e5, 0.5, 0.1, 0.2)]
        training = airlot.Training(1, 0.1, 0, 3, 0, 0.0, None, True)
        gathering, updates = federation.gather(invited, np.zeros(4, np.float32), training)
        self.assertEqual((gathering.arrivals[0].has_arrived, gathering.waited_s, updates), (False, 1.5, {}))
        self.assertEqual(federation.counts, {"offline": 1})
        come_back = threading.Timer(0.3, lambda: network.clients.update({7: self.clients[100]}))
        come_back.start()
        gathering, updates = federation.gather(invited, np.zeros(4, np.float32), training)
        self.assertEqual((gathering.arrivals[0].has_arrived, gathering.waited_s, sorted(updates)), (True, 0.0, [0]))

    def test_what_cannot_be(self):
        with self.assertRaisesRegex(airlot.Error, "6 devices are there after 0 s, and 9 are needed"):
            Federation(Network(self.clients), os.path.join(self.folder, "x")).enrol(9, 0.0)
        for keys, message in (({"learning.rule": "scaffold"}, "second vector"),
                              ({"learning.compression": "top-k", "learning.keep": 0.1}, "all numbers as they are")):
            with self.assertRaisesRegex(airlot.Error, message):
                self.run_live(**keys)

    def test_the_built_in_model_is_evaluated_here(self):
        class Still(Client):
            def train(self, arrays, config):
                return (arrays, {"train-loss": 1.0}, {"token": config["airlot.token"]})

        clients = {1: Still("a", 1), 2: Still("b", 2)}
        output = os.path.join(self.folder, "own")
        federation = Federation(Network(clients), os.path.join(output, "live"))
        x = np.random.default_rng(1).normal(size=(50, 4))
        test = airlot.Dataset(train_x=x, train_y=np.zeros(50, int), test_x=x, test_y=(x[:, 0] > 0).astype(int), classes=2)
        run = LiveRun(federation, scenario_of(rounds=2, **{"model.name": "logistic"}), "all", output, test=test)
        run.open(2, 1.0)
        results = run.go()
        self.assertEqual(federation.parameters, 10)  # four features and a bias, two classes
        self.assertTrue((results.rounds["test_loss"] > 0).all())
        self.assertEqual(len(set(results.rounds["test_loss"])), 1)


class Gathered(unittest.TestCase):
    """What the round loop takes from a backend whose devices are elsewhere."""

    def run_with(self, answer):
        class Elsewhere(airlot.Backend):
            parameters = 2

            def gather(self, invited, parameters, training):
                return answer(invited)

            def train(self, device, parameters, training):
                return airlot.Update(np.ones(2), loss=1.0)

            def evaluate(self, parameters):
                return airlot.Evaluation(accuracy=0.5, loss=1.0)

        data = airlot.Dataset(train_y=np.arange(100) % 2, test_y=[0, 1], classes=2)
        return airlot.train(scenario_of(rounds=2, **{"fleet.devices": 5, "data.partition": "iid"}), "all", backend=Elsewhere,
                            data=data, progress=False)

    def test_what_was_measured_is_booked(self):
        found = self.run_with(lambda invited: airlot.Gathering(
            [airlot.Arrival(one.device != 0, upload_s=1.0, compute_s=0.5, energy_j=0.25) for one in invited], 3.0))
        self.assertEqual(found.rounds["time_s"].tolist(), [0.0, 3.0, 6.0])
        self.assertEqual(found.rounds["energy_j"][-1], 2 * 5 * 0.25)
        self.assertEqual(found.rounds["arrived"][1:].tolist(), [4.0, 4.0])

    def test_none_means_that_all_are_here(self):
        self.assertTrue(np.isnan(self.run_with(lambda invited: None).rounds["arrived"]).all())

    def test_nonsense_ends_the_run(self):
        for answer, message in (
                (lambda invited: airlot.Gathering([]), "returned 0 arrivals, and 5 devices were invited"),
                (lambda invited: airlot.Gathering([airlot.Arrival(True, energy_j=math.nan)] * 5), "energy_j = nan"),
                (lambda invited: airlot.Gathering([airlot.Arrival(True, upload_s=-1)] * 5), "upload_s = -1"),
                (lambda invited: airlot.Gathering([airlot.Arrival(True)] * 5, math.inf), "waited_s = inf")):
            with self.assertRaisesRegex(airlot.Error, message):
                self.run_with(answer)

    def test_what_cannot_be_evaluated_here(self):
        class Silent(airlot.Backend):
            def evaluate(self, parameters):
                return None

        class Own(Silent):
            parameters = 2

        x = np.ones((4, 3))
        data = {Own: airlot.Dataset(train_x=x, train_y=[0, 1, 0, 1], test_x=x, test_y=[0, 1, 0, 1], classes=2),
                Silent: airlot.Dataset(train_y=[0, 1], test_y=[0, 1], classes=2)}
        scenario = scenario_of(**{"fleet.devices": 1, "data.partition": "iid", "model.name": "logistic"})
        for backend, message in ((Own, "only a model of the library"), (Silent, "no test samples here")):
            with self.assertRaisesRegex(airlot.Error, message):
                airlot.train(scenario, "all", backend=backend, data=data[backend], progress=False)


class Package(unittest.TestCase):
    def test_examples(self):
        import doctest

        from airlot.flower import shares

        found = doctest.testmod(shares)
        self.assertEqual((found.failed, found.attempted > 0), (0, True))
        with self.assertRaisesRegex(airlot.Error, "share 4 of 4"):
            shares.share_of("digits", 4, 4, most=8)
        self.assertEqual(shares.test_of("digits", most=8)[0].shape, (8, 28, 28))

    def test_flower_is_not_imported_before_it_is_asked_for(self):
        script = "import sys, airlot, airlot.flower, airlot.flower.backend; print('flwr' in sys.modules)"
        output = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True).stdout
        self.assertEqual(output.strip(), "False")


if __name__ == "__main__":
    unittest.main()
