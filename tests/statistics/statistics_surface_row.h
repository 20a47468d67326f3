// A row of the surface's table: how a stepped part is seen.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "tests/statistics/statistics_tally.h"

namespace datum::statistics {

/// Of the part's upper level; parallelism and thickness have the lower one as their datum.
enum class SurfaceColumn { profile, flatness, parallelism, thickness, mean };
constexpr std::size_t surface_column_count = 5;
const char* name_of(SurfaceColumn c);

/// What the upper level's form really is.
enum class SurfaceForm { flat, bowed, bump };
const char* name_of(SurfaceForm form);

struct SurfaceRow {
  std::string name;
  double sigma_um = 2;
  double kernel_px = 0;  // of the noise's Gaussian kernel; 0: white
  bool median = false;   // 5 x 5, over white noise of sigma
  double lsb_um = 0.1;
  double profile_factor = 1;  // the profile's sigma over the real one
  bool level_view = false;    // the sensor looks straight down
  int snapshots = 1;
  double turn_mrad = 0, stage_um = 0;  // standard uncertainties, stated and drawn
  double invalid_least = 0, invalid_most = 0.02;
};

std::vector<SurfaceRow> surface_rows();

struct SurfaceCells {
  SurfaceRow row;
  SurfaceForm form = SurfaceForm::flat;
  std::array<Tally, surface_column_count> tallies;
};

/// Shares outside U of at most 6 %, at the limit 5 %, none at 1.25 times it.
Wanted wanted_in(const SurfaceRow& row);

}  // namespace datum::statistics
