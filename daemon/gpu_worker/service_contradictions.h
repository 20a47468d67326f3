// Impossible results: a worker that returns them is faulty, whatever its status says.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "daemon/gpu_worker/service_wire.h"
#include "gpu/surface_match/facet_sums_math.h"

namespace datum {

inline bool contradicts(const ModelDistance& d, const DistanceSettings& settings, std::size_t facets) {
  if (static_cast<unsigned>(d.kind) > static_cast<unsigned>(MatchClass::no_data) ||
      static_cast<unsigned>(d.place) > static_cast<unsigned>(Place::corner_c))
    return true;
  // margin for the rounding of a float length
  return d.kind != MatchClass::no_data &&
         !(d.facet < facets && std::fabs(d.distance) <= settings.search * 1.000001f);
}

/// Points that mark no patch have no area.
inline bool contradicts(double area_mm2, const ModelDistance& point) {
  const bool marks = point.kind == MatchClass::face || point.kind == MatchClass::edge;
  return !(std::isfinite(area_mm2) && area_mm2 >= 0 && (marks || area_mm2 == 0));
}

/// A judged point is one of a facet; what is no evidence has no numbers. `regions`: of the model.
inline bool contradicts(const ModelDistance& d, const PointJudgement& j, std::size_t facets,
                        std::size_t regions) {
  const auto is_none_of = [&](std::uint16_t region) { return region != no_region && region >= regions; };
  if (static_cast<unsigned>(d.place) > static_cast<unsigned>(Place::corner_c) || is_none_of(j.charged) ||
      is_none_of(j.region))
    return true;
  switch (j.judgement) {
    case Judgement::explained:
    case Judgement::beyond: {
      const ModelDistance none;
      return std::memcmp(&d, &none, sizeof d) != 0;
    }
    case Judgement::face:
    case Judgement::edge:
    case Judgement::rim:
      return !(std::isfinite(d.distance) && d.facet < facets &&
               d.kind == (j.judgement == Judgement::face   ? MatchClass::face
                          : j.judgement == Judgement::edge ? MatchClass::edge
                                                           : MatchClass::rim));
  }
  return true;
}

/// `points`: of the scan.
inline bool contradicts(const FacetDeviation& d, const PointMatchSettings& settings, std::size_t points) {
  if (static_cast<unsigned>(d.kind) > static_cast<unsigned>(MatchClass::no_data) || d.count > points)
    return true;
  if (d.kind != MatchClass::no_data && d.count < std::max(settings.least, 1u)) return true;
  // margin for the quantum of the mean, gate / 2^18
  const float most = settings.gate * 1.00001f;
  return !(d.s >= 0 && std::fabs(d.mean) <= most && -most <= d.lowest && d.lowest <= d.highest &&
           d.highest <= most);
}

/// `facets`: of the scan.
inline bool contradicts(const FacetPierced& p, const FacetMatchSettings& settings, std::size_t facets) {
  if (static_cast<unsigned>(p.kind) > static_cast<unsigned>(MatchClass::no_data)) return true;
  return p.kind != MatchClass::no_data && !(p.facet < facets && std::fabs(p.distance) <= settings.gate);
}

/// `regions`: of the model; its region r.
inline bool contradicts(const FacetSums& s, const FacetRegions& regions, std::size_t r, float gate) {
  const FacetRegions::Total& all = regions.total[r];
  if (s.count > all.count || s.units < 0 || s.units > all.units) return true;
  if (s.count == 0) {
    const FacetSums none;
    return std::memcmp(&s, &none, sizeof s) != 0;
  }
  const auto is_of = [&](std::uint32_t facet) {
    return facet < regions.region.size() && regions.region[facet] == r;
  };
  // margin for the quantum of a mean, gate / 2^18
  const float most = gate * 1.00001f;
  if (!(is_of(s.highest) && is_of(s.lowest) && -most <= s.lowest_mm && s.lowest_mm <= s.highest_mm &&
        s.highest_mm <= most))
    return true;
  // three numbers rounded to double
  const double sum = double_of(s.weighted), units = static_cast<double>(s.units),
               margin = 1e-15 * most * nm_per_mm * units;
  return !(sum >= units * static_cast<double>(nm_of(s.lowest_mm)) - margin &&
           sum <= units * static_cast<double>(nm_of(s.highest_mm)) + margin);
}

/// Diffusion preserves the sum, the range, and the pixels without a count.
inline bool contradicts(const std::int32_t* before, const std::int32_t* after, std::size_t size) {
  std::int64_t sum = 0;
  std::int32_t low = INT32_MAX, high = INT32_MIN, lowest = INT32_MAX, highest = INT32_MIN;
  for (std::size_t i = 0; i < size; ++i) {
    if ((before[i] == no_count_32) != (after[i] == no_count_32)) return true;
    if (before[i] == no_count_32) continue;
    sum += std::int64_t{after[i]} - before[i];
    low = std::min(low, before[i]);
    high = std::max(high, before[i]);
    lowest = std::min(lowest, after[i]);
    highest = std::max(highest, after[i]);
  }
  return sum != 0 || lowest < low || highest > high;
}

inline bool contradicts(const FringeClass* classes, const float* column_px, std::size_t size,
                        const FringePattern& pattern) {
  return !std::all_of(classes, classes + size, [&](const FringeClass& c) {
    const float u = column_px[&c - classes];
    return static_cast<unsigned>(c) <= static_cast<unsigned>(FringeClass::out_of_range) && u >= 0 &&
           u <= pattern.width_px;
  });
}

/// Of pixels from..to-1.
inline bool contradicts(const FourierMaps& maps, std::size_t from, std::size_t to) {
  constexpr float most_rad = 3.1415928f;  // pi, rounded up
  for (std::size_t i = from; i < to; ++i) {
    if (static_cast<unsigned>(maps.classes[i]) > static_cast<unsigned>(FourierClass::row_end)) return true;
    const bool ok = maps.classes[i] == FourierClass::ok;
    if (!(std::fabs(maps.phase_rad[i]) <= most_rad) || (!ok && maps.phase_rad[i] != 0)) return true;
    if (maps.modulation && !(maps.modulation[i] >= 0 && std::isfinite(maps.modulation[i]))) return true;
  }
  return false;
}

/// No peak is found only where one of the images is 0 everywhere. A shift is within half the image, and a peak's top within a
/// pixel of it; a class says what its numbers say.
inline bool contradicts(const CorrelationShift& s, const CorrelationImages& images,
                        const CorrelationSettings& settings) {
  if (static_cast<unsigned>(s.kind) > static_cast<unsigned>(CorrelationClass::too_far)) return true;
  if (s.kind == CorrelationClass::no_peak) {
    const auto is_0 = [&](const float* v) {
      return std::all_of(v, v + images.size(), [](float value) { return value == 0; });
    };
    return s.x_px != 0 || s.y_px != 0 || s.peak != 0 || s.ratio != 0 ||
           !(is_0(images.reference) || is_0(images.image));
  }
  const double x = std::fabs(s.x_px), y = std::fabs(s.y_px);
  if (!(x <= images.cols / 2 + 1.0 && y <= images.rows / 2 + 1.0 && s.peak > 0 && std::isfinite(s.peak) &&
        s.ratio > 0 && std::isfinite(s.ratio)))
    return true;
  const bool clear = s.ratio >= static_cast<double>(settings.least_ratio);
  const auto most = static_cast<double>(settings.most_shift_px);
  const bool near = x <= most && y <= most;
  const CorrelationClass kind = !clear ? CorrelationClass::ambiguous
                                : near ? CorrelationClass::ok
                                       : CorrelationClass::too_far;
  return s.kind != kind;
}

}  // namespace datum
