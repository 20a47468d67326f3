#include "daemon/inspection/defects/paste_deposit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>
#include <vector>

#include "daemon/inspection/board/top_noise.h"
#include "daemon/inspection/defects/part_edges.h"
#include "daemon/inspection/registration/plane_motion.h"
#include "daemon/inspection/registration/search_pairs.h"
#include "daemon/inspection/verdict/quantisation.h"
#include "daemon/inspection/verdict/uncertainty.h"

namespace datum {
namespace {

constexpr int search_px = 10;          // for the next height beside a missing pixel
constexpr double outside_share = 0.1;  // least share of the aperture under paste
constexpr int rim_px_of_paste = 3;     // overshoot at walls ends there

struct Filled {
  double um = 0, low = 0, high = 0;
};

class Deposit {
 public:
  Deposit(const PartWindow& w, const PartScene& s)
      : w_(w), s_(s), paste_(*s.component.paste), um_(w.size()), state_(w.size(), State::other) {
    const double height_mm = s.component.nominal_height_um * 1e-3;
    const Eigen::Matrix2d axes = axes_of(s.component.body);
    for (int row = 0; row < w.rows(); ++row)
      for (int col = 0; col < w.cols(); ++col) {
        const std::size_t i = w.index(col, row);
        um_[i] = w.um(i);
        const Eigen::Vector2d at = w.board_mm({col, row}, height_mm);
        const Eigen::Vector2d own = axes.transpose() * (at - s.component.body.centre_mm);
        const Eigen::Vector2d share = own.cwiseQuotient(s.component.body.size_mm / 2);
        if (paste_.round ? share.norm() <= 1 : share.cwiseAbs().maxCoeff() <= 1) state_[i] = State::aperture;
      }
  }

  PasteSeen seen() {
    PasteSeen r;
    r.pixel_mm2 = w_.pixel_mm2();
    drop_spikes();
    double aperture = 0, missing = 0, raised = 0;
    for (std::size_t i = 0; i < w_.size(); ++i)
      if (state_[i] == State::aperture) {
        ++aperture;
        missing += std::isnan(um_[i]);
        raised += is_raised(i);
      }
    if (aperture < 4) return refused(r, "its aperture has fewer than four pixels; use a finer pixel");
    const double most = s_.recipe.body.max_missing_ratio;
    if (missing > most * aperture)
      return refused(r,
                     fmt::format("{} of the aperture's {} pixels have no height: a share of {:.3f}, at most "
                                 "body.max_missing_ratio = {:g} is allowed",
                                 missing, aperture, missing / aperture, most));
    flood(false);
    r.bridged = reached();
    if (!r.bridged.empty()) return refused(r, "its paste joins that of " + r.bridged);
    if (touches_border()) return refused(r, "paste reaches the outer border of its ring");
    const std::vector<char> sure = region_;
    flood(true);
    const std::string hidden = reached();
    if (!hidden.empty()) return refused(r, "pixels without a height may hide a bridge to " + hidden);
    region_ = sure;
    if (raised < outside_share * aperture && missing > 0.5 * (aperture - raised))
      return refused(r, "no paste is seen, and pixels are missing");
    sum_up(r);
    bound_spikes(r);
    r.u_edge_mm2 = edge_px(r) * r.pixel_mm2;
    const double level = std::max(s_.floor.u_um, 1e-3);
    r.u_level_mm2 = std::abs(area_over(-level) - area_over(level)) / 2 * r.pixel_mm2;
    return r;
  }

 private:
  enum class State : std::uint8_t { aperture, other };

  static PasteSeen refused(PasteSeen r, std::string why) {
    r.why = std::move(why);
    return r;
  }
  bool is_raised(std::size_t i) const { return um_[i] > paste_.threshold_um; }

  template <class F>
  void around(int col, int row, F&& f) const {
    for (int r = row - 1; r <= row + 1; ++r)
      for (int c = col - 1; c <= col + 1; ++c)
        if ((r != row || c != col) && w_.holds(c, r)) f(c, r);
  }

