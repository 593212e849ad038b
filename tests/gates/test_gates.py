# SPDX-License-Identifier: MIT
"""Coarse gates: what would otherwise get slower, or less true, without anybody's seeing it.

Each figure is a ratio measured in one run, the best of three, and has to be within twice the limit that
its benchmark holds itself to: on an idle machine noise does not fail it, a speed that has halved does.
./test --gates runs them, and nothing else does. The benchmarks are where to look then
(benchmarks/collector, programs, truth). The page of a large profile has its gate in
tests/page/large_test.mjs.
"""
import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
TURNS = 3

# The replay's events a second, in times of a loop that keeps a stack and counts calls by function, over
# the same records. The floor of real programs, 0.5, is out of reach of these streams, of nothing but
# tiny calls: the limits are three fifths of the best of three runs on the machine of
# benchmarks/RESULTS.md, whatever else it did (0.36, 0.28).
OF_FLOOR = {"replay/fib": 0.21, "replay/compiler": 0.17}


def benchmark(folder):
    """The module benchmarks/FOLDER/run.py, which finds what is beside it as if it had been started."""
    sys.path.append(str(BENCHMARKS / folder))
    spec = importlib.util.spec_from_file_location(f"benchmark_{folder}", BENCHMARKS / folder / "run.py")
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def umbra():
    return Path(os.environ["UMBRA"])


def test_replay_keeps_up_with_a_loop_that_keeps_a_stack():
    best = {}
    for _ in range(TURNS):
        told = subprocess.run(
            [os.environ["UMBRA_BENCH_REPLAY"], "--benchmark_filter=^(" + "|".join(OF_FLOOR) + ")",
             "--benchmark_min_time=0.2", "--benchmark_format=json"],
            check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
        for row in json.loads(told)["benchmarks"]:
            best[row["name"]] = max(best.get(row["name"], 0), row.get("of_floor", 0))
    print("of the floor:", best)
    slower = {name: best.get(name, 0) for name, limit in OF_FLOOR.items() if best.get(name, 0) < limit}
    assert not slower, f"of the floor: {slower}; limits: {OF_FLOOR}"


def test_compiler_on_a_small_file_is_not_slowed_down(umbra):
    programs = benchmark("programs")
    programs.FOLDER.mkdir(parents=True, exist_ok=True)
    workload = programs.PROGRAMS["csc_small"](programs.FOLDER)
    seconds = {"bare": [], "umbra": []}
    for _ in range(TURNS):
        for variant, runs in seconds.items():
            runs.append(programs.in_fresh_folder(
                lambda folder, variant=variant: programs.run_once(umbra, variant, workload, folder))[0])
    ratio = min(seconds["umbra"]) / min(seconds["bare"])
    print(f"csc_small: {ratio:.2f} x bare, {seconds}")
    assert ratio <= 2 * programs.LIMITS["csc_small"]


def test_methods_that_burn_a_known_time_are_told_so(umbra, tmp_path):
    truth = benchmark("truth")
    nearest = {}
    for _ in range(TURNS):
        for name, (known, told, _) in truth.one_run(umbra, 4, tmp_path).items():
            off = 100 * abs(told / known - 1)
            nearest[name] = min(nearest.get(name, off), off)
    print(f"percent off: {nearest}")
    limits = {name: 2 * truth.LIMITS[name] for name in ("For1Us", "For10Us")}
    beyond = {name: nearest.get(name) for name, limit in limits.items()
              if not nearest.get(name, limit + 1) <= limit}
    assert not beyond, f"percent off: {beyond}; limits: {limits}"
