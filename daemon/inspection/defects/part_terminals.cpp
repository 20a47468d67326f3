#include "daemon/inspection/defects/part_terminals.h"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "calib/linear/linear_algebra.h"
#include "calib/linear/median.h"
#include "daemon/inspection/board/top_noise.h"
#include "daemon/inspection/registration/search_pairs.h"
#include "daemon/inspection/verdict/uncertainty.h"

namespace datum {
namespace {

constexpr double cap_share = 0.6, least_seen = 0.6, most_scatter = 3, outlier_sigmas = 4.5;
constexpr std::size_t least_pixels = 10;

struct TerminalPixel {
  Eigen::Vector2d mm;  // from the middle of its terminal, in the part's axes
  double um;
};

struct TerminalFit {
  double um = 0, c00 = 0, rms_um = 0, pixels = 0;
  double rise_um = 0;  // of a foot to its corners, beyond noise
  double cap_um = 0;
  std::string why;
};

/// Least squares with `unknowns` columns of (1, x, y, x^2 + y^2), twice, without outliers the second time.
struct ShapeFit {
  Eigen::Vector4d x = Eigen::Vector4d::Zero();
  double c00 = 0, c11 = 0, c22 = 0, rms = 0, n = 0;
  bool good = false;
};
ShapeFit shape_of(const std::vector<TerminalPixel>& pixels, int unknowns) {
  ShapeFit f;
  std::vector<char> in(pixels.size(), 1);
  for (int round = 0; round < 3; ++round) {
    Eigen::Matrix4d m = Eigen::Matrix4d::Identity();
    m.topLeftCorner(unknowns, unknowns).setZero();
    Eigen::Vector4d v = Eigen::Vector4d::Zero();
    f.n = 0;
    const auto row = [&](const TerminalPixel& p) {
      Eigen::Vector4d a(1, p.mm.x(), p.mm.y(), p.mm.squaredNorm());
      a.tail(4 - unknowns).setZero();
      return a;
    };
    for (std::size_t i = 0; i < pixels.size(); ++i) {
      if (!in[i]) continue;
      const Eigen::Vector4d a = row(pixels[i]);
      m += a * a.transpose();
      v += pixels[i].um * a;
      f.n += 1;
    }
    if (f.n < static_cast<double>(least_pixels)) return f;
    const PivotedInverse solved = invert_pivoted(m);
    if (!solved.invertible) return f;
    const Eigen::Matrix4d inverse = solved.inverse;
    f.x = inverse * v;
    f.c00 = inverse(0, 0);
    f.c11 = inverse(1, 1);
    f.c22 = inverse(2, 2);
    double squares = 0;
    std::vector<double> off;
    for (std::size_t i = 0; i < pixels.size(); ++i) {
      const double r = std::abs(pixels[i].um - row(pixels[i]).dot(f.x));
      off.push_back(r);
      if (in[i]) squares += r * r;
    }
    f.rms = std::sqrt(squares / std::max(1.0, f.n - unknowns));
    if (round == 2) break;
    const double most = outlier_sigmas * std::max(1.4826 * median_of(off), 1e-3);
    for (std::size_t i = 0; i < pixels.size(); ++i) in[i] = off[i] <= most;
  }
  f.good = f.x.allFinite();
  return f;
}

/// Pixels of a window about places of a part.
class TerminalFinder {
 public:
  TerminalFinder(const PartWindow& window, const Measured& m, const PartPlaceResult& place)
      : w_(window), m_(m), height_mm_(m.component.nominal_height_um * 1e-3) {
    middle_ = m.component.body.centre_mm;
    axes_ = axes_of(m.component.body);
    if (place.place) {
      middle_ += place.place->offset_mm;
      axes_ = place.place->axes;
    }
  }

