#include "gpu/parallel_planes/parallel_planes_check.h"

#include <cmath>
#include <stdexcept>
#include <string>

#include "gpu/core/isa_table.h"
#include "gpu/parallel_planes/parallel_planes_kernels.h"

namespace datum::parallel {
namespace {

// Squares of range and weight, and their quanta, stay far from the ends of double and the range's from float's.
constexpr float smallest = 1e-15f, largest = 1e15f;

[[noreturn]] void refuse(const std::string& what) { throw std::invalid_argument("parallel planes: " + what); }

void check_bound(float v, const char* name) {
  if (!(v >= smallest && v <= largest))
    refuse(std::string(name) + " " + std::to_string(v) + "; 1e-15 to 1e15 is wanted");
}

void check_settings(const ParallelPlanesSettings& s) {
  check_bound(s.half_range, "half_range");
  check_bound(s.max_weight, "max_weight");
  const double length =
      s.towards[0] * s.towards[0] + s.towards[1] * s.towards[1] + s.towards[2] * s.towards[2];
  if (!(length > 0 && std::isfinite(length))) refuse("towards has no direction");
  if (!(s.min_width_ratio >= 0 && s.min_width_ratio < 1))
    refuse("min_width_ratio is a ratio from 0 to below 1");
  if (!(s.max_thickness_ratio > 0 && s.max_thickness_ratio < 1))
    refuse("max_thickness_ratio is a ratio above 0 and below 1");
}

}  // namespace

void check(const PlaneSample* samples, std::size_t count, const ParallelSet* sets, std::size_t set_count,
           const ParallelPlanesSettings& settings) {
  check_settings(settings);
  if ((count > 0 && !samples) || (set_count > 0 && !sets)) refuse("samples or sets are missing");
  for (std::size_t i = 0; i < count; ++i) {
    const PlaneSample& s = samples[i];
    const std::string name = "sample " + std::to_string(i);
    if (s.size > 0 && !s.points) refuse(name + " has a size and no points");
    if (s.size > most_points) refuse(name + " has more than 2^28 points; cut it into several");
    for (const float c : s.centre)
      if (!(std::fabs(c) <= largest)) refuse(name + ": its centre is not finite or beyond 1e15");
  }
  for (std::size_t i = 0; i < set_count; ++i)
    if (sets[i].planes == 0 || sets[i].first > count || sets[i].planes > count - sets[i].first)
      refuse("set " + std::to_string(i) + " has no planes or goes beyond the samples");
}

extern const Kernels kernels_scalar, kernels_avx2, kernels_avx512, kernels_neon;

const Kernels& kernels(Isa isa) {
  return loops_of<Kernels>(isa, DATUM_ISA_TABLE(kernels), "parallel planes");
}

}  // namespace datum::parallel
