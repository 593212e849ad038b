#include "/tmp/clone/me/src/replay/async/slow_async_calls.cpp"  // NOLINT(bugprone-suspicious-include)
#include "/tmp/clone/me/src/replay/cpu_windows.cpp"  // NOLINT(bugprone-suspicious-include)
#include "/tmp/clone/me/src/replay/deductions.cpp"  // NOLINT(bugprone-suspicious-include)
#include "/tmp/clone/me/src/replay/exception_tracker.cpp"  // NOLINT(bugprone-suspicious-include)