  void drop_spikes() {
    const double limit = 0.5 * s_.component.nominal_height_um;
    std::vector<std::size_t> spikes;
    for (int row = 0; row < w_.rows(); ++row)
      for (int col = 0; col < w_.cols(); ++col) {
        const std::size_t i = w_.index(col, row);
        if (std::isnan(um_[i])) continue;
        std::vector<double> near;
        around(col, row, [&](int c, int r) {
          if (const float um = um_[w_.index(c, r)]; std::isfinite(um)) near.push_back(um);
        });
        if (near.size() < 3) continue;
        std::nth_element(near.begin(), near.begin() + 2, near.end(), std::greater<>());
        if (um_[i] > near[2] + limit) spikes.push_back(i);
      }
    for (const std::size_t i : spikes) um_[i] = std::nanf("");
  }

  /// Raised pixels that connect with raised ones of the aperture; `hidden`: through missing pixels too.
  void flood(bool hidden) {
    region_.assign(w_.size(), 0);
    std::vector<std::pair<int, int>> open;
    for (int row = 0; row < w_.rows(); ++row)
      for (int col = 0; col < w_.cols(); ++col) {
        const std::size_t i = w_.index(col, row);
        if (state_[i] == State::aperture && is_raised(i)) {
          region_[i] = 1;
          open.emplace_back(col, row);
        }
      }
    while (!open.empty()) {
      const auto [col, row] = open.back();
      open.pop_back();
      around(col, row, [&](int c, int r) {
        const std::size_t i = w_.index(c, r);
        if (region_[i] || !(is_raised(i) || (hidden && std::isnan(um_[i])))) return;
        region_[i] = 1;
        open.emplace_back(c, r);
      });
    }
  }

  /// Another deposit in whose aperture the region lies.
  std::string reached() const {
    const double height_mm = s_.component.nominal_height_um * 1e-3;
    for (const Component& c : s_.recipe.components) {
      if (&c == &s_.component) continue;
      const double reach = (c.body.size_mm.norm() + s_.component.body.size_mm.norm()) / 2 +
                           2 * s_.recipe.floor.outer_margin_mm + w_.pixel_mm();
      if ((c.body.centre_mm - s_.component.body.centre_mm).norm() > 2 * reach) continue;
      const Eigen::Matrix2d axes = axes_of(c.body);
      for (int row = 0; row < w_.rows(); ++row)
        for (int col = 0; col < w_.cols(); ++col) {
          if (!region_[w_.index(col, row)] || std::isnan(um_[w_.index(col, row)])) continue;
          const Eigen::Vector2d own =
              axes.transpose() * (w_.board_mm({col, row}, height_mm) - c.body.centre_mm);
          if ((own.cwiseAbs().array() <= c.body.size_mm.array() / 2).all()) return c.reference;
        }
    }
    return "";
  }

  bool touches_border() const {
    for (int row = 0; row < w_.rows(); ++row)
      for (int col = 0; col < w_.cols(); ++col)
        if ((row == 0 || col == 0 || row + 1 == w_.rows() || col + 1 == w_.cols()) &&
            region_[w_.index(col, row)])
          return true;
    return false;
  }

  std::optional<Filled> filled(int col, int row) const {
    constexpr std::array<std::array<int, 2>, 4> ways{{{-1, 0}, {1, 0}, {0, -1}, {0, 1}}};
    double sum = 0, weights = 0;
    Filled f{0, 1e300, -1e300};
    for (const auto& way : ways)
      for (int k = 1; k <= search_px; ++k) {
        const int c = col + k * way[0], r = row + k * way[1];
        if (!w_.holds(c, r)) break;
        const float um = um_[w_.index(c, r)];
        if (std::isnan(um)) continue;
        sum += static_cast<double>(um) / k;
        weights += 1.0 / k;
        f.low = std::min<double>(f.low, um);
        f.high = std::max<double>(f.high, um);
        break;
      }
    if (weights == 0) return std::nullopt;
    f.um = sum / weights;
    return f;
  }

  double paste_um(double um) const { return um > paste_.threshold_um ? um - paste_.pad_um : 0; }

