// Boards for slots, and the comparison of a device's records with the CPU's.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "gpu/board/cpu_board.h"
#include "gpu/board/cuda_slot_measurer.h"
#include "gpu/component_height/component_height.h"
#include "gpu/floor_evidence/floor_evidence.h"
#include "tests/gpu/frame_slots.h"

namespace datum::testing {

inline constexpr int timeout_ms = 1000;
inline constexpr CountType types[] = {CountType::int16, CountType::int32, CountType::float32};

inline std::vector<SiteRecord> poison(std::size_t count) {
  std::vector<SiteRecord> records(count);
  std::memset(static_cast<void*>(records.data()), 0xAB, count * sizeof(SiteRecord));
  return records;
}

inline std::vector<SiteRecord> on_cpu(const MapScene& m) {
  std::vector<SiteRecord> records(m.sites.size());
  measure_board(m.plan(), m.view(), cpu_backend(), records.data());
  return records;
}

/// The CPU leaves products at 0 that its stop rule never looks at.
inline BoxProducts known(BoxProducts device, const BoxProducts& cpu) {
  for (int k = 0; k < 5; ++k)
    if (cpu.products[k] == 0) device.products[k] = 0;
  return device;
}

/// What is derived from the boxes, to the last bit.
inline void expect_same_derived(const SitePlan& site, const SiteRecord& device, const SiteRecord& cpu,
                                const std::string& where) {
  const RingEvidence a = derive(site, device.fit, device.ring, 10, -20),
                     b = derive(site, cpu.fit, cpu.ring, 10, -20);
  EXPECT_EQ(a.correlation.sum, b.correlation.sum) << where;
  EXPECT_EQ(a.noise_um, b.noise_um) << where;
  EXPECT_EQ(a.u_floor_um, b.u_floor_um) << where;
  const HeightDemand demand = demand_of(site);
  const HeightStatistics c = derive(device.body, demand), d = derive(cpu.body, demand);
  EXPECT_EQ(c.correlation.sum, d.correlation.sum) << where;
  EXPECT_EQ(c.correlated_nm2, d.correlated_nm2) << where;
  EXPECT_EQ(c.variance_nm2, d.variance_nm2) << where;
}

inline void expect_same(const SitePlan& site, const SiteRecord& device, const SiteRecord& cpu,
                        const std::string& where) {
  EXPECT_EQ(bytes_of(device.fit), bytes_of(cpu.fit)) << where;
  SiteRecord cut = device;
  cut.ring.residuals = known(device.ring.residuals, cpu.ring.residuals);
  cut.body.residuals = known(device.body.residuals, cpu.body.residuals);
  EXPECT_EQ(std::memcmp(&cut.ring, &cpu.ring, sizeof cpu.ring), 0)
      << where << ": inliers " << device.ring.inliers << " and " << cpu.ring.inliers << ", squares "
      << device.ring.residuals.squares << " and " << cpu.ring.residuals.squares;
  EXPECT_EQ(std::memcmp(&cut.body, &cpu.body, sizeof cpu.body), 0)
      << where << ": valid " << device.body.valid << " and " << cpu.body.valid << ", sum "
      << device.body.sum_nm << " and " << cpu.body.sum_nm << ", squares " << device.body.residuals.squares
      << " and " << cpu.body.residuals.squares;
  if (cpu.fit.status == FitStatus::ok) expect_same_derived(site, device, cpu, where);
}

inline void expect_same(const MapScene& m, const std::vector<SiteRecord>& device,
                        const std::vector<SiteRecord>& cpu, const std::string& where) {
  for (std::size_t i = 0; i < cpu.size(); ++i)
    expect_same(m.sites[i], device[i], cpu[i], where + ", site " + std::to_string(i));
}

/// Measures a board that lies in a slot, and compares.
inline void expect_board(CudaSlotMeasurer* measurer, SlotFrame frame, const MapScene& m,
                         const std::vector<SiteRecord>& cpu, const std::string& where) {
  std::vector<SiteRecord> records = poison(m.sites.size());
  measurer->measure(frame, records.data(), timeout_ms);
  expect_same(m, records, cpu, where + ", slot " + std::to_string(frame.slot));
}

inline constexpr FrameTransfer transfers[] = {FrameTransfer::measured, FrameTransfer::gathered,
                                              FrameTransfer::whole, FrameTransfer::in_place};

inline BoardOptions options_of(CountType type, std::uint64_t seed, std::int32_t rows, std::int32_t cols) {
  BoardOptions o;
  o.rows = rows, o.cols = cols, o.type = type, o.seed = seed;
  o.bow = 1e-7;
  o.quadratic_form = o.opened_maximum = true;
  return o;
}

inline std::vector<RingShape> ragged_rings() {
  return {{24, 150, 130}, {1, 3, 2},   {5, 700, 40}, {3, 33, 900}, {40, 20, 20},
          {2, 1, 1},      {7, 31, 33}, {17, 64, 65}, {1, 1, 1},    {9, 500, 500}};
}

inline std::string name(CountType type) { return "type " + std::to_string(static_cast<int>(type)); }

}  // namespace datum::testing
