// Points of planes from files of measuring programs, and recipes that name them; for `datumctl fit`.
#pragma once

#include <string>
#include <vector>

#include "calib/verify/parallel_fit.h"

namespace datum {

enum class FitWeights : std::uint8_t { equal, area, variance, area_and_variance };
const char* name_of(FitWeights weights);  // "equal", "area", "variance", "area_and_variance"

struct FitJob {
  std::vector<ParallelPointSet> sets;
  FitWeights weights = FitWeights::equal;
  std::vector<std::pair<std::string, std::string>> sha256;  // of each file read
};

/// `files`: CSV (x_mm,y_mm,z_mm, where wanted plane, set, area_mm2, u_um), PLY, or XYZ and TXT of lines "x y z", whose weight is a
/// fourth number, or with area and variance a fourth and a fifth: area, then u. Of PLY the properties are x, y, z, area and
/// u. Units of PLY and XYZ are of `mm_per_unit`; 0: not stated, which these two refuse. A file is a plane of the one set,
/// but for CSV with a column plane or set. Throws std::invalid_argument with file, line, fault and allowed content.
FitJob load_fit_points(const std::vector<std::string>& files, FitWeights weights, double mm_per_unit);

/// FILE.toml: schema = 1, kind = "parallel_planes", weights, unit, and [[set]] with name, towards and [[set.plane]] with name and
/// file, below the recipe's folder. Throws config::ConfigError, and as above.
FitJob load_fit_recipe(const std::string& file);

}  // namespace datum
