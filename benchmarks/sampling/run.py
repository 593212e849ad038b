#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How near the shares of a sampled profile come to those that are known.

tests/managed/shares spends one thread's time 1:2:4 in three methods, another's asleep, a third's in
native code. For each runtime: the shares of wall and CPU time of the three within their thread,
what the sleeper and the native thread show, CPU time attributed beside the kernel's figure for the
process, rate reached and stops. A share of n samples has a standard error of sqrt(p (1 - p) / n): at
least 2,500 samples are wanted to tell 2 points. With --check, a share that is more than 2 points off
makes the exit status 1. Run it on an idle machine:

  benchmarks/sampling/run.py --umbra build/release/umbra
"""
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from measuring import Arguments, machine_line, runtimes  # noqa: E402  (beside the folders)
from profile_file import Profile  # noqa: E402

KNOWN = {"Program.One": 1 / 7, "Program.Two": 2 / 7, "Program.Four": 4 / 7}
POINTS = 2


def sampled(umbra, runtime, options, folder):
    """The profile of a run of the program."""
    file = folder / "profile.h5"
    target = subprocess.Popen(runtime.command("shares"), stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, text=True)
    try:
        target.stdout.readline()
        subprocess.run([umbra, "attach", str(target.pid), "-q", "--force", "-o", str(file),
                        "--duration", options.duration, "--rate", str(options.rate)],
                       check=True, stderr=subprocess.PIPE)
    finally:
        target.communicate()
    return Profile(file)


def report(runtime, profile):
    """Prints the figures; answers the worst distance in points."""
    wall = profile.times_by_thread("wall_total_ns")
    cpu = profile.times_by_thread("cpu_total_ns")
    worst = 0
    print(f"\n{runtime.name}: {profile.runtime}, {profile.sample_rounds} rounds in "
          f"{profile.wall_ns / 1e9:.1f} s")
    for name, known in KNOWN.items():
        shares = [100 * times["busy"].get(name, 0) / times["busy"]["Program.Busy"]
                  for times in (wall, cpu)]
        worst = max([worst] + [abs(share - 100 * known) for share in shares])
        print(f"  {name:14} known {100 * known:5.1f} %   wall {shares[0]:5.1f} %   "
              f"cpu {shares[1]:5.1f} %")
    asleep = 100 * wall["sleeper"]["Thread.Sleep"] / profile.wall_ns
    asleep_cpu = 100 * sum(cpu["sleeper"].values()) / profile.wall_ns
    native = 100 * wall["native"]["Program.Native"] / profile.wall_ns
    print(f"  sleeper: {asleep:.1f} % of the wall time in Thread.Sleep, CPU {asleep_cpu:.2f} %\n"
          f"  native thread: {native:.1f} % of the wall time in Program.Native\n"
          f"  CPU of all samples {profile.on_cpu_ns / 1e9:.2f} s, in no sample "
          f"{profile.unattributed_cpu_ns / 1e9:.3f} s, kernel's figure for the process "
          f"{profile.process_cpu_ns / 1e9:.2f} s, the sampler {profile.sampler_cpu_ns / 1e9:.3f} s\n"
          f"  stopped {100 * profile.suspended_ns / profile.wall_ns:.2f} % of the time, median "
          f"{profile.median_suspension_ns / 1e3:.0f} us a round, worst "
          f"{profile.worst_suspension_ns / 1e6:.1f} ms")
    return max(worst, abs(100 - asleep), abs(100 - native), asleep_cpu)


def main():
    parser = Arguments(__doc__)
    parser.add_argument("--duration", default="60s")
    parser.add_argument("--rate", type=float, default=200)
    parser.add_argument("--runtime", action="append", choices=[r.name for r in runtimes.ALL])
    options = parser.parse_args()
    print(machine_line())
    worst = 0
    with tempfile.TemporaryDirectory() as folder:
        for runtime in runtimes.ALL:
            if options.runtime and runtime.name not in options.runtime:
                continue
            worst = max(worst, report(runtime, sampled(options.umbra, runtime, options,
                                                       Path(folder))))
    print(f"\nworst: {worst:.2f} points")
    return 1 if options.check and worst > POINTS else 0


if __name__ == "__main__":
    sys.exit(main())
