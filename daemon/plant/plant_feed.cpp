#include "daemon/plant/plant_feed.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "config/guid.h"
#include "daemon/inspection/verdict/reference_evidence.h"
#include "daemon/plant/cfx_faults.h"
#include "daemon/plant/cfx_messages.h"
#include "daemon/plant/cfx_statements.h"
#include "daemon/sign/hex.h"
#include "daemon/store/chain_reader.h"

namespace datum {
namespace {

using Json = nlohmann::ordered_json;

// Of one snapshot of the store, whichever comes first.
constexpr int entries_at_once = 256;
constexpr std::size_t bytes_at_once = std::size_t{8} << 20;

/// Fields of a body (netstrings, result_chain.h).
std::vector<std::string_view> fields_of(std::string_view body) {
  std::vector<std::string_view> fields;
  while (!body.empty()) {
    const std::size_t colon = body.find(':');
    if (colon == body.npos) throw std::runtime_error("an entry's body is no list of netstrings");
    const std::size_t length = std::stoull(std::string(body.substr(0, colon)));
    if (body.size() < colon + length + 2) throw std::runtime_error("an entry's body ends within a netstring");
    fields.push_back(body.substr(colon + 1, length));
    body.remove_prefix(colon + length + 2);
  }
  return fields;
}

std::string dumped(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

/// Time of an entry, for the message of what is missing before it.
std::string time_of(const std::string& body) {
  const auto fields = fields_of(body);
  if (fields.size() > 3) return std::string(fields[2]);
  return Json::parse(fields.back()).value("utc", "");
}

/// With the body as it is; where it is no UTF-8, which JSON can't carry, with its bytes in hex.
std::string with_body(Json entry, const std::string& body) {
  entry["body"] = body;
  try {
    return entry.dump();
  } catch (const Json::type_error&) {
    entry.erase("body");
    entry["body_hex"] = hex_of(reinterpret_cast<const unsigned char*>(body.data()), body.size());
    return dumped(entry);
  }
}

}  // namespace

PlantFeed::PlantFeed(std::filesystem::path store, PlantSettings settings, PlantPosition from)
    : store_(std::move(store)), settings_(std::move(settings)), read_(std::move(from)) {}

const PlantMessage* PlantFeed::front() {
  if (ready_.empty()) read();
  return ready_.empty() ? nullptr : &ready_.front();
}

void PlantFeed::rewind(PlantPosition to) {
  ready_.clear();
  read_ = std::move(to);
}

std::string PlantFeed::notice() { return std::exchange(notice_, ""); }

void PlantFeed::read() {
  const ChainReader reader(store_);
  const ChainPlace head = reader.head();
  if (read_.place.link != 0) {
    const auto there = reader.place(read_.place.link);
    // Retention removes the oldest: an entry that is gone while a newer one exists was removed. Another entry of its number, or a
    // shorter chain, is another history.
    if (there ? *there != read_.place : head.link < read_.place.link) {
      notice_ = fmt::format(
          "the store is not the one of entry {}: it was replaced or set back; everything in it is sent, and "
          "a receiver drops what it knows",
          read_.place.link);
      read_ = {};
    }
  }
  int left = entries_at_once;
  std::size_t bytes = 0;
  std::string before = read_.place.sha256;
  reader.bodies_after(read_.place.link, [&](const ChainPlace& place, const std::string& body) {
    if (place.link > head.link) return false;  // not certainly on the disk
    if (place.link > read_.place.link + 1) {
      // A store that was never sent from begins behind what retention had removed: that is a gap, too.
      add_gap(reader.store_id(), time_of(body), read_.place.link + 1, place.link - 1);
      before.clear();
    }
    add_entry(reader.store_id(), head.link, place, before, body);
    before = place.sha256;
    bytes += body.size();
    return --left > 0 && bytes < bytes_at_once;
  });
}

void PlantFeed::add_gap(const std::string& store_id, const std::string& utc, std::uint64_t first,
                        std::uint64_t last) {
  const CfxMessage fault = cfx_gap({settings_.handle, utc}, store_id, first, last);
  if (!settings_.messages.empty())
    ready_.push_back({PlantMessage::To::messages, fault.name, fault.id, fault.json});
  if (!settings_.entries.empty())
    ready_.push_back({PlantMessage::To::entries, "datumd.Gap", guid_of("entries " + fault.id),
                      dumped({{"cell", settings_.handle},
                              {"store_id", store_id},
                              {"gap", {{"first", first}, {"last", last}}}})});
}

void PlantFeed::add_entry(const std::string& store_id, std::uint64_t head, const ChainPlace& place,
                          const std::string& before, const std::string& body) {
  read_.store_id = store_id;
  read_.place = place;
  if (!settings_.messages.empty())
    for (const CfxMessage& message : messages_of(body, place.sha256))
      ready_.push_back({PlantMessage::To::messages, message.name, message.id, message.json});
  if (!settings_.entries.empty()) {
    Json entry = {{"cell", settings_.handle},
                  {"store_id", store_id},
                  {"link", place.link},
                  {"before", before},
                  {"sha256", place.sha256}};
    entry["head"] = head;
    ready_.push_back({PlantMessage::To::entries, "datumd.Entry", guid_of("entry " + place.sha256),
                      with_body(std::move(entry), body)});
  }
  if (ready_.empty()) return;  // of an artefact, which CFX has no message for
  ready_.back().completes = read_;
}

/// Of an entry; what is open and in use is brought up to it.
std::vector<CfxMessage> PlantFeed::messages_of(const std::string& body, const std::string& sha256) {
  const auto fields = fields_of(body);
  const bool is_result = fields.size() > 3;
  if (!is_result) return cfx_of_statement(std::string(fields.back()), sha256, settings_.handle, read_.faults);
  const BoardVerdict verdict = verdict_from_json(std::string(fields.back()));
  if (is_artefact(verdict)) return {};  // of a reference check: no product
  const std::string transaction = cfx_transaction(sha256);
  std::vector<CfxMessage> messages;
  if (verdict.recipe_sha256 != read_.recipe_sha256)
    messages.push_back(cfx_recipe(verdict, sha256, settings_.handle));
  if (verdict.calibration_sha256 != read_.calibration_sha256 && !verdict.calibration_sha256.empty())
    messages.push_back(cfx_calibration(verdict, transaction, sha256, settings_.handle));
  read_.recipe_sha256 = verdict.recipe_sha256;
  read_.calibration_sha256 = verdict.calibration_sha256;
  for (auto& message : cfx_of(verdict, sha256, settings_.handle)) messages.push_back(std::move(message));
  for (auto& message : cfx_faults_of(verdict, transaction, sha256, settings_.handle, read_.faults))
    messages.push_back(std::move(message));
  return messages;
}

}  // namespace datum
