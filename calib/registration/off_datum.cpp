#include <algorithm>
#include <cmath>
#include <map>

#include "calib/linear/median.h"

#include "calib/registration/model_fit_step.h"

namespace datum::model_fit {
namespace {

constexpr double off_sigmas = 6, sigma_of_mad = 1.4826;

struct Group {
  double weight = 0, sum_mm = 0;
  Eigen::Vector3d middle_mm = Eigen::Vector3d::Zero();
  double mean_mm() const { return sum_mm / weight; }
};

}  // namespace

OffDatum off_datum(const std::vector<ModelSample>& samples, const Lever& lever,
                   const Eigen::Matrix<double, 6, Eigen::Dynamic>& free, double slope_rad) {
  OffDatum off;
  std::map<std::uint32_t, Group> groups;
  for (const ModelSample& s : samples) {
    Group& g = groups[s.group];
    g.weight += s.weight;
    g.sum_mm += s.weight * s.distance_mm;
    g.middle_mm += s.weight * s.point_mm;
  }
  if (groups.empty()) return off;
  std::vector<double> means, spread;
  for (const auto& [number, g] : groups) means.push_back(g.mean_mm());
  const double middle = median_of(means);
  for (const double m : means) spread.push_back(std::abs(m - middle));
  const double far_mm = off_sigmas * sigma_of_mad * median_of(spread);
  const auto stands_off = [&](const Group& g) { return std::abs(g.mean_mm() - middle) > far_mm; };
  for (const auto& [number, g] : groups) {
    if (!stands_off(g)) continue;
    ++off.groups;
    if (std::abs(g.mean_mm()) <= std::abs(off.largest_mm)) continue;
    off.largest_mm = g.mean_mm();
    off.at_mm = g.middle_mm / g.weight;
  }
  if (off.groups == 0) return off;
  std::vector<ModelSample> others;
  for (const ModelSample& s : samples)
    if (!stands_off(groups[s.group])) others.push_back(s);
  const Equations e = equations_of(others, lever);
  off.pull_mm = (told_by(e, free, slope_rad).inverse * e.pull).norm();
  return off;
}

}  // namespace datum::model_fit
