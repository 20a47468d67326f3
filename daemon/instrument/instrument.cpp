#include "daemon/instrument/instrument.h"

namespace datum {

const char* name_of(InstrumentState s) {
  switch (s) {
    case InstrumentState::idle:
      return "IDLE";
    case InstrumentState::armed:
      return "ARMED";
    case InstrumentState::waiting:
      return "WAITING";
    case InstrumentState::measuring:
      return "MEASURING";
  }
  return "?";
}

std::uint16_t operation_bits(InstrumentState state) {
  switch (state) {
    case InstrumentState::idle:
      return 0;
    case InstrumentState::armed:
      return operation_waiting_trigger;
    case InstrumentState::waiting:
      return operation_sweeping;
    case InstrumentState::measuring:
      return operation_measuring;
  }
  return 0;
}

namespace {

std::uint16_t bits_of(Reason reason) {
  switch (reason) {
    case Reason::none:
    case Reason::internal:
    case Reason::skipped:
    case Reason::serial:
    case Reason::nominal_unconfirmed:  // of the recipe, not of the measurement
    case Reason::defect:               // of the part
      return 0;
    case Reason::calibration:
    case Reason::reference_check:
    case Reason::sensor_mismatch:
    case Reason::model:
      return questionable_calibration;
    case Reason::pose_missing:
    case Reason::pose_stale:
    case Reason::pose_moved:
    case Reason::pose_error:
    case Reason::hole_touch:
    case Reason::hole_mismatch:
      return questionable_pose;
    case Reason::frame:
    case Reason::frame_stale:
    case Reason::frame_early:
    case Reason::frame_unproven:
    case Reason::frame_repeated:
    case Reason::out_of_view:
    case Reason::body_coverage:
    case Reason::body_edges:
    case Reason::terminals:
    case Reason::paste:
    case Reason::snapshots:
    case Reason::panel:
    case Reason::surface_coverage:
    case Reason::surface_beyond:
    case Reason::surface_noise:
    case Reason::surface_spot:
    case Reason::hole_scan:
      return questionable_frame;
    default:
      return questionable_floor;
  }
}

}  // namespace

std::uint16_t questionable_bits(const BoardVerdict& verdict) {
  std::uint16_t bits = static_cast<std::uint16_t>(bits_of(verdict.reason) | bits_of(verdict.pose.reason));
  for (const auto& component : verdict.components)
    for (const auto& check : component.checks)
      bits = static_cast<std::uint16_t>(bits | bits_of(check.reason));
  return bits;
}

}  // namespace datum
