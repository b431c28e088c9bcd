"""Tests what is kept of a run beside its tables: the trained model, and who took part in each round."""
import csv
import gzip
import math
import shutil
import signal
import statistics
import subprocess
import time
import unittest

import numpy

from program import AIRLOT, ENVIRONMENT, ProgramTest, airlot, rows_of, write_small_data


class KeptTest(ProgramTest):
    def setUp(self):
        super().setUp()
        values = {"data.dataset": write_small_data(self.folder / "data"), "rounds": 25, "evaluate_every": 5,
                  "model.name": "mlp", "fleet.devices": 10, "data.minimum_samples": 2, "learning.batch": 4,
                  "round.time_limit_s": 1}
        self.small = [part for key, value in values.items() for part in ("--set", f"{key}={value}")]
        self.run_folder = self.folder / "run"

    def train(self, *more, strategy="probabilistic", seed=3):
        self.done("train", *self.small, "--strategy", strategy, "--seed", seed, "-o", self.run_folder, "--quiet", "--force", *more)
        return self.run_folder / strategy / f"seed-{seed}"

    @staticmethod
    def participants(run):
        with gzip.open(run / "participants.csv.gz", "rt", newline="") as file:
            return list(csv.DictReader(file))

    def images_to_test(self):
        images = numpy.frombuffer((self.folder / "data/t10k-images-idx3-ubyte").read_bytes(), numpy.uint8, offset=16)
        labels = numpy.frombuffer((self.folder / "data/t10k-labels-idx1-ubyte").read_bytes(), numpy.uint8, offset=8)
        return images.reshape(len(labels), 28, 28), labels


def relu(values):
    return numpy.maximum(values, 0)


def mlp(model, images):
    """The outputs of the network, as docs/formats.md has it."""
    hidden = images.reshape(len(images), -1) / 255
    for layer in ("fc1", "fc2"):
        hidden = relu(hidden @ model[f"{layer}.weight"].T + model[f"{layer}.bias"])
    return hidden @ model["fc3.weight"].T + model["fc3.bias"]


def cnn(model, images):
    around = numpy.pad(images / 255, ((0, 0), (3, 3), (3, 3)))
    windows = numpy.lib.stride_tricks.sliding_window_view(around, (7, 7), axis=(1, 2))
    maps = numpy.einsum("nyxij,cij->ncyx", windows, model["conv1.weight"][:, 0], optimize=True)
    maps = relu(maps + model["conv1.bias"][:, None, None])
    pooled = maps.reshape(len(images), 20, 7, 4, 7, 4).max(axis=(3, 5))
    hidden = relu(pooled.reshape(len(images), -1) @ model["fc1.weight"].T + model["fc1.bias"])
    return hidden @ model["fc2.weight"].T + model["fc2.bias"]


