// What the database calls by a number: cells, their stores, recipes, characteristics. A copy in memory of the one program that writes; new
// ones get the next number, and wait in `fresh` lists until they are written.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "daemon/collect/chain_state.h"
#include "daemon/collect/verdict_rows.h"

namespace datum {

/// One id of a cell's store.
struct CatalogueStore {
  int store = 0, cell = 0;
  std::string store_id;
  std::optional<int> parent;  // the store whose chain it goes on from
  std::uint64_t first = 1;    // its first entry
  ChainState chain;
  std::string newest_sha256;  // of chain.newest(); empty: that is not here
  std::uint64_t head = 0, removed_to = 0;
  std::int64_t begun_us = 0;  // time of its first entry that came; 0: none came
  bool is_new = true, is_changed = true;
};

/// A cell with its newest result.
struct CatalogueCell {
  int cell = 0;
  std::string handle;
  std::optional<int> store;  // of the newest result
  std::uint64_t link = 0, sequence = 0;
  std::int64_t measured_us = 0, received_us = 0;
  std::string recipe, unit, reason;
  int decision = 3;
  int current = 0;  // store that began last; 0: none did
  bool is_new = true, is_changed = true;
};

/// Names with numbers from 1.
class Numbered {
 public:
  int of(const std::string& key);
  void known(const std::string& key, int number);
  /// Those that the database lacks, with their numbers; forgets them.
  std::vector<std::pair<std::string, int>> take_fresh() { return std::exchange(fresh_, {}); }
  std::size_t size() const { return numbers_.size(); }

 private:
  std::unordered_map<std::string, int> numbers_;
  std::vector<std::pair<std::string, int>> fresh_;
  int last_ = 0;
};

class Catalogue {
 public:
  CatalogueCell& cell(const std::string& handle);
  CatalogueCell& cell_of(int number) { return cells_.at(static_cast<std::size_t>(number - 1)); }
  CatalogueStore* find_store(int cell, const std::string& store_id);
  CatalogueStore& store(int cell, const std::string& store_id);
  CatalogueStore& store_of(int number) { return stores_.at(static_cast<std::size_t>(number - 1)); }
  std::deque<CatalogueCell>& cells() { return cells_; }     // by number, from 1
  std::deque<CatalogueStore>& stores() { return stores_; }  // the same
  /// The store's first entry that came is of this time.
  void begin(CatalogueStore& store, std::int64_t utc_us);

  int product(const std::string& recipe) { return products.of(recipe); }
  int recipe(const std::string& name, const std::string& sha256);
  int making(const std::string& calibration_sha256, const std::string& code);
  int reason(const std::string& name) { return reasons.of(name); }
  /// `key`: of `what`.
  int characteristic(int recipe, const MeasuredCharacteristic& what, const std::string& key);

  // Read from the database, and written to it.
  void add(CatalogueCell cell);
  void add(CatalogueStore store);
  Numbered products, recipes, makings, reasons, characteristics;  // keys: joined() of their columns
  struct FreshCharacteristic {
    int characteristic = 0, recipe = 0;
    MeasuredCharacteristic what;
  };
  std::vector<FreshCharacteristic> fresh_characteristics;

  static std::string joined(const std::string& a, const std::string& b) { return a + '\n' + b; }

 private:
  std::deque<CatalogueCell> cells_;
  std::deque<CatalogueStore> stores_;
  std::map<std::string, int> cell_numbers_;
  std::map<std::pair<int, std::string>, int> store_numbers_;
};

}  // namespace datum
