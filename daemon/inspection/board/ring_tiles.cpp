#include "daemon/inspection/board/ring_tiles.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gpu/core/portable.h"
#include "gpu/core/vector_loop.h"

namespace datum {
namespace {

constexpr double wanted_tiles = 48;
constexpr std::int32_t least_side_px = 4;
constexpr std::int32_t piece_px = 16;
static_assert(piece_px <= pixel_padding);

}  // namespace

RingTiles::RingTiles(const std::vector<PixelRun>& ring)
    : run_count_(static_cast<std::uint32_t>(ring.size())) {
  if (ring.empty()) return;
  first_row_ = first_col_ = std::numeric_limits<std::int32_t>::max();
  std::int32_t last_row = 0, last_col = 0;
  for (const PixelRun& run : ring) {
    pixels_ += static_cast<std::uint32_t>(run.length);
    first_row_ = std::min(first_row_, run.row);
    first_col_ = std::min(first_col_, run.col);
    last_row = std::max(last_row, run.row);
    last_col = std::max(last_col, run.col + run.length - 1);
  }
  side_px_ =
      std::max(least_side_px, static_cast<std::int32_t>(std::lround(std::sqrt(pixels_ / wanted_tiles))));
  across_ = (last_col - first_col_) / side_px_ + 1;
  const std::int32_t down = (last_row - first_row_) / side_px_ + 1;
  tile_at_.assign(static_cast<std::size_t>(across_) * static_cast<std::size_t>(down), none);
  for (const PixelRun& run : ring) {
    std::uint16_t* tile = &at(run.row, run.col);
    const std::uint16_t* last = &at(run.row, run.col + run.length - 1);
    for (; tile <= last; ++tile)
      if (*tile == none) *tile = static_cast<std::uint16_t>(count_++);
  }
}

std::vector<std::uint16_t> RingTiles::of_pixel(const PixelRun* runs) const {
  std::vector<std::uint16_t> of;
  of.reserve(pixels_);
  for (std::uint32_t i = 0; i < run_count_; ++i) {
    const std::uint16_t* row = &tile_at_[static_cast<std::size_t>((runs[i].row - first_row_) / side_px_) *
                                         static_cast<std::size_t>(across_)];
    for (std::int32_t k = 0; k < runs[i].length; ++k)
      of.push_back(row[(runs[i].col + k - first_col_) / side_px_]);
  }
  return of;
}

namespace {

/// Sums over one column of a row of tiles; j counts its rows from 0.
enum ColumnSum { heights, inliers, sum_j, sum_jj, sum_r, sum_jr, sum_rr, column_sums };

/// Sums over a tile's inliers; k counts columns and j rows from the tile's first ones.
struct TileSums {
  double n = 0, k = 0, j = 0, r = 0, kk = 0, kj = 0, jj = 0, kr = 0, jr = 0, rr = 0;

  void add(const float* const (&of)[column_sums], std::size_t col, double at) {
    const double in = of[inliers][col], js = of[sum_j][col], rs = of[sum_r][col];
    n += in;
    k += at * in;
    j += js;
    r += rs;
    kk += at * at * in;
    kj += at * js;
    jj += of[sum_jj][col];
    kr += at * rs;
    jr += of[sum_jr][col];
    rr += of[sum_rr][col];
  }
  /// Squares about the tile's own least-squares plane, so that bow does not count as noise.
  double about_plane() const {
    const double skk = kk - k * k / n, skj = kj - k * j / n, sjj = jj - j * j / n;
    const double skr = kr - k * r / n, sjr = jr - j * r / n, srr = rr - r * r / n;
    const double det = skk * sjj - skj * skj;
    if (!(det > 1e-6 * skk * sjj)) return std::max(0.0, srr);
    const double a = (skr * sjj - sjr * skj) / det, b = (sjr * skk - skr * skj) / det;
    return std::max(0.0, srr - a * skr - b * sjr);
  }
};

double um_at(const AxisToUm& axis, double index) {
  return static_cast<double>(axis.rest) + static_cast<double>(axis.per_index) * (index - axis.ref);
}

struct RowOfRing {
  float floor, reach, j;  // b y + c, of the inliers, row of the tile
};

/// Adds a run to its columns, in pieces of fixed length; lanes beyond the run contribute nothing. Pointer
/// parameters and masks instead of selects, so that the loop vectorises.
DATUM_HD void add_run(const float* __restrict z, const float* __restrict floor, RowOfRing row,
                      std::int32_t length, float* __restrict with_height, float* __restrict n,
                      float* __restrict js, float* __restrict jjs, float* __restrict rs,
                      float* __restrict jrs, float* __restrict rrs) {
  constexpr float most = std::numeric_limits<float>::max();
  const float j = row.j, jj = j * j;
  for (std::int32_t done = 0; done < length; done += piece_px) {
    for (std::int32_t i = 0; i < piece_px; ++i) {
      const std::int32_t k = done + i;
      const float r = z[k] - floor[k] - row.floor, far = std::fabs(r);
      const std::uint32_t own = k < length ? ~0u : 0u;
      const std::uint32_t in = (far <= row.reach ? ~0u : 0u) & own, known = (far <= most ? ~0u : 0u) & own;
      const float one = float_of(bits_of(1.f) & in), left = float_of(bits_of(r) & in);
      with_height[k] += float_of(bits_of(1.f) & known);
      n[k] += one;
      js[k] += j * one;
      jjs[k] += jj * one;
      rs[k] += left;
      jrs[k] += j * left;
      rrs[k] += left * left;
    }
  }
}

}  // namespace

/// Accumulates a ring by columns of its rows of tiles: loops without a reduction vectorise in any order of
/// lanes.
class TileMeans {
 public:
  TileMeans(const RingTiles& tiles, const SitePlan& site, const PixelRun* runs, const PlaneFit& plane,
            double reach_um)
      : tiles_(tiles),
        site_(site),
        runs_(runs),
        plane_(plane),
        reach_um_(static_cast<float>(reach_um)),
        width_(static_cast<std::size_t>(tiles.across_) * static_cast<std::size_t>(tiles.side_px_) + piece_px),
        room_((column_sums + 1) * width_),
        levels_(tiles.count()) {
    for (std::size_t s = 0; s < column_sums; ++s) of_[s] = &room_[s * width_];
    floor_ = &room_[column_sums * width_];
    for (std::size_t c = 0; c < width_; ++c)
      floor_[c] =
          static_cast<float>(plane.a * um_at(site.grid.x, tiles.first_col_ + static_cast<std::int32_t>(c)));
  }

