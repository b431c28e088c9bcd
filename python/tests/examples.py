"""The examples in the documentation of everything that is public: what there is, and what they share."""
import dataclasses
import doctest
import inspect
import re

import numpy as np

import airlot

UNITS = {"_w": r"\bW\b", "_j": r"\bJ\b", "_s": r"\bs\b", "_hz": r"\bHz\b", "_bits": r"\bbits\b", "_s_per_j": "s/J"}


def public(names, module):
    """Yields (name, object, the class that it is a member of or None) of what is public, classes before members."""
    items = [(name, getattr(module, name)) for name in names if name != "__version__"]
    for name, item in items:
        yield name, item, None
    for name, item in items:
        for member, value in vars(item).items() if inspect.isclass(item) else ():
            is_code = isinstance(value, (property, classmethod, staticmethod)) or callable(value)
            if not member.startswith("_") and is_code:
                yield f"{name}.{member}", value, item


def documentation(item):
    """Returns the text that help() shows of an object."""
    return inspect.getdoc(getattr(item, "__func__", item)) or ""


def what_lacks(name, item):
    """Returns what the documentation of an object lacks, or nothing."""
    text = documentation(item)
    if len(text) < 10:
        return f"{name} is not explained"
    if ">>>" not in text:
        return f"{name} has no example"
    is_property = isinstance(item, property)
    for quantity in [name.split(".")[-1]] if is_property else fields_of(item):
        lines = text.splitlines()[:1] if is_property else [
            line for line in text.split("Args:")[-1].split("\n") if re.search(rf"\b{quantity}\b[^:]*:", line)]
        if not lines:
            return f"{name} does not say what {quantity} is"
        unit = next((UNITS[end] for end in sorted(UNITS, key=len, reverse=True) if quantity.endswith(end)), None)
        if unit and not re.search(unit, " ".join(lines)):
            return f"{name} does not say the unit of {quantity}"
    return None


def fields_of(item):
    return [field.name for field in dataclasses.fields(item)] if dataclasses.is_dataclass(item) else []


class Examples:
    """Runs examples one after another; they share their names."""

    def __init__(self, folder):
        self.names = {"airlot": airlot, "np": np, "folder": folder,
                      "training": airlot.Training(1, 0.1, 0, 1, 0, 0.0, None, False)}
        self.tried = 0
        self.failed = []
        self._runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)

    def run(self, name, text):
        """Runs the examples of a text, and keeps what they report."""
        test = doctest.DocTestParser().get_doctest(text, self.names, name, None, None)
        test.globs = self.names
        said = []
        result = self._runner.run(test, out=said.append, clear_globs=False)
        self.tried += result.attempted
        if result.failed:
            self.failed.append("".join(said))

    def run_within_select(self, texts):
        """Runs examples while a strategy selects: only then is there a view."""
        def select(strategy, view):
            if view.round == 1:
                self.names["view"] = view
                for name, text in texts:
                    self.run(name, text)
            return view.able()[:1]

        looking = type("Looking", (airlot.Strategy,), {"name": "looking", "select": select})
        airlot.train(self.names["scenario"], looking, progress=False)

    def take_setting(self):
        """Lets examples use the setting that a backend gets."""
        def keep(setting):
            self.names["setting"] = setting
            return airlot.Backend(setting)

        try:
            airlot.train(self.names["scenario"], "random", backend=keep, progress=False)
        except NotImplementedError:
            pass  # Nobody trains here.
