"""Measures `airlot device` beside Flower's SuperNode with PyTorch on the same job.

    benchmarks/against_flower [--json] [--rounds K] [--repeats N]

The job: 600 images of `digits`, the cnn (199 210 parameters), one epoch of batches of 32 in each of K rounds, one thread; each has a
SuperLink of its own on loopback, with TLS and a registered key. Figures are those of the node with all that it starts: Flower's
SuperNode starts a SuperExec, and for each message a process with the client application.

* to ready: from the start of the program until the SuperLink has activated the node; the least of N.
* idle, training: resident memory, as the sum of proportional shares (PSS) of its processes, before the first message and at most;
  for `airlot device` also the most that the kernel counted (VmHWM).
* CPU a round: user and system time between the first message and the end of the run, over the rounds.
"""
import argparse
import json
import os
import pathlib
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "python" / "tests"))
import airlot  # noqa: E402
import loopback  # noqa: E402
import numpy as np  # noqa: E402
from airlot.flower.shares import share_of, test_of  # noqa: E402

APP = pathlib.Path(__file__).resolve().parent / "against_flower_app"
TICKS = os.sysconf("SC_CLK_TCK")


def cpu_s(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def resident_mb(pid, name):
    path = "smaps_rollup" if name == "Pss" else "status"
    for line in pathlib.Path(f"/proc/{pid}/{path}").read_text().splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1]) / 1024
    return 0.0


class Watch:
    """Looks at a process and all that it starts, 20 times a second."""

    def __init__(self, process):
        self.pid = process.pid
        self.cpu = {}
        self.now_mb = self.most_mb = self.highest_mb = 0.0
        self._ends = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    def _look(self):
        while not self._ends.wait(0.05):
            total = 0.0
            for pid in [self.pid, *loopback.descendants(self.pid)]:
                try:
                    self.cpu[pid] = max(self.cpu.get(pid, 0.0), cpu_s(pid))
                    total += resident_mb(pid, "Pss")
                    if pid == self.pid:
                        self.highest_mb = resident_mb(pid, "VmHWM")
                except (OSError, ValueError):
                    pass
            self.now_mb = total
            self.most_mb = max(self.most_mb, total)

    def total_s(self):
        return sum(self.cpu.values())

    def stop(self):
        self._ends.set()
        self._thread.join()


def start_device(federation):
    federation.start_device(0, "--data", "data.npz", "--model", "cnn")
    return federation.devices[0]


def start_supernode(federation):
    federation.start_node(0, 1, "node0")
    return federation.nodes[0]


STARTS = {"airlot device": (start_device, "device0", "ready"),
          "flower-supernode with PyTorch": (start_supernode, "node0", "SuperNode ID")}
"""How each is started, the name of its key and of its log, and what it says when it is ready."""


def measure(kind, folder, rounds, repeats):
    federation = loopback.Federation(folder, tls=True, auth=True)
    federation.app = APP
    x, y = share_of("digits", 0, 100, most=60000)
    test_x, test_y = test_of("digits", most=100)
    data = pathlib.Path(folder) / "data.npz"
    np.savez(data, x_train=x, y_train=y, x_test=test_x, y_test=test_y)
    federation.environment["AIRLOT_BENCHMARK_DATA"] = str(data)
    try:
        federation.start_link()
        start, name, sign = STARTS[kind]
        federation.make_key(name) if name == "node0" else federation.make_device_key(name)
        federation.register(name)
        ready_s = []
        for repeat in range(repeats):
            seen = federation.log(name).count(sign)
            begun = time.monotonic()
            process = start(federation)
            while federation.log(name).count(sign) == seen:
                time.sleep(0.001)
            ready_s.append(time.monotonic() - begun)
            if repeat + 1 < repeats:
                process.terminate()  # It leaves the SuperLink.
                process.wait()
        watch = Watch(process)
        time.sleep(3)
        idle_mb, before_s = watch.now_mb, watch.total_s()
        printed = federation.run(rounds=rounds, output="runs")
        watch.stop()
        results = airlot.read_runs(pathlib.Path(folder) / "runs")
        if results.status != "complete" or results.rounds["arrived"][1:].tolist() != [1] * rounds:
            raise SystemExit(f"{kind}: the run failed: {printed}")
        return {"node": kind, "ready_s": min(ready_s), "idle_mb": idle_mb, "training_mb": watch.most_mb,
                "highest_mb": watch.highest_mb if kind == "airlot device" else None,
                "cpu_s_per_round": (watch.total_s() - before_s) / rounds, "accuracy": float(results.rounds["accuracy"][-1])}
    finally:
        federation.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--repeats", type=int, default=5, help="of the start")
    options = parser.parse_args()
    rows = []
    for kind in STARTS:
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            rows.append(measure(kind, folder, options.rounds, options.repeats))
    if options.json:
        print(json.dumps(rows, indent=1))
        return
    print(f"{'node':<30} {'to ready, s':>12} {'idle, MB':>9} {'training, MB':>13} {'CPU a round, s':>15} {'accuracy':>9}")
    for row in rows:
        print(f"{row['node']:<30} {row['ready_s']:>12.3f} {row['idle_mb']:>9.1f} {row['training_mb']:>13.1f} {row['cpu_s_per_round']:>15.3f} "
              f"{row['accuracy']:>9.3f}")
    print(f"The most that the kernel counted of airlot device: {rows[0]['highest_mb']:.1f} MB.")


if __name__ == "__main__":
    main()
