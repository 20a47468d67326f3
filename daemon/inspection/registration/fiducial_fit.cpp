#include "daemon/inspection/registration/fiducial_fit.h"

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>

#include "calib/linear/median.h"
#include "daemon/inspection/registration/fiducial_shape.h"

namespace datum {
namespace {

constexpr double apart_px = 1.5,  // of edge points: nearer ones share pixels
    sample_px = 0.5,
                 edge_px =
                     2.5,  // half of the profile that places an edge: blur of 0.8 pixels and their own width
    tukey = 4.685, rest_px = 0.02;  // 95 % efficient; rest: what sampling leaves of noise-free marks (tests)
constexpr double least_share = 0.7, least_surface = 0.8, least_contrast_sigmas = 5, least_contrast = 4;
constexpr double most_growth = 0.12, most_line_growth = 0.4, growth_px = 0.5;
constexpr double most_residual_px = 0.35, most_residual = 0.02;  // of half the size: a square differs by 8 %
constexpr int fit_rounds = 6, most_samples = 256;

using Vector4 = Eigen::Vector4d;

/// Bilinear; none beyond the frame.
std::optional<double> grey_at(const IntensityImage& image, const Eigen::Vector2d& px) {
  const double col = std::floor(px.x()), row = std::floor(px.y());
  if (!(col >= 0 && row >= 0 && col + 1 < image.cols && row + 1 < image.rows)) return std::nullopt;
  const std::size_t i = std::size_t(row) * std::size_t(image.cols) + std::size_t(col);
  const double x = px.x() - col, y = px.y() - row;
  const std::uint16_t* g = image.grey.data();
  const std::size_t below = i + std::size_t(image.cols);
  return (1 - y) * ((1 - x) * g[i] + x * g[i + 1]) + y * ((1 - x) * g[below] + x * g[below + 1]);
}

/// Where the mark is thought to lie.
struct PlacedMark {
  const GreyScene& scene;
  const Fiducial& mark;
  Eigen::Vector2d centre_mm;  // of the view's board
  Eigen::Matrix2d linear;
  double pixel_mm;
  Eigen::Vector2d px(const Eigen::Vector2d& from_centre_mm) const {
    return scene.view.pixel_of(centre_mm + linear * from_centre_mm, 0);
  }
};

struct GreyEdge {
  double off_mm = 0, contrast = 0;
};

/// Samples outward from -in to +out with even steps.
class GreyProfile {
 public:
  GreyProfile(const PlacedMark& at, const OutlinePoint& p, double in_mm, double out_mm) {
    const double length = in_mm + out_mm;
    n_ = std::clamp(int(std::ceil(length / (sample_px * at.pixel_mm))) + 1, 5, most_samples);
    step_ = length / (n_ - 1);
    from_ = -in_mm;
    for (int i = 0; i < n_; ++i) {
      const auto grey = at.scene.image.grey.empty()
                            ? std::nullopt
                            : grey_at(at.scene.image, at.px(p.at_mm + (from_ + i * step_) * p.outward));
      if (!grey) return;
      grey_[std::size_t(i)] = *grey;
    }
    whole_ = true;
  }
  /// The edge nearest to the place that best parts both levels. None: no contrast of the mark's sign.
  std::optional<GreyEdge> edge(bool bright, double half_mm) const {
    if (!whole_) return std::nullopt;
    const double in = level(0, n_ / 3), out = level(n_ - n_ / 3, n_);
    const double contrast = bright ? in - out : out - in;
    if (contrast <= 0) return std::nullopt;
    const double middle = (in + out) / 2;
    int score = 0, best = -n_ - 1, split = 0;
    for (int i = 0; i < n_; ++i) {
      score += (grey(i) > middle) == bright ? 1 : -1;
      if (score > best) best = score, split = i;
    }
    const double about = from_ + (split + 0.5) * step_;
    const double room = std::min({half_mm, about - from_, from_ + (n_ - 1) * step_ - about});
    const int half = int(std::floor(room / step_ + 0.5));
    if (half < 1) return std::nullopt;
    const int first = split + 1 - half, last = split + half;
    double area = 0;  // samples stand for a step each
    for (int i = first; i <= last; ++i) area += std::clamp((grey(i) - out) / (in - out), -0.25, 1.25);
    return GreyEdge{from_ + (first - 0.5 + area) * step_, contrast};
  }

