#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What umbra costs whole programs on the real runtime.

  csc   the C# compiler on one small file: bare, with umbra on csc.dll alone, on all of Roslyn,
        on the framework too, and bare with DOTNET_ReadyToRun=0 and with hooks that do nothing (the
        floors of the framework mode)
  csc10 the same on a program of ten files, which makes several times as many calls
  budget  a program of nothing but tiny calls under --max-overhead 5: how long a turn of it takes
        after the first 2 s, beside bare, and how far the report's inclusive times are from the
        bare program's own
  fib   fib(35) with NoInlining: (profiled - bare) / calls, in nanoseconds, with probes that do
        nothing and with umbra's, by hooks and by rewritten IL (umbra start on a program that
        was not prepared), beside the cost of two back-to-back clock reads measured in the same run
  args  what telling the arguments of a call adds to it (umbra start --args), by kind: in short
        batches that a thread's ring takes, and in a long run, whose rest is waiting for the
        collector; beside two clock reads, and the same method when it tells nothing

The variants run in turn, --repeats times; medians are compared. Every figure stands beside its
floor, its ratio to it and the limit the project holds itself to. With --check, a missed limit
makes the exit status 1. Run it on an idle machine with two cores or more:

  benchmarks/overhead/run.py --umbra build/release/umbra
