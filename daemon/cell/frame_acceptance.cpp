#include "daemon/cell/frame_acceptance.h"

#include <fmt/format.h>

#include <algorithm>

#include "drivers/frame/probe_point.h"

namespace datum {

namespace {

using Kind = FrameDecision::Kind;

constexpr const char* before_trigger = "arrived before the trigger; the sensor must expose after it";

/// The text of the mark: what the cell is armed with.
std::string armed_for(const Recipe& recipe) { return recipe.name + ' ' + recipe.sha256; }

std::string other_unit(const FrameInHand& frame, const std::string& unit) {
  return fmt::format("{} shows unit {} by its unit_id, this board is {}; deliver each board's own frame",
                     frame.claim.name(), frame.frame->frame.unit_id, unit);
}

std::string before_arming(const ClaimedFrame& claim, MonotonicNs early_ns) {
  if (claim.left_over)
    return fmt::format(
        "{} was in work when datumd ended, and the cell was not armed since; let the sensor expose again",
        claim.name());
  return fmt::format("{} came {} ms before the cell was armed (INITiate); arm before the sensor exposes",
                     claim.name(), early_ns / ns_per_ms);
}

std::string before_unit(const ClaimedFrame& claim, const std::string& unit, MonotonicNs early_ns) {
  return fmt::format("{} came {} ms before {}; report it (CONFigure:UNIT) before the sensor exposes",
                     claim.name(), early_ns / ns_per_ms,
                     unit.empty() ? "the serial numbers of the panel's boards were reported"
                                  : fmt::format("the number of unit {} was reported", unit));
}

std::string repeated(const ClaimedFrame& claim, const std::string& id) {
  return fmt::format("{} has the pixels of frame {}, which came before; let the sensor expose again",
                     claim.name(), id);
}

std::string unit_of(const FrameInHand& frame) { return frame.frame ? frame.frame->frame.unit_id : ""; }

}  // namespace

std::string early_refusal(const ClaimedFrame& claim) {
  return claim.left_over ? "was in work when datumd ended; trigger again if its board has no result"
                         : before_trigger;
}

FrameAcceptance::FrameAcceptance(FrameAcceptanceSettings settings, const UtcWatch& utc, MonotonicNs now)
    : settings_(std::move(settings)),
      utc_(utc),
      exposures_(settings_.late_frame_ms * ns_per_ms),
      armed_mark_(settings_.store.string() + ".armed"),
      exposing_mark_(settings_.store.string() + ".exposing"),
      ended_ns_(now) {
  if (exposing_mark_.stamp()) exposures_.add(now);
}

bool FrameAcceptance::arm(const Arming& arming, const Recipe& recipe) {
  armed_ns_ = arming.at_ns;
  exposures_.came(arming.frames_before);
  exposures_.triggered(arming.at_ns, arming.link_since);
  resumed_ = arming.resumes;
  // Frames that came while datumd was down belong to the recipe that was chosen then.
  same_recipe_ = arming.resumes && armed_mark_.text() == armed_for(recipe);
  return !arming.by_frames || same_recipe_ || armed_mark_.set(true, armed_for(recipe));
}

bool FrameAcceptance::change_recipe(const Recipe& recipe) {
  return !armed_mark_.stamp() || armed_mark_.rewrite(armed_for(recipe));
}

void FrameAcceptance::ask(MonotonicNs triggered_ns) {
  exposures_.asked(triggered_ns);
  if (!exposing_mark_.stamp()) exposing_mark_.set(false);
}

void FrameAcceptance::end_board(MonotonicNs now) {
  exposures_.ended();
  ended_ns_ = now;
  if (exposures_.none()) exposing_mark_.clear();
}

FrameTiming FrameAcceptance::time_frame(CaptureTime& captured, const ClaimedFrame& claim,
                                        MonotonicNs taken_ns, std::optional<MonotonicNs> triggered_ns) const {
  FrameTiming timing;
  const bool compared_by_source = captured.host.has_value();
  place_in_host_time(captured, utc_, settings_.limits);
  timing.by_stamp = !compared_by_source && captured.host;
  timing.exposed = timing.by_stamp ? captured.host : claim.exposed_by_clock;
  timing.age =
      age_of(captured, {claim.first_seen_ns, taken_ns, claim.left_over}, settings_.limits.max_age_ms);
  timing.refusal = age_refusal(timing.age);
  if (timing.refusal.empty() && timing.by_stamp && triggered_ns && captured.host->from_ns < *triggered_ns)
    timing.refusal = "its stamp does not show whether it was exposed before or after the trigger";
  return timing;
}

void FrameAcceptance::remember(const DroppedFrame* frame) {
  if (!frame) return;
  const FrameIdentity& id = frame->identity;
  seen_.add(id.sensor_serial, id.content_sha256, id.frame_id);
}

void FrameAcceptance::forget(const FrameIdentity& frame) {
  seen_.remove(frame.sensor_serial, frame.content_sha256, frame.frame_id);
}

/// Under which id these pixels came before; empty: they did not.
std::string FrameAcceptance::picture_id(const DroppedFrame* frame) const {
  return frame ? seen_.id_of(frame->identity.sensor_serial, frame->identity.content_sha256) : "";
}

void FrameAcceptance::note_early(const ClaimedFrame& claim, const DroppedFrame* frame, bool measured_before) {
  const bool fresh = frame && !claim.again && picture_id(frame).empty() && !measured_before;
  exposures_.came(fresh ? 1 : 0);
  remember(frame);
}

FrameDecision FrameAcceptance::judge_triggered(const FrameInHand& frame, const FrameRecipient& board) {
  FrameDecision decision = decide_triggered(frame, board);
  if (decision.reason != Reason::frame_repeated) remember(frame.frame);
  return decision;
}

FrameDecision FrameAcceptance::decide_triggered(const FrameInHand& frame, const FrameRecipient& board) {
  if (const std::string id = picture_id(frame.frame); !id.empty())
    return {Kind::passed_over, Reason::frame_repeated, repeated(frame.claim, id)};
  if (frame.claim.again) return {};  // it is INVALID; the board's own frame stays outstanding
  if (frame.claim.before_trigger) {
    exposures_.came(1);
    return {Kind::early, Reason::none, before_trigger};
  }
  const Proof proof = proof_of({frame.exposed, unit_of(frame)}, {board.triggered_ns, ended_ns_, board.unit,
                                                                 board.unit_is_exposure, exposures_.count()});
  if (proof != Proof::another && proof != Proof::none) {
    exposures_.answered();
    return {};
  }
  const auto oldest_ns = exposures_.oldest_ns();
  exposures_.came(1);
  if (proof == Proof::none && !frame.measurable) return {};  // INVALID, whoever's it is
  if (proof == Proof::none)
    return {Kind::passed_over, Reason::frame_unproven, unproven(frame, board, *oldest_ns)};
  if (frame.exposed && frame.exposed->to_ns < board.triggered_ns)
    return {Kind::early, Reason::none, before_trigger};
  return {Kind::passed_over, Reason::frame_unproven, other_unit(frame, board.unit)};
}

FrameDecision FrameAcceptance::judge_unasked(const FrameInHand& frame, const FrameRecipient& board) {
  FrameDecision decision = decide_unasked(frame, board);
  remember(frame.frame);
  return decision;
}

FrameDecision FrameAcceptance::decide_unasked(const FrameInHand& frame, const FrameRecipient& board) {
  const ClaimedFrame& claim = frame.claim;
  const bool while_armed = delivered_while_armed(claim);
  const MonotonicNs seen_ns = frame.exposed && !while_armed
                                  ? std::min(claim.first_seen_ns, frame.exposed->to_ns)
                                  : claim.first_seen_ns;
  if (const std::string id = picture_id(frame.frame); !id.empty())
    return {Kind::invalid, Reason::frame_repeated, repeated(claim, id)};
  if (!board.left_over_fault.empty()) return {Kind::invalid, Reason::frame_early, board.left_over_fault};
  if (!while_armed && seen_ns <= armed_ns_) {
    exposures_.came(claim.again ? 0 : 1);
    return {Kind::invalid, Reason::frame_early, before_arming(claim, armed_ns_ - seen_ns), true};
  }
  const Proof proof = proof_of({while_armed ? std::nullopt : frame.exposed, unit_of(frame)},
                               {armed_ns_, ended_ns_, board.unit, true, exposures_.count()});
  if (proof == Proof::another)
    return {Kind::invalid, Reason::frame_unproven, other_unit(frame, board.unit), true};
  if (proof == Proof::none) {
    exposures_.came(1);
    return {Kind::invalid, Reason::frame_unproven, late_unasked(claim), true};
  }
  if (proof != Proof::unit && (!board.unit.empty() || board.has_panel_serials) &&
      seen_ns <= board.unit_reported_ns)
    return {Kind::invalid, Reason::frame_early,
            before_unit(claim, board.unit, board.unit_reported_ns - seen_ns)};
  return {};
}

/// Delivered while the process before was armed, or was down and armed again by its start.
bool FrameAcceptance::delivered_while_armed(const ClaimedFrame& claim) const {
  if (!resumed_ || !armed_mark_.stamp()) return false;
  if (claim.left_over) return claim.record.has_value();
  return same_recipe_ && claim.delivered && is_later(*claim.delivered, *armed_mark_.stamp());
}

std::string FrameAcceptance::unproven(const FrameInHand& frame, const FrameRecipient& board,
                                      MonotonicNs oldest_ns) const {
  return fmt::format(
      "{} came {} ms after the trigger and may be the late frame of the trigger {} ms before that, which had "
      "none (inspection.late_frame_ms {}, frame_timeout_ms {}): stamp frames by a compared clock or name the "
      "unit_id in the sidecar; or trigger again when late_frame_ms is over, or raise frame_timeout_ms",
      frame.claim.name(), (frame.claim.first_seen_ns - board.triggered_ns) / ns_per_ms,
      (board.triggered_ns - oldest_ns) / ns_per_ms, settings_.late_frame_ms, settings_.frame_timeout_ms);
}

std::string FrameAcceptance::late_unasked(const ClaimedFrame& claim) const {
  return fmt::format(
      "{} may be the late frame of a TRIGger that had none (inspection.late_frame_ms {}): stamp frames by a "
      "compared clock, name the unit_id in the sidecar, or arm when late_frame_ms is over",
      claim.name(), settings_.late_frame_ms);
}

}  // namespace datum
