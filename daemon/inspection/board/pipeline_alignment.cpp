#include "daemon/inspection/board/pipeline_alignment.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "daemon/inspection/recipe/alignment_recipe.h"
#include "gpu/core/backend.h"
#include "gpu/phase_correlation/correlator.h"

namespace datum {
namespace {

constexpr int alignment_samples = 2;  // per cell, along either axis

Eigen::Vector2d place_of(const AlignmentGrid& g, std::uint32_t col, std::uint32_t row, int i, int k) {
  return g.origin_mm + g.cell_mm * Eigen::Vector2d(col + (i + 0.5) / alignment_samples,
                                                   row + (k + 0.5) / alignment_samples);
}

/// Calls see(cell, place) for each sample.
template <class See>
void each_sample(const AlignmentGrid& g, const See& see) {
  for (std::uint32_t row = 0; row < g.rows; ++row)
    for (std::uint32_t col = 0; col < g.cols; ++col)
      for (int k = 0; k < alignment_samples; ++k)
        for (int i = 0; i < alignment_samples; ++i)
          see(std::size_t{row} * g.cols + col, place_of(g, col, row, i, k));
}

bool inside(const BoardRect& body, const Eigen::Vector2d& at) {
  const double turn = body.rotation_deg * std::numbers::pi / 180;
  const Eigen::Vector2d d = at - body.centre_mm;
  return std::abs(std::cos(turn) * d.x() + std::sin(turn) * d.y()) <= body.size_mm.x() / 2 &&
         std::abs(std::cos(turn) * d.y() - std::sin(turn) * d.x()) <= body.size_mm.y() / 2;
}

/// Share of each cell covered by the recipe's bodies that are high enough to be visible.
std::vector<float> nominal_mask(const Recipe& recipe, const AlignmentGrid& g, double height_um) {
  std::vector<float> mask(std::size_t{g.cols} * g.rows);
  for (const Component& c : recipe.components) {
    if (c.nominal_height_um < height_um) continue;
    const Eigen::Vector2d reach = Eigen::Vector2d::Constant(c.body.size_mm.norm() / 2);
    const auto index = [&](double mm, double origin, std::uint32_t count) {
      return static_cast<std::uint32_t>(std::clamp((mm - origin) / g.cell_mm, 0.0, count - 1.0));
    };
    const Eigen::Vector2d low = c.body.centre_mm - reach, high = c.body.centre_mm + reach;
    for (std::uint32_t row = index(low.y(), g.origin_mm.y(), g.rows);
         row <= index(high.y(), g.origin_mm.y(), g.rows); ++row)
      for (std::uint32_t col = index(low.x(), g.origin_mm.x(), g.cols);
           col <= index(high.x(), g.origin_mm.x(), g.cols); ++col) {
        float covered = 0;
        for (int k = 0; k < alignment_samples; ++k)
          for (int i = 0; i < alignment_samples; ++i)
            covered += inside(c.body, place_of(g, col, row, i, k)) ? 1.f : 0.f;
        float& cell = mask[std::size_t{row} * g.cols + col];
        cell = std::min(1.f, cell + covered / (alignment_samples * alignment_samples));
      }
  }
  return mask;
}

/// Height of each sample over the nominal board in mm; NaN where not measured.
std::vector<float> sampled_heights(const HeightFrame& frame, const BoardView& view, const AlignmentGrid& g) {
  std::vector<float> heights;
  heights.reserve(std::size_t{g.cols} * g.rows * alignment_samples * alignment_samples);
  each_sample(g, [&](std::size_t, const Eigen::Vector2d& at) {
    const Eigen::Vector2d pixel = view.pixel_of(at, 0);
    const double col = std::round(pixel.x()), row = std::round(pixel.y());
    float height = std::nanf("");
    if (col >= 0 && row >= 0 && col < frame.cols && row < frame.rows) {
      const int c = static_cast<int>(col), r = static_cast<int>(row);
      if (frame.class_at(r, c) == PixelClass::ok)
        height = static_cast<float>(frame.z_mm(r, c) - view.sensor_z_mm(at));
    }
    heights.push_back(height);
  });
  return heights;
}

/// Median: the board's own height where most of it is bare; parts are higher.
std::optional<float> median_of_seen(const std::vector<float>& heights) {
  std::vector<float> seen;
  for (const float h : heights)
    if (std::isfinite(h)) seen.push_back(h);
  if (seen.empty()) return std::nullopt;
  const auto middle = seen.begin() + static_cast<std::ptrdiff_t>(seen.size() / 2);
  std::nth_element(seen.begin(), middle, seen.end());
  return *middle;
}

std::vector<float> seen_mask(const std::vector<float>& heights, float board_mm, const AlignmentGrid& g,
                             double height_um) {
  std::vector<float> mask(std::size_t{g.cols} * g.rows);
  const float above_mm = board_mm + static_cast<float>(height_um * 1e-3);
  std::size_t next = 0;
  each_sample(g, [&](std::size_t cell, const Eigen::Vector2d&) {
    if (heights[next++] >= above_mm) mask[cell] += 1.f / (alignment_samples * alignment_samples);
  });
  return mask;
}

StepRecord record_of(const AlignmentRecipe& a, const AlignmentGrid& g, double height_um,
                     const CorrelationShift& s) {
  StepRecord r;
  r.name = coarse_alignment_step;
  r.version = "1";
  r.parameters = {{"max_shift_mm", fmt::format("{}", a.max_shift_mm)},
                  {"min_ratio", fmt::format("{}", a.min_ratio)},
                  {"cell_mm", fmt::format("{}", g.cell_mm)},
                  {"min_height_um", fmt::format("{}", height_um)}};
  r.health = {{"shift_x_um", s.x_px * g.cell_mm * 1e3},
              {"shift_y_um", s.y_px * g.cell_mm * 1e3},
              {"peak", s.peak},
              {"ratio", s.ratio}};
  return r;
}

std::optional<Refusal> refusal_of(const CorrelationShift& s, const AlignmentRecipe& a,
                                  const AlignmentGrid& g) {
  switch (s.kind) {
    case CorrelationClass::ok:
      return std::nullopt;
    case CorrelationClass::no_peak:
      return Refusal{Reason::alignment,
                     "no part of the board is seen where the recipe looks for it; is there a board?"};
    case CorrelationClass::ambiguous:
      return Refusal{
          Reason::alignment,
          fmt::format(
              "the board's place is not known: the parts match {:.2f} times as well as elsewhere, at least "
              "{:.2f} is demanded; another board, one turned around, or parts that repeat",
              s.ratio, a.min_ratio)};
    case CorrelationClass::too_far:
      return Refusal{
          Reason::alignment,
          fmt::format(
              "the board lies [{:.3f}, {:.3f}] mm from its place, at most {:.3f} mm are allowed; check its "
              "fixture",
              s.x_px * g.cell_mm, s.y_px * g.cell_mm, a.max_shift_mm)};
  }
  return std::nullopt;
}

}  // namespace

const char* why_no_alignment() { return nullptr; }

BoardShift board_shift(const Recipe& recipe, const HeightFrame& frame, const BoardView& view,
                       unsigned threads, Correlator* correlator) {
  const AlignmentRecipe& a = *recipe.alignment;
  if (a.max_rotation_deg) {
    const BoardLookAt look{frame, view};
    return registered_board(recipe, {&look, 1}, threads);
  }
  const AlignmentGrid g = alignment_grid(recipe);
  const double height_um = alignment_height_um(recipe);
  CorrelationSettings settings;
  settings.least_ratio = static_cast<float>(a.min_ratio);
  settings.most_shift_px = static_cast<float>(a.max_shift_mm / g.cell_mm);
  CorrelationShift s;
  std::string correlated_by;
  const std::vector<float> heights = sampled_heights(frame, view, g);
  if (const std::optional<float> board_mm = median_of_seen(heights)) {
    const std::vector<float> seen = seen_mask(heights, *board_mm, g, height_um);
    CpuCorrelator here(cpu_backend(threads));
    Correlator& by = correlator ? *correlator : here;
    s = by.find({nominal_mask(recipe, g, height_um).data(), seen.data(), g.cols, g.rows}, settings);
    correlated_by = by.describe();
  }
  return {refusal_of(s, a, g), record_of(a, g, height_um, s), {}, {}, correlated_by};
}

}  // namespace datum
