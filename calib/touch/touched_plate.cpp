#include "calib/touch/touched_plate.h"

#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "calib/printed.h"

namespace datum {
namespace {

constexpr std::array<const char*, plate_faces> names{"top", "left", "right", "lower", "upper"};
constexpr std::size_t least_top = 4, least_edge = 3, least_other = 2;
constexpr int most_steps = 30;
// Below the rounding of coordinates of 1 m in double precision, far below any machine's step.
constexpr double still_mm = 1e-9;

std::size_t index_of(PlateFace face) { return static_cast<std::size_t>(face); }

/// Outward normal in the plate's coordinates.
Eigen::Vector3d normal_of(PlateFace face) {
  switch (face) {
    case PlateFace::top:
      return {0, 0, 1};
    case PlateFace::left:
      return {-1, 0, 0};
    case PlateFace::right:
      return {1, 0, 0};
    case PlateFace::lower:
      return {0, -1, 0};
    case PlateFace::upper:
      break;
  }
  return {0, 1, 0};
}

/// Distance of the face from the origin along its normal.
double offset_of(PlateFace face, const PlateShape& s) {
  const std::array<double, plate_faces> offsets{0, -s.x_min_mm, s.x_max_mm, -s.y_min_mm, s.y_max_mm};
  return offsets[index_of(face)];
}

using Groups = std::array<std::vector<Eigen::Vector3d>, plate_faces>;

Eigen::Vector3d mean_of(const std::vector<Eigen::Vector3d>& points) {
  Eigen::Vector3d sum = Eigen::Vector3d::Zero();
  for (const Eigen::Vector3d& p : points) sum += p;
  return sum / static_cast<double>(points.size());
}

Groups groups_of(std::span<const PlateTouch> touches) {
  Groups groups;
  for (const PlateTouch& t : touches) {
    if (!t.tip_mm.allFinite()) throw FitRefused("a touch whose place is no number");
    groups[index_of(t.face)].push_back(t.tip_mm);
  }
  const auto count = [&](PlateFace face) { return groups[index_of(face)].size(); };
  const std::size_t x = std::max(count(PlateFace::left), count(PlateFace::right)),
                    y = std::max(count(PlateFace::lower), count(PlateFace::upper));
  if (count(PlateFace::top) < least_top)
    throw FitRefused(printed("top: %zu touches; %zu are needed", count(PlateFace::top), least_top));
  if (std::max(x, y) < least_edge || std::min(x, y) < least_other)
    throw FitRefused(
        printed("edges: at most %zu touches of left or right, %zu of lower or upper; needed: %zu of one "
                "edge, %zu of another one "
                "across it",
                x, y, least_edge, least_other));
  return groups;
}

/// The edge whose touches lead farthest along it: the plate's direction starts from it.
PlateFace leading_edge(const Groups& groups) {
  PlateFace best = PlateFace::left;
  for (const PlateFace face : {PlateFace::left, PlateFace::right, PlateFace::lower, PlateFace::upper})
    if (groups[index_of(face)].size() > groups[index_of(best)].size()) best = face;
  return best;
}

Htm<Machine, Artefact> start_of(const Groups& groups, const PlateShape& shape, const Probe& probe,
                                const Eigen::Vector3d& outwards) {
  const std::vector<Eigen::Vector3d>& top = groups[index_of(PlateFace::top)];
  const TouchedPlane plane = plane_of_touches(top, outwards, probe);
  const Eigen::Vector3d z = plane.fit.feature.normal, middle = mean_of(top);
  const PlateFace lead = leading_edge(groups);
  const std::vector<Eigen::Vector3d>& edge = groups[index_of(lead)];
  Eigen::Vector3d along = Eigen::Vector3d::Zero();
  for (const Eigen::Vector3d& a : edge)
    for (const Eigen::Vector3d& b : edge)
      if ((a - b).squaredNorm() > along.squaredNorm()) along = a - b;
  along -= along.dot(z) * z;
  if (along.norm() < 1)
    throw FitRefused(printed("%s: its touches lie within %.2f mm; spread them along the edge", name_of(lead),
                             along.norm()));
  Eigen::Vector3d out = along.cross(z).normalized();
  if (out.dot(mean_of(edge) - middle) < 0) out = -out;
  const Eigen::Vector3d n = normal_of(lead);
  const Eigen::Vector3d x =
      n.x() != 0 ? Eigen::Vector3d(n.x() * out) : Eigen::Vector3d((n.y() * out).cross(z));
  Eigen::Matrix4d m = Eigen::Matrix4d::Identity();
  m.topLeftCorner<3, 3>() << x, z.cross(x), z;
  const Eigen::Matrix3d r = m.topLeftCorner<3, 3>();
  Eigen::Vector3d origin(0, 0, z.dot(plane.fit.feature.point_mm) - probe.radius_mm);
  std::array<bool, 2> known{};
  for (const PlateFace face : {lead, PlateFace::left, PlateFace::right, PlateFace::lower, PlateFace::upper}) {
    const Eigen::Vector3d normal = normal_of(face);
    const int axis = normal.x() != 0 ? 0 : 1;
    if (groups[index_of(face)].empty()) continue;
    const Eigen::Vector3d at = mean_of(groups[index_of(face)]);
    if ((r * normal).dot(at - middle) < 0)
      throw FitRefused(printed(
          "%s: its touches lie on the other side of the plate: faces are exchanged, or the plate lies "
          "otherwise than its drawing",
          name_of(face)));
    if (std::exchange(known[static_cast<std::size_t>(axis)], true)) continue;
    const double distance = offset_of(face, shape) + probe.radius_mm;
    origin[axis] = r.col(axis).dot(at) - normal[axis] * distance;
  }
  m.topRightCorner<3, 1>() = r * origin;
  return Htm<Machine, Artefact>(m);
}

struct System {
  Eigen::MatrixXd jacobian;
  Eigen::VectorXd off_mm;  // of each touch along its face's normal
};

System system_at(const Htm<Machine, Artefact>& pose, std::span<const PlateTouch> touches,
                 const PlateShape& shape, double radius_mm) {
  const auto n = static_cast<Eigen::Index>(touches.size());
  System s{Eigen::MatrixXd(n, 6), Eigen::VectorXd(n)};
  for (Eigen::Index i = 0; i < n; ++i) {
    const PlateTouch& t = touches[static_cast<std::size_t>(i)];
    const Eigen::Vector3d q = t.tip_mm - pose.translation_mm(), u = pose.rotation() * normal_of(t.face);
    s.off_mm[i] = u.dot(q) - offset_of(t.face, shape) - radius_mm;
    s.jacobian.row(i) << u.cross(q).transpose(), -u.transpose();
  }
  return s;
}

/// Of the distances: each touch, the common radius, and each face's shift and tilts against the drawing.
Eigen::MatrixXd covariance_of(const Htm<Machine, Artefact>& pose, std::span<const PlateTouch> touches,
                              const PlateShape& shape, const Probe& probe) {
  const auto n = static_cast<Eigen::Index>(touches.size());
  Eigen::MatrixXd v = Eigen::MatrixXd::Constant(n, n, probe.u_radius_mm * probe.u_radius_mm);
  v.diagonal().array() += probe.u_touch_mm * probe.u_touch_mm;
  const double half_x = (shape.x_max_mm - shape.x_min_mm) / 2, half_y = (shape.y_max_mm - shape.y_min_mm) / 2;
  const Htm<Artefact, Machine> plate_from_machine = pose.inverse();
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index k = 0; k < n; ++k) {
      const PlateTouch &a = touches[static_cast<std::size_t>(i)], &b = touches[static_cast<std::size_t>(k)];
      if (a.face != b.face) continue;
      const Eigen::Vector3d p = plate_from_machine * a.tip_mm, q = plate_from_machine * b.tip_mm;
      const double middle_x = (shape.x_max_mm + shape.x_min_mm) / 2,
                   middle_y = (shape.y_max_mm + shape.y_min_mm) / 2;
      const double tilt_x = (p.x() - middle_x) * (q.x() - middle_x) / (half_x * half_x),
                   tilt_y = (p.y() - middle_y) * (q.y() - middle_y) / (half_y * half_y);
      const double u = a.face == PlateFace::top ? shape.u_top_mm : shape.u_edge_mm;
      const bool along_x = normal_of(a.face).x() == 0, along_y = normal_of(a.face).y() == 0;
      v(i, k) += u * u * (1 + (along_x ? tilt_x : 0) + (along_y ? tilt_y : 0));
    }
  return v;
}

}  // namespace

