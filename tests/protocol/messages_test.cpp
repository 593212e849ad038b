// SPDX-License-Identifier: MIT
// Tests of the control messages: what goes in comes out, and no bytes do harm.

#include "src/protocol/messages.h"

#include <random>

#include <gtest/gtest.h>

namespace umbra::protocol {
namespace {

void feed(Decoder& decoder, std::string_view bytes) {
    decoder.append(std::as_bytes(std::span(bytes.data(), bytes.size())));
}

/// Every type once, every field different from its default.
std::vector<Message> one_of_each() {
    return {
        Hello{.magic = kMagic,
              .version = kProtocolVersion,
              .tool_version = "0.1.0",
              .pid = 4711,
              .runtime = ".NET 10.0.12",
              .command_line = "dotnet app.dll --fast",
              .segment_bytes = 0x1234'5678'9abc,
              .running = true,
              .il_probes = true,
              .runtimes = {".NET 10.0.12", ""}},
        ModuleLoaded{.index = 3, .path = "/app/\xc3\xa4pp.dll", .framework = true, .runtime = 2},
        FunctionNamed{.index = 7,
                      .module = 3,
                      .token = 0x0600'0001,
                      .instrumented = true,
                      .namespace_ = "Acme",
                      .type = "Cart<int>+<AddAsync>d__3",
                      .method = "MoveNext",
                      .method_args = "<string>",
                      .parameters = "()",
                      .user_parameters = "(Item)",
                      .return_type = "void",
                      .is_static = true,
                      .runtime = 2},
        TypeNamed{.index = 2, .name = "System.InvalidOperationException"},
        ThreadNamed{.os_tid = 99, .name = "worker"},
        Notice{.text = "a sentence"},
        Shutdown{.process_cpu_ns = 1'000'000'007, .runtimes_left = 1},
        Welcome{.framework = true,
                .inlining = true,
                .trivial = true,
                .drop = true,
                .async_calls = true,
                .include = {"app!Acme.*", ""},
                .also = {"System.Threading.Monitor.*"},
                .exclude = {"*!*.Noise"},
                .arguments = {"Acme.Orders.Load(id, return)", ""},
                .slowest = {"Acme.Orders.Handle=20", ""},
                .runtimes = "one:2"},
        Refuse{.reason = "version 2 wanted"},
        HooksRemoved{.function = 12},
        Inlined{.function = 12, .into = 13},
        AsyncTypeNamed{.address = 0x7f0012345678,
                       .method = 0x5'0600'000e,
                       .cancelled = true,
                       .name = "System.Threading.Tasks.Task+DelayPromise"},
        RemoveHooks{.functions = {7, 0, 0xffff'ffff}},
        SampleOrder{.rate_millihertz = 100'000, .most_suspended_ppm = 10'000},
        SampleStop{},
        StackNodes{.nodes = {{0, 3}, {1, kNativeFrames}, {2, kCutFrames}}},
        SampleRound{.continued = true,
                    .time_ns = 1'000'000'007,
                    .suspended_ns = 14'000,
                    .process_cpu_ns = 5,
                    .sampler_cpu_ns = 6,
                    .unattributed_cpu_ns = 7,
                    .samples = {{.os_tid = 4711, .node = 2, .wall_ns = 10, .cpu_ns = 9}, {}}},
        SamplingEnded{.detach_status = 0x8013'1370, .lost_nodes = 1, .missed_rounds = 2},
        CaptureBegan{.methods = 41},
        CaptureEnded{},
        EndCapture{},
        Ask{.what = Ask::kStop},
        AgentState{.state = AgentState::kRecording, .collector_pid = 77, .text = "since noon"},
        Remain{},
        ArgumentNamed{
            .index = 3,
            .function = 7,
            .kind = ArgumentNamed::kSigned,
            .name = "day",
            .type = "System.DayOfWeek",
            .reason = "its type is a struct",
            .constants = {{.value = 0xffff'ffff'ffff'ffff, .name = "None"}, {1, "Monday"}}},
        RuntimeStarted{.index = 2, .version = ".NET 9.0.18"},
        Watch{.pid = 4711},
        Recorder{.pid = 4800, .command = "umbra start", .processes = {{4711, "shop.dll"}, {}}},
        LiveFigures{.pid = 4711,
                    .program = "shop.dll",
                    .runtime = ".NET 10.0.12",
                    .ended = "exit 0",
                    .kind = LiveFigures::kSamples,
                    .has_cpu = true,
                    .has_total = true,
                    .time_ns = 1,
                    .window_ns = 2,
                    .events = 3,
                    .recent_events = 4,
                    .calls = 5,
                    .recent_calls = 6,
                    .self_ns = 7,
                    .cpu_ns = 8,
                    .recent_busy_ns = 9,
                    .probe_ns = 10,
                    .waits = 11,
                    .wait_ns = 12,
                    .lost_ring_full = 13,
                    .lost_no_thread_slot = 14,
                    .lost_depth = 15,
                    .lost_nodes = 16,
                    .lost_decode_errors = 17,
                    .threads = 18,
                    .functions = 19,
                    .rows = {{"Acme.Cart.Add(Item)", "shop.dll", 1, 2, 3, 4, 5, 6, true}, {}}},
    };
}

TEST(Messages, EveryTypeComesBackAsItWasSent) {
    Decoder decoder;
    ASSERT_EQ(one_of_each().size(), std::variant_size_v<Message>);
    for (const Message& sent : one_of_each()) {
        feed(decoder, encode(sent));
        Message received = Notice{"not touched"};
        ASSERT_EQ(decoder.next(received), Decoder::Outcome::kMessage) << sent.index();
        EXPECT_EQ(received, sent) << sent.index();
        EXPECT_EQ(decoder.next(received), Decoder::Outcome::kNeedMore);
    }
}

TEST(Messages, DefaultsComeBackOverFilledValues) {
    Decoder decoder;
    feed(decoder, encode(FunctionNamed{}));
    Message received = one_of_each()[2];
    ASSERT_EQ(decoder.next(received), Decoder::Outcome::kMessage);
    EXPECT_EQ(received, Message(FunctionNamed{}));
}

TEST(Messages, ArriveByteByByteAndAllAtOnce) {
    std::string stream;
    for (const Message& message : one_of_each()) {
        stream += encode(message);
    }
    Decoder slow;
    Decoder fast;
    feed(fast, stream);
    std::vector<Message> from_slow;
    std::vector<Message> from_fast;
    Message message;
    for (const char byte : stream) {
        feed(slow, std::string_view(&byte, 1));
        while (slow.next(message) == Decoder::Outcome::kMessage) {
            from_slow.push_back(message);
        }
    }
    while (fast.next(message) == Decoder::Outcome::kMessage) {
        from_fast.push_back(message);
    }
    EXPECT_EQ(from_slow, one_of_each());
    EXPECT_EQ(from_fast, one_of_each());
}

TEST(Messages, HeaderIsLengthTypeZeroInLittleEndian) {
    const std::string frame = encode(ThreadNamed{.os_tid = 0x01020304, .name = "ab"});
    EXPECT_EQ(frame, std::string("\x0a\0\0\0\x05\0\0\0\x04\x03\x02\x01\x02\0\0\0ab", 18));
}

TEST(Messages, PayloadCutShortIsBroken) {
    for (const Message& message : one_of_each()) {
        const std::string frame = encode(message);
        for (size_t keep = 0; keep + kFrameHeaderBytes < frame.size(); ++keep) {
            std::string cut = frame.substr(0, kFrameHeaderBytes + keep);
            cut[0] = static_cast<char>(keep & 0xff);
            cut[1] = static_cast<char>(keep >> 8);
            Decoder decoder;
            feed(decoder, cut);
            Message out;
            EXPECT_EQ(decoder.next(out), Decoder::Outcome::kBroken)
                << message.index() << ' ' << keep;
        }
    }
}

TEST(Messages, BytesBehindTheLastFieldAreBroken) {
    std::string frame = encode(Notice{"x"});
    frame[0] = static_cast<char>(frame[0] + 1);
    frame += 'y';
    Decoder decoder;
    feed(decoder, frame);
    Message out;
    EXPECT_EQ(decoder.next(out), Decoder::Outcome::kBroken);
}

TEST(Messages, OversizedOrUnknownFramesAreBrokenAtTheHeader) {
    const std::vector<std::string> headers = {
        std::string("\x01\x00\x10\x00\x06\0\0\0", 8),  // one byte over kMaxMessageBytes
        std::string("\xff\xff\xff\xff\x06\0\0\0", 8), std::string("\0\0\0\0\0\0\0\0", 8),
        std::string("\0\0\0\0\x7f\0\0\0", 8), std::string("\0\0\0\0\x07\0\x01\0", 8)};
    for (const std::string& header : headers) {
        Decoder decoder;
        feed(decoder, header);
        Message out;
        EXPECT_EQ(decoder.next(out), Decoder::Outcome::kBroken);
    }
}

TEST(Messages, BrokenStreamStaysBroken) {
    Decoder decoder;
    feed(decoder, std::string(64, '\xff'));
    Message out;
    ASSERT_EQ(decoder.next(out), Decoder::Outcome::kBroken);
    feed(decoder, encode(Shutdown{}));
    EXPECT_EQ(decoder.next(out), Decoder::Outcome::kBroken);
}

TEST(Messages, ForeignMagicIsBrokenButAnotherVersionCanBeRefused) {
    Hello hello = std::get<Hello>(one_of_each()[0]);
    hello.version = kProtocolVersion + 1;
    std::string frame = encode(hello);
    frame[0] = static_cast<char>(frame[0] + 3);  // a later version has fields we do not know
    frame += "new";
    Decoder decoder;
    feed(decoder, frame);
    Message out;
    ASSERT_EQ(decoder.next(out), Decoder::Outcome::kMessage);
    EXPECT_EQ(std::get<Hello>(out).version, kProtocolVersion + 1);

    hello.magic += 1;
    feed(decoder, encode(hello));
    EXPECT_EQ(decoder.next(out), Decoder::Outcome::kBroken);
}

TEST(Messages, LongStringsAreCutSoThatAMessageAlwaysFits) {
    const std::string huge(size_t{3} * kMaxMessageBytes, 'a');
    const std::string frame = encode(FunctionNamed{.namespace_ = huge,
                                                   .type = huge,
                                                   .method = huge,
                                                   .method_args = huge,
                                                   .parameters = huge,
                                                   .user_parameters = huge,
                                                   .return_type = huge});
    Decoder decoder;
    feed(decoder, frame);
    Message out;
    ASSERT_EQ(decoder.next(out), Decoder::Outcome::kMessage);
    EXPECT_EQ(std::get<FunctionNamed>(out).return_type, std::string(kMaxStringBytes, 'a'));
}

TEST(Messages, ALimitNamesNoMoreFunctionsThanFit) {
    std::vector<uint32_t> many(kMaxDeinstrumentedAtOnce + 1, 5);
    const std::string frame = encode(RemoveHooks{many});
    Decoder decoder;
    feed(decoder, frame);
    Message out;
    ASSERT_EQ(decoder.next(out), Decoder::Outcome::kMessage);
    EXPECT_EQ(std::get<RemoveHooks>(out).functions,
              std::vector<uint32_t>(kMaxDeinstrumentedAtOnce, 5));

    // One more than allowed, with a payload that holds them all.
    std::string longer = frame + std::string("\5\0\0\0", 4);
    longer[0] = static_cast<char>(longer[0] + 4);
    longer[kFrameHeaderBytes] = static_cast<char>(longer[kFrameHeaderBytes] + 1);
    feed(decoder, longer);
    EXPECT_EQ(decoder.next(out), Decoder::Outcome::kBroken);
}

TEST(Messages, AMessageHasNoMoreRowsThanFit) {
    StackNodes sent;
    sent.nodes.resize(kMaxRowsAtOnce + 1);
    const std::string frame = encode(sent);
    EXPECT_LE(frame.size(), kFrameHeaderBytes + kMaxMessageBytes);
    Decoder decoder;
    feed(decoder, frame);
    Message out;
    ASSERT_EQ(decoder.next(out), Decoder::Outcome::kMessage);
    EXPECT_EQ(std::get<StackNodes>(out).nodes.size(), kMaxRowsAtOnce);

    SampleRound round;
    round.samples.resize(kMaxRowsAtOnce);
    EXPECT_LE(encode(round).size(), kFrameHeaderBytes + kMaxMessageBytes);
}

TEST(Messages, ACountOfRowsBeyondThePayloadIsBroken) {
    std::string frame = encode(StackNodes{.nodes = {{0, 1}}});
    frame[kFrameHeaderBytes] = 2;
    Decoder decoder;
    feed(decoder, frame);
    Message out;
    EXPECT_EQ(decoder.next(out), Decoder::Outcome::kBroken);
}

TEST(Messages, StringsComeOutPrintable) {
    Decoder decoder;
    feed(decoder, encode(Notice{"a\x1b[2J\xff\xc3"}));
    Message out;
    ASSERT_EQ(decoder.next(out), Decoder::Outcome::kMessage);
    EXPECT_EQ(std::get<Notice>(out).text, "a\\u001b[2J\xef\xbf\xbd\xef\xbf\xbd");
}

TEST(Messages, RandomBytesNeverDoMoreThanBreakTheStream) {
    std::mt19937 random(20240229);
    const std::vector<Message> messages = one_of_each();
    size_t broken = 0;
    size_t decoded = 0;
    for (int round = 0; round < 50'000; ++round) {
        std::string stream = encode(messages[random() % messages.size()]);
        for (uint32_t flips = random() % 4; flips > 0; --flips) {
            stream[random() % stream.size()] = static_cast<char>(random());
        }
        if (random() % 8 == 0) {
            stream.resize(random() % stream.size());
        }
        Decoder decoder;
        feed(decoder, stream);
        Message out;
        switch (decoder.next(out)) {
            case Decoder::Outcome::kMessage:
                ++decoded;
                break;
            case Decoder::Outcome::kBroken:
                ++broken;
                break;
            case Decoder::Outcome::kNeedMore:
                break;
        }
    }
    EXPECT_GT(decoded, 1'000U);
    EXPECT_GT(broken, 1'000U);
}

TEST(Messages, SayHowLongTheyWere) {
    const std::string first = encode(ThreadNamed{1, "a thread"});
    const std::string second = encode(HooksRemoved{2});
    Decoder decoder;
    feed(decoder, first + second);
    Message out;
    ASSERT_EQ(decoder.next(out), Decoder::Outcome::kMessage);
    EXPECT_EQ(decoder.message_bytes(), first.size());
    ASSERT_EQ(decoder.next(out), Decoder::Outcome::kMessage);
    EXPECT_EQ(decoder.message_bytes(), second.size());
}

TEST(Messages, AreNarrowedToTheirConversationOnly) {
    const std::optional<RecordingOrder> limit = narrow<RecordingOrder>(RemoveHooks{{7}});
    ASSERT_TRUE(limit);
    EXPECT_EQ(std::get<RemoveHooks>(*limit).functions, std::vector<uint32_t>{7});
    EXPECT_FALSE(narrow<RecordingOrder>(Shutdown{}));
    EXPECT_FALSE(narrow<RecordingReport>(RemoveHooks{}));
    EXPECT_FALSE(narrow<SamplingReport>(TypeNamed{}));
    EXPECT_FALSE(narrow<HelloAnswer>(Hello{}));
    EXPECT_TRUE(narrow<ProcessFact>(ArgumentNamed{}));
    EXPECT_TRUE(narrow<RecordingReport>(ArgumentNamed{}));
    EXPECT_FALSE(narrow<SamplingReport>(ArgumentNamed{}));
    EXPECT_TRUE(narrow<WatchAnswer>(LiveFigures{}));
    EXPECT_FALSE(narrow<WatchAnswer>(Watch{}));
    EXPECT_FALSE(narrow<RecordingReport>(LiveFigures{}));
}

TEST(Messages, TheLargestFiguresFit) {
    LiveFigures figures;
    figures.program = figures.runtime = figures.ended = std::string(kMaxStringBytes, 'p');
    figures.rows.assign(2 * kMaxLiveRows, {.name = std::string(kMaxLiveNameBytes, 'n'),
                                           .module = std::string(kMaxLiveModuleBytes, 'm')});
    Recorder recorder{.pid = 1, .command = "umbra run", .processes = {}};
    recorder.processes.assign(2 * kMaxRecordedProcesses,
                              {7, std::string(kMaxRecordedNameBytes, 'p')});
    for (const Message& message : {Message(figures), Message(recorder)}) {
        const std::string bytes = encode(message);
        EXPECT_LE(bytes.size(), kMaxMessageBytes);
        Decoder decoder;
        feed(decoder, bytes);
        Message got;
        EXPECT_EQ(decoder.next(got), Decoder::Outcome::kMessage);
    }
}

TEST(Messages, OfAnEnumSoManyConstantsAreToldAndNoMoreTaken) {
    ArgumentNamed named;
    named.constants.assign(kMaxEnumConstants + 1, {.value = 1, .name = "x"});
    std::string frame = encode(named);
    Decoder decoder;
    feed(decoder, frame);
    Message out;
    ASSERT_EQ(decoder.next(out), Decoder::Outcome::kMessage);
    EXPECT_EQ(std::get<ArgumentNamed>(out).constants.size(), kMaxEnumConstants);
    // Another count in front of as many constants and one more.
    const size_t count_at = frame.size() - kMaxEnumConstants * 13 - 4;
    frame += frame.substr(frame.size() - 13);
    ++frame[count_at];
    frame[0] = static_cast<char>(frame[0] + 13);
    Decoder other;
    feed(other, frame);
    EXPECT_EQ(other.next(out), Decoder::Outcome::kBroken);
}

}  // namespace
}  // namespace umbra::protocol
