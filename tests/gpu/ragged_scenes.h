// Batches for which all backends must return the same bytes.
#pragma once

#include <string>
#include <vector>

#include "tests/gpu/plane_fit_scene.h"

namespace datum::testing {

/// Sizes around the widths of vectors, tiles and subsets; thirds without a height, second levels, nothing at
/// all.
inline std::vector<Scene> ragged_batch() {
  std::vector<Scene> scenes;
  std::uint64_t seed = 1;
  for (const int n :
       {0,   1,   2,   3,   4,   5,    15,   16,   17,   31,   32,   33,   63,   64,    65,    383,
        384, 385, 511, 512, 513, 1535, 1536, 1537, 2047, 2049, 4095, 4096, 4097, 20011, 65536, 66528}) {
    for (const int kind : {0, 1, 2}) {
      Random random(seed);
      Scene s;
      s.half_x = 400, s.half_y = 300;
      s.seed = seed++;
      for (int i = 0; i < n; ++i) {
        const double x = random.between(-400, 400), y = random.between(-300, 300), u = random.uniform();
        const double level = u < 0.2 ? random.between(-500, 500) : kind == 1 && x > 100 ? 35 : 0;
        const bool missing = kind == 2 && i % 3 == 0;
        s.add(x, y, missing ? std::nan("") : 0.02 * x - 0.03 * y + level + 5 * random.gauss(), true);
      }
      scenes.push_back(s);
    }
  }
  return scenes;
}

inline std::vector<PlaneFitSettings> all_settings() {
  std::vector<PlaneFitSettings> all;
  for (const FitMode mode : {FitMode::exact, FitMode::screened}) {
    for (const Residual residual : {Residual::vertical, Residual::perpendicular}) {
      PlaneFitSettings s;
      s.mode = mode;
      s.residual = residual;
      s.threshold = 7.5f;
      s.refit_threshold = 17;
      s.max_hypotheses = 100;
      all.push_back(s);
    }
    all.push_back(all.back());
    all.back().sampling = SamplingOrder::by_position;
  }
  return all;
}

inline std::vector<std::string> bytes_of_all(const std::vector<Scene>& scenes,
                                             const PlaneFitSettings& settings, const Backend& backend) {
  std::vector<std::string> bytes;
  for (const PlaneFit& f : fit_all(scenes, settings, backend)) bytes.push_back(bytes_of(f));
  return bytes;
}

}  // namespace datum::testing
