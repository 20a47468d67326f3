// BoardSequencer: one board from its trigger to its announced result; a part's snapshots go the same way, one by one.
//
// A board that was triggered, or whose frame was taken, ends in a stored result, INVALID if need be, or in an abort that
// is logged. Reading, measuring and storing have a thread each (board_threads.h), everything else runs on the loop's.
//
// At most one board waits, is read or measured. Where frames start the measurement the next one's frame is read meanwhile
// (read_ahead.h), and those before it may be on their way to the disk: in their order (boards_on_way.h). A host that
// waits for the end of what is in work empties the way.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "daemon/cell/board_orders.h"
#include "daemon/cell/board_threads.h"
#include "daemon/cell/boards_on_way.h"
#include "daemon/cell/cell_state.h"
#include "daemon/cell/control_charts.h"
#include "daemon/cell/early_frames.h"
#include "daemon/cell/frame_acceptance.h"
#include "daemon/cell/frame_deliveries.h"
#include "daemon/cell/frame_judgement.h"
#include "daemon/cell/part_holes.h"
#include "daemon/cell/part_sequencer.h"
#include "daemon/cell/read_ahead.h"
#include "daemon/cell/reference_checks.h"
#include "daemon/cell/result_announcer.h"
#include "daemon/configuration/daemon_config.h"
#include "drivers/cmm/source.h"
#include "drivers/cmm/stare_session.h"

namespace datum {

struct BoardSequencerDependencies {
  TriggerMode trigger;
  int frame_timeout_ms;
  std::optional<PairSettings> pairing;  // with a CMM
  BoardThreads& threads;
  FrameSource& frames;
  CmmSource* cmm;                        // null: no CMM is configured
  ResultStore& writer;                   // used on the storer's thread only
  ResultStore& reader;                   // used on the loop's thread only
  std::function<std::int64_t()> utc_ns;  // since 1970-01-01
  const Retention* retention;            // null: every frame is kept
  const HostEvents& events;
  PartHoles& holes;
  CellState& state;
  FrameAcceptance& acceptance;
  BoardOrders& orders;
  ResultAnnouncer& announcer;
  ReferenceChecks& checks;
  ControlCharts& charts;
};

class BoardSequencer {
 public:
  explicit BoardSequencer(BoardSequencerDependencies dependencies);

  /// The oldest board in work; null: none is.
  const BoardOrder* board() const { return on_way_.oldest() ? on_way_.oldest() : board_.get(); }
  const PartSequencer& part() const { return part_; }
  bool in_hand() const { return board() || part_.waiting(); }
  const FrameCounts& frame_counts() const { return deliveries_.counts(); }
  /// The position before the frame is awaited: the sensor must not expose yet.
  bool awaits_position_before() const;
  /// What is awaited or being done, while the cell is armed; see Instrument::state_detail().
  std::string detail() const;

  TriggerMode trigger_mode() const { return trigger_; }
  void set_trigger_mode(TriggerMode mode) { trigger_ = mode; }
  /// Throws scpi::Error -221 while a board or a part is in work.
  void demand_none_in_hand() const;
  /// The caller has checked that the recipe can be measured. `resumes`: the process before was armed, and its arming goes
  /// on.
  void arm(const Recipe& recipe, bool resumes);
  /// Throws scpi::Error -211: not armed, or frames are the triggers.
  void trigger();
  /// A unit's number was stated for the next trigger: another one than that of the board between its snapshots ends that
  /// board, which can't get its other snapshots any more.
  void unit_stated();
  /// Ends waiting and measuring without a result, and disarms.
  void abandon(const std::string& why);

  /// True: it takes no frame now, and no thread is busy with one. To be called after every round of the loop.
  /// `empties`: boards in work are finished, and no other is begun beside them.
  bool after_round(MonotonicNs now, bool empties);
  void position(const ProbePoint& sample, MonotonicNs now);
  /// Why the board in work can't be measured.
  void fail_sensor(const std::string& fault);
  std::optional<MonotonicNs> deadline() const;
  void on_deadline(MonotonicNs now);

 private:
  bool may_begin(bool empties) const;
  void read_ahead(MonotonicNs now);
  bool begin_next(MonotonicNs now);
  void begin(MonotonicNs now);
  void begin_touching();
  void let_expose(MonotonicNs now);
  void take_frame(const ClaimedFrame& claim, MonotonicNs now);
  void take_read(BoardOrder& read);
  void accept_delivery(const ClaimedFrame& claim, MonotonicNs noticed_ns, MonotonicNs now);
  void await_another_frame(MonotonicNs now);
  void frame_loaded(const std::shared_ptr<BoardOrder>& board);
  /// Does it beside the loop, then frame_loaded().
  void on_loader(const std::shared_ptr<BoardOrder>& board, void (*work)(BoardOrder&));
  void rearm();
  bool is_own(BoardOrder& board);
  void measure_when_ready();
  void conclude(const Conclusion& conclusion);
  void conclude_without_frame(const Conclusion& conclusion);
  void conclude_snapshot(const Conclusion& why);
  void conclude_waiting(const Conclusion& conclusion);
  void await_snapshot();
  bool overlaps(const BoardOrder& board) const;
  void put_back();
  void measured(const std::shared_ptr<BoardOrder>& board);
  void finish(const std::shared_ptr<BoardOrder>& board);
  void disarm_without_store(const BoardOrder& board);

  BoardSequencerDependencies deps_;
  FrameDeliveries deliveries_;
  PartSequencer part_;
  TriggerMode trigger_;
  std::optional<StareSession> stare_;  // with a CMM
  EarlyFrames early_;
  ReadAhead ahead_;
  std::size_t given_up_ = 0;           // frames of a network's sensor since it was armed last
  std::shared_ptr<BoardOrder> board_;  // waits, is read or measured, or the last one that is stored
  bool measured_ = false;              // it is, and the next one may be begun
  BoardsOnWay on_way_;
  std::optional<MonotonicNs> frame_due_;
};

}  // namespace datum
