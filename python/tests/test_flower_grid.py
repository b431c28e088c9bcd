"""The strategies for Flower's two APIs, with Flower's own messages over a network in this process. It needs flwr."""
import csv
import itertools
import os
import tempfile
import threading
import time
import unittest
from types import SimpleNamespace

import numpy as np
from flwr.app import Array, ArrayRecord, ConfigRecord, Error, Message, MetricRecord, RecordDict
from flwr.common import (Code, EvaluateRes, FitRes, GetPropertiesRes, Status, ndarrays_to_parameters,
                         parameters_to_ndarrays)
from flwr.server import Server, SimpleClientManager
from flwr.server.client_proxy import ClientProxy
from flwr.serverapp import Grid

import airlot
from airlot.flower import AirlotStrategy, LegacyStrategy, Rules
from test_flower import Client, scenario_of

try:  # Messages are of a task, which a server application has.
    from flwr.supercore.task_identity import TaskIdentity

    TaskIdentity.task_id, TaskIdentity.run_id, TaskIdentity.node_id = 1, 7, 1
except ImportError:
    pass

START = {"w": np.zeros(3, np.float32), "b": np.zeros((), np.float32)}


class OfficeGrid(Grid):
    """A Grid whose nodes are clients in this process: `nodes` are functions of a message that return a reply, None
    (no answer), or wait as long as they like."""

    def __init__(self, clients):
        self.clients = clients
        self.sent = {}
        self.counter = itertools.count(1)
        self._run = SimpleNamespace(run_id=7)

    def set_run(self, run):
        pass

    @property
    def run(self):
        return self._run

    def create_message(self, *arguments, **more):
        raise NotImplementedError

    def get_node_ids(self):
        return list(self.clients)

    def get_nodes(self):
        return [SimpleNamespace(node_id=node, public_key=b"") for node in self.clients]

    def push_messages(self, messages):
        found = []
        for message in messages:
            message.metadata.__dict__["_message_id"] = f"m{next(self.counter)}"
            self.sent[message.metadata.message_id] = message
            found.append(message.metadata.message_id)
        return found

    def pull_messages(self, message_ids):
        replies = []
        for message_id in message_ids:
            message = self.sent.get(message_id)
            if message is None:
                continue
            reply = self.clients[message.metadata.dst_node_id](message)
            if reply is not None:
                del self.sent[message_id]
                replies.append(reply)
        return replies

    def send_and_receive(self, messages, *, timeout=None):
        raise NotImplementedError


def node_of(client, change=lambda found, metrics, words, round: (found, metrics, words)):
    """Makes a node of a client that speaks Flower's messages."""
    def answer(message):
        kind = message.metadata.message_type
        config = dict(message.content["config"])
        if kind == "query":
            metrics, words = client.query()
            content = {"metrics": MetricRecord(metrics), "airlot": ConfigRecord(words)}
        else:
            arrays = {name: array.numpy() for name, array in message.content["arrays"].items()}
            if kind == "evaluate":
                content = {"metrics": MetricRecord({"num-examples": 40, "loss": 0.5, "accuracy": client.score(arrays)})}
            else:
                changed = change(*client.train(arrays, config), config["server-round"])
                if changed is None:
                    return None
                if isinstance(changed, str):
                    return Message(Error(0, changed), reply_to=message)
                found, metrics, words = changed
                content = {"arrays": ArrayRecord({name: Array(np.asarray(values)) for name, values in found.items()}),
                           "metrics": MetricRecord(metrics), "airlot": ConfigRecord(words)}
        return Message(RecordDict(content), reply_to=message)

    return answer


