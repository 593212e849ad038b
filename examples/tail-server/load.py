#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Asks the server of this folder for quotes over some connections, and says how long that took.

  load.py [--port 5080] [--requests 8000] [--connections 4]
"""
import argparse
import http.client
import socket
import threading
import time


def ask(port, customers, took):
    """One connection: a quote for each customer."""
    connection = http.client.HTTPConnection("127.0.0.1", port)
    for left in range(100, -1, -1):  # the server may still be starting
        try:
            connection.connect()
            break
        except ConnectionRefusedError:
            if left == 0:
                raise SystemExit(f"nothing listens on port {port}") from None
            time.sleep(0.1)
    connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    for customer in customers:
        begin = time.perf_counter()
        connection.request("GET", f"/quote/{customer}")
        answer = connection.getresponse()
        answer.read()
        took.append(time.perf_counter() - begin)
        if answer.status != 200:
            raise SystemExit(f"the server answers {answer.status} for customer {customer}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=5080)
    parser.add_argument("--requests", type=int, default=8000)
    parser.add_argument("--connections", type=int, default=4)
    options = parser.parse_args()
    took = []
    threads = [threading.Thread(target=ask, args=(options.port, [n % 200 for n in range(
        first, options.requests, options.connections)], took)) for first in range(options.connections)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    took.sort()
    print(f"{len(took)} requests; " + ", ".join(
        f"{name} {1000 * took[min(int(len(took) * part), len(took) - 1)]:.2f} ms"
        for name, part in (("half in", 0.5), ("99 % in", 0.99), ("99.9 % in", 0.999), ("all in", 1))))


if __name__ == "__main__":
    main()
