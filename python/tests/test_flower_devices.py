"""A cell on loopback: a real SuperLink with TLS and registered keys, 20 nodes of `airlot device` and five of Flower's own,
beside the simulator. It needs flwr, openssl, ssh-keygen and the program (AIRLOT)."""
import csv
import gzip
import json
import signal
import unittest

import airlot
import numpy as np
from airlot.flower.shares import share_of, test_of
from loopback import APP, FederationTest, replies_in

DEVICES = 20
PYTHON_NODES = 5
ROUNDS = 30
STRATEGIES = ("probabilistic", "airtime")
SHARED = 2000    # Nodes of Flower's own share the first images of the data set, as the app says.
TESTED = 500
EACH = 300       # images of a device
# What each device is: one of this scenario; uploads pass in no time.
CELL = ("--emulate", "float32-cell", "--set", "data.dataset=digits", "--set", "data.partition=file", "--set", "data.partition_file=who.csv",
        "--set", "model.name=logistic", "--set", f"fleet.devices={DEVICES}", "--pace", "inf", "--poll-s", "1")
# What examples/flower sets.
LEARNING = {"learning.rate": 0.2, "learning.local_steps": 10, "learning.batch": 32, "round.time_limit_s": 0.1}


def samples_of_devices(labels):
    """Returns the images of each node of `airlot device`: each holds two classes, and none that the others share."""
    others = np.arange(SHARED, len(labels))
    pieces = np.array_split(others[np.argsort(labels[others], kind="stable")], 2 * DEVICES)
    return [np.concatenate([pieces[k][:EACH // 2], pieces[-1 - k][:EACH // 2]]) for k in range(DEVICES)]


def participants_of(run, strategy):
    """Returns who took part in each round: pairs of a round and a device."""
    with gzip.open(run / strategy / "seed-1" / "participants.csv.gz", "rt", newline="") as file:
        return [(int(row["round"]), row["id"]) for row in csv.DictReader(file)]


class Cell(FederationTest):
    def simulate(self, strategy, held, data):
        """Simulates the fleet that was enrolled, with the same samples at each device."""
        live = self.folder / strategy / "live"
        names = [device["name"] for device in json.loads((live / "enrolment.json").read_text())["devices"]]
        keys = {**LEARNING, "model.name": "logistic", "rounds": ROUNDS, "evaluate_every": 1, "fleet.file": str(live / "fleet.csv")}
        scenario, partition = airlot.Scenario("float32-cell", **keys), [held[name] for name in names]
        same = airlot.train(scenario, strategy, seed=1, data=data, partition=partition, output=self.folder / f"simulated-{strategy}",
                            progress=False)
        others = airlot.compare(scenario, [strategy], seeds=list(range(2, 12)), data=data, partition=partition, progress=False)
        return same, others

    def test_twenty_devices_and_five_nodes(self):
        x, y = share_of("digits", 0, 1)
        test_x, test_y = test_of("digits", most=TESTED)
        data = airlot.Dataset(train_x=x, train_y=y, test_x=test_x, test_y=test_y, classes=10)
        samples = samples_of_devices(y)
        with open(self.folder / "who.csv", "w", newline="") as file:
            csv.writer(file).writerows([("sample", "device"), *((sample, k + 1) for k in range(DEVICES) for sample in samples[k])])

        self.enter_nodes(PYTHON_NODES)
        self.enter_devices(DEVICES, *CELL)
        federation = self.federation
        held = {federation.name_of(f"device{k}"): samples[k] for k in range(DEVICES)}
        held.update({federation.name_of(f"node{k}"): np.arange(SHARED)[k::PYTHON_NODES] for k in range(PYTHON_NODES)})
        settings = {"rounds": ROUNDS, "devices": DEVICES + PYTHON_NODES, "time-limit-s": 0.1, "deadline-s": 300.0, "wait-s": 600.0}
        runs = {strategy: {"strategy": strategy, "output": strategy, **settings} for strategy in STRATEGIES}
        numbers = {strategy: federation.submit(**runs[strategy]) for strategy in STRATEGIES}
        for strategy in STRATEGIES:
            printed = federation.finish(numbers[strategy], **runs[strategy])
            self.assertTrue((self.folder / strategy / "report.html").exists(), printed)
            live = airlot.read_runs(self.folder / strategy)
            self.assertEqual(live.status, "complete", printed)
            self.assertEqual(live.rounds["round"].tolist(), list(range(ROUNDS + 1)))
            self.assertEqual(set(live.devices["id"]), set(held))
            self.assertEqual({row["outcome"] for row in replies_in(self.folder / strategy)}, {"accepted"})
            self.assertIn("<html", (self.folder / strategy / "report.html").read_text()[:1000])
            self.compare(strategy, live, *self.simulate(strategy, held, data))

        for process in federation.devices.values():
            process.send_signal(signal.SIGTERM)
        self.assertEqual({process.wait(600) for process in federation.devices.values()}, {0})
        self.assertIn("left the SuperLink", federation.log("device0"))

    def compare(self, strategy, live, simulated, others):
        """The same devices are drawn, and spend the same. The app begins with zeros and the simulator with small random numbers, and
        Flower's own nodes draw other batches: accuracies differ by no more than they do from seed to seed."""
        drawn = participants_of(self.folder / strategy, strategy)
        self.assertEqual(drawn, participants_of(self.folder / f"simulated-{strategy}", strategy))
        np.testing.assert_allclose(live.rounds["energy_j"], simulated.rounds["energy_j"], rtol=1e-6)
        a, b = live.rounds["accuracy"], simulated.rounds["accuracy"]
        ours = {self.federation.name_of(f"device{k}") for k in range(DEVICES)}
        by_seed = others.rounds["accuracy"].reshape(-1, ROUNDS + 1)[:, -10:].mean(axis=1)
        self.assertEqual(len(by_seed), 10)
        noise = by_seed.std(ddof=1)
        self.assertLess(abs(a[-10:].mean() - b[-10:].mean()), 5 * 2**0.5 * noise)
        print(f"{strategy}: {len(drawn)} updates, {sum(name in ours for _, name in drawn)} of them by airlot device; accuracy {a[-1]:.3f} live, "
              f"{b[-1]:.3f} simulated; of the last ten rounds {a[-10:].mean():.4f} and {b[-10:].mean():.4f}, with a deviation of {noise:.4f} "
              f"from seed to seed", flush=True)


if __name__ == "__main__":
    unittest.main()
