#include "tests/virtual_cell/twin_world.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "tests/virtual_cell/twin_random.h"

namespace datum {
namespace {

std::size_t product(int rows, int cols) {
  return static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols);
}

/// Counter of a pixel, equal in frames of any size.
std::uint64_t place(std::size_t index, const TwinView& view) {
  const auto cols = static_cast<std::size_t>(view.cols);
  return (index / cols << 24) + index % cols;
}

/// exp(-x) for 0 <= x by (1 + x / 2^20)^-(2^20): + * / only, the same bytes on every machine; error 1e-6 x^2.
double decay(double x) {
  double base = 1 / (1 + x / 1048576);
  for (int i = 0; i < 20; ++i) base *= base;
  return base;
}

/// Half of a Gaussian kernel, weights[0] at the centre; the squares of the whole kernel sum to 1.
std::vector<float> half_kernel(double sigma) {
  const int radius = static_cast<int>(std::ceil(3.5 * sigma));
  std::vector<double> weights;
  double squares = 0;
  for (int k = 0; k <= radius; ++k) {
    weights.push_back(decay(k * k / (2 * sigma * sigma)));
    squares += (k == 0 ? 1 : 2) * weights.back() * weights.back();
  }
  std::vector<float> half;
  for (double w : weights) half.push_back(static_cast<float>(w / std::sqrt(squares)));
  return half;
}

/// White noise on rows x cols lattice points, filtered in both directions.
std::vector<float> lattice_noise(int rows, int cols, double sigma, const TwinRandom& random) {
  const std::vector<float> half = half_kernel(sigma);
  const int r = static_cast<int>(half.size()) - 1;
  const int wide = cols + 2 * r, tall = rows + 2 * r;
  std::vector<float> across(product(tall, cols)), line(static_cast<std::size_t>(wide)),
      noise(product(rows, cols), 0);
  for (int row = 0; row < tall; ++row) {
    for (int col = 0; col < wide; ++col)
      line[static_cast<std::size_t>(col)] = static_cast<float>(
          random.normal((static_cast<std::uint64_t>(row) << 24) + static_cast<std::uint64_t>(col)));
    float* out = &across[product(row, cols)];
    const float* middle = line.data() + r;
    for (int col = 0; col < cols; ++col) out[col] = half[0] * middle[col];
    for (int k = 1; k <= r; ++k)
      for (int col = 0; col < cols; ++col)
        out[col] += half[static_cast<std::size_t>(k)] * (middle[col - k] + middle[col + k]);
  }
  for (int row = 0; row < rows; ++row) {
    float* out = &noise[product(row, cols)];
    for (int k = -r; k <= r; ++k) {
      const float w = half[static_cast<std::size_t>(std::abs(k))];
      const float* in = &across[product(row + r + k, cols)];
      for (int col = 0; col < cols; ++col) out[col] += w * in[col];
    }
  }
  return noise;
}

void add_smooth(const TwinWorld& world, const TwinSurface& surface, const TwinView& view, std::uint64_t seed,
                std::vector<double>& um) {
  std::uint64_t part = 0;
  for (const TwinKernelNoise& n : world.smooth) {
    const std::vector<float> noise = kernel_noise(view.rows, view.cols, n.kernel_px, seed + (part++ << 56));
    for (std::size_t i = 0; i < um.size(); ++i)
      um[i] += n.um * noise[i] * (!surface.on_body.empty() && surface.on_body[i] ? world.body_noise : 1);
  }
}

void add_lines(const TwinWorld& world, const TwinView& view, std::uint64_t seed, std::vector<double>& um) {
  const TwinRandom rows(seed, TwinStream::rows), columns(seed, TwinStream::columns);
  const auto segment = [&](int at) {
    return static_cast<std::uint64_t>(world.line_px > 0 ? at / world.line_px : 0) << 24;
  };
  if (world.row_um <= 0 && world.column_um <= 0) return;
  for (int row = 0; row < view.rows; ++row)
    for (int col = 0; col < view.cols; ++col)
      um[product(row, view.cols) + static_cast<std::size_t>(col)] +=
          world.row_um * rows.normal(segment(col) + static_cast<std::uint64_t>(row)) +
          world.column_um * columns.normal(segment(row) + static_cast<std::uint64_t>(col));
}

/// Highest and lowest within `reach` along one line of `count` pixels `step` apart.
void spread_line(const double* high_in, const double* low_in, double* high, double* low, int count,
                 std::size_t step, int reach) {
  for (int i = 0; i < count; ++i) {
    double most = -1e300, least = 1e300;
    for (int k = std::max(0, i - reach); k <= std::min(count - 1, i + reach); ++k) {
      most = std::max(most, high_in[static_cast<std::size_t>(k) * step]);
      least = std::min(least, low_in[static_cast<std::size_t>(k) * step]);
    }
    high[static_cast<std::size_t>(i) * step] = most;
    low[static_cast<std::size_t>(i) * step] = least;
  }
}

void add_spikes(const TwinWorld& world, const TwinSurface& surface, const TwinView& view, std::uint64_t seed,
                std::vector<double>& um) {
  if (world.spike_ratio <= 0) return;
  const TwinRandom random(seed, TwinStream::spikes);
  std::vector<double> high(um.size()), low(um.size()), highest(um.size()), lowest(um.size());
  for (int row = 0; row < view.rows; ++row) {
    const std::size_t i = product(row, view.cols);
    spread_line(&surface.z_mm[i], &surface.z_mm[i], &high[i], &low[i], view.cols, 1, world.spike_px);
  }
  for (int col = 0; col < view.cols; ++col) {
    const auto i = static_cast<std::size_t>(col);
    spread_line(&high[i], &low[i], &highest[i], &lowest[i], view.rows, static_cast<std::size_t>(view.cols),
                world.spike_px);
  }
  for (std::size_t i = 0; i < um.size(); ++i)
    if (highest[i] - lowest[i] > twin_wall_mm && random.uniform(2 * place(i, view)) < world.spike_ratio)
      um[i] += world.spike_um * random.uniform(2 * place(i, view) + 1);
}

/// Layers of blobs of a tenth each: a lattice cell of 32 x 32 pixels holds at most one of radius 2 to 10.
void hide_blobs(const TwinWorld& world, const TwinView& view, std::uint64_t seed,
                std::vector<PixelClass>& classes) {
  constexpr int cell = 32;
  constexpr double mean_area = 129.9;  // pi (2^2 + 2 * 10 + 10^2) / 3
  if (world.missing_blob_ratio <= 0) return;
  const int layers = static_cast<int>(std::ceil(std::log(1 - world.missing_blob_ratio) / std::log(0.9)));
  const double each = 1 - std::pow(1 - world.missing_blob_ratio, 1.0 / layers);
  const double chance = each * cell * cell / mean_area;
  for (int layer = 0; layer < layers; ++layer) {
    const TwinRandom random(seed + (static_cast<std::uint64_t>(layer) << 56), TwinStream::blobs);
    for (int cy = -cell; cy < view.rows + cell; cy += cell)
      for (int cx = -cell; cx < view.cols + cell; cx += cell) {
        const std::uint64_t n =
            4 * ((static_cast<std::uint64_t>(cy + cell) << 24) + static_cast<std::uint64_t>(cx + cell));
        if (random.uniform(n) >= chance) continue;
        const double x = cx + cell * random.uniform(n + 1), y = cy + cell * random.uniform(n + 2);
        const double radius = 2 + 8 * random.uniform(n + 3);
        for (int row = std::max(0, static_cast<int>(y - radius));
             row < std::min(view.rows, static_cast<int>(y + radius) + 2); ++row)
          for (int col = std::max(0, static_cast<int>(x - radius));
               col < std::min(view.cols, static_cast<int>(x + radius) + 2); ++col) {
            PixelClass& c = classes[product(row, view.cols) + static_cast<std::size_t>(col)];
            if ((col - x) * (col - x) + (row - y) * (row - y) <= radius * radius && c == PixelClass::ok)
              c = PixelClass::no_data;
          }
      }
  }
}

void hide(const TwinWorld& world, const TwinSurface& surface, const TwinView& view, std::uint64_t seed,
          const std::vector<double>& um, std::vector<PixelClass>& classes) {
  const TwinRandom random(seed, TwinStream::missing);
  for (std::size_t i = 0; i < um.size(); ++i) {
    if (classes[i] != PixelClass::ok) continue;
    const double chance =
        surface.dark.empty() ? world.missing_ratio : std::max<double>(world.missing_ratio, surface.dark[i]);
    if (world.highest_um && um[i] > *world.highest_um)
      classes[i] = world.above;
    else if (chance > 0 && random.uniform(place(i, view)) < chance)
      classes[i] = PixelClass::no_data;
  }
}

}  // namespace

