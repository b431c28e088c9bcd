#!/usr/bin/env python3
"""Makes digests of rounds.csv for short runs that cover every strategy, training rule, compression, radio, battery, way to
share the band, and a run that is interrupted and resumed.

Two builds of airlot that should give the same bytes are compared on one machine (vector instructions decide the last
digits, so that digests of another machine prove nothing):

    tools/run_digests.py OLD/airlot -o old.json
    tools/run_digests.py NEW/airlot --compare old.json
"""
import argparse
import hashlib
import json
import pathlib
import resource
import signal
import subprocess
import sys
import tempfile
import time

SHORT = ["evaluate_every=2", "model.name=mlp", "learning.batch=8"]
PAPER = "probabilistic,deterministic,uniform,equally-weighted"
SOME = "probabilistic,uniform,fedcs,oort,energy-rrm"
EVERYWHERE = []  # keys of all cases, from the command line
MOST_STOPS = 6  # of runs that are interrupted and resumed

# The cell with the data and the limit of the paper's second scenario.
MILDLY = ["data.beta=0.3", "round.time_limit_s=0.5"]

# Each case has a name, a scenario, strategies, rounds and further keys.
CASES = {
    "every": ("float32-cell", "every", 6, []),
    "paper-highly": ("paper-highly-biased", PAPER, 4, ["learning.batch=0"]),
    "paper-mildly": ("paper-mildly-biased", PAPER, 4, ["learning.batch=0"]),
    "every-mildly": ("mildly", "every", 4, []),
    "every-urban": ("urban-cell", "every", 5, []),
    "every-rician": ("mildly", "every", 3,
                     ["radio.path_loss=uma", "radio.fading=rician", "radio.shadowing=true", "round.time_limit_s=5"]),
    "every-shared": ("float32-cell", "every", 3, ["radio.sharing=shared"]),
    "every-density": ("float32-cell", "every", 3, ["radio.noise_dbm_per_hz=-110"]),
    "every-compute-time": ("mildly", "every", 3,
                           ["round.count_compute_time=true", "round.time_limit_s=5"]),
    "every-always": ("mildly", "every", 3, ["round.compute=always"]),
    "every-reception": ("mildly", "every", 3,
                        ["radio.receive_power_w=0.1", "radio.amplifier_efficiency=0.4", "radio.circuit_power_w=0.01"]),
    "cnn": ("float32-cell", "probabilistic,uniform", 3, ["model.name=cnn"]),
    "nakagami": ("float32-cell", SOME, 4, ["radio.fading=nakagami"]),
    "blocks": ("float32-cell", SOME, 4, ["radio.sharing=blocks"]),
    "shared-circuit": ("urban-cell", SOME, 3, ["radio.sharing=shared"]),
    "batteries": ("mildly", SOME, 8,
                  ["fleet.battery_j={log_uniform=[0.01, 10]}", "fleet.harvest_w={uniform=[0, 0.01]}"]),
    "batteries-always": ("mildly", SOME, 6,
                         ["fleet.battery_j={log_uniform=[0.1, 10]}", "round.compute=always"]),
    "deadline": ("mildly", SOME, 4, ["round.time_rule=deadline", "round.time_limit_s=50"]),
    "time-weight": ("mildly", SOME, 4, ["round.time_weight=0.1"]),
    "wait": ("float32-cell", "probabilistic,deterministic", 6, ["round.empty=wait"]),
    "redraw": ("float32-cell", "probabilistic,deterministic", 6, ["round.empty=redraw"]),
    "sum": ("float32-cell", SOME, 3, ["learning.aggregation=sum"]),
    "unbiased": ("float32-cell", "probabilistic,uniform", 3,
                 ["learning.aggregation=unbiased", "learning.least_probability=0.01"]),
    "client-dirichlet": ("float32-cell", "probabilistic", 3, ["data.partition=client-dirichlet"]),
    "shards": ("float32-cell", "probabilistic", 3, ["data.partition=shards"]),
    "iid": ("float32-cell", "probabilistic", 3, ["data.partition=iid", "data.samples_per_device=50"]),
    "cap": ("mildly", SOME, 3, ["radio.spectral_efficiency_cap=4.8", "radio.snr_gap_db=3"]),
}
for rule in ["fedavg", "fedprox", "scaffold", "fedavgm", "fedadam", "fedyogi", "fedadagrad"]:
    CASES[f"rule-{rule}"] = ("mildly", "probabilistic,uniform", 4, [f"learning.rule={rule}"])
    CASES[f"rule-{rule}-local"] = ("mildly", "probabilistic,uniform", 3,
                                   [f"learning.rule={rule}", "learning.local_steps=3"])
