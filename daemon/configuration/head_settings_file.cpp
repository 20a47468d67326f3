#include "daemon/configuration/head_settings_file.h"

#include <algorithm>
#include <cmath>

#include "calib/calibration.h"

namespace datum {

HeadSettings read_head(config::TomlTable table) {
  table.only_keys({"tolerance_deg", "u_turn_mdeg", "u_shift_um", "position"});
  HeadSettings s;
  s.tolerance_deg = table.number("tolerance_deg", {1e-6, 1});
  s.u_turn_mdeg = table.number("u_turn_mdeg", config::not_negative);
  s.u_shift_um = table.number("u_shift_um", config::not_negative);
  for (config::TomlTable& one : table.tables("position")) {
    one.only_keys({"name", "angles_deg"});
    HeadSettings::Position p;
    p.name = one.text("name");
    if (!is_head_name(p.name)) one.refuse("name", "'" + p.name + "' is no name", head_name_rule);
    const std::vector<double> angles = one.numbers("angles_deg", 3, {-3600, 3600});
    std::copy(angles.begin(), angles.end(), p.angles_deg.begin());
    for (const HeadSettings::Position& other : s.positions) {
      double apart = 0;
      for (std::size_t i = 0; i < 3; ++i)
        apart = std::max(apart, std::abs(std::remainder(p.angles_deg[i] - other.angles_deg[i], 360)));
      if (other.name == p.name) one.refuse("name", "'" + p.name + "' is used twice", "a name of its own");
      if (apart <= 2 * s.tolerance_deg)
        one.refuse("angles_deg", "are those of " + other.name + " within the tolerance",
                   "positions that are farther apart than twice tolerance_deg");
    }
    one.finish();
    s.positions.push_back(std::move(p));
  }
  if (s.positions.empty()) table.refuse("position", "missing", "one [[calibration.head.position]] or more");
  table.finish();
  return s;
}

}  // namespace datum
