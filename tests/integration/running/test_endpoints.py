# SPDX-License-Identifier: MIT
"""`--by endpoint`: verb and route of what an ASP.NET Core program answers (tests/managed/endpoints)."""
import json
import subprocess

from umbra_runner import UMBRA, run_well

ROUNDS = 3
ENDPOINTS = {"GET /hello", "GET /api/slow/{milliseconds:int}", "GET /api/handed/{milliseconds:int}",
             "POST /api/add", "GET /v2/items", "PUT|PATCH /any",
             "/every", "GET /shop/Orders", "GET /shop/Orders/{id:int}", "GET /shop/Orders/Refused", "GET /latest",
             "DELETE /shop/Orders/{id:int}", "GET /base/Late/{id}", "DELETE /v3/spare/all, DELETE /v4/spare/all"}
OF_TWO_GROUPS = "GET /v3/part/{number:int}, GET /v4/part/{number:int}"


def report(file, *options):
    return subprocess.run([UMBRA, "report", file, "--by", "endpoint", *options], check=True,
                          stdout=subprocess.PIPE, text=True).stdout


def test_each_endpoint_has_a_row(file, net10):
    done = run_well(file, net10.command("endpoints", ROUNDS))
    rows = {row["endpoint"]: row for row in json.loads(report(file, "--json"))["endpoints"]}
    assert rows.pop(OF_TWO_GROUPS)["calls"] == 2 * ROUNDS
    assert set(rows) == ENDPOINTS
    assert {name: row["calls"] for name, row in rows.items()} == dict.fromkeys(ENDPOINTS, ROUNDS)
    loads = rows["GET /shop/Orders/{id:int}"]
    assert loads["name"] == "OrdersController.LoadAsync(int)"
    assert loads["wall_total_ns"] >= ROUNDS * 0.9e6, "over its await"
    handed = rows["GET /api/handed/{milliseconds:int}"]
    assert handed["wall_total_ns"] >= ROUNDS * 0.9 * 20e6, "until the task that it hands on has ended"
    assert handed["wall_mean_ns"] == handed["wall_total_ns"] // ROUNDS
    assert [row["name"] for row in rows["POST /api/add"]["below"]] == ["Work.Answers(string)"]
    text = report(file)
    assert "GET /shop/Orders/{id:int}  OrdersController.LoadAsync(int)" in text
    assert "(string)" in text
    assert "Of 1 endpoint the method ends before an async call that it has begun" in text
    lines = report(file, "--csv").splitlines()
    assert lines[0].startswith("endpoint,name,")
    assert sum(line.startswith("POST /api/add,") for line in lines) == 2


def test_a_program_without_endpoints_says_where_they_are_found(file, net10):
    done = run_well(file, net10.command("fib"))
    assert "known as an endpoint" in report(file)
