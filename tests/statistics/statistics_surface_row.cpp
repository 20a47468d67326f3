#include "tests/statistics/statistics_surface_row.h"

#include <fmt/format.h>

namespace datum::statistics {

const char* name_of(SurfaceColumn c) {
  constexpr std::array<const char*, surface_column_count> names{"profile", "flatness", "parallelism",
                                                                "thickness", "mean"};
  return names[static_cast<std::size_t>(c)];
}

const char* name_of(SurfaceForm form) {
  constexpr std::array<const char*, 3> names{"flat", "bowed", "bump"};
  return names[static_cast<std::size_t>(form)];
}

std::vector<SurfaceRow> surface_rows() {
  std::vector<SurfaceRow> rows;
  const auto add = [&](const std::string& name) -> SurfaceRow& {
    rows.push_back({});
    rows.back().name = "surface " + name;
    return rows.back();
  };
  add("white");
  for (int px : {1, 2}) add(fmt::format("correlated {} px", px)).kernel_px = px;
  add("median 5x5").median = true;
  for (double um : {5.0, 20.0})
    for (const bool level : {false, true}) {
      SurfaceRow& r = add(fmt::format("LSB {} um{}", um, level ? " level" : ""));
      r.lsb_um = um;
      r.sigma_um = 0.5;
      r.level_view = level;
    }
  for (double factor : {0.5, 2.0, 0.2}) {
    SurfaceRow& r = add(fmt::format("profile sigma x{}", factor));
    r.profile_factor = factor;
    r.kernel_px = 1;
    if (factor < 0.3) r.invalid_least = r.invalid_most = 1;
  }
  SurfaceRow& turned = add("three snapshots, turn 0.1 mrad");
  turned.snapshots = 3;
  turned.turn_mrad = 0.1;
  SurfaceRow& moved = add("three snapshots, stage 5 um");
  moved.snapshots = 3;
  moved.stage_um = 5;
  SurfaceRow& both = add("three snapshots, turn 0.1 mrad, stage 5 um, correlated 1 px");
  both.snapshots = 3;
  both.turn_mrad = 0.1;
  both.stage_um = 5;
  both.kernel_px = 1;
  return rows;
}

Wanted wanted_in(const SurfaceRow& row) {
  Wanted wanted;
  wanted.invalid_least = row.invalid_least;
  wanted.invalid_most = row.invalid_most;
  return wanted;
}

}  // namespace datum::statistics
