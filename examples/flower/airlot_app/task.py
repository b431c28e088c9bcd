"""What is learned: a logistic regression on the built-in digits, in NumPy. Its parameters are in the order of airlot's
own model `logistic`, so that nodes of `airlot device` can take part."""
import numpy as np
from airlot.flower.shares import share_of, test_of

CLASSES = 10


def start():
    """Returns the parameters that training begins with."""
    return {"weight": np.zeros((CLASSES, 784), np.float32), "bias": np.zeros(CLASSES, np.float32)}


def load(partition, partitions):
    """Returns the images and labels of a device: its share of 2000."""
    x, y = share_of("digits", partition, partitions, most=2000)
    return x.reshape(len(x), -1).astype(np.float32) / 255, y.astype(int)


def load_test():
    """Returns images that nobody trains with."""
    x, y = test_of("digits", most=500)
    return x.reshape(len(x), -1).astype(np.float32) / 255, y.astype(int)


def probabilities(parameters, x):
    """Returns the probability of each class for each image."""
    scores = x @ parameters["weight"].T + parameters["bias"]
    scores = np.exp(scores - scores.max(axis=1, keepdims=True))
    return scores / scores.sum(axis=1, keepdims=True)


def loss_and_accuracy(parameters, x, y):
    """Returns how good a model is on these images."""
    p = probabilities(parameters, x)
    return float(-np.log(np.maximum(p[np.arange(len(y)), y], 1e-12)).mean()), float((p.argmax(axis=1) == y).mean())


def train(parameters, x, y, rate, batch, steps, epochs, draw):
    """Returns the parameters after local training, and the mean loss before each step."""
    parameters = {name: array.astype(np.float32).copy() for name, array in parameters.items()}
    batch = min(batch or len(y), len(y))
    losses = []
    is_gradient = not steps and not epochs  # The server asks for one gradient, which it scales itself.
    steps = 1 if is_gradient else steps or epochs * -(-len(y) // batch)
    for _ in range(steps):
        chosen = draw.choice(len(y), batch, replace=False)
        p = probabilities(parameters, x[chosen])
        losses.append(float(-np.log(np.maximum(p[np.arange(batch), y[chosen]], 1e-12)).mean()))
        p[np.arange(batch), y[chosen]] -= 1
        scale = np.float32((1.0 if is_gradient else rate) / batch)
        parameters["weight"] -= scale * (p.T @ x[chosen])
        parameters["bias"] -= scale * p.sum(axis=0)
    return parameters, float(np.mean(losses))
