// SPDX-License-Identifier: MIT
#include "src/manual/man_page.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <regex>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace umbra::manual {
namespace {

/// The text with roff's own characters made plain. A hyphen is a minus: what is copied out of a
/// page works.
std::string escaped(std::string_view text) {
    constexpr std::string_view kOwn = "\\-'\"`^~";
    constexpr std::array<const char*, kOwn.size()> kPlain = {"\\e",   "\\-",   "\\(aq", "\\(dq",
                                                             "\\(ga", "\\(ha", "\\(ti"};
    std::string out;
    for (const char c : text) {
        const size_t at = kOwn.find(c);
        out += at == std::string_view::npos ? std::string(1, c) : kPlain.at(at);
    }
    return out;
}

std::string bold(std::string_view text) {
    return "\\fB" + escaped(text) + "\\fR";
}

/// The text, escaped, with what the pattern finds in it as `write` writes it.
template <typename Write>
std::string marked(const std::string& text, const std::regex& pattern, const Write& write) {
    std::string out;
    auto end = text.cbegin();
    for (std::sregex_iterator found(text.begin(), text.end(), pattern), none; found != none;
         ++found) {
        out += escaped(std::string(end, (*found)[0].first)) + write(*found);
        end = (*found)[0].second;
    }
    return out + escaped(std::string(end, text.cend()));
}

/// The name of a value: what stands for something else in italics, what is typed as it is in bold.
std::string value_name(const std::string& name) {
    static const std::regex words("([A-Z][A-Z0-9_]*)|[a-z0-9]+");
    return marked(name, words, [](const std::smatch& word) {
        return word[1].matched ? "\\fI" + escaped(word.str()) + "\\fR" : bold(word.str());
    });
}

/// Running text: options, and commands of this program in quotes, in bold.
std::string styled(const std::string& text, const std::string& program) {
    const std::regex commands("'(" + program + "( [^' ]+)*)'|--[a-z][a-z-]*[a-z]");
    return marked(text, commands, [](const std::smatch& found) {
        return bold(found[1].matched ? found[1].str() : found.str());
    });
}

/// A line of text that begins with a dot would be a request.
std::string as_text_line(std::string text) {
    return (text.starts_with('.') ? "\\&" : "") + std::move(text) + "\n";
}

/// Paragraphs, and blocks of lines that stay as they are.
struct Block {
    bool verbatim = false;
    std::vector<std::string> lines;

    [[nodiscard]] std::string joined() const { return fmt::format("{}", fmt::join(lines, " ")); }
};

std::vector<Block> blocks_of(const std::string& text) {
    std::vector<Block> blocks;
    bool open = false;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        const bool verbatim = line.starts_with("  ");
        if (line.empty()) {
            open = false;
            continue;
        }
        if (!open || blocks.back().verbatim != verbatim) {
            blocks.push_back({verbatim, {}});
        }
        blocks.back().lines.push_back(verbatim ? line.substr(2) : line);
        open = true;
    }
    return blocks;
}

/// What becomes a section of its own, by the words it begins with.
constexpr std::array<std::pair<std::string_view, const char*>, 3> kOwnSections = {
    {{"Examples:", "EXAMPLES"}, {"Example:", "EXAMPLES"}, {"Exit status:", "EXIT STATUS"}}};

class ManPage {
  public:
    ManPage(const Command& command, const Command& program)
        : command_(command), program_(program) {}

    std::string make(const std::string& version, const std::vector<Section>& sections) {
        for (const char* title : {"DESCRIPTION", "EXAMPLES", "EXIT STATUS"}) {
            bodies_.emplace_back(title, "");
        }
        body("DESCRIPTION") += paragraph(sentence(description()));
        for (const Section& section : sections) {
            add_text(section.title, section.text);
        }
        add_text("DESCRIPTION", command_.footer);
        std::string name = page_name(command_);
        std::string out =
            fmt::format(".TH {} 1 \"\" \"{}\" \"{}\"\n", escaped(upper(name)),
                        escaped(program_.name + " " + version), escaped(program_.name + " manual"));
        out += fmt::format(".SH NAME\n{} \\- {}\n", escaped(name),
                           escaped(as_name_line(description())));
        out += ".SH SYNOPSIS\n" + synopsis();
        std::string options = commands() + places() + this->options();
        for (const auto& [title, text] : bodies_) {
            out += text.empty() ? "" : fmt::format(".SH {}\n{}", escaped(title), text);
            out += title == "DESCRIPTION" ? std::exchange(options, "") : "";
        }
        return out + see_also();
    }

