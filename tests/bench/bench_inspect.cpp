// The whole inspection of a 3904 x 3904 int16 frame with 58 components, frame in memory to verdict stored.
//
//   bench_inspect [REPEATS [THREADS]]    one table: median and spread of each step, for 1, 2, 4 ... threads or so many
//
// "plan kept": as in the daemon, whose planner knows the recipe from an earlier board. "records given": what the host does
// beside a device, here one that takes no time. "cpu" is the processor time of all threads, which another program on the
// machine disturbs less than the time that passes.
#include <fmt/format.h>
#include <stdlib.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>
#include <vector>

#include "daemon/inspection/board/board_planner.h"
#include "daemon/inspection/board/pipeline.h"
#include "daemon/store/result_store.h"
#include "daemon/system/memory.h"
#include "gpu/board/cpu_board.h"
#include "gpu/board/site_record.h"
#include "tests/bench/bench_board.h"

namespace {

using namespace datum;
using bench::components, bench::side_px;

struct Times {
  std::vector<double> inspect_ms, cpu_ms, store_ms, total_ms;
};

double cpu_ms() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) * 1e-6;
}

/// Gives the records that the CPU measured of the first frame.
class GivenRecords : public BoardMeasurer {
 public:
  explicit GivenRecords(unsigned threads) : cpu_(cpu_backend(threads)) {}

  using BoardMeasurer::measure;
  void measure(const BoardPlan& plan, const FrameView& frame, SiteRecord* records) override {
    if (given_.empty()) {
      given_.resize(plan.site_count);
      cpu_.measure(plan, frame, given_.data());
    }
    std::copy(given_.begin(), given_.end(), records);
  }
  std::string describe() const override { return "records given"; }

 private:
  CpuBoardMeasurer cpu_;
  std::vector<SiteRecord> given_;
};

Times run(const HeightFrame& frame, const InspectionInputs& inputs, BoardMeasurer& measurer, int repeats) {
  using Clock = std::chrono::steady_clock;
  const auto ms = [](Clock::duration d) { return std::chrono::duration<double, std::milli>(d).count(); };
  std::string folder = std::filesystem::temp_directory_path() / "bench_inspect.XXXXXX";
  if (!mkdtemp(folder.data())) throw std::runtime_error("no temporary folder");
  Times t;
  {
    ResultStore store(std::filesystem::path(folder) / "results.db");
    for (int i = -3; i < repeats; ++i) {  // three to warm up
      const double cpu_begin = cpu_ms();
      const auto begin = Clock::now();
      BoardVerdict verdict = inspect(frame, inputs, measurer);
      const auto measured = Clock::now();
      const double cpu = cpu_ms() - cpu_begin;
      store.store(verdict);
      const auto stored = Clock::now();
      if (verdict.decision != Decision::pass)
        throw std::runtime_error("the board did not pass: " + to_json(verdict));
      if (i < 0) continue;
      t.inspect_ms.push_back(ms(measured - begin));
      t.cpu_ms.push_back(cpu);
      t.store_ms.push_back(ms(stored - measured));
      t.total_ms.push_back(ms(stored - begin));
    }
  }
  std::filesystem::remove_all(folder);
  return t;
}

std::string summary(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  const auto at = [&](double q) {
    return v[static_cast<std::size_t>(q * static_cast<double>(v.size() - 1))];
  };
  return fmt::format("{:7.2f} ({:.2f} .. {:.2f})", at(0.5), at(0.1), at(0.9));
}

std::vector<unsigned> thread_counts(int argc, char** argv) {
  if (argc > 2) return {static_cast<unsigned>(std::max(1, std::atoi(argv[2])))};
  const unsigned most = std::max(1u, std::thread::hardware_concurrency());
  std::vector<unsigned> counts;
  for (unsigned threads = 1; threads < most; threads *= 2) counts.push_back(threads);
  counts.push_back(most);
  return counts;
}

}  // namespace

int main(int argc, char** argv) {
  keep_freed_memory();  // as the daemon does
  const int repeats = argc > 1 ? std::max(1, std::atoi(argv[1])) : 31;
  const Recipe recipe = bench::make_recipe();
  const HeightFrame frame = bench::make_frame(recipe);
  SensorProfile sensor;
  sensor.serial = sensor.sha256 = "bench";
  sensor.noise = {{0.0}, {3.0}};
  InspectionInputs inputs;
  inputs.recipe = &recipe;
  inputs.sensor = &sensor;
  BoardPlanner planner;
  const auto print_row = [&](BoardMeasurer& measurer, std::string_view what) {
    const Times t = run(frame, inputs, measurer, repeats);
    fmt::print("{:<24} {:<26} {:<26} {:<26} {}\n",
               fmt::format("{} x{}, {}", name_of(best_isa()), inputs.threads, what), summary(t.inspect_ms),
               summary(t.cpu_ms), summary(t.store_ms), summary(t.total_ms));
  };
  fmt::print("{} x {} int16 frame in memory, {} components; ms, median (10 % .. 90 %) of {}\n", side_px,
             side_px, components, repeats);
  fmt::print("{:<24} {:<26} {:<26} {:<26} {}\n", "backend", "inspect", "cpu", "store (durable)",
             "frame to stored");
  for (const unsigned threads : thread_counts(argc, argv)) {
    inputs.threads = threads;
    CpuBoardMeasurer cpu(cpu_backend(threads));
    GivenRecords given(threads);
    inputs.planner = &planner;
    print_row(given, "records given");
    print_row(cpu, "plan kept");
    inputs.planner = nullptr;
    print_row(cpu, "plan new");
  }
  return 0;
}
