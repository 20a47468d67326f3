// StoreMaintenance: is there room for another board, old results go, and a store that was set back gets another id.
//
// Without room the board in hand is finished, and no other is taken; only a host arms again. Results are removed in slices on
// the storer: a board that comes meanwhile waits for one slice at most. On the loop's thread.
#pragma once

#include <functional>
#include <string>

#include "daemon/cell/cell_state.h"
#include "daemon/cell/host_events.h"
#include "daemon/store/result_store.h"
#include "daemon/store/retention/retention.h"
#include "daemon/system/worker.h"

namespace datum {

struct StoreMaintenanceDependencies {
  Worker& worker;
  ResultStore& writer;  // used on the worker's thread only
  ResultStore& reader;
  Retention* retention;  // null: everything is kept, and no room is asked for
  std::function<std::int64_t()> utc_ns;
  const HostEvents& events;
  CellState& state;
};

class StoreMaintenance {
 public:
  explicit StoreMaintenance(StoreMaintenanceDependencies dependencies);

  /// Why there is no room for another board; empty: there is.
  std::string shortage() const { return deps_.retention ? deps_.retention->shortage() : ""; }
  /// The same as it was reported last.
  const std::string& reported_shortage() const { return shortage_; }
  /// Once a round. `in_hand`: a board or a part is in work, or the worker is busy.
  void watch_room(bool in_hand);
  /// Removes a slice of old results where that is due; to be called while the worker is free and nothing is in hand.
  void remove_old(MonotonicNs now);
  /// The alarm that the store got another id.
  void report_renewal(const Renewal& renewal);
  /// Instrument::position_ahead(), once in a run: an id that this run made is known to have given no more than the
  /// store has.
  void position_ahead(const std::string& store_id, const HeldPosition& held);

 private:
  StoreMaintenanceDependencies deps_;
  std::string shortage_;
  std::string suspect_id_;  // of the store, as this run found it; nobody can be ahead of an id that it made
};

}  // namespace datum
