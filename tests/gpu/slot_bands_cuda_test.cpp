// Frames that arrive in their slots in bands, in any order: the device's records are the CPU's, and no frame has pixels of
// another one.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "gpu/board/frame_bands.h"
#include "gpu/core/cuda_device.h"
#include "gpu/core/gpu_error.h"
#include "tests/gpu/slot_records.h"

namespace datum {
namespace {

using namespace testing;

class SlotBandsCuda : public ::testing::Test {
 protected:
  void SetUp() override {
    const CudaDevice device = probe_cuda_device();
    if (!device.usable) GTEST_SKIP() << device.why;
  }
};

BoardOptions board_options(CountType type, std::uint64_t seed) { return options_of(type, seed, 3701, 3999); }

/// Another frame of the same plan.
MapScene other_heights(const MapScene& board, CountType type, std::uint64_t seed) {
  MapScene other = board;
  BoardOptions o = board_options(type, seed);
  o.noise_um = 4, o.body_um = 600;
  other.memory = board_map(ragged_rings(), o).memory;
  return other;
}

void prepare_bands(CudaSlotMeasurer* measurer) {
  while (measurer->prepare_band()) {
  }
}

/// A frame on its way into a slot, whose bytes mean nothing before.
class Arrival {
 public:
  Arrival(const FrameSlots& slots, SlotFrame frame, const MapScene& board)
      : slots_(slots), frame_(frame), board_(board), bands_(frame_bands(board.plan())) {
    std::memset(slots.slot(frame.slot), 0x11, slots.memory().slot_bytes);
  }
  std::uint32_t all() const { return all_bands(bands_.size()); }
  std::size_t count() const { return bands_.size(); }
  /// Pixels of these bands.
  void put(std::uint32_t bands) {
    const std::size_t row = static_cast<std::size_t>(board_.pitch) * board_.count_bytes();
    for (std::size_t k = 0; k < bands_.size(); ++k) {
      if (!(bands >> k & 1)) continue;
      const auto first = static_cast<std::size_t>(bands_[k].first_row) * row,
                 end = static_cast<std::size_t>(bands_[k].end_row) * row;
      std::memcpy(slots_.slot(frame_.slot) + first,
                  reinterpret_cast<const char*>(board_.memory.data()) + first, end - first);
    }
    there_ |= bands;
  }
  /// Puts and announces.
  void arrive(CudaSlotMeasurer* measurer, std::uint32_t bands) {
    put(bands);
    measurer->arrived(frame_, there_);
  }
  /// One band after the other, in a random order, until so many are there.
  void arrive_some(CudaSlotMeasurer* measurer, std::size_t count, std::mt19937* random) {
    std::vector<std::uint32_t> order;
    for (std::size_t k = 0; k < bands_.size(); ++k) order.push_back(1u << k);
    std::shuffle(order.begin(), order.end(), *random);
    for (std::size_t k = 0; k < count; ++k) arrive(measurer, order[k]);
  }
  void expect(CudaSlotMeasurer* measurer, const std::vector<SiteRecord>& cpu, const std::string& where) {
    put(all());
    expect_board(measurer, frame_, board_, cpu, where);
  }

