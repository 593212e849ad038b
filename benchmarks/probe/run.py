#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What one profiled call costs: umbra's probes, their floors and other exact tracers, in
nanoseconds a call (an enter and a leave), all on this machine and in this run.

  stubs    build/release/bench_hotpath_stub: the probes called as compiled code calls them, with the
           collector draining in another process: CPU time of the thread that calls them, without
           its waits for the collector
  runtime  fib(35) on the real runtime, what profiling adds to a call, waits for the collector
           included
  peers    fib(24) in C, what uftrace (-pg -mfentry) and LTTng-UST (-finstrument-functions, event
           without call site, with thread id) add to a call; nothing lost, or the row says how much

Run it on an idle machine with two cores or more. The peers come from Debian's packages uftrace,
lttng-tools, liblttng-ust-dev and babeltrace2; one that is not installed is left out, aloud.

  benchmarks/probe/run.py --build build/release [--markdown]
"""
import argparse
import contextlib
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "overhead")]
import run as overhead  # noqa: E402  (benchmarks/overhead/run.py)
from measuring import machine_line  # noqa: E402  (beside the folders)

ROUNDS = 5
DEPTH = 24
PRELOAD = "liblttng-ust-cyg-profile-fast.so"
STUBS = {"floor/no_hooks": "calls of empty hooks, no runtime",
         "probes/pair": "probe, CPU time"}


def run(*command, **environment):
    done = subprocess.run([str(word) for word in command], check=True, capture_output=True,
                          text=True, env=dict(os.environ, **environment))
    return done.stdout + done.stderr


def ns_a_call(output):
    return float(next(line for line in output.splitlines() if line.startswith("ns ")).split()[1])


def calls_of(depth):
    return 1 if depth < 2 else 1 + calls_of(depth - 1) + calls_of(depth - 2)


def compile_fib(folder, name, *flags):
    program = folder / name
    run("cc", "-O1", *flags, "-o", program, HERE / "fib.c")
    return program


def uftrace(folder):
    """A function that runs the program once: (ns a call, calls that are missing)."""
    program = compile_fib(folder, "fib_uftrace", "-pg", "-mfentry")

    def once():
        trace = folder / "uftrace.data"
        shutil.rmtree(trace, ignore_errors=True)
        ns = ns_a_call(run("uftrace", "record", "--no-libcall", "--no-pager", "-d", trace, program,
                           DEPTH, ROUNDS))
        rows = run("uftrace", "report", "--no-pager", "-d", trace).splitlines()
        calls = next(int(row.split()[-2]) for row in rows if row.split()[-1:] == ["fib"])
        return ns, ROUNDS * calls_of(DEPTH) - calls

    return once


def lttng(folder):
    program = compile_fib(folder, "fib_lttng", "-finstrument-functions")

    def once():
        trace = folder / "lttng"
        shutil.rmtree(trace, ignore_errors=True)
        session = f"umbra-probe-{os.getpid()}"
        run("lttng", "create", session, f"--output={trace}")
        try:
            run("lttng", "enable-channel", "-u", "all", "--subbuf-size=8M", "--num-subbuf=8")
            run("lttng", "enable-event", "-u", "-c", "all", "lttng_ust_cyg_profile_fast:*")
            run("lttng", "add-context", "-u", "-c", "all", "-t", "vtid")
            run("lttng", "start")
            ns = ns_a_call(run(program, DEPTH, ROUNDS, LD_PRELOAD=PRELOAD))
            run("lttng", "stop")
        finally:
            run("lttng", "destroy", session)
        events = subprocess.run(["babeltrace2", trace], capture_output=True, text=True)
        seen = sum("func_e" in line or "func_exit" in line for line in events.stdout.splitlines())
        return ns, ROUNDS * calls_of(DEPTH) - seen // 2

    return once


@contextlib.contextmanager
def session_daemon():
    """LTTng's daemon, unless one runs already."""
    if not shutil.which("lttng-sessiond"):
        yield
        return
    daemon = subprocess.Popen(["lttng-sessiond", "--quiet"], stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL)
    try:
        for _ in range(50):
            if not subprocess.run(["lttng", "list"], capture_output=True).returncode:
                break
            time.sleep(0.1)
        yield
    finally:
        daemon.terminate()
        daemon.wait()


def measure_stubs(build):
    output = run(build / "bench_hotpath_stub", "--benchmark_format=json")
    rows = json.loads(output[output.index("{"):output.rindex("}") + 1])["benchmarks"]
    medians = {row["name"].split("/min_time")[0]: row["cpu_time"] for row in rows
               if row["aggregate_name"] == "median"}
    # The milliseconds of an iteration are nanoseconds a pair.
    return [(text, medians[name]) for name, text in STUBS.items() if name in medians]


def measure_peers(folder, repeats):
    plain = compile_fib(folder, "fib_plain")
    peers = [("uftrace", "uftrace", uftrace), ("LTTng-UST", "lttng", lttng)]
    rows = []
    for name, tool, prepare in peers:
        if not shutil.which(tool):
            print(f"{name}: not installed, left out")
            continue
        once = prepare(folder)
        added, missing = [], 0
        for _ in range(repeats):
            bare = ns_a_call(run(plain, DEPTH, ROUNDS))
            ns, lost = once()
            added.append(ns - bare)
            missing += lost
        lost = f" ({missing} calls lost)" if missing else ""
        rows.append((f"{name}, fib({DEPTH}) in C{lost}", statistics.median(added)))
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=Path("build/release"))
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--markdown", action="store_true", help="print a table for a document")
    arguments = parser.parse_args()
    umbra = str((arguments.build / "umbra").resolve())
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        figures = overhead.measure_fib(umbra, arguments.repeats, folder)
        reads = figures[0].median
        rows = [("two clock reads", reads)] + measure_stubs(arguments.build)
        rows += [(figure.name, figure.median) for figure in figures[2:]]
        with session_daemon():
            rows += measure_peers(folder, arguments.repeats)
    print(f"{machine_line()}; medians of {arguments.repeats}\n")
    if arguments.markdown:
        print("| a profiled call | ns | beside two clock reads |\n| --- | ---: | ---: |")
    for text, ns in rows:
        print(f"| {text} | {ns:.1f} | {ns / reads:.2f} x |" if arguments.markdown else
              f"{text:48} {ns:8.1f} ns {ns / reads:7.2f} x two clock reads")


if __name__ == "__main__":
    main()
