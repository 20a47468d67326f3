// What the cell does about its results when no board is in hand: is there room for another, and old ones go.
#include <fmt/format.h>

#include <utility>

#include "config/utc_time.h"
#include "daemon/cell/cell.h"
#include "daemon/instrument/scpi_error.h"
#include "daemon/system/event_loop.h"

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

void InspectionCell::tell_renewal(const Renewal& renewal) {
  doubtful_id_.clear();
  raise(scpi::mass_storage_error, words_of(renewal),
        {Event::store_set_back,
         {{"DATUM_STORE", renewal.id},
          {"DATUM_FORMER_STORE", renewal.former_id},
          {"DATUM_SEQUENCE", fmt::format("{}", renewal.given)},
          {"DATUM_REASON", renewal.why}}});
}

/// Once in a run: an id that this run made is known to have given no more than the store has.
void InspectionCell::position_ahead(const std::string& store_id, const HeldPosition& held) {
  if (std::exchange(doubtful_id_, "") != store_id)
    return log(
        4, fmt::format("{} says that it has results up to {} of store {}, which never gave that number; not "
                       "believed",
                       held.who, held.sequence, store_id));
  const auto renewed = std::make_shared<std::optional<Renewal>>();
  const auto failed = std::make_shared<std::string>();
  const std::string utc = iso8601_from_utc(utc_s());
  const auto renew = [=, &store = parts_.writer] {
    try {
      *renewed = store.renew(held, utc);
    } catch (const std::exception& error) {
      *failed = error.what();
    }
  };
  parts_.worker.submit(renew, [=, this] {
    if (!*renewed)
      return raise(scpi::mass_storage_error, "the store was set back and can't get another id: " + *failed,
                   {Event::store_trouble, {{"DATUM_REASON", *failed}}});
    parts_.reader.extent();  // its id, before anybody is told
    tell_renewal(**renewed);
    for (CommandEndpoint* endpoint : endpoints_) endpoint->instrument_changed();
  });
}

/// On the worker, which stores too; a frame that comes meanwhile waits for one slice at most.
void InspectionCell::keep_results(MonotonicNs now) {
  keep_deeds(now);
  if (parts_.worker.busy()) return;
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
