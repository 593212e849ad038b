#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What it costs to follow async calls: a web server (tests/managed/server, Levels.cs) whose requests have three levels of
awaits, under `umbra run` and under `umbra run --no-async`.

Both servers live all the time, each with its own load of --connections, and are asked in turn for --seconds.
Each pair gives a ratio of requests a second, with the calls followed to without; the median of the pairs is
compared with the limit. Before the pairs both are warmed for --warm seconds. Run it on an idle machine:

  benchmarks/async/run.py --umbra build/release/umbra --pairs 15
"""
import statistics
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from measuring import Arguments, in_turn, machine_line, recorder  # noqa: E402  (beside the folders)
from web_server import CONNECTIONS, WebLoad, WebServer  # noqa: E402  (found beside the integration tests)

LIMIT = 0.92
KINDS = {"followed": [], "not followed": ["--no-async"]}


def stretch(load, seconds):
    """Requests a second."""
    told = load.stretch(seconds)
    if told.failed:
        raise SystemExit(f"{told.failed} requests have failed")
    return told.per_second


def measure(arguments, folder):
    """The ratio of each pair."""
    with ExitStack() as stack:
        loads = {}
        for number, (kind, options) in enumerate(KINDS.items()):
            server = stack.enter_context(WebServer(
                prefix=recorder(arguments.umbra, folder / f"{number}.h5", *options), what=["levels"]))
            loads[kind] = stack.enter_context(WebLoad(server, arguments.connections))
            stack.callback(server.end)  # so that the profile is written
        for load in loads.values():
            stretch(load, arguments.warm)
        ratios = []
        for pair in range(arguments.pairs):
            done = {kind: stretch(loads[kind], arguments.seconds) for kind in in_turn(loads, pair)}
            ratios.append(done["followed"] / done["not followed"])
            print(f"pair {pair + 1}: {done['followed']:,.0f} requests/s followed, "
                  f"{done['not followed']:,.0f} not followed, {ratios[-1]:.3f}", flush=True)
        return ratios


def main():
    parser = Arguments(__doc__)
    parser.add_argument("--pairs", type=int, default=9)
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--warm", type=float, default=10)
    parser.add_argument("--connections", type=int, default=CONNECTIONS)
    arguments = parser.parse_args()
    print(machine_line(), flush=True)
    with tempfile.TemporaryDirectory() as folder:
        ratios = measure(arguments, Path(folder))
    median = statistics.median(ratios)
    missed = median < LIMIT
    print(f"followed: {median:.3f} of the requests/s without (median of {len(ratios)} pairs, {min(ratios):.3f} to "
          f"{max(ratios):.3f}), limit {LIMIT}{'  MISSED' if missed else ''}")
    return 1 if arguments.check and missed else 0


if __name__ == "__main__":
    sys.exit(main())