class Models(KeptTest):
    def test_the_model_is_that_of_the_last_round(self):
        run = self.train()
        last = rows_of(run / "rounds.csv")[-1]
        classes = [float(row["accuracy"]) for row in rows_of(run / "classes.csv")]
        for path in (run, run / "model.npz", self.run_folder):
            found = self.json("evaluate", path)
            self.assertEqual(found["accuracy"], float(last["accuracy"]))
            self.assertEqual(found["loss"], float(last["test_loss"]))
            self.assertEqual(found["class_accuracy"], classes)
            self.assertEqual((found["strategy"], found["seed"], found["test_images"]), ("probabilistic", 3, 100))
            self.assertIsNone(found["per_device"])
        text = self.done("evaluate", ".", cwd=run)
        self.assertIn(f"  accuracy   {last['accuracy']}\n  loss       {last['test_loss']}\n", text)
        # Elsewhere, the file alone does not say what it was trained on.
        shutil.copy(run / "model.npz", self.folder / "mine.npz")
        found = self.json("evaluate", self.folder / "mine.npz", "paper-mildly-biased", *self.small)
        self.assertEqual(found["accuracy"], float(last["accuracy"]))
        self.assertIsNone(found["strategy"])

    def test_numpy_finds_the_same_outputs(self):
        images, labels = self.images_to_test()
        for name, forward in (("mlp", mlp), ("cnn", cnn)):
            with self.subTest(name):
                run = self.train("--set", f"model.name={name}", "--set", "rounds=10")
                found = self.json("evaluate", run)
                with numpy.load(run / "model.npz") as arrays:
                    model = {key: arrays[key].astype(numpy.float64) for key in arrays}
                    self.assertTrue(all(arrays[key].dtype == numpy.float32 for key in arrays))
                outputs = forward(model, images)
                # In float32, an output is off by the roundings of some thousand products and sums of
                # numbers of order 1 at most: 2000 * 2^-24.
                rounding = 2000 * 2.0 ** -24 * max(1, numpy.abs(outputs).max())
                of_label = outputs[numpy.arange(len(labels)), labels]
                losses = numpy.log(numpy.exp(outputs).sum(axis=1)) - of_label
                self.assertAlmostEqual(found["loss"], losses.mean(), delta=2 * rounding)
                others = outputs.copy()
                others[numpy.arange(len(labels)), labels] = -numpy.inf
                margins = of_label - others.max(axis=1)
                right = (margins > 0).sum()
                unsure = (numpy.abs(margins) < 2 * rounding).sum()
                self.assertLess(unsure, 20)
                self.assertAlmostEqual(found["accuracy"], right / 100, delta=unsure / 100 + 1e-12)
                # What NumPy writes is read: plain, compressed, and in any order.
                for write in (numpy.savez, numpy.savez_compressed):
                    own = self.folder / "own.npz"
                    write(own, **{key: model[key].astype(numpy.float32) for key in reversed(model)})
                    again = self.json("evaluate", own, "paper-mildly-biased", *self.small, "--set", f"model.name={name}")
                    self.assertEqual((again["accuracy"], again["loss"]), (found["accuracy"], found["loss"]))

    def test_every_device_by_itself(self):
        run, file = self.train(), self.folder / "per-device.csv"
        found = self.json("evaluate", run, "--per-device", "-o", file)["per_device"]
        rows, held = rows_of(file), rows_of(run / "devices.csv")
        self.assertEqual([(row["id"], row["samples"]) for row in rows], [(row["id"], row["samples"]) for row in held])
        for quantity in ("accuracy", "loss"):
            values = [float(row[quantity]) for row in rows]
            samples = [int(row["samples"]) for row in rows]
            self.assertEqual(found[quantity]["lowest"], min(values))
            self.assertEqual(found[quantity]["median"], statistics.median(values))
            self.assertEqual(found[quantity]["highest"], max(values))
            mean = math.fsum(n * value for n, value in zip(samples, values)) / sum(samples)
            self.assertAlmostEqual(found[quantity]["weighted_mean"], mean, places=12)
        for row in rows:  # A share of so many samples.
            right = float(row["accuracy"]) * int(row["samples"])
            self.assertAlmostEqual(right, round(right), places=9)
        # Another seed has another partition.
        other = self.folder / "other.csv"
        self.done("evaluate", run, "--per-device", "--seed", 4, "-o", other)
        self.assertNotEqual([row["samples"] for row in rows_of(other)], [row["samples"] for row in rows])
        printed = airlot("evaluate", run, "--per-device", "-o", "-")
        self.assertEqual(printed.stdout, file.read_text())
        self.assertIn("On the samples of each device (10 devices, 0 without samples)", printed.stderr)

    def test_a_fleet_in_which_some_hold_nothing(self):
        run, file = self.train(), self.folder / "per-device.csv"
        found = self.json("evaluate", run, "--set", "fleet.devices=500", "--set", "data.minimum_samples=0", "--per-device", "-o", file)
        empty = [row for row in rows_of(file) if row["samples"] == "0"]
        self.assertGreater(len(empty), 0)
        self.assertEqual(found["per_device"]["with_samples"], 500 - len(empty))
        self.assertTrue(all(row["loss"] == row["accuracy"] == "" for row in empty))


