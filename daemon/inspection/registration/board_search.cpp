#include "daemon/inspection/registration/board_search.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <utility>

#include "daemon/inspection/registration/nearest_index.h"
#include "gpu/core/parallel_for.h"

namespace datum {
namespace {

constexpr int lanes = 16;  // shifts that are added at once
constexpr double apart_cells = 3;
constexpr double least_peak = 0.3;  // of the best score: lower ones are not looked at
constexpr std::size_t most_peaks = 32;
constexpr int plateau = 2;  // steps around a peak
constexpr double plateau_share = 0.8;
constexpr double violation_weight =
    6;  // a shift along one axis violates a quarter of a body's points, in a shadow an eighth

/// Where pixels are as a body of one height demands: 1 raised to it, -1 not, 0 not measured. With a border of zeros.
struct Expectation {
  double height_mm = 0;
  int stride = 0, rows = 0, border = 0;
  std::vector<std::int8_t> seen;
};

Expectation expectation_of(double height_mm, const HeightLattice& l, int border, unsigned threads) {
  Expectation e{height_mm, l.cols + 2 * border, l.rows + 2 * border, border, {}};
  e.seen.assign(std::size_t(e.stride) * std::size_t(e.rows), 0);
  const float low = float(lowest_share * height_mm), high = float(highest_share * height_mm);
  parallel_for(threads, std::size_t(l.rows), [&](std::size_t row, unsigned) {
    const float* mm = l.mm.data() + row * std::size_t(l.cols);
    std::int8_t* out = e.seen.data() + (row + std::size_t(border)) * std::size_t(e.stride) + border;
    for (int col = 0; col < l.cols; ++col) {
      const float h = mm[col];
      const int in = int(h >= low) & int(h <= high);
      out[col] = std::int8_t(h == h ? 2 * in - 1 : 0);
    }
  });
  return e;
}

/// Lattice coordinates of board points.
struct LatticeView {
  const HeightLattice& lattice;
  const BoardView& view;
  Eigen::Vector2d operator()(const Eigen::Vector2d& board_mm, double height_mm) const {
    return (view.pixel_of(board_mm, height_mm) - lattice.first_px.cast<double>()) / lattice.step;
  }
  Eigen::Matrix2d board_per_cell() const {
    Eigen::Matrix2d m;
    m << view.per_col(), view.per_row();
    return m * lattice.step;
  }
};

/// Hypotheses of a search: turn, rotation, and shifts by whole cells of the lattice.
struct Range {
  int turns, angles, reach_x, reach_y, width;  // shifts from -reach to reach; width: a row of them, padded
  double step_deg;
  int first_turn, turn_step;
  Eigen::Vector2d about_mm;  // the shift of (0, 0)
  BoardTurn turn_of(int turn) const { return board_turn(first_turn + turn_step * turn); }
  std::size_t per_angle() const { return std::size_t(2 * reach_y + 1) * std::size_t(width); }
  std::size_t size() const { return std::size_t(turns) * std::size_t(2 * angles + 1) * per_angle(); }
  std::size_t at(int turn, int angle, int y, int x) const {
    return (std::size_t(turn) * std::size_t(2 * angles + 1) + std::size_t(angle + angles)) * per_angle() +
           std::size_t(y + reach_y) * std::size_t(width) + std::size_t(x + reach_x);
  }
};

Range range_of(const SearchSettings& s, const LatticeView& to_cell, const SearchPairs& pairs) {
  Range r{};
  r.turns = s.turns;
  r.first_turn = s.first_turn;
  r.turn_step = s.turn_step;
  r.about_mm = s.about_mm;
  const double cell = to_cell.lattice.cell_mm, arm = std::max(cell, pairs.arm_mm);
  r.step_deg = std::min(5.0, 0.8 * cell / arm * 57.29577951308232);
  r.angles = int(std::ceil(s.max_rotation_deg / r.step_deg)) + (s.max_rotation_deg > 0 ? 1 : 0);
  const Eigen::Matrix2d cell_per_board = to_cell.board_per_cell().inverse();
  const Eigen::Vector2d reach = cell_per_board.cwiseAbs() * Eigen::Vector2d::Constant(s.max_shift_mm);
  r.reach_x = int(std::ceil(reach.x())) + 1;
  r.reach_y = int(std::ceil(reach.y())) + 1;
  r.width = (2 * r.reach_x + 1 + lanes - 1) / lanes * lanes;
  return r;
}

using Lanes = std::int8_t __attribute__((vector_size(lanes)));
constexpr std::size_t most_added = 126;  // +-1 each: an int8 holds them

/// Adds (sign 1) or subtracts the windows in one block of shifts, some rows of it: each window's address is read once for all.
template <std::size_t... row>
void add_rows(const std::vector<const std::int8_t*>& windows, std::ptrdiff_t offset, std::ptrdiff_t stride,
              int sign, std::int16_t* to, std::ptrdiff_t width, std::index_sequence<row...>) {
  for (std::size_t first = 0; first < windows.size(); first += most_added) {
    std::array<Lanes, sizeof...(row)> sum{};
    const std::size_t last = std::min(windows.size(), first + most_added);
    for (std::size_t k = first; k < last; ++k) {
      const std::int8_t* const from = windows[k] + offset;
      const auto add = [&](Lanes& to_row, std::size_t of_row) {
        Lanes seen;
        std::memcpy(&seen, from + std::ptrdiff_t(of_row) * stride, sizeof seen);
        to_row += seen;
      };
      (add(std::get<row>(sum), row), ...);  // in registers
    }
    for (std::size_t y = 0; y < sum.size(); ++y)
      for (int i = 0; i < lanes; ++i) {
        std::int16_t& score = to[std::ptrdiff_t(y) * width + i];
        score = std::int16_t(score + sign * sum[y][i]);
      }
  }
}

/// Points of one level, about the pivot.
struct LevelPoints {
  std::vector<double> x_mm, y_mm;
  void add(const Eigen::Vector2d& from_pivot_mm) {
    x_mm.push_back(from_pivot_mm.x());
    y_mm.push_back(from_pivot_mm.y());
  }
};

/// The pairs' points by level; the scores are sums, so that their order does not matter.
struct SearchPoints {
  std::vector<LevelPoints> in, out;
  SearchPoints(const SearchPairs& pairs, const Eigen::Vector2d& pivot)
      : in(pairs.levels_mm.size()), out(pairs.levels_mm.size()) {
    for (const SearchPair& p : pairs.pairs) {
      in[p.level].add(p.in_mm - pivot);
      out[p.level].add(p.out_mm - pivot);
    }
  }
};

/// The windows of expectations around the points of one hypothesis of turn and rotation, for all shifts: those that lie wholly in the
/// map.
using Windows = std::vector<const std::int8_t*>;

Windows windows_of(const std::vector<LevelPoints>& points, const std::vector<Expectation>& expected,
                   const LatticeView& to_cell, const Range& r, const Eigen::Vector2d& pivot,
                   const Eigen::Matrix2d& linear) {
  Windows w;
  std::vector<int> left, top;
  const Eigen::Matrix2d by = to_cell.board_per_cell().inverse() * linear;
  for (std::size_t level = 0; level < points.size(); ++level) {
    const LevelPoints& of = points[level];
    const Expectation& e = expected[level];
    const std::size_t n = of.x_mm.size();
    // Of the window around the pivot.
    const Eigen::Vector2d first = to_cell(pivot + r.about_mm, e.height_mm) +
                                  Eigen::Vector2d(e.border - r.reach_x, e.border - r.reach_y);
    left.resize(n);
    top.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
      left[i] = nearest_index(first.x() + (by(0, 0) * of.x_mm[i] + by(0, 1) * of.y_mm[i]));
      top[i] = nearest_index(first.y() + (by(1, 0) * of.x_mm[i] + by(1, 1) * of.y_mm[i]));
    }
    const std::ptrdiff_t stride = e.stride;
    const unsigned lefts = unsigned(std::max(0, e.stride - r.width + 1)),
                   tops = unsigned(std::max(0, e.rows - 2 * r.reach_y));
    std::size_t found = w.size();
    w.resize(found + n);
    for (std::size_t i = 0; i < n; ++i) {
      const bool in = (unsigned(left[i]) < lefts) & (unsigned(top[i]) < tops);
      w[found] = e.seen.data() + (in ? top[i] * stride + left[i] : 0);
      found += std::size_t(in);
    }
    w.resize(found);
  }
  return w;
}

/// Of the shifts of one block, from row `y` on, as many rows as these at once; the number of rows done.
template <int rows>
int score_rows(const Windows& in, const Windows& out, int y, int block, const Range& r, std::ptrdiff_t stride,
               std::int16_t* scores) {
  int done = 0;
  for (; y + done + rows <= 2 * r.reach_y + 1; done += rows) {
    std::int16_t* const to = scores + std::ptrdiff_t(y + done) * r.width + block;
    add_rows(in, (y + done) * stride + block, stride, 1, to, r.width, std::make_index_sequence<rows>());
    add_rows(out, (y + done) * stride + block, stride, -1, to, r.width, std::make_index_sequence<rows>());
  }
  return done;
}

struct Scores {
  std::vector<std::int16_t> all;      // as Range::at
  std::vector<std::int16_t> highest;  // of each turn and rotation
};

Scores scores_of(const SearchPairs& pairs, const std::vector<Expectation>& expected,
                 const LatticeView& to_cell, const Range& r, const Eigen::Vector2d& pivot, unsigned threads) {
  Scores scores{std::vector<std::int16_t>(r.size(), 0), std::vector<std::int16_t>(r.size() / r.per_angle())};
  const SearchPoints points(pairs, pivot);
  const int per_turn = 2 * r.angles + 1;
  const std::ptrdiff_t stride = expected.empty() ? 0 : expected.front().stride;
  parallel_for(threads, scores.highest.size(), [&](std::size_t i, unsigned) {
    const int turn = int(i) / per_turn, angle = int(i) % per_turn - r.angles;
    const Eigen::Matrix2d linear = rotation_by_deg(angle * r.step_deg) * matrix_of(r.turn_of(turn));
    const Windows in = windows_of(points.in, expected, to_cell, r, pivot, linear),
                  out = windows_of(points.out, expected, to_cell, r, pivot, linear);
    std::int16_t* const of = scores.all.data() + i * r.per_angle();
    for (int block = 0; block < r.width; block += lanes) {
      int y = score_rows<8>(in, out, 0, block, r, stride, of);
      y += score_rows<3>(in, out, y, block, r, stride, of);
      score_rows<1>(in, out, y, block, r, stride, of);
    }
    std::int16_t highest = 0;  // not by max_element, which goes one by one
    for (std::size_t k = 0; k < r.per_angle(); ++k) highest = std::max(highest, of[k]);
    scores.highest[i] = highest;
  });
  return scores;
}

struct Peak {
  int turn = 0, angle = 0, x = 0, y = 0;
  int score = 0;
};

/// `at`: of p.
bool is_peak(const std::int16_t* at, const Range& r, const Peak& p) {
  const int left = p.x > -r.reach_x ? -1 : 0, right = p.x < r.reach_x ? 1 : 0;
  const std::ptrdiff_t angle = std::ptrdiff_t(r.per_angle());
  const auto rises_in = [&](const std::int16_t* row) {
    for (int x = left; x <= right; ++x)
      if (row[x] > p.score) return true;
    return false;
  };
  if (rises_in(at)) return false;
  for (int a = p.angle > -r.angles ? -1 : 0; a <= (p.angle < r.angles ? 1 : 0); ++a)
    for (int y = p.y > -r.reach_y ? -1 : 0; y <= (p.y < r.reach_y ? 1 : 0); ++y)
      if (rises_in(at + a * angle + y * r.width)) return false;
  return true;
}

/// In cells at the rim, of two places of one turn.
double distance(const Peak& a, const Peak& b) {
  return std::hypot(double(a.x - b.x), double(a.y - b.y)) + 0.8 * std::abs(a.angle - b.angle);
}

void add_peaks(const std::vector<std::int16_t>& scores, const Range& r, int turn, int angle, int least,
               std::vector<Peak>& peaks) {
  for (int y = -r.reach_y; y <= r.reach_y; ++y) {
    const std::int16_t* const row = scores.data() + r.at(turn, angle, y, 0);
    for (int x = -r.reach_x; x <= r.reach_x; ++x) {
      const Peak p{turn, angle, x, y, row[x]};
      if (p.score > least && is_peak(row + x, r, p)) peaks.push_back(p);
    }
  }
}

/// The highest first; three cells apart and more. The first one is the best of all.
std::vector<Peak> peaks_of(const Scores& scores, const Range& r, unsigned threads) {
  const int highest = *std::max_element(scores.highest.begin(), scores.highest.end());
  std::vector<Peak> all, apart;
  if (highest <= 0) return all;
  const int least = int(least_peak * highest);
  const std::size_t per_turn = std::size_t(2 * r.angles + 1);
  std::vector<std::vector<Peak>> of_angle(scores.highest.size());
  parallel_for(threads, of_angle.size(), [&](std::size_t i, unsigned) {
    if (scores.highest[i] > least)
      add_peaks(scores.all, r, int(i / per_turn), int(i % per_turn) - r.angles, least, of_angle[i]);
  });
  for (const std::vector<Peak>& peaks : of_angle) all.insert(all.end(), peaks.begin(), peaks.end());
  std::stable_sort(all.begin(), all.end(), [](const Peak& a, const Peak& b) { return a.score > b.score; });
  for (const Peak& p : all) {
    if (apart.size() == most_peaks) break;
    if (std::none_of(apart.begin(), apart.end(),
                     [&](const Peak& q) { return p.turn == q.turn && distance(p, q) <= apart_cells; }))
      apart.push_back(p);
  }
  return apart;
}

/// How well the bodies as wholes match at a place: where one is displaced, a quarter of its points and more are violated.
double match_of(const SearchPairs& pairs, const std::vector<Expectation>& expected,
                const LatticeView& to_cell, const SearchedPlace& place) {
  const Eigen::Vector2d& pivot = place.motion.pivot_mm;
  const Eigen::Matrix2d linear = rotation_by_deg(place.motion.rotation_deg) * matrix_of(place.motion.turn);
  const auto seen = [&](const Eigen::Vector2d& at, const Expectation& e) {
    const Eigen::Vector2d cell = to_cell(pivot + place.motion.shift_mm + linear * (at - pivot), e.height_mm);
    const int col = nearest_index(cell.x()) + e.border, row = nearest_index(cell.y()) + e.border;
    if (col < 0 || row < 0 || col >= e.stride || row >= e.rows) return 0;
    return int(e.seen[std::size_t(row) * std::size_t(e.stride) + std::size_t(col)]);
  };
  double sum = 0;
  for (std::size_t i = 0; i < pairs.pairs.size();) {
    int known = 0, violated = 0;
    const std::size_t body = pairs.pairs[i].body;
    for (; i < pairs.pairs.size() && pairs.pairs[i].body == body; ++i) {
      const SearchPair& p = pairs.pairs[i];
      const int in = seen(p.in_mm, expected[p.level]), out = seen(p.out_mm, expected[p.level]);
      known += std::abs(in) + std::abs(out);
      violated += (in < 0) + (out > 0);
    }
    if (known > 0) sum += std::max(0.0, 1 - violation_weight * violated / known);
  }
  return sum / double(std::max<std::size_t>(1, pairs.bodies));
}

/// Centre of what is nearly as high around a peak: with few bodies it is flat, because points a cell beside an edge are seen as
/// expected within a cell of their place. In steps of angle, x and y.
Eigen::Vector3d centre_of(const Peak& p, const std::vector<std::int16_t>& scores, const Range& r) {
  Eigen::Vector3d sum = Eigen::Vector3d::Zero();
  double weights = 0;
  for (int a = std::max(-r.angles, p.angle - plateau); a <= std::min(r.angles, p.angle + plateau); ++a)
    for (int y = std::max(-r.reach_y, p.y - plateau); y <= std::min(r.reach_y, p.y + plateau); ++y)
      for (int x = std::max(-r.reach_x, p.x - plateau); x <= std::min(r.reach_x, p.x + plateau); ++x) {
        const double w = scores[r.at(p.turn, a, y, x)] - plateau_share * p.score;
        if (w > 0) sum += w * Eigen::Vector3d(a, x, y), weights += w;
      }
  return sum / weights;  // the peak itself is above
}

SearchedPlace place_of(const Peak& p, const std::vector<std::int16_t>& scores, const Range& r,
                       const LatticeView& to_cell, const Eigen::Vector2d& pivot, std::size_t points) {
  const Eigen::Vector3d at = centre_of(p, scores, r);
  SearchedPlace place;
  place.motion = {pivot, r.about_mm + to_cell.board_per_cell() * at.tail<2>(), at.x() * r.step_deg,
                  r.turn_of(p.turn)};
  place.score = double(p.score) / double(std::max<std::size_t>(1, points));
  return place;
}

}  // namespace