  /// Of all pixels with a height within `reach` (a half size, or a radius) of a place; `all` counts those without too.
  std::vector<TerminalPixel> pixels(const Eigen::Vector2d& at_mm, const Eigen::Vector2d& reach_mm, bool round,
                                    std::size_t& all) const {
    const Eigen::Vector2d px = w_.pixel_of(middle_ + axes_ * at_mm, height_mm_);
    const int span = static_cast<int>(std::ceil(reach_mm.norm() / w_.pixel_mm() * 1.5)) + 1;
    std::vector<TerminalPixel> found;
    all = 0;
    const int col0 = static_cast<int>(std::floor(px.x())), row0 = static_cast<int>(std::floor(px.y()));
    for (int row = row0 - span; row <= row0 + span; ++row)
      for (int col = col0 - span; col <= col0 + span; ++col) {
        const Eigen::Vector2d mm = own_mm(col, row) - at_mm;
        if (round ? mm.norm() > reach_mm.x() : (mm.cwiseAbs().array() > reach_mm.array()).any()) continue;
        ++all;
        if (!w_.holds(col, row)) continue;
        const float um = w_.um(w_.index(col, row));
        if (std::isfinite(um)) found.push_back({mm, um});
      }
    return found;
  }

  Eigen::Vector2d own_mm(int col, int row) const {
    return axes_.transpose() * (w_.board_mm({col, row}, height_mm_) - middle_);
  }

  TerminalFit ball(const Eigen::Vector2d& at_mm, double radius_mm) const {
    TerminalFit t;
    Eigen::Vector2d summit = at_mm;
    if (!highest_near(at_mm, radius_mm, summit)) {
      t.why = "no height near it";
      return t;
    }
    const double cap_mm = cap_share * radius_mm;
    ShapeFit f;
    std::size_t all = 0;
    for (int round = 0; round < 4; ++round) {
      const auto cap = pixels(summit, {cap_mm, cap_mm}, true, all);
      if (static_cast<double>(cap.size()) < least_seen * static_cast<double>(all) ||
          cap.size() < least_pixels) {
        t.why = fmt::format("{} of its {} pixels have a height", cap.size(), all);
        return t;
      }
      f = shape_of(cap, 4);
      const double seen_radius = -0.5e3 / f.x[3];  // um of height over mm
      if (!f.good || !(f.x[3] < 0) || seen_radius < 0.6 * radius_mm || seen_radius > 1.7 * radius_mm) {
        t.why = "what lies there has not the form of a ball of its size";
        return t;
      }
      if (round == 3) break;
      Eigen::Vector2d step = -f.x.segment<2>(1) / (2 * f.x[3]);
      if (step.norm() > radius_mm / 2) step *= radius_mm / 2 / step.norm();
      summit += step;
      if ((summit - at_mm).norm() > radius_mm) {
        t.why = "no ball within its radius";
        return t;
      }
    }
    const double r4 = std::pow(cap_mm, 4), seen_radius = -0.5e3 / f.x[3];
    t.cap_um = 1e3 * r4 / (48 * std::pow(seen_radius, 3));
    t.um = f.x[0] - f.x.segment<2>(1).squaredNorm() / (4 * f.x[3]) - t.cap_um;
    t.c00 = f.c00;
    t.rms_um = f.rms;
    t.pixels = f.n;
    return t;
  }

  TerminalFit foot(const Eigen::Vector2d& at_mm, const Eigen::Vector2d& size_mm) const {
    TerminalFit t;
    const Eigen::Vector2d half = (size_mm / 2).array() - w_.pixel_mm() / 2;
    std::size_t all = 0;
    const auto found = half.minCoeff() > 0 ? pixels(at_mm, half, false, all) : std::vector<TerminalPixel>{};
    if (found.size() < least_pixels ||
        static_cast<double>(found.size()) < least_seen * static_cast<double>(all)) {
      t.why = fmt::format("{} of its {} pixels have a height, at least {} and {:.0f} % are needed",
                          found.size(), all, least_pixels, 100 * least_seen);
      return t;
    }
    const ShapeFit f = shape_of(found, 3);
    if (!f.good || f.n < 0.8 * static_cast<double>(found.size())) {
      t.why = "its pixels do not lie in a plane";
      return t;
    }
    t.um = f.x[0];
    t.c00 = f.c00;
    t.rms_um = f.rms;
    t.pixels = f.n;
    const double rise = std::abs(f.x[1]) * half.x() + std::abs(f.x[2]) * half.y(),
                 by_noise = f.rms * (std::sqrt(f.c11) * half.x() + std::sqrt(f.c22) * half.y());
    t.rise_um = std::max(0.0, rise - 2 * by_noise);
    return t;
  }

