// A row of the surface table: conditions of the measurement of a stepped part.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "tests/statistics/statistics_tally.h"

namespace datum::statistics {

/// Of the part's upper level; the lower one is the datum of parallelism and thickness.
enum class SurfaceColumn { profile, flatness, parallelism, thickness, mean };
constexpr std::size_t surface_column_count = 5;
const char* name_of(SurfaceColumn c);

/// True form of the upper level.
enum class SurfaceForm { flat, bowed, bump };
const char* name_of(SurfaceForm form);

struct SurfaceRow {
  std::string name;
  double sigma_um = 2;
  double kernel_px = 0;  // of the noise's Gaussian kernel; 0: white
  bool median = false;   // 5 x 5, over white noise of sigma
  double lsb_um = 0.1;
  double profile_factor = 1;  // sigma of the profile over the true one
  bool level_view = false;    // perpendicular view
  int snapshots = 1;
  double turn_mrad = 0, stage_um = 0;  // standard uncertainties, stated and applied
  double invalid_least = 0, invalid_most = 0.02;
};

std::vector<SurfaceRow> surface_rows();

struct SurfaceCells {
  SurfaceRow row;
  SurfaceForm form = SurfaceForm::flat;
  std::array<Tally, surface_column_count> tallies;
};

/// At most 6 % outside of U, at most 5 % PASS at the limit, none at 1.25 times it.
Wanted wanted_in(const SurfaceRow& row);

}  // namespace datum::statistics
