// datum bench diffusion: a volume of 512 x 512 x 246 counts on this CPU and on its GPU, against a plain loop and ITK; and
// a CT scan against double precision.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <random>
#include <string>
#include <thread>

#include "gpu/core/parallel_for.h"
#include "tests/bench/diffusion_gpu.h"
#include "tests/bench/diffusion_peers.h"
#include "tests/gpu/ct_volume.h"
#include "tests/gpu/diffusion_scenes.h"

namespace datum::bench {
namespace {

using testing::Field;

constexpr DiffusionGrid grid{512, 512, 246};
constexpr double step = 0x1p-19;  // of a count, in the data's unit
constexpr double kappa = 81, lambda = 1.0 / 7;

double seconds(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// Seconds for one more iteration, of `work(iterations)`, so that what is done once is not in it.
double per_iteration(std::uint32_t few, std::uint32_t many, const std::function<void(std::uint32_t)>& work) {
  std::vector<double> s;
  for (int i = 0; i < 3; ++i) {
    const double short_run = seconds([&] { work(few); }), long_run = seconds([&] { work(many); });
    s.push_back((long_run - short_run) / (many - few));
  }
  std::sort(s.begin(), s.end());
  return s[1];
}

/// A ball of 1000 in -1000, noise of +-100.
Field ball() {
  Field f(grid.size());
  std::mt19937 random(1);
  std::size_t i = 0;
  for (int z = 0; z < 246; ++z)
    for (int y = 0; y < 512; ++y)
      for (int x = 0; x < 512; ++x, ++i) {
        const int r2 = (x - 256) * (x - 256) + (y - 256) * (y - 256) + 4 * (z - 123) * (z - 123);
        const double noise = static_cast<double>(random() % 200001) * 1e-3 - 100;
        f[i] = static_cast<std::int32_t>(((r2 < 40000 ? 1000 : -1000) + noise) / step);
      }
  return f;
}

DiffusionSettings settings(Conduction conduction, KappaRule rule, std::uint32_t iterations) {
  return {conduction, rule, rule == KappaRule::fixed ? kappa / step : 0, lambda, iterations};
}

double plain_row(std::vector<float> from, unsigned threads) {
  std::vector<float> to(from.size());
  const double s = per_iteration(1, 6, [&](std::uint32_t iterations) {
    for (std::uint32_t i = 0; i < iterations; ++i) {
      parallel_for(threads, grid.nz, [&](std::size_t z, unsigned) {
        plain_iteration(from.data(), to.data(), grid, z, z + 1, float{kappa}, static_cast<float>(lambda));
      });
      from.swap(to);
    }
  });
  std::printf("plain loop, -Ofast, %2u threads%37.4f s\n", threads, s);
  return s;
}

double datum_row(const Field& field, unsigned threads, Conduction conduction, KappaRule rule) {
  Field f = field;
  const Backend backend = cpu_backend(threads);
  const double s = per_iteration(1, 6, [&](std::uint32_t iterations) {
    diffuse(f.data(), grid, settings(conduction, rule, iterations), backend);
  });
  const std::string name =
      "datumd " + describe(backend) + ", " + name_of(conduction) + ", kappa " + name_of(rule);
  std::printf("%-60s %10.4f s\n", name.c_str(), s);
  return s;
}

void cpu_rows(const Field& field, unsigned threads) {
  std::vector<float> u(field.size());
  std::transform(field.begin(), field.end(), u.begin(),
                 [](std::int32_t v) { return static_cast<float>(v * step); });
  const double plain = plain_row(u, threads);
  const double ours = datum_row(field, threads, Conduction::exponential, KappaRule::fixed);
  datum_row(field, threads, Conduction::rational, KappaRule::fixed);
  datum_row(field, threads, Conduction::exponential, KappaRule::mean_gradient);
  std::printf("   the plain loop takes %.2f times as long (aim 1.5)\n", plain / ours);
  if (!has_itk()) {
    std::printf("   no row of ITK: libinsighttoolkit5-dev is not installed\n");
    return;
  }
  std::vector<float> out;
  const double one = seconds([&] { out = diffused_by_itk(u, grid, kappa, 0.0625, 1, threads); });
  const double itk = seconds([&] { out = diffused_by_itk(u, grid, kappa, 0.0625, 2, threads); }) - one;
  std::printf("ITK GradientAnisotropicDiffusion, %2u threads%24.4f s\n   %.1f times as long (aim 50)\n",
              threads, itk, itk / ours);
}

void gpu_rows(const Field& field) {
  constexpr std::uint32_t iterations = 10;
  const auto row = [&](const char* name, Conduction conduction, KappaRule rule) {
    const DiffusionSettings s = settings(conduction, rule, iterations);
    diffusion_gpu_row(name, field, grid, s, testing::diffused(field, grid, s, cpu_backend()));
  };
  row("GPU, exponential, fixed kappa (aim 160)", Conduction::exponential, KappaRule::fixed);
  row("GPU, exponential, mean gradient (aim 200)", Conduction::exponential, KappaRule::mean_gradient);
  row("GPU, rational, fixed kappa", Conduction::rational, KappaRule::fixed);
  row("GPU, rational, mean gradient", Conduction::rational, KappaRule::mean_gradient);
}

/// A frame of 3904 x 3904, as a recipe's filter has it by default.
void map_rows() {
  constexpr DiffusionGrid map{3904, 3904, 1};
  const Field f = testing::random_field(map, 2, 5000);
  const DiffusionSettings s{Conduction::rational, KappaRule::robust, 0, 0.2, 10};
  Field smooth;
  std::vector<double> ms;
  for (int i = 0; i < 5; ++i) {
    smooth = f;
    ms.push_back(1e3 * seconds([&] { diffuse(smooth.data(), map, s, cpu_backend()); }));
  }
  std::sort(ms.begin(), ms.end());
  std::printf("map of 3904 x 3904, 10 iterations, robust kappa: %s %.1f ms\n",
              describe(cpu_backend()).c_str(), ms[2]);
  diffusion_gpu_row("GPU, the same map, rational", f, map, s, smooth);
}

/// The formula in double as ITK reads it: the gradient at a face is the difference across it and, along the other axes,
/// the mean of the central differences on its two sides. Values, kappa in the data's unit.
std::vector<double> with_cross_derivatives(std::vector<double> u, const DiffusionGrid& g,
                                           const DiffusionSettings& s, double k) {
  const std::size_t step_of[3] = {1, g.nx, std::size_t{g.nx} * g.ny}, extent[3] = {g.nx, g.ny, g.nz};
  for (std::uint32_t n = 0; n < s.iterations; ++n) {
    std::vector<double> sum(u.size());
    const auto central = [&](std::size_t i, int axis) {
      const std::size_t at = i / step_of[axis] % extent[axis];
      return (u[at + 1 < extent[axis] ? i + step_of[axis] : i] - u[at > 0 ? i - step_of[axis] : i]) / 2;
    };
    testing::for_each_face(g, [&](std::size_t a, std::size_t b) {
      const double d = u[b] - u[a];
      double square = d * d;
      for (int axis = 0; axis < 3; ++axis)
        if (a + step_of[axis] != b) square += std::pow((central(a, axis) + central(b, axis)) / 2, 2);
      const double flux = s.lambda * d * std::exp(-square / (k * k));
      sum[a] += flux;
      sum[b] -= flux;
    });
    for (std::size_t i = 0; i < u.size(); ++i) u[i] += sum[i];
  }
  return u;
}

void ct_rows() {
  const std::vector<std::int16_t> ct = testing::ct_volume();
  if (ct.empty()) {
    std::printf("no rows of the CT scan: invesalius-examples is not installed\n");
    return;
  }
  Field f(ct.size());
  std::transform(ct.begin(), ct.end(), f.begin(), [](std::int16_t v) { return v * (1 << 19); });
  DiffusionSettings s{Conduction::exponential, KappaRule::fixed, kappa / step, 0.0625, 5};
  const DiffusionGrid& g = testing::ct_grid;
  const std::vector<double> exact = testing::in_double(f, g, s, s.kappa);
  const Field ours = testing::diffused(f, g, s, cpu_backend());
  const std::vector<float> u(ct.begin(), ct.end());
  const std::vector<float> itk = diffused_by_itk(u, g, kappa, s.lambda, s.iterations, 2);
  double worst = 0, itk_worst = 0, itk_square = 0, moved = 0;
  for (std::size_t i = 0; i < f.size(); ++i) {
    worst = std::max(worst, std::abs(ours[i] - exact[i]) * step);
    moved = std::max(moved, std::abs(exact[i] * step - u[i]));
    const double d = itk[i] - exact[i] * step;
    itk_worst = std::max(itk_worst, std::abs(d));
    itk_square += d * d;
  }
  std::printf("\nCT scan, 5 iterations, kappa 81 HU, lambda 1/16: largest change %.1f HU\n", moved);
  std::printf("datumd differs from double by %.2e HU at most (aim 1e-4)\n", worst);
  if (!has_itk()) return;
  const std::vector<double> crossed = with_cross_derivatives({ct.begin(), ct.end()}, g, s, kappa);
  double left = 0;
  for (std::size_t k = 0; k < f.size(); ++k) left = std::max(left, std::abs(itk[k] - crossed[k]));
  std::printf(
      "ITK differs from double by %.3g HU at most, %.3g rms, and by %.1e from double with the cross "
      "derivatives\n"
      "that it has in the gradient at a face: it conducts less where there is noise or an edge that stands "
      "askew\n",
      itk_worst, std::sqrt(itk_square / static_cast<double>(f.size())), left);
}

}  // namespace
}  // namespace datum::bench

int main(int argc, char** argv) {
  using namespace datum::bench;
  const bool gpu_only = argc > 1 && std::strcmp(argv[1], "--gpu") == 0;
  const Field field = ball();
  std::printf("512 x 512 x 246, seconds an iteration\n");
  if (!gpu_only) {
    cpu_rows(field, 1);
    cpu_rows(field, std::min(2u, std::max(1u, std::thread::hardware_concurrency())));
    ct_rows();
  }
  gpu_rows(field);
  map_rows();
}
