"""Participation and transmit power for federated learning over wireless networks.

Plan a round, simulate training under any strategy, and compare strategies in accuracy, time and energy. The
work is done by the C++ library of the same name. All quantities are linear and in SI units; names end in their
unit (``_w``, ``_j``, ``_s``, ``_hz``, ``_bits``).

In the examples of this package, ``cell`` and ``plan`` are as in `Plan`, ``scenario`` and ``results`` as in `compare`,
``swept`` as in `sweep`, ``view`` is what `Strategy.select` gets in the first round, ``setting`` and ``training`` what a
`Backend` gets, ``folder`` is one to write to, and NumPy is ``np``.

>>> import airlot
>>> plan = airlot.plan(noise_to_gain_w=[1e-6, 1e-5], energy_budget_j=0.01, max_power_w=0.2,
...                    time_limit_s=0.5, update_bits=1e6, bandwidth_hz=1e5)
>>> plan.probability.round(3)
array([0.714, 0.548])
"""
from __future__ import annotations

import atexit
import os

from . import _core
from ._backend import Arrival, Backend, Evaluation, Gathering, Invitation, Setting, Training, Update
from ._core import Error, RandomStream, __version__
from ._data import Dataset
from ._plan import Plan, plan
from ._plan_results import Airtime, Certificate, Expectations, Floor, Levers
from ._results import Report, Results, SweepResults, read_runs
from ._runs import compare, sweep, train
from ._scenario import Scenario, scenarios
from ._strategy import Option, Outcome, Selection, Strategy, View, draw_uniformly, strategies
from ._table import Table

atexit.register(_core.stop_all)  # Threads of runs must not outlive the interpreter.
os.register_at_fork(before=_core.before_fork, after_in_parent=_core.after_fork_in_parent,
                    after_in_child=_core.after_fork_in_child)

__all__ = [
    "Airtime", "Arrival", "Backend", "Certificate", "Dataset", "Error", "Evaluation", "Expectations", "Floor",
    "Gathering", "Invitation", "Levers", "Option", "Outcome", "Plan", "RandomStream", "Report", "Results", "Scenario", "Selection", "Setting",
    "Strategy", "SweepResults", "Table", "Training", "Update", "View", "__version__", "compare",
    "draw_uniformly", "plan", "read_runs", "scenarios", "strategies", "sweep", "train",
]