void check(const TwinWorld& world) {
  const auto refuse = [](const std::string& what) { throw std::invalid_argument("digital twin: " + what); };
  for (double ratio : {world.missing_ratio, world.missing_blob_ratio, world.spike_ratio})
    if (!(ratio >= 0 && ratio <= 0.5)) refuse("shares of missing pixels and spikes must be 0 to 0.5");
  for (double um : {world.row_um, world.column_um, world.spike_um})
    if (!(um >= 0 && um < 1e6)) refuse("row_um, column_um and spike_um must be 0 or more um");
  if (!(world.body_noise >= 0 && world.body_noise <= 100)) refuse("body_noise must be 0 to 100");
  if (!(world.body_outliers >= 0 && world.body_outliers <= 1)) refuse("body_outliers must be 0 to 1");
  if (world.spike_px < 1 || world.spike_px > 64) refuse("spike_px must be 1 to 64");
  if (world.line_px < 0) refuse("line_px must be 0 or more");
  for (const TwinKernelNoise& n : world.smooth)
    if (!(n.um >= 0 && n.um < 1e6 && n.kernel_px >= 0.5 && n.kernel_px <= 200))
      refuse("a kernel's noise must be 0 or more um, its width 0.5 to 200 px");
}

std::vector<float> kernel_noise(int rows, int cols, double kernel_px, std::uint64_t seed) {
  const TwinRandom random(seed, TwinStream::kernel);
  const int step = std::max(1, static_cast<int>(kernel_px / 5));
  if (step == 1) return lattice_noise(rows, cols, kernel_px, random);
  const int wide = cols / step + 2, tall = rows / step + 2;
  const std::vector<float> lattice = lattice_noise(tall, wide, kernel_px / step, random);
  std::vector<float> noise(product(rows, cols));
  for (int row = 0; row < rows; ++row)
    for (int col = 0; col < cols; ++col) {
      const float* at = &lattice[product(row / step, wide) + static_cast<std::size_t>(col / step)];
      const float x = static_cast<float>(col % step) / static_cast<float>(step);
      const float y = static_cast<float>(row % step) / static_cast<float>(step);
      noise[product(row, cols) + static_cast<std::size_t>(col)] =
          (1 - y) * ((1 - x) * at[0] + x * at[1]) + y * ((1 - x) * at[wide] + x * at[wide + 1]);
    }
  return noise;
}

void add_world(const TwinWorld& world, const TwinSurface& surface, const TwinView& view, std::uint64_t seed,
               std::vector<double>& um, std::vector<PixelClass>& classes) {
  add_smooth(world, surface, view, seed, um);
  add_lines(world, view, seed, um);
  add_spikes(world, surface, view, seed, um);
  hide(world, surface, view, seed, um, classes);
  hide_blobs(world, view, seed, classes);
}

}  // namespace datum
