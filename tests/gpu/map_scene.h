// Seeded height maps with known truth, as a board plan and a frame: patches for the paper's planes, and
// boards of rings around bodies. Every pixel is a function of its place and the seed: threads fill a map in
// any order.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <vector>

#include "gpu/core/board_plan.h"
#include "gpu/core/parallel_for.h"
#include "tests/gpu/plane_fit_scene.h"

namespace datum::testing {

/// Random numbers of one pixel, from a seed and its place (the finaliser of SplitMix64 between draws).
class PixelRandom {
 public:
  PixelRandom(std::uint64_t seed, std::uint64_t place)
      : state_(seed * 0x9E3779B97F4A7C15u + place * 0xD1B54A32D192ED03u) {}
  std::uint64_t bits() {
    std::uint64_t v = state_ += 0x9E3779B97F4A7C15u;
    v = (v ^ (v >> 30)) * 0xBF58476D1CE4E5B9u;
    v = (v ^ (v >> 27)) * 0x94D049BB133111EBu;
    return v ^ (v >> 31);
  }
  double uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }  // [0, 1)
  /// Mean 0, variance 1: four uniform numbers of 16 bits have variance 4/12.
  double gauss() {
    const std::uint64_t b = bits();
    const std::uint64_t sum = (b & 0xFFFF) + ((b >> 16) & 0xFFFF) + ((b >> 32) & 0xFFFF) + (b >> 48);
    return (static_cast<double>(sum) * 0x1p-16 - 2) * 1.7320508075688772;
  }

 private:
  std::uint64_t state_;
};

/// A frame and what is to be measured on it. Truths are planes in the coordinates of their sites.
struct MapScene {
  CountType type = CountType::int16;
  std::int32_t rows = 0, cols = 0, pitch = 0;  // counts from row to row, a multiple of 8
  std::vector<std::uint64_t> memory;           // the counts, 8-byte aligned
  std::vector<SitePlan> sites;
  std::vector<PixelRun> runs;
  std::vector<std::uint8_t> run_side;
  std::vector<TruePlane> truth;
  FitMode mode = FitMode::screened;
  double confidence = 1 - 1e-9;
  std::int32_t max_hypotheses = 512;

  BoardPlan plan() const {
    BoardPlan p;
    p.sites = sites.data(), p.site_count = static_cast<std::uint32_t>(sites.size());
    p.runs = runs.data(), p.run_side = run_side.data(), p.run_count = static_cast<std::uint32_t>(runs.size());
    p.rows = rows, p.cols = cols, p.type = type, p.mode = mode;
    p.confidence = confidence, p.max_hypotheses = max_hypotheses;
    return p;
  }
  FrameView view() const { return FrameView{memory.data(), nullptr, pitch}; }
  std::size_t bytes() const { return count() * count_bytes(); }
  std::size_t count() const { return static_cast<std::size_t>(rows) * static_cast<std::size_t>(pitch); }
  std::size_t count_bytes() const { return type == CountType::int16 ? 2 : 4; }

  /// A frame of pixels without heights.
  void take_frame(CountType counts, std::int32_t frame_rows, std::int32_t frame_cols) {
    type = counts, rows = frame_rows, cols = frame_cols, pitch = (frame_cols + 7) / 8 * 8;
    memory.assign((bytes() + 7) / 8, 0);
    for (std::size_t i = 0; i < count(); ++i) clear(i);
  }
  void clear(std::size_t i) {
    if (type == CountType::int16) put_raw(i, no_count_16);
    if (type == CountType::int32) put_raw(i, no_count_32);
    if (type == CountType::float32) put_raw(i, std::numeric_limits<float>::quiet_NaN());
  }
  /// The nearest count, kept off the mark of a missing height.
  void put(std::size_t i, double value) {
    const double whole = std::nearbyint(value);
    if (type == CountType::int16)
      put_raw(i, static_cast<std::int16_t>(std::min(32767.0, std::max(-32767.0, whole))));
    if (type == CountType::int32)
      put_raw(i, static_cast<std::int32_t>(std::min(2147483647.0, std::max(-2147483647.0, whole))));
    if (type == CountType::float32) put_raw(i, static_cast<float>(whole));
  }

