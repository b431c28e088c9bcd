"""The devices of a run: found, enrolled, invited and heard, over whatever carries the messages."""
from __future__ import annotations

import csv
import dataclasses
import math
import os
import secrets
import sys
import time
from typing import Dict, List, Mapping, Optional, Sequence

import numpy as np
import numpy.typing as npt

from .. import _core
from .._backend import Arrival, Gathering, Invitation, Training
from . import wire
from .enrolment import CHANGING, Claim, Enrolment
from .robust import Rule
from .round import Accepted, Reply, Round, Rules, Seat
from .transport import Arrays, Score, Transport

Vector = npt.NDArray[np.float32]

ENROLMENT_FILE = "enrolment.json"
FLEET_FILE = "fleet.csv"
REPLIES_FILE = "replies.csv"
FIRST_PATIENCE_S = 60.0
"""A node that does not answer so long when it is first asked for its figures is asked again."""
_HEADER = ["round", "device", "node", "power_w", "planned_upload_s", "planned_compute_s", "planned_energy_j", "upload_s",
           "compute_s", "energy_j", "noise_to_gain_w", "battery_j", "outcome", "detail"]


def say(text: str) -> None:
    """Tells whoever looks at the log of the server application."""
    print(f"airlot: {text}", file=sys.stderr, flush=True)


