// A real GPU that faults, exhausts its memory or hangs during a board: the CPU measures it with the same bytes within two
// seconds, and the GPU returns after its pause. tests/gpu/fault injects the faults.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "daemon/gpu_worker/failover_measurer.h"
#include "gpu/board/cpu_board.h"
#include "gpu/core/cuda_device.h"
#include "tests/fresh_folder.h"
#include "tests/gpu/map_scene.h"

namespace datum {
namespace {

using namespace std::chrono_literals;
using Clock = GpuClient::Clock;

testing::MapScene board_of(std::int32_t side, CountType type = CountType::int16, std::uint64_t seed = 1) {
  testing::BoardOptions o;
  o.rows = side;
  o.cols = side - 3;
  o.type = type;
  o.seed = seed;
  o.quadratic_form = o.opened_maximum = true;
  return testing::board_map({{12, 40, 30}, {10, 30, 50}, {8, 60, 20}, {14, 24, 24}}, o);
}

/// Bytes that every backend fills: residual products beyond the stopping rule may differ.
std::string bytes_of(std::vector<SiteRecord> records) {
  for (SiteRecord& r : records) {
    for (std::int64_t& product : r.ring.residuals.products) product = 0;
    for (std::int64_t& product : r.body.residuals.products) product = 0;
    if (r.fit.status != FitStatus::ok) r.ring = {}, r.body = {};  // undefined
    __builtin_clear_padding(&r);
  }
  return {reinterpret_cast<const char*>(records.data()), records.size() * sizeof(SiteRecord)};
}

std::string measured(BoardMeasurer& by, const testing::MapScene& board, EarlyFrame* early = nullptr) {
  std::vector<SiteRecord> records(board.sites.size());
  FrameView frame = board.view();
  frame.early = early;
  by.measure(board.plan(), frame, records.data());
  return bytes_of(records);
}

class GpuFailover : public ::testing::Test {
 protected:
  void SetUp() override {
    const CudaDevice device = probe_cuda_device();
    if (!device.usable) GTEST_SKIP() << device.why;
    ::setenv("LD_PRELOAD", DATUM_GPU_FAULT_LIBRARY, 1);
    ::setenv("DATUM_GPU_FAULT_FOLDER", folder_.path().c_str(), 1);
    GpuClientSettings settings;
    settings.program = DATUM_GPU_PROGRAM;
    settings.staging = cpu_backend(4);
    auto link = std::make_unique<GpuClient>(settings);
    link_ = link.get();
    link_->start();
    forget_faults();  // a worker that is started later has no fault
    const Greeting* greeting = link_->greeting(Clock::now() + 60s);
    ASSERT_TRUE(greeting && greeting->usable) << (greeting ? greeting->why : "no greeting");
    measurer_ = std::make_unique<FailoverMeasurer>(
        std::move(link), std::make_unique<CpuBoardMeasurer>(cpu_backend(4)), [this] { return now_; },
        [this](bool fault, const std::string& text) { (fault ? faults_ : returns_).push_back(text); });
    // The first plan may take longer than a board waits.
    ASSERT_TRUE(link_->prepare(board_.plan(), board_.view(), Clock::now() + 60s));
    expected_ = measured(cpu_, board_);
    ASSERT_TRUE(on_gpu(board_, expected_));
  }
  ~GpuFailover() override { forget_faults(); }
  static void forget_faults() {
    ::unsetenv("LD_PRELOAD");
    ::unsetenv("DATUM_GPU_FAULT_FOLDER");
  }

