// One board's way through the cell: frame and positions in, a stored result out.
#include <fmt/format.h>

#include "daemon/cell/cell.h"
#include "daemon/inspection/verdict/decision.h"
#include "daemon/instrument/scpi_error.h"
#include "daemon/system/event_loop.h"

namespace datum {

namespace {

std::string name_of_recipe(const std::shared_ptr<const Recipe>& recipe) { return recipe ? recipe->name : ""; }

/// What the journal is searched for: the verdict, and the components that did not pass.
LogEvent event_of(const BoardVerdict& v) {
  constexpr std::size_t most_components = 32;  // of one entry
  LogEvent event{Event::verdict,
                 {{"DATUM_SEQUENCE", fmt::format("{}", v.sequence)},
                  {"DATUM_DECISION", name_of(v.decision)},
                  {"DATUM_REASON", name_of(v.reason)},
                  {"DATUM_RECIPE", v.recipe},
                  {"DATUM_UNIT", v.unit_id},
                  {"DATUM_FRAME", v.frame_id},
                  {"DATUM_CALIBRATION", v.calibration},
                  {"DATUM_BACKEND", v.backend}}};
  std::size_t n = 0;
  for (const ComponentVerdict& c : v.components)
    if (c.decision != Decision::pass && n++ < most_components)
      event.fields.emplace_back("DATUM_COMPONENT", c.reference);
  return event;
}

}  // namespace

void InspectionCell::enter(InstrumentState state, const std::string& why) {
  if (state_ == state) return;
  const bool was_idle = state_ == InstrumentState::idle;
  state_ = state;
  const std::string recipe = name_of_recipe(recipe_);
  if (was_idle) {
    why_idle_.clear();
    log(5, "armed, recipe " + recipe, {Event::armed, {{"DATUM_RECIPE", recipe}}});
  } else if (state == InstrumentState::idle) {
    why_idle_ = why;
    log(5, "disarmed: " + why, {Event::disarmed, {{"DATUM_RECIPE", recipe}, {"DATUM_REASON", why}}});
  }
  for (CommandEndpoint* endpoint : endpoints_) endpoint->instrument_changed();
}

void InspectionCell::raise(int number, const std::string& detail, const LogEvent& event) {
  log(3, fmt::format("{}: {}", number, detail), event);
  for (CommandEndpoint* endpoint : endpoints_) endpoint->raise(number, detail);
}

std::optional<MonotonicNs> InspectionCell::deadline() const {
  if (desk_.active()) return desk_.deadline();  // no board is in work then
  if (holes_.active()) return holes_.deadline();
  const auto stare = stare_ ? stare_->deadline() : std::nullopt;
  std::optional<MonotonicNs> earliest;
  for (const auto& due : {stare, frame_due_, part_due_})
    if (due && (!earliest || *due < *earliest)) earliest = due;
  return earliest;
}

void InspectionCell::on_deadline(MonotonicNs now) {
  if (desk_.active()) return desk_.on_deadline(now);
  if (holes_.active()) return holes_.on_deadline(now);
  if (stare_) stare_->on_deadline(now);
  if (part_due_ && now >= *part_due_) return snapshot_missing();
  if (frame_due_ && now >= *frame_due_) {
    return conclude_without_frame(
        Reason::frame, fmt::format("no frame came within {} ms of the trigger; check the sensor and {}",
                                   parts_.config.frame_timeout_ms, parts_.frames.place()));
  }
  measure_when_ready();
}

/// An order for one board, or a part, with all that holds for it whatever comes.
std::shared_ptr<BoardOrder> InspectionCell::new_order(MonotonicNs now) {
  auto order = std::make_shared<BoardOrder>();
  order->number = ++begun_;
  order->recipe = recipe_;
  order->calibration = recipe_->in_machine_coordinates ? calibration_ : nullptr;
  order->sensor = &parts_.sensor;
  order->measurer = parts_.backend.measurer.get();
  order->finder = parts_.backend.finder.get();
  order->diffuser = parts_.backend.diffuser.get();
  order->controller = parts_.controller;
  order->planner = planner_;
  order->threads = parts_.config.backend.threads;
  order->temperature = temperature_;
  order->temperature_max_age_s = parts_.config.temperature_max_age_s;
  order->latest_utc_ns = utc_.latest_utc_ns(now);
  order->unit = std::exchange(unit_, "");
  order->unit_told_ns = unit_told_ns_;
  order->models = models_;
  return order;
}

void InspectionCell::begin_board(MonotonicNs now) {
  if (part_)
    resume_part();
  else
    board_ = new_order(now);
  board_->triggered_ns = board_->times.triggered_ns = now;
  if (stare_) {
    stare_->start(now);
    parts_.cmm->poll_soon(now);
  }
  board_->passed_over = Reason::none;
  board_->frame_due_ns = now + MonotonicNs{parts_.config.frame_timeout_ms} * 1'000'000;
  frame_due_ = board_->frame_due_ns;
  enter(InstrumentState::waiting);
  if (trigger_ != TriggerMode::bus) return;
  exposures_.triggered(now, parts_.frames.link_since());
  if (!stare_) let_expose(now);
}

void InspectionCell::after_round(MonotonicNs now) {
  watch_sensor();
  watch_clock(now);
  watch_room();
  watch_signatures();
  if (parts_.cmm)
    for (const std::string& note : parts_.cmm->take_notes()) log(5, "cmm: " + note);
  if (desk_.active()) return desk_.after_round(now);
  if (holes_.active()) return holes_.after_round(now);
  keep_signatures(now);  // also where one frame follows the other
  if (parts_.worker.busy()) return;
  if (unfinished_ && state_ == InstrumentState::armed) return conclude_unfinished();
  const bool on_frame = trigger_ == TriggerMode::on_frame;
  const bool wanted =
      on_frame ? state_ == InstrumentState::armed : state_ == InstrumentState::waiting && !board_->claim;
  if (!wanted) return keep_results(now);
  parts_.frames.claims_are_for(record_of_claims());
  auto claim = parts_.frames.next();
  for (; claim && is_early(*claim); claim = parts_.frames.next()) {
    if (exposures_.count() > 0) return examine_early(*claim);
    refuse_early(*claim);
  }
  if (!claim) return keep_results(now);
  if (!board_) begin_board(now);
  if (claim->left_over) restore_order(*board_, *claim);
  if (exposures_.count() > 0)
    claim->exposed = claim->exposed_by_clock;  // the newest trigger's or an earlier one's
  take_frame(*claim, now);
}

/// What was told at a time of day is as old as nobody knows once that was set.
void InspectionCell::watch_clock(MonotonicNs now) {
  const auto step_ns = utc_.observe(now, parts_.utc_ns());
  if (!step_ns) return;
  std::string text =
      fmt::format("this computer's clock was set by {:+.3f} s", static_cast<double>(*step_ns) * 1e-9);
  if (*step_ns < 0)
    text += "; what expires is judged by the time that it showed before, until datumd is started anew";
  if (temperature_) text += "; the cell's temperature must be told again";
  temperature_.reset();
  log(4, text, {Event::clock_set, {{"DATUM_REASON", text}}});
}

void InspectionCell::position(const ProbePoint& sample, MonotonicNs now) {
  watch_cmm(sample);
  if (desk_.active()) return desk_.position(sample, now);
  if (holes_.active()) return holes_.position(sample, now);
  if (!stare_->wants_position()) return;
  stare_->position(sample, now);
  if (stare_->step() == StareSession::Step::wait_frame) {
    let_expose(now);
  }
  measure_when_ready();
}

/// Whether the machine is there at all: told when it changes.
void InspectionCell::watch_cmm(const ProbePoint& sample) {
  const bool up = sample.state != ProbeState::link_down;
  if (up == std::exchange(cmm_up_, up)) return;
  const std::string words = parts_.cmm->describe();
  if (up)
    log(5, words, {Event::link_back, {{"DATUM_LINK", "cmm"}}});
  else
    raise(scpi::hardware_missing, words,
          {Event::link_lost, {{"DATUM_LINK", "cmm"}, {"DATUM_REASON", words}}});
  for (CommandEndpoint* endpoint : endpoints_) endpoint->instrument_changed();
}

/// What the sensor's source has to tell: warnings, a fault of the board in progress, that no frame can come.
void InspectionCell::watch_sensor() {
  for (const std::string& warning : parts_.frames.take_warnings()) log(4, warning);
  const std::string fault = parts_.frames.take_fault(), refusal = parts_.frames.refusal();
  if (refusal != std::exchange(sensor_refusal_, refusal)) {
    if (refusal.empty())
      log(5, parts_.frames.describe(), {Event::link_back, {{"DATUM_LINK", "sensor"}}});
    else
      raise(scpi::hardware_missing, refusal,
            {Event::link_lost, {{"DATUM_LINK", "sensor"}, {"DATUM_REASON", refusal}}});
    for (CommandEndpoint* endpoint : endpoints_) endpoint->instrument_changed();
  }
  if (!board_ || fault.empty()) return;
  board_->late_fault.tell(fault);
  if (state_ == InstrumentState::waiting && !board_->claim) conclude(Reason::frame, fault);
}

void InspectionCell::measure_when_ready() {
  if (!board_ || state_ != InstrumentState::waiting) return;
  if (stare_ && stare_->finished()) board_->pairing = stare_->result();
  if (stare_ && stare_->step() == StareSession::Step::failed && !board_->claim) {
    return conclude_without_frame(reason_of(stare_->result().fault), stare_->result().detail);
  }
  if (!board_->claim || board_->loading || (stare_ && !stare_->finished())) return;
  if (!board_->frame || !board_->frame_error.empty())
    conclude(board_->frame_reason, board_->frame_error);
  else if (board_->recipe->surface)
    snapshot_taken(EventLoop::now());
  else
    conclude(Reason::none, "");
}

/// Has the board measured, or recorded as INVALID with a reason.
void InspectionCell::conclude(Reason reason, const std::string& detail) {
  frame_due_.reset();
  end_exposure();
  board_->reason = reason;
  board_->detail = detail;
  if (stare_ && !board_->pairing) board_->pairing = stare_->result();  // as far as it came
  enter(InstrumentState::measuring);
  board_->times.complete_ns = EventLoop::now();
  const auto board = board_;
  // The worker may outlive the cell at the daemon's end, not the store.
  parts_.worker.submit(
      [board, utc_ns = parts_.utc_ns, &store = parts_.writer] { measure(*board, utc_ns(), store); },
      [this, board] { finish(board); });
}

/// The board whose result could not be stored, with its own positions, recipe and unit.
void InspectionCell::conclude_unfinished() {
  board_ = std::exchange(unfinished_, nullptr);
  board_->store_error.clear();
  board_->store_error_kind.reset();
  conclude(board_->reason, board_->detail);
}

void InspectionCell::finish(const std::shared_ptr<BoardOrder>& board) {
  if (board->stored)
    announce(board);
  else if (board->store_error.empty())
    log(5, "the board in progress was aborted before its result was stored");
  settle_frame(*board);
  if (board != board_) return;  // aborted, and perhaps armed anew
  board_.reset();
  if (board->stored) {
    enter(InstrumentState::armed);
    return;
  }
  // Without a store no result is durable, so none is announced and no board is taken.
  unfinished_ = board;
  enter(InstrumentState::idle, board->store_error);
  raise(
      board->store_error_kind == StoreError::Kind::full ? scpi::media_full : scpi::mass_storage_error,
      board->store_error + "; disarmed, the board is kept and measured when armed again",
      {Event::store_trouble, {{"DATUM_REASON", board->store_error}, {"DATUM_RECIPE", board->recipe->name}}});
}

/// Where the delivery goes: a stored result ends it, an aborted one is told, an unstored one stays in work/.
void InspectionCell::settle_frame(const BoardOrder& board) {
  const bool kept = !parts_.retention || parts_.retention->keeps_frame(board.verdict.decision);
  const auto settle = [&](const ClaimedFrame& claim, const FrameIdentity& identity) {
    kept ? parts_.frames.measured(claim, identity) : parts_.frames.discard(claim, identity);
  };
  for (const TakenSnapshot& s : board.taken)
    if (board.stored) settle(s.claim, s.frame.identity);
  if (board.aborted && !board.stored) fail_snapshots(board);
  if (!board.claim) return;
  if (!board.frame_error.empty() && board.stored) {
    ++frames_.refused;
    parts_.frames.failed(*board.claim, board.frame_error);
  } else if (board.stored) {
    settle(*board.claim, board.frame->identity);
  } else if (board.aborted) {
    parts_.frames.failed(*board.claim, "aborted before a result was stored");
  }
}

void InspectionCell::announce(const std::shared_ptr<BoardOrder>& board) {
  ++boards_;
  if (signing_) signing_->stored();
  const BoardVerdict& v = board->verdict;
  questionable_ = questionable_bits(v);
  log(v.decision == Decision::invalid ? 4 : 6,
      fmt::format("board {}: {}{}, recipe {}, frame {}, calibration {}", v.sequence, name_of(v.decision),
                  v.decision == Decision::pass ? "" : " (" + why_not_pass(v) + ")", v.recipe, v.frame_id,
                  v.calibration),
      event_of(v));
  if (parts_.writer.mark_failed() && !std::exchange(mark_failed_, true))
    log(4,
        "the mark beside the result store can't be written: a store that is put back might not be noticed");
  announced_ = board->number;
  for (CommandEndpoint* endpoint : endpoints_) endpoint->push_result(v);
  board->times.announced_ns = EventLoop::now();
  if (parts_.on_board) parts_.on_board(v, board->times);
  const bool drawn = board->part.map || (board->frame && board->frame_error.empty());
  if (!parts_.config.pictures || !drawn || v.reason == Reason::frame) return;
  const auto file = *parts_.config.pictures / fmt::format("{:08}_{}.png", v.sequence, name_of(v.decision));
  parts_.worker.submit([board, file, log = parts_.log] { draw(*board, file, log); }, [] {});
}

}  // namespace datum
