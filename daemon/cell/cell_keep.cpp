// What the cell does about its results when no board is in hand: is there room for another, and old ones go.
#include <fmt/format.h>

#include <utility>

#include "daemon/cell/cell.h"
#include "daemon/loop/event_loop.h"
#include "daemon/report/scpi_error.h"

namespace datum {

/// Without room the board in hand is finished, and no other is taken. Arming again is for a host, once there is room.
void InspectionCell::watch_room() {
  if (!parts_.retention) return;
  for (const std::string& note : parts_.retention->take_notes()) log(5, note);
  const std::string why = shortage();
  if (why.empty() && !std::exchange(shortage_, why).empty())
    log(5, "there is room again; the cell can be armed");
  if (why.empty()) return;
  const bool in_hand = board_ || part_ || parts_.worker.busy();
  const bool disarms = state_ == InstrumentState::armed && !in_hand;
  const bool new_to_hosts = disarms || (shortage_.empty() && state_ == InstrumentState::idle);
  if (disarms || state_ == InstrumentState::idle) shortage_ = why;
  if (disarms) enter(InstrumentState::idle);
  if (new_to_hosts) raise(scpi::media_full, why + (disarms ? "; disarmed" : "; the cell can't be armed"));
}

/// On the worker, which stores too; a frame that comes meanwhile waits for one slice at most.
void InspectionCell::keep_results(MonotonicNs now) {
  if (!parts_.retention || board_ || part_ || !parts_.retention->due(now)) return;
  KeepMoment moment{parts_.utc_ns() / 1'000'000'000, std::nullopt, EventLoop::now};
  for (const CommandEndpoint* endpoint : endpoints_)
    if (const auto one = endpoint->acknowledged();
        one && (!moment.acknowledged || *one < *moment.acknowledged))
      moment.acknowledged = one;
  parts_.retention->begin();
  const auto outcome = std::make_shared<KeepOutcome>();
  const auto slice = [outcome, moment, retention = parts_.retention, &store = parts_.writer] {
    *outcome = retention->slice(store, moment);
  };
  parts_.worker.submit(slice, [this, outcome] {
    parts_.retention->end(*outcome, EventLoop::now());
    if (outcome->removed.results > 0)
      for (CommandEndpoint* endpoint : endpoints_)
        endpoint->instrument_changed();  // they may show the oldest
  });
}

}  // namespace datum
