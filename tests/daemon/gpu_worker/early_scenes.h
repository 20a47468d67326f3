// Boards whose frames come in pieces, and a worker without a GPU that measures them.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <random>
#include <thread>

#include "daemon/gpu_worker/gpu_client.h"
#include "tests/gpu/map_scene.h"

namespace datum::testing {

inline MapScene board_of(std::uint64_t seed, std::int32_t ring = 12, CountType type = CountType::int16) {
  BoardOptions o;
  o.rows = 203;
  o.cols = 304;  // rows without padding, as a frame has them
  o.type = type;
  o.seed = seed;
  return board_map({{ring, 40, 30}, {10, 30, 50}, {8, 60, 20}, {14, 24, 24}}, o);
}

/// The first board's plan, other heights.
inline MapScene heights_of(std::uint64_t seed) {
  MapScene board = board_of(1);
  board.memory = board_of(seed).memory;
  return board;
}

/// Remembers what it looked at.
struct Looks final : EarlyWork {
  void look(const FrameView&, std::size_t site, const SiteRecord& record) override {
    const std::lock_guard lock(mutex);
    records[site].push_back(record);
    looked.notify_all();
  }
  bool await(const std::vector<std::uint32_t>& sites) {
    std::unique_lock lock(mutex);
    return looked.wait_for(lock, std::chrono::seconds(30), [&] {
      return std::all_of(sites.begin(), sites.end(), [&](auto site) { return records.count(site) > 0; });
    });
  }
  std::size_t count() {
    const std::lock_guard lock(mutex);
    return records.size();
  }
  std::mutex mutex;
  std::condition_variable looked;
  std::map<std::size_t, std::vector<SiteRecord>> records;
};

using Pixels = std::pair<std::uint64_t, std::uint64_t>;

/// All pixels in pieces of random sizes and order.
inline std::vector<Pixels> pieces_of(const MapScene& board, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<Pixels> pieces;
  for (std::uint64_t first = 0; first < board.count();) {
    const std::uint64_t n = std::min<std::uint64_t>(1 + random() % 9000, board.count() - first);
    pieces.emplace_back(first, n);
    first += n;
  }
  std::shuffle(pieces.begin(), pieces.end(), random);
  return pieces;
}

class EarlySlotsTest : public ::testing::Test {
 protected:
  EarlySlotsTest() {
    GpuClientSettings settings;
    settings.program = DATUM_TEST_WORKER_PROGRAM;
    settings.staging = cpu_backend(2);
    link_ = std::make_unique<GpuClient>(settings);
    start("well");
  }
  ~EarlySlotsTest() override { ::unsetenv("DATUM_TEST_WORKER"); }

  /// `mode`: of the worker (test_gpu_worker.cpp).
  void start(const char* mode) {
    ::setenv("DATUM_TEST_WORKER", mode, 1);
    link_->start();
    if (!link_->greeting(GpuClient::Clock::now() + std::chrono::seconds(30)))
      throw std::runtime_error("no greeting");
  }
  /// Of a frame, by the worker.
  std::vector<SiteRecord> measured(const MapScene& board, EarlyFrame* early = nullptr) {
    FrameView frame = view_of(board);
    frame.early = early;
    EXPECT_TRUE(link_->prepare(board.plan(), frame, GpuClient::Clock::now() + std::chrono::seconds(30)));
    std::vector<SiteRecord> records(board.sites.size());
    EXPECT_TRUE(link_->measure(frame, records.data()));
    return records;
  }
  void measure_a_series() {
    for (int i = 0; i < 2; ++i) measured(board_);
  }
  std::shared_ptr<EarlyFrame> begin() { return link_->early()->begin(board_.type, board_.rows, board_.cols); }
  static FrameView view_of(const MapScene& board) {
    return {board.memory.data(), classes_of(board), board.pitch};
  }
  static const std::uint8_t* classes_of(const MapScene& board) {
    static std::vector<std::uint8_t> ok;  // marks say which pixels have no height
    ok.assign(board.count(), 0);
    for (std::size_t i = 0; board.type == CountType::int16 && i < board.count(); ++i)
      ok[i] = reinterpret_cast<const std::int16_t*>(board.memory.data())[i] == no_count_16;
    return ok.data();
  }
  static void put(EarlyFrame& early, const MapScene& board, const std::vector<Pixels>& pieces) {
    const FrameView frame = view_of(board);
    std::thread other([&] {
      for (std::size_t i = 0; i < pieces.size(); i += 2) early.put(frame, pieces[i].first, pieces[i].second);
    });
    for (std::size_t i = 1; i < pieces.size(); i += 2) early.put(frame, pieces[i].first, pieces[i].second);
    other.join();
  }
  /// Other heights in the same memory: who copies the frame now measures these.
  void change() {
    const MapScene other = heights_of(77);
    std::copy(other.memory.begin(), other.memory.end(), board_.memory.begin());
  }
  static void expect_equal(std::vector<SiteRecord> a, std::vector<SiteRecord> b) {
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
      EXPECT_EQ(a[i].fit.status, FitStatus::ok);
      EXPECT_EQ(a[i].fit.c, b[i].fit.c) << i;
      EXPECT_EQ(a[i].ring.inliers, b[i].ring.inliers) << i;
      EXPECT_EQ(a[i].body.sum_nm, b[i].body.sum_nm) << i;
      EXPECT_EQ(a[i].body.valid, b[i].body.valid) << i;
    }
  }

  MapScene board_ = board_of(1);
  std::unique_ptr<GpuClient> link_;
};

}  // namespace datum::testing
