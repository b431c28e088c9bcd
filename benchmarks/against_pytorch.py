"""Times PyTorch and airlot on the same model, weights, images and batch.

    benchmarks/against_pytorch [--json] [--repeats K]

Both compute the loss gradient of the first images of MNIST's test set, in turns, K times each; the best
time counts. The script checks that both give the same gradient within 1e-4, and times the evaluation of
all 10 000 test images by the cnn.
"""
import argparse
import gzip
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

AIRLOT = Path(__file__).resolve().parent.parent / "build/release/airlot"
CASES = [(model, batch, threads)
         for threads in (1, 2) for model in ("cnn", "mlp") for batch in (32, 600)]
MOST_DIFFERENCE = 1e-4


def start_self(threads, *arguments):
    """Runs this script in a process of its own, because threads are set for a whole process."""
    count = str(threads)
    environment = dict(os.environ, OMP_NUM_THREADS=count, OPENBLAS_NUM_THREADS=count,
                       MKL_NUM_THREADS=count)
    command = [sys.executable, __file__, "--pytorch", count, *arguments]
    return json.loads(subprocess.run(command, env=environment, stdout=subprocess.PIPE,
                                     check=True).stdout)


def airlot(threads, *arguments):
    command = [AIRLOT, "bench", "learning", "--data", "mnist", "--threads", str(threads),
               "--json", "--quiet", *arguments]
    return json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)


# --- PyTorch, in its own process ------------------------------------------------------------------

def read_idx(path, header):
    import numpy
    opened = gzip.open(path) if path.suffix == ".gz" else open(path, "rb")
    with opened as file:
        return numpy.frombuffer(file.read()[header:], numpy.uint8)


def test_set():
    import torch
    folder = Path(json.loads(subprocess.run([AIRLOT, "data", "info", "mnist", "--json"], check=True,
                                            stdout=subprocess.PIPE).stdout)["folder"])
    images = read_idx(next(folder.glob("t10k-images*")), 16).reshape(-1, 1, 28, 28)
    labels = read_idx(next(folder.glob("t10k-labels*")), 8)
    return torch.tensor(images).float() / 255, torch.tensor(labels).long()


def make(model):
    from torch import nn
    if model == "cnn":
        return nn.Sequential(nn.Conv2d(1, 20, 7, padding=3), nn.ReLU(), nn.MaxPool2d(4),
                             nn.Flatten(), nn.Linear(980, 200), nn.ReLU(), nn.Linear(200, 10))
    return nn.Sequential(nn.Flatten(), nn.Linear(784, 200), nn.ReLU(), nn.Linear(200, 200),
                         nn.ReLU(), nn.Linear(200, 10))


def best_seconds(work, least_s):
    best, end = float("inf"), time.perf_counter() + least_s
    while time.perf_counter() < end:
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return best


def pytorch(threads, model, batch, folder):
    """Returns the seconds of a gradient and of an evaluation, and how far the gradient is from airlot's."""
    import numpy
    import torch
    torch.set_num_threads(threads)
    images, labels = test_set()
    network = make(model)
    parameters = numpy.fromfile(folder / f"{model}-parameters.f32", numpy.float32)
    torch.nn.utils.vector_to_parameters(torch.tensor(parameters), network.parameters())

    def gradient():
        network.zero_grad()
        loss = torch.nn.functional.cross_entropy(network(images[:batch]), labels[:batch])
        loss.backward()

    def evaluate():
        with torch.no_grad():
            for part in range(0, len(images), 1000):
                network(images[part:part + 1000])

    gradient()
    ours = numpy.fromfile(folder / f"{model}-{batch}-gradient.f32", numpy.float32)
    theirs = numpy.concatenate([p.grad.numpy().ravel() for p in network.parameters()])
    difference = numpy.linalg.norm(ours - theirs) / numpy.linalg.norm(theirs)
    return {"gradient_s": best_seconds(gradient, 1), "evaluation_s": best_seconds(evaluate, 1),
            "difference": float(difference)}


# --- Both, in turns -------------------------------------------------------------------------------

def measure(model, batch, threads, repeats):
    best = {}
    with tempfile.TemporaryDirectory() as folder:
        arguments = ["--model", model, "--batch", str(batch)]
        for _ in range(repeats):
            ours = airlot(threads, *arguments, "--save", folder)[0]
            theirs = start_self(threads, *arguments, "--folder", folder)
            if theirs["difference"] > MOST_DIFFERENCE:
                sys.exit(f"error: {model}, batch {batch}: the gradients differ by "
                         f"{theirs['difference']:.1g}")
            found = {"airlot": ours["us_per_sample"],
                     "pytorch": theirs["gradient_s"] / batch * 1e6,
                     "airlot_evaluation": ours["evaluation_us_per_sample"] * 1e-2,
                     "pytorch_evaluation": theirs["evaluation_s"]}
            best = {key: min(value, best.get(key, value)) for key, value in found.items()}
    return {"model": model, "batch": batch, "threads": threads,
            "airlot_us_per_sample": best["airlot"], "pytorch_us_per_sample": best["pytorch"],
            "ratio": best["pytorch"] / best["airlot"], "difference": theirs["difference"],
            "airlot_evaluation_s": best["airlot_evaluation"],
            "pytorch_evaluation_s": best["pytorch_evaluation"]}


def print_table(rows):
    print("Gradients, µs per sample (the best of several rounds)")
    print(f"  {'model':<6}{'batch':>6}{'threads':>9}{'airlot':>9}{'PyTorch':>9}{'ratio':>8}"
          f"{'difference':>12}")
    for row in rows:
        print(f"  {row['model']:<6}{row['batch']:>6}{row['threads']:>9}"
              f"{row['airlot_us_per_sample']:>9.1f}{row['pytorch_us_per_sample']:>9.1f}"
              f"{row['ratio']:>8.1f}{row['difference']:>12.1e}")
    row = rows[0]
    print(f"Evaluation of 10 000 images by the {row['model']}, {row['threads']} thread: "
          f"{row['airlot_evaluation_s']:.3f} s; PyTorch {row['pytorch_evaluation_s']:.3f} s "
          f"({100 * row['airlot_evaluation_s'] / row['pytorch_evaluation_s']:.0f} %)")


def main():
    parser = argparse.ArgumentParser(prog="against_pytorch", description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true", help="for machines")
    parser.add_argument("--repeats", type=int, default=3, help="turns of each contender (3)")
    for hidden in ("--pytorch", "--model", "--batch", "--folder"):
        parser.add_argument(hidden, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.pytorch:
        print(json.dumps(pytorch(int(options.pytorch), options.model, int(options.batch),
                                 Path(options.folder))))
        return
    rows = []
    for case in CASES:
        print("measuring {}, batch {}, threads {}".format(*case), file=sys.stderr)
        rows.append(measure(*case, options.repeats))
    print(json.dumps(rows, indent=2)) if options.json else print_table(rows)


if __name__ == "__main__":
    main()