 private:
  template <class T>
  void put_raw(std::size_t i, T value) {
    std::memcpy(reinterpret_cast<unsigned char*>(memory.data()) + i * sizeof(T), &value, sizeof(T));
  }
};

/// Points of one site's ring as every backend must see them, run after run; a missing height is NaN.
inline Scene ring_points(const BoardPlan& plan, std::uint32_t site, const FrameView& frame) {
  const SitePlan& s = plan.sites[site];
  Scene points;
  points.half_x = s.half_x, points.half_y = s.half_y, points.seed = s.seed;
  const float none = std::numeric_limits<float>::quiet_NaN();
  const auto z_of = [&](std::int32_t row, std::int32_t col) {
    const std::size_t i =
        static_cast<std::size_t>(row) * static_cast<std::size_t>(frame.pitch) + static_cast<std::size_t>(col);
    const std::size_t pixel =
        static_cast<std::size_t>(row) * static_cast<std::size_t>(plan.cols) + static_cast<std::size_t>(col);
    if (frame.classes && frame.classes[pixel] != 0) return none;
    if (plan.type == CountType::float32) return um_of(s.grid.z, static_cast<const float*>(frame.counts)[i]);
    if (plan.type == CountType::int32) {
      const std::int32_t count = static_cast<const std::int32_t*>(frame.counts)[i];
      return !frame.classes && count == no_count_32 ? none : um_of(s.grid.z, count);
    }
    const std::int16_t count = static_cast<const std::int16_t*>(frame.counts)[i];
    return !frame.classes && count == no_count_16 ? none : um_of(s.grid.z, count);
  };
  points.x.reserve(s.ring_pixels), points.y.reserve(s.ring_pixels), points.z.reserve(s.ring_pixels);
  for (std::uint32_t r = s.ring_run; r < s.ring_run + s.ring_runs; ++r) {
    const PixelRun& run = plan.runs[r];
    for (std::int32_t k = 0; k < run.length; ++k) {
      points.x.push_back(um_of(s.grid.x, run.col + k));
      points.y.push_back(um_of(s.grid.y, run.row));
      points.z.push_back(z_of(run.row, run.col + k));
    }
  }
  return points;
}

/// The settings that a plan means for one of its sites.
inline PlaneFitSettings settings_of(const BoardPlan& plan, const SitePlan& site) {
  PlaneFitSettings s;
  s.mode = plan.mode;
  s.residual = Residual::vertical;
  s.threshold = site.threshold, s.refit_threshold = site.refit_threshold;
  s.confidence = plan.confidence, s.max_hypotheses = plan.max_hypotheses;
  return s;
}

/// Fits of a plan's rings on the CPU; sites may differ in their thresholds.
inline std::vector<PlaneFit> fit_rings_on_cpu(const BoardPlan& plan, const FrameView& frame) {
  std::vector<PlaneFit> fits(plan.site_count);
  for (std::uint32_t i = 0; i < plan.site_count; ++i)
    fits[i] = fit(ring_points(plan, i, frame), settings_of(plan, plan.sites[i]));
  return fits;
}

/// Height of one of the paper's points: `inliers` of them within 0.7 of the plane, the others 1 to 10 from
/// it, measured perpendicular; slope = sqrt(1 + a^2 + b^2).
inline double paper_height(const TruePlane& plane, double slope, double inliers, double x, double y,
                           PixelRandom* random) {
  const bool in = random->uniform() < inliers;
  const double away = random->uniform() < 0.5 ? -1 : 1, share = random->uniform();
  const double distance = in ? 0.7 * share : 1 + 9 * share;
  return plane.a * x + plane.b * y + plane.c + away * distance * slope;
}

