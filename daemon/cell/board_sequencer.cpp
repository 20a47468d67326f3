#include "daemon/cell/board_sequencer.h"

#include <fmt/format.h>

#include <utility>

#include "daemon/instrument/scpi_error.h"
#include "daemon/system/event_loop.h"

namespace datum {

BoardSequencer::BoardSequencer(BoardSequencerDependencies dependencies)
    : deps_(std::move(dependencies)),
      deliveries_(deps_.frames, deps_.retention, deps_.events),
      part_(deliveries_, deps_.events),
      trigger_(deps_.trigger),
      early_(deliveries_, deps_.acceptance, deps_.orders, deps_.threads.loader),
      ahead_(deps_.frames, deps_.orders, deps_.threads),
      on_way_({deps_.threads, deps_.writer, deps_.utc_ns,
               [this](const std::shared_ptr<BoardOrder>& board) { measured(board); },
               [this](const std::shared_ptr<BoardOrder>& board) { finish(board); }}) {
  if (deps_.pairing) stare_.emplace(*deps_.pairing);
}

// ---- what hosts ask for ----

bool BoardSequencer::awaits_position_before() const {
  return stare_ && stare_->step() == StareSession::Step::wait_before;
}

void BoardSequencer::demand_none_in_hand() const {
  if (board()) throw scpi::Error(scpi::settings_conflict, "a board is being measured; ABORt or wait");
  if (part_.waiting())
    throw scpi::Error(scpi::settings_conflict,
                      part_.next_snapshot() + " is awaited; take it, or ABORt gives the part up");
}

void BoardSequencer::arm(const Recipe& recipe, bool resumes) {
  const MonotonicNs now = EventLoop::now();
  given_up_ += ahead_.give_up_received();
  const std::size_t frames_before = deps_.frames.begin(now) + std::exchange(given_up_, 0);
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
        "each frame is measured when it comes; TRIGger:SOURce is EXTernal (inspection.trigger is on_frame); "
        "TRIGger:SOURce BUS makes the cell wait for TRIGger");
  if (!deps_.state.armed())
    throw scpi::Error(scpi::trigger_ignored, deps_.state.idle() ? "not armed" : "a board is in progress");
  deps_.acceptance.came(deps_.frames.begin(EventLoop::now()));  // what lies there already is seen before
  begin(EventLoop::now());
}

void BoardSequencer::abandon(const std::string& why) {
  const bool measuring = deps_.state.now() == InstrumentState::measuring && !deps_.holes.active();
  deps_.holes.abort();
  const auto give_up = [&](BoardOrder& board) {
    board.aborted = true;
    deps_.events.log(5, "the board in progress is abandoned: " + why,
                     {Event::board_abandoned, {{"DATUM_RECIPE", board.recipe->name}, {"DATUM_REASON", why}}});
  };
  for (const auto& board : on_way_.boards())
    if (board != board_ && !board->aborted) give_up(*board);
  if (board_) {
    give_up(*board_);
    if (board_->claim && !measuring && !board_->loading) deliveries_.abort(*board_->claim);
    if (!measuring) deliveries_.abort_snapshots(*board_);
    board_.reset();
    measured_ = false;
  }
  part_.abandon(why);
  if (stare_) stare_->abort();
  frame_due_.reset();
  deps_.acceptance.end_board(EventLoop::now());
  deps_.acceptance.disarm();
  if (!deps_.state.idle()) deps_.orders.serials().forget();  // it was reported for a board that does not come
  deps_.state.enter(InstrumentState::idle, why);
}

// ---- from a trigger to a frame ----

/// The trigger behind the last snapshot is the host's consent: nobody is within the machine's reach.
void BoardSequencer::begin_touching() {
  board_ = part_.resume();
  deps_.orders.resume(*board_);
  if (board_->recipe->snapshots.one_board == OneBoard::unit && !board_->unit_stated)
    return conclude({Reason::hole_touch,
                     "no unit was stated for the touching; state the number before each trigger "
                     "(CONFigure:UNIT)"});
  deps_.state.enter(InstrumentState::measuring);
  deps_.holes.start(board_, [this, board = board_] {
    if (board == board_) conclude({});
  });
}

