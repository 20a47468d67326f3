#include "gpu/board/frame_bands.h"

#include <algorithm>
#include <numeric>

namespace datum {
namespace {

struct Rows {
  std::int32_t first = 0, end = 0;
};

/// Runs of a ring and of a body follow each other by rows.
void widen(const BoardPlan& plan, std::uint32_t first, std::uint32_t count, Rows* rows) {
  if (count == 0) return;
  const std::int32_t top = plan.runs[first].row, end = plan.runs[first + count - 1].row + 1;
  const bool none = rows->first == rows->end;
  rows->first = none ? top : std::min(rows->first, top);
  rows->end = none ? end : std::max(rows->end, end);
}

Rows rows_of(const BoardPlan& plan, const SitePlan& site) {
  Rows rows;
  widen(plan, site.ring_run, site.ring_runs, &rows);
  widen(plan, site.body_run, site.body_runs, &rows);
  return rows;
}

std::uint64_t pixels_of(const SitePlan& site) { return std::uint64_t{site.ring_pixels} + site.body_pixels; }

}  // namespace

std::vector<FrameBand> frame_bands(const BoardPlan& plan) {
  std::vector<Rows> rows;
  std::uint64_t pixels = 0;
  for (std::uint32_t i = 0; i < plan.site_count; ++i) {
    rows.push_back(rows_of(plan, plan.sites[i]));
    pixels += pixels_of(plan.sites[i]);
  }
  std::vector<std::uint32_t> order(plan.site_count);
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return rows[a].end < rows[b].end; });
  std::vector<FrameBand> bands;
  std::uint64_t passed = 0;
  for (const std::uint32_t i : order) {
    // a band ends where its share of all pixels is full
    if (bands.empty() ||
        (passed * max_frame_bands >= pixels * bands.size() && bands.size() < max_frame_bands))
      bands.emplace_back();
    FrameBand& band = bands.back();
    passed += pixels_of(plan.sites[i]);
    if (rows[i].first < rows[i].end) {
      band.first_row =
          band.first_row == band.end_row ? rows[i].first : std::min(band.first_row, rows[i].first);
      band.end_row = std::max(band.end_row, rows[i].end);
    }
    band.sites.push_back(i);
  }
  for (FrameBand& band : bands) std::sort(band.sites.begin(), band.sites.end());
  return bands;
}

std::uint32_t BandProgress::begin(int slot, std::uint32_t frame, std::uint32_t there) {
  Slot& s = slots_[static_cast<std::size_t>(slot)];
  if (s.frame != frame) s = {frame, 0};
  const std::uint32_t now = there & ~s.begun;
  s.begun |= now;
  return now;
}

std::uint32_t BandProgress::begun(int slot, std::uint32_t frame) const {
  const Slot& s = slots_[static_cast<std::size_t>(slot)];
  return s.frame == frame ? s.begun : 0;
}

void BandProgress::reset() { std::fill(slots_.begin(), slots_.end(), Slot{}); }

}  // namespace datum
