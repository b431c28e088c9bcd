"""A real SuperLink with TLS and registered keys, SuperNodes of Flower's own that lie, and one of `airlot device`, all on loopback.
It needs flwr, openssl, ssh-keygen and the program (AIRLOT)."""
import collections
import shutil
import socket
import unittest

import airlot
from loopback import APP, FederationTest, replies_in


DEVICE = ("--emulate", "float32-cell", "--set", "data.dataset=digits", "--set", "data.partition=iid", "--set", "model.name=logistic",
          "--pace", "inf", "--poll-s", "0.5")
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
    if kind == 5:
        reply.content["airlot"] = ConfigRecord({"token": message.content["config"]["airlot.token"], "round": 1000})
    return reply


app = ClientApp()
app.query()(query)
app.evaluate()(evaluate)
app.train()(lie)
'''


class Deployment(FederationTest):
    def test_hostile_nodes(self):
        """Of six nodes with registered keys, five lie, each in its way; the model is that of the honest one and of one in C++. Another
        has a key that nobody has registered."""
        self.federation.app = self.folder / "hostile"
        shutil.copytree(APP, self.federation.app)
        module = self.federation.app / "airlot_app" / "client_app.py"
        module.write_text(module.read_text() + HOSTILE)
        self.enter_nodes(6)
        self.enter_devices(1, *DEVICE)
        self.federation.make_key("stranger")
        self.federation.start_node(7, 8, "stranger")
        printed = self.federation.run(devices=7, rounds=2, strategy="all", output="runs", **{"deadline-s": 300.0, "wait-s": 600.0})
        results = airlot.read_runs(self.folder / "runs")
        self.assertEqual(results.status, "complete", printed)
        self.assertEqual(results.rounds["arrived"][1:].tolist(), [2, 2], printed)
        self.assertGreater(results.rounds["accuracy"][-1], results.rounds["accuracy"][0] + 0.1)
        counts = collections.Counter(row["outcome"] for row in replies_in(self.folder / "runs"))
        # With a wrong token or round a seat stays open: whoever was invited may still answer.
        self.assertEqual(counts, {"accepted": 4, "not finite": 2, "wrong shape": 2, "too long": 2, "wrong token": 2, "wrong round": 2,
                                  "no answer": 4})
        self.assertEqual(set(results.devices["id"]), {self.federation.name_of(name) for name in [*(f"node{index}" for index in range(6)), "device0"]})
        self.assertIn("Failed to activate SuperNode", self.federation.log("node7"))

    def test_plain_text_is_refused(self):
        with socket.create_connection(("127.0.0.1", self.federation.port), timeout=600) as plain:
            plain.sendall(b"POST /v1/fleet/register-node HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n")
            try:
                self.assertNotIn(b"HTTP/1.1 200", plain.recv(1000))
            except ConnectionError:
                pass


if __name__ == "__main__":
    unittest.main()
