#!/usr/bin/python3
"""Computes losses and gradients of the built-in models and of every kind of layer by PyTorch, in float64.

These are the golden numbers of src/learning/layer_vectors_test.cc, which makes the same parameters
and images from the same integers. The script needs python3-torch, and some seconds.

    tools/layer_vectors.py           write tests/data/layer_vectors.csv
    tools/layer_vectors.py --check   exit 1 if the stored numbers differ by more than rounding

The file has one number per line: model,quantity,index,value. Quantities are `loss` and `gradient` (at
some of the parameters) of the mean loss of 5 images.
"""
import argparse
import math
import pathlib
import sys

import torch
from torch import nn

from learning_vectors import split_mix

FILE = pathlib.Path(__file__).resolve().parent.parent / "tests" / "data" / "layer_vectors.csv"
IMAGES, CLASSES, ENTRIES = 5, 10, 60


class Residual(nn.Module):
    def __init__(self, layers, shortcut):
        super().__init__()
        self.layers, self.shortcut = nn.Sequential(*layers), nn.Sequential(*shortcut)

    def forward(self, x):
        return self.layers(x) + self.shortcut(x)


def basic_block(inputs, outputs, stride):
    layers = [nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False), nn.GroupNorm(2, outputs),
              nn.ReLU(), nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False), nn.GroupNorm(2, outputs)]
    shortcut = [] if stride == 1 else [nn.Conv2d(inputs, outputs, 1, stride, bias=False),
                                       nn.GroupNorm(2, outputs)]
    return [Residual(layers, shortcut), nn.ReLU()]


def built_in(name, channels, side):
    """Returns the layers of a built-in model, but for the last."""
    pixels = channels * side * side
    if name == "cnn":
        return [nn.Conv2d(channels, 20, 7, padding=3), nn.ReLU(), nn.MaxPool2d(4), nn.Flatten(),
                nn.Linear(20 * (side // 4)**2, 200), nn.ReLU()]
    if name == "mlp":
        return [nn.Flatten(), nn.Linear(pixels, 200), nn.ReLU(), nn.Linear(200, 200), nn.ReLU()]
    if name == "logistic":
        return [nn.Flatten()]
    if name == "lenet5":
        return [nn.Conv2d(channels, 6, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2),
                nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
                nn.Linear(16 * ((side // 2 - 4) // 2)**2, 120), nn.ReLU(), nn.Linear(120, 84),
                nn.ReLU()]
    if name == "cnn-mcmahan":
        return [nn.Conv2d(channels, 32, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2),
                nn.Conv2d(32, 64, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
                nn.Linear(64 * (side // 4)**2, 512), nn.ReLU()]
    return [nn.Conv2d(channels, 16, 3, 1, 1, bias=False), nn.GroupNorm(2, 16), nn.ReLU(),
            *basic_block(16, 16, 1), *basic_block(16, 32, 2), *basic_block(32, 64, 2),
            nn.AdaptiveAvgPool2d(1), nn.Flatten()]


LAST_INPUTS = {"cnn": 200, "mlp": 200, "lenet5": 84, "cnn-mcmahan": 512, "resnet8": 64}


def with_last(name, channels, side):
    last = LAST_INPUTS.get(name, channels * side * side)
    return nn.Sequential(*built_in(name, channels, side), nn.Linear(last, CLASSES))


def batch_norm(channels):
    return nn.BatchNorm2d(channels, track_running_stats=False)


def cases():
    """Yields the name, channels and side of the images, and the network."""
    for name in ("cnn", "mlp", "logistic", "lenet5", "cnn-mcmahan"):
        yield name, 1, 28, with_last(name, 1, 28)
    yield "resnet8", 3, 32, with_last("resnet8", 3, 32)
    yield "every-kind", 4, 13, nn.Sequential(
        nn.Conv2d(4, 8, 3, 2, 1, groups=2), batch_norm(8), nn.ReLU(),
        Residual([nn.Conv2d(8, 8, 3, 1, 1), nn.GroupNorm(4, 8)], [nn.Conv2d(8, 8, 1, bias=False)]),
        nn.MaxPool2d(3, 1), nn.Conv2d(8, 6, 2), nn.ReLU(), nn.AvgPool2d(2, 1), nn.Flatten(),
        nn.Linear(54, 12), nn.ReLU(), nn.Linear(12, CLASSES))
    yield "regression", 1, 6, nn.Sequential(nn.Flatten(), nn.Linear(36, 8), nn.ReLU(),
                                            nn.Linear(8, 1))


def set_parameters(model):
    """Draws every parameter as InitialParameters bounds it; those of norms around 1 and 0."""
    n = 1 << 61
    for module in model.modules():
        if not hasattr(module, "weight"):
            continue
        is_norm = isinstance(module, (nn.GroupNorm, nn.BatchNorm2d))
        bound = 0.1 if is_norm else 1 / math.sqrt(module.weight[0].numel())
        for i, tensor in enumerate([module.weight] if module.bias is None else
                                   [module.weight, module.bias]):
            values = []
            for _ in range(tensor.numel()):
                values.append(bound * ((split_mix(n) >> 11) * 2.0**-52 - 1) +
                              (1 if is_norm and i == 0 else 0))
                n += 1
            values = torch.tensor(values, dtype=torch.float32).double()
            tensor.data = values.reshape(tensor.shape)


def rows():
    torch.set_num_threads(1)
    for name, channels, side, model in cases():
        size = channels * side * side
        images = torch.tensor([[split_mix((i << 32) + p) >> 56 for p in range(size)]
                               for i in range(IMAGES)], dtype=torch.float64) / 255
        images = images.reshape(IMAGES, channels, side, side)
        goals = [split_mix((1 << 62) + i) % CLASSES for i in range(IMAGES)]
        set_parameters(model.double())
        outputs = model(images)
        loss = (nn.functional.mse_loss(outputs[:, 0], torch.tensor(goals).double())
                if name == "regression" else
                nn.functional.cross_entropy(outputs, torch.tensor(goals)))
        loss.backward()
        gradient = torch.cat([parameter.grad.flatten() for parameter in model.parameters()])
        yield name, "loss", 0, float(loss)
        for i in sorted({*range(0, len(gradient), max(1, len(gradient) // ENTRIES)),
                         len(gradient) - 1}):
            yield name, "gradient", i, float(gradient[i])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare with the stored file")
    made = [(*key, value) for *key, value in rows()]
    if not parser.parse_args().check:
        FILE.write_text("model,quantity,index,value\n" +
                        "".join(f"{m},{q},{i},{v:.12g}\n" for m, q, i, v in made))
        return 0
    stored = [line.split(",") for line in FILE.read_text().splitlines()[1:]]
    same = len(stored) == len(made) and all(
        (m, q, str(i)) == tuple(row[:3]) and abs(v - float(row[3])) <= 1e-9 * max(1, abs(v))
        for row, (m, q, i, v) in zip(stored, made))
    print("the same" if same else "they differ")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
