#include "tests/bench/gpu_table.h"

#include <cstdio>
#include <cstring>
#include <exception>
#include <string>
#include <vector>

#include "gpu/core/cuda_device.h"
#include "tests/bench/gpu_board_rows.h"
#include "tests/bench/gpu_rows.h"

namespace datum::bench {
namespace {

using testing::TruePlane;

void print(const Ceilings& c) {
  std::printf("ceilings of this run\n");
  std::printf("  read, %.1f GiB by 16-byte loads         %8.0f GB/s\n",
              static_cast<double>(c.read_bytes) / (1 << 30), c.read_gb_s);
  std::printf("  fp32 fma, independent                  %8.2f e12 lanes/s (%.1f TFLOP/s)\n",
              c.fma_per_s * 1e-12, 2e-12 * c.fma_per_s);
  std::printf("  scoring loop (add, 2 fma, set, add)    %8.2f e12 instructions/s\n", c.scoring_per_s * 1e-12);
  std::printf("  upload from pinned memory              %8.1f GB/s\n", c.upload_gb_s);
  std::printf("  a graph of one empty kernel            %8.1f us until seen (99th percentile %.1f)\n",
              c.empty_graph_us.median, c.empty_graph_us.p99);
}

struct PaperTable {
  const char* name;
  std::size_t planes;
  std::int32_t across, down;
  TruePlane plane;
  double ms[3];  // printed, on the paper's card, at the three ratios
  bool map;
};

// 4,000 points: 80 x 50 on the same area.
constexpr PaperTable tables[] = {
    {"table 1", 400, 200, 200, {-0.1, 0.1, 3}, {238, 125, 89}, true},
    {"table 2", 400, 200, 200, {1, 2, 3}, {237, 125, 87}, false},
    {"table 4", 40, 200, 200, {1, 2, 3}, {33, 19, 15}, true},
    {"table 5", 400, 80, 50, {1, 2, 3}, {29, 18, 14}, false},
};
constexpr double ratios[] = {0.5, 0.7, 0.9};

bool run(bool quick) {
  const Stream stream;
  const int rounds = quick ? 2 : 6;
  const Ceilings ceilings = measure_ceilings(stream, quick ? 5 : 15);
  print(ceilings);
  std::printf("\n%-50s %9s %9s %9s %8s %8s %6s %6s %8s %8s  %s\n", "method", "us", "10 %", "90 %", "x paper",
              "floor us", "of it", "N", "corner", "most", "bytes");
  Fitters fitters;
  bool equal = true;
  for (const PaperTable& t : tables) {
    for (int i = 0; i < 3; ++i) {
      Workload w = paper_workload(t.planes, t.across, t.down, t.plane, ratios[i], t.map);
      w.name += std::string("; ") + t.name +
                ", the paper's card: " + std::to_string(static_cast<int>(t.ms[i])) + " ms in all";
      equal = run_workload(w, ceilings, rounds, stream, &fitters) && equal;
    }
  }
  const Workload rings = ring_workload();
  equal = run_workload(rings, ceilings, rounds, stream, &fitters) && equal;
  std::puts(
      "\nus: median, 10th and 90th percentile; on the device by events around a graph, with transfer or on "
      "the "
      "host by the host's clock.\n"
      "floor: the longer of bytes / read rate (12 or 2 per point) and instructions / scoring rate (5.3 per "
      "point "
      "and hypothesis counted,\n34 per point summed); with transfer: bytes / upload rate. corner: error at "
      "the "
      "worst corner, median and most of the planes.\n"
      "Small workloads stay in the card's cache from one repetition to the next.");
  return run_board_rows(*rings.map, quick ? 200 : 2000) && equal;
}

}  // namespace

int gpu_table(int count, char** arguments) {
  const bool quick = count == 1 && std::strcmp(arguments[0], "--quick") == 0;
  const bool board = count == 1 && std::strcmp(arguments[0], "--board") == 0;
  if (count > 0 && !quick && !board) {
    std::fputs("usage: bench_planes --gpu [--quick | --board]\n", stderr);
    return 2;
  }
  const CudaDevice device = probe_cuda_device();
  if (!device.usable) {
    std::fprintf(stderr, "bench planes --gpu: %s\n", device.why.c_str());
    return 2;
  }
  std::printf("%s; %s\n", device.why.c_str(), cpu_backend().why.c_str());
  try {
    if (board ? run_board_rows(*ring_workload().map, 400) : run(quick)) return 0;
    std::fputs("bench planes --gpu: bytes differ from the CPU backend's, see above\n", stderr);
  } catch (const std::exception& e) {
    std::fflush(stdout);
    std::fprintf(stderr, "bench planes --gpu: %s\n", e.what());
  }
  return 1;
}

}  // namespace datum::bench
