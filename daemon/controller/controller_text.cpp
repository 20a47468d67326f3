#include "daemon/controller/controller_text.h"

#include <fmt/format.h>

namespace datum {
namespace {

constexpr auto quiet_time = std::chrono::minutes(1);

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

/// "1200 to 2200 of 2200 MHz"; "?" for an unknown value.
std::string clocks(const CpuState& cpu) {
  const auto mhz = [](const std::optional<double>& v) { return v ? fmt::format("{:.0f}", *v) : "?"; };
  return fmt::format("{} to {} MHz, at most {} of {}", mhz(cpu.lowest_mhz), mhz(cpu.highest_mhz),
                     mhz(cpu.limit_mhz), mhz(cpu.maximum_mhz));
}

std::string as_text(const GpuState& gpu) {
  std::string text = gpu.device;
  const auto add = [&](const char* form, const std::optional<double>& value) {
    if (value) text += fmt::format(fmt::runtime(form), *value);
  };
  add(" at {:.0f} MHz", gpu.clock_mhz);
  add(" of {:.0f}", gpu.maximum_clock_mhz);
  add(", memory {:.0f} MHz", gpu.memory_clock_mhz);
  add(", {:.0f} W", gpu.power_w);
  add(" of {:.0f}", gpu.power_limit_w);
  add(", {:.0f} degC", gpu.temperature_degc);
  return text;
}

}  // namespace

std::string as_text(const ControllerState& state) {
  std::string text;
  const auto add = [&](const std::string& part) {
    if (!part.empty()) text += (text.empty() ? "" : "; ") + part;
  };
  add(state.model);
  if (!state.power_mode.empty()) add("power mode " + state.power_mode);
  if (state.cpu.maximum_mhz || state.cpu.highest_mhz) add(clocks(state.cpu));
  if (!state.cpu.governor.empty()) add("governor " + state.cpu.governor);
  if (state.hottest_degc) add(fmt::format("{} {:.0f} degC", state.hottest_zone, *state.hottest_degc));
  if (state.gpu) add(as_text(*state.gpu));
  if (!state.throttled_by.empty()) add("SLOWED DOWN by " + listed(state.throttled_by));
  return text.empty() ? "the system reports nothing of its clocks" : text;
}

std::optional<ThrottleNews::Line> ThrottleNews::hear(const ControllerState& state, Clock::time_point now) {
  if (!state.throttled_by.empty()) {
    last_ = now;
    if (slowed_) return std::nullopt;
    slowed_ = true;
    return Line{
        true,
        fmt::format("the controller is slowed down by {}: results stay the same and take longer; look at its "
                    "cooling, power supply and power mode",
                    listed(state.throttled_by))};
  }
  if (!slowed_ || now - last_ < quiet_time) return std::nullopt;
  slowed_ = false;
  return Line{false, "the controller is no longer slowed down"};
}

}  // namespace datum