  private:
    static std::string upper(std::string text) {
        std::transform(text.begin(), text.end(), text.begin(),
                       [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
        return text;
    }

    static std::string sentence(std::string text) {
        if (!text.empty() && !text.ends_with('.')) {
            text += '.';
        }
        return text;
    }

    /// What lists of pages show begins with a small letter and has no full stop.
    static std::string as_name_line(std::string text) {
        const bool is_word =
            text.size() > 1 && std::islower(static_cast<unsigned char>(text[1])) != 0;
        text.erase(text.size() - (text.ends_with('.') ? 1 : 0));
        text[0] = is_word ? static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])))
                          : text[0];
        return text;
    }

    /// The command's description, without the program's name in front.
    [[nodiscard]] std::string description() const {
        std::string text = command_.description;
        const std::string name = command_.name + ": ";
        if (text.starts_with(name)) {
            text.erase(0, name.size());
            text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
        }
        return text;
    }

    [[nodiscard]] std::string paragraph(const std::string& text) const {
        return as_text_line(styled(text, program_.name));
    }

    std::string& body(const std::string& title) {
        for (auto& [known, text] : bodies_) {
            if (known == title) {
                return text;
            }
        }
        return bodies_.emplace_back(title, "").second;
    }

    /// Adds the blocks of a text to a section, and from their first words on to sections of their
    /// own.
    void add_text(const std::string& title, const std::string& text) {
        std::string current = title;
        for (Block& block : blocks_of(text)) {
            if (!block.verbatim) {
                current = title;
                for (const auto& [words, own] : kOwnSections) {
                    if (block.lines.front().starts_with(words)) {
                        current = own;
                        block.lines.front().erase(
                            0, std::min(words.size() + 1, block.lines.front().size()));
                    }
                }
            }
            add_block(body(current), block);
        }
    }

    void add_block(std::string& out, const Block& block) const {
        if (block.verbatim) {
            out += out.empty() ? ".EX\n" : ".PP\n.EX\n";
            for (const std::string& line : block.lines) {
                out += as_text_line(escaped(line));
            }
            out += ".EE\n";
        } else if (const std::string text = block.joined(); !text.empty()) {
            out += out.empty() ? "" : ".PP\n";
            out += paragraph(text);
        }
    }

    [[nodiscard]] std::string synopsis() const {
        std::string out = bold(command_.name) + " [\\fIOPTION\\fR]...";
        if (!command_.commands.empty()) {
            out += " \\fICOMMAND\\fR [\\fIARGUMENT\\fR]...";
        }
        for (const Option& place : command_.places) {
            const std::string name = value_name(place.value.name) + (place.repeats ? "..." : "");
            out += place.required ? " " + name : " [" + name + "]";
        }
        return out + "\n";
    }

    [[nodiscard]] std::string commands() const {
        std::string out;
        for (const Command& one : command_.commands) {
            out += ".TP\n" + bold(page_name(one)) + "(1)\n" + paragraph(sentence(one.description));
        }
        return out.empty() ? out : ".SH COMMANDS\n" + out;
    }

    [[nodiscard]] std::string places() const {
        std::string out;
        for (const Option& place : command_.places) {
            out += ".TP\n" + value_name(place.value.name) + "\n" + told(place);
        }
        return out.empty() ? out : ".SH ARGUMENTS\n" + out;
    }

    [[nodiscard]] std::string options() const {
        std::string out;
        for (const OptionGroup& group : command_.groups) {
            if (group.options.empty()) {
                continue;
            }
            // A heading that says no more than that of the section is left out.
            if (group.title != "Options") {
                out += fmt::format(".SS {}\n", escaped(group.title));
            }
            if (!group.description.empty()) {
                out += paragraph(sentence(group.description));
            }
            for (const Option& option : group.options) {
                std::vector<std::string> names;
                for (const std::string& name : option.names) {
                    names.push_back(bold(name));
                }
                out += fmt::format(".TP\n{}{}{}\n{}", fmt::join(names, ", "),
                                   option.value.name.empty() ? "" : " ",
                                   value_name(option.value.name), told(option));
            }
        }
        return out.empty() ? out : ".SH OPTIONS\n" + out;
    }

    static std::string list(const std::vector<std::string>& words) {
        return fmt::format("{}", fmt::join(words, ", "));
    }

    /// What there is to say about an option besides its name.
    [[nodiscard]] std::string told(const Option& option) const {
        std::string text = option.description;
        std::replace(text.begin(), text.end(), '\n', ' ');
        text = sentence(text);
        const Value& value = option.value;
        const bool all_told =
            std::all_of(value.choices.begin(), value.choices.end(), [&](const std::string& word) {
                return (option.description + value.name).find(word) != std::string::npos;
            });
        const auto add = [&text](const char* words, const std::string& what) {
            text += what.empty() ? "" : words + what + ".";
        };
        add(" One of ", all_told ? "" : list(value.choices));
        add(" From ", value.range);
        add(" Only with ", list(option.needs));
        add(" Not with ", list(option.excludes));
        add(" Default: ", option.default_value);
        text += option.variable.empty()
                    ? ""
                    : " Without it the variable " + option.variable + " is read.";
        return paragraph(text);
    }

    /// The pages of the commands that this one's help mentions.
    [[nodiscard]] std::string see_also() const {
        if (command_.name == program_.name) {
            return "";
        }
        std::string all = command_.description + "\n" + command_.footer;
        for (const std::vector<Option>& options : {command_.options(), command_.places}) {
            for (const Option& option : options) {
                all += "\n" + option.description;
            }
        }
        std::set<std::string> pages = {page_name(program_)};
        for (const Command& other : program_.commands) {
            if (other.name != command_.name &&
                std::regex_search(all, std::regex("\\b" + other.name + "\\b"))) {
                pages.insert(page_name(other));
            }
        }
        std::string out;
        for (const std::string& page : pages) {
            out += (out.empty() ? ".SH SEE ALSO\n" : ",\n") + bold(page) + "(1)";
        }
        return out + "\n";
    }

    const Command& command_;
    const Command& program_;
    std::vector<std::pair<std::string, std::string>> bodies_;  ///< sections by title, in order
};

}  // namespace

std::string page_name(const Command& command) {
    std::string name = command.name;
    std::replace(name.begin(), name.end(), ' ', '-');
    return name;
}

std::string man_page(const Command& command, const Command& program, const std::string& version,
                     const std::vector<Section>& sections) {
    return ManPage(command, program).make(version, sections);
}

}  // namespace umbra::manual
