// SPDX-License-Identifier: MIT
// What the subcommands say to the user, and how.
#pragma once

#include <cstddef>
#include <string_view>

#include "src/base/result.h"

namespace umbra::cli {

/// Exit statuses of umbra's own making.
inline constexpr int kOk = 0;
inline constexpr int kFailed = 1;
inline constexpr int kUsage = 2;
inline constexpr int kTargetDied = 3;  ///< the profile is written

/// Writes all of `text` to standard output and answers the exit status: kFailed, with a line on
/// standard error, when it cannot. A reader that has closed the pipe is no failure.
[[nodiscard]] int print(std::string_view text);

/// Prints "umbra: ..." on standard error and answers kFailed.
int report_error(std::string_view message);
inline int report_error(const Error& error) {
    return report_error(error.context);
}

/// Prints "umbra: ..." on standard error, in red where it is a terminal.
void report_alarm(std::string_view message);

/// Writes `text` to standard error as it is.
void print_error(std::string_view text);

/// Whether `file` is a terminal on which a place can be written to twice (not a dumb one).
[[nodiscard]] bool is_screen(int file);

/// Whether writing to a terminal would not have to wait: its user has not stopped it (Ctrl-S).
[[nodiscard]] bool takes_output(int file);

/// Columns of the terminal on standard output; 120 where there is none.
[[nodiscard]] std::size_t output_columns();
[[nodiscard]] bool output_is_terminal();
/// True on a terminal, unless NO_COLOR is set (no-color.org) or the terminal is a dumb one.
[[nodiscard]] bool output_has_colour();
/// Columns of the terminal on standard error; 120 where there is none.
[[nodiscard]] std::size_t error_columns();
/// True where standard error is a terminal, unless NO_COLOR is set (no-color.org) or the terminal
/// is a dumb one.
[[nodiscard]] bool error_has_colour();

}  // namespace umbra::cli
