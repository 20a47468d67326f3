#include "drivers/virtual/virtual_ipp_machine.h"

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
  const double whole = static_cast<double>(arrives_ns_ - left_ns_);
  const double part = whole > 0 ? std::clamp(static_cast<double>(now - left_ns_) / whole, 0.0, 1.0) : 1;
  VirtualXyz tip = offset();
  for (std::size_t i = 0; i < 3; ++i) tip[i] += from_[i] + part * (to_[i] - from_[i]);
  return tip;
}

VirtualXyz VirtualIppMachine::shown(MonotonicNs now) const {
  VirtualXyz p = tip_mm(now);
  if (coordinate_system != "MachineCsy") p = into_csy(systems.at(coordinate_system), p);
  if (inches)
    for (double& value : p) value /= 25.4;
  return p;
}

VirtualXyz VirtualIppMachine::tip_of(const VirtualXyz& shown) const {
  return coordinate_system == "MachineCsy" ? shown : out_of_csy(systems.at(coordinate_system), shown);
}

void VirtualIppMachine::place(const VirtualXyz& tip) {
  for (std::size_t i = 0; i < 3; ++i) from_[i] = to_[i] = tip[i] - offset()[i];
  left_ns_ = arrives_ns_ = 0;
}

bool VirtualIppMachine::go(const VirtualXyz& tip, MonotonicNs now) {
  const VirtualXyz at = tip_mm(now), o = offset();
  VirtualXyz target;
  double squares = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    target[i] = tip[i] - o[i];
    if (!(target[i] >= 0 && target[i] <= volume_mm[i])) return false;
    squares += (tip[i] - at[i]) * (tip[i] - at[i]);
  }
  for (std::size_t i = 0; i < 3; ++i) from_[i] = at[i] - o[i];
  to_ = target;
  left_ns_ = now;
  arrives_ns_ = now + static_cast<MonotonicNs>(std::sqrt(squares) / speed_mm_s * 1e9);
  return true;
}

std::optional<VirtualXyz> VirtualIppMachine::wall_before(const VirtualXyz& to, MonotonicNs now) const {
  const VirtualXyz at = tip_mm(now);
  if (!hole || at[2] >= hole->surface_mm) return std::nullopt;
  // |at + s (to - at) - center| = radius, for the s that leads out of the circle.
  const double ux = to[0] - at[0], uy = to[1] - at[1], cx = at[0] - hole->x_mm, cy = at[1] - hole->y_mm;
  const double a = ux * ux + uy * uy, b = ux * cx + uy * cy,
               c = cx * cx + cy * cy - hole->tip_radius_mm * hole->tip_radius_mm;
  if (a == 0 || b * b < a * c) return std::nullopt;
  const double s = (-b + std::sqrt(b * b - a * c)) / a;
  if (s > 1) return std::nullopt;
  return VirtualXyz{at[0] + s * ux, at[1] + s * uy, at[2] + s * (to[2] - at[2])};
}

void VirtualIppMachine::halt(MonotonicNs now) {
  const VirtualXyz tip = tip_mm(now);
  place(tip);
}

}  // namespace datum
