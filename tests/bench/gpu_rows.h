// Rows of the GPU table: who is timed, and how a row is printed beside its floor.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "gpu/plane_fit/plane_fit_cuda.h"
#include "tests/bench/gpu_timing.h"
#include "tests/bench/gpu_workloads.h"

namespace datum::bench {

/// The least that a method must do, where it has a floor: bytes that the device reads, instructions that it
/// issues, bytes that cross to it.
struct Demand {
  double bytes = 0, instructions = 0, uploaded = 0;
  double floor_us(const Ceilings& c) const;
};

struct Row {
  std::string name;
  int samples_per_round = 1;
  std::function<double()> sample;  // us
  Demand demand;
  bool is_paper = false;  // the row that the speed-up is against
  std::vector<double> us;
  // after the last round: planes and N of each, and what the comparison with the CPU backend says
  std::function<void(Row*)> finish;
  std::vector<double> corner_errors;
  double hypotheses = 0;
  std::string bytes;  // "equal", "DIFFER ...", or empty for what has nothing to be equal to
};

/// Objects that keep their memory from workload to workload.
struct Fitters {
  CudaPlaneFit points[2], map[2];  // by FitMode
  cuda::Buffer<unsigned char> frame;
};

/// Rows of one workload take turns, round after round; the first round is not counted. Prints them and
/// returns whether all bytes are equal.
bool run_workload(const Workload& workload, const Ceilings& ceilings, int rounds, const Stream& stream,
                  Fitters* fitters);

}  // namespace datum::bench
