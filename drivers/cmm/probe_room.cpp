#include "drivers/cmm/probe_room.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace datum {
namespace {

using Xyz = std::array<double, 3>;

double dot(const Xyz& a, const Xyz& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/// Component of a vector perpendicular to the axis.
Xyz beside(const ProbeRoom& room, const Xyz& v) {
  const double along = dot(v, room.axis);
  return {v[0] - along * room.axis[0], v[1] - along * room.axis[1], v[2] - along * room.axis[2]};
}

Xyz from_surface(const ProbeRoom& room, const Xyz& p) {
  return {p[0] - room.surface_mm[0], p[1] - room.surface_mm[1], p[2] - room.surface_mm[2]};
}

bool inside(const ProbeRoom& room, const Xyz& p, double off_mm) {
  return off_axis_mm(room, p) <= off_mm + room_slack_mm &&
         height_mm(room, p) >= -room.depth_mm - room_slack_mm;
}

bool above(const ProbeRoom& room, const Xyz& p) {
  return height_mm(room, p) >= room.clear_mm - room_slack_mm;
}

}  // namespace

double height_mm(const ProbeRoom& room, const Xyz& p) { return dot(from_surface(room, p), room.axis); }

double off_axis_mm(const ProbeRoom& room, const Xyz& p) {
  const Xyz v = beside(room, from_surface(room, p));
  return std::sqrt(dot(v, v));
}

std::string not_free(const ProbeRoom& room, const Xyz& from, const Xyz& to) {
  if (above(room, from) && above(room, to)) return "";
  const double start_off_mm = std::max(room.free_mm, room.touch_mm);
  if (inside(room, from, start_off_mm) && inside(room, to, room.free_mm)) return "";
  const auto place = [&](const Xyz& p) {
    return fmt::format("{:.3f} mm off the bore's axis and {:.3f} mm above its surface", off_axis_mm(room, p),
                       height_mm(room, p));
  };
  return fmt::format(
      "the tip is not surely free between {} and {}; free: above {:.3f} mm, or within {:.3f} mm of the axis "
      "down to "
      "{:.3f} mm below; lead the tip above the hole first",
      place(from), place(to), room.clear_mm, room.free_mm, room.depth_mm);
}

std::optional<FreeWay> free_way(const ProbeRoom& room, const Xyz& at, const Xyz& direction) {
  if (!inside(room, at, room.free_mm)) return std::nullopt;
  // Solves |u + s v| = free_mm perpendicular to the axis.
  const Xyz u = beside(room, from_surface(room, at)), v = beside(room, direction);
  const double a = dot(v, v), b = dot(u, v), c = dot(u, u) - room.free_mm * room.free_mm;
  if (!(a > 1e-6)) return std::nullopt;
  const double root = std::sqrt(std::max(0.0, b * b - a * c));
  return FreeWay{std::max(0.0, (-b + root) / a), std::max(0.0, (b + root) / a)};
}

}  // namespace datum
