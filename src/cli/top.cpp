// SPDX-License-Identifier: MIT
// umbra top: where the time of a running program goes, by whomever it is recorded.
#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <csignal>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include "src/cli/commands.h"
#include "src/cli/live/figures_source.h"
#include "src/cli/live/top_view.h"
#include "src/cli/named_process.h"
#include "src/cli/record/agent_client.h"
#include "src/cli/record/timing_options.h"
#include "src/cli/terminal/console.h"
#include "src/cli/terminal/screen.h"

namespace umbra::cli {
namespace {

using protocol::LiveFigures;
using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;
using Kind = Screen::Event::Kind;

constexpr auto kPoll = milliseconds(100);
constexpr auto kRedraw = seconds(1);
/// The first look at a recording that has just begun comes at once.
constexpr uint64_t kEnoughNs = 500'000'000;
constexpr std::size_t kMostRows = 100;  ///< what LiveFigures have of each order

struct TopOptions {
    std::string process;
    std::string sort = "now";
    bool once = false;
    bool json = false;
    std::size_t top = 30;
    // of a capture of its own
    std::vector<std::string> include;
    std::vector<std::string> also;
    std::vector<std::string> exclude;
    bool framework = false;
    std::string max_overhead;
    std::string output;
    bool force = false;
};

/// As `umbra start` has them.
std::vector<std::string> start_options(const TopOptions& options) {
    std::vector<std::string> words;
    for (const auto& [option, patterns] :
         {std::pair("--include", &options.include), std::pair("--also", &options.also),
          std::pair("--exclude", &options.exclude)}) {
        for (const std::string& pattern : *patterns) {
            words.insert(words.end(), {option, pattern});
        }
    }
    if (options.framework) {
        words.emplace_back("--framework");
    }
    if (!options.max_overhead.empty()) {
        words.insert(words.end(), {"--max-overhead", options.max_overhead});
    }
    if (options.output.empty()) {
        words.emplace_back("--no-profile");
    } else {
        words.insert(words.end(), {"-o", options.output});
        if (options.force) {
            words.emplace_back("--force");
        }
    }
    return words;
}

/// The only process that is recorded.
Result<pid_t> only_process() {
    std::string all;
    std::vector<pid_t> found;
    for (const SeenRecorder& seen : find_recorders()) {
        for (const protocol::RecordedProcess& process : seen.recorder.processes) {
            found.push_back(static_cast<pid_t>(process.pid));
            all += fmt::format("{}{} ({})", all.empty() ? "" : ", ", process.pid, process.program);
        }
    }
    if (found.empty()) {
        return fail(ErrorCode::kNotFound,
                    "nothing is being recorded: name a process ('umbra ps' lists them)");
    }
    if (found.size() > 1) {
        return fail(ErrorCode::kRefused,
                    fmt::format("several processes are being recorded: name one of {}", all));
    }
    return found.front();
}

Result<pid_t> process_named_by(const TopOptions& options) {
    if (options.process.empty()) {
        return only_process();
    }
    if (options.process.ends_with(".h5")) {
        return fail(ErrorCode::kInvalid,
                    fmt::format("'{}' is no process; 'umbra report FILE' shows a profile, also one "
                                "that is still being written",
                                options.process));
    }
    return process_named(options.process);
}

/// What is known of a process, whoever shows it and how.
class Watching {
  public:
    Watching(pid_t pid, const TopOptions& options, TopOrder order)
        : source_(pid, start_options(options)), order_(order) {}

    /// True: something has changed.
    bool poll() {
        if (error_ || (newest_ && !newest_->ended.empty())) {
            return false;
        }
        Result<std::optional<LiveFigures>> read = source_.poll();
        if (!read) {
            error_ = read.error();
            OwnCapture* own = source_.own_capture();
            if (own != nullptr && own->ended() && own->status() != 0 && !own->said().empty()) {
                error_->context = own->said();
            }
            return true;
        }
        if (!*read) {
            return false;
        }
        newest_ = **std::move(read);
        came_ = steady_clock::now();
        return true;
    }

    [[nodiscard]] bool over() const { return error_ || (newest_ && !newest_->ended.empty()); }
    [[nodiscard]] const std::optional<LiveFigures>& newest() const { return newest_; }
    [[nodiscard]] const std::optional<Error>& error() const { return error_; }
    FiguresSource& source() { return source_; }

    bool sort_by(TopOrder order) {
        if (newest_ && has_order(*newest_, order)) {
            order_ = order;
            return true;
        }
        return false;
    }
    [[nodiscard]] TopOrder order() const { return order_; }

