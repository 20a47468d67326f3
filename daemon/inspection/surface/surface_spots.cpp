#include "daemon/inspection/surface/surface_spots.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "daemon/inspection/surface/in_runs.h"
#include "daemon/inspection/surface/pixel_row.h"
#include "daemon/inspection/surface/value_ranks.h"
#include "gpu/core/vector_loop.h"

namespace datum {
namespace {

std::uint32_t least_px(const SurfaceSettings& settings) {
  return std::min(least_spot_px, static_cast<std::uint32_t>(settings.window_px * settings.window_px));
}

/// Points of one spot, in the order in which a flood fill reaches them.
class Spreader {
 public:
  Spreader(const SnapshotGrid& grid, const std::vector<std::uint8_t>& is_out, int reach_px)
      : grid_(grid), is_out_(is_out), reach_(reach_px) {
    taken_.assign(grid.point.size(), 0);
  }
  bool starts(std::size_t pixel) const {
    const std::uint32_t i = grid_.point[pixel];
    return i != no_point && is_out_[i] != 0 && taken_[pixel] == 0;
  }
  const std::vector<std::uint32_t>& spread(std::size_t from) {
    pixels_.assign(1, from);
    points_.clear();
    taken_[from] = 1;
    for (std::size_t k = 0; k < pixels_.size(); ++k) {
      points_.push_back(grid_.point[pixels_[k]]);
      const auto cols = static_cast<std::size_t>(grid_.cols);
      const int row = static_cast<int>(pixels_[k] / cols), col = static_cast<int>(pixels_[k] % cols);
      for (int r = std::max(0, row - reach_); r <= std::min(grid_.rows - 1, row + reach_); ++r)
        for (int c = std::max(0, col - reach_); c <= std::min(grid_.cols - 1, col + reach_); ++c) {
          const std::size_t pixel = static_cast<std::size_t>(r) * cols + static_cast<std::size_t>(c);
          if (!starts(pixel)) continue;
          taken_[pixel] = 1;
          pixels_.push_back(pixel);
        }
    }
    return points_;
  }

