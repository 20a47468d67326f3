#include "gpu/fringe_phase/height_model.h"

#include <algorithm>
#include <limits>

#include "gpu/fringe_phase/fringe_check.h"
#include "gpu/fringe_phase/fringe_phase_math.h"

namespace datum {
namespace {

using fringe::refuse;
using fringe::short_number;

bool is_finite(const HeightNode& n) {
  bool finite = std::isfinite(n.centre_px) && std::isfinite(n.bend) && !std::isinf(n.per_px);
  for (const float h : n.height_um) finite = finite && std::isfinite(h);
  return finite;
}

}  // namespace

void check(const HeightModel& model, std::uint32_t width, std::uint32_t height) {
  const std::uint32_t cell = model.cell_px;
  if (cell == 0 || cell > 4096 || (cell & (cell - 1)) != 0)
    refuse("height model: cell_px " + std::to_string(cell) + "; a power of two up to 4096 is wanted");
  const std::uint32_t columns = nodes_along(width, cell), rows = nodes_along(height, cell);
  if (model.columns != columns || model.rows != rows)
    refuse("height model: " + std::to_string(model.columns) + " x " + std::to_string(model.rows) +
           " nodes, and an image of " + std::to_string(width) + " x " + std::to_string(height) +
           " pixels needs " + std::to_string(columns) + " x " + std::to_string(rows) +
           "; was it calibrated with this camera's size?");
  if (!model.nodes) refuse("height model: no nodes");
  if (!(model.lsb_um >= 1e-4f && model.lsb_um <= 1000))
    refuse("height model: lsb_um " + short_number(model.lsb_um) + "; 0.0001 to 1000 is wanted");
  double bend = 0, farthest = 0;
  for (std::size_t i = 0; i < std::size_t{columns} * rows; ++i) {
    const HeightNode& n = model.nodes[i];
    if (!is_finite(n) || !(std::fabs(n.bend) < 1))
      refuse("height model: node " + std::to_string(i) + " is not finite or its bend is not within -1 to 1");
    double sum = 0;
    for (const float h : n.height_um) sum += std::fabs(h);
    farthest = std::max(farthest, sum);
    bend = std::max<double>(bend, std::fabs(n.bend));
  }
  constexpr double most_counts = 4194303;  // 2^22 - 1: float adds them exactly
  if (farthest / (1 - bend) > most_counts * model.lsb_um)
    refuse("height model: heights up to " + short_number(farthest / (1 - bend)) + " um are beyond " +
           short_number(most_counts * model.lsb_um) + " um, all that counts of lsb_um " +
           short_number(model.lsb_um) + " hold; take a larger one");
}

float height_um(const HeightModel& model, std::uint32_t row, std::uint32_t col, float u) {
  fringe::Coefficients<SimdScalar> c;
  const auto at = [&](std::uint32_t i) { return fringe::coefficient_at(model, row, col, i); };
  c.centre = at(0);
  c.per_px = at(1);
  for (std::uint32_t i = 0; i < 4; ++i) c.height[i] = at(2 + i);
  c.bend = at(6);
  const float t = (u - c.centre) * c.per_px;
  return std::fabs(t) <= 1 ? fringe::height_at<SimdScalar>(c, t) : std::numeric_limits<float>::quiet_NaN();
}

namespace fringe {

float coefficient_at(const HeightModel& model, std::uint32_t row, std::uint32_t col, std::uint32_t i) {
  const std::uint32_t cell = model.cell_px;
  const float left = coefficient_of_row(model, row, col / cell, i);
  const float right = coefficient_of_row(model, row, col / cell + 1, i);
  return between(left, right, static_cast<float>(col % cell) / static_cast<float>(cell));
}

float coefficient_of_row(const HeightModel& model, std::uint32_t row, std::uint32_t column, std::uint32_t i) {
  const std::uint32_t cell = model.cell_px;
  const HeightNode* above = model.nodes + std::size_t{row / cell} * model.columns + column;
  return between(reinterpret_cast<const float*>(above)[i],
                 reinterpret_cast<const float*>(above + model.columns)[i],
                 static_cast<float>(row % cell) / static_cast<float>(cell));
}

}  // namespace fringe
}  // namespace datum
