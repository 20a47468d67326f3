#include "tests/bench/fringe_gpu.h"

#include <cstdio>
#include <cstring>

#include "gpu/core/cuda_device.h"
#include "gpu/fringe_phase/fringe_phase_cuda.h"
#include "tests/bench/gpu_timing.h"

namespace datum::bench {
namespace {

struct Case {
  const char* name;
  bool heights, sigmas;
};

bool same(const testing::FringeResult& a, const testing::FringeResult& b, const Case& c) {
  const auto equal = [](const auto& x, const auto& y) {
    return std::memcmp(x.data(), y.data(), x.size() * sizeof x[0]) == 0;
  };
  return equal(a.column, b.column) &&
         (!c.heights || (equal(a.classes, b.classes) && equal(a.height, b.height))) &&
         (!c.sigmas || equal(a.sigma, b.sigma));
}

}  // namespace

void fringe_gpu_rows(testing::RawFringes<std::uint8_t>& raw, const FringePattern& pattern,
                     const FringeLimits& limits, const HeightModel& model,
                     const testing::FringeResult& expected) {
  const CudaDevice device = probe_cuda_device();
  if (!device.usable) {
    std::printf("no GPU rows: %s\n", device.why.c_str());
    return;
  }
  const Stream stream;
  const Ceilings ceilings = measure_ceilings(stream, 15);
  const std::size_t n = std::size_t{raw.width} * raw.height;
  CudaFringePhase fringes;
  for (const Case c : {Case{"classes and columns", false, false}, Case{"and heights", true, false},
                       Case{"and sigma and heights", true, true}}) {
    testing::FringeResult r(n, false, c.heights);
    r.maps.modulation = r.maps.mean = r.maps.height_sigma_um = nullptr;
    if (!c.sigmas) r.maps.sigma_px = nullptr;
    fringes.prepare(raw.images(), pattern, limits, c.heights ? &model : nullptr, r.maps);
    fringes.upload(stream, raw.images());
    const Replay replay(stream, [&](CudaStream s) { fringes.launch(s); });
    std::vector<double> us;
    for (int i = 0; i < 60; ++i) us.push_back(replay.device_us());
    fringes.fetch(stream, r.maps);
    const double bytes = static_cast<double>(n) * (12 + 1 + 4 + (c.heights ? 4 : 0) + (c.sigmas ? 4 : 0));
    const Spread s = spread_of(us);
    std::printf(
        "%s, %-22s kernel %.1f us (10 %% %.1f, 90 %% %.1f); memory alone %.1f us at %.0f GB/s; bytes %s\n",
        device.name.c_str(), c.name, s.median, s.p10, s.p90, bytes / ceilings.read_gb_s * 1e-3,
        ceilings.read_gb_s, same(r, expected, c) ? "equal" : "DIFFERENT");
  }
}

}  // namespace datum::bench
