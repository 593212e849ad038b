#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the dormant agent costs: the variables of `umbra env`, and nothing asked of it.

  hello   a program that ends at once: start-up alone
  csc     the C# compiler on ten files
  server  Kestrel under eight connections, both servers warm at the same time and asked in turn:
          time a request, processor time of the server a request, time until the first answer
  captures two such servers, both with the agent; one goes through captures of exact timing under
          load, and is compared with the other before and after

The first three are run without profiler and with the dormant agent in turn, in changing order; medians are
compared. --check makes the exit status 1 if a ratio exceeds 1.02. Run it on an idle machine:

  benchmarks/dormant/run.py --umbra build/release/umbra
"""
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from measuring import Arguments, cpu_seconds, figure, in_turn, machine_line, runtimes  # noqa: E402  (beside the folders)
from web_server import DEPARTMENTS, Conversation, WebLoad, WebServer  # noqa: E402

LIMIT = 1.02
KINDS = ["hello", "csc", "server", "captures"]
BOTH = ("bare", "dormant")


def variables(umbra):
    told = subprocess.run([umbra, "env", "--format", "json"], check=True, capture_output=True)
    return json.loads(told.stdout)


def profiler_of(umbra, pid):
    told = subprocess.run([umbra, "ps", "--json"], check=True, capture_output=True)
    return next(row["profiler"] for row in json.loads(told.stdout) if row["pid"] == pid)


def check_dormant(umbra, pid):
    if (state := profiler_of(umbra, pid)) != "dormant":
        sys.exit(f"the agent in process {pid} is {state}, not dormant")


def compared(name, unit, samples):
    bare = figure(f"{name} bare", unit, samples["bare"])
    return [bare, figure(f"{name} dormant", unit, samples["dormant"], bare, LIMIT)]


def timed(command, environment):
    """Wall and processor milliseconds of a program."""
    begin = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL,
                               env=dict(os.environ, **environment))
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"{command[0]} answered {process.returncode}")
    return (time.monotonic() - begin) * 1000, (used.ru_utime + used.ru_stime) * 1000


def measure_program(name, command, environments, repeats):
    wall, cpu = ({"bare": [], "dormant": []} for _ in range(2))
    for environment in environments.values():
        timed(command, environment)  # the first run of each fills the page cache
    for turn in range(repeats):
        for variant in in_turn(BOTH, turn):
            took, burnt = timed(command, environments[variant])
            wall[variant].append(took)
            cpu[variant].append(burnt)
    return compared(name, "ms", wall) + compared(f"{name}, processor time", "ms", cpu)


def stretch(server, load, seconds):
    """Microseconds and processor microseconds of the server for one request."""
    before = cpu_seconds(server.pid)
    seen = load.stretch(seconds)
    if seen.failed:
        sys.exit(f"{seen.failed} requests failed")
    return 1e6 / seen.per_second, 1e6 * (cpu_seconds(server.pid) - before) / seen.answered


def measure_server(umbra, environments, repeats, seconds):
    """`repeats` pairs of servers, each pair asked in turn for ten stretches."""
    wall, cpu, first = ({"bare": [], "dormant": []} for _ in range(3))
    for repeat in range(repeats):
        order = in_turn(BOTH, repeat)
        servers = {}
        for variant in order:
            begin = time.monotonic()
            servers[variant] = WebServer(environments[variant])
            servers[variant].get("/work")
            first[variant].append((time.monotonic() - begin) * 1000)
        check_dormant(umbra, servers["dormant"].pid)
        with servers["bare"], servers["dormant"]:
            loads = {variant: WebLoad(server) for variant, server in servers.items()}
            with loads["bare"], loads["dormant"]:
                for variant in order * 3:  # until the code of both is compiled as it stays
                    stretch(servers[variant], loads[variant], 2)
                for turn in range(10):
                    for variant in in_turn(BOTH, turn):
                        took, burnt = stretch(servers[variant], loads[variant], seconds)
                        wall[variant].append(took)
                        cpu[variant].append(burnt)
    return (compared("server, a request", "us", wall)
            + compared("server, processor time a request", "us", cpu)
            + compared("server, first answer", "ms", first))


def capture(umbra, server, department, file):
    """Times one department of a server for a fifth of a second."""
    with subprocess.Popen([umbra, "start", str(server.pid), "-q", "--force", "-o", file,
                           "--include", f"server!Server.{department}.*"]) as starting:
        while starting.poll() is None and profiler_of(umbra, server.pid) != "recording":
            time.sleep(0.01)
        time.sleep(0.2)
        subprocess.run([umbra, "stop", str(server.pid)], check=True, stdout=subprocess.DEVNULL)
        if starting.wait() != 0:
            sys.exit(f"umbra start answered {starting.returncode}")


def measure_captures(umbra, environments, captures, seconds, folder):
    """The speed of a server that went through captures, beside one that did not."""
    with WebServer(environments["dormant"]) as tried, WebServer(environments["dormant"]) as other:
        with WebLoad(tried) as load, WebLoad(other) as other_load:
            pairs = [(tried, load), (other, other_load)]

            def beside():
                """Time of a request of the one, in times of one of the other."""
                took = {server: stretch(server, its_load, seconds)[0] for server, its_load in pairs}
                pairs.reverse()
                return took[tried] / took[other]

            for _ in range(4):
                beside()  # until the code of both is compiled as it stays
            before = [beside() for _ in range(20)]
            load.go()
            for number in range(captures):
                capture(umbra, tried, DEPARTMENTS[number % len(DEPARTMENTS)], folder / "capture.h5")
            if (seen := load.rest()).failed:
                sys.exit(f"{seen.failed} requests failed")
            after = [beside() for _ in range(20)]
    floor = figure("a request, beside its like", "x", before)
    return [floor, figure(f"the same after {captures} captures", "x", after, floor, LIMIT)]


def main():
    parser = Arguments(__doc__)
    parser.add_argument("--repeats", type=int, default=21, help="pairs of hello and csc")
    parser.add_argument("--servers", type=int, default=5, help="pairs of servers")
    parser.add_argument("--captures", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=2, help="length of a stretch of load")
    parser.add_argument("--only", nargs="*", choices=KINDS, default=KINDS)
    arguments = parser.parse_args()
    environments = {"bare": {}, "dormant": variables(arguments.umbra)}
    with Conversation(runtimes.NET10.command("patient"), environments["dormant"]) as program:
        program.hear("ready")
        check_dormant(arguments.umbra, program.pid)
    print(machine_line(), flush=True)
    figures = []
    with tempfile.TemporaryDirectory() as folder:
        compiler = runtimes.compiler(Path(folder) / "compiled.dll")
        measurements = {
            "hello": lambda: measure_program("hello", runtimes.NET10.command("fib", 1, 1),
                                             environments, 3 * arguments.repeats),
            "csc": lambda: measure_program("csc", compiler, environments, arguments.repeats),
            "server": lambda: measure_server(arguments.umbra, environments, arguments.servers,
                                             arguments.seconds),
            "captures": lambda: measure_captures(arguments.umbra, environments, arguments.captures,
                                                 arguments.seconds, Path(folder)),
        }
        for name in arguments.only:
            for one in measurements[name]():
                figures.append(one)
                print(one.line(), flush=True)
    return 1 if arguments.check and any(one.missed for one in figures) else 0


if __name__ == "__main__":
    sys.exit(main())
