"""Plays the acts, one after another, and shows what came of them."""

from __future__ import annotations

import json
import os
import tempfile
import time
from argparse import Namespace

from holdfast import __version__
from holdfast.cli import status
from holdfast.cli.messages import say
from holdfast.cli.signals import Interrupted, Signals

from .acts import ACTS, ITEMS, Outcome, Stage, play
from .crowd import Crowd, DemoFailed
from .display import Display
from .shop import SHOP, Shop

#: Seconds until all buyers must be there: many processes start at once, on a machine that is busy.
ARRIVAL = 60.0


def main(args: Namespace) -> int:
    """Play all acts; return 0 only if every one came out as the story says."""
    if not 12 <= args.buyers <= 200:
        say("--buyers must be from 12 to 200")
        return status.USAGE
    try:
        # Whatever happens: first the buyers go, then their folder, then our handlers.
        with Signals(), tempfile.TemporaryDirectory(prefix="holdfast-demo-") as folder:
            return _play(args, folder)
    except Interrupted as interrupted:
        return status.signalled(interrupted.number)
    except (DemoFailed, OSError) as exc:
        if isinstance(exc, BrokenPipeError):
            raise
        say(f"the demo failed: {exc}")
        return status.FAILED


def _play(args: Namespace, folder: str) -> int:
    display = None if args.json else Display(color=not args.no_color)
    started = time.monotonic()
    path = os.path.join(folder, SHOP)
    Shop.build(path)
    if display:
        display.opening(args.buyers, args.seed)
    outcomes: list[Outcome] = []
    with Shop(path) as shop, Crowd(args.buyers, folder) as crowd:
        try:
            if display:
                display.hint("the buyers are coming …")
            crowd.assemble(time.monotonic() + ARRIVAL)
            if display:
                display.hint("")
            stage = Stage(crowd, shop, args.seed)
            for number, act in enumerate(ACTS, 1):
                if display:
                    display.curtain(number, act)
                outcomes.append(play(act, stage))
                if display:
                    display.result(outcomes[-1])
        except DemoFailed as exc:
            words = crowd.last_words()
            raise DemoFailed(f"{exc}: {words}" if words else str(exc)) from None
    seconds = time.monotonic() - started
    if display:
        display.closing(outcomes, seconds)
    else:
        print(json.dumps(_document(args, outcomes, seconds)))
    return 0 if all(outcome.as_told for outcome in outcomes) else status.FAILED


def _document(args: Namespace, outcomes: list[Outcome], seconds: float) -> dict[str, object]:
    return {
        "holdfast": __version__,
        "seed": args.seed,
        "buyers": args.buyers,
        "items": ITEMS,
        "as_told": all(outcome.as_told for outcome in outcomes),
        "seconds": round(seconds, 3),
        "acts": [
            {
                "act": outcome.act.key,
                "title": outcome.act.title,
                **outcome.facts,
                "adds_up": outcome.adds_up,
                "as_told": outcome.as_told,
                "seconds": round(outcome.seconds, 3),
            }
            for outcome in outcomes
        ],
    }
