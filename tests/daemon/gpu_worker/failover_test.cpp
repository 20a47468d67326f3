// Every GPU fault leaves each board measured: by the CPU, with the same bytes, in time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "daemon/gpu_worker/failover_measurer.h"
#include "gpu/board/cpu_board.h"
#include "gpu/core/gpu_error.h"
#include "tests/fresh_folder.h"
#include "tests/gpu/map_scene.h"

namespace datum {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

/// A small board of four rings.
testing::MapScene small_board(CountType type = CountType::int16, std::uint64_t seed = 1) {
  testing::BoardOptions o;
  o.rows = 203;
  o.cols = 301;
  o.type = type;
  o.seed = seed;
  o.quadratic_form = o.opened_maximum = true;
  return testing::board_map({{12, 40, 30}, {10, 30, 50}, {8, 60, 20}, {14, 24, 24}}, o);
}

std::vector<SiteRecord> records_of(BoardMeasurer& by, const testing::MapScene& board) {
  std::vector<SiteRecord> records(board.sites.size());
  by.measure(board.plan(), board.view(), records.data());
  return records;
}

/// Bytes of the records with cleared padding.
std::string bytes_of(std::vector<SiteRecord> records) {
#if __has_builtin(__builtin_clear_padding)  // clang, used for checks only, lacks it
  for (SiteRecord& r : records) __builtin_clear_padding(&r);
#endif
  return {reinterpret_cast<const char*>(records.data()), records.size() * sizeof(SiteRecord)};
}

class Failover : public ::testing::Test {
 protected:
  ~Failover() override { ::unsetenv("DATUM_TEST_WORKER"); }

  /// A measurer whose worker has this fault.
  void begin(const std::string& mode, GpuClientSettings settings = {}) {
    ::setenv("DATUM_TEST_WORKER", mode.c_str(), 1);
    settings.program = DATUM_TEST_WORKER_PROGRAM;
    settings.staging = cpu_backend(2);
    auto link = std::make_unique<GpuClient>(settings);
    link_ = link.get();
    link_->start();
    measurer_ = std::make_unique<FailoverMeasurer>(
        std::move(link), std::make_unique<CpuBoardMeasurer>(cpu_backend(2)), [this] { return now_; },
        [this](bool fault, const std::string& text) { (fault ? faults_ : returns_).push_back(text); });
  }
  bool greeted() { return link_->greeting(GpuClient::Clock::now() + 30s) != nullptr; }
  /// Measures; the bytes must equal the CPU's, within the promised two seconds.
  std::string measure(const testing::MapScene& board) {
    const auto from = GpuClient::Clock::now();
    const std::string bytes = bytes_of(records_of(*measurer_, board));
    EXPECT_LT(GpuClient::Clock::now() - from, 2s);
    CpuBoardMeasurer cpu(cpu_backend(1));
    EXPECT_EQ(bytes, bytes_of(records_of(cpu, board)));
    return measurer_->describe();
  }
  std::string cpu() const { return describe(cpu_backend(2)); }

  std::chrono::nanoseconds now_{0};
  std::vector<std::string> faults_, returns_;
  GpuClient* link_ = nullptr;
  std::unique_ptr<FailoverMeasurer> measurer_;
};

TEST_F(Failover, AWorkerThatIsWellMeasuresEveryBoard) {
  begin("well");
  ASSERT_TRUE(greeted());
  for (const CountType type : {CountType::int16, CountType::int32, CountType::float32}) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed)
      EXPECT_EQ(measure(small_board(type, seed)), "cuda test device");
  }
  EXPECT_TRUE(faults_.empty()) << faults_.front();
}

