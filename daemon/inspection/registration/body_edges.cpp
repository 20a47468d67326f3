#include "daemon/inspection/registration/body_edges.h"

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <variant>

#include "daemon/inspection/registration/edge_votes.h"
#include "daemon/inspection/registration/nearest_index.h"
#include "daemon/inspection/registration/search_pairs.h"
#include "gpu/core/parallel_for.h"

namespace datum {
namespace {

constexpr double size_share = 0.15, size_px = 2, most_size_mm = 0.3;  // of a pair's distance
constexpr double least_agreement = 0.7;  // share of a profile's pixels that are on the right side of its edge
constexpr double voting_px = 3,
                 voting_share = 0.85;  // either side of an edge, and along it: corners are round
constexpr double least_votes = 0.1;    // a shadow votes once a row, the body three times
constexpr double votes_agreement =
    0.6;  // a third of a body's pixels may be missing: their shadows are votes against it
constexpr int most_profiles = 32, most_pixels = 256, least_shadow_px = 4;
constexpr double enough_px =
    12;  // either side of an edge that is far from its place: it will be looked at again

/// Heights over the board's floor around one place: pixel by pixel in its own numbers.
class LocalHeights {
 public:
  LocalHeights(const EdgeScene& s, const Eigen::Vector2d& at_mm)
      : frame_(s.frame),
        int16_(std::get_if<std::vector<std::int16_t>>(&s.frame.counts)),
        int32_(std::get_if<std::vector<std::int32_t>>(&s.frame.counts)),
        float_(std::get_if<std::vector<float>>(&s.frame.counts)) {
    const BoardView& v = s.view;
    const Eigen::Vector2d px = v.pixel_of(at_mm, 0);
    const double plane = v.sensor_z_mm(v.origin());
    const double col = v.sensor_z_mm(v.origin() + v.per_col()) - plane,
                 row = v.sensor_z_mm(v.origin() + v.per_row()) - plane;
    const double form = s.form.at(px.x(), px.y());
    per_col_ = col + s.form.at(px.x() + 1, px.y()) - form;
    per_row_ = row + s.form.at(px.x(), px.y() + 1) - form;
    floor_ = plane + col * px.x() + row * px.y() + form - per_col_ * px.x() - per_row_ * px.y();
  }
  /// Of `n` pixels: heights, and 1 where they are at `level_mm` and above, -1 below, 0 without a height. Pixels of an edge are far apart in
  /// memory; no branch waits for one of them, so that many are on their way at once.
  void read(const int* cols, const int* rows, int n, double level_mm, double* mm, std::int8_t* side) const {
    if (int16_) return read(int16_->data(), cols, rows, n, level_mm, mm, side);
    if (int32_) return read(int32_->data(), cols, rows, n, level_mm, mm, side);
    read(float_->data(), cols, rows, n, level_mm, mm, side);
  }

 private:
  std::size_t index(int col, int row) const {
    return std::size_t(row) * std::size_t(frame_.cols) + std::size_t(col);
  }
  double mm_of(double count, int col, int row) const {
    return frame_.z.offset_mm + frame_.z.scale_mm * count - floor_ - per_col_ * col - per_row_ * row;
  }
  template <class T>
  void read(const T* counts, const int* cols, const int* rows, int n, double level_mm, double* mm,
            std::int8_t* side) const {
    const PixelClass* classes = frame_.classes.data();
    const unsigned all_cols = unsigned(frame_.cols), all_rows = unsigned(frame_.rows);
    for (int k = 0; k < n; ++k) {
      const bool in = (unsigned(cols[k]) < all_cols) & (unsigned(rows[k]) < all_rows);
      const std::size_t i = in ? index(cols[k], rows[k]) : 0;
      __builtin_prefetch(classes + i);
      __builtin_prefetch(counts + i);
    }
    for (int k = 0; k < n; ++k) {
      const int col = cols[k], row = rows[k];
      const bool in = (unsigned(col) < all_cols) & (unsigned(row) < all_rows);
      const std::size_t i = in ? index(col, row) : 0;
      const int ok = int(in) & int(classes[i] == PixelClass::ok);
      mm[k] = mm_of(double(counts[i]), col, row);
      side[k] = std::int8_t(ok * (2 * int(mm[k] >= level_mm) - 1));
    }
  }

