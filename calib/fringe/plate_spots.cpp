#include "calib/fringe/plate_spots.h"

#include <algorithm>
#include <cmath>

#include "calib/linear/median.h"

namespace datum {
namespace {

constexpr double off_sigmas = 6, sigma_of_mad = 1.4826, least_filled = 0.5;

struct Square {
  double sum_um = 0;
  std::uint64_t heights = 0;
};

}  // namespace

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

}  // namespace datum