  bool is_beside(int col, int row) const {
    bool beside = state_[w_.index(col, row)] == State::aperture;
    around(col, row, [&](int c, int r) { beside = beside || region_[w_.index(c, r)]; });
    return beside;
  }

  void sum_up(PasteSeen& r) {
    double n = 0, sum = 0, area_bound = 0, volume_bound = 0;
    for (int row = 0; row < w_.rows(); ++row)
      for (int col = 0; col < w_.cols(); ++col) {
        const std::size_t i = w_.index(col, row);
        if (region_[i]) {
          n += 1;
          sum += paste_um(um_[i]);
        } else if (std::isnan(um_[i]) && is_beside(col, row)) {
          const auto f = filled(col, row);
          const double full = s_.component.nominal_height_um;
          const Filled known = f.value_or(Filled{full / 2, 0, full});
          const bool is_paste = known.um > paste_.threshold_um;
          n += is_paste;
          sum += paste_um(known.um);
          area_bound += (known.low > paste_.threshold_um) != (known.high > paste_.threshold_um);
          volume_bound +=
              std::max(paste_um(known.high) - paste_um(known.um), paste_um(known.um) - paste_um(known.low));
        }
      }
    r.pixels = n;
    r.area_mm2 = n * r.pixel_mm2;
    r.volume = sum * r.pixel_mm2;
    r.missing_mm2 = area_bound * r.pixel_mm2;
    r.missing_volume = volume_bound * r.pixel_mm2;
  }

  /// Pixels near the border that stand out of all inner ones overshoot; those that overshoot the floor by less are taken for as
  /// many.
  void bound_spikes(PasteSeen& r) const {
    std::vector<double> inner;
    std::vector<double> rim;
    double outside = 0;
    for (int row = 0; row < w_.rows(); ++row)
      for (int col = 0; col < w_.cols(); ++col) {
        const std::size_t i = w_.index(col, row);
        if (!region_[i] || std::isnan(um_[i])) continue;
        bool near = false;
        for (int k = -rim_px_of_paste; k <= rim_px_of_paste; ++k)
          for (int j = -rim_px_of_paste; j <= rim_px_of_paste; ++j)
            near = near || !w_.holds(col + j, row + k) || !region_[w_.index(col + j, row + k)];
        (near ? rim : inner).push_back(um_[i]);
        if (state_[i] != State::aperture) ++outside;
      }
    if (inner.size() < 9) return;
    std::sort(inner.begin(), inner.end());
    const double middle = inner[inner.size() / 2],
                 spread = std::max(inner[inner.size() * 9 / 10] - middle, middle - inner[inner.size() / 10]);
    const double highest = std::max(inner.back(), middle + 3 * spread);
    double over = 0, excess = 0;
    for (const double um : rim)
      if (um > highest) {
        ++over;
        excess += um - middle;
      }
    if (over <= 0.02 * static_cast<double>(rim.size())) return;
    r.spike_volume = 2 * excess * r.pixel_mm2;
    r.spike_mm2 = std::min(2 * over, outside) * r.pixel_mm2;
  }

  double area_over(double level_um) const {
    double n = 0;
    for (int row = 0; row < w_.rows(); ++row)
      for (int col = 0; col < w_.cols(); ++col)
        n += is_beside(col, row) && um_[w_.index(col, row)] > paste_.threshold_um + level_um;
    return n;
  }

  /// Standard uncertainty of the area in pixels.
  double edge_px(const PasteSeen& r) const {
    const Eigen::Vector2d px = s_.component.body.size_mm / w_.pixel_mm();
    const double scale =
        std::sqrt(r.pixels / std::max(1.0, px.prod() * (paste_.round ? std::numbers::pi / 4 : 1)));
    if (paste_.round) return std::sqrt(0.458 * scale * px.mean() / 2);
    const Eigen::Matrix2d axes = axes_of(s_.component.body);
    const Eigen::Vector2d across = w_.pixel_of(s_.component.body.centre_mm + axes.col(0), 0) -
                                   w_.pixel_of(s_.component.body.centre_mm, 0);
    const double slope = std::min(std::abs(across.x()), std::abs(across.y())) /
                         std::max({std::abs(across.x()), std::abs(across.y()), 1e-9});
    const double x = scale * px.x(), y = scale * px.y();
    const double of_x = rounding_of_mean_px(y * slope), of_y = rounding_of_mean_px(x * slope);
    return std::sqrt(2 * (y * of_x * y * of_x + x * of_y * x * of_y));
  }

