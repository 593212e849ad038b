# SPDX-License-Identifier: MIT
"""Test programs that nobody prepared, held in front of their Main until umbra has come."""
import os
import subprocess


class Gated:
    """A running program that has called nothing of its own yet (tests/managed/gate)."""

    def __init__(self, runtime, program, *arguments, environment=()):
        self.start(runtime, runtime.command(program, *arguments), environment)

    @classmethod
    def of_command(cls, runtime, command, environment=()):
        """Any program that this runtime runs."""
        runtime.command("gate")  # builds the hook
        gated = cls.__new__(cls)
        gated.start(runtime, command, environment)
        return gated

    def start(self, runtime, command, environment):
        hook = runtime.folder / "bin" / "gate.dll"
        self.process = subprocess.Popen(
            command, env=dict(os.environ, **dict(environment), DOTNET_STARTUP_HOOKS=str(hook)),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.pid = self.process.pid
        assert self.process.stdout.readline() == "gate\n"

    def run(self, timeout=None):
        """Lets it run to its end; its status and output."""
        output, _ = self.process.communicate("\n", timeout=timeout)
        return self.process.returncode, output

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