/// The paper's planes as a height map: `count` patches of side x side pixels, at most `across` beside each
/// other, a pitch of 2 within +-side and counts as fine as int16 allows. Inliers as in paper_scene;
/// threshold 1 from the plane.
inline MapScene patch_map(const TruePlane& plane, double inliers, std::size_t count, std::int32_t side = 200,
                          std::int32_t across = 20, CountType type = CountType::int16) {
  MapScene m;
  const std::int32_t n = static_cast<std::int32_t>(count), wide = std::min(n, across);
  m.take_frame(type, (n + wide - 1) / wide * side, wide * side);
  m.confidence = 0.999;
  m.max_hypotheses = 1024;
  const double slope = std::sqrt(1 + plane.a * plane.a + plane.b * plane.b);
  const double reach = (std::fabs(plane.a) + std::fabs(plane.b)) * side + std::fabs(plane.c) + 10 * slope;
  const double per_count = std::exp2(std::ceil(std::log2(reach / 32000)));
  for (std::int32_t i = 0; i < n; ++i) {
    const std::int32_t row = i / wide * side, col = i % wide * side;
    const std::int32_t middle_row = row + side / 2, middle_col = col + side / 2;
    SitePlan s;
    s.grid.x = axis_to_um(2, -side - 2.0 * col, middle_col);
    s.grid.y = axis_to_um(2, -side - 2.0 * row, middle_row);
    s.grid.z = axis_to_um(per_count, 0, plane.c / per_count);
    s.ring_run = static_cast<std::uint32_t>(m.runs.size());
    s.ring_runs = static_cast<std::uint32_t>(side);
    s.ring_pixels = static_cast<std::uint32_t>(side * side);
    s.seed = static_cast<std::uint64_t>(i) + 1;
    s.half_x = s.half_y = static_cast<float>(side);
    s.threshold = s.refit_threshold = static_cast<float>(slope);
    s.sigma_um = 0.4;
    for (std::int32_t r = 0; r < side; ++r) {
      m.runs.push_back(PixelRun{row + r, col, side});
      m.run_side.push_back(static_cast<std::uint8_t>(4 * r / side));
    }
    m.sites.push_back(s);
    m.truth.push_back(plane);
  }
  parallel_for(std::max(1u, cpu_backend().threads), count, [&](std::size_t i, unsigned) {
    const SitePlan& s = m.sites[i];
    for (std::int32_t k = 0; k < side * side; ++k) {
      const std::int32_t row = k / side, col = k % side;
      const PixelRun& run = m.runs[s.ring_run + static_cast<std::uint32_t>(row)];
      PixelRandom random(s.seed, static_cast<std::uint64_t>(k));
      const double x = -side + 2.0 * col, y = -side + 2.0 * row;
      const double z = paper_height(plane, slope, inliers, x, y, &random);
      m.put(static_cast<std::size_t>(run.row) * static_cast<std::size_t>(m.pitch) +
                static_cast<std::size_t>(run.col + col),
            z / per_count);
    }
  });
  return m;
}

/// A ring of `width` pixels around a hole of hole_x x hole_y pixels; the body stands `gap` pixels inside
/// the hole.
struct RingShape {
  std::int32_t width, hole_x, hole_y;
  std::int32_t pixels() const { return 2 * width * (hole_x + hole_y + 2 * width); }
  std::int32_t outer_x() const { return hole_x + 2 * width; }
  std::int32_t outer_y() const { return hole_y + 2 * width; }
};

/// 58 rings of 12,390 to 66,528 pixels, 1,132,102 in all, as on the paper's board (table 6), in no order of
/// size.
inline std::vector<RingShape> paper_rings() {
  const auto ring = [](std::int32_t width, std::int32_t k) {  // 2 width k pixels
    const std::int32_t hole = k - 2 * width;
    return RingShape{width, hole / 2, hole - hole / 2};
  };
  std::vector<RingShape> rings{ring(42, 792), ring(21, 295), ring(20, 400)};
  std::int32_t left = 21608;  // the others' k in all
  std::vector<std::int32_t> ks;
  for (std::int32_t i = 0; i < 55; ++i) left -= ks.emplace_back(260 + i * 266 / 54);
  for (std::int32_t i = 0; i < left; ++i) ++ks[54 - static_cast<std::size_t>(i)];
  for (std::size_t i = 0; i < ks.size(); ++i) rings.push_back(ring(24, ks[i * 17 % ks.size()]));
  return rings;
}

