"""One long run in which much is killed with kill -9: in every round three in ten of the devices, and in turn the server application and
the SuperLink, 20 times each. It says what came of it (docs/live.md), and takes about a quarter of an hour.

    python/tests/flower --kills
"""
import collections
import os
import pathlib
import random
import signal
import sys
import time

import airlot
import numpy as np
from loopback import Federation, folder_in_memory, replies_in

DEVICES = 20
ROUNDS = 60
KILLS = 20         # of the server application, and as many of the SuperLink
SHARE = 0.3        # of the devices, in every round
DEADLINE_S = 6.0
CELL = ("--emulate", "float32-cell", "--set", "data.dataset=digits", "--set", "model.name=logistic", "--set", f"fleet.devices={DEVICES}",
        "--pace", "inf", "--poll-s", "0.5", "--patience-s", "86400", "--quiet")
SETTINGS = {"strategy": "all", "output": "runs", "devices": DEVICES, "rounds": ROUNDS, "deadline-s": DEADLINE_S, "wait-s": 600.0}


class Trial:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.run = self.folder / "runs"
        self.federation = Federation(folder, tls=True, auth=True, database=True)
        self.random = random.Random(1)
        self.kills = collections.Counter()
        self.committed = []         # (time_s, energy_j, accuracy) of the rounds that were on disk at a kill
        self.round_ended_s = {}     # when the replies of a round were first there
        self.disturbed = set()      # rounds in which the server application or the SuperLink was killed

    def start(self):
        self.federation.start_link()
        for index in range(DEVICES + 1):
            self.federation.make_device_key(f"device{index}")
            if index < DEVICES:  # The last one is a stranger.
                self.federation.register(f"device{index}")
            self.start_device(index)
        self.federation.submit(**SETTINGS)

    def start_device(self, index):
        self.federation.start_device(index, "--index", str(index % DEVICES), *CELL)

    def round(self):
        found = max([int(row["round"]) for row in replies_in(self.run)], default=0)
        self.round_ended_s.setdefault(found, time.monotonic())
        return found

    def check_committed(self):
        """What was on disk when something was killed must be there afterwards, as it was."""
        rounds = airlot.read_runs(self.run).rounds
        now = list(zip(*(rounds[name].tolist() for name in ("round", "time_s", "energy_j", "accuracy"))))
        if [row[0] for row in now] != list(range(len(now))):
            raise SystemExit(f"rounds are missing or there twice: {[row[0] for row in now]}")
        if now[:len(self.committed)] != self.committed:
            raise SystemExit(f"what was committed has changed: {self.committed[-3:]} against {now[:len(self.committed)][-3:]}")
        self.committed = now

    def kill_devices(self):
        running = [index for index in range(DEVICES) if self.federation.devices[index].poll() is None]
        for index in self.random.sample(running, max(1, round(SHARE * DEVICES))):
            self.federation.kill(self.federation.devices[index])
            self.start_device(index)
            self.kills["devices"] += 1

    def kill_server_application(self):
        pids = self.federation.server_applications()
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
        self.kills["server application"] += bool(pids)
        self.go_on()

    def kill_superlink(self):
        self.federation.kill(self.federation.link)
        self.kills["SuperLink"] += 1
        self.federation.start_link()
        self.go_on()

    def go_on(self):
        self.check_committed()
        self.disturbed.update(range(self.round(), self.round() + 2))
        while True:  # A SuperLink that has just started may not take a run yet.
            try:
                return self.federation.submit(**SETTINGS)
            except RuntimeError as error:
                print(error, file=sys.stderr, flush=True)
                time.sleep(1)

    def hold(self):
        begun, last = time.monotonic(), 0
        while (number := self.round()) < ROUNDS:
            if number > last:
                last = number
                print(f"round {number} after {time.monotonic() - begun:.0f} s; killed: {dict(self.kills)}", flush=True)
                time.sleep(self.random.uniform(0, 1))  # somewhere in the next round
                self.kill_devices()
                if self.kills["server application"] < KILLS and number % 2:
                    self.kill_server_application()
                elif self.kills["SuperLink"] < KILLS and number % 2 == 0:
                    self.kill_superlink()
            elif time.monotonic() - self.round_ended_s[number] > 600:
                raise SystemExit(f"no round ended for 10 minutes: {self.federation.log('link')[-3000:]}")
            time.sleep(0.1)
        while airlot.read_runs(self.run).status != "complete":
            time.sleep(0.5)
        self.check_committed()
        return time.monotonic() - begun

    def tell(self, took_s):
        results = airlot.read_runs(self.run)
        outcomes = collections.Counter(row["outcome"] for row in replies_in(self.run))
        gaps = [self.round_ended_s[k] - self.round_ended_s[k - 1] for k in range(2, ROUNDS + 1)
                if k in self.round_ended_s and k - 1 in self.round_ended_s and not {k, k - 1} & self.disturbed]
        with np.load(self.run / "all" / "seed-1" / "model.npz") as model:
            finite = all(np.isfinite(model[name]).all() for name in model.files)
        names = {self.federation.name_of(f"device{index}") for index in range(DEVICES)}
        strangers = {row["device"] for row in replies_in(self.run)} - names - {""}
        print(f"{ROUNDS} rounds in {took_s:.0f} s with a deadline of {DEADLINE_S:g} s, each in the books once; killed: {dict(self.kills)}")
        print(f"invitations: {dict(outcomes)}; updates in the books: {int(np.nansum(results.rounds['arrived']))}")
        print(f"longest round that nothing but killed devices disturbed: {max(gaps, default=float('nan')):.1f} s, of {len(gaps)}")
        print(f"accuracy {results.rounds['accuracy'][0]:.3f} -> {results.rounds['accuracy'][-1]:.3f}; the model is "
              f"{'finite' if finite else 'NOT finite'}; uninvited: {len(strangers)}", flush=True)
        return finite and not strangers and set(results.devices["id"]) == names


def main():
    with folder_in_memory() as folder:
        trial = Trial(folder)
        try:
            trial.start()
            return 0 if trial.tell(trial.hold()) else 1
        finally:
            trial.federation.stop()


if __name__ == "__main__":
    sys.exit(main())
