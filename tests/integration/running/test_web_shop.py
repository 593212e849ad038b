# SPDX-License-Identifier: MIT
"""A web shop with EF Core, HttpClient and a policy that tries again (tests/managed/web_shop): what the report says
of its handlers, slowest first by mean and by p99, is what the server says of its requests."""
import http.client
import itertools
import json
import random
import subprocess
import threading
import urllib.request

import pytest

import runtimes
from async_tables import BUCKET, TOLERANCE_NS
from measured import measured
from running_program import Capture
from umbra_runner import check_sound, report
from web_server import Conversation

CONNECTIONS = 8
REQUESTS = 100  # of each path
WARM_REQUESTS = 6
HANDLERS = {"/product/{id}": "ProductAsync", "/price/{id}": "PriceAsync", "/search/{id}": "SearchAsync",
            "/order/{id}": "OrderAsync", "/stock/{id}": "StockAsync", "/sales/{id}": "SalesAsync",
            "/rare/{id}": "RareAsync"}
UNAVAILABLE = ("NU1100", "NU1101", "NU1102", "NU1301")
# Milliseconds that a handler waits on average, whatever else the machine does.
WAITS = {"/price/{id}": 15, "/search/{id}": 45, "/order/{id}": 75, "/stock/{id}": 130, "/sales/{id}": 220,
         "/rare/{id}": 34}
EARLY = 0.9  # timers count whole milliseconds
# Figures that differ by less than this have no order: a percentile is that of a bucket of the histogram, and
# the server's figures have what is done around a handler.
SHARES = {"wall_mean_ns": 0.05, "wall_p99_ns": 0.05 + BUCKET}
KNOWN = {"wall_mean_ns": "mean_ns", "wall_p99_ns": "p99_ns"}


@pytest.fixture(scope="module")
def command(tmp_path_factory):
    """It needs packages, so it is built apart from the others."""
    folder = tmp_path_factory.mktemp("web_shop")
    built = subprocess.run(
        [runtimes.dotnet(), "build", runtimes.SOURCES / "web_shop" / "web_shop.csproj", "-nologo", "-v:quiet",
         "-nodeReuse:false", f"-p:UmbraOut={folder}/"],
        env=runtimes.build_environment(), capture_output=True, text=True)
    if built.returncode != 0 and any(code in built.stdout for code in UNAVAILABLE):
        pytest.skip("the packages of EF Core and of HTTP resilience cannot be restored here")
    assert built.returncode == 0, built.stdout
    return [runtimes.dotnet(), folder / "bin" / "web_shop.dll"]


class Shop(Conversation):
    """The server, ready when this is."""

    def __init__(self, command):
        super().__init__(command)
        self.port = int(self.hear("port")[0])

    def tells(self, path):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=30) as answer:
            return answer.read().decode()

    def serve(self, requests):
        """So many requests of each path, in any order, over all connections; none may fail."""
        paths = [path.replace("{id}", str(number)) for path in HANDLERS for number in range(1, requests + 1)]
        random.Random(1).shuffle(paths)
        failed = []

        def ask(mine):
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
            for path in mine:
                try:
                    connection.request("GET", path)
                    answer = connection.getresponse()
                    answer.read()
                    if answer.status != 200:
                        failed.append(f"{path}: {answer.status}")
                except (OSError, http.client.HTTPException) as error:
                    failed.append(f"{path}: {error}")
                    connection.close()
            connection.close()

        threads = [threading.Thread(target=ask, args=(paths[i::CONNECTIONS],)) for i in range(CONNECTIONS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not failed, failed[:10]


def handlers(file):
    """Rows of `umbra report --async` by the path that they answer."""
    rows = {row["name"].partition("(")[0]: row for row in report(file, "--async", "--top", 1000)["async"]}
    return {path: rows[f"WebShop.Handlers.{method}"] for path, method in HANDLERS.items()}


def endpoints(file):
    """Rows of `umbra report --by endpoint` by verb and route."""
    return {row["endpoint"]: row for row in report(file, "--by", "endpoint", "--top", 1000)["endpoints"]}


def captured(command, file):
    """What umbra and what the server say of the requests of a warm server that nobody has prepared."""
    with Shop(command) as shop:
        shop.serve(WARM_REQUESTS)
        capture = Capture(shop.pid, file, "--include", "WebShop.*")
        shop.tells("/clear")
        shop.serve(REQUESTS)
        # All its answers are there, and a handler has ended before its answer.
        server = json.loads(shop.tells("/figures"))
        profile = capture.stop()
        assert shop.end()[1] == 0
    check_sound(profile)
    told = handlers(file)
    if calls := [f"{path}: {told[path]['calls']} of {server[path]['calls']} calls" for path in HANDLERS
                 if not told[path]["calls"] == server[path]["calls"] == REQUESTS]:
        pytest.fail("\n".join(calls))  # that is not left to chance
    by_endpoint = endpoints(file)
    for path in HANDLERS:
        row = by_endpoint[f"GET {path}"]
        assert (row["name"], row["calls"]) == (told[path]["name"], REQUESTS)
        assert row["wall_mean_ns"] == told[path]["wall_mean_ns"]
    return told, server


def ranking(rows, column):
    return sorted(HANDLERS, key=lambda path: rows[path][column], reverse=True)


def turned_round(told, server, column):
    """Pairs that have the other order than the server's, and those whose order is certain."""
    share, known = SHARES[column], KNOWN[column]
    certain = [(slow, fast) for slow, fast in itertools.permutations(HANDLERS, 2)
               if server[slow][known] > server[fast][known] * (1 + share)]
    return [pair for pair in certain if told[pair[0]][column] <= told[pair[1]][column]], certain


@measured
def test_the_slowest_handlers_are_those_of_the_server(command, file):
    told, server = captured(command, file)
    for path in ranking(server, "mean_ns"):
        print(f"{path:16} mean {server[path]['mean_ns'] / 1e6:8.2f} ms {told[path]['wall_mean_ns'] / 1e6:8.2f} ms,"
              f" p99 {server[path]['p99_ns'] / 1e6:8.2f} ms {told[path]['wall_p99_ns'] / 1e6:8.2f} ms")
    for column in SHARES:
        wrong, certain = turned_round(told, server, column)
        assert not wrong, column
        # Of 21 pairs on an idle machine all; a busy one makes those that are quick alike at worst.
        assert len(certain) > 10, certain
    # Who is slow on average is not who is slow at worst.
    assert ranking(told, "wall_mean_ns") != ranking(told, "wall_p99_ns")
    for path, row in told.items():
        assert row["wall_mean_ns"] >= WAITS.get(path, 0) * EARLY * 1e6, path
        # The server's stopwatch runs around the handler.
        assert row["wall_mean_ns"] <= server[path]["mean_ns"] + TOLERANCE_NS, path