    [[nodiscard]] TopView view(std::size_t rows, const TextStyle& style) const {
        const auto age = std::chrono::floor<seconds>(steady_clock::now() - came_);
        return {.order = newest_ && !has_order(*newest_, order_) ? TopOrder::kSelf : order_,
                .rows = rows,
                .style = style,
                .recorder = source_.recorder(),
                .error = error_ ? error_->context : "",
                .age = age};
    }

    /// Ends the capture of its own, if there is one, and tells what that has to say. `wait`: asked
    /// again and again; false: it is not to be waited for any longer. Answers an exit status.
    int conclude(const auto& wait) {
        OwnCapture* own = source_.own_capture();
        if (own == nullptr) {
            return kOk;
        }
        own->end();
        const steady_clock::time_point end = steady_clock::now() + kCaptureEndTimeout;
        while (!own->ended() && steady_clock::now() < end && wait()) {
        }
        if (own->ended() && own->status() == 0) {
            return kOk;
        }
        return report_error(
            own->ended() && !own->said().empty()
                ? own->said()
                : "the capture has not ended yet; it does when the process answers");
    }

  private:
    FiguresSource source_;
    TopOrder order_;
    std::optional<LiveFigures> newest_;
    steady_clock::time_point came_{};
    std::optional<Error> error_;
};

/// The screen of one `umbra top`, until its user has seen enough.
class LiveList {
  public:
    explicit LiveList(Watching& watching) : watching_(watching) {}

    int run() {
        Screen screen;
        steady_clock::time_point drawn{};
        bool changed = true;
        for (;;) {
            changed = watching_.poll() || changed;
            if (watching_.error() && !watching_.newest()) {
                break;
            }
            const steady_clock::time_point now = steady_clock::now();
            if (changed || now - drawn >= kRedraw) {
                screen.draw(frame());
                drawn = now;
            }
            const int other = watching_.over() ? -1 : watching_.source().descriptor();
            const Screen::Event event = screen.wait(kPoll, other);
            if (event.kind == Kind::kEnd) {
                status_ = event.signal == 0 || event.signal == SIGINT ? kOk : 128 + event.signal;
                break;
            }
            changed = event.kind == Kind::kKeys || event.kind == Kind::kChanged;
            if (!take_keys(event.keys)) {
                break;
            }
        }
        const int ended = watching_.conclude([&] { return goes_on_waiting(screen); });
        return status_ != kOk ? status_ : ended;
    }

  private:
    std::vector<std::string> frame() const {
        const Screen::Size size = Screen::size();
        const TopView view = watching_.view(size.rows, {size.columns, output_has_colour()});
        return watching_.newest() ? top_frame(*watching_.newest(), view)
                                  : waiting_frame(watching_.source().waiting(), view);
    }

    /// False: the user does not want to wait for the end of the capture.
    static bool goes_on_waiting(Screen& screen) {
        screen.draw({"ending the capture; q goes without waiting"});
        const Screen::Event event = screen.wait(kPoll);
        return event.kind != Kind::kEnd && event.keys.find('q') == std::string::npos;
    }

    /// False: quit.
    bool take_keys(const std::string& keys) {
        for (const char key : keys) {
            if (key == 'q' || key == 'Q') {
                return false;
            }
            const auto chosen = std::ranges::find(kTopOrders, key, &NamedOrder::key);
            if (chosen != kTopOrders.end()) {
                watching_.sort_by(chosen->order);
            }
        }
        return true;
    }

    Watching& watching_;
    int status_ = kOk;
};

/// Nobody reads standard output any more.
bool is_unread() {
    pollfd out{STDOUT_FILENO, 0, 0};
    return ::poll(&out, 1, 0) == 1 && (out.revents & (POLLERR | POLLHUP)) != 0;
}

/// Lines or lists, once with a window behind them or until the recording ends.
class Printer {
  public:
    Printer(Watching& watching, const TopOptions& options)
        : watching_(watching), options_(options), once_(options.once || !options.json) {}

    int run() {
        for (;;) {
            const bool changed = watching_.poll();
            if (watching_.error()) {
                return fails();
            }
            if (changed) {
                const bool enough = watching_.newest()->window_ns >= kEnoughNs || watching_.over();
                if (enough || !once_) {
                    if (const int status = show(); status != kOk) {
                        return status;
                    }
                }
                if (watching_.over() || (once_ && enough)) {
                    break;
                }
            }
            pollfd source{watching_.source().descriptor(), POLLIN, 0};
            ::poll(&source, 1, static_cast<int>(kPoll.count()));
            if (is_unread()) {
                break;
            }
        }
        return conclude();
    }

