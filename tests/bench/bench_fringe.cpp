// datum bench fringe: 4096 x 4096 pixels, three periods of four steps of bytes, to columns and heights, on this CPU and on
// its GPU.
#include <chrono>
#include <cstdio>
#include <cstring>

#include "gpu/core/parallel_for.h"
#include "tests/bench/fringe_gpu.h"
#include "tests/bench/plain_fringe.h"

namespace datum::bench {
namespace {

using testing::FringeResult;
using testing::RawFringes;

double median_ms(int rounds, const std::function<void()>& work) {
  std::vector<double> ms;
  for (int i = 0; i < rounds; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    ms.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
  }
  std::sort(ms.begin(), ms.end());
  return ms[static_cast<std::size_t>(rounds / 2)];
}

/// Rows of a slope with ragged pixels, the same again every 32 rows.
RawFringes<std::uint8_t> large_images(const FringePattern& p, std::uint32_t side) {
  RawFringes<std::uint8_t> rows = testing::ragged_images<std::uint8_t>(p, side, 32, 1);
  RawFringes<std::uint8_t> all(side, side, p.periods * p.steps);
  for (std::size_t i = 0; i < all.samples.size(); ++i)
    for (std::size_t at = 0; at < all.samples[i].size(); at += rows.samples[i].size())
      std::memcpy(all.samples[i].data() + at, rows.samples[i].data(), rows.samples[i].size());
  return all;
}

void plain_row(RawFringes<std::uint8_t>& raw, const FringePattern& p, const FringeLimits& limits,
               unsigned threads, FringeResult* out) {
  const std::uint8_t* images[12];
  for (int i = 0; i < 12; ++i) images[i] = raw.samples[static_cast<std::size_t>(i)].data();
  parallel_for(threads, raw.height, [&](std::size_t row, unsigned) {
    plain_fringes(images, p, limits, row * raw.width, (row + 1) * raw.width, out->classes.data(),
                  out->column.data());
  });
}

/// One line for a number of threads. Pixels may be classed otherwise where a comparison hangs on a rounding.
void cpu_row(RawFringes<std::uint8_t>& raw, const FringePattern& p, const FringeLimits& limits,
             const HeightModel& model, unsigned threads) {
  const Backend backend = cpu_backend(threads);
  const std::size_t n = std::size_t{raw.width} * raw.height;
  FringeResult ours(n, false, true), plain(n, false, false);
  FringeMaps columns;
  columns.classes = ours.classes.data();
  columns.column_px = ours.column.data();
  FringeMaps heights = columns;
  heights.height = ours.height.data();
  const double with_heights =
      median_ms(5, [&] { demodulate(raw.images(), p, limits, &model, backend, heights); });
  const double ms = median_ms(5, [&] { demodulate(raw.images(), p, limits, nullptr, backend, columns); });
  const double plain_ms = median_ms(3, [&] { plain_row(raw, p, limits, threads, &plain); });
  std::size_t differ = 0;
  float apart = 0;
  for (std::size_t i = 0; i < n; ++i)
    if (ours.classes[i] != plain.classes[i])
      ++differ;
    else
      apart = std::max(apart, std::fabs(ours.column[i] - plain.column[i]));
  std::printf(
      "%s: columns %.1f ms, with heights %.1f; plain loop with atan2f %.1f, %.1f times as long; "
      "%zu pixels classed otherwise, columns %.2g px apart\n",
      describe(backend).c_str(), ms, with_heights, plain_ms, plain_ms / ms, differ,
      static_cast<double>(apart));
}

void run(std::uint32_t side, bool cpu) {
  const FringePattern p = testing::three_periods(4);
  const FringeLimits limits = testing::limits_of_bytes();
  RawFringes<std::uint8_t> raw = large_images(p, side);
  const testing::ModelScene scene(side, side, 64);
  std::printf("%u x %u pixels, 3 periods of 4 steps, bytes; medians\n", side, side);
  const unsigned cores = cpu_backend(0).threads;
  if (cpu) cpu_row(raw, p, limits, scene.model, 1);
  if (cpu && cores > 1) cpu_row(raw, p, limits, scene.model, cores);
  FringeResult expected(std::size_t{side} * side, false, true);
  expected.maps.modulation = expected.maps.mean = expected.maps.height_sigma_um = nullptr;
  demodulate(raw.images(), p, limits, &scene.model, cpu_backend(0), expected.maps);
  fringe_gpu_rows(raw, p, limits, scene.model, expected);
}

}  // namespace
}  // namespace datum::bench

/// --quick: an image of a sixteenth; --gpu: the device alone.
int main(int argc, char** argv) {
  bool quick = false, cpu = true;
  for (int i = 1; i < argc; ++i) {
    quick = quick || std::strcmp(argv[i], "--quick") == 0;
    cpu = cpu && std::strcmp(argv[i], "--gpu") != 0;
  }
  datum::bench::run(quick ? 1024 : 4096, cpu);
  return 0;
}