  /// Measures; the bytes must equal the CPU's, within the promised time. Returns whether the GPU measured.
  bool on_gpu(const testing::MapScene& board, const std::string& expected, EarlyFrame* early = nullptr) {
    const auto from = Clock::now();
    const std::string bytes = measured(*measurer_, board, early);
    const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - from);
    longest_ = std::max(longest_, took);
    EXPECT_LT(took, 2s);
    EXPECT_EQ(bytes == expected, true) << measurer_->describe();
    return measurer_->describe().rfind("cuda ", 0) == 0;
  }
  /// The board's frame arrives in two parts, between which something happens.
  template <class Between>
  bool arrives_on_gpu(Between between) {
    const std::shared_ptr<EarlyFrame> early = link_->early()->begin(board_.type, board_.rows, board_.cols);
    const std::uint64_t all =
                            static_cast<std::uint64_t>(board_.rows) * static_cast<std::uint64_t>(board_.cols),
                        part = all * 3 / 5;
    if (early) early->put(board_.view(), 0, part);
    if (early) ++arrived_;
    between();
    if (early) early->put(board_.view(), part, all - part);
    return on_gpu(board_, expected_, early.get());
  }
  /// Frames arrive until the fault is detected; every board is correct.
  template <class Between>
  void arrive_until_the_fault(Between between) {
    for (int i = 0; i < 20; ++i) ASSERT_TRUE(arrives_on_gpu([] {}));  // bands are prepared
    EXPECT_GE(arrived_, 18);
    const auto until = Clock::now() + 30s;
    while (arrives_on_gpu(between)) ASSERT_LT(Clock::now(), until) << "no fault showed";
    ASSERT_EQ(faults_.size(), 1u);
    std::printf("  %s; longest board %d ms\n", faults_[0].c_str(), static_cast<int>(longest_.count()));
    for (int i = 0; i < 3; ++i) EXPECT_FALSE(arrives_on_gpu([] {}));
  }
  void order(const std::string& fault, bool wait) {
    std::ofstream(folder_.path() / fault).flush();
    const auto until = Clock::now() + 30s;
    while (wait && !std::filesystem::exists(folder_.path() / (fault + ".done"))) {
      ASSERT_LT(Clock::now(), until) << fault;
      ::poll(nullptr, 0, 1);
    }
  }
  /// Measures until the fault is detected; every board is correct.
  void measure_until_the_fault() {
    const auto until = Clock::now() + 30s;
    while (on_gpu(board_, expected_)) ASSERT_LT(Clock::now(), until) << "no fault showed";
    ASSERT_EQ(faults_.size(), 1u);
    RecordProperty("fault", faults_[0]);
    RecordProperty("longest_ms", static_cast<int>(longest_.count()));
    std::printf("  %s; longest board %d ms\n", faults_[0].c_str(), static_cast<int>(longest_.count()));
    for (int i = 0; i < 3; ++i) EXPECT_FALSE(on_gpu(board_, expected_));
  }
  /// After its pause the GPU is started again and measures.
  void expect_return() {
    const auto until = Clock::now() + 60s;
    do {
      now_ += 1s;
      ASSERT_LT(Clock::now(), until) << measurer_->fault();
    } while (!on_gpu(board_, expected_));
    EXPECT_EQ(faults_.size(), 1u);
    EXPECT_EQ(returns_.size(), 1u);
    EXPECT_EQ(measurer_->fault(), "");
  }

  const testing::FreshFolder folder_;
  const testing::MapScene board_ = board_of(301);
  std::string expected_;
  CpuBoardMeasurer cpu_{cpu_backend()};
  std::chrono::nanoseconds now_{0};
  std::chrono::milliseconds longest_{0};
  std::vector<std::string> faults_, returns_;
  int arrived_ = 0;  // frames whose pixels went to the worker early
  GpuClient* link_ = nullptr;
  std::unique_ptr<FailoverMeasurer> measurer_;
};

TEST_F(GpuFailover, AWellGpuMeasuresEveryBoard) {
  for (const CountType type : {CountType::int16, CountType::int32, CountType::float32}) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      const testing::MapScene board = board_of(301 + 40 * static_cast<std::int32_t>(seed), type, seed);
      const std::string expected = measured(cpu_, board);
      on_gpu(board, expected);  // a new plan may take longer than a board waits
      ASSERT_TRUE(link_->prepare(board.plan(), board.view(), Clock::now() + 60s));
      EXPECT_TRUE(on_gpu(board, expected));
    }
  }
  EXPECT_TRUE(faults_.empty()) << faults_.front();
}

