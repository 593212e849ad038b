# SPDX-License-Identifier: MIT
"""Other ends of the tests' own for an agent: a collector that drains nothing and asks for what umbra
never would, and who attaches it to several runtimes of one process. Numbers of messages and of the protocol are read in src/protocol/messages.h."""
import contextlib
import os
import re
import socket
import struct
import threading
from pathlib import Path

import targets

HEADER = (Path(__file__).resolve().parents[3] / "src/protocol/messages.h").read_text()
VERSION = int(re.search(r"kProtocolVersion = (\d+);", HEADER).group(1))
MAGIC = b"umbra01\0"
NAMES = re.search(r"using Message =\s+std::variant<([^>]*)>;", HEADER).group(1)
NUMBER = {name.strip(): number for number, name in enumerate(NAMES.split(","), 1)}
MOST_AT_ONCE = int(re.search(r"kMaxDeinstrumentedAtOnce = (\d+);", HEADER).group(1))
RECORD = 1


class RemainListener:
    """Whoever attaches the agent with `client_data` gets it to remain, dormant, or to do what `order` says;
    what it answers then is kept in `answers`, the name of a message and its payload for each runtime, in
    their order."""

    def __init__(self, folder, order=None):
        path = Path(folder) / "remain.sock"
        self.order = order or message("Remain")
        self.answers = []
        self.client_data = MAGIC + struct.pack("<I", VERSION) + bytes(path)
        self.listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.listening.bind(str(path))
        self.listening.listen()
        threading.Thread(target=self.serve, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.listening.shutdown(socket.SHUT_RDWR)
        self.listening.close()

    def serve(self):
        with contextlib.suppress(OSError):  # closed
            while True:
                with self.listening.accept()[0] as agent:
                    agent.settimeout(30)
                    receive(agent)
                    agent.sendall(self.order)
                    self.answers.append(receive(agent))


def message(name, payload=b""):
    return struct.pack("<IHH", len(payload), NUMBER[name], 0) + payload


def receive(stream):
    """Name and payload of the next message on a socket that blocks."""
    length, number, _ = struct.unpack("<IHH", stream.recv(8, socket.MSG_WAITALL))
    payload = stream.recv(length, socket.MSG_WAITALL)
    return next(name for name, its in NUMBER.items() if its == number), payload


class BareCollector:
    """Opens a capture in a dormant process, or asks for one alone. Rings that are full drop."""

    def __init__(self, pid, welcome=True):
        self.held = b""
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.settimeout(30)
        folder = os.environ.get("TMPDIR", "/tmp")
        self.socket.connect(f"{folder}/umbra-agent-{pid}-{targets.start_time(pid)}")
        self.send("Ask", MAGIC + struct.pack("<IB", VERSION, RECORD))
        self.held, descriptors, _, _ = socket.recv_fds(self.socket, 4096, 1)
        for descriptor in descriptors:
            os.close(descriptor)  # the segment
        assert self.next()[0] == "Hello"
        nothing = struct.pack("<I", 0)  # patterns to include, to time also, to exclude, arguments, slowest
        if welcome:
            # framework, inlining, trivial, drop, il_probes, async_calls
            every = struct.pack("<I", 3) + b"all"  # runtimes
            self.send("Welcome", bytes([False, False, False, True, False, False]) + nothing * 5 + every)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send(self, name, payload=b""):
        self.socket.sendall(message(name, payload))

    def limit(self, functions):
        for at in range(0, len(functions), MOST_AT_ONCE):
            some = functions[at:at + MOST_AT_ONCE]
            self.send("RemoveHooks", struct.pack(f"<{len(some) + 1}I", len(some), *some))

    def next(self):
        """Name and payload of the next message; None when the agent has closed its end."""
        while True:
            if len(self.held) >= 8:
                length, number, _ = struct.unpack_from("<IHH", self.held)
                if len(self.held) >= 8 + length:
                    payload, self.held = self.held[8:8 + length], self.held[8 + length:]
                    return next(name for name, its in NUMBER.items() if its == number), payload
            with contextlib.suppress(ConnectionResetError):
                if more := self.socket.recv(1 << 16):
                    self.held += more
                    continue
            return None
