"""What goes wrong around a real SuperLink: certificates, keys, clocks, slow devices, kills, and Flower's legacy API, with nodes of
`airlot device`. It needs flwr, openssl, ssh-keygen, faketime and the program (AIRLOT)."""
import collections
import os
import shutil
import signal
import unittest

import airlot
from loopback import APP, FederationTest, replies_in

CELL = ("--emulate", "float32-cell", "--set", "data.dataset=digits", "--set", "model.name=logistic", "--set", "fleet.devices=20", "--poll-s", "0.1")
FAST = ("--pace", "inf")
SETTINGS = {"strategy": "all", "deadline-s": 300.0, "wait-s": 600.0}

LEGACY = '''
"""A server application of Flower's legacy API."""
import airlot
from airlot.flower import LegacyStrategy, Rules
from airlot_app import task
from flwr.app import Context
from flwr.server import ServerApp, ServerAppComponents, ServerConfig


def server(context: Context) -> ServerAppComponents:
    given = context.run_config
    scenario = airlot.Scenario(given["scenario"], rounds=given["rounds"], evaluate_every=1,
                               **{"learning.rate": 0.2, "learning.local_steps": 10, "learning.batch": 32})
    strategy = LegacyStrategy(scenario, given["strategy"], output=given["output"], initial=list(task.start().values()),
                              least_devices=given["devices"], wait_s=given["wait-s"], rules=Rules(deadline_s=given["deadline-s"]))
    return ServerAppComponents(strategy=strategy, config=ServerConfig(num_rounds=given["rounds"], round_timeout=given["deadline-s"]))


app = ServerApp(server_fn=server)
'''


class Devices(FederationTest):
    def enter(self, index, *options, registers=True, **how):
        self.federation.make_device_key(f"device{index}")
        if registers:
            self.register(f"device{index}")
        self.federation.start_device(index, "--index", str(index), *CELL, *options, **how)

    def outcomes(self, run):
        """Returns what came of the invitations of each device."""
        found = collections.defaultdict(set)
        for row in replies_in(self.folder / run):
            found[row["device"]].add(row["outcome"])
        return {index: found.get(self.federation.name_of(f"device{index}"), set()) for index in self.federation.devices}

    def finish(self, output, **settings):
        printed = self.federation.run(output=output, **{**SETTINGS, **settings})
        self.assertTrue((self.folder / output).exists(), printed)
        results = airlot.read_runs(self.folder / output)
        self.assertEqual(results.status, "complete", printed)
        return results


class Faults(Devices):
    def test_keys_clocks_and_a_slow_device(self):
        self.enter(0, *FAST)
        self.enter(1, *FAST)
        self.enter(2, *FAST, before=("faketime", "-f", "-200s"))  # Flower tolerates 300 s.
        self.enter(3, "--pace", "1e-6")                           # An upload takes hours.
        self.enter(4, *FAST, "--patience-s", "1", registers=False)
        self.enter(5, *FAST, "--patience-s", "1", before=("faketime", "-f", "-600s"))
        self.enter(6, *FAST, "--patience-s", "1", before=("faketime", "-f", "+600s"))
        for index in (4, 5, 6):
            self.assertEqual(self.federation.devices[index].wait(600), 1)
            self.assertIn("the SuperLink must know the node's key (flwr supernode register), the clocks must agree", self.federation.log(f"device{index}"))
        results = self.finish("runs", devices=4, rounds=2, **{"deadline-s": 20.0})
        self.assertEqual(self.outcomes("runs"), {0: {"accepted"}, 1: {"accepted"}, 2: {"accepted"}, 3: {"no answer"}, 4: set(), 5: set(), 6: set()})
        # A round in which somebody does not answer takes as long as its deadline.
        self.assertEqual(results.rounds["time_s"].tolist(), [0, 20, 40])
        self.assertEqual(results.rounds["arrived"][1:].tolist(), [3, 3])
        self.assertGreater(results.rounds["accuracy"][-1], results.rounds["accuracy"][0])

    def test_the_legacy_api(self):
        self.federation.app = self.folder / "legacy"
        shutil.copytree(APP, self.federation.app)
        (self.federation.app / "airlot_app" / "server_app.py").write_text(LEGACY)
        for index in range(3):
            self.enter(index, *FAST)
        results = self.finish("runs", devices=3, rounds=3)
        self.assertEqual(results.rounds["arrived"][1:].tolist(), [3, 3, 3])
        self.assertEqual(set(results.devices["id"]), {self.federation.name_of(f"device{index}") for index in range(3)})
        self.assertGreater(results.rounds["accuracy"][-1], results.rounds["accuracy"][0])  # The devices evaluate.


class Restarts(Devices):
    database = True

    def test_a_certificate_that_expires_and_is_renewed(self):
        federation = self.federation
        self.enter(0, *FAST)
        self.wait_until(lambda: "ready" in federation.log("device0"), "its entry")
        federation.kill(federation.link)
        federation.make_server_certificate(days=-1)
        federation.start_link()
        self.enter(1, *FAST, registers=False)
        self.assertEqual(federation.devices[1].wait(600), 1)
        self.assertIn("or has expired", federation.log("device1"))
        self.wait_until(lambda: "or has expired; trying again" in federation.log("device0"), "its refusal")
        self.assertIsNone(federation.devices[0].poll())  # It has been in, and waits for a better one.

        federation.kill(federation.link)
        federation.make_server_certificate()
        federation.start_link()
        self.finish("runs", devices=1, rounds=2)
        self.assertEqual(self.outcomes("runs")[0], {"accepted"})

    def test_kills(self):
        """Kills a device and has it come back, the server application, and the SuperLink: each round is in the books once."""
        federation, run = self.federation, self.folder / "runs"
        for index in range(4):
            self.enter(index, *FAST)
        settings = {**SETTINGS, "output": "runs", "devices": 4, "rounds": 9, "deadline-s": 10.0}
        federation.submit(**settings)
        self.wait_until(lambda: self.round_of(run) >= 2, "round 2")
        federation.kill(federation.devices[3])
        self.wait_until(lambda: self.round_of(run) >= 4, "round 4")
        for pid in federation.server_applications():
            os.kill(pid, signal.SIGKILL)
        federation.submit(**settings)
        self.wait_until(lambda: self.round_of(run) >= 6, "round 6")
        federation.kill(federation.link)  # with the server application below it
        committed = airlot.read_runs(run).rounds
        federation.start_device(3, "--index", "3", *CELL, *FAST)
        federation.start_link()
        printed = federation.run(**settings)
        self.assertIn("goes on with the run in runs and its 4 devices", printed)
        results = airlot.read_runs(run)
        self.assertEqual(results.status, "complete", printed)
        self.assertEqual(results.rounds["round"].tolist(), list(range(10)))
        for column in ("time_s", "energy_j", "accuracy"):  # Nothing that was committed is lost.
            kept = committed[column].tolist()
            self.assertEqual(results.rounds[column].tolist()[:len(kept)], kept)
        self.assertGreater(results.rounds["accuracy"][-1], results.rounds["accuracy"][0])
        self.assertTrue({"no answer", "offline"} & self.outcomes("runs")[3])
        self.assertIn("no answer from the SuperLink", federation.log("device0"))
        federation.devices[0].send_signal(signal.SIGTERM)
        self.assertEqual(federation.devices[0].wait(600), 0)


if __name__ == "__main__":
    unittest.main()
