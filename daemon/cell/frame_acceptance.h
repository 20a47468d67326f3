// FrameAcceptance: whose board a frame shows. It says a decision as a value and touches no board; the rule of the
// proof is in frame_proof.h.
//
// It remembers the exposures that were asked for, the pictures that came, and when the cell was armed. Two marks
// beside the result store (cell_mark.h) let the next process know that this one was armed, and that an exposure is
// outstanding. All times are given. On the loop's thread.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "daemon/cell/cell_mark.h"
#include "daemon/cell/frame_proof.h"
#include "daemon/cell/frame_time.h"
#include "daemon/inspection/recipe/recipe.h"
#include "daemon/inspection/verdict/verdict.h"

namespace datum {

struct FrameAcceptanceSettings {
  std::filesystem::path store;  // the marks lie beside it
  int late_frame_ms = 0;        // so long after its trigger a frame may still come
  int frame_timeout_ms = 0;     // named in messages
  FrameTimeLimits limits;
};

/// How the cell is armed.
struct Arming {
  MonotonicNs at_ns = 0;
  std::size_t frames_before = 0;          // that the source had taken already
  std::optional<MonotonicNs> link_since;  // FrameSource::link_since()
  bool resumes = false;                   // the process before was armed, and its arming goes on
  bool by_frames = false;                 // each frame is measured, without a trigger
};

/// A delivery that was read, or could not be.
struct FrameInHand {
  const ClaimedFrame& claim;
  const DroppedFrame* frame;        // null: it could not be read
  bool measurable;                  // it was read, and nothing forbids to measure it
  std::optional<HostSpan> exposed;  // as far as a clock tells
};

/// The board that a frame is taken for.
struct FrameRecipient {
  MonotonicNs triggered_ns = 0;
  const std::string& unit;  // empty: no number was reported
  MonotonicNs unit_reported_ns = 0;
  bool unit_is_exposure = false;       // see TriggerEvidence
  const std::string& left_over_fault;  // BoardOrder::left_over_fault
  bool has_panel_serials = false;      // of a panel's boards, reported as the unit's number is
};

struct FrameDecision {
  enum class Kind : std::uint8_t {
    accepted,     // it shows the board, or the board is INVALID anyway
    invalid,      // the board that it began is INVALID
    passed_over,  // it is another board's; without its own frame the board is INVALID for this reason
    early,        // it was exposed before the trigger
  };
  Kind kind = Kind::accepted;
  Reason reason = Reason::none;
  std::string why;
  bool of_another_unit = false;  // the reported unit number waits for its own frame
};

/// When a frame was exposed, and whether it is too old.
struct FrameTiming {
  FrameAge age;
  std::optional<HostSpan> exposed;  // as far as a clock tells
  bool by_stamp = false;            // `exposed` is that of the file's stamp
  std::string refusal;              // why the frame must not be measured; empty: it may
};

/// Why a frame that was there before its trigger is not measured.
std::string early_refusal(const ClaimedFrame& claim);

class FrameAcceptance {
 public:
  /// At the start of the process, `now`: an exposure that the process before had asked for may still come.
  FrameAcceptance(FrameAcceptanceSettings settings, const UtcWatch& utc, MonotonicNs now);

  // arming
  /// The process before ended while it was armed.
  bool was_armed() const { return armed_mark_.stamp().has_value(); }
  /// False: the mark can't be written.
  bool arm(const Arming& arming, const Recipe& recipe);
  /// The armed recipe changed. False: the mark can't be written.
  bool change_recipe(const Recipe& recipe);
  void disarm() { armed_mark_.clear(); }

  // exposures
  /// A trigger at `now`.
  void trigger(MonotonicNs now, std::optional<MonotonicNs> link_since) {
    exposures_.triggered(now, link_since);
  }
  /// The sensor may expose for the trigger.
  void ask(MonotonicNs triggered_ns);
  /// So many frames of earlier exposures came.
  void came(std::size_t frames) { exposures_.came(frames); }
  /// The board's own frame came, or stays outstanding.
  void end_board(MonotonicNs now);
  /// Frames of earlier triggers may still come.
  bool earlier_outstanding() const { return exposures_.count() > 0; }

  // frames
  /// Puts the exposure in host time, where the stamp's clock allows that. `triggered_ns`: of the TRIGger that waits for
  /// the frame; none: the frame began its board.
  FrameTiming time_frame(CaptureTime& captured, const ClaimedFrame& claim, MonotonicNs taken_ns,
                         std::optional<MonotonicNs> triggered_ns) const;
  /// Of a frame that a TRIGger waited for.
  FrameDecision judge_triggered(const FrameInHand& frame, const FrameRecipient& board);
  /// Of a frame that begins its own board: without proof the board is INVALID.
  FrameDecision judge_unasked(const FrameInHand& frame, const FrameRecipient& board);
  /// A frame that was there before its trigger, null: unreadable. It may be the one that is outstanding; a picture
  /// that came before is not.
  void note_early(const ClaimedFrame& claim, const DroppedFrame* frame, bool measured_before);
  void remember(const DroppedFrame* frame);
  /// The delivery was not the announced one after all: its pixels were not shown.
  void forget(const FrameIdentity& frame);

 private:
  FrameDecision decide_triggered(const FrameInHand& frame, const FrameRecipient& board);
  FrameDecision decide_unasked(const FrameInHand& frame, const FrameRecipient& board);
  bool delivered_while_armed(const ClaimedFrame& claim) const;
  std::string picture_id(const DroppedFrame* frame) const;
  std::string unproven(const FrameInHand& frame, const FrameRecipient& board, MonotonicNs oldest_ns) const;
  std::string late_unasked(const ClaimedFrame& claim) const;

  FrameAcceptanceSettings settings_;
  const UtcWatch& utc_;
  OutstandingExposures exposures_;
  SeenPictures seen_;
  CellMark armed_mark_;     // an armed cell measures each frame
  CellMark exposing_mark_;  // a frame is awaited, or outstanding
  MonotonicNs armed_ns_ = 0;
  MonotonicNs ended_ns_;      // the board before
  bool resumed_ = false;      // the arming is that of the process before
  bool same_recipe_ = false;  // and so is the recipe
};

}  // namespace datum