  const HeightFrame& frame_;
  const std::vector<std::int16_t>* int16_;
  const std::vector<std::int32_t>* int32_;
  const std::vector<float>* float_;
  double floor_, per_col_, per_row_;
};

double median(double* values, int n) {
  std::nth_element(values, values + n / 2, values + n);
  return values[n / 2];
}

/// Of the form at a place: rise over run along the board's x and y.
Eigen::Vector2d slope_of(const EdgeScene& s, const Eigen::Vector2d& at_mm) {
  const Eigen::Vector2d px = s.view.pixel_of(at_mm, 0);
  const double here = s.form.at(px.x(), px.y());
  Eigen::Matrix2d board_per_px;
  board_per_px << s.view.per_col(), s.view.per_row();
  return board_per_px.transpose().inverse() *
         Eigen::Vector2d(s.form.at(px.x() + 1, px.y()) - here, s.form.at(px.x(), px.y() + 1) - here);
}

struct MovedBody {
  const Component& component;
  Eigen::Vector2d centre_mm;
  Eigen::Matrix2d axes;
  double height_mm;
  /// The top's centre: a part stands perpendicular to the board under it, which is bowed and tilted by the form.
  MovedBody(const EdgeScene& s, const Component& c, const MovedPlane& motion)
      : component(c),
        centre_mm(motion(c.body.centre_mm)),
        axes(motion.linear() * axes_of(c.body)),
        height_mm(c.nominal_height_um * 1e-3) {
    centre_mm -= height_mm * slope_of(s, centre_mm);
  }
};

/// Height of its middle over the floor: the median of three neighbours in a row, which one look into memory brings, at 3 x 3 places
/// within half of the body. None: not measured.
std::optional<double> top_of(const EdgeScene& s, const LocalHeights& heights, const MovedBody& b) {
  constexpr std::size_t n = 27;
  std::array<int, n> cols, rows;
  for (int place = 0; place < 9; ++place) {
    const Eigen::Vector2d in =
        b.component.body.size_mm.cwiseProduct(Eigen::Vector2d(place % 3 - 1, place / 3 - 1)) / 4;
    const Eigen::Vector2d at = s.view.pixel_of(b.centre_mm + b.axes * in, b.height_mm);
    for (int k = 0; k < 3; ++k) {
      cols[std::size_t(3 * place + k)] = nearest_index(at.x()) + k - 1;
      rows[std::size_t(3 * place + k)] = nearest_index(at.y());
    }
  }
  std::array<double, n> mm, seen;
  std::array<std::int8_t, n> side;
  heights.read(cols.data(), rows.data(), n, 0, mm.data(), side.data());
  int measured = 0;
  for (std::size_t k = 0; k < n; ++k)
    if (side[k] != 0) seen[std::size_t(measured++)] = mm[k];
  if (measured < 5) return std::nullopt;
  return median(seen.data(), measured);
}

int seen_as(const std::optional<double>& top_mm, double nominal_mm) {
  if (!top_mm) return 0;
  return *top_mm >= lowest_share * nominal_mm && *top_mm <= highest_share * nominal_mm ? 1 : -1;
}

/// Outward along one profile: where pixels change from above `level_mm` to below. In mm from the edge's place; none: not seen.
/// `pixel_mm` is the way from one of its pixels to the next.
struct Profile {
  std::array<std::array<int, most_pixels>, 2> px;  // columns, rows
  std::array<double, most_pixels> at, mm;
  std::array<std::int8_t, most_pixels> side;  // 1 above, -1 below, 0 not measured
  int n = 0;

