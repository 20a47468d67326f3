// Units and verdicts of a few boards, without frames.
#pragma once

#include <string>

#include "daemon/batch/batch_unit.h"

namespace datum::testing {

inline ComponentVerdict measured_component(const std::string& reference, Decision decision, double value_um) {
  ComponentVerdict c;
  c.reference = reference;
  c.decision = decision;
  CheckVerdict check;
  check.check.characteristic = Characteristic::median;
  check.check.lower = 460;
  check.check.upper = 540;
  check.decision = decision;
  check.value = value_um;
  check.u = 1.25;
  c.checks = {check};
  return c;
}

/// What a store holds of board `n`: B1 of so many um.
inline BoardVerdict stored_board(int n, Decision decision, double value_um) {
  BoardVerdict v;
  v.decision = decision;
  v.sequence = static_cast<std::uint64_t>(n);
  v.store_id = "0123456789abcdef";
  v.measured_at = "2026-11-01T00:00:00.000Z";
  v.unit_id = "SN" + std::to_string(n);
  v.recipe = "box";
  v.recipe_sha256 = std::string(64, 'a');
  v.calibration = "none";
  v.sensor_serial = "S-1";
  v.sensor_profile_sha256 = std::string(64, 'b');
  v.frame_id = "f" + std::to_string(n);
  v.frame_source = "f" + std::to_string(n) + "/f" + std::to_string(n) + ".ptr";
  v.frame_sha256 = "sha256-tree-256KiB:" + std::string(60, 'c') + std::to_string(1000 + n);
  v.code = "0.1.0 test";
  v.backend = "cpu avx512 x16";
  v.components = {measured_component("B1", decision, value_um)};
  return v;
}

/// The unit that measures it again.
inline BatchUnit unit_of(const BoardVerdict& stored) {
  BatchUnit unit;
  unit.asked = inputs_of_result(stored);
  unit.asked.code = "0.1.0 test";
  unit.asked.backend = cpu_backend_name;
  unit.before = before_from_json(before_to_json(stored));
  unit.key = key_of(unit.asked);
  return unit;
}

}  // namespace datum::testing
