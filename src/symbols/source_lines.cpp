// SPDX-License-Identifier: MIT
#include "src/symbols/source_lines.h"

#include <algorithm>
#include <condition_variable>
#include <map>
#include <mutex>
#include <queue>
#include <set>
#include <system_error>
#include <thread>
#include <utility>

#include <fcntl.h>

#include "src/clr/metadata_schema.h"
#include "src/diagnostics/process_facts.h"
#include "src/profile/names/display_name.h"
#include "src/symbols/module_lines.h"

namespace umbra::symbols {
namespace {

using profile::kNone;
using profile::Row;

/// As process `pid` sees it, or by the same name here once that has ended.
Result<UniqueFd> open_module(pid_t pid, const std::string& path) {
    constexpr int kHow = O_RDONLY | O_NOCTTY;
    if (Result<UniqueFd> file = diagnostics::open_as(pid, path, kHow)) {
        return file;
    }
    UniqueFd file(open(path.c_str(), kHow | O_NONBLOCK | O_CLOEXEC));
    return file ? Result<UniqueFd>(std::move(file))
                : fail(ErrorCode::kNotFound, "cannot open " + path, errno);
}

/// Its process ended before its name was sent.
bool is_unnamed(const profile::Function& function) {
    return function.method.empty() && function.module != kNone && function.token != 0;
}

/// Its line, its test and the like may be shown. Of what was compiled beside the methods that are
/// timed nothing is: the core library, which nearly every program compiles something of, is 13 MB.
bool is_shown(const profile::Function& function, bool sampled) {
    return sampled || function.instrumented || function.trivial || is_unnamed(function);
}

/// What a module tells of the method in a row; null: nothing. `all` are ordered by row.
template <typename Told>
const Told* of_row(const std::vector<Told>& all, uint32_t row) {
    const auto place = std::ranges::lower_bound(all, row, {}, &Told::row);
    return place != all.end() && place->row == row ? &*place : nullptr;
}

/// What its module tells of a function.
void describe(profile::Function& function, const ModuleLines& of) {
    const uint32_t row =
        function.token - clr::token_of(clr::kMethodDef, 0);  // huge where it is no such token
    if (row - 1 < of.points.size() && of.points[row - 1].line != 0) {
        function.file = of.files[of.points[row - 1].document - 1];
        function.line = of.points[row - 1].line;
    }
    const auto body = of.started_by.find(row);
    const uint32_t labelled = body == of.started_by.end() ? row : body->second;
    if (const TestMethod* test = of_row(of.tests, labelled)) {
        function.test = test->framework;
    }
    if (const Endpoint* endpoint = of_row(of.endpoints, labelled)) {
        function.endpoint = endpoint->name;
    }
    function.synchronized = std::ranges::binary_search(of.synchronized, row);
    const auto named = of.names.find(function.token);
    if (is_unnamed(function) && named != of.names.end()) {
        profile::set_display_name(named->second, function);
    }
}

}  // namespace

/// Kept by the object and by the thread, which may outlive it while a file system holds it.
struct SourceLines::Shared {
    using Key = std::pair<pid_t, std::string>;  ///< process and path

    explicit Shared(std::vector<std::string> where) : folders(std::move(where)) {}

    const std::vector<std::string> folders;
    std::mutex mutex;
    std::condition_variable changed;
    std::queue<Key> asked;                                   // guarded by mutex
    std::set<Key> known;                                     // guarded by mutex: asked for
    std::map<Key, std::set<clr::mdMethodDef>> unnamed;       // guarded by mutex: names asked for
    std::map<Key, std::shared_ptr<const ModuleLines>> read;  // guarded by mutex
    bool running = false;                                    // guarded by mutex: there is a thread

    void work() {
        std::unique_lock lock(mutex);
        while (!asked.empty()) {
            const Key key = std::move(asked.front());
            asked.pop();
            const std::set<clr::mdMethodDef> names = unnamed[key];
            lock.unlock();
            auto lines = std::make_shared<const ModuleLines>(read_module_lines(
                key.second,
                [pid = key.first](const std::string& path) { return open_module(pid, path); },
                folders, names));
            lock.lock();
            if (known.contains(key)) {
                read.insert_or_assign(key, std::move(lines));
            }
            changed.notify_all();
        }
        running = false;
    }
};

SourceLines::SourceLines(std::vector<std::string> folders)
    : shared_(std::make_shared<Shared>(std::move(folders))) {
}

void SourceLines::add_to(profile::Profile& profile, std::chrono::milliseconds timeout) {
    const auto pid = static_cast<pid_t>(profile.session.pid);
    std::vector<bool> wanted(profile.modules.size());
    std::map<Shared::Key, std::set<clr::mdMethodDef>> unnamed;
    const bool sampled = profile::is_sampled(profile.session);
    for (const profile::Function& function : profile.functions) {
        if (function.module != kNone && function.token != 0 && is_shown(function, sampled)) {
            wanted[function.module] = true;
        }
        if (is_unnamed(function)) {
            unnamed[{pid, profile.modules[function.module].path}].insert(function.token);
        }
    }
    std::unique_lock lock(shared_->mutex);
    for (auto& [key, methods] : unnamed) {
        std::set<clr::mdMethodDef>& asked = shared_->unnamed[key];
        if (!std::ranges::includes(asked, methods)) {
            asked.merge(methods);
            shared_->known.erase(key);  // it is read once more, for these
            shared_->read.erase(key);
        }
    }
    std::set<Shared::Key> waiting;
    for (Row row = 0; row < wanted.size(); ++row) {
        const Shared::Key key(pid, profile.modules[row].path);
        if (!wanted[row] || key.second.empty()) {
            continue;
        }
        if (shared_->known.insert(key).second) {
            shared_->asked.push(key);
        }
        if (!shared_->read.contains(key)) {
            waiting.insert(key);
        }
    }
    if (!shared_->asked.empty() && !shared_->running) {
        try {
            std::thread([shared = shared_] { shared->work(); }).detach();
            shared_->running = true;
        } catch (const std::system_error&) {
            timeout = {};  // no thread can be had
        }
    }
    shared_->changed.wait_for(lock, timeout, [&] {
        std::erase_if(waiting, [&](const Shared::Key& key) { return shared_->read.contains(key); });
        return waiting.empty();
    });
    std::vector<std::shared_ptr<const ModuleLines>> lines(profile.modules.size());
    for (Row row = 0; row < wanted.size(); ++row) {
        profile::Module& module = profile.modules[row];
        if (!wanted[row]) {
            continue;
        }
        if (const auto found = shared_->read.find({pid, module.path});
            found != shared_->read.end()) {
            lines[row] = found->second;
            module.symbols = found->second->pdb;
            module.symbols_missing = found->second->missing;
        } else {
            module.symbols_missing =
                module.path.empty() ? "it is in no file" : "its file was not read in time";
        }
    }
    lock.unlock();
    for (profile::Function& function : profile.functions) {
        if (function.module != kNone && lines[function.module]) {
            describe(function, *lines[function.module]);
        }
    }
}

void SourceLines::forget(uint32_t pid) {
    const auto is_of = [pid](const Shared::Key& key) {
        return key.first == static_cast<pid_t>(pid);
    };
    const std::lock_guard lock(shared_->mutex);
    std::erase_if(shared_->known, is_of);
    std::erase_if(shared_->unnamed, [&](const auto& entry) { return is_of(entry.first); });
    std::erase_if(shared_->read, [&](const auto& entry) { return is_of(entry.first); });
}

}  // namespace umbra::symbols
