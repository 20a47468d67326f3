// CellState: the state that hosts see, and why the cell is idle. Each change goes to the log and to every host.
//
//   IDLE -arm-> ARMED -trigger or frame-> WAITING -frame and positions-> MEASURING -stored, announced-> ARMED
//
// On the loop's thread.
#pragma once

#include <string>

#include "daemon/cell/host_events.h"
#include "daemon/cell/measurement_basis.h"
#include "daemon/instrument/instrument.h"

namespace datum {

class CellState {
 public:
  CellState(const HostEvents& events, const MeasurementBasis& basis) : events_(events), basis_(basis) {}

  InstrumentState now() const { return state_; }
  bool idle() const { return state_ == InstrumentState::idle; }
  bool armed() const { return state_ == InstrumentState::armed; }
  /// Since the cell was armed last.
  const std::string& why_idle() const { return why_idle_; }
  /// `why` is logged where the state becomes idle. The present state is entered without effect.
  void enter(InstrumentState state, const std::string& why = "");

 private:
  const HostEvents& events_;
  const MeasurementBasis& basis_;
  InstrumentState state_ = InstrumentState::idle;
  std::string why_idle_;
};

}  // namespace datum
