// Perona-Malik diffusion of height maps and volumes: noise is smoothed, edges higher than kappa stay (Perona and Malik,
// "Scale-space and edge detection using anisotropic diffusion", IEEE PAMI 12, 1990). The scheme:
//
//   u <- u + sum over the neighbours of trunc(lambda g(|d|) d),   d = u_neighbour - u
//   g = exp(-(d / kappa)^2)  or  1 / (1 + (d / kappa)^2)
//
// on 32-bit integers. What goes through a face is computed once, rounded towards zero and taken from one side as it is
// given to the other: the sum of all counts stays as it is to the last digit, no count leaves the range of its
// neighbours, and neither the order of the work nor a mirror shows. Nothing passes the border or a place without a
// count.
//
// It is no filter of ISO 16610, has no transfer function, lowers peaks and rounds narrow leads: never before a peak, a
// maximum or a coplanarity. C++17: CUDA sources include this header.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/core/backend.h"
#include "gpu/core/height_map.h"

namespace datum {

/// x runs fastest. A map is nx x ny with nz = 1.
struct DiffusionGrid {
  std::uint32_t nx = 0, ny = 1, nz = 1;
  std::size_t size() const { return std::size_t{nx} * ny * nz; }
};

enum class Conduction : std::uint8_t {
  exponential,  // exp(-(d / kappa)^2): keeps steep edges before flat ones
  rational,     // 1 / (1 + (d / kappa)^2): keeps wide regions before small ones
};
const char* name_of(Conduction conduction);  // "exponential", "rational"

/// Where kappa comes from, the difference at which conduction has fallen to 1 / e, or to a half.
enum class KappaRule : std::uint8_t {
  fixed,          // given
  mean_gradient,  // mean |d| over all faces between two counts, anew before every iteration
  robust,  // 2.5 * 1.4826 * median |d| over them, before the first: the median of d itself is taken as 0, as
           // neither side of a face comes first
};
const char* name_of(KappaRule rule);  // "fixed", "mean_gradient", "robust"

struct DiffusionSettings {
  Conduction conduction = Conduction::rational;
  KappaRule rule = KappaRule::robust;
  double kappa = 0;   // counts, above 0, infinity: plain heat flow. Of the fixed rule, else 0
  double lambda = 0;  // above 0; at most 1/4 for a map, 1/6 for a volume
  std::uint32_t iterations = 0;
};

struct DiffusionRecord {
  double first_kappa = 0,
         last_kappa = 0;    // counts; 0: all counts are equal, or a fixed rule of no iterations
  std::uint64_t faces = 0;  // between two counts
};

/// Diffuses in place. A place that holds no_count_32 has no count and keeps it. Throws std::invalid_argument for
/// settings that mean nothing or are not stable, for more than 2^30 counts and for counts that span 2^31 or more.
/// Memory: two planes per thread and the rows between them beside the counts.
DiffusionRecord diffuse(std::int32_t* counts, const DiffusionGrid& grid, const DiffusionSettings& settings,
                        const Backend& backend);

}  // namespace datum
