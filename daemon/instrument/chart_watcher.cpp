#include "daemon/instrument/chart_watcher.h"

namespace datum {

const char* name_of(ChartState s) {
  switch (s) {
    case ChartState::none:
      return "NONE";
    case ChartState::in_control:
      return "IN_CONTROL";
    case ChartState::no_limits:
      return "NO_LIMITS";
    case ChartState::stale:
      return "STALE";
    case ChartState::hit:
      return "HIT";
    case ChartState::disarmed:
      return "DISARMED";
  }
  return "?";
}

}  // namespace datum