  private:
    int fails() {
        const Error error = *watching_.error();
        if (watching_.source().own_capture() != nullptr) {
            watching_.source().own_capture()->end();
        }
        return report_error(error);
    }

    int conclude() {
        return watching_.conclude(
            [] { return ::poll(nullptr, 0, static_cast<int>(kPoll.count())) == 0; });
    }

    int show() {
        const LiveFigures& figures = *watching_.newest();
        if (!has_order(figures, watching_.order())) {
            return report_error(fmt::format("process {} has no {} times to sort by", figures.pid,
                                            options_.sort == "cpu" ? "CPU" : "inclusive"));
        }
        const TopView view = watching_.view(options_.top, {output_columns(), output_has_colour()});
        return print(options_.json ? top_json(figures, view, options_.top)
                                   : top_text(figures, view));
    }

    Watching& watching_;
    const TopOptions& options_;
    const bool once_;
};

int top(const TopOptions& options) {
    const Result<pid_t> pid = process_named_by(options);
    if (!pid) {
        return report_error(pid.error());
    }
    const TopOrder order = std::ranges::find(kTopOrders, options.sort, &NamedOrder::name)->order;
    Watching watching(*pid, options, order);
    if (options.once || options.json || !has_screen()) {
        return Printer(watching, options).run();
    }
    const int status = LiveList(watching).run();
    // The screen is gone: what could not be shown there is said now.
    return watching.error() && !watching.newest() ? report_error(*watching.error()) : status;
}

void add_capture_options(CLI::App& command, TopOptions& options) {
    constexpr const char* kGroup = "Where nobody records the process yet";
    add_selection_options(command, options.include, options.also, options.exclude);
    for (const char* name : {"--include", "--also", "--exclude"}) {
        command.get_option(name)->group(kGroup);
    }
    command.add_flag("--framework", options.framework, "Time the framework's methods too")
        ->group(kGroup);
    command
        .add_option("--max-overhead", options.max_overhead,
                    "Take the probes out of tiny methods when all together cost more")
        ->type_name("PERCENT")
        ->check(overhead_check())
        ->group(kGroup);
    command.add_option("-o,--output", options.output, "Write a profile in the end (default: none)")
        ->type_name("FILE")
        ->group(kGroup);
    command.add_flag("--force", options.force, "Replace the profile that FILE is already")
        ->group(kGroup);
}

}  // namespace

void add_top_command(CLI::App& app, int& exit_code) {
    auto options = std::make_shared<TopOptions>();
    CLI::App* command = app.add_subcommand("top", "Watch where the time of a running program goes");
    command
        ->add_option(
            "PID", options->process,
            "Process, by its number or the name of its program, or the umbra that records\n"
            "it; default: the only one recorded")
        ->type_name("");
    std::vector<std::string> orders;
    orders.reserve(kTopOrders.size());
    for (const NamedOrder& named : kTopOrders) {
        orders.emplace_back(named.name);
    }
    command->add_option("--sort", options->sort, "Order: now, self, total, calls, or cpu")
        ->type_name("ORDER")
        ->check(CLI::IsMember(orders).description(""))
        ->capture_default_str();
    command->add_flag("--once", options->once, "Print one list and end, as without a terminal");
    command->add_flag("--json", options->json,
                      "One object a line, each second until the recording ends; with --once: one");
    command->add_option("--top", options->top, "Methods of that list")
        ->type_name("N")
        ->check(CLI::Range(std::size_t{1}, kMostRows).description(""))
        ->capture_default_str();
    add_capture_options(*command, *options);
    command->footer(
        "Shows what is being recorded by 'umbra run', 'umbra start' or 'umbra attach', once a\n"
        "second, to as many as watch. Where nobody records the process, its calls are timed for\n"
        "as long as somebody looks, as by 'umbra start'.\n"
        "\n"
        "  now      share of what all methods did themselves in the last second\n"
        "  calls/s  calls begun in that second\n"
        "  calls, total, self, cpu: since the recording began, as in 'umbra report'\n"
        "  share    of the self time of all methods; sorted by cpu, of their CPU time\n"
        "\n"
        "Keys: q quits; n, s, t, c, p sort by now, self, total, calls, cpu.\n"
        "\n"
        "Examples:\n"
        "  umbra top 4711\n"
        "  umbra top hello-shop\n"
        "  umbra top 4711 --include 'Acme.Orders.*'\n"
        "  umbra top 4711 --once --json | jq '.methods[0].name'");
    command->callback([options, &exit_code] { exit_code = top(*options); });
}

}  // namespace umbra::cli
