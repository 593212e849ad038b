# SPDX-License-Identifier: MIT
"""The program of tests/managed/world, with umbra and without: what must be the same, and what umbra
must know."""
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

import runtimes
from umbra_runner import (Outcome, check_counts, check_sound, expected_of, output_of, run_bare,
                          run_command, run_umbra)

MODULE = "world.dll"
SOURCE = Path(__file__).resolve().parents[1] / "world" / "world.c"


def native_library(folder):
    """Environment with which the program finds its native part, compiled into that folder."""
    if not (folder / "libworld.so").exists():
        output_of("cc", "-shared", "-fPIC", "-O1", "-o", folder / "libworld.so", SOURCE)
    return {"LD_LIBRARY_PATH": str(folder)}


def shell_status(status):
    """What a shell answers for a status of Python's: 128 + the signal."""
    return status if status >= 0 else 128 - status


@dataclass
class Both:
    """A program's bare run, and the run under umbra beside it."""

    bare: subprocess.CompletedProcess
    done: Outcome

    @property
    def said(self):
        """What umbra itself has said; everything else is the program's."""
        assert self.done.stderr.startswith(self.bare.stderr), (self.bare.stderr, self.done.stderr)
        return self.done.stderr.removeprefix(self.bare.stderr).splitlines()

    def check_same(self, status=0):
        assert shell_status(self.bare.returncode) == status, self.bare
        assert self.done.status == status, self.done.stderr
        assert self.done.stdout == self.bare.stdout
        return self

    def check_profile(self, complete=True, ended=None, module=MODULE):
        """Exact counts, nothing lost, and not a word."""
        assert self.said == []
        profile = self.done.profile
        check_sound(profile, complete)
        check_counts(profile, expected_of(self.bare.stdout), module)
        if ended is not None:
            assert profile.ended == ended
        return profile

    def check_refused(self, *words):
        """One clear line, and no profile."""
        assert len(self.said) >= 1, self.done
        for word in words:
            assert any(line.startswith("umbra: ") and word in line for line in self.said), self.said
        assert all(line.startswith("umbra: ") for line in self.said), self.said
        assert not self.done.file.exists()


def run_both(file, command, *options, environment=None, prefix=(), bare=None):
    """`prefix`: what is put before the program. `bare`: the bare run, where there is one already."""
    line = [*map(str, prefix), *map(str, command)]
    return Both(bare or run_bare(line, environment),
                run_umbra(file, line, "-q", *options, environment=environment))


def world(runtime, *arguments):
    """The command line of the program on a runtime."""
    return runtime.command("world", *arguments)


def environment_without(*names):
    return {name: value for name, value in os.environ.items() if name not in names}


__all__ = ["Both", "MODULE", "environment_without", "native_library", "run_both", "run_command",
           "runtimes", "shell_status", "world"]
