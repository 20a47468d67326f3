#include "daemon/inspection/registration/edge_place.h"

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <vector>

#include "calib/linear/median.h"

namespace datum {
namespace {

constexpr double edge_apart_px = 1.5, edge_sample_px = 0.5, edge_beside_px = 4, edge_level_px = 6,
                 edge_least_px = 1 / 12.0;
constexpr double edge_tukey = 4.685, least_edge_share = 0.3, least_edge_span = 0.5;
constexpr double most_edge_px = 0.6, most_edge_mm = 0.05;  // a routed edge is rough
constexpr double corner_share = 0.05, most_corner_mm = 3;  // its ends are rounded, or a tab
constexpr double most_raised = 0.3;                        // of a profile: something rises over the edge
constexpr double least_inwards = 0.4,
                 most_beside = 0.5;  // share of the board's pixels that are seen; of it beside the edge
constexpr int most_edge_points = 960, in_a_block = 12;
constexpr std::size_t least_edge_points = 5;

/// The edge as the motion puts it.
struct PlacedEdge {
  const SurfaceScene& scene;
  const OutlineEdge& edge;
  Eigen::Vector2d from_mm, along, outward;
  double length_mm, corner_mm, pixel_mm, reach_mm;

  Eigen::Vector2d at(double along_mm, double outward_mm) const {
    return from_mm + along_mm * along + outward_mm * outward;
  }
  Eigen::Vector2d px(double along_mm, double outward_mm) const {
    return scene.view.pixel_of(at(along_mm, outward_mm), 0);
  }
};

PlacedEdge edge_at(const SurfaceScene& scene, const OutlineEdge& edge, const PlaneMotion& motion,
                   double reach_mm) {
  const MovedPlane moved(motion);
  const Eigen::Vector2d from = moved(edge.from_mm), to = moved(edge.to_mm), way = to - from;
  const double length = way.norm();
  const Eigen::Vector2d along = way / length;
  return {scene,
          edge,
          from,
          along,
          {along.y(), -along.x()},
          length,
          std::min(most_corner_mm, corner_share * length),
          scene.pixel_mm(),
          reach_mm};
}

/// One point for each block of profiles.
struct OutlinePoints {
  std::vector<double> along_mm, off_mm;
  std::size_t asked = 0, raised = 0, outside = 0;  // profiles
};

/// Heights of the board beside a block of profiles, inwards of where the edge may lie.
std::optional<BareLevel> level_beside(const PlacedEdge& e, const std::vector<double>& along_mm) {
  std::vector<double> heights;
  std::size_t asked = 0;
  for (const double s : along_mm)
    for (int beside = 0; beside <= edge_level_px; beside += 2) {
      const double px = edge_beside_px + beside;
      ++asked;
      if (const auto mm = height_at(e.scene, e.px(s, -(e.reach_mm + px * e.pixel_mm))))
        heights.push_back(*mm);
    }
  return bare_level(std::move(heights), asked);
}

/// Shares of the board along the way outwards, over a block of profiles.
struct BoardShares {
  double from_mm = 0, step_mm = 0;
  std::vector<double> board;  // profiles that show it; what rises on it is on it
  int profiles = 0;
};

BoardShares shares_along(const PlacedEdge& e, const std::vector<double>& along_mm, const BareLevel& level,
                         OutlinePoints& points) {
  BoardShares s;
  const double half = e.reach_mm + (edge_beside_px + edge_level_px) * e.pixel_mm;
  const int n = static_cast<int>(std::ceil(2 * half / (edge_sample_px * e.pixel_mm))) + 1;
  s.from_mm = -half;
  s.step_mm = 2 * half / (n - 1);
  s.board.assign(static_cast<std::size_t>(n), 0);
  std::vector<char> on(s.board.size());
  for (const double along : along_mm) {
    int raised = 0, outside = 0;
    for (int i = 0; i < n; ++i) {
      const Shows shows = shown_at(e.scene, e.px(along, s.from_mm + i * s.step_mm), level);
      on[static_cast<std::size_t>(i)] = shows == Shows::board || shows == Shows::raised;
      raised += shows == Shows::raised;
      outside += shows == Shows::outside;
    }
    ++points.asked;
    points.outside += outside > 0;
    points.raised += raised > most_raised * n;
    if (outside > 0 || raised > most_raised * n) continue;
    ++s.profiles;
    for (std::size_t i = 0; i < on.size(); ++i) s.board[i] += on[i];
  }
  return s;
}

/// Where the board's share falls: the place that encloses as much of it as is there, in units of its share inwards. Missing pixels lower
/// the share on all of the board alike, and so do not move it in the mean.
std::optional<double> fall_of(const BoardShares& s, double pixel_mm) {
  const int n = static_cast<int>(s.board.size()),
            near = static_cast<int>(std::lround(edge_beside_px * pixel_mm / s.step_mm));
  double all = 0;
  for (const double b : s.board) all += b;
  // Board inwards counts for, beyond it against a place; what lacks inwards against it half as much (bare_surface.h).
  double score = 0, best = -1;
  int split = 0;
  for (int i = 0; i < n; ++i) {
    const double b = s.board[static_cast<std::size_t>(i)];
    score += 2 * b - (s.profiles - b);
    if (score > best) best = score, split = i + 1;
  }
  if (split < 2 * near || split + near > n) return std::nullopt;
  double inwards = 0, area = 0;
  for (int i = split - 3 * near < 0 ? 0 : split - 3 * near; i < split - near; ++i)
    inwards += s.board[static_cast<std::size_t>(i)];
  inwards /= split - near - std::max(0, split - 3 * near);
  if (inwards < least_inwards * s.profiles) return std::nullopt;
  for (int i = split - near; i < split + near; ++i) area += s.board[static_cast<std::size_t>(i)] / inwards;
  for (int i = split + near / 2; i < split + near; ++i)  // nothing at the board's level lies beside it
    if (s.board[static_cast<std::size_t>(i)] > most_beside * inwards) return std::nullopt;
  return s.from_mm + (split - near - 0.5 + area) * s.step_mm;
}

OutlinePoints points_of(const PlacedEdge& e) {
  OutlinePoints points;
  const double length = e.length_mm - 2 * e.corner_mm;
  const int n = std::clamp(static_cast<int>(length / (edge_apart_px * e.pixel_mm)),
                           static_cast<int>(in_a_block * least_edge_points), most_edge_points);
  for (int from = 0; from + in_a_block <= n; from += in_a_block) {
    std::vector<double> block;
    for (int i = from; i < from + in_a_block; ++i) block.push_back(e.corner_mm + (i + 0.5) * length / n);
    const auto level = level_beside(e, block);
    if (!level) {
      points.asked += block.size();
      points.outside +=
          shown_at(e.scene, e.px(block[in_a_block / 2], 0), {}) == Shows::outside ? block.size() : 0;
      continue;
    }
    const BoardShares shares = shares_along(e, block, *level, points);
    if (2 * shares.profiles < in_a_block) continue;
    if (const auto at = fall_of(shares, e.pixel_mm)) {
      points.along_mm.push_back((block.front() + block.back()) / 2);
      points.off_mm.push_back(*at);
    }
  }
  return points;
}

struct OutlineLine {
  Eigen::Vector2d x = Eigen::Vector2d::Zero();  // at the middle of the points, and per mm
  Eigen::Matrix2d inverse = Eigen::Matrix2d::Zero();
  double middle_mm = 0, first_mm = 0, last_mm = 0, scale = 0;
  std::size_t used = 0;
  bool solved = false;
};

OutlineLine fit_outline_line(const OutlinePoints& p, double start_mm, double least_mm) {
  OutlineLine l;
  l.middle_mm = (p.along_mm.front() + p.along_mm.back()) / 2;
  l.scale = start_mm;
  std::vector<double> size(p.off_mm.size());
  l.x[0] = median_of(p.off_mm);
  for (int round = 0; round < 20; ++round) {
    Eigen::Matrix2d m = Eigen::Matrix2d::Zero();
    Eigen::Vector2d v = Eigen::Vector2d::Zero();
    l.used = 0;
    for (std::size_t i = 0; i < size.size(); ++i) {
      const Eigen::Vector2d a(1, p.along_mm[i] - l.middle_mm);
      const double u = (p.off_mm[i] - a.dot(l.x)) / (edge_tukey * l.scale);
      if (std::abs(u) >= 1) continue;
      const double w = (1 - u * u) * (1 - u * u);
      m += (w * a) * a.transpose();
      v += (w * p.off_mm[i]) * a;
      if (l.used++ == 0) l.first_mm = p.along_mm[i];
      l.last_mm = p.along_mm[i];
    }
    bool regular = false;
    if (l.used < least_edge_points) return l;
    m.computeInverseWithCheck(l.inverse, regular, 1e-12);
    if (!regular) return l;
    l.x = l.inverse * v;
    for (std::size_t i = 0; i < size.size(); ++i)
      size[i] = std::abs(p.off_mm[i] - l.x[0] - l.x[1] * (p.along_mm[i] - l.middle_mm));
    const double n = double(size.size());
    l.scale =
        std::max({least_mm, 1.4826 * median_of(size) * std::sqrt(n / (n - 2)), round < 4 ? l.scale / 2 : 0});
  }
  l.solved = l.x.allFinite();
  return l;
}

/// Rows or columns of pixels that the edge crosses between its ends, at least one.
double crossed_pixels(const PlacedEdge& e, const OutlineLine& l) {
  const Eigen::Vector2d way = e.px(l.last_mm, 0) - e.px(l.first_mm, 0);
  return std::max(1.0, way.cwiseAbs().minCoeff() + std::abs(l.x[1]) * (l.last_mm - l.first_mm) / e.pixel_mm);
}

EdgeFinding no_edge(std::string why) { return {std::nullopt, std::move(why)}; }

std::string unseen_text(const OutlinePoints& p) {
  const auto share = [&](std::size_t n) { return double(n) / double(std::max<std::size_t>(1, p.asked)); };
  if (share(p.outside) > 0.5)
    return fmt::format("{:.0f} % of it lie beyond the frame", 100 * share(p.outside));
  if (share(p.raised) > 0.5)
    return fmt::format("over {:.0f} % of it something rises: a part, a clamp or a rail",
                       100 * share(p.raised));
  return fmt::format(
      "{:.0f} % of it are seen, {:.0f} % are demanded; nothing may lie at the board's level beside it",
      100 * share(p.off_mm.size() * in_a_block), 100 * least_edge_share);
}

}  // namespace

EdgeFinding find_outline_edge(const SurfaceScene& scene, const OutlineEdge& edge, const PlaneMotion& motion,
                              double reach_mm) {
  const PlacedEdge e = edge_at(scene, edge, motion, reach_mm);
  const OutlinePoints points = points_of(e);
  const std::size_t blocks = std::max<std::size_t>(1, points.asked / in_a_block);
  if (points.off_mm.size() < least_edge_points ||
      double(points.off_mm.size()) < least_edge_share * double(blocks))
    return no_edge(unseen_text(points));
  const OutlineLine l = fit_outline_line(points, reach_mm / 2 + e.pixel_mm, edge_least_px * e.pixel_mm);
  if (!l.solved) return no_edge("its points leave its place open");
  if (double(l.used) < least_edge_share * double(blocks) ||
      l.last_mm - l.first_mm < least_edge_span * e.length_mm)
    return no_edge(
        fmt::format("{:.0f} % of it lie on one line over {:.0f} % of its length, {:.0f} and {:.0f} % are "
                    "demanded",
                    100 * double(l.used) / double(blocks), 100 * (l.last_mm - l.first_mm) / e.length_mm,
                    100 * least_edge_share, 100 * least_edge_span));
  const double most = most_edge_px * e.pixel_mm + most_edge_mm;
  if (l.scale > most)
    return no_edge(
        fmt::format("it is no straight line: its points deviate by {:.1f} um, at most {:.1f} are allowed",
                    1e3 * l.scale, 1e3 * most));
  EdgeFit f;
  const Eigen::Vector2d way = (edge.to_mm - edge.from_mm) / e.length_mm;
  f.first_mm = edge.from_mm + l.first_mm * way;
  f.last_mm = edge.from_mm + l.last_mm * way;
  f.outward = e.outward;
  Eigen::Matrix2d ends;
  ends << 1, l.first_mm - l.middle_mm, 1, l.last_mm - l.middle_mm;
  f.off_mm = ends * l.x;
  const double n = double(points.off_mm.size()), rounded = e.pixel_mm / crossed_pixels(e, l);
  f.covariance = ends * l.inverse * ends.transpose() * (l.scale * l.scale * n / (n - 2)) +
                 rounded * rounded / 12 * Eigen::Matrix2d::Identity();
  f.residual_mm = l.scale;
  f.points = blocks;
  f.used = l.used;
  if (f.off_mm.cwiseAbs().maxCoeff() > reach_mm)
    return no_edge(fmt::format("it lies [{:.3f}, {:.3f}] mm off at its ends, {:.3f} mm are looked at",
                               f.off_mm[0], f.off_mm[1], reach_mm));
  return {f, ""};
}

}  // namespace datum