  std::optional<double> edge(double level_mm, double pixel_mm) const {
    int above = 0, below = 0, total = 0, last_above = -1;
    for (int i = 0; i < n; ++i) {
      above += side[std::size_t(i)] > 0;
      if (side[std::size_t(i)] > 0) last_above = i;
      below += side[std::size_t(i)] < 0;
      total -= side[std::size_t(i)];
    }
    if (above < 2) return std::nullopt;
    if (below < 2)  // a long shadow, or the profile ends on the body
      return n - last_above >= least_shadow_px ? std::optional(at[std::size_t(last_above)] + pixel_mm / 2)
                                               : std::nullopt;
    int score = total, best = score, split = 0;  // pixels before the split are the body's
    for (int i = 0; i < n; ++i) {
      score += 2 * side[std::size_t(i)];
      if (score > best) best = score, split = i + 1;
    }
    if (best < least_agreement * (above + below)) return std::nullopt;
    int in = split - 1, out = split;
    while (in >= 0 && side[std::size_t(in)] <= 0) --in;
    while (out < n && side[std::size_t(out)] >= 0) ++out;
    if (in < 0 || out == n) return std::nullopt;
    const auto a = std::size_t(in), b = std::size_t(out);
    if (out - in > 1) return at[a] + pixel_mm / 2;  // a shadow: the top ends where it is last seen
    return at[a] + (at[b] - at[a]) * (mm[a] - level_mm) / (mm[a] - mm[b]);
  }
};

/// A row of pixels outward. Between neighbours on both sides of an edge the optics may have spread it: the votes come together by as
/// much as their heights do. A pixel without height behind one of the body is in its shadow, and the body ends before it.
void vote(const Profile& p, double top_mm, double pixel_mm, EdgeVotes& votes) {
  const auto share = [&](std::size_t i) { return std::clamp(p.mm[i] / top_mm, 0.0, 1.0); };
  for (int k = 0; k < p.n; ++k) {
    const auto i = std::size_t(k);
    const bool has_next = k + 1 < p.n;
    if (p.side[i] == 0) continue;
    if (p.side[i] < 0) {
      if (k == 0 || p.side[i - 1] <= 0) votes.below(p.at[i]);
    } else if (has_next && p.side[i + 1] < 0) {
      const double in = share(i), out = share(i + 1), step = p.at[i + 1] - p.at[i];
      const double spread = 2 * std::min(1 - in, out);  // a spike alone spreads one side
      const double crossing = 0.5 + spread * ((in - 0.5) / (in - out) - 0.5), half = 0.5 * (1 - spread);
      votes.above(p.at[i] + step * (crossing - half));
      votes.below(p.at[i] + step * (crossing + half));
    } else {
      votes.above(p.at[i]);
      if (has_next && p.side[i + 1] == 0) votes.below(p.at[i] + pixel_mm);
    }
  }
}

struct EdgeLine {
  Eigen::Vector2d middle_mm, outward, along;
  double half_mm, inwards_mm;  // half its length; how far the body reaches inwards
  int number;  // where pixels are left out each edge sees others: all together they are as good as all
};

/// Profiles across one edge, which are parallel: from `inwards` of it to `reach_mm` outwards.
class Across {
 public:
  Across(const EdgeScene& s, const EdgeLine& e, double height_mm, double reach_mm, int every = 1)
      : inwards_mm_(std::min(reach_mm, e.inwards_mm)), every_(every) {
    const BoardView& v = s.view;
    const Eigen::Vector2d inner = e.middle_mm - inwards_mm_ * e.outward;
    from_ = v.pixel_of(inner, height_mm);
    along_ = v.pixel_of(inner + e.along, height_mm) - from_;
    const double way_mm = inwards_mm_ + reach_mm;
    const Eigen::Vector2d d = v.pixel_of(inner + way_mm * e.outward, height_mm) - from_;
    axis_ = std::abs(d.x()) >= std::abs(d.y()) ? 0 : 1;
    way_px_ = std::abs(d[axis_]);
    step_ = d[axis_] > 0 ? 1 : -1;
    sideways_ = d[1 - axis_] / way_px_;
    mm_per_px_ = way_mm / way_px_;
    mm_per_beside_ = e.outward.dot(axis_ == 1 ? v.per_col() : v.per_row());
  }
  /// The pixels nearest to the profile `beside_mm` along the edge from its middle; without the first `later` ones.
  void fill(Profile& p, const LocalHeights& heights, double beside_mm, double level_mm, int later = 0) const {
    const Eigen::Vector2d from = from_ + beside_mm * along_;
    const double start = from[axis_] * step_, start_beside = from[1 - axis_];  // start: along the way
    const int first = later - nearest_index(-start - 0.5);                     // rounded up
    p.n = std::clamp(nearest_index((start + way_px_ - first) / every_ - 0.5) + 1, 0, most_pixels);
    int* const on_axis = p.px[std::size_t(axis_)].data();
    int* const on_other = p.px[std::size_t(1 - axis_)].data();
    for (int k = 0; k < p.n; ++k) {
      const int at = first + every_ * k;
      const double way = at - start;  // in pixels
      const double beside = start_beside + sideways_ * way;
      const int nearest = nearest_index(beside);
      on_axis[k] = at * step_;
      on_other[k] = nearest;
      p.at[std::size_t(k)] = way * mm_per_px_ - inwards_mm_ + mm_per_beside_ * (nearest - beside);
    }
    heights.read(p.px[0].data(), p.px[1].data(), p.n, level_mm, p.mm.data(), p.side.data());
  }

