#include "daemon/cell/board_sequencer.h"

#include <fmt/format.h>

#include <utility>

#include "daemon/instrument/scpi_error.h"
#include "daemon/system/event_loop.h"

namespace datum {
namespace {

/// Null: the delivery could not be read.
const DroppedFrame* frame_of(const BoardOrder& order) { return order.frame ? &*order.frame : nullptr; }

/// From the exposure, where the source knows it, to now: pixels are still made after a stamp.
std::optional<CaptureWindow> exposure_of(const ClaimedFrame& claim, MonotonicNs now) {
  if (!claim.exposed) return std::nullopt;
  return CaptureWindow{claim.exposed->from_ns, now, true};
}

}  // namespace

BoardSequencer::BoardSequencer(BoardSequencerDependencies dependencies)
    : deps_(std::move(dependencies)),
      deliveries_(deps_.frames, deps_.retention, deps_.events),
      part_(deliveries_, deps_.events),
      trigger_(deps_.trigger) {
  if (deps_.pairing) stare_.emplace(*deps_.pairing);
}

// ---- what hosts ask for ----

bool BoardSequencer::awaits_position_before() const {
  return stare_ && stare_->step() == StareSession::Step::wait_before;
}

std::string BoardSequencer::detail() const {
  switch (deps_.state.now()) {
    case InstrumentState::idle:
      return "";
    case InstrumentState::armed:
      if (part_.waiting()) return "for a trigger: " + part_.next_snapshot();
      return trigger_ == TriggerMode::bus ? "for a trigger" : "for a frame";
    case InstrumentState::waiting:
      if (awaits_position_before()) return "for the position before the frame";
      return board_ && board_->claim ? "for the position after the frame" : "for the frame";
    case InstrumentState::measuring:
      return board_ && board_->claim ? board_->claim->name() : "";
  }
  return "";
}

void BoardSequencer::demand_none_in_hand() const {
  if (board_) throw scpi::Error(scpi::settings_conflict, "a board is being measured; ABORt or wait");
  if (part_.waiting())
    throw scpi::Error(scpi::settings_conflict,
                      part_.next_snapshot() + " is awaited; take it, or ABORt gives the part up");
}

void BoardSequencer::arm(const Recipe& recipe, bool resumes) {
  const MonotonicNs now = EventLoop::now();
  const std::size_t frames_before = deps_.frames.begin(now);
  const bool kept = deps_.acceptance.arm(
      {now, frames_before, deps_.frames.link_since(), resumes, trigger_ == TriggerMode::on_frame}, recipe);
  if (!kept)
    deps_.events.log(
        4, "it can't be kept that the cell is armed: frames that come while datumd is down will be INVALID");
  deps_.state.enter(InstrumentState::armed);
}

void BoardSequencer::trigger() {
  if (trigger_ != TriggerMode::bus)
    throw scpi::Error(
        scpi::trigger_ignored,
        "each frame is measured when it comes; TRIGger:SOURce is EXTernal (inspection.trigger is on_frame)");
  if (!deps_.state.armed())
    throw scpi::Error(scpi::trigger_ignored, deps_.state.idle() ? "not armed" : "a board is in progress");
  deps_.acceptance.came(deps_.frames.begin(EventLoop::now()));  // what lies there already is seen before
  begin(EventLoop::now());
}

void BoardSequencer::abandon(const std::string& why) {
  const bool measuring = deps_.state.now() == InstrumentState::measuring;
  if (board_) {
    board_->aborted = true;
    deps_.events.log(
        5, "the board in progress is abandoned: " + why,
        {Event::board_abandoned, {{"DATUM_RECIPE", board_->recipe->name}, {"DATUM_REASON", why}}});
    if (board_->claim && !measuring && !board_->loading) deliveries_.abort(*board_->claim);
    if (!measuring) deliveries_.abort_snapshots(*board_);
    board_.reset();
  }
  part_.abandon(why);
  if (stare_) stare_->abort();
  frame_due_.reset();
  deps_.acceptance.end_board(EventLoop::now());
  deps_.acceptance.disarm();
  if (!deps_.state.idle()) deps_.orders.forget_unit();  // it was reported for a board that does not come
  deps_.state.enter(InstrumentState::idle, why);
}

// ---- from a trigger to a frame ----

void BoardSequencer::begin(MonotonicNs now) {
  board_ = part_.waiting() ? part_.resume() : deps_.orders.make(now);
  board_->triggered_ns = board_->times.triggered_ns = now;
  if (stare_) {
    stare_->start(now);
    deps_.cmm->poll_soon(now);
  }
  board_->passed_over = Reason::none;
  board_->frame_due_ns = now + deps_.frame_timeout_ms * ns_per_ms;
  frame_due_ = board_->frame_due_ns;
  deps_.state.enter(InstrumentState::waiting);
  if (trigger_ != TriggerMode::bus) return;
  deps_.acceptance.trigger(now, deps_.frames.link_since());
  if (!stare_) let_expose(now);
}

void BoardSequencer::let_expose(MonotonicNs now) {
  deps_.acceptance.ask(board_->triggered_ns);
  deps_.frames.expose(now);
  deps_.events.changed();  // the sensor may expose now
}

bool BoardSequencer::after_round(MonotonicNs now) {
  if (deps_.worker.busy()) return false;
  if (unfinished_ && deps_.state.armed()) {
    conclude_unfinished();
    return false;
  }
  const bool wanted = trigger_ == TriggerMode::on_frame
                          ? deps_.state.armed()
                          : deps_.state.now() == InstrumentState::waiting && !board_->claim;
  if (!wanted) return true;
  deps_.frames.claims_are_for(
      deps_.orders.record(board_ ? board_.get() : part_.waiting(), trigger_ == TriggerMode::bus));
  auto claim = deps_.frames.next();
  for (; claim && is_early(*claim); claim = deps_.frames.next()) {
    if (deps_.acceptance.earlier_outstanding()) {
      examine_early(*claim);
      return false;
    }
    deliveries_.refuse(*claim, early_refusal(*claim));
  }
  if (!claim) return true;
  if (!board_) begin(now);
  if (claim->left_over) deps_.orders.restore(*board_, *claim);
  // The source can't tell the newest trigger's exposure from an earlier one's.
  if (deps_.acceptance.earlier_outstanding()) claim->exposed = claim->exposed_by_clock;
  take_frame(*claim, now);
  return false;
}

/// A frame that was there before its trigger shows another board.
bool BoardSequencer::is_early(const ClaimedFrame& claim) const {
  return trigger_ == TriggerMode::bus && claim.first_seen_ns <= board_->triggered_ns;
}

void BoardSequencer::examine_early(const ClaimedFrame& claim) {
  const auto early = deps_.orders.make_to_read(claim);
  deps_.worker.submit([early] { load(*early); },
                      [this, early] {
                        const DroppedFrame* frame = frame_of(*early);
                        const bool duplicate = frame && deliveries_.is_duplicate(*frame);
                        deps_.acceptance.note_early(*early->claim, frame, duplicate);
                        deliveries_.refuse(*early->claim, early_refusal(*early->claim));
                      });
}

void BoardSequencer::take_frame(const ClaimedFrame& claim, MonotonicNs now) {
  frame_due_.reset();
  board_->claim = claim;
  board_->loading = true;
  board_->taken_ns = board_->times.taken_ns = now;
  board_->times.noticed_ns = claim.first_seen_ns;
  deliveries_.count_taken();
  if (stare_) {
    stare_->frame_arrived(now, exposure_of(claim, now));
    deps_.cmm->poll_soon(now);
  }
  deps_.worker.submit([board = board_] { load(*board); }, [this, board = board_] { frame_loaded(board); });
}

/// The board's own frame is still to come, in the time that it has; where the machine stood before it is known.
void BoardSequencer::await_another_frame(MonotonicNs now) {
  board_->claim.reset();
  board_->frame.reset();
  board_->frame_error.clear();
  board_->frame_reason = Reason::frame;
  board_->age.reset();
  board_->pairing.reset();
  frame_due_ = board_->frame_due_ns;
  if (!stare_) return;
  stare_->frame_discarded(now);
  deps_.cmm->poll_soon(now);
}

void BoardSequencer::frame_loaded(const std::shared_ptr<BoardOrder>& board) {
  board->loading = false;
  board->times.turn_ns = EventLoop::now();
  if (board->aborted) {
    deps_.acceptance.remember(frame_of(*board));
    deliveries_.abort(*board->claim);
    return;
  }
  if (board->frame && deliveries_.is_duplicate(*board->frame)) {
    deliveries_.end_duplicate(*board->claim, *board->frame);
    if (trigger_ == TriggerMode::bus) return await_another_frame(EventLoop::now());
    if (!board->claim->left_over) deps_.orders.return_unit(*board);
    return rearm();
  }
  // A crash between storing an unreadable delivery's result and moving it leaves it in work/.
  if (!board->frame && board->claim->left_over &&
      deps_.reader.already_measured(board->claim->stem(), "").has_value()) {
    deps_.frames.failed(*board->claim, board->frame_error);
    return rearm();
  }
  if (is_own(*board)) measure_when_ready();
}

/// Nothing is in work any more.
void BoardSequencer::rearm() {
  board_.reset();
  deps_.state.enter(InstrumentState::armed);
}

/// Judges the age of a frame; its exposure where a clock tells it.
std::optional<HostSpan> BoardSequencer::time_frame(BoardOrder& board) {
  if (!board.frame) return board.claim->exposed_by_clock;
  const FrameTiming timing = deps_.acceptance.time_frame(
      board.frame->frame.captured, *board.claim, board.taken_ns,
      trigger_ == TriggerMode::bus ? std::optional(board.triggered_ns) : std::nullopt);
  board.age = timing.age;
  if (board.frame_error.empty() && !timing.refusal.empty()) {
    board.frame_error = timing.refusal;
    board.frame_reason = Reason::frame_stale;
  }
  if (stare_ && timing.by_stamp) stare_->exposed({timing.exposed->from_ns, board.taken_ns, true});
  return timing.exposed;
}

/// False: the frame is not this board's, and another one is awaited.
bool BoardSequencer::is_own(BoardOrder& board) {
  const std::optional<HostSpan> exposed = time_frame(board);
  const FrameInHand frame{*board.claim, frame_of(board), board.frame && board.frame_error.empty(), exposed};
  // With a CMM, and of a part, the same unit stands elsewhere at its next trigger.
  const FrameRecipient recipient{board.triggered_ns, board.unit, board.unit_told_ns,
                                 !stare_ && !board.recipe->surface, board.left_over_fault};
  const FrameDecision decision = trigger_ == TriggerMode::bus
                                     ? deps_.acceptance.judge_triggered(frame, recipient)
                                     : deps_.acceptance.judge_unasked(frame, recipient);
  switch (decision.kind) {
    case FrameDecision::Kind::accepted:
      return true;
    case FrameDecision::Kind::invalid:
      if (decision.of_another_unit && !board.claim->left_over) deps_.orders.return_unit(board);
      if (!board.frame_error.empty()) return true;  // INVALID already
      board.frame_error = decision.why;
      board.frame_reason = decision.reason;
      return true;
    case FrameDecision::Kind::passed_over:
      board.passed_over = decision.reason;
      board.passed_over_why = decision.why;
      deliveries_.refuse(*board.claim, "is passed over: " + decision.why);
      break;
    case FrameDecision::Kind::early:
      deliveries_.refuse(*board.claim, decision.why);
      break;
  }
  await_another_frame(EventLoop::now());
  return false;
}

// ---- what comes beside the frame ----

void BoardSequencer::position(const ProbePoint& sample, MonotonicNs now) {
  if (!stare_->wants_position()) return;
  stare_->position(sample, now);
  if (stare_->step() == StareSession::Step::wait_frame) let_expose(now);
  measure_when_ready();
}

void BoardSequencer::fail_sensor(const std::string& fault) {
  if (!board_ || fault.empty()) return;
  board_->late_fault.tell(fault);
  if (deps_.state.now() == InstrumentState::waiting && !board_->claim) conclude({Reason::frame, fault});
}

std::optional<MonotonicNs> BoardSequencer::deadline() const {
  const auto stare = stare_ ? stare_->deadline() : std::nullopt;
  std::optional<MonotonicNs> earliest;
  for (const auto& due : {stare, frame_due_, part_.deadline()})
    if (due && (!earliest || *due < *earliest)) earliest = due;
  return earliest;
}

void BoardSequencer::on_deadline(MonotonicNs now) {
  if (stare_) stare_->on_deadline(now);
  if (part_.deadline() && now >= *part_.deadline()) {
    const Conclusion overdue = part_.overdue();
    board_ = part_.resume();
    return conclude(overdue);
  }
  if (frame_due_ && now >= *frame_due_)
    return conclude_without_frame(
        {Reason::frame, fmt::format("no frame came within {} ms of the trigger; check the sensor and {}",
                                    deps_.frame_timeout_ms, deps_.frames.place())});
  measure_when_ready();
}

// ---- from a frame to its result ----

void BoardSequencer::measure_when_ready() {
  if (!board_ || deps_.state.now() != InstrumentState::waiting) return;
  if (stare_ && stare_->finished()) board_->pairing = stare_->result();
  if (stare_ && stare_->step() == StareSession::Step::failed && !board_->claim)
    return conclude_without_frame({reason_of(stare_->result().fault), stare_->result().detail});
  if (!board_->claim || board_->loading || (stare_ && !stare_->finished())) return;
  if (!board_->frame || !board_->frame_error.empty())
    return conclude({board_->frame_reason, board_->frame_error});
  if (!board_->recipe->surface) return conclude({});
  if (const auto end = part_.take_snapshot(board_, EventLoop::now())) return conclude(*end);
  deps_.state.enter(InstrumentState::armed);
}

void BoardSequencer::conclude_without_frame(const Conclusion& conclusion) {
  if (board_->passed_over == Reason::none) return conclude(conclusion);
  conclude({board_->passed_over, board_->passed_over_why});
}

/// Has the board measured, or recorded as INVALID with a reason.
void BoardSequencer::conclude(const Conclusion& conclusion) {
  frame_due_.reset();
  deps_.acceptance.end_board(EventLoop::now());
  board_->reason = conclusion.reason;
  board_->detail = conclusion.detail;
  if (stare_ && !board_->pairing) board_->pairing = stare_->result();  // as far as it came
  deps_.state.enter(InstrumentState::measuring);
  board_->times.complete_ns = EventLoop::now();
  const auto board = board_;
  // The worker may outlive the cell at the daemon's end, not the store.
  deps_.worker.submit(
      [board, utc_ns = deps_.utc_ns, &store = deps_.writer] { measure(*board, utc_ns(), store); },
      [this, board] { finish(board); });
}

/// The board whose result could not be stored, with its own positions, recipe and unit.
void BoardSequencer::conclude_unfinished() {
  board_ = std::exchange(unfinished_, nullptr);
  board_->store_error.clear();
  board_->store_error_kind.reset();
  conclude({board_->reason, board_->detail});
}

void BoardSequencer::finish(const std::shared_ptr<BoardOrder>& board) {
  if (board->stored)
    deps_.announcer.announce(board);
  else if (board->store_error.empty())
    deps_.events.log(5, "the board in progress was aborted before its result was stored");
  deliveries_.settle(*board);
  if (board != board_) return;  // aborted, and perhaps armed anew
  if (board->stored) return rearm();
  board_.reset();
  // Without a store no result is durable, so none is announced and no board is taken.
  unfinished_ = board;
  deps_.state.enter(InstrumentState::idle, board->store_error);
  deps_.events.raise(
      board->store_error_kind == StoreError::Kind::full ? scpi::media_full : scpi::mass_storage_error,
      board->store_error + "; disarmed, the board is kept and measured when armed again",
      {Event::store_trouble, {{"DATUM_REASON", board->store_error}, {"DATUM_RECIPE", board->recipe->name}}});
}

}  // namespace datum
