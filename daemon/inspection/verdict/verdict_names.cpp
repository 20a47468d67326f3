#include "daemon/inspection/verdict/verdict.h"

#include <iterator>

namespace datum {

const char* name_of(Decision d) {
  switch (d) {
    case Decision::pass:
      return "PASS";
    case Decision::inconclusive:
      return "INCONCLUSIVE";
    case Decision::fail:
      return "FAIL";
    case Decision::invalid:
      return "INVALID";
  }
  return "?";
}

int exit_status(Decision d) {
  switch (d) {
    case Decision::pass:
      return 0;
    case Decision::fail:
      return 1;
    case Decision::inconclusive:
      return 2;
    case Decision::invalid:
      return 3;
  }
  return 3;
}

const char* name_of(PairingClass) { return "STARE"; }

const char* name_of(ExposureBy e) { return e == ExposureBy::clock ? "CLOCK" : "ARRIVAL"; }

const char* name_of(Reason r) {  // NOLINT(readability-function-size): a table
  switch (r) {
    case Reason::none:
      return "NONE";
    case Reason::floor_too_few:
      return "FLOOR_TOO_FEW";
    case Reason::floor_no_consensus:
      return "FLOOR_NO_CONSENSUS";
    case Reason::floor_not_fixed:
      return "FLOOR_NOT_FIXED";
    case Reason::floor_inlier_ratio:
      return "FLOOR_INLIER_RATIO";
    case Reason::floor_sides:
      return "FLOOR_SIDES";
    case Reason::floor_rms:
      return "FLOOR_RMS";
    case Reason::floor_second_level:
      return "FLOOR_SECOND_LEVEL";
    case Reason::floor_tilt:
      return "FLOOR_TILT";
    case Reason::body_coverage:
      return "BODY_COVERAGE";
    case Reason::out_of_view:
      return "OUT_OF_VIEW";
    case Reason::pose_missing:
      return "POSE_MISSING";
    case Reason::pose_stale:
      return "POSE_STALE";
    case Reason::pose_moved:
      return "POSE_MOVED";
    case Reason::pose_error:
      return "POSE_ERROR";
    case Reason::calibration:
      return "CALIBRATION";
    case Reason::sensor_mismatch:
      return "SENSOR_MISMATCH";
    case Reason::frame:
      return "FRAME";
    case Reason::frame_stale:
      return "FRAME_STALE";
    case Reason::uncertainty:
      return "UNCERTAINTY";
    case Reason::model:
      return "MODEL";
    case Reason::snapshots:
      return "SNAPSHOTS";
    case Reason::surface_coverage:
      return "SURFACE_COVERAGE";
    case Reason::surface_beyond:
      return "SURFACE_BEYOND";
    case Reason::surface_fit:
      return "SURFACE_FIT";
    case Reason::warp_model:
      return "WARP_MODEL";
    case Reason::warp_gap:
      return "WARP_GAP";
    case Reason::warp_hull:
      return "WARP_HULL";
    case Reason::alignment:
      return "ALIGNMENT";
    case Reason::frame_early:
      return "FRAME_EARLY";
    case Reason::frame_unproven:
      return "FRAME_UNPROVEN";
    case Reason::frame_repeated:
      return "FRAME_REPEATED";
    case Reason::body_clipped:
      return "BODY_CLIPPED";
    case Reason::surface_noise:
      return "SURFACE_NOISE";
    case Reason::surface_spot:
      return "SURFACE_SPOT";
    case Reason::hole_scan:
      return "HOLE_SCAN";
    case Reason::hole_touch:
      return "HOLE_TOUCH";
    case Reason::hole_mismatch:
      return "HOLE_MISMATCH";
    case Reason::body_edges:
      return "BODY_EDGES";
    case Reason::defect:
      return "DEFECT";
    case Reason::terminals:
      return "TERMINALS";
    case Reason::paste:
      return "PASTE";
    case Reason::nominal_unconfirmed:
      return "NOMINAL_UNCONFIRMED";
    case Reason::panel:
      return "PANEL";
    case Reason::skipped:
      return "SKIPPED";
    case Reason::serial:
      return "SERIAL";
    case Reason::reference_check:
      return "REFERENCE_CHECK";
    case Reason::internal:
      return "INTERNAL";
  }
  return "?";
}

const char* word_of(const PanelBoard& board) { return board.decision ? name_of(*board.decision) : "SKIPPED"; }

bool is_artefact(const BoardVerdict& v) { return v.reference && !v.reference->artefact.empty(); }

bool is_skipped(const ComponentVerdict& component) {
  return !component.checks.empty() && component.checks.front().reason == Reason::skipped;
}

std::array<std::uint32_t, 4> component_counts(const BoardVerdict& verdict) {
  std::array<std::uint32_t, 4> n{};
  for (const ComponentVerdict& c : verdict.components)
    if (!is_skipped(c)) ++n.at(static_cast<std::size_t>(c.decision));
  return n;
}

BoardCounts counts_of(const std::vector<PanelBoard>& boards) {
  BoardCounts counts;
  for (const PanelBoard& board : boards)
    ++(board.decision ? counts.of.at(static_cast<std::size_t>(*board.decision)) : counts.skipped);
  return counts;
}

const char* name_of(Defect d) {
  static constexpr const char* names[] = {"missing",       "tombstoned",   "billboard",      "lifted side",
                                          "lifted corner", "shifted",      "rotated",        "upside-down",
                                          "wrong part",    "wrong height", "foreign object", "bridged"};
  static_assert(std::size(names) == static_cast<std::size_t>(Defect::bridged) + 1);
  return names[static_cast<std::size_t>(d)];
}

}  // namespace datum