struct BoardOptions {
  std::int32_t rows = 3904, cols = 3904;
  CountType type = CountType::int16;
  double pitch_um = 20, um_per_count = 0.25;
  double noise_um = 3;
  double missing = 0.02;   // share of pixels without a height
  double outliers = 0.05;  // share of floor pixels 20 to 60 um above the floor
  double body_um = 800;    // above the floor; its roof falls by 4 um over the body
  double bow = 0;          // floor's second derivative along x, um per um^2
  unsigned sides = 15;     // of the rings, by bit: -x, +x, -y, +y
  FitMode mode = FitMode::screened;
  bool quadratic_form = false;      // asked of every second site
  bool opened_maximum = false;      // asked of every third site
  std::int32_t gap = 4, erode = 2;  // pixels between hole and body, and taken off a body's edge
  std::uint64_t seed = 1;
};

/// Where a site's ring and body lie on the frame: outer edges, half open.
struct SiteFrame {
  std::int32_t row, col;  // of the ring's first pixel
  RingShape ring;
  std::int32_t gap;
  bool in_body(std::int32_t r, std::int32_t c, std::int32_t margin) const {
    const std::int32_t off = ring.width + gap + margin;
    return r >= row + off && r < row + ring.outer_y() - off && c >= col + off &&
           c < col + ring.outer_x() - off;
  }
};

/// Appends the runs of a ring: its corners are split along the diagonals, as those of a recipe's rings are.
inline void add_ring_runs(const SiteFrame& f, unsigned sides, MapScene* m, SitePlan* s) {
  const std::int32_t w = f.ring.width, wide = f.ring.outer_x(), high = f.ring.outer_y();
  s->ring_run = static_cast<std::uint32_t>(m->runs.size());
  for (std::int32_t r = 0; r < high; ++r) {
    const std::int32_t edge = std::min({r, high - 1 - r, w});  // columns of the sides -x and +x in this row
    const auto add = [&](unsigned side, std::int32_t begin, std::int32_t end) {
      if (begin >= end || !(sides >> side & 1)) return;
      m->runs.push_back(PixelRun{f.row + r, f.col + begin, end - begin});
      m->run_side.push_back(static_cast<std::uint8_t>(side));
      s->ring_pixels += static_cast<std::uint32_t>(end - begin);
    };
    add(0, 0, edge);
    if (edge < w) add(r < w ? 2 : 3, edge, wide - edge);
    add(1, wide - edge, wide);
  }
  s->ring_runs = static_cast<std::uint32_t>(m->runs.size()) - s->ring_run;
}

inline void add_body_runs(const SiteFrame& f, std::int32_t erode, MapScene* m, SitePlan* s) {
  const std::int32_t off = f.ring.width + f.gap + erode, length = f.ring.outer_x() - 2 * off;
  s->body_run = static_cast<std::uint32_t>(m->runs.size());
  for (std::int32_t r = off; r < f.ring.outer_y() - off && length > 0; ++r) {
    m->runs.push_back(PixelRun{f.row + r, f.col + off, length});
    m->run_side.push_back(0);
    s->body_pixels += static_cast<std::uint32_t>(length);
    ++s->body_runs;
  }
}

/// Floor, bodies, noise and outliers of a board.
template <class Floor>
void paint_board(const std::vector<SiteFrame>& frames, const BoardOptions& o, const Floor& floor_at,
                 MapScene* m) {
  std::vector<std::vector<const SiteFrame*>> in_row(static_cast<std::size_t>(o.rows));
  for (const SiteFrame& f : frames)
    for (std::int32_t r = f.row; r < f.row + f.ring.outer_y(); ++r)
      in_row[static_cast<std::size_t>(r)].push_back(&f);
  parallel_for(std::max(1u, cpu_backend().threads), in_row.size(), [&](std::size_t r, unsigned) {
    const std::int32_t row = static_cast<std::int32_t>(r);
    const auto paint = [&](std::int32_t col, const SiteFrame* body) {
      const std::size_t i = r * static_cast<std::size_t>(m->pitch) + static_cast<std::size_t>(col);
      PixelRandom random(o.seed, i + (1u << 20));
      if (random.uniform() < o.missing) return m->clear(i);
      double um = floor_at(col * o.pitch_um, row * o.pitch_um) + o.noise_um * random.gauss();
      if (body) {
        um += o.body_um - 4.0 * (col - body->col) / body->ring.outer_x();
      } else if (random.uniform() < o.outliers) {
        um += 20 + 40 * random.uniform();
      }
      m->put(i, um / o.um_per_count);
    };
    std::int32_t col = 0;  // bodies of one row follow each other by columns
    for (const SiteFrame* f : in_row[r]) {
      const std::int32_t off = f->ring.width + f->gap;
      if (!f->in_body(row, f->col + off, 0)) continue;
      for (; col < f->col + off; ++col) paint(col, nullptr);
      for (; col < f->col + f->ring.outer_x() - off; ++col) paint(col, f);
    }
    for (; col < o.cols; ++col) paint(col, nullptr);
  });
}

