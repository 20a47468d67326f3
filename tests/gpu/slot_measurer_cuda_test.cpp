// Boards in frame slots: the device's records are the CPU's.
#include <gtest/gtest.h>

#include "gpu/core/cuda_device.h"
#include "gpu/core/gpu_error.h"
#include "tests/gpu/slot_records.h"

namespace datum {
namespace {

using namespace testing;

class SlotMeasurerCuda : public ::testing::Test {
 protected:
  void SetUp() override {
    const CudaDevice device = probe_cuda_device();
    if (!device.usable) GTEST_SKIP() << device.why;
  }
};

/// In all ways of reading the frame.
void expect_cpu_records(const MapScene& m, const std::string& what, int repeats = 3) {
  const FrameSlots slots(m.bytes(), 2);
  for (int i = 0; i < 2; ++i) slots.fill(i, m);
  const std::vector<SiteRecord> cpu = on_cpu(m);
  for (const FrameTransfer transfer : transfers) {
    CudaSlotMeasurer measurer(slots.memory(), transfer);
    measurer.prepare(m.plan(), m.pitch);
    for (int i = 0; i < repeats; ++i)
      expect_board(&measurer, i % 2, m, cpu,
                   what + ", " + measurer.transfer() + ", repeat " + std::to_string(i));
    if (::testing::Test::HasFailure()) return;
  }
}

TEST_F(SlotMeasurerCuda, RaggedBoards) {
  for (const CountType type : types)
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      BoardOptions o = options_of(type, seed, 3701, 3999);
      o.gap = o.erode = seed == 1 ? 0 : 3;
      o.missing = seed == 2 ? 0.6 : 0.02;
      o.mode = seed == 3 ? FitMode::exact : FitMode::screened;
      expect_cpu_records(board_map(ragged_rings(), o), name(type) + " seed " + std::to_string(seed));
      if (HasFailure()) return;
    }
}

TEST_F(SlotMeasurerCuda, TheWholeBoardAHundredTimesInTwoSlots) {
  BoardOptions o;
  o.quadratic_form = o.opened_maximum = true;
  const MapScene first = board_map(paper_rings(), o);
  o.missing = 0.3, o.noise_um = 3.5;  // another frame of the same plan
  const MapScene second = board_map(paper_rings(), o);
  const FrameSlots slots(first.bytes(), 2);
  CudaSlotMeasurer measurer(slots.memory());
  measurer.prepare(first.plan(), first.pitch);
  MapScene other = first;
  other.memory = second.memory;
  slots.fill(0, first);
  slots.fill(1, other);
  const std::vector<SiteRecord> cpu[2] = {on_cpu(first), on_cpu(other)};
  for (int i = 0; i < 100 && !HasFailure(); ++i)
    expect_board(&measurer, i % 2, i % 2 ? other : first, cpu[i % 2], "repeat " + std::to_string(i));
  slots.fill(0, other);  // a slot is filled again
  expect_board(&measurer, 0, other, cpu[1], "filled again");
  RecordProperty("transfer", measurer.transfer());
}

TEST_F(SlotMeasurerCuda, OneSiteOneSideOneRowOneColumn) {
  for (const CountType type : types) {
    expect_cpu_records(board_map({{24, 150, 130}}, options_of(type, 2, 300, 300)), name(type) + " one site");
    for (const unsigned sides : {1u, 2u, 4u, 8u, 12u}) {
      BoardOptions o = options_of(type, 3, 700, 700);
      o.sides = sides;
      expect_cpu_records(board_map({{24, 150, 130}, {6, 30, 200}}, o),
                         name(type) + " sides " + std::to_string(sides));
    }
    expect_cpu_records(board_map({{3, 3997, 9}}, options_of(type, 4, 15, 4003)), name(type) + " a wide ring");
    expect_cpu_records(board_map({{3, 2, 3001}}, options_of(type, 5, 3007, 8)), name(type) + " a high ring");
    if (HasFailure()) return;
  }
}

// Sites without heights, rings or bodies between others, and a frame without any.
TEST_F(SlotMeasurerCuda, SitesWithoutPixels) {
  for (const CountType type : types) {
    MapScene m = board_map(ragged_rings(), options_of(type, 6, 3701, 3999));
    m.sites[0].ring_runs = m.sites[0].ring_pixels = 0;
    m.sites[3].body_runs = m.sites[3].body_pixels = 0;
    const auto blank = [&](std::uint32_t first, std::uint32_t count) {
      for (std::uint32_t i = first; i < first + count; ++i)
        for (std::int32_t k = 0; k < m.runs[i].length; ++k)
          m.clear(static_cast<std::size_t>(m.runs[i].row) * static_cast<std::size_t>(m.pitch) +
                  static_cast<std::size_t>(m.runs[i].col + k));
    };
    blank(m.sites[2].ring_run, m.sites[2].ring_runs);
    blank(m.sites[7].body_run, m.sites[7].body_runs);
    expect_cpu_records(m, name(type) + " some sites");
    for (std::size_t i = 0; i < m.count(); ++i) m.clear(i);
    expect_cpu_records(m, name(type) + " no heights");
    if (HasFailure()) return;
  }
}

TEST_F(SlotMeasurerCuda, HeightsAtTheEndsOfTheirTypes) {
  for (const CountType type : types) {
    MapScene m = board_map(ragged_rings(), options_of(type, 12, 3701, 3999));
    const double ends[] = {0, 1, -1, 32767, -32767, 1e6, -1e6};
    for (std::size_t i = 0; i < m.count(); i += 5) m.put(i, ends[i / 5 % 7]);
    if (type == CountType::float32) {
      const float odd[] = {std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity(),
                           3e38f, -3e38f, 1e-40f};
      float* counts = reinterpret_cast<float*>(m.memory.data());
      for (std::size_t i = 0; i < m.count(); i += 7) counts[i] = odd[i / 7 % 5];
    }
    expect_cpu_records(m, name(type));
  }
}

// Planes that need the CPU fallback: all of them for too many hypotheses; some of those whose points
// lie at one place, so that all or none are sampled.
TEST_F(SlotMeasurerCuda, UndonePlanes) {
  MapScene m = board_map(std::vector<RingShape>(36, RingShape{9, 100, 100}),
                         options_of(CountType::int16, 8, 800, 800));
  for (std::size_t i = 0; i < m.sites.size(); i += 2) {
    SiteGrid& grid = m.sites[i].grid;
    grid.x = grid.y = grid.z = axis_to_um(1e-30, 1, 0);  // 1 um, whatever the pixel
  }
  expect_cpu_records(m, "one place");
  m.max_hypotheses = 2000;
  expect_cpu_records(m, "too many hypotheses");
  m.mode = FitMode::exact;
  expect_cpu_records(m, "too many hypotheses, exact");
}

TEST_F(SlotMeasurerCuda, OtherPlansAfterEachOther) {
  const MapScene small = board_map({{24, 150, 130}}, options_of(CountType::int16, 1, 300, 300)),
                 large = board_map(ragged_rings(), options_of(CountType::float32, 2, 3701, 3999)),
                 middle = board_map(ragged_rings(), options_of(CountType::int16, 3, 3701, 3999));
  const FrameSlots slots(large.bytes(), 2);
  for (const FrameTransfer transfer : transfers) {
    CudaSlotMeasurer measurer(slots.memory(), transfer);
    for (const MapScene* m : {&small, &large, &middle, &small, &large}) {
      measurer.prepare(m->plan(), m->pitch);
      slots.fill(1, *m);
      for (int i = 0; i < 3; ++i) expect_board(&measurer, 1, *m, on_cpu(*m), "plan after plan");
    }
    MapScene nothing;
    nothing.take_frame(CountType::int16, 10, 16);
    measurer.prepare(nothing.plan(), nothing.pitch);
    measurer.measure(0, nullptr, timeout_ms);
    if (HasFailure()) return;
  }
}

TEST_F(SlotMeasurerCuda, RefusesWhatDoesNotFit) {
  const MapScene m = board_map({{24, 150, 130}}, options_of(CountType::int16, 1, 300, 300));
  const FrameSlots slots(m.bytes() - 4096, 2);
  EXPECT_THROW(CudaSlotMeasurer(SlotMemory{}), GpuError);
  CudaSlotMeasurer measurer(slots.memory());
  std::vector<SiteRecord> records(1);
  EXPECT_THROW(measurer.measure(0, records.data(), timeout_ms), GpuError);
  try {
    measurer.prepare(m.plan(), m.pitch);
    ADD_FAILURE() << "a frame larger than its slot";
  } catch (const GpuError& error) {
    EXPECT_FALSE(error.lost);
    EXPECT_NE(std::string(error.what()).find(std::to_string(m.bytes())), std::string::npos) << error.what();
  }
  const MapScene fits = board_map({{4, 50, 30}}, options_of(CountType::int16, 1, 100, 100));
  slots.fill(0, fits);
  measurer.prepare(fits.plan(), fits.pitch);
  EXPECT_THROW(measurer.measure(2, records.data(), timeout_ms), GpuError);
  EXPECT_THROW(measurer.measure(-1, records.data(), timeout_ms), GpuError);
  expect_board(&measurer, 0, fits, on_cpu(fits), "after refusals");
  MapScene outside = fits;
  outside.runs[3].col = 2000;
  EXPECT_THROW(measurer.prepare(outside.plan(), outside.pitch), std::invalid_argument);
  EXPECT_THROW(measurer.measure(0, records.data(), timeout_ms), GpuError);
}

// Nobody waits without end; what comes late does not show in the next board.
TEST_F(SlotMeasurerCuda, ABoardThatIsNotDoneInTime) {
  const MapScene m = board_map({{24, 150, 130}, {5, 70, 40}}, options_of(CountType::int16, 1, 500, 500));
  const FrameSlots slots(m.bytes(), 2);
  for (int i = 0; i < 2; ++i) slots.fill(i, m);
  const std::vector<SiteRecord> cpu = on_cpu(m);
  CudaSlotMeasurer measurer(slots.memory());
  std::vector<SiteRecord> records(m.sites.size());
  for (int repeat = 0; repeat < 10; ++repeat) {
    measurer.prepare(m.plan(), m.pitch);
    expect_board(&measurer, repeat % 2, m, cpu, "in time");
    try {
      measurer.measure(repeat % 2, records.data(), 0);
      ADD_FAILURE() << "a board in no time";
    } catch (const GpuError& error) {
      EXPECT_TRUE(error.lost);
    }
    EXPECT_THROW(measurer.measure(0, records.data(), timeout_ms), GpuError);  // before another prepare()
  }
}

// A second measurer of the same memory finds it registered and leaves it so.
TEST_F(SlotMeasurerCuda, MemoryThatIsRegisteredAlready) {
  const MapScene m = board_map({{24, 150, 130}, {5, 70, 40}}, options_of(CountType::int16, 1, 500, 500));
  const FrameSlots slots(m.bytes(), 1);
  slots.fill(0, m);
  CudaSlotMeasurer first(slots.memory());
  first.prepare(m.plan(), m.pitch);
  {
    CudaSlotMeasurer second(slots.memory(), FrameTransfer::in_place);
    second.prepare(m.plan(), m.pitch);
    expect_board(&second, 0, m, on_cpu(m), "second");
  }
  expect_board(&first, 0, m, on_cpu(m), "first");
  EXPECT_NE(first.describe().find(" sm_"), std::string::npos);
}

}  // namespace
}  // namespace datum
