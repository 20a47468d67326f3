// A frame's way into its board: which one is taken, and whose board it shows. The rule: frame_proof.h.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "daemon/cell/cell.h"
#include "daemon/system/event_loop.h"
#include "drivers/frame/probe_point.h"

namespace datum {

namespace {

constexpr const char* before_trigger = "arrived before the trigger; the sensor must expose after it";

/// From the exposure, where the source knows it, to now: pixels are still made after a stamp.
std::optional<CaptureWindow> exposure_of(const ClaimedFrame& claim, MonotonicNs now) {
  if (!claim.exposed) return std::nullopt;
  return CaptureWindow{claim.exposed->from_ns, now, true};
}

std::string other_unit(const BoardOrder& board) {
  return fmt::format("{} shows unit {} by its unit_id, this board is {}; deliver each board's own frame",
                     board.claim->name(), board.frame->frame.unit_id, board.unit);
}

std::string unproven(const BoardOrder& board, MonotonicNs oldest_ns, const DaemonConfig& config) {
  return fmt::format(
      "{} came {} ms after the trigger and may be the late frame of the trigger {} ms before that, which had "
      "none "
      "(inspection.late_frame_ms {}, frame_timeout_ms {}): stamp frames by a compared clock or name the "
      "unit_id in the "
      "sidecar; or trigger again when late_frame_ms is over, or raise frame_timeout_ms",
      board.claim->name(), (board.claim->first_seen_ns - board.triggered_ns) / ns_per_ms,
      (board.triggered_ns - oldest_ns) / ns_per_ms, config.late_frame_ms, config.frame_timeout_ms);
}

std::string late_unasked(const ClaimedFrame& claim, const DaemonConfig& config) {
  return fmt::format(
      "{} may be the late frame of a TRIGger that had none (inspection.late_frame_ms {}): stamp frames by a "
      "compared clock, "
      "name the unit_id in the sidecar, or arm when late_frame_ms is over",
      claim.name(), config.late_frame_ms);
}

std::string before_arming(const ClaimedFrame& claim, MonotonicNs early_ns) {
  if (claim.left_over)
    return fmt::format(
        "{} was in work when datumd ended, and the cell was not armed since; let the sensor expose anew",
        claim.name());
  return fmt::format("{} came {} ms before the cell was armed (INITiate); arm before the sensor exposes",
                     claim.name(), early_ns / ns_per_ms);
}

std::string before_unit(const BoardOrder& board, MonotonicNs early_ns) {
  return fmt::format(
      "{} came {} ms before the number of unit {} was told; tell it (CONFigure:UNIT) before the sensor "
      "exposes",
      board.claim->name(), early_ns / ns_per_ms, board.unit);
}

std::string repeated(const ClaimedFrame& claim, const std::string& id) {
  return fmt::format("{} has the pixels of frame {}, which came before; let the sensor expose anew",
                     claim.name(), id);
}

}  // namespace

// ---- what the sensor is asked for ----

void InspectionCell::let_expose(MonotonicNs now) {
  exposures_.asked(board_->triggered_ns);
  if (!exposing_mark_.stamp()) exposing_mark_.set(false);
  parts_.frames.expose(now);
  for (CommandEndpoint* endpoint : endpoints_) endpoint->instrument_changed();  // the sensor may expose now
}

/// The board's own frame came, or stays outstanding.
void InspectionCell::end_exposure() {
  exposures_.ended();
  ended_ns_ = EventLoop::now();
  if (exposures_.none()) exposing_mark_.clear();
}

// ---- frames that were there before ----

/// A frame that was there before its trigger shows another board.
bool InspectionCell::is_early(const ClaimedFrame& claim) const {
  return trigger_ == TriggerMode::bus && claim.first_seen_ns <= board_->triggered_ns;
}

void InspectionCell::refuse_frame(const ClaimedFrame& claim, const std::string& why) {
  parts_.frames.failed(claim, why);
  ++frames_.refused;
  log(4, fmt::format("{} {}; it was not measured", claim.name(), why),
      {Event::frame_refused, {{"DATUM_FRAME", claim.stem()}, {"DATUM_REASON", why}}});
}

void InspectionCell::refuse_early(const ClaimedFrame& claim) {
  refuse_frame(claim, claim.left_over
                          ? "was in work when datumd ended; trigger again if its board has no result"
                          : before_trigger);
}

/// It may be the one that is outstanding; a picture that came before is not.
void InspectionCell::examine_early(const ClaimedFrame& claim) {
  const auto early = std::make_shared<BoardOrder>();
  early->claim = claim;
  early->sensor = &parts_.sensor;
  parts_.worker.submit([early] { load(*early); },
                       [this, early] {
                         const bool fresh = early->frame && !early->claim->again &&
                                            picture_id(*early).empty() &&
                                            !parts_.frames.is_duplicate(early->frame->identity);
                         exposures_.came(fresh ? 1 : 0);
                         remember(*early);
                         refuse_early(*early->claim);
                       });
}

// ---- what a frame is taken for ----

/// Of a delivery that is claimed now: with it a process that finds it in work/ measures what this one would have.
ClaimRecord InspectionCell::record_of_claims() const {
  const BoardOrder* order = board_ ? board_.get() : part_.get();
  const Recipe& recipe = order ? *order->recipe : *recipe_;
  return {recipe.name, recipe.sha256, trigger_ == TriggerMode::bus ? "bus" : "on_frame",
          order ? order->unit : unit_};
}

/// A delivery that was in work when datumd ended is measured with its own recipe and unit, or not at all. Another unit that
/// was told since waits for its own frame.
void InspectionCell::restore_order(BoardOrder& order, const ClaimedFrame& claim) {
  return_unit(order);
  order.unit_told_ns = 0;
  if (!claim.record || !order.taken.empty()) {
    order.left_over_fault = fmt::format(
        "{} was in work when datumd ended, and for which recipe and unit is not known; let the sensor expose "
        "anew",
        claim.name());
    return;
  }
  order.unit = claim.record->unit;
  const Recipe* own = recipes_->find(claim.record->recipe);
  if (own && own->sha256 == claim.record->recipe_sha256) {
    order.recipe = std::shared_ptr<const Recipe>(recipes_, own);
  } else {
    Recipe gone;  // its name stands in the result, and nothing is measured by it
    gone.name = claim.record->recipe;
    gone.sha256 = claim.record->recipe_sha256;
    gone.sensor_serial = parts_.sensor.serial;
    order.recipe = std::make_shared<const Recipe>(std::move(gone));
    order.left_over_fault = fmt::format(
        "{} was in work when datumd ended, for recipe {} with SHA-256 {}, which is not there any more; bring "
        "it back, or "
        "let the sensor expose anew",
        claim.name(), claim.record->recipe, claim.record->recipe_sha256);
  }
  order.calibration = order.recipe->in_machine_coordinates ? calibration_ : nullptr;
  if (claim.record->trigger == "bus")
    order.left_over_fault = fmt::format(
        "{} was in work when datumd ended, for a TRIGger; whose exposure it shows is known no longer: "
        "trigger again",
        claim.name());
}

// ---- the frame that is taken ----

void InspectionCell::take_frame(const ClaimedFrame& claim, MonotonicNs now) {
  frame_due_.reset();
  board_->claim = claim;
  board_->loading = true;
  board_->taken_ns = board_->times.taken_ns = now;
  ++frames_.taken;
  if (stare_) {
    stare_->frame_arrived(now, exposure_of(claim, now));
    parts_.cmm->poll_soon(now);
  }
  const auto board = board_;
  parts_.worker.submit([board] { load(*board); }, [this, board] { frame_loaded(board); });
}

/// The board's own frame is still to come, in the time that it has; where the machine stood before it is known.
void InspectionCell::await_another_frame(MonotonicNs now) {
  board_->claim.reset();
  board_->frame.reset();
  board_->frame_error.clear();
  board_->frame_reason = Reason::frame;
  board_->age.reset();
  board_->pairing.reset();
  frame_due_ = board_->frame_due_ns;
  if (!stare_) return;
  stare_->frame_discarded(now);
  parts_.cmm->poll_soon(now);
}

/// Not this board's; the one that is may still come. Without it this is why the board is INVALID.
void InspectionCell::pass_over(BoardOrder& board, Reason reason, const std::string& why) {
  board.passed_over = reason;
  board.passed_over_why = why;
  refuse_frame(*board.claim, fmt::format("is passed over: {}", why));
  await_another_frame(EventLoop::now());
}

void InspectionCell::conclude_without_frame(Reason reason, const std::string& detail) {
  if (board_->passed_over == Reason::none) return conclude(reason, detail);
  conclude(board_->passed_over, board_->passed_over_why);
}

/// A frame that is nobody's takes no unit's number; one that was told meanwhile is the newer.
void InspectionCell::return_unit(BoardOrder& board) {
  if (unit_.empty()) {
    unit_ = board.unit;
    unit_told_ns_ = board.unit_told_ns;
  }
  board.unit.clear();
}

void InspectionCell::frame_loaded(const std::shared_ptr<BoardOrder>& board) {
  board->loading = false;
  if (board->aborted) {
    remember(*board);
    parts_.frames.failed(*board->claim, "aborted before a result was stored");
    return;
  }
  if (board->frame && parts_.frames.is_duplicate(board->frame->identity)) {
    log(5, board->claim->name() + " was delivered twice and is measured once");
    ++frames_.twice;
    parts_.frames.duplicate(*board->claim, board->frame->identity);
    if (trigger_ == TriggerMode::bus) return await_another_frame(EventLoop::now());
    if (!board->claim->left_over) return_unit(*board);
    board_.reset();
    enter(InstrumentState::armed);
    return;
  }
  // A crash between storing an unreadable delivery's result and moving it leaves it in work/.
  const bool recorded = !board->frame && board->claim->left_over &&
                        parts_.reader.already_measured(board->claim->stem(), "").has_value();
  if (recorded) {
    parts_.frames.failed(*board->claim, board->frame_error);
    board_.reset();
    enter(InstrumentState::armed);
    return;
  }
  const std::optional<HostSpan> exposed = time_frame(*board);
  if (trigger_ == TriggerMode::bus) {
    if (!prove_triggered(*board, exposed)) return;
  } else {
    prove_unasked(*board, exposed);
  }
  remember(*board);
  measure_when_ready();
}

void InspectionCell::remember(const BoardOrder& board) {
  if (!board.frame) return;
  const FrameIdentity& id = board.frame->identity;
  seen_.add(id.sensor_serial, id.content_sha256, id.frame_id);
}

/// Under which id these pixels came before; empty: they did not.
std::string InspectionCell::picture_id(const BoardOrder& board) const {
  if (!board.frame) return "";
  return seen_.id_of(board.frame->identity.sensor_serial, board.frame->identity.content_sha256);
}

/// Judges the age of a frame; its exposure where a clock tells it.
std::optional<HostSpan> InspectionCell::time_frame(BoardOrder& board) {
  const std::optional<HostSpan> by_sensor = board.claim->exposed_by_clock;
  if (!board.frame) return by_sensor;
  CaptureTime& captured = board.frame->frame.captured;
  const bool told = captured.host.has_value();
  place_in_host_time(captured, utc_, time_limits_);
  board.age = age_of(captured, {board.claim->first_seen_ns, board.taken_ns, board.claim->left_over},
                     time_limits_.max_age_ms);
  const bool by_file = !told && captured.host;
  std::string why = age_refusal(*board.age);
  if (why.empty() && by_file && trigger_ == TriggerMode::bus && captured.host->from_ns < board.triggered_ns)
    why = "its stamp does not tell whether it was exposed before or after the trigger";
  if (board.frame_error.empty() && !why.empty()) {
    board.frame_error = why;
    board.frame_reason = Reason::frame_stale;
  }
  if (stare_ && by_file) stare_->exposed({captured.host->from_ns, board.taken_ns, true});
  return by_file ? captured.host : by_sensor;
}

/// False: it is not this board's, and another one is awaited.
bool InspectionCell::prove_triggered(BoardOrder& board, const std::optional<HostSpan>& exposed) {
  if (const std::string id = picture_id(board); !id.empty()) {
    pass_over(board, Reason::frame_repeated, repeated(*board.claim, id));
    return false;
  }
  if (board.claim->again) return true;  // it is doubtful; the board's own frame stays outstanding
  // With a CMM, and of a part, the same unit stands elsewhere at its next trigger.
  const bool unit_is_exposure = !stare_ && !board.recipe->surface;
  const Proof proof =
      proof_of({exposed, board.frame ? board.frame->frame.unit_id : ""},
               {board.triggered_ns, ended_ns_, board.unit, unit_is_exposure, exposures_.count()});
  if (proof != Proof::another && proof != Proof::none) {
    exposures_.answered();
    return true;
  }
  const auto oldest_ns = exposures_.oldest_ns();
  exposures_.came(1);
  if (proof == Proof::none && (!board.frame || !board.frame_error.empty()))
    return true;  // INVALID whosever it is
  remember(board);
  if (proof == Proof::none) {
    pass_over(board, Reason::frame_unproven, unproven(board, *oldest_ns, parts_.config));
  } else if (exposed && exposed->to_ns < board.triggered_ns) {
    refuse_frame(*board.claim, before_trigger);
    await_another_frame(EventLoop::now());
  } else {
    pass_over(board, Reason::frame_unproven, other_unit(board));
  }
  return false;
}

/// Delivered while the process before was armed, or was down and armed again by its start.
bool InspectionCell::delivered_while_armed(const ClaimedFrame& claim) const {
  if (!resumed_ || !armed_mark_.stamp()) return false;
  if (claim.left_over) return claim.record.has_value();
  return same_recipe_ && claim.delivered && is_later(*claim.delivered, *armed_mark_.stamp());
}

/// A frame that starts its own board: without proof it is INVALID.
void InspectionCell::prove_unasked(BoardOrder& board, const std::optional<HostSpan>& exposed) {
  const Doubt doubt = doubt_of_unasked(board, exposed);
  if (doubt.reason == Reason::none) return;
  if (doubt.of_another_unit && !board.claim->left_over) return_unit(board);
  if (!board.frame_error.empty()) return;  // INVALID already
  board.frame_error = doubt.why;
  board.frame_reason = doubt.reason;
}

InspectionCell::Doubt InspectionCell::doubt_of_unasked(const BoardOrder& board,
                                                       const std::optional<HostSpan>& exposed) {
  const ClaimedFrame& claim = *board.claim;
  const bool while_armed = delivered_while_armed(claim);
  const MonotonicNs seen_ns =
      exposed && !while_armed ? std::min(claim.first_seen_ns, exposed->to_ns) : claim.first_seen_ns;
  const std::string unit_id = board.frame ? board.frame->frame.unit_id : "";
  if (const std::string id = picture_id(board); !id.empty())
    return {Reason::frame_repeated, repeated(claim, id), false};
  if (!board.left_over_fault.empty()) return {Reason::frame_early, board.left_over_fault, false};
  if (!while_armed && seen_ns <= armed_ns_) {
    exposures_.came(claim.again ? 0 : 1);
    return {Reason::frame_early, before_arming(claim, armed_ns_ - seen_ns), true};
  }
  const Proof proof = proof_of({while_armed ? std::nullopt : exposed, unit_id},
                               {armed_ns_, ended_ns_, board.unit, true, exposures_.count()});
  if (proof == Proof::another) return {Reason::frame_unproven, other_unit(board), true};
  if (proof == Proof::none) {
    exposures_.came(1);
    return {Reason::frame_unproven, late_unasked(claim, parts_.config), true};
  }
  if (proof != Proof::unit && !board.unit.empty() && seen_ns <= board.unit_told_ns)
    return {Reason::frame_early, before_unit(board, board.unit_told_ns - seen_ns), false};
  return {};
}

}  // namespace datum
