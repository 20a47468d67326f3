// Readers that a file has taken over, in the real confinement: each ends as a refusal, and the next file is read.
#include "daemon/parse/parser_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <thread>

#include "daemon/parse/confinement.h"
#include "daemon/parse/flat_model.h"
#include "daemon/parse/flat_toml.h"
#include "daemon/parse/isolated_parsers.h"
#include "drivers/frame/frame_error.h"
#include "tests/drivers/sensor/tiny_files.h"
#include "tests/fresh_folder.h"

namespace datum {
namespace {

using namespace datum::testing;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

constexpr std::uint64_t mib = std::uint64_t{1} << 20;
constexpr std::uint64_t most_pixels = 1'000'000;

class ParserClientTest : public ::testing::Test {
 protected:
  ParserClientTest() {
    write_png<std::uint16_t>(folder.path() / "a.png", 2, 3, {1, 2, 3, 4, 5, 65535});
    good = read_file(folder.path() / "a.png");
  }

  /// Timeout far beyond what these files take on a busy machine, but for what hangs.
  ParserClientSettings settings(std::chrono::milliseconds timeout = 60s) {
    ParserClientSettings s;
    s.program = DATUM_TEST_PARSE_PROGRAM;
    s.memory_bytes = 512 * mib;
    s.result_bytes = 32 * mib;
    s.timeout = s.cpu_timeout = timeout;
    s.on_end = [this](const ParseOrder& order, const ByteParts& parts, const std::string& why) {
      ends.push_back(text_in(order.name) + " " + why);
      ended_over.emplace_back(parts[0].begin(), parts[0].end());
    };
    return s;
  }

  std::string refusal(
      ParserClient& link, const std::string& name, const FrameParser::Meanwhile& meanwhile = [] {}) {
    try {
      IsolatedFrames(link).image(bytes_of(good), name, most_pixels, meanwhile);
    } catch (const FrameError& error) {
      return error.what();
    }
    return "accepted";
  }

  void expect_good(ParserClient& link) {
    const Raster raster = IsolatedFrames(link).image(bytes_of(good), "a.png", most_pixels, [] {});
    EXPECT_EQ(raster.rows, 2);
    EXPECT_EQ(raster.cols, 3);
    EXPECT_THAT(std::get<std::vector<std::uint16_t>>(raster.samples),
                ::testing::ElementsAre(1, 2, 3, 4, 5, 65535));
  }

  /// Until it has begun with its order: it used no processor time while it waited.
  static void wait_until_it_works(pid_t pid) {
    clockid_t clock{};
    ASSERT_EQ(::clock_getcpuclockid(pid, &clock), 0);
    const auto used_ns = [clock] {
      timespec used{};
      ::clock_gettime(clock, &used);
      return used.tv_sec * 1'000'000'000 + used.tv_nsec;
    };
    constexpr long more_than_it_takes_to_take_it = 50'000'000;
    const long before = used_ns();
    while (used_ns() < before + more_than_it_takes_to_take_it) std::this_thread::yield();
  }
  /// Until it is stopped, so that it takes no order.
  static void stop(pid_t pid) {
    ::kill(pid, SIGSTOP);
    siginfo_t stopped{};
    ::waitid(P_PID, static_cast<id_t>(pid), &stopped, WSTOPPED | WNOWAIT);
  }

