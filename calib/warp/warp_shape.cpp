#include "calib/warp/warp_shape.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <utility>

namespace datum {
namespace {

constexpr int edge_steps = 32, lattice_steps = 8;

/// Place from an area's own coordinates, -1/2 to 1/2 along both sides.
Eigen::Vector2d place_mm(const WarpArea& area, double u, double v) {
  const double c = std::cos(area.rotation_rad), s = std::sin(area.rotation_rad);
  const Eigen::Vector2d p(u * area.size_mm.x(), v * area.size_mm.y());
  return area.centre_mm + Eigen::Vector2d(c * p.x() - s * p.y(), s * p.x() + c * p.y());
}

WarpValue measured(const ThinPlate& surface, const WarpSum& sum, double scale) {
  double squares = 0;
  for (const double w : sum.weight) squares += w * w;
  return {scale * surface.value_um(sum), std::abs(scale) * surface.u_um(sum), 0,
          std::abs(scale) * std::sqrt(squares), 0};
}

HalfWidth unresolved(const ThinPlate& surface) {
  return [&surface](const Eigen::Vector2d& at) { return surface.unresolved_um(at); };
}

double lift_of(double u, double picked_from) { return u * std::sqrt(2 * std::log(picked_from)); }

/// Weights of the height at `at` less the height of the least-squares plane there; rows of `places` are (1,
/// u, v).
Eigen::VectorXd over_plane(const Eigen::MatrixX3d& places, const Eigen::Matrix3d& inverse_normal,
                           Eigen::Index at) {
  Eigen::VectorXd weight = -places * (inverse_normal * places.row(at).transpose());
  weight[at] += 1;
  return weight;
}

}  // namespace

std::array<Eigen::Vector2d, 4> corners_mm(const WarpArea& area) {
  return {place_mm(area, -0.5, -0.5), place_mm(area, 0.5, -0.5), place_mm(area, 0.5, 0.5),
          place_mm(area, -0.5, 0.5)};
}

double bow_half_percent(const WarpArea& area, const HalfWidth& half) {
  const auto corner = corners_mm(area);
  double largest = 0;
  for (std::size_t e = 0; e < 4; ++e) {
    const Eigen::Vector2d& from = corner[e];
    const Eigen::Vector2d way = corner[(e + 1) % 4] - from;
    const double h0 = half(from), h1 = half(from + way);
    for (int k = 1; k < edge_steps; ++k) {
      const double t = static_cast<double>(k) / edge_steps;
      largest = std::max(largest, (half(from + t * way) + (1 - t) * h0 + t * h1) * 100 / (way.norm() * 1e3));
    }
  }
  return largest;
}

double twist_half_percent(const WarpArea& area, const HalfWidth& half) {
  double sum = 0;
  for (const Eigen::Vector2d& corner : corners_mm(area)) sum += half(corner);
  return sum * 100 / (2 * area.size_mm.norm() * 1e3);
}

double convexity_half_um(const WarpArea& area, const HalfWidth& half) {
  double sum = half(area.centre_mm);
  for (const Eigen::Vector2d& corner : corners_mm(area)) sum += half(corner) / 4;
  return sum;
}

double peak_half_um(const WarpArea& area, const HalfWidth& half) {
  double largest = 0;
  for (const Eigen::Vector2d& at : places_mm(area, false)) largest = std::max(largest, half(at));
  return std::sqrt(2.0) * largest;
}

std::vector<Eigen::Vector2d> places_mm(const WarpArea& area, bool edges) {
  std::vector<Eigen::Vector2d> places;
  for (int k = 0; k < edge_steps; ++k) {
    const double t = static_cast<double>(k) / edge_steps - 0.5;
    for (const auto& [u, v] : {std::pair(t, -0.5), {0.5, t}, {-t, 0.5}, {-0.5, -t}})
      places.push_back(place_mm(area, u, v));
  }
  if (edges) return places;
  for (int i = 1; i < lattice_steps; ++i)
    for (int j = 1; j < lattice_steps; ++j)
      places.push_back(place_mm(area, static_cast<double>(i) / lattice_steps - 0.5,
                                static_cast<double>(j) / lattice_steps - 0.5));
  return places;
}

double between_places_mm(const WarpArea& area, bool edges) {
  return edges ? area.size_mm.maxCoeff() / (2 * edge_steps) : area.size_mm.norm() / (2 * lattice_steps);
}

WarpValue bow_percent(const ThinPlate& surface, const WarpArea& area) {
  const auto corner = corners_mm(area);
  WarpSum worst;
  double largest = -1, scale = 0;
  for (std::size_t e = 0; e < 4; ++e) {
    const Eigen::Vector2d& from = corner[e];
    const Eigen::Vector2d way = corner[(e + 1) % 4] - from;
    const double percent_per_um = 100 / (way.norm() * 1e3);
    const double z0 = surface.value_um(from), z1 = surface.value_um(corner[(e + 1) % 4]);
    for (int k = 1; k < edge_steps; ++k) {
      const double t = static_cast<double>(k) / edge_steps;
      const double off = surface.value_um(from + t * way) - (1 - t) * z0 - t * z1;
      if (!(std::abs(off) * percent_per_um > largest)) continue;
      largest = std::abs(off) * percent_per_um;
      scale = off < 0 ? -percent_per_um : percent_per_um;
      worst = {{from + t * way, from, from + way}, {1, t - 1, -t}};
    }
  }
  WarpValue bow = measured(surface, worst, scale);
  bow.lift = lift_of(bow.u, 4);
  bow.between = bow_half_percent(area, unresolved(surface));
  return bow;
}

WarpValue twist_percent(const ThinPlate& surface, const WarpArea& area) {
  const auto c = corners_mm(area);
  const WarpSum fourth{{c.begin(), c.end()}, {1, -1, 1, -1}};
  const double scale = 100 / (2 * area.size_mm.norm() * 1e3);
  WarpValue twist = measured(surface, fourth, surface.value_um(fourth) < 0 ? -scale : scale);
  twist.between = twist_half_percent(area, unresolved(surface));
  return twist;
}

WarpValue convexity_um(const ThinPlate& surface, const WarpArea& area) {
  const auto c = corners_mm(area);
  WarpValue convexity =
      measured(surface, {{area.centre_mm, c[0], c[1], c[2], c[3]}, {1, -0.25, -0.25, -0.25, -0.25}}, 1);
  convexity.between = convexity_half_um(area, unresolved(surface));
  return convexity;
}

WarpValue peak_to_valley_um(const ThinPlate& surface, const WarpArea& area, int steps) {
  const int side = steps + 1;
  WarpSum all;
  Eigen::MatrixX3d places(side * side, 3);
  Eigen::VectorXd height(side * side);
  for (int i = 0; i < side; ++i) {
    for (int j = 0; j < side; ++j) {
      const double u = static_cast<double>(i) / steps - 0.5, v = static_cast<double>(j) / steps - 0.5;
      all.at_mm.push_back(place_mm(area, u, v));
      places.row(i * side + j) << 1, u, v;
      height[i * side + j] = surface.value_um(all.at_mm.back());
    }
  }
  const Eigen::Matrix3d inverse_normal = (places.transpose() * places).inverse();
  const Eigen::VectorXd off = height - places * (inverse_normal * (places.transpose() * height));
  Eigen::Index highest = 0, lowest = 0;
  off.maxCoeff(&highest);
  off.minCoeff(&lowest);
  const Eigen::VectorXd weight =
      over_plane(places, inverse_normal, highest) - over_plane(places, inverse_normal, lowest);
  all.weight.assign(weight.begin(), weight.end());
  WarpValue value = measured(surface, all, 1);
  // both ends are selected among at most as many independent places as there are knots
  value.lift = lift_of(value.u, static_cast<double>(surface.knots().size()));
  value.between = peak_half_um(area, unresolved(surface));
  return value;
}

}  // namespace datum