 private:
  bool highest_near(const Eigen::Vector2d& at_mm, double radius_mm, Eigen::Vector2d& summit) const {
    const Eigen::Vector2d px = w_.pixel_of(middle_ + axes_ * at_mm, height_mm_);
    const int span = static_cast<int>(std::ceil(radius_mm / w_.pixel_mm())) + 1;
    double best = -1e300;
    for (int row = static_cast<int>(px.y()) - span; row <= static_cast<int>(px.y()) + span; ++row)
      for (int col = static_cast<int>(px.x()) - span; col <= static_cast<int>(px.x()) + span; ++col) {
        if ((own_mm(col, row) - at_mm).norm() > radius_mm) continue;
        std::vector<double> near;
        for (int r = row - 1; r <= row + 1; ++r)
          for (int c = col - 1; c <= col + 1; ++c)
            if (w_.holds(c, r) && std::isfinite(w_.um(w_.index(c, r)))) near.push_back(w_.um(w_.index(c, r)));
        if (near.size() < 5) continue;
        if (const double um = median_of(near); um > best) {
          best = um;
          summit = own_mm(col, row);
        }
      }
    return best > -1e300;
  }

  const PartWindow& w_;
  const Measured& m_;
  const double height_mm_;
  Eigen::Vector2d middle_;
  Eigen::Matrix2d axes_;
};

/// Plane of the body's pixels beside its terminals; outliers from it are left out.
void see_underside(const PartWindow& w, const TerminalFinder& finder, const Measured& m,
                   const std::vector<TerminalPlace>& places, TerminalsSeen& seen) {
  const Eigen::Vector2d half =
      (m.component.body.size_mm / 2).array() - (m.recipe.body.erode_px + 1) * w.pixel_mm();
  std::vector<TerminalPixel> beside;
  for (int row = 0; row < w.rows(); ++row)
    for (int col = 0; col < w.cols(); ++col) {
      const float um = w.um(w.index(col, row));
      if (!std::isfinite(um)) continue;
      const Eigen::Vector2d mm = finder.own_mm(col, row);
      if ((mm.cwiseAbs().array() > half.array()).any()) continue;
      const bool on_terminal = std::any_of(places.begin(), places.end(), [&](const TerminalPlace& t) {
        return ((mm - t.at_mm).cwiseAbs().array() <= (t.group->size_mm * 0.75).array() + 2 * w.pixel_mm())
            .all();
      });
      if (!on_terminal) beside.push_back({mm, um});
    }
  if (beside.size() < 4 * least_pixels) return;
  const ShapeFit f = shape_of(beside, 3);
  if (!f.good) return;
  const double rows = m.component.body.size_mm.y() / w.pixel_mm(),
               cols = m.component.body.size_mm.x() / w.pixel_mm();
  const double independent = std::max(1.0, f.n / m.noise.correlation_over(rows, cols));
  seen.underside = ApexPlane{f.x[1], f.x[2], f.x[0], {}};
  seen.u_underside_um = std::max(f.rms, seen.sigma_um) * std::sqrt(f.c00 * f.n / independent);
}

CheckVerdict refused(const Check& check, std::string detail) {
  CheckVerdict v;
  v.check = check;
  v.reason = Reason::terminals;
  v.detail = std::move(detail);
  return v;
}

/// Heights within a hundredth of the measuring range share their deviation.
double linearity_um(double apart_um, const Measured& m) {
  const double alike_um = (m.sensor.z_max_mm - m.sensor.z_min_mm) * 10;
  return std::sqrt(2.0) * m.sensor.linearity_um * std::min(1.0, std::abs(apart_um) / alike_um);
}

}  // namespace

TerminalsSeen terminals_of(const PartWindow& w, const Measured& m, const PartPlaceResult& place) {
  TerminalsSeen seen;
  const TerminalFinder finder(w, m, place);
  const std::vector<TerminalPlace> places = places_of(*m.component.terminals);
  std::vector<TerminalFit> fits;
  std::vector<double> scatters;
  for (const TerminalPlace& t : places) {
    fits.push_back(t.group->shape == TerminalShape::ball ? finder.ball(t.at_mm, t.group->size_mm.x() / 2)
                                                         : finder.foot(t.at_mm, t.group->size_mm));
    if (!fits.back().why.empty()) {
      seen.why = fmt::format("terminal {} of {} at [{:.3f}, {:.3f}] mm of the part: {}", fits.size(),
                             places.size(), t.at_mm.x(), t.at_mm.y(), fits.back().why);
      return seen;
    }
    scatters.push_back(fits.back().rms_um);
  }
  const double usual = median_of(scatters);
  double squares = 0;
  for (const double s : scatters) squares += s * s / static_cast<double>(scatters.size());
  const double frame = m.noise.pixels() > 0 ? std::sqrt(m.noise.pixel_um2()) : m.floor.noise_um;
  seen.sigma_um = std::max(frame, std::sqrt(squares));
  for (std::size_t i = 0; i < fits.size(); ++i) {
    const TerminalFit& f = fits[i];
    if (f.rms_um > most_scatter * std::max(usual, frame)) {
      seen.why = fmt::format(
          "terminal {} of {} at [{:.3f}, {:.3f}] mm of the part: its pixels scatter by {:.1f} um, the "
          "others' "
          "by {:.1f}",
          i + 1, places.size(), places[i].at_mm.x(), places[i].at_mm.y(), f.rms_um, usual);
      return seen;
    }
    const double side = std::sqrt(f.pixels), correlation = m.noise.correlation_over(side, side);
    const double own = seen.sigma_um * std::sqrt(f.c00 * correlation), rise = f.rise_um / std::sqrt(3.0);
    seen.apexes.push_back({places[i].at_mm, f.um, std::sqrt(own * own + rise * rise)});
    seen.cap_um = std::max(seen.cap_um, f.cap_um);
  }
  if (m.component.terminals->up) see_underside(w, finder, m, places, seen);
  return seen;
}

CheckVerdict evaluate_terminals(const Check& check, const Measured& m, const TerminalsSeen& seen) {
  if (!seen.why.empty()) return refused(check, seen.why);
  const Characteristic what = check.characteristic;
  const bool standoff = what == Characteristic::standoff, range = what == Characteristic::terminal_range;
  if (standoff && !seen.underside)
    return refused(check, "too little of the body's underside is seen beside its terminals");
  ApexStatement statement = seating_coplanarity;
  if (what == Characteristic::coplanarity_regression) statement = regression_coplanarity;
  if (range) statement = apex_range;
  if (standoff)
    statement = [&](const std::vector<Apex>& apexes) -> std::optional<double> {
      const auto plane = seating_plane(apexes);
      if (!plane) return std::nullopt;
      return plane->c - seen.underside->c;
    };
  const auto found = without_lift(seen.apexes, statement);
  if (!found)
    return refused(check, "its terminals do not surround the body's middle, so that no plane bears it");
  CheckVerdict v;
  v.check = check;
  v.value = standoff ? found->value : std::max(0.0, found->value);
  double reach_mm = 0;
  for (const Apex& a : seen.apexes) reach_mm = std::max(reach_mm, a.at_mm.norm());
  const double lsb = lsb_um(m.frame);
  v.budget = {{"terminals", found->u},
              {"lift", found->u_bias},
              {"scale", std::abs(v.value) * m.sensor.scale_uncertainty_ppm * 1e-6},
              {"linearity", linearity_um(v.value, m)},
              {"reproducibility", m.recipe.uncertainty.reproducibility_um},
              {"quantisation", lsb / std::sqrt(12.0) / std::sqrt(static_cast<double>(least_pixels))}};
  if (range) v.budget.push_back({"floor", 2 * reach_mm * 1e3 * floor_slope(m)});
  if (standoff) {
    v.budget.push_back({"underside", seen.u_underside_um});
    v.budget.push_back({"cap", seen.cap_um / 2});
  }
  v.u = combined(v.budget);
  return v;
}

CheckVerdict standoff_by_thickness(const Check& check, const Measured& m, const TopNoise& top) {
  Check median = check;
  median.characteristic = Characteristic::median;
  CheckVerdict v = evaluate(median, m, top);
  v.check = check;
  if (v.reason != Reason::none) return v;
  const TerminalRecipe& t = *m.component.terminals;
  v.value -= *t.body_thickness_um;
  v.budget.push_back({"body_thickness", *t.body_thickness_tolerance_um / std::sqrt(3.0)});
  v.u = combined(v.budget);
  return v;
}

}  // namespace datum