class MessageApi(unittest.TestCase):
    def setUp(self):
        kept = tempfile.TemporaryDirectory()
        self.addCleanup(kept.cleanup)
        self.output = os.path.join(kept.name, "run")
        self.clients = {10 + i: Client(f"c{i}", i) for i in range(5)}

    def start(self, nodes, strategy="all", rules=Rules(deadline_s=5.0), **more):
        made = AirlotStrategy(scenario_of(rounds=5), strategy, output=self.output, least_devices=2, wait_s=5.0, rules=rules)
        initial = ArrayRecord({name: Array(values) for name, values in START.items()})
        return made, made.start(OfficeGrid(nodes), initial, **more)

    def test_a_whole_run(self):
        strategy, result = self.start({node: node_of(client) for node, client in self.clients.items()}, "probabilistic")
        self.assertEqual(set(result.train_metrics_clientapp), {1, 2, 3, 4, 5})
        self.assertEqual(set(result.evaluate_metrics_clientapp), {0, 1, 2, 3, 4, 5})
        self.assertGreater(result.evaluate_metrics_clientapp[5]["accuracy"], 0.9)
        self.assertEqual(result.arrays["b"].numpy().shape, ())
        accuracy = np.mean([client.score({name: array.numpy() for name, array in result.arrays.items()})
                            for client in self.clients.values()])
        self.assertAlmostEqual(accuracy, result.evaluate_metrics_clientapp[5]["accuracy"], places=12)
        self.assertEqual(strategy.results.status, "complete")

    def test_evaluation_at_the_server(self):
        seen = []

        def evaluate(round, arrays):
            seen.append(round)
            return MetricRecord({"accuracy": 0.25, "loss": float(np.abs(arrays["w"].numpy()).sum())})

        _, result = self.start({node: node_of(client) for node, client in self.clients.items()}, num_rounds=2,
                               evaluate_fn=evaluate)
        self.assertEqual(seen, [0, 1, 2])
        self.assertEqual(result.evaluate_metrics_serverapp[2]["accuracy"], 0.25)
        self.assertEqual(result.evaluate_metrics_serverapp[0]["loss"], 0.0)

    def test_hostile_messages(self):
        def nan(found, metrics, words, round):
            return {"w": np.full(3, np.nan, np.float32), "b": found["b"]}, metrics, words

        def texts(found, metrics, words, round):
            return {"w": np.array(["a", "b", "c"]), "b": found["b"]}, metrics, words

        def bytes_of_nothing(message):
            if message.metadata.message_type != "query":
                raise ValueError("these bytes are no message")
            return node_of(Client("x", 8))(message)

        def nothing(message):
            return (node_of(Client("n", 1))(message) if message.metadata.message_type == "query" else
                    Message(RecordDict({}), reply_to=message))

        def no_words(found, metrics, words, round):
            return found, {}, {"token": 5, "round": "x"}

        nodes = {1: node_of(Client("a", 1)), 2: node_of(Client("b", 2), nan), 3: node_of(Client("c", 3), texts),
                 4: node_of(Client("d", 4), no_words), 5: nothing,
                 6: node_of(Client("f", 6), lambda *_: "out of memory"), 7: node_of(Client("g", 7), lambda *_: None),
                 8: bytes_of_nothing}
        strategy, result = self.start(nodes, rules=Rules(deadline_s=1.0), num_rounds=2)
        counts = strategy.federation.counts
        # Whoever sent a wrong token may still send the right one, and is waited for.
        self.assertEqual(counts, {"accepted": 2, "not finite": 2, "not numbers": 2, "wrong token": 4, "error": 4,
                                  "no answer": 6})
        self.assertTrue(np.isfinite(result.arrays["w"].numpy()).all())
        with open(os.path.join(self.output, "live", "replies.csv"), newline="") as file:
            self.assertIn("0: out of memory", {row["detail"] for row in csv.DictReader(file)})

    def test_a_round_ends_at_its_deadline_whoever_is_stuck(self):
        def stuck(message):
            if message.metadata.message_type == "query":
                return node_of(Client("s", 1))(message)
            released.wait(60)
            return None

        released = threading.Event()
        self.addCleanup(released.set)
        nodes = {node: node_of(client) for node, client in self.clients.items()}
        nodes[99] = stuck
        begun = time.monotonic()
        strategy, result = self.start(nodes, rules=Rules(deadline_s=3.0), num_rounds=1)
        self.assertLess(time.monotonic() - begun, 50)  # It waits for the round and for two evaluations, 3 s each.
        self.assertEqual(strategy.federation.counts, {"accepted": 5, "no answer": 1})

    def test_too_few_nodes(self):
        with self.assertRaisesRegex(airlot.Error, "1 devices are there after 0.5 s, and 2 are needed"):
            made = AirlotStrategy(scenario_of(), output=self.output, least_devices=2, wait_s=0.5)
            made.start(OfficeGrid({1: node_of(self.clients[10])}), ArrayRecord({"w": Array(START["w"])}))
        with self.assertRaisesRegex(airlot.Error, "give the arrays"):
            AirlotStrategy(scenario_of(), output=self.output).start(OfficeGrid({}))


class Proxy(ClientProxy):
    """A client of the legacy API in this process."""

    def __init__(self, cid, client, is_broken=False):
        super().__init__(cid)
        self.client, self.is_broken = client, is_broken

    def get_properties(self, ins, timeout, group_id):
        metrics, words = self.client.query()
        return GetPropertiesRes(Status(Code.OK, ""), {**metrics, "device": words["device"]})

    def get_parameters(self, ins, timeout, group_id):
        raise NotImplementedError

    def fit(self, ins, timeout, group_id):
        if self.is_broken:
            raise RuntimeError("no answer")
        w, b = parameters_to_ndarrays(ins.parameters)
        found, metrics, words = self.client.train({"w": w, "b": b}, ins.config)
        return FitRes(Status(Code.OK, ""), ndarrays_to_parameters([found["w"], found["b"]]), 40, {**metrics, **words})

    def evaluate(self, ins, timeout, group_id):
        w, b = parameters_to_ndarrays(ins.parameters)
        return EvaluateRes(Status(Code.OK, ""), 0.5, 40, {"accuracy": self.client.score({"w": w, "b": b})})

    def reconnect(self, ins, timeout, group_id):
        raise NotImplementedError


class LegacyApi(unittest.TestCase):
    def test_flowers_loop_holds_our_rounds(self):
        with tempfile.TemporaryDirectory() as folder:
            managers = []
            for name, broken in (("good", ()), ("broken", (0, 1))):
                manager = SimpleClientManager()
                for i in range(5):
                    manager.register(Proxy(str(900 + i), Client(f"c{i}", i), i in broken))
                strategy = LegacyStrategy(scenario_of(rounds=6), "all", output=os.path.join(folder, name),
                                          initial=list(START.values()), rules=Rules(deadline_s=5.0), wait_s=5.0)
                history, _ = Server(client_manager=manager, strategy=strategy).fit(num_rounds=6, timeout=5.0)
                managers.append((strategy, history))
            (good, history), (bad, _) = managers
            self.assertEqual(good.results.status, "complete")
            self.assertGreater(good.results.rounds["accuracy"][-1], 0.9)
            self.assertEqual(len(history.losses_centralized), 6)
            self.assertEqual(bad.results.rounds["arrived"][1:].tolist(), [3] * 6)
            self.assertEqual(bad._federation.counts, {"accepted": 18, "no answer": 12})


if __name__ == "__main__":
    unittest.main()
