#include "daemon/cell/store_maintenance.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "config/utc_time.h"
#include "daemon/instrument/scpi_error.h"
#include "daemon/system/event_loop.h"

namespace datum {

StoreMaintenance::StoreMaintenance(StoreMaintenanceDependencies dependencies)
    : deps_(std::move(dependencies)) {
  if (!deps_.writer.renewed()) suspect_id_ = deps_.reader.id();
}

void StoreMaintenance::watch_room(bool in_hand) {
  if (!deps_.retention) return;
  for (const std::string& note : deps_.retention->take_notes()) deps_.events.log(5, note);
  const std::string why = shortage();
  if (why.empty() && !std::exchange(shortage_, why).empty())
    deps_.events.log(5, "there is room again; the cell can be armed");
  if (why.empty()) return;
  const bool disarms = deps_.state.armed() && !in_hand;
  const bool new_to_hosts = disarms || (shortage_.empty() && deps_.state.idle());
  if (disarms || deps_.state.idle()) shortage_ = why;
  if (disarms) deps_.state.enter(InstrumentState::idle);
  if (new_to_hosts)
    deps_.events.raise(scpi::media_full, why + (disarms ? "; disarmed" : "; the cell can't be armed"));
}

void StoreMaintenance::report_renewal(const Renewal& renewal) {
  suspect_id_.clear();
  deps_.events.raise(scpi::mass_storage_error, words_of(renewal),
                     {Event::store_set_back,
                      {{"DATUM_STORE", renewal.id},
                       {"DATUM_FORMER_STORE", renewal.former_id},
                       {"DATUM_SEQUENCE", fmt::format("{}", renewal.given)},
                       {"DATUM_REASON", renewal.why}}});
}

void StoreMaintenance::position_ahead(const std::string& store_id, const HeldPosition& held) {
  if (std::exchange(suspect_id_, "") != store_id)
    return deps_.events.log(
        4, fmt::format("{} says that it has results up to {} of store {}, which never gave that number; not "
                       "believed",
                       held.who, held.sequence, store_id));
  const auto renewed = std::make_shared<std::optional<Renewal>>();
  const std::string utc = iso8601_from_utc(deps_.utc_ns() / 1'000'000'000);
  deps_.worker.submit_fallible([=, &store = deps_.writer] { *renewed = store.renew(held, utc); },
                               [=, this](const std::string& failed) {
                                 if (!*renewed)
                                   return deps_.events.raise(
                                       scpi::mass_storage_error,
                                       "the store was set back and can't get another id: " + failed,
                                       {Event::store_trouble, {{"DATUM_REASON", failed}}});
                                 deps_.reader.extent();  // its id, before anybody is told
                                 report_renewal(**renewed);
                                 deps_.events.changed();
                               });
}

void StoreMaintenance::remove_old(MonotonicNs now) {
  if (!deps_.retention || !deps_.retention->due(now)) return;
  const KeepMoment moment{deps_.utc_ns() / 1'000'000'000, deps_.events.acknowledged(), EventLoop::now};
  deps_.retention->begin();
  const auto outcome = std::make_shared<KeepOutcome>();
  const auto slice = [outcome, moment, retention = deps_.retention, &store = deps_.writer] {
    *outcome = retention->slice(store, moment);
  };
  deps_.worker.submit(slice, [this, outcome] {
    deps_.retention->end(*outcome, EventLoop::now());
    if (outcome->removed.results > 0) deps_.events.changed();  // hosts may show the oldest result
  });
}

}  // namespace datum
