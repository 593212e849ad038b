// SPDX-License-Identifier: MIT
// umbra top: the hot list of a running program, from the checkpoints of its profile.
#include <algorithm>
#include <charconv>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include "src/cli/commands.h"
#include "src/cli/guarded_read.h"
#include "src/cli/live/checkpoints.h"
#include "src/cli/live/top_view.h"
#include "src/cli/record/profile_links.h"
#include "src/cli/terminal/console.h"
#include "src/cli/terminal/screen.h"

namespace umbra::cli {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using Kind = Screen::Event::Kind;

constexpr auto kPoll = milliseconds(100);
constexpr auto kRedraw = std::chrono::seconds(1);
/// umbra writes the last profile after the process has ended; of a large one this takes a while.
constexpr auto kTimeout = std::chrono::seconds(60);

struct Options {
    std::string what;
    std::string sort = "self";
    bool once = false;
    std::size_t top = 30;
};

const std::vector<std::pair<std::string, TopOrder>>& orders() {
    static const std::vector<std::pair<std::string, TopOrder>> named = {
        {"self", TopOrder::kSelf},   {"total", TopOrder::kTotal}, {"cpu", TopOrder::kCpu},
        {"calls", TopOrder::kCalls}, {"now", TopOrder::kNow},
    };
    return named;
}

/// The process a text of digits names.
std::optional<pid_t> process_of(const std::string& text) {
    pid_t pid = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, pid);
    return error == std::errc() && stop == end && pid > 0 ? std::optional(pid) : std::nullopt;
}

std::string no_checkpoint_yet(const std::string& file) {
    return fmt::format("no checkpoint at '{}' yet ('umbra run --checkpoint' says how often)", file);
}

/// The screen of one `umbra top`, until its user has seen enough.
class LiveList {
  public:
    /// `pid` 0: of whatever process.
    LiveList(const std::string& file, pid_t pid, TopOrder order)
        : file_(file), pid_(pid), order_(order), reader_(file, pid) {}

    int run() {
        const Status status = show();
        if (reader_.busy()) {
            // Nobody waits for what is still being read, and nothing is left to be tidied up.
            if (!status) {
                report_error(status.error());
            }
            _exit(status ? status_ : kFailed);
        }
        return status ? status_ : report_error(status.error());
    }

  private:
    Status show() {
        Screen screen;
        steady_clock::time_point drawn{};
        bool changed = true;
        for (;;) {
            if (take_checkpoint()) {
                changed = true;
            }
            if (!newest_ && failed_) {
                return tl::unexpected<Error>(*failed_);
            }
            const steady_clock::time_point now = steady_clock::now();
            if (changed || now - drawn >= kRedraw) {
                screen.draw(frame());
                drawn = now;
            }
            const Screen::Event event = screen.wait(kPoll);
            if (event.kind == Kind::kEnd) {
                status_ = event.signal == 0 || event.signal == SIGINT ? kOk : 128 + event.signal;
                return {};
            }
            changed = event.kind != Kind::kTimeout;
            if (!take_keys(event.keys)) {
                return {};
            }
        }
    }

    /// True: there is something new to show.
    bool take_checkpoint() {
        std::optional<CheckpointReader::Read> read = reader_.poll();
        if (!read) {
            return false;
        }
        if (*read) {
            activity_.add(***read);
            newest_ = std::move(**read);
            error_.clear();
            return true;
        }
        const Error& error = read->error();
        const bool news = error_ != error.context;
        error_ = error.context;
        if (!may_come(error)) {
            failed_ = error;
        }
        return news;
    }

    /// Whether a first checkpoint is still to be expected.
    bool may_come(const Error& error) {
        if (error.code != ErrorCode::kNotFound || pid_ == 0) {
            return false;
        }
        const steady_clock::time_point now = steady_clock::now();
        if (kill(pid_, 0) == 0) {
            seen_alive_ = now;
        }
        return now - seen_alive_ < kTimeout;
    }

    std::vector<std::string> frame() const {
        const Screen::Size size = Screen::size();
        const TopView view = {.order = order_,
                              .now = std::chrono::system_clock::now(),
                              .rows = size.rows,
                              .style = {size.columns, output_has_colour()},
                              .error = error_};
        return newest_ ? top_frame(*newest_, activity_, view)
                       : waiting_frame(no_checkpoint_yet(file_), view);
    }

