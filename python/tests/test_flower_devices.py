"""A cell on loopback: a real SuperLink with TLS and registered keys, nodes of `airlot device` and of Flower's own. It needs
flwr, openssl and ssh-keygen, the program (AIRLOT), and a few minutes."""
import csv
import os
import signal
import statistics
import subprocess
import time
import unittest

import airlot
from loopback import FederationTest

AIRLOT = os.environ["AIRLOT"]
DEVICES = 20
PYTHON_NODES = 5
ROUNDS = 30
# What each device is: one of this scenario, with its share of the digits; uploads pass in no time.
CELL = ("--emulate", "float32-cell", "--set", "data.dataset=digits", "--set", "model.name=logistic", "--set", f"fleet.devices={DEVICES}",
        "--pace", "inf", "--poll-s", "0.2")
SETTINGS = {"deadline-s": 60.0, "rounds": ROUNDS, "devices": DEVICES + PYTHON_NODES}


class Cell(FederationTest):
    def setUp(self):
        super().setUp()
        self.devices = {}
        self.addCleanup(self.stop_devices)

    def stop_devices(self):
        for process in self.devices.values():
            process.kill()
            process.wait()

    def run_in_folder(self, *command):
        return subprocess.run(command, cwd=self.folder, check=True, capture_output=True).stdout

    def make_key(self, name):
        self.run_in_folder("openssl", "ecparam", "-name", "secp384r1", "-genkey", "-noout", "-out", f"{name}.pem")
        (self.folder / f"{name}.pem").chmod(0o600)
        (self.folder / f"{name}.pub").write_bytes(self.run_in_folder("ssh-keygen", "-y", "-f", f"{name}.pem"))

    def start_device(self, index, *options):
        with open(self.folder / f"device{index}.log", "ab") as log:
            self.devices[index] = subprocess.Popen(
                [AIRLOT, "device", "--superlink", f"127.0.0.1:{self.federation.port}", "--root-certificates", "ca.pem", "--key",
                 f"device{index}.pem", "--index", str(index), *CELL, *options], cwd=self.folder, stdout=log, stderr=log)

    def log_of(self, index):
        return (self.folder / f"device{index}.log").read_text()

    def start_all(self):
        for index in range(DEVICES):
            self.make_key(f"device{index}")
            self.register(f"device{index}")
            self.start_device(index)
        for index in range(PYTHON_NODES):
            self.federation.make_key(f"node{index}")
            self.register(f"node{index}")
            self.federation.start_node(index, PYTHON_NODES, f"node{index}")

    def replies(self, output):
        with open(self.folder / output / "live" / "replies.csv", newline="") as file:
            return list(csv.DictReader(file))

    def check(self, strategy):
        output = f"runs-{strategy}"
        printed = self.federation.run(strategy=strategy, output=output, **SETTINGS)
        results = airlot.read_runs(self.folder / output)
        self.assertEqual(results.status, "complete", printed)
        self.assertEqual(results.rounds["round"].tolist(), list(range(ROUNDS + 1)))
        self.assertEqual(len(results.devices), DEVICES + PYTHON_NODES)
        self.assertTrue((self.folder / output / "report.html").exists())
        self.assertEqual({row["outcome"] for row in self.replies(output)}, {"accepted"})
        return results

    def test_twenty_devices_and_five_nodes(self):
        self.start_all()
        for strategy in ("probabilistic", "airtime"):
            live = self.check(strategy)
            # The simulator trains as many devices of the same kind, each seed with other draws.
            keys = {"learning.rate": 0.2, "learning.local_steps": 10, "learning.batch": 32, "round.time_limit_s": 1, "data.dataset": "digits",
                    "model.name": "logistic", "fleet.devices": DEVICES + PYTHON_NODES, "rounds": ROUNDS, "evaluate_every": ROUNDS}
            simulated = airlot.compare(airlot.Scenario("float32-cell", **keys), [strategy], seeds=5, progress=False)
            ends = [simulated.rounds["accuracy"][at] for at, round in enumerate(simulated.rounds["round"]) if round == ROUNDS]
            mean, deviation = statistics.mean(ends), statistics.stdev(ends)
            print(f"{strategy}: {live.rounds['accuracy'][-1]:.3f} live, {mean:.3f} with a deviation of {deviation:.3f} simulated", flush=True)
            self.assertGreater(live.rounds["accuracy"][-1], mean - max(0.1, 4 * deviation))
        for process in self.devices.values():
            process.send_signal(signal.SIGTERM)
        self.assertEqual({process.wait(60) for process in self.devices.values()}, {0})
        self.assertIn("left the SuperLink", self.log_of(0))

    def test_devices_that_are_killed_and_a_superlink_that_starts_again(self):
        """Three devices, of which one is killed and comes back, and a SuperLink that is killed between two runs."""
        for index in range(3):
            self.make_key(f"device{index}")
            self.register(f"device{index}")
            self.start_device(index)
        self.make_key("device9")  # Nobody has registered it.
        self.start_device(9, "--patience-s", "2")
        self.assertEqual(self.devices[9].wait(60), 1)
        self.assertIn("the SuperLink must know the node's key", self.log_of(9))
        run = self.federation.start_run(strategy="all", output="runs-all", **{**SETTINGS, "devices": 3, "rounds": 8, "deadline-s": 8.0})
        ends = time.monotonic() + 200
        while not (self.folder / "runs-all" / "live" / "replies.csv").exists():
            self.assertLess(time.monotonic(), ends, self.federation.log("run"))
            time.sleep(0.2)
        self.devices[1].kill()
        self.devices[1].wait()
        self.assertEqual(run.wait(300), 0, self.federation.log("run"))
        outcomes = [row["outcome"] for row in self.replies("runs-all")]
        self.assertTrue({"no answer", "offline"} & set(outcomes), outcomes)
        self.assertEqual(airlot.read_runs(self.folder / "runs-all").status, "complete")

        self.federation.kill(self.federation.link)
        time.sleep(2)
        self.federation.start_link()
        self.start_device(1)
        printed = self.federation.run(strategy="all", output="runs-again", **{**SETTINGS, "devices": 3, "rounds": 3})
        self.assertEqual(airlot.read_runs(self.folder / "runs-again").status, "complete", printed)
        self.assertIn("no answer from the SuperLink", self.log_of(0))


if __name__ == "__main__":
    unittest.main()
