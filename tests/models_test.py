"""Tests models that are lists of layers: trained, interrupted, resumed, evaluated, and wrong ones."""
import signal
import subprocess
import time
import unittest

import numpy

from program import AIRLOT, ENVIRONMENT, ProgramTest, airlot, rows_of, write_small_data

LAYERS = ('[{ kind = "convolution", channels = 4, kernel = 5, stride = 3 }, { kind = "group-norm", groups = 2 }, '
          '{ kind = "relu" }, { kind = "residual", layers = [{ kind = "convolution", channels = 4, kernel = 3, '
          'padding = "same" }, { kind = "batch-norm" }] }, { kind = "average-pool", size = 2 }, '
          '{ kind = "dropout", share = 0.25 }, { kind = "dense", units = 12 }, { kind = "relu" }]')


class ModelsTest(ProgramTest):
    def setUp(self):
        super().setUp()
        values = {"data.dataset": write_small_data(self.folder / "data"), "rounds": 300, "evaluate_every": 20,
                  "model.layers": LAYERS, "fleet.devices": 6, "data.minimum_samples": 2, "learning.batch": 4,
                  "learning.local_steps": 2, "round.time_limit_s": 1}
        self.small = [part for key, value in values.items() for part in ("--set", f"{key}={value}")]

    def train(self, name, *more):
        folder = self.folder / name
        self.done("train", *self.small, "--strategy", "uniform", "--seed", 3, "-o", folder, "--quiet", *more)
        return folder / "uniform/seed-3"

    def expect_same(self, one, two):
        for file in ("rounds.csv", "devices.csv", "model.npz"):
            self.assertEqual((one / file).read_bytes(), (two / file).read_bytes(), file)

    def test_threads_and_an_interrupt_change_no_byte(self):
        one = self.train("one", "--jobs", 1, "--threads", 1)
        for threads in (2, 3, 8):
            self.expect_same(one, self.train(f"threads-{threads}", "--threads", threads))
        cut = self.folder / "cut"
        arguments = ("train", *self.small, "--strategy", "uniform", "--seed", 3, "-o", cut, "--quiet",
                     "--checkpoint-every-s", 0)
        process = subprocess.Popen([AIRLOT, *map(str, arguments)], env=ENVIRONMENT, stderr=subprocess.DEVNULL)
        while process.poll() is None and not list(cut.rglob("checkpoint")):
            time.sleep(0.001)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(), 130)
        self.done(*arguments, "--resume")
        self.expect_same(one, cut / "uniform/seed-3")

    def test_the_model_is_kept_and_evaluated(self):
        run = self.train("run")
        shapes = {name: array.shape for name, array in numpy.load(run / "model.npz").items()}
        self.assertEqual(shapes["conv1.weight"], (4, 1, 5, 5))
        self.assertEqual(shapes["norm1.weight"], (4,))
        self.assertEqual(shapes["conv2.weight"], (4, 4, 3, 3))
        self.assertEqual(shapes["norm2.bias"], (4,))
        self.assertEqual(shapes["fc1.weight"], (12, 4 * 4 * 4))
        self.assertEqual(shapes["fc2.weight"], (10, 12))
        accuracy = float(rows_of(run / "rounds.csv")[-1]["accuracy"])
        evaluated = self.json("evaluate", run, "--quiet")
        self.assertAlmostEqual(evaluated["accuracy"], accuracy, places=12)
        manifest = (self.folder / "run/manifest.json").read_text()
        self.assertIn("average-pool", manifest)

    def test_a_charge_that_is_not_the_models_shows(self):
        result = airlot("train", *self.small, "--strategy", "uniform", "-o", self.folder / "run", "--quiet",
                        "--set", "model.parameters=11e6")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("note: model.parameters = 1.1e+07: updates are charged as so many", result.stderr)

    def test_wrong_layers(self):
        self.fails("--set model.layers[1]: kind = \"dens\": did you mean dense?",
                   "train", *self.small, "--set", 'model.layers=[{ kind = "dens", units = 3 }]')
        self.fails("--set model.layers[2] (convolution): kernel = 9: larger than the 7 x 7 image that comes in (for images "
                   "of 28 x 28 in 10 classes)", "train", *self.small, "--set",
                   'model.layers=[{ kind = "max-pool", size = 4 }, { kind = "convolution", channels = 2, kernel = 9 }]')


if __name__ == "__main__":
    unittest.main()
