// The host's evaluation of a frame's sites while it arrives (SiteScan): of those whose records are there. What it gives is that of
// the same work behind the whole frame, since a site is evaluated from its own pixels and its own record alone.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

#include "daemon/inspection/board/site_scan.h"
#include "gpu/core/early_frame.h"

namespace datum {

class EarlyScan final : public EarlyWork {
 public:
  explicit EarlyScan(std::shared_ptr<const PlannedBoard> planned);
  /// Waits for the work in progress.
  ~EarlyScan() override;

  void look(const FrameView& frame, std::size_t site, const SiteRecord& record) override;

  bool is_of(const PlannedBoard& planned) const { return planned_.get() == &planned; }
  /// The frame is whole, and these are its records: evaluates the sites that are left on at most `threads` threads. Null where a site was
  /// evaluated with another record, or none was: the frame is to be evaluated anew. Once.
  std::unique_ptr<SiteScan> finish(const FrameView& frame, const std::vector<SiteRecord>& records,
                                   unsigned threads);

 private:
  void end_looks();

  const std::shared_ptr<const PlannedBoard> planned_;
  const BoardPlan plan_;
  std::mutex mutex_;
  std::condition_variable done_;
  bool ended_ = false;  // no further look begins
  bool failed_ = false;
  std::size_t in_work_ = 0;          // looks
  std::vector<std::uint8_t> taken_;  // sites
  std::unique_ptr<SiteScan> scan_;   // null: no site was looked at
  std::vector<SiteRecord> records_;  // of the sites that are taken
};

/// What was evaluated of this frame's sites; null: nothing that holds.
std::shared_ptr<EarlyScan> early_scan_of(const FrameView& frame, const PlannedBoard& planned);

}  // namespace datum
