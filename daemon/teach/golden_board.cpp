#include "daemon/teach/golden_board.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include "calib/linear/median.h"
#include "daemon/inspection/board/pipeline_alignment.h"
#include "daemon/teach/recipe_lookup.h"
#include "gpu/core/parallel_for.h"

namespace datum::teach {
namespace {

/// Terms that are the same on each board, in a check's budget (uncertainty.cpp, placement_budget.cpp); all others differ.
const std::set<std::string>& lasting_terms() {
  static const std::set<std::string> names{"floor_surface", "scale", "linearity", "phase_model"};
  return names;
}

GoldenPart part_of(const ComponentVerdict& c) {
  GoldenPart part;
  part.is_floored = c.floor.inliers > 0 || c.warp_floor;
  part.noise_um = c.floor.inliers > 0 ? c.floor.noise_um : 0;
  if (c.checks.empty()) return part;
  const CheckVerdict& v = c.checks.front();
  // An unconfirmed nominal holds a decision and changes no value.
  if (v.decision == Decision::invalid) {
    part.why = fmt::format("{}: {}", name_of(v.reason), v.detail);
    return part;
  }
  part.value = v.value;
  part.u = v.u;
  double sum = 0;
  for (const UncertaintyTerm& term : v.budget)
    if (!lasting_terms().contains(term.name)) sum += term.u * term.u;
  part.u_board = std::sqrt(sum);
  return part;
}

void summarise(const BoardVerdict& v, GoldenBoard& board) {
  double noise = 0, z = 0;
  int floors = 0;
  std::vector<double> x, y;
  for (std::size_t i = 0; i < board.parts.size(); ++i) {
    const GoldenPart& part = board.parts[i];
    if (part.noise_um > 0) {
      noise += part.noise_um * part.noise_um;
      z += v.components[i].floor.c_um * 1e-3;
      ++floors;
    }
    if (part.seen && !part.seen->cut) {
      x.push_back(part.seen->off_mm.x());
      y.push_back(part.seen->off_mm.y());
    }
  }
  if (floors > 0) board.noise_um = std::sqrt(noise / floors), board.z_mm = z / floors;
  if (!x.empty()) board.off_mm = {median_of(x), median_of(y)};
}

/// Parts with a height between half and one and a half of the nominal one, and empty places with less.
std::size_t fitting(const BoardVerdict& v, const Recipe& recipe) {
  std::size_t n = 0;
  if (v.reason != Reason::none) return 0;
  for (std::size_t i = 0; i < recipe.components.size(); ++i) {
    const GoldenPart part = part_of(v.components[i]);
    const double nominal = recipe.components[i].nominal_height_um;
    const double most = (must_be_empty(recipe.components[i]) ? 0.5 : 1.5) * nominal,
                 least = must_be_empty(recipe.components[i]) ? -0.5 * nominal : 0.5 * nominal;
    n += part.value && *part.value > least && *part.value < most;
  }
  return n;
}

std::optional<int> turn_that_fits(const HeightFrame& frame, InspectionInputs inputs, BoardMeasurer& measurer,
                                  std::size_t fit) {
  const Recipe& recipe = *inputs.recipe;
  inputs.planner = nullptr;
  std::optional<int> best;
  for (const int deg : {180, 90, 270}) {
    const Recipe turned = turned_recipe(recipe, deg);
    inputs.recipe = &turned;
    const std::size_t n = fitting(inspect(frame, inputs, measurer), turned);
    // It must explain a fifth of the parts more, so that a part or two that fit by chance say nothing.
    if (n * 5 > fit * 5 + recipe.components.size()) best = deg, fit = n;
  }
  return best;
}

}  // namespace

Presence presence_of(const GoldenPart& part, const Component& component) {
  if (!part.is_floored) return Presence::unknown;
  const double area = component.body.size_mm.prod();
  if (part.seen && part.seen->area_mm2 >= area / 4) return Presence::there;
  if (part.value && *part.value > component.nominal_height_um / 2) return Presence::there;
  if (!part.value && !part.seen) return Presence::unknown;
  return Presence::missing;
}

bool is_turned(const GoldenPart& part, const Component& component) {
  if (!part.seen || part.seen->cut || !part.seen->turned_deg) return false;
  const Eigen::Vector2d swapped(component.body.size_mm.y(), component.body.size_mm.x());
  return std::abs(std::abs(*part.seen->turned_deg) - 90) < 20 &&
         (part.seen->size_mm - swapped).norm() < (part.seen->size_mm - component.body.size_mm).norm();
}

Recipe turned_recipe(const Recipe& recipe, int deg) {
  Recipe turned = recipe;
  turned.sha256 += fmt::format("/{}", deg);  // another plan
  Eigen::Matrix4d about = Eigen::Matrix4d::Identity();
  const double rad = deg * std::numbers::pi / 180;
  Eigen::Matrix2d turn;
  turn << std::cos(rad), -std::sin(rad), std::sin(rad), std::cos(rad);
  const Eigen::Vector2d middle = recipe.board_size_mm / 2;
  about.topLeftCorner<2, 2>() = turn;
  about.topRightCorner<2, 1>() = middle - turn * middle;
  turned.machine_from_board = recipe.machine_from_board * Htm<Board, Board>(about);
  return turned;
}

GoldenBoard measure_golden(const HeightFrame& frame, const InspectionInputs& inputs,
                           BoardMeasurer& measurer) {
  const Recipe& recipe = *inputs.recipe;
  const BoardVerdict v = inspect(frame, inputs, measurer);
  GoldenBoard board;
  board.file = frame.source, board.frame_id = frame.frame_id, board.sha256 = frame.content_sha256;
  board.unit = frame.unit_id;
  board.pitch_mm = std::max(std::abs(frame.x.scale_mm), std::abs(frame.y.scale_mm));
  if (v.reason != Reason::none) board.why = fmt::format("{}: {}", name_of(v.reason), v.detail);
  board.parts.resize(recipe.components.size());
  if (v.components.size() >= recipe.components.size() && board.why.empty()) {
    board.board_from_sensor = moved(board_from_sensor(inputs), v.stages);
    const auto stretched = stretched_recipe(recipe, v.stages);
    const SeenBoard seen{stretched ? *stretched : recipe, frame, board.board_from_sensor};
    const double sigma_um = inputs.sensor->noise.sigma_um.front();
    parallel_for(std::max(1u, inputs.threads), recipe.components.size(), [&](std::size_t i, unsigned) {
      board.parts[i] = part_of(v.components[i]);
      if (const auto floor = floor_plane_of(v.components[i]))
        board.parts[i].seen = seen_outline(seen, seen.recipe.components[i], *floor, sigma_um);
    });
    summarise(v, board);
  }
  const std::size_t fit = fitting(v, recipe), all = recipe.components.size();
  if (fit * 5 <= all * 4) board.lies_turned = turn_that_fits(frame, inputs, measurer, fit);
  return board;
}

}  // namespace datum::teach
