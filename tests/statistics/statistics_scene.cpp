#include "tests/statistics/statistics_scene.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "tests/statistics/statistics_ring.h"

namespace datum::statistics {
namespace {

using Eigen::Vector2d;
using Eigen::Vector3d;

constexpr double clip_slope = 0.08;  // rise over run of a top with its high side beyond the range
constexpr double steep = 0.1;        // rise over run
constexpr double notch = 0.35;  // visible share of a notched component: a limit there uses most of the scale
constexpr double place_mm = 0.01;  // standard deviation of true positions about the recipe's
constexpr double bow_um = 150;     // of bowed boards
constexpr double scale_ppm = 80, linearity_um = 0.1;  // of the production's sensor
constexpr double gap_mm = 0.4;                        // between rings

class Scenery {
 public:
  Scenery(const Row& row, const Body& body, std::uint64_t seed)
      : row_(row), body_(body), random_(seed, TwinStream::place), cell_(cell_of(body, row.production)) {
    board_.size_mm = {across * cell_.x(), down * cell_.y()};
    if (row.production)
      board_.shape = {60 * normal(-1, 3), 60 * normal(-1, 4), 40 * normal(-1, 5)};
    else if (row.bowed)
      board_.shape = {bow_um, bow_um, bow_um / 2};
    for (int i = 0; i < bodies_of_a_frame; ++i) add(i);
    set_view();
  }

  TwinBoard board_;
  TwinView view_;
  std::vector<Component> components_;
  std::vector<Truth> truths_;

 private:
  static Vector2d cell_of(const Body& body, bool turned) {
    const Vector2d size(body.x_mm, body.y_mm), ring = Vector2d::Constant(2 * twin_ring.outer_mm);
    return (turned ? Vector2d::Constant((size + ring).norm()) : Vector2d(size + ring)) +
           Vector2d::Constant(gap_mm);
  }

  /// An independent number for each use; 16 uses per component.
  double uniform(int i, int use) const { return random_.uniform(static_cast<std::uint64_t>(16 * i + use)); }
  double normal(int i, int use) const {
    return random_.normal(static_cast<std::uint64_t>(1000000 + 16 * i + use));
  }

  /// A level under the ring is lower than the component's top, or it would hide the component.
  double height_um() const {
    return row_.level == Level::none ? body_.height_um : std::max(body_.height_um, 1.2 * row_.step_um);
  }

  Kind kind_of(int i) const {
    if (row_.floors || row_.production || region_pixels(body_) < 4) return Kind::flat;
    return row_.clipped ? Kind::tilted : static_cast<Kind>(i % 3);
  }

  void add(int i) {
    const Vector2d cell((i % across + 0.5) * cell_.x(), (i / across + 0.5) * cell_.y());
    const Vector2d nominal = cell + pitch_mm * Vector2d(uniform(i, 0) - 0.5, uniform(i, 1) - 0.5);
    Component c;
    c.reference = "C" + std::to_string(i + 1);
    c.package = body_.name;
    c.body = {nominal, {body_.x_mm, body_.y_mm}, row_.production ? i % 4 * 30.0 : 0};
    c.nominal_height_um = height_um();
    components_.push_back(c);

    TwinBody b;
    b.reference = c.reference;
    b.outline = {nominal + place_mm * Vector2d(normal(i, 0), normal(i, 1)), c.body.size_mm,
                 c.body.rotation_deg};
    b.height_um = height_um() * (0.95 + 0.1 * uniform(i, 2));
    Truth t;
    t.kind = kind_of(i);
    t.value.fill(std::nan(""));
    if (t.kind == Kind::tilted) {
      const double slope = row_.clipped ? clip_slope : std::tan(body_.tilt_mdeg * std::numbers::pi / 180e3);
      b.slope_x = uniform(i, 3) < 0.5 ? slope : -slope;
    }
    if (row_.production) {
      b.slope_x = std::tan(15 * normal(i, 2) * std::numbers::pi / 180e3);
      b.slope_y = std::tan(15 * normal(i, 3) * std::numbers::pi / 180e3);
      if (i % 5 == 0)  // a trace outside of the recipe crosses the ring
        board_.patches.push_back({{cell + Vector2d(body_.x_mm / 2 + 0.7, 0), {0.2, cell_.y()}, 10}, 35});
    }
    add_around(b.outline, i);
    if (t.kind == Kind::notched) {
      b.outline.centre_mm.x() -= (1 - notch) / 2 * body_.x_mm;
      b.outline.size_mm.x() *= notch;
    }
    board_.bodies.push_back(b);
    truths_.push_back(t);
  }

