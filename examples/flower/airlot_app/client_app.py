"""The device: it says what it has, and trains when it is invited.

Its radio is emulated: an upload of so many bits at the power of the invitation takes as long as Shannon's rate says.
"""
import math
import time

import numpy as np
from airlot_app import task
from flwr.app import ArrayRecord, ConfigRecord, Message, MetricRecord, RecordDict
from flwr.clientapp import ClientApp

app = ClientApp()


def figures_of(context):
    """Returns the device's figures: the first has the best channel, and the sixth the worst."""
    place = context.node_config.get("partition-id", 0)
    return {"max_power_w": 0.2, "noise_to_gain_w": 0.01 * 1.5**(place % 6), "energy_budget_j": 0.05,
            "update_bits": 32.0 * 7850, "bandwidth_hz": 1e5, "compute_time_s": 0.05, "compute_energy_j": 0.01}


def data_of(context):
    """Returns the device's images and labels."""
    return task.load(context.node_config.get("partition-id", 0), context.node_config.get("num-partitions", 1))


@app.query()
def query(message: Message, context) -> Message:
    """Answers what the device has."""
    _, y = data_of(context)
    words = {"model": "logistic", "parameters": 7850, "labels": np.bincount(y, minlength=10).tolist()}
    return Message(RecordDict({"metrics": MetricRecord({"num-examples": len(y), **figures_of(context)}),
                               "airlot": ConfigRecord(words)}), reply_to=message)


@app.train()
def train(message: Message, context) -> Message:
    """Trains, and sends the parameters at the power of the invitation."""
    config = message.content["config"]
    begun = time.monotonic()
    x, y = data_of(context)
    start = {name: array.numpy() for name, array in message.content["arrays"].items()}
    draw = np.random.default_rng([config["airlot.seed"], config["airlot.device"], config["server-round"]])
    trained, loss = task.train(start, x, y, config["airlot.rate"], config["airlot.batch"], config["airlot.local_steps"],
                               config["airlot.local_epochs"], draw)
    compute_s = time.monotonic() - begun
    power_w, noise_to_gain_w = config["airlot.power_w"], figures_of(context)["noise_to_gain_w"]
    upload_s = config["airlot.update_bits"] / (config["airlot.bandwidth_hz"] * math.log2(1 + power_w / noise_to_gain_w))
    time.sleep(upload_s)
    metrics = {"num-examples": len(y), "train-loss": loss, "airlot.compute_s": compute_s, "airlot.upload_s": upload_s,
               "airlot.energy_j": figures_of(context)["compute_energy_j"] + power_w * upload_s}
    words = {"token": config["airlot.token"], "round": config["server-round"]}
    return Message(RecordDict({"arrays": ArrayRecord({name: _array(values) for name, values in trained.items()}),
                               "metrics": MetricRecord(metrics), "airlot": ConfigRecord(words)}), reply_to=message)


@app.evaluate()
def evaluate(message: Message, context) -> Message:
    """Evaluates the model on the device's own images."""
    x, y = data_of(context)
    model = {name: array.numpy() for name, array in message.content["arrays"].items()}
    loss, accuracy = task.loss_and_accuracy(model, x, y)
    metrics = MetricRecord({"num-examples": len(y), "loss": loss, "accuracy": accuracy})
    return Message(RecordDict({"metrics": metrics}), reply_to=message)


def _array(values):
    from flwr.app import Array

    return Array(np.ascontiguousarray(values))