TEST_F(Failover, ClassesAndMarksSayTheSame) {
  begin("well");
  ASSERT_TRUE(greeted());
  testing::MapScene board = small_board();
  auto* counts = reinterpret_cast<std::int16_t*>(board.memory.data());
  std::vector<std::uint8_t> classes(static_cast<std::size_t>(board.rows * board.cols), 0);
  for (std::int32_t r = 0; r < board.rows; ++r) {
    for (std::int32_t c = 0; c < board.cols; ++c) {
      std::int16_t& count = counts[r * board.pitch + c];
      if (count != no_count_16) continue;
      classes[static_cast<std::size_t>(r) * board.cols + c] = static_cast<std::uint8_t>(1 + c % 9);
      count = static_cast<std::int16_t>(c);  // any number: its class says that there is no height
    }
  }
  const FrameView frame{board.memory.data(), classes.data(), board.pitch};
  const auto measured = [&](BoardMeasurer& by) {
    std::vector<SiteRecord> records(board.sites.size());
    by.measure(board.plan(), frame, records.data());
    return bytes_of(records);
  };
  CpuBoardMeasurer own(cpu_backend(1));
  EXPECT_EQ(measured(*measurer_), measured(own));
  EXPECT_EQ(measurer_->describe(), "cuda test device");

  // A height whose count equals the mark of a missing one cannot be represented in a slot: the CPU measures that board,
  // without a fault.
  const PixelRun run = board.runs.front();
  counts[run.row * board.pitch + run.col] = no_count_16;
  classes[static_cast<std::size_t>(run.row) * board.cols + run.col] = 0;
  EXPECT_EQ(measured(*measurer_), measured(own));
  EXPECT_EQ(measurer_->describe(), cpu());
  EXPECT_TRUE(faults_.empty());
  ASSERT_EQ(returns_.size(), 1u);
  EXPECT_THAT(returns_[0], HasSubstr("a pixel holds the count that marks a missing height"));
}

class FailoverInTheMiddle : public Failover,
                            public ::testing::WithParamInterface<std::pair<const char*, const char*>> {};

TEST_P(FailoverInTheMiddle, EndsOnTheCpuWithTheSameBytesAndIsToldOnce) {
  begin(GetParam().first);
  ASSERT_TRUE(greeted());
  const testing::MapScene board = small_board();
  EXPECT_EQ(measure(board), "cuda test device");
  for (int i = 0; i < 3; ++i) EXPECT_EQ(measure(board), cpu());  // at once, not after a pause
  ASSERT_EQ(faults_.size(), 1u);
  EXPECT_THAT(faults_[0], HasSubstr(GetParam().second));
  EXPECT_THAT(measurer_->fault(), HasSubstr(GetParam().second));
}
INSTANTIATE_TEST_SUITE_P(Faults, FailoverInTheMiddle,
                         ::testing::Values(std::pair{"fault", "an illegal memory access"},
                                           std::pair{"hang", "no answer within 700 ms"},
                                           std::pair{"killed", "was ended by signal 9"},
                                           std::pair{"stopped", "no answer within 700 ms"},
                                           std::pair{"exits", "ended with status 3"},
                                           std::pair{"garbage-records", "the record of site 0 can't be"}));

class FailoverAtStart : public Failover,
                        public ::testing::WithParamInterface<std::pair<const char*, const char*>> {};

TEST_P(FailoverAtStart, CostsNoBoard) {
  GpuClientSettings settings;
  settings.start_timeout = 300ms;
  begin(GetParam().first, settings);
  const testing::MapScene board = small_board();
  for (int i = 0; i < 1000000 && faults_.empty(); ++i) EXPECT_EQ(measure(board), cpu());
  ASSERT_EQ(faults_.size(), 1u);
  EXPECT_THAT(faults_[0], HasSubstr(GetParam().second));
  EXPECT_EQ(measure(board), cpu());
  EXPECT_EQ(faults_.size(), 1u);
}
INSTANTIATE_TEST_SUITE_P(Faults, FailoverAtStart,
                         ::testing::Values(std::pair{"dies", "ended with status 7"},
                                           std::pair{"silent", "no greeting within 300 ms"},
                                           std::pair{"garbage-greeting", "does not speak like a GPU worker"},
                                           std::pair{"other-code", "it is of code 0.0.9 stale"},
                                           std::pair{"unusable", "no CUDA device: none is listed"},
                                           std::pair{"out-of-memory", "device memory: out of memory"},
                                           std::pair{"babbles", "it answers a plan with nonsense"},
                                           std::pair{"no-records",
                                                     "the record of site 0 can't be: its status"}));

