"""Times PyTorch and airlot on the same model, weights, images and batch.

    benchmarks/against_pytorch [--json] [--repeats K] [--models NAME,...] [--threads N,...] [--python FILE]

Both compute the loss gradient of the first images of MNIST's test set, or for the resnet8 of random images
of CIFAR-10's shape, in turns, K times each; the best time counts. The script checks that airlot's gradient is
that of PyTorch in float64 within 1e-4 or, where that is more, twice the difference of PyTorch's own in float32: rounding now and
then decides over a window of max-pooling. It times the evaluation of all test images by the first model. --python names another
Python to run PyTorch in, such as one of a virtual environment with a newer PyTorch:

    python3 -m venv newer && newer/bin/pip install torch numpy
    benchmarks/against_pytorch --threads 1 --python newer/bin/python
"""
import argparse
import copy
import ctypes
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

AIRLOT = Path(__file__).resolve().parent.parent / "build/release/airlot"
MODELS = ("cnn", "mlp", "logistic", "lenet5", "cnn-mcmahan", "resnet8")
BATCHES = (32, 600)
MOST_DIFFERENCE = 1e-4


def blas_kernel():
    """Returns the kernels that OpenBLAS should take. Version 0.3.21 takes some Intel processors whose features are
    partly masked for a Prescott, and is then four times too slow; on AMD's it leaves AVX-512 unused, and is then up to
    1.8 times too slow."""
    facts = Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").exists() else ""
    flags = next((line.split() for line in facts.splitlines() if line.startswith("flags")), [])
    if "avx2" not in flags:
        return {}
    has_avx512 = {"avx512f", "avx512vl", "avx512dq"} <= set(flags)
    return {"OPENBLAS_CORETYPE": "SkylakeX" if has_avx512 else "Haswell"}


def start_self(python, threads, *arguments):
    """Runs this script in a process of its own, because threads are set for a whole process."""
    count = str(threads)
    environment = {**blas_kernel(), **os.environ, "OMP_NUM_THREADS": count,
                   "OPENBLAS_NUM_THREADS": count, "MKL_NUM_THREADS": count}
    command = [python, __file__, "--pytorch", count, *arguments]
    return json.loads(subprocess.run(command, env=environment, stdout=subprocess.PIPE,
                                     check=True).stdout)


def airlot(threads, model, *arguments):
    data = ["--side", "32", "--channels", "3"] if model == "resnet8" else ["--data", "mnist"]
    command = [AIRLOT, "bench", "learning", "--model", model, *data, "--threads", str(threads),
               "--json", "--quiet", *arguments]
    return json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)


# --- PyTorch, in its own process ------------------------------------------------------------------

def openblas_kernels():
    """Returns the name of the kernels that OpenBLAS takes, where this process has loaded it."""
    libraries = {line.split()[-1] for line in Path("/proc/self/maps").read_text().splitlines()
                 if "openblas" in line.split()[-1]}
    for library in libraries:
        name = getattr(ctypes.CDLL(library), "openblas_get_corename", None)
        if name is not None:
            name.restype = ctypes.c_char_p
            return name().decode()
    return None


def means():
    """Returns by which BLAS and which instructions PyTorch computes."""
    import torch
    facts = torch.__config__.show()
    kernels = openblas_kernels()
    blas = f"OpenBLAS ({kernels})" if kernels else "MKL" if torch.backends.mkl.is_available() else "another BLAS"
    if kernels == "Prescott":
        sys.exit("error: OpenBLAS takes this processor for a Prescott, four times too slow: set OPENBLAS_CORETYPE")
    instructions = re.search(r"CPU capability usage: (\S+)", facts)
    return f"{blas}, {instructions[1] if instructions else 'unknown instructions'}"


def test_set(folder, channels, side):
    """Returns the images and labels that airlot took."""
    import numpy
    import torch
    images = numpy.fromfile(folder / "images.u8", numpy.uint8).reshape(-1, channels, side, side)
    labels = numpy.fromfile(folder / "labels.u8", numpy.uint8)
    return torch.tensor(images).float() / 255, torch.tensor(labels).long()


def make(model, channels, side):
    """Returns a model as tools/layer_vectors.py, whose numbers the tests check, builds it."""
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tools"))
    from layer_vectors import with_last
    return with_last(model, channels, side)


def best_seconds(work, least_s):
    best, end = float("inf"), time.perf_counter() + least_s
    while time.perf_counter() < end:
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return best


