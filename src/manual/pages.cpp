// SPDX-License-Identifier: MIT
#include "src/manual/pages.h"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>

#include <fmt/format.h>

#include "src/manual/completion.h"

namespace umbra::manual {

std::vector<Page> make_pages(const Command& program, const std::string& version,
                             const std::vector<Section>& sections) {
    std::vector<Page> pages;
    const auto add_man_page = [&](const Command& command, const std::vector<Section>& more) {
        pages.push_back({fmt::format("man/man1/{}.1", page_name(command)),
                         man_page(command, program, version, more)});
    };
    add_man_page(program, sections);
    for (const Command& command : program.commands) {
        add_man_page(command, {});
    }
    pages.push_back({"bash-completion/completions/" + program.name, completion(program, "bash")});
    pages.push_back({"zsh/site-functions/_" + program.name, completion(program, "zsh")});
    pages.push_back({fmt::format("fish/vendor_completions.d/{}.fish", program.name),
                     completion(program, "fish")});
    return pages;
}

Status write_pages(const std::vector<Page>& pages, const std::string& folder) {
    namespace fs = std::filesystem;
    for (const Page& page : pages) {
        const fs::path path = fs::path(folder) / page.path;
        std::error_code error;
        fs::create_directories(path.parent_path(), error);
        errno = 0;
        std::ofstream file(path, std::ios::binary | std::ios::trunc);
        file << page.text;
        file.close();
        if (error || !file) {
            const int why = error ? error.value() : errno;
            return fail(ErrorCode::kSystem,
                        fmt::format("cannot write '{}': {}", path.string(),
                                    std::generic_category().message(why)),
                        why);
        }
    }
    return {};
}

}  // namespace umbra::manual
