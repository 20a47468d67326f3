#include "tests/virtual_cell/virtual_ipp_machine.h"

#include <algorithm>
#include <cmath>

namespace datum {
namespace {

constexpr double rad_per_deg = 3.14159265358979323846 / 180;

VirtualXyz about_z(double deg, const VirtualXyz& p) {
  const double c = std::cos(deg * rad_per_deg), s = std::sin(deg * rad_per_deg);
  return {c * p[0] - s * p[1], s * p[0] + c * p[1], p[2]};
}

VirtualXyz about_x(double deg, const VirtualXyz& p) {
  const double c = std::cos(deg * rad_per_deg), s = std::sin(deg * rad_per_deg);
  return {p[0], c * p[1] - s * p[2], s * p[1] + c * p[2]};
}

}  // namespace

VirtualXyz into_csy(const VirtualCsy& csy, const VirtualXyz& p) {
  const VirtualXyz from{p[0] - csy[0], p[1] - csy[1], p[2] - csy[2]};
  return about_z(csy[5], about_x(csy[3], about_z(csy[4], from)));
}

VirtualXyz out_of_csy(const VirtualCsy& csy, const VirtualXyz& p) {
  const VirtualXyz q = about_z(-csy[4], about_x(-csy[3], about_z(-csy[5], p)));
  return {q[0] + csy[0], q[1] + csy[1], q[2] + csy[2]};
}

VirtualXyz VirtualIppMachine::offset() const { return tools.at(tool); }

VirtualXyz VirtualIppMachine::tip_mm(MonotonicNs now) const {
  VirtualXyz tip = stands_;
  for (const Stretch& stretch : way_) {
    if (now >= stretch.arrives_ns) continue;
    const double whole = static_cast<double>(stretch.arrives_ns - stretch.left_ns);
    const double part = std::clamp(static_cast<double>(now - stretch.left_ns) / whole, 0.0, 1.0);
    for (std::size_t i = 0; i < 3; ++i)
      tip[i] = stretch.from_mm[i] + part * (stretch.to_mm[i] - stretch.from_mm[i]);
    break;
  }
  for (std::size_t i = 0; i < 3; ++i) tip[i] += offset()[i];
  return tip;
}

VirtualXyz VirtualIppMachine::shown_of(const VirtualXyz& tip) const {
  VirtualXyz p = tip;
  if (coordinate_system != "MachineCsy") p = into_csy(systems.at(coordinate_system), p);
  if (inches)
    for (double& value : p) value /= 25.4;
  return p;
}

VirtualXyz VirtualIppMachine::tip_of(const VirtualXyz& shown) const {
  return coordinate_system == "MachineCsy" ? shown : out_of_csy(systems.at(coordinate_system), shown);
}

void VirtualIppMachine::place(const VirtualXyz& tip) {
  for (std::size_t i = 0; i < 3; ++i) stands_[i] = tip[i] - offset()[i];
  way_.clear();
  arrives_ns_ = 0;
}

bool VirtualIppMachine::reaches(const VirtualXyz& tip) const {
  for (std::size_t i = 0; i < 3; ++i)
    if (!(tip[i] - offset()[i] >= 0 && tip[i] - offset()[i] <= volume_mm[i])) return false;
  return true;
}

bool VirtualIppMachine::go(const std::vector<Leg>& legs, MonotonicNs now) {
  for (const Leg& leg : legs)
    if (!reaches(leg.to_mm)) return false;
  const VirtualXyz o = offset();
  place(tip_mm(now));
  arrives_ns_ = now;
  for (const Leg& leg : legs) {
    const VirtualXyz to{leg.to_mm[0] - o[0], leg.to_mm[1] - o[1], leg.to_mm[2] - o[2]};
    const double mm = std::hypot(to[0] - stands_[0], to[1] - stands_[1], to[2] - stands_[2]);
    const MonotonicNs arrives = arrives_ns_ + static_cast<MonotonicNs>(mm / leg.speed_mm_s * 1e9);
    if (arrives > arrives_ns_) way_.push_back({stands_, to, arrives_ns_, arrives});
    stands_ = to;
    arrives_ns_ = arrives;
  }
  return true;
}

std::optional<VirtualXyz> VirtualIppMachine::wall_between(const VirtualXyz& at, const VirtualXyz& to) const {
  const auto off_mm = [&](const Hole& h) { return std::hypot(to[0] - h.x_mm, to[1] - h.y_mm); };
  const auto hole = std::min_element(holes.begin(), holes.end(), [&](const Hole& a, const Hole& b) {
    return off_mm(a) - a.tip_radius_mm < off_mm(b) - b.tip_radius_mm;
  });
  if (hole == holes.end() || (at[2] >= hole->surface_mm && to[2] >= hole->surface_mm)) return std::nullopt;
  // Solves |at + s (to - at) - center| = radius for the s that leads out of the circle.
  const double ux = to[0] - at[0], uy = to[1] - at[1], cx = at[0] - hole->x_mm, cy = at[1] - hole->y_mm;
  const double a = ux * ux + uy * uy, b = ux * cx + uy * cy,
               c = cx * cx + cy * cy - hole->tip_radius_mm * hole->tip_radius_mm;
  if (a == 0 || b * b < a * c) return std::nullopt;
  const double s = (-b + std::sqrt(b * b - a * c)) / a;
  // A path that begins in contact and leads inwards has left the wall.
  if (s < 0 || s > 1) return std::nullopt;
  return VirtualXyz{at[0] + s * ux, at[1] + s * uy, at[2] + s * (to[2] - at[2])};
}

void VirtualIppMachine::halt(MonotonicNs now) { place(tip_mm(now)); }

}  // namespace datum
