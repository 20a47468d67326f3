#include "daemon/cell/cell_state.h"

namespace datum {

void CellState::enter(InstrumentState state, const std::string& why) {
  if (state_ == state) return;
  const bool was_idle = idle();
  state_ = state;
  const std::string recipe = basis_.recipe() ? basis_.recipe()->name : "";
  if (was_idle) {
    why_idle_.clear();
    events_.log(5, "armed, recipe " + recipe, {Event::armed, {{"DATUM_RECIPE", recipe}}});
  } else if (idle()) {
    why_idle_ = why;
    events_.log(5, "disarmed: " + why, {Event::disarmed, {{"DATUM_RECIPE", recipe}, {"DATUM_REASON", why}}});
  }
  events_.changed();
}

}  // namespace datum
