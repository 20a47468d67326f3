#include "daemon/inspection/board/ring_floor.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "daemon/inspection/verdict/normal.h"
#include "gpu/board/site_pixels.h"

namespace datum {
namespace {

/// Thresholds of the plane fit where a second level is possible (gpu/plane_fit/plane_fit.h).
constexpr double consensus_sigmas = 1.5, refit_sigmas = 3;

/// A level under half of a ring, which the plane tilts to follow, shifts the floor by half of its step and
/// leaves an eighth of it in the tiles, estimated within a fifth: U = 2 u from 2.6 times that residual covers
/// half of the step.
constexpr double coherence = 2.6;

/// Sum of the autocorrelation over lags of two pixels in either direction: the excess scatter of a tile's
/// mean over white noise. Larger lags would count a level under part of the ring as noise.
double near_correlation(const RingRecord& record, const Correlation& all, int fitted) {
  const double lags = 25, n = record.inliers;
  const std::int64_t product = record.residuals.products[1];
  if (product == 0 || record.residuals.squares == 0 || 2 * fitted * lags > n) return std::min(all.sum, lags);
  const double s = static_cast<double>(product) / static_cast<double>(record.residuals.squares);
  return std::max(1.0, s / (1 - fitted * lags / n));
}

int parameters_of(const SitePlan& plan) { return plan.quadratic_form ? 6 : 3; }

/// Noise of a pixel about its tile's plane.
double noise_within(const std::vector<TileLevel>& tiles) {
  double squares = 0, freedom = 0;
  for (const TileLevel& t : tiles) {
    if (t.inliers < least_tile_pixels) continue;
    squares += t.squares;
    freedom += t.inliers - 3.0;
  }
  return freedom > 0 ? std::sqrt(squares / freedom) : 0;
}

/// Pixels in the fullest window of width 2 `half_um` that lies completely beyond `beyond_um` from the plane,
/// over those within `half_um`.
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

/// The board's slope under the body is the quadratic's; a plane has its difference as half width of a
/// rectangular distribution.
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
  // the part that may be noise is not extrapolated, because noise already is
  double variance =
      f.evidence.u_floor_um * f.evidence.u_floor_um + coherent * f.form.leverage + (all - coherent);
  if (plan.quadratic_form) {
    f.evidence.floor_um += f.lost_um;
    variance += f.lost_um * f.lost_um / 3;
  } else {
    // the quadratic extrapolates the tiles' scatter, which is not bow
    const double told = f.evidence.form_um * f.evidence.form_um -
                        f.evidence.u_form_um * f.evidence.u_form_um - coherent * f.form.quadratic_leverage;
    variance += std::max(0.0, told) / 3;
  }
  f.u_um = std::sqrt(variance);
  set_slope_uncertainty(plan, coherent * n, f);
}

/// Inliers of a tile at level d follow N(d, noise) truncated to `reach_um` about the plane, so their mean is
/// nearer to the plane. Finds the level with the tile's truncated mean by fixed-point iteration to a ten
/// thousandth of the noise, starting from the first-order result.
std::vector<TileLevel> untruncated(std::vector<TileLevel> levels, double noise_um, double reach_um) {
  if (!(noise_um > 0)) return levels;
  const double reach = reach_um / noise_um, held = 2 * normal_share_below(reach) - 1;
  const double lost = std::min(0.9, 2 * reach * normal_density(reach) / held);  // first order, at the plane
  for (TileLevel& t : levels) {
    const double mean = t.level;
    double guess = t.level = mean / (1 - lost);
    if (std::fabs(guess) < 0.1 * noise_um) continue;  // the cubic term is below 6e-5 of the noise
    for (int round = 0; round < 4; ++round) {
      const double low = (-reach_um - guess) / noise_um, high = (reach_um - guess) / noise_um;
      const double inside = normal_share_below(high) - normal_share_below(low);
      if (!(inside > 0.5)) {  // more lie outside than within: the level is undetermined
        if (round == 0) t.level = mean;
        break;
      }
      t.level = mean + noise_um * (normal_density(high) - normal_density(low)) / inside;
      if (std::fabs(t.level - guess) < 1e-4 * noise_um) break;
      guess = t.level;
    }
  }
  return levels;
}

/// Part of the quadratic under the body lost to the inlier threshold.
double lost_under_body(const FittedTiles& tiles, const std::vector<TileLevel>& means, double x_um,
                       double y_um) {
  if (!tiles.quadratic.defined()) return 0;
  std::vector<double> by;
  for (const TileLevel& t : means)
    if (t.inliers >= least_tile_pixels) by.push_back(tiles.told[by.size()].level - t.level);
  return tiles.quadratic.change_at(x_um, y_um, tiles.told, by);
}

/// Evaluates the evidence of a fit over its tiles.
void look(const SitePlan& plan, const RingTiles& tiles, const PixelRun* runs, const float* z,
          const FloorAbout& about, RingFloor& f) {
  f.evidence = derive(plan, f.fit, f.record, about.x_um, about.y_um);
  const std::vector<TileLevel> means =
      tile_means(tiles, plan, runs, z, f.fit, plan.refit_threshold, about.isa);
  f.noise_um = noise_within(means);
  const FittedTiles fitted(untruncated(means, f.noise_um, plan.refit_threshold), parameters_of(plan));
  f.lost_um = plan.quadratic_form ? lost_under_body(fitted, means, about.x_um, about.y_um) : 0;
  const double correlation = near_correlation(f.record, f.evidence.correlation, parameters_of(plan));
  f.form = form_of(fitted, f.noise_um, correlation, about.form_um, about.x_um, about.y_um);
  f.step = step_among(fitted, f.noise_um, correlation, about.form_um);
}

/// Counts pixels of the whole ring on the plane, including tiles crossed by an edge.
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

/// Heights of tiles on the floor; NaN elsewhere.
std::vector<float> masked(const RingTiles& tiles, const std::vector<bool>& on_floor,
                          const RingHeights& ring) {
  const std::vector<std::uint16_t> tile_of = tiles.of_pixel(ring.runs);
  std::vector<float> z(tile_of.size() + pixel_padding, std::numeric_limits<float>::quiet_NaN());
  for (std::size_t i = 0; i < tile_of.size(); ++i)
    if (on_floor[tile_of[i]]) z[i] = ring.z[i];
  return z;
}

/// The plane of the tiles on the floor, by the ring's own kernel, with thresholds from the tiles.
bool fit_again(SitePlan& plan, const RingHeights& ring, const std::uint8_t* run_sides, const TileFloor& among,
               const FloorAbout& about, RingFloor& f) {
  const double sigma = std::sqrt(among.noise_um * among.noise_um + among.scatter_um * among.scatter_um);
  PlaneFitSettings settings;
  settings.threshold = static_cast<float>(std::max(consensus_sigmas * sigma, 2 * about.lsb_um));
  settings.refit_threshold = std::max(settings.threshold, static_cast<float>(refit_sigmas * sigma));
  const PlanePoints points{ring.x, ring.y, ring.z, plan.ring_pixels, plan.half_x, plan.half_y, plan.seed};
  Backend one;
  one.isa = about.isa;
  PlaneFit fit;
  fit_planes(&points, 1, settings, one, &fit);
  if (fit.status != FitStatus::ok || !fit.fixed_point) return false;
  plan.threshold = settings.threshold;
  plan.refit_threshold = settings.refit_threshold;
  plan.sigma_um = sigma;
  fit.valid = f.fit.valid;
  f.fit = fit;
  f.record = measure_ring(plan, RingPixels{ring.runs, run_sides, ring.x, ring.y, ring.z}, fit, about.isa);
  return true;
}

/// The quadratic of a ring's pixels on the floor, and its explained over its unexplained variance.
void set_bow(const SitePlan& plan, const RingRecord& record, RingFloor& f) {
  f.bow = {};
  f.bow_explains = 0;
  const ring_math::Quadratic q = ring_math::quadratic_of(record.moments, plan);
  if (!q.defined) return;
  const float steps_per_um = plane_math::quantising_scale(plan.refit_threshold);
  f.bow = ring_math::form_of(q, steps_per_um);
  const double scale[6] = {1, q.to_u, q.to_v, q.to_u * q.to_u, q.to_u * q.to_v, q.to_v * q.to_v};
  double explained = 0;
  for (int i = 0; i < 6; ++i)
    explained += q.coefficient[i] * static_cast<double>(record.moments.r[i]) * scale[i];
  const double per_um = static_cast<double>(steps_per_um);
  const double step_um = plan.sigma_um / ring_math::steps_per_sigma;
  explained /= per_um * per_um;
  // the record's residuals are about the floor's form
  const double squares = static_cast<double>(record.residuals.squares) * step_um * step_um;
  const double left = plan.quadratic_form ? squares : squares - explained;
  f.bow_explains = left > 0 ? explained / left : 0;
}

/// For a ring without one even level: the floor is the plane of its tiles on one level.
void look_for_levels(const SitePlan& site, SitePlan& plan, const RingTiles& tiles, const RingHeights& ring,
                     const std::uint8_t* run_sides, const FloorAbout& about, RingFloor& f) {
  const TileFloor among =
      floor_among_tiles(tiles, ring, f.fit, parameters_of(plan), about.lsb_um, about.form_um, plan.seed);
  const std::vector<float> z = among.found ? masked(tiles, among.on_floor, ring) : std::vector<float>();
  const RingHeights on_floor{ring.runs, ring.x, ring.y, z.data()};
  if (among.found && fit_again(plan, on_floor, run_sides, among, about, f)) {
    f.by_tiles = true;
    look(plan, tiles, ring.runs, z.data(), about, f);
    count_inliers(plan, ring, run_sides, f);
    const RingPixels all{ring.runs, run_sides, ring.x, ring.y, ring.z};
    set_bow(site, measure_ring(site, all, f.fit, about.isa), f);
    f.tiles_off = static_cast<std::uint32_t>(std::count(among.on_floor.begin(), among.on_floor.end(), false));
  }
  f.second_level = std::max(among.second_level, fullest_beside(ring, plan.ring_pixels, f.fit, plan.threshold,
                                                               plan.refit_threshold));
}

}  // namespace

RingFloor ring_floor(const SitePlan& site, const RingTiles& tiles, const SiteRecord& record,
                     const PixelRun* runs, const std::uint8_t* run_sides, const float* z,
                     const FloorAbout& about) {
  RingFloor f;
  f.fit = record.fit;
  f.record = record.ring;
  f.inliers = record.ring.inliers;
  std::copy(std::begin(f.record.side_inliers), std::end(f.record.side_inliers), f.side_inliers.begin());
  SitePlan plan = site;
  f.tiles = tiles.count();
  set_bow(site, record.ring, f);
  look(plan, tiles, runs, z, about, f);
  f.second_level = f.evidence.second_level;
  if (!f.form.even) {
    const RingPlaces places = ring_places(plan, runs, about.isa);
    look_for_levels(site, plan, tiles, {runs, places.x.get(), places.y.get(), z}, run_sides, about, f);
  }
  if (f.step.shown()) f.second_level = std::max(f.second_level, f.step.smaller);
  set_uncertainty(plan, f);
  return f;
}

}  // namespace datum
