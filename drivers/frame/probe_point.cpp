#include "drivers/frame/probe_point.h"

namespace datum {

const char* name_of(ProbeState s) {
  switch (s) {
    case ProbeState::ok:
      return "OK";
    case ProbeState::none_yet:
      return "NONE_YET";
    case ProbeState::stale:
      return "STALE";
    case ProbeState::partial:
      return "PARTIAL";
    case ProbeState::device_error:
      return "DEVICE_ERROR";
    case ProbeState::out_of_range:
      return "OUT_OF_RANGE";
    case ProbeState::wrong_unit:
      return "WRONG_UNIT";
    case ProbeState::malformed:
      return "MALFORMED";
    case ProbeState::not_referenced:
      return "NOT_REFERENCED";
    case ProbeState::link_down:
      return "LINK_DOWN";
  }
  return "?";
}

}  // namespace datum
