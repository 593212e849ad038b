// SPDX-License-Identifier: MIT
#include "src/runsxs/script.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <set>
#include <sstream>

namespace umbra::runsxs {
namespace {

using What = Step::What;

constexpr size_t kAny = 1'000;

struct Form {
    std::string_view word;
    What what;
    size_t fewest;  ///< words behind it
    size_t most;
};

constexpr std::array kForms = {
    Form{"instance", What::kInstance, 2, 2},
    Form{"profiler", What::kProfiler, 2, 3},
    Form{"blind", What::kBlind, 1, 1},
    Form{"start", What::kStart, 1, kAny},
    Form{"attach", What::kAttach, 1, kAny},
    Form{"run", What::kRun, 1, kAny},
    Form{"through", What::kThrough, 2, kAny},
    Form{"collect", What::kCollect, 1, kAny},
    Form{"unload", What::kUnload, 1, kAny},
    Form{"detach", What::kDetach, 1, kAny},
    Form{"shutdown", What::kShutdown, 1, kAny},
    Form{"end", What::kEnd, 1, kAny},
    Form{"expect", What::kExpect, 2, kAny},
    Form{"tell", What::kTell, 1, 1},
    Form{"wait", What::kWait, 1, 1},
    Form{"repeat", What::kRepeat, 1, 1},
    Form{"done", What::kDone, 0, 0},
};

template <typename Number>
bool read_number(std::string_view text, Number least, Number& number) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size() && number >= least;
}

/// "6f6b" is "ok".
bool read_hex(std::string_view text, std::string& bytes) {
    for (size_t at = 0; at + 1 < text.size(); at += 2) {
        uint8_t byte = 0;
        const auto [end, error] = std::from_chars(text.data() + at, text.data() + at + 2, byte, 16);
        if (error != std::errc() || end != text.data() + at + 2) {
            return false;
        }
        bytes.push_back(static_cast<char>(byte));
    }
    return !text.empty() && text.size() % 2 == 0;
}

/// "calls=5" and its like. False: it is none of them, or no number.
bool read_setting(std::string_view word, Step& step) {
    const size_t equals = word.find('=');
    if (equals == std::string_view::npos) {
        return false;
    }
    const std::string_view name = word.substr(0, equals);
    const std::string_view value = word.substr(equals + 1);
    if (name == "calls") {
        return read_number(value, uint64_t{1}, step.calls);
    }
    if (name == "threads") {
        return read_number(value, 1U, step.threads) && step.threads <= 1'000;
    }
    if (name == "data") {
        return step.what == What::kAttach && read_hex(value, step.data);
    }
    return name == "ids" && read_number(value, uint64_t{16}, step.ids);
}

/// Its words may hold a '='.
bool takes_paths(What what) {
    return what == What::kProfiler || what == What::kTell || what == What::kWait;
}

bool is_version(std::string_view text) {
    return std::ranges::count(text, '.') == 2 && text.find_first_not_of("0123456789.") == text.npos;
}

class Parser {
  public:
    Result<std::vector<Step>> parse(std::string_view text) {
        std::istringstream lines{std::string(text)};
        std::string line;
        while (std::getline(lines, line)) {
            ++line_;
            if (Status read = read_line(line.substr(0, line.find('#'))); !read) {
                return tl::unexpected<Error>(read.error());
            }
        }
        if (repeats_ != 0) {
            return wrong("a 'repeat' has no 'done'");
        }
        return std::move(steps_);
    }

  private:
    [[nodiscard]] tl::unexpected<Error> wrong(const std::string& why) const {
        return fail(ErrorCode::kInvalid, "line " + std::to_string(line_) + ": " + why);
    }

    Status read_line(const std::string& line) {
        std::istringstream words(line);
        std::string word;
        if (!(words >> word)) {
            return {};
        }
        const auto* const form = std::ranges::find(kForms, word, &Form::word);
        if (form == kForms.end()) {
            return wrong("'" + word + "' is nothing a script can do");
        }
        Step step;
        step.what = form->what;
        step.line = line_;
        step.text = line.substr(line.find_first_not_of(" \t"));
        step.text.erase(step.text.find_last_not_of(" \t\r") + 1);
        while (words >> word) {
            if (word == "together") {
                step.together = true;
            } else if (word.find('=') == std::string::npos || takes_paths(form->what)) {
                step.words.push_back(word);
            } else if (!read_setting(word, step)) {
                return wrong("'" + word +
                             "' is no setting: there are calls=N, threads=N, ids=N, data=HEX");
            }
        }
        if (step.words.size() < form->fewest || step.words.size() > form->most) {
            return wrong("'" + std::string(form->word) + "' takes other words");
        }
        if (Status sound = check(step); !sound) {
            return sound;
        }
        steps_.push_back(std::move(step));
        return {};
    }

    Status check(const Step& step) {
        uint32_t times = 0;
        switch (step.what) {
            case What::kInstance:
                names_.insert(step.words[0]);
                return is_version(step.words[1])
                           ? Status()
                           : wrong("'" + step.words[1] + "' is no version like 10.0.12");
            case What::kRepeat:
                ++repeats_;
                return repeats_ == 1 && read_number(step.words[0], 1U, times)
                           ? Status()
                           : wrong("'repeat' takes a number, and has no other in it");
            case What::kDone:
                return repeats_-- == 1 ? Status() : wrong("'done' without 'repeat'");
            case What::kProfiler:
                return known(step.words[0]);
            case What::kTell:
            case What::kWait:
                return {};
            case What::kExpect:
                if (step.words.back() != "profiled" && step.words.back() != "refused") {
                    return wrong("'expect' ends in profiled or refused");
                }
                break;
            default:
                break;
        }
        const size_t names = step.words.size() - (step.what == What::kExpect ? 1 : 0);
        for (size_t i = 0; i < names; ++i) {
            if (Status there = known(step.words[i]); !there) {
                return there;
            }
        }
        return {};
    }

    [[nodiscard]] Status known(const std::string& name) const {
        return names_.contains(name) ? Status() : wrong("there is no instance '" + name + "'");
    }

    std::vector<Step> steps_;
    std::set<std::string> names_;
    uint32_t line_ = 0;
    int repeats_ = 0;
};

}  // namespace

Result<std::vector<Step>> parse_script(std::string_view text) {
    return Parser().parse(text);
}

}  // namespace umbra::runsxs