  std::vector<TileLevel> of(const float* z, Isa isa) {
    for (std::uint32_t run = 0; run < tiles_.run_count_;) {
      const std::int32_t band = band_of(run);
      std::uint32_t end = run;
      while (end < tiles_.run_count_ && band_of(end) == band) ++end;
      z = add_runs(run, end, tiles_.first_row_ + band * tiles_.side_px_, z, isa);
      close(band);
      run = end;
    }
    return std::move(levels_);
  }

 private:
  std::int32_t band_of(std::uint32_t run) const {
    return (runs_[run].row - tiles_.first_row_) / tiles_.side_px_;
  }
  const float* add_runs(std::uint32_t from, std::uint32_t to, std::int32_t first_row, const float* z,
                        Isa isa);
  void close(std::int32_t band);

  const RingTiles& tiles_;
  const SitePlan& site_;
  const PixelRun* runs_;
  const PlaneFit& plane_;
  const float reach_um_;
  const std::size_t width_;
  std::vector<float> room_;
  float* of_[column_sums];
  float* floor_;  // a x of each column
  std::vector<TileLevel> levels_;
};

const float* TileMeans::add_runs(std::uint32_t from, std::uint32_t to, std::int32_t first_row, const float* z,
                                 Isa isa) {
  vector_loop(isa, [&]() DATUM_VECTOR_LOOP {
    const float reach = reach_um_;
    for (std::uint32_t i = from; i < to; ++i) {
      const PixelRun run = runs_[i];
      const std::int32_t at = run.col - tiles_.first_col_;
      const float row = static_cast<float>(plane_.b * um_at(site_.grid.y, run.row) + plane_.c);
      add_run(z, floor_ + at, {row, reach, static_cast<float>(run.row - first_row)}, run.length,
              of_[heights] + at, of_[inliers] + at, of_[sum_j] + at, of_[sum_jj] + at, of_[sum_r] + at,
              of_[sum_jr] + at, of_[sum_rr] + at);
      z += run.length;
    }
  });
  return z;
}

/// Completes the tiles of one row.
void TileMeans::close(std::int32_t band) {
  const auto side = static_cast<std::size_t>(tiles_.side_px_);
  for (std::size_t cell = 0; cell < static_cast<std::size_t>(tiles_.across_); ++cell) {
    const std::uint16_t tile =
        tiles_.tile_at_[static_cast<std::size_t>(band) * static_cast<std::size_t>(tiles_.across_) + cell];
    if (tile == RingTiles::none) continue;
    TileSums s;
    double with_height = 0;
    for (std::size_t k = 0; k < side; ++k) {
      s.add(of_, cell * side + k, static_cast<double>(k));
      with_height += of_[heights][cell * side + k];
    }
    TileLevel& t = levels_[tile];
    t.heights = static_cast<std::uint32_t>(with_height);
    t.inliers = static_cast<std::uint32_t>(s.n);
    if (t.inliers == 0) continue;
    t.x = um_at(site_.grid.x, tiles_.first_col_ + static_cast<double>(cell * side) + s.k / s.n);
    t.y = um_at(site_.grid.y, tiles_.first_row_ + band * tiles_.side_px_ + s.j / s.n);
    t.level = s.r / s.n;
    t.squares = s.about_plane();
  }
  std::fill_n(of_[0], column_sums * width_, 0.f);
}

std::vector<TileLevel> tile_means(const RingTiles& tiles, const SitePlan& site, const PixelRun* runs,
                                  const float* z, const PlaneFit& plane, double reach_um, Isa isa) {
  return TileMeans(tiles, site, runs, plane, reach_um).of(z, isa);
}

}  // namespace datum
