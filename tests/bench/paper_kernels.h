// Two baselines on the device, both in fp32 with fma where a compiler would contract to it: the multi-plane
// paper's three kernels as printed (section 3.2), and what a first port to a GPU looks like. Not for use in
// the product.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "gpu/plane_fit/plane_fit.h"
#include "tests/bench/paper_ransac.h"

struct CUstream_st;

namespace datum::bench {

struct BaselineFit {
  PaperPlane plane{};
  int hypotheses = 0, inliers = 0;
};

/// Points of many planes on the device, in three arrays one plane after the other; taken once, before any
/// time is measured. t = distance to the plane, p = probability of equation 2.
class Baselines {
 public:
  Baselines(const std::vector<PlanePoints>& planes, float t, double p);
  ~Baselines();
  Baselines(const Baselines&) = delete;
  Baselines& operator=(const Baselines&) = delete;

  /// The paper: one block of 256 threads for each plane. Kernels only, asynchronous.
  void paper(CUstream_st* stream);
  /// One of its kernels, 1 to 3; 2 and 3 read what those before left.
  void paper_kernel(CUstream_st* stream, int number);
  /// Results of the last paper(); the stream must be done.
  std::vector<BaselineFit> paper_fits() const;

  /// One thread for each point, counts by global atomics, the rule of the paper on the host after every
  /// batch of 16 hypotheses for each plane that is not finished. Returns when all is done.
  std::vector<BaselineFit> point_per_thread(CUstream_st* stream);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace datum::bench