 private:
  const FrameSlots& slots_;
  const SlotFrame frame_;
  const MapScene& board_;
  const std::vector<FrameBand> bands_;
  std::uint32_t there_ = 0;
};

TEST_F(SlotBandsCuda, AnyOrderOfBandsHasTheBytesOfTheWholeFrame) {
  std::mt19937 random(1);
  std::uint32_t number = 0;
  for (const CountType type : types)
    for (const FrameTransfer transfer : transfers) {
      const MapScene board = board_map(ragged_rings(), board_options(type, 5));
      const std::vector<SiteRecord> cpu = on_cpu(board);
      const FrameSlots slots(board.bytes(), 2);
      CudaSlotMeasurer measurer(slots.memory(), transfer);
      measurer.prepare(board.plan(), board.pitch);
      prepare_bands(&measurer);
      for (std::size_t some = 0; some <= frame_bands(board.plan()).size(); ++some) {
        Arrival frame(slots, {static_cast<int>(some % 2), ++number}, board);
        frame.arrive_some(&measurer, some, &random);
        frame.expect(&measurer, cpu,
                     name(type) + ", " + measurer.transfer() + ", bands " + std::to_string(some));
      }
      if (HasFailure()) return;
    }
}

TEST_F(SlotBandsCuda, WhatArrivedIsNotReadAgain) {
  const MapScene board = board_map({{24, 150, 130}, {20, 200, 90}, {17, 64, 65}, {30, 80, 80}},
                                   options_of(CountType::int16, 6, 900, 900));
  const std::vector<SiteRecord> cpu = on_cpu(board);
  const FrameSlots slots(board.bytes(), 2);
  for (const FrameTransfer transfer : transfers) {
    CudaSlotMeasurer measurer(slots.memory(), transfer);
    measurer.prepare(board.plan(), board.pitch);
    prepare_bands(&measurer);
    Arrival frame(slots, {1, 7}, board);
    frame.arrive(&measurer, frame.all());
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    std::memset(slots.slot(1), 0x22, slots.memory().slot_bytes);
    expect_board(&measurer, {1, 7}, board, cpu, measurer.transfer());
  }
}

TEST_F(SlotBandsCuda, GivesRecordsOfBandsBeforeTheOrder) {
  const MapScene board = board_map(ragged_rings(), board_options(CountType::int16, 11));
  const std::vector<SiteRecord> cpu = on_cpu(board);
  const std::vector<FrameBand> bands = frame_bands(board.plan());
  const FrameSlots slots(board.bytes(), 2);
  std::uint32_t number = 0;
  for (const FrameTransfer transfer : transfers) {
    CudaSlotMeasurer measurer(slots.memory(), transfer);
    measurer.prepare(board.plan(), board.pitch);
    prepare_bands(&measurer);
    const SlotFrame in_slot{1, ++number};
    Arrival frame(slots, in_slot, board);
    std::vector<SiteRecord> early = poison(board.sites.size());
    EXPECT_EQ(measurer.measured(in_slot, frame.all(), early.data()), 0u) << "nothing arrived";
    std::uint32_t there = 0;
    for (std::uint32_t k = 0; k < bands.size(); ++k) {
      frame.arrive(&measurer, 1u << k);
      there |= 1u << k;
      ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
      EXPECT_EQ(measurer.measured({1, number + 1}, frame.all(), early.data()), 0u) << "another frame";
      EXPECT_EQ(measurer.measured(in_slot, frame.all(), early.data()), there);
      EXPECT_EQ(measurer.measured(in_slot, 1u << k, early.data()), 1u << k);
      for (const std::uint32_t i : bands[k].sites)
        expect_same(board.sites[i], early[i], cpu[i], measurer.transfer() + ", site " + std::to_string(i));
    }
    std::vector<SiteRecord> records = poison(board.sites.size());
    measurer.measure(in_slot, records.data(), timeout_ms);
    EXPECT_EQ(std::memcmp(records.data(), early.data(), records.size() * sizeof records[0]), 0);
    if (HasFailure()) return;
  }
}

TEST_F(SlotBandsCuda, ASlotThatIsUsedAgainHasNothingOfTheFrameBefore) {
  std::mt19937 random(2);
  std::uint32_t number = 0;
  const MapScene first = board_map(ragged_rings(), board_options(CountType::int16, 7)),
                 second = other_heights(first, CountType::int16, 8);
  const std::vector<SiteRecord> cpu = on_cpu(second);
  const FrameSlots slots(first.bytes(), 2);
  for (const FrameTransfer transfer : transfers) {
    CudaSlotMeasurer measurer(slots.memory(), transfer);
    measurer.prepare(first.plan(), first.pitch);
    prepare_bands(&measurer);
    for (std::size_t some = 0; some <= 8; ++some) {
      Arrival given_up(slots, {0, ++number}, first);
      given_up.arrive_some(&measurer, some, &random);
      Arrival frame(slots, {0, ++number}, second);
      frame.arrive_some(&measurer, 8 - some, &random);
      frame.expect(&measurer, cpu, measurer.transfer() + ", bands " + std::to_string(some));
    }
    Arrival given_up(slots, {0, ++number}, first);
    given_up.arrive(&measurer, given_up.all());
    slots.fill(0, second);
    expect_board(&measurer, 0, second, cpu, "a frame without a number");
    if (HasFailure()) return;
  }
}

TEST_F(SlotBandsCuda, AFrameArrivesWhileAnotherOneIsMeasured) {
  std::mt19937 random(3);
  const MapScene boards[2] = {board_map(ragged_rings(), board_options(CountType::int16, 9)),
                              other_heights(boards[0], CountType::int16, 10)};
  const std::vector<SiteRecord> cpu[2] = {on_cpu(boards[0]), on_cpu(boards[1])};
  const FrameSlots slots(boards[0].bytes(), 2);
  CudaSlotMeasurer measurer(slots.memory());
  measurer.prepare(boards[0].plan(), boards[0].pitch);
  prepare_bands(&measurer);
  std::uint32_t number = 0;
  for (int i = 0; i < 50 && !HasFailure(); ++i) {
    Arrival one(slots, {0, ++number}, boards[0]), two(slots, {1, ++number}, boards[1]);
    for (std::uint32_t k = 0; k < one.count(); ++k) {
      one.arrive(&measurer, 1u << k);
      if (random() % 2) two.arrive(&measurer, 1u << k);
    }
    one.expect(&measurer, cpu[0], "first");
    two.expect(&measurer, cpu[1], "second");
  }
}

TEST_F(SlotBandsCuda, APlanThatChangesOnTheWay) {
  std::mt19937 random(4);
  const MapScene small = board_map({{24, 150, 130}, {5, 70, 40}}, options_of(CountType::int16, 1, 500, 500)),
                 large = board_map(ragged_rings(), board_options(CountType::float32, 2)),
                 middle = board_map(ragged_rings(), board_options(CountType::int16, 3));
  const FrameSlots slots(large.bytes(), 2);
  for (const FrameTransfer transfer : transfers) {
    CudaSlotMeasurer measurer(slots.memory(), transfer);
    std::uint32_t number = 0;
    for (const MapScene* m : {&small, &large, &middle, &small, &large}) {
      const std::vector<SiteRecord> cpu = on_cpu(*m);
      measurer.prepare(m->plan(), m->pitch);
      // the frame of the plan before goes on arriving under its number
      measurer.arrived({1, number}, ~0u);
      if (number % 4 != 0) prepare_bands(&measurer);
      Arrival frame(slots, {1, ++number}, *m);
      frame.arrive_some(&measurer, frame.count() / 2, &random);
      frame.expect(&measurer, cpu, "plan after plan");
      Arrival next(slots, {0, ++number}, *m);
      next.arrive_some(&measurer, next.count() / 2, &random);
    }
    MapScene nothing;
    nothing.take_frame(CountType::int16, 10, 16);
    measurer.prepare(nothing.plan(), nothing.pitch);
    EXPECT_FALSE(measurer.prepare_band());
    measurer.arrived({0, ++number}, ~0u);
    measurer.measure({0, number}, nullptr, timeout_ms);
    if (HasFailure()) return;
  }
}

TEST_F(SlotBandsCuda, BandsAndSlotsThatDoNotExistAreOfNoEffect) {
  const MapScene board = board_map({{24, 150, 130}, {5, 70, 40}}, options_of(CountType::int16, 1, 500, 500));
  const std::vector<SiteRecord> cpu = on_cpu(board);
  const FrameSlots slots(board.bytes(), 2);
  CudaSlotMeasurer measurer(slots.memory());
  EXPECT_FALSE(measurer.prepare_band()) << "before any plan";
  measurer.arrived({0, 1}, 1);
  measurer.prepare(board.plan(), board.pitch);
  Arrival frame(slots, {0, 1}, board);
  prepare_bands(&measurer);
  measurer.arrived({2, 1}, 1);
  measurer.arrived({-1, 1}, 1);
  frame.arrive(&measurer, 0);
  measurer.arrived({0, 1}, ~frame.all());
  frame.expect(&measurer, cpu, "no band of it");
}

TEST_F(SlotBandsCuda, AFrameThatIsNotDoneInTime) {
  const MapScene board = board_map({{24, 150, 130}, {5, 70, 40}}, options_of(CountType::int16, 1, 500, 500));
  const std::vector<SiteRecord> cpu = on_cpu(board);
  const FrameSlots slots(board.bytes(), 2);
  CudaSlotMeasurer measurer(slots.memory());
  std::vector<SiteRecord> records(board.sites.size());
  for (std::uint32_t number = 1; number < 20; number += 2) {
    measurer.prepare(board.plan(), board.pitch);
    prepare_bands(&measurer);
    Arrival late(slots, {0, number}, board);
    late.arrive(&measurer, 1);
    late.put(late.all());
    EXPECT_THROW(measurer.measure({0, number}, records.data(), 0), GpuError);
    EXPECT_FALSE(measurer.prepare_band()) << "before another prepare()";
    measurer.arrived({0, number}, late.all());
    measurer.prepare(board.plan(), board.pitch);
    Arrival frame(slots, {0, number + 1}, board);
    frame.arrive(&measurer, 1);
    frame.expect(&measurer, cpu, "after a late one");
  }
}

}  // namespace
}  // namespace datum