class BadModels(KeptTest):
    def test_what_is_no_model_of_the_scenario(self):
        run = self.train("--set", "rounds=1")
        described = "model cnn for images of 28 x 28 in 10 classes"
        names = "conv1.weight, conv1.bias, fc1.weight, fc1.bias, fc2.weight, fc2.bias"
        self.fails(f'run/probabilistic/seed-3/model.npz: holds "fc3.weight": {described} has {names}', "evaluate", run, "--set", "model.name=cnn")
        with numpy.load(run / "model.npz") as arrays:
            model = dict(arrays)
        own = self.folder / "own.npz"
        described = "model mlp for images of 28 x 28 in 10 classes"

        def fails(message, **changed):
            numpy.savez(own, **{key: array for key, array in {**model, **changed}.items() if array is not None})
            self.fails(f"own.npz: {message}", "evaluate", own, "paper-mildly-biased", *self.small)

        fails(f"fc1.weight: has the shape (784, 200): {described} needs (200, 784)",
              **{"fc1.weight": numpy.ascontiguousarray(model["fc1.weight"].T)})
        fails('"fc1.weight": is in Fortran order: must be in C order', **{"fc1.weight": numpy.asfortranarray(model["fc1.weight"])})
        fails('"fc2.bias": has numbers of type "<f8": must be <f4, little-endian float32', **{"fc2.bias": model["fc2.bias"].astype("<f8")})
        fails(f"lacks fc2.bias of {described}", **{"fc2.bias": None})
        broken = model["fc2.bias"].copy()
        broken[6] = numpy.nan
        fails("fc2.bias: its number 7 is nan: must be finite", **{"fc2.bias": broken})

    def test_what_is_no_model_at_all(self):
        run = self.train("--set", "rounds=1")
        whole = (run / "model.npz").read_bytes()
        own = self.folder / "own.npz"
        scenario = ("paper-mildly-biased", *self.small)
        for bytes_, message in ((b"", "is not a zip archive"), (b"hello", "is not a zip archive"),
                                (whole[:-1], "the end record of the zip archive is missing: the file is cut off"),
                                (whole[:500] + bytes([whole[500] ^ 1]) + whole[501:],
                                 '"fc1.weight.npy": its checksum does not match: the file is damaged')):
            own.write_bytes(bytes_)
            self.fails(f"own.npz: {message}", "evaluate", own, *scenario)
        self.fails("none.npz: cannot open: No such file or directory", "evaluate", self.folder / "none.npz", *scenario)
        self.fails(f"{self.folder}: holds no model.npz: give a file, or the folder of a complete run".replace(f"{self.folder}/", ""),
                   "evaluate", self.folder)
        self.fails("--output requires --per-device (see airlot evaluate --help)", "evaluate", run, "-o", "x.csv")
        self.fails("run/probabilistic/seed-3/model.npz: is the model and would be overwritten: write the rows of devices to another file",
                   "evaluate", run, "--per-device", "-o", run / "model.npz")

    def test_other_data_than_those_of_the_run(self):
        run = self.train("--set", "rounds=1")
        images = self.folder / "data/t10k-images-idx3-ubyte"
        bytes_ = bytearray(images.read_bytes())
        bytes_[100] ^= 1
        images.write_bytes(bytes_)
        self.fails("data: has changed since the run of run/probabilistic/seed-3/model.npz", "evaluate", run)
        self.json("evaluate", run, "paper-mildly-biased", *self.small)
        self.json("evaluate", run, "--set", "data.dataset=digits")

    def test_a_directory_with_several_runs(self):
        self.done("compare", "paper-mildly-biased", *self.small, "--set", "rounds=1", "--strategies", "uniform", "--seeds", 2, "-o", self.run_folder,
                  "--quiet")
        self.fails("run: holds 2 trained models: give the folder of one, such as run/uniform/seed-1", "evaluate", self.run_folder)


