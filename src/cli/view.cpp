// SPDX-License-Identifier: MIT
// umbra view: the page of a profile in the browser, served on this machine.
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>

#include <CLI/CLI.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "export/hdf5/reader.h"
#include "export/html.h"
#include "export/sink.h"
#include "src/base/folders.h"
#include "src/base/unique_fd.h"
#include "src/cli/chosen_profile.h"
#include "src/cli/commands.h"
#include "src/cli/guarded_read.h"
#include "src/cli/live/page_facts.h"
#include "src/cli/live/page_server.h"
#include "src/cli/record/target_process.h"
#include "src/cli/terminal/console.h"

namespace umbra::cli {
namespace {

struct ViewOptions {
    std::string file;
    uint16_t port = 0;
    bool no_browser = false;
    std::string editor;
};

class StringSink final : public Sink {
  public:
    explicit StringSink(std::string& text) : text_(text) {}

  private:
    Status write(std::span<const std::byte> bytes) override {
        text_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        return {};
    }
    Status commit() override { return {}; }

    std::string& text_;
};

Result<PageServer::Page> make_page(const std::string& file, const std::string& editor) {
    Result<profile::Profile> profile = hdf5::read_profile(file);
    if (!profile) {
        return tl::unexpected<Error>(profile.error());
    }
    std::string text;
    StringSink sink(text);
    const html::Extras extras = page_extras(*profile, editor);
    Status done = html::write_page(std::move(*profile), extras, sink);
    if (done) {
        done = sink.finish();
    }
    if (!done) {
        return tl::unexpected<Error>(done.error());
    }
    return std::make_shared<const std::string>(std::move(text));
}

/// The page of a file; made anew when the file has been replaced, as every checkpoint of a running
/// program does.
class FilePage {
  public:
    FilePage(std::string file, std::string editor)
        : file_(std::move(file)), editor_(std::move(editor)) {}

    Result<PageServer::Page> current() {
        struct stat now {};
        const bool there = ::stat(file_.c_str(), &now) == 0;
        const Stamp stamp = {now.st_ino, now.st_size, now.st_mtim.tv_sec, now.st_mtim.tv_nsec};
        if (page_ && (!there || stamp == stamp_)) {
            return page_;
        }
        Result<PageServer::Page> made = make_page(file_, editor_);
        if (made) {
            page_ = *made;
            stamp_ = stamp;
        }
        return made;
    }

  private:
    using Stamp = std::tuple<ino_t, off_t, time_t, long>;

    std::string file_;
    std::string editor_;
    PageServer::Page page_;
    Stamp stamp_;
};

/// A file that leads a browser to an address, for its owner's eyes only: arguments of processes can
/// be read by every user. Goes with the object.
class Redirect {
  public:
    explicit Redirect(const std::string& address) {
        path_ = fmt::format("{}/umbra-XXXXXX.html", folder_named_by({"XDG_RUNTIME_DIR"}));
        const UniqueFd file(mkostemps(path_.data(), 5, O_CLOEXEC));  // mode 0600
        const std::string text = fmt::format(
            "<!doctype html><meta http-equiv=\"refresh\" content=\"0;url={}\">\n", address);
        made_ = file &&
                ::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
    }
    ~Redirect() { ::unlink(path_.c_str()); }
    Redirect(const Redirect&) = delete;
    Redirect& operator=(const Redirect&) = delete;

    /// Empty: it could not be made.
    [[nodiscard]] std::string path() const { return made_ ? path_ : std::string(); }

  private:
    std::string path_;
    bool made_ = false;
};

/// Starts the user's browser where there is a desktop to show it on.
void open_browser(const std::string& file) {
    // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing changes the environment
    if (std::getenv("DISPLAY") == nullptr && std::getenv("WAYLAND_DISPLAY") == nullptr) {
        print_error("no desktop here: open the address in a browser\n");
        return;
    }
    if (file.empty()) {
        print_error("no file could be made to open a browser with: open the address in one\n");
        return;
    }
    // What xdg-open and browsers print is nobody's business here.
    const Result<pid_t> started = start_process(
        {"sh", "-c", "exec xdg-open \"$1\" >/dev/null 2>&1 </dev/null", "sh", file}, {});
    if (!started) {
        report_error(started.error());
    }
}

int view(const ViewOptions& options) {
    if (!html::has_page()) {
        return report_error(kNoPage);
    }
    // The server has threads, and outlives the reading.
    if (const int status = try_to_read(options.file); status != kOk) {
        return status;
    }
    FilePage page(options.file, options.editor);
    if (const Result<PageServer::Page> made = page.current(); !made) {
        return report_error(made.error());
    }
    boost::asio::io_context io(1);
    const Result<std::unique_ptr<PageServer>> server =
        PageServer::listen(io, options.port, [&page] { return page.current(); });
    if (!server) {
        return report_error(server.error());
    }
    boost::asio::signal_set signals(io, SIGINT, SIGTERM);
    signals.async_wait([&io](const boost::system::error_code&, int) { io.stop(); });
    const std::string address = (*server)->address();
    if (const int status = print(address + "\n"); status != kOk) {
        return status;
    }
    std::optional<Redirect> redirect;
    if (!options.no_browser) {
        open_browser(redirect.emplace(address).path());
    }
    print_error("Ctrl-C ends it\n");
    io.run();
    return kOk;
}

}  // namespace

void add_view_command(CLI::App& app, int& exit_code) {
    auto options = std::make_shared<ViewOptions>();
    CLI::App* command = app.add_subcommand("view", "Show a profile in the browser");
    add_profile_argument(*command, options->file);
    add_editor_option(*command, options->editor);
    command->add_flag("--no-browser", options->no_browser, "Print the address, open nothing");
    command->add_option("--port", options->port, "Port on 127.0.0.1 (default: a free one)")
        ->type_name("N");
    command->footer(
        "The page is that of 'umbra export --html', served on 127.0.0.1 until Ctrl-C, at an\n"
        "address that cannot be guessed. Reload it to see the newest checkpoint of a program\n"
        "that still runs. On another machine: ssh -L PORT:127.0.0.1:PORT, with --port PORT.\n"
        "\n"
        "Examples:\n"
        "  umbra view\n"
        "  umbra view app.h5\n"
        "  umbra view --no-browser --port 8080 app.h5");
    command->callback([options, &exit_code] {
        exit_code = with_profile(options->file, [&options] { return view(*options); });
    });
}

}  // namespace umbra::cli
