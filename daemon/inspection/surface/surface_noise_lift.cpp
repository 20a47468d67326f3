#include <algorithm>
#include <array>
#include <cmath>

#include "daemon/inspection/surface/in_runs.h"
#include "daemon/inspection/surface/surface_noise.h"
#include "daemon/inspection/surface/surface_window_tail.h"

namespace datum {
namespace {

/// Where windows lie without noise of the pixel: of noise and slope the larger decides a window's lowest pixel.
struct WindowLevels {
  UnsetList<double> at_mm;
  double top_mm = -HUGE_VAL;   // of these
  double edge_mm = -HUGE_VAL;  // the highest of the form's own windows
};

constexpr std::size_t level_run = 4096;

WindowLevels window_levels(const RegionNoise& noise, const FormLevels& form, double sign, unsigned threads) {
  WindowLevels w{UnsetList<double>(form.size())};
  struct Tops {
    double top_mm = -HUGE_VAL, edge_mm = -HUGE_VAL;
  };
  std::vector<Tops> of_run(runs_of(form.size(), level_run));
  in_runs(
      threads, form.size(),
      [&](std::size_t run, std::size_t from, std::size_t to) {
        Tops own;
        for (std::size_t i = from; i < to; ++i) {
          w.at_mm[i] = sign * form[i].mm - std::hypot(noise.window_mean_mm, form[i].drop_mm) +
                       std::fabs(noise.window_mean_mm);
          own.top_mm = std::max(own.top_mm, w.at_mm[i]);
          own.edge_mm = std::max(own.edge_mm, sign * form[i].mm - form[i].drop_mm);
        }
        of_run[run] = own;
      },
      level_run);
  for (const Tops& own : of_run) {
    w.top_mm = std::max(w.top_mm, own.top_mm);
    w.edge_mm = std::max(w.edge_mm, own.edge_mm);
  }
  return w;
}

/// Levels within a quarter of a window's scatter become one; those too low to matter are left out.
std::vector<FormLevel> binned(const RegionNoise& noise, const FormLevels& form, const WindowLevels& at,
                              unsigned threads) {
  constexpr std::size_t count = 48;
  const double width = noise.window_sigma_mm / 4;
  UnsetList<std::uint8_t> bin_of(form.size());
  in_runs(
      threads, form.size(),
      [&](std::size_t, std::size_t from, std::size_t to) {
        for (std::size_t i = from; i < to; ++i) {
          const double k = (at.top_mm - at.at_mm[i]) / width;
          bin_of[i] = static_cast<std::uint8_t>(k < static_cast<double>(count) ? static_cast<int>(k) : count);
        }
      },
      level_run);
  std::vector<FormLevel> bins(count + 1);  // the last: those left out
  for (std::size_t i = 0; i < form.size();) {
    const std::uint8_t bin = bin_of[i];  // neighbours are often in one
    double mm = bins[bin].mm, share = bins[bin].share;
    for (; i < form.size() && bin_of[i] == bin; ++i) {
      mm += form[i].share * at.at_mm[i];
      share += form[i].share;
    }
    bins[bin] = {mm, share, 0};
  }
  bins.pop_back();
  std::vector<FormLevel> levels;
  for (const FormLevel& bin : bins)
    if (bin.share > 0) levels.push_back({bin.mm / bin.share, bin.share, 0});
  return levels;
}

/// Where the highest of all windows stays below with this probability.
double highest_quantile(const RegionNoise& noise, const std::vector<FormLevel>& levels, double probability) {
  double low = levels.front().mm + noise.window_mean_mm - 9 * noise.window_sigma_mm;
  double high = levels.front().mm + noise.window_mean_mm + 9 * noise.window_sigma_mm;
  const double wanted = std::log(probability);
  const LowestOf window(noise.window_parts);
  for (int i = 0; i < 36; ++i) {
    const double x = (low + high) / 2;
    double log_share = 0;
    for (const FormLevel& l : levels) {
      const double z = (x - l.mm - noise.window_mean_mm) / noise.window_sigma_mm;
      log_share += noise.windows_per_tile * l.share * window.log_share_below(z);
    }
    (log_share < wanted ? low : high) = x;
  }
  return (low + high) / 2;
}

}  // namespace

NoiseLift noise_lift(const RegionNoise& noise, const FormLevels& form, double sign, double highest_mm,
                     unsigned threads) {
  NoiseLift lift;
  if (noise.tiles == 0 || form.empty() || !(noise.window_sigma_mm > 0)) return lift;
  const WindowLevels at = window_levels(noise, form, sign, threads);
  const std::vector<FormLevel> levels = binned(noise, form, at, threads), tile{{0, 1, 0}};
  constexpr std::array<double, 5> probability{0.8413, 0.1587, 0.999, 0.5, 0.5};  // the last: of one tile
  std::array<double, 5> at_mm{};
  parallel_for(threads, at_mm.size(), [&](std::size_t k, unsigned) {
    at_mm[k] = highest_quantile(noise, k + 1 < at_mm.size() ? levels : tile, probability[k]);
  });
  const double one_tile = at_mm[4];
  lift.scatter_mm = (at_mm[0] - at_mm[1]) / 2;
  lift.is_feature = highest_mm > at_mm[2];
  if (lift.is_feature) {
    lift.mm = (noise.window_mean_mm + one_tile) / 2;
    lift.form_mm = (one_tile - noise.window_mean_mm) / std::sqrt(8.0);
  } else {
    lift.mm = at_mm[3] - at.edge_mm;
    lift.form_mm = std::fabs(lift.mm - one_tile) / std::sqrt(12.0);
  }
  lift.scatter_mm = std::hypot(lift.scatter_mm, lift.mm / std::sqrt(2 * std::max(1.0, noise.freedom)));
  return lift;
}

}  // namespace datum