"""
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from measuring import (  # noqa: E402  (beside the folders)
    ROOT, Arguments, Capture, figure, first_line, machine_line, recorder, runtimes)
from gated import Gated  # noqa: E402
from profile_file import Profile  # noqa: E402


def wall_seconds(command, **environment):
    begin = time.monotonic()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL,
                   env=dict(os.environ, **environment))
    return time.monotonic() - begin


def measure_csc(umbra, repeats, folder):
    return measure_compiler("csc", [HERE / "small.cs"], umbra, repeats, folder)


def measure_csc10(umbra, repeats, folder):
    return measure_compiler("csc10", runtimes.sources_of("shapes", "common"), umbra, repeats,
                            folder)


def measure_compiler(prefix, sources, umbra, repeats, folder):
    """Wall time of the compiler, five ways."""
    program = runtimes.compiler(folder / "compiled.dll", sources)
    file = folder / "csc.h5"
    variants = {
        f"{prefix} bare": (program, {}),
        f"{prefix} bare, ReadyToRun=0": (program, {"DOTNET_ReadyToRun": "0"}),
        f"{prefix} selective, csc.dll": (recorder(umbra, file, "--include", "csc!*") + program, {}),
        f"{prefix} selective, all of Roslyn": (recorder(umbra, file) + program, {}),
        f"{prefix} --framework": (recorder(umbra, file, "--framework") + program, {}),
        f"{prefix} --framework, empty hooks": (recorder(umbra, file, "--framework") + program,
                                               {"UMBRA_PROBES": "empty"}),
    }
    samples = {name: [] for name in variants}
    for command, environment in variants.values():
        wall_seconds(command, **environment)  # the first run of each fills the page cache
    for _ in range(repeats):
        for name, (command, environment) in variants.items():
            samples[name].append(wall_seconds(command, **environment))
    bare, no_r2r, own, roslyn, whole, empty = variants
    floor = figure(bare, "s", samples[bare])
    jitted_floor = figure(no_r2r, "s", samples[no_r2r], floor)
    return [floor, jitted_floor,
            figure(own, "s", samples[own], floor, 1.25),
            figure(roslyn, "s", samples[roslyn], floor, 3.0),
            figure(whole, "s", samples[whole], jitted_floor, 2.0),
            (empty_floor := figure(empty, "s", samples[empty], jitted_floor)),
            figure(whole + " beside empty hooks", "s", samples[whole], empty_floor, 1.10)]


def clock_floor(folder):
    """The program that measures two clock reads."""
    program = folder / "clock_floor"
    # The folder of this processor's ABI: arch/README.md.
    abis = [line.split() for line in (ROOT / "arch" / "abis.txt").read_text().splitlines()]
    abi = next(name for name, processor, system, _ in (line for line in abis if len(line) == 4)
               if (processor, system) == (platform.machine(), platform.system()))
    subprocess.run(["c++", "-std=c++20", "-O2", "-I", ROOT, "-I", ROOT / "arch" / abi, "-o", program,
                    HERE / "clock_floor.cpp"], check=True)
    return str(program)


def run_gated(umbra, folder, program, options, environment=()):
    """The output of a program that umbra has come to before its Main."""
    with Gated(runtimes.NET10, *program, environment=environment) as running:
        capture = Capture(umbra, running.pid, folder / "il.h5", options)
        status, output = running.run()
        if status != 0:
            raise SystemExit(output)
        capture.wait()
        return output


def measure_args(umbra, repeats, folder):
    """Nanoseconds that a call takes longer because its arguments are told."""
    floor_program = clock_floor(folder)
    kinds = {"Number": "a number", "Three": "three numbers", "Result": "what it gives back",
             "Word": "a string of 8 bytes", "Line": "one of 64"}
    asked = ["Tells.Number(id)", "Tells.Three(id, count, kind)", "Tells.Result(return)",
             "Tells.Word(name)", "Tells.Line(name)"]
    options = [word for text in asked for word in ("--args", text)]
    reads, plain = [], []
    added = {kind: ([], []) for kind in kinds}
    for _ in range(repeats):
        reads.append(float(first_line([floor_program])))
        output = run_gated(umbra, folder, ["tells", 100], options)
        told = {words[0]: (float(words[1]), float(words[2]))
                for words in map(str.split, output.splitlines())}
        plain.append(told["Plain"][0])
        for kind, (short, sustained) in added.items():
            short.append(told[kind][0] - told["Plain"][0])
            sustained.append(told[kind][1] - told["Plain"][1])
    floor = figure("two clock reads", "ns", reads)
    figures = [floor, figure("a call that tells nothing", "ns", plain, floor)]
    for kind, name in kinds.items():
        figures += [figure(f"added by {name}", "ns", added[kind][0], floor),
                    figure(f"added by {name}, long run", "ns", added[kind][1], floor)]
    return figures


def measure_fib(umbra, repeats, folder):
    """Nanoseconds a call that profiling adds, beside two clock reads."""
    floor_program = clock_floor(folder)
    program = runtimes.NET10.command("fib", 35, 3)
    profiled = recorder(umbra, folder / "fib.h5") + program

    def ns_a_call(output):
        words = next(line for line in output.splitlines() if line.startswith("seconds ")).split()
        return float(words[1]) * 1e9 / int(words[3])

    def run(command, **environment):
        return ns_a_call(subprocess.run(command, check=True, capture_output=True, text=True,
                                        env=dict(os.environ, **environment)).stdout)

    def run_unprepared(probes):
        return ns_a_call(run_gated(umbra, folder, ["fib", 35, 3], [], {"UMBRA_PROBES": probes}))

    reads, bare = [], []
    modes = {"empty": "empty", "umbra": ""}
    added = {mode: [] for mode in modes}
    added_il = {mode: [] for mode in modes}
    for _ in range(repeats):
        reads.append(float(first_line([floor_program])))
        bare.append(run(program))
        for mode, probes in modes.items():
            added[mode].append(run(profiled, UMBRA_PROBES=probes) - bare[-1])
            added_il[mode].append(run_unprepared(probes) - bare[-1])
    floor = figure("two clock reads", "ns", reads)
    return [floor, figure("fib(35) bare, a call", "ns", bare),
            figure("fib(35) added by empty hooks", "ns", added["empty"], floor),
            figure("fib(35) added by umbra", "ns", added["umbra"], floor, 1.10),
            figure("fib(35) added by empty IL probes", "ns", added_il["empty"], floor),
            figure("fib(35) added by IL probes", "ns", added_il["umbra"], floor, 1.15)]


def measure_budget(umbra, repeats, folder):
    """A turn of two callers of tiny methods, once the budget has taken its hooks out."""
    program = runtimes.NET10.command("budget", 6, 2)
    file = folder / "budget.h5"
    profiled = recorder(umbra, file, "--max-overhead", "5") + program

    def told(command):
        output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        words = next(line for line in output.splitlines() if line.startswith("turns ")).split()
        return dict(zip(words[::2], map(float, words[1::2])))

    callers = {"mixes": "Turn.Mixes", "counts": "Turn.Counts"}
    settled = {"bare": [], "umbra": []}
    means = {place: {name: [] for name in callers} for place in ("bare", "umbra", "same run", "raw")}
    for _ in range(repeats):
        bare, seen = told(program), told(profiled)
        settled["bare"].append(1e6 / bare["settled"])
        settled["umbra"].append(1e6 / seen["settled"])
        profile = Profile(file)
        rows = dict(zip(profile.methods(), profile["functions"]))
        for name, method in callers.items():
            means["bare"][name].append(bare[name] * 1e6 / bare["turns"])
            means["same run"][name].append(seen[name] * 1e6 / seen["turns"])
            means["umbra"][name].append(rows[method]["wall_total_ns"] / 1e3 / rows[method]["calls"])
            means["raw"][name].append(rows[method]["wall_total_raw_ns"] / 1e3 / rows[method]["calls"])
    floor = figure("budget bare, a turn", "us", settled["bare"])
    figures = [floor, figure("budget 5 %, a turn after 2 s", "us", settled["umbra"], floor, 1.08)]
    for name in callers:
        own = figure(f"budget bare, {name}", "us", means["bare"][name])
        shown = figure(f"budget 5 %, {name} in the report", "us", means["umbra"][name], own, 1.03)
        # Code compiled again without hooks need not be as fast as the bare program's: that part of
        # the difference the program's own clock shows as well.
        same = figure(f"budget 5 %, {name} by the program's clock", "us", means["same run"][name], own)
        raw = figure(f"budget 5 %, {name} in the report, raw", "us", means["raw"][name], same, 1.03)
        figures += [own, shown, same, raw]
    return figures


MEASUREMENTS = {"csc": measure_csc, "csc10": measure_csc10, "budget": measure_budget, "fib": measure_fib,
                "args": measure_args}


def main():
    parser = Arguments(__doc__, MEASUREMENTS)
    parser.add_argument("--repeats", type=int, default=5, help="runs of each variant; default: 5")
    parser.add_argument("--json", metavar="FILE", help="write the figures there as well")
    arguments = parser.parse_args()
    machine = machine_line()
    print(machine, flush=True)
    figures = []
    with tempfile.TemporaryDirectory() as folder:
        for name in arguments.what or MEASUREMENTS:
            measured = MEASUREMENTS[name](arguments.umbra, arguments.repeats, Path(folder))
            print(*(figure.line() for figure in measured), sep="\n", flush=True)
            figures += measured
    if arguments.json:
        Path(arguments.json).write_text(json.dumps(
            {"machine": machine, "figures": [asdict(figure) for figure in figures]}, indent=2))
    return 1 if arguments.check and any(figure.missed for figure in figures) else 0


if __name__ == "__main__":
    sys.exit(main())
