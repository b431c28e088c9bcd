#!/usr/bin/python3
"""Computes losses, gradients and a short training run of both models by PyTorch, in float64.

These are the golden numbers of src/learning/pytorch_test.cc, which makes the same parameters and
images from the same integers. The script needs python3-torch, and half a minute.

    tools/learning_vectors.py           write tests/data/learning_vectors.csv
    tools/learning_vectors.py --check   exit 1 if the stored numbers differ by more than rounding

The file has one number per line: model,quantity,index,value. Quantities are `loss` and `gradient`
(of the first 64 images, at some of the parameters), `step_loss` (before each of 20 steps of gradient
descent, rate 0.5, step s on the 48 images from 16 s mod 80), `trained` (parameters behind them).
"""
import argparse
import math
import pathlib
import sys

import torch
from torch import nn

FILE = pathlib.Path(__file__).resolve().parent.parent / "tests" / "data" / "learning_vectors.csv"
IMAGES, SIDE, CLASSES = 128, 28, 10
GRADIENT_IMAGES, STEPS, STEP_IMAGES, STRIDE, STARTS, RATE = 64, 20, 48, 16, 80, 0.5
MASK = (1 << 64) - 1


def split_mix(n):
    """Returns the n-th output of the generator of that name, seed 0."""
    z = (n + 1) * 0x9E3779B97F4A7C15 & MASK
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & MASK
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB & MASK
    return z ^ (z >> 31)


def image(i):
    """Draws random pixels within a margin of i mod 8; three in four are zero."""
    margin = i % 8
    pixels = []
    for p in range(SIDE * SIDE):
        y, x = divmod(p, SIDE)
        bits = split_mix((i << 32) + p)
        inside = margin <= min(y, x) and max(y, x) < SIDE - margin
        pixels.append(bits >> 56 if inside and bits & 3 == 0 else 0)
    return pixels


def label(i):
    return split_mix((1 << 62) + i) % CLASSES


def parameters(model):
    """Draws every layer uniformly between -1/sqrt(inputs) and 1/sqrt(inputs), and rounds it to float32."""
    values, n = [], 1 << 61
    for layer in model:
        if not hasattr(layer, "weight"):
            continue
        bound = 1 / math.sqrt(layer.weight[0].numel())
        for _ in range(layer.weight.numel() + layer.bias.numel()):
            values.append(bound * ((split_mix(n) >> 11) * 2.0**-52 - 1))
            n += 1
    return torch.tensor(values, dtype=torch.float32).double()


def models():
    side = SIDE // 4
    cnn = nn.Sequential(nn.Conv2d(1, 20, 7, padding=3), nn.ReLU(), nn.MaxPool2d(4), nn.Flatten(),
                        nn.Linear(20 * side * side, 200), nn.ReLU(), nn.Linear(200, CLASSES))
    mlp = nn.Sequential(nn.Flatten(), nn.Linear(SIDE * SIDE, 200), nn.ReLU(), nn.Linear(200, 200),
                        nn.ReLU(), nn.Linear(200, CLASSES))
    return {"cnn": cnn.double(), "mlp": mlp.double()}


def flat(tensors):
    return torch.cat([tensor.detach().flatten() for tensor in tensors])


def gradient_of(model, images, labels):
    model.zero_grad()
    loss = nn.functional.cross_entropy(model(images), labels)
    loss.backward()
    return float(loss), flat(parameter.grad for parameter in model.parameters())


def rows():
    torch.set_num_threads(1)
    images = torch.tensor([image(i) for i in range(IMAGES)], dtype=torch.float64) / 255
    images = images.reshape(IMAGES, 1, SIDE, SIDE)
    labels = torch.tensor([label(i) for i in range(IMAGES)])
    for name, model in models().items():
        nn.utils.vector_to_parameters(parameters(model), model.parameters())
        count = sum(parameter.numel() for parameter in model.parameters())
        # These are the first layer's first kernel or pixels, the last biases, and some in between.
        indices = [*range(60), *range(60, count - 20, 997), *range(count - 20, count)]
        loss, gradient = gradient_of(model, images[:GRADIENT_IMAGES], labels[:GRADIENT_IMAGES])
        yield name, "loss", 0, loss
        yield from ((name, "gradient", i, float(gradient[i])) for i in indices)
        for step in range(STEPS):
            first = STRIDE * step % STARTS
            batch = slice(first, first + STEP_IMAGES)
            loss, gradient = gradient_of(model, images[batch], labels[batch])
            yield name, "step_loss", step, loss
            moved = flat(model.parameters()) - RATE * gradient
            nn.utils.vector_to_parameters(moved, model.parameters())
        trained = flat(model.parameters())
        yield from ((name, "trained", i, float(trained[i])) for i in indices)


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