  FreshFolder folder;
  std::string good;
  std::vector<std::string> ends;
  std::vector<std::vector<std::uint8_t>> ended_over;
};

struct Harm {
  const char* name;
  const char* end;       // in words
  bool needs_confining;  // else it is done and nobody minds
};

const Harm all_harm[] = {
    {"segfault", "signal 11", false},
    {"abort", "signal 6", false},
    {"recursion", "signal 11", false},
    {"throw", "signal 6", false},
    {"exit", "ended with status 3", false},
    {"flood", "signal 25", true},
    {"open", "SIGSYS", true},
    {"socket", "SIGSYS", true},
    {"connect", "SIGSYS", true},
    {"fork", "SIGSYS", true},
    {"execve", "SIGSYS", true},
    {"code", "SIGSYS", true},
    {"kill", "SIGSYS", true},
    {"ptrace", "SIGSYS", true},
    {"limits", "SIGSYS", true},
    {"negative", "nonsense: -1 rows", false},
    {"large", "nonsense: 1048576 rows", false},
    {"kind", "nonsense: samples of kind 9", false},
    {"short", "nonsense: an array of 7 bytes", false},
    {"twice", "nonsense: an array of 5 bytes", false},
    {"silent", "nonsense: it ends too early", false},
};

TEST_F(ParserClientTest, WhateverAReaderIsMadeToDoIsARefusalAndTheNextFileIsRead) {
  ParserClient link(settings());
  EXPECT_EQ(link.start(), can_confine());
  std::size_t ended = 0;
  for (const Harm& harm : all_harm) {
    if (harm.needs_confining && !can_confine()) continue;
    const std::string name = std::string("harm-") + harm.name + ".png";
    const pid_t before = link.pid();
    EXPECT_THAT(refusal(link, name),
                HasSubstr(name + ": datumd-parse, which reads it apart from the rest, did "
                                 "not survive it"))
        << harm.name;
    ASSERT_EQ(ends.size(), ++ended) << harm.name;
    // A sanitizer exits where a signal would end it.
    EXPECT_THAT(ends.back(), HasSubstr(can_confine() ? harm.end : "")) << harm.name;
    EXPECT_EQ(std::string(ended_over.back().begin(), ended_over.back().end()), good) << "the sample";
    expect_good(link);
    EXPECT_NE(link.pid(), before) << harm.name;
  }
  EXPECT_EQ(ends.size(), ended);
}

TEST_F(ParserClientTest, TheNextFileIsReadByTheProcessThatStoodBy) {
  ParserClient link(settings());
  link.start();
  for (int i = 0; i < 3; ++i) {
    const pid_t spare = link.spare_pid();
    EXPECT_THAT(refusal(link, "harm-segfault.png"),
                HasSubstr(can_confine() ? "signal 11" : "did not survive it"));
    EXPECT_EQ(link.pid(), spare) << "before the next file comes";
    EXPECT_NE(link.spare_pid(), spare);
    expect_good(link);
    EXPECT_EQ(link.pid(), spare);
  }
}

/// With or without the active process.
TEST_F(ParserClientTest, ASpareProcessThatIsKilledIsNoFilesFault) {
  ParserClient link(settings());
  link.start();
  for (const bool both : {false, true, true}) {
    const std::vector<pid_t> killed =
        both ? std::vector{link.pid(), link.spare_pid()} : std::vector{link.spare_pid()};
    for (const pid_t pid : killed) {
      ::kill(pid, SIGKILL);
      siginfo_t end{};
      ::waitid(P_PID, static_cast<id_t>(pid), &end, WEXITED | WNOWAIT);
    }
    expect_good(link);
    EXPECT_THAT(refusal(link, "harm-segfault.png"),
                HasSubstr(can_confine() ? "signal 11" : "did not survive it"));
    expect_good(link);
  }
  EXPECT_EQ(ends.size(), 3u) << "over the files that ended it";
}

/// The active process, or both, end with the order in their socket.
TEST_F(ParserClientTest, AProcessThatEndsBeforeItTakesItsOrderIsNoFilesFault) {
  ParserClient link(settings());
  link.start();
  for (const bool both : {false, true}) {
    std::vector<pid_t> killed{link.pid()};
    if (both) killed.push_back(link.spare_pid());
    for (const pid_t pid : killed) stop(pid);
    int looks = 0;
    const Raster raster = IsolatedFrames(link).image(bytes_of(good), "a.png", most_pixels, [&] {
      ++looks;
      for (const pid_t pid : killed) ::kill(pid, SIGKILL);
    });
    EXPECT_EQ(raster.rows, 2);
    EXPECT_EQ(looks, 1) << "the bytes are examined once";
    expect_good(link);
  }
  EXPECT_THAT(ends, ::testing::IsEmpty());
}

TEST_F(ParserClientTest, WhatIsFoundMeanwhileHoldsForTheNextProcessToo) {
  ParserClient link(settings());
  link.start();
  const pid_t pid = link.pid();
  stop(pid);
  EXPECT_EQ(refusal(link, "a.png",
                    [&] {
                      ::kill(pid, SIGKILL);
                      throw FrameError("another file");
                    }),
            "another file");
  EXPECT_THAT(ends, ::testing::IsEmpty());
}

TEST_F(ParserClientTest, AFileThatEndsItsReaderAndDeniesItIsRefusedAndKept) {
  ParserClient link(settings());
  link.start();
  EXPECT_THAT(refusal(link, "harm-unmark.png"),
              HasSubstr(can_confine() ? "signal 11" : "did not survive it"));
  EXPECT_EQ(ends.size(), 1u);
  expect_good(link);
}

TEST_F(ParserClientTest, WhatHangsIsEndedAtItsDeadline) {
  ParserClient link(settings(200ms));
  link.start();
  EXPECT_THAT(refusal(link, "harm-hang.png"), HasSubstr("it gave no answer within 201 ms"));
  EXPECT_EQ(ends.size(), 1u);
  ParserClient patient(settings());
  expect_good(patient);
}

TEST_F(ParserClientTest, WhatLoopsIsEndedWhenItsProcessorTimeIsOver) {
  ParserClientSettings s = settings();  // a minute of timeout
  s.cpu_timeout = 300ms;
  ParserClient link(s);
  link.start();
  EXPECT_THAT(refusal(link, "harm-hang.png"), HasSubstr("it gave no answer within 301 ms of processor time"));
  EXPECT_EQ(ends.size(), 1u);
  expect_good(link);
}

TEST_F(ParserClientTest, AMemoryBombMeetsTheLimitAndIsRefused) {
  if (!can_confine()) GTEST_SKIP() << "this build has no limits";
  ParserClient link(settings());
  link.start();
  const pid_t before = link.pid();
  EXPECT_EQ(refusal(link, "harm-memory.png"), "needs more memory to be read than it may take");
  expect_good(link);
  EXPECT_EQ(link.pid(), before) << "it gave the memory back";
}

TEST_F(ParserClientTest, ASignalInTheMiddleOfAFileIsARefusal) {
  ParserClient link(settings());
  link.start();
  for (const int signal : {SIGKILL, SIGTERM}) {
    const pid_t pid = link.pid();
    EXPECT_THAT(refusal(link, "harm-hang.png",
                        [&] {
                          wait_until_it_works(pid);
                          ::kill(pid, signal);
                        }),
                HasSubstr("was ended by signal " + std::to_string(signal)));
    expect_good(link);
  }
}

TEST_F(ParserClientTest, WhatIsFoundMeanwhileGoesBeforeWhatTheReaderFinds) {
  ParserClient link(settings());
  EXPECT_EQ(refusal(link, "a.jpg", [] { throw FrameError("another file"); }), "another file");
  EXPECT_EQ(refusal(link, "a.jpg"), "a.jpg: a sidecar's images are .tif, .tiff or .png");
  expect_good(link);
  EXPECT_TRUE(ends.empty());
}

TEST_F(ParserClientTest, AProgramThatIsNotThereOrOfAnotherKindIsToldAtTheStart) {
  ParserClientSettings s = settings();
  const auto why = [&](const std::string& program) {
    s.program = program;
    try {
      ParserClient(s).start();
    } catch (const ParserEnded& error) {
      return std::string(error.what());
    }
    return std::string("started");
  };
  EXPECT_THAT(why("/nowhere/datumd-parse"), HasSubstr("/nowhere/datumd-parse does not start: No such file"));
  EXPECT_THAT(why("/bin/true"), HasSubstr("/bin/true ended with status 0"));
  const auto unconfined = folder.write("unconfined", "#!/bin/sh\nexit 71\n");
  std::filesystem::permissions(unconfined, std::filesystem::perms::owner_all);
  EXPECT_THAT(why(unconfined), HasSubstr("ended with status 71 (the kernel does not confine it"));
  EXPECT_THAT(why(unconfined), HasSubstr("CONFIG_SECCOMP_FILTER"));
  ParserClient link(s);
  EXPECT_THAT(refusal(link, "a.png"), HasSubstr("a.png: it can't be read apart from the rest: "));
  EXPECT_TRUE(ends.empty()) << "no input did it";
}

// What a process that was taken over might answer: each is refused before anything is made of it.
TEST(ParseFlat, AHostileAnswerIsRefused) {
  ParseBlock block = ParseBlock::create("test");
  const std::vector<std::uint8_t> bytes(64);
  block.write(parse_output_at, bytes.data(), bytes.size());
  ParseAnswer answer;
  answer.head_bytes = 8;
  const ParsedOutput out(answer, {}, block);
  EXPECT_THROW(out.array<double>(0, 1), FlatError) << "0 bytes";
  answer.array_bytes[0] = 64;  // ends 8 bytes beyond the block
  EXPECT_THROW(out.array<double>(0, 8), FlatError);
  answer.array_bytes[0] = 56;
  EXPECT_EQ(out.array<double>(0, 7).size(), 7u);
  answer.array_bytes[0] = 57;
  EXPECT_THROW(out.array<double>(0, 7), FlatError);

  FlatWriter deep;
  for (int i = 0; i < 100'000; ++i) {
    deep.put(static_cast<std::uint8_t>(5));  // an array of one
    deep.put(0);
    deep.put(0);
    deep.put(std::uint32_t{1});
  }
  FlatReader reader(deep.bytes());
  EXPECT_THROW(take_document(reader), FlatError);

  FlatWriter many;
  many.put(static_cast<std::uint8_t>(6));
  many.put(0);
  many.put(0);
  many.put(std::uint32_t{0xffffffff});
  FlatReader announced(many.bytes());
  EXPECT_THROW(take_document(announced), FlatError);
}

TEST(ParseFlat, AMappedBlockGrowsAndGrowsAgainAfterItWasCut) {
  ParseBlock ours = ParseBlock::create("test");
  ParseBlock theirs(::dup(ours.fd()));
  const std::vector<std::uint8_t> bytes(100'000, 7);
  std::vector<std::uint8_t> read(bytes.size());
  const std::uint32_t number = 9;
  for (const std::uint64_t at : {10'000ULL, 3'000'000ULL, 500'000ULL}) {
    theirs.write_mapped(0, &number, sizeof number);
    theirs.write_mapped(at, bytes.data(), bytes.size());
    ASSERT_TRUE(ours.read(at, read.data(), read.size()));
    EXPECT_EQ(read, bytes) << at;
    ours.shrink(4096);
    EXPECT_FALSE(ours.read(at, read.data(), read.size()));
  }
}

TEST(ParseFlat, AnArrayThatWasMadeBeforehandIsTakenOnlyWhereItFits) {
  ArrayStock stock;
  EXPECT_EQ(stock.take<float>(0, 5).size(), 5u);
  const auto made_before = [&](auto element, std::size_t count) {
    using T = decltype(element);
    stock.prepare();
    EXPECT_EQ(stock.take<T>(0, count), std::vector<T>(count)) << count;
  };
  made_before(0.0F, 5);
  made_before(0.0F, 6);
  made_before(std::int16_t{}, 6);
  made_before(std::uint8_t{}, 0);
  EXPECT_EQ(stock.take<double>(1, 3).size(), 3u);
}

TEST(ParseFlat, AModelWhoseCornersLeadNowhereIsRefused) {
  ModelFile model;
  model.vertices_mm = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  model.facets = {{0, 1, 2}};
  const auto taken = [&] {
    ParseOutput put;
    put_model(put, model);
    ParseBlock block = ParseBlock::create("test");
    ParseAnswer answer;
    std::uint64_t at = parse_output_at;
    for (std::size_t i = 0; i < put.arrays.size(); ++i) {
      block.write(at, put.arrays[i].data(), put.arrays[i].size());
      at += answer.array_bytes[i] = put.arrays[i].size();
    }
    ParsedOutput out(answer, put.head.bytes(), block);
    return take_model(out);
  };
  EXPECT_EQ(taken().facets, model.facets);
  model.facets = {{0, 1, 3}};
  EXPECT_THROW(taken(), FlatError);
  model.facets = {{0, 1, 2}};
  model.vertices_mm[1][1] = std::numeric_limits<double>::infinity();
  EXPECT_THROW(taken(), FlatError);
}

}  // namespace
}  // namespace datum
