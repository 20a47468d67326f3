// What the GPU's own process costs: the way of a board to the worker and of its records back, without the measuring.
//
//   bench_link [REPEATS]     medians with 1st and 99th percentile
#include <stdlib.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

#include "daemon/gpu_worker/gpu_client.h"
#include "daemon/gpu_worker/slot_writing.h"
#include "tests/gpu/map_scene.h"

namespace {

using namespace datum;
using Clock = GpuClient::Clock;

template <class Work>
void row(const char* what, int repeats, const Work& work) {
  std::vector<double> us;
  for (int i = 0; i < repeats; ++i) {
    const auto from = Clock::now();
    work();
    us.push_back(std::chrono::duration<double, std::micro>(Clock::now() - from).count());
  }
  std::sort(us.begin(), us.end());
  const auto at = [&](double share) {
    return us[static_cast<std::size_t>(share * static_cast<double>(us.size() - 1))];
  };
  std::printf("%-66s %9.1f  %9.1f %9.1f us\n", what, at(0.5), at(0.01), at(0.99));
}

void rows_of(const char* name, const testing::MapScene& board, int repeats) {
  ::setenv("DATUM_TEST_WORKER", "repeats", 1);
  GpuClientSettings settings;
  settings.program = DATUM_TEST_WORKER_PROGRAM;
  settings.staging = cpu_backend();
  settings.measure_timeout = std::chrono::seconds(30);
  GpuClient link(settings);
  const BoardPlan plan = board.plan();
  const FrameView frame = board.view();
  std::vector<std::uint8_t> classes(
      static_cast<std::size_t>(board.rows) * static_cast<std::size_t>(board.cols), 0);
  const FrameView classed{frame.counts, classes.data(), frame.pitch};
  std::vector<SiteRecord> records(plan.site_count);
  const auto soon = [] { return Clock::now() + std::chrono::seconds(30); };
  std::printf("%s: %u sites, %u runs, %d x %d pixels\n", name, plan.site_count, plan.run_count, plan.cols,
              plan.rows);
  link.start();
  link.greeting(soon());
  if (!link.prepare(plan, frame, soon()) || !link.measure(frame, records.data())) {
    std::fprintf(stderr, "bench_link: the worker did not measure\n");
    std::exit(1);
  }
  row("  the plan is the last one", repeats, [&] { link.prepare(plan, frame, soon()); });
  const std::vector<PixelRun> pixels = covered_pixels(plan);
  std::vector<std::byte> slot(slot_frame_bytes(plan));
  const auto stage = [&](const FrameView& from) {
    stage_frame(pixels, plan.type, plan.cols, from, slot.data(), slot_pitch(plan.cols), settings.staging);
  };
  row("  frame with marks into a slot", repeats, [&] { stage(frame); });
  row("  frame with classes into a slot", repeats, [&] { stage(classed); });
  row("  order to records, boards one after the other", repeats,
      [&] { link.measure(frame, records.data()); });
  row("  plan, frame with classes, order, records", repeats, [&] {
    link.prepare(plan, classed, soon());
    link.measure(classed, records.data());
  });
}

}  // namespace

int main(int argc, char** argv) {
  const int repeats = argc > 1 ? std::atoi(argv[1]) : 1000;
  std::printf("%-66s %9s  %9s %9s\n", "", "median", "1 %", "99 %");
  testing::MapScene none;
  none.take_frame(CountType::int16, 8, 8);
  rows_of("an empty plan", none, repeats);
  rows_of("the paper's board", testing::board_map(testing::paper_rings()), repeats);
}
