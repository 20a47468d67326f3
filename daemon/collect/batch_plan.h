// What a batch of messages changes in the database: rows that are added, sums, alarms. It knows no database: what the batch needs of it was
// looked up before.
//
// An entry is added once. The same entry again changes nothing. Another entry of its number, one whose hash is not that of its bytes, one
// that does not follow its neighbours, and one that follows an entry that was set aside are set aside as alarms, with their bytes.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "daemon/collect/batch_sums.h"
#include "daemon/collect/catalogue.h"
#include "daemon/collect/delivered.h"

namespace datum {

using StoreLink = std::pair<int, std::uint64_t>;

/// An entry that is in the database.
struct KnownEntry {
  std::string sha256;
  std::optional<std::string> before;         // where it was stored with it
  std::optional<std::string> unproven_body;  // its hash is not checked yet
};

struct UnitKey {
  int product = 0;
  std::string unit;
  int cell = 0;
  auto operator<=>(const UnitKey&) const = default;
};

/// What the database holds of what a batch touches.
struct KnownBefore {
  std::map<StoreLink, KnownEntry> entries;
  std::set<UnitKey> units;
};

struct UnitAttempts {
  std::int64_t entered_us = 0, last_us = 0;
  std::optional<std::int64_t> first_us;  // that is not INVALID
  int first_decision = 3, last_decision = 3, attempts = 0, invalid = 0;
  void add(std::int64_t utc_us, int decision);
};

struct Alarm {
  std::string kind, name;  // together one alarm, however often it is seen
  std::string cell, store_id;
  std::uint64_t link = 0;  // 0: none
  std::string detail, entry_sha256, raw;
  std::uint64_t bytes = 0;
  std::int64_t seen_us = 0;
};

struct BatchRows {
  struct Entry {
    StoreLink at;
    std::string sha256, before;  // before: empty where the entry before is here
    std::int64_t received_us;
  };
  struct Board {
    std::int64_t measured_us, received_us;
    std::uint64_t link, sequence;
    int store, recipe, making, reason, decision, series;
    std::string place, unit;
  };
  struct Measurement {
    std::int64_t measured_us;
    std::uint64_t link;
    std::optional<std::int64_t> count;
    int store, characteristic;
    double u;
    int decision, reason;
  };
  std::vector<Entry> entries;
  std::vector<std::pair<StoreLink, std::string>> statements, unproven;
  std::vector<StoreLink> proven;  // no longer unproven
  std::vector<Board> boards;
  std::vector<Measurement> measurements;
  SumsOfBatch sums;
  BoardSumsOfBatch board_sums;
  std::map<UnitKey, UnitAttempts> units;
  std::vector<Alarm> alarms;
  std::uint64_t results = 0, repeated = 0;  // repeated: entries that are here already
};

/// What take() will ask for.
struct Wanted {
  std::set<StoreLink> entries;
  std::set<UnitKey> units;
};
Wanted wanted_of(const std::vector<const Delivered*>& batch, Catalogue& catalogue);

class BatchPlan {
 public:
  /// `refused`: hashes of entries that were set aside; more are added.
  BatchPlan(Catalogue& catalogue, KnownBefore known, std::set<std::string>& refused)
      : catalogue_(catalogue), known_(std::move(known)), refused_(refused) {}

  void take(const Delivered& message);
  BatchRows& rows() { return rows_; }

 private:
  struct Place;
  void take_entry(const PlantEntry& entry, const Delivered& message);
  void take_gap(const PlantGap& gap, const Delivered& message);
  void take_again(const PlantEntry& entry, const Place& at, const KnownEntry& known,
                  const Delivered& message);
  void accept(const PlantEntry& entry, Place& at, const Proof& proof, const Delivered& message);
  void follow_store(const PlantEntry& entry, const Place& at, CatalogueStore& store,
                    const Delivered& message);
  void add_result(const PlantEntry& entry, CatalogueStore& store, const Delivered& message);
  void add_boards(const PlantEntry& entry, const CatalogueStore& store, const VerdictRows& verdict,
                  std::int64_t received_us, int recipe, int making, std::vector<int>& series);
  void keep_newest(const PlantEntry& entry, const CatalogueStore& store, const Delivered& message);
  void removed(CatalogueStore& store, std::uint64_t last);
  void set_aside(const char* kind, const PlantEntry& entry, const std::string& why, const Delivered& message,
                 bool is_intact);
  void notice(const char* kind, const PlantEntry& entry, const std::string& why, const Delivered& message);
  Neighbours neighbours_of(const Place& at) const;
  const KnownEntry* known(const CatalogueStore* store, std::uint64_t link) const;

  Catalogue& catalogue_;
  KnownBefore known_;  // and what this batch adds
  std::set<std::string>& refused_;
  BatchRows rows_;
};

}  // namespace datum
