// What datumd-plant puts among the entries (daemon/plant/plant_feed.h), decoded: an entry of a store's hash chain, or the
// statement that retention removed some before they were sent. Any other bytes are refused with their reason.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace datum {

struct PlantEntry {
  std::string cell;      // CFX handle
  std::string store_id;  // of the body, which the hash covers
  std::uint64_t link = 0;
  std::uint64_t head = 0;                // newest link of the store when this was sent; 0: not stated
  std::string before, sha256;            // 64 hex digits; before: empty where the sender did not know it
  std::string body;                      // netstrings (daemon/store/result_chain.h)
  std::vector<std::string_view> fields;  // of the body, behind the store's id; into `body`

  bool is_result() const { return fields.size() == 9; }
  std::string_view statement() const { return fields.at(1); }
  // Of a result:
  std::uint64_t sequence = 0;
  std::string_view measured_at() const { return fields.at(1); }
  std::string_view unit_id() const { return fields.at(2); }
  std::string_view recipe() const { return fields.at(3); }
  std::string_view decision() const { return fields.at(4); }  // a digit
  std::string_view reason() const { return fields.at(5); }
  std::string_view verdict() const { return fields.at(8); }  // JSON

  PlantEntry() = default;
  PlantEntry(PlantEntry&&) = default;
  PlantEntry& operator=(PlantEntry&&) = default;
};

struct PlantGap {
  std::string cell, store_id;  // the store's id of then
  std::uint64_t first = 0, last = 0;
};

/// Bytes that are neither.
struct Refusal {
  std::string why;
};

using PlantMessageContent = std::variant<PlantEntry, PlantGap, Refusal>;

/// Never throws for what the bytes are. `largest`: a longer message is refused.
PlantMessageContent decode_plant_message(std::string_view bytes, std::size_t largest);

/// SHA-256 of the entry after the hash `before`, 64 hex digits.
std::string entry_hash(std::string_view before, std::string_view body);

}  // namespace datum