  void add_around(const TwinRect& outline, int i) {
    const auto patches = level_patches(row_.level, row_.step_um, outline, twin_ring, random_,
                                       2000000 + 16 * static_cast<std::uint64_t>(i));
    board_.patches.insert(board_.patches.end(), patches.begin(), patches.end());
    if (row_.dark)
      board_.darks.push_back({{outline.centre_mm, outline.size_mm, uniform(i, 4) < 0.5 ? 0. : 180.}, 0, 0.8});
    if (row_.three_sides) {
      const int quarter = static_cast<int>(4 * uniform(i, 5));
      const double turn = quarter * std::numbers::pi / 2;
      const Vector2d outward(std::cos(turn), std::sin(turn));
      const double half = std::abs(outward.dot(outline.size_mm)) / 2;
      const double depth = twin_ring.outer_mm - 0.1;
      board_.occlusions.push_back({outline.centre_mm + outward * (half + 0.1 + depth / 2),
                                   {depth, std::abs(outward.y()) < 0.5 ? cell_.y() - 0.1 : cell_.x() - 0.1},
                                   90.0 * quarter});
    }
  }

  void set_view() {
    view_.rows = static_cast<int>((board_.size_mm.y() + 1) / pitch_mm);
    view_.cols = static_cast<int>((board_.size_mm.x() + 1) / pitch_mm);
    view_.x = view_.y = {pitch_mm, -0.5};
    view_.shadow_slope = row_.shadow_slope;
    Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
    pose.translate(Vector3d(0, 0, -0.4));
    if (!row_.level_view) {
      // about the board's middle, so that a large board stays within the counts' range
      const Vector3d middle(board_.size_mm.x() / 2, board_.size_mm.y() / 2, 0);
      pose.translate(middle);
      pose.rotate(Eigen::AngleAxisd(0.008 * (uniform(-1, 6) - 0.5), Vector3d::UnitX()) *
                  Eigen::AngleAxisd(0.008 * (uniform(-1, 7) - 0.5), Vector3d::UnitY()));
      pose.translate(-middle);
    }
    view_.sensor_from_board = pose.matrix();
  }