TEST_F(GpuFailover, FramesThatArriveInAnyOrderHaveTheBytesOfWholeOnes) {
  std::mt19937 random(1);
  for (const CountType type : {CountType::int16, CountType::int32, CountType::float32}) {
    const testing::MapScene board = board_of(1201, type);
    const std::string expected = measured(cpu_, board);
    ASSERT_TRUE(link_->prepare(board.plan(), board.view(), Clock::now() + 60s));
    for (int round = 0; round < 30; ++round) {
      const std::shared_ptr<EarlyFrame> early = link_->early()->begin(type, board.rows, board.cols);
      EXPECT_EQ(early != nullptr, round >= 2);
      const std::uint64_t all =
          static_cast<std::uint64_t>(board.rows) * static_cast<std::uint64_t>(board.cols);
      std::vector<std::pair<std::uint64_t, std::uint64_t>> pieces;
      for (std::uint64_t first = 0; first < all; first += pieces.back().second)
        pieces.emplace_back(first, std::min<std::uint64_t>(1 + random() % 40'000, all - first));
      if (round % 3 == 0) std::shuffle(pieces.begin(), pieces.end(), random);
      if (round % 3 == 1) std::reverse(pieces.begin(), pieces.end());
      for (const auto& [first, n] : pieces)
        if (early) early->put(board.view(), first, n);
      ASSERT_TRUE(on_gpu(board, expected, early.get())) << round;
    }
  }
  EXPECT_TRUE(faults_.empty()) << faults_.front();
}

TEST_F(GpuFailover, AKernelThatTraps) {
  order("trap", false);  // at a random step of the following boards
  measure_until_the_fault();
  expect_return();
}

TEST_F(GpuFailover, ADeviceThatHangs) {
  order("spin", true);
  measure_until_the_fault();
  expect_return();
}

TEST_F(GpuFailover, ADeviceWithoutMemory) {
  order("memory", true);
  const testing::MapScene large = board_of(3000);  // needs more memory than the first plan
  const std::string expected = measured(cpu_, large);
  const auto until = Clock::now() + 30s;
  while (faults_.empty()) {  // the refusal may take longer than a board waits
    EXPECT_FALSE(on_gpu(large, expected));
    ASSERT_LT(Clock::now(), until);
  }
  EXPECT_THAT(faults_[0], ::testing::HasSubstr("memory"));
  std::printf("  %s; longest board %d ms\n", faults_[0].c_str(), static_cast<int>(longest_.count()));
  expect_return();
}

TEST_F(GpuFailover, AWorkerThatIsKilledInTheMiddle) {
  std::thread killer([worker = link_->pid()] {
    ::poll(nullptr, 0, 20);  // a random board is in progress then
    ::kill(worker, SIGKILL);
  });
  measure_until_the_fault();
  killer.join();
  expect_return();
}

TEST_F(GpuFailover, AKernelThatTrapsWhileAFrameArrives) {
  arrive_until_the_fault([this, ordered = false]() mutable {
    if (!std::exchange(ordered, true)) order("trap", true);
  });
  expect_return();
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(arrives_on_gpu([] {}));
}

TEST_F(GpuFailover, ADeviceThatHangsWhileAFrameArrives) {
  arrive_until_the_fault([this, ordered = false]() mutable {
    if (!std::exchange(ordered, true)) order("spin", true);
  });
  expect_return();
}

TEST_F(GpuFailover, AWorkerThatIsKilledWhileAFrameArrives) {
  arrive_until_the_fault([this] { ::kill(link_->pid(), SIGKILL); });
  expect_return();
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(arrives_on_gpu([] {}));
}

}  // namespace
}  // namespace datum