/// A board of rings around bodies in a square of cells, ring after ring by rows. Throws
/// std::invalid_argument where a ring is larger than its cell.
inline MapScene board_map(const std::vector<RingShape>& rings, const BoardOptions& o = {}) {
  MapScene m;
  m.take_frame(o.type, o.rows, o.cols);
  m.mode = o.mode;
  const std::int32_t n = static_cast<std::int32_t>(rings.size());
  const std::int32_t across = static_cast<std::int32_t>(std::ceil(std::sqrt(std::max(n, 1))));
  const std::int32_t cell_y = o.rows / across, cell_x = o.cols / across;
  const double slope_x = 0.0006, slope_y = -0.0004, middle = o.cols * o.pitch_um / 2;
  const auto floor_at = [&](double x, double y) {
    return slope_x * x + slope_y * y + o.bow / 2 * (x - middle) * (x - middle);
  };
  std::vector<SiteFrame> frames;
  for (std::int32_t i = 0; i < n; ++i) {
    const RingShape& ring = rings[static_cast<std::size_t>(i)];
    if (ring.outer_x() > cell_x || ring.outer_y() > cell_y)
      throw std::invalid_argument("board_map: ring " + std::to_string(i) + " is larger than its cell of " +
                                  std::to_string(cell_x) + " x " + std::to_string(cell_y) + " pixels");
    PixelRandom random(o.seed, static_cast<std::uint64_t>(i));
    const auto place = [&](std::int32_t room) {
      return static_cast<std::int32_t>(random.uniform() * (room + 1));
    };
    const std::int32_t row = i / across * cell_y + place(cell_y - ring.outer_y());
    const std::int32_t col = i % across * cell_x + place(cell_x - ring.outer_x());
    frames.push_back(SiteFrame{row, col, ring, o.gap});

    SitePlan s;
    const double centre_col = col + (ring.outer_x() - 1) / 2.0, centre_row = row + (ring.outer_y() - 1) / 2.0;
    const double x = centre_col * o.pitch_um, y = centre_row * o.pitch_um, z = floor_at(x, y);
    s.grid.x = axis_to_um(o.pitch_um, -x, centre_col);
    s.grid.y = axis_to_um(o.pitch_um, -y, centre_row);
    s.grid.z = axis_to_um(o.um_per_count, -z, z / o.um_per_count);
    s.half_x = static_cast<float>(ring.outer_x() * o.pitch_um / 2);
    s.half_y = static_cast<float>(ring.outer_y() * o.pitch_um / 2);
    s.seed = o.seed * 1000003 + static_cast<std::uint64_t>(i);
    s.sigma_um = o.noise_um;
    s.threshold = static_cast<float>(1.5 * o.noise_um),
    s.refit_threshold = static_cast<float>(3 * o.noise_um);
    s.present_above_um = o.body_um / 2;
    s.quadratic_form = o.quadratic_form && i % 2 == 0;
    s.opened_maximum = o.opened_maximum && i % 3 == 0;
    for (const double q : {0.95, 0.05, 0.5})
      if (s.quantile_count < static_cast<std::uint32_t>(i % 4)) s.quantiles[s.quantile_count++] = q;
    for (const std::uint32_t k : {100u, 7u})
      if (s.top_count_count < static_cast<std::uint32_t>(i % 3)) s.top_counts[s.top_count_count++] = k;
    add_ring_runs(frames.back(), o.sides, &m, &s);
    add_body_runs(frames.back(), o.erode, &m, &s);
    m.sites.push_back(s);
    m.truth.push_back(TruePlane{slope_x + o.bow * (x - middle), slope_y, 0});
  }
  paint_board(frames, o, floor_at, &m);
  return m;
}

}  // namespace datum::testing