  const Row& row_;
  const Body& body_;
  const TwinRandom random_;
  const Vector2d cell_;
};

/// True heights of the pixels in a component's top region above the board's tangent plane under `body`.
std::vector<double> region_um(const Component& c, const TwinBoard& board, const TwinSurface& surface,
                              const TwinView& view, double erode_px) {
  Eigen::Isometry3d board_from_sensor;
  board_from_sensor.matrix() = view.sensor_from_board;
  board_from_sensor = board_from_sensor.inverse();
  const Vector3d up = board_from_sensor.linear().col(2);
  const Vector2d centre = c.body.centre_mm;
  const TwinFloor floor = floor_at(board, centre.x(), centre.y());
  const Vector3d foot(centre.x(), centre.y(), floor.z_mm);
  const Vector3d normal = Vector3d(-floor.slope_x, -floor.slope_y, 1).normalized();
  const Vector2d half = c.body.size_mm / 2 - Vector2d::Constant(erode_px * pitch_mm);
  const Vector2d centre_px = (centre.array() + 0.5) / pitch_mm;
  const Vector2d reach = half / pitch_mm + Vector2d::Constant(8);
  std::vector<double> heights;
  const auto low = [](double v) { return std::max(0, static_cast<int>(v)); };
  for (int row = low(centre_px.y() - reach.y()); row <= centre_px.y() + reach.y() && row < view.rows; ++row)
    for (int col = low(centre_px.x() - reach.x()); col <= centre_px.x() + reach.x() && col < view.cols;
         ++col) {
      const auto i =
          static_cast<std::size_t>(row) * static_cast<std::size_t>(view.cols) + static_cast<std::size_t>(col);
      const Vector3d start = board_from_sensor * Vector3d(view.x.at(col), view.y.at(row), 0);
      // a recipe has the flat board: its region is at the nominal height above z = 0
      const Vector3d at_nominal = start + up * (c.nominal_height_um * 1e-3 - start.z()) / up.z();
      if (((at_nominal.head<2>() - centre).cwiseAbs().array() > half.array()).any()) continue;
      heights.push_back((start + surface.z_mm[i] * up - foot).dot(normal) * 1e3);
    }
  return heights;
}

void set_truth(Truth& t, const TwinBody& body, std::vector<double> region, double nominal_um) {
  const auto value = [&](Column c) -> double& { return t.value[static_cast<std::size_t>(c)]; };
  if (t.kind == Kind::notched) {
    const auto present =
        std::count_if(region.begin(), region.end(), [&](double um) { return um > nominal_um / 2; });
    value(Column::presence) = 1000.0 * static_cast<double>(present) / static_cast<double>(region.size());
    return;
  }
  value(Column::mean) = value(Column::quadratic) = body.height_um;
  const double slope = std::abs(body.slope_x);
  // On a steep top of few pixels neighbouring ranks differ by more than any noise: not a case for ranks.
  if (slope < steep) value(Column::median) = body.height_um;
  if (t.kind == Kind::flat) {
    value(Column::percentile) = value(Column::maximum) = body.height_um;
    return;
  }
  std::sort(region.begin(), region.end());
  // Nearest rank.
  const auto rank = static_cast<std::size_t>(std::ceil(quantile * static_cast<double>(region.size())));
  if (slope < steep) value(Column::percentile) = region[rank - 1];
  value(Column::tilt) = std::atan(std::abs(body.slope_x)) * 180e3 / std::numbers::pi;
}

Recipe recipe_of(const Row& row, const Body& body, const Scenery& scenery, std::uint64_t seed) {
  Recipe r;
  r.name = "statistics";
  r.sha256 = std::to_string(seed);  // seeds the hypotheses of the floors
  r.sensor_serial = "twin";
  r.board_size_mm = scenery.board_.size_mm;
  r.in_machine_coordinates = false;
  r.machine_from_board = Htm<Machine, Board>(scenery.view_.sensor_from_board);
  r.floor.inner_margin_mm = twin_ring.inner_mm;
  r.floor.outer_margin_mm = twin_ring.outer_mm;
  if (row.bowed) r.floor.form = FloorForm::quadratic;  // the truth refers to the bowed board
  if (row.refit_threshold_sigmas) r.floor.refit_threshold_sigmas = *row.refit_threshold_sigmas;
  if (row.max_rms_sigmas) r.floor.max_rms_sigmas = *row.max_rms_sigmas;
  r.body.erode_px = body.erode_px;
  // positions scatter by place_mm, and pixel centres are up to half a pixel off the region's middle
  r.uncertainty.position_mm = std::sqrt(place_mm * place_mm + pitch_mm * pitch_mm / 12);
  return r;
}

SensorProfile profile_of(const Row& row) {
  SensorProfile p;
  p.serial = "twin";
  p.noise = {{0.0}, {row.profile_sigma_um}};
  p.z_min_mm = -8;
  p.z_max_mm = 8;
  if (row.production) {
    p.scale_uncertainty_ppm = scale_ppm;
    // rms of a triangle wave, sampled at two independent phases.
    p.linearity_um = linearity_um * std::sqrt(2.0 / 3);
  }
  return p;
}

}  // namespace

Scene draw_scene(const Row& row, const Body& body, std::uint64_t seed) {
  Scenery scenery(row, body, seed);
  TwinSensor sensor;
  sensor.serial = "twin";
  sensor.noise = row.noise;
  sensor.z.scale_mm = row.lsb_um * 1e-3;
  // Each component has lines of its own: cells hold independent cases.
  sensor.noise.world.line_px =
      static_cast<int>(std::max(body.x_mm, body.y_mm) / pitch_mm) + static_cast<int>(2.8 / pitch_mm);
  if (row.production) {
    const TwinRandom drift(seed, TwinStream::scale);
    sensor.noise.scale_error_ppm = scale_ppm * drift.normal(0);
    sensor.noise.linearity_phase = drift.uniform(7);
  }
  if (row.clipped)
    sensor.noise.world.highest_um = -400 + body.height_um + 0.25 * clip_slope * body.x_mm / 2 * 1e3;
  const TwinSurface surface = look_at(scenery.board_, scenery.view_);
  Scene scene;
  scene.recipe = recipe_of(row, body, scenery, seed);
  scene.profile = profile_of(row);
  for (std::size_t i = 0; i < scenery.components_.size(); ++i) {
    Truth t = scenery.truths_[i];
    const Component& c = scenery.components_[i];
    set_truth(t, scenery.board_.bodies[i],
              region_um(c, scenery.board_, surface, scenery.view_, body.erode_px), c.nominal_height_um);
    scene.truths.push_back(t);
  }
  scene.components = scenery.components_;
  scene.frame = render(surface, scenery.view_, sensor, seed);
  scene.frame.frame_id = std::to_string(seed);
  return scene;
}

}  // namespace datum::statistics