    /// False: quit.
    bool take_keys(const std::string& keys) {
        for (const char key : keys) {
            switch (key) {
                case 'q':
                case 'Q':
                    return false;
                case 's':
                    order_ = TopOrder::kSelf;
                    break;
                case 't':
                    order_ = TopOrder::kTotal;
                    break;
                case 'c':
                    order_ = TopOrder::kCalls;
                    break;
                case 'n':
                    order_ = TopOrder::kNow;
                    break;
                case 'p':
                    order_ = has_cpu() ? TopOrder::kCpu : order_;
                    break;
                default:
                    break;
            }
        }
        return true;
    }

    bool has_cpu() const { return newest_ && profile::has_cpu_times(newest_->profile.session); }

    const std::string file_;
    const pid_t pid_;
    TopOrder order_;
    CheckpointReader reader_;
    RecentActivity activity_;
    std::unique_ptr<const Checkpoint> newest_;
    std::string error_;
    std::optional<Error> failed_;
    steady_clock::time_point seen_alive_ = steady_clock::now();
    int status_ = kOk;
};

int print_once(const std::string& file, pid_t pid, TopOrder order, std::size_t top) {
    const auto checkpoint = read_checkpoint(file, pid);
    if (!checkpoint) {
        return pid != 0 && checkpoint.error().code == ErrorCode::kNotFound
                   ? report_error(no_checkpoint_yet(file))
                   : report_error(checkpoint.error());
    }
    if (order == TopOrder::kCpu && !profile::has_cpu_times((*checkpoint)->profile.session)) {
        return report_error("'" + file + "' has no CPU times to sort by: its cpu_source is none");
    }
    return print(top_text(**checkpoint, order, top, {output_columns(), output_has_colour()}));
}

int top(const Options& options) {
    const std::optional<pid_t> pid = process_of(options.what);
    const Result<ProfileOfProcess> found =
        pid ? find_profile(*pid) : Result<ProfileOfProcess>({.pid = 0, .path = options.what});
    if (!found) {
        return report_error(found.error());
    }
    if (const int status = pid ? kOk : try_to_read(found->path); status != kOk) {
        return status;
    }
    const TopOrder order = std::ranges::find(orders(), options.sort, [](const auto& one) {
                               return one.first;
                           })->second;
    if (options.once || !has_screen()) {
        return print_once(found->path, found->pid, order, options.top);
    }
    return LiveList(found->path, found->pid, order).run();
}

}  // namespace

void add_top_command(CLI::App& app, int& exit_code) {
    auto options = std::make_shared<Options>();
    CLI::App* command = app.add_subcommand("top", "Watch where the time of a running program goes");
    command
        ->add_option("FILE|PID", options->what,
                     "Profile that 'umbra run' is writing, or a process it profiles")
        ->type_name("")
        ->required();
    command->add_option("--sort", options->sort, "Order: self, total, cpu, calls, or now")
        ->type_name("ORDER")
        ->check(CLI::IsMember(orders()))
        ->capture_default_str();
    command->add_flag("--once", options->once, "Print one list and end, as without a terminal");
    command->add_option("--top", options->top, "Rows of that list")
        ->type_name("N")
        ->check(CLI::Range(1, 999'999'999))
        ->capture_default_str();
    command->footer(
        "The list is as new as the last checkpoint of the file: 'umbra run --checkpoint 2' writes\n"
        "one every two seconds. The columns are those of 'umbra report', and\n"
        "  calls/s  calls begun a second between the last two checkpoints\n"
        "  now      share of the self time in between\n"
        "A number is a process: one that is profiled, or the 'umbra run' above it; a file with "
        "such\n"
        "a name is ./NUMBER.\n"
        "\n"
        "Keys: q quits; s, t, c, n, p sort by self, total, calls, now, cpu.\n"
        "\n"
        "Examples:\n"
        "  umbra top umbra-app-4711.h5\n"
        "  umbra top 4711");
    command->callback([options, &exit_code] { exit_code = top(*options); });
}

}  // namespace umbra::cli
