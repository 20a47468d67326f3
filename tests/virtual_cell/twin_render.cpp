#include "tests/virtual_cell/twin_render.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "tests/virtual_cell/twin_random.h"

namespace datum {
namespace {

constexpr std::int16_t invalid_count = -32768;

/// Counter of a pixel or lattice point, equal in frames of any size.
std::uint64_t place(int row, int col) {
  return (static_cast<std::uint64_t>(static_cast<std::uint32_t>(row)) << 24) +
         static_cast<std::uint32_t>(col);
}

/// Sum of white noise over a square of m x m lattice points, divided by m: standard deviation 1. Integer
/// sums, so that a sliding sum adds no rounding.
std::vector<float> correlated_noise(int rows, int cols, int m, std::uint64_t seed) {
  const TwinRandom random(seed, TwinStream::correlated);
  std::vector<std::int64_t> column(static_cast<std::size_t>(cols + m), 0);
  std::vector<std::int32_t> lattice(static_cast<std::size_t>(rows + m) * static_cast<std::size_t>(cols + m));
  const auto at = [&](int r, int c) -> std::int32_t& {
    return lattice[static_cast<std::size_t>(r) * static_cast<std::size_t>(cols + m) +
                   static_cast<std::size_t>(c)];
  };
  for (int r = 0; r < rows + m; ++r)
    for (int c = 0; c < cols + m; ++c) at(r, c) = random.gauss_count(place(r, c));
  std::vector<float> noise(static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols));
  for (int r = 0; r < m - 1; ++r)
    for (int c = 0; c < cols + m; ++c) column[static_cast<std::size_t>(c)] += at(r, c);
  for (int r = 0; r < rows; ++r) {
    std::int64_t sum = 0;
    for (int c = 0; c < cols + m; ++c) {
      column[static_cast<std::size_t>(c)] += at(r + m - 1, c);
      if (r > 0) column[static_cast<std::size_t>(c)] -= at(r - 1, c);
    }
    for (int c = 0; c < m - 1; ++c) sum += column[static_cast<std::size_t>(c)];
    for (int c = 0; c < cols; ++c) {
      sum += column[static_cast<std::size_t>(c + m - 1)];
      if (c > 0) sum -= column[static_cast<std::size_t>(c - 1)];
      noise[static_cast<std::size_t>(r) * static_cast<std::size_t>(cols) + static_cast<std::size_t>(c)] =
          static_cast<float>(static_cast<double>(sum) / (TwinRandom::gauss_unit * m));
    }
  }
  return noise;
}

/// Calls hit(index, counter) for the pixels of small round blobs that cover about `ratio` of the frame: a
/// lattice cell of 8 x 8 holds at most one blob of radius 0.5 to 2.5 (mean area 8.1 pixels).
template <class Hit>
void for_each_blob_pixel(int rows, int cols, double ratio, const TwinRandom& random, Hit&& hit) {
  constexpr int cell = 8;
  constexpr double mean_area = 8.1;
  const double chance = ratio * cell * cell / mean_area;
  if (chance <= 0) return;
  for (int cy = 0; cy < rows; cy += cell) {
    for (int cx = 0; cx < cols; cx += cell) {
      const std::uint64_t n = 4 * place(cy, cx);
      if (random.uniform(n) >= chance) continue;
      const double x = cx + cell * random.uniform(n + 1), y = cy + cell * random.uniform(n + 2);
      const double radius = 0.5 + 2 * random.uniform(n + 3);
      for (int row = std::max(0, cy - 3); row < std::min(rows, cy + cell + 3); ++row)
        for (int col = std::max(0, cx - 3); col < std::min(cols, cx + cell + 3); ++col)
          if ((col - x) * (col - x) + (row - y) * (row - y) <= radius * radius)
            hit(static_cast<std::size_t>(row) * static_cast<std::size_t>(cols) +
                    static_cast<std::size_t>(col),
                place(row, col));
    }
  }
}

/// Triangle wave in -1 .. 1, period 1.
double triangle(double phase) { return 4 * std::abs(phase - std::floor(phase + 0.5)) - 1; }

void check_settings(const TwinSurface& surface, const TwinView& view, const TwinSensor& sensor) {
  const auto refuse = [](const char* what) {
    throw std::invalid_argument(std::string("digital twin: ") + what);
  };
  if (view.rows <= 0 || view.cols <= 0 || view.cols >= 1 << 20)
    refuse("rows and columns must be 1 to 1048575");
  if (surface.z_mm.size() != static_cast<std::size_t>(view.rows) * static_cast<std::size_t>(view.cols))
    refuse("the surface has another size than the view");
  const TwinNoise& n = sensor.noise;
  if (n.correlation_px < 1 || n.correlation_px > 64) refuse("correlation_px must be 1 to 64");
  for (double ratio : {n.dropout_ratio, n.speckle_ratio, n.outlier_ratio})
    if (!(ratio >= 0 && ratio <= 0.1)) refuse("dropout, speckle and outlier ratios must be 0 to 0.1");
  for (double um : {n.white_um, n.correlated_um, n.speckle_um, n.outlier_um, n.linearity_um})
    if (!(um >= 0 && um < 1e6)) refuse("noise must be 0 or more um");
  if (!(n.linearity_period_mm > 0)) refuse("linearity_period_mm must be above 0");
  check(n.world);
  if (!(sensor.z.scale_mm > 0)) refuse("the scale of z must be above 0");
}

/// Classes, and heights in um with all errors except rounding.
struct Measured {
  std::vector<double> um;
  std::vector<PixelClass> classes;
};

Measured add_errors(const TwinSurface& surface, const TwinView& view, const TwinNoise& n,
                    std::uint64_t seed) {
  Measured m{surface.z_mm, surface.classes};
  const TwinRandom white(seed, TwinStream::white), speckle(seed, TwinStream::speckle);
  const TwinRandom outlier(seed, TwinStream::outlier), dropout(seed, TwinStream::dropout);
  std::vector<float> smooth;
  if (n.correlated_um > 0) smooth = correlated_noise(view.rows, view.cols, n.correlation_px, seed);
  std::size_t i = 0;
  for (int row = 0; row < view.rows; ++row) {
    for (int col = 0; col < view.cols; ++col, ++i) {
      const double z_mm = surface.z_mm[i];
      double um = z_mm * 1e3 * (1 + n.scale_error_ppm * 1e-6);
      if (n.linearity_um > 0)
        um += n.linearity_um * triangle(z_mm / n.linearity_period_mm + n.linearity_phase);
      const bool body = !surface.on_body.empty() && surface.on_body[i];
      const double louder = body ? n.world.body_noise : 1;
      if (n.white_um > 0) um += louder * n.white_um * white.normal(place(row, col));
      if (!smooth.empty()) um += louder * n.correlated_um * smooth[i];
      const double outliers = n.outlier_ratio * (body ? n.world.body_outliers : 1);
      if (outliers > 0 && outlier.uniform(2 * place(row, col)) < outliers)
        um += n.outlier_um * (2 * outlier.uniform(2 * place(row, col) + 1) - 1);
      m.um[i] = um;
    }
  }
  const TwinRandom error(seed ^ 0x5EC, TwinStream::speckle);
  for_each_blob_pixel(view.rows, view.cols, n.speckle_ratio, speckle,
                      [&](std::size_t at, std::uint64_t counter) {
                        m.um[at] += n.speckle_um * (2 * error.uniform(counter) - 1);
                      });
  for_each_blob_pixel(view.rows, view.cols, n.dropout_ratio, dropout, [&](std::size_t at, std::uint64_t) {
    if (m.classes[at] == PixelClass::ok) m.classes[at] = PixelClass::no_data;
  });
  add_world(n.world, surface, view, seed, m.um, m.classes);
  return m;
}

/// A left-handed sensor's x has the opposite direction: reverses the columns and negates x.
void make_left_handed(HeightFrame& frame, std::vector<std::int16_t>& counts) {
  for (int row = 0; row < frame.rows; ++row) {
    const auto begin = static_cast<std::ptrdiff_t>(row) * frame.cols;
    std::reverse(counts.begin() + begin, counts.begin() + begin + frame.cols);
    std::reverse(frame.classes.begin() + begin, frame.classes.begin() + begin + frame.cols);
  }
  frame.x.offset_mm = -frame.x.at(frame.cols - 1);
  frame.delivered = Handedness::left;
}

}  // namespace

HeightFrame render(const TwinSurface& surface, const TwinView& view, const TwinSensor& sensor,
                   std::uint64_t seed) {
  check_settings(surface, view, sensor);
  Measured measured = add_errors(surface, view, sensor.noise, seed);
  HeightFrame frame;
  frame.rows = view.rows;
  frame.cols = view.cols;
  frame.x = view.x;
  frame.y = view.y;
  frame.z = sensor.z;
  frame.sensor_serial = sensor.serial;
  frame.classes = std::move(measured.classes);
  std::vector<std::int16_t> counts(frame.size(), invalid_count);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (frame.classes[i] != PixelClass::ok) continue;
    const double count = std::nearbyint((measured.um[i] * 1e-3 - sensor.z.offset_mm) / sensor.z.scale_mm);
    if (std::abs(count) > 32767) {
      frame.classes[i] = PixelClass::out_of_range;
    } else {
      counts[i] = static_cast<std::int16_t>(count);
    }
  }
  if (sensor.left_handed) make_left_handed(frame, counts);
  frame.counts = std::move(counts);
  return frame;
}

}  // namespace datum
