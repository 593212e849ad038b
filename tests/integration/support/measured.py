# SPDX-License-Identifier: MIT
"""Tests that compare what two clocks say."""
import functools
import warnings

TRIES = 4


def until_measured(run, compare):
    """Makes runs until `compare` takes what one of them answers, TRIES at most.

    Between two readings a busy machine, or the one below a virtual machine, may do other things
    for longer than any bound that still says something. What else goes on moves one run of several;
    a fault moves all of them. So a test fails when TRIES runs in a row do. Nothing else than
    times should be left to chance like this: what holds in each run `run` asserts itself, and is
    not tried again.
    """
    for left in reversed(range(TRIES)):
        made = run()
        try:
            return compare(made)
        except AssertionError as error:
            if not left:
                raise
            warnings.warn(f"measured again: {error}")


def measured(test):
    """Decorates a test that compares times read by umbra with times read by somebody else, and does
    nothing else: see until_measured()."""

    @functools.wraps(test)
    def repeated(*arguments, **fixtures):
        until_measured(lambda: None, lambda _: test(*arguments, **fixtures))

    return repeated
