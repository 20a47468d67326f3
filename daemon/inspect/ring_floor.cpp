#include "daemon/inspect/ring_floor.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "daemon/inspect/normal.h"
#include "daemon/inspect/tile_surface.h"

namespace datum {
namespace {

/// As the plane fit asks for where a second level may lie beside the floor (gpu/plane_fit/plane_fit.h).
constexpr double consensus_sigmas = 1.5, refit_sigmas = 3;

/// A level under half of a ring, which a plane tilts to follow, moves the floor by half of its step and leaves an eighth of
/// it in the tiles; that is known to a fifth: U = 2 u of 2.6 times what is left covers half of the step.
constexpr double coherence = 2.6;

/// Sum of the autocorrelation over lags of two pixels either way: what makes a tile's mean scatter more than white noise
/// does. Lags beyond would take a level under part of the ring for noise.
double near_correlation(const RingRecord& record, const Correlation& all, int fitted) {
  const double lags = 25, n = record.inliers;
  const std::int64_t product = record.residuals.products[1];
  if (product == 0 || record.residuals.squares == 0 || 2 * fitted * lags > n) return std::min(all.sum, lags);
  const double s = static_cast<double>(product) / static_cast<double>(record.residuals.squares);
  return std::max(1.0, s / (1 - fitted * lags / n));
}

/// Of a pixel about its tile's plane.
double noise_within(const std::vector<TileLevel>& tiles) {
  double squares = 0, freedom = 0;
  for (const TileLevel& t : tiles) {
    if (t.inliers < least_tile_pixels) continue;
    squares += t.squares;
    freedom += t.inliers - 3.0;
  }
  return freedom > 0 ? std::sqrt(squares / freedom) : 0;
}

/// The fullest window of twice `half_um` that lies wholly beyond `beyond_um` from the plane, over the pixels within `half_um`.
double fullest_beside(const RingHeights& ring, std::size_t count, const PlaneFit& fit, double half_um,
                      double beyond_um) {
  std::vector<double> beside;
  std::size_t floor = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double r = residual_of(ring, i, fit);
    floor += std::fabs(r) <= half_um;
    if (std::fabs(r) > beyond_um && std::fabs(r) <= std::numeric_limits<float>::max()) beside.push_back(r);
  }
  if (floor == 0) return 1;
  std::sort(beside.begin(), beside.end());
  std::size_t most = 0;
  for (std::size_t first = 0, end = 0; first < beside.size(); ++first) {
    while (end < beside.size() && beside[end] - beside[first] <= 2 * half_um &&
           (beside[end] < 0) == (beside[first] < 0))
      ++end;
    most = std::max(most, end - first);
  }
  return static_cast<double>(most) / static_cast<double>(floor);
}

/// The board's slope under the body is the quadratic's; a plane has that form as half width of a rectangular distribution.
void set_slope_uncertainty(const SitePlan& plan, double coherent_n, RingFloor& f) {
  const double random = f.evidence.noise_um * f.evidence.noise_um * f.evidence.correlation.sum;
  const double of_form = random * f.form.slope_leverage;
  const Eigen::Vector2d& slope = f.form.slope;
  if (plan.quadratic_form && f.form.slope_leverage > 0) {
    f.form_slope = slope;
    f.u_slope = std::sqrt((random + coherent_n) * f.form.slope_leverage);
    return;
  }
  const double det = f.fit.sxx * f.fit.syy - f.fit.sxy * f.fit.sxy;
  const double of_plane = (random + coherent_n) * (f.fit.sxx + f.fit.syy) / det;
  f.u_slope = std::sqrt(of_plane + std::max(0.0, slope.squaredNorm() - 2 * of_form) / 3);
}

void set_uncertainty(const SitePlan& plan, RingFloor& f) {
  const double n = std::max(1.0, static_cast<double>(f.fit.inliers));
  const double all = coherence * coherence * f.form.u_between_um * f.form.u_between_um;
  const double coherent = coherence * coherence * f.form.told_um2;
  // what may be noise is not extrapolated: the noise already is
  double variance =
      f.evidence.u_floor_um * f.evidence.u_floor_um + coherent * f.form.leverage + (all - coherent);
  if (plan.quadratic_form) {
    f.evidence.floor_um += f.lost_um;
    variance += f.lost_um * f.lost_um / 3;
  } else {
    // the quadratic extrapolates: what it makes of the tiles' scatter is no bow
    const double told = f.evidence.form_um * f.evidence.form_um -
                        f.evidence.u_form_um * f.evidence.u_form_um - coherent * f.form.quadratic_leverage;
    variance += std::max(0.0, told) / 3;
  }
  f.u_um = std::sqrt(variance);
  set_slope_uncertainty(plan, coherent * n, f);
}

/// Inliers of a tile at level d are those of N(d, noise) within `reach_um` of the plane: their mean is nearer to it. The level
/// whose truncated mean is the tile's, by fixed point.
std::vector<TileLevel> untruncated(std::vector<TileLevel> levels, double noise_um, double reach_um) {
  if (!(noise_um > 0)) return levels;
  for (TileLevel& t : levels) {
    const double mean = t.level;
    for (int round = 0; round < 4; ++round) {
      const double low = (-reach_um - t.level) / noise_um, high = (reach_um - t.level) / noise_um;
      const double inside = normal_share_below(high) - normal_share_below(low);
      if (!(inside > 0.5)) break;  // more lie outside than within: nothing tells the level
      t.level = mean + noise_um * (normal_density(high) - normal_density(low)) / inside;
    }
  }
  return levels;
}

/// Of the quadratic through the levels; 0 where they determine none.
double under_body(const std::vector<TileLevel>& levels, double x_um, double y_um) {
  std::vector<TileLevel> told;
  for (const TileLevel& t : levels)
    if (t.inliers >= least_tile_pixels) told.push_back(t);
  const TileSurface surface(told, 6);
  return surface.defined() ? surface.at(x_um, y_um) : 0;
}

/// All that a fit shows of the tiles that it stands on.
void look(const SitePlan& plan, const RingTiles& tiles, const RingHeights& ring, double x_um, double y_um,
          double expected_form_um, RingFloor& f) {
  f.evidence = derive(plan, f.fit, f.record, x_um, y_um);
  const std::vector<TileLevel> means = tile_means(tiles, ring, f.fit, plan.refit_threshold);
  const int parameters = plan.quadratic_form ? 6 : 3;
  f.noise_um = noise_within(means);
  const std::vector<TileLevel> levels = untruncated(means, f.noise_um, plan.refit_threshold);
  f.lost_um = plan.quadratic_form ? under_body(levels, x_um, y_um) - under_body(means, x_um, y_um) : 0;
  const double correlation = near_correlation(f.record, f.evidence.correlation, parameters);
  f.form = form_of(levels, parameters, f.noise_um, correlation, expected_form_um, x_um, y_um);
  f.step = step_among(levels, f.noise_um, correlation, expected_form_um);
}

/// Pixels of the whole ring that lie on the plane, tiles that an edge crosses included.
void count_inliers(const SitePlan& plan, const RingHeights& ring, const std::uint8_t* run_sides,
                   RingFloor& f) {
  f.inliers = 0;
  std::fill(std::begin(f.side_inliers), std::end(f.side_inliers), 0u);
  std::size_t at = 0;
  for (std::uint32_t i = 0; i < plan.ring_runs; ++i) {
    for (std::int32_t k = 0; k < ring.runs[i].length; ++k, ++at) {
      const double r = residual_of(ring, at, f.fit);
      if (std::fabs(r) <= plan.refit_threshold) ++f.side_inliers[run_sides[i]];
    }
  }
  for (std::uint32_t n : f.side_inliers) f.inliers += n;
}

/// The heights of tiles on the floor.
std::vector<float> masked(const RingTiles& tiles, const std::vector<bool>& on_floor,
                          const RingHeights& ring) {
  const std::vector<std::uint16_t>& tile_of = tiles.of_pixel();
  std::vector<float> z(ring.z, ring.z + tile_of.size());
  for (std::size_t i = 0; i < z.size(); ++i)
    if (!on_floor[tile_of[i]]) z[i] = std::numeric_limits<float>::quiet_NaN();
  return z;
}

/// The plane of the tiles on the floor, by the same kernel as the ring's, its thresholds from what the tiles show.
bool fit_again(SitePlan& plan, const RingHeights& ring, const std::uint8_t* run_sides, const TileFloor& among,
               double lsb_um, Isa isa, RingFloor& f) {
  const double sigma = std::sqrt(among.noise_um * among.noise_um + among.scatter_um * among.scatter_um);
  PlaneFitSettings settings;
  settings.threshold = static_cast<float>(std::max(consensus_sigmas * sigma, 2 * lsb_um));
  settings.refit_threshold = std::max(settings.threshold, static_cast<float>(refit_sigmas * sigma));
  const PlanePoints points{ring.x, ring.y, ring.z, plan.ring_pixels, plan.half_x, plan.half_y, plan.seed};
  Backend one;
  one.isa = isa;
  PlaneFit fit;
  fit_planes(&points, 1, settings, one, &fit);
  if (fit.status != FitStatus::ok || !fit.fixed_point) return false;
  plan.threshold = settings.threshold;
  plan.refit_threshold = settings.refit_threshold;
  plan.sigma_um = sigma;
  fit.valid = f.fit.valid;
  f.fit = fit;
  f.record = measure_ring(plan, RingPixels{ring.runs, run_sides, ring.x, ring.y, ring.z}, fit, isa);
  return true;
}

}  // namespace

