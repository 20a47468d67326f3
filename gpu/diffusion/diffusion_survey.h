// What is looked up in the counts before they are diffused.
#pragma once

#include <cstdint>

#include "gpu/diffusion/diffusion.h"

namespace datum::diffusion {

/// Throws std::invalid_argument as diffuse says of settings and grid.
void check(const DiffusionGrid& grid, const DiffusionSettings& settings);

/// Directions in which something passes, of which the limit of lambda speaks: 2 of a map, 3 of a volume.
inline int axes_of(const DiffusionGrid& grid) { return grid.nz > 1 ? 3 : 2; }

struct Survey {
  std::uint64_t counts = 0;  // that are there
  std::uint64_t faces = 0;   // between two of them
  std::int32_t lowest = 0, highest = 0;
  bool masked(const DiffusionGrid& grid) const { return counts < grid.size(); }
};
/// Throws std::invalid_argument for counts that span 2^31 or more.
Survey survey(const std::int32_t* counts, const DiffusionGrid& grid, const Backend& backend);

/// Sum of |d| over all faces.
std::uint64_t gradient_sum(const std::int32_t* counts, const DiffusionGrid& grid, const Backend& backend);

/// Of |d| over all faces the one of rank (faces + 1) / 2; 0 where there is none.
std::uint32_t median_gradient(const std::int32_t* counts, const DiffusionGrid& grid, std::uint64_t faces,
                              const Backend& backend);

/// The kappa of the first iteration, counts.
double first_kappa(const std::int32_t* counts, const DiffusionGrid& grid, const DiffusionSettings& settings,
                   const Survey& found, const Backend& backend);

}  // namespace datum::diffusion