void BoardSequencer::begin(MonotonicNs now) {
  if (part_.waits_for_touching()) return begin_touching();
  if (part_.waiting()) {
    board_ = part_.resume();
    deps_.orders.resume(*board_);
  } else {
    board_ = deps_.orders.make(now);
  }
  board_->triggered_ns = board_->times.triggered_ns = now;
  if (stare_) {
    stare_->start(now);
    deps_.cmm->poll_soon(now);
  }
  board_->passed_over = Reason::none;
  frame_due_ = board_->frame_due_ns = now + deps_.frame_timeout_ms * ns_per_ms;
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

/// Nothing that a board's way needs is in use, and there is room on it.
bool BoardSequencer::may_begin(bool empties) const {
  const BoardThreads& threads = deps_.threads;
  return !threads.worker.busy() && !threads.loader.busy() && !on_way_.full() && !deps_.announcer.behind() &&
         (on_way_.empty() || !(empties || deps_.events.awaits_end()));
}

/// A delivery that ended a process may do it again: nothing else is in work beside it.
void BoardSequencer::read_ahead(MonotonicNs now) {
  const bool measuring = board_ && board_->claim && deps_.state.now() == InstrumentState::measuring;
  if (!measuring || !overlaps(*board_) || board_->claim->left_over || board_->sensor->reader) return;
  if (ahead_.holds() || deps_.threads.loader.busy() || on_way_.has_unfinished()) return;
  ahead_.begin(deps_.acceptance.earlier_outstanding(), now);
}

bool BoardSequencer::after_round(MonotonicNs now, bool empties) {
  ahead_.keep_record(!deps_.state.idle());
  if (deps_.state.idle()) given_up_ += ahead_.give_up_received();
  if (!empties) read_ahead(now);
  if (!may_begin(empties)) return false;
  if (on_way_.has_unfinished() && deps_.state.armed()) {
    // Boards whose results could not be stored, with their own positions, recipe and unit.
    if (board_ = on_way_.next_unfinished(); board_) conclude({board_->reason, board_->detail});
    return false;
  }
  const bool wanted = trigger_ == TriggerMode::on_frame
                          ? deps_.state.armed() || (measured_ && !on_way_.has_unfinished())
                          : deps_.state.now() == InstrumentState::waiting && !board_->claim;
  const bool is_free = !wanted || !begin_next(now);
  if (!empties) read_ahead(now);  // behind one that was read, and is measured now: not a round later
  return is_free;
}

/// True: a delivery was taken, or is looked at.
bool BoardSequencer::begin_next(MonotonicNs now) {
  // What shows the same picture is judged once that board has its result.
  if (const FrameIdentity* next = ahead_.identity(); next && on_way_.shows(*next)) return true;
  const BoardOrder* recipient = measured_ ? nullptr : board_ ? board_.get() : part_.waiting();
  deps_.frames.claims_are_for(deps_.orders.record(recipient, trigger_ == TriggerMode::bus));
  std::shared_ptr<BoardOrder> read = ahead_.take();
  auto claim = read ? read->claim : deps_.frames.next();
  const auto is_early = [&] {
    return trigger_ == TriggerMode::bus && claim->first_seen_ns <= board_->triggered_ns;
  };
  for (; claim && is_early(); claim = deps_.frames.next()) {
    read.reset();
    if (early_.refuse(*claim)) return true;
  }
  if (!claim) return false;
  if (!board_ || std::exchange(measured_, false)) begin(now);
  if (claim->left_over) deps_.orders.restore(*board_, *claim);
  // The source can't tell the newest trigger's exposure from an earlier one's.
  if (deps_.acceptance.earlier_outstanding()) claim->exposed = claim->exposed_by_clock;
  read ? take_read(*read) : take_frame(*claim, now);
  return true;
}

void BoardSequencer::accept_delivery(const ClaimedFrame& claim, MonotonicNs taken_ns, MonotonicNs now) {
  frame_due_.reset();
  board_->claim = claim;
  board_->taken_ns = board_->times.taken_ns = taken_ns;
  board_->times.noticed_ns = claim.first_seen_ns;
  deliveries_.count_taken();
  if (!stare_) return;
  // From the exposure, where the source knows it, to now: pixels are still made after a stamp.
  std::optional<CaptureWindow> exposed;
  if (claim.exposed) exposed = {claim.exposed->from_ns, now, true};
  stare_->frame_arrived(now, exposed);
  deps_.cmm->poll_soon(now);
}

void BoardSequencer::take_frame(const ClaimedFrame& claim, MonotonicNs now) {
  accept_delivery(claim, now, now);
  on_loader(board_, load);
  // Beside the reading, and before the result: the storer works in order.
  if (!claim.received)
    deps_.threads.storer.submit([folder = claim.entry.parent_path()] { sync_claim_record(folder); }, [] {});
}

void BoardSequencer::on_loader(const std::shared_ptr<BoardOrder>& board, void (*work)(BoardOrder&)) {
  board->loading = true;
  deps_.threads.loader.submit([board, work] { work(*board); }, [this, board] { frame_loaded(board); });
}

void BoardSequencer::take_read(BoardOrder& read) {
  accept_delivery(*read.claim, read.taken_ns, EventLoop::now());
  pass_on(read, *board_);
  frame_loaded(board_);
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
  if (std::exchange(board->not_shown, std::nullopt)) board->frame.reset();  // as if load had failed
  if (board->aborted) {
    deps_.acceptance.remember(board->frame ? &*board->frame : nullptr);
    return deliveries_.abort(*board->claim);
  }
  if (board != board_) return;  // put back: its turn comes when the cell is armed again
  if (board->frame && on_way_.shows(board->frame->identity)) {
    put_back();
    return rearm();
  }
  if (board->frame && deliveries_.is_duplicate(*board->frame)) {
    if (board->frame->sum) return on_loader(board, settle_sum);
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

/// No board waits, is read or measured any more. Hosts see the cell armed once none is stored either.
void BoardSequencer::rearm() {
  board_ = on_way_.newest();
  measured_ = board_ != nullptr;
  deps_.state.enter(measured_ ? InstrumentState::measuring : InstrumentState::armed);
}

/// False: the frame is not this board's, and another one is awaited.
bool BoardSequencer::is_own(BoardOrder& board) {
  const FrameDecision decision =
      judge_frame(board, deps_.acceptance, trigger_ == TriggerMode::bus, stare_ ? &*stare_ : nullptr);
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

void BoardSequencer::position(const ProbePoint& sample, MonotonicNs now) {
  if (!stare_->wants_position()) return;
  stare_->position(sample, now);
  if (stare_->step() == StareSession::Step::wait_frame) let_expose(now);
  measure_when_ready();
}

void BoardSequencer::fail_sensor(const std::string& fault) {
  if (fault.empty()) return;
  ahead_.tell_fault(fault);
  if (!board_) return;
  const bool awaited = deps_.state.now() == InstrumentState::waiting && !board_->claim;
  if (awaited && board_->recipe->is_board_of_snapshots()) return conclude_snapshot({Reason::frame, fault});
  board_->late_fault.tell(fault);
  if (awaited) conclude({Reason::frame, fault});
}

std::optional<MonotonicNs> BoardSequencer::deadline() const {
  return earliest({stare_ ? stare_->deadline() : std::nullopt, frame_due_, part_.deadline()});
}

void BoardSequencer::on_deadline(MonotonicNs now) {
  if (stare_) stare_->on_deadline(now);
  if (part_.deadline() && now >= *part_.deadline()) return conclude_waiting(part_.overdue());
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
    return conclude_snapshot({board_->frame_reason, board_->frame_error});
  if (!board_->recipe->takes_snapshots()) return conclude({});
  if (const auto end = part_.take_snapshot(board_, EventLoop::now())) return conclude(*end);
  await_snapshot();
}

/// The next board may be begun while this one is stored: nothing else than its frame tells what it shows.
bool BoardSequencer::overlaps(const BoardOrder& board) const {
  return trigger_ == TriggerMode::on_frame && !stare_ && !board.recipe->takes_snapshots();
}

/// The board is not begun after all; its delivery has its turn later.
void BoardSequencer::put_back() {
  if (!board_->claim->left_over) deps_.orders.return_unit(*board_);
  ahead_.put_back(board_);
}

void BoardSequencer::measured(const std::shared_ptr<BoardOrder>& board) {
  if (board == board_) measured_ = overlaps(*board);
}

void BoardSequencer::finish(const std::shared_ptr<BoardOrder>& board) {
  if (board->stored && board->not_shown) deps_.acceptance.forget(*board->not_shown);
  if (board->stored) {
    deps_.announcer.announce(board);
    deps_.checks.take(board->verdict);
    deps_.charts.take(board->verdict);
  }
  if (!board->stored && board->store_error.empty())
    deps_.events.log(5, "the board in progress was aborted before its result was stored");
  deliveries_.settle(*board);
  on_way_.end_oldest();
  if (!board->stored && !board->aborted) {
    if (board == board_) board_.reset();
    if (on_way_.keep_unfinished(board)) disarm_without_store(*board);
    return;
  }
  if (board == board_) return rearm();
  deps_.events.changed();  // perhaps nothing is pending any more
}

/// Without a store no result is durable, so none is announced and no board is taken.
void BoardSequencer::disarm_without_store(const BoardOrder& board) {
  if (board_ && board_->claim && !on_way_.has(*board_)) put_back();
  board_.reset();
  measured_ = false;
  deps_.state.enter(InstrumentState::idle, board.store_error);
  deps_.events.raise(
      board.store_error_kind == StoreError::Kind::full ? scpi::media_full : scpi::mass_storage_error,
      board.store_error + "; disarmed, the board is kept and measured when armed again",
      {Event::store_trouble, {{"DATUM_REASON", board.store_error}, {"DATUM_RECIPE", board.recipe->name}}});
}

}  // namespace datum
