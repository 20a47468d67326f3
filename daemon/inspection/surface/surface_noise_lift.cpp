#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "daemon/inspection/surface/in_runs.h"
#include "daemon/inspection/surface/surface_noise.h"
#include "daemon/inspection/surface/surface_window_tail.h"
#include "gpu/core/vector_loop.h"

namespace datum {
namespace {

constexpr std::size_t of_cell = FormLevels::of_cell;

/// Levels within a quarter of a window's scatter, as one.
struct LevelBin {
  double mm = 0, share = 0;
};

/// Where windows lie on one side of a form.
class WindowLevels {
 public:
  static constexpr std::size_t run = 256;  // cells

  WindowLevels(const RegionNoise& noise, const FormLevels& form, double sign, double highest_mm)
      : highest_mm(highest_mm),
        edge_mm((sign < 0 ? form.lowest : form.highest).edge_mm),
        form_(form),
        sign_(sign),
        noise_mm_(std::fabs(noise.window_mean_mm)),
        top_mm_((sign < 0 ? form.lowest : form.highest).top_mm),
        width_mm_(noise.window_sigma_mm / 4),
        bin_of_(form.mm.size()) {}

  /// Of cells from .. to: the bin of each level, `count` for those too low to matter.
  void find_bins(std::size_t from, std::size_t to) {
    vector_loop(best_isa(), [&]() DATUM_VECTOR_LOOP {
      for (std::size_t cell = from; cell < to; ++cell) {
        const OfCell at = levels_of(cell);
        std::array<std::int32_t, of_cell> bin;
        for (std::size_t i = 0; i < of_cell; ++i) {
          const double k = (top_mm_ - at[i]) / width_mm_;
          bin[i] = static_cast<std::int32_t>(k < count ? k : count);
        }
        for (std::size_t i = 0; i < of_cell; ++i)
          bin_of_[of_cell * cell + i] = static_cast<std::uint8_t>(bin[i]);
      }
    });
  }
  /// When all are found: their levels, in the order of the levels in them.
  void sum_up() {
    vector_loop(best_isa(), [&]() DATUM_VECTOR_LOOP {
      std::array<LevelBin, count + 1> bins{};  // the last: those left out
      for (std::size_t cell = 0; cell < form_.share.size(); ++cell) {
        OfCell weighted = levels_of(cell);
        const double share = form_.share[cell];
        for (std::size_t i = 0; i < of_cell; ++i) weighted[i] *= share;
        std::array<std::uint8_t, of_cell> bin;
        std::memcpy(bin.data(), bin_of_.data() + of_cell * cell, sizeof bin);
        for (std::size_t i = 0; i < of_cell;) {
          LevelBin sum = bins[bin[i]];
          const std::uint8_t one = bin[i];  // neighbours are often in one
          do {
            sum.mm += weighted[i];
            sum.share += share;
          } while (++i < of_cell && bin[i] == one);
          bins[one] = sum;
        }
      }
      for (std::size_t k = 0; k < count; ++k)
        if (bins[k].share > 0) levels.push_back({bins[k].mm / bins[k].share, bins[k].share});
    });
  }

  double highest_mm, edge_mm;
  std::vector<LevelBin> levels;  // of sum_up()
  std::array<double, 4> at_mm{};

 private:
  static constexpr int count = 48;
  using OfCell = std::array<double, of_cell>;

  __attribute__((always_inline)) OfCell levels_of(std::size_t cell) const {
    OfCell at, fall;
    std::memcpy(at.data(), form_.mm.data() + of_cell * cell, sizeof at);
    std::memcpy(fall.data(), form_.fall_mm.data() + of_cell * cell, sizeof fall);
    for (std::size_t i = 0; i < of_cell; ++i) at[i] = sign_ * at[i] - fall[i] + noise_mm_;
    return at;
  }

  const FormLevels& form_;
  double sign_, noise_mm_, top_mm_, width_mm_;
  UnsetList<std::uint8_t> bin_of_;
};

/// How high the highest of all windows on some levels is.
class HighestWindow {
 public:
  HighestWindow(const RegionNoise& noise, const LowestOf& window, const std::vector<LevelBin>& levels)
      : noise_(noise), window_(window), levels_(levels) {}

  /// Where it stays below with this probability: halved 36 times from 18 of a window's sigmas.
  double quantile(double probability) const {
    const double sigma = noise_.window_sigma_mm, wanted = std::log(probability);
    double low = levels_.front().mm + noise_.window_mean_mm - 9 * sigma;
    double high = levels_.front().mm + noise_.window_mean_mm + 9 * sigma;
    const Known known = known_about(low, high, wanted);
    for (int i = 0; i < 36; ++i) {
      const double x = (low + high) / 2;
      const bool is_low = x <= known.low || (x < known.high && log_share_below(x) < wanted);
      (is_low ? low : high) = x;
    }
    return (low + high) / 2;
  }

 private:
  /// Of all x up to `low` the probability is too low, of those from `high` on it is not.
  struct Known {
    double low = -HUGE_VAL, high = HUGE_VAL;
  };

  double log_share_below(double x) const {
    double log_share = 0;
    for (const LevelBin& l : levels_) {
      const double z = (x - l.mm - noise_.window_mean_mm) / noise_.window_sigma_mm;
      log_share += noise_.windows_per_tile * l.share * window_.log_share_below(z);
    }
    return log_share;
  }

