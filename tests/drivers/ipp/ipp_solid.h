// A solid and a ball that moves in it: a plate with a bore, its floor, and surrounding walls. It computes the
// first contact and shares no code with the planning of moves.
#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <optional>

namespace datum::testing {

struct Solid {
  /// Intersection of the bore's axis with the plate's surface.
  Eigen::Vector3d mouth_mm{0, 0, 0};
  Eigen::Vector3d axis = Eigen::Vector3d::UnitZ();  // out of the plate
  double radius_mm = 1, floor_mm = 10;              // of the bore; its floor below the surface
  Eigen::Vector3d walls_min_mm{-1e3, -1e3, -1e3}, walls_max_mm{1e3, 1e3, 1e3};
  Eigen::Matrix3d true_from_scales = Eigen::Matrix3d::Identity();  // the machine's scales are out of square

  enum class Part { nothing, bore, plate, floor, wall };
  struct Gap {
    double mm = 0;  // distance of the ball from the nearest part; negative: penetration
    Part part = Part::nothing;
  };

  Gap gap(const Eigen::Vector3d& shown_mm, double ball_mm) const {
    const Eigen::Vector3d p = true_from_scales * shown_mm;
    const Eigen::Vector3d from = p - mouth_mm;
    const double h = from.dot(axis), off = (from - h * axis).norm();
    Gap nearest{std::min((p - walls_min_mm).minCoeff(), (walls_max_mm - p).minCoeff()), Part::wall};
    const auto nearer = [&](double mm, Part part) {
      if (mm < nearest.mm) nearest = {mm, part};
    };
    if (off < radius_mm) {
      nearer(h + floor_mm, Part::floor);
      if (h <= 0)
        nearer(radius_mm - off, Part::bore);
      else
        nearer(std::hypot(radius_mm - off, h), Part::plate);  // its rim
    } else {
      nearer(h > 0 ? h : -std::min(-h, off - radius_mm), h > 0 ? Part::plate : Part::bore);
    }
    nearest.mm -= ball_mm;
    return nearest;
  }

  struct Contact {
    Eigen::Vector3d at_mm;  // of the ball's centre
    Part part = Part::nothing;
  };
  /// First contact on a straight path. A ball that begins in contact may leave it. 20 nm: the protocol rounds
  /// to 10.
  std::optional<Contact> first(const Eigen::Vector3d& from, const Eigen::Vector3d& to, double ball_mm) const {
    const double length = (to - from).norm();
    constexpr double contact_mm = 2e-5;
    const double least_mm = std::min(0.0, gap(from, ball_mm).mm) - contact_mm;
    for (double s = 0; s < length;) {
      const Eigen::Vector3d at = from + (to - from) * (s / length);
      const Gap here = gap(at, ball_mm);
      if (here.mm < least_mm) return Contact{at, here.part};
      s += std::max(here.mm * 0.99,
                    contact_mm / 4);  // the gap changes at most by the path length, apart from the scales
    }
    const Gap there = gap(to, ball_mm);
    if (there.mm < least_mm) return Contact{to, there.part};
    return std::nullopt;
  }
};

}  // namespace datum::testing