 private:
  double inwards_mm_;
  int every_, axis_, step_;
  Eigen::Vector2d from_, along_;  // of the middle's profile; of a mm along the edge
  double way_px_, sideways_, mm_per_px_, mm_per_beside_;
};

struct FoundEdge {
  double height_mm, top_mm, at_mm;
};

/// The same edge by the votes of `most` rows of pixels across it.
std::optional<EdgeVotes::Edge> voted_edge(const EdgeScene& s, const LocalHeights& heights, const EdgeLine& e,
                                          const FoundEdge& found, int most, Profile& scratch) {
  const double pixel_mm = std::max(s.view.per_col().norm(), s.view.per_row().norm());
  const double reach_mm = voting_px * pixel_mm, half_mm = voting_share * e.half_mm;
  EdgeLine near = e;
  near.middle_mm += found.at_mm * e.outward;
  near.inwards_mm = std::max(pixel_mm, e.inwards_mm + found.at_mm);
  EdgeVotes votes(0, reach_mm);
  const Across across(s, near, found.height_mm, reach_mm);
  const int rows = std::clamp(int(2 * half_mm / pixel_mm), 1, most);
  for (int k = 0; k < rows; ++k) {
    across.fill(scratch, heights, ((2.0 * k + 1) / rows - 1) * half_mm, found.top_mm / 2);
    vote(scratch, found.top_mm, pixel_mm, votes);
  }
  auto at = votes.edge(least_votes, votes_agreement);
  if (at) at->at_mm += found.at_mm;
  return at;
}

/// Place of an edge outward from where it should be: the mean of its profiles near their median, because pixels' quantisation
/// is uniform. None: fewer than two thirds of them show it, or are near.
std::optional<EdgeVotes::Edge> edge_of(const EdgeScene& s, const LocalHeights& heights, const EdgeLine& e,
                                       double height_mm, double top_mm, const EdgeSettings& settings,
                                       Profile& scratch) {
  std::array<double, most_profiles> found{};
  int n = 0;
  const double pixel_mm = std::max(s.view.per_col().norm(), s.view.per_row().norm());
  const int profiles = settings.profiles,
            every = std::max(1, int(std::min(settings.reach_mm, e.inwards_mm) / pixel_mm / enough_px));
  const Across across(s, e, height_mm, settings.reach_mm, every);
  for (int k = 0; k < profiles; ++k) {
    const double beside = profiles > 1 ? (2.0 * k / (profiles - 1) - 1) * 0.6 * e.half_mm : 0;
    across.fill(scratch, heights, beside, top_mm / 2, (e.number + k) % every);
    if (const auto at = scratch.edge(top_mm / 2, every * pixel_mm)) found[std::size_t(n++)] = *at;
  }
  if (3 * n < 2 * profiles) return std::nullopt;
  const double middle = median(found.data(), n);
  double sum = 0;
  int near = 0;
  for (int k = 0; k < n; ++k)
    if (std::abs(found[std::size_t(k)] - middle) <= settings.near_mm) sum += found[std::size_t(k)], ++near;
  if (3 * near < 2 * n) return std::nullopt;
  if (settings.rows == 0) return EdgeVotes::Edge{sum / near, every * pixel_mm};
  return voted_edge(s, heights, e, {height_mm, top_mm, sum / near}, settings.rows, scratch);
}

}  // namespace

int seen_at(const EdgeScene& scene, std::size_t component, const MovedPlane& motion) {
  const MovedBody body(scene, scene.recipe.components[component], motion);
  const auto top = top_of(scene, LocalHeights(scene, body.centre_mm), body);
  return seen_as(top, body.height_mm);
}

OneBodysEdges edges_of_body(const EdgeScene& scene, std::size_t component, const MovedPlane& moved,
                            const EdgeSettings& settings) {
  OneBodysEdges found;
  const double pixel_mm = std::max(scene.view.per_col().norm(), scene.view.per_row().norm());
  const Component& c = scene.recipe.components[component];
  const MovedBody body(scene, c, moved);
  const LocalHeights heights(scene, body.centre_mm);
  const auto top = top_of(scene, heights, body);
  found.seen = seen_as(top, body.height_mm);
  if (found.seen != 1) return found;
  Profile scratch;
  const Eigen::Vector2d half = c.body.size_mm / 2;
  for (int axis = 0; axis < 2; ++axis) {
    std::array<std::optional<EdgeVotes::Edge>, 2> edges;
    for (int k = 0; k < 2; ++k) {
      const Eigen::Vector2d outward = (k ? 1 : -1) * body.axes.col(axis);
      const EdgeLine e{
          body.centre_mm + half[axis] * outward, outward, body.axes.col(1 - axis), half[1 - axis], half[axis],
          int(component % 64) + 2 * axis + k};
      edges[std::size_t(k)] = edge_of(scene, heights, e, body.height_mm, *top, settings, scratch);
    }
    if (!edges[0] || !edges[1]) continue;
    const double off = (edges[1]->at_mm - edges[0]->at_mm) / 2, size_off = edges[0]->at_mm + edges[1]->at_mm,
                 unresolved = (edges[0]->unresolved_mm + edges[1]->unresolved_mm) / 2;
    if (std::abs(size_off) > std::min(most_size_mm, size_share * c.body.size_mm[axis]) + size_px * pixel_mm)
      continue;
    found.along[std::size_t(axis)] =
        EdgePair{component, c.body.centre_mm, body.axes.col(axis), off, size_off, unresolved};
  }
  return found;
}

void BodyEdges::add(const OneBodysEdges& body) {
  measured += body.seen != 0 ? 1 : 0;
  seen += body.seen == 1 ? 1 : 0;
  for (const auto& pair : body.along)
    if (pair) pairs.push_back(*pair);
}

BodyEdges body_edges(const EdgeScene& scene, const std::vector<std::size_t>& components,
                     const PlaneMotion& motion, const EdgeSettings& settings, unsigned threads) {
  const MovedPlane moved(motion);
  std::vector<OneBodysEdges> found(components.size());
  parallel_for(threads, components.size(), [&](std::size_t i, unsigned) {
    found[i] = edges_of_body(scene, components[i], moved, settings);
  });
  BodyEdges edges;
  for (const OneBodysEdges& body : found) edges.add(body);
  return edges;
}

}  // namespace datum
