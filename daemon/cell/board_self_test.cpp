#include <cmath>
#include <cstddef>
#include <cstring>
#include <exception>

#include "daemon/cell/self_test.h"
#include "gpu/board/cpu_board.h"

namespace datum {
namespace {

constexpr std::int32_t side = 64, border = 20, body_begin = 26, body_end = 38;
constexpr std::int16_t body_height = 800;

/// A plane of slope 1/64 and -1/128 in counts of 1 um, so that all numbers are exact; every seventh pixel
/// lies 100 um above it, every eleventh has no height. A body of 12 x 12 pixels stands in the middle, 800 um
/// above the plane.
class KnownBoard {
 public:
  KnownBoard() : counts_(std::size_t{side} * side) {
    for (std::int32_t row = 0; row < side; ++row) {
      for (std::int32_t col = 0; col < side; ++col) {
        const std::int32_t i = row * side + col;
        const bool body = inside(row, body_begin, body_end) && inside(col, body_begin, body_end);
        const std::int32_t off = body ? body_height : i % 7 == 0 ? 100 : 0;
        counts_[static_cast<std::size_t>(i)] =
            i % 11 == 0 && !body ? no_count_16 : static_cast<std::int16_t>(col - row + off);
      }
    }
    add_runs();
    site_.grid.x = axis_to_um(64, -31.5 * 64, 31.5);
    site_.grid.y = axis_to_um(128, -31.5 * 128, 31.5);
    site_.grid.z = axis_to_um(1, 0, 0);
    site_.half_x = 32 * 64;
    site_.half_y = 32 * 128;
    site_.threshold = site_.refit_threshold = 0.5f;
    site_.sigma_um = 0.5;
    site_.seed = 1;
    site_.quantiles[site_.quantile_count++] = 0.5;
    site_.top_counts[site_.top_count_count++] = 10;
    site_.present_above_um = 400;
    site_.opened_maximum = site_.quadratic_form = 1;
  }
  BoardPlan plan() const {
    BoardPlan p;
    p.sites = &site_;
    p.site_count = 1;
    p.runs = runs_.data();
    p.run_side = sides_.data();
    p.run_count = static_cast<std::uint32_t>(runs_.size());
    p.rows = p.cols = side;
    p.confidence = 1 - 1e-9;
    p.max_hypotheses = 512;
    return p;
  }
  SiteRecord measured_by(BoardMeasurer& measurer) const {
    SiteRecord record;
    measurer.measure(plan(), {counts_.data(), nullptr, side}, &record);
    return record;
  }

 private:
  static bool inside(std::int32_t i, std::int32_t begin, std::int32_t end) { return i >= begin && i < end; }
  void add(std::int32_t row, std::int32_t begin, std::int32_t end, std::uint8_t of_side) {
    runs_.push_back({row, begin, end - begin});
    sides_.push_back(of_side);
  }
  void add_runs() {
    for (std::int32_t row = 0; row < side; ++row) {
      if (inside(row, border, side - border)) {
        add(row, 0, border, 0);
        add(row, side - border, side, 1);
      } else {
        add(row, 0, side, row < border ? 2 : 3);
      }
    }
    site_.ring_runs = site_.body_run = static_cast<std::uint32_t>(runs_.size());
    for (const PixelRun& run : runs_) site_.ring_pixels += static_cast<std::uint32_t>(run.length);
    for (std::int32_t row = body_begin; row < body_end; ++row) add(row, body_begin, body_end, 0);
    site_.body_runs = body_end - body_begin;
    site_.body_pixels = (body_end - body_begin) * (body_end - body_begin);
  }

  std::vector<std::int16_t> counts_;
  std::vector<PixelRun> runs_;
  std::vector<std::uint8_t> sides_;
  SitePlan site_;
};

bool is_known(const SiteRecord& r) {
  // Perpendicular to the plane; nm.
  const double height = body_height * 1e3 / std::sqrt(1 + 1.0 / (64 * 64) + 1.0 / (128 * 128));
  // The data are exact, so the plane is too, but for the rounding of x and y in the sums (below 1e-9 here).
  return r.fit.status == FitStatus::ok && std::fabs(r.fit.a - 1.0 / 64) < 1e-9 &&
         std::fabs(r.fit.b + 1.0 / 128) < 1e-9 && std::fabs(r.fit.c) < 1e-6 &&
         r.ring.inliers == r.fit.inliers && r.body.valid == 144 && r.body.present == 144 &&
         std::fabs(r.body.min_nm - height) <= 1 && std::fabs(r.body.max_nm - height) <= 1;
}

/// All that every backend fills; of the residuals' products only what is derived from them is the same.
bool same_bytes(const SiteRecord& p, const SiteRecord& q) {
  const auto same = [](const auto& one, const auto& other) {
    return std::memcmp(&one, &other, sizeof one) == 0;
  };
  return same(p.fit.a, q.fit.a) && same(p.fit.b, q.fit.b) && same(p.fit.c, q.fit.c) &&
         same(p.fit.rms, q.fit.rms) && p.fit.valid == q.fit.valid && p.fit.inliers == q.fit.inliers &&
         p.fit.hypotheses == q.fit.hypotheses && same(p.ring.moments, q.ring.moments) &&
         same(p.ring.side_inliers, q.ring.side_inliers) && p.ring.inliers == q.ring.inliers &&
         p.ring.on_floor == q.ring.on_floor && p.ring.second == q.ring.second &&
         p.ring.second_bin == q.ring.second_bin &&
         std::memcmp(&p.body, &q.body, offsetof(BodyRecord, residuals)) == 0;
}

}  // namespace

std::vector<std::string> board_self_test(BoardMeasurer& measurer) {
  std::vector<std::string> failures;
  try {
    const KnownBoard known;
    CpuBoardMeasurer scalar(Backend{});
    const SiteRecord record = known.measured_by(measurer);
    if (!is_known(record)) failures.push_back("board, " + measurer.describe() + ": not the known board");
    if (!same_bytes(record, known.measured_by(scalar)))
      failures.push_back("board, " + measurer.describe() + ": other bytes than the scalar code");
  } catch (const std::exception& error) {
    failures.push_back(std::string("board: ") + error.what());
  }
  return failures;
}

}  // namespace datum
