#include "calib/verify/parallel_fit.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace datum {
namespace {

using Eigen::Vector3d;

/// A plane's points about their mean, in single precision.
struct LocalPoints {
  Vector3d mean = Vector3d::Zero();
  std::vector<WeightedPoint> points;
};

LocalPoints local_of(const SampledPlane& plane) {
  if (plane.mm.size() < 4)
    throw FitRefused("plane " + plane.name + ": " + std::to_string(plane.mm.size()) +
                     " points; at least 4 are needed, spread over the face");
  LocalPoints local;
  for (const Vector3d& p : plane.mm) local.mean += p;
  local.mean /= static_cast<double>(plane.mm.size());
  if (!local.mean.allFinite()) throw FitRefused("plane " + plane.name + ": a coordinate is not finite");
  for (std::size_t i = 0; i < plane.mm.size(); ++i) {
    const Eigen::Vector3f p = (plane.mm[i] - local.mean).cast<float>();
    const auto w = static_cast<float>(plane.weight[i]);
    if (!(w > 0 && std::isfinite(w)))
      throw FitRefused("plane " + plane.name + ": a weight of " + std::to_string(plane.weight[i]) +
                       "; wanted: numbers above 0");
    local.points.push_back({p.x(), p.y(), p.z(), w});
  }
  return local;
}

/// As small as the points allow: its quanta decide the sums' resolution.
ParallelPlanesSettings settings_of(const std::vector<LocalPoints>& planes, const Vector3d& towards,
                                   WeightMeaning meaning) {
  ParallelPlanesSettings s;
  s.max_weight = 0;
  for (const LocalPoints& plane : planes)
    for (const WeightedPoint& p : plane.points) {
      s.half_range = std::max({s.half_range, std::fabs(p.x), std::fabs(p.y), std::fabs(p.z)});
      s.max_weight = std::max(s.max_weight, p.w);
    }
  s.meaning = meaning;
  for (int k = 0; k < 3; ++k) s.towards[k] = towards[k];
  return s;
}

const char* refusal_of(ParallelStatus status) {
  switch (status) {
    case ParallelStatus::strip:
      return "the points of all planes together are a line or a strip thinner than 1:100; measure across it";
    case ParallelStatus::no_plane:
      return "the points are scattered by more than a fifth of their width; they are no planes, or not "
             "parallel";
    case ParallelStatus::out_of_range:
      return "a coordinate is not finite";
    default:
      return name_of(status);
  }
}

Vector3d vector_of(const double* v) { return {v[0], v[1], v[2]}; }

/// Of offsets normal . m about the origin: each plane's own, and the tilt of the normal that all share.
void add_offsets(FittedSet& out, const ParallelPlanes& shared, const std::vector<ParallelPlane>& planes) {
  const auto n = static_cast<Eigen::Index>(planes.size());
  Eigen::MatrixXd arms(n, 3);
  for (Eigen::Index j = 0; j < n; ++j) arms.row(j) = out.planes[static_cast<std::size_t>(j)].centroid_mm;
  out.offset_covariance_mm2 = arms * out.normal_covariance * arms.transpose();
  for (Eigen::Index j = 0; j < n; ++j) {
    out.offset_covariance_mm2(j, j) += planes[static_cast<std::size_t>(j)].offset_variance;
    FittedPlane& plane = out.planes[static_cast<std::size_t>(j)];
    plane.offset_mm = vector_of(shared.normal).dot(plane.centroid_mm);
    plane.u_offset_mm = std::sqrt(out.offset_covariance_mm2(j, j));
  }
  for (std::size_t a = 0; a < out.planes.size(); ++a)
    for (std::size_t b = a + 1; b < out.planes.size(); ++b) {
      const auto i = static_cast<Eigen::Index>(a), k = static_cast<Eigen::Index>(b);
      const Eigen::MatrixXd& c = out.offset_covariance_mm2;
      out.distances.push_back({a, b, out.planes[b].offset_mm - out.planes[a].offset_mm,
                               std::sqrt(std::max(0.0, c(i, i) + c(k, k) - 2 * c(i, k)))});
    }
}

}  // namespace

FittedSet fit_parallel_set(const ParallelPointSet& set, WeightMeaning meaning, const Backend& backend) {
  if (set.planes.empty()) throw std::invalid_argument("set " + set.name + " has no planes");
  std::vector<LocalPoints> local;
  std::vector<PlaneSample> samples;
  double points = 0;
  for (const SampledPlane& plane : set.planes) {
    local.push_back(local_of(plane));
    points += static_cast<double>(plane.mm.size());
  }
  for (const LocalPoints& plane : local) samples.push_back({plane.points.data(), plane.points.size()});
  const ParallelPlanesSettings settings = settings_of(local, set.towards, meaning);
  if (!(settings.half_range > 0)) throw FitRefused("set " + set.name + ": all points are one");
  const ParallelSet all{0, static_cast<std::uint32_t>(samples.size())};
  ParallelPlanes shared;
  std::vector<ParallelPlane> planes(samples.size());
  fit_parallel_planes(samples.data(), samples.size(), &all, 1, settings, backend, &shared, planes.data());
  if (shared.status != ParallelStatus::ok)
    throw FitRefused("set " + set.name + ": " + refusal_of(shared.status));
  const double count = meaning == WeightMeaning::variance ? points : shared.effective;
  if (!(count > 2 + static_cast<double>(planes.size())))
    throw FitRefused("set " + set.name +
                     ": its weights leave no freedom to tell an uncertainty; a few points "
                     "weigh as all others together");
  FittedSet out;
  out.name = set.name;
  out.normal = vector_of(shared.normal);
  out.sigma_mm = shared.sigma;
  out.normal_covariance.setZero();
  for (int k = 0; k < 2; ++k)
    out.normal_covariance +=
        shared.tilt_variance[k] * vector_of(shared.axis[k]) * vector_of(shared.axis[k]).transpose();
  for (std::size_t j = 0; j < planes.size(); ++j) {
    const PlaneExtremes e = extremes(samples[j], shared, planes[j], backend);
    out.planes.push_back({set.planes[j].name, set.planes[j].mm.size(), planes[j].effective,
                          local[j].mean + vector_of(planes[j].centroid), 0, 0, planes[j].rms,
                          e.highest - e.lowest});
  }
  add_offsets(out, shared, planes);
  return out;
}

}  // namespace datum
