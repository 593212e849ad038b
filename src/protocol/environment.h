// SPDX-License-Identifier: MIT
// The environment variables through which a process is profiled.
#pragma once

namespace umbra::protocol {

/// The agent's class ids, which src/agent/class_factory.cpp answers to: what times calls, as
/// CORECLR_PROFILER wants it, and what takes samples, which is had by an attach alone.
inline constexpr const char* kProfilerClsid = "{8C7A1F5E-3B0D-4C7E-9A21-756D62726101}";
inline constexpr const char* kSamplerClsid = "{8C7A1F5E-3B0D-4C7E-9A21-756D62726102}";

/// Path of the collector's socket.
inline constexpr const char* kSocketVariable = "UMBRA_SOCKET";
/// File the agent writes its reasons to; unset: nowhere.
inline constexpr const char* kLogVariable = "UMBRA_LOG";

/// Which runtimes of a process are profiled: see RuntimeChoice. Unset: all.
inline constexpr const char* kRuntimesVariable = "UMBRA_RUNTIMES";

/// Which clock the probes read: kOsClock, or anything else for the processor's counter where its
/// rate is fixed.
inline constexpr const char* kClockVariable = "UMBRA_CLOCK_SOURCE";
inline constexpr const char* kOsClock = "os";

/// The compiler's: it makes a loop of a method that calls itself last, of which hooks hear nothing.
/// kKeepsTailCalls: a tail call.
inline constexpr const char* kTailLoopsVariable = "DOTNET_TailCallLoopOpt";
inline constexpr const char* kKeepsTailCalls = "0";

/// kEmptyProbes: hooks that record nothing and return at once. kDiscardingProbes: what they record
/// goes nowhere. For measurements.
inline constexpr const char* kProbesVariable = "UMBRA_PROBES";
inline constexpr const char* kEmptyProbes = "empty";
inline constexpr const char* kDiscardingProbes = "discard";

}  // namespace umbra::protocol
