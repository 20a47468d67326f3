#include "tests/bench/gpu_board_rows.h"

#include <chrono>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "gpu/board/cpu_board.h"
#include "gpu/board/cuda_slot_measurer.h"
#include "gpu/board/frame_bands.h"
#include "tests/bench/gpu_timing.h"
#include "tests/gpu/frame_slots.h"

namespace datum::bench {
namespace {

constexpr int slot_count = 3, timeout_ms = 1000;

/// When a frame's bands are there.
enum class Arrival {
  with_order,    // all lie in the slot when the board is ordered, and nobody has said so before
  last_band,     // the last band comes with the order, the others a while before
  before_order,  // all came a while before
};

struct Row {
  const char* name;
  Arrival arrival;
  FitMode mode;
};
constexpr Row rows[] = {
    {"screened, whole frame", Arrival::with_order, FitMode::screened},
    {"screened, streamed: last band with the order", Arrival::last_band, FitMode::screened},
    {"screened, streamed: no site ends in the last rows", Arrival::before_order, FitMode::screened},
    {"exact, whole frame", Arrival::with_order, FitMode::exact},
    {"exact, streamed: last band with the order", Arrival::last_band, FitMode::exact},
};

/// The CPU may leave products out that no result needs, so these are not compared here.
bool same(const SiteRecord& a, const SiteRecord& b) {
  RingRecord p = a.ring, q = b.ring;
  p.residuals = q.residuals = BoxProducts{};
  return testing::bytes_of(a.fit) == testing::bytes_of(b.fit) && std::memcmp(&p, &q, sizeof p) == 0;
}

/// Rows take their time: longer than the bands before them.
void let_arrive() {
  using Clock = std::chrono::steady_clock;
  for (const auto until = Clock::now() + std::chrono::milliseconds(2); Clock::now() < until;) {
  }
}

class Boards {
 public:
  Boards(const testing::MapScene& board, int repetitions)
      : board_(board),
        repetitions_(repetitions),
        slots_(board.bytes(), slot_count),
        measurer_(slots_.memory()),
        all_(all_bands(frame_bands(board.plan()).size())) {
    for (int i = 0; i < slot_count; ++i) slots_.fill(i, board);
  }

  std::string describe() const { return measurer_.describe(); }
  std::string transfer() const { return measurer_.transfer(); }

  /// Times from the last byte in the slot to the records in host memory.
  bool run(const Row& row) {
    BoardPlan plan = board_.plan();
    plan.mode = row.mode;
    std::vector<SiteRecord> records(plan.site_count), of_cpu(plan.site_count);
    measurer_.prepare(plan, board_.pitch);
    double prepare_us = 0;
    if (row.arrival != Arrival::with_order)
      prepare_us = wall_us([&] {
        while (measurer_.prepare_band()) {
        }
      });
    std::vector<double> us;
    for (int i = -20; i < repetitions_; ++i) {
      std::fill(records.begin(), records.end(), SiteRecord{});
      const double once = board_us(row.arrival, &records);
      if (i >= 0) us.push_back(once);
    }
    measure_board(plan, board_.view(), cpu_backend(), of_cpu.data());
    bool equal = true;
    for (std::size_t i = 0; i < records.size(); ++i) equal = equal && same(records[i], of_cpu[i]);
    const Spread s = spread_of(us);
    std::printf("%-50s %9.1f %9.1f %9.1f %9.1f  %s", row.name, s.median, s.p10, s.p90, s.p99,
                equal ? "equal" : "DIFFER");
    if (prepare_us > 0) std::printf("; bands prepared in %.1f ms", prepare_us / 1000);
    std::printf("\n");
    return equal;
  }

 private:
  double board_us(Arrival arrival, std::vector<SiteRecord>* records) {
    ++number_;
    const SlotFrame frame(static_cast<int>(number_ % slot_count), number_);
    if (arrival != Arrival::with_order) {
      measurer_.arrived(frame, arrival == Arrival::last_band ? all_ >> 1 : all_);
      let_arrive();
    }
    return wall_us([&] {
      if (arrival == Arrival::last_band) measurer_.arrived(frame, all_);
      measurer_.measure(frame, records->data(), timeout_ms);
    });
  }

  const testing::MapScene& board_;
  const int repetitions_;
  const testing::FrameSlots slots_;
  CudaSlotMeasurer measurer_;
  const std::uint32_t all_;
  std::uint32_t number_ = 0;
};

}  // namespace

bool run_board_rows(const testing::MapScene& board, int repetitions) {
  Boards boards(board, repetitions);
  std::printf("\nthe whole board, frame in a slot to records in host memory: %zu sites, %s\n",
              board.sites.size(), boards.describe().c_str());
  std::printf("%-50s %9s %9s %9s %9s  %s\n", "method", "us", "10 %", "90 %", "99 %",
              "bytes of fits and rings");
  bool all_equal = true;
  for (const Row& row : rows) all_equal = boards.run(row) && all_equal;
  std::printf("the frame is %s\n", boards.transfer().c_str());
  return all_equal;
}

}  // namespace datum::bench
