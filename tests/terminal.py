# SPDX-License-Identifier: MIT
"""A terminal for tests: runs a program on a pty and shows what would be on the screen."""
import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import termios
import time

import pytest

pyte = pytest.importorskip("pyte", reason="python3-pyte is not installed: no terminal to look at")

ENTER = b"\x1b[?1049h"
LEAVE = b"\x1b[?1049l"
TIMEOUT_SECONDS = 60


class Terminal:
    """A program on a terminal of its own; ends it when the test is over."""

    def __init__(self, command, rows=24, columns=100, environment=None, stdin=None):
        self.master, slave = pty.openpty()
        self.pyte = pyte.Screen(columns, rows)
        self.stream = pyte.ByteStream(self.pyte)
        self.raw = b""
        self.resize(rows, columns)
        self.modes = termios.tcgetattr(slave)
        self.slave = slave

        def claim():
            os.setsid()
            fcntl.ioctl(slave, termios.TIOCSCTTY, 0)

        self.process = subprocess.Popen(
            [str(word) for word in command], stdin=slave if stdin is None else stdin, stdout=slave,
            stderr=slave, env={**os.environ, "TERM": "xterm-256color", **(environment or {})},
            preexec_fn=claim)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        os.close(self.slave)
        os.close(self.master)

    def resize(self, rows, columns):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.pyte.resize(rows, columns)

    def type(self, keys):
        os.write(self.master, keys.encode())

    @property
    def lines(self):
        return [line.rstrip() for line in self.pyte.display]

    @property
    def text(self):
        return "\n".join(self.lines)

    def read(self, seconds=0.05):
        """Takes what has been written. False: nothing was."""
        ready, _, _ = select.select([self.master], [], [], seconds)
        if not ready:
            return False
        written = os.read(self.master, 1 << 16)
        self.raw += written
        self.stream.feed(written)
        return True

    def until(self, seen):
        """Waits for `seen(self)`, and then for the rest of what is being drawn."""
        end = time.monotonic() + TIMEOUT_SECONDS
        while not seen(self) or self.read():
            assert time.monotonic() < end, "waited in vain; on the screen:\n" + self.text
            self.read()

    def until_text(self, *texts):
        self.until(lambda terminal: all(text in terminal.text for text in texts))

    def ended(self):
        """Waits for the end; answers the exit status."""
        self.until(lambda terminal: terminal.process.poll() is not None)
        while self.read():
            pass
        return self.process.returncode

    def is_as_found(self):
        """The modes of the terminal are what they were before the program."""
        return termios.tcgetattr(self.slave) == self.modes

    def send(self, number=signal.SIGTERM):
        self.process.send_signal(number)
