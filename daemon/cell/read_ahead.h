// ReadAhead: the delivery behind the board in work is claimed and read while that board is measured.
//
// It belongs to no board yet: whose board it shows is decided when its turn comes, as if it had lain in its folder until then.
// For a process that ends meanwhile its claim states what it would be measured with now: the chosen recipe, and the unit only
// where its number was reported before the frame came and none since. Where the cell is disarmed the claim states nothing, and
// such a frame is INVALID. On the loop's thread, except for the reading.
#pragma once

#include <memory>
#include <string>

#include "daemon/cell/board_orders.h"
#include "daemon/cell/board_threads.h"
#include "drivers/sensor/frame_source.h"

namespace datum {

class ReadAhead {
 public:
  ReadAhead(FrameSource& frames, BoardOrders& orders, BoardThreads& threads)
      : frames_(frames), orders_(orders), threads_(threads) {}

  /// Claims the next delivery and has it read; none may be held. `earlier_outstanding`: see FrameAcceptance.
  void begin(bool earlier_outstanding, MonotonicNs now);
  /// Holds a delivery that was taken for a board which is not begun after all.
  void put_back(std::shared_ptr<BoardOrder> order);
  bool holds() const { return held_ != nullptr; }
  bool reading() const { return held_ && held_->loading; }
  /// Of what was read; null: nothing is held, or it can't be read.
  const FrameIdentity* identity() const;
  /// The delivery in its turn, read or unreadable; null: none is held.
  std::shared_ptr<BoardOrder> take();

  /// Once a round: the claim states what a process after this one may measure it with.
  void keep_record(bool armed);
  /// Why no frame of now can be measured.
  void tell_fault(const std::string& fault);
  /// The cell is not armed any more: a frame from the network, which only memory has, is given up. Returns their number; one
  /// that is being read is given up in a later call.
  std::size_t give_up_received();

 private:
  bool unit_stands() const;
  void sync_record();

  FrameSource& frames_;
  BoardOrders& orders_;
  BoardThreads& threads_;
  std::shared_ptr<BoardOrder> held_;
  std::optional<ClaimRecord> record_;  // of its claim
  std::string unit_;                   // that was reported when it was claimed
  MonotonicNs unit_reported_ns_ = 0;
};

}  // namespace datum
