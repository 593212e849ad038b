// SPDX-License-Identifier: MIT
// umbra export: a profile as a page, and in the formats of other tools.
#include <array>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "export/formats.h"
#include "export/hdf5/reader.h"
#include "export/html.h"
#include "export/sink.h"
#include "src/cli/commands.h"
#include "src/cli/guarded_read.h"
#include "src/cli/live/page_facts.h"
#include "src/cli/terminal/console.h"
#include "src/profile/async/fold.h"
#include "src/profile/names/short_names.h"
#include "src/profile/prune.h"
#include "src/profile/report.h"

namespace umbra::cli {
namespace {

struct ExportOptions;

/// A format, its option, and how it is written.
struct Format {
    const char* option;
    const char* what;
    bool compressed;
    bool has_notes;  ///< else they go into a file beside it
    void (*write)(const profile::Profile&, const ExportOptions&, Sink&);
};

struct ExportOptions {
    std::string file;
    bool cpu = false;
    std::string names = "whole";
    double min_percent = 0;
    std::array<std::string, 6> outputs;  ///< by format; empty: not wanted
    std::string page;                    ///< file of the HTML page; empty: not wanted
    std::string editor;                  ///< of the page; empty: none
};

constexpr std::string_view kLost = "lost";
constexpr const char* kNotesEnding = ".notes.txt";

/// The facts below a report, losses first.
formats::Notes notes(const profile::Profile& profile) {
    formats::Notes notes;
    for (const Fact& fact : footer_facts(profile, {})) {
        std::string note = fmt::format("{}: {}", fact.name, fmt::join(fact.parts, ", "));
        notes.insert(fact.name == kLost ? notes.begin() : notes.end(), std::move(note));
    }
    return notes;
}

/// What a table has no place for, beside it.
Status write_notes(const profile::Profile& profile, const ExportOptions& options,
                   const std::string& path) {
    const Result<std::unique_ptr<Sink>> sink = open_sink(path, options.file);
    if (!sink) {
        return tl::unexpected<Error>(sink.error());
    }
    for (const std::string& note : notes(profile)) {
        (*sink)->put(note + '\n');
    }
    return (*sink)->finish();
}

constexpr std::array<Format, 6> kFormats = {{
    {"--speedscope", "speedscope.app: flame graphs in the browser", false, true,
     [](const profile::Profile& profile, const ExportOptions&, Sink& out) {
         formats::write_speedscope(profile, notes(profile), out);
     }},
    {"--perfetto", "ui.perfetto.dev: a track for each thread", false, true,
     [](const profile::Profile& profile, const ExportOptions&, Sink& out) {
         formats::write_perfetto(profile, notes(profile), out);
     }},
    {"--pprof", "go tool pprof, and services that store its format", true, true,
     [](const profile::Profile& profile, const ExportOptions&, Sink& out) {
         formats::write_pprof(profile, notes(profile), out);
     }},
    {"--callgrind", "KCachegrind, callgrind_annotate", false, true,
     [](const profile::Profile& profile, const ExportOptions&, Sink& out) {
         formats::write_callgrind(profile, notes(profile), out);
     }},
    {"--folded", "flamegraph.pl, inferno: a line for each stack", false, false,
     [](const profile::Profile& profile, const ExportOptions& options, Sink& out) {
         formats::write_folded(profile,
                               options.cpu ? formats::Measure::kCpu : formats::Measure::kWall, out);
     }},
    {"--csv", "spreadsheets: the table of functions", false, false,
     [](const profile::Profile& profile, const ExportOptions&, Sink& out) {
         formats::write_csv(profile, out);
     }},
}};

Status write(const Format& format, const profile::Profile& profile, const ExportOptions& options,
             const std::string& path) {
    Result<std::unique_ptr<Sink>> opened = open_sink(path, options.file);
    if (!opened) {
        return tl::unexpected<Error>(opened.error());
    }
    const std::unique_ptr<Sink> sink =
        format.compressed ? gzip_sink(std::move(*opened)) : std::move(*opened);
    format.write(profile, options, *sink);
    if (Status done = sink->finish(); !done || format.has_notes) {
        return done;
    }
    if (path != "-") {
        return write_notes(profile, options, path + kNotesEnding);
    }
    if (profile.session.losses.events() > 0) {
        print_error("umbra: " + notes(profile).front() + '\n');
    }
    return {};
}

Status write_page(profile::Profile profile, const ExportOptions& options) {
    const Result<std::unique_ptr<Sink>> sink = open_sink(options.page, options.file);
    if (!sink) {
        return tl::unexpected<Error>(sink.error());
    }
    const html::Extras extras = page_extras(profile, options.editor);
    if (Status done = html::write_page(std::move(profile), extras, **sink); !done) {
        return done;
    }
    return (*sink)->finish();
}

Status write_formats(const profile::Profile& profile, const ExportOptions& options) {
    std::optional<profile::Profile> named;
    if (options.names == "short") {
        named = profile;  // the page has whole names, and shows short ones
        profile::shorten_names(*named);
    }
    for (size_t index = 0; index < kFormats.size(); ++index) {
        if (options.outputs[index].empty()) {
            continue;
        }
        if (Status done =
                write(kFormats[index], named ? *named : profile, options, options.outputs[index]);
            !done) {
            return done;
        }
    }
    return {};
}

int export_profile(const ExportOptions& options) {
    if (!options.page.empty() && !html::has_page()) {
        return report_error(kNoPage);
    }
    Result<profile::Profile> profile = hdf5::read_profile(options.file);
    if (!profile) {
        return report_error(profile.error());
    }
    profile::fold_pieces(*profile);
    files_are_read();
    if (options.cpu && !profile::has_cpu_times(profile->session)) {
        return report_error("'" + options.file +
                            "' has no CPU times to export: its cpu_source is none");
    }
    if (options.min_percent > 0) {
        profile::drop_small(*profile, options.min_percent / 100);
    }
    if (const Status done = write_formats(*profile, options); !done) {
        return report_error(done.error());
    }
    if (!options.page.empty()) {  // the last one: it uses up the profile
        if (const Status done = write_page(std::move(*profile), options); !done) {
            return report_error(done.error());
        }
    }
    return kOk;
}

/// Two formats in one place would leave one of them, or both mixed; none would leave nothing.
void check_outputs(const ExportOptions& options) {
    std::set<std::string> seen;
    std::vector<std::string> all(options.outputs.begin(), options.outputs.end());
    all.push_back(options.page);
    for (const std::string& output : all) {
        if (!output.empty() && !seen.insert(output).second) {
            throw CLI::ValidationError("two formats cannot both be written to '" + output + "'");
        }
    }
    if (seen.empty()) {
        std::string names = "--html";
        for (const Format& format : kFormats) {
            names += fmt::format(", {}", format.option);
        }
        throw CLI::ValidationError("name a format and its file: one or more of " + names +
                                   ", as in --html app.html");
    }
}

}  // namespace

void add_export_command(CLI::App& app, int& exit_code) {
    auto options = std::make_shared<ExportOptions>();
    CLI::App* command =
        app.add_subcommand("export", "Write a profile as a page, or in other tools' formats");
    command->add_option("FILE", options->file, "Profile that 'umbra run' wrote")
        ->type_name("")
        ->required();
    CLI::Option_group* formats =
        command->add_option_group("Formats", "One or more; '-' is standard output");
    formats
        ->add_option("--html", options->page,
                     "any browser: hot list, flame graph and all else in one file")
        ->type_name("OUT");
    for (size_t index = 0; index < kFormats.size(); ++index) {
        formats->add_option(kFormats[index].option, options->outputs[index], kFormats[index].what)
            ->type_name("OUT");
    }
    add_editor_option(*command, options->editor);
    command->add_flag("--cpu", options->cpu, "--folded: time on a processor instead of wall time");
    command
        ->add_option(
            "--names", options->names,
            "short: Type.Method, with parameters or namespace only where two methods would\n"
            "else be called the same; --html has whole names and shows short ones")
        ->type_name("whole|short")
        ->check(CLI::IsMember({"whole", "short"}));
    command
        ->add_option("--min", options->min_percent,
                     "Leave out paths below PERCENT of the wall time; their callers get it")
        ->type_name("PERCENT")
        ->check(CLI::Range(0.0, 100.0));
    command->footer(
        "Times are compensated and add up: what a tool shows as total is the sum of the self\n"
        "times below it. Each path of calls stands once, as long as all its calls together.\n"
        "What was lost, and how times came about, is in the comments of --pprof, the title of\n"
        "--speedscope, the first event of --perfetto, the descriptions of --callgrind, the footer\n"
        "of --html, and in a file OUT.notes.txt beside --folded and --csv.\n"
        "\n"
        "Examples:\n"
        "  umbra export --html app.html app.h5\n"
        "  umbra export --speedscope app.speedscope.json app.h5\n"
        "  umbra export --folded - --names short --min 0.01 app.h5 | flamegraph.pl > app.svg\n"
        "  umbra export --pprof app.pb.gz app.h5 && go tool pprof -top app.pb.gz");
    command->callback([options, &exit_code] {
        check_outputs(*options);
        exit_code = guarded({options->file}, [&options] { return export_profile(*options); });
    });
}

}  // namespace umbra::cli
