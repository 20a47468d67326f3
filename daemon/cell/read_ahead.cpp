#include "daemon/cell/read_ahead.h"

#include <utility>

namespace datum {

void ReadAhead::begin(bool earlier_outstanding, MonotonicNs now) {
  record_ = orders_.record(nullptr, false);
  unit_ = orders_.unit();
  unit_reported_ns_ = orders_.unit_reported_ns();
  frames_.claims_are_for(*record_);
  auto claim = frames_.next();
  if (!claim) return;
  // The source can't tell the newest trigger's exposure from an earlier one's.
  if (earlier_outstanding) claim->exposed = claim->exposed_by_clock;
  held_ = orders_.make_to_read(*claim);
  held_->loading = true;
  held_->taken_ns = held_->times.taken_ns = now;
  held_->times.noticed_ns = claim->first_seen_ns;
  threads_.loader.submit([order = held_] { load(*order); }, [order = held_] { order->loading = false; });
  sync_record();
}

/// Beside the reading, and before the board's result: the storer works in order.
void ReadAhead::sync_record() {
  if (!held_->claim->received)
    threads_.storer.submit([folder = held_->claim->entry.parent_path()] { sync_claim_record(folder); },
                           [] {});
}

void ReadAhead::put_back(std::shared_ptr<BoardOrder> order) {
  record_ = orders_.record(order.get(), false);
  unit_ = orders_.unit();
  unit_reported_ns_ = orders_.unit_reported_ns();
  held_ = std::move(order);
}

const FrameIdentity* ReadAhead::identity() const {
  return held_ && held_->frame ? &held_->frame->identity : nullptr;
}

std::shared_ptr<BoardOrder> ReadAhead::take() { return std::exchange(held_, nullptr); }

bool ReadAhead::unit_stands() const {
  return unit_ == orders_.unit() && unit_reported_ns_ == orders_.unit_reported_ns() &&
         held_->claim->first_seen_ns > unit_reported_ns_;
}

void ReadAhead::keep_record(bool armed) {
  if (!held_ || held_->claim->received || held_->claim->left_over) return;
  std::optional<ClaimRecord> record;
  if (armed) {
    record = orders_.record(nullptr, false);
    if (!unit_stands()) {
      record->unit.clear();
      record->boards.clear();
    }
  }
  if (record == record_) return;
  record_ = record;
  frames_.claim_is_for(*held_->claim, record);
  sync_record();
}

void ReadAhead::tell_fault(const std::string& fault) {
  if (held_) held_->late_fault.tell(fault);
}

std::size_t ReadAhead::give_up_received() {
  if (!held_ || held_->loading || !held_->claim->received) return 0;
  frames_.failed(*take()->claim, "the cell was disarmed before its turn came");
  return 1;
}

}  // namespace datum
