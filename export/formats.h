// SPDX-License-Identifier: MIT
// The formats of other tools, one file each: a profile goes in, bytes come out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "export/sink.h"
#include "src/profile/profile.h"

namespace umbra::formats {

enum class Measure { kWall, kCpu };

/// What a reader of the numbers has to know, a line each: "lost: no events", how times came about.
/// Any text; a line break in it becomes a blank.
using Notes = std::vector<std::string>;

// All take a profile whose rows refer to each other as profile.h says, which what
// hdf5::read_profile gives does, and put text or bytes into a sink, which is left unfinished.
// Times are compensated, in nanoseconds, and add up: what is inclusive in the format is the sum of
// self times below it. Memory: some 20 bytes a row of the call tree. A CPU time is told only where
// the profile has one. One thread.

/// Folded stacks, a line for each path with time of its own: "thread;outer;inner 4711".
void write_folded(const profile::Profile& profile, Measure measure, Sink& out);

/// speedscope's file format: an evented profile for each thread and measure, in which every path
/// stands once, as long as all its calls together. Notes are part of its name; what was lost is
/// part of each thread's, too.
void write_speedscope(const profile::Profile& profile, const Notes& notes, Sink& out);

/// Callgrind's profile format, version 1: functions, and who called whom how often. Notes are its
/// descriptions.
void write_callgrind(const profile::Profile& profile, const Notes& notes, Sink& out);

/// pprof's profile.proto, not compressed: a sample for each path, with calls, wall and CPU time.
/// Notes are its comments.
void write_pprof(const profile::Profile& profile, const Notes& notes, Sink& out);

/// Perfetto's protobuf trace: a track for each thread, with every path as one slice, as long as all
/// its calls together. Notes are labels of the process, and arguments of an instant at its
/// beginning, whose name is the first one.
void write_perfetto(const profile::Profile& profile, const Notes& notes, Sink& out);

/// A text as one of comma-separated values, quoted where it must be (RFC 4180).
[[nodiscard]] std::string csv_text(std::string_view text);
/// Comma-separated values (RFC 4180): the table of functions, its columns as in the HDF5 file.
void write_csv(const profile::Profile& profile, Sink& out);

}  // namespace umbra::formats