const char* name_of(PlateFace face) { return names[index_of(face)]; }

std::optional<PlateFace> plate_face_named(std::string_view name) {
  for (std::size_t i = 0; i < plate_faces; ++i)
    if (name == names[i]) return static_cast<PlateFace>(i);
  return std::nullopt;
}

TouchedPlate plate_of_touches(std::span<const PlateTouch> touches, const PlateShape& shape,
                              const Probe& probe, const Eigen::Vector3d& outwards) {
  check(probe);
  const Groups groups = groups_of(touches);
  TouchedPlate plate;
  plate.machine_from_plate = start_of(groups, shape, probe, outwards);
  Eigen::LLT<Eigen::MatrixXd> weight;
  for (int step = 0;; ++step) {
    if (step == most_steps) throw FitRefused("the plate's place does not converge; touch it again");
    const System s = system_at(plate.machine_from_plate, touches, shape, probe.radius_mm);
    weight.compute(covariance_of(plate.machine_from_plate, touches, shape, probe));
    const Eigen::MatrixXd weighted = weight.solve(s.jacobian);
    const Matrix6d normal = s.jacobian.transpose() * weighted;
    const Eigen::LLT<Matrix6d> solver(normal);
    const Vector6d change = -solver.solve(weighted.transpose() * s.off_mm);
    if (!change.allFinite()) throw FitRefused("the touches do not determine the plate's place; spread them");
    plate.machine_from_plate = corrected(plate.machine_from_plate, change);
    plate.covariance = solver.solve(Matrix6d::Identity());
    const double reach_mm = std::max(shape.x_max_mm - shape.x_min_mm, shape.y_max_mm - shape.y_min_mm);
    if (change.tail<3>().norm() + reach_mm * change.head<3>().norm() < still_mm) break;
  }
  const System at_end = system_at(plate.machine_from_plate, touches, shape, probe.radius_mm);
  std::array<double, plate_faces> squares{};
  for (std::size_t i = 0; i < touches.size(); ++i)
    squares[index_of(touches[i].face)] += std::pow(at_end.off_mm[static_cast<Eigen::Index>(i)], 2);
  for (std::size_t f = 0; f < plate_faces; ++f)
    if (!groups[f].empty())
      plate.faces.push_back({static_cast<PlateFace>(f), groups[f].size(),
                             1000 * std::sqrt(squares[f] / static_cast<double>(groups[f].size()))});
  plate.rms_um = 1000 * std::sqrt(at_end.off_mm.squaredNorm() / static_cast<double>(touches.size()));
  return plate;
}

}  // namespace datum
