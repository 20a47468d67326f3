// Verdicts of a small board with a known value, for series and studies.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>

#include "daemon/store/result_store.h"

namespace datum::testing {

/// U1's median; none: INVALID. `n` makes frame and time its own.
inline BoardVerdict valued_board(int n, std::optional<double> um, const std::string& unit = "") {
  CheckVerdict check;
  check.check = {Characteristic::median, 0, 1203.0, 1175.0, 1225.0};
  check.decision = check.decision_simple = um ? Decision::pass : Decision::invalid;
  check.reason = um ? Reason::none : Reason::floor_sides;
  check.value = um.value_or(0);  // a number beside INVALID is no measurement
  check.u = 1;
  ComponentVerdict c;
  c.reference = "U1";
  c.package = "die";
  c.decision = check.decision;
  c.checks = {check};
  BoardVerdict v;
  v.decision = c.decision;
  v.measured_at = fmt::format("2026-11-21T07:{:02}:{:02}.000000Z", n / 60 % 60, n % 60);
  v.unit_id = unit;
  v.recipe = "mainboard";
  v.recipe_sha256 = "ab12";
  v.calibration = "none";
  v.sensor_serial = "S1";
  v.frame_id = fmt::format("frame-{}", n);
  v.frame_sha256 = fmt::format("{:064x}", n);
  v.code = "0.1.0 test";
  v.backend = "cpu scalar x1";
  v.components = {c};
  return v;
}

}  // namespace datum::testing
