# SPDX-License-Identifier: MIT
"""How long logical calls took, and how long they were queued, against the clock of a program whose calls know
themselves (tests/managed/async_truth); with what is certain in each of these runs."""
from async_tables import (AsyncTables, check_same, differences_of_calls, differences_of_parts,
                          differences_of_queues, differences_of_times, differences_within)
from async_truth import ALIVE, QUEUED, ROUNDS, captured, check_calls, from_the_start
from measured import measured, until_measured


def test_from_the_start(file, runtime):
    def run():
        profile, truth = from_the_start(file, runtime.command("async_truth", ROUNDS + 1, ALIVE))
        check_calls(profile, truth)
        return AsyncTables(profile), truth

    until_measured(run, lambda made: check_same(differences_of_times(*made)))


def test_of_a_hot_program(file, runtime):
    """Also what they were spent in: nothing is compiled between two readings of the program's."""
    def run():
        profile, truth = captured(runtime, file, f"work {ROUNDS + 1} {ALIVE}")
        check_calls(profile, truth)
        return AsyncTables(profile), truth

    until_measured(run, lambda made: check_same(differences_of_times(*made), differences_of_parts(*made)))


@measured
def test_queue_time(file, runtime):
    """What the pool has no thread for is queued, and nothing else is."""
    profile, truth = captured(runtime, file, f"queue {QUEUED}", warm=1)
    tables = AsyncTables(profile)
    check_same(differences_within(profile), differences_of_calls(tables, truth),
               differences_of_queues(tables, truth), differences_of_times(tables, truth))
    assert tables.sum(tables.methods["Queue.Waits"], "queued_ns") > QUEUED * 15_000_000
    # It goes on where its callee ends, which is no queue.
    asks = tables.methods["Queue.Asks"]
    assert (tables.sum(asks, "queued_ns"), tables.sum(asks, "others_ns")) == (0, 0)
