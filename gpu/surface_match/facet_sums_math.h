// The arithmetic of sums of facets, written once for every backend. C++17.
#pragma once

#include "gpu/core/nearest_integer.h"
#include "gpu/core/portable.h"
#include "gpu/core/wide.h"
#include "gpu/surface_match/facet_sums.h"

namespace datum {

constexpr double nm_per_mm = 1e6;
DATUM_HD std::int64_t nm_of(float mm) { return nearest_integer(nm_per_mm * mm); }

namespace match {

struct FacetValue {
  MatchClass kind;
  float mm;
};
DATUM_HD FacetValue value_of(const FacetDeviation& d) { return FacetValue{d.kind, d.mean}; }
DATUM_HD FacetValue value_of(const FacetPierced& p) { return FacetValue{p.kind, p.distance}; }

DATUM_HD void take_extremes(std::uint32_t highest, float highest_mm, std::uint32_t lowest, float lowest_mm,
                            FacetSums* s) {
  if (s->count == 0 || highest_mm > s->highest_mm || (highest_mm == s->highest_mm && highest < s->highest)) {
    s->highest = highest;
    s->highest_mm = highest_mm;
  }
  if (s->count == 0 || lowest_mm < s->lowest_mm || (lowest_mm == s->lowest_mm && lowest < s->lowest)) {
    s->lowest = lowest;
    s->lowest_mm = lowest_mm;
  }
}

/// A facet of the region. `units`: its area.
DATUM_HD void add(const FacetValue& v, std::uint32_t facet, std::int64_t units, FacetSums* s) {
  if (v.kind != MatchClass::face) return;
  take_extremes(facet, v.mm, facet, v.mm, s);
  s->units += units;
  add_product(units, nm_of(v.mm), &s->weighted);
  ++s->count;
}

DATUM_HD void merge(const FacetSums& other, FacetSums* s) {
  if (other.count == 0) return;
  take_extremes(other.highest, other.highest_mm, other.lowest, other.lowest_mm, s);
  s->units += other.units;
  add(other.weighted, &s->weighted);
  s->count += other.count;
}

}  // namespace match
}  // namespace datum
