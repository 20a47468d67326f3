#include "calib/fringe/phase_fit.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "calib/fringe/node_columns.h"
#include "calib/fringe/node_fit.h"
#include "calib/htm.h"
#include "calib/linear/median.h"

namespace datum {
namespace {

constexpr double off_sigmas = 6, sigma_of_mad = 1.4826, least_filled = 0.5;

struct Square {
  double sum_um = 0;
  std::uint64_t heights = 0;
};

/// Squares of half a node's cell whose mean deviation over all steps exceeds `least_um`, and differs from the
/// median of all squares by more than 6 standard deviations (1.4826 times the median absolute deviation).
/// Dust on the plate moves with it from step to step. Largest deviation first.
std::vector<PlateSpot> plate_spots(const std::vector<FlatStep>& steps, const HeightModel& model,
                                   const PhaseFitSettings& s, double least_um) {
  const std::uint32_t side = std::max(1u, s.cell_px / 2), across = (s.width + side - 1) / side,
                      down = (s.height + side - 1) / side;
  std::vector<Square> squares(std::size_t{across} * down);
  for (const FlatStep& step : steps)
    for (std::uint32_t row = 0; row < s.height; ++row)
      for (std::uint32_t col = 0; col < s.width; ++col) {
        const std::size_t i = std::size_t{row} * s.width + col;
        if (step.classes[i] != FringeClass::ok) continue;
        const double z_um = height_um(model, row, col, step.column_px[i]);
        if (std::isnan(z_um)) continue;
        Square& square = squares[std::size_t{row / side} * across + col / side];
        square.sum_um += z_um - step.z_um;
        ++square.heights;
      }
  const double wanted = least_filled * side * side * static_cast<double>(steps.size());
  std::vector<double> means, spread;
  std::vector<PlateSpot> all;
  for (std::size_t i = 0; i < squares.size(); ++i) {
    if (static_cast<double>(squares[i].heights) < wanted) continue;
    means.push_back(squares[i].sum_um / static_cast<double>(squares[i].heights));
    all.push_back({static_cast<std::uint32_t>(i / across) * side + side / 2,
                   static_cast<std::uint32_t>(i % across) * side + side / 2, means.back()});
  }
  if (means.empty()) return {};
  const double middle = median_of(means);
  for (const double m : means) spread.push_back(std::abs(m - middle));
  const double far_um = std::max(least_um, off_sigmas * sigma_of_mad * median_of(spread));
  std::erase_if(all, [&](const PlateSpot& spot) { return !(std::abs(spot.off_um - middle) > far_um); });
  std::stable_sort(all.begin(), all.end(), [](const PlateSpot& a, const PlateSpot& b) {
    return std::abs(a.off_um) > std::abs(b.off_um);
  });
  return all;
}

template <class... Values>
std::string formatted(const char* form, Values... values) {
  char text[240];
  std::snprintf(text, sizeof text, form, values...);
  return text;
}

void check_steps(const std::vector<FlatStep>& steps, const PhaseFitSettings& s) {
  const int fewest = fewest_flat_steps(s);
  if (static_cast<int>(steps.size()) < fewest)
    throw CalibrationError(
        formatted("%d steps; a model of degree %d%s needs %d or more: measure the plate at more "
                  "heights",
                  static_cast<int>(steps.size()), s.degree, s.bend ? " with bend" : "", fewest));
  for (std::size_t k = 1; k < steps.size(); ++k)
    if (!(steps[k].z_um > steps[k - 1].z_um))
      throw CalibrationError(
          formatted("two steps are at %.4f mm; give each height once", steps[k].z_um * 1e-3));
}

/// The columns of all steps at a node; none where the plate was not visible in each step.
std::optional<std::vector<NodePoint>> points_at(const std::vector<FlatStep>& steps, const PhaseFitSettings& s,
                                                std::uint32_t row, std::uint32_t column,
                                                const Backend& backend) {
  std::vector<NodePoint> points;
  for (const FlatStep& step : steps) {
    const auto u = column_at(step, s, row, column, backend);
    if (!u) return std::nullopt;
    points.push_back({step.z_um, u->u_px, u->sigma_px});
  }
  return points;
}

void check_monotone(const std::vector<NodePoint>& points, std::uint32_t row_px, std::uint32_t col_px) {
  const bool rises = points.back().u_px > points.front().u_px;
  for (std::size_t k = 1; k < points.size(); ++k) {
    const double by = points[k].u_px - points[k - 1].u_px;
    if (rises ? by > 0 : by < 0) continue;
    throw CalibrationError(formatted(
        "at row %u, column %u the projector's column goes from %.3f to %.3f px between the steps at %.4f and "
        "%.4f mm, "
        "against the other steps: a set belongs to another height, or the order of the images is wrong",
        row_px, col_px, points[k - 1].u_px, points[k].u_px, points[k - 1].z_um * 1e-3,
        points[k].z_um * 1e-3));
  }
}

/// Four sigma of one pixel's column: at the lowest and highest step, noise alone would leave the range.
double spare_px(const std::vector<FlatStep>& steps, const PhaseFitSettings& s) {
  std::vector<float> sigma;
  const std::size_t n = std::size_t{s.width} * s.height;
  for (std::size_t i = 0; i < n; ++i)
    if (steps.front().classes[i] == FringeClass::ok) sigma.push_back(steps.front().sigma_px[i]);
  if (sigma.empty()) return 0;
  const auto middle = sigma.begin() + static_cast<std::ptrdiff_t>(sigma.size() / 2);
  std::nth_element(sigma.begin(), middle, sigma.end());
  return 4.0 * *middle;
}

/// Slope of the height over the column, by a difference over a hundredth of the range, one-sided at its ends.
double slope_um_per_px(const HeightModel& model, double z_um, std::uint32_t row, std::uint32_t col, float u) {
  const HeightNode& near =
      model.nodes[std::size_t{row / model.cell_px} * model.columns + col / model.cell_px];
  const float step = 0.01f / near.per_px;
  const double above = height_um(model, row, col, u + step);
  return std::isnan(above) ? (z_um - height_um(model, row, col, u - step)) / step : (above - z_um) / step;
}

StepResidual residual_of(const FlatStep& step, const HeightModel& model, const PhaseFitSettings& s) {
  StepResidual r;
  r.z_um = step.z_um;
  double sum = 0, squares = 0, noise = 0;
  for (std::uint32_t row = 0; row < s.height; ++row)
    for (std::uint32_t col = 0; col < s.width; ++col) {
      const std::size_t i = std::size_t{row} * s.width + col;
      if (step.classes[i] != FringeClass::ok) continue;
      const double z_um = height_um(model, row, col, step.column_px[i]);
      if (std::isnan(z_um)) continue;
      const double off = z_um - step.z_um;
      const double own = slope_um_per_px(model, z_um, row, col, step.column_px[i]) * step.sigma_px[i];
      ++r.pixels;
      sum += off;
      squares += off * off;
      noise += own * own;
    }
  if (r.pixels == 0) return r;
  const auto n = static_cast<double>(r.pixels);
  r.mean_um = sum / n;
  r.rms_um = std::sqrt(squares / n);
  r.noise_um = std::sqrt(noise / n);
  return r;
}

void judge(PhaseFit& fit, const PhaseFitSettings& s) {
  double pixels = 0, squares = 0, noise = 0;
  for (const StepResidual& r : fit.steps) {
    if (r.pixels == 0)
      throw CalibrationError(formatted("no pixel of the step at %.4f mm has a height", r.z_um * 1e-3));
    if (r.rms_um > s.max_residual_um)
      throw CalibrationError(
          formatted("the step at %.4f mm is off by %.3f um rms (mean %+.3f um, noise alone %.3f um), above "
                    "%.3f um: check its "
                    "height and its images, or take a model of more terms",
                    r.z_um * 1e-3, r.rms_um, r.mean_um, r.noise_um, s.max_residual_um));
    const auto n = static_cast<double>(r.pixels);
    pixels += n;
    squares += n * r.rms_um * r.rms_um;
    noise += n * r.noise_um * r.noise_um;
  }
  double fitted = 0;
  for (std::size_t i = 0; i < fit.nodes.size(); ++i)
    if (!std::isnan(fit.nodes[i].per_px)) fitted += static_cast<double>(fit.node_u_um[i]) * fit.node_u_um[i];
  fit.residual_rms_um = std::sqrt(squares / pixels);
  fit.u_model_um =
      std::sqrt(fitted / static_cast<double>(fit.calibrated) + std::max(0.0, squares - noise) / pixels +
                s.u_step_um * s.u_step_um + s.u_plate_um * s.u_plate_um);
}

}  // namespace

int fewest_flat_steps(const PhaseFitSettings& s) { return s.degree + 1 + (s.bend ? 1 : 0) + 2; }

PhaseFit fit_phase_heights(std::vector<FlatStep> steps, const PhaseFitSettings& s, const Backend& backend) {
  std::sort(steps.begin(), steps.end(), [](const auto& a, const auto& b) { return a.z_um < b.z_um; });
  check_steps(steps, s);
  PhaseFit fit;
  fit.columns = nodes_along(s.width, s.cell_px);
  fit.rows = nodes_along(s.height, s.cell_px);
  const double spare = spare_px(steps, s);
  for (std::uint32_t row = 0; row < fit.rows; ++row)
    for (std::uint32_t column = 0; column < fit.columns; ++column) {
      HeightNode& node = fit.nodes.emplace_back();
      node.per_px = std::numeric_limits<float>::quiet_NaN();
      fit.node_u_um.push_back(0);
      const auto points = points_at(steps, s, row, column, backend);
      if (!points) continue;
      check_monotone(*points, row * s.cell_px, column * s.cell_px);
      const NodeFit one = fit_node(*points, s.degree, s.bend, spare, backend);
      node = one.node;
      fit.node_u_um.back() = static_cast<float>(one.u_um);
      fit.worst_condition = std::max(fit.worst_condition, one.condition);
      fit.worst_backward_error = std::max(fit.worst_backward_error, one.backward_error);
      ++fit.calibrated;
    }
  if (fit.calibrated == 0)
    throw CalibrationError("nowhere is the plate seen in every step: it must fill the image, without glare");
  const HeightModel model{s.cell_px, fit.columns, fit.rows, fit.nodes.data()};
  for (const FlatStep& step : steps) fit.steps.push_back(residual_of(step, model, s));
  judge(fit, s);
  fit.spots = plate_spots(steps, model, s, fit.u_model_um);
  return fit;
}

}  // namespace datum
