#include "tests/bench/gpu_board_rows.h"

#include <cstdio>
#include <cstring>
#include <vector>

#include "gpu/board/cpu_board.h"
#include "gpu/board/cuda_slot_measurer.h"
#include "tests/bench/gpu_timing.h"
#include "tests/gpu/frame_slots.h"

namespace datum::bench {
namespace {

constexpr int slot_count = 3, timeout_ms = 1000;

/// The CPU may leave products out that no result needs, so these are not compared here.
bool same(const SiteRecord& a, const SiteRecord& b) {
  RingRecord p = a.ring, q = b.ring;
  p.residuals = q.residuals = BoxProducts{};
  return testing::bytes_of(a.fit) == testing::bytes_of(b.fit) && std::memcmp(&p, &q, sizeof p) == 0;
}

}  // namespace

bool run_board_rows(const testing::MapScene& board, int repetitions) {
  const testing::FrameSlots slots(board.bytes(), slot_count);
  for (int i = 0; i < slot_count; ++i) slots.fill(i, board);
  CudaSlotMeasurer measurer(slots.memory());
  std::printf("\nthe whole board, frame in a slot to records in host memory: %zu sites, %s\n",
              board.sites.size(), measurer.describe().c_str());
  std::printf("%-50s %9s %9s %9s %9s  %s\n", "method", "us", "10 %", "90 %", "99 %",
              "bytes of fits and rings");
  bool all_equal = true;
  std::string transfer;
  for (const FitMode mode : {FitMode::screened, FitMode::exact}) {
    BoardPlan plan = board.plan();
    plan.mode = mode;
    std::vector<SiteRecord> records(plan.site_count), of_cpu(plan.site_count);
    measurer.prepare(plan, board.pitch);
    for (int i = 0; i < 20; ++i) measurer.measure(i % slot_count, records.data(), timeout_ms);
    std::vector<double> us;
    for (int i = 0; i < repetitions; ++i)
      us.push_back(wall_us([&] { measurer.measure(i % slot_count, records.data(), timeout_ms); }));
    measure_board(plan, board.view(), cpu_backend(), of_cpu.data());
    bool equal = true;
    for (std::size_t i = 0; i < records.size(); ++i) equal = equal && same(records[i], of_cpu[i]);
    const Spread s = spread_of(us);
    std::printf("%-50s %9.1f %9.1f %9.1f %9.1f  %s\n", mode == FitMode::exact ? "exact" : "screened",
                s.median, s.p10, s.p90, s.p99, equal ? "equal" : "DIFFER");
    all_equal = all_equal && equal;
    transfer = measurer.transfer();
  }
  std::printf("the frame is %s\n", transfer.c_str());
  return all_equal;
}

}  // namespace datum::bench