 private:
  double grey(int i) const { return grey_[std::size_t(i)]; }
  double level(int from, int to) const { return median_of({grey_.begin() + from, grey_.begin() + to}); }
  std::array<double, most_samples> grey_{};
  int n_ = 0;
  double step_ = 0, from_ = 0;
  bool whole_ = false;
};

struct EdgePoints {
  std::vector<Vector4> a;  // shift x, y, growth of edge 0, of edge 1
  std::vector<double> off, contrast;
};

EdgePoints edge_points(const PlacedMark& at, const std::vector<OutlinePoint>& outline, double reach_mm) {
  EdgePoints p;
  for (const OutlinePoint& o : outline) {
    const double room = std::min({reach_mm, o.inwards_mm, o.outwards_mm});
    const auto edge = GreyProfile(at, o, room, room).edge(at.mark.bright, edge_px * at.pixel_mm);
    if (!edge) continue;
    const Eigen::Vector2d outward = at.linear * o.outward;
    p.a.emplace_back(outward.x(), outward.y(), o.edge == 0, o.edge == 1);
    p.off.push_back(edge->off_mm);
    p.contrast.push_back(edge->contrast);
  }
  return p;
}

struct Solution {
  Vector4 x = Vector4::Zero();
  Eigen::Matrix4d inverse = Eigen::Matrix4d::Zero();  // of the normal matrix with weights
  double scale = 0;
  std::size_t used = 0;
  bool solved = false;
};

Solution solve(const EdgePoints& p, bool two_edges, double start_mm, double least_mm) {
  Solution s;
  s.scale = start_mm;
  std::vector<double> size(p.off.size());
  for (int round = 0; round < 12; ++round) {
    Eigen::Matrix4d m = Eigen::Matrix4d::Zero();
    if (!two_edges) m(3, 3) = 1;  // no such edge
    Vector4 v = Vector4::Zero();
    s.used = 0;
    for (std::size_t i = 0; i < p.off.size(); ++i) {
      const double u = (p.off[i] - p.a[i].dot(s.x)) / (tukey * s.scale);
      if (std::abs(u) >= 1) continue;
      const double w = (1 - u * u) * (1 - u * u);
      m += (w * p.a[i]) * p.a[i].transpose();
      v += (w * p.off[i]) * p.a[i];
      ++s.used;
    }
    bool regular = false;
    m.computeInverseWithCheck(s.inverse, regular, 1e-9);
    if (!regular) return s;
    s.x = s.inverse * v;
    for (std::size_t i = 0; i < size.size(); ++i) size[i] = std::abs(p.off[i] - p.a[i].dot(s.x));
    const double n = double(size.size());
    s.scale = std::max(least_mm, 1.4826 * median_of(size) * std::sqrt(n / std::max(1.0, n - 4)));
  }
  s.solved = s.x.allFinite();
  return s;
}

/// Shares of the mark's pixels and of its clear zone's that are on their side of the middle level; edges and what lies within a pixel
/// of them do not count. Noise: from neighbours along rows on one surface.
struct Surfaces {
  double mark = 0, clear = 0, contrast = 0, noise = 0;
};

std::optional<Surfaces> surfaces_of(const PlacedMark& at, const Vector4& growth) {
  const Fiducial& mark = at.mark;
  const double reach = mark.size_mm / 2 * (mark.shape == FiducialShape::cross ? 1.0 : 1) + mark.clear_mm;
  const Eigen::Matrix2d back = at.linear.inverse();
  Eigen::Vector2d low = Eigen::Vector2d::Constant(1e18), high = -low;
  for (int k = 0; k < 4; ++k) {
    const Eigen::Vector2d corner = at.px({k % 2 ? reach : -reach, k / 2 ? reach : -reach});
    low = low.cwiseMin(corner);
    high = high.cwiseMax(corner);
  }
  if (!(low.minCoeff() >= 0 && high.x() < at.scene.image.cols - 1 && high.y() < at.scene.image.rows - 1))
    return std::nullopt;
  std::vector<double> in, out, apart;
  const double beside = at.pixel_mm + std::max(0.0, growth.tail<2>().cwiseAbs().maxCoeff());
  for (int row = int(low.y()); row <= int(high.y()) + 1; ++row) {
    int before = 0;
    for (int col = int(low.x()); col <= int(high.x()) + 1; ++col) {
      const Eigen::Vector2d on =
          at.scene.view.origin() + col * at.scene.view.per_col() + row * at.scene.view.per_row();
      const double d = distance_mm(mark, back * (on - at.centre_mm));
      const int side = d < -beside ? 1 : d > beside && d <= mark.clear_mm ? -1 : 0;
      const std::size_t i = std::size_t(row) * std::size_t(at.scene.image.cols) + std::size_t(col);
      const double grey = at.scene.image.grey[i];
      if (side != 0) (side > 0 ? in : out).push_back(grey);
      if (side != 0 && side == before) apart.push_back(std::abs(grey - at.scene.image.grey[i - 1]));
      before = side;
    }
  }
  if (in.empty() || out.empty()) return std::nullopt;
  const double inside = median_of(in), outside = median_of(out), middle = (inside + outside) / 2;
  const auto share = [&](const std::vector<double>& v, bool above) {
    return double(std::count_if(v.begin(), v.end(), [&](double g) { return (g > middle) == above; })) /
           double(v.size());
  };
  Surfaces s;
  s.contrast = mark.bright ? inside - outside : outside - inside;
  s.mark = share(in, mark.bright);
  s.clear = share(out, !mark.bright);
  // 1.4826 / sqrt 2 of the differences' median; integers hide up to a third of a step.
  s.noise = std::max(0.3, apart.empty() ? 0 : 1.0484 * median_of(apart));
  return s;
}

FiducialFinding not_found(std::string why) { return {std::nullopt, std::move(why)}; }

FiducialFinding judged_fit(const PlacedMark& at, const EdgePoints& p, const Solution& s, std::size_t points,
                           const Eigen::Vector2d& off_mm) {
  const Fiducial& mark = at.mark;
  const auto share = [&](std::size_t n) { return double(n) / double(points); };
  if (share(s.used) < least_share)
    return not_found(fmt::format("{:.0f} % of its edge are seen, {:.0f} % are demanded", 100 * share(s.used),
                                 100 * least_share));
  const double most = std::min(most_growth * mark.size_mm / 2, most_line_growth * finest_mm(mark) / 2) +
                      growth_px * at.pixel_mm;
  if (s.x.tail<2>().cwiseAbs().maxCoeff() > most)
    return not_found(
        fmt::format("another size: its edges lie [{:.3f}, {:.3f}] mm outwards, at most {:.3f} are allowed",
                    s.x[2], s.x[3], most));
  const double scatter = most_residual_px * at.pixel_mm + most_residual * mark.size_mm / 2;
  if (s.scale > scatter)
    return not_found(fmt::format("another form: its edges deviate by {:.1f} um, at most {:.1f} are allowed",
                                 1e3 * s.scale, 1e3 * scatter));
  const auto surface = surfaces_of(at, s.x);
  if (!surface) return not_found("it is not whole in the frame");
  if (surface->contrast < std::max(least_contrast, least_contrast_sigmas * surface->noise))
    return not_found(fmt::format("its contrast of {:.1f} is below {:g} times the noise of {:.1f}",
                                 surface->contrast, least_contrast_sigmas, surface->noise));
  if (surface->mark < least_surface || surface->clear < least_surface)
    return not_found(fmt::format(
        "{:.0f} % of its own surface and {:.0f} % of its clear zone look so, {:.0f} % are demanded",
        100 * surface->mark, 100 * surface->clear, 100 * least_surface));
  FiducialFit f;
  f.off_mm = off_mm;
  f.residual_mm = s.scale;
  f.growth_mm = s.x.tail<2>();
  f.contrast = surface->contrast;
  f.noise = surface->noise;
  f.points = points;
  f.used = s.used;
  const double rest = rest_px * at.pixel_mm;
  // A profile of 2 edge_px pixels of noise over its contrast moves the area by so much at least.
  const double least = surface->noise / surface->contrast * std::sqrt(2 * edge_px) * at.pixel_mm / 2;
  const double scale = std::max(s.scale, least), n = double(p.off.size());
  f.covariance = s.inverse.topLeftCorner<2, 2>() * (scale * scale * n / std::max(1.0, n - 4)) +
                 rest * rest * Eigen::Matrix2d::Identity();
  return {f, ""};
}

}  // namespace

FiducialFinding fit_fiducial(const GreyScene& scene, const Fiducial& mark, const PlaneMotion& motion,
                             const Eigen::Vector2d& start_mm) {
  const MovedPlane moved(motion);
  const double pixel_mm = std::max(scene.view.per_col().norm(), scene.view.per_row().norm());
  const auto outline = outline_of(mark, apart_px * pixel_mm);
  const Eigen::Vector2d place = moved(mark.centre_mm);
  Eigen::Vector2d off = start_mm;
  EdgePoints points;
  Solution s;
  const double wide = std::max(4 * pixel_mm, 0.35 * finest_mm(mark)), near = 4 * pixel_mm;
  for (int round = 0; round < fit_rounds; ++round) {
    const PlacedMark at{scene, mark, place + off, moved.linear(), pixel_mm};
    points = edge_points(at, outline, round < 2 ? wide : near);
    if (double(points.off.size()) < least_share * double(outline.size()))
      return not_found(fmt::format("{:.0f} % of its edge are seen, {:.0f} % are demanded",
                                   100 * double(points.off.size()) / double(outline.size()),
                                   100 * least_share));
    // EdgePoints whose contrast is far from the others' show something else.
    std::vector<double> contrasts = points.contrast;
    const double usual = median_of(contrasts);
    EdgePoints kept;
    for (std::size_t i = 0; i < points.off.size(); ++i) {
      if (points.contrast[i] < usual / 3) continue;
      kept.a.push_back(points.a[i]);
      kept.off.push_back(points.off[i]);
      kept.contrast.push_back(points.contrast[i]);
    }
    points = std::move(kept);
    s = solve(points, edges_of(mark) == 2, wide / 2, 0.01 * pixel_mm);
    if (!s.solved) return not_found("its edges leave its place open");
    off += s.x.head<2>();
    if ((off - start_mm).norm() > mark.size_mm / 2) return not_found("its edges do not end at one place");
  }
  return judged_fit({scene, mark, place + off, moved.linear(), pixel_mm}, points, s, outline.size(), off);
}

}  // namespace datum