 private:
  const SnapshotGrid& grid_;
  const std::vector<std::uint8_t>& is_out_;
  int reach_;
  std::vector<std::uint8_t> taken_;
  std::vector<std::size_t> pixels_;
  std::vector<std::uint32_t> points_;
};

std::string text_of_place(const MeasuredSurface& m, std::uint32_t point) {
  const ModelPoint& p = m.surface.map.points[point];
  const auto& o = m.sources.model.triangles->origin;
  return fmt::format("[{:.3f}, {:.3f}, {:.3f}] mm", p.x + o[0], p.y + o[1], p.z + o[2]);
}

constexpr double noise_sigmas = 5, share = 0.01,
                 share_sigmas = 2.326;  // 1 % of a normal distribution lies beyond

double sigma_mm(const RegionNoise& noise, const SensorProfile& sensor) {
  if (noise.tiles > 0) return noise.sigma_mm;
  return *std::max_element(sensor.noise.sigma_um.begin(), sensor.noise.sigma_um.end()) / 1000;
}

struct Bounds {
  double low_mm = 0, high_mm = 0;
};

/// Range of a region's values that noise explains; `least` and `largest` but for a hundredth at either end.
Bounds noise_bounds(float least, float largest, const WindowExtremes& e, double sigma_mm) {
  double low = double{least} + share_sigmas * sigma_mm;
  double high = double{largest} - share_sigmas * sigma_mm;
  if (e.windows > 0) {
    low = std::max(low, double{e.lowest});
    high = std::min(high, double{e.highest});
  }
  return {low - noise_sigmas * sigma_mm, high + noise_sigmas * sigma_mm};
}
Bounds noise_bounds(std::span<const float> values, const WindowExtremes& e, double sigma_mm,
                    unsigned threads) {
  if (values.empty()) return {};
  const auto rank = static_cast<std::size_t>(share * static_cast<double>(values.size() - 1));
  const auto [least, largest] = values_at(values, rank, values.size() - 1 - rank, threads);
  return noise_bounds(least, largest, e, sigma_mm);
}

/// The largest spot in a region's distances from the check's plane that widens their range beyond the limit.
SurfaceSpot range_spot(const MeasuredSurface& m, double limit_mm, std::size_t region, std::size_t datum) {
  const SurfaceSettings& settings = m.sources.recipe.settings;
  const RegionPlanes fit = fit_region_planes(m.surface, m.sources.model, settings, {datum}, m.backend);
  if (!fit.refusal.empty()) return {};
  const std::vector<float> distance = distances_from(fit.shared, fit.planes[0], m.surface, region);
  const WindowExtremes e = window_extremes(m.surface.grids, m.surface.face_region, distance,
                                           m.extremes.size(), settings.window_px, m.backend.threads)[region];
  std::vector<float> values;
  for (std::size_t i = 0; i < distance.size(); ++i)
    if (m.surface.face_region[i] == region) values.push_back(distance[i]);
  const Bounds noise =
      noise_bounds(values, e, sigma_mm(m.noise[region], m.sources.sensor), m.backend.threads);
  const double high = std::max(noise.high_mm, e.lowest + limit_mm),
               low = std::min(noise.low_mm, e.highest - limit_mm);
  std::vector<std::uint8_t> is_out(distance.size());
  for (std::size_t i = 0; i < is_out.size(); ++i)
    is_out[i] = m.surface.face_region[i] == region && (distance[i] > high || distance[i] < low);
  return spots_of(m.surface.grids, is_out, m.surface.face_region, m.extremes.size(),
                  least_px(settings))[region];
}

/// Adds spots of those of the points `out` that are compared with a step and deviate in the same direction: `sign` of their deviation.
void add_step_spots(const ComparedSurface& surface, const std::vector<std::uint32_t>& out,
                    const SurfaceSettings& settings, double sign, std::vector<SurfaceSpot>& spots) {
  const SurfaceMap& map = surface.map;
  std::vector<std::uint8_t> is_out(surface.is_beyond.size());
  std::size_t count = 0;
  for (const std::uint32_t i : out) {
    if (map.distances[i].kind != MatchClass::edge || !(sign * map.distances[i].distance > 0)) continue;
    is_out[i] = 1;
    ++count;
  }
  if (count < least_px(settings)) return;
  const std::vector<SurfaceSpot> steps = spots_of(surface.grids, is_out, surface.judged_region,
                                                  map.regions.size(), least_px(settings), step_reach_px);
  for (std::size_t r = 0; r < spots.size(); ++r)
    if (steps[r].pixels > spots[r].pixels) spots[r] = steps[r];
}

/// Calls visit(pixel) for those whose points are out, in their order.
template <class Visit>
void walk_out(const SnapshotGrid& grid, const std::vector<std::uint8_t>& is_out, const Visit& visit) {
  const auto cols = static_cast<std::size_t>(grid.cols);
  const std::uint8_t* const out = is_out.data();
  for (std::size_t row = 0; row < static_cast<std::size_t>(grid.rows); ++row) {
    const auto one = [&](std::size_t col, std::uint32_t point) DATUM_VECTOR_LOOP {
      if (point != no_point && out[point] != 0) visit(row * cols + col);
    };
    vector_loop(best_isa(), [&]() DATUM_VECTOR_LOOP {
      walk_row(
          grid.point.data() + row * cols, cols,
          [&](std::size_t col, std::uint32_t first) DATUM_VECTOR_LOOP {
            std::uint8_t any = 0;
            for (std::uint32_t k = 0; k < pixel_block; ++k) any |= out[first + k];
            for (std::uint32_t k = 0; any != 0 && k < pixel_block; ++k) one(col + k, first + k);
          },
          [](std::size_t) DATUM_VECTOR_LOOP {}, one);
    });
  }
}

}  // namespace

std::vector<SurfaceSpot> spots_of(const std::vector<SnapshotGrid>& grids,
                                  const std::vector<std::uint8_t>& is_out,
                                  const std::vector<std::uint16_t>& region_of_point, std::size_t regions,
                                  std::uint32_t least_px, int reach_px) {
  std::vector<SurfaceSpot> all(regions + 1);
  for (const SnapshotGrid& grid : grids) {
    std::vector<std::size_t> starts;
    walk_out(grid, is_out, [&](std::size_t pixel) { starts.push_back(pixel); });
    if (starts.size() < std::max(1u, least_px)) continue;
    Spreader spreader(grid, is_out, reach_px);
    for (const std::size_t pixel : starts) {
      if (!spreader.starts(pixel)) continue;
      const std::vector<std::uint32_t>& points = spreader.spread(pixel);
      const auto size = static_cast<std::uint32_t>(points.size());
      if (size < least_px) continue;
      for (const std::uint32_t i : points) {
        SurfaceSpot& spot = all[std::min<std::size_t>(region_of_point[i], regions)];
        if (spot.pixels < size) spot = {size, i};
      }
    }
  }
  return all;
}

OutOfTolerance::OutOfTolerance(const ComparedSurface& surface)
    : surface_(surface), of_run_(runs_of(surface.judged_region.size())) {}

void OutOfTolerance::look_at(std::size_t run) {
  std::vector<std::uint32_t> found;
  vector_loop(best_isa(), [&]() DATUM_VECTOR_LOOP {
    const std::uint16_t* const region = surface_.judged_region.data();
    const float* const deviation = surface_.deviation.data();
    const std::size_t to = std::min(surface_.judged_region.size(), (run + 1) * run_length);
    std::uint16_t one = no_region;  // of the last point
    double low = -HUGE_VAL, high = HUGE_VAL;
    const auto look_at = [&](std::size_t i) DATUM_VECTOR_LOOP {
      if (region[i] != one) {
        one = region[i];
        low = one == no_region ? -HUGE_VAL : surface_.map.regions[one].lower_mm;
        high = one == no_region ? HUGE_VAL : surface_.map.regions[one].upper_mm;
      }
      if (deviation[i] > high || deviation[i] < low) found.push_back(static_cast<std::uint32_t>(i));
    };
    std::size_t i = run * run_length;
    for (; i + pixel_block <= to; i += pixel_block) {
      std::uint32_t others = 0, out = 0;
      for (std::size_t k = 0; k < pixel_block; ++k) others |= static_cast<std::uint32_t>(region[i + k] ^ one);
      for (std::size_t k = 0; k < pixel_block; ++k) out |= deviation[i + k] > high ? 1u : 0u;
      for (std::size_t k = 0; k < pixel_block; ++k) out |= deviation[i + k] < low ? 1u : 0u;
      for (std::size_t k = 0; (others | out) != 0 && k < pixel_block; ++k) look_at(i + k);
    }
    for (; i < to; ++i) look_at(i);
  });
  of_run_[run] = std::move(found);
}

bool OutOfTolerance::can_have_spots(const SurfaceSettings& settings) const {
  std::uint64_t all = surface_.beyond;
  for (const auto& some : of_run_) all += some.size();
  return all >= least_px(settings);
}

std::vector<std::uint32_t> OutOfTolerance::points() const {
  std::vector<std::uint32_t> all;
  for (const auto& some : of_run_) all.insert(all.end(), some.begin(), some.end());
  return all;
}

SurfaceSpots find_spots(const ComparedSurface& surface, const OutOfTolerance& out,
                        const SurfaceSettings& settings, const std::vector<WindowExtremes>& extremes,
                        const std::vector<RegionNoise>& noise, const SensorProfile& sensor,
                        unsigned threads) {
  const SurfaceMap& map = surface.map;
  const std::size_t regions = map.regions.size();
  const std::vector<SurfaceSpot> none(regions + 1);
  if (!out.can_have_spots(settings)) return {none, none};
  const std::vector<std::uint32_t> points = out.points();
  std::vector<RegionEnds> ends(regions);
  for (const std::uint32_t i : points) ends[surface.judged_region[i]].wanted = true;
  if (!points.empty()) find_ends(surface.deviation, surface.judged_region, share, threads, ends);
  std::vector<Bounds> bounds(regions);
  for (std::size_t r = 0; r < regions; ++r)
    if (ends[r].wanted)
      bounds[r] = noise_bounds(ends[r].low, ends[r].high, extremes[r], sigma_mm(noise[r], sensor));
  // a point beyond the search distance is not judged
  std::vector<std::uint8_t> is_out = surface.is_beyond;
  std::vector<std::uint16_t> region = surface.beyond_region;
  std::vector<std::uint32_t> judged_out;
  for (const std::uint32_t i : points) {
    const std::uint16_t r = surface.judged_region[i];
    const double d = surface.deviation[i];
    if (!(d > std::max(map.regions[r].upper_mm, bounds[r].high_mm) ||
          d < std::min(map.regions[r].lower_mm, bounds[r].low_mm)))
      continue;
    is_out[i] = 1;
    region[i] = r;
    judged_out.push_back(i);
  }
  SurfaceSpots spots{none, none};
  if (surface.beyond >= least_px(settings))
    spots.beyond =
        spots_of(surface.grids, surface.is_beyond, surface.beyond_region, regions, least_px(settings));
  if (surface.beyond + judged_out.size() < least_px(settings)) return spots;
  spots.out = spots_of(surface.grids, is_out, region, regions, least_px(settings));
  for (const double sign : {1.0, -1.0}) add_step_spots(surface, judged_out, settings, sign, spots.out);
  return spots;
}

std::pair<Reason, std::string> beyond_refusal(const MeasuredSurface& m, const SurfaceSpots& spots,
                                              std::size_t region) {
  const bool is_named = region != no_region;
  const SurfaceSpot& spot = is_named ? spots.beyond[region] : spots.beyond.back();
  if (spot.pixels == 0) return {};
  return {
      Reason::surface_beyond,
      fmt::format(
          "{} pixels side by side of snapshot {} lie farther than search_mm = {:g} from {}, the first at {}: "
          "damage, or something on the part",
          spot.pixels, m.surface.map.snapshot[spot.at] + 1, m.sources.recipe.settings.search_mm,
          is_named ? "it" : "the part, where it belongs to no region", text_of_place(m, spot.at))};
}

std::pair<Reason, std::string> spot_refusal(const MeasuredSurface& m, const SurfaceSpots& spots,
                                            const Check& check, std::size_t region, std::size_t datum) {
  const int window = m.sources.recipe.settings.window_px;
  const bool is_range =
      check.characteristic == Characteristic::flatness || check.characteristic == Characteristic::parallelism;
  SurfaceSpot spot = spots.out[region];
  if (is_range && spot.pixels == 0 && check.upper) spot = range_spot(m, *check.upper / 1000, region, datum);
  if (spot.pixels == 0) return {Reason::none, ""};
  return {Reason::surface_spot, fmt::format("{} pixels of snapshot {} close together are out of its limits, "
                                            "the first at {}, and fill no window of "
                                            "{} x {}: a small defect, a burr, or a step beside its place",
                                            spot.pixels, m.surface.map.snapshot[spot.at] + 1,
                                            text_of_place(m, spot.at), window, window)};
}

}  // namespace datum
