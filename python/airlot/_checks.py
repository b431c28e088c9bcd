"""What is wrong with an argument, in words."""
from __future__ import annotations

import os

from . import _core

TYPE_CHECKING = False  # Type checkers take it for true; typing itself takes half a megabyte.
if TYPE_CHECKING:
    from typing import Iterator, NoReturn


def refuse(name: str, wanted: str, given: object) -> NoReturn:
    """Says what an argument must be."""
    raise _core.Error(f"{name}: must be {wanted}, not {type(given).__name__}")


def text_of(given: str, name: str) -> str:
    """Returns a text that can be written."""
    try:
        given.encode()
    except UnicodeEncodeError:
        raise _core.Error(f"{name} = {given!r}: is no text in Unicode") from None
    return given


def path_of(given: object, name: str) -> str:
    """Returns a path as text."""
    if isinstance(given, bytes):
        given = os.fsdecode(given)
    if not isinstance(given, (str, os.PathLike)):
        refuse(name, "a path", given)
    path = os.fspath(given)
    if isinstance(path, bytes):
        path = os.fsdecode(path)
    text_of(path, name)
    if "\0" in path:
        raise _core.Error(f"{name} = {path!r}: a path has no character 0")
    return path


def items_of(given: object, name: str, wanted: str) -> Iterator[object]:
    """Goes through something that is no text."""
    if isinstance(given, (str, bytes)) or not hasattr(given, "__iter__"):
        refuse(name, wanted, given)
    return iter(given)
