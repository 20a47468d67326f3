// Reads a store's chain beside its writer, in one snapshot, for a signer.
#pragma once

#include <sqlite3.h>

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "daemon/sign/entry_hash.h"
#include "daemon/store/result_store.h"
#include "daemon/store/sqlite.h"

namespace datum {

class ChainReader {
 public:
  /// Throws StoreError; kind `corrupt` also where the store's schema has no chain.
  explicit ChainReader(const std::filesystem::path& store);

  const std::string& store_id() const { return id_; }
  /// The newest entry that is certainly on the disk. Removal statements after the last result are not: a power cut may
  /// undo them (ResultStore::remove_oldest). Entry 0: none.
  ChainPlace head() const;
  /// None: the entry does not exist, or retention removed it.
  std::optional<ChainPlace> place(std::uint64_t link) const;
  /// Passes each entry after `link` in its stored form, with the body that its hash covers, until `take` returns false.
  /// Throws StoreError where a result of the chain is missing.
  void bodies_after(std::uint64_t link,
                    const std::function<bool(const ChainPlace&, const std::string& body)>& take) const;

 private:
  /// `row`: reads the result of a number; a statement is prepared once for all entries.
  std::string body_of(const ChainEntry& link, sqlite::Statement& row) const;

  std::filesystem::path file_;
  sqlite::Connection db_;
  std::string id_;
  std::vector<FormerId> former_;
};

}  // namespace datum
