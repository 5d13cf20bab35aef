"""``holdfast demo``: a flash sale with real processes, in four acts."""

from __future__ import annotations

from argparse import Namespace


def main(args: Namespace) -> int:
    """Play all acts; return 0 only if every one came out as the story says."""
    # Here and not above: every buyer's process imports this package, and needs none of that.
    from .command import main

    return main(args)
