// SPDX-License-Identifier: MIT
// Standard output and standard error.
#include "src/cli/terminal/console.h"

#include <cerrno>
#include <cstdlib>
#include <span>
#include <string>
#include <system_error>

#include <fmt/format.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "src/base/write_all.h"
#include "src/cli/terminal/text_style.h"

namespace umbra::cli {
namespace {

constexpr std::size_t kDefaultColumns = 120;

int put(int file, std::string_view text) {
    return write_all(file, std::as_bytes(std::span(text)));
}

std::size_t columns_of(int file) {
    winsize size = {};
    if (::ioctl(file, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) {
        return kDefaultColumns;
    }
    return size.ws_col;
}

std::string variable(const char* name) {
    // Nothing in this program changes the environment.
    const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
    return value == nullptr ? "" : value;
}

bool has_colour(int file) {
    return is_screen(file) && variable("NO_COLOR").empty();
}

}  // namespace

bool is_screen(int file) {
    return ::isatty(file) == 1 && variable("TERM") != "dumb";
}

bool takes_output(int file) {
    pollfd terminal{.fd = file, .events = POLLOUT, .revents = 0};
    return ::poll(&terminal, 1, 0) == 1 && (terminal.revents & POLLOUT) != 0;
}

int print(std::string_view text) {
    const int os_error = put(STDOUT_FILENO, text);
    if (os_error == 0 || os_error == EPIPE) {
        return kOk;
    }
    return report_error(
        fmt::format("cannot write the output: {}", std::generic_category().message(os_error)));
}

int report_error(std::string_view message) {
    // Nobody is left to tell when standard error fails, too.
    put(STDERR_FILENO, fmt::format("umbra: {}\n", message));
    return kFailed;
}

void report_alarm(std::string_view message) {
    print_error(coloured(fmt::format("umbra: {}", message), kRed, {.colour = error_has_colour()}) +
                '\n');
}

void print_error(std::string_view text) {
    put(STDERR_FILENO, text);
}

std::size_t output_columns() {
    return columns_of(STDOUT_FILENO);
}

bool output_is_terminal() {
    return isatty(STDOUT_FILENO) == 1;
}

bool output_has_colour() {
    return has_colour(STDOUT_FILENO);
}

std::size_t error_columns() {
    return columns_of(STDERR_FILENO);
}

bool error_has_colour() {
    return has_colour(STDERR_FILENO);
}

}  // namespace umbra::cli
