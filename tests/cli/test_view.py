# SPDX-License-Identifier: MIT
"""umbra view: one page, at one address, on this machine, for whoever knows the address."""
import contextlib
import http.client
import os
import re
import shutil
import signal
import socket
import subprocess
import time
from urllib.parse import urlsplit

import pytest

from conftest import UMBRA


@contextlib.contextmanager
def viewing(profile, *options):
    """(process, address) of a running `umbra view`; skips where umbra has no page."""
    process = subprocess.Popen([UMBRA, "view", "--no-browser", *options, str(profile)],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        address = process.stdout.readline().strip()
        if not address:
            error = process.communicate(timeout=60)[1]
            if "built without its page" in error:
                pytest.skip("umbra was built without its page: node or npm is missing")
            pytest.fail(error)
        yield process, urlsplit(address)
    finally:
        process.kill()
        process.communicate()


def ask(address, path=None, method="GET", headers=None, body=None):
    connection = http.client.HTTPConnection(address.hostname, address.port, timeout=30)
    connection.request(method, address.path if path is None else path, body=body,
                       headers=headers or {})
    answer = connection.getresponse()
    return answer.status, answer.read().decode(), answer.headers


def test_the_page_is_there_at_its_address_and_nowhere_else(sample):
    with viewing(sample()) as (_, address):
        assert address.hostname == "127.0.0.1"
        assert re.fullmatch(r"/[0-9a-f]{32}/", address.path)
        status, page, headers = ask(address)
        assert status == 200 and page.startswith("<!doctype html>")
        assert headers["Content-Type"] == "text/html; charset=utf-8"
        assert headers["Cache-Control"] == "no-store"
        assert headers["Referrer-Policy"] == "no-referrer"
        wrong = "/" + "0" * 32 + "/"
        for path in ("/", wrong, address.path[:-1], address.path + "x", address.path.upper() + "?",
                     "/favicon.ico", "//", "/../etc/passwd"):
            status, text, _ = ask(address, path)
            assert (status, text) == (404, "Not Found\n"), path


def test_another_name_for_this_machine_gets_nothing(sample):
    with viewing(sample()) as (_, address):
        assert ask(address, headers={"Host": f"attacker.example:{address.port}"})[0] == 404
        assert ask(address, headers={"Host": f"localhost:{address.port}"})[0] == 200


@pytest.mark.parametrize("method", ["POST", "HEAD", "PUT", "DELETE", "OPTIONS"])
def test_only_get(sample, method):
    with viewing(sample()) as (_, address):
        status, text, headers = ask(address, method=method)
        assert status == 405 and headers["Allow"] == "GET"
        assert "html" not in text


def test_requests_are_bounded_and_garbage_ends_only_its_connection(sample):
    with viewing(sample()) as (_, address):
        assert ask(address, headers={"X-Long": "x" * 20_000})[0] == 431
        for garbage in (b"\x00\xff\r\n\r\n", b"GET\r\n\r\n", b"\r\n" * 100, b"", b"GET / HTTP/1.1\r\n"):
            with socket.create_connection((address.hostname, address.port), timeout=30) as raw:
                raw.sendall(garbage)
                raw.shutdown(socket.SHUT_WR)
                with contextlib.suppress(ConnectionResetError):
                    assert b"200" not in raw.recv(100)


def test_idle_connections_do_not_keep_the_page_away(sample):
    with viewing(sample()) as (_, address):
        idle = [socket.create_connection((address.hostname, address.port)) for _ in range(100)]
        begun = time.monotonic()
        assert ask(address)[0] == 200
        assert time.monotonic() - begun < 5, "they are closed after 10 s"
        for connection in idle:
            connection.close()
        assert ask(address)[0] == 200


def test_the_address_is_in_no_argument_list(sample, tmp_path):
    """Every user can read what a process was started with."""
    seen = tmp_path / "seen"
    opener = tmp_path / "xdg-open"
    opener.write_text(f'#!/bin/sh\n{{ stat -c %a "$1"; cat "$1"; }} > {seen}.part\n'
                      f'echo "$@" > {tmp_path}/arguments\nmv {seen}.part {seen}\n')
    opener.chmod(0o755)
    environment = dict(os.environ, DISPLAY=":99", PATH=f"{tmp_path}:{os.environ['PATH']}",
                       XDG_RUNTIME_DIR=str(tmp_path))
    process = subprocess.Popen([UMBRA, "view", str(sample())], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True, env=environment)
    try:
        address = process.stdout.readline().strip()
        if not address:
            pytest.skip("umbra was built without its page: node or npm is missing")
        deadline = time.monotonic() + 30
        while not seen.exists() and time.monotonic() < deadline:
            time.sleep(0.02)
        mode, page = seen.read_text().splitlines()
        assert mode == "600"
        assert f"url={address}" in page
        argument = (tmp_path / "arguments").read_text().strip()
        assert urlsplit(address).path.strip("/") not in argument
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=30) == 0
        assert not os.path.exists(argument), "it goes with umbra"
    finally:
        process.kill()
        process.communicate()


def test_it_listens_on_the_loopback_only(sample):
    with viewing(sample()) as (process, address):
        listening = []
        for table in ("tcp", "tcp6"):
            with open(f"/proc/{process.pid}/net/{table}", encoding="ascii") as lines:
                rows = [line.split() for line in list(lines)[1:]]
            listening += [row[1] for row in rows
                          if row[3] == "0A" and int(row[1].rpartition(":")[2], 16) == address.port]
        assert listening == [f"0100007F:{address.port:04X}"]


def test_two_viewers_have_different_addresses_and_a_taken_port_is_an_error(sample):
    profile = sample()
    with viewing(profile) as (_, first), viewing(profile) as (_, second):
        assert first.path != second.path
        assert ask(first, second.path)[0] == 404
        ran = subprocess.run([UMBRA, "view", "--no-browser", "--port", str(first.port), profile],
                             capture_output=True, text=True, timeout=60)
        assert ran.returncode == 1 and ran.stdout == ""
        assert ran.stderr.startswith(f"umbra: cannot listen on 127.0.0.1, port {first.port}: ")
        assert ran.stderr.count("\n") == 1


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it(sample, number):
    with viewing(sample()) as (process, _):
        process.send_signal(number)
        assert process.wait(timeout=30) == 0


def test_a_reload_shows_the_file_as_it_is_now(sample, tmp_path):
    shown = tmp_path / "shown.h5"
    shutil.copy(sample(), shown)
    with viewing(shown) as (_, address):
        before = ask(address)[1]
        assert ask(address)[1] == before
        shutil.copy(sample("losses"), tmp_path / "new.h5")
        (tmp_path / "new.h5").rename(shown)
        after = ask(address)[1]
        assert after != before
        shown.unlink()
        assert ask(address)[1] == after
        shown.write_text("no profile")
        assert ask(address)[0] == 500


def test_what_is_no_profile_is_one_line(umbra, tmp_path):
    (tmp_path / "other.h5").write_text("text")
    for name in ("other.h5", "missing.h5"):
        error = umbra.fails(1, "view", "--no-browser", name)
        assert name in error or "built without its page" in error
