#include "daemon/inspection/board/early_scan.h"

#include <cstring>
#include <utility>

#include "gpu/board/cpu_board.h"
#include "gpu/board/site_pixels.h"

namespace datum {

EarlyScan::EarlyScan(std::shared_ptr<const PlannedBoard> planned)
    : planned_(std::move(planned)),
      plan_(planned_->plan.plan()),
      taken_(planned_->sites.size()),
      records_(planned_->sites.size()) {}

EarlyScan::~EarlyScan() { end_looks(); }

void EarlyScan::end_looks() {
  std::unique_lock lock(mutex_);
  ended_ = true;
  done_.wait(lock, [this] { return in_work_ == 0; });
}

void EarlyScan::look(const FrameView& frame, std::size_t site, const SiteRecord& record) {
  {
    const std::lock_guard lock(mutex_);
    if (ended_ || site >= taken_.size() || std::exchange(taken_[site], 1)) return;
    if (!scan_) scan_ = std::make_unique<SiteScan>(*planned_, frame);
    ++in_work_;
  }
  bool done = false;
  try {
    records_[site] = scan_->records()[site] = record;
    static thread_local SiteScratch scratch;
    work_on_site(plan_, frame, record, site, scratch,
                 [&](std::size_t i, const SiteHeights& heights) { scan_->look(i, heights); });
    done = true;
  } catch (const std::exception&) {
    // whoever evaluates the frame anew meets it, too
  }
  const std::lock_guard lock(mutex_);  // held, so that the object lives until this has ended
  failed_ = failed_ || !done;
  if (--in_work_ == 0) done_.notify_all();
}

std::unique_ptr<SiteScan> EarlyScan::finish(const FrameView& frame, const std::vector<SiteRecord>& records,
                                            unsigned threads) {
  std::vector<std::uint32_t> left;
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    if (!scan_) return nullptr;
    for (const std::uint32_t site : largest_first(plan_))
      if (!taken_[site]) left.push_back(site);
  }
  for (const std::uint32_t site : left) scan_->records()[site] = records_[site] = records[site];
  work_on_sites(plan_, frame, records.data(), left, threads,
                [&](std::size_t i, const SiteHeights& heights) { scan_->look(i, heights); });
  end_looks();
  if (failed_ || std::memcmp(records.data(), records_.data(), records.size() * sizeof records[0]) != 0)
    return nullptr;
  return std::move(scan_);
}

std::shared_ptr<EarlyScan> early_scan_of(const FrameView& frame, const PlannedBoard& planned) {
  if (!frame.early) return nullptr;
  auto scan = std::dynamic_pointer_cast<EarlyScan>(frame.early->work(frame));
  return scan && scan->is_of(planned) ? scan : nullptr;
}

}  // namespace datum
