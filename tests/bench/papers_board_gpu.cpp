#include <cstdio>
#include <cstring>

#include "gpu/core/cuda_support.cuh"
#include "gpu/plane_fit/plane_fit_cuda.h"
#include "tests/bench/paper_kernels.h"
#include "tests/bench/papers_gpu.h"
#include "tests/gpu/map_scene.h"

namespace datum::bench {
namespace {

using namespace datum::testing;

double median_of(int rounds, const std::function<double()>& sample) {
  std::vector<double> us;
  for (int i = 0; i < rounds; ++i) us.push_back(sample());
  return spread_of(us).median;
}

struct Times {
  double kernels = 0, with_upload = 0;
  bool equal = true;
};

Times fit(const MapScene& map, const std::vector<PlanePoints>& planes,
          const cuda::Buffer<unsigned char>& host, float t_um, FitMode mode, const Stream& stream) {
  std::vector<SitePlan> sites = map.sites;
  for (SitePlan& site : sites) {
    site.threshold = t_um;
    site.refit_threshold = 0;
  }
  BoardPlan plan = map.plan();
  plan.sites = sites.data();
  plan.mode = mode;
  cuda::Buffer<unsigned char> frame;
  frame.reserve(map.bytes());
  const auto upload = [&] {
    cuda::check(cudaMemcpyAsync(frame.get(), host.get(), map.bytes(), cudaMemcpyHostToDevice, stream),
                "frame");
  };
  upload();
  CudaPlaneFit fitter;
  fitter.prepare(plan, map.pitch);
  fitter.launch(stream, frame.get());
  stream.finish();
  const Replay graph(stream, [&](CudaStream s) { fitter.launch(s, frame.get()); });
  std::vector<PlaneFit> fits(sites.size()), expected(sites.size());
  std::vector<std::uint8_t> needs_cpu(sites.size());
  Times times;
  times.kernels = median_of(20, [&] { return graph.device_us(); });
  times.with_upload = median_of(20, [&] {
    return wall_us([&] {
      upload();
      graph.launch();
      fitter.fetch(stream, fits.data(), needs_cpu.data());
    });
  });
  fit_planes(planes.data(), planes.size(), settings_of(plan, sites[0]), cpu_backend(), expected.data());
  for (std::size_t i = 0; i < fits.size(); ++i)
    times.equal = times.equal && (needs_cpu[i] != 0 || bytes_of(fits[i]) == bytes_of(expected[i]));
  return times;
}

}  // namespace

/// Table 6: a made board with the paper's numbers of rings and of points.
void board_gpu_rows(const Stream& stream) {
  const MapScene map = board_map(paper_rings());
  cuda::Buffer<unsigned char> host(cuda::Where::host_mapped);
  host.reserve(map.bytes());
  std::memcpy(host.get(), map.memory.data(), map.bytes());
  std::vector<Scene> scenes;
  std::vector<PlanePoints> planes;
  const BoardPlan plan = map.plan();
  for (std::uint32_t i = 0; i < map.sites.size(); ++i) scenes.push_back(ring_points(plan, i, map.view()));
  for (const Scene& s : scenes) planes.push_back(s.points());
  std::printf(
      "\nThe multi-plane paper, table 6, %zu rings of 3904 x 3904 heights; ms: kernels screened, exact; with "
      "the whole frame's upload; the paper's kernels\n",
      map.sites.size());
  const struct {
    float t_um;
    double cpu, gpu;
  } printed[] = {{20, 94, 16}, {30, 53, 13}};
  for (const auto& row : printed) {
    const Times screened = fit(map, planes, host, row.t_um, FitMode::screened, stream),
                exact = fit(map, planes, host, row.t_um, FitMode::exact, stream);
    Baselines paper(planes, row.t_um, 0.999);
    const double theirs = median_of(10, [&] {
      return wall_us([&] {
        paper.paper(stream);
        stream.finish();
      });
    });
    std::printf("t = %2.0f um: printed %3.0f %3.0f; here %.4f, %.4f; %.3f, %.3f; %.3f; bytes %s\n", row.t_um,
                row.cpu, row.gpu, screened.kernels * 1e-3, exact.kernels * 1e-3, screened.with_upload * 1e-3,
                exact.with_upload * 1e-3, theirs * 1e-3, said(screened.equal && exact.equal));
  }
}

}  // namespace datum::bench
