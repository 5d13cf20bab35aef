"""``python -m holdfast`` is the same as ``holdfast``."""

from __future__ import annotations

import sys

from .cli import main

if __name__ == "__main__":  # pragma: no branch
    sys.exit(main())
