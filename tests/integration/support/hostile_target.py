# SPDX-License-Identifier: MIT
"""Looks like a .NET process to `umbra attach`, and wants root's: run as root, with TMPDIR set.

    hostile_target.py race VICTIM...   puts the victims in the place of the folder umbra makes
    hostile_target.py chroot FOLDER    lives below FOLDER; tells what it sees in TMPDIR there

Prints "ready", then a line for each connection to its diagnostics socket, which it closes.
"""
import contextlib
import os
import socket
import sys
import time

NOBODY = 65534
FOLDER = os.environ["TMPDIR"]


def listen():
    with open("/proc/self/stat", encoding="utf-8") as stat:
        start_time = stat.read().rpartition(")")[2].split()[19]
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    return listener, f"{FOLDER}/dotnet-diagnostic-{os.getpid()}-{start_time}-socket"


def race(victims):
    """A victim is a folder of root's: in another's place by a link, or itself where it may be."""
    turn = 0
    while True:
        for name in os.listdir(FOLDER):
            if not name.startswith("umbra-"):
                continue
            victim = victims[turn % len(victims)]
            try:
                os.rename(f"{FOLDER}/{name}", f"{FOLDER}/taken-{time.monotonic_ns()}")
                if os.path.dirname(victim) == FOLDER:
                    os.rename(victim, f"{FOLDER}/{name}")
                else:
                    os.symlink(victim, f"{FOLDER}/{name}")
            except OSError:
                continue
            turn += 1
            print("taken", flush=True)
            time.sleep(0.05)
            with contextlib.suppress(OSError):
                os.rename(f"{FOLDER}/{name}", f"{FOLDER}/was-{name}"
                          if os.path.islink(f"{FOLDER}/{name}") else victim)


def main(what, arguments):
    listener, address = listen()
    if what == "chroot":
        os.chroot(arguments[0])
        os.chdir("/")
    os.setgroups([])
    os.setgid(NOBODY)
    os.setuid(NOBODY)
    listener.bind(address)
    listener.listen()
    if what == "race" and os.fork() == 0:
        race(arguments)
    print("ready", flush=True)
    while True:
        connection, _ = listener.accept()
        connection.recv(4096)
        print("asked", *(name for name in os.listdir(FOLDER) if name.startswith("umbra-")),
              flush=True)
        connection.close()


main(sys.argv[1], sys.argv[2:])