def pytorch(threads, model, batch, folder):
    """Returns the seconds of a gradient and of an evaluation, and how far airlot's gradient is from that in float64."""
    import numpy
    import torch
    torch.set_num_threads(threads)
    channels, side = (3, 32) if model == "resnet8" else (1, 28)
    images, labels = test_set(folder, channels, side)
    network = make(model, channels, side)
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

    def exact():
        exactly = copy.deepcopy(network).double()
        exactly.zero_grad()
        torch.nn.functional.cross_entropy(exactly(images[:batch].double()), labels[:batch]).backward()
        return numpy.concatenate([p.grad.numpy().ravel() for p in exactly.parameters()])

    truth = exact()

    def difference(found):
        return float(numpy.linalg.norm(found - truth) / numpy.linalg.norm(truth))

    ours = difference(numpy.fromfile(folder / f"{model}-{batch}-gradient.f32", numpy.float32))
    gradient()
    theirs = difference(numpy.concatenate([p.grad.numpy().ravel() for p in network.parameters()]))
    return {"gradient_s": best_seconds(gradient, 1), "evaluation_s": best_seconds(evaluate, 1),
            "images": len(images), "difference": ours, "most_difference": max(MOST_DIFFERENCE, 2 * theirs), "version": torch.__version__,
            "means": means()}


# --- Both, in turns -------------------------------------------------------------------------------

def measure(model, batch, threads, repeats, python):
    best = {}
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(repeats):
            ours = airlot(threads, model, "--batch", str(batch), "--save", folder)[0]
            theirs = start_self(python, threads, "--model", model, "--batch", str(batch), "--folder",
                                folder)
            if theirs["difference"] > theirs["most_difference"]:
                sys.exit(f"error: {model}, batch {batch}: the gradients differ by "
                         f"{theirs['difference']:.1g}")
            found = {"airlot": ours["us_per_sample"],
                     "pytorch": theirs["gradient_s"] / batch * 1e6,
                     "airlot_evaluation": ours["evaluation_us_per_sample"] * 1e-6 * theirs["images"],
                     "pytorch_evaluation": theirs["evaluation_s"]}
            best = {key: min(value, best.get(key, value)) for key, value in found.items()}
    return {"model": model, "batch": batch, "threads": threads,
            "airlot_us_per_sample": best["airlot"], "pytorch_us_per_sample": best["pytorch"],
            "ratio": best["pytorch"] / best["airlot"], "difference": theirs["difference"],
            "images": theirs["images"], "pytorch_version": theirs["version"], "pytorch_means": theirs["means"],
            "airlot_means": ours["simd_target"],
            "airlot_evaluation_s": best["airlot_evaluation"],
            "pytorch_evaluation_s": best["pytorch_evaluation"]}


def print_table(rows):
    print(f"Gradients, µs per sample (the best of several rounds; airlot by {rows[0]['airlot_means']}, PyTorch "
          f"{rows[0]['pytorch_version']} by {rows[0]['pytorch_means']})")
    print(f"  {'model':<12}{'batch':>6}{'threads':>9}{'airlot':>9}{'PyTorch':>9}{'ratio':>8}"
          f"{'difference':>12}")
    for row in rows:
        print(f"  {row['model']:<12}{row['batch']:>6}{row['threads']:>9}"
              f"{row['airlot_us_per_sample']:>9.1f}{row['pytorch_us_per_sample']:>9.1f}"
              f"{row['ratio']:>8.1f}{row['difference']:>12.1e}")
    row = rows[0]
    print(f"Evaluation of {row['images']} images by the {row['model']}, {row['threads']} thread: "
          f"{row['airlot_evaluation_s']:.3f} s; PyTorch {row['pytorch_evaluation_s']:.3f} s "
          f"({100 * row['airlot_evaluation_s'] / row['pytorch_evaluation_s']:.0f} %)")


def main():
    parser = argparse.ArgumentParser(prog="against_pytorch", description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true", help="for machines")
    parser.add_argument("--repeats", type=int, default=3, help="turns of each contender (3)")
    parser.add_argument("--models", default=",".join(MODELS), help="some of the models (all)")
    parser.add_argument("--threads", default="1,2", help="with so many threads each (1,2)")
    parser.add_argument("--python", default=sys.executable, help="the Python to run PyTorch in")
    for hidden in ("--pytorch", "--model", "--batch", "--folder"):
        parser.add_argument(hidden, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.pytorch:
        print(json.dumps(pytorch(int(options.pytorch), options.model, int(options.batch),
                                 Path(options.folder))))
        return
    models = options.models.split(",")
    for name in models:
        if name not in MODELS:
            sys.exit(f"error: --models {name}: must be one of {', '.join(MODELS)}")
    rows = []
    for case in ((model, batch, int(threads)) for threads in options.threads.split(",")
                 for model in models for batch in BATCHES):
        print("measuring {}, batch {}, threads {}".format(*case), file=sys.stderr)
        rows.append(measure(*case, options.repeats, options.python))
    print(json.dumps(rows, indent=2)) if options.json else print_table(rows)


if __name__ == "__main__":
    main()
