// HostActions: what hosts did goes into the chain of results. What can't be stored waits, and is tried again. On the
// loop's thread; the worker stores.
#pragma once

#include <functional>

#include "daemon/cell/host_events.h"
#include "daemon/instrument/lock_arbiter.h"
#include "daemon/store/deed_book.h"
#include "daemon/store/result_store.h"
#include "daemon/system/worker.h"

namespace datum {

class HostActions {
 public:
  /// Hears of each action from `control`.
  HostActions(LockArbiter& control, Worker& worker, ResultStore& store, std::function<std::int64_t()> utc_ns,
              const HostEvents& events);

  /// A statement of what a person did elsewhere waits, too.
  void state(const std::string& statement) { book_.add(statement); }
  /// Stores what waits; to be called while no board waits for the worker.
  void store(MonotonicNs now);

 private:
  Worker& worker_;
  ResultStore& store_;
  const HostEvents& events_;
  DeedBook book_;
  MonotonicNs not_before_ns_ = 0;  // the store refused them
};

}  // namespace datum
