# SPDX-License-Identifier: MIT
"""Tests that compare what two clocks say."""
import functools
import warnings

TRIES = 4


def measured(test):
    """Decorates a test that compares times read by umbra with times read by somebody else.

    Between two readings a busy machine, or the one below a virtual machine, may do other things
    for longer than any bound that still says something. What else goes on moves one run of several;
    a fault moves all of them. So the test fails when TRIES runs in a row do. Nothing else than
    times should be left to chance like this: what holds in each run is asserted where it does.
    """

    @functools.wraps(test)
    def repeated(*arguments, **fixtures):
        for left in reversed(range(TRIES)):
            try:
                return test(*arguments, **fixtures)
            except AssertionError as error:
                if not left:
                    raise
                warnings.warn(f"measured again: {error}")

    return repeated