  /// It grows with x, and the logarithm of its negative is nearly straight: secants find the place in few steps.
  Known known_about(double low, double high, double wanted) const {
    constexpr int halvings = 5, secants = 8;
    // far above what rounding does to log_share_below()
    constexpr double reach = 3e-10, margin = 1e-10;
    struct Place {
      double x, off;
    };
    const auto look = [&](double x) { return Place{x, std::log(log_share_below(x) / wanted)}; };
    const double sigma = noise_.window_sigma_mm;
    Place a{low, HUGE_VAL}, b{high, -HUGE_VAL};
    for (int i = 0; i < halvings; ++i) {
      const Place p = look((a.x + b.x) / 2);
      (p.off > 0 ? a : b) = p;
    }
    if (std::fabs(a.off) < std::fabs(b.off)) std::swap(a, b);  // b is the nearer one
    double step = HUGE_VAL;
    for (int i = 0; i < secants && !(std::fabs(step) < 1e-7 * sigma); ++i) {
      step = -b.off * (b.x - a.x) / (b.off - a.off);
      if (!(b.x + step > low && b.x + step < high)) return {};
      a = b;
      b = look(b.x + step);
    }
    const double x = b.x - b.off * (b.x - a.x) / (b.off - a.off);
    const Place below = look(x - reach * sigma), above = look(x + reach * sigma);
    return {below.off > margin ? below.x : -HUGE_VAL, above.off < -margin ? above.x : HUGE_VAL};
  }

  const RegionNoise& noise_;
  const LowestOf& window_;
  const std::vector<LevelBin>& levels_;
};

constexpr std::array<double, 4> probabilities{0.8413, 0.1587, 0.999, 0.5};

/// `one_tile`: where the highest window of a tile has its median.
NoiseLift lift_of(const RegionNoise& noise, const WindowLevels& at, double one_tile) {
  NoiseLift lift;
  lift.scatter_mm = (at.at_mm[0] - at.at_mm[1]) / 2;
  lift.is_feature = at.highest_mm > at.at_mm[2];
  if (lift.is_feature) {
    lift.mm = (noise.window_mean_mm + one_tile) / 2;
    lift.form_mm = (one_tile - noise.window_mean_mm) / std::sqrt(8.0);
  } else {
    lift.mm = at.at_mm[3] - at.edge_mm;
    lift.form_mm = std::fabs(lift.mm - one_tile) / std::sqrt(12.0);
  }
  lift.scatter_mm = std::hypot(lift.scatter_mm, lift.mm / std::sqrt(2 * std::max(1.0, noise.freedom)));
  return lift;
}

/// In three loops of many threads, all sides in each.
std::vector<NoiseLift> lifts_of(const RegionNoise& noise, std::vector<WindowLevels>& sides, std::size_t cells,
                                unsigned threads) {
  const std::size_t runs = runs_of(cells, WindowLevels::run);
  parallel_for(threads, sides.size() * runs, [&](std::size_t i, unsigned) {
    const std::size_t from = i % runs * WindowLevels::run;
    sides[i / runs].find_bins(from, std::min(cells, from + WindowLevels::run));
  });
  std::optional<LowestOf> window;
  double one_tile = 0;
  parallel_for(threads, sides.size() + 1, [&](std::size_t i, unsigned) {
    if (i < sides.size()) return sides[i].sum_up();
    window.emplace(noise.window_parts);
    one_tile = HighestWindow(noise, *window, {{0, 1}}).quantile(0.5);
  });
  parallel_for(threads, sides.size() * probabilities.size(), [&](std::size_t i, unsigned) {
    WindowLevels& side = sides[i / probabilities.size()];
    const std::size_t k = i % probabilities.size();
    side.at_mm[k] = HighestWindow(noise, *window, side.levels).quantile(probabilities[k]);
  });
  std::vector<NoiseLift> lifts;
  for (const WindowLevels& side : sides) lifts.push_back(lift_of(noise, side, one_tile));
  return lifts;
}

}  // namespace

RegionLifts noise_lifts(const RegionNoise& noise, const FormLevels& form, std::optional<double> lowest_mm,
                        std::optional<double> highest_mm, unsigned threads) {
  RegionLifts lifts;
  if (noise.tiles == 0 || form.empty() || !(noise.window_sigma_mm > 0)) {
    if (lowest_mm) lifts.lowest.emplace();
    if (highest_mm) lifts.highest.emplace();
    return lifts;
  }
  std::vector<WindowLevels> sides;
  if (lowest_mm) sides.emplace_back(noise, form, -1, *lowest_mm);
  if (highest_mm) sides.emplace_back(noise, form, 1, *highest_mm);
  const std::vector<NoiseLift> found = lifts_of(noise, sides, form.share.size(), threads);
  if (lowest_mm) lifts.lowest = found.front();
  if (highest_mm) lifts.highest = found.back();
  return lifts;
}

NoiseLift noise_lift(const RegionNoise& noise, const FormLevels& form, double sign, double highest_mm,
                     unsigned threads) {
  return sign < 0 ? *noise_lifts(noise, form, highest_mm, std::nullopt, threads).lowest
                  : *noise_lifts(noise, form, std::nullopt, highest_mm, threads).highest;
}

}  // namespace datum
