#include "tests/statistics/placement_case.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "tests/statistics/placement_holes.h"
#include "tests/statistics/placement_marks.h"
#include "tests/virtual_cell/twin_produce.h"
#include "tests/virtual_cell/twin_random.h"
#include "tests/virtual_cell/twin_render.h"

namespace datum::statistics {
namespace {

constexpr auto stream = static_cast<TwinStream>(101);  // of this file alone
constexpr double margin_mm = 3;

Eigen::Matrix4d as_matrix(const PlaneMotion& m) {
  const Eigen::Matrix2d turn = rotation_by_deg(m.rotation_deg);
  Eigen::Matrix4d all = Eigen::Matrix4d::Identity();
  all.topLeftCorner<2, 2>() = turn;
  all.topRightCorner<2, 1>() = m.pivot_mm + m.shift_mm - turn * m.pivot_mm;
  return all;
}

/// As a sensor of the other hand sees it, about the middle of the frame.
void mirror(HeightFrame& f) {
  const auto reverse = [&](auto& values) {
    for (int row = 0; row < f.rows; ++row)
      std::reverse(values.begin() + std::ptrdiff_t(row) * f.cols,
                   values.begin() + std::ptrdiff_t(row + 1) * f.cols);
  };
  std::visit(reverse, f.counts);
  reverse(f.classes);
  if (f.intensity) reverse(f.intensity->grey);
}

void add_foreign(TwinBoard& board, int parts, const TwinRandom& random) {
  for (int k = 0; k < parts; ++k) {
    TwinBody body;
    body.reference = "foreign" + std::to_string(k);
    const std::uint64_t n = 9000 + 8 * std::uint64_t(k);
    body.outline = {{random.uniform(n) * board.size_mm.x(), random.uniform(n + 1) * board.size_mm.y()},
                    {1 + 4 * random.uniform(n + 2), 1 + 4 * random.uniform(n + 3)},
                    180 * random.uniform(n + 4)};
    body.height_um = 300 + 1500 * random.uniform(n + 5);
    board.bodies.push_back(body);
  }
}

void make_hostile(TwinNoise& noise, TwinBoard& board, const TwinRandom& random) {
  TwinWorld& w = noise.world;
  w.smooth = {{2, 2}};
  w.row_um = w.column_um = 1;
  w.missing_ratio = 0.1 * random.uniform(1);
  w.missing_blob_ratio = 0.2 * random.uniform(2);
  w.spike_ratio = 0.3;
  w.spike_um = 300;
  noise.outlier_ratio = 0.01;
  board.shape.bow_x_um += 200 * random.normal(3);
  board.shape.bow_y_um += 200 * random.normal(4);
  board.shape.twist_um += 100 * random.normal(5);
}

/// t + w x (p - pivot) = displacement, for all parts there; t along the frame's axes.
Eigen::Vector3d motion_of_parts(const PlacedBoard& board, const TwinBoard& twin, const PlaneMotion& motion) {
  Eigen::Matrix3d m = Eigen::Matrix3d::Zero();
  Eigen::Vector3d v = Eigen::Vector3d::Zero();
  int parts = 0;
  for (const Component& c : board.recipe.components)
    for (const TwinBody& body : twin.bodies) {
      if (body.missing || body.reference != c.reference) continue;
      const Eigen::Vector2d off = body.outline.centre_mm - c.body.centre_mm,
                            arm = c.body.centre_mm - motion.pivot_mm;
      const Eigen::Vector3d x(1, 0, -arm.y()), y(0, 1, arm.x());
      m += x * x.transpose() + y * y.transpose();
      v += x * off.x() + y * off.y();
      ++parts;
    }
  if (parts < 2) return Eigen::Vector3d::Constant(std::nan(""));
  Eigen::Vector3d all = m.ldlt().solve(v);
  all.head<2>() = rotation_by_deg(motion.rotation_deg) * all.head<2>();
  return all;
}

}  // namespace

PlacedBoard load_placed_board(const std::filesystem::path& recipe, const std::filesystem::path& design,
                              const std::filesystem::path& twin, int most_px) {
  PlacedBoard b{recipe.stem().string(),
                load_recipe(recipe),
                load_cell({recipe, twin, {}, {}, {}, {}, design}),
                {},
                {},
                {}};
  TwinView& v = b.cell.view;
  const Eigen::Vector2d size = b.recipe.board_size_mm;
  const Eigen::Vector2d field = size + Eigen::Vector2d::Constant(2 * margin_mm) + 0.07 * size.reverse();
  const double pitch = field.maxCoeff() / most_px;
  v.cols = int(field.x() / pitch);
  v.rows = int(field.y() / pitch);
  for (Component& c : b.recipe.components) c.nominal_confirmed = true;  // the twin has these heights
  const Eigen::Vector2d middle =
      (v.sensor_from_board * Eigen::Vector4d(size.x() / 2, size.y() / 2, 0, 1)).head<2>();
  v.x = {pitch, middle.x() - pitch * (v.cols - 1) / 2};
  v.y = {pitch, middle.y() - pitch * (v.rows - 1) / 2};
  b.cell.sensor.left_handed = false;
  return b;
}

PlacementCase placement_case(const PlacedBoard& board, double shift_mm, double rotation_deg,
                             std::uint64_t seed, double stretch) {
  const TwinRandom random(seed, stream);
  PlacementCase c;
  c.seed = seed;
  c.motion = {board.recipe.board_size_mm / 2,
              {shift_mm * (2 * random.uniform(10) - 1), shift_mm * (2 * random.uniform(11) - 1)},
              rotation_deg * (2 * random.uniform(12) - 1)};
  const double kind = random.uniform(13);
  c.turn = kind < 0.1 ? BoardTurn{2, false} : kind < 0.2 ? BoardTurn{0, true} : BoardTurn{};
  c.missing_share = random.uniform(14) < 0.25 ? 0.4 * random.uniform(15) : 0.05;
  c.foreign_parts = int(4 * random.uniform(16));
  c.hostile = random.uniform(17) < 0.7;
  for (int i = 0; i < 3 && stretch > 0; ++i)
    c.motion.stretch[i] = 0.5 * stretch * (2 * random.uniform(20 + std::uint64_t(i)) - 1);
  return c;
}

PlacedFrame frame_of(const PlacedBoard& board, const PlacementCase& c) {
  const TwinRandom random(c.seed, stream);
  TwinSpread spread = board.cell.spread;
  spread.place_mm = c.place_mm;
  TwinBoard twin = produce(board.cell.nominal, spread, c.seed);
  const bool mechanical = !board.holes.empty() || !board.edges.empty();
  // Of each board its own: six that a shop displaces alike would be one in six counts of what U covers.
  const TwinRandom shop(64 * c.seed + twin.bodies.size(), stream);
  if (!board.marks.empty() || mechanical)
    displace_parts(twin, 1e-3 * AlignmentRecipe{}.parts_offset_um, shop);
  const std::size_t all = twin.bodies.size();
  // Exactly the share, so that "60 % of the parts are there" is what it says.
  auto missing = std::size_t(c.missing_share * double(all));
  if (c.missing_share * double(all) - double(missing) > random.uniform(18))
    missing += double(missing + 1) <= 0.4 * double(all) ? 1 : 0;
  for (std::uint64_t k = 1000; missing > 0; ++k) {
    TwinBody& body = twin.bodies[random.word(k) % all];
    if (body.missing) continue;
    body.missing = true;
    --missing;
  }
  TwinSensor sensor = board.cell.sensor;
  sensor.noise = drift(sensor.noise, spread, c.seed);
  TwinView view = board.cell.view;
  PlaneMotion motion = c.motion;
  motion.rotation_deg += 90.0 * c.turn.quarters;
  Eigen::Matrix4d tilt = Eigen::Matrix4d::Identity();
  if (c.hostile) {
    make_hostile(sensor.noise, twin, random);
    tilt(2, 0) = 0;  // a shear would be no motion
  }
  const Eigen::Vector3d parts = motion_of_parts(board, twin, c.motion);
  for (TwinBody& body : twin.bodies) body.outline.centre_mm = stretched(body.outline.centre_mm, c.motion);
  add_foreign(twin, c.foreign_parts, random);
  int whole_holes = 0;
  if (mechanical) {
    AlignmentRecipe listed;
    listed.holes = board.holes;
    listed.edges = board.edges;
    listed.holes_offset_um = board.holes_offset_um;
    whole_holes = drill_and_route(twin, listed, c.motion, c.hostile, shop);
  }
  view.sensor_from_board = view.sensor_from_board * as_matrix(motion) * tilt;
  HeightFrame frame = render(look_at(twin, view), view, sensor, c.seed);
  int whole = 0;
  if (!board.marks.empty()) {
    SeenMarks seen = draw_marks(board.marks, twin, view, c.motion, c.hostile, c.seed);
    frame.intensity = std::move(seen.image);
    whole = seen.whole;
  }
  if (c.turn.mirrored) mirror(frame);
  frame.frame_id = "1";
  frame.source = "twin";
  return {std::move(frame), parts, whole, whole_holes};
}

}  // namespace datum::statistics
