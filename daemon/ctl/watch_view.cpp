#include "daemon/ctl/watch_view.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "config/utc_time.h"

namespace datum {
namespace {

using Json = nlohmann::ordered_json;

std::string text_of(const Json& event) { return event.dump(-1, ' ', false, Json::error_handler_t::replace); }

Json result_json(const ResultLine& r) {
  return {{"event", "result"},
          {"store_id", r.store_id},
          {"sequence", r.sequence},
          {"measured_at_utc", iso8601_of_us(r.utc_us)},
          {"recipe", r.recipe},
          {"frame", r.frame},
          {"decision", name_of(r.decision)},
          {"components",
           {{"pass", r.n_pass},
            {"inconclusive", r.n_inconclusive},
            {"fail", r.n_fail},
            {"invalid", r.n_invalid}}}};
}

}  // namespace

std::string iso8601_of_us(std::int64_t utc_us) {
  std::int64_t s = utc_us / 1'000'000, us = utc_us % 1'000'000;
  if (us < 0) us += 1'000'000, --s;
  std::string text = iso8601_from_utc(s);
  text.insert(text.size() - 1, fmt::format(".{:06}", us));  // before the Z
  return text;
}

std::string gap_text(const DeliveryEvent& gap) {
  return gap.from == gap.to ? fmt::format("result {} is no longer stored", gap.from)
                            : fmt::format("results {} to {} are no longer stored", gap.from, gap.to);
}

void JsonWatchView::connected() {
  write_(text_of({{"event", "connection"}, {"connected", true}, {"address", address_}}));
}

void JsonWatchView::lost(const std::string& why, MonotonicNs retry_in_ns) {
  write_(text_of({{"event", "connection"},
                  {"connected", false},
                  {"address", address_},
                  {"why", why},
                  {"retry_in_ms", retry_in_ns / 1'000'000}}));
}

void JsonWatchView::cell(const WatchedCell& c) {
  write_(text_of({{"event", "cell"},
                  {"state", c.state},
                  {"state_detail", c.detail},
                  {"recipe", c.recipe},
                  {"unit", c.unit},
                  {"calibration", c.calibration},
                  {"calibration_refusal", c.refusal},
                  {"links", c.links}}));
}

void JsonWatchView::delivered(const DeliveryEvent& e) {
  if (e.kind == DeliveryEvent::Kind::result) return write_(text_of(result_json(e.result)));
  const bool gap = e.kind == DeliveryEvent::Kind::gap;
  write_(text_of({{"event", gap ? "gap" : "store"},
                  {"store_id", e.store_id},
                  {gap ? "from" : "first", e.from},
                  {gap ? "to" : "last", e.to}}));
}

void JsonWatchView::explained(const WatchedBoard& b) {
  write_(text_of({{"event", "board"}, {"sequence", b.sequence}, {"unit", b.unit}, {"reason", b.why}}));
}

void LineWatchView::connected() { write_(address_ + ": connected"); }

void LineWatchView::lost(const std::string& why, MonotonicNs retry_in_ns) {
  write_(fmt::format("{}; trying again in {} ms", why, retry_in_ns / 1'000'000));
}

void LineWatchView::cell(const WatchedCell& c) {
  write_(fmt::format("{}{}, recipe {}{}", c.state, c.detail.empty() ? "" : " " + c.detail,
                     c.recipe.empty() ? "-" : c.recipe, c.unit.empty() ? "" : ", unit " + c.unit));
  if (!c.refusal.empty()) write_(fmt::format("calibration {}: {}", c.calibration, c.refusal));
}

void LineWatchView::delivered(const DeliveryEvent& e) {
  const ResultLine& r = e.result;
  if (e.kind == DeliveryEvent::Kind::store)
    write_(fmt::format("store {}, results up to {}", e.store_id, e.to));
  else if (e.kind == DeliveryEvent::Kind::gap)
    write_(gap_text(e));
  else
    write_(fmt::format("{}  {}  {}  {}  {}  {} passed, {} inconclusive, {} failed, {} invalid", r.sequence,
                       iso8601_of_us(r.utc_us), r.recipe, r.frame, name_of(r.decision), r.n_pass,
                       r.n_inconclusive, r.n_fail, r.n_invalid));
}

void LineWatchView::explained(const WatchedBoard& b) {
  if (b.unit.empty() && b.why.empty()) return;
  write_(fmt::format("{}  unit {}{}", b.sequence, b.unit.empty() ? "-" : b.unit,
                     b.why.empty() ? "" : ": " + b.why));
}

}  // namespace datum
