#include "tests/statistics/statistics_real.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "daemon/inspection/board/pipeline.h"
#include "drivers/profile/sensor_profile_file.h"
#include "drivers/sensor/read_frame.h"
#include "tests/statistics/statistics_measure.h"
#include "tests/statistics/statistics_ring.h"
#include "tests/virtual_cell/twin_scene.h"

namespace datum::statistics {
namespace {

using Eigen::Vector2d;

constexpr Margins ring{0.36, 1.68};
constexpr double right_die_mm = 2 * 4.68;  // from the centre of the left die, along x
// A die is domed by +-30 um; points beyond this from its median are speckle.
constexpr double speckle_um = 60;

std::filesystem::path board_file() {
  const char* folder = std::getenv("DATUM_REAL_DATA");
  return std::filesystem::path(folder && *folder ? folder : DATUM_REAL_DATA_DEFAULT) / "pemtron/board.ptr";
}

struct RealBoard {
  std::filesystem::path source{DATUM_SOURCE_DIR};
  Recipe recipe = load_recipe(source / "config/recipes/pemtron-warpage.toml");
  SensorProfile sensor = config::load_sensor_profile(source / "config/sensors/pemtron.toml");
  HeightFrame frame = read_frame(board_file(), sensor);
};

const RealBoard& real_board() {
  static const RealBoard board;
  return board;
}

Scene clean_scene() {
  const RealBoard& real = real_board();
  Scene s{real.frame, real.recipe, real.sensor, real.recipe.components, {}};
  for (Component& c : s.components) {
    c.checks.clear();
    Truth t;
    t.value.fill(std::nan(""));
    s.truths.push_back(t);
  }
  return s;
}

double& median_of(Truth& t) { return t.value[static_cast<std::size_t>(Column::median)]; }
double& mean_of(Truth& t) { return t.value[static_cast<std::size_t>(Column::mean)]; }

/// Heights as the recipe measures them; NaN for an INVALID die.
std::vector<double> measured_um() {
  const RealBoard& real = real_board();
  InspectionInputs inputs;
  inputs.recipe = &real.recipe;
  inputs.sensor = &real.sensor;
  std::vector<double> heights;
  for (const ComponentVerdict& c : inspect(real.frame, inputs, cpu_backend(1)).components) {
    const CheckVerdict& v = c.checks.at(0);
    heights.push_back(v.reason == Reason::none ? v.value : std::nan(""));
  }
  return heights;
}

template <class Use>
void for_each_pixel(const HeightFrame& f, const Vector2d& centre_mm, const Vector2d& half_mm, Use&& use) {
  const auto range = [](double centre, double half, const AxisScale& s, int size) {
    return std::pair{
        std::max(0, static_cast<int>(std::ceil((centre - half - s.offset_mm) / s.scale_mm))),
        std::min(size - 1, static_cast<int>(std::floor((centre + half - s.offset_mm) / s.scale_mm)))};
  };
  const auto [x0, x1] = range(centre_mm.x(), half_mm.x(), f.x, f.cols);
  const auto [y0, y1] = range(centre_mm.y(), half_mm.y(), f.y, f.rows);
  for (int row = y0; row <= y1; ++row)
    for (int col = x0; col <= x1; ++col) use(row, col, Vector2d(f.x.at(col), f.y.at(row)));
}

/// Least squares through all valid pixels of the ring, independent of the daemon's code: z = p . (1, x, y), mm.
Eigen::Vector3d ring_plane(const HeightFrame& f, const BoardRect& package) {
  Eigen::Matrix3d normal = Eigen::Matrix3d::Zero();
  Eigen::Vector3d right = Eigen::Vector3d::Zero();
  const Vector2d half = package.size_mm / 2;
  for_each_pixel(f, package.centre_mm, half + Vector2d::Constant(ring.outer_mm),
                 [&](int row, int col, const Vector2d& p) {
                   if (f.class_at(row, col) != PixelClass::ok) return;
                   if (((p - package.centre_mm).cwiseAbs().array() <= half.array() + ring.inner_mm).all())
                     return;
                   const Eigen::Vector3d at(1, p.x() - package.centre_mm.x(), p.y() - package.centre_mm.y());
                   normal += at * at.transpose();
                   right += at * f.z_mm(row, col);
                 });
  return normal.ldlt().solve(right);
}

/// Mean and median of a die above the plane of its ring, without points beyond speckle_um of its median.
void set_unspeckled(const HeightFrame& f, const Component& c, Truth& t) {
  const Eigen::Vector3d plane = ring_plane(f, *c.floor_outline);
  std::vector<double> um;
  for_each_pixel(f, c.body.centre_mm, c.body.size_mm / 2, [&](int row, int col, const Vector2d& p) {
    const Vector2d d = p - c.floor_outline->centre_mm;
    if (f.class_at(row, col) == PixelClass::ok)
      um.push_back((f.z_mm(row, col) - plane.dot(Eigen::Vector3d(1, d.x(), d.y()))) * 1e3);
  });
  std::sort(um.begin(), um.end());
  const double middle = um[um.size() / 2];
  um.erase(std::remove_if(um.begin(), um.end(), [&](double v) { return std::abs(v - middle) > speckle_um; }),
           um.end());
  double sum = 0;
  for (double v : um) sum += v;
  mean_of(t) = sum / static_cast<double>(um.size());
  median_of(t) = um[um.size() / 2];
}

void add_level(HeightFrame& f, const std::vector<TwinPatch>& patches, const BoardRect& package) {
  auto& counts = std::get<std::vector<float>>(f.counts);
  const Vector2d half = package.size_mm / 2;
  for_each_pixel(f, package.centre_mm, half + Vector2d::Constant(ring.outer_mm),
                 [&](int row, int col, const Vector2d& p) {
                   if (((p - package.centre_mm).cwiseAbs().array() <= half.array()).all()) return;
                   for (const TwinPatch& patch : patches)
                     if (const auto um = height_um_of(patch, p))
                       counts[static_cast<std::size_t>(row) * static_cast<std::size_t>(f.cols) +
                              static_cast<std::size_t>(col)] += static_cast<float>(*um * 1e-3 / f.z.scale_mm);
                 });
}

/// Each of the five left dies against their midrange.
Tallies left_dies() {
  Tallies tallies;
  Tally& t = tallies[static_cast<std::size_t>(Column::median)];
  std::vector<double> heights;
  for (double um : measured_um()) {
    ++t.cases;
    std::isfinite(um) ? heights.push_back(um) : static_cast<void>(++t.invalid);
  }
  if (heights.empty()) return tallies;
  const auto [low, high] = std::minmax_element(heights.begin(), heights.end());
  const double middle = (*low + *high) / 2;
  for (double um : heights) {
    t.outside += std::abs(um - middle) > 4;
    t.error += um - middle;
    t.error2 += (um - middle) * (um - middle);
    t.worst = std::max(t.worst, std::abs(um - middle));
  }
  return tallies;
}

}  // namespace

bool real_board_is_here() { return std::filesystem::exists(board_file()); }

const Body& real_die() {
  static const Body die{"die", 5.28, 11.4, 1165, 0, 0};
  return die;
}

Tallies measure_real_frame(const Row& row, std::uint64_t seed) {
  if (row.real == Real::left_dies) return left_dies();
  Scene scene = clean_scene();
  std::vector<Column> columns{Column::median, Column::mean};
  if (row.real == Real::right_dies) {
    for (std::size_t i = 0; i < scene.components.size(); ++i) {
      scene.components[i].body.centre_mm.x() += right_die_mm;
      set_unspeckled(scene.frame, scene.components[i], scene.truths[i]);
    }
  } else {
    static const std::vector<double> before = measured_um();
    columns.resize(1);
    const TwinRandom random(seed, TwinStream::place);
    for (std::size_t i = 0; i < scene.components.size(); ++i) {
      median_of(scene.truths[i]) = before[i];
      const BoardRect& package = *scene.components[i].floor_outline;
      add_level(
          scene.frame,
          level_patches(row.level, row.step_um, {package.centre_mm, package.size_mm, package.rotation_deg},
                        ring, random, 16 * i),
          package);
    }
  }
  Tallies tallies;
  measure(scene, columns, scene.recipe.floor.form, tallies);
  return tallies;
}

}  // namespace datum::statistics
