// PartSequencer: a part, or a board of several snapshots, between its snapshots. Each is triggered, paired and kept; the last one lets them be measured
// together.
//
// While the part waits for a trigger no board is in work; its order lies here then, and nowhere else. On the loop's
// thread.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "daemon/cell/board.h"
#include "daemon/cell/frame_deliveries.h"
#include "daemon/cell/host_events.h"

namespace datum {

/// Throws scpi::Error for what would otherwise make every part or board INVALID. `cmm`: one is configured.
void demand_measurable_part(const Recipe& recipe, bool cmm);

/// How an order ends: measured, or INVALID with a reason.
struct Conclusion {
  Reason reason = Reason::none;
  std::string detail;
};

class PartSequencer {
 public:
  PartSequencer(FrameDeliveries& deliveries, const HostEvents& events)
      : deliveries_(deliveries), events_(events) {}

  /// The part that waits for the trigger of its next snapshot; null: none does.
  const BoardOrder* waiting() const { return part_.get(); }
  std::optional<MonotonicNs> deadline() const { return due_; }
  /// Its snapshots are complete; the next trigger lets its holes be touched.
  bool waits_for_touching() const;
  /// "snapshot 3 of 7 (left)", or "the touching of 5 holes", of the part that waits.
  std::string next_snapshot() const;
  /// Its next snapshot is triggered, or did not come.
  std::shared_ptr<BoardOrder> resume();
  /// Why the part that waits past its deadline is INVALID. A board is measured in the snapshots that came.
  Conclusion overdue();
  /// The part that waits is not of this unit, which is stated for the next trigger; empty: none is.
  bool is_of_another_unit(const std::string& unit) const;
  /// Why it ends where another unit is stated: what comes next belongs to that one. A board as overdue().
  Conclusion other_unit(const std::string& unit);
  /// The order's frame is its next snapshot. None: the part waits for the next trigger, and `order` is null. What is wrong
  /// with one snapshot ends the part at once: the next trigger begins a part anew, at its first pose. Of a board it ends where the
  /// stage stands at no later pose: it may be at the next board's first one.
  std::optional<Conclusion> take_snapshot(std::shared_ptr<BoardOrder>& order, MonotonicNs now);
  /// The order's next snapshot can't be used, and why. None as above.
  std::optional<Conclusion> lose_snapshot(std::shared_ptr<BoardOrder>& order, const Conclusion& why,
                                          MonotonicNs now);
  /// The part that waits is given up.
  void abandon(const std::string& why);

 private:
  Conclusion end_of_waiting(const std::string& why);
  std::optional<Conclusion> take_of_board(std::shared_ptr<BoardOrder>& order, MonotonicNs now);
  std::optional<Conclusion> keep(std::shared_ptr<BoardOrder>& order, MonotonicNs now);

  FrameDeliveries& deliveries_;
  const HostEvents& events_;
  std::shared_ptr<BoardOrder> part_;
  std::optional<MonotonicNs> due_;
};

}  // namespace datum
