"""The device in PyTorch: the layers of airlot's cnn, in its order of parameters."""
import os

import numpy as np
import torch
from flwr.app import Array, ArrayRecord, ConfigRecord, Message, MetricRecord, RecordDict
from flwr.clientapp import ClientApp
from torch import nn

app = ClientApp()


def make():
    """Returns the cnn."""
    return nn.Sequential(nn.Conv2d(1, 20, 7, padding=3), nn.ReLU(), nn.MaxPool2d(4), nn.Flatten(), nn.Linear(980, 200), nn.ReLU(),
                         nn.Linear(200, 10))


@app.query()
def query(message: Message, context) -> Message:
    """Answers what the device has: the figures that `airlot device` gives of itself."""
    figures = {"num-examples": 600, "max_power_w": 0.2, "noise_to_gain_w": 1e-3, "energy_budget_j": 100.0,
               "update_bits": 32.0 * 199210, "bandwidth_hz": 1e6, "compute_time_s": 0.0, "compute_energy_j": 0.0}
    return Message(RecordDict({"metrics": MetricRecord(figures), "airlot": ConfigRecord({"parameters": 199210})}),
                   reply_to=message)


@app.train()
def train(message: Message, context) -> Message:
    """Trains one epoch."""
    torch.set_num_threads(1)
    config = message.content["config"]
    with np.load(os.environ["AIRLOT_BENCHMARK_DATA"]) as data:
        x, y = torch.tensor(data["x_train"]).float().reshape(-1, 1, 28, 28) / 255, torch.tensor(data["y_train"]).long()
    network = make()
    name, start = next(iter(message.content["arrays"].items()))
    nn.utils.vector_to_parameters(torch.tensor(start.numpy()), network.parameters())
    optimizer = torch.optim.SGD(network.parameters(), lr=config["airlot.rate"])
    losses = []
    for _ in range(config["airlot.local_epochs"]):
        for part in torch.randperm(len(y)).split(config["airlot.batch"]):
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(network(x[part]), y[part])
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
    trained = nn.utils.parameters_to_vector(network.parameters()).detach().numpy()
    return Message(RecordDict({"arrays": ArrayRecord({name: Array(np.ascontiguousarray(trained))}),
                               "metrics": MetricRecord({"num-examples": len(y), "train-loss": float(np.mean(losses))}),
                               "airlot": ConfigRecord({"token": config["airlot.token"]})}), reply_to=message)