class Participants(KeptTest):
    def check(self, run, asks=False):
        """The rows add up to the tables of the run."""
        rows, rounds = self.participants(run), rows_of(run / "rounds.csv")
        counts = [0] * len(rounds)
        for row in rows:
            counts[int(row["round"])] += 1
        self.assertEqual(counts, [int(row["participants"]) for row in rounds])
        self.assertEqual([int(row["round"]) for row in rows], sorted(int(row["round"]) for row in rows))
        for device in rows_of(run / "devices.csv"):
            own = [row for row in rows if row["id"] == device["id"]]
            self.assertEqual(len(own), int(device["participations"]))
            spent, sum_j = float(device["energy_spent_j"]), math.fsum(float(row["energy_j"]) for row in own)
            rounding = len(own) * 2.0 ** -52 * spent  # The books round once for each addend.
            if asks:  # Answers cost energy, too.
                self.assertLessEqual(sum_j, spent + rounding)
            else:
                self.assertAlmostEqual(sum_j, spent, delta=rounding)
            self.assertEqual(sum(row["arrived"] == "0" for row in own), int(device.get("lost_updates", 0)))
        return rows

    def test_planned_terms(self):
        run = self.train()
        devices = {row["id"]: row for row in rows_of(run / "devices.csv")}
        rows = self.check(run)
        self.assertGreater(len(rows), 10)
        for row in rows:
            device = devices[row["id"]]
            for column in ("power_w", "upload_s", "energy_j"):
                self.assertAlmostEqual(float(row[column]) / float(device[column]), 1, places=12)
            self.assertEqual((row["cpu_share"], row["compute_s"], row["arrived"]), ("1", "0", "1"))
            self.assertEqual(float(row["bandwidth_hz"]), 1e6)

    def test_terms_of_other_strategies_and_books(self):
        lossy = ("--set", "radio.packet_error_rate=0.3", "--set", "radio.retransmissions=0", "--set", "radio.packet_bits=1e6")
        rows = self.check(self.train(*lossy, "--set", "books.compute_time=true"))
        self.assertEqual({row["arrived"] for row in rows}, {"0", "1"})
        self.assertTrue(all(float(row["compute_s"]) > 0 for row in rows))
        for strategy, asks in (("airtime", False), ("energy-rrm", False), ("fedcs", True), ("update-aware", True)):
            with self.subTest(strategy):
                self.assertGreater(len(self.check(self.train(strategy=strategy), asks)), 0)
        batteries = ("--set", "fleet.battery_j=3", "--set", "fleet.energy_budget_j=100")
        self.assertGreater(len(self.check(self.train(*batteries, strategy="all"))), 0)

    def test_a_run_without_the_log(self):
        whole = {path.name: path.read_bytes() for path in self.train().iterdir()}
        without = {path.name: path.read_bytes() for path in self.train("--no-participants").iterdir()}
        self.assertEqual(sorted(whole), ["classes.csv", "devices.csv", "model.npz", "participants.csv.gz", "rounds.csv"])
        del whole["participants.csv.gz"]
        self.assertEqual(without, whole)

    def interrupted(self, *more):
        """Starts a run of many rounds, and interrupts it when there are two checkpoints."""
        shutil.rmtree(self.run_folder, ignore_errors=True)
        command = ["train", *map(str, self.small), "--strategy", "uniform", "--set", "rounds=150", "-o", str(self.run_folder), "--quiet",
                   "--checkpoint-every-s", "0"]
        process = subprocess.Popen([AIRLOT, *command, *more], env=ENVIRONMENT, stderr=subprocess.DEVNULL)
        while process.poll() is None and not list(self.run_folder.rglob("checkpoint.previous")):
            time.sleep(0.001)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(), 130)
        return [*command, "--resume"], self.run_folder / "uniform/seed-1"

    def test_a_log_that_goes_on(self):
        command, run = self.interrupted()
        partial = run / "participants.csv.partial"
        self.assertTrue(partial.is_file())
        self.done(*command)
        self.check(run)
        self.assertFalse(partial.exists())
        whole = {path.name: path.read_bytes() for path in run.iterdir()}
        # It was killed while it wrote a row that no checkpoint knows of.
        command, run = self.interrupted()
        with open(partial, "a") as file:
            file.write("9999,1,0.")
        self.done(*command)
        self.assertEqual({path.name: path.read_bytes() for path in run.iterdir()}, whole)

    def test_a_log_that_cannot_go_on(self):
        command, run = self.interrupted()
        partial = run / "participants.csv.partial"
        lines = partial.read_text().splitlines(keepends=True)
        partial.write_text("".join(lines[:2]))
        result = airlot(*command)
        self.assertEqual(result.returncode, 2)
        self.assertRegex(result.stderr, r"^error: .*participants\.csv\.partial: has 1 rows, and the checkpoint beside it counts \d+ "
                                        r"participations: go on without this log, or start the run anew\n$")
        self.done(*command, "--no-participants")
        self.assertEqual(sorted(path.name for path in run.iterdir()), ["classes.csv", "devices.csv", "model.npz", "rounds.csv"])
        # A run of an earlier version has no log to go on with.
        command, run = self.interrupted("--no-participants")
        self.assertFalse(partial.exists())
        result = airlot(*command)
        self.assertEqual(result.returncode, 0)
        self.assertIn("uniform, seed 1: the run began without a log of participants, and goes on without", result.stderr)
        self.assertFalse((run / "participants.csv.gz").exists())


if __name__ == "__main__":
    unittest.main()