std::vector<SearchedPlace> search_board(const SearchPairs& pairs, const Eigen::Vector2d& board_size_mm,
                                        const HeightLattice& lattice, const BoardView& view,
                                        const SearchSettings& settings, unsigned threads) {
  const Eigen::Vector2d pivot = board_size_mm / 2;
  const LatticeView to_cell{lattice, view};
  if (pairs.pairs.empty()) return {};
  const Range r = range_of(settings, to_cell, pairs);
  std::vector<Expectation> expected;
  expected.reserve(pairs.levels_mm.size());
  for (const double mm : pairs.levels_mm)
    expected.push_back(expectation_of(mm, lattice, std::max(r.width, r.reach_y), threads));
  const auto scores = scores_of(pairs, expected, to_cell, r, pivot, threads);
  const std::vector<Peak> peaks = peaks_of(scores, r, threads);
  std::vector<SearchedPlace> places(peaks.size());
  parallel_for(threads, peaks.size(), [&](std::size_t i, unsigned) {
    places[i] = place_of(peaks[i], scores.all, r, to_cell, pivot, 2 * pairs.pairs.size());
    places[i].match = match_of(pairs, expected, to_cell, places[i]);
  });
  if (places.size() > 2)
    std::stable_sort(places.begin() + 1, places.end(),
                     [](const SearchedPlace& a, const SearchedPlace& b) { return a.match > b.match; });
  if (places.size() > searched_places) places.resize(searched_places);
  return places;
}

}  // namespace datum