TEST_F(Failover, AProgramThatIsNotThereIsNamed) {
  GpuClientSettings settings;
  settings.program = "/nowhere/datumd-gpu";
  GpuClient link(settings);
  try {
    link.start();
    FAIL() << "it started";
  } catch (const GpuError& error) {
    EXPECT_THAT(error.what(), HasSubstr("/nowhere/datumd-gpu does not start: No such file"));
  }
}

TEST_F(Failover, AWorkerKilledBetweenBoardsIsStartedAgainAfterItsPause) {
  begin("well");
  ASSERT_TRUE(greeted());
  const testing::MapScene board = small_board();
  EXPECT_EQ(measure(board), "cuda test device");
  ::kill(link_->pid(), SIGKILL);
  EXPECT_EQ(measure(board), cpu());
  EXPECT_EQ(link_->pid(), -1);
  now_ += 1s - 1ns;
  EXPECT_EQ(measure(board), cpu());
  EXPECT_EQ(link_->pid(), -1);
  now_ += 1ns;
  measure(board);  // starts it; the board does not wait
  ASSERT_TRUE(link_->started());
  ASSERT_TRUE(greeted());
  EXPECT_EQ(measure(board), "cuda test device");
  EXPECT_EQ(faults_.size(), 1u);
  EXPECT_THAT(returns_, ::testing::ElementsAre("the GPU measures again: test device"));
  EXPECT_EQ(measurer_->fault(), "");
  EXPECT_EQ(measurer_->restarts(), 1u);
}

TEST_F(Failover, PausesDoubleUpToFiveMinutes) {
  begin("dies");
  const testing::MapScene board = small_board();
  // One board starts it, a later one detects its end: until then it counts as starting.
  const auto fails_again = [&] {
    while (link_->started()) measure(board);
  };
  fails_again();
  for (const auto pause : {1s, 2s, 4s, 8s, 16s, 32s, 64s, 128s, 256s, 300s, 300s}) {
    now_ += pause - 1ns;
    measure(board);
    EXPECT_FALSE(link_->started()) << pause.count();
    now_ += 1ns;
    measure(board);
    fails_again();
    EXPECT_FALSE(link_->started());
  }
  EXPECT_EQ(faults_.size(), 1u);
}

TEST_F(Failover, PausesAreShortAgainAfterFiveGoodMinutes) {
  begin("well");
  ASSERT_TRUE(greeted());
  const testing::MapScene board = small_board();
  EXPECT_EQ(measure(board), "cuda test device");
  const auto fail = [&] {
    ::kill(link_->pid(), SIGKILL);
    EXPECT_EQ(measure(board), cpu());
  };
  const auto comes_back_after = [&](std::chrono::nanoseconds pause) {
    now_ += pause - 1ns;
    measure(board);
    EXPECT_FALSE(link_->started()) << pause.count();
    now_ += 1ns;
    measure(board);
    ASSERT_TRUE(link_->started() && greeted()) << pause.count();
    EXPECT_EQ(measure(board), "cuda test device");
  };
  fail();
  comes_back_after(1s);
  now_ += 5min - 1ns;
  fail();
  comes_back_after(2s);
  now_ += 5min;
  fail();
  comes_back_after(1s);
  EXPECT_EQ(faults_.size(), 3u);
  EXPECT_EQ(returns_.size(), 3u);
}

