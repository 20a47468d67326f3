#include "daemon/collect/batch_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "config/toml_reader.h"
#include "daemon/store/result_chain.h"

namespace datum {
namespace {

constexpr int first_measurement = 0, repeat = 1, artefact = 2, no_serial = 3;

std::optional<Renewal> renewal_in(const PlantEntry& entry) {
  if (entry.is_result()) return std::nullopt;
  try {
    if (Renewal renewal; from_statement(std::string(entry.statement()), renewal) && !renewal.id.empty() &&
                         plain_text(renewal.id) == renewal.id && renewal.id.size() <= 64)
      return renewal;
  } catch (const std::runtime_error&) {  // a statement that is no JSON: kept as it is
  }
  return std::nullopt;
}

std::optional<Removal> removal_in(const PlantEntry& entry) {
  if (entry.is_result()) return std::nullopt;
  try {
    if (Removal removal; from_statement(std::string(entry.statement()), removal)) return removal;
  } catch (const std::runtime_error&) {
  }
  return std::nullopt;
}

std::int64_t time_of(const PlantEntry& entry, std::int64_t received_us) {
  if (entry.is_result()) return utc_us_of(entry.measured_at()).value_or(received_us);
  const auto json = nlohmann::json::parse(entry.statement(), nullptr, false);
  if (!json.is_object() || !json.contains("utc") || !json["utc"].is_string()) return received_us;
  return utc_us_of(json["utc"].get<std::string>()).value_or(received_us);
}

/// The id under which an entry is kept: the statement by which a store goes on under another id is the first entry of that one.
std::string kept_under(const PlantEntry& entry) {
  const auto renewal = renewal_in(entry);
  return renewal ? renewal->id : entry.store_id;
}

}  // namespace

/// Where an entry belongs. Its store may be unknown so far.
struct BatchPlan::Place {
  CatalogueCell& cell;
  std::string store_id;
  CatalogueStore* store = nullptr;
  CatalogueStore* parent = nullptr;  // of a renewal: the store before
  std::uint64_t link = 0;
};

void UnitAttempts::add(std::int64_t utc_us, int decision) {
  if (attempts == 0 || utc_us < entered_us) entered_us = utc_us;
  if (attempts == 0 || utc_us >= last_us) last_us = utc_us, last_decision = decision;
  if (decision != 3 && (!first_us || utc_us < *first_us)) first_us = utc_us, first_decision = decision;
  ++attempts;
  invalid += decision == 3;
}

Wanted wanted_of(const std::vector<const Delivered*>& batch, Catalogue& catalogue) {
  Wanted wanted;
  for (const Delivered* delivered : batch) {
    const Delivered& message = *delivered;
    const auto* entry = std::get_if<PlantEntry>(&message.content);
    if (!entry) continue;
    const int cell = catalogue.cell(entry->cell).cell;
    const auto want = [&](const std::string& id, std::uint64_t link, bool with_neighbours) {
      const CatalogueStore* store = catalogue.find_store(cell, id);
      if (!store) return;
      const std::uint64_t first = with_neighbours ? link - 1 : link, last = with_neighbours ? link + 1 : link;
      const bool is_next = link == store->chain.newest() + 1 && !store->newest_sha256.empty();
      for (std::uint64_t at = first; at <= last && !is_next; ++at)
        if (store->chain.has(at)) wanted.entries.emplace(store->store, at);
      if (store->parent && link == store->first) wanted.entries.emplace(*store->parent, link - 1);
    };
    want(kept_under(*entry), entry->link, true);
    if (const auto renewal = renewal_in(*entry)) want(renewal->former_id, entry->link - 1, false);
    if (const auto removal = removal_in(*entry)) want(entry->store_id, removal->last_link + 1, false);
    if (!message.rows || message.rows->is_artefact) continue;
    for (const BoardRow& board : message.rows->boards)
      if (!board.unit.empty())
        wanted.units.insert({catalogue.product(message.rows->recipe), board.unit, cell});
  }
  return wanted;
}

const KnownEntry* BatchPlan::known(const CatalogueStore* store, std::uint64_t link) const {
  if (!store) return nullptr;
  const auto found = known_.entries.find({store->store, link});
  return found == known_.entries.end() ? nullptr : &found->second;
}

Neighbours BatchPlan::neighbours_of(const Place& at) const {
  Neighbours beside;
  const CatalogueStore* before_in = at.store;
  if (at.parent)
    before_in = at.parent;
  else if (at.store && at.store->parent && at.link == at.store->first)
    before_in = &catalogue_.store_of(*at.store->parent);
  if (const KnownEntry* before = known(before_in, at.link - 1))
    beside.before = before->sha256;
  else if (before_in && before_in->chain.newest() == at.link - 1 && !before_in->newest_sha256.empty())
    beside.before = before_in->newest_sha256;
  if (const KnownEntry* after = known(at.store, at.link + 1)) {
    beside.after_before = after->before;
    if (after->unproven_body) {
      beside.after_body = after->unproven_body;
      beside.after_sha256 = after->sha256;
    }
  }
  return beside;
}

void BatchPlan::take(const Delivered& message) {
  if (const auto* refusal = std::get_if<Refusal>(&message.content)) {
    constexpr std::size_t kept = 64 << 10;
    rows_.alarms.push_back({"POISON", config::sha256_hex(message.raw), "", "", 0,
                            "the message " + plain_text(refusal->why), "", message.raw.substr(0, kept),
                            message.raw.size(), message.received_us});
    return;
  }
  if (const auto* gap = std::get_if<PlantGap>(&message.content)) return take_gap(*gap, message);
  take_entry(std::get<PlantEntry>(message.content), message);
}

void BatchPlan::take_gap(const PlantGap& gap, const Delivered&) {
  CatalogueStore& store = catalogue_.store(catalogue_.cell(gap.cell).cell, gap.store_id);
  store.chain.expect(gap.last);
  if (store.chain.newest() == gap.last) store.newest_sha256.clear();
  removed(store, gap.last);
}

/// Retention removes the oldest entries: those up to `last` are gone at the cell, under this id and the ones before it.
void BatchPlan::removed(CatalogueStore& store, std::uint64_t last) {
  store.removed_to = std::max(store.removed_to, last);
  store.is_changed = true;
  if (store.parent) removed(catalogue_.store_of(*store.parent), std::min(last, store.first - 1));
}

void BatchPlan::take_entry(const PlantEntry& entry, const Delivered& message) {
  const auto renewal = renewal_in(entry);
  Place at{catalogue_.cell(entry.cell), kept_under(entry), nullptr, nullptr, entry.link};
  at.store = catalogue_.find_store(at.cell.cell, at.store_id);
  if (renewal) at.parent = catalogue_.find_store(at.cell.cell, renewal->former_id);
  if (at.store) {
    at.store->head = std::max(at.store->head, entry.head);
    if (const KnownEntry* here = known(at.store, entry.link)) return take_again(entry, at, *here, message);
  }
  const Proof proof = prove(entry, neighbours_of(at));
  if (proof.kind == Proof::Kind::altered) return set_aside("ALTERED", entry, proof.why, message, false);
  const bool is_intact = !entry.before.empty();
  if (is_intact && refused_.contains(entry.before))
    return set_aside("FOLLOWS", entry, "it follows an entry that was set aside", message, true);
  if (proof.kind == Proof::Kind::broken) return set_aside("BROKEN", entry, proof.why, message, is_intact);
  accept(entry, at, proof, message);
}

void BatchPlan::take_again(const PlantEntry& entry, const Place& at, const KnownEntry& here,
                           const Delivered& message) {
  std::string before = entry.before;
  if (before.empty() && here.before) before = *here.before;
  if (before.empty())
    if (const auto beside = neighbours_of(at); beside.before) before = *beside.before;
  if (before.empty() && entry.link == 1) before = chain_begin;
  const bool is_intact =
      before.empty() ? here.unproven_body == entry.body : entry_hash(before, entry.body) == entry.sha256;
  if (is_intact && here.sha256 == entry.sha256) {
    ++rows_.repeated;
    return;
  }
  if (!is_intact) return set_aside("ALTERED", entry, "its SHA-256 is not that of its bytes", message, false);
  set_aside(
      "CONFLICT", entry,
      fmt::format("entry {} is here with other bytes: two stores have one identity, or a store was rewritten",
                  entry.link),
      message, true);
}

void BatchPlan::accept(const PlantEntry& entry, Place& at, const Proof& proof, const Delivered& message) {
  const bool has_before = neighbours_of(at).before.has_value() || entry.link == 1;
  if (const KnownEntry* after = known(at.store, entry.link + 1); after && after->unproven_body) {
    rows_.proven.emplace_back(at.store->store, entry.link + 1);
    known_.entries.at({at.store->store, entry.link + 1}).unproven_body.reset();
  }
  CatalogueStore& store = catalogue_.store(at.cell.cell, at.store_id);
  follow_store(entry, at, store, message);
  store.chain.add(entry.link);
  if (store.chain.newest() == entry.link) store.newest_sha256 = entry.sha256;
  store.is_changed = true;
  const StoreLink place{store.store, entry.link};
  KnownEntry& kept = known_.entries[place];
  kept.sha256 = entry.sha256;
  if (!has_before && !proof.before.empty()) kept.before = proof.before;
  if (proof.kind == Proof::Kind::unproven) {
    kept.unproven_body = entry.body;
    rows_.unproven.emplace_back(place, entry.body);
  }
  rows_.entries.push_back({place, entry.sha256, kept.before.value_or(""), message.received_us});
  if (entry.is_result()) return add_result(entry, store, message);
  rows_.statements.emplace_back(place, plain_text(entry.statement()));
  if (const auto removal = removal_in(entry)) {
    removed(store, removal->last_link);
    const StoreLink next{store.store, removal->last_link + 1};
    const auto first = known_.entries.find(next);
    if (first == known_.entries.end() || !first->second.unproven_body) return;
    if (entry_hash(removal->last_sha256, *first->second.unproven_body) != first->second.sha256)
      return notice("BROKEN", entry, fmt::format("entry {} does not follow the removed ones", next.second),
                    message);
    rows_.proven.push_back(next);
    first->second.unproven_body.reset();
  }
}

/// Says where a cell's store was replaced or set back, and where two stores send under one handle.
void BatchPlan::follow_store(const PlantEntry& entry, const Place& at, CatalogueStore& store,
                             const Delivered& message) {
  const std::int64_t utc_us = time_of(entry, message.received_us);
  if (renewal_in(entry)) {
    CatalogueStore& parent = at.parent ? *at.parent : catalogue_.store(at.cell.cell, entry.store_id);
    if (parent.chain.newest() >= entry.link)
      notice("SET_BACK", entry,
             fmt::format("the store was set back: entries {} to {} of {} are here and no longer in the cell",
                         entry.link, parent.chain.newest(), parent.store_id),
             message);
    if (parent.chain.newest() < entry.link - 1) parent.newest_sha256.clear();
    parent.chain.expect(entry.link - 1);
    parent.is_changed = true;
    store.parent = parent.store;
    store.first = entry.link;
    store.chain.begin_at(entry.link);
    if (store.removed_to > 0) removed(store, store.removed_to);
  }
  const CatalogueStore* current = at.cell.current == 0 ? nullptr : &catalogue_.store_of(at.cell.current);
  if (store.begun_us == 0) {
    if (current && !store.parent && entry.link == 1)
      notice("REPLACED", entry, fmt::format("the cell has a new store in place of {}", current->store_id),
             message);
    catalogue_.begin(store, utc_us);
    return;
  }
  if (current && current != &store && entry.link > store.chain.newest() && utc_us > current->begun_us)
    notice("TWO_STORES", entry,
           fmt::format("the cell sends from store {} while {} is the newer one: two cells have one handle",
                       store.store_id, current->store_id),
           message);
}

void BatchPlan::add_result(const PlantEntry& entry, CatalogueStore& store, const Delivered& message) {
  const VerdictRows& verdict = *message.rows;
  ++rows_.results;
  if (!verdict.unreadable.empty())
    notice("UNREADABLE", entry, "the verdict can't be read: " + plain_text(verdict.unreadable), message);
  const int recipe = catalogue_.recipe(verdict.recipe, verdict.recipe_sha256);
  const int making = catalogue_.making(verdict.calibration_sha256, verdict.code);
  std::vector<int> series;
  add_boards(entry, store, verdict, message.received_us, recipe, making, series);
  const std::int64_t day = verdict.utc_us / us_per_day;
  for (const MeasurementRow& row : verdict.measurements) {
    const int characteristic = catalogue_.characteristic(recipe, row.what, row.key);
    rows_.measurements.push_back({verdict.utc_us, entry.link, row.count, store.store, characteristic, row.u,
                                  row.decision, catalogue_.reason(row.reason)});
    if (const int of = series[row.board]; of != artefact)
      rows_.sums[{store.cell, characteristic, making, day, of == no_serial ? first_measurement : of}].add(
          row.count, row.u, row.decision);
  }
  keep_newest(entry, store, message);
}

void BatchPlan::add_boards(const PlantEntry& entry, const CatalogueStore& store, const VerdictRows& verdict,
                           std::int64_t received_us, int recipe, int making, std::vector<int>& series) {
  for (const BoardRow& board : verdict.boards) {
    int of = verdict.is_artefact ? artefact : board.unit.empty() ? no_serial : first_measurement;
    if (of == first_measurement) {
      const UnitKey key{catalogue_.product(verdict.recipe), board.unit, store.cell};
      if (!known_.units.insert(key).second) of = repeat;
      rows_.units[key].add(verdict.utc_us, board.decision);
    }
    series.push_back(of);
    const int reason = catalogue_.reason(board.reason);
    rows_.boards.push_back({verdict.utc_us, received_us, entry.link, entry.sequence, store.store, recipe,
                            making, reason, board.decision, of, board.place, board.unit});
    ++rows_.board_sums[{store.cell, recipe, making, verdict.utc_us / us_per_day, of, board.decision, reason}];
  }
}

/// A cell's newest result never goes back: of one store by its number, else by its time.
void BatchPlan::keep_newest(const PlantEntry& entry, const CatalogueStore& store, const Delivered& message) {
  CatalogueCell& cell = catalogue_.cell_of(store.cell);
  const VerdictRows& verdict = *message.rows;
  if (cell.store &&
      (*cell.store == store.store ? entry.link <= cell.link : verdict.utc_us <= cell.measured_us))
    return;
  cell.store = store.store;
  cell.link = entry.link;
  cell.sequence = entry.sequence;
  cell.measured_us = verdict.utc_us;
  cell.received_us = message.received_us;
  cell.recipe = verdict.recipe;
  cell.unit = plain_text(entry.unit_id());
  cell.decision = verdict.unreadable.empty() ? entry.decision()[0] - '0' : 3;
  cell.reason = verdict.unreadable.empty() ? plain_text(entry.reason()) : "UNREADABLE";
  cell.is_changed = true;
}

/// `is_intact`: its hash is that of its bytes, so that what follows it can be known by it.
void BatchPlan::set_aside(const char* kind, const PlantEntry& entry, const std::string& why,
                          const Delivered& message, bool is_intact) {
  if (is_intact) refused_.insert(entry.sha256);
  rows_.alarms.push_back({kind, is_intact ? entry.sha256 : config::sha256_hex(message.raw), entry.cell,
                          entry.store_id, entry.link, why, is_intact ? entry.sha256 : "", message.raw,
                          message.raw.size(), message.received_us});
}

void BatchPlan::notice(const char* kind, const PlantEntry& entry, const std::string& why,
                       const Delivered& message) {
  const bool is_of_store = std::string_view(kind) != "UNREADABLE";
  rows_.alarms.push_back({kind, is_of_store ? entry.cell + " " + kept_under(entry) : entry.sha256, entry.cell,
                          kept_under(entry), entry.link, why, entry.sha256, is_of_store ? "" : message.raw,
                          is_of_store ? 0 : message.raw.size(), message.received_us});
}

}  // namespace datum
