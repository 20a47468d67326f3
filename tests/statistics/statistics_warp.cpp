#include "tests/statistics/statistics_warp.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>

#include "daemon/inspection/board/pipeline.h"
#include "daemon/inspection/board/warp_recipe.h"
#include "daemon/inspection/recipe/alignment_recipe.h"
#include "tests/virtual_cell/twin_random.h"

namespace datum::statistics {
namespace {

using Eigen::Vector2d;
using Form = std::function<double(const Vector2d& at_mm)>;  // um

constexpr int boards_of_a_frame = 10;
constexpr double pixel_mm = 0.08, patch_mm = 2, room_um = 400;  // room: distance of a limit's other end
constexpr std::size_t hidden = 4;                               // of nine components, in the middle
const Vector2d size_mm(48, 36);

TwinBoard bare_twin(const TwinRandom& random) {
  TwinBoard board;
  board.size_mm = size_mm;
  for (int i = 0; i < 9; ++i) {
    TwinBody body;
    body.reference = "C" + std::to_string(i + 1);
    body.outline = {{8.0 + i % 3 * 16, 6.0 + i / 3 * 12}, {3.2, 1.6}, i * 10.0};
    body.height_um = 800 + 10 * random.normal(static_cast<std::uint64_t>(100 + i));
    board.bodies.push_back(body);
  }
  apply_defect(board, "occluded=C5");
  return board;
}

/// Middle and corners as bent by a production.
Form production(const TwinRandom& random) {
  const double x_um = 60 * random.normal(1), y_um = 60 * random.normal(2), twist_um = 40 * random.normal(3);
  return [=](const Vector2d& p) {
    const double u = p.x() / 24 - 1, v = p.y() / 18 - 1;
    return x_um * (1 - u * u) + y_um * (1 - v * v) + twist_um * u * v;
  };
}

double cap(double distance_mm, double radius_mm) {
  const double t = distance_mm / radius_mm;
  return t < 1 ? (1 - t * t) * (1 - t * t) : 0;
}

Form form_of(const Row& row, const TwinRandom& random) {
  const Form bent = production(random);
  const double um = row.form_um;
  switch (row.warp) {
    case WarpForm::twist:
      return [=](const Vector2d& p) { return um * (p.x() / 24 - 1) * (p.y() / 18 - 1); };
    case WarpForm::fold: {  // um at the ends; the line is in the middle third
      const double at = 16 + 16 * random.uniform(4), turn = 0.4 * (random.uniform(5) - 0.5);
      return [=](const Vector2d& p) { return -um * std::abs(p.x() - at + turn * (p.y() - 18)) / 24; };
    }
    case WarpForm::dome:
      return [=](const Vector2d& p) {
        const double t = (p - size_mm / 2).norm() / 9;
        return bent(p) + um * std::max(0.0, 1 - t * t);
      };
    case WarpForm::bump: {  // between two patches of the lower edge
      const Vector2d at(1 + 46.0 / 6 * (std::floor(6 * random.uniform(6)) + 0.5), 0);
      return [=](const Vector2d& p) { return bent(p) + um * cap((p - at).norm(), 2.5); };
    }
    default:
      return bent;
  }
}

TwinView view_of_board(double margin_mm) {
  TwinView view;
  view.cols = static_cast<int>((size_mm.x() + 2 * margin_mm) / pixel_mm);
  view.rows = static_cast<int>((size_mm.y() + 2 * margin_mm) / pixel_mm);
  view.x = view.y = {pixel_mm, -margin_mm};
  Eigen::Isometry3d pose(Eigen::Translation3d(0, 0, -0.4));
  pose.rotate(Eigen::AngleAxisd(0.005, Eigen::Vector3d::UnitX()));
  pose.rotate(Eigen::AngleAxisd(-0.008, Eigen::Vector3d::UnitY()));
  view.sensor_from_board = pose.matrix();
  return view;
}

/// Bends the surface; components are rigid and follow the board under their middle.
void bend(const Form& form, const TwinBoard& board, const TwinView& view, TwinSurface& surface) {
  Eigen::Isometry3d board_from_sensor;
  board_from_sensor.matrix() = view.sensor_from_board;
  board_from_sensor = board_from_sensor.inverse();
  for (int row = 0; row < view.rows; ++row)
    for (int col = 0; col < view.cols; ++col) {
      const auto i =
          static_cast<std::size_t>(row) * static_cast<std::size_t>(view.cols) + static_cast<std::size_t>(col);
      const Eigen::Vector3d p =
          board_from_sensor * Eigen::Vector3d(view.x.at(col), view.y.at(row), surface.z_mm[i]);
      Vector2d at = p.head<2>();
      for (const TwinBody& body : board.bodies)
        if (!surface.on_body.empty() && surface.on_body[i] && (at - body.outline.centre_mm).norm() < 3)
          at = body.outline.centre_mm;
      surface.z_mm[i] += form(at) * 1e-3;
    }
}

double true_bow_percent(const Form& form) {
  constexpr int steps = 400;
  const Vector2d corner[4] = {{0, 0}, {size_mm.x(), 0}, size_mm, {0, size_mm.y()}};
  double worst = 0;
  for (std::size_t e = 0; e < 4; ++e) {
    const Vector2d &from = corner[e], way = corner[(e + 1) % 4] - from;
    for (int k = 1; k < steps; ++k) {
      const double t = static_cast<double>(k) / steps;
      const double off = form(from + t * way) - (1 - t) * form(from) - t * form(from + way);
      worst = std::max(worst, 0.1 * std::abs(off) / way.norm());
    }
  }
  return worst;
}

double true_twist_percent(const Form& form) {
  return 0.1 * std::abs(form({0, 0}) - form({size_mm.x(), 0}) + form(size_mm) - form({0, size_mm.y()})) /
         (2 * size_mm.norm());
}

std::shared_ptr<WarpRecipe> warp_recipe(const Row& row) {
  auto warp = std::make_shared<WarpRecipe>();
  warp->row.reference = "BOARD";
  warp->patch_mm = patch_mm;
  if (row.max_curvature_um_per_mm2) warp->max_curvature_um_per_mm2 = *row.max_curvature_um_per_mm2;
  const auto add = [&](double x, double y) {
    Component patch;
    patch.reference = "P" + std::to_string(warp->patches.size());
    patch.body.centre_mm = {x, y};
    warp->patches.push_back(patch);
  };
  for (const double y : {1.0, 35.0})
    for (int i = 0; i < 7; ++i) add(1 + i * 46.0 / 6, y);
  for (const double x : {1.0, 47.0})
    for (int i = 0; i < 4; ++i) add(x, 7 + i * 22.0 / 3);
  return warp;
}

/// Limits at the truth, and limits that it exceeds by a quarter.
std::vector<Check> asked(Characteristic c, double truth) {
  const bool height = c == Characteristic::mean;
  std::vector<Check> checks(2);
  for (std::size_t k = 0; k < 2; ++k) {
    checks[k].characteristic = c;
    checks[k].upper = height ? truth - (k == 0 ? 0 : room_um / 4) : truth / (k == 0 ? 1 : 1.25);
    if (height) checks[k].lower = *checks[k].upper - room_um;
  }
  return checks;
}

void count(const std::vector<CheckVerdict>& checks, std::size_t first, double truth, Tally& t) {
  const CheckVerdict& v = checks.at(first);
  ++t.cases;
  if (v.reason != Reason::none) {
    ++t.invalid;
    ++t.reasons[v.reason];
  } else {
    const double error = v.value - truth;
    t.outside += std::abs(error) > 2 * v.u;
    t.error += error;
    t.error2 += error * error;
    t.worst = std::max(t.worst, std::abs(error));
    t.u += v.u;
    for (const UncertaintyTerm& term : v.budget) t.terms[term.name] += term.u * term.u;
    ++t.at_limit;
    t.at_limit_passed += v.decision == Decision::pass;
  }
  const CheckVerdict& beyond = checks.at(first + 1);
  if (beyond.reason != Reason::none) return;
  ++t.beyond;
  t.beyond_passed += beyond.decision == Decision::pass;
}

/// Within 1 mm and 2 degrees about the middle.
Eigen::Matrix4d placed_at(const TwinRandom& random) {
  const Vector2d middle = size_mm / 2;
  const Vector2d shift(2 * random.uniform(201) - 1, 2 * random.uniform(202) - 1);
  Eigen::Isometry3d m(Eigen::Translation3d(middle.x() + shift.x(), middle.y() + shift.y(), 0));
  m.rotate(Eigen::AngleAxisd(0.035 * (2 * random.uniform(203) - 1), Eigen::Vector3d::UnitZ()));
  m.translate(Eigen::Vector3d(-middle.x(), -middle.y(), 0));
  return m.matrix();
}

/// The layout looks alike when turned.
void compose(Recipe& recipe) {
  AlignmentRecipe a;
  a.max_shift_mm = 1.2;
  a.max_rotation_deg = 2.5;
  a.min_ratio = 1.25;
  a.search_turned = false;
  recipe.alignment = std::make_shared<AlignmentRecipe>(a);
  recipe.filter = FilterSettings{};
}

struct Inspected {
  BoardVerdict verdict;
  TwinBoard board;
  double bow, twist;
};

Inspected inspect_board(const Row& row, std::uint64_t seed) {
  const TwinRandom random(seed, TwinStream::place);
  const TwinBoard board = bare_twin(random);
  TwinView view = view_of_board(row.composed ? 3 : 1);
  const Eigen::Matrix4d nominal = view.sensor_from_board;
  if (row.composed) view.sensor_from_board *= placed_at(random);
  const Form form = form_of(row, random);
  TwinSurface surface = look_at(board, view);
  bend(form, board, view, surface);
  TwinSensor sensor;
  sensor.serial = "twin";
  sensor.noise = row.noise;
  sensor.z.scale_mm = row.lsb_um * 1e-3;
  const HeightFrame frame = render(surface, view, sensor, seed);

  SensorProfile profile;
  profile.serial = "twin";
  profile.noise = {{0.0}, {row.profile_sigma_um}};
  profile.z_min_mm = -8;
  profile.z_max_mm = 8;
  Recipe recipe;
  recipe.name = "statistics";
  recipe.sha256 = std::to_string(seed);
  recipe.sensor_serial = "twin";
  recipe.board_size_mm = size_mm;
  recipe.in_machine_coordinates = false;
  recipe.machine_from_board = Htm<Machine, Board>(nominal);
  recipe.floor.inner_margin_mm = 0.3;
  recipe.floor.outer_margin_mm = 1.1;
  recipe.floor.form = FloorForm::quadratic;
  for (const TwinBody& b : board.bodies) {
    Component c;
    c.reference = b.reference;
    c.body = {b.outline.centre_mm, b.outline.size_mm, b.outline.rotation_deg};
    c.nominal_height_um = 800;
    c.warp_fallback = true;
    c.checks = asked(Characteristic::mean, b.height_um);
    recipe.components.push_back(c);
  }
  const double bow = true_bow_percent(form), twist = true_twist_percent(form);
  const auto warp = warp_recipe(row);
  for (const auto& [c, truth] : {std::pair(Characteristic::bow, bow), {Characteristic::twist, twist}})
    for (const Check& check : asked(c, std::max(truth, 1e-3))) warp->row.checks.push_back(check);
  recipe.warp = warp;
  InspectionInputs inputs;
  inputs.recipe = &recipe;
  inputs.sensor = &profile;
  if (row.composed) compose(recipe);
  return {inspect(frame, inputs, cpu_backend(1)), board, bow, twist};
}

void measure_board(const Row& row, std::uint64_t seed, Tallies& tallies) {
  const auto [v, board, bow, twist] = inspect_board(row, seed);
  const auto tally = [&](Column c) -> Tally& { return tallies[static_cast<std::size_t>(c)]; };
  count(v.components.back().checks, 0, bow, tally(Column::bow));
  count(v.components.back().checks, 2, twist, tally(Column::twist));
  if (row.composed)
    for (const std::size_t i : {0u, 2u, 6u, 8u})
      count(v.components.at(i).checks, 0, board.bodies[i].height_um, tally(Column::mean));
  count(v.components.at(hidden).checks, 0, board.bodies[hidden].height_um, tally(Column::warp_fallback));
}

}  // namespace

const Body& bare_board() {
  static const Body body{"board", 48, 36, 800, 0, 2};
  return body;
}

BoardVerdict inspect_warp_board(const Row& row, std::uint64_t seed) {
  return inspect_board(row, seed).verdict;
}

Tallies measure_warp_frame(const Row& row, std::uint64_t seed) {
  Tallies tallies;
  for (std::uint64_t i = 0; i < boards_of_a_frame; ++i)
    measure_board(row, seed * boards_of_a_frame + i, tallies);
  return tallies;
}

}  // namespace datum::statistics
