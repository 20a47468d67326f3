#include "calib/warp/warp_floor.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

namespace datum {
namespace {

constexpr int per_side = 16;

std::vector<Eigen::Vector2d> border_mm(const WarpArea& ring) {
  const auto corner = corners_mm(ring);
  std::vector<Eigen::Vector2d> places;
  for (std::size_t side = 0; side < 4; ++side)
    for (int k = 0; k < per_side; ++k)
      places.push_back(corner[side] +
                       (static_cast<double>(k) / per_side) * (corner[(side + 1) % 4] - corner[side]));
  return places;
}

/// Standard uncertainty of a slope across the ring whose ends deviate by up to half_um either way.
double slope_of(double half_um, const WarpArea& ring) {
  return 2 * half_um / std::sqrt(3.0) / ring.size_mm.minCoeff();
}

}  // namespace

std::vector<Eigen::Vector2d> floor_places_mm(const WarpArea& ring, const Eigen::Vector2d& body_mm) {
  std::vector<Eigen::Vector2d> places = border_mm(ring);
  places.push_back(body_mm);
  return places;
}

void add_half_width(WarpFloor& floor, double half_um, const WarpArea& ring) {
  floor.u_um = std::hypot(floor.u_um, half_um / std::sqrt(3.0));
  floor.u_slope_um_per_mm = std::hypot(floor.u_slope_um_per_mm, slope_of(half_um, ring));
}

WarpFloor floor_of(const ThinPlate& surface, const WarpArea& ring, const Eigen::Vector2d& body_mm) {
  const std::vector<Eigen::Vector2d> places = border_mm(ring);
  const auto n = static_cast<Eigen::Index>(places.size());
  Eigen::MatrixX3d basis(n, 3);
  Eigen::VectorXd height(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const Eigen::Vector2d d = places[static_cast<std::size_t>(i)] - ring.centre_mm;
    basis.row(i) << 1, d.x(), d.y();
    height[i] = surface.value_um(places[static_cast<std::size_t>(i)]);
  }
  const Eigen::Matrix3Xd fit = Eigen::Matrix3d(basis.transpose() * basis).inverse() * basis.transpose();
  const Eigen::Vector3d plane = fit * height;
  const auto u_of = [&](Eigen::Index row) {
    return surface.u_um(WarpSum{places, {fit.row(row).begin(), fit.row(row).end()}});
  };
  WarpFloor f;
  f.u_um = surface.u_um(body_mm);
  f.u_slope_um_per_mm = Eigen::Vector2d(u_of(1), u_of(2)).norm();
  f.centre_mm = ring.centre_mm;
  f.plane_um = plane[0];
  f.slope_um_per_mm = plane.tail<2>();
  f.form_um = surface.value_um(body_mm) - plane[0] - f.slope_um_per_mm.dot(body_mm - ring.centre_mm);
  double half_um = 0;
  for (const Eigen::Vector2d& at : places) half_um = std::max(half_um, surface.left_out_um(at));
  f.u_slope_um_per_mm = std::hypot(f.u_slope_um_per_mm, slope_of(half_um, ring));
  return f;
}

}  // namespace datum