class Federation:
    """All devices elsewhere, for the rounds of a run; its files are in ``folder``."""

    def __init__(self, transport: Transport, folder: str, *, rules: Rules = Rules(), robust: Optional[Rule] = None,
                 defaults: Mapping[str, float] = {}, seed: int = 1,
                 extra: Mapping[str, object] = {}) -> None:
        self.transport = transport
        self.folder = folder
        self.rules = rules
        self.robust = robust
        self.defaults = dict(defaults)
        self.seed = seed
        self.extra = dict(extra)
        self.enrolment = Enrolment()
        self.parameters: Optional[int] = None
        self.shapes: Dict[str, tuple[int, ...]] = {}
        self.is_open = True
        self.counts: Dict[str, int] = {}
        """How many replies counted ("accepted"), were refused, by reason, or never came ("no answer", "offline")."""
        os.makedirs(folder, exist_ok=True)

    # --- Who is there ------------------------------------------------------------------------------

    def enrol(self, least: int, wait_s: float, poll_s: float = 0.5) -> None:
        """Asks all nodes that were not asked yet, until there are so many devices or the time is up. Who does not
        answer is asked again, and given longer to answer."""
        ends = time.monotonic() + wait_s
        patience_s = min(self.rules.deadline_s, FIRST_PATIENCE_S)
        while True:
            self.locate(deadline_s=max(1.0, min(patience_s, ends - time.monotonic())))
            patience_s *= 2
            if len(self.enrolment.node_of) >= least:
                return
            if time.monotonic() >= ends:
                raise _core.Error(f"{len(self.enrolment.node_of)} devices are there after {wait_s:g} s, and {least} are "
                                  f"needed{self._why_not()}")
            time.sleep(poll_s)

    def _why_not(self) -> str:
        return "".join(f"; node {node} was refused: {why}" for node, why in list(self.enrolment.refused.items())[:5])

    def locate(self, round: int = 0, deadline_s: float = 5.0) -> None:
        """Finds out at which nodes the devices are; those nodes are asked that were not yet."""
        names = self.transport.nodes()
        self.enrolment.forget_nodes(names)
        unknown = self.enrolment.unknown(names)
        for node in list(unknown):  # A device that comes again is known by its key.
            name = names[node]
            if name is not None and not self.is_open and any(one.name == name for one in self.enrolment.devices):
                self.enrolment.node_of[name] = node
                unknown.remove(node)
        if not unknown:
            return
        asked = {node: wire.enrol_config(round) for node in unknown}
        for answer, _ in self.transport.exchange("query", None, asked, deadline_s):
            if isinstance(answer, Claim) and answer.node in asked:
                why = self.enrolment.offer(answer, names[answer.node], defaults=self.defaults,
                                           parameters=self.parameters, is_open=self.is_open)
                if why is not None:
                    say(f"node {answer.node} is not enrolled: {why}")
            if not self.enrolment.unknown(asked):
                return
        if not self.is_open:  # Rounds do not wait for the same node again.
            for node in self.enrolment.unknown(asked):
                self.enrolment.refused[node] = "did not answer"

    def close(self) -> None:
        """Takes no further devices, and keeps those that are enrolled."""
        self.is_open = False
        self.enrolment.save(os.path.join(self.folder, ENROLMENT_FILE))
        self.enrolment.write_fleet(os.path.join(self.folder, FLEET_FILE))

    def reopen(self) -> bool:
        """Goes on with the devices that were kept, if there are any."""
        path = os.path.join(self.folder, ENROLMENT_FILE)
        if not os.path.exists(path):
            return False
        self.enrolment = Enrolment.load(path)
        self.is_open = False
        return True

    # --- A round -----------------------------------------------------------------------------------

    def arrays_of(self, parameters: Vector) -> Arrays:
        """Returns parameters in the shapes of the model."""
        arrays, at = {}, 0
        for name, shape in self.shapes.items():
            size = math.prod(shape)
            arrays[name] = parameters[at:at + size].reshape(shape).copy()
            at += size
        return arrays

    def gather(self, invited: Sequence[Invitation], parameters: Vector,
               training: Training) -> tuple[Gathering, Dict[int, Accepted]]:
        """Holds a round: returns who has arrived, and the updates that count, by device."""
        devices = self.enrolment.devices
        nodes = self._wait_for([devices[one.device].name for one in invited], training.round)
        there = [at for at, node in enumerate(nodes) if node is not None]
        seats = [Seat(nodes[at] or 0, secrets.token_hex(16), devices[invited[at].device].name) for at in there]
        round = Round(training.round, parameters, self.shapes, seats, self.rules)
        configs = {seat.node: self._config(invited[at], training, seat.token) for at, seat in zip(there, seats)}
        if configs:
            for answer, at_s in self.transport.exchange("train", self.arrays_of(parameters), configs,
                                                        self.rules.deadline_s):
                if isinstance(answer, Reply):
                    round.offer(answer, at_s)
                if round.is_over(at_s):
                    break
        accepted = {there[seat]: one for seat, one in round.accepted().items()}
        self._log(round, invited, nodes, there, accepted)
        self._refresh({devices[invited[at].device].name: one.figures for at, one in accepted.items()})
        arrivals = [Arrival(False)] * len(invited)
        for at, one in accepted.items():
            arrivals[at] = Arrival(True, one.upload_s, one.compute_s, one.energy_j)
        is_enough = len(there) >= min(self.rules.least_arrivals, len(invited))
        waited_s = self.rules.deadline_s if round.missing or not is_enough else 0.0
        return Gathering(arrivals, waited_s), self._robustly({invited[at].device: one for at, one in accepted.items()})

    def _wait_for(self, names: Sequence[str], round: int, poll_s: float = 0.5) -> List[Optional[int]]:
        """Returns the nodes of these devices, once so many are there as a round needs, or after the deadline: after a
        restart of whoever carries the messages, nodes need some time to come back."""
        ends = time.monotonic() + self.rules.deadline_s
        while True:
            self.locate(round)
            nodes = [self.enrolment.node_of.get(name) for name in names]
            there = sum(node is not None for node in nodes)
            if there >= min(self.rules.least_arrivals, len(names)) or time.monotonic() >= ends:
                return nodes
            time.sleep(poll_s)

    def _config(self, one: Invitation, training: Training, token: str) -> wire.Config:
        config = wire.train_config(
            round=training.round, token=token, device=one.device, seed=self.seed, power_w=one.power_w,
            bandwidth_hz=one.bandwidth_hz, cpu_share=one.cpu_share, update_bits=one.update_bits,
            deadline_s=self.rules.deadline_s, rate=training.rate, batch=training.batch,
            local_steps=training.steps if training.sends_models and not training.epochs else 0,
            local_epochs=training.epochs, proximal=training.proximal)
        return {**self.extra, **config}

    def _robustly(self, accepted: Dict[int, Accepted]) -> Dict[int, Accepted]:
        if self.robust is None or not accepted:
            return accepted
        rows = self.robust(np.stack([one.update for one in accepted.values()]))
        return {device: dataclasses.replace(one, update=row) for (device, one), row in zip(accepted.items(), rows)}

    def _refresh(self, reported: Mapping[str, Mapping[str, float]]) -> None:
        for name, figures in reported.items():
            self.enrolment.refresh(name, figures)
        if any(reported.values()):
            self.enrolment.save(os.path.join(self.folder, ENROLMENT_FILE))

    def _log(self, round: Round, invited: Sequence[Invitation], nodes: Sequence[Optional[int]], there: Sequence[int],
             accepted: Mapping[int, Accepted]) -> None:
        seat_at = {at: seat for seat, at in enumerate(there)}
        rows: List[List[object]] = []

        def add(at: Optional[int], node: Optional[int], outcome: str, detail: str = "") -> None:
            self.counts[outcome] = self.counts.get(outcome, 0) + 1
            one = None if at is None else invited[at]
            took = None if at is None else accepted.get(at)
            name = "" if one is None else self.enrolment.devices[one.device].name
            plan: List[object] = ["", "", "", ""] if one is None else [one.power_w, one.upload_s, one.compute_s, one.energy_j]
            measured: List[Optional[float]] = [None] * (3 + len(CHANGING)) if took is None else [
                took.upload_s, took.compute_s, took.energy_j, *(took.figures.get(name) for name in CHANGING)]
            found: List[object] = ["" if value is None else value for value in measured]
            rows.append([round.number, name, "" if node is None else node, *plan, *found, outcome, detail])

        for refusal in round.refusals:
            add(None if refusal.seat is None else there[refusal.seat], refusal.node, refusal.reason, refusal.detail)
        for at, node in enumerate(nodes):
            if at in accepted:
                add(at, node, "accepted")
            elif node is None:
                add(at, node, "offline", "no node of the device is there")
            elif seat_at[at] in round.missing:
                add(at, node, "no answer", f"after {self.rules.deadline_s:g} s")
            elif not any(refusal.seat == seat_at[at] for refusal in round.refusals):
                add(at, node, "abandoned", f"fewer than {self.rules.least_arrivals} updates came")
        self._append(rows)

    def _append(self, rows: List[List[object]]) -> None:
        path = os.path.join(self.folder, REPLIES_FILE)
        is_new = not os.path.exists(path)
        with open(path, "a", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            if is_new:
                writer.writerow(_HEADER)
            writer.writerows([[str(value).replace("\n", " ").replace("\r", " ") for value in row] for row in rows])

    # --- Evaluation --------------------------------------------------------------------------------

    def evaluate(self, parameters: Vector, round: int) -> Optional[tuple[float, float]]:
        """Lets all devices that are there evaluate the model. Returns accuracy and loss, each device with the weight
        of its enrolled samples; None where nobody answers."""
        self.locate(round)
        name_at = {node: name for name, node in self.enrolment.node_of.items()}
        samples = {device.name: device.samples for device in self.enrolment.devices}
        configs: Dict[int, wire.Config] = {node: {**self.extra, wire.ROUND: round} for node in name_at}
        heard: Dict[int, tuple[float, float]] = {}
        if configs:
            for answer, _ in self.transport.exchange("evaluate", self.arrays_of(parameters), configs,
                                                     self.rules.deadline_s):
                if isinstance(answer, Score) and answer.node in name_at and answer.node not in heard:
                    heard[answer.node] = self._score(answer)
                if len(heard) == len(configs):
                    break
        known = {node: score for node, score in heard.items() if not math.isnan(score[0])}
        weight = sum(samples[name_at[node]] for node in known)
        if weight == 0:
            return None
        return (sum(samples[name_at[node]] * score[0] for node, score in known.items()) / weight,
                sum(samples[name_at[node]] * score[1] for node, score in known.items()) / weight)

    def _score(self, answer: Score) -> tuple[float, float]:
        values = [value if isinstance(value, (int, float)) else math.nan for value in (answer.accuracy, answer.loss)]
        if 0 <= values[0] <= 1 and math.isfinite(values[1]):
            return float(values[0]), float(values[1])
        return math.nan, math.nan
