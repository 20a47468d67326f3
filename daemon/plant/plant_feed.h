// What a store's chain holds after a place, as messages in its order. The store is the spool: nothing is kept here but the
// place up to which everything was accepted.
//
// An entry is sent as JSON with the body that its hash covers, so that a receiver can check the chain without an interpretation
// of it, and a result as CFX messages too. Entries that retention removed before they were sent are a GAP, in both forms.
#pragma once

#include <deque>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "daemon/plant/cfx_envelope.h"
#include "daemon/plant/plant_position.h"
#include "daemon/store/plant_settings.h"

namespace datum {

struct PlantMessage {
  enum class To : std::uint8_t { messages, entries };
  To to = To::messages;
  std::string name;  // of CFX; "datumd.Entry", "datumd.Gap"
  std::string id;    // GUID: the same whenever the same is sent again
  std::string json;
  std::optional<PlantPosition>
      completes{};  // the last message of an entry: the position when it and all before are accepted
};

class PlantFeed {
 public:
  /// `from`: where to begin. `handle`: of the cell.
  PlantFeed(std::filesystem::path store, PlantSettings settings, PlantPosition from);

  /// Next message; none: there is none yet. Reads further entries from the store where it has none. Throws StoreError.
  const PlantMessage* front();
  void pop() { ready_.pop_front(); }
  /// Begins again behind what was accepted.
  void rewind(PlantPosition to);

  /// What was noticed since the last call, for the log: the store was replaced or set back; empty: nothing.
  std::string notice();

 private:
  void read();
  /// `head`: newest entry of the store.
  void add_entry(const std::string& store_id, std::uint64_t head, const ChainPlace& place,
                 const std::string& before, const std::string& body);
  std::vector<CfxMessage> messages_of(const std::string& body, const std::string& sha256);
  void add_gap(const std::string& store_id, const std::string& utc, std::uint64_t first, std::uint64_t last);

  std::filesystem::path store_;
  PlantSettings settings_;
  PlantPosition read_;  // of the newest entry in `ready_`
  std::deque<PlantMessage> ready_;
  std::string notice_;
};

}  // namespace datum
