# SPDX-License-Identifier: MIT
"""What all tests in Python share: the answer 77 that tells ctest "skipped", and signals that are not ignored."""
import signal

for one in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):  # as by nohup, or of a job in the background
    if signal.getsignal(one) == signal.SIG_IGN:
        signal.signal(one, signal.SIG_DFL)

NOTHING_COLLECTED_STATUS = 5
SKIPPED_STATUS = 77


def pytest_sessionfinish(session, exitstatus):
    """A file whose tests were all skipped is skipped, not passed."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    stats = reporter.stats if reporter else {}
    nothing_failed = exitstatus in (0, NOTHING_COLLECTED_STATUS)
    if nothing_failed and stats.get("skipped") and not stats.get("passed"):
        session.exitstatus = SKIPPED_STATUS