CASES["epochs"] = ("mildly", "probabilistic", 2, ["learning.local_epochs=1", "fleet.devices=300"])
CASES["momentum"] = ("mildly", "probabilistic", 4, ["learning.momentum=0.9"])
for method in ["float16", "top-k", "rand-k", "qsgd", "sign"]:
    CASES[f"compression-{method}"] = ("mildly", "probabilistic,uniform", 4,
                                      [f"learning.compression={method}"])
CASES["compression-scaffold"] = ("mildly", "probabilistic", 4,
                                 ["learning.compression=top-k", "learning.rule=scaffold"])


def command(airlot, case, folder, more=()):
    scenario, strategies, rounds, keys = CASES[case]
    if scenario == "mildly":
        scenario, keys = "float32-cell", [*MILDLY, *keys]
    line = [airlot, "compare", scenario, "--strategies", strategies, "--seeds", "1", "--quiet", "--jobs", "2",
            "-o", str(folder), *more]
    for key in [f"rounds={rounds}", *SHORT, *keys, *EVERYWHERE]:
        line += ["--set", key]
    return line


def limit_memory():
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))


def digests_in(folder, case):
    return {f"{case}/{path.relative_to(folder).parent}": hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(folder.rglob("rounds.csv"))}


def run(airlot, case, folder):
    done = subprocess.run(command(airlot, case, folder), capture_output=True, text=True, preexec_fn=limit_memory)
    # Versions before 0.2 cannot draw some reports; their runs are complete all the same.
    if done.returncode != 0 and '"state": "complete"' not in (folder / "manifest.json").read_text():
        sys.exit(f"{case}: exit {done.returncode}: {done.stderr}")
    return digests_in(folder, case)


def checkpoints_in(folder):
    found = set()
    for path in folder.rglob("checkpoint*"):
        try:
            found.add((path, path.stat().st_mtime_ns))
        except FileNotFoundError:  # replaced meanwhile
            pass
    return found


def interrupt_after_checkpoint(process, folder):
    """Waits until the process has saved a checkpoint of its own, however long it takes to begin."""
    before = checkpoints_in(folder)
    while process.poll() is None:
        if checkpoints_in(folder) - before:
            process.send_signal(signal.SIGINT)
            return
        time.sleep(0.005)


def run_interrupted(airlot, case, folder):
    """The same runs, stopped several times: each part of them saves a checkpoint at least, so that they come to an end."""
    stops = 0
    while True:
        more = ["--checkpoint-every-s", "0"] + (["--resume"] if stops > 0 else [])
        process = subprocess.Popen(command(airlot, case, folder, more), stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, text=True)
        if stops < MOST_STOPS:
            interrupt_after_checkpoint(process, folder)
        error = process.communicate()[1]
        if process.returncode == 0:
            break
        if process.returncode not in (130, -signal.SIGINT):
            sys.exit(f"{case}, interrupted: exit {process.returncode}: {error}")
        stops += 1
    if stops == 0:
        sys.exit(f"{case}: ended before it could be interrupted")
    return digests_in(folder, case)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("airlot")
    parser.add_argument("-o", "--output", help="write the digests")
    parser.add_argument("--compare", help="digests to compare with")
    parser.add_argument("--cases", help="only these, separated by commas")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE",
                        help="for all cases, such as data.dataset=digits")
    arguments = parser.parse_args()
    EVERYWHERE.extend(arguments.set)
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        chosen = arguments.cases.split(",") if arguments.cases else list(CASES) + ["resumed"]
        for case in chosen:
            start = time.monotonic()
            if case == "resumed":
                for name in ["batteries", "rule-scaffold", "compression-top-k"]:
                    for run_name, digest in run_interrupted(arguments.airlot, name,
                                                            pathlib.Path(folder) / f"resumed-{name}").items():
                        found[f"resumed-{run_name}"] = digest
                        if found.get(run_name, digest) != digest:
                            print(f"{run_name}: resumed runs differ")
            else:
                found.update(run(arguments.airlot, case, pathlib.Path(folder) / case))
            print(f"{case}: {time.monotonic() - start:.1f} s", file=sys.stderr)
            if arguments.output:
                pathlib.Path(arguments.output).write_text(json.dumps(found, indent=1) + "\n")
    if arguments.compare:
        old = json.loads(pathlib.Path(arguments.compare).read_text())
        compared = [name for name in found if name in old]
        changed = [name for name in compared if found[name] != old[name]]
        for name in changed:
            print(f"changed: {name}")
        print(f"{len(compared) - len(changed)} of {len(compared)} runs have the same bytes")
        sys.exit(1 if changed or not compared else 0)


if __name__ == "__main__":
    main()
