#include "drivers/sensor/stated_map.h"

#include <fmt/format.h>

#include <cmath>

#include "drivers/frame/frame_error.h"

namespace datum {
namespace {

constexpr double decimal = 1e-9;

[[noreturn]] void refuse_statement(const std::string& name, const std::string& what) {
  throw FrameError(fmt::format("{}: {}; correct the one that is wrong", name, what));
}

void check_scale(double stated_mm, double sidecar_mm, const char* axis, const std::string& name) {
  if (std::abs(stated_mm - sidecar_mm) <= decimal * std::abs(sidecar_mm)) return;
  refuse_statement(
      name, fmt::format("its {} scale is {:.9g} mm, the sidecar's {:.9g} mm", axis, stated_mm, sidecar_mm));
}

void check_axis(const std::optional<AxisScale>& stated, const AxisScale& sidecar, const char* axis,
                const std::string& name) {
  if (!stated) return;
  check_scale(stated->scale_mm, sidecar.scale_mm, axis, name);
  const double off = std::abs(stated->offset_mm - sidecar.offset_mm);
  if (!(off <= decimal * (1 + std::abs(sidecar.offset_mm))))
    refuse_statement(name, fmt::format("its {} offset is {:.9g} mm, the sidecar's {:.9g} mm", axis,
                                       stated->offset_mm, sidecar.offset_mm));
}

}  // namespace

void check_agreement(const StatedMap& map, const FrameSidecar& sidecar, const std::string& name) {
  check_axis(map.x, sidecar.x, "x", name);
  check_axis(map.y, sidecar.y, "y", name);
  check_axis(map.z, sidecar.z, "z", name);
  if (map.x_step) check_scale(*map.x_step, sidecar.x.scale_mm, "x", name);
  if (map.y_step) check_scale(*map.y_step, sidecar.y.scale_mm, "y", name);
  if (!map.invalid) return;
  using Kind = InvalidMark::Kind;
  const InvalidMark& mark = sidecar.invalid;
  const bool same = std::isnan(*map.invalid)
                        ? mark.kind == Kind::nan
                        : mark.kind == Kind::value && static_cast<double>(mark.value) == *map.invalid;
  if (!same)
    refuse_statement(name, fmt::format("it marks invalid pixels by {}, the sidecar has another invalid_value",
                                       *map.invalid));
}

}  // namespace datum
