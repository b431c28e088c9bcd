"""PyTorch models as backends. It needs torch, so that ./test --all runs it."""
import pathlib
import tempfile
import threading
import unittest

import numpy as np
import torch

import airlot
from airlot.torch import TorchBackend


def mlp():
    """The built-in model `mlp`."""
    return torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(784, 200), torch.nn.ReLU(),
                               torch.nn.Linear(200, 200), torch.nn.ReLU(), torch.nn.Linear(200, 10))


def images(count, seed):
    draw = np.random.default_rng(seed)
    labels = draw.integers(0, 10, count)
    shapes = np.random.default_rng(7).integers(0, 256, (10, 28, 28))
    pixels = (0.5 * shapes[labels] + draw.integers(0, 128, (count, 28, 28))).astype(np.uint8)
    return pixels, labels


TRAIN, TEST = images(3000, 1), images(500, 2)


def tensors(part):
    return torch.from_numpy(part[0]).float()[:, None] / 255, torch.from_numpy(part[1])


def blobs(count, seed):
    generator = torch.Generator().manual_seed(seed)
    centres = 3 * torch.randn(3, 5, generator=torch.Generator().manual_seed(1))
    labels = torch.randint(0, 3, (count,), generator=generator)
    return centres[labels] + torch.randn(count, 5, generator=generator), labels


def scenario(**keys):
    return airlot.Scenario("float32-cell", **{"rounds": 20, "evaluate_every": 1, "data.partition": "iid",
                                              "learning.rate": 0.1, **keys})


class SameModel(TorchBackend):
    """Starts where the built-in model of the same layers starts."""

    def __call__(self, setting):
        devices = super().__call__(setting)
        devices.start = lambda: first[setting.seed]
        return devices


class Starts(airlot.Backend):
    """Notes how the built-in model starts, and does nothing else."""

    def start(self):
        first[self.setting.seed] = self.setting.initial_parameters()

    def train(self, device, parameters, training):
        return airlot.Update(np.zeros_like(parameters), 0.0)

    def evaluate(self, parameters):
        return airlot.Evaluation(0.0, 0.0)


first = {}


class Curves(unittest.TestCase):
    def test_mlp_has_the_same_curves_as_the_built_in_one(self):
        data = airlot.Dataset(train_x=TRAIN[0], train_y=TRAIN[1], test_x=TEST[0], test_y=TEST[1], classes=10)
        backend = SameModel(mlp, torch.nn.functional.cross_entropy, train=tensors(TRAIN), test=tensors(TEST), classes=10)
        for keys in ({}, {"learning.local_steps": 3}, {"learning.local_epochs": 1, "learning.batch": 10},
                     {"learning.rule": "fedprox", "learning.local_steps": 3},
                     {"learning.rule": "scaffold", "learning.local_steps": 3}):
            with self.subTest(keys=keys):
                chosen = scenario(**{"model.name": "mlp", "learning.rate": 0.05, **keys})
                airlot.train(chosen.replace(rounds=1), "random", data=data, backend=Starts, progress=False)
                ours = airlot.train(chosen, "random", data=data, progress=False).rounds
                theirs = airlot.train(chosen, "random", backend=backend, progress=False).rounds
                np.testing.assert_array_equal(ours["time_s"], theirs["time_s"])
                np.testing.assert_array_equal(ours["energy_j"], theirs["energy_j"])
                # Both round each sum of up to 784 products to float32, in different orders; over 20 rounds of
                # steps of 0.05 that moves a loss of about 1 by far less than this, and an image at a border.
                np.testing.assert_allclose(ours["test_loss"], theirs["test_loss"], rtol=1e-3)
                np.testing.assert_allclose(ours["loss"], theirs["loss"], rtol=1e-3)
                np.testing.assert_allclose(ours["accuracy"], theirs["accuracy"], atol=2 / 500)
                self.assertGreater(ours["accuracy"][-1], 0.3)


