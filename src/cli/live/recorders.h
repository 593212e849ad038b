// SPDX-License-Identifier: MIT
// Finds the umbras of this machine that record, and watches what they record.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "src/base/result.h"
#include "src/base/unique_fd.h"
#include "src/protocol/messages.h"

namespace umbra::cli {

/// An umbra that records, and the socket on which it shows figures.
struct SeenRecorder {
    protocol::Recorder recorder;  ///< processes it cannot be believed about are left out
    std::string socket;
    uid_t uid = 0;  ///< whose it is
};

/// Asks all in this network namespace that this user may watch: its own, and, as root, those of all
/// users. Believed is an umbra of this user's, of root's, or of the user of the process it records.
/// Waits half a second at most for one that does not answer.
[[nodiscard]] std::vector<SeenRecorder> find_recorders();

/// What to watch for what a user has named: the process itself, or the one recorded process that it
/// records (an umbra) or that has been started by it or its children.
struct Target {
    const SeenRecorder* recorder = nullptr;  ///< of the list; null: nobody records it
    pid_t pid = 0;                           ///< 0: the recorder has no process yet
};
/// Errors: kRefused (there are several; the context names them).
[[nodiscard]] Result<Target> find_target(const std::vector<SeenRecorder>& recorders, pid_t named);

/// "umbra start, process 4800"
[[nodiscard]] std::string text(const protocol::Recorder& recorder);

/// The connection over which figures of a process come. Whatever the other side says, what is held
/// is bounded. One thread.
class LiveWatch {
  public:
    /// Errors: kSystem (the umbra has gone), kRefused.
    [[nodiscard]] static Result<LiveWatch> open(const SeenRecorder& recorder, pid_t pid);

    /// Readable when receive() has something to do.
    [[nodiscard]] int descriptor() const { return socket_.get(); }
    /// The newest figures that have come; none: nothing new. Does not wait. Errors: kRefused (a
    /// sentence of the umbra that records), kVersion, kSystem (it has gone).
    [[nodiscard]] Result<std::optional<protocol::LiveFigures>> receive();

  private:
    LiveWatch(UniqueFd socket, pid_t pid) : socket_(std::move(socket)), pid_(pid) {}

    UniqueFd socket_;
    pid_t pid_;
    protocol::Decoder decoder_;
};

}  // namespace umbra::cli
