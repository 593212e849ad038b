# SPDX-License-Identifier: MIT
"""The web server of tests/managed/server, and the load on it."""
import contextlib
import json
import os
import re
import subprocess
import time
import urllib.request
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import runtimes
from processes import thread_names

CONNECTIONS = 8
DEPARTMENTS = ["Books", "Music", "Toys", "Tools", "Garden", "Sports", "Shoes", "Food"]


@dataclass
class Stretch:
    """What the load saw from go() to rest()."""

    answered: int
    failed: int
    seconds: float
    p99_ms: float  # of the requests that were answered

    @property
    def per_second(self):
        return self.answered / self.seconds


class Conversation:
    """A program that is told something, a line at a time, and answers each with a line."""

    def __init__(self, command, environment=None, **options):
        self.process = subprocess.Popen([str(word) for word in command], text=True, bufsize=1,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        env=dict(os.environ, **(environment or {})), **options)

    @property
    def pid(self):
        return self.process.pid

    def hear(self, word):
        """The words behind `word` on the next line."""
        line = self.process.stdout.readline()
        first, *rest = line.split() or [""]
        assert first == word, f"expected '{word}', heard '{line.strip()}'"
        return rest

    def tell(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def end(self):
        """Closes its standard input; what it still says and its exit status."""
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        rest = self.process.stdout.read()
        return rest, self.process.wait(timeout=60)

    def __enter__(self):
        return self

    def __exit__(self, *failure):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()


class WebServer(Conversation):
    """Kestrel, ready when this is."""

    def __init__(self, environment=None, prefix=(), what=()):
        super().__init__([*prefix, *runtimes.NET10.command("server", "serve", *what)], environment)
        self.port = int(self.hear("port")[0])

    def get(self, path):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=30) as answer:
            return answer.read().decode()

    def counters(self):
        """Calls of each method of the departments so far."""
        return json.loads(self.get("/counters"))

    def threads_beside(self, before):
        """Names of threads that were not among these, but for the runtime's own: its pool changes their
        number as it likes, the more so on a busy machine."""
        more = Counter(thread_names(self.pid)) - Counter(before)
        return [name for name in more.elements() if not name.startswith(".NET ")]

    def resident_bytes(self):
        """Its memory once all garbage is gone."""
        self.get("/collect")
        status = Path(f"/proc/{self.pid}/status").read_text()
        return int(re.search(r"^VmRSS:\s+(\d+) kB", status, re.MULTILINE).group(1)) * 1024


class WebLoad(Conversation):
    """Connections that ask the server as fast as it answers, between go() and rest()."""

    def __init__(self, server, connections=CONNECTIONS):
        super().__init__(runtimes.NET10.command("server", "load", server.port, connections))
        self.hear("ready")

    def go(self):
        self.tell("go")
        self.hear("going")

    def rest(self):
        self.tell("rest")
        answered, failed, seconds, p99_ms = self.hear("resting")
        return Stretch(int(answered), int(failed), float(seconds), float(p99_ms))

    def stretch(self, seconds):
        """go(), and rest() so long after."""
        self.go()
        time.sleep(seconds)
        return self.rest()