class Backends(unittest.TestCase):
    def make(self, model=lambda: torch.nn.Linear(5, 3), **keys):
        return TorchBackend(model, torch.nn.functional.cross_entropy,
                            **{"train": blobs(2000, 2), "test": blobs(300, 3), "classes": 3, **keys})

    def test_it_learns_under_any_strategy_and_repeats_itself(self):
        backend = self.make()
        results = airlot.compare(scenario(evaluate_every=20), ["airtime", "power-of-choice", "oort"], seeds=1, jobs=2,
                                 backend=backend, progress=False)
        self.assertTrue(np.all(results.runs["accuracy"] > 0.5), results.runs["accuracy"])
        again = airlot.compare(scenario(evaluate_every=20), ["airtime", "power-of-choice", "oort"], seeds=1, jobs=1,
                               backend=backend, progress=False)
        np.testing.assert_array_equal(results.rounds["test_loss"], again.rounds["test_loss"])
        self.assertEqual(results.scenario["model.layers"], [{"kind": "external", "parameters": 18}])
        self.assertIn("</iframe>", results.report()._repr_html_())

    def test_dropout_repeats_itself_whatever_the_jobs(self):
        def model():
            return torch.nn.Sequential(torch.nn.Linear(5, 20), torch.nn.Dropout(0.5), torch.nn.Linear(20, 3))

        backend = self.make(model)
        self.assertTrue(backend.draws)
        found = [airlot.compare(scenario(), ["random", "airtime"], seeds=2, jobs=jobs, backend=backend,
                                progress=False).rounds["loss"] for jobs in (1, 4)]
        np.testing.assert_array_equal(found[0], found[1])

    def test_each_device_may_have_a_data_set(self):
        class Own(torch.utils.data.Dataset):
            def __init__(self, device):
                self.samples = blobs(20 + device % 3, device)

            def __len__(self):
                return len(self.samples[0])

            def __getitem__(self, index):
                return self.samples[0][index], int(self.samples[1][index])

        backend = self.make(train=None, devices=[Own(device) for device in range(100)])
        results = airlot.train(scenario(), "random", backend=backend, progress=False)
        self.assertEqual(results.devices["samples"].tolist(), [20 + device % 3 for device in range(100)])
        self.assertGreater(results.rounds["accuracy"][-1], 0.5)

    def test_numbers_to_predict(self):
        generator = torch.Generator().manual_seed(1)
        x = torch.randn(1200, 4, generator=generator)
        y = x @ torch.tensor([[1.0], [2.0], [-1.0], [0.5]])
        backend = TorchBackend(lambda: torch.nn.Linear(4, 1), torch.nn.functional.mse_loss, train=(x[:1000], y[:1000]),
                               test=(x[1000:], y[1000:]), classes=0)
        results = airlot.train(scenario(rounds=60), "random", backend=backend, progress=False)
        self.assertGreater(results.rounds["accuracy"][-1], 0.9)

    def test_several_numbers_to_predict_and_arrays_of_numpy(self):
        draw = np.random.default_rng(1)
        x = draw.normal(size=(1200, 4))
        y = x @ draw.normal(size=(4, 2))
        backend = TorchBackend(lambda: torch.nn.Linear(4, 2), torch.nn.functional.mse_loss, train=(x[:1000], y[:1000]),
                               test=[x[1000:], y[1000:]], classes=0)
        results = airlot.train(scenario(rounds=60), "random", backend=backend, progress=False)
        self.assertGreater(results.rounds["accuracy"][-1], 0.9)

    def test_labels_of_many_classes_of_each_token_and_soft_ones(self):
        x = torch.randn(1200, 3, 4)
        for classes, make, answers in (
                (300, lambda: torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(12, 300)), torch.arange(1200) % 300),
                (3, lambda: torch.nn.Conv1d(3, 3, 1), torch.randint(0, 3, (1200, 4))),
                (3, lambda: torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(12, 3)), torch.full((1200, 3), 1 / 3))):
            backend = self.make(make, train=(x, answers), test=(x[:100], answers[:100]), classes=classes)
            self.assertFalse(backend.has_labels)
            self.assertEqual(airlot.train(scenario(rounds=2), "random", backend=backend, progress=False).status, "complete")

    def test_parameters_of_sixteen_bits(self):
        backend = self.make(lambda: torch.nn.Linear(5, 3, dtype=torch.bfloat16),
                            train=tuple(part.bfloat16() if part.is_floating_point() else part for part in blobs(2000, 2)),
                            test=tuple(part.bfloat16() if part.is_floating_point() else part for part in blobs(300, 3)))
        self.assertEqual(airlot.train(scenario(rounds=2), "random", backend=backend, progress=False).status, "complete")

    def test_pytorch_has_its_threads_back(self):
        before = torch.get_num_threads()
        torch.set_num_threads(2)
        airlot.compare(scenario(rounds=2), ["random", "uniform"], seeds=2, jobs=2, backend=self.make(), progress=False)
        found = []
        thread = threading.Thread(target=lambda: found.append(torch.get_num_threads()))
        thread.start()
        thread.join()
        self.assertEqual(found + [torch.get_num_threads()], [2, 2])
        torch.set_num_threads(before)

    def test_a_run_is_resumed_to_the_same_bytes(self):
        backend = self.make()
        with tempfile.TemporaryDirectory() as folder:
            whole = airlot.train(scenario(), "airtime", backend=backend, output=folder + "/whole", progress=False)

            def stop(done, all):
                if done >= 5:
                    raise RuntimeError("stop")

            try:
                airlot.train(scenario(rounds=20), "airtime", backend=backend, output=folder + "/cut", progress=stop)
            except RuntimeError:
                pass
            resumed = airlot.train(scenario(), "airtime", backend=backend, output=folder + "/cut", resume=True,
                                   progress=False)
            self.assertEqual(resumed.status, "complete")
            files = [pathlib.Path(folder, name, "airtime/seed-1/rounds.csv").read_bytes() for name in ("whole", "cut")]
            self.assertEqual(files[0], files[1])
            self.assertEqual(whole.status, "complete")

    def test_bad_input(self):
        for keys, message in ((dict(train=None), "train, devices: give"), (dict(devices=[]), "train, devices: give"),
                              (dict(train=None, devices=[]), "devices: is empty"),
                              (dict(test=(torch.zeros(2, 5), torch.zeros(3, dtype=torch.long))), "2 inputs and 3 answers"),
                              (dict(classes=2), "label 2 is not below classes = 2"),
                              (dict(test=(torch.zeros(0, 5), torch.zeros(0, dtype=torch.long))), "test: is empty")):
            with self.subTest(keys=str(list(keys))):
                with self.assertRaisesRegex(airlot.Error, message):
                    self.make(**keys)
        with self.assertRaises(RuntimeError):  # shapes that PyTorch does not multiply
            self.make(lambda: torch.nn.Linear(4, 3))
        normal = self.make(lambda: torch.nn.Sequential(torch.nn.BatchNorm1d(5), torch.nn.Linear(5, 3)))
        for key, value in (("rule", "fedadam"), ("aggregation", "unbiased"), ("server_rate", 0.5), ("momentum", 0.9),
                           ("compression", "top-k")):
            with self.assertRaisesRegex(airlot.Error, f"learning.{key} = {value}: would not average what the model keeps beside its "
                                                      "parameters, as 0.running_mean"):
                airlot.train(scenario(**{f"learning.{key}": value}), "random", backend=normal, progress=False)
        with self.assertRaisesRegex(airlot.Error, "has no parameters"):
            self.make(torch.nn.ReLU)

    def test_running_statistics_are_averaged_as_parameters_are(self):
        """Far from 0 and with another spread, a model is only as good in evaluation as its running statistics."""
        def far(samples):
            return 50 + 10 * samples[0], samples[1]

        def model():
            return torch.nn.Sequential(torch.nn.BatchNorm1d(5), torch.nn.Linear(5, 3))

        backend = self.make(model, train=far(blobs(2000, 2)), test=far(blobs(300, 3)))
        self.assertEqual(backend.parameters, 5 + 5 + 15 + 3 + 5 + 5)
        for keys in ({}, {"learning.local_steps": 3}, {"learning.rule": "scaffold", "learning.local_steps": 3}):
            with self.subTest(keys=keys):
                rounds = airlot.train(scenario(rounds=60, **keys), "random", backend=backend, progress=False).rounds
                self.assertGreater(rounds["accuracy"][-1], 0.9)

    def test_a_round_leaves_the_mean_of_the_devices_statistics(self):
        """With no momentum, BatchNorm divides by the number of its batches, which no device has from another."""
        samples = [blobs(20, device) for device in range(100)]
        mean = np.mean([part[0].mean(0).numpy() for part in samples], axis=0)
        spread = np.mean([part[0].var(0).numpy() for part in samples], axis=0)
        for momentum, share in ((0.1, 0.1), (None, 1)):
            with self.subTest(momentum=momentum), tempfile.TemporaryDirectory() as folder:
                backend = self.make(lambda: torch.nn.Sequential(torch.nn.BatchNorm1d(5, momentum=momentum), torch.nn.Linear(5, 3)),
                                    train=None, devices=samples)
                airlot.train(scenario(rounds=1, **{"learning.batch": 0}), "all", backend=backend, output=folder + "/run", progress=False)
                with np.load(pathlib.Path(folder, "run/all/seed-1/model.npz")) as kept:
                    numbers = np.concatenate([kept[name].ravel() for name in kept.files])
                # BatchNorm begins at 0 and 1, and goes a share of the way; sums of 100 numbers in float32 are that exact.
                np.testing.assert_allclose(numbers[-10:-5], share * mean, rtol=1e-4, atol=1e-5)
                np.testing.assert_allclose(numbers[-5:], 1 - share + share * spread, rtol=1e-4)

    def test_buffers_that_are_assigned_are_averaged_as_those_changed_in_place_are(self):
        class Mean(torch.nn.Linear):
            def __init__(self, assigns):
                super().__init__(5, 3)
                self.assigns = assigns
                self.register_buffer("mean", torch.zeros(5))

            def forward(self, x):
                if self.training:
                    now = 0.5 * self.mean + 0.5 * x.detach().mean(0)
                    if self.assigns:
                        self.mean = now
                    else:
                        self.mean.copy_(now)
                return super().forward(x - self.mean)

        kept = {}
        for assigns in (False, True):
            with tempfile.TemporaryDirectory() as folder:
                backend = self.make(lambda assigns=assigns: Mean(assigns))
                airlot.train(scenario(rounds=3), "random", backend=backend, output=folder + "/run", progress=False)
                with np.load(pathlib.Path(folder, "run/random/seed-1/model.npz")) as model:
                    kept[assigns] = np.concatenate([model[name].ravel() for name in model.files])
        self.assertTrue(np.any(kept[True][-5:] != 0))
        np.testing.assert_array_equal(kept[True], kept[False])

    def test_buffers_that_are_not_finite_are_refused(self):
        class Masked(torch.nn.Linear):
            def __init__(self):
                super().__init__(5, 3)
                self.register_buffer("mask", torch.tensor([0.0, 0.0, -torch.inf]))

        with self.assertRaisesRegex(airlot.Error, "mask: has values that are not finite"):
            self.make(Masked)

    def test_draws_of_any_kind_are_seen(self):
        class Functional(torch.nn.Linear):
            def forward(self, x):
                return super().forward(torch.nn.functional.dropout(x, 0.5, self.training))

        self.assertTrue(self.make(lambda: Functional(5, 3)).draws)
        self.assertFalse(self.make().draws)

    def test_a_metric_of_its_own_under_a_strategy_that_asks_for_accuracies(self):
        backend = self.make(metric=lambda outputs, answers: float((outputs.argmax(1) == answers).float().mean()))
        results = airlot.train(scenario(rounds=30), "tifl", backend=backend, progress=False)
        self.assertEqual(results.status, "complete")


if __name__ == "__main__":
    unittest.main()
