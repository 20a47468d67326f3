// The multi-plane paper's algorithm as printed (section II), in plain C++: the baseline that the backends are
// compared with. Not for use in the product: one least-squares step, points in raw coordinates, no rule for
// ties.
#pragma once

#include <cstddef>
#include <cstdint>

namespace datum::bench {

struct PaperPlane {
  double a, b, c;
};

struct Xyz {
  float x, y, z;
};

/// Points in three arrays or as structures; t = distance to the plane, p = probability of equation 2.
PaperPlane paper_ransac(const float* x, const float* y, const float* z, std::size_t n, float t, double p,
                        std::uint32_t seed);
PaperPlane paper_ransac(const Xyz* points, std::size_t n, float t, double p, std::uint32_t seed);

}  // namespace datum::bench