TEST_F(Failover, APlanThatTakesLongHoldsNoBoardUpAndIsNoFault) {
  const testing::FreshFolder folder;
  const std::string fifo = (folder / "go").string();
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  ::setenv("DATUM_TEST_FIFO", fifo.c_str(), 1);
  begin("prepare-slow");
  ASSERT_TRUE(greeted());
  const testing::MapScene board = small_board();
  EXPECT_EQ(measure(board), cpu());
  EXPECT_EQ(measure(board), cpu());
  ASSERT_EQ(returns_.size(), 1u) << "said once";
  EXPECT_THAT(returns_[0], HasSubstr("measured on the CPU: the GPU is not ready for this recipe"));
  { std::ofstream go(fifo); }  // waits for the worker's read, then releases it
  ASSERT_TRUE(link_->prepare(board.plan(), board.view(), GpuClient::Clock::now() + 30s));
  EXPECT_EQ(measure(board), "cuda test device");
  EXPECT_TRUE(faults_.empty());
}

TEST_F(Failover, APlanThatNeverEndsIsAFault) {
  GpuClientSettings settings;
  settings.prepare_timeout = 500ms;
  begin("prepare-hangs", settings);
  ASSERT_TRUE(greeted());
  const testing::MapScene board = small_board();
  EXPECT_EQ(measure(board), cpu());
  EXPECT_EQ(measure(board), cpu());
  ASSERT_EQ(faults_.size(), 1u);
  EXPECT_THAT(faults_[0], HasSubstr("not prepared within 500 ms"));
}

TEST_F(Failover, APlanThatContradictsItselfIsRefusedNotMeasured) {
  begin("well");
  ASSERT_TRUE(greeted());
  testing::MapScene board = small_board();
  board.runs.back().length += 1'000'000;
  EXPECT_THROW(records_of(*measurer_, board), std::invalid_argument);
  EXPECT_TRUE(faults_.empty());
  EXPECT_EQ(measure(small_board()), "cuda test device");
}

TEST_F(Failover, ABoardWithoutSitesIsMeasured) {
  begin("well");
  ASSERT_TRUE(greeted());
  testing::MapScene none;
  none.take_frame(CountType::int16, 1, 1);
  EXPECT_EQ(measure(none), "cuda test device");
  EXPECT_EQ(measure(small_board()), "cuda test device");
  EXPECT_EQ(measure(none), "cuda test device");
}

TEST_F(Failover, AWorkerThatHangsEndsWithItsDaemon) {
  ::setenv("DATUM_TEST_WORKER", "prepare-hangs", 1);
  const testing::MapScene board = small_board();
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t daemon = ::fork();
  if (daemon == 0) {
    GpuClientSettings settings;
    settings.program = DATUM_TEST_WORKER_PROGRAM;
    GpuClient link(settings);
    link.start();
    link.greeting(GpuClient::Clock::now() + 30s);
    link.prepare(board.plan(), board.view(), GpuClient::Clock::now() + 200ms);
    const pid_t worker = link.pid();
    [[maybe_unused]] const auto put = ::write(ends[1], &worker, sizeof worker);
    ::_exit(0);  // as a crashing daemon: nobody kills the worker
  }
  pid_t worker = -1;
  ASSERT_EQ(::read(ends[0], &worker, sizeof worker), static_cast<ssize_t>(sizeof worker));
  ::close(ends[0]);
  ::close(ends[1]);
  ASSERT_GT(worker, 1);
  const int process = static_cast<int>(::syscall(SYS_pidfd_open, worker, 0));
  if (process >= 0) {  // else it has ended already
    pollfd ended{process, POLLIN, 0};
    EXPECT_EQ(::poll(&ended, 1, 30'000), 1);
    if (!(ended.revents & POLLIN)) ::kill(worker, SIGKILL);  // it must not outlive a failed test
    ::close(process);
  }
  ::waitpid(daemon, nullptr, 0);
}

}  // namespace
}  // namespace datum