  const PartWindow& w_;
  const PartScene& s_;
  const PasteRecipe& paste_;
  std::vector<float> um_;
  std::vector<State> state_;
  std::vector<char> region_;
};

}  // namespace

PasteSeen paste_of(const PartWindow& window, const PartScene& scene) { return Deposit(window, scene).seen(); }

CheckVerdict evaluate_paste(const Check& check, const Measured& m, const PasteSeen& s) {
  CheckVerdict v;
  v.check = check;
  const Characteristic what = check.characteristic;
  if (!s.why.empty() || (what == Characteristic::paste_height && s.pixels == 0)) {
    v.reason = Reason::paste;
    v.detail = s.why.empty() ? "no paste is higher than the threshold" : s.why;
    return v;
  }
  const PasteRecipe& paste = *m.component.paste;
  const double nominal_mm2 = m.component.body.size_mm.prod() * (paste.round ? std::numbers::pi / 4 : 1);
  const double height_um = s.pixels > 0 ? s.volume / s.area_mm2 : 0;
  const double u_mm2 = std::hypot(s.u_edge_mm2, s.u_level_mm2);
  if (what == Characteristic::paste_area) {
    const double share = 100 / nominal_mm2;
    v.value = s.area_mm2 * share;
    v.budget = {{"edge", s.u_edge_mm2 * share},
                {"floor", s.u_level_mm2 * share},
                {"scale", 2 * v.value * m.sensor.scale_uncertainty_ppm * 1e-6}};
    add_bounds(v.budget, {{"missing", s.missing_mm2 * share}, {"rim", s.spike_mm2 * share}},
               m.recipe.rule_confidence);
    v.u = combined(v.budget);
    return v;
  }
  const double frame = m.noise.pixels() > 0 ? std::sqrt(m.noise.pixel_um2()) : m.floor.noise_um;
  const double side = std::sqrt(std::max(1.0, s.pixels));
  const double noise_um = frame * std::sqrt(m.noise.correlation_over(side, side)) / side;
  const std::vector<UncertaintyTerm> of_height{
      {"top_noise", noise_um},
      {m.floor.from_warp ? "floor_warp_model" : "floor", m.floor.u_um},
      {"floor_correlation", unseen_floor_um(m)},
      {"floor_surface", m.component.surface_um.value_or(m.recipe.floor.surface_um) / std::sqrt(3.0)},
      {"linearity", std::sqrt(2.0) * m.sensor.linearity_um},
      {"reproducibility", m.recipe.uncertainty.reproducibility_um},
      {"quantisation", height_quantisation_um(false, m)}};
  const bool is_height = what == Characteristic::paste_height;
  // Of the volume, the height's terms act over the area, the area's over the height.
  const double per_um = is_height ? 1 : 100 * s.area_mm2 / (nominal_mm2 * m.component.nominal_height_um);
  const double per_volume = is_height ? 1 / s.area_mm2 : 100 / (nominal_mm2 * m.component.nominal_height_um);
  v.value = is_height ? height_um : s.volume * per_volume;
  for (const UncertaintyTerm& t : of_height) v.budget.push_back({t.name, t.u * per_um});
  if (!is_height) v.budget.push_back({"edge", u_mm2 * height_um * per_volume});
  v.budget.push_back({"scale", (is_height ? 1 : 3) * v.value * m.sensor.scale_uncertainty_ppm * 1e-6});
  add_bounds(v.budget, {{"missing", s.missing_volume * per_volume}, {"rim", s.spike_volume * per_volume}},
             m.recipe.rule_confidence);
  v.u = combined(v.budget);
  return v;
}

}  // namespace datum
