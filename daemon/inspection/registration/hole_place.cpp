#include "daemon/inspection/registration/hole_place.h"

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <vector>

#include "calib/linear/median.h"

namespace datum {
namespace {

constexpr double least_hole_px = 10, rim_apart_px = 1.5, rim_sample_px = 0.5, rim_near_px = 3,
                 rim_least_px = 0.25;
constexpr double rim_tukey = 4.685, least_rim_share = 0.6;
constexpr double most_rim_growth = 0.1, rim_growth_px = 0.5;        // of the radius, and beside it
constexpr double most_rim_px = 0.6, most_rim_residual = 0.03;       // and of the radius
constexpr double least_open_share = 0.8, least_board_share = 0.55;  // of the pixels inside, and around
constexpr double hole_clear_share = 0.35, hole_clear_px = 4;  // of the radius: what is looked at around it
constexpr double least_score = 0.35, rival_score = 0.8;
constexpr int rim_rounds = 6, hole_directions = 16, most_rim_points = 240;

/// The n unit vectors of a circle_ways, by quarters so that each is exact to rounding.
std::vector<Eigen::Vector2d> circle_ways(int n) {
  std::vector<Eigen::Vector2d> all;
  for (int i = 0; i < n; ++i) all.push_back(rotation_by_deg(360.0 * i / n).col(0));
  return all;
}

struct PlacedHole {
  const SurfaceScene& scene;
  double radius_mm, clear_mm, pixel_mm;
  Eigen::Vector2d place_mm;  // where the motion puts it
  BareLevel level;