RingFloor ring_floor(const SitePlan& site, const SiteRecord& record, const RingHeights& ring,
                     const std::uint8_t* run_sides, double x_um, double y_um, double lsb_um,
                     double expected_form_um, Isa isa) {
  RingFloor f;
  f.fit = record.fit;
  f.record = record.ring;
  f.inliers = record.ring.inliers;
  std::copy(std::begin(f.record.side_inliers), std::end(f.record.side_inliers), f.side_inliers.begin());
  SitePlan plan = site;
  const RingTiles tiles(plan, ring.runs);
  f.tiles = tiles.count();
  look(plan, tiles, ring, x_um, y_um, expected_form_um, f);
  f.second_level = f.evidence.second_level;
  if (!f.form.even) {
    const TileFloor among = floor_among_tiles(tiles, ring, f.fit, plan.quadratic_form ? 6 : 3, lsb_um,
                                              expected_form_um, plan.seed);
    const std::vector<float> z = among.found ? masked(tiles, among.on_floor, ring) : std::vector<float>();
    const RingHeights on_floor{ring.runs, ring.x, ring.y, z.data()};
    if (among.found && fit_again(plan, on_floor, run_sides, among, lsb_um, isa, f)) {
      f.by_tiles = true;
      look(plan, tiles, on_floor, x_um, y_um, expected_form_um, f);
      count_inliers(plan, ring, run_sides, f);
      f.tiles_off =
          static_cast<std::uint32_t>(std::count(among.on_floor.begin(), among.on_floor.end(), false));
    }
    f.second_level = std::max(among.second_level, fullest_beside(ring, plan.ring_pixels, f.fit,
                                                                 plan.threshold, plan.refit_threshold));
  }
  if (f.step.shown()) f.second_level = std::max(f.second_level, f.step.smaller);
  set_uncertainty(plan, f);
  return f;
}

}  // namespace datum
