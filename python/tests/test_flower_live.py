"""A real SuperLink with TLS and registered keys, and SuperNodes of Flower's own, all on loopback. It needs flwr, openssl,
and a few minutes."""
import collections
import csv
import hashlib
import os
import shutil
import signal
import socket
import time
import unittest

import airlot
import loopback
from loopback import FederationTest


HOSTILE = '''
honest = train


def lie(message: Message, context) -> Message:
    reply = honest(message, context)
    arrays, kind = reply.content["arrays"], context.node_config["partition-id"]
    if kind == 1:
        arrays["bias"] = _array(np.full(10, np.nan, np.float32))
    if kind == 2:
        arrays["bias"] = _array(np.zeros(11, np.float32))
    if kind == 3:
        arrays["bias"] = _array(np.full(10, 1e30, np.float32))
    if kind == 4:
        reply.content["airlot"] = ConfigRecord({"token": "0" * 32})
    return reply


app = ClientApp()
app.query()(query)
app.evaluate()(evaluate)
app.train()(lie)
'''


class Deployment(FederationTest):
    def start_nodes(self, count):
        for index in range(count):
            self.federation.make_key(f"node{index}")
            self.register(f"node{index}")
            self.federation.start_node(index, count, f"node{index}")

    def replies(self):
        path = self.folder / "runs" / "live" / "live" / "replies.csv"
        if not path.exists():
            return []
        with open(path, newline="") as file:
            return list(csv.DictReader(file))

    def wait_for_round(self, number):
        ends = time.monotonic() + 300
        while max([int(row["round"]) for row in self.replies()], default=0) < number:
            self.assertLess(time.monotonic(), ends, self.federation.log("run") + self.federation.log("link")[-2000:])
            time.sleep(0.3)

    def test_killed_and_gone_on_with(self):
        """Kills the server application, then a node and the SuperLink, between which each run goes on."""
        self.start_nodes(3)
        self.federation.make_key("stranger")  # Nobody has registered it.
        self.federation.start_node(7, 8, "stranger")
        settings = {"devices": 3, "rounds": 7, "strategy": "all", "deadline-s": 60.0, "wait-s": 300.0}

        first = self.federation.start_run(**settings)
        self.wait_for_round(2)
        for pid in self.federation.server_applications():
            os.kill(pid, signal.SIGKILL)
        self.federation.kill(first)

        second = self.federation.start_run(**settings)
        self.wait_for_round(4)
        self.federation.kill(self.federation.nodes.pop(2))
        self.federation.kill(self.federation.link)  # with the server application below it
        self.federation.kill(second)
        committed = airlot.read_runs(self.folder / "runs" / "live").rounds["round"].max()
        self.assertGreaterEqual(committed, 3)

        self.federation.start_link()
        output = self.federation.run(**settings)
        self.assertIn("goes on with the run in runs/live and its 3 devices", output)
        results = airlot.read_runs(self.folder / "runs" / "live")
        self.assertEqual(results.status, "complete", output)
        self.assertEqual(results.rounds["round"].tolist(), list(range(8)))
        self.assertGreater(results.rounds["accuracy"][-1], results.rounds["accuracy"][0] + 0.2)
        self.assertTrue((self.folder / "runs" / "live" / "report.html").exists())
        # Devices go by their keys, and the stranger is not among them.
        names = {hashlib.sha256((self.folder / f"node{index}.pem").read_bytes()).hexdigest() for index in range(3)}
        self.assertEqual(set(results.devices["id"]), names)
        self.assertIn("Failed to activate SuperNode", self.federation.log("node7"))
        outcomes = {row["outcome"] for row in self.replies()}
        self.assertLessEqual(outcomes, {"accepted", "no answer", "offline", "error"})

    def test_hostile_nodes(self):
        """Of five nodes with registered keys, four lie, each in its way; the model is that of the honest one."""
        self.federation.app = self.folder / "hostile"
        shutil.copytree(loopback.APP, self.federation.app)
        module = self.federation.app / "airlot_app" / "client_app.py"
        module.write_text(module.read_text() + HOSTILE)
        self.start_nodes(5)
        output = self.federation.run(devices=5, rounds=2, strategy="all", **{"deadline-s": 60.0, "wait-s": 300.0})
        self.assertIn("round 2: 1 of 5 updates have come", output)
        results = airlot.read_runs(self.folder / "runs" / "live")
        self.assertEqual(results.status, "complete", output)
        self.assertEqual(results.rounds["arrived"][1:].tolist(), [1, 1])
        self.assertGreater(results.rounds["accuracy"][-1], results.rounds["accuracy"][0] + 0.1)
        counts = collections.Counter(row["outcome"] for row in self.replies())
        self.assertEqual(counts, {"accepted": 2, "not finite": 2, "wrong shape": 2, "too long": 2, "wrong token": 2,
                                  "no answer": 2})

    def test_plain_text_is_refused(self):
        with socket.create_connection(("127.0.0.1", self.federation.port), timeout=10) as plain:
            plain.sendall(b"POST /v1/fleet/register-node HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n")
            plain.settimeout(10)
            try:
                self.assertNotIn(b"HTTP/1.1 200", plain.recv(1000))
            except ConnectionError:
                pass


if __name__ == "__main__":
    unittest.main()