  Eigen::Vector2d px(const Eigen::Vector2d& board_mm) const {
    return scene.view.pixel_of(board_mm, level.mm);
  }
  Shows shows(const Eigen::Vector2d& board_mm) const { return shown_at(scene, px(board_mm), level); }
};

/// Of a wide ring around the place: the hole itself has no heights or deep ones, which are few.
std::optional<BareLevel> level_around(const SurfaceScene& scene, const Eigen::Vector2d& place_mm,
                                      double inner_mm, double outer_mm) {
  std::vector<double> heights;
  std::size_t asked = 0;
  for (const double share : {0.0, 0.25, 0.5, 0.75, 1.0})
    for (const Eigen::Vector2d& way : circle_ways(2 * hole_directions)) {
      ++asked;
      const Eigen::Vector2d at = place_mm + (inner_mm + share * (outer_mm - inner_mm)) * way;
      if (const auto mm = height_at(scene, scene.view.pixel_of(at, 0))) heights.push_back(*mm);
    }
  return bare_level(std::move(heights), asked);
}

/// How well a hole at this place agrees with what is seen: 1 where all samples inside are open and all around are board.
double hole_score_at(const PlacedHole& h, const Eigen::Vector2d& centre_mm,
                     const std::vector<Eigen::Vector2d>& ways) {
  int open = h.shows(centre_mm) == Shows::open, board = 0, in = 1, around = 0;
  for (const Eigen::Vector2d& way : ways) {
    for (const double share : {0.4, 0.8}) {
      ++in;
      open += h.shows(centre_mm + share * h.radius_mm * way) == Shows::open;
    }
    for (const double share : {0.4, 0.9}) {
      ++around;
      board += h.shows(centre_mm + (h.radius_mm + share * h.clear_mm) * way) == Shows::board;
    }
  }
  return double(open) / in + double(board) / around - 1;
}

struct HoleStart {
  Eigen::Vector2d off_mm;
  double score;
};

/// The best place within reach, and the best one at least a radius from it.
std::vector<HoleStart> hole_starts(const PlacedHole& h, double reach_mm) {
  const double step = std::max(h.pixel_mm, h.radius_mm / 6);
  const int n = std::min(40, static_cast<int>(std::ceil(reach_mm / step)));
  const std::vector<Eigen::Vector2d> ways = circle_ways(hole_directions);
  std::vector<HoleStart> all;
  for (int y = -n; y <= n; ++y)
    for (int x = -n; x <= n; ++x) {
      const Eigen::Vector2d off(x * step, y * step);
      all.push_back({off, hole_score_at(h, h.place_mm + off, ways)});
    }
  std::stable_sort(all.begin(), all.end(), [](const HoleStart& a, const HoleStart& b) {
    return a.score > b.score || (a.score == b.score && a.off_mm.squaredNorm() < b.off_mm.squaredNorm());
  });
  std::vector<HoleStart> best{all.front()};
  for (const HoleStart& s : all)
    if ((s.off_mm - best[0].off_mm).norm() >= h.radius_mm && s.score >= rival_score * best[0].score) {
      best.push_back(s);
      break;
    }
  return best;
}

struct Rim {
  std::vector<Eigen::Vector3d> a;  // shift x, y, growth
  std::vector<double> off;
};

Rim rim_of(const PlacedHole& h, const Eigen::Vector2d& centre_mm, double radius_mm,
           const std::vector<Eigen::Vector2d>& ways, double reach_mm) {
  Rim rim;
  const double in = std::min(reach_mm, 0.9 * radius_mm), out = reach_mm;
  const int n = static_cast<int>(std::ceil((in + out) / (rim_sample_px * h.pixel_mm))) + 1;
  const double step = (in + out) / (n - 1);
  std::vector<Shows> samples(static_cast<std::size_t>(n));
  for (const Eigen::Vector2d& way : ways) {
    for (int i = 0; i < n; ++i)
      samples[static_cast<std::size_t>(i)] = h.shows(centre_mm + (radius_mm - in + i * step) * way);
    const auto at = parting_place(samples, Shows::open, Shows::board, -in, step);
    if (!at) continue;
    rim.a.emplace_back(way.x(), way.y(), 1);
    rim.off.push_back(*at);
  }
  return rim;
}

struct RimFit {
  Eigen::Vector3d x = Eigen::Vector3d::Zero();
  Eigen::Matrix3d inverse = Eigen::Matrix3d::Zero();
  double scale = 0;
  std::size_t used = 0;
  bool solved = false;
};

RimFit solve_rim(const Rim& rim, double start_mm, double least_mm) {
  RimFit f;
  f.scale = start_mm;
  if (rim.off.size() < 6) return f;
  std::vector<double> size(rim.off.size());
  for (int round = 0; round < 12; ++round) {
    Eigen::Matrix3d m = Eigen::Matrix3d::Zero();
    Eigen::Vector3d v = Eigen::Vector3d::Zero();
    f.used = 0;
    for (std::size_t i = 0; i < rim.off.size(); ++i) {
      const double u = (rim.off[i] - rim.a[i].dot(f.x)) / (rim_tukey * f.scale);
      if (std::abs(u) >= 1) continue;
      const double w = (1 - u * u) * (1 - u * u);
      m += (w * rim.a[i]) * rim.a[i].transpose();
      v += (w * rim.off[i]) * rim.a[i];
      ++f.used;
    }
    bool regular = false;
    m.computeInverseWithCheck(f.inverse, regular, 1e-6);
    if (!regular) return f;
    f.x = f.inverse * v;
    for (std::size_t i = 0; i < size.size(); ++i) size[i] = std::abs(rim.off[i] - rim.a[i].dot(f.x));
    const double n = double(size.size());
    f.scale = std::max(least_mm, 1.4826 * median_of(size) * std::sqrt(n / (n - 3)));
  }
  f.solved = f.x.allFinite();
  return f;
}

/// Shares of all pixels inside the rim and in the clear zone, a pixel and a half from the edge.
struct InAndAround {
  double open = 0, closed = 0, raised = 0, board = 0;
  bool whole = true;
};

InAndAround shares_of(const PlacedHole& h, const Eigen::Vector2d& centre_mm, double radius_mm) {
  InAndAround s;
  int in = 0, around = 0, open = 0, closed = 0, raised = 0, board = 0;
  const double step = h.pixel_mm, reach = radius_mm + h.clear_mm, beside = 1.5 * h.pixel_mm;
  const int n = static_cast<int>(std::ceil(reach / step));
  for (int y = -n; y <= n; ++y)
    for (int x = -n; x <= n; ++x) {
      const Eigen::Vector2d off(x * step, y * step);
      const double d = off.norm();
      if (d > reach || (d > radius_mm - beside && d < radius_mm + beside)) continue;
      const Shows shows = h.shows(centre_mm + off);
      s.whole = s.whole && shows != Shows::outside;
      if (d < radius_mm) {
        ++in, open += shows == Shows::open, closed += shows == Shows::board, raised += shows == Shows::raised;
      } else {
        ++around, board += shows == Shows::board;
      }
    }
  s.open = double(open) / std::max(1, in);
  s.closed = double(closed) / std::max(1, in);
  s.raised = double(raised) / std::max(1, in);
  s.board = double(board) / std::max(1, around);
  return s;
}

HoleFinding no_hole(std::string why) { return {std::nullopt, std::move(why)}; }

/// Why nothing like the hole is at a place.
std::string closed_text(const InAndAround& s) {
  if (s.raised >= 0.3)
    return fmt::format("{:.0f} % of it are above the board: solder, a pin, a screw or a part stands in it",
                       100 * s.raised);
  if (s.closed >= 0.3)
    return fmt::format("{:.0f} % of it lie at the board's level: it is filled, covered, or not drilled",
                       100 * s.closed);
  return "";
}

HoleFinding judged_hole(const PlacedHole& h, const RimFit& f, std::size_t points, std::size_t seen,
                        const Eigen::Vector2d& off_mm) {
  const double growth = f.x[2], radius = h.radius_mm;
  if (double(f.used) < least_rim_share * double(points))
    return no_hole(fmt::format("{:.0f} % of its rim are seen, {:.0f} % are demanded",
                               100 * double(f.used) / double(points), 100 * least_rim_share));
  if (std::abs(growth) > most_rim_growth * radius + rim_growth_px * h.pixel_mm)
    return no_hole(fmt::format("another size: its diameter is {:.3f} mm, {:.3f} are stated",
                               2 * (radius + growth), 2 * radius));
  const double most = most_rim_px * h.pixel_mm + most_rim_residual * radius;
  if (f.scale > most)
    return no_hole(fmt::format("another form: its rim deviates by {:.1f} um, at most {:.1f} are allowed",
                               1e3 * f.scale, 1e3 * most));
  const InAndAround shares = shares_of(h, h.place_mm + off_mm, radius + growth);
  if (!shares.whole) return no_hole("it is not whole in the frame");
  if (shares.open < least_open_share || shares.board < least_board_share) {
    const std::string text = closed_text(shares);
    return no_hole(
        text.empty()
            ? fmt::format("{:.0f} % of it are open and {:.0f} % around it are board, {:.0f} and {:.0f} % "
                          "are demanded",
                          100 * shares.open, 100 * shares.board, 100 * least_open_share,
                          100 * least_board_share)
            : text);
  }
  HoleFit fit;
  fit.off_mm = off_mm;
  fit.growth_mm = growth;
  fit.residual_mm = f.scale;
  fit.points = points;
  fit.used = f.used;
  const double n = double(seen), one_sided = std::max(0.0, std::abs(growth) - rim_least_px * h.pixel_mm);
  fit.covariance = f.inverse.topLeftCorner<2, 2>() * (f.scale * f.scale * n / (n - 3)) +
                   one_sided * one_sided / 3 * Eigen::Matrix2d::Identity();
  return {fit, ""};
}

HoleFinding fit_from(const PlacedHole& h, const Eigen::Vector2d& start_mm) {
  Eigen::Vector2d off = start_mm;
  double growth = 0;
  RimFit f;
  std::size_t seen = 0;
  const int n = std::clamp(static_cast<int>(6.283185307179586 * h.radius_mm / (rim_apart_px * h.pixel_mm)),
                           12, most_rim_points);
  const std::vector<Eigen::Vector2d> ways = circle_ways(n);
  for (int round = 0; round < rim_rounds; ++round) {
    const double reach =
        round < 2 ? std::max(rim_near_px * h.pixel_mm, 0.5 * h.radius_mm) : rim_near_px * h.pixel_mm;
    const Rim rim = rim_of(h, h.place_mm + off, h.radius_mm + growth, ways, reach);
    seen = rim.off.size();
    if (double(seen) < least_rim_share * n) {
      const std::string text = closed_text(shares_of(h, h.place_mm + off, h.radius_mm));
      return no_hole(text.empty() ? fmt::format("{:.0f} % of its rim are seen, {:.0f} % are demanded",
                                                100.0 * double(seen) / n, 100 * least_rim_share)
                                  : text);
    }
    f = solve_rim(rim, reach / 2, rim_least_px * h.pixel_mm);
    if (!f.solved) return no_hole("its rim leaves its place open");
    off += f.x.head<2>();
    growth += f.x[2];
    if ((off - start_mm).norm() > h.radius_mm || std::abs(growth) > h.radius_mm / 2)
      return no_hole("its rim ends at no place");
  }
  f.x[2] = growth;
  return judged_hole(h, f, static_cast<std::size_t>(n), seen, off);
}

}  // namespace

HoleFinding find_drilled_hole(const SurfaceScene& scene, const AlignmentHole& hole, const PlaneMotion& motion,
                              double reach_mm) {
  const double pixel = scene.pixel_mm(), radius = hole.diameter_mm / 2;
  if (hole.diameter_mm < least_hole_px * pixel)
    return no_hole(fmt::format("its diameter of {:g} mm covers {:.1f} pixels, at least {:g} are needed",
                               hole.diameter_mm, hole.diameter_mm / pixel, least_hole_px));
  PlacedHole h{scene,
               radius,
               std::max(hole_clear_px * pixel, hole_clear_share * radius),
               pixel,
               MovedPlane(motion)(hole.centre_mm),
               {}};
  const auto level = level_around(scene, h.place_mm, radius + 2 * pixel, 2 * radius + h.clear_mm + reach_mm);
  if (!level) return no_hole("around it are too few heights, or more than one surface");
  h.level = *level;
  const std::vector<HoleStart> starts = hole_starts(h, reach_mm);
  if (starts[0].score < least_score) {
    const std::string text = closed_text(shares_of(h, h.place_mm, radius));
    return no_hole(text.empty() ? fmt::format("nothing like it within {:.3f} mm of its place", reach_mm)
                                : text);
  }
  HoleFinding best = fit_from(h, starts[0].off_mm);
  if (best.fit && starts.size() > 1 && fit_from(h, starts[1].off_mm).fit)
    return no_hole(fmt::format("two holes that look like it lie within {:.3f} mm of its place", reach_mm));
  if (best.fit && best.fit->off_mm.norm() > reach_mm)
    return no_hole(fmt::format("what is most like it lies [{:.3f}, {:.3f}] mm off", best.fit->off_mm.x(),
                               best.fit->off_mm.y()));
  return best;
}

}  // namespace datum
