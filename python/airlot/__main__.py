"""The program ``airlot``: ``python -m airlot --help``."""
from __future__ import annotations

import sys

from . import _core


def main() -> int:
    """Runs the program with this process's command line, and returns its exit code."""
    return _core.run_program(["airlot", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
