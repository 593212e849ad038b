#include "/work/main/src/cli/env.cpp"  // NOLINT(bugprone-suspicious-include)
#include "/work/main/src/cli/record/target_process.cpp"  // NOLINT(bugprone-suspicious-include)
#include "/work/main/src/cli/record/timing_options.cpp"  // NOLINT(bugprone-suspicious-include)
#include "/work/main/src/cli/run.cpp"  // NOLINT(bugprone-suspicious-include)
