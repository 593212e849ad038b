// SPDX-License-Identifier: MIT
// Control messages between agent and collector: what travels on the UNIX socket, and its encoding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "src/protocol/live_messages.h"

namespace umbra::protocol {

/// Bumped with every change of a message, of the segment layout or of a record.
inline constexpr uint32_t kProtocolVersion = 11;

/// First bytes of Hello and of the segment: "umbra" and the version follow one another on the wire.
inline constexpr uint64_t kMagic = 0x31'3061'7262'6d75ULL;  // "umbra01" read as little endian

/// A message longer than this is hostile or broken: the connection is closed.
inline constexpr uint32_t kMaxMessageBytes = 1U << 20;

/// encode() cuts longer strings, so that no single name makes a message too long.
inline constexpr size_t kMaxStringBytes = 1U << 16;

/// Functions in one RemoveHooks: so few that the message goes into the socket whole or not at all.
inline constexpr size_t kMaxDeinstrumentedAtOnce = 256;

/// Rows in one StackNodes or one SampleRound: so few that the message stays below
/// kMaxMessageBytes.
inline constexpr size_t kMaxRowsAtOnce = 16'384;

/// Constants of one enum that are told.
inline constexpr size_t kMaxEnumConstants = 1'024;

// ---- agent to collector --------------------------------------------------------------------

/// The first message; carries the segment's memfd as ancillary data.
struct Hello {
    uint64_t magic = kMagic;
    uint32_t version = kProtocolVersion;
    std::string tool_version;
    uint32_t pid = 0;
    std::string runtime;       ///< ".NET 10.0.12"
    std::string command_line;  ///< as line_of_arguments() has it
    uint64_t segment_bytes = 0;
    bool running = false;  ///< the program has been running for a while: a part of its life
    bool il_probes =
        false;  ///< probes can only be written into the methods' IL; else hooks as well
    /// Of a program that has been running: versions by RuntimeStarted::index, less one, of the
    /// runtimes that a capture can have; empty where one has shut down.
    std::vector<std::string> runtimes;
    bool operator==(const Hello&) const = default;
};

/// A runtime of the process that is profiled. Comes before whatever refers to it.
struct RuntimeStarted {
    uint32_t index = 0;   ///< agent's own numbering, from 1, in the order of their starts
    std::string version;  ///< ".NET 10.0.12"
    bool operator==(const RuntimeStarted&) const = default;
};

struct ModuleLoaded {
    uint32_t index = 0;  ///< agent's own numbering, from 1; 0 = unknown module
    std::string path;
    bool framework = false;
    uint32_t runtime = 0;  ///< RuntimeStarted::index
    bool operator==(const ModuleLoaded&) const = default;
};

/// Sent once for an index, as soon as AgentWorker has it; the raw metadata names, in pieces.
struct FunctionNamed {
    uint32_t index = 0;  ///< registry index, from 1
    uint32_t module = 0;
    uint32_t token = 0;
    bool instrumented = false;
    bool trivial = false;  ///< selected, and without probes: part of its callers
    std::string namespace_;
    /// Enclosing types outermost first, '+' between them, generic arguments in C# spelling:
    /// "Outer<int>+<>c__DisplayClass3_0".
    std::string type;
    std::string method;  ///< metadata name: ".ctor", "MoveNext", "<Run>b__1"
    /// "<string, T>" or empty; "<T>.<V>": those of the method around a local function, its own.
    std::string method_args;
    std::string parameters;  ///< "(int, List<string>)", C# spelling, empty if unknown
    /// Parameters of the method a state machine was made from ("(int)"), empty if unknown.
    std::string user_parameters;
    std::string return_type;  ///< "int"; tells conversion operators and init accessors apart
    bool is_static = false;
    uint32_t runtime = 0;        ///< RuntimeStarted::index
    bool runtime_async = false;  ///< a method that the runtime suspends
    bool suspended = false;      ///< ... its code, and each suspension is told
    bool operator==(const FunctionNamed&) const = default;
};

/// The type of a thrown exception, numbered by the agent from 1.
struct TypeNamed {
    uint32_t index = 0;
    std::string name;        ///< "System.InvalidOperationException"
    bool cancelled = false;  ///< an OperationCanceledException
    bool operator==(const TypeNamed&) const = default;
};

/// A type that records of async calls carry (hotpath::tells_of_async()). Sent once an address, soon
/// after it was first met; what is not in a record yet may come before.
struct AsyncTypeNamed {
    uint64_t address = 0;  ///< the MethodTable
    /// Of the box of a state machine: its MoveNext, as hotpath::RegisteredMethod has it; 0: of a
    /// type that is none.
    uint64_t method = 0;
    bool cancelled = false;  ///< OperationCanceledException, or derived from it
    std::string
        name;  ///< "System.Threading.Tasks.Task+DelayPromise"; of a box: its state machine's
    bool operator==(const AsyncTypeNamed&) const = default;
};

/// A constant of an enum, its value extended to 64 bits as the runtime loads it.
struct EnumConstant {
    uint64_t value = 0;
    std::string name;
    bool operator==(const EnumConstant&) const = default;
};

/// A value that is told with each call of a function, or one that was asked for and cannot be.
struct ArgumentNamed {
    /// How the 64 bits of its record are read.
    enum Kind : uint8_t {
        kRefused = 0,    ///< it is never told
        kSigned = 1,     ///< an integer; an enum with constants, extended as it is stored
        kUnsigned = 2,   ///< an integer; a length
        kBoolean = 3,    ///< 0 or not
        kCharacter = 4,  ///< a UTF-16 code unit
        kReal = 5,       ///< the bits of a double
        kText = 6,       ///< comes as text
        kFlags = 7,      ///< as kSigned; an enum whose constants are to be combined
    };
    uint32_t index = 0;     ///< agent's own numbering, from 1; 0: refused
    uint32_t function = 0;  ///< registry index; 0: refused before the method was found
    uint8_t kind = kRefused;
    std::string name;                     ///< as it was asked for: "id", "items.Length", "return"
    std::string type;                     ///< "int", "System.DayOfWeek"
    std::string reason;                   ///< refused: why, "its type is a struct"
    std::vector<EnumConstant> constants;  ///< kMaxEnumConstants at most
    bool operator==(const ArgumentNamed&) const = default;
};

struct ThreadNamed {
    uint32_t os_tid = 0;
    std::string name;
    bool operator==(const ThreadNamed&) const = default;
};

/// A sentence for the collector's console.
struct Notice {
    std::string text;
    bool operator==(const Notice&) const = default;
};

/// A runtime's Shutdown callback came. After that of the last one the process is about to end in
/// order.
struct Shutdown {
    uint64_t process_cpu_ns = 0;  ///< CPU time of the process, all its threads since its start
    uint32_t runtimes_left = 0;   ///< that are profiled and go on
    bool operator==(const Shutdown&) const = default;
};

/// Answer to RemoveHooks: the function has been compiled anew, without hooks. Calls that were
/// running then still tell of their end; all later ones are silent.
struct HooksRemoved {
    uint32_t function = 0;  ///< registry index
    bool operator==(const HooksRemoved&) const = default;
};

/// As many methods are told of that one has been inlined into.
inline constexpr size_t kMostInlinedInto = 8;

/// A function with probes has been inlined: calls there are not told.
struct Inlined {
    uint32_t function = 0;  ///< registry index
    uint32_t into = 0;      ///< registry index of the function around it; 0: code made at run time
    bool operator==(const Inlined&) const = default;
};

/// Of a process that was running already: from now on its calls are timed.
struct CaptureBegan {
    uint32_t methods = 0;  ///< to be compiled anew, with hooks, when they are next called
    bool operator==(const CaptureBegan&) const = default;
};

/// The capture has ended: nothing more is recorded, the hooks are being taken out. The last
/// message.
struct CaptureEnded {
    bool operator==(const CaptureEnded&) const = default;
};

// ---- collector to agent --------------------------------------------------------------------

/// The collector takes the process; what to do follows.
struct Welcome {
    bool framework = false;    ///< whole mode: framework code too
    bool inlining = false;     ///< instrumented methods may be inlined into one another
    bool trivial = false;      ///< methods that are part of their callers are timed, too
    bool drop = false;         ///< a full ring drops instead of waiting
    bool il_probes = false;    ///< probes go into the methods' IL, even if hooks could be had
    bool async_calls = false;  ///< the core library's probes tell what becomes of async calls
    std::vector<std::string> include;  ///< globs on module!Namespace.Type.Method; empty = default
    std::vector<std::string> also;     ///< ... of methods to be timed besides
    std::vector<std::string> exclude;
    std::vector<std::string> arguments;  ///< "pattern(name, name)": values to tell with each call
    std::vector<std::string> slowest;    ///< "pattern=number": whose slowest calls are kept
    std::string runtimes = "all";        ///< of a capture: which take part, as RuntimeChoice has it
    bool operator==(const Welcome&) const = default;
};

/// The collector does not want this process (or not this version); it runs unprofiled.
struct Refuse {
    std::string reason;
    bool operator==(const Refuse&) const = default;
};

/// The probes of these functions cost more than they tell: their hooks are to be taken out, and
/// those of all instantiations of the same methods.
struct RemoveHooks {
    std::vector<uint32_t> functions;  ///< registry indexes, kMaxDeinstrumentedAtOnce at most
    bool operator==(const RemoveHooks&) const = default;
};

// ---- sampling, between an attached agent and `umbra attach` --------------------------------

/// Answer to the Hello of an attached agent (one without a segment): take samples.
struct SampleOrder {
    uint32_t rate_millihertz = 0;     ///< rounds a second, in thousandths
    uint32_t most_suspended_ppm = 0;  ///< of the time, at most, the program may stand still
    bool operator==(const SampleOrder&) const = default;
};

/// Enough: send what is left, detach.
struct SampleStop {
    bool operator==(const SampleStop&) const = default;
};

/// Functions of a StackNode that have no FunctionNamed.
inline constexpr uint32_t kNativeFrames = 0;          ///< a run of native frames
inline constexpr uint32_t kCutFrames = 0xffff'ffffU;  ///< frames beyond the greatest depth kept

struct StackNode {
    uint32_t parent = 0;  ///< node number, smaller than its own; 0: called from outside
    uint32_t function = kNativeFrames;
    bool operator==(const StackNode&) const = default;
};

/// Stacks not seen before, as nodes of one tree; numbered from 1 in the order they are sent.
struct StackNodes {
    std::vector<StackNode> nodes;  ///< kMaxRowsAtOnce at most
    bool operator==(const StackNodes&) const = default;
};

/// One thread at the moment of a round.
struct ThreadSample {
    uint32_t os_tid = 0;
    uint32_t node = 0;     ///< where it was; 0: in no managed code
    uint64_t wall_ns = 0;  ///< since the round before
    uint64_t cpu_ns = 0;   ///< on a processor and not told before; 0 unless it was running
    bool operator==(const ThreadSample&) const = default;
};

/// All threads at one moment. A round of many threads comes in pieces: all but the first have
/// `continued` set, and only `samples` tells something.
struct SampleRound {
    bool continued = false;
    uint64_t time_ns = 0;               ///< since the sampling began
    uint64_t suspended_ns = 0;          ///< how long the program stood still for it
    uint64_t process_cpu_ns = 0;        ///< of the whole process since then, without the sampler
    uint64_t sampler_cpu_ns = 0;        ///< the sampler's own
    uint64_t unattributed_cpu_ns = 0;   ///< of managed threads, not (yet) in any sample
    std::vector<ThreadSample> samples;  ///< kMaxRowsAtOnce at most
    bool operator==(const SampleRound&) const = default;
};

/// The last message of an attached agent: it detaches, or cannot.
struct SamplingEnded {
    uint32_t detach_status = 0;  ///< HRESULT; 0: the connection closes when it has detached
    uint64_t lost_nodes = 0;     ///< stacks shortened because the table was full
    uint64_t missed_rounds = 0;  ///< the runtime would not stop its threads
    bool operator==(const SamplingEnded&) const = default;
};

/// Ends the capture; CaptureEnded is the answer.
struct EndCapture {
    bool operator==(const EndCapture&) const = default;
};

// ---- to and from the socket an agent listens on (agent_socket.h) -----------------------------

/// What a client wants of the agent in a running process. The first message of its connection.
struct Ask {
    enum What : uint8_t {
        kStatus = 0,  ///< AgentState is the answer
        kRecord = 1,  ///< the connection becomes a collector's: Hello is the answer
        kStop = 2,    ///< ends the capture of another client; AgentState is the answer
        kDetach = 3,  ///< leave the process; AgentState is the answer
    };
    uint64_t magic = kMagic;
    uint32_t version = kProtocolVersion;
    uint8_t what = kStatus;
    bool operator==(const Ask&) const = default;
};

struct AgentState {
    enum State : uint8_t {
        kDormant = 0,    ///< loaded, does nothing
        kRecording = 1,  ///< a capture goes on
        kSampling = 2,   ///< attached
        kDetaching = 3,
    };
    uint8_t state = kDormant;
    uint32_t version = kProtocolVersion;
    uint32_t collector_pid = 0;  ///< who records; 0: nobody, or a process not to be seen from here
    std::string text;            ///< a sentence for the user, may be empty
    bool operator==(const AgentState&) const = default;
};

/// Answer to the Hello of an attached agent that is to stay: listen, and wait to be asked for a
/// recording. AgentState is the answer, or a Notice that says why not.
struct Remain {
    bool operator==(const Remain&) const = default;
};

// ---- between an umbra that records and one that watches (live_messages.h) --------------------

/// The first and only message of a watcher.
struct Watch {
    uint64_t magic = kMagic;
    uint32_t version = kProtocolVersion;
    /// Whose LiveFigures are wanted, until its recording ends; 0: Recorder is the answer. Refuse is
    /// the answer where there are none.
    uint32_t pid = 0;
    bool operator==(const Watch&) const = default;
};

using Message = std::variant<Hello, ModuleLoaded, FunctionNamed, TypeNamed, ThreadNamed, Notice,
                             Shutdown, Welcome, Refuse, HooksRemoved, RemoveHooks, SampleOrder,
                             SampleStop, StackNodes, SampleRound, SamplingEnded, CaptureBegan,
                             CaptureEnded, EndCapture, Ask, AgentState, Remain, ArgumentNamed,
                             RuntimeStarted, Watch, Recorder, LiveFigures, Inlined, AsyncTypeNamed>;

// ---- who may say what ------------------------------------------------------------------------
//
// A connection carries one conversation. Whoever receives narrows what has come to the part of it
// that is the other side's, and visits that with a handler for each message: one without a handler
// does not compile, one that has no place in the conversation ends the connection.

/// Answer to Hello: of a collector, of `umbra attach`, of an `umbra start` that brings the agent.
using HelloAnswer = std::variant<Welcome, SampleOrder, Remain, Refuse>;
/// What a recording knows of the process beside its events.
using ProcessFact = std::variant<RuntimeStarted, ModuleLoaded, FunctionNamed, TypeNamed,
                                 ArgumentNamed, ThreadNamed, HooksRemoved, Inlined, AsyncTypeNamed>;
/// Agent to collector, behind Hello.
using RecordingReport = std::variant<RuntimeStarted, ModuleLoaded, FunctionNamed, TypeNamed,
                                     ArgumentNamed, ThreadNamed, HooksRemoved, Inlined,
                                     AsyncTypeNamed, Notice, Shutdown, CaptureBegan, CaptureEnded>;
/// Collector to agent, behind Welcome.
using RecordingOrder = std::variant<RemoveHooks, EndCapture>;
/// Agent to `umbra attach`, behind Hello; Notice comes in place of it.
using SamplingReport = std::variant<ModuleLoaded, FunctionNamed, ThreadNamed, StackNodes,
                                    SampleRound, SamplingEnded, Shutdown>;
/// An umbra that records to one that watches.
using WatchAnswer = std::variant<Recorder, LiveFigures, Refuse>;

/// One of the alternatives of a variant.
template <typename M, typename Part>
concept PartOf = std::is_constructible_v<Part, std::in_place_type_t<M>>;

/// The message as one of `Part`; nothing if it is none of these.
template <typename Part>
[[nodiscard]] std::optional<Part> narrow(Message message) {
    return std::visit(
        []<typename M>(M& kind) -> std::optional<Part> {
            if constexpr (PartOf<M, Part>) {
                return Part(std::move(kind));
            } else {
                return std::nullopt;
            }
        },
        message);
}

/// A visitor made of lambdas.
template <typename... Handler>
struct Handlers : Handler... {
    using Handler::operator()...;
};
template <typename... Handler>
Handlers(Handler...) -> Handlers<Handler...>;

/// One framed message: uint32 payload length, uint16 type, uint16 0, payload. Integers are little
/// endian, a bool is one byte, a string is a uint32 length and its bytes, a list a uint32 count and
/// its elements. Only a Welcome can exceed kMaxMessageBytes, with more patterns than fit: whoever
/// takes them from a user checks the size of the frame.
[[nodiscard]] std::string encode(const Message& message);

inline constexpr size_t kFrameHeaderBytes = 8;

/// Takes whole messages off a byte stream. Any bytes are allowed in: nonsense answers kBroken. Call
/// next() until it answers kNeedMore before the next append(): then what is held is less than one
/// message and the bytes of one append(). Strings come out as printable_utf8() makes them. A Hello,
/// Ask or Watch of another protocol version comes with magic and version alone.
class Decoder {
  public:
    enum class Outcome { kMessage, kNeedMore, kBroken };

    void append(std::span<const std::byte> bytes);
    /// Fills `out` when it answers kMessage. After kBroken the stream cannot be used any more.
    Outcome next(Message& out);
    /// Length of the message next() gave last, as it came.
    [[nodiscard]] size_t message_bytes() const { return message_bytes_; }

  private:
    std::string buffer_;
    size_t consumed_ = 0;
    size_t message_bytes_ = 0;
    bool broken_ = false;
};

}  // namespace umbra::protocol
